// SPDX-License-Identifier: Apache-2.0
//
// A state machine that reads a byte at a time; methods, names, values, targets and
// bodies, which are nearly all bytes, it reads in runs.
//
//   EMPTY -> METHOD -> TARGET -> VERSION -> LINE_LF
//   LINE_LF -> FIELD -> NAME -> BLANK -> VALUE -> LINE_LF (each field)
//   FIELD -> HEAD_LF -> EMPTY (no body) | BODY | SIZE
//   SIZE -> [EXTENSION] -> SIZE_LF -> DATA -> DATA_CR -> DATA_LF -> SIZE
//   SIZE_LF (of 0) -> FIELD (trailers) -> HEAD_LF -> EMPTY
//
// Two forms that nearly every request has are read at once if they are complete and
// valid: "HTTP/1.1", and the line of a field that does not frame. Everything else, and so
// every fault, is read byte by byte.
#include "http/framing.h"

#include <string.h>

#include "base/ascii.h"

enum framing_state {
    STATE_EMPTY,
    STATE_EMPTY_LF,
    STATE_METHOD,
    STATE_TARGET,
    STATE_VERSION,
    STATE_LINE_LF, // of the request line and of each field
    STATE_FIELD,   // the start of a name, or the end of the head
    STATE_NAME,
    STATE_BLANK, // before a value
    STATE_VALUE,
    STATE_HEAD_LF,
    STATE_BODY,
    STATE_SIZE,
    STATE_EXTENSION,
    STATE_SIZE_LF,
    STATE_DATA,
    STATE_DATA_CR,
    STATE_DATA_LF
};

enum framing_field {
    FIELD_OTHER,
    FIELD_HOST,
    FIELD_LENGTH,
    FIELD_CODING,
    FIELD_CONNECTION,
    FIELD_COOKIE
};

enum {
    EMPTY_LINES = 2, // before a request (RFC 9112, 2.2: at least one)
    METHOD_BYTES = 32,
    LENGTH_DIGITS = 18, // of decimals: no sum of them overflows
    SIZE_DIGITS = 15    // of hexadecimals
};

// ---- Kinds of bytes ----------------------------------------------------------------

enum {
    KIND_TOKEN = 1,  // RFC 9110, 5.6.2
    KIND_VALUE = 2,  // of a field: no control character but TAB
    KIND_TARGET = 4, // no white space, no control character
    KIND_HOST = 8 // RFC 3986, 3.2.2, with a port and without user information
};

// clang-format off
static const uint8_t kinds[256] = {
     0,  0,  0,  0,  0,  0,  0,  0,  0,  2,  0,  0,  0,  0,  0,  0,
     0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,
     2, 15,  6,  7, 15, 15, 15, 15, 14, 14, 15, 15,  6, 15, 15,  6,
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 14, 14,  6, 14,  6,  6,
     6, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 14,  6, 14,  7, 15,
     7, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,  6,  7,  6, 15,  0,
     6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,
     6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,
     6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,
     6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,
     6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,
     6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,
     6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,
     6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,  6,
};
// clang-format on

static bool
is_kind(char c, unsigned kind)
{
    return (kinds[(unsigned char)c] & kind) != 0;
}

// Marks bytes of eight that are below `low` or DEL, by their highest bit. Borrows may mark
// bytes above the first such byte too: only that one, or its absence, is exact.
static uint64_t
control_marks(const char *bytes, unsigned low)
{
    const uint64_t ones = UINT64_MAX / 255, highs = ones << 7;
    uint64_t word, del;

    memcpy(&word, bytes, sizeof word);
    del = word ^ ones * 0x7f;
    return (((word - ones * low) & ~word) | ((del - ones) & ~del)) & highs;
}

// Where the first marked byte is: the lowest of the word, as bytes come on most machines.
static size_t
marks_first(uint64_t marks)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
               ? (size_t)__builtin_ctzll(marks) / 8
               : 0;
}

// Counts the leading bytes of that kind; eight at a time if the kind is everything but
// control characters.
static size_t
run_of(const char *bytes, size_t size, unsigned kind)
{
    const unsigned low = kind == KIND_VALUE ? ' ' : '!';
    size_t count = 0;

    if (kind == KIND_VALUE || kind == KIND_TARGET) {
        uint64_t marks = 0;
        while (count + 8 <= size &&
               (marks = control_marks(bytes + count, low)) == 0)
            count += 8;
        if (marks != 0)
            count += marks_first(marks);
    }
    while (count < size && is_kind(bytes[count], kind))
        count++;
    return count;
}

// ---- Steps -------------------------------------------------------------------------

static bool
framing_fault(struct mica_framing *framing, enum mica_fault what)
{
    framing->fault = (uint8_t)what;
    return false;
}

static bool
step_to(struct mica_framing *framing, enum framing_state state)
{
    framing->state = (uint8_t)state;
    framing->length = 0;
    return true;
}

static bool
expect_lf(struct mica_framing *framing, char c, enum framing_state then)
{
    return c == '\n' ? step_to(framing, then)
                     : framing_fault(framing, MICA_FAULT_LINE_END);
}

// Counts memory that libmicrohttpd needs for a head or for trailers. Returns false if
// they exceed their limit.
static bool
framing_charge(struct mica_framing *framing, size_t bytes)
{
    if (framing->state >= STATE_BODY)
        return true;
    framing->cost += bytes;
    if (framing->cost <= framing->most)
        return true;
    return framing_fault(framing, framing->in_trailers
                                      ? MICA_FAULT_TRAILER
                                      : MICA_FAULT_HEAD_TOO_LONG);
}

// Appends to `text`, which drops bytes past its end: the parser compares
// only shorter names and values.
static void
framing_append(struct mica_framing *framing, const char *bytes, size_t size)
{
    size_t capacity = MICA_FRAMING_TEXT - (size_t)framing->length;
    size_t count = size < capacity ? size : capacity;

    memcpy(framing->text + framing->length, bytes, count);
    framing->length = (uint16_t)(framing->length + count);
}

static bool
text_is(const struct mica_framing *framing, const char *lowercase,
        size_t length)
{
    return framing->length == length &&
           mica_ascii_same(framing->text, lowercase, length);
}

// ---- The line of the request --------------------------------------------------------

static void
begin_request(struct mica_framing *framing)
{
    framing->cost = 0;
    framing->hosts = framing->lengths = framing->codings = 0;
    framing->closes = framing->stays = framing->unsure = false;
    framing->in_trailers = framing->speaks_mcp = false;
    framing->empty_lines = framing->at = 0;
    framing->left = 0;
    framing->length = 0;
}

static bool
end_method(struct mica_framing *framing)
{
    if (framing->length == 0)
        return framing_fault(framing, MICA_FAULT_LINE);
    if (text_is(framing, "connect", 7))
        return framing_fault(framing, MICA_FAULT_CONNECT);
    return step_to(framing, STATE_TARGET);
}

// What has been read of a target: how many bytes of "/mcp" its path ends with so far; or,
// from the "?" on, whether it was all of them.
enum target_end {
    END_MCP = 4,
    END_MCP_QUERY,
    END_OTHER_QUERY
};

// Follows whether the path ends with "/mcp", as the path of MCP at every endpoint does. Where
// an endpoint lies is not known here: it may be one of a store.
static void
read_target(struct mica_framing *framing, const char *bytes, size_t size)
{
    static const char mcp[END_MCP + 1] = "/mcp"; // its NUL is in no target
    uint8_t end = framing->at;

    for (size_t i = 0; i < size && end <= END_MCP; i++) {
        if (bytes[i] == '?')
            end = end == END_MCP ? END_MCP_QUERY : END_OTHER_QUERY;
        else if (bytes[i] == mcp[end])
            end++;
        else
            end = bytes[i] == '/' ? 1 : 0;
    }
    framing->at = end;
    framing->length = (uint16_t)(size > 0 ? 1 : framing->length);
}

static bool
end_target(struct mica_framing *framing)
{
    framing->speaks_mcp =
        framing->at == END_MCP || framing->at == END_MCP_QUERY;
    framing->at = 0;
    return framing->length > 0 ? step_to(framing, STATE_VERSION)
                               : framing_fault(framing, MICA_FAULT_LINE);
}

// Reads "HTTP/1.1" and a CR. Another major version has a fault of its own.
static bool
read_version(struct mica_framing *framing, char c)
{
    static const char name[] = "HTTP/";
    unsigned at = framing->at++;

    if (at < 5)
        return c == name[at] ? true : framing_fault(framing, MICA_FAULT_LINE);
    if (at == 5 && c >= '0' && c <= '9')
        return c == '1' ? true : framing_fault(framing, MICA_FAULT_VERSION);
    if (at == 6 && c == '.')
        return true;
    if (at == 7 && c >= '0' && c <= '9') {
        framing->minor_zero = c == '0';
        return true;
    }
    if (at == 8 && c == '\r')
        return step_to(framing, STATE_LINE_LF);
    return framing_fault(framing, at == 8 && c == '\n' ? MICA_FAULT_LINE_END
                                                       : MICA_FAULT_LINE);
}

// ---- Fields ------------------------------------------------------------------------

// Returns the framing field of this name, in any case; or FIELD_OTHER.
static enum framing_field
field_of(const char *name, size_t length)
{
    static const struct {
        const char *namez;
        size_t length;
    } names[] = {
        [FIELD_HOST] = {"host", 4},
        [FIELD_LENGTH] = {"content-length", 14},
        [FIELD_CODING] = {"transfer-encoding", 17},
        [FIELD_CONNECTION] = {"connection", 10},
        [FIELD_COOKIE] = {"cookie", 6},
    };

    for (size_t i = FIELD_HOST; i < MICA_COUNT(names); i++) {
        if (length == names[i].length &&
            mica_ascii_same(name, names[i].namez, length))
            return (enum framing_field)i;
    }
    return FIELD_OTHER;
}

static bool
end_name(struct mica_framing *framing)
{
    if (framing->length == 0)
        return framing_fault(framing, MICA_FAULT_NAME);
    framing->field = (uint8_t)field_of(framing->text, framing->length);
    if (framing->in_trailers && framing->field != FIELD_OTHER)
        return framing_fault(framing, MICA_FAULT_TRAILER);
    return framing_charge(framing, MICA_FRAMING_FIELD_BYTES) &&
           step_to(framing, STATE_BLANK);
}

static bool
end_length(struct mica_framing *framing)
{
    if (framing->lengths++ > 0)
        return framing_fault(framing, MICA_FAULT_LENGTHS);
    if (framing->length == 0 || framing->length > LENGTH_DIGITS)
        return framing_fault(framing, MICA_FAULT_LENGTH);
    for (size_t i = 0; i < framing->length; i++) {
        if (framing->text[i] < '0' || framing->text[i] > '9')
            return framing_fault(framing, MICA_FAULT_LENGTH);
        framing->left = 10 * framing->left + (uint64_t)(framing->text[i] - '0');
    }
    return true;
}

static void
read_option(struct mica_framing *framing, char *option, size_t length)
{
    for (size_t i = 0; i < length; i++)
        option[i] = mica_ascii_lower(option[i]);
    if (length == 5 && memcmp(option, "close", 5) == 0)
        framing->closes = true;
    if (length == 10 && memcmp(option, "keep-alive", 10) == 0)
        framing->stays = true;
}

// Reads the options of Connection; the field may be repeated.
static void
end_connection(struct mica_framing *framing)
{
    size_t begin = 0;

    framing->unsure = framing->unsure || framing->length == MICA_FRAMING_TEXT;
    for (size_t i = 0; i <= framing->length; i++) {
        if (i < framing->length && framing->text[i] != ',')
            continue;
        size_t end = i;
        while (begin < end &&
               (framing->text[begin] == ' ' || framing->text[begin] == '\t'))
            begin++;
        while (end > begin && (framing->text[end - 1] == ' ' ||
                               framing->text[end - 1] == '\t'))
            end--;
        read_option(framing, framing->text + begin, end - begin);
        begin = i + 1;
    }
}

// White space after a length or a coding is a fault: libmicrohttpd would read it as
// part of the value.
static bool
end_value(struct mica_framing *framing)
{
    switch ((enum framing_field)framing->field) {
    case FIELD_HOST:
        if (framing->hosts++ > 0)
            return framing_fault(framing, MICA_FAULT_HOST);
        break;
    case FIELD_LENGTH:
        if (!end_length(framing))
            return false;
        break;
    case FIELD_CODING:
        if (framing->codings++ > 0 || !text_is(framing, "chunked", 7))
            return framing_fault(framing, MICA_FAULT_CODING);
        break;
    case FIELD_CONNECTION:
        end_connection(framing);
        break;
    case FIELD_COOKIE:
    case FIELD_OTHER:
        break;
    }
    return step_to(framing, STATE_LINE_LF);
}

// libmicrohttpd copies a cookie, and makes a field of each of its parts.
static bool
charge_cookie(struct mica_framing *framing, const char *bytes, size_t size)
{
    size_t bytes_kept = size;

    for (size_t i = 0; i < size; i++)
        bytes_kept += bytes[i] == ';' ? MICA_FRAMING_FIELD_BYTES : 0;
    return framing_charge(framing, bytes_kept);
}

// Checks that a host is valid; white space may follow it, and nothing after that.
static bool
check_host(struct mica_framing *framing, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bool blank = bytes[i] == ' ' || bytes[i] == '\t';
        if (framing->length > 0 ? !blank
                                : !blank && !is_kind(bytes[i], KIND_HOST))
            return framing_fault(framing, MICA_FAULT_HOST);
        if (blank)
            framing->length = 1;
    }
    return true;
}

static bool
read_value(struct mica_framing *framing, const char *bytes, size_t size)
{
    switch ((enum framing_field)framing->field) {
    case FIELD_HOST:
        return check_host(framing, bytes, size);
    case FIELD_COOKIE:
        return charge_cookie(framing, bytes, size);
    case FIELD_LENGTH:
    case FIELD_CODING:
    case FIELD_CONNECTION:
        framing_append(framing, bytes, size);
        return true;
    case FIELD_OTHER:
        break;
    }
    return true;
}

// ---- The end of a head and of a request ----------------------------------------------

static bool
end_request(struct mica_framing *framing)
{
    framing->ended++;
    begin_request(framing);
    return step_to(framing, STATE_EMPTY);
}

static bool
end_head(struct mica_framing *framing)
{
    if (framing->in_trailers)
        return end_request(framing);
    if (framing->hosts == 0 && !framing->minor_zero)
        return framing_fault(framing, MICA_FAULT_HOST);
    if (framing->codings > 0 && framing->lengths > 0)
        return framing_fault(framing, MICA_FAULT_BOTH);
    if (framing->codings > 0 && framing->minor_zero)
        return framing_fault(framing, MICA_FAULT_OLD_CODING);
    framing->heads++;
    framing->spare = framing->most - framing->cost;
    framing->spare -= framing->spare < MICA_FRAMING_TRAILER_BYTES
                          ? framing->spare
                          : MICA_FRAMING_TRAILER_BYTES;
    framing->last = framing->closes || (framing->minor_zero && !framing->stays);
    if (framing->codings > 0)
        return step_to(framing, STATE_SIZE);
    return framing->left > 0 ? step_to(framing, STATE_BODY)
                             : end_request(framing);
}

// ---- Chunks ------------------------------------------------------------------------

static bool
read_size(struct mica_framing *framing, char c)
{
    int digit = mica_ascii_hex(c);

    if (framing->length > 0 && c == ';')
        return step_to(framing, STATE_EXTENSION);
    if (framing->length > 0 && c == '\r')
        return step_to(framing, STATE_SIZE_LF);
    if (digit < 0)
        return framing_fault(framing, c == '\n' ? MICA_FAULT_LINE_END
                                                : MICA_FAULT_CHUNK);
    if (framing->length++ == 0)
        framing->left = 0;
    framing->left = 16 * framing->left + (unsigned)digit;
    return framing->length <= SIZE_DIGITS
               ? true
               : framing_fault(framing, MICA_FAULT_CHUNK);
}

static bool
read_extension(struct mica_framing *framing, char c)
{
    if (c == '\r')
        return step_to(framing, STATE_SIZE_LF);
    if (c == '\n')
        return framing_fault(framing, MICA_FAULT_LINE_END);
    if (!is_kind(c, KIND_VALUE) ||
        framing->length++ > MICA_FRAMING_CHUNK_LINE_BYTES)
        return framing_fault(framing, MICA_FAULT_CHUNK);
    return true;
}

// Trailers follow. They share memory with the head, whose cost remains.
static void
begin_trailers(struct mica_framing *framing)
{
    framing->in_trailers = true;
    if (framing->cost + MICA_FRAMING_TRAILER_BYTES < framing->most)
        framing->cost = framing->most - MICA_FRAMING_TRAILER_BYTES;
}

static bool
end_size(struct mica_framing *framing, char c)
{
    if (c != '\n')
        return framing_fault(framing, MICA_FAULT_LINE_END);
    if (framing->left > 0)
        return step_to(framing, STATE_DATA);
    begin_trailers(framing);
    return step_to(framing, STATE_FIELD);
}

// ---- Whole lines -----------------------------------------------------------------------

// Returns the length of the line of a field that does not frame, with its line end; 0
// if the line is incomplete or invalid, or if the field frames.
static size_t
plain_line(const char *bytes, size_t size)
{
    size_t name = run_of(bytes, size, KIND_TOKEN), end;

    if (name == 0 || name == size || bytes[name] != ':' ||
        field_of(bytes, name) != FIELD_OTHER)
        return 0;
    end = name + 1;
    end += run_of(bytes + end, size - end, KIND_VALUE);
    if (size - end < 2 || bytes[end] != '\r' || bytes[end + 1] != '\n')
        return 0;
    return end + 2;
}

// Reads such a line at once if the head may be so long; else returns 0.
static size_t
read_line(struct mica_framing *framing, const char *bytes, size_t size)
{
    size_t count = plain_line(bytes, size);

    if (count == 0 ||
        count + MICA_FRAMING_FIELD_BYTES > framing->most - framing->cost)
        return 0;
    framing->cost += MICA_FRAMING_FIELD_BYTES;
    return count;
}

static size_t
read_whole_version(struct mica_framing *framing, const char *bytes, size_t size)
{
    static const char version[] = "HTTP/1.1\r\n";
    const size_t length = sizeof version - 1;

    if (framing->at > 0 || size < length ||
        length > framing->most - framing->cost ||
        memcmp(bytes, version, length) != 0)
        return 0;
    framing->minor_zero = false;
    (void)step_to(framing, STATE_FIELD);
    return length;
}

// ---- Bytes -------------------------------------------------------------------------

static bool
read_empty(struct mica_framing *framing, char c)
{
    if (c == '\r')
        return framing->empty_lines++ < EMPTY_LINES
                   ? step_to(framing, STATE_EMPTY_LF)
                   : framing_fault(framing, MICA_FAULT_LINE);
    if (c == '\n')
        return framing_fault(framing, MICA_FAULT_LINE_END);
    if (!is_kind(c, KIND_TOKEN))
        return framing_fault(framing, MICA_FAULT_LINE);
    framing->state = STATE_METHOD;
    framing_append(framing, &c, 1);
    return true;
}

static bool
read_field(struct mica_framing *framing, char c)
{
    if (c == '\r')
        return step_to(framing, STATE_HEAD_LF);
    if (c == '\n')
        return framing_fault(framing, MICA_FAULT_LINE_END);
    if (!is_kind(c, KIND_TOKEN)) // white space: a folded line
        return framing_fault(framing, MICA_FAULT_NAME);
    framing->state = STATE_NAME;
    framing_append(framing, &c, 1);
    return true;
}

static bool
end_run(struct mica_framing *framing, char c)
{
    if (framing->state == STATE_METHOD)
        return c == ' ' ? end_method(framing)
                        : framing_fault(framing, MICA_FAULT_LINE);
    if (framing->state == STATE_TARGET)
        return c == ' ' ? end_target(framing)
                        : framing_fault(framing, MICA_FAULT_LINE);
    if (framing->state == STATE_NAME)
        return c == ':' ? end_name(framing)
                        : framing_fault(framing, MICA_FAULT_NAME);
    if (c == '\r')
        return end_value(framing);
    return framing_fault(framing,
                         c == '\n' ? MICA_FAULT_LINE_END : MICA_FAULT_VALUE);
}

// Reads one byte, in a state without runs or at the end of a run.
static bool
read_byte(struct mica_framing *framing, char c)
{
    switch ((enum framing_state)framing->state) {
    case STATE_EMPTY:
        return read_empty(framing, c);
    case STATE_EMPTY_LF:
        return expect_lf(framing, c, STATE_EMPTY);
    case STATE_VERSION:
        return read_version(framing, c);
    case STATE_LINE_LF:
        return expect_lf(framing, c, STATE_FIELD);
    case STATE_FIELD:
        return read_field(framing, c);
    case STATE_HEAD_LF:
        return c == '\n' ? end_head(framing)
                         : framing_fault(framing, MICA_FAULT_LINE_END);
    case STATE_SIZE:
        return read_size(framing, c);
    case STATE_EXTENSION:
        return read_extension(framing, c);
    case STATE_SIZE_LF:
        return end_size(framing, c);
    case STATE_DATA_CR:
        return c == '\r' ? step_to(framing, STATE_DATA_LF)
                         : framing_fault(framing, MICA_FAULT_CHUNK);
    case STATE_DATA_LF:
        return expect_lf(framing, c, STATE_SIZE);
    case STATE_METHOD:
    case STATE_TARGET:
    case STATE_NAME:
    case STATE_BLANK:
    case STATE_VALUE:
    case STATE_BODY:
    case STATE_DATA:
        break;
    }
    return end_run(framing, c);
}

static bool
read_body(struct mica_framing *framing, size_t size, size_t *count_out)
{
    size_t count = size < framing->left ? size : (size_t)framing->left;

    framing->left -= count;
    *count_out = count;
    if (framing->left > 0)
        return true;
    return framing->state == STATE_BODY ? end_request(framing)
                                        : step_to(framing, STATE_DATA_CR);
}

static size_t
read_method(struct mica_framing *framing, const char *bytes, size_t size)
{
    size_t capacity = METHOD_BYTES - (size_t)framing->length;
    size_t count = run_of(bytes, size < capacity ? size : capacity, KIND_TOKEN);

    framing_append(framing, bytes, count);
    return count;
}

// Skips white space before a value.
static size_t
skip_blanks(struct mica_framing *framing, const char *bytes, size_t size)
{
    size_t count = 0;

    while (count < size && (bytes[count] == ' ' || bytes[count] == '\t'))
        count++;
    if (count < size)
        framing->state = STATE_VALUE;
    return count;
}

// Reads a run as far as it goes; 0 bytes in states without runs.
static bool
read_run(struct mica_framing *framing, const char *bytes, size_t size,
         size_t *count_out)
{
    size_t count = 0;

    switch ((enum framing_state)framing->state) {
    case STATE_BODY:
    case STATE_DATA:
        return read_body(framing, size, count_out);
    case STATE_METHOD:
        count = read_method(framing, bytes, size);
        break;
    case STATE_TARGET:
        count = run_of(bytes, size, KIND_TARGET);
        read_target(framing, bytes, count);
        break;
    case STATE_VERSION:
        count = read_whole_version(framing, bytes, size);
        break;
    case STATE_FIELD:
        count = read_line(framing, bytes, size);
        break;
    case STATE_NAME:
        count = run_of(bytes, size, KIND_TOKEN);
        framing_append(framing, bytes, count);
        break;
    case STATE_BLANK:
        count = skip_blanks(framing, bytes, size);
        break;
    case STATE_VALUE:
        count = run_of(bytes, size, KIND_VALUE);
        if (framing->field != FIELD_OTHER && !read_value(framing, bytes, count))
            return false;
        break;
    case STATE_EMPTY:
    case STATE_EMPTY_LF:
    case STATE_LINE_LF:
    case STATE_HEAD_LF:
    case STATE_SIZE:
    case STATE_EXTENSION:
    case STATE_SIZE_LF:
    case STATE_DATA_CR:
    case STATE_DATA_LF:
        break;
    }
    *count_out = count;
    return count == 0 || framing_charge(framing, count);
}

void
mica_framing_init(struct mica_framing *framing, size_t most)
{
    memset(framing, 0, sizeof *framing);
    framing->most = most;
    begin_request(framing);
}

size_t
mica_framing_read(struct mica_framing *framing, const char *bytes, size_t size)
{
    size_t at = 0;

    while (at < size) {
        size_t count = 0;
        if (framing->last && framing->state == STATE_EMPTY)
            return at; // the rest belongs to no request
        if (!read_run(framing, bytes + at, size - at, &count))
            return at;
        at += count;
        if (count > 0)
            continue;
        if (framing->state == STATE_VALUE && is_kind(bytes[at], KIND_VALUE))
            continue; // the value begins without white space
        if (!framing_charge(framing, 1) || !read_byte(framing, bytes[at]))
            return at;
        at++;
    }
    return at;
}

bool
mica_framing_is_between(const struct mica_framing *framing)
{
    return framing->state == STATE_EMPTY;
}

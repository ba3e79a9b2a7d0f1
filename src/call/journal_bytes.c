// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes the bytes of a journal (docs/journal.md). Every value has one encoding,
// so that the same entries have the same bytes. A status is encoded by its code, as its
// number may change from version to version.
#include <string.h>

#include "call/journal.h"
#include "call/journal_entry.h"

static const unsigned char head[] = {'M', 'J', MICA_JOURNAL_VERSION};

static void
journal_start(struct mica_journal *journal, struct mica_arena *arena)
{
    *journal = (struct mica_journal){.arena = arena, .scope_count = 1};
    mica_buffer_init(&journal->bytes, arena, MICA_JOURNAL_BYTES);
}

void
mica_journal_init(struct mica_journal *journal, struct mica_arena *arena)
{
    journal_start(journal, arena);
    mica_buffer_add(&journal->bytes, head, sizeof head);
}

// ---- Writing -----------------------------------------------------------------

static size_t
varint_size(uint64_t value)
{
    size_t size = 1;

    for (; value >= 0x80; value >>= 7)
        size++;
    return size;
}

static void
put_varint(struct mica_buffer *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        mica_buffer_char(out, (char)(value | 0x80));
    mica_buffer_char(out, (char)value);
}

// Maps small numbers of either sign to small unsigned numbers.
static uint64_t
journal_bytes_zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
}

static void
put_text(struct mica_buffer *out, struct mica_text text)
{
    put_varint(out, text.len);
    mica_buffer_text(out, text);
}

static void
put_hash(struct mica_buffer *out, uint64_t hash)
{
    for (unsigned i = 0; i < 8; i++)
        mica_buffer_char(out, (char)(hash >> 8 * i & 0xFF));
}

// The code of a status; empty for MICA_OK.
static struct mica_text
status_text(enum mica_status status)
{
    return status == MICA_OK ? mica_text("")
                             : mica_text(mica_status_code(status));
}

static size_t
text_size(struct mica_text text)
{
    return varint_size(text.len) + text.len;
}

static size_t
fields_size(const struct mica_entry *entry)
{
    const struct {
        unsigned field;
        size_t size;
    } parts[] = {
        {MICA_FIELD_KEY, text_size(entry->key)},
        {MICA_FIELD_NUMBER, varint_size(entry->number)},
        {MICA_FIELD_STATUS, text_size(status_text(entry->status))},
        {MICA_FIELD_HASH, 8},
        {MICA_FIELD_TIME, varint_size(journal_bytes_zigzag(entry->time))},
        {MICA_FIELD_DUE, varint_size(journal_bytes_zigzag(entry->due))},
        {MICA_FIELD_DATA, text_size(entry->data)},
        {MICA_FIELD_VERSION, text_size(entry->version)},
    };
    unsigned fields = mica_entry_fields(entry->kind);
    size_t size = 0;

    for (size_t i = 0; i < MICA_COUNT(parts); i++)
        size += (fields & parts[i].field) != 0 ? parts[i].size : 0;
    return size;
}

static void
put_fields(struct mica_buffer *out, const struct mica_entry *entry)
{
    unsigned fields = mica_entry_fields(entry->kind);

    if ((fields & MICA_FIELD_KEY) != 0)
        put_text(out, entry->key);
    if ((fields & MICA_FIELD_NUMBER) != 0)
        put_varint(out, entry->number);
    if ((fields & MICA_FIELD_STATUS) != 0)
        put_text(out, status_text(entry->status));
    if ((fields & MICA_FIELD_HASH) != 0)
        put_hash(out, entry->hash);
    if ((fields & MICA_FIELD_TIME) != 0)
        put_varint(out, journal_bytes_zigzag(entry->time));
    if ((fields & MICA_FIELD_DUE) != 0)
        put_varint(out, journal_bytes_zigzag(entry->due));
    if ((fields & MICA_FIELD_DATA) != 0)
        put_text(out, entry->data);
    if ((fields & MICA_FIELD_VERSION) != 0)
        put_text(out, entry->version);
}

// ---- Reading -----------------------------------------------------------------

// The bytes that are left to read. A value that is missing, or not in its one encoding,
// sets `bad` and reads as 0.
struct cursor {
    const unsigned char *at, *end;
    bool bad;
};

static uint64_t
take_varint(struct cursor *in, uint64_t most)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64 && in->at < in->end; shift += 7) {
        unsigned char byte = *in->at++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte >= 0x80)
            continue;
        // A last byte of 0 is a longer encoding; the tenth byte has one bit.
        if ((byte == 0 && shift > 0) || (shift == 63 && byte > 1) ||
            value > most)
            break;
        return value;
    }
    in->bad = true;
    return 0;
}

static int64_t
take_signed(struct cursor *in)
{
    uint64_t value = take_varint(in, UINT64_MAX);

    return (int64_t)(value >> 1 ^ ((value & 1) != 0 ? UINT64_MAX : 0));
}

static struct mica_text
take_text(struct cursor *in)
{
    size_t len = (size_t)take_varint(in, (uint64_t)(in->end - in->at));
    struct mica_text text = {(const char *)in->at, len};

    if (in->bad || len > (size_t)(in->end - in->at) ||
        mica_utf8_valid(text) != len) {
        in->bad = true;
        return (struct mica_text){NULL, 0};
    }
    in->at += len;
    return text;
}

static uint64_t
take_hash(struct cursor *in)
{
    uint64_t hash = 0;

    if (in->end - in->at < 8) {
        in->bad = true;
        return 0;
    }
    for (unsigned i = 0; i < 8; i++)
        hash |= (uint64_t)*in->at++ << 8 * i;
    return hash;
}

static enum mica_status
take_status(struct cursor *in)
{
    struct mica_text code = take_text(in);

    if (code.len == 0)
        return MICA_OK;
    for (unsigned i = MICA_OK + 1; i < MICA_STATUS_COUNT; i++) {
        if (mica_text_is(code, mica_status_code((enum mica_status)i)))
            return (enum mica_status)i;
    }
    in->bad = true;
    return MICA_OK;
}

static void
take_fields(struct cursor *in, struct mica_entry *entry)
{
    unsigned fields = mica_entry_fields(entry->kind);

    if ((fields & MICA_FIELD_KEY) != 0)
        entry->key = take_text(in);
    if ((fields & MICA_FIELD_NUMBER) != 0)
        entry->number = (uint32_t)take_varint(in, UINT32_MAX);
    if ((fields & MICA_FIELD_STATUS) != 0)
        entry->status = take_status(in);
    if ((fields & MICA_FIELD_HASH) != 0)
        entry->hash = take_hash(in);
    if ((fields & MICA_FIELD_TIME) != 0)
        entry->time = take_signed(in);
    if ((fields & MICA_FIELD_DUE) != 0)
        entry->due = take_signed(in);
    if ((fields & MICA_FIELD_DATA) != 0)
        entry->data = take_text(in);
    if ((fields & MICA_FIELD_VERSION) != 0)
        entry->version = take_text(in);
}

// Reads one entry. Returns NULL, or what is wrong with it.
static const char *
take_entry(struct cursor *in, struct mica_entry *entry)
{
    unsigned kind = *in->at++;
    struct cursor body = *in;
    size_t size;

    *entry = (struct mica_entry){.scope = 0};
    if (mica_entry_fields(kind) == 0)
        return "an entry of an unknown kind";
    entry->kind = (enum mica_entry_kind)kind;
    entry->scope = (uint32_t)take_varint(in, UINT32_MAX);
    size = (size_t)take_varint(in, UINT32_MAX);
    if (in->bad || size > (size_t)(in->end - in->at))
        return "an entry that is cut off";
    body = (struct cursor){in->at, in->at + size, false};
    take_fields(&body, entry);
    if (body.bad || body.at != body.end)
        return "an entry whose fields do not fill it";
    in->at += size;
    return NULL;
}

static enum mica_status
read_head(struct mica_text bytes, struct mica_error *error)
{
    if (bytes.len > MICA_JOURNAL_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the journal has %zu bytes; its limit is %d",
                              bytes.len, MICA_JOURNAL_BYTES);
    if (bytes.len < sizeof head || memcmp(bytes.ptr, head, 2) != 0)
        return mica_error_set(error, MICA_E_FORMAT, "",
                              "byte 0: this is no journal: it does not begin "
                              "with \"MJ\" and a version");
    if (bytes.ptr[2] != MICA_JOURNAL_VERSION)
        return mica_error_set(error, MICA_E_STATE, "",
                              "the call was begun by another mica: its journal "
                              "has version %u, and this one reads %d; call "
                              "again",
                              (unsigned char)bytes.ptr[2],
                              MICA_JOURNAL_VERSION);
    return MICA_OK;
}

static enum mica_status
fail_full(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "the journal of the call is full: it holds %d "
                          "entries and %d bytes; ask for less in one call",
                          MICA_JOURNAL_ENTRIES, MICA_JOURNAL_BYTES);
}

static enum mica_status
fail_memory(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "no memory for the journal of the call");
}

enum mica_status
mica_journal_read(struct mica_journal *journal, struct mica_arena *arena,
                  struct mica_text bytes, struct mica_error *error)
{
    struct mica_entry entry;
    struct cursor in;

    journal_start(journal, arena);
    MICA_TRY(read_head(bytes, error));
    mica_buffer_text(&journal->bytes, bytes);
    if (journal->bytes.overflow)
        return fail_memory(error);
    in.at = (const unsigned char *)journal->bytes.ptr + sizeof head;
    in.end = (const unsigned char *)journal->bytes.ptr + bytes.len;
    in.bad = false;
    while (in.at < in.end) {
        size_t at = (size_t)((const char *)in.at - journal->bytes.ptr);
        const char *fault = take_entry(&in, &entry);
        if (fault == NULL)
            fault = mica_journal_refuses(journal, &entry);
        if (fault != NULL)
            return mica_error_set(error, MICA_E_FORMAT, "",
                                  "byte %zu: the journal has %s", at, fault);
        if (journal->count >= MICA_JOURNAL_ENTRIES)
            return fail_full(error);
        if (!mica_journal_push(journal, &entry))
            return fail_memory(error);
    }
    return MICA_OK;
}

// ---- Adding ------------------------------------------------------------------

static bool
is_utf8(struct mica_text text)
{
    return mica_utf8_valid(text) == text.len;
}

static bool
journal_fits(const struct mica_journal *journal, size_t size)
{
    return journal->count < MICA_JOURNAL_ENTRIES &&
           size <= MICA_JOURNAL_BYTES - journal->bytes.len;
}

// The texts of the new entry point into the bytes, which never change (JOURNAL-1).
static bool
push_written(struct mica_journal *journal, const struct mica_entry *entry,
             size_t size)
{
    struct mica_entry added = *entry;
    struct cursor body;

    if (journal->bytes.overflow)
        return false;
    body.end = (const unsigned char *)journal->bytes.ptr + journal->bytes.len;
    body.at = body.end - size;
    body.bad = false;
    take_fields(&body, &added);
    return mica_journal_push(journal, &added);
}

enum mica_status
mica_journal_add(struct mica_journal *journal, const struct mica_entry *entry,
                 struct mica_error *error)
{
    const char *fault = mica_journal_refuses(journal, entry);
    size_t size = fields_size(entry), before = journal->bytes.len;

    if (fault == NULL && (!is_utf8(entry->key) || !is_utf8(entry->data) ||
                          !is_utf8(entry->version)))
        fault = "a text that is not UTF-8";
    if (fault != NULL)
        return mica_error_set(error, MICA_E_USAGE, "", "the journal refuses %s",
                              fault);
    if (!journal_fits(journal,
                      size + 1 + varint_size(entry->scope) + varint_size(size)))
        return fail_full(error);
    mica_buffer_char(&journal->bytes, (char)entry->kind);
    put_varint(&journal->bytes, entry->scope);
    put_varint(&journal->bytes, size);
    put_fields(&journal->bytes, entry);
    if (!push_written(journal, entry, size)) {
        journal->bytes.len = before;
        return fail_memory(error);
    }
    return MICA_OK;
}

// SPDX-License-Identifier: Apache-2.0
//
// A state machine over bytes. Its states, and the bytes that change them:
//
//   START    {            MEMBER
//   MEMBER   "            NAME      (a name begins)
//            }            END
//   NAME     "            COLON     (the name ends)
//   COLON    :            VALUE
//   VALUE    " { [ other  INSIDE    (the value begins)
//   INSIDE   ,            MEMBER    (on the level of the object itself)
//            }            END
//
// INSIDE skips strings and nested values. Any other byte leads to END, which ignores all
// further bytes.
#include "protocol/id_scan.h"

#include <string.h>

#include <mica/json.h>

enum state {
    START,
    MEMBER,
    NAME,
    COLON,
    VALUE,
    INSIDE,
    END
};

static bool
is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// ---- Names -------------------------------------------------------------------

static bool
name_is(const struct mica_id_scan *scan, const char *namez)
{
    return scan->name_size == strlen(namez) &&
           memcmp(scan->name, namez, scan->name_size) == 0;
}

static void
name_begin(struct mica_id_scan *scan)
{
    scan->state = NAME;
    scan->name_size = 0;
}

// A name with an escape may be one of those searched for, so the scan ends.
static void
name_add(struct mica_id_scan *scan, char c)
{
    if (c == '\\') {
        scan->state = END;
        scan->ids = 2;
    } else if (c == '"') {
        scan->state = COLON;
        scan->method |= name_is(scan, "method");
        scan->answer |= name_is(scan, "result") || name_is(scan, "error");
    } else {
        if (scan->name_size < sizeof scan->name)
            scan->name[scan->name_size] = c;
        scan->name_size++;
    }
}

// ---- Values ------------------------------------------------------------------

static void
value_open(struct mica_id_scan *scan, bool array)
{
    if (scan->depth == MICA_ID_SCAN_DEPTH) {
        scan->state = END;
        return;
    }
    uint64_t bit = UINT64_C(1) << scan->depth++;
    scan->arrays = array ? scan->arrays | bit : scan->arrays & ~bit;
}

// A bracket within the object; the one that closes the object itself is not nested.
static void
value_close(struct mica_id_scan *scan, bool array)
{
    if (scan->depth == 0) {
        scan->state = END;
        return;
    }
    scan->depth--;
    if (((scan->arrays >> scan->depth & 1) != 0) != array)
        scan->state = END;
}

static void
id_add(struct mica_id_scan *scan, char c)
{
    if (!scan->wanted || scan->ids > 1)
        return;
    if (scan->id_size < sizeof scan->id)
        scan->id[scan->id_size] = c;
    scan->id_size++;
}

static void
value_begin(struct mica_id_scan *scan)
{
    scan->state = INSIDE;
    scan->wanted = name_is(scan, "id");
    if (!scan->wanted)
        return;
    scan->ids = scan->ids > 0 ? 2 : 1;
    if (scan->ids == 1)
        scan->id_size = 0;
}

// Inside a string each byte belongs to it, up to its end.
static void
string_add(struct mica_id_scan *scan, char c)
{
    id_add(scan, c);
    if (scan->escape)
        scan->escape = false;
    else if (c == '\\')
        scan->escape = true;
    else if (c == '"')
        scan->string = false;
}

static void
inside_add(struct mica_id_scan *scan, char c)
{
    if (scan->depth == 0 && (c == ',' || c == '}')) {
        scan->state = c == ',' ? MEMBER : END;
        scan->wanted = false;
        return;
    }
    id_add(scan, c);
    if (c == '"')
        scan->string = true;
    else if (c == '{' || c == '[')
        value_open(scan, c == '[');
    else if (c == '}' || c == ']')
        value_close(scan, c == ']');
}

// ---- Bytes -------------------------------------------------------------------

static void
scan_byte(struct mica_id_scan *scan, char c)
{
    if (scan->string) {
        string_add(scan, c);
        return;
    }
    if (scan->state == NAME) {
        name_add(scan, c);
        return;
    }
    if (is_space(c) && scan->state != INSIDE)
        return;
    switch ((enum state)scan->state) {
    case START:
        scan->state = c == '{' ? MEMBER : END;
        break;
    case MEMBER:
        if (c == '"')
            name_begin(scan);
        else
            scan->state = END;
        break;
    case COLON:
        scan->state = c == ':' ? VALUE : END;
        break;
    case VALUE:
        value_begin(scan);
        inside_add(scan, c);
        break;
    case INSIDE:
        inside_add(scan, c);
        break;
    case NAME:
    case END:
        break;
    }
}

void
mica_id_scan(struct mica_id_scan *scan, struct mica_text text)
{
    for (size_t i = 0; i < text.len && scan->state != END; i++)
        scan_byte(scan, text.ptr[i]);
}

// A string, or digits with an optional minus: nothing that a double could bend
// [BASE-ID].
bool
mica_id_is_valid(const struct mica_json *id)
{
    if (id->raw.len > MICA_ID_BYTES)
        return false;
    if (id->kind == MICA_JSON_STRING)
        return true;
    if (id->kind != MICA_JSON_NUMBER)
        return false;
    for (size_t i = 0; i < id->text.len; i++) {
        if (memchr("-0123456789", id->text.ptr[i], 11) == NULL)
            return false;
    }
    return true;
}

struct mica_text
mica_id_scan_found(const struct mica_id_scan *scan)
{
    const struct mica_text none = {NULL, 0};
    struct mica_text id = {scan->id, scan->id_size};
    struct mica_arena arena;
    struct mica_json value;

    // Only if its end was seen: 12 could be the beginning of 123.
    if (scan->ids != 1 || scan->wanted || !scan->method || scan->answer ||
        id.len > sizeof scan->id)
        return none;
    while (id.len > 0 && is_space(id.ptr[id.len - 1]))
        id.len--;
    mica_arena_init(&arena, 16 << 10);
    bool valid = mica_json_read(&arena, id, NULL, NULL, &value) == MICA_OK &&
                 mica_id_is_valid(&value);
    mica_arena_fini(&arena);
    return valid ? id : none;
}

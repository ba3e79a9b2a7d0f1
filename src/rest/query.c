// SPDX-License-Identifier: Apache-2.0
//
// Strict: what is no well-formed query is refused, not guessed at, so that two
// queries that read the same are the same.
#include "rest/query.h"

#include "base/ascii.h"

enum {
    SHOWN_BYTES = 80 // of what is wrong
};

static enum mica_status
query_bad(struct mica_error *error, struct mica_text part, const char *what)
{
    // A refusal is JSON: bytes that are no text have no place in it.
    part = mica_utf8_cut(part, SHOWN_BYTES);
    return mica_error_set(error, MICA_E_FORMAT, "",
                          "the query has %s in \"%.*s\"; write it as "
                          "name=value&name=value, percent-encoded UTF-8",
                          what, MICA_ARG(part));
}

// One name or value into `room`, which is large enough.
static enum mica_status
query_decode(struct mica_text part, char *room, struct mica_error *error,
             struct mica_text *text_out)
{
    size_t length = 0;

    for (size_t i = 0; i < part.len; i++) {
        char c = part.ptr[i];
        if (c == '+') {
            c = ' ';
        } else if (c == '%') {
            int high = i + 1 < part.len ? mica_ascii_hex(part.ptr[i + 1]) : -1;
            int low = i + 2 < part.len ? mica_ascii_hex(part.ptr[i + 2]) : -1;
            if (high < 0 || low < 0)
                return query_bad(error, part, "a \"%\" without two digits");
            c = (char)(unsigned char)(high * 16 + low);
            i += 2;
        }
        if (c == '\0')
            return query_bad(error, part, "a NUL");
        room[length++] = c;
    }
    *text_out = (struct mica_text){room, length};
    return mica_utf8_valid(*text_out) == length
               ? MICA_OK
               : query_bad(error, part, "bytes that are no UTF-8");
}

static enum mica_status
query_take(struct mica_text part, char *room, struct mica_query *query,
           struct mica_error *error)
{
    struct mica_pair *pair = &query->pairs[query->count];
    size_t equals = 0;

    while (equals < part.len && part.ptr[equals] != '=')
        equals++;
    if (query->count == MICA_QUERY_PAIRS)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the query has more than %d parts; POST the "
                              "arguments as JSON",
                              MICA_QUERY_PAIRS);
    if (equals == 0)
        return query_bad(error, part, "a part without a name");
    MICA_TRY(query_decode(mica_text_slice(part, 0, equals), room, error,
                          &pair->name));
    MICA_TRY(query_decode(mica_text_slice(part, equals + 1, part.len),
                          room + equals, error, &pair->value));
    query->count++;
    return MICA_OK;
}

enum mica_status
mica_query_read(struct mica_arena *arena, struct mica_text query,
                struct mica_error *error, struct mica_query *query_out)
{
    char *room = mica_arena_alloc(arena, query.len + 1);

    query_out->count = 0;
    query_out->pairs =
        mica_arena_zero(arena, MICA_QUERY_PAIRS, sizeof *query_out->pairs);
    if (query.len > MICA_QUERY_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the query is longer than %d bytes; POST the "
                              "arguments as JSON",
                              MICA_QUERY_BYTES);
    if (room == NULL || query_out->pairs == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    for (size_t begin = 0; begin < query.len;) {
        size_t end = begin;
        while (end < query.len && query.ptr[end] != '&')
            end++;
        if (end > begin) // "a=1&&b=2" and "a=1&" are meant well
            MICA_TRY(query_take(mica_text_slice(query, begin, end),
                                room + begin, query_out, error));
        begin = end + 1;
    }
    return MICA_OK;
}

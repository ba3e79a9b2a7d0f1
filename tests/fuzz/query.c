// SPDX-License-Identifier: Apache-2.0
//
// A query into pairs, and these into the JSON of a call by a schema with every kind
// of argument. What is accepted is UTF-8 without NUL and one JSON object; written
// again with every byte encoded, it reads the same.
#include <string.h>

#include "rest/query.h"
#include "target.h"

static const char schema_text[] =
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"number\"},\"b\":{"
    "\"type\":\"boolean\"},\"c\":{\"type\":\"string\"},\"d\":{\"type\":["
    "\"string\",\"null\"]},\"e\":{\"type\":\"array\",\"items\":{\"type\":"
    "\"number\"}},\"f\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"g\":{\"type\":\"object\",\"properties\":{\"h\":{\"type\":\"integer\"},"
    "\"i\":{}}},\"j\":{},\"k.l\":{\"type\":\"integer\"}}}";

// Every byte as %XX.
static void
encode(struct mica_buffer *out, struct mica_text text)
{
    for (size_t i = 0; i < text.len; i++)
        mica_buffer_format(out, "%%%02x", (unsigned char)text.ptr[i]);
}

static void
read_again(const struct mica_query *query, struct mica_arena *arena)
{
    struct mica_buffer text;
    struct mica_query again;

    mica_buffer_init(&text, arena, 1 << 20);
    for (size_t i = 0; i < query->count; i++) {
        encode(&text, query->pairs[i].name);
        mica_buffer_char(&text, '=');
        encode(&text, query->pairs[i].value);
        mica_buffer_char(&text, '&');
    }
    if (text.len > MICA_QUERY_BYTES)
        return;
    FUZZ_MUST(mica_query_read(arena, mica_buffer_as_text(&text), NULL,
                              &again) == MICA_OK);
    FUZZ_MUST(again.count == query->count);
    for (size_t i = 0; i < query->count; i++) {
        FUZZ_MUST(mica_text_equal(again.pairs[i].name, query->pairs[i].name));
        FUZZ_MUST(mica_text_equal(again.pairs[i].value, query->pairs[i].value));
    }
}

static void
check_text(struct mica_text text)
{
    FUZZ_MUST(mica_utf8_valid(text) == text.len);
    FUZZ_MUST(text.len == 0 || memchr(text.ptr, '\0', text.len) == NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_text input = {(const char *)bytes, size}, json;
    struct mica_json schema, value;
    struct mica_query query;
    struct mica_error error;
    struct mica_arena arena;

    if (size > 8 * 1024)
        return 0;
    mica_arena_init(&arena, 32 << 20);
    FUZZ_MUST(mica_json_read(&arena, mica_text(schema_text), NULL, NULL,
                             &schema) == MICA_OK);
    if (mica_query_read(&arena, input, &error, &query) == MICA_OK) {
        for (size_t i = 0; i < query.count; i++) {
            FUZZ_MUST(query.pairs[i].name.len > 0);
            check_text(query.pairs[i].name);
            check_text(query.pairs[i].value);
        }
        read_again(&query, &arena);
        if (mica_pairs_read(&arena, &schema, query.pairs, query.count, "this",
                            &error, &json) == MICA_OK)
            FUZZ_MUST(mica_json_read(&arena, json, NULL, NULL, &value) ==
                          MICA_OK &&
                      value.kind == MICA_JSON_OBJECT);
        else
            FUZZ_MUST(error.status != MICA_OK && error.message[0] != '\0');
    }
    mica_arena_fini(&arena);
    return 0;
}

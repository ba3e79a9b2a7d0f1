// SPDX-License-Identifier: Apache-2.0
//
// The GraphQL of examples/graphql. A document that is read is within its limits, and its names
// are of the text; one that is not has a code, a message and a place.
#include <string.h>

#include "../../examples/graphql/graphql_query.h"
#include "target.h"

enum {
    MEMORY_BYTES = 256 << 10
};

static void
check_part(struct mica_text text, struct mica_text part)
{
    FUZZ_MUST(part.len > 0 && part.ptr >= text.ptr &&
              part.ptr + part.len <= text.ptr + text.len);
}

static size_t
check_selection(struct mica_text text, const struct graphql_field *field,
                size_t depth)
{
    size_t count = 0;

    FUZZ_MUST(depth <= GRAPHQL_DEPTH);
    for (; field != NULL; field = field->next) {
        check_part(text, field->name);
        FUZZ_MUST(field->argument_count <= GRAPHQL_ARGUMENTS);
        for (size_t i = 0; i < field->argument_count; i++)
            check_part(text, field->arguments[i].name);
        count++;
        if (field->selection != NULL)
            count += check_selection(text, field->selection, depth + 1);
    }
    FUZZ_MUST(count > 0 && count <= GRAPHQL_FIELDS);
    return count;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct mica_text text = {(const char *)bytes, size};
    struct mica_json variables;
    struct graphql_query query;
    struct graphql_fault fault = {0};
    struct mica_arena arena;

    mica_arena_init(&arena, MEMORY_BYTES);
    FUZZ_MUST(mica_json_read(&arena, MICA_LITERAL("{\"a\":\"x\",\"n\":1}"),
                             NULL, NULL, &variables) == MICA_OK);
    if (graphql_read(&arena, text, &variables, &query, &fault)) {
        FUZZ_MUST(size <= GRAPHQL_BYTES);
        check_selection(text, query.selection, 1);
    } else {
        FUZZ_MUST(fault.code != NULL && fault.message[0] != '\0');
        FUZZ_MUST(strlen(fault.message) < sizeof fault.message);
        FUZZ_MUST(fault.at <= size);
    }
    mica_arena_fini(&arena);
    return 0;
}

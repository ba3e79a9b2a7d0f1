// SPDX-License-Identifier: Apache-2.0
//
// Validation: the first line of the input is a schema, the rest a value. The
// same schema, applied from another one that tracks what is evaluated, or twice
// negated, gives the same answer.
#include <string.h>

#include <mica/schema.h>

#include "target.h"

static struct mica_text
rest_of(struct mica_text all, struct mica_text first)
{
    return mica_text_slice(all, first.len + 1, all.len);
}

// The answer of a schema that refers to `document`; MICA_E_LIMIT when there is
// none.
static enum mica_status
answer(struct mica_text schema, struct mica_text document,
       const struct mica_json *value, struct mica_arena *arena)
{
    const struct mica_schema_limits limits = {.steps = 300000, .errors = 3};
    const struct mica_schema_document other = {MICA_LITERAL("urn:fuzz"),
                                               document};
    const struct mica_schema_options options = {.documents = &other,
                                                .document_count = 1,
                                                .subschemas = 1000,
                                                .assert_formats = true};
    struct mica_schema_report report;
    struct mica_error error;
    struct mica_schema *program;

    if (mica_schema_compile(arena, schema, &options, &error, &program) !=
        MICA_OK)
        return MICA_E_LIMIT;
    enum mica_status status =
        mica_schema_validate(program, value, &limits, arena, &report);
    FUZZ_MUST((status == MICA_OK) == (report.count == 0));
    for (size_t i = 0; i < report.count; i++)
        FUZZ_MUST(mica_json_pointer_get(value, report.errors[i].value_path) !=
                  NULL);
    return status;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const same[] = {
        "{\"allOf\":[{\"$ref\":\"urn:fuzz\"}],\"unevaluatedProperties\":true,"
        "\"unevaluatedItems\":true}",
        "{\"not\":{\"not\":{\"$ref\":\"urn:fuzz\"}}}",
        "{\"oneOf\":[false,{\"$ref\":\"urn:fuzz\",\"title\":\"\"}]}"};
    struct mica_text all = {(const char *)bytes, size}, schema;
    const char *line_end = size > 0 ? memchr(bytes, '\n', size) : NULL;
    struct mica_arena arena;
    struct mica_json value;

    if (line_end == NULL || size > 16 * 1024)
        return 0;
    schema = (struct mica_text){all.ptr, (size_t)(line_end - all.ptr)};
    mica_arena_init(&arena, 64 << 20);
    if (mica_json_read(&arena, rest_of(all, schema), NULL, NULL, &value) ==
        MICA_OK) {
        enum mica_status first = answer(MICA_LITERAL("{\"$ref\":\"urn:fuzz\"}"),
                                        schema, &value, &arena);
        for (size_t i = 0; i < MICA_COUNT(same) && first != MICA_E_LIMIT; i++) {
            enum mica_status second =
                answer(mica_text(same[i]), schema, &value, &arena);
            if (second != MICA_E_LIMIT)
                FUZZ_MUST((first == MICA_OK) == (second == MICA_OK));
        }
    }
    mica_arena_fini(&arena);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a schema: it compiles, or is refused with a reason. Then it is
// asked about itself and some values, and answers the same with a report as
// without.
#include <string.h>

#include <mica/schema.h>

#include "target.h"

static void
ask(const struct mica_schema *schema, struct mica_text text)
{
    static const struct mica_schema_limits limits = {.steps = 100000};
    struct mica_schema_report report;
    struct mica_arena scratch;
    struct mica_json value;

    mica_arena_init(&scratch, 16 << 20);
    if (mica_json_read(&scratch, text, NULL, NULL, &value) == MICA_OK) {
        enum mica_status status =
            mica_schema_validate(schema, &value, &limits, &scratch, &report);
        enum mica_status quick =
            mica_schema_validate(schema, &value, &limits, &scratch, NULL);
        FUZZ_MUST((status == MICA_OK) == (report.count == 0));
        if (status == MICA_OK || quick == MICA_OK)
            FUZZ_MUST(status == quick);
        for (size_t i = 0; i < report.count; i++)
            FUZZ_MUST(report.errors[i].status != MICA_OK &&
                      report.errors[i].message.len > 0);
    }
    mica_arena_fini(&scratch);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const values[] = {
        "null",
        "true",
        "-1.50",
        "\"ab\"",
        "[1,1.0,[],{\"a\":\"b\"}]",
        "{\"a\":{\"a\":[{\"b\":1}]},\"b\":null,\"foo\":\"bar\"}"};
    const struct mica_schema_document document = {
        MICA_LITERAL("urn:other"),
        MICA_LITERAL("{\"$dynamicAnchor\":\"node\",\"items\":{\"$dynamicRef\":"
                     "\"#node\"},\"$defs\":{\"a\":{\"type\":\"string\"}}}")};
    struct mica_schema_options options = {
        .documents = &document, .document_count = 1, .subschemas = 1000};
    struct mica_text text = {(const char *)bytes, size};
    struct mica_error error = {.status = MICA_OK};
    struct mica_arena arena;
    struct mica_schema *schema;

    if (size > 16 * 1024)
        return 0;
    options.assert_formats = size % 2 == 0;
    mica_arena_init(&arena, 64 << 20);
    if (mica_schema_compile(&arena, text, &options, &error, &schema) ==
        MICA_OK) {
        ask(schema, text);
        for (size_t i = 0; i < MICA_COUNT(values); i++)
            ask(schema, mica_text(values[i]));
    } else {
        FUZZ_MUST(error.status != MICA_OK && error.message[0] != '\0');
    }
    mica_arena_fini(&arena);
    return 0;
}

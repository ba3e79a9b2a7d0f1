// SPDX-License-Identifier: Apache-2.0
//
// schemas: reads pairs of lines, a schema and a value, and prints "valid" or "invalid" for
// each: what mica's own validator says of what views check by web/view/schema.js.
#include <stdio.h>
#include <string.h>

#include <mica/schema.h>

enum {
    MEMORY_BYTES = 1 << 20,
    LINE_BYTES = 1 << 16
};

static enum mica_status
judge(struct mica_arena *arena, const char *schema_text, const char *value_text,
      struct mica_error *error)
{
    struct mica_schema_report report;
    struct mica_schema *schema;
    struct mica_json value;

    MICA_TRY(mica_schema_compile(arena, mica_text(schema_text), NULL, error,
                                 &schema));
    MICA_TRY(mica_json_read(arena, mica_text(value_text), NULL, error, &value));
    return mica_schema_validate(schema, &value, NULL, arena, &report);
}

static bool
read_line(char *line)
{
    if (fgets(line, LINE_BYTES, stdin) == NULL)
        return false;
    line[strcspn(line, "\n")] = '\0';
    return true;
}

int
main(void)
{
    static char schema[LINE_BYTES];
    static char value[LINE_BYTES];

    while (read_line(schema) && read_line(value)) {
        struct mica_error error = {.status = MICA_OK};
        struct mica_arena arena;
        enum mica_status status;

        mica_arena_init(&arena, MEMORY_BYTES);
        status = judge(&arena, schema, value, &error);
        if (error.status != MICA_OK)
            printf("%s: %s\n", error.code, error.message);
        else
            printf("%s\n", status == MICA_OK ? "valid" : "invalid");
        mica_arena_fini(&arena);
    }
    return 0;
}

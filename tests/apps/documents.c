// SPDX-License-Identifier: Apache-2.0
//
// apps-widget LAYOUT [tool|message] [THEME.json] < DATA: writes the document of a widget, as
// a publish would. DATA is empty, {"data": …} or {"failure": "words"}; "mock" stands for the
// layout's mock data. apps-widget --schemas: writes {LAYOUT: {"schema", "mock"}} instead.
#include <stdio.h>
#include <string.h>

#include "apps/layout.h"
#include "apps/widget.h"

static char input[1 << 20], theme_text[1 << 16];

static struct mica_text
read_all(FILE *file, char *into, size_t most)
{
    return (struct mica_text){into, fread(into, 1, most, file)};
}

static int
write_schemas(void)
{
    for (size_t i = 0; i < MICA_LAYOUTS; i++) {
        const struct mica_app_layout_row *row = &mica_app_layouts[i];
        printf("%s\"%s\":{\"schema\":%s,\"mock\":%s}", i == 0 ? "{" : ",",
               row->name.ptr, row->schema.ptr, row->mock.ptr);
    }
    puts("}");
    return 0;
}

static int
fail(const struct mica_error *error)
{
    fprintf(stderr, "%s: %s\n", error->code, error->message);
    return 1;
}

int
main(int argc, char **argv)
{
    struct mica_arena arena;
    struct mica_error error;
    struct mica_json given = {0}, theme;
    struct mica_buffer html;
    struct mica_widget_parts parts = {.title =
                                          MICA_LITERAL("A <test> & \"app\""),
                                      .tool = MICA_LITERAL("get_it")};

    if (argc > 1 && strcmp(argv[1], "--schemas") == 0)
        return write_schemas();
    mica_arena_init(&arena, 64 << 20);
    mica_buffer_init(&html, &arena, 2 << 20);
    parts.layout = argc > 1 ? mica_app_layout_find(mica_text(argv[1])) : NULL;
    if (parts.layout == NULL)
        return 2;
    parts.submit = argc > 2 && strcmp(argv[2], "tool") == 0
                       ? MICA_WIDGET_SUBMIT_TOOL
                       : MICA_WIDGET_SUBMIT_MESSAGE;
    if (argc > 3) {
        FILE *file = fopen(argv[3], "rb");
        if (file == NULL ||
            mica_json_read(&arena,
                           read_all(file, theme_text, sizeof theme_text), NULL,
                           &error, &theme) != MICA_OK)
            return 2;
        fclose(file);
        parts.theme = &theme;
    }
    struct mica_text text = read_all(stdin, input, sizeof input);
    if (mica_text_is(text, "mock")) {
        parts.data = parts.layout->mock;
    } else if (text.len > 0) {
        if (mica_json_read(&arena, text, NULL, &error, &given) != MICA_OK)
            return fail(&error);
        if (mica_json_get(&given, "data") != NULL)
            parts.data = mica_json_get(&given, "data")->raw;
        parts.failure = mica_json_get_text(&given, "failure");
    }
    if (mica_widget_write(&parts, &arena, &error, &html) != MICA_OK)
        return fail(&error);
    fwrite(html.ptr, 1, html.len, stdout);
    mica_arena_fini(&arena);
    return 0;
}

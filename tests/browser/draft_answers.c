// SPDX-License-Identifier: Apache-2.0
//
// draft_answers FILE…: what the server finds in each file as a draft, and its preview: one
// line of JSON a file, {"draft", "findings", "preview"}, all texts. The test of
// app-rules.wasm compares with it. Files that are no UTF-8 are left out, as no JavaScript
// string is one of them.
#include <stdio.h>
#include <stdlib.h>

#include <mica/json.h>

#include "apps/app_rules.h"
#include "apps/draft_answer.h"

enum {
    FILE_BYTES = 1 << 20,
    LINE_BYTES = 8 << 20
};

static char bytes[FILE_BYTES];

static struct mica_text
answer_of(bool (*answer)(struct mica_text, struct mica_arena *,
                         struct mica_buffer *),
          struct mica_text draft, struct mica_arena *arena)
{
    struct mica_buffer out;

    mica_buffer_init(&out, arena, MICA_DRAFT_ANSWER_BYTES);
    (void)answer(draft, arena, &out);
    if (out.overflow)
        abort();
    return mica_buffer_as_text(&out);
}

static void
print_answers(struct mica_text draft)
{
    struct mica_json_writer writer;
    struct mica_buffer line;
    struct mica_arena arena;

    mica_arena_init(&arena, 8 * MICA_APP_CHECK_BYTES);
    mica_buffer_init(&line, &arena, LINE_BYTES);
    mica_json_writer_init(&writer, &line);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "draft", draft);
    mica_json_field(&writer, "findings",
                    answer_of(mica_draft_findings, draft, &arena));
    mica_json_field(&writer, "preview",
                    answer_of(mica_draft_preview, draft, &arena));
    mica_json_close_object(&writer);
    if (line.overflow)
        abort();
    (void)fwrite(line.ptr, 1, line.len, stdout);
    (void)putchar('\n');
    mica_arena_fini(&arena);
}

int
main(int count, char **files)
{
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(files[i], "rb");
        struct mica_text draft = {bytes, 0};
        if (file == NULL) {
            perror(files[i]);
            return 1;
        }
        draft.len = fread(bytes, 1, sizeof bytes, file);
        (void)fclose(file);
        if (mica_utf8_valid(draft) == draft.len)
            print_answers(draft);
    }
    return 0;
}

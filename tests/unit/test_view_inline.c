// SPDX-License-Identifier: Apache-2.0
//
// How the build makes the document of a view self-contained.
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build/view_inline.h"

static struct mica_arena arena;
static struct mica_error error;

// The document with "RUNTIME" in place of the module.
static const char *
inlined(const char *document)
{
    struct mica_buffer out;
    char *text, *at;
    size_t length;

    mica_arena_init(&arena, 64 << 20);
    mica_buffer_init(&out, &arena, 8 << 20);
    if (mica_view_inline(mica_text(document), &out, &error) != MICA_OK)
        return "(refused)";
    mica_buffer_char(&out, '\0');
    ck_assert(!out.overflow);
    text = out.ptr;
    at = strstr(text, "var micaView=(()=>{");
    if (at == NULL)
        return text;
    length =
        mica_asset_find(&mica_view_assets, MICA_LITERAL("view.js"))->bytes.len;
    memcpy(at, "RUNTIME", 7);
    memmove(at + 7, at + length, strlen(at + length) + 1);
    return text;
}

#define MODULE(content) "<script type=\"module\">" content "</script>"

START_TEST(an_import_becomes_the_module)
{
    static const struct {
        const char *written, *read;
    } all[] = {
        {"import { App } from \"mica:view\";\nnew App();",
         "RUNTIMEconst { App } = micaView;\nnew App();"},
        {"\n  import {App,Peer as P , limits as most}from 'mica:view'\nP;",
         "\n  RUNTIMEconst { App, Peer: P, limits: most } = micaView;\nP;"},
        {"import * as view from \"mica:view\";",
         "RUNTIMEconst view = micaView;"},
        {"import{App}from\"mica:view\";import{Peer}from\"mica:view\";",
         "RUNTIMEconst { App } = micaView;const { Peer } = micaView;"},
        {"const important = 1; x.import; import.meta; import(\"a\");",
         "const important = 1; x.import; import.meta; import(\"a\");"},
        // No statement begins in a text, and in one without an end neither.
        {"import a from \"mica:;import * as v from 'mica:view'",
         "import a from \"mica:;import * as v from 'mica:view'"},
        {"import a from \"mica:\nimport { App } from 'mica:view'",
         "import a from \"mica:\nRUNTIMEconst { App } = micaView;"},
        {"1 // import { App } from \"mica:view\"",
         "1 // import { App } from \"mica:view\""},
        {"", ""},
    };

    for (size_t i = 0; i < MICA_COUNT(all); i++) {
        char written[512], read[512];
        (void)snprintf(written, sizeof written, "<p>a" MODULE("%s") "<b></b>",
                       all[i].written);
        (void)snprintf(read, sizeof read, "<p>a" MODULE("%s") "<b></b>",
                       all[i].read);
        ck_assert_str_eq(inlined(written), read);
        mica_arena_fini(&arena);
    }
}
END_TEST

START_TEST(other_documents_stay_as_they_are)
{
    static const char *const all[] = {
        "<!doctype html><p>text",
        "<script>import { App } from \"mica:view\";</script>",
        "<!-- " MODULE("import { App } from \"mica:view\";") " -->",
        "<script type=module src=https://a.example/x.js></script>",
        MODULE("") "<p>" MODULE("one();") "<p>" MODULE("") "<p>",
        MODULE("one();") "<script type=module",
    };

    for (size_t i = 0; i < MICA_COUNT(all); i++) {
        ck_assert_str_eq(inlined(all[i]), all[i]);
        mica_arena_fini(&arena);
    }
}
END_TEST

START_TEST(what_a_view_cannot_import_is_refused)
{
    static const struct {
        const char *document, *says;
    } all[] = {
        {MODULE("import { x } from \"./other.js\";"), "\"./other.js\""},
        {MODULE("import \"https://a.example/x.js\";"), "may import nothing"},
        {MODULE("import { x } from \"mica:host\";"), "\"mica:host\""},
        {MODULE("import view from \"mica:view\";"), "form"},
        {MODULE("import \"mica:view\";"), "form"},
        {MODULE("import { App } from \"mica:view\";")
             MODULE("import { App } from \"mica:view\";"),
         "two scripts"},
        {"<script src=\"mica:view\"></script>", "src=\"mica:view\""},
    };

    for (size_t i = 0; i < MICA_COUNT(all); i++) {
        ck_assert_str_eq(inlined(all[i].document), "(refused)");
        ck_assert_int_eq(error.status, MICA_E_USAGE);
        ck_assert_msg(strstr(error.message, all[i].says) != NULL,
                      "%zu: no '%s' in: %s", i, all[i].says, error.message);
        mica_arena_fini(&arena);
    }
}
END_TEST

START_TEST(modules_that_stand_elsewhere_are_constants)
{
    static const struct mica_view_module modules[] = {
        {"/engines/x.js", "(await own)"}, {NULL, NULL}};
    static const struct {
        const char *content, *others, *alone; // alone NULL: refused
    } all[] = {
        {"import engine from \"/engines/x.js\";",
         "const { default: engine } = (await own);",
         "const { default: engine } = (await own);"},
        {"import * as x from '/engines/x.js'", "const x = (await own);",
         "const x = (await own);"},
        {"import { a } from \"/b.js\";", "import { a } from \"/b.js\";", NULL},
        {"import view from \"mica:view\";", NULL, NULL},
        {"import x, { y } from \"/engines/x.js\";", NULL, NULL},
    };

    for (size_t i = 0; i < MICA_COUNT(all) * 2; i++) {
        bool others = i % 2 == 0, used = true;
        const struct mica_view_imports imports = {modules, others, &used};
        const char *wanted = others ? all[i / 2].others : all[i / 2].alone;
        struct mica_buffer document, out;
        mica_arena_init(&arena, 64 << 20);
        mica_buffer_init(&document, &arena, 1 << 20);
        mica_buffer_init(&out, &arena, 8 << 20);
        mica_buffer_format(&document, MODULE("%s"), all[i / 2].content);
        bool done = mica_view_inline_with(mica_buffer_as_text(&document),
                                          &imports, &out, &error) == MICA_OK;
        ck_assert_msg(done == (wanted != NULL), "%zu: %s", i, error.message);
        if (done) {
            document.len = 0;
            mica_buffer_format(&document, MODULE("%s"), wanted);
            ck_assert_msg(mica_text_equal(mica_buffer_as_text(&document),
                                          mica_buffer_as_text(&out)),
                          "%zu: %.*s", i, MICA_ARG(mica_buffer_as_text(&out)));
            ck_assert(!used);
        }
        mica_arena_fini(&arena);
    }
}
END_TEST

START_TEST(no_script_of_mica_ends_the_script_it_is_in)
{
    struct mica_text runtime =
        mica_asset_find(&mica_view_assets, MICA_LITERAL("view.js"))->bytes;
    char *copy = malloc(runtime.len + 1);

    ck_assert_ptr_nonnull(copy);
    memcpy(copy, runtime.ptr, runtime.len);
    copy[runtime.len] = '\0';
    ck_assert_ptr_null(strcasestr(copy, "</script"));
    ck_assert_ptr_null(strstr(copy, "<!--"));
    ck_assert_ptr_nonnull(strstr(copy, "ui/initialize"));
    free(copy);
}
END_TEST

UNIT_MAIN("view_inline", an_import_becomes_the_module,
          other_documents_stay_as_they_are,
          what_a_view_cannot_import_is_refused,
          modules_that_stand_elsewhere_are_constants,
          no_script_of_mica_ends_the_script_it_is_in)

// SPDX-License-Identifier: Apache-2.0
//
// The build driver from source to loaded engine: names, what compilers say,
// what is built again and what is not, that a failure leaves the last good
// files, and that the same source gives the same bytes everywhere.
#include "test_build.h"

#include <sys/wait.h>
#include <unistd.h>

#include "build/files.h"
#include "build/folder_lock.h"
#include "build/process.h"
#include "platform/clock.h"
#include "sandbox/sandbox.h"
#include "sandbox/seal.h"

#define GOOD BEFORE HANDLER "out->b = in->a * 2;" AFTER("good")

// Calls the engine in the test's out folder.
static void
gives(const struct bench *bench, const char *slug, const char *arguments,
      const char *output)
{
    struct mica_module *module;
    struct mica_error error;
    struct mica_arena arena;
    struct mica_call call;
    enum mica_status status =
        mica_module_open(bench->out, slug, &error, &module);
    ck_assert_msg(status == MICA_OK, "%s", error.message);
    mica_arena_init(&arena, 1 << 20);
    mica_call_init(&call, &arena);
    mica_sandbox_run(module, &call, mica_text(arguments));
    ck_assert_msg(mica_text_is(call.result.structured, output), "%.*s %s",
                  MICA_ARG(call.result.structured), call.error.message);
    mica_arena_fini(&arena);
    mica_module_release(&module);
}

// ---- What comes out ----------------------------------------------------------------

START_TEST(an_engine_becomes_files_that_run)
{
    struct bench bench;
    open_bench(&bench);
    write_source(&bench, "good.c", GOOD);
    builds_to(&bench, "good.c", MICA_OK, "");
    ck_assert_int_eq(bench.outcome, MICA_BUILT);
    ck_assert(shell(&bench, "test \"$(ls out | wc -l)\" = 9"));
    ck_assert(shell(&bench, "test -f out/good-$(sha256sum out/good.wasm | "
                            "cut -c1-64).so"));
    ck_assert(shell(&bench,
                    "grep -q '^{\"slug\":\"good\",.*\"sha256\":\"'$("
                    "sha256sum out/good.wasm | cut -c1-64)"
                    "'\",\"size\":'$(stat -c %s out/good.wasm)"
                    "',\"twin\":\"'$(sha256sum out/good.twin.js | cut -c1-64)"
                    "'\",\"abi\":3,\"build\":\"' out/good.json"));
    gives(&bench, "good", "{\"a\":21,\"t\":\"\"}", "{\"b\":42}");
    close_bench(&bench);
}
END_TEST

// An element before the doctype would change how browsers lay the page out.
START_TEST(design_and_engine_follow_the_doctype_of_a_page)
{
    static const char map[] = "</style>\n<script type=\"importmap\">";
    static const char *const befores[] = {
        "<!doctype html>",
        "<!-- <!doctype> -->\n <!DOCTYPE\nhtml>",
        "\xEF\xBB\xBF<!doctype html>",
        "\xEF\xBB\xBF",
        "",
    };
    for (size_t i = 0; i < MICA_COUNT(befores); i++) {
        char page[256], path[PATH_MAX];
        struct mica_text made;
        struct mica_arena arena;
        struct bench bench;
        open_bench(&bench);
        mica_arena_init(&arena, 16 << 20);
        write_source(&bench, "good.c", GOOD);
        (void)snprintf(page, sizeof page, "%s<p>A doctype: <!doctype>.</p>",
                       befores[i]);
        write_source(&bench, "good.html", page);
        builds_to(&bench, "good.c", MICA_OK, "");
        ck_assert_int_eq(mica_path(path, NULL, "%s/good.html", bench.out),
                         MICA_OK);
        ck_assert_int_eq(mica_file_read(&arena, path, NULL, &made), MICA_OK);
        size_t length = strlen(befores[i]);
        ck_assert(mica_text_starts(made, befores[i]));
        made = mica_text_slice(made, length, made.len);
        ck_assert_uint_eq(mica_text_starts(made, "<style>/* SPDX-"), true);
        ck_assert_ptr_eq(memmem(made.ptr, made.len, "</style>", 8),
                         memmem(made.ptr, made.len, map, strlen(map)));
        ck_assert(shell(&bench, "grep -q '\"page\":\"'$(sha256sum "
                                "out/good.html | cut -c1-64) out/good.json"));
        mica_arena_fini(&arena);
        close_bench(&bench);
    }
}
END_TEST

// Browsers take one import map, and the engine is imported through one.
START_TEST(a_page_has_no_import_map_of_its_own)
{
    static const struct {
        const char *page;
        bool good;
    } pages[] = {
        {"<script type=\"importmap\">{}</script>", false},
        {"<!doctype html>\n<SCRIPT\nasync TYPE = 'ImportMap' >{}</SCRIPT>",
         false},
        {"<script>1</script><script data-type=x type=importmap>{}</script>",
         false},
        {"<p>type=\"importmap\"</p><script type=\"module\" id=\"importmap\">"
         "let type = 'importmap';</script>",
         true},
        {"<script type=", true},
        {"<script type", true},
    };
    for (size_t i = 0; i < MICA_COUNT(pages); i++) {
        struct bench bench;
        open_bench(&bench);
        write_source(&bench, "good.c", GOOD);
        write_source(&bench, "good.html", pages[i].page);
        builds_to(&bench, "good.c", pages[i].good ? MICA_OK : MICA_E_BUILD,
                  pages[i].good ? "" : "an import map of its own");
        close_bench(&bench);
    }
}
END_TEST

// With .view the page may load what that declares, and has to be a view.
START_TEST(an_engine_says_more_of_the_view_that_its_page_is)
{
    static const char page[] =
        "<link rel=\"stylesheet\" href=\"https://cdn.example.com/a.css\">";
    static const struct {
        const char *view, *page, *wrong; // wrong "": it builds
    } all[] = {
        {".file = \"good.html\", .title = \"Good\", .border = MICA_BORDERLESS,"
         " .permissions = MICA_CAMERA, "
         ".resource_domains = MICA_DOMAINS(\"https://cdn.example.com\")",
         page, ""},
        {".file = \"good.html\"", page, "cdn.example.com"},
        {".file = \"good.html\"", NULL, "write .file = \"good.html\""},
        {".file = \"other.html\"", page, "write .file = \"good.html\""},
        {".html = \"<p>\"", page, "write .file = \"good.html\""},
        {".file = \"good.html\", "
         ".connect_domains = MICA_DOMAINS(\"https://a/b;c\")",
         page, "connect_domains"},
    };
    for (size_t i = 0; i < MICA_COUNT(all); i++) {
        char source[4096];
        struct bench bench;
        open_bench(&bench);
        (void)snprintf(source, sizeof source,
                       BEFORE "MICA_VIEW(page, %s);\n" HANDLER
                              "out->b = in->a * 2;\nreturn MICA_OK;\n}\n"
                              "MICA_ENGINE(good, input, output, handle, "
                              ".title = \"T\", .category = \"test\", "
                              ".description = \"For a test.\", "
                              ".view = &mica_view_page);\n",
                       all[i].view);
        write_source(&bench, "good.c", source);
        if (all[i].page != NULL)
            write_source(&bench, "good.html", all[i].page);
        builds_to(&bench, "good.c",
                  *all[i].wrong == '\0' ? MICA_OK : MICA_E_BUILD, all[i].wrong);
        ck_assert(*all[i].wrong != '\0' ||
                  shell(&bench, "grep -q '\"viewDeclared\":{\"title\":\"Good\","
                                "\"resourceDomains\":\\[\"https://cdn.example."
                                "com\"\\],\"permissions\":1,\"border\":2}' "
                                "out/good.json && test -e out/good.view.html"));
        close_bench(&bench);
    }
}
END_TEST

// What a page has to import to be one is for `mica check` to say.
START_TEST(a_page_is_a_view_unless_it_loads_what_a_view_cannot)
{
    static const struct {
        const char *page, *says; // "": it is a view
    } pages[] = {
        {"<script type=\"module\">import engine from \"/engines/good.js\";"
         "import { callText } from \"/engines/_engine.js\";</script>",
         ""},
        {"<script type=\"module\">import { App } from \"mica:view\";</script>",
         ""},
        {"<p>No script", ""},
        {"<script type=\"module\">import engine from \"/engines/other.js\";"
         "</script>",
         "no view"},
        {"<script type=\"module\">await import (\"/engines/good.js\")</script>",
         "import()"},
        {"<link rel=\"stylesheet\" href=\"/style.css\">", "/style.css"},
    };
    for (size_t i = 0; i < MICA_COUNT(pages); i++) {
        struct bench bench;
        open_bench(&bench);
        write_source(&bench, "good.c", GOOD);
        write_source(&bench, "good.html", pages[i].page);
        builds_to(&bench, "good.c", MICA_OK, "");
        ck_assert_msg(strstr(bench.diagnostics.ptr, pages[i].says) != NULL,
                      "%zu: %s", i, bench.diagnostics.ptr);
        ck_assert_msg(
            shell(&bench, *pages[i].says != '\0'
                              ? "! grep -q view out/good.json && test ! -e "
                                "out/good.view.html && test -e out/good.html"
                              : "grep -q '\"view\":\"'$(sha256sum "
                                "out/good.view.html | cut -c1-64) "
                                "out/good.json && ! grep 'from \"/engines' "
                                "out/good.view.html"),
            "%zu", i);
        close_bench(&bench);
    }
}
END_TEST

START_TEST(the_full_optimization_gives_the_same_answers)
{
    struct bench bench;
    open_bench(&bench);
    bench.options.fast = false;
    bench.options.object = true;
    write_source(&bench, "good.c", GOOD);
    builds_to(&bench, "good.c", MICA_OK, "");
    gives(&bench, "good", "{\"a\":21,\"t\":\"\"}", "{\"b\":42}");
    ck_assert(
        shell(&bench, "nm out/good.o | grep -q ' D mica_translated_good'"));
    close_bench(&bench);
}
END_TEST

START_TEST(the_same_source_gives_the_same_bytes_anywhere)
{
    struct bench one, two;
    open_bench(&one);
    open_bench(&two);
    one.options.object = two.options.object = true;
    // Another depth and a folder with a space.
    ck_assert(shell(&two, "mkdir 'a b'"));
    (void)snprintf(two.out, sizeof two.out, "%s/a b/out", two.folder);
    write_source(&one, "good.c", GOOD);
    write_source(&two, "a b/good.c", GOOD);
    builds_to(&one, "good.c", MICA_OK, "");
    builds_to(&two, "a b/good.c", MICA_OK, "");
    char command[PATH_MAX + 16];
    (void)snprintf(command, sizeof command, "diff -r out '%s'", two.out);
    ck_assert(shell(&one, command));
    close_bench(&one);
    close_bench(&two);
}
END_TEST

// ---- What is built again ---------------------------------------------------------------

START_TEST(only_a_change_is_built_again)
{
    struct bench bench;
    open_bench(&bench);
    write_source(&bench, "good.c", GOOD);
    builds_to(&bench, "good.c", MICA_OK, "");
    ck_assert(shell(&bench, "touch good.c"));
    builds_to(&bench, "good.c", MICA_OK, "");
    ck_assert_int_eq(bench.outcome, MICA_UP_TO_DATE);

    write_source(&bench, "good.c",
                 BEFORE HANDLER "out->b = in->a * 3;" AFTER("good"));
    builds_to(&bench, "good.c", MICA_OK, "");
    ck_assert_int_eq(bench.outcome, MICA_BUILT);
    gives(&bench, "good", "{\"a\":2,\"t\":\"\"}", "{\"b\":6}");
    // The translation of the module that is gone went with it.
    ck_assert(shell(&bench, "test \"$(ls out/*.so | wc -l)\" = 1"));

    bench.options.force = true;
    builds_to(&bench, "good.c", MICA_OK, "");
    ck_assert_int_eq(bench.outcome, MICA_BUILT);
    bench.options.force = false;
    bench.options.object = true;
    builds_to(&bench, "good.c", MICA_OK, "");
    ck_assert_int_eq(bench.outcome, MICA_BUILT);
    close_bench(&bench);
}
END_TEST

START_TEST(what_another_user_built_is_built_again)
{
    struct bench bench;
    open_bench(&bench);
    write_source(&bench, "good.c", GOOD);
    builds_to(&bench, "good.c", MICA_OK, "");
    builds_to(&bench, "good.c", MICA_OK, "");
    ck_assert_int_eq(bench.outcome, MICA_UP_TO_DATE);
    ck_assert(shell(&bench, "rm -r state"));
    builds_to(&bench, "good.c", MICA_OK, "");
    ck_assert_int_eq(bench.outcome, MICA_BUILT);
    // Who cannot say so builds every time, and is told.
    ck_assert_int_eq(setenv("XDG_STATE_HOME", "/proc/nowhere", 1), 0);
    builds_to(&bench, "good.c", MICA_OK, "");
    ck_assert_int_eq(bench.outcome, MICA_BUILT);
    ck_assert_ptr_nonnull(strstr(bench.diagnostics.ptr, "not sealed"));
    gives(&bench, "good", "{\"a\":21,\"t\":\"\"}", "{\"b\":42}");
    close_bench(&bench);
}
END_TEST

START_TEST(what_is_missing_or_damaged_is_built_again)
{
    static const char *const damage[] = {
        "rm out/good-*.so",          "rm out/good.wasm",
        "rm out/good.json",          "rm out/good.seal",
        "printf x >> out/good.wasm", "truncate -s +1 out/good-*.so",
        "printf x >> out/good.seal", "printf '{' > out/good.json"};
    struct bench bench;
    open_bench(&bench);
    write_source(&bench, "good.c", GOOD);
    builds_to(&bench, "good.c", MICA_OK, "");
    for (size_t i = 0; i < MICA_COUNT(damage); i++) {
        ck_assert(shell(&bench, damage[i]));
        builds_to(&bench, "good.c", MICA_OK, "");
        ck_assert_msg(bench.outcome == MICA_BUILT, "%s", damage[i]);
        gives(&bench, "good", "{\"a\":21,\"t\":\"\"}", "{\"b\":42}");
    }
    close_bench(&bench);
}
END_TEST

START_TEST(a_failed_build_leaves_the_last_good_files)
{
    struct bench bench;
    open_bench(&bench);
    write_source(&bench, "good.c", GOOD);
    builds_to(&bench, "good.c", MICA_OK, "");
    ck_assert(shell(&bench, "cp -r out before"));
    write_source(&bench, "good.c", BEFORE HANDLER "x" AFTER("good"));
    builds_to(&bench, "good.c", MICA_E_BUILD, "does not compile");
    write_source(&bench, "good.c",
                 BEFORE HANDLER "static int n; out->b = ++n;" AFTER("good"));
    builds_to(&bench, "good.c", MICA_E_IMPURE, "static n");
    write_source(&bench, "good.c", BEFORE HANDLER AFTER("other"));
    builds_to(&bench, "good.c", MICA_E_BUILD, "calls its engine other");
    ck_assert(shell(&bench, "diff -r out before"));
    close_bench(&bench);
}
END_TEST

START_TEST(what_a_killed_build_left_goes_away)
{
    struct bench bench;
    open_bench(&bench);
    write_source(&bench, "good.c", GOOD);
    ck_assert(shell(&bench, "mkdir -p out/.build-old out/.build-new out/.other "
                            "&& touch out/.build-old/x && touch -d '2 hours "
                            "ago' out/.build-old out/.other"));
    builds_to(&bench, "good.c", MICA_OK, "");
    ck_assert(shell(&bench, "test ! -e out/.build-old -a -e out/.build-new -a "
                            "-e out/.other && rmdir out/.build-new"));
    close_bench(&bench);
}
END_TEST

START_TEST(builds_of_one_folder_put_their_files_in_place_in_turn)
{
    struct bench bench;
    int lock, status;
    open_bench(&bench);
    write_source(&bench, "good.c", GOOD);
    ck_assert(shell(&bench, "mkdir -p out"));
    ck_assert_int_eq(mica_folder_lock(bench.out, 0, NULL, &lock), MICA_OK);
    pid_t child = fork();
    if (child == 0) {
        (void)close(lock); // or it would keep its own parent's lock
        _exit(build(&bench, "good.c") == MICA_OK ? 0 : 1);
    }
    // All is made, and has to wait.
    ck_assert(shell(&bench, "for i in $(seq 300); do test -e out/.b*/engine.so "
                            "&& break; sleep 0.1; done; sleep 0.3; "
                            "test -e out/.b*/engine.so && ls out | "
                            "if grep -q .; then false; fi"));
    ck_assert_int_eq(close(lock), 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    gives(&bench, "good", "{\"a\":21,\"t\":\"\"}", "{\"b\":42}");
    close_bench(&bench);
}
END_TEST

// Each user who may list the folder may lock it; so may a build that was stopped.
START_TEST(a_folder_that_others_have_locked_is_not_waited_for_without_end)
{
    struct bench bench;
    int lock, second;
    open_bench(&bench);
    ck_assert(shell(&bench, "mkdir -p out"));
    ck_assert_int_eq(mica_folder_lock(bench.out, 0, NULL, &lock), MICA_OK);
    int64_t began = mica_clock_ms();
    ck_assert_int_eq(mica_folder_lock(bench.out, 300, &bench.error, &second),
                     MICA_E_BUSY);
    ck_assert_int_ge(mica_clock_ms() - began, 300);
    ck_assert_int_lt(mica_clock_ms() - began, 30000);
    ck_assert_ptr_nonnull(strstr(bench.error.message, bench.out));
    ck_assert_ptr_nonnull(strstr(bench.error.message, "hangs"));
    mica_process_end_all();
    ck_assert_int_eq(mica_folder_lock(bench.out, 600000, &bench.error, &second),
                     MICA_E_CANCELLED);
    ck_assert_int_eq(close(lock), 0);
    ck_assert_int_eq(mica_folder_lock(bench.out, 0, NULL, &lock), MICA_OK);
    ck_assert_int_eq(close(lock), 0);
    close_bench(&bench);
}
END_TEST

// As a program would that a compiler left running.
START_TEST(what_changes_once_it_was_inspected_is_not_loaded)
{
    struct bench bench;
    struct mica_error error;
    char object[PATH_MAX + 16], sha256[MICA_SHA256_SIZE];
    int lock, status;
    open_bench(&bench);
    bench.options.object = true;
    write_source(&bench, "good.c", GOOD);
    ck_assert(shell(&bench, "mkdir -p out"));
    ck_assert_int_eq(mica_folder_lock(bench.out, 0, NULL, &lock), MICA_OK);
    pid_t child = fork();
    if (child == 0) {
        (void)close(lock); // or it would keep its own parent's lock
        _exit(build(&bench, "good.c") == MICA_OK ? 0 : 1);
    }
    // Made behind the inspection.
    ck_assert(shell(&bench, "for i in $(seq 600); do test -e "
                            "out/.b*/carrying.o && break; sleep 0.1; done; "
                            "printf x | tee -a out/.b*/engine.so >/dev/null"));
    ck_assert_int_eq(close(lock), 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    // Not by its seal; that a folder is named is consent to what lies there.
    ck_assert(shell(&bench, "mv out/good-*.so out/good.so"));
    (void)snprintf(object, sizeof object, "%s/good.so", bench.out);
    ck_assert_int_eq(mica_trust_hash(object, &error, sha256), MICA_OK);
    ck_assert_int_eq(mica_seal_check(bench.out, "good", sha256, NULL, &error),
                     MICA_E_TRUST);
    close_bench(&bench);
}
END_TEST

// ---- Names ---------------------------------------------------------------------------------

START_TEST(a_file_name_is_a_slug)
{
    static const char *const wrong[] = {
        "Good.c", "good_one.c", "-good.c",  "good-.c",     "go--od.c",
        ".c",     "good",       "good.cpp", "g\xC3\xB6.c", "go.od.c"};
    struct bench bench;
    char longest[80];
    open_bench(&bench);
    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        write_source(&bench, wrong[i], GOOD);
        builds_to(&bench, wrong[i], MICA_E_USAGE, "lower-case letters");
    }
    memset(longest, 'a', 65);
    strcpy(longest + 65, ".c");
    write_source(&bench, longest, GOOD);
    builds_to(&bench, longest, MICA_E_USAGE, "at most 64");
    builds_to(&bench, "missing.c", MICA_E_NOT_FOUND, "missing.c");
    close_bench(&bench);
}
END_TEST

START_TEST(the_engine_is_named_as_its_file)
{
    struct bench bench;
    open_bench(&bench);
    write_source(&bench, "two-words.c", BEFORE HANDLER AFTER("two_words"));
    builds_to(&bench, "two-words.c", MICA_OK, "");
    write_source(&bench, "other-words.c", BEFORE HANDLER AFTER("two_words"));
    builds_to(&bench, "other-words.c", MICA_E_BUILD,
              "MICA_ENGINE(other_words, …)");
    close_bench(&bench);
}
END_TEST

// ---- What is wrong with a source ---------------------------------------------------------------

static size_t
lines(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += *text == '\n';
    return count;
}

START_TEST(a_slip_in_a_field_table_is_explained_in_few_lines)
{
    struct bench bench;
    open_bench(&bench);
    write_source(&bench, "typo.c",
                 "#include <mica/engine.h>\n"
                 "struct input { double amount; };\n"
                 "MICA_RECORD(input, MICA_NUMBER(amuont, \"A.\"));\n");
    builds_to(&bench, "typo.c", MICA_E_BUILD, "does not compile");
    ck_assert_ptr_nonnull(strstr(bench.diagnostics.ptr, "did you mean"));
    ck_assert_ptr_nonnull(strstr(bench.diagnostics.ptr, "typo.c:3:"));
    ck_assert_msg(lines(bench.diagnostics.ptr) < 60, "%s",
                  bench.diagnostics.ptr);
    close_bench(&bench);
}
END_TEST

START_TEST(a_slip_in_a_name_of_mica_is_named)
{
    static const struct {
        const char *source, *said;
    } typos[] = {
        {"#include <mica/engine.h>\n"
         "// MICA_NUMBR in a comment /* is not one\n"
         "/* nor MICA_NUMBR\n\n here */ struct input { double a; };\n"
         "MICA_RECORD(input,\n"
         "            MICA_NUMBR(a, \"A 'MICA_TXT' \\\" MICA_TXT.\"));\n",
         "typo.c does not compile: line 7 has MICA_NUMBR, which mica does not "
         "know; did you mean MICA_NUMBER?"},
        {"#include <mica/engine.h>\n"
         "#define MICA_NUMBERS 3\n"
         "int a[MICA_NUMBERS] = {MICA_OKK};\n",
         "line 3 has MICA_OKK, which mica does not know; did you mean MICA_OK?"},
        {"#include <mica/engine.h>\n"
         "int a = MICA_SOMETHING_ELSE_ALTOGETHER;\n",
         "typo.c does not compile; the compiler says why."}};
    struct bench bench;
    open_bench(&bench);
    for (size_t i = 0; i < MICA_COUNT(typos); i++) {
        write_source(&bench, "typo.c", typos[i].source);
        builds_to(&bench, "typo.c", MICA_E_BUILD, typos[i].said);
    }
    close_bench(&bench);
}
END_TEST

static const struct {
    const char *source, *words, *diagnostics;
} wrong[] = {
    // A handler of another type.
    {BEFORE "static int handle(void) { return 0; }\n"
            "MICA_ENGINE(wrong, input, output, handle, .title = \"T\");\n",
     "does not compile", "wrong.c:7:"},
    // No return.
    {BEFORE "static enum mica_status handle(struct mica_call *call, const "
            "struct input *in, struct output *out) { (void)call; (void)in; "
            "out->b = 1; }\n"
            "MICA_ENGINE(wrong, input, output, handle, .title = \"T\");\n",
     "does not compile", "non-void"},
    // No engine, and two of them.
    {BEFORE, "one MICA_ENGINE", "mica_module_engine"},
    {BEFORE HANDLER AFTER("wrong") "MICA_ENGINE(second, input, output, handle, "
                                   ".title = \"T\");\n",
     "does not compile", "redefinition of"},
    // More than the file itself.
    {"#include \"other.h\"\n" BEFORE HANDLER AFTER("wrong"),
     "An engine is one file", ""},
    // Too much on the stack.
    {BEFORE HANDLER "volatile char large[20000]; large[(int)in->a] = 1; out->b "
                    "= large[5];" AFTER("wrong"),
     "local variables of the handler take 20", ""},
    // Tables that its own module refuses.
    {"#include <mica/engine.h>\n"
     "struct input { double a; };\n"
     "MICA_RECORD(input, MICA_NUMBER(a, \"A.\", .minimum = 3, "
     ".fallback = MICA_JSON(1)));\n"
     "struct output { double b; };\n"
     "MICA_RECORD(output, MICA_NUMBER(b, \"B.\"));\n" HANDLER
     "out->b = in->a;" AFTER("wrong"),
     "fallback", ""},
    {BEFORE HANDLER
     "out->b = in->a;\nreturn MICA_OK;\n}\n"
     "MICA_ENGINE(wrong, input, output, handle, .title = \"T\", .description = "
     "\"D.\", .category = \"c\", .memory_bytes = 1u << 30);\n",
     "memory_bytes", ""},
    {BEFORE HANDLER
     "out->b = in->a;\nreturn MICA_OK;\n}\n"
     "MICA_ENGINE(wrong, input, output, handle, .title = \"T\", .description = "
     "\"D.\", .category = \"c\", .memory_bytes = 65535);\n",
     "alone need", ""},
};

START_TEST(a_wrong_source_is_refused_in_plain_words)
{
    struct bench bench;
    open_bench(&bench);
    write_source(&bench, "other.h", "\n");
    write_source(&bench, "wrong.c", wrong[_i].source);
    builds_to(&bench, "wrong.c", MICA_E_BUILD, wrong[_i].words);
    ck_assert_msg(strstr(bench.diagnostics.ptr, wrong[_i].diagnostics) != NULL,
                  "%s", bench.diagnostics.ptr);
    close_bench(&bench);
}
END_TEST

START_TEST(warnings_are_shown_and_do_not_stop_a_build)
{
    struct bench bench;
    open_bench(&bench);
    write_source(&bench, "warns.c",
                 BEFORE HANDLER "int unused; out->b = in->a;" AFTER("warns"));
    builds_to(&bench, "warns.c", MICA_OK, "");
    ck_assert_ptr_nonnull(strstr(bench.diagnostics.ptr, "unused variable"));
    close_bench(&bench);
}
END_TEST

// ---- Modules --------------------------------------------------------------------------------------

#define EXPORTS                                                            \
    "(memory (export \"memory\") 1)"                                       \
    "(func (export \"mica_module_exchange\") (result i32) (i32.const 16))" \
    "(func (export \"mica_module_input\") (param i32) (result i32) "       \
    "(i32.const 64))"

static const struct {
    const char *text; // of the module
    enum mica_status status;
    const char *words;
} modules[] = {
    {"(module (import \"env\" \"now\" (func (result i32)))" EXPORTS
     "(func (export \"mica_module_run\") (param i32) (result i32) (call 0)))",
     MICA_E_IMPURE, "imports env.now"},
    {"(module " EXPORTS ")", MICA_E_BUILD, "does not export mica_module_run"},
    {"(module (memory (export \"memory\") 1025))", MICA_E_BUILD,
     "does not export mica_module_input"},
};

// Writes the module's text and has it assembled.
static void
assemble(struct bench *bench, const char *text)
{
    write_source(bench, "module.wat", text);
    write_source(bench, "module.json",
                 "{\"slug\":\"module\",\"limits\":{\"time_ms\":1,"
                 "\"memory_bytes\":65536,\"output_bytes\":1}}");
    ck_assert(shell(bench, "wat2wasm module.wat -o module.wasm"));
}

START_TEST(a_module_is_checked_whoever_made_it)
{
    struct bench bench;
    open_bench(&bench);
    assemble(&bench, modules[_i].text);
    builds_to(&bench, "module.wasm", modules[_i].status, modules[_i].words);
    close_bench(&bench);
}
END_TEST

START_TEST(damaged_modules_are_refused)
{
    struct bench bench;
    char command[PATH_MAX], size[64];
    open_bench(&bench);
    write_source(&bench, "junk.wasm", "junk");
    builds_to(&bench, "junk.wasm", MICA_E_BUILD, "no WebAssembly module");
    for (int length = 8; length < 120; length += 7) {
        (void)snprintf(command, sizeof command,
                       "head -c %d %s/hostile.wasm > cut.wasm", length,
                       getenv("MICA_TEST_MODULES"));
        ck_assert(shell(&bench, command));
        enum mica_status status = build(&bench, "cut.wasm");
        (void)snprintf(size, sizeof size, "%d bytes: %s", length,
                       mica_status_code(status));
        ck_assert_msg(status == MICA_E_BUILD, "%s", size);
    }
    close_bench(&bench);
}
END_TEST

START_TEST(a_frame_too_large_for_the_native_stack_is_refused)
{
    struct bench bench;
    struct mica_buffer text;
    open_bench(&bench);
    mica_buffer_init(&text, NULL, 1 << 20);
    mica_buffer_text(&text, mica_text("(module " EXPORTS
                                      "(func (export \"mica_module_run\") "
                                      "(param i32) (result i32) (local"));
    for (int i = 0; i < 3000; i++)
        mica_buffer_text(&text, mica_text(" i64"));
    mica_buffer_text(&text, mica_text(") (i32.const 0)))"));
    mica_buffer_char(&text, '\0');
    assemble(&bench, text.ptr);
    mica_buffer_fini(&text);
    builds_to(&bench, "module.wasm", MICA_E_BUILD, "bytes of native stack");
    close_bench(&bench);
}
END_TEST

// ---- The toolchain -----------------------------------------------------------------------------------

START_TEST(what_is_missing_of_the_toolchain_is_named)
{
    static const struct {
        const char *variable, *words;
    } missing[] = {{"MICA_CLANG", "clang-14"},
                   {"MICA_WASM_LD", "lld-14"},
                   {"MICA_WASM2C", "wabt"},
                   {"MICA_CC", "gcc"},
                   {"MICA_INCLUDE_DIR", "mica/engine.h"},
                   {"MICA_MODULE_ARCHIVE", "libmica-module.a"},
                   {"MICA_RUNTIME_DIR", "wasm-rt.h"},
                   {"MICA_WASI_INCLUDE", "wasi-libc"},
                   {"MICA_WASI_LIB", "wasi-libc"},
                   {"MICA_WASM_BUILTINS", "libclang-rt-14-dev-wasm32"}};
    struct mica_toolchain toolchain;
    struct mica_error error;
    for (size_t i = 0; i < MICA_COUNT(missing); i++) {
        const char *before = getenv(missing[i].variable);
        char kept[PATH_MAX] = "";
        if (before != NULL)
            (void)snprintf(kept, sizeof kept, "%s", before);
        (void)setenv(missing[i].variable, "/nowhere", 1);
        ck_assert_int_eq(mica_toolchain_find(&toolchain, &error),
                         MICA_E_NOT_FOUND);
        ck_assert_ptr_nonnull(strstr(error.message, missing[i].variable));
        ck_assert_msg(strstr(error.message, missing[i].words) != NULL, "%s",
                      error.message);
        if (before == NULL)
            (void)unsetenv(missing[i].variable);
        else
            (void)setenv(missing[i].variable, kept, 1);
    }
    ck_assert_int_eq(mica_toolchain_find(&toolchain, &error), MICA_OK);
}
END_TEST

START_TEST(a_program_that_cannot_be_run_is_named)
{
    struct bench bench;
    open_bench(&bench);
    write_source(&bench, "good.c", GOOD);
    strcpy(bench.toolchain.wasm2c, "/nowhere/wasm2c");
    builds_to(&bench, "good.c", MICA_E_NOT_FOUND, "/nowhere/wasm2c");
    strcpy(bench.toolchain.wasm2c, "false");
    builds_to(&bench, "good.c", MICA_E_BUILD, "wasm2c cannot translate");
    (void)snprintf(bench.out, sizeof bench.out, "%s/no/such", bench.folder);
    builds_to(&bench, "good.c", MICA_E_NOT_FOUND, "no/such");
    close_bench(&bench);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("build");
    TCase *all = tcase_create("build");
    tcase_set_timeout(all, 120);
    tcase_add_test(all, an_engine_becomes_files_that_run);
    tcase_add_test(all, design_and_engine_follow_the_doctype_of_a_page);
    tcase_add_test(all, a_page_has_no_import_map_of_its_own);
    tcase_add_test(all, an_engine_says_more_of_the_view_that_its_page_is);
    tcase_add_test(all, a_page_is_a_view_unless_it_loads_what_a_view_cannot);
    tcase_add_test(all, the_full_optimization_gives_the_same_answers);
    tcase_add_test(all, the_same_source_gives_the_same_bytes_anywhere);
    tcase_add_test(all, only_a_change_is_built_again);
    tcase_add_test(all, what_another_user_built_is_built_again);
    tcase_add_test(all, what_is_missing_or_damaged_is_built_again);
    tcase_add_test(all, a_failed_build_leaves_the_last_good_files);
    tcase_add_test(all, what_a_killed_build_left_goes_away);
    tcase_add_test(all, builds_of_one_folder_put_their_files_in_place_in_turn);
    tcase_add_test(
        all, a_folder_that_others_have_locked_is_not_waited_for_without_end);
    tcase_add_test(all, what_changes_once_it_was_inspected_is_not_loaded);
    tcase_add_test(all, a_file_name_is_a_slug);
    tcase_add_test(all, the_engine_is_named_as_its_file);
    tcase_add_test(all, a_slip_in_a_field_table_is_explained_in_few_lines);
    tcase_add_test(all, a_slip_in_a_name_of_mica_is_named);
    tcase_add_loop_test(all, a_wrong_source_is_refused_in_plain_words, 0,
                        MICA_COUNT(wrong));
    tcase_add_test(all, warnings_are_shown_and_do_not_stop_a_build);
    tcase_add_loop_test(all, a_module_is_checked_whoever_made_it, 0,
                        MICA_COUNT(modules));
    tcase_add_test(all, damaged_modules_are_refused);
    tcase_add_test(all, a_frame_too_large_for_the_native_stack_is_refused);
    tcase_add_test(all, what_is_missing_of_the_toolchain_is_named);
    tcase_add_test(all, a_program_that_cannot_be_run_is_named);
    suite_add_tcase(suite, all);
    SRunner *srunner = srunner_create(suite);
    srunner_run_all(srunner, CK_ENV);
    int failed = srunner_ntests_failed(srunner);
    srunner_free(srunner);
    return failed == 0 ? 0 : 1;
}

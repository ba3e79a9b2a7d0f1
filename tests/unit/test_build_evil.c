// SPDX-License-Identifier: Apache-2.0
//
// Engines that want out of the sandbox while they are built. Each is refused by a
// build; and each fence (the bytes of the module, the native object, the flags of
// the compiler) is tested by itself on what the one before it would have let pass.
#include "test_build.h"

#include <elf.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "build/engine_source.h"
#include "build/files.h"
#include "build/module_form.h"
#include "build/native_object.h"

// Native code, were it to become some.
#define NATIVE                                              \
    "__attribute__((constructor)) static void owned(void) " \
    "{ __builtin_printf(\\\"OWNED\\\"); }"
#define WHOLE(before, body) BEFORE before HANDLER body AFTER("evil")
#define GOOD                WHOLE("", "out->b = in->a * 2;")

// ---- Sources -----------------------------------------------------------------------

static const struct {
    const char *source;
    enum mica_status status;
    const char *words;
} evil[] = {
    // Names.
    {WHOLE("__attribute__((export_name(\"*/ " NATIVE " /*\"))) int k(void) "
           "{ return 1; }\n",
           "out->b = k();"),
     MICA_E_IMPURE, "\"k\" is exported"},
    {WHOLE("__attribute__((export_name(\"mica_module_parse\"))) int k(void) "
           "{ return 1; }\n",
           "out->b = k();"),
     MICA_E_IMPURE, "\"k\" is exported"},
    {WHOLE("__attribute__((import_module(\"*/ x\"), import_name(\"memcpy\"))) "
           "int k(int);\n",
           "out->b = k(1);"),
     MICA_E_IMPURE, "cannot use k"},
    {WHOLE("__attribute__((import_name(\"*/ x\"))) int strlen_(int);\n",
           "out->b = strlen_(1);"),
     MICA_E_IMPURE, "cannot use strlen_"},
    // Sections and constructors.
    {WHOLE(
         "__attribute__((constructor)) static void early(void) { __builtin_trap(); }\n",
         ""),
     MICA_E_IMPURE, "it has a constructor"},
    {WHOLE("__attribute__((section(\".custom_section.name\"))) const int k = "
           "4;\n",
           "out->b = k;"),
     MICA_E_IMPURE, "\"k\""},
    {WHOLE(
         "static void early(void) { __builtin_trap(); }\n"
         "__attribute__((section(\".init_array\"), used)) static void (*const "
         "list[])(void) = {early};\n",
         ""),
     MICA_E_IMPURE, "it has a constructor"},
    {WHOLE("_Thread_local int k = 4;\n", "out->b = k;"), MICA_E_IMPURE,
     "\"k\""},
    // Assembly, however it is spelt.
    {WHOLE("__asm__(\".section .text\");\n", ""), MICA_E_IMPURE,
     "evil.c:6: an engine cannot use __asm__"},
    {WHOLE("", "__asm volatile(\"nop\");"), MICA_E_IMPURE,
     "evil.c:9: an engine cannot use __asm"},
    {WHOLE("int g(void) __asm__(\"*/ x\");\n", ""), MICA_E_IMPURE, "__asm__"},
    {WHOLE("__as\\\nm__(\".data\");\n", ""), MICA_E_IMPURE,
     "an engine cannot use __asm__"},
    {WHOLE("__as\?\?/\nm__(\".data\");\n", ""), MICA_E_IMPURE,
     "an engine cannot use __asm__"},
    {WHOLE("/* \" */ __asm__(\".data\"); // \"\n", ""), MICA_E_IMPURE,
     "an engine cannot use __asm__"},
    {WHOLE("#define A __asm__\nA(\".data\");\n", ""), MICA_E_IMPURE,
     "evil.c:6: an engine cannot use __asm__"},
    {WHOLE("#define P(a, b) a##b\nP(__as, m__)(\".incbin \\\"/etc/"
           "passwd\\\"\");\n",
           ""),
     MICA_E_IMPURE, "an engine cannot use asm"},
    // Files.
    {"#include \"/etc/passwd\"\n" GOOD, MICA_E_BUILD, "evil.c:1: includes"},
    {"#include <mica/../../../../../../etc/hostname>\n" GOOD, MICA_E_BUILD,
     "evil.c:1: includes"},
    {"%: include \"../secret\"\n" GOOD, MICA_E_BUILD, "evil.c:1: includes"},
    {"\?\?=include/**/\"../secret\"\n" GOOD, MICA_E_BUILD, "evil.c:1: includ"},
    {"#inc\\\nlude \\\n\"/etc/passwd\"\n" GOOD, MICA_E_BUILD, "includes"},
    {"#include \"secret\"\n" GOOD, MICA_E_BUILD, "An engine is one file"},
    {"#if __has_include(\"/etc/passwd\")\n#endif\n" GOOD, MICA_E_IMPURE,
     "evil.c:1: an engine cannot use __has_include"},
    // Directives that one compiler sees and a reader may not.
    {"\xEF\xBB\xBF#include \"secret\"\n" GOOD, MICA_E_BUILD,
     "evil.c:1: includes"},
    {"// x\r#include \"secret\"\n" GOOD, MICA_E_BUILD,
     "evil.c:1: an engine cannot have \"CR\""},
    {"const char *s = \"\?\?/\" /*\";\n#include \"secret\"\n/* */\n" GOOD,
     MICA_E_BUILD, "evil.c:2: includes"},
    {"int s = sizeof(1 \?\?' 2, \"'/*\");\n#include \"secret\"\n/* */\n" GOOD,
     MICA_E_BUILD, "evil.c:2: includes"},
    {"#warning /*\n#include \"secret\"\n/* */\n" GOOD, MICA_E_BUILD,
     "evil.c:1: an engine cannot have \"/*\""},
    {"\xC2\xA0#include \"secret\"\n" GOOD, MICA_E_BUILD, "evil.c:1: includes"},
    {"#\xC2\xA0include \"secret\"\n" GOOD, MICA_E_BUILD, "evil.c:1: an engine"},
    {"\xFF#include \"secret\"\n" GOOD, MICA_E_BUILD, "evil.c:1: includes"},
    {"\\u00A0#include \"secret\"\n" GOOD, MICA_E_BUILD, "evil.c:1: an engine"},
    {"#include/*\n*/\"secret\"\n" GOOD, MICA_E_BUILD, "evil.c:2: includes"},
    {"#define F \"secret\"\n#include F\n" GOOD, MICA_E_BUILD,
     "evil.c:2: an engine cannot have \"#include\""},
    {"#embed <limits.h>\n" GOOD, MICA_E_BUILD, "\"embed\""},
    {"#import \"secret\"\n" GOOD, MICA_E_BUILD, "evil.c:1: includes"},
    // Files that are named, and quoted by diagnostics.
    {"#line 1 \"/etc/passwd\"\nint x = ;\n" GOOD, MICA_E_BUILD,
     "evil.c:1: an engine cannot have \"#line\""},
    {"#define L 1 \"/etc/passwd\"\n#line L\nint x = ;\n" GOOD, MICA_E_BUILD,
     "evil.c:2: an engine cannot have \"#line\""},
    {"# 1 \"/etc/passwd\"\nint x = ;\n" GOOD, MICA_E_BUILD,
     "evil.c:1: an engine cannot have \"# and a number\""},
    {"#pragma GCC dependency \"/etc/passwd\"\n" GOOD, MICA_E_BUILD,
     "\"dependency\""},
    {"_Pragma(\"GCC dependency \\\"/etc/passwd\\\"\")\n" GOOD, MICA_E_BUILD,
     "\"_Pragma\""},
    // Whether a file exists, asked by a word that a macro puts together.
    {"#define P(a, b) a##b\n#if !P(__has_, include)(\"/etc/passwd\")\n"
     "#error absent\n#endif\n" GOOD,
     MICA_E_BUILD, "does not compile"},
    {"#define P(a, b) a##b\n#if P(__has_, include_next)(\"/etc/passwd\")\n"
     "#endif\n" GOOD,
     MICA_E_BUILD, "does not compile"},
    // A name that turns the letters of a terminal around.
    {WHOLE("static int hid\u202Eden;\n", "out->b = ++hid\u202Eden;"),
     MICA_E_IMPURE, "the variable \"hid???den\" keeps"},
    {WHOLE("", "static int hid\u202Eden; out->b = ++hid\u202Eden;"),
     MICA_E_IMPURE, "the variable \"static hid???den\" in handle() keeps"},
    // The build removes what would tell the linker this.
    {WHOLE("#pragma comment(linker, \"--export-all\")\n"
           "#pragma comment(lib, \"evil\")\n",
           "out->b = in->a;"),
     MICA_OK, ""},
};

START_TEST(an_evil_engine_is_not_built)
{
    struct bench bench;
    open_bench(&bench);
    write_source(&bench, "secret", "SECRET_WORDS\n");
    write_source(&bench, "evil.c", evil[_i].source);
    builds_to(&bench, "evil.c", evil[_i].status, evil[_i].words);
    ck_assert_msg(strstr(bench.diagnostics.ptr, "root:") == NULL &&
                      strstr(bench.diagnostics.ptr, "SECRET_WORDS") == NULL,
                  "%s", bench.diagnostics.ptr);
    if (evil[_i].status != MICA_OK)
        ck_assert(shell(&bench, "! ls out/*.so out/*.wasm 2>/dev/null"));
    close_bench(&bench);
}
END_TEST

// What a macro names is not seen in the text: the compiler cannot open it.
START_TEST(an_include_behind_a_macro_shows_nothing)
{
    struct bench bench;
    open_bench(&bench);
    write_source(&bench, "secret", "SECRET_WORDS\n");
    write_source(&bench, "evil.c",
                 "#define FILE \"./secret\"\n#include FILE\n" GOOD);
    ck_assert_int_ne(build(&bench, "evil.c"), MICA_OK);
    ck_assert_msg(strstr(bench.diagnostics.ptr, "SECRET_WORDS") == NULL, "%s",
                  bench.diagnostics.ptr);
    close_bench(&bench);
}
END_TEST

START_TEST(what_only_looks_evil_is_built)
{
    static const char *const sources[] = {
        "\xEF\xBB\xBF// A mark, and lines of another system.\r\n" GOOD,
        "#line 7\n#pragma GCC diagnostic ignored \"-Wunused\"\n" GOOD,
        "#warning it's not /yet/ * finished\n" GOOD,
        "// what\?\?! \xC3\xA9 \\ # include\n#if 0\n it's \n#endif\n" GOOD,
        "#define N(a) a ## _x\n#include <stdint.h>\n#include <limits.h>\n"
        "#include <stdatomic.h>\n#include <float.h>\n" GOOD,
    };
    struct bench bench;
    open_bench(&bench);
    write_source(&bench, "evil.c", sources[_i]);
    builds_to(&bench, "evil.c", MICA_OK, "");
    close_bench(&bench);
}
END_TEST

START_TEST(words_in_comments_and_texts_are_no_assembly)
{
    struct bench bench;
    open_bench(&bench);
    write_source(
        &bench, "evil.c",
        WHOLE("// asm __asm__ #include \"/etc/passwd\"\n"
              "/* asm\n#include \"/etc/passwd\"\n*/\n"
              "static const char text[] = \"asm \\\" __asm__\";\n",
              "out->b = text[0] + 'a'; int asmatic = 1; (void)asmatic;"));
    builds_to(&bench, "evil.c", MICA_OK, "");
    close_bench(&bench);
}
END_TEST

// ---- What stands at the source's path ------------------------------------------------

START_TEST(a_source_that_is_no_file_is_refused_and_not_waited_for)
{
    static const struct {
        const char *make, *words;
    } kinds[] = {
        {"mkfifo evil.c", "is a FIFO"},
        {"mkdir evil.c", "is a folder"},
        {"ln -s /dev/zero evil.c", "is a device"},
        {"ln -s nowhere evil.c", "There is no file"},
        {"truncate -s 1048577 evil.c", "a source may have"},
        {"mkdir -p ../$(basename $PWD)/a/b && cp secret a/b/x.c && ln -s "
         "/etc/hostname evil.c",
         "a link that leads out of the project"},
    };
    struct bench bench;
    for (size_t i = 0; i < MICA_COUNT(kinds); i++) {
        open_bench(&bench);
        write_source(&bench, "secret", "s\n");
        ck_assert(shell(&bench, kinds[i].make));
        ck_assert_int_ne(build(&bench, "evil.c"), MICA_OK);
        ck_assert_msg(strstr(bench.error.message, kinds[i].words) != NULL,
                      "%s: %s", kinds[i].make, bench.error.message);
        close_bench(&bench);
    }
}
END_TEST

START_TEST(a_socket_is_no_source)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct bench bench;
    open_bench(&bench);
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s/evil.c",
                   bench.folder);
    int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(server, (struct sockaddr *)&address, sizeof address),
                     0);
    builds_to(&bench, "evil.c", MICA_E_BUILD, "is a socket");
    ck_assert_int_eq(close(server), 0);
    close_bench(&bench);
}
END_TEST

START_TEST(what_stands_beside_a_source_is_not_waited_for_either)
{
    struct bench bench;
    open_bench(&bench);
    write_source(&bench, "evil.c", GOOD);
    ck_assert(shell(&bench, "mkfifo evil.html"));
    ck_assert_int_ne(build(&bench, "evil.c"), MICA_OK);
    ck_assert_ptr_nonnull(strstr(bench.error.message, "evil.html is a FIFO"));
    ck_assert(shell(&bench, "mkfifo module.wasm"));
    builds_to(&bench, "module.wasm", MICA_E_BUILD, "is a FIFO");
    close_bench(&bench);
}
END_TEST

START_TEST(a_path_may_have_quotes_and_no_control_characters)
{
    struct bench bench;
    open_bench(&bench);
    ck_assert(shell(&bench, "mkdir 'a\"b' \"it's $\" \"$(printf 'x\\ny')\""));
    write_source(&bench, "a\"b/evil.c", GOOD);
    write_source(&bench, "it's $/evil.c", GOOD);
    write_source(&bench, "x\ny/evil.c", GOOD);
    builds_to(&bench, "a\"b/evil.c", MICA_OK, "");
    builds_to(&bench, "it's $/evil.c", MICA_OK, "");
    builds_to(&bench, "x\ny/evil.c", MICA_E_BUILD, "control character");
    close_bench(&bench);
}
END_TEST

START_TEST(a_link_inside_of_the_project_is_followed)
{
    struct bench bench;
    open_bench(&bench);
    ck_assert(shell(&bench, "mkdir shared"));
    write_source(&bench, "shared/original.c", GOOD);
    ck_assert(shell(&bench, "ln -s shared/original.c evil.c"));
    builds_to(&bench, "evil.c", MICA_OK, "");
    close_bench(&bench);
}
END_TEST

// ---- The bytes of a module -----------------------------------------------------------

#define EXPORTS                                                            \
    "(memory (export \"memory\") 1)"                                       \
    "(func (export \"mica_module_exchange\") (result i32) (i32.const 16))" \
    "(func (export \"mica_module_input\") (param i32) (result i32) "       \
    "(i32.const 64))"                                                      \
    "(func $run (export \"mica_module_run\") (param i32) (result i32) "    \
    "(i32.const 0))"

static const struct {
    const char *text;
    enum mica_status status;
    const char *words;
} modules[] = {
    {"(module " EXPORTS ")", MICA_OK, ""},
    {"(module " EXPORTS "(export \"*/ evil /*\" (func $run)))", MICA_E_IMPURE,
     "exports \"*/ evil /*\""},
    {"(module " EXPORTS "(global (export \"g\") i32 (i32.const 1)))",
     MICA_E_IMPURE, "exports \"g\""},
    {"(module " EXPORTS "(table (export \"t\") 1 funcref))", MICA_E_IMPURE,
     "exports \"t\""},
    {"(module " EXPORTS "(export \"memory2\" (memory 0)))", MICA_E_IMPURE,
     "exports \"memory2\""},
    {"(module " EXPORTS "(export \"\" (func $run)))", MICA_E_IMPURE,
     "exports \"\""},
    {"(module " EXPORTS "(func $s) (start $s))", MICA_E_IMPURE,
     "start function"},
    {"(module (import \"*/\" \"\\n\" (func)) " EXPORTS ")", MICA_E_IMPURE,
     "imports */.?"},
    {"(module (memory (export \"memory\") 1)"
     "(func (export \"mica_module_exchange\") (result i32) (i32.const 16))"
     "(func (export \"mica_module_input\") (param i64) (result i32) (i32.const "
     "64))"
     "(func (export \"mica_module_run\") (param i32) (result i32) (i32.const "
     "0)))",
     MICA_E_BUILD, "mica_module_input twice or as something else"},
    {"(module (memory 1)"
     "(global (export \"memory\") i32 (i32.const 1)) "
     "(func (export \"mica_module_exchange\") (result i32) (i32.const 16)))",
     MICA_E_BUILD, "memory twice or as something else"},
};

// The bytes of the module that wat2wasm makes of the text, names and all.
static struct mica_text
assemble(struct bench *bench, struct mica_arena *arena, const char *text)
{
    struct mica_text bytes;
    char path[PATH_MAX];
    write_source(bench, "module.wat", text);
    ck_assert(shell(bench, "wat2wasm --debug-names module.wat -o module.wasm"));
    (void)snprintf(path, sizeof path, "%s/module.wasm", bench->folder);
    ck_assert_int_eq(mica_file_read(arena, path, NULL, &bytes), MICA_OK);
    return bytes;
}

// A page is published for all to read, and the manifest of a module is.
START_TEST(what_stands_beside_a_source_is_no_link_out_of_the_project)
{
    static const struct {
        const char *make, *words;
    } pages[] = {
        {"ln -s /etc/hostname evil.html", "evil.html is a link that leads out"},
        {"ln -sf /dev/zero evil.html", "evil.html is a device"},
        {"rm evil.html && truncate -s 1048577 evil.html",
         "the page of a tool may have"},
    };
    struct mica_arena arena;
    struct bench bench;
    open_bench(&bench);
    mica_arena_init(&arena, 1 << 20);
    write_source(&bench, "evil.c", GOOD);
    for (size_t i = 0; i < MICA_COUNT(pages); i++) {
        ck_assert(shell(&bench, pages[i].make));
        ck_assert_int_ne(build(&bench, "evil.c"), MICA_OK);
        ck_assert_msg(strstr(bench.error.message, pages[i].words) != NULL,
                      "%s: %s", pages[i].make, bench.error.message);
        ck_assert(shell(&bench, "test ! -e out/evil.html"));
    }
    ck_assert(shell(&bench, "printf '<p>x' >a && ln -sf a evil.html"));
    builds_to(&bench, "evil.c", MICA_OK, "");
    (void)assemble(&bench, &arena, modules[0].text);
    ck_assert(shell(&bench, "ln -s /etc/hostname module.json"));
    builds_to(&bench, "module.wasm", MICA_E_BUILD,
              "module.json is a link that leads out");
    mica_arena_fini(&arena);
    close_bench(&bench);
}
END_TEST

// A translator that was taken over: what is published is what was checked.
START_TEST(a_translator_that_changes_the_module_changes_nothing)
{
    struct bench bench;
    open_bench(&bench);
    write_source(&bench, "evil.c", GOOD);
    write_source(&bench, "evil.html", "<p>page");
    write_source(&bench, "translate",
                 "#!/bin/sh\nwasm2c \"$@\" && echo evil >>module.wasm\n");
    ck_assert(shell(&bench, "chmod +x translate"));
    (void)snprintf(bench.toolchain.wasm2c, sizeof bench.toolchain.wasm2c,
                   "%s/translate", bench.folder);
    builds_to(&bench, "evil.c", MICA_OK, "");
    ck_assert(shell(&bench, "grep -q $(sha256sum <out/evil.wasm | cut -c1-64) "
                            "out/evil.json && ! tail -c 5 out/evil.wasm | grep "
                            "-q evil"));
    ck_assert(shell(&bench,
                    "grep -qF $(base64 -w0 out/evil.wasm | cut -c1-200) "
                    "out/evil.html"));
    close_bench(&bench);
}
END_TEST

// Any step may refuse it, not only the first that looks.
START_TEST(no_file_is_read_through_a_link_out_of_the_project)
{
    static const struct {
        const char *make;
        enum mica_status status;
    } links[] = {
        {"ln -s /etc/hostname read", MICA_E_TRUST},
        {"ln -sf ../../../../../../../../../etc/hostname read", MICA_E_TRUST},
        {"ln -s /etc/hostname far && ln -sf far read", MICA_E_TRUST},
        {"ln -sfn /etc way && ln -sf way/hostname read", MICA_E_TRUST},
        {"ln -sf nowhere read", MICA_E_NOT_FOUND},
        {"ln -sf read read", MICA_E_IO},
        {"ln -sf /dev/null read", MICA_E_TRUST},
        {"mkdir below && printf near >below/it && ln -sf below/it read",
         MICA_OK},
        {"ln -sf \"$PWD/below/it\" read", MICA_OK},
        {"ln -sf far2 read && ln -s below/it far2", MICA_OK},
    };
    struct mica_text bytes;
    struct mica_error error;
    char path[PATH_MAX];
    struct bench bench;
    struct mica_arena arena;
    open_bench(&bench);
    mica_arena_init(&arena, 1 << 20);
    (void)snprintf(path, sizeof path, "%s/read", bench.folder);
    for (size_t i = 0; i < MICA_COUNT(links); i++) {
        ck_assert(shell(&bench, links[i].make));
        bytes = mica_text("");
        enum mica_status status = mica_file_read(&arena, path, &error, &bytes);
        ck_assert_msg(status == links[i].status, "%s: %s", links[i].make,
                      mica_status_code(status));
        ck_assert(mica_text_is(bytes, status == MICA_OK ? "near" : ""));
        ck_assert(status != MICA_E_TRUST ||
                  strstr(error.message, "read is a link that leads out of the "
                                        "project, to /") != NULL);
    }
    mica_arena_fini(&arena);
    close_bench(&bench);
}
END_TEST

START_TEST(a_module_has_the_form_of_an_engine)
{
    struct mica_error error = {0};
    struct mica_text bytes, clean;
    struct mica_arena arena;
    struct bench bench;
    open_bench(&bench);
    mica_arena_init(&arena, 1 << 22);
    bytes = assemble(&bench, &arena, modules[_i].text);
    enum mica_status status = mica_module_form(&arena, bytes, &error, &clean);
    ck_assert_msg(status == modules[_i].status, "%s: %s", modules[_i].text,
                  error.message);
    ck_assert_msg(strstr(error.message, modules[_i].words) != NULL, "%s",
                  error.message);
    // As a whole, too.
    write_source(&bench, "module.json",
                 "{\"slug\":\"module\",\"limits\":{\"time_ms\":1,"
                 "\"memory_bytes\":65536,\"output_bytes\":1}}");
    builds_to(&bench, "module.wasm", status, modules[_i].words);
    mica_arena_fini(&arena);
    close_bench(&bench);
}
END_TEST

START_TEST(custom_sections_are_dropped)
{
    struct mica_error error = {0};
    struct mica_text bytes, clean, again;
    struct mica_arena arena;
    struct bench bench;
    open_bench(&bench);
    mica_arena_init(&arena, 1 << 22);
    bytes = assemble(&bench, &arena,
                     "(module $evil_module " EXPORTS
                     "(func $evil_function) (global $evil_global i32 "
                     "(i32.const 1)) (data $evil_data (i32.const 0) \"x\"))");
    ck_assert_ptr_nonnull(memmem(bytes.ptr, bytes.len, "evil_function", 13));
    ck_assert_int_eq(mica_module_form(&arena, bytes, &error, &clean), MICA_OK);
    ck_assert_ptr_null(memmem(clean.ptr, clean.len, "evil", 4));
    ck_assert_uint_lt(clean.len, bytes.len);
    ck_assert_int_eq(mica_module_form(&arena, clean, &error, &again), MICA_OK);
    ck_assert(mica_text_equal(clean, again));
    mica_arena_fini(&arena);
    close_bench(&bench);
}
END_TEST

START_TEST(sections_stand_once_and_in_their_order)
{
    struct mica_error error = {0};
    struct mica_text bytes, clean;
    struct mica_arena arena;
    struct bench bench;
    struct mica_buffer twice;
    open_bench(&bench);
    mica_arena_init(&arena, 1 << 22);
    bytes = assemble(&bench, &arena, "(module " EXPORTS ")");
    ck_assert_int_eq(mica_module_form(&arena, bytes, &error, &clean), MICA_OK);
    for (int kind = 1; kind < 20; kind++) {
        const char empty[] = {(char)kind, 1, 0};
        mica_buffer_init(&twice, &arena, 1 << 16);
        mica_buffer_text(&twice, clean);
        mica_buffer_add(&twice, empty, sizeof empty);
        // Only the data may still come behind the code.
        ck_assert_msg(mica_module_form(&arena, mica_buffer_as_text(&twice),
                                       &error, &bytes) ==
                          (kind == 11 ? MICA_OK : MICA_E_BUILD),
                      "section %d", kind);
    }
    mica_arena_fini(&arena);
    close_bench(&bench);
}
END_TEST

// ---- The native object ---------------------------------------------------------------

static const struct {
    const char *source;
    const char *words; // "" when it is an engine's
} objects[] = {
    {"int Z_evil_instantiate(void) { return 1; }", ""},
    {"static volatile int v; __attribute__((constructor)) static void f(void) { v = 1; }",
     "init_array"},
    {"static volatile int v; __attribute__((destructor)) static void f(void) { v = 1; }",
     "fini_array"},
    {"__attribute__((section(\".ctors\"), used)) static void *f = 0;", "ctors"},
    {"__attribute__((section(\".preinit_array\"), used)) static void *f = 0;",
     "preinit_array"},
    {"__attribute__((section(\".init\"), used)) static void f(void) {}",
     "init"},
    {"int system(const char *); int Z_evil_free(void) { return system(\"\"); }",
     "refers to \"system\""},
    {"void *dlopen(void); void *Z_evil_free(void) { return dlopen(); }",
     "refers to \"dlopen\""},
    {"extern int environ; int *Z_evil_free(void) { return &environ; }",
     "refers to \"environ\""},
    {"static int r(void) { return 1; } static void *f(void) { return r; }\n"
     "int g(void) __attribute__((ifunc(\"f\"))); int Z_evil_free(void) { "
     "return g(); }",
     "resolver"},
    {"int write(void) { return 1; }", "defines \"write\""},
    {"__attribute__((weak)) int Z_evil_free(void) { return 1; }", "defines"},
    {"int Z_evilX(void) { return 1; }", "defines \"Z_evilX\""},
    {"int mica_code_other;", "defines \"mica_code_other\""},
    {"static __thread int t; int *Z_evil_free(void) { return &t; }", "tbss"},
    {"__asm__(\".section .text.w,\\\"awx\\\",@progbits\\n.long 1\\n.text\");",
     "has a section \".text.w\""},
    {"__asm__(\".section .mine,\\\"a\\\"\\n.long 1\\n.text\");", "mine"},
};

static struct mica_text
read_made(const struct bench *bench, struct mica_arena *arena, const char *name)
{
    struct mica_text bytes;
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/%s", bench->folder, name);
    ck_assert_int_eq(mica_file_read(arena, path, NULL, &bytes), MICA_OK);
    return bytes;
}

START_TEST(a_native_object_that_does_more_is_refused)
{
    static const char *const compilers[] = {"gcc", "clang-14"};
    for (size_t i = 0; i < MICA_COUNT(compilers); i++) {
        struct mica_error error = {0};
        struct mica_arena arena;
        struct bench bench;
        char command[256];
        open_bench(&bench);
        mica_arena_init(&arena, 1 << 22);
        write_source(&bench, "object.c", objects[_i].source);
        (void)snprintf(command, sizeof command,
                       "%s -w -O2 -fPIC -c -o object.o object.c", compilers[i]);
        ck_assert_msg(shell(&bench, command), "%s", objects[_i].source);
        enum mica_status status = mica_native_object(
            read_made(&bench, &arena, "object.o"), "evil", &error);
        ck_assert_msg(
            status == (objects[_i].words[0] == '\0' ? MICA_OK : MICA_E_IMPURE),
            "%s: %s", objects[_i].source, error.message);
        ck_assert_msg(strstr(error.message, objects[_i].words) != NULL,
                      "%s: %s", objects[_i].source, error.message);
        mica_arena_fini(&arena);
        close_bench(&bench);
    }
}
END_TEST

static const struct {
    const char *source, *options;
    const char *words;
} libraries[] = {
    {"int f(void) { return 1; }", "-nostartfiles", ""},
    {"static int a; int *const l[] = {&a, &a, &a}; int f(void) { return *l[1]; "
     "}",
     "-nostartfiles -Wl,-z,pack-relative-relocs", ""},
    {"int f(void) { return 1; }", "", "for the loader"}, // start files
    {"static volatile int v; __attribute__((constructor)) static void f(void) { v = 1; }",
     "-nostartfiles", "for the loader"},
    {"int f(void) { return 1; }", "-nostartfiles -Wl,-init=f",
     "for the loader"},
    {"int f(void) { return 1; }", "-nostartfiles -Wl,-rpath=/tmp",
     "for the loader"},
    {"int f(void) { return 1; }",
     "-nostartfiles -Wl,--no-as-needed /usr/lib/x86_64-linux-gnu/libz.so.1",
     "loads \"libz"},
    {"int system(const char *); int f(void) { return system(\"\"); }",
     "-nostartfiles", "refers to \"system\""},
    {"static int r(void) { return 1; } static void *s(void) { return r; }\n"
     "int g(void) __attribute__((ifunc(\"s\"))); int f(void) { return g(); }",
     "-nostartfiles", "is not kept"},
    {"int f(void) { return 1; }", "-nostartfiles -Wl,-z,execstack",
     "written and run"},
    {"__thread int t; int f(void) { return t; }", "-nostartfiles",
     "is not kept"},
};

START_TEST(a_shared_object_that_does_more_is_refused)
{
    struct mica_error error = {0};
    struct mica_arena arena;
    struct bench bench;
    char command[512];
    open_bench(&bench);
    mica_arena_init(&arena, 1 << 22);
    write_source(&bench, "object.c", libraries[_i].source);
    (void)snprintf(command, sizeof command,
                   "gcc -w -O2 -fPIC -shared -o object.so object.c %s",
                   libraries[_i].options);
    ck_assert_msg(shell(&bench, command), "%s", command);
    enum mica_status status =
        mica_native_shared(read_made(&bench, &arena, "object.so"), &error);
    ck_assert_msg(
        status == (libraries[_i].words[0] == '\0' ? MICA_OK : MICA_E_IMPURE),
        "%s: %s", command, error.message);
    ck_assert_msg(strstr(error.message, libraries[_i].words) != NULL, "%s: %s",
                  command, error.message);
    mica_arena_fini(&arena);
    close_bench(&bench);
}
END_TEST

// What the loader would see otherwise than this reader, or put elsewhere.
enum patched {
    PATCHED_NOT,
    PATCHED_DYNAMIC, // the loader's part lies at another place of the file
    PATCHED_BEHIND,  // a part lies behind the file
    PATCHED_OVER,    // one part lies over another
    PATCHED_STACK,   // nothing is said of the stack
    PATCHED_SEGMENT, // a kind that is not known
    PATCHED_PLACE,   // a relocation into another library
    PATCHED_NEEDED   // a library by its path
};

static void
patch_segments(char *bytes, enum patched patched)
{
    Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)bytes;
    Elf64_Phdr *segments = (Elf64_Phdr *)(void *)(bytes + header->e_phoff);
    for (int i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr *segment = &segments[i];
        if (patched == PATCHED_DYNAMIC && segment->p_type == PT_DYNAMIC)
            segment->p_offset -= sizeof(Elf64_Dyn);
        if (patched == PATCHED_BEHIND && segment->p_type == PT_LOAD)
            segment->p_filesz = segment->p_memsz = 1 << 24;
        if (patched == PATCHED_OVER && segment->p_type == PT_LOAD &&
            (segment->p_flags & PF_W) != 0)
            segment->p_vaddr &= 0xFFF;
        if (segment->p_type == PT_GNU_STACK && patched == PATCHED_STACK)
            segment->p_type = PT_NULL;
        if (segment->p_type == PT_GNU_STACK && patched == PATCHED_SEGMENT)
            segment->p_type = 0x6FFFFFFF;
    }
}

static void
patch_sections(char *bytes, enum patched patched)
{
    Elf64_Ehdr *header = (Elf64_Ehdr *)(void *)bytes;
    Elf64_Shdr *sections = (Elf64_Shdr *)(void *)(bytes + header->e_shoff);
    for (int i = 0; i < header->e_shnum; i++) {
        char *content = bytes + sections[i].sh_offset;
        if (sections[i].sh_type == SHT_RELA && patched == PATCHED_PLACE)
            ((Elf64_Rela *)(void *)content)->r_offset += 1 << 30;
        char *name = sections[i].sh_type == SHT_STRTAB
                         ? memmem(content, sections[i].sh_size, "libc.so.6", 9)
                         : NULL;
        if (name != NULL && patched == PATCHED_NEEDED)
            memcpy(name, "libc./x.6", 9);
    }
}

START_TEST(a_shared_object_is_what_its_loader_sees)
{
    struct mica_error error = {0};
    struct mica_arena arena;
    struct bench bench;
    open_bench(&bench);
    mica_arena_init(&arena, 1 << 22);
    write_source(&bench, "object.c",
                 "#include <string.h>\nstatic int a;\nint *const list[] = {&a, "
                 "&a};\nint *volatile p = &a;\n"
                 "void f(char *t, unsigned long n) { memset(t, 1, n); }\n");
    ck_assert(shell(&bench, "gcc -w -O2 -fPIC -shared -nostartfiles "
                            "-Wl,-z,now -o object.so object.c"));
    struct mica_text made = read_made(&bench, &arena, "object.so");
    char *bytes = mica_arena_alloc(&arena, made.len);
    memcpy(bytes, made.ptr, made.len);
    patch_segments(bytes, (enum patched)_i);
    patch_sections(bytes, (enum patched)_i);
    enum mica_status status =
        mica_native_shared((struct mica_text){bytes, made.len}, &error);
    ck_assert_msg((status == MICA_OK) == (_i == PATCHED_NOT), "%d: %s", _i,
                  error.message);
    mica_arena_fini(&arena);
    close_bench(&bench);
}
END_TEST

// The attack itself, with the first fence down: the name in wasm2c's comment, and
// what it would have become.
START_TEST(code_in_a_comment_of_wasm2c_would_be_found_in_the_object)
{
    struct mica_error error = {0};
    struct mica_arena arena;
    struct bench bench;
    open_bench(&bench);
    mica_arena_init(&arena, 1 << 24);
    (void)assemble(
        &bench, &arena,
        "(module " EXPORTS "(export \"*/\\n#ifndef OWNED\\n#define OWNED\\n"
        "__attribute__((constructor)) static void owned(void) { __builtin_trap(); }\\n#endif\\n"
        "/*\" (func $run)))");
    ck_assert(shell(&bench, "wasm2c module.wasm -n evil -o module.c && "
                            "cp module.c unit.c"));
    char command[PATH_MAX];
    (void)snprintf(command, sizeof command,
                   "gcc -w -O2 -fPIC -I %s -c -o unit.o unit.c",
                   bench.toolchain.runtime_dir);
    ck_assert(shell(&bench, command));
    ck_assert_int_eq(
        mica_native_object(read_made(&bench, &arena, "unit.o"), "evil", &error),
        MICA_E_IMPURE);
    ck_assert_msg(strstr(error.message, "init_array") != NULL, "%s",
                  error.message);
    mica_arena_fini(&arena);
    close_bench(&bench);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("evil");
    TCase *cases = tcase_create("evil");
    tcase_set_timeout(cases, 300);
    suite_add_tcase(suite, cases);
    tcase_add_loop_test(cases, an_evil_engine_is_not_built, 0,
                        (int)MICA_COUNT(evil));
    tcase_add_test(cases, an_include_behind_a_macro_shows_nothing);
    tcase_add_loop_test(cases, what_only_looks_evil_is_built, 0, 5);
    tcase_add_test(cases, words_in_comments_and_texts_are_no_assembly);
    tcase_add_test(cases,
                   a_source_that_is_no_file_is_refused_and_not_waited_for);
    tcase_add_test(cases, a_socket_is_no_source);
    tcase_add_test(cases, what_stands_beside_a_source_is_not_waited_for_either);
    tcase_add_test(cases,
                   what_stands_beside_a_source_is_no_link_out_of_the_project);
    tcase_add_test(cases, no_file_is_read_through_a_link_out_of_the_project);
    tcase_add_test(cases, a_path_may_have_quotes_and_no_control_characters);
    tcase_add_test(cases, a_link_inside_of_the_project_is_followed);
    tcase_add_test(cases, a_translator_that_changes_the_module_changes_nothing);
    tcase_add_loop_test(cases, a_module_has_the_form_of_an_engine, 0,
                        (int)MICA_COUNT(modules));
    tcase_add_test(cases, custom_sections_are_dropped);
    tcase_add_test(cases, sections_stand_once_and_in_their_order);
    tcase_add_loop_test(cases, a_native_object_that_does_more_is_refused, 0,
                        (int)MICA_COUNT(objects));
    tcase_add_loop_test(cases, a_shared_object_that_does_more_is_refused, 0,
                        (int)MICA_COUNT(libraries));
    tcase_add_loop_test(cases, a_shared_object_is_what_its_loader_sees, 0,
                        PATCHED_NEEDED + 1);
    tcase_add_test(cases,
                   code_in_a_comment_of_wasm2c_would_be_found_in_the_object);
    SRunner *srunner = srunner_create(suite);
    srunner_run_all(srunner, CK_ENV);
    int failed = srunner_ntests_failed(srunner);
    srunner_free(srunner);
    return failed == 0 ? 0 : 1;
}

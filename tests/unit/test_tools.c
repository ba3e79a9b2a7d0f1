// SPDX-License-Identifier: Apache-2.0
//
// Built tools in a server: as they are, as they were before a reload and before a
// restart, and the services that they bring. Every test has a folder of its own
// and builds its tools there; this program shows mica's functions to them.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "build/build.h"
#include "build/files.h"
#include "build/folder_lock.h"
#include "call/call.h"
#include "server/server.h"
#include "tools/tool_catalog.h"
#include "unit.h"

static char folder[] = "/tmp/mica-test-XXXXXX";
static struct mica_error error;

// ---- A folder --------------------------------------------------------------------

static void
make_folder(void)
{
    char path[256];

    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(setenv("XDG_STATE_HOME", folder, 1), 0);
    (void)snprintf(path, sizeof path, "%s/tools", folder);
    ck_assert_int_eq(mkdir(path, 0755), 0);
    ck_assert_int_eq(chdir(folder), 0);
}

static void
remove_folder(void)
{
    char command[256];

    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static void
write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

static void
build(const char *source)
{
    struct mica_toolchain toolchain;
    struct mica_build_options options = {
        .toolchain = &toolchain, .out_dir = "built", .fast = true};
    enum mica_build_outcome outcome;
    struct mica_buffer words;
    enum mica_status status = mica_toolchain_find_native(&toolchain, &error);

    ck_assert_msg(status == MICA_OK, "%s", error.message);
    mica_buffer_init(&words, NULL, 1 << 20);
    status = mica_build_tool(&options, source, &words, &error, &outcome);
    ck_assert_msg(status == MICA_OK, "%s\n%.*s", error.message,
                  MICA_ARG(mica_buffer_as_text(&words)));
    mica_buffer_fini(&words);
}

// A tool "say" that gives one number, and takes a service if there is one.
static void
build_say(int number, const char *services)
{
    char text[4096];

    (void)snprintf(
        text, sizeof text,
        "#include <mica/tool.h>\n"
        "#include <stdio.h>\n"
        "#include <stdlib.h>\n"
        "static enum mica_status open_it(const char *folder, struct "
        "mica_error *error, void **out)\n"
        "{ (void)error; FILE *file = fopen(\"opened\", \"a\"); fprintf(file, "
        "\"%%s\\n\", folder); fclose(file); *out = malloc(1); return MICA_OK; "
        "}\n"
        "static void close_it(void *it) { FILE *file = fopen(\"opened\", "
        "\"a\"); fprintf(file, \"closed\\n\"); fclose(file); free(it); }\n"
        "static const struct mica_service_definition thing __attribute__(("
        "unused)) = {\"thing\", open_it, close_it};\n"
        "struct said { int64_t number; };\n"
        "MICA_RECORD(said, MICA_INTEGER(number, \"What is said.\"));\n"
        "static enum mica_status run(struct mica_call *call, const struct "
        "mica_nothing *in, struct said *out)\n"
        "{ (void)call; (void)in; out->number = %d; return MICA_OK; }\n"
        "MICA_TOOL(say, mica_nothing, said, run, .description = \"Says a "
        "number.\"%s);\n",
        number, services);
    write_file("tools/say.c", text);
    build("tools/say.c");
}

#define WITH_SERVICE                                                         \
    ", .services = (const struct mica_service_definition *const[]){&thing, " \
    "NULL}"

// ---- A server --------------------------------------------------------------------

static struct mica_server *
open_server(void)
{
    static const struct mica_server_options options = {.name = "test",
                                                       .version = "1"};
    struct mica_server *server;

    ck_assert_int_eq(mica_server_open(&options, &error, &server), MICA_OK);
    return server;
}

static void
load(struct mica_server *server, bool replace)
{
    const struct mica_tool_source source = {
        .folder = "built", .own = true, .replace = replace};
    enum mica_status status =
        mica_server_load_tool(server, &source, "say", &error);

    ck_assert_msg(status == MICA_OK, "%s", error.message);
}

static struct mica_definition *
find_say(const struct mica_server *server)
{
    return mica_catalog_find(server->registry.main->catalog,
                             MICA_DEFINITION_TOOL, MICA_LITERAL("say"));
}

static void
assert_says(const struct mica_definition *tool, const char *json)
{
    struct mica_arena arena;
    struct mica_call call;

    mica_arena_init(&arena, 1 << 20);
    mica_call_init(&call, &arena);
    tool->runnable.run(&tool->runnable, &call, MICA_LITERAL("{}"));
    ck_assert_int_eq(call.result.status, MICA_OK);
    UNIT_TEXT_EQ(call.result.structured, json);
    mica_arena_fini(&arena);
}

static void
copy_version(const struct mica_definition *tool, char out[MICA_SHA256_SIZE])
{
    ck_assert_uint_eq(tool->version.len, MICA_SHA256_SIZE - 1);
    (void)snprintf(out, MICA_SHA256_SIZE, "%.*s", MICA_ARG(tool->version));
}

static void
assert_file(const char *path, const char *wanted)
{
    char text[4096] = "";
    FILE *file = fopen(path, "r");

    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    ck_assert_str_eq(text, wanted);
}

// ---- Tests -----------------------------------------------------------------------

START_TEST(a_tool_that_was_replaced_is_found_by_its_version)
{
    char first[MICA_SHA256_SIZE], second[MICA_SHA256_SIZE];
    struct mica_definition *old, *again;
    struct mica_server *server;

    make_folder();
    server = open_server();
    build_say(1, "");
    load(server, false);
    copy_version(find_say(server), first);
    assert_says(find_say(server), "{\"number\":1}");
    build_say(2, "");
    load(server, true);
    copy_version(find_say(server), second);
    ck_assert_str_ne(first, second);
    assert_says(find_say(server), "{\"number\":2}");

    old = mica_registry_version(&server->registry, (struct mica_text){NULL, 0},
                                MICA_LITERAL("say"), mica_text(first));
    ck_assert_ptr_nonnull(old);
    assert_says(old, "{\"number\":1}");
    again =
        mica_registry_version(&server->registry, (struct mica_text){NULL, 0},
                              MICA_LITERAL("say"), mica_text(first));
    ck_assert_ptr_eq(again, old);
    mica_definition_drop(again);
    again =
        mica_registry_version(&server->registry, (struct mica_text){NULL, 0},
                              MICA_LITERAL("say"), mica_text(second));
    ck_assert_ptr_eq(again, find_say(server));
    mica_definition_drop(again);
    mica_definition_drop(old);
    mica_server_close(&server);
    remove_folder();
}
END_TEST

START_TEST(a_version_is_found_after_a_restart_and_what_never_was_is_not)
{
    char first[MICA_SHA256_SIZE], never[MICA_SHA256_SIZE];
    struct mica_definition *old;
    struct mica_server *server;

    make_folder();
    build_say(1, "");
    server = open_server();
    load(server, false);
    copy_version(find_say(server), first);
    mica_server_close(&server);
    build_say(2, "");

    server = open_server();
    load(server, false);
    old = mica_registry_version(&server->registry, (struct mica_text){NULL, 0},
                                MICA_LITERAL("say"), mica_text(first));
    ck_assert_ptr_nonnull(old);
    assert_says(old, "{\"number\":1}");
    mica_definition_drop(old);

    memcpy(never, first, sizeof never);
    never[0] = never[0] == '0' ? '1' : '0';
    ck_assert_ptr_null(
        mica_registry_version(&server->registry, (struct mica_text){NULL, 0},
                              MICA_LITERAL("say"), mica_text(never)));
    ck_assert_ptr_null(
        mica_registry_version(&server->registry, (struct mica_text){NULL, 0},
                              MICA_LITERAL("../say"), mica_text(first)));
    ck_assert_ptr_null(
        mica_registry_version(&server->registry, (struct mica_text){NULL, 0},
                              MICA_LITERAL("say"), MICA_LITERAL("../../x")));
    mica_server_close(&server);
    remove_folder();
}
END_TEST

START_TEST(an_old_version_that_somebody_put_there_is_not_loaded)
{
    char first[MICA_SHA256_SIZE], path[512];
    struct mica_server *server;

    make_folder();
    build_say(1, "");
    server = open_server();
    load(server, false);
    copy_version(find_say(server), first);
    build_say(2, "");
    load(server, true);
    // Another's object under a name that is expected, with the seal it had.
    (void)snprintf(path, sizeof path, "built/.versions/say-%s.so", first);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(link("built/say.so", path), 0);
    ck_assert_ptr_null(
        mica_registry_version(&server->registry, (struct mica_text){NULL, 0},
                              MICA_LITERAL("say"), mica_text(first)));
    mica_server_close(&server);
    remove_folder();
}
END_TEST

// A tool "say" that gives the number of a header, by way of tools/lib.
static void
write_sharing(void)
{
    ck_assert_int_eq(mkdir("tools/lib", 0755), 0);
    write_file("tools/shared.h", "#define SHARED 1\n");
    write_file("tools/lib/number.h", "int number(void);\n");
    write_file("tools/lib/number.c", "#include \"number.h\"\n"
                                     "#include \"../shared.h\"\n"
                                     "int number(void) { return SHARED; }\n");
    write_file(
        "tools/say.c",
        "#include <mica/tool.h>\n"
        "#include \"lib/number.h\"\n"
        "struct said { int64_t number; };\n"
        "MICA_RECORD(said, MICA_INTEGER(number, \"What is said.\"));\n"
        "static enum mica_status run(struct mica_call *call, const struct "
        "mica_nothing *in, struct said *out)\n"
        "{ (void)call; (void)in; out->number = number(); return MICA_OK; }\n"
        "MICA_TOOL(say, mica_nothing, said, run, .description = \"Says a "
        "number.\");\n");
}

static void
assert_built_says(const char *json)
{
    struct mica_server *server = open_server();

    load(server, false);
    assert_says(find_say(server), json);
    mica_server_close(&server);
}

START_TEST(a_header_that_shared_code_includes_has_it_built_again)
{
    make_folder();
    write_sharing();
    build("tools/say.c");
    assert_built_says("{\"number\":1}");
    write_file("tools/shared.h", "#define SHARED 2\n");
    build("tools/say.c");
    assert_built_says("{\"number\":2}");
    remove_folder();
}
END_TEST

// As one that lies in a folder which was cloned: it has the name that its sources give
// it, and other code.
START_TEST(an_archive_that_somebody_put_there_is_not_linked)
{
    static const char *const wrong[] = {
        "cp foreign.a $(ls built/.lib/*.a)",
        "ln -sf $PWD/foreign.a $(ls built/.lib/*.a)",
        "mkfifo fifo && mv fifo $(ls built/.lib/*.a)",
        "truncate -s 100 $(ls built/.lib/*.a)"};

    make_folder();
    write_sharing();
    build("tools/say.c");
    write_file("foreign.c", "int number(void);\n"
                            "int number(void) { return 666; }\n");
    ck_assert_int_eq(system("cc -fPIC -c foreign.c -o foreign.o && ar rcsD "
                            "foreign.a foreign.o"),
                     0);
    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        ck_assert_int_eq(system(wrong[i]), 0);
        ck_assert_int_eq(system("rm -r built/say.* built/.versions"), 0);
        build("tools/say.c");
        assert_built_says("{\"number\":1}");
    }
    // What this user made is not compiled again.
    write_file("cc", "#!/bin/sh\n"
                     "case \"$*\" in *number.c*) exit 1;; esac\n"
                     "exec cc \"$@\"\n");
    ck_assert_int_eq(chmod("cc", 0755), 0);
    ck_assert_int_eq(setenv("MICA_CC", "./cc", 1), 0);
    ck_assert_int_eq(system("rm -r built/say.* built/.versions"), 0);
    build("tools/say.c");
    assert_built_says("{\"number\":1}");
    remove_folder();
}
END_TEST

// The author, who saves the header once a compiler has begun: it waits for that.
static void *
save_meanwhile(void *data)
{
    (void)data;
    UNIT_AWAIT_MSG(system("ls built/.build-*/begun >/dev/null 2>&1") == 0,
                   "no compiler begins");
    write_file("tools/shared.h", "#define SHARED 2\n");
    write_file("once", "");
    return NULL;
}

START_TEST(what_changes_while_it_is_compiled_is_compiled_again)
{
    pthread_t author;
    char script[512];

    make_folder();
    write_sharing();
    // Behind the first look at it. A compiler writes to its own folder alone.
    (void)snprintf(
        script, sizeof script,
        "#!/bin/sh\n"
        "touch \"$TMPDIR/begun\"\n"
        "for i in $(seq 600); do [ -e %s/once ] && break; sleep 0.1; "
        "done\n"
        "exec cc \"$@\"\n",
        folder);
    write_file("cc", script);
    ck_assert_int_eq(chmod("cc", 0755), 0);
    ck_assert_int_eq(setenv("MICA_CC", "./cc", 1), 0);
    ck_assert_int_eq(pthread_create(&author, NULL, save_meanwhile, NULL), 0);
    build("tools/say.c");
    ck_assert_int_eq(pthread_join(author, NULL), 0);
    assert_built_says("{\"number\":2}");
    write_file("tools/shared.h", "#define SHARED 1\n");
    build("tools/say.c");
    assert_built_says("{\"number\":1}");
    remove_folder();
}
END_TEST

// A build between its object and its seal.
static void *
seal_late(void *data)
{
    const struct timespec while_it_looks = {0, 100 * 1000 * 1000};
    const int *lock = data;

    (void)nanosleep(&while_it_looks, NULL);
    ck_assert_int_eq(rename("new.seal", "built/say.seal"), 0);
    (void)close(*lock);
    return NULL;
}

START_TEST(a_tool_whose_seal_is_on_its_way_is_waited_for)
{
    struct mica_server *server;
    pthread_t builder;
    int lock;

    make_folder();
    build_say(1, "");
    server = open_server();
    load(server, false);
    ck_assert_int_eq(rename("built/say.seal", "old.seal"), 0);
    build_say(2, "");
    ck_assert_int_eq(rename("built/say.seal", "new.seal"), 0);
    ck_assert_int_eq(rename("old.seal", "built/say.seal"), 0);
    ck_assert_int_eq(mica_folder_lock("built", 0, &error, &lock), MICA_OK);
    ck_assert_int_eq(pthread_create(&builder, NULL, seal_late, &lock), 0);
    load(server, true);
    ck_assert_int_eq(pthread_join(builder, NULL), 0);
    assert_says(find_say(server), "{\"number\":2}");
    mica_server_close(&server);
    remove_folder();
}
END_TEST

START_TEST(a_call_that_runs_keeps_the_code_it_began_with)
{
    struct mica_definition *held;
    struct mica_server *server;

    make_folder();
    server = open_server();
    build_say(1, "");
    load(server, false);
    held = find_say(server);
    mica_definition_hold(held);
    for (int i = 2; i < 6; i++) {
        build_say(i, "");
        load(server, true);
    }
    assert_says(held, "{\"number\":1}");
    assert_says(find_say(server), "{\"number\":5}");
    mica_definition_drop(held);
    mica_server_close(&server);
    remove_folder();
}
END_TEST

START_TEST(a_service_lives_in_a_private_folder_until_the_server_closes)
{
    char wanted[512], real[256];
    struct mica_server *server;
    struct stat st;

    make_folder();
    ck_assert_ptr_nonnull(realpath(folder, real));
    build_say(1, WITH_SERVICE);
    server = open_server();
    ck_assert_int_eq(mica_server_use_folder(server, "kept", &error), MICA_OK);
    load(server, false);
    ck_assert_ptr_nonnull(
        mica_registry_service(&server->registry, find_say(server), "thing"));
    ck_assert_ptr_null(
        mica_registry_service(&server->registry, find_say(server), "other"));
    ck_assert_int_eq(stat("kept/services/thing", &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0700);
    load(server, true); // the same build: the same service
    (void)snprintf(wanted, sizeof wanted, "%s/kept/services/thing\n", real);
    assert_file("opened", wanted);
    mica_server_close(&server);
    (void)snprintf(wanted, sizeof wanted, "%s/kept/services/thing\nclosed\n",
                   real);
    assert_file("opened", wanted);
    remove_folder();
}
END_TEST

START_TEST(what_the_program_gives_takes_the_place_of_what_a_tool_opens)
{
    struct mica_server *server;
    int own = 0;

    make_folder();
    build_say(1, WITH_SERVICE);
    server = open_server();
    ck_assert_int_eq(mica_server_add_service(server, "thing", &own, &error),
                     MICA_OK);
    load(server, false);
    ck_assert_ptr_eq(
        mica_registry_service(&server->registry, find_say(server), "thing"),
        &own);
    ck_assert_int_ne(access("opened", F_OK), 0);
    ck_assert_int_eq(mica_server_add_service(server, "thing", &own, &error),
                     MICA_E_EXISTS);
    ck_assert_int_eq(mica_server_add_service(server, "a/b", &own, &error),
                     MICA_E_USAGE);
    mica_server_close(&server);
    remove_folder();
}
END_TEST

// A program's own tool with a service, without a folder named before.
static enum mica_status
open_nothing(const char *path, struct mica_error *fault, void **service_out)
{
    (void)path, (void)fault;
    *service_out = NULL;
    return MICA_OK;
}

static enum mica_status
do_nothing(struct mica_call *call, const void *in, void *out)
{
    (void)call, (void)in, (void)out;
    return MICA_OK;
}

START_TEST(a_tool_of_the_program_needs_a_folder_for_its_services)
{
    static const struct mica_service_definition thing = {"thing", open_nothing,
                                                         NULL};
    static const struct mica_service_definition *const things[] = {&thing,
                                                                   NULL};
    static const struct mica_record empty = {"empty", 1, NULL, 0,
                                             sizeof(struct mica_field)};
    static const struct mica_tool tool = {.name = "own",
                                          .description = "Does nothing.",
                                          .input = &empty,
                                          .output = &empty,
                                          .handler = do_nothing,
                                          .services = things};
    struct mica_server *server;

    make_folder();
    server = open_server();
    ck_assert_int_eq(mica_server_add_tool(server, &tool, NULL, &error),
                     MICA_E_USAGE);
    ck_assert_ptr_nonnull(strstr(error.message, "mica_server_use_folder"));
    ck_assert_int_eq(mica_server_use_folder(server, "kept", &error), MICA_OK);
    ck_assert_int_eq(mica_server_use_folder(server, "kept", &error),
                     MICA_E_USAGE);
    ck_assert_int_eq(mica_server_add_tool(server, &tool, NULL, &error),
                     MICA_OK);
    UNIT_TEXT_EQ(
        mica_registry_version_of(
            &server->registry,
            mica_catalog_find(server->registry.main->catalog,
                              MICA_DEFINITION_TOOL, MICA_LITERAL("own"))),
        "1");
    mica_server_close(&server);
    remove_folder();
}
END_TEST

START_TEST(a_folder_that_others_can_look_into_is_no_place_for_services)
{
    struct mica_server *server;
    const struct mica_tool_source source = {.folder = "built", .own = true};

    make_folder();
    build_say(1, WITH_SERVICE);
    server = open_server();
    ck_assert_int_eq(mica_server_use_folder(server, "kept", &error), MICA_OK);
    ck_assert_int_eq(mkdir("kept/services", 0755), 0);
    ck_assert_int_eq(chmod("kept/services", 0755), 0);
    ck_assert_int_eq(mica_server_load_tool(server, &source, "say", &error),
                     MICA_E_TRUST);
    ck_assert_ptr_nonnull(strstr(error.message, "chmod 700"));
    mica_server_close(&server);
    remove_folder();
}
END_TEST

// A tool "say" of that ABI, whose struct ends before `end`; behind it stands what no
// tool may have.
static void
build_old_say(unsigned abi, const char *end)
{
    char text[2048];

    (void)snprintf(
        text, sizeof text,
        "#include <mica/tool.h>\n"
        "static enum mica_status run(struct mica_call *call, const void *in, "
        "void *out)\n"
        "{ (void)call; (void)in; (void)out; return MICA_OK; }\n"
        "static const char *const nowhere[] = {\"no origin\", NULL};\n"
        "static const struct mica_view *const wild[] = {(const void *)8};\n"
        "static const struct mica_tool say = {.name = \"say\", .description = "
        "\"Says nothing.\", .input = &mica_record_mica_nothing, .output = "
        "&mica_record_mica_nothing, .handler = run%s%s%s, .form_views = "
        "wild};\n"
        "const struct mica_tool_module mica_tool_module = {%u, "
        "__builtin_offsetof(struct mica_tool, %s), &say, MICA_TOOL_FAMILY, "
        "mica_forms_begin_, mica_forms_end_};\n",
        strcmp(end, "fetches") == 0 ? ", .fetches = nowhere" : "",
        abi < 6 ? ", .keeps = \"no name\"" : "",
        abi < 7 ? ", .audience = 77" : "", abi, end);
    write_file("tools/say.c", text);
    build("tools/say.c");
}

START_TEST(a_tool_of_an_older_abi_has_no_newer_members)
{
    static const struct {
        unsigned abi;
        const char *end;
    } all[] = {{3, "fetches"},
               {4, "fetches"},
               {5, "keeps"},
               {6, "view"},
               {7, "form_views"}};

    make_folder();
    for (size_t i = 0; i < MICA_COUNT(all); i++) {
        struct mica_server *server = open_server();
        build_old_say(all[i].abi, all[i].end);
        load(server, false);
        assert_says(find_say(server), "");
        ck_assert_ptr_null(find_say(server)->fetches);
        ck_assert_ptr_null(find_say(server)->keeps);
        ck_assert_ptr_null(find_say(server)->view);
        ck_assert_ptr_null(find_say(server)->forms);
        mica_server_close(&server);
    }
    remove_folder();
}
END_TEST

// ---- Views -------------------------------------------------------------------------

static const char view_source[] =
    "#include <mica/tool.h>\n"
    "MICA_VIEW(said, .file = \"said.html\");\n"
    "MICA_VIEW(dial, .file = \"dial.html\");\n"
    "MICA_VIEW(wheel, .html = \"<p>wheel\");\n"
    "struct pick { int64_t n; };\n"
    "MICA_RECORD(pick, MICA_INTEGER(n, \"How many.\"));\n"
    "static enum mica_status run(struct mica_call *call, const struct "
    "mica_nothing *in, struct mica_nothing *out)\n"
    "{ struct pick pick; (void)in; (void)out; return mica_elicit(call, "
    "MICA_FORM(pick, &pick, .view = &mica_view_dial), \"n?\"); }\n"
    "MICA_TOOL(say, mica_nothing, mica_nothing, run, .description = \"Asks "
    "it.\", .view = &mica_view_said, .form_views = "
    "MICA_FORM_VIEWS(&mica_view_wheel, &mica_view_said, &mica_view_dial));\n";

// The document of a view as a client reads it.
static void
assert_view(const struct mica_server *server, const char *uri,
            const char *wanted)
{
    const struct mica_definition *view =
        mica_catalog_find(server->registry.main->catalog,
                          MICA_DEFINITION_RESOURCE, mica_text(uri));
    struct mica_arena arena;
    struct mica_call call;

    ck_assert_msg(view != NULL, "%s", uri);
    mica_arena_init(&arena, 1 << 20);
    mica_call_init(&call, &arena);
    view->runnable.run(&view->runnable, &call, MICA_LITERAL("{}"));
    ck_assert_int_eq(call.result.status, MICA_OK);
    UNIT_TEXT_EQ(call.result.content->data, wanted);
    mica_arena_fini(&arena);
}

static enum mica_build_outcome
build_again(enum mica_status *status_out)
{
    struct mica_toolchain toolchain;
    struct mica_build_options options = {
        .toolchain = &toolchain, .out_dir = "built", .fast = true};
    enum mica_build_outcome outcome = MICA_BUILT;
    struct mica_buffer words;

    ck_assert_int_eq(mica_toolchain_find_native(&toolchain, &error), MICA_OK);
    mica_buffer_init(&words, NULL, 1 << 20);
    *status_out =
        mica_build_tool(&options, "tools/say.c", &words, &error, &outcome);
    mica_buffer_fini(&words);
    return outcome;
}

START_TEST(a_tool_brings_the_document_that_lay_beside_it)
{
    struct mica_server *server;
    enum mica_status status;
    char before[MICA_SHA256_SIZE];

    make_folder();
    write_file("tools/said.html", "<p>one \"\\\n");
    write_file("tools/dial.html", "<p>dial");
    write_file("tools/say.c", view_source);
    build("tools/say.c");
    server = open_server();
    load(server, false);
    assert_view(server, "ui://test/said", "<p>one \"\\\n");
    copy_version(find_say(server), before);
    ck_assert_int_eq(build_again(&status), MICA_UP_TO_DATE);
    ck_assert_int_eq(status, MICA_OK);
    // Another document makes another version of the tool, which is swapped in.
    write_file("tools/said.html", "<p>two");
    ck_assert_int_eq(build_again(&status), MICA_BUILT);
    ck_assert_int_eq(status, MICA_OK);
    load(server, true);
    assert_view(server, "ui://test/said", "<p>two");
    assert_view(server, "ui://test/dial", "<p>dial");
    assert_view(server, "ui://test/wheel", "<p>wheel");
    ck_assert_uint_eq(find_say(server)->forms->count, 3);
    ck_assert(!mica_text_is(find_say(server)->version, before));
    ck_assert_int_eq(build_again(&status), MICA_UP_TO_DATE);
    write_file("tools/dial.html", "<p>other");
    ck_assert_int_eq(build_again(&status), MICA_BUILT);
    load(server, true);
    assert_view(server, "ui://test/dial", "<p>other");
    ck_assert_int_eq(build_again(&status), MICA_UP_TO_DATE);
    mica_server_close(&server);
    remove_folder();
}
END_TEST

START_TEST(a_view_whose_document_is_not_there_does_not_build)
{
    static const struct {
        const char *document, *says;
    } all[] = {{NULL, "view 'said': "},
               {"", "its document is empty"},
               {"<p>\xff", "UTF-8"}};

    make_folder();
    write_file("tools/dial.html", "<p>");
    write_file("tools/say.c", view_source);
    for (size_t i = 0; i < MICA_COUNT(all); i++) {
        enum mica_status status;
        if (all[i].document != NULL)
            write_file("tools/said.html", all[i].document);
        (void)build_again(&status);
        ck_assert_int_eq(status, MICA_E_BUILD);
        ck_assert_msg(strstr(error.message, all[i].says) != NULL, "%s",
                      error.message);
        ck_assert_ptr_nonnull(strstr(error.message, "tools/say.c: "));
    }
    write_file("tools/said.html", "<p>");
    build("tools/say.c");
    ck_assert_int_eq(unlink("tools/dial.html"), 0);
    enum mica_status status;
    (void)build_again(&status);
    ck_assert_int_eq(status, MICA_E_BUILD);
    ck_assert_ptr_nonnull(strstr(error.message, "view 'dial'"));
    remove_folder();
}
END_TEST

UNIT_MAIN("tools", a_tool_brings_the_document_that_lay_beside_it,
          a_view_whose_document_is_not_there_does_not_build,
          a_tool_of_an_older_abi_has_no_newer_members,
          a_tool_that_was_replaced_is_found_by_its_version,
          a_version_is_found_after_a_restart_and_what_never_was_is_not,
          an_old_version_that_somebody_put_there_is_not_loaded,
          a_header_that_shared_code_includes_has_it_built_again,
          an_archive_that_somebody_put_there_is_not_linked,
          what_changes_while_it_is_compiled_is_compiled_again,
          a_tool_whose_seal_is_on_its_way_is_waited_for,
          a_call_that_runs_keeps_the_code_it_began_with,
          a_service_lives_in_a_private_folder_until_the_server_closes,
          what_the_program_gives_takes_the_place_of_what_a_tool_opens,
          a_tool_of_the_program_needs_a_folder_for_its_services,
          a_folder_that_others_can_look_into_is_no_place_for_services)

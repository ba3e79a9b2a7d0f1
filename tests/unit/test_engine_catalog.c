// SPDX-License-Identifier: Apache-2.0
//
// Engines of a folder as the tools of a server. MICA_BUILT_ENGINES names a folder
// of built engines; each test works on a copy of what it needs.
#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "fixture.h"
#include "sandbox/engine_catalog.h"

#define SLUG "percentage-calculator"

static char folder[] = "/tmp/mica-test-XXXXXX";

static void
copy_file(const char *from, const char *name)
{
    char path[1024], block[64 * 1024];
    size_t got;

    (void)snprintf(path, sizeof path, "%s/%s", from, name);
    FILE *in = fopen(path, "rb");
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "wb");
    ck_assert(in != NULL && out != NULL);
    while ((got = fread(block, 1, sizeof block, in)) > 0)
        ck_assert_uint_eq(fwrite(block, 1, got, out), got);
    fclose(in);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_int_eq(chmod(path, 0644), 0);
}

// A folder of ours with the files of one engine.
static void
make_folder(void)
{
    const char *engines = getenv("MICA_BUILT_ENGINES");
    const struct dirent *file;

    ck_assert_msg(engines != NULL, "MICA_BUILT_ENGINES is not set");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    DIR *from = opendir(engines);
    ck_assert_ptr_nonnull(from);
    while ((file = readdir(from)) != NULL) {
        if (strncmp(file->d_name, SLUG, strlen(SLUG)) == 0 &&
            strcmp(file->d_name, SLUG ".o") != 0)
            copy_file(engines, file->d_name);
    }
    closedir(from);
}

static void
remove_folder(void)
{
    DIR *from = opendir(folder);
    const struct dirent *file;

    while ((file = readdir(from)) != NULL)
        (void)unlinkat(dirfd(from), file->d_name, 0);
    closedir(from);
    ck_assert_int_eq(rmdir(folder), 0);
}

static void
write_file(const char *name, const char *text)
{
    char path[256];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(chmod(path, 0644), 0);
}

static void
remove_ending(const char *ending)
{
    DIR *from = opendir(folder);
    const struct dirent *file;

    while ((file = readdir(from)) != NULL) {
        size_t length = strlen(file->d_name), tail = strlen(ending);
        if (length > tail && strcmp(file->d_name + length - tail, ending) == 0)
            (void)unlinkat(dirfd(from), file->d_name, 0);
    }
    closedir(from);
}

static struct mica_server *
open_server(void)
{
    struct mica_server_options options = {.name = "test", .version = "1"};
    struct mica_server *server;
    struct mica_error error;

    ck_assert_int_eq(mica_server_open(&options, &error, &server), MICA_OK);
    return server;
}

// Runs the engine; the code of its failure, or "" for the right answer.
static void
call(const struct mica_server *server, char code[64])
{
    const struct mica_definition *tool =
        mica_catalog_find(server->registry.main->catalog, MICA_DEFINITION_TOOL,
                          MICA_LITERAL(SLUG));
    struct mica_arena arena;
    struct mica_call call;
    struct mica_json json;

    ck_assert_ptr_nonnull(tool);
    mica_arena_init(&arena, 32 << 20);
    mica_call_init(&call, &arena);
    call.output_bytes = 1 << 20;
    tool->runnable.run(&tool->runnable, &call,
                       MICA_LITERAL("{\"mode\":\"of\",\"a\":15,\"b\":200}"));
    code[0] = '\0';
    if (call.result.status == MICA_OK) {
        ck_assert_int_eq(
            mica_json_read(&arena, call.result.structured, NULL, NULL, &json),
            MICA_OK);
        UNIT_TEXT_EQ(mica_json_get(&json, "result")->text, "30");
    } else {
        ck_assert_int_eq(
            mica_json_read(&arena, call.result.error, NULL, NULL, &json),
            MICA_OK);
        struct mica_text text = mica_json_get_text(&json, "code");
        ck_assert_uint_lt(text.len, 64);
        memcpy(code, text.ptr, text.len);
        code[text.len] = '\0';
    }
    mica_arena_fini(&arena);
}

START_TEST(the_engines_of_a_folder_are_served)
{
    struct mica_server *server = open_server();
    struct mica_error error;
    char code[64];

    make_folder();
    ck_assert_msg(mica_server_load_engines(server, folder, &error) == MICA_OK,
                  "%s", error.message);
    ck_assert_uint_eq(
        mica_registry_count(&server->registry, MICA_DEFINITION_TOOL), 1);
    ck_assert(server->registry.main->catalog->lists[MICA_DEFINITION_TOOL]
                  .items[0]
                  ->runnable.inline_first);
    ck_assert_uint_gt(
        server->registry.main->catalog->lists[MICA_DEFINITION_TOOL]
            .items[0]
            ->input_schema.len,
        100);
    call(server, code);
    ck_assert_str_eq(code, "");
    call(server, code);
    ck_assert_str_eq(code, "");
    mica_server_close(&server);
    remove_folder();
}
END_TEST

static void *
call_many(void *data)
{
    char code[64];

    for (int i = 0; i < 50; i++) {
        call(data, code);
        ck_assert_str_eq(code, "");
    }
    return NULL;
}

START_TEST(the_first_calls_may_come_at_once)
{
    struct mica_server *server = open_server();
    struct mica_error error;
    pthread_t threads[4];
    pthread_attr_t attributes;

    make_folder();
    ck_assert_int_eq(mica_server_load_engines(server, folder, &error), MICA_OK);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 4 << 20);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(
            pthread_create(&threads[i], &attributes, call_many, server), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    mica_server_close(&server);
    remove_folder();
}
END_TEST

START_TEST(an_engine_is_opened_at_its_first_call_and_tried_again)
{
    struct mica_server *server = open_server();
    struct mica_error error;
    char code[64], text[64];

    make_folder();
    ck_assert_int_eq(mica_server_load_engines(server, folder, &error), MICA_OK);
    remove_ending(".wasm");
    call(server, code);
    ck_assert_str_eq(code, "NOT_FOUND");
    (void)snprintf(text, sizeof text, "%s.wasm", SLUG);
    copy_file(getenv("MICA_BUILT_ENGINES"), text);
    call(server, code);
    ck_assert_str_eq(code, "");
    mica_server_close(&server);
    remove_folder();
}
END_TEST

START_TEST(a_module_that_was_changed_is_not_run)
{
    struct mica_server *server = open_server();
    struct mica_error error;
    char code[64];

    make_folder();
    ck_assert_int_eq(mica_server_load_engines(server, folder, &error), MICA_OK);
    write_file(SLUG ".wasm", "another module");
    call(server, code); // its translation is that of the first
    ck_assert_str_eq(code, "NOT_FOUND");
    mica_server_close(&server);
    remove_folder();
}
END_TEST

// Loading fails with `status`, and the message names `what`.
static void
expect_failure(enum mica_status status, const char *what)
{
    struct mica_server *server = open_server();
    struct mica_error error;
    enum mica_status got = mica_server_load_engines(server, folder, &error);

    ck_assert_msg(got == status, "%d: %s", (int)got, error.message);
    ck_assert_msg(strstr(error.message, what) != NULL, "%s", error.message);
    mica_server_close(&server);
}

START_TEST(a_broken_manifest_is_named)
{
    make_folder();
    write_file("broken.json", "{\"slug\":");
    expect_failure(MICA_E_USAGE, "broken.json");
    write_file("broken.json", "{\"slug\":\"broken\"}");
    expect_failure(MICA_E_USAGE, "broken.json");
    write_file("broken.json", "[]");
    expect_failure(MICA_E_USAGE, "broken.json");
    remove_folder();
}
END_TEST

START_TEST(a_folder_that_others_can_write_is_not_trusted)
{
    char path[256];

    make_folder();
    ck_assert_int_eq(chmod(folder, 0777), 0);
    expect_failure(MICA_E_TRUST, "chmod go-w");
    ck_assert_int_eq(chmod(folder, 0755), 0);
    (void)snprintf(path, sizeof path, "%s/%s.json", folder, SLUG);
    ck_assert_int_eq(chmod(path, 0666), 0);
    expect_failure(MICA_E_TRUST, SLUG ".json");
    remove_folder();
}
END_TEST

START_TEST(no_folder_and_no_engine_are_said)
{
    make_folder();
    remove_ending(".json");
    expect_failure(MICA_E_NOT_FOUND, "no built engine");
    remove_folder();
    expect_failure(MICA_E_NOT_FOUND, folder);
}
END_TEST

START_TEST(many_folders_may_be_loaded_but_no_name_twice)
{
    struct mica_server *server = open_server();
    struct mica_error error;

    make_folder();
    ck_assert_int_eq(mica_server_load_engines(server, folder, &error), MICA_OK);
    for (int i = 0; i < 10; i++)
        ck_assert_int_eq(mica_server_load_engines(server, folder, &error),
                         MICA_E_EXISTS);
    ck_assert_ptr_nonnull(strstr(error.message, SLUG));
    mica_server_close(&server);
    remove_folder();
}
END_TEST

UNIT_MAIN("catalog", the_engines_of_a_folder_are_served,
          the_first_calls_may_come_at_once,
          an_engine_is_opened_at_its_first_call_and_tried_again,
          a_module_that_was_changed_is_not_run, a_broken_manifest_is_named,
          a_folder_that_others_can_write_is_not_trusted,
          no_folder_and_no_engine_are_said,
          many_folders_may_be_loaded_but_no_name_twice)

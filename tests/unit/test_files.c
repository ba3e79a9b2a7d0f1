// SPDX-License-Identifier: Apache-2.0
//
// A folder as resources, with a real folder: what is listed and read, that no
// link leads out of it, and that changes are seen.
#include "files/folder.h"
#include "files/walk.h"
#include "test_server.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char base[64]; // holds in/, which is served, and out/, which is not
static char notes[1024];

static const char *
path_of(const char *name)
{
    static char room[4][256];
    static unsigned turn;
    char *path = room[turn++ % 4];

    snprintf(path, sizeof room[0], "%s/%s", base, name);
    return path;
}

static void
write_file(const char *name, const char *bytes, size_t size)
{
    FILE *file = fopen(path_of(name), "wb");

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static void
make_directory(const char *name)
{
    ck_assert_int_eq(mkdir(path_of(name), 0700), 0);
}

static void
link_to(const char *target, const char *name)
{
    ck_assert_int_eq(symlink(target, path_of(name)), 0);
}

static void
take_note(void *user, const char *text)
{
    (void)user;
    snprintf(notes + strlen(notes), sizeof notes - strlen(notes), "%s\n", text);
}

static void
open_folder(void)
{
    snprintf(base, sizeof base, "/tmp/mica-files-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(base));
    make_directory("in");
    make_directory("in/deep");
    make_directory("in/deep/er");
    make_directory("in/.hidden");
    make_directory("out");
    write_file("in/a.txt", "alpha\n", 6);
    write_file("in/deep/b c.md", "# beta", 6);
    write_file("in/deep/er/\xc3\xa9", "gamma", 5);
    write_file("in/dot.png", "\x89PNG\0", 5);
    write_file("in/.secret", "x", 1);
    write_file("in/.hidden/x", "x", 1);
    write_file("out/secret", "secret", 6);
    link_to("../out/secret", "in/link");
    link_to("../out", "in/folder");
    ck_assert_int_eq(mkfifo(path_of("in/pipe"), 0600), 0);
    notes[0] = '\0';
    open_server();
}

static void
close_folder(void)
{
    char command[128];

    close_server();
    snprintf(command, sizeof command, "rm -rf %s", base);
    ck_assert_int_eq(system(command), 0);
}

static void
serve(const struct mica_folder_options *options)
{
    struct mica_folder_options with = {.note = take_note};
    struct mica_error error;

    if (options != NULL)
        with = *options;
    with.note = take_note;
    if (mica_server_add_folder(harness.server, path_of("in"), "docs://in/",
                               &with, &error) != MICA_OK)
        ck_abort_msg("%s", error.message);
}

static void
list(void)
{
    line(quoted("{" V2 ",'id':1,'method':'resources/list','params':{" META
                "}}"));
}

static void
read_uri(const char *uri)
{
    line(quoted("{" V2 ",'id':1,'method':'resources/read','params':{" META
                ",'uri':'%s'}}",
                uri));
}

static bool
is_listed(const char *text)
{
    list();
    return strstr(harness.reply, text) != NULL;
}

// Waits until the list has, or has not, that text.
static void
wait_for(const char *text, bool there)
{
    char
        wanted[1024]; // the buffers of quoted() serve several requests, not all

    ck_assert_int_lt(snprintf(wanted, sizeof wanted, "%s", text),
                     (int)sizeof wanted);
    UNIT_AWAIT_MSG(is_listed(wanted) == there, "%s '%s': %s",
                   there ? "no" : "still", wanted, harness.reply);
}

START_TEST(every_visible_file_is_listed_and_no_link)
{
    serve(NULL);
    list();
    ck_at("/result/resources/0/uri", "'docs://in/a.txt'");
    ck_at("/result/resources/0/name", "'a.txt'");
    ck_at("/result/resources/0/mimeType", "'text/plain'");
    ck_at("/result/resources/0/size", "6");
    ck_says("/result/resources/0/annotations/lastModified", "Z");
    ck_at("/result/resources/1/uri", "'docs://in/deep/b%20c.md'");
    ck_at("/result/resources/1/name", "'deep/b c.md'");
    ck_at("/result/resources/2/uri", "'docs://in/deep/er/%C3%A9'");
    ck_at("/result/resources/2/mimeType", "(absent)");
    ck_at("/result/resources/3/uri", "'docs://in/dot.png'");
    ck_at("/result/resources/4", "(absent)");
    ck_assert_str_eq(notes, "");
}
END_TEST

START_TEST(text_is_text_and_the_rest_is_bytes)
{
    serve(NULL);
    read_uri("docs://in/a.txt");
    ck_at("/result/contents", "[{'uri':'docs://in/a.txt','mimeType':"
                              "'text/plain','text':'alpha\\n'}]");
    read_uri("docs://in/deep/er/%C3%A9");
    ck_at("/result/contents/0/mimeType", "'text/plain'");
    ck_at("/result/contents/0/text", "'gamma'");
    read_uri("docs://in/dot.png");
    ck_at("/result/contents", "[{'uri':'docs://in/dot.png','mimeType':"
                              "'image/png','blob':'iVBORwA='}]");
    read_uri("docs://in/.secret");
    ck_error("-32602", "NOT_FOUND", "1");
    read_uri("docs://in/../out/secret");
    ck_error("-32602", "NOT_FOUND", "1");
    read_uri("docs://in/deep/..%2Fa.txt");
    ck_error("-32602", "NOT_FOUND", "1");
}
END_TEST

START_TEST(no_link_is_followed)
{
    static const char *const links[] = {"link", "folder/secret", "folder",
                                        "deep/../../out/secret/x"};
    int root = open(path_of("in"), O_RDONLY | O_DIRECTORY), fd;

    for (size_t i = 0; i < MICA_COUNT(links); i++)
        ck_assert_int_eq(mica_walk_open(root, links[i]), -1);
    fd = mica_walk_open(root, "deep/b c.md");
    ck_assert_int_ge(fd, 0);
    close(fd);
    close(root);
}
END_TEST

// Whether the watcher was faster or not.
START_TEST(what_becomes_a_link_is_not_read)
{
    serve(NULL);
    ck_assert_int_eq(unlink(path_of("in/a.txt")), 0);
    link_to("../out/secret", "in/a.txt");
    read_uri("docs://in/a.txt");
    ck_error("-32602", "NOT_FOUND", "1");
    ck_assert_ptr_null(strstr(harness.reply, "text\":"));
    ck_assert_int_eq(rename(path_of("in/deep"), path_of("out/deep")), 0);
    link_to("../out/deep", "in/deep");
    read_uri("docs://in/deep/er/%C3%A9");
    ck_error("-32602", "NOT_FOUND", "1");
    wait_for("docs://in/deep/er", false);
}
END_TEST

START_TEST(a_file_that_is_too_large_is_listed_and_refused)
{
    const struct mica_folder_options options = {.file_bytes = 5};

    serve(&options);
    list();
    ck_at("/result/resources/0/size", "6");
    read_uri("docs://in/a.txt");
    ck_error("-32603", "LIMIT_EXCEEDED", "1");
    ck_says("/error/message", "larger than 5 bytes");
    read_uri("docs://in/dot.png");
    ck_at("/result/contents/0/blob", "'iVBORwA='");
}
END_TEST

START_TEST(a_file_of_the_default_limit_fits_a_call)
{
    size_t size = 4 << 20;
    char *bytes = malloc(size);

    ck_assert_ptr_nonnull(bytes);
    memset(bytes, '\x01', size); // six bytes each in JSON
    write_file("in/big.txt", bytes, size);
    memset(bytes, '\xff', size);
    write_file("in/big.bin", bytes, size);
    free(bytes);
    serve(NULL);
    read_uri("docs://in/big.bin");
    ck_at("/result/contents/0/mimeType", "'application/octet-stream'");
    read_uri("docs://in/big.txt");
    // Escaped it is larger than a reply may be: refused, never cut.
    ck_error("-32603", "LIMIT_EXCEEDED", "1");
}
END_TEST

START_TEST(changes_are_seen)
{
    serve(NULL);
    write_file("in/new.json", "{}", 2);
    wait_for("docs://in/new.json", true);
    read_uri("docs://in/new.json");
    ck_at("/result/contents/0/mimeType", "'application/json'");
    write_file("in/new.json", "[1,2]", 5);
    wait_for("\"size\":5}", true);
    read_uri("docs://in/new.json");
    ck_at("/result/contents/0/text", "'[1,2]'");
    make_directory("in/fresh");
    make_directory("in/fresh/er");
    write_file("in/fresh/er/file", "x", 1);
    wait_for("docs://in/fresh/er/file", true);
    write_file("in/fresh/er/second", "x", 1);
    wait_for("docs://in/fresh/er/second", true);
    ck_assert_int_eq(rename(path_of("in/fresh"), path_of("in/moved")), 0);
    wait_for("docs://in/moved/er/second", true);
    wait_for("docs://in/fresh", false);
    ck_assert_int_eq(rename(path_of("in/moved"), path_of("out/moved")), 0);
    wait_for("docs://in/moved", false);
    ck_assert_int_eq(unlink(path_of("in/a.txt")), 0);
    wait_for("docs://in/a.txt", false);
    ck_assert_str_eq(notes, "");
}
END_TEST

START_TEST(more_files_than_allowed_are_left_out_and_noted)
{
    const struct mica_folder_options options = {.files = 2};

    serve(&options);
    ck_assert_uint_eq(mica_registry_count(&harness.server->registry,
                                          MICA_DEFINITION_RESOURCE),
                      2);
    ck_assert_ptr_nonnull(strstr(notes, "more files than are served"));
}
END_TEST

START_TEST(an_empty_folder_declares_resources)
{
    struct mica_error error;

    make_directory("in/deep/empty");
    ck_assert_int_eq(mica_server_add_folder(harness.server,
                                            path_of("in/deep/empty"), NULL,
                                            NULL, &error),
                     MICA_OK);
    list();
    ck_at("/result/resources", "[]");
    write_file("in/deep/empty/x", "x", 1);
    wait_for(quoted("'file://%s/x'", path_of("in/deep/empty")), true);
}
END_TEST

START_TEST(what_cannot_be_served_is_refused)
{
    struct mica_error error;

    ck_assert_int_eq(mica_server_add_folder(harness.server, path_of("none"),
                                            NULL, NULL, &error),
                     MICA_E_NOT_FOUND);
    ck_assert_int_eq(mica_server_add_folder(harness.server, path_of("in/a.txt"),
                                            NULL, NULL, &error),
                     MICA_E_NOT_FOUND);
    ck_assert_int_eq(mica_server_add_folder(harness.server, path_of("in"),
                                            "docs://in", NULL, &error),
                     MICA_E_USAGE);
    ck_assert_int_eq(mica_server_add_folder(harness.server, path_of("in"),
                                            "in/", NULL, &error),
                     MICA_E_USAGE);
    ck_assert_ptr_nonnull(strstr(error.message, "ends with '/'"));
    // One that may be missing has no path of its own yet, so it needs a prefix.
    ck_assert_int_eq(
        mica_server_add_folder(harness.server, path_of("none"), NULL,
                               &(struct mica_folder_options){.awaited = true},
                               &error),
        MICA_E_USAGE);
    ck_assert_int_eq(
        mica_server_add_folder(harness.server, path_of("none"), "docs://none/",
                               &(struct mica_folder_options){.awaited = true},
                               &error),
        MICA_OK);
}
END_TEST

// A file that grows as fast as it is read, as a log may: it has no end.
START_TEST(a_file_that_grows_while_it_is_copied_is_to_be_read_again)
{
    const struct rlimit most = {.rlim_cur = 1 << 20, .rlim_max = 1 << 20};
    struct mica_streamed_text *file = NULL;
    struct mica_arena arena;
    struct mica_call call;
    bool text;
    int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &most),
                     0); // of this process alone
    mica_arena_init(&arena, 1 << 20);
    mica_call_init(&call, &arena);
    ck_assert(!mica_file_stream(&call, fd, &text, &file));
    ck_assert_int_eq(errno, EAGAIN);
    ck_assert_ptr_null(file);
    mica_arena_fini(&arena);
    close(fd);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("files");
    TCase *folder = tcase_create("folder");

    tcase_add_checked_fixture(folder, open_folder, close_folder);
    tcase_set_timeout(folder, 60);
    suite_add_tcase(suite, folder);
    tcase_add_test(folder, every_visible_file_is_listed_and_no_link);
    tcase_add_test(folder, text_is_text_and_the_rest_is_bytes);
    tcase_add_test(folder, no_link_is_followed);
    tcase_add_test(folder, what_becomes_a_link_is_not_read);
    tcase_add_test(folder, a_file_that_is_too_large_is_listed_and_refused);
    tcase_add_test(folder, a_file_of_the_default_limit_fits_a_call);
    tcase_add_test(folder,
                   a_file_that_grows_while_it_is_copied_is_to_be_read_again);
    tcase_add_test(folder, changes_are_seen);
    tcase_add_test(folder, more_files_than_allowed_are_left_out_and_noted);
    tcase_add_test(folder, an_empty_folder_declares_resources);
    tcase_add_test(folder, what_cannot_be_served_is_refused);
    return run_suite(suite);
}

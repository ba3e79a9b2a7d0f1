// SPDX-License-Identifier: Apache-2.0
//
// Engines that are swapped while they are served: which are taken, when, and that
// calls never notice. MICA_TEST_ENGINES names a folder with the engines
// "digest-text" and "misbehave"; tests work on copies, and where an engine has to
// answer differently they build it.
#include "http_host.h"
#include "test_build.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/engine_catalog.h"
#include "sandbox/seal.h"
#include "unit.h"
#include "watch/engine_reload.h"

#define ONE "digest-text"
#define TWO "misbehave"

static char folder[] = "/tmp/mica-reload-XXXXXX"; // <it>/out has the engines
static char out[64];
static struct mica_server *server;
static struct mica_reload *reload;
static char notes[8192];
static int changes;

static void
note(void *data, const char *line)
{
    size_t length = strlen(notes);

    (void)data;
    (void)snprintf(notes + length, sizeof notes - length, "%s\n", line);
}

static bool
has_noted(const char *part)
{
    return strstr(notes, part) != NULL;
}

static void
count_change(void *data, const struct mica_change *change)
{
    (void)data;
    // An engine comes and goes with its view.
    if (change->kind == MICA_CHANGED_RESOURCES ||
        change->kind == MICA_CHANGED_CONTENTS)
        return;
    ck_assert_int_eq(change->kind, MICA_CHANGED_TOOLS);
    changes++;
}

static void run_shell(const char *formatz, ...) MICA_PRINTF(1, 2);

static void
run_shell(const char *formatz, ...)
{
    char command[1024];
    va_list arguments;

    (void)snprintf(command, sizeof command, "cd %s && ", folder);
    size_t length = strlen(command);
    va_start(arguments, formatz);
    (void)vsnprintf(command + length, sizeof command - length, formatz,
                    arguments);
    va_end(arguments);
    ck_assert_msg(system(command) == 0, "%s", command);
}

// ---- An engine's files -------------------------------------------------------------

// As a build does: the manifest last, each under its name when it is whole.
static void
put_engine(const char *slug)
{
    const char *engines = getenv("MICA_TEST_ENGINES");

    ck_assert_msg(engines != NULL, "MICA_TEST_ENGINES is not set");
    run_shell("cp %s/%s.wasm %s/%s-*.so out/ && cp %s/%s.json new && chmod "
              "go-w out/* new && mv new out/%s.json",
              engines, slug, engines, slug, engines, slug, slug);
}

// The manifest with another description; the module is the same.
static void
describe(const char *slug, const char *description)
{
    run_shell("sed 's/\"description\":\"[^\"]*\"/\"description\":\"%s\"/' "
              "out/%s.json >new && mv new out/%s.json",
              description, slug, slug);
}

// Seals the translation as this test's user, or as another user.
static void
put_seal(const char *slug, bool own)
{
    char path[PATH_MAX], text[MICA_SEAL_SIZE];
    struct mica_sealed sealed;
    struct mica_seal_key key;
    struct mica_error error;
    FILE *pipe, *file;

    (void)snprintf(path, sizeof path, "sha256sum %s/%s-*.so", out, slug);
    pipe = popen(path, "r");
    ck_assert_ptr_nonnull(pipe);
    ck_assert_int_eq(fscanf(pipe, "%64s", sealed.object), 1);
    pclose(pipe);
    ck_assert_int_eq(mica_seal_key(&error, &key), MICA_OK);
    key.bytes[0] = (unsigned char)(key.bytes[0] ^ (own ? 0 : 1));
    (void)snprintf(path, sizeof path, "%s/%s.json", out, slug);
    ck_assert_int_eq(mica_trust_hash(path, &error, sealed.manifest), MICA_OK);
    ck_assert(mica_seal_write(&key, slug, &sealed, text));
    (void)snprintf(path, sizeof path, "%s/%s.seal", out, slug);
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

static void
make_folder(void)
{
    char state[64];

    ck_assert_ptr_nonnull(mkdtemp(folder));
    (void)snprintf(out, sizeof out, "%s/out", folder);
    (void)snprintf(state, sizeof state, "%s/state", folder);
    ck_assert_int_eq(setenv("XDG_STATE_HOME", state, 1), 0);
    ck_assert_int_eq(mkdir(out, 0700), 0);
}

// ---- A server of them --------------------------------------------------------------

static void
open_server(void)
{
    const struct mica_server_options options = {.name = "x", .version = "1"};
    struct mica_error error;

    ck_assert_int_eq(mica_server_open(&options, &error, &server), MICA_OK);
    server->registry.changed = count_change;
}

static void
open_reload(bool own)
{
    const struct mica_reload_options how = {
        .server = server, .folder = out, .own = own, .note = note};
    struct mica_error error;

    ck_assert_int_eq(mica_reload_open(&how, &error, &reload), MICA_OK);
}

static void
start_reload(bool own)
{
    make_folder();
    open_server();
    open_reload(own);
}

static void
close_reload(void)
{
    mica_reload_close(&reload);
    mica_server_close(&server);
    run_shell("rm -r ../$(basename $PWD)");
}

static bool
is_offered(const char *slug, const char *description)
{
    struct mica_catalog *catalog = mica_registry_catalog(&server->registry);
    const struct mica_definition *found =
        mica_catalog_find(catalog, MICA_DEFINITION_TOOL, mica_text(slug));
    bool same = found != NULL && mica_text_is(found->description, description);

    mica_catalog_drop(catalog);
    return same;
}

// Looks; the result says whether another look is wanted.
static bool
look(void)
{
    notes[0] = '\0';
    return mica_reload_look(reload);
}

// ---- What is taken -----------------------------------------------------------------

START_TEST(engines_come_change_and_go)
{
    start_reload(false);
    put_engine(ONE);
    describe(ONE, "First.");
    put_engine(TWO);
    describe(TWO, "Second.");
    ck_assert(!look());
    ck_assert_msg(is_offered(ONE, "First."), "%s", notes);
    ck_assert(is_offered(TWO, "Second."));
    ck_assert(has_noted(ONE " is new\n"));
    ck_assert_int_eq(changes, 2);
    ck_assert(!look());
    ck_assert_int_eq(changes, 2); // nothing new
    describe(ONE, "Changed.");
    ck_assert(!look());
    ck_assert(is_offered(ONE, "Changed."));
    ck_assert(has_noted(ONE " has changed\n"));
    ck_assert_int_eq(changes, 3);
    run_shell("rm out/" TWO ".json");
    ck_assert(!look());
    ck_assert(!is_offered(TWO, "Second."));
    ck_assert_uint_eq(
        mica_registry_count(&server->registry, MICA_DEFINITION_TOOL), 1);
    ck_assert(has_noted(TWO " is gone\n"));
    close_reload();
}
END_TEST

START_TEST(a_manifest_that_cannot_be_read_changes_nothing_and_is_said_once)
{
    start_reload(false);
    put_engine(ONE);
    describe(ONE, "First.");
    ck_assert(!look());
    run_shell("cp out/" ONE ".json good && head -c 50 good >new && "
              "mv new out/" ONE ".json");
    ck_assert(look());
    ck_assert(has_noted(ONE " stays as it was: "));
    ck_assert(look());
    ck_assert_str_eq(notes, "");
    ck_assert(is_offered(ONE, "First."));
    run_shell("mv good out/" ONE ".json");
    describe(ONE, "Good again.");
    ck_assert(!look());
    ck_assert(is_offered(ONE, "Good again."));
    close_reload();
}
END_TEST

// What stood in the way has gone, and the manifest is what it was.
START_TEST(what_could_not_be_loaded_is_tried_again)
{
    start_reload(false);
    put_engine(ONE);
    describe(ONE, "First.");
    run_shell("chmod 666 out/" ONE ".json"); // any user could have written it
    ck_assert(look());
    ck_assert(has_noted(ONE " is not served: "));
    ck_assert_uint_eq(
        mica_registry_count(&server->registry, MICA_DEFINITION_TOOL), 0);
    run_shell("chmod 644 out/" ONE ".json");
    ck_assert(!look());
    ck_assert(is_offered(ONE, "First."));
    ck_assert(has_noted(ONE " is new\n"));
    close_reload();
}
END_TEST

// Copied by hand, in the wrong order and by and by.
START_TEST(an_engine_is_swapped_when_all_its_files_are_there)
{
    start_reload(false);
    put_engine(ONE);
    describe(ONE, "First.");
    ck_assert(!look());
    run_shell("mkdir kept && mv out/*.so kept/");
    describe(ONE, "Second.");
    ck_assert(look());
    ck_assert(has_noted("has no translation beside it"));
    ck_assert(is_offered(ONE, "First."));
    run_shell("cp out/" ONE ".wasm kept/ && head -c 100 kept/" ONE ".wasm "
              ">out/" ONE ".wasm && mv kept/*.so out/");
    ck_assert(look());
    ck_assert(has_noted("another build"));
    ck_assert(is_offered(ONE, "First."));
    run_shell("mv kept/" ONE ".wasm out/");
    ck_assert(!look());
    ck_assert(is_offered(ONE, "Second."));
    close_reload();
}
END_TEST

START_TEST(of_a_folder_nobody_named_only_own_builds_are_taken)
{
    start_reload(true);
    put_engine(ONE);
    describe(ONE, "First.");
    ck_assert(look());
    ck_assert(has_noted(ONE " is not served: "));
    ck_assert(has_noted("not what you have built"));
    ck_assert_uint_eq(
        mica_registry_count(&server->registry, MICA_DEFINITION_TOOL), 0);
    put_seal(ONE, true);
    ck_assert(!look());
    ck_assert(is_offered(ONE, "First."));
    // Now one that another user has built takes its place.
    put_seal(ONE, false);
    describe(ONE, "Harmless.");
    ck_assert(look());
    ck_assert(has_noted(ONE " stays as it was: "));
    ck_assert(is_offered(ONE, "First."));
    ck_assert_int_eq(changes, 1);
    put_seal(ONE, true);
    ck_assert(!look());
    ck_assert(is_offered(ONE, "Harmless."));
    close_reload();
}
END_TEST

// ---- When --------------------------------------------------------------------------

static void
load_one(void)
{
    struct mica_error error;

    ck_assert_msg(mica_server_load_engine(server, out, ONE, &error) == MICA_OK,
                  "%s", error.message);
}

START_TEST(what_was_loaded_before_is_not_loaded_again)
{
    make_folder();
    open_server();
    put_engine(ONE);
    describe(ONE, "First.");
    load_one();
    changes = 0;
    open_reload(false);
    ck_assert(!look());
    ck_assert_int_eq(changes, 0);
    ck_assert_str_eq(notes, "");
    close_reload();
}
END_TEST

START_TEST(a_build_between_loading_and_watching_is_not_missed)
{
    make_folder();
    open_server();
    put_engine(ONE);
    describe(ONE, "First.");
    load_one();
    describe(ONE, "Second.");
    open_reload(false);
    ck_assert(!look());
    ck_assert(is_offered(ONE, "Second."));
    ck_assert(has_noted(ONE " has changed\n"));
    close_reload();
}
END_TEST

START_TEST(what_went_between_loading_and_watching_is_taken_back)
{
    make_folder();
    open_server();
    put_engine(ONE);
    load_one();
    run_shell("rm out/" ONE ".json");
    open_reload(false);
    ck_assert(!look());
    ck_assert_uint_eq(
        mica_registry_count(&server->registry, MICA_DEFINITION_TOOL), 0);
    close_reload();
}
END_TEST

// ---- Calls -------------------------------------------------------------------------

// An engine that takes as long as it is told to, and says which version it is.
#define TURN(version)                                                   \
    "#include <mica/engine.h>\n"                                        \
    "struct input { int64_t rounds; };\n"                               \
    "MICA_RECORD(input, MICA_INTEGER(rounds, \"How often.\"));\n"       \
    "struct output { int64_t version; };\n"                             \
    "MICA_RECORD(output, MICA_INTEGER(version, \"Which.\"));\n"         \
    "static enum mica_status handle(struct mica_call *call, "           \
    "const struct input *in, struct output *out)\n{\n(void)call;\n"     \
    "volatile uint32_t sum = 0;\n"                                      \
    "for (int64_t i = 0; i < in->rounds; i++) sum = sum + 1;\n"         \
    "out->version = " version ";\nreturn MICA_OK;\n}\n"                 \
    "MICA_ENGINE(turn, input, output, handle, .title = \"T\", "         \
    ".description = \"For a test.\", .category = \"test\", .time_ms = " \
    "60000)\n;\n"

static struct bench bench;

// The first version in <folder>/out of the bench, the second one in `next`.
static void
build_both(void)
{
    char first[PATH_MAX];

    open_bench(&bench);
    write_source(&bench, "turn.c", TURN("1"));
    builds_to(&bench, "turn.c", MICA_OK, "");
    memcpy(first, bench.out, sizeof first);
    (void)snprintf(bench.out, sizeof bench.out, "%s/next", bench.folder);
    write_source(&bench, "turn.c", TURN("2"));
    builds_to(&bench, "turn.c", MICA_OK, "");
    memcpy(bench.out, first, sizeof first);
}

// Puts the second version in place, the manifest last.
static void
swap_files(void)
{
    ck_assert(shell(&bench, "mv next/turn.seal next/turn-*.so next/turn.wasm "
                            "out/ && mv next/turn.json out/"));
}

static void
ask_turn(int fd, const char *id, uint64_t rounds)
{
    char arguments[64];

    (void)snprintf(arguments, sizeof arguments, "{\"rounds\":%llu}",
                   (unsigned long long)rounds);
    ask_tool(fd, id, "turn", arguments);
}

static bool
is_answered(int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};

    return poll(&wait, 1, 0) != 0;
}

static void
hear_version(int fd, const char *version)
{
    static struct response r;
    char part[64];

    ck_assert(hear_within(fd, &r, 60000));
    (void)snprintf(part, sizeof part, "\"structuredContent\":{\"version\":%s}",
                   version);
    ck_assert_msg(strstr(r.body, part) != NULL, "not %s: %s", part, r.body);
}

static uint64_t
processor_ns(void)
{
    struct timespec now;

    ck_assert_int_eq(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now), 0);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// As many rounds as take six seconds of a processor, however busy it is now: longer than
// all that a test does meanwhile.
static uint64_t
long_enough(void)
{
    uint64_t rounds = 1 << 20, took = 0;
    int fd = dial();

    for (; took < 100000000u; rounds *= 2) {
        uint64_t before = processor_ns();
        ask_turn(fd, "1", rounds);
        hear_version(fd, "1");
        took = processor_ns() - before;
    }
    close(fd);
    return rounds / 2 * (6000000000u / took);
}

START_TEST(a_call_ends_on_the_version_it_began_with)
{
    const struct mica_server_options options = {.name = "x", .version = "1"};
    struct mica_reload_options how = {.own = true, .note = note};
    struct mica_error error;

    build_both();
    ck_assert_int_eq(mica_server_open(&options, &error, &host.server), MICA_OK);
    ck_assert_msg(mica_server_load_own_engine(host.server, bench.out, "turn",
                                              &error) == MICA_OK,
                  "%s", error.message);
    how.server = host.server;
    how.folder = bench.out;
    ck_assert_int_eq(mica_reload_open(&how, &error, &reload), MICA_OK);
    start_server((struct mica_http_options){.quiet = true, .workers = 2});
    uint64_t rounds = long_enough();
    int slow = dial(), quick = dial();
    uint64_t before = processor_ns();
    ask_turn(slow, "1", rounds);
    // It runs: nothing else here takes so much of a processor.
    UNIT_AWAIT(processor_ns() - before > 100000000u);
    swap_files();
    ck_assert(!look());
    ck_assert_str_eq(notes, "turn has changed\n");
    ask_turn(quick, "2", 1);
    hear_version(quick, "2");
    ck_assert_msg(!is_answered(slow), "the call was over too soon to tell");
    hear_version(slow, "1");
    ask_turn(slow, "3", 1); // the same connection
    hear_version(slow, "2");
    close(slow);
    close(quick);
    stop();
    mica_reload_close(&reload);
    close_bench(&bench);
}
END_TEST

// What is listed has the old schemas, and its answers the old tag.
START_TEST(a_rebuild_before_the_first_call_is_not_served_as_the_old_build)
{
    const struct mica_server_options options = {.name = "x", .version = "1"};
    struct mica_reload_options how = {.own = true, .note = note};
    struct mica_error error;
    static struct response r;

    build_both();
    ck_assert_int_eq(mica_server_open(&options, &error, &host.server), MICA_OK);
    ck_assert_int_eq(
        mica_server_load_own_engine(host.server, bench.out, "turn", &error),
        MICA_OK);
    start_server((struct mica_http_options){.quiet = true});
    int fd = dial();
    swap_files();
    ask_turn(fd, "1", 1);
    ck_assert(hear_within(fd, &r, 60000));
    ck_assert_msg(strstr(r.body, "BUILD_MISSING") != NULL, "%s", r.body);
    ck_assert_msg(strstr(r.body, "was built again") != NULL, "%s", r.body);
    how.server = host.server;
    how.folder = bench.out;
    ck_assert_int_eq(mica_reload_open(&how, &error, &reload), MICA_OK);
    ck_assert(!look());
    ask_turn(fd, "2", 1);
    hear_version(fd, "2");
    close(fd);
    stop();
    mica_reload_close(&reload);
    close_bench(&bench);
}
END_TEST

START_TEST(another_module_with_the_same_texts_is_not_missed_either)
{
    const struct mica_server_options options = {.name = "x", .version = "1"};
    struct mica_reload_options how = {.own = true, .note = note};
    struct mica_error error;

    build_both();
    ck_assert_int_eq(mica_server_open(&options, &error, &host.server), MICA_OK);
    ck_assert_int_eq(
        mica_server_load_own_engine(host.server, bench.out, "turn", &error),
        MICA_OK);
    start_server((struct mica_http_options){.quiet = true});
    int fd = dial();
    ask_turn(fd, "1", 1);
    hear_version(fd, "1");
    swap_files(); // before anything is watched
    how.server = host.server;
    how.folder = bench.out;
    ck_assert_int_eq(mica_reload_open(&how, &error, &reload), MICA_OK);
    ck_assert(!look());
    ask_turn(fd, "2", 1);
    hear_version(fd, "2");
    close(fd);
    stop();
    mica_reload_close(&reload);
    close_bench(&bench);
}
END_TEST

UNIT_MAIN("reload", engines_come_change_and_go,
          a_manifest_that_cannot_be_read_changes_nothing_and_is_said_once,
          what_could_not_be_loaded_is_tried_again,
          an_engine_is_swapped_when_all_its_files_are_there,
          of_a_folder_nobody_named_only_own_builds_are_taken,
          what_was_loaded_before_is_not_loaded_again,
          a_build_between_loading_and_watching_is_not_missed,
          what_went_between_loading_and_watching_is_taken_back,
          a_call_ends_on_the_version_it_began_with,
          a_rebuild_before_the_first_call_is_not_served_as_the_old_build,
          another_module_with_the_same_texts_is_not_missed_either)

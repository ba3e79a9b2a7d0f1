// SPDX-License-Identifier: Apache-2.0
//
// The checks of mica doctor. They ask the functions that the other commands use, so
// that what is fine here is fine there.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <mica/store.h>

#include "build/build.h"
#include "build/build_cache.h"
#include "build/process.h"
#include "cli/cli_file.h"
#include "cli/command_doctor.h"
#include "cli/identity.h"
#include "cli/project.h"
#include "cli/settings.h"
#include "platform/wall_clock.h"

enum {
    VERSION_BYTES = 64 << 10,
    DESCRIPTORS = 4096 // as mica serve wants them
};

static void
doctor_ok(struct mica_doctor *doctor, const char *check, const char *fact)
{
    mica_doctor_add(doctor, MICA_FINDING_OK, check, fact, NULL);
}

static void
doctor_warn(struct mica_doctor *doctor, const char *check, const char *fact,
            const char *fix)
{
    mica_doctor_add(doctor, MICA_FINDING_WARN, check, fact, fix);
}

static void
doctor_fail(struct mica_doctor *doctor, const char *check, const char *fact,
            const char *fix)
{
    mica_doctor_add(doctor, MICA_FINDING_FAIL, check, fact, fix);
}

// ---- Compilers ---------------------------------------------------------------------

// The first line that a program answers, or "".
static const char *
doctor_ask(struct mica_doctor *doctor, const char *program,
           const char *question)
{
    struct mica_process command = {.count = 0};
    struct mica_error ignored;
    struct mica_buffer printed;
    int status;

    mica_buffer_init(&printed, &doctor->cli->arena, VERSION_BYTES);
    mica_process_add(&command, program);
    mica_process_add(&command, question);
    if (mica_process_run(&command, NULL, &printed, &ignored, &status) !=
            MICA_OK ||
        status != 0)
        return "";
    const char *end =
        printed.len > 0 ? memchr(printed.ptr, '\n', printed.len) : NULL;
    return mica_cli_format(
        doctor->cli, "%.*s",
        end != NULL ? (int)(end - printed.ptr) : (int)printed.len, printed.ptr);
}

static void
check_program(struct mica_doctor *doctor, const char *what, const char *program,
              const char *wanted)
{
    const char *version = doctor_ask(doctor, program, "--version");
    const char *fact =
        mica_cli_format(doctor->cli, "%s (%s)", program, version);

    if (version[0] == '\0')
        doctor_fail(doctor, what,
                    mica_cli_format(doctor->cli, "%s does not say its version",
                                    program),
                    "It cannot be run, or is another program of that name.");
    else if (wanted != NULL && strstr(version, wanted) == NULL)
        doctor_warn(
            doctor, what, fact,
            mica_cli_format(doctor->cli,
                            "mica is tested with %s; what another one builds "
                            "may differ from what others have.",
                            wanted));
    else
        doctor_ok(doctor, what, fact);
}

// Without it browsers that refuse WebAssembly compute nothing.
static void
check_wasm2js(struct mica_doctor *doctor,
              const struct mica_toolchain *toolchain)
{
    if (toolchain->wasm2js[0] != '\0')
        check_program(doctor, "wasm2js", toolchain->wasm2js, NULL);
    else
        doctor_warn(
            doctor, "wasm2js", "there is no wasm2js",
            "Engines that are built here do not run in browsers that refuse "
            "WebAssembly; the server answers those. Install the package "
            "binaryen, or set MICA_WASM2JS to its path.");
}

// What mica check counts branches with.
static void
check_coverage(struct mica_doctor *doctor,
               const struct mica_toolchain *toolchain)
{
    static const char name[] = "libclang_rt.profile";
    const char *path =
        doctor_ask(doctor, toolchain->clang, "-print-runtime-dir");
    DIR *folder = opendir(path);
    const struct dirent *file = NULL;
    bool there = false;

    while (folder != NULL && !there && (file = readdir(folder)) != NULL)
        there = strncmp(file->d_name, name, sizeof name - 1) == 0;
    if (folder != NULL)
        (void)closedir(folder);
    if (there)
        doctor_ok(doctor, "coverage",
                  mica_cli_format(doctor->cli, "%s/%s", path, name));
    else
        doctor_warn(
            doctor, "coverage",
            mica_cli_format(doctor->cli, "there is no %s in %s", name, path),
            "\"mica check\" cannot count branches, and so cannot say that an "
            "engine is done. Install the package libclang-rt-14-dev.");
}

void
mica_doctor_toolchain(struct mica_doctor *doctor)
{
    struct mica_toolchain toolchain;
    struct mica_error error;

    if (mica_toolchain_find(&toolchain, &error) == MICA_OK) {
        check_program(doctor, "clang", toolchain.clang, "14.0");
        check_program(doctor, "wasm-ld", toolchain.wasm_ld, "14.0");
        check_program(doctor, "wasm2c", toolchain.wasm2c, "1.0.32");
        check_wasm2js(doctor, &toolchain);
        check_coverage(doctor, &toolchain);
        check_program(doctor, "cc", toolchain.cc, NULL);
        return;
    }
    // What is built already can be served all the same.
    doctor_warn(doctor, "engines", "engines cannot be built here",
                error.message);
    if (mica_toolchain_find_native(&toolchain, &error) == MICA_OK)
        check_program(doctor, "cc", toolchain.cc, NULL);
    else
        doctor_warn(doctor, "tools", "interactive tools cannot be built here",
                    error.message);
}

// ---- mica's own files --------------------------------------------------------------

// Which store is that of this folder, and how that is known.
static void
check_identity(struct mica_doctor *doctor)
{
    struct mica_identity identity;
    struct mica_error error;

    if (mica_identity_find(doctor->options, false, &error, &identity) !=
        MICA_OK)
        return; // was said before
    const char *fact = mica_cli_format(
        doctor->cli, "%s%s%s, store %s",
        identity.kind == MICA_IDENTITY_NONE ? "none here" : "identity ",
        identity.id,
        identity.kind == MICA_IDENTITY_FILE   ? " by .mica/project"
        : identity.kind == MICA_IDENTITY_PATH ? " by the path of the folder"
                                              : "",
        mica_identity_store(doctor->cli, doctor->options));
    if (identity.copied)
        doctor_warn(
            doctor, "project",
            mica_options_value(doctor->options, "store") == NULL &&
                    mica_identity_is_new_copy(&identity)
                ? "a copy, with no identity and no store of its own yet"
                : fact,
            mica_cli_format(doctor->cli,
                            "The folder is a copy of %s. It gets an identity "
                            "and a store of its own when it is served.",
                            identity.other));
    else if (identity.moved)
        doctor_warn(
            doctor, "project", fact,
            mica_cli_format(doctor->cli,
                            "The folder was %s before; it keeps its store.",
                            identity.other));
    else
        doctor_ok(doctor, "project", fact);
}

static void
check_store(struct mica_doctor *doctor)
{
    static const struct mica_store_options there = {.must_exist = true};
    const char *given = mica_options_value(doctor->options, "store");
    const char *spec = mica_identity_store(doctor->cli, doctor->options);
    struct mica_error error;
    struct mica_store *store;
    struct mica_store_place place;
    struct mica_text findings;
    enum mica_status status = mica_store_open(spec, &there, &error, &store);

    if (status == MICA_E_NOT_FOUND && given == NULL) {
        doctor_ok(doctor, "store", "no store yet; mica serve makes it");
        return;
    }
    if (status != MICA_OK) {
        doctor_fail(doctor, "store", error.message, NULL);
        return;
    }
    status = mica_store_place(store, &error, &place);
    if (status == MICA_OK)
        status =
            mica_store_check(store, &doctor->cli->arena, &error, &findings);
    if (status != MICA_OK)
        doctor_fail(doctor, "store", error.message, NULL);
    else if (findings.len > 0)
        doctor_fail(
            doctor, "store",
            mica_cli_format(doctor->cli, "%s does not agree with itself",
                            place.path),
            "\"mica store check\" says where; put a copy back that \"mica "
            "store backup\" made, or begin without.");
    else if (!place.sees_deaths)
        doctor_warn(
            doctor, "store",
            mica_cli_format(doctor->cli,
                            "%s is sound, but %s-nodes cannot be locked: a "
                            "call is free 30 seconds after the death of its "
                            "process, not at once",
                            place.path, place.path),
            "Keep the store on a local disk, and the file -nodes a file of "
            "yours.");
    else
        doctor_ok(doctor, "store",
                  mica_cli_format(doctor->cli, "%s is sound", place.path));
    mica_store_close(&store);
}

// Where translations are kept for the next build, and how much they are.
static void
check_cache(struct mica_doctor *doctor)
{
    char folder[MICA_CACHE_PATH_SIZE];
    struct mica_error error;

    if (mica_cache_folder(&error, folder) != MICA_OK) {
        doctor_fail(doctor, "cache", error.message,
                    "No engine is built before that is mended.");
    } else if (folder[0] == '\0') {
        doctor_ok(doctor, "cache", "off; each build compiles anew");
    } else if (access(folder, F_OK) != 0) {
        doctor_ok(doctor, "cache",
                  mica_cli_format(doctor->cli, "%s, not made yet", folder));
    } else if (mica_cache_open(folder, &error) != MICA_OK) {
        doctor_warn(doctor, "cache", error.message,
                    "Builds compile anew each time until this is mended.");
    } else {
        struct mica_cache_size size = mica_cache_measure(folder);
        doctor_ok(doctor, "cache",
                  mica_cli_format(
                      doctor->cli, "%s, %zu translation%s, %zu of %d KiB",
                      folder, size.entries, mica_cli_s(size.entries),
                      (size_t)(size.bytes >> 10), MICA_CACHE_BYTES >> 10));
    }
}

void
mica_doctor_state(struct mica_doctor *doctor)
{
    char folder[PATH_MAX];
    struct mica_error error;
    struct mica_seal_key key;

    if (mica_state_folder(&error, folder) != MICA_OK)
        doctor_fail(
            doctor, "state", error.message,
            "mica keeps its key and its store there; set XDG_STATE_HOME to a "
            "folder of yours.");
    else if (mica_seal_key(&error, &key) != MICA_OK)
        doctor_fail(
            doctor, "key", error.message,
            "Without it own builds are not known from those of others.");
    else
        doctor_ok(doctor, "key",
                  mica_cli_format(doctor->cli, "%s/key", folder));
    check_cache(doctor);
    check_identity(doctor);
    check_store(doctor);
}

// ---- This folder -------------------------------------------------------------------

static void
check_built(struct mica_doctor *doctor, const struct mica_source_kind *kind,
            const char *const *names)
{
    size_t own = 0, foreign = 0, missing = 0;
    char whole[PATH_MAX];
    struct mica_sealed sealed;
    struct mica_seal_key key;
    struct mica_error error;

    if (realpath(kind->built, whole) != NULL &&
        mica_trust_path(whole, &error) != MICA_OK) {
        doctor_fail(doctor, kind->built, error.message,
                    "Nothing is loaded from a folder that others can write.");
        return;
    }
    if (mica_seal_key(&error, &key) != MICA_OK)
        return; // was said before
    for (; *names != NULL; names++) {
        const char *path =
            mica_cli_format(doctor->cli, "%s/%s.json", kind->built, *names);
        if (access(path, F_OK) != 0)
            missing++;
        else if (mica_seal_read(&key, kind->built, *names, &sealed))
            own++;
        else
            foreign++;
    }
    const char *fact = mica_cli_format(
        doctor->cli, "%zu %s%s: %zu built by you, %zu by others, %zu not built",
        own + foreign + missing, kind->noun,
        mica_cli_s(own + foreign + missing), own, foreign, missing);
    if (foreign > 0)
        doctor_warn(
            doctor, kind->dir, fact,
            "What others have built is built again when it is needed, never "
            "loaded.");
    else
        doctor_ok(doctor, kind->dir, fact);
}

// The settings of this folder: how many values come from where.
static void
check_settings(struct mica_doctor *doctor)
{
    struct mica_settings_file file;
    struct mica_error error;
    size_t values = 0, variables = 0;

    if (mica_settings_read(doctor->cli, MICA_SETTINGS_FILE, &error, &file) !=
        MICA_OK) {
        doctor_fail(doctor, "settings", error.message,
                    "No command that serves here starts before that is "
                    "mended; \"mica config\" says when it is.");
        return;
    }
    for (const struct mica_setting *setting = mica_settings;
         setting->key != NULL; setting++) {
        values +=
            file.path != NULL && file.values[setting - mica_settings] != NULL;
        variables +=
            getenv(mica_setting_variable(doctor->cli, setting)) != NULL;
    }
    doctor_ok(
        doctor, "settings",
        mica_cli_format(doctor->cli,
                        "%zu from %s, %zu from the environment; \"mica "
                        "config\" shows all",
                        values,
                        file.path != NULL
                            ? MICA_SETTINGS_FILE
                            : "a file, as there is no " MICA_SETTINGS_FILE,
                        variables));
}

void
mica_doctor_folder(struct mica_doctor *doctor)
{
    check_settings(doctor);
    mica_doctor_models(doctor);
    const struct mica_source_kind *const kinds[] = {&mica_kind_engine,
                                                    &mica_kind_tool};
    const char *const *names;
    struct mica_error error;
    bool some = false;

    for (size_t i = 0; i < MICA_COUNT(kinds); i++) {
        if (mica_project_sources(doctor->cli, kinds[i], &error, &names) !=
            MICA_OK) {
            doctor_fail(doctor, kinds[i]->dir, error.message, NULL);
            some = true;
        } else if (*names != NULL) {
            check_built(doctor, kinds[i], names);
            some = true;
        }
    }
    if (!some)
        doctor_ok(doctor, "folder",
                  "no engines and no tools here; mica serves those inside it");
}

// ---- The machine -------------------------------------------------------------------

// 0 when the address can be listened on, else why not.
static int
try_address(const char *host, const char *port)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_PASSIVE | AI_NUMERICHOST |
                                               AI_NUMERICSERV};
    struct addrinfo *found;
    int result = 0, on = 1, fd;

    if (getaddrinfo(host, port, &hints, &found) != 0)
        return EINVAL;
    fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 ||
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(fd, found->ai_addr, found->ai_addrlen) != 0 || listen(fd, 1) != 0)
        result = errno;
    if (fd >= 0)
        (void)close(fd);
    freeaddrinfo(found);
    return result;
}

static void
check_port(struct mica_doctor *doctor)
{
    const char *listen = mica_options_value(doctor->options, "listen");
    const char *address = listen != NULL ? listen : "127.0.0.1:8080";
    const char *colon = strrchr(address, ':');
    bool brackets = address[0] == '[' && colon != NULL && colon[-1] == ']';
    const char *host = mica_cli_format(
        doctor->cli, "%.*s",
        colon != NULL ? (int)(colon - address) - (brackets ? 2 : 0) : 0,
        address + (brackets ? 1 : 0));
    int why = colon == NULL ? EINVAL : try_address(host, colon + 1);

    if (why == 0)
        doctor_ok(doctor, "port",
                  mica_cli_format(doctor->cli, "%s is free", address));
    else if (why == EADDRINUSE)
        doctor_warn(
            doctor, "port",
            mica_cli_format(doctor->cli, "a program listens at %s", address),
            "Perhaps mica serve does already; else give it another port: "
            "--listen 127.0.0.1:9000.");
    else
        doctor_warn(doctor, "port",
                    mica_cli_format(doctor->cli, "cannot listen at %s: %s",
                                    address, strerror(why)),
                    "An address is HOST:PORT, with the host in digits.");
}

static void
check_limits(struct mica_doctor *doctor)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max < DESCRIPTORS)
        doctor_warn(
            doctor, "descriptors",
            mica_cli_format(doctor->cli, "at most %llu files can be open",
                            (unsigned long long)limit.rlim_max),
            "Each connection is one: raise \"ulimit -Hn\" to 4096, or give "
            "--connections a smaller number.");
    else
        doctor_ok(doctor, "descriptors", "enough files can be open");
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        doctor_warn(
            doctor, "memory",
            mica_cli_format(doctor->cli,
                            "the address space is limited to %llu MiB",
                            (unsigned long long)(limit.rlim_cur >> 20)),
            "Each engine that runs reserves its memory: raise \"ulimit -v\" "
            "when calls fail with LIMIT_EXCEEDED.");
    int watch = inotify_init1(IN_CLOEXEC);
    if (watch < 0)
        doctor_warn(
            doctor, "watching",
            mica_cli_format(doctor->cli, "folders cannot be watched: %s",
                            strerror(errno)),
            "Raise fs.inotify.max_user_instances; until then changes are "
            "seen when mica is started again.");
    else
        (void)close(watch);
}

// Tokens and sealed states have times in them.
static void
check_clock(struct mica_doctor *doctor)
{
    int64_t now_s = mica_wall_clock_ms() / 1000;
    struct stat program;

    if (stat("/proc/self/exe", &program) == 0 &&
        now_s + 86400 < program.st_mtim.tv_sec)
        doctor_fail(
            doctor, "clock", "it is earlier than when mica was made",
            "Set the clock: access tokens and states of calls expire by it.");
    else
        doctor_ok(doctor, "clock", "it is later than when mica was made");
}

// Whether compilers of what others wrote can be kept from the rest of the machine.
static void
check_confinement(struct mica_doctor *doctor)
{
    struct mica_buffer sentence;

    mica_buffer_init(&sentence, &doctor->cli->arena, VERSION_BYTES);
    bool all = mica_confine_describe(&sentence);
    const char *fact =
        mica_cli_format(doctor->cli, "compilers are confined: %.*s",
                        MICA_ARG(mica_buffer_as_text(&sentence)));
    if (all)
        doctor_ok(doctor, "confinement", fact);
    else
        doctor_warn(
            doctor, "confinement", fact,
            "Engines are checked as everywhere, but a fault of a compiler "
            "would reach what you can. Build only sources that you trust, or "
            "use Linux 5.13 or later with Landlock among its security "
            "modules (lsm=landlock,…), in a container with a seccomp profile "
            "that lets it through.");
}

void
mica_doctor_machine(struct mica_doctor *doctor)
{
    check_confinement(doctor);
    check_port(doctor);
    check_limits(doctor);
    check_clock(doctor);
}

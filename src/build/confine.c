// SPDX-License-Identifier: Apache-2.0
//
// The rules and the filter are made before a fork, and entered by the child, which
// makes nothing but system calls by then.
#include "build/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// linux/landlock.h, of which older systems know less, or nothing.
enum {
    CALL_CREATE_RULESET = 444,
    CALL_ADD_RULE = 445,
    CALL_RESTRICT_SELF = 446,
    ASK_VERSION = 1,
    RULE_PATH_BENEATH = 1,
    FILES_ABI_1 = 0x1FFF,        // EXECUTE to MAKE_SYM
    FILES_REFER = 0x2000,        // ABI 2
    FILES_TRUNCATE = 0x4000,     // ABI 3
    FILES_IOCTL_DEVICE = 0x8000, // ABI 5
    NETWORK_TCP = 3,             // ABI 4: bind, connect
    SCOPES = 3,                  // ABI 6: abstract Unix sockets, signals
    EXECUTE = 1,
    WRITE_FILE = 2,
    READ_FILE = 4,
    READ_FOLDER = 8,
    REMOVE_FILE = 0x20,
    MAKE_FILE = 0x100,
    RIGHTS_OF_FILES =
        EXECUTE | WRITE_FILE | READ_FILE | FILES_TRUNCATE | FILES_IOCTL_DEVICE,
    MAY_READ = EXECUTE | READ_FILE | READ_FOLDER,
    MAY_WRITE = MAY_READ | WRITE_FILE | REMOVE_FILE | MAKE_FILE | FILES_TRUNCATE
};

struct ruleset_attributes {
    uint64_t files, network, scopes;
};

struct beneath_attributes {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

// ---- What there is ---------------------------------------------------------------

static int
create_ruleset(const struct ruleset_attributes *attributes, size_t size,
               unsigned flags)
{
    return (int)syscall(CALL_CREATE_RULESET, attributes, size, flags);
}

struct mica_confine_support
mica_confine_support(void)
{
    int abi = create_ruleset(NULL, 0, ASK_VERSION);
    return (struct mica_confine_support){.landlock_abi = abi > 0 ? abi : 0,
                                         .landlock_errno = abi > 0 ? 0 : errno,
                                         .seccomp =
                                             mica_confine_calls_supported()};
}

bool
mica_confine_describe(struct mica_buffer *out)
{
    struct mica_confine_support support = mica_confine_support();
    if (support.landlock_abi > 0)
        mica_buffer_format(out, "files by Landlock (ABI %d)",
                           support.landlock_abi);
    else
        mica_buffer_format(out, "files are not: this kernel %s",
                           support.landlock_errno == EOPNOTSUPP
                               ? "has Landlock and was told not to use it"
                           : support.landlock_errno == ENOSYS
                               ? "has no Landlock (it came with Linux 5.13)"
                               : "or its container refuses Landlock");
    mica_buffer_text(out, support.seccomp
                              ? mica_text("; network and other processes by "
                                          "seccomp")
                              : mica_text("; network and other processes are "
                                          "not: there are no seccomp filters "
                                          "here"));
    return support.landlock_abi > 0 && support.seccomp;
}

void
mica_confine_warn(struct mica_buffer *diagnostics)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    char words[256];
    struct mica_buffer sentence;
    mica_buffer_init(&sentence, NULL, sizeof words);
    if (!mica_confine_describe(&sentence) && !sentence.overflow &&
        !atomic_flag_test_and_set(&warned))
        mica_buffer_format(diagnostics,
                           "warning: compilers are not confined fully here: "
                           "%.*s. Build only sources that you trust.\n",
                           MICA_ARG(mica_buffer_as_text(&sentence)));
    mica_buffer_fini(&sentence);
}

uint64_t
mica_confine_handled(int landlock_abi)
{
    uint64_t rights = landlock_abi > 0 ? FILES_ABI_1 : 0;
    if (landlock_abi >= 2)
        rights |= FILES_REFER;
    if (landlock_abi >= 3)
        rights |= FILES_TRUNCATE;
    if (landlock_abi >= 5)
        rights |= FILES_IOCTL_DEVICE;
    return rights;
}

// ---- Rules -------------------------------------------------------------------------

struct rules {
    int ruleset;
    uint64_t handled;
    int failure; // errno of the first rule that the kernel refused
};

// A path that is absent needs no rule: opening it fails anyway.
static void
rules_allow(struct rules *rules, const char *path, uint64_t rights)
{
    struct stat st;
    int place = open(path, O_PATH | O_CLOEXEC);
    if (place < 0)
        return;
    struct beneath_attributes beneath = {rights & rules->handled, place};
    if (fstat(place, &st) == 0 && !S_ISDIR(st.st_mode))
        beneath.allowed &= RIGHTS_OF_FILES;
    if (syscall(CALL_ADD_RULE, rules->ruleset, RULE_PATH_BENEATH, &beneath,
                0) != 0 &&
        rules->failure == 0)
        rules->failure = errno;
    (void)close(place);
}

// The folders of programs and libraries below a root, never the root itself: it
// may be a user's home.
static void
allow_root(struct rules *rules, const char *root)
{
    static const char *const folders[] = {
        "bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "include"};
    char path[PATH_MAX];
    for (size_t i = 0; i < MICA_COUNT(folders); i++) {
        int len = snprintf(path, sizeof path, "%s/%s", root, folders[i]);
        if (len > 0 && (size_t)len < sizeof path)
            rules_allow(rules, path, MAY_READ);
    }
}

// The program, and what stands beside its "bin".
static void
allow_program(struct rules *rules, const char *path)
{
    char whole[PATH_MAX];
    rules_allow(rules, path, EXECUTE | READ_FILE);
    if (realpath(path, whole) == NULL)
        return;
    char *slash = strrchr(whole, '/');
    *slash = '\0';
    slash = strrchr(whole, '/');
    if (slash == NULL || strcmp(slash, "/bin") != 0)
        return;
    *slash = '\0';
    allow_root(rules, whole);
}

static void
allow_system(struct rules *rules)
{
    static const char *const files[] = {
        "/etc/ld.so.cache", "/etc/ld.so.preload", "/dev/urandom", "/dev/random",
        // Systems that keep everything there.
        "/nix/store", "/gnu/store"};
    allow_root(rules, "");
    allow_root(rules, "/usr");
    allow_root(rules, "/usr/local");
    for (size_t i = 0; i < MICA_COUNT(files); i++)
        rules_allow(rules, files[i], MAY_READ);
    // The user may have libraries elsewhere.
    for (const char *at = getenv("LD_LIBRARY_PATH");
         at != NULL && *at != '\0';) {
        char path[PATH_MAX];
        size_t len = strcspn(at, ":");
        if (len > 0 && len < sizeof path && at[0] == '/') {
            memcpy(path, at, len);
            path[len] = '\0';
            rules_allow(rules, path, MAY_READ);
        }
        at += len + (at[len] == ':');
    }
}

static void
allow_all(struct rules *rules, const struct mica_confinement *confinement,
          const char *program)
{
    rules_allow(rules, "/dev/null", READ_FILE | WRITE_FILE | FILES_TRUNCATE);
    if (confinement->profile == MICA_CONFINE_RUN) {
        rules_allow(rules, program, EXECUTE | READ_FILE);
    } else if (confinement->profile == MICA_CONFINE_TOOL) {
        rules_allow(rules, "/", MAY_READ);
    } else {
        allow_system(rules);
        allow_program(rules, program);
    }
    for (const char *const *at = confinement->reads; at != NULL && *at != NULL;
         at++)
        rules_allow(rules, *at, MAY_READ);
    if (confinement->write_dir != NULL)
        rules_allow(rules, confinement->write_dir, MAY_WRITE);
}

// -1 without Landlock. False with errno: the kernel has it and refused.
static bool
make_ruleset(const struct mica_confinement *confinement, const char *program,
             int *ruleset_out)
{
    int abi = mica_confine_support().landlock_abi;
    struct ruleset_attributes attributes = {.files = mica_confine_handled(abi),
                                            .network =
                                                abi >= 4 ? NETWORK_TCP : 0,
                                            .scopes = abi >= 6 ? SCOPES : 0};
    // What a kernel does not know is zero, and taken so.
    size_t size = abi >= 6   ? sizeof attributes
                  : abi >= 4 ? offsetof(struct ruleset_attributes, scopes)
                             : offsetof(struct ruleset_attributes, network);
    *ruleset_out = -1;
    if (abi == 0)
        return true;
    struct rules rules = {.handled = attributes.files};
    rules.ruleset = create_ruleset(&attributes, size, 0);
    if (rules.ruleset < 0)
        return false;
    allow_all(&rules, confinement, program);
    if (rules.failure != 0) {
        (void)close(rules.ruleset);
        errno = rules.failure;
        return false;
    }
    *ruleset_out = rules.ruleset;
    return true;
}

// ---- Entering ------------------------------------------------------------------------

enum mica_status
mica_confine_refused(const char *program, int reason, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_IO, "",
                          "Cannot confine %s, so it is not started: %s. "
                          "\"mica doctor\" says what this kernel has.",
                          program, strerror(reason));
}

enum mica_status
mica_confine_plan(const struct mica_confinement *confinement,
                  const char *program, struct mica_error *error,
                  struct mica_confine_plan *plan_out)
{
    if (!make_ruleset(confinement, program, &plan_out->ruleset))
        return mica_confine_refused(program, errno, error);
    mica_confine_write(confinement->profile, &plan_out->filter);
    return MICA_OK;
}

bool
mica_confine_enter(const struct mica_confine_plan *plan)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return false;
    if (plan->ruleset >= 0 &&
        syscall(CALL_RESTRICT_SELF, plan->ruleset, 0) != 0)
        return false;
    return mica_confine_calls(&plan->filter);
}

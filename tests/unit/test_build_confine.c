// SPDX-License-Identifier: Apache-2.0
//
// What programs that read an engine's source may reach: each thing that a confined
// program must not do is tried by one, under each profile, and what it has to do
// works. Then the same with kernels that have less.
#include "test_build.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "build/process.h"

// Tries one thing, named by its first argument, on its second; 0: it could.
static const char probe[] =
    "#define _GNU_SOURCE\n"
    "#include <errno.h>\n#include <fcntl.h>\n#include <sched.h>\n"
    "#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
    "#include <string.h>\n#include <sys/mman.h>\n#include <sys/ptrace.h>\n"
    "#include <sys/resource.h>\n#include <sys/shm.h>\n"
    "#include <sys/socket.h>\n#include <sys/stat.h>\n#include <sys/un.h>\n"
    "#include <sys/syscall.h>\n#include <sys/wait.h>\n#include <sys/xattr.h>\n"
    "#include <unistd.h>\n"
    "int main(int count, char **words) {\n"
    "  const char *what = words[1], *path = count > 2 ? words[2] : \"\";\n"
    "#define IS(name) (strcmp(what, name) == 0)\n"
    "  if (IS(\"read\")) return open(path, O_RDONLY) < 0;\n"
    "  if (IS(\"list\")) return open(path, O_RDONLY | O_DIRECTORY) < 0;\n"
    "  if (IS(\"write\")) return open(path, O_WRONLY | O_CREAT, 0600) < 0;\n"
    "  if (IS(\"truncate\")) return truncate(path, 0) != 0;\n"
    "  if (IS(\"remove\")) return unlink(path) != 0;\n"
    "  if (IS(\"rename\")) return rename(path, \"/tmp/mica-stolen\") != 0;\n"
    "  if (IS(\"link\")) return link(path, words[3]) != 0;\n"
    "  if (IS(\"symlink\")) return symlink(\"/etc/passwd\", path) != 0;\n"
    "  if (IS(\"folder\")) return mkdir(path, 0700) != 0;\n"
    "  if (IS(\"fifo\")) return mkfifo(path, 0600) != 0;\n"
    "  if (IS(\"chmod\")) return chmod(path, 0777) != 0;\n"
    "  if (IS(\"chown\")) return chown(path, 1, 1) != 0;\n"
    "  if (IS(\"times\")) return utimensat(AT_FDCWD, path, NULL, 0) != 0;\n"
    "  if (IS(\"attribute\")) return setxattr(path, \"user.mica\", \"\", 0, 0) "
    "!= 0;\n"
    "  if (IS(\"internet\")) return socket(AF_INET, SOCK_STREAM, 0) < 0;\n"
    "  if (IS(\"datagram\")) return socket(AF_INET6, SOCK_DGRAM, 0) < 0;\n"
    "  if (IS(\"unix\")) return socket(AF_UNIX, SOCK_STREAM, 0) < 0;\n"
    "  if (IS(\"uring\")) return syscall(425, 8, 0) < 0 && errno == EPERM;\n"
    "  if (IS(\"pair\")) { int p[2]; return socketpair(AF_UNIX, SOCK_DGRAM, 0, "
    "p) != 0; }\n"
    "  if (IS(\"segment\")) return shmget(IPC_PRIVATE, 1, 0600) < 0;\n"
    "  if (IS(\"limit\")) { struct rlimit l; return prlimit(getppid(), "
    "RLIMIT_CORE, NULL, &l) != 0; }\n"
    "  if (IS(\"priority\")) return setpriority(PRIO_PROCESS, getppid(), 0) != "
    "0;\n"
    "  if (IS(\"owner\")) return fcntl(0, F_SETOWN, getppid()) != 0;\n"
    "  if (IS(\"own limit\")) { struct rlimit l; return getrlimit("
    "RLIMIT_CORE, &l) != 0 || fcntl(1, F_GETFD) < 0; }\n"
    "  if (IS(\"cut\")) return open(path, O_RDONLY | O_TRUNC) < 0;\n"
    "  if (IS(\"signal\")) return kill(getppid(), 0) != 0;\n"
    "  if (IS(\"trace\")) return ptrace(PTRACE_ATTACH, getppid(), 0, 0) != 0;\n"
    "  if (IS(\"namespace\")) return unshare(CLONE_NEWUSER) != 0;\n"
    "  if (IS(\"clone\")) return syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, "
    "0, 0, 0) < 0;\n"
    "  if (IS(\"run\")) { execl(path, path, NULL); return 1; }\n"
    "  if (IS(\"fork\")) { pid_t c = fork(); if (c == 0) _exit(0); return c < "
    "0; }\n"
    "  if (IS(\"inherited\")) { for (int i = 3; i < 64; i++) if (fcntl(i, "
    "F_GETFD) >= 0) return 0; return 1; }\n"
    "  return 99;\n}\n";

struct place {
    struct bench bench;
    char program[PATH_MAX], build[PATH_MAX], outside[PATH_MAX];
};

static void
open_place(struct place *place)
{
    open_bench(&place->bench);
    write_source(&place->bench, "probe.c", probe);
    ck_assert(shell(&place->bench, "cc -std=gnu11 -static -w -o probe probe.c "
                                   "&& mkdir build && echo own >build/file && "
                                   "echo secret >outside"));
    (void)snprintf(place->program, PATH_MAX, "%s/probe", place->bench.folder);
    (void)snprintf(place->build, PATH_MAX, "%s/build", place->bench.folder);
    (void)snprintf(place->outside, PATH_MAX, "%s/outside", place->bench.folder);
}

// Whether the program can do it.
static bool
can(const struct place *place, enum mica_confine_profile profile,
    const char *what, const char *path, const char *other)
{
    const struct mica_confinement confinement = {
        .profile = profile,
        .write_dir = profile == MICA_CONFINE_RUN ? NULL : place->build};
    struct mica_process command = {.confinement = &confinement};
    struct mica_error error = {0};
    struct mica_buffer said;
    int status = -1;
    mica_buffer_init(&said, NULL, 1 << 16);
    mica_process_add(&command, place->program);
    mica_process_add(&command, what);
    mica_process_add(&command, path);
    if (other != NULL)
        mica_process_add(&command, other);
    enum mica_status ran =
        mica_process_run(&command, NULL, &said, &error, &status);
    mica_buffer_fini(&said);
    ck_assert_msg(ran == MICA_OK, "%s", error.message);
    ck_assert_msg(status == 0 || status == 1, "%s: %d", what, status);
    return status == 0;
}

// As this test, without a confinement: so that a refusal is one.
static bool
can_unconfined(const struct place *place, const char *what, const char *path)
{
    struct mica_process command = {.count = 0};
    struct mica_buffer said;
    int status = -1;
    mica_buffer_init(&said, NULL, 1 << 16);
    mica_process_add(&command, place->program);
    mica_process_add(&command, what);
    mica_process_add(&command, path);
    enum mica_status ran =
        mica_process_run(&command, place->bench.folder, &said, NULL, &status);
    mica_buffer_fini(&said);
    return ran == MICA_OK && status == 0;
}

static bool
has_landlock(void)
{
    return mica_confine_support().landlock_abi > 0;
}

// ---- What is refused -------------------------------------------------------------

START_TEST(no_profile_reaches_the_network_or_other_processes)
{
    static const char *const things[] = {
        "internet",  "datagram", "unix",      "signal", "trace",
        "namespace", "clone",    "inherited", "pair",   "segment",
        "limit",     "priority", "owner"};
    struct place place;
    open_place(&place);
    ck_assert(mica_confine_support().seccomp);
    ck_assert(can_unconfined(&place, "internet", ""));
    ck_assert(can_unconfined(&place, "signal", ""));
    ck_assert(can_unconfined(&place, "pair", ""));
    ck_assert(can_unconfined(&place, "limit", ""));
    ck_assert(can_unconfined(&place, "owner", ""));
    int inherited = open("/dev/null", O_RDONLY); // not close-on-exec
    ck_assert_int_ge(inherited, 3);
    for (int profile = MICA_CONFINE_ENGINE; profile <= MICA_CONFINE_RUN;
         profile++) {
        for (size_t i = 0; i < MICA_COUNT(things); i++)
            ck_assert_msg(!can(&place, (enum mica_confine_profile)profile,
                               things[i], "", NULL),
                          "profile %d: %s", profile, things[i]);
        ck_assert(can(&place, (enum mica_confine_profile)profile, "own limit",
                      "", NULL));
    }
    ck_assert_int_eq(close(inherited), 0);
    close_bench(&place.bench);
}
END_TEST

START_TEST(no_profile_changes_what_is_outside)
{
    static const char *const things[] = {
        "write", "truncate", "remove", "rename", "symlink", "folder", "fifo"};
    struct place place;
    open_place(&place);
    if (!has_landlock()) {
        close_bench(&place.bench);
        return; // said by mica doctor and by each build
    }
    for (int profile = MICA_CONFINE_ENGINE; profile <= MICA_CONFINE_RUN;
         profile++) {
        for (size_t i = 0; i < MICA_COUNT(things); i++) {
            char fresh[PATH_MAX + 8];
            bool makes = i >= 4;
            (void)snprintf(fresh, sizeof fresh, "%s%s", place.outside,
                           makes ? ".new" : "");
            ck_assert_msg(!can(&place, (enum mica_confine_profile)profile,
                               things[i], fresh, NULL),
                          "profile %d: %s", profile, things[i]);
        }
    }
    ck_assert(shell(&place.bench, "test \"$(cat outside)\" = secret && test ! "
                                  "-e outside.new"));
    // With nothing in its way each of them works.
    for (size_t i = 0; i < 2; i++)
        ck_assert(can_unconfined(&place, things[i], "outside"));
    close_bench(&place.bench);
}
END_TEST

// Landlock before its third version does not see these, wherever the file lies.
START_TEST(no_file_is_cut_off_by_its_path)
{
    struct place place;
    char own[PATH_MAX + 8];
    open_place(&place);
    (void)snprintf(own, sizeof own, "%s/file", place.build);
    for (int profile = MICA_CONFINE_ENGINE; profile <= MICA_CONFINE_RUN;
         profile++) {
        ck_assert(!can(&place, (enum mica_confine_profile)profile, "truncate",
                       own, NULL));
        ck_assert(
            !can(&place, (enum mica_confine_profile)profile, "cut", own, NULL));
    }
    ck_assert(shell(&place.bench, "test \"$(cat build/file)\" = own"));
    ck_assert(can_unconfined(&place, "cut", "build/file"));
    close_bench(&place.bench);
}
END_TEST

START_TEST(rights_owners_and_times_stay_as_they_are)
{
    static const char *const things[] = {"chmod", "chown", "times",
                                         "attribute"};
    static const enum mica_confine_profile profiles[] = {MICA_CONFINE_ENGINE,
                                                         MICA_CONFINE_RUN};
    struct place place;
    open_place(&place);
    ck_assert(can_unconfined(&place, "times", "outside"));
    for (size_t i = 0; i < MICA_COUNT(profiles); i++)
        for (size_t j = 0; j < MICA_COUNT(things); j++)
            ck_assert_msg(
                !can(&place, profiles[i], things[j], place.outside, NULL), "%s",
                things[j]);
    close_bench(&place.bench);
}
END_TEST

START_TEST(an_engines_compiler_reads_the_toolchain_and_no_secret)
{
    static const char *const secrets[] = {"/etc/passwd",        "/etc/hostname",
                                          "/proc/self/environ", "/proc/version",
                                          "/dev/zero",          "/root"};
    struct place place;
    open_place(&place);
    if (!has_landlock()) {
        close_bench(&place.bench);
        return;
    }
    for (size_t i = 0; i < MICA_COUNT(secrets); i++) {
        ck_assert_msg(
            !can(&place, MICA_CONFINE_ENGINE, "read", secrets[i], NULL), "%s",
            secrets[i]);
        ck_assert_msg(!can(&place, MICA_CONFINE_RUN, "read", secrets[i], NULL),
                      "%s", secrets[i]);
    }
    ck_assert(!can(&place, MICA_CONFINE_ENGINE, "read", place.outside, NULL));
    ck_assert(
        !can(&place, MICA_CONFINE_ENGINE, "list", place.bench.folder, NULL));
    ck_assert(
        can(&place, MICA_CONFINE_ENGINE, "read", "/usr/include/stdio.h", NULL));
    ck_assert(can(&place, MICA_CONFINE_ENGINE, "read", "/usr/bin/cc", NULL));
    // The compiler of an interactive tool reads as its user does.
    ck_assert(can(&place, MICA_CONFINE_TOOL, "read", place.outside, NULL));
    close_bench(&place.bench);
}
END_TEST

START_TEST(a_compiler_writes_into_its_folder_and_no_link_out_of_it)
{
    struct place place;
    char file[PATH_MAX + 16];
    open_place(&place);
    (void)snprintf(file, sizeof file, "%s/build/made", place.bench.folder);
    ck_assert(can(&place, MICA_CONFINE_ENGINE, "write", file, NULL));
    ck_assert(can(&place, MICA_CONFINE_TOOL, "write", file, NULL));
    ck_assert(can(&place, MICA_CONFINE_ENGINE, "remove", file, NULL));
    if (has_landlock()) {
        ck_assert(!can(&place, MICA_CONFINE_ENGINE, "symlink", file, NULL));
        ck_assert(!can(&place, MICA_CONFINE_ENGINE, "fifo", file, NULL));
        ck_assert(
            !can(&place, MICA_CONFINE_ENGINE, "link", place.outside, file));
        ck_assert(!can(&place, MICA_CONFINE_RUN, "write", file, NULL));
    }
    close_bench(&place.bench);
}
END_TEST

START_TEST(an_engine_that_runs_alone_starts_nothing)
{
    struct place place;
    open_place(&place);
    ck_assert(can(&place, MICA_CONFINE_ENGINE, "fork", "", NULL));
    ck_assert(!can(&place, MICA_CONFINE_RUN, "fork", "", NULL));
    ck_assert(can(&place, MICA_CONFINE_ENGINE, "run", "/bin/true", NULL));
    if (has_landlock())
        ck_assert(!can(&place, MICA_CONFINE_RUN, "run", "/bin/true", NULL));
    close_bench(&place.bench);
}
END_TEST

START_TEST(this_process_is_not_confined_by_it)
{
    struct place place;
    open_place(&place);
    (void)can(&place, MICA_CONFINE_RUN, "fork", "", NULL);
    ck_assert_int_eq(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 0);
    ck_assert(can_unconfined(&place, "read", "/etc/passwd"));
    close_bench(&place.bench);
}
END_TEST

// ---- Other kernels ---------------------------------------------------------------

START_TEST(each_abi_of_landlock_is_asked_for_what_it_knows)
{
    static const uint64_t handled[] = {0,      0x1FFF, 0x3FFF, 0x7FFF,
                                       0x7FFF, 0xFFFF, 0xFFFF, 0xFFFF};
    for (int abi = 0; abi < (int)MICA_COUNT(handled); abi++)
        ck_assert_uint_eq(mica_confine_handled(abi), handled[abi]);
}
END_TEST

// Makes one system call fail in this process for good.
static void
take_away(int call, int reason)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)reason),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog filter = {MICA_COUNT(steps), steps};
    ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

#define GOOD BEFORE HANDLER "out->b = in->a * 2;" AFTER("good")

// Each test is a process of its own, so what is taken away is away here alone.
START_TEST(without_landlock_engines_are_built_and_it_is_said_once)
{
    static const int reasons[] = {ENOSYS, EOPNOTSUPP, EPERM};
    struct place place;
    open_place(&place);
    take_away(444, reasons[_i]);
    ck_assert_int_eq(mica_confine_support().landlock_abi, 0);
    write_source(&place.bench, "good.c", GOOD);
    builds_to(&place.bench, "good.c", MICA_OK, "");
    ck_assert_ptr_nonnull(
        strstr(place.bench.diagnostics.ptr, "not confined fully here"));
    place.bench.options.force = true;
    builds_to(&place.bench, "good.c", MICA_OK, "");
    ck_assert_ptr_null(strstr(place.bench.diagnostics.ptr, "not confined"));
    // What is left holds.
    ck_assert(!can(&place, MICA_CONFINE_ENGINE, "internet", "", NULL));
    ck_assert(can(&place, MICA_CONFINE_ENGINE, "read", "/etc/passwd", NULL));
    close_bench(&place.bench);
}
END_TEST

// What the compiler has read is looked at where it lies, not by its name.
START_TEST(without_landlock_a_header_of_others_is_refused)
{
    struct place place;
    char path[PATH_MAX];
    open_place(&place);
    take_away(444, ENOSYS);
    ck_assert(shell(&place.bench, "mkdir -p lib/clang/include && echo "
                                  "'int own;' >lib/clang/include/own.h"));
    (void)snprintf(path, sizeof path, "%s/lib/clang/include",
                   place.bench.folder);
    ck_assert_int_eq(setenv("CPATH", path, 1), 0);
    write_source(&place.bench, "good.c", "#include <own.h>\n" GOOD);
    builds_to(&place.bench, "good.c", MICA_E_BUILD, "includes");
    close_bench(&place.bench);
}
END_TEST

START_TEST(what_the_kernel_has_and_refuses_is_not_run_without)
{
    struct place place;
    open_place(&place);
    if (!has_landlock()) {
        close_bench(&place.bench);
        return;
    }
    take_away(446, EPERM); // landlock_restrict_self
    write_source(&place.bench, "good.c", GOOD);
    builds_to(&place.bench, "good.c", MICA_E_IO, "so it is not started");
    close_bench(&place.bench);
}
END_TEST

START_TEST(with_all_of_it_nothing_is_said)
{
    struct place place;
    struct mica_buffer text;
    open_place(&place);
    mica_buffer_init(&text, NULL, 1024);
    if (mica_confine_describe(&text)) {
        write_source(&place.bench, "good.c", GOOD);
        builds_to(&place.bench, "good.c", MICA_OK, "");
        ck_assert_ptr_null(strstr(place.bench.diagnostics.ptr, "confined"));
    }
    mica_buffer_fini(&text);
    close_bench(&place.bench);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("confine");
    TCase *cases = tcase_create("confine");
    tcase_set_timeout(cases, 300);
    suite_add_tcase(suite, cases);
    tcase_add_test(cases, no_profile_reaches_the_network_or_other_processes);
    tcase_add_test(cases, no_profile_changes_what_is_outside);
    tcase_add_test(cases, no_file_is_cut_off_by_its_path);
    tcase_add_test(cases, rights_owners_and_times_stay_as_they_are);
    tcase_add_test(cases,
                   an_engines_compiler_reads_the_toolchain_and_no_secret);
    tcase_add_test(cases,
                   a_compiler_writes_into_its_folder_and_no_link_out_of_it);
    tcase_add_test(cases, an_engine_that_runs_alone_starts_nothing);
    tcase_add_test(cases, this_process_is_not_confined_by_it);
    tcase_add_test(cases, each_abi_of_landlock_is_asked_for_what_it_knows);
    tcase_add_loop_test(
        cases, without_landlock_engines_are_built_and_it_is_said_once, 0, 3);
    tcase_add_test(cases, without_landlock_a_header_of_others_is_refused);
    tcase_add_test(cases, what_the_kernel_has_and_refuses_is_not_run_without);
    tcase_add_test(cases, with_all_of_it_nothing_is_said);
    SRunner *srunner = srunner_create(suite);
    srunner_run_all(srunner, CK_ENV);
    int failed = srunner_ntests_failed(srunner);
    srunner_free(srunner);
    return failed == 0 ? 0 : 1;
}

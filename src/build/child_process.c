// SPDX-License-Identifier: Apache-2.0
//
// A fork, and in the child nothing but system calls until it is the program: other
// threads of this process may have held any lock. So limits, confinement and group
// are those of the child alone.
//
// CHILD-2: descriptor 0 is a socket at whose end nothing comes. When this process
// dies, the other end closes, and the kernel sends SIGKILL for that to the whole
// group. A child with an input of its own, or on a kernel that cannot do this, is
// killed when the thread that started it ends; what it has started lives on.
#include "build/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    FIRST_OTHER = 4, // behind the descriptors that a child may be given
    CALL_CLOSE_RANGE = 436,
    CLOSE_ON_EXEC = 4,         // its flag
    DESCRIPTORS_MAX = 1 << 20, // looked at on kernels without that call
    KILLED_S = 5, // after the signal that says the processor time is over
    NOT_STARTED = 127
};

// What a child tells of why it is not the program.
struct refusal {
    int reason; // errno
    bool of_confinement;
};

// All that the child needs, made before the fork.
struct start {
    const struct mica_child_plan *plan;
    char program[PATH_MAX];
    struct mica_confine_plan confined;
    int handed[FIRST_OTHER];
    int refused; // the pipe for a refusal
    pid_t parent;
    bool watched;
};

// execve's parameters are not const though it changes nothing.
union words {
    const char *const *in;
    char *const *out;
};

// ---- In the child ------------------------------------------------------------------

static _Noreturn void
child_refuse(const struct start *start, bool of_confinement)
{
    struct refusal refusal = {errno, of_confinement};
    ssize_t put;
    do
        put = write(start->refused, &refusal, sizeof refusal);
    while (put < 0 && errno == EINTR);
    _exit(NOT_STARTED);
}

// Its descriptors take their places; all others close when it is the program.
static bool
take_descriptors(struct start *start)
{
    int count = start->plan->extra >= 0 ? FIRST_OTHER : FIRST_OTHER - 1;
    for (int i = 0; i < count; i++)
        if (dup2(start->handed[i], i) < 0)
            return false;
    if (syscall(CALL_CLOSE_RANGE, (unsigned)count, ~0U, CLOSE_ON_EXEC) == 0)
        return true;
    struct rlimit most;
    if (getrlimit(RLIMIT_NOFILE, &most) != 0)
        return false;
    for (int i = count; i < DESCRIPTORS_MAX && (rlim_t)i < most.rlim_cur; i++)
        (void)fcntl(i, F_SETFD, FD_CLOEXEC);
    return true;
}

// CHILD-2. A parent that died before is seen by its number.
static bool
watch_parent(const struct start *start)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return false;
    bool watched = start->watched && fcntl(0, F_SETOWN, -getpid()) == 0 &&
                   fcntl(0, F_SETSIG, SIGKILL) == 0 &&
                   fcntl(0, F_SETFL, O_ASYNC | O_RDWR) == 0;
    if (getppid() != start->parent)
        _exit(NOT_STARTED);
    // The kernel ends a thread before it closes the files that all threads share. A
    // program that dies with the thread would let go of the socket, and what it has
    // started would live on.
    return !watched || prctl(PR_SET_PDEATHSIG, 0) == 0;
}

// Never more than this process has. Past `most` comes a signal or an error, past
// `end` the program is killed.
static bool
child_limit(int resource, rlim_t most, rlim_t end)
{
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)resource, &now) != 0)
        return false;
    if (end < now.rlim_max)
        now.rlim_max = end;
    if (most < now.rlim_cur)
        now.rlim_cur = most;
    return setrlimit((__rlimit_resource_t)resource, &now) == 0;
}

static bool
limit_all(const struct mica_child_limits *limits)
{
    rlim_t memory = limits->memory_bytes > 0 ? limits->memory_bytes
                                             : MICA_CHILD_MEMORY_BYTES;
    rlim_t file =
        limits->file_bytes > 0 ? limits->file_bytes : MICA_CHILD_FILE_BYTES;
    rlim_t cpu = limits->cpu_s > 0 ? limits->cpu_s : MICA_CHILD_CPU_S;
    return child_limit(RLIMIT_CPU, cpu, cpu + KILLED_S) &&
           child_limit(RLIMIT_FSIZE, file, file) &&
           child_limit(RLIMIT_AS, memory, memory);
}

static _Noreturn void
child_become(struct start *start)
{
    const struct mica_child_plan *plan = start->plan;
    union words words = {.in = plan->words};
    sigset_t none;
    if (setpgid(0, 0) != 0 || !take_descriptors(start) ||
        !watch_parent(start) || !child_limit(RLIMIT_CORE, 0, 0) ||
        (plan->folder != NULL && chdir(plan->folder) != 0))
        child_refuse(start, false);
    if (plan->confinement != NULL &&
        (!limit_all(&plan->limits) || !mica_confine_enter(&start->confined)))
        child_refuse(start, true);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)execve(start->program, words.out, plan->environment);
    child_refuse(start, false);
}

// ---- Before it ---------------------------------------------------------------------

static bool
is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           access(path, X_OK) == 0;
}

// The file that the name stands for, as a shell finds it.
static bool
find_program(const char *name, char out[PATH_MAX])
{
    const char *at = getenv("PATH");
    char here[PATH_MAX];
    if (strchr(name, '/') != NULL)
        return snprintf(out, PATH_MAX, "%s", name) < PATH_MAX;
    if (getcwd(here, sizeof here) == NULL)
        here[0] = '\0';
    for (at = at != NULL ? at : "/usr/bin:/bin"; *at != '\0';) {
        size_t len = strcspn(at, ":");
        bool whole = at[0] == '/';
        int size = snprintf(out, PATH_MAX, "%s%s%.*s/%s", whole ? "" : here,
                            whole ? "" : "/", (int)len, at, name);
        if (len > 0 && size < PATH_MAX && is_program(out))
            return true;
        at += len + (at[len] == ':');
    }
    return false;
}

static enum mica_status
no_start(const char *name, const struct refusal *refusal,
         struct mica_error *error)
{
    if (refusal->of_confinement)
        return mica_confine_refused(name, refusal->reason, error);
    if (refusal->reason == ENOENT)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "There is no program %s.", name);
    return mica_error_set(error, MICA_E_IO, "", "Cannot start %s: %s", name,
                          strerror(refusal->reason));
}

static void
close_if(int *file)
{
    if (*file >= 0)
        (void)close(*file);
    *file = -1;
}

// A descriptor behind those that the child's are put on, so that one does not
// overwrite another on its way.
static int
copy_high(int file)
{
    return fcntl(file, F_DUPFD_CLOEXEC, FIRST_OTHER);
}

// Two connected ends of which the child's gives nothing and takes nothing.
static bool
open_watch(struct start *start, int *watch_out)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    *watch_out = ends[0];
    start->handed[0] = copy_high(ends[1]);
    start->watched = true;
    (void)close(ends[1]);
    return shutdown(ends[0], SHUT_RDWR) == 0;
}

// Fills start->handed. False with errno.
static bool
open_handed(struct start *start, int *watch_out)
{
    const struct mica_child_plan *plan = start->plan;
    int trash = -1;
    if (plan->in < 0 && !open_watch(start, watch_out))
        return false;
    if (plan->errors < 0 &&
        (trash = open("/dev/null", O_WRONLY | O_CLOEXEC)) < 0)
        return false;
    if (plan->in >= 0)
        start->handed[0] = copy_high(plan->in);
    start->handed[1] = copy_high(plan->out);
    start->handed[2] = copy_high(trash >= 0 ? trash : plan->errors);
    if (plan->extra >= 0)
        start->handed[3] = copy_high(plan->extra);
    int failure = errno;
    close_if(&trash);
    errno = failure;
    return start->handed[0] >= 0 && start->handed[1] >= 0 &&
           start->handed[2] >= 0 && (plan->extra < 0 || start->handed[3] >= 0);
}

// Forks, and waits until the child is the program or says why it is not. No signal
// handler of this process runs in the child.
static struct refusal
run_start(struct start *start, struct mica_child *child)
{
    struct refusal refusal = {0, false};
    sigset_t all, before;
    int low[2];
    if (pipe2(low, O_CLOEXEC) != 0)
        return (struct refusal){errno, false};
    start->refused = copy_high(low[1]);
    start->parent = getpid();
    (void)close(low[1]);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    child->process = start->refused < 0 ? -1 : fork();
    if (child->process == 0)
        child_become(start);
    if (child->process < 0)
        refusal.reason = errno;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    close_if(&start->refused);
    while (child->process > 0 && read(low[0], &refusal, sizeof refusal) < 0 &&
           errno == EINTR) {
    }
    (void)close(low[0]);
    if (child->process > 0 && refusal.reason != 0)
        (void)mica_child_end(child);
    return refusal;
}

static enum mica_status
start_prepared(struct start *start, struct mica_error *error,
               struct mica_child *child)
{
    const char *name = start->plan->words[0];
    struct refusal refusal = {ENOENT, false};
    if (!find_program(name, start->program))
        return no_start(name, &refusal, error);
    if (start->plan->confinement != NULL)
        MICA_TRY(mica_confine_plan(start->plan->confinement, start->program,
                                   error, &start->confined));
    if (open_handed(start, &child->watch))
        refusal = run_start(start, child);
    else
        refusal.reason = errno;
    return refusal.reason == 0 ? MICA_OK : no_start(name, &refusal, error);
}

enum mica_status
mica_child_start(const struct mica_child_plan *plan, struct mica_error *error,
                 struct mica_child *child_out)
{
    struct start start = {.plan = plan,
                          .confined.ruleset = -1,
                          .handed = {-1, -1, -1, -1},
                          .refused = -1};
    *child_out = (struct mica_child){.process = -1, .watch = -1};
    enum mica_status status = start_prepared(&start, error, child_out);
    for (size_t i = 0; i < MICA_COUNT(start.handed); i++)
        close_if(&start.handed[i]);
    close_if(&start.confined.ruleset);
    if (status != MICA_OK)
        close_if(&child_out->watch);
    return status;
}

// ---- Behind it ---------------------------------------------------------------------

bool
mica_child_has_ended(const struct mica_child *child)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)child->process, &info,
                  WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid != 0;
}

// The program is waited for last: until then its number is that of its group.
int
mica_child_end(struct mica_child *child)
{
    int status = 0;
    pid_t got;
    (void)kill(-child->process, SIGKILL);
    do
        got = waitpid(child->process, &status, 0);
    while (got < 0 && errno == EINTR);
    close_if(&child->watch);
    if (got < 0)
        return -1; // taken by a handler of others
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

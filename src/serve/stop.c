// SPDX-License-Identifier: Apache-2.0
//
// Signals belong to the process, so this file has the only mutable globals of the adapters:
// atomics that a signal handler may use, and a lock for the rest.
#include "serve/stop.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

// The kernel sends this signal when the thread that started this process ends. The parent process
// may still run then, so the handler checks whether this process has another parent now.
#define PARENT_SIGNAL (SIGRTMIN + 7)

static atomic_int stop_fd = -1;
static atomic_uint signal_count;
static atomic_bool stopped; // signal_count > 0
static atomic_bool hurried; // one of them was not SIGTERM, or there were two
static atomic_int parent;   // process id; 0: not watched

static atomic_uint hangups;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned users;
static struct sigaction saved_term, saved_int, saved_pipe, saved_parent;

static void
count_signal(int number)
{
    int saved_errno = errno;
    uint64_t one = 1;
    ssize_t written;

    if (number == PARENT_SIGNAL && getppid() == atomic_load(&parent))
        return;
    if (atomic_fetch_add(&signal_count, 1) > 0 || number != SIGTERM)
        atomic_store(&hurried, true);
    atomic_store(&stopped, true);
    written = write(atomic_load(&stop_fd), &one, sizeof one);
    (void)written; // the counter of an eventfd does not overflow
    errno = saved_errno;
}

static void
signal_install(void)
{
    struct sigaction take, ignore;

#ifdef __SANITIZE_THREAD__
    // The thread sanitizer allocates its state for a thread's signals in the first call that may
    // block, and loses a signal that arrives meanwhile.
    (void)poll(NULL, 0, 0);
#endif
    memset(&take, 0, sizeof take);
    take.sa_handler = count_signal; // no SA_RESTART: a blocked write must end
    sigemptyset(&take.sa_mask);
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGTERM, &take, &saved_term);
    sigaction(SIGINT, &take, &saved_int);
    sigaction(PARENT_SIGNAL, &take, &saved_parent);
    sigaction(SIGPIPE, &ignore, &saved_pipe);
}

// Makes the descriptor once, and never closes it: a signal handler on another thread may write
// to it at any moment, and its number could belong to another file.
static enum mica_status
make_fd(struct mica_error *error)
{
    int fd = atomic_load(&stop_fd);
    uint64_t count;

    if (fd < 0)
        fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0)
        return mica_error_set(error, MICA_E_IO, "", "eventfd: %s",
                              strerror(errno));
    ssize_t got = read(fd, &count, sizeof count); // clears earlier signals
    (void)got;
    atomic_store(&stop_fd, fd);
    return MICA_OK;
}

enum mica_status
mica_stop_open(struct mica_error *error, int *fd_out)
{
    enum mica_status status = MICA_OK;

    pthread_mutex_lock(&lock);
    if (users == 0) {
        status = make_fd(error);
        if (status != MICA_OK)
            goto out;
        atomic_store(&signal_count, 0);
        atomic_store(&stopped, false);
        atomic_store(&hurried, false);
        signal_install();
    }
    users++;
    *fd_out = atomic_load(&stop_fd);
out:
    pthread_mutex_unlock(&lock);
    return status;
}

void
mica_stop_close(void)
{
    pthread_mutex_lock(&lock);
    if (--users == 0) {
        if (atomic_exchange(&parent, 0) != 0)
            prctl(PR_SET_PDEATHSIG, 0);
        sigaction(SIGTERM, &saved_term, NULL);
        sigaction(SIGINT, &saved_int, NULL);
        sigaction(PARENT_SIGNAL, &saved_parent, NULL);
        sigaction(SIGPIPE, &saved_pipe, NULL);
    }
    pthread_mutex_unlock(&lock);
}

void
mica_stop_with_parent(void)
{
    atomic_store(&parent, (int)getppid());
    prctl(PR_SET_PDEATHSIG, PARENT_SIGNAL);
    // The parent may have died before; then the kernel sends no signal.
    if (getppid() != atomic_load(&parent))
        count_signal(PARENT_SIGNAL);
}

unsigned
mica_stop_count(void)
{
    return atomic_load(&signal_count);
}

bool
mica_stop_hurries(void)
{
    return atomic_load(&hurried);
}

const atomic_bool *
mica_stop_flag(void)
{
    return &stopped;
}

static void
count_hangup(int number)
{
    (void)number;
    atomic_fetch_add(&hangups, 1);
}

void
mica_stop_count_hangups(void)
{
    struct sigaction take;

    memset(&take, 0, sizeof take);
    take.sa_handler = count_hangup;
    take.sa_flags = SA_RESTART;
    sigemptyset(&take.sa_mask);
    sigaction(SIGHUP, &take, NULL);
}

unsigned
mica_stop_hangups(void)
{
    return atomic_load(&hangups);
}

void
mica_stop_block(sigset_t *before_out)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, PARENT_SIGNAL);
    pthread_sigmask(SIG_BLOCK, &set, before_out);
}

void
mica_stop_unblock(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

// SPDX-License-Identifier: Apache-2.0
//
// Coroutines: one runs at a time, so nothing here needs a lock.
#include "threads.h"

#include <sys/epoll.h>
#include <sys/mman.h>
#include <ucontext.h>

enum {
    STACK_BYTES = 1 << 20, // untouched pages cost nothing
    STACKS = 256,          // that are kept for others
    EVENTS = 4096,
    AT_ONCE = 200000 // turns in which no time passes: a thread loops
};

enum state {
    READY,
    WAITS, // for an address, or its deadline
    POLLS, // for descriptors of an epoll, or its deadline
    ENDED
};

struct sim_thread {
    struct sim_thread *next;
    struct sim_process *process;
    enum state state;
    const void *waits_for;
    int epoll;
    struct epoll_event *found;
    int room, found_count;
    int64_t deadline;
    bool timed_out;
    bool serves;    // as store/serving_thread.h has it
    unsigned holds; // no other thread runs
    void *(*start)(void *data);
    void (*start_alone)(void *data); // no thread joins it
    void *data, *result;
    struct sim_doing doing;
    _Alignas(16) char own[SIM_OWN_BYTES];
    ucontext_t context;
    void *stack;
    void *fake_stack; // of the address sanitizer
    void *fiber;      // of the thread sanitizer
};

struct sim_threads threads;

static struct sim_thread *all, *now;
static ucontext_t outside; // of the code that steps
static void *stacks[STACKS];
static size_t stack_count;
static struct sim_event events[EVENTS];
static size_t event_count;
static uint64_t order;
static size_t at_once;
static const char *failure;

// ---- Sanitizers ----------------------------------------------------------------------

// They have to be told whose stack it is.
#ifdef SIM_ASAN
#    include <sanitizer/common_interface_defs.h>
static const void *outside_stack;
static size_t outside_size;
static void *outside_fake;
#endif
#ifdef __SANITIZE_THREAD__
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
static void *outside_fiber;
#endif

static void
go_in(struct sim_thread *thread)
{
#ifdef SIM_ASAN
    __sanitizer_start_switch_fiber(&outside_fake, thread->stack, STACK_BYTES);
#endif
#ifdef __SANITIZE_THREAD__
    outside_fiber = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(thread->fiber, 0);
#endif
    (void)swapcontext(&outside, &thread->context);
#ifdef SIM_ASAN
    __sanitizer_finish_switch_fiber(outside_fake, NULL, NULL);
#endif
}

static void
go_out(struct sim_thread *thread)
{
#ifdef SIM_ASAN
    __sanitizer_start_switch_fiber(thread->state == ENDED ? NULL
                                                          : &thread->fake_stack,
                                   outside_stack, outside_size);
#endif
#ifdef __SANITIZE_THREAD__
    __tsan_switch_to_fiber(outside_fiber, 0);
#endif
    (void)swapcontext(&thread->context, &outside);
#ifdef SIM_ASAN
    __sanitizer_finish_switch_fiber(thread->fake_stack, &outside_stack,
                                    &outside_size);
#endif
}

// ---- Threads -------------------------------------------------------------------------

static void
begin(void)
{
    struct sim_thread *self = now;

#ifdef SIM_ASAN
    __sanitizer_finish_switch_fiber(NULL, &outside_stack, &outside_size);
#endif
    if (self->start != NULL)
        self->result = self->start(self->data);
    else
        self->start_alone(self->data);
    self->state = ENDED;
    sim_rouse(self);
    go_out(self);
    abort(); // it has ended
}

static void *
take_stack(void)
{
    void *stack;

    if (stack_count > 0)
        return stacks[--stack_count];
    stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    SIM_MUST(stack != MAP_FAILED, "no memory for a stack");
    // What runs over its end is found out.
    (void)mprotect(stack, 4096, PROT_NONE);
    return stack;
}

static struct sim_thread *
make(struct sim_process *process)
{
    struct sim_thread *thread = calloc(1, sizeof *thread);

    thread->process = process;
    thread->stack = take_stack();
    thread->deadline = SIM_NEVER;
    (void)getcontext(&thread->context);
    thread->context.uc_stack.ss_sp = thread->stack;
    thread->context.uc_stack.ss_size = STACK_BYTES;
    thread->context.uc_link = NULL;
    makecontext(&thread->context, begin, 0);
#ifdef __SANITIZE_THREAD__
    thread->fiber = __tsan_create_fiber(0);
#endif
    thread->next = all;
    all = thread;
    return thread;
}

static void
forget(struct sim_thread *thread)
{
    struct sim_thread **at = &all;

    while (*at != thread)
        at = &(*at)->next;
    *at = thread->next;
#ifdef __SANITIZE_THREAD__
    __tsan_destroy_fiber(thread->fiber);
#endif
    if (stack_count < STACKS)
        stacks[stack_count++] = thread->stack;
    else
        (void)munmap(thread->stack, STACK_BYTES);
    free(thread);
}

void
sim_thread_start(struct sim_process *process, void (*run)(void *data),
                 void *data)
{
    struct sim_thread *thread = make(process);

    thread->start_alone = run;
    thread->data = data;
}

void
sim_thread_serves(bool serves)
{
    if (now != NULL)
        now->serves = serves;
}

bool
sim_thread_is_serving(void)
{
    return now != NULL && now->serves;
}

struct sim_thread *
sim_thread_make(void *(*start)(void *data), void *data)
{
    struct sim_thread *thread = make(now->process);

    thread->start = start;
    thread->data = data;
    return thread;
}

void *
sim_thread_join(struct sim_thread *thread)
{
    void *result;

    while (thread->state != ENDED)
        (void)sim_wait(thread, SIM_NEVER);
    result = thread->result;
    forget(thread);
    return result;
}

struct sim_process *
sim_process_now(void)
{
    return now != NULL ? now->process : NULL;
}

void *
sim_own(void)
{
    return now->own;
}

static void
run(struct sim_thread *thread)
{
    now = thread;
    thread->doing.ghost = thread->process->life == SIM_GHOST;
    world.doing = &thread->doing;
    threads.switches++;
    go_in(thread);
    now = NULL;
    world.doing = NULL;
    if (failure != NULL) {
        sim_failed = NULL;
        ck_abort_msg("%s", failure);
    }
    if (thread->state == ENDED && thread->start_alone != NULL)
        forget(thread);
}

// A test may only be left from outside.
static void
failed(const char *text)
{
    if (now == NULL)
        return;
    failure = text;
    go_out(now);
}

// ---- Waiting -------------------------------------------------------------------------

static bool
wait_until(enum state state, const void *what, int64_t deadline)
{
    struct sim_thread *self = now;

    self->state = state;
    self->waits_for = what;
    self->deadline = deadline;
    self->timed_out = false;
    go_out(self);
    return !self->timed_out;
}

bool
sim_wait(const void *what, int64_t deadline)
{
    SIM_MUST(now->holds == 0, "who holds the turn waits");
    return wait_until(WAITS, what, deadline);
}

int
sim_wait_epoll(int epoll, struct epoll_event *found, int room, int64_t deadline)
{
    struct sim_thread *self = now;

    self->epoll = epoll;
    self->found = found;
    self->room = room;
    self->found_count = 0;
    (void)wait_until(POLLS, NULL, deadline);
    return self->found_count;
}

void
sim_yield(void)
{
    if (now != NULL && now->holds == 0)
        go_out(now);
}

void
sim_maybe_yield(void)
{
    if (threads.restless > 0 && sim_one_in(threads.restless))
        sim_yield();
}

void
sim_sleep_until(int64_t when)
{
    if (when > atomic_load(&world.now))
        (void)wait_until(WAITS, NULL, when);
}

void
sim_hold_turn(void)
{
    if (now != NULL)
        now->holds++;
}

void
sim_let_turn_go(void)
{
    if (now != NULL)
        now->holds--;
}

void
sim_rouse(const void *what)
{
    for (struct sim_thread *thread = all; thread != NULL;
         thread = thread->next) {
        if (thread->state == WAITS && thread->waits_for == what)
            thread->state = READY;
    }
}

// One of those that wait, whichever.
void
sim_rouse_one(const void *what)
{
    struct sim_thread *chosen = NULL;
    size_t count = 0;

    for (struct sim_thread *thread = all; thread != NULL;
         thread = thread->next) {
        if (thread->state != WAITS || thread->waits_for != what)
            continue;
        count++;
        if (chosen == NULL || sim_random() % count == 0)
            chosen = thread;
    }
    if (chosen != NULL)
        chosen->state = READY;
}

void
sim_die(void)
{
    now->process->life = SIM_DEAD;
    go_out(now);
}

// ---- Steps ---------------------------------------------------------------------------

static bool
is_free(const struct sim_thread *thread)
{
    return thread->process->life != SIM_DEAD &&
           thread->process->hangs_until <= atomic_load(&world.now);
}

static struct sim_thread *
choose(void)
{
    struct sim_thread *chosen = NULL;
    size_t count = 0;

    for (struct sim_thread *thread = all; thread != NULL;
         thread = thread->next) {
        if (thread->state != READY || !is_free(thread))
            continue;
        count++;
        if (chosen == NULL || sim_random() % count == 0)
            chosen = thread;
    }
    return chosen;
}

// True: something is there for one of them.
static bool
look_at_descriptors(void)
{
    bool found = false;

    for (struct sim_thread *thread = all; thread != NULL;
         thread = thread->next) {
        if (thread->state != POLLS || !is_free(thread))
            continue;
        thread->found_count =
            epoll_wait(thread->epoll, thread->found, thread->room, 0);
        if (thread->found_count > 0) {
            thread->state = READY;
            found = true;
        }
    }
    return found;
}

static struct sim_event *
first_event(void)
{
    struct sim_event *first = NULL;

    for (size_t i = 0; i < event_count; i++) {
        struct sim_event *event = &events[i];
        if (first == NULL || event->at < first->at ||
            (event->at == first->at && event->order < first->order))
            first = event;
    }
    return first;
}

static int64_t
next_deadline(void)
{
    int64_t next = SIM_NEVER;

    for (struct sim_thread *thread = all; thread != NULL;
         thread = thread->next) {
        int64_t when = thread->deadline;
        if (thread->process->life == SIM_DEAD || thread->state == ENDED)
            continue;
        if (thread->state == READY)
            when = 0; // its process hangs
        if (when < thread->process->hangs_until)
            when = thread->process->hangs_until;
        next = when < next ? when : next;
    }
    return next;
}

static void
pass_deadlines(void)
{
    for (struct sim_thread *thread = all; thread != NULL;
         thread = thread->next) {
        if ((thread->state == WAITS || thread->state == POLLS) &&
            thread->deadline <= atomic_load(&world.now)) {
            thread->state = READY;
            thread->timed_out = true;
        }
    }
}

static void
happen(struct sim_event *event)
{
    struct sim_event happens = *event;

    *event = events[--event_count];
    happens.happens(&happens);
    free(happens.data);
}

// Time moves on.
static bool
move(void)
{
    struct sim_event *event = first_event();
    int64_t deadline = next_deadline();
    int64_t next = event != NULL && event->at < deadline ? event->at : deadline;

    if (next == SIM_NEVER)
        return false;
    if (next > atomic_load(&world.now)) {
        atomic_store(&world.now, next);
        at_once = 0;
    }
    pass_deadlines();
    if (event != NULL && event->at <= next)
        happen(event);
    return true;
}

bool
sim_step(void)
{
    struct sim_thread *thread = choose();

    SIM_MUST(at_once++ < AT_ONCE, "a thread loops");
    if (thread != NULL) {
        run(thread);
        return true;
    }
    return look_at_descriptors() || move();
}

void
sim_post(int64_t delay, struct sim_event event)
{
    SIM_MUST(event_count < EVENTS, "too many events");
    event.at = atomic_load(&world.now) + delay;
    event.order = order++;
    events[event_count++] = event;
}

void
sim_jump(int64_t ms)
{
    atomic_fetch_add(&world.now, ms);
    pass_deadlines();
}

void
sim_threads_begin(void)
{
    memset(&threads, 0, sizeof threads);
    order = 0;
    at_once = 0;
    failure = NULL;
    sim_failed = failed;
}

void
sim_threads_end(void)
{
    for (size_t i = 0; i < event_count; i++)
        free(events[i].data);
    event_count = 0;
    SIM_MUST(all == NULL, "a thread was left behind");
}

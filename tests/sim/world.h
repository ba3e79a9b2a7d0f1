// SPDX-License-Identifier: Apache-2.0
//
// What every simulated world has: one source of chance, a clock that is a number,
// effects that are counted, clients who answer by what they are asked, and the
// tools that are called. Of one seed there is one run, so what went wrong goes
// wrong again.
#ifndef MICA_TESTS_SIM_WORLD_H
#define MICA_TESTS_SIM_WORLD_H

#include <check.h>
#include <mica/store.h>
#include <mica/tool.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#    if __has_feature(address_sanitizer)
#        define SIM_ASAN
#    endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#    define SIM_ASAN
#endif

enum {
// Under a sanitizer there are fewer runs.
#if defined(SIM_ASAN) || defined(__SANITIZE_THREAD__)
    SIM_SLOWLY = 10,
#else
    SIM_SLOWLY = 1,
#endif
    SIM_EFFECTS = 512,
    SIM_RAN = 64,
    SIM_TRACE_BYTES = 2600 // of a failure's message
};

struct sim_effect {
    char key[200]; // of the effect, as its tool was given it
    char name[32];
    int64_t who;   // number of the client whose call it is
    int runs;      // how often it ran
    bool recorded; // a commit has succeeded since: it may not run again
};

// What runs a handler now.
struct sim_doing {
    size_t ran[SIM_RAN]; // effects since the last commit
    size_t ran_count;
    // Another process may have continued the call meanwhile, and it cannot know
    // yet: its commit will tell, and the key makes an effect single.
    bool lost;
    bool ghost; // of a process that is dead: it has no effects any more
};

struct sim_world {
    uint64_t chance;
    _Atomic int64_t now; // milliseconds since 1970
    struct sim_effect effects[SIM_EFFECTS];
    size_t effect_count;
    struct sim_doing *doing;
    // Has what runs lost the call that the key of an effect begins with? NULL: what
    // `doing` says is all.
    bool (*is_lost)(struct mica_text key);
    char trace[SIM_TRACE_BYTES]; // for people, when something has gone wrong
    size_t trace_len;
};
extern struct sim_world world;
extern char sim_title[100]; // of the run, for people

#define SIM_BEGIN 1800000000000 // when every world begins

void sim_world_begin(uint64_t seed);

// ---- Chance (world.c) ------------------------------------------------------------

uint64_t sim_random(void);
static inline bool
sim_one_in(unsigned n)
{
    return sim_random() % n == 0;
}
// The same for the same two, in all of a run.
uint64_t sim_hash(uint64_t seed, const char *text);

// The number that the variable of the environment has, or `usual`.
uint64_t sim_wanted(const char *variable, uint64_t usual);

// ---- What people are told (world.c) ----------------------------------------------

// With MICA_SIM_TRACE in the environment all of it, at once.
void sim_note(const char *format, ...) MICA_PRINTF(1, 2);

// The run has failed. `sim_failed` (may be NULL) is told first, and may leave.
extern void (*sim_failed)(const char *text);
_Noreturn void sim_fail(const char *format, ...) MICA_PRINTF(1, 2);
#define SIM_MUST(condition, ...)   \
    do {                           \
        if (!(condition))          \
            sim_fail(__VA_ARGS__); \
    } while (0)

// The run has failed unless the table of calls has this move; 0: it is not stored.
void sim_check_move(struct mica_text call, unsigned from, unsigned to);

// A copy on the heap. Owner: the caller.
char *sim_copy(struct mica_text text);

// ---- Effects (world.c) -----------------------------------------------------------

// An effect of a handler that runs now.
void sim_effect(struct mica_server_call *call, const char *name, int64_t who);
void sim_effect_of_key(struct mica_text key, const char *name, int64_t who);

// What `doing` has done for that call is durable.
void sim_recorded(struct sim_doing *doing, struct mica_text call);

// Nothing that runs now counts any more: its process is dead, or it has lost the
// call of that key.
bool sim_is_in_vain(struct mica_text key);

int sim_effects_named(const char *name);
int sim_effects_of(int64_t who, const char *name); // different ones

// Locks of deployments that are held now (services.c).
int sim_locks(void);
void sim_services_reset(void);

// ---- Clients (answers.c) ---------------------------------------------------------

struct sim_tool;

// Who calls a tool.
struct sim_person {
    int number;
    const struct sim_tool *tool;
    uint64_t seed; // of all answers
    bool has_key;  // there is but one call of this client
};

// What that client answers: declines, dismisses or accepts, and with what.
enum mica_action sim_action(const struct sim_person *client, const char *key);
bool sim_yes(const struct sim_person *client, const char *key);

// Writes the answer to one question: a result.
void sim_answer(const struct sim_person *client, const char *key,
                const struct mica_json *request,
                struct mica_json_writer *writer);

// The arguments of its call. Owner: the caller.
char *sim_arguments(const struct sim_person *client);

// ---- Tools (tools.c) -------------------------------------------------------------

struct sim_tool {
    const struct mica_tool *tool;
    const char *head, *tail; // arguments: JSON around the number of the client
    // What the call must have come to: a text that its result has.
    const char *(*expect)(const struct sim_person *client);
    // The same when no question was answered. NULL: the code that says why.
    const char *otherwise;
    // Effects, and how many of each when the call has ended.
    void (*check)(const struct sim_person *client);
};
extern const struct sim_tool sim_tools[];
extern const size_t sim_tool_count;
const struct sim_tool *sim_tool_of(const char *name);

// Offers them, and what they use, to a server.
void sim_offer(struct mica_server *server);
void sim_offer_keep(struct mica_server *server); // of book_flight

#endif

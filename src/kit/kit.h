// SPDX-License-Identifier: Apache-2.0
//
// Inside the kit: what a mock is, what one run of a call is, and how a failure is
// told. Not for other folders.
//
// Nothing here is for production: memory that cannot be had aborts the program,
// and what fails is printed, as a test does.
#ifndef MICA_KIT_KIT_H
#define MICA_KIT_KIT_H

#include <mica/test.h>

#include <limits.h>
#include <setjmp.h>

#include "call/fetcher.h"
#include "call/turn.h"
#include "keep/keep_service.h"
#include "server/server.h"

enum {
    MICA_KIT_BYTES = 64 << 20, // of each arena
    MICA_KIT_LIST = 256        // answers, services, tools, questions
};

// An answer of the script.
struct mica_kit_answer {
    struct mica_here here;
    enum mica_mock_kind kind;
    struct mica_text key, text; // key empty: any
    struct mica_text taken;     // by the ask of this key, in this run; or empty
};

// A service by its name: given by the test, or opened from what a tool brings.
struct mica_kit_service {
    const char *name;
    void *service;
    const struct mica_service_definition *opened; // NULL: given
};

// What another server answers.
struct mica_kit_fetch {
    struct mica_here here;
    struct mica_text method, url;
    enum mica_status fails; // MICA_OK: it answers with …
    unsigned status;
    struct mica_text body;
    struct mica_text taken; // by the step of this key, in this run; or empty
};

// What the test puts into the database of a tool: an entry, or what a statement does.
struct mica_kit_seed {
    struct mica_here here;
    const struct mica_tool *tool;
    struct mica_text name, json;
    const char *sql; // NULL: an entry
};

struct mica_kit_tool {
    struct mica_definition *definition;
    struct mica_tool_runnable runnable;
};

// The list `items` of `count` elements, of which `more` is the next; aborts when
// there are MICA_KIT_LIST.
#define MICA_KIT_NEXT(items, count) \
    (&(items)[mica_kit_room((count), MICA_COUNT(items)), (count)++])

struct mica_mock {
    struct mica_arena arena; // of what the test gave
    struct mica_kit_answer answers[MICA_KIT_LIST];
    size_t answer_count;
    struct mica_kit_service services[MICA_KIT_LIST];
    size_t service_count;
    struct mica_kit_tool tools[MICA_KIT_LIST];
    size_t tool_count;
    struct mica_kit_fetch fetches[MICA_KIT_LIST];
    size_t fetch_count;
    struct mica_fetcher fetcher;
    struct mica_keep_service *keep; // NULL: not open
    struct mica_kit_seed seeds[MICA_KIT_LIST];
    size_t seed_count;
    unsigned client;
    enum mica_era era;
    int64_t start;
    uint64_t seed;
    char folder[PATH_MAX]; // of services; "": not made
    bool replaying;        // each run begins in an empty folder
    unsigned calls;        // that were run, for their ids
    struct mica_run *run;  // the last, or NULL
};

// Where a process is killed: the number of a moment, from 1; 0: nowhere.
struct mica_run {
    struct mica_mock *mock;
    struct mica_here here;
    struct mica_definition *definition;
    struct mica_text arguments, id;
    struct mica_arena arena; // of the outcome
    unsigned kill_at;        // moment
    char moment[64];         // where it was killed, for messages
    bool twice;              // run each turn that waits twice
    bool quiet;              // notices are not taken: they were told before
    enum mica_status gone;   // how it ends once killed: its client is gone
    // As it goes:
    bool stored; // its tool has effects, or one that it has invoked
    unsigned moments, commits;
    uint32_t looked;     // entries of the journal whose effects were looked at
    unsigned reached;    // services, since the last step
    bool killed, inside; // inside: before a commit, maybe in an effect
    char *kept;          // bytes of the journal
    size_t kept_len;
    int64_t now, late; // late: as far as limits have passed
    enum mica_status ending;
    jmp_buf death;
    struct mica_arena turn_arena;
    struct mica_journal journal;
    struct mica_turn turn;
    struct mica_call call;
    struct mica_text effects[MICA_KIT_LIST]; // keys
    size_t effect_count, cut_effects; // cut_effects: before it was killed
    // What came of it:
    struct mica_outcome_ask asks[MICA_KIT_LIST];
    struct mica_outcome_fetch fetched[MICA_KIT_LIST];
    struct mica_outcome_log *logs;
    struct mica_outcome_progress *progress;
    size_t log_room, progress_room;
    struct mica_outcome outcome;
};

// ---- Failures (test_report.c) --------------------------------------------------------

void mica_kit_fail(struct mica_here here, const char *formatz, ...)
    MICA_PRINTF(2, 3);

// Fails for a step whose effect was run and reached no service: a test cannot put
// anything in its place. `mica check` reads the line, so that both refuse the same. Each
// step fails once.
void mica_kit_fail_step(struct mica_here here, struct mica_text tool,
                        struct mica_text step);

// Ends the program: the test itself is wrong, or there is no memory.
_Noreturn void mica_kit_abort(const char *formatz, ...) MICA_PRINTF(1, 2);

// Aborts unless there is room for one more.
void mica_kit_room(size_t count, size_t most);

// A NUL-terminated copy, or memory that is zero, of an arena or (free) of the heap;
// never NULL.
struct mica_text mica_kit_copy(struct mica_arena *arena, struct mica_text text);
void *mica_kit_heap(size_t count, size_t size);
void *mica_kit_alloc(struct mica_arena *arena, size_t count, size_t size);
struct mica_text mica_kit_format(struct mica_arena *arena, const char *formatz,
                                 ...) MICA_PRINTF(2, 3);

// ---- The script (mock.c) ----------------------------------------------------------

// The answer that the ask takes, or has taken in this run; NULL when none is left.
struct mica_kit_answer *mica_kit_take(struct mica_mock *mock,
                                      const struct mica_asked *asked);

// Nothing is taken yet; and a failure for each that nothing has taken.
void mica_kit_rewind(struct mica_mock *mock);
void mica_kit_check_taken(struct mica_run *run);

// ---- Other servers (mock_fetch.c) ---------------------------------------------------

// What answers mica_fetch: `data` is the mock.
enum mica_status mica_kit_fetch_send(void *data,
                                     const struct mica_fetch_order *order,
                                     struct mica_arena *arena,
                                     struct mica_error *error,
                                     struct mica_fetch_reply *reply_out);

// No answer is taken yet; and a failure for each that nothing has taken.
void mica_kit_rewind_fetches(struct mica_mock *mock);
void mica_kit_check_fetched(struct mica_run *run);

// ---- What tools keep (mock_keep.c) ---------------------------------------------------

// Puts there again what the test has put there, in a folder that was emptied.
void mica_kit_seed(struct mica_mock *mock);

// ---- Services and tools (services.c) ------------------------------------------------

// The tool as a server has it; its services are opened. NULL: that has failed,
// and been said.
struct mica_kit_tool *mica_kit_offer(struct mica_mock *mock,
                                     struct mica_here here,
                                     const struct mica_tool *tool);
void *mica_kit_service(struct mica_mock *mock, const char *namez);

// Opens what is not open, of all tools; false when that has failed.
bool mica_kit_open_services(struct mica_mock *mock, struct mica_here here);
// What runs the steps of tools that keep: a struct mica_keep_provider. It is opened at
// its first use, and closed with the services.
void *mica_kit_keep_provider(struct mica_mock *mock);
void mica_kit_close_services(struct mica_mock *mock);
void mica_kit_empty_folder(struct mica_mock *mock);

// ---- Running (kit_run.c) ----------------------------------------------------------------

// Runs a call to its end; run->outcome is filled.
void mica_kit_run(struct mica_run *run);

// A run of the mock, in place of its last.
struct mica_run *mica_kit_begin(struct mica_mock *mock, struct mica_here here,
                                const struct mica_kit_tool *tool,
                                struct mica_text arguments);
void mica_kit_end(struct mica_run *run);

// What the last turn came to, as an outcome.
void mica_kit_finish(struct mica_run *run);

// Runs one turn on run->kept; true when it was not killed.
bool mica_kit_turn(struct mica_run *run);

#endif

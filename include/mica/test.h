// SPDX-License-Identifier: Apache-2.0
//
// Tests of interactive tools: a whole call without a server, and a client whose
// answers are written down before.
//
//     #include <mica/test.h>
//
//     extern const struct mica_tool mica_tool_greet;
//
//     MICA_TEST(greets_who_has_a_good_day)
//     {
//         struct mica_mock *mock = mica_mock_open();
//         const struct mica_outcome *outcome;
//
//         mica_mock_accept(mock, "mood", "{\"happy\": true}");
//         outcome = mica_run_tool(&mica_tool_greet, "{\"name\": \"Ada\"}", mock);
//         MICA_EXPECT_ASKED(outcome, "mood");
//         MICA_EXPECT_SAYS(outcome, "Good morning!");
//         mica_mock_close(mock);
//     }
//
//     MICA_TEST_MAIN
//
// It lies in tests/tools/greet.c, is compiled with tools/greet.c (and tools/lib),
// and linked with libmica. docs/testing-tools.md walks through one.
//
// A call is run as a server runs it: the handler from its top for each round, its
// journal kept as bytes in between and everything else forgotten. Time stands
// still but for what clients take to answer, and chance is the same each time.
//
// A failure is reported on stderr with file and line, and counted; the test continues.
// In a test of another framework give its function to mica_test_on_failure, and
// leave MICA_TEST and MICA_TEST_MAIN alone.
//
// Threads: one test at a time. Without memory the program is aborted.
#ifndef MICA_TEST_H
#define MICA_TEST_H

#include <mica/tool.h>

#pragma GCC visibility push(default)

// ---- The client ------------------------------------------------------------------

// A client that declares everything, of the newest revision, without answers.
struct mica_mock;
struct mica_mock *mica_mock_open(void);

// Closes services, and removes their folder. Outcomes are gone with it.
void mica_mock_close(struct mica_mock *mock);

// Revisions of the protocol: what a question looks like, and when its answer
// comes: all of a round at once, or (before 2026) each in a turn of its own.
enum mica_era {
    MICA_ERA_2026_07_28,
    MICA_ERA_2025_11_25,
    MICA_ERA_2025_06_18
};
void mica_mock_era(struct mica_mock *mock, enum mica_era era);

// What it declares: enum mica_client_capability, or-ed.
void mica_mock_declare(struct mica_mock *mock, unsigned capabilities);

// What the handler reaches under a name, in place of what its tool brings.
// Services that the test has not given are opened as a server does, in a folder of this
// mock, and stay open until it closes.
void mica_mock_service(struct mica_mock *mock, const char *namez,
                       void *service);

// A service that is open now, of either kind; NULL when no such service is open.
void *mica_mock_find_service(struct mica_mock *mock, const char *namez);

// Where the services that the mock has opened keep their files, each in a folder
// of its name.
const char *mica_mock_folder(struct mica_mock *mock);

// A tool that mica_invoke finds, beside the one that is run.
#define mica_mock_tool(mock_, tool_) mica_test_offer(MICA_HERE_, mock_, tool_)

// When calls begin, in milliseconds since 1970 (default: 2026-01-01), and where
// chance comes from.
void mica_mock_clock(struct mica_mock *mock, int64_t now_ms);
void mica_mock_seed(struct mica_mock *mock, uint64_t seed);

// ---- Its answers -----------------------------------------------------------------
//
// An ask takes the first answer that is left and has its key, whether it is the
// first ask of that key or a later one ("pick", "pick#2"), or has no key (NULL).
// An ask without an answer, and an answer that no ask has taken, fail the test.

// A form, with its content as JSON, valid or not; a page, with NULL.
#define mica_mock_accept(mock_, key_, json_) \
    mica_test_answer(MICA_HERE_, mock_, MICA_MOCK_ACCEPT, key_, json_)
// Said no; closed it without a word.
#define mica_mock_decline(mock_, key_) \
    mica_test_answer(MICA_HERE_, mock_, MICA_MOCK_DECLINE, key_, NULL)
#define mica_mock_dismiss(mock_, key_) \
    mica_test_answer(MICA_HERE_, mock_, MICA_MOCK_DISMISS, key_, NULL)
// The words of the model; for mica_sample_into with JSON in them.
#define mica_mock_say(mock_, key_, words_) \
    mica_test_answer(MICA_HERE_, mock_, MICA_MOCK_SAY, key_, words_)
// Its roots: a JSON array of {"uri", "name"}.
#define mica_mock_roots(mock_, json_) \
    mica_test_answer(MICA_HERE_, mock_, MICA_MOCK_ROOTS, "roots", json_)
// Any result at all, as JSON, whatever was asked.
#define mica_mock_raw(mock_, key_, json_) \
    mica_test_answer(MICA_HERE_, mock_, MICA_MOCK_RAW, key_, json_)
// An error of JSON-RPC with this message.
#define mica_mock_error(mock_, key_, message_) \
    mica_test_answer(MICA_HERE_, mock_, MICA_MOCK_ERROR, key_, message_)
// Never answers: the limit of the ask passes.
#define mica_mock_silent(mock_, key_) \
    mica_test_answer(MICA_HERE_, mock_, MICA_MOCK_SILENT, key_, NULL)
// Is gone for good when it is asked; cancels the call.
#define mica_mock_disconnect(mock_, key_) \
    mica_test_answer(MICA_HERE_, mock_, MICA_MOCK_DISCONNECT, key_, NULL)
#define mica_mock_cancel(mock_, key_) \
    mica_test_answer(MICA_HERE_, mock_, MICA_MOCK_CANCEL, key_, NULL)

// ---- Other servers -------------------------------------------------------------------
//
// A test sends nothing. A request of mica_fetch takes the first answer that is left and
// has its method and URL; a step that runs again gets the answer that it got before. A
// request without an answer, and an answer that no request has taken, fail the test.

// An HTTP status, and a body or NULL.
#define mica_mock_fetch(mock_, method_, url_, status_, json_) \
    mica_test_fetch(MICA_HERE_, mock_, method_, url_, status_, json_)
// No answer: the fetch ends with that status, as MICA_E_FETCH_TIME.
#define mica_mock_fetch_fails(mock_, method_, url_, status_) \
    mica_test_fetch_fails(MICA_HERE_, mock_, method_, url_, status_)

// ---- Running a tool --------------------------------------------------------------

// A question as the client got it.
struct mica_outcome_ask {
    struct mica_text key, method, message; // message: of a form or page
    struct mica_text params;               // JSON
};
// A request as the other server got it. Headers are those that the tool has set, each
// a line; a secret stands there by its name: "Authorization: Bearer {RATES_TOKEN}".
struct mica_outcome_fetch {
    struct mica_text key; // idempotency key of its step
    struct mica_text method, url, headers, body;
};
struct mica_outcome_log {
    enum mica_log_level level;
    struct mica_text message;
};
struct mica_outcome_progress {
    double progress, total;
    struct mica_text message;
};

// How a call has ended. Texts are NUL-terminated, and live until the mock runs
// another tool or closes.
struct mica_outcome {
    enum mica_status status;
    struct mica_text code, message, path; // of a failure; code "OK" without one
    struct mica_text result;              // structured: JSON, or empty
    struct mica_text text; // text blocks of its content, each a line
    bool is_error;         // by mica_mark_error
    unsigned turns;
    const struct mica_outcome_ask *asks;
    size_t ask_count;
    const struct mica_outcome_log *logs;
    size_t log_count;
    const struct mica_outcome_progress *progress;
    size_t progress_count;
    const struct mica_outcome_fetch *fetches;
    size_t fetch_count;
    struct mica_text journal; // bytes of it
};

// What tools keep (mica/keep.h) is in databases of the mock, which are real. They are
// empty in each run of a replay, but for what the test has put into that of a tool: an
// entry, or what a statement does. Entries expire by mica_mock_clock.
#define mica_mock_keep(mock_, tool_, name_, json_) \
    mica_test_keep(MICA_HERE_, mock_, tool_, name_, json_)
#define mica_mock_sql(mock_, tool_, sql_) \
    mica_test_sql(MICA_HERE_, mock_, tool_, sql_)

// Runs a whole call. The script is read from its beginning each time.
#define mica_run_tool(tool_, json_, mock_) \
    mica_test_run(MICA_HERE_, tool_, json_, mock_)

// What is to be done around each run of a replay; NULL: nothing.
struct mica_replay {
    void (*begin)(struct mica_mock *mock, void *data); // services as they were
    void (*end)(struct mica_mock *mock, const struct mica_outcome *outcome,
                void *data); // what are they left with?
    void *data;
};

// Runs the call once, then again and again, cut off at each moment that a process
// can die at: before and after each commit, and at the end of each turn before its
// journal is kept. Each time all memory is dropped, services are opened anew, and
// a fresh turn continues from what was kept, until the call comes to its end. This
// must be the same end after the same questions, with the same effects
// (mica_mock_effect). Cut off before a commit it also continues without its client,
// as after a time-out: what had an effect by then must be recorded at that end,
// which is another one, so that `end` is not called. Each turn that waits is also
// run twice. Services that the mock opens begin each run in an empty folder. Gives
// the first run's outcome; `replay` may be NULL.
#define mica_replay_tool(tool_, json_, mock_, replay_) \
    mica_test_replay(MICA_HERE_, tool_, json_, mock_, replay_)

// For services of tests: an effect with that idempotency key is carried out. True
// the first time in a run, false when it was there before, as with a unique
// column.
bool mica_mock_effect(struct mica_mock *mock, struct mica_text key);

// Effects of the last run, each counted once.
size_t mica_mock_effects(const struct mica_mock *mock);

// Compares the last run with one of an older version of the tool, whose journal
// lies in the file `path` (JSON with base64; commit it): the code of today must
// still come through that journal to the same end, or calls that are open when it
// is installed would end with REPLAY_DIVERGED. With MICA_TEST_WRITE=1 in the
// environment the file is written instead.
#define mica_golden(mock_, path_) mica_test_golden(MICA_HERE_, mock_, path_)

// ---- Expectations ------------------------------------------------------------------
// Each gives true when it is met.

// Any condition, a number, a text.
#define MICA_EXPECT(condition_) \
    mica_test_expect(MICA_HERE_, (condition_), #condition_)
#define MICA_EXPECT_INT_EQ(actual_, expected_)                       \
    mica_test_expect_int(MICA_HERE_, (long long)(actual_), #actual_, \
                         (long long)(expected_))
#define MICA_EXPECT_TEXT_EQ(actual_, expected_) \
    mica_test_expect_text(MICA_HERE_, (actual_), #actual_, (expected_))

// Succeeded; succeeded and says exactly this; succeeded with a structured result
// equal to this JSON.
#define MICA_EXPECT_OK(outcome_) mica_test_expect_ok(MICA_HERE_, (outcome_))
#define MICA_EXPECT_SAYS(outcome_, text_) \
    mica_test_expect_says(MICA_HERE_, (outcome_), (text_))
#define MICA_EXPECT_RESULT(outcome_, json_) \
    mica_test_expect_result(MICA_HERE_, (outcome_), (json_))
// Failed with that code.
#define MICA_EXPECT_FAILS(outcome_, code_) \
    mica_test_expect_fails(MICA_HERE_, (outcome_), (code_))

// Asked exactly this, keys in order with a blank between them; "" for nothing.
#define MICA_EXPECT_ASKED(outcome_, keys_) \
    mica_test_expect_asked(MICA_HERE_, (outcome_), (keys_))
// The message of the ask `key` contains `part`.
#define MICA_EXPECT_MESSAGE(outcome_, key_, part_) \
    mica_test_expect_message(MICA_HERE_, (outcome_), (key_), (part_))
// What its params have at a JSON Pointer is equal to this JSON; NULL: nothing.
#define MICA_EXPECT_PARAM(outcome_, key_, pointer_, json_) \
    mica_test_expect_param(MICA_HERE_, (outcome_), (key_), (pointer_), (json_))

// Sent exactly these requests, each a line "GET https://…"; "" for none.
#define MICA_EXPECT_FETCHED(outcome_, lines_) \
    mica_test_expect_fetched(MICA_HERE_, (outcome_), (lines_))
// The body of the first request to `url` is equal to this JSON; NULL: it has none.
#define MICA_EXPECT_SENT(outcome_, url_, json_) \
    mica_test_expect_sent(MICA_HERE_, (outcome_), (url_), (json_))

// The entry `name` in the database of a tool is equal to this JSON; NULL: there is
// none. And the rows of a statement: "[{\"count\": 1}]".
#define MICA_EXPECT_KEPT(mock_, tool_, name_, json_) \
    mica_test_expect_kept(MICA_HERE_, (mock_), (tool_), (name_), (json_))
#define MICA_EXPECT_ROWS(mock_, tool_, sql_, json_) \
    mica_test_expect_rows(MICA_HERE_, (mock_), (tool_), (sql_), (json_))

// Exactly these messages of the log, each a line "info: words".
#define MICA_EXPECT_LOGS(outcome_, lines_) \
    mica_test_expect_logs(MICA_HERE_, (outcome_), (lines_))
// Exactly this progress, each a line "1 words", or "1/4 words" of a total.
#define MICA_EXPECT_PROGRESS(outcome_, lines_) \
    mica_test_expect_progress(MICA_HERE_, (outcome_), (lines_))

// ---- The program -------------------------------------------------------------------

// A test; its name is a sentence. MICA_TEST_MAIN is behind the last of a program.
#define MICA_TEST(name_)                                                   \
    static void name_(void);                                               \
    static const struct mica_test mica_test_##name_ = {#name_, name_,      \
                                                       __LINE__};          \
    static const struct mica_test *const mica_test_entry_##name_           \
        __attribute__((section("mica_tests"), used)) = &mica_test_##name_; \
    static void name_(void)

// Runs all tests, or those whose names are given; prints TAP. Exit status 1 when
// one has failed.
#define MICA_TEST_MAIN                                                     \
    extern const struct mica_test *const mica_tests_begin_[] __asm__(      \
        "__start_mica_tests") __attribute__((weak, visibility("hidden"))); \
    extern const struct mica_test *const mica_tests_end_[] __asm__(        \
        "__stop_mica_tests") __attribute__((weak, visibility("hidden")));  \
    int main(int count_, char **words_)                                    \
    {                                                                      \
        return mica_test_main(mica_tests_begin_, mica_tests_end_, count_,  \
                              words_);                                     \
    }

// How many expectations have failed in this program so far.
unsigned mica_test_failures(void);

// Has failures told to `hook` in place of stderr; it need not return. NULL:
// stderr.
void mica_test_on_failure(void (*hook)(const char *file, int line,
                                       const char *messagez));

// ---- What the macros call ------------------------------------------------------------

// A place in a source.
struct mica_here {
    const char *file;
    int line;
};
#define MICA_HERE_ ((struct mica_here){__FILE__, __LINE__})

// What MICA_TEST makes.
struct mica_test {
    const char *name;
    void (*function)(void);
    int line;
};

// What a client does with a question.
enum mica_mock_kind {
    MICA_MOCK_ACCEPT,
    MICA_MOCK_DECLINE,
    MICA_MOCK_DISMISS,
    MICA_MOCK_SAY,
    MICA_MOCK_ROOTS,
    MICA_MOCK_RAW,
    MICA_MOCK_ERROR,
    MICA_MOCK_SILENT,
    MICA_MOCK_DISCONNECT,
    MICA_MOCK_CANCEL
};

// As described with the macros above.
int mica_test_main(const struct mica_test *const *begin,
                   const struct mica_test *const *end, int count, char **words);
void mica_test_answer(struct mica_here here, struct mica_mock *mock,
                      enum mica_mock_kind kind, const char *keyz,
                      const char *textz);
void mica_test_fetch(struct mica_here here, struct mica_mock *mock,
                     const char *methodz, const char *urlz, unsigned status,
                     const char *bodyz);
void mica_test_fetch_fails(struct mica_here here, struct mica_mock *mock,
                           const char *methodz, const char *urlz,
                           enum mica_status status);
bool mica_test_expect_fetched(struct mica_here here,
                              const struct mica_outcome *outcome,
                              const char *lines);
bool mica_test_expect_sent(struct mica_here here,
                           const struct mica_outcome *outcome, const char *url,
                           const char *json);
void mica_test_keep(struct mica_here here, struct mica_mock *mock,
                    const struct mica_tool *tool, const char *namez,
                    const char *jsonz);
void mica_test_sql(struct mica_here here, struct mica_mock *mock,
                   const struct mica_tool *tool, const char *sqlz);
bool mica_test_expect_kept(struct mica_here here, struct mica_mock *mock,
                           const struct mica_tool *tool, const char *namez,
                           const char *jsonz);
bool mica_test_expect_rows(struct mica_here here, struct mica_mock *mock,
                           const struct mica_tool *tool, const char *sqlz,
                           const char *jsonz);
void mica_test_offer(struct mica_here here, struct mica_mock *mock,
                     const struct mica_tool *tool);
const struct mica_outcome *mica_test_run(struct mica_here here,
                                         const struct mica_tool *tool,
                                         const char *jsonz,
                                         struct mica_mock *mock);
const struct mica_outcome *mica_test_replay(struct mica_here here,
                                            const struct mica_tool *tool,
                                            const char *jsonz,
                                            struct mica_mock *mock,
                                            const struct mica_replay *replay);
bool mica_test_golden(struct mica_here here, struct mica_mock *mock,
                      const char *path);
bool mica_test_expect(struct mica_here here, bool condition, const char *words);
bool mica_test_expect_int(struct mica_here here, long long actual,
                          const char *words, long long expected);
bool mica_test_expect_text(struct mica_here here, struct mica_text actual,
                           const char *words, const char *expected);
bool mica_test_expect_ok(struct mica_here here,
                         const struct mica_outcome *outcome);
bool mica_test_expect_says(struct mica_here here,
                           const struct mica_outcome *outcome,
                           const char *text);
bool mica_test_expect_result(struct mica_here here,
                             const struct mica_outcome *outcome,
                             const char *json);
bool mica_test_expect_fails(struct mica_here here,
                            const struct mica_outcome *outcome,
                            const char *code);
bool mica_test_expect_asked(struct mica_here here,
                            const struct mica_outcome *outcome,
                            const char *keys);
bool mica_test_expect_message(struct mica_here here,
                              const struct mica_outcome *outcome,
                              const char *key, const char *part);
bool mica_test_expect_param(struct mica_here here,
                            const struct mica_outcome *outcome, const char *key,
                            const char *pointer, const char *json);
bool mica_test_expect_logs(struct mica_here here,
                           const struct mica_outcome *outcome,
                           const char *lines);
bool mica_test_expect_progress(struct mica_here here,
                               const struct mica_outcome *outcome,
                               const char *lines);

#pragma GCC visibility pop

#endif

// SPDX-License-Identifier: Apache-2.0
//
// All that the author of an interactive tool includes.
//
// An interactive tool is straight-line C that may ask its client, in the middle
// of a call: the person for a form, the model for words, the program for its
// roots. One file in tools/, named by its tool; docs/tool.md walks through one.
//
//     #include <mica/tool.h>
//
//     struct request { struct mica_text name; };
//     MICA_RECORD(request, MICA_TEXT(name, "Who is to be greeted."));
//
//     struct mood { bool happy; };
//     MICA_RECORD(mood, MICA_BOOLEAN(happy, "Is it a good day?"));
//
//     static enum mica_status
//     greet(struct mica_call *call, const struct request *in,
//           struct mica_nothing *out)
//     {
//         struct mood mood;
//
//         (void)out;
//         MICA_TRY(mica_elicit(call, MICA_FORM(mood, &mood),
//                              "How is %.*s?", MICA_ARG(in->name)));
//         mica_add_text(call, mood.happy ? MICA_LITERAL("Good morning!")
//                                        : MICA_LITERAL("Cheer up."), NULL);
//         return MICA_OK;
//     }
//
//     MICA_TOOL(greet, request, mica_nothing, greet,
//         .description = "Greet a person in the mood of the day.",
//         .requires = MICA_ELICITATION);
//
// THE ONE RULE. Nothing lives between an ask and its answer but the journal of
// the call. When the answer comes, the handler runs again from its top, maybe in
// another process: every ask that was answered gives its answer at once, and the
// first that was not sends its question and ends the turn. So
//  - what stands between asks runs again, and must come to the same asks;
//  - what must not run twice is a step (MICA_STEP), or stands in `before` or
//    `after` of a tool with phases (MICA_HANDOFF);
//  - the time and chance come from mica_now and mica_random, which are recorded;
//  - whatever an ask returns other than MICA_OK is handed on at once: MICA_TRY.
//    After MICA_SUSPENDED all functions below do nothing, outputs are zero, and
//    what the handler returns is ignored.
//
// EXACTLY ONCE, and its edge. A call begins when the server takes a request that
// has no state. To repeat that request is a new call, unless both have the same
// _meta["mica/idempotencyKey"] (a text of 1 to 256 bytes, chosen by the client):
// of the same caller, with the same arguments, they are the same call. Within a
// call `before`, `after` and each step record their result when they have
// finished; what is recorded never runs again, on any node. One whose result was
// not recorded runs again with the same mica_idempotency_key, so at least once:
// its process died, or the store could not write the result. Make the effect
// itself single by that key: a unique column, or the header that a payment service
// takes.
//
// Threads: a handler runs on one thread at a time, each turn maybe on another.
#ifndef MICA_TOOL_H
#define MICA_TOOL_H

#include <mica/server.h>

#pragma GCC visibility push(default)

// ---- Contexts --------------------------------------------------------------------

// What a phase may do is a matter of its type: a `before` or `after` that asks,
// and a `client` that uses a service, do not compile. `struct mica_call`, which
// everything else is given, may do both.
struct mica_server_call; // in before, after and steps: services, no asks
struct mica_client_call; // in client: asks, no services

// What cannot be called, by the name that the compiler shows.
void mica_ask_in_client_not_in_before_or_after_or_a_step(void)
    __attribute__((error("ask in `client`: `before`, `after` and steps run "
                         "once and cannot wait for an answer")));
void mica_use_services_in_before_or_after_not_in_client(void)
    __attribute__((error("use services in `before`, `after` or a step: "
                         "`client` runs again after each answer")));
void mica_defer_in_client_not_in_before_or_after_or_a_step(void)
    __attribute__((error("name clean-ups in `client`: `before`, `after` and "
                         "steps do not run again, and they would be "
                         "forgotten")));

#define MICA_ANY_CALL_(call_)                                          \
    ((struct mica_call *)_Generic((call_), struct mica_call *          \
                                  : (call_), struct mica_server_call * \
                                  : (call_), struct mica_client_call * \
                                  : (call_)))
#define MICA_CLIENT_CALL_(call_)             \
    ((struct mica_call *)_Generic(           \
        (call_), struct mica_call *          \
        : (call_), struct mica_client_call * \
        : (call_), struct mica_server_call * \
        : (mica_ask_in_client_not_in_before_or_after_or_a_step(), (void *)0)))
#define MICA_DEFER_CALL_(call_)                                     \
    ((struct mica_call *)_Generic(                                  \
        (call_), struct mica_call *                                 \
        : (call_), struct mica_client_call *                        \
        : (call_), struct mica_server_call *                        \
        : (mica_defer_in_client_not_in_before_or_after_or_a_step(), \
           (void *)0)))
#define MICA_SERVER_CALL_(call_)             \
    ((struct mica_call *)_Generic(           \
        (call_), struct mica_call *          \
        : (call_), struct mica_server_call * \
        : (call_), struct mica_client_call * \
        : (mica_use_services_in_before_or_after_not_in_client(), (void *)0)))

// ---- What an ask comes to --------------------------------------------------------
//
// MICA_OK           answered, valid, decoded
// MICA_SUSPENDED    not answered yet: return it
// MICA_E_DECLINED   the person said no          ELICITATION_DECLINED
// MICA_E_DISMISSED  … closed it without a word  ELICITATION_CANCELLED
// MICA_E_ATTEMPTS   invalid or refused too often ATTEMPTS_EXHAUSTED
// MICA_E_CAPABILITY the client cannot be asked  CAPABILITY_MISSING (names which)
// MICA_E_CLIENT     the client answered with an error  CLIENT_ERROR
// MICA_E_TIMEOUT    the limit of the ask passed TIMEOUT
// MICA_E_DISCONNECTED  the client is gone for good     DISCONNECTED
// MICA_E_CANCELLED  the call was cancelled      CANCELLED
//
// Each may be caught; one that the handler returns ends the call with its code.
// What the call says in its place is `return mica_fail(…)`. After TIMEOUT,
// DISCONNECTED and CANCELLED further asks return the same at once.

// ---- Forms -----------------------------------------------------------------------

// One of the choices set for an ask. `title` is for people; empty: the value.
struct mica_option {
    struct mica_text value, title;
};

// What is set for one ask about a field of its record: for a text, the choices
// that there are this time; for any, other words, another default or bounds. 0
// and NULL leave the record's.
struct mica_field_setting {
    const char *field; // as in the record
    const char *title; // for people; the field's name without it
    const char *description;
    const struct mica_option *options; // of a text, or of a list of texts
    size_t option_count;
    bool enum_names; // titles of options as enumNames, for clients that know no
                     // other way; revision 2025-06-18 always has them so
    const char *fallback; // JSON
    bool has_minimum, has_maximum;
    double minimum, maximum;       // of a number or integer
    size_t min_length, max_length; // of a text
    size_t min_items, max_items;   // of a list
};

// What is asked of a person: the fields of a record, which are flat: texts,
// numbers, integers, booleans, choices, dates, and lists of choices (MCP:
// elicitation schemas; checked at build time, docs/tool.md has the rules). Never
// ask for a password or a key in a form: use mica_elicit_url.
struct mica_form {
    const struct mica_record *record;
    void *out; // struct of the record, written when the ask is MICA_OK
    const char
        *key; // of the ask, without ' ', '/', '#'; NULL: the record's tag
    const struct mica_field_setting *set;
    size_t set_count;
    uint32_t limit_ms; // 0: that of the tool
};

// MICA_FORM(selection, &selection, options…), in a function: `&selection` of
// another type does not compile, and `mica build` refuses a record that no client
// can be asked for, wherever in the source the form stands. Options are members of
// struct mica_form, as .key = "again", and MICA_SET.
#define MICA_FORM(tag_, ...)                                               \
    (MICA_FORM_NAMED_(tag_),                                               \
     &(const struct mica_form){                                            \
         .record = &mica_record_##tag_ + MICA_SAME_(tag_, __VA_ARGS__, 0), \
         MICA_FORM_OPTIONS_(struct tag_, .out = __VA_ARGS__)})

// What is set for one field of the form: MICA_SET(flight, .options = flights,
// .option_count = 3); a field that its struct does not have does not compile. In
// place of these, .set and .set_count name what is known at run time only.
#define MICA_SET(...) (COMMA_MISSING, __VA_ARGS__)

// Puts the record among those that the build checks.
#define MICA_FORM_NAMED_(tag_)                             \
    __extension__({                                        \
        static const struct mica_record *const mica_named_ \
            __attribute__((section("mica_forms"), used)) = \
                &mica_record_##tag_;                       \
        (void)0;                                           \
    })
// 0, when the pointer is one to that struct; anything else does not compile.
#define MICA_SAME_(tag_, pointer_, ...) \
    MICA_POINTS_(tag_, _Generic((pointer_), struct tag_ * : 1, default : 0))
#define MICA_POINTS_(tag_, so_)                                            \
    (0 * sizeof(struct {                                                   \
         _Static_assert(so_,                                               \
                        "what is given is no pointer to a struct " #tag_); \
         int unused_;                                                      \
     }))

// The options of a form: members, and what MICA_SET has put into parentheses, of
// which, if there are any, .set is made.
#define MICA_FORM_OPTIONS_(T, ...)                        \
    MICA_JOIN_(MICA_SETS_, MICA_ANY_SET_(T, __VA_ARGS__)) \
    (T, __VA_ARGS__) MICA_EACH_(MICA_OPTION_, T, __VA_ARGS__)
#define MICA_SETS_0_(T, ...)
#define MICA_SETS_1_(T, ...)                              \
    .set = MICA_SETTINGS_(T, __VA_ARGS__),                \
    .set_count = sizeof(MICA_SETTINGS_(T, __VA_ARGS__)) / \
                 sizeof(struct mica_field_setting),
#define MICA_SETTINGS_(T, ...)                    \
    (const struct mica_field_setting[])           \
    {                                             \
        MICA_EACH_(MICA_SETTING_, T, __VA_ARGS__) \
    }

#define MICA_OPTION_(T, option) \
    MICA_JOIN_(MICA_OPTION_, MICA_IS_SET_(option))(T, option)
#define MICA_OPTION_0_(T, option) option,
#define MICA_OPTION_1_(T, option)
#define MICA_SETTING_(T, option) \
    MICA_JOIN_(MICA_SETTING_, MICA_IS_SET_(option))(T, option)
#define MICA_SETTING_0_(T, option)
#define MICA_SETTING_1_(T, option)    MICA_SETTING_2_(T, MICA_UNWRAP_ option)
#define MICA_SETTING_2_(...)          MICA_SETTING_3_(__VA_ARGS__)
#define MICA_SETTING_3_(T, form, ...) MICA_SETTING_##form##_(T, __VA_ARGS__)
#define MICA_SETTING_COMMA_MISSING_(T, member_, ...) \
    {.field = &#member_[0 * __builtin_offsetof(T, member_)], __VA_ARGS__},

// 1 when one of them begins with a parenthesis.
#define MICA_ANY_SET_(T, ...) \
    MICA_SECOND_(0 MICA_EACH_(MICA_MARK_, T, __VA_ARGS__), 0, 0)
#define MICA_MARK_(T, option) MICA_JOIN_(MICA_MARK_, MICA_IS_SET_(option))
#define MICA_MARK_0_
#define MICA_MARK_1_ , 1

// Asks, and wants a valid answer: anything else is no MICA_OK. An answer that the
// form refuses is asked for again, with the fault in the message, at most 5 times
// in all. The message is formatted as mica_buffer_format does it.
enum mica_status mica_elicit(struct mica_call *call,
                             const struct mica_form *form, const char *formatz,
                             ...) MICA_PRINTF(3, 4) MICA_MUST_USE;

// What a person did with a form.
enum mica_action {
    MICA_ACCEPTED,
    MICA_DECLINED, // said no
    MICA_DISMISSED // closed it, said nothing
};

// The same, with MICA_OK for all three: *action_out is to be switched on. The
// form's struct is zero unless ACCEPTED.
enum mica_status
mica_elicit_action(struct mica_call *call, const struct mica_form *form,
                   enum mica_action *action_out, const char *formatz, ...)
    MICA_PRINTF(4, 5) MICA_MUST_USE;

// What follows a refusal, or the last attempt.
enum mica_then {
    MICA_THEN_ERROR, // MICA_E_DECLINED, _DISMISSED or _ATTEMPTS
    MICA_THEN_RETRY, // ask again; after the last attempt: .on_exhausted
    MICA_THEN_RETURN // MICA_OK, with the action
};
struct mica_attempts {
    unsigned most; // 0: 3; at most 20
    enum mica_then on_decline, on_dismiss;
    // ERROR (MICA_E_ATTEMPTS), or RETURN with the last action; an answer that was
    // still invalid counts as DISMISSED.
    enum mica_then on_exhausted;
};

// Asks up to a number of times. `action_out` may be NULL when nothing RETURNs.
enum mica_status
mica_elicit_retry(struct mica_call *call, const struct mica_form *form,
                  const struct mica_attempts *policy,
                  enum mica_action *action_out, const char *formatz, ...)
    MICA_PRINTF(5, 6) MICA_MUST_USE;

// Sends the person to a page of the program, for what must not go through the
// client: credentials, a payment, consent elsewhere. MICA_OK says that they
// agreed to go there, not that they have done what is to be done: look, and ask
// again. Needs MICA_ELICITATION_URL.
struct mica_page {
    const char *key;              // NULL: "page"
    const char *url;              // https; http for loopback only
    enum mica_action *action_out; // or NULL: strict
    uint32_t limit_ms;
};
enum mica_status mica_elicit_url(struct mica_call *call,
                                 const struct mica_page *page,
                                 const char *formatz, ...) MICA_PRINTF(3, 4)
    MICA_MUST_USE;

// ---- The model -------------------------------------------------------------------

// A message of the conversation that the model continues.
struct mica_said {
    enum mica_role role;
    struct mica_text text;
};

// MCP: modelPreferences. Priorities are from 0 to 1; 0 is not sent. Others are
// refused with OUT_OF_RANGE.
struct mica_preferences {
    const char *const *hints; // names of models, the best first; NULL-ended
    double cost, speed, intelligence;
};

struct mica_sampling {
    const char *key;         // NULL: "sample"
    struct mica_text prompt; // what the user says, or …
    const struct mica_said *messages;
    size_t message_count;
    struct mica_text system_prompt;
    uint32_t max_tokens; // 0: 1000
    struct mica_preferences preferences;
    uint32_t limit_ms;
};

// The model's words, in the call's memory.
enum mica_status mica_sample(struct mica_call *call,
                             const struct mica_sampling *sampling,
                             struct mica_text *text_out) MICA_MUST_USE;

// A struct to be written, by its record: MICA_INTO(booking, &booking).
struct mica_into {
    const struct mica_record *record;
    void *out;
};
#define MICA_INTO(tag_, out_)                                        \
    ((const struct mica_into){.record = &mica_record_##tag_ +        \
                                        MICA_SAME_(tag_, (out_), 0), \
                              .out = (out_)})

// The model's answer as a struct: the schema goes with the prompt, the first JSON
// object of its words is taken and checked. One that does not fit is asked for
// once more, with the fault; then MICA_E_ATTEMPTS.
enum mica_status mica_sample_into(struct mica_call *call,
                                  const struct mica_sampling *sampling,
                                  struct mica_into into) MICA_MUST_USE;

// ---- The client ------------------------------------------------------------------

struct mica_root {
    struct mica_text uri, name; // name may be empty
};
struct mica_roots {
    const struct mica_root *items;
    size_t count;
};

// The folders that the client's user works in (MCP: roots).
enum mica_status mica_roots(struct mica_call *call,
                            struct mica_roots *roots_out) MICA_MUST_USE;

// Can this client be asked for it? The answer is recorded: it is the same for
// the rest of the call.
bool mica_client_has(struct mica_call *call,
                     enum mica_client_capability capability);

// ---- Several at once -------------------------------------------------------------

// One ask of a round: exactly one of form, page, sampling and roots is set.
struct mica_ask {
    const struct mica_form *form;
    enum mica_action *action_out; // of a form; NULL: strict
    // Of a form, as mica_elicit_retry has it; NULL: as mica_elicit does without,
    // or with an action_out as mica_elicit_action.
    const struct mica_attempts *attempts;
    const struct mica_page *page;
    const struct mica_sampling *sampling;
    struct mica_text *text_out; // of sampling: the words, or …
    struct mica_into into;      // … a struct, as mica_sample_into
    struct mica_roots *roots;
    struct mica_text message; // of a form or page: mica_format(call, …)
};

// Sends all of them together, and is MICA_OK when all have been answered: one
// round instead of many. At most 16. What has to be asked again is so when the
// others have been answered, together as well. The first that came to something
// else, in their order, is what is returned.
enum mica_status mica_ask_all(struct mica_call *call,
                              const struct mica_ask *asks, size_t count)
    MICA_MUST_USE;

// ---- Effects ---------------------------------------------------------------------

// What the program gave under that name (mica_server_add_service), or what the
// tool's own .services opened. Never NULL: a call that asks for what is not there
// ends with SERVICE_MISSING.
void *mica_service(struct mica_call *call, const char *namez);

// The services that a tool opens itself: .services = MICA_SERVICES(&bookings).
#define MICA_SERVICES(...) \
    ((const struct mica_service_definition *const[]){__VA_ARGS__, NULL})

// A named effect that runs once in a call, though its handler runs many times:
//
//     static enum mica_status
//     charge(struct mica_server_call *call, const struct order *in,
//            struct receipt *out);
//     MICA_STEP(charge, order, receipt, charge)
//
// and then MICA_RUN_STEP(charge, call, &order, &receipt): it runs the function
// the first time, and records `receipt` by its record, or how it failed; every
// further time it gives what was recorded. A tool names its steps:
// .steps = MICA_STEPS("charge"). A step that is reached several times in one call
// is several steps: charge, charge#2, …
#define MICA_STEP(name_, in_tag_, out_tag_, function_)                       \
    static enum mica_status mica_step_thunk_##name_(                         \
        struct mica_call *mica_call_, const void *mica_in_, void *mica_out_) \
    {                                                                        \
        const struct in_tag_ *mica_input_ = mica_in_;                        \
        struct out_tag_ *mica_output_ = mica_out_;                           \
        return function_((struct mica_server_call *)mica_call_, mica_input_, \
                         mica_output_);                                      \
    }                                                                        \
    MICA_UNUSED_ static inline enum mica_status mica_step_run_##name_(       \
        struct mica_call *mica_call_, const struct in_tag_ *mica_in_,        \
        struct out_tag_ *mica_out_)                                          \
    {                                                                        \
        return mica_step(                                                    \
            mica_call_, #name_, mica_step_thunk_##name_, mica_in_,           \
            (struct mica_into){&mica_record_##out_tag_, mica_out_});         \
    }                                                                        \
    _Static_assert(1, "")
#define MICA_STEPS(...) ((const char *const[]){__VA_ARGS__, NULL})

// Runs a step that MICA_STEP has defined.
#define MICA_RUN_STEP(name_, call_, in_, out_) \
    mica_step_run_##name_(MICA_SERVER_CALL_(call_), in_, out_)

// What the macros call. The function runs at least once until its result is
// recorded (its process may die, or the store fail, behind the effect), and never
// after that; make its effect single by mica_idempotency_key. Errors: those that the
// function returned when it ran; MICA_E_USAGE (a name that is not among the tool's
// .steps).
enum mica_status mica_step(struct mica_call *call, const char *namez,
                           mica_handler *function, const void *in,
                           struct mica_into into) MICA_MUST_USE;

// Names this very effect in all the world: it is the same whenever this step,
// `before` or `after` of this call runs again, and never otherwise.
struct mica_text mica_idempotency_key(struct mica_call *call);

// Milliseconds since 1970, and 64 random bits: recorded, so the same each time
// that the handler runs.
int64_t mica_now(struct mica_call *call);
uint64_t mica_random(struct mica_call *call);

// Has `clean` run when the call has ended, whichever way: finished, failed,
// cancelled or timed out; the last one registered first. Never at a suspension.
// It runs once, as a step does, and cannot change the outcome. `data` is handed
// over; as the handler registers again each turn, it may lie in its memory. In
// the handler or in `client`: what does not run again would forget it.
//
// The one exception: a clean-up is code, which the handler names anew in each
// turn. Of a call whose tool is gone, or whose handler is another one by now and
// ends with REPLAY_DIVERGED before it comes here, or has ended its process five
// times (CALL_CRASHED), it does not run. So what it undoes ends by itself as well,
// where that matters: a lock has a time.
typedef void mica_cleaner(struct mica_server_call *call, const void *data);
void mica_defer(struct mica_call *call, const char *namez, mica_cleaner *clean,
                const void *data);

// From here on the call is a task: its caller has the answer that it continues, and
// asks how it is. Of a tool with .task and .detaches, which first asks what it
// must know; without .detaches a call is a task from its beginning. MICA_OK also
// for a client that has no tasks: it waits for the result.
enum mica_status mica_detach(struct mica_call *call) MICA_MUST_USE;

// ---- Other tools -----------------------------------------------------------------

// A struct to be read, by its record: MICA_FROM(request, &request).
struct mica_from {
    const struct mica_record *record;
    const void *in;
};
#define MICA_FROM(tag_, in_)                                            \
    ((const struct mica_from){                                          \
        .record = &mica_record_##tag_ +                                 \
                  MICA_POINTS_(tag_, _Generic((in_), struct tag_ * : 1, \
                                              const struct tag_ * : 1,  \
                                              default : 0)),            \
        .in = (in_)})

// Runs another tool of the server inside this call: its asks go to the same
// client, its steps are in the same journal. `into` takes its structured result;
// a record of NULL drops it. It fails as that tool failed; the message names it.
// When the handler runs again the tool continues as the build that it was, and must be
// given the same arguments: others are REPLAY_DIVERGED, and so is a build that is
// gone. Errors beside: MICA_E_NOT_FOUND, MICA_E_BUSY (the server still builds it: a
// later call may succeed), MICA_E_LIMIT (8 deep).
enum mica_status mica_invoke(struct mica_call *call, const char *toolz,
                             struct mica_from from, struct mica_into into)
    MICA_MUST_USE;

// Several that proceed side by side: their asks go out in one round.
struct mica_invocation {
    const char *tool;
    struct mica_from from;
    struct mica_into into;
    enum mica_status status; // how it ended
    struct mica_error error;
};

// MICA_OK when all have succeeded. When one fails the others are cancelled, and
// their clean-ups have run before it returns. At most 16.
enum mica_status mica_invoke_all(struct mica_call *call,
                                 struct mica_invocation *invocations,
                                 size_t count) MICA_MUST_USE;

// MICA_OK with the number of the first that has succeeded; the others have been
// cancelled. When all fail, as the last of them.
enum mica_status mica_invoke_first(struct mica_call *call,
                                   struct mica_invocation *invocations,
                                   size_t count, size_t *winner_out)
    MICA_MUST_USE;

// ---- Declaring a tool ------------------------------------------------------------

// The input of a tool that takes none, and the output of one that ends with words
// alone (mica_add_text).
MICA_EMPTY_RECORD(mica_nothing);

// A tool in three phases. `before` and `after` run once; `client` asks. What
// `before` found reaches the other two by its record, as does what `client`
// chose.
//
// What "once" promises: `before` and `after` record their result when they have
// finished, and what is recorded never runs again in this call, on any node. One
// whose result was not recorded, as the process died inside it or the store could
// not write, runs again with the same mica_idempotency_key (the id of the call and
// "before" or "after", unique in the store): make its effect single by that. It is
// a promise within one call. A client that repeats the request without state
// begins another, which has a `before` of its own, unless the request has the
// _meta["mica/idempotencyKey"] of the first, the same caller and the same
// arguments.
//
//     MICA_HANDOFF(book_flight, request, found, choice, booking,
//                  before, client, after, .description = …)
//
//     enum mica_status before(struct mica_server_call *,
//                             const struct request *, struct found *);
//     enum mica_status client(struct mica_client_call *,
//                             const struct found *, struct choice *);
//     enum mica_status after(struct mica_server_call *, const struct found *,
//                            const struct choice *, struct booking *);
//
// When `client` fails, `after` does not run: clean up with mica_defer.
#define MICA_HANDOFF(name_, in_, found_, choice_, out_, before_, client_,      \
                     after_, ...)                                              \
    static enum mica_status mica_before_thunk_##name_(                         \
        struct mica_call *mica_call_, const void *mica_in_, void *mica_out_)   \
    {                                                                          \
        const struct in_ *mica_a_ = mica_in_;                                  \
        struct found_ *mica_b_ = mica_out_;                                    \
        return before_((struct mica_server_call *)mica_call_, mica_a_,         \
                       mica_b_);                                               \
    }                                                                          \
    static enum mica_status mica_client_thunk_##name_(                         \
        struct mica_call *mica_call_, const void *mica_in_, void *mica_out_)   \
    {                                                                          \
        const struct found_ *mica_a_ = mica_in_;                               \
        struct choice_ *mica_b_ = mica_out_;                                   \
        return client_((struct mica_client_call *)mica_call_, mica_a_,         \
                       mica_b_);                                               \
    }                                                                          \
    static enum mica_status mica_after_thunk_##name_(                          \
        struct mica_call *mica_call_, const void *mica_in_,                    \
        const void *mica_chosen_, void *mica_out_)                             \
    {                                                                          \
        const struct found_ *mica_a_ = mica_in_;                               \
        const struct choice_ *mica_b_ = mica_chosen_;                          \
        struct out_ *mica_c_ = mica_out_;                                      \
        return after_((struct mica_server_call *)mica_call_, mica_a_, mica_b_, \
                      mica_c_);                                                \
    }                                                                          \
    extern const struct mica_tool mica_tool_##name_;                           \
    MICA_QUIET_                                                                \
    const struct mica_tool mica_tool_##name_ = {                               \
        .name = #name_,                                                        \
        .input = &mica_record_##in_,                                           \
        .output = &mica_record_##out_,                                         \
        .phases = &(const struct mica_phases){&mica_record_##found_,           \
                                              &mica_record_##choice_,          \
                                              mica_before_thunk_##name_,       \
                                              mica_client_thunk_##name_,       \
                                              mica_after_thunk_##name_},       \
        __VA_ARGS__};                                                          \
    MICA_TOOL_ENTRY_(name_)                                                    \
    MICA_LOUD_                                                                 \
    _Static_assert(1, "")

// ---- The same functions, for each kind of call ------------------------------------

// What the macros below stand for is defined by mica with this set.
#ifndef MICA_TOOL_PLAIN

// For every call.
#    undef mica_fail
#    undef mica_format
#    define mica_fail(call_, ...)                                     \
        (mica_fail)(MICA_PRINTS_(MICA_ANY_CALL_(call_), __VA_ARGS__), \
                    __VA_ARGS__)
#    define mica_alloc(call_, ...) \
        (mica_alloc)(MICA_ANY_CALL_(call_), __VA_ARGS__)
#    define mica_alloc_array(call_, ...) \
        (mica_alloc_array)(MICA_ANY_CALL_(call_), __VA_ARGS__)
#    define mica_format(call_, ...)                                     \
        (mica_format)(MICA_PRINTS_(MICA_ANY_CALL_(call_), __VA_ARGS__), \
                      __VA_ARGS__)
#    define mica_number(call_, ...) \
        (mica_number)(MICA_ANY_CALL_(call_), __VA_ARGS__)
#    define mica_fixed(call_, ...) \
        (mica_fixed)(MICA_ANY_CALL_(call_), __VA_ARGS__)
#    define mica_decimal_text(call_, ...) \
        (mica_decimal_text)(MICA_ANY_CALL_(call_), __VA_ARGS__)
#    define mica_decimal_fixed(call_, ...) \
        (mica_decimal_fixed)(MICA_ANY_CALL_(call_), __VA_ARGS__)
#    define mica_builder(call_) (mica_builder)(MICA_ANY_CALL_(call_))
#    define mica_sort(call_, ...) \
        (mica_sort)(MICA_ANY_CALL_(call_), __VA_ARGS__)
#    define mica_user(call_)      (mica_user)(MICA_ANY_CALL_(call_))
#    define mica_cancelled(call_) (mica_cancelled)(MICA_ANY_CALL_(call_))
#    define mica_principal(call_) (mica_principal)(MICA_ANY_CALL_(call_))
#    define mica_progress(call_, ...) \
        (mica_progress)(MICA_ANY_CALL_(call_), __VA_ARGS__)
#    define mica_notify(call_, ...) \
        (mica_notify)(MICA_ANY_CALL_(call_), __VA_ARGS__)
#    define mica_log(call_, ...) (mica_log)(MICA_ANY_CALL_(call_), __VA_ARGS__)
#    define mica_add_text(call_, ...) \
        (mica_add_text)(MICA_ANY_CALL_(call_), __VA_ARGS__)
#    define mica_add_image(call_, ...) \
        (mica_add_image)(MICA_ANY_CALL_(call_), __VA_ARGS__)
#    define mica_add_audio(call_, ...) \
        (mica_add_audio)(MICA_ANY_CALL_(call_), __VA_ARGS__)
#    define mica_add_resource_text(call_, ...) \
        (mica_add_resource_text)(MICA_ANY_CALL_(call_), __VA_ARGS__)
#    define mica_add_resource_bytes(call_, ...) \
        (mica_add_resource_bytes)(MICA_ANY_CALL_(call_), __VA_ARGS__)
#    define mica_add_resource_link(call_, ...) \
        (mica_add_resource_link)(MICA_ANY_CALL_(call_), __VA_ARGS__)
#    define mica_mark_error(call_) (mica_mark_error)(MICA_ANY_CALL_(call_))

// For calls of one kind.
#    define mica_elicit(call_, ...) \
        (mica_elicit)(MICA_CLIENT_CALL_(call_), __VA_ARGS__)
#    define mica_elicit_action(call_, ...) \
        (mica_elicit_action)(MICA_CLIENT_CALL_(call_), __VA_ARGS__)
#    define mica_elicit_retry(call_, ...) \
        (mica_elicit_retry)(MICA_CLIENT_CALL_(call_), __VA_ARGS__)
#    define mica_elicit_url(call_, ...) \
        (mica_elicit_url)(MICA_CLIENT_CALL_(call_), __VA_ARGS__)
#    define mica_sample(call_, ...) \
        (mica_sample)(MICA_CLIENT_CALL_(call_), __VA_ARGS__)
#    define mica_sample_into(call_, ...) \
        (mica_sample_into)(MICA_CLIENT_CALL_(call_), __VA_ARGS__)
#    define mica_roots(call_, ...) \
        (mica_roots)(MICA_CLIENT_CALL_(call_), __VA_ARGS__)
#    define mica_client_has(call_, ...) \
        (mica_client_has)(MICA_CLIENT_CALL_(call_), __VA_ARGS__)
#    define mica_ask_all(call_, ...) \
        (mica_ask_all)(MICA_CLIENT_CALL_(call_), __VA_ARGS__)
#    define mica_invoke(call_, ...) \
        (mica_invoke)(MICA_CLIENT_CALL_(call_), __VA_ARGS__)
#    define mica_invoke_all(call_, ...) \
        (mica_invoke_all)(MICA_CLIENT_CALL_(call_), __VA_ARGS__)
#    define mica_invoke_first(call_, ...) \
        (mica_invoke_first)(MICA_CLIENT_CALL_(call_), __VA_ARGS__)
#    define mica_service(call_, ...) \
        (mica_service)(MICA_SERVER_CALL_(call_), __VA_ARGS__)
#    define mica_idempotency_key(call_) \
        (mica_idempotency_key)(MICA_SERVER_CALL_(call_))
#    define mica_detach(call_) (mica_detach)(MICA_CLIENT_CALL_(call_))
#    define mica_now(call_)    (mica_now)(MICA_ANY_CALL_(call_))
#    define mica_random(call_) (mica_random)(MICA_ANY_CALL_(call_))
#    define mica_defer(call_, ...) \
        (mica_defer)(MICA_DEFER_CALL_(call_), __VA_ARGS__)

#endif

#pragma GCC visibility pop

#endif

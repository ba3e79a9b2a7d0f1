// SPDX-License-Identifier: Apache-2.0
//
// The one header for authors of interactive tools.
//
// An interactive tool is straight-line C that may ask its client in the middle of a
// call: the person for a form, the model for a text, the program for its roots. A tool
// is one file in tools/ with the name of the tool; docs/tool.md explains one step by step.
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
// THE ONE RULE. Between an ask and its answer only the journal of the call survives. When
// the answer arrives, the handler runs again from its top, maybe in another process. Each
// ask that has an answer returns it at once; the first ask without an answer sends its
// question and ends the turn. So
//  - code between asks runs again, and must reach the same asks;
//  - code that must not run twice belongs in a step (MICA_STEP), or in `before` or `after`
//    of a tool with phases (MICA_HANDOFF);
//  - read the time and random numbers with mica_now and mica_random, which record them;
//  - return at once every status of an ask other than MICA_OK: MICA_TRY. After
//    MICA_SUSPENDED all functions below do nothing, outputs are zero, and mica ignores
//    the handler's result.
//
// EXACTLY ONCE, and its limit. A call begins when the server accepts a request without a
// state. A repeated request begins another call, unless both requests have the same
// _meta["mica/idempotencyKey"] (a text of 1 to 256 bytes that the client chooses): then
// two requests of the same caller with the same arguments are the same call. (In a session
// of the revisions before 2026-07-28 the second gets CALL_BUSY until that call has ended:
// the call asks and replies on its own stream.) Within a call mica records the result of `before`, `after` and each step when it has finished. A
// recorded one never runs again, on any node. If its process died, or the store could not
// write its result, it runs again with the same mica_idempotency_key; so it runs at least
// once. Make the effect itself unique by that key: with a unique column, or with the
// idempotency header of a payment service.
//
// Threads: a handler runs on one thread at a time; another turn may use another thread.
#ifndef MICA_TOOL_H
#define MICA_TOOL_H

#include <mica/server.h>

#pragma GCC visibility push(default)

// ---- Contexts --------------------------------------------------------------------

// The type of its call says what a phase may do: a `before` or `after` that asks, and a
// `client` that uses a service, do not compile. All other functions get `struct mica_call`
// and may do both.
struct mica_server_call; // in before, after and steps: services, no asks
struct mica_client_call; // in client: asks, no services

// Undefined functions; the compiler shows their names when a phase does what it may not.
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

// ---- Outcomes of an ask ----------------------------------------------------------
//
// MICA_OK           answered, valid, decoded
// MICA_SUSPENDED    not answered yet: return it
// MICA_E_DECLINED   the person declined         ELICITATION_DECLINED
// MICA_E_DISMISSED  the person closed the form  ELICITATION_CANCELLED
// MICA_E_ATTEMPTS   invalid or refused too often ATTEMPTS_EXHAUSTED
// MICA_E_CAPABILITY the client cannot be asked  CAPABILITY_MISSING (names which)
// MICA_E_CLIENT     the client answered with an error  CLIENT_ERROR
// MICA_E_TIMEOUT    the time limit of the ask passed   TIMEOUT
// MICA_E_DISCONNECTED  the client is gone for good     DISCONNECTED
// MICA_E_CANCELLED  the call was cancelled      CANCELLED
//
// A handler may catch each of them. One that it returns ends the call with that code;
// `return mica_fail(…)` ends it with a code and message of the author. After TIMEOUT,
// DISCONNECTED and CANCELLED further asks return the same at once.

// ---- Forms -----------------------------------------------------------------------

// A choice of one ask. `title` is for people; empty: the value.
struct mica_option {
    struct mica_text value, title;
};

// Settings of one ask for a field of its record: the choices of a text; for any field
// another title, default or bounds. 0 and NULL leave the values of the record.
struct mica_field_setting {
    const char *field; // as in the record
    const char *title; // for people; the field's name without it
    const char *description;
    const struct mica_option *options; // of a text, or of a list of texts
    size_t option_count;
    // Titles of options as enumNames, for clients that support nothing else; always so
    // in revision 2025-06-18.
    bool enum_names;
    const char *fallback; // JSON
    bool has_minimum, has_maximum;
    double minimum, maximum;       // of a number or integer
    size_t min_length, max_length; // of a text
    size_t min_items, max_items;   // of a list
};

// A form for a person: the fields of a flat record, which are texts, numbers, integers,
// booleans, choices, dates, and lists of choices (MCP: elicitation schemas; the build checks
// them, docs/tool.md has the rules). Never ask for a password or a key in a form: use
// mica_elicit_url.
struct mica_form {
    const struct mica_record *record;
    void *out; // struct of the record, written when the ask is MICA_OK
    // Of the ask, without ' ', '/', '#'; NULL: the record's tag.
    const char *key;
    const struct mica_field_setting *set;
    size_t set_count;
    uint32_t limit_ms; // for the answer; 0: the limit of the tool
    // Shows the form in a client that can (mica/view.h); every other client shows the form
    // itself. The tool names it, too: .form_views = MICA_FORM_VIEWS(&mica_view_seats). A
    // view answers as a form does: mica checks both by the record. Since ABI 8.
    const struct mica_view *view;
};

// The views that the forms of a tool name.
#define MICA_FORM_VIEWS(...) \
    ((const struct mica_view *const[]){__VA_ARGS__, NULL})

// MICA_FORM(selection, &selection, options…), in a function: `&selection` of another type
// does not compile, and `mica build` refuses a record that cannot be a form, wherever the
// source uses it. Options are members of struct mica_form, as .key = "again", and MICA_SET.
#define MICA_FORM(tag_, ...)                                               \
    (MICA_FORM_NAMED_(tag_),                                               \
     &(const struct mica_form){                                            \
         .record = &mica_record_##tag_ + MICA_SAME_(tag_, __VA_ARGS__, 0), \
         MICA_FORM_OPTIONS_(struct tag_, .out = __VA_ARGS__)})

// Settings of one field of the form: MICA_SET(flight, .options = flights, .option_count = 3).
// A field that the struct does not have does not compile. For settings that are known at run
// time only, use .set and .set_count instead.
#define MICA_SET(...) (COMMA_MISSING, __VA_ARGS__)

// Adds the record to those that the build checks.
#define MICA_FORM_NAMED_(tag_)                             \
    __extension__({                                        \
        static const struct mica_record *const mica_named_ \
            __attribute__((section("mica_forms"), used)) = \
                &mica_record_##tag_;                       \
        (void)0;                                           \
    })
// 0, if the pointer points to that struct; any other pointer does not compile.
#define MICA_SAME_(tag_, pointer_, ...) \
    MICA_POINTS_(tag_, _Generic((pointer_), struct tag_ * : 1, default : 0))
#define MICA_POINTS_(tag_, so_)                                            \
    (0 * sizeof(struct {                                                   \
         _Static_assert(so_,                                               \
                        "what is given is no pointer to a struct " #tag_); \
         int unused_;                                                      \
     }))

// The options of a form: members, and settings that MICA_SET has put into parentheses, which
// become .set.
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

// 1 if one of them begins with a parenthesis.
#define MICA_ANY_SET_(T, ...) \
    MICA_SECOND_(0 MICA_EACH_(MICA_MARK_, T, __VA_ARGS__), 0, 0)
#define MICA_MARK_(T, option) MICA_JOIN_(MICA_MARK_, MICA_IS_SET_(option))
#define MICA_MARK_0_
#define MICA_MARK_1_ , 1

// Asks a person, and returns MICA_OK only with a valid answer. After an invalid answer it asks
// again, with the fault in the message, at most 5 times in all. mica_buffer_format formats the
// message.
enum mica_status mica_elicit(struct mica_call *call,
                             const struct mica_form *form, const char *formatz,
                             ...) MICA_PRINTF(3, 4) MICA_MUST_USE;

// The action of a person on a form.
enum mica_action {
    MICA_ACCEPTED,
    MICA_DECLINED, // refused to answer
    MICA_DISMISSED // closed the form without an answer
};

// As mica_elicit, but returns MICA_OK for all three actions: switch on *action_out. The form's
// struct is zero unless it is ACCEPTED.
enum mica_status
mica_elicit_action(struct mica_call *call, const struct mica_form *form,
                   enum mica_action *action_out, const char *formatz, ...)
    MICA_PRINTF(4, 5) MICA_MUST_USE;

// What an ask does after a refusal, or after the last attempt.
enum mica_then {
    MICA_THEN_ERROR, // MICA_E_DECLINED, _DISMISSED or _ATTEMPTS
    MICA_THEN_RETRY, // ask again; after the last attempt: .on_exhausted
    MICA_THEN_RETURN // MICA_OK, with the action
};
struct mica_attempts {
    unsigned most; // 0: 3; at most 20
    enum mica_then on_decline, on_dismiss;
    // ERROR (MICA_E_ATTEMPTS), or RETURN with the last action; an invalid last answer counts
    // as DISMISSED.
    enum mica_then on_exhausted;
};

// Asks up to a number of times. `action_out` may be NULL if no member is MICA_THEN_RETURN.
enum mica_status
mica_elicit_retry(struct mica_call *call, const struct mica_form *form,
                  const struct mica_attempts *policy,
                  enum mica_action *action_out, const char *formatz, ...)
    MICA_PRINTF(5, 6) MICA_MUST_USE;

// Sends the person to a web page of the program, for data that must not go through the client:
// credentials, a payment, consent on another site. MICA_OK says that the person agreed to open
// the page, not that they have finished there: check that, and ask again. Needs
// MICA_ELICITATION_URL.
struct mica_page {
    const char *key;              // NULL: "page"
    const char *url;              // https; http for loopback only
    enum mica_action *action_out; // NULL: a refusal is an error
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

// MCP: modelPreferences. Priorities are from 0 to 1, and mica does not send 0. Any other
// priority fails with OUT_OF_RANGE.
struct mica_preferences {
    const char *const *hints; // names of models, the best first; NULL-ended
    double cost, speed, intelligence;
};

struct mica_sampling {
    const char *key;         // NULL: "sample"
    struct mica_text prompt; // the message of the user, or …
    const struct mica_said *messages;
    size_t message_count;
    struct mica_text system_prompt;
    uint32_t max_tokens; // 0: 1000
    struct mica_preferences preferences;
    uint32_t limit_ms;
};

// Asks the model for a text, which is in the call's memory.
enum mica_status mica_sample(struct mica_call *call,
                             const struct mica_sampling *sampling,
                             struct mica_text *text_out) MICA_MUST_USE;

// A struct that mica fills by its record: MICA_INTO(booking, &booking).
struct mica_into {
    const struct mica_record *record;
    void *out;
};
#define MICA_INTO(tag_, out_)                                        \
    ((const struct mica_into){.record = &mica_record_##tag_ +        \
                                        MICA_SAME_(tag_, (out_), 0), \
                              .out = (out_)})

// Asks the model for a struct: mica sends the schema with the prompt, and decodes the first
// JSON object in the answer. After an invalid answer it asks once more, with the fault; then it
// returns MICA_E_ATTEMPTS.
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

// Asks for the folders in which the client's user works (MCP: roots).
enum mica_status mica_roots(struct mica_call *call,
                            struct mica_roots *roots_out) MICA_MUST_USE;

// Has this client the capability? The journal records the result, so it is the same for the
// rest of the call.
bool mica_client_has(struct mica_call *call,
                     enum mica_client_capability capability);

// ---- Several asks ----------------------------------------------------------------

// One ask of a round: exactly one of form, page, sampling and roots is set.
struct mica_ask {
    const struct mica_form *form;
    enum mica_action *action_out; // of a form; NULL: a refusal is an error
    // Of a form, as of mica_elicit_retry. NULL: as mica_elicit, or with an action_out as
    // mica_elicit_action.
    const struct mica_attempts *attempts;
    const struct mica_page *page;
    const struct mica_sampling *sampling;
    struct mica_text *text_out; // of sampling: the text, or …
    struct mica_into into;      // … a struct, as mica_sample_into
    struct mica_roots *roots;
    struct mica_text message; // of a form or page: mica_format(call, …)
};

// Sends all asks together, in one round instead of many, and returns MICA_OK when all are
// answered. At most 16. When all have an answer, it asks again those that need another attempt,
// together as well. Returns the status of the first ask, in their order, that failed.
enum mica_status mica_ask_all(struct mica_call *call,
                              const struct mica_ask *asks, size_t count)
    MICA_MUST_USE;

// ---- Effects ---------------------------------------------------------------------

// The service that the program has added with that name (mica_server_add_service), or that the
// tool's own .services have opened. Never NULL: if there is no such service, the call ends with
// SERVICE_MISSING.
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
// and then MICA_RUN_STEP(charge, call, &order, &receipt): the first time it runs the function,
// and records `receipt` by its record, or the failure; every further time it returns the
// recorded result. A tool names its steps: .steps = MICA_STEPS("charge"). A step that a handler
// reaches several times in one call is several steps: charge, charge#2, …
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

// The macros call this. The function runs until its result is recorded, and never after that. It
// may run more than once, as its process may die, or the store fail, after the effect: make the
// effect unique by mica_idempotency_key. Errors: those that the function returned when it ran;
// MICA_E_USAGE (a name that is not among the tool's .steps).
enum mica_status mica_step(struct mica_call *call, const char *namez,
                           mica_handler *function, const void *in,
                           struct mica_into into) MICA_MUST_USE;

// A globally unique name of this effect: the same whenever this step, `before` or `after` of this
// call runs again, and never the same for another effect.
struct mica_text mica_idempotency_key(struct mica_call *call);

// Milliseconds since 1970, and 64 random bits. The journal records them, so they are the same
// each time that the handler runs.
int64_t mica_now(struct mica_call *call);
uint64_t mica_random(struct mica_call *call);

// Registers a clean-up: `clean` runs when the call has ended, whether it finished, failed, was
// cancelled or timed out; the last registered one runs first. It never runs at a suspension. It
// runs once, as a step does, and cannot change the outcome. `clean` gets `data`, which may be in
// the call's memory, as the handler registers it again in each turn. Call this in the handler or
// in `client`: a step does not run again, so a later turn would not know the clean-up.
//
// A clean-up does not always run, as it is code that the handler registers in each turn. It does
// not run if no process has the tool any more; if a changed handler ends with REPLAY_DIVERGED
// before it registers it; or if the handler has crashed its process five times (CALL_CRASHED). So
// what it undoes must also end by itself where that matters: give a lock a time limit.
typedef void mica_cleaner(struct mica_server_call *call, const void *data);
void mica_defer(struct mica_call *call, const char *namez, mica_cleaner *clean,
                const void *data);

// Turns the call into a task: its caller gets the reply that the call continues, and polls it. For
// a tool with .task and .detaches, which asks its questions first; without .detaches a call is a
// task from its beginning. Returns MICA_OK also for a client without tasks, which waits for the
// result.
enum mica_status mica_detach(struct mica_call *call) MICA_MUST_USE;

// ---- Other tools -----------------------------------------------------------------

// A struct that mica reads by its record: MICA_FROM(request, &request).
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

// As mica_set_meta, with a struct: mica_set_meta_from(call, "example.com/rows",
// MICA_FROM(rows, &rows)). Other errors: those of a value that its record refuses.
enum mica_status mica_set_meta_from(struct mica_call *call, const char *namez,
                                    struct mica_from from) MICA_MUST_USE;

// Runs another tool of the server inside this call: its asks reach the same client, and its steps
// are in the same journal. `into` gets its structured result; a record of NULL ignores it. If the
// tool fails, this fails with its error; the message names the tool. When the handler runs again,
// the tool continues with the same build, and needs the same arguments: other arguments, and a
// build that does not exist any more, are REPLAY_DIVERGED. Other errors: MICA_E_NOT_FOUND,
// MICA_E_BUSY (the server still builds the tool: a later call may succeed), MICA_E_LIMIT (8 deep).
enum mica_status mica_invoke(struct mica_call *call, const char *toolz,
                             struct mica_from from, struct mica_into into)
    MICA_MUST_USE;

// One of several tools that proceed side by side: mica sends their asks in one round.
struct mica_invocation {
    const char *tool;
    struct mica_from from;
    struct mica_into into;
    enum mica_status status; // how it ended
    struct mica_error error;
};

// Runs tools side by side, and returns MICA_OK if all succeed. When one fails, it cancels the
// others and runs their clean-ups before it returns. At most 16.
enum mica_status mica_invoke_all(struct mica_call *call,
                                 struct mica_invocation *invocations,
                                 size_t count) MICA_MUST_USE;

// Runs tools side by side, and returns MICA_OK with the index of the first that succeeds; it
// cancels the others. If all fail, it returns the failure of the last.
enum mica_status mica_invoke_first(struct mica_call *call,
                                   struct mica_invocation *invocations,
                                   size_t count, size_t *winner_out)
    MICA_MUST_USE;

// ---- Declaring a tool ------------------------------------------------------------

// The input of a tool without input, and the output of a tool that has only content
// (mica_add_text).
MICA_EMPTY_RECORD(mica_nothing);

// A tool in three phases. `before` and `after` run once; `client` asks. Records pass the output of
// `before` to the other two, and the output of `client` to `after`.
//
// "Once" means: mica records the result of `before` and of `after` when it has finished, and a
// recorded one never runs again in this call, on any node. If its process died in it, or the store
// could not write its result, it runs again with the same mica_idempotency_key (the id of the call
// and "before" or "after", unique in the store): make its effect unique by that key. This holds
// within one call. A client that repeats the request without a state begins another call, with its
// own `before`, unless the request has the _meta["mica/idempotencyKey"] of the first one, and the
// same caller and arguments.
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
// If `client` fails, `after` does not run: clean up with mica_defer.
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

// mica itself defines MICA_TOOL_PLAIN, to define the functions that the macros below replace.
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
#    undef mica_notify
#    define mica_notify(call_, ...) \
        MICA_NOTIFY_(MICA_ANY_CALL_(call_), __VA_ARGS__)
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
#    define mica_set_meta(call_, ...) \
        (mica_set_meta)(MICA_ANY_CALL_(call_), __VA_ARGS__)
#    define mica_set_meta_from(call_, ...) \
        (mica_set_meta_from)(MICA_ANY_CALL_(call_), __VA_ARGS__)

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

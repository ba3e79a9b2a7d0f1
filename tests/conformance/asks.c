// SPDX-License-Identifier: Apache-2.0
//
// Tools and a prompt of the conformance fixture that ask their client, in the
// words that the suite's scenarios expect.
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <mica/tool.h>

#include "fixture.h"

// What most of them ask: a name.
struct named {
    struct mica_text name;
};
MICA_RECORD(named, MICA_TEXT(name, "Your name."));

struct confirmed {
    bool ok;
};
MICA_RECORD(confirmed, MICA_BOOLEAN(ok, "Is it right?"));

struct painted {
    struct mica_text color;
};
MICA_RECORD(painted, MICA_TEXT(color, "Your favourite color."));

static enum mica_status
ask_name(struct mica_call *call, const char *key, struct named *name)
{
    return mica_elicit(call, MICA_FORM(named, name, .key = key),
                       "What is your name?");
}

static void
say(struct mica_call *call, struct mica_text text)
{
    mica_add_text(call, text, NULL);
}

// ---- Legacy scenarios --------------------------------------------------------------

struct prompt_input {
    struct mica_text prompt;
};
MICA_RECORD(prompt_input, MICA_TEXT(prompt, "What the model is asked."));

static enum mica_status
sampling(struct mica_call *call, const struct prompt_input *in,
         struct mica_nothing *out)
{
    struct mica_text words;

    (void)out;
    MICA_TRY(mica_sample(
        call, &(struct mica_sampling){.prompt = in->prompt, .max_tokens = 100},
        &words));
    say(call, mica_format(call, "LLM response: %.*s", MICA_ARG(words)));
    return MICA_OK;
}
MICA_TOOL(test_sampling, prompt_input, mica_nothing, sampling,
          .description = "Asks the client's model.");

struct message_input {
    struct mica_text message;
};
MICA_RECORD(message_input, MICA_TEXT(message, "What the person is asked."));

struct account {
    struct mica_text username, email;
};
MICA_RECORD(account, MICA_TEXT(username, "How you are called."),
            MICA_TEXT(email, "Where you are written to."));

static enum mica_status
elicitation(struct mica_call *call, const struct message_input *in,
            struct mica_nothing *out)
{
    struct account account;

    (void)out;
    MICA_TRY(mica_elicit(call, MICA_FORM(account, &account), "%.*s",
                         MICA_ARG(in->message)));
    say(call, mica_format(call, "User response: %.*s, %.*s",
                          MICA_ARG(account.username), MICA_ARG(account.email)));
    return MICA_OK;
}
MICA_TOOL(test_elicitation, message_input, mica_nothing, elicitation,
          .description = "Asks the person for an account.");

// SEP-1034: a default of each kind.
enum state {
    ACTIVE,
    INACTIVE,
    PENDING
};
MICA_CHOICES(
    state, [ACTIVE] = "active", [INACTIVE] = "inactive", [PENDING] = "pending");

struct defaults {
    struct mica_text name;
    int64_t age;
    double score;
    enum state status;
    bool verified;
};
MICA_RECORD(defaults,
            MICA_TEXT(name, "Your name.", .fallback = MICA_JSON("John Doe")),
            MICA_INTEGER(age, "In years.", .fallback = MICA_JSON(30)),
            MICA_NUMBER(score, "Of the test.", .fallback = MICA_JSON(95.5)),
            MICA_CHOICE(status, state, "Of the account.",
                        .fallback = MICA_JSON("active")),
            MICA_BOOLEAN(verified, "Was it looked at?",
                         .fallback = MICA_JSON(true)));

static enum mica_status
every_default(struct mica_call *call, const struct mica_nothing *in,
              struct mica_nothing *out)
{
    static const char *const actions[] = {[MICA_ACCEPTED] = "accept",
                                          [MICA_DECLINED] = "decline",
                                          [MICA_DISMISSED] = "cancel"};
    struct defaults given;
    enum mica_action action;

    (void)in;
    (void)out;
    MICA_TRY(mica_elicit_action(call, MICA_FORM(defaults, &given), &action,
                                "Is all of this right?"));
    say(call, mica_format(call, "Elicitation completed: action=%s, name=%.*s",
                          actions[action], MICA_ARG(given.name)));
    return MICA_OK;
}
MICA_TOOL(test_elicitation_sep1034_defaults, mica_nothing, mica_nothing,
          every_default, .description = "Asks with defaults of every kind.");

// SEP-1330: choices in each of their forms.
enum option {
    OPTION1,
    OPTION2,
    OPTION3
};
MICA_CHOICES(option, [OPTION1] = "option1", [OPTION2] = "option2",
             [OPTION3] = "option3");

MICA_LIST_TYPE(option_list, option);
MICA_LIST_TYPE(text_list, text);

struct choices {
    enum option untitledSingle;
    struct mica_text titledSingle, legacyEnum;
    struct option_list untitledMulti;
    struct text_list titledMulti;
};
MICA_RECORD(choices, MICA_CHOICE(untitledSingle, option, "One of three."),
            MICA_TEXT(titledSingle, "One of three, with titles."),
            MICA_TEXT(legacyEnum, "The same in an older form."),
            MICA_LIST(untitledMulti, option, "Some of three."),
            MICA_LIST(titledMulti, text, "Some of three, with titles."));

static enum mica_status
every_choice(struct mica_call *call, const struct mica_nothing *in,
             struct mica_nothing *out)
{
    const struct mica_option values[] = {
        {MICA_LITERAL("value1"), MICA_LITERAL("First Option")},
        {MICA_LITERAL("value2"), MICA_LITERAL("Second Option")},
        {MICA_LITERAL("value3"), MICA_LITERAL("Third Option")}};
    const struct mica_option options[] = {
        {MICA_LITERAL("opt1"), MICA_LITERAL("Option One")},
        {MICA_LITERAL("opt2"), MICA_LITERAL("Option Two")},
        {MICA_LITERAL("opt3"), MICA_LITERAL("Option Three")}};
    struct choices given;

    (void)in;
    (void)out;
    MICA_TRY(
        mica_elicit(call,
                    MICA_FORM(choices, &given,
                              MICA_SET(titledSingle, .options = values,
                                       .option_count = MICA_COUNT(values)),
                              MICA_SET(legacyEnum, .options = options,
                                       .option_count = MICA_COUNT(options),
                                       .enum_names = true),
                              MICA_SET(titledMulti, .options = values,
                                       .option_count = MICA_COUNT(values))),
                    "What do you take?"));
    say(call, mica_format(call, "Elicitation completed: %.*s",
                          MICA_ARG(given.titledSingle)));
    return MICA_OK;
}
MICA_TOOL(test_elicitation_sep1330_enums, mica_nothing, mica_nothing,
          every_choice, .description = "Asks with choices of every form.");

// ---- Rounds (SEP-2322) ---------------------------------------------------------------

static enum mica_status
greet_asked(struct mica_call *call, const struct mica_nothing *in,
            struct mica_nothing *out)
{
    struct named name;

    (void)in;
    (void)out;
    MICA_TRY(ask_name(call, "user_name", &name));
    say(call, mica_format(call, "Hello, %.*s!", MICA_ARG(name.name)));
    return MICA_OK;
}
MICA_TOOL(test_input_required_result_elicitation, mica_nothing, mica_nothing,
          greet_asked, .description = "Asks for a name, and greets.");

static enum mica_status
capital(struct mica_call *call, const struct mica_nothing *in,
        struct mica_nothing *out)
{
    struct mica_text words;

    (void)in;
    (void)out;
    MICA_TRY(mica_sample(
        call,
        &(struct mica_sampling){
            .key = "capital_question",
            .prompt = MICA_LITERAL("What is the capital of France?"),
            .max_tokens = 100},
        &words));
    say(call, words);
    return MICA_OK;
}
MICA_TOOL(test_input_required_result_sampling, mica_nothing, mica_nothing,
          capital, .description = "Asks the client's model for a capital.");

static enum mica_status
count_roots(struct mica_call *call, const struct mica_nothing *in,
            struct mica_nothing *out)
{
    struct mica_roots roots;

    (void)in;
    (void)out;
    MICA_TRY(mica_roots(call, &roots));
    say(call, mica_format(call, "The client has %zu roots.", roots.count));
    return MICA_OK;
}
MICA_TOOL(test_input_required_result_list_roots, mica_nothing, mica_nothing,
          count_roots, .description = "Asks the client for its roots.");

static enum mica_status
confirm(struct mica_call *call, const struct mica_nothing *in,
        struct mica_nothing *out)
{
    struct confirmed sure;

    (void)in;
    (void)out;
    MICA_TRY(mica_elicit(call, MICA_FORM(confirmed, &sure, .key = "confirm"),
                         "Is it right?"));
    say(call, sure.ok ? MICA_LITERAL("state-ok")
                      : MICA_LITERAL("state-ok, but not confirmed"));
    return MICA_OK;
}
MICA_TOOL(test_input_required_result_request_state, mica_nothing, mica_nothing,
          confirm, .description = "Asks, and remembers that it did.");
MICA_TOOL(test_input_required_result_tampered_state, mica_nothing, mica_nothing,
          confirm, .description = "Asks, and refuses another's state.");

static enum mica_status
three_at_once(struct mica_call *call, const struct mica_nothing *in,
              struct mica_nothing *out)
{
    struct named name;
    struct mica_text greeting;
    struct mica_roots roots;
    const struct mica_ask asks[] = {
        {.form = MICA_FORM(named, &name, .key = "user_name"),
         .message = MICA_LITERAL("What is your name?")},
        {.sampling = &(const struct mica_sampling){.key = "greeting",
                                                   .prompt = MICA_LITERAL(
                                                       "Say a greeting."),
                                                   .max_tokens = 50},
         .text_out = &greeting},
        {.roots = &roots}};

    (void)in;
    (void)out;
    MICA_TRY(mica_ask_all(call, asks, MICA_COUNT(asks)));
    say(call, mica_format(call, "%.*s, %.*s (%zu roots)", MICA_ARG(greeting),
                          MICA_ARG(name.name), roots.count));
    return MICA_OK;
}
MICA_TOOL(test_input_required_result_multiple_inputs, mica_nothing,
          mica_nothing, three_at_once,
          .description = "Asks three things in one round.");

static enum mica_status
two_rounds(struct mica_call *call, const struct mica_nothing *in,
           struct mica_nothing *out)
{
    struct named name;
    struct painted paint;

    (void)in;
    (void)out;
    MICA_TRY(ask_name(call, "step1", &name));
    MICA_TRY(mica_elicit(call, MICA_FORM(painted, &paint, .key = "step2"),
                         "Which color, %.*s?", MICA_ARG(name.name)));
    say(call, mica_format(call, "%.*s likes %.*s.", MICA_ARG(name.name),
                          MICA_ARG(paint.color)));
    return MICA_OK;
}
MICA_TOOL(test_input_required_result_multi_round, mica_nothing, mica_nothing,
          two_rounds, .description = "Asks twice.");

// Takes the way that its client has.
static enum mica_status
by_capability(struct mica_call *call, const struct mica_nothing *in,
              struct mica_nothing *out)
{
    struct named name;
    struct mica_text words;

    (void)in;
    (void)out;
    if (mica_client_has(call, MICA_ELICITATION)) {
        MICA_TRY(ask_name(call, "user_name", &name));
        say(call, name.name);
    }
    if (mica_client_has(call, MICA_SAMPLING)) {
        MICA_TRY(mica_sample(
            call,
            &(struct mica_sampling){.key = "greeting",
                                    .prompt = MICA_LITERAL("Say a greeting."),
                                    .max_tokens = 50},
            &words));
        say(call, words);
    }
    return MICA_OK;
}
MICA_TOOL(test_input_required_result_capabilities, mica_nothing, mica_nothing,
          by_capability, .description = "Asks what its client can answer.");

static enum mica_status
maybe_ask(struct mica_call *call, const struct mica_nothing *in,
          struct mica_nothing *out)
{
    struct named name = {{NULL, 0}};

    (void)in;
    (void)out;
    if (mica_client_has(call, MICA_ELICITATION))
        MICA_TRY(ask_name(call, "user_name", &name));
    say(call, mica_format(call, "Hello, %.*s.", MICA_ARG(name.name)));
    return MICA_OK;
}
MICA_TOOL(test_streaming_elicitation, mica_nothing, mica_nothing, maybe_ask,
          .description = "Asks a client that can be asked.");

struct context {
    struct mica_text context;
};
MICA_RECORD(context, MICA_TEXT(context, "What the prompt should know."));

static enum mica_status
ask_context(struct mica_call *call, const struct mica_nothing *in)
{
    struct context given;

    (void)in;
    MICA_TRY(mica_elicit(call,
                         MICA_FORM(context, &given, .key = "user_context"),
                         "What should the prompt know?"));
    mica_add_text(
        call, mica_format(call, "Consider this: %.*s", MICA_ARG(given.context)),
        NULL);
    return MICA_OK;
}
MICA_PROMPT(test_input_required_result_prompt, mica_nothing, ask_context,
            .description = "Asks for what it should know.");

// ---- Calls without an answer --------------------------------------------------------

static atomic_int cleaned;

static void
clean_up(struct mica_server_call *call, const void *data)
{
    (void)call;
    (void)data;
    fprintf(stderr, "cleaned %d\n", atomic_fetch_add(&cleaned, 1) + 1);
}

static enum mica_status
ask_carefully(struct mica_call *call, const struct mica_nothing *in,
              struct mica_nothing *out)
{
    struct named name;

    (void)in;
    (void)out;
    mica_defer(call, "count", clean_up, NULL);
    MICA_TRY(ask_name(call, "user_name", &name));
    say(call, mica_format(call, "Hello, %.*s!", MICA_ARG(name.name)));
    return MICA_OK;
}
MICA_TOOL(careful, mica_nothing, mica_nothing, ask_carefully,
          .description = "Asks for a name, and cleans up.");
MICA_TOOL(impatient, mica_nothing, mica_nothing, ask_carefully,
          .description = "The same, and waits for half a second.",
          .limit_ms = 500);

// ---- A call that ends its process ------------------------------------------------------

static enum mica_status
lay_out(struct mica_server_call *call, const struct mica_nothing *in,
        struct mica_nothing *out)
{
    (void)call;
    (void)in;
    (void)out;
    return MICA_OK;
}
MICA_STEP(lay_out, mica_nothing, mica_nothing, lay_out);

static enum mica_status
fall_over(struct mica_call *call, const struct mica_nothing *in,
          struct mica_nothing *out)
{
    const struct timespec pause = {.tv_nsec = 500 * 1000 * 1000};

    mica_defer(call, "count", clean_up, NULL);
    MICA_TRY(MICA_RUN_STEP(lay_out, call, in, out));
    (void)nanosleep(&pause, NULL); // its client has heard of it
    abort();
}
MICA_TOOL(fatal, mica_nothing, mica_nothing, fall_over,
          .description = "Ends the whole server, each time that it runs.",
          .steps = MICA_STEPS("lay_out"), .task = MICA_TASK_OPTIONAL);

struct count_of_cleanings {
    int64_t cleaned;
};
MICA_RECORD(count_of_cleanings, MICA_INTEGER(cleaned, "Times."));

static enum mica_status
tell_cleaned(struct mica_call *call, const struct mica_nothing *in,
             struct count_of_cleanings *out)
{
    (void)call;
    (void)in;
    out->cleaned = atomic_load(&cleaned);
    return MICA_OK;
}
MICA_TOOL(cleanings, mica_nothing, count_of_cleanings, tell_cleaned,
          .description = "Tells how often it was cleaned up.");

// ---- All of them -----------------------------------------------------------------

enum mica_status
fixture_add_asks(struct mica_server *server, struct mica_error *error)
{
    static const struct mica_tool *const tools[] = {
        &mica_tool_test_sampling,
        &mica_tool_test_elicitation,
        &mica_tool_test_elicitation_sep1034_defaults,
        &mica_tool_test_elicitation_sep1330_enums,
        &mica_tool_test_input_required_result_elicitation,
        &mica_tool_test_input_required_result_sampling,
        &mica_tool_test_input_required_result_list_roots,
        &mica_tool_test_input_required_result_request_state,
        &mica_tool_test_input_required_result_tampered_state,
        &mica_tool_test_input_required_result_multiple_inputs,
        &mica_tool_test_input_required_result_multi_round,
        &mica_tool_test_input_required_result_capabilities,
        &mica_tool_test_streaming_elicitation,
        &mica_tool_careful,
        &mica_tool_impatient,
        &mica_tool_fatal,
        &mica_tool_cleanings};

    for (size_t i = 0; i < MICA_COUNT(tools); i++)
        MICA_TRY(mica_server_add_tool(server, tools[i], NULL, error));
    return mica_server_add_prompt(
        server, &mica_prompt_test_input_required_result_prompt, NULL, error);
}

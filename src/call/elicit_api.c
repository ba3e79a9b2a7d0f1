// SPDX-License-Identifier: Apache-2.0
//
// The asks of <mica/tool.h>: each runs its attempts, or a group of several asks.
#include <string.h>

#include "call/ask_attempts.h"

enum {
    DEFAULT_ATTEMPTS = 3,
    MOST_ATTEMPTS = 20
};

// In the call's arena and not on the stack: each struct has an error of about 1 KiB.
static struct mica_ask_attempts *
new_attempts(struct mica_call *call)
{
    return mica_alloc(call, sizeof(struct mica_ask_attempts));
}

static struct mica_text elicit_vformat(struct mica_call *call,
                                       const char *formatz, va_list arguments)
    MICA_PRINTF(2, 0);

static struct mica_text
elicit_vformat(struct mica_call *call, const char *formatz, va_list arguments)
{
    struct mica_buffer buffer = mica_builder(call);

    mica_buffer_vformat(&buffer, formatz, arguments);
    if (buffer.overflow)
        mica_call_exceed(call);
    return mica_buffer_as_text(&buffer);
}

// Formats a message, in a variadic function whose last named parameter is
// `formatz`.
#define FORMAT(call_, message_, formatz)                         \
    do {                                                         \
        va_list arguments_;                                      \
        va_start(arguments_, formatz);                           \
        (message_) = elicit_vformat(call_, formatz, arguments_); \
        va_end(arguments_);                                      \
    } while (0)

// ---- Forms and pages -----------------------------------------------------------------

static void
zero_form(const struct mica_form *form, enum mica_action *action_out)
{
    memset(form->out, 0, form->record->size);
    if (action_out != NULL)
        *action_out = MICA_DISMISSED;
}

static enum mica_status
check_attempts(struct mica_call *call, const struct mica_attempts *policy,
               const enum mica_action *action_out)
{
    bool returns = policy->on_decline == MICA_THEN_RETURN ||
                   policy->on_dismiss == MICA_THEN_RETURN ||
                   policy->on_exhausted == MICA_THEN_RETURN;

    if (policy->most > MOST_ATTEMPTS)
        return mica_turn_set_error(call, MICA_E_USAGE,
                                   "%u attempts of a form; %d is the most",
                                   policy->most, MOST_ATTEMPTS);
    if (policy->on_exhausted == MICA_THEN_RETRY)
        return mica_turn_set_error(
            call, MICA_E_USAGE,
            ".on_exhausted cannot be MICA_THEN_RETRY; give "
            "more attempts with .most");
    if (returns && action_out == NULL)
        return mica_turn_set_error(
            call, MICA_E_USAGE,
            "MICA_THEN_RETURN needs an action_out, which "
            "says what the person did");
    return MICA_OK;
}

// An ask with action_out returns a refusal to its handler; without one a refusal fails.
static void
return_refusals(struct mica_ask_attempts *attempts)
{
    if (attempts->action_out == NULL)
        return;
    attempts->policy.on_decline = MICA_THEN_RETURN;
    attempts->policy.on_dismiss = MICA_THEN_RETURN;
}

// Fills the attempts of a form; `policy` is NULL if the ask sets none.
static enum mica_status
fill_form(struct mica_call *call, struct mica_ask_attempts *attempts,
          const struct mica_form *form, const struct mica_attempts *policy,
          enum mica_action *action_out)
{
    MICA_TRY(mica_ask_attempts_form(call, attempts, form));
    attempts->action_out = action_out;
    if (policy == NULL) {
        return_refusals(attempts);
        return MICA_OK;
    }
    MICA_TRY(check_attempts(call, policy, action_out));
    attempts->policy = *policy;
    if (policy->most == 0)
        attempts->policy.most = DEFAULT_ATTEMPTS;
    return MICA_OK;
}

static enum mica_status
form_elicit(struct mica_call *call, const struct mica_form *form,
            const struct mica_attempts *policy, enum mica_action *action_out,
            struct mica_text message)
{
    struct mica_ask_attempts *attempts = new_attempts(call);

    attempts->message = message;
    MICA_TRY(fill_form(call, attempts, form, policy, action_out));
    return mica_ask_attempts_group(call, attempts, 1);
}

enum mica_status
mica_elicit(struct mica_call *call, const struct mica_form *form,
            const char *formatz, ...)
{
    struct mica_text message;

    zero_form(form, NULL);
    MICA_TRY(mica_turn_enter(call));
    FORMAT(call, message, formatz);
    return form_elicit(call, form, NULL, NULL, message);
}

enum mica_status
mica_elicit_action(struct mica_call *call, const struct mica_form *form,
                   enum mica_action *action_out, const char *formatz, ...)
{
    struct mica_text message;

    zero_form(form, action_out);
    MICA_TRY(mica_turn_enter(call));
    FORMAT(call, message, formatz);
    return form_elicit(call, form, NULL, action_out, message);
}

enum mica_status
mica_elicit_retry(struct mica_call *call, const struct mica_form *form,
                  const struct mica_attempts *policy,
                  enum mica_action *action_out, const char *formatz, ...)
{
    struct mica_text message;

    zero_form(form, action_out);
    MICA_TRY(mica_turn_enter(call));
    FORMAT(call, message, formatz);
    return form_elicit(call, form, policy, action_out, message);
}

enum mica_status
mica_elicit_url(struct mica_call *call, const struct mica_page *page,
                const char *formatz, ...)
{
    struct mica_ask_attempts *attempts;

    if (page->action_out != NULL)
        *page->action_out = MICA_DISMISSED;
    MICA_TRY(mica_turn_enter(call));
    attempts = new_attempts(call);
    FORMAT(call, attempts->message, formatz);
    MICA_TRY(mica_ask_attempts_page(call, attempts, page));
    return_refusals(attempts);
    return mica_ask_attempts_group(call, attempts, 1);
}

// ---- The model and the client --------------------------------------------------------

enum mica_status
mica_sample(struct mica_call *call, const struct mica_sampling *sampling,
            struct mica_text *text_out)
{
    struct mica_ask_attempts *attempts;

    *text_out = (struct mica_text){NULL, 0};
    MICA_TRY(mica_turn_enter(call));
    attempts = new_attempts(call);
    attempts->text_out = text_out;
    MICA_TRY(mica_ask_attempts_sampling(call, attempts, sampling));
    return mica_ask_attempts_group(call, attempts, 1);
}

enum mica_status
mica_sample_into(struct mica_call *call, const struct mica_sampling *sampling,
                 struct mica_into into)
{
    struct mica_ask_attempts *attempts;

    memset(into.out, 0, into.record->size);
    MICA_TRY(mica_turn_enter(call));
    attempts = new_attempts(call);
    attempts->into = into;
    MICA_TRY(mica_ask_attempts_sampling(call, attempts, sampling));
    return mica_ask_attempts_group(call, attempts, 1);
}

enum mica_status
mica_roots(struct mica_call *call, struct mica_roots *roots_out)
{
    struct mica_ask_attempts *attempts;

    *roots_out = (struct mica_roots){NULL, 0};
    MICA_TRY(mica_turn_enter(call));
    attempts = new_attempts(call);
    attempts->roots_out = roots_out;
    mica_ask_attempts_roots(attempts);
    MICA_TRY(mica_ask_check(call, &attempts->question));
    return mica_ask_attempts_group(call, attempts, 1);
}

// ---- Several asks --------------------------------------------------------------------

static void
zero_ask(const struct mica_ask *ask)
{
    if (ask->form != NULL)
        zero_form(ask->form, ask->action_out);
    if (ask->page != NULL && ask->page->action_out != NULL)
        *ask->page->action_out = MICA_DISMISSED;
    if (ask->text_out != NULL)
        *ask->text_out = (struct mica_text){NULL, 0};
    if (ask->into.record != NULL)
        memset(ask->into.out, 0, ask->into.record->size);
    if (ask->roots != NULL)
        *ask->roots = (struct mica_roots){NULL, 0};
}

// Checks that the ask has one question and one destination of its answer.
static enum mica_status
check_ask(struct mica_call *call, const struct mica_ask *ask)
{
    int set = (ask->form != NULL) + (ask->page != NULL) +
              (ask->sampling != NULL) + (ask->roots != NULL);
    int places = (ask->text_out != NULL) + (ask->into.record != NULL);

    if (set != 1)
        return mica_turn_set_error(
            call, MICA_E_USAGE,
            "an ask of mica_ask_all has %d of form, page, "
            "sampling and roots; it needs one",
            set);
    if (places != (ask->sampling != NULL ? 1 : 0))
        return mica_turn_set_error(
            call, MICA_E_USAGE,
            "an ask of mica_ask_all has %d of .text_out and "
            ".into; a sampling needs one of them, others "
            "have none",
            places);
    if (ask->attempts != NULL && ask->form == NULL)
        return mica_turn_set_error(
            call, MICA_E_USAGE,
            "an ask of mica_ask_all has .attempts, which are for "
            "forms alone");
    return MICA_OK;
}

static enum mica_status
fill_attempts(struct mica_call *call, struct mica_ask_attempts *attempts,
              const struct mica_ask *ask)
{
    MICA_TRY(check_ask(call, ask));
    attempts->message = ask->message;
    if (ask->form != NULL)
        return fill_form(call, attempts, ask->form, ask->attempts,
                         ask->action_out);
    if (ask->page != NULL) {
        MICA_TRY(mica_ask_attempts_page(call, attempts, ask->page));
        return_refusals(attempts);
        return MICA_OK;
    }
    if (ask->sampling != NULL) {
        attempts->text_out = ask->text_out;
        attempts->into = ask->into;
        return mica_ask_attempts_sampling(call, attempts, ask->sampling);
    }
    attempts->roots_out = ask->roots;
    mica_ask_attempts_roots(attempts);
    return mica_ask_check(call, &attempts->question);
}

enum mica_status
mica_ask_all(struct mica_call *call, const struct mica_ask *asks, size_t count)
{
    struct mica_ask_attempts *attempts;

    for (size_t i = 0; i < count; i++)
        zero_ask(&asks[i]);
    MICA_TRY(mica_turn_enter(call));
    if (count > MICA_GROUP_ASKS)
        return mica_turn_set_error(call, MICA_E_USAGE,
                                   "%zu asks in mica_ask_all; %d is the most",
                                   count, MICA_GROUP_ASKS);
    attempts = mica_alloc_array(call, count, sizeof *attempts);
    for (size_t i = 0; i < count; i++)
        MICA_TRY(fill_attempts(call, &attempts[i], &asks[i]));
    return mica_ask_attempts_group(call, attempts, count);
}

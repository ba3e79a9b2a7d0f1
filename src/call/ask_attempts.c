// SPDX-License-Identifier: Apache-2.0
//
// The attempts of a group of asks: the first one of each ask; then, when the client has answered
// all of them, the next attempt of each ask that needs one. So the order of the questions
// does not depend on the order of the answers.
#include "call/ask_attempts.h"

#include <string.h>

#include "call/form.h"

void
mica_ask_attempts_zero(const struct mica_ask_attempts *attempts)
{
    if (attempts->form != NULL)
        memset(attempts->form->out, 0, attempts->form->record->size);
    if (attempts->into.record != NULL)
        memset(attempts->into.out, 0, attempts->into.record->size);
    if (attempts->action_out != NULL)
        *attempts->action_out = MICA_DISMISSED;
    if (attempts->text_out != NULL)
        *attempts->text_out = (struct mica_text){NULL, 0};
    if (attempts->roots_out != NULL)
        *attempts->roots_out = (struct mica_roots){NULL, 0};
}

// ---- An answer -------------------------------------------------------------------

static void
attempts_end(struct mica_ask_attempts *attempts, enum mica_status status)
{
    attempts->done = true;
    attempts->status = status;
}

static void
attempts_exhaust(struct mica_ask_attempts *attempts, enum mica_action action)
{
    const char *fault = "the last was refused";
    int len = (int)strlen(fault);

    if (attempts->policy.on_exhausted == MICA_THEN_RETURN) {
        *attempts->action_out = action;
        attempts_end(attempts, MICA_OK);
        return;
    }
    if (attempts->last_fault.len > 0) {
        fault = attempts->last_fault.ptr;
        len = (int)attempts->last_fault.len;
    }
    attempts_end(
        attempts,
        mica_error_set(&attempts->error, MICA_E_ATTEMPTS, "",
                       "\"%s\" had no valid answer in %u attempts; %.*s",
                       attempts->question.keyz, attempts->tried, len, fault));
}

// Ends an ask whose attempts are exhausted; `action` is the outcome of the last one.
static void
end_if_exhausted(struct mica_ask_attempts *attempts, enum mica_action action)
{
    if (attempts->tried >= attempts->policy.most)
        attempts_exhaust(attempts, action);
}

// Does the message begin with the field in its path, as "mood" at /mood?
static bool
begins_with_field(const struct mica_error *fault)
{
    size_t len = strlen(fault->path) - 1;

    return fault->message[0] == '"' &&
           strncmp(fault->message + 1, fault->path + 1, len) == 0 &&
           fault->message[1 + len] == '"';
}

// Refuses an invalid answer. From a person it counts as dismissed.
static void
attempts_reject(struct mica_call *call, struct mica_ask_attempts *attempts,
                const struct mica_error *fault)
{
    struct mica_error *refusal = mica_alloc(call, sizeof *refusal);

    if (call->arena->overflow)
        mica_call_exceed(call);
    *refusal = *fault;
    attempts->last_error = refusal;
    mica_ask_attempts_zero(attempts);
    // Most messages begin with the field.
    if (fault->path[0] != '\0' && !begins_with_field(fault))
        attempts->last_fault =
            mica_format(call, "%s: %s", fault->path + 1, fault->message);
    else
        attempts->last_fault = mica_format(call, "%s", fault->message);
    end_if_exhausted(attempts, MICA_DISMISSED);
}

static void
attempts_decline(struct mica_ask_attempts *attempts, enum mica_action action)
{
    bool declined = action == MICA_DECLINED;
    enum mica_then then =
        declined ? attempts->policy.on_decline : attempts->policy.on_dismiss;

    attempts->last_fault = (struct mica_text){NULL, 0};
    if (then == MICA_THEN_RETRY) {
        end_if_exhausted(attempts, action);
    } else if (then == MICA_THEN_RETURN) {
        *attempts->action_out = action;
        attempts_end(attempts, MICA_OK);
    } else if (declined) {
        attempts_end(attempts,
                     mica_error_set(&attempts->error, MICA_E_DECLINED, "",
                                    "the person who was asked \"%s\" said no",
                                    attempts->question.keyz));
    } else {
        attempts_end(attempts,
                     mica_error_set(&attempts->error, MICA_E_DISMISSED, "",
                                    "the person who was asked \"%s\" closed it "
                                    "without an answer",
                                    attempts->question.keyz));
    }
}

static void
judge_person(struct mica_call *call, struct mica_ask_attempts *attempts,
             const struct mica_json *answer)
{
    static const struct mica_json nothing = {.kind = MICA_JSON_OBJECT};
    struct mica_text action = mica_json_get_text(answer, "action");
    const struct mica_json *content = mica_json_get(answer, "content");
    enum mica_status status = MICA_OK;
    struct mica_error fault;

    if (mica_text_is(action, "decline")) {
        attempts_decline(attempts, MICA_DECLINED);
        return;
    }
    if (mica_text_is(action, "cancel")) {
        attempts_decline(attempts, MICA_DISMISSED);
        return;
    }
    if (!mica_text_is(action, "accept"))
        status = mica_error_set(&fault, MICA_E_CHOICE, "/action",
                                "it must be \"accept\", \"decline\" or "
                                "\"cancel\"");
    else if (attempts->form != NULL)
        status = mica_form_decode(attempts->form, &attempts->prepared,
                                  content != NULL ? content : &nothing,
                                  call->arena, &fault);
    if (status != MICA_OK) {
        attempts_reject(call, attempts, &fault);
        return;
    }
    if (attempts->action_out != NULL)
        *attempts->action_out = MICA_ACCEPTED;
    attempts_end(attempts, MICA_OK);
}

static void
judge_words(struct mica_call *call, struct mica_ask_attempts *attempts,
            const struct mica_json *answer)
{
    struct mica_error fault;
    struct mica_text words;
    enum mica_status status =
        mica_sampling_text(answer, call->arena, &fault, &words);

    if (status == MICA_OK && attempts->into.record != NULL)
        status =
            mica_sampling_decode(words, attempts->into, call->arena, &fault);
    if (status != MICA_OK) {
        attempts_reject(call, attempts, &fault);
        return;
    }
    if (attempts->text_out != NULL)
        *attempts->text_out = words;
    attempts_end(attempts, MICA_OK);
}

void
mica_ask_attempts_judge(struct mica_call *call,
                        struct mica_ask_attempts *attempts,
                        const struct mica_json *answer)
{
    struct mica_error fault;

    if (attempts->question.kind == MICA_ASK_SAMPLING) {
        judge_words(call, attempts, answer);
    } else if (attempts->question.kind != MICA_ASK_ROOTS) {
        judge_person(call, attempts, answer);
    } else if (mica_roots_read(answer, call->arena, &fault,
                               attempts->roots_out) == MICA_OK) {
        attempts_end(attempts, MICA_OK);
    } else {
        attempts_reject(call, attempts, &fault);
    }
    if (call->arena->overflow)
        mica_call_exceed(call);
}

// ---- A group -----------------------------------------------------------------------

// Asks the question of the next attempt and judges its answer. Sets *waits_out if the
// client has not answered it yet.
static void
attempts_ask(struct mica_call *call, struct mica_ask_attempts *attempts,
             bool *waits_out)
{
    struct mica_text params;
    struct mica_question_state answer;
    enum mica_status status = mica_ask_question(call, &attempts->question,
                                                attempts->capable, &answer);

    attempts->tried++;
    if (call->turn->state->fault.status != MICA_OK)
        return;
    if (status == MICA_OK) {
        mica_ask_attempts_judge(call, attempts, &answer.answer);
        return;
    }
    if (status == MICA_SUSPENDED) {
        status = mica_ask_attempts_params(call, attempts, answer.key, &params);
        if (status == MICA_OK) {
            mica_ask_wait(call, &attempts->question, &answer, params);
            *waits_out = true;
            return;
        }
    }
    attempts->error = call->error;
    attempts_end(attempts, status);
}

static enum mica_status
first_failure(struct mica_call *call, const struct mica_ask_attempts *attempts,
              size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (attempts[i].status != MICA_OK) {
            call->error = attempts[i].error;
            call->error_is_from_operation = true;
            return attempts[i].status;
        }
    }
    return MICA_OK;
}

static void
zero_all(const struct mica_ask_attempts *attempts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        mica_ask_attempts_zero(&attempts[i]);
}

enum group_state {
    GROUP_DONE,  // every ask is done
    GROUP_AGAIN, // every question is answered; an ask needs another attempt
    GROUP_WAITS, // a question has no answer yet
    GROUP_FAULT  // the turn ends with its fault
};

// Makes the next attempt of each ask that is not done.
static enum group_state
ask_each(struct mica_call *call, struct mica_ask_attempts *attempts,
         size_t count)
{
    const struct mica_error *fault = &call->turn->state->fault;
    bool waits = false, more = false;

    for (size_t i = 0; i < count && fault->status == MICA_OK; i++) {
        if (attempts[i].done)
            continue;
        attempts_ask(call, &attempts[i], &waits);
        more = more || !attempts[i].done;
    }
    if (fault->status != MICA_OK)
        return GROUP_FAULT;
    if (waits)
        return GROUP_WAITS;
    return more ? GROUP_AGAIN : GROUP_DONE;
}

enum mica_status
mica_ask_attempts_group(struct mica_call *call,
                        struct mica_ask_attempts *attempts, size_t count)
{
    zero_all(attempts, count);
    while (true) {
        switch (ask_each(call, attempts, count)) {
        case GROUP_AGAIN:
            break;
        case GROUP_DONE:
            return first_failure(call, attempts, count);
        case GROUP_WAITS:
            zero_all(attempts, count);
            return mica_turn_suspend(call);
        case GROUP_FAULT:
            zero_all(attempts, count);
            return call->turn->state->fault.status;
        }
    }
}

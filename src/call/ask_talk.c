// SPDX-License-Identifier: Apache-2.0
//
// The course of a talk: an attempt for all talks of a round, then, when all of them
// have been answered, the next attempt for those that need one. So the order of
// asks is the same whichever answer comes first.
#include "call/ask_talk.h"

#include <string.h>

#include "call/form.h"

void
mica_talk_zero(const struct mica_talk *talk)
{
    if (talk->form != NULL)
        memset(talk->form->out, 0, talk->form->record->size);
    if (talk->into.record != NULL)
        memset(talk->into.out, 0, talk->into.record->size);
    if (talk->action_out != NULL)
        *talk->action_out = MICA_DISMISSED;
    if (talk->text_out != NULL)
        *talk->text_out = (struct mica_text){NULL, 0};
    if (talk->roots_out != NULL)
        *talk->roots_out = (struct mica_roots){NULL, 0};
}

// ---- An answer -------------------------------------------------------------------

static void
talk_end(struct mica_talk *talk, enum mica_status status)
{
    talk->done = true;
    talk->status = status;
}

static void
talk_exhaust(struct mica_talk *talk, enum mica_action action)
{
    const char *fault = "the last was refused";
    int len = (int)strlen(fault);

    if (talk->attempts.on_exhausted == MICA_THEN_RETURN) {
        *talk->action_out = action;
        talk_end(talk, MICA_OK);
        return;
    }
    if (talk->fault.len > 0) {
        fault = talk->fault.ptr;
        len = (int)talk->fault.len;
    }
    talk_end(talk,
             mica_error_set(&talk->error, MICA_E_ATTEMPTS, "",
                            "\"%s\" had no valid answer in %u attempts; %.*s",
                            talk->question.keyz, talk->tried, len, fault));
}

// The next attempt, if there is one; `action` is what this one came to.
static void
talk_retry(struct mica_talk *talk, enum mica_action action)
{
    if (talk->tried >= talk->attempts.most)
        talk_exhaust(talk, action);
}

// "mood" must be … at /mood.
static bool
begins_with_place(const struct mica_error *fault)
{
    size_t len = strlen(fault->path) - 1;

    return fault->message[0] == '"' &&
           strncmp(fault->message + 1, fault->path + 1, len) == 0 &&
           fault->message[1 + len] == '"';
}

// An answer that cannot be taken. A person who gave it has not answered.
static void
talk_refuse(struct mica_call *call, struct mica_talk *talk,
            const struct mica_error *fault)
{
    struct mica_error *refusal = mica_alloc(call, sizeof *refusal);

    if (call->arena->overflow)
        mica_call_exceed(call);
    *refusal = *fault;
    talk->refusal = refusal;
    mica_talk_zero(talk);
    // Most messages begin with the field.
    if (fault->path[0] != '\0' && !begins_with_place(fault))
        talk->fault =
            mica_format(call, "%s: %s", fault->path + 1, fault->message);
    else
        talk->fault = mica_format(call, "%s", fault->message);
    talk_retry(talk, MICA_DISMISSED);
}

static void
talk_decline(struct mica_talk *talk, enum mica_action action)
{
    bool said_no = action == MICA_DECLINED;
    enum mica_then then =
        said_no ? talk->attempts.on_decline : talk->attempts.on_dismiss;

    talk->fault = (struct mica_text){NULL, 0};
    if (then == MICA_THEN_RETRY) {
        talk_retry(talk, action);
    } else if (then == MICA_THEN_RETURN) {
        *talk->action_out = action;
        talk_end(talk, MICA_OK);
    } else if (said_no) {
        talk_end(talk, mica_error_set(&talk->error, MICA_E_DECLINED, "",
                                      "the person who was asked \"%s\" said no",
                                      talk->question.keyz));
    } else {
        talk_end(talk,
                 mica_error_set(&talk->error, MICA_E_DISMISSED, "",
                                "the person who was asked \"%s\" closed it "
                                "without an answer",
                                talk->question.keyz));
    }
}

static void
judge_person(struct mica_call *call, struct mica_talk *talk,
             const struct mica_json *answer)
{
    static const struct mica_json nothing = {.kind = MICA_JSON_OBJECT};
    struct mica_text action = mica_json_get_text(answer, "action");
    const struct mica_json *content = mica_json_get(answer, "content");
    enum mica_status status = MICA_OK;
    struct mica_error fault;

    if (mica_text_is(action, "decline")) {
        talk_decline(talk, MICA_DECLINED);
        return;
    }
    if (mica_text_is(action, "cancel")) {
        talk_decline(talk, MICA_DISMISSED);
        return;
    }
    if (!mica_text_is(action, "accept"))
        status = mica_error_set(&fault, MICA_E_CHOICE, "/action",
                                "it must be \"accept\", \"decline\" or "
                                "\"cancel\"");
    else if (talk->form != NULL)
        status = mica_form_decode(talk->form, &talk->prepared,
                                  content != NULL ? content : &nothing,
                                  call->arena, &fault);
    if (status != MICA_OK) {
        talk_refuse(call, talk, &fault);
        return;
    }
    if (talk->action_out != NULL)
        *talk->action_out = MICA_ACCEPTED;
    talk_end(talk, MICA_OK);
}

static void
judge_words(struct mica_call *call, struct mica_talk *talk,
            const struct mica_json *answer)
{
    struct mica_error fault;
    struct mica_text words;
    enum mica_status status =
        mica_sampling_text(answer, call->arena, &fault, &words);

    if (status == MICA_OK && talk->into.record != NULL)
        status = mica_sampling_decode(words, talk->into, call->arena, &fault);
    if (status != MICA_OK) {
        talk_refuse(call, talk, &fault);
        return;
    }
    if (talk->text_out != NULL)
        *talk->text_out = words;
    talk_end(talk, MICA_OK);
}

void
mica_talk_judge(struct mica_call *call, struct mica_talk *talk,
                const struct mica_json *answer)
{
    struct mica_error fault;

    if (talk->question.kind == MICA_ASK_SAMPLING) {
        judge_words(call, talk, answer);
    } else if (talk->question.kind != MICA_ASK_ROOTS) {
        judge_person(call, talk, answer);
    } else if (mica_roots_read(answer, call->arena, &fault, talk->roots_out) ==
               MICA_OK) {
        talk_end(talk, MICA_OK);
    } else {
        talk_refuse(call, talk, &fault);
    }
    if (call->arena->overflow)
        mica_call_exceed(call);
}

// ---- A round -----------------------------------------------------------------------

// Puts the talk's next question; *waits_out when it has no answer.
static void
talk_put(struct mica_call *call, struct mica_talk *talk, bool *waits_out)
{
    struct mica_text params;
    struct mica_put answer;
    enum mica_status status =
        mica_ask_put(call, &talk->question, talk->capable, &answer);

    talk->tried++;
    if (call->turn->state->fault.status != MICA_OK)
        return;
    if (status == MICA_OK) {
        mica_talk_judge(call, talk, &answer.answer);
        return;
    }
    if (status == MICA_SUSPENDED) {
        status = mica_talk_params(call, talk, answer.key, &params);
        if (status == MICA_OK) {
            mica_ask_wait(call, &talk->question, &answer, params);
            *waits_out = true;
            return;
        }
    }
    talk->error = call->error;
    talk_end(talk, status);
}

static enum mica_status
first_failure(struct mica_call *call, const struct mica_talk *talks,
              size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (talks[i].status != MICA_OK) {
            call->error = talks[i].error;
            call->handed = true;
            return talks[i].status;
        }
    }
    return MICA_OK;
}

enum mica_status
mica_talk_round(struct mica_call *call, struct mica_talk *talks, size_t count)
{
    const struct mica_error *fault = &call->turn->state->fault;
    bool waits = false, more = true;

    for (size_t i = 0; i < count; i++)
        mica_talk_zero(&talks[i]);
    while (more && !waits) {
        more = false;
        for (size_t i = 0; i < count && fault->status == MICA_OK; i++) {
            if (talks[i].done)
                continue;
            talk_put(call, &talks[i], &waits);
            more = more || !talks[i].done;
        }
        if (fault->status != MICA_OK || waits)
            break;
    }
    if (fault->status == MICA_OK && !waits)
        return first_failure(call, talks, count);
    for (size_t i = 0; i < count; i++)
        mica_talk_zero(&talks[i]);
    return fault->status != MICA_OK ? fault->status : mica_turn_suspend(call);
}

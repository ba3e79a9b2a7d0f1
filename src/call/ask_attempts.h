// SPDX-License-Identifier: Apache-2.0
//
// The attempts of one ask of a handler: after an invalid answer or a refusal the handler
// may ask again. Asks that are sent together make a group.
#ifndef MICA_CALL_ASK_ATTEMPTS_H
#define MICA_CALL_ASK_ATTEMPTS_H

#include "call/turn_state.h"

#define MICA_GROUP_ASKS 16
// Attempts of a form or page. mica_elicit_retry has a number of its own, and so have
// samplings and roots (ask_params.c).
#define MICA_FORM_TRIES 5
// In the message of a further attempt: between the question and what was wrong.
#define MICA_ASK_FAULT "\n\nThe last answer was not accepted: "

struct mica_ask_attempts {
    struct mica_question question;
    // The question: one of these, by question.kind.
    const struct mica_form *form;
    struct mica_record prepared;
    const struct mica_form_view *view; // that shows the form; or NULL
    const struct mica_page *page;
    const struct mica_sampling *sampling;
    struct mica_text schema; // of a structured answer; may be empty
    bool capable;
    struct mica_text message; // to a person
    // Where the answer goes.
    enum mica_action *action_out;
    struct mica_text *text_out;
    struct mica_into into; // of a structured answer; record NULL: none
    struct mica_roots *roots_out;
    struct mica_attempts policy;
    // Progress:
    unsigned tried; // attempts so far
    // What was wrong with the last answer, or empty.
    struct mica_text last_fault;
    const struct mica_error *last_error; // the same, for a program
    bool done;
    enum mica_status status; // the outcome, once done
    struct mica_error error; // if status is not MICA_OK
};

// Each prepares an ask. If the ask itself is wrong, call->error says how.
enum mica_status mica_ask_attempts_form(struct mica_call *call,
                                        struct mica_ask_attempts *attempts,
                                        const struct mica_form *form)
    MICA_MUST_USE;
enum mica_status mica_ask_attempts_page(struct mica_call *call,
                                        struct mica_ask_attempts *attempts,
                                        const struct mica_page *page)
    MICA_MUST_USE;
enum mica_status
mica_ask_attempts_sampling(struct mica_call *call,
                           struct mica_ask_attempts *attempts,
                           const struct mica_sampling *sampling) MICA_MUST_USE;
void mica_ask_attempts_roots(struct mica_ask_attempts *attempts);

// Writes the params of the request of the next attempt. Errors: in call->error.
enum mica_status mica_ask_attempts_params(
    struct mica_call *call, const struct mica_ask_attempts *attempts,
    struct mica_text key, struct mica_text *params_out) MICA_MUST_USE;

// Reads an answer: then the ask is done, or its next attempt follows.
void mica_ask_attempts_judge(struct mica_call *call,
                             struct mica_ask_attempts *attempts,
                             const struct mica_json *answer);

// Continues all asks of a group until each is done, or one waits for the client. Returns
// MICA_SUSPENDED if one waits; otherwise the status of the first ask that failed, or
// MICA_OK.
enum mica_status mica_ask_attempts_group(struct mica_call *call,
                                         struct mica_ask_attempts *attempts,
                                         size_t count) MICA_MUST_USE;

// Sets everything that an answer would fill to zero.
void mica_ask_attempts_zero(const struct mica_ask_attempts *attempts);

#endif

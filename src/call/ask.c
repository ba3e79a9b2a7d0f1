// SPDX-License-Identifier: Apache-2.0
//
// One question of a handler: finds its answer in the journal, or records the question,
// with its answer if that is known without asking the client.
#include "call/turn_state.h"

enum {
    KEY_BYTES = 128
};

static const struct {
    const char *method, *what, *capability;
    unsigned needs; // enum mica_client_capability
} kinds[] = {
    [MICA_ASK_FORM] = {"elicitation/create", "a form", "elicitation",
                       MICA_ELICITATION},
    [MICA_ASK_PAGE] = {"elicitation/create", "a page", "elicitation.url",
                       MICA_ELICITATION_URL},
    [MICA_ASK_SAMPLING] = {"sampling/createMessage", "words of its model",
                           "sampling", MICA_SAMPLING},
    [MICA_ASK_ROOTS] = {"roots/list", "its roots", "roots", MICA_ROOTS},
    [MICA_ASK_MODEL] = {"mica/model", "words of a model", "", 0},
};

struct mica_text
mica_ask_method(enum mica_ask_kind kind)
{
    return mica_text(kinds[kind].method);
}

unsigned
mica_ask_needs(enum mica_ask_kind kind)
{
    return kinds[kind].needs;
}

enum mica_status
mica_ask_check(struct mica_call *call, const struct mica_question *question)
{
    struct mica_text key = mica_text(question->keyz);
    bool fits =
        key.len > 0 && key.len <= KEY_BYTES && mica_utf8_valid(key) == key.len;

    for (size_t i = 0; i < key.len; i++)
        fits = fits && (unsigned char)key.ptr[i] > ' ' && key.ptr[i] != '/' &&
               key.ptr[i] != '#';
    if (!fits)
        return mica_turn_set_error(
            call, MICA_E_USAGE,
            "\"%s\" cannot be the key of an ask: 1 to %d "
            "bytes, without spaces, '/' and '#'",
            question->keyz, KEY_BYTES);
    if (call->turn->state->frame->is_body)
        return mica_turn_set_error(
            call, MICA_E_USAGE,
            "the ask \"%s\" stands in a phase, step or "
            "clean-up that runs once and cannot wait; ask "
            "in the handler or in `client`",
            question->keyz);
    return MICA_OK;
}

// ---- Answers known without asking ----------------------------------------------------

// The status that every further ask of this frame has, or MICA_OK.
static enum mica_status
forced_status_of(const struct mica_call *call)
{
    const struct mica_frame *frame = call->turn->state->frame;

    while (frame != NULL && frame->forced_status == MICA_OK)
        frame = frame->outer;
    return frame != NULL ? frame->forced_status : MICA_OK;
}

// The answer to a question that the client has sent before it was asked; or NULL.
static const struct mica_json *
find_early_answer(const struct mica_turn *turn, struct mica_text key)
{
    const struct mica_json *answers = turn->answers;

    if (answers == NULL || answers->kind != MICA_JSON_OBJECT)
        return NULL;
    for (size_t i = answers->count; i > 0; i--) {
        const struct mica_json_member *member = &answers->members[i - 1];
        if (mica_text_equal(member->name, key) &&
            member->value.kind == MICA_JSON_OBJECT)
            return &member->value;
    }
    return NULL;
}

// Records the answer to an open ask, if it is known now. Only a new ask (`fresh`) fails
// because the client lacks the capability.
static enum mica_status
record_known_answer(struct mica_call *call,
                    const struct mica_question *question, bool capable,
                    bool fresh, uint32_t number)
{
    struct mica_turn *turn = call->turn;
    struct mica_entry answer = {.kind = MICA_ENTRY_ANSWER, .number = number};
    unsigned needs = kinds[question->kind].needs;
    // What a client sends under the key of a question to a model is not its answer.
    const struct mica_json *value =
        needs != 0 ? find_early_answer(turn, turn->journal->entries[number].key)
                   : NULL;

    if ((turn->capabilities & needs) != needs)
        capable = false;
    answer.status = forced_status_of(call);
    if (answer.status == MICA_OK && fresh && !capable)
        answer.status = MICA_E_CAPABILITY;
    if (answer.status == MICA_OK && value == NULL)
        return MICA_OK;
    if (answer.status == MICA_OK)
        answer.data = value->raw;
    return mica_frame_add(call, &answer);
}

static enum mica_status
question_record(struct mica_call *call, const struct mica_question *question,
                struct mica_entry *ask, uint32_t *number_out)
{
    struct mica_turn *turn = call->turn;
    const struct mica_frame *frame = turn->state->frame;
    uint32_t limit_ms = question->limit_ms;

    if (limit_ms == 0)
        limit_ms = frame->limit_ms > 0 ? frame->limit_ms : MICA_ASK_LIMIT_MS;
    ask->time = turn->platform->now_ms(turn->platform->data);
    ask->due = ask->time + limit_ms;
    MICA_TRY(mica_frame_add(call, ask));
    *number_out = turn->journal->count - 1;
    return MICA_OK;
}

// ---- Recorded answers ----------------------------------------------------------------

// After a timeout, a disconnect or a cancel every further ask of the call has the same
// status, unless the asks of this frame have one already: another tool has cancelled it.
static void
force_further_asks(struct mica_call *call, enum mica_status status)
{
    struct mica_turn_state *state = call->turn->state;

    if (status != MICA_E_TIMEOUT && status != MICA_E_DISCONNECTED &&
        status != MICA_E_CANCELLED)
        return;
    if (forced_status_of(call) == MICA_OK)
        state->root->forced_status = status;
}

// Whether the client has answered that it does not know the method (JSON-RPC 2.0
// section 5.1: -32601), though it has declared the capability.
static bool
client_lacks_method(struct mica_call *call, struct mica_text answer)
{
    struct mica_json value;
    if (mica_json_read(call->arena, answer, NULL, NULL, &value) != MICA_OK)
        return false;
    const struct mica_json *code = mica_json_get(&value, "code");
    return code != NULL && mica_text_is(code->raw, "-32601");
}

// Fills call->error from the error with which a client has answered.
static enum mica_status
set_client_error(struct mica_call *call, enum mica_ask_kind kind,
                 const struct mica_question_state *question_state,
                 struct mica_text answer)
{
    bool lacks = client_lacks_method(call, answer);
    (void)mica_turn_restore(call, MICA_E_CLIENT, answer);
    if (!lacks)
        return mica_error_set(&call->error, MICA_E_CLIENT, "",
                              "the client answered \"%.*s\" with an error: %s",
                              MICA_ARG(question_state->key),
                              call->error.message);
    return mica_error_set(
        &call->error, MICA_E_CLIENT, "",
        "the client answered \"%.*s\" with an error: %s. It declared %s and does "
        "not serve %s; a bridge between it and this server may not pass requests "
        "of the server on: connect the client directly",
        MICA_ARG(question_state->key), call->error.message,
        kinds[kind].capability, kinds[kind].method);
}

// Fills call->error from the sentence with which a call of a model has ended. A time limit
// of the model does not end the call: the handler may ask again.
static enum mica_status
set_model_error(struct mica_call *call,
                const struct mica_question_state *question_state,
                const struct mica_entry *answer)
{
    struct mica_json sentence;

    if (answer->data.len > 0 && mica_json_read(call->arena, answer->data, NULL,
                                               NULL, &sentence) == MICA_OK)
        return mica_turn_set_error(call, answer->status, "%.*s",
                                   MICA_ARG(sentence.text));
    return mica_turn_set_error(
        call, answer->status, "\"%.*s\" has no answer: %s",
        MICA_ARG(question_state->key), mica_status_meaning(answer->status));
}

// Fills call->error from a recorded status other than MICA_OK.
static enum mica_status
set_answer_error(struct mica_call *call, enum mica_ask_kind kind,
                 const struct mica_question_state *question_state,
                 const struct mica_entry *answer)
{
    enum mica_status status = answer->status;

    if (kind == MICA_ASK_MODEL)
        return set_model_error(call, question_state, answer);
    force_further_asks(call, status);
    if (status == MICA_E_CAPABILITY) {
        call->turn->missing = kinds[kind].needs;
        return mica_turn_set_error(
            call, status,
            "the client cannot be asked for %s (\"%.*s\"): "
            "it has not declared the capability %s",
            kinds[kind].what, MICA_ARG(question_state->key),
            kinds[kind].capability);
    }
    if (status == MICA_E_CLIENT)
        return set_client_error(call, kind, question_state, answer->data);
    return mica_turn_set_error(call, status, "\"%.*s\" has no answer: %s",
                               MICA_ARG(question_state->key),
                               status == MICA_E_TIMEOUT
                                   ? "it did not come within its time"
                                   : mica_status_meaning(status));
}

static enum mica_status
read_answer(struct mica_call *call, const struct mica_entry *answer,
            struct mica_question_state *question_state)
{
    struct mica_error error;

    if (mica_json_read(call->arena, answer->data, NULL, &error,
                       &question_state->answer) == MICA_OK)
        return MICA_OK;
    if (call->arena->overflow)
        mica_call_exceed(call);
    mica_error_prefix(&error, "the recorded answer to \"%.*s\"",
                      MICA_ARG(question_state->key));
    return mica_turn_fault(call, &error);
}

static const struct mica_entry *
question_entry(const struct mica_turn *turn,
               const struct mica_question_state *question_state)
{
    return &turn->journal->entries[question_state->number];
}

enum mica_status
mica_ask_question(struct mica_call *call, const struct mica_question *question,
                  bool capable, struct mica_question_state *state_out)
{
    struct mica_turn *turn = call->turn;
    struct mica_frame *frame = turn->state->frame;
    struct mica_entry ask = {.kind = MICA_ENTRY_ASK,
                             .number = question->kind,
                             .hash = question->hash};
    const struct mica_entry *answer;
    bool fresh = false;

    ask.key = mica_frame_key(frame, &frame->asks, mica_text(question->keyz));
    state_out->key = ask.key;
    if (!mica_frame_recorded(call, &ask, &state_out->number)) {
        fresh = true;
        MICA_TRY(question_record(call, question, &ask, &state_out->number));
    }
    if (state_out->number == UINT32_MAX)
        return turn->state->fault.status;
    if (question_entry(turn, state_out)->answer == 0)
        MICA_TRY(record_known_answer(call, question, capable, fresh,
                                     state_out->number));
    if (question_entry(turn, state_out)->answer == 0)
        return MICA_SUSPENDED;
    answer =
        &turn->journal->entries[question_entry(turn, state_out)->answer - 1];
    if (answer->status != MICA_OK)
        return set_answer_error(call, question->kind, state_out, answer);
    return read_answer(call, answer, state_out);
}

void
mica_ask_wait(struct mica_call *call, const struct mica_question *question,
              const struct mica_question_state *question_state,
              struct mica_text params)
{
    struct mica_turn *turn = call->turn;
    struct mica_asked *asked = mica_alloc(call, sizeof *asked);

    asked->number = question_state->number;
    asked->kind = question->kind;
    asked->key = question_state->key;
    asked->params = params;
    asked->due = turn->journal->entries[question_state->number].due;
    mica_turn_add_asked(turn, asked);
}

enum mica_status
mica_ask_close(struct mica_call *call, uint32_t scope, enum mica_status status)
{
    struct mica_error error;

    if (mica_journal_close_asks(call->turn->journal, scope, status, &error) !=
        MICA_OK)
        return mica_turn_fault(call, &error);
    return MICA_OK;
}

bool
mica_client_has(struct mica_call *call, enum mica_client_capability capability)
{
    struct mica_entry entry = {.kind = MICA_ENTRY_CLIENT, .number = capability};
    const struct mica_journal *journal;

    // Without a turn nothing can be asked, but a view can be shown all the same.
    if (call->turn == NULL && capability == MICA_VIEWS)
        return (call->client & MICA_VIEWS) != 0;
    if (mica_turn_enter(call) != MICA_OK)
        return false;
    journal = call->turn->journal;
    for (uint32_t i = 0; i < journal->count; i++) {
        if (journal->entries[i].kind == MICA_ENTRY_CLIENT &&
            journal->entries[i].number == (uint32_t)capability)
            return journal->entries[i].status == MICA_OK;
    }
    if ((call->turn->capabilities & capability) == 0)
        entry.status = MICA_E_CAPABILITY;
    return mica_frame_add(call, &entry) == MICA_OK && entry.status == MICA_OK;
}

// SPDX-License-Identifier: Apache-2.0
//
// The position of the handler in the journal: each operation of the handler must match the
// next entry (TURN-2); after the last entry it appends a new one.
#include <string.h>

#include "call/turn_state.h"

// ---- Keys ------------------------------------------------------------------------

// How often the name was used in this frame, this time included.
static unsigned
count_name(struct mica_frame *frame, struct mica_name_count **names,
           struct mica_text name)
{
    struct mica_name_count *one = *names;

    while (one != NULL && !mica_text_equal(one->name, name))
        one = one->next;
    if (one == NULL) {
        one = mica_alloc(frame->call, sizeof *one);
        one->name = name;
        one->next = *names;
        *names = one;
    }
    return ++one->count;
}

struct mica_text
mica_frame_key(struct mica_frame *frame, struct mica_name_count **names,
               struct mica_text name)
{
    unsigned count = count_name(frame, names, name);

    if (count == 1)
        return mica_format(frame->call, "%.*s%.*s", MICA_ARG(frame->path),
                           MICA_ARG(name));
    return mica_format(frame->call, "%.*s%.*s#%u", MICA_ARG(frame->path),
                       MICA_ARG(name), count);
}

// ---- Divergence (TURN-2) -----------------------------------------------------------

// The arguments of a tool, or their beginning.
static struct mica_text
entry_arguments(struct mica_call *call, const struct mica_entry *entry)
{
    struct mica_json value;

    if (mica_json_read(call->arena, entry->data, NULL, NULL, &value) ==
            MICA_OK &&
        value.kind == MICA_JSON_STRING)
        return value.text;
    return entry->data;
}

// Describes an entry in the terms of the handler's author.
static struct mica_text
entry_words(struct mica_call *call, const struct mica_entry *entry)
{
    static const char *const asks[] = {
        [0] = "the question",           [MICA_ASK_FORM] = "the form",
        [MICA_ASK_PAGE] = "the page",   [MICA_ASK_SAMPLING] = "the sampling",
        [MICA_ASK_ROOTS] = "the roots", [MICA_ASK_MODEL] = "the model"};
    const char *what = "the end of the handler";

    if (entry == NULL)
        return mica_text(what);
    if (entry->kind == MICA_ENTRY_TIME)
        return mica_text("mica_now");
    if (entry->kind == MICA_ENTRY_RANDOM)
        return mica_text("mica_random");
    if (entry->kind == MICA_ENTRY_ASK)
        what = asks[entry->number < MICA_COUNT(asks) ? entry->number : 0];
    else if (entry->kind == MICA_ENTRY_PHASE)
        what = "the phase";
    else if (entry->kind == MICA_ENTRY_STEP)
        what = "the step";
    else if (entry->data.len > 0)
        return mica_format(call, "the tool \"%.*s\" with %.*s",
                           MICA_ARG(entry->key),
                           MICA_ARG(entry_arguments(call, entry)));
    else
        what = "the tool or step";
    return mica_format(call, "%s \"%.*s\"", what, MICA_ARG(entry->key));
}

void
mica_turn_diverge(struct mica_call *call, uint32_t number,
                  const struct mica_entry *now)
{
    const struct mica_entry *then = &call->turn->journal->entries[number];
    struct mica_text came = entry_words(call, now),
                     had = entry_words(call, then);
    struct mica_text tool = call->turn->state->frame->name;
    struct mica_error error;

    if (mica_text_equal(came, had))
        had = mica_format(call, "%.*s with other %s", MICA_ARG(had),
                          then->kind == MICA_ENTRY_SCOPE
                              ? "arguments"
                              : "fields, kinds, options or bounds");
    mica_error_set(&error, MICA_E_DIVERGED, "",
                   "the handler%s%.*s came to %.*s where it had come to "
                   "%.*s before (entry %u); what stands between asks must come "
                   "to the same asks each time, and what changes by itself "
                   "belongs in a step, mica_now or mica_random",
                   tool.len > 0 ? " of " : "", MICA_ARG(tool), MICA_ARG(came),
                   MICA_ARG(had), number);
    (void)mica_turn_fault(call, &error);
}

// ---- Replay ------------------------------------------------------------------------

// Does the entry have to match in the order of the handler's operations? Entries of other
// kinds are found by their key, or by the entry that they belong to.
static bool
in_order(enum mica_entry_kind kind)
{
    return kind == MICA_ENTRY_ASK || kind == MICA_ENTRY_PHASE ||
           kind == MICA_ENTRY_STEP || kind == MICA_ENTRY_TIME ||
           kind == MICA_ENTRY_RANDOM || kind == MICA_ENTRY_SCOPE;
}

bool
mica_frame_next(const struct mica_turn *turn, struct mica_frame *frame,
                uint32_t *number_out)
{
    const struct mica_journal *journal = turn->journal;

    if (!frame->has_scope)
        return false;
    for (; frame->cursor < journal->count; frame->cursor++) {
        const struct mica_entry *entry = &journal->entries[frame->cursor];
        if (entry->scope == frame->scope && in_order(entry->kind)) {
            *number_out = frame->cursor;
            return true;
        }
    }
    return false;
}

static bool
entry_same(const struct mica_entry *then, const struct mica_entry *now)
{
    if (then->kind != now->kind || !mica_text_equal(then->key, now->key))
        return false;
    if (now->kind == MICA_ENTRY_SCOPE)
        return then->hash == now->hash;
    return now->kind != MICA_ENTRY_ASK ||
           (then->hash == now->hash && then->number == now->number);
}

// Finds the entry of a body that equals `now`, in any order; of times and random numbers
// the first that this turn has not used yet.
static bool
match_in_body(const struct mica_turn *turn, struct mica_frame *frame,
              const struct mica_entry *now, uint32_t *number_out)
{
    uint32_t none = 0, skip;
    uint32_t *drawn = now->kind == MICA_ENTRY_TIME     ? &frame->times
                      : now->kind == MICA_ENTRY_RANDOM ? &frame->randoms
                                                       : &none;

    skip = (*drawn)++;
    for (uint32_t i = 0; frame->has_scope && i < turn->journal->count; i++) {
        const struct mica_entry *entry = &turn->journal->entries[i];
        if (entry->scope == frame->scope && entry_same(entry, now) &&
            skip-- == 0) {
            *number_out = i;
            return true;
        }
    }
    return false;
}

bool
mica_frame_recorded(struct mica_call *call, const struct mica_entry *now,
                    uint32_t *number_out)
{
    struct mica_turn *turn = call->turn;
    struct mica_frame *frame = turn->state->frame;
    uint32_t number;

    *number_out = UINT32_MAX;
    if (frame->is_body)
        return match_in_body(turn, frame, now, number_out);
    if (!mica_frame_next(turn, frame, &number))
        return false;
    if (!entry_same(&turn->journal->entries[number], now)) {
        mica_turn_diverge(call, number, now);
        return true;
    }
    frame->cursor = number + 1;
    *number_out = number;
    return true;
}

// ---- Append ------------------------------------------------------------------------

static enum mica_status
entry_add(struct mica_call *call, const struct mica_entry *entry)
{
    struct mica_error error;

    if (mica_journal_add(call->turn->journal, entry, &error) == MICA_OK)
        return MICA_OK;
    // The call has ended and this is a replay: the handler must not reach a new entry.
    if (error.status == MICA_E_USAGE)
        mica_error_set(&error, MICA_E_DIVERGED, "",
                       "the handler came to %.*s, which is new, in a call "
                       "that has ended (%s)",
                       MICA_ARG(entry_words(call, entry)), error.message);
    return mica_turn_fault(call, &error);
}

enum mica_status
mica_frame_open(struct mica_call *call, struct mica_frame *frame)
{
    struct mica_journal *journal = call->turn->journal;
    struct mica_entry child = {.kind = MICA_ENTRY_SCOPE};

    if (frame->has_scope)
        return MICA_OK;
    MICA_TRY(mica_frame_open(call, frame->outer));
    child.scope = frame->outer->scope;
    child.number = journal->scope_count;
    child.key = mica_text_slice(frame->path, 0, frame->path.len - 1);
    MICA_TRY(entry_add(call, &child));
    frame->scope = child.number;
    frame->has_scope = true;
    frame->cursor = journal->count;
    // The outer frame has just appended this entry, so it need not match it.
    frame->outer->cursor = journal->count;
    return MICA_OK;
}

enum mica_status
mica_frame_add(struct mica_call *call, struct mica_entry *entry)
{
    struct mica_frame *frame = call->turn->state->frame;

    MICA_TRY(mica_frame_open(call, frame));
    entry->scope = frame->scope;
    MICA_TRY(entry_add(call, entry));
    if (in_order(entry->kind))
        frame->cursor = call->turn->journal->count;
    return MICA_OK;
}

enum mica_status
mica_turn_commit(struct mica_call *call)
{
    struct mica_turn *turn = call->turn;
    struct mica_error error = {.status = MICA_OK};
    enum mica_status status = MICA_OK;

    turn->state->committed = turn->journal->count;
    if (turn->commit != NULL)
        status = turn->commit(turn->data, &error);
    if (status == MICA_OK)
        return MICA_OK;
    if (error.status != status)
        mica_error_set(&error, status, "", "the call could not be kept: %s",
                       mica_status_meaning(status));
    turn->state->lost = true;
    return mica_turn_fault(call, &error);
}

// ---- Notices (TURN-4) --------------------------------------------------------------

uint32_t
mica_turn_reported(const struct mica_turn *turn, uint32_t scope)
{
    uint32_t reported = 0;

    for (uint32_t i = 0; i < turn->journal->count; i++) {
        const struct mica_entry *entry = &turn->journal->entries[i];
        if (entry->kind == MICA_ENTRY_REPORTED && entry->scope == scope)
            reported = entry->number;
    }
    return reported;
}

static enum mica_status
record_reported(struct mica_call *call, struct mica_frame *frame)
{
    struct mica_turn_state *state = call->turn->state;
    struct mica_entry reported = {.kind = MICA_ENTRY_REPORTED,
                                  .scope = frame->scope,
                                  .number = frame->notices,
                                  .time = state->root->call->notified};

    if (reported.number < frame->recorded)
        reported.number = frame->recorded;
    MICA_TRY(entry_add(call, &reported));
    frame->recorded = reported.number;
    state->notified = reported.time;
    return MICA_OK;
}

enum mica_status
mica_turn_record_reported(struct mica_call *call)
{
    struct mica_turn_state *state = call->turn->state;

    for (struct mica_frame *frame = state->frame; frame != NULL;
         frame = frame->outer) {
        if (frame->has_scope && frame->notices > frame->recorded)
            MICA_TRY(record_reported(call, frame));
    }
    if (state->root->call->notified > state->notified)
        return record_reported(call, state->root);
    return MICA_OK;
}

bool
mica_turn_sends_notice(struct mica_call *call)
{
    struct mica_frame *frame;

    if (!mica_turn_is_running(call))
        return true;
    frame = call->turn->state->frame;
    return !call->stopped && ++frame->notices > frame->recorded;
}

// What counts the notifications of a call and of those that it invokes.
static uint32_t *
find_notified(struct mica_call *call)
{
    if (mica_turn_is_running(call))
        call = call->turn->state->root->call;
    return &call->notified;
}

double
mica_turn_notification(struct mica_call *call)
{
    return ++*find_notified(call);
}

void
mica_turn_notified(struct mica_call *call, double progress)
{
    uint32_t *notified = find_notified(call);

    if (progress > *notified && progress < UINT32_MAX)
        *notified = (uint32_t)progress;
}

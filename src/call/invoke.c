// SPDX-License-Identifier: Apache-2.0
//
// Runs other tools inside a call. Each has its own scope of the journal and its own frame.
// The tools of one group proceed side by side: each runs up to its next question before
// the turn is suspended.
#include <string.h>

#include "call/child.h"
#include "call/invoke_json.h"

enum {
    MOST_TOOLS = 16, // of one group
    MOST_DEPTH = 8
};

struct group {
    struct mica_call *call;
    struct mica_invocation *invocations;
    struct mica_child *children;
    const struct mica_json_invocation *json; // of the only tool; or NULL
    size_t count;
    bool first; // the first success ends the group; otherwise the first failure
};

static const struct mica_entry *
group_ended(const struct group *group, size_t i)
{
    const struct mica_journal *journal = group->call->turn->journal;
    uint32_t at = journal->scopes[group->children[i].scope].ended;

    return at > 0 ? &journal->entries[at - 1] : NULL;
}

// ---- Checks ----------------------------------------------------------------------

static enum mica_status
invoke_check(struct mica_call *call, size_t count)
{
    const struct mica_frame *frame = call->turn->state->frame;
    unsigned depth = 0;

    if (frame->is_body)
        return mica_turn_set_error(
            call, MICA_E_USAGE,
            "mica_invoke stands in a phase, step or clean-up "
            "that runs once; the other tool may ask, so call "
            "it from the handler or `client`");
    if (count > MOST_TOOLS)
        return mica_turn_set_error(call, MICA_E_USAGE,
                                   "%zu tools side by side; %d is the most",
                                   count, MOST_TOOLS);
    for (; frame->outer != NULL; frame = frame->outer)
        depth++;
    if (depth >= MOST_DEPTH)
        return mica_turn_set_error(
            call, MICA_E_LIMIT,
            "tools that call each other are %d deep; that is "
            "the limit",
            MOST_DEPTH);
    return MICA_OK;
}

// ---- One tool --------------------------------------------------------------------

static enum mica_status
record_ended(struct mica_call *call, const struct mica_child *child,
             const struct mica_result *result)
{
    struct mica_journal *journal = call->turn->journal;
    struct mica_entry entry = {.kind = MICA_ENTRY_ENDED,
                               .scope = child->scope,
                               .key = child->key,
                               .status = result->status};
    struct mica_error error;

    // The handler may have ended before it reached the answers to all its questions.
    MICA_TRY(mica_ask_close(call, child->scope, MICA_E_CANCELLED));
    entry.data = result->status == MICA_OK ? result->structured : result->error;
    if (mica_journal_add(journal, &entry, &error) == MICA_OK)
        return MICA_OK;
    return mica_turn_fault(call, &error);
}

// An error-marked result becomes a failure with its text.
static void
fail_if_marked(struct mica_call *sub)
{
    const struct mica_content *content = sub->result.content;

    if (sub->result.status != MICA_OK || !sub->result.is_error)
        return;
    while (content != NULL && content->kind != MICA_CONTENT_TEXT)
        content = content->next;
    if (content != NULL)
        mica_call_fail(sub, MICA_E_EXECUTION, "", "%.*s",
                       MICA_ARG(content->data));
    else
        mica_call_fail(sub, MICA_E_EXECUTION, "",
                       "it marked its result as an error");
}

static void
init_sub(struct mica_call *sub, const struct mica_call *call,
         const struct mica_runnable *runnable)
{
    mica_call_init(sub, call->arena);
    sub->user = runnable->user;
    sub->cancelled = call->cancelled;
    sub->on_notice = call->on_notice;
    sub->notice_data = call->notice_data;
    sub->close_stream = call->close_stream;
    sub->principal = call->principal;
    sub->turn = call->turn;
    sub->output_bytes = call->output_bytes;
}

// The frame in which the handler of the tool runs. It continues the scope of the tool.
static struct mica_frame
child_frame(struct mica_call *call, const struct mica_child *child,
            struct mica_call *sub)
{
    struct mica_turn *turn = call->turn;
    struct mica_frame frame = {
        .outer = turn->state->frame,
        .call = sub,
        .path = mica_format(call, "%.*s/", MICA_ARG(child->key)),
        .name = child->tool->name,
        .scope = child->scope,
        .has_scope = true,
        .cursor = child->opened + 1,
        .steps = child->tool->steps,
        .fetches = child->tool->fetches,
        .keeps = child->tool->keeps,
        .form_views = child->tool->form_views,
        .owner = child->tool->owner,
        .limit_ms = child->tool->limit_ms,
        .recorded = mica_turn_reported(turn, child->scope)};

    if (child->most_ms > 0 && child->most_ms < frame.limit_ms)
        frame.limit_ms = child->most_ms;
    return frame;
}

// Runs the handler from its beginning. Returns true if it is suspended. turn->cleans counts
// the clean-ups of the whole call that wait: those that the tool names in this run replace
// those of its run before.
static bool
child_run_handler(struct mica_call *call, struct mica_child *child,
                  struct mica_frame *frame)
{
    struct mica_turn *turn = call->turn;
    unsigned others = turn->cleans - child->cleans;
    bool suspended;

    turn->cleans = others;
    suspended =
        mica_frame_run(turn, frame, child->tool->runnable, child->arguments);
    child->cleans = turn->cleans - others;
    if (call->arena->overflow)
        mica_call_exceed(call);
    return suspended;
}

// Runs the tool until it has ended or asks. `forced_status`, unless it is MICA_OK, is the
// status of all its asks.
static enum mica_status
run_child(struct mica_call *call, struct mica_child *child,
          enum mica_status forced_status)
{
    const struct mica_error *fault = &call->turn->state->fault;
    struct mica_call sub;
    struct mica_frame frame = child_frame(call, child, &sub);
    bool suspended;

    frame.forced_status = forced_status;
    init_sub(&sub, call, child->tool->runnable);
    suspended = child_run_handler(call, child, &frame);
    if (fault->status != MICA_OK)
        return fault->status;
    if (suspended)
        return MICA_OK;
    fail_if_marked(&sub);
    return record_ended(call, child, &sub.result);
}

// ---- A group ---------------------------------------------------------------------

// Has the tool run in this turn or in an earlier one?
static bool
has_begun(const struct group *group, size_t i)
{
    const struct mica_journal *journal = group->call->turn->journal;

    if (journal->entries == NULL)
        return false; // it has none
    for (uint32_t n = group->children[i].opened + 1; n < journal->count; n++) {
        if (journal->entries[n].scope == group->children[i].scope)
            return true;
    }
    return false;
}

// Ends a tool as cancelled: its asks return MICA_E_CANCELLED, and its clean-ups run.
static enum mica_status
group_cancel(struct group *group, size_t i)
{
    static const struct mica_result cancelled = {
        .status = MICA_E_CANCELLED,
        .error = {"{\"code\":\"CANCELLED\",\"message\":\"another tool of its "
                  "group has decided\",\"path\":\"\"}",
                  sizeof "{\"code\":\"CANCELLED\",\"message\":\"another tool "
                         "of its group has decided\",\"path\":\"\"}" -
                      1}};
    struct mica_child *child = &group->children[i];

    if (!has_begun(group, i))
        return record_ended(group->call, child, &cancelled);
    MICA_TRY(mica_ask_close(group->call, child->scope, MICA_E_CANCELLED));
    return run_child(group->call, child, MICA_E_CANCELLED);
}

// The first tool, in the order of the journal, whose end decides the group; `count` if the
// group is not decided.
static size_t
group_decider(const struct group *group)
{
    const struct mica_entry *best = NULL;
    size_t found = group->count;

    for (size_t i = 0; i < group->count; i++) {
        const struct mica_entry *entry = group_ended(group, i);
        if (entry == NULL || (entry->status == MICA_OK) != group->first)
            continue;
        if (best == NULL || entry < best) {
            best = entry;
            found = i;
        }
    }
    return found;
}

// Runs each tool until one decides the group; then cancels the others.
static enum mica_status
group_proceed(struct group *group)
{
    for (size_t i = 0; i < group->count && group_decider(group) == group->count;
         i++) {
        if (group_ended(group, i) == NULL)
            MICA_TRY(run_child(group->call, &group->children[i], MICA_OK));
    }
    if (group_decider(group) == group->count)
        return MICA_OK;
    for (size_t i = 0; i < group->count; i++) {
        if (group_ended(group, i) == NULL)
            MICA_TRY(group_cancel(group, i));
    }
    return MICA_OK;
}

// Fills the results of all tools that have ended.
static void
read_ends(struct group *group)
{
    struct mica_call *call = group->call;

    for (size_t i = 0; i < group->count; i++) {
        struct mica_invocation *one = &group->invocations[i];
        const struct mica_entry *entry = group_ended(group, i);
        if (entry == NULL) {
            one->status = MICA_SUSPENDED;
            continue;
        }
        one->status = entry->status;
        if (entry->status != MICA_OK)
            (void)mica_turn_restore(call, entry->status, entry->data);
        else if (one->into.record != NULL)
            one->status = mica_turn_decode(
                call, entry->data.len > 0 ? entry->data : MICA_LITERAL("{}"),
                one->into);
        if (one->status != MICA_OK) {
            if (group->json == NULL)
                mica_error_prefix(&call->error, "the tool \"%s\"", one->tool);
            one->error = call->error;
        }
    }
}

static bool
group_waits(const struct group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        if (group_ended(group, i) == NULL)
            return true;
    }
    return false;
}

static void
invocation_zero(struct mica_invocation *invocations, size_t count,
                enum mica_status status)
{
    for (size_t i = 0; i < count; i++) {
        if (invocations[i].into.record != NULL)
            memset(invocations[i].into.out, 0,
                   invocations[i].into.record->size);
        memset(&invocations[i].error, 0, sizeof invocations[i].error);
        invocations[i].status = status;
    }
}

// Runs a group until it is decided or waits for its client. Returns MICA_OK if each tool
// has ended.
static enum mica_status
run_group(struct mica_call *call, struct group *group)
{
    enum mica_status status = mica_turn_enter(call);

    invocation_zero(group->invocations, group->count, status);
    MICA_TRY(status);
    MICA_TRY(invoke_check(call, group->count));
    group->children =
        mica_alloc_array(call, group->count, sizeof *group->children);
    if (group->json != NULL) {
        group->children->given = group->json->arguments;
        group->children->build = group->json->version;
        group->children->most_ms = group->json->limit_ms;
    }
    MICA_TRY(mica_children_begin(call, group->invocations, group->children,
                                 group->count));
    MICA_TRY(group_proceed(group));
    if (!group_waits(group)) {
        read_ends(group);
        return MICA_OK;
    }
    invocation_zero(group->invocations, group->count, MICA_SUSPENDED);
    return mica_turn_suspend(call);
}

// Returns the failure of one tool to the handler.
static enum mica_status
fail_as(struct mica_call *call, const struct mica_invocation *one)
{
    call->error = one->error;
    call->error_is_from_operation = true;
    return one->status;
}

enum mica_status
mica_invoke_all(struct mica_call *call, struct mica_invocation *invocations,
                size_t count)
{
    struct group group = {
        .call = call, .invocations = invocations, .count = count};
    size_t failed;

    MICA_TRY(run_group(call, &group));
    failed = group_decider(&group);
    if (failed < count)
        return fail_as(call, &invocations[failed]);
    for (size_t i = 0; i < count; i++) {
        if (invocations[i].status != MICA_OK) // `into` cannot decode its result
            return fail_as(call, &invocations[i]);
    }
    return MICA_OK;
}

enum mica_status
mica_invoke_first(struct mica_call *call, struct mica_invocation *invocations,
                  size_t count, size_t *winner_out)
{
    struct group group = {.call = call,
                          .invocations = invocations,
                          .count = count,
                          .first = true};
    size_t winner, last = 0;

    *winner_out = 0;
    if (count == 0)
        return mica_turn_set_error(call, MICA_E_USAGE,
                                   "mica_invoke_first needs a tool");
    MICA_TRY(run_group(call, &group));
    winner = group_decider(&group);
    if (winner < count) {
        *winner_out = winner;
        return invocations[winner].status == MICA_OK
                   ? MICA_OK
                   : fail_as(call, &invocations[winner]);
    }
    for (size_t i = 1; i < count; i++) {
        if (group_ended(&group, i) > group_ended(&group, last))
            last = i;
    }
    return fail_as(call, &invocations[last]);
}

enum mica_status
mica_invoke(struct mica_call *call, const char *toolz, struct mica_from from,
            struct mica_into into)
{
    struct mica_invocation one = {.tool = toolz, .from = from, .into = into};

    return mica_invoke_all(call, &one, 1);
}

enum mica_status
mica_invoke_json(struct mica_call *call,
                 const struct mica_json_invocation *invocation,
                 struct mica_json_result *result_out)
{
    struct mica_invocation one = {
        .tool = mica_arena_text(call->arena, invocation->tool).ptr};
    struct group group = {
        .call = call, .invocations = &one, .count = 1, .json = invocation};

    const struct mica_entry *end;

    *result_out = (struct mica_json_result){.ended = false};
    if (one.tool == NULL)
        mica_call_exceed(call);
    MICA_TRY(run_group(call, &group));
    result_out->ended = true;
    if (one.status != MICA_OK)
        return fail_as(call, &one);
    end = group_ended(&group, 0);
    result_out->structured =
        end != NULL && end->data.len > 0 ? end->data : MICA_LITERAL("{}");
    return MICA_OK;
}

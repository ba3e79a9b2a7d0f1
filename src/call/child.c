// SPDX-License-Identifier: Apache-2.0
//
// Finds a tool that a handler invokes: by its name the first time; when the handler runs
// again, the build that it had then.
#include "call/child.h"

#include "call/form_parts.h"
#include "json/exact.h"

enum {
    SHOWN_BYTES = 80 // of arguments, in a message
};

// ---- Arguments -------------------------------------------------------------------

static enum mica_status
write_arguments(struct mica_call *call,
                const struct mica_invocation *invocation,
                struct mica_child *child)
{
    child->arguments = MICA_LITERAL("{}");
    if (child->given.len > 0)
        child->arguments = child->given;
    if (invocation->from.record == NULL)
        return MICA_OK;
    if (mica_turn_encode(call, invocation->from, &child->arguments) == MICA_OK)
        return MICA_OK;
    mica_error_prefix(&call->error, "the arguments of \"%s\"",
                      invocation->tool);
    return call->error.status;
}

// The canonical JSON of the arguments: equal values have equal texts.
static struct mica_text
arguments_canonical(struct mica_call *call, struct mica_text json)
{
    struct mica_buffer buffer;
    struct mica_json value;

    mica_buffer_init(&buffer, call->arena, (size_t)2 * MICA_JOURNAL_BYTES);
    if (mica_json_read(call->arena, json, NULL, NULL, &value) == MICA_OK &&
        mica_json_exact(call->arena, &buffer, &value) == MICA_OK)
        json = mica_buffer_as_text(&buffer);
    if (buffer.overflow || call->arena->overflow)
        mica_call_exceed(call);
    return json;
}

// What the journal stores of the arguments: all of them, or a string with their beginning.
static struct mica_text
child_shown(struct mica_call *call, struct mica_text arguments)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;
    struct mica_text begin = mica_text_slice(arguments, 0, SHOWN_BYTES);

    if (arguments.len <= SHOWN_BYTES)
        return arguments;
    begin.len = mica_utf8_valid(begin);
    buffer = mica_builder(call);
    mica_json_writer_init(&writer, &buffer);
    mica_json_string(&writer, mica_format(call, "%.*s…", MICA_ARG(begin)));
    if (buffer.overflow)
        mica_call_exceed(call);
    return mica_buffer_as_text(&buffer);
}

// ---- Find tools ------------------------------------------------------------------

static const struct mica_tool_runnable *
turn_find(const struct mica_turn *turn, struct mica_text name,
          struct mica_text version)
{
    return turn->find != NULL ? turn->find(turn->data, name, version) : NULL;
}

static enum mica_status
find_new(struct mica_call *call, const char *namez, struct mica_child *child)
{
    child->tool = turn_find(call->turn, mica_text(namez), child->build);
    if (child->tool == NULL)
        return mica_turn_set_error(call, MICA_E_NOT_FOUND,
                                   "there is no tool \"%s\" to invoke", namez);
    if (child->tool->refused != NULL)
        return mica_turn_fault(call, child->tool->refused);
    return MICA_OK;
}

// Finds the build that the journal names. A tool that has ended does not run, so none is
// needed.
static enum mica_status
find_recorded(struct mica_call *call, const char *namez,
              struct mica_child *child)
{
    const struct mica_journal *journal = call->turn->journal;
    struct mica_error error;

    if (journal->scopes[child->scope].ended > 0)
        return MICA_OK;
    child->tool = turn_find(call->turn, mica_text(namez),
                            journal->entries[child->opened].version);
    if (child->tool != NULL && child->tool->refused == NULL)
        return MICA_OK;
    if (child->tool != NULL)
        return mica_turn_fault(call, child->tool->refused);
    mica_error_set(&error, MICA_E_DIVERGED, "",
                   "the tool \"%s\" has changed since the call began; call it "
                   "again",
                   namez);
    return mica_turn_fault(call, &error);
}

// ---- Replay ----------------------------------------------------------------------

static struct mica_entry
child_entry(struct mica_call *call, const struct mica_child *child)
{
    struct mica_text arguments = arguments_canonical(call, child->arguments);

    return (struct mica_entry){
        .kind = MICA_ENTRY_SCOPE,
        .key = child->key,
        .hash = mica_form_hash_text(MICA_HASH_START, arguments),
        .data = child_shown(call, arguments)};
}

// Matches the next journal entry (TURN-2), or records a new one.
static enum mica_status
enter_child(struct mica_call *call, const char *namez, struct mica_child *child)
{
    struct mica_turn *turn = call->turn;
    struct mica_entry entry = child_entry(call, child);

    if (mica_frame_recorded(call, &entry, &child->opened)) {
        if (child->opened == UINT32_MAX)
            return turn->state->fault.status;
        child->scope = turn->journal->entries[child->opened].number;
        return find_recorded(call, namez, child);
    }
    if (child->tool == NULL)
        MICA_TRY(find_new(call, namez, child));
    entry.number = turn->journal->scope_count;
    entry.version = child->tool->version;
    MICA_TRY(mica_frame_add(call, &entry));
    child->scope = entry.number;
    child->opened = turn->journal->count - 1;
    return MICA_OK;
}

// Did the handler invoke this group in an earlier turn?
static bool
were_invoked(const struct mica_call *call, const struct mica_child *children)
{
    const struct mica_turn *turn = call->turn;
    const struct mica_entry *next;
    uint32_t number;

    if (!mica_frame_next(turn, turn->state->frame, &number))
        return false;
    next = &turn->journal->entries[number];
    return next->kind == MICA_ENTRY_SCOPE &&
           mica_text_equal(next->key, children[0].key);
}

enum mica_status
mica_children_begin(struct mica_call *call,
                    const struct mica_invocation *invocations,
                    struct mica_child *children, size_t count)
{
    struct mica_frame *frame = call->turn->state->frame;
    bool are_new;

    for (size_t i = 0; i < count; i++) {
        MICA_TRY(write_arguments(call, &invocations[i], &children[i]));
        children[i].key = mica_frame_key(frame, &frame->effects,
                                         mica_text(invocations[i].tool));
    }
    // If one tool of a new group is missing, nothing of the group is recorded: the handler
    // must find the same tools missing when it runs again.
    are_new = count > 0 && !were_invoked(call, children);
    for (size_t i = 0; i < count && are_new; i++)
        MICA_TRY(find_new(call, invocations[i].tool, &children[i]));
    for (size_t i = 0; i < count; i++)
        MICA_TRY(enter_child(call, invocations[i].tool, &children[i]));
    return MICA_OK;
}

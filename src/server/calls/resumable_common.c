// SPDX-License-Identifier: Apache-2.0
//
// The small functions that the files of resumable calls share; releases; the ends of calls
// that do not run again.
#include "server/calls/resumable.h"

static const struct mica_text none = {NULL, 0};

int64_t
mica_resumable_now(const struct mica_message *message)
{
    const struct mica_platform *platform = message->server->platform;

    return platform->now_ms(platform->data);
}

bool
mica_resumable_is_stateless(const struct mica_message *message)
{
    return mica_revision_features(message->context.revision)->stateless;
}

bool
mica_resumable_refuse(struct mica_message *message, enum mica_status status,
                      const struct mica_error *error)
{
    enum mica_rpc_error rpc = MICA_RPC_INTERNAL;
    struct mica_text data = none;

    if (mica_status_json_rpc(status) == MICA_RPC_PARAMS)
        rpc = MICA_RPC_PARAMS;
    if (mica_status_kind(status) == MICA_BLOCKED || status == MICA_E_STRANDED)
        data = MICA_LITERAL("\"retryable\":true");
    mica_reply_error(message, 200, rpc, status, data, "%s", error->message);
    return false;
}

// The key of the last effect that the journal records, for people; empty: none.
static struct mica_text
last_effect(const struct mica_journal *journal)
{
    for (uint32_t i = journal->count; i > 0; i--) {
        const struct mica_entry *entry = &journal->entries[i - 1];
        if (entry->kind == MICA_ENTRY_STEP || entry->kind == MICA_ENTRY_PHASE ||
            entry->kind == MICA_ENTRY_CLEANED)
            return entry->key;
    }
    return none;
}

bool
mica_resumable_has_crashed(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_text last = last_effect(&resumable->journal);
    bool any = last.len > 0;

    if (resumable->kept.lost_claims < MICA_CALL_MOST_LOST_CLAIMS)
        return false;
    mica_call_init(&message->execution.call, message->arena);
    mica_call_fail(&message->execution.call, MICA_E_CRASHED, "",
                   "the server has ended %d times in the middle of this call, "
                   "with nothing recorded between, so it is not run again; "
                   "%s%.*s%s, what came next may have happened, and no "
                   "clean-up has run",
                   MICA_CALL_MOST_LOST_CLAIMS,
                   any ? "the last that is known to be done is \""
                       : "nothing is known to be done",
                   MICA_ARG(last), any ? "\"" : "");
    mica_execution_move(&message->execution, MICA_EXECUTION_ENDED);
    return true;
}

void
mica_resumable_end_stranded(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_text last = last_effect(&resumable->journal);
    bool any = last.len > 0;

    // The client can still read how the call ended.
    resumable->kept.expires = mica_resumable_now(message) + MICA_KEEP_MS;
    resumable->kept.strands = true;
    mica_call_init(&message->execution.call, message->arena);
    mica_call_fail(
        &message->execution.call, MICA_E_STRANDED, "",
        "no server had %.*s in the build %.*s, with which the call "
        "began, until the time of the call was over; its handler has "
        "not run again and no clean-up has run; %s%.*s%s",
        MICA_ARG(resumable->kept.target), MICA_ARG(resumable->kept.version),
        any ? "the last that is known to be done is \""
            : "nothing is known to be done",
        MICA_ARG(last), any ? "\"" : "");
    mica_execution_move(&message->execution, MICA_EXECUTION_ENDED);
}

void
mica_resumable_release(struct mica_message *message)
{
    const struct mica_calls *calls = message->server->calls;
    struct mica_resumable *resumable = message->execution.resumable;

    if (!mica_execution_is_claimed(resumable))
        return;
    calls->release(calls->data, &resumable->kept);
    resumable->persistence = MICA_PERSISTENCE_STORED;
}

void
mica_resumable_release_unrun(struct mica_message *message)
{
    mica_resumable_release(message);
    mica_execution_move(&message->execution, MICA_EXECUTION_RELEASED);
}

void
mica_resumable_mark_start(struct mica_resumable *resumable)
{
    resumable->entries_at_start = resumable->journal.count;
    resumable->bytes_at_start = resumable->journal.bytes.len;
}

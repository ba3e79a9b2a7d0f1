// SPDX-License-Identifier: Apache-2.0
//
// Writes messages of a stored call to the client of its session: questions, cancelled
// questions, and the reply to the request that began the call.
#include "server/calls/resumable.h"

#include <string.h>

static const struct mica_text none = {NULL, 0};

enum {
    QUESTION_BYTES = 64 << 10 // beside its params
};

// "<call>.<question>": this id alone leads the answer to its call.
static void
write_question_id(struct mica_text call, uint32_t number,
                  struct mica_json_writer *writer)
{
    char storage[MICA_CALL_ID_SIZE + 16];
    struct mica_buffer id = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};

    mica_buffer_format(&id, "%.*s.%u", MICA_ARG(call), number);
    mica_json_string(writer, mica_buffer_as_text(&id));
}

// MCP: cancellation: the call no longer waits for that answer.
static void
cancel_question(struct mica_message *message, uint32_t number)
{
    const struct mica_resumable *resumable = message->execution.resumable;
    struct mica_json_writer writer;
    char storage[512];
    struct mica_buffer text = {
        .ptr = storage, .capacity = sizeof storage, .max = sizeof storage};

    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "jsonrpc", MICA_LITERAL("2.0"));
    mica_json_field(&writer, "method", MICA_LITERAL("notifications/cancelled"));
    mica_json_name(&writer, "params");
    mica_json_open_object(&writer);
    mica_json_name(&writer, "requestId");
    write_question_id(resumable->kept.id, number, &writer);
    mica_json_field(&writer, "reason",
                    mica_text(mica_status_meaning(resumable->turn.ending)));
    mica_json_close_object(&writer);
    mica_json_close_object(&writer);
    if (!text.overflow)
        message->reply.emit(message, mica_buffer_as_text(&text));
}

void
mica_resumable_cancel_questions(struct mica_message *message)
{
    const struct mica_resumable *resumable = message->execution.resumable;
    uint32_t number;

    if (resumable->turn.ending == MICA_OK || message->reply.emit == NULL ||
        resumable->kept.mode != MICA_CALL_SESSION)
        return;
    for (uint32_t i = 0; mica_journal_open_ask(&resumable->journal, i, &number);
         i = number + 1)
        cancel_question(message, number);
}

static struct mica_text
write_question(struct mica_text call, uint32_t number, struct mica_text method,
               struct mica_text params, struct mica_arena *arena)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    mica_buffer_init(&text, arena, params.len + QUESTION_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "jsonrpc", MICA_LITERAL("2.0"));
    mica_json_name(&writer, "id");
    write_question_id(call, number, &writer);
    mica_json_field(&writer, "method", method);
    mica_json_name(&writer, "params");
    mica_json_raw(&writer, params);
    mica_json_close_object(&writer);
    return text.overflow ? none : mica_buffer_as_text(&text);
}

struct mica_text
mica_message_question(struct mica_message *message, size_t index)
{
    const struct mica_resumable *resumable = message->execution.resumable;
    const struct mica_asked *asked = resumable->turn.asked;

    // Earlier turns have sent their own questions.
    while (asked != NULL &&
           (asked->number < resumable->entries_at_start || index > 0)) {
        index -= asked->number >= resumable->entries_at_start;
        asked = asked->next;
    }
    if (asked == NULL)
        return none;
    return write_question(resumable->kept.id, asked->number,
                          mica_ask_method(asked->kind), asked->params,
                          message->arena);
}

// Finds the open question of that index. Returns false after the last.
static bool
find_open_question(const struct mica_journal *journal, size_t index,
                   uint32_t *number_out)
{
    uint32_t from = 0;

    while (mica_journal_open_ask(journal, from, number_out)) {
        if (index-- == 0)
            return true;
        from = *number_out + 1;
    }
    return false;
}

struct mica_text
mica_kept_question(const struct mica_kept_call *kept, size_t index,
                   struct mica_arena *arena)
{
    struct mica_journal journal;
    struct mica_json asks;
    uint32_t number;

    mica_journal_init(&journal, arena);
    memset(&asks, 0, sizeof asks);
    if (mica_journal_read(&journal, arena, kept->journal, NULL) != MICA_OK ||
        mica_json_read(arena, kept->asks, NULL, NULL, &asks) != MICA_OK ||
        !find_open_question(&journal, index, &number))
        return none;
    for (size_t i = 0; i < asks.count; i++) {
        const struct mica_json *ask = &asks.members[i].value;
        if (mica_text_equal(asks.members[i].name, journal.entries[number].key))
            return write_question(kept->id, number,
                                  mica_json_get_text(ask, "method"),
                                  mica_json_get(ask, "params")->raw, arena);
    }
    return none;
}

struct mica_text
mica_kept_request(const struct mica_kept_call *kept, struct mica_arena *arena)
{
    const struct mica_json *id = NULL;
    struct mica_json context;

    memset(&context, 0, sizeof context);
    if (mica_json_read(arena, kept->context, NULL, NULL, &context) == MICA_OK)
        id = mica_json_get(&context, "id");
    return id != NULL ? id->raw : none;
}

struct mica_text
mica_kept_reply(const struct mica_kept_call *kept, struct mica_arena *arena)
{
    struct mica_text id = mica_kept_request(kept, arena);
    struct mica_json_writer writer;
    struct mica_buffer text;

    mica_buffer_init(&text, arena, kept->reply.len + QUESTION_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "jsonrpc", MICA_LITERAL("2.0"));
    if (id.len > 0) {
        mica_json_name(&writer, "id");
        mica_json_raw(&writer, id);
    }
    mica_json_raw(&writer, kept->reply);
    mica_json_close_object(&writer);
    return text.overflow ? none : mica_buffer_as_text(&text);
}

// SPDX-License-Identifier: Apache-2.0
//
// Answers as a person or a program writes them, into those of MCP. What a bare
// value means is said by the question, as the journal has it, and not by what is
// open now: the same body means the same when it comes again.
//
//     form      {"name":"Ada"}          {"action":"accept","content":{"name":"Ada"}}
//     form      {"action":"decline"}    as it is; so are "accept" and "cancel"
//     sampling  "a text"                a message of the assistant, of one text
//     roots     [{"uri":"file:///x"}]   {"roots":[…]}
#include "call/journal.h"
#include "call/turn.h"
#include "rest/request.h"

// A form with a field "action" of its own is answered in the long form.
static bool
is_long_form(const struct mica_json *answer)
{
    struct mica_text action = mica_json_get_text(answer, "action");

    if (!mica_text_is(action, "accept") && !mica_text_is(action, "decline") &&
        !mica_text_is(action, "cancel"))
        return false;
    for (size_t i = 0; i < answer->count; i++) {
        struct mica_text name = answer->members[i].name;
        if (!mica_text_is(name, "action") && !mica_text_is(name, "content") &&
            !mica_text_is(name, "_meta"))
            return false;
    }
    return true;
}

static void
write_form(const struct mica_json *answer, struct mica_json_writer *writer)
{
    if (answer->kind != MICA_JSON_OBJECT || is_long_form(answer)) {
        mica_json_raw(writer, answer->raw);
        return;
    }
    mica_json_open_object(writer);
    mica_json_field(writer, "action", MICA_LITERAL("accept"));
    mica_json_name(writer, "content");
    mica_json_raw(writer, answer->raw);
    mica_json_close_object(writer);
}

static void
write_sampled(const struct mica_json *answer, struct mica_json_writer *writer)
{
    if (answer->kind != MICA_JSON_STRING) {
        mica_json_raw(writer, answer->raw);
        return;
    }
    mica_json_open_object(writer);
    mica_sampling_write_answer(writer, answer->text, "unknown");
    mica_json_close_object(writer);
}

static void
write_roots(const struct mica_json *answer, struct mica_json_writer *writer)
{
    if (answer->kind != MICA_JSON_ARRAY) {
        mica_json_raw(writer, answer->raw);
        return;
    }
    mica_json_open_object(writer);
    mica_json_name(writer, "roots");
    mica_json_raw(writer, answer->raw);
    mica_json_close_object(writer);
}

// 0 when that was never asked.
static uint32_t
kind_of(const struct mica_journal *journal, struct mica_text key)
{
    for (uint32_t i = 0; i < journal->count; i++) {
        const struct mica_entry *entry = &journal->entries[i];
        if (entry->kind == MICA_ENTRY_ASK && mica_text_equal(entry->key, key))
            return entry->number;
    }
    return 0;
}

static void
write_answers(const struct mica_journal *journal, const struct mica_json *given,
              struct mica_json_writer *writer)
{
    mica_json_open_object(writer);
    for (size_t i = 0; i < given->count; i++) {
        const struct mica_json *answer = &given->members[i].value;
        mica_json_name_text(writer, given->members[i].name);
        switch (kind_of(journal, given->members[i].name)) {
        case MICA_ASK_FORM:
        case MICA_ASK_PAGE:
            write_form(answer, writer);
            break;
        case MICA_ASK_SAMPLING:
            write_sampled(answer, writer);
            break;
        case MICA_ASK_ROOTS:
            write_roots(answer, writer);
            break;
        default: // the reader of answers ignores it
            mica_json_raw(writer, answer->raw);
        }
    }
    mica_json_close_object(writer);
}

bool
mica_rest_answers(struct mica_message *message,
                  const struct mica_kept_call *kept,
                  const struct mica_json *given,
                  const struct mica_json **answers_out)
{
    struct mica_json *answers =
        mica_arena_zero(message->arena, 1, sizeof *answers);
    struct mica_json_limits limits = {.bytes =
                                          message->server->options.call_bytes};
    struct mica_json_writer writer;
    struct mica_journal journal;
    struct mica_buffer text;
    struct mica_error error;
    enum mica_status status;

    mica_buffer_init(&text, message->arena,
                     message->server->options.call_bytes);
    mica_journal_init(&journal, message->arena);
    status = mica_journal_read(&journal, message->arena, kept->journal, &error);
    if (status == MICA_OK) {
        mica_json_writer_init(&writer, &text);
        write_answers(&journal, given, &writer);
        status = MICA_E_LIMIT;
    }
    if (answers != NULL && !text.overflow && text.len > 0)
        status = mica_json_read(message->arena, mica_buffer_as_text(&text),
                                &limits, &error, answers);
    if (status != MICA_OK)
        mica_message_refuse(message, status,
                            "The answers need more memory than a call has, or "
                            "the call is damaged");
    *answers_out = answers;
    return status == MICA_OK;
}

// SPDX-License-Identifier: Apache-2.0
//
// Clients of surfaces other than MCP have no model. The server's model provider, if there
// is one, answers the sampling questions of a tool, within the turn that asks. The client
// gets the questions that the provider cannot answer.
#include "server/calls/resumable.h"

enum {
    WORDS_BYTES = 8 << 20 // of the words of one answer, escaped
};

static enum mica_status
write_words(struct mica_message *message, struct mica_text words,
            struct mica_error *error, struct mica_text *answer_out)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    mica_buffer_init(&text, message->arena, WORDS_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_sampling_write_answer(&writer, words, "command");
    mica_json_close_object(&writer);
    if (text.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the words need more memory than a call has");
    *answer_out = mica_buffer_as_text(&text);
    return MICA_OK;
}

static enum mica_status
answer_sampling(struct mica_message *message, const struct mica_asked *asked,
                struct mica_error *error)
{
    const struct mica_model_provider *model_provider =
        message->server->model_provider;
    struct mica_journal *journal = &message->execution.resumable->journal;
    struct mica_entry entry = {.kind = MICA_ENTRY_ANSWER,
                               .scope = journal->entries[asked->number].scope,
                               .number = asked->number};
    struct mica_text words;

    MICA_TRY(model_provider->generate(model_provider->data, asked->params,
                                      &message->execution.cancelled,
                                      message->arena, error, &words));
    MICA_TRY(write_words(message, words, error, &entry.data));
    return mica_journal_add(journal, &entry, error);
}

bool
mica_resumable_ask_provider(struct mica_message *message)
{
    struct mica_resumable *resumable = message->execution.resumable;
    struct mica_error error; // the provider has told the operator
    bool any = false;

    if (!message->context.uses_provider ||
        message->server->model_provider == NULL || !resumable->turn.suspended ||
        resumable->turn.detached)
        return false;
    for (const struct mica_asked *asked = resumable->turn.asked;
         asked != NULL && !resumable->provider_failed; asked = asked->next) {
        if (asked->kind != MICA_ASK_SAMPLING)
            continue;
        resumable->provider_failed =
            answer_sampling(message, asked, &error) != MICA_OK;
        any = any || !resumable->provider_failed;
    }
    return any;
}

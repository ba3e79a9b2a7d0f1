// SPDX-License-Identifier: Apache-2.0
//
// Who answers a question, and how the answer becomes what a client would send.
#include "cli/converse.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/sampling_command.h"
#include "serve/stop.h"

enum {
    ANSWER_BYTES = 4 << 20
};

// ---- Opening ---------------------------------------------------------------------

// A path as a URI of RFC 8089.
static void
write_uri(struct mica_buffer *uri, const char *path)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";

    mica_buffer_format(uri, "file://");
    for (; *path != '\0'; path++) {
        if (strchr(plain, *path) != NULL)
            mica_buffer_char(uri, *path);
        else
            mica_buffer_format(uri, "%%%02X", (unsigned char)*path);
    }
}

static enum mica_status
read_roots(struct mica_conversation *conversation, const char *const *paths,
           struct mica_error *error)
{
    struct mica_json_writer writer;
    struct mica_buffer json, uri;

    mica_buffer_init(&json, &conversation->cli->arena, ANSWER_BYTES);
    mica_json_writer_init(&writer, &json);
    mica_json_open_object(&writer);
    mica_json_name(&writer, "roots");
    mica_json_open_array(&writer);
    for (; *paths != NULL; paths++) {
        char path[PATH_MAX];
        if (realpath(*paths, path) == NULL)
            return mica_error_set(error, MICA_E_NOT_FOUND, "", "--root %s: %s",
                                  *paths, strerror(errno));
        mica_buffer_init(&uri, &conversation->cli->arena, ANSWER_BYTES);
        write_uri(&uri, path);
        mica_json_open_object(&writer);
        mica_json_field(&writer, "uri", mica_buffer_as_text(&uri));
        mica_json_close_object(&writer);
    }
    mica_json_close_array(&writer);
    mica_json_close_object(&writer);
    conversation->roots = mica_buffer_as_text(&json);
    return MICA_OK;
}

enum mica_status
mica_conversation_open(struct mica_cli *cli, const struct mica_options *options,
                       struct mica_error *error,
                       struct mica_conversation *conversation_out)
{
    const char *answers = mica_options_value(options, "answers");
    const char *const *roots = mica_options_all(options, &cli->arena, "root");

    *conversation_out = (struct mica_conversation){
        .cli = cli,
        .person = isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0,
        .sampling_command = mica_options_value(options, "sampler")};
    if (answers != NULL)
        MICA_TRY(mica_answers_open(conversation_out, answers, error));
    if (roots != NULL && *roots != NULL)
        MICA_TRY(read_roots(conversation_out, roots, error));
    return mica_stop_open(error, &conversation_out->stop);
}

void
mica_conversation_close(struct mica_conversation *conversation)
{
    (void)conversation;
    mica_stop_close();
}

static bool
has_answers(const struct mica_conversation *conversation)
{
    return conversation->answers.path != NULL;
}

enum mica_status
mica_conversation_end(struct mica_conversation *conversation,
                      struct mica_error *error)
{
    return has_answers(conversation) ? mica_answers_end(conversation, error)
                                     : MICA_OK;
}

unsigned
mica_conversation_client(const struct mica_conversation *conversation)
{
    unsigned client = 0;

    if (conversation->person || has_answers(conversation))
        client |= MICA_ELICITATION | MICA_ELICITATION_URL | MICA_SAMPLING;
    if (conversation->sampling_command != NULL)
        client |= MICA_SAMPLING;
    if (conversation->roots.len > 0 || has_answers(conversation))
        client |= MICA_ROOTS;
    return client;
}

// ---- Notices ----------------------------------------------------------------------

void
mica_conversation_notice(void *data, const struct mica_notice *notice)
{
    static const char *const names[MICA_LOG_LEVELS] = {
        "debug", "info",     "notice", "warning",
        "error", "critical", "alert",  "emergency"};
    const struct mica_conversation *conversation = data;
    char done[MICA_NUMBER_SIZE], total[MICA_NUMBER_SIZE];

    if (notice->kind == MICA_NOTICE_LOG) {
        mica_cli_note(conversation->cli, "%s: %.*s\n",
                      names[notice->level % MICA_LOG_LEVELS],
                      MICA_ARG(notice->message));
        return;
    }
    (void)mica_number_write(notice->progress, done);
    (void)mica_number_write(notice->total, total);
    mica_cli_note(conversation->cli, "%s%s%s  %.*s\n", done,
                  notice->total > 0 ? "/" : "", notice->total > 0 ? total : "",
                  MICA_ARG(notice->message));
}

// ---- Each question -------------------------------------------------------------------

// Only what a tool asks though it need not: what it needs was looked at before.
static enum mica_status
question_unanswered(const struct mica_asked *asked, struct mica_error *error)
{
    struct mica_text method = mica_ask_method(asked->kind);

    return mica_error_set(
        error, MICA_E_USAGE, "",
        "the tool asks \"%.*s\" (%.*s), and nothing here "
        "answers that%s",
        MICA_ARG(asked->key), MICA_ARG(method),
        asked->kind == MICA_ASK_ROOTS ? "; name folders with --root PATH" : "");
}

static bool
is_stopped(const void *data)
{
    (void)data;
    return mica_stop_count() > 0;
}

static void
conversation_sample(struct mica_conversation *conversation,
                    struct mica_text params, struct mica_answer *answer)
{
    const struct mica_sampling_command sampling_command = {
        .command = conversation->sampling_command,
        .stop = conversation->stop,
        .stopped = is_stopped};
    struct mica_error error;
    struct mica_text words;
    enum mica_status status = mica_sampling_command_run(
        &sampling_command, params, &conversation->cli->arena, &error, &words);

    if (status == MICA_OK)
        mica_answer_words(conversation, words, "command", answer);
    else if (status == MICA_E_CANCELLED)
        answer->status = status;
    else
        mica_answer_error(conversation, error.message, answer);
}

static enum mica_status
answer_one(struct mica_conversation *conversation,
           const struct mica_asked *asked, struct mica_error *error,
           struct mica_answer *answer)
{
    if (asked->kind == MICA_ASK_ROOTS && conversation->roots.len > 0) {
        answer->data = conversation->roots;
        return MICA_OK;
    }
    if (asked->kind == MICA_ASK_SAMPLING &&
        conversation->sampling_command != NULL) {
        conversation_sample(conversation, asked->params, answer);
        return MICA_OK;
    }
    if (has_answers(conversation))
        return mica_answers_take(conversation, asked, error, answer);
    if (!conversation->person || asked->kind == MICA_ASK_ROOTS)
        return question_unanswered(asked, error);
    mica_conversation_ask(conversation, asked, answer);
    return MICA_OK;
}

// A provider answers what is asked of a model, and may have answered a sampling.
static bool
is_for_provider(const struct mica_turn *turn, const struct mica_asked *asked)
{
    return asked->kind == MICA_ASK_MODEL ||
           turn->journal->entries[asked->number].answer != 0;
}

enum mica_status
mica_conversation_answer(struct mica_conversation *conversation,
                         struct mica_turn *turn, struct mica_error *error)
{
    for (const struct mica_asked *asked = turn->asked; asked != NULL;
         asked = asked->next) {
        struct mica_answer answer = {.status = MICA_OK};
        struct mica_entry entry = {
            .kind = MICA_ENTRY_ANSWER,
            .scope = turn->journal->entries[asked->number].scope,
            .number = asked->number};
        if (is_for_provider(turn, asked))
            continue;
        if (mica_stop_count() == 0)
            MICA_TRY(answer_one(conversation, asked, error, &answer));
        // A signal may have ended what was to answer, too.
        if (answer.status == MICA_E_CANCELLED || mica_stop_count() > 0) {
            turn->ending = MICA_E_CANCELLED;
            return MICA_OK;
        }
        entry.status = answer.status;
        entry.data = answer.data;
        MICA_TRY(mica_journal_add(turn->journal, &entry, error));
    }
    return MICA_OK;
}

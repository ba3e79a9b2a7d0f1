// SPDX-License-Identifier: Apache-2.0
//
// What a person at the terminal says to a question, and how any answer is written
// as what a client would send.
#include "cli/converse.h"

enum {
    ANSWER_BYTES = 4 << 20
};

// ---- Answers ---------------------------------------------------------------------

// Results are small objects; this ends each of them.
static void
answer_finish(struct mica_answer *answer, struct mica_json_writer *writer,
              const struct mica_buffer *text)
{
    mica_json_close_object(writer);
    answer->data = mica_buffer_as_text(text);
}

void
mica_answer_action(struct mica_conversation *conversation,
                   enum mica_heard heard, struct mica_text content,
                   struct mica_answer *answer)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    if (heard == MICA_HEARD_STOP) {
        answer->status = MICA_E_CANCELLED;
        return;
    }
    mica_buffer_init(&text, &conversation->cli->arena, ANSWER_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "action",
                    heard == MICA_HEARD_LINE      ? MICA_LITERAL("accept")
                    : heard == MICA_HEARD_DECLINE ? MICA_LITERAL("decline")
                                                  : MICA_LITERAL("cancel"));
    if (heard == MICA_HEARD_LINE && content.len > 0) {
        mica_json_name(&writer, "content");
        mica_json_raw(&writer, content);
    }
    answer_finish(answer, &writer, &text);
}

void
mica_answer_words(struct mica_conversation *conversation,
                  struct mica_text words, const char *model,
                  struct mica_answer *answer)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    mica_buffer_init(&text, &conversation->cli->arena, ANSWER_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_sampling_write_answer(&writer, words, model);
    answer_finish(answer, &writer, &text);
}

void
mica_answer_error(struct mica_conversation *conversation, const char *messagez,
                  struct mica_answer *answer)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    mica_buffer_init(&text, &conversation->cli->arena, ANSWER_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_name(&writer, "code");
    mica_json_integer(&writer, -1);
    mica_json_field(&writer, "message", mica_text(messagez));
    answer_finish(answer, &writer, &text);
    answer->status = MICA_E_CLIENT;
}

// ---- Asking ------------------------------------------------------------------------

static void
show_message(struct mica_conversation *conversation,
             const struct mica_json *params)
{
    struct mica_text message = mica_json_get_text(params, "message");

    bool color = conversation->cli->note_color;

    mica_cli_note(conversation->cli, "\n%s",
                  mica_style(color, MICA_STYLE_BOLD));
    mica_cli_tell_lines(message);
    mica_cli_note(conversation->cli,
                  "%s\n(/decline says no, /cancel closes it, Ctrl-C cancels "
                  "the call)\n",
                  mica_style(color, MICA_STYLE_PLAIN));
}

static void
ask_page(struct mica_conversation *conversation, const struct mica_json *params,
         struct mica_answer *answer)
{
    struct mica_text url = mica_json_get_text(params, "url");
    struct mica_text line = {NULL, 0}, none = {NULL, 0};
    enum mica_heard heard;

    mica_cli_note(conversation->cli, "  %.*s\n", MICA_ARG(url));
    heard = mica_conversation_listen(
        conversation, "  Open that page, then press Enter (or n): ", &line);
    if (heard == MICA_HEARD_LINE &&
        (mica_text_is(line, "n") || mica_text_is(line, "no")))
        heard = MICA_HEARD_DECLINE;
    mica_answer_action(conversation, heard, none, answer);
}

// What is said to a model may have lines.
static void
show_words(struct mica_conversation *conversation, struct mica_text role,
           struct mica_text text)
{
    mica_cli_note(conversation->cli, "  %.*s: ", MICA_ARG(role));
    mica_cli_tell_lines(text);
    mica_cli_note(conversation->cli, "\n");
}

static void
show_sampling_message(struct mica_conversation *conversation,
                      const struct mica_json *message)
{
    struct mica_text role = mica_json_get_text(message, "role");
    struct mica_text text =
        mica_json_get_text(mica_json_get(message, "content"), "text");

    show_words(conversation, role, text);
}

// Speaks for the model by hand: lines up to one with a single full stop.
static void
ask_words(struct mica_conversation *conversation,
          const struct mica_json *params, struct mica_answer *answer)
{
    const struct mica_json *messages = mica_json_get(params, "messages");
    struct mica_text system = mica_json_get_text(params, "systemPrompt");
    struct mica_text line = {NULL, 0};
    struct mica_buffer words;

    mica_cli_note(conversation->cli, "\nThe tool asks a model:\n");
    if (system.len > 0)
        show_words(conversation, MICA_LITERAL("system"), system);
    for (size_t i = 0; messages != NULL && i < messages->count; i++)
        show_sampling_message(conversation, &messages->items[i]);
    mica_cli_note(conversation->cli, "Its words, to a line with a single \".\" "
                                     "(/decline refuses):\n");
    mica_buffer_init(&words, &conversation->cli->arena, ANSWER_BYTES);
    for (;;) {
        enum mica_heard heard =
            mica_conversation_listen(conversation, "> ", &line);
        if (heard == MICA_HEARD_STOP)
            answer->status = MICA_E_CANCELLED;
        if (heard == MICA_HEARD_DECLINE ||
            (heard == MICA_HEARD_CANCEL && words.len == 0))
            mica_answer_error(conversation,
                              "the person refused to speak for a model",
                              answer);
        if (answer->status != MICA_OK)
            return;
        if (heard == MICA_HEARD_CANCEL || mica_text_is(line, "."))
            break;
        if (words.len > 0)
            mica_buffer_char(&words, '\n');
        mica_buffer_text(&words, line);
    }
    mica_answer_words(conversation, mica_buffer_as_text(&words), "person",
                      answer);
}

void
mica_conversation_ask(struct mica_conversation *conversation,
                      const struct mica_asked *asked,
                      struct mica_answer *answer)
{
    struct mica_text content = {NULL, 0};
    struct mica_json params;

    if (mica_json_read(&conversation->cli->arena, asked->params, NULL, NULL,
                       &params) != MICA_OK) {
        mica_answer_error(conversation, "a question that is no JSON", answer);
        return;
    }
    if (asked->kind == MICA_ASK_SAMPLING) {
        ask_words(conversation, &params, answer);
        return;
    }
    show_message(conversation, &params);
    if (asked->kind == MICA_ASK_PAGE)
        ask_page(conversation, &params, answer);
    else
        mica_answer_action(conversation,
                           mica_conversation_interview(conversation, asked->key,
                                                       &params, &content),
                           content, answer);
}

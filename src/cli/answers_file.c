// SPDX-License-Identifier: Apache-2.0
//
// Answers out of a file. They are meant: an ask that it does not
// answer, an answer that does not fit its ask and one that was not asked for are
// each ANSWERS_MISFIT, at a terminal, too.
#include "cli/converse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <mica/schema.h>

enum {
    FILE_BYTES = 8 << 20,
    TEXT_BYTES = 64 << 10, // of what is said about one answer
    SHOWN_BYTES = 120,     // of a value
    ASKED_BYTES = 80,      // of a question
    WANTED_BYTES = 180,    // of what it wants
    DISTANCE = 3           // of a name from the one that was meant
};

static const char misfit[] = "ANSWERS_MISFIT";

// ---- Opening -----------------------------------------------------------------------

static enum mica_status
read_file(struct mica_cli *cli, const char *path, struct mica_error *error,
          struct mica_text *text_out)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct mica_buffer text;
    ssize_t got = 1;

    if (file < 0)
        return mica_error_set(error, MICA_E_IO, "", "cannot read %s: %s", path,
                              strerror(errno));
    mica_buffer_init(&text, &cli->arena, FILE_BYTES);
    while (got > 0) {
        char *room = mica_buffer_reserve(&text, 64 << 10);
        got = room != NULL ? read(file, room, 64 << 10) : 0;
        if (got > 0)
            text.len += (size_t)got;
    }
    (void)close(file);
    *text_out = mica_buffer_as_text(&text);
    if (got == 0 && !text.overflow)
        return MICA_OK;
    return mica_error_set(error, MICA_E_IO, "",
                          "cannot read %s, or it is larger than %d bytes", path,
                          FILE_BYTES);
}

enum mica_status
mica_answers_open(struct mica_conversation *conversation, const char *path,
                  struct mica_error *error)
{
    struct mica_answers *answers = &conversation->answers;
    struct mica_text text;
    enum mica_status status;

    MICA_TRY(read_file(conversation->cli, path, error, &text));
    status = mica_json_read(&conversation->cli->arena, text, NULL, error,
                            &answers->json);
    if (status != MICA_OK) {
        mica_error_prefix(error, "%s", path);
        return status;
    }
    if (answers->json.kind != MICA_JSON_ARRAY &&
        answers->json.kind != MICA_JSON_OBJECT)
        return mica_error_set(
            error, MICA_E_USAGE, "",
            "%s is of type %s; it must be an array of answers, or an "
            "object of them by the keys of their questions",
            path, mica_json_kind_name(answers->json.kind));
    answers->path = path;
    answers->taken =
        mica_arena_zero(&conversation->cli->arena, answers->json.count + 1,
                        sizeof *answers->taken);
    return answers->taken != NULL
               ? MICA_OK
               : mica_error_set(error, MICA_E_LIMIT, "", "no memory");
}

// ---- What is said of a question ------------------------------------------------------

static void
add_cut(struct mica_buffer *out, struct mica_text text, size_t limit)
{
    struct mica_text shown = mica_utf8_cut(text, limit);

    mica_buffer_text(out, shown);
    if (shown.len < text.len)
        mica_buffer_text(out, MICA_LITERAL("…"));
}

static void
add_content(struct mica_buffer *out, const struct mica_json *schema)
{
    const struct mica_json *fields = mica_json_get(schema, "properties");

    for (size_t i = 0; fields != NULL && i < fields->count; i++) {
        const struct mica_json_member *field = &fields->members[i];
        mica_buffer_format(out, "%s\"%.*s\": ", i > 0 ? ", " : "",
                           MICA_ARG(field->name));
        mica_cli_add_type(out, &field->value);
        if (!mica_cli_is_required(schema, field->name))
            mica_buffer_text(out, MICA_LITERAL(" or nothing"));
    }
}

static void
add_wanted(struct mica_buffer *out, const struct mica_asked *asked,
           const struct mica_json *params)
{
    switch (asked->kind) {
    case MICA_ASK_FORM:
        mica_buffer_text(out, MICA_LITERAL("{\"action\": \"accept\", "
                                           "\"content\": {"));
        add_content(out, mica_json_get(params, "requestedSchema"));
        mica_buffer_text(out, MICA_LITERAL("}}"));
        break;
    case MICA_ASK_PAGE:
        mica_buffer_text(out, MICA_LITERAL("{\"action\": \"accept\"}"));
        break;
    case MICA_ASK_SAMPLING:
    case MICA_ASK_MODEL:
        mica_buffer_text(out, MICA_LITERAL("the words of a model, as a text"));
        break;
    case MICA_ASK_ROOTS:
        mica_buffer_text(out, MICA_LITERAL("{\"roots\": [{\"uri\": "
                                           "\"file:///…\"}]}"));
        break;
    }
}

// The tool asks "How is Ada?" (elicitation/create) and wants {…}
static void
add_question(struct mica_conversation *conversation,
             const struct mica_asked *asked, struct mica_buffer *out)
{
    struct mica_text method = mica_ask_method(asked->kind);
    struct mica_text message = {NULL, 0};
    struct mica_buffer wanted;
    struct mica_json params;

    mica_buffer_init(&wanted, &conversation->cli->arena, TEXT_BYTES);
    if (mica_json_read(&conversation->cli->arena, asked->params, NULL, NULL,
                       &params) == MICA_OK) {
        message = mica_json_get_text(&params, "message");
        add_wanted(&wanted, asked, &params);
    }
    if (out->len > 0 && out->ptr[out->len - 1] != '?')
        mica_buffer_char(out, '.');
    mica_buffer_text(out, MICA_LITERAL(" The tool asks "));
    if (message.len > 0) {
        mica_buffer_char(out, '"');
        add_cut(out, message, ASKED_BYTES);
        mica_buffer_text(out, MICA_LITERAL("\" "));
    }
    mica_buffer_format(out, "(%.*s) and wants ", MICA_ARG(method));
    add_cut(out, mica_buffer_as_text(&wanted), WANTED_BYTES);
}

// ---- An answer that is missing ---------------------------------------------------------

// The name of an answer that has not been taken, and is nearly the key.
static struct mica_text
find_typo(const struct mica_answers *answers, struct mica_text key)
{
    struct mica_text nearest = {NULL, 0};
    size_t best = DISTANCE + 1;

    for (size_t i = 0; i < answers->json.count; i++) {
        struct mica_text name = answers->json.members[i].name;
        size_t distance = mica_text_distance(name, key, DISTANCE);
        if (!answers->taken[i] && distance < best) {
            best = distance;
            nearest = name;
        }
    }
    return nearest;
}

static void
add_names(struct mica_buffer *out, const struct mica_answers *answers,
          bool left_alone)
{
    const char *between = "";

    for (size_t i = 0; i < answers->json.count; i++) {
        if (left_alone && answers->taken[i])
            continue;
        mica_buffer_format(out, "%s\"%.*s\"", between,
                           MICA_ARG(answers->json.members[i].name));
        between = ", ";
    }
}

static void
add_had(struct mica_buffer *out, const struct mica_answers *answers)
{
    size_t count = answers->json.count;

    if (count == 0) {
        mica_buffer_text(out, MICA_LITERAL("; the file is empty"));
    } else if (answers->json.kind == MICA_JSON_ARRAY) {
        mica_buffer_format(out, "; the file has %zu answer%s", count,
                           mica_cli_s(count));
    } else {
        mica_buffer_text(out, MICA_LITERAL("; the file has answers to "));
        add_names(out, answers, false);
    }
}

static enum mica_status
answer_missing(struct mica_conversation *conversation,
               const struct mica_asked *asked, struct mica_error *error)
{
    const struct mica_answers *answers = &conversation->answers;
    struct mica_text typo = {NULL, 0};
    struct mica_buffer message;

    mica_buffer_init(&message, &conversation->cli->arena, TEXT_BYTES);
    mica_buffer_format(&message, "%s has no answer to \"%.*s\"", answers->path,
                       MICA_ARG(asked->key));
    if (answers->json.kind == MICA_JSON_OBJECT)
        typo = find_typo(answers, asked->key);
    if (typo.len > 0)
        mica_buffer_format(&message, "; did you mean \"%.*s\" by \"%.*s\"?",
                           MICA_ARG(asked->key), MICA_ARG(typo));
    add_question(conversation, asked, &message);
    add_had(&message, answers);
    return mica_cli_fail(error, misfit, "", "%.*s", MICA_ARG(message));
}

// ---- An answer that does not fit -------------------------------------------------------

// A field that the form does not have is a typo, too, though a tool overlooks it.
static enum mica_status
check_names(const struct mica_json *schema, const struct mica_json *content,
            struct mica_error *why)
{
    const struct mica_json *fields = mica_json_get(schema, "properties");

    for (size_t i = 0; i < content->count; i++) {
        struct mica_text name = content->members[i].name, nearest = {NULL, 0};
        size_t best = DISTANCE + 1;
        for (size_t k = 0; fields != NULL && k < fields->count; k++) {
            struct mica_text field = fields->members[k].name;
            size_t distance = mica_text_distance(field, name, DISTANCE);
            if (distance < best) {
                best = distance;
                nearest = field;
            }
        }
        if (mica_text_equal(name, nearest))
            continue;
        (void)mica_error_set(why, MICA_E_UNKNOWN, "",
                             nearest.len > 0
                                 ? "the form has no \"%.*s\"; did you mean "
                                   "\"%.*s\"?"
                                 : "the form has no \"%.*s\"%.*s",
                             MICA_ARG(name), MICA_ARG(nearest));
        (void)snprintf(why->path, sizeof why->path, "/content/%.*s",
                       (int)name.len, name.ptr);
        return MICA_E_UNKNOWN;
    }
    return MICA_OK;
}

static enum mica_status
check_content(struct mica_conversation *conversation,
              const struct mica_asked *asked, const struct mica_json *given,
              struct mica_error *why)
{
    static const struct mica_json nothing = {.kind = MICA_JSON_OBJECT};
    static const struct mica_schema_options options = {.assert_formats = true};
    struct mica_arena *arena = &conversation->cli->arena;
    const struct mica_json *content = mica_json_get(given, "content");
    const struct mica_json *wanted;
    struct mica_schema_report report;
    struct mica_schema *schema;
    struct mica_json params;
    enum mica_status status;

    if (content == NULL)
        content = &nothing;
    if (content->kind != MICA_JSON_OBJECT)
        return mica_error_set(why, MICA_E_TYPE, "/content",
                              "\"content\" is of type %s, not an object",
                              mica_json_kind_name(content->kind));
    MICA_TRY(mica_json_read(arena, asked->params, NULL, why, &params));
    wanted = mica_json_get(&params, "requestedSchema");
    if (wanted == NULL)
        return MICA_OK;
    MICA_TRY(check_names(wanted, content, why));
    MICA_TRY(mica_schema_compile(arena, wanted->raw, &options, why, &schema));
    status = mica_schema_validate(schema, content, NULL, arena, &report);
    if (status == MICA_OK || report.count == 0)
        return status;
    (void)mica_error_set(why, status, "", "%.*s",
                         MICA_ARG(report.errors[0].message));
    (void)snprintf(why->path, sizeof why->path, "/content%.*s",
                   (int)report.errors[0].value_path.len,
                   report.errors[0].value_path.ptr);
    return status;
}

static enum mica_status
check_person(struct mica_conversation *conversation,
             const struct mica_asked *asked, const struct mica_json *given,
             struct mica_error *why)
{
    struct mica_text action = mica_json_get_text(given, "action");

    if (mica_json_get(given, "action") == NULL)
        return mica_error_set(why, MICA_E_REQUIRED, "",
                              "it has no \"action\", which is \"accept\", "
                              "\"decline\" or \"cancel\"");
    if (mica_text_is(action, "decline") || mica_text_is(action, "cancel"))
        return MICA_OK;
    if (!mica_text_is(action, "accept"))
        return mica_error_set(why, MICA_E_CHOICE, "/action",
                              "\"action\" is \"%.*s\", and not \"accept\", "
                              "\"decline\" or \"cancel\"",
                              MICA_ARG(action));
    return asked->kind == MICA_ASK_FORM
               ? check_content(conversation, asked, given, why)
               : MICA_OK;
}

// Of an object, where the tool itself looks closer.
static enum mica_status
check_member(const struct mica_json *given, const char *namez,
             struct mica_error *why)
{
    if (mica_json_get(given, namez) != NULL)
        return MICA_OK;
    return mica_error_set(why, MICA_E_REQUIRED, "", "it has no \"%s\"", namez);
}

static enum mica_status
answer_check(struct mica_conversation *conversation,
             const struct mica_asked *asked, const struct mica_json *given,
             struct mica_error *why)
{
    if (given->kind == MICA_JSON_STRING && asked->kind == MICA_ASK_SAMPLING)
        return MICA_OK;
    if (given->kind != MICA_JSON_OBJECT)
        return mica_error_set(why, MICA_E_TYPE, "", "it is of type %s",
                              mica_json_kind_name(given->kind));
    switch (asked->kind) {
    case MICA_ASK_SAMPLING:
        return check_member(given, "content", why);
    case MICA_ASK_ROOTS:
        return check_member(given, "roots", why);
    case MICA_ASK_MODEL:
        return check_member(given, "text", why);
    case MICA_ASK_FORM:
    case MICA_ASK_PAGE:
        break;
    }
    return check_person(conversation, asked, given, why);
}

// "/mood/content/happy": where in the file.
static const char *
find_place(struct mica_conversation *conversation, size_t index,
           const char *below)
{
    const struct mica_json *json = &conversation->answers.json;
    struct mica_buffer place;

    mica_buffer_init(&place, &conversation->cli->arena, TEXT_BYTES);
    if (json->kind == MICA_JSON_ARRAY)
        mica_buffer_format(&place, "/%zu%s%c", index, below, '\0');
    else
        mica_buffer_format(&place, "/%.*s%s%c",
                           MICA_ARG(json->members[index].name), below, '\0');
    return place.overflow ? "" : place.ptr;
}

static enum mica_status
answer_wrong(struct mica_conversation *conversation,
             const struct mica_asked *asked, const struct mica_json *given,
             size_t index, const struct mica_error *why,
             struct mica_error *error)
{
    struct mica_buffer message;

    mica_buffer_init(&message, &conversation->cli->arena, TEXT_BYTES);
    mica_buffer_format(&message, "the answer to \"%.*s\" does not fit: ",
                       MICA_ARG(asked->key));
    add_cut(&message, mica_text(why->message), WANTED_BYTES);
    add_question(conversation, asked, &message);
    mica_buffer_format(&message, "; %s has ", conversation->answers.path);
    add_cut(&message, given->raw, SHOWN_BYTES);
    return mica_cli_fail(error, misfit,
                         find_place(conversation, index, why->path), "%.*s",
                         MICA_ARG(message));
}

// ---- Taking ----------------------------------------------------------------------------

// Where the answer is: that of the key, or the next one; json.count for none.
static size_t
answer_find(const struct mica_answers *answers, struct mica_text key)
{
    size_t i = 0;

    for (; i < answers->json.count; i++) {
        if (answers->json.kind == MICA_JSON_ARRAY
                ? !answers->taken[i]
                : mica_text_equal(answers->json.members[i].name, key))
            break;
    }
    return i;
}

enum mica_status
mica_answers_take(struct mica_conversation *conversation,
                  const struct mica_asked *asked, struct mica_error *error,
                  struct mica_answer *answer)
{
    struct mica_answers *answers = &conversation->answers;
    size_t index = answer_find(answers, asked->key);
    const struct mica_json *given;
    struct mica_error why;

    if (index == answers->json.count)
        return answer_missing(conversation, asked, error);
    answers->taken[index] = true;
    given = answers->json.kind == MICA_JSON_ARRAY
                ? &answers->json.items[index]
                : &answers->json.members[index].value;
    if (answer_check(conversation, asked, given, &why) != MICA_OK)
        return answer_wrong(conversation, asked, given, index, &why, error);
    if (given->kind == MICA_JSON_STRING)
        mica_answer_words(conversation, given->text, "file", answer);
    else
        answer->data = given->raw;
    return MICA_OK;
}

enum mica_status
mica_answers_end(struct mica_conversation *conversation,
                 struct mica_error *error)
{
    const struct mica_answers *answers = &conversation->answers;
    size_t count = answers->json.count, taken = 0, first = count;
    struct mica_buffer message;

    for (size_t i = count; i > 0; i--) {
        taken += answers->taken[i - 1];
        if (!answers->taken[i - 1])
            first = i - 1;
    }
    if (first == count)
        return MICA_OK;
    mica_buffer_init(&message, &conversation->cli->arena, TEXT_BYTES);
    mica_buffer_format(&message,
                       "%s has %zu answer%s, and the tool asked for %zu",
                       answers->path, count, mica_cli_s(count), taken);
    if (answers->json.kind == MICA_JSON_OBJECT) {
        mica_buffer_text(&message, MICA_LITERAL("; it did not ask for "));
        add_names(&message, answers, true);
    }
    return mica_cli_fail(error, misfit, find_place(conversation, first, ""),
                         "%.*s", MICA_ARG(message));
}

// SPDX-License-Identifier: Apache-2.0
//
// A form in a terminal: its fields one after the other, with what they mean, how they are
// written, what there is to choose from and what an empty line stands for. What does not
// fit is asked for again at once. A form that its tool asks again, for a fault that only the
// tool sees, begins with what was filled in.
#include <string.h>

#include <mica/schema.h>

#include "cli/converse.h"

enum {
    CONTENT_BYTES = 1 << 20,
    SCRATCH_BYTES = 16 << 20
};

struct field {
    struct mica_conversation *conversation;
    struct mica_text name;
    const struct mica_json *schema;           // of the field
    const struct mica_json *choices, *titles; // arrays, or NULL
    bool required, list;
    struct mica_text type;
    const struct mica_json *before; // what was filled in the last time, or NULL
};

// How a text of a format is written, and which letters of that stand for digits.
static const struct {
    const char *format, *shown, *digits;
} shapes[] = {{"date", "YYYY-MM-DD", "YMD"},
              {"date-time", "YYYY-MM-DDThh:mm:ssZ", "YMDhms"},
              {"time", "hh:mm:ssZ", "hms"},
              {"email", "name@example.org", NULL},
              {"uri", "https://example.org/page", NULL},
              {"uuid", "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", NULL}};

// NULL: a text without a format that is known here.
static const char *
field_shape(const struct field *field)
{
    struct mica_text format = mica_json_get_text(field->schema, "format");

    for (size_t i = 0; i < MICA_COUNT(shapes); i++)
        if (mica_text_is(format, shapes[i].format))
            return shapes[i].shown;
    return NULL;
}

// Is the text written so already, and wrong for another reason, as 2027-02-30 is?
static bool
has_shape(const char *shape, struct mica_text text)
{
    const char *digits = NULL;

    for (size_t i = 0; shape != NULL && i < MICA_COUNT(shapes); i++)
        if (shape == shapes[i].shown)
            digits = shapes[i].digits;
    if (digits == NULL || strlen(shape) != text.len)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        bool digit = text.ptr[i] >= '0' && text.ptr[i] <= '9';
        if (strchr(digits, shape[i]) != NULL ? !digit : shape[i] != text.ptr[i])
            return false;
    }
    return true;
}

// ---- Choices ---------------------------------------------------------------------

static const struct mica_json *
first_of(const struct mica_json *schema, const char *const *names)
{
    for (; *names != NULL; names++) {
        const struct mica_json *found = mica_json_get(schema, *names);
        if (found != NULL && found->kind == MICA_JSON_ARRAY)
            return found;
    }
    return NULL;
}

static void
find_choices(struct field *field)
{
    static const char *const names[] = {"enum", "oneOf", "anyOf", NULL};
    const struct mica_json *schema =
        field->list ? mica_json_get(field->schema, "items") : field->schema;

    field->choices = first_of(schema, names);
    field->titles = mica_json_get(schema, "enumNames");
}

static size_t
choice_count(const struct field *field)
{
    return field->choices != NULL ? field->choices->count : 0;
}

static struct mica_text
choice_value(const struct field *field, size_t i)
{
    const struct mica_json *choice = &field->choices->items[i];

    return choice->kind == MICA_JSON_STRING
               ? choice->text
               : mica_json_get_text(choice, "const");
}

static struct mica_text
choice_title(const struct field *field, size_t i)
{
    const struct mica_json *choice = &field->choices->items[i];
    struct mica_text title = mica_json_get_text(choice, "title");

    if (field->titles != NULL && i < field->titles->count)
        title = field->titles->items[i].text;
    return title.len > 0 ? title : choice_value(field, i);
}

// By its number, value or title; false: no choice has that.
static bool
find_choice(const struct field *field, struct mica_text word, size_t *index)
{
    int64_t number;

    for (size_t i = 0; i < choice_count(field); i++) {
        if (mica_text_equal(word, choice_value(field, i)) ||
            mica_text_equal(word, choice_title(field, i))) {
            *index = i;
            return true;
        }
    }
    if (!mica_integer_read(word, &number) || number < 1 ||
        (uint64_t)number > choice_count(field))
        return false;
    *index = (size_t)number - 1;
    return true;
}

// ---- A line as a value -------------------------------------------------------------

static struct mica_text
text_trim(struct mica_text text)
{
    size_t from = 0, to = text.len;

    while (from < to && (text.ptr[from] == ' ' || text.ptr[from] == '\t'))
        from++;
    while (to > from && (text.ptr[to - 1] == ' ' || text.ptr[to - 1] == '\t'))
        to--;
    return mica_text_slice(text, from, to);
}

static bool
is_among(struct mica_text word, const char *const *names)
{
    while (*names != NULL && !mica_text_is(word, *names))
        names++;
    return *names != NULL;
}

static bool
write_one(const struct field *field, struct mica_text word,
          struct mica_json_writer *writer)
{
    size_t index;

    if (field->choices == NULL) {
        mica_json_string(writer, word);
        return true;
    }
    if (!find_choice(field, word, &index))
        return false;
    mica_json_string(writer, choice_value(field, index));
    return true;
}

// Items with commas between them.
static bool
write_list(const struct field *field, struct mica_text line,
           struct mica_json_writer *writer)
{
    bool fits = true;

    mica_json_open_array(writer);
    while (line.len > 0) {
        size_t end = 0;
        while (end < line.len && line.ptr[end] != ',')
            end++;
        fits = write_one(field, text_trim(mica_text_slice(line, 0, end)),
                         writer) &&
               fits;
        line = mica_text_slice(line, end + 1, line.len);
    }
    mica_json_close_array(writer);
    return fits;
}

// False: the line can be no value of that kind.
static bool
write_value(const struct field *field, struct mica_text line,
            struct mica_json_writer *writer)
{
    static const char *const yes[] = {"y", "yes", "true", "Y", "Yes", NULL};
    static const char *const no[] = {"n", "no", "false", "N", "No", NULL};
    double number;

    if (field->list)
        return write_list(field, line, writer);
    if (mica_text_is(field->type, "boolean")) {
        bool agrees = is_among(line, yes);
        mica_json_boolean(writer, agrees);
        return agrees || is_among(line, no);
    }
    if (mica_text_is(field->type, "number") ||
        mica_text_is(field->type, "integer")) {
        if (!mica_number_read(line, &number))
            return false;
        mica_json_raw(writer, line);
        return true;
    }
    return write_one(field, line, writer);
}

// ---- Is it one that the form takes? ------------------------------------------------

static bool
fits_schema(const struct field *field, struct mica_text value)
{
    static const struct mica_schema_options strictly = {.assert_formats = true};
    struct mica_cli *cli = field->conversation->cli;
    const char *shape = field_shape(field);
    struct mica_schema_report report;
    struct mica_schema *schema;
    struct mica_arena arena;
    struct mica_json json;
    bool fits = true;

    mica_arena_init(&arena, SCRATCH_BYTES);
    if (mica_schema_compile(&arena, field->schema->raw, &strictly, NULL,
                            &schema) == MICA_OK &&
        mica_json_read(&arena, value, NULL, NULL, &json) == MICA_OK &&
        mica_schema_validate(schema, &json, NULL, &arena, &report) != MICA_OK) {
        fits = false;
        if (json.kind == MICA_JSON_STRING && has_shape(shape, json.text))
            shape = NULL;
        if (report.count > 0)
            mica_cli_note(cli, "  %.*s%s%s\n",
                          MICA_ARG(report.errors[0].message),
                          shape != NULL ? "; write it as " : "",
                          shape != NULL ? shape : "");
    }
    mica_arena_fini(&arena);
    return fits;
}

static const char *
field_expected(const struct field *field)
{
    if (field->choices != NULL)
        return field->list ? "numbers of the choices, with commas between"
                           : "the number of a choice";
    if (mica_text_is(field->type, "boolean"))
        return "y or n";
    return "a number";
}

// Reads the line as a value into *value_out; false, and why is said, when it is
// none.
static bool
take_line(const struct field *field, struct mica_text line,
          struct mica_text *value_out)
{
    struct mica_cli *cli = field->conversation->cli;
    struct mica_json_writer writer;
    struct mica_buffer value;

    mica_buffer_init(&value, &cli->arena, CONTENT_BYTES);
    mica_json_writer_init(&writer, &value);
    if (!write_value(field, text_trim(line), &writer)) {
        mica_cli_note(cli, "  \"%.*s\" is not %s\n", MICA_ARG(line),
                      field_expected(field));
        return false;
    }
    *value_out = mica_buffer_as_text(&value);
    return fits_schema(field, *value_out);
}

// ---- Asking ------------------------------------------------------------------------

static struct mica_text
field_label(const struct field *field)
{
    struct mica_text title = mica_json_get_text(field->schema, "title");

    return title.len > 0 ? title : field->name;
}

static void
field_show(const struct field *field)
{
    struct mica_cli *cli = field->conversation->cli;
    struct mica_text description =
        mica_json_get_text(field->schema, "description");

    mica_cli_note(cli, "\n  %.*s", MICA_ARG(field_label(field)));
    if (description.len > 0)
        mica_cli_note(cli, ": %.*s", MICA_ARG(description));
    mica_cli_note(cli, "\n");
    for (size_t i = 0; i < choice_count(field); i++)
        mica_cli_note(cli, "    %2zu  %.*s\n", i + 1,
                      MICA_ARG(choice_title(field, i)));
}

static const char *
make_prompt(const struct field *field, const struct mica_json *fallback)
{
    struct mica_buffer prompt;
    const char *shape = field_shape(field);

    if (mica_text_is(field->type, "boolean"))
        shape = "y/n";
    mica_buffer_init(&prompt, &field->conversation->cli->arena, CONTENT_BYTES);
    mica_buffer_format(&prompt, "  %.*s", MICA_ARG(field_label(field)));
    if (shape != NULL)
        mica_buffer_format(&prompt, " (%s)", shape);
    if (fallback != NULL && fallback->kind == MICA_JSON_STRING)
        mica_buffer_format(&prompt, " [%.*s]", MICA_ARG(fallback->text));
    else if (fallback != NULL)
        mica_buffer_format(&prompt, " [%.*s]", MICA_ARG(fallback->raw));
    else if (!field->required)
        mica_buffer_format(&prompt, " [nothing]");
    mica_buffer_format(&prompt, ": %c", '\0');
    return prompt.overflow ? "  : " : prompt.ptr;
}

// One field into the content.
static enum mica_heard
ask_field(const struct field *field, struct mica_json_writer *content)
{
    const struct mica_json *fallback =
        field->before != NULL ? field->before
                              : mica_json_get(field->schema, "default");
    const char *prompt = make_prompt(field, fallback);
    struct mica_text line, value;
    enum mica_heard heard;

    field_show(field);
    for (;;) {
        heard = mica_conversation_listen(field->conversation, prompt, &line);
        if (heard != MICA_HEARD_LINE)
            return heard;
        if (line.len == 0 && fallback == NULL && !field->required)
            return heard;
        if (line.len == 0 && fallback != NULL) {
            value = fallback->raw;
            break;
        }
        if (line.len == 0 && !field->list)
            mica_cli_note(field->conversation->cli, "  this one is needed\n");
        else if (take_line(field, line, &value))
            break;
    }
    mica_json_name_text(content, field->name);
    mica_json_raw(content, value);
    return heard;
}

// "day" of "day#2": a key that comes again has a number.
static struct mica_text
key_proper(struct mica_text key)
{
    const char *mark = key.len > 0 ? memchr(key.ptr, '#', key.len) : NULL;

    return mark != NULL ? mica_text_slice(key, 0, (size_t)(mark - key.ptr))
                        : key;
}

// What was filled in the last time, if this form is asked again; NULL otherwise.
static const struct mica_json *
filled_before(struct mica_conversation *conversation, struct mica_text key,
              const struct mica_json *schema)
{
    struct mica_arena *arena = &conversation->cli->arena;
    struct mica_json *filled = mica_arena_zero(arena, 1, sizeof *filled);

    if (schema == NULL || filled == NULL ||
        !mica_text_equal(key_proper(key), conversation->key) ||
        !mica_text_equal(schema->raw, conversation->form) ||
        mica_json_read(arena, conversation->filled, NULL, NULL, filled) !=
            MICA_OK)
        return NULL;
    mica_cli_note(conversation->cli,
                  "(Enter keeps what you gave the last time.)\n");
    return filled;
}

enum mica_heard
mica_conversation_interview(struct mica_conversation *conversation,
                            struct mica_text key,
                            const struct mica_json *params,
                            struct mica_text *content_out)
{
    const struct mica_json *schema = mica_json_get(params, "requestedSchema");
    const struct mica_json *fields = mica_json_get(schema, "properties");
    const struct mica_json *before = filled_before(conversation, key, schema);
    struct mica_json_writer writer;
    struct mica_buffer content;

    mica_buffer_init(&content, &conversation->cli->arena, CONTENT_BYTES);
    mica_json_writer_init(&writer, &content);
    mica_json_open_object(&writer);
    for (size_t i = 0; fields != NULL && i < fields->count; i++) {
        const struct mica_json_member *member = &fields->members[i];
        struct field field = {
            .conversation = conversation,
            .name = member->name,
            .schema = &member->value,
            .required = mica_cli_is_required(schema, member->name),
            .type = mica_json_get_text(&member->value, "type")};
        enum mica_heard heard;
        for (size_t j = 0; before != NULL && j < before->count; j++)
            if (mica_text_equal(before->members[j].name, member->name))
                field.before = &before->members[j].value;
        field.list = mica_text_is(field.type, "array");
        find_choices(&field);
        heard = ask_field(&field, &writer);
        if (heard != MICA_HEARD_LINE)
            return heard;
    }
    mica_json_close_object(&writer);
    *content_out = mica_buffer_as_text(&content);
    if (content.overflow)
        return MICA_HEARD_CANCEL;
    conversation->key =
        mica_arena_text(&conversation->cli->arena, key_proper(key));
    if (schema != NULL)
        conversation->form =
            mica_arena_text(&conversation->cli->arena, schema->raw);
    conversation->filled = *content_out;
    return MICA_HEARD_LINE;
}

// SPDX-License-Identifier: Apache-2.0
//
// Words of a command line are pairs with a "=" between name and value. A value that
// begins with "@" is read from a file before the pairs are typed.
#include "cli/arguments.h"

#include <string.h>

#include "rest/pairs.h"
#include "json/pointer.h"

enum {
    PATH_BYTES = 4096,
    NAME_SHOWN = 160,
    FEW = 16 // pairs of which room is made at first
};

struct reader {
    struct mica_arena *arena;
    const struct mica_json *schema;
    const struct mica_argument_files *files;
    struct mica_error *error;
    bool stdin_read;
    struct mica_pair *pairs;
    size_t count, room;
};

// What a field takes from a file.
enum takes {
    TAKES_TEXT, // every byte
    TAKES_LIST, // an item from each line
    TAKES_VALUE // what is between blanks
};

// ---- Schemas -------------------------------------------------------------------

static bool
has_type(const struct mica_json *schema, const char *namez)
{
    const struct mica_json *type = mica_json_get(schema, "type");
    const struct mica_json *any_of = mica_json_get(schema, "anyOf");

    if (type == NULL && any_of != NULL && any_of->kind == MICA_JSON_ARRAY &&
        any_of->count > 0)
        return has_type(&any_of->items[0], namez); // the other is null
    if (type == NULL)
        return false;
    if (type->kind == MICA_JSON_STRING)
        return mica_text_is(type->text, namez);
    for (size_t i = 0; type->kind == MICA_JSON_ARRAY && i < type->count; i++)
        if (mica_text_is(type->items[i].text, namez))
            return true;
    return false;
}

static const struct mica_json *
field_named(const struct mica_json *schema, struct mica_text name)
{
    const struct mica_json *properties = mica_json_get(schema, "properties");

    for (size_t i = 0; properties != NULL && i < properties->count; i++)
        if (mica_text_equal(properties->members[i].name, name))
            return &properties->members[i].value;
    return NULL;
}

// The field of "price.amount"; NULL: mica_pairs_read knows it, or refuses it.
static const struct mica_json *
find_field(const struct mica_json *schema, struct mica_text key)
{
    const struct mica_json *field = field_named(schema, key);

    for (size_t i = 0; i < key.len && field == NULL; i++) {
        if (key.ptr[i] != '.')
            continue;
        const struct mica_json *inside =
            field_named(schema, mica_text_slice(key, 0, i));
        if (inside != NULL)
            field = find_field(inside, mica_text_slice(key, i + 1, key.len));
    }
    return field;
}

static enum takes
field_takes(const struct mica_json *schema, struct mica_text key)
{
    const struct mica_json *field = find_field(schema, key);

    if (has_type(field, "array"))
        return TAKES_LIST;
    return has_type(field, "string") && mica_json_get(field, "enum") == NULL &&
                   mica_json_get(field, "oneOf") == NULL
               ? TAKES_TEXT
               : TAKES_VALUE;
}

// ---- Files ---------------------------------------------------------------------

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static struct mica_text
text_trim(struct mica_text text)
{
    while (text.len > 0 && is_blank(text.ptr[text.len - 1]))
        text.len--;
    while (text.len > 0 && is_blank(text.ptr[0]))
        text = mica_text_slice(text, 1, text.len);
    return text;
}

// Names the key in a failure of reading, and how to write a text that begins so.
static enum mica_status
file_failure(struct reader *reader, struct mica_text key, const char *namez)
{
    const struct mica_error why = *reader->error;
    char room[PATH_BYTES];
    struct mica_buffer path = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    mica_json_pointer_add_cut(&path, key, NAME_SHOWN);
    mica_buffer_char(&path, '\0');
    return mica_error_set(
        reader->error, why.status, path.overflow ? "" : room,
        "\"@%s\" takes the text of a file: %s. To pass a text that begins with "
        "@, write two: %.*s=@@%s",
        namez, why.message, MICA_ARG(key), namez);
}

static enum mica_status
read_file(struct reader *reader, const char *namez, struct mica_text *text_out)
{
    size_t valid;

    if (strcmp(namez, "-") == 0 && reader->stdin_read)
        return mica_error_set(reader->error, MICA_E_USAGE, "",
                              "stdin can be read once, and another field takes "
                              "it");
    reader->stdin_read = reader->stdin_read || strcmp(namez, "-") == 0;
    MICA_TRY(reader->files->read(reader->files->data, namez, reader->error,
                                 text_out));
    valid = mica_utf8_valid(*text_out);
    if (valid == text_out->len)
        return MICA_OK;
    return mica_error_set(reader->error, MICA_E_FORMAT, "",
                          "%s is not UTF-8: the byte %zu does not belong there",
                          strcmp(namez, "-") == 0 ? "stdin" : namez, valid + 1);
}

// ---- Pairs ---------------------------------------------------------------------

static enum mica_status
add_pair(struct reader *reader, struct mica_text name, struct mica_text value)
{
    if (reader->count == reader->room) {
        size_t room = reader->room > 0 ? 2 * reader->room : FEW;
        struct mica_pair *more =
            mica_arena_zero(reader->arena, room, sizeof *more);
        if (more == NULL)
            return mica_error_set(reader->error, MICA_E_LIMIT, "", "no memory");
        if (reader->count > 0)
            memcpy(more, reader->pairs, reader->count * sizeof *more);
        reader->pairs = more;
        reader->room = room;
    }
    reader->pairs[reader->count++] =
        (struct mica_pair){.name = name, .value = value};
    return MICA_OK;
}

// An item from each line that is not blank; JSON, and what has one line, as it would
// be typed.
static enum mica_status
add_list(struct reader *reader, struct mica_text name, struct mica_text text)
{
    text = text_trim(text);
    if (text.len == 0 || text.ptr[0] == '[')
        return add_pair(reader, name, text);
    while (text.len > 0) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t len = end != NULL ? (size_t)(end - text.ptr) : text.len;
        struct mica_text line = text_trim(mica_text_slice(text, 0, len));
        if (line.len > 0)
            MICA_TRY(add_pair(reader, name, line));
        text = mica_text_slice(text, len + 1, text.len);
    }
    return MICA_OK;
}

static enum mica_status
add_from_file(struct reader *reader, struct mica_text name, const char *namez)
{
    struct mica_text text;

    if (read_file(reader, namez, &text) != MICA_OK)
        return file_failure(reader, name, namez);
    switch (field_takes(reader->schema, name)) {
    case TAKES_LIST:
        return add_list(reader, name, text);
    case TAKES_VALUE:
        return add_pair(reader, name, text_trim(text));
    case TAKES_TEXT:
        break;
    }
    return add_pair(reader, name, text);
}

static enum mica_status
add_word(struct reader *reader, const char *word)
{
    const char *equals = strchr(word, '=');
    struct mica_text name;

    if (equals == NULL || equals == word)
        return mica_error_set(
            reader->error, MICA_E_USAGE, "",
            "\"%s\" is no argument: write key=value, key=@FILE for the text of "
            "a file, or give all of it as --json '{…}'",
            word);
    name = (struct mica_text){word, (size_t)(equals - word)};
    if (equals[1] != '@')
        return add_pair(reader, name, mica_text(equals + 1));
    if (equals[2] == '@')
        return add_pair(reader, name, mica_text(equals + 2));
    return add_from_file(reader, name, equals + 2);
}

enum mica_status
mica_arguments_read(struct mica_arena *arena, const struct mica_json *schema,
                    const char *const *words, size_t count,
                    const struct mica_argument_files *files,
                    struct mica_error *error, struct mica_text *json_out)
{
    struct reader reader = {
        .arena = arena, .schema = schema, .files = files, .error = error};

    for (size_t i = 0; i < count; i++)
        MICA_TRY(add_word(&reader, words[i]));
    return mica_pairs_read(arena, schema, reader.pairs, reader.count,
                           "\"mica describe\"", error, json_out);
}

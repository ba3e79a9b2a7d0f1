// SPDX-License-Identifier: Apache-2.0
//
// The pairs become a tree of keys first, since a list may be given one item at a
// time and an object one member at a time; then the tree is written as JSON.
// Whether values are in range is the tool's to say.
#include "rest/pairs.h"

#include "json/pointer.h"

enum {
    DEPTH = 32,
    NAME_SHOWN = 160,      // of a name, in the place of an error
    PATH_BYTES = 16 << 10, // DEPTH names, each byte escaped
    SHOWN_BYTES = 80,      // of a value that is wrong
    NEAR = 16,             // letters in which another name may differ
    JSON_BYTES = 64 << 20
};

// A key and what was given for it: values, or members.
struct node {
    struct node *next;
    struct mica_text name;
    const struct mica_json *schema; // NULL: anything
    struct mica_text *values;
    size_t value_count;
    struct node *members;
};

struct reader {
    struct mica_arena *arena;
    struct mica_error *error;
    size_t pair_count;
    const char *help;        // where the names of all arguments are
    struct mica_buffer path; // of the key that is looked at
};

// ---- Schemas -------------------------------------------------------------------

static bool
has_type(const struct mica_json *schema, const char *typez)
{
    const struct mica_json *type = mica_json_get(schema, "type");

    if (type == NULL)
        return false;
    if (type->kind == MICA_JSON_STRING)
        return mica_text_is(type->text, typez);
    for (size_t i = 0; type->kind == MICA_JSON_ARRAY && i < type->count; i++) {
        if (mica_text_is(type->items[i].text, typez))
            return true;
    }
    return false;
}

// A nullable is written as anyOf of the real schema and of null.
static const struct mica_json *
without_null(const struct mica_json *schema, bool *nullable_out)
{
    const struct mica_json *any_of = mica_json_get(schema, "anyOf");

    *nullable_out = has_type(schema, "null");
    if (any_of == NULL || any_of->kind != MICA_JSON_ARRAY ||
        any_of->count != 2 || !has_type(&any_of->items[1], "null"))
        return schema;
    *nullable_out = true;
    return &any_of->items[0];
}

static const struct mica_json *
member_schema(const struct mica_json *schema, struct mica_text name,
              bool *known_out)
{
    bool nullable;
    const struct mica_json *object = without_null(schema, &nullable);
    const struct mica_json *properties = mica_json_get(object, "properties");
    const struct mica_json *other =
        mica_json_get(object, "additionalProperties");

    *known_out = true;
    for (size_t i = 0; properties != NULL && i < properties->count; i++) {
        if (mica_text_equal(properties->members[i].name, name))
            return &properties->members[i].value;
    }
    if (other != NULL && other->kind == MICA_JSON_FALSE)
        *known_out = false;
    return other != NULL && other->kind == MICA_JSON_OBJECT ? other : NULL;
}

// ---- Complaining ---------------------------------------------------------------

static const char *
path_of(struct reader *reader)
{
    mica_buffer_char(&reader->path, '\0');
    reader->path.len--;
    return reader->path.ptr;
}

static enum mica_status
unknown_key(struct reader *reader, const struct mica_json *schema,
            struct mica_text name)
{
    bool nullable;
    const struct mica_json *properties =
        mica_json_get(without_null(schema, &nullable), "properties");
    struct mica_text nearest = {NULL, 0};
    size_t best = name.len / 3 + 2 < NEAR ? name.len / 3 + 2 : NEAR;

    for (size_t i = 0; properties != NULL && i < properties->count; i++) {
        struct mica_text known = properties->members[i].name;
        size_t distance = mica_text_distance(name, known, best - 1);
        if (distance < best) {
            best = distance > 0 ? distance : 1;
            nearest = known;
        }
    }
    if (nearest.len > 0)
        return mica_error_set(reader->error, MICA_E_UNKNOWN, path_of(reader),
                              "the tool has no \"%.*s\"; did you mean "
                              "\"%.*s\"?",
                              MICA_ARG(name), MICA_ARG(nearest));
    return mica_error_set(reader->error, MICA_E_UNKNOWN, path_of(reader),
                          "the tool has no \"%.*s\"; %s shows what it takes",
                          MICA_ARG(name), reader->help);
}

static enum mica_status
wrong_type(struct reader *reader, struct mica_text value, const char *wanted)
{
    const char *path = path_of(reader);

    value = mica_utf8_cut(value, SHOWN_BYTES);
    return mica_error_set(
        reader->error, MICA_E_TYPE, path, "\"%s\" takes %s, not \"%.*s\"",
        path[0] == '/' ? path + 1 : path, wanted, MICA_ARG(value));
}

// ---- Reading -------------------------------------------------------------------

static struct node *
find_member(struct reader *reader, struct node *parent, struct mica_text name,
            const struct mica_json *schema)
{
    struct node **at = &parent->members;

    while (*at != NULL && !mica_text_equal((*at)->name, name))
        at = &(*at)->next;
    if (*at != NULL)
        return *at;
    struct node *node = mica_arena_zero(reader->arena, 1, sizeof *node);
    if (node != NULL) {
        node->name = name;
        node->schema = schema;
        node->values = mica_arena_zero(reader->arena, reader->pair_count,
                                       sizeof *node->values);
        *at = node;
    }
    return node;
}

// The part of a key before the next dot. A name with a dot in it is found whole.
// False: it was the last.
static bool
next_name(const struct mica_json *schema, struct mica_text *key,
          struct mica_text *name_out)
{
    bool known;
    size_t end = 0;

    if (member_schema(schema, *key, &known) != NULL && known)
        end = key->len;
    while (end < key->len && key->ptr[end] != '.')
        end++;
    bool more = end < key->len;
    *name_out = mica_text_slice(*key, 0, end);
    *key = mica_text_slice(*key, end + 1, key->len);
    return more;
}

static enum mica_status
read_pair(struct reader *reader, struct node *root,
          const struct mica_pair *pair)
{
    struct node *node = root;
    bool known = true, more;
    struct mica_text key = pair->name, name;
    unsigned depth = 0;

    reader->path.len = 0;
    do {
        more = next_name(node->schema, &key, &name);
        const struct mica_json *schema =
            member_schema(node->schema, name, &known);
        mica_json_pointer_add_cut(&reader->path, name, NAME_SHOWN);
        if (!known)
            return unknown_key(reader, node->schema, name);
        if (depth++ >= DEPTH)
            return mica_error_set(reader->error, MICA_E_LIMIT, "",
                                  "\"%.*s\" is nested too deeply",
                                  MICA_ARG(pair->name));
        node = find_member(reader, node, name, schema);
        if (node == NULL || node->values == NULL || reader->path.overflow)
            return mica_error_set(reader->error, MICA_E_LIMIT, "", "no memory");
    } while (more);
    node->values[node->value_count++] = pair->value;
    return MICA_OK;
}

// ---- Writing -------------------------------------------------------------------

static enum mica_status write_node(struct reader *reader,
                                   const struct node *node,
                                   struct mica_json_writer *writer);

static enum mica_status write_value(struct reader *reader,
                                    const struct mica_json *schema,
                                    struct mica_text value,
                                    struct mica_json_writer *writer);

static enum mica_status
write_json(struct reader *reader, struct mica_text value,
           struct mica_json_writer *writer)
{
    struct mica_json json;
    enum mica_status status =
        mica_json_read(reader->arena, value, NULL, reader->error, &json);

    if (status != MICA_OK) {
        // Where it went wrong, and in which key.
        mica_error_prefix(reader->error, "%s is no JSON", path_of(reader));
        return status;
    }
    mica_json_value(writer, &json);
    return MICA_OK;
}

static enum mica_status
write_boolean(struct reader *reader, struct mica_text value,
              struct mica_json_writer *writer)
{
    bool yes = mica_text_is(value, "true") || mica_text_is(value, "yes");

    if (!yes && !mica_text_is(value, "false") && !mica_text_is(value, "no"))
        return wrong_type(reader, value, "true or false");
    mica_json_boolean(writer, yes);
    return MICA_OK;
}

static enum mica_status
write_number(struct reader *reader, struct mica_text value, bool whole,
             struct mica_json_writer *writer)
{
    double number;

    if (!mica_number_read(value, &number))
        return wrong_type(reader, value,
                          whole ? "a whole number" : "a number, like -1.5");
    mica_json_raw(writer, value); // as it was written, to the last digit
    return MICA_OK;
}

static enum mica_status
write_items(struct reader *reader, const struct mica_json *schema,
            struct mica_text value, struct mica_json_writer *writer)
{
    const struct mica_json *items = mica_json_get(schema, "items");

    for (size_t start = 0; start <= value.len && value.len > 0;) {
        size_t end = start;
        while (end < value.len && value.ptr[end] != ',')
            end++;
        MICA_TRY(write_value(reader, items, mica_text_slice(value, start, end),
                             writer));
        start = end + 1;
    }
    return MICA_OK;
}

static bool
starts_json(struct mica_text value, char open)
{
    return value.len > 0 && value.ptr[0] == open;
}

static enum mica_status
write_list(struct reader *reader, const struct mica_json *schema,
           struct mica_text value, struct mica_json_writer *writer)
{
    if (starts_json(value, '['))
        return write_json(reader, value, writer);
    mica_json_open_array(writer);
    MICA_TRY(write_items(reader, schema, value, writer));
    mica_json_close_array(writer);
    return MICA_OK;
}

static enum mica_status
write_value(struct reader *reader, const struct mica_json *schema,
            struct mica_text value, struct mica_json_writer *writer)
{
    bool nullable;
    struct mica_json ignored;

    schema = without_null(schema, &nullable);
    if (nullable && mica_text_is(value, "null")) {
        mica_json_null(writer);
        return MICA_OK;
    }
    if (has_type(schema, "string")) {
        mica_json_string(writer, value);
        return MICA_OK;
    }
    if (has_type(schema, "boolean"))
        return write_boolean(reader, value, writer);
    if (has_type(schema, "integer") || has_type(schema, "number"))
        return write_number(reader, value, has_type(schema, "integer"), writer);
    if (has_type(schema, "array"))
        return write_list(reader, schema, value, writer);
    if (has_type(schema, "object")) {
        if (starts_json(value, '{'))
            return write_json(reader, value, writer);
        return wrong_type(reader, value,
                          "an object: write its members as key.member=value, "
                          "or JSON");
    }
    // Anything goes: JSON if it is some, else a text.
    if (mica_json_read(reader->arena, value, NULL, NULL, &ignored) == MICA_OK)
        return write_json(reader, value, writer);
    mica_json_string(writer, value);
    return MICA_OK;
}

// A key that was given several times must be a list. Each time is one item,
// where items are texts; others may also be several with commas.
static enum mica_status
write_repeated(struct reader *reader, const struct node *node,
               struct mica_json_writer *writer)
{
    bool nullable;
    const struct mica_json *schema = without_null(node->schema, &nullable);
    const struct mica_json *items = mica_json_get(schema, "items");
    bool texts = items == NULL || has_type(items, "string");

    if (!has_type(schema, "array"))
        return mica_error_set(reader->error, MICA_E_DUPLICATE, path_of(reader),
                              "\"%.*s\" is given %zu times and is no list",
                              MICA_ARG(node->name), node->value_count);
    mica_json_open_array(writer);
    for (size_t i = 0; i < node->value_count; i++)
        MICA_TRY(texts ? write_value(reader, items, node->values[i], writer)
                 : starts_json(node->values[i], '{') ||
                         starts_json(node->values[i], '[')
                     ? write_json(reader, node->values[i], writer)
                     : write_items(reader, schema, node->values[i], writer));
    mica_json_close_array(writer);
    return MICA_OK;
}

static enum mica_status
write_members(struct reader *reader, const struct node *node,
              struct mica_json_writer *writer)
{
    size_t length = reader->path.len;

    mica_json_open_object(writer);
    for (const struct node *member = node->members; member != NULL;
         member = member->next) {
        mica_json_pointer_add_cut(&reader->path, member->name, NAME_SHOWN);
        mica_json_name_text(writer, member->name);
        MICA_TRY(write_node(reader, member, writer));
        reader->path.len = length;
    }
    mica_json_close_object(writer);
    return MICA_OK;
}

static enum mica_status
write_node(struct reader *reader, const struct node *node,
           struct mica_json_writer *writer)
{
    if (node->value_count > 0 && node->members != NULL)
        return mica_error_set(reader->error, MICA_E_DUPLICATE, path_of(reader),
                              "\"%.*s\" is given as a whole and by its members",
                              MICA_ARG(node->name));
    if (node->value_count == 0)
        return write_members(reader, node, writer);
    if (node->value_count == 1)
        return write_value(reader, node->schema, node->values[0], writer);
    return write_repeated(reader, node, writer);
}

enum mica_status
mica_pairs_read(struct mica_arena *arena, const struct mica_json *schema,
                const struct mica_pair *pairs, size_t count, const char *help,
                struct mica_error *error, struct mica_text *json_out)
{
    struct reader reader = {
        .arena = arena, .error = error, .pair_count = count, .help = help};
    struct node root = {.schema = schema};
    struct mica_json_writer writer;
    struct mica_buffer json;

    mica_buffer_init(&reader.path, arena, PATH_BYTES);
    for (size_t i = 0; i < count; i++)
        MICA_TRY(read_pair(&reader, &root, &pairs[i]));
    mica_buffer_init(&json, arena, JSON_BYTES);
    mica_json_writer_init(&writer, &json);
    reader.path.len = 0;
    MICA_TRY(write_members(&reader, &root, &writer));
    if (json.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    *json_out = mica_buffer_as_text(&json);
    return MICA_OK;
}

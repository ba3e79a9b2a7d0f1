// SPDX-License-Identifier: Apache-2.0
//
// How clients answer: the same whenever they are asked the same, by their seed and
// the key of the question.
#include "world.h"

// "book/sure#2" is "book/sure", asked again.
static void
base_of(const char *key, char base[128])
{
    char *end;

    snprintf(base, 128, "%s", key);
    end = strrchr(base, '#');
    if (end != NULL && strchr(end, '/') == NULL)
        *end = '\0';
}

enum mica_action
sim_action(const struct sim_person *client, const char *key)
{
    char base[128];
    uint64_t hash;

    base_of(key, base);
    hash = sim_hash(client->seed, base) % 10;
    return hash == 0   ? MICA_DECLINED
           : hash == 1 ? MICA_DISMISSED
                       : MICA_ACCEPTED;
}

bool
sim_yes(const struct sim_person *client, const char *key)
{
    char base[128];

    base_of(key, base);
    return sim_hash(client->seed + 77, base) % 3 != 0;
}

// One of the values that a schema names, or NULL.
static const struct mica_json *
choose(const struct mica_json *schema, uint64_t hash)
{
    const struct mica_json *named = mica_json_get(schema, "enum");

    if (named != NULL && named->count > 0)
        return &named->items[hash % named->count];
    named = mica_json_get(schema, "oneOf");
    if (named == NULL)
        named = mica_json_get(schema, "anyOf");
    if (named == NULL || named->count == 0)
        return NULL;
    return mica_json_get(&named->items[hash % named->count], "const");
}

static void
fill(const struct sim_person *client, const char *key, uint64_t hash,
     const struct mica_json *schema, struct mica_json_writer *writer)
{
    struct mica_text type = mica_json_get_text(schema, "type");
    const struct mica_json *value = choose(schema, hash);
    const struct mica_json *low = mica_json_get(schema, "minimum");

    if (value != NULL)
        mica_json_raw(writer, value->raw);
    else if (mica_text_is(type, "boolean"))
        mica_json_boolean(writer, sim_yes(client, key));
    else if (mica_text_is(type, "integer") || mica_text_is(type, "number"))
        mica_json_raw(writer, low != NULL ? low->raw : MICA_LITERAL("1"));
    else if (mica_text_is(type, "array")) {
        mica_json_open_array(writer);
        fill(client, key, hash, mica_json_get(schema, "items"), writer);
        mica_json_close_array(writer);
    } else if (mica_text_is(mica_json_get_text(schema, "format"), "date"))
        mica_json_stringz(writer, "2027-03-04");
    else
        mica_json_stringz(writer, "some words");
}

static void
answer_form(const struct sim_person *client, const char *key,
            const struct mica_json *params, struct mica_json_writer *writer)
{
    const struct mica_json *fields =
        mica_json_get(mica_json_get(params, "requestedSchema"), "properties");
    bool wrong =
        strchr(key, '#') == NULL && sim_hash(client->seed + 5, key) % 6 == 0;

    mica_json_name(writer, "content");
    mica_json_open_object(writer);
    for (size_t i = 0; fields != NULL && i < fields->count && !wrong; i++) {
        char *name = sim_copy(fields->members[i].name);
        mica_json_name_text(writer, fields->members[i].name);
        fill(client, key, sim_hash(client->seed, name),
             &fields->members[i].value, writer);
        free(name);
    }
    mica_json_close_object(writer);
}

void
sim_answer(const struct sim_person *client, const char *key,
           const struct mica_json *request, struct mica_json_writer *writer)
{
    struct mica_text method = mica_json_get_text(request, "method");
    const struct mica_json *params = mica_json_get(request, "params");
    enum mica_action action = sim_action(client, key);

    mica_json_open_object(writer);
    if (mica_text_is(method, "sampling/createMessage")) {
        mica_json_name(writer, "content");
        mica_json_raw(writer,
                      MICA_LITERAL("{\"type\":\"text\",\"text\":\"words\"}"));
        mica_json_field(writer, "role", MICA_LITERAL("assistant"));
        mica_json_field(writer, "model", MICA_LITERAL("a model"));
    } else if (mica_text_is(method, "roots/list")) {
        mica_json_name(writer, "roots");
        mica_json_raw(writer, MICA_LITERAL("[]"));
    } else {
        mica_json_field(writer, "action",
                        mica_text(action == MICA_ACCEPTED   ? "accept"
                                  : action == MICA_DECLINED ? "decline"
                                                            : "cancel"));
        if (action == MICA_ACCEPTED)
            answer_form(client, key, params, writer);
    }
    mica_json_close_object(writer);
}

char *
sim_arguments(const struct sim_person *client)
{
    char arguments[256];

    snprintf(arguments, sizeof arguments, "%s%d%s", client->tool->head,
             client->number, client->tool->tail);
    return sim_copy(mica_text(arguments));
}

// SPDX-License-Identifier: Apache-2.0
//
// Makes the part that all kinds of definitions share: checks an author's table and writes
// the texts for the lists.
#include "registry/definition.h"

#include <string.h>

#include "engine/run.h"
#include "protocol/implementation.h"
#include "schema/record.h"

enum {
    COMMON_BYTES = 1 << 20
};

static bool
uri_starts(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

// MCP: icons: only https and data. A client might fetch any other URI with the rights of
// its user.
static enum mica_status
check_icons(const char *name, const struct mica_icon *icons, size_t count,
            struct mica_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const struct mica_icon *icon = &icons[i];
        if (icon->src == NULL || (!uri_starts(icon->src, "https://") &&
                                  !uri_starts(icon->src, "data:")))
            return mica_error_set(error, MICA_E_USAGE, "",
                                  "'%s': icon %zu needs .src, an https: or "
                                  "data: URI",
                                  name, i + 1);
        if (icon->theme != NULL && strcmp(icon->theme, "light") != 0 &&
            strcmp(icon->theme, "dark") != 0)
            return mica_error_set(error, MICA_E_USAGE, "",
                                  "'%s': the theme of icon %zu must be light "
                                  "or dark",
                                  name, i + 1);
    }
    return MICA_OK;
}

// The members of an author's _meta, without its braces.
static enum mica_status
render_meta(struct mica_definition *definition, const char *name,
            const char *metaz, struct mica_error *error)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;
    struct mica_json value;

    memset(&value, 0, sizeof value);
    if (mica_json_read(&definition->arena, mica_text(metaz), NULL, error,
                       &value) != MICA_OK) {
        mica_error_prefix(error, "the .meta of '%s' is not JSON", name);
        return MICA_E_USAGE;
    }
    if (value.kind != MICA_JSON_OBJECT)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "the .meta of '%s' must be a JSON object", name);
    mica_buffer_init(&buffer, &definition->arena, COMMON_BYTES);
    mica_json_writer_init(&writer, &buffer);
    mica_json_value(&writer, &value);
    definition->meta = mica_text_slice(mica_buffer_as_text(&buffer), 1,
                                       buffer.len > 0 ? buffer.len - 1 : 0);
    return MICA_OK;
}

struct mica_text
mica_define_text(struct mica_definition *definition, const char *textz)
{
    struct mica_text none = {NULL, 0};

    return textz != NULL ? mica_arena_text(&definition->arena, mica_text(textz))
                         : none;
}

enum mica_status
mica_define_common(struct mica_definition *definition, const char *name,
                   const char *title, const char *description,
                   const struct mica_icon *icons, size_t icon_count,
                   const char *meta, const char *scope,
                   struct mica_error *error)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;

    definition->name = mica_define_text(definition, name);
    definition->key = definition->name;
    definition->title = mica_define_text(definition, title);
    definition->description = mica_define_text(definition, description);
    definition->scope = mica_define_text(definition, scope);
    if (icon_count > 0) {
        MICA_TRY(check_icons(name, icons, icon_count, error));
        mica_buffer_init(&buffer, &definition->arena, COMMON_BYTES);
        mica_json_writer_init(&writer, &buffer);
        mica_icons_write(&writer, icons, icon_count);
        definition->icons = mica_buffer_as_text(&buffer);
    }
    if (meta != NULL)
        MICA_TRY(render_meta(definition, name, meta, error));
    return MICA_OK;
}

bool
mica_name_valid(struct mica_text name)
{
    if (name.len == 0 || name.len > MICA_NAME_LENGTH)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool other = (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
        if (!letter && !other)
            return false;
    }
    return true;
}

enum mica_status
mica_definition_check(const struct mica_definition *definition,
                      struct mica_error *error)
{
    bool is_resource = definition->kind == MICA_DEFINITION_RESOURCE ||
                       definition->kind == MICA_DEFINITION_TEMPLATE;
    struct mica_text shown =
        mica_text_slice(definition->key, 0, MICA_NAME_LENGTH);

    if (!is_resource && !mica_name_valid(definition->name))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "'%.*s' cannot be the name of a %s: use 1 to "
                              "128 of A-Z a-z 0-9 _ . -",
                              MICA_ARG(shown),
                              mica_definition_kind_noun(definition->kind));
    if (!is_resource && definition->description.len == 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "%s '%.*s' has no description: say in a "
                              "sentence what it does and when to use it",
                              mica_definition_kind_noun(definition->kind),
                              MICA_ARG(shown));
    if (definition->arena.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "%s '%.*s' takes more memory than a definition "
                              "may; make its texts shorter",
                              mica_definition_kind_noun(definition->kind),
                              MICA_ARG(shown));
    return MICA_OK;
}

// ---- Handlers of resources and prompts ---------------------------------------------

// The data of the runnable.
struct native {
    const struct mica_record *input;
    mica_handler *handler;
};

static void
run_native(const struct mica_runnable *self, struct mica_call *call,
           struct mica_text arguments)
{
    const struct native *native = self->data;

    mica_handler_run(call, native->input, NULL, native->handler, arguments);
}

// MCP: arguments of a prompt and variables of a template are strings.
static enum mica_status
check_fields(struct mica_definition *definition, struct mica_error *error)
{
    const struct mica_record *record = definition->input;

    definition->completes = definition->complete != NULL;
    for (size_t i = 0; i < record->count; i++) {
        enum mica_kind kind = mica_record_field(record, i)->type->kind;
        if (kind != MICA_KIND_TEXT && kind != MICA_KIND_CHOICE)
            return mica_error_set(error, MICA_E_USAGE, "",
                                  "'%.*s': the field '%s' must be of kind text "
                                  "or choice, as it comes as a string",
                                  MICA_ARG(definition->key),
                                  mica_record_field(record, i)->name);
        if (kind == MICA_KIND_CHOICE)
            definition->completes = true;
    }
    return MICA_OK;
}

enum mica_status
mica_define_handler(struct mica_definition *definition,
                    const struct mica_record *record, mica_handler *handler,
                    struct mica_error *error)
{
    static const struct mica_record nothing = {"nothing", 1, NULL, 0,
                                               sizeof(struct mica_field)};
    struct native *native =
        mica_arena_zero(&definition->arena, 1, sizeof *native);

    if (native == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for one more definition");
    definition->input = record != NULL ? record : &nothing;
    MICA_TRY(mica_record_check(definition->input, &definition->arena, error));
    MICA_TRY(check_fields(definition, error));
    *native = (struct native){definition->input, handler};
    definition->logs = true;
    definition->runnable.run = run_native;
    definition->runnable.data = native;
    return MICA_OK;
}

// SPDX-License-Identifier: Apache-2.0
//
// Makes the definitions of resources and templates. All checks happen here, so that a read
// needs none.
#include "registry/definition.h"

#include <string.h>

#include "registry/uri_template.h"
#include "schema/record.h"

enum {
    ANNOTATION_BYTES = 4096
};

static enum mica_status
resource_wrong(const struct mica_resource *resource, struct mica_error *error,
               const char *why)
{
    const char *key = resource->uri != NULL            ? resource->uri
                      : resource->uri_template != NULL ? resource->uri_template
                                                       : "";

    return mica_error_set(error, MICA_E_USAGE, "", "resource '%.200s' %s", key,
                          why);
}

// ---- Annotations -----------------------------------------------------------------

static bool
audience_is_valid(const char *audience)
{
    static const char *const known[] = {"user", "assistant", "user assistant",
                                        "assistant user"};

    for (size_t i = 0; i < MICA_COUNT(known); i++) {
        if (strcmp(audience, known[i]) == 0)
            return true;
    }
    return false;
}

static enum mica_status
check_annotations(const struct mica_resource *resource,
                  struct mica_error *error)
{
    const struct mica_content_options *options = &resource->annotations;
    struct mica_time time;
    struct mica_date date;

    if (options->audience != NULL && !audience_is_valid(options->audience))
        return resource_wrong(
            resource, error,
            "must have an audience of user, assistant or both");
    if (options->has_priority &&
        !(options->priority >= 0 && options->priority <= 1))
        return resource_wrong(resource, error,
                              "must have a priority from 0 to 1");
    if (options->last_modified != NULL &&
        !mica_time_read(mica_text(options->last_modified), &time) &&
        !mica_date_read(mica_text(options->last_modified), &date))
        return resource_wrong(
            resource, error,
            "must have a last_modified of ISO 8601, for example "
            "2026-11-20T09:30:00Z");
    return MICA_OK;
}

static void
render_annotations(struct mica_definition *definition,
                   const struct mica_content_options *options)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, &definition->arena, ANNOTATION_BYTES);
    mica_json_writer_init(&writer, &buffer);
    if (mica_write_annotations(&writer, options))
        definition->annotations = mica_buffer_as_text(&buffer);
}

// ---- Constant contents -------------------------------------------------------------

static void
add_text_guarded(struct mica_call *call, void *data)
{
    const struct mica_text *text = data;

    mica_add_resource_text(call, NULL, NULL, *text, NULL);
    (void)mica_call_conclude(call, MICA_OK);
}

static void
run_text(const struct mica_runnable *self, struct mica_call *call,
         struct mica_text arguments)
{
    (void)arguments;
    mica_call_guard(call, add_text_guarded, self->data);
}

static enum mica_status
define_text(struct mica_definition *definition,
            const struct mica_resource *resource, struct mica_error *error)
{
    struct mica_text *text =
        mica_arena_zero(&definition->arena, 1, sizeof *text);

    if (text == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for one more resource");
    *text = mica_define_text(definition, resource->text);
    if (mica_utf8_valid(*text) != text->len)
        return resource_wrong(resource, error, "has a .text that is not UTF-8");
    if (!definition->has_size) {
        definition->has_size = true;
        definition->size = text->len;
    }
    definition->runnable.run = run_text;
    definition->runnable.data = text;
    definition->runnable.inline_first = true;
    return MICA_OK;
}

// ---- Templates -------------------------------------------------------------------

// Checks that the template's variables and the record's fields have the same names.
static enum mica_status
check_variables(const struct mica_resource *resource,
                const struct mica_template *template, struct mica_error *error)
{
    const struct mica_record *record = resource->input;

    for (size_t i = 0; i < template->variable_count; i++) {
        struct mica_text name = template->variables[i].name;
        if (mica_record_find(record, name) == NULL)
            return mica_error_set(error, MICA_E_USAGE, "",
                                  "template '%s' has the variable '%.*s', but "
                                  "its .input has no field of that name",
                                  resource->uri_template, MICA_ARG(name));
    }
    // Every variable is a field, and all differ. So each field must be a variable.
    for (size_t i = 0; i < record->count; i++) {
        struct mica_text name = mica_text(mica_record_field(record, i)->name);
        bool found = false;
        for (size_t k = 0; k < template->variable_count && !found; k++)
            found = mica_text_equal(template->variables[k].name, name);
        if (!found)
            return mica_error_set(error, MICA_E_USAGE, "",
                                  "template '%s' has no variable for the field "
                                  "'%.*s' of its .input",
                                  resource->uri_template, MICA_ARG(name));
    }
    return MICA_OK;
}

static enum mica_status
define_template(struct mica_definition *definition,
                const struct mica_resource *resource, struct mica_error *error)
{
    struct mica_template *template =
        mica_arena_zero(&definition->arena, 1, sizeof *template);

    if (template == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for one more template");
    if (resource->handler == NULL || resource->input == NULL)
        return resource_wrong(
            resource, error,
            "is a template, which needs an .input record and a "
            ".handler");
    MICA_TRY(mica_template_compile(&definition->arena, definition->key, error,
                                   template));
    MICA_TRY(check_variables(resource, template, error));
    definition->details = template;
    return MICA_OK;
}

// ---- Definitions -----------------------------------------------------------------

static enum mica_status
check_resource(const struct mica_resource *resource, struct mica_error *error)
{
    if ((resource->uri == NULL) == (resource->uri_template == NULL))
        return resource_wrong(resource, error,
                              "needs either a .uri or a .uri_template");
    if (resource->uri != NULL &&
        !mica_format_uri.matches(mica_text(resource->uri)))
        return resource_wrong(
            resource, error,
            "has a .uri that is not a URI; for example test://items/1");
    if (resource->name == NULL || resource->name[0] == '\0')
        return resource_wrong(resource, error, "needs a .name");
    if ((resource->handler == NULL) == (resource->text == NULL))
        return resource_wrong(resource, error,
                              "needs either a .handler or a .text");
    if (resource->uri != NULL && resource->complete != NULL)
        return resource_wrong(resource, error,
                              "is fixed: it has no variables to .complete");
    return check_annotations(resource, error);
}

static enum mica_status
resource_describe(const struct mica_resource *resource,
                  struct mica_definition *definition, struct mica_error *error)
{
    MICA_TRY(check_resource(resource, error));
    MICA_TRY(mica_define_common(definition, resource->name, resource->title,
                                resource->description, resource->icons,
                                resource->icon_count, resource->meta,
                                resource->scope, error));
    definition->key = mica_define_text(
        definition,
        resource->uri != NULL ? resource->uri : resource->uri_template);
    definition->mime_type = mica_define_text(definition, resource->mime_type);
    definition->has_size = resource->has_size;
    definition->size = resource->size;
    definition->complete = resource->complete;
    render_annotations(definition, &resource->annotations);
    if (resource->uri_template != NULL)
        MICA_TRY(define_template(definition, resource, error));
    if (resource->text != NULL)
        return define_text(definition, resource, error);
    return mica_define_handler(definition,
                               resource->uri == NULL ? resource->input : NULL,
                               resource->handler, error);
}

enum mica_status
mica_definition_of_resource(const struct mica_resource *resource, void *user,
                            struct mica_error *error,
                            struct mica_definition **definition_out)
{
    struct mica_definition *definition = mica_definition_new(
        resource->uri_template != NULL ? MICA_DEFINITION_TEMPLATE
                                       : MICA_DEFINITION_RESOURCE);
    enum mica_status status;

    if (definition == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for one more resource");
    status = resource_describe(resource, definition, error);
    if (status != MICA_OK) {
        mica_definition_drop(definition);
        return status;
    }
    definition->runnable.user = user;
    *definition_out = definition;
    return MICA_OK;
}

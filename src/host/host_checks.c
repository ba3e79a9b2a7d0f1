// SPDX-License-Identifier: Apache-2.0
//
// The parameters of what a view sends: a shape for each method, and the text of the refusal
// as the official host writes it. web/host/checks.js has the same shapes.
#include "host/host_peer.h"

#include <string.h>

#include "protocol/log_level.h"

// ---- Shapes ----------------------------------------------------------------------

struct shape;

struct shape_member {
    const char *namez;
    const struct shape *shape;
    bool optional;
};

struct shape {
    // Of JSON.
    enum {
        SHAPE_ANY,
        SHAPE_STRING,
        SHAPE_NUMBER,
        SHAPE_BOOLEAN,
        SHAPE_RECORD, // an object of any members
        SHAPE_ARRAY,  // of `item`
        SHAPE_OBJECT, // with `members`
        SHAPE_TEST    // `wrong` returns what is wrong, or NULL
    } kind;
    const struct shape *item;
    const struct shape_member *members; // the last has no name
    const char *(*wrong)(const struct mica_json *value);
};

#define WRONG "Invalid input"

static const struct shape anything = {.kind = SHAPE_ANY};
static const struct shape string = {.kind = SHAPE_STRING};
static const struct shape number = {.kind = SHAPE_NUMBER};
static const struct shape boolean = {.kind = SHAPE_BOOLEAN};
static const struct shape record = {.kind = SHAPE_RECORD};

#define SHAPE_OF(name, ...)                                                \
    static const struct shape_member name##_members[] = {__VA_ARGS__,      \
                                                         {.namez = NULL}}; \
    static const struct shape name = {.kind = SHAPE_OBJECT,                \
                                      .members = name##_members}

// ---- Values that are tested ------------------------------------------------------

static bool
is_string_member(const struct mica_json *object, const char *namez)
{
    const struct mica_json *value = mica_json_get(object, namez);

    return value != NULL && value->kind == MICA_JSON_STRING;
}

static const char *
mode_wrong(const struct mica_json *value)
{
    for (size_t i = 0; value != NULL && value->kind == MICA_JSON_STRING &&
                       mica_view_display_modes[i] != NULL;
         i++)
        if (mica_text_is(value->text, mica_view_display_modes[i]))
            return NULL;
    return WRONG;
}

static const char *
level_wrong(const struct mica_json *value)
{
    enum mica_log_level level;

    return value != NULL && value->kind == MICA_JSON_STRING &&
                   mica_log_level_find(value->text, &level)
               ? NULL
               : WRONG;
}

static const char *
role_wrong(const struct mica_json *value)
{
    return value != NULL && value->kind == MICA_JSON_STRING &&
                   mica_text_is(value->text, "user")
               ? NULL
               : WRONG ": expected \"user\"";
}

static bool
is_resource(const struct mica_json *value)
{
    const struct mica_json *inner = mica_json_get(value, "resource");

    return is_string_member(inner, "uri") &&
           (is_string_member(inner, "text") || is_string_member(inner, "blob"));
}

static bool
is_resource_link(const struct mica_json *value)
{
    return is_string_member(value, "uri") && is_string_member(value, "name");
}

// What a block of each type must have.
static const char *
block_wrong(const struct mica_json *value)
{
    struct mica_text type = mica_json_get_text(value, "type");
    bool fine = false;

    if (mica_text_is(type, "text"))
        fine = is_string_member(value, "text");
    else if (mica_text_is(type, "image") || mica_text_is(type, "audio"))
        fine = is_string_member(value, "data") &&
               is_string_member(value, "mimeType");
    else if (mica_text_is(type, "resource_link"))
        fine = is_resource_link(value);
    else if (mica_text_is(type, "resource"))
        fine = is_resource(value);
    return fine ? NULL : WRONG;
}

static const char *
download_wrong(const struct mica_json *value)
{
    struct mica_text type = mica_json_get_text(value, "type");

    return mica_text_is(type, "resource") || mica_text_is(type, "resource_link")
               ? block_wrong(value)
               : WRONG;
}

// ---- Methods ---------------------------------------------------------------------

static const struct shape mode = {.kind = SHAPE_TEST, .wrong = mode_wrong};
static const struct shape level = {.kind = SHAPE_TEST, .wrong = level_wrong};
static const struct shape role = {.kind = SHAPE_TEST, .wrong = role_wrong};
static const struct shape block = {.kind = SHAPE_TEST, .wrong = block_wrong};
static const struct shape file = {.kind = SHAPE_TEST, .wrong = download_wrong};
static const struct shape modes = {.kind = SHAPE_ARRAY, .item = &mode};
static const struct shape content = {.kind = SHAPE_ARRAY, .item = &block};
static const struct shape files = {.kind = SHAPE_ARRAY, .item = &file};

SHAPE_OF(app_info, {"name", &string, false}, {"version", &string, false},
         {"title", &string, true});
SHAPE_OF(app_tools, {"listChanged", &boolean, true});
SHAPE_OF(app_capabilities, {"experimental", &record, true},
         {"tools", &app_tools, true}, {"availableDisplayModes", &modes, true});
SHAPE_OF(initialize, {"appInfo", &app_info, false},
         {"appCapabilities", &app_capabilities, false},
         {"protocolVersion", &string, false});
SHAPE_OF(open_link, {"url", &string, false});
SHAPE_OF(download, {"contents", &files, false});
SHAPE_OF(message, {"role", &role, false}, {"content", &content, false});
SHAPE_OF(model_context, {"content", &content, true},
         {"structuredContent", &record, true});
SHAPE_OF(display_mode, {"mode", &mode, false});
SHAPE_OF(size, {"width", &number, true}, {"height", &number, true});
SHAPE_OF(log_message, {"level", &level, false}, {"logger", &string, true},
         {"data", &anything, false});
SHAPE_OF(call, {"name", &string, false}, {"arguments", &record, true});
SHAPE_OF(page, {"cursor", &string, true});
SHAPE_OF(read_resource, {"uri", &string, false});
SHAPE_OF(sampling_message, {"role", &string, false});
static const struct shape sampling_messages = {.kind = SHAPE_ARRAY,
                                               .item = &sampling_message};
SHAPE_OF(sampling, {"messages", &sampling_messages, false},
         {"maxTokens", &number, false});

static const struct {
    const char *methodz;
    const struct shape *shape;
} shapes[] = {{"ui/initialize", &initialize},
              {"ui/open-link", &open_link},
              {"ui/download-file", &download},
              {"ui/message", &message},
              {"ui/update-model-context", &model_context},
              {"ui/request-display-mode", &display_mode},
              {"ui/notifications/size-changed", &size},
              {"notifications/message", &log_message},
              {"tools/call", &call},
              {"tools/list", &page},
              {"resources/list", &page},
              {"resources/templates/list", &page},
              {"resources/read", &read_resource},
              {"prompts/list", &page},
              {"sampling/createMessage", &sampling}};

// ---- Faults ----------------------------------------------------------------------

enum {
    PATH_LEVELS = 8 // more than any shape has
};

struct walk {
    struct mica_buffer *faults;
    struct {
        const char *namez; // NULL: an index
        size_t index;
    } path[PATH_LEVELS];
    size_t depth;
};

static void
write_path(struct walk *walk)
{
    for (size_t i = 0; i < walk->depth; i++) {
        if (i > 0)
            mica_buffer_char(walk->faults, '.');
        if (walk->path[i].namez != NULL)
            mica_buffer_format(walk->faults, "%s", walk->path[i].namez);
        else
            mica_buffer_format(walk->faults, "%zu", walk->path[i].index);
    }
}

static void
fault_begin(struct walk *walk)
{
    if (walk->faults->len > 0)
        mica_buffer_text(walk->faults, MICA_LITERAL(", "));
    write_path(walk);
    mica_buffer_text(walk->faults, MICA_LITERAL(": "));
}

static const char *const kind_names[] = {
    [SHAPE_ANY] = "",          [SHAPE_STRING] = "string",
    [SHAPE_NUMBER] = "number", [SHAPE_BOOLEAN] = "boolean",
    [SHAPE_RECORD] = "record", [SHAPE_ARRAY] = "array",
    [SHAPE_OBJECT] = "object", [SHAPE_TEST] = ""};

// Whether the value has the kind of the shape; adds a fault if not.
static bool
check_kind(struct walk *walk, const struct shape *shape,
           const struct mica_json *value)
{
    const char *has =
        value != NULL ? mica_json_kind_name(value->kind) : "undefined";
    const char *wants =
        shape->kind == SHAPE_RECORD ? "object" : kind_names[shape->kind];

    if (shape->kind == SHAPE_ANY || strcmp(has, wants) == 0)
        return true;
    fault_begin(walk);
    mica_buffer_format(walk->faults, WRONG ": expected %s, received %s",
                       kind_names[shape->kind], has);
    return false;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the shapes are
static void
check_shape(struct walk *walk, const struct shape *shape,
            const struct mica_json *value)
{
    const char *wrong;

    if (walk->faults->overflow)
        return;
    if (shape->kind == SHAPE_TEST) {
        wrong = shape->wrong(value);
        if (wrong == NULL)
            return;
        fault_begin(walk);
        mica_buffer_format(walk->faults, "%s", wrong);
        return;
    }
    if (!check_kind(walk, shape, value) || value == NULL)
        return; // anything may be absent
    walk->depth++;
    for (size_t i = 0; shape->kind == SHAPE_ARRAY && i < value->count; i++) {
        walk->path[walk->depth - 1].namez = NULL;
        walk->path[walk->depth - 1].index = i;
        check_shape(walk, shape->item, &value->items[i]);
    }
    for (const struct shape_member *member = shape->members;
         member != NULL && member->namez != NULL; member++) {
        const struct mica_json *found = mica_json_get(value, member->namez);
        walk->path[walk->depth - 1].namez = member->namez;
        if (found != NULL || !member->optional)
            check_shape(walk, member->shape, found);
    }
    walk->depth--;
}

void
mica_host_check(const char *methodz, const struct mica_json *params,
                struct mica_buffer *faults)
{
    static const struct mica_json none = {.kind = MICA_JSON_OBJECT};
    struct walk walk = {.faults = faults};

    for (size_t i = 0; i < MICA_COUNT(shapes); i++)
        if (strcmp(shapes[i].methodz, methodz) == 0)
            check_shape(&walk, shapes[i].shape,
                        params != NULL ? params : &none);
}

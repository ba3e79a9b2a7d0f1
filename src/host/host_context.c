// SPDX-License-Identifier: Apache-2.0
//
// The host context: what a view is told about the place where it is shown. It is kept as
// JSON text, once as it is and once as the view knows it.
#include "host/host_peer.h"

// Where style variables go that the protocol does not have: an official view ends at one.
#define OTHER_VARIABLES "mica/variables"

// ---- What every view accepts -----------------------------------------------------

static const char *const themes[] = {"light", "dark", NULL};
static const char *const platforms[] = {"web", "desktop", "mobile", NULL};

static const struct {
    const char *namez;
    const char *const *words;
    const char *listz;
} choices[] = {
    {"theme", themes, "light, dark"},
    {"displayMode", mica_view_display_modes, "inline, fullscreen, pip"},
    {"platform", platforms, "web, desktop, mobile"}};

static bool
is_among(struct mica_text text, const char *const *words)
{
    for (; *words != NULL; words++)
        if (mica_text_is(text, *words))
            return true;
    return false;
}

static bool
is_style(struct mica_text name)
{
    for (size_t i = 0; i < MICA_VIEW_STYLES; i++)
        if (mica_text_is(name, mica_view_styles[i]))
            return true;
    return false;
}

static enum mica_status
check_words(struct mica_host *host, const struct mica_json *context,
            struct mica_error *error)
{
    for (size_t i = 0; i < MICA_COUNT(choices); i++) {
        const struct mica_json *value =
            mica_json_get(context, choices[i].namez);
        if (value == NULL || (value->kind == MICA_JSON_STRING &&
                              is_among(value->text, choices[i].words)))
            continue;
        return mica_host_fail(host, MICA_HOST_INVALID_HOST_CONTEXT, error,
                              "%s: %.*s is not one of %s.", choices[i].namez,
                              MICA_ARG(value->raw), choices[i].listz);
    }
    return MICA_OK;
}

// ---- Merging ---------------------------------------------------------------------

static const struct mica_json *
variables_of(const struct mica_json *context)
{
    const struct mica_json *found =
        mica_json_get(mica_json_get(context, "styles"), "variables");

    return found != NULL && found->kind == MICA_JSON_OBJECT ? found : NULL;
}

static bool
has_other_variables(const struct mica_json *variables)
{
    for (size_t i = 0; variables != NULL && i < variables->count; i++)
        if (!is_style(variables->members[i].name))
            return true;
    return false;
}

// Writes the variables that the protocol has, or the others.
static void
write_variables(struct mica_json_writer *writer,
                const struct mica_json *variables, bool known)
{
    for (size_t i = 0; variables != NULL && i < variables->count; i++) {
        if (is_style(variables->members[i].name) != known)
            continue;
        mica_json_name_text(writer, variables->members[i].name);
        mica_json_value(writer, &variables->members[i].value);
    }
}

static void
write_styles(struct mica_json_writer *writer, const struct mica_json *styles)
{
    mica_json_open_object(writer);
    for (size_t i = 0; i < styles->count; i++) {
        mica_json_name_text(writer, styles->members[i].name);
        if (!mica_text_is(styles->members[i].name, "variables")) {
            mica_json_value(writer, &styles->members[i].value);
            continue;
        }
        mica_json_open_object(writer);
        write_variables(writer, &styles->members[i].value, true);
        mica_json_close_object(writer);
    }
    mica_json_close_object(writer);
}

// Those that were kept apart before, but for the ones that are written now.
static void
write_others(struct mica_json_writer *writer, const struct mica_json *before,
             const struct mica_json *variables)
{
    mica_json_name(writer, OTHER_VARIABLES);
    mica_json_open_object(writer);
    for (size_t i = 0; before != NULL && before->kind == MICA_JSON_OBJECT &&
                       i < before->count;
         i++) {
        if (mica_json_member(variables, before->members[i].name) != NULL)
            continue;
        mica_json_name_text(writer, before->members[i].name);
        mica_json_value(writer, &before->members[i].value);
    }
    write_variables(writer, variables, false);
    mica_json_close_object(writer);
}

// Members that change stand behind those that stay.
static void
write_merged(struct mica_json_writer *writer, const struct mica_json *context,
             const struct mica_json *changes)
{
    const struct mica_json *styles = mica_json_get(changes, "styles");
    const struct mica_json *variables = variables_of(changes);
    const struct mica_json *others = mica_json_get(changes, OTHER_VARIABLES);
    bool apart = has_other_variables(variables);
    const struct mica_json *const parts[] = {context, changes};

    if (others == NULL)
        others = mica_json_get(context, OTHER_VARIABLES);
    mica_json_open_object(writer);
    for (size_t k = 0; k < MICA_COUNT(parts); k++)
        for (size_t i = 0; i < parts[k]->count; i++) {
            struct mica_text name = parts[k]->members[i].name;
            const struct mica_json *value = &parts[k]->members[i].value;
            if ((k == 0 && mica_json_member(changes, name) != NULL) ||
                (apart && mica_text_is(name, OTHER_VARIABLES)))
                continue;
            mica_json_name_text(writer, name);
            if (apart && value == styles)
                write_styles(writer, value);
            else
                mica_json_value(writer, value);
        }
    if (apart)
        write_others(writer, others, variables);
    mica_json_close_object(writer);
}

// What was kept, read again; {} where there is nothing yet.
static enum mica_status
read_kept(struct mica_host *host, struct mica_text kept,
          struct mica_error *error, struct mica_json *value_out)
{
    return mica_host_read(host, kept.len > 0 ? kept : MICA_LITERAL("{}"),
                          MICA_JSON_OBJECT, "the context", error, value_out);
}

enum mica_status
mica_host_context_merge(struct mica_host *host, struct mica_text text,
                        struct mica_error *error)
{
    struct mica_json context, changes;
    struct mica_json_writer writer;
    struct mica_buffer out;
    struct mica_text mode;

    MICA_TRY(read_kept(host, host->context, error, &context));
    MICA_TRY(mica_host_read(host, text, MICA_JSON_OBJECT, "the context", error,
                            &changes));
    MICA_TRY(check_words(host, &changes, error));
    mode = mica_json_get_text(&changes, "displayMode");
    if (mode.len > 0 && !mica_host_offers_mode(host, mode))
        return mica_host_fail(
            host, MICA_HOST_DISPLAY_MODE_NOT_SUPPORTED, error,
            "The view does not offer the display mode %.*s; its "
            "appCapabilities.availableDisplayModes has those that it offers.",
            MICA_ARG(mode));
    mica_buffer_init(&out, mica_host_arena(host, MICA_HOST_WORK),
                     host->limits.message_bytes);
    mica_json_writer_init(&writer, &out);
    write_merged(&writer, &context, &changes);
    if (out.overflow)
        return mica_host_fail(host, MICA_HOST_MESSAGE_TOO_LARGE, error,
                              "The context would be larger than %zu bytes.",
                              host->limits.message_bytes);
    return mica_host_keep(host, MICA_HOST_CONTEXT, &host->context,
                          mica_buffer_as_text(&out), error);
}

// ---- Announcing ------------------------------------------------------------------

// Writes the members that the view does not know as they are; true if there is one.
static bool
write_difference(struct mica_json_writer *writer,
                 const struct mica_json *before, const struct mica_json *now)
{
    bool any = false;

    mica_json_open_object(writer);
    for (size_t i = 0; i < now->count; i++) {
        const struct mica_json *known =
            mica_json_member(before, now->members[i].name);
        if (known != NULL && mica_json_equal(known, &now->members[i].value))
            continue;
        mica_json_name_text(writer, now->members[i].name);
        mica_json_value(writer, &now->members[i].value);
        any = true;
    }
    mica_json_close_object(writer);
    return any;
}

static enum mica_status
context_announce(struct mica_host *host, struct mica_error *error)
{
    struct mica_json before, now;
    struct mica_json_writer writer;
    struct mica_buffer out;

    MICA_TRY(read_kept(host, host->announced, error, &before));
    MICA_TRY(read_kept(host, host->context, error, &now));
    mica_buffer_init(&out, mica_host_arena(host, MICA_HOST_WORK),
                     host->limits.message_bytes);
    mica_json_writer_init(&writer, &out);
    if (!write_difference(&writer, &before, &now))
        return MICA_OK;
    if (out.overflow)
        return mica_host_no_memory(host, error);
    MICA_TRY(mica_host_keep(host, MICA_HOST_ANNOUNCED, &host->announced,
                            host->context, error));
    return mica_host_send_notification(host,
                                       "ui/notifications/host-context-changed",
                                       mica_buffer_as_text(&out), error);
}

void
mica_host_context_announce(struct mica_host *host)
{
    struct mica_error error;

    if (context_announce(host, &error) != MICA_OK &&
        host->callbacks.error != NULL)
        host->callbacks.error(host->user, &error);
}

// ---- Display modes ---------------------------------------------------------------

struct mica_text
mica_host_context_word(struct mica_host *host, const char *namez)
{
    struct mica_json context;

    if (read_kept(host, host->context, NULL, &context) != MICA_OK)
        return (struct mica_text){NULL, 0};
    return mica_json_get_text(&context, namez);
}

// Is the mode in the list, if there is a list?
static bool
has_mode(struct mica_host *host, struct mica_text kept, struct mica_text mode)
{
    struct mica_json value;
    const struct mica_json *modes;

    if (read_kept(host, kept, NULL, &value) != MICA_OK)
        return false;
    modes = mica_json_get(&value, "availableDisplayModes");
    if (modes == NULL || modes->kind != MICA_JSON_ARRAY)
        return true;
    for (size_t i = 0; i < modes->count; i++)
        if (modes->items[i].kind == MICA_JSON_STRING &&
            mica_text_equal(modes->items[i].text, mode))
            return true;
    return false;
}

bool
mica_host_offers_mode(struct mica_host *host, struct mica_text mode)
{
    return has_mode(host, host->app_capabilities, mode);
}

bool
mica_host_both_offer_mode(struct mica_host *host, struct mica_text mode)
{
    return mica_host_offers_mode(host, mode) &&
           has_mode(host, host->context, mode);
}

// ---- Functions of the header -----------------------------------------------------

enum mica_status
mica_host_set_context(struct mica_host *host, struct mica_text changes,
                      struct mica_error *error)
{
    struct mica_arena mark = mica_host_enter(host);
    enum mica_status status = mica_host_must_be_open(host, error);

    if (status == MICA_OK)
        status = mica_host_context_merge(host, changes, error);
    if (status == MICA_OK && host->state == MICA_HOST_LIVE)
        mica_host_context_announce(host);
    mica_host_leave(host, &mark);
    return status;
}

struct mica_text
mica_host_context(const struct mica_host *host)
{
    return host->context;
}

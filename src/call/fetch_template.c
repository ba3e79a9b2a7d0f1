// SPDX-License-Identifier: Apache-2.0
//
// mica_fetch_get: a URL whose places the fields of a record fill. A template is a part of
// RFC 6570: "{name}" is one value, "{?name,other}" a query of those that are present.
#include "call/fetcher.h"

#include <string.h>

#include "call/turn_state.h"
#include "schema/record.h"

enum {
    TEMPLATE_URL_BYTES = 8 << 10
};

static struct mica_text
text_cut(const char *from, const char *to)
{
    return (struct mica_text){from, (size_t)(to - from)};
}

// The field as text; {NULL, 0} if it is absent. Lists and records have no text.
static enum mica_status
field_text(struct mica_call *call, const struct mica_json *fields,
           const struct mica_record *record, struct mica_text name,
           struct mica_text *text_out)
{
    const struct mica_json *value = mica_json_member(fields, name);

    *text_out = (struct mica_text){NULL, 0};
    if (mica_record_find(record, name) == NULL)
        return mica_turn_set_error(call, MICA_E_USAGE,
                                   "the URL of a fetch has {%.*s}, but the "
                                   "record \"%s\" has no such field",
                                   MICA_ARG(name), record->tag);
    if (value == NULL || value->kind == MICA_JSON_NULL)
        return MICA_OK;
    if (value->kind == MICA_JSON_ARRAY || value->kind == MICA_JSON_OBJECT)
        return mica_turn_set_error(
            call, MICA_E_USAGE,
            "the URL of a fetch has {%.*s}, whose value is an %s; use texts, "
            "numbers, booleans, choices and dates",
            MICA_ARG(name), mica_json_kind_name(value->kind));
    *text_out = value->kind == MICA_JSON_STRING ? value->text : value->raw;
    return MICA_OK;
}

// "name" as its value, or "?name,other" as a query.
static enum mica_status
place_fill(struct mica_call *call, struct mica_text place,
           const struct mica_json *fields, const struct mica_record *record,
           struct mica_buffer *url)
{
    bool query = place.len > 0 && place.ptr[0] == '?';
    const char *end = place.ptr + place.len;
    const char *name = place.ptr + (query ? 1 : 0);
    char before = '?';

    while (name <= end) {
        const char *comma =
            query ? memchr(name, ',', (size_t)(end - name)) : NULL;
        struct mica_text named = text_cut(name, comma != NULL ? comma : end);
        struct mica_text value;
        MICA_TRY(field_text(call, fields, record, named, &value));
        if (query && value.ptr != NULL)
            mica_buffer_format(url, "%c%.*s=", before, MICA_ARG(named));
        if (value.ptr != NULL)
            before = '&';
        value = mica_fetch_escape(call, value);
        mica_buffer_format(url, "%.*s", MICA_ARG(value));
        name = named.ptr + named.len + 1;
    }
    return MICA_OK;
}

static enum mica_status
template_fill(struct mica_call *call, const char *templatez,
              const struct mica_json *fields, const struct mica_record *record,
              struct mica_buffer *url)
{
    while (*templatez != '\0') {
        const char *open = strchr(templatez, '{');
        const char *close = open != NULL ? strchr(open, '}') : NULL;
        if (open == NULL)
            open = templatez + strlen(templatez);
        else if (close == NULL)
            return mica_turn_set_error(
                call, MICA_E_USAGE,
                "the URL of a fetch has a { without a }: %s", open);
        mica_buffer_format(url, "%.*s", MICA_ARG(text_cut(templatez, open)));
        if (close == NULL)
            break;
        MICA_TRY(
            place_fill(call, text_cut(open + 1, close), fields, record, url));
        templatez = close + 1;
    }
    return MICA_OK;
}

enum mica_status
mica_fetch_get(struct mica_call *call, const char *templatez,
               struct mica_from fields, struct mica_into into)
{
    struct mica_error error = {.status = MICA_OK};
    struct mica_fetch fetch = {.key = NULL};
    struct mica_json values;
    struct mica_buffer url;
    struct mica_text json;
    enum mica_status status = mica_turn_enter(call);

    if (into.record != NULL)
        memset(into.out, 0, into.record->size);
    if (status != MICA_OK)
        return status;
    MICA_TRY(mica_turn_encode(call, fields, &json));
    status = mica_json_read(call->arena, json, NULL, &error, &values);
    if (status != MICA_OK)
        return mica_turn_set_error(call, status, "%s", error.message);
    mica_buffer_init(&url, call->arena, TEMPLATE_URL_BYTES);
    MICA_TRY(template_fill(call, templatez, &values, fields.record, &url));
    if (url.overflow)
        return mica_turn_set_error(call, MICA_E_FETCH_ADDRESS,
                                   "the URL of a fetch is longer than 8 KiB");
    fetch.url = mica_buffer_as_text(&url);
    return mica_fetch(call, &fetch, into);
}

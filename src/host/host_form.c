// SPDX-License-Identifier: Apache-2.0
//
// What a view may answer to a form. web/host/elicitation.js compares the content with the
// form, too; here the program does.
#include "host/host_peer.h"

// May it stand in the content of an answer? A form has no other values.
static bool
is_plain(const struct mica_json *value)
{
    if (value->kind != MICA_JSON_ARRAY)
        return value->kind == MICA_JSON_STRING ||
               value->kind == MICA_JSON_NUMBER ||
               value->kind == MICA_JSON_TRUE || value->kind == MICA_JSON_FALSE;
    for (size_t i = 0; i < value->count; i++) {
        if (value->items[i].kind != MICA_JSON_STRING)
            return false;
    }
    return true;
}

const char *
mica_host_answer_wrong(const struct mica_json *result)
{
    const struct mica_json *content = mica_json_get(result, "content");
    struct mica_text action = mica_json_get_text(result, "action");

    if (result->raw.len > MICA_HOST_ANSWER_BYTES)
        return "it is larger than 65536 bytes.";
    if (mica_text_is(action, "decline") || mica_text_is(action, "cancel"))
        return NULL;
    if (!mica_text_is(action, "accept"))
        return "its action must be accept, decline or cancel.";
    if (content == NULL || content->kind != MICA_JSON_OBJECT)
        return "it accepts without content.";
    for (size_t i = 0; i < content->count; i++) {
        if (!is_plain(&content->members[i].value))
            return "its content has a value that no form gives.";
    }
    return NULL;
}

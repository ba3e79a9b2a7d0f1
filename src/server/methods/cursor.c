// SPDX-License-Identifier: Apache-2.0
//
// Cursors of lists. A cursor is the sealed end of a page: any server with the same keys
// can continue there, and no client can forge it. It has the key of the page's last
// definition, which finds the place even if the list has changed since; and its position,
// in case that definition was removed.
#include "server/message.h"

#include "server/sealer.h"

enum {
    BOUND_BYTES = 64 << 10,
    POSITION_DIGITS = 9
};

// A cursor is bound to its list, its endpoint and its caller.
static struct mica_text
cursor_bound(struct mica_message *message, enum mica_definition_kind kind)
{
    const struct mica_principal *principal = message->context.principal;
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, message->arena, BOUND_BYTES);
    mica_buffer_format(&buffer, "cursor %d", (int)kind);
    if (message->request.endpoint.len > 0)
        mica_buffer_format(&buffer, " at %zu %.*s",
                           message->request.endpoint.len,
                           MICA_ARG(message->request.endpoint));
    if (principal != NULL) {
        mica_buffer_format(&buffer, " %zu ", principal->issuer.len);
        mica_buffer_text(&buffer, principal->issuer);
        mica_buffer_text(&buffer, principal->subject);
    }
    return mica_buffer_as_text(&buffer);
}

static int64_t
cursor_now(const struct mica_message *message)
{
    return message->server->now != NULL ? message->server->now() : 0;
}

static bool
cursor_refuse(struct mica_message *message, enum mica_status status,
              const struct mica_error *error)
{
    if (status == MICA_E_FORMAT)
        mica_reply_error(message, 200, MICA_RPC_PARAMS, MICA_E_NOT_FOUND,
                         (struct mica_text){NULL, 0},
                         "Unknown cursor; call %.*s without one",
                         MICA_ARG(message->request.method));
    else
        mica_reply_error(message, 200, MICA_RPC_INTERNAL, status,
                         (struct mica_text){NULL, 0}, "%s", error->message);
    return false;
}

// Reads "position key", and finds where the next page begins. The seal was valid, so the
// text is well-formed.
static size_t
find_place(const struct mica_definition_list *list,
           const struct mica_catalog *catalog, enum mica_definition_kind kind,
           struct mica_text plain)
{
    const struct mica_definition *last;
    size_t position = 0, at = 0;

    while (at < plain.len && at < POSITION_DIGITS && plain.ptr[at] >= '0' &&
           plain.ptr[at] <= '9')
        position = position * 10 + (size_t)(plain.ptr[at++] - '0');
    last = mica_catalog_find(catalog, kind,
                             mica_text_slice(plain, at + 1, plain.len));
    for (size_t i = 0; last != NULL && i < list->count; i++) {
        if (list->items[i] == last)
            return i + 1;
    }
    return position < list->count ? position : list->count;
}

// [LIST-CURSOR]
bool
mica_cursor_open(struct mica_message *message, enum mica_definition_kind kind,
                 size_t *from_out)
{
    const struct mica_sealer *sealer = message->server->sealer;
    const struct mica_json *cursor =
        mica_json_get(message->request.params, "cursor");
    const struct mica_catalog *catalog = mica_message_catalog(message);
    struct mica_error error = {.message = ""};
    enum mica_status status = MICA_E_FORMAT;
    struct mica_buffer plain;

    *from_out = 0;
    if (cursor == NULL)
        return true;
    mica_buffer_init(&plain, message->arena, MICA_SEALED_BYTES);
    if (sealer != NULL && cursor->kind == MICA_JSON_STRING &&
        cursor->text.len > 0) { // no sealed text is empty
        if (!mica_message_sealer_ready(message, cursor->text))
            return false;
        status = sealer->open(sealer->user, cursor_now(message), cursor->text,
                              cursor_bound(message, kind), &error, &plain);
    }
    if (status != MICA_OK)
        return cursor_refuse(message, status, &error);
    *from_out = find_place(&catalog->lists[kind], catalog, kind,
                           mica_buffer_as_text(&plain));
    return true;
}

bool
mica_cursor_seal(struct mica_message *message, enum mica_definition_kind kind,
                 size_t position, struct mica_text *cursor_out)
{
    const struct mica_sealer *sealer = message->server->sealer;
    const struct mica_definition_list *list =
        &mica_message_catalog(message)->lists[kind];
    struct mica_error error = {.message = ""};
    struct mica_buffer plain, text;
    enum mica_status status;

    if (!mica_message_sealer_ready(message, (struct mica_text){NULL, 0}))
        return false;
    mica_buffer_init(&plain, message->arena, MICA_SEALED_BYTES);
    mica_buffer_init(&text, message->arena, MICA_SEALED_BYTES);
    mica_buffer_format(&plain, "%zu ", position);
    mica_buffer_text(&plain, list->items[position]->key);
    status = plain.overflow
                 ? mica_error_set(&error, MICA_E_LIMIT, "",
                                  "no memory for a cursor; ask for less")
                 : sealer->seal(sealer->user, cursor_now(message),
                                mica_buffer_as_text(&plain),
                                cursor_bound(message, kind), &error, &text);
    if (status != MICA_OK)
        return cursor_refuse(message, status, &error);
    *cursor_out = mica_buffer_as_text(&text);
    return true;
}

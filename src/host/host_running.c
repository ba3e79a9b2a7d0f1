// SPDX-License-Identifier: Apache-2.0
//
// Requests of the view that the program answers later, and what all messages of a view
// share: the row of their method, and the check of their parameters.
#include "host/host_peer.h"

#include <string.h>

#include "base/arena.h"

enum {
    FAULTS_BYTES = 4096 // of what is wrong with parameters
};

// ---- Requests that are open ------------------------------------------------------

struct mica_host_running *
mica_host_running_of(struct mica_host *host, uint64_t number)
{
    for (unsigned i = 0; number != 0 && i < host->limits.open_requests; i++)
        if (host->running[i].number == number)
            return &host->running[i];
    return NULL;
}

struct mica_host_running *
mica_host_running_of_id(struct mica_host *host, struct mica_text id)
{
    for (unsigned i = 0; i < host->limits.open_requests; i++)
        if (host->running[i].number != 0 &&
            mica_text_equal(host->running[i].id, id))
            return &host->running[i];
    return NULL;
}

void
mica_host_running_end(struct mica_host *host, struct mica_host_running *running)
{
    running->number = 0;
    host->running_count--;
}

// A token as an id: bounded, a string or an integer.
static struct mica_text
token_of(const struct mica_json *params)
{
    const struct mica_json *token =
        mica_json_get(mica_json_get(params, "_meta"), "progressToken");

    return token != NULL && mica_id_is_valid(token)
               ? token->raw
               : (struct mica_text){NULL, 0};
}

// A free slot with the id and the token, or NULL: there is no memory.
struct mica_host_running *
mica_host_running_new(struct mica_host *host, struct mica_text id,
                      const struct mica_view_method *method,
                      const struct mica_json *params)
{
    struct mica_text token = token_of(params);
    struct mica_host_running *running = host->running;

    while (running->number != 0)
        running++;
    if (running->room == NULL)
        running->room = mica_arena_alloc(mica_host_arena(host, MICA_HOST_OWN),
                                         MICA_HOST_RUNNING_ROOM);
    if (running->room == NULL) {
        host->arenas[MICA_HOST_OWN].overflow = false;
        return NULL;
    }
    memcpy(running->room, id.ptr, id.len);
    if (token.len > 0)
        memcpy(running->room + MICA_ID_BYTES, token.ptr, token.len);
    running->id = (struct mica_text){running->room, id.len};
    running->token =
        (struct mica_text){running->room + MICA_ID_BYTES, token.len};
    running->method = method;
    running->number = ++host->numbers;
    host->running_count++;
    return running;
}

void
mica_host_abandon(struct mica_host *host, const char *reasonz)
{
    for (unsigned i = 0; i < host->limits.open_requests; i++) {
        uint64_t number = host->running[i].number;
        if (number == 0)
            continue;
        mica_host_running_end(host, &host->running[i]);
        if (host->callbacks.request_cancelled != NULL)
            host->callbacks.request_cancelled(host->user, number,
                                              mica_text(reasonz));
    }
}

// ---- Methods and parameters ------------------------------------------------------

const struct mica_view_method *
mica_host_method(struct mica_text name, bool request)
{
    for (size_t i = 0; i < mica_view_method_count; i++) {
        const struct mica_view_method *method = &mica_view_methods[i];
        if ((method->direction & (MICA_VIEW_TO_HOST | MICA_PROXY_TO_HOST)) !=
                0 &&
            method->request == request && mica_text_is(name, method->name))
            return method;
    }
    return NULL;
}

bool
mica_host_check_params(struct mica_host *host, const char *methodz,
                       const struct mica_json *params, struct mica_buffer *text)
{
    char room[FAULTS_BYTES];
    struct mica_buffer faults = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    mica_host_check(methodz, params, &faults);
    if (faults.len == 0)
        return true;
    mica_buffer_init(text, mica_host_arena(host, MICA_HOST_WORK),
                     FAULTS_BYTES + 256);
    mica_buffer_format(text, "Invalid params for %s: ", methodz);
    mica_buffer_text(text, mica_buffer_as_text(&faults));
    if (faults.overflow)
        mica_buffer_text(text, MICA_LITERAL("\xe2\x80\xa6"));
    return false;
}

// ---- Context for the model -------------------------------------------------------

// A view that ends has no context for a model any more.
void
mica_host_model_commit(struct mica_host *host)
{
    if (mica_host_is_ending(host) || host->model_next.len == 0)
        return;
    mica_arena_fini(&host->arenas[MICA_HOST_MODEL]);
    host->arenas[MICA_HOST_MODEL] = host->arenas[MICA_HOST_MODEL_NEXT];
    mica_arena_init(&host->arenas[MICA_HOST_MODEL_NEXT], 0);
    host->model = host->model_next;
    host->model_next = (struct mica_text){NULL, 0};
}

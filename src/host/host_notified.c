// SPDX-License-Identifier: Apache-2.0
//
// What a view tells its host. A notification has no reply: what is wrong with one is
// reported to the program.
#include "host/host_peer.h"

#include <string.h>

static void
notified_cancelled(struct mica_host *host, const struct mica_json *params)
{
    const struct mica_json *id = mica_json_get(params, "requestId");
    struct mica_host_running *running =
        id != NULL ? mica_host_running_of_id(host, id->raw) : NULL;
    uint64_t number = running != NULL ? running->number : 0;

    if (running == NULL)
        return;
    mica_host_running_end(host, running);
    if (host->callbacks.request_cancelled != NULL)
        host->callbacks.request_cancelled(host->user, number,
                                          mica_json_get_text(params, "reason"));
}

static void
notified_size(struct mica_host *host, const struct mica_json *params)
{
    const struct mica_json *parts[] = {mica_json_get(params, "width"),
                                       mica_json_get(params, "height")};
    double values[2] = {0, 0};
    const double *given[2] = {NULL, NULL};

    for (size_t i = 0; i < 2; i++)
        if (parts[i] != NULL && mica_number_read(parts[i]->text, &values[i]))
            given[i] = &values[i];
    if (host->callbacks.size_changed != NULL)
        host->callbacks.size_changed(host->user, given[0], given[1]);
}

static void
notified_initialized(struct mica_host *host)
{
    if (host->state != MICA_HOST_HANDSHAKE) {
        mica_host_report(host, MICA_HOST_OUT_OF_ORDER,
                         "initialized in the state %s",
                         mica_host_state_name(host->state));
        return;
    }
    (void)mica_host_move(host, MICA_HOST_LIVE);
    mica_host_flush(host);
    if (host->callbacks.initialized != NULL)
        host->callbacks.initialized(host->user);
}

static void
notified_proxy(struct mica_host *host)
{
    if (host->state != MICA_HOST_LOADING)
        mica_host_report(host, MICA_HOST_OUT_OF_ORDER,
                         "ui/notifications/sandbox-proxy-ready in the state %s",
                         mica_host_state_name(host->state));
    else if (host->callbacks.sandbox_ready != NULL)
        host->callbacks.sandbox_ready(host->user);
}

// A message without data has null as its data.
static void
notified_log(struct mica_host *host, const struct mica_json *params)
{
    static const struct mica_json null = {.kind = MICA_JSON_NULL,
                                          .raw = {"null", 4}};
    const struct mica_json *data = mica_json_get(params, "data");

    if (host->callbacks.log != NULL)
        host->callbacks.log(host->user, mica_json_get_text(params, "level"),
                            mica_json_get_text(params, "logger"),
                            data != NULL ? data : &null);
}

static void
notified_tools(struct mica_host *host)
{
    if (host->changed_ms != MICA_HOST_NEVER || mica_host_is_ending(host))
        return;
    host->changed_ms = host->now_ms + MICA_HOST_CHANGED_MS;
}

void
mica_host_notified(struct mica_host *host, struct mica_text name,
                   const struct mica_json *params)
{
    const struct mica_view_method *method = mica_host_method(name, false);
    struct mica_buffer text;

    if (method == NULL)
        return;
    if (!mica_host_check_params(host, method->name, params, &text)) {
        struct mica_text why = mica_buffer_as_text(&text);
        mica_host_report(host, MICA_HOST_INVALID_PARAMS, "%.*s", MICA_ARG(why));
        return;
    }
    if (strcmp(method->name, "notifications/cancelled") == 0)
        notified_cancelled(host, params);
    else if (strcmp(method->name, "notifications/progress") == 0)
        mica_host_asked_progress(host, params);
    else if (strcmp(method->name, "notifications/message") == 0)
        notified_log(host, params);
    else if (strcmp(method->name, "notifications/tools/list_changed") == 0)
        notified_tools(host);
    else if (strcmp(method->name, "ui/notifications/initialized") == 0)
        notified_initialized(host);
    else if (strcmp(method->name, "ui/notifications/size-changed") == 0)
        notified_size(host, params);
    else if (strcmp(method->name, "ui/notifications/sandbox-proxy-ready") == 0)
        notified_proxy(host);
    else if (host->callbacks.request_teardown != NULL)
        host->callbacks.request_teardown(host->user);
}

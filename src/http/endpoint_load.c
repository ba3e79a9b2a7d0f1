// SPDX-License-Identifier: Apache-2.0
//
// Between the registry and a source of endpoints, for one request.
#include "http/endpoint_load.h"

#include "auth/surface.h"
#include "http/app_caller.h"
#include "http/app_refusal.h"
#include "http/http.h"
#include "http/http_sse/http_sse.h"
#include "publish/published_apps.h"

// ---- Load --------------------------------------------------------------------------

// The source has failed: the client may try again.
static void
load_failed(struct mica_http_exchange *exchange, const struct mica_error *error)
{
    exchange->refused = 503;
    exchange->why =
        mica_arena_text(&exchange->arena, mica_text(error->message)).ptr;
    if (exchange->why == NULL)
        exchange->why = "the app cannot be read; try again";
}

// On the store thread.
static void
exchange_load(void *data)
{
    struct mica_http_exchange *exchange = data;
    const struct mica_registry *registry = &exchange->http->server->registry;
    struct mica_error error;
    enum mica_status status = registry->source->load(
        registry->source_data, exchange->own_path, &error, &exchange->held);

    if (status == MICA_OK) {
        exchange->place = MICA_PLACE_FOUND;
        exchange->endpoint = exchange->held->key;
    } else if (status == MICA_E_NOT_FOUND) {
        exchange->place = MICA_PLACE_ABSENT;
    } else {
        load_failed(exchange, &error);
    }
    mica_exchange_resume(exchange, exchange->refused == 0
                                       ? MICA_EXCHANGE_STEP
                                       : MICA_EXCHANGE_REPLY);
}

enum MHD_Result
mica_exchange_load(struct mica_http_exchange *exchange)
{
    if (exchange->place == MICA_PLACE_ABSENT)
        return mica_exchange_refuse_absent(exchange);
    if (!mica_exchange_hand_over(exchange, MICA_EXCHANGE_STORE, exchange_load,
                                 false))
        mica_exchange_resume(exchange, MICA_EXCHANGE_REPLY);
    return MHD_YES;
}

// ---- Who may call an app -------------------------------------------------------------

// Refuses a request without a token as one for /mcp is refused.
static enum MHD_Result
refuse_anonymous(struct mica_http_exchange *exchange)
{
    struct mica_http_response response;
    enum mica_status status;

    if (mica_auth_admit(exchange->http->auth, &exchange->request,
                        mica_exchange_app(exchange), &exchange->arena,
                        &exchange->principal, &response, &status))
        return mica_exchange_refuse_absent(exchange); // never: it has none
    if (mica_exchange_speaks_apps(exchange))
        mica_app_refusal_reword(exchange, &response);
    exchange->code = mica_status_code(status);
    return mica_exchange_send(exchange, &response);
}

bool
mica_exchange_may_use(struct mica_http_exchange *exchange,
                      enum MHD_Result *result_out)
{
    const struct mica_http *http = exchange->http;
    const struct mica_principal *party = &exchange->principal.party;
    const struct mica_app_caller caller = {
        .has_token = mica_principal_is_known(party), .scopes = party->scopes};
    enum mica_status status = MICA_OK;

    if (mica_published_app_is(exchange->held) ||
        mica_published_collection_is(exchange->held))
        status = mica_published_admits(exchange->held, &caller);
    if (status == MICA_OK)
        return true;
    *result_out = status == MICA_E_UNAUTHORIZED && http->auth != NULL
                      ? refuse_anonymous(exchange)
                      : mica_exchange_refuse_absent(exchange);
    return false;
}

// ---- Streams -----------------------------------------------------------------------

static void
end_streams(struct mica_http *http, struct mica_text key,
            const struct mica_app_exposure *now)
{
    mica_listeners_end_at(http, key, now);
    mica_session_table_end_streams_at(http->sessions, key, now);
    if (http->http_sse != NULL)
        mica_http_sse_end_at(http->http_sse, key, now);
}

void
mica_http_end_streams(struct mica_http *http, struct mica_text key)
{
    end_streams(http, key, NULL);
}

void
mica_http_end_refused_streams(struct mica_http *http, struct mica_text key,
                              const struct mica_app_exposure *now)
{
    end_streams(http, key, now);
}

// The source removes or replaces an endpoint first and then ends the streams that are open.
// A stream that opens too late for that is ended here.
void
mica_exchange_check_stream(struct mica_http_exchange *exchange)
{
    struct mica_registry *registry = &exchange->http->server->registry;
    struct mica_app_exposure exposure;
    struct mica_endpoint *now;

    if (exchange->held == NULL || exchange->held->source == NULL)
        return;
    now = mica_registry_endpoint(registry, exchange->held->key);
    if (now == NULL) {
        mica_http_end_streams(exchange->http, exchange->held->key);
    } else if (now != exchange->held) {
        exposure = mica_published_exposure(now);
        end_streams(exchange->http, now->key, &exposure);
    }
    mica_endpoint_drop(now);
}

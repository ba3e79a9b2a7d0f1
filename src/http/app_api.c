// SPDX-License-Identifier: Apache-2.0
//
// Runs the acts of /api/apps and /api/collections on a worker, and makes their answers.
// Those that wait for a tool or a model are calls (app_call.h).
//
//     I/O thread: whole request -> suspended, handed to a worker
//     worker:     who asks, what (app_request.h), the act, the response
//     I/O thread: sends the response
#include "http/app_api.h"

#include <stdlib.h>
#include <string.h>

#include "apps/widget.h"
#include "http/app_call.h"
#include "http/app_refusal.h"
#include "http/app_request.h"
#include "http/http.h"
#include "http/local_client.h"
#include "model/model_service.h"
#include "protocol/header_value.h"
#include "protocol/response_header.h"
#include "publish/published_apps.h"

enum {
    VALUE_BYTES = 256 // of a header that an answer has
};

// ---- Opening ---------------------------------------------------------------------

// Scheme, host and base path by which clients reach the server, as far as it knows.
static void
write_address(const struct mica_http *http, const char *listenz, unsigned port,
              struct mica_buffer *out)
{
    const struct mica_base_path *base = &http->base;
    const char *colon = strrchr(listenz, ':');
    bool everywhere = mica_text_starts(mica_text(listenz), "0.0.0.0:") ||
                      mica_text_starts(mica_text(listenz), "[::]:");
    struct mica_text host = {listenz,
                             colon != NULL ? (size_t)(colon - listenz) : 0};

    if (everywhere)
        host = MICA_LITERAL("localhost");
    if (base->origin.len > 0)
        mica_buffer_text(out, base->origin);
    else
        mica_buffer_format(out, "http://%.*s:%u", MICA_ARG(host), port);
    mica_buffer_text(out, base->added);
}

// Is the public address one that other machines have?
static bool
is_public(const struct mica_base_path *base)
{
    struct mica_text host = base->origin;

    if (mica_text_starts(host, "http://"))
        host = mica_text_slice(host, sizeof "http://" - 1, host.len);
    else if (mica_text_starts(host, "https://"))
        host = mica_text_slice(host, sizeof "https://" - 1, host.len);
    return base->origin.len > 0 && !mica_http_host_allowed(NULL, host);
}

static enum mica_status
api_acts(void *data, struct mica_error *error, struct mica_acts *acts_out)
{
    struct mica_http *http = data;

    *acts_out = http->app_api->acts;
    return mica_session_store_need(http->session_store, error,
                                   &acts_out->store);
}

// After an act of this process: what is published changes at once.
static void
api_changed(void *data)
{
    struct mica_http *http = data;

    mica_published_apps_follow(http->apps);
}

enum mica_status
mica_app_api_open(struct mica_http *http, const char *listenz, bool loopback,
                  unsigned port, struct mica_error *error,
                  struct mica_app_api **api_out)
{
    struct mica_models *models = mica_server_models(http->server);
    struct mica_app_api *api;
    struct mica_buffer address;

    *api_out = NULL;
    if (http->auth == NULL && (!loopback || is_public(&http->base) ||
                               mica_own_hosts_are_public(http)))
        return MICA_OK;
    api = calloc(1, sizeof *api);
    if (api == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    address = (struct mica_buffer){.ptr = api->address,
                                   .capacity = sizeof api->address,
                                   .max = sizeof api->address};
    write_address(http, listenz, port, &address);
    api->acts = (struct mica_acts){.server = http->server,
                                   .address = mica_buffer_as_text(&address),
                                   .hosts = &http->app_hosts,
                                   .several_issuers =
                                       http->auth != NULL &&
                                       mica_auth_issuer_count(http->auth) > 1,
                                   .now = mica_session_store_now,
                                   .tests = mica_published_apps_tests,
                                   .tests_data = http->apps};
    api->acts.knows_providers = true;
    if (models != NULL)
        api->acts.providers =
            mica_models_names(models, &api->acts.provider_count);
    api->acts.drafter = mica_server_model_drafter(http->server);
    mica_draft_limit_open(&api->draft_limit);
    api->acts.draft_limit = &api->draft_limit;
    api->builder = (struct mica_builder){
        .data = http, .acts = api_acts, .changed = api_changed};
    pthread_mutex_init(&api->lock, NULL);
    *api_out = api;
    return MICA_OK;
}

void
mica_app_api_close(struct mica_http *http)
{
    struct mica_app_api *api = http->app_api;
    struct mica_error ignored;
    enum mica_status status;

    if (api == NULL)
        return;
    if (api->builds) {
        status = mica_registry_withdraw(
            &http->server->registry, MICA_LITERAL(MICA_BUILDER_KEY), &ignored);
        (void)status; // a program may have withdrawn it
    }
    pthread_mutex_destroy(&api->lock);
    mica_draft_limit_close(&api->draft_limit);
    free(api);
    http->app_api = NULL;
}

// ---- The builder -----------------------------------------------------------------

static bool
is_builder_path(struct mica_text path)
{
    size_t length = sizeof MICA_BUILDER_PATH - 1;

    return mica_text_starts(path, MICA_BUILDER_PATH) &&
           (path.len == length || path.ptr[length] == '/');
}

// Without memory there is no builder, and the next request tries again.
static bool
builder_publish(struct mica_http *http)
{
    struct mica_endpoint *endpoint;
    struct mica_error ignored;

    return mica_builder_endpoint(&http->app_api->builder, &ignored,
                                 &endpoint) == MICA_OK &&
           mica_registry_publish(&http->server->registry, endpoint, &ignored) ==
               MICA_OK;
}

void
mica_app_api_enter(struct mica_http *http, struct mica_text path)
{
    struct mica_app_api *api = http->app_api;

    if (api == NULL || !is_builder_path(path))
        return;
    pthread_mutex_lock(&api->lock);
    if (!api->builds)
        api->builds = builder_publish(http);
    pthread_mutex_unlock(&api->lock);
}

bool
mica_app_api_admits(const struct mica_http_exchange *exchange)
{
    return !mica_text_is(exchange->endpoint, MICA_BUILDER_KEY) ||
           mica_text_is(exchange->request.method, "GET") ||
           mica_text_is(exchange->request.method, "HEAD") ||
           mica_app_request_same_site(&exchange->request, exchange->host,
                                      exchange->http->base.origin);
}

// ---- Answers ---------------------------------------------------------------------

static struct mica_http_response *
response_make(struct mica_http_exchange *exchange, unsigned status,
              const char *typez)
{
    struct mica_http_response *response =
        mica_arena_zero(&exchange->arena, 1, sizeof *response);

    if (response == NULL)
        return NULL;
    response->status = status;
    mica_response_add(response, "Content-Type", mica_text(typez));
    mica_response_add(response, "Cache-Control", MICA_LITERAL("no-store"));
    mica_response_add(response, "X-Content-Type-Options",
                      MICA_LITERAL("nosniff"));
    return response;
}

// The entity tag of an app is its revision.
static void
add_revision(struct mica_http_exchange *exchange,
             struct mica_http_response *response, int64_t revision)
{
    struct mica_buffer tag;

    if (revision == 0)
        return;
    mica_buffer_init(&tag, &exchange->arena, VALUE_BYTES);
    mica_buffer_format(&tag, "\"%lld\"", (long long)revision);
    mica_response_add(response, "ETag", mica_buffer_as_text(&tag));
}

static void
fail_with(struct mica_http_exchange *exchange,
          const struct mica_app_error *error, struct mica_text allow,
          int64_t revision)
{
    unsigned status = error->status == MICA_E_NOT_FOUND
                          ? 404
                          : (unsigned)mica_status_http(error->status);
    struct mica_http_response *response =
        response_make(exchange, status, "application/json");
    struct mica_json_writer writer;
    struct mica_buffer body;

    if (response == NULL)
        return;
    mica_buffer_init(&body, &exchange->arena, MICA_ACT_ANSWER_BYTES);
    mica_json_writer_init(&writer, &body);
    mica_app_error_write_body(&writer, error);
    if (body.overflow)
        return;
    response->body = mica_buffer_as_text(&body);
    if (error->status == MICA_E_METHOD)
        mica_response_add(response, "Allow",
                          mica_arena_text(&exchange->arena, allow));
    if (error->status == MICA_E_BUSY)
        mica_response_add(response, "Retry-After", MICA_LITERAL("1"));
    add_revision(exchange, response, revision);
    exchange->code =
        error->codez != NULL ? error->codez : mica_status_code(error->status);
    exchange->made = response;
}

static void
fail_early(struct mica_http_exchange *exchange, const struct mica_error *error,
           const char *allowz)
{
    struct mica_app_error own;

    mica_app_error_make(error, &exchange->arena, &own);
    if (error->status == MICA_E_NOT_FOUND)
        own.status = MICA_E_APP;
    own.message = mica_arena_text(&exchange->arena, mica_text(error->message));
    fail_with(exchange, &own, mica_text(allowz), 0);
}

// Is the answer the record of the app or the collection, of which the entity tag is?
static bool
is_record(enum mica_act act)
{
    return act == MICA_ACT_READ || act == MICA_ACT_IMPORT ||
           act == MICA_ACT_EDIT || act == MICA_ACT_PUBLISH ||
           act == MICA_ACT_UNPUBLISH || act == MICA_ACT_ROLLBACK ||
           act == MICA_ACT_HAND_OVER || act == MICA_ACT_CREATE_COLLECTION ||
           act == MICA_ACT_READ_COLLECTION || act == MICA_ACT_EDIT_COLLECTION ||
           act == MICA_ACT_ADD_MEMBER || act == MICA_ACT_REMOVE_MEMBER ||
           act == MICA_ACT_OWN_COLLECTION;
}

static void
answer_json(struct mica_http_exchange *exchange,
            const struct mica_act_request *act,
            const struct mica_act_answer *answer)
{
    bool collection = act->act == MICA_ACT_CREATE_COLLECTION;
    bool created = act->act == MICA_ACT_IMPORT || collection;
    struct mica_http_response *response =
        response_make(exchange, created ? 201 : 200, "application/json");

    if (response == NULL)
        return;
    response->body = mica_arena_text(&exchange->arena, answer->json);
    if (is_record(act->act))
        add_revision(exchange, response, answer->revision);
    if (created)
        mica_response_add(
            response, "Location",
            mica_base_path_text(
                &exchange->arena, exchange->request.base, "/api/%s/%.*s",
                collection ? "collections" : "apps", MICA_ARG(answer->slug)));
    if (!exchange->arena.overflow)
        exchange->made = response;
}

// The document comes from this origin, and its author is not trusted (widget.h).
static void
answer_html(struct mica_http_exchange *exchange,
            const struct mica_act_answer *answer)
{
    struct mica_http_response *response =
        response_make(exchange, 200, MICA_WIDGET_CONTENT_TYPE);

    if (response == NULL)
        return;
    response->body = mica_arena_text(&exchange->arena, answer->html);
    mica_response_add(response, "Content-Security-Policy",
                      MICA_LITERAL(MICA_WIDGET_CSP));
    mica_response_add(response, "Referrer-Policy",
                      MICA_LITERAL(MICA_WIDGET_REFERRER_POLICY));
    if (!exchange->arena.overflow)
        exchange->made = response;
}

// ---- Acting ----------------------------------------------------------------------

// Has the caller the scope of acts that write? Otherwise the answer is made.
static bool
check_scope(struct mica_http_exchange *exchange, enum mica_act act)
{
    struct mica_http *http = exchange->http;
    struct mica_http_response *response;

    if (http->auth == NULL || !mica_act_writes(act))
        return true;
    response = mica_arena_zero(&exchange->arena, 1, sizeof *response);
    if (response == NULL)
        return false;
    if (mica_auth_permit(http->auth, &exchange->principal.party,
                         MICA_LITERAL(MICA_ACT_SCOPE), &exchange->request,
                         &exchange->arena, response))
        return true;
    mica_app_refusal_reword(exchange, response);
    exchange->code = mica_status_code(MICA_E_SCOPE);
    exchange->made = response;
    return false;
}

static void
run_act(struct mica_http_exchange *exchange,
        const struct mica_act_request *request, struct mica_arena *arena)
{
    struct mica_http *http = exchange->http;
    struct mica_act_person person;
    struct mica_act_answer answer;
    struct mica_error error;
    struct mica_acts acts;

    if (api_acts(http, &error, &acts) != MICA_OK ||
        mica_act_person(&acts,
                        http->auth != NULL ? &exchange->principal.party : NULL,
                        arena, &error, &person) != MICA_OK) {
        fail_early(exchange, &error, "");
        return;
    }
    if (mica_act_run(&acts, &person, request, arena, &answer) != MICA_OK)
        fail_with(exchange, &answer.error, MICA_LITERAL(""), answer.revision);
    else if (answer.html.len > 0)
        answer_html(exchange, &answer);
    else
        answer_json(exchange, request, &answer);
    if (answer.error.status == MICA_OK && mica_act_writes(request->act))
        api_changed(http);
}

// On a worker.
static void
exchange_act(void *data)
{
    struct mica_http_exchange *exchange = data;
    const struct mica_http *http = exchange->http;
    struct mica_app_request request;
    struct mica_arena arena;
    struct mica_error error;

    mica_arena_init(&arena, MICA_ACT_ARENA_BYTES);
    exchange->request.body = mica_buffer_as_text(&exchange->body);
    if (mica_app_request_read(&exchange->request, exchange->host,
                              http->base.origin, &arena, &error,
                              &request) != MICA_OK)
        fail_early(exchange, &error, request.allow);
    else if (check_scope(exchange, request.act.act))
        run_act(exchange, &request.act, &arena);
    mica_arena_fini(&arena);
    if (exchange->made == NULL) {
        exchange->refused = 503;
        exchange->why = "there is no memory for an answer; try again";
    }
    mica_exchange_resume(exchange, MICA_EXCHANGE_REPLY);
}

// Begins an act that is a call. False: the act is no call, or a worker refuses it as it
// refuses others.
static bool
act_call(struct mica_http_exchange *exchange, enum MHD_Result *result_out)
{
    struct mica_http *http = exchange->http;
    struct mica_app_request request;
    struct mica_http_response refusal;
    struct mica_error ignored;

    exchange->request.body = mica_buffer_as_text(&exchange->body);
    if (mica_app_request_read(&exchange->request, exchange->host,
                              http->base.origin, &exchange->arena, &ignored,
                              &request) != MICA_OK ||
        mica_app_call_tool(request.act.act) == NULL)
        return false;
    mica_app_api_enter(http, MICA_LITERAL(MICA_BUILDER_PATH));
    return (http->auth == NULL ||
            mica_auth_permit(http->auth, &exchange->principal.party,
                             MICA_LITERAL(MICA_ACT_SCOPE), &exchange->request,
                             &exchange->arena, &refusal)) &&
           mica_app_call_begin(exchange, &request.act, result_out);
}

enum MHD_Result
mica_answer_apps(struct mica_http_exchange *exchange)
{
    struct mica_http_response response;
    enum MHD_Result result;

    if (!mica_exchange_may_edit_apps(exchange)) {
        mica_page_problem(exchange, 404, MICA_E_APP, &response,
                          MICA_APP_API_UNREACHED);
        mica_app_refusal_reword(exchange, &response);
        exchange->code = mica_status_code(MICA_E_APP);
        return mica_exchange_send(exchange, &response);
    }
    if (act_call(exchange, &result))
        return result;
    if (!mica_exchange_hand_over(exchange, MICA_EXCHANGE_WORK, exchange_act,
                                 false))
        mica_exchange_resume(exchange, MICA_EXCHANGE_REPLY);
    return MHD_YES;
}

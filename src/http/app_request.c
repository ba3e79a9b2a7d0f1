// SPDX-License-Identifier: Apache-2.0
//
// One table of paths and methods. A GET has its members in the query, which becomes the
// body of the act; all others have a body of JSON.
#include "http/app_request.h"

#include <string.h>

#include "base/ascii.h"
#include "protocol/header_value.h"
#include "rest/query.h"

enum {
    QUERY_MEMBERS = 2,
    QUERY_BODY_BYTES = 8 * 1024, // of a query as JSON
    VALUE_BYTES = 64             // of one value in a query
};

// What is in the path.
enum kind {
    NO_APP,   // /api/apps
    NAMELESS, // "-": acts without an app
    AN_APP,
    NO_COLLECTION, // /api/collections
    A_COLLECTION
};

#define LISTED           \
    {                    \
        "limit", "after" \
    }

static const struct operation {
    enum kind kind;
    const char *segment; // after the app; NULL: none
    const char *method;
    enum mica_act act;
    const char *query[QUERY_MEMBERS]; // members of a GET
    bool texts;                       // these are texts, otherwise numbers
} operations[] = {
    {NO_APP, NULL, "GET", MICA_ACT_LIST_APPS, {"limit", "after"}, false},
    {NO_APP, NULL, "POST", MICA_ACT_IMPORT, {NULL}, false}, // creates, too
    {NAMELESS, "layouts", "GET", MICA_ACT_LAYOUTS, {NULL}, false},
    {NAMELESS, "check", "POST", MICA_ACT_CHECK, {NULL}, false},
    {NAMELESS, "draft", "POST", MICA_ACT_DRAFT, {NULL}, false},
    {AN_APP, NULL, "GET", MICA_ACT_READ, {NULL}, false},
    {AN_APP, NULL, "PATCH", MICA_ACT_EDIT, {NULL}, false},
    {AN_APP, NULL, "DELETE", MICA_ACT_DELETE, {NULL}, false},
    {AN_APP, "publish", "POST", MICA_ACT_PUBLISH, {NULL}, false},
    {AN_APP, "unpublish", "POST", MICA_ACT_UNPUBLISH, {NULL}, false},
    {AN_APP, "rollback", "POST", MICA_ACT_ROLLBACK, {NULL}, false},
    {AN_APP, "versions", "GET", MICA_ACT_VERSIONS, {"limit", "before"}, false},
    {AN_APP, "difference", "GET", MICA_ACT_DIFFERENCE, {"from", "to"}, false},
    {AN_APP, "check", "GET", MICA_ACT_CHECK, {NULL}, false},
    {AN_APP, "check", "POST", MICA_ACT_CHECK, {NULL}, false},
    {AN_APP, "preview", "GET", MICA_ACT_PREVIEW, {NULL}, false},
    {AN_APP, "preview", "POST", MICA_ACT_PREVIEW, {NULL}, false},
    {AN_APP, "test", "POST", MICA_ACT_TEST, {NULL}, false},
    {AN_APP, "owner", "POST", MICA_ACT_HAND_OVER, {NULL}, false},
    {AN_APP, "owner", "PUT", MICA_ACT_HAND_OVER, {NULL}, false},
    {AN_APP, "export", "GET", MICA_ACT_EXPORT, {NULL}, false},
    {AN_APP, "usage", "GET", MICA_ACT_USAGE, {"from", "to"}, true},
    {NO_COLLECTION, NULL, "GET", MICA_ACT_LIST_COLLECTIONS, LISTED, false},
    {NO_COLLECTION, NULL, "POST", MICA_ACT_CREATE_COLLECTION, {NULL}, false},
    {A_COLLECTION, NULL, "GET", MICA_ACT_READ_COLLECTION, {NULL}, false},
    {A_COLLECTION, NULL, "PATCH", MICA_ACT_EDIT_COLLECTION, {NULL}, false},
    {A_COLLECTION, NULL, "DELETE", MICA_ACT_DELETE_COLLECTION, {NULL}, false},
    {A_COLLECTION, "apps", "POST", MICA_ACT_ADD_MEMBER, {NULL}, false},
    {A_COLLECTION, "apps", "DELETE", MICA_ACT_REMOVE_MEMBER, {NULL}, false},
    {A_COLLECTION, "owner", "POST", MICA_ACT_OWN_COLLECTION, {NULL}, false},
    {A_COLLECTION, "owner", "PUT", MICA_ACT_OWN_COLLECTION, {NULL}, false},
};

// ---- Paths -----------------------------------------------------------------------

struct target {
    enum kind kind;
    struct mica_text app; // or collection
    struct mica_text segment;
    struct mica_text below; // the number of a version, an app of a collection
};

static struct mica_text
next_segment(struct mica_text *rest)
{
    struct mica_text segment;
    size_t end = 0;

    while (end < rest->len && rest->ptr[end] != '/')
        end++;
    segment = mica_text_slice(*rest, 0, end);
    *rest = mica_text_slice(*rest, end + 1, rest->len);
    return segment;
}

// Takes the path apart. An empty segment, or one too many, is no path of the API.
static bool
target_read(struct mica_text path, struct target *target_out)
{
    bool is_app = mica_text_starts(path, "/api/apps");
    struct mica_text rest = mica_text_slice(
        path, is_app ? sizeof "/api/apps" - 1 : sizeof "/api/collections" - 1,
        path.len);

    *target_out = (struct target){.kind = is_app ? NO_APP : NO_COLLECTION};
    if (rest.len == 0)
        return true;
    rest = mica_text_slice(rest, 1, rest.len);
    if (rest.len == 0 || rest.ptr[rest.len - 1] == '/')
        return false;
    target_out->app = next_segment(&rest);
    if (!is_app)
        target_out->kind = A_COLLECTION;
    else
        target_out->kind =
            mica_text_is(target_out->app, "-") ? NAMELESS : AN_APP;
    if (target_out->app.len == 0)
        return false;
    if (rest.len == 0)
        return target_out->kind != NAMELESS;
    target_out->segment = next_segment(&rest);
    target_out->below = next_segment(&rest);
    return target_out->segment.len > 0 && rest.len == 0;
}

// The method of a request that asks for the head alone is that of the whole.
static struct mica_text
asked_method(const struct mica_http_request *request)
{
    return mica_text_is(request->method, "HEAD") ? MICA_LITERAL("GET")
                                                 : request->method;
}

// Below its segment a path names a version, or an app of a collection.
static bool
operation_fits(const struct operation *operation, const struct target *target)
{
    const char *segmentz = operation->segment != NULL ? operation->segment : "";

    if (operation->kind != target->kind)
        return false;
    if (operation->act == MICA_ACT_REMOVE_MEMBER && target->below.len == 0)
        return false;
    return mica_text_is(target->segment, segmentz) &&
           (target->below.len == 0 || operation->act == MICA_ACT_VERSIONS ||
            operation->act == MICA_ACT_REMOVE_MEMBER);
}

static enum mica_status
operation_find(const struct mica_http_request *request,
               const struct target *target, struct mica_error *error,
               struct mica_app_request *request_out,
               const struct operation **operation_out)
{
    struct mica_text method = asked_method(request);
    struct mica_buffer allow = {.ptr = request_out->allow,
                                .capacity = MICA_APP_ALLOW_BYTES - 1,
                                .max = MICA_APP_ALLOW_BYTES - 1};

    *operation_out = NULL;
    for (size_t i = 0; i < MICA_COUNT(operations); i++) {
        if (!operation_fits(&operations[i], target))
            continue;
        if (mica_text_is(method, operations[i].method))
            *operation_out = &operations[i];
        mica_buffer_format(
            &allow, "%s%s%s", allow.len > 0 ? ", " : "", operations[i].method,
            strcmp(operations[i].method, "GET") == 0 ? ", HEAD" : "");
    }
    request_out->allow[allow.len] = '\0';
    if (*operation_out != NULL)
        return MICA_OK;
    if (allow.len == 0)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "there is nothing at this path of the API of "
                              "apps; docs/app-api.md lists its paths");
    return mica_error_set(error, MICA_E_METHOD, "", "this path answers %s only",
                          request_out->allow);
}

// ---- Who sends it ----------------------------------------------------------------

// Is `from` the origin with that host, whatever the scheme? A proxy may add TLS.
static bool
is_of_host(struct mica_text from, struct mica_text host)
{
    static const char *const schemes[] = {"http://", "https://"};

    for (size_t i = 0; i < MICA_COUNT(schemes); i++) {
        size_t length = strlen(schemes[i]);
        if (host.len > 0 && from.len == length + host.len &&
            mica_text_starts(from, schemes[i]) &&
            mica_text_equal(mica_text_slice(from, length, from.len), host))
            return true;
    }
    return false;
}

// [API-1]
bool
mica_app_request_same_site(const struct mica_http_request *request,
                           struct mica_text host, struct mica_text origin)
{
    struct mica_text from = {NULL, 0}, site = {NULL, 0};

    if (mica_header_find(request, "origin", &from) && !is_of_host(from, host) &&
        (origin.len == 0 || !mica_text_equal(from, origin)))
        return false;
    return !mica_header_find(request, "sec-fetch-site", &site) ||
           mica_text_is(site, "same-origin") || mica_text_is(site, "none");
}

static enum mica_status
check_site(const struct mica_http_request *request, struct mica_text host,
           struct mica_text origin, struct mica_error *error)
{
    if (mica_app_request_same_site(request, host, origin))
        return MICA_OK;
    return mica_error_set(error, MICA_E_CROSS_SITE, "",
                          "only pages of this server change apps (Origin, "
                          "Sec-Fetch-Site); a program sends neither header");
}

// [API-2]
static enum mica_status
check_type(const struct mica_http_request *request, struct mica_error *error)
{
    struct mica_text type = {NULL, 0}, coding = {NULL, 0};

    if (request->body.len == 0 && mica_text_is(request->method, "DELETE"))
        return MICA_OK;
    // A patch is one of RFC 7396.
    if (!mica_header_find(request, "content-type", &type) ||
        !(mica_ascii_is(mica_header_bare(type), "application/json") ||
          (mica_text_is(request->method, "PATCH") &&
           mica_ascii_is(mica_header_bare(type),
                         "application/merge-patch+json"))))
        return mica_error_set(
            error, MICA_E_MEDIA, "",
            "the body must be JSON, and Content-Type say "
            "application/json, also of an empty body; that "
            "of a PATCH may say application/merge-patch+json");
    if (mica_header_find(request, "content-encoding", &coding) &&
        !mica_ascii_is(coding, "identity"))
        return mica_error_set(error, MICA_E_MEDIA, "",
                              "the body must come as it is, without a "
                              "Content-Encoding");
    return MICA_OK;
}

// ---- What it says ----------------------------------------------------------------

// An entity tag of this API is a revision in quotes. An edit of a draft names the one that
// it was made from, since two people may edit one draft.
static enum mica_status
read_revision(const struct mica_http_request *request, enum mica_act act,
              struct mica_error *error, int64_t *revision_out)
{
    struct mica_text tag;

    *revision_out = 0;
    if (!mica_header_find(request, "if-match", &tag)) {
        *revision_out = act == MICA_ACT_EDIT ? MICA_ACT_UNSAID : 0;
        return MICA_OK;
    }
    if (mica_text_is(tag, "*"))
        return MICA_OK;
    if (tag.len > 2 && tag.ptr[0] == '"' && tag.ptr[tag.len - 1] == '"' &&
        mica_integer_read(mica_text_slice(tag, 1, tag.len - 1), revision_out) &&
        *revision_out > 0)
        return MICA_OK;
    return mica_error_set(error, MICA_E_CONFIG, "",
                          "If-Match must be the ETag of an earlier answer, "
                          "which is a revision in quotes: \"7\"");
}

static bool
is_member(const struct operation *operation, struct mica_text name)
{
    for (size_t i = 0; i < QUERY_MEMBERS && operation->query[i] != NULL; i++)
        if (mica_text_is(name, operation->query[i]))
            return true;
    return false;
}

static enum mica_status
write_pair(const struct operation *operation, const struct mica_pair *pair,
           struct mica_json_writer *writer, struct mica_error *error)
{
    int64_t number;

    if (!is_member(operation, pair->name))
        return mica_error_set(error, MICA_E_CONFIG, "",
                              "the query has a member that this path does not "
                              "take; docs/app-api.md lists them");
    mica_json_name_text(writer, pair->name);
    // The act refuses a text in place of a number, with the name of the member.
    if (!operation->texts && mica_integer_read(pair->value, &number))
        mica_json_integer(writer, number);
    else
        mica_json_string(writer, mica_utf8_cut(pair->value, VALUE_BYTES));
    return MICA_OK;
}

// A member that stands twice is refused when the act reads its body.
static enum mica_status
read_query(const struct mica_http_request *request,
           const struct operation *operation, struct mica_arena *arena,
           struct mica_error *error, struct mica_text *body_out)
{
    struct mica_json_writer writer;
    struct mica_query query;
    struct mica_buffer body;

    if (mica_query_read(arena, request->query, error, &query) != MICA_OK)
        return mica_error_set(error, MICA_E_CONFIG, "",
                              "the query cannot be read: it is too long, or "
                              "has bytes that are no UTF-8");
    mica_buffer_init(&body, arena, QUERY_BODY_BYTES);
    mica_json_writer_init(&writer, &body);
    mica_json_open_object(&writer);
    for (size_t i = 0; i < query.count; i++)
        MICA_TRY(write_pair(operation, &query.pairs[i], &writer, error));
    mica_json_close_object(&writer);
    if (body.overflow)
        return mica_error_set(error, MICA_E_CONFIG, "",
                              "the query is too long");
    *body_out = mica_buffer_as_text(&body);
    return MICA_OK;
}

// The version of the path as the body of an act.
static enum mica_status
read_version(const struct target *target, struct mica_arena *arena,
             struct mica_error *error, struct mica_text *body_out)
{
    struct mica_buffer body;
    int64_t number;

    if (!mica_integer_read(target->below, &number) || number < 1 ||
        number > INT32_MAX)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "a version is a number from 1");
    mica_buffer_init(&body, arena, VALUE_BYTES);
    mica_buffer_format(&body, "{\"version\":%lld}", (long long)number);
    *body_out = mica_buffer_as_text(&body);
    return MICA_OK;
}

static enum mica_status
read_get(const struct mica_http_request *request,
         const struct operation *operation, const struct target *target,
         struct mica_arena *arena, struct mica_error *error,
         struct mica_act_request *act)
{
    if (target->below.len == 0)
        return read_query(request, operation, arena, error, &act->body);
    act->act = MICA_ACT_VERSION;
    return read_version(target, arena, error, &act->body);
}

// The app of the path as the body of an act.
static enum mica_status
read_member(const struct target *target, struct mica_arena *arena,
            struct mica_error *error, struct mica_text *body_out)
{
    struct mica_json_writer writer;
    struct mica_buffer body;

    mica_buffer_init(&body, arena, QUERY_BODY_BYTES);
    mica_json_writer_init(&writer, &body);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "app", mica_utf8_cut(target->below, VALUE_BYTES));
    mica_json_close_object(&writer);
    if (body.overflow || mica_utf8_valid(target->below) < target->below.len)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "the path names no app");
    *body_out = mica_buffer_as_text(&body);
    return MICA_OK;
}

enum mica_status
mica_app_request_read(const struct mica_http_request *request,
                      struct mica_text host, struct mica_text origin,
                      struct mica_arena *arena, struct mica_error *error,
                      struct mica_app_request *request_out)
{
    struct mica_act_request *act = &request_out->act;
    const struct operation *operation;
    struct target target;

    if (!target_read(request->path, &target))
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "there is nothing at this path of the API of "
                              "apps; docs/app-api.md lists its paths");
    MICA_TRY(operation_find(request, &target, error, request_out, &operation));
    *act = (struct mica_act_request){.act = operation->act,
                                     .app = target.kind == NAMELESS
                                                ? (struct mica_text){NULL, 0}
                                                : target.app,
                                     .body = request->body};
    if (strcmp(operation->method, "GET") == 0)
        return read_get(request, operation, &target, arena, error, act);
    MICA_TRY(check_site(request, host, origin, error));
    MICA_TRY(check_type(request, error));
    if (operation->act == MICA_ACT_REMOVE_MEMBER)
        MICA_TRY(read_member(&target, arena, error, &act->body));
    return read_revision(request, act->act, error, &act->revision);
}

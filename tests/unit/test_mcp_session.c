// SPDX-License-Identifier: Apache-2.0
//
// The rules of sessions and of batches in the MCP core, with a keeper of
// sessions in an array: each function of it can be told to fail, and what it
// holds can be looked at.
#include "test_mcp.h"

#define PING(id) "{" V2 ",'id':" id ",'method':'ping'}"
#define HELLO(version)                                                    \
    "{" V2                                                                \
    ",'id':1,'method':'initialize','params':{'protocolVersion':'" version \
    "','capabilities':{'roots':{}},'clientInfo':{'name':'c'}}}"

// ---- The keeper ----------------------------------------------------------------

struct kept {
    char id[16], owner[16], uri[64];
    enum mica_wire wire;
    bool live, logs;
    enum mica_log_level level;
    char capabilities[128], client_info[128];
};

static struct {
    struct kept sessions[8];
    size_t count;
    enum mica_status failure; // of every function, when not MICA_OK
    unsigned calls;
} keeper;

static enum mica_status
failing(struct mica_error *error)
{
    keeper.calls++;
    if (keeper.failure == MICA_OK)
        return MICA_OK;
    return mica_error_set(error, keeper.failure, "", "the keeper failed");
}

static const char *
owner_name(const struct mica_principal *principal)
{
    return principal != NULL
               ? mica_arena_text(&talk.last_arena, principal->subject).ptr
               : "";
}

static void
copy_text(char *room, size_t size, struct mica_text text)
{
    ck_assert_uint_lt(text.len, size);
    if (text.len > 0)
        memcpy(room, text.ptr, text.len);
    room[text.len] = '\0';
}

static enum mica_status
keep(void *data, struct mica_session *session,
     const struct mica_principal *principal, struct mica_arena *arena,
     struct mica_error *error)
{
    struct kept *kept = &keeper.sessions[keeper.count];

    ck_assert_ptr_eq(data, &keeper);
    MICA_TRY(failing(error));
    ck_assert_uint_lt(keeper.count, MICA_COUNT(keeper.sessions));
    ck_assert_uint_eq(session->id.len, 0);
    (void)snprintf(kept->id, sizeof kept->id, "session-%zu", ++keeper.count);
    (void)snprintf(kept->owner, sizeof kept->owner, "%s",
                   owner_name(principal));
    kept->wire = session->wire;
    kept->live = true;
    copy_text(kept->capabilities, sizeof kept->capabilities,
              session->capabilities);
    copy_text(kept->client_info, sizeof kept->client_info,
              session->client_info);
    session->id = mica_arena_text(arena, mica_text(kept->id));
    return MICA_OK;
}

static struct kept *
kept_of(struct mica_text id)
{
    for (size_t i = 0; i < keeper.count; i++) {
        if (keeper.sessions[i].live && mica_text_is(id, keeper.sessions[i].id))
            return &keeper.sessions[i];
    }
    return NULL;
}

static struct kept *
must_be_kept(const struct mica_session *session)
{
    struct kept *kept = kept_of(session->id);

    ck_assert_ptr_nonnull(kept);
    return kept;
}

static enum mica_status
find_kept(void *data, struct mica_text id,
          const struct mica_principal *principal, struct mica_arena *arena,
          struct mica_error *error, struct mica_session *session_out)
{
    struct kept *kept = kept_of(id);

    ck_assert_ptr_eq(data, &keeper);
    (void)arena;
    MICA_TRY(failing(error));
    if (kept == NULL || strcmp(kept->owner, owner_name(principal)) != 0)
        return mica_error_set(error, MICA_E_NOT_FOUND, "", "secret reason");
    *session_out =
        (struct mica_session){.id = id,
                              .wire = kept->wire,
                              .logs = kept->logs,
                              .log_level = kept->level,
                              .capabilities = mica_text(kept->capabilities),
                              .client_info = mica_text(kept->client_info)};
    return MICA_OK;
}

static enum mica_status
end_kept(void *data, const struct mica_session *session,
         struct mica_error *error)
{
    ck_assert_ptr_eq(data, &keeper);
    MICA_TRY(failing(error));
    must_be_kept(session)->live = false;
    return MICA_OK;
}

static enum mica_status
set_kept_level(void *data, const struct mica_session *session,
               enum mica_log_level level, struct mica_error *error)
{
    ck_assert_ptr_eq(data, &keeper);
    MICA_TRY(failing(error));
    must_be_kept(session)->logs = true;
    must_be_kept(session)->level = level;
    return MICA_OK;
}

static enum mica_status
subscribe_kept(void *data, const struct mica_session *session,
               struct mica_text uri, bool on, struct mica_error *error)
{
    struct kept *kept = must_be_kept(session);

    ck_assert_ptr_eq(data, &keeper);
    MICA_TRY(failing(error));
    copy_text(kept->uri, sizeof kept->uri,
              on ? uri : (struct mica_text){NULL, 0});
    return MICA_OK;
}

static const struct mica_sessions sessions = {.data = &keeper,
                                              .create = keep,
                                              .find = find_kept,
                                              .end = end_kept,
                                              .set_log_level = set_kept_level,
                                              .subscribe = subscribe_kept};

static const struct mica_principal alice = {.subject = {"alice", 5}};
static const struct mica_principal bob = {.subject = {"bob", 3}};
static const struct mica_principal *asker;

static void
nobody_cares(void *data, const struct mica_change *change)
{
    (void)data, (void)change;
}

static void
open_sessions(void)
{
    open_server();
    memset(&keeper, 0, sizeof keeper);
    asker = NULL;
    talk.server->sessions = &sessions;
    talk.server->changed = nobody_cares;
    atomic_fetch_or(&talk.server->declared,
                    MICA_DECLARED_RESOURCES | MICA_DECLARED_LOGGING);
}

// Sends what was built, as `asker`; the HTTP status.
static unsigned
ask(void)
{
    mica_arena_reset(&talk.arena);
    mica_message_init(&talk.message, talk.server, &talk.arena);
    talk.message.principal = asker;
    mica_message_http(&talk.message, allowed_by_test, &talk.request);
    if (talk.message.step == MICA_STEP_STREAM) {
        take_reply((struct mica_text){NULL, 0});
        return 0;
    }
    finish_message();
    mica_message_response(&talk.message, &talk.response);
    return talk.response.status;
}

static void
post(const char *id, const char *body)
{
    request("POST", quoted("%s", body));
    if (id != NULL)
        again("Mcp-Session-Id", id);
}

static void
begin(const char *version)
{
    post(NULL, "");
    talk.request.body =
        mica_text(quoted("{" V2 ",'id':1,'method':'initialize','params':{"
                         "'protocolVersion':'%s','capabilities':{'roots':{}},"
                         "'clientInfo':{'name':'c'}}}",
                         version));
    ck_assert_uint_eq(ask(), 200);
    ck_assert(strstr(at("/result/protocolVersion"), version) != NULL);
}

// ---- Beginning -----------------------------------------------------------------

START_TEST(a_handshake_begins_a_session)
{
    post(NULL, HELLO("2025-06-18"));
    ck_assert_uint_eq(ask(), 200);
    ck_assert_str_eq(response_header("Mcp-Session-Id"), "session-1");
    ck_assert_int_eq(keeper.sessions[0].wire, MICA_WIRE_2025_06_18);
    ck_assert_str_eq(keeper.sessions[0].capabilities, "{\"roots\":{}}");
    ck_assert_str_eq(keeper.sessions[0].client_info, "{\"name\":\"c\"}");
    post("session-1", PING("2"));
    ck_assert_uint_eq(ask(), 200);
    ck_at("/result", "{}");
    ck_assert_str_eq(response_header("Mcp-Session-Id"), "(absent)");
    post("session-1", "{" V2 ",'method':'notifications/initialized'}");
    ck_assert_uint_eq(ask(), 202);
}
END_TEST

START_TEST(a_handshake_that_fails_begins_none)
{
    post(NULL, "{" V2 ",'id':1,'method':'initialize'}");
    ck_assert_uint_eq(ask(), 200);
    ck_error("-32602", "MISSING_FIELD", "1");
    ck_assert_str_eq(response_header("Mcp-Session-Id"), "(absent)");
    ck_assert_uint_eq(keeper.count, 0);
}
END_TEST

START_TEST(a_handshake_inside_a_session_is_400)
{
    begin("2025-11-25");
    post("session-1", HELLO("2025-11-25"));
    ck_assert_uint_eq(ask(), 400);
    ck_error("-32600", "ALREADY_EXISTS", "1");
    ck_assert_uint_eq(keeper.count, 1);
}
END_TEST

START_TEST(a_stateless_request_ignores_sessions)
{
    begin("2025-11-25");
    keeper.calls = 0;
    modern("tools/list", NULL,
           quoted("{" V2 ",'id':1,'method':'tools/list','params':{" META "}}"));
    again("Mcp-Session-Id", "stolen");
    ck_assert_uint_eq(ask(), 200);
    ck_assert_str_eq(response_header("Mcp-Session-Id"), "(absent)");
    ck_assert_uint_eq(keeper.calls, 0);
    // And initialize in its clothes is a method it has not.
    modern("initialize", NULL,
           quoted("{" V2 ",'id':1,'method':'initialize','params':{" META "}}"));
    ck_assert_uint_eq(ask(), 404);
    ck_error("-32601", "NOT_FOUND", "1");
}
END_TEST

// ---- Whose ---------------------------------------------------------------------

START_TEST(without_an_id_it_is_400_and_no_stateless_code)
{
    post(NULL, PING("1"));
    ck_assert_uint_eq(ask(), 400);
    ck_error("-32600", "MISSING_FIELD", "1");
    ck_says("/error/message", "initialize");
    post(NULL, "{" V2 ",'method':'notifications/initialized'}");
    ck_assert_uint_eq(ask(), 400);
    post(NULL, "{" V2 ",'id':1,'result':{}}");
    ck_assert_uint_eq(ask(), 400);
    request("GET", "");
    again("Accept", "text/event-stream");
    ck_assert_uint_eq(ask(), 400);
    request("DELETE", "");
    ck_assert_uint_eq(ask(), 400);
    // A revision of neither era: the answer that clients of both understand.
    post(NULL, PING("1"));
    again("MCP-Protocol-Version", "1999-01-01");
    ck_assert_uint_eq(ask(), 400);
    ck_error("-32022", "UNKNOWN_FIELD", "1");
}
END_TEST

// What nobody may learn: whether there is or was such a session.
static void
ck_nobody(const char *id)
{
    static const char *const methods[] = {"POST", "GET", "DELETE"};
    char *first = NULL;

    for (size_t i = 0; i < MICA_COUNT(methods); i++) {
        request(methods[i], quoted("%s", PING("1")));
        again("Mcp-Session-Id", id);
        again("Accept", "text/event-stream, application/json");
        ck_assert_uint_eq(ask(), 404);
        ck_error("-32600", "NOT_FOUND", i == 0 ? "1" : "(absent)");
        ck_assert_ptr_null(strstr(talk.reply, "secret"));
        if (first == NULL)
            first = strdup(at("/error/message"));
        ck_assert_str_eq(at("/error/message"), first);
    }
    free(first);
}

START_TEST(an_unknown_id_is_404)
{
    begin("2025-11-25");
    ck_nobody("session-2");
    ck_nobody("session-1 x");
    ck_nobody("session-\xc3\xa9");
    ck_nobody("");
}
END_TEST

START_TEST(an_id_too_long_is_not_looked_for)
{
    static char id[300];

    memset(id, 'a', sizeof id - 1);
    begin("2025-11-25");
    keeper.calls = 0;
    ck_nobody(id);
    ck_assert_uint_eq(keeper.calls, 0);
}
END_TEST

START_TEST(a_session_is_its_principals_alone)
{
    asker = &alice;
    begin("2025-11-25");
    post("session-1", PING("1"));
    ck_assert_uint_eq(ask(), 200);
    asker = &bob;
    ck_nobody("session-1");
    asker = NULL;
    ck_nobody("session-1");
    asker = &alice;
    ck_assert(keeper.sessions[0].live);
    post("session-1", PING("1"));
    ck_assert_uint_eq(ask(), 200);
}
END_TEST

START_TEST(an_ended_session_is_404)
{
    begin("2025-11-25");
    request("DELETE", "");
    again("Mcp-Session-Id", "session-1");
    ck_assert_uint_eq(ask(), 204);
    ck_assert_str_eq(talk.reply, "");
    ck_nobody("session-1");
}
END_TEST

START_TEST(an_id_given_twice_is_400)
{
    begin("2025-11-25");
    post("session-1", PING("1"));
    again("mcp-session-id", "session-1");
    ck_assert_uint_eq(ask(), 400);
    ck_error("-32600", "BAD_FORMAT", "1");
}
END_TEST

// ---- Revisions -----------------------------------------------------------------

START_TEST(what_was_agreed_counts_and_not_the_header)
{
    static const char *const fine[] = {"2025-03-26", "2025-06-18",
                                       "2025-11-25"};

    begin("2025-03-26");
    for (size_t i = 0; i < MICA_COUNT(fine); i++) {
        post("session-1", "{" V2 ",'id':1,'method':'tools/call','params':{"
                          "'name':'echo','arguments':{'a':1}}}");
        again("MCP-Protocol-Version", fine[i]);
        ck_assert_uint_eq(ask(), 200);
        ck_assert_str_eq(at("/result/structuredContent"), "(absent)");
    }
    post("session-1", PING("1"));
    again("MCP-Protocol-Version", "garbage");
    ck_assert_uint_eq(ask(), 400);
    ck_error("-32600", "UNKNOWN_FIELD", "1");
    // A request that names the stateless revision is of that one.
    post("session-1", PING("1"));
    again("MCP-Protocol-Version", "2026-07-28");
    ck_assert_uint_eq(ask(), 400);
    ck_error("-32602", "MISSING_FIELD", "1");
}
END_TEST

START_TEST(get_and_delete_are_not_for_the_stateless_revision)
{
    static const char *const methods[] = {"GET", "DELETE", "PUT"};

    begin("2025-11-25");
    for (size_t i = 0; i < MICA_COUNT(methods); i++) {
        request(methods[i], "");
        again("Mcp-Session-Id", "session-1");
        if (i < 2)
            again("MCP-Protocol-Version", "2026-07-28");
        ck_assert_uint_eq(ask(), 405);
        ck_assert(strstr(response_header("Allow"), "POST") != NULL);
    }
    ck_assert(keeper.sessions[0].live);
}
END_TEST

// ---- GET -----------------------------------------------------------------------

START_TEST(a_get_opens_a_stream)
{
    begin("2025-11-25");
    request("GET", "");
    again("Mcp-Session-Id", "session-1");
    again("Accept", "application/json");
    ck_assert_uint_eq(ask(), 406);
    header("Accept", "text/event-stream");
    ck_assert_uint_eq(ask(), 0);
    ck_assert_int_eq(talk.message.step, MICA_STEP_STREAM);
    ck_assert(!talk.message.resumes);
    ck_assert(mica_text_is(talk.message.session.id, "session-1"));
    again("Last-Event-ID", "1-2");
    ck_assert_uint_eq(ask(), 0);
    ck_assert(talk.message.resumes);
    ck_assert(mica_text_is(talk.message.last_event_id, "1-2"));
}
END_TEST

// ---- Methods -------------------------------------------------------------------

START_TEST(a_log_level_is_the_sessions)
{
    begin("2025-11-25");
    begin("2025-11-25");
    post("session-1", "{" V2 ",'id':1,'method':'logging/setLevel','params':{"
                      "'level':'warning'}}");
    ck_assert_uint_eq(ask(), 200);
    ck_reply("{" V2 ",'id':1,'result':{}}");
    post("session-1", PING("1"));
    ck_assert_uint_eq(ask(), 200);
    ck_assert(talk.message.logs);
    ck_assert_int_eq(talk.message.log_level, MICA_LOG_WARNING);
    post("session-2", PING("1"));
    ck_assert_uint_eq(ask(), 200);
    ck_assert(!talk.message.logs);
    post("session-2", "{" V2 ",'id':1,'method':'logging/setLevel','params':{"
                      "'level':'loud'}}");
    ck_assert_uint_eq(ask(), 200);
    ck_error("-32602", "NOT_A_CHOICE", "1");
}
END_TEST

START_TEST(a_subscription_is_the_sessions)
{
    begin("2025-11-25");
    post("session-1", "{" V2 ",'id':'a','method':'resources/subscribe',"
                      "'params':{'uri':'test://x'}}");
    ck_assert_uint_eq(ask(), 200);
    ck_reply("{" V2 ",'id':'a','result':{}}");
    ck_assert_str_eq(keeper.sessions[0].uri, "test://x");
    post("session-1", "{" V2 ",'id':'a','method':'resources/unsubscribe',"
                      "'params':{'uri':'test://x'}}");
    ck_assert_uint_eq(ask(), 200);
    ck_reply("{" V2 ",'id':'a','result':{}}");
    ck_assert_str_eq(keeper.sessions[0].uri, "");
    post("session-1", "{" V2 ",'id':'a','method':'resources/subscribe'}");
    ck_assert_uint_eq(ask(), 200);
    ck_error("-32602", "MISSING_FIELD", "\"a\"");
}
END_TEST

START_TEST(without_sessions_there_is_nothing_to_remember)
{
    static const char *const methods[] = {
        "logging/setLevel", "resources/subscribe", "resources/unsubscribe"};

    talk.server->sessions = NULL;
    for (size_t i = 0; i < MICA_COUNT(methods); i++) {
        request("POST", quoted("{" V2 ",'id':1,'method':'%s','params':{"
                               "'level':'info','uri':'test://x'}}",
                               methods[i]));
        ck_assert_uint_eq(ask(), 200);
        ck_error("-32601", "NOT_FOUND", "1");
    }
}
END_TEST

START_TEST(a_cancellation_is_taken_inside_a_session)
{
    begin("2025-11-25");
    post("session-1", "{" V2 ",'method':'notifications/cancelled','params':{"
                      "'requestId':'7'}}");
    ck_assert_uint_eq(ask(), 202);
    ck_assert_int_eq(talk.message.step, MICA_STEP_CANCEL);
    ck_assert(mica_text_is(mica_message_cancels(&talk.message, 0), "\"7\""));
    ck_assert_uint_eq(mica_message_cancels(&talk.message, 1).len, 0);
    // Over HTTP the stateless revision cancels by closing.
    post(NULL, "{" V2 ",'method':'notifications/cancelled','params':{"
               "'requestId':'7'}}");
    again("MCP-Protocol-Version", "2026-07-28");
    ck_assert_uint_eq(ask(), 202);
    ck_assert_int_eq(talk.message.step, MICA_STEP_SILENT);
}
END_TEST

// ---- A keeper that fails ---------------------------------------------------------

START_TEST(each_failure_of_the_keeper_has_a_code)
{
    static const struct {
        enum mica_status status;
        unsigned http;
        const char *code;
    } failures[] = {{MICA_E_BUSY, 503, "BUSY"},
                    {MICA_E_IO, 500, "IO_ERROR"},
                    {MICA_E_LIMIT, 503, "LIMIT_EXCEEDED"}};
    static const char *const bodies[] = {PING("1"), HELLO("2025-11-25"),
                                         "{" V2
                                         ",'id':1,'method':'tools/list'}"};

    begin("2025-11-25");
    for (size_t i = 0; i < MICA_COUNT(failures); i++) {
        keeper.failure = failures[i].status;
        for (size_t j = 0; j < MICA_COUNT(bodies); j++) {
            post(j == 1 ? NULL : "session-1", bodies[j]);
            ck_assert_uint_eq(ask(), failures[i].http);
            ck_error("-32603", failures[i].code, "1");
            ck_says("/error/message", "the keeper failed");
            ck_assert_str_eq(response_header("Mcp-Session-Id"), "(absent)");
        }
        request("DELETE", "");
        again("Mcp-Session-Id", "session-1");
        ck_assert_uint_eq(ask(), failures[i].http);
        keeper.failure = MICA_OK;
        post("session-1", PING("1"));
        ck_assert_uint_eq(ask(), 200);
    }
}
END_TEST

// Found, and then it fails.
static enum mica_status
find_then_fail(void *data, struct mica_text id,
               const struct mica_principal *principal, struct mica_arena *arena,
               struct mica_error *error, struct mica_session *session_out)
{
    enum mica_status status =
        find_kept(data, id, principal, arena, error, session_out);

    keeper.failure = MICA_E_IO;
    return status;
}

START_TEST(a_failure_behind_the_door_has_a_code)
{
    static const char *const bodies[] = {
        "{" V2 ",'id':1,'method':'logging/setLevel','params':{'level':'info'}}",
        "{" V2 ",'id':1,'method':'resources/subscribe','params':{'uri':'a'}}",
        "{" V2
        ",'id':1,'method':'resources/unsubscribe','params':{'uri':'a'}}"};
    struct mica_sessions failing_ones = sessions;

    begin("2025-11-25");
    failing_ones.find = find_then_fail;
    talk.server->sessions = &failing_ones;
    for (size_t i = 0; i < MICA_COUNT(bodies); i++) {
        keeper.failure = MICA_OK;
        post("session-1", bodies[i]);
        ck_assert_uint_eq(ask(), 500);
        ck_error("-32603", "IO_ERROR", "1");
    }
    keeper.failure = MICA_OK;
    request("DELETE", "");
    again("Mcp-Session-Id", "session-1");
    ck_assert_uint_eq(ask(), 500);
    ck_assert(keeper.sessions[0].live);
}
END_TEST

static enum mica_status
full(void *data, const struct mica_session *session, struct mica_text uri,
     bool on, struct mica_error *error)
{
    (void)data, (void)session, (void)uri, (void)on;
    return mica_error_set(error, MICA_E_LIMIT, "", "enough of them");
}

START_TEST(too_many_subscriptions_are_the_clients_matter)
{
    struct mica_sessions failing_ones = sessions;

    begin("2025-11-25");
    failing_ones.subscribe = full;
    talk.server->sessions = &failing_ones;
    post("session-1", "{" V2 ",'id':1,'method':'resources/subscribe',"
                      "'params':{'uri':'a'}}");
    ck_assert_uint_eq(ask(), 200);
    ck_error("-32602", "LIMIT_EXCEEDED", "1");
}
END_TEST

// ---- Batches ---------------------------------------------------------------------

#define BATCH_OF_ALL                                                           \
    "[" PING("1") ",{" V2 ",'method':'notifications/initialized'}"             \
                  ",{" V2                                                      \
                  ",'id':'two','method':'tools/call','params':{'name':'echo'," \
                  "'arguments':{'a':2}}},{" V2 ",'id':3,'result':{}},"         \
                  "{" V2 ",'id':4,'method':'nothing'},7]"

static void
ck_batch_of_all(void)
{
    ck_at("/0/id", "1");
    ck_at("/0/result", "{}");
    ck_at("/1/id", "'two'");
    ck_says("/1/result/content/0/text", "{\\\"a\\\":2}");
    ck_at("/2/id", "4");
    ck_at("/2/error/code", "-32601");
    ck_at("/3/error/code", "-32600");
    ck_assert_str_eq(at("/3/id"), "(absent)");
    ck_assert_str_eq(at("/4"), "(absent)");
}

// A reply that is an array is none of JSON-RPC's responses: read it here.
static void
take_array(void)
{
    struct mica_text reply = mica_buffer_as_text(&talk.message.reply);
    struct mica_error error;

    mica_arena_reset(&talk.last_arena);
    memset(&talk.last, 0, sizeof talk.last);
    free(talk.reply);
    talk.reply = calloc(1, reply.len + 1);
    ck_assert_ptr_nonnull(talk.reply);
    if (reply.len > 0)
        memcpy(talk.reply, reply.ptr, reply.len);
    if (talk.message.step == MICA_STEP_REPLY &&
        mica_json_read(&talk.last_arena, mica_text(talk.reply), NULL, &error,
                       &talk.last) != MICA_OK)
        ck_abort_msg("not JSON: %s", talk.reply);
}

// The HTTP status. `inline_too` tries on the spot before it works.
static unsigned
ask_batch(bool inline_too)
{
    mica_arena_reset(&talk.arena);
    mica_message_init(&talk.message, talk.server, &talk.arena);
    mica_message_http(&talk.message, allowed_by_test, &talk.request);
    if (talk.message.step == MICA_STEP_WORK &&
        (!inline_too || !mica_message_try(&talk.message)))
        mica_message_work(&talk.message);
    ck_assert_int_ne(talk.message.step, MICA_STEP_WORK);
    take_array();
    mica_message_end(&talk.message);
    return talk.message.http_status;
}

START_TEST(each_request_of_a_batch_is_answered)
{
    begin("2025-03-26");
    for (int i = 0; i < 2; i++) {
        post("session-1", BATCH_OF_ALL);
        ck_assert_uint_eq(ask_batch(i == 1), 200);
        ck_batch_of_all();
    }
    talk.server->sessions = NULL; // an absent header means that revision
    post(NULL, BATCH_OF_ALL);
    ck_assert_uint_eq(ask_batch(true), 200);
    ck_batch_of_all();
}
END_TEST

START_TEST(a_batch_that_asks_nothing_is_202)
{
    begin("2025-03-26");
    post("session-1", "[{" V2 ",'method':'notifications/initialized'},"
                      "{" V2 ",'id':1,'result':{}},"
                      "{" V2 ",'method':'notifications/cancelled','params':{"
                      "'requestId':5}},"
                      "{" V2 ",'method':'notifications/cancelled','params':{"
                      "'requestId':'6'}}]");
    mica_arena_reset(&talk.arena);
    mica_message_init(&talk.message, talk.server, &talk.arena);
    mica_message_http(&talk.message, allowed_by_test, &talk.request);
    ck_assert_int_eq(talk.message.step, MICA_STEP_SILENT);
    ck_assert_uint_eq(talk.message.http_status, 202);
    ck_assert(mica_text_is(mica_message_cancels(&talk.message, 0), "5"));
    ck_assert(mica_text_is(mica_message_cancels(&talk.message, 1), "\"6\""));
    ck_assert_uint_eq(mica_message_cancels(&talk.message, 2).len, 0);
    mica_message_end(&talk.message);
}
END_TEST

START_TEST(a_handshake_and_the_stateless_have_no_place_in_a_batch)
{
    begin("2025-03-26");
    post("session-1",
         "[" HELLO("2025-03-26") ",{" V2 ",'id':2,'method':'tools/list',"
                                 "'params':{" META "}}]");
    ck_assert_uint_eq(ask_batch(true), 200);
    ck_at("/0/error/code", "-32600");
    ck_at("/1/error/code", "-32600");
    ck_assert_uint_eq(keeper.count, 1);
}
END_TEST

START_TEST(other_revisions_have_no_batches)
{
    begin("2025-06-18");
    begin("2025-11-25");
    post("session-1", "[" PING("1") "]");
    ck_assert_uint_eq(ask(), 400);
    ck_error("-32600", "WRONG_TYPE", "(absent)");
    post("session-2", "[" PING("1") "]");
    ck_assert_uint_eq(ask(), 400);
    post(NULL, "[" PING("1") "]");
    ck_assert_uint_eq(ask(), 400);
    ck_error("-32600", "MISSING_FIELD", "(absent)");
    post(NULL, "[" PING("1") "]");
    again("MCP-Protocol-Version", "2026-07-28");
    ck_assert_uint_eq(ask(), 400);
    ck_error("-32600", "WRONG_TYPE", "(absent)");
}
END_TEST

START_TEST(a_batch_has_one_to_a_hundred_messages)
{
    static char body[8000];
    size_t used;

    begin("2025-03-26");
    post("session-1", "[]");
    ck_assert_uint_eq(ask(), 400);
    ck_error("-32600", "WRONG_TYPE", "(absent)");
    for (unsigned count = 100; count <= 101; count++) {
        used = (size_t)snprintf(body, sizeof body, "[");
        for (unsigned i = 0; i < count; i++)
            used += (size_t)snprintf(
                body + used, sizeof body - used, "%s%s", i > 0 ? "," : "",
                quoted("{" V2 ",'id':%u,'method':'ping'}", i));
        (void)snprintf(body + used, sizeof body - used, "]");
        post("session-1", "");
        talk.request.body = mica_text(body);
        if (count == 100) {
            ck_assert_uint_eq(ask_batch(true), 200);
            ck_at("/99/id", "99");
        } else {
            ck_assert_uint_eq(ask(), 400);
            ck_error("-32600", "LIMIT_EXCEEDED", "(absent)");
        }
    }
}
END_TEST

START_TEST(a_part_of_a_batch_can_be_cancelled)
{
    begin("2025-03-26");
    post("session-1",
         "[{" V2 ",'id':1,'method':'tools/call','params':{'name':'count'}},"
         "{" V2 ",'id':'1','method':'tools/call','params':{'name':'count'}}]");
    mica_arena_reset(&talk.arena);
    mica_message_init(&talk.message, talk.server, &talk.arena);
    mica_message_http(&talk.message, allowed_by_test, &talk.request);
    ck_assert_int_eq(talk.message.step, MICA_STEP_WORK);
    ck_assert(!mica_message_cancel(&talk.message, MICA_LITERAL("2")));
    ck_assert(mica_message_cancel(&talk.message, MICA_LITERAL("\"1\"")));
    mica_message_work(&talk.message);
    take_array();
    ck_at("/0/id", "1");
    ck_assert_str_eq(at("/1"), "(absent)");
    ck_assert_int_eq(count_runs, 1);
    mica_message_end(&talk.message);
}
END_TEST

START_TEST(nobody_waits_for_any_part_of_a_batch)
{
    begin("2025-03-26");
    post("session-1",
         "[{" V2 ",'id':1,'method':'tools/call','params':{'name':'count'}},"
         "{" V2 ",'id':'1','method':'tools/call','params':{'name':'count'}}]");
    mica_arena_reset(&talk.arena);
    mica_message_init(&talk.message, talk.server, &talk.arena);
    mica_message_http(&talk.message, allowed_by_test, &talk.request);
    atomic_store(&talk.message.cancelled, true);
    mica_message_work(&talk.message);
    ck_assert_int_eq(talk.message.step, MICA_STEP_SILENT);
    ck_assert_int_eq(count_runs, 0);
    mica_message_end(&talk.message);
}
END_TEST

START_TEST(a_pipe_has_batches_too)
{
    const char *text = quoted("%s", BATCH_OF_ALL);

    ck_assert(strstr(line(quoted("[" PING("1") "]")), "-32600") != NULL);
    shake_hands("2025-03-26");
    mica_arena_reset(&talk.arena);
    mica_message_init(&talk.message, talk.server, &talk.arena);
    mica_message_line(&talk.message, &talk.state, mica_text(text));
    ck_assert_int_eq(talk.message.step, MICA_STEP_WORK);
    mica_message_work(&talk.message);
    take_array();
    ck_batch_of_all();
    mica_message_end(&talk.message);
    shake_hands("2025-06-18");
    ck_assert(strstr(line(quoted("[" PING("1") "]")), "-32600") != NULL);
}
END_TEST

START_TEST(a_pipe_has_a_log_level)
{
    shake_hands("2025-06-18");
    line(quoted("{" V2 ",'id':1,'method':'logging/setLevel','params':{"
                "'level':'error'}}"));
    ck_reply("{" V2 ",'id':1,'result':{}}");
    line(quoted(PING("2")));
    ck_assert(talk.message.logs);
    ck_assert_int_eq(talk.message.log_level, MICA_LOG_ERROR);
}
END_TEST

static TCase *
add(Suite *suite, const char *name)
{
    TCase *group = tcase_create(name);

    tcase_add_checked_fixture(group, open_sessions, close_server);
    suite_add_tcase(suite, group);
    return group;
}

static void
add_sessions(TCase *group)
{
    tcase_add_test(group, a_handshake_begins_a_session);
    tcase_add_test(group, a_handshake_that_fails_begins_none);
    tcase_add_test(group, a_handshake_inside_a_session_is_400);
    tcase_add_test(group, a_stateless_request_ignores_sessions);
    tcase_add_test(group, without_an_id_it_is_400_and_no_stateless_code);
    tcase_add_test(group, an_unknown_id_is_404);
    tcase_add_test(group, an_id_too_long_is_not_looked_for);
    tcase_add_test(group, a_session_is_its_principals_alone);
    tcase_add_test(group, an_ended_session_is_404);
    tcase_add_test(group, an_id_given_twice_is_400);
    tcase_add_test(group, what_was_agreed_counts_and_not_the_header);
    tcase_add_test(group, get_and_delete_are_not_for_the_stateless_revision);
    tcase_add_test(group, a_get_opens_a_stream);
    tcase_add_test(group, a_log_level_is_the_sessions);
    tcase_add_test(group, a_subscription_is_the_sessions);
    tcase_add_test(group, without_sessions_there_is_nothing_to_remember);
    tcase_add_test(group, a_cancellation_is_taken_inside_a_session);
    tcase_add_test(group, each_failure_of_the_keeper_has_a_code);
    tcase_add_test(group, a_failure_behind_the_door_has_a_code);
    tcase_add_test(group, too_many_subscriptions_are_the_clients_matter);
}

int
main(void)
{
    Suite *suite = suite_create("mcp sessions");
    TCase *batches = add(suite, "batches");

    add_sessions(add(suite, "sessions"));
    tcase_add_test(batches, each_request_of_a_batch_is_answered);
    tcase_add_test(batches, a_batch_that_asks_nothing_is_202);
    tcase_add_test(batches,
                   a_handshake_and_the_stateless_have_no_place_in_a_batch);
    tcase_add_test(batches, other_revisions_have_no_batches);
    tcase_add_test(batches, a_batch_has_one_to_a_hundred_messages);
    tcase_add_test(batches, a_part_of_a_batch_can_be_cancelled);
    tcase_add_test(batches, nobody_waits_for_any_part_of_a_batch);
    tcase_add_test(batches, a_pipe_has_batches_too);
    tcase_add_test(batches, a_pipe_has_a_log_level);
    return run_suite(suite);
}

// SPDX-License-Identifier: Apache-2.0
//
// What the tests of sessions and batches share: a session store in an
// array, each function of which can be told to fail, and whose contents can be
// looked at; and requests to a server that has it.
#ifndef MICA_TEST_SERVER_SESSION_H
#define MICA_TEST_SERVER_SESSION_H

#include "test_server.h"

#define PING(id) "{" V2 ",'id':" id ",'method':'ping'}"
#define HELLO(version)                                                    \
    "{" V2                                                                \
    ",'id':1,'method':'initialize','params':{'protocolVersion':'" version \
    "','capabilities':{'roots':{}},'clientInfo':{'name':'c'}}}"

// ---- The session store ----------------------------------------------------------------

struct kept {
    char id[16], owner[16], uri[64];
    enum mica_revision revision;
    bool live, logs;
    enum mica_log_level level;
    char capabilities[128], client_info[128];
};

static struct {
    struct kept sessions[8];
    size_t count;
    enum mica_status failure; // of every function, when not MICA_OK
    unsigned calls;
} session_store;

static inline enum mica_status
failing(struct mica_error *error)
{
    session_store.calls++;
    if (session_store.failure == MICA_OK)
        return MICA_OK;
    return mica_error_set(error, session_store.failure, "",
                          "the session store failed");
}

static inline const char *
owner_name(const struct mica_caller *caller)
{
    return caller->principal != NULL
               ? mica_arena_text(&harness.last_arena,
                                 caller->principal->subject)
                     .ptr
               : "";
}

static inline void
copy_text(char *room, size_t size, struct mica_text text)
{
    ck_assert_uint_lt(text.len, size);
    if (text.len > 0)
        memcpy(room, text.ptr, text.len);
    room[text.len] = '\0';
}

static inline enum mica_status
keep(void *data, struct mica_session *session, const struct mica_caller *caller,
     struct mica_arena *arena, struct mica_error *error)
{
    struct kept *kept = &session_store.sessions[session_store.count];

    ck_assert_ptr_eq(data, &session_store);
    MICA_TRY(failing(error));
    ck_assert_uint_lt(session_store.count, MICA_COUNT(session_store.sessions));
    ck_assert_uint_eq(session->id.len, 0);
    (void)snprintf(kept->id, sizeof kept->id, "session-%zu",
                   ++session_store.count);
    (void)snprintf(kept->owner, sizeof kept->owner, "%s", owner_name(caller));
    kept->revision = session->revision;
    kept->live = true;
    copy_text(kept->capabilities, sizeof kept->capabilities,
              session->capabilities);
    copy_text(kept->client_info, sizeof kept->client_info,
              session->client_info);
    session->id = mica_arena_text(arena, mica_text(kept->id));
    return MICA_OK;
}

static inline struct kept *
kept_of(struct mica_text id)
{
    for (size_t i = 0; i < session_store.count; i++) {
        if (session_store.sessions[i].live &&
            mica_text_is(id, session_store.sessions[i].id))
            return &session_store.sessions[i];
    }
    return NULL;
}

static inline struct kept *
must_be_kept(const struct mica_session *session)
{
    struct kept *kept = kept_of(session->id);

    ck_assert_ptr_nonnull(kept);
    return kept;
}

static inline enum mica_status
find_kept(void *data, struct mica_text id, const struct mica_caller *caller,
          struct mica_arena *arena, struct mica_error *error,
          struct mica_session *session_out)
{
    struct kept *kept = kept_of(id);

    ck_assert_ptr_eq(data, &session_store);
    (void)arena;
    MICA_TRY(failing(error));
    if (kept == NULL || strcmp(kept->owner, owner_name(caller)) != 0)
        return mica_error_set(error, MICA_E_NOT_FOUND, "", "secret reason");
    *session_out =
        (struct mica_session){.id = id,
                              .revision = kept->revision,
                              .logs = kept->logs,
                              .log_level = kept->level,
                              .capabilities = mica_text(kept->capabilities),
                              .client_info = mica_text(kept->client_info)};
    return MICA_OK;
}

static inline enum mica_status
end_kept(void *data, const struct mica_session *session,
         struct mica_error *error)
{
    ck_assert_ptr_eq(data, &session_store);
    MICA_TRY(failing(error));
    must_be_kept(session)->live = false;
    return MICA_OK;
}

static inline enum mica_status
set_kept_level(void *data, const struct mica_session *session,
               enum mica_log_level level, struct mica_error *error)
{
    ck_assert_ptr_eq(data, &session_store);
    MICA_TRY(failing(error));
    must_be_kept(session)->logs = true;
    must_be_kept(session)->level = level;
    return MICA_OK;
}

static inline enum mica_status
subscribe_kept(void *data, const struct mica_session *session,
               struct mica_text uri, bool on, struct mica_error *error)
{
    struct kept *kept = must_be_kept(session);

    ck_assert_ptr_eq(data, &session_store);
    MICA_TRY(failing(error));
    copy_text(kept->uri, sizeof kept->uri,
              on ? uri : (struct mica_text){NULL, 0});
    return MICA_OK;
}

static const struct mica_sessions sessions = {.data = &session_store,
                                              .create = keep,
                                              .find = find_kept,
                                              .end = end_kept,
                                              .set_log_level = set_kept_level,
                                              .subscribe = subscribe_kept};

static const struct mica_principal *asker;

static inline void
nobody_cares(void *data, const struct mica_change *change)
{
    (void)data, (void)change;
}

static inline void
open_sessions(void)
{
    open_server();
    memset(&session_store, 0, sizeof session_store);
    asker = NULL;
    harness.server->sessions = &sessions;
    harness.server->registry.changed = nobody_cares;
    harness.server->registry.main->declared |=
        MICA_DECLARED_RESOURCES | MICA_DECLARED_LOGGING;
}

// Sends what was built, as `asker`; the HTTP status.
static inline unsigned
ask(void)
{
    mica_arena_reset(&harness.arena);
    mica_message_init(&harness.message, harness.server, &harness.arena);
    harness.message.context.principal = asker;
    mica_message_http(&harness.message, allowed_by_test, &harness.request);
    if (harness.message.step == MICA_STEP_STREAM) {
        take_reply((struct mica_text){NULL, 0});
        return 0;
    }
    finish_message();
    mica_message_response(&harness.message, &harness.response);
    return harness.response.status;
}

static inline void
post(const char *id, const char *body)
{
    request("POST", quoted("%s", body));
    if (id != NULL)
        again("Mcp-Session-Id", id);
}

static inline void
begin(const char *version)
{
    post(NULL, "");
    harness.request.body =
        mica_text(quoted("{" V2 ",'id':1,'method':'initialize','params':{"
                         "'protocolVersion':'%s','capabilities':{'roots':{}},"
                         "'clientInfo':{'name':'c'}}}",
                         version));
    ck_assert_uint_eq(ask(), 200);
    ck_assert(strstr(at("/result/protocolVersion"), version) != NULL);
}

static inline TCase *
add(Suite *suite, const char *name)
{
    TCase *group = tcase_create(name);

    tcase_add_checked_fixture(group, open_sessions, close_server);
    suite_add_tcase(suite, group);
    return group;
}

#endif

// SPDX-License-Identifier: Apache-2.0
//
// A client with a session, over plain sockets, and the store that its server
// shares with the test.
#ifndef MICA_TESTS_HTTP_SESSION_H
#define MICA_TESTS_HTTP_SESSION_H

#include <dirent.h>

#include "store/store_sessions.h"

#include "http_host.h"
#include "serve/system_platform.h"

// The rest of a stream, to its end.
static inline bool
ends(int fd, struct heard *heard)
{
    bool more = hears(fd, heard, "\r\n0\r\n\r\n");

    close(fd);
    return more;
}

static inline int
ask(const char *method, const char *path, const char *session, const char *more,
    const char *body)
{
    char text[8192];
    int fd = dial();

    (void)snprintf(text, sizeof text,
                   "%s %s HTTP/1.1\r\nHost: localhost\r\nAccept: "
                   "application/json, text/event-stream\r\n%s%s%s%s"
                   "Content-Type: application/json\r\nContent-Length: %zu"
                   "\r\n\r\n%s",
                   method, path, session != NULL ? "Mcp-Session-Id: " : "",
                   session != NULL ? session : "",
                   session != NULL ? "\r\n" : "", more, strlen(body), body);
    say(fd, text);
    return fd;
}

#define HELLO(version)                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"    \
    "\"protocolVersion\":\"" version "\",\"capabilities\":{},\"clientInfo\":" \
    "{\"name\":\"c\",\"version\":\"1\"}}}"
#define CALL(tool)                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":" \
    "{\"name\":\"" tool "\",\"arguments\":{}}}"

// ---- Sessions --------------------------------------------------------------------------

static char session[64];

static inline void
begin_session_with(const char *hello)
{
    static struct response r;
    const char *at;
    int fd = ask("POST", "/mcp", NULL, "", hello);

    ck_assert(hear(fd, &r));
    ck_assert_uint_eq(r.status, 200);
    at = strcasestr(r.text, "\r\nMcp-Session-Id: ");
    ck_assert_ptr_nonnull(at);
    (void)snprintf(session, sizeof session, "%.43s", at + 18);
    close(fd);
}

static inline void
begin_session(void)
{
    begin_session_with(HELLO("2025-11-25"));
}

static inline void
post(const char *body, unsigned status)
{
    static struct response r;
    int fd = ask("POST", "/mcp", session, "", body);

    ck_assert(hear(fd, &r));
    ck_assert_uint_eq(r.status, status);
    close(fd);
}

// ---- A store that others share ---------------------------------------------------------

static char folder[64], store_spec[128];
static struct mica_store *store;
static struct mica_store_session_key key;

// The server in host.server; with a session of a client that says `hello`, unless
// that is NULL.
static inline void
start_shared_with(struct mica_http_options options, const char *hello)
{
    (void)snprintf(folder, sizeof folder, "/tmp/mica-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    (void)snprintf(store_spec, sizeof store_spec, "sqlite:%s/mica.db", folder);
    options.quiet = true;
    options.store = store_spec;
    start_server(options);
    if (hello != NULL)
        begin_session_with(hello);
    key = mica_store_session_key_of(mica_text(session));
    ck_assert_int_eq(mica_store_open(store_spec, NULL, &host.error, &store),
                     MICA_OK);
}

static inline void
start_shared(unsigned idle_s)
{
    host.server = fixture_open(64 * 1024);
    start_shared_with((struct mica_http_options){.idle_timeout_s = idle_s},
                      HELLO("2025-11-25"));
}

static inline int64_t
now(void)
{
    return mica_platform_real.now_ms(mica_platform_real.data);
}

static inline void
remove_shared(void)
{
    char path[400];
    DIR *entries = opendir(folder);
    struct dirent *entry;

    mica_store_close(&store);
    while ((entry = readdir(entries)) != NULL) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        (void)unlink(path);
    }
    closedir(entries);
    ck_assert_int_eq(rmdir(folder), 0);
}

#endif

// SPDX-License-Identifier: Apache-2.0
//
// A host whose program is a log: what is sent begins with "> ", each callback is a line.
#ifndef MICA_TESTS_HOST_STAGE_H
#define MICA_TESTS_HOST_STAGE_H

#include <string.h>

#include <mica/host.h>

#include "unit.h"

struct stage {
    struct mica_host *host;
    struct mica_buffer log;
    struct mica_error error; // of the last function that failed
    uint64_t request;        // the newest that the view made
    uint64_t now_ms;
    bool silent; // `sent` counts, and nothing is logged
    uint64_t sent;
};

#define LINE(stage, ...)                                    \
    do {                                                    \
        if (!(stage)->silent)                               \
            mica_buffer_format(&(stage)->log, __VA_ARGS__); \
    } while (0)

static inline void
stage_send(void *user, struct mica_text message)
{
    struct stage *stage = user;

    stage->sent++;
    ck_assert_ptr_null(memchr(message.ptr, '\n', message.len));
    LINE(stage, "> %.*s\n", MICA_ARG(message));
}

static inline void
stage_open_link(void *user, uint64_t request, struct mica_text url)
{
    struct stage *stage = user;

    stage->request = request;
    LINE(stage, "open_link %.*s\n", MICA_ARG(url));
}

static inline void
stage_value(struct stage *stage, const char *whatz, uint64_t request,
            const struct mica_json *value)
{
    struct mica_text raw = value != NULL ? value->raw : MICA_LITERAL("(none)");

    stage->request = request;
    LINE(stage, "%s %.*s\n", whatz, MICA_ARG(raw));
}

static inline void
stage_download(void *user, uint64_t request, const struct mica_json *contents)
{
    stage_value(user, "download", request, contents);
}

static inline void
stage_message(void *user, uint64_t request, const struct mica_json *params)
{
    stage_value(user, "message", request, params);
}

static inline void
stage_model(void *user, uint64_t request, const struct mica_json *params)
{
    stage_value(user, "model_context", request, params);
}

static inline void
stage_mode(void *user, uint64_t request, struct mica_text mode)
{
    struct stage *stage = user;

    stage->request = request;
    LINE(stage, "mode %.*s\n", MICA_ARG(mode));
}

static inline void
stage_sample(void *user, uint64_t request, const struct mica_json *params)
{
    stage_value(user, "sample", request, params);
}

static inline void
stage_server(void *user, uint64_t request, const char *methodz,
             const struct mica_json *params)
{
    stage_value(user, methodz, request, params);
}

static inline void
stage_cancelled(void *user, uint64_t request, struct mica_text reason)
{
    struct stage *stage = user;

    (void)request;
    LINE(stage, "cancelled %.*s\n", MICA_ARG(reason));
}

static inline void
stage_initialized(void *user)
{
    LINE((struct stage *)user, "initialized\n");
}

static inline void
stage_size(void *user, const double *width, const double *height)
{
    LINE((struct stage *)user, "size %d %d\n", width ? (int)*width : -1,
         height ? (int)*height : -1);
}

static inline void
stage_log(void *user, struct mica_text level, struct mica_text logger,
          const struct mica_json *data)
{
    LINE((struct stage *)user, "log %.*s [%.*s] %.*s\n", MICA_ARG(level),
         MICA_ARG(logger), MICA_ARG(data->raw));
}

static inline void
stage_wants_end(void *user)
{
    LINE((struct stage *)user, "request_teardown\n");
}

static inline void
stage_changed(void *user)
{
    LINE((struct stage *)user, "tools_changed\n");
}

static inline void
stage_ready(void *user)
{
    LINE((struct stage *)user, "sandbox_ready\n");
}

static inline void
stage_error(void *user, const struct mica_error *error)
{
    LINE((struct stage *)user, "error %s: %s\n", error->code, error->message);
}

static inline void
stage_closed(void *user)
{
    LINE((struct stage *)user, "closed\n");
}

// How a request to the view ended.
static inline void
stage_done(void *user, const struct mica_host_reply *reply)
{
    struct stage *stage = user;

    if (reply->code == NULL)
        LINE(stage, "done %.*s\n", MICA_ARG(reply->result));
    else
        LINE(stage, "done %s %d: %.*s\n", reply->code, reply->rpc_code,
             MICA_ARG(reply->message));
}

static inline void
stage_progress(void *user, const struct mica_json *progress)
{
    LINE((struct stage *)user, "progress %.*s\n", MICA_ARG(progress->raw));
}

static const struct mica_host_callbacks stage_callbacks = {
    .send = stage_send,
    .open_link = stage_open_link,
    .download = stage_download,
    .message = stage_message,
    .model_context = stage_model,
    .request_display_mode = stage_mode,
    .sample = stage_sample,
    .server_request = stage_server,
    .request_cancelled = stage_cancelled,
    .initialized = stage_initialized,
    .size_changed = stage_size,
    .log = stage_log,
    .request_teardown = stage_wants_end,
    .tools_changed = stage_changed,
    .sandbox_ready = stage_ready,
    .error = stage_error,
    .closed = stage_closed};

// Opens a host with these options; callbacks, name and version are set.
static inline void
stage_open(struct stage *stage, struct mica_host_options options)
{
    memset(stage, 0, sizeof *stage);
    mica_buffer_init(&stage->log, NULL, 64 << 20);
    if (options.callbacks.send == NULL)
        options.callbacks = stage_callbacks;
    options.user = stage;
    options.name = "host";
    options.version = "1";
    ck_assert_msg(mica_host_open(&options, &stage->error, &stage->host) ==
                      MICA_OK,
                  "%s", stage->error.message);
}

static inline void
stage_end(struct stage *stage)
{
    mica_host_free(stage->host);
    mica_buffer_fini(&stage->log);
}

// Compares what was logged since the last time.
#define STAGE_LOG(stage, expectedz)                    \
    do {                                               \
        mica_buffer_char(&(stage)->log, '\0');         \
        ck_assert_str_eq((stage)->log.ptr, expectedz); \
        (stage)->log.len = 0;                          \
    } while (0)

// The view sends.
static inline void
stage_take(struct stage *stage, const char *messagez)
{
    mica_host_receive(stage->host, mica_text(messagez), stage->now_ms);
}

#define HELLO(id, capabilities)                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ui/initialize\","        \
    "\"params\":{\"appInfo\":{\"name\":\"view\",\"version\":\"2\"},"          \
    "\"appCapabilities\":" capabilities ",\"protocolVersion\":\"2026-01-26\"" \
    "}}"
#define TELL(method) "{\"jsonrpc\":\"2.0\",\"method\":\"" method "\"}"
#define TELL_WITH(method, params) \
    "{\"jsonrpc\":\"2.0\",\"method\":\"" method "\",\"params\":" params "}"
#define ASK(id, method) \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\"}"
#define ASK_WITH(id, method, params)                          \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method \
    "\",\"params\":" params "}"
#define ANSWER(id, result) \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":" result "}"
#define FAULT(id, code, message)                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code \
    ",\"message\":\"" message "\"}}"
#define FAULT_WITH(id, code, message, data)                        \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code \
    ",\"message\":\"" message "\",\"data\":" data "}}"
#define INITIALIZED TELL("ui/notifications/initialized")

// The handshake, without its lines.
static inline void
stage_live(struct stage *stage, const char *helloz)
{
    stage_take(stage, helloz);
    stage_take(stage, INITIALIZED);
    ck_assert_int_eq(mica_host_state(stage->host), MICA_HOST_LIVE);
    stage->log.len = 0;
}

static inline void
stage_open_live(struct stage *stage)
{
    stage_open(stage, (struct mica_host_options){.user = NULL});
    stage_live(stage, HELLO("\"h\"", "{\"tools\":{}}"));
}

// A function of the host fails with this word.
#define STAGE_FAILS(stage, expression, word)                       \
    do {                                                           \
        ck_assert_msg((expression) != MICA_OK, "%s", #expression); \
        ck_assert_str_eq((stage)->error.code, word);               \
    } while (0)
#define STAGE_OK(stage, expression)                               \
    ck_assert_msg((expression) == MICA_OK, "%s: %s", #expression, \
                  (stage)->error.message)

#endif

// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the adapters share: a server of native tools that wait,
// block and misbehave on command, and messages that call them.
#ifndef MICA_TESTS_FIXTURE_H
#define MICA_TESTS_FIXTURE_H

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <mica/server.h>

#include "server/server.h"
#include "unit.h"

// What the tools have seen; in memory that a forked server shares with its test.
struct fixture_seen {
    atomic_int started, finished, cancelled;
    atomic_bool release; // lets "hold" and "deaf" go
};
static struct fixture_seen *seen;

// Gives back its arguments.
static inline enum mica_status
fixture_echo(struct mica_call *call, const struct mica_json *in,
             struct mica_json_writer *out)
{
    (void)call;
    mica_json_value(out, in);
    return MICA_OK;
}

// Waits until it is released or cancelled.
static inline enum mica_status
fixture_hold(struct mica_call *call, const struct mica_json *in,
             struct mica_json_writer *out)
{
    (void)in;
    atomic_fetch_add(&seen->started, 1);
    while (!atomic_load(&seen->release) && !mica_cancelled(call))
        unit_sleep(2);
    if (mica_cancelled(call))
        atomic_fetch_add(&seen->cancelled, 1);
    else
        atomic_fetch_add(&seen->finished, 1);
    mica_json_open_object(out);
    mica_json_close_object(out);
    return MICA_OK;
}

// Waits until it is released, even if it is cancelled.
static inline enum mica_status
fixture_deaf(struct mica_call *call, const struct mica_json *in,
             struct mica_json_writer *out)
{
    (void)call;
    (void)in;
    atomic_fetch_add(&seen->started, 1);
    while (!atomic_load(&seen->release))
        unit_sleep(2);
    atomic_fetch_add(&seen->finished, 1);
    mica_json_open_object(out);
    mica_json_close_object(out);
    return MICA_OK;
}

// Writes where only the protocol may be.
static inline enum mica_status
fixture_print(struct mica_call *call, const struct mica_json *in,
              struct mica_json_writer *out)
{
    char byte = 'x';

    (void)in;
    (void)call;
    printf("stray output of a handler\n");
    (void)fflush(stdout);
    mica_json_open_object(out);
    mica_json_name(out, "wrote");
    mica_json_integer(out, write(STDOUT_FILENO, "stray\n", 6));
    mica_json_name(out, "read"); // of stdin, which is not its own either
    mica_json_integer(out, read(STDIN_FILENO, &byte, 1));
    mica_json_close_object(out);
    return MICA_OK;
}

// A large result.
static inline enum mica_status
fixture_large(struct mica_call *call, const struct mica_json *in,
              struct mica_json_writer *out)
{
    enum {
        BYTES = 1 << 20
    };
    char *text = mica_alloc(call, BYTES);

    (void)in;
    memset(text, 'a', BYTES);
    mica_json_open_object(out);
    mica_json_field(out, "text", (struct mica_text){text, BYTES});
    mica_json_close_object(out);
    return MICA_OK;
}

#define FIXTURE_TOOL(name_)                          \
    {                                                \
        .name = #name_, .description = "For tests.", \
        .input_schema = "{\"type\":\"object\"}",     \
        .json_handler = fixture_##name_              \
    }

static const struct mica_tool fixture_tools[] = {
    FIXTURE_TOOL(echo),  FIXTURE_TOOL(hold),  FIXTURE_TOOL(deaf),
    FIXTURE_TOOL(print), FIXTURE_TOOL(large),
};

static inline struct mica_server *
fixture_open_with(size_t message_bytes, size_t call_bytes)
{
    struct mica_server_options options = {.name = "fixture <&> \"x\"",
                                          .version = "1",
                                          .message_bytes = message_bytes,
                                          .call_bytes = call_bytes};
    struct mica_server *server;
    struct mica_error error;

    seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(seen, MAP_FAILED);
    ck_assert_int_eq(mica_server_open(&options, &error, &server), MICA_OK);
    for (size_t i = 0; i < MICA_COUNT(fixture_tools); i++)
        ck_assert_int_eq(
            mica_server_add_tool(server, &fixture_tools[i], NULL, &error),
            MICA_OK);
    return server;
}

static inline struct mica_server *
fixture_open(size_t message_bytes)
{
    return fixture_open_with(message_bytes, 0);
}

static inline void
fixture_await(const atomic_int *counter, int least)
{
    UNIT_AWAIT(atomic_load(counter) >= least);
}

#define FIXTURE_META                                          \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":" \
    "\"2026-07-28\",\"io.modelcontextprotocol/"               \
    "clientCapabilities\":{}}"

// A modern call of a tool. Valid until the next one.
static inline const char *
fixture_call(const char *id, const char *tool, const char *arguments)
{
    static _Thread_local char text[8192];

    (void)snprintf(text, sizeof text,
                   "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"tools/call\","
                   "\"params\":{" FIXTURE_META
                   ",\"name\":\"%s\",\"arguments\":%s}}",
                   id, tool, arguments);
    return text;
}

#endif

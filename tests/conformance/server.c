// SPDX-License-Identifier: Apache-2.0
//
// The server that the official conformance suite talks to: tools with the
// names and results that its scenarios expect, and two more for the tests of
// cancellation. Built on the public header alone, as an author's would be.
//
//     conformance-server --listen 127.0.0.1:8080 [--store SPEC] [--endpoints | --views |
//         --mounts | --form-views | --form-views-off] [--place] | --stdio [--views |
//         --mounts | --form-views | --form-views-off]
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mica/server.h>

#include "fixture.h"

#define NO_ARGUMENTS "{\"type\":\"object\",\"additionalProperties\":false}"

// Four samples of silence, 8 kHz, 8 bits.
static const unsigned char wav[] = {
    'R',  'I',  'F', 'F', 40,   0,    0, 0, 'W',  'A',  'V',  'E',
    'f',  'm',  't', ' ', 16,   0,    0, 0, 1,    0,    1,    0,
    0x40, 0x1f, 0,   0,   0x40, 0x1f, 0, 0, 1,    0,    8,    0,
    'd',  'a',  't', 'a', 4,    0,    0, 0, 0x80, 0x80, 0x80, 0x80};

// ---- Content -------------------------------------------------------------------

static enum mica_status
simple_text(struct mica_call *call, const struct mica_json *in,
            struct mica_json_writer *out)
{
    (void)in;
    (void)out;
    mica_add_text(call,
                  MICA_LITERAL("This is a simple text response for testing."),
                  NULL);
    return MICA_OK;
}

static enum mica_status
image_content(struct mica_call *call, const struct mica_json *in,
              struct mica_json_writer *out)
{
    (void)in;
    (void)out;
    mica_add_image(call, png, sizeof png, "image/png", NULL);
    return MICA_OK;
}

static enum mica_status
audio_content(struct mica_call *call, const struct mica_json *in,
              struct mica_json_writer *out)
{
    (void)in;
    (void)out;
    mica_add_audio(call, wav, sizeof wav, "audio/wav", NULL);
    return MICA_OK;
}

static enum mica_status
embedded_resource(struct mica_call *call, const struct mica_json *in,
                  struct mica_json_writer *out)
{
    (void)in;
    (void)out;
    mica_add_resource_text(
        call, "test://embedded-resource", "text/plain",
        MICA_LITERAL("This is an embedded resource content."), NULL);
    return MICA_OK;
}

static enum mica_status
mixed_content(struct mica_call *call, const struct mica_json *in,
              struct mica_json_writer *out)
{
    (void)in;
    (void)out;
    mica_add_text(call, MICA_LITERAL("Multiple content types test:"), NULL);
    mica_add_image(call, png, sizeof png, "image/png", NULL);
    mica_add_resource_text(
        call, "test://mixed-content-resource", "application/json",
        MICA_LITERAL("{\"test\":\"data\",\"value\":123}"), NULL);
    return MICA_OK;
}

// Every kind, with what can be said about a block; the suite has no such tool.
static enum mica_status
every_content(struct mica_call *call, const struct mica_json *in,
              struct mica_json_writer *out)
{
    const struct mica_content_options marked = {.audience = "user",
                                                .priority = 0.25,
                                                .has_priority = true,
                                                .last_modified =
                                                    "2026-11-20T09:30:00Z"};

    (void)in;
    mica_add_text(call, MICA_LITERAL("One of each:"), &marked);
    mica_add_image(call, png, sizeof png, "image/png", NULL);
    mica_add_audio(call, wav, sizeof wav, "audio/wav", NULL);
    mica_add_resource_bytes(call, "test://bytes", "application/octet-stream",
                            "\0\1\2", 3, NULL);
    mica_add_resource_link(call, "test://link", "link", "Where to read on.",
                           "text/plain", NULL);
    mica_json_open_object(out);
    mica_json_name(out, "blocks");
    mica_json_integer(out, 5);
    mica_json_close_object(out);
    return MICA_OK;
}

// A structured result that only the newest revision can carry.
static enum mica_status
array_content(struct mica_call *call, const struct mica_json *in,
              struct mica_json_writer *out)
{
    (void)call;
    (void)in;
    mica_json_open_array(out);
    mica_json_integer(out, 1);
    mica_json_integer(out, 2);
    mica_json_close_array(out);
    return MICA_OK;
}

static enum mica_status
error_handling(struct mica_call *call, const struct mica_json *in,
               struct mica_json_writer *out)
{
    (void)in;
    (void)out;
    mica_add_text(
        call,
        MICA_LITERAL("This tool intentionally returns an error for testing"),
        NULL);
    mica_mark_error(call);
    return MICA_OK;
}

static enum mica_status
schema_2020_12(struct mica_call *call, const struct mica_json *in,
               struct mica_json_writer *out)
{
    (void)in;
    (void)out;
    mica_add_text(call, MICA_LITERAL("The schema was accepted."), NULL);
    return MICA_OK;
}

// Writes to stdout in every way a careless handler or a child of it may.
static enum mica_status
stray(struct mica_call *call, const struct mica_json *in,
      struct mica_json_writer *out)
{
    (void)in;
    (void)out;
    printf("stray line by printf\n");
    fflush(stdout);
    if (write(STDOUT_FILENO, "stray write\n", 12) != 12)
        return mica_fail(call, "NO_STDOUT", "", "stdout cannot be written");
    if (system("echo stray child; cat") != 0) // and reads what stdin has
        return mica_fail(call, "NO_CHILD", "", "the child failed");
    return MICA_OK;
}

// ---- Typed tools -----------------------------------------------------------------

struct greet_input {
    struct mica_text name;
};
MICA_RECORD(greet_input, MICA_TEXT(name, "Whom to greet."));

struct greet_output {
    struct mica_text greeting;
};
MICA_RECORD(greet_output, MICA_TEXT(greeting, "The greeting."));

static enum mica_status
run_greet(struct mica_call *call, const struct greet_input *in,
          struct greet_output *out)
{
    struct mica_buffer greeting = mica_builder(call);

    // Not by a format, which would end the name at a U+0000 in it.
    mica_buffer_text(&greeting, MICA_LITERAL("Hello, "));
    mica_buffer_text(&greeting, in->name);
    mica_buffer_char(&greeting, '!');
    out->greeting = mica_buffer_as_text(&greeting);
    mica_add_text(call, out->greeting, NULL);
    return MICA_OK;
}

MICA_TOOL(greet, greet_input, greet_output, run_greet,
          .description = "Greets a person by name.",
          .hints = MICA_READ_ONLY | MICA_IDEMPOTENT);

struct wait_input {
    int64_t milliseconds;
};
MICA_RECORD(wait_input, MICA_INTEGER(milliseconds, "How long to wait.",
                                     .minimum = 0, .maximum = 60000));

struct wait_output {
    int64_t running, cancelled, finished;
};
MICA_RECORD(wait_output, MICA_INTEGER(running, "Other waits under way."),
            MICA_INTEGER(cancelled, "Waits that were cancelled so far."),
            MICA_INTEGER(finished, "Waits that came to their end so far."));

struct waits {
    atomic_int running, cancelled, finished;
};

static void
sleep_ms(long ms)
{
    struct timespec left = {.tv_nsec = ms * 1000000};

    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

// Blocks as a slow tool does, and stops early when the client is gone. Asked
// for no time at all it only tells how earlier waits have ended.
static enum mica_status
run_wait(struct mica_call *call, const struct wait_input *in,
         struct wait_output *out)
{
    struct waits *waits = mica_user(call);
    int64_t left = in->milliseconds;

    atomic_fetch_add(&waits->running, 1);
    while (left > 0 && !mica_cancelled(call)) {
        sleep_ms(left < 5 ? (long)left : 5);
        left -= 5;
    }
    out->running = atomic_fetch_sub(&waits->running, 1) - 1;
    if (mica_cancelled(call))
        atomic_fetch_add(&waits->cancelled, 1);
    else if (in->milliseconds > 0)
        atomic_fetch_add(&waits->finished, 1);
    out->cancelled = atomic_load(&waits->cancelled);
    out->finished = atomic_load(&waits->finished);
    return MICA_OK;
}

MICA_TOOL(wait, wait_input, wait_output, run_wait,
          .description = "Waits, and tells how earlier waits ended.");

// ---- The server ------------------------------------------------------------------

static const struct mica_tool raw_tools[] = {
    // The suite calls the first tool without arguments.
    {.name = "test_simple_text",
     .description = "Returns one text.",
     .input_schema = NO_ARGUMENTS,
     .json_handler = simple_text},
    {.name = "test_image_content",
     .description = "Returns an image.",
     .input_schema = NO_ARGUMENTS,
     .json_handler = image_content},
    {.name = "test_audio_content",
     .description = "Returns a sound.",
     .input_schema = NO_ARGUMENTS,
     .json_handler = audio_content},
    {.name = "test_embedded_resource",
     .description = "Returns a resource with its content.",
     .input_schema = NO_ARGUMENTS,
     .json_handler = embedded_resource},
    {.name = "test_multiple_content_types",
     .description = "Returns a text, an image and a resource.",
     .input_schema = NO_ARGUMENTS,
     .json_handler = mixed_content},
    {.name = "test_every_content",
     .description = "Returns one block of each kind, with structure.",
     .input_schema = NO_ARGUMENTS,
     .json_handler = every_content},
    {.name = "test_array_content",
     .description = "Returns structure that is no object.",
     .input_schema = NO_ARGUMENTS,
     .json_handler = array_content},
    {.name = "test_error_handling",
     .description = "Returns an error.",
     .input_schema = NO_ARGUMENTS,
     .json_handler = error_handling},
    {.name = "stray",
     .description = "Writes to standard output.",
     .input_schema = NO_ARGUMENTS,
     .json_handler = stray},
    // Verbatim, as the suite compares it.
    {.name = "json_schema_2020_12_tool",
     .description = "Has a schema with much of JSON Schema 2020-12.",
     .input_schema =
         "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
         "\"type\":\"object\",\"$defs\":{\"address\":{\"$anchor\":"
         "\"addressDef\",\"type\":\"object\",\"properties\":{\"street\":{"
         "\"type\":\"string\"},\"city\":{\"type\":\"string\"}}}},"
         "\"properties\":{\"name\":{\"type\":\"string\"},\"address\":{"
         "\"$ref\":\"#/$defs/address\"},\"contactMethod\":{\"type\":"
         "\"string\",\"enum\":[\"phone\",\"email\"]},\"phone\":{\"type\":"
         "\"string\"},\"email\":{\"type\":\"string\"}},\"allOf\":[{\"anyOf\":"
         "[{\"required\":[\"phone\"]},{\"required\":[\"email\"]}]}],\"if\":{"
         "\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},"
         "\"required\":[\"contactMethod\"]},\"then\":{\"required\":["
         "\"phone\"]},\"else\":{\"required\":[\"email\"]},"
         "\"additionalProperties\":false}",
     .json_handler = schema_2020_12},
};

static enum mica_status
add_tools(struct mica_server *server, struct waits *waits,
          struct mica_error *error)
{
    for (size_t i = 0; i < MICA_COUNT(raw_tools); i++)
        MICA_TRY(mica_server_add_tool(server, &raw_tools[i], NULL, error));
    MICA_TRY(mica_server_add_tool(server, &mica_tool_greet, NULL, error));
    return mica_server_add_tool(server, &mica_tool_wait, waits, error);
}

static void
say_ready(void *user, unsigned port)
{
    (void)user;
    fprintf(stderr, "listening on port %u\n", port);
}

int
main(int argc, char **argv)
{
    struct mica_server_options options = {
        .name = "mica-conformance",
        .version = "1.0.0",
        .title = "The fixture of mica's conformance tests"};
    struct mica_http_options http = {
        .quiet = true, .http_sse = true, .drain_s = -1, .ready = say_ready};
    struct mica_server *server = NULL;
    struct mica_error error;
    struct waits waits;
    bool place = argc > 3 && strcmp(argv[argc - 1], "--place") == 0;
    bool endpoints, mounts, views, forms;
    bool over_stdio;
    enum mica_status status;

    argc -= place;
    endpoints = argc > 2 && strcmp(argv[argc - 1], "--endpoints") == 0;
    mounts = argc > 2 && strcmp(argv[argc - 1], "--mounts") == 0;
    views = mounts || (argc > 2 && strcmp(argv[argc - 1], "--views") == 0);
    forms = argc > 2 && strncmp(argv[argc - 1], "--form-views", 12) == 0;
    options.form_views = forms && argv[argc - 1][12] == '\0';
    argc -= endpoints || views || forms;
    over_stdio = argc == 2 && strcmp(argv[1], "--stdio") == 0;
    if (argc == 5 && strcmp(argv[3], "--store") == 0) {
        http.store = argv[4];
        argc = 3;
    }
    if (!over_stdio && (argc != 3 || strcmp(argv[1], "--listen") != 0)) {
        fprintf(stderr,
                "usage: %s --listen HOST:PORT [--store SPEC] "
                "[--endpoints | --views | --mounts | --form-views[-off]] "
                "[--place] | "
                "--stdio [--views | --mounts | --form-views[-off]]\n",
                argv[0]);
        return 2;
    }
    atomic_init(&waits.running, 0);
    atomic_init(&waits.cancelled, 0);
    atomic_init(&waits.finished, 0);
    http.listen = over_stdio ? NULL : argv[2];
    status = mica_server_open(&options, &error, &server);
    if (status == MICA_OK)
        status = add_tools(server, &waits, &error);
    if (status == MICA_OK)
        status = fixture_add_offers(server, &error);
    if (status == MICA_OK)
        status = fixture_add_session(server, &error);
    if (status == MICA_OK)
        status = fixture_add_stream(server, &error);
    if (status == MICA_OK)
        status = fixture_add_headers(server, &error);
    if (status == MICA_OK)
        status = fixture_add_asks(server, &error);
    if (status == MICA_OK)
        status = fixture_add_tasks(server, &error);
    if (status == MICA_OK && views)
        status = fixture_add_views(server, &error);
    if (status == MICA_OK && mounts)
        status = fixture_add_mounts(server, &error);
    if (status == MICA_OK && forms)
        status = fixture_add_form_views(server, &error);
    if (status == MICA_OK && endpoints)
        status = fixture_add_endpoints(server, &error);
    if (status == MICA_OK && place)
        status = fixture_add_place(server, &error);
    if (status == MICA_OK)
        status = over_stdio ? mica_server_serve_stdio(server, NULL, &error)
                            : mica_server_serve_http(server, &http, &error);
    if (status != MICA_OK)
        fprintf(stderr, "%s: %s\n", error.code, error.message);
    mica_server_close(&server);
    return status == MICA_OK ? 0 : mica_status_exit(status);
}

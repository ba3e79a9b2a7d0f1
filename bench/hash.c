// SPDX-License-Identifier: Apache-2.0
//
// The hash engine over a megabyte, in the sandbox and linked into this program:
// the same JSON in, the same JSON out, called through the same struct. The two
// take turns, so that a change of the machine's speed meets both.
//
//     bench-hash FOLDER ROUNDS BYTES
//
// FOLDER has the built engine. Prints the microseconds of the processor of each
// pair, one a line.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "call/call.h"
#include "engine/run.h"
#include "sandbox/sandbox.h"

extern const struct mica_engine mica_engine_hash;

static void
run_native(const struct mica_runnable *self, struct mica_call *call,
           struct mica_text arguments)
{
    const struct mica_engine *engine = self->data;

    mica_handler_run(call, engine->input, engine->output, engine->handler,
                     arguments);
}

static void
run_sandboxed(const struct mica_runnable *self, struct mica_call *call,
              struct mica_text arguments)
{
    mica_sandbox_run(self->data, call, arguments);
}

static double
seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// Microseconds of one call; its output goes to `output` (of 512 bytes).
static double
measure(const struct mica_runnable *runnable, struct mica_arena *arena,
        struct mica_text arguments, char *output)
{
    struct mica_call call;
    double started = seconds(), took;

    mica_call_init(&call, arena);
    call.output_bytes = 1 << 20;
    runnable->run(runnable, &call, arguments);
    took = seconds() - started;
    if (call.result.status != MICA_OK || call.result.structured.len > 511) {
        fprintf(stderr, "the call failed: %.*s\n", MICA_ARG(call.result.error));
        exit(1);
    }
    memcpy(output, call.result.structured.ptr, call.result.structured.len);
    output[call.result.structured.len] = '\0';
    mica_arena_reset(arena);
    return took * 1e6;
}

static struct mica_text
make_arguments(size_t bytes)
{
    static const char before[] = "{\"data\":\"", after[] = "\"}";
    char *text = malloc(bytes + sizeof before + sizeof after), *at = text;

    if (text == NULL)
        exit(1);
    memcpy(at, before, sizeof before - 1);
    at += sizeof before - 1;
    for (size_t i = 0; i < bytes; i++)
        *at++ = "The quick brown fox jumps over the lazy dog. "[i % 45];
    memcpy(at, after, sizeof after - 1);
    at += sizeof after - 1;
    return (struct mica_text){text, (size_t)(at - text)};
}

int
main(int argc, char **argv)
{
    struct mica_runnable native = {.run = run_native}, sandboxed;
    struct mica_module *module;
    struct mica_arena arena;
    struct mica_error error;
    struct mica_engine engine = mica_engine_hash;
    struct mica_text arguments;
    char first[512], second[512];

    if (argc != 4) {
        fprintf(stderr, "usage: %s FOLDER ROUNDS BYTES\n", argv[0]);
        return 2;
    }
    if (mica_module_open(argv[1], "hash", &error, &module) != MICA_OK) {
        fprintf(stderr, "%s: %s\n", error.code, error.message);
        return 1;
    }
    native.data = &engine;
    sandboxed = (struct mica_runnable){.run = run_sandboxed, .data = module};
    mica_arena_init(&arena, 64 << 20);
    arguments = make_arguments(strtoul(argv[3], NULL, 10));
    for (long round = strtol(argv[2], NULL, 10); round > 0; round--) {
        double in_sandbox = measure(&sandboxed, &arena, arguments, first);
        double outside = measure(&native, &arena, arguments, second);
        if (strcmp(first, second) != 0) {
            fprintf(stderr, "%s is not %s\n", first, second);
            return 1;
        }
        printf("%.1f %.1f\n", in_sandbox, outside);
    }
    mica_arena_fini(&arena);
    mica_module_release(&module);
    return 0;
}

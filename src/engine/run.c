// SPDX-License-Identifier: Apache-2.0
//
// One run of a handler: JSON in, typed input, handler, typed output, JSON out.
// This is the hot path of the server; nothing here is done that an answer does
// not need.
#include "engine/run.h"

#include "engine/limits.h"
#include "schema/record.h"

// What the guarded body needs.
struct run {
    const struct mica_record *input, *output;
    mica_handler *handler;
    struct mica_text arguments;
};

// Decodes the arguments; NULL when the call has ended.
static void *
run_decode(struct mica_call *call, const struct run *run)
{
    struct mica_json value;
    void *in = mica_arena_zero(call->arena, 1, run->input->size);
    if (in != NULL &&
        mica_json_read(call->arena, run->arguments, NULL, &call->error,
                       &value) == MICA_OK &&
        mica_record_decode(run->input, &value, call->arena, &call->error, in) ==
            MICA_OK)
        return in;
    mica_call_fail_error(call);
    return NULL;
}

// The fault is the engine's, not the caller's, whatever the rule it broke.
static void
fail_output(struct mica_call *call)
{
    mica_error_prefix(&call->error, "the result breaks its own schema (%s)",
                      call->error.code);
    mica_call_fail(call, MICA_E_EXECUTION, call->error.path, "%s",
                   call->error.message);
}

// Room for the output's JSON, up to the call's limit.
static struct mica_buffer
output_buffer(const struct mica_call *call)
{
    struct mica_buffer buffer;
    mica_buffer_init(&buffer, call->arena,
                     call->output_bytes > 0 ? call->output_bytes
                                            : MICA_DEFAULT_OUTPUT_BYTES);
    return buffer;
}

// Ends the call with what `buffer` holds, unless that is cut.
static void
run_answer(struct mica_call *call, const struct mica_buffer *buffer)
{
    if (call->arena->overflow)
        mica_call_exceed(call);
    if (buffer->overflow) {
        mica_call_fail(call, MICA_E_LIMIT, "",
                       "the result is larger than its limit of %zu bytes; ask "
                       "for less",
                       buffer->max);
        return;
    }
    call->result.status = MICA_OK;
    call->result.structured = mica_buffer_as_text(buffer);
}

static void
record_encode(struct mica_call *call, const struct mica_record *output,
              const void *out)
{
    struct mica_buffer buffer = output_buffer(call);
    struct mica_json_writer writer;
    mica_json_writer_init(&writer, &buffer);
    enum mica_status status =
        mica_record_encode(output, out, call->arena, &call->error, &writer);
    if (status != MICA_OK && !call->arena->overflow)
        fail_output(call);
    else
        run_answer(call, &buffer);
}

static void
run_guarded(struct mica_call *call, void *data)
{
    const struct run *run = data;
    void *in = run_decode(call, run);
    if (in == NULL)
        return;
    void *out = NULL;
    if (run->output != NULL)
        out = mica_alloc(call, run->output->size);
    if (!mica_call_conclude(call, run->handler(call, in, out)))
        return;
    if (run->output != NULL)
        record_encode(call, run->output, out);
}

void
mica_handler_run(struct mica_call *call, const struct mica_record *input,
                 const struct mica_record *output, mica_handler *handler,
                 struct mica_text arguments)
{
    struct run run = {input, output, handler, arguments};
    mica_call_guard(call, run_guarded, &run);
}

static void
parse_guarded(struct mica_call *call, void *data)
{
    const struct run *run = data;
    const void *in = run_decode(call, run);
    if (in != NULL)
        record_encode(call, run->input, in);
}

void
mica_handler_parse(struct mica_call *call, const struct mica_record *input,
                   struct mica_text arguments)
{
    struct run run = {.input = input, .arguments = arguments};
    mica_call_guard(call, parse_guarded, &run);
}

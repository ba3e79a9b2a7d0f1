// SPDX-License-Identifier: Apache-2.0
//
// Two stacks, both bounded. An engine's local arrays lie in the module's memory,
// on a stack of 32 KiB; one function may use half of it. Its calls nest on the
// native stack, within 1 MiB: a function is entered before it is checked, so the
// check leaves room for the largest frame of the translation. The compilers say
// how large the frames are (-fstack-usage).
#include <stdlib.h>
#include <string.h>

#include "build/steps.h"

enum {
    LOCALS_BYTES = 16 * 1024,
    NATIVE_BYTES = 1024 * 1024,
    LEAST_DEPTH = 64,
    FRAME_EXTRA = 256 // what -fstack-usage does not count: a red zone, a call
};

struct frame {
    struct mica_text function;
    size_t bytes;
};

// Finds it in lines of "file:line:column:function<TAB>bytes<TAB>kind" (clang
// leaves out the column).
static struct frame
largest_frame(struct mica_text usage)
{
    struct frame largest = {{NULL, 0}, 0};
    size_t from = 0;
    for (size_t at = 0; at < usage.len; at++) {
        if (usage.ptr[at] == '\n' || usage.ptr[at] == ':')
            from = at + 1;
        if (usage.ptr[at] != '\t')
            continue;
        struct mica_text function = mica_text_slice(usage, from, at);
        size_t bytes = 0;
        while (++at < usage.len && usage.ptr[at] >= '0' && usage.ptr[at] <= '9')
            bytes = bytes * 10 + (size_t)(usage.ptr[at] - '0');
        if (bytes > largest.bytes)
            largest = (struct frame){function, bytes};
        while (at + 1 < usage.len && usage.ptr[at + 1] != '\n')
            at++;
    }
    return largest;
}

static enum mica_status
read_usage(struct mica_job *job, const char *name, struct frame *largest_out)
{
    char path[PATH_MAX];
    struct mica_text usage;
    *largest_out = (struct frame){{NULL, 0}, 0};
    MICA_TRY(mica_job_path(job, path, name));
    if (!mica_file_exists(path))
        return MICA_OK; // no function at all
    MICA_TRY(mica_file_read(job->arena, path, job->error, &usage));
    *largest_out = largest_frame(usage);
    return MICA_OK;
}

enum mica_status
mica_stack_locals(struct mica_job *job)
{
    struct frame largest;
    MICA_TRY(read_usage(job, "engine.su", &largest));
    if (largest.bytes <= LOCALS_BYTES)
        return MICA_OK;
    // The compiler puts a handler into what calls it.
    if (mica_text_starts(largest.function, "mica_thunk_"))
        largest.function = MICA_LITERAL("the handler");
    return mica_error_set(job->error, MICA_E_BUILD, "",
                          "%s: the local variables of %.*s take %zu bytes; a "
                          "function may have %d. Take large arrays from "
                          "MICA_NEW(call, type, count), or make constant ones "
                          "static const.",
                          job->source, MICA_ARG(largest.function),
                          largest.bytes, LOCALS_BYTES);
}

enum mica_status
mica_stack_native(struct mica_job *job)
{
    struct frame largest;
    MICA_TRY(read_usage(job, "unit.su", &largest));
    if (largest.bytes == 0)
        return mica_error_set(job->error, MICA_E_BUILD, "",
                              "%s: the C compiler did not say how much stack "
                              "the functions use (-fstack-usage).",
                              job->source);
    size_t frame = largest.bytes + FRAME_EXTRA;
    if (NATIVE_BYTES / frame < LEAST_DEPTH)
        return mica_error_set(
            job->error, MICA_E_BUILD, "",
            "%s: the translated function %.*s uses %zu bytes of native stack; "
            "at most %d are allowed, so that calls can nest %d deep. Split "
            "the largest function of the engine.",
            job->source, MICA_ARG(largest.function), largest.bytes,
            NATIVE_BYTES / LEAST_DEPTH - FRAME_EXTRA, LEAST_DEPTH);
    job->stack_bytes = (uint32_t)(NATIVE_BYTES - frame);
    return MICA_OK;
}

// SPDX-License-Identifier: Apache-2.0
//
// Random inputs by the batch through the child and the sandbox.
#include "check/random_inputs.h"
#include "check/runs.h"

enum {
    BATCH = 256,
    BATCH_BYTES = 64 * 1024 * 1024,
    FINDINGS_MAX = 3
};

struct random_run {
    const struct mica_runs *runs;
    const struct mica_json *schema, *examples;
    struct mica_random random;
    struct mica_arena arena; // of one batch
    size_t findings_before;
};

static void
make_inputs(struct random_run *run, struct mica_text *inputs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct mica_buffer text;

        mica_buffer_init(&text, &run->arena, BATCH_BYTES);
        mica_random_input(&run->random, &run->arena, run->schema, run->examples,
                          &text);
        inputs[i] = mica_buffer_as_text(&text);
    }
}

static bool
run_enough(const struct random_run *run)
{
    return run->runs->subject->report->count >=
           run->findings_before + FINDINGS_MAX;
}

static void
check_one(struct random_run *run, struct mica_text input,
          const struct mica_native_result *native)
{
    struct mica_report *report = run->runs->subject->report;
    struct mica_native_result module =
        mica_runs_module(run->runs, &run->arena, input);

    report->random_runs++;
    report->random_answered += module.status == MICA_OK;
    report->random_limited +=
        module.status == MICA_E_LIMIT || native->status == MICA_E_LIMIT;
    (void)mica_runs_compare(run->runs, &module, native, 0, "random", input);
    mica_runs_failure(run->runs, &module, 0, "random");
}

// False when no more should follow.
static bool
run_batch(struct random_run *run, size_t count)
{
    struct mica_text inputs[BATCH];
    struct mica_native_result results[BATCH] = {
        {.ending = MICA_NATIVE_ANSWERED}};
    struct mica_report *report = run->runs->subject->report;
    struct mica_error error;

    make_inputs(run, inputs, count);
    if (mica_native_run(run->runs->native, &run->arena, inputs, count, &error,
                        results) != MICA_OK) {
        mica_report_add(report, MICA_RULE_TOOL_MISSING, 0, "", "%s",
                        error.message);
        return false;
    }
    for (size_t i = 0; i < count && !run_enough(run); i++) {
        check_one(run, inputs[i], &results[i]);
    }
    return !run_enough(run);
}

void
mica_runs_random(const struct mica_runs *runs, size_t count, uint64_t seed)
{
    struct random_run run = {
        .runs = runs,
        .schema = mica_json_get(runs->subject->manifest, "inputSchema"),
        .examples = mica_json_get(runs->subject->manifest, "examples"),
        .random = {seed},
        .findings_before = runs->subject->report->count,
    };
    bool on = true;

    mica_arena_init(&run.arena, 4 * (size_t)BATCH_BYTES);
    while (on && count > 0) {
        size_t part = count < BATCH ? count : BATCH;

        on = run_batch(&run, part);
        count -= part;
        mica_arena_reset(&run.arena);
    }
    mica_native_stop(runs->native);
    mica_arena_fini(&run.arena);
}

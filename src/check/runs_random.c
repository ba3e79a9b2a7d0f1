// SPDX-License-Identifier: Apache-2.0
//
// Random inputs by the batch through the child and the sandbox. One that shows a
// fault is made smaller before it is told.
#include "check/random_inputs.h"
#include "check/runs.h"
#include "check/shrink.h"
#include "platform/clock.h"

enum {
    BATCH = 256,
    SMALL_BATCH = 16, // where the time counts
    SHRINK_TRIES = 300,
    SHRINK_MS = 3000,
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

// Whether an example, or an earlier input, has shown it.
static bool
is_shown(const struct mica_report *report, enum mica_rule rule)
{
    for (const struct mica_finding *finding = report->first; finding != NULL;
         finding = finding->next)
        if (finding->rule == rule &&
            (mica_text_is(finding->path, "random") ||
             mica_text_starts(finding->path, "examples")))
            return true;
    return false;
}

// Runs one input; what is found goes to `report`.
static struct mica_native_result
run_one(const struct random_run *run, struct mica_report *report,
        struct mica_text input, struct mica_arena *arena,
        const struct mica_native_result *native)
{
    struct mica_subject subject = *run->runs->subject;
    struct mica_runs runs = *run->runs;
    struct mica_native_result module;

    subject.report = report;
    runs.subject = &subject;
    module = mica_runs_module(&runs, arena, input);
    (void)mica_runs_compare(&runs, &module, native, 0, "random", input);
    mica_runs_failure(&runs, &module, 0, "random");
    return module;
}

// What one smaller input has to show.
struct shrinking {
    struct random_run *run;
    enum mica_rule rule;
    int64_t end_ms;
};

static void
scratch_init(const struct random_run *run, struct mica_arena *arena,
             struct mica_report *report_out)
{
    const struct mica_report *report = run->runs->subject->report;

    mica_report_init(report_out, arena, report->slug, report->source);
}

static bool
shows_still(void *data, struct mica_text input)
{
    const struct shrinking *shrinking = data;
    struct random_run *run = shrinking->run;
    struct mica_native_result native = {.ending = MICA_NATIVE_ANSWERED};
    struct mica_report scratch;
    struct mica_error error;

    if (mica_clock_ms() > shrinking->end_ms ||
        mica_native_run(run->runs->native, &run->arena, &input, 1, &error,
                        &native) != MICA_OK)
        return false;
    scratch_init(run, &run->arena, &scratch);
    (void)run_one(run, &scratch, input, &run->arena, &native);
    return mica_report_has(&scratch, shrinking->rule);
}

// Reports what the smallest input shows, or `found` when that does not show again what
// it showed before.
static void
tell_smallest(struct random_run *run, struct mica_text input,
              const struct mica_finding *found)
{
    enum mica_rule rule = found->rule;
    struct shrinking shrinking = {run, rule, mica_clock_ms() + SHRINK_MS};
    struct mica_native_result native = {.ending = MICA_NATIVE_ANSWERED};
    struct mica_report *report = run->runs->subject->report;
    struct mica_error error;

    if (rule != MICA_RULE_ENGINE_TIMEOUT)
        input = mica_shrink(&run->arena, input, SHRINK_TRIES, shows_still,
                            &shrinking);
    if (mica_native_run(run->runs->native, &run->arena, &input, 1, &error,
                        &native) != MICA_OK) {
        mica_report_add(report, MICA_RULE_TOOL_MISSING, 0, "", "%s",
                        error.message);
        return;
    }
    (void)run_one(run, report, input, report->arena, &native);
    if (!is_shown(report, rule))
        mica_report_add(report, rule, found->line, "random", "%.*s",
                        MICA_ARG(found->message));
}

static void
check_one(struct random_run *run, struct mica_text input,
          const struct mica_native_result *native)
{
    struct mica_report *report = run->runs->subject->report, scratch;
    struct mica_native_result module;

    scratch_init(run, &run->arena, &scratch);
    module = run_one(run, &scratch, input, &run->arena, native);
    report->random_runs++;
    report->random_answered += module.status == MICA_OK;
    report->random_limited +=
        module.status == MICA_E_LIMIT || native->status == MICA_E_LIMIT;
    mica_outputs_take(run->runs->outputs, &run->arena, &module);
    if (scratch.first != NULL && !is_shown(report, scratch.first->rule))
        tell_smallest(run, input, scratch.first);
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
mica_runs_random(const struct mica_runs *runs, size_t count, uint64_t seed,
                 unsigned most_ms)
{
    struct random_run run = {
        .runs = runs,
        .schema = mica_json_get(runs->subject->manifest, "inputSchema"),
        .examples = mica_json_get(runs->subject->manifest, "examples"),
        .random = {seed},
        .findings_before = runs->subject->report->count,
    };
    size_t most = most_ms > 0 ? SMALL_BATCH : BATCH;
    int64_t end_ms = mica_clock_ms() + most_ms;
    bool on = true;

    mica_arena_init(&run.arena, 4 * (size_t)BATCH_BYTES);
    while (on && count > 0) {
        size_t part = count < most ? count : most;

        on =
            run_batch(&run, part) && (most_ms == 0 || mica_clock_ms() < end_ms);
        count -= part;
        mica_arena_reset(&run.arena);
    }
    mica_native_stop(runs->native);
    mica_arena_fini(&run.arena);
}

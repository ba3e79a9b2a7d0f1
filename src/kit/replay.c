// SPDX-License-Identifier: Apache-2.0
//
// One run of a call, and the same call cut off at each of its moments.
#include "kit/kit.h"

#include <string.h>

static const struct mica_outcome nothing = {
    .status = MICA_E_USAGE, .code = {"USAGE", 5}, .message = {"", 0}};

const struct mica_outcome *
mica_test_run(struct mica_here here, const struct mica_tool *tool,
              const char *jsonz, struct mica_mock *mock)
{
    struct mica_kit_tool *offered = mica_kit_offer(mock, here, tool);

    if (offered == NULL || !mica_kit_open_services(mock, here))
        return &nothing;
    mica_kit_end(mock->run);
    mock->run = mica_kit_begin(mock, here, offered, mica_text(jsonz));
    mica_kit_run(mock->run);
    return &mock->run->outcome;
}

// ---- The same end ------------------------------------------------------------------

static void
compare_text(const struct mica_run *run, const char *whatz,
             struct mica_text first, struct mica_text now)
{
    if (!mica_text_equal(first, now))
        mica_kit_fail(run->here, "%s%s became \"%.*s\", where it was \"%.*s\"",
                      run->moment, whatz, MICA_ARG(now), MICA_ARG(first));
}

static void
compare_asks(const struct mica_run *first, const struct mica_run *run)
{
    const struct mica_outcome *had = &first->outcome, *has = &run->outcome;
    size_t count =
        had->ask_count < has->ask_count ? had->ask_count : has->ask_count;

    if (had->ask_count != has->ask_count)
        mica_kit_fail(run->here, "%sthe tool asked %zu questions, before %zu",
                      run->moment, has->ask_count, had->ask_count);
    for (size_t i = 0; i < count; i++) {
        compare_text(run, "the key of a question", had->asks[i].key,
                     has->asks[i].key);
        compare_text(run, "a question", had->asks[i].params,
                     has->asks[i].params);
    }
}

static void
compare_effects(const struct mica_run *first, const struct mica_run *run)
{
    if (first->effect_count != run->effect_count)
        mica_kit_fail(run->here, "%sthere were %zu effects, before %zu",
                      run->moment, run->effect_count, first->effect_count);
    for (size_t i = 0; i < run->effect_count; i++) {
        bool known = false;
        for (size_t j = 0; j < first->effect_count; j++)
            known =
                known || mica_text_equal(run->effects[i], first->effects[j]);
        if (!known)
            mica_kit_fail(run->here, "%sthe effect \"%.*s\" is a new one",
                          run->moment, MICA_ARG(run->effects[i]));
    }
}

static void
run_compare(const struct mica_run *first, const struct mica_run *run)
{
    const struct mica_outcome *had = &first->outcome, *has = &run->outcome;

    compare_text(run, "the code", had->code, has->code);
    compare_text(run, "the message", had->message, has->message);
    compare_text(run, "the result", had->result, has->result);
    compare_text(run, "the text", had->text, has->text);
    if (had->is_error != has->is_error)
        mica_kit_fail(run->here, "%sisError became %d", run->moment,
                      has->is_error);
    compare_asks(first, run);
    compare_effects(first, run);
}

// ---- Another end -------------------------------------------------------------------

// Has the journal the result of the effect with that key?
static bool
is_recorded(const struct mica_run *run, struct mica_text key)
{
    for (uint32_t i = 0; i < run->journal.count; i++) {
        const struct mica_entry *entry = &run->journal.entries[i];
        bool effect = entry->kind == MICA_ENTRY_STEP ||
                      entry->kind == MICA_ENTRY_PHASE ||
                      entry->kind == MICA_ENTRY_CLEANED;
        if (effect && mica_text_equal(key, entry->key))
            return true;
    }
    return false;
}

// What had an effect before the process died, the call knows at its end.
static void
check_recorded(const struct mica_run *run)
{
    size_t start = run->id.len + 1; // of the key in the call

    for (size_t i = 0; i < run->cut_effects; i++) {
        struct mica_text effect = run->effects[i];
        if (mica_text_starts(effect, run->id.ptr) &&
            !is_recorded(run, mica_text_slice(effect, start, effect.len)))
            mica_kit_fail(run->here,
                          "%sthe client is gone, and the call has ended with "
                          "%.*s, without what came of its effect \"%.*s\"",
                          run->moment, MICA_ARG(run->outcome.code),
                          MICA_ARG(run->effects[i]));
    }
}

// ---- All runs ----------------------------------------------------------------------

// A run that is killed at that moment (0: none), in a world as it was, and whose
// client is then gone, or not (MICA_OK). NULL when services do not open.
static struct mica_run *
run_once(struct mica_mock *mock, struct mica_here here,
         const struct mica_kit_tool *tool, const char *jsonz,
         const struct mica_replay *replay, unsigned moment,
         enum mica_status gone)
{
    struct mica_run *run;

    mica_kit_close_services(mock);
    mica_kit_empty_folder(mock);
    if (!mica_kit_open_services(mock, here))
        return NULL;
    mica_kit_seed(mock);
    mock->calls = 0; // the same id
    run = mica_kit_begin(mock, here, tool, mica_text(jsonz));
    run->kill_at = moment;
    run->gone = gone;
    run->twice = moment == 0;
    mock->run = run;
    if (replay != NULL && replay->begin != NULL)
        replay->begin(mock, replay->data);
    mica_kit_run(run);
    if (gone == MICA_OK && replay != NULL && replay->end != NULL)
        replay->end(mock, &run->outcome, replay->data);
    return run;
}

// Runs to the same end; and, of a call that may have been inside an effect, to
// the end of one whose client did not come back.
static void
cut_off(struct mica_mock *mock, struct mica_here here,
        const struct mica_kit_tool *tool, const char *jsonz,
        const struct mica_replay *replay, const struct mica_run *first,
        unsigned moment)
{
    struct mica_run *run =
        run_once(mock, here, tool, jsonz, replay, moment, MICA_OK);
    bool inside;

    if (run == NULL)
        return;
    run_compare(first, run);
    inside = run->inside;
    mica_kit_end(run);
    if (!inside)
        return;
    run = run_once(mock, here, tool, jsonz, replay, moment, MICA_E_TIMEOUT);
    if (run != NULL)
        check_recorded(run);
    mica_kit_end(run);
}

const struct mica_outcome *
mica_test_replay(struct mica_here here, const struct mica_tool *tool,
                 const char *jsonz, struct mica_mock *mock,
                 const struct mica_replay *replay)
{
    const struct mica_kit_tool *offered = mica_kit_offer(mock, here, tool);
    struct mica_run *first;
    unsigned failures = mica_test_failures();

    mica_kit_end(mock->run);
    mock->run = NULL;
    if (offered == NULL)
        return &nothing;
    first = run_once(mock, here, offered, jsonz, replay, 0, MICA_OK);
    if (first == NULL)
        return &nothing;
    for (unsigned moment = 1;
         moment <= first->moments && mica_test_failures() == failures; moment++)
        cut_off(mock, here, offered, jsonz, replay, first, moment);
    mock->run = first;
    return &first->outcome;
}

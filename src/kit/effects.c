// SPDX-License-Identifier: Apache-2.0
//
// Effects of a run, each counted once by its idempotency key.
#include "kit/kit.h"

static struct mica_run *
run_of(const struct mica_mock *mock)
{
    if (mock->run == NULL)
        mica_kit_abort("an effect before any call");
    return mock->run;
}

bool
mica_mock_effect(struct mica_mock *mock, struct mica_text key)
{
    struct mica_run *run = run_of(mock);

    for (size_t i = 0; i < run->effect_count; i++) {
        if (mica_text_equal(run->effects[i], key))
            return false;
    }
    *MICA_KIT_NEXT(run->effects, run->effect_count) =
        mica_kit_copy(&run->arena, key);
    return true;
}

size_t
mica_mock_effects(const struct mica_mock *mock)
{
    return mock->run != NULL ? mock->run->effect_count : 0;
}

// SPDX-License-Identifier: Apache-2.0
//
// The states of a call:
//
//     SUBMITTED --> QUEUED --> RUNNING --> LINGERING ---+
//         |           |  ^       |  |                   |
//         |           |  |       |  +-----------------+ |
//         |           |  |       v                    v v
//         |           |  +--- PAUSING -----------> ENDED
//         |           +-------------------------------^
//         +-------------------------------------------+  (the module closes)
//
// Each state but ENDED goes to ENDED when the call is cancelled or its time has passed.
#include <stdlib.h>
#include <string.h>

#include "model/model_state.h"

#define BIT(stage) MICA_STATE_BIT(MICA_MODEL_##stage)

static const uint32_t stage_moves[] = {
    [MICA_MODEL_SUBMITTED] = BIT(QUEUED) | BIT(ENDED),
    [MICA_MODEL_QUEUED] = BIT(RUNNING) | BIT(ENDED),
    [MICA_MODEL_RUNNING] = BIT(LINGERING) | BIT(PAUSING) | BIT(ENDED),
    [MICA_MODEL_LINGERING] = BIT(ENDED),
    [MICA_MODEL_PAUSING] = BIT(QUEUED) | BIT(ENDED),
    [MICA_MODEL_ENDED] = 0};

static const char *const stage_names[] = {"SUBMITTED", "QUEUED",  "RUNNING",
                                          "LINGERING", "PAUSING", "ENDED"};

const struct mica_states mica_model_stages = {.namez = "model call",
                                              .names = stage_names,
                                              .moves = stage_moves,
                                              .count = MICA_COUNT(stage_moves),
                                              .stop = NULL};

void
mica_model_move(struct mica_model_one *one, enum mica_model_stage stage)
{
#ifdef MICA_DEBUG
    mica_states_check(&mica_model_stages, one->stage, stage, NULL);
#endif
    one->stage = stage;
}

void
mica_model_one_free(struct mica_model_one *one)
{
    // It is a prompt.
    if (one->body.ptr != NULL)
        explicit_bzero(one->body.ptr, one->body.len);
    mica_buffer_fini(&one->body);
    free(one);
}

void
mica_model_tell(struct mica_model_one *one, int64_t now_ms)
{
    const struct mica_model_reading *reading = &one->transfer.reading;
    unsigned progress =
        mica_model_rise(one->progress, reading->text.len,
                        reading->completion_tokens, now_ms - one->began_ms);

    if (progress == one->progress)
        return;
    one->notified_ms = now_ms;
    one->progress = progress;
    one->on_progress(one->data, progress);
}

// ---- The timed list ------------------------------------------------------------------

void
mica_model_timed_add(struct mica_model_one *one, int64_t due_ms)
{
    struct mica_model_list *list = &one->state->timed;

    one->due_ms = due_ms < one->deadline_ms ? due_ms : one->deadline_ms;
    one->timed_before = list->last;
    one->timed_after = NULL;
    if (list->last != NULL)
        list->last->timed_after = one;
    else
        list->first = one;
    list->last = one;
    if (one->due_ms < one->state->timed_next_ms)
        one->state->timed_next_ms = one->due_ms;
}

void
mica_model_timed_remove(struct mica_model_one *one)
{
    struct mica_model_list *list = &one->state->timed;

    if (one->timed_before != NULL)
        one->timed_before->timed_after = one->timed_after;
    else
        list->first = one->timed_after;
    if (one->timed_after != NULL)
        one->timed_after->timed_before = one->timed_before;
    else
        list->last = one->timed_before;
}

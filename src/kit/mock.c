// SPDX-License-Identifier: Apache-2.0
//
// The client of a test: who it is, and the answers it has been given.
#include "kit/kit.h"

#include <stdlib.h>
#include <string.h>

struct mica_mock *
mica_mock_open(void)
{
    struct mica_mock *mock = mica_kit_heap(1, sizeof *mock);

    mica_arena_init(&mock->arena, MICA_KIT_BYTES);
    mock->client = MICA_ELICITATION | MICA_ELICITATION_URL | MICA_SAMPLING |
                   MICA_ROOTS | MICA_VIEWS;
    mock->start = 1767225600000; // 2026-01-01
    mock->fetcher = (struct mica_fetcher){mica_kit_fetch_send, mock};
    return mock;
}

void
mica_mock_close(struct mica_mock *mock)
{
    if (mock == NULL)
        return;
    mica_kit_end(mock->run);
    mica_kit_close_services(mock);
    mica_kit_empty_folder(mock);
    for (size_t i = 0; i < mock->tool_count; i++)
        mica_definition_drop(mock->tools[i].definition);
    mica_arena_fini(&mock->arena);
    free(mock);
}

void
mica_mock_era(struct mica_mock *mock, enum mica_era era)
{
    mock->era = era;
}

void
mica_mock_declare(struct mica_mock *mock, unsigned capabilities)
{
    mock->client = capabilities;
}

void
mica_mock_clock(struct mica_mock *mock, int64_t now_ms)
{
    mock->start = now_ms;
}

void
mica_mock_seed(struct mica_mock *mock, uint64_t seed)
{
    mock->seed = seed;
}

// ---- The script ------------------------------------------------------------------

static void
check_json(const struct mica_mock *mock, struct mica_here here,
           struct mica_text text)
{
    struct mica_arena arena;
    struct mica_error error;
    struct mica_json value;

    (void)mock;
    mica_arena_init(&arena, MICA_KIT_BYTES);
    if (mica_json_read(&arena, text, NULL, &error, &value) != MICA_OK)
        mica_kit_fail(here, "this answer is no JSON (%s): %.*s", error.message,
                      MICA_ARG(text));
    mica_arena_fini(&arena);
}

void
mica_test_answer(struct mica_here here, struct mica_mock *mock,
                 enum mica_mock_kind kind, const char *keyz, const char *textz)
{
    struct mica_kit_answer *answer =
        MICA_KIT_NEXT(mock->answers, mock->answer_count);
    bool json = kind == MICA_MOCK_ACCEPT || kind == MICA_MOCK_ROOTS ||
                kind == MICA_MOCK_RAW;

    *answer = (struct mica_kit_answer){.here = here, .kind = kind};
    if (keyz != NULL)
        answer->key = mica_kit_copy(&mock->arena, mica_text(keyz));
    if (textz != NULL)
        answer->text = mica_kit_copy(&mock->arena, mica_text(textz));
    if (json && textz != NULL)
        check_json(mock, here, answer->text);
}

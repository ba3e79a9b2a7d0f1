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
    mock->client =
        MICA_ELICITATION | MICA_ELICITATION_URL | MICA_SAMPLING | MICA_ROOTS;
    mock->start = 1767225600000; // 2026-01-01
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

// "pick#2" and "pick" for "pick".
static bool
fits_key(struct mica_text scripted, struct mica_text key)
{
    if (scripted.len == 0 || mica_text_equal(scripted, key))
        return true;
    return key.len > scripted.len && key.ptr[scripted.len] == '#' &&
           mica_text_equal(scripted, mica_text_slice(key, 0, scripted.len));
}

static bool
fits_kind(enum mica_mock_kind kind, enum mica_ask_kind asked)
{
    bool person = asked == MICA_ASK_FORM || asked == MICA_ASK_PAGE;

    if (kind == MICA_MOCK_ACCEPT || kind == MICA_MOCK_DECLINE ||
        kind == MICA_MOCK_DISMISS)
        return person;
    if (kind == MICA_MOCK_SAY)
        return asked == MICA_ASK_SAMPLING;
    return kind != MICA_MOCK_ROOTS || asked == MICA_ASK_ROOTS;
}

struct mica_kit_answer *
mica_kit_take(struct mica_mock *mock, const struct mica_asked *asked)
{
    for (size_t i = 0; i < mock->answer_count; i++) {
        struct mica_kit_answer *answer = &mock->answers[i];
        if (answer->taken.len > 0 && mica_text_equal(answer->taken, asked->key))
            return answer;
    }
    for (size_t i = 0; i < mock->answer_count; i++) {
        struct mica_kit_answer *answer = &mock->answers[i];
        if (answer->taken.len == 0 && fits_key(answer->key, asked->key) &&
            fits_kind(answer->kind, asked->kind)) {
            answer->taken = mica_kit_copy(&mock->arena, asked->key);
            return answer;
        }
    }
    return NULL;
}

void
mica_kit_rewind(struct mica_mock *mock)
{
    for (size_t i = 0; i < mock->answer_count; i++)
        mock->answers[i].taken = (struct mica_text){NULL, 0};
}

void
mica_kit_check_taken(struct mica_run *run)
{
    const struct mica_mock *mock = run->mock;
    struct mica_buffer keys;

    mica_buffer_init(&keys, &run->arena, MICA_KIT_BYTES);
    for (size_t i = 0; i < run->outcome.ask_count; i++)
        mica_buffer_format(&keys, "%s%.*s", i > 0 ? ", " : "",
                           MICA_ARG(run->asks[i].key));
    for (size_t i = 0; i < mock->answer_count; i++) {
        const struct mica_kit_answer *answer = &mock->answers[i];
        if (answer->taken.len == 0)
            mica_kit_fail(answer->here,
                          "%sthis answer to \"%.*s\" was not used; the tool "
                          "asked: %.*s",
                          run->moment, MICA_ARG(answer->key),
                          keys.len > 0 ? (int)keys.len : 7,
                          keys.len > 0 ? keys.ptr : "nothing");
    }
}

// SPDX-License-Identifier: Apache-2.0
//
// Which answer of a script a question takes, and which answers no question took.
#include "kit/kit.h"

// "pick#2" and "pick" for "pick".
static bool
answer_fits_key(struct mica_text scripted, struct mica_text key)
{
    if (scripted.len == 0 || mica_text_equal(scripted, key))
        return true;
    return key.len > scripted.len && key.ptr[scripted.len] == '#' &&
           mica_text_equal(scripted, mica_text_slice(key, 0, scripted.len));
}

static bool
answer_fits_kind(enum mica_mock_kind kind, enum mica_ask_kind asked)
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
        if (answer->taken.len == 0 &&
            answer_fits_key(answer->key, asked->key) &&
            answer_fits_kind(answer->kind, asked->kind)) {
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
    mica_kit_rewind_fetches(mock);
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
    mica_kit_check_fetched(run);
}

// SPDX-License-Identifier: Apache-2.0
//
// Expectations of a test. Each says what there is beside what there should be.
#include "kit/kit.h"

#include <string.h>

bool
mica_test_expect(struct mica_here here, bool condition, const char *words)
{
    if (!condition)
        mica_kit_fail(here, "this is not so: %s", words);
    return condition;
}

bool
mica_test_expect_int(struct mica_here here, long long actual, const char *words,
                     long long expected)
{
    if (actual != expected)
        mica_kit_fail(here, "%s is %lld, expected %lld", words, actual,
                      expected);
    return actual == expected;
}

bool
mica_test_expect_text(struct mica_here here, struct mica_text actual,
                      const char *words, const char *expected)
{
    bool same = mica_text_is(actual, expected);

    if (!same)
        mica_kit_fail(here, "%s is \"%.*s\", expected \"%s\"", words,
                      MICA_ARG(actual), expected);
    return same;
}

// ---- How it ended ----------------------------------------------------------------

bool
mica_test_expect_ok(struct mica_here here, const struct mica_outcome *outcome)
{
    if (outcome->status != MICA_OK)
        mica_kit_fail(here, "the call failed with %.*s (%.*s), expected OK",
                      MICA_ARG(outcome->code), MICA_ARG(outcome->message));
    return outcome->status == MICA_OK;
}

bool
mica_test_expect_says(struct mica_here here, const struct mica_outcome *outcome,
                      const char *text)
{
    return mica_test_expect_ok(here, outcome) &&
           mica_test_expect_text(here, outcome->text, "the text", text);
}

// Are both JSON, and equal?
static bool
equal_json(struct mica_text actual, const char *expectedz)
{
    struct mica_arena arena;
    struct mica_json left, right;
    bool equal;

    mica_arena_init(&arena, MICA_KIT_BYTES);
    equal = mica_json_read(&arena, actual, NULL, NULL, &left) == MICA_OK &&
            mica_json_read(&arena, mica_text(expectedz), NULL, NULL, &right) ==
                MICA_OK &&
            mica_json_equal(&left, &right);
    mica_arena_fini(&arena);
    return equal;
}

bool
mica_test_expect_result(struct mica_here here,
                        const struct mica_outcome *outcome, const char *json)
{
    bool same;

    if (!mica_test_expect_ok(here, outcome))
        return false;
    same = equal_json(outcome->result, json);
    if (!same)
        mica_kit_fail(here, "the result is %.*s, expected %s",
                      MICA_ARG(outcome->result), json);
    return same;
}

bool
mica_test_expect_fails(struct mica_here here,
                       const struct mica_outcome *outcome, const char *code)
{
    bool same = mica_text_is(outcome->code, code);

    if (!same)
        mica_kit_fail(here, "the call ended with %.*s (%.*s), expected %s",
                      MICA_ARG(outcome->code),
                      MICA_ARG(outcome->status == MICA_OK ? outcome->text
                                                          : outcome->message),
                      code);
    return same;
}

// ---- What it asked ---------------------------------------------------------------

// The lines or words of a buffer, compared.
static bool
same_list(struct mica_here here, const struct mica_buffer *actual,
          const char *words, const char *expected)
{
    if (actual->overflow)
        mica_kit_abort("no memory");
    return mica_test_expect_text(here, mica_buffer_as_text(actual), words,
                                 expected);
}

bool
mica_test_expect_asked(struct mica_here here,
                       const struct mica_outcome *outcome, const char *keys)
{
    struct mica_buffer asked;
    bool same;

    mica_buffer_init(&asked, NULL, MICA_KIT_BYTES);
    for (size_t i = 0; i < outcome->ask_count; i++)
        mica_buffer_format(&asked, "%s%.*s", i > 0 ? " " : "",
                           MICA_ARG(outcome->asks[i].key));
    same = same_list(here, &asked, "what was asked", keys);
    mica_buffer_fini(&asked);
    return same;
}

static const struct mica_outcome_ask *
find_ask(struct mica_here here, const struct mica_outcome *outcome,
         const char *keyz)
{
    for (size_t i = 0; i < outcome->ask_count; i++) {
        if (mica_text_is(outcome->asks[i].key, keyz))
            return &outcome->asks[i];
    }
    mica_kit_fail(here, "the tool has not asked \"%s\"", keyz);
    return NULL;
}

static bool
text_contains(struct mica_text text, const char *partz)
{
    size_t size = strlen(partz);

    return size == 0 || memmem(text.ptr, text.len, partz, size) != NULL;
}

bool
mica_test_expect_message(struct mica_here here,
                         const struct mica_outcome *outcome, const char *key,
                         const char *part)
{
    const struct mica_outcome_ask *ask = find_ask(here, outcome, key);

    if (ask == NULL)
        return false;
    if (text_contains(ask->message, part))
        return true;
    mica_kit_fail(here, "\"%s\" says \"%.*s\", expected \"%s\" in it", key,
                  MICA_ARG(ask->message), part);
    return false;
}

bool
mica_test_expect_param(struct mica_here here,
                       const struct mica_outcome *outcome, const char *key,
                       const char *pointer, const char *json)
{
    const struct mica_outcome_ask *ask = find_ask(here, outcome, key);
    struct mica_text actual = MICA_LITERAL("nothing");
    const struct mica_json *found = NULL;
    struct mica_arena arena;
    struct mica_json params;
    bool same;

    if (ask == NULL)
        return false;
    mica_arena_init(&arena, MICA_KIT_BYTES);
    if (mica_json_read(&arena, ask->params, NULL, NULL, &params) == MICA_OK)
        found = mica_json_pointer_get(&params, mica_text(pointer));
    if (found != NULL)
        actual = found->raw;
    same =
        found != NULL ? json != NULL && equal_json(actual, json) : json == NULL;
    if (!same)
        mica_kit_fail(here, "%s of \"%s\" is %.*s, expected %s", pointer, key,
                      MICA_ARG(actual), json != NULL ? json : "nothing");
    mica_arena_fini(&arena);
    return same;
}

// ---- What it sent ----------------------------------------------------------------

bool
mica_test_expect_fetched(struct mica_here here,
                         const struct mica_outcome *outcome, const char *lines)
{
    struct mica_buffer text;
    bool same;

    mica_buffer_init(&text, NULL, MICA_KIT_BYTES);
    for (size_t i = 0; i < outcome->fetch_count; i++)
        mica_buffer_format(&text, "%s%.*s %.*s", i > 0 ? "\n" : "",
                           MICA_ARG(outcome->fetches[i].method),
                           MICA_ARG(outcome->fetches[i].url));
    same = same_list(here, &text, "what was fetched", lines);
    mica_buffer_fini(&text);
    return same;
}

bool
mica_test_expect_sent(struct mica_here here, const struct mica_outcome *outcome,
                      const char *url, const char *json)
{
    for (size_t i = 0; i < outcome->fetch_count; i++) {
        const struct mica_outcome_fetch *fetch = &outcome->fetches[i];
        bool same;
        if (!mica_text_is(fetch->url, url))
            continue;
        same =
            json != NULL ? equal_json(fetch->body, json) : fetch->body.len == 0;
        if (!same)
            mica_kit_fail(here, "%s was sent %.*s, expected %s", url,
                          MICA_ARG(fetch->body),
                          json != NULL ? json : "nothing");
        return same;
    }
    mica_kit_fail(here, "the tool has sent nothing to %s", url);
    return false;
}

// ---- What it told ----------------------------------------------------------------

bool
mica_test_expect_logs(struct mica_here here, const struct mica_outcome *outcome,
                      const char *lines)
{
    static const char *const names[MICA_LOG_LEVELS] = {
        "debug", "info",     "notice", "warning",
        "error", "critical", "alert",  "emergency"};
    struct mica_buffer text;
    bool same;

    mica_buffer_init(&text, NULL, MICA_KIT_BYTES);
    for (size_t i = 0; i < outcome->log_count; i++) {
        const struct mica_outcome_log *log = &outcome->logs[i];
        mica_buffer_format(&text, "%s%s: %.*s", i > 0 ? "\n" : "",
                           names[log->level % MICA_LOG_LEVELS],
                           MICA_ARG(log->message));
    }
    same = same_list(here, &text, "the log", lines);
    mica_buffer_fini(&text);
    return same;
}

static void
add_number(struct mica_buffer *text, double value)
{
    char digits[MICA_NUMBER_SIZE];

    (void)mica_number_write(value, digits);
    mica_buffer_format(text, "%s", digits);
}

bool
mica_test_expect_progress(struct mica_here here,
                          const struct mica_outcome *outcome, const char *lines)
{
    struct mica_buffer text;
    bool same;

    mica_buffer_init(&text, NULL, MICA_KIT_BYTES);
    for (size_t i = 0; i < outcome->progress_count; i++) {
        const struct mica_outcome_progress *one = &outcome->progress[i];
        if (i > 0)
            mica_buffer_char(&text, '\n');
        add_number(&text, one->progress);
        if (one->total > 0) {
            mica_buffer_char(&text, '/');
            add_number(&text, one->total);
        }
        if (one->message.len > 0)
            mica_buffer_format(&text, " %.*s", MICA_ARG(one->message));
    }
    same = same_list(here, &text, "the progress", lines);
    mica_buffer_fini(&text);
    return same;
}

// SPDX-License-Identifier: Apache-2.0
//
// Every change that makes one value smaller has a number, counted through the whole input.
// A try writes the input with the change of that number made; one that still shows the
// fault is where the next tries begin.
#include "check/shrink.h"

#include <math.h>
#include <string.h>

struct attempt {
    struct mica_json_writer *writer;
    size_t wanted, counted; // numbers of changes
    bool taken;
};

static void attempt_write(struct attempt *attempt,
                          const struct mica_json *value);

// Whether the change that comes now is the one to make.
static bool
is_chosen(struct attempt *attempt)
{
    bool now = attempt->counted++ == attempt->wanted;

    attempt->taken = attempt->taken || now;
    return now;
}

static void
write_text(struct attempt *attempt, struct mica_text text)
{
    if (text.len > 0 && is_chosen(attempt))
        text.len = 0;
    if (text.len > 1 && is_chosen(attempt))
        text = mica_utf8_cut(text, text.len / 2);
    if (text.len > 1 && is_chosen(attempt))
        text = mica_utf8_cut(text, text.len - 1);
    mica_json_string(attempt->writer, text);
}

static void
write_number(struct attempt *attempt, struct mica_text raw)
{
    double number = 0;
    bool read = mica_number_read(raw, &number);

    if (!mica_text_is(raw, "0") && is_chosen(attempt))
        raw = MICA_LITERAL("0");
    else if (!mica_text_is(raw, "0") && !mica_text_is(raw, "1") &&
             is_chosen(attempt))
        raw = MICA_LITERAL("1");
    else if (read && fabs(number) < 1e15 && trunc(number) != number &&
             is_chosen(attempt)) {
        mica_json_number(attempt->writer, trunc(number));
        return;
    } else if (read && fabs(number) >= 10 && is_chosen(attempt)) {
        mica_json_number(attempt->writer, trunc(number / 10));
        return;
    }
    mica_json_raw(attempt->writer, raw);
}

static void
write_list(struct attempt *attempt, const struct mica_json *list)
{
    size_t count = list->count;

    if (count > 0 && is_chosen(attempt))
        count = 0;
    if (count > 1 && is_chosen(attempt))
        count /= 2;
    mica_json_open_array(attempt->writer);
    for (size_t i = 0; i < count; i++)
        if (!is_chosen(attempt))
            attempt_write(attempt, &list->items[i]);
    mica_json_close_array(attempt->writer);
}

static void
attempt_write(struct attempt *attempt, const struct mica_json *value)
{
    switch (value->kind) {
    case MICA_JSON_STRING:
        write_text(attempt, value->text);
        return;
    case MICA_JSON_NUMBER:
        write_number(attempt, value->raw);
        return;
    case MICA_JSON_ARRAY:
        write_list(attempt, value);
        return;
    case MICA_JSON_OBJECT:
        mica_json_open_object(attempt->writer);
        for (size_t i = 0; i < value->count; i++) {
            if (is_chosen(attempt))
                continue;
            mica_json_name_text(attempt->writer, value->members[i].name);
            attempt_write(attempt, &value->members[i].value);
        }
        mica_json_close_object(attempt->writer);
        return;
    case MICA_JSON_TRUE:
        if (is_chosen(attempt)) {
            mica_json_boolean(attempt->writer, false);
            return;
        }
        break;
    case MICA_JSON_NULL:
    case MICA_JSON_FALSE:
        break;
    }
    mica_json_value(attempt->writer, value);
}

struct mica_text
mica_shrink(struct mica_arena *arena, struct mica_text input, size_t tries,
            mica_shrink_test *test, void *data)
{
    struct mica_json json;
    size_t wanted = 0;

    while (tries > 0 &&
           mica_json_read(arena, input, NULL, NULL, &json) == MICA_OK) {
        struct mica_json_writer writer;
        struct attempt attempt = {.writer = &writer, .wanted = wanted};
        struct mica_buffer text;

        mica_buffer_init(&text, arena, input.len + 64);
        mica_json_writer_init(&writer, &text);
        attempt_write(&attempt, &json);
        if (!attempt.taken || text.overflow)
            break;
        tries--;
        if (test(data, mica_buffer_as_text(&text)))
            input =
                mica_buffer_as_text(&text); // the same number is another change
        else
            wanted++;
    }
    return input;
}

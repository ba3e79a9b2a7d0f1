// SPDX-License-Identifier: Apache-2.0
//
// Event streams of providers: the same events, however the bytes are cut.
#include <stdio.h>
#include <string.h>

#include "model/model_events.h"
#include "unit.h"

enum {
    ROOM = 4096
};

// The events of a stream as "name|data;" each.
struct heard {
    char text[ROOM];
    size_t length;
    bool fits;
};

static void
take(void *user, struct mica_text name, struct mica_text data)
{
    struct heard *heard = user;

    heard->length += (size_t)snprintf(
        heard->text + heard->length, sizeof heard->text - heard->length,
        "%.*s|%.*s;", MICA_ARG(name), MICA_ARG(data));
}

static struct heard
hear(struct mica_text stream, size_t step)
{
    struct heard heard = {.fits = true};
    const struct mica_model_event_taker taker = {take, &heard};
    struct mica_model_events events;

    mica_model_events_init(&events);
    for (size_t at = 0; heard.fits && at < stream.len; at += step)
        heard.fits = mica_model_events_feed(
            &events, mica_text_slice(stream, at, at + step), &taker);
    mica_model_events_fini(&events);
    return heard;
}

#define HEARS(stream_, expected_)                                      \
    do {                                                               \
        struct mica_text bytes_ = MICA_LITERAL(stream_);               \
        for (size_t step_ = 1; step_ <= bytes_.len; step_++) {         \
            struct heard heard_ = hear(bytes_, step_);                 \
            ck_assert(heard_.fits);                                    \
            ck_assert_msg(strcmp(heard_.text, (expected_)) == 0,       \
                          "in pieces of %zu: %s", step_, heard_.text); \
        }                                                              \
    } while (0)

START_TEST(an_event_has_a_name_and_data)
{
    HEARS("event: ping\ndata: {}\n\n", "ping|{};");
    HEARS("data:{}\n\ndata: [DONE]\n\n", "|{};|[DONE];");
    HEARS("data: a\ndata: b\ndata\n\n", "|a\nb\n;");
    HEARS("data:  two blanks\n\n", "| two blanks;");
}
END_TEST

START_TEST(lines_end_with_any_of_three)
{
    HEARS("event: a\r\ndata: 1\r\n\r\nevent: b\r\ndata: 2\r\n\r\n", "a|1;b|2;");
    HEARS("event: a\rdata: 1\r\revent: b\rdata: 2\r\r", "a|1;b|2;");
    HEARS("data: 1\r\n\ndata: 2\n\r\n", "|1;|2;");
}
END_TEST

START_TEST(comments_and_other_fields_are_skipped)
{
    HEARS(": OPENROUTER PROCESSING\n\n: x\ndata: 1\n\n", "|1;");
    HEARS("id: 7\nretry: 10\ncolor: red\ndata: 1\n\n", "|1;");
    HEARS("event: without data\n\ndata: 1\n\n", "|1;");
    HEARS("\xEF\xBB\xBF"
          "data: 1\n\n",
          "|1;");
}
END_TEST

START_TEST(an_event_without_its_end_is_none)
{
    HEARS("data: 1\n\ndata: 2\n", "|1;");
    HEARS("data: 1\n\ndata: 2", "|1;");
    HEARS("\n\n\n", "");
}
END_TEST

START_TEST(a_long_name_is_cut)
{
    char stream[256], expected[256];

    memset(stream, 'n', sizeof stream);
    memcpy(stream, "event: ", 7);
    memcpy(stream + 200, "\ndata: 1\n\n", 10);
    memset(expected, 'n', MICA_MODEL_EVENT_NAME);
    strcpy(expected + MICA_MODEL_EVENT_NAME, "|1;");
    ck_assert_str_eq(hear((struct mica_text){stream, 210}, 7).text, expected);
}
END_TEST

START_TEST(a_line_and_an_event_have_a_size)
{
    static char stream[2 * MICA_MODEL_EVENT_BYTES];
    struct mica_text all = {stream, sizeof stream};

    memset(stream, 'x', sizeof stream);
    ck_assert(!hear(all, 4096).fits);
    for (size_t at = 0; at + 100 < sizeof stream; at += 100)
        memcpy(stream + at, "\ndata: ", 7);
    ck_assert(!hear(all, 4096).fits);
    for (size_t at = 0; at + 100 < sizeof stream; at += 100)
        memcpy(stream + at, "\n\n: no ", 7);
    ck_assert(hear(all, 4096).fits);
}
END_TEST

UNIT_MAIN("model_events", an_event_has_a_name_and_data,
          lines_end_with_any_of_three, comments_and_other_fields_are_skipped,
          an_event_without_its_end_is_none, a_long_name_is_cut,
          a_line_and_an_event_have_a_size)

// SPDX-License-Identifier: Apache-2.0
//
// What is kept of what a task tells: messages with their numbers, how far it is,
// and no more than there is room for.
#include "server/calls/progress_log.h"

#include <mica/server.h>

#include "unit.h"

static char room[MICA_PROGRESS_LOG_BYTES];
static struct mica_buffer progress_log;
static struct mica_arena arena;
static struct mica_json shown;

static void
begin(void)
{
    progress_log = (struct mica_buffer){
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    mica_arena_init(&arena, 1 << 20);
}

static void
end(void)
{
    mica_arena_fini(&arena);
}

static bool
tell(unsigned level, struct mica_text message)
{
    return mica_progress_log_add(&progress_log,
                                 &(struct mica_notice){.kind = MICA_NOTICE_LOG,
                                                       .level = level,
                                                       .message = message});
}

static void
come(double progress, double total)
{
    ck_assert(mica_progress_log_add(
        &progress_log, &(struct mica_notice){.kind = MICA_NOTICE_PROGRESS,
                                             .progress = progress,
                                             .total = total}));
}

// The object as a client that asks gets it.
static const char *
show(int64_t after)
{
    static char text[2 * MICA_PROGRESS_LOG_BYTES];
    struct mica_buffer out = {
        .ptr = text, .capacity = sizeof text - 1, .max = sizeof text - 1};
    struct mica_json_writer writer;
    struct mica_error error;

    mica_json_writer_init(&writer, &out);
    mica_json_open_object(&writer);
    mica_progress_log_write(mica_buffer_as_text(&progress_log), after, &writer);
    mica_json_close_object(&writer);
    ck_assert(!out.overflow);
    text[out.len] = '\0';
    ck_assert_msg(mica_json_read(&arena, mica_buffer_as_text(&out), NULL,
                                 &error, &shown) == MICA_OK,
                  "%s in %s", error.message, text);
    return text;
}

START_TEST(nothing_was_told_yet)
{
    begin();
    ck_assert_str_eq(show(0), "{}");
    ck_assert(!tell(MICA_LOG_DEBUG, MICA_LITERAL("a detail")));
    ck_assert_str_eq(show(0), "{}");
    end();
}
END_TEST

START_TEST(progress_is_the_last_and_messages_have_numbers)
{
    begin();
    come(1, 4);
    ck_assert_str_eq(show(0), "{\"progress\":{\"progress\":1,\"total\":4}}");
    ck_assert(tell(MICA_LOG_INFO, MICA_LITERAL("one\nline")));
    come(2.5, 0);
    ck_assert(tell(MICA_LOG_WARNING, MICA_LITERAL("\"two\"")));
    ck_assert_str_eq(
        show(0), "{\"progress\":{\"progress\":2.5},\"log\":["
                 "{\"number\":1,\"level\":\"info\",\"message\":\"one\\nline\"},"
                 "{\"number\":2,\"level\":\"warning\","
                 "\"message\":\"\\\"two\\\"\"}]}");
    ck_assert_str_eq(show(1), "{\"progress\":{\"progress\":2.5},\"log\":["
                              "{\"number\":2,\"level\":\"warning\","
                              "\"message\":\"\\\"two\\\"\"}]}");
    ck_assert_str_eq(show(2), "{\"progress\":{\"progress\":2.5},\"log\":[]}");
    end();
}
END_TEST

// Control characters take six bytes each.
START_TEST(the_oldest_messages_make_room)
{
    static char text[3 * MICA_PROGRESS_LOG_MESSAGE_BYTES];
    const struct mica_json *log;
    int64_t number = 0, first = 0, last = 0;

    begin();
    come(1, 2);
    for (int i = 0; i < 100; i++) {
        size_t size = (size_t)i * sizeof text / 100;
        memset(text, i % 3 == 0 ? 1 : 'x', sizeof text);
        ck_assert(tell(MICA_LOG_ERROR, (struct mica_text){text, size}));
        come(i, 100);
        ck_assert_uint_le(progress_log.len, MICA_PROGRESS_LOG_BYTES);
        ck_assert(!progress_log.overflow);
    }
    (void)show(0);
    ck_assert(mica_text_is(
        mica_json_get(mica_json_get(&shown, "progress"), "progress")->text,
        "99"));
    log = mica_json_get(&shown, "log");
    ck_assert_uint_ge(log->count, 2);
    ck_assert_uint_lt(log->count, 20);
    for (size_t i = 0; i < log->count; i++) {
        ck_assert(mica_integer_read(
            mica_json_get(&log->items[i], "number")->text, &number));
        if (i == 0)
            first = number;
        ck_assert_int_eq(number, first + (int64_t)i);
        ck_assert_uint_le(mica_json_get_text(&log->items[i], "message").len,
                          MICA_PROGRESS_LOG_MESSAGE_BYTES);
        last = number;
    }
    ck_assert_int_eq(last, 100);
    end();
}
END_TEST

START_TEST(a_long_message_is_not_cut_within_a_character)
{
    static char text[MICA_PROGRESS_LOG_MESSAGE_BYTES + 2];
    struct mica_text message;

    begin();
    memset(text, 'x', sizeof text);
    memcpy(text + MICA_PROGRESS_LOG_MESSAGE_BYTES - 1, "ü", 2);
    ck_assert(tell(MICA_LOG_INFO, (struct mica_text){text, sizeof text}));
    (void)show(0);
    message =
        mica_json_get_text(&mica_json_get(&shown, "log")->items[0], "message");
    ck_assert_uint_eq(message.len, MICA_PROGRESS_LOG_MESSAGE_BYTES - 1);
    end();
}
END_TEST

UNIT_MAIN("server_told", nothing_was_told_yet,
          progress_is_the_last_and_messages_have_numbers,
          the_oldest_messages_make_room,
          a_long_message_is_not_cut_within_a_character)

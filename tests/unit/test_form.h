// SPDX-License-Identifier: Apache-2.0
//
// What the tests of forms share: a record with a field of every kind that a form
// may have, options, and a form written or answered in one line.
#ifndef MICA_TESTS_TEST_FORM_H
#define MICA_TESTS_TEST_FORM_H

#include <string.h>

#define MICA_TOOL_PLAIN
#include <mica/tool.h>

#include "call/form.h"
#include "unit.h"

enum color {
    RED,
    GREEN,
    BLUE
};
MICA_CHOICES(color, [RED] = "red", [GREEN] = "green", [BLUE] = "blue");

struct trip {
    struct mica_text name, mail, link, flight, note;
    double price;
    struct mica_decimal fare;
    int64_t seats;
    bool window, has_note, has_fare;
    enum color color;
    struct mica_date day;
    struct mica_time at;
    struct {
        size_t count;
        const enum color *items;
    } colors;
    struct {
        size_t count;
        const struct mica_text *items;
    } meals;
};
MICA_RECORD(
    trip, MICA_TEXT(name, "Who travels.", .min_length = 1, .max_length = 80),
    MICA_TEXT(mail, "Where the ticket goes.", .format = MICA_EMAIL),
    MICA_TEXT(link, "A page.", .format = MICA_URI),
    MICA_TEXT(flight, "Which one."),
    MICA_TEXT(note, "For the crew.", MICA_OPTIONAL(trip, note)),
    MICA_NUMBER(price, "At most.", .minimum = 0, .maximum = 999.5),
    MICA_DECIMAL(fare, "What was paid.", MICA_OPTIONAL(trip, fare),
                 .minimum = 0.01),
    MICA_INTEGER(seats, "How many.", .fallback = MICA_JSON(1), .minimum = 1,
                 .maximum = 9),
    MICA_BOOLEAN(window, "At the window?", .fallback = MICA_JSON(true)),
    MICA_CHOICE(color, color, "Of the bag.", .fallback = MICA_JSON("green")),
    MICA_DATE(day, "When."), MICA_DATE_TIME(at, "When exactly."),
    MICA_LIST(colors, color, "Of the ticket.", .min_items = 1, .max_items = 2),
    MICA_LIST(meals, text, "What to eat.", .fallback = MICA_JSON(["soup"])));

static const struct mica_option flights[] = {
    {{"LH1", 3}, {"Early flight", 12}},
    {{"LH2", 3}, {NULL, 0}},
};
static const struct mica_option meals[] = {
    {{"soup", 4}, {NULL, 0}},
    {{"salad", 5}, {NULL, 0}},
};
#define FLIGHTS .options = flights, .option_count = 2
#define MEALS   .options = meals, .option_count = 2

// A form with settings by the names of fields, wrong ones too, which MICA_SET does
// not compile.
#define FORM_OF(tag, ...)                                              \
    (&(const struct mica_form){                                        \
        .record = &mica_record_##tag,                                  \
        .out = &tag,                                                   \
        .set = (const struct mica_field_setting[]){__VA_ARGS__},       \
        .set_count =                                                   \
            sizeof((const struct mica_field_setting[]){__VA_ARGS__}) / \
            sizeof(struct mica_field_setting)})
#define TRIP(...) FORM_OF(trip, __VA_ARGS__)

// The schema of a form, NUL-terminated.
static inline const char *
form_schema(struct mica_arena *arena, const struct mica_form *form,
            enum mica_ask_dialect dialect)
{
    struct mica_error error = {.status = MICA_OK};
    struct mica_record prepared;
    struct mica_buffer buffer;
    struct mica_json_writer writer;
    mica_buffer_init(&buffer, arena, 1 << 20);
    mica_json_writer_init(&writer, &buffer);
    enum mica_status status = mica_form_prepare(form, arena, &error, &prepared);
    ck_assert_msg(status == MICA_OK, "%s", error.message);
    status = mica_form_schema(form, &prepared, dialect, &error, &writer);
    ck_assert_msg(status == MICA_OK, "%s", error.message);
    mica_buffer_char(&buffer, '\0');
    ck_assert(!buffer.overflow);
    return buffer.ptr;
}

static inline enum mica_status
form_answer(struct mica_arena *arena, const struct mica_form *form,
            const char *jsonz, struct mica_error *error)
{
    struct mica_record prepared;
    struct mica_json content;
    *error = (struct mica_error){.status = MICA_OK};
    ck_assert_int_eq(mica_form_prepare(form, arena, error, &prepared), MICA_OK);
    ck_assert_int_eq(
        mica_json_read(arena, mica_text(jsonz), NULL, error, &content),
        MICA_OK);
    return mica_form_decode(form, &prepared, &content, arena, error);
}

static inline uint64_t
form_hash(struct mica_arena *arena, const struct mica_form *form)
{
    struct mica_error error = {.status = MICA_OK};
    struct mica_record prepared;
    enum mica_status status = mica_form_prepare(form, arena, &error, &prepared);
    ck_assert_msg(status == MICA_OK, "%s", error.message);
    return mica_form_hash(form, &prepared);
}

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Answers to forms: into the struct, or refused with words that a person who is
// asked again understands.
#include "test_form.h"

static struct mica_arena arena;
static struct trip trip;

#define FORM TRIP({"flight", FLIGHTS}, {"meals", MEALS})
#define REST                                                          \
    "\"name\":\"Ada\",\"mail\":\"ada@example.org\",\"link\":\"a:b\"," \
    "\"price\":10.5,\"day\":\"2026-11-20\",\"at\":\"2026-11-20T09:30:00Z\""
#define WHOLE REST ",\"flight\":\"LH1\",\"colors\":[\"blue\",\"red\"]"

START_TEST(an_answer_fills_the_struct_and_defaults_the_rest)
{
    struct mica_error error;
    mica_arena_init(&arena, 1 << 20);
    enum mica_status status = form_answer(&arena, FORM, "{" WHOLE "}", &error);
    ck_assert_msg(status == MICA_OK, "%s", error.message);
    UNIT_TEXT_EQ(trip.name, "Ada");
    UNIT_TEXT_EQ(trip.flight, "LH1");
    ck_assert(trip.price > 10.4 && trip.price < 10.6);
    ck_assert_int_eq(trip.seats, 1);
    ck_assert(trip.window);
    ck_assert_int_eq(trip.color, GREEN);
    ck_assert_int_eq(trip.day.day, 20);
    ck_assert_int_eq(trip.at.minute, 30);
    ck_assert_uint_eq(trip.colors.count, 2);
    ck_assert_int_eq(trip.colors.items[0], BLUE);
    ck_assert_uint_eq(trip.meals.count, 1);
    UNIT_TEXT_EQ(trip.meals.items[0], "soup");
    ck_assert(!trip.has_note);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(what_is_answered_is_taken_before_the_default)
{
    struct mica_error error;
    mica_arena_init(&arena, 1 << 20);
    ck_assert_int_eq(form_answer(&arena, FORM,
                                 "{" WHOLE ",\"seats\":3,\"window\":false,"
                                 "\"meals\":[\"salad\",\"soup\"],"
                                 "\"note\":\"late\","
                                 "\"fare\":19.990000000000000000001}",
                                 &error),
                     MICA_OK);
    char fare[MICA_DECIMAL_SIZE];
    ck_assert(trip.has_fare);
    (void)mica_decimal_write(trip.fare, fare);
    ck_assert_str_eq(fare, "19.990000000000000000001");
    ck_assert_int_eq(trip.seats, 3);
    ck_assert(!trip.window);
    ck_assert_uint_eq(trip.meals.count, 2);
    ck_assert(trip.has_note);
    UNIT_TEXT_EQ(trip.note, "late");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(what_nobody_asked_for_does_no_harm)
{
    struct mica_error error;
    mica_arena_init(&arena, 1 << 20);
    enum mica_status status =
        form_answer(&arena, FORM, "{" WHOLE ",\"more\":[1]}", &error);
    ck_assert_msg(status == MICA_OK, "%s", error.message);
    UNIT_TEXT_EQ(trip.flight, "LH1");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(an_answer_that_does_not_fit_is_refused_by_field_and_leaves_zeros)
{
    static const struct {
        const char *jsonz;
        enum mica_status status;
        const char *pathz, *messagez;
    } cases[] = {
        {"{" WHOLE ",\"seats\":10}", MICA_E_RANGE, "/seats",
         "\"seats\" must be a whole number at least 1 and at most 9, but is "
         "10"},
        {"{" WHOLE ",\"seats\":\"3\"}", MICA_E_TYPE, "/seats",
         "\"seats\" must be a whole number, but is the string \"3\"; write 3 "
         "without quotes"},
        {"{" REST ",\"colors\":[\"red\"],\"flight\":\"LH3\"}", MICA_E_CHOICE,
         "/flight",
         "\"flight\" is not one of its choices: \"LH3\"; did you mean \"LH1\"? "
         "the choices are \"LH1\", \"LH2\""},
        {"{" REST ",\"colors\":[\"red\"],\"flight\":\"Early flight\"}",
         MICA_E_CHOICE, "/flight",
         "\"flight\" is not one of its choices: \"Early flight\"; the choices "
         "are \"LH1\", \"LH2\""},
        {"{" WHOLE ",\"meals\":[\"soup\",\"beef\"]}", MICA_E_CHOICE, "/meals/1",
         "\"meals/1\" is not one of its choices: \"beef\"; the choices are "
         "\"soup\", \"salad\""},
        {"{" WHOLE ",\"meals\":[\"soup\",\"soup\"]}", MICA_E_CHOICE, "/meals",
         "\"meals\" has \"soup\" twice; choose each once"},
        {"{" WHOLE ",\"meals\":[\"soup\",\"salad\",\"soup\"]}", MICA_E_CHOICE,
         "/meals", "\"meals\" has 3 choices of 2; choose each once"},
        {"{" REST ",\"flight\":\"LH1\",\"colors\":[\"red\",\"red\"]}",
         MICA_E_CHOICE, "/colors",
         "\"colors\" has \"red\" twice; choose each once"},
        {"{" REST ",\"flight\":\"LH1\",\"colors\":[]}", MICA_E_RANGE, "/colors",
         "\"colors\" must have at least 1 item, but has 0"},
        {"{" REST ",\"flight\":\"LH1\",\"colors\":\"red\"}", MICA_E_TYPE,
         "/colors",
         "\"colors\" must be an array, but is the string \"red\"; put it in "
         "[ ]"},
        {"{" REST ",\"colors\":[\"red\"],\"flght\":\"LH1\"}", MICA_E_UNKNOWN,
         "/flght",
         "\"flght\" is no field of this object; did you mean \"flight\"?"},
        {"{" REST ",\"flight\":\"LH1\"}", MICA_E_REQUIRED, "/colors",
         "\"colors\" is required; pass an array: Of the ticket."},
        {"[]", MICA_E_TYPE, "", NULL},
    };
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        static const struct trip zeros;
        struct mica_error error;
        mica_arena_init(&arena, 1 << 20);
        memset(&trip, 0x55, sizeof trip);
        enum mica_status status =
            form_answer(&arena, FORM, cases[i].jsonz, &error);
        ck_assert_msg(status == cases[i].status, "%s: %s", cases[i].jsonz,
                      error.message);
        ck_assert_str_eq(error.path, cases[i].pathz);
        if (cases[i].messagez != NULL)
            ck_assert_str_eq(error.message, cases[i].messagez);
        ck_assert_int_eq(memcmp(&trip, &zeros, sizeof trip), 0);
        mica_arena_fini(&arena);
    }
}
END_TEST

START_TEST(bounds_that_were_set_for_the_ask_hold_for_its_answer)
{
    struct mica_error error;
    mica_arena_init(&arena, 1 << 20);
    ck_assert_int_eq(
        form_answer(&arena,
                    TRIP({"flight", FLIGHTS}, {"meals", MEALS},
                         {"seats", .has_maximum = true, .maximum = 2}),
                    "{" WHOLE ",\"seats\":3}", &error),
        MICA_E_RANGE);
    ck_assert_int_eq(form_answer(&arena,
                                 TRIP({"flight", FLIGHTS}, {"meals", MEALS},
                                      {"seats", .fallback = "7"}),
                                 "{" WHOLE "}", &error),
                     MICA_OK);
    ck_assert_int_eq(trip.seats, 7);
    mica_arena_fini(&arena);
}
END_TEST

struct maybe {
    struct mica_text flight;
    bool has_flight;
};
MICA_RECORD(maybe, MICA_TEXT(flight, "Which.", MICA_OPTIONAL(maybe, flight)));

START_TEST(an_optional_choice_may_be_left_out)
{
    struct mica_error error;
    struct maybe maybe;
    struct mica_record prepared;
    const struct mica_form *form =
        MICA_FORM(maybe, &maybe, MICA_SET(flight, FLIGHTS));
    mica_arena_init(&arena, 1 << 20);
    ck_assert_int_eq(form_answer(&arena, form, "{}", &error), MICA_OK);
    ck_assert(!maybe.has_flight);
    ck_assert_int_eq(form_answer(&arena, form, "{\"flight\":\"\"}", &error),
                     MICA_E_CHOICE);
    ck_assert_int_eq(mica_form_prepare(form, &arena, &error, &prepared),
                     MICA_OK);
    ck_assert_int_eq(mica_form_decode(form, &prepared, NULL, &arena, &error),
                     MICA_OK);
    mica_arena_fini(&arena);
}
END_TEST

UNIT_MAIN("form answer", an_answer_fills_the_struct_and_defaults_the_rest,
          what_is_answered_is_taken_before_the_default,
          what_nobody_asked_for_does_no_harm,
          an_answer_that_does_not_fit_is_refused_by_field_and_leaves_zeros,
          bounds_that_were_set_for_the_ask_hold_for_its_answer,
          an_optional_choice_may_be_left_out)

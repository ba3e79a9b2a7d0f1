// SPDX-License-Identifier: Apache-2.0
//
// What a client answers to a question: to a form, to sampling, to roots. What is
// taken of a form is in bounds and among the options; what is refused says why
// and leaves zeros.
#include <string.h>

#define MICA_TOOL_PLAIN
#include <mica/tool.h>

#include "call/form.h"
#include "schema/record.h"
#include "target.h"

enum color {
    RED,
    GREEN
};
MICA_CHOICES(color, [RED] = "red", [GREEN] = "green");

struct answer {
    struct mica_text name, mail, flight;
    double price;
    int64_t seats;
    bool window, has_day;
    enum color color;
    struct mica_date day;
    struct {
        size_t count;
        const enum color *items;
    } colors;
    struct {
        size_t count;
        const struct mica_text *items;
    } meals;
};
MICA_RECORD(answer,
            MICA_TEXT(name, "Who.", .fallback = MICA_JSON("Ada"),
                      .max_length = 9),
            MICA_TEXT(mail, "Where.", .fallback = MICA_JSON("a@b.example"),
                      .format = MICA_EMAIL),
            MICA_TEXT(flight, "Which.", .fallback = MICA_JSON("LH1")),
            MICA_NUMBER(price, "At most.", .fallback = MICA_JSON(1),
                        .minimum = 0, .maximum = 9),
            MICA_INTEGER(seats, "How many.", .fallback = MICA_JSON(1),
                         .minimum = 1),
            MICA_BOOLEAN(window, "Window?", .fallback = MICA_JSON(true)),
            MICA_CHOICE(color, color, "Bag.", .fallback = MICA_JSON("red")),
            MICA_DATE(day, "When.", MICA_OPTIONAL(answer, day)),
            MICA_LIST(colors, color, "Ticket.", .fallback = MICA_JSON(["red"]),
                      .min_items = 1),
            MICA_LIST(meals, text, "Food.", .fallback = MICA_JSON(["soup"])));

static const struct mica_option flights[] = {{{"LH1", 3}, {"Early", 5}},
                                             {{"LH2", 3}, {NULL, 0}}},
                                meals[] = {{{"soup", 4}, {NULL, 0}},
                                           {{"salad", 5}, {NULL, 0}}};

static bool
is_one_of(struct mica_text text, const struct mica_option options[2])
{
    return mica_text_equal(text, options[0].value) ||
           mica_text_equal(text, options[1].value);
}

static void
must_be_kept(const struct answer *answer)
{
    FUZZ_MUST(mica_text_length(answer->name) <= 9);
    FUZZ_MUST(is_one_of(answer->flight, flights));
    FUZZ_MUST(answer->price >= 0 && answer->price <= 9);
    FUZZ_MUST(answer->seats >= 1);
    FUZZ_MUST(answer->color == RED || answer->color == GREEN);
    FUZZ_MUST(!answer->has_day || mica_date_valid(answer->day));
    FUZZ_MUST(answer->colors.count == 1 ||
              (answer->colors.count == 2 &&
               answer->colors.items[0] != answer->colors.items[1]));
    FUZZ_MUST(answer->meals.count <= 2);
    for (size_t i = 0; i < answer->meals.count; i++)
        FUZZ_MUST(is_one_of(answer->meals.items[i], meals));
}

static void
must_say_why(enum mica_status status, const struct mica_error *error)
{
    FUZZ_MUST(status != MICA_OK && error->status == status &&
              error->message[0] != '\0');
}

static void
answer_form(const struct mica_json *content, struct mica_arena *arena)
{
    static const struct answer zeros;
    struct mica_error error = {.status = MICA_OK};
    struct mica_record prepared;
    struct answer answer;
    const struct mica_form *form =
        MICA_FORM(answer, &answer,
                  MICA_SET(flight, .options = flights, .option_count = 2),
                  MICA_SET(meals, .options = meals, .option_count = 2));
    FUZZ_MUST(mica_form_prepare(form, arena, &error, &prepared) == MICA_OK);
    enum mica_status status =
        mica_form_decode(form, &prepared, content, arena, &error);
    if (status == MICA_OK) {
        must_be_kept(&answer);
        return;
    }
    must_say_why(status, &error);
    FUZZ_MUST(memcmp(&answer, &zeros, sizeof answer) == 0);
}

static void
answer_sampling(const struct mica_json *result, struct mica_arena *arena)
{
    struct mica_error error = {.status = MICA_OK};
    struct mica_text text;
    enum mica_status status = mica_sampling_text(result, arena, &error, &text);
    if (status != MICA_OK)
        must_say_why(status, &error);
    else
        FUZZ_MUST(text.len > 0 && mica_utf8_valid(text) == text.len);
}

static void
answer_roots(const struct mica_json *result, struct mica_arena *arena)
{
    struct mica_error error = {.status = MICA_OK};
    struct mica_roots roots;
    enum mica_status status = mica_roots_read(result, arena, &error, &roots);
    if (status != MICA_OK) {
        must_say_why(status, &error);
        return;
    }
    for (size_t i = 0; i < roots.count; i++)
        FUZZ_MUST(roots.items[i].uri.len >= sizeof "file://" - 1);
}

// The bytes as a model's words.
static void
answer_words(struct mica_text words, struct mica_arena *arena)
{
    struct mica_error error = {.status = MICA_OK};
    struct answer answer;
    enum mica_status status =
        mica_sampling_decode(words, MICA_INTO(answer, &answer), arena, &error);
    if (status != MICA_OK)
        must_say_why(status, &error);
    else
        FUZZ_MUST(memchr(words.ptr, '{', words.len) != NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_text text = {(const char *)bytes, size};
    struct mica_arena arena;
    struct mica_json value;

    if (size > 16 * 1024)
        return 0;
    mica_arena_init(&arena, 64 << 20);
    if (mica_json_read(&arena, text, NULL, NULL, &value) == MICA_OK) {
        answer_form(&value, &arena);
        answer_sampling(&value, &arena);
        answer_roots(&value, &arena);
    }
    if (mica_utf8_valid(text) == text.len)
        answer_words(text, &arena);
    mica_arena_fini(&arena);
    return 0;
}

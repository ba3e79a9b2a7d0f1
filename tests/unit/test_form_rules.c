// SPDX-License-Identifier: Apache-2.0
//
// What may not be asked for in a form: each rule for a record and for what is set
// for one ask, with the field and the way out in the message.
#include "test_form.h"

#include "call/form_parts.h"

static struct mica_arena arena;

// Fails unless a record is refused, with that field and those words.
static void
must_refuse(const struct mica_record *record, const char *pathz,
            const char *wordsz)
{
    struct mica_error error = {.status = MICA_OK};
    mica_arena_init(&arena, 1 << 20);
    ck_assert_msg(mica_form_check_record(record, &arena, &error) ==
                      MICA_E_USAGE,
                  "%s is taken", record->tag);
    ck_assert_str_eq(error.path, pathz);
    ck_assert_msg(strstr(error.message, wordsz) != NULL, "%s", error.message);
    ck_assert_msg(strstr(error.message, "form ") == error.message &&
                      strstr(error.message, record->tag) != NULL,
                  "%s", error.message);
    mica_arena_fini(&arena);
}

// ---- Records ---------------------------------------------------------------

START_TEST(a_record_of_every_kind_may_be_asked_for)
{
    struct mica_error error = {.status = MICA_OK};
    mica_arena_init(&arena, 1 << 20);
    enum mica_status status =
        mica_form_check_record(&mica_record_trip, &arena, &error);
    ck_assert_msg(status == MICA_OK, "%s", error.message);
    mica_arena_fini(&arena);
}
END_TEST

struct inner {
    double x;
};
MICA_RECORD(inner, MICA_NUMBER(x, "Across."));
struct nested {
    struct inner inner;
};
MICA_RECORD(nested, MICA_NESTED(inner, inner, "A point."));
struct mapped {
    struct {
        size_t count;
        const struct mica_text *keys;
        const double *items;
    } rates;
};
MICA_RECORD(mapped, MICA_MAP(rates, number, "Rates."));
struct nulled {
    struct {
        bool present;
        double value;
    } maybe;
};
MICA_RECORD(nulled, MICA_NULLABLE(maybe, number, "Perhaps."));
struct free_form {
    const struct mica_json *any;
};
MICA_RECORD(free_form, MICA_ANY(any, "Anything."));
struct numbers {
    struct {
        size_t count;
        const double *items;
    } numbers;
};
MICA_RECORD(numbers, MICA_LIST(numbers, number, "Some."));
MICA_LIST_TYPE(row, color);
struct rows {
    struct {
        size_t count;
        const struct row *items;
    } rows;
};
MICA_RECORD(rows, MICA_LIST(rows, row, "Some."));
struct each {
    struct {
        size_t count;
        const struct mica_text *items;
    } texts;
};
MICA_RECORD(each, MICA_LIST(texts, text, "Some.", .each.max_length = 3));
MICA_EMPTY_RECORD(nothing);

START_TEST(a_form_is_flat_and_has_only_what_a_person_can_fill_in)
{
    must_refuse(&mica_record_nothing, "", "has no fields");
    must_refuse(&mica_record_nested, "/inner", "a form is flat");
    must_refuse(&mica_record_mapped, "/rates", "of a kind that a form does");
    must_refuse(&mica_record_nulled, "/maybe", "say MICA_OPTIONAL");
    must_refuse(&mica_record_free_form, "/any", "of a kind that a form does");
    must_refuse(&mica_record_numbers, "/numbers", "lists of choices");
    must_refuse(&mica_record_rows, "/rows", "lists of choices");
    must_refuse(&mica_record_each, "/texts", ".options alone");
}
END_TEST

struct coded {
    struct mica_text text;
};
MICA_RECORD(coded, MICA_TEXT(text, "A code.", .pattern = "^[A-Z]$"));
struct id {
    struct mica_text id;
};
MICA_RECORD(id, MICA_TEXT(id, "An id.", .format = MICA_UUID));
struct above {
    double above;
};
MICA_RECORD(above, MICA_NUMBER(above, "More.", .exclusive_minimum = 0));
struct below {
    int64_t below;
};
MICA_RECORD(below, MICA_INTEGER(below, "Less.", .exclusive_maximum = 0));
struct wide {
    int64_t wide;
};
MICA_RECORD(wide, MICA_INTEGER(wide, "Large.", .wide = true));
struct endless {
    double endless;
};
MICA_RECORD(endless, MICA_NUMBER(endless, "None.", .minimum = __builtin_inf()));
struct linked {
    struct mica_text text;
};
MICA_RECORD(linked, MICA_TEXT(text, "See https://example.org/terms first."));
struct twice {
    struct mica_text text;
};
MICA_RECORD(twice, MICA_TEXT(text, "One."), MICA_TEXT(text, "Two."));

START_TEST(a_form_has_no_bounds_and_words_that_clients_do_not_know)
{
    must_refuse(&mica_record_coded, "/text", ".pattern");
    must_refuse(&mica_record_id, "/id", "the .format uuid");
    must_refuse(&mica_record_above, "/above", "use .minimum and .maximum");
    must_refuse(&mica_record_below, "/below", "use .minimum and .maximum");
    must_refuse(&mica_record_wide, "/wide", ".wide");
    must_refuse(&mica_record_endless, "/endless", "no number keeps");
    must_refuse(&mica_record_linked, "/text", "mica_elicit_url");
    must_refuse(&mica_record_twice, "/text", "twice");
}
END_TEST

// ---- Secrets ---------------------------------------------------------------

struct login {
    struct mica_text user, api_key;
};
MICA_RECORD(login, MICA_TEXT(user, "Who."), MICA_TEXT(api_key, "Your key."));
struct door {
    int64_t pin;
};
MICA_RECORD(door, MICA_INTEGER(pin, "Of the door."));

START_TEST(a_secret_is_refused_and_the_way_out_named)
{
    must_refuse(&mica_record_login, "/api_key", "mica_elicit_url");
    must_refuse(&mica_record_door, "/pin", "asks for a pin");
}
END_TEST

START_TEST(names_of_secrets_are_known_by_their_last_words)
{
    static const char *const secret[] = {
        "password",
        "password2",
        "new_password",
        "userPassword",
        "PASSWORD",
        "passwd",
        "pwd",
        "passphrase",
        "client_secret",
        "secret",
        "token",
        "access_token",
        "accessToken",
        "refresh_token",
        "api_key",
        "apiKey",
        "apikey",
        "private_key",
        "aws_secret_key",
        "card_number",
        "cardNumber",
        "credit_card_number",
        "cvv",
        "pin",
        "pin_number",
        "otp",
        "credentials",
        "password_again",
        "password_confirmation",
        "token_value",
        "seed_phrase",
        "a_b_c_d_e_f_g_h_i_j_k_l_m_n_o_p_pin",
    };
    for (size_t i = 0; i < MICA_COUNT(secret); i++)
        ck_assert_msg(mica_form_secret(secret[i], false) != NULL, "%s",
                      secret[i]);
}
END_TEST

START_TEST(other_names_with_the_same_letters_are_no_secrets)
{
    static const char *const plain[] = {
        "pinned",
        "spin",
        "opinion",
        "pin_board",
        "shipping",
        "pinpoint",
        "token_type",
        "tokens",
        "max_tokens",
        "tokenizer",
        "secretary",
        "secret_santa",
        "password_hint",
        "password_policy",
        "passport",
        "pass",
        "key",
        "keyword",
        "monkey",
        "api",
        "keyboard",
        "card",
        "business_card",
        "number",
        "phone_number",
        "account_number",
        "card_holder",
        "cardinal_number",
        "optional",
        "topic",
        "phrase",
        "security",
        "code",
        "postal_code",
        "pin_code_of_the_city",
        "",
        "_",
        "42",
    };
    for (size_t i = 0; i < MICA_COUNT(plain); i++)
        ck_assert_msg(mica_form_secret(plain[i], false) == NULL,
                      "%s is taken for a %s", plain[i],
                      mica_form_secret(plain[i], false));
}
END_TEST

struct settings {
    bool password;
    int64_t token;
    enum color secret;
};
MICA_RECORD(settings, MICA_BOOLEAN(password, "Is one wanted?"),
            MICA_INTEGER(token, "Which one of the game."),
            MICA_CHOICE(secret, color, "Of the room."));

START_TEST(what_cannot_hold_a_secret_is_none)
{
    struct mica_error error = {.status = MICA_OK};
    mica_arena_init(&arena, 1 << 20);
    enum mica_status status =
        mica_form_check_record(&mica_record_settings, &arena, &error);
    ck_assert_msg(status == MICA_OK, "%s", error.message);
    mica_arena_fini(&arena);
}
END_TEST

// ---- Settings --------------------------------------------------------------

static struct trip trip;

static void
must_refuse_form(const struct mica_form *form, const char *pathz,
                 const char *wordsz)
{
    struct mica_error error = {.status = MICA_OK};
    struct mica_record prepared;
    mica_arena_init(&arena, 4 << 20);
    ck_assert_msg(mica_form_prepare(form, &arena, &error, &prepared) ==
                      MICA_E_USAGE,
                  "\"%s\" is not refused: %s", wordsz, error.message);
    ck_assert_str_eq(error.path, pathz);
    ck_assert_msg(strstr(error.message, wordsz) != NULL, "%s", error.message);
    ck_assert_msg(strstr(error.message, "form trip") != NULL, "%s",
                  error.message);
    mica_arena_fini(&arena);
}

// A form that is right but for what is given.
#define REFUSE(path, words, ...) \
    must_refuse_form(TRIP({"meals", MEALS}, {__VA_ARGS__}), path, words)

START_TEST(settings_name_fields_that_exist_and_each_once)
{
    REFUSE("/flite", "no field of that name", "flite", FLIGHTS);
    REFUSE("/meals", "is set twice", "meals", MEALS);
    REFUSE("", "names no field", NULL, FLIGHTS);
}
END_TEST

START_TEST(a_list_of_texts_needs_options)
{
    must_refuse_form(MICA_FORM(trip, &trip, .key = "k"), "/meals",
                     "without .options");
}
END_TEST

START_TEST(options_are_values_that_differ)
{
    static const struct mica_option same[] = {{{"a", 1}, {NULL, 0}},
                                              {{"b", 1}, {NULL, 0}},
                                              {{"a", 1}, {"B", 1}}},
                                    empty[] = {{{"", 0}, {"A", 1}}},
                                    odd[] = {{{"\xFF", 1}, {NULL, 0}}},
                                    no_mail[] = {{{"ada", 3}, {NULL, 0}}};
    static struct mica_option many[MICA_FORM_OPTIONS + 1];
    REFUSE("/flight", "the option \"a\" twice", "flight", .options = same,
           .option_count = 3);
    REFUSE("/flight", "without a value", "flight", .options = empty,
           .option_count = 1);
    REFUSE("/flight", "not UTF-8", "flight", .options = odd, .option_count = 1);
    REFUSE("/mail", "its own bounds or .format", "mail", .options = no_mail,
           .option_count = 1);
    REFUSE("/flight", ".option_count is 0", "flight", .options = same);
    REFUSE("/flight", "has .option_count, but no .options", "flight",
           .option_count = 3);
    REFUSE("/flight", "more than 1000", "flight", .options = many,
           .option_count = MICA_COUNT(many));
}
END_TEST

START_TEST(options_are_for_texts)
{
    REFUSE("/price", "which are for a text", "price", FLIGHTS);
    REFUSE("/color", "MICA_CHOICES", "color", FLIGHTS);
    REFUSE("/colors", "MICA_CHOICES", "colors", FLIGHTS);
    REFUSE("/day", "which are for a text", "day", FLIGHTS);
}
END_TEST

START_TEST(a_default_is_a_value_that_the_form_takes)
{
    REFUSE("/flight", "refuses itself", "flight", FLIGHTS,
           .fallback = "\"LH3\"");
    REFUSE("/flight", "refuses itself", "flight", FLIGHTS, .fallback = "1");
    REFUSE("/name", "refuses itself", "name", .fallback = "\"\"");
    REFUSE("/mail", "refuses itself", "mail", .fallback = "\"ada\"");
    REFUSE("/price", "refuses itself", "price", .fallback = "1000");
    REFUSE("/seats", "refuses itself", "seats", .has_minimum = true,
           .minimum = 2);
    REFUSE("/color", "refuses itself", "color", .fallback = "\"pink\"");
    REFUSE("/colors", "refuses itself", "colors", .fallback = "[]");
    REFUSE("/colors", "refuses itself", "colors",
           .fallback = "[\"red\",\"red\"]");
    REFUSE("/day", "refuses itself", "day", .fallback = "\"2026-02-30\"");
    REFUSE("/note", "choose one", "note", .fallback = "\"none\"");
    must_refuse_form(TRIP({"meals", MEALS, .fallback = "[\"bread\"]"}),
                     "/meals", "refuses itself");
}
END_TEST

START_TEST(bounds_leave_something_and_fit_the_kind)
{
    REFUSE("/name", ".min_length above its .max_length", "name",
           .min_length = 81);
    REFUSE("/price", "no number keeps", "price", .has_minimum = true,
           .minimum = 1000);
    REFUSE("/seats", "no whole number keeps", "seats", .has_minimum = true,
           .minimum = 8.1, .has_maximum = true, .maximum = 8.9,
           .fallback = "8");
    REFUSE("/price", "no number keeps", "price", .has_maximum = true,
           .maximum = __builtin_inf(), .has_minimum = true,
           .minimum = __builtin_inf());
    REFUSE("/price", "not a number", "price", .has_maximum = true,
           .maximum = __builtin_nan(""));
    REFUSE("/fare", "no number keeps", "fare", .has_maximum = true,
           .maximum = 0);
    REFUSE("/fare", "no decimal can have", "fare", .has_maximum = true,
           .maximum = 1e200);
    REFUSE("/fare", "not a number", "fare", .has_maximum = true,
           .maximum = __builtin_nan(""));
    REFUSE("/colors", ".min_items above .max_items", "colors", .min_items = 3);
    REFUSE("/colors", "wants 4 choices of 3", "colors", .min_items = 4,
           .max_items = 4);
    must_refuse_form(TRIP({"meals", MEALS, .min_items = 3,
                           .fallback = "[\"a\",\"b\",\"c\"]"}),
                     "/meals", "wants 3 choices of 2");
    REFUSE("/color", "kind does not have", "color", .has_minimum = true);
    REFUSE("/price", "kind does not have", "price", .max_length = 3);
    REFUSE("/name", "is no list", "name", .max_items = 3);
}
END_TEST

START_TEST(a_form_made_by_hand_needs_record_and_struct)
{
    struct mica_error error = {.status = MICA_OK};
    struct mica_record prepared;
    mica_arena_init(&arena, 1 << 20);
    ck_assert_int_eq(mica_form_prepare(&(struct mica_form){.out = &trip},
                                       &arena, &error, &prepared),
                     MICA_E_USAGE);
    ck_assert_int_eq(
        mica_form_prepare(&(struct mica_form){.record = &mica_record_trip},
                          &arena, &error, &prepared),
        MICA_E_USAGE);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(want_of_memory_is_said)
{
    static const struct mica_form *form;
    form = TRIP({"flight", FLIGHTS}, {"meals", MEALS});
    size_t taken = 0;
    for (size_t cap = 0; cap < 1 << 16 && taken == 0; cap += 64) {
        struct mica_error error = {.status = MICA_OK};
        struct mica_record prepared;
        mica_arena_init(&arena, cap);
        enum mica_status status =
            mica_form_prepare(form, &arena, &error, &prepared);
        ck_assert_msg(status == MICA_OK || status == MICA_E_LIMIT ||
                          arena.overflow,
                      "%zu bytes: %s", cap, error.message);
        taken = status == MICA_OK ? cap : 0;
        mica_arena_fini(&arena);
    }
    ck_assert_uint_gt(taken, 0);
}
END_TEST

UNIT_MAIN("form rules", a_record_of_every_kind_may_be_asked_for,
          a_form_is_flat_and_has_only_what_a_person_can_fill_in,
          a_form_has_no_bounds_and_words_that_clients_do_not_know,
          a_secret_is_refused_and_the_way_out_named,
          names_of_secrets_are_known_by_their_last_words,
          other_names_with_the_same_letters_are_no_secrets,
          what_cannot_hold_a_secret_is_none,
          settings_name_fields_that_exist_and_each_once,
          a_list_of_texts_needs_options, options_are_values_that_differ,
          options_are_for_texts, a_default_is_a_value_that_the_form_takes,
          bounds_leave_something_and_fit_the_kind,
          a_form_made_by_hand_needs_record_and_struct, want_of_memory_is_said)

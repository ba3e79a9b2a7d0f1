// SPDX-License-Identifier: Apache-2.0
//
// Forms as a client is sent them: each kind in each revision, exactly, and
// against the rules of the protocol written down as a schema that allows nothing
// else (MCP: ElicitRequestFormParams.requestedSchema and
// PrimitiveSchemaDefinition of each revision).
#include <mica/schema.h>

#include "test_form.h"

static struct mica_arena arena;
static struct trip trip;

static void
setup(void)
{
    mica_arena_init(&arena, 8 << 20);
    memset(&trip, 0, sizeof trip);
}

// ---- The rules as schemas --------------------------------------------------

#define STRING_KEYS \
    "\"title\":{\"type\":\"string\"},\"description\":{\"type\":\"string\"}"
#define NAMES "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"
#define TITLED                                                  \
    "{\"type\":\"array\",\"items\":{\"type\":\"object\","       \
    "\"properties\":{\"const\":{\"type\":\"string\"},"          \
    "\"title\":{\"type\":\"string\"}},\"required\":[\"const\"," \
    "\"title\"],\"additionalProperties\":false}}"
#define KIND(type, keys, required)                                   \
    "{\"type\":\"object\",\"properties\":{\"type\":{\"enum\":[" type \
    "]}," STRING_KEYS keys "},\"required\":[\"type\"" required       \
    "],\"additionalProperties\":false}"
#define SIZE(name)    ",\"" name "\":{\"type\":\"integer\",\"minimum\":0}"
#define NUMBER(name)  ",\"" name "\":{\"type\":\"number\"}"
#define DEFAULT(type) ",\"default\":{\"type\":\"" type "\"}"
#define FORMAT \
    ",\"format\":{\"enum\":[\"email\",\"uri\",\"date\",\"date-time\"]}"
#define ROOT(kinds)                                                         \
    "{\"type\":\"object\",\"properties\":{\"type\":{\"const\":"             \
    "\"object\"},\"properties\":{\"type\":\"object\","                      \
    "\"additionalProperties\":{\"oneOf\":[" kinds "]}},\"required\":" NAMES \
    "},\"required\":[\"type\",\"properties\"],"                             \
    "\"additionalProperties\":false}"

static const char schema_of_2025_06_18[] = ROOT(
    KIND("\"string\"", SIZE("minLength") SIZE("maxLength") FORMAT, "") "," KIND(
        "\"number\",\"integer\"", NUMBER("minimum") NUMBER("maximum"),
        "") "," KIND("\"boolean\"", DEFAULT("boolean"),
                     "") "," KIND("\"string\"",
                                  ",\"enum\":" NAMES ",\"enumNames\":" NAMES,
                                  ",\"enum\""));

static const char schema_of_2025_11_25[] = ROOT(
    KIND("\"string\"", SIZE("minLength") SIZE("maxLength") FORMAT DEFAULT("string"), "") "," KIND(
        "\"number\",\"integer\"",
        NUMBER("minimum") NUMBER("maximum") DEFAULT("number"),
        "") "," KIND("\"boolean\"", DEFAULT("boolean"),
                     "") "," KIND("\"string\"",
                                  ",\"enum\":" NAMES
                                  ",\"enumNames\":" NAMES DEFAULT("string"),
                                  ",\"enum\"") "," KIND("\"string\"",
                                                        ",\"oneOf\":" TITLED
                                                            DEFAULT("string"),
                                                        ",\"oneOf\"") "," KIND("\"array\"",
                                                                               SIZE("minItems") SIZE(
                                                                                   "maxItems") ",\"default\":" NAMES
                                                                                               ",\"items\":{\"oneOf\":[{\"type\":\"object\",\"properties\":{"
                                                                                               "\"type\":{\"const\":\"string\"},\"enum\":" NAMES
                                                                                               "},\"required\":["
                                                                                               "\"type\",\"enum\"],\"additionalProperties\":false},"
                                                                                               "{\"type\":\"object\",\"properties\":{\"anyOf\":" TITLED
                                                                                               "},"
                                                                                               "\"required\":[\"anyOf\"],\"additionalProperties\":false}]}",
                                                                               ",\"items\""));

static void
must_keep_the_rules(const char *formz, enum mica_ask_dialect dialect)
{
    const char *rulesz = dialect == MICA_ASKS_2025_06_18 ? schema_of_2025_06_18
                                                         : schema_of_2025_11_25;
    struct mica_error error = {.status = MICA_OK};
    struct mica_schema_report report;
    struct mica_schema *schema;
    struct mica_json value;
    struct mica_buffer words;
    enum mica_status status =
        mica_schema_compile(&arena, mica_text(rulesz), NULL, &error, &schema);
    ck_assert_msg(status == MICA_OK, "%s at %s", error.message, error.path);
    ck_assert_int_eq(
        mica_json_read(&arena, mica_text(formz), NULL, &error, &value),
        MICA_OK);
    mica_buffer_init(&words, &arena, 1 << 20);
    status = mica_schema_validate(schema, &value, NULL, &arena, &report);
    if (status != MICA_OK)
        mica_schema_report_write(&report, &words);
    ck_assert_msg(status == MICA_OK, "%.*s\n%s", (int)words.len, words.ptr,
                  formz);
}

// Fails unless the property of that name is this JSON, byte for byte.
static void
must_have(const struct mica_form *form, enum mica_ask_dialect dialect,
          const char *namez, const char *propertyz)
{
    const char *formz = form_schema(&arena, form, dialect);
    struct mica_json schema;
    ck_assert_int_eq(
        mica_json_read(&arena, mica_text(formz), NULL, NULL, &schema), MICA_OK);
    const struct mica_json *property =
        mica_json_get(mica_json_get(&schema, "properties"), namez);
    ck_assert_msg(property != NULL, "no %s in %s", namez, formz);
    UNIT_TEXT_EQ(property->raw, propertyz);
    must_keep_the_rules(formz, dialect);
}

// ---- Kinds -----------------------------------------------------------------

START_TEST(a_form_of_every_kind_is_written_for_2026_07_28)
{
    setup();
    ck_assert_str_eq(
        form_schema(&arena, TRIP({"flight", FLIGHTS}, {"meals", MEALS}),
                    MICA_ASKS_2026_07_28),
        "{\"type\":\"object\",\"properties\":{"
        "\"name\":{\"description\":\"Who travels.\",\"type\":\"string\","
        "\"minLength\":1,\"maxLength\":80},"
        "\"mail\":{\"description\":\"Where the ticket goes.\","
        "\"type\":\"string\",\"format\":\"email\"},"
        "\"link\":{\"description\":\"A page.\",\"type\":\"string\","
        "\"format\":\"uri\"},"
        "\"flight\":{\"description\":\"Which one.\",\"type\":\"string\","
        "\"oneOf\":[{\"const\":\"LH1\",\"title\":\"Early flight\"},"
        "{\"const\":\"LH2\",\"title\":\"LH2\"}]},"
        "\"note\":{\"description\":\"For the crew.\",\"type\":\"string\"},"
        "\"price\":{\"description\":\"At most.\",\"type\":\"number\","
        "\"minimum\":0,\"maximum\":999.5},"
        "\"fare\":{\"description\":\"What was paid.\",\"type\":\"number\","
        "\"minimum\":0.01},"
        "\"seats\":{\"description\":\"How many.\",\"type\":\"integer\","
        "\"minimum\":1,\"maximum\":9,\"default\":1},"
        "\"window\":{\"description\":\"At the window?\","
        "\"type\":\"boolean\",\"default\":true},"
        "\"color\":{\"description\":\"Of the bag.\",\"type\":\"string\","
        "\"enum\":[\"red\",\"green\",\"blue\"],\"default\":\"green\"},"
        "\"day\":{\"description\":\"When.\",\"type\":\"string\","
        "\"format\":\"date\"},"
        "\"at\":{\"description\":\"When exactly.\",\"type\":\"string\","
        "\"format\":\"date-time\"},"
        "\"colors\":{\"description\":\"Of the ticket.\",\"type\":\"array\","
        "\"minItems\":1,\"maxItems\":2,\"items\":{\"type\":\"string\","
        "\"enum\":[\"red\",\"green\",\"blue\"]}},"
        "\"meals\":{\"description\":\"What to eat.\",\"type\":\"array\","
        "\"items\":{\"type\":\"string\",\"enum\":[\"soup\",\"salad\"]},"
        "\"default\":[\"soup\"]}},"
        "\"required\":[\"name\",\"mail\",\"link\",\"flight\",\"price\","
        "\"day\",\"at\",\"colors\"]}");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(the_revision_before_has_the_same_form)
{
    setup();
    const struct mica_form *form = TRIP({"flight", FLIGHTS}, {"meals", MEALS});
    const char *formz = form_schema(&arena, form, MICA_ASKS_2025_11_25);
    ck_assert_str_eq(formz, form_schema(&arena, form, MICA_ASKS_2026_07_28));
    must_keep_the_rules(formz, MICA_ASKS_2025_11_25);
    mica_arena_fini(&arena);
}
END_TEST

struct old {
    struct mica_text flight, name;
    int64_t seats;
    bool window;
    enum color color;
    struct mica_date day;
};
MICA_RECORD(
    old, MICA_TEXT(flight, "Which one.", .fallback = MICA_JSON("LH2")),
    MICA_TEXT(name, "Who.", .fallback = MICA_JSON("Ada"), .max_length = 9),
    MICA_INTEGER(seats, "How many.", .fallback = MICA_JSON(2), .minimum = 1),
    MICA_BOOLEAN(window, "At the window?", .fallback = MICA_JSON(false)),
    MICA_CHOICE(color, color, "Of the bag.", .fallback = MICA_JSON("red")),
    MICA_DATE(day, "When.", .fallback = MICA_JSON("2026-11-20")));

START_TEST(in_2025_06_18_only_booleans_have_defaults_and_titles_are_enum_names)
{
    struct old old;
    setup();
    const char *formz =
        form_schema(&arena, MICA_FORM(old, &old, MICA_SET(flight, FLIGHTS)),
                    MICA_ASKS_2025_06_18);
    ck_assert_str_eq(
        formz, "{\"type\":\"object\",\"properties\":{"
               "\"flight\":{\"description\":\"Which one.\",\"type\":\"string\","
               "\"enum\":[\"LH1\",\"LH2\"],\"enumNames\":[\"Early flight\","
               "\"LH2\"]},"
               "\"name\":{\"description\":\"Who.\",\"type\":\"string\","
               "\"maxLength\":9},"
               "\"seats\":{\"description\":\"How many.\",\"type\":\"integer\","
               "\"minimum\":1},"
               "\"window\":{\"description\":\"At the window?\","
               "\"type\":\"boolean\",\"default\":false},"
               "\"color\":{\"description\":\"Of the bag.\",\"type\":\"string\","
               "\"enum\":[\"red\",\"green\",\"blue\"]},"
               "\"day\":{\"description\":\"When.\",\"type\":\"string\","
               "\"format\":\"date\"}}}");
    must_keep_the_rules(formz, MICA_ASKS_2025_06_18);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_list_is_refused_for_2025_06_18_and_the_field_named)
{
    struct mica_error error = {.status = MICA_OK};
    struct mica_record prepared;
    struct mica_buffer buffer;
    struct mica_json_writer writer;
    setup();
    const struct mica_form *form = TRIP({"flight", FLIGHTS}, {"meals", MEALS});
    mica_buffer_init(&buffer, &arena, 1 << 16);
    mica_json_writer_init(&writer, &buffer);
    ck_assert_int_eq(mica_form_prepare(form, &arena, &error, &prepared),
                     MICA_OK);
    ck_assert_int_eq(mica_form_schema(form, &prepared, MICA_ASKS_2025_06_18,
                                      &error, &writer),
                     MICA_E_CAPABILITY);
    ck_assert_str_eq(error.path, "/colors");
    ck_assert_ptr_nonnull(strstr(error.message, "2025-11-25"));
    ck_assert_uint_eq(buffer.len, 0);
    mica_arena_fini(&arena);
}
END_TEST

// ---- Options ---------------------------------------------------------------

struct pick {
    struct mica_text one;
    struct {
        size_t count;
        const struct mica_text *items;
    } some;
};
MICA_RECORD(pick, MICA_TEXT(one, "One."), MICA_LIST(some, text, "Some."));

static struct pick pick;

#define PICK(...) FORM_OF(pick, __VA_ARGS__)

START_TEST(options_without_titles_are_an_enum_and_nothing_else)
{
    static const enum mica_ask_dialect dialects[] = {MICA_ASKS_2026_07_28,
                                                     MICA_ASKS_2025_11_25};
    setup();
    for (size_t i = 0; i < MICA_COUNT(dialects); i++) {
        must_have(PICK({"one", MEALS}, {"some", MEALS}), dialects[i], "one",
                  "{\"description\":\"One.\",\"type\":\"string\","
                  "\"enum\":[\"soup\",\"salad\"]}");
        must_have(PICK({"one", MEALS}, {"some", MEALS}), dialects[i], "some",
                  "{\"description\":\"Some.\",\"type\":\"array\",\"items\":{"
                  "\"type\":\"string\",\"enum\":[\"soup\",\"salad\"]}}");
    }
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(titled_options_have_no_enum_beside_them)
{
    setup();
    must_have(PICK({"one", FLIGHTS}, {"some", FLIGHTS}), MICA_ASKS_2025_11_25,
              "one",
              "{\"description\":\"One.\",\"type\":\"string\",\"oneOf\":["
              "{\"const\":\"LH1\",\"title\":\"Early flight\"},"
              "{\"const\":\"LH2\",\"title\":\"LH2\"}]}");
    must_have(PICK({"one", FLIGHTS}, {"some", FLIGHTS, .min_items = 1,
                                      .max_items = 2, .fallback = "[\"LH2\"]"}),
              MICA_ASKS_2026_07_28, "some",
              "{\"description\":\"Some.\",\"type\":\"array\",\"minItems\":1,"
              "\"maxItems\":2,\"items\":{\"anyOf\":["
              "{\"const\":\"LH1\",\"title\":\"Early flight\"},"
              "{\"const\":\"LH2\",\"title\":\"LH2\"}]},"
              "\"default\":[\"LH2\"]}");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(titles_may_be_enum_names_in_every_revision)
{
    setup();
    must_have(PICK({"one", FLIGHTS, .enum_names = true}, {"some", MEALS}),
              MICA_ASKS_2025_11_25, "one",
              "{\"description\":\"One.\",\"type\":\"string\","
              "\"enum\":[\"LH1\",\"LH2\"],"
              "\"enumNames\":[\"Early flight\",\"LH2\"]}");
    must_have(PICK({"one", MEALS, .enum_names = true}, {"some", MEALS}),
              MICA_ASKS_2025_11_25, "one",
              "{\"description\":\"One.\",\"type\":\"string\","
              "\"enum\":[\"soup\",\"salad\"]}");
    mica_arena_fini(&arena);
}
END_TEST

// ---- Settings --------------------------------------------------------------

START_TEST(words_defaults_and_bounds_may_be_set_for_one_ask)
{
    setup();
    const struct mica_form *form =
        TRIP({"flight", FLIGHTS, .fallback = "\"LH1\""}, {"meals", MEALS},
             {"name", .title = "Name", .description = "Your \"own\".",
              .fallback = "\"Ada\"", .min_length = 2, .max_length = 5},
             {"price", .has_minimum = true, .minimum = -1.5,
              .has_maximum = true, .maximum = 0},
             {"seats", .has_maximum = true, .maximum = 3},
             {"colors", .min_items = 2, .max_items = 3});
    must_have(form, MICA_ASKS_2026_07_28, "name",
              "{\"title\":\"Name\",\"description\":\"Your \\\"own\\\".\","
              "\"type\":\"string\",\"minLength\":2,\"maxLength\":5,"
              "\"default\":\"Ada\"}");
    must_have(form, MICA_ASKS_2026_07_28, "price",
              "{\"description\":\"At most.\",\"type\":\"number\","
              "\"minimum\":-1.5,\"maximum\":0}");
    must_have(form, MICA_ASKS_2026_07_28, "seats",
              "{\"description\":\"How many.\",\"type\":\"integer\","
              "\"minimum\":1,\"maximum\":3,\"default\":1}");
    must_have(form, MICA_ASKS_2026_07_28, "colors",
              "{\"description\":\"Of the ticket.\",\"type\":\"array\","
              "\"minItems\":2,\"maxItems\":3,\"items\":{\"type\":\"string\","
              "\"enum\":[\"red\",\"green\",\"blue\"]}}");
    ck_assert_ptr_nonnull(
        strstr(form_schema(&arena, form, MICA_ASKS_2026_07_28),
               "\"required\":[\"mail\",\"link\",\"price\",\"day\",\"at\","
               "\"colors\"]}"));
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(words_that_are_no_utf8_are_mended)
{
    static const struct mica_option broken[] = {{{"a", 1},
                                                 {"\xFF"
                                                  "A",
                                                  2}}};
    setup();
    must_have(
        PICK({"one", .title = "cut \xC3", .options = broken, .option_count = 1},
             {"some", MEALS}),
        MICA_ASKS_2026_07_28, "one",
        "{\"title\":\"cut \xEF\xBF\xBD\",\"description\":\"One.\","
        "\"type\":\"string\",\"oneOf\":[{\"const\":\"a\","
        "\"title\":\"\xEF\xBF\xBD"
        "A\"}]}");
    mica_arena_fini(&arena);
}
END_TEST

// ---- Hash ------------------------------------------------------------------

START_TEST(the_hash_is_of_the_question_and_not_of_its_words)
{
    static const struct mica_option renamed[] = {
        {{"LH1", 3}, {"First", 5}},
        {{"LH2", 3}, {"Second", 6}},
    };
    setup();
    uint64_t hash = form_hash(&arena, PICK({"one", FLIGHTS}, {"some", MEALS}));
    ck_assert_uint_eq(
        hash, form_hash(&arena, PICK({"some", MEALS}, {"one", FLIGHTS})));
    ck_assert_uint_eq(
        hash,
        form_hash(&arena, PICK({"one", .options = renamed, .option_count = 2,
                                .title = "One", .description = "Other.",
                                .fallback = "\"LH1\"", .enum_names = true},
                               {"some", MEALS, .fallback = "[\"soup\"]"})));
    mica_arena_fini(&arena);
}
END_TEST

// Worked out by hand from FNV-1a and the order of what is hashed: a call that is
// open while the server is replaced must find its question again.
START_TEST(the_hash_never_changes_between_releases)
{
    setup();
    ck_assert_uint_eq(
        form_hash(&arena, PICK({"one", FLIGHTS}, {"some", MEALS})),
        UINT64_C(0x8ec0d30778fedf1d));
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(another_question_has_another_hash)
{
    setup();
    const struct mica_form *forms[] = {
        PICK({"one", FLIGHTS}, {"some", MEALS}),
        PICK({"one", MEALS}, {"some", FLIGHTS}),
        PICK({"one", FLIGHTS}, {"some", FLIGHTS}),
        PICK({"one", .options = flights, .option_count = 1}, {"some", MEALS}),
        PICK({"some", MEALS}),
        PICK({"one", .min_length = 1}, {"some", MEALS}),
        PICK({"one", .max_length = 1}, {"some", MEALS}),
        PICK({"some", MEALS, .min_items = 1}),
        PICK({"some", MEALS, .max_items = 1}),
        TRIP({"flight", FLIGHTS}, {"meals", MEALS}),
        TRIP({"flight", FLIGHTS}, {"meals", MEALS},
             {"price", .has_minimum = true, .minimum = 1}),
        TRIP({"flight", FLIGHTS}, {"meals", MEALS},
             {"price", .has_maximum = true, .maximum = 1}),
    };
    for (size_t i = 0; i < MICA_COUNT(forms); i++)
        for (size_t k = 0; k < i; k++)
            ck_assert_msg(form_hash(&arena, forms[i]) !=
                              form_hash(&arena, forms[k]),
                          "forms %zu and %zu", i, k);
    mica_arena_fini(&arena);
}
END_TEST

UNIT_MAIN("form", a_form_of_every_kind_is_written_for_2026_07_28,
          the_revision_before_has_the_same_form,
          in_2025_06_18_only_booleans_have_defaults_and_titles_are_enum_names,
          a_list_is_refused_for_2025_06_18_and_the_field_named,
          options_without_titles_are_an_enum_and_nothing_else,
          titled_options_have_no_enum_beside_them,
          titles_may_be_enum_names_in_every_revision,
          words_defaults_and_bounds_may_be_set_for_one_ask,
          words_that_are_no_utf8_are_mended,
          the_hash_is_of_the_question_and_not_of_its_words,
          the_hash_never_changes_between_releases,
          another_question_has_another_hash)

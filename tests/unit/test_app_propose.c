// SPDX-License-Identifier: Apache-2.0
//
// Tool names and descriptions by rule, and what differs between two drafts.
#include "apps/app_propose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/app_difference.h"

#include "unit.h"

static struct mica_arena arena;

static void
begin(void)
{
    mica_arena_init(&arena, 4 << 20);
}

// ---- Proposals -------------------------------------------------------------------

static struct mica_app_draft
draft_of(const char *name, const char *description, enum mica_app_layout layout)
{
    return (struct mica_app_draft){.name = mica_text(name),
                                   .description = mica_text(description),
                                   .layout = layout};
}

static const struct {
    const char *name, *description;
    enum mica_app_layout layout;
    const char *tool;
} proposals[] = {
    {"Order Tracker", "", MICA_LAYOUT_CARD, "track_order"},
    {"Track my orders", "", MICA_LAYOUT_LIST, "track_orders"},
    {"My Support Bot", "Answers questions about products.", MICA_LAYOUT_CARD,
     "answer_support"},
    {"Weather", "", MICA_LAYOUT_CHART, "show_weather"},
    {"Weather", "Finds the weather.", MICA_LAYOUT_CHART, "find_weather"},
    {"Tip Calculator", "", MICA_LAYOUT_DETAIL, "calculate_tip"},
    {"The Trip Planner App", "", MICA_LAYOUT_LIST, "plan_trip"},
    {"Order", "", MICA_LAYOUT_FORM, "request_order"},
    {"\u65e5\u672c\u8a9e", "", MICA_LAYOUT_LIST, "list_items"},
    {"", "", MICA_LAYOUT_MESSAGE, "answer_question"},
    {"Caf\u00e9 Menu", "", MICA_LAYOUT_TABLE, "list_caf_menu"},
    {"__proto__", "", MICA_LAYOUT_CARD, "get_proto"},
    {"a b c d e f g h", "", MICA_LAYOUT_CARD, "get_b_c_d_e"},
};

START_TEST(a_proposed_name_is_a_verb_and_what_it_is_about)
{
    char name[MICA_APP_PROPOSED_NAME_SIZE];

    for (size_t i = 0; i < MICA_COUNT(proposals); i++) {
        struct mica_app_draft draft = draft_of(
            proposals[i].name, proposals[i].description, proposals[i].layout);
        size_t length = mica_app_propose_name(&draft, name);
        ck_assert_str_eq(name, proposals[i].tool);
        ck_assert_uint_eq(length, strlen(name));
    }
}
END_TEST

START_TEST(a_proposed_name_is_valid_whatever_the_app_is_called)
{
    static const char pieces[][12] = {"planner", "the",   "\u00fcber", " ",
                                      "-",       "ORDER", "'s ",       "999999",
                                      "\n",      "_",     "track",     "x"};
    char name[MICA_APP_PROPOSED_NAME_SIZE], text[2048];
    unsigned seed = 7;

    for (int round = 0; round < 20000; round++) {
        struct mica_app_draft draft;
        size_t length;
        text[0] = '\0';
        for (unsigned n = 0; n < seed % 40; n++) {
            seed = seed * 1103515245 + 12345;
            strcat(text, pieces[(seed >> 16) % MICA_COUNT(pieces)]);
        }
        seed = seed * 1103515245 + 12345;
        draft = draft_of(text, round % 3 == 0 ? text : "",
                         (enum mica_app_layout)(round % MICA_LAYOUTS));
        length = mica_app_propose_name(&draft, name);
        ck_assert_uint_gt(length, 2);
        ck_assert_uint_le(length, MICA_APP_TOOL_NAME_LENGTH);
        ck_assert_uint_eq(length, strspn(name, "abcdefghijklmnopqrstuvwxyz"
                                               "0123456789_"));
        ck_assert_ptr_nonnull(strchr(name, '_'));
        ck_assert_int_ne(name[length - 1], '_');
    }
}
END_TEST

static const char *
description_of(const struct mica_app_draft *draft, const char *tool)
{
    struct mica_buffer out;

    mica_buffer_init(&out, &arena, MICA_APP_PROPOSED_DESCRIPTION_BYTES);
    mica_app_propose_description(draft, mica_text(tool), &out);
    ck_assert(!out.overflow);
    return mica_arena_text(&arena, mica_buffer_as_text(&out)).ptr;
}

START_TEST(a_proposed_description_says_what_when_and_with_what)
{
    struct mica_app_draft draft =
        draft_of("Order Tracker", "  Shows where an order is. It also cooks.",
                 MICA_LAYOUT_CARD);

    begin();
    ck_assert_str_eq(description_of(&draft, "track_order"),
                     "Shows where an order is. Use when a person wants to "
                     "track order. Requires the person's request in their own "
                     "words as message.");
    draft.description = MICA_LITERAL("Where is it");
    ck_assert_ptr_nonnull(
        strstr(description_of(&draft, "track_order"), "Where is it. Use when"));
    draft.description = MICA_LITERAL("");
    ck_assert_ptr_nonnull(strstr(description_of(&draft, "track_order"),
                                 "Shows \"Order Tracker\" as a card"));
    mica_arena_fini(&arena);
}
END_TEST

// ---- Differences -----------------------------------------------------------------

static struct mica_json
value_of(const char *json)
{
    struct mica_json value;
    struct mica_error error;

    ck_assert_msg(mica_json_read(&arena, mica_text(json), NULL, &error,
                                 &value) == MICA_OK,
                  "%s", error.message);
    return value;
}

static const char *
difference(const char *before, const char *after)
{
    struct mica_json one = value_of(before), two = value_of(after);
    struct mica_json_writer writer;
    struct mica_buffer out;

    mica_buffer_init(&out, &arena, 1 << 20);
    mica_json_writer_init(&writer, &out);
    mica_app_difference_write(&writer, &one, &two);
    return mica_arena_text(&arena, mica_buffer_as_text(&out)).ptr;
}

START_TEST(a_difference_has_a_pointer_and_both_values)
{
    begin();
    ck_assert_str_eq(difference("{}", "{}"), "[]");
    ck_assert_str_eq(difference("{\"a\":1,\"b\":2}", "{\"b\":2.0,\"a\":1}"),
                     "[]");
    ck_assert_str_eq(difference("{\"a\":1}", "{\"a\":2}"),
                     "[{\"path\":\"/a\",\"before\":1,\"after\":2}]");
    ck_assert_str_eq(difference("{\"a\":1}", "{\"b\":null}"),
                     "[{\"path\":\"/a\",\"before\":1},"
                     "{\"path\":\"/b\",\"after\":null}]");
    ck_assert_str_eq(difference("{\"a\":{\"b/c\":1}}", "{\"a\":{\"b/c\":2}}"),
                     "[{\"path\":\"/a/b~1c\",\"before\":1,\"after\":2}]");
    ck_assert_str_eq(difference("{\"a\":[1,2]}", "{\"a\":[1]}"),
                     "[{\"path\":\"/a\",\"before\":[1,2],\"after\":[1]}]");
    ck_assert_str_eq(difference("{\"a\":{\"b\":1}}", "{\"a\":3}"),
                     "[{\"path\":\"/a\",\"before\":{\"b\":1},\"after\":3}]");
    mica_arena_fini(&arena);
}
END_TEST

// An object of `count` members of which the first is `first`.
static char *
large_object(size_t count, int first)
{
    char *text = malloc(16 * count + 32);
    size_t length = 0;

    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i < count; i++)
        length += (size_t)sprintf(text + length, "%c\"m%zu\":%d",
                                  i == 0 ? '{' : ',', i, i == 0 ? first : 1);
    (void)sprintf(text + length, "}");
    return text;
}

START_TEST(a_large_object_is_one_change)
{
    char *before = large_object(MICA_APP_DIFFERENCE_MEMBERS, 1),
         *after = large_object(MICA_APP_DIFFERENCE_MEMBERS, 2);

    begin();
    ck_assert_str_eq(difference(before, after),
                     "[{\"path\":\"/m0\",\"before\":1,\"after\":2}]");
    free(before);
    before = large_object(MICA_APP_DIFFERENCE_MEMBERS + 1, 1);
    ck_assert_ptr_nonnull(strstr(difference(before, after), "{\"path\":\"\","));
    free(before);
    free(after);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_name_that_is_too_long_for_a_pointer_changes_its_object)
{
    static char before[2200], after[2200];
    char name[1001];

    memset(name, '~', sizeof name - 1); // two characters each in a pointer
    name[sizeof name - 1] = '\0';
    (void)snprintf(before, sizeof before, "{\"a\":{\"%s\":1}}", name);
    (void)snprintf(after, sizeof after, "{\"a\":{\"%s\":2}}", name);
    begin();
    ck_assert_ptr_nonnull(
        strstr(difference(before, after), "[{\"path\":\"/a\",\"before\":{"));
    mica_arena_fini(&arena);
}
END_TEST

UNIT_MAIN("app_propose", a_proposed_name_is_a_verb_and_what_it_is_about,
          a_proposed_name_is_valid_whatever_the_app_is_called,
          a_proposed_description_says_what_when_and_with_what,
          a_difference_has_a_pointer_and_both_values,
          a_large_object_is_one_change,
          a_name_that_is_too_long_for_a_pointer_changes_its_object)

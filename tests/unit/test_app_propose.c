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
    {"Order sushi", "Orders sushi from a place near you.", MICA_LAYOUT_CARD,
     "order_sushi"},
    {"Invoices", "Where an order is, and when it will come.", MICA_LAYOUT_CARD,
     "get_invoices"},
    {"Invoices", "Latest orders of a customer.", MICA_LAYOUT_CARD,
     "get_invoices"},
    {"Invoices", "An app that books flights.", MICA_LAYOUT_CARD,
     "book_invoices"},
    {"Invoices", "Orders of the last six months.", MICA_LAYOUT_CHART,
     "show_invoices"},
};

// A card of that name without a description, and what a person wants who needs its tool.
static const struct {
    const char *name, *tool, *wish;
} readings[] = {
    // Nouns that could be verbs.
    {"Order status", "get_order_status", "wants the order status"},
    {"Book list", "get_book_list", "wants the book list"},
    {"Rate card", "get_rate_card", "wants the rate card"},
    {"Report card", "get_report_card", "wants the report card"},
    {"Quote of the day", "get_quote_day", "wants the quote of the day"},
    {"Return policy", "get_return_policy", "wants the return policy"},
    {"Return policies", "get_return_policies", "wants the return policies"},
    {"Play list", "get_play_list", "wants the play list"},
    {"The Order Book", "get_order_book", "wants the order book"},
    {"My Order Status", "get_order_status", "wants the order status"},
    {"Orders by region", "get_orders_region", "wants the orders by region"},
    {"Order details", "get_order_details", "wants the order details"},
    {"Booking details", "get_booking_details", "wants the booking details"},
    {"Opening hours", "get_opening_hours", "wants the opening hours"},
    {"Player scores", "get_player_scores", "wants the player scores"},
    {"Shows tonight", "get_shows_tonight", "wants the shows tonight"},
    {"List price", "get_list_price", "wants the list price"},
    {"Search results", "get_search_results", "wants the search results"},
    {"Share price", "get_share_price", "wants the share price"},
    {"Review of the week", "get_review_week", "wants the review of the week"},
    {"Record and policy", "get_record_policy", "wants the record and policy"},
    {"Schedule for Monday", "get_schedule_monday",
     "wants the schedule for monday"},
    // Verbs that could be nouns.
    {"Book a table", "book_table", "wants to book a table"},
    {"Order a pizza", "order_pizza", "wants to order a pizza"},
    {"Order pizza", "order_pizza", "wants to order the pizza"},
    {"Book flight", "book_flight", "wants to book the flight"},
    {"Book flights", "book_flights", "wants to book flights"},
    {"Track my orders", "track_orders", "wants to track their orders"},
    {"Track order status", "track_order_status",
     "wants to track the order status"},
    {"Order and pay", "order_pay", "wants to order the pay"},
    {"Rate movies", "rate_movies", "wants to rate movies"},
    {"Report a bug", "report_bug", "wants to report a bug"},
    {"Return an item", "return_item", "wants to return an item"},
    {"Search for hotels", "search_hotels", "wants to search hotels"},
    {"Planning trips", "plan_trips", "wants to plan trips"},
    {"Calculator for tips", "calculate_tips", "wants to calculate tips"},
    {"Order Tracker", "track_order", "wants to track the order"},
    {"Quote Generator", "generate_quote", "asks you to generate the quote"},
    // What is neither.
    {"Menu", "get_menu", "wants the menu"},
    {"Order", "get_order", "wants the order"},
    {"Show menus", "show_menus", "wants to see the menus"},
    {"Caf\u00e9 Menu", "get_caf_menu", "wants what \"Caf\u00e9 Menu\" shows"},
    {"", "get_card", "wants the card"},
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
    ck_assert_str_eq(
        description_of(&draft, "track_order"),
        "Shows where an order is. Use when a person wants to "
        "track the order. Requires the person's request in their own "
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

START_TEST(a_noun_that_could_be_a_verb_orders_nothing)
{
    char name[MICA_APP_PROPOSED_NAME_SIZE], wanted[200];

    begin();
    for (size_t i = 0; i < MICA_COUNT(readings); i++) {
        struct mica_app_draft draft =
            draft_of(readings[i].name, "", MICA_LAYOUT_CARD);
        (void)mica_app_propose_name(&draft, name);
        ck_assert_str_eq(name, readings[i].tool);
        (void)snprintf(
            wanted, sizeof wanted,
            "Shows \"%s\" as a card. Use when a person %s. Requires ",
            readings[i].name, readings[i].wish);
        ck_assert_msg(strstr(description_of(&draft, name), wanted) != NULL,
                      "%s\n%s", description_of(&draft, name), wanted);
    }
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_description_fits_a_tool_name_that_a_person_gave)
{
    static const char *const given[][2] = {
        {"get_order_status", "wants the order status"},
        {"list_items", "wants to see the items"},
        {"answer_question", "has a question"},
        {"suggest_recipes", "asks you to suggest recipes"},
        {"weather", "asks for \"weather\""},
    };
    struct mica_app_draft draft = draft_of("Support", "", MICA_LAYOUT_MESSAGE);

    begin();
    for (size_t i = 0; i < MICA_COUNT(given); i++)
        ck_assert_msg(
            strstr(description_of(&draft, given[i][0]), given[i][1]) != NULL,
            "%s", description_of(&draft, given[i][0]));
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_title_keeps_its_nouns)
{
    static const char *const titles[][2] = {
        {"Shows where an order is, by its number.", "Order Number"},
        {"Order status by number", "Order Status Number"},
        {"Books a table.", "Table"},
    };

    begin();
    for (size_t i = 0; i < MICA_COUNT(titles); i++) {
        struct mica_buffer out;
        mica_buffer_init(&out, &arena, MICA_APP_PROPOSED_TITLE_BYTES);
        mica_app_propose_title(mica_text(titles[i][0]), &out);
        ck_assert_msg(mica_text_is(mica_buffer_as_text(&out), titles[i][1]),
                      "%.*s", MICA_ARG(mica_buffer_as_text(&out)));
    }
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
          a_noun_that_could_be_a_verb_orders_nothing,
          a_description_fits_a_tool_name_that_a_person_gave,
          a_title_keeps_its_nouns, a_difference_has_a_pointer_and_both_values,
          a_large_object_is_one_change,
          a_name_that_is_too_long_for_a_pointer_changes_its_object)

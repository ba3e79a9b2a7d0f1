// SPDX-License-Identifier: Apache-2.0
//
// The testing kit in place of other servers: what mica_fetch sends and gets there.
#include <stdio.h>
#include <string.h>

#include <mica/fetch.h>
#include <mica/test.h>

#include "unit.h"

// ---- What the kit says of a failure -----------------------------------------------

static char said[16384];
static unsigned lines;

static void
take_failure(const char *file, int line, const char *messagez)
{
    ck_assert_ptr_nonnull(strstr(file, "test_kit_fetch.c"));
    ck_assert_int_gt(line, 0);
    lines++;
    strncat(said, messagez, sizeof said - strlen(said) - 2);
    strncat(said, "\n", sizeof said - strlen(said) - 1);
}

static struct mica_mock *
open_mock(void)
{
    said[0] = '\0';
    lines = 0;
    mica_test_on_failure(take_failure);
    return mica_mock_open();
}

// Fails unless the kit has failed `count` times, with these words among others.
static void
must_have_failed(unsigned count, const char *words)
{
    ck_assert_msg(strstr(said, words) != NULL, "\"%s\" is not in: %s", words,
                  said);
    ck_assert_msg(lines == count, "%u failures: %s", lines, said);
    said[0] = '\0';
    lines = 0;
}

static void
must_be_well(void)
{
    ck_assert_msg(lines == 0, "%s", said);
}

// ---- Other servers -----------------------------------------------------------------

struct word {
    struct mica_text word;
};
MICA_RECORD(word, MICA_TEXT(word, "A word."));

// Sends a word and asks for two; the second only if there was a first.
static enum mica_status
send_word(struct mica_call *call, const struct word *in, struct word *out)
{
    const struct mica_fetch_header header = {
        "Authorization", MICA_LITERAL("Bearer "), "WORD_TOKEN"};
    const struct mica_fetch post = {.key = "post",
                                    .url =
                                        MICA_LITERAL("https://a.example/words"),
                                    .headers = &header,
                                    .header_count = 1,
                                    .body = MICA_FROM(word, in)};
    unsigned status = 1;
    const struct mica_fetch get = {.key = "get",
                                   .url =
                                       MICA_LITERAL("https://a.example/last"),
                                   .status_out = &status};

    MICA_TRY(mica_fetch(call, &post, (struct mica_into){NULL, NULL}));
    MICA_TRY(mica_fetch(call, &get, MICA_INTO(word, out)));
    if (status != 200)
        out->word = mica_format(call, "%u", status);
    return MICA_OK;
}
MICA_TOOL(send_word, word, word, send_word, .description = "Sends.",
          .fetches = MICA_FETCHES("https://a.example"));

START_TEST(a_fetch_is_answered_by_the_script)
{
    struct mica_mock *mock = open_mock();
    const struct mica_outcome *outcome;

    mica_mock_fetch(mock, "POST", "https://a.example/words", 204, NULL);
    mica_mock_fetch(mock, "GET", "https://a.example/last", 200,
                    "{\"word\": \"yes\", \"more\": 1}");
    outcome = mica_replay_tool(&mica_tool_send_word, "{\"word\": \"hi\"}", mock,
                               NULL);
    MICA_EXPECT_RESULT(outcome, "{\"word\": \"yes\"}");
    MICA_EXPECT_FETCHED(outcome, "POST https://a.example/words\n"
                                 "GET https://a.example/last");
    MICA_EXPECT_SENT(outcome, "https://a.example/words", "{\"word\": \"hi\"}");
    MICA_EXPECT_SENT(outcome, "https://a.example/last", NULL);
    MICA_EXPECT_TEXT_EQ(outcome->fetches[0].headers,
                        "Authorization: Bearer {WORD_TOKEN}");
    MICA_EXPECT_INT_EQ(mica_mock_effects(mock), 1);
    must_be_well();
    ck_assert(!MICA_EXPECT_FETCHED(outcome, ""));
    must_have_failed(1, "GET https://a.example/last");
    ck_assert(!MICA_EXPECT_SENT(outcome, "https://a.example/words", "{}"));
    must_have_failed(1, "was sent {\"word\":\"hi\"}, expected {}");
    ck_assert(!MICA_EXPECT_SENT(outcome, "https://b.example", NULL));
    must_have_failed(1, "has sent nothing to");
    mica_mock_close(mock);
}
END_TEST

START_TEST(a_status_is_given_to_a_tool_that_asks_for_it)
{
    struct mica_mock *mock = open_mock();
    const struct mica_outcome *outcome;

    mica_mock_fetch(mock, "POST", "https://a.example/words", 200, "{}");
    mica_mock_fetch(mock, "GET", "https://a.example/last", 404, "none");
    outcome = mica_run_tool(&mica_tool_send_word, "{\"word\": \"hi\"}", mock);
    MICA_EXPECT_RESULT(outcome, "{\"word\": \"404\"}");
    must_be_well();
    mica_mock_close(mock);
    mock = open_mock();
    mica_mock_fetch(mock, "POST", "https://a.example/words", 404, "{}");
    outcome = mica_run_tool(&mica_tool_send_word, "{\"word\": \"hi\"}", mock);
    MICA_EXPECT_FAILS(outcome, "FETCH_STATUS");
    must_be_well();
    mica_mock_close(mock);
}
END_TEST

START_TEST(a_fetch_that_the_script_does_not_answer_fails)
{
    struct mica_mock *mock = open_mock();
    const struct mica_outcome *outcome;

    mica_mock_fetch(mock, "GET", "https://a.example/words", 200, "{}");
    outcome = mica_run_tool(&mica_tool_send_word, "{\"word\": \"hi\"}", mock);
    ck_assert(strstr(said, "POST https://a.example/words") != NULL);
    must_have_failed(2, "this answer to GET https://a.example/words was not "
                        "used");
    MICA_EXPECT_FAILS(outcome, "FETCH_FAILED");
    must_be_well();
    mica_mock_close(mock);
}
END_TEST

static enum mica_status
fetch_wrong(struct mica_call *call, const struct word *in, struct word *out)
{
    const struct mica_fetch_header host = {"Host", MICA_LITERAL("b"), NULL};
    const struct mica_fetch_header line = {"X", MICA_LITERAL("a\r\nY: b"),
                                           NULL};
    struct mica_fetch fetch = {.url = MICA_LITERAL("https://a.example/")};

    if (mica_text_is(in->word, "elsewhere"))
        fetch.url = MICA_LITERAL("https://b.example/");
    if (mica_text_is(in->word, "user"))
        fetch.url = MICA_LITERAL("https://a.example@b.example/");
    if (mica_text_is(in->word, "key"))
        fetch.key = "a/b";
    if (mica_text_is(in->word, "method"))
        fetch.method = "GET /";
    if (mica_text_is(in->word, "time"))
        fetch.limit_ms = 60001;
    if (mica_text_is(in->word, "bytes"))
        fetch.limit_bytes = (1 << 20) + 1;
    if (mica_text_is(in->word, "attempts"))
        fetch.attempts = 6;
    fetch.headers = mica_text_is(in->word, "host") ? &host : &line;
    fetch.header_count =
        mica_text_is(in->word, "host") || mica_text_is(in->word, "line");
    return mica_fetch(call, &fetch, MICA_INTO(word, out));
}
MICA_TOOL(fetch_wrong, word, word, fetch_wrong, .description = "Sends.",
          .fetches = MICA_FETCHES("https://a.example:443"));
MICA_TOOL(fetch_undeclared, word, word, fetch_wrong, .description = "Sends.");

START_TEST(a_fetch_that_is_wrong_is_not_sent)
{
    const struct {
        const char *word, *code;
    } all[] = {{"elsewhere", "FETCH_NOT_ALLOWED"},
               {"user", "FETCH_NOT_ALLOWED"},
               {"key", "USAGE"},
               {"method", "USAGE"},
               {"time", "USAGE"},
               {"bytes", "USAGE"},
               {"attempts", "USAGE"},
               {"host", "USAGE"},
               {"line", "USAGE"}};
    struct mica_mock *mock = open_mock();
    char input[64];

    for (size_t i = 0; i < MICA_COUNT(all); i++) {
        const struct mica_outcome *outcome;
        (void)snprintf(input, sizeof input, "{\"word\": \"%s\"}", all[i].word);
        outcome = mica_run_tool(&mica_tool_fetch_wrong, input, mock);
        MICA_EXPECT_FAILS(outcome, all[i].code);
        MICA_EXPECT_FETCHED(outcome, "");
        ck_assert_msg(lines == 0, "%s: %s", all[i].word, said);
    }
    MICA_EXPECT_FAILS(
        mica_run_tool(&mica_tool_fetch_undeclared, "{\"word\": \"x\"}", mock),
        "USAGE");
    must_be_well();
    mica_mock_fetch(mock, "GET", "https://a.example/", 200,
                    "{\"word\": \"a\"}");
    MICA_EXPECT_OK(
        mica_run_tool(&mica_tool_fetch_wrong, "{\"word\": \"good\"}", mock));
    must_be_well();
    mica_mock_close(mock);
}
END_TEST

// ---- URLs from templates -----------------------------------------------------------

enum grade {
    FINE,
    COARSE
};
MICA_CHOICES(grade, [FINE] = "fine", [COARSE] = "coarse");

struct places {
    struct mica_text from, to;
    bool has_to, has_days;
    int64_t days;
    bool night;
    enum grade grade;
    struct {
        size_t count;
        const struct mica_text *items;
    } list;
};
MICA_RECORD(places, MICA_TEXT(from, "A place."),
            MICA_TEXT(to, "A place.", MICA_OPTIONAL(places, to)),
            MICA_INTEGER(days, "How many.", MICA_OPTIONAL(places, days)),
            MICA_BOOLEAN(night, "At night?", .fallback = MICA_JSON(false)),
            MICA_CHOICE(grade, grade, "How exact.",
                        .fallback = MICA_JSON("coarse")),
            MICA_LIST(list, text, "Words.", .fallback = MICA_JSON([])));

#define SITE "https://a.example"
MICA_FETCH_TOOL(one_place, places, word, SITE, "/of/{from}.json",
                .description = "Sends.");
MICA_FETCH_TOOL(query, places, word, SITE, "/q{?to,days,night,grade}",
                .description = "Sends.", .hints = MICA_IDEMPOTENT);
MICA_FETCH_TOOL(no_place, places, word, SITE, "/all", .description = "Sends.");
MICA_FETCH_TOOL(no_field, places, word, SITE, "/{form}",
                .description = "Sends.");
MICA_FETCH_TOOL(no_end, places, word, SITE, "/{from", .description = "Sends.");
MICA_FETCH_TOOL(no_name, places, word, SITE, "/{}", .description = "Sends.");
MICA_FETCH_TOOL(no_text, places, word, SITE, "{?from,list}",
                .description = "Sends.");

START_TEST(fields_fill_the_places_of_a_url)
{
    const struct {
        const struct mica_tool *tool;
        const char *input, *url;
    } all[] = {
        {&mica_tool_one_place, "{\"from\": \"a/ä b\"}",
         "/of/a%2F%C3%A4%20b.json"},
        {&mica_tool_one_place, "{\"from\": \"\"}", "/of/.json"},
        {&mica_tool_query, "{\"from\": \"a\"}", "/q?night=false&grade=coarse"},
        {&mica_tool_query,
         "{\"from\": \"a\", \"to\": \"x&y\", \"days\": -3, \"night\": true, "
         "\"grade\": \"fine\"}",
         "/q?to=x%26y&days=-3&night=true&grade=fine"},
        {&mica_tool_no_place, "{\"from\": \"a\"}", "/all"}};
    char url[128];

    for (size_t i = 0; i < MICA_COUNT(all); i++) {
        struct mica_mock *mock = open_mock();
        (void)snprintf(url, sizeof url, SITE "%s", all[i].url);
        mica_mock_fetch(mock, "GET", url, 200, "{\"word\": \"yes\"}");
        MICA_EXPECT_RESULT(
            mica_replay_tool(all[i].tool, all[i].input, mock, NULL),
            "{\"word\": \"yes\"}");
        must_be_well();
        mica_mock_close(mock);
    }
    ck_assert_str_eq(mica_tool_query.fetches[0], SITE);
    ck_assert_int_eq(mica_tool_one_place.hints, MICA_READ_ONLY);
    ck_assert_int_eq(mica_tool_query.hints, MICA_IDEMPOTENT);
}
END_TEST

START_TEST(a_template_that_cannot_be_filled_is_not_sent)
{
    static const struct {
        const struct mica_tool *tool;
        const char *words;
    } all[] = {{&mica_tool_no_field, "has {form}, but the record \"places\""},
               {&mica_tool_no_end, "a { without a }: {from"},
               {&mica_tool_no_name, "has {}, but the record"},
               {&mica_tool_no_text, "has {list}, whose value is an array"}};

    for (size_t i = 0; i < MICA_COUNT(all); i++) {
        struct mica_mock *mock = open_mock();
        const struct mica_outcome *outcome =
            mica_run_tool(all[i].tool, "{\"from\": \"a\"}", mock);
        MICA_EXPECT_FAILS(outcome, "USAGE");
        ck_assert_msg(strstr(outcome->message.ptr, all[i].words) != NULL,
                      "%.*s", MICA_ARG(outcome->message));
        MICA_EXPECT_FETCHED(outcome, "");
        must_be_well();
        mica_mock_close(mock);
    }
}
END_TEST

START_TEST(a_filled_url_is_bounded)
{
    static char input[9000] = "{\"from\": \"";
    struct mica_mock *mock = open_mock();

    memset(input + strlen(input), 'a', 8192);
    strcat(input, "\"}");
    MICA_EXPECT_FAILS(mica_run_tool(&mica_tool_one_place, input, mock),
                      "FETCH_NOT_ALLOWED");
    must_be_well();
    mica_mock_close(mock);
}
END_TEST

UNIT_MAIN("kit fetch", a_fetch_is_answered_by_the_script,
          a_status_is_given_to_a_tool_that_asks_for_it,
          a_fetch_that_the_script_does_not_answer_fails,
          a_fetch_that_is_wrong_is_not_sent, fields_fill_the_places_of_a_url,
          a_template_that_cannot_be_filled_is_not_sent, a_filled_url_is_bounded)

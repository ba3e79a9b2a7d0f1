// SPDX-License-Identifier: Apache-2.0
//
// The record of an app: what is read, what is found, and that what is written reads back.
#include "apps/app_record.h"

#include <stdio.h>
#include <string.h>

#include "apps/app_fields.h"
#include "unit.h"

static struct mica_arena arena;
static struct mica_app_findings findings;
static struct mica_app_draft draft;
static struct mica_error error;

static enum mica_status
read_status(struct mica_text json)
{
    mica_arena_fini(&arena);
    mica_arena_init(&arena, 8 << 20);
    mica_app_findings_init(&findings, &arena);
    return mica_app_draft_read(json, &arena, &findings, &error, &draft);
}

static void
read_draft(const char *json)
{
    enum mica_status status = read_status(mica_text(json));
    ck_assert_msg(status == MICA_OK, "%s", error.message);
}

// The draft in its stored form; the next call overwrites it.
static const char *
written(void)
{
    static char json[MICA_APP_DRAFT_BYTES + 1];
    struct mica_text text;

    ck_assert_int_eq(mica_app_draft_text(&draft, &arena, &error, &text),
                     MICA_OK);
    memcpy(json, text.ptr, text.len);
    json[text.len] = '\0';
    return json;
}

// Exactly one finding, with that code at that place.
static void
check_one_finding(const char *json, const char *code, const char *path)
{
    read_draft(json);
    ck_assert_msg(findings.count == 1, "%zu findings: %s", findings.count,
                  json);
    ck_assert_str_eq(findings.items[0].codez, code);
    ck_assert_str_eq(findings.items[0].path.ptr, path);
    ck_assert_int_eq(findings.items[0].severity, MICA_APP_INVALID);
    ck_assert_int_eq(findings.worst, MICA_APP_INVALID);
}

#define WHOLE                                                                  \
    "{\"name\":\"My Support Bot\",\"description\":\"Helps.\\nMuch.\","         \
    "\"toolName\":\"get_order_status\",\"toolDescription\":\"Gets it.\","      \
    "\"layoutTemplate\":\"table\",\"themeVariables\":{\"--color-background-"   \
    "primary\":\"#fff\"},\"mockData\":{\"title\":\"x\",\"n\":1.50},"           \
    "\"behavior\":{\"type\":\"tool\",\"message\":\"m\",\"tool\":\"tip-"        \
    "splitter\",\"arguments\":{\"/amount\":{\"pointer\":\"/context/amount\"}}" \
    ",\"data\":{\"/title\":{\"value\":\"t\"}}},\"visibility\":\"scope\","      \
    "\"scope\":\"orders:read\",\"budget\":{\"callsPerDay\":5,\"tokensPerDay\"" \
    ":6,\"seconds\":7,\"concurrent\":8},\"roles\":{\"editors\":[\"a\",\"b\"]," \
    "\"viewers\":[\"c\"]}}"

START_TEST(a_whole_draft_reads_and_writes_the_same)
{
    read_draft(WHOLE);
    ck_assert_uint_eq(findings.count, 0);
    ck_assert_str_eq(written(), WHOLE);
    ck_assert(mica_text_is(draft.name, "My Support Bot"));
    ck_assert(mica_text_is(draft.tool_name, "get_order_status"));
    ck_assert_int_eq(draft.layout, MICA_LAYOUT_TABLE);
    ck_assert_int_eq(draft.behavior.type, MICA_APP_TOOL);
    ck_assert(mica_text_is(draft.behavior.tool, "tip-splitter"));
    ck_assert_int_eq(draft.visibility, MICA_APP_SCOPE);
    ck_assert_int_eq(draft.budget.concurrent, 8);
    ck_assert_uint_eq(draft.editors.count, 2);
    ck_assert(mica_text_is(draft.viewers.names[0], "c"));
}
END_TEST

START_TEST(what_is_absent_has_a_default)
{
    read_draft("{}");
    ck_assert_uint_eq(findings.count, 0);
    ck_assert_str_eq(written(),
                     "{\"layoutTemplate\":\"message\",\"behavior\":{"
                     "\"type\":\"data\"},\"visibility\":\"public\"}");
    ck_assert(!draft.has_budget);
    ck_assert_ptr_null(draft.mock_data);
    // null is absent; an empty budget is a budget.
    read_draft("{\"toolName\":null,\"mockData\":null,\"behavior\":null,"
               "\"budget\":{\"seconds\":null}}");
    ck_assert_uint_eq(findings.count, 0);
    ck_assert(draft.has_budget);
    read_draft(written());
    ck_assert(draft.has_budget);
}
END_TEST

START_TEST(each_behavior_has_its_own_members)
{
    read_draft(
        "{\"behavior\":{\"systemPrompt\":\"Be kind.\",\"by\":\"any\","
        "\"provider\":\"p\",\"model\":\"@cf/m:1\",\"type\":\"prompt\"}}");
    ck_assert_uint_eq(findings.count, 0);
    ck_assert_int_eq(draft.behavior.type, MICA_APP_PROMPT);
    ck_assert_int_eq(draft.behavior.by, MICA_APP_BY_ANY);
    ck_assert_ptr_nonnull(
        strstr(written(), "\"behavior\":{\"type\":\"prompt\",\"systemPrompt\":"
                          "\"Be kind.\",\"by\":\"any\",\"provider\":\"p\","
                          "\"model\":\"@cf/m:1\"}"));
    check_one_finding("{\"behavior\":{\"type\":\"data\",\"tool\":\"x\"}}",
                      "UNKNOWN_FIELD", "/behavior/tool");
    check_one_finding("{\"behavior\":{\"type\":\"prompt\",\"message\":\"x\"}}",
                      "UNKNOWN_FIELD", "/behavior/message");
    ck_assert_ptr_nonnull(strstr(findings.items[0].message.ptr, "\"prompt\""));
    read_draft("{\"behavior\":{\"type\":\"data\",\"tool\":null}}");
    ck_assert_uint_eq(findings.count, 0);
}
END_TEST

START_TEST(a_misspelled_member_is_found_with_the_nearest)
{
    check_one_finding("{\"toolname\":\"x\"}", "UNKNOWN_FIELD", "/toolname");
    ck_assert_ptr_nonnull(
        strstr(findings.items[0].message.ptr, "did you mean \"toolName\"?"));
    check_one_finding("{\"budget\":{\"callsPerDy\":3}}", "UNKNOWN_FIELD",
                      "/budget/callsPerDy");
    ck_assert_ptr_nonnull(
        strstr(findings.items[0].message.ptr, "\"callsPerDay\""));
    check_one_finding("{\"zzz\":1}", "UNKNOWN_FIELD", "/zzz");
    ck_assert_ptr_nonnull(strstr(findings.items[0].message.ptr, "remove it"));
    check_one_finding("{\"__proto__\":{\"name\":\"x\"}}", "UNKNOWN_FIELD",
                      "/__proto__");
    check_one_finding("{\"a/b~c\\u202e\":1}", "UNKNOWN_FIELD",
                      "/a~1b~0c\u202e");
    ck_assert_ptr_null(strstr(findings.items[0].message.ptr, "\u202e"));
    // The store's members are no faults at the top, and unknown elsewhere.
    read_draft("{\"id\":\"x\",\"status\":\"published\",\"mcpSlug\":\"s\","
               "\"owner\":\"o\",\"revision\":3,\"publishedAt\":null,"
               "\"publishVersion\":1,\"createdAt\":\"c\",\"updatedAt\":\"u\","
               "\"url\":\"http://x/\"}");
    ck_assert_uint_eq(findings.count, 0);
    check_one_finding("{\"roles\":{\"owner\":\"x\"}}", "UNKNOWN_FIELD",
                      "/roles/owner");
}
END_TEST

START_TEST(a_wrong_type_is_found_at_its_place)
{
    static const char *const cases[][2] = {
        {"{\"name\":1}", "/name"},
        {"{\"toolName\":[]}", "/toolName"},
        {"{\"layoutTemplate\":{}}", "/layoutTemplate"},
        {"{\"themeVariables\":[]}", "/themeVariables"},
        {"{\"mockData\":\"{}\"}", "/mockData"},
        {"{\"behavior\":\"data\"}", "/behavior"},
        {"{\"behavior\":{\"type\":true}}", "/behavior/type"},
        {"{\"behavior\":{\"type\":\"tool\",\"arguments\":[]}}",
         "/behavior/arguments"},
        {"{\"budget\":5}", "/budget"},
        {"{\"budget\":{\"seconds\":\"5\"}}", "/budget/seconds"},
        {"{\"roles\":[]}", "/roles"},
        {"{\"roles\":{\"editors\":\"a\"}}", "/roles/editors"},
        {"{\"roles\":{\"editors\":[1]}}", "/roles/editors"},
        {"{\"roles\":{\"viewers\":[\"\"]}}", "/roles/viewers"}};

    for (size_t i = 0; i < MICA_COUNT(cases); i++)
        check_one_finding(cases[i][0], "WRONG_TYPE", cases[i][1]);
}
END_TEST

START_TEST(choices_and_numbers_have_bounds)
{
    check_one_finding("{\"layoutTemplate\":\"grid\"}", "NOT_A_CHOICE",
                      "/layoutTemplate");
    ck_assert_ptr_nonnull(strstr(findings.items[0].message.ptr,
                                 "message, card, list, carousel, table, chart, "
                                 "detail or form"));
    check_one_finding("{\"visibility\":\"Public\"}", "NOT_A_CHOICE",
                      "/visibility");
    check_one_finding("{\"budget\":{\"seconds\":0}}", "OUT_OF_RANGE",
                      "/budget/seconds");
    check_one_finding("{\"budget\":{\"seconds\":601}}", "OUT_OF_RANGE",
                      "/budget/seconds");
    check_one_finding("{\"budget\":{\"seconds\":1.5}}", "OUT_OF_RANGE",
                      "/budget/seconds");
    check_one_finding("{\"budget\":{\"callsPerDay\":1e300}}", "OUT_OF_RANGE",
                      "/budget/callsPerDay");
    check_one_finding("{\"budget\":{\"tokensPerDay\":-3}}", "OUT_OF_RANGE",
                      "/budget/tokensPerDay");
    read_draft("{\"budget\":{\"seconds\":600,\"callsPerDay\":1e7}}");
    ck_assert_uint_eq(findings.count, 0);
    ck_assert_int_eq(draft.budget.calls_per_day, 10000000);
}
END_TEST

START_TEST(texts_have_bounds_and_a_form)
{
    char json[2048];
    size_t size = 0;

    // Characters count, not bytes.
    size += (size_t)sprintf(json, "{\"name\":\"");
    for (int i = 0; i < 100; i++)
        size += (size_t)sprintf(json + size, "\u00e9");
    memcpy(json + size, "\"}", 3);
    read_draft(json);
    ck_assert_uint_eq(findings.count, 0);
    memcpy(json + size, "x\"}", 4);
    check_one_finding(json, "OUT_OF_RANGE", "/name");
    check_one_finding("{\"name\":\"a\\nb\"}", "BAD_FORMAT", "/name");
    check_one_finding("{\"name\":\"a\\tb\"}", "BAD_FORMAT", "/name");
    check_one_finding("{\"scope\":\"a b\"}", "BAD_FORMAT", "/scope");
    check_one_finding("{\"scope\":\"\u00e9\"}", "BAD_FORMAT", "/scope");
    check_one_finding("{\"scope\":\"a\\\\b\"}", "BAD_FORMAT", "/scope");
    read_draft("{\"description\":\"a\\n\\tb\"}");
    ck_assert_uint_eq(findings.count, 0);
    // What is wrong is read all the same, so that other rules see it.
    read_draft("{\"name\":\"a\\nb\"}");
    ck_assert(mica_text_is(draft.name, "a\nb"));
}
END_TEST

START_TEST(hidden_characters_are_refused)
{
    static const char *const hidden[] = {
        "\\u0000", "\\u0007",        "\\u001b",        "\\u007f", "\\u0085",
        "\\u00ad", "\\u061c",        "\\u200b",        "\\u200c", "\\u200d",
        "\\u200e", "\\u200f",        "\\u2028",        "\\u202a", "\\u202e",
        "\\u2060", "\\u2066",        "\\u2069",        "\\u3164", "\\ufeff",
        "\\ufe0f", "\\udb40\\udc41", "\\udb40\\udd00", "\\ue000", "\\ufdd0"};
    static const char *const members[] = {"name", "description", "toolName",
                                          "toolDescription"};
    char json[128];

    for (size_t i = 0; i < MICA_COUNT(hidden); i++) {
        for (size_t m = 0; m < MICA_COUNT(members); m++) {
            char path[32];
            sprintf(json, "{\"%s\":\"a%sb\"}", members[m], hidden[i]);
            sprintf(path, "/%s", members[m]);
            check_one_finding(json, "HIDDEN_CHARACTER", path);
        }
        sprintf(json, "{\"roles\":{\"editors\":[\"a%sb\"]}}", hidden[i]);
        check_one_finding(json, "HIDDEN_CHARACTER", "/roles/editors");
    }
    // Emoji that are made of several characters are seen.
    read_draft("{\"name\":\"\U0001f469\u200d\U0001f4bb \u2764\ufe0f "
               "\u0645\u0631\u062d\u0628\u0627 \u4f60\u597d\"}");
    ck_assert_uint_eq(findings.count, 0);
}
END_TEST

START_TEST(data_of_an_author_hold_no_proto)
{
    check_one_finding("{\"mockData\":{\"a\":[{\"__proto__\":1}]}}",
                      "BAD_FORMAT", "/mockData");
    check_one_finding("{\"themeVariables\":{\"__proto__\":\"x\"}}",
                      "BAD_FORMAT", "/themeVariables");
    read_draft("{\"mockData\":{\"a\":\"__proto__\",\"proto\":{}}}");
    ck_assert_uint_eq(findings.count, 0);
}
END_TEST

// A draft of `size` bytes, by the length of a mock value and of unused space.
static struct mica_text
draft_of(size_t mock, size_t size)
{
    static char json[MICA_APP_DRAFT_BYTES + 16];
    size_t at = (size_t)sprintf(json, "{\"mockData\":{\"a\":\"");

    memset(json + at, 'x', mock - 8);
    at += mock - 8;
    at += (size_t)sprintf(json + at, "\"}");
    memset(json + at, ' ', size - at - 1);
    json[size - 1] = '}';
    return (struct mica_text){json, size};
}

START_TEST(limits_are_exact)
{
    ck_assert_int_eq(
        read_status(draft_of(MICA_APP_MOCK_BYTES, MICA_APP_DRAFT_BYTES)),
        MICA_OK);
    ck_assert_uint_eq(findings.count, 0);
    ck_assert_uint_eq(draft.mock_data->raw.len, MICA_APP_MOCK_BYTES);
    ck_assert_int_eq(
        read_status(draft_of(MICA_APP_MOCK_BYTES + 1, MICA_APP_DRAFT_BYTES)),
        MICA_OK);
    ck_assert_uint_eq(findings.count, 1);
    ck_assert_str_eq(findings.items[0].codez, "LIMIT_EXCEEDED");
    ck_assert_int_eq(read_status(draft_of(100, MICA_APP_DRAFT_BYTES + 1)),
                     MICA_E_LIMIT);
}
END_TEST

START_TEST(what_is_written_must_fit_too)
{
    static char json[MICA_APP_DRAFT_BYTES];
    struct mica_text text;
    size_t at = (size_t)sprintf(json, "{\"name\":\"n\",\"mockData\":{\"a\":\"");

    // A mock value that is too large makes findings; the text is too large as well.
    memset(json + at, 'x', sizeof json - at - 3);
    memcpy(json + sizeof json - 3, "\"}}", 3);
    ck_assert_int_eq(read_status((struct mica_text){json, sizeof json}),
                     MICA_OK);
    ck_assert_int_eq(mica_app_draft_text(&draft, &arena, &error, &text),
                     MICA_E_LIMIT);
}
END_TEST

START_TEST(what_is_no_draft_is_an_error)
{
    static const char *const texts[] = {"",
                                        "[]",
                                        "null",
                                        "\"x\"",
                                        "{\"name\":}",
                                        "{\"name\":\"a\",\"name\":\"b\"}",
                                        "{\"name\":\"\xff\"}",
                                        "{\"name\":\"\\ud800\"}",
                                        "{} {}"};
    char deep[128];

    for (size_t i = 0; i < MICA_COUNT(texts); i++) {
        ck_assert_int_eq(read_status(mica_text(texts[i])), MICA_E_CONFIG);
        ck_assert_str_eq(error.code, "INVALID_CONFIG");
    }
    memcpy(deep, "{\"mockData\":{\"a\":", 17);
    memset(deep + 17, '[', 40);
    deep[57] = '\0';
    ck_assert_int_eq(read_status(mica_text(deep)), MICA_E_LIMIT);
}
END_TEST

START_TEST(many_findings_are_counted)
{
    static char json[16384];
    size_t at = (size_t)sprintf(json, "{");

    for (int i = 0; i < 300; i++)
        at += (size_t)sprintf(json + at, "%s\"x%d\":1", i > 0 ? "," : "", i);
    sprintf(json + at, "}");
    read_draft(json);
    ck_assert_uint_eq(findings.count, MICA_APP_FINDINGS);
    ck_assert_uint_eq(findings.more, 300 - MICA_APP_FINDINGS);
    ck_assert_int_eq(mica_app_findings_refuse(&findings, false, &error),
                     MICA_E_CONFIG);
}
END_TEST

START_TEST(findings_are_written_and_refuse)
{
    struct mica_buffer out;
    struct mica_json_writer writer;

    read_draft("{}");
    mica_app_find(&findings, MICA_APP_WARNING, "DULL", "/name", "dull");
    ck_assert_int_eq(mica_app_findings_refuse(&findings, true, &error),
                     MICA_OK);
    mica_app_find(&findings, MICA_APP_UNFINISHED, "MISSING_FIELD", "/toolName",
                  "give it a %s", "name");
    ck_assert_int_eq(mica_app_findings_refuse(&findings, false, &error),
                     MICA_OK);
    ck_assert_int_eq(mica_app_findings_refuse(&findings, true, &error),
                     MICA_E_CONFIG);
    ck_assert_str_eq(error.path, "/toolName");
    ck_assert_str_eq(error.message, "give it a name");
    mica_app_find(&findings, MICA_APP_INVALID, "WRONG_TYPE", "", "bad");
    ck_assert_int_eq(mica_app_findings_refuse(&findings, true, &error),
                     MICA_E_CONFIG);
    ck_assert_str_eq(error.message, "give it a name (and 1 more)");
    ck_assert_int_eq(mica_app_findings_refuse(&findings, false, &error),
                     MICA_E_CONFIG);
    ck_assert_str_eq(error.message, "bad");

    mica_buffer_init(&out, &arena, 4096);
    mica_json_writer_init(&writer, &out);
    mica_app_findings_write(&writer, &findings);
    mica_buffer_char(&out, '\0');
    ck_assert_str_eq(
        out.ptr,
        "[{\"code\":\"DULL\",\"severity\":\"warning\",\"path\":\"/name\","
        "\"message\":\"dull\"},{\"code\":\"MISSING_FIELD\",\"severity\":"
        "\"error\",\"forbids\":\"publishing\",\"path\":\"/toolName\","
        "\"message\":\"give it a name\"},{\"code\":\"WRONG_TYPE\",\"severity\":"
        "\"error\",\"forbids\":\"saving\",\"path\":\"\",\"message\":\"bad\"}]");
}
END_TEST

// ---- Patches ---------------------------------------------------------------------

static const char *
patched(const char *before, const char *patch)
{
    struct mica_buffer out;
    enum mica_status status;

    mica_arena_fini(&arena);
    mica_arena_init(&arena, 8 << 20);
    mica_buffer_init(&out, &arena, MICA_APP_DRAFT_BYTES);
    status = mica_app_draft_patch(mica_text(before), mica_text(patch), &arena,
                                  &error, &out);
    mica_buffer_char(&out, '\0');
    return status == MICA_OK ? out.ptr : mica_status_code(status);
}

START_TEST(a_patch_changes_what_it_names)
{
    ck_assert_str_eq(patched("{\"name\":\"a\",\"scope\":\"s\"}",
                             "{\"toolName\":\"t\",\"scope\":null}"),
                     "{\"name\":\"a\",\"toolName\":\"t\"}");
    ck_assert_str_eq(patched("{\"budget\":{\"seconds\":1,\"concurrent\":2}}",
                             "{\"budget\":{\"seconds\":null,\"callsPerDay\":3}"
                             "}"),
                     "{\"budget\":{\"concurrent\":2,\"callsPerDay\":3}}");
    ck_assert_str_eq(patched("{}", "{\"budget\":{\"seconds\":null}}"),
                     "{\"budget\":{}}");
    // Data are replaced as a whole, and their nulls are values.
    ck_assert_str_eq(
        patched("{\"mockData\":{\"a\":1}}", "{\"mockData\":{\"b\":null}}"),
        "{\"mockData\":{\"b\":null}}");
    ck_assert_str_eq(
        patched("{\"behavior\":{\"type\":\"tool\",\"tool\":\"x\",\"data\":{"
                "\"/a\":{\"value\":1}}}}",
                "{\"behavior\":{\"data\":{\"/b\":{\"value\":null}}}}"),
        "{\"behavior\":{\"type\":\"tool\",\"tool\":\"x\",\"data\":{\"/b\":{"
        "\"value\":null}}}}");
    // Another type is another behavior.
    ck_assert_str_eq(
        patched("{\"behavior\":{\"type\":\"data\",\"message\":\"m\""
                "}}",
                "{\"behavior\":{\"type\":\"prompt\",\"by\":\"any\"}"
                "}"),
        "{\"behavior\":{\"type\":\"prompt\",\"by\":\"any\"}}");
    ck_assert_str_eq(
        patched("{\"behavior\":{\"type\":\"data\",\"message\":\"m\""
                "}}",
                "{\"behavior\":{\"type\":\"data\"}}"),
        "{\"behavior\":{\"message\":\"m\",\"type\":\"data\"}}");
    ck_assert_str_eq(patched("{}", "[]"), "INVALID_CONFIG");
    ck_assert_str_eq(patched("{}", "{"), "INVALID_CONFIG");
    ck_assert_str_eq(patched("null", "{}"), "INVALID_CONFIG");
}
END_TEST

// ---- Versions and apps -----------------------------------------------------------

START_TEST(a_version_reads_back)
{
    struct mica_app_version version = {.version = 3,
                                       .published_at = 1790000000123,
                                       .widget = MICA_LITERAL("0123abcd"),
                                       .pin = MICA_LITERAL("7")},
                            again;
    struct mica_buffer out;
    struct mica_json_writer writer;

    read_draft(WHOLE);
    version.draft = draft;
    mica_buffer_init(&out, &arena, MICA_APP_VERSION_BYTES);
    mica_json_writer_init(&writer, &out);
    mica_app_version_write(&writer, &version);
    ck_assert_int_eq(mica_app_version_read(mica_buffer_as_text(&out), &arena,
                                           &error, &again),
                     MICA_OK);
    ck_assert_int_eq(again.version, 3);
    ck_assert_int_eq(again.published_at, 1790000000123);
    ck_assert(mica_text_is(again.widget, "0123abcd"));
    ck_assert(mica_text_is(again.pin, "7"));
    draft = again.draft;
    ck_assert_str_eq(written(), WHOLE);
}
END_TEST

START_TEST(a_version_may_be_a_draft_and_its_pin)
{
    struct mica_app_version version;

    read_draft("{}");
    ck_assert_int_eq(
        mica_app_version_read(MICA_LITERAL("{\"name\":\"n\",\"pin\":\"7\"}"),
                              &arena, &error, &version),
        MICA_OK);
    ck_assert_int_eq(version.version, 0);
    ck_assert_int_eq(version.published_at, 0);
    ck_assert_uint_eq(version.widget.len, 0);
    ck_assert(mica_text_is(version.pin, "7"));
    ck_assert(mica_text_is(version.draft.name, "n"));
}
END_TEST

START_TEST(a_damaged_version_is_refused)
{
    static const char *const cases[][2] = {
        {"{\"version\":0}", "/version"},
        {"{\"version\":\"1\"}", "/version"},
        {"{\"version\":1.5}", "/version"},
        {"{\"publishedAt\":\"2026-11-26\"}", "/publishedAt"},
        {"{\"publishedAt\":1790000000}", "/publishedAt"},
        {"{\"version\":1,\"name\":5}", "/name"}};
    struct mica_app_version version;

    read_draft("{}");
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        ck_assert_int_eq(mica_app_version_read(mica_text(cases[i][0]), &arena,
                                               &error, &version),
                         MICA_E_CONFIG);
        ck_assert_str_eq(error.path, cases[i][1]);
    }
}
END_TEST

START_TEST(a_client_reads_the_draft_and_the_facts)
{
    struct mica_app_facts facts = {.id = MICA_LITERAL("7f"),
                                   .slug = MICA_LITERAL("my-bot"),
                                   .owner = MICA_LITERAL("o\"x"),
                                   .revision = 2,
                                   .created_at = 1000,
                                   .updated_at = 86400001};
    struct mica_buffer out;
    struct mica_json_writer writer;

    static char sent[1024];

    read_draft("{}");
    mica_buffer_init(&out, &arena, 4096);
    mica_json_writer_init(&writer, &out);
    mica_app_write(&writer, &facts, MICA_LITERAL("{\"name\":\"n\"}"),
                   MICA_LITERAL("http://127.0.0.1/servers/my-bot/mcp"));
    mica_buffer_char(&out, '\0');
    ck_assert_str_eq(
        out.ptr, "{\"id\":\"7f\",\"status\":\"draft\",\"mcpSlug\":\"my-bot\","
                 "\"owner\":\"o\\\"x\",\"name\":\"n\",\"revision\":2,"
                 "\"publishVersion\":0,\"publishedAt\":null,\"createdAt\":"
                 "\"1970-01-01T00:00:01Z\",\"updatedAt\":\"1970-01-02T00:00:00."
                 "001Z\",\"url\":\"http://127.0.0.1/servers/my-bot/mcp\"}");
    // What a client read it can send back, with what stands beside the record, too.
    (void)snprintf(sent, sizeof sent, "%.*s,\"effectiveBudget\":{}}",
                   (int)strlen(out.ptr) - 1, out.ptr);
    read_draft(sent);
    ck_assert_uint_eq(findings.count, 0);
    mica_buffer_init(&out, &arena, 4096);
    mica_json_writer_init(&writer, &out);
    mica_app_write(&writer, &facts, MICA_LITERAL("{}"), MICA_LITERAL("u"));
    mica_buffer_char(&out, '\0');
    ck_assert_ptr_nonnull(strstr(out.ptr, "\"o\\\"x\",\"revision\""));
}
END_TEST

START_TEST(a_prompt_has_a_small_budget_unless_it_says_more)
{
    struct mica_app_budget budget;

    read_draft("{\"behavior\":{\"type\":\"prompt\"},\"budget\":{\"seconds\":5}"
               "}");
    budget = mica_app_budget(&draft);
    ck_assert_int_eq(budget.seconds, 5);
    ck_assert_int_eq(budget.calls_per_day,
                     mica_app_budget_default.calls_per_day);
    ck_assert_int_gt(budget.tokens_per_day, 0);
    ck_assert_int_gt(budget.concurrent, 0);
    read_draft("{\"budget\":{\"seconds\":5}}");
    budget = mica_app_budget(&draft);
    ck_assert_int_eq(budget.seconds, 5);
    ck_assert_int_eq(budget.calls_per_day, 0);
}
END_TEST

// What mica_app_budget_write writes for a draft.
static const char *
budget_of(const char *json)
{
    struct mica_buffer out;
    struct mica_json_writer writer;

    read_draft(json);
    mica_buffer_init(&out, &arena, 4096);
    mica_json_writer_init(&writer, &out);
    mica_json_open_object(&writer);
    mica_app_budget_write(&writer, &draft);
    mica_json_close_object(&writer);
    mica_buffer_char(&out, '\0');
    return out.ptr;
}

START_TEST(the_budget_in_effect_is_told)
{
    ck_assert_str_eq(budget_of("{}"), "{\"effectiveBudget\":{}}");
    ck_assert_str_eq(budget_of("{\"budget\":{\"seconds\":5}}"),
                     "{\"effectiveBudget\":{\"seconds\":5}}");
    ck_assert_str_eq(
        budget_of("{\"behavior\":{\"type\":\"prompt\"}}"),
        "{\"effectiveBudget\":{\"callsPerDay\":200,\"tokensPerDay\":200000,"
        "\"seconds\":60,\"concurrent\":4}}");
    ck_assert_str_eq(
        budget_of("{\"behavior\":{\"type\":\"prompt\"},\"budget\":{"
                  "\"callsPerDay\":9,\"concurrent\":1}}"),
        "{\"effectiveBudget\":{\"callsPerDay\":9,\"tokensPerDay\":200000,"
        "\"seconds\":60,\"concurrent\":1}}");
}
END_TEST

// ---- Random drafts ---------------------------------------------------------------

static uint64_t seed;

static unsigned
draw(unsigned below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % below;
}

static void put_random_value(struct mica_json_writer *writer,
                             const struct mica_app_field *field);

static void
put_random_record(struct mica_json_writer *writer,
                  const struct mica_app_record *record)
{
    static const char *const strays[] = {"id", "nme", "toolname", "x",
                                         "__proto__"};

    mica_json_open_object(writer);
    for (size_t i = 0; i < record->count; i++) {
        if (draw(3) == 0)
            continue;
        // Members of other behaviors than "data" are mostly faults.
        if (record->fields[i].types > 3 && draw(8) != 0)
            continue;
        mica_json_name(writer, record->fields[i].namez);
        put_random_value(writer, &record->fields[i]);
    }
    if (draw(12) == 0) {
        mica_json_name(writer, strays[draw(MICA_COUNT(strays))]);
        mica_json_integer(writer, draw(3));
    }
    mica_json_close_object(writer);
}

static void
put_random_value(struct mica_json_writer *writer,
                 const struct mica_app_field *field)
{
    static const char *const texts[] = {"a",    "a b",  "\u202e", "",
                                        "a\nb", "card", "tool"};
    static const char *const objects[] = {"{}", "[]", "{\"a\":[1,null]}",
                                          "{\"__proto__\":{}}", "null"};

    bool right = draw(20) != 0;

    if (field->kind == MICA_APP_FIELD_RECORD && right)
        put_random_record(writer, field->record);
    else if (field->kind == MICA_APP_FIELD_CHOICE && right)
        mica_json_stringz(writer,
                          field->choices->names[draw(field->choices->count)]);
    else if (field->kind == MICA_APP_FIELD_NUMBER && right)
        mica_json_integer(writer, 1 + draw(600));
    else if (field->kind == MICA_APP_FIELD_OBJECT && right)
        mica_json_raw(writer, MICA_LITERAL("{\"a\":[1,null]}"));
    else if (field->kind == MICA_APP_FIELD_PEOPLE && right)
        mica_json_raw(writer, MICA_LITERAL("[\"a\",\"b c\"]"));
    else if (right)
        mica_json_stringz(writer, "a:b");
    else if (draw(2) == 0)
        mica_json_stringz(writer, texts[draw(MICA_COUNT(texts))]);
    else
        mica_json_raw(writer, mica_text(objects[draw(MICA_COUNT(objects))]));
}

START_TEST(random_drafts_without_findings_read_back_the_same)
{
    struct mica_buffer out;
    struct mica_json_writer writer;
    unsigned clean = 0, faulty = 0;

    for (unsigned round = 0; round < 20000; round++) {
        char room[8192], first[8192];
        seed = round;
        out = (struct mica_buffer){
            .ptr = room, .capacity = sizeof room, .max = sizeof room};
        mica_json_writer_init(&writer, &out);
        put_random_record(&writer, &mica_app_fields);
        mica_buffer_char(&out, '\0');
        ck_assert(!out.overflow);
        read_draft(room);
        if (mica_app_findings_first(&findings, false) != NULL) {
            faulty++;
            continue;
        }
        clean++;
        ck_assert_uint_lt(strlen(written()), sizeof first);
        strcpy(first, written());
        read_draft(first);
        ck_assert_uint_eq(findings.count, 0);
        ck_assert_str_eq(written(), first);
    }
    ck_assert_uint_gt(clean, 200);
    ck_assert_uint_gt(faulty, 1000);
}
END_TEST

UNIT_MAIN("app_record", a_whole_draft_reads_and_writes_the_same,
          what_is_absent_has_a_default, each_behavior_has_its_own_members,
          a_misspelled_member_is_found_with_the_nearest,
          a_wrong_type_is_found_at_its_place, choices_and_numbers_have_bounds,
          texts_have_bounds_and_a_form, hidden_characters_are_refused,
          data_of_an_author_hold_no_proto, limits_are_exact,
          what_is_written_must_fit_too, what_is_no_draft_is_an_error,
          many_findings_are_counted, findings_are_written_and_refuse,
          a_patch_changes_what_it_names, a_version_reads_back,
          a_version_may_be_a_draft_and_its_pin, a_damaged_version_is_refused,
          a_client_reads_the_draft_and_the_facts,
          a_prompt_has_a_small_budget_unless_it_says_more,
          the_budget_in_effect_is_told,
          random_drafts_without_findings_read_back_the_same)

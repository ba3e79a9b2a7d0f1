// SPDX-License-Identifier: Apache-2.0
//
// What a model is asked and what it says; and the roots of a client (MCP:
// CreateMessageRequest.params, CreateMessageResult, ListRootsResult).
#include "test_form.h"

static struct mica_arena arena;

static const char *
params(const struct mica_sampling *sampling, const char *schemaz,
       const char *faultz)
{
    struct mica_buffer buffer;
    struct mica_json_writer writer;
    struct mica_error error = {.status = MICA_OK};
    struct mica_json value;
    enum mica_status status = mica_sampling_check(sampling, &error);
    ck_assert_msg(status == MICA_OK, "%s", error.message);
    mica_buffer_init(&buffer, &arena, 1 << 20);
    mica_json_writer_init(&writer, &buffer);
    mica_sampling_params(sampling, mica_text(schemaz), mica_text(faultz),
                         &writer);
    ck_assert_int_eq(mica_json_read(&arena, mica_buffer_as_text(&buffer), NULL,
                                    &error, &value),
                     MICA_OK);
    mica_buffer_char(&buffer, '\0');
    ck_assert(!buffer.overflow);
    return buffer.ptr;
}

// ---- The question ----------------------------------------------------------

START_TEST(a_prompt_is_a_message_of_the_user)
{
    mica_arena_init(&arena, 1 << 20);
    ck_assert_str_eq(
        params(&(struct mica_sampling){.prompt = MICA_LITERAL("Say \"hi\".")},
               NULL, NULL),
        "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\","
        "\"text\":\"Say \\\"hi\\\".\"}}],\"maxTokens\":1000}");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(all_that_a_sampling_may_say_is_sent)
{
    static const char *const hints[] = {"sonnet", "claude", NULL};
    static const struct mica_said said[] = {
        {MICA_USER, {"Hello.", 6}},
        {MICA_ASSISTANT, {"Yes?", 4}},
        {MICA_USER, {"", 0}},
    };
    mica_arena_init(&arena, 1 << 20);
    ck_assert_str_eq(
        params(&(struct mica_sampling){.messages = said,
                                       .message_count = 3,
                                       .system_prompt = MICA_LITERAL("Short."),
                                       .max_tokens = 64,
                                       .preferences = {hints, 0.25, 0.5, 1}},
               NULL, NULL),
        "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\","
        "\"text\":\"Hello.\"}},{\"role\":\"assistant\",\"content\":{"
        "\"type\":\"text\",\"text\":\"Yes?\"}},{\"role\":\"user\","
        "\"content\":{\"type\":\"text\",\"text\":\"\"}}],"
        "\"systemPrompt\":\"Short.\",\"maxTokens\":64,"
        "\"modelPreferences\":{\"hints\":[{\"name\":\"sonnet\"},"
        "{\"name\":\"claude\"}],\"costPriority\":0.25,\"speedPriority\":0.5,"
        "\"intelligencePriority\":1}}");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(preferences_that_say_nothing_are_not_sent)
{
    static const char *const none[] = {NULL};
    mica_arena_init(&arena, 1 << 20);
    ck_assert_ptr_null(
        strstr(params(&(struct mica_sampling){.prompt = MICA_LITERAL("Hi."),
                                              .preferences = {.hints = none}},
                      NULL, NULL),
               "modelPreferences"));
    ck_assert_ptr_nonnull(
        strstr(params(&(struct mica_sampling){.prompt = MICA_LITERAL("Hi."),
                                              .preferences = {none, 0, 0.1, 0}},
                      NULL, NULL),
               "\"modelPreferences\":{\"speedPriority\":0.1}"));
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(schema_and_fault_go_into_the_system_prompt)
{
    mica_arena_init(&arena, 1 << 20);
    const struct mica_sampling bare = {.prompt = MICA_LITERAL("Hi.")},
                               own = {.prompt = MICA_LITERAL("Hi."),
                                      .system_prompt = MICA_LITERAL("Short.")};
    ck_assert_ptr_nonnull(
        strstr(params(&bare, "{\"type\":\"object\"}", NULL),
               "\"systemPrompt\":\"Answer with one JSON object and nothing "
               "else. It must be valid under this JSON Schema:\\n"
               "{\\\"type\\\":\\\"object\\\"}\""));
    ck_assert_ptr_nonnull(
        strstr(params(&own, "{}", "\"a\" is required"),
               "\"systemPrompt\":\"Short.\\n\\nAnswer with one JSON object "
               "and nothing else. It must be valid under this JSON Schema:\\n"
               "{}\\n\\nYour answer before was refused: \\\"a\\\" is "
               "required\""));
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(texts_that_are_no_utf8_are_mended)
{
    mica_arena_init(&arena, 1 << 20);
    ck_assert_ptr_nonnull(strstr(
        params(&(struct mica_sampling){.prompt = MICA_LITERAL("a\xC3(\xFF")},
               NULL, NULL),
        "\"text\":\"a\xEF\xBF\xBD(\xEF\xBF\xBD\""));
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_sampling_that_cannot_be_sent_is_refused)
{
    static const char *const empty[] = {"", NULL};
    static const struct mica_said said[] = {{MICA_USER, {"Hello.", 6}}},
                                  odd[] = {{(enum mica_role)7, {"a", 1}}};
    const struct {
        struct mica_sampling sampling;
        enum mica_status status;
        const char *wordsz;
    } cases[] = {
        {{.key = "k"}, MICA_E_USAGE, "neither .prompt nor .messages"},
        {{.prompt = MICA_LITERAL("a"), .messages = said, .message_count = 1},
         MICA_E_USAGE,
         ".prompt and .messages"},
        {{.message_count = 1}, MICA_E_USAGE, "no .messages"},
        {{.messages = odd, .message_count = 1}, MICA_E_USAGE, "no role"},
        {{.prompt = MICA_LITERAL("a"), .preferences.cost = 1.01},
         MICA_E_RANGE,
         "the .cost priority of a model must be from 0 to 1, but is 1.01"},
        {{.prompt = MICA_LITERAL("a"), .preferences.speed = -0.5},
         MICA_E_RANGE,
         ".speed"},
        {{.prompt = MICA_LITERAL("a"),
          .preferences.intelligence = __builtin_nan("")},
         MICA_E_RANGE,
         ".intelligence"},
        {{.prompt = MICA_LITERAL("a"), .preferences.hints = empty},
         MICA_E_USAGE,
         "hint"},
    };
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        struct mica_error error = {.status = MICA_OK};
        enum mica_status status =
            mica_sampling_check(&cases[i].sampling, &error);
        ck_assert_msg(status == cases[i].status, "%zu: %s", i, error.message);
        ck_assert_msg(strstr(error.message, cases[i].wordsz) != NULL, "%s",
                      error.message);
    }
}
END_TEST

START_TEST(the_hash_is_of_who_speaks_and_not_of_the_words)
{
    static const struct mica_said said[] = {
        {MICA_USER, {"a", 1}},
        {MICA_ASSISTANT, {"b", 1}},
        {MICA_USER, {"", 0}},
    };
    const struct mica_sampling one = {.prompt = MICA_LITERAL("a")},
                               same = {.messages = said,
                                       .message_count = 1,
                                       .max_tokens = 3},
                               other = {.messages = said + 1,
                                        .message_count = 1},
                               longer = {.messages = said, .message_count = 3};
    ck_assert_uint_eq(mica_sampling_hash(&one), mica_sampling_hash(&same));
    ck_assert_uint_ne(mica_sampling_hash(&one), mica_sampling_hash(&other));
    ck_assert_uint_ne(mica_sampling_hash(&one), mica_sampling_hash(&longer));
}
END_TEST

// ---- The answer ------------------------------------------------------------

static struct mica_json
read_json(const char *jsonz)
{
    struct mica_error error = {.status = MICA_OK};
    struct mica_json value;
    enum mica_status status =
        mica_json_read(&arena, mica_text(jsonz), NULL, &error, &value);
    ck_assert_msg(status == MICA_OK, "%s: %s", jsonz, error.message);
    return value;
}

START_TEST(the_text_is_taken_from_either_form_of_content)
{
    static const struct {
        const char *jsonz, *textz;
    } cases[] = {
        {"{\"role\":\"assistant\",\"model\":\"m\",\"content\":{\"type\":"
         "\"text\",\"text\":\"Hi.\"}}",
         "Hi."},
        {"{\"content\":[{\"type\":\"text\",\"text\":\"Hi \"},{\"type\":"
         "\"image\",\"data\":\"\",\"mimeType\":\"image/png\"},{\"type\":"
         "\"text\",\"text\":\"there.\"}]}",
         "Hi there."},
    };
    mica_arena_init(&arena, 1 << 20);
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        struct mica_error error = {.status = MICA_OK};
        struct mica_json result = read_json(cases[i].jsonz);
        struct mica_text text;
        enum mica_status status =
            mica_sampling_text(&result, &arena, &error, &text);
        ck_assert_msg(status == MICA_OK, "%s", error.message);
        UNIT_TEXT_EQ(text, cases[i].textz);
    }
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_result_without_text_is_refused)
{
    static const struct {
        const char *jsonz, *wordsz;
    } cases[] = {
        {"{}", "must have \"content\""},
        {"[]", "must have \"content\""},
        {"{\"content\":null}", "must have \"content\""},
        {"{\"content\":\"Hi.\"}", "must have \"content\""},
        {"{\"content\":[]}", "without any text"},
        {"{\"content\":{\"type\":\"text\",\"text\":\"\"}}", "without any text"},
        {"{\"content\":{\"type\":\"image\",\"data\":\"\"}}",
         "without any text"},
        {"{\"content\":{\"type\":\"text\",\"text\":1}}", "without a string"},
        {"{\"content\":{\"type\":\"text\"}}", "without a string"},
        {"{\"content\":[{\"text\":\"Hi.\"}]}", "no block"},
        {"{\"content\":[\"Hi.\"]}", "no block"},
    };
    mica_arena_init(&arena, 1 << 20);
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        struct mica_error error = {.status = MICA_OK};
        struct mica_json result = read_json(cases[i].jsonz);
        struct mica_text text;
        ck_assert_int_eq(mica_sampling_text(&result, &arena, &error, &text),
                         MICA_E_TYPE);
        ck_assert_msg(strstr(error.message, cases[i].wordsz) != NULL, "%s: %s",
                      cases[i].jsonz, error.message);
    }
    mica_arena_fini(&arena);
}
END_TEST

struct point {
    double x;
    struct mica_text label;
    bool has_label;
};
MICA_RECORD(point, MICA_NUMBER(x, "Across.", .minimum = 0),
            MICA_TEXT(label, "A name.", MICA_OPTIONAL(point, label)));

static enum mica_status
decode(const char *wordsz, struct point *point, struct mica_error *error)
{
    *error = (struct mica_error){.status = MICA_OK};
    memset(point, 0x55, sizeof *point);
    return mica_sampling_decode(mica_text(wordsz), MICA_INTO(point, point),
                                &arena, error);
}

START_TEST(the_object_is_found_among_a_models_words)
{
    static const char *const answers[] = {
        "{\"x\":1}",
        " \n{ \"x\" : 1 }\n",
        "```json\n{\"x\":1}\n```",
        "Sure! Here it is:\n\n```\n{\"x\": 1,\n \"label\": \"a } b { c\"}\n"
        "```\nAnything else?",
        "A brace { and a quote \" stand before {\"x\":1}.",
        "Fill in {name}: {\"x\":1,\"label\":\"\\\"}\\\\\"}",
        "{{\"x\":1}}",
        "It is {\"x\":1} and not {\"x\":2}.",
        "[{\"x\":1},{\"x\":2}]",
    };
    for (size_t i = 0; i < MICA_COUNT(answers); i++) {
        struct mica_error error;
        struct point point;
        mica_arena_init(&arena, 1 << 20);
        enum mica_status status = decode(answers[i], &point, &error);
        ck_assert_msg(status == MICA_OK, "%s: %s", answers[i], error.message);
        ck_assert(point.x > 0.5 && point.x < 1.5);
        mica_arena_fini(&arena);
    }
}
END_TEST

START_TEST(words_without_a_fitting_object_are_refused_and_leave_zeros)
{
    static const struct {
        const char *wordsz;
        enum mica_status status;
        const char *messagez;
    } cases[] = {
        {"", MICA_E_JSON, "no JSON object"},
        {"I cannot do that.", MICA_E_JSON, "no JSON object"},
        {"{\"x\":1", MICA_E_JSON, "does not end"},
        {"{\"x\":\"}", MICA_E_JSON, "does not end"},
        {"{x:1}", MICA_E_JSON, "can be read: line 1, column 2"},
        {"{'x':1} or {x}", MICA_E_JSON, "can be read: line 1, column 2"},
        {"{\"x\":-1}", MICA_E_RANGE, "\"x\" must be at least 0, but is -1"},
        {"{\"y\":1}", MICA_E_UNKNOWN, "\"y\" is no field"},
        {"{}", MICA_E_REQUIRED, "\"x\" is required"},
        {"}{", MICA_E_JSON, "does not end"},
        {"{\"\\", MICA_E_JSON, "does not end"},
    };
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        static const struct point zeros;
        struct mica_error error;
        struct point point;
        mica_arena_init(&arena, 1 << 20);
        ck_assert_int_eq(decode(cases[i].wordsz, &point, &error),
                         cases[i].status);
        ck_assert_msg(strstr(error.message, cases[i].messagez) != NULL,
                      "%s: %s", cases[i].wordsz, error.message);
        ck_assert_int_eq(memcmp(&point, &zeros, sizeof point), 0);
        mica_arena_fini(&arena);
    }
}
END_TEST

START_TEST(an_answer_made_of_braces_takes_bounded_work)
{
    static char braces[1 << 20];
    struct mica_error error;
    struct point point;
    mica_arena_init(&arena, 64 << 20);
    memset(braces, '{', sizeof braces - 1);
    ck_assert_int_eq(decode(braces, &point, &error), MICA_E_JSON);
    memset(braces + sizeof braces / 2, '}', sizeof braces / 2 - 1);
    ck_assert_int_eq(decode(braces, &point, &error), MICA_E_JSON);
    mica_arena_fini(&arena);
}
END_TEST

// ---- Roots -----------------------------------------------------------------

START_TEST(roots_are_file_uris_with_or_without_a_name)
{
    struct mica_error error = {.status = MICA_OK};
    struct mica_roots roots;
    mica_arena_init(&arena, 1 << 20);
    struct mica_json result =
        read_json("{\"roots\":[{\"uri\":\"file:///srv/a%20b\",\"name\":"
                  "\"Notes\"},{\"uri\":\"FILE:///C:/work\",\"_meta\":{}}],"
                  "\"_meta\":{}}");
    ck_assert_int_eq(mica_roots_read(&result, &arena, &error, &roots), MICA_OK);
    ck_assert_uint_eq(roots.count, 2);
    UNIT_TEXT_EQ(roots.items[0].uri, "file:///srv/a%20b");
    UNIT_TEXT_EQ(roots.items[0].name, "Notes");
    UNIT_TEXT_EQ(roots.items[1].uri, "FILE:///C:/work");
    ck_assert_uint_eq(roots.items[1].name.len, 0);
    result = read_json("{\"roots\":[]}");
    ck_assert_int_eq(mica_roots_read(&result, &arena, &error, &roots), MICA_OK);
    ck_assert_uint_eq(roots.count, 0);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(what_is_no_root_is_refused_by_its_place)
{
    static const struct {
        const char *jsonz;
        enum mica_status status;
        const char *pathz;
    } cases[] = {
        {"{}", MICA_E_TYPE, "/roots"},
        {"[]", MICA_E_TYPE, "/roots"},
        {"{\"roots\":{}}", MICA_E_TYPE, "/roots"},
        {"{\"roots\":[\"file:///a\"]}", MICA_E_TYPE, "/roots/0"},
        {"{\"roots\":[{\"uri\":\"file:///a\"},{}]}", MICA_E_TYPE, "/roots/1"},
        {"{\"roots\":[{\"uri\":1}]}", MICA_E_TYPE, "/roots/0"},
        {"{\"roots\":[{\"uri\":\"file:///a\",\"name\":1}]}", MICA_E_TYPE,
         "/roots/0"},
        {"{\"roots\":[{\"uri\":\"https://example.org\"}]}", MICA_E_FORMAT,
         "/roots/0"},
        {"{\"roots\":[{\"uri\":\"/srv/notes\"}]}", MICA_E_FORMAT, "/roots/0"},
        {"{\"roots\":[{\"uri\":\"file:/\"}]}", MICA_E_FORMAT, "/roots/0"},
        {"{\"roots\":[{\"uri\":\"file:///a b\"}]}", MICA_E_FORMAT, "/roots/0"},
        {"{\"roots\":[{\"uri\":\"\"}]}", MICA_E_FORMAT, "/roots/0"},
    };
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        struct mica_error error = {.status = MICA_OK};
        struct mica_roots roots;
        mica_arena_init(&arena, 1 << 20);
        struct mica_json result = read_json(cases[i].jsonz);
        ck_assert_int_eq(mica_roots_read(&result, &arena, &error, &roots),
                         cases[i].status);
        ck_assert_str_eq(error.path, cases[i].pathz);
        mica_arena_fini(&arena);
    }
}
END_TEST

UNIT_MAIN("sampling", a_prompt_is_a_message_of_the_user,
          all_that_a_sampling_may_say_is_sent,
          preferences_that_say_nothing_are_not_sent,
          schema_and_fault_go_into_the_system_prompt,
          texts_that_are_no_utf8_are_mended,
          a_sampling_that_cannot_be_sent_is_refused,
          the_hash_is_of_who_speaks_and_not_of_the_words,
          the_text_is_taken_from_either_form_of_content,
          a_result_without_text_is_refused,
          the_object_is_found_among_a_models_words,
          words_without_a_fitting_object_are_refused_and_leave_zeros,
          an_answer_made_of_braces_takes_bounded_work,
          roots_are_file_uris_with_or_without_a_name,
          what_is_no_root_is_refused_by_its_place)

// SPDX-License-Identifier: Apache-2.0
//
// The two formats of providers. The answers have the shapes of the published references that
// model_wire.h names: the words are of this test, members and order are theirs.
#include <stdlib.h>
#include <string.h>

#include "model/model_events.h"
#include "model/model_wire.h"
#include "unit.h"

enum {
    ARENA_BYTES = 8 << 20,
    ROOM = 64 << 10
};

static struct mica_arena arena;
static struct mica_model_reading reading;

static void
reading_end(void)
{
    mica_model_reading_fini(&reading);
    mica_arena_fini(&arena);
}

// The reading before is given up; the last one as the test ends.
static void
reading_start(void)
{
    static bool registered;

    if (!registered)
        (void)atexit(reading_end);
    registered = true;
    reading_end();
    mica_arena_init(&arena, ARENA_BYTES);
    mica_model_reading_init(&reading);
}

#define has(trouble_) (reading.trouble == MICA_MODEL_##trouble_)

static bool
is_whole(void)
{
    return reading.extent == MICA_MODEL_WHOLE;
}

static bool
is_stopped(void)
{
    return reading.extent == MICA_MODEL_REASON;
}

struct stream {
    enum mica_model_type type;
};

static void
take(void *user, struct mica_text name, struct mica_text data)
{
    const struct stream *stream = user;

    mica_model_read_event(stream->type, &reading, name, data, &arena);
}

static void
read_stream(enum mica_model_type type, const char *textz)
{
    struct stream stream = {type};
    const struct mica_model_event_taker taker = {take, &stream};
    struct mica_model_events events;

    reading_start();
    mica_model_events_init(&events);
    ck_assert(mica_model_events_feed(&events, mica_text(textz), &taker));
    mica_model_events_fini(&events);
}

static void
read_body(enum mica_model_type type, const char *textz)
{
    reading_start();
    mica_model_read_body(type, &reading, mica_text(textz), &arena);
}

#define WORDS(expected)                                                       \
    ck_assert_msg(                                                            \
        mica_text_is(mica_buffer_as_text(&reading.text), (expected)), "%.*s", \
        (int)reading.text.len, reading.text.len > 0 ? reading.text.ptr : "")

// ---- OpenAI --------------------------------------------------------------------------

// platform.openai.com/docs/api-reference/chat/streaming
#define CHUNK(rest)                                                        \
    "data: {\"id\":\"chatcmpl-123\",\"object\":\"chat.completion.chunk\"," \
    "\"created\":1694268190,\"model\":\"gpt-4o-mini\","                    \
    "\"system_fingerprint\":\"fp_44709d6fcb\",\"choices\":[" rest "]}\n\n"
#define DELTA(delta, finish)                                    \
    CHUNK("{\"index\":0,\"delta\":" delta ",\"logprobs\":null," \
          "\"finish_reason\":" finish "}")

START_TEST(openai_streams_words)
{
    read_stream(
        MICA_MODEL_OPENAI,
        DELTA("{\"role\":\"assistant\",\"content\":\"\"}", "null")
            DELTA("{\"content\":\"Hel\"}", "null")
                DELTA("{\"content\":\"lo \\ud83e\\udde0\"}", "null")
                    DELTA("{}", "\"stop\"")
        // with stream_options.include_usage
        "data: {\"id\":\"chatcmpl-123\",\"choices\":[],\"usage\":{"
        "\"prompt_tokens\":19,\"completion_tokens\":10,\"total_tokens\":29}}"
        "\n\ndata: [DONE]\n\n");
    WORDS("Hello \xF0\x9F\xA7\xA0");
    ck_assert(is_whole() && !reading.cut);
    ck_assert(has(NO_TROUBLE));
    ck_assert_uint_eq(reading.prompt_tokens, 19);
    ck_assert_uint_eq(reading.completion_tokens, 10);
    ck_assert(mica_text_is(mica_buffer_as_text(&reading.model), "gpt-4o-mini"));
}
END_TEST

START_TEST(openai_streams_the_arguments_of_a_tool)
{
    read_stream(
        MICA_MODEL_OPENAI,
        DELTA("{\"role\":\"assistant\",\"content\":\"I think\"}", "null") DELTA(
            "{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"type\":"
            "\"function\",\"function\":{\"name\":\"answer\",\"arguments\":"
            "\"\"}}]}",
            "null")
            DELTA("{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":"
                  "\"{\\\"a\\\"\"}}]}",
                  "null") DELTA("{\"tool_calls\":[{\"index\":0,\"function\":{"
                                "\"arguments\":\":1}\"}}]}",
                                "null")
                DELTA("{\"tool_calls\":[{\"index\":1,\"function\":{"
                      "\"arguments\":\"{}\"}}]}",
                      "null") DELTA("{}", "\"tool_calls\""));
    WORDS("{\"a\":1}");
    ck_assert(reading.by_tool && is_stopped());
}
END_TEST

START_TEST(openai_tells_why_it_stopped)
{
    read_stream(MICA_MODEL_OPENAI, DELTA("{\"content\":\"a\"}", "\"length\""));
    ck_assert(reading.cut && is_stopped());
    read_stream(MICA_MODEL_OPENAI, DELTA("{}", "\"content_filter\""));
    ck_assert(has(REFUSAL));
    read_stream(MICA_MODEL_OPENAI,
                DELTA("{\"refusal\":\"I'm sorry\"}", "\"stop\""));
    ck_assert(has(REFUSAL));
    WORDS("");
}
END_TEST

// platform.openai.com/docs/api-reference/chat/object
START_TEST(openai_answers_at_once)
{
    read_body(MICA_MODEL_OPENAI,
              "{\"id\":\"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT\",\"object\":"
              "\"chat.completion\",\"created\":1741569952,\"model\":"
              "\"gpt-4.1-2025-04-14\",\"choices\":[{\"index\":0,\"message\":{"
              "\"role\":\"assistant\",\"content\":\"Hello!\",\"refusal\":null,"
              "\"annotations\":[]},\"logprobs\":null,\"finish_reason\":"
              "\"stop\"}],\"usage\":{\"prompt_tokens\":19,"
              "\"completion_tokens\":10,\"total_tokens\":29},"
              "\"service_tier\":\"default\"}");
    WORDS("Hello!");
    ck_assert(is_whole() && has(NO_TROUBLE));
    ck_assert_uint_eq(reading.completion_tokens, 10);
    read_body(MICA_MODEL_OPENAI,
              "{\"choices\":[{\"message\":{\"content\":[{\"type\":\"text\","
              "\"text\":\"a\"},{\"type\":\"thinking\",\"text\":\"b\"}]}}]}");
    WORDS("a");
}
END_TEST

// ---- Anthropic -----------------------------------------------------------------------

// platform.claude.com/docs/en/build-with-claude/streaming ("Basic streaming request")
#define START                                                                 \
    "event: message_start\ndata: {\"type\": \"message_start\", \"message\": " \
    "{\"id\": \"msg_1nZdL29xx5MUA1yADyHTEsnR8uuvGzszyY\", \"type\": "         \
    "\"message\", \"role\": \"assistant\", \"content\": [], \"model\": "      \
    "\"claude-opus-4-6\", \"stop_reason\": null, \"stop_sequence\": null, "   \
    "\"usage\": {\"input_tokens\": 25, \"cache_read_input_tokens\": 5, "      \
    "\"output_tokens\": 1}}}\n\n"
#define BLOCK(block)                                                         \
    "event: content_block_start\ndata: {\"type\": \"content_block_start\", " \
    "\"index\": 0, \"content_block\": " block "}\n\nevent: ping\ndata: "     \
    "{\"type\": \"ping\"}\n\n"
#define PIECE(delta)                                                         \
    "event: content_block_delta\ndata: {\"type\": \"content_block_delta\", " \
    "\"index\": 0, \"delta\": " delta "}\n\n"
#define STOP(reason)                                                       \
    "event: content_block_stop\ndata: {\"type\": \"content_block_stop\", " \
    "\"index\": 0}\n\nevent: message_delta\ndata: {\"type\": "             \
    "\"message_delta\", \"delta\": {\"stop_reason\": \"" reason "\", "     \
    "\"stop_sequence\":null}, \"usage\": {\"output_tokens\": 15}}\n\n"     \
    "event: message_stop\ndata: {\"type\": \"message_stop\"}\n\n"
#define WORD "{\"type\": \"text\", \"text\": \"\"}"

START_TEST(anthropic_streams_words)
{
    read_stream(MICA_MODEL_ANTHROPIC,
                START BLOCK(WORD)
                    PIECE("{\"type\": \"text_delta\", \"text\": \"Hello\"}")
                        PIECE("{\"type\": \"text_delta\", \"text\": \"!\"}")
                            STOP("end_turn"));
    WORDS("Hello!");
    ck_assert(is_whole() && !reading.cut);
    ck_assert_uint_eq(reading.prompt_tokens, 30);
    ck_assert_uint_eq(reading.completion_tokens, 15);
    ck_assert(
        mica_text_is(mica_buffer_as_text(&reading.model), "claude-opus-4-6"));
}
END_TEST

// The same page, "Streaming request with tool use" and "… with extended thinking".
START_TEST(anthropic_streams_tools_and_thoughts)
{
    read_stream(
        MICA_MODEL_ANTHROPIC,
        START BLOCK("{\"type\": \"thinking\", \"thinking\": \"\", "
                    "\"signature\": \"\"}")
            PIECE("{\"type\": \"thinking_delta\", \"thinking\": \"hm\"}")
                PIECE("{\"type\": \"signature_delta\", \"signature\": \"x\"}")
                    BLOCK(WORD)
                        PIECE("{\"type\": \"text_delta\", \"text\": \"Okay\"}")
                            BLOCK("{\"type\":\"tool_use\",\"id\":\"toolu_01T\","
                                  "\"name\":\"answer\",\"input\":{}}")
                                PIECE("{\"type\": \"input_json_delta\","
                                      "\"partial_json\": \"\"}")
                                    PIECE("{\"type\": \"input_json_delta\","
                                          "\"partial_json\": \"{\\\"a\\\":\"}")
                                        PIECE("{\"type\": \"input_json_delta\","
                                              "\"partial_json\": \" 1}\"}")
                                            STOP("tool_use"));
    WORDS("{\"a\": 1}");
    ck_assert(reading.by_tool);
    read_stream(MICA_MODEL_ANTHROPIC,
                START BLOCK("{\"type\":\"tool_use\",\"name\":\"answer\","
                            "\"input\":{}}") STOP("tool_use"));
    WORDS("{}");
}
END_TEST

START_TEST(anthropic_tells_why_it_stopped)
{
    read_stream(MICA_MODEL_ANTHROPIC, START BLOCK(WORD) STOP("max_tokens"));
    ck_assert(reading.cut && has(NO_TROUBLE));
    read_stream(MICA_MODEL_ANTHROPIC, START BLOCK(WORD) STOP("refusal"));
    ck_assert(has(REFUSAL));
    read_stream(MICA_MODEL_ANTHROPIC,
                START "event: new_kind\ndata: {\"type\": \"new_kind\"}\n\n");
    ck_assert(!is_stopped() && has(NO_TROUBLE));
}
END_TEST

// platform.claude.com/docs/en/api/messages
START_TEST(anthropic_answers_at_once)
{
    read_body(MICA_MODEL_ANTHROPIC,
              "{\"id\": \"msg_01XFDUDYJgAACzvnptvVoYEL\", \"type\": "
              "\"message\", \"role\": \"assistant\", \"content\": [{\"type\": "
              "\"text\", \"text\": \"Hello!\"}], \"model\": "
              "\"claude-opus-4-6\", \"stop_reason\": \"end_turn\", "
              "\"stop_sequence\": null, \"usage\": {\"input_tokens\": 12, "
              "\"output_tokens\": 6}}");
    WORDS("Hello!");
    ck_assert(is_whole());
    ck_assert_uint_eq(reading.prompt_tokens, 12);
    read_body(MICA_MODEL_ANTHROPIC,
              "{\"content\": [{\"type\": \"text\", \"text\": \"x\"}, "
              "{\"type\": \"tool_use\", \"input\": {\"a\": [1]}}]}");
    WORDS("{\"a\": [1]}");
}
END_TEST

// ---- Errors --------------------------------------------------------------------------

static const char *
fault_of(const char *body)
{
    reading_start();
    mica_model_read_fault(&reading, mica_text(body), &arena);
    ck_assert(has(FAULT));
    return reading.fault;
}

START_TEST(an_error_is_known_by_its_type_alone)
{
    ck_assert_str_eq(fault_of("{\"error\":{\"message\":\"Incorrect API key "
                              "provided: sk-1.\",\"type\":"
                              "\"invalid_request_error\",\"param\":null,"
                              "\"code\":\"invalid_api_key\"}}"),
                     "invalid_api_key");
    ck_assert_str_eq(fault_of("{\"type\":\"error\",\"error\":{\"type\":"
                              "\"not_found_error\",\"message\":\"The …\"},"
                              "\"request_id\":\"req_011CSHoEeqs5C35K2U\"}"),
                     "not_found_error");
    ck_assert_str_eq(fault_of("{\"error\":{\"type\":\"a b\",\"code\":404}}"),
                     "");
    ck_assert_str_eq(fault_of("{\"error\":{\"type\":\"sk-key_4711\"}}"), "");
    ck_assert_str_eq(fault_of("{\"error\":\"model not found\"}"), "");
    ck_assert_str_eq(fault_of("<html>"), "");
    ck_assert_str_eq(fault_of(""), "");
    // 50 letters
    ck_assert_str_eq(fault_of("{\"error\":{\"type\":\"aaaaaaaaaabbbbbbbbbb"
                              "ccccccccccddddddddddeeeeeeeeee\"}}"),
                     "");
}
END_TEST

START_TEST(an_error_may_come_within_a_stream)
{
    read_stream(MICA_MODEL_ANTHROPIC,
                START "event: error\ndata: {\"type\": \"error\", \"error\": "
                      "{\"type\": \"overloaded_error\", \"message\": "
                      "\"Overloaded\"}}\n\n" STOP("end_turn"));
    ck_assert(has(FAULT) && !is_whole());
    ck_assert_str_eq(reading.fault, "overloaded_error");
    read_stream(MICA_MODEL_OPENAI,
                "data: {\"error\":{\"type\":\"server_error\"}}\n\n");
    ck_assert(has(FAULT));
    read_body(MICA_MODEL_OPENAI, "{\"error\":{\"type\":\"server_error\"}}");
    ck_assert(has(FAULT));
}
END_TEST

START_TEST(nonsense_is_known)
{
    static const char *const bodies[] = {"",
                                         "{",
                                         "[]",
                                         "1",
                                         "{}",
                                         "{\"choices\":[]}",
                                         "{\"choices\":{}}",
                                         "{\"choices\":[{}]}",
                                         "\xff",
                                         "{\"content\":\"x\"}"};

    for (size_t i = 0; i < MICA_COUNT(bodies); i++) {
        read_body(MICA_MODEL_OPENAI, bodies[i]);
        ck_assert_msg(has(NONSENSE), "%s", bodies[i]);
        read_body(MICA_MODEL_ANTHROPIC, bodies[i]);
        ck_assert_msg(has(NONSENSE), "%s", bodies[i]);
        WORDS("");
    }
    read_stream(MICA_MODEL_OPENAI, "data: {\n\ndata: [DONE]\n\n");
    ck_assert(has(NONSENSE) && !is_whole());
    // Counts that are no numbers of tokens.
    read_body(MICA_MODEL_OPENAI,
              "{\"choices\":[{\"message\":{}}],\"model\":\"a\\u001b[0m\","
              "\"usage\":{\"prompt_tokens\":-1,\"completion_tokens\":1e99}}");
    ck_assert(reading.prompt_tokens == 0 && reading.completion_tokens == 0);
    ck_assert(reading.model.len == 0);
}
END_TEST

// ---- Asking --------------------------------------------------------------------------

static const char *
schema_written(const char *schemaz)
{
    static char room[ROOM];
    struct mica_json_writer writer;
    struct mica_buffer out;
    struct mica_json schema;

    mica_arena_init(&arena, ARENA_BYTES);
    mica_buffer_init(&out, &arena, ROOM - 1);
    mica_json_writer_init(&writer, &out);
    ck_assert(mica_json_read(&arena, mica_text(schemaz), NULL, NULL, &schema) ==
              MICA_OK);
    mica_model_schema_write(&writer, &schema);
    memcpy(room, out.ptr, out.len);
    room[out.len] = '\0';
    mica_arena_fini(&arena);
    return room;
}

START_TEST(a_schema_is_cut_to_the_subset)
{
    ck_assert_str_eq(
        schema_written("{\"$schema\":\"x\",\"type\":\"object\",\"properties\":{"
                       "\"minLength\":{\"type\":\"string\",\"minLength\":3},"
                       "\"list\":{\"type\":\"array\",\"minItems\":1,"
                       "\"maxItems\":9,\"items\":{\"type\":[\"object\","
                       "\"null\"],\"additionalProperties\":{}}}},\"required\":"
                       "[\"list\"],\"additionalProperties\":true}"),
        "{\"type\":\"object\",\"properties\":{\"minLength\":{\"type\":"
        "\"string\"},\"list\":{\"type\":\"array\",\"minItems\":1,\"items\":{"
        "\"type\":[\"object\",\"null\"],\"additionalProperties\":false}}},"
        "\"required\":[\"list\"],\"additionalProperties\":false}");
    ck_assert_str_eq(
        schema_written("{\"oneOf\":[{\"const\":1,\"minItems\":2},{\"$ref\":"
                       "\"#/$defs/a\"}],\"$defs\":{\"a\":{\"enum\":[2],"
                       "\"pattern\":\"^a\"}}}"),
        "{\"anyOf\":[{\"const\":1},{\"$ref\":\"#/$defs/a\"}],\"$defs\":{"
        "\"a\":{\"enum\":[2]}}}");
}
END_TEST

static bool
is_strict(const char *schemaz)
{
    struct mica_json schema;
    bool strict;

    mica_arena_init(&arena, ARENA_BYTES);
    ck_assert(mica_json_read(&arena, mica_text(schemaz), NULL, NULL, &schema) ==
              MICA_OK);
    strict = mica_model_schema_is_strict(&schema);
    mica_arena_fini(&arena);
    return strict;
}

START_TEST(a_schema_is_strict_if_it_says_all)
{
    ck_assert(is_strict(
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\","
        "\"items\":{\"type\":\"string\"}}},\"required\":[\"a\"],"
        "\"additionalProperties\":false}"));
    ck_assert(!is_strict("{\"type\":\"object\",\"properties\":{\"a\":{"
                         "\"type\":\"string\"}},\"required\":[\"a\"]}"));
    ck_assert(!is_strict("{\"type\":\"object\",\"properties\":{\"a\":{"
                         "\"type\":\"string\"}},\"required\":[],"
                         "\"additionalProperties\":false}"));
    ck_assert(!is_strict("{\"type\":\"object\",\"properties\":{\"a\":{"
                         "\"type\":\"string\",\"minLength\":1}},\"required\":"
                         "[\"a\"],\"additionalProperties\":false}"));
    ck_assert(!is_strict("{}"));
    ck_assert(!is_strict("[]"));
}
END_TEST

// A prompt as the body of a request.
static const char *
prompt_written(enum mica_model_type type, enum mica_model_structure structure,
               const char *schemaz, bool by_openai)
{
    static char room[ROOM];
    static const struct mica_model_message messages[] = {
        {MICA_MODEL_USER, {"a\"\n", 3}},
        {MICA_MODEL_ASSISTANT, {"b", 1}},
        {MICA_MODEL_USER, {"c", 1}}};
    const struct mica_model_prompt prompt = {.model = MICA_LITERAL("m-1"),
                                             .system = MICA_LITERAL("Be."),
                                             .messages = messages,
                                             .count = MICA_COUNT(messages),
                                             .schema = mica_text(schemaz),
                                             .max_tokens = 7,
                                             .structure = structure,
                                             .by_openai = by_openai};
    struct mica_buffer out;
    struct mica_json value;

    mica_arena_init(&arena, ARENA_BYTES);
    mica_buffer_init(&out, &arena, ROOM - 1);
    mica_model_write_prompt(type, &prompt, &arena, &out);
    ck_assert(!out.overflow);
    ck_assert(mica_json_read(&arena, mica_buffer_as_text(&out), NULL, NULL,
                             &value) == MICA_OK);
    memcpy(room, out.ptr, out.len);
    room[out.len] = '\0';
    mica_arena_fini(&arena);
    return room;
}

START_TEST(a_prompt_is_written_in_both_formats)
{
    ck_assert_str_eq(
        prompt_written(MICA_MODEL_OPENAI, MICA_MODEL_BY_SCHEMA, "", true),
        "{\"model\":\"m-1\",\"messages\":[{\"role\":\"system\",\"content\":"
        "\"Be.\"},{\"role\":\"user\",\"content\":\"a\\\"\\n\"},{\"role\":"
        "\"assistant\",\"content\":\"b\"},{\"role\":\"user\",\"content\":"
        "\"c\"}],\"max_completion_tokens\":7}");
    ck_assert_str_eq(
        prompt_written(MICA_MODEL_ANTHROPIC, MICA_MODEL_BY_SCHEMA,
                       "{\"type\":\"object\"}", false),
        "{\"model\":\"m-1\",\"max_tokens\":7,\"system\":\"Be.\",\"messages\":["
        "{\"role\":\"user\",\"content\":\"a\\\"\\n\"},{\"role\":\"assistant\","
        "\"content\":\"b\"},{\"role\":\"user\",\"content\":\"c\"}],"
        "\"output_config\":{\"format\":{\"type\":\"json_schema\",\"schema\":{"
        "\"type\":\"object\",\"additionalProperties\":false}}}}");
    ck_assert(strstr(prompt_written(MICA_MODEL_OPENAI, MICA_MODEL_BY_SCHEMA,
                                    "{\"type\":\"string\"}", false),
                     "\"max_tokens\":7,\"response_format\":{\"type\":"
                     "\"json_schema\",\"json_schema\":{\"name\":\"answer\","
                     "\"schema\":{\"type\":\"string\"},\"strict\":true}}") !=
              NULL);
    ck_assert(strstr(prompt_written(MICA_MODEL_OPENAI, MICA_MODEL_BY_PROMPT,
                                    "{\"a\":1}", false),
                     "and with nothing else:\\n{\\\"a\\\":1}\"") != NULL);
}
END_TEST

START_TEST(a_fence_around_json_is_taken_off)
{
    ck_assert(mica_text_is(
        mica_model_unfenced(MICA_LITERAL("```json\n{\"a\":1}\n```\n")),
        "{\"a\":1}"));
    ck_assert(
        mica_text_is(mica_model_unfenced(MICA_LITERAL(" ```\n1```")), "1"));
    ck_assert(mica_text_is(mica_model_unfenced(MICA_LITERAL("{}")), "{}"));
    ck_assert(
        mica_text_is(mica_model_unfenced(MICA_LITERAL("``````")), "``````"));
    ck_assert(mica_text_is(mica_model_unfenced(MICA_LITERAL("")), ""));
}
END_TEST

// ---- Judging -------------------------------------------------------------------------

static bool
again(long status, bool network, const char *fault)
{
    const struct mica_model_attempt attempt = {status, network, fault};

    return mica_model_worth_retry(&attempt);
}

START_TEST(what_may_pass_is_tried_again)
{
    ck_assert(again(429, false, "") && again(529, false, ""));
    ck_assert(again(500, false, "") && again(503, false, ""));
    ck_assert(again(408, false, "") && again(0, true, ""));
    ck_assert(again(200, false, "overloaded_error"));
    ck_assert(!again(429, false, "insufficient_quota"));
    ck_assert(!again(400, false, "") && !again(401, false, ""));
    ck_assert(!again(307, false, "") && !again(501, false, ""));
    ck_assert(!again(200, false, "invalid_request_error"));
    ck_assert_int_eq(mica_model_retry_ms(2, 0, 0), 500);
    ck_assert_int_eq(mica_model_retry_ms(4, 0, 0), 2000);
    ck_assert_int_eq(mica_model_retry_ms(99, 0, 0), 8000);
    ck_assert_int_eq(mica_model_retry_ms(2, 1700, 5), 1700);
    for (uint64_t seed = 0; seed < 1000; seed++) {
        int64_t wait = mica_model_retry_ms(3, 0, seed * 7919);
        ck_assert(wait > 750 && wait <= 1000);
    }
}
END_TEST

START_TEST(progress_rises_with_words_and_with_time_and_stays_below_its_end)
{
    unsigned progress = 0, before;

    // Half a short answer's tokens, or a while without any: half of the way.
    ck_assert_uint_eq(mica_model_rise(0, 800, 0, 0), MICA_MODEL_ALL / 2);
    ck_assert_uint_eq(mica_model_rise(0, 0, 200, 0), MICA_MODEL_ALL / 2);
    ck_assert_uint_eq(mica_model_rise(0, 0, 0, 20000), MICA_MODEL_ALL / 2);
    ck_assert_uint_eq(mica_model_rise(0, 0, 0, -5), 1);
    // It never falls, nor stands: another attempt begins with nothing.
    ck_assert_uint_eq(mica_model_rise(700000, 4, 0, 10), 700001);
    ck_assert_uint_eq(mica_model_rise(0, SIZE_MAX, UINT64_MAX, INT64_MAX),
                      MICA_MODEL_ALL - 1);
    ck_assert_uint_eq(mica_model_rise(MICA_MODEL_ALL - 1, 0, 0, 0),
                      MICA_MODEL_ALL - 1);
    for (int64_t s = 1; s <= MICA_MODEL_MOST_SECONDS; s++) {
        before = progress;
        progress = mica_model_rise(before, 0, 0, s * 1000);
        ck_assert(progress > before && progress < MICA_MODEL_ALL);
    }
}
END_TEST

START_TEST(a_reason_has_no_key)
{
    const struct mica_text name = MICA_LITERAL("one");
    struct mica_model_attempt attempt = {401, false, "invalid_api_key"};
    char out[256];

    mica_model_explain(&attempt, name, MICA_LITERAL("sk-4711-abcd"), out,
                       sizeof out);
    ck_assert_str_eq(out, "the provider one does not accept the key (HTTP 401, "
                          "invalid_api_key)");
    // A provider that repeats a key, or a part of it, as the type of its error.
    attempt.fault = "my_key";
    mica_model_explain(&attempt, name, MICA_LITERAL("my_key_is_long"), out,
                       sizeof out);
    ck_assert(strstr(out, "my_key") == NULL);
    attempt.fault = "bad_my_key_is_long";
    mica_model_explain(&attempt, name, MICA_LITERAL("my_key_is_long"), out,
                       sizeof out);
    ck_assert(strstr(out, "my_key") == NULL);
    attempt = (struct mica_model_attempt){307, false, ""};
    mica_model_explain(&attempt, name, MICA_LITERAL(""), out, 40);
    ck_assert_uint_eq(strlen(out), 39);
}
END_TEST

UNIT_MAIN("model_wire", openai_streams_words,
          openai_streams_the_arguments_of_a_tool, openai_tells_why_it_stopped,
          openai_answers_at_once, anthropic_streams_words,
          anthropic_streams_tools_and_thoughts, anthropic_tells_why_it_stopped,
          anthropic_answers_at_once, an_error_is_known_by_its_type_alone,
          an_error_may_come_within_a_stream, nonsense_is_known,
          a_schema_is_cut_to_the_subset, a_schema_is_strict_if_it_says_all,
          a_prompt_is_written_in_both_formats, a_fence_around_json_is_taken_off,
          what_may_pass_is_tried_again,
          progress_rises_with_words_and_with_time_and_stays_below_its_end,
          a_reason_has_no_key)

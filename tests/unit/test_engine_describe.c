// SPDX-License-Identifier: Apache-2.0
//
// The manifest of an engine, and the tables that must not get one.
#include <string.h>

#include "engine/run.h"
#include "unit.h"

struct input {
    double a, b;
};
MICA_RECORD(input, MICA_NUMBER(a, "One."),
            MICA_NUMBER(b, "Two.", .minimum = 0));
struct output {
    double sum;
    struct mica_text note;
};
MICA_RECORD(output, MICA_NUMBER(sum, "a + b."), MICA_TEXT(note, "Remark."));

static enum mica_status
add(struct mica_call *call, const struct input *in, struct output *out)
{
    (void)call;
    out->sum = in->a + in->b;
    return MICA_OK;
}

MICA_ENGINE(add_two, input, output, add, .title = "Add",
            .description = "Adds \"two\".", .category = "math", .time_ms = 20,
            .memory_bytes = 1 << 20, .output_bytes = 500,
            .examples = MICA_EXAMPLES({"whole", MICA_JSON({"a": 1, "b": 2}),
                                       MICA_JSON({"sum": 3, "note": ""})},
                                      {"part", MICA_JSON({"a": 0, "b": 0}),
                                       MICA_JSON({"sum": 0})},
                                      {"refused", MICA_JSON({"a": 0, "b": -1}),
                                       .error = "OUT_OF_RANGE"}));

static struct mica_arena arena;
static struct mica_error error;

static enum mica_status
describe(const struct mica_engine *engine, const char **manifest)
{
    struct mica_buffer buffer;
    struct mica_json_writer writer;
    mica_arena_fini(&arena);
    mica_arena_init(&arena, 1 << 20);
    mica_buffer_init(&buffer, &arena, 1 << 20);
    mica_json_writer_init(&writer, &buffer);
    memset(&error, 0, sizeof error);
    enum mica_status status =
        mica_engine_describe(engine, &arena, &error, &writer);
    mica_buffer_char(&buffer, '\0');
    *manifest = buffer.ptr;
    return status;
}

START_TEST(the_manifest_says_everything_in_order)
{
    const char *manifest;
    ck_assert_msg(describe(&mica_engine_add_two, &manifest) == MICA_OK, "%s",
                  error.message);
    ck_assert_str_eq(
        manifest,
        "{\"slug\":\"add-two\",\"title\":\"Add\","
        "\"description\":\"Adds \\\"two\\\".\",\"category\":\"math\","
        "\"limits\":{\"time_ms\":20,\"memory_bytes\":1048576,"
        "\"output_bytes\":500},"
        "\"inputSchema\":{"
        "\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
        "\"type\":\"object\",\"properties\":{"
        "\"a\":{\"description\":\"One.\",\"type\":\"number\"},"
        "\"b\":{\"description\":\"Two.\",\"type\":\"number\","
        "\"minimum\":0}},\"required\":[\"a\",\"b\"],"
        "\"additionalProperties\":false,"
        "\"examples\":[{\"a\":1,\"b\":2},{\"a\":0,\"b\":0}]},"
        "\"outputSchema\":{"
        "\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
        "\"type\":\"object\",\"properties\":{"
        "\"sum\":{\"description\":\"a + b.\",\"type\":\"number\"},"
        "\"note\":{\"description\":\"Remark.\",\"type\":\"string\"}},"
        "\"required\":[\"sum\",\"note\"],\"additionalProperties\":false,"
        "\"examples\":[{\"sum\":3,\"note\":\"\"}]},"
        "\"examples\":["
        "{\"title\":\"whole\",\"input\":{\"a\":1,\"b\":2},"
        "\"output\":{\"sum\":3,\"note\":\"\"}},"
        "{\"title\":\"part\",\"input\":{\"a\":0,\"b\":0},"
        "\"output\":{\"sum\":0}},"
        "{\"title\":\"refused\",\"input\":{\"a\":0,\"b\":-1},"
        "\"error\":\"OUT_OF_RANGE\"}]}");
    struct mica_json value;
    ck_assert_int_eq(
        mica_json_read(&arena, mica_text(manifest), NULL, &error, &value),
        MICA_OK);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(limits_have_their_defaults)
{
    const char *manifest;
    struct mica_engine engine = mica_engine_add_two;
    engine.time_ms = engine.memory_bytes = engine.output_bytes = 0;
    engine.example_count = 0;
    ck_assert_int_eq(describe(&engine, &manifest), MICA_OK);
    ck_assert_ptr_nonnull(strstr(manifest, "{\"time_ms\":250,"
                                           "\"memory_bytes\":16777216,"
                                           "\"output_bytes\":1048576}"));
    ck_assert_ptr_nonnull(strstr(manifest, ",\"examples\":[]}"));
    ck_assert_ptr_null(strstr(manifest, "false,\"examples\""));
    mica_arena_fini(&arena);
}
END_TEST

static void
check_refused(const struct mica_engine *engine, const char *messagez)
{
    const char *manifest;
    ck_assert_int_eq(describe(engine, &manifest), MICA_E_USAGE);
    ck_assert_str_eq(error.message, messagez);
    ck_assert_uint_eq(strlen(manifest), 0);
    mica_arena_fini(&arena);
}

START_TEST(an_engine_without_its_texts_is_refused)
{
    struct mica_engine engine = mica_engine_add_two;
    engine.title = NULL;
    check_refused(&engine, "the engine add_two has no .title");
    engine = mica_engine_add_two;
    engine.description = "";
    check_refused(&engine, "the engine add_two has no .description");
    engine = mica_engine_add_two;
    engine.category = NULL;
    check_refused(&engine, "the engine add_two has no .category");
    engine.category = "caf\xE9";
    check_refused(
        &engine, "the engine add_two has a text that is not UTF-8, behind "
                 "ription\":\"Adds \\\"two\\\".\",\"category\":\"caf; save the "
                 "source as UTF-8");
    engine = mica_engine_add_two;
    engine.memory_bytes = (64 << 20) + 1;
    check_refused(&engine, "the engine add_two asks for more than 64 MiB of "
                           ".memory_bytes");
    engine = mica_engine_add_two;
    engine.abi = 0;
    check_refused(&engine, "the engine add_two was compiled for another "
                           "version of mica/engine.h");
}
END_TEST

START_TEST(a_wrong_record_is_refused_by_its_side)
{
    struct mica_engine engine = mica_engine_add_two;
    struct mica_field fields[2];
    memcpy(fields, mica_record_input.fields, sizeof fields);
    fields[1].unit = "euro";
    struct mica_record record = {"input", sizeof(struct input), fields, 2,
                                 sizeof *fields};
    engine.input = &record;
    check_refused(&engine, "input: \"b\" sets .unit = \"euro\", but there is "
                           "no field of that name beside it");
    engine = mica_engine_add_two;
    memcpy(fields, mica_record_output.fields, sizeof fields);
    fields[0].fallback = "no";
    record.size = sizeof(struct output);
    engine.output = &record;
    const char *manifest;
    ck_assert_int_eq(describe(&engine, &manifest), MICA_E_USAGE);
    ck_assert_ptr_nonnull(strstr(error.message, "output: \"sum\" has a "
                                                ".fallback that it refuses"));
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_wrong_example_is_refused_by_its_title)
{
    static const struct {
        struct mica_example example;
        const char *messagez;
    } cases[] = {
        {{"t", "{\"a\":1,\"b\":1}", NULL, NULL},
         "example 0 (\"t\"): it needs either an output or an error"},
        {{"t", "{\"a\":1,\"b\":1}", "{}", "E"},
         "example 0 (\"t\"): it needs either an output or an error"},
        {{"", "{\"a\":1,\"b\":1}", "{}", NULL},
         "example 0 (\"\"): it has no title"},
        {{NULL, "{\"a\":1,\"b\":1}", "{}", NULL},
         "example 0 (\"\"): it has no title"},
        {{"t", NULL, "{}", NULL}, "example 0 (\"t\"): it has no input"},
        {{"t", "{\"a\":1}", "{}", NULL},
         "example 0 (\"t\"), input: \"b\" is required; pass a number: Two."},
        {{"t", "{\"a\":1,\"b\":-1}", "{}", NULL},
         "example 0 (\"t\"), input: \"b\" must be at least 0, but is -1"},
        {{"t", "{\"a\":1,\"b\":1}", "{\"sun\":1}", NULL},
         "example 0 (\"t\"), output: \"sun\" is no field of this object; did "
         "you mean \"sum\"?"},
        {{"t", "{\"a\":1,\"b\":1}", "{\"note\":1}", NULL},
         "example 0 (\"t\"), output: \"note\" must be a string, but is the "
         "number 1; write \"1\" with quotes"},
        {{"t", "{\"a\":1,\"b\":1}", NULL, "not stable"},
         "example 0 (\"t\"), error: a code is made of A-Z, 0-9 and _"},
        {{"t", "{\"a\":1,\"b\":1}", NULL, "1A"},
         "example 0 (\"t\"), error: a code is made of A-Z, 0-9 and _"},
    };
    const char *manifest;
    struct mica_engine engine = mica_engine_add_two;
    engine.example_count = 1;
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        engine.examples = &cases[i].example;
        check_refused(&engine, cases[i].messagez);
    }
    // What is no JSON is refused even where an error is expected.
    struct mica_example broken = {"t", "{\"a\":1,}", NULL, "INVALID"};
    engine.examples = &broken;
    ck_assert_int_eq(describe(&engine, &manifest), MICA_E_USAGE);
    ck_assert_ptr_nonnull(strstr(error.message, "line 1, column 8"));
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_manifest_that_does_not_fit_is_a_limit)
{
    for (size_t cap = 0; cap < 9000; cap += 250) {
        struct mica_buffer buffer;
        struct mica_json_writer writer;
        mica_arena_init(&arena, cap);
        mica_buffer_init(&buffer, &arena, 1 << 20);
        mica_json_writer_init(&writer, &buffer);
        enum mica_status status =
            mica_engine_describe(&mica_engine_add_two, &arena, &error, &writer);
        ck_assert(status != MICA_OK || !buffer.overflow);
        ck_assert(status == MICA_OK || arena.overflow);
        mica_arena_fini(&arena);
    }
}
END_TEST

UNIT_MAIN("engine_describe", the_manifest_says_everything_in_order,
          limits_have_their_defaults, an_engine_without_its_texts_is_refused,
          a_wrong_record_is_refused_by_its_side,
          a_wrong_example_is_refused_by_its_title,
          a_manifest_that_does_not_fit_is_a_limit)

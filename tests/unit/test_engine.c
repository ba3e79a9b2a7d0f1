// SPDX-License-Identifier: Apache-2.0
//
// One run of a handler on JSON text: the answer, and every way it can fail.
#include <math.h>
#include <string.h>

#include <mica/server.h>

#include "engine/run.h"
#include "unit.h"

static struct mica_arena arena;
static struct mica_call call;

// What the handler shall do.
enum act {
    ADD,
    ANSWER_NAN,
    ANSWER_LONG,
    REFUSE,
    REFUSE_SILENTLY,
    REFUSE_AND_CONTINUE,
    RETURN_OTHER,
    TAKE_ALL_MEMORY,
    FILL_BUILDER,
    ANSWER_BAD_TEXT,
    ANSWER_TOO_MANY
};
MICA_CHOICES(
    act, [ADD] = "add", [ANSWER_NAN] = "nan", [ANSWER_LONG] = "long",
    [REFUSE] = "refuse", [REFUSE_SILENTLY] = "refuse silently",
    [REFUSE_AND_CONTINUE] = "refuse and continue",
    [RETURN_OTHER] = "return other", [TAKE_ALL_MEMORY] = "take all memory",
    [FILL_BUILDER] = "fill builder", [ANSWER_BAD_TEXT] = "bad text",
    [ANSWER_TOO_MANY] = "too many");
struct input {
    enum act act;
    double a, b;
};
MICA_RECORD(input, MICA_CHOICE(act, act, "What to do.", .fallback = "\"add\""),
            MICA_NUMBER(a, "One.", .fallback = "0"),
            MICA_NUMBER(b, "Two.", .fallback = "-0"));
struct output {
    double sum;
    struct mica_text note;
    struct {
        size_t count;
        const double *items;
    } parts;
};
MICA_RECORD(output, MICA_NUMBER(sum, "a + b.", .maximum = 1000),
            MICA_TEXT(note, "A remark."),
            MICA_LIST(parts, number, "Terms.", .max_items = 2));

static enum mica_status
act(struct mica_call *c, const struct input *in, struct output *out)
{
    static const double three[3] = {1, 2, 3};
    struct mica_buffer builder = mica_builder(c);
    out->sum = in->a + in->b;
    switch (in->act) {
    case ADD:
        return MICA_OK;
    case ANSWER_NAN:
        out->sum = (double)NAN;
        return MICA_OK;
    case ANSWER_LONG:
        out->note = mica_format(c, "%05000d", 1);
        return MICA_OK;
    case REFUSE:
        return mica_fail(c, "TOO_COLD", "a", "it is %s", mica_number(c, in->a));
    case REFUSE_SILENTLY:
        return MICA_FAILED;
    case REFUSE_AND_CONTINUE:
        (void)mica_fail(c, "IGNORED", "", "hm");
        return MICA_OK;
    case RETURN_OTHER:
        return MICA_E_IO;
    case TAKE_ALL_MEMORY:
        for (;;)
            (void)mica_alloc(c, 1000);
    case FILL_BUILDER:
        while (!builder.overflow)
            mica_buffer_format(&builder, "more and more");
        return MICA_OK;
    case ANSWER_BAD_TEXT:
        out->note = MICA_LITERAL("\xFF");
        return MICA_OK;
    case ANSWER_TOO_MANY:
        out->parts.count = 3;
        out->parts.items = three;
        return MICA_OK;
    }
    MICA_UNREACHABLE;
}

MICA_ENGINE(acting, input, output, act, .title = "Act",
            .description = "Acts as it is told.", .category = "test");

static enum mica_status
run(const char *argumentsz)
{
    mica_arena_fini(&arena);
    mica_arena_init(&arena, 1 << 16);
    mica_call_init(&call, &arena);
    call.output_bytes = 1000;
    mica_handler_run(&call, mica_engine_acting.input, mica_engine_acting.output,
                     mica_engine_acting.handler, mica_text(argumentsz));
    return call.result.status;
}

static void
check_failure(const char *argumentsz, enum mica_status status,
              const char *errorz)
{
    ck_assert_int_eq(run(argumentsz), status);
    UNIT_TEXT_EQ(call.result.error, errorz);
    ck_assert_uint_eq(call.result.structured.len, 0);
    ck_assert_ptr_null(call.unwind);
}

START_TEST(an_answer_is_the_output_as_json)
{
    ck_assert_int_eq(run("{\"a\":0.1,\"b\":0.2}"), MICA_OK);
    UNIT_TEXT_EQ(call.result.structured,
                 "{\"sum\":0.30000000000000004,\"note\":\"\",\"parts\":[]}");
    ck_assert_uint_eq(call.result.error.len, 0);
    ck_assert_int_eq(run("{\"a\":-0.0}"), MICA_OK);
    UNIT_TEXT_EQ(call.result.structured,
                 "{\"sum\":0,\"note\":\"\",\"parts\":[]}");
}
END_TEST

START_TEST(arguments_that_are_wrong_never_reach_the_handler)
{
    check_failure("{\"a\":true}", MICA_E_TYPE,
                  "{\"code\":\"WRONG_TYPE\",\"message\":\"\\\"a\\\" must be a "
                  "number, but is true\",\"path\":\"/a\"}");
    ck_assert_int_eq(run("{\"a\":1,\"a\":2}"), MICA_E_DUPLICATE);
    ck_assert_int_eq(run("{"), MICA_E_JSON);
    ck_assert_int_eq(run(""), MICA_E_JSON);
    ck_assert_int_eq(run("null"), MICA_E_TYPE);
}
END_TEST

START_TEST(a_handler_refuses_in_its_own_words)
{
    check_failure("{\"act\":\"refuse\",\"a\":-3}", MICA_FAILED,
                  "{\"code\":\"TOO_COLD\",\"message\":\"it is -3\","
                  "\"path\":\"/a\"}");
}
END_TEST

START_TEST(an_output_that_breaks_its_schema_is_the_engines_fault)
{
    check_failure("{\"act\":\"nan\"}", MICA_E_EXECUTION,
                  "{\"code\":\"EXECUTION_ERROR\",\"message\":\"the result "
                  "breaks its own schema (OUT_OF_RANGE): \\\"sum\\\" must be a "
                  "finite number, but is not a number (NaN)\","
                  "\"path\":\"/sum\"}");
    check_failure("{\"a\":1e308,\"b\":1e308}", MICA_E_EXECUTION,
                  "{\"code\":\"EXECUTION_ERROR\",\"message\":\"the result "
                  "breaks its own schema (OUT_OF_RANGE): \\\"sum\\\" must be a "
                  "finite number, but is Infinity\",\"path\":\"/sum\"}");
    check_failure("{\"a\":1001}", MICA_E_EXECUTION,
                  "{\"code\":\"EXECUTION_ERROR\",\"message\":\"the result "
                  "breaks its own schema (OUT_OF_RANGE): \\\"sum\\\" must be "
                  "at most 1000, but is 1001\",\"path\":\"/sum\"}");
    check_failure("{\"act\":\"bad text\"}", MICA_E_EXECUTION,
                  "{\"code\":\"EXECUTION_ERROR\",\"message\":\"the result "
                  "breaks its own schema (BAD_FORMAT): \\\"note\\\" must be "
                  "UTF-8, but its byte 0 (0xff) is not\",\"path\":\"/note\"}");
    check_failure("{\"act\":\"too many\"}", MICA_E_EXECUTION,
                  "{\"code\":\"EXECUTION_ERROR\",\"message\":\"the result "
                  "breaks its own schema (OUT_OF_RANGE): \\\"parts\\\" must "
                  "have at most 2 items, but has 3\",\"path\":\"/parts\"}");
}
END_TEST

START_TEST(a_handler_that_breaks_its_contract_is_told_how_to_keep_it)
{
    ck_assert_int_eq(run("{\"act\":\"refuse silently\"}"), MICA_E_EXECUTION);
    ck_assert_ptr_nonnull(strstr(call.error.message, "without saying why"));
    ck_assert_int_eq(run("{\"act\":\"refuse and continue\"}"),
                     MICA_E_EXECUTION);
    ck_assert_ptr_nonnull(strstr(call.error.message, "IGNORED"));
    ck_assert_int_eq(run("{\"act\":\"return other\"}"), MICA_E_EXECUTION);
    ck_assert_ptr_nonnull(strstr(call.error.message, "IO_ERROR"));
}
END_TEST

START_TEST(limits_end_the_call)
{
    ck_assert_int_eq(run("{\"act\":\"take all memory\"}"), MICA_E_LIMIT);
    ck_assert_int_eq(run("{\"act\":\"fill builder\"}"), MICA_E_LIMIT);
    check_failure("{\"act\":\"long\"}", MICA_E_LIMIT,
                  "{\"code\":\"LIMIT_EXCEEDED\",\"message\":\"the result is "
                  "larger than its limit of 1000 bytes; ask for less\","
                  "\"path\":\"\"}");
    ck_assert_int_eq(run("{}"), MICA_OK);
}
END_TEST

// With every amount of memory a call ends in one of two ways.
START_TEST(any_memory_limit_gives_the_answer_or_the_limit)
{
    size_t answered = 0, limited = 0;
    for (size_t cap = 0; cap < 12000; cap += 50) {
        mica_arena_init(&arena, cap);
        mica_call_init(&call, &arena);
        mica_handler_run(&call, mica_engine_acting.input,
                         mica_engine_acting.output, mica_engine_acting.handler,
                         MICA_LITERAL("{\"a\":1,\"b\":2,\"act\":\"add\"}"));
        answered += call.result.status == MICA_OK;
        limited += call.result.status == MICA_E_LIMIT;
        mica_arena_fini(&arena);
    }
    ck_assert_uint_eq(answered + limited, 240);
    ck_assert_uint_gt(answered, 100);
    ck_assert_uint_gt(limited, 4);
}
END_TEST

static enum mica_status
say(struct mica_call *c, const void *in, void *out)
{
    const struct input *input = in;
    ck_assert_ptr_null(out);
    mica_add_text(c, mica_format(c, "%s", mica_number(c, input->a)), NULL);
    return MICA_OK;
}

START_TEST(a_tool_without_output_answers_with_its_content_alone)
{
    mica_arena_init(&arena, 1 << 16);
    mica_call_init(&call, &arena);
    mica_handler_run(&call, &mica_record_input, NULL, say,
                     MICA_LITERAL("{\"a\":7}"));
    ck_assert_int_eq(call.result.status, MICA_OK);
    ck_assert_uint_eq(call.result.structured.len, 0);
    UNIT_TEXT_EQ(call.result.content->data, "7");
    mica_arena_fini(&arena);
}
END_TEST

static void
parse(const char *argumentsz)
{
    mica_arena_fini(&arena);
    mica_arena_init(&arena, 1 << 16);
    mica_call_init(&call, &arena);
    mica_handler_parse(&call, &mica_record_input, mica_text(argumentsz));
}

START_TEST(parsing_gives_the_input_as_the_handler_sees_it)
{
    parse("{\"b\":1, \"a\":1e2}");
    ck_assert_int_eq(call.result.status, MICA_OK);
    UNIT_TEXT_EQ(call.result.structured, "{\"act\":\"add\",\"a\":100,\"b\":1}");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(parsing_refuses_what_a_call_refuses)
{
    static const char *const wrong[] = {"", "[]", "{\"a\":\"1\"}",
                                        "{\"act\":\"sing\"}", "{\"c\":1}"};
    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        char refused[2048];
        enum mica_status status = run(wrong[i]);
        ck_assert_uint_lt(call.result.error.len, sizeof refused);
        memcpy(refused, call.result.error.ptr, call.result.error.len);
        refused[call.result.error.len] = '\0';
        parse(wrong[i]);
        ck_assert_int_eq(call.result.status, status);
        UNIT_TEXT_EQ(call.result.error, refused);
    }
    mica_arena_fini(&arena);
}
END_TEST

UNIT_MAIN("engine", an_answer_is_the_output_as_json,
          arguments_that_are_wrong_never_reach_the_handler,
          a_handler_refuses_in_its_own_words,
          an_output_that_breaks_its_schema_is_the_engines_fault,
          a_handler_that_breaks_its_contract_is_told_how_to_keep_it,
          limits_end_the_call, any_memory_limit_gives_the_answer_or_the_limit,
          a_tool_without_output_answers_with_its_content_alone,
          parsing_gives_the_input_as_the_handler_sees_it,
          parsing_refuses_what_a_call_refuses)

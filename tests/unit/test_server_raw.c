// SPDX-License-Identifier: Apache-2.0
//
// Tools on raw JSON: their schemas are compiled when they are offered, and what
// goes in and comes out is checked against them.
#include "test_server.h"

static const char *to_write; // by the tool, as its result
static int runs;

static enum mica_status
write_it(struct mica_call *call, const struct mica_json *in,
         struct mica_json_writer *out)
{
    (void)call;
    (void)in;
    runs++;
    mica_json_raw(out, mica_text(to_write));
    return MICA_OK;
}

static enum mica_status
add_raw(const char *input, const char *output, struct mica_error *error)
{
    struct mica_tool tool = {.name = "raw",
                             .description = "A tool for the tests.",
                             .input_schema = quoted("%s", input),
                             .output_schema =
                                 output != NULL ? quoted("%s", output) : NULL,
                             .json_handler = write_it};

    return mica_server_add_tool(harness.server, &tool, NULL, error);
}

static void
must_add(const char *input, const char *output)
{
    struct mica_error error;

    ck_assert_msg(add_raw(input, output, &error) == MICA_OK, "%s",
                  error.message);
    runs = 0;
    to_write = "{}";
}

static void
call_raw(const char *arguments)
{
    line(quoted("{" V2 ",'id':1,'method':'tools/call','params':{" META
                ",'name':'raw','arguments':%s}}",
                arguments));
}

// ---- Offering --------------------------------------------------------------------

// [TOOL-DIALECT]
START_TEST(a_schema_that_is_none_is_refused_with_its_place)
{
    static const struct {
        const char *input, *output, *says;
    } cases[] = {
        {"{'type':'object','properties':{'a':{'type':'text'}}}", NULL,
         "input schema"},
        {"{'type':'object','properties':{'a':{'pattern':'('}}}", NULL,
         "input schema"},
        {"{'type':'object','properties':{'a':{'$ref':'https://example.org/x'}}}",
         NULL, "https://example.org/x"},
        {"{'$schema':'http://json-schema.org/draft-04/schema#',"
         "'type':'object'}",
         NULL, "draft-04"},
        {"{'type':'object'}", "{'minimum':'x'}", "output schema"},
        {"{'type':'array'}", NULL, "\"type\": \"object\""},
        {"{'type':'object',}", NULL, "not JSON"},
    };

    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        struct mica_error error;
        ck_assert_int_eq(add_raw(cases[i].input, cases[i].output, &error),
                         MICA_E_USAGE);
        ck_assert_msg(strstr(error.message, cases[i].says) != NULL, "%s: %s",
                      cases[i].input, error.message);
        ck_assert_ptr_nonnull(strstr(error.message, "tool 'raw'"));
    }
}
END_TEST

// [TOOL-SCHEMA]
START_TEST(a_schema_is_listed_as_it_was_written)
{
    static const char schema[] =
        "{'$schema':'https://json-schema.org/draft/2020-12/schema','type':"
        "'object','$defs':{'a':{'$anchor':'b','type':'string'}},'properties':"
        "{'c':{'$ref':'#b'},'d':true},'if':{'required':['c']},'then':{},"
        "'x-own':[1.50,1e2],'additionalProperties':false}";

    must_add(schema, NULL);
    line(quoted("{" V2 ",'id':1,'method':'tools/list','params':{" META "}}"));
    ck_at("/result/tools/8/inputSchema", schema);
}
END_TEST

START_TEST(an_output_schema_that_is_no_object_is_for_the_newest_only)
{
    must_add("{'type':'object'}", "{'type':'array','items':{'type':'number'}}");
    line(quoted("{" V2 ",'id':1,'method':'tools/list','params':{" META "}}"));
    ck_at("/result/tools/8/outputSchema/type", "'array'");
    shake_hands("2025-11-25");
    line(quoted("{" V2 ",'id':1,'method':'tools/list'}"));
    ck_at("/result/tools/8/name", "'raw'");
    ck_at("/result/tools/8/outputSchema", "(absent)");
}
END_TEST

// ---- Calling ---------------------------------------------------------------------

// [TOOL-VALIDATE]
START_TEST(arguments_that_do_not_fit_never_reach_the_handler)
{
    must_add("{'type':'object','properties':{'unit':{'enum':['C','F']},"
             "'days':{'type':'integer','minimum':1,'maximum':7}},"
             "'required':['unit'],'additionalProperties':false}",
             NULL);
    call_raw("{'unit':'C','days':7}");
    ck_at("/result/isError", "(absent)");
    ck_assert_int_eq(runs, 1);
    call_raw("{'unit':'C','days':8}");
    ck_at("/result/isError", "true");
    ck_at("/result/_meta/mica~1error/code", "'OUT_OF_RANGE'");
    ck_at("/result/_meta/mica~1error/path", "'/days'");
    call_raw("{'unit':'K'}");
    ck_at("/result/_meta/mica~1error/code", "'NOT_A_CHOICE'");
    call_raw("{}");
    ck_at("/result/_meta/mica~1error/code", "'MISSING_FIELD'");
    call_raw("{'unit':'C','dayz':1}");
    ck_at("/result/_meta/mica~1error/code", "'UNKNOWN_FIELD'");
    ck_says("/result/content/0/text", "days");
    ck_assert_int_eq(runs, 1);
}
END_TEST

START_TEST(all_that_is_wrong_is_told_at_once)
{
    must_add("{'type':'object','properties':{'a':{'type':'string'},"
             "'b':{'type':'boolean'}}}",
             NULL);
    call_raw("{'a':1,'b':2}");
    ck_says("/result/content/0/text", "string");
    ck_says("/result/content/0/text", "true or false");
}
END_TEST

// [TOOL-OUTPUT]
START_TEST(a_result_that_breaks_its_promise_is_an_error_of_the_tool)
{
    must_add("{'type':'object'}",
             "{'type':'object','properties':{'n':{'type':'number'}},"
             "'required':['n']}");
    to_write = "{\"n\":1.5}";
    call_raw("{}");
    ck_at("/result/structuredContent", "{'n':1.5}");
    to_write = "{\"n\":\"one\"}";
    call_raw("{}");
    ck_at("/result/isError", "true");
    ck_at("/result/_meta/mica~1error/code", "'EXECUTION_ERROR'");
    ck_at("/result/structuredContent", "(absent)");
    ck_says("/result/content/0/text", "output schema");
    to_write = "";
    call_raw("{}");
    ck_at("/result/_meta/mica~1error/code", "'EXECUTION_ERROR'");
}
END_TEST

START_TEST(a_result_may_be_of_any_type)
{
    must_add("{'type':'object'}", "{'type':['array','null']}");
    to_write = "[1,2]";
    call_raw("{}");
    ck_at("/result/structuredContent", "[1,2]");
    to_write = "null";
    call_raw("{}");
    ck_at("/result/structuredContent", "null");
    ck_at("/result/content/0/text", "'null'");
}
END_TEST

START_TEST(a_value_that_takes_too_much_work_is_refused)
{
    // Each level doubles the work; the limit on steps ends it.
    char schema[8192];
    size_t length = (size_t)snprintf(schema, sizeof schema,
                                     "{'type':'object','$ref':'#/$defs/l0',"
                                     "'$defs':{");

    for (int i = 0; i < 40; i++)
        length += (size_t)snprintf(
            schema + length, sizeof schema - length,
            "'l%d':{'allOf':[{'$ref':'#/$defs/l%d'},{'$ref':'#/$defs/l%d'}]},",
            i, i + 1, i + 1);
    (void)snprintf(schema + length, sizeof schema - length, "'l40':{}}}");
    must_add(schema, NULL);
    call_raw("{}");
    ck_at("/result/_meta/mica~1error/code", "'LIMIT_EXCEEDED'");
    ck_assert_int_eq(runs, 0);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("tools on raw JSON");
    TCase *offering = add_case(suite, "offering");
    TCase *calling = add_case(suite, "calling");

    tcase_add_test(offering, a_schema_that_is_none_is_refused_with_its_place);
    tcase_add_test(offering, a_schema_is_listed_as_it_was_written);
    tcase_add_test(offering,
                   an_output_schema_that_is_no_object_is_for_the_newest_only);
    tcase_add_test(calling, arguments_that_do_not_fit_never_reach_the_handler);
    tcase_add_test(calling, all_that_is_wrong_is_told_at_once);
    tcase_add_test(calling,
                   a_result_that_breaks_its_promise_is_an_error_of_the_tool);
    tcase_add_test(calling, a_result_may_be_of_any_type);
    tcase_add_test(calling, a_value_that_takes_too_much_work_is_refused);
    return run_suite(suite);
}

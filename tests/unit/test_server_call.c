// SPDX-License-Identifier: Apache-2.0
//
// tools/call in the MCP core: finding a tool, running it inline or on a worker,
// every kind of content in every revision, failures, and how tools of the
// program are added.
#include "test_server.h"

// ---- Calling -------------------------------------------------------------------

// Calls in the stateless revision. `tool` and `arguments` are JSON.
static void
call_stateless(const char *tool, const char *arguments)
{
    line(quoted("{" V2 ",'id':1,'method':'tools/call','params':{" META
                ",'name':%s,'arguments':%s}}",
                tool, arguments));
}

static void
call_legacy(const char *version, const char *tool)
{
    shake_hands(version);
    line(quoted("{" V2 ",'id':1,'method':'tools/call','params':{'name':%s}}",
                tool));
}

// [TOOL-CONTENT]
START_TEST(a_result_is_structure_and_its_text)
{
    call_stateless("'echo'", "{ 'b' : 2.50, 'a' : [ 'x' ] }");
    ck_reply("{'jsonrpc':'2.0','id':1,'result':{'resultType':'complete',"
             "'content':[{'type':'text','text':'{\\'b\\':2.50,\\'a\\':"
             "[\\'x\\']}'}],'structuredContent':{'b':2.50,'a':['x']},"
             "'_meta':{'io.modelcontextprotocol/serverInfo':{'name':'test',"
             "'title':'A test','version':'1.2.3','description':"
             "'For the tests.','websiteUrl':'https://example.org'}}}}");
}
END_TEST

START_TEST(arguments_may_be_absent)
{
    line(quoted("{" V2 ",'id':1,'method':'tools/call','params':{" META
                ",'name':'echo'}}"));
    ck_at("/result/structuredContent", "{}");
}
END_TEST

START_TEST(arguments_are_an_object)
{
    static const char *const wrong[] = {"null", "[]", "'x'", "1", "true"};

    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        call_stateless("'echo'", wrong[i]);
        ck_error("-32602", "WRONG_TYPE", "1");
        ck_says("/error/message", "params.arguments");
    }
}
END_TEST

START_TEST(a_call_names_its_tool)
{
    static const char *const wrong[] = {"null", "[]", "{}", "1", "true"};

    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        call_stateless(wrong[i], "{}");
        ck_error("-32602", "MISSING_FIELD", "1");
        ck_says("/error/message", "params.name");
    }
    line(quoted("{" V2 ",'id':1,'method':'tools/call','params':{" META "}}"));
    ck_error("-32602", "MISSING_FIELD", "1");
    shake_hands("2025-11-25");
    line(quoted("{" V2 ",'id':1,'method':'tools/call'}"));
    ck_error("-32602", "MISSING_FIELD", "1");
}
END_TEST

// [TOOL-UNKNOWN]
START_TEST(a_wrong_name_is_answered_with_the_nearest)
{
    call_stateless("'ehco'", "{}");
    ck_error("-32602", "NOT_FOUND", "1");
    ck_says("/error/message", "did you mean \\\"echo\\\"?");
    call_stateless("'Blocks'", "{}");
    ck_says("/error/message", "did you mean \\\"blocks\\\"?");
    call_stateless("'something-else-entirely'", "{}");
    ck_error("-32602", "NOT_FOUND", "1");
    ck_says("/error/message", "tools/list");
}
END_TEST

START_TEST(a_very_long_or_odd_name_is_quoted_and_cut)
{
    char name[3001] = "";

    memset(name, 'n', 3000);
    call_stateless(quoted("'%s'", name), "{}");
    ck_error("-32602", "NOT_FOUND", "1");
    ck_says("/error/message", "…");
    ck_assert_uint_lt(strlen(harness.reply), 600);
    call_stateless("'a\\u0000\\n\\\\\\''", "{}");
    ck_error("-32602", "NOT_FOUND", "1");
    ck_says("/error/message", "\\\\u0000");
}
END_TEST

// ---- Content -------------------------------------------------------------------

#define TEXT_BLOCK                                                         \
    "{'type':'text','text':'one\\ntwo','annotations':{'audience':['user'," \
    "'assistant'],'priority':0.5,'lastModified':'2026-11-20T00:00:00Z'}}"
#define IMAGE_BLOCK "{'type':'image','data':'iVBORw==','mimeType':'image/png'}"
#define AUDIO_BLOCK "{'type':'audio','data':'UklGRg==','mimeType':'audio/wav'}"
#define RESOURCE_BLOCKS                                              \
    "{'type':'resource','resource':{'uri':'test://text','mimeType':" \
    "'text/plain','text':'in a resource'}},"                         \
    "{'type':'resource','resource':{'uri':'test://bytes','blob':'AP8='}}"
#define LINK_BLOCK                                                 \
    "{'type':'resource_link','uri':'test://link','name':'a link'," \
    "'description':'where to look','mimeType':'text/html'}"

START_TEST(every_kind_of_block_goes_out_in_order)
{
    call_stateless("'blocks'", "{}");
    ck_at("/result/content", "[" TEXT_BLOCK "," IMAGE_BLOCK "," AUDIO_BLOCK
                             "," RESOURCE_BLOCKS "," LINK_BLOCK "]");
    ck_at("/result/structuredContent", "{'kinds':'six'}");
    ck_at("/result/isError", "(absent)");
}
END_TEST

START_TEST(newer_legacy_revisions_have_every_kind)
{
    static const char *const versions[] = {"2025-06-18", "2025-11-25"};

    for (size_t i = 0; i < MICA_COUNT(versions); i++) {
        call_legacy(versions[i], "'blocks'");
        ck_reply("{'jsonrpc':'2.0','id':1,'result':{'content':[" TEXT_BLOCK
                 "," IMAGE_BLOCK "," AUDIO_BLOCK "," RESOURCE_BLOCKS
                 "," LINK_BLOCK "],'structuredContent':{'kinds':'six'}}}");
    }
}
END_TEST

START_TEST(where_links_are_unknown_they_become_text)
{
    call_legacy("2025-03-26", "'blocks'");
    ck_reply("{'jsonrpc':'2.0','id':1,'result':{'content':[" TEXT_BLOCK
             "," IMAGE_BLOCK "," AUDIO_BLOCK "," RESOURCE_BLOCKS
             ",{'type':'text','text':'a link: test://link'}]}}");
}
END_TEST

START_TEST(where_audio_is_unknown_it_becomes_text)
{
    call_legacy("2024-11-05", "'blocks'");
    ck_reply("{'jsonrpc':'2.0','id':1,'result':{'content':[" TEXT_BLOCK
             "," IMAGE_BLOCK
             ",{'type':'text','text':'[audio, audio/wav]'}," RESOURCE_BLOCKS
             ",{'type':'text','text':'a link: test://link'}]}}");
}
END_TEST

START_TEST(structure_that_is_no_object_is_for_the_newest_only)
{
    static const char *const versions[] = {"2024-11-05", "2025-03-26",
                                           "2025-06-18", "2025-11-25"};

    call_stateless("'array'", "{}");
    ck_at("/result/structuredContent", "[1,2,3]");
    ck_at("/result/content", "[{'type':'text','text':'[1,2,3]'}]");
    for (size_t i = 0; i < MICA_COUNT(versions); i++) {
        call_legacy(versions[i], "'array'");
        ck_reply("{'jsonrpc':'2.0','id':1,'result':{'content':[{'type':"
                 "'text','text':'[1,2,3]'}]}}");
    }
}
END_TEST

START_TEST(a_tool_may_say_nothing)
{
    call_stateless("'silent'", "{}");
    ck_at("/result/content", "[]");
    ck_at("/result/structuredContent", "(absent)");
    call_legacy("2025-11-25", "'silent'");
    ck_reply("{'jsonrpc':'2.0','id':1,'result':{'content':[]}}");
}
END_TEST

// ---- Failures ------------------------------------------------------------------

#define FAILURE                                                        \
    "'content':[{'type':'text','text':'TOO_ROUND: The \\'shape\\' is " \
    "round\\nand red.'}],'isError':true,'_meta':{"
#define MICA_ERROR                                                    \
    "'mica/error':{'code':'TOO_ROUND','message':'The \\'shape\\' is " \
    "round\\nand red.','path':'/shape/0'}}"

// [TOOL-ERROR]
START_TEST(a_failure_is_for_the_model_to_read)
{
    call_stateless("'fail'", "{}");
    ck_at("/result/isError", "true");
    ck_says("/result", "{\"resultType\":\"complete\",\"content\":");
    ck_at("/result/_meta/mica~1error/code", "'TOO_ROUND'");
    ck_says("/result/_meta", P_ "serverInfo");
    ck_assert_str_eq(harness.message.reply.error_code, "TOO_ROUND");
    ck_assert_int_eq(harness.message.reply.rpc_error, 0);
    ck_assert_uint_eq(harness.message.reply.http_status, 200);
    call_legacy("2025-11-25", "'fail'");
    ck_reply("{'jsonrpc':'2.0','id':1,'result':{" FAILURE MICA_ERROR "}}");
    call_legacy("2024-11-05", "'fail'");
    ck_reply("{'jsonrpc':'2.0','id':1,'result':{" FAILURE MICA_ERROR "}}");
}
END_TEST

START_TEST(a_result_may_be_marked_as_an_error)
{
    call_stateless("'marked'", "{}");
    ck_at("/result/isError", "true");
    ck_at("/result/content", "[{'type':'text','text':'it went wrong'}]");
    ck_at("/result/_meta/mica~1error", "(absent)");
    ck_assert_str_eq(harness.message.reply.error_code, "FAILED");
}
END_TEST

START_TEST(a_result_too_large_is_a_failure_that_says_so)
{
    mica_arena_fini(&harness.arena);
    mica_arena_init(&harness.arena, 256 << 10);
    call_stateless("'large'", "{'size':1000}");
    ck_at("/result/isError", "(absent)");
    for (int size = 10000; size < 1000000; size = size * 3 / 2) {
        call_stateless("'large'", quoted("{'size':%d}", size));
        if (strcmp(at("/result/isError"), "true") != 0)
            continue;
        ck_says("/result/content/0/text", "LIMIT_EXCEEDED: ");
        ck_at("/result/_meta/mica~1error/code", "'LIMIT_EXCEEDED'");
        ck_assert_str_eq(harness.message.reply.error_code, "LIMIT_EXCEEDED");
    }
    ck_at("/result/isError", "true"); // the last was larger than the arena
}
END_TEST

// ---- Running -------------------------------------------------------------------

static enum mica_status inline_status;
static uint32_t budgets[4];
static int runs;

static void
run_probe(const struct mica_runnable *self, struct mica_call *call,
          struct mica_text arguments)
{
    (void)self;
    (void)arguments;
    budgets[runs++ & 3] = call->budget_ms;
    if (call->budget_ms > 0 && inline_status != MICA_OK)
        mica_call_fail(call, inline_status, "", "not here");
    else
        call->result.structured = MICA_LITERAL("{\"done\":true}");
}

static void
define_probe(bool inline_first)
{
    struct mica_definition *definition =
        mica_definition_new(MICA_DEFINITION_TOOL);

    ck_assert_ptr_nonnull(definition);
    definition->key = definition->name = MICA_LITERAL("probe");
    definition->description = MICA_LITERAL("Notes how it is run.");
    definition->input_schema = MICA_LITERAL(ANY_OBJECT);
    definition->runnable.run = run_probe;
    definition->runnable.inline_first = inline_first;
    runs = 0;
    ck_assert_int_eq(
        mica_registry_define(&harness.server->registry, definition, NULL),
        MICA_OK);
}

START_TEST(a_bounded_tool_is_tried_inline_with_a_budget)
{
    inline_status = MICA_OK;
    define_probe(true);
    call_stateless("'probe'", "{}");
    ck_at("/result/structuredContent", "{'done':true}");
    ck_assert_int_eq(runs, 1);
    ck_assert_uint_eq(budgets[0], 1);
}
END_TEST

START_TEST(past_its_budget_it_runs_again_without)
{
    inline_status = MICA_E_TIMEOUT;
    define_probe(true);
    call_stateless("'probe'", "{}");
    ck_at("/result/structuredContent", "{'done':true}");
    ck_assert_int_eq(runs, 2);
    ck_assert_uint_eq(budgets[0], 1);
    ck_assert_uint_eq(budgets[1], 0);
}
END_TEST

START_TEST(another_failure_inline_is_final)
{
    inline_status = MICA_E_EXECUTION;
    define_probe(true);
    call_stateless("'probe'", "{}");
    ck_at("/result/_meta/mica~1error",
          "{'code':'EXECUTION_ERROR','message':'not here','path':''}");
    ck_assert_int_eq(runs, 1);
}
END_TEST

START_TEST(a_tool_that_may_block_is_not_tried_inline)
{
    inline_status = MICA_OK;
    define_probe(false);
    call_stateless("'probe'", "{}");
    ck_assert_int_eq(runs, 1);
    ck_assert_uint_eq(budgets[0], 0);
}
END_TEST

START_TEST(nothing_is_said_to_who_no_longer_waits)
{
    mica_message_init(&harness.message, harness.server, &harness.arena);
    mica_message_line(
        &harness.message, &harness.state,
        mica_text(quoted("{" V2 ",'id':1,'method':'tools/call','params':{" META
                         ",'name':'count'}}")));
    ck_assert_int_eq(harness.message.step, MICA_STEP_WORK);
    atomic_store(&harness.message.execution.cancelled, true);
    finish_message();
    ck_assert_str_eq(harness.reply, "");
    ck_assert_int_eq(harness.message.step, MICA_STEP_SILENT);
    ck_assert_str_eq(harness.message.reply.error_code, "CANCELLED");
    ck_assert_int_eq(count_runs, 0); // nor is the handler begun
}
END_TEST

START_TEST(a_handler_gets_its_own_data)
{
    call_stateless("'count'", "{}");
    call_stateless("'count'", "{}");
    ck_at("/result/structuredContent", "{'cancelled':false}");
    ck_assert_int_eq(count_runs, 2);
}
END_TEST

// ---- Adding --------------------------------------------------------------------

struct sum_input {
    double a, b;
};
MICA_RECORD(sum_input, MICA_NUMBER(a, "First addend.", .maximum = 100),
            MICA_NUMBER(b, "Second addend.", .fallback = MICA_JSON(1)));

struct sum_output {
    double sum;
};
MICA_RECORD(sum_output, MICA_NUMBER(sum, "a + b."));

static enum mica_status
add_numbers(struct mica_call *call, const struct sum_input *in,
            struct sum_output *out)
{
    if (in->a < 0)
        return mica_fail(call, "NEGATIVE", "a", "a is %s; pass 0 or more",
                         mica_number(call, in->a));
    mica_add_text(
        call, mica_format(call, "It is %s.", mica_number(call, in->a)), NULL);
    out->sum = in->a + in->b;
    return MICA_OK;
}

MICA_TOOL(sum, sum_input, sum_output, add_numbers, .title = "Sum",
          .description = "Adds two numbers.", .hints = MICA_READ_ONLY,
          .examples = MICA_EXAMPLES(
              {"1 + 2", MICA_JSON({"a": 1, "b": 2}), MICA_JSON({"sum": 3})},
              {"below 0", MICA_JSON({"a": -1}), .error = "NEGATIVE"}));

// [TOOL-VALIDATE]
START_TEST(a_typed_tool_has_a_schema_and_checks_its_input)
{
    ck_assert_int_eq(
        mica_server_add_tool(harness.server, &mica_tool_sum, NULL, NULL),
        MICA_OK);
    line(quoted("{" V2 ",'id':1,'method':'tools/list','params':{" META "}}"));
    ck_at("/result/tools/8/name", "'sum'");
    ck_at("/result/tools/8/title", "'Sum'");
    ck_at("/result/tools/8/inputSchema/type", "'object'");
    ck_at("/result/tools/8/inputSchema/properties/a/description",
          "'First addend.'");
    ck_at("/result/tools/8/inputSchema/required", "['a']");
    ck_at("/result/tools/8/inputSchema/examples", "[{'a':1,'b':2}]");
    ck_at("/result/tools/8/outputSchema/required", "['sum']");
    ck_at("/result/tools/8/_meta/mica~1examples/1",
          "{'title':'below 0','input':{'a':-1},'error':'NEGATIVE'}");
    call_stateless("'sum'", "{'a':2,'b':0.5}");
    ck_at("/result/structuredContent", "{'sum':2.5}");
    ck_at("/result/content", "[{'type':'text','text':'It is 2.'}]");
    call_stateless("'sum'", "{'a':2}");
    ck_at("/result/structuredContent", "{'sum':3}");
    call_stateless("'sum'", "{'a':101}");
    ck_at("/result/_meta/mica~1error/code", "'OUT_OF_RANGE'");
    ck_at("/result/_meta/mica~1error/path", "'/a'");
    call_stateless("'sum'", "{'a':1,'c':2}");
    ck_at("/result/_meta/mica~1error/code", "'UNKNOWN_FIELD'");
    call_stateless("'sum'", "{'a':-1}");
    ck_at("/result/_meta/mica~1error/code", "'NEGATIVE'");
    ck_at("/result/_meta/mica~1error/path", "'/a'");
}
END_TEST

START_TEST(before_2025_06_18_there_is_no_output_schema)
{
    ck_assert_int_eq(
        mica_server_add_tool(harness.server, &mica_tool_sum, NULL, NULL),
        MICA_OK);
    shake_hands("2025-03-26");
    line(quoted("{" V2 ",'id':1,'method':'tools/list'}"));
    ck_at("/result/tools/8/outputSchema", "(absent)");
    ck_at("/result/tools/8/title", "(absent)");
    ck_at("/result/tools/8/annotations/title", "'Sum'");
    ck_at("/result/tools/8/_meta", "(absent)");
    shake_hands("2025-06-18");
    line(quoted("{" V2 ",'id':1,'method':'tools/list'}"));
    ck_at("/result/tools/8/outputSchema/type", "'object'");
    ck_at("/result/tools/8/title", "'Sum'");
}
END_TEST

MICA_ENGINE(sum_engine, sum_input, sum_output, add_numbers,
            .title = "Sum engine", .description = "Adds two numbers.",
            .category = "math",
            .examples = MICA_EXAMPLES({"1 + 2", MICA_JSON({"a": 1, "b": 2}),
                                       MICA_JSON({"sum": 3})}));

START_TEST(an_engine_can_be_linked_in)
{
    struct mica_error error;

    ck_assert_int_eq(
        mica_server_add_engine(harness.server, &mica_engine_sum_engine, &error),
        MICA_OK);
    line(quoted("{" V2 ",'id':1,'method':'tools/list','params':{" META "}}"));
    ck_at("/result/tools/8/name", "'sum-engine'");
    ck_at("/result/tools/8/_meta/mica~1category", "'math'");
    ck_at("/result/tools/8/annotations/readOnlyHint", "true");
    ck_at("/result/tools/8/annotations/idempotentHint", "true");
    ck_at("/result/tools/8/annotations/openWorldHint", "false");
    call_stateless("'sum-engine'", "{'a':2,'b':0.5}");
    ck_at("/result/structuredContent", "{'sum':2.5}");
}
END_TEST

static enum mica_status
tool_greedy(struct mica_call *call, const struct mica_json *in,
            struct mica_json_writer *out)
{
    (void)in;
    (void)out;
    (void)mica_alloc(call, (size_t)1 << 40);
    ck_abort_msg("mica_alloc came back");
    return MICA_OK;
}

static enum mica_status
tool_rude(struct mica_call *call, const struct mica_json *in,
          struct mica_json_writer *out)
{
    (void)call;
    (void)in;
    (void)out;
    return MICA_FAILED;
}

START_TEST(a_handler_that_breaks_its_contract_is_an_error_of_its_own)
{
    add_json_tool("greedy", tool_greedy, 0);
    add_json_tool("rude", tool_rude, 0);
    call_stateless("'greedy'", "{}");
    ck_at("/result/isError", "true");
    ck_says("/result/content/0/text", "LIMIT_EXCEEDED: ");
    ck_at("/result/_meta/mica~1error/code", "'LIMIT_EXCEEDED'");
    call_stateless("'rude'", "{}");
    ck_at("/result/_meta/mica~1error/code", "'EXECUTION_ERROR'");
    call_stateless("'echo'", "{'a':1}"); // and the server still answers
    ck_at("/result/structuredContent", "{'a':1}");
}
END_TEST

static enum mica_status
tool_raw(struct mica_call *call, const struct mica_json *in,
         struct mica_json_writer *out)
{
    (void)call;
    mica_json_raw(out, mica_json_get_text(in, "write"));
    return MICA_OK;
}

START_TEST(what_a_handler_writes_raw_is_checked_and_put_on_one_line)
{
    add_json_tool("raw", tool_raw, 0);
    call_stateless("'raw'", "{'write':'{\\n\\'a\\' :\\r\\n 1.50}'}");
    ck_at("/result/structuredContent", "{'a':1.50}");
    call_stateless("'raw'", "{'write':'{\\'a\\':}'}");
    ck_at("/result/_meta/mica~1error/code", "'EXECUTION_ERROR'");
    ck_says("/result/content/0/text", "not JSON");
    call_stateless("'raw'", "{'write':'{} {}'}");
    ck_at("/result/_meta/mica~1error/code", "'EXECUTION_ERROR'");
}
END_TEST

START_TEST(an_example_of_several_lines_is_listed_on_one)
{
    struct mica_tool tool = mica_tool_sum;

    tool.name = "lines";
    tool.example_count = 1;
    tool.examples = &(struct mica_example){"two\nlines", "{\n  \"a\": 1\n}",
                                           "{\n\"sum\":\n2}", NULL};
    ck_assert_int_eq(mica_server_add_tool(harness.server, &tool, NULL, NULL),
                     MICA_OK);
    line(quoted("{" V2 ",'id':1,'method':'tools/list','params':{" META "}}"));
    ck_at("/result/tools/8/inputSchema/examples", "[{'a':1}]");
    ck_at("/result/tools/8/_meta/mica~1examples",
          "[{'title':'two\\nlines','input':{'a':1},'output':{'sum':2}}]");
}
END_TEST

START_TEST(a_wrong_tool_is_refused_by_name)
{
    struct mica_error error;
    static const struct {
        struct mica_tool tool;
        enum mica_status status;
        const char *says;
    } cases[] = {
        {{.name = "echo",
          .description = "d",
          .input_schema = ANY_OBJECT,
          .json_handler = tool_echo},
         MICA_E_EXISTS,
         "'echo'"},
        {{.name = "a b",
          .description = "d",
          .input_schema = ANY_OBJECT,
          .json_handler = tool_echo},
         MICA_E_USAGE,
         "'a b'"},
        {{.name = "",
          .description = "d",
          .input_schema = ANY_OBJECT,
          .json_handler = tool_echo},
         MICA_E_USAGE,
         "128"},
        {{.name = "x", .input_schema = ANY_OBJECT, .json_handler = tool_echo},
         MICA_E_USAGE,
         "description"},
        {{.name = "x", .description = "d", .json_handler = tool_echo},
         MICA_E_USAGE,
         "input_schema"},
        {{.name = "x", .description = "d", .input_schema = ANY_OBJECT},
         MICA_E_USAGE,
         "json_handler"},
        {{.name = "x",
          .description = "d",
          .input_schema = "{",
          .json_handler = tool_echo},
         MICA_E_USAGE,
         "not JSON"},
        {{.name = "x",
          .description = "d",
          .input_schema = "{\"type\":\"array\"}",
          .json_handler = tool_echo},
         MICA_E_USAGE,
         "\"type\": \"object\""},
    };

    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        ck_assert_int_eq(
            mica_server_add_tool(harness.server, &cases[i].tool, NULL, &error),
            cases[i].status);
        ck_assert_msg(strstr(error.message, cases[i].says) != NULL, "%s",
                      error.message);
    }
}
END_TEST

// [TOOL-SCHEMA]
START_TEST(a_raw_schema_is_sent_as_it_is_on_one_line)
{
    struct mica_tool tool = {
        .name = "raw",
        .description = "d",
        .input_schema = "{\n  \"type\": \"object\",\n  \"$defs\": {\"a\": "
                        "{\"$anchor\": \"x\"}},\n \"if\": true }",
        .json_handler = tool_echo};

    ck_assert_int_eq(mica_server_add_tool(harness.server, &tool, NULL, NULL),
                     MICA_OK);
    line(quoted("{" V2 ",'id':1,'method':'tools/list','params':{" META "}}"));
    ck_at("/result/tools/8/inputSchema",
          "{'type':'object','$defs':{'a':{'$anchor':'x'}},'if':true}");
}
END_TEST

START_TEST(three_hundred_tools_are_found_and_listed)
{
    static char names[300][16];
    struct mica_tool tool = {.description = "d",
                             .input_schema = ANY_OBJECT,
                             .json_handler = tool_echo};

    for (int i = 0; i < 300; i++) {
        snprintf(names[i], sizeof names[i], "tool-%03d", i);
        tool.name = names[i];
        ck_assert_int_eq(
            mica_server_add_tool(harness.server, &tool, NULL, NULL), MICA_OK);
    }
    for (int i = 0; i < 300; i++) {
        call_stateless(quoted("'%s'", names[i]), "{}");
        ck_at("/result/structuredContent", "{}");
    }
    line(quoted("{" V2 ",'id':1,'method':'tools/list','params':{" META "}}"));
    ck_at("/result/tools/307/name", "'tool-299'");
    ck_at("/result/tools/308", "(absent)");
}
END_TEST

START_TEST(a_server_needs_a_name_and_a_version)
{
    struct mica_server *server = NULL;
    struct mica_error error;

    ck_assert_int_eq(
        mica_server_open(&(struct mica_server_options){.name = "x"}, &error,
                         &server),
        MICA_E_USAGE);
    ck_assert_ptr_null(server);
    mica_server_close(&server);
}
END_TEST

static void
add_running(TCase *group)
{
    tcase_add_test(group, a_bounded_tool_is_tried_inline_with_a_budget);
    tcase_add_test(group, past_its_budget_it_runs_again_without);
    tcase_add_test(group, another_failure_inline_is_final);
    tcase_add_test(group, a_tool_that_may_block_is_not_tried_inline);
    tcase_add_test(group, nothing_is_said_to_who_no_longer_waits);
    tcase_add_test(group, a_handler_gets_its_own_data);
}

static void
add_adding(TCase *group)
{
    tcase_add_test(group, a_typed_tool_has_a_schema_and_checks_its_input);
    tcase_add_test(group, before_2025_06_18_there_is_no_output_schema);
    tcase_add_test(group, an_engine_can_be_linked_in);
    tcase_add_test(group,
                   a_handler_that_breaks_its_contract_is_an_error_of_its_own);
    tcase_add_test(group,
                   what_a_handler_writes_raw_is_checked_and_put_on_one_line);
    tcase_add_test(group, an_example_of_several_lines_is_listed_on_one);
    tcase_add_test(group, a_wrong_tool_is_refused_by_name);
    tcase_add_test(group, a_raw_schema_is_sent_as_it_is_on_one_line);
    tcase_add_test(group, three_hundred_tools_are_found_and_listed);
    tcase_add_test(group, a_server_needs_a_name_and_a_version);
}

int
main(void)
{
    Suite *suite = suite_create("tools/call");
    TCase *calling = add_case(suite, "calling");
    TCase *content = add_case(suite, "content");

    tcase_add_test(calling, a_result_is_structure_and_its_text);
    tcase_add_test(calling, arguments_may_be_absent);
    tcase_add_test(calling, arguments_are_an_object);
    tcase_add_test(calling, a_call_names_its_tool);
    tcase_add_test(calling, a_wrong_name_is_answered_with_the_nearest);
    tcase_add_test(calling, a_very_long_or_odd_name_is_quoted_and_cut);
    tcase_add_test(content, every_kind_of_block_goes_out_in_order);
    tcase_add_test(content, newer_legacy_revisions_have_every_kind);
    tcase_add_test(content, where_links_are_unknown_they_become_text);
    tcase_add_test(content, where_audio_is_unknown_it_becomes_text);
    tcase_add_test(content, structure_that_is_no_object_is_for_the_newest_only);
    tcase_add_test(content, a_tool_may_say_nothing);
    tcase_add_test(content, a_failure_is_for_the_model_to_read);
    tcase_add_test(content, a_result_may_be_marked_as_an_error);
    tcase_add_test(content, a_result_too_large_is_a_failure_that_says_so);
    add_running(add_case(suite, "running"));
    add_adding(add_case(suite, "adding"));
    return run_suite(suite);
}

// SPDX-License-Identifier: Apache-2.0
//
// Prompts and completion in the MCP core: lists, arguments, messages of every
// kind in every revision, and suggested values. The prompts are those of the
// conformance fixture.
#include "test_server_offers.h"

static void
get(const char *name, const char *arguments)
{
    ask("prompts/get", quoted(",'name':'%s','arguments':%s", name, arguments));
}

// ---- prompts/list ----------------------------------------------------------------

START_TEST(a_list_names_the_arguments)
{
    ask("prompts/list", "");
    ck_at("/result/prompts/0",
          "{'name':'test_simple_prompt','title':'A simple prompt',"
          "'description':'A prompt without arguments.'}");
    ck_at("/result/prompts/1/arguments",
          "[{'name':'arg1','description':'The first argument.','required':"
          "true},{'name':'arg2','description':'The second argument.',"
          "'required':true}]");
    ck_at("/result/prompts/4/arguments",
          "[{'name':'unit','description':'In which units. One of: metric, "
          "imperial.','required':true},{'name':'about','description':"
          "'What it is about.','required':false}]");
    ck_at("/result/prompts/4/icons/0/sizes", "['48x48','96x96']");
    ck_at("/result/prompts/4/_meta", "{'org.example/kind':'test'}");
    ck_at("/result/ttlMs", "60000");
    ask_legacy("2025-03-26", "prompts/list", "");
    ck_at("/result/prompts/0", "{'name':'test_simple_prompt','description':"
                               "'A prompt without arguments.'}");
    ck_at("/result/prompts/4/icons", "(absent)");
    ck_at("/result/prompts/4/_meta", "(absent)");
    ck_at("/result/ttlMs", "(absent)");
}
END_TEST

// ---- prompts/get -----------------------------------------------------------------

START_TEST(a_prompt_is_messages)
{
    ask("prompts/get", ",'name':'test_simple_prompt'");
    ck_at("/result/messages", "[{'role':'user','content':{'type':'text','text':"
                              "'This is a simple prompt for testing.'}}]");
    ck_at("/result/description", "'A prompt without arguments.'");
    ck_at("/result/resultType", "'complete'");
    ck_at("/result/ttlMs", "(absent)");
    get("test_prompt_with_arguments", "{'arg1':'a','arg2':'\\u00e9'}");
    ck_says("/result/messages/0/content/text", "arg1='a', arg2='\xc3\xa9'");
}
END_TEST

START_TEST(messages_have_roles_and_every_kind_of_content)
{
    get("talk", "{'unit':'metric'}");
    ck_at("/result/messages/0",
          "{'role':'user','content':{'type':'text','text':'Speak metric.',"
          "'annotations':{'audience':['assistant'],'priority':1}}}");
    ck_at("/result/messages/1/role", "'assistant'");
    ck_at("/result/messages/2",
          "{'role':'assistant','content':{'type':'audio','data':'UklGRg==',"
          "'mimeType':'audio/wav'}}");
    ck_at("/result/messages/3",
          "{'role':'user','content':{'type':'resource','resource':{'uri':"
          "'test://bytes','mimeType':'application/octet-stream','blob':"
          "'AAEC'}}}");
    ck_at("/result/messages/4/content/type", "'resource_link'");
    get("test_prompt_with_image", "{}");
    ck_at("/result/messages/0/content/type", "'image'");
    get("test_prompt_with_embedded_resource", "{'resourceUri':'a:b'}");
    ck_at("/result/messages/0/content/resource/uri", "'a:b'");
}
END_TEST

START_TEST(an_older_client_gets_what_it_knows)
{
    ask_legacy("2025-03-26", "prompts/get",
               "'name':'talk','arguments':{'unit':'imperial'}");
    ck_at("/result/messages/2/content/type", "'audio'");
    ck_at("/result/messages/4/content",
          "{'type':'text','text':'static_text: test://static-text'}");
    ask_legacy("2024-11-05", "prompts/get",
               "'name':'talk','arguments':{'unit':'imperial'}");
    ck_at("/result/messages/2/content",
          "{'type':'text','text':'[audio, audio/wav]'}");
    ck_at("/result/resultType", "(absent)");
}
END_TEST

// [PROMPT-ARGUMENTS]
START_TEST(arguments_are_checked_by_name)
{
    static const struct {
        const char *more, *code, *says;
    } wrong[] = {
        {"'name':'test_prompt_with_arguments'", "MISSING_FIELD", "arg1"},
        {"'name':'test_prompt_with_arguments','arguments':{'arg1':'x'}",
         "MISSING_FIELD", "arg2"},
        {"'name':'test_prompt_with_arguments','arguments':{'arg1':'x',"
         "'arg2':'y','arg3':'z'}",
         "UNKNOWN_FIELD", "arg3"},
        {"'name':'test_prompt_with_arguments','arguments':{'arg1':1,"
         "'arg2':'y'}",
         "WRONG_TYPE", "arg1"},
        {"'name':'test_prompt_with_arguments','arguments':{'arg1':null,"
         "'arg2':'y'}",
         "WRONG_TYPE", "arg1"},
        {"'name':'test_prompt_with_arguments','arguments':[]", "WRONG_TYPE",
         "object of strings"},
        {"'name':'talk','arguments':{'unit':'cubits'}", "NOT_A_CHOICE",
         "cubits"},
        {"'name':'talk','arguments':{'unit':'metric','about':''}",
         "NOTHING_TO_SAY", "about is empty"},
        {"'name':'test_simple_promt'", "NOT_FOUND", "test_simple_prompt"},
        {"'name':7", "MISSING_FIELD", "params.name"},
        {"'title':'x'", "MISSING_FIELD", "params.name"},
    };

    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        ask("prompts/get", quoted(",%s", wrong[i].more));
        ck_error("-32602", wrong[i].code, "1");
        ck_says("/error/message", wrong[i].says);
        ask_legacy("2025-06-18", "prompts/get", wrong[i].more);
        ck_error("-32602", wrong[i].code, "1");
    }
}
END_TEST

START_TEST(the_header_repeats_the_name)
{
    const char *body =
        quoted("{" V2 ",'id':1,'method':'prompts/get','params':{" META
               ",'name':'test_simple_prompt'}}");

    stateless("prompts/get", "test_simple_prompt", body);
    ck_assert_uint_eq(send_request(), 200);
    ck_at("/result/messages/0/role", "'user'");
    stateless("prompts/get", "talk", body);
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32020", "BAD_FORMAT", "1");
    stateless("prompts/get", NULL, body);
    ck_assert_uint_eq(send_request(), 400);
    ck_error("-32020", "BAD_FORMAT", "1");
}
END_TEST

static enum mica_status
never(struct mica_call *call, const void *in, void *out)
{
    (void)call, (void)in, (void)out;
    ck_abort_msg("this must not run");
    return MICA_OK;
}

struct number_input {
    double id;
};
MICA_RECORD(number_input, MICA_NUMBER(id, "A number."));

START_TEST(a_definition_that_cannot_be_served_is_refused)
{
    static const struct {
        struct mica_prompt prompt;
        const char *says;
    } wrong[] = {
        {{.name = "x", .description = "x"}, "needs a .handler"},
        {{.name = "x y", .description = "x", .handler = never},
         "cannot be the name of a prompt"},
        {{.name = "x", .handler = never}, "no description"},
        {{.name = "x", .description = "x", .handler = never, .meta = "1"},
         "JSON object"},
        {{.name = "x",
          .description = "x",
          .handler = never,
          .input = &mica_record_number_input},
         "text or choice"},
        {{.name = "talk", .description = "x", .handler = never}, "already"},
    };

    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        struct mica_error error = {.status = MICA_OK};
        enum mica_status status = mica_server_add_prompt(
            harness.server, &wrong[i].prompt, NULL, &error);
        ck_assert_msg(status == MICA_E_USAGE || status == MICA_E_EXISTS,
                      "%zu (%s) was taken", i, wrong[i].says);
        ck_assert_msg(strstr(error.message, wrong[i].says) != NULL,
                      "%zu: no '%s' in: %s", i, wrong[i].says, error.message);
    }
}
END_TEST

// ---- Completion ------------------------------------------------------------------

#define OF_PROMPT(name)    ",'ref':{'type':'ref/prompt','name':'" name "'}"
#define OF_TEMPLATE(uri)   ",'ref':{'type':'ref/resource','uri':'" uri "'}"
#define TYPED(name, value) ",'argument':{'name':'" name "','value':'" value "'}"

static void
complete(const char *more)
{
    ask("completion/complete", more);
}

START_TEST(choices_are_suggested_by_their_beginning)
{
    complete(OF_PROMPT("talk") TYPED("unit", ""));
    ck_at("/result/completion",
          "{'values':['metric','imperial'],'total':2,'hasMore':false}");
    complete(OF_PROMPT("talk") TYPED("unit", "IM"));
    ck_at("/result/completion/values", "['imperial']");
    complete(OF_PROMPT("talk") TYPED("unit", "imperial!"));
    ck_at("/result/completion", "{'values':[],'total':0,'hasMore':false}");
    complete(OF_TEMPLATE("test://weather/{place}{?day,unit}")
                 TYPED("unit", "m"));
    ck_at("/result/completion/values", "['metric']");
    ck_at("/result/resultType", "'complete'");
    ck_at("/result/ttlMs", "(absent)");
}
END_TEST

START_TEST(an_argument_nobody_completes_has_no_suggestions)
{
    complete(OF_PROMPT("talk") TYPED("about", "x"));
    ck_at("/result/completion", "{'values':[],'total':0,'hasMore':false}");
}
END_TEST

START_TEST(a_completer_sees_what_was_typed_and_filled_in)
{
    complete(OF_PROMPT("test_prompt_with_arguments") TYPED("arg1", "par"));
    ck_at("/result/completion",
          "{'values':['paris','park','party'],'total':3,'hasMore':false}");
    complete(OF_PROMPT("test_prompt_with_arguments") TYPED("arg1", "part"));
    ck_at("/result/completion/values", "['party']");
    complete(OF_PROMPT("test_prompt_with_arguments") TYPED("arg2", ""));
    ck_at("/result/completion/values", "[]");
    complete(OF_PROMPT("test_prompt_with_arguments")
                 TYPED("arg2", "") ",'context':{'arguments':{'arg1':'paris'}}");
    ck_at("/result/completion/values", "['paris again']");
    complete(OF_PROMPT("test_prompt_with_arguments") TYPED("arg1", "!"));
    ck_error("-32602", "NOT_A_WORD", "1");
    ask_legacy("2025-03-26", "completion/complete",
               "'ref':{'type':'ref/prompt','name':"
               "'test_prompt_with_arguments'}" TYPED("arg1", "p"));
    ck_reply("{'jsonrpc':'2.0','id':1,'result':{'completion':{'values':"
             "['paris','park','party'],'total':3,'hasMore':false}}}");
}
END_TEST

// [COMPLETE-MOST]
START_TEST(a_hundred_values_are_the_most)
{
    complete(OF_TEMPLATE("test://template/{id}/data") TYPED("id", ""));
    ck_at("/result/completion/total", "150");
    ck_at("/result/completion/hasMore", "true");
    ck_at("/result/completion/values/99", "'99'");
    ck_at("/result/completion/values/100", "(absent)");
    complete(OF_TEMPLATE("test://template/{id}/data") TYPED("id", "14"));
    ck_at("/result/completion/total", "11");
    ck_at("/result/completion/hasMore", "false");
}
END_TEST

// [COMPLETE-REF]
START_TEST(what_cannot_be_completed_is_refused)
{
    static const struct {
        const char *more, *code, *says;
    } wrong[] = {
        {OF_PROMPT("none") TYPED("a", ""), "NOT_FOUND", "prompts/list"},
        {OF_TEMPLATE("test://none") TYPED("a", ""), "NOT_FOUND",
         "resources/templates/list"},
        {OF_TEMPLATE("test://static-text") TYPED("a", ""), "NOT_FOUND",
         "no resource template"},
        {OF_PROMPT("talk") TYPED("none", ""), "UNKNOWN_FIELD", "none"},
        {OF_PROMPT("talk"), "MISSING_FIELD", "params.argument"},
        {OF_PROMPT("talk") ",'argument':{'name':'unit'}", "MISSING_FIELD",
         "params.argument"},
        {OF_PROMPT("talk") ",'argument':{'name':'unit','value':1}",
         "MISSING_FIELD", "params.argument"},
        {TYPED("unit", ""), "MISSING_FIELD", "params.ref"},
        {",'ref':{'type':'ref/tool','name':'x'}" TYPED("unit", ""),
         "MISSING_FIELD", "params.ref"},
        {",'ref':{'type':'ref/prompt','uri':'x'}" TYPED("unit", ""),
         "MISSING_FIELD", "params.ref"},
        {OF_PROMPT("talk") TYPED("unit", "") ",'context':{'arguments':[]}",
         "WRONG_TYPE", "context"},
        {OF_PROMPT("talk")
             TYPED("unit", "") ",'context':{'arguments':{'about':1}}",
         "WRONG_TYPE", "context"},
    };

    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        complete(wrong[i].more);
        ck_error("-32602", wrong[i].code, "1");
        ck_says("/error/message", wrong[i].says);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("prompts");
    TCase *prompts = offers_case(suite, "prompts");
    TCase *completion = offers_case(suite, "completion");

    tcase_add_test(prompts, a_list_names_the_arguments);
    tcase_add_test(prompts, a_prompt_is_messages);
    tcase_add_test(prompts, messages_have_roles_and_every_kind_of_content);
    tcase_add_test(prompts, an_older_client_gets_what_it_knows);
    tcase_add_test(prompts, arguments_are_checked_by_name);
    tcase_add_test(prompts, the_header_repeats_the_name);
    tcase_add_test(prompts, a_definition_that_cannot_be_served_is_refused);
    tcase_add_test(completion, choices_are_suggested_by_their_beginning);
    tcase_add_test(completion, an_argument_nobody_completes_has_no_suggestions);
    tcase_add_test(completion, a_completer_sees_what_was_typed_and_filled_in);
    tcase_add_test(completion, a_hundred_values_are_the_most);
    tcase_add_test(completion, what_cannot_be_completed_is_refused);
    return run_suite(suite);
}

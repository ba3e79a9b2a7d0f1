// SPDX-License-Identifier: Apache-2.0
//
// Tools that ask, or continue by themselves, over REST: what is asked, how it is
// answered, and that the promises of kept calls hold here, too.
#include "protocol/base_path.h"

#include "test_rest.h"

// ---- Tools ----------------------------------------------------------------------

static int turns, booked;

static enum mica_status
two_rounds(struct mica_call *call, const struct anything *in, struct who *out)
{
    struct who who;
    struct sure sure;

    (void)in;
    turns++;
    MICA_TRY(mica_elicit(call, MICA_FORM(who, &who), "Who are you?"));
    MICA_TRY(mica_elicit(call, MICA_FORM(sure, &sure), "Sure, %.*s?",
                         MICA_ARG(who.name)));
    if (mica_text_is(who.name, "mica"))
        return mica_fail(call, "UNAUTHORIZED", "", "It speaks for mica.");
    out->name = mica_format(call, "%.*s: %s", MICA_ARG(who.name),
                            sure.yes ? "yes" : "no");
    return MICA_OK;
}
MICA_TOOL(two_rounds, anything, who, two_rounds, .description = "Asks twice.");

static enum mica_status
by_model(struct mica_call *call, const struct anything *in, struct who *out)
{
    (void)in;
    return mica_sample(
        call, &(struct mica_sampling){.prompt = MICA_LITERAL("Speak.")},
        &out->name);
}
MICA_TOOL(by_model, anything, who, by_model, .description = "Asks a model.");

static enum mica_status
by_roots(struct mica_call *call, const struct anything *in, struct who *out)
{
    struct mica_roots roots;

    (void)in;
    MICA_TRY(mica_roots(call, &roots));
    out->name = roots.count > 0 ? roots.items[0].uri : MICA_LITERAL("none");
    return MICA_OK;
}
MICA_TOOL(by_roots, anything, who, by_roots, .description = "Asks for roots.");

// A form with fields that look like the long form of an answer.
struct act {
    struct mica_text action;
};
MICA_RECORD(act, MICA_TEXT(action, "What to do."));

static enum mica_status
acts(struct mica_call *call, const struct anything *in, struct who *out)
{
    struct act act;

    (void)in;
    MICA_TRY(mica_elicit(call, MICA_FORM(act, &act), "What?"));
    out->name = act.action;
    return MICA_OK;
}
MICA_TOOL(acts, anything, who, acts, .description = "Asks for an action.");

static enum mica_status
book(struct mica_server_call *call, const struct who *in, struct sure *out)
{
    (void)call;
    (void)in;
    booked++;
    out->yes = true;
    return MICA_OK;
}
MICA_STEP(book, who, sure, book);

static enum mica_status
books(struct mica_call *call, const struct anything *in, struct who *out)
{
    struct who who;
    struct sure done;

    (void)in;
    MICA_TRY(mica_elicit(call, MICA_FORM(who, &who), "Who?"));
    MICA_TRY(MICA_RUN_STEP(book, call, &who, &done));
    out->name = who.name;
    return MICA_OK;
}
MICA_TOOL(books, anything, who, books, .description = "Asks, and books.",
          .steps = MICA_STEPS("book"));

static enum mica_status
works(struct mica_call *call, const struct anything *in, struct who *out)
{
    struct who who;

    (void)in;
    MICA_TRY(mica_elicit(call, MICA_FORM(who, &who), "Who?"));
    out->name = who.name;
    return MICA_OK;
}
MICA_TOOL(works, anything, who, works, .description = "A task that asks.",
          .task = MICA_TASK_OPTIONAL);

struct tells_in {
    bool ask;
};
MICA_RECORD(tells_in, MICA_BOOLEAN(ask, "Ask who it is?", .fallback = "false"));

static enum mica_status
tells(struct mica_call *call, const struct tells_in *in, struct who *out)
{
    struct who who = {.name = MICA_LITERAL("unknown")};

    mica_log(call, MICA_LOG_INFO, "begins");
    mica_log(call, MICA_LOG_DEBUG, "a detail");
    mica_progress(call, 1, 4, "half");
    mica_log(call, MICA_LOG_WARNING, "slow");
    mica_progress(call, 2, 4, "%s", "");
    if (in->ask) {
        MICA_TRY(mica_elicit(call, MICA_FORM(who, &who), "Who?"));
        mica_log(call, MICA_LOG_NOTICE, "%.*s", MICA_ARG(who.name));
    }
    out->name = who.name;
    return MICA_OK;
}
MICA_TOOL(tells, tells_in, who, tells, .description = "A task that tells.",
          .task = MICA_TASK_REQUIRED);

static void
open_asking(void)
{
    open_rest();
    add(&mica_tool_two_rounds);
    add(&mica_tool_by_model);
    add(&mica_tool_by_roots);
    add(&mica_tool_acts);
    add(&mica_tool_books);
    add(&mica_tool_works);
    add(&mica_tool_tells);
    turns = booked = 0;
}

// ---- Speaking -------------------------------------------------------------------

static char call_path[64], answer_path[80];

// The reply is a call that waits: keeps where it is.
static void
ck_waits(const char *key, const char *kind)
{
    char pointer[128];

    ck_assert_msg(harness.response.status == 202, "%u %s",
                  harness.response.status, harness.reply);
    ck_at("/status", "'input_required'");
    snprintf(pointer, sizeof pointer, "/questions/%s/kind", key);
    ck_assert_str_eq(at(pointer), quoted("'%s'", kind));
    snprintf(call_path, sizeof call_path, "%s", response_header("Location"));
    ck_assert(strncmp(call_path, "/api/calls/", 11) == 0);
    ck_assert_uint_eq(strlen(call_path), 11 + MICA_CALL_ID_SIZE - 1);
    ck_assert_str_eq(at("/links/self"), quoted("'%s'", call_path));
    snprintf(answer_path, sizeof answer_path, "%.*s",
             (int)strlen(at("/links/answers")) - 2, at("/links/answers") + 1);
}

static const char *
id(void)
{
    return call_path + strlen("/api/calls/");
}

static void
begin_two(void)
{
    ck_assert_uint_eq(post("/api/two_rounds", "{}"), 202);
    ck_waits("who", "form");
}

#define ADA  "{'who':{'action':'accept','content':{'name':'Ada'}}}"
#define SURE "{'sure':{'yes':true}}"

// ---- Questions and answers --------------------------------------------------------

START_TEST(a_tool_that_asks_is_accepted_and_goes_on_to_its_end)
{
    begin_two();
    ck_at("/tool", "'two_rounds'");
    ck_at("/round", "1");
    ck_at("/questions/who/message", "'Who are you?'");
    ck_at("/questions/who/schema/properties/name/type", "'string'");
    ck_at("/questions/who/schema/required", "['name']");
    ck_assert_uint_eq(post(answer_path, ADA), 202);
    ck_waits("sure", "form");
    ck_at("/round", "2");
    ck_at("/questions/who", "(absent)");
    ck_at("/questions/sure/message", "'Sure, Ada?'");
    ck_assert_uint_eq(post(answer_path, SURE), 200);
    ck_reply("{'name':'Ada: yes'}");
    ck_assert_str_eq(response_header("Location"), "(absent)");
}
END_TEST

START_TEST(a_bare_value_is_the_content_of_a_form)
{
    begin_two();
    ck_assert_uint_eq(post(call_path, "{'who':{'name':'Ada'}}"), 202);
    ck_waits("sure", "form");
    ck_assert_uint_eq(post(call_path, SURE), 200);
    ck_reply("{'name':'Ada: yes'}");
}
END_TEST

START_TEST(a_form_may_have_a_field_of_that_name)
{
    ck_assert_uint_eq(post("/api/acts", "{}"), 202);
    ck_waits("act", "form");
    ck_assert_uint_eq(post(answer_path, "{'act':{'action':'jump'}}"), 200);
    ck_reply("{'name':'jump'}");
    post("/api/acts", "{}");
    ck_waits("act", "form");
    ck_assert_uint_eq(post(answer_path, "{'act':{'action':'accept','content':"
                                        "{'action':'accept'}}}"),
                      200);
    ck_reply("{'name':'accept'}");
}
END_TEST

START_TEST(a_model_is_asked_and_answers_with_a_text_or_a_message)
{
    ck_assert_uint_eq(post("/api/by_model", "{}"), 202);
    ck_waits("sample", "sampling");
    ck_says("/questions/sample/request/messages", "Speak.");
    ck_at("/questions/sample/schema/type", "'object'");
    ck_assert_uint_eq(post(answer_path, "{'sample':'Words.'}"), 200);
    ck_reply("{'name':'Words.'}");
    post("/api/by_model", "{}");
    ck_waits("sample", "sampling");
    ck_assert_uint_eq(
        post(answer_path, "{'sample':{'role':'assistant','model':'m','content':"
                          "{'type':'text','text':'Whole.'}}}"),
        200);
    ck_reply("{'name':'Whole.'}");
}
END_TEST

static int sampled;

static enum mica_status
speak(void *data, struct mica_text params, const atomic_bool *cancelled,
      struct mica_arena *arena, struct mica_error *error,
      struct mica_text *words_out)
{
    ck_assert_ptr_null(data);
    ck_assert(!atomic_load(cancelled));
    ck_assert_ptr_nonnull(arena);
    ck_assert_ptr_nonnull(strstr(params.ptr, "Speak."));
    if (sampled++ > 0)
        return mica_error_set(error, MICA_E_CLIENT, "", "it has no more words");
    *words_out = MICA_LITERAL("Spoken \"so\".");
    return MICA_OK;
}

START_TEST(a_provider_answers_for_the_model_and_else_the_client)
{
    const struct mica_model_provider model_provider = {.generate = speak};

    sampled = 0;
    harness.server->model_provider = &model_provider;
    rest("POST", "/api/by_model", "{}");
    header("Mica-Asks", "none"); // the server answers it by itself
    ck_assert_uint_eq(ask(), 200);
    ck_reply("{'name':'Spoken \\\"so\\\".'}");
    ck_assert_int_eq(sampled, 1);
    ck_assert_uint_eq(post("/api/by_model", "{}"), 202);
    ck_waits("sample", "sampling");
    ck_assert_int_eq(sampled, 2);
    harness.server->model_provider = NULL;
    ck_assert_uint_eq(post(answer_path, "{'sample':'Words.'}"), 200);
    ck_reply("{'name':'Words.'}");
}
END_TEST

START_TEST(a_call_has_a_page_where_there_are_pages)
{
    begin_two();
    ck_at("/links/page", "(absent)");
    harness.server->pages = true;
    begin_two();
    ck_assert_str_eq(at("/links/page"), quoted("'/calls/%s'", id()));
}
END_TEST

// The longest that there may be.
START_TEST(a_call_has_the_base_path_of_its_request)
{
    char base[MICA_BASE_PATH_BYTES + 1] = "/";

    memset(base + 1, 'b', MICA_BASE_PATH_BYTES - 1);
    harness.server->pages = true;
    rest("POST", "/api/by_roots", "{}");
    harness.request.base = mica_text(base);
    ck_assert_uint_eq(ask(), 202);
    const char *call = response_header("Location");
    ck_assert(strncmp(call, base, MICA_BASE_PATH_BYTES) == 0);
    ck_assert(strncmp(call + MICA_BASE_PATH_BYTES, "/api/calls/", 11) == 0);
    ck_assert_uint_eq(strlen(call),
                      MICA_BASE_PATH_BYTES + 11 + MICA_CALL_ID_SIZE - 1);
    ck_assert_str_eq(at("/links/self"), quoted("'%s'", call));
    ck_assert_str_eq(at("/links/answers"), quoted("'%s?round=1'", call));
    ck_assert_str_eq(
        at("/links/page"),
        quoted("'%s/calls/%s'", base, call + MICA_BASE_PATH_BYTES + 11));
}
END_TEST

START_TEST(roots_are_asked_for_and_answered_with_a_list)
{
    ck_assert_uint_eq(post("/api/by_roots", "{}"), 202);
    ck_waits("roots", "roots");
    ck_assert_uint_eq(post(answer_path, "{'roots':[{'uri':'file:///x'}]}"),
                      200);
    ck_reply("{'name':'file:///x'}");
    post("/api/by_roots", "{}");
    ck_waits("roots", "roots");
    ck_assert_uint_eq(post(answer_path, "{'roots':{'roots':[]}}"), 200);
    ck_reply("{'name':'none'}");
}
END_TEST

START_TEST(a_refusal_of_the_person_is_a_problem)
{
    begin_two();
    post(answer_path, "{'who':{'action':'decline'}}");
    ck_problem(422, "ELICITATION_DECLINED", "(absent)");
    post("/api/two_rounds", "{}");
    ck_waits("who", "form");
    post(answer_path, "{'who':{'action':'cancel'}}");
    ck_problem(422, "ELICITATION_CANCELLED", "(absent)");
}
END_TEST

START_TEST(an_invalid_answer_is_asked_for_again_with_its_fault)
{
    begin_two();
    ck_assert_uint_eq(post(answer_path, "{'who':{'name':''}}"), 202);
    ck_waits("who#2", "form");
    ck_at("/questions/who#2/message", "'Who are you?'");
    ck_says("/questions/who#2/error/detail", "name");
    ck_at("/questions/who#2/error/code", "'OUT_OF_RANGE'");
    ck_at("/questions/who#2/error/pointer", "'/name'");
    ck_at("/questions/who/error", "(absent)");
    ck_assert_uint_eq(post(answer_path, "{'who#2':{'name':'Ada'}}"), 202);
    ck_waits("sure", "form");
}
END_TEST

START_TEST(answers_of_a_wrong_shape_are_refused)
{
    begin_two();
    post(answer_path, "{'who':'Ada'}");
    ck_problem(422, "WRONG_TYPE", "(absent)");
    post(answer_path, "[]");
    ck_problem(422, "WRONG_TYPE", "(absent)");
    post(answer_path, "{");
    ck_problem(400, "INVALID_JSON", "(absent)");
    post(answer_path, "");
    ck_problem(400, "INVALID_JSON", "(absent)");
    post(quoted("%s?rond=1", call_path), ADA);
    ck_problem(422, "UNKNOWN_FIELD", "(absent)");
    post(quoted("%s?round=x", call_path), ADA);
    ck_problem(422, "UNKNOWN_FIELD", "(absent)");
    post(quoted("%s?round=%%", call_path), ADA);
    ck_problem(400, "BAD_FORMAT", "(absent)");
    // It waits as before.
    ck_assert_uint_eq(post(answer_path, ADA), 202);
    ck_waits("sure", "form");
}
END_TEST

// ---- Promises ---------------------------------------------------------------------

// CALL-3.
START_TEST(a_round_that_comes_again_is_answered_again)
{
    char first[80];

    ck_assert_uint_eq(post("/api/books", "{}"), 202);
    ck_waits("who", "form");
    snprintf(first, sizeof first, "%s", answer_path);
    ck_assert_uint_eq(post(first, ADA), 200);
    ck_assert_uint_eq(post(first, "{'who':{'name':'Ada'}}"), 200);
    ck_reply("{'name':'Ada'}");
    ck_assert_int_eq(booked, 1);
}
END_TEST

START_TEST(a_late_answer_to_an_earlier_round_gets_that_rounds_reply)
{
    char first[80];

    begin_two();
    snprintf(first, sizeof first, "%s", answer_path);
    ck_assert_uint_eq(post(first, ADA), 202);
    ck_waits("sure", "form");
    ck_assert_uint_eq(post(first, ADA), 202);
    ck_waits("sure", "form");
    ck_at("/round", "2");
    post(first, "{'who':{'name':'Eve'}}");
    ck_problem(409, "STATE_SUPERSEDED", "(absent)");
    ck_assert_uint_eq(post(answer_path, SURE), 200);
    ck_reply("{'name':'Ada: yes'}");
}
END_TEST

START_TEST(a_round_that_never_was_is_refused)
{
    begin_two();
    post(quoted("%s?round=9", call_path), ADA);
    ck_problem(400, "STATE_INVALID", "(absent)");
}
END_TEST

START_TEST(a_call_that_somebody_else_runs_is_to_be_tried_again)
{
    const struct mica_calls *calls = harness.server->calls;
    struct mica_kept_call claimed;
    struct mica_error error;
    struct mica_arena arena;

    begin_two();
    mica_arena_init(&arena, 1 << 20);
    ck_assert(calls->claim_for_client(calls->data, mica_text(id()),
                                      &(struct mica_caller){.principal = NULL},
                                      &arena, &error, &claimed) == MICA_OK);
    post(answer_path, ADA);
    ck_problem(503, "CALL_BUSY", "(absent)");
    ck_at("/retryable", "true");
    ck_assert_str_eq(response_header("Retry-After"), "1");
    calls->release(calls->data, &claimed);
    ck_assert_uint_eq(post(answer_path, ADA), 202);
    mica_arena_fini(&arena);
}
END_TEST

// CALL-6.
START_TEST(an_answer_waits_for_the_build_of_its_call)
{
    char first[80], created[64], expires[64];

    mind_builds();
    begin_two();
    snprintf(first, sizeof first, "%s", answer_path);
    ck_assert_uint_eq(post(first, ADA), 202);
    ck_waits("sure", "form");
    snprintf(created, sizeof created, "%s", at("/created"));
    snprintf(expires, sizeof expires, "%s", at("/expires"));
    turns = 0;
    harness.server->registry.version = mica_text("2");
    post(answer_path, SURE);
    ck_problem(500, "BUILD_MISSING", "(absent)");
    ck_at("/retryable", "true");
    ck_assert_uint_eq(post(first, ADA), 202); // CALL-3: that needs no build
    ck_waits("sure", "form");
    ck_at("/tool", "'two_rounds'");
    ck_assert_str_eq(at("/created"), created);
    ck_assert_str_eq(at("/expires"), expires);
    ck_assert_int_eq(turns, 0);
    harness.server->registry.version = mica_text("1.2.3");
    ck_assert_uint_eq(post(answer_path, SURE), 200);
    ck_reply("{'name':'Ada: yes'}");
    harness.server->registry.version = mica_text("2");
    ck_assert_uint_eq(post(answer_path, SURE), 200);
    ck_reply("{'name':'Ada: yes'}");
}
END_TEST

START_TEST(a_call_is_gone_when_its_time_has_passed)
{
    begin_two();
    clock_ms += 24 * 3600 * 1000 + 1; // as long as a call is kept
    ck_assert_uint_eq(get(call_path), 404);
    post(answer_path, ADA);
    ck_problem(404, "NOT_FOUND", "(absent)");
}
END_TEST

START_TEST(a_call_is_for_who_began_it)
{
    const struct mica_principal other = {.issuer = MICA_LITERAL("iss"),
                                         .subject = MICA_LITERAL("eve"),
                                         .scopes = MICA_LITERAL("a")};

    asks_as = &someone;
    begin_two();
    asks_as = &other;
    ck_assert_uint_eq(get(call_path), 404);
    ck_assert_uint_eq(post(answer_path, ADA), 404);
    rest("DELETE", call_path, "");
    ck_assert_uint_eq(ask(), 404);
    asks_as = NULL;
    ck_assert_uint_eq(get(call_path), 404);
    asks_as = &someone;
    ck_assert_uint_eq(get(call_path), 200);
    ck_assert_uint_eq(post(answer_path, ADA), 202);
}
END_TEST

START_TEST(ids_that_are_none_are_not_found)
{
    static const char *const paths[] = {
        "/api/calls/x", "/api/calls/AAAAAAAAAAAAAAAAAAAAAA",
        "/api/calls/AAAAAAAAAAAAAAAAAAAAAAA", "/api/calls/%00"};

    for (size_t i = 0; i < MICA_COUNT(paths); i++)
        ck_assert_uint_eq(get(paths[i]), 404);
    ck_assert_uint_eq(get("/api/calls"), 404); // a tool of that name
}
END_TEST

START_TEST(a_key_is_one_call)
{
    char first[64];

    for (int i = 0; i < 2; i++) {
        rest("POST", "/api/books", "{}");
        header("Idempotency-Key", i == 0 ? "\"k-1\"" : "k-1");
        ck_assert_uint_eq(ask(), 202);
        ck_waits("who", "form");
        if (i == 0)
            snprintf(first, sizeof first, "%s", call_path);
        ck_assert_str_eq(first, call_path);
    }
    ck_assert_uint_eq(post(answer_path, ADA), 200);
    rest("POST", "/api/books", "{}");
    header("Idempotency-Key", "k-1");
    ck_assert_uint_eq(ask(), 200);
    ck_reply("{'name':'Ada'}");
    ck_assert_int_eq(booked, 1);
    rest("POST", "/api/books", quoted("{'number':1}"));
    header("Idempotency-Key", "k-1");
    ck_assert_uint_eq(ask(), 409);
    ck_at("/code", "'STATE_SUPERSEDED'");
}
END_TEST

// What one surface has begun is found by its key on the other.
START_TEST(a_key_is_the_same_call_over_mcp)
{
    rest("POST", "/api/books", "{}");
    header("Idempotency-Key", "k-2");
    ck_assert_uint_eq(ask(), 202);
    ck_waits("who", "form");
    say("tools/call", "'name':'books','arguments':{}", NULL, NULL,
        ",'mica/idempotencyKey':'k-2'");
    ck_asks("who");
    call("'name':'books','arguments':{}", NAMED("Ada"), state);
    ck_at("/result/structuredContent", "{'name':'Ada'}");
    ck_assert_uint_eq(get(call_path), 200);
    ck_at("/status", "'completed'");
    ck_at("/result", "{'name':'Ada'}");
    ck_assert_int_eq(booked, 1);
}
END_TEST

START_TEST(a_call_of_mcp_is_read_here_as_well)
{
    say("tools/call", "'name':'books','arguments':{}", NULL, NULL,
        ",'mica/idempotencyKey':'k-3'");
    ck_asks("who");
    rest("POST", "/api/books", "{}");
    header("Idempotency-Key", "k-3");
    ck_assert_uint_eq(ask(), 202);
    ck_waits("who", "form");
    ck_assert_uint_eq(post(answer_path, ADA), 200);
    ck_reply("{'name':'Ada'}");
}
END_TEST

// ---- State, giving up, tasks --------------------------------------------------------

START_TEST(a_call_says_how_it_is)
{
    begin_two();
    ck_assert_uint_eq(get(call_path), 200);
    ck_at("/status", "'input_required'");
    ck_at("/questions/who/kind", "'form'");
    ck_at("/created", "'2027-01-15T08:00:00Z'");
    ck_at("/expires", "'2027-01-16T08:00:00Z'");
    ck_at("/result", "(absent)");
    ck_assert_str_eq(response_header("Cache-Control"), "no-store");
    post(answer_path, ADA);
    ck_waits("sure", "form");
    post(answer_path, SURE);
    ck_assert_uint_eq(get(call_path), 200);
    ck_at("/status", "'completed'");
    ck_at("/result", "{'name':'Ada: yes'}");
    ck_at("/questions", "(absent)");
    ck_at("/links/answers", "(absent)");
}
END_TEST

START_TEST(a_call_that_failed_says_why)
{
    begin_two();
    post(answer_path, "{'who':{'action':'decline'}}");
    ck_assert_uint_eq(get(call_path), 200);
    ck_at("/result", "(absent)");
    ck_at("/problem/code", "'ELICITATION_DECLINED'");
    ck_at("/problem/status", "422");
}
END_TEST

START_TEST(a_call_is_given_up)
{
    begin_two();
    rest("DELETE", call_path, "");
    ck_assert_uint_eq(ask(), 202);
    ck_at("/status", "'working'");
    ck_at("/questions", "(absent)");
    ck_at("/links/answers", "(absent)");
    resume(id(), MICA_OK); // as the turn queue does
    ck_assert_uint_eq(get(call_path), 200);
    ck_at("/status", "'cancelled'");
    ck_at("/problem/code", "'CANCELLED'");
    rest("DELETE", call_path, "");
    ck_assert_uint_eq(ask(), 200);
    post(answer_path, ADA);
    ck_problem(499, "CANCELLED", "(absent)");
}
END_TEST

START_TEST(a_task_is_accepted_asked_for_and_answered)
{
    ck_assert_uint_eq(post("/api/works", "{}"), 202);
    ck_at("/status", "'working'");
    ck_assert_str_eq(response_header("Retry-After"), "1");
    snprintf(call_path, sizeof call_path, "%s", response_header("Location"));
    resume(id(), MICA_OK);
    ck_assert_uint_eq(get(call_path), 200);
    ck_at("/status", "'input_required'");
    ck_at("/questions/who/kind", "'form'");
    ck_assert_uint_eq(post(call_path, "{'who':{'name':'Ada'}}"), 202);
    ck_at("/status", "'working'");
    resume(id(), MICA_OK);
    ck_assert_uint_eq(get(call_path), 200);
    ck_at("/status", "'completed'");
    ck_at("/result", "{'name':'Ada'}");
    ck_assert_uint_eq(post(call_path, "{'who':{'name':'Eve'}}"), 200);
    ck_at("/result", "{'name':'Ada'}");
}
END_TEST

START_TEST(a_task_says_what_it_has_told_and_from_where_on)
{
    char after[128];

    ck_assert_uint_eq(post("/api/tells", "{}"), 202);
    ck_at("/log", "(absent)");
    ck_at("/progress", "(absent)");
    snprintf(call_path, sizeof call_path, "%s", response_header("Location"));
    resume(id(), MICA_OK);
    ck_assert_uint_eq(get(call_path), 200);
    ck_at("/status", "'completed'");
    ck_at("/note", "'half'");
    ck_at("/progress", "{'progress':2,'total':4}");
    ck_at("/log", "[{'number':1,'level':'info','message':'begins'},"
                  "{'number':2,'level':'warning','message':'slow'}]");
    snprintf(after, sizeof after, "%s?after=1", call_path);
    ck_assert_uint_eq(get(after), 200);
    ck_at("/log", "[{'number':2,'level':'warning','message':'slow'}]");
    snprintf(after, sizeof after, "%s?round=1&after=2", call_path);
    ck_assert_uint_eq(get(after), 200);
    ck_at("/log", "[]");
    snprintf(after, sizeof after, "%s?after=x", call_path);
    ck_assert_uint_eq(get(after), 422);
    snprintf(after, sizeof after, "%s?after=1&after=2", call_path);
    ck_assert_uint_eq(get(after), 422);
}
END_TEST

// A client that asks while it works sees what it has told until then, in each turn.
START_TEST(what_a_task_tells_is_kept_from_turn_to_turn)
{
    ck_assert_uint_eq(post("/api/tells", "{'ask':true}"), 202);
    snprintf(call_path, sizeof call_path, "%s", response_header("Location"));
    resume(id(), MICA_OK);
    ck_assert_uint_eq(get(call_path), 200);
    ck_at("/status", "'input_required'");
    ck_at("/log/1/number", "2");
    ck_assert_uint_eq(post(call_path, "{'who':{'name':'Ada'}}"), 202);
    resume(id(), MICA_OK);
    ck_assert_uint_eq(get(call_path), 200);
    ck_at("/status", "'completed'");
    ck_at("/log/0/message", "'begins'");
    ck_at("/log/1/message", "'slow'");
    ck_at("/log/2", "{'number':3,'level':'notice','message':'Ada'}");
    ck_at("/log/3", "(absent)");
}
END_TEST

START_TEST(a_client_that_answers_nothing_is_told_what_is_missing)
{
    rest("POST", "/api/two_rounds", "{}");
    header("Mica-Asks", "sampling");
    ck_assert_uint_eq(ask(), 400);
    ck_at("/code", "'CAPABILITY_MISSING'");
    ck_says("/requiredCapabilities", "elicitation");
}
END_TEST

// Its reply is kept in MCP's words, and read from there.
START_TEST(a_call_that_was_kept_cannot_speak_with_the_codes_of_mica)
{
    begin_two();
    ck_assert_uint_eq(post(answer_path, "{'who':{'name':'mica'}}"), 202);
    ck_waits("sure", "form");
    ck_assert_uint_eq(post(answer_path, SURE), 422);
    ck_at("/status", "422");
    ck_at("/code", "'UNAUTHORIZED'");
    ck_at("/type", "'/api/errors/FAILED'");
    ck_assert_uint_eq(get(call_path), 200);
    ck_at("/problem/status", "422");
    ck_at("/problem/code", "'UNAUTHORIZED'");
    ck_at("/problem/type", "'/api/errors/FAILED'");
}
END_TEST

START_TEST(a_tool_that_asks_nobody_is_no_call)
{
    ck_assert_uint_eq(post("/api/echo", "{'x':1}"), 200);
    ck_reply("{'x':1}");
    ck_assert_str_eq(response_header("Location"), "(absent)");
}
END_TEST

START_TEST(without_a_store_nobody_is_asked)
{
    const struct mica_calls *calls = harness.server->calls;

    harness.server->calls = NULL;
    ck_assert_uint_eq(post("/api/two_rounds", "{}"), 400);
    ck_at("/code", "'CAPABILITY_MISSING'");
    ck_assert_uint_eq(get("/api/calls/AAAAAAAAAAAAAAAAAAAAAA"), 404);
    harness.server->calls = calls;
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("rest_calls");
    TCase *group = tcase_create("calls");

    tcase_add_checked_fixture(group, open_asking, close_kept);
    suite_add_tcase(suite, group);
    tcase_add_test(group, a_tool_that_asks_is_accepted_and_goes_on_to_its_end);
    tcase_add_test(group,
                   a_call_that_was_kept_cannot_speak_with_the_codes_of_mica);
    tcase_add_test(group, a_call_has_the_base_path_of_its_request);
    tcase_add_test(group, a_bare_value_is_the_content_of_a_form);
    tcase_add_test(group, a_form_may_have_a_field_of_that_name);
    tcase_add_test(group,
                   a_model_is_asked_and_answers_with_a_text_or_a_message);
    tcase_add_test(group, a_provider_answers_for_the_model_and_else_the_client);
    tcase_add_test(group, a_call_has_a_page_where_there_are_pages);
    tcase_add_test(group, roots_are_asked_for_and_answered_with_a_list);
    tcase_add_test(group, a_refusal_of_the_person_is_a_problem);
    tcase_add_test(group, an_invalid_answer_is_asked_for_again_with_its_fault);
    tcase_add_test(group, answers_of_a_wrong_shape_are_refused);
    tcase_add_test(group, a_round_that_comes_again_is_answered_again);
    tcase_add_test(group,
                   a_late_answer_to_an_earlier_round_gets_that_rounds_reply);
    tcase_add_test(group, a_round_that_never_was_is_refused);
    tcase_add_test(group, a_call_that_somebody_else_runs_is_to_be_tried_again);
    tcase_add_test(group, an_answer_waits_for_the_build_of_its_call);
    tcase_add_test(group, a_call_is_gone_when_its_time_has_passed);
    tcase_add_test(group, a_call_is_for_who_began_it);
    tcase_add_test(group, ids_that_are_none_are_not_found);
    tcase_add_test(group, a_key_is_one_call);
    tcase_add_test(group, a_key_is_the_same_call_over_mcp);
    tcase_add_test(group, a_call_of_mcp_is_read_here_as_well);
    tcase_add_test(group, a_call_says_how_it_is);
    tcase_add_test(group, a_call_that_failed_says_why);
    tcase_add_test(group, a_call_is_given_up);
    tcase_add_test(group, a_task_is_accepted_asked_for_and_answered);
    tcase_add_test(group, a_task_says_what_it_has_told_and_from_where_on);
    tcase_add_test(group, what_a_task_tells_is_kept_from_turn_to_turn);
    tcase_add_test(group,
                   a_client_that_answers_nothing_is_told_what_is_missing);
    tcase_add_test(group, a_tool_that_asks_nobody_is_no_call);
    tcase_add_test(group, without_a_store_nobody_is_asked);
    return run_suite(suite);
}

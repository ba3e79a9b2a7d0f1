// SPDX-License-Identifier: Apache-2.0
//
// The OpenAPI document: that it names every tool with its schemas and examples, and
// that what refers to something refers to what is there. A validator and a client
// that is made of it are in tests/peers.
#include "test_rest.h"

static void
get_document(void)
{
    ck_assert_uint_eq(get("/openapi.json"), 200);
    ck_at("/openapi", "'3.1.0'");
}

START_TEST(the_document_says_whose_it_is)
{
    get_document();
    ck_at("/info/title", "'A test'");
    ck_at("/info/version", "'1.2.3'");
    ck_at("/info/description", "'For the tests.'");
    ck_at("/servers/0/url", "'/'");
    ck_assert_str_ne(response_header("ETag"), "(absent)");
}
END_TEST

START_TEST(an_engine_has_two_operations)
{
    get_document();
    ck_at("/paths/~1api~1add_up/get/operationId", "'add_up.get'");
    ck_at("/paths/~1api~1add_up/post/operationId", "'add_up'");
    ck_at("/paths/~1api~1add_up/post/summary", "'Adds up'");
    ck_at("/paths/~1api~1add_up/post/tags/0", "'math'");
    ck_at("/paths/~1api~1add_up/post/parameters", "(absent)");
    ck_at("/paths/~1api~1add_up/post/responses/202", "(absent)");
    ck_at("/paths/~1api~1add_up/get/responses/304/$ref",
          "'#/components/responses/Unchanged'");
    ck_at("/paths/~1api~1add_up/get/parameters/0/name", "'a'");
    ck_at("/paths/~1api~1add_up/get/parameters/0/required", "true");
    ck_at("/paths/~1api~1add_up/get/parameters/0/description", "'The first.'");
    ck_at("/paths/~1api~1add_up/get/parameters/1/required", "false");
    ck_at("/paths/~1api~1add_up/get/parameters/2/schema/type", "'array'");
}
END_TEST

START_TEST(a_native_tool_has_one_that_may_be_accepted)
{
    get_document();
    ck_at("/paths/~1api~1echo/get", "(absent)");
    ck_at("/paths/~1api~1echo/post/responses/202/$ref",
          "'#/components/responses/Accepted'");
    ck_at("/paths/~1api~1echo/post/parameters/0/$ref",
          "'#/components/parameters/IdempotencyKey'");
    ck_assert_str_ne(at("/paths/~1api~1calls~1{id}/post"), "(absent)");
}
END_TEST

START_TEST(schemas_and_examples_are_those_of_the_tool)
{
    get_document();
    ck_at("/paths/~1api~1add_up/post/requestBody/content/application~1json/"
          "schema/$ref",
          "'#/components/schemas/add_up.input'");
    ck_at("/components/schemas/add_up.input/properties/a/maximum",
          "1000000000");
    ck_at("/components/schemas/add_up.input/required", "['a']");
    ck_at("/components/schemas/add_up.output/properties/sum/type", "'number'");
    ck_at("/paths/~1api~1add_up/post/requestBody/content/application~1json/"
          "examples/1",
          "{'summary':'one and two','value':{'a':1,'b':2}}");
}
END_TEST

START_TEST(references_of_a_schema_point_to_where_it_stands)
{
    const struct mica_tool tree = {
        .name = "tree",
        .description = "A tree.",
        .input_schema =
            "{\"type\":\"object\",\"properties\":{\"root\":{\"$ref\":"
            "\"#/$defs/node\"},\"self\":{\"$ref\":\"#\"},\"const\":{\"const\":"
            "{\"$ref\":\"#/x\"}}},\"$defs\":{\"node\":{\"type\":\"object\","
            "\"properties\":{\"next\":{\"$ref\":\"#/$defs/node\"}}}}}",
        .json_handler = tool_echo};

    add(&tree);
    get_document();
    ck_at("/components/schemas/tree.input/properties/root/$ref",
          "'#/components/schemas/tree.input/$defs/node'");
    ck_at("/components/schemas/tree.input/properties/self/$ref",
          "'#/components/schemas/tree.input'");
    ck_at("/components/schemas/tree.input/$defs/node/properties/next/$ref",
          "'#/components/schemas/tree.input/$defs/node'");
}
END_TEST

// Every "$ref" of the document that is not a value.
static void
follow(const struct mica_json *value, unsigned *count)
{
    if (value->kind == MICA_JSON_OBJECT) {
        struct mica_text reference = mica_json_get_text(value, "$ref");
        if (reference.len > 0) {
            ck_assert(reference.ptr[0] == '#');
            ck_assert_msg(mica_json_pointer_get(
                              &harness.last,
                              mica_text_slice(reference, 1, reference.len)) !=
                              NULL,
                          "%.*s", MICA_ARG(reference));
            ++*count;
        }
        for (size_t i = 0; i < value->count; i++)
            follow(&value->members[i].value, count);
    } else if (value->kind == MICA_JSON_ARRAY) {
        for (size_t i = 0; i < value->count; i++)
            follow(&value->items[i], count);
    }
}

START_TEST(what_is_referred_to_is_there)
{
    unsigned count = 0;

    get_document();
    follow(&harness.last, &count);
    ck_assert_uint_gt(count, 50);
}
END_TEST

START_TEST(operations_have_names_of_their_own)
{
    const struct mica_json *paths;
    struct mica_text seen[64];
    size_t count = 0;

    get_document();
    paths = mica_json_get(&harness.last, "paths");
    for (size_t i = 0; i < paths->count; i++) {
        const struct mica_json *path = &paths->members[i].value;
        for (size_t k = 0; k < path->count; k++) {
            struct mica_text id =
                mica_json_get_text(&path->members[k].value, "operationId");
            for (size_t n = 0; n < count && id.len > 0; n++)
                ck_assert(!mica_text_equal(seen[n], id));
            ck_assert_uint_lt(count, MICA_COUNT(seen));
            seen[count++] = id;
        }
    }
    ck_assert_uint_gt(count, 10);
}
END_TEST

START_TEST(a_server_that_asks_for_tokens_says_so)
{
    struct mica_tool scoped = mica_tool_add_up;

    scoped.name = "scoped";
    scoped.scope = "read write";
    add(&scoped);
    get_document();
    ck_at("/security", "(absent)");
    ck_at("/components/securitySchemes", "(absent)");
    asks_as = &someone;
    get_document();
    ck_at("/security", "[{'bearer':[]}]");
    ck_at("/components/securitySchemes/bearer",
          "{'type':'http','scheme':'bearer'}");
    ck_at("/paths/~1api~1scoped/post/security",
          "[{'bearer':['read','write']}]");
    ck_at("/paths/~1api~1scoped/post/responses/403/$ref",
          "'#/components/responses/Problem'");
}
END_TEST

START_TEST(a_base_path_that_is_none_is_the_error_of_the_program)
{
    static const char *const bases[] = {"/", "x", "/x/", "/x\r\nSet-Cookie: a",
                                        "/x\"y"};

    for (size_t i = 0; i < MICA_COUNT(bases); i++) {
        rest("GET", "/api", "");
        harness.request.base = mica_text(bases[i]);
        ck_assert_uint_eq(ask(), 500);
        ck_at("/code", "'USAGE'");
        ck_at("/type", "'/api/errors/USAGE'");
    }
    rest("GET", "/openapi.json", "");
    harness.request.base = MICA_LITERAL("/tools/x");
    harness.request.origin = MICA_LITERAL("https://example.org");
    ck_assert_uint_eq(ask(), 200);
    ck_at("/servers/0/url", "'https://example.org/tools/x'");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("rest_openapi");
    TCase *group = add_rest(suite, "document");

    tcase_add_test(group, a_base_path_that_is_none_is_the_error_of_the_program);
    tcase_add_test(group, the_document_says_whose_it_is);
    tcase_add_test(group, an_engine_has_two_operations);
    tcase_add_test(group, a_native_tool_has_one_that_may_be_accepted);
    tcase_add_test(group, schemas_and_examples_are_those_of_the_tool);
    tcase_add_test(group, references_of_a_schema_point_to_where_it_stands);
    tcase_add_test(group, what_is_referred_to_is_there);
    tcase_add_test(group, operations_have_names_of_their_own);
    tcase_add_test(group, a_server_that_asks_for_tokens_says_so);
    return run_suite(suite);
}

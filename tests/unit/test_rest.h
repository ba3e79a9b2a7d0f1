// SPDX-License-Identifier: Apache-2.0
//
// What the tests of REST share: one request at a time to a server with tools of
// every kind, an engine among them. Of every reply it is checked that it is one
// JSON value on one line, that a refusal is a problem document of that status, and
// that no header can be split.
#ifndef MICA_TEST_REST_H
#define MICA_TEST_REST_H

#include "rest/rest.h"
#include "test_server_rounds.h"

// ---- An engine ------------------------------------------------------------------

#define SHA256 \
    "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

struct sum_in {
    double a, b;
    bool has_b;
    struct {
        size_t count;
        const struct mica_text *items;
    } tags;
    bool has_tags;
};
MICA_RECORD(sum_in,
            MICA_NUMBER(a, "The first.", .minimum = -1e9, .maximum = 1e9),
            MICA_NUMBER(b, "The second.", MICA_OPTIONAL(sum_in, b)),
            MICA_LIST(tags, text, "Words.", MICA_OPTIONAL(sum_in, tags)));

struct sum_out {
    double sum;
    int64_t tags;
};
MICA_RECORD(sum_out, MICA_NUMBER(sum, "a + b."),
            MICA_INTEGER(tags, "How many."));

static int sums; // how often it ran

static inline enum mica_status
add_up(struct mica_call *call, const struct sum_in *in, struct sum_out *out)
{
    sums++;
    if (in->a == 13)
        return mica_fail(call, "UNLUCKY", "/a", "a is 13; take another");
    if (in->a >= 1000 && in->a < 1000 + MICA_STATUS_COUNT)
        return mica_fail(call,
                         mica_status_code((enum mica_status)(in->a - 1000)),
                         "/a", "a speaks for mica");
    out->sum = in->a + (in->has_b ? in->b : 0);
    out->tags = in->has_tags ? (int64_t)in->tags.count : 0;
    return MICA_OK;
}
MICA_TOOL(
    add_up, sum_in, sum_out, add_up, .title = "Adds up",
    .description = "Adds two numbers.",
    .examples = MICA_EXAMPLES({.title = "one and two",
                               .input = MICA_JSON({"a": 1, "b": 2}),
                               .output = MICA_JSON({"sum": 3, "tags": 0})}));

// A tool that runs as an engine does: at once, and by its arguments alone.
static inline void
add_engine(const char *sha256)
{
    struct mica_definition *definition;
    struct mica_error error;

    ck_assert_msg(mica_definition_of_tool(&mica_tool_add_up, NULL, NULL, &error,
                                          &definition) == MICA_OK,
                  "%s", error.message);
    definition->category = MICA_LITERAL("math");
    definition->sha256 = mica_text(sha256);
    definition->runnable.inline_first = true;
    ck_assert_msg(mica_registry_redefine(&harness.server->registry, definition,
                                         &error) == MICA_OK,
                  "%s", error.message);
    sums = 0;
}

static struct mica_principal someone;
static const struct mica_principal *asks_as; // NULL: unknown

static inline void
open_rest(void)
{
    open_kept();
    add_engine(SHA256);
    someone = (struct mica_principal){.issuer = MICA_LITERAL("iss"),
                                      .subject = MICA_LITERAL("ada"),
                                      .scopes = MICA_LITERAL("a")};
}

// ---- Asking ---------------------------------------------------------------------

// Begins a request; `target` may have a query.
static inline void
rest(const char *method, const char *target, const char *body)
{
    const char *mark = strchr(target, '?');

    request(method, body);
    if (body[0] == '\0')
        without("Content-Type");
    harness.request.path = mica_text_slice(
        mica_text(target), 0,
        mark != NULL ? (size_t)(mark - target) : strlen(target));
    harness.request.query =
        mark != NULL ? mica_text(mark + 1) : (struct mica_text){NULL, 0};
    harness.request.principal = asks_as;
}

static inline void
check_headers(void)
{
    for (size_t i = 0; i < harness.response.header_count; i++) {
        struct mica_text value = harness.response.headers[i].value;
        ck_assert_uint_gt(value.len, 0);
        ck_assert(memchr(value.ptr, '\r', value.len) == NULL &&
                  memchr(value.ptr, '\n', value.len) == NULL);
    }
}

static inline void
read_reply(void)
{
    struct mica_text body = harness.response.body;
    struct mica_error error;

    free(harness.reply);
    harness.reply = calloc(1, body.len + 1);
    ck_assert_ptr_nonnull(harness.reply);
    mica_arena_reset(&harness.last_arena);
    memset(&harness.last, 0, sizeof harness.last);
    if (body.len == 0)
        return;
    memcpy(harness.reply, body.ptr, body.len);
    ck_assert_msg(memchr(body.ptr, '\n', body.len) == NULL, "two lines: %s",
                  harness.reply);
    if (mica_json_read(
            &harness.last_arena, (struct mica_text){harness.reply, body.len},
            &(struct mica_json_limits){.depth = 512, .bytes = 64 << 20}, &error,
            &harness.last) != MICA_OK)
        ck_abort_msg("not JSON: %s in %s", error.message, harness.reply);
}

// Sends it; the HTTP status.
static inline unsigned
ask(void)
{
    mica_arena_reset(&harness.arena);
    mica_server_handle_rest(harness.server, &harness.arena, allowed_by_test,
                            &harness.request, &harness.response);
    read_reply();
    check_headers();
    if (harness.response.status >= 400) {
        ck_assert_str_eq(response_header("Content-Type"),
                         "application/problem+json");
        ck_assert_str_eq(at("/status"), quoted("%u", harness.response.status));
        ck_assert_str_ne(at("/code"), "(absent)");
        ck_assert_str_ne(at("/title"), "(absent)");
        ck_assert_str_ne(at("/detail"), "(absent)");
        ck_assert(strstr(at("/type"), "/api/errors/") != NULL);
    }
    return harness.response.status;
}

static inline unsigned
get(const char *target)
{
    rest("GET", target, "");
    return ask();
}

static inline unsigned
post(const char *target, const char *body)
{
    rest("POST", target, quoted("%s", body));
    return ask();
}

// A problem with that code and place.
#define ck_problem(status_, code_, pointer_)                          \
    do {                                                              \
        ck_assert_msg(harness.response.status == (status_), "%u: %s", \
                      harness.response.status, harness.reply);        \
        ck_at("/code", "'" code_ "'");                                \
        ck_at("/pointer", pointer_);                                  \
    } while (0)

static inline TCase *
add_rest(Suite *suite, const char *name)
{
    TCase *group = tcase_create(name);

    tcase_add_checked_fixture(group, open_rest, close_kept);
    suite_add_tcase(suite, group);
    return group;
}

#endif

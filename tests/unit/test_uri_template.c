// SPDX-License-Identifier: Apache-2.0
//
// URI templates: what matches with which values, what never does, and which
// templates are refused. Expected values read "name=value …", "-" for absent.
#include "registry/uri_template.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

// The values as text, NULL when the URI does not match; good until the next call.
static const char *
match(const char *textz, struct mica_text uri)
{
    static char shown[512];
    struct mica_text values[48];
    struct mica_template template;
    struct mica_error error;
    struct mica_arena arena;
    bool matches;
    size_t at = 0;

    mica_arena_init(&arena, 1 << 20);
    if (mica_template_compile(&arena, mica_text(textz), &error, &template) !=
        MICA_OK)
        ck_abort_msg("%s", error.message);
    matches = mica_template_match(&template, uri, &arena, values);
    shown[0] = '\0';
    for (size_t i = 0; matches && i < template.variable_count; i++) {
        const struct mica_variable *variable = &template.variables[i];
        bool absent = values[i].ptr == NULL;
        ck_assert(!absent || variable->optional);
        at += (size_t)snprintf(shown + at, sizeof shown - at, "%s%.*s%s%.*s",
                               i > 0 ? " " : "", MICA_ARG(variable->name),
                               absent ? "-" : "=", MICA_ARG(values[i]));
    }
    mica_arena_fini(&arena);
    return matches ? shown : NULL;
}

struct pair {
    const char *text, *uri, *want;
};

static void
try_all(const struct pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *got = match(pairs[i].text, mica_text(pairs[i].uri));
        const char *want = pairs[i].want;
        ck_assert_msg((got == NULL) == (want == NULL) &&
                          (got == NULL || strcmp(got, want) == 0),
                      "%s on %s: '%s' instead of '%s'", pairs[i].text,
                      pairs[i].uri, got != NULL ? got : "(none)",
                      want != NULL ? want : "(none)");
    }
}

START_TEST(a_variable_is_one_segment_or_part_of_one)
{
    static const struct pair pairs[] = {
        {"t://x/{id}/data", "t://x/123/data", "id=123"},
        {"t://x/{id}/data", "t://x//data", NULL},
        {"t://x/{id}/data", "t://x/1/2/data", NULL},
        {"t://x/{id}/data", "t://x/1/data/", NULL},
        {"t://x/{id}/data", "t://x/1/datum", NULL},
        {"t://x/{id}/data", "t://x/data", NULL},
        {"t://x/{id}/data", "t://x/data/data", "id=data"},
        {"t://x/{id}", "t://x/", NULL},
        {"t://x/{id}", "t://x/a?b", NULL},
        {"t://x/{id}", "t://x/a#b", NULL},
        {"t://x/{id}", "T://x/a", NULL},
        {"t://x/{id}", "t://x/a:b@c;d,e", "id=a:b@c;d,e"},
        {"t://{a}/{b}", "t://1/2", "a=1 b=2"},
        {"t:{a}", "t:1", "a=1"},
        {"t:{a}", "", NULL},
        {"t:{a}", "t:", NULL},
        {"t://x/{a}.txt", "t://x/foo.bar.txt", "a=foo.bar"},
        {"t://x/{a}.txt", "t://x/foo.txt.txt", "a=foo.txt"},
        {"t://x/{a}.txt", "t://x/.txt", NULL},
        {"t://{year}-{month}", "t://2026-11-20", "year=2026 month=11-20"},
        {"t://{a}ab{b}", "t://xaab", NULL},
        {"t://{a}ab{b}", "t://xaaby", "a=xa b=y"},
        {"t://{a}-{b}-end", "t://1-2-3-end", "a=1 b=2-3"},
        {"t://x{a,b}", "t://x1,2", "a=1 b=2"},
        {"t://x{a,b}", "t://x1", "a=1 b-"},
        {"t://x{a,b}", "t://x1,", NULL},
        {"t://x{a,b}/y", "t://x1,2,3/y", "a=1 b=2,3"},
    };

    try_all(pairs, MICA_COUNT(pairs));
}
END_TEST

START_TEST(marks_stand_before_their_values_and_may_be_absent)
{
    static const struct pair pairs[] = {
        {"t://h{/a,b}", "t://h/1/2", "a=1 b=2"},
        {"t://h{/a,b}", "t://h/1", "a=1 b-"},
        {"t://h{/a,b}", "t://h", "a- b-"},
        {"t://h{/a,b}", "t://h/", NULL},
        {"t://h{/a,b}", "t://h/1/2/3", NULL},
        {"t://h{/a}/end", "t://h/end", "a-"},
        {"t://h{/a}/end", "t://h/end/end", "a=end"},
        {"t://h/{n}{.ext}", "t://h/a.tar.gz", "n=a ext=tar.gz"},
        {"t://h/{n}{.ext}", "t://h/a", "n=a ext-"},
        {"t://h/{n}{.ext}", "t://h/.hidden", "n=.hidden ext-"},
        {"t://h/{n}{.a,b}", "t://h/x.tar.gz", "n=x a=tar b=gz"},
        {"t://h/{n}{;v,w}", "t://h/x;w=2;v=1", "n=x v=1 w=2"},
        {"t://h/{n}{;v,w}", "t://h/x;v", "n=x v= w-"},
        {"t://h/{n}{;v}", "t://h/x;u=1", NULL},
        {"t://h/{n}{;v}", "t://h/x;v=1;v=2", NULL},
        {"t://h/{n}{;v}/end", "t://h/x;v=1/end", "n=x v=1"},
        {"t://h{#f}", "t://h#top", "f=top"},
        {"t://h{#f}", "t://h#a/b?c", "f=a/b?c"},
        {"t://h{#f}", "t://h", "f-"},
        {"t://h{#f}", "t://h#", NULL},
    };

    try_all(pairs, MICA_COUNT(pairs));
}
END_TEST

START_TEST(a_query_is_in_any_order)
{
    static const struct pair pairs[] = {
        {"t://h/{a}{?q,r}", "t://h/1?q=2&r=3", "a=1 q=2 r=3"},
        {"t://h/{a}{?q,r}", "t://h/1?r=3&q=2", "a=1 q=2 r=3"},
        {"t://h/{a}{?q,r}", "t://h/1", "a=1 q- r-"},
        {"t://h/{a}{?q,r}", "t://h/1?q=", "a=1 q= r-"},
        {"t://h/{a}{?q,r}", "t://h/1?q", "a=1 q= r-"},
        {"t://h/{a}{?q,r}", "t://h/1?", NULL},
        {"t://h/{a}{?q,r}", "t://h/1?q=1&", NULL},
        {"t://h/{a}{?q,r}", "t://h/1?q=1&q=2", NULL},
        {"t://h/{a}{?q,r}", "t://h/1?s=1", NULL},
        {"t://h/{a}{?q,r}", "t://h/1?q=a=b", "a=1 q=a=b r-"},
        {"t://h/{a}{?q}", "t://h/1?q=x%26y%2Fz", "a=1 q=x&y/z"},
        {"t://h/{a}{?q}", "t://h/1?q=1#f", NULL},
        {"t://h/{a}{?q}{#f}", "t://h/1?q=1#f", "a=1 q=1 f=f"},
        {"t://h/{a}{?q}{#f}", "t://h/1#f", "a=1 q- f=f"},
        {"t://h/x?v=1{&q}", "t://h/x?v=1&q=2", "q=2"},
        {"t://h/x?v=1{&q}", "t://h/x?v=1", "q-"},
        {"t://h/x?v=1{&q}", "t://h/x?v=2&q=2", NULL},
        {"t://h/x?v=1{&q}", "t://h/x", NULL},
        {"t://h/{a}?v=1&w=2{&q}{#f}", "t://h/x?v=1&w=2&q=3#y", "a=x q=3 f=y"},
        {"t://h{?q}{&r}", "t://h?r=1&q=2", "q=2 r=1"},
    };

    try_all(pairs, MICA_COUNT(pairs));
}
END_TEST

START_TEST(a_plus_takes_segments_but_never_climbs)
{
    static const struct pair pairs[] = {
        {"file:///{+path}", "file:///a/b/c.txt", "path=a/b/c.txt"},
        {"file:///{+path}", "file:///a%2Fb", "path=a/b"},
        {"file:///{+path}", "file:///", NULL},
        {"file:///{+path}", "file:///a?b", NULL},
        {"file:///{+path}", "file:///..", NULL},
        {"file:///{+path}", "file:///../a", NULL},
        {"file:///{+path}", "file:///a/..", NULL},
        {"file:///{+path}", "file:///a/../b", NULL},
        {"file:///{+path}", "file:///a/%2e%2E/b", NULL},
        {"file:///{+path}", "file:///a%2F..%2Fb", NULL},
        {"file:///{+path}", "file:///a%5C..%5Cb", NULL},
        {"file:///{+path}", "file:///./a", NULL},
        {"file:///{+path}", "file:////etc/passwd", NULL},
        {"file:///{+path}", "file:///%2Fetc/passwd", NULL},
        {"file:///{+path}", "file:///%5Cetc", NULL},
        {"file:///{+path}", "file:///a%00b", NULL},
        {"file:///{+path}", "file:///a...b/...", "path=a...b/..."},
        {"file:///{+path}/end", "file:///a/b/end/end", "path=a/b/end"},
        {"file:///{+path}{?v}", "file:///a/b?v=1", "path=a/b v=1"},
    };

    try_all(pairs, MICA_COUNT(pairs));
}
END_TEST

START_TEST(values_are_decoded_once_and_strictly)
{
    static const struct pair pairs[] = {
        {"t://{a}", "t://%41%c3%A9", "a=A\xc3\xa9"},
        {"t://{a}", "t://\xc3\xa9", "a=\xc3\xa9"},
        {"t://{a}", "t://%252e%252e", "a=%2e%2e"},
        {"t://{a}", "t://%", NULL},
        {"t://{a}", "t://%4", NULL},
        {"t://{a}", "t://%4g", NULL},
        {"t://{a}", "t://%c3", NULL},
        {"t://{a}", "t://%00", NULL},
        {"t://{a}", "t://..", NULL},
        {"t://{a}", "t://%2e", NULL},
        {"t://{a}", "t://a%2Fb", NULL},
        {"t://{a}", "t://a%5cb", NULL},
        {"t://{a}", "t://a\\b", NULL},
        {"t://{a}", "t://a b", NULL},
        {"t://{a}", "t://a\nb", NULL},
        {"t://{a}", "t://a%20b", "a=a b"},
        {"t://{a}", "t://{b}", NULL},
        {"t://h{?q}", "t://h?q=../x", NULL},
        {"t://h{?q}", "t://h?q=%ff", NULL},
    };

    try_all(pairs, MICA_COUNT(pairs));
    ck_assert_ptr_null(match("t://{a}", (struct mica_text){"t://a\0b", 7}));
    ck_assert_ptr_null(match("t://{a}", (struct mica_text){NULL, 0}));
}
END_TEST

START_TEST(what_could_be_read_in_two_ways_is_refused)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"t://{a}{b}", "follows another variable"},
        {"t://{/a}{b}", "follows another variable"},
        {"t://{a}{+b}", "follows another variable"},
        {"t://{+a}/{b}", "comes after {+"},
        {"t://{+a}/{+b}", "comes after {+"},
        {"t://{+a,b}", "one only"},
        {"t://h{#a,b}", "one only"},
        {"t://h{/a}/x/{b}", "may be absent"},
        {"t://{a,b}-{c}", "may be absent"},
        {"t://h{?a}/x", "comes after a query"},
        {"t://h{?a}{/b}", "comes after the query"},
        {"t://h{#a}{?b}", "comes after the fragment"},
        {"t://h{;a}{/b}", "ends the path"},
        {"t://h{&a}", "literal with '?'"},
        {"t://{a}/{a}", "twice"},
        {"t://{a*}", "is no name"},
        {"t://{a:3}", "is no name"},
        {"t://{=a}", "is no name"},
        {"t://{a", "not closed"},
        {"t://{}", "without a name"},
        {"t://{a,}", "without a name"},
        {"t://{+}", "without a name"},
        {"t://a}{b}", "cannot stand in a URI"},
        {"t://a b{c}", "cannot stand in a URI"},
        {"t://a%2{c}", "cannot stand in a URI"},
        {"t://\xc3\xa9{c}", "cannot stand in a URI"},
        {"{a}", "scheme"},
        {"{a}://b", "scheme"},
        {"1t://{b}", "scheme"},
        {"items/{b}", "scheme"},
        {"", "scheme"},
        {"t://fixed", "no variable"},
    };

    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        struct mica_template template;
        struct mica_error error;
        struct mica_arena arena;
        mica_arena_init(&arena, 1 << 20);
        ck_assert_msg(mica_template_compile(&arena, mica_text(wrong[i].text),
                                            &error, &template) == MICA_E_USAGE,
                      "%s was taken", wrong[i].text);
        ck_assert_msg(strstr(error.message, wrong[i].says) != NULL,
                      "%s: no '%s' in: %s", wrong[i].text, wrong[i].says,
                      error.message);
        mica_arena_fini(&arena);
    }
}
END_TEST

START_TEST(there_are_limits)
{
    static char text[4096], uri[MICA_TEMPLATE_URI_BYTES + 8];
    struct mica_template template;
    struct mica_error error;
    struct mica_arena arena;
    size_t at = 4;

    memset(uri, 'a', sizeof uri - 1);
    memcpy(uri, "t://", 4);
    ck_assert_ptr_null(match("t://{+a}", mica_text(uri)));
    uri[100] = '\0';
    ck_assert_ptr_nonnull(match("t://{+a}", mica_text(uri)));

    memcpy(text, "t://", 4);
    for (int i = 0; i < 49; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "{v%d}/", i);
    mica_arena_init(&arena, 1 << 20);
    ck_assert_int_eq(
        mica_template_compile(&arena, mica_text(text), &error, &template),
        MICA_E_USAGE);
    ck_assert_ptr_nonnull(strstr(error.message, "too many"));
    memset(text, 'x', sizeof text - 1);
    ck_assert_int_eq(
        mica_template_compile(&arena, mica_text(text), &error, &template),
        MICA_E_USAGE);
    mica_arena_fini(&arena);
    mica_arena_init(&arena, 64);
    ck_assert_int_eq(mica_template_compile(&arena, MICA_LITERAL("t://{a}"),
                                           &error, &template),
                     MICA_E_LIMIT);
    mica_arena_fini(&arena);
}
END_TEST

UNIT_MAIN("template", a_variable_is_one_segment_or_part_of_one,
          marks_stand_before_their_values_and_may_be_absent,
          a_query_is_in_any_order, a_plus_takes_segments_but_never_climbs,
          values_are_decoded_once_and_strictly,
          what_could_be_read_in_two_ways_is_refused, there_are_limits)

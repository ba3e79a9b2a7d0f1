// SPDX-License-Identifier: Apache-2.0
//
// What may be a base path and a public URL, and how a path loses and gets it.
#include <string.h>

#include "protocol/base_path.h"

#include "unit.h"

#define A32  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define A127 A32 A32 A32 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void
reads(const char *pathz, const char *urlz, const char *taken, const char *added,
      const char *origin)
{
    struct mica_base_path base;
    struct mica_error error = {.message = ""};

    ck_assert_msg(mica_base_path_read(pathz, urlz, &error, &base) == MICA_OK,
                  "%s", error.message);
    ck_assert(mica_text_is(base.stripped, taken));
    ck_assert(mica_text_is(base.added, added));
    ck_assert(mica_text_is(base.origin, origin));
}

static void
refuses(const char *pathz, const char *urlz, const char *why)
{
    struct mica_base_path base;
    struct mica_error error = {.message = ""};
    enum mica_status status = mica_base_path_read(pathz, urlz, &error, &base);

    ck_assert_msg(status == MICA_E_USAGE, "%s %s is read",
                  pathz != NULL ? pathz : "-", urlz != NULL ? urlz : "-");
    ck_assert_msg(strstr(error.message, why) != NULL, "%s", error.message);
    ck_assert_ptr_nonnull(
        strstr(error.message, pathz != NULL ? "the base path" : "public URL"));
}

START_TEST(a_public_url_gives_what_is_not_said)
{
    reads(NULL, NULL, "", "", "");
    reads("/", NULL, "", "", "");
    reads("/x", NULL, "/x", "/x", "");
    reads("/tools/x", NULL, "/tools/x", "/tools/x", "");
    reads("/A-z0.9_~/.x/..x", NULL, "/A-z0.9_~/.x/..x", "/A-z0.9_~/.x/..x", "");
    reads("/" A127, NULL, "/" A127, "/" A127, "");
    reads(NULL, "https://example.org", "", "", "https://example.org");
    reads(NULL, "https://example.org/", "", "", "https://example.org");
    reads(NULL, "http://e.org:8443/tools/x", "/tools/x", "/tools/x",
          "http://e.org:8443");
    reads(NULL, "http://[::1]:1/x", "/x", "/x", "http://[::1]:1");
    reads(NULL, "https://[2001:db8::1]", "", "", "https://[2001:db8::1]");
    // A proxy may show another path than it asks for.
    reads("/inner", "https://e.org/outer", "/inner", "/outer", "https://e.org");
    reads("/", "https://e.org/outer", "", "/outer", "https://e.org");
}
END_TEST

START_TEST(what_is_no_base_path_is_refused_with_a_reason)
{
    refuses("", NULL, "is empty");
    refuses("tools/x", NULL, "does not begin with a slash");
    refuses("https://h/x", NULL, "does not begin with a slash");
    refuses("/x/", NULL, "ends with a slash");
    refuses("//x", NULL, "two slashes");
    refuses("//", NULL, "two slashes");
    refuses("/x//y", NULL, "two slashes");
    refuses("/x/./y", NULL, "\"..\"");
    refuses("/..", NULL, "\"..\"");
    refuses("/x?y", NULL, "has a query");
    refuses("/x#y", NULL, "has a fragment");
    refuses("/%78", NULL, "encoded character");
    refuses("/x%2f", NULL, "encoded character");
    refuses("/x y", NULL, "has a character other than");
    refuses("/\xc3\xa4", NULL, "has a character other than");
    refuses("/x\"", NULL, "has a character other than");
    refuses("/x\r\nSet-Cookie:a", NULL, "has a character other than");
    refuses("/x<y>", NULL, "has a character other than");
    refuses("/a" A127, NULL, "longer than 128");
}
END_TEST

START_TEST(what_is_no_public_url_is_refused_with_a_reason)
{
    static const char scheme[] = "does not begin with https:// or http://";
    static const char host[] = "has no host";
    static const char port[] = "has a port that is no number";
    char text[MICA_PUBLIC_URL_BYTES + 2] = "https://";

    refuses(NULL, "", scheme);
    refuses(NULL, "example.org/x", scheme);
    refuses(NULL, "ftp://example.org/x", scheme);
    refuses(NULL, "HTTPS://example.org/x", scheme);
    refuses(NULL, "https:/example.org", scheme);
    refuses(NULL, "https://", host);
    refuses(NULL, "https:///x", host);
    refuses(NULL, "https://Example.org/x", host);
    refuses(NULL, "https://ex ample.org", host);
    refuses(NULL, "https://ex\"ample.org", host);
    refuses(NULL, "https://:80/x", host);
    refuses(NULL, "https://[::1/x", host);
    refuses(NULL, "https://[]/x", host);
    refuses(NULL, "https://[::1]x/x", host);
    refuses(NULL, "https://e.org%2fx/x", host);
    refuses(NULL, "https://user@e.org/x", "names a user");
    refuses(NULL, "https://user:secret@e.org", "names a user");
    refuses(NULL, "https://e.org:/x", port);
    refuses(NULL, "https://e.org:0/x", port);
    refuses(NULL, "https://e.org:65536/x", port);
    refuses(NULL, "https://e.org:4294967376/x", port);
    refuses(NULL, "https://e.org:8o/x", port);
    refuses(NULL, "https://e.org?x", "has a query");
    refuses(NULL, "https://e.org#x", "has a fragment");
    refuses(NULL, "https://e.org/x?", "has a query");
    refuses(NULL, "https://e.org/x#y", "has a fragment");
    refuses(NULL, "https://e.org/x/", "ends with a slash");
    refuses(NULL, "https://e.org//", "two slashes");
    refuses(NULL, "https://e.org/x/../y", "\"..\"");
    refuses(NULL, "https://e.org/%78", "encoded character");
    memset(text + 8, 'a', sizeof text - 9);
    refuses(NULL, text, "longer than 512");
}
END_TEST

static void
is_behind(const char *taken, const char *path, const char *behind)
{
    struct mica_text got =
        mica_base_path_strip(mica_text(taken), mica_text(path));

    ck_assert_msg(mica_text_is(got, behind), "%s without %s is %.*s", path,
                  taken, MICA_ARG(got));
}

START_TEST(a_base_path_is_taken_off_once_and_whole)
{
    is_behind("", "/mcp", "/mcp");
    is_behind("/x", "/x/mcp", "/mcp");
    is_behind("/x", "/x/", "/");
    is_behind("/x", "/x", "");
    is_behind("/x", "/mcp", "/mcp");
    is_behind("/x", "/", "/");
    is_behind("/x", "", "");
    is_behind("/x", "/xmcp", "/xmcp");
    is_behind("/x", "/X/mcp", "/X/mcp");
    is_behind("/x", "//x/mcp", "//x/mcp");
    is_behind("/x", "/x/x/mcp", "/x/mcp");
    is_behind("/x", "/x//mcp", "//mcp");
    is_behind("/x", "/x/../mcp", "/../mcp");
    is_behind("/tools/x", "/tools/xy", "/tools/xy");
    is_behind("/tools/x", "/tools", "/tools");
    is_behind("/tools/x", "/tools/x/tools/y", "/tools/y");
}
END_TEST

START_TEST(what_a_program_gives_fits_or_not)
{
    ck_assert(mica_base_path_fits((struct mica_text){NULL, 0}));
    ck_assert(mica_base_path_fits(mica_text("/tools/x")));
    ck_assert(!mica_base_path_fits(mica_text("/")));
    ck_assert(!mica_base_path_fits(mica_text("/x/")));
    ck_assert(!mica_base_path_fits(mica_text("/x\r\ny: z")));
    ck_assert(!mica_base_path_fits((struct mica_text){"/x\0y", 4}));
    ck_assert(!mica_base_path_fits(mica_text("/a" A127)));
}
END_TEST

START_TEST(an_endpoint_may_stand_behind_the_longest_base_path)
{
    ck_assert(mica_added_path_fits((struct mica_text){NULL, 0}));
    ck_assert(mica_added_path_fits(mica_text("/" A127 "/" A127)));
    ck_assert(!mica_added_path_fits(mica_text("/a" A127 "/" A127)));
    ck_assert(!mica_added_path_fits(mica_text("/")));
    ck_assert(!mica_added_path_fits(mica_text("/x//y")));
    ck_assert(!mica_added_path_fits(mica_text("/x/../y")));
    ck_assert(!mica_added_path_fits(mica_text("/x\r\ny: z")));
}
END_TEST

START_TEST(paths_overlap_where_one_lies_below_the_other)
{
    static const struct {
        const char *base, *path;
        bool overlap;
    } rows[] = {{"/x", "/x", true},    {"/x", "/x/y", true},
                {"/x/y", "/x", true},  {"/x", "/xy", false},
                {"/xy", "/x", false},  {"/x/y", "/x/yz", false},
                {"/x/y", "/y", false}, {"", "/x", false},
                {"/x", "", false},     {"/X", "/x", false}};

    for (size_t i = 0; i < MICA_COUNT(rows); i++)
        ck_assert_msg(mica_base_path_overlaps(mica_text(rows[i].base),
                                              mica_text(rows[i].path)) ==
                          rows[i].overlap,
                      "%s %s", rows[i].base, rows[i].path);
}
END_TEST

START_TEST(an_address_begins_with_the_base_path)
{
    struct mica_arena arena;
    struct mica_text text;

    mica_arena_init(&arena, 1 << 20);
    text = mica_base_path_text(&arena, mica_text("/tools/x"), "/api/%s", "y");
    ck_assert(mica_text_is(text, "/tools/x/api/y"));
    ck_assert_str_eq(text.ptr, "/tools/x/api/y");
    text = mica_base_path_text(&arena, (struct mica_text){NULL, 0}, "/mcp");
    ck_assert_str_eq(text.ptr, "/mcp");
    mica_arena_fini(&arena);
    // Without memory it is empty, and still a string.
    mica_arena_init(&arena, 0);
    text = mica_base_path_text(&arena, mica_text("/x"), "/mcp");
    ck_assert_uint_eq(text.len, 0);
    ck_assert_str_eq(text.ptr, "");
    mica_arena_fini(&arena);
}
END_TEST

UNIT_MAIN("base_path", a_public_url_gives_what_is_not_said,
          what_is_no_base_path_is_refused_with_a_reason,
          what_is_no_public_url_is_refused_with_a_reason,
          a_base_path_is_taken_off_once_and_whole,
          what_a_program_gives_fits_or_not,
          an_endpoint_may_stand_behind_the_longest_base_path,
          paths_overlap_where_one_lies_below_the_other,
          an_address_begins_with_the_base_path)

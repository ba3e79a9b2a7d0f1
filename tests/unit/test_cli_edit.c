// SPDX-License-Identifier: Apache-2.0
//
// Configurations of clients with a server put in, replaced and taken out: what was
// there stays byte for byte, and what cannot be read whole is refused.
#include <string.h>

#include "cli/edit.h"
#include "unit.h"

static struct mica_arena arena;
static struct mica_error error;

static const char *
text_of(struct mica_text text)
{
    return mica_arena_text(&arena, text).ptr;
}

static const char *
put(const struct mica_edit_format *format, const char *filez,
    const char *entryz)
{
    const struct mica_edit edit = {
        format, &arena, mica_text(filez),
        format == &mica_edit_toml ? "mcp_servers" : "mcpServers", "mica"};
    struct mica_text text;
    enum mica_status status =
        entryz != NULL ? format->put(&edit, mica_text(entryz), &error, &text)
                       : format->drop(&edit, &error, &text);
    return status == MICA_OK ? text_of(text) : mica_status_code(status);
}

static const char *
find(const struct mica_edit_format *format, const char *filez)
{
    const struct mica_edit edit = {
        format, &arena, mica_text(filez),
        format == &mica_edit_toml ? "mcp_servers" : "mcpServers", "mica"};
    struct mica_text text;
    ck_assert_int_eq(format->find(&edit, &error, &text), MICA_OK);
    return text_of(text);
}

struct change {
    const char *before, *after;
};

static void
check_changes(const struct mica_edit_format *format,
              const struct change *changes, size_t count, const char *entryz)
{
    for (size_t i = 0; i < count; i++) {
        mica_arena_init(&arena, 1 << 22);
        ck_assert_str_eq(put(format, changes[i].before, entryz),
                         changes[i].after);
        // Once more changes nothing.
        ck_assert_str_eq(put(format, changes[i].after, entryz),
                         changes[i].after);
        mica_arena_fini(&arena);
    }
}

// ---- JSON --------------------------------------------------------------------

#define ENTRY "{\"command\":\"m\",\"args\":[\"x\"]}"
#define PRETTY(i)                                                     \
    "{\n" i i i "\"command\": \"m\",\n" i i i "\"args\": [\n" i i i i \
    "\"x\"\n" i i i "]\n" i i "}"

START_TEST(json_gets_a_server_and_keeps_the_rest)
{
    static const struct change changes[] = {
        {"",
         "{\n  \"mcpServers\": {\n    \"mica\": " PRETTY("  ") "\n  }\n}\n"},
        {" \n",
         "{\n  \"mcpServers\": {\n    \"mica\": " PRETTY("  ") "\n  }\n}\n"},
        {"{}",
         "{\n  \"mcpServers\": {\n    \"mica\": " PRETTY("  ") "\n  }\n}"},
        {"{\n\t\"a\": 1.50 ,\n\t\"mcpServers\": {\n\t\t\"b\": {\"c\":[ ]}\n\t}\n"
         "}\n",
         "{\n\t\"a\": 1.50 ,\n\t\"mcpServers\": {\n\t\t\"b\": {\"c\":[ ]},\n"
         "\t\t\"mica\": " PRETTY("\t") "\n\t}\n}\n"},
        {"{\"mcpServers\":{\"b\":{}},\"z\":{\"mica\":1}}",
         "{\"mcpServers\":{\"b\":{},\"mica\":" ENTRY "},\"z\":{\"mica\":1}}"},
        {"{\n    \"a\": \"mcpServers\"\n}",
         "{\n    \"a\": \"mcpServers\",\n    \"mcpServers\": {\n        "
         "\"mica\": " PRETTY("    ") "\n    }\n}"},
        {"{\n  \"mcpServers\": {}\n}",
         "{\n  \"mcpServers\": {\n    \"mica\": " PRETTY("  ") "\n  }\n}"},
        {"{\n  \"mcpServers\": {\n    \"mica\": {\"url\": \"u\"},\n    \"b\": "
         "{}\n  }\n}",
         "{\n  \"mcpServers\": {\n    \"mica\": " PRETTY(
             "  ") ",\n    \"b\": {}\n  }\n}"},
        {"{\r\n  \"a\": 1\r\n}\r\n",
         "{\r\n  \"a\": 1,\r\n  \"mcpServers\": {\r\n    \"mica\": {\r\n      "
         "\"command\": \"m\",\r\n      \"args\": [\r\n        \"x\"\r\n      "
         "]\r\n    }\r\n  }\r\n}\r\n"}};
    check_changes(&mica_edit_json, changes, MICA_COUNT(changes), ENTRY);
}
END_TEST

START_TEST(json_loses_a_server_and_keeps_the_rest)
{
    static const struct change changes[] = {
        {"", ""},
        {"{\"a\": 1}", "{\"a\": 1}"},
        {"{\"mcpServers\": {\"mica\": {}}}", "{\"mcpServers\": {}}"},
        {"{\"mcpServers\": {\"mica\": {}, \"b\": {}}}",
         "{\"mcpServers\": { \"b\": {}}}"},
        {"{\"mcpServers\": {\n  \"b\": {},\n  \"mica\": {\"a\": \",\"}\n}}",
         "{\"mcpServers\": {\n  \"b\": {}\n}}"},
        {"{\"mcpServers\": {\"b\": {}, \"mica\": {}, \"c\": {}}}",
         "{\"mcpServers\": {\"b\": {}, \"c\": {}}}"}};
    check_changes(&mica_edit_json, changes, MICA_COUNT(changes), NULL);
}
END_TEST

START_TEST(json_that_cannot_be_read_whole_is_refused)
{
    static const struct change cases[] = {
        {"{ // mine\n}", "INVALID_JSON"},
        {"{\"a\": 1,}", "INVALID_JSON"},
        {"{}\xef\xbb\xbf", "INVALID_JSON"},
        {"{\"a\":1,\"a\":2}", "DUPLICATE_FIELD"},
        {"[]", "WRONG_TYPE"},
        {"{\"mcpServers\": []}", "WRONG_TYPE"}};
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        mica_arena_init(&arena, 1 << 22);
        ck_assert_str_eq(put(&mica_edit_json, cases[i].before, ENTRY),
                         cases[i].after);
        ck_assert_str_eq(put(&mica_edit_json, cases[i].before, NULL),
                         cases[i].after);
        mica_arena_fini(&arena);
    }
}
END_TEST

START_TEST(json_with_comments_gets_a_server_and_keeps_them)
{
    static const struct change changes[] = {
        {"\xef\xbb\xbf{}",
         "\xef\xbb\xbf{\n  \"mcpServers\": {\n    \"mica\": " PRETTY(
             "  ") "\n  }\n}"},
        {"// all\n{ // mine\n}",
         "// all\n{ // mine\n  \"mcpServers\": {\n    \"mica\": " PRETTY(
             "  ") "\n  }\n}"},
        {"{\n  \"mcpServers\": {\n    \"b\": {\"u\": \"//no\"}, // b, \"c\"\n"
         "    /* c\n */ \"c\": {} // c }\n    // last\n  } // end\n}\n",
         "{\n  \"mcpServers\": {\n    \"b\": {\"u\": \"//no\"}, // b, \"c\"\n"
         "    /* c\n */ \"c\": {}, // c }\n    // last\n    \"mica\": " PRETTY(
             "  ") "\n  } // end\n}\n"},
        {"{\"mcpServers\":{} // x\n}",
         "{\"mcpServers\":{\"mica\":" ENTRY "} // x\n}"},
        {"{\"a\":1 // x\n}",
         "{\"a\":1, // x\n\"mcpServers\":{\"mica\":" ENTRY "}\n}"},
        {"{\n  // \"mcpServers\": {}\n  \"a\": \"\\\"/*\"\n}",
         "{\n  // \"mcpServers\": {}\n  \"a\": \"\\\"/*\",\n  \"mcpServers\": "
         "{\n    \"mica\": " PRETTY("  ") "\n  }\n}"}};
    check_changes(&mica_edit_json_comments, changes, MICA_COUNT(changes),
                  ENTRY);
}
END_TEST

START_TEST(json_with_comments_loses_a_server_and_keeps_them)
{
    static const struct change changes[] = {
        {"{\"mcpServers\": {\"mica\": {}}}", "{\"mcpServers\": {}}"},
        {"{\"mcpServers\": { // some\n  \"mica\": {} // it\n}}",
         "{\"mcpServers\": { // some\n   // it\n}}"},
        {"{\"mcpServers\": {\n  // it, it\n  \"mica\": {}, // ,\n  \"b\": {}\n}}",
         "{\"mcpServers\": {\n  // it, it\n   // ,\n  \"b\": {}\n}}"},
        {"{\"mcpServers\": { // it\n  \"mica\": {}, \"b\": {}}}",
         "{\"mcpServers\": { // it\n   \"b\": {}}}"},
        {"{\"mcpServers\": {\"b\": {}, // b\n  \"mica\": {}}}",
         "{\"mcpServers\": {\"b\": {} // b\n  }}"},
        {"{\"mcpServers\": {\n  \"b\": {}, // b,\n  \"mica\" : {\"a\": \",\"}\n"
         "  // end\n}}",
         "{\"mcpServers\": {\n  \"b\": {} // b,\n  // end\n}}"}};
    check_changes(&mica_edit_json_comments, changes, MICA_COUNT(changes), NULL);
}
END_TEST

START_TEST(a_comma_that_nothing_follows_stays_and_is_not_doubled)
{
    static const struct change added[] = {
        {"{\"mcpServers\":{\"b\":[1, ],},}",
         "{\"mcpServers\":{\"b\":[1, ],\"mica\":" ENTRY "},}"},
        {"{\n  \"mcpServers\": {\n    \"b\": {}, // b, c\n  },\n}\n",
         "{\n  \"mcpServers\": {\n    \"b\": {}, // b, c\n    \"mica\": " PRETTY(
             "  ") "\n  },\n}\n"},
        {"{\"a\": \",}\" , }",
         "{\"a\": \",}\" ,\"mcpServers\":{\"mica\":" ENTRY "} }"}};
    static const struct change dropped[] = {
        {"{\"mcpServers\":{\"mica\":{},},}", "{\"mcpServers\":{},}"},
        {"{\"mcpServers\":{\"mica\":{} /* it */, }}",
         "{\"mcpServers\":{ /* it */ }}"},
        {"{\"mcpServers\":{\"mica\":{} // it\n,\"b\":1}}",
         "{\"mcpServers\":{ // it\n\"b\":1}}"},
        {"{\"mcpServers\":{\"b\":1, \"mica\":{},}}",
         "{\"mcpServers\":{\"b\":1,}}"},
        {"{\"mcpServers\":{\"mica\":{}, \"b\":1,}}",
         "{\"mcpServers\":{ \"b\":1,}}"}};
    static const char *const broken[] = {
        "{,}", "{\"a\":1,,}", "{\"a\":[,]}", "{\"a\":,}", "{\"a\":1},", ","};

    check_changes(&mica_edit_jsonc, added, MICA_COUNT(added), ENTRY);
    check_changes(&mica_edit_jsonc, dropped, MICA_COUNT(dropped), NULL);
    for (size_t i = 0; i < MICA_COUNT(broken); i++) {
        mica_arena_init(&arena, 1 << 22);
        ck_assert_str_eq(put(&mica_edit_jsonc, broken[i], ENTRY),
                         "INVALID_JSON");
        mica_arena_fini(&arena);
    }
}
END_TEST

START_TEST(json_with_comments_that_cannot_be_read_whole_is_refused)
{
    static const char *const cases[] = {"{ /* mine\n}", "{ / mine\n}",
                                        "{\"a\": 1, // x\n}",
                                        "{\"a\": \"// x\n}", "// nothing"};
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        mica_arena_init(&arena, 1 << 22);
        ck_assert_str_eq(put(&mica_edit_json_comments, cases[i], ENTRY),
                         "INVALID_JSON");
        ck_assert_str_eq(put(&mica_edit_json_comments, cases[i], NULL),
                         "INVALID_JSON");
        mica_arena_fini(&arena);
    }
}
END_TEST

// ---- TOML --------------------------------------------------------------------

#define LINES "command = \"m\"\nargs = [\"x\"]\n"
#define TABLE "[mcp_servers.mica]\n" LINES

START_TEST(toml_gets_a_server_and_keeps_the_rest)
{
    static const struct change changes[] = {
        {"", TABLE},
        {"model = \"m\" # mine\n", "model = \"m\" # mine\n\n" TABLE},
        {"model = \"m\"", "model = \"m\"\n\n" TABLE},
        {"[mcp_servers.other]\ncommand = \"o\"\n",
         "[mcp_servers.other]\ncommand = \"o\"\n\n" TABLE},
        // Another command; what is beside it, comments and tables inside stay.
        {"[ mcp_servers . \"mica\" ] # mine\nurl = \"u\"\nenabled = true\n# x\n"
         "[mcp_servers.mica.env]\ncommand = \"not this\"\n[z]\nargs = 1\n",
         "[ mcp_servers . \"mica\" ] # mine\n" LINES "enabled = true\n# x\n"
         "[mcp_servers.mica.env]\ncommand = \"not this\"\n[z]\nargs = 1\n"},
        {"[mcp_servers.mica]", TABLE},
        {"[mcp_servers.mica]\nargs = [ # a ]\n  \"a]\", '''\n[z]\n''',\n]\n"
         "[b]\n",
         TABLE "[b]\n"},
        // Looks like a table, and is text.
        {"a = \"\"\"\n[mcp_servers.mica]\n\\\"\"\"\"\"\"\nb = '[mcp_servers'\n",
         "a = \"\"\"\n[mcp_servers.mica]\n\\\"\"\"\"\"\"\nb = '[mcp_servers'\n\n" TABLE},
        {"[[mcp_servers_of.others]]\na.b.c.d = 1\n",
         "[[mcp_servers_of.others]]\na.b.c.d = 1\n\n" TABLE}};
    check_changes(&mica_edit_toml, changes, MICA_COUNT(changes), LINES);
}
END_TEST

START_TEST(toml_loses_a_server_and_keeps_the_rest)
{
    static const struct change changes[] = {
        {"a = 1\n", "a = 1\n"},
        {"a = 1\n" TABLE "# of b\n[b]\nc = 1\n", "a = 1\n# of b\n[b]\nc = 1\n"},
        {TABLE "[mcp_servers.mica.env]\nX = '1'\n[b]\n", "[b]\n"},
        {"[mcp_servers]\n" TABLE "[mcp_servers.mica2]\nurl = 'u'\n",
         "[mcp_servers]\n[mcp_servers.mica2]\nurl = 'u'\n"}};
    check_changes(&mica_edit_toml, changes, MICA_COUNT(changes), NULL);
}
END_TEST

START_TEST(toml_that_cannot_be_read_whole_is_refused)
{
    static const struct change cases[] = {
        {"mcp_servers = {}\n", "WRONG_TYPE"},
        {"[mcp_servers]\nmica = { command = \"x\" }\n", "WRONG_TYPE"},
        {"[mcp_servers]\nmica.command = \"x\"\n", "WRONG_TYPE"},
        {"mcp_servers.mica.command = \"x\"\n", "WRONG_TYPE"},
        {"[[mcp_servers.mica]]\n", "WRONG_TYPE"},
        {"a = \"open\n", "BAD_FORMAT"},
        {"a = '''open\n", "BAD_FORMAT"},
        {"a = [1\n", "BAD_FORMAT"},
        {"a = 1]\n", "BAD_FORMAT"},
        {"a =\n", "BAD_FORMAT"},
        {"a\n", "BAD_FORMAT"},
        {"[a\n", "BAD_FORMAT"},
        {"[a] b\n", "BAD_FORMAT"},
        {"= 1\n", "BAD_FORMAT"},
        {"\"m\\u0063p_servers\".mica = 1\n", "BAD_FORMAT"},
        {"# half\r", "BAD_FORMAT"},
        {"a = \"\xff\"\n", "BAD_FORMAT"}};
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        mica_arena_init(&arena, 1 << 22);
        ck_assert_str_eq(put(&mica_edit_toml, cases[i].before, LINES),
                         cases[i].after);
        ck_assert_str_eq(put(&mica_edit_toml, cases[i].before, NULL),
                         cases[i].after);
        mica_arena_fini(&arena);
    }
}
END_TEST

START_TEST(an_entry_is_found_as_it_is)
{
    mica_arena_init(&arena, 1 << 22);
    ck_assert_str_eq(find(&mica_edit_json, ""), "");
    ck_assert_str_eq(find(&mica_edit_json, "{\"mcpServers\":{\"b\":{}}}"), "");
    ck_assert_str_eq(
        find(&mica_edit_json, "{\"mcpServers\":{\"mica\": {\"a\" : 1}}}"),
        "{\"a\" : 1}");
    ck_assert_str_eq(find(&mica_edit_toml, "a = 1\n"), "");
    ck_assert_str_eq(find(&mica_edit_toml,
                          "[mcp_servers.mica]\nx = 1\n" LINES "[b]\nurl = 1\n"),
                     LINES);
    mica_arena_fini(&arena);
}
END_TEST

UNIT_MAIN("cli_edit", json_gets_a_server_and_keeps_the_rest,
          json_loses_a_server_and_keeps_the_rest,
          json_that_cannot_be_read_whole_is_refused,
          json_with_comments_gets_a_server_and_keeps_them,
          json_with_comments_loses_a_server_and_keeps_them,
          a_comma_that_nothing_follows_stays_and_is_not_doubled,
          json_with_comments_that_cannot_be_read_whole_is_refused,
          toml_gets_a_server_and_keeps_the_rest,
          toml_loses_a_server_and_keeps_the_rest,
          toml_that_cannot_be_read_whole_is_refused, an_entry_is_found_as_it_is)

// SPDX-License-Identifier: Apache-2.0
//
// The file of a prompt: what is read, what is refused and in which line.
#include <stdio.h>
#include <string.h>

#include "files/prompt_file.h"
#include "unit.h"

static struct mica_arena arena;
static struct mica_prompt_file file;
static struct mica_error error;

static enum mica_status
read_file(const char *textz)
{
    mica_arena_fini(&arena);
    mica_arena_init(&arena, 1 << 20);
    return mica_prompt_file_read(&arena, mica_text(textz), &error, &file);
}

static void
must_read(const char *textz)
{
    ck_assert_msg(read_file(textz) == MICA_OK, "%s: %s", textz, error.message);
}

static void
must_be(struct mica_text text, const char *wantedz)
{
    ck_assert_msg(mica_text_is(text, wantedz), "\"%.*s\" is not \"%s\"",
                  MICA_ARG(text), wantedz);
}

// The text with these values, with a NUL behind it.
static const char *
written(const char *firstz, const char *secondz)
{
    static char text[400];
    const struct mica_text values[] = {mica_text(firstz), mica_text(secondz)};
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, NULL, sizeof text);
    mica_prompt_file_write(&file, values, &buffer);
    (void)snprintf(text, sizeof text, "%.*s", (int)buffer.len,
                   buffer.ptr != NULL ? buffer.ptr : "");
    mica_buffer_fini(&buffer);
    return text;
}

START_TEST(a_whole_prompt_is_read)
{
    must_read("---\n# of the team\nname: look\ntitle: Look at it\n"
              "description: \"Look: \\\"all\\\" of it\"\n\narguments:\n"
              "  - name: what\n    description: 'It''s text'\n"
              "    required: true\n"
              "  - description: Where\n    name: where\n---\n\n\n"
              "Look at {{what}}.\n\n{{ where }}{{what}}\n\n");
    must_be(file.name, "look");
    must_be(file.title, "Look at it");
    must_be(file.description, "Look: \"all\" of it");
    ck_assert_uint_eq(file.count, 2);
    must_be(file.arguments[0].name, "what");
    must_be(file.arguments[0].description, "It's text");
    ck_assert(file.arguments[0].required && !file.arguments[1].required);
    must_be(file.arguments[1].name, "where");
    ck_assert_str_eq(written("this", "there"), "Look at this.\n\ntherethis");
}
END_TEST

START_TEST(a_value_is_not_read_again)
{
    must_read("---\ndescription: x\narguments:\n- name: a\n- name: b\n---\n"
              "\\{{a}} {{a}}{{b}} } {c} \\{{{a}}");
    ck_assert_str_eq(written("{{b}}", "\\{{a}}"),
                     "{{a}} {{b}}\\{{a}} } {c} {{{a}}");
}
END_TEST

START_TEST(line_ends_of_other_systems_are_read)
{
    must_read(
        "---\r\ndescription: It greets\r\n---\r\n\r\nGood\r\nmorning\r\n");
    must_be(file.description, "It greets");
    ck_assert_str_eq(written("", ""), "Good\r\nmorning");
    must_read("\xef\xbb\xbf---\ndescription: It greets\n---\nHello");
    ck_assert_str_eq(written("", ""), "Hello");
}
END_TEST

START_TEST(what_is_wrong_is_said_with_its_line)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"Hello", "line 1: a prompt begins with a line ---"},
        {"", "line 1: a prompt begins with"},
        {"---\ndescription: x\n---\nHello\n{{a", "line 5: {{ has no }}"},
        {"---\ndescription: x\n---\n{{a\n}}", "line 4: {{ has no }}"},
        {"---\ndescription: x\n", "line 2: the front matter has no second"},
        {"---\ntitle: x\n---\ny", "line 3: the front matter has no \"desc"},
        {"---\ndescription: x\n---\n \n", "line 4: behind the second line ---"},
        {"---\ndescription\n---\ny", "line 2: \"description\" is no \"key: v"},
        {"---\ndescription:\n---\ny", "line 2: the key has no value"},
        {"---\ndescription: a\ndescription: b\n---\ny",
         "line 3: there are two"},
        {"---\nversion: 1\n---\ny", "line 2: the front matter has \"name\""},
        {"---\n  title: x\n---\ny", "line 2: this line is indented"},
        {"---\n\ttitle: x\n---\ny", "line 2: indent with blanks"},
        {"---\ntitle: a: b\n---\ny", "line 2: YAML would read"},
        {"---\ntitle: a # b\n---\ny", "line 2: YAML would read"},
        {"---\ntitle: [a]\n---\ny", "line 2: YAML would read"},
        {"---\ntitle: \"a\n---\ny", "line 2: the value has no closing \""},
        {"---\ntitle: \"a\" b\n---\ny", "line 2: nothing can stand behind"},
        {"---\ntitle: \"\\n\"\n---\ny", "line 2: between \"…\" write"},
        {"---\narguments: a\n---\ny", "line 2: \"arguments:\" stands once"},
        {"---\narguments:\n  name: a\n---\ny", "line 3: an argument begins"},
        {"---\narguments:\n  -name: a\n---\ny", "line 3: an argument begins"},
        {"---\narguments:\n- name: a b\n---\ny", "line 3: the name of an arg"},
        {"---\narguments:\n- name: a\n- name: a\n---\ny", "line 4: there are"},
        {"---\narguments:\n- title: a\n---\ny", "line 3: an argument has"},
        {"---\narguments:\n- required: yes\n---\ny", "line 3: \"required\" is"},
        {"---\narguments:\n- required: true\n- name: a\n---\ny",
         "line 4: the argument before has no"},
        {"---\ndescription: x\narguments:\n- name: a\n---\n\nyes\nno {{b}}",
         "line 8: {{b}} is no argument"},
        {"---\ndescription: x\narguments:\n- name: a\n---\ny",
         "line 4: the text has no {{a}}"},
        {"---\ndescription: \x80\n---\ny", "the file is not text in UTF-8"},
    };

    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        ck_assert_msg(read_file(cases[i].text) == MICA_E_FORMAT, "%s",
                      cases[i].text);
        ck_assert_msg(strncmp(error.message, cases[i].message,
                              strlen(cases[i].message)) == 0,
                      "%s: %s", cases[i].text, error.message);
    }
}
END_TEST

START_TEST(limits_hold)
{
    static char text[MICA_PROMPT_BYTES + 2];
    size_t len = (size_t)snprintf(text, sizeof text,
                                  "---\ndescription: x\narguments:\n");

    for (int i = 0; i <= MICA_PROMPT_ARGUMENTS; i++)
        len +=
            (size_t)snprintf(text + len, sizeof text - len, "- name: a%d\n", i);
    ck_assert_int_eq(read_file(text), MICA_E_LIMIT);
    ck_assert(strstr(error.message, "line 36: ") != NULL);
    len = (size_t)snprintf(text, sizeof text, "---\ndescription: x\n---\n");
    memset(text + len, 'y', sizeof text - 1 - len);
    ck_assert_int_eq(read_file(text), MICA_E_LIMIT);
    text[MICA_PROMPT_BYTES] = '\0';
    must_read(text);
}
END_TEST

UNIT_MAIN("files of prompts", a_whole_prompt_is_read, a_value_is_not_read_again,
          line_ends_of_other_systems_are_read,
          what_is_wrong_is_said_with_its_line, limits_hold)

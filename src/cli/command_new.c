// SPDX-License-Identifier: Apache-2.0
//
// mica new: the beginning of an engine or tool, one that builds, passes every check
// and answers, so that its author changes something that works.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "cli/cli_file.h"
#include "cli/commands.h"
#include "cli/project.h"
#include "cli/templates.h"

enum {
    SLUG_LENGTH = 64,
    SOURCE_BYTES = 64 << 10
};

// A name that fits and is as near as may be: "Net Price" as "net-price".
static void
new_suggest(const char *wanted, char dash, char name[SLUG_LENGTH + 1])
{
    size_t len = 0;

    for (; *wanted != '\0' && len < SLUG_LENGTH; wanted++) {
        char c = mica_ascii_lower(*wanted);
        bool letter = c >= 'a' && c <= 'z';
        bool digit = c >= '0' && c <= '9';
        if (letter || (digit && len > 0))
            name[len++] = c;
        else if (len > 0 && name[len - 1] != dash && !digit)
            name[len++] = dash;
    }
    while (len > 0 && name[len - 1] == dash)
        len--;
    name[len] = '\0';
    if (len == 0)
        (void)snprintf(name, SLUG_LENGTH + 1, "greet%cperson", dash);
}

static enum mica_status
check_slug(const char *slug, struct mica_error *error)
{
    char name[SLUG_LENGTH + 1];
    size_t length = strlen(slug);
    bool fits = length >= 1 && length <= SLUG_LENGTH;

    for (size_t i = 0; i < length && fits; i++) {
        bool letter = slug[i] >= 'a' && slug[i] <= 'z';
        bool digit = slug[i] >= '0' && slug[i] <= '9';
        bool dash =
            slug[i] == '-' && i > 0 && i + 1 < length && slug[i - 1] != '-';
        fits = letter || dash || (digit && i > 0);
    }
    if (fits)
        return MICA_OK;
    new_suggest(slug, '-', name);
    return mica_error_set(error, MICA_E_USAGE, "",
                          "\"%s\" cannot be the name of an engine: use 1 to 64 "
                          "of a-z and 0-9 with single \"-\" between, a letter "
                          "first, like \"%s\"",
                          slug, name);
}

// "greet-person" as "greet_person" or "Greet person".
static void
add_name(struct mica_buffer *source, const char *slug, bool title)
{
    for (size_t i = 0; slug[i] != '\0'; i++) {
        char c = slug[i];
        if (c == '-' || c == '_')
            c = title ? ' ' : '_';
        else if (title && i == 0 && c >= 'a' && c <= 'z')
            c = (char)(c - 'a' + 'A');
        mica_buffer_char(source, c);
    }
}

static void
fill_in(struct mica_buffer *source, const char *template, const char *slug)
{
    static const char identifier[] = "@IDENTIFIER@", title[] = "@TITLE@";

    for (const char *at = template; *at != '\0';) {
        if (strncmp(at, identifier, sizeof identifier - 1) == 0) {
            add_name(source, slug, false);
            at += sizeof identifier - 1;
        } else if (strncmp(at, title, sizeof title - 1) == 0) {
            add_name(source, slug, true);
            at += sizeof title - 1;
        } else {
            mica_buffer_char(source, *at++);
        }
    }
}

static enum mica_status
new_exists(const char *path, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_EXISTS, "",
                          "there is a file %s already; choose another name",
                          path);
}

// Never over a file that is there.
static enum mica_status
write_file(const char *path, struct mica_text text, struct mica_error *error)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

    if (fd < 0 && errno == EEXIST)
        return new_exists(path, error);
    if (fd < 0)
        return mica_error_set(error, MICA_E_IO, "", "cannot write %s: %s", path,
                              strerror(errno));
    while (text.len > 0) {
        ssize_t put = write(fd, text.ptr, text.len);
        if (put < 0 && errno != EINTR)
            break;
        if (put > 0)
            text = mica_text_slice(text, (size_t)put, text.len);
    }
    if (close(fd) != 0 || text.len > 0)
        return mica_error_set(error, MICA_E_IO, "", "cannot write %s: %s", path,
                              strerror(errno));
    return MICA_OK;
}

// An engine and a tool of one name could not be served together.
static enum mica_status
check_other(const char *path, struct mica_error *error)
{
    if (path == NULL || access(path, F_OK) != 0)
        return MICA_OK;
    return mica_error_set(error, MICA_E_EXISTS, "",
                          "there is %s already; engines and tools cannot have "
                          "the same name",
                          path);
}

// The name is one in C, as MICA_TOOL takes it.
static enum mica_status
check_name(const char *name, struct mica_error *error)
{
    char fitting[SLUG_LENGTH + 1];
    size_t length = strlen(name);
    bool fits = length >= 1 && length <= SLUG_LENGTH;

    for (size_t i = 0; i < length && fits; i++) {
        bool letter = name[i] >= 'a' && name[i] <= 'z';
        bool digit = name[i] >= '0' && name[i] <= '9';
        fits = letter || (i > 0 && (digit || name[i] == '_'));
    }
    if (fits)
        return MICA_OK;
    new_suggest(name, '_', fitting);
    return mica_error_set(error, MICA_E_USAGE, "",
                          "\"%s\" cannot be the name of an interactive tool: "
                          "use 1 to 64 of a-z, 0-9 and \"_\", a letter first, "
                          "like \"%s\"",
                          name, fitting);
}

static void
say_next(struct mica_cli *cli, const char *name, const char *path, bool tool)
{
    if (!cli->terminal)
        return;
    mica_cli_flush(cli); // the files first
    if (tool)
        mica_cli_note(cli,
                      "Try it:  mica call %s name=Ada\nThen change it, and:  "
                      "mica check %s\nCode that several tools share goes into "
                      "tools/lib.\n",
                      name, path);
    else
        mica_cli_note(cli,
                      "Try it:  mica call %s length=3 width=2\nThen change it, "
                      "and:  mica check %s\n",
                      name, path);
}

// Writes what a template has for that name.
static enum mica_status
write_source(struct mica_cli *cli, const char *path, const char *template,
             const char *name, struct mica_error *error)
{
    struct mica_buffer source;

    mica_buffer_init(&source, &cli->arena, SOURCE_BYTES);
    fill_in(&source, template, name);
    if (path == NULL || source.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    return write_file(path, mica_buffer_as_text(&source), error);
}

static enum mica_status
write_test(struct mica_cli *cli, const char *path, const char *name,
           struct mica_error *error)
{
    MICA_TRY(mica_project_make_folder("tests", error));
    MICA_TRY(mica_project_make_folder(MICA_TESTS_DIR, error));
    return write_source(cli, path, mica_template_test, name, error);
}

// `test` may be NULL.
static void
print_files(struct mica_cli *cli, const struct mica_options *options,
            const char *name, const char *path, const char *test)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    if (!mica_cli_wants_json(options)) {
        mica_cli_print(cli, "%s\n", path);
        if (test != NULL)
            mica_cli_print(cli, "%s\n", test);
        return;
    }
    mica_buffer_init(&text, &cli->arena, SOURCE_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "name", mica_text(name));
    mica_json_name(&writer, "files");
    mica_json_open_array(&writer);
    mica_json_stringz(&writer, path);
    if (test != NULL)
        mica_json_stringz(&writer, test);
    mica_json_close_array(&writer);
    mica_json_close_object(&writer);
    mica_cli_json(cli, mica_buffer_as_text(&text));
    mica_cli_print(cli, "\n");
}

static enum mica_status
new_run(struct mica_cli *cli, const struct mica_options *options,
        struct mica_error *error)
{
    bool tool = mica_options_has(options, "interactive");
    const struct mica_source_kind *kind =
        tool ? &mica_kind_tool : &mica_kind_engine;
    const char *name, *path, *test = NULL;

    if (options->word_count != 1)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "new needs one name: mica new greet-person, or "
                              "mica new --interactive greet_person");
    name = options->words[0];
    MICA_TRY(tool ? check_name(name, error) : check_slug(name, error));
    MICA_TRY(
        check_other(mica_project_path(
                        cli, tool ? &mica_kind_engine : &mica_kind_tool, name),
                    error));
    // Both files or none.
    if (tool)
        test = mica_cli_format(cli, MICA_TESTS_DIR "/%s.c", name);
    if (test != NULL && access(test, F_OK) == 0)
        return new_exists(test, error);
    MICA_TRY(mica_project_make_folder(kind->dir, error));
    path = mica_project_path(cli, kind, name);
    MICA_TRY(write_source(cli, path,
                          tool ? mica_template_tool : mica_template_engine,
                          name, error));
    if (tool)
        MICA_TRY(write_test(cli, test, name, error));
    print_files(cli, options, name, path, test);
    say_next(cli, name, path, tool);
    return MICA_OK;
}

static const struct mica_option options[] = {
    {"interactive", MICA_OPTION_SWITCH, NULL,
     "a tool that may ask its client: tools/NAME.c, native code"},
    MICA_JSON_OPTION,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_new = {
    .name = "new",
    .group = MICA_GROUP_WRITING,
    .summary = "Write the beginning of an engine or tool",
    .usage = "SLUG | --interactive NAME",
    .example = "mica new greet-person\n  mica new --interactive greet",
    .more =
        "Writes engines/SLUG.c, or tools/NAME.c with a test in tests/tools. It "
        "builds, passes \"mica check\" and answers; change it from there.",
    .options = options,
    .run = new_run};

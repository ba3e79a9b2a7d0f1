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
#include "build/files.h"
#include "cli/builtin.h"
#include "cli/cli_file.h"
#include "cli/commands.h"
#include "cli/find.h"
#include "cli/new_app.h"
#include "cli/new_file.h"
#include "cli/new_permission.h"
#include "cli/new_project.h"
#include "cli/project.h"
#include "cli/templates.h"

enum {
    SLUG_LENGTH = 64,
    SOURCE_BYTES = 64 << 10,
    COPY_BYTES = 2 << 20
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

// Words that are macros of C, which the macros of mica would expand.
static enum mica_status
check_word(const char *name, struct mica_error *error)
{
    static const char *const words[] = {"bool", "false", "true"};

    for (size_t i = 0; i < MICA_COUNT(words); i++)
        if (strcmp(name, words[i]) == 0)
            return mica_error_set(error, MICA_E_USAGE, "",
                                  "\"%s\" is a word of C and cannot be a name "
                                  "here; choose another one",
                                  name);
    return MICA_OK;
}

// `kind` is what gets the name, with its article.
static enum mica_status
check_slug(const char *slug, const char *kind, struct mica_error *error)
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
        return check_word(slug, error);
    new_suggest(slug, '-', name);
    return mica_error_set(error, MICA_E_USAGE, "",
                          "\"%s\" cannot be the name of %s: use 1 to 64 "
                          "of a-z and 0-9 with single \"-\" between, a letter "
                          "first, like \"%s\"",
                          slug, kind, name);
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
        return check_word(name, error);
    new_suggest(name, '_', fitting);
    return mica_error_set(error, MICA_E_USAGE, "",
                          "\"%s\" cannot be the name of a tool: use 1 to 64 of "
                          "a-z, 0-9 and \"_\", a letter first, like \"%s\"",
                          name, fitting);
}

static void
say_next(struct mica_cli *cli, const char *name, const char *path, bool tool)
{
    if (!cli->terminal)
        return;
    mica_cli_flush(cli); // the files first
    mica_cli_note(cli,
                  "See it:  mica describe %s\nThen change it, and:  mica check "
                  "%s\n",
                  name, path);
    if (tool)
        mica_cli_note(cli, "Code that several tools share goes into "
                           "tools/lib.\n");
}

static enum mica_status
write_buffer(const char *path, const struct mica_buffer *source,
             struct mica_error *error)
{
    if (path == NULL || source->overflow)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    return mica_new_write(path, mica_buffer_as_text(source), error);
}

// Writes what a template has for that name.
static enum mica_status
write_source(struct mica_cli *cli, const char *path, const char *template,
             const char *name, struct mica_error *error)
{
    struct mica_buffer source;

    mica_buffer_init(&source, &cli->arena, SOURCE_BYTES);
    mica_template_fill(&source, template, name, NULL);
    return write_buffer(path, &source, error);
}

// Writes another source, or its tests, under the new name.
static enum mica_status
write_like(struct mica_cli *cli, const char *path, const char *from,
           const struct mica_found *like, const char *name,
           struct mica_error *error)
{
    struct mica_buffer source;
    struct mica_text text;

    MICA_TRY(mica_file_read(&cli->arena, from, error, &text));
    mica_buffer_init(&source, &cli->arena, COPY_BYTES);
    mica_template_rename(&source, text, like->name, name);
    return write_buffer(path, &source, error);
}

// What is to be written.
struct novel {
    bool tool;
    const char *name, *path;
    const char *test;                         // of a tool; NULL for none
    const char *template;                     // of the source, or …
    const struct mica_found *like;            // … what it is a copy of
    const struct mica_tool_template *of_tool; // that `template` is of, or NULL
    const char *settings;                     // written, too, or NULL
};

static void
print_files(struct mica_cli *cli, const struct mica_options *options,
            const struct novel *novel)
{
    const char *const files[] = {novel->path, novel->test, novel->settings};
    struct mica_json_writer writer;
    struct mica_buffer text;

    for (size_t i = 0; i < MICA_COUNT(files) && !mica_cli_wants_json(options);
         i++)
        if (files[i] != NULL)
            mica_cli_print(cli, "%s\n", files[i]);
    if (!mica_cli_wants_json(options))
        return;
    mica_buffer_init(&text, &cli->arena, SOURCE_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "name", mica_text(novel->name));
    mica_json_name(&writer, "files");
    mica_json_open_array(&writer);
    for (size_t i = 0; i < MICA_COUNT(files); i++)
        if (files[i] != NULL)
            mica_json_stringz(&writer, files[i]);
    mica_json_close_array(&writer);
    mica_json_close_object(&writer);
    mica_cli_json_buffer(cli, &text);
}

static enum mica_status
write_test(struct mica_cli *cli, const struct novel *novel,
           struct mica_error *error)
{
    const char *from;

    MICA_TRY(mica_project_make_folder("tests", error));
    MICA_TRY(mica_project_make_folder(MICA_TESTS_DIR, error));
    if (novel->like == NULL)
        return write_source(cli, novel->test,
                            mica_template_text(novel->of_tool->test),
                            novel->name, error);
    from = mica_cli_format(cli, MICA_TESTS_DIR "/%s.c", novel->like->name);
    return write_like(cli, novel->test, from, novel->like, novel->name, error);
}

// Both files or none.
static enum mica_status
write_novel(struct mica_cli *cli, const struct novel *novel,
            struct mica_error *error)
{
    const struct mica_source_kind *kind =
        novel->tool ? &mica_kind_tool : &mica_kind_engine;

    // A link counts, wherever it leads.
    if (novel->test != NULL &&
        faccessat(AT_FDCWD, novel->test, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        return mica_new_exists(novel->test, error);
    MICA_TRY(mica_project_make_folder(kind->dir, error));
    if (novel->like != NULL)
        MICA_TRY(write_like(cli, novel->path, novel->like->path, novel->like,
                            novel->name, error));
    else
        MICA_TRY(write_source(cli, novel->path, novel->template, novel->name,
                              error));
    return novel->test != NULL ? write_test(cli, novel, error) : MICA_OK;
}

// The template that the options name, or the words of an engine's name.
static enum mica_status
choose_template(const char *word, struct novel *novel, struct mica_error *error)
{
    novel->of_tool =
        word == NULL && !novel->tool ? NULL : mica_tool_template_named(word);
    if (novel->of_tool != NULL) {
        novel->tool = true;
        novel->template = mica_template_text(novel->of_tool->source);
        return MICA_OK;
    }
    novel->template = word == NULL ? mica_template_for(novel->name)
                                   : mica_template_named(word);
    if (novel->template == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "there is no template \"%s\"; there are "
                              "calculate, convert, validate, parse and lookup "
                              "for engines, interactive, fetch and keep for "
                              "tools, and app",
                              word);
    if (!novel->tool)
        return MICA_OK;
    return mica_error_set(error, MICA_E_USAGE, "",
                          "the template \"%s\" is for an engine; leave out "
                          "--interactive",
                          word);
}

// The engines inside of mica are modules: their sources are not with them.
static enum mica_status
find_like(struct mica_cli *cli, const char *name, struct mica_error *error,
          struct mica_found *like)
{
    enum mica_status status = mica_find_source(cli, name, error, like);

    for (size_t i = 0; status == MICA_E_NOT_FOUND && i < mica_builtin_count;
         i++)
        if (strcmp(mica_builtin_engines[i]->slug, name) == 0)
            return mica_error_set(
                error, MICA_E_NOT_FOUND, "",
                "%s is inside mica, without its source, which is "
                "engines/%s.c of mica's repository; give the path of that "
                "file, or the name of an engine or tool of this folder",
                name, name);
    return status;
}

// What the options say of the source that is to be written.
static enum mica_status
choose_source(struct mica_cli *cli, const struct mica_options *options,
              struct novel *novel, struct mica_found *like,
              struct mica_error *error)
{
    const char *template = mica_options_value(options, "template");
    const char *other = mica_options_value(options, "like");

    if (other == NULL)
        return choose_template(template, novel, error);
    if (template != NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "a copy has no template; leave out --template or "
                              "--like");
    MICA_TRY(find_like(cli, other, error, like));
    novel->like = like;
    novel->tool = like->kind == &mica_kind_tool;
    return MICA_OK;
}

// A copy of a tool has tests when the tool has.
static bool
has_test(struct mica_cli *cli, const struct novel *novel)
{
    if (novel->like == NULL)
        return novel->tool;
    return novel->tool && access(mica_cli_format(cli, MICA_TESTS_DIR "/%s.c",
                                                 novel->like->name),
                                 F_OK) == 0;
}

static enum mica_status
new_source(struct mica_cli *cli, const struct mica_options *options,
           struct mica_error *error)
{
    struct novel novel = {.name = options->words[0],
                          .tool = mica_options_has(options, "interactive")};
    struct mica_found like;

    MICA_TRY(choose_source(cli, options, &novel, &like, error));
    MICA_TRY(novel.tool ? check_name(novel.name, error)
                        : check_slug(novel.name, "an engine", error));
    MICA_TRY(check_other(
        mica_project_path(cli, novel.tool ? &mica_kind_engine : &mica_kind_tool,
                          novel.name),
        error));
    novel.path = mica_project_path(
        cli, novel.tool ? &mica_kind_tool : &mica_kind_engine, novel.name);
    if (has_test(cli, &novel))
        novel.test = mica_cli_format(cli, MICA_TESTS_DIR "/%s.c", novel.name);
    MICA_TRY(write_novel(cli, &novel, error));
    if (novel.of_tool != NULL && novel.of_tool->origin != NULL)
        MICA_TRY(mica_new_permission(cli, novel.of_tool->origin, error,
                                     &novel.settings));
    print_files(cli, options, &novel);
    say_next(cli, novel.name, novel.path, novel.tool);
    return MICA_OK;
}

// --template app; a copy or --interactive says that a source is meant.
static bool
is_app(const struct mica_options *options)
{
    const char *template = mica_options_value(options, "template");

    return template != NULL && strcmp(template, "app") == 0 &&
           !mica_options_has(options, "like") &&
           !mica_options_has(options, "interactive");
}

static enum mica_status
new_run(struct mica_cli *cli, const struct mica_options *options,
        struct mica_error *error)
{
    static const char *const others[] = {"interactive", "template", "like"};

    if (options->word_count != 1)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "new needs one name: mica new greet-person, or "
                              "mica new --interactive greet_person");
    if (!mica_options_has(options, "project"))
        return is_app(options)
                   ? mica_new_app(cli, options, options->words[0], error)
                   : new_source(cli, options, error);
    for (size_t i = 0; i < MICA_COUNT(others); i++)
        if (mica_options_has(options, others[i]))
            return mica_error_set(error, MICA_E_USAGE, "",
                                  "a project begins with sources of its own; "
                                  "leave out --%s",
                                  others[i]);
    MICA_TRY(check_slug(options->words[0], "a project", error));
    return mica_new_project(cli, options, options->words[0], error);
}

static const struct mica_option options[] = {
    {"interactive", MICA_OPTION_SWITCH, NULL,
     "a tool that may ask its client: tools/NAME.c, native code"},
    {"template", MICA_OPTION_VALUE, "KIND",
     "what an engine begins as: calculate, convert, validate, parse or lookup "
     "(default: by its name when that is plain, else one that counts "
     "characters); or a tool: fetch (asks another server), keep (remembers); or "
     "app: a published app, apps/NAME.json"},
    {"like", MICA_OPTION_VALUE, "NAME",
     "begin with a copy of that engine or tool of this folder, or of the "
     "source at a path, its names replaced; the engines inside mica have no "
     "sources there"},
    {"project", MICA_OPTION_SWITCH, NULL,
     "a folder NAME with an engine, a tool and its tests, mica.toml, "
     "compile_flags.txt, README.md and what a pipeline runs"},
    MICA_JSON_OPTION,
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_new = {
    .name = "new",
    .group = MICA_GROUP_WRITING,
    .summary = "Write the beginning of an engine, tool or project",
    .usage =
        "NAME [--template KIND | --like NAME] | --interactive NAME | --project NAME",
    .example =
        "mica new greet-person\n  mica new --interactive greet\n  mica new iban-validator --template validate\n  mica new exchange_rate --template fetch\n  mica new my-tools --project",
    .more =
        "Writes engines/SLUG.c, or tools/NAME.c with a test in tests/tools. It "
        "builds, passes \"mica check\" and answers; change it from there.",
    .options = options,
    .run = new_run};

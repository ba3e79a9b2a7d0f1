// SPDX-License-Identifier: Apache-2.0
//
// A project that works at once: an engine, a tool with tests, and the files around
// them.
#include "cli/new_project.h"
#include "cli/new_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "build/build.h"
#include "build/files.h"
#include "cli/cli_file.h"
#include "cli/templates.h"

enum {
    FILE_BYTES = 64 << 10
};

// Where each template goes, and the name that is filled in; NULL: the project's.
static const struct {
    const char *path, *template, *name;
} parts[] = {
    {"engines/floor-area.c", "calculate.c", "floor-area"},
    {"tools/greet.c", "tool.c", "greet"},
    {"tests/tools/greet.c", "tool_test.c", "greet"},
    {"prompts/plan-floor.md", "prompt.md", NULL},
    {"resources/rooms.md", "rooms.md", NULL},
    {"mica.toml", "mica.toml", NULL},
    {"compile_flags.txt", "compile_flags.txt", NULL},
    {"ci/check", "ci_check", NULL},
    {"README.md", "README.md", NULL},
    {".gitignore", "gitignore", NULL},
};

static enum mica_status
make_folders(const char *name, struct mica_error *error)
{
    static const char *const folders[] = {
        "",           "/engines", "/tools",       "/prompts",
        "/resources", "/tests",   "/tests/tools", "/ci"};
    char path[256];

    for (size_t i = 0; i < MICA_COUNT(folders); i++) {
        (void)snprintf(path, sizeof path, "%s%s", name, folders[i]);
        if (mkdir(path, 0755) == 0)
            continue;
        if (errno == EEXIST)
            return mica_error_set(error, MICA_E_EXISTS, "",
                                  "there is something named %s already; choose "
                                  "another name",
                                  path);
        return mica_error_set(error, MICA_E_IO, "",
                              "cannot make the folder %s: %s", path,
                              strerror(errno));
    }
    return MICA_OK;
}

// Where the headers are that this program builds with. Without a compiler the usual
// place is as good a guess as any.
static const char *
find_headers(struct mica_cli *cli)
{
    struct mica_toolchain toolchain;
    struct mica_error ignored;

    if (mica_toolchain_find_native(&toolchain, &ignored) != MICA_OK)
        return "/usr/include";
    return mica_cli_format(cli, "%s", toolchain.include_dir);
}

static void
print_project(struct mica_cli *cli, const struct mica_options *options,
              const char *name)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    if (!mica_cli_wants_json(options)) {
        for (size_t i = 0; i < MICA_COUNT(parts); i++)
            mica_cli_print(cli, "%s/%s\n", name, parts[i].path);
        return;
    }
    mica_buffer_init(&text, &cli->arena, FILE_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "name", mica_text(name));
    mica_json_name(&writer, "files");
    mica_json_open_array(&writer);
    for (size_t i = 0; i < MICA_COUNT(parts); i++)
        mica_json_stringz(&writer,
                          mica_cli_format(cli, "%s/%s", name, parts[i].path));
    mica_json_close_array(&writer);
    mica_json_close_object(&writer);
    mica_cli_json_buffer(cli, &text);
}

// Does a line of .gitignore name the file?
static bool
git_leaves_out(struct mica_cli *cli, const char *line)
{
    struct mica_error ignored;
    struct mica_text text;

    if (mica_file_read(&cli->arena, ".gitignore", &ignored, &text) != MICA_OK)
        return false;
    while (text.len > 0) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t length = end != NULL ? (size_t)(end - text.ptr) : text.len;
        if (mica_text_is(mica_text_slice(text, 0, length), line))
            return true;
        text = mica_text_slice(text, length + 1, text.len);
    }
    return false;
}

void
mica_new_compile_flags(struct mica_cli *cli)
{
    static const char file[] = "compile_flags.txt";
    struct mica_error ignored;
    struct mica_buffer text;

    if (mica_file_exists(file) || !git_leaves_out(cli, "/compile_flags.txt"))
        return;
    mica_buffer_init(&text, &cli->arena, FILE_BYTES);
    mica_template_fill(&text, mica_template_text(file), "", find_headers(cli));
    if (!text.overflow &&
        mica_new_write(file, mica_buffer_as_text(&text), &ignored) == MICA_OK)
        mica_cli_note(cli,
                      "mica: wrote %s, by which editors find the headers "
                      "of mica\n",
                      file);
}

enum mica_status
mica_new_project(struct mica_cli *cli, const struct mica_options *options,
                 const char *name, struct mica_error *error)
{
    const char *include = find_headers(cli);

    MICA_TRY(make_folders(name, error));
    for (size_t i = 0; i < MICA_COUNT(parts); i++) {
        struct mica_buffer text;
        mica_buffer_init(&text, &cli->arena, FILE_BYTES);
        mica_template_fill(&text, mica_template_text(parts[i].template),
                           parts[i].name != NULL ? parts[i].name : name,
                           include);
        if (text.overflow)
            return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
        MICA_TRY(
            mica_new_write(mica_cli_format(cli, "%s/%s", name, parts[i].path),
                           mica_buffer_as_text(&text), error));
    }
    print_project(cli, options, name);
    if (cli->terminal) {
        mica_cli_flush(cli); // the files first
        mica_cli_note(cli, "Next:  cd %s && mica dev\n", name);
    }
    return MICA_OK;
}

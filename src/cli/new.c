// SPDX-License-Identifier: Apache-2.0
//
// mica new: the beginning of an engine, one that builds, passes every check and
// answers, so that its author changes something that works.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/project.h"

enum {
    SLUG_LENGTH = 64,
    SOURCE_BYTES = 64 << 10
};

static enum mica_status
check_slug(const char *slug, struct mica_error *error)
{
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
    return mica_error_set(error, MICA_E_USAGE, "",
                          "\"%s\" cannot be the name of an engine: use 1 to 64 "
                          "of a-z and 0-9 with single \"-\" between, a letter "
                          "first, like \"greet-somebody\"",
                          slug);
}

// The parts of the template. @IDENTIFIER@ and @TITLE@ are filled in.
static const char template[] =
    "// @TITLE@. Change it to what you need; \"mica check\" says what is\n"
    "// missing. What an engine may use is in mica/engine.h.\n"
    "#include <mica/engine.h>\n"
    "\n"
    "struct input {\n"
    "    double length, width;\n"
    "    struct mica_text unit;\n"
    "};\n"
    "MICA_RECORD(input,\n"
    "            MICA_NUMBER(length, \"Longer side of a rectangle, in the "
    "given unit.\",\n"
    "                        .minimum = 0, .unit = \"unit\"),\n"
    "            MICA_NUMBER(width, \"Shorter side of the rectangle, in the "
    "given unit.\",\n"
    "                        .minimum = 0, .unit = \"unit\"),\n"
    "            MICA_TEXT(unit, \"Unit of both sides, like m or cm.\",\n"
    "                      .fallback = MICA_JSON(\"m\"), .min_length = 1,\n"
    "                      .max_length = 16));\n"
    "\n"
    "struct output {\n"
    "    double area;\n"
    "    struct mica_text unit;\n"
    "};\n"
    "MICA_RECORD(output,\n"
    "            MICA_NUMBER(area, \"Length times width, in the square of the "
    "unit.\",\n"
    "                        .unit = \"unit\"),\n"
    "            MICA_TEXT(unit, \"Unit of the area, like m^2.\"));\n"
    "\n"
    "static enum mica_status\n"
    "calculate(struct mica_call *call, const struct input *in, struct output "
    "*out)\n"
    "{\n"
    "    if (in->width > in->length)\n"
    "        return mica_fail(call, \"SIDES_SWAPPED\", \"width\",\n"
    "                         \"The width %s is larger than the length %s; swap "
    "\"\n"
    "                         \"the two.\",\n"
    "                         mica_number(call, in->width),\n"
    "                         mica_number(call, in->length));\n"
    "    out->area = in->length * in->width;\n"
    "    out->unit = mica_format(call, \"%.*s^2\", MICA_ARG(in->unit));\n"
    "    return MICA_OK;\n"
    "}\n"
    "\n"
    "MICA_ENGINE(@IDENTIFIER@, input, output, calculate,\n"
    "            .title = \"@TITLE@\",\n"
    "            .description = \"Calculate the area of a rectangle from its "
    "two \"\n"
    "                           \"sides, given in the same unit of length.\",\n"
    "            .category = \"math\",\n"
    "            .examples = MICA_EXAMPLES(\n"
    "                {\"3 by 2 metres\", MICA_JSON({\"length\": 3, \"width\": "
    "2}),\n"
    "                 MICA_JSON({\"area\": 6, \"unit\": \"m^2\"})},\n"
    "                {\"sides swapped\", MICA_JSON({\"length\": 2, \"width\": "
    "3}),\n"
    "                 .error = \"SIDES_SWAPPED\"}));\n";

// "greet-somebody" as "greet_somebody" or "Greet somebody".
static void
add_name(struct mica_buffer *source, const char *slug, bool title)
{
    for (size_t i = 0; slug[i] != '\0'; i++) {
        char c = slug[i];
        if (c == '-')
            c = title ? ' ' : '_';
        else if (title && i == 0 && c >= 'a' && c <= 'z')
            c = (char)(c - 'a' + 'A');
        mica_buffer_char(source, c);
    }
}

static void
fill_in(struct mica_buffer *source, const char *slug)
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

// Never over a file that is there.
static enum mica_status
write_file(const char *path, struct mica_text text, struct mica_error *error)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

    if (fd < 0 && errno == EEXIST)
        return mica_error_set(error, MICA_E_EXISTS, "",
                              "there is a file %s already; choose another name",
                              path);
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

static enum mica_status
run(struct mica_cli *cli, const struct mica_options *options,
    struct mica_error *error)
{
    struct mica_buffer source, path;

    if (options->word_count != 1)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "new needs one name: mica new greet-somebody");
    const char *slug = options->words[0];
    MICA_TRY(check_slug(slug, error));
    MICA_TRY(mica_project_make_folder(mica_kind_engine.dir, error));
    mica_buffer_init(&path, &cli->arena, SOURCE_BYTES);
    mica_buffer_init(&source, &cli->arena, SOURCE_BYTES);
    mica_buffer_format(&path, "%s/%s.c", mica_kind_engine.dir, slug);
    mica_buffer_char(&path, '\0');
    fill_in(&source, slug);
    MICA_TRY(write_file(path.ptr, mica_buffer_as_text(&source), error));
    mica_cli_print(cli, "%s\n", path.ptr);
    if (cli->terminal)
        mica_cli_note(cli,
                      "Try it:  mica call %s length=3 width=2\nThen change it, "
                      "and:  mica check %s\n",
                      slug, path.ptr);
    return MICA_OK;
}

static const struct mica_option options[] = {
    {NULL, MICA_OPTION_SWITCH, NULL, NULL}};

const struct mica_command mica_command_new = {
    .name = "new",
    .summary = "Write the beginning of an engine",
    .usage = "SLUG",
    .example = "mica new greet-somebody",
    .more = "Writes engines/SLUG.c, which builds, passes \"mica check\" and "
            "answers; change it from there.",
    .options = options,
    .run = run};

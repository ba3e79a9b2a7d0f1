// SPDX-License-Identifier: Apache-2.0
//
// A person names the file, so it may be anything that can be read to an end: also what a
// shell makes of <(…).
#include "cli/argument_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PIECE = 64 << 10
};

static enum mica_status
file_open(const char *namez, struct mica_error *error, int *file_out)
{
    struct stat st;

    if (namez[0] == '\0')
        return mica_error_set(error, MICA_E_USAGE, "",
                              "no file is named behind the @");
    *file_out = open(namez, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (*file_out < 0 && (errno == ENOENT || errno == ENOTDIR))
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "there is no file \"%s\"", namez);
    if (*file_out < 0)
        return mica_error_set(error, MICA_E_IO, "", "cannot read %s: %s", namez,
                              strerror(errno));
    if (fstat(*file_out, &st) == 0 && S_ISDIR(st.st_mode)) {
        (void)close(*file_out);
        return mica_error_set(error, MICA_E_USAGE, "", "%s is a folder", namez);
    }
    return MICA_OK;
}

static enum mica_status
file_read(int file, const char *namez, struct mica_buffer *text,
          struct mica_error *error)
{
    for (;;) {
        char *room = mica_buffer_reserve(text, PIECE);
        if (room == NULL || text->len > MICA_ARGUMENT_BYTES)
            return mica_error_set(error, MICA_E_LIMIT, "",
                                  "%s has more than %d bytes", namez,
                                  MICA_ARGUMENT_BYTES);
        ssize_t got = read(file, room, PIECE);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return mica_error_set(error, MICA_E_IO, "", "cannot read %s: %s",
                                  namez, strerror(errno));
        if (got == 0)
            return MICA_OK;
        text->len += (size_t)got;
    }
}

static enum mica_status
argument_read(void *data, const char *namez, struct mica_error *error,
              struct mica_text *text_out)
{
    struct mica_cli *cli = data;
    struct mica_buffer text;
    enum mica_status status;
    int file = -1;

    if (strcmp(namez, "-") == 0)
        return mica_cli_read(cli, MICA_ARGUMENT_BYTES, error, text_out);
    MICA_TRY(file_open(namez, error, &file));
    mica_buffer_init(&text, &cli->arena, MICA_ARGUMENT_BYTES + 2 * PIECE);
    status = file_read(file, namez, &text, error);
    (void)close(file);
    *text_out = mica_buffer_as_text(&text);
    return status;
}

struct mica_argument_files
mica_argument_files_of(struct mica_cli *cli)
{
    return (struct mica_argument_files){.read = argument_read, .data = cli};
}

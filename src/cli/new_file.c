// SPDX-License-Identifier: Apache-2.0
//
// Writes the files that `mica new` makes.
#include "cli/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum mica_status
mica_new_exists(const char *path, struct mica_error *error)
{
    return mica_error_set(error, MICA_E_EXISTS, "",
                          "there is a file %s already; choose another name",
                          path);
}

enum mica_status
mica_new_write(const char *path, struct mica_text text,
               struct mica_error *error)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

    if (fd < 0 && errno == EEXIST)
        return mica_new_exists(path, error);
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

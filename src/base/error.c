// SPDX-License-Identifier: Apache-2.0
//
// Errors: fixed room, so that reporting one can never fail. Text that is too
// long is cut between two characters, and the cut is shown.
#include <string.h>

#include <mica/base.h>

#include "base/formatter.h"

static void
error_copy(char *out, size_t size, const char *textz)
{
    size_t len = strlen(textz);
    memcpy(out, textz, len < size ? len : size);
    (void)mica_format_finish(out, size, len);
}

// Told rarely, from many places: in a module it stands once.
__attribute__((noinline, cold)) enum mica_status
mica_error_vset(struct mica_error *error, enum mica_status status,
                const char *codez, const char *pathz, const char *formatz,
                va_list arguments)
{
    if (error == NULL)
        return status;
    // The arguments may point into the error itself (a caller that says more),
    // so the text is made aside.
    char message[sizeof error->message];
    mica_format_message(message, sizeof message, formatz, arguments);
    char path[sizeof error->path];
    error_copy(path, sizeof path, pathz != NULL ? pathz : "");
    char code[sizeof error->code];
    error_copy(code, sizeof code,
               codez != NULL ? codez : mica_status_code(status));
    error->status = status;
    memcpy(error->message, message, sizeof message);
    memcpy(error->path, path, sizeof path);
    memcpy(error->code, code, sizeof code);
    return status;
}

enum mica_status
mica_error_set(struct mica_error *error, enum mica_status status,
               const char *pathz, const char *formatz, ...)
{
    va_list arguments;
    va_start(arguments, formatz);
    mica_error_vset(error, status, NULL, pathz, formatz, arguments);
    va_end(arguments);
    return status;
}

void
mica_error_prefix(struct mica_error *error, const char *formatz, ...)
{
    if (error == NULL)
        return;
    char message[sizeof error->message];
    va_list arguments;
    va_start(arguments, formatz);
    mica_format_message(message, sizeof message, formatz, arguments);
    va_end(arguments);
    size_t len = strlen(message);
    const char *parts[] = {": ", error->message};
    for (size_t i = 0; i < MICA_COUNT(parts); i++) {
        size_t more = strlen(parts[i]);
        if (len < sizeof message) {
            size_t room = sizeof message - len;
            memcpy(message + len, parts[i], more < room ? more : room);
        }
        len += more;
    }
    (void)mica_format_finish(message, sizeof message, len);
    memcpy(error->message, message, sizeof message);
}

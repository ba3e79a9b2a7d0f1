// SPDX-License-Identifier: Apache-2.0
//
// Gives the module of an engine, or its fallback, to a surface that sends it to a browser.
// What comes from a folder is compared with the hash that the catalog was told,
// so that what a browser keeps under that hash for ever is right.
#include "sandbox/carried.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/trust.h"

enum {
    FILE_BYTES = 16 * 1024 * 1024
};

_Static_assert((int)MICA_CARRIED_FALLBACK == (int)MICA_WEB_FALLBACK &&
                   (int)MICA_CARRIED_PAGE == (int)MICA_WEB_PAGE &&
                   (int)MICA_CARRIED_VIEW == (int)MICA_WEB_VIEW &&
                   (int)MICA_CARRIED_COUNT == (int)MICA_WEB_COUNT,
               "what a program carries is what is asked for");

enum mica_status
mica_carried_linked(const struct mica_translated_files *files,
                    enum mica_carried_file file, bool gzip,
                    struct mica_error *error, struct mica_carried *carried_out)
{
    if (files == NULL || files->bytes[file] == NULL)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "the program has no such file inside");
    carried_out->gzip = file != MICA_CARRIED_VIEW;
    if (!gzip && carried_out->gzip)
        return mica_error_set(error, MICA_E_ACCEPT, "",
                              "this file is here only compressed; ask with "
                              "Accept-Encoding: gzip (curl --compressed)");
    carried_out->bytes = (struct mica_text){(const char *)files->bytes[file],
                                            files->sizes[file]};
    return MICA_OK;
}

// Read once: the bytes that are hashed are those that are sent.
enum mica_status
mica_carried_read(const char *path, struct mica_text sha256,
                  struct mica_arena *arena, struct mica_error *error,
                  struct mica_carried *carried_out)
{
    char found[MICA_SHA256_SIZE];
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "cannot read %s (%s)", path, strerror(errno));
    enum mica_status status = mica_trust_read(file, path, FILE_BYTES, arena,
                                              error, &carried_out->bytes);
    (void)close(file);
    MICA_TRY(status);
    mica_trust_hash_bytes(carried_out->bytes, found);
    carried_out->gzip = false;
    if (mica_text_is(sha256, found))
        return MICA_OK;
    return mica_error_set(error, MICA_E_TRUST, "",
                          "%s is not the file that was built; build it again",
                          path);
}

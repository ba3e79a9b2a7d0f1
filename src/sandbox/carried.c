// SPDX-License-Identifier: Apache-2.0
//
// Gives the module of an engine, or its twin, to whoever sends it to a browser.
// What comes from a folder is compared with the hash that the catalogue was told,
// so that what a browser keeps under that hash for ever is right.
#include "sandbox/carried.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sandbox/trust.h"

enum {
    FILE_BYTES = 16 * 1024 * 1024
};

_Static_assert((int)MICA_CARRIED_TWIN == (int)MICA_WEB_TWIN &&
                   (int)MICA_CARRIED_PAGE == (int)MICA_WEB_PAGE &&
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
    if (!gzip)
        return mica_error_set(error, MICA_E_ACCEPT, "",
                              "this file is here only compressed; ask with "
                              "Accept-Encoding: gzip (curl --compressed)");
    carried_out->gzip = true;
    carried_out->bytes = (struct mica_text){(const char *)files->bytes[file],
                                            files->sizes[file]};
    return MICA_OK;
}

static enum mica_status
read_all(FILE *file, const char *path, struct mica_arena *arena,
         struct mica_error *error, struct mica_text *bytes_out)
{
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *bytes = NULL;
    if (size > FILE_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "%s is larger than %d MiB", path,
                              FILE_BYTES >> 20);
    if (size >= 0 && fseek(file, 0, SEEK_SET) == 0)
        bytes = mica_arena_alloc(arena, (size_t)size + 1);
    if (bytes == NULL || fread(bytes, 1, (size_t)size, file) != (size_t)size)
        return mica_error_set(error, MICA_E_IO, "",
                              "cannot read the whole of %s", path);
    *bytes_out = (struct mica_text){bytes, (size_t)size};
    return MICA_OK;
}

enum mica_status
mica_carried_read(const char *path, struct mica_text sha256,
                  struct mica_arena *arena, struct mica_error *error,
                  struct mica_carried *carried_out)
{
    char found[MICA_SHA256_SIZE];
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "cannot read %s (%s)", path, strerror(errno));
    enum mica_status status =
        read_all(file, path, arena, error, &carried_out->bytes);
    (void)fclose(file);
    MICA_TRY(status);
    MICA_TRY(mica_trust_hash(path, error, found));
    carried_out->gzip = false;
    if (mica_text_is(sha256, found))
        return MICA_OK;
    return mica_error_set(error, MICA_E_TRUST, "",
                          "%s is not the file that was built; build it again",
                          path);
}

// SPDX-License-Identifier: Apache-2.0
//
// A base path, a public URL and the path of a request, one a line: what is read can
// stand in front of paths and in headers, and is taken off as it was put there.
#include <stdlib.h>
#include <string.h>

#include "protocol/base_path.h"

#include "target.h"

// The next line as a string, or NULL; the caller frees it.
static char *
next_line(const uint8_t **at, const uint8_t *end)
{
    const uint8_t *stop = memchr(*at, '\n', (size_t)(end - *at));
    size_t size = (size_t)((stop != NULL ? stop : end) - *at);
    char *line = calloc(1, size + 1);

    if (size > 0)
        memcpy(line, *at, size);
    *at = stop != NULL ? stop + 1 : end;
    return line;
}

static void
check_text(struct mica_text text)
{
    for (size_t i = 0; i < text.len; i++)
        FUZZ_MUST(text.ptr[i] > ' ' && text.ptr[i] < 0x7f &&
                  strchr("\"\\<>&'%?#@;,", text.ptr[i]) == NULL);
}

static void
check_base(struct mica_text base, const char *pathz)
{
    struct mica_text path = mica_text(pathz), behind;
    struct mica_buffer whole;

    FUZZ_MUST(mica_base_path_fits(base));
    check_text(base);
    if (path.len > 0 && path.ptr[0] != '/')
        return;
    mica_buffer_init(&whole, NULL, base.len + path.len + 1);
    mica_base_path_add(&whole, base, "%s", pathz);
    behind = mica_base_path_strip(base, mica_buffer_as_text(&whole));
    FUZZ_MUST(mica_text_equal(behind, path));
    mica_buffer_fini(&whole);
}

static void
check_read(const char *base_pathz, const char *public_urlz, const char *pathz)
{
    struct mica_base_path base;
    struct mica_error error = {.message = ""};

    if (mica_base_path_read(base_pathz, public_urlz, &error, &base) !=
        MICA_OK) {
        FUZZ_MUST(error.status == MICA_E_USAGE && error.message[0] != '\0');
        return;
    }
    check_base(base.stripped, pathz);
    check_base(base.added, pathz);
    check_text(base.origin);
    FUZZ_MUST((public_urlz != NULL) == (base.origin.len > 0));
    FUZZ_MUST(base.origin.len + base.added.len <= MICA_PUBLIC_URL_BYTES);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const uint8_t *at = bytes, *end = bytes + size;
    char *base_path = next_line(&at, end), *public_url = next_line(&at, end),
         *path = next_line(&at, end);

    check_read(base_path, NULL, path);
    check_read(NULL, public_url, path);
    check_read(base_path, public_url, path);
    free(base_path);
    free(public_url);
    free(path);
    return 0;
}

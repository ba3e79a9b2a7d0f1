// SPDX-License-Identifier: Apache-2.0
//
// mica-build: builds one engine for meson. People use `mica build`.
//
//   mica-build [--fast] [--object] [--force] <out folder> <engine.c|.wasm>
#include <stdio.h>
#include <string.h>

#include "base/visible.h"
#include "build/build.h"

static bool
is_module(const char *path)
{
    size_t len = strlen(path);
    return len > 5 && strcmp(path + len - 5, ".wasm") == 0;
}

static enum mica_status
build_run(const struct mica_build_options *options, const char *source,
          struct mica_buffer *diagnostics, struct mica_error *error)
{
    enum mica_build_outcome outcome;
    if (is_module(source))
        return mica_build_module(options, source, diagnostics, error);
    return mica_build_engine(options, source, diagnostics, error, &outcome);
}

int
main(int argc, char **argv)
{
    struct mica_toolchain toolchain;
    struct mica_build_options options = {.toolchain = &toolchain};
    struct mica_buffer diagnostics, shown;
    struct mica_error error = {0};
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (strcmp(argv[at], "--fast") == 0)
            options.fast = true;
        else if (strcmp(argv[at], "--object") == 0)
            options.object = true;
        else if (strcmp(argv[at], "--force") == 0)
            options.force = true;
        else
            break;
    }
    if (argc - at != 2) {
        (void)fputs("usage: mica-build [--fast] [--object] [--force] "
                    "<out folder> <engine.c|engine.wasm>\n",
                    stderr);
        return 2;
    }
    options.out_dir = argv[at];
    mica_buffer_init(&diagnostics, NULL, (size_t)1 << 20);
    mica_buffer_init(&shown, NULL, (size_t)8 << 20);
    enum mica_status status = mica_toolchain_find(&toolchain, &error);
    if (status == MICA_OK)
        status = build_run(&options, argv[at + 1], &diagnostics, &error);
    if (diagnostics.len > 0)
        mica_visible_add(&shown, mica_buffer_as_text(&diagnostics),
                         MICA_VISIBLE_LINES);
    if (status != MICA_OK)
        mica_visible_format(&shown, "%s: %s\n", error.code, error.message);
    if (shown.len > 0)
        (void)fwrite(shown.ptr, 1, shown.len, stderr);
    mica_buffer_fini(&shown);
    mica_buffer_fini(&diagnostics);
    return mica_status_exit(status);
}

// SPDX-License-Identifier: Apache-2.0
//
// The table: what people keep beside their programs, by its registered type.
#include "files/media.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *end, *type;
} types[] = {
    {"avif", "image/avif"},
    {"bin", "application/octet-stream"},
    {"c", "text/x-c"},
    {"cc", "text/x-c++"},
    {"cpp", "text/x-c++"},
    {"css", "text/css"},
    {"csv", "text/csv"},
    {"diff", "text/x-diff"},
    {"gif", "image/gif"},
    {"go", "text/x-go"},
    {"gz", "application/gzip"},
    {"h", "text/x-c"},
    {"htm", "text/html"},
    {"html", "text/html"},
    {"ico", "image/vnd.microsoft.icon"},
    {"ini", "text/plain"},
    {"java", "text/x-java"},
    {"jpeg", "image/jpeg"},
    {"jpg", "image/jpeg"},
    {"js", "text/javascript"},
    {"json", "application/json"},
    {"jsonl", "application/jsonl"},
    {"log", "text/plain"},
    {"lua", "text/x-lua"},
    {"md", "text/markdown"},
    {"mjs", "text/javascript"},
    {"mp3", "audio/mpeg"},
    {"mp4", "video/mp4"},
    {"ogg", "audio/ogg"},
    {"patch", "text/x-diff"},
    {"pdf", "application/pdf"},
    {"png", "image/png"},
    {"py", "text/x-python"},
    {"rb", "text/x-ruby"},
    {"rs", "text/x-rust"},
    {"rst", "text/x-rst"},
    {"sh", "application/x-sh"},
    {"sql", "application/sql"},
    {"svg", "image/svg+xml"},
    {"tar", "application/x-tar"},
    {"toml", "application/toml"},
    {"ts", "text/x-typescript"},
    {"tsv", "text/tab-separated-values"},
    {"txt", "text/plain"},
    {"wasm", "application/wasm"},
    {"wav", "audio/wav"},
    {"webm", "video/webm"},
    {"webp", "image/webp"},
    {"woff2", "font/woff2"},
    {"xml", "application/xml"},
    {"yaml", "application/yaml"},
    {"yml", "application/yaml"},
    {"zip", "application/zip"},
};

const char *
mica_media_type(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');

    if (dot == NULL || (slash != NULL && dot < slash))
        return NULL;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcasecmp(dot + 1, types[i].end) == 0)
            return types[i].type;
    }
    return NULL;
}

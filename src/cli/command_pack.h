// SPDX-License-Identifier: Apache-2.0
//
// What mica pack puts together: the files of a bundle and the two descriptions.
#ifndef MICA_CLI_COMMAND_PACK_H
#define MICA_CLI_COMMAND_PACK_H

#include "cli/cli.h"
#include "server/server.h"

// A bundle that is being made.
struct mica_pack {
    struct mica_cli *cli;
    const char *name, *title, *version, *description, *author; // all there
    const char *summary, *instructions, *website; // of the settings, or NULL
    const char *registry_name, *url;              // of server.json, or NULL
    bool built_in;       // serves the engines inside mica, no files of them
    const char *staging; // the folder in which the files lie
    const char **files;  // in it, relative
    size_t count, room;
    const struct mica_definition_list *tools;
    const char *made[2]; // what was written for others, to be printed
    size_t made_count;
};

// Puts the program, the libraries that it has loaded (but for the C library's) and
// what the folder has built into the staging folder. Errors: MICA_E_IO,
// MICA_E_LIMIT.
enum mica_status mica_pack_collect(struct mica_pack *pack,
                                   struct mica_error *error) MICA_MUST_USE;

// A file of the bundle, with that text.
enum mica_status mica_pack_add_text(struct mica_pack *pack, const char *name,
                                    struct mica_text text,
                                    struct mica_error *error) MICA_MUST_USE;

// All files into a zip archive at `path`, the same bytes for the same files. Errors:
// MICA_E_NOT_FOUND (no program zip), MICA_E_IO.
enum mica_status mica_pack_zip(struct mica_pack *pack, const char *path,
                               struct mica_error *error) MICA_MUST_USE;

// Removes the staging folder.
void mica_pack_clean(const struct mica_pack *pack);

// manifest.json of the bundle (MCPB 0.3), and server.json for a registry, with the
// SHA-256 of the bundle.
void mica_pack_manifest(const struct mica_pack *pack, struct mica_buffer *out);
void mica_pack_server(const struct mica_pack *pack, const char *sha256z,
                      struct mica_buffer *out);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// A folder whose files are resources. The public function is in mica/server.h;
// here is what its files share: folder.c has the definitions and what changes
// them, file.c reads one.
#ifndef MICA_FILES_FOLDER_H
#define MICA_FILES_FOLDER_H

#include "files/walk.h"
#include "server/server.h"

enum {
    MICA_FOLDER_FILES =
        10000 // of a folder, where nothing else is set; others are left out
};

struct mica_folder {
    struct mica_folder *next; // of the same server
    struct mica_server *server;
    struct mica_folder_options options; // defaults filled in
    char *awaited; // path of a folder that may come and go; NULL: it stays
    int root;      // the folder; -1: it has not been there
    struct mica_watcher *watcher; // of it and all folders below
    char *prefix;                 // of the URIs, with '/' at its end
    struct mica_walk known;       // what is offered
    struct mica_walk noted;       // the limits met that were noted last
    bool failing;                 // to be walked, which was noted
};

// The contents of the file that is open as `fd`, as the inside of a JSON string:
// text if it is UTF-8 without U+0000, or base64. They are copied to a file without a
// name first, so that nothing that happens to the file later tears them. False with
// errno; EAGAIN when it changed meanwhile, ENFILE when too many are being read,
// ECANCELED. Owner: the caller closes `streamed`.
bool mica_file_stream(struct mica_call *call, int fd, bool *text_out,
                      struct mica_streamed_text **streamed_out) MICA_MUST_USE;

// A path as a part of a URI (RFC 3986): unreserved characters and slashes stay.
void mica_file_write_path(struct mica_buffer *uri, const char *path);

// A definition for the file, which the caller holds; NULL for want of memory. A
// NUL stands behind its key.
struct mica_definition *mica_file_definition(const struct mica_folder *folder,
                                             const struct mica_walk_file *file);

#endif

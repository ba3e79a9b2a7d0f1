// SPDX-License-Identifier: Apache-2.0
//
// The steps by which a file of tools/ becomes a shared object, in the order they
// are taken. Not for other folders.
#ifndef MICA_BUILD_TOOL_BUILD_H
#define MICA_BUILD_TOOL_BUILD_H

#include "build/build.h"
#include "build/files.h"
#include "build/steps.h"
#include "tools/library.h"

enum {
    MICA_LIBRARIES = 16,     // named by one file
    MICA_LIBRARY_WORDS = 32, // of a compiler's or linker's command
    MICA_VIEW_FILE_SIZE = 256,
    MICA_TOOL_DOCUMENTS = 1 + MICA_FORM_VIEWS_MOST
};

// What libraries ask of a command; NULL-ended lists in the arena.
struct mica_tool_flags {
    const char *compile[MICA_LIBRARY_WORDS + 1];
    const char *link[MICA_LIBRARY_WORDS + 1];
    size_t compile_count, link_count;
};

// The document of a view of the tool.
struct mica_tool_document {
    char file[MICA_VIEW_FILE_SIZE]; // in tools_dir, or ""
    struct mica_text text;          // what is built into the tool, or empty
};

struct mica_tool_job {
    struct mica_confinement confinement; // of its compilers
    const struct mica_build_options *options;
    const char *source; // as the user wrote it
    char name[MICA_TOOL_NAME_LENGTH + 1];
    char tools_dir[PATH_MAX], lib_dir[PATH_MAX]; // where the source lies
    bool has_lib;
    char out_dir[PATH_MAX];             // absolute
    char folder[PATH_MAX];              // of this build, "" before it is made
    int folder_lock;                    // of mica_folder_temporary
    char family[MICA_SHA256_SIZE];      // of what tools share
    char fingerprint[MICA_SHA256_SIZE]; // of all that goes in
    // That of its view, and behind it those of the views of its forms.
    struct mica_tool_document documents[MICA_TOOL_DOCUMENTS];
    char archive[PATH_MAX];       // of tools/lib, in `folder`; "" without code
    struct mica_tool_flags flags; // of its own libraries and of lib's
    struct mica_tool_library *library; // what was built, opened
    struct mica_text manifest;
    bool is_stale; // a file has changed since: nothing was published
    struct mica_arena *arena;
    struct mica_buffer *diagnostics;
    struct mica_error *error;
};

// The digest, as it is now, of all that tools share: mica's headers, those in
// tools/, and tools/lib.
enum mica_status mica_tool_family(struct mica_tool_job *job,
                                  char out[MICA_SHA256_SIZE]) MICA_MUST_USE;

// Adds what the libraries that a source names ask for. Errors: MICA_E_BUILD (an
// invalid name, a flag that is not one of a library).
enum mica_status mica_tool_libraries(struct mica_tool_job *job,
                                     const char *source) MICA_MUST_USE;

// Puts the archive that an earlier build of this user keeps in `folder` at
// job->archive. Returns false if this user has made no such archive.
bool mica_tool_archive_take(struct mica_tool_job *job, const char *folder)
    MICA_MUST_USE;

// Keeps job->archive in `folder` for the next build, with a seal. Errors: MICA_E_IO.
enum mica_status mica_tool_archive_keep(struct mica_tool_job *job,
                                        const char *folder) MICA_MUST_USE;

// tools/lib -> job->archive, once for all tools
enum mica_status mica_tool_archive(struct mica_tool_job *job) MICA_MUST_USE;

// source and archive -> tool.so in job->folder
enum mica_status mica_tool_compile(struct mica_tool_job *job) MICA_MUST_USE;

// The digest of all that goes into a tool, and job->family with it: with the documents
// that were built in, or, if `now`, as they are. Errors: those of mica_digest_file.
enum mica_status mica_tool_fingerprint(struct mica_tool_job *job, bool now,
                                       char out[MICA_SHA256_SIZE])
    MICA_MUST_USE;

// Takes the files of job->documents from the manifest of the build before.
void mica_tool_views_before(struct mica_tool_job *job);

// The document `file` of a view as it is now, with what it imports. Errors: those of
// mica_file_read and mica_view_inline.
enum mica_status mica_tool_document(struct mica_tool_job *job, const char *file,
                                    struct mica_error *error,
                                    struct mica_text *document_out)
    MICA_MUST_USE;

// Puts the documents of the tool's views into tool.so, of those that have a .file. Errors:
// MICA_E_BUILD (an invalid view, no such file, a document that is too large).
enum mica_status mica_tool_views(struct mica_tool_job *job) MICA_MUST_USE;

// Links tool.so again, with view.S of job->folder.
enum mica_status mica_tool_link_view(struct mica_tool_job *job) MICA_MUST_USE;

// Reads the manifest in the out folder. Returns false if it does not exist or is no JSON.
bool mica_tool_manifest_read(struct mica_tool_job *job,
                             struct mica_json *manifest_out) MICA_MUST_USE;

// Opens tool.so of job->folder for reading; the caller closes the file. Errors: MICA_E_IO.
enum mica_status mica_tool_object(struct mica_tool_job *job,
                                  char path[PATH_MAX], int *file_out)
    MICA_MUST_USE;

// tool.so -> job->manifest
enum mica_status mica_tool_describe(struct mica_tool_job *job) MICA_MUST_USE;

// Puts everything in its place; or sets job->is_stale, if it would replace what another
// process may have built of newer files.
enum mica_status mica_tool_publish(struct mica_tool_job *job) MICA_MUST_USE;

// Whether what is in the out folder was made from the same fingerprint, and by
// this user.
bool mica_tool_is_current(struct mica_tool_job *job);

// How the C of a tool and of its tests is read, and which warnings are errors there,
// each NULL-ended: so a build, a check and a test say the same.
extern const char *const mica_tool_words[];
extern const char *const mica_tool_errors[];

#endif

// SPDX-License-Identifier: Apache-2.0
//
// The few things the build driver does with files.
#ifndef MICA_BUILD_FILES_H
#define MICA_BUILD_FILES_H

#include <limits.h>
#include <sys/stat.h>

#include <mica/base.h>

// A formatted path. Errors: MICA_E_USAGE when it is too long.
enum mica_status mica_path(char out[PATH_MAX], struct mica_error *error,
                           const char *formatz, ...) MICA_PRINTF(3, 4)
    MICA_MUST_USE;

// Behind links, as is mica_folder_exists.
bool mica_file_exists(const char *path);
bool mica_folder_exists(const char *path);

// Whether it is a file with content of its own, and nothing that is read without
// end or waited for. Errors: MICA_E_BUILD: it says what it is.
enum mica_status mica_file_is_regular(const char *path, const struct stat *st,
                                      struct mica_error *error) MICA_MUST_USE;

// The whole file, in `arena`. Never waits: what is no regular file is refused. A
// link is followed to a file in the folder where the link stands, in the current
// folder, or below one of them, and nowhere else. Errors: MICA_E_NOT_FOUND,
// MICA_E_IO, MICA_E_LIMIT, MICA_E_BUILD (no regular file), MICA_E_TRUST (the link
// leads out).
enum mica_status mica_file_read(struct mica_arena *arena, const char *path,
                                struct mica_error *error,
                                struct mica_text *bytes_out) MICA_MUST_USE;

// Writes all of it, however often that takes. False with errno.
bool mica_file_write_all(int file, struct mica_text bytes);

// Writes a new file of a random name, for all to read and the owner to write, and
// renames it. What had the name before, a link or a FIFO too, is replaced, never
// followed or waited for.
enum mica_status mica_file_write(const char *path, struct mica_text bytes,
                                 struct mica_error *error) MICA_MUST_USE;

// Takes write access from others and renames. On the same file system no reader
// sees half a file. Errors: MICA_E_IO, MICA_E_BUILD (`from` is no regular file).
enum mica_status mica_file_publish(const char *from, const char *to,
                                   struct mica_error *error) MICA_MUST_USE;

// Whether `whole`, a path without links, is the folder or lies below it. The folder
// may be written in any way.
bool mica_path_is_within(const char *whole, const char *folder);

// Fails with MICA_E_TRUST when the file lies in the current folder or below, and is
// a link that leads out of both this folder and its own.
enum mica_status mica_file_inside(const char *path, struct mica_error *error)
    MICA_MUST_USE;

// Makes the folder unless it is there.
enum mica_status mica_folder_make(const char *folder, struct mica_error *error)
    MICA_MUST_USE;

// The same for a folder that mica keeps inside of one that it builds into.
// Errors: MICA_E_TRUST: a link or a file has its name.
enum mica_status mica_folder_make_inner(const char *folder,
                                        struct mica_error *error) MICA_MUST_USE;

// Fails with MICA_E_TRUST when a part of the relative path is a link that leads
// out of the current folder: a project that was cloned may have brought it. What
// is not there is fine. A whole path was chosen by the user.
enum mica_status mica_path_inside(const char *path, struct mica_error *error)
    MICA_MUST_USE;

// A new folder inside `parent` (made if absent). Removes those that processes left which
// have ended since: a lock of the folder, `*lock_out`, says that its process lives. -1: the
// file system has no such locks, and the folder stays an hour if it is left.
// Owner: mica_folder_discard.
enum mica_status mica_folder_temporary(const char *parent, char out[PATH_MAX],
                                       int *lock_out, struct mica_error *error)
    MICA_MUST_USE;

// Removes such a folder, with all files in it, and its lock.
void mica_folder_discard(const char *folder, int lock);

// Removes a folder with all files in it.
void mica_folder_remove(const char *folder);

// Removes <folder>/<slug>-<64 digits>.so except the one with `sha256`.
void mica_folder_sweep(const char *folder, const char *slug,
                       const char *sha256);

#endif

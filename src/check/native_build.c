// SPDX-License-Identifier: Apache-2.0
//
// Compiles an engine for this machine with the counters of clang's coverage, and
// links it with the core and with musl's math, whose results have the same bits
// as the module's (it is the same source).
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "build/files.h"
#include "build/process.h"
#include "check/native.h"

// Traps and rounding as in the module (build/engine_compile.c). Functions of libm are
// called, not folded or turned into others by the compiler, or the compiler's
// own libm would answer.
static const char *const flags[] = {
    "-std=c11",
    "-D_GNU_SOURCE", // as the module is compiled: M_PI
    "-DMICA_MODULE",
    "-O1",
    "-fprofile-instr-generate",
    "-fcoverage-mapping",
    "-ffp-contract=off",
    "-fno-builtin",
    "-fno-gnu-inline-asm",
    ("-fsanitize=integer-divide-by-zero,signed-integer-overflow,bounds,"
     "float-cast-overflow"),
    "-fsanitize-trap=all",
    "-fno-color-diagnostics",
    "-fno-caret-diagnostics",
    "-Wno-everything",
    "-Wall",
    "-Wextra",
    "-Wno-missing-field-initializers",
    "-Wcovered-switch-default", // for coverage.c
    "-static",
    NULL};

// Where libmica-module.a lies, libmica-probe.a lies.
static enum mica_status
find_archive(const struct mica_toolchain *toolchain, char out[PATH_MAX],
             struct mica_error *error)
{
    const char *given = getenv("MICA_PROBE_ARCHIVE");
    const char *slash = strrchr(toolchain->module_archive, '/');
    int folder =
        slash != NULL ? (int)(slash - toolchain->module_archive) + 1 : 0;

    if (given != NULL && *given != '\0') {
        MICA_TRY(mica_path(out, error, "%s", given));
    } else {
        MICA_TRY(mica_path(out, error, "%.*slibmica-probe.a", folder,
                           toolchain->module_archive));
    }
    if (mica_file_exists(out)) {
        return MICA_OK;
    }
    return mica_error_set(error, MICA_E_NOT_FOUND, "",
                          "There is no %s, which a native build of an engine "
                          "is linked with. Install mica again, or set "
                          "MICA_PROBE_ARCHIVE to where it is.",
                          out);
}

// Whether a header of mica is newer than the archive. A copy of both may have
// lost their times, so this alone is no fault.
static bool
is_outdated(const char *archive, const struct mica_toolchain *toolchain)
{
    struct stat made, header;
    char path[PATH_MAX];
    DIR *folder = NULL;
    bool newer = false;

    if (stat(archive, &made) == 0 &&
        mica_path(path, NULL, "%s/mica", toolchain->include_dir) == MICA_OK) {
        folder = opendir(path);
    }
    for (const struct dirent *file;
         folder != NULL && (file = readdir(folder)) != NULL;) {
        newer =
            newer || (fstatat(dirfd(folder), file->d_name, &header, 0) == 0 &&
                      S_ISREG(header.st_mode) &&
                      header.st_mtim.tv_sec > made.st_mtim.tv_sec);
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return newer;
}

static bool
native_says(const struct mica_buffer *words, const char *wordz)
{
    return memmem(words->ptr, words->len, wordz, strlen(wordz)) != NULL;
}

static enum mica_status
native_explain(const struct mica_buffer *words, const char *source,
               const char *archive, struct mica_error *error)
{
    if (native_says(words, "libclang_rt.profile")) {
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "clang's profile runtime is missing. Install the "
                              "package libclang-rt-14-dev.");
    }
    // What the headers declare and the module has, the archive lacks.
    if (native_says(words, "undefined reference to `mica_") ||
        native_says(words, "undefined symbol: mica_")) {
        return mica_error_set(
            error, MICA_E_NOT_FOUND, "",
            "%s is of another version than mica's headers, so "
            "%s cannot be built for this machine. Build mica "
            "again, or install it again.",
            archive, source);
    }
    return mica_error_set(error, MICA_E_BUILD, "",
                          "%s builds for WebAssembly, but not for this "
                          "machine; the compiler says why.",
                          source);
}

enum mica_status
mica_native_build(struct mica_native *native,
                  const struct mica_toolchain *toolchain, const char *source,
                  const char *folder, struct mica_buffer *diagnostics,
                  struct mica_error *error)
{
    struct mica_process command = {0};
    char archive[PATH_MAX];
    int exit_status = 0;
    const char *const reads[] = {source, toolchain->include_dir, archive, NULL};
    const struct mica_confinement confinement = {MICA_CONFINE_ENGINE, folder,
                                                 reads};

    command.confinement = &confinement;
    MICA_TRY(find_archive(toolchain, archive, error));
    MICA_TRY(mica_path(native->program, error, "%s/probe", folder));
    mica_process_add(&command, toolchain->clang);
    mica_process_add_all(&command, flags);
    mica_process_add(&command, "-I");
    mica_process_add(&command, toolchain->include_dir);
    mica_process_add(&command, "-o");
    mica_process_add(&command, native->program);
    mica_process_add(&command, source);
    mica_process_add(&command, archive);
    MICA_TRY(
        mica_process_run(&command, NULL, diagnostics, error, &exit_status));
    native->outdated = is_outdated(archive, toolchain);
    if (exit_status != 0) {
        return native_explain(diagnostics, source, archive, error);
    }
    // The linker may give nothing its rights.
    if (chmod(native->program, 0700) != 0) {
        return mica_error_set(error, MICA_E_IO, "",
                              "Cannot make %s executable: %s", native->program,
                              strerror(errno));
    }
    return MICA_OK;
}

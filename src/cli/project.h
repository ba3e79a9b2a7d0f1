// SPDX-License-Identifier: Apache-2.0
//
// The sources of this folder, engines and interactive tools, and the small make
// that keeps them built. What differs between the two kinds is in struct mica_source_kind.
#ifndef MICA_CLI_PROJECT_H
#define MICA_CLI_PROJECT_H

#include <time.h>

#include "build/build.h"
#include "cli/cli.h"
#include "sandbox/seal.h"

struct mica_source_kind {
    const char *noun;   // for people
    const char *dir;    // of the sources
    const char *built;  // of what they are built to
    const char *option; // that names such a folder
    enum mica_status (*build)(const struct mica_build_options *options,
                              const char *source,
                              struct mica_buffer *diagnostics,
                              struct mica_error *error,
                              enum mica_build_outcome *outcome_out);
    enum mica_status (*find)(struct mica_toolchain *toolchain_out,
                             struct mica_error *error);
};

extern const struct mica_source_kind mica_kind_engine, mica_kind_tool;

// True when a command works with the sources of this folder: no option names other
// tools, and there are sources.
bool mica_project_is_chosen(const struct mica_options *options);

// True when this folder is a project: its sources are chosen, or it has apps (apps/) and no
// option names other tools. Apps alone stand beside the tools inside mica.
bool mica_project_is_here(const struct mica_options *options);

// What the tools of this folder share, and where their tests are.
#define MICA_SHARED_DIR "tools/lib"
#define MICA_TESTS_DIR  "tests/tools"

// Fails with MICA_E_TRUST when the folder that this kind is built into is a link
// that leads out of the project.
enum mica_status mica_project_built(const struct mica_source_kind *kind,
                                    struct mica_error *error) MICA_MUST_USE;

// The same, for the folder of the sources too, and when others than this user and
// root may write into what is built: before each build of a command that serves.
enum mica_status mica_project_trust(const struct mica_source_kind *kind,
                                    struct mica_error *error) MICA_MUST_USE;

// The names of the sources of one kind, sorted, NULL-ended; none when there is no
// such folder. In the arena. Errors: MICA_E_IO, MICA_E_LIMIT, MICA_E_TRUST (the
// folder is a link that leads out of the project).
enum mica_status
mica_project_sources(struct mica_cli *cli, const struct mica_source_kind *kind,
                     struct mica_error *error, const char *const **names_out)
    MICA_MUST_USE;

// "DIR/NAME.c" in the arena; NULL for want of memory.
const char *mica_project_path(struct mica_cli *cli,
                              const struct mica_source_kind *kind,
                              const char *name);

// Says that there is nothing here of either kind. Always MICA_E_NOT_FOUND.
enum mica_status mica_project_empty(struct mica_error *error);

// When the source, or what it may include beside it, was last changed; false when
// there is no such source.
bool mica_project_changed(const struct mica_source_kind *kind, const char *name,
                          struct timespec *changed_out);

// Builds what has changed of `names`, or was not built with this key. Without
// compilers what was built before is used, and said to be old.
enum mica_status mica_project_refresh(struct mica_cli *cli,
                                      const struct mica_source_kind *kind,
                                      const char *const *names,
                                      const struct mica_seal_key *key,
                                      struct mica_error *error) MICA_MUST_USE;

// Has a source to be built before it is served: it has changed, was never built, or
// not with this key. Errors: MICA_E_IO.
enum mica_status mica_project_stale(const struct mica_source_kind *kind,
                                    const char *name,
                                    const struct mica_seal_key *key,
                                    struct mica_error *error, bool *stale_out)
    MICA_MUST_USE;

// Makes a folder of this folder unless it is there.
enum mica_status mica_project_make_folder(const char *name,
                                          struct mica_error *error)
    MICA_MUST_USE;

#endif

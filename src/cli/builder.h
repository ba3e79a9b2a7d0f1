// SPDX-License-Identifier: Apache-2.0
//
// Builds several sources of a kind at once, one a processor, and reports them in
// order.
#ifndef MICA_CLI_BUILDER_H
#define MICA_CLI_BUILDER_H

#include "cli/project.h"

struct mica_built {
    const char *source;
    enum mica_build_outcome outcome;
    enum mica_status status;
    struct mica_error error;
    struct mica_buffer diagnostics; // the compiler's words, ended by a newline
    bool done;
};

// Who is told what became of each source.
struct mica_build_report {
    void (*built)(void *data, const struct mica_built *built);
    void *data;
};

// Builds every one of `sources` (NULL-ended) and reports each on the calling
// thread, in their order. The first failure is what it returns.
enum mica_status mica_builder_run(struct mica_cli *cli,
                                  const struct mica_source_kind *kind,
                                  const struct mica_build_options *options,
                                  const char *const *sources,
                                  struct mica_build_report report,
                                  struct mica_error *error) MICA_MUST_USE;

#endif

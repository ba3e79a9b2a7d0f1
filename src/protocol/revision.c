// SPDX-License-Identifier: Apache-2.0
//
// The table of the features of each revision. Code that writes a reply asks this table
// and does not compare revisions.
#include "protocol/revision.h"

static const struct mica_revision_features features[MICA_REVISION_COUNT] = {
    [MICA_REVISION_2024_11_05] = {.version = "2024-11-05"},
    [MICA_REVISION_2025_03_26] = {.version = "2025-03-26",
                                  .annotations = true,
                                  .audio = true,
                                  .batches = true},
    [MICA_REVISION_2025_06_18] = {.version = "2025-06-18",
                                  .annotations = true,
                                  .audio = true,
                                  .title = true,
                                  .structured = true,
                                  .resource_link = true},
    [MICA_REVISION_2025_11_25] = {.version = "2025-11-25",
                                  .annotations = true,
                                  .audio = true,
                                  .title = true,
                                  .structured = true,
                                  .resource_link = true,
                                  .description = true,
                                  .priming = true},
    [MICA_REVISION_2026_07_28] = {.version = "2026-07-28",
                                  .stateless = true,
                                  .annotations = true,
                                  .audio = true,
                                  .title = true,
                                  .structured = true,
                                  .any_structured = true,
                                  .resource_link = true,
                                  .description = true},
};

const struct mica_revision_features *
mica_revision_features(enum mica_revision revision)
{
    return &features[revision < MICA_REVISION_COUNT ? revision
                                                    : MICA_REVISION_2026_07_28];
}

bool
mica_revision_find(struct mica_text version, enum mica_revision *revision_out)
{
    // The newest first, as most messages are of it.
    for (unsigned revision = MICA_REVISION_COUNT; revision-- > 0;) {
        if (mica_text_is(version, features[revision].version)) {
            *revision_out = (enum mica_revision)revision;
            return true;
        }
    }
    return false;
}

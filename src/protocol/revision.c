// SPDX-License-Identifier: Apache-2.0
//
// The one table of what each revision has on the wire. A reply is written once,
// by asking this table; nothing else compares versions.
#include "protocol/revision.h"

static const struct mica_wire_features features[MICA_WIRE_COUNT] = {
    [MICA_WIRE_2024_11_05] = {.version = "2024-11-05"},
    [MICA_WIRE_2025_03_26] = {.version = "2025-03-26",
                              .annotations = true,
                              .audio = true,
                              .batches = true},
    [MICA_WIRE_2025_06_18] = {.version = "2025-06-18",
                              .annotations = true,
                              .audio = true,
                              .title = true,
                              .structured = true,
                              .resource_link = true},
    [MICA_WIRE_2025_11_25] = {.version = "2025-11-25",
                              .annotations = true,
                              .audio = true,
                              .title = true,
                              .structured = true,
                              .resource_link = true,
                              .description = true,
                              .priming = true},
    [MICA_WIRE_2026_07_28] = {.version = "2026-07-28",
                              .modern = true,
                              .annotations = true,
                              .audio = true,
                              .title = true,
                              .structured = true,
                              .any_structured = true,
                              .resource_link = true,
                              .description = true},
};

const struct mica_wire_features *
mica_wire_features(enum mica_wire wire)
{
    return &features[wire < MICA_WIRE_COUNT ? wire : MICA_WIRE_2026_07_28];
}

bool
mica_wire_find(struct mica_text version, enum mica_wire *wire_out)
{
    for (unsigned wire = 0; wire < MICA_WIRE_COUNT; wire++) {
        if (mica_text_is(version, features[wire].version)) {
            *wire_out = (enum mica_wire)wire;
            return true;
        }
    }
    return false;
}

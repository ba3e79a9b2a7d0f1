// SPDX-License-Identifier: Apache-2.0
//
// Argument maps: how the arguments of a mapped tool are made from the {message, context}
// of a call, and how the data of a layout are made from the tool's result.
//
// A map is an object. Each name is a JSON Pointer into what is made; its value says where
// the value comes from:
//
//     {"/amount":  {"pointer": "/context/amount"},   from the source, left out if absent
//      "/people":  {"value": 3},                     a constant
//      "/items/0": {"value": {"title": "x"}}}        names 0, 1, 2 … make an array
//
// Bounds: MICA_APP_MAP_ENTRIES entries, pointers of MICA_APP_MAP_POINTER bytes and
// MICA_APP_MAP_DEPTH names, results of MICA_APP_MAP_BYTES. "__proto__", "constructor" and
// "prototype" are refused in pointers, and "__proto__" as a name in constants.
#ifndef MICA_APPS_APP_MAP_H
#define MICA_APPS_APP_MAP_H

#include <mica/json.h>

#include "apps/app_findings.h"

enum {
    MICA_APP_MAP_ENTRIES = 64,
    MICA_APP_MAP_POINTER = 256,
    MICA_APP_MAP_DEPTH = 8,
    MICA_APP_MAP_BYTES = 256 * 1024
};

// One place of what is made.
struct mica_app_map_entry {
    struct mica_text target;       // JSON Pointer
    struct mica_text pointer;      // into the source, if `value` is NULL
    const struct mica_json *value; // a constant
};

struct mica_app_map {
    const struct mica_app_map_entry *entries; // sorted by target
    size_t count;
};

// Reads a map. `json` is its object; `pathz` its place in the draft, for findings.
// Findings: wrong forms, two entries of which one lies inside the other, array indexes
// with a gap, bounds. Entries with a finding are left out of the map.
// Owner: the map is in `arena`, and refers to `json`.
void mica_app_map_read(const struct mica_json *json, const char *pathz,
                       struct mica_arena *arena,
                       struct mica_app_findings *findings,
                       struct mica_app_map *map_out);

// Checks the map against the JSON Schema of what is made: each target is a property that
// the schema has, each required property has an entry, constants have the form of their
// property. `sources` are the names that a pointer may begin with (NULL: any).
void mica_app_map_check(const struct mica_app_map *map, const char *pathz,
                        const struct mica_json *schema,
                        const char *const *sources, struct mica_arena *arena,
                        struct mica_app_findings *findings);

// Makes the object. `source` is {message, context}, or the result of the tool.
// Errors: MICA_E_LIMIT (more than MICA_APP_MAP_BYTES).
enum mica_status mica_app_map_run(const struct mica_app_map *map,
                                  const struct mica_json *source,
                                  struct mica_buffer *json_out,
                                  struct mica_error *error) MICA_MUST_USE;

#endif

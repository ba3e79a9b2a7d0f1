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
// The pointer "" as a name makes the whole object at once, and is the only entry then. An
// object or array of which no part is there is left out as well.
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

// Entries are in an order in which the parts of one object stand together, and the items
// of an array by their number.
struct mica_app_map {
    const struct mica_app_map_entry *entries;
    size_t count;
};

// Reads a map. `json` is its object, or NULL: an empty map; `pathz` is its place in the
// draft, for findings. Findings: wrong forms, an entry inside another one, array indexes
// with a gap or beside names, bounds. An entry with a finding is left out of the map.
// Owner: the map is in `arena`, and refers to `json`.
void mica_app_map_read(const struct mica_json *json, const char *pathz,
                       struct mica_arena *arena,
                       struct mica_app_findings *findings,
                       struct mica_app_map *map_out);

// Checks the map against the JSON Schemas of both sides (NULL: not known, not checked).
// `target`: each entry is a property that the schema has, each required property has an
// entry, constants are allowed by the schema of their property. `source`: each pointer
// leads to something that there can be, of a type that the target takes. Only what is
// certain is found: where a schema leaves it open, there is no finding. `whatz` names who
// takes what is made, as in "the tool".
void mica_app_map_check(const struct mica_app_map *map, const char *pathz,
                        const char *whatz, const struct mica_json *target,
                        const struct mica_json *source,
                        struct mica_arena *arena,
                        struct mica_app_findings *findings);

// Makes the object from `source`: {message, context}, or the result of the tool.
// Errors: MICA_E_LIMIT (more than MICA_APP_MAP_BYTES, or the buffer is full), MICA_E_FORMAT
// (a part of the source has the name "__proto__"), MICA_E_TYPE (the entry "" gives no
// object).
enum mica_status mica_app_map_run(const struct mica_app_map *map,
                                  const struct mica_json *source,
                                  struct mica_buffer *json_out,
                                  struct mica_error *error) MICA_MUST_USE;

#endif

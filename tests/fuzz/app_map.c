// SPDX-License-Identifier: Apache-2.0
//
// Argument maps: four lines, a map, a source, and the schemas of target and source. What
// a map makes is one JSON object within its bound, and a value that an entry found is at
// the entry's target, as long as no item of an array was left out.
#include <string.h>

#include "apps/app_map.h"
#include "apps/app_pointer.h"
#include "target.h"

static struct mica_app_findings findings;
static struct mica_error error;

static struct mica_text
next_line(struct mica_text *rest)
{
    const char *end = rest->len > 0 ? memchr(rest->ptr, '\n', rest->len) : NULL;
    size_t size = end != NULL ? (size_t)(end - rest->ptr) : rest->len;
    struct mica_text line = mica_text_slice(*rest, 0, size);

    *rest = mica_text_slice(*rest, size + 1, rest->len);
    return line;
}

static const struct mica_json *
read_line(struct mica_text *rest, struct mica_arena *arena)
{
    struct mica_json *value = mica_arena_zero(arena, 1, sizeof *value);

    return mica_json_read(arena, next_line(rest), NULL, NULL, value) == MICA_OK
               ? value
               : NULL;
}

// Whether an array may have fewer items than the map names.
static bool
has_indexes(const struct mica_app_map *map)
{
    for (size_t i = 0; i < map->count; i++) {
        struct mica_text rest = map->entries[i].target, token;
        while (mica_app_pointer_next(&rest, &token))
            if (mica_app_pointer_is_index(token))
                return true;
    }
    return false;
}

static void
check_map(const struct mica_app_map *map)
{
    for (size_t i = 0; i < map->count; i++) {
        const struct mica_app_map_entry *entry = &map->entries[i];
        FUZZ_MUST(mica_app_pointer_wrong(entry->target) == NULL);
        FUZZ_MUST(entry->value != NULL ||
                  mica_app_pointer_wrong(entry->pointer) == NULL);
        if (i > 0)
            FUZZ_MUST(mica_app_pointer_compare(map->entries[i - 1].target,
                                               entry->target) < 0);
    }
}

static void
run_map(const struct mica_app_map *map, const struct mica_json *source,
        struct mica_arena *arena)
{
    struct mica_buffer out;
    struct mica_json made;

    mica_buffer_init(&out, arena, MICA_APP_MAP_BYTES);
    if (mica_app_map_run(map, source, &out, &error) != MICA_OK) {
        FUZZ_MUST(error.status == MICA_E_LIMIT ||
                  error.status == MICA_E_FORMAT || error.status == MICA_E_TYPE);
        return;
    }
    FUZZ_MUST(out.len <= MICA_APP_MAP_BYTES);
    // A source of the deepest kind may get deeper by a map.
    FUZZ_MUST(mica_json_read(arena, mica_buffer_as_text(&out),
                             &(struct mica_json_limits){.depth = 128}, &error,
                             &made) == MICA_OK);
    FUZZ_MUST(made.kind == MICA_JSON_OBJECT);
    for (size_t i = 0; i < map->count && !has_indexes(map); i++) {
        const struct mica_app_map_entry *entry = &map->entries[i];
        const struct mica_json *value =
            entry->value != NULL
                ? entry->value
                : mica_json_pointer_get(source, entry->pointer);
        const struct mica_json *at =
            mica_json_pointer_get(&made, entry->target);
        if (value != NULL)
            FUZZ_MUST(at != NULL && mica_json_equal(at, value));
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_text rest = {(const char *)bytes, size};
    const struct mica_json *json, *source, *target, *from;
    struct mica_app_map map;
    struct mica_arena arena;

    if (size > 16 * 1024)
        return 0;
    mica_arena_init(&arena, 64 << 20);
    mica_app_findings_init(&findings, &arena);
    json = read_line(&rest, &arena);
    source = read_line(&rest, &arena);
    target = read_line(&rest, &arena);
    from = read_line(&rest, &arena);
    if (json != NULL && json->kind == MICA_JSON_OBJECT) {
        mica_app_map_read(json, "/m", &arena, &findings, &map);
        FUZZ_MUST(map.count + findings.count >= (json->count > 0));
        check_map(&map);
        mica_app_map_check(&map, "/m", "the tool", target, from, &arena,
                           &findings);
        if (source != NULL)
            run_map(&map, source, &arena);
    }
    mica_arena_fini(&arena);
    return 0;
}

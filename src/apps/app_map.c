// SPDX-License-Identifier: Apache-2.0
//
// Reads argument maps and runs them. The entries are sorted once, so that both the search
// for conflicts and the writing of nested objects are one walk over a list: an object is a
// range of entries that share a beginning.
#include "apps/app_map.h"

#include "apps/app_fields.h"
#include "apps/app_map_group.h"
#include "apps/app_pointer.h"
#include "schema/explain.h"

#define CODE(status) mica_status_code(MICA_E_##status)

// ---- Groups ----------------------------------------------------------------------

struct mica_text
mica_app_map_token(const struct mica_app_map_entry *entry, size_t at)
{
    struct mica_text rest =
        mica_text_slice(entry->target, at, entry->target.len);
    struct mica_text token = {0};

    (void)mica_app_pointer_next(&rest, &token);
    return token;
}

size_t
mica_app_map_group_end(const struct mica_app_map *map, size_t from, size_t to,
                       size_t at)
{
    struct mica_text token = mica_app_map_token(&map->entries[from], at);
    size_t end = from + 1;

    while (end < to &&
           mica_text_equal(mica_app_map_token(&map->entries[end], at), token))
        end++;
    return end;
}

// ---- Reading ---------------------------------------------------------------------

struct map_reader {
    const char *pathz;
    struct mica_app_findings *findings;
    struct mica_app_map_entry *entries;
    size_t count;
};

#define MAP_FIND(reader, status, target, ...)                     \
    mica_app_find_member((reader)->findings, MICA_APP_UNFINISHED, \
                         CODE(status), (reader)->pathz, target, __VA_ARGS__)

static bool
read_pointer(struct map_reader *reader, struct mica_text target,
             struct mica_text pointer)
{
    const char *wrongz = mica_app_pointer_wrong(pointer);
    struct mica_text shown = mica_app_shown(reader->findings, pointer);

    if (wrongz == NULL)
        return true;
    MAP_FIND(reader, FORMAT, target, "\"%.*s\" %s", MICA_ARG(shown), wrongz);
    return false;
}

static void
find_stray(struct map_reader *reader, struct mica_text target,
           struct mica_text name)
{
    struct mica_schema_nearest nearest = {.to = name, .distance = SIZE_MAX};
    struct mica_text shown = mica_app_shown(reader->findings, name);

    mica_schema_compare(&nearest, MICA_LITERAL("pointer"));
    mica_schema_compare(&nearest, MICA_LITERAL("value"));
    if (nearest.distance == SIZE_MAX)
        MAP_FIND(reader, UNKNOWN, target,
                 "an entry has \"pointer\" or \"value\", and no \"%.*s\"",
                 MICA_ARG(shown));
    else
        MAP_FIND(reader, UNKNOWN, target,
                 "an entry has no \"%.*s\"; did you mean \"%.*s\"?",
                 MICA_ARG(shown), MICA_ARG(nearest.name));
}

static bool
read_source(struct map_reader *reader, const struct mica_json_member *member,
            struct mica_app_map_entry *entry)
{
    const struct mica_json *pointer = mica_json_get(&member->value, "pointer");
    const struct mica_json *value = mica_json_get(&member->value, "value");

    for (size_t i = 0; i < member->value.count; i++) {
        struct mica_text name = member->value.members[i].name;
        if (mica_text_is(name, "pointer") || mica_text_is(name, "value"))
            continue;
        find_stray(reader, member->name, name);
        return false;
    }
    if ((pointer != NULL) == (value != NULL)) {
        MAP_FIND(reader, REQUIRED, member->name,
                 "an entry has either \"pointer\" or \"value\"");
        return false;
    }
    entry->value = value;
    if (value != NULL) {
        if (mica_app_has_proto(value))
            MAP_FIND(reader, FORMAT, member->name,
                     "the value has the name \"__proto__\", which scripts take "
                     "for something else");
        return !mica_app_has_proto(value);
    }
    if (pointer->kind != MICA_JSON_STRING) {
        MAP_FIND(reader, TYPE, member->name,
                 "\"pointer\" must be a string, as \"/context/amount\"");
        return false;
    }
    entry->pointer = pointer->text;
    return read_pointer(reader, member->name, pointer->text);
}

static bool
read_entry(struct map_reader *reader, const struct mica_json_member *member,
           struct mica_app_map_entry *entry)
{
    *entry = (struct mica_app_map_entry){.target = member->name};
    if (!read_pointer(reader, member->name, member->name))
        return false;
    if (member->value.kind != MICA_JSON_OBJECT) {
        MAP_FIND(reader, TYPE, member->name,
                 "an entry must be an object with \"pointer\" or \"value\", "
                 "but is %s",
                 mica_json_kind_name(member->value.kind));
        return false;
    }
    return read_source(reader, member, entry);
}

// By insertion: there are at most MICA_APP_MAP_ENTRIES.
static void
sort_entry(struct map_reader *reader, const struct mica_app_map_entry *entry)
{
    size_t at = reader->count;

    while (at > 0 && mica_app_pointer_compare(
                         entry->target, reader->entries[at - 1].target) < 0) {
        reader->entries[at] = reader->entries[at - 1];
        at--;
    }
    reader->entries[at] = *entry;
    reader->count++;
}

// A parent stands right before its parts, so what lies inside another entry follows it.
static void
drop_inner(struct map_reader *reader)
{
    size_t kept = 0;

    for (size_t i = 0; i < reader->count; i++) {
        struct mica_text target = reader->entries[i].target;
        if (kept > 0 &&
            mica_app_pointer_within(target, reader->entries[kept - 1].target)) {
            MAP_FIND(reader, EXISTS, target,
                     "lies inside \"%.*s\", which makes this part, too",
                     MICA_ARG(reader->entries[kept - 1].target));
            continue;
        }
        reader->entries[kept++] = reader->entries[i];
    }
    reader->count = kept;
}

// Whether what is made at `at` is no proper array or object; tells the first fault.
static bool
group_is_broken(struct map_reader *reader, const struct mica_app_map *map,
                size_t from, size_t to, size_t at)
{
    bool array =
        mica_app_pointer_is_index(mica_app_map_token(&map->entries[from], at));
    size_t number = 0;

    if (map->entries[from].target.len == at)
        return false;
    for (size_t end; from < to; from = end, number++) {
        struct mica_text target = map->entries[from].target;
        struct mica_text token = mica_app_map_token(&map->entries[from], at);
        char digits[24];
        struct mica_buffer wanted = {
            .ptr = digits, .capacity = sizeof digits, .max = sizeof digits};
        mica_buffer_format(&wanted, "%zu", number);
        if (array && !mica_text_equal(token, mica_buffer_as_text(&wanted))) {
            MAP_FIND(reader, FORMAT, target,
                     "the items of an array are 0, 1, 2 … without a gap and "
                     "without names beside them; item %zu is missing",
                     number);
            return true;
        }
        end = mica_app_map_group_end(map, from, to, at);
        if (group_is_broken(reader, map, from, end, at + 1 + token.len))
            return true;
    }
    return false;
}

void
mica_app_map_read(const struct mica_json *json, const char *pathz,
                  struct mica_arena *arena, struct mica_app_findings *findings,
                  struct mica_app_map *map_out)
{
    struct map_reader reader = {.pathz = pathz, .findings = findings};

    *map_out = (struct mica_app_map){0};
    if (json == NULL || json->count == 0)
        return;
    if (json->kind != MICA_JSON_OBJECT) {
        mica_app_find(findings, MICA_APP_UNFINISHED, CODE(TYPE), pathz,
                      "a map must be an object, but is %s",
                      mica_json_kind_name(json->kind));
        return;
    }
    if (json->count > MICA_APP_MAP_ENTRIES) {
        mica_app_find(findings, MICA_APP_UNFINISHED, CODE(LIMIT), pathz,
                      "the map has %zu entries; it may have %d", json->count,
                      MICA_APP_MAP_ENTRIES);
        return;
    }
    reader.entries =
        mica_arena_zero(arena, json->count, sizeof *reader.entries);
    for (size_t i = 0; i < json->count && reader.entries != NULL; i++) {
        struct mica_app_map_entry entry;
        if (read_entry(&reader, &json->members[i], &entry))
            sort_entry(&reader, &entry);
    }
    drop_inner(&reader);
    *map_out = (struct mica_app_map){reader.entries, reader.count};
    if (reader.count == 0)
        return;
    if (mica_app_pointer_is_index(mica_app_map_token(&reader.entries[0], 0))) {
        MAP_FIND(&reader, FORMAT, reader.entries[0].target,
                 "makes an array; a map makes an object");
        map_out->count = 0;
    } else if (group_is_broken(&reader, map_out, 0, reader.count, 0)) {
        map_out->count = 0;
    }
}

// ---- Running ---------------------------------------------------------------------

struct map_run {
    const struct mica_app_map *map;
    const struct mica_json *source;
    struct mica_json_writer writer;
    size_t start; // of what is made, in the buffer
    struct mica_error *error;
};

static const struct mica_json *
entry_value(const struct map_run *run, const struct mica_app_map_entry *entry)
{
    return entry->value != NULL
               ? entry->value
               : mica_json_pointer_get(run->source, entry->pointer);
}

static bool
group_is_there(const struct map_run *run, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (entry_value(run, &run->map->entries[i]) != NULL)
            return true;
    return false;
}

static enum mica_status
run_too_large(const struct map_run *run)
{
    return mica_error_set(run->error, MICA_E_LIMIT, "",
                          "what the map makes has more than %d bytes",
                          MICA_APP_MAP_BYTES);
}

static enum mica_status
write_value(struct map_run *run, const struct mica_json *value)
{
    if (value->raw.len > MICA_APP_MAP_BYTES)
        return run_too_large(run);
    if (mica_app_has_proto(value))
        return mica_error_set(run->error, MICA_E_FORMAT, "",
                              "the values have the name \"__proto__\"; use "
                              "another name");
    mica_json_value(&run->writer, value);
    if (run->writer.buffer->overflow ||
        run->writer.buffer->len - run->start > MICA_APP_MAP_BYTES)
        return run_too_large(run);
    return MICA_OK;
}

// Writes what the entries [from, to) make, whose targets are the same up to `at`. Recursion
// ends with the names of a pointer.
static enum mica_status
write_group(struct map_run *run, size_t from, size_t to, size_t at)
{
    const struct mica_app_map_entry *first = &run->map->entries[from];
    bool array = mica_app_pointer_is_index(mica_app_map_token(first, at));

    if (first->target.len == at)
        return write_value(run, entry_value(run, first));
    if (array)
        mica_json_open_array(&run->writer);
    else
        mica_json_open_object(&run->writer);
    for (size_t end; from < to; from = end) {
        char room[MICA_APP_MAP_POINTER];
        struct mica_text token =
            mica_app_map_token(&run->map->entries[from], at);
        end = mica_app_map_group_end(run->map, from, to, at);
        if (!group_is_there(run, from, end))
            continue;
        if (!array)
            mica_json_name_text(&run->writer,
                                mica_app_pointer_name(token, room));
        MICA_TRY(write_group(run, from, end, at + 1 + token.len));
    }
    if (array)
        mica_json_close_array(&run->writer);
    else
        mica_json_close_object(&run->writer);
    return MICA_OK;
}

enum mica_status
mica_app_map_run(const struct mica_app_map *map, const struct mica_json *source,
                 struct mica_buffer *json_out, struct mica_error *error)
{
    struct map_run run = {
        .map = map, .source = source, .start = json_out->len, .error = error};
    const struct mica_json *whole = NULL;

    if (map->count == 1 && map->entries[0].target.len == 0)
        whole = entry_value(&run, &map->entries[0]);
    if (whole != NULL && whole->kind != MICA_JSON_OBJECT)
        return mica_error_set(error, MICA_E_TYPE, "",
                              "the map must make an object, but makes %s",
                              mica_json_kind_name(whole->kind));
    mica_json_writer_init(&run.writer, json_out);
    if (!group_is_there(&run, 0, map->count)) {
        mica_json_open_object(&run.writer);
        mica_json_close_object(&run.writer);
    } else {
        MICA_TRY(write_group(&run, 0, map->count, 0));
    }
    return json_out->overflow ? run_too_large(&run) : MICA_OK;
}

// SPDX-License-Identifier: Apache-2.0
//
// Compares objects member by member, down to MICA_APP_DIFFERENCE_MEMBERS members each:
// that bounds the look-ups, which are linear. The depth is that of what was read.
#include "apps/app_difference.h"

enum {
    PATH_BYTES = 1024 // of a pointer; past it an object is one change
};

struct difference {
    struct mica_json_writer *writer;
    struct mica_buffer path;
    char room[PATH_BYTES];
};

static void
write_side(struct mica_json_writer *writer, const char *namez,
           const struct mica_json *value)
{
    if (value == NULL)
        return;
    mica_json_name(writer, namez);
    mica_json_value(writer, value);
}

static void
write_change(struct difference *difference, const struct mica_json *before,
             const struct mica_json *after)
{
    struct mica_json_writer *writer = difference->writer;

    mica_json_open_object(writer);
    mica_json_field(writer, "path", mica_buffer_as_text(&difference->path));
    write_side(writer, "before", before);
    write_side(writer, "after", after);
    mica_json_close_object(writer);
}

static bool
is_compared(const struct mica_json *value)
{
    return value->kind == MICA_JSON_OBJECT &&
           value->count <= MICA_APP_DIFFERENCE_MEMBERS;
}

static void values_compare(struct difference *difference,
                           const struct mica_json *before,
                           const struct mica_json *after);

// Compares the members of that name. A name that is too long for the pointer makes no
// change of its own: the caller has the object above it.
static void
compare_member(struct difference *difference, struct mica_text name,
               const struct mica_json *before, const struct mica_json *after)
{
    size_t length = difference->path.len;

    mica_json_pointer_add(&difference->path, name);
    values_compare(difference, before, after);
    difference->path.len = length;
}

// Does the pointer have room for each name, escaped?
static bool
has_room(const struct difference *difference, const struct mica_json *object)
{
    for (size_t i = 0; i < object->count; i++)
        if (difference->path.len + 2 * object->members[i].name.len + 1 >
            PATH_BYTES)
            return false;
    return true;
}

static void
compare_members(struct difference *difference, const struct mica_json *before,
                const struct mica_json *after)
{
    for (size_t i = 0; i < before->count; i++)
        compare_member(difference, before->members[i].name,
                       &before->members[i].value,
                       mica_json_member(after, before->members[i].name));
    for (size_t i = 0; i < after->count; i++)
        if (mica_json_member(before, after->members[i].name) == NULL)
            compare_member(difference, after->members[i].name, NULL,
                           &after->members[i].value);
}

static void
values_compare(struct difference *difference, const struct mica_json *before,
               const struct mica_json *after)
{
    if (before == NULL || after == NULL) {
        write_change(difference, before, after);
        return;
    }
    if (mica_json_equal(before, after))
        return;
    if (is_compared(before) && is_compared(after) &&
        has_room(difference, before) && has_room(difference, after))
        compare_members(difference, before, after);
    else
        write_change(difference, before, after);
}

void
mica_app_difference_write(struct mica_json_writer *writer,
                          const struct mica_json *before,
                          const struct mica_json *after)
{
    struct difference difference = {.writer = writer};

    difference.path = (struct mica_buffer){.ptr = difference.room,
                                           .capacity = sizeof difference.room,
                                           .max = sizeof difference.room};
    mica_json_open_array(writer);
    values_compare(&difference, before, after);
    mica_json_close_array(writer);
}

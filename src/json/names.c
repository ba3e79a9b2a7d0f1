// SPDX-License-Identifier: Apache-2.0
//
// Duplicate names and names in order. A few names are compared in pairs; many
// are sorted, by a hash first because that is fast, and by the names where the
// hash is the same, so that chosen names cannot make it slow.
#include "json/names.h"

#include <string.h>

#include "json/reader.h"

enum {
    FEW = 16
};

// ---- Sorting ---------------------------------------------------------------

// Merges the sorted runs [0, middle) and [middle, count) of `from`.
static void
json_member_merge(const struct mica_json_member *members,
                  const mica_json_key *from, mica_json_key *to, size_t middle,
                  size_t count, mica_json_order *order)
{
    size_t left = 0, right = middle;
    for (size_t i = 0; i < count; i++) {
        bool take_left =
            left < middle &&
            (right == count || order(members, from[left], from[right]) <= 0);
        to[i] = take_left ? from[left++] : from[right++];
    }
}

void
mica_json_sort(const struct mica_json_member *members, mica_json_key *keys,
               mica_json_key *spare, size_t count, mica_json_order *order)
{
    mica_json_key *from = keys, *to = spare;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t at = 0; at < count; at += 2 * run) {
            size_t both = count - at < 2 * run ? count - at : 2 * run;
            size_t middle = run < both ? run : both;
            json_member_merge(members, from + at, to + at, middle, both, order);
        }
        mica_json_key *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys)
        memcpy(keys, from, count * sizeof *keys);
}

int
mica_json_by_utf16(const struct mica_json_member *members, mica_json_key a,
                   mica_json_key b)
{
    struct mica_text one = mica_json_member_of(members, a)->name;
    struct mica_text two = mica_json_member_of(members, b)->name;
    size_t common = one.len < two.len ? one.len : two.len;
    size_t at = 0;
    while (at < common && one.ptr[at] == two.ptr[at])
        at++;
    if (at == common)
        return (one.len > two.len) - (one.len < two.len);
    // UTF-8 has the order of the code points. UTF-16 differs in one thing: the
    // surrogates of U+10000 and above (first byte 0xF0 and more) come before
    // U+E000 to U+FFFF (first byte 0xEE and 0xEF).
    unsigned char x = (unsigned char)one.ptr[at];
    unsigned char y = (unsigned char)two.ptr[at];
    if (x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0))
        return x >= 0xF0 ? -1 : 1;
    return x < y ? -1 : 1;
}

// ---- Duplicates ------------------------------------------------------------

// Mixes the length and both ends of a name.
static uint32_t
name_hash(struct mica_text name)
{
    uint64_t head = 0, tail = 0;
    size_t size = name.len < 8 ? name.len : 8;
    if (size > 0) {
        memcpy(&head, name.ptr, size);
        memcpy(&tail, name.ptr + name.len - size, size);
    }
    uint64_t mixed = (head ^ name.len) * UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ mixed >> 32 ^ tail) * UINT64_C(0xD6E8FEB86659FD93);
    return (uint32_t)(mixed >> 32);
}

static int
by_hash(const struct mica_json_member *members, mica_json_key a,
        mica_json_key b)
{
    if (a >> 32 != b >> 32)
        return a >> 32 < b >> 32 ? -1 : 1;
    return mica_text_compare(mica_json_member_of(members, a)->name,
                             mica_json_member_of(members, b)->name);
}

// Index of the first member whose name came before; `count`: all differ.
static size_t
find_among_few(const struct mica_json_member *members, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (members[i].name.len == members[k].name.len &&
                mica_text_equal(members[i].name, members[k].name))
                return i;
    return count;
}

static size_t
find_among_many(const struct mica_json_member *members, size_t count,
                mica_json_key *keys)
{
    for (size_t i = 0; i < count; i++)
        keys[i] = (uint64_t)name_hash(members[i].name) << 32 | i;
    mica_json_sort(members, keys, keys + count, count, by_hash);
    size_t found = count;
    for (size_t i = 1; i < count; i++) {
        // Equal names are in the order of the source.
        size_t index = keys[i] & UINT32_MAX;
        if (index < found && by_hash(members, keys[i - 1], keys[i]) == 0)
            found = index;
    }
    return found;
}

// Where the name of a member stands in the source. Its decoded text may be
// elsewhere, so this walks back from the value.
static const char *
name_in_source(const struct mica_json_member *member)
{
    const char *at = member->value.raw.ptr - 1;
    while (*at != '"')
        at--;
    // The opening quote is the one before this with an even number of
    // backslashes in front: every other quote is escaped.
    for (;;) {
        size_t backslashes = 0;
        for (at--; *at != '"'; at--)
            continue;
        while (at[-1 - (ptrdiff_t)backslashes] == '\\')
            backslashes++;
        if (backslashes % 2 == 0)
            return at;
    }
}

enum mica_status
mica_json_unique(struct mica_json_reader *reader,
                 const struct mica_json_member *members, size_t count,
                 void *work)
{
    size_t found = count <= FEW ? find_among_few(members, count)
                                : find_among_many(members, count, work);
    if (found == count)
        return MICA_OK;
    return mica_json_fault(reader, MICA_E_DUPLICATE,
                           name_in_source(&members[found]),
                           "the object has the name \"%.*s\" twice; keep one",
                           MICA_ARG(members[found].name));
}

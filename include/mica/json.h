// SPDX-License-Identifier: Apache-2.0
//
// JSON as RFC 8259 has it, and nothing more: UTF-8 checked, duplicate names
// refused, lone surrogates refused, depth and size bounded. Numbers keep their
// text, so that ids and large integers never pass through a double.
#ifndef MICA_JSON_H
#define MICA_JSON_H

#include <mica/base.h>

#pragma GCC visibility push(default)

// What a value is; booleans are two kinds.
enum mica_json_kind {
    MICA_JSON_NULL,
    MICA_JSON_FALSE,
    MICA_JSON_TRUE,
    MICA_JSON_NUMBER,
    MICA_JSON_STRING,
    MICA_JSON_ARRAY,
    MICA_JSON_OBJECT
};

// A value that was read. `raw` is its span of the source, so that a part of a
// message can be handed on without being written again; it lives as long as
// the source does. Everything else lives in the reader's arena (strings without
// escapes point into the source).
struct mica_json {
    enum mica_json_kind kind;
    struct mica_text raw;
    struct mica_text text; // STRING: decoded; NUMBER: its text
    size_t count;          // ARRAY, OBJECT
    union {
        const struct mica_json *items;          // ARRAY
        const struct mica_json_member *members; // OBJECT, in source order
    };
};

// One name of an object and its value.
struct mica_json_member {
    struct mica_text name;
    struct mica_json value;
};

// Zero takes the default.
struct mica_json_limits {
    size_t depth; // nested arrays and objects; 64, at most 512
    size_t bytes; // of the text; 16 MiB
    // Accept the same name twice in an object, as RFC 8259 does: all members
    // are there, and a lookup finds the last. Off: MICA_E_DUPLICATE.
    bool duplicate_names;
};

// Reads one whole JSON text. On failure `error` (may be NULL) has the status
// MICA_E_JSON, MICA_E_DUPLICATE or MICA_E_LIMIT and a message with line,
// column and byte offset ("line 1, column 9 (byte 8): expected …").
// Owner: the value is in `arena`; `text` must outlive it.
enum mica_status mica_json_read(struct mica_arena *arena, struct mica_text text,
                                const struct mica_json_limits *limits,
                                struct mica_error *error,
                                struct mica_json *value_out) MICA_MUST_USE;

// The member of that name, or NULL; NULL too when `object` is NULL or no
// object. Names compare byte by byte.
const struct mica_json *mica_json_member(const struct mica_json *object,
                                         struct mica_text name);
#if defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)
inline const struct mica_json *
mica_json_get(const struct mica_json *object, const char *namez)
{
    return mica_json_member(object, mica_text(namez));
}
#else
const struct mica_json *mica_json_get(const struct mica_json *object,
                                      const char *namez);
#endif

// As above for a string member: its text, or {NULL, 0}.
struct mica_text mica_json_get_text(const struct mica_json *object,
                                    const char *namez);

// Same value: numbers by value, objects regardless of order. For values
// without duplicate names.
bool mica_json_equal(const struct mica_json *a, const struct mica_json *b);

// "null", "boolean", "number", "string", "array" or "object".
const char *mica_json_kind_name(enum mica_json_kind kind);

// ---- Writing -------------------------------------------------------------

// Writes compact JSON into a buffer. The writer adds commas and colons; the
// caller keeps opens and closes matched (asserted in debug builds). Errors are
// the buffer's sticky overflow, checked once at the end.
struct mica_json_writer {
    struct mica_buffer *buffer;
    bool comma;     // the next value or name needs one before it
    unsigned depth; // containers that are open
};

// Starts a text in `buffer`, behind what it holds already.
// Owner: the caller keeps `buffer` as long as the writer is used.
void mica_json_writer_init(struct mica_json_writer *writer,
                           struct mica_buffer *buffer);
void mica_json_open_object(struct mica_json_writer *writer);
void mica_json_close_object(struct mica_json_writer *writer);
void mica_json_open_array(struct mica_json_writer *writer);
void mica_json_close_array(struct mica_json_writer *writer);
void mica_json_name(struct mica_json_writer *writer, const char *namez);
void mica_json_name_text(struct mica_json_writer *writer,
                         struct mica_text name);
void mica_json_string(struct mica_json_writer *writer, struct mica_text text);
void mica_json_stringz(struct mica_json_writer *writer, const char *textz);

// A finite double in its shortest form; a caller that has NaN or an infinity
// must refuse it first (asserted).
void mica_json_number(struct mica_json_writer *writer, double value);
void mica_json_integer(struct mica_json_writer *writer, int64_t value);
void mica_json_boolean(struct mica_json_writer *writer, bool value);
void mica_json_null(struct mica_json_writer *writer);

// JSON text that is already right, as it is.
void mica_json_raw(struct mica_json_writer *writer, struct mica_text json);

// name and string in one, for the commonest line of all.
void mica_json_field(struct mica_json_writer *writer, const char *namez,
                     struct mica_text text);

// A value that was read, compact again: strings escaped minimally, number text
// kept, object order kept.
void mica_json_value(struct mica_json_writer *writer,
                     const struct mica_json *value);

// Indented by two spaces, for people; the same values otherwise.
void mica_json_pretty(struct mica_buffer *buffer,
                      const struct mica_json *value);

// RFC 8785 (JCS): names sorted by UTF-16 code units, numbers as doubles in
// ECMAScript form. For digests, never for data. Fails with MICA_E_RANGE on a
// number that is no finite double.
enum mica_status mica_json_canonical(struct mica_arena *arena,
                                     struct mica_buffer *buffer,
                                     const struct mica_json *value)
    MICA_MUST_USE;

// Bytes of `text` as the inside of a JSON string: escapes " \ and control
// characters (short forms where JSON has them), leaves the rest.
void mica_json_escape(struct mica_buffer *buffer, struct mica_text text);

// Appends "/token" to a JSON Pointer (RFC 6901), ~ and / escaped.
void mica_json_pointer_add(struct mica_buffer *pointer, struct mica_text token);

// The value at a JSON Pointer, or NULL. "" is `root` itself.
const struct mica_json *mica_json_pointer_get(const struct mica_json *root,
                                              struct mica_text pointer);

#pragma GCC visibility pop

#endif

// SPDX-License-Identifier: Apache-2.0
//
// The parts of the reader and what they share: reader.c drives and knows the
// grammar, string.c decodes strings, names.c finds duplicate names, fault.c
// words the errors.
#ifndef MICA_JSON_READER_H
#define MICA_JSON_READER_H

#include <mica/json.h>

struct mica_json_reader {
    const char *start, *at, *end; // the text, and the next byte of it
    struct mica_arena *arena;
    struct mica_error *error;
    size_t depth, depth_max;
    bool duplicate_names; // allowed

    // Values whose container is still open, and above them, at `top`, the one
    // that comes next. An open container has in `count` the index of the
    // container around it.
    struct mica_json_member *stack;
    size_t top, room;
    size_t open;  // the innermost open container, or MICA_JSON_NONE
    bool on_heap; // whether the stack outgrew its first place
};

#define MICA_JSON_NONE SIZE_MAX

// Reads the string at `reader->at`, its opening quote, and goes behind it.
enum mica_status mica_json_read_string(struct mica_json_reader *reader,
                                       struct mica_text *text_out)
    MICA_MUST_USE;

// The name of a member that an earlier one has too, as the reader's error.
// `work` is memory of the reader for 16 bytes a member.
enum mica_status mica_json_unique(struct mica_json_reader *reader,
                                  const struct mica_json_member *members,
                                  size_t count, void *work) MICA_MUST_USE;

// Fails with "line L, column C (byte B): " and the formatted text, where `at`
// is in the source.
enum mica_status mica_json_fault(struct mica_json_reader *reader,
                                 enum mica_status status, const char *at,
                                 const char *formatz, ...) MICA_PRINTF(4, 5);

// Fails with MICA_E_JSON: "expected <that>, found <what is at `at`>".
enum mica_status mica_json_expected(struct mica_json_reader *reader,
                                    const char *at, const char *thatz);

// Fails with MICA_E_LIMIT: the arena or the stack is full.
enum mica_status mica_json_no_memory(struct mica_json_reader *reader);

#endif

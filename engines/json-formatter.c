// SPDX-License-Identifier: Apache-2.0
//
// Checks a text of JSON and writes it again: indented, compact, with sorted
// names, or in the canonical form that digests are taken of. Numbers keep their
// digits, except in the canonical form, which fixes how they are written.
#include <mica/engine.h>

enum style {
    PRETTY,
    COMPACT,
    CANONICAL
};
MICA_CHOICES(style, [PRETTY] = "pretty", [COMPACT] = "compact",
             [CANONICAL] = "canonical");

struct input {
    struct mica_text json;
    enum style style;
    bool sort_names;
};
MICA_RECORD(
    input,
    MICA_TEXT(json, "The text of one JSON value, e.g. '{\"a\":[1,2]}'.",
              .max_length = 400000),
    MICA_CHOICE(style, style,
                "'pretty' indents by two spaces, 'compact' has no white space, "
                "'canonical' is RFC 8785 (JCS): compact, names sorted, numbers "
                "as 64-bit floating point writes them.",
                .fallback = MICA_JSON("pretty")),
    MICA_BOOLEAN(sort_names,
                 "Whether the names of every object are put in the order of "
                 "their code points. 'canonical' always sorts.",
                 .fallback = MICA_JSON(false)));

enum kind {
    NUL,
    FALSE,
    TRUE,
    NUMBER,
    STRING,
    ARRAY,
    OBJECT
};
MICA_CHOICES(kind, [NUL] = "null", [FALSE] = "false", [TRUE] = "true",
             [NUMBER] = "number", [STRING] = "string", [ARRAY] = "array",
             [OBJECT] = "object");

struct output {
    struct mica_text json;
    enum kind kind;
    int64_t values, levels, bytes;
};
MICA_RECORD(output,
            MICA_TEXT(json, "The JSON text, written again.", .title = "JSON",
                      .answer = true),
            MICA_CHOICE(kind, kind, "What the outermost value is."),
            MICA_INTEGER(values, "Number of values, the outermost and all in "
                                 "it; names are not counted."),
            MICA_INTEGER(levels,
                         "How deep arrays and objects are nested: 0 for "
                         "a plain value, 1 for [1], 2 for [[1]]."),
            MICA_INTEGER(bytes, "Bytes of the written text in UTF-8."));

static int
by_name(const void *a, const void *b)
{
    const struct mica_json_member *left = a, *right = b;

    return mica_text_compare(left->name, right->name);
}

// A copy of `value`, with sorted names where `in` asks for it; counts on the
// way. The reader has bounded the depth.
static struct mica_json
arranged(struct mica_call *call, const struct input *in,
         const struct mica_json *value, int64_t level, struct output *out)
{
    struct mica_json copy = *value;

    out->values++;
    level += value->kind == MICA_JSON_ARRAY || value->kind == MICA_JSON_OBJECT;
    out->levels = level > out->levels ? level : out->levels;
    if (value->kind == MICA_JSON_ARRAY) {
        struct mica_json *items =
            MICA_NEW(call, struct mica_json, value->count);

        for (size_t i = 0; i < value->count; i++) {
            items[i] = arranged(call, in, &value->items[i], level, out);
        }
        copy.items = items;
    }
    if (value->kind == MICA_JSON_OBJECT) {
        struct mica_json_member *members =
            MICA_NEW(call, struct mica_json_member, value->count);

        for (size_t i = 0; i < value->count; i++) {
            members[i].name = value->members[i].name;
            members[i].value =
                arranged(call, in, &value->members[i].value, level, out);
        }
        mica_sort(call, members, in->sort_names ? value->count : 0,
                  sizeof *members, by_name);
        copy.members = members;
    }
    return copy;
}

// The reader's own codes are mica's, which an engine leaves to mica.
static const char *
code_of(enum mica_status status)
{
    if (status == MICA_E_DUPLICATE)
        return "REPEATED_NAME";
    return status == MICA_E_LIMIT ? "TOO_DEEP" : "NOT_JSON";
}

static enum mica_status
format(struct mica_call *call, const struct input *in, struct output *out)
{
    struct mica_buffer text = mica_builder(call);
    struct mica_json_writer writer;
    struct mica_error error = {.status = MICA_OK};
    struct mica_json read, value;

    if (mica_json_read(text.arena, in->json, NULL, &error, &read) != MICA_OK) {
        return mica_fail(call, code_of(error.status), "json", "json: %s",
                         error.message);
    }
    value = arranged(call, in, &read, 0, out);
    switch (in->style) {
    case PRETTY:
        mica_json_pretty(&text, &value);
        break;
    case COMPACT:
        mica_json_writer_init(&writer, &text);
        mica_json_value(&writer, &value);
        break;
    case CANONICAL:
        if (mica_json_canonical(text.arena, &text, &value) != MICA_OK) {
            return mica_fail(call, "NUMBER_TOO_LARGE", "json",
                             "json holds a number beyond 64-bit floating point "
                             "(about 1.8e308), which has no canonical form. "
                             "Write it as a string, or pass style='compact'.");
        }
        break;
    }
    out->json = mica_buffer_as_text(&text);
    out->kind = (enum kind)value.kind;
    out->bytes = (int64_t)text.len;
    return MICA_OK;
}

MICA_ENGINE(
    json_formatter, input, output, format, .title = "JSON formatter",
    .category = "data", .memory_bytes = 64 << 20, .output_bytes = 4 << 20,
    .time_ms = 1000,
    .description =
        "Check a JSON text strictly (RFC 8259, no name twice in one object) "
        "and write it again indented, compact, sorted or canonical. An error "
        "names the line and the column.",
    .examples = MICA_EXAMPLES(
        {"Indented", MICA_JSON({"json": "{\"b\":[1,2.50],\"a\":{}}"}),
         MICA_JSON({
             "json": "{\n  \"b\": [\n    1,\n    2.50\n  ],\n  \"a\": {}\n}",
             "kind": "object",
             "values": 5,
             "levels": 2,
             "bytes": 43
         })},
        {"Compact and sorted", MICA_JSON({
             "json": "{ \"b\": 1, \"a\": [ true, null ] }",
             "style": "compact",
             "sort_names": true
         }),
         MICA_JSON({"json": "{\"a\":[true,null],\"b\":1}"})},
        {"Canonical",
         MICA_JSON({"json": "{\"b\": 2.50, \"a\": 1e2}", "style": "canonical"}),
         MICA_JSON({"json": "{\"a\":100,\"b\":2.5}"})},
        {"A plain value", MICA_JSON({"json": " \"text\" "}),
         MICA_JSON({"json": "\"text\"", "kind": "string", "levels": 0})},
        {"A comma too many", MICA_JSON({"json": "[1, 2,]"}),
         .error = "NOT_JSON"},
        {"The same name twice", MICA_JSON({"json": "{\"a\": 1, \"a\": 2}"}),
         .error = "REPEATED_NAME"},
        {"Nested deeper than is read", MICA_JSON({
             "json":
                 "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
         }),
         .error = "TOO_DEEP"},
        {"A number that has no canonical form",
         MICA_JSON({"json": "[1e999]", "style": "canonical"}),
         .error = "NUMBER_TOO_LARGE"}));

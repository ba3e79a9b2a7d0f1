// SPDX-License-Identifier: Apache-2.0
//
// One pass over a schema. TypeScript's types are sets of values, and so are schemas:
// each keyword that it knows narrows the type, and every other is left out.
#include "engine/typescript.h"

#include <string.h>

#include "base/visible.h"

enum {
    DEEPEST = 32, // of what is written; below that anything goes
    STEP = 4      // blanks of one more
};

// What one type carries along.
struct typist {
    struct mica_buffer *out;
    unsigned depth;
    bool exact;
};

static void write_type(struct typist *typist, const struct mica_json *schema,
                       unsigned indent);

static void
typist_add(struct typist *typist, const char *textz)
{
    mica_buffer_text(typist->out, mica_text(textz));
}

static void
new_line(struct typist *typist, unsigned indent)
{
    mica_buffer_char(typist->out, '\n');
    for (unsigned i = 0; i < indent; i++)
        mica_buffer_char(typist->out, ' ');
}

// ---- Names and comments ----------------------------------------------------

static bool
is_letter(char c)
{
    char low = (char)(c | 0x20);
    return (low >= 'a' && low <= 'z') || c == '_' || c == '$';
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

void
mica_typescript_name(struct mica_text name, bool camel, struct mica_buffer *out)
{
    bool raise = !camel, first = true;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!is_letter(c) && !is_digit(c)) {
            raise = !first || !camel;
            continue;
        }
        if (c == '_') {
            raise = !first || !camel;
            continue;
        }
        if (first && is_digit(c))
            mica_buffer_char(out, '_');
        bool small = c >= 'a' && c <= 'z';
        mica_buffer_char(out, raise && small ? (char)(c - 'a' + 'A') : c);
        raise = first = false;
    }
    if (first)
        mica_buffer_char(out, '_');
}

static void
typist_string(struct typist *typist, struct mica_text text)
{
    mica_buffer_char(typist->out, '"');
    mica_json_escape(typist->out, text);
    mica_buffer_char(typist->out, '"');
}

// The name of a property: as it is, or as a string.
static void
property_name(struct typist *typist, struct mica_text name)
{
    bool plain = name.len > 0 && is_letter(name.ptr[0]);
    for (size_t i = 0; i < name.len; i++)
        plain = plain && (is_letter(name.ptr[i]) || is_digit(name.ptr[i]));
    if (plain)
        mica_buffer_text(typist->out, name);
    else
        typist_string(typist, name);
}

// Text inside of a comment, which it cannot end; what an editor or a terminal would
// obey is written out.
static void
comment_text(struct typist *typist, struct mica_text text, unsigned indent)
{
    size_t start = 0;

    for (size_t i = 0; i < text.len; i++) {
        bool line = text.ptr[i] == '\n';
        bool end = text.ptr[i] == '/' && i > 0 && text.ptr[i - 1] == '*';
        size_t stop = line && i > start && text.ptr[i - 1] == '\r' ? i - 1 : i;
        if (!line && !end)
            continue;
        mica_visible_add(typist->out, mica_text_slice(text, start, stop),
                         MICA_VISIBLE_LINE);
        start = i + 1;
        if (line)
            new_line(typist, indent);
        typist_add(typist, line ? " * " : "\\/");
    }
    mica_visible_add(typist->out, mica_text_slice(text, start, text.len),
                     MICA_VISIBLE_LINE);
}

// What a property's comment says of decimals, which TypeScript has no type for.
static const char *
say_decimal(const struct mica_json *schema)
{
    const struct mica_json *items = mica_json_get(schema, "items");
    if (mica_json_get(schema, "x-decimal") == NULL &&
        mica_json_get(items, "x-decimal") == NULL)
        return "";
    return " A decimal of up to 34 digits; a JavaScript number is right to 15, "
           "JSON text to all.";
}

static void
typist_comment(struct typist *typist, struct mica_text text, const char *morez,
               const struct mica_json *fallback, unsigned indent)
{
    if (text.len == 0 && fallback == NULL)
        return;
    typist_add(typist, "/** ");
    comment_text(typist, text, indent);
    typist_add(typist, morez);
    if (fallback != NULL) {
        typist_add(typist, text.len > 0 ? " @default " : "@default ");
        comment_text(typist, fallback->raw, indent);
    }
    typist_add(typist, " */");
    new_line(typist, indent);
}

// ---- Types -----------------------------------------------------------------

static bool
is_a(const struct mica_json *value, enum mica_json_kind kind)
{
    return value != NULL && value->kind == kind;
}

static void
typist_literal(struct typist *typist, const struct mica_json *value)
{
    if (value->kind == MICA_JSON_STRING)
        typist_string(typist, value->text);
    else if (value->kind == MICA_JSON_NUMBER)
        typist_add(typist,
                   "number"); // 1 and 1.0 are one value, and -0 is no literal
    else if (value->kind == MICA_JSON_ARRAY || value->kind == MICA_JSON_OBJECT)
        typist_add(typist, "unknown");
    else
        mica_buffer_text(typist->out, value->raw);
}

// Alternatives, or what all hold at once.
static void
typist_join(struct typist *typist, const struct mica_json *schemas,
            const char *signz, unsigned indent)
{
    if (schemas->count == 0)
        typist_add(typist, "unknown");
    for (size_t i = 0; i < schemas->count; i++) {
        typist_add(typist, i > 0 ? signz : "");
        typist_add(typist, "(");
        write_type(typist, &schemas->items[i], indent);
        typist_add(typist, ")");
    }
}

static void
write_choices(struct typist *typist, const struct mica_json *choices)
{
    if (choices->count == 0)
        typist_add(typist, "never");
    for (size_t i = 0; i < choices->count; i++) {
        typist_add(typist, i > 0 ? " | " : "");
        typist_literal(typist, &choices->items[i]);
    }
}

static bool
is_required(const struct mica_json *schema, struct mica_text name)
{
    const struct mica_json *required = mica_json_get(schema, "required");
    for (size_t i = 0; is_a(required, MICA_JSON_ARRAY) && i < required->count;
         i++)
        if (required->items[i].kind == MICA_JSON_STRING &&
            mica_text_equal(required->items[i].text, name))
            return true;
    return false;
}

// An object without named properties.
static void
write_map(struct typist *typist, const struct mica_json *others,
          unsigned indent)
{
    typist_add(typist, "{ [name: string]: ");
    if (others == NULL)
        typist_add(typist, "unknown");
    else
        write_type(typist, others, indent); // `false` becomes never
    typist_add(typist, " }");
}

static void
write_object(struct typist *typist, const struct mica_json *schema,
             unsigned indent)
{
    const struct mica_json *properties = mica_json_get(schema, "properties");
    const struct mica_json *others =
        mica_json_get(schema, "additionalProperties");
    if (mica_json_get(schema, "patternProperties") != NULL)
        others = NULL; // they are others, and may be anything
    if (!is_a(properties, MICA_JSON_OBJECT) || properties->count == 0) {
        write_map(typist, others, indent);
        return;
    }
    typist_add(typist, "{");
    for (size_t i = 0; i < properties->count; i++) {
        const struct mica_json_member *member = &properties->members[i];
        new_line(typist, indent + STEP);
        typist_comment(typist,
                       mica_json_get_text(&member->value, "description"),
                       say_decimal(&member->value),
                       mica_json_get(&member->value, "default"), indent + STEP);
        property_name(typist, member->name);
        typist_add(typist, is_required(schema, member->name) ? ": " : "?: ");
        write_type(typist, &member->value, indent + STEP);
        typist_add(typist, ";");
    }
    // A type of its own would have to hold for the named ones, too.
    if (!is_a(others, MICA_JSON_FALSE) && !(typist->exact && others == NULL)) {
        new_line(typist, indent + STEP);
        typist_add(typist, "[name: string]: unknown;");
    }
    new_line(typist, indent);
    typist_add(typist, "}");
}

static void
write_array(struct typist *typist, const struct mica_json *schema,
            unsigned indent)
{
    const struct mica_json *items = mica_json_get(schema, "items");
    typist_add(typist, "Array<");
    if (items == NULL || mica_json_get(schema, "prefixItems") != NULL)
        typist_add(typist, "unknown");
    else
        write_type(typist, items, indent);
    typist_add(typist, ">");
}

static void
write_kind(struct typist *typist, const struct mica_json *schema,
           struct mica_text kind, unsigned indent)
{
    if (mica_text_is(kind, "object"))
        write_object(typist, schema, indent);
    else if (mica_text_is(kind, "array"))
        write_array(typist, schema, indent);
    else if (mica_text_is(kind, "integer"))
        typist_add(typist, "number");
    else if (mica_text_is(kind, "number") || mica_text_is(kind, "string") ||
             mica_text_is(kind, "boolean") || mica_text_is(kind, "null"))
        mica_buffer_text(typist->out, kind);
    else
        typist_add(typist, "unknown");
}

// By its "type": a word, or a list of them.
static void
write_kinds(struct typist *typist, const struct mica_json *schema,
            unsigned indent)
{
    const struct mica_json *type = mica_json_get(schema, "type");
    if (is_a(type, MICA_JSON_STRING)) {
        write_kind(typist, schema, type->text, indent);
        return;
    }
    if (!is_a(type, MICA_JSON_ARRAY) || type->count == 0) {
        typist_add(typist, "unknown");
        return;
    }
    for (size_t i = 0; i < type->count; i++) {
        typist_add(typist, i > 0 ? " | " : "");
        write_kind(typist, schema, type->items[i].text, indent);
    }
}

// The first of the keywords that says most. Others beside it would only narrow.
static void
write_type(struct typist *typist, const struct mica_json *schema,
           unsigned indent)
{
    const struct mica_json *part;
    if (typist->depth >= DEEPEST || schema->kind != MICA_JSON_OBJECT) {
        typist_add(typist, is_a(schema, MICA_JSON_FALSE) ? "never" : "unknown");
        return;
    }
    typist->depth++;
    if ((part = mica_json_get(schema, "const")) != NULL)
        typist_literal(typist, part);
    else if (is_a(part = mica_json_get(schema, "enum"), MICA_JSON_ARRAY))
        write_choices(typist, part);
    else if (is_a(part = mica_json_get(schema, "anyOf"), MICA_JSON_ARRAY) ||
             is_a(part = mica_json_get(schema, "oneOf"), MICA_JSON_ARRAY))
        typist_join(typist, part, " | ", indent);
    else if (is_a(part = mica_json_get(schema, "allOf"), MICA_JSON_ARRAY))
        typist_join(typist, part, " & ", indent);
    else
        write_kinds(typist, schema, indent);
    typist->depth--;
}

void
mica_typescript_type(const struct mica_json *schema, unsigned indent,
                     struct mica_buffer *out)
{
    struct typist typist = {.out = out};
    write_type(&typist, schema, indent);
}

// ---- The file --------------------------------------------------------------

static enum mica_status
typescript_declare(const struct mica_typescript *tool, const char *suffixz,
                   struct mica_text schema, struct mica_arena *arena,
                   struct mica_error *error, struct mica_buffer *out)
{
    struct mica_json value = {.kind = MICA_JSON_TRUE};
    struct typist typist = {.out = out, .exact = tool->exact};
    if (schema.len > 0)
        MICA_TRY(mica_json_read(arena, schema, NULL, error, &value));
    mica_buffer_text(out, mica_text("export type "));
    if (tool->name.len > 0)
        mica_typescript_name(tool->name, false, out);
    mica_buffer_format(out, "%s = ", suffixz);
    if (schema.len == 0 && tool->exact)
        typist_add(&typist, "undefined");
    else
        write_type(&typist, &value, 0);
    typist_add(&typist, ";\n");
    return MICA_OK;
}

// What stands behind `Name` in the lines of a module, "#" being that name.
static const char module_head[] =
    "\n/** What an engine throws when it refuses an input. */\n"
    "export declare class EngineError extends Error {\n"
    "    constructor(message: string, code: string, path?: string);\n"
    "    /** Stable, in capitals: for programs. */\n"
    "    readonly code: string;\n"
    "    /** JSON Pointer to the part of the input at fault; \"\" is all. */\n"
    "    readonly path: string;\n"
    "}\n\n"
    "declare const engine: {\n"
    "    readonly name: ";
static const char module_body[] =
    ";\n"
    "    readonly description: string;\n"
    "    /** JSON Schema. `parse` checks, and fills in defaults. */\n"
    "    readonly inputSchema: {\n"
    "        readonly [keyword: string]: unknown;\n"
    "        parse(input: unknown): #Input;\n"
    "    };\n"
    "    /** @throws {EngineError} */\n"
    "    handler(input: #Input): #Output;\n"
    "    readonly examples: ReadonlyArray<\n"
    "        | { title: string; input: #Input; output: Partial<#Output> }\n"
    "        | { title: string; input: unknown; error: string }\n"
    "    >;\n"
    "};\n"
    "export default engine;\n";

static void
write_module(const struct mica_typescript *tool, struct mica_buffer *out)
{
    struct typist typist = {.out = out};
    typist_add(&typist, module_head);
    typist_string(&typist, tool->name);
    for (const char *at = module_body; *at != '\0'; at++) {
        if (*at == '#')
            mica_typescript_name(tool->name, false, out);
        else
            mica_buffer_char(out, *at);
    }
    if (mica_text_is(tool->name, "default"))
        return; // is exported by that name already
    typist_add(&typist, "export { engine as ");
    mica_typescript_name(tool->name, true, out);
    typist_add(&typist, " };\n");
}

enum mica_status
mica_typescript_write(const struct mica_typescript *tool,
                      struct mica_arena *arena, struct mica_error *error,
                      struct mica_buffer *out)
{
    struct typist typist = {.out = out};
    typist_comment(&typist, tool->description, "", NULL, 0);
    MICA_TRY(typescript_declare(tool, "Input", tool->input_schema, arena, error,
                                out));
    typist_add(&typist, "\n");
    MICA_TRY(typescript_declare(tool, "Output", tool->output_schema, arena,
                                error, out));
    if (tool->module)
        write_module(tool, out);
    if (out->overflow || arena->overflow)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the types are larger than there is memory");
    return MICA_OK;
}

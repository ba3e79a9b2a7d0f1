// SPDX-License-Identifier: Apache-2.0
//
// A parser by recursive descent. It takes tokens off the text one by one; selection_read is
// its only recursion, and GRAPHQL_DEPTH bounds it. The first fault ends it: every function
// returns false behind one.
#include "graphql_query.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum token_kind {
    TOKEN_END,
    TOKEN_MARK, // one of ! $ ( ) : = @ [ ] { } | & and ...
    TOKEN_NAME,
    TOKEN_NUMBER,
    TOKEN_STRING // with its quotes
};

struct variable {
    struct mica_text name, type;
    const struct mica_json *value;
};

struct parser {
    struct mica_arena *arena;
    struct mica_text text;
    size_t at; // behind the token
    enum token_kind kind;
    struct mica_text token;
    size_t field_count;
    const struct mica_json *values;
    struct variable variables[GRAPHQL_VARIABLES];
    size_t variable_count;
    struct graphql_fault *fault;
};

bool
graphql_fail(struct graphql_fault *fault, const char *code, size_t at,
             const char *format, ...)
{
    va_list arguments;

    fault->code = code;
    fault->at = at;
    va_start(arguments, format);
    vsnprintf(fault->message, sizeof fault->message, format, arguments);
    va_end(arguments);
    // Not cut within a character.
    fault->message[mica_utf8_valid(mica_text(fault->message))] = '\0';
    return false;
}

// A fault at the token.
#define PARSER_FAIL(p, code, ...)                                              \
    graphql_fail((p)->fault, (code), (size_t)((p)->token.ptr - (p)->text.ptr), \
                 __VA_ARGS__)

// Long names are cut in messages.
static struct mica_text
shown(struct mica_text text)
{
    return mica_utf8_cut(text, 40);
}

static bool
parser_refuse(struct parser *p, const char *expected)
{
    struct mica_text token =
        p->kind == TOKEN_STRING ? MICA_LITERAL("a string") : shown(p->token);

    if (p->kind == TOKEN_END)
        return PARSER_FAIL(p, "GRAPHQL_PARSE_FAILED",
                           "The document ends where %s is expected.", expected);
    return PARSER_FAIL(p, "GRAPHQL_PARSE_FAILED", "Expected %s, found %.*s.",
                       expected, MICA_ARG(token));
}

// ---- Tokens ----------------------------------------------------------------------

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Commas mean nothing in GraphQL, and a comment ends with its line.
static void
skip_ignored(struct parser *p)
{
    for (; p->at < p->text.len; p->at++) {
        char c = p->text.ptr[p->at];
        if (c == '#')
            while (p->at + 1 < p->text.len && p->text.ptr[p->at + 1] != '\n' &&
                   p->text.ptr[p->at + 1] != '\r')
                p->at++;
        else if (c == '\0' || strchr(" \t\n\r,", c) == NULL)
            return;
    }
}

// Finds the end of a string, behind its quote. mica_json_read looks at what is inside.
static bool
string_end(struct parser *p, size_t *end_out)
{
    for (size_t i = p->at + 1; i < p->text.len; i++) {
        if (p->text.ptr[i] == '"') {
            *end_out = i + 1;
            return true;
        }
        if (p->text.ptr[i] == '\\')
            i++;
    }
    return PARSER_FAIL(p, "GRAPHQL_PARSE_FAILED", "A string has no end.");
}

static size_t
word_end(const struct parser *p)
{
    size_t end = p->at + 1;

    while (end < p->text.len &&
           (is_letter(p->text.ptr[end]) || is_digit(p->text.ptr[end])))
        end++;
    return end;
}

static size_t
number_end(const struct parser *p)
{
    size_t end = p->at + 1;

    while (end < p->text.len &&
           (is_letter(p->text.ptr[end]) || is_digit(p->text.ptr[end]) ||
            p->text.ptr[end] == '.' ||
            ((p->text.ptr[end] == '-' || p->text.ptr[end] == '+') &&
             (p->text.ptr[end - 1] == 'e' || p->text.ptr[end - 1] == 'E'))))
        end++;
    return end;
}

// Takes the next token.
static bool
parser_next(struct parser *p)
{
    size_t end;
    char c;

    skip_ignored(p);
    end = p->at < p->text.len ? p->at + 1 : p->at;
    p->kind = TOKEN_END;
    p->token = mica_text_slice(p->text, p->at, end);
    if (p->at == p->text.len)
        return true;
    c = p->text.ptr[p->at];
    if (is_letter(c)) {
        p->kind = TOKEN_NAME;
        end = word_end(p);
    } else if (is_digit(c) || c == '-') {
        p->kind = TOKEN_NUMBER;
        end = number_end(p);
    } else if (c == '"') {
        p->kind = TOKEN_STRING;
        if (!string_end(p, &end))
            return false;
    } else if (c != '\0' && strchr("!$():=@[]{}|&.", c) != NULL) {
        p->kind = TOKEN_MARK;
        if (c == '.' &&
            mica_text_starts(mica_text_slice(p->text, p->at, p->text.len),
                             "..."))
            end = p->at + 3;
    } else {
        return PARSER_FAIL(p, "GRAPHQL_PARSE_FAILED",
                           "The byte 0x%02x begins no token.",
                           (unsigned)(unsigned char)c);
    }
    p->token = mica_text_slice(p->text, p->at, end);
    p->at = end;
    return true;
}

static bool
parser_sees(const struct parser *p, const char *markz)
{
    return p->kind == TOKEN_MARK && mica_text_is(p->token, markz);
}

static bool
parser_expect(struct parser *p, const char *markz)
{
    return parser_sees(p, markz) ? parser_next(p) : parser_refuse(p, markz);
}

static bool
name_read(struct parser *p, const char *what, struct mica_text *name_out)
{
    if (p->kind != TOKEN_NAME)
        return parser_refuse(p, what);
    *name_out = p->token;
    return parser_next(p);
}

static bool
parser_lacks(struct parser *p, const char *what)
{
    return PARSER_FAIL(p, "GRAPHQL_PARSE_FAILED",
                       "This server does not support %s.", what);
}

// ---- Values ----------------------------------------------------------------------

static bool
variable_use(struct parser *p, struct graphql_argument *argument)
{
    struct mica_text name;

    if (!parser_next(p))
        return false;
    for (size_t i = 0; i < p->variable_count; i++)
        if (p->kind == TOKEN_NAME &&
            mica_text_equal(p->variables[i].name, p->token)) {
            argument->type = p->variables[i].type;
            argument->value = *p->variables[i].value;
            return parser_next(p);
        }
    if (p->kind != TOKEN_NAME)
        return parser_refuse(p, "the name of a variable");
    name = shown(p->token);
    return PARSER_FAIL(p, "GRAPHQL_PARSE_FAILED",
                       "Variable $%.*s is not defined.", MICA_ARG(name));
}

// Numbers, strings, true, false and null are written as in JSON.
static bool
value_read(struct parser *p, struct graphql_argument *argument)
{
    struct mica_error error;

    if (parser_sees(p, "$"))
        return variable_use(p, argument);
    if (parser_sees(p, "["))
        return parser_lacks(p, "lists");
    if (parser_sees(p, "{"))
        return parser_lacks(p, "objects as values");
    if (p->kind == TOKEN_END || p->kind == TOKEN_MARK)
        return parser_refuse(p, "a value");
    if (p->kind == TOKEN_NAME && !mica_text_is(p->token, "true") &&
        !mica_text_is(p->token, "false") && !mica_text_is(p->token, "null"))
        return parser_lacks(p, "enum values");
    if (p->kind == TOKEN_STRING && p->token.len == 2 && p->at < p->text.len &&
        p->text.ptr[p->at] == '"')
        return parser_lacks(p, "block strings");
    if (mica_json_read(p->arena, p->token, NULL, &error, &argument->value) !=
        MICA_OK)
        return PARSER_FAIL(p, "GRAPHQL_PARSE_FAILED",
                           "A value is malformed: %.80s", error.message);
    return parser_next(p);
}

static bool
argument_read(struct parser *p, struct graphql_field *field)
{
    struct graphql_argument argument = {0};

    if (field->argument_count == GRAPHQL_ARGUMENTS)
        return PARSER_FAIL(p, "LIMIT_EXCEEDED",
                           "A field has more than %d arguments.",
                           GRAPHQL_ARGUMENTS);
    for (size_t i = 0; i < field->argument_count; i++)
        if (mica_text_equal(field->arguments[i].name, p->token))
            return PARSER_FAIL(p, "GRAPHQL_PARSE_FAILED",
                               "An argument is given twice.");
    if (!name_read(p, "the name of an argument", &argument.name) ||
        !parser_expect(p, ":") || !value_read(p, &argument))
        return false;
    field->arguments[field->argument_count++] = argument;
    return true;
}

static bool
arguments_read(struct parser *p, struct graphql_field *field)
{
    if (!parser_next(p))
        return false;
    do {
        if (!argument_read(p, field))
            return false;
    } while (!parser_sees(p, ")"));
    return parser_next(p);
}

// ---- Selections ------------------------------------------------------------------

static bool selection_read(struct parser *p, size_t depth,
                           struct graphql_field **first_out);

static bool
field_read(struct parser *p, size_t depth, struct graphql_field *field)
{
    if (parser_sees(p, "..."))
        return parser_lacks(p, "fragments");
    if (!name_read(p, "the name of a field", &field->name))
        return false;
    if (parser_sees(p, ":"))
        return parser_lacks(p, "aliases");
    if (parser_sees(p, "(") && !arguments_read(p, field))
        return false;
    if (parser_sees(p, "@"))
        return parser_lacks(p, "directives");
    return !parser_sees(p, "{") ||
           selection_read(p, depth + 1, &field->selection);
}

// Without aliases and merging, a name stands once in a selection.
static bool
selection_has(const struct graphql_field *first,
              const struct graphql_field *field)
{
    for (; first != field; first = first->next)
        if (mica_text_equal(first->name, field->name))
            return true;
    return false;
}

static bool
selection_read(struct parser *p, size_t depth, struct graphql_field **first_out)
{
    struct graphql_field **next = first_out;

    if (depth > GRAPHQL_DEPTH)
        return PARSER_FAIL(p, "LIMIT_EXCEEDED",
                           "More than %d selection sets in one another.",
                           GRAPHQL_DEPTH);
    if (!parser_expect(p, "{"))
        return false;
    do {
        if (p->field_count++ == GRAPHQL_FIELDS)
            return PARSER_FAIL(p, "LIMIT_EXCEEDED",
                               "The document has more than %d fields.",
                               GRAPHQL_FIELDS);
        *next = mica_arena_zero(p->arena, 1, sizeof **next);
        if (*next == NULL)
            return PARSER_FAIL(p, "LIMIT_EXCEEDED",
                               "The document needs too much memory.");
        if (!field_read(p, depth, *next))
            return false;
        if (selection_has(*first_out, *next))
            return parser_lacks(p, "one field twice in a selection set");
        next = &(*next)->next;
    } while (!parser_sees(p, "}"));
    return parser_next(p);
}

// ---- Operations ------------------------------------------------------------------

static bool
type_read(struct parser *p, struct mica_text *type_out)
{
    if (parser_sees(p, "["))
        return parser_lacks(p, "lists");
    if (!name_read(p, "the name of a type", type_out))
        return false;
    return !parser_sees(p, "!") || parser_next(p); // no argument takes null
}

static bool
variable_read(struct parser *p)
{
    static const struct mica_json null = {.kind = MICA_JSON_NULL};
    struct variable variable = {0};

    if (p->variable_count == GRAPHQL_VARIABLES)
        return PARSER_FAIL(p, "LIMIT_EXCEEDED",
                           "The operation has more than %d variables.",
                           GRAPHQL_VARIABLES);
    if (!parser_expect(p, "$") ||
        !name_read(p, "the name of a variable", &variable.name) ||
        !parser_expect(p, ":") || !type_read(p, &variable.type))
        return false;
    for (size_t i = 0; i < p->variable_count; i++)
        if (mica_text_equal(p->variables[i].name, variable.name))
            return PARSER_FAIL(p, "GRAPHQL_PARSE_FAILED",
                               "A variable is defined twice.");
    if (parser_sees(p, "="))
        return parser_lacks(p, "default values");
    variable.value = mica_json_member(p->values, variable.name);
    if (variable.value == NULL)
        variable.value = &null;
    p->variables[p->variable_count++] = variable;
    return true;
}

static bool
variables_read(struct parser *p)
{
    if (!parser_next(p))
        return false;
    do {
        if (!variable_read(p))
            return false;
    } while (!parser_sees(p, ")"));
    return parser_next(p);
}

// `{ … }` alone, or `query Name($a: T) { … }`, or the same with `mutation`.
static bool
operation_read(struct parser *p, struct graphql_query *query)
{
    if (p->kind == TOKEN_NAME) {
        if (mica_text_is(p->token, "subscription"))
            return parser_lacks(p, "subscriptions");
        if (mica_text_is(p->token, "fragment"))
            return parser_lacks(p, "fragments");
        query->is_mutation = mica_text_is(p->token, "mutation");
        if (!query->is_mutation && !mica_text_is(p->token, "query"))
            return parser_refuse(p, "query or mutation");
        if (!parser_next(p))
            return false;
        if (p->kind == TOKEN_NAME && !name_read(p, "a name", &query->name))
            return false;
        if (parser_sees(p, "(") && !variables_read(p))
            return false;
        if (parser_sees(p, "@"))
            return parser_lacks(p, "directives");
    }
    return selection_read(p, 1, &query->selection);
}

bool
graphql_read(struct mica_arena *arena, struct mica_text text,
             const struct mica_json *variables, struct graphql_query *query_out,
             struct graphql_fault *fault_out)
{
    struct parser p = {.arena = arena,
                       .text = text,
                       .token = {text.ptr, 0},
                       .values = variables,
                       .fault = fault_out};

    *query_out = (struct graphql_query){0};
    if (text.len > GRAPHQL_BYTES)
        return PARSER_FAIL(&p, "LIMIT_EXCEEDED",
                           "The document has more than %d bytes.",
                           GRAPHQL_BYTES);
    if (!parser_next(&p) || !operation_read(&p, query_out))
        return false;
    if (p.kind != TOKEN_END)
        return parser_lacks(&p, "more than one operation");
    return true;
}

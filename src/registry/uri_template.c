// SPDX-License-Identifier: Apache-2.0
//
// Compiles URI templates to a list of parts, and refuses templates that a matcher without
// backtracking could not decide. uri_template_match.c matches them.
#include "registry/uri_template.h"

#include <string.h>

enum {
    PARTS = 128, // of one template
    VARIABLES = MICA_TEMPLATE_VARIABLES,
    TEMPLATE_BYTES = 2048
};

struct compiler {
    struct mica_text text;
    struct mica_error *error;
    struct mica_template *template;
    struct mica_part *parts;
    struct mica_variable *variables;
    char last; // operator of the last expression; 'v': simple; 0: none
};

static enum mica_status
compiler_refuse(const struct compiler *compiler, struct mica_text at,
                const char *why)
{
    return mica_error_set(compiler->error, MICA_E_USAGE, "",
                          "the URI template '%.*s' cannot be used: '%.*s' %s",
                          MICA_ARG(compiler->text), MICA_ARG(at), why);
}

static bool
is_alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9');
}

static bool
is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
           (c >= 'A' && c <= 'F');
}

// RFC 6570 section 2.1, without characters outside of ASCII: no URI has them.
static bool
is_literal(struct mica_text text, size_t at)
{
    char c = text.ptr[at];

    if (c == '%')
        return at + 2 < text.len && is_hex(text.ptr[at + 1]) &&
               is_hex(text.ptr[at + 2]);
    return c > 0x20 && c < 0x7f && memchr("\"'<>\\^`{|}", c, 10) == NULL;
}

// ---- Literals ----------------------------------------------------------------------

static enum mica_status
add_literal(struct compiler *compiler, struct mica_text literal)
{
    struct mica_template *template = compiler->template;

    for (size_t i = 0; i < literal.len; i++) {
        if (!is_literal(literal, i))
            return compiler_refuse(compiler, mica_text_slice(literal, i, i + 1),
                                   "cannot stand in a URI; write it as %XX");
    }
    if (template->query_count > 0 || template->has_fragment)
        return compiler_refuse(
            compiler, literal,
            "comes after a query or fragment, which end a template");
    if (template->part_count == PARTS)
        return compiler_refuse(compiler, literal, "is one part too many");
    compiler->parts[template->part_count++].literal = literal;
    return MICA_OK;
}

// ---- Expressions -------------------------------------------------------------------

static enum mica_status
add_variable(struct compiler *compiler, struct mica_text name, char mark,
             char before)
{
    struct mica_template *template = compiler->template;
    struct mica_variable *variable;
    struct mica_part *part;

    for (size_t i = 0; i < name.len; i++) {
        if (!is_alphanumeric(name.ptr[i]) && name.ptr[i] != '_')
            return compiler_refuse(
                compiler, name,
                "is no name of a variable: use A-Z a-z 0-9 _ and "
                "neither '*' nor ':'");
    }
    for (size_t i = 0; i < template->variable_count; i++) {
        if (mica_text_equal(compiler->variables[i].name, name))
            return compiler_refuse(compiler, name, "is there twice");
    }
    if (name.len == 0 || template->variable_count == VARIABLES ||
        template->part_count == PARTS)
        return compiler_refuse(compiler, name,
                               name.len == 0 ? "is a variable without a name"
                                             : "is one variable too many");
    variable = &compiler->variables[template->variable_count];
    *variable = (struct mica_variable){name, mark, before != 0};
    if (mark == '?' || mark == '&') {
        if (template->query_count++ == 0)
            template->query_from = template->variable_count;
    } else if (mark == '#') {
        template->has_fragment = true;
    } else {
        part = &compiler->parts[template->part_count++];
        part->variable = template->variable_count;
        part->before = before;
        template->matrix_count += mark == ';';
    }
    template->variable_count++;
    return MICA_OK;
}

// Checks that an expression with that operator may follow the last part.
static enum mica_status
check_place(const struct compiler *compiler, struct mica_text shown, char mark)
{
    const struct mica_template *template = compiler->template;
    char last = compiler->last;

    if (template->has_fragment)
        return compiler_refuse(compiler, shown, "comes after the fragment");
    if (template->query_count > 0 && mark != '#' && mark != '&')
        return compiler_refuse(compiler, shown,
                               "comes after the query; only {&…} and {#…} may");
    if (mark == '?' || mark == '&' || mark == '#')
        return MICA_OK;
    if (template->matrix_count > 0)
        return compiler_refuse(compiler, shown,
                               "comes after {;…}, which ends the path");
    if (mark == '+' || mark == 0) {
        if (last != 0)
            return compiler_refuse(
                compiler, shown,
                "follows another variable at once, so that no reader "
                "can tell where one ends: put a literal between");
    }
    for (size_t i = 0; i < template->variable_count; i++) {
        if (compiler->variables[i].mark == '+')
            return compiler_refuse(
                compiler, shown,
                "comes after {+…}, which takes every segment: only a "
                "literal, a query and a fragment may follow that");
    }
    return MICA_OK;
}

// Checks that a literal has begun the query that {&…} continues.
static enum mica_status
check_continuation(struct compiler *compiler, struct mica_text shown)
{
    struct mica_template *template = compiler->template;
    size_t count = template->part_count;
    struct mica_text literal = {NULL, 0};
    const char *question = NULL;

    if (template->query_count > 0)
        return MICA_OK; // continues where {?…} ended
    if (count > 0)
        literal = compiler->parts[count - 1].literal;
    if (literal.len > 0)
        question = memchr(literal.ptr, '?', literal.len);
    if (question == NULL)
        return compiler_refuse(
            compiler, shown,
            "needs a literal with '?' before it; or write {?…}");
    template->continued = literal.len - (size_t)(question - literal.ptr);
    return MICA_OK;
}

static enum mica_status
add_expression(struct compiler *compiler, struct mica_text shown)
{
    struct mica_text inside = mica_text_slice(shown, 1, shown.len - 1);
    char mark = 0, before;
    bool first = true;

    if (inside.len > 0 && memchr("+#/.;?&", inside.ptr[0], 7) != NULL) {
        mark = inside.ptr[0];
        inside = mica_text_slice(inside, 1, inside.len);
    }
    MICA_TRY(check_place(compiler, shown, mark));
    if (mark == '&')
        MICA_TRY(check_continuation(compiler, shown));
    before = mark != 0 && mark != '+' ? mark : 0;
    for (;;) {
        const char *comma =
            inside.len > 0 ? memchr(inside.ptr, ',', inside.len) : NULL;
        size_t size = comma != NULL ? (size_t)(comma - inside.ptr) : inside.len;
        if ((!first || comma != NULL) && (mark == '+' || mark == '#'))
            return compiler_refuse(
                compiler, shown,
                "has several variables, whose values may hold "
                "commas: one only");
        MICA_TRY(add_variable(compiler, mica_text_slice(inside, 0, size), mark,
                              before));
        if (comma == NULL)
            break;
        inside = mica_text_slice(inside, size + 1, inside.len);
        before = before != 0 ? before : ',';
        first = false;
    }
    compiler->last = mark != 0 ? mark : 'v';
    return MICA_OK;
}

// ---- The template --------------------------------------------------------------------

// Only the last literal may follow an optional variable: otherwise the matcher would have
// to try both.
static enum mica_status
check_parts(const struct compiler *compiler)
{
    const struct mica_template *template = compiler->template;

    for (size_t i = 1; i + 1 < template->part_count; i++) {
        if (compiler->parts[i].literal.len > 0 &&
            compiler->parts[i - 1].before != 0)
            return compiler_refuse(
                compiler, compiler->parts[i].literal,
                "follows a variable that may be absent, and more "
                "comes after it: write {x} with a literal mark "
                "before it instead");
    }
    return MICA_OK;
}

// Separates the literal at the end, which the matcher compares first.
static void
split_end(struct mica_template *template)
{
    size_t count = template->part_count;

    if (count < 2 || template->parts[count - 1].literal.len == 0)
        return;
    template->end = template->parts[count - 1].literal;
    template->part_count--;
}

static enum mica_status
compiler_compile(struct compiler *compiler)
{
    struct mica_text rest = compiler->text;
    size_t at = 0;

    while (at < rest.len) {
        size_t from = at;
        if (rest.ptr[at] != '{') {
            while (at < rest.len && rest.ptr[at] != '{')
                at++;
            MICA_TRY(add_literal(compiler, mica_text_slice(rest, from, at)));
            compiler->last = 0;
            continue;
        }
        while (at < rest.len && rest.ptr[at] != '}')
            at++;
        if (at == rest.len)
            return compiler_refuse(compiler, mica_text_slice(rest, from, at),
                                   "is not closed by '}'");
        at++;
        MICA_TRY(add_expression(compiler, mica_text_slice(rest, from, at)));
    }
    return check_parts(compiler);
}

// Does the first literal begin with a scheme and ":" (RFC 3986)?
static bool
has_scheme(const struct mica_template *template)
{
    struct mica_text start = {NULL, 0};
    size_t i = 0;

    if (template->part_count > 0)
        start = template->parts[0].literal;
    while (i < start.len && (is_alphanumeric(start.ptr[i]) ||
                             (i > 0 && memchr("+-.", start.ptr[i], 3) != NULL)))
        i++;
    return i > 0 && i < start.len && start.ptr[i] == ':' &&
           (start.ptr[0] < '0' || start.ptr[0] > '9');
}

enum mica_status
mica_template_compile(struct mica_arena *arena, struct mica_text text,
                      struct mica_error *error,
                      struct mica_template *template_out)
{
    struct compiler compiler = {
        .text = text, .error = error, .template = template_out};

    memset(template_out, 0, sizeof *template_out);
    if (text.len > TEMPLATE_BYTES)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "a URI template has at most %d bytes",
                              TEMPLATE_BYTES);
    compiler.parts = mica_arena_zero(arena, PARTS, sizeof *compiler.parts);
    compiler.variables =
        mica_arena_zero(arena, VARIABLES, sizeof *compiler.variables);
    if (compiler.parts == NULL || compiler.variables == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "no memory for a URI template");
    template_out->parts = compiler.parts;
    template_out->variables = compiler.variables;
    MICA_TRY(compiler_compile(&compiler));
    if (!has_scheme(template_out))
        return compiler_refuse(
            &compiler, text,
            "must begin with a scheme, as in test://items/{id}");
    if (template_out->variable_count == 0)
        return compiler_refuse(
            &compiler, text, "has no variable; use .uri for a fixed resource");
    split_end(template_out);
    return MICA_OK;
}

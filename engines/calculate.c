// SPDX-License-Identifier: Apache-2.0
//
// Evaluates an arithmetic expression by precedence climbing, and says how it
// was read. A failure is kept in the parser, the first one wins, and the text
// is then taken as ended, so that no step has to ask whether an earlier failed.
#include <math.h>
#include <mica/engine.h>

#define MAX_DEPTH 32

// Keeps a function out of the frame of its caller: a module has a stack of
// 32 KiB, and this parser recurses.
#define APART __attribute__((noinline))

struct input {
    struct mica_text expression;
    struct {
        size_t count;
        const struct mica_text *keys;
        const double *items;
    } variables;
};
MICA_RECORD(
    input,
    MICA_TEXT(expression,
              "What to calculate, e.g. '2 * (3 + x)^2'. Operators + - * / % ^ "
              "(also × ÷ −), parentheses, numbers such as 12, 0.5 or 1e-3, "
              "functions, constants and the names in variables.",
              .min_length = 1, .max_length = 1000),
    MICA_MAP(variables, number,
             "Values of further names that the expression may use, e.g. "
             "{\"x\": 3}. They come before pi and e.",
             .fallback = MICA_JSON({}), .max_items = 100,
             .keys.pattern = "^[A-Za-z_][A-Za-z0-9_]*$",
             .keys.max_length = 64));

struct output {
    double value;
    struct mica_text reading;
};
MICA_RECORD(output, MICA_NUMBER(value, "The value of the expression."),
            MICA_TEXT(reading, "The expression as it was understood, with "
                               "parentheses around every operation."));

// A function of one argument, or of as many as `two` can fold from the left.
struct function {
    const char *name;
    double (*one)(double x);
    double (*two)(double x, double y);
    size_t least, most;
};

static const struct function functions[] = {
    {"sqrt", sqrt, NULL, 1, 1},   {"cbrt", cbrt, NULL, 1, 1},
    {"abs", fabs, NULL, 1, 1},    {"floor", floor, NULL, 1, 1},
    {"ceil", ceil, NULL, 1, 1},   {"round", round, NULL, 1, 1},
    {"trunc", trunc, NULL, 1, 1}, {"ln", log, NULL, 1, 1},
    {"log2", log2, NULL, 1, 1},   {"log10", log10, NULL, 1, 1},
    {"exp", exp, NULL, 1, 1},     {"sin", sin, NULL, 1, 1},
    {"cos", cos, NULL, 1, 1},     {"tan", tan, NULL, 1, 1},
    {"asin", asin, NULL, 1, 1},   {"acos", acos, NULL, 1, 1},
    {"atan", atan, NULL, 1, 1},   {"atan2", NULL, atan2, 2, 2},
    {"hypot", NULL, hypot, 2, 2}, {"min", NULL, fmin, 1, 1000},
    {"max", NULL, fmax, 1, 1000},
};

static const struct {
    const char *name;
    double value;
} constants[] = {{"pi", 3.14159265358979323846}, {"e", 2.71828182845904523536}};

// Signs that people paste, and what they mean.
static const struct {
    uint32_t pasted, sign;
} signs[] = {{0xD7, '*'}, {0xF7, '/'}, {0x2212, '-'}};

// Binding strength of the binary operators; a prefix minus stands between '*'
// and '^', so that -2^2 is -(2^2). '^' groups from the right.
enum {
    LOOSEST = 1,
    PREFIX = 3
};
static const struct infix {
    uint32_t sign;
    int level, right_level;
} infixes[] = {{'+', 1, 2}, {'-', 1, 2}, {'*', 2, 3},
               {'/', 2, 3}, {'%', 2, 3}, {'^', 4, 4}};

struct parser {
    struct mica_call *call;
    const struct input *in;
    struct mica_text rest;
    size_t depth;
    const char *code; // of the first failure, or NULL
    struct mica_text message;
};

struct term {
    double value;
    struct mica_text text;
};

static struct term binary(struct parser *parser, int level);

// Counted from 1, in characters.
static size_t
position(const struct parser *parser, struct mica_text rest)
{
    struct mica_text whole = parser->in->expression;

    return mica_text_length(mica_text_slice(whole, 0, whole.len - rest.len)) +
           1;
}

static struct term
refuse(struct parser *parser, const char *code, struct mica_text message)
{
    if (parser->code == NULL) {
        parser->code = code;
        parser->message = message;
    }
    parser->rest.len = 0;
    return (struct term){0, {NULL, 0}};
}

// The next sign or character, white space skipped; 0 at the end.
static uint32_t
peek(struct parser *parser)
{
    struct mica_text rest;
    uint32_t next;

    while (parser->rest.len > 0 &&
           (*parser->rest.ptr == ' ' ||
            (*parser->rest.ptr >= '\t' && *parser->rest.ptr <= '\r'))) {
        parser->rest = mica_text_slice(parser->rest, 1, parser->rest.len);
    }
    rest = parser->rest;
    next = rest.len > 0 ? mica_text_next(&rest) : 0;
    for (size_t i = 0; i < MICA_COUNT(signs); i++) {
        next = next == signs[i].pasted ? signs[i].sign : next;
    }
    return next;
}

static struct term
unexpected(struct parser *parser, const char *expected)
{
    struct mica_text rest, after, found = MICA_LITERAL("the end");

    (void)peek(parser);
    rest = after = parser->rest;
    if (mica_text_next(&after) != UINT32_MAX) {
        found = mica_format(
            parser->call, "'%.*s'",
            MICA_ARG(mica_text_slice(rest, 0, rest.len - after.len)));
    }
    return refuse(parser, "SYNTAX_ERROR",
                  mica_format(parser->call,
                              "Expected %s at character %zu, but found %.*s.",
                              expected, position(parser, rest),
                              MICA_ARG(found)));
}

static bool
taken(struct parser *parser, uint32_t sign)
{
    if (peek(parser) != sign) {
        return false;
    }
    (void)mica_text_next(&parser->rest);
    return true;
}

// Every value passes here: no step continues with an infinity or a NaN.
static struct term
checked(struct parser *parser, double value, struct mica_text text)
{
    if (!isfinite(value)) {
        return refuse(parser, isnan(value) ? "NOT_A_REAL_NUMBER" : "TOO_LARGE",
                      mica_format(parser->call, "%.*s %s. Change that part.",
                                  MICA_ARG(mica_text_slice(text, 0, 200)),
                                  isnan(value) ? "has no real value"
                                               : "is beyond the largest "
                                                 "number (about 1.8e308)"));
    }
    return (struct term){value, text};
}

static size_t
past_digits(struct mica_text text, size_t at)
{
    while (at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9') {
        at++;
    }
    return at;
}

APART static struct term
number(struct parser *parser)
{
    struct mica_text rest = parser->rest, text;
    size_t end = past_digits(rest, 0), exponent;
    double value = 0;

    end = mica_text_starts(mica_text_slice(rest, end, rest.len), ".")
              ? past_digits(rest, end + 1)
              : end;
    exponent = end + 1;
    exponent += exponent < rest.len &&
                (rest.ptr[exponent] == '+' || rest.ptr[exponent] == '-');
    // An 'e' without digits behind it is a name, not an exponent.
    end = end < rest.len && (rest.ptr[end] | 32) == 'e' &&
                  past_digits(rest, exponent) > exponent
              ? past_digits(rest, exponent)
              : end;
    text = mica_text_slice(rest, 0, end);
    if (!mica_number_read(text, &value)) {
        return refuse(parser, "SYNTAX_ERROR",
                      mica_format(parser->call,
                                  "'%.*s' at character %zu is no number. Write "
                                  "numbers as 12, 0.5 or 1e-3.",
                                  MICA_ARG(text), position(parser, rest)));
    }
    parser->rest = mica_text_slice(rest, end, rest.len);
    return checked(parser, value,
                   isfinite(value) ? mica_text(mica_number(parser->call, value))
                                   : text);
}

static struct mica_text
name(struct parser *parser)
{
    struct mica_text rest = parser->rest;
    size_t end = 0;

    while (end < rest.len &&
           (rest.ptr[end] == '_' || past_digits(rest, end) > end ||
            ((rest.ptr[end] | 32) >= 'a' && (rest.ptr[end] | 32) <= 'z'))) {
        end++;
    }
    parser->rest = mica_text_slice(rest, end, rest.len);
    return mica_text_slice(rest, 0, end);
}

// Refuses `wrong`, which starts at `rest`, with a known name that is near.
static struct term
unknown(struct parser *parser, struct mica_text wrong, struct mica_text rest,
        const char *kind)
{
    enum {
        NEAR = 2
    };
    const char *nearest = NULL;
    size_t best = (wrong.len < 2 * NEAR ? wrong.len / 2 : NEAR) + 1;

    for (size_t i = 0; i < MICA_COUNT(functions); i++) {
        size_t distance =
            mica_text_distance(wrong, mica_text(functions[i].name), NEAR);

        nearest = distance < best ? functions[i].name : nearest;
        best = distance < best ? distance : best;
    }
    return refuse(
        parser, "UNKNOWN_NAME",
        mica_format(parser->call,
                    "There is no %s '%.*s' (character %zu).%s%s%s Values of "
                    "your own names go into variables.",
                    kind, MICA_ARG(wrong), position(parser, rest),
                    nearest ? " Did you mean '" : "", nearest ? nearest : "",
                    nearest ? "'?" : ""));
}

APART static struct term
invocation(struct parser *parser, struct mica_text called,
           struct mica_text rest)
{
    const struct function *function = NULL;
    struct mica_text arguments = {NULL, 0};
    double value = 0;
    size_t count = 0;

    for (size_t i = 0; i < MICA_COUNT(functions); i++) {
        function =
            mica_text_is(called, functions[i].name) ? &functions[i] : function;
    }
    if (function == NULL) {
        return unknown(parser, called, rest, "function");
    }
    do {
        struct term next = binary(parser, LOOSEST);

        value = count > 0 && function->two ? function->two(value, next.value)
                                           : next.value;
        arguments = mica_format(parser->call, "%.*s%s%.*s", MICA_ARG(arguments),
                                count > 0 ? ", " : "", MICA_ARG(next.text));
        count++;
    } while (taken(parser, ','));
    if (!taken(parser, ')')) {
        return unexpected(parser, "',' or ')'");
    }
    if (count < function->least || count > function->most) {
        return refuse(
            parser, "WRONG_ARGUMENT_COUNT",
            mica_format(parser->call,
                        "%s at character %zu takes %zu argument%s; got %zu.",
                        function->name, position(parser, rest), function->least,
                        function->least == 1 ? "" : "s", count));
    }
    return checked(parser, function->one ? function->one(value) : value,
                   mica_format(parser->call, "%s(%.*s)", function->name,
                               MICA_ARG(arguments)));
}

// A variable, a constant, or a function with its arguments.
APART static struct term
named(struct parser *parser)
{
    const struct input *in = parser->in;
    struct mica_text rest = parser->rest, wanted = name(parser);
    const double *value = NULL;

    if (taken(parser, '(')) {
        return invocation(parser, wanted, rest);
    }
    for (size_t i = 0; i < MICA_COUNT(constants); i++) {
        value = mica_text_is(wanted, constants[i].name) ? &constants[i].value
                                                        : value;
    }
    for (size_t i = 0; i < in->variables.count; i++) {
        value = mica_text_equal(wanted, in->variables.keys[i])
                    ? &in->variables.items[i]
                    : value;
    }
    if (value == NULL) {
        return unknown(parser, wanted, rest, "variable or constant");
    }
    return (struct term){*value, wanted};
}

static struct term
operand(struct parser *parser)
{
    uint32_t next = peek(parser), letter = next | 32;
    struct term inner;

    if (taken(parser, '-')) {
        inner = binary(parser, PREFIX);
        return (struct term){-inner.value, mica_format(parser->call, "-%.*s",
                                                       MICA_ARG(inner.text))};
    }
    if (taken(parser, '(')) {
        inner = binary(parser, LOOSEST);
        return taken(parser, ')') ? inner
                                  : unexpected(parser, "an operator or ')'");
    }
    if ((next >= '0' && next <= '9') || next == '.') {
        return number(parser);
    }
    if ((letter >= 'a' && letter <= 'z') || next == '_') {
        return named(parser);
    }
    return unexpected(parser, "a number, a name, '-' or '('");
}

APART static struct term
applied(struct parser *parser, uint32_t sign, struct term a, struct term b)
{
    struct mica_text text =
        mica_format(parser->call, "(%.*s %c %.*s)", MICA_ARG(a.text), (int)sign,
                    MICA_ARG(b.text));

    if ((sign == '/' || sign == '%') && b.value == 0) {
        return refuse(parser, "DIVISION_BY_ZERO",
                      mica_format(parser->call,
                                  "%.*s divides by zero. Change the part "
                                  "behind '%c'.",
                                  MICA_ARG(mica_text_slice(text, 0, 200)),
                                  (int)sign));
    }
    switch (sign) {
    case '+':
        return checked(parser, a.value + b.value, text);
    case '-':
        return checked(parser, a.value - b.value, text);
    case '*':
        return checked(parser, a.value * b.value, text);
    case '/':
        return checked(parser, a.value / b.value, text);
    case '%':
        return checked(parser, fmod(a.value, b.value), text);
    case '^':
        return checked(parser, pow(a.value, b.value), text);
    }
    MICA_UNREACHABLE;
}

static const struct infix *
next_infix(struct parser *parser)
{
    const struct infix *found = NULL;
    uint32_t sign = peek(parser);

    for (size_t i = 0; i < MICA_COUNT(infixes); i++) {
        found = infixes[i].sign == sign ? &infixes[i] : found;
    }
    return found;
}

// What binds at least as strongly as `level`.
static struct term
binary(struct parser *parser, int level)
{
    const struct infix *next;
    struct term left;

    if (parser->depth == MAX_DEPTH) {
        return refuse(parser, "TOO_DEEP",
                      mica_format(parser->call,
                                  "The expression nests deeper than %d levels "
                                  "at character %zu. Split it up and pass "
                                  "parts of it as variables.",
                                  MAX_DEPTH, position(parser, parser->rest)));
    }
    parser->depth++;
    left = operand(parser);
    while ((next = next_infix(parser)) != NULL && next->level >= level) {
        struct term right;

        (void)taken(parser, next->sign);
        right = binary(parser, next->right_level);
        left = applied(parser, next->sign, left, right);
    }
    parser->depth--;
    return left;
}

static enum mica_status
calculate(struct mica_call *call, const struct input *in, struct output *out)
{
    struct parser parser = {.call = call, .in = in, .rest = in->expression};
    struct term all = binary(&parser, LOOSEST);

    if (peek(&parser) != 0) {
        all = unexpected(&parser, "an operator (+ - * / % ^) or the end");
    }
    if (parser.code != NULL) {
        return mica_fail(call, parser.code, "expression", "%.*s",
                         MICA_ARG(parser.message));
    }
    out->value = all.value;
    // Only an operation has parentheses around it; the outermost say nothing.
    out->reading = mica_text_starts(all.text, "(")
                       ? mica_text_slice(all.text, 1, all.text.len - 1)
                       : all.text;
    return MICA_OK;
}

MICA_ENGINE(
    calculate, input, output, calculate, .title = "Calculator",
    .category = "math",
    .description =
        "Evaluate an arithmetic expression such as 'sqrt(2) * (1 + x)^3' in "
        "64-bit floating point. Functions: sqrt, cbrt, abs, floor, ceil, round "
        "(halves away from zero), trunc, ln, log2, log10, exp, sin, cos, tan, "
        "asin, acos, atan, atan2(y, x), hypot(x, y), min and max of any count; "
        "angles in radians. Constants: pi, e. % is the remainder, with the "
        "sign of its left side; ^ groups from the right and binds before a "
        "leading minus, so -2^2 is -4.",
    .examples = MICA_EXAMPLES(
        {"Precedence", MICA_JSON({"expression": "2 + 3 * 4"}),
         MICA_JSON({"value": 14, "reading": "2 + (3 * 4)"})},
        {"Every operator",
         MICA_JSON({"expression": "(7 - 1) / 4 % 1 + 2 ^ 3 * 2"}), MICA_JSON({
             "value": 16.5,
             "reading": "(((7 - 1) / 4) % 1) + ((2 ^ 3) * 2)"
         })},
        {"A leading minus", MICA_JSON({"expression": "-2^2"}),
         MICA_JSON({"value": -4, "reading": "-(2 ^ 2)"})},
        {"Functions and constants",
         MICA_JSON({"expression": "max(1, sqrt(16), round(pi)) + 1.5e1"}),
         MICA_JSON({"value": 19})},
        {"Variables", MICA_JSON({
             "expression": "net × (1 + vat)",
             "variables": {"net": 250, "vat": 0.2}
         }),
         MICA_JSON({"value": 300, "reading": "net * (1 + vat)"})},
        {"Something is missing", MICA_JSON({"expression": "(2 + * 3)"}),
         .error = "SYNTAX_ERROR"},
        {"Something is too much", MICA_JSON({"expression": "2 3"}),
         .error = "SYNTAX_ERROR"},
        {"An open function", MICA_JSON({"expression": "min(1, 2"}),
         .error = "SYNTAX_ERROR"},
        {"Half a number", MICA_JSON({"expression": ".5"}),
         .error = "SYNTAX_ERROR"},
        {"An unknown name", MICA_JSON({"expression": "2 * x"}),
         .error = "UNKNOWN_NAME"},
        {"An unknown function", MICA_JSON({"expression": "sqroot(2)"}),
         .error = "UNKNOWN_NAME"},
        {"One argument too many", MICA_JSON({"expression": "sin(1, 2)"}),
         .error = "WRONG_ARGUMENT_COUNT"},
        {"Division by zero", MICA_JSON({"expression": "1 / (2 - 2)"}),
         .error = "DIVISION_BY_ZERO"},
        {"Root of a negative number", MICA_JSON({"expression": "sqrt(-1)"}),
         .error = "NOT_A_REAL_NUMBER"},
        {"Too large", MICA_JSON({"expression": "10^400"}),
         .error = "TOO_LARGE"},
        {"Too deep",
         MICA_JSON({"expression": "--------------------------------1"}),
         .error = "TOO_DEEP"}));

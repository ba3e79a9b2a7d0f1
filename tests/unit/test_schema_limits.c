// SPDX-License-Identifier: Apache-2.0
//
// Hostile schemas and values end soon, with a code; numbers of any size are
// exact; one program serves many threads.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mica/schema.h>

#include "schema/number.h"
#include "schema/pattern.h"
#include "unit.h"

static struct mica_arena arena, scratch;
static struct mica_error error;

static void
begin(void)
{
    mica_arena_init(&arena, (size_t)1 << 30);
    mica_arena_init(&scratch, 64 << 20);
}

static void
end(void)
{
    mica_arena_fini(&arena);
    mica_arena_fini(&scratch);
}

static struct mica_schema *
compile(struct mica_text text)
{
    struct mica_schema *schema;
    enum mica_status status =
        mica_schema_compile(&arena, text, NULL, &error, &schema);
    ck_assert_msg(status == MICA_OK, "%s at %s", error.message, error.path);
    return schema;
}

static struct mica_json *
read_value(struct mica_text text)
{
    const struct mica_json_limits limits = {.depth = 512, .bytes = 64 << 20};
    struct mica_json *value = mica_arena_alloc(&arena, sizeof *value);
    ck_assert_int_eq(mica_json_read(&arena, text, &limits, &error, value),
                     MICA_OK);
    return value;
}

static enum mica_status
validate(const struct mica_schema *schema, const struct mica_json *value)
{
    struct mica_schema_report report;
    return mica_schema_validate(schema, value, NULL, &scratch, &report);
}

static bool
fits(const char *schemaz, const char *valuez)
{
    begin();
    enum mica_status status =
        validate(compile(mica_text(schemaz)), read_value(mica_text(valuez)));
    ck_assert_int_ne(status, MICA_E_LIMIT);
    end();
    return status == MICA_OK;
}

// `before`, then `unit` with "%" replaced by numbers from 0, then `after`.
static struct mica_text
repeat(const char *beforez, const char *unitz, size_t count, const char *afterz)
{
    struct mica_buffer out;
    mica_buffer_init(&out, &arena, 256 << 20);
    mica_buffer_text(&out, mica_text(beforez));
    for (size_t i = 0; i < count; i++) {
        for (const char *at = unitz; *at != '\0'; at++) {
            if (*at == '%')
                mica_buffer_format(&out, "%zu", i);
            else if (*at == '+')
                mica_buffer_format(&out, "%zu", i + 1);
            else
                mica_buffer_char(&out, *at);
        }
    }
    mica_buffer_text(&out, mica_text(afterz));
    ck_assert(!out.overflow);
    return mica_buffer_as_text(&out);
}

static struct mica_text
join(struct mica_text first, struct mica_text second)
{
    struct mica_buffer out;
    mica_buffer_init(&out, &arena, 256 << 20);
    mica_buffer_text(&out, first);
    mica_buffer_text(&out, second);
    ck_assert(!out.overflow);
    return mica_buffer_as_text(&out);
}

static double
cpu_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// ---- Hostile schemas -------------------------------------------------------

START_TEST(a_million_subschemas_are_refused_or_compiled_as_the_limit_says)
{
    const struct mica_schema_options options = {.subschemas = 2000000};
    struct mica_schema *schema;
    begin();
    struct mica_text text =
        repeat("{\"anyOf\":[false", ",false", 1000000, ",{\"const\":1}]}");
    ck_assert_int_eq(mica_schema_compile(&arena, text, NULL, &error, &schema),
                     MICA_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "100000 subschemas"));
    ck_assert_int_eq(
        mica_schema_compile(&arena, text, &options, &error, &schema), MICA_OK);
    ck_assert_int_eq(validate(schema, read_value(MICA_LITERAL("1"))), MICA_OK);
    end();
}
END_TEST

START_TEST(a_full_arena_is_an_error_of_its_own)
{
    struct mica_schema *schema;
    begin();
    struct mica_text text =
        repeat("{\"anyOf\":[true", ",{\"const\":%}", 1000, "]}");
    for (size_t cap = 0; cap < 300000; cap = cap * 5 / 4 + 1000) {
        struct mica_arena small;
        mica_arena_init(&small, cap);
        ck_assert_int_eq(
            mica_schema_compile(&small, text, NULL, &error, &schema),
            MICA_E_LIMIT);
        mica_arena_fini(&small);
    }
    end();
}
END_TEST

START_TEST(long_chains_of_references_need_no_stack)
{
    begin();
    const struct mica_schema *schema =
        compile(repeat("{\"$ref\":\"#/$defs/0\",\"$defs\":{\"end\":{}",
                       ",\"%\":{\"$ref\":\"#/$defs/+\"}", 40000,
                       ",\"40000\":{\"type\":\"null\"}}}"));
    ck_assert_int_eq(validate(schema, read_value(MICA_LITERAL("null"))),
                     MICA_OK);
    // With a sibling each is a step of its own, and there are too many.
    schema = compile(repeat("{\"$ref\":\"#/$defs/0\",\"$defs\":{\"end\":{}",
                            ",\"%\":{\"type\":\"null\",\"$ref\":\"#/$defs/+\"}",
                            40000, ",\"40000\":{\"type\":\"null\"}}}"));
    ck_assert_int_eq(validate(schema, read_value(MICA_LITERAL("null"))),
                     MICA_E_LIMIT);
    end();
}
END_TEST

// What refers; then that to which it refers, of which the last is named by its
// number.
struct shape {
    const char *beforez, *unitz, *defsz, *defz, *lastz, *afterz;
};

// The processor time of compiling a schema with `count` references.
static double
compile_references(const struct shape *shape, size_t count)
{
    char last[32];
    begin();
    (void)snprintf(last, sizeof last, "%zu", count);
    struct mica_text text =
        join(repeat(shape->beforez, shape->unitz, count, shape->defsz),
             join(repeat("", shape->defz, count, shape->lastz),
                  join(mica_text(shape->lastz[0] != '\0' ? last : ""),
                       mica_text(shape->afterz))));
    double before = cpu_seconds();
    const struct mica_schema *schema = compile(text);
    double took = cpu_seconds() - before;
    ck_assert_int_eq(validate(schema, read_value(MICA_LITERAL("null"))),
                     MICA_OK);
    ck_assert_int_eq(validate(schema, read_value(MICA_LITERAL("1"))),
                     MICA_E_TYPE);
    end();
    return took;
}

// The least of three runs, which other processes disturb least.
static double
least_time(const struct shape *shape, size_t count)
{
    double least = compile_references(shape, count);
    for (int i = 0; i < 2; i++) {
        double took = compile_references(shape, count);
        least = took < least ? took : least;
    }
    return least;
}

START_TEST(references_take_time_by_their_number_not_by_its_square)
{
    static const struct shape shapes[] = {
        // A chain, found by JSON Pointers into a large object.
        {"{\"allOf\":[true", ",{\"$ref\":\"#/$defs/%\"}",
         "],\"$defs\":{\"x\":{}", ",\"%\":{\"$ref\":\"#/$defs/+\"}", ",\"",
         "\":{\"type\":\"null\"}}}"},
        // One that is entered at each of its links.
        {"{\"allOf\":[true", ",{\"$ref\":\"#a%\"}", "],\"$defs\":{\"x\":{}",
         ",\"%\":{\"$anchor\":\"a%\",\"$ref\":\"#a+\"}",
         ",\"z\":{\"$anchor\":\"a", "\",\"type\":\"null\"}}}"},
        // The same where a resource is entered by its dynamic anchor.
        {"{\"$dynamicAnchor\":\"d\",\"allOf\":[true", ",{\"$ref\":\"#a%\"}",
         "],\"$defs\":{\"x\":{}",
         ",\"%\":{\"$anchor\":\"a%\",\"$ref\":\"#a+\"}",
         ",\"z\":{\"$anchor\":\"a", "\",\"type\":\"null\"}}}"},
        // Many that lead to one with many members.
        {"{\"allOf\":[true", ",{\"$ref\":\"#w\"}",
         "],\"$defs\":{\"w\":{\"$anchor\":\"w\",\"$ref\":\"#/$defs/z\"",
         ",\"x%\":1", "", "},\"z\":{\"type\":\"null\"}}}"},
        {"{\"allOf\":[true", ",{\"$ref\":\"#w\"}",
         "],\"$defs\":{\"w\":{\"$anchor\":\"w\",\"type\":\"null\"", ",\"x%\":1",
         "", "}}}"},
        // Below a long URI.
        {"{\"allOf\":[true", ",{\"$ref\":\"#/$defs/z\"}",
         "],\"$defs\":{\"z\":{\"type\":\"null\"}},"
         "\"$id\":\"https://example.org/",
         "0123456789", "", "\"}"},
    };
    for (size_t i = 0; i < MICA_COUNT(shapes); i++) {
        double few = least_time(&shapes[i], 3000);
        double many = least_time(&shapes[i], 30000);
        // Ten times as many take about ten times as long; a square, a hundred.
        ck_assert_msg(many < 40 * few, "shape %zu: %.4f s, then %.4f s", i, few,
                      many);
    }
}
END_TEST

START_TEST(a_shortened_chain_still_enters_the_resources_on_its_way)
{
    // The chain first, x, second, y, use alternates between the resource "a", "p"
    // and "b". It is entered from "a" first. A path from elsewhere enters "a"
    // on the way, so that its anchor "t" counts, not that of "b" behind it.
    static const char schemaz[] =
        "{\"$id\":\"https://example.org/\",\"prefixItems\":[{\"$ref\":\"a\"},"
        "{\"items\":{\"$ref\":\"p#/$defs/x\"}}],\"$defs\":{"
        "\"a\":{\"$id\":\"a\",\"$dynamicAnchor\":\"t\",\"type\":[\"string\","
        "\"array\"],\"items\":{\"$ref\":\"#/$defs/first\"},\"$defs\":{"
        "\"first\":{\"$ref\":\"p#/$defs/x\"},"
        "\"second\":{\"$ref\":\"p#/$defs/y\"}}},"
        "\"p\":{\"$id\":\"p\",\"$defs\":{"
        "\"x\":{\"$ref\":\"a#/$defs/second\"},"
        "\"y\":{\"$ref\":\"b#/$defs/use\"}}},"
        "\"b\":{\"$id\":\"b\",\"$dynamicAnchor\":\"t\",\"type\":\"number\","
        "\"$defs\":{\"use\":{\"items\":{\"$dynamicRef\":\"#t\"}}}}}}";
    static const struct {
        const char *valuez;
        bool fits;
    } cases[] = {{"[\"s\",[[\"s\"]]]", true},
                 {"[\"s\",[[1]]]", false},
                 {"[[[\"s\"]]]", true},
                 {"[[[1]]]", false}};
    for (size_t i = 0; i < MICA_COUNT(cases); i++)
        ck_assert_msg(fits(schemaz, cases[i].valuez) == cases[i].fits, "%s",
                      cases[i].valuez);
}
END_TEST

START_TEST(members_of_large_objects_are_found_by_escaped_pointers)
{
    static const struct {
        const char *referencez;
        enum mica_status status;
    } cases[] = {{"#/$defs/a~1b", MICA_OK},
                 {"#/$defs/c~0d", MICA_OK},
                 {"#/$defs/~01", MICA_OK},
                 {"#/$defs/e%20f", MICA_OK},
                 {"#/$defs/", MICA_OK},
                 {"#/$defs/a/b", MICA_E_NOT_FOUND},
                 {"#/$defs/c~d", MICA_E_NOT_FOUND},
                 {"#/$defs/c~", MICA_E_NOT_FOUND},
                 {"#/$defs/missing", MICA_E_NOT_FOUND}};
    for (size_t i = 0; i < MICA_COUNT(cases); i++) {
        struct mica_schema *schema;
        begin();
        struct mica_text defs =
            repeat("{\"$defs\":{\"a/b\":{\"type\":\"null\"},\"c~d\":{\"type\":"
                   "\"null\"},\"~1\":{\"type\":\"null\"},\"e f\":{\"type\":"
                   "\"null\"},\"\":{\"type\":\"null\"}",
                   ",\"%\":{}", 100, "},\"$ref\":\"");
        struct mica_text reference =
            join(mica_text(cases[i].referencez), MICA_LITERAL("\"}"));
        enum mica_status status = mica_schema_compile(
            &arena, join(defs, reference), NULL, &error, &schema);
        ck_assert_msg(status == cases[i].status, "%s: %s", cases[i].referencez,
                      error.message);
        if (status == MICA_OK)
            ck_assert_int_eq(validate(schema, read_value(MICA_LITERAL("1"))),
                             MICA_E_TYPE);
        end();
    }
}
END_TEST

START_TEST(what_compiling_takes_beside_the_program_is_bounded)
{
    struct mica_schema *schema;
    begin();
    // Each anchor is known by its whole URI: here a megabyte, a hundred times.
    struct mica_text text =
        join(repeat("{\"$defs\":{\"x\":{}", ",\"%\":{\"$anchor\":\"a%\"}", 100,
                    "},\"$id\":\"https://example.org/"),
             repeat("", "0123456789", 100000, "\"}"));
    ck_assert_int_eq(mica_schema_compile(&arena, text, NULL, &error, &schema),
                     MICA_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "more memory"));
    // About as many subschemas as there may be, of several kinds, need less.
    (void)compile(
        join(repeat("{\"anyOf\":[false",
                    ",{\"$anchor\":\"a%\",\"type\":\"array\",\"$ref\":"
                    "\"#/$defs/%\"}",
                    33000, "]"),
             repeat(",\"$defs\":{\"x\":{}", ",\"%\":{\"items\":{\"const\":%}}",
                    33000, "}}")));
    end();
}
END_TEST

START_TEST(exponential_nests_meet_the_limit_of_work)
{
    static const char *const nests[] = {
        ",\"%\":{\"allOf\":[{\"$ref\":\"#/$defs/+\"},{\"$ref\":\"#/$defs/+\"}]"
        "}",
        ",\"%\":{\"oneOf\":[{\"$ref\":\"#/$defs/+\"},{\"$ref\":\"#/$defs/+\"},"
        "{\"type\":\"null\"}]}",
        ",\"%\":{\"unevaluatedProperties\":false,\"anyOf\":[{\"$ref\":"
        "\"#/$defs/+\"},{\"$ref\":\"#/$defs/+\"}]}",
    };
    for (size_t i = 0; i < MICA_COUNT(nests); i++) {
        begin();
        const struct mica_schema *schema =
            compile(repeat("{\"$ref\":\"#/$defs/0\",\"$defs\":{\"end\":{}",
                           nests[i], 100, ",\"100\":{\"minProperties\":0}}}"));
        ck_assert_int_eq(
            validate(schema, read_value(MICA_LITERAL("{\"a\":1}"))),
            MICA_E_LIMIT);
        end();
    }
}
END_TEST

START_TEST(a_circle_of_dynamic_references_meets_the_limit_of_depth)
{
    begin();
    const struct mica_schema *schema = compile(MICA_LITERAL(
        "{\"$id\":\"https://example.org/root\",\"$dynamicAnchor\":\"node\","
        "\"$ref\":\"other\",\"$defs\":{\"o\":{\"$id\":\"other\","
        "\"$dynamicAnchor\":\"node\",\"allOf\":[{\"$dynamicRef\":"
        "\"#node\"}]}}}"));
    ck_assert_int_eq(validate(schema, read_value(MICA_LITERAL("1"))),
                     MICA_E_LIMIT);
    end();
}
END_TEST

START_TEST(many_dynamic_anchors_are_refused_and_many_resources_are_not)
{
    struct mica_schema *schema;
    begin();
    struct mica_text text =
        repeat("{\"$dynamicRef\":\"#a0\",\"$defs\":{\"x\":{}",
               ",\"%\":{\"$dynamicAnchor\":\"a%\"}", 100, "}}");
    ck_assert_int_eq(mica_schema_compile(&arena, text, NULL, &error, &schema),
                     MICA_E_LIMIT);
    schema = compile(
        repeat("{\"$ref\":\"s0\",\"$defs\":{\"x\":{}",
               ",\"%\":{\"$id\":\"s%\",\"$dynamicAnchor\":\"a\",\"items\":{"
               "\"$ref\":\"s+\"}}",
               10000, ",\"z\":{\"$id\":\"s10000\",\"type\":\"null\"}}}"));
    ck_assert_int_eq(validate(schema, read_value(MICA_LITERAL("[[[[1]]]]"))),
                     MICA_OK);
    end();
}
END_TEST

START_TEST(deep_schemas_and_values_are_bounded)
{
    struct mica_schema *schema;
    begin();
    struct mica_text deep = repeat("", "{\"not\":", 511, "");
    struct mica_buffer text;
    mica_buffer_init(&text, &arena, 1 << 20);
    mica_buffer_text(&text, deep);
    mica_buffer_format(&text, "true");
    for (size_t i = 0; i < 511; i++)
        mica_buffer_char(&text, '}');
    schema = compile(mica_buffer_as_text(&text));
    ck_assert_int_eq(validate(schema, read_value(MICA_LITERAL("1"))),
                     MICA_E_CHOICE);
    // A recursive schema goes as deep as values do.
    schema = compile(
        MICA_LITERAL("{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}"));
    struct mica_buffer value;
    mica_buffer_init(&value, &arena, 4096);
    for (size_t i = 0; i < 500; i++)
        mica_buffer_char(&value, '[');
    for (size_t i = 0; i < 500; i++)
        mica_buffer_char(&value, ']');
    struct mica_json *read = read_value(mica_buffer_as_text(&value));
    ck_assert_int_eq(validate(schema, read), MICA_OK);
    const struct mica_schema_limits limits = {.depth = 499};
    struct mica_schema_report report;
    ck_assert_int_eq(
        mica_schema_validate(schema, read, &limits, &scratch, &report),
        MICA_E_LIMIT);
    ck_assert_uint_eq(report.count, 1);
    ck_assert_int_eq(report.errors[0].status, MICA_E_LIMIT);
    end();
}
END_TEST

// ---- Hostile values --------------------------------------------------------

START_TEST(unique_items_of_a_large_array_take_linear_time)
{
    begin();
    const struct mica_schema *schema =
        compile(MICA_LITERAL("{\"uniqueItems\":true}"));
    struct mica_json *value =
        read_value(repeat("[null", ",%,\"%\",[%]", 200000, "]"));
    ck_assert_int_eq(validate(schema, value), MICA_OK);
    value = read_value(repeat("[null", ",%,\"%\",[%]", 20000, ",[19999.0]]"));
    ck_assert_int_eq(validate(schema, value), MICA_E_CHOICE);
    end();
}
END_TEST

START_TEST(a_pattern_that_explodes_elsewhere_is_linear_here)
{
    begin();
    const struct mica_schema *schema =
        compile(MICA_LITERAL("{\"pattern\":\"^(a+)+$\"}"));
    struct mica_json *value =
        read_value(repeat("\"", "aaaaaaaaaa", 100000, "b\""));
    ck_assert_int_eq(validate(schema, value), MICA_E_FORMAT);
    // One that needs the slower way, on more text than there is work for.
    schema =
        compile(MICA_LITERAL("{\"pattern\":\"\\\\b(a|b?){200}\\\\b c$\"}"));
    ck_assert_int_eq(validate(schema, value), MICA_E_LIMIT);
    value = read_value(MICA_LITERAL("\"aaa c\""));
    ck_assert_int_eq(validate(schema, value), MICA_OK);
    end();
}
END_TEST

START_TEST(a_small_scratch_arena_is_an_error_of_its_own)
{
    struct mica_arena small;
    struct mica_schema_report report;
    begin();
    const struct mica_schema *schema =
        compile(MICA_LITERAL("{\"uniqueItems\":true,\"maxItems\":1}"));
    struct mica_json *value = read_value(repeat("[null", ",%", 1000, "]"));
    mica_arena_init(&small, 0);
    ck_assert_int_eq(mica_schema_validate(schema, value, NULL, &small, &report),
                     MICA_E_LIMIT);
    mica_arena_fini(&small);
    end();
}
END_TEST

START_TEST(a_valid_value_takes_no_memory)
{
    begin();
    const struct mica_schema *schema = compile(MICA_LITERAL(
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},"
        "\"b\":{\"pattern\":\"^x+$\"},\"c\":{\"items\":{\"enum\":[1,2]},"
        "\"uniqueItems\":true}},\"unevaluatedProperties\":false,\"allOf\":[{"
        "\"properties\":{\"d\":true}}],\"required\":[\"a\"]}"));
    struct mica_json *value = read_value(
        MICA_LITERAL("{\"a\":1,\"b\":\"xx\",\"c\":[1,2],\"d\":null}"));
    ck_assert_int_eq(validate(schema, value), MICA_OK);
    ck_assert_uint_eq(scratch.used, 0);
    end();
}
END_TEST

START_TEST(unevaluated_is_tracked_beyond_one_word)
{
    begin();
    const struct mica_schema *schema = compile(MICA_LITERAL(
        "{\"anyOf\":[{\"prefixItems\":[true]},{\"contains\":{\"type\":"
        "\"number\"}}],\"unevaluatedItems\":{\"type\":\"array\","
        "\"unevaluatedItems\":false,\"allOf\":[{\"contains\":{\"const\":1}}]}"
        "}"));
    struct mica_json *value = read_value(repeat("[null", ",%,[1,1]", 500, "]"));
    ck_assert_int_eq(validate(schema, value), MICA_OK);
    value = read_value(repeat("[null", ",%,[1,1]", 500, ",[1,2]]"));
    ck_assert_int_eq(validate(schema, value), MICA_E_RANGE);
    value = read_value(repeat("[null", ",%,[1,1]", 500, ",\"x\"]"));
    ck_assert_int_eq(validate(schema, value), MICA_E_TYPE);
    end();
}
END_TEST

// ---- Numbers ---------------------------------------------------------------

START_TEST(numbers_are_exact_at_any_size)
{
    static const struct {
        const char *schemaz, *valuez;
        bool fits;
    } cases[] = {
        {"{\"multipleOf\":0.01}", "19.99", true},
        {"{\"multipleOf\":0.1}", "0.3", true},
        {"{\"multipleOf\":0.1}", "0.35", false},
        {"{\"multipleOf\":3}", "1e400", false},
        {"{\"multipleOf\":5}", "1e400", true},
        {"{\"multipleOf\":7e-3}", "-4.9e1", true},
        {"{\"multipleOf\":1e-400}", "1e400", true},
        {"{\"multipleOf\":1e400}", "5", false},
        {"{\"multipleOf\":999999999999999999}", "9999999999999999990", true},
        {"{\"multipleOf\":999999999999999999}", "9999999999999999991", false},
        {"{\"multipleOf\":2}", "0.0", true},
        {"{\"maximum\":1e400}", "9e399", true},
        {"{\"maximum\":1e400}", "1.1e400", false},
        {"{\"minimum\":9007199254740993}", "9007199254740992", false},
        {"{\"minimum\":9007199254740993}", "9007199254740993.0", true},
        {"{\"exclusiveMinimum\":0.1}", "0.1", false},
        {"{\"exclusiveMinimum\":0.1}", "0.10000000000000000000001", true},
        {"{\"exclusiveMinimum\":-0.5,\"exclusiveMaximum\":0.5}", "0", true},
        {"{\"exclusiveMinimum\":-0.5}", "-1", false},
        {"{\"minimum\":-0.5}", "-1", false},
        {"{\"minimum\":-1.5,\"maximum\":-0.5}", "-1", true},
        {"{\"minimum\":-1.5,\"maximum\":-0.5}", "-2", false},
        {"{\"minimum\":-1.5,\"maximum\":-0.5}", "0", false},
        {"{\"exclusiveMaximum\":5}", "5", false},
        {"{\"exclusiveMaximum\":5.5}", "5", true},
        {"{\"exclusiveMaximum\":5.5}", "6", false},
        {"{\"minimum\":1e30}", "1", false},
        {"{\"minimum\":-1e30}", "1", true},
        {"{\"const\":1}", "1.00", true},
        {"{\"const\":1e2}", "100", true},
        {"{\"enum\":[0]}", "-0.0", true},
        {"{\"type\":\"integer\"}", "1.50e1", true},
        {"{\"type\":\"integer\"}", "1.5", false},
        {"{\"type\":\"integer\"}", "1e400", true},
        {"{\"type\":\"integer\"}", "-0.0", true},
    };
    for (size_t i = 0; i < MICA_COUNT(cases); i++)
        ck_assert_msg(fits(cases[i].schemaz, cases[i].valuez) == cases[i].fits,
                      "%s %s", cases[i].schemaz, cases[i].valuez);
}
END_TEST

// ---- Patterns --------------------------------------------------------------

START_TEST(tables_of_states_agree_with_the_program_of_a_pattern)
{
    static const char *const patterns[] = {
        "",
        "^",
        "$",
        "^$",
        "a",
        "^a",
        "a$",
        "^(a|b)*c?$",
        "a.c",
        "[^a]",
        "^[\\x00-\\x7F]+$",
        "é+$",
        "^\\p{Lu}",
        "\\P{L}",
        "(^a|b$)",
        "^(?:a$|b)c",
        "x{2,4}y{0}",
        "[\\d\\-]{3}$",
        "^.{2}$",
        "^[a-c]{3}$",
        "^.[^b]$",
        "^\\d-\\d$",
        "^é[a-z]$",
        "(a*)*b",
        "^\\s|\\S$",
    };
    static const char *const texts[] = {
        "",    "a",  "b",   "c",  "ab",           "abc", "aabbc", "é",
        "éé",  "É",  "a\n", "\n", "xxy",          "xx",  "x",     "1-2",
        "12-", " a", "a ",  "𝔘x", "\xE2\x80\xA8", "bc",  "aaab",  "caa",
    };
    for (size_t i = 0; i < MICA_COUNT(patterns); i++) {
        struct mica_schema_pattern pattern;
        uint64_t budget = 1 << 20;
        begin();
        ck_assert_int_eq(mica_schema_pattern(&arena, mica_text(patterns[i]),
                                             &budget, &error, &pattern),
                         MICA_OK);
        ck_assert_msg(pattern.automaton != NULL, "%s", patterns[i]);
        for (size_t k = 0; k < MICA_COUNT(texts); k++)
            ck_assert_msg(
                mica_schema_automaton_match(pattern.automaton,
                                            mica_text(texts[k])) ==
                    mica_regex_match(&pattern.regex, mica_text(texts[k]), NULL),
                "/%s/ on \"%s\"", patterns[i], texts[k]);
        end();
    }
}
END_TEST

START_TEST(a_pattern_with_many_states_goes_without_a_table)
{
    struct mica_schema_pattern pattern;
    uint64_t budget = UINT64_MAX;
    begin();
    ck_assert_int_eq(mica_schema_pattern(&arena,
                                         MICA_LITERAL("(a|b)*a(a|b){20}$"),
                                         &budget, &error, &pattern),
                     MICA_OK);
    ck_assert_ptr_null(pattern.automaton);
    budget = 100;
    ck_assert_int_eq(mica_schema_pattern(&arena, MICA_LITERAL("abc"), &budget,
                                         &error, &pattern),
                     MICA_OK);
    ck_assert_ptr_null(pattern.automaton);
    end();
    ck_assert(fits("{\"pattern\":\"(a|b)*a(a|b){20}$\"}",
                   "\"bbabbbbbbbbbbbbbbbbbbbb\""));
}
END_TEST

// ---- Threads ---------------------------------------------------------------

struct job {
    const struct mica_schema *schema;
    const struct mica_json *good, *bad;
    bool failed;
};

static void *
run_job(void *data)
{
    struct job *job = data;
    struct mica_arena own;
    mica_arena_init(&own, 16 << 20);
    for (size_t i = 0; i < 2000 && !job->failed; i++) {
        struct mica_schema_report report;
        mica_arena_reset(&own);
        job->failed = mica_schema_validate(job->schema, job->good, NULL, &own,
                                           &report) != MICA_OK ||
                      mica_schema_validate(job->schema, job->bad, NULL, &own,
                                           &report) != MICA_E_FORMAT;
    }
    mica_arena_fini(&own);
    return NULL;
}

START_TEST(many_threads_share_one_program)
{
    enum {
        THREADS = 4
    };
    struct job jobs[THREADS];
    pthread_t threads[THREADS];
    begin();
    const struct mica_schema *schema = compile(MICA_LITERAL(
        "{\"items\":{\"pattern\":\"\\\\ba(b|c)*\\\\b\",\"maxLength\":20},"
        "\"uniqueItems\":true,\"$dynamicAnchor\":\"x\"}"));
    struct mica_json *good =
        read_value(repeat("[\"abc\"", ",\"ab %\"", 30, "]"));
    struct mica_json *bad =
        read_value(repeat("[\"abc\"", ",\"ab %\"", 30, ",\"x\"]"));
    for (size_t i = 0; i < THREADS; i++) {
        jobs[i] = (struct job){schema, good, bad, false};
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_job, &jobs[i]),
                         0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert(!jobs[i].failed);
    }
    end();
}
END_TEST

// The last alone has more than one thread, and something in it for the thread
// sanitizer to find.
#ifdef __SANITIZE_THREAD__
enum {
    THREADS_ALONE = true
};
#else
enum {
    THREADS_ALONE = false
};
#endif

int
main(void)
{
    const TTest *const tests[] = {
        a_million_subschemas_are_refused_or_compiled_as_the_limit_says,
        a_full_arena_is_an_error_of_its_own,
        long_chains_of_references_need_no_stack,
        references_take_time_by_their_number_not_by_its_square,
        a_shortened_chain_still_enters_the_resources_on_its_way,
        members_of_large_objects_are_found_by_escaped_pointers,
        what_compiling_takes_beside_the_program_is_bounded,
        exponential_nests_meet_the_limit_of_work,
        a_circle_of_dynamic_references_meets_the_limit_of_depth,
        many_dynamic_anchors_are_refused_and_many_resources_are_not,
        deep_schemas_and_values_are_bounded,
        unique_items_of_a_large_array_take_linear_time,
        a_pattern_that_explodes_elsewhere_is_linear_here,
        a_small_scratch_arena_is_an_error_of_its_own,
        a_valid_value_takes_no_memory,
        unevaluated_is_tracked_beyond_one_word,
        numbers_are_exact_at_any_size,
        tables_of_states_agree_with_the_program_of_a_pattern,
        a_pattern_with_many_states_goes_without_a_table,
        many_threads_share_one_program,
    };
    size_t left_out = THREADS_ALONE ? MICA_COUNT(tests) - 1 : 0;

    return unit_run("schema_limits", tests + left_out,
                    MICA_COUNT(tests) - left_out);
}

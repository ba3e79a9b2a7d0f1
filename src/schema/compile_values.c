// SPDX-License-Identifier: Apache-2.0
//
// What a schema asks of single values: type, enum and const, bounds of numbers,
// length, pattern and format of texts.
#include "schema/compile.h"
#include "schema/number.h"

static enum mica_status
schema_compiler_wrong(struct mica_schema_compiler *compiler,
                      const struct mica_schema_keys *keys,
                      enum mica_schema_keyword keyword, const char *mustz)
{
    return mica_schema_refuse(
        compiler, keys->spot->resource, keys->values[keyword], MICA_E_USAGE,
        "%s must be %s", mica_schema_keyword_name(keyword), mustz);
}

enum mica_status
mica_schema_compile_count(struct mica_schema_compiler *compiler,
                          const struct mica_schema_keys *keys,
                          enum mica_schema_keyword keyword, size_t *count_out)
{
    const struct mica_json *value = keys->values[keyword];
    struct mica_numeral decimal;
    int64_t count;
    if (value == NULL)
        return MICA_OK;
    if (value->kind != MICA_JSON_NUMBER ||
        !mica_numeral_read(value->text, &decimal) ||
        !mica_numeral_is_whole(&decimal) ||
        (decimal.negative && decimal.count > 0))
        return schema_compiler_wrong(compiler, keys, keyword,
                                     "a whole number from 0");
    if (!mica_integer_read(value->text, &count) || (uint64_t)count > SIZE_MAX)
        *count_out = SIZE_MAX;
    else
        *count_out = (size_t)count;
    return MICA_OK;
}

// ---- type ------------------------------------------------------------------

static unsigned
type_bits(const struct mica_json *name)
{
    static const struct {
        const char *namez;
        unsigned bits;
    } types[] = {
        {"string", 1 << MICA_JSON_STRING}, {"object", 1 << MICA_JSON_OBJECT},
        {"array", 1 << MICA_JSON_ARRAY},   {"number", 1 << MICA_JSON_NUMBER},
        {"integer", MICA_TYPES_WHOLE},     {"boolean", MICA_TYPES_BOOLEAN},
        {"null", 1 << MICA_JSON_NULL}};
    for (size_t i = 0; i < MICA_COUNT(types); i++)
        if (name->kind == MICA_JSON_STRING &&
            mica_text_is(name->text, types[i].namez))
            return types[i].bits;
    return 0;
}

enum mica_status
mica_schema_compile_types(struct mica_schema_compiler *compiler,
                          const struct mica_schema_keys *keys,
                          struct mica_schema_node *node)
{
    const struct mica_json *type = keys->values[MICA_KEY_TYPE];
    bool list = type != NULL && type->kind == MICA_JSON_ARRAY;
    if (type == NULL)
        return MICA_OK;
    const struct mica_json *names = list ? type->items : type;
    size_t count = list ? type->count : 1;
    node->types = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned bits = type_bits(&names[i]);
        if (bits == 0)
            return schema_compiler_wrong(
                compiler, keys, MICA_KEY_TYPE,
                "\"null\", \"boolean\", \"integer\", \"number\", "
                "\"string\", \"array\" or \"object\", or a list of "
                "them");
        node->types |= (uint8_t)bits;
    }
    if (count == 0)
        return schema_compiler_wrong(compiler, keys, MICA_KEY_TYPE,
                                     "a type, or a list of at least one");
    return MICA_OK;
}

// ---- enum and const --------------------------------------------------------

enum mica_status
mica_schema_compile_choices(struct mica_schema_compiler *compiler,
                            const struct mica_schema_keys *keys,
                            struct mica_schema_node *node)
{
    const struct mica_json *constant = keys->values[MICA_KEY_CONST];
    const struct mica_json *list = keys->values[MICA_KEY_ENUM];
    if (list != NULL && list->kind != MICA_JSON_ARRAY)
        return schema_compiler_wrong(compiler, keys, MICA_KEY_ENUM, "an array");
    if (constant == NULL && list == NULL)
        return MICA_OK;
    struct mica_schema_choices *choices =
        mica_arena_zero(compiler->arena, 2, sizeof *choices);
    if (choices == NULL)
        return mica_schema_no_memory(compiler);
    node->choices = choices;
    // Both at once is rare, and then the constant comes second.
    if (list != NULL) {
        choices->items = list->items;
        choices->count = list->count;
        choices->next = constant != NULL ? choices + 1 : NULL;
    }
    if (constant != NULL)
        choices[list != NULL] = (struct mica_schema_choices){
            .items = constant, .count = 1, .constant = true};
    for (struct mica_schema_choices *set = choices; set < choices + 2; set++) {
        for (size_t i = 0; i < set->count; i++)
            set->kinds |= (uint8_t)(1 << set->items[i].kind);
        if (set->count == 1 && set->items->kind == MICA_JSON_STRING) {
            set->single = true;
            set->key = mica_schema_key(set->items->text);
        }
        if (!mica_schema_table_init(&set->table, compiler->arena, set->count))
            return mica_schema_no_memory(compiler);
        for (size_t i = 0; i < set->count; i++)
            if (set->items[i].kind == MICA_JSON_STRING)
                mica_schema_table_add(&set->table, set->items[i].text,
                                      (uint32_t)i);
    }
    return MICA_OK;
}

// ---- Numbers ---------------------------------------------------------------

static enum mica_status
read_bound(struct mica_schema_compiler *compiler,
           const struct mica_schema_keys *keys,
           enum mica_schema_keyword keyword, struct mica_schema_bound *bound)
{
    bound->number = keys->values[keyword];
    if (bound->number != NULL &&
        (bound->number->kind != MICA_JSON_NUMBER ||
         !mica_numeral_read(bound->number->text, &bound->decimal)))
        return schema_compiler_wrong(compiler, keys, keyword, "a number");
    return MICA_OK;
}

// The bounds that whole numbers have to keep, if they can be said in 18 digits.
static void
schema_numbers_simplify(struct mica_schema_numbers *numbers)
{
    const struct {
        const struct mica_schema_bound *bound;
        int64_t below, above; // what is added to an exact bound, and to others
        bool upper;
    } bounds[] = {{&numbers->minimum, 0, 1, false},
                  {&numbers->exclusive_minimum, 1, 1, false},
                  {&numbers->maximum, 0, 0, true},
                  {&numbers->exclusive_maximum, -1, 0, true}};
    numbers->least = INT64_MIN;
    numbers->most = INT64_MAX;
    numbers->simple = true;
    for (size_t i = 0; i < MICA_COUNT(bounds); i++) {
        int64_t floor;
        bool exact;
        if (bounds[i].bound->number == NULL)
            continue;
        if (!mica_numeral_floor(&bounds[i].bound->decimal, &floor, &exact)) {
            numbers->simple = false;
            continue;
        }
        floor += exact ? bounds[i].below : bounds[i].above;
        if (bounds[i].upper && floor < numbers->most)
            numbers->most = floor;
        if (!bounds[i].upper && floor > numbers->least)
            numbers->least = floor;
    }
}

static enum mica_status
read_multiple(struct mica_schema_compiler *compiler,
              const struct mica_schema_keys *keys,
              struct mica_schema_numbers *numbers)
{
    const struct mica_json *value = keys->values[MICA_KEY_MULTIPLE_OF];
    struct mica_numeral decimal;
    if (value == NULL)
        return MICA_OK;
    if (value->kind != MICA_JSON_NUMBER ||
        !mica_numeral_read(value->text, &decimal) || decimal.count == 0 ||
        decimal.negative)
        return schema_compiler_wrong(compiler, keys, MICA_KEY_MULTIPLE_OF,
                                     "a number greater than 0");
    numbers->multiple_of = value;
    if (!mica_numeral_factor(&decimal, &numbers->factor, &numbers->exponent))
        return mica_schema_refuse(
            compiler, keys->spot->resource, value, MICA_E_LIMIT,
            "multipleOf can have 18 digits, not %zu", decimal.count);
    return MICA_OK;
}

enum mica_status
mica_schema_compile_numbers(struct mica_schema_compiler *compiler,
                            const struct mica_schema_keys *keys,
                            struct mica_schema_node *node)
{
    struct mica_schema_numbers numbers = {.simple = false};
    MICA_TRY(read_bound(compiler, keys, MICA_KEY_MINIMUM, &numbers.minimum));
    MICA_TRY(read_bound(compiler, keys, MICA_KEY_MAXIMUM, &numbers.maximum));
    MICA_TRY(read_bound(compiler, keys, MICA_KEY_EXCLUSIVE_MINIMUM,
                        &numbers.exclusive_minimum));
    MICA_TRY(read_bound(compiler, keys, MICA_KEY_EXCLUSIVE_MAXIMUM,
                        &numbers.exclusive_maximum));
    MICA_TRY(read_multiple(compiler, keys, &numbers));
    if (numbers.minimum.number == NULL && numbers.maximum.number == NULL &&
        numbers.exclusive_minimum.number == NULL &&
        numbers.exclusive_maximum.number == NULL && numbers.multiple_of == NULL)
        return MICA_OK;
    schema_numbers_simplify(&numbers);
    struct mica_schema_numbers *kept =
        mica_arena_alloc(compiler->arena, sizeof *kept);
    if (kept == NULL)
        return mica_schema_no_memory(compiler);
    *kept = numbers;
    node->numbers = kept;
    return MICA_OK;
}

// ---- Texts -----------------------------------------------------------------

enum mica_status
mica_schema_compile_pattern(struct mica_schema_compiler *compiler,
                            const struct mica_schema_keys *keys,
                            const struct mica_json *value,
                            struct mica_text source,
                            const struct mica_schema_pattern **pattern_out)
{
    struct mica_error error = {.status = MICA_OK};
    struct mica_schema_pattern *pattern =
        mica_arena_zero(compiler->arena, 1, sizeof *pattern);
    if (pattern == NULL)
        return mica_schema_no_memory(compiler);
    enum mica_status status = mica_schema_pattern(
        compiler->arena, source, &compiler->pattern_budget, &error, pattern);
    if (pattern->automaton == NULL &&
        pattern->regex.step_count > compiler->regex_steps)
        compiler->regex_steps = pattern->regex.step_count;
    if (status != MICA_OK)
        return mica_schema_refuse(compiler, keys->spot->resource, value, status,
                                  "%s", error.message);
    *pattern_out = pattern;
    return MICA_OK;
}

static bool
asserts_formats(const struct mica_schema_compiler *compiler,
                const struct mica_schema_keys *keys)
{
    return compiler->options->assert_formats ||
           (keys->spot->resource->vocabularies &
            MICA_VOCABULARY_FORMAT_ASSERT) != 0;
}

enum mica_status
mica_schema_compile_texts(struct mica_schema_compiler *compiler,
                          const struct mica_schema_keys *keys,
                          struct mica_schema_node *node)
{
    const struct mica_json *pattern = keys->values[MICA_KEY_PATTERN];
    const struct mica_json *format = keys->values[MICA_KEY_FORMAT];
    struct mica_schema_texts texts = {.most = SIZE_MAX};
    MICA_TRY(mica_schema_compile_count(compiler, keys, MICA_KEY_MIN_LENGTH,
                                       &texts.least));
    MICA_TRY(mica_schema_compile_count(compiler, keys, MICA_KEY_MAX_LENGTH,
                                       &texts.most));
    if (pattern != NULL && pattern->kind != MICA_JSON_STRING)
        return schema_compiler_wrong(compiler, keys, MICA_KEY_PATTERN,
                                     "a string");
    if (format != NULL && format->kind != MICA_JSON_STRING)
        return schema_compiler_wrong(compiler, keys, MICA_KEY_FORMAT,
                                     "a string");
    if (pattern != NULL)
        MICA_TRY(mica_schema_compile_pattern(compiler, keys, pattern,
                                             pattern->text, &texts.pattern));
    if (format != NULL && asserts_formats(compiler, keys))
        texts.format = mica_schema_format_find(format->text);
    if (texts.least == 0 && texts.most == SIZE_MAX && texts.pattern == NULL &&
        texts.format == NULL)
        return MICA_OK;
    texts.sized = texts.least > 0 || texts.most != SIZE_MAX;
    struct mica_schema_texts *kept =
        mica_arena_alloc(compiler->arena, sizeof *kept);
    if (kept == NULL)
        return mica_schema_no_memory(compiler);
    *kept = texts;
    node->texts = kept;
    return MICA_OK;
}

// SPDX-License-Identifier: Apache-2.0
//
// Field tables. Beside a plain C struct stands one record of its fields; from
// that one table come the JSON Schema, strict decoding, defaults, validation,
// encoding, forms and flags. A member of the wrong type does not compile.
//
//   member of the struct                                    | field
//   --------------------------------------------------------|------------------
//   struct mica_text name;                                  | MICA_TEXT
//   double a;                                               | MICA_NUMBER
//   struct mica_decimal price;      (decimal.h)             | MICA_DECIMAL
//   int64_t count;                                          | MICA_INTEGER
//   bool yes;                                               | MICA_BOOLEAN
//   enum mode mode;                    (MICA_CHOICES(mode)) | MICA_CHOICE
//   struct price price;                 (MICA_RECORD(price)) | MICA_NESTED
//   struct mica_date day;                                   | MICA_DATE
//   struct mica_time at;                                    | MICA_DATE_TIME
//   const struct mica_json *any;                            | MICA_ANY
//   struct { size_t count; const double *items; } values;   | MICA_LIST
//   struct { size_t count; const struct mica_text *keys;
//            const double *items; } rates;                  | MICA_MAP
//   struct { bool present; double value; } maybe;           | MICA_NULLABLE
//
// MICA_LIST, MICA_MAP and MICA_NULLABLE name what they hold by a tag: number,
// decimal, integer, text, boolean, date, date_time, any, or the tag of a MICA_RECORD,
// MICA_CHOICES, MICA_LIST_TYPE, MICA_MAP_TYPE or MICA_NULLABLE_TYPE declared
// before; so lists of lists, maps of records and lists of nullables all work.
//
// Options, after the description, in any order:
//   .fallback = MICA_JSON(2)         optional; this value when absent
//   MICA_OPTIONAL(input, precision)  optional without default; the struct has a
//                                    `bool has_precision` that says it was given
//   .minimum .maximum .exclusive_minimum .exclusive_maximum   numbers, integers,
//                                    decimals (0.01 is exactly that there)
//   .wide = true                     an integer beyond ±(2^53 - 1)
//   .min_length .max_length          texts, in code points
//   .pattern = "^[A-Z]{3}$"          texts; ECMA-262 syntax, matched in linear
//                                    time (no look-around, no back-reference)
//   .format = MICA_EMAIL | MICA_URI | MICA_UUID               texts
//   .min_items .max_items            lists and maps
//   .unit = "currency"               the sibling field with this one's unit
//   .title = "Interest a year"       for people; without it the name in words
//   .answer = true                   the field of an output that people see first and
//                                    large; without it the first number or short text
//   .chart = "paid + owed over month"  lists of records: which columns a page draws,
//                                    stacked with +, beside each other with a comma
//   .each.minimum = 0, …             bounds of the values in a list or map (of the
//                                    innermost ones where lists nest), and of a
//                                    nullable's value
//   .keys.pattern = …, …             bounds of the names in a map
#ifndef MICA_RECORD_H
#define MICA_RECORD_H

#include <mica/base.h>
#include <mica/decimal.h>
#include <mica/json.h>

#pragma GCC visibility push(default)

// What a value is.
enum mica_kind {
    MICA_KIND_TEXT = 1,
    MICA_KIND_NUMBER,
    MICA_KIND_INTEGER,
    MICA_KIND_BOOLEAN,
    MICA_KIND_CHOICE,
    MICA_KIND_RECORD,
    MICA_KIND_DATE,
    MICA_KIND_DATE_TIME,
    MICA_KIND_ANY,
    MICA_KIND_LIST,
    MICA_KIND_MAP,
    MICA_KIND_NULLABLE,
    MICA_KIND_DECIMAL
};

// What a text is in addition, checked when it is decoded and encoded. A program
// has only those inside that its tables name.
struct mica_text_format {
    const char *name;   // in JSON Schema
    const char *sample; // for messages
    bool (*matches)(struct mica_text text);
};
extern const struct mica_text_format mica_format_email, mica_format_uri,
    mica_format_uuid;
#define MICA_EMAIL (&mica_format_email)
#define MICA_URI   (&mica_format_uri)
#define MICA_UUID  (&mica_format_uuid)

// How the values of a kind are read from JSON and written to it (inside mica). A
// program has only those inside that its tables name.
struct mica_codec;
extern const struct mica_codec mica_codec_text, mica_codec_number,
    mica_codec_integer, mica_codec_boolean, mica_codec_choice,
    mica_codec_record, mica_codec_date, mica_codec_date_time, mica_codec_any,
    mica_codec_list, mica_codec_map, mica_codec_nullable, mica_codec_decimal;

struct mica_record;

// What a member or an item is. `size` is that of the C type. LIST has `count`
// first, then `items`; MAP `count`, `keys`, `items`; NULLABLE `present` first
// and its value at `value_offset`.
struct mica_type {
    enum mica_kind kind;
    size_t size;
    const struct mica_codec *codec;
    const struct mica_type *element; // LIST, MAP, NULLABLE
    size_t value_offset;             // NULLABLE
    const struct mica_record *record;
    const char *const *choices; // names by value of the enum; NULL is a hole
    size_t choice_count;
    const char *tag;
};

// What a value must fulfil. A field macro fills in infinities for the numbers, so
// that 0 is a bound; a length of 0 at the top means that memory is the limit.
struct mica_bounds {
    double minimum, maximum, exclusive_minimum, exclusive_maximum;
    size_t min_length, max_length;
    const char *pattern;
    const struct mica_text_format *format;
    bool wide;
};

// One member. Filled by the field macros below; see the top of this file.
struct mica_field {
    const char *name;
    size_t offset;
    const struct mica_type *type;
    const char *description;
    const char *fallback; // JSON text, or NULL
    bool optional;        // set by MICA_OPTIONAL
    size_t has_offset;    // of the `bool has_<name>`, plus 1; 0: none
    const char *unit;
    size_t min_items, max_items; // max 0: no limit but memory
    union {
        struct mica_bounds bounds;
        struct { // the same members, so that `.minimum = 0` is enough
            double minimum, maximum, exclusive_minimum, exclusive_maximum;
            size_t min_length, max_length; // max 0: no limit but memory
            const char *pattern;
            const struct mica_text_format *format;
            bool wide;
        };
    };
    struct mica_bounds each, keys;
    // New members go to the end: a record that was compiled before them has shorter
    // fields (mica_record_field), and the functions below read what may not be there.
    const char *title; // for people, or NULL
    const char *chart; // of a list of records, or NULL
    bool answer;       // of an output: what people see first
};

// The members of one struct, in the order they were declared.
struct mica_record {
    const char *tag;
    size_t size;
    const struct mica_field *fields;
    uint32_t count;
    uint32_t
        field_size; // of each field where this was compiled; 0: before titles
};

// Is the member `name` of struct mica_field in the fields of that record?
#define MICA_FIELD_HAS_(record_, name_)             \
    ((record_)->field_size >=                       \
     __builtin_offsetof(struct mica_field, name_) + \
         sizeof(((const struct mica_field *)0)->name_))

// The field at an index below record->count. Read `title`, `chart` and `answer` by the
// functions that follow.
static inline const struct mica_field *
mica_record_field(const struct mica_record *record, size_t index)
{
    size_t size = record->field_size > 0
                      ? record->field_size
                      : __builtin_offsetof(struct mica_field, title);
    const void *field = (const char *)record->fields + index * size;

    return field;
}

static inline const char *
mica_field_title(const struct mica_record *record,
                 const struct mica_field *field)
{
    return MICA_FIELD_HAS_(record, title) ? field->title : NULL;
}

static inline const char *
mica_field_chart(const struct mica_record *record,
                 const struct mica_field *field)
{
    return MICA_FIELD_HAS_(record, chart) ? field->chart : NULL;
}

static inline bool
mica_field_answer(const struct mica_record *record,
                  const struct mica_field *field)
{
    return MICA_FIELD_HAS_(record, answer) && field->answer;
}

// The plain types, under the tags that MICA_LIST and its like take.
extern const struct mica_type mica_type_text, mica_type_number,
    mica_type_integer, mica_type_boolean, mica_type_date, mica_type_date_time,
    mica_type_any, mica_type_decimal;
typedef struct mica_text mica_ctype_text;
typedef double mica_ctype_number;
typedef struct mica_decimal mica_ctype_decimal;
typedef int64_t mica_ctype_integer;
typedef bool mica_ctype_boolean;
typedef struct mica_date mica_ctype_date;
typedef struct mica_time mica_ctype_date_time;
typedef const struct mica_json *mica_ctype_any;

// ---- Fields ----------------------------------------------------------------

// MICA_NUMBER(member, "description", options…). The first word of each chooses
// what it expands to; then come the macro's name and the member's type, for messages.
#define MICA_TEXT(...)    MICA_PLAIN_("MICA_TEXT", text, __VA_ARGS__, )
#define MICA_NUMBER(...)  MICA_PLAIN_("MICA_NUMBER", number, __VA_ARGS__, )
#define MICA_DECIMAL(...) MICA_PLAIN_("MICA_DECIMAL", decimal, __VA_ARGS__, )
#define MICA_INTEGER(...) MICA_PLAIN_("MICA_INTEGER", integer, __VA_ARGS__, )
#define MICA_BOOLEAN(...) MICA_PLAIN_("MICA_BOOLEAN", boolean, __VA_ARGS__, )
#define MICA_DATE(...)    MICA_PLAIN_("MICA_DATE", date, __VA_ARGS__, )
#define MICA_DATE_TIME(...) \
    MICA_PLAIN_("MICA_DATE_TIME", date_time, __VA_ARGS__, )
#define MICA_ANY(...) MICA_PLAIN_("MICA_ANY", any, __VA_ARGS__, )

// MICA_CHOICE(member, tag, "description", options…)
#define MICA_CHOICE(...)   (CHOICE, __VA_ARGS__, )
#define MICA_NESTED(...)   (NESTED, __VA_ARGS__, )
#define MICA_LIST(...)     (LIST, __VA_ARGS__, )
#define MICA_MAP(...)      (MAP, __VA_ARGS__, )
#define MICA_NULLABLE(...) (NULLABLE, __VA_ARGS__, )

// An option of a field: it may be absent, and has_<member> of the struct tells.
#define MICA_OPTIONAL(record, member)                                          \
    .optional = true,                                                          \
    .has_offset = 1 +                                                          \
                  MICA_IS_(((struct record *)0)->has_##member, bool,           \
                           "MICA_OPTIONAL(" #record ", " #member               \
                           "): the member `has_" #member "` must be `bool`") + \
                  __builtin_offsetof(struct record, has_##member)

// ---- Declarations ------------------------------------------------------------

// The table of `struct tag`: at most 48 fields.
#define MICA_RECORD(tag_, ...)                                      \
    MICA_QUIET_                                                     \
    static const struct mica_field mica_fields_##tag_[] = {         \
        MICA_EACH_(MICA_FIELD_, struct tag_, __VA_ARGS__)};         \
    static const struct mica_record mica_record_##tag_ = {          \
        #tag_, sizeof(struct tag_), mica_fields_##tag_,             \
        MICA_ARGS_(__VA_ARGS__), sizeof(struct mica_field)};        \
    MICA_UNUSED_ static const struct mica_type mica_type_##tag_ = { \
        .kind = MICA_KIND_RECORD,                                   \
        .codec = &mica_codec_record,                                \
        .size = sizeof(struct tag_),                                \
        .record = &mica_record_##tag_,                              \
        .tag = #tag_};                                              \
    MICA_LOUD_                                                      \
    typedef struct tag_ mica_ctype_##tag_

// `struct tag` and the table of a record without fields: the input of a tool that
// takes none.
#define MICA_EMPTY_RECORD(tag_)                                          \
    struct tag_ {                                                        \
        char unused_;                                                    \
    };                                                                   \
    MICA_UNUSED_ static const struct mica_record mica_record_##tag_ = {  \
        #tag_, sizeof(struct tag_), NULL, 0, sizeof(struct mica_field)}; \
    typedef struct tag_ mica_ctype_##tag_

// The names of the constants of `enum tag`: MICA_CHOICES(mode, [OF] = "of", …).
#define MICA_CHOICES(tag_, ...)                                     \
    static const char *const mica_choices_##tag_[] = {__VA_ARGS__}; \
    MICA_UNUSED_ static const struct mica_type mica_type_##tag_ = { \
        .kind = MICA_KIND_CHOICE,                                   \
        .codec = &mica_codec_choice,                                \
        .size = sizeof(enum tag_),                                  \
        .choices = mica_choices_##tag_,                             \
        .choice_count = MICA_COUNT(mica_choices_##tag_),            \
        .tag = #tag_};                                              \
    typedef enum tag_ mica_ctype_##tag_

// Named compound types, to be held by other lists, maps and nullables. Each
// declares its struct: MICA_LIST_TYPE(row, number) gives
// struct row { size_t count; const double *items; }.
#define MICA_LIST_TYPE(tag_, element_)                              \
    struct tag_ {                                                   \
        size_t count;                                               \
        const mica_ctype_##element_ *items;                         \
    };                                                              \
    MICA_UNUSED_ static const struct mica_type mica_type_##tag_ = { \
        .kind = MICA_KIND_LIST,                                     \
        .codec = &mica_codec_list,                                  \
        .size = sizeof(struct tag_),                                \
        .element = &mica_type_##element_,                           \
        .tag = #tag_};                                              \
    typedef struct tag_ mica_ctype_##tag_

// As above, with the text of each key beside its item.
#define MICA_MAP_TYPE(tag_, element_)                               \
    struct tag_ {                                                   \
        size_t count;                                               \
        const struct mica_text *keys;                               \
        const mica_ctype_##element_ *items;                         \
    };                                                              \
    MICA_UNUSED_ static const struct mica_type mica_type_##tag_ = { \
        .kind = MICA_KIND_MAP,                                      \
        .codec = &mica_codec_map,                                   \
        .size = sizeof(struct tag_),                                \
        .element = &mica_type_##element_,                           \
        .tag = #tag_};                                              \
    typedef struct tag_ mica_ctype_##tag_

// As above: `value` counts only when `present`.
#define MICA_NULLABLE_TYPE(tag_, element_)                          \
    struct tag_ {                                                   \
        bool present;                                               \
        mica_ctype_##element_ value;                                \
    };                                                              \
    MICA_UNUSED_ static const struct mica_type mica_type_##tag_ = { \
        .kind = MICA_KIND_NULLABLE,                                 \
        .codec = &mica_codec_nullable,                              \
        .size = sizeof(struct tag_),                                \
        .element = &mica_type_##element_,                           \
        .value_offset = offsetof(struct tag_, value),               \
        .tag = #tag_};                                              \
    typedef struct tag_ mica_ctype_##tag_

// ---- How it is done --------------------------------------------------------
// Names that end in _ are not for use.

#define MICA_UNUSED_ __attribute__((unused))

// A field's own option overrides its default, and what is left out is zero, on
// purpose.
#define MICA_QUIET_                                           \
    _Pragma("GCC diagnostic push")                            \
        _Pragma("GCC diagnostic ignored \"-Woverride-init\"") \
            _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"")
#define MICA_LOUD_ _Pragma("GCC diagnostic pop")

#define MICA_PLAIN_(says_, tag_, member_, ...) \
    (PLAIN, says_, MICA_C_(tag_), member_, tag_, __VA_ARGS__)

// What the tags stand for in C, for messages.
#define MICA_C_text_                       , "struct mica_text"
#define MICA_C_number_                     , "double"
#define MICA_C_decimal_                    , "struct mica_decimal"
#define MICA_C_integer_                    , "int64_t"
#define MICA_C_boolean_                    , "bool"
#define MICA_C_date_                       , "struct mica_date"
#define MICA_C_date_time_                  , "struct mica_time"
#define MICA_C_any_                        , "const struct mica_json *"
#define MICA_C_(tag_)                      MICA_SECOND_(MICA_C_##tag_##_, "the type of " #tag_, 0)
#define MICA_SECOND_(...)                  MICA_SECOND_2_(__VA_ARGS__)
#define MICA_SECOND_2_(first, second, ...) second
#define MICA_FIRST_(...)                   MICA_FIRST_2_(__VA_ARGS__, )
#define MICA_FIRST_2_(first, ...)          first
#define MICA_STRING_(...)                  MICA_STRING_2_(__VA_ARGS__)
#define MICA_STRING_2_(...)                #__VA_ARGS__

// 0, or a compile error with that text unless `condition`. A reader of C that is no
// compiler, such as cppcheck, defines MICA_UNCHECKED_.
#ifdef MICA_UNCHECKED_
#    define MICA_UNLESS_(condition, message) 0
#else
#    define MICA_UNLESS_(condition, message)            \
        (0 * sizeof(struct {                            \
             _Static_assert((condition) != 0, message); \
             int unused_;                               \
         }))
#endif

// 0, or a compile error with that text when `value` has another type.
#define MICA_IS_(value, ctype, message) \
    MICA_UNLESS_(_Generic((value), ctype : 1, default : 0), message)

// 0, or a compile error unless `next` follows the word `member` at once.
#define MICA_AFTER_(T, member, next, message)                        \
    MICA_UNLESS_(__builtin_offsetof(T, next) ==                      \
                     __builtin_offsetof(T, member) + sizeof(void *), \
                 message)

#define MICA_SAME_TYPE_(a, b) _Generic((a *)0, b * : 1, default : 0)

// What a value is: 0 for `ctype`, else a number for each type that is told by its
// name. An enum is another name for int or unsigned.
#define MICA_NUMBERED_(value, ctype)                                          \
    _Generic((value), ctype : 0, default                                      \
             : _Generic((value), bool : 1, char : 2, signed char : 3,         \
                        unsigned char : 4, short : 5, unsigned short : 6,     \
                        int : 7, unsigned : 8, long : 9, unsigned long : 10,  \
                        long long : 11, unsigned long long : 12, float : 13,  \
                        double : 14, long double : 15, char * : 16,           \
                        const char * : 17, struct mica_text : 18,             \
                        struct mica_decimal : 19, struct mica_date : 20,      \
                        struct mica_time : 21, const struct mica_json * : 22, \
                        default : 99))

#define MICA_UNLIKE_(is, number, text, start, wants) \
    _Static_assert((is) != (number),                 \
                   start "is `" text "` and must be `" wants "`");

// 0, or one compile error: "MICA_NUMBER(a): its member is `int` and must be
// `double`". `is` names a constant of this field alone.
#ifdef MICA_UNCHECKED_
#    define MICA_TYPED_(is, value, ctype, s, w) 0
#else
#    define MICA_TYPED_(is, value, ctype, s, w)                                \
        (0 * sizeof(struct {                                                   \
             enum {                                                            \
                 is = MICA_NUMBERED_(value, ctype)                             \
             } unused_;                                                        \
             MICA_UNLIKE_(is, 1, "bool", s, w)                                 \
             MICA_UNLIKE_(is, 2, "char", s, w)                                 \
             MICA_UNLIKE_(is, 3, "signed char", s, w)                          \
             MICA_UNLIKE_(is, 4, "unsigned char", s, w)                        \
             MICA_UNLIKE_(is, 5, "short", s, w)                                \
             MICA_UNLIKE_(is, 6, "unsigned short", s, w)                       \
             MICA_UNLIKE_(is, 7, "int", s, w)                                  \
             MICA_UNLIKE_(is, 8, "unsigned", s, w)                             \
             MICA_UNLIKE_(is + 100 * MICA_SAME_TYPE_(long, int64_t), 9,        \
                          "long", s, w)                                        \
             MICA_UNLIKE_(is + 100 * MICA_SAME_TYPE_(long, int64_t), 109,      \
                          "int64_t", s, w)                                     \
             MICA_UNLIKE_(is, 10, "unsigned long", s, w)                       \
             MICA_UNLIKE_(is + 100 * MICA_SAME_TYPE_(long long, int64_t), 11,  \
                          "long long", s, w)                                   \
             MICA_UNLIKE_(is + 100 * MICA_SAME_TYPE_(long long, int64_t), 111, \
                          "int64_t", s, w)                                     \
             MICA_UNLIKE_(is, 12, "unsigned long long", s, w)                  \
             MICA_UNLIKE_(is, 13, "float", s, w)                               \
             MICA_UNLIKE_(is, 14, "double", s, w)                              \
             MICA_UNLIKE_(is, 15, "long double", s, w)                         \
             MICA_UNLIKE_(is, 16, "char *", s, w)                              \
             MICA_UNLIKE_(is, 17, "const char *", s, w)                        \
             MICA_UNLIKE_(is, 18, "struct mica_text", s, w)                    \
             MICA_UNLIKE_(is, 19, "struct mica_decimal", s, w)                 \
             MICA_UNLIKE_(is, 20, "struct mica_date", s, w)                    \
             MICA_UNLIKE_(is, 21, "struct mica_time", s, w)                    \
             MICA_UNLIKE_(is, 22, "const struct mica_json *", s, w)            \
             _Static_assert((is) != 99,                                        \
                            s "is of another type and must be `" w "`");       \
         }))
#endif
#define MICA_OWN_ MICA_JOIN_(mica_is_, __COUNTER__)

// 0, or one compile error unless the items are those, and const.
#define MICA_ITEMS_(items, ctype, start, wants)                            \
    (MICA_TYPED_(MICA_OWN_, *(items), ctype, start, wants) +               \
     MICA_UNLESS_(_Generic((items), const ctype * : 1, default             \
                           : !_Generic(*(items), ctype : 1, default : 0)), \
                  start "must be `const`"))

// 0, or a compile error unless `...` begins with a description. Options begin with
// a dot, and what does may not be all of it.
#define MICA_DESCRIBED_(start, ...) \
    MICA_DESCRIBED_2_(start, MICA_STRING_(MICA_FIRST_(__VA_ARGS__)))
#define MICA_DESCRIBED_2_(start, first)                                       \
    (MICA_UNLESS_(__extension__(sizeof(first) > 1 &&                          \
                                __builtin_strncmp(first, ".", 1) != 0),       \
                  start "the description is missing: it stands before the "   \
                        "options") +                                          \
     MICA_UNLESS_(                                                            \
         __extension__(__builtin_strncmp(first, "\"", 1) != 0 ||              \
                       __builtin_strcmp(                                      \
                           &first[sizeof(first) > 1 ? sizeof(first) - 2 : 0], \
                           "\"") == 0),                                       \
         start "a comma is missing behind the description"))

#define MICA_UNBOUNDED_                                      \
    .minimum = -__builtin_inf(), .maximum = __builtin_inf(), \
    .exclusive_minimum = -__builtin_inf(),                   \
    .exclusive_maximum = __builtin_inf()

#define MICA_COMMON_(T, member_)                                  \
    .name = #member_, MICA_UNBOUNDED_, .each = {MICA_UNBOUNDED_}, \
    .keys = {MICA_UNBOUNDED_}

// In each of the following the description, which has no designator, stands behind
// `type`, as it does in struct mica_field.
#define MICA_FIELD_PLAIN_(T, says_, wants_, member_, tag_, ...)              \
    {                                                                        \
        MICA_COMMON_(T, member_),                                            \
            .offset =                                                        \
                MICA_DESCRIBED_(says_ "(" #member_ "): ", __VA_ARGS__) +     \
                MICA_TYPED_(MICA_OWN_, ((T *)0)->member_, mica_ctype_##tag_, \
                            says_ "(" #member_ "): its member ", wants_) +   \
                __builtin_offsetof(T, member_),                              \
            .type = &mica_type_##tag_, __VA_ARGS__                           \
    }
#define MICA_FIELD_CHOICE_(T, member_, tag_, ...)                     \
    MICA_FIELD_PLAIN_(T, "MICA_CHOICE", "enum " #tag_, member_, tag_, \
                      __VA_ARGS__)
#define MICA_FIELD_NESTED_(T, member_, tag_, ...)                       \
    MICA_FIELD_PLAIN_(T, "MICA_NESTED", "struct " #tag_, member_, tag_, \
                      __VA_ARGS__)

#define MICA_FIELD_LIST_(T, member_, tag_, ...)                              \
    {                                                                        \
        MICA_COMMON_(T, member_),                                            \
            .offset =                                                        \
                MICA_DESCRIBED_("MICA_LIST(" #member_ "): ", __VA_ARGS__) +  \
                MICA_IS_(((T *)0)->member_.count, size_t,                    \
                         "MICA_LIST(" #member_                               \
                         "): it starts with `size_t count`") +               \
                MICA_ITEMS_(((T *)0)->member_.items, mica_ctype_##tag_,      \
                            "MICA_LIST(" #member_ "): each of its items ",   \
                            MICA_C_(tag_)) +                                 \
                MICA_AFTER_(T, member_.count, member_.items,                 \
                            "MICA_LIST(" #member_                            \
                            "): it is `size_t count`, then its items") +     \
                __builtin_offsetof(T, member_.count),                        \
            .type =                                                          \
                &(const struct mica_type){.kind = MICA_KIND_LIST,            \
                                          .codec = &mica_codec_list,         \
                                          .size = sizeof(((T *)0)->member_), \
                                          .element = &mica_type_##tag_},     \
            __VA_ARGS__                                                      \
    }

#define MICA_FIELD_MAP_(T, member_, tag_, ...)                               \
    {                                                                        \
        MICA_COMMON_(T, member_),                                            \
            .offset =                                                        \
                MICA_DESCRIBED_("MICA_MAP(" #member_ "): ", __VA_ARGS__) +   \
                MICA_IS_(((T *)0)->member_.count, size_t,                    \
                         "MICA_MAP(" #member_                                \
                         "): it starts with `size_t count`") +               \
                MICA_IS_(((T *)0)->member_.keys, const struct mica_text *,   \
                         "MICA_MAP(" #member_                                \
                         "): its keys are `const struct mica_text *`") +     \
                MICA_ITEMS_(((T *)0)->member_.items, mica_ctype_##tag_,      \
                            "MICA_MAP(" #member_ "): each of its items ",    \
                            MICA_C_(tag_)) +                                 \
                MICA_AFTER_(T, member_.count, member_.keys,                  \
                            "MICA_MAP(" #member_                             \
                            "): it is `size_t count`, then its keys and "    \
                            "items") +                                       \
                MICA_AFTER_(T, member_.keys, member_.items,                  \
                            "MICA_MAP(" #member_                             \
                            "): it is `size_t count`, then its keys and "    \
                            "items") +                                       \
                __builtin_offsetof(T, member_.count),                        \
            .type =                                                          \
                &(const struct mica_type){.kind = MICA_KIND_MAP,             \
                                          .codec = &mica_codec_map,          \
                                          .size = sizeof(((T *)0)->member_), \
                                          .element = &mica_type_##tag_},     \
            __VA_ARGS__                                                      \
    }

#define MICA_FIELD_NULLABLE_(T, member_, tag_, ...)                          \
    {                                                                        \
        MICA_COMMON_(T, member_),                                            \
            .offset = MICA_DESCRIBED_("MICA_NULLABLE(" #member_ "): ",       \
                                      __VA_ARGS__) +                         \
                      MICA_IS_(((T *)0)->member_.present, bool,              \
                               "MICA_NULLABLE(" #member_                     \
                               "): it starts with `bool present`") +         \
                      MICA_TYPED_(MICA_OWN_, ((T *)0)->member_.value,        \
                                  mica_ctype_##tag_,                         \
                                  "MICA_NULLABLE(" #member_ "): its value ", \
                                  MICA_C_(tag_)) +                           \
                      __builtin_offsetof(T, member_.present),                \
            .type =                                                          \
                &(const struct mica_type){.kind = MICA_KIND_NULLABLE,        \
                                          .codec = &mica_codec_nullable,     \
                                          .size = sizeof(((T *)0)->member_), \
                                          .element = &mica_type_##tag_,      \
                                          .value_offset =                    \
                                              offsetof(T, member_.value) -   \
                                              offsetof(T, member_.present)}, \
            __VA_ARGS__                                                      \
    }

// A field, or the error that another one stands behind it without a comma.
#define MICA_FIELD_(T, field) \
    MICA_JOIN_(MICA_FIELD_ALONE_, MICA_IS_SET_(MICA_EAT_ field))(T, field)
#define MICA_FIELD_ALONE_0_(T, field) MICA_FIELD_2_(T, MICA_UNWRAP_ field),
#define MICA_FIELD_ALONE_1_(T, field)                                 \
    {.offset = MICA_UNLESS_(                                          \
         0, "a comma is missing behind the field `" MICA_FIELD_NAME_( \
                field) "`")},
#define MICA_FIELD_NAME_(field)                       MICA_FIELD_NAME_2_(MICA_TAKE_ field)
#define MICA_FIELD_NAME_2_(...)                       MICA_FIRST_(__VA_ARGS__)
#define MICA_TAKE_(form, ...)                         MICA_TAKE_##form##_(__VA_ARGS__),
#define MICA_TAKE_PLAIN_(says_, wants_, member_, ...) #member_
#define MICA_TAKE_CHOICE_(member_, ...)               #member_
#define MICA_TAKE_NESTED_(member_, ...)               #member_
#define MICA_TAKE_LIST_(member_, ...)                 #member_
#define MICA_TAKE_MAP_(member_, ...)                  #member_
#define MICA_TAKE_NULLABLE_(member_, ...)             #member_

#define MICA_FIELD_2_(...)          MICA_FIELD_3_(__VA_ARGS__)
#define MICA_FIELD_3_(T, form, ...) MICA_FIELD_##form##_(T, __VA_ARGS__)
#define MICA_UNWRAP_(...)           __VA_ARGS__
#define MICA_EAT_(...)

// 1 for what begins with a parenthesis; 0 for anything else.
#define MICA_IS_SET_(option) MICA_SECOND_(MICA_PAIR_ option, 0, 0)
#define MICA_PAIR_(...)      0, 1,
#define MICA_JOIN_(a, b)     MICA_JOIN_2_(a, b)
#define MICA_JOIN_2_(a, b)   a##b##_

#define MICA_EACH_1_(M, T, a)       M(T, a)
#define MICA_EACH_2_(M, T, a, ...)  M(T, a) MICA_EACH_1_(M, T, __VA_ARGS__)
#define MICA_EACH_3_(M, T, a, ...)  M(T, a) MICA_EACH_2_(M, T, __VA_ARGS__)
#define MICA_EACH_4_(M, T, a, ...)  M(T, a) MICA_EACH_3_(M, T, __VA_ARGS__)
#define MICA_EACH_5_(M, T, a, ...)  M(T, a) MICA_EACH_4_(M, T, __VA_ARGS__)
#define MICA_EACH_6_(M, T, a, ...)  M(T, a) MICA_EACH_5_(M, T, __VA_ARGS__)
#define MICA_EACH_7_(M, T, a, ...)  M(T, a) MICA_EACH_6_(M, T, __VA_ARGS__)
#define MICA_EACH_8_(M, T, a, ...)  M(T, a) MICA_EACH_7_(M, T, __VA_ARGS__)
#define MICA_EACH_9_(M, T, a, ...)  M(T, a) MICA_EACH_8_(M, T, __VA_ARGS__)
#define MICA_EACH_10_(M, T, a, ...) M(T, a) MICA_EACH_9_(M, T, __VA_ARGS__)
#define MICA_EACH_11_(M, T, a, ...) M(T, a) MICA_EACH_10_(M, T, __VA_ARGS__)
#define MICA_EACH_12_(M, T, a, ...) M(T, a) MICA_EACH_11_(M, T, __VA_ARGS__)
#define MICA_EACH_13_(M, T, a, ...) M(T, a) MICA_EACH_12_(M, T, __VA_ARGS__)
#define MICA_EACH_14_(M, T, a, ...) M(T, a) MICA_EACH_13_(M, T, __VA_ARGS__)
#define MICA_EACH_15_(M, T, a, ...) M(T, a) MICA_EACH_14_(M, T, __VA_ARGS__)
#define MICA_EACH_16_(M, T, a, ...) M(T, a) MICA_EACH_15_(M, T, __VA_ARGS__)
#define MICA_EACH_17_(M, T, a, ...) M(T, a) MICA_EACH_16_(M, T, __VA_ARGS__)
#define MICA_EACH_18_(M, T, a, ...) M(T, a) MICA_EACH_17_(M, T, __VA_ARGS__)
#define MICA_EACH_19_(M, T, a, ...) M(T, a) MICA_EACH_18_(M, T, __VA_ARGS__)
#define MICA_EACH_20_(M, T, a, ...) M(T, a) MICA_EACH_19_(M, T, __VA_ARGS__)
#define MICA_EACH_21_(M, T, a, ...) M(T, a) MICA_EACH_20_(M, T, __VA_ARGS__)
#define MICA_EACH_22_(M, T, a, ...) M(T, a) MICA_EACH_21_(M, T, __VA_ARGS__)
#define MICA_EACH_23_(M, T, a, ...) M(T, a) MICA_EACH_22_(M, T, __VA_ARGS__)
#define MICA_EACH_24_(M, T, a, ...) M(T, a) MICA_EACH_23_(M, T, __VA_ARGS__)
#define MICA_EACH_25_(M, T, a, ...) M(T, a) MICA_EACH_24_(M, T, __VA_ARGS__)
#define MICA_EACH_26_(M, T, a, ...) M(T, a) MICA_EACH_25_(M, T, __VA_ARGS__)
#define MICA_EACH_27_(M, T, a, ...) M(T, a) MICA_EACH_26_(M, T, __VA_ARGS__)
#define MICA_EACH_28_(M, T, a, ...) M(T, a) MICA_EACH_27_(M, T, __VA_ARGS__)
#define MICA_EACH_29_(M, T, a, ...) M(T, a) MICA_EACH_28_(M, T, __VA_ARGS__)
#define MICA_EACH_30_(M, T, a, ...) M(T, a) MICA_EACH_29_(M, T, __VA_ARGS__)
#define MICA_EACH_31_(M, T, a, ...) M(T, a) MICA_EACH_30_(M, T, __VA_ARGS__)
#define MICA_EACH_32_(M, T, a, ...) M(T, a) MICA_EACH_31_(M, T, __VA_ARGS__)
#define MICA_EACH_33_(M, T, a, ...) M(T, a) MICA_EACH_32_(M, T, __VA_ARGS__)
#define MICA_EACH_34_(M, T, a, ...) M(T, a) MICA_EACH_33_(M, T, __VA_ARGS__)
#define MICA_EACH_35_(M, T, a, ...) M(T, a) MICA_EACH_34_(M, T, __VA_ARGS__)
#define MICA_EACH_36_(M, T, a, ...) M(T, a) MICA_EACH_35_(M, T, __VA_ARGS__)
#define MICA_EACH_37_(M, T, a, ...) M(T, a) MICA_EACH_36_(M, T, __VA_ARGS__)
#define MICA_EACH_38_(M, T, a, ...) M(T, a) MICA_EACH_37_(M, T, __VA_ARGS__)
#define MICA_EACH_39_(M, T, a, ...) M(T, a) MICA_EACH_38_(M, T, __VA_ARGS__)
#define MICA_EACH_40_(M, T, a, ...) M(T, a) MICA_EACH_39_(M, T, __VA_ARGS__)
#define MICA_EACH_41_(M, T, a, ...) M(T, a) MICA_EACH_40_(M, T, __VA_ARGS__)
#define MICA_EACH_42_(M, T, a, ...) M(T, a) MICA_EACH_41_(M, T, __VA_ARGS__)
#define MICA_EACH_43_(M, T, a, ...) M(T, a) MICA_EACH_42_(M, T, __VA_ARGS__)
#define MICA_EACH_44_(M, T, a, ...) M(T, a) MICA_EACH_43_(M, T, __VA_ARGS__)
#define MICA_EACH_45_(M, T, a, ...) M(T, a) MICA_EACH_44_(M, T, __VA_ARGS__)
#define MICA_EACH_46_(M, T, a, ...) M(T, a) MICA_EACH_45_(M, T, __VA_ARGS__)
#define MICA_EACH_47_(M, T, a, ...) M(T, a) MICA_EACH_46_(M, T, __VA_ARGS__)
#define MICA_EACH_48_(M, T, a, ...) M(T, a) MICA_EACH_47_(M, T, __VA_ARGS__)
#define MICA_PICK_(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13,     \
                   _14, _15, _16, _17, _18, _19, _20, _21, _22, _23, _24, _25, \
                   _26, _27, _28, _29, _30, _31, _32, _33, _34, _35, _36, _37, \
                   _38, _39, _40, _41, _42, _43, _44, _45, _46, _47, _48,      \
                   picked, ...)                                                \
    picked
#define MICA_ARGS_(...)                                                        \
    MICA_PICK_(__VA_ARGS__, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37,    \
               36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, \
               20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4,   \
               3, 2, 1, 0)
// M(T, …) for each of what follows, at most 48.
#define MICA_EACH_(M, T, ...)                                              \
    MICA_PICK_(__VA_ARGS__, MICA_EACH_48_, MICA_EACH_47_, MICA_EACH_46_,   \
               MICA_EACH_45_, MICA_EACH_44_, MICA_EACH_43_, MICA_EACH_42_, \
               MICA_EACH_41_, MICA_EACH_40_, MICA_EACH_39_, MICA_EACH_38_, \
               MICA_EACH_37_, MICA_EACH_36_, MICA_EACH_35_, MICA_EACH_34_, \
               MICA_EACH_33_, MICA_EACH_32_, MICA_EACH_31_, MICA_EACH_30_, \
               MICA_EACH_29_, MICA_EACH_28_, MICA_EACH_27_, MICA_EACH_26_, \
               MICA_EACH_25_, MICA_EACH_24_, MICA_EACH_23_, MICA_EACH_22_, \
               MICA_EACH_21_, MICA_EACH_20_, MICA_EACH_19_, MICA_EACH_18_, \
               MICA_EACH_17_, MICA_EACH_16_, MICA_EACH_15_, MICA_EACH_14_, \
               MICA_EACH_13_, MICA_EACH_12_, MICA_EACH_11_, MICA_EACH_10_, \
               MICA_EACH_9_, MICA_EACH_8_, MICA_EACH_7_, MICA_EACH_6_,     \
               MICA_EACH_5_, MICA_EACH_4_, MICA_EACH_3_, MICA_EACH_2_,     \
               MICA_EACH_1_, 0)                                            \
    (M, T, __VA_ARGS__)

#pragma GCC visibility pop

#endif

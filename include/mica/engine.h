// SPDX-License-Identifier: Apache-2.0
//
// All that the author of an engine includes.
//
// An engine is a pure function: typed input, typed output, examples. One file
// in engines/, named by its slug. It is compiled once to WebAssembly with
// nothing imported, so it cannot see a clock, a file, the network, or anything
// of another call. See docs/engine.md for a walk through one.
//
//     #include <mica/engine.h>
//
//     struct input { double a, b; };
//     MICA_RECORD(input,
//         MICA_NUMBER(a, "First addend, in any unit."),
//         MICA_NUMBER(b, "Second addend, in the unit of a."));
//
//     struct output { double sum; };
//     MICA_RECORD(output, MICA_NUMBER(sum, "a + b, in the unit of a."));
//
//     static enum mica_status
//     add(struct mica_call *call, const struct input *in, struct output *out)
//     {
//         (void)call;
//         out->sum = in->a + in->b;
//         return MICA_OK;
//     }
//
//     MICA_ENGINE(add_numbers, input, output, add,
//         .title = "Add two numbers",
//         .description = "Add two numbers given in the same unit.",
//         .category = "math",
//         .examples = MICA_EXAMPLES(
//             {"2 + 3", MICA_JSON({"a": 2, "b": 3}), MICA_JSON({"sum": 5})}));
#ifndef MICA_ENGINE_H
#define MICA_ENGINE_H

#include <mica/base.h>
#include <mica/decimal.h>
#include <mica/json.h>
#include <mica/record.h>
#include <mica/view.h>

#pragma GCC visibility push(default)

// Counts changes of struct mica_engine: a module built for another is refused.
#define MICA_ENGINE_ABI 3

struct mica_call; // one use of a tool, from request to result

// The shape of every handler, behind the typed thunk that MICA_ENGINE makes:
// `in` and `out` are the structs of the two records. `out` arrives zeroed.
typedef enum mica_status mica_handler(struct mica_call *call, const void *in,
                                      void *out);

// ---- What a handler may call ----------------------------------------------
//
// Beside what follows: text, numbers, rounding, currencies, Base64 and the
// calendar of base.h, decimals of decimal.h, JSON of json.h, and of libc <string.h> and <math.h>.
//
// A handler has 32 KiB of stack in all, and one function half of that for its
// local variables: larger ones do not build. Take large arrays from the call,
// with MICA_NEW. Past the stack, as with a recursion that does not end, the call
// ends with EXECUTION_ERROR.

// Ends the call with an error of the handler's own: `return mica_fail(…)`.
// `code` is UPPER_SNAKE, stable for ever. `path` names the input at fault:
// "b", "rows/2/price" or "" for all of it. The message is for an agent: name the
// bad input and its value, and say what to pass instead. Format as
// mica_format. Always returns MICA_FAILED.
enum mica_status mica_fail(struct mica_call *call, const char *code,
                           const char *path, const char *format, ...)
    MICA_PRINTF(4, 5);

// Zeroed memory that lives until the call has been answered. Never NULL: a call
// that asks for more than its limit ends there with LIMIT_EXCEEDED.
void *mica_alloc(struct mica_call *call, size_t size);
#define MICA_NEW(call, type, count) \
    ((type *)mica_alloc_array((call), (count), sizeof(type)))
void *mica_alloc_array(struct mica_call *call, size_t count, size_t size);

// Text made by mica's formatter, which knows %s %.*s %c %d %u %x %%, with l, ll and
// z (see mica_buffer_format in base.h). A double does not compile: print what
// mica_number or mica_fixed make of it, with %s.
struct mica_text mica_format(struct mica_call *call, const char *format, ...)
    MICA_PRINTF(2, 3);

// A double as JSON and JavaScript print it, for "%s".
const char *mica_number(struct mica_call *call, double value);

// A double with exactly `digits` places, for "%s".
const char *mica_fixed(struct mica_call *call, double value, unsigned digits);

// A decimal in its one form, for "%s": "1.1", "-0.05" (mica_decimal_write).
const char *mica_decimal_text(struct mica_call *call,
                              struct mica_decimal value);

// A decimal with exactly `digits` places for "%s", rounded halves away from zero:
// "92.00". From 10^34 on and below 10^-6, where mica_decimal_text has an exponent,
// as that.
const char *mica_decimal_fixed(struct mica_call *call,
                               struct mica_decimal value, unsigned digits);

// A growing text in the call's memory: mica_buffer_* of base.h work on it.
struct mica_buffer mica_builder(struct mica_call *call);

// Sorts in place; equal items keep their order. n log n, always.
void mica_sort(struct mica_call *call, void *items, size_t count, size_t size,
               int (*compare)(const void *a, const void *b));

// Marks what cannot happen, e.g. after a switch over every choice. Reached all
// the same, it ends the call with EXECUTION_ERROR.
#define MICA_UNREACHABLE __builtin_trap()

#ifndef MICA_TOOL_PLAIN

// What the formats of mica cannot print does not compile.
#    define mica_fail(call_, ...) \
        (mica_fail)(MICA_PRINTS_(call_, __VA_ARGS__), __VA_ARGS__)
#    define mica_format(call_, ...) \
        (mica_format)(MICA_PRINTS_(call_, __VA_ARGS__), __VA_ARGS__)

#endif

// The call, when each argument is one that a format can print.
#ifdef MICA_UNCHECKED_
#    define MICA_PRINTS_(call_, ...) (call_)
#else
#    define MICA_PRINTS_(call_, ...)                         \
        ((void)sizeof(struct {                               \
             MICA_EACH_(MICA_PRINTED_, unused_, __VA_ARGS__) \
             int unused_;                                    \
         }),                                                 \
         (call_))
#endif
// What an argument is, without a look at its value.
#define MICA_VALUE_(argument) (*(__typeof__(argument) *)0)
#define MICA_PRINTED_(T, argument)                                             \
    _Static_assert(_Generic(MICA_VALUE_(argument), float : 0, double : 0,      \
                            long double : 0, default : 1),                     \
                   "a format of mica prints no double (%f, %g, %e): write %s " \
                   "and mica_number(call, value), or mica_fixed(call, value, " \
                   "2) for two places");                                       \
    _Static_assert(                                                            \
        _Generic(MICA_VALUE_(argument), struct mica_text : 0, default : 1),    \
        "a text is printed with %.*s and MICA_ARG(text)");                     \
    _Static_assert(                                                            \
        _Generic(MICA_VALUE_(argument), struct mica_decimal : 0, default : 1), \
        "a decimal is printed with %s and mica_decimal_text(call, "            \
        "value), or mica_decimal_fixed(call, value, 2)");

// ---- Describing the engine -------------------------------------------------

// The days of the week as words: MICA_CHOICE(day, mica_weekday, "…") describes a
// member `enum mica_weekday day`.
MICA_CHOICES(mica_weekday, [MICA_MONDAY] = "monday", [MICA_TUESDAY] = "tuesday",
             [MICA_WEDNESDAY] = "wednesday", [MICA_THURSDAY] = "thursday",
             [MICA_FRIDAY] = "friday", [MICA_SATURDAY] = "saturday",
             [MICA_SUNDAY] = "sunday");

// A worked example: a test, a preset on the page, and guidance for an agent.
// `output` may name only some of the fields: the rest is not compared. Give
// `error` instead of `output` when the call must fail with that code.
struct mica_example {
    const char *title, *input, *output, *error;
};

// JSON written as itself: MICA_JSON({"a": [1, true, null]}).
#define MICA_JSON(...) #__VA_ARGS__
#define MICA_EXAMPLES(...)                                                    \
    (const struct mica_example[]){__VA_ARGS__},                               \
        .example_count = sizeof((const struct mica_example[]){__VA_ARGS__}) / \
                         sizeof(struct mica_example)

struct mica_engine {
    uint32_t abi;           // MICA_ENGINE_ABI
    const char *identifier; // the slug with '_' for '-'
    const struct mica_record *input, *output;
    mica_handler *handler;
    // From here on the author's:
    const char *title;       // for people: "Percentage calculator"
    const char *description; // for an agent: one sentence or a little more
    const char *category;    // groups the catalog: "math", "text", "time", …
    const struct mica_example *examples;
    size_t example_count;
    uint32_t time_ms;      // limit of one call; 0: 250
    uint32_t memory_bytes; // of one call, all in all; 0: 16 MiB, at most 64 MiB
    uint32_t output_bytes; // of the result's JSON; 0: 1 MiB
    // An engine has a view by itself, and its page <slug>.html takes its place. This says
    // more of that page: its .file is "<slug>.html", and its domains are what it loads.
    const struct mica_view *view;
};

#ifdef MICA_MODULE
// A module is linked twice: once to ask for its manifest, and once to run. What
// the latter knows of its engine has the same initializers, but of each text
// only whether it is there, so that the linker leaves the text itself out.
struct mica_run_engine {
    const struct mica_record *input, *output;
    mica_handler *handler;
    bool title, description, category, examples;
    size_t example_count;
    uint32_t time_ms, memory_bytes, output_bytes;
    const struct mica_view *view; // not read: what runs has no use for it
};

// The build finds the tables of the module's one engine by the first, the module's
// entries what runs by the second; another MICA_ENGINE in the same file is a
// redefinition.
extern const struct mica_engine *const mica_module_engine;
extern const struct mica_run_engine mica_module_run_engine;
#    define MICA_ENGINE_ENTRY_(name)                         \
        const struct mica_engine *const mica_module_engine = \
            &mica_engine_##name;
#else
#    define MICA_ENGINE_ENTRY_(name)
#endif
#if defined(MICA_MODULE) && defined(__wasm__)
// The text that stands for true is meant (inside MICA_QUIET_). The symbol has a
// name that only the linker sees: of two engines, one redefinition is reported.
#    define MICA_MEANT_                                           \
        _Pragma("GCC diagnostic ignored \"-Wstring-conversion\"") \
            _Pragma("GCC diagnostic ignored \"-Wpointer-bool-conversion\"")
#    define MICA_ENGINE_RUN_(input_tag, output_tag, name, ...)              \
        extern const struct mica_run_engine mica_run_engine_##name __asm__( \
            "mica_module_run_engine");                                      \
        const struct mica_run_engine mica_run_engine_##name = {             \
            .input = &mica_record_##input_tag,                              \
            .output = &mica_record_##output_tag,                            \
            .handler = mica_thunk_##name,                                   \
            __VA_ARGS__};
#else
#    define MICA_MEANT_
#    define MICA_ENGINE_RUN_(input_tag, output_tag, name, ...)
#endif

// Defines `const struct mica_engine mica_engine_<name>`. The handler has the
// type enum mica_status (struct mica_call *, const struct input *,
// struct output *); another type does not compile.
#define MICA_ENGINE(name, input_tag, output_tag, function, ...)              \
    static enum mica_status mica_thunk_##name(                               \
        struct mica_call *mica_call_, const void *mica_in_, void *mica_out_) \
    {                                                                        \
        const struct input_tag *mica_input_ = mica_in_;                      \
        struct output_tag *mica_output_ = mica_out_;                         \
        return function(mica_call_, mica_input_, mica_output_);              \
    }                                                                        \
    extern const struct mica_engine mica_engine_##name;                      \
    MICA_QUIET_                                                              \
    const struct mica_engine mica_engine_##name = {                          \
        .abi = MICA_ENGINE_ABI,                                              \
        .identifier = #name,                                                 \
        .input = &mica_record_##input_tag,                                   \
        .output = &mica_record_##output_tag,                                 \
        .handler = mica_thunk_##name,                                        \
        __VA_ARGS__};                                                        \
    MICA_ENGINE_ENTRY_(name)                                                 \
    MICA_MEANT_                                                              \
    MICA_ENGINE_RUN_(input_tag, output_tag, name, __VA_ARGS__)               \
    MICA_LOUD_                                                               \
    _Static_assert(1, "")

#pragma GCC visibility pop

#endif

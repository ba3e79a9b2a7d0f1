// SPDX-License-Identifier: Apache-2.0
//
// The ground everything stands on: text slices, arenas, bounded buffers,
// errors. Nothing here reads a clock, a file or the environment.
//
// Conventions of all public headers:
//  - A function that can fail returns enum mica_status, MICA_OK being 0, and
//    the compiler warns when the result is dropped. Results go through
//    parameters that come last and are named *_out; they are written only on
//    success unless said otherwise.
//  - A pointer passed in is borrowed for the call unless "Owner" says more.
//  - A function that returns memory takes the arena it comes from; the memory
//    lives as long as that arena.
//  - Sizes are bytes in size_t; a name ending in z is NUL-terminated text.
//  - Objects are not locked: one thread at a time unless "Threads" says more.
#ifndef MICA_BASE_H
#define MICA_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mica/status.h>

#pragma GCC visibility push(default)

// Attributes: the result must be looked at; the arguments fit a format.
#define MICA_MUST_USE            __attribute__((warn_unused_result))
#define MICA_PRINTF(text, first) __attribute__((format(printf, text, first)))

// Elements of an array (not of a pointer).
#define MICA_COUNT(array) (sizeof(array) / sizeof(array)[0])

// Returns from the calling function with the status of `expression` unless it
// is MICA_OK. Only where nothing needs release.
#define MICA_TRY(expression)                       \
    do {                                           \
        enum mica_status mica_try_ = (expression); \
        if (mica_try_ != MICA_OK)                  \
            return mica_try_;                      \
    } while (0)

// ---- Text ----------------------------------------------------------------

// A slice of bytes, UTF-8 where it holds text. U+0000 is data. `ptr` may be
// NULL when `len` is 0.
struct mica_text {
    const char *ptr;
    size_t len;
};

// A slice of a string literal, its length known at compile time.
#define MICA_LITERAL(literal) \
    ((struct mica_text){"" literal, sizeof("" literal) - 1})

// For "%.*s": mica_format(call, "%.*s", MICA_ARG(text)). Evaluates its argument
// twice, so pass a variable: a call in it would happen twice.
#define MICA_ARG(text) (int)(text).len, (text).ptr

// A slice of NUL-terminated text, NULL giving the empty one; and whether two are the
// same bytes, or one begins with the other. Beside a literal, whose length is known,
// they need no call.
#if defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)
inline struct mica_text
mica_text(const char *textz)
{
    return (struct mica_text){textz,
                              textz != NULL ? __builtin_strlen(textz) : 0};
}

inline bool
mica_text_equal(struct mica_text a, struct mica_text b)
{
    return a.len == b.len &&
           (a.len == 0 || __builtin_memcmp(a.ptr, b.ptr, a.len) == 0);
}

inline bool
mica_text_is(struct mica_text a, const char *bz)
{
    return mica_text_equal(a, mica_text(bz));
}

inline bool
mica_text_starts(struct mica_text a, const char *prefixz)
{
    size_t len = __builtin_strlen(prefixz);

    return len == 0 ||
           (a.len >= len && __builtin_memcmp(a.ptr, prefixz, len) == 0);
}
#else
// The same, as functions of the library.
struct mica_text mica_text(const char *textz);
bool mica_text_equal(struct mica_text a, struct mica_text b);
bool mica_text_is(struct mica_text a, const char *bz);
bool mica_text_starts(struct mica_text a, const char *prefixz);
#endif
// Byte order, shorter first on a tie: <0, 0, >0 as memcmp.
int mica_text_compare(struct mica_text a, struct mica_text b);

// Bytes [from, to) of `a`, both cut to its length. An empty slice too lies in `a`, at its
// place: at `from`, or at `to` if that is before.
struct mica_text mica_text_slice(struct mica_text a, size_t from, size_t to);

// Takes the first code point off `*rest`; 0xFFFFFFFF when it is empty. The
// text must be valid UTF-8 (all text decoded from JSON is).
uint32_t mica_text_next(struct mica_text *rest);

// Number of code points in valid UTF-8.
size_t mica_text_length(struct mica_text text);

// Writes `code_point` (a Unicode scalar value) as UTF-8; returns 1 to 4.
size_t mica_utf8_encode(uint32_t code_point, char out[4]);

// Length of the longest prefix of `text` that is valid UTF-8 (Unicode 15,
// table 3-7: no surrogates, no overlong forms); text.len when all of it is.
size_t mica_utf8_valid(struct mica_text text);

// The first `most` bytes of `text` at most, ending before what is no UTF-8: not cut
// within a character.
struct mica_text mica_utf8_cut(struct mica_text text, size_t most);

// Takes the next word off `*rest`, by the default rules of Unicode 15.0 (UAX #29): a
// word, or what stands between words, as a space, a sign or an emoji. `rest` must not
// be empty, and begins where a word does, as it does after this. True for one with a
// letter, a digit or an ideograph. The text must be valid UTF-8. Linear in time.
bool mica_text_word(struct mica_text *rest, struct mica_text *word_out);

// The same for sentences: with the spaces and the end of a line behind it. An end of
// a line ends a sentence.
bool mica_text_sentence(struct mica_text *rest, struct mica_text *sentence_out);

// Edit distance in bytes for "did you mean", ASCII case ignored; `limit` + 1
// when it is above `limit` (0 to 63).
size_t mica_text_distance(struct mica_text a, struct mica_text b, size_t limit);

// ---- Arena ---------------------------------------------------------------

// Memory that is released all at once, with a hard cap. Overflow is sticky: an
// allocation past the cap gives NULL, and so does every later one, so that ten
// steps can run and one check at the end is enough.
struct mica_arena {
    char *next, *end;                // free part of the current block
    struct mica_arena_block *blocks; // all blocks, newest first
    size_t used, cap;                // bytes given to blocks, and their limit
    bool overflow;
    bool small; // its first blocks are
};

// An arena that takes blocks as it needs them, `cap` bytes in all.
void mica_arena_init(struct mica_arena *arena, size_t cap);

// The same for what is small and stays, and of which there may be many.
void mica_arena_init_small(struct mica_arena *arena, size_t cap);

// Gives all memory back. Safe on a zeroed arena and when called twice.
void mica_arena_fini(struct mica_arena *arena);

// Forgets every allocation and the overflow; keeps the oldest block, so that an
// arena reused per call stops asking the system for memory.
void mica_arena_reset(struct mica_arena *arena);

// `size` bytes, aligned for any type, not zeroed; NULL on overflow. Size 0
// gives a valid pointer.
void *mica_arena_alloc(struct mica_arena *arena, size_t size);

// `count` × `size` zeroed bytes; NULL on overflow of the arena or the product.
void *mica_arena_zero(struct mica_arena *arena, size_t count, size_t size);

// A copy with a NUL behind it; {NULL, 0} on overflow.
struct mica_text mica_arena_text(struct mica_arena *arena,
                                 struct mica_text text);

// ---- Buffer --------------------------------------------------------------

// Bytes that grow up to a maximum given at birth. Overflow is sticky: what did
// not fit is dropped whole, `overflow` is set, and nothing more is taken.
struct mica_buffer {
    char *ptr;
    size_t len, capacity, max;
    struct mica_arena *arena; // where it grows; NULL: the system's heap
    bool overflow;
};

// Owner: with an arena, the bytes live as long as it; without, until _fini.
void mica_buffer_init(struct mica_buffer *buffer, struct mica_arena *arena,
                      size_t max);
void mica_buffer_fini(struct mica_buffer *buffer);

// Room for `size` more bytes at ptr + len, without counting them; NULL on
// overflow. Add to `len` what was written.
char *mica_buffer_reserve(struct mica_buffer *buffer, size_t size);
void mica_buffer_add(struct mica_buffer *buffer, const void *bytes,
                     size_t size);
void mica_buffer_text(struct mica_buffer *buffer, struct mica_text text);
void mica_buffer_char(struct mica_buffer *buffer, char byte);

// mica's own formatter, the same everywhere and free of locale: %s %.*s %c %d
// %i %u %x %X %ld %lu %lld %llu %zu %zd with width, zero padding and '-', and
// %%. Precision only for %s; of %.*s it is the length of a slice (MICA_ARG), all of
// which is taken, a U+0000 in it too. No floating point: use mica_number_write or
// mica_number_fixed. An unknown conversion is a programming error (asserted).
void mica_buffer_format(struct mica_buffer *buffer, const char *formatz, ...)
    MICA_PRINTF(2, 3);
void mica_buffer_vformat(struct mica_buffer *buffer, const char *formatz,
                         va_list arguments) MICA_PRINTF(2, 0);
struct mica_text mica_buffer_as_text(const struct mica_buffer *buffer);

// ---- Numbers as text -----------------------------------------------------

#define MICA_NUMBER_SIZE 32 // room that mica_number_write needs, NUL included

// The shortest decimal that reads back as the same double, in the form of
// ECMA-262 Number::toString ("1e+21", "0.000001", "1e-7"), NUL-terminated.
// Negative zero gives "0", NaN "NaN", infinities "Infinity" and "-Infinity".
// Returns the length. (Schubfach, R. Giulietti 2021.)
size_t mica_number_write(double value, char out[MICA_NUMBER_SIZE]);

// Reads a whole JSON number (RFC 8259 section 6), correctly rounded to nearest,
// ties to even. False when `text` is anything else. Overflow gives an infinity.
bool mica_number_read(struct mica_text text, double *value_out);

// Reads an integer written as a JSON number: digits only, or a form like 42.0
// or 1e3 whose value is whole and fits. False otherwise.
bool mica_integer_read(struct mica_text text, int64_t *value_out);

// Decimal with exactly `digits` (0 to 100) places of a finite value, rounded
// half away from zero on the exact value of the double, as ECMA-262 toFixed but
// without its switch to exponents above 1e21. The text goes to `buffer`.
void mica_number_fixed(struct mica_buffer *buffer, double value,
                       unsigned digits);

// ---- Rounding ------------------------------------------------------------

// The double nearest to 10^exponent: an infinity above 308, 0 below -323. In an
// engine it takes less room than pow(10, …), whose tables browsers would fetch.
double mica_power_of_ten(int exponent);

// The nearest value with `digits` (0 to 22) decimal places, halves away from
// zero. Where value × 10^digits is not finite, the value as it is.
double mica_round(double value, unsigned digits);

// ---- Currencies (ISO 4217) -----------------------------------------------

// Decimal places of the smallest unit of a currency: 2 for EUR, 0 for JPY, 3 for
// KWD. 2 for a code that is not in use.
unsigned mica_currency_digits(struct mica_text code);

// The code in use (list one, amendment 180) that is nearest to `code`, which is
// the same one if it is in use; empty when none is within three edits.
struct mica_text mica_currency_nearest(struct mica_text code);

// ---- Base64 (RFC 4648) ---------------------------------------------------

// Standard alphabet with padding.
void mica_base64_write(struct mica_buffer *buffer, const void *bytes,
                       size_t size);

// Strict: canonical padding, no white space, nothing outside the alphabet, no
// stray bits. False otherwise, and the buffer is unchanged.
bool mica_base64_read(struct mica_buffer *buffer, struct mica_text text);

// ---- Errors --------------------------------------------------------------

// What went wrong, for a person or an agent. The deepest layer states the
// fact, the value and the fix; a caller may prefix what it was doing.
struct mica_error {
    enum mica_status status;
    char code[48];     // stable UPPER_SNAKE; a handler's own for MICA_FAILED
    char message[512]; // cut at a character with "…" when longer
    char path[192];    // JSON Pointer to the input at fault, "" for all of it
};

// Fills `error` (which may be NULL) and returns `status`. The format is that of
// mica_buffer_format. `pathz` is a JSON Pointer or "".
enum mica_status mica_error_set(struct mica_error *error,
                                enum mica_status status, const char *pathz,
                                const char *formatz, ...) MICA_PRINTF(4, 5);
enum mica_status mica_error_vset(struct mica_error *error,
                                 enum mica_status status, const char *codez,
                                 const char *pathz, const char *formatz,
                                 va_list arguments) MICA_PRINTF(5, 0);

// Puts "prefix: " before the message.
void mica_error_prefix(struct mica_error *error, const char *formatz, ...)
    MICA_PRINTF(2, 3);

// ---- Calendar ------------------------------------------------------------

// A day of the proleptic Gregorian calendar, year 1 to 9999.
struct mica_date {
    int32_t year, month, day; // month 1 to 12, day 1 to 31
};

// A moment as RFC 3339 writes it, with the offset it was written with.
struct mica_time {
    struct mica_date date;
    int32_t hour, minute, second; // 0-23, 0-59, 0-59 (a leap second is refused)
    int32_t nanosecond;
    int32_t offset_minutes; // east of UTC, -1439 to 1439
};

// Days since 1970-01-01 (negative before), and back; a day outside the calendar
// gives {0, 0, 0}, which mica_date_valid refuses.
int64_t mica_date_to_days(struct mica_date date);
struct mica_date mica_date_from_days(int64_t days);
bool mica_date_valid(struct mica_date date);
int32_t mica_days_in_month(int32_t year, int32_t month);

// The same day `months` later (earlier, if below 0), or the last day of a month
// that is shorter; {0, 0, 0} outside the calendar.
struct mica_date mica_date_add_months(struct mica_date date, int64_t months);

// As ISO 8601 orders them, from 0.
enum mica_weekday {
    MICA_MONDAY,
    MICA_TUESDAY,
    MICA_WEDNESDAY,
    MICA_THURSDAY,
    MICA_FRIDAY,
    MICA_SATURDAY,
    MICA_SUNDAY
};

// Of a day counted as mica_date_to_days does.
enum mica_weekday mica_weekday(int64_t days);

// Seconds since 1970-01-01T00:00:00Z of the moment, its fraction dropped, and
// back to the wall clock at `offset_minutes`.
int64_t mica_time_to_seconds(struct mica_time time);
struct mica_time mica_time_from_seconds(int64_t seconds,
                                        int32_t offset_minutes);

// "2026-11-20" and "2026-11-20T09:30:00+01:00" (ISO 8601 as RFC 3339 profiles
// it; "Z" for offset 0; a fraction is written in 3, 6 or 9 digits if not 0).
bool mica_date_read(struct mica_text text, struct mica_date *date_out);
bool mica_time_read(struct mica_text text, struct mica_time *time_out);
void mica_date_write(struct mica_buffer *buffer, struct mica_date date);
void mica_time_write(struct mica_buffer *buffer, struct mica_time time);

#pragma GCC visibility pop

#endif

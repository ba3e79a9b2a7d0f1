// SPDX-License-Identifier: Apache-2.0
//
// Decimals: JSON numbers that are read from their text and written as one, so that
// no digit passes through a double.
#include <math.h>

#include "schema/codec.h"
#include "schema/decode_words.h"

#define WIRE                                                             \
    "a decimal of at most 34 significant digits whose first is between " \
    "10^-99 and 10^99"

enum {
    SHOWN = 60 // characters of a number that is refused
};

// A bound is what its text says, as the schema shows it: 0.01 is a hundredth, not
// the double next to it. `mica_record_check` refuses those that are no decimals.
static struct mica_decimal
decimal_bound(double bound)
{
    char text[MICA_NUMBER_SIZE];
    struct mica_decimal decimal = {.exponent = 0};
    size_t len = mica_number_write(bound, text);
    (void)mica_decimal_read((struct mica_text){text, len}, &decimal);
    return decimal;
}

// Where the value lies from the bound: <0, 0, >0.
static int
from_bound(struct mica_decimal value, double bound)
{
    if (isinf(bound))
        return bound > 0 ? -1 : 1;
    return mica_decimal_compare(value, decimal_bound(bound));
}

static enum mica_status
check_decimal(const struct mica_checker *checker,
              const struct mica_place *place, const struct mica_bounds *bounds,
              struct mica_decimal value)
{
    char words[MICA_BOUNDS_SIZE], text[MICA_DECIMAL_SIZE];
    if (from_bound(value, bounds->minimum) >= 0 &&
        from_bound(value, bounds->maximum) <= 0 &&
        from_bound(value, bounds->exclusive_minimum) > 0 &&
        from_bound(value, bounds->exclusive_maximum) < 0)
        return MICA_OK;
    (void)mica_decimal_write(value, text);
    return mica_value_fail(checker, place, MICA_E_RANGE,
                           "must be %s, but is %s",
                           mica_value_bounds_words(bounds, false, words), text);
}

static enum mica_status
decode_decimal(struct mica_checker *checker, const struct mica_place *place,
               const struct mica_slot *slot, const struct mica_json *value,
               void *out)
{
    struct mica_decimal *decimal = out;
    if (value->kind != MICA_JSON_NUMBER)
        return mica_decode_wrong_type(checker, place, slot, value);
    if (mica_decimal_read(value->text, decimal))
        return check_decimal(checker, place, mica_slot_bounds(slot), *decimal);
    return mica_value_fail(checker, place, MICA_E_RANGE,
                           "must be " WIRE ", but is %.*s%s",
                           MICA_ARG(mica_text_slice(value->text, 0, SHOWN)),
                           value->text.len > SHOWN ? "…" : "");
}

static enum mica_status
encode_decimal(struct mica_checker *checker, const struct mica_place *place,
               const struct mica_slot *slot, const void *in,
               struct mica_json_writer *writer)
{
    const struct mica_decimal *decimal = in;
    char text[MICA_DECIMAL_SIZE];
    size_t len = mica_decimal_write(*decimal, text);
    if (!mica_decimal_fits(*decimal))
        return mica_value_fail(checker, place, MICA_E_RANGE,
                               "must be " WIRE ", and rounded where it is not "
                               "exact (mica_decimal_round), but is %s",
                               text);
    MICA_TRY(check_decimal(checker, place, mica_slot_bounds(slot), *decimal));
    mica_json_raw(writer, (struct mica_text){text, len});
    return MICA_OK;
}

const struct mica_codec mica_codec_decimal = {"a decimal number",
                                              decode_decimal, encode_decimal};

// SPDX-License-Identifier: Apache-2.0
//
// Whole numbers of any size between the bases 2 and 36. The number is an array
// of 32-bit limbs, least significant first; digits go in and come out several
// at a time, as many as fit into one limb.
#include <mica/engine.h>

#define MAX_DIGITS 10000

enum letters {
    LOWER,
    UPPER
};
MICA_CHOICES(letters, [LOWER] = "lower", [UPPER] = "upper");

struct input {
    struct mica_text number;
    int64_t from_base, to_base;
    enum letters letters;
};
MICA_RECORD(input,
            MICA_TEXT(number,
                      "The whole number to convert, as text: digits 0-9 and "
                      "letters for 10 to 35 in either case, with an optional "
                      "minus. No prefix such as 0x, no separators.",
                      .pattern = "^-?[0-9A-Za-z]+$", .max_length = MAX_DIGITS),
            MICA_INTEGER(from_base,
                         "Base of number: 2 binary, 8 octal, 10 decimal, 16 "
                         "hexadecimal, up to 36.",
                         .minimum = 2, .maximum = 36),
            MICA_INTEGER(to_base, "Base to convert to.", .minimum = 2,
                         .maximum = 36),
            MICA_CHOICE(letters, letters, "Case of the letters in the result.",
                        .fallback = MICA_JSON("lower")));

struct output {
    struct mica_text number;
    int64_t base, digits, bits;
};
MICA_RECORD(output,
            MICA_TEXT(number, "The number in the base asked for, without "
                              "leading zeros."),
            MICA_INTEGER(base, "Base of number."),
            MICA_INTEGER(digits, "Number of its digits, without the minus."),
            MICA_INTEGER(bits, "Number of binary digits of its absolute value; "
                               "0 for zero."));

struct natural {
    uint32_t *limbs;
    size_t count; // without zeros at the top
};

// number = number × factor + addend
static void
multiply_add(struct natural *number, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;

    for (size_t i = 0; i < number->count; i++) {
        carry += (uint64_t)number->limbs[i] * factor;
        number->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    number->limbs[number->count] = (uint32_t)carry;
    number->count += carry > 0;
}

// number = number / divisor; returns the remainder.
static uint32_t
divide(struct natural *number, uint32_t divisor)
{
    uint64_t rest = 0;

    for (size_t i = number->count; i-- > 0;) {
        rest = rest << 32 | number->limbs[i];
        number->limbs[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    number->count -= number->count > 0 && number->limbs[number->count - 1] == 0;
    return (uint32_t)rest;
}

// The largest power of `base` in a limb, and how many digits it stands for.
static uint32_t
chunk(uint32_t base, size_t *digits_out)
{
    uint32_t power = base;

    for (*digits_out = 1; power <= UINT32_MAX / base; ++*digits_out) {
        power *= base;
    }
    return power;
}

static uint32_t
digit_value(char digit)
{
    return (uint32_t)(digit <= '9' ? digit - '0' : (digit | 32) - 'a' + 10);
}

// Reads the digits of `text`; the position of the first that `base` does not have
// goes to `*bad_out`, text.len when all are.
static struct natural
parse(struct mica_call *call, struct mica_text text, uint32_t base,
      size_t *bad_out)
{
    // A digit has at most 6 bits (36 < 64).
    struct natural number = {MICA_NEW(call, uint32_t, text.len * 6 / 32 + 2),
                             0};
    size_t width, at = 0;

    (void)chunk(base, &width);
    *bad_out = 0;
    while (*bad_out < text.len && digit_value(text.ptr[*bad_out]) < base) {
        ++*bad_out;
    }
    while (at < *bad_out) {
        uint32_t power = 1, value = 0;

        for (size_t end = at + width; at < *bad_out && at < end; at++) {
            value = value * base + digit_value(text.ptr[at]);
            power *= base;
        }
        multiply_add(&number, power, value);
    }
    return number;
}

static int64_t
bit_count(const struct natural *number)
{
    int64_t bits = (int64_t)number->count * 32;
    uint32_t top = number->count > 0 ? number->limbs[number->count - 1] : 1;

    for (; top >> 31 == 0 && number->count > 0; top <<= 1) {
        bits--;
    }
    return bits;
}

// The digits of `number`, which is used up, written from the end.
static struct mica_text
write(struct mica_call *call, struct natural *number, uint32_t base,
      const char *alphabet)
{
    size_t width, size = number->count * 32 + 32, at = size;
    uint32_t power = chunk(base, &width);
    char *text = MICA_NEW(call, char, size);

    do {
        uint32_t rest = divide(number, power);

        // Zeros inside the number count, those before it do not.
        for (size_t i = 0; i < width && (number->count > 0 || rest > 0); i++) {
            text[--at] = alphabet[rest % base];
            rest /= base;
        }
    } while (number->count > 0);
    if (at == size) {
        text[--at] = '0';
    }
    return (struct mica_text){text + at, size - at};
}

static enum mica_status
convert(struct mica_call *call, const struct input *in, struct output *out)
{
    static const char *const alphabets[] = {
        [LOWER] = "0123456789abcdefghijklmnopqrstuvwxyz",
        [UPPER] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"};
    size_t sign = mica_text_starts(in->number, "-") ? 1 : 0, bad;
    struct mica_text text = mica_text_slice(in->number, sign, in->number.len);
    struct natural number = parse(call, text, (uint32_t)in->from_base, &bad);

    if (bad < text.len) {
        return mica_fail(call, "BAD_DIGIT", "number",
                         "'%c' at character %zu of number is no digit of base "
                         "%d, whose largest is '%c'. Correct it or pass a "
                         "from_base of at least %u.",
                         text.ptr[bad], bad + sign + 1, (int)in->from_base,
                         alphabets[LOWER][in->from_base - 1],
                         digit_value(text.ptr[bad]) + 1);
    }
    out->bits = bit_count(&number);
    text = write(call, &number, (uint32_t)in->to_base, alphabets[in->letters]);
    out->number = mica_format(call, "%s%.*s", sign && out->bits > 0 ? "-" : "",
                              MICA_ARG(text));
    out->base = in->to_base;
    out->digits = (int64_t)text.len;
    return MICA_OK;
}

MICA_ENGINE(
    base_converter, input, output, convert, .title = "Base converter",
    .category = "math",
    .description =
        "Convert a whole number of any size between bases 2 and 36, up to "
        "10000 digits. The number is text, so that no digit is lost.",
    .examples = MICA_EXAMPLES(
        {"Decimal to hexadecimal",
         MICA_JSON({"number": "255", "from_base": 10, "to_base": 16}),
         MICA_JSON({"number": "ff", "base": 16, "digits": 2, "bits": 8})},
        {"Beyond 64 bits", MICA_JSON({
             "number": "123456789012345678901234567890",
             "from_base": 10,
             "to_base": 36,
             "letters": "upper"
         }),
         MICA_JSON({"number": "BYW97UM9S91DLZ68TSI", "bits": 97})},
        {"Below zero, with a zero inside", MICA_JSON({
             "number": "-1000000000000000000000000000000000001",
             "from_base": 2,
             "to_base": 10
         }),
         MICA_JSON({"number": "-68719476737"})},
        {"Minus nothing",
         MICA_JSON({"number": "-000", "from_base": 8, "to_base": 2}),
         MICA_JSON({"number": "0", "digits": 1, "bits": 0})},
        {"A digit too large",
         MICA_JSON({"number": "1012", "from_base": 2, "to_base": 10}),
         .error = "BAD_DIGIT"}));

// SPDX-License-Identifier: Apache-2.0
//
// Checks labels of internationalized host names. A U-label is checked as code
// points; an A-label is decoded first, and must be what encoding gives again, so
// that each name has one form only.
#include "schema/idna.h"

#include <string.h>

#include "schema/format.h"
#include "schema/idna_pairs.h"
#include "schema/idna_ranges.h"

enum {
    LABEL_BYTES = 63, // of an A-label, so a U-label has fewer characters
    NAME_BYTES = 253,
    VIRAMA = 9 // the canonical combining class
};

enum bidi {
    BIDI_NEUTRAL,
    BIDI_L,
    BIDI_R,
    BIDI_AL,
    BIDI_AN,
    BIDI_EN,
    BIDI_NSM
};

enum joining {
    JOINING_NONE,
    JOINING_TRANSPARENT,
    JOINING_LEFT,
    JOINING_RIGHT,
    JOINING_DUAL
};

enum script {
    SCRIPT_OTHER,
    SCRIPT_GREEK,
    SCRIPT_HEBREW,
    SCRIPT_HIRAGANA,
    SCRIPT_KATAKANA,
    SCRIPT_HAN
};

// The code points of one label.
struct label {
    uint32_t points[LABEL_BYTES + 1];
    size_t count;
};

// ---- Properties of characters ----------------------------------------------

// The flags of idna_ranges.h; 0 for a character that no label may have.
static uint32_t
character_flags(uint32_t point)
{
    size_t low = 0, high = MICA_COUNT(mica_idna_ranges);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct mica_idna_range *range = &mica_idna_ranges[middle];
        if (point < range->first)
            high = middle;
        else if (point > range->last)
            low = middle + 1;
        else
            return range->flags;
    }
    return 0;
}

static enum bidi
character_bidi(uint32_t point)
{
    return (enum bidi)(character_flags(point) >> 1 & 7);
}

static enum joining
character_joining(uint32_t point)
{
    return (enum joining)(character_flags(point) >> 4 & 7);
}

static enum script
character_script(uint32_t point)
{
    return (enum script)(character_flags(point) >> 7 & 7);
}

static bool
character_is_mark(uint32_t point)
{
    return (character_flags(point) >> 10 & 1) != 0;
}

static uint32_t
character_combining(uint32_t point)
{
    return character_flags(point) >> 16;
}

// The character that the two become, or 0.
static uint32_t
characters_compose(uint32_t first, uint32_t second)
{
    size_t low = 0, high = MICA_COUNT(mica_idna_pairs);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct mica_idna_pair *pair = &mica_idna_pairs[middle];
        if (pair->first == first && pair->second == second)
            return pair->one;
        if (pair->first < first ||
            (pair->first == first && pair->second < second))
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

static const struct mica_idna_pair *
character_parts(uint32_t point)
{
    for (size_t i = 0; i < MICA_COUNT(mica_idna_pairs); i++)
        if (mica_idna_pairs[i].one == point)
            return &mica_idna_pairs[i];
    return NULL;
}

static uint32_t
small_letter(uint32_t point)
{
    return point >= 'A' && point <= 'Z' ? point | 0x20 : point;
}

// ---- Punycode (RFC 3492) ---------------------------------------------------

enum {
    BASE = 36,
    T_MIN = 1,
    T_MAX = 26,
    SKEW = 38,
    DAMP = 700,
    INITIAL_BIAS = 72,
    INITIAL_N = 0x80
};

// Section 6.1: the bias for the next delta.
static uint32_t
punycode_adapt(uint32_t delta, uint32_t count, bool first)
{
    uint32_t k = 0;
    delta = first ? delta / DAMP : delta / 2;
    delta += delta / count;
    for (; delta > (BASE - T_MIN) * T_MAX / 2; k += BASE)
        delta /= BASE - T_MIN;
    return k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

static uint32_t
punycode_threshold(uint32_t k, uint32_t bias)
{
    if (k <= bias + T_MIN)
        return T_MIN;
    return k >= bias + T_MAX ? T_MAX : k - bias;
}

static bool
punycode_digit(char c, uint32_t *digit_out)
{
    if (c >= '0' && c <= '9')
        *digit_out = (uint32_t)(c - '0') + 26;
    else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
        *digit_out = (uint32_t)((c | 0x20) - 'a');
    else
        return false;
    return true;
}

// One delta, a number of variable length, is added to `*i`.
static bool
punycode_take_delta(struct mica_text *rest, uint32_t bias, uint32_t *i)
{
    uint32_t weight = 1, digit;
    for (uint32_t k = BASE;; k += BASE) {
        if (rest->len == 0 || !punycode_digit(rest->ptr[0], &digit))
            return false;
        *rest = mica_text_slice(*rest, 1, rest->len);
        if (digit > (UINT32_MAX - *i) / weight)
            return false;
        *i += digit * weight;
        uint32_t threshold = punycode_threshold(k, bias);
        if (digit < threshold)
            return true;
        if (weight > UINT32_MAX / (BASE - threshold))
            return false;
        weight *= BASE - threshold;
    }
}

// Section 6.2. Letters of ASCII become small ones, as names do not tell them apart.
static bool
punycode_decode(struct mica_text text, struct label *label_out)
{
    size_t basic = text.len;
    while (basic > 0 && text.ptr[basic - 1] != '-')
        basic--;
    label_out->count = 0;
    for (size_t i = 0; i + 1 < basic; i++)
        label_out->points[label_out->count++] =
            small_letter((unsigned char)text.ptr[i]);
    struct mica_text rest =
        mica_text_slice(text, basic > 1 ? basic : 0, text.len);
    uint32_t n = INITIAL_N, i = 0, bias = INITIAL_BIAS;
    while (rest.len > 0) {
        uint32_t before = i, count = (uint32_t)label_out->count + 1;
        if (count > LABEL_BYTES || !punycode_take_delta(&rest, bias, &i))
            return false;
        bias = punycode_adapt(i - before, count, before == 0);
        if (i / count > 0x10FFFF - n)
            return false;
        n += i / count;
        i %= count;
        memmove(&label_out->points[i + 1], &label_out->points[i],
                (count - 1 - i) * sizeof label_out->points[0]);
        label_out->points[i++] = n;
        label_out->count = count;
    }
    return true;
}

// What is encoded so far; past LABEL_BYTES nothing is written any more.
struct encoded {
    char bytes[LABEL_BYTES];
    size_t len;
    bool fits;
};

static void
encoded_add(struct encoded *out, char c)
{
    out->fits = out->fits && out->len < sizeof out->bytes;
    if (out->fits)
        out->bytes[out->len++] = c;
}

static void
encoded_add_delta(struct encoded *out, uint32_t delta, uint32_t bias)
{
    static const char digits[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    for (uint32_t k = BASE;; k += BASE) {
        uint32_t threshold = punycode_threshold(k, bias);
        if (delta < threshold)
            break;
        encoded_add(
            out, digits[threshold + (delta - threshold) % (BASE - threshold)]);
        delta = (delta - threshold) / (BASE - threshold);
    }
    encoded_add(out, digits[delta]);
}

// The smallest code point from `least` on; labels have one when it is called.
static uint32_t
label_next_point(const struct label *label, uint32_t least)
{
    uint32_t next = UINT32_MAX;
    for (size_t i = 0; i < label->count; i++)
        if (label->points[i] >= least && label->points[i] < next)
            next = label->points[i];
    return next;
}

// Section 6.3, for a label of at most 63 code points: `delta` stays below 2^32.
static void
punycode_encode(const struct label *label, struct encoded *out)
{
    for (size_t i = 0; i < label->count; i++)
        if (label->points[i] < INITIAL_N)
            encoded_add(out, (char)label->points[i]);
    uint32_t basic = 0, n = INITIAL_N, delta = 0, bias = INITIAL_BIAS;
    for (size_t i = 0; i < label->count; i++)
        basic += label->points[i] < INITIAL_N;
    if (basic > 0)
        encoded_add(out, '-');
    for (uint32_t done = basic; done < label->count; delta++, n++) {
        uint32_t next = label_next_point(label, n);
        delta += (next - n) * (done + 1);
        n = next;
        for (size_t i = 0; i < label->count; i++) {
            delta += label->points[i] < n;
            if (label->points[i] != n)
                continue;
            encoded_add_delta(out, delta, bias);
            bias = punycode_adapt(delta, done + 1, done == basic);
            delta = 0;
            done++;
        }
    }
}

// ---- U-labels --------------------------------------------------------------

// RFC 5892 appendix A.1: between two letters that would join without it.
static bool
joins_around(const struct label *label, size_t at)
{
    size_t before = at, behind = at + 1;
    while (before > 0 &&
           character_joining(label->points[before - 1]) == JOINING_TRANSPARENT)
        before--;
    while (behind < label->count &&
           character_joining(label->points[behind]) == JOINING_TRANSPARENT)
        behind++;
    if (before == 0 || behind == label->count)
        return false;
    enum joining left = character_joining(label->points[before - 1]);
    enum joining right = character_joining(label->points[behind]);
    return (left == JOINING_LEFT || left == JOINING_DUAL) &&
           (right == JOINING_RIGHT || right == JOINING_DUAL);
}

static bool
label_has_between(const struct label *label, uint32_t first, uint32_t last)
{
    for (size_t i = 0; i < label->count; i++)
        if (label->points[i] >= first && label->points[i] <= last)
            return true;
    return false;
}

static bool
label_has_kana_or_han(const struct label *label)
{
    for (size_t i = 0; i < label->count; i++)
        if (character_script(label->points[i]) >= SCRIPT_HIRAGANA)
            return true;
    return false;
}

// RFC 5892 appendix A: characters that depend on those around them.
static bool
label_has_context(const struct label *label, size_t at)
{
    uint32_t point = label->points[at];
    // 0 has no properties, so it stands for a neighbor that is not there.
    uint32_t before = at > 0 ? label->points[at - 1] : 0;
    uint32_t behind = at + 1 < label->count ? label->points[at + 1] : 0;
    switch (point) {
    case 0x200C: // zero width non-joiner
        return character_combining(before) == VIRAMA || joins_around(label, at);
    case 0x200D: // zero width joiner
        return character_combining(before) == VIRAMA;
    case 0x00B7: // middle dot
        return before == 'l' && behind == 'l';
    case 0x0375: // Greek keraia
        return character_script(behind) == SCRIPT_GREEK;
    case 0x05F3: // Hebrew geresh
    case 0x05F4: // Hebrew gershayim
        return character_script(before) == SCRIPT_HEBREW;
    case 0x30FB: // Katakana middle dot
        return label_has_kana_or_han(label);
    default:
        break;
    }
    if (point >= 0x660 && point <= 0x669) // Arabic-Indic digits
        return !label_has_between(label, 0x6F0, 0x6F9);
    if (point >= 0x6F0 && point <= 0x6F9) // extended Arabic-Indic digits
        return !label_has_between(label, 0x660, 0x669);
    return true;
}

// A character has four parts at most (Unicode 15), so a label has no more than this.
#define PARTS_MAX (4 * LABEL_BYTES)

// Adds a mark behind those of a lower or the same class: the canonical order.
static void
parts_add(uint32_t *parts, size_t *count, uint32_t point)
{
    uint32_t combining = character_combining(point);
    size_t at = (*count)++;
    while (at > 0 && combining != 0 &&
           character_combining(parts[at - 1]) > combining) {
        parts[at] = parts[at - 1];
        at--;
    }
    parts[at] = point;
}

static void
parts_add_character(uint32_t *parts, size_t *count, uint32_t point)
{
    uint32_t behind[4]; // the second parts, the last one first
    size_t depth = 0;
    const struct mica_idna_pair *pair;
    while ((pair = character_parts(point)) != NULL && depth < 4) {
        behind[depth++] = pair->second;
        point = pair->first;
    }
    parts_add(parts, count, point);
    while (depth > 0)
        parts_add(parts, count, behind[--depth]);
}

// Composes in place (UAX #15, D117); returns how many characters are left.
static size_t
parts_compose(uint32_t *parts, size_t count)
{
    size_t starter = SIZE_MAX, kept = 0;
    uint32_t last = 0; // combining class of what was kept last
    for (size_t i = 0; i < count; i++) {
        uint32_t combining = character_combining(parts[i]), one = 0;
        if (starter != SIZE_MAX &&
            (kept == starter + 1 || (last != 0 && last < combining)))
            one = characters_compose(parts[starter], parts[i]);
        if (one != 0) {
            parts[starter] = one;
            continue;
        }
        if (combining == 0)
            starter = kept;
        last = combining;
        parts[kept++] = parts[i];
    }
    return kept;
}

// Whether it is in normalization form C already.
static bool
label_is_normalized(const struct label *label)
{
    uint32_t parts[PARTS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < label->count; i++)
        parts_add_character(parts, &count, label->points[i]);
    count = parts_compose(parts, count);
    return count == label->count &&
           memcmp(parts, label->points, count * sizeof parts[0]) == 0;
}

// One bit for each Bidi class that occurs.
static unsigned
label_bidi_classes(const struct label *label)
{
    unsigned classes = 0;
    for (size_t i = 0; i < label->count; i++)
        classes |= 1u << character_bidi(label->points[i]);
    return classes;
}

static bool
label_has_right_to_left(const struct label *label)
{
    return (label_bidi_classes(label) &
            (1u << BIDI_R | 1u << BIDI_AL | 1u << BIDI_AN)) != 0;
}

// RFC 5893 section 2: what each label of a name keeps to, when one of them has
// characters that are written from right to left.
static bool
label_keeps_bidi_rule(const struct label *label)
{
    const unsigned right = 1u << BIDI_R | 1u << BIDI_AL;
    const unsigned numbers = 1u << BIDI_EN | 1u << BIDI_AN;
    if (label->count == 0)
        return false;
    unsigned classes = label_bidi_classes(label);
    unsigned first = 1u << character_bidi(label->points[0]);
    size_t end = label->count;
    while (end > 1 && character_bidi(label->points[end - 1]) == BIDI_NSM)
        end--;
    unsigned last = 1u << character_bidi(label->points[end - 1]);
    if ((first & right) != 0)
        return (classes & 1u << BIDI_L) == 0 &&
               (classes & numbers) != numbers &&
               (last & (right | numbers)) != 0;
    return first == 1u << BIDI_L && !label_has_right_to_left(label) &&
           (last & (1u << BIDI_L | 1u << BIDI_EN)) != 0;
}

// RFC 5891 section 4.2.
static bool
label_is_u_label(const struct label *label)
{
    const uint32_t *points = label->points;
    if (label->count == 0 || !label_has_between(label, INITIAL_N, 0x10FFFF) ||
        points[0] == '-' || points[label->count - 1] == '-' ||
        (label->count > 3 && points[2] == '-' && points[3] == '-') ||
        character_is_mark(points[0]))
        return false;
    for (size_t i = 0; i < label->count; i++)
        if (character_flags(points[i]) == 0 || !label_has_context(label, i))
            return false;
    return label_is_normalized(label);
}

// Its A-label; false when that would be too long.
static bool
label_encode(const struct label *label, struct encoded *out)
{
    *out = (struct encoded){.bytes = "xn--", .len = 4, .fits = true};
    punycode_encode(label, out);
    return out->fits;
}

// Whether it is an A-label; `label_out` is its U-label then.
static bool
a_label_decode(struct mica_text text, struct label *label_out)
{
    struct encoded again;
    if (text.len <= 4 || (text.ptr[0] | 0x20) != 'x' ||
        (text.ptr[1] | 0x20) != 'n')
        return false;
    if (!punycode_decode(mica_text_slice(text, 4, text.len), label_out) ||
        !label_is_u_label(label_out) || !label_encode(label_out, &again) ||
        again.len != text.len)
        return false;
    for (size_t i = 4; i < text.len; i++)
        if (small_letter((unsigned char)text.ptr[i]) !=
            (unsigned char)again.bytes[i])
            return false;
    return true;
}

// ---- Names -----------------------------------------------------------------

static bool
is_full_stop(uint32_t point)
{
    return point == '.' || point == 0x3002 || point == 0xFF0E ||
           point == 0xFF61;
}

// Takes a label and the full stop behind it off `*rest`; its bytes and its code
// points. False when it is too long.
static bool
label_take(struct mica_text *rest, struct mica_text *bytes_out,
           struct label *label_out, bool *more_out)
{
    struct mica_text start = *rest;
    size_t size = 0;
    label_out->count = 0;
    *more_out = false;
    while (rest->len > 0) {
        uint32_t point = mica_text_next(rest);
        *more_out = is_full_stop(point);
        if (*more_out)
            break;
        if (label_out->count == LABEL_BYTES)
            return false;
        label_out->points[label_out->count++] = point;
        size = start.len - rest->len;
    }
    *bytes_out = mica_text_slice(start, 0, size);
    return true;
}

// Checks one label and says how many bytes it has in ASCII. `label` becomes what
// the Bidi rule is about: the U-label of an A-label, small letters of ASCII.
static bool
label_check(struct mica_text text, struct label *label, size_t *bytes_out)
{
    struct encoded encoded;
    *bytes_out = text.len;
    if (label_has_between(label, INITIAL_N, 0x10FFFF)) {
        bool good = label_is_u_label(label) && label_encode(label, &encoded);
        *bytes_out = good ? encoded.len : 0;
        return good;
    }
    for (size_t i = 0; i < label->count; i++)
        label->points[i] = small_letter(label->points[i]);
    if (!mica_format_is_hostname(text)) // it has no dot, so it is one label
        return false;
    return text.len < 4 || text.ptr[2] != '-' || text.ptr[3] != '-' ||
           a_label_decode(text, label);
}

bool
mica_idna_is_hostname(struct mica_text text)
{
    size_t total = 0;
    bool more = true, right_to_left = false, keeps_rule = true;
    while (more) {
        struct mica_text bytes;
        struct label label;
        size_t size;
        if (!label_take(&text, &bytes, &label, &more) ||
            !label_check(bytes, &label, &size))
            return false;
        total += size + more;
        if (total > NAME_BYTES)
            return false;
        right_to_left |= label_has_right_to_left(&label);
        keeps_rule &= label_keeps_bidi_rule(&label);
    }
    return !right_to_left || keeps_rule;
}

bool
mica_idna_is_ascii_hostname(struct mica_text text)
{
    return mica_format_is_hostname(text) && mica_idna_is_hostname(text);
}

// SPDX-License-Identifier: Apache-2.0
//
// \p{…} in patterns: general categories, and the properties that follow from
// them. Apart from the reader of patterns, so that an engine is not linked with
// the table.
#include "schema/regex_categories.h"
#include "schema/regex_read.h"

#define LAST_CODE_POINT 0x10FFFFu

// In the order of the table.
enum {
    CC,
    CF,
    CN,
    CO,
    CS,
    LL,
    LM,
    LO,
    LT,
    LU,
    MC,
    ME,
    MN,
    ND,
    NL,
    NO,
    PC,
    PD,
    PE,
    PF,
    PI,
    PO,
    PS,
    SC,
    SK,
    SM,
    SO,
    ZL,
    ZP,
    ZS,
    PAIRS
};

#define BIT(category) (UINT32_C(1) << (category))
#define ALL           (BIT(PAIRS) - 1)
#define LETTERS       (BIT(LL) | BIT(LM) | BIT(LO) | BIT(LT) | BIT(LU))
#define MARKS         (BIT(MC) | BIT(ME) | BIT(MN))
#define NUMBERS       (BIT(ND) | BIT(NL) | BIT(NO))
#define PUNCTUATION \
    (BIT(PC) | BIT(PD) | BIT(PE) | BIT(PF) | BIT(PI) | BIT(PO) | BIT(PS))
#define SYMBOLS    (BIT(SC) | BIT(SK) | BIT(SM) | BIT(SO))
#define SEPARATORS (BIT(ZL) | BIT(ZP) | BIT(ZS))
#define OTHERS     (BIT(CC) | BIT(CF) | BIT(CN) | BIT(CO) | BIT(CS))

static const struct {
    const char *shortz, *longz, *otherz;
    uint32_t categories;
} names[] = {
    {"C", "Other", "", OTHERS},
    {"Cc", "Control", "cntrl", BIT(CC)},
    {"Cf", "Format", "", BIT(CF)},
    {"Cn", "Unassigned", "", BIT(CN)},
    {"Co", "Private_Use", "", BIT(CO)},
    {"Cs", "Surrogate", "", BIT(CS)},
    {"L", "Letter", "", LETTERS},
    {"LC", "Cased_Letter", "", BIT(LL) | BIT(LT) | BIT(LU)},
    {"Ll", "Lowercase_Letter", "", BIT(LL)},
    {"Lm", "Modifier_Letter", "", BIT(LM)},
    {"Lo", "Other_Letter", "", BIT(LO)},
    {"Lt", "Titlecase_Letter", "", BIT(LT)},
    {"Lu", "Uppercase_Letter", "", BIT(LU)},
    {"M", "Mark", "Combining_Mark", MARKS},
    {"Mc", "Spacing_Mark", "", BIT(MC)},
    {"Me", "Enclosing_Mark", "", BIT(ME)},
    {"Mn", "Nonspacing_Mark", "", BIT(MN)},
    {"N", "Number", "", NUMBERS},
    {"Nd", "Decimal_Number", "digit", BIT(ND)},
    {"Nl", "Letter_Number", "", BIT(NL)},
    {"No", "Other_Number", "", BIT(NO)},
    {"P", "Punctuation", "punct", PUNCTUATION},
    {"Pc", "Connector_Punctuation", "", BIT(PC)},
    {"Pd", "Dash_Punctuation", "", BIT(PD)},
    {"Pe", "Close_Punctuation", "", BIT(PE)},
    {"Pf", "Final_Punctuation", "", BIT(PF)},
    {"Pi", "Initial_Punctuation", "", BIT(PI)},
    {"Po", "Other_Punctuation", "", BIT(PO)},
    {"Ps", "Open_Punctuation", "", BIT(PS)},
    {"S", "Symbol", "", SYMBOLS},
    {"Sc", "Currency_Symbol", "", BIT(SC)},
    {"Sk", "Modifier_Symbol", "", BIT(SK)},
    {"Sm", "Math_Symbol", "", BIT(SM)},
    {"So", "Other_Symbol", "", BIT(SO)},
    {"Z", "Separator", "", SEPARATORS},
    {"Zl", "Line_Separator", "", BIT(ZL)},
    {"Zp", "Paragraph_Separator", "", BIT(ZP)},
    {"Zs", "Space_Separator", "", BIT(ZS)},
    {"Any", "Any", "", ALL},
    {"Assigned", "Assigned", "", ALL & ~BIT(CN)},
};

// A run of one category, or of Lu and Ll in turn, from `*at` on in the table.
static uint32_t
next_run(size_t *at, unsigned *category_out)
{
    uint16_t word = mica_regex_categories[(*at)++];
    uint32_t length = word & 2047u;
    *category_out = word >> 11;
    if (length == 2047) {
        length = (uint32_t)mica_regex_categories[*at] << 16 |
                 mica_regex_categories[*at + 1];
        *at += 2;
    }
    return length;
}

// Adds all code points of the categories.
static void
add_categories(struct mica_regex_reader *in, uint32_t categories)
{
    uint32_t first = 0, at = 0; // of what is not added yet
    for (size_t i = 0; i < MICA_COUNT(mica_regex_categories);) {
        unsigned category;
        uint32_t length = next_run(&i, &category);
        uint32_t step = category == PAIRS ? 1 : length;
        for (uint32_t done = 0; done < length; done += step, at += step) {
            unsigned now = category != PAIRS ? category
                           : done % 2 == 0   ? LU
                                             : LL;
            if ((categories & BIT(now)) != 0)
                continue;
            if (first < at)
                mica_regex_add_range(in, first, at - 1);
            first = at + step;
        }
    }
    if (first < at)
        mica_regex_add_range(in, first, at - 1);
}

bool
mica_regex_unicode(struct mica_regex_reader *in, struct mica_text name,
                   bool opposite)
{
    static const char *const prefixes[] = {"General_Category=", "gc="};
    if (mica_text_is(name, "ASCII")) {
        mica_regex_add_range(in, opposite ? 0x80 : 0,
                             opposite ? LAST_CODE_POINT : 0x7F);
        return true;
    }
    for (size_t i = 0; i < MICA_COUNT(prefixes); i++)
        if (mica_text_starts(name, prefixes[i]))
            name = mica_text_slice(name, mica_text(prefixes[i]).len, name.len);
    for (size_t i = 0; i < MICA_COUNT(names); i++) {
        if (!mica_text_is(name, names[i].shortz) &&
            !mica_text_is(name, names[i].longz) &&
            (name.len == 0 || !mica_text_is(name, names[i].otherz)))
            continue;
        add_categories(in, opposite ? ALL & ~names[i].categories
                                    : names[i].categories);
        return true;
    }
    return false;
}

// SPDX-License-Identifier: Apache-2.0
//
// The currencies of ISO 4217, list one, amendment 180: those in use, each with
// the number of its decimal places. Metals and units of account, which have none,
// are left out.
#include <string.h>

#include <mica/base.h>

enum {
    CODE = 3,      // letters of a code
    ENTRY = 4,     // and the digit behind it
    ALL_OTHERS = 2 // digits of a code that is not here
};

static const char entries[] =
    "AED2AFN2ALL2AMD2AOA2ARS2AUD2AWG2AZN2BAM2BBD2BDT2BHD3BIF0BMD2BND2"
    "BOB2BOV2BRL2BSD2BTN2BWP2BYN2BZD2CAD2CDF2CHE2CHF2CHW2CLF4CLP0CNY2"
    "COP2COU2CRC2CUP2CVE2CZK2DJF0DKK2DOP2DZD2EGP2ERN2ETB2EUR2FJD2FKP2"
    "GBP2GEL2GHS2GIP2GMD2GNF0GTQ2GYD2HKD2HNL2HTG2HUF2IDR2ILS2INR2IQD3"
    "IRR2ISK0JMD2JOD3JPY0KES2KGS2KHR2KMF0KPW2KRW0KWD3KYD2KZT2LAK2LBP2"
    "LKR2LRD2LSL2LYD3MAD2MDL2MGA2MKD2MMK2MNT2MOP2MRU2MUR2MVR2MWK2MXN2"
    "MXV2MYR2MZN2NAD2NGN2NIO2NOK2NPR2NZD2OMR3PAB2PEN2PGK2PHP2PKR2PLN2"
    "PYG0QAR2RON2RSD2RUB2RWF0SAR2SBD2SCR2SDG2SEK2SGD2SHP2SLE2SOS2SRD2"
    "SSP2STN2SVC2SYP2SZL2THB2TJS2TMT2TND3TOP2TRY2TTD2TWD2TZS2UAH2UGX0"
    "USD2USN2UYI0UYU2UYW4UZS2VED2VES2VND0VUV0WST2XAD2XAF0XCD2XCG2XOF0"
    "XPF0YER2ZAR2ZMW2ZWG2";

unsigned
mica_currency_digits(struct mica_text code)
{
    for (size_t i = 0; i + ENTRY < sizeof entries && code.len == CODE;
         i += ENTRY)
        if (memcmp(entries + i, code.ptr, CODE) == 0)
            return (unsigned)(entries[i + CODE] - '0');
    return ALL_OTHERS;
}

struct mica_text
mica_currency_nearest(struct mica_text code)
{
    struct mica_text nearest = {NULL, 0};
    size_t best = CODE + 1;
    for (size_t i = 0; i + ENTRY < sizeof entries && best > 0; i += ENTRY) {
        struct mica_text known = {entries + i, CODE};
        size_t distance = mica_text_distance(code, known, CODE);
        if (distance < best) {
            best = distance;
            nearest = known;
        }
    }
    return nearest;
}

// SPDX-License-Identifier: Apache-2.0
//
// Dates and moments: structs in C, texts of RFC 3339 in JSON.
#include "schema/codec.h"
#include "schema/decode_words.h"

enum {
    TEXT_SIZE = 64 // more than any date and time takes
};

// ---- Dates -----------------------------------------------------------------

static enum mica_status
decode_date(struct mica_checker *checker, const struct mica_place *place,
            const struct mica_slot *slot, const struct mica_json *value,
            void *out)
{
    char shown[MICA_SHOWN_SIZE];
    if (value->kind != MICA_JSON_STRING)
        return mica_decode_wrong_type(checker, place, slot, value);
    if (mica_date_read(value->text, out))
        return MICA_OK;
    return mica_value_fail(
        checker, place, MICA_E_FORMAT,
        "must be a date of the calendar like 2026-11-20, but is %s",
        mica_value_shown(value->text, shown));
}

static enum mica_status
encode_date(struct mica_checker *checker, const struct mica_place *place,
            const struct mica_slot *slot, const void *in,
            struct mica_json_writer *writer)
{
    const struct mica_date *date = in;
    char room[TEXT_SIZE];
    struct mica_buffer text = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    (void)slot;
    if (!mica_date_valid(*date))
        return mica_value_fail(
            checker, place, MICA_E_FORMAT,
            "must be a date of the calendar, but is year %d, month %d, day %d",
            (int)date->year, (int)date->month, (int)date->day);
    mica_date_write(&text, *date);
    mica_json_string(writer, mica_buffer_as_text(&text));
    return MICA_OK;
}

const struct mica_codec mica_codec_date = {
    "a date in a string, like \"2026-11-20\"", decode_date, encode_date};

// ---- Moments ---------------------------------------------------------------

static enum mica_status
decode_date_time(struct mica_checker *checker, const struct mica_place *place,
                 const struct mica_slot *slot, const struct mica_json *value,
                 void *out)
{
    char shown[MICA_SHOWN_SIZE];
    if (value->kind != MICA_JSON_STRING)
        return mica_decode_wrong_type(checker, place, slot, value);
    if (mica_time_read(value->text, out))
        return MICA_OK;
    return mica_value_fail(checker, place, MICA_E_FORMAT,
                           "must be a date and time with its offset from UTC "
                           "like 2026-11-20T09:30:00+01:00 or "
                           "2026-11-20T08:30:00Z, but is %s",
                           mica_value_shown(value->text, shown));
}

static bool
is_valid_time(const struct mica_time *time)
{
    return mica_date_valid(time->date) && time->hour >= 0 && time->hour <= 23 &&
           time->minute >= 0 && time->minute <= 59 && time->second >= 0 &&
           time->second <= 59 && time->nanosecond >= 0 &&
           time->nanosecond <= 999999999 && time->offset_minutes >= -1439 &&
           time->offset_minutes <= 1439;
}

static enum mica_status
encode_date_time(struct mica_checker *checker, const struct mica_place *place,
                 const struct mica_slot *slot, const void *in,
                 struct mica_json_writer *writer)
{
    const struct mica_time *time = in;
    char room[TEXT_SIZE];
    struct mica_buffer text = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    (void)slot;
    if (!is_valid_time(time))
        return mica_value_fail(
            checker, place, MICA_E_FORMAT,
            "must be a moment of the calendar, but is year %d, month %d, day "
            "%d, %d:%d:%d and %d ns, %d minutes east of UTC",
            (int)time->date.year, (int)time->date.month, (int)time->date.day,
            (int)time->hour, (int)time->minute, (int)time->second,
            (int)time->nanosecond, (int)time->offset_minutes);
    mica_time_write(&text, *time);
    mica_json_string(writer, mica_buffer_as_text(&text));
    return MICA_OK;
}

const struct mica_codec mica_codec_date_time = {
    "a date and time in a string, like \"2026-11-20T09:30:00+01:00\"",
    decode_date_time, encode_date_time};

// SPDX-License-Identifier: Apache-2.0
//
// Dates and moments as RFC 3339 writes them. Reading is strict: fixed widths,
// a capital T, and an offset that is there.
#include <mica/base.h>

// Takes `count` digits off `*rest`.
static bool
take_digits(struct mica_text *rest, size_t count, int32_t *value_out)
{
    int32_t value = 0;
    if (rest->len < count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (rest->ptr[i] < '0' || rest->ptr[i] > '9')
            return false;
        value = value * 10 + (rest->ptr[i] - '0');
    }
    *rest = mica_text_slice(*rest, count, rest->len);
    *value_out = value;
    return true;
}

static bool
take_char(struct mica_text *rest, char c)
{
    if (rest->len == 0 || rest->ptr[0] != c)
        return false;
    *rest = mica_text_slice(*rest, 1, rest->len);
    return true;
}

static bool
take_date(struct mica_text *rest, struct mica_date *date_out)
{
    struct mica_date date;
    if (!take_digits(rest, 4, &date.year) || !take_char(rest, '-') ||
        !take_digits(rest, 2, &date.month) || !take_char(rest, '-') ||
        !take_digits(rest, 2, &date.day) || !mica_date_valid(date))
        return false;
    *date_out = date;
    return true;
}

bool
mica_date_read(struct mica_text text, struct mica_date *date_out)
{
    struct mica_date date;
    if (!take_date(&text, &date) || text.len != 0)
        return false;
    *date_out = date;
    return true;
}

// ".5" and the like: 1 to 9 digits. Nothing at all is fine too.
static bool
take_fraction(struct mica_text *rest, int32_t *nanosecond_out)
{
    *nanosecond_out = 0;
    if (!take_char(rest, '.'))
        return true;
    int32_t scale = 100000000;
    int32_t digit;
    size_t count = 0;
    for (; take_digits(rest, 1, &digit); scale /= 10, count++) {
        if (count == 9)
            return false;
        *nanosecond_out += digit * scale;
    }
    return count > 0;
}

static bool
take_offset(struct mica_text *rest, int32_t *minutes_out)
{
    int32_t hours, minutes;
    *minutes_out = 0;
    if (take_char(rest, 'Z'))
        return true;
    bool west = take_char(rest, '-');
    if (!west && !take_char(rest, '+'))
        return false;
    if (!take_digits(rest, 2, &hours) || !take_char(rest, ':') ||
        !take_digits(rest, 2, &minutes) || hours > 23 || minutes > 59)
        return false;
    *minutes_out = (west ? -1 : 1) * (hours * 60 + minutes);
    return true;
}

bool
mica_time_read(struct mica_text text, struct mica_time *time_out)
{
    struct mica_time time;
    if (!take_date(&text, &time.date) || !take_char(&text, 'T') ||
        !take_digits(&text, 2, &time.hour) || !take_char(&text, ':') ||
        !take_digits(&text, 2, &time.minute) || !take_char(&text, ':') ||
        !take_digits(&text, 2, &time.second) ||
        !take_fraction(&text, &time.nanosecond) ||
        !take_offset(&text, &time.offset_minutes) || text.len != 0)
        return false;
    if (time.hour > 23 || time.minute > 59 || time.second > 59)
        return false;
    *time_out = time;
    return true;
}

void
mica_date_write(struct mica_buffer *buffer, struct mica_date date)
{
    mica_buffer_format(buffer, "%04d-%02d-%02d", (int)date.year,
                       (int)date.month, (int)date.day);
}

static void
write_fraction(struct mica_buffer *buffer, int32_t nanosecond)
{
    if (nanosecond == 0)
        return;
    if (nanosecond % 1000000 == 0)
        mica_buffer_format(buffer, ".%03d", (int)(nanosecond / 1000000));
    else if (nanosecond % 1000 == 0)
        mica_buffer_format(buffer, ".%06d", (int)(nanosecond / 1000));
    else
        mica_buffer_format(buffer, ".%09d", (int)nanosecond);
}

void
mica_time_write(struct mica_buffer *buffer, struct mica_time time)
{
    mica_date_write(buffer, time.date);
    mica_buffer_format(buffer, "T%02d:%02d:%02d", (int)time.hour,
                       (int)time.minute, (int)time.second);
    write_fraction(buffer, time.nanosecond);
    int offset = (int)time.offset_minutes;
    int size = offset < 0 ? -offset : offset;
    if (offset == 0)
        mica_buffer_char(buffer, 'Z');
    else
        mica_buffer_format(buffer, "%c%02d:%02d", offset < 0 ? '-' : '+',
                           size / 60, size % 60);
}

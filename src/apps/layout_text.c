// SPDX-License-Identifier: Apache-2.0
//
// The data of a layout as plain text. Data that no schema has checked may come too: a
// member of another type counts as absent.
#include "apps/layout.h"

static const char rest_words[] = "\n… The rest is left out.";

// ---- Writing ---------------------------------------------------------------------

struct text_writer {
    struct mica_buffer *out;
    size_t begin, end; // of the text in the buffer; it stays below the end
    bool full;
};

// Control characters, marks of direction and what a screen does not show. A line may
// not begin or end inside of a text.
static bool
is_left_out(uint32_t c)
{
    return c < ' ' || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200b ||
           c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
           (c >= 0xe0000 && c <= 0xe007f);
}

static void
text_put(struct text_writer *writer, const char *bytes, size_t size)
{
    if (writer->full || size > writer->end - writer->out->len) {
        writer->full = true;
        return;
    }
    mica_buffer_add(writer->out, bytes, size);
}

static void
text_words(struct text_writer *writer, const char *wordsz)
{
    struct mica_text words = mica_text(wordsz);

    text_put(writer, words.ptr, words.len);
}

static void
text_add(struct text_writer *writer, struct mica_text text)
{
    while (text.len > 0 && !writer->full) {
        char bytes[4];
        uint32_t c = mica_text_next(&text);
        if (c == '\n' || c == '\t' || !is_left_out(c))
            text_put(writer, bytes, mica_utf8_encode(c, bytes));
    }
}

// The same on one line.
static void
text_line(struct text_writer *writer, struct mica_text text)
{
    while (text.len > 0 && !writer->full) {
        char bytes[4];
        uint32_t c = mica_text_next(&text);
        if (c == '\n' || c == '\t')
            c = ' ';
        if (!is_left_out(c))
            text_put(writer, bytes, mica_utf8_encode(c, bytes));
    }
}

// Begins a block: after an empty line, unless it is the first.
static void
text_block(struct text_writer *writer)
{
    if (writer->out->len > writer->begin)
        text_words(writer, "\n\n");
}

static void
text_newline(struct text_writer *writer)
{
    if (writer->out->len > writer->begin)
        text_words(writer, "\n");
}

// A member as a block of its own.
static void
text_member(struct text_writer *writer, const struct mica_json *data,
            const char *namez)
{
    struct mica_text text = mica_json_get_text(data, namez);

    if (text.len == 0)
        return;
    text_block(writer);
    text_add(writer, text);
}

// ---- Members ---------------------------------------------------------------------

// The items of a list; an empty list for anything else.
struct text_items {
    const struct mica_json *items;
    size_t count;
};

static struct text_items
items_of(const struct mica_json *data, const char *namez)
{
    const struct mica_json *list = mica_json_get(data, namez);

    if (list == NULL || list->kind != MICA_JSON_ARRAY)
        return (struct text_items){NULL, 0};
    return (struct text_items){list->items, list->count};
}

enum {
    FIXED_BYTES = 400 // of the longest number with its decimal places
};

static void
text_currency(struct text_writer *writer, double value,
              struct mica_text currency)
{
    if (writer->full || writer->end - writer->out->len < FIXED_BYTES) {
        writer->full = true;
        return;
    }
    mica_number_fixed(writer->out, value, mica_currency_digits(currency));
    text_words(writer, " ");
    text_line(writer, currency);
}

static void
text_percent(struct text_writer *writer, double value)
{
    char shortest[MICA_NUMBER_SIZE];
    size_t length = mica_number_write(mica_round(value * 100, 2), shortest);

    text_put(writer, shortest, length);
    text_words(writer, "%");
}

// A value by its format; in the currency, if there is one.
static void
text_value(struct text_writer *writer, const struct mica_json *value,
           struct mica_text format, struct mica_text currency)
{
    double number;

    if (value == NULL || value->kind == MICA_JSON_NULL)
        return;
    if (value->kind == MICA_JSON_TRUE || value->kind == MICA_JSON_FALSE) {
        text_words(writer, value->kind == MICA_JSON_TRUE ? "yes" : "no");
    } else if (value->kind == MICA_JSON_NUMBER &&
               mica_number_read(value->text, &number) && number >= -1e15 &&
               number <= 1e15) {
        if (mica_text_is(format, "percent"))
            text_percent(writer, number);
        else if (currency.len > 0)
            text_currency(writer, number, currency);
        else
            text_line(writer, value->text);
    } else if (value->kind == MICA_JSON_STRING) {
        text_line(writer, value->text);
    }
}

// The same for a member `value` with its format beside it.
static void
text_formatted(struct text_writer *writer, const struct mica_json *value,
               const struct mica_json *formatted)
{
    struct mica_text format = mica_json_get_text(formatted, "format");
    struct mica_text currency = mica_json_get_text(formatted, "currency");

    if (!mica_text_is(format, "currency"))
        currency = (struct mica_text){NULL, 0};
    text_value(writer, value, format, currency);
}

static void
text_facts(struct text_writer *writer, const struct mica_json *data)
{
    struct text_items facts = items_of(data, "facts");

    if (facts.count > 0)
        text_block(writer);
    for (size_t i = 0; i < facts.count && !writer->full; i++) {
        const struct mica_json *fact = &facts.items[i];
        text_words(writer, i == 0 ? "" : "\n");
        text_line(writer, mica_json_get_text(fact, "label"));
        text_words(writer, ": ");
        text_formatted(writer, mica_json_get(fact, "value"), fact);
    }
}

static void
text_links(struct text_writer *writer, const struct mica_json *data)
{
    struct text_items links = items_of(data, "links");

    if (links.count > 0)
        text_block(writer);
    for (size_t i = 0; i < links.count && !writer->full; i++) {
        text_words(writer, i == 0 ? "" : "\n");
        text_line(writer, mica_json_get_text(&links.items[i], "label"));
        text_words(writer, ": ");
        text_line(writer, mica_json_get_text(&links.items[i], "url"));
    }
}

// Title (badge), and the line below it.
static void
text_title(struct text_writer *writer, const struct mica_json *data)
{
    struct mica_text title = mica_json_get_text(data, "title");
    struct mica_text badge = mica_json_get_text(data, "badge");
    struct mica_text subtitle = mica_json_get_text(data, "subtitle");

    text_line(writer, title);
    if (badge.len > 0) {
        text_words(writer, title.len > 0 ? " (" : "(");
        text_line(writer, badge);
        text_words(writer, ")");
    }
    if (subtitle.len > 0) {
        text_newline(writer);
        text_line(writer, subtitle);
    }
}

static void
text_empty(struct text_writer *writer, const struct mica_json *data)
{
    struct mica_text empty = mica_json_get_text(data, "empty");

    text_block(writer);
    if (empty.len > 0)
        text_add(writer, empty);
    else
        text_words(writer, "Nothing to show.");
}

// ---- Layouts ---------------------------------------------------------------------

static void
write_message(struct text_writer *writer, const struct mica_json *data)
{
    struct text_items points = items_of(data, "points");

    text_title(writer, data);
    text_member(writer, data, "text");
    if (points.count > 0)
        text_block(writer);
    for (size_t i = 0; i < points.count && !writer->full; i++) {
        text_words(writer, i == 0 ? "- " : "\n- ");
        text_line(writer, points.items[i].text);
    }
    text_links(writer, data);
}

static void
write_card(struct text_writer *writer, const struct mica_json *data)
{
    text_title(writer, data);
    text_member(writer, data, "body");
    text_facts(writer, data);
    text_links(writer, data);
    text_member(writer, data, "footer");
}

static void
write_item(struct text_writer *writer, const struct mica_json *item,
           size_t number, struct mica_text currency)
{
    static const char *const lines[] = {"subtitle", "description", "url"};
    const struct mica_json *price = mica_json_get(item, "price");
    struct mica_text badge = mica_json_get_text(item, "badge");
    char digits[MICA_NUMBER_SIZE];

    text_newline(writer);
    text_put(writer, digits, mica_number_write((double)number, digits));
    text_words(writer, ". ");
    text_line(writer, mica_json_get_text(item, "title"));
    if (price != NULL) {
        text_words(writer, ", ");
        text_value(writer, price, (struct mica_text){NULL, 0}, currency);
    }
    if (badge.len > 0) {
        text_words(writer, " (");
        text_line(writer, badge);
        text_words(writer, ")");
    }
    for (size_t i = 0; i < MICA_COUNT(lines); i++) {
        struct mica_text line = mica_json_get_text(item, lines[i]);
        if (line.len == 0)
            continue;
        text_words(writer, "\n   ");
        text_line(writer, line);
    }
}

static void
write_items(struct text_writer *writer, const struct mica_json *data)
{
    struct text_items items = items_of(data, "items");
    struct mica_text currency = mica_json_get_text(data, "currency");

    text_title(writer, data);
    for (size_t i = 0; i < items.count && !writer->full; i++)
        write_item(writer, &items.items[i], i + 1, currency);
    if (items.count == 0)
        text_empty(writer, data);
    text_member(writer, data, "more");
}

static void
write_row(struct text_writer *writer, struct text_items columns,
          const struct mica_json *row)
{
    text_newline(writer);
    for (size_t i = 0; i < columns.count && !writer->full; i++) {
        const struct mica_json *column = &columns.items[i];
        struct mica_text key = mica_json_get_text(column, "key");
        text_words(writer, i == 0 ? "" : " | ");
        if (row == NULL)
            text_line(writer, mica_json_get_text(column, "title"));
        else
            text_formatted(writer, mica_json_member(row, key), column);
    }
}

static void
write_table(struct text_writer *writer, const struct mica_json *data)
{
    struct text_items rows = items_of(data, "rows");
    struct text_items columns = items_of(data, "columns");

    text_title(writer, data);
    if (rows.count == 0) {
        text_empty(writer, data);
    } else {
        text_words(writer, writer->out->len > writer->begin ? "\n" : "");
        write_row(writer, columns, NULL);
    }
    for (size_t i = 0; i < rows.count && !writer->full; i++)
        write_row(writer, columns, &rows.items[i]);
    text_member(writer, data, "note");
}

// One label with the value of each series.
static void
write_label(struct text_writer *writer, const struct mica_json *data,
            struct mica_text label, size_t at)
{
    struct text_items series = items_of(data, "series");

    text_newline(writer);
    text_line(writer, label);
    for (size_t i = 0; i < series.count && !writer->full; i++) {
        struct text_items values = items_of(&series.items[i], "values");
        text_words(writer, i == 0 ? ": " : ", ");
        text_line(writer, mica_json_get_text(&series.items[i], "name"));
        text_words(writer, " ");
        if (at < values.count && values.items[at].kind == MICA_JSON_NUMBER)
            text_formatted(writer, &values.items[at], data);
        else
            text_words(writer, "–");
    }
}

static void
write_chart(struct text_writer *writer, const struct mica_json *data)
{
    struct text_items labels = items_of(data, "labels");
    struct mica_text unit = mica_json_get_text(data, "unit");

    text_title(writer, data);
    text_member(writer, data, "text");
    if (labels.count == 0 || items_of(data, "series").count == 0) {
        text_empty(writer, data);
        return;
    }
    if (unit.len > 0) {
        text_block(writer);
        text_words(writer, "In ");
        text_line(writer, unit);
    }
    for (size_t i = 0; i < labels.count && !writer->full; i++)
        write_label(writer, data, labels.items[i].text, i);
}

static void
write_step(struct text_writer *writer, const struct mica_json *step)
{
    static const char *const members[] = {"time", "text"};
    struct mica_text state = mica_json_get_text(step, "state");

    text_words(writer, mica_text_is(state, "done")      ? "[x] "
                       : mica_text_is(state, "current") ? "[>] "
                                                        : "[ ] ");
    text_line(writer, mica_json_get_text(step, "title"));
    for (size_t i = 0; i < MICA_COUNT(members); i++) {
        struct mica_text member = mica_json_get_text(step, members[i]);
        if (member.len == 0)
            continue;
        text_words(writer, ", ");
        text_line(writer, member);
    }
}

static void
write_detail(struct text_writer *writer, const struct mica_json *data)
{
    struct text_items steps = items_of(data, "steps");
    struct text_items sections = items_of(data, "sections");

    text_title(writer, data);
    if (steps.count > 0)
        text_block(writer);
    for (size_t i = 0; i < steps.count && !writer->full; i++) {
        text_words(writer, i == 0 ? "" : "\n");
        write_step(writer, &steps.items[i]);
    }
    for (size_t i = 0; i < sections.count && !writer->full; i++) {
        text_member(writer, &sections.items[i], "title");
        text_member(writer, &sections.items[i], "text");
        text_facts(writer, &sections.items[i]);
    }
    if (steps.count == 0 && sections.count == 0)
        text_empty(writer, data);
    text_links(writer, data);
}

static void
write_field(struct text_writer *writer, const struct mica_json *field)
{
    const struct mica_json *required = mica_json_get(field, "required");
    struct text_items options = items_of(field, "options");

    text_newline(writer);
    text_words(writer, "- ");
    text_line(writer, mica_json_get_text(field, "label"));
    if (required != NULL && required->kind == MICA_JSON_TRUE)
        text_words(writer, " (required)");
    for (size_t i = 0; i < options.count && !writer->full; i++) {
        text_words(writer, i == 0 ? ": " : ", ");
        text_line(writer, options.items[i].text);
    }
}

static void
write_form(struct text_writer *writer, const struct mica_json *data)
{
    struct text_items fields = items_of(data, "fields");

    text_title(writer, data);
    text_member(writer, data, "text");
    if (fields.count == 0)
        text_empty(writer, data);
    else
        text_words(writer, "\n");
    for (size_t i = 0; i < fields.count && !writer->full; i++)
        write_field(writer, &fields.items[i]);
}

void
mica_layout_text(const struct mica_app_layout_row *row,
                 const struct mica_json *data, struct mica_buffer *out)
{
    static void (*const writers[MICA_LAYOUTS])(struct text_writer *,
                                               const struct mica_json *) = {
        [MICA_LAYOUT_MESSAGE] = write_message,
        [MICA_LAYOUT_CARD] = write_card,
        [MICA_LAYOUT_LIST] = write_items,
        [MICA_LAYOUT_CAROUSEL] = write_items,
        [MICA_LAYOUT_TABLE] = write_table,
        [MICA_LAYOUT_CHART] = write_chart,
        [MICA_LAYOUT_DETAIL] = write_detail,
        [MICA_LAYOUT_FORM] = write_form,
    };
    struct text_writer writer = {.out = out,
                                 .begin = out->len,
                                 .end = out->len + MICA_LAYOUT_TEXT_BYTES -
                                        (sizeof rest_words - 1)};

    writers[row->layout](&writer, data);
    if (writer.full)
        mica_buffer_text(out, mica_text(rest_words));
}

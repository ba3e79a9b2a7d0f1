// SPDX-License-Identifier: Apache-2.0
//
// Writes a journal for people, and as JSON for programs.
#include "base/visible.h"
#include "call/journal_entry.h"
#include "call/turn.h"

enum {
    DATA_BYTES = 2 * MICA_JOURNAL_BYTES, // of an entry, as JSON
    SHORT_VERSION = 12                   // digits of a hash that people see
};

static const char *const asks[] = {[MICA_ASK_FORM] = "form",
                                   [MICA_ASK_PAGE] = "page",
                                   [MICA_ASK_SAMPLING] = "sampling",
                                   [MICA_ASK_ROOTS] = "roots",
                                   [MICA_ASK_MODEL] = "model"};

static const char *
ask_name(uint32_t kind)
{
    return kind > 0 && kind < MICA_COUNT(asks) ? asks[kind] : "unknown";
}

static const char *
capability_name(uint32_t capability)
{
    switch (capability) {
    case MICA_ELICITATION:
        return "elicitation";
    case MICA_ELICITATION_URL:
        return "elicitation of pages";
    case MICA_SAMPLING:
        return "sampling";
    case MICA_SAMPLING_TOOLS:
        return "sampling with tools";
    case MICA_ROOTS:
        return "roots";
    default:
        return "unknown";
    }
}

// Writes a time in UTC, or the number if it is out of range.
static void
write_time(struct mica_buffer *text, int64_t ms)
{
    int64_t rest = ms % 1000;
    struct mica_time time =
        mica_time_from_seconds(ms / 1000 - (rest < 0 ? 1 : 0), 0);

    time.nanosecond = (int32_t)(rest < 0 ? rest + 1000 : rest) * 1000000;
    if (mica_date_valid(time.date))
        mica_time_write(text, time);
    else
        mica_buffer_format(text, "%lld", (long long)ms);
}

// Writes the data as JSON; data that is not JSON (the journal is untrusted) as a string.
static void
write_data(const struct mica_journal *journal, const struct mica_entry *entry,
           struct mica_json_writer *writer)
{
    struct mica_json value;

    if (mica_json_read(journal->arena, entry->data, NULL, NULL, &value) ==
        MICA_OK)
        mica_json_value(writer, &value);
    else
        mica_json_string(writer, entry->data);
}

// ---- For people --------------------------------------------------------------

static void
describe_data(const struct mica_journal *journal,
              const struct mica_entry *entry, struct mica_buffer *text)
{
    struct mica_json_writer writer;
    struct mica_buffer data;

    if (entry->status != MICA_OK)
        mica_buffer_format(text, " %s", mica_status_code(entry->status));
    if (entry->data.len == 0)
        return;
    mica_buffer_init(&data, journal->arena, DATA_BYTES);
    mica_json_writer_init(&writer, &data);
    write_data(journal, entry, &writer);
    mica_buffer_char(text, ' ');
    mica_visible_add(text, mica_buffer_as_text(&data), MICA_VISIBLE_JSON);
}

static void
describe_ask(const struct mica_entry *entry, struct mica_buffer *text)
{
    mica_buffer_format(text, " (%s), at ", ask_name(entry->number));
    write_time(text, entry->time);
    mica_buffer_text(text, MICA_LITERAL(", until "));
    write_time(text, entry->due);
    if (entry->answer == 0)
        mica_buffer_text(text, MICA_LITERAL(", open"));
}

static void
describe_version(struct mica_text version, struct mica_buffer *text)
{
    size_t len = mica_utf8_valid(mica_text_slice(version, 0, SHORT_VERSION));

    mica_visible_format(text, " (build %.*s)", (int)len, version.ptr);
}

static void
describe_entry(const struct mica_journal *journal, uint32_t number,
               struct mica_buffer *text)
{
    const struct mica_entry *entry = &journal->entries[number];

    mica_buffer_format(text, "%4u  %-8s", number, mica_entry_name(entry->kind));
    if (entry->key.len > 0)
        mica_visible_format(text, "%.*s", MICA_ARG(entry->key));
    if (entry->kind == MICA_ENTRY_ASK) {
        describe_ask(entry, text);
    } else if (entry->kind == MICA_ENTRY_ANSWER) {
        const struct mica_entry *ask = &journal->entries[entry->number];
        mica_visible_format(text, "%.*s", MICA_ARG(ask->key));
    } else if (entry->kind == MICA_ENTRY_CLIENT) {
        mica_buffer_format(text, "%s %s",
                           entry->status == MICA_OK ? "has" : "lacks",
                           capability_name(entry->number));
    } else if (entry->kind == MICA_ENTRY_TIME) {
        write_time(text, entry->time);
    } else if (entry->kind == MICA_ENTRY_RANDOM) {
        mica_buffer_format(text, "%016llx", (unsigned long long)entry->hash);
    } else if (entry->kind == MICA_ENTRY_REPORTED) {
        mica_buffer_format(text, "%u events", entry->number);
    } else if (entry->version.len > 0) {
        describe_version(entry->version, text);
    }
    if (entry->kind != MICA_ENTRY_CLIENT)
        describe_data(journal, entry, text);
    mica_buffer_char(text, '\n');
}

void
mica_journal_describe(const struct mica_journal *journal,
                      struct mica_buffer *text)
{
    for (uint32_t i = 0; i < journal->count; i++)
        describe_entry(journal, i, text);
}

// ---- For programs ------------------------------------------------------------

static void
write_moment(struct mica_json_writer *writer, const char *namez, int64_t ms)
{
    char room[64];
    struct mica_buffer text = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    write_time(&text, ms);
    mica_json_field(writer, namez, mica_buffer_as_text(&text));
}

static void
write_hash(struct mica_json_writer *writer, const char *namez, uint64_t hash)
{
    char room[32];
    struct mica_buffer text = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};

    mica_buffer_format(&text, "%016llx", (unsigned long long)hash);
    mica_json_field(writer, namez, mica_buffer_as_text(&text));
}

// Writes `ask` of an entry by the meaning that it has for its kind.
static void
write_ask(const struct mica_entry *entry, struct mica_json_writer *writer)
{
    static const char *const names[MICA_ENTRY_KINDS] = {
        [MICA_ENTRY_ANSWER] = "to",
        [MICA_ENTRY_REPORTED] = "events",
        [MICA_ENTRY_SCOPE] = "opens",
    };

    if (entry->kind == MICA_ENTRY_ASK) {
        mica_json_field(writer, "asks", mica_text(ask_name(entry->number)));
        mica_json_name(writer, "open");
        mica_json_boolean(writer, entry->answer == 0);
    } else if (entry->kind == MICA_ENTRY_CLIENT) {
        mica_json_field(writer, "capability",
                        mica_text(capability_name(entry->number)));
    } else if (names[entry->kind] != NULL) {
        mica_json_name(writer, names[entry->kind]);
        mica_json_integer(writer, entry->number);
    }
}

static void
write_entry(const struct mica_journal *journal, uint32_t number,
            struct mica_json_writer *writer)
{
    const struct mica_entry *entry = &journal->entries[number];
    unsigned fields = mica_entry_fields(entry->kind);

    mica_json_open_object(writer);
    mica_json_name(writer, "entry");
    mica_json_integer(writer, number);
    mica_json_field(writer, "kind", mica_text(mica_entry_name(entry->kind)));
    mica_json_name(writer, "scope");
    mica_json_integer(writer, entry->scope);
    if ((fields & MICA_FIELD_KEY) != 0)
        mica_json_field(writer, "key", entry->key);
    if ((fields & MICA_FIELD_NUMBER) != 0)
        write_ask(entry, writer);
    if ((fields & MICA_FIELD_STATUS) != 0)
        mica_json_field(writer, "status",
                        mica_text(mica_status_code(entry->status)));
    // The scope of a phase or a step has no hash.
    if ((fields & MICA_FIELD_HASH) != 0 &&
        (entry->kind != MICA_ENTRY_SCOPE || entry->data.len > 0))
        write_hash(writer, entry->kind == MICA_ENTRY_RANDOM ? "bits" : "hash",
                   entry->hash);
    if (entry->version.len > 0)
        mica_json_field(writer, "version", entry->version);
    if (entry->kind == MICA_ENTRY_REPORTED) {
        mica_json_name(writer, "notified");
        mica_json_integer(writer, entry->time);
    } else if ((fields & MICA_FIELD_TIME) != 0) {
        write_moment(writer, "time", entry->time);
    }
    if ((fields & MICA_FIELD_DUE) != 0)
        write_moment(writer, "due", entry->due);
    if (entry->data.len > 0) {
        mica_json_name(writer, "data");
        write_data(journal, entry, writer);
    }
    mica_json_close_object(writer);
}

void
mica_journal_write_json(const struct mica_journal *journal,
                        struct mica_json_writer *writer)
{
    mica_json_open_array(writer);
    for (uint32_t i = 0; i < journal->count; i++)
        write_entry(journal, i, writer);
    mica_json_close_array(writer);
}

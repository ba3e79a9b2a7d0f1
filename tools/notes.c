// SPDX-License-Identifier: Apache-2.0
//
// Remembers notes from one call to the next: writes one, reads one, lists them, forgets
// one. Each note is an entry in the tool's own database.
#include <mica/keep.h>

// ---- What is asked, and what is kept ----------------------------------------------

enum action {
    WRITE,
    READ,
    LIST,
    FORGET
};
MICA_CHOICES(action, [WRITE] = "write", [READ] = "read", [LIST] = "list",
             [FORGET] = "forget");

struct request {
    enum action action;
    struct mica_text name, words;
};
MICA_RECORD(request,
            MICA_CHOICE(action, action,
                        "Write a note, read or forget one, or list them."),
            MICA_TEXT(name, "Of the note; in a list, how names begin.",
                      .max_length = 60, .fallback = MICA_JSON("")),
            MICA_TEXT(words, "What to write.", .max_length = 2000,
                      .fallback = MICA_JSON("")));

struct note {
    struct mica_text words;
    int64_t writes;
};
MICA_RECORD(note, MICA_TEXT(words, "What the note says."),
            MICA_INTEGER(writes, "How often it was written.", .minimum = 1));

// ---- A page of them ----------------------------------------------------------------

struct item {
    struct mica_text name;
    struct note value;
};
MICA_RECORD(item, MICA_TEXT(name, "Of the note."),
            MICA_NESTED(value, note, "The note."));

struct items {
    struct {
        size_t count;
        const struct item *items;
    } entries;
    bool more;
};
MICA_RECORD(items, MICA_LIST(entries, item, "In the order of their names."),
            MICA_BOOLEAN(more, "Are there more?"));

// ---- The actions -------------------------------------------------------------------

// Two calls may write the same note at once: the one that read it before the other wrote
// it reads it again.
static enum mica_status
write_note(struct mica_call *call, const struct request *in)
{
    enum {
        ATTEMPTS = 5
    };
    enum mica_status status = MICA_OK;

    for (int i = 0; i < ATTEMPTS; i++) {
        struct note note;
        int64_t version;
        const struct mica_keep read = {.name = in->name,
                                       .version_out = &version};
        struct mica_keep write = {.name = in->name};

        MICA_TRY(mica_keep_get(call, &read, MICA_INTO(note, &note)));
        note.words = in->words;
        note.writes++;
        write.expect = version > 0 ? version : MICA_KEEP_ABSENT;
        status = mica_keep_put(call, &write, MICA_FROM(note, &note));
        if (status == MICA_OK)
            mica_add_text(call, MICA_LITERAL("Written."), NULL);
        if (status != MICA_E_KEEP_VERSION)
            break;
    }
    return status;
}

static enum mica_status
read_note(struct mica_call *call, const struct request *in)
{
    struct note note;

    MICA_TRY(mica_keep_get(call, &(struct mica_keep){.name = in->name},
                           MICA_INTO(note, &note)));
    mica_add_text(call, note.words, NULL);
    return MICA_OK;
}

static enum mica_status
list_notes(struct mica_call *call, const struct request *in)
{
    struct items items;

    MICA_TRY(mica_keep_list(call, &(struct mica_keep_page){.prefix = in->name},
                            MICA_INTO(items, &items)));
    for (size_t i = 0; i < items.entries.count; i++) {
        const struct item *item = &items.entries.items[i];
        mica_add_text(call,
                      mica_format(call, "%.*s: %.*s", MICA_ARG(item->name),
                                  MICA_ARG(item->value.words)),
                      NULL);
    }
    if (items.entries.count == 0)
        mica_add_text(call, MICA_LITERAL("There are no notes."), NULL);
    if (items.more)
        mica_add_text(call, MICA_LITERAL("There are more."), NULL);
    return MICA_OK;
}

static enum mica_status
forget_note(struct mica_call *call, const struct request *in)
{
    int64_t version;

    MICA_TRY(mica_keep_delete(
        call, &(struct mica_keep){.name = in->name, .version_out = &version}));
    mica_add_text(call,
                  version > 0 ? MICA_LITERAL("Forgotten.")
                              : MICA_LITERAL("There was no such note."),
                  NULL);
    return MICA_OK;
}

static enum mica_status
notes(struct mica_call *call, const struct request *in,
      struct mica_nothing *out)
{
    (void)out;
    if (in->action != LIST && in->name.len == 0)
        return mica_fail(call, "NAME_MISSING", "/name",
                         "Which note? Give its name.");
    switch (in->action) {
    case WRITE:
        return write_note(call, in);
    case READ:
        return read_note(call, in);
    case LIST:
        return list_notes(call, in);
    case FORGET:
        break;
    }
    return forget_note(call, in);
}

MICA_TOOL(notes, request, mica_nothing, notes, .title = "Notes",
          .description = "Remember notes by their names from one call to the "
                         "next: write, read, list or forget them.",
          .keeps = MICA_KEEPS_OWN);

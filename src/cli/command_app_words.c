// SPDX-License-Identifier: Apache-2.0
//
// Words of "mica app edit" become a JSON Merge Patch. A patch replaces some members as a
// whole (src/apps/app_patch.c); a word that changes a part of one takes the rest from the
// draft.
#include <string.h>

#include "cli/argument_file.h"
#include "cli/cli_file.h"
#include "cli/command_app.h"

enum {
    TOKENS = 32, // of a pointer, as deep as a draft may be
    KEY_SHOWN = 80
};

// How the value of a member is written.
enum app_value {
    APP_VALUE_TEXT,
    APP_VALUE_NAMES, // a list
    APP_VALUE_JSON,
    APP_VALUE_LOOSE // JSON if it is some, else a text
};

struct app_word {
    struct mica_text tokens[TOKENS];
    size_t count;
    struct mica_text value;
    bool from_file;
};

struct app_patch {
    struct mica_cli *cli;
    struct mica_error *error;
    const struct mica_json *draft; // or NULL
    bool stdin_read;
    struct mica_json patch;
};

// The writer takes the text of null from `raw`.
static const struct mica_json app_null = {.kind = MICA_JSON_NULL,
                                          .raw = {"null", 4}};

static enum mica_status
patch_no_memory(struct app_patch *work)
{
    return mica_error_set(work->error, MICA_E_LIMIT, "", "no memory");
}

// ---- Keys ------------------------------------------------------------------------

// A token of a JSON Pointer: ~1 is "/", ~0 is "~".
static struct mica_text
token_decode(struct mica_cli *cli, struct mica_text token)
{
    char *out = mica_arena_alloc(&cli->arena, token.len + 1);
    size_t length = 0;

    for (size_t i = 0; out != NULL && i < token.len; i++) {
        bool escape = token.ptr[i] == '~' && i + 1 < token.len &&
                      (token.ptr[i + 1] == '0' || token.ptr[i + 1] == '1');
        out[length++] = !escape                   ? token.ptr[i]
                        : token.ptr[i + 1] == '1' ? '/'
                                                  : '~';
        i += escape;
    }
    return (struct mica_text){out, out != NULL ? length : 0};
}

// "behavior.type" and "/behavior/type" are the same key.
static enum mica_status
key_read(struct mica_cli *cli, struct mica_text key, struct mica_error *error,
         struct app_word *word_out)
{
    bool pointer = key.len > 0 && key.ptr[0] == '/';
    char mark = pointer ? '/' : '.';
    struct mica_text rest = pointer ? mica_text_slice(key, 1, key.len) : key;

    word_out->count = 0;
    for (bool more = true; more;) {
        const char *end =
            rest.len > 0 ? memchr(rest.ptr, mark, rest.len) : NULL;
        size_t len = end != NULL ? (size_t)(end - rest.ptr) : rest.len;
        struct mica_text token = mica_text_slice(rest, 0, len);
        if (word_out->count == TOKENS || (len == 0 && !pointer))
            return mica_error_set(error, MICA_E_USAGE, "",
                                  "\"%.*s\" is no member of an app",
                                  MICA_ARG(mica_utf8_cut(key, KEY_SHOWN)));
        word_out->tokens[word_out->count++] =
            pointer ? token_decode(cli, token) : token;
        more = end != NULL;
        rest = mica_text_slice(rest, len + 1, rest.len);
    }
    return MICA_OK;
}

static bool
token_is_one(struct mica_text token, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (mica_text_is(token, names[i]))
            return true;
    return false;
}

// Tokens of the member around the key that a patch replaces as a whole; 0: it has none.
static size_t
key_whole(const struct app_word *word)
{
    static const char *const members[] = {"themeVariables", "mockData"};
    static const char *const maps[] = {"arguments", "data"};

    if (token_is_one(word->tokens[0], members, MICA_COUNT(members)))
        return 1;
    return word->count > 1 && mica_text_is(word->tokens[0], "behavior") &&
                   token_is_one(word->tokens[1], maps, MICA_COUNT(maps))
               ? 2
               : 0;
}

static enum app_value
key_takes(const struct app_word *word)
{
    static const char *const texts[] = {
        "name",           "description", "toolName", "toolDescription",
        "layoutTemplate", "visibility",  "scope",    "message"};
    static const char *const inside[] = {
        "type", "message", "tool", "systemPrompt", "by", "provider", "model"};
    static const char *const values[] = {
        "themeVariables", "mockData", "behavior", "budget", "roles", "context"};

    if (word->count == 1 &&
        token_is_one(word->tokens[0], texts, MICA_COUNT(texts)))
        return APP_VALUE_TEXT;
    if (word->count == 2 && mica_text_is(word->tokens[0], "behavior") &&
        token_is_one(word->tokens[1], inside, MICA_COUNT(inside)))
        return APP_VALUE_TEXT;
    if (word->count == 2 && mica_text_is(word->tokens[0], "themeVariables"))
        return APP_VALUE_TEXT;
    if (word->count == 2 && mica_text_is(word->tokens[0], "roles"))
        return APP_VALUE_NAMES;
    // What stands in the data of an app has no type that is known here.
    return token_is_one(word->tokens[0], values, MICA_COUNT(values)) &&
                   (word->count == 1 || key_whole(word) == word->count ||
                    mica_text_is(word->tokens[0], "budget"))
               ? APP_VALUE_JSON
               : APP_VALUE_LOOSE;
}

// ---- Words -----------------------------------------------------------------------

// A text that was edited in a file ends with a line end that is no part of it.
static struct mica_text
without_end(struct mica_text text)
{
    while (text.len > 0 &&
           (text.ptr[text.len - 1] == '\n' || text.ptr[text.len - 1] == '\r'))
        text.len--;
    return text;
}

static enum mica_status
file_value(struct app_patch *work, const char *namez,
           struct mica_text *value_out)
{
    const struct mica_argument_files files = mica_argument_files_of(work->cli);
    bool from_stdin = strcmp(namez, "-") == 0;
    size_t valid;

    if (from_stdin && work->stdin_read)
        return mica_error_set(work->error, MICA_E_USAGE, "",
                              "stdin can be read once, and another member "
                              "takes it");
    work->stdin_read = work->stdin_read || from_stdin;
    MICA_TRY(files.read(files.data, namez, work->error, value_out));
    *value_out = mica_arena_text(&work->cli->arena, *value_out);
    valid = mica_utf8_valid(*value_out);
    if (valid != value_out->len)
        return mica_error_set(work->error, MICA_E_FORMAT, "",
                              "%s is not UTF-8: the byte %zu does not belong "
                              "there",
                              from_stdin ? "stdin" : namez, valid + 1);
    *value_out = without_end(*value_out);
    return MICA_OK;
}

static enum mica_status
word_read(struct app_patch *work, const char *wordz, struct app_word *word_out)
{
    const char *equals = strchr(wordz, '=');

    if (equals == NULL || equals == wordz)
        return mica_error_set(
            work->error, MICA_E_USAGE, "",
            "\"%.80s\" is no member of an app: write NAME=VALUE, NAME=@FILE "
            "for the text of a file, or /POINTER=VALUE",
            wordz);
    word_out->from_file = equals[1] == '@' && equals[2] != '@';
    MICA_TRY(key_read(work->cli,
                      (struct mica_text){wordz, (size_t)(equals - wordz)},
                      work->error, word_out));
    if (word_out->from_file)
        return file_value(work, equals + 2, &word_out->value);
    word_out->value = mica_text(equals[1] == '@' ? equals + 2 : equals + 1);
    return MICA_OK;
}

// ---- Values ----------------------------------------------------------------------

static enum mica_status
names_read(struct app_patch *work, struct mica_text text,
           struct mica_json *value_out)
{
    size_t count = 1, filled = 0;
    struct mica_json *items;

    for (size_t i = 0; i < text.len; i++)
        count += text.ptr[i] == ',';
    items = mica_arena_zero(&work->cli->arena, count, sizeof *items);
    if (items == NULL)
        return patch_no_memory(work);
    while (text.len > 0) {
        const char *end = memchr(text.ptr, ',', text.len);
        size_t len = end != NULL ? (size_t)(end - text.ptr) : text.len;
        items[filled++] = (struct mica_json){
            .kind = MICA_JSON_STRING, .text = mica_text_slice(text, 0, len)};
        text = mica_text_slice(text, len + 1, text.len);
    }
    *value_out = (struct mica_json){
        .kind = MICA_JSON_ARRAY, .count = filled, .items = items};
    return MICA_OK;
}

// The path of the key, for an error.
static const char *
word_path(struct app_patch *work, const struct app_word *word)
{
    struct mica_buffer path;

    mica_buffer_init(&path, &work->cli->arena, MICA_CLI_APP_BYTES);
    for (size_t i = 0; i < word->count; i++)
        mica_json_pointer_add(&path, mica_utf8_cut(word->tokens[i], KEY_SHOWN));
    return mica_cli_format(work->cli, "%.*s", MICA_ARG(path));
}

static enum mica_status
json_read(struct app_patch *work, const struct app_word *word,
          struct mica_json *value_out)
{
    struct mica_error fault;

    if (mica_json_read(&work->cli->arena, word->value, NULL, &fault,
                       value_out) == MICA_OK)
        return MICA_OK;
    return mica_error_set(
        work->error, MICA_E_JSON, word_path(work, word),
        "the value must be JSON, like '{\"title\":\"Hello\"}': "
        "%s",
        fault.message);
}

// "12" is a text where a text stands already.
static bool
stays_text(const struct mica_json *value, const struct mica_json *old)
{
    return old != NULL && old->kind == MICA_JSON_STRING &&
           (value->kind == MICA_JSON_NUMBER || value->kind == MICA_JSON_TRUE ||
            value->kind == MICA_JSON_FALSE);
}

static enum mica_status
value_read(struct app_patch *work, const struct app_word *word,
           const struct mica_json *old, struct mica_json *value_out)
{
    const struct mica_json text = {.kind = MICA_JSON_STRING,
                                   .text = word->value};
    enum app_value takes = key_takes(word);

    *value_out = app_null;
    if (!word->from_file && mica_text_is(word->value, "null"))
        return MICA_OK;
    if (takes == APP_VALUE_JSON ||
        (takes == APP_VALUE_NAMES && mica_text_starts(word->value, "[")))
        return json_read(work, word, value_out);
    if (takes == APP_VALUE_NAMES)
        return names_read(work, word->value, value_out);
    if (takes == APP_VALUE_LOOSE &&
        mica_json_read(&work->cli->arena, word->value, NULL, NULL, value_out) ==
            MICA_OK &&
        !stays_text(value_out, old))
        return MICA_OK;
    *value_out = text;
    return MICA_OK;
}

// ---- Putting values into values --------------------------------------------------

// A place inside a value, and what goes there; `value` NULL: nothing, it is removed.
struct app_change {
    const struct mica_text *tokens;
    size_t count;
    const struct mica_json *value;
};

static enum mica_status value_put(struct app_patch *work,
                                  const struct mica_json *old,
                                  struct app_change change,
                                  struct mica_json *value_out);

static struct app_change
change_inside(struct app_change change)
{
    change.tokens++;
    change.count--;
    return change;
}

// An item by its number; "-" is one more behind the last.
static enum mica_status
item_put(struct app_patch *work, const struct mica_json *old,
         struct app_change change, struct mica_json *value_out)
{
    bool removes = change.value == NULL && change.count == 1;
    struct mica_json *items =
        mica_arena_zero(&work->cli->arena, old->count + 1, sizeof *items);
    int64_t index = (int64_t)old->count;
    size_t count = old->count;

    if (items == NULL)
        return patch_no_memory(work);
    if (!mica_text_is(change.tokens[0], "-") &&
        (!mica_integer_read(change.tokens[0], &index) || index < 0 ||
         (size_t)index >= count))
        return mica_error_set(
            work->error, MICA_E_USAGE, "",
            "the list has %zu items: a pointer takes 0 to "
            "%zu, or \"-\" for one more, not \"%.*s\"",
            count, count > 0 ? count - 1 : 0,
            MICA_ARG(mica_utf8_cut(change.tokens[0], KEY_SHOWN)));
    if (count > 0)
        memcpy(items, old->items, count * sizeof *items);
    if (removes && (size_t)index < count) {
        memmove(&items[index], &items[index + 1],
                (count - (size_t)index - 1) * sizeof *items);
        count--;
    } else if (!removes) {
        MICA_TRY(value_put(work, (size_t)index < count ? &items[index] : NULL,
                           change_inside(change), &items[index]));
        count += (size_t)index == count;
    }
    *value_out = (struct mica_json){
        .kind = MICA_JSON_ARRAY, .count = count, .items = items};
    return MICA_OK;
}

static enum mica_status
member_put(struct app_patch *work, const struct mica_json *old,
           struct app_change change, struct mica_json *value_out)
{
    bool removes = change.value == NULL && change.count == 1;
    size_t before =
        old != NULL && old->kind == MICA_JSON_OBJECT ? old->count : 0;
    struct mica_json_member *members =
        mica_arena_zero(&work->cli->arena, before + 1, sizeof *members);
    size_t count = 0, place = before;

    if (members == NULL)
        return patch_no_memory(work);
    for (size_t i = 0; i < before; i++) {
        bool same = mica_text_equal(old->members[i].name, change.tokens[0]);
        if (same && removes)
            continue;
        if (same)
            place = count;
        members[count++] = old->members[i];
    }
    if (!removes) {
        const struct mica_json *inside =
            place < count ? &members[place].value : NULL;
        place = place < count ? place : count++;
        members[place].name = change.tokens[0];
        MICA_TRY(value_put(work, inside, change_inside(change),
                           &members[place].value));
    }
    *value_out = (struct mica_json){
        .kind = MICA_JSON_OBJECT, .count = count, .members = members};
    return MICA_OK;
}

// `old` may be NULL, and what `value_out` points to. The depth is that of a key.
static enum mica_status
value_put(struct app_patch *work, const struct mica_json *old,
          struct app_change change, struct mica_json *value_out)
{
    if (change.count == 0) {
        *value_out = change.value != NULL ? *change.value : app_null;
        return MICA_OK;
    }
    if (old != NULL && old->kind == MICA_JSON_ARRAY)
        return item_put(work, old, change, value_out);
    return member_put(work, old, change, value_out);
}

static const struct mica_json *
value_at(const struct mica_json *value, const struct mica_text *tokens,
         size_t count)
{
    for (size_t i = 0; i < count && value != NULL; i++) {
        int64_t index;
        if (value->kind == MICA_JSON_ARRAY)
            value = mica_integer_read(tokens[i], &index) && index >= 0 &&
                            (size_t)index < value->count
                        ? &value->items[index]
                        : NULL;
        else
            value = mica_json_member(value, tokens[i]);
    }
    return value;
}

static enum mica_status
word_apply(struct app_patch *work, const struct app_word *word)
{
    size_t whole = key_whole(word);
    bool partial = whole > 0 && word->count > whole;
    const struct mica_json *around = NULL;
    struct app_change change = {word->tokens, word->count, NULL};
    struct mica_json value, changed;

    if (partial) {
        around = value_at(&work->patch, word->tokens, whole);
        if (around == NULL)
            around = value_at(work->draft, word->tokens, whole);
    }
    MICA_TRY(value_read(
        work, word, value_at(around, word->tokens + whole, word->count - whole),
        &value));
    change.value = &value;
    if (partial) {
        struct app_change inside = {word->tokens + whole, word->count - whole,
                                    value.kind == MICA_JSON_NULL ? NULL
                                                                 : &value};
        MICA_TRY(value_put(work, around, inside, &changed));
        change = (struct app_change){word->tokens, whole, &changed};
    }
    return value_put(work, &work->patch, change, &work->patch);
}

// ---- The patch -------------------------------------------------------------------

bool
mica_cli_app_words_are_partial(const char *const *words, size_t count)
{
    static const char *const beginnings[] = {
        "/themeVariables/",     "themeVariables.",
        "/mockData/",           "mockData.",
        "/behavior/data/",      "behavior.data.",
        "/behavior/arguments/", "behavior.arguments."};

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < MICA_COUNT(beginnings); j++)
            if (mica_text_starts(mica_text(words[i]), beginnings[j]))
                return true;
    return false;
}

enum mica_status
mica_cli_app_words_patch(struct mica_cli *cli, const char *const *words,
                         size_t count, const struct mica_json *draft,
                         struct mica_error *error, struct mica_text *json_out)
{
    struct app_patch work = {.cli = cli,
                             .error = error,
                             .draft = draft,
                             .patch = {.kind = MICA_JSON_OBJECT}};
    struct mica_json_writer writer;
    struct mica_buffer text;

    for (size_t i = 0; i < count; i++) {
        struct app_word word;
        MICA_TRY(word_read(&work, words[i], &word));
        MICA_TRY(word_apply(&work, &word));
    }
    mica_buffer_init(&text, &cli->arena, MICA_CLI_APP_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_value(&writer, &work.patch);
    if (text.overflow)
        return patch_no_memory(&work);
    *json_out = mica_buffer_as_text(&text);
    return MICA_OK;
}

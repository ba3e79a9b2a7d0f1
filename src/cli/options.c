// SPDX-License-Identifier: Apache-2.0
//
// One pass over the words; nothing is reordered, so that the last of two
// values counts.
#include "cli/options.h"

#include <string.h>

#include "cli/near.h"

enum {
    OPTIONS = 64 // of one command, of which a nearest is looked for
};

// One letter means the same option in every command that has it.
static const struct {
    char letter;
    const char *name;
} letters[] = {{'l', "long"}, {'o', "out"}};

static const struct mica_option *
option_find(const struct mica_option *table, struct mica_text name)
{
    for (; table->name != NULL; table++) {
        if (mica_text_is(name, table->name))
            return table;
    }
    return NULL;
}

// The switch that `name` takes back, as --no-public does --public, and --pages
// --no-pages.
static const struct mica_option *
option_opposite(const struct mica_option *table, struct mica_text name)
{
    for (; table->name != NULL; table++) {
        struct mica_text own = mica_text(table->name);
        bool negative = mica_text_starts(own, "no-");
        if (table->kind == MICA_OPTION_TOGGLE &&
            (negative ? mica_text_equal(mica_text_slice(own, 3, own.len), name)
                      : mica_text_starts(name, "no-") &&
                            mica_text_equal(
                                own, mica_text_slice(name, 3, name.len))))
            return table;
    }
    return NULL;
}

// Words of other programs, and mica's.
static const struct mica_synonym synonyms[] = {
    {"port", "listen"},        {"host", "listen"},
    {"bind", "listen"},        {"addr", "listen"},
    {"address", "listen"},     {"hostname", "allow-host"},
    {"cors", "allow-origin"},  {"token", "auth"},
    {"oauth", "auth"},         {"db", "store"},
    {"database", "store"},     {"threads", "workers"},
    {"prefix", "base-path"},   {"path", "base-path"},
    {"url", "public-url"},     {"expose", "public"},
    {"silent", "quiet"},       {"sse", "http-sse"},
    {"prometheus", "metrics"}, {"model", "sampler"},
    {"llm", "sampler"},        {"dir", "project"},
    {"directory", "project"},  {"output", "out"},
    {"out", "output"},         {"verbose", "long"},
    {"full", "long"},          {"input", "json"},
    {"args", "json"},          {"format", "json"},
    {"stdin", "lines"},        {"jsonl", "lines"},
    {"batch", "lines"},        {"limit-to", "tool"},
    {"fuzz", "random"},        {NULL, NULL}};

static const struct mica_option *
option_near(const struct mica_option *table, struct mica_text name)
{
    const char *names[OPTIONS];
    const char *near;
    size_t count = 0;

    for (; count < OPTIONS && table[count].name != NULL; count++)
        names[count] = table[count].name;
    near = mica_near(name, names, count, synonyms);
    return near != NULL ? option_find(table, mica_text(near)) : NULL;
}

static enum mica_status
option_unknown(const struct mica_option *table, struct mica_text name,
               struct mica_error *error)
{
    const struct mica_option *near = option_near(table, name);

    if (near != NULL)
        return mica_error_set(
            error, MICA_E_USAGE, "",
            "there is no option --%.*s; did you mean --%s%s%s?", MICA_ARG(name),
            near->name, near->placeholder != NULL ? " " : "",
            near->placeholder != NULL ? near->placeholder : "");
    return mica_error_set(error, MICA_E_USAGE, "",
                          "there is no option --%.*s; --help lists those there "
                          "are",
                          MICA_ARG(name));
}

// What is read, and how far.
struct reader {
    const struct mica_option *table;
    const char *const *words;
    size_t count, at;
    struct mica_error *error;
    struct mica_given *given;
    size_t given_count;
};

// The value of an option whose word had no "=": the next word, if it wants one.
static const char *
next_value(struct reader *reader, const struct mica_option *option)
{
    const char *next =
        reader->at < reader->count ? reader->words[reader->at] : NULL;
    bool takes =
        option->kind == MICA_OPTION_VALUE ||
        option->kind == MICA_OPTION_REPEAT ||
        (option->kind == MICA_OPTION_OBJECT && next != NULL && next[0] == '{');

    if (!takes || next == NULL)
        return NULL;
    reader->at++;
    return next;
}

static enum mica_status
read_option(struct reader *reader, const char *word)
{
    const char *equals = strchr(word, '=');
    struct mica_text name = mica_text(word + 2);
    const struct mica_option *option;
    const char *value = NULL;
    bool off = false;

    if (equals != NULL)
        name.len = (size_t)(equals - word) - 2;
    option = option_find(reader->table, name);
    if (option == NULL) {
        option = option_opposite(reader->table, name);
        off = option != NULL;
    }
    if (option == NULL)
        return option_unknown(reader->table, name, reader->error);
    if (equals != NULL)
        value = equals + 1;
    else
        value = next_value(reader, option);
    if ((option->kind == MICA_OPTION_SWITCH ||
         option->kind == MICA_OPTION_TOGGLE) &&
        value != NULL)
        return mica_error_set(reader->error, MICA_E_USAGE, "",
                              "--%.*s is a switch and takes no value",
                              MICA_ARG(name));
    if (value == NULL && (option->kind == MICA_OPTION_VALUE ||
                          option->kind == MICA_OPTION_REPEAT))
        return mica_error_set(reader->error, MICA_E_USAGE, "",
                              "--%s needs a value: --%s %s", option->name,
                              option->name, option->placeholder);
    reader->given[reader->given_count++] = (struct mica_given){
        .option = option, .value = value, .off = off, .by = MICA_BY_FLAG};
    return MICA_OK;
}

// "-l", "-o FILE". A dash alone is a word.
static enum mica_status
read_letter(struct reader *reader, const char *word)
{
    const char *value;

    for (size_t i = 0; i < MICA_COUNT(letters); i++) {
        const struct mica_option *option =
            option_find(reader->table, mica_text(letters[i].name));
        if (option == NULL || word[1] != letters[i].letter || word[2] != '\0')
            continue;
        value = next_value(reader, option);
        if (value == NULL && option->kind == MICA_OPTION_VALUE)
            return mica_error_set(reader->error, MICA_E_USAGE, "",
                                  "%s needs a value: %s %s", word, word,
                                  option->placeholder);
        reader->given[reader->given_count++] = (struct mica_given){
            .option = option, .value = value, .by = MICA_BY_FLAG};
        return MICA_OK;
    }
    return mica_error_set(reader->error, MICA_E_USAGE, "",
                          "there is no option %s; --help lists those there "
                          "are, and a word that begins with a dash goes "
                          "behind \"--\"",
                          word);
}

char
mica_option_letter(const struct mica_option *option)
{
    for (size_t i = 0; i < MICA_COUNT(letters); i++)
        if (strcmp(option->name, letters[i].name) == 0)
            return letters[i].letter;
    return '\0';
}

enum mica_status
mica_options_read(const struct mica_option *table, const char *const *words,
                  size_t count, struct mica_arena *arena,
                  struct mica_error *error, struct mica_options *options_out)
{
    struct reader reader = {
        .table = table, .words = words, .count = count, .error = error};
    const char **plain = mica_arena_zero(arena, count + 1, sizeof *plain);
    size_t plain_count = 0;
    bool ended = false;

    reader.given = mica_arena_zero(arena, count + 1, sizeof *reader.given);
    if (plain == NULL || reader.given == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    while (reader.at < count) {
        const char *word = words[reader.at++];
        if (!ended && strcmp(word, "--") == 0)
            ended = true;
        else if (!ended && strncmp(word, "--", 2) == 0)
            MICA_TRY(read_option(&reader, word));
        else if (!ended && word[0] == '-' && word[1] != '\0')
            MICA_TRY(read_letter(&reader, word));
        else
            plain[plain_count++] = word;
    }
    *options_out = (struct mica_options){.given = reader.given,
                                         .given_count = reader.given_count,
                                         .words = plain,
                                         .word_count = plain_count};
    return MICA_OK;
}

const struct mica_given *
mica_options_last(const struct mica_options *options, const char *name)
{
    for (size_t i = options->given_count; i > 0; i--) {
        if (strcmp(options->given[i - 1].option->name, name) == 0)
            return &options->given[i - 1];
    }
    return NULL;
}

bool
mica_options_has(const struct mica_options *options, const char *name)
{
    const struct mica_given *last = mica_options_last(options, name);

    return last != NULL && !last->off;
}

const char *
mica_options_value(const struct mica_options *options, const char *name)
{
    const struct mica_given *last = mica_options_last(options, name);

    return last != NULL ? last->value : NULL;
}

const char *const *
mica_options_all(const struct mica_options *options, struct mica_arena *arena,
                 const char *name)
{
    static const char *const none[] = {NULL};
    const char **values =
        mica_arena_zero(arena, options->given_count + 1, sizeof *values);
    size_t count = 0;

    if (values == NULL)
        return none;
    for (size_t i = 0; i < options->given_count; i++) {
        if (strcmp(options->given[i].option->name, name) == 0 &&
            !options->given[i].off)
            values[count++] = options->given[i].value;
    }
    return values;
}

enum mica_status
mica_options_number(const struct mica_options *options, const char *name,
                    unsigned fallback, unsigned maximum,
                    struct mica_error *error, unsigned *number_out)
{
    const char *value = mica_options_value(options, name);
    unsigned long number = 0;
    size_t length = value != NULL ? strspn(value, "0123456789") : 0;

    *number_out = fallback;
    if (value == NULL)
        return MICA_OK;
    for (size_t i = 0; i < length && number <= maximum; i++)
        number = number * 10 + (unsigned long)(value[i] - '0');
    if (length == 0 || value[length] != '\0' || number > maximum)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "--%s takes a number from 0 to %u, not \"%s\"",
                              name, maximum, value);
    *number_out = (unsigned)number;
    return MICA_OK;
}

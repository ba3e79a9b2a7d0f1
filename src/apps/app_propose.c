// SPDX-License-Identifier: Apache-2.0
//
// Finds the verb in this order: a word of the name that is a verb ("Track Orders") or one
// who does it ("Order Tracker"); the first word of the description that is one ("Finds
// tables near you"); what the layout does ("list"). The other words of the name are what
// it is about.
#include "apps/app_propose.h"

#include <string.h>

#include "base/ascii.h"

enum {
    WORDS = 24,          // that are read of a name or of a description
    WORD_BYTES = 24,     // of one; longer ones are cut
    OBJECT_WORDS = 4,    // of a tool name
    TITLE_WORDS = 3,     // of a name for people
    TITLE_BYTES = 60,    // of one that is the beginning of its sentence
    FIRST_SENTENCE = 300 // bytes of the app's description in that of the tool
};

struct words {
    char items[WORDS][WORD_BYTES + 1]; // lower case
    size_t count;
};

// ---- Words -----------------------------------------------------------------------

// Reads the words of ASCII letters and digits; others are no part of a tool name.
static void
read_words(struct mica_text text, struct words *words_out)
{
    size_t length = 0;

    memset(words_out, 0, sizeof *words_out);
    for (size_t i = 0; i <= text.len && words_out->count < WORDS; i++) {
        char c = i < text.len ? mica_ascii_lower(text.ptr[i]) : ' ';
        char *word = words_out->items[words_out->count];
        bool within = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (within && length < WORD_BYTES)
            word[length++] = c;
        if (within || length == 0 || c == '\'')
            continue;
        word[length] = '\0';
        words_out->count++;
        length = 0;
    }
}

static bool
is_among(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}

// Words that say nothing about what a tool does.
static bool
is_filler(const char *word)
{
    static const char *const fillers[] = {
        "a",      "agent", "ai",     "an",    "and",     "app",   "assistant",
        "at",     "bot",   "by",     "chat",  "chatbot", "demo",  "easy",
        "for",    "gpt",   "her",    "his",   "in",      "is",    "it",
        "its",    "mini",  "my",     "new",   "of",      "on",    "our",
        "page",   "s",     "simple", "smart", "some",    "super", "test",
        "that",   "the",   "their",  "this",  "to",      "tool",  "us",
        "widget", "with",  "you",    "your"};

    return is_among(word, fillers, MICA_COUNT(fillers));
}

// ---- Verbs -----------------------------------------------------------------------

// Verbs that tool names begin with.
static const char *const verbs[] = {
    "add",      "analyze",  "answer",    "ask",      "book",      "browse",
    "build",    "buy",      "calculate", "cancel",   "check",     "choose",
    "compare",  "compute",  "convert",   "count",    "create",    "define",
    "draft",    "draw",     "estimate",  "explain",  "explore",   "find",
    "follow",   "generate", "get",       "give",     "help",      "list",
    "look",     "make",     "manage",    "measure",  "monitor",   "open",
    "order",    "pay",      "pick",      "plan",     "play",      "predict",
    "quote",    "rank",     "rate",      "read",     "recommend", "record",
    "remind",   "report",   "request",   "reserve",  "return",    "review",
    "roll",     "run",      "save",      "schedule", "search",    "send",
    "share",    "show",     "sort",      "split",    "suggest",   "summarize",
    "take",     "teach",    "tell",      "track",    "translate", "update",
    "validate", "view",     "watch",     "write"};

// The verb that a word is a form of: "finds", "tracking", "tracker", "calculator". NULL:
// none. In a name a bare verb may be a noun ("Order Tracker"), which the caller decides.
static const char *
verb_of(const char *word)
{
    static const char *const endings[] = {"",   "s",  "es", "r",
                                          "er", "or", "ing"};
    size_t length = strlen(word);

    for (size_t i = 0; i < MICA_COUNT(verbs); i++) {
        size_t stem = strlen(verbs[i]);
        bool silent = verbs[i][stem - 1] == 'e'; // "calculate": "calculator"
        bool twice = false;                      // "plan": "planner"
        if (silent && length >= stem &&
            (strcmp(word + stem - 1, "ing") == 0 ||
             strcmp(word + stem - 1, "or") == 0) &&
            memcmp(word, verbs[i], stem - 1) == 0)
            return verbs[i];
        if (length < stem || memcmp(word, verbs[i], stem) != 0)
            continue;
        twice = length > stem + 1 && word[stem] == verbs[i][stem - 1];
        if (is_among(word + stem + (twice ? 1 : 0), endings,
                     MICA_COUNT(endings)))
            return verbs[i];
    }
    return NULL;
}

static const char *
verb_of_layout(enum mica_app_layout layout)
{
    static const char *const by_layout[MICA_LAYOUTS] = {
        [MICA_LAYOUT_MESSAGE] = "answer", [MICA_LAYOUT_CARD] = "get",
        [MICA_LAYOUT_LIST] = "list",      [MICA_LAYOUT_CAROUSEL] = "browse",
        [MICA_LAYOUT_TABLE] = "list",     [MICA_LAYOUT_CHART] = "show",
        [MICA_LAYOUT_DETAIL] = "get",     [MICA_LAYOUT_FORM] = "request"};

    return (unsigned)layout < MICA_LAYOUTS ? by_layout[layout] : "get";
}

static const char *
noun_of_layout(enum mica_app_layout layout)
{
    static const char *const by_layout[MICA_LAYOUTS] = {
        [MICA_LAYOUT_MESSAGE] = "question", [MICA_LAYOUT_CARD] = "card",
        [MICA_LAYOUT_LIST] = "items",       [MICA_LAYOUT_CAROUSEL] = "items",
        [MICA_LAYOUT_TABLE] = "rows",       [MICA_LAYOUT_CHART] = "chart",
        [MICA_LAYOUT_DETAIL] = "details",   [MICA_LAYOUT_FORM] = "form"};

    return (unsigned)layout < MICA_LAYOUTS ? by_layout[layout] : "item";
}

// "tracker" and "tracking", but not "orders" and "order", which may be nouns.
static bool
is_doer(const char *word)
{
    const char *verb = verb_of(word);

    return verb != NULL && strcmp(verb, word) != 0 &&
           word[strlen(word) - 1] != 's';
}

// The number of the word of the name that is the verb; count: none. The last word wins
// when it is one who does ("Order Tracker"), otherwise the first word.
static size_t
verb_place(const struct words *name)
{
    size_t last = name->count;

    while (last > 0 && is_filler(name->items[last - 1]))
        last--;
    if (last > 1 && is_doer(name->items[last - 1]))
        return last - 1;
    for (size_t i = 0; i < last; i++) {
        if (is_filler(name->items[i]))
            continue;
        // Alone it is what the app is about: "Order".
        return verb_of(name->items[i]) != NULL && i + 1 < last ? i
                                                               : name->count;
    }
    return name->count;
}

static const char *
verb_in_description(struct mica_text description)
{
    struct words words;

    read_words(description, &words);
    for (size_t i = 0; i < words.count && i < 3; i++) {
        const char *verb = verb_of(words.items[i]);
        if (verb != NULL)
            return verb;
    }
    return NULL;
}

// ---- The name --------------------------------------------------------------------

static size_t
add_word(char *name, size_t length, const char *word)
{
    size_t size = strlen(word);

    if (length + 1 + size > MICA_APP_TOOL_NAME_LENGTH)
        return length;
    if (length > 0)
        name[length++] = '_';
    memcpy(name + length, word, size);
    return length + size;
}

size_t
mica_app_propose_name(const struct mica_app_draft *draft,
                      char name_out[MICA_APP_PROPOSED_NAME_SIZE])
{
    struct words name;
    size_t place, length, objects = 0;
    const char *verb = NULL;

    read_words(draft->name, &name);
    place = verb_place(&name);
    if (place < name.count)
        verb = verb_of(name.items[place]);
    if (verb == NULL)
        verb = verb_in_description(draft->description);
    if (verb == NULL)
        verb = verb_of_layout(draft->layout);
    length = add_word(name_out, 0, verb);
    for (size_t i = 0; i < name.count && objects < OBJECT_WORDS; i++) {
        if (i == place || is_filler(name.items[i]))
            continue;
        length = add_word(name_out, length, name.items[i]);
        objects++;
    }
    if (objects == 0)
        length = add_word(name_out, length, noun_of_layout(draft->layout));
    name_out[length] = '\0';
    return length;
}

// ---- The description -------------------------------------------------------------

// The first sentence, without the spaces around it.
static struct mica_text
first_sentence(struct mica_text text)
{
    struct mica_text sentence = {NULL, 0};

    while (text.len > 0 && sentence.len == 0) {
        (void)mica_text_sentence(&text, &sentence);
        while (sentence.len > 0 && (unsigned char)sentence.ptr[0] <= ' ')
            sentence = mica_text_slice(sentence, 1, sentence.len);
        while (sentence.len > 0 &&
               (unsigned char)sentence.ptr[sentence.len - 1] <= ' ')
            sentence.len--;
    }
    return mica_utf8_cut(sentence, FIRST_SENTENCE);
}

static void
write_what(const struct mica_app_draft *draft, struct mica_text about,
           struct mica_buffer *out)
{
    struct mica_text sentence = first_sentence(draft->description);
    char last;

    if (sentence.len == 0) {
        mica_buffer_format(
            out, "Shows \"%.*s\" as a %.*s: %.*s.", MICA_ARG(draft->name),
            MICA_ARG(mica_app_layouts[draft->layout].name), MICA_ARG(about));
        return;
    }
    mica_buffer_text(out, sentence);
    last = sentence.ptr[sentence.len - 1];
    if (last != '.' && last != '!' && last != '?' && (unsigned char)last < 0x80)
        mica_buffer_char(out, '.');
}

void
mica_app_propose_description(const struct mica_app_draft *draft,
                             struct mica_text tool_name,
                             struct mica_buffer *description_out)
{
    char words[MICA_APP_PROPOSED_NAME_SIZE];
    struct mica_text about = {words, 0};

    for (size_t i = 0; i < tool_name.len && i < sizeof words; i++)
        words[about.len++] = tool_name.ptr[i] == '_' ? ' ' : tool_name.ptr[i];
    write_what(draft, about, description_out);
    mica_buffer_format(description_out,
                       " Use when a person wants to %.*s. Requires the "
                       "person's request in their own words as message.",
                       MICA_ARG(about));
}

// ---- A name for people, and a layout -----------------------------------------------

// Words that say nothing about what an app is about, beside fillers and verbs.
static bool
is_joint(const char *word)
{
    static const char *const joints[] = {
        "about", "all",  "any",  "are",   "as",    "be",    "can", "display",
        "from",  "how",  "i",    "if",    "into",  "me",    "one", "or",
        "per",   "so",   "than", "them",  "then",  "they",  "up",  "want",
        "we",    "what", "when", "where", "which", "while", "who", "will"};

    return is_among(word, joints, MICA_COUNT(joints));
}

void
mica_app_propose_title(struct mica_text sentence, struct mica_buffer *title_out)
{
    struct words words;
    size_t count = 0;
    bool has_verb = false;

    read_words(sentence, &words);
    for (size_t i = 0; i < words.count && count < TITLE_WORDS; i++) {
        const char *word = words.items[i];
        if (is_filler(word) || is_joint(word))
            continue;
        // "Shows orders": the next one may be a noun.
        if (count == 0 && !has_verb && verb_of(word) != NULL) {
            has_verb = true;
            continue;
        }
        mica_buffer_format(title_out, "%s%c%s", count > 0 ? " " : "",
                           word[0] >= 'a' && word[0] <= 'z'
                               ? (char)(word[0] - 'a' + 'A')
                               : word[0],
                           word + 1);
        count++;
    }
    if (count == 0)
        mica_buffer_text(title_out, mica_utf8_cut(sentence, TITLE_BYTES));
}

const struct mica_app_layout_row *
mica_app_propose_layout(struct mica_text sentence)
{
    struct words words;

    read_words(sentence, &words);
    for (size_t i = 0; i < words.count; i++) {
        struct mica_text word = mica_text(words.items[i]);
        if (word.len > 3 && word.ptr[word.len - 1] == 's')
            word.len--;
        if (mica_app_layout_find(word) != NULL)
            return mica_app_layout_find(word);
    }
    return &mica_app_layouts[MICA_LAYOUT_CARD];
}

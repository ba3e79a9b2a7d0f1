// SPDX-License-Identifier: Apache-2.0
//
// See app_verbs.h.
#include "apps/app_verbs.h"

#include <string.h>

#include "base/ascii.h"

// ---- Words -----------------------------------------------------------------------

void
mica_app_words_read(struct mica_text text, struct mica_app_words *words_out)
{
    size_t length = 0;

    memset(words_out, 0, sizeof *words_out);
    for (size_t i = 0; i <= text.len && words_out->count < MICA_APP_WORDS;
         i++) {
        char c = i < text.len ? mica_ascii_lower(text.ptr[i]) : ' ';
        char *word = words_out->items[words_out->count];
        bool within = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (within && length < MICA_APP_WORD_BYTES)
            word[length++] = c;
        if (within || length == 0 || c == '\'')
            continue;
        word[length] = '\0';
        words_out->count++;
        length = 0;
    }
}

bool
mica_app_word_among(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}

bool
mica_app_word_is_filler(const char *word)
{
    static const char *const fillers[] = {
        "a",      "agent", "ai",     "an",    "and",     "app",   "assistant",
        "at",     "bot",   "by",     "chat",  "chatbot", "demo",  "easy",
        "for",    "gpt",   "her",    "his",   "in",      "is",    "it",
        "its",    "mini",  "my",     "new",   "of",      "on",    "our",
        "page",   "s",     "simple", "smart", "some",    "super", "test",
        "that",   "the",   "their",  "this",  "to",      "tool",  "us",
        "widget", "with",  "you",    "your"};

    return mica_app_word_among(word, fillers, MICA_COUNT(fillers));
}

bool
mica_app_word_is_article(const char *word)
{
    static const char *const articles[] = {
        "a",     "all",   "an",    "any",  "each",  "every", "her",
        "his",   "its",   "my",    "new",  "our",   "some",  "the",
        "their", "these", "those", "what", "where", "which", "your"};

    return mica_app_word_among(word, articles, MICA_COUNT(articles));
}

bool
mica_app_word_is_plural(const char *word)
{
    size_t length = strlen(word);

    return length > 2 && word[length - 1] == 's' &&
           strchr("aisu", word[length - 2]) == NULL;
}

// ---- Verbs -----------------------------------------------------------------------

// How a verb is read that could be a noun.
enum verb_kind {
    VERB_ONLY,   // "find": no noun
    VERB_MOSTLY, // "search": a noun before a few words alone
    VERB_SELDOM  // "order": a noun, unless something says otherwise
};

struct verb {
    const char *word;
    enum verb_kind kind;
    // Words that may follow, with blanks between. Of a verb that is one mostly, those before
    // which it is a noun; of one that seldom is, those before which it is the verb.
    const char *next;
};

static const struct verb verbs[] = {
    {"add", VERB_ONLY, ""},
    {"analyze", VERB_ONLY, ""},
    {"answer", VERB_MOSTLY, "key sheet"},
    {"ask", VERB_ONLY, ""},
    {"book", VERB_SELDOM,
     "appointment flight hotel ride room seat table taxi ticket trip"},
    {"browse", VERB_ONLY, ""},
    {"build", VERB_MOSTLY, "log status"},
    {"buy", VERB_ONLY, ""},
    {"calculate", VERB_ONLY, ""},
    {"cancel", VERB_ONLY, ""},
    {"check", VERB_MOSTLY, "list"},
    {"choose", VERB_ONLY, ""},
    {"compare", VERB_ONLY, ""},
    {"compute", VERB_ONLY, ""},
    {"convert", VERB_ONLY, ""},
    {"count", VERB_MOSTLY, ""},
    {"create", VERB_ONLY, ""},
    {"define", VERB_ONLY, ""},
    {"draft", VERB_SELDOM, "email letter reply"},
    {"draw", VERB_ONLY, ""},
    {"estimate", VERB_SELDOM, "cost price"},
    {"explain", VERB_ONLY, ""},
    {"explore", VERB_ONLY, ""},
    {"find", VERB_ONLY, ""},
    {"follow", VERB_ONLY, ""},
    {"generate", VERB_ONLY, ""},
    {"get", VERB_ONLY, ""},
    {"give", VERB_ONLY, ""},
    {"help", VERB_MOSTLY, "center centre desk line page"},
    {"list", VERB_SELDOM, ""},
    {"look", VERB_MOSTLY, "book"},
    {"make", VERB_ONLY, ""},
    {"manage", VERB_ONLY, ""},
    {"measure", VERB_MOSTLY, ""},
    {"monitor", VERB_MOSTLY, "size"},
    {"open", VERB_ONLY, ""},
    {"order", VERB_SELDOM,
     "breakfast coffee dinner food lunch meal pizza taxi"},
    {"pay", VERB_MOSTLY, "day rate scale slip stub"},
    {"pick", VERB_MOSTLY, "list"},
    {"plan", VERB_SELDOM, "dinner holiday meal party trip vacation wedding"},
    {"play", VERB_SELDOM, "chess game movie music song video"},
    {"predict", VERB_ONLY, ""},
    {"quote", VERB_SELDOM, ""},
    {"rank", VERB_MOSTLY, ""},
    {"rate", VERB_SELDOM, "movie recipe"},
    {"read", VERB_ONLY, ""},
    {"recommend", VERB_ONLY, ""},
    {"record", VERB_SELDOM, ""},
    {"remind", VERB_ONLY, ""},
    {"report", VERB_SELDOM, "abuse bug incident issue outage problem"},
    {"request", VERB_SELDOM, "leave quote refund"},
    {"reserve", VERB_MOSTLY, "price"},
    {"return", VERB_SELDOM, "item product"},
    {"review", VERB_SELDOM, "code"},
    {"roll", VERB_MOSTLY, "call"},
    {"run", VERB_MOSTLY, "time"},
    {"save", VERB_ONLY, ""},
    {"schedule", VERB_SELDOM, "appointment call meeting visit"},
    {"search", VERB_MOSTLY, "engine history result results term terms volume"},
    {"send", VERB_ONLY, ""},
    {"share", VERB_MOSTLY, "count price prices"},
    {"show", VERB_MOSTLY, "time times"},
    {"sort", VERB_MOSTLY, "order"},
    {"split", VERB_MOSTLY, "time times"},
    {"suggest", VERB_ONLY, ""},
    {"summarize", VERB_ONLY, ""},
    {"take", VERB_ONLY, ""},
    {"teach", VERB_ONLY, ""},
    {"tell", VERB_ONLY, ""},
    {"track", VERB_MOSTLY, "list lists record records"},
    {"translate", VERB_ONLY, ""},
    {"update", VERB_MOSTLY, "history log notes"},
    {"validate", VERB_ONLY, ""},
    {"view", VERB_MOSTLY, "count"},
    {"watch", VERB_MOSTLY, "face list"},
    {"write", VERB_ONLY, ""}};

static const struct verb *
verb_row(const char *word)
{
    static const char *const endings[] = {"",   "s",  "es", "r",
                                          "er", "or", "ing"};
    size_t length = strlen(word);

    for (size_t i = 0; i < MICA_COUNT(verbs); i++) {
        const char *verb = verbs[i].word;
        size_t stem = strlen(verb);
        bool silent = verb[stem - 1] == 'e'; // "calculate": "calculator"
        bool twice = false;                  // "plan": "planner"
        if (silent && length >= stem &&
            (strcmp(word + stem - 1, "ing") == 0 ||
             strcmp(word + stem - 1, "or") == 0) &&
            memcmp(word, verb, stem - 1) == 0)
            return &verbs[i];
        if (length < stem || memcmp(word, verb, stem) != 0)
            continue;
        twice = length > stem + 1 && word[stem] == verb[stem - 1];
        if (mica_app_word_among(word + stem + (twice ? 1 : 0), endings,
                                MICA_COUNT(endings)))
            return &verbs[i];
    }
    return NULL;
}

const char *
mica_app_verb_of(const char *word)
{
    const struct verb *row = verb_row(word);

    return row != NULL ? row->word : NULL;
}

bool
mica_app_verb_is_no_noun(const char *verb)
{
    const struct verb *row = verb_row(verb);

    return row != NULL && row->kind == VERB_ONLY;
}

// "tracker" and "tracking", but not "orders" and "order", which may be nouns.
static bool
is_doer(const char *word)
{
    const char *verb = mica_app_verb_of(word);

    return verb != NULL && strcmp(verb, word) != 0 &&
           word[strlen(word) - 1] != 's';
}

// ---- Verb or noun ----------------------------------------------------------------

// Nouns that say a part, a property or a collection of the noun before them: "order status",
// "booking details".
static bool
is_facet(const char *word)
{
    static const char *const facets[] = {
        "alert",  "amount",  "archive",  "board",   "book",   "calendar",
        "card",   "chart",   "club",     "code",    "cost",   "count",
        "date",   "day",     "deadline", "desk",    "detail", "event",
        "fee",    "form",    "guide",    "history", "hour",   "id",
        "info",   "item",    "label",    "limit",   "line",   "link",
        "list",   "log",     "name",     "note",    "number", "page",
        "policy", "price",   "rate",     "record",  "report", "result",
        "rule",   "sheet",   "shop",     "stat",    "status", "statuses",
        "store",  "summary", "table",    "tax",     "term",   "time",
        "title",  "total",   "trend",    "update",  "value",  "volume"};
    char single[MICA_APP_WORD_BYTES + 1];
    size_t length = strlen(word);

    memcpy(single, word, length + 1);
    if (mica_app_word_is_plural(word))
        single[length - 1] = '\0';
    return mica_app_word_among(single, facets, MICA_COUNT(facets)) ||
           strcmp(word, "policies") == 0;
}

// Whether the list has the word, or the one of which it is several.
static bool
has_word(const char *list, const char *word)
{
    size_t length = strlen(word);

    length -= mica_app_word_is_plural(word);
    for (const char *at = list; *at != '\0'; at += *at == ' ') {
        size_t size = strcspn(at, " ");
        if ((size == length || size == strlen(word)) &&
            memcmp(at, word, size) == 0)
            return true;
        at += size;
    }
    return false;
}

// Whether a verb that is a noun, too, is one before `next`: an object follows.
static bool
has_object(const struct mica_app_words *words, size_t place,
           const struct verb *verb)
{
    const char *next = words->items[place + 1];

    if (mica_app_word_is_article(next) ||
        (verb->kind == VERB_SELDOM && has_word(verb->next, next)))
        return true;
    // "Order and pay".
    if (strcmp(next, "and") == 0)
        return place + 2 < words->count &&
               mica_app_verb_of(words->items[place + 2]) != NULL;
    return mica_app_word_is_plural(next) && !is_facet(next);
}

// Words after which no object follows: "Orders by region".
static bool
is_preposition(const char *word)
{
    static const char *const prepositions[] = {"and",  "at", "by",  "for",
                                               "from", "in", "of",  "on",
                                               "per",  "to", "with"};

    return mica_app_word_among(word, prepositions, MICA_COUNT(prepositions));
}

// "Opening hours" and "Player scores" open and play nothing: only "Tracking my orders" and
// "Calculator for tips" do.
static bool
doer_is_verb(const struct mica_app_words *words, size_t place)
{
    const char *word = words->items[place], *next = words->items[place + 1];

    if (strcmp(next, "for") == 0 || strcmp(next, "of") == 0 ||
        mica_app_word_is_article(next))
        return true;
    return strcmp(word + strlen(word) - 3, "ing") == 0 &&
           mica_app_word_is_plural(next) && !is_facet(next);
}

const char *
mica_app_verb_at(const struct mica_app_words *words, size_t place,
                 enum mica_app_phrase phrase)
{
    const char *word = words->items[place], *next;
    const struct verb *row = verb_row(word);
    bool bare, title = phrase == MICA_APP_TITLE;

    // Alone it is what the app is about: "Order".
    if (row == NULL || place + 1 >= words->count)
        return NULL;
    if (place > 0 && mica_app_word_is_article(words->items[place - 1]))
        return NULL;
    next = words->items[place + 1];
    if (is_doer(word))
        return doer_is_verb(words, place) ? row->word : NULL;
    bare = strcmp(word, row->word) == 0;
    if (row->kind == VERB_ONLY)
        return row->word;
    if (strcmp(next, "of") == 0)
        return NULL;
    // "Reports daily sales" is a sentence, "Shows tonight" a title about shows.
    if (row->kind == VERB_SELDOM && !title && !bare)
        return is_preposition(next) ? NULL : row->word;
    if (row->kind == VERB_SELDOM || (title && !bare))
        return has_object(words, place, row) ? row->word : NULL;
    return has_word(row->next, next) ? NULL : row->word;
}

size_t
mica_app_verb_place(const struct mica_app_words *words)
{
    struct mica_app_words head = *words;
    size_t first = 0;

    while (head.count > 0 &&
           mica_app_word_is_filler(head.items[head.count - 1]))
        head.count--;
    if (head.count > 1 && is_doer(head.items[head.count - 1]))
        return head.count - 1;
    while (first < head.count && mica_app_word_is_filler(head.items[first]))
        first++;
    return first < head.count &&
                   mica_app_verb_at(&head, first, MICA_APP_TITLE) != NULL
               ? first
               : words->count;
}

// SPDX-License-Identifier: Apache-2.0
//
// Finds the verb in this order: a word of the name that is read as a verb ("Track Orders",
// and not "Order status"; app_verbs.h says how) or one who does it ("Order Tracker"); the
// first word of the description that is one ("Finds tables near you"); what the layout
// does ("list"). The other words of the name are what it is about.
#include "apps/app_propose.h"

#include <string.h>

#include "apps/app_verbs.h"

enum {
    OBJECT_WORDS = 4,     // of a tool name
    TITLE_WORDS = 3,      // of a name for people
    TITLE_BYTES = 60,     // of one that is the beginning of its sentence
    FIRST_SENTENCE = 300, // bytes of the app's description in that of the tool
    VERB_WORDS = 3        // of a description that may be its verb
};

// ---- Verbs -----------------------------------------------------------------------

static const char *
verb_of_layout(enum mica_app_layout layout)
{
    static const char *const by_layout[MICA_LAYOUTS] = {
        [MICA_LAYOUT_MESSAGE] = "get", [MICA_LAYOUT_CARD] = "get",
        [MICA_LAYOUT_LIST] = "list",   [MICA_LAYOUT_CAROUSEL] = "browse",
        [MICA_LAYOUT_TABLE] = "list",  [MICA_LAYOUT_CHART] = "show",
        [MICA_LAYOUT_DETAIL] = "get",  [MICA_LAYOUT_FORM] = "request"};

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

static const char *
verb_in_description(struct mica_text description)
{
    struct mica_app_words words;
    size_t seen = 0;

    mica_app_words_read(description, &words);
    for (size_t i = 0; i < words.count && seen < VERB_WORDS; i++) {
        const char *verb = mica_app_verb_at(&words, i, MICA_APP_SENTENCE);
        if (mica_app_word_is_filler(words.items[i]))
            continue;
        // "Latest orders here": a word within the sentence is rather a noun.
        if (verb != NULL && (seen == 0 || mica_app_verb_is_no_noun(verb)))
            return verb;
        seen++;
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

// What a proposed name is made of.
struct proposal {
    struct mica_app_words words; // of the name of the app
    size_t place;                // of the verb in them; words.count: elsewhere
    const char *verb;
    size_t objects;
};

static bool
is_object(const struct proposal *proposal, size_t place)
{
    return place != proposal->place &&
           !mica_app_word_is_filler(proposal->words.items[place]);
}

static void
proposal_make(const struct mica_app_draft *draft, struct proposal *proposal_out)
{
    struct mica_app_words *words = &proposal_out->words;
    size_t count = 0, first = 0;

    mica_app_words_read(draft->name, words);
    proposal_out->place = mica_app_verb_place(words);
    proposal_out->verb = NULL;
    if (proposal_out->place < words->count)
        proposal_out->verb =
            mica_app_verb_of(words->items[proposal_out->place]);
    if (proposal_out->verb == NULL)
        proposal_out->verb = verb_in_description(draft->description);
    for (size_t i = words->count; i-- > 0;)
        if (is_object(proposal_out, i)) {
            first = i;
            count++;
        }
    // "Order sushi", of which the description says "Orders sushi".
    if (proposal_out->verb != NULL && proposal_out->place == words->count &&
        count > 1 && strcmp(words->items[first], proposal_out->verb) == 0) {
        proposal_out->place = first;
        count--;
    }
    if (proposal_out->verb == NULL)
        proposal_out->verb = count > 0 || draft->layout != MICA_LAYOUT_MESSAGE
                                 ? verb_of_layout(draft->layout)
                                 : "answer";
    proposal_out->objects = count < OBJECT_WORDS ? count : OBJECT_WORDS;
}

static size_t
proposal_name(const struct proposal *proposal,
              const struct mica_app_draft *draft,
              char name_out[MICA_APP_PROPOSED_NAME_SIZE])
{
    size_t length = add_word(name_out, 0, proposal->verb), objects = 0;

    for (size_t i = 0; objects < proposal->objects; i++) {
        if (!is_object(proposal, i))
            continue;
        length = add_word(name_out, length, proposal->words.items[i]);
        objects++;
    }
    if (objects == 0)
        length = add_word(name_out, length, noun_of_layout(draft->layout));
    name_out[length] = '\0';
    return length;
}

size_t
mica_app_propose_name(const struct mica_app_draft *draft,
                      char name_out[MICA_APP_PROPOSED_NAME_SIZE])
{
    struct proposal proposal;

    proposal_make(draft, &proposal);
    return proposal_name(&proposal, draft, name_out);
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
write_what(const struct mica_app_draft *draft, struct mica_buffer *out)
{
    struct mica_text sentence = first_sentence(draft->description);
    char last;

    if (sentence.len == 0) {
        mica_buffer_format(out, "Shows \"%.*s\" as a %.*s.",
                           MICA_ARG(draft->name),
                           MICA_ARG(mica_app_layouts[draft->layout].name));
        return;
    }
    mica_buffer_text(out, sentence);
    last = sentence.ptr[sentence.len - 1];
    if (last != '.' && last != '!' && last != '?' && (unsigned char)last < 0x80)
        mica_buffer_char(out, '.');
}

// Words of which a sentence says what a tool is about.
struct about {
    struct mica_app_words words;
    size_t article; // of their own, as in "book a table"; `from`: none
    size_t from, to;
};

static void
write_about(const struct about *about, size_t from, struct mica_buffer *out)
{
    static const char *const ours[] = {"my", "our", "your"};

    for (size_t i = from; i < about->to; i++) {
        const char *word = about->words.items[i];
        bool is_ours = mica_app_word_among(word, ours, MICA_COUNT(ours));
        mica_buffer_format(out, " %s", is_ours ? "their" : word);
    }
}

// Writes what a person wants who needs the tool: "wants to track the order".
static void
write_wish(const char *verb, const struct about *about, struct mica_buffer *out)
{
    // What the tool does, and not the person.
    static const char *const services[] = {
        "explain", "generate",  "give",  "predict", "recommend", "remind",
        "suggest", "summarize", "teach", "tell",    "translate"};
    static const struct {
        const char *verb, *wish;
    } wishes[] = {{"get", "wants the"},           {"answer", "asks about"},
                  {"browse", "wants to see the"}, {"list", "wants to see the"},
                  {"show", "wants to see the"},   {"view", "wants to see the"}};
    const char *wish = NULL;

    for (size_t i = 0; i < MICA_COUNT(wishes); i++)
        if (strcmp(verb, wishes[i].verb) == 0)
            wish = wishes[i].wish;
    if (wish != NULL) {
        mica_buffer_text(out, mica_text(wish));
        write_about(about, about->from, out);
        return;
    }
    wish = mica_app_word_among(verb, services, MICA_COUNT(services))
               ? "asks you to"
               : "wants to";
    mica_buffer_format(out, "%s %s", wish, verb);
    if (about->article == about->from && about->to > about->from &&
        !mica_app_word_is_plural(about->words.items[about->to - 1]))
        mica_buffer_text(out, MICA_LITERAL(" the"));
    write_about(about, about->article, out);
}

// Of the name of the app, with the small words between those of the tool name.
static void
about_proposal(const struct proposal *proposal, struct about *about_out)
{
    size_t objects = 0;

    *about_out = (struct about){.words = proposal->words};
    for (size_t i = 0; objects < proposal->objects; i++) {
        if (!is_object(proposal, i))
            continue;
        if (objects++ == 0)
            about_out->from = i;
        about_out->to = i + 1;
    }
    about_out->article = about_out->from;
    // "Order Tracker" has its verb at the end.
    if (proposal->place < about_out->from && about_out->from > 0 &&
        mica_app_word_is_article(about_out->words.items[about_out->from - 1]))
        about_out->article--;
}

static void
write_when(const struct mica_app_draft *draft, struct mica_text tool_name,
           struct mica_buffer *out)
{
    char name[MICA_APP_PROPOSED_NAME_SIZE];
    struct proposal proposal;
    struct about about = {.from = 1, .article = 1};
    const char *verb;

    proposal_make(draft, &proposal);
    (void)proposal_name(&proposal, draft, name);
    mica_app_words_read(tool_name, &about.words);
    about.to = about.words.count;
    verb = about.words.items[0];
    if (mica_text_is(tool_name, name) &&
        mica_text_length(draft->name) < draft->name.len) {
        // Its words have letters that a tool name has not.
        mica_buffer_format(out, "wants what \"%.*s\" shows",
                           MICA_ARG(draft->name));
        return;
    }
    if (mica_text_is(tool_name, "answer_question"))
        mica_buffer_text(out, MICA_LITERAL("has a question"));
    else if (mica_text_is(tool_name, name) && proposal.objects > 0) {
        about_proposal(&proposal, &about);
        write_wish(proposal.verb, &about, out);
    } else if (about.words.count < 2)
        mica_buffer_format(out, "asks for \"%.*s\"", MICA_ARG(tool_name));
    else
        write_wish(verb, &about, out);
}

void
mica_app_propose_description(const struct mica_app_draft *draft,
                             struct mica_text tool_name,
                             struct mica_buffer *description_out)
{
    write_what(draft, description_out);
    mica_buffer_text(description_out, MICA_LITERAL(" Use when a person "));
    write_when(draft, tool_name, description_out);
    mica_buffer_text(description_out,
                     MICA_LITERAL(". Requires the person's request in their "
                                  "own words as message."));
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

    return mica_app_word_among(word, joints, MICA_COUNT(joints));
}

void
mica_app_propose_title(struct mica_text sentence, struct mica_buffer *title_out)
{
    struct mica_app_words words;
    size_t count = 0;
    bool has_verb = false;

    mica_app_words_read(sentence, &words);
    for (size_t i = 0; i < words.count && count < TITLE_WORDS; i++) {
        const char *word = words.items[i];
        if (mica_app_word_is_filler(word) || is_joint(word))
            continue;
        // "Shows orders": the next one may be a noun.
        if (count == 0 && !has_verb &&
            mica_app_verb_at(&words, i, MICA_APP_SENTENCE) != NULL) {
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
    struct mica_app_words words;

    mica_app_words_read(sentence, &words);
    for (size_t i = 0; i < words.count; i++) {
        struct mica_text word = mica_text(words.items[i]);
        if (word.len > 3 && word.ptr[word.len - 1] == 's')
            word.len--;
        if (mica_app_layout_find(word) != NULL)
            return mica_app_layout_find(word);
    }
    return &mica_app_layouts[MICA_LAYOUT_CARD];
}

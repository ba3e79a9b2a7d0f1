// SPDX-License-Identifier: Apache-2.0
//
// How the tool of an app is named and described, as models choose tools by these words. A
// name is an action and an object (get_order_status); a description says what the tool
// does, when to use it, and which information it takes. What no client could use is an
// error; what is merely unclear is a warning, as a rule of words can be wrong.
//
// The cues are English. A description in another language is judged by its length alone.
#include "apps/app_rules.h"

#include <string.h>

#include "base/ascii.h"
#include "base/unicode.h"
#include "registry/definition.h"

enum {
    SHORT_BYTES = 40, // of a description that says too little, in any script
    SHORT_WORDS = 6,
    SHOWN_NAME = MICA_APP_TOOL_NAME_LENGTH
};

#define WARN(findings, codez, pathz, ...) \
    mica_app_find(findings, MICA_APP_WARNING, codez, pathz, __VA_ARGS__)
#define UNFINISHED(findings, codez, pathz, ...) \
    mica_app_find(findings, MICA_APP_UNFINISHED, codez, pathz, __VA_ARGS__)

static bool
is_letter(char c)
{
    c = mica_ascii_lower(c);
    return c >= 'a' && c <= 'z';
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
is_among(struct mica_text word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (mica_ascii_is(word, list[i]))
            return true;
    return false;
}

// Takes the next run of ASCII letters and digits off `*rest`; other bytes part words.
static bool
next_word(struct mica_text *rest, struct mica_text *word_out)
{
    size_t from = 0, to;

    while (from < rest->len && !is_letter(rest->ptr[from]) &&
           !is_digit(rest->ptr[from]))
        from++;
    to = from;
    while (to < rest->len &&
           (is_letter(rest->ptr[to]) || is_digit(rest->ptr[to])))
        to++;
    *word_out = mica_text_slice(*rest, from, to);
    *rest = mica_text_slice(*rest, to, rest->len);
    return to > from;
}

static size_t
count_words(struct mica_text text)
{
    struct mica_text word;
    size_t count = 0;

    while (next_word(&text, &word))
        count++;
    return count;
}

// ---- Names -----------------------------------------------------------------------

// Verbs that tools begin with.
static const char *const verbs[] = {
    "accept",   "activate",    "add",       "adjust",   "analyze",
    "answer",   "apply",       "approve",   "archive",  "ask",
    "assign",   "attach",      "book",      "browse",   "build",
    "buy",      "calculate",   "call",      "cancel",   "change",
    "check",    "choose",      "classify",  "clean",    "clear",
    "close",    "collect",     "compare",   "complete", "compose",
    "compute",  "confirm",     "connect",   "contact",  "convert",
    "copy",     "count",       "create",    "debug",    "decode",
    "define",   "delete",      "describe",  "detect",   "diagnose",
    "display",  "download",    "draft",     "draw",     "edit",
    "encode",   "escalate",    "estimate",  "evaluate", "execute",
    "explain",  "explore",     "export",    "extract",  "fetch",
    "file",     "fill",        "filter",    "find",     "fix",
    "follow",   "forecast",    "format",    "generate", "get",
    "give",     "group",       "handle",    "help",     "identify",
    "import",   "inspect",     "install",   "invite",   "issue",
    "join",     "launch",      "learn",     "list",     "load",
    "locate",   "lock",        "log",       "look",     "lookup",
    "make",     "manage",      "mark",      "match",    "measure",
    "merge",    "message",     "monitor",   "move",     "notify",
    "offer",    "open",        "order",     "organize", "parse",
    "pause",    "pay",         "pick",      "place",    "plan",
    "play",     "post",        "predict",   "prepare",  "preview",
    "price",    "print",       "process",   "propose",  "publish",
    "purchase", "query",       "quote",     "rank",     "rate",
    "read",     "recommend",   "record",    "refund",   "register",
    "reject",   "remind",      "remove",    "rename",   "render",
    "renew",    "repair",      "replace",   "reply",    "report",
    "request",  "reschedule",  "reserve",   "reset",    "resolve",
    "respond",  "restore",     "retrieve",  "return",   "review",
    "rewrite",  "roll",        "route",     "run",      "save",
    "scan",     "schedule",    "search",    "select",   "sell",
    "send",     "set",         "share",     "show",     "simulate",
    "solve",    "sort",        "split",     "start",    "stop",
    "store",    "submit",      "subscribe", "suggest",  "summarize",
    "support",  "sync",        "tag",       "take",     "teach",
    "tell",     "test",        "track",     "transfer", "translate",
    "trigger",  "unsubscribe", "update",    "upload",   "validate",
    "verify",   "view",        "visit",     "vote",     "watch",
    "withdraw", "write"};

// Words that name no object.
static const char *const vague_words[] = {
    "app",  "bot",    "data",  "function", "info", "it",    "misc",   "my",
    "node", "object", "stuff", "task",     "test", "thing", "things", "tool"};

// The name in the form that the rules like: words of lower case with "_" between.
static struct mica_text
name_in_snake_case(struct mica_text name, char room[SHOWN_NAME])
{
    struct mica_text word;
    size_t length = 0;

    while (next_word(&name, &word)) {
        if (length > 0 && length < SHOWN_NAME)
            room[length++] = '_';
        for (size_t i = 0; i < word.len && length < SHOWN_NAME; i++) {
            bool hump = i > 0 && word.ptr[i] >= 'A' && word.ptr[i] <= 'Z' &&
                        word.ptr[i - 1] >= 'a' && word.ptr[i - 1] <= 'z';
            if (hump && length + 1 < SHOWN_NAME)
                room[length++] = '_';
            room[length++] = mica_ascii_lower(word.ptr[i]);
        }
    }
    return (struct mica_text){room, length};
}

static void
check_name_form(struct mica_text name, struct mica_app_findings *findings)
{
    char room[SHOWN_NAME];
    struct mica_text better = name_in_snake_case(name, room);
    struct mica_text shown = mica_app_shown(findings, name);

    if (!mica_name_valid(name)) {
        if (better.len > 0)
            UNFINISHED(findings, "TOOL_NAME_FORM", "/toolName",
                       "a tool name has letters, digits, \"_\", \"-\" and "
                       "\".\"; \"%.*s\" could be \"%.*s\"",
                       MICA_ARG(shown), MICA_ARG(better));
        else
            UNFINISHED(findings, "TOOL_NAME_FORM", "/toolName",
                       "a tool name has letters, digits, \"_\", \"-\" and "
                       "\".\", as in \"get_order_status\"");
        return;
    }
    if (memchr(name.ptr, '.', name.len) != NULL)
        WARN(findings, "TOOL_NAME_PORTABLE", "/toolName",
             "some clients take no \".\" in a tool name; \"%.*s\" works in all",
             MICA_ARG(better));
    else if (!mica_text_equal(better, name))
        WARN(findings, "TOOL_NAME_CASE", "/toolName",
             "models read words best in lower case with \"_\" between: "
             "\"%.*s\"",
             MICA_ARG(better));
}

// An action and an object.
static void
check_name_words(struct mica_text name, struct mica_app_findings *findings)
{
    char room[SHOWN_NAME];
    struct mica_text rest = name_in_snake_case(name, room), first, word;
    size_t count = 0, clear = 0;

    if (!next_word(&rest, &first)) {
        WARN(findings, "TOOL_NAME_ACTION", "/toolName",
             "the name has no word; write an action and an object, as in "
             "\"get_order_status\"");
        return;
    }
    while (next_word(&rest, &word)) {
        count++;
        clear += !is_among(word, vague_words, MICA_COUNT(vague_words));
    }
    if (!is_among(first, verbs, MICA_COUNT(verbs)))
        WARN(findings, "TOOL_NAME_ACTION", "/toolName",
             "\"%.*s\" is no action that models know; begin with one, as in "
             "\"get_order_status\"",
             MICA_ARG(first));
    if (count == 0)
        WARN(findings, "TOOL_NAME_OBJECT", "/toolName",
             "the name is one word; write an action and an object, as in "
             "\"get_order_status\"");
    else if (clear == 0)
        WARN(findings, "TOOL_NAME_VAGUE", "/toolName",
             "the name does not say what it is about; name the object, as in "
             "\"get_order_status\"");
}

static void
check_tool_name(struct mica_text name, struct mica_app_findings *findings)
{
    if (name.len == 0) {
        UNFINISHED(findings, mica_status_code(MICA_E_REQUIRED), "/toolName",
                   "give the tool a name, an action and an object, as in "
                   "\"get_order_status\"");
        return;
    }
    check_name_form(name, findings);
    check_name_words(name, findings);
}

// ---- Descriptions ----------------------------------------------------------------

// A list of phrases in lower case, of whole words.
struct cues {
    const char *const *phrases;
    size_t count;
};

#define CUES(name, ...)                                        \
    static const char *const name##_phrases[] = {__VA_ARGS__}; \
    static const struct cues name = {name##_phrases, MICA_COUNT(name##_phrases)}

CUES(english, "a", "an", "and", "by", "for", "from", "if", "in", "is", "it",
     "of", "on", "or", "the", "this", "to", "when", "with", "your");
CUES(when, "when", "whenever", "if", "use for", "use this for", "use it for",
     "use to", "use this to", "use it to", "used to", "used for", "after",
     "before", "while", "in case", "call this", "for questions", "as soon as");
CUES(which, "require", "requires", "required", "need", "needs", "needed",
     "provide", "provides", "given", "takes", "take", "pass", "passes",
     "accept", "accepts", "expects", "expect", "input", "inputs", "include",
     "includes", "including", "ask for", "asks for", "specify", "enter",
     "without any", "no input", "nothing else", "no information", "optional",
     "optionally", "context", "the message", "as the message");
CUES(vague, "stuff", "things", "etc", "and so on", "whatever", "anything",
     "everything", "various things", "does something");
CUES(orders, "ignore previous", "ignore all", "ignore the previous",
     "ignore any", "disregard", "do not tell", "don t tell", "never tell",
     "do not mention", "system prompt", "instead of any other",
     "instead of other tools", "always call this", "always use this tool",
     "must call this tool first", "do not use other", "do not use any other");

// Whether the phrase begins at the word that `text` begins with.
static bool
phrase_begins(struct mica_text text, struct mica_text phrase)
{
    struct mica_text wanted, word;

    while (next_word(&phrase, &wanted))
        if (!next_word(&text, &word) || word.len != wanted.len ||
            !mica_ascii_same(word.ptr, wanted.ptr, wanted.len))
            return false;
    return true;
}

// The first phrase that the text has; NULL: none.
static const char *
text_cue(struct mica_text text, const struct cues *cues)
{
    struct mica_text rest = text, word;

    while (next_word(&rest, &word)) {
        struct mica_text here = {word.ptr,
                                 (size_t)(text.ptr + text.len - word.ptr)};
        for (size_t i = 0; i < cues->count; i++)
            if (phrase_begins(here, mica_text(cues->phrases[i])))
                return cues->phrases[i];
    }
    return NULL;
}

// Whether enough words are small ones of English.
static bool
is_english(struct mica_text text)
{
    struct mica_text rest = text, word;
    size_t words = 0, small = 0, foreign = 0;

    for (size_t i = 0; i < text.len; i++)
        foreign += (unsigned char)text.ptr[i] >= 0x80;
    while (next_word(&rest, &word)) {
        words++;
        small += is_among(word, english.phrases, english.count);
    }
    return foreign * 5 < text.len && small * 12 >= words;
}

static bool
is_blank(struct mica_text text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != ' ' && text.ptr[i] != '\n' && text.ptr[i] != '\t')
            return false;
    return true;
}

// Whether the description is the name again.
static bool
says_the_name(struct mica_text text, struct mica_text name)
{
    struct mica_text word, wanted;

    while (next_word(&name, &wanted))
        if (!next_word(&text, &word) || word.len != wanted.len)
            return false;
        else
            for (size_t i = 0; i < word.len; i++)
                if (mica_ascii_lower(word.ptr[i]) !=
                    mica_ascii_lower(wanted.ptr[i]))
                    return false;
    return !next_word(&text, &word);
}

const char *
mica_app_find_orders(struct mica_text text)
{
    return text_cue(text, &orders);
}

static void
check_cues(const struct mica_app_draft *draft,
           struct mica_app_findings *findings)
{
    struct mica_text text = draft->tool_description;
    const char *foundz;

    if (text_cue(text, &when) == NULL)
        WARN(findings, "DESCRIPTION_WHEN", "/toolDescription",
             "say when to use the tool, as in \"Use when a customer asks about "
             "an order.\"");
    if (text_cue(text, &which) == NULL)
        WARN(findings, "DESCRIPTION_WHICH", "/toolDescription",
             "say which information the tool takes, as in \"Requires the order "
             "number.\"");
    foundz = text_cue(text, &vague);
    if (foundz != NULL)
        WARN(findings, "DESCRIPTION_VAGUE", "/toolDescription",
             "\"%s\" says nothing to a model; name what the tool does", foundz);
    foundz = mica_app_find_orders(text);
    if (foundz != NULL)
        WARN(findings, "DESCRIPTION_ORDERS", "/toolDescription",
             "\"%s\" orders the model about; clients refuse such tools. "
             "Describe what the tool does",
             foundz);
}

static void
check_tool_description(const struct mica_app_draft *draft,
                       struct mica_app_findings *findings)
{
    struct mica_text text = draft->tool_description;
    bool english_text = is_english(text);

    if (is_blank(text)) {
        UNFINISHED(findings, mica_status_code(MICA_E_REQUIRED),
                   "/toolDescription",
                   "describe the tool: what it does, when to use it, which "
                   "information it takes");
        return;
    }
    if (says_the_name(text, draft->tool_name))
        WARN(findings, "DESCRIPTION_WHAT", "/toolDescription",
             "the description is the name again; say what the tool does, when "
             "to use it and which information it takes");
    else if (text.len < SHORT_BYTES ||
             (english_text && count_words(text) < SHORT_WORDS))
        WARN(findings, "DESCRIPTION_SHORT", "/toolDescription",
             "the description has %zu characters; say what the tool does, when "
             "to use it and which information it takes",
             mica_text_length(text));
    if (english_text)
        check_cues(draft, findings);
}

// ---- All words -------------------------------------------------------------------

static void
check_lookalikes(struct mica_text text, const char *pathz,
                 struct mica_app_findings *findings)
{
    struct mica_text word, shown;
    uint32_t letter;

    if (!mica_lookalike_find(text, &word, &letter))
        return;
    shown = mica_app_shown(findings, word);
    WARN(findings, "LOOKALIKE_LETTER", pathz,
         "the word \"%.*s\" mixes alphabets: U+%04X looks like a Latin letter",
         MICA_ARG(shown), (unsigned)letter);
}

void
mica_app_check_words(const struct mica_app_draft *draft,
                     struct mica_app_findings *findings)
{
    if (is_blank(draft->name))
        UNFINISHED(findings, mica_status_code(MICA_E_REQUIRED), "/name",
                   "give the app a name");
    check_lookalikes(draft->name, "/name", findings);
    check_tool_name(draft->tool_name, findings);
    check_tool_description(draft, findings);
    check_lookalikes(draft->tool_description, "/toolDescription", findings);
}

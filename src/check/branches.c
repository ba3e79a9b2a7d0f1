// SPDX-License-Identifier: Apache-2.0
//
// Enough of C's statement grammar to know what an `if` guards and where its
// `else` begins.
#include "check/branches.h"

enum {
    NESTING_MAX = 200
};

struct scan {
    const struct mica_source *source;
    struct mica_branch *branches;
    size_t count;
};

// The word that starts at `at`, or an empty one.
static struct mica_text
word_at(const struct mica_source *source, size_t at)
{
    struct mica_text word;
    size_t next = at;

    if (mica_source_word(source, &next, &word) &&
        mica_source_at(source, word) == at) {
        return word;
    }
    return (struct mica_text){source->code.ptr, 0};
}

static bool
is_at(const struct mica_source *source, size_t at, char byte)
{
    return at < source->code.len && source->code.ptr[at] == byte;
}

// Behind the next `byte` outside brackets, from `at` on.
static size_t
source_behind(const struct mica_source *source, size_t at, char byte)
{
    while (at < source->code.len && source->code.ptr[at] != byte) {
        char here = source->code.ptr[at];

        at = here == '(' || here == '[' || here == '{'
                 ? mica_source_close(source, at)
                 : at + 1;
    }
    return at < source->code.len ? at + 1 : at;
}

// Behind the parenthesis that follows a keyword.
static size_t
behind_head(const struct mica_source *source, size_t at)
{
    at = mica_source_skip(source, at);
    return is_at(source, at, '(') ? mica_source_close(source, at) : at;
}

// The `else` behind a statement that ends at `at`; 0: it has no `else`.
static size_t
else_at(const struct mica_source *source, size_t at)
{
    at = mica_source_skip(source, at);
    return mica_text_is(word_at(source, at), "else") ? at : 0;
}

static size_t behind_statement(const struct mica_source *source, size_t at,
                               unsigned nesting);

static size_t
behind_if(const struct mica_source *source, size_t at, unsigned nesting)
{
    size_t otherwise;

    at = behind_statement(source, behind_head(source, at + 2), nesting);
    otherwise = else_at(source, at);
    return otherwise > 0 ? behind_statement(source, otherwise + 4, nesting)
                         : at;
}

static size_t
behind_statement(const struct mica_source *source, size_t at, unsigned nesting)
{
    struct mica_text word;

    at = mica_source_skip(source, at);
    word = word_at(source, at);
    if (nesting == NESTING_MAX) {
        return source->code.len;
    }
    if (is_at(source, at, '{')) {
        return mica_source_close(source, at);
    }
    if (mica_text_is(word, "if")) {
        return behind_if(source, at, nesting + 1);
    }
    if (mica_text_is(word, "for") || mica_text_is(word, "while") ||
        mica_text_is(word, "switch")) {
        return behind_statement(source, behind_head(source, at + word.len),
                                nesting + 1);
    }
    if (mica_text_is(word, "do")) {
        at = behind_statement(source, at + word.len, nesting + 1);
        return source_behind(source, at, ';');
    }
    if (mica_text_is(word, "case") || mica_text_is(word, "default")) {
        return behind_statement(source, source_behind(source, at, ':'),
                                nesting + 1);
    }
    return source_behind(source, at, ';');
}

// Whether the statement at `at` begins with MICA_UNREACHABLE, labels and opening
// braces skipped.
static bool
is_unreachable(const struct mica_source *source, size_t at)
{
    for (;;) {
        struct mica_text word;

        at = mica_source_skip(source, at);
        word = word_at(source, at);
        if (is_at(source, at, '{')) {
            at++;
        } else if (mica_text_is(word, "case") ||
                   mica_text_is(word, "default")) {
            at = source_behind(source, at, ':');
        } else {
            return mica_text_is(word, "MICA_UNREACHABLE");
        }
    }
}

static void
take_if(struct scan *scan, size_t at)
{
    const struct mica_source *source = scan->source;
    size_t open = mica_source_skip(source, at + 2);
    size_t close = behind_head(source, at + 2), otherwise;
    struct mica_branch *branch = &scan->branches[scan->count];

    if (!is_at(source, open, '(')) {
        return;
    }
    otherwise = else_at(source, behind_statement(source, close, 0));
    *branch = (struct mica_branch){
        .kind = MICA_BRANCH_IF,
        .at = at,
        .body = mica_source_skip(source, close),
        .what = mica_text_slice(source->text, open + 1, close - 1),
        .true_counts = !is_unreachable(source, close),
        .false_counts =
            otherwise == 0 || !is_unreachable(source, otherwise + 4),
    };
    scan->count++;
}

static void
take_label(struct scan *scan, size_t at, enum mica_branch_kind kind)
{
    const struct mica_source *source = scan->source;
    size_t end = source_behind(source, at, ':');

    // The default of a _Generic stands behind a comma.
    if (kind == MICA_BRANCH_DEFAULT && mica_source_before(source, at) == ',') {
        return;
    }
    scan->branches[scan->count++] = (struct mica_branch){
        .kind = kind,
        .at = at,
        .what = mica_text_slice(source->text, at, end - 1),
        .true_counts = !is_unreachable(source, end),
    };
}

static size_t
count_words(const struct mica_source *source)
{
    struct mica_text word;
    size_t count = 0;

    for (size_t at = 0; mica_source_word(source, &at, &word);) {
        count += mica_text_is(word, "if") || mica_text_is(word, "case") ||
                 mica_text_is(word, "default");
    }
    return count;
}

size_t
mica_branches_find(const struct mica_source *source, struct mica_arena *arena,
                   struct mica_branch **branches_out)
{
    struct scan scan = {.source = source};
    struct mica_text word;

    scan.branches =
        mica_arena_zero(arena, count_words(source) + 1, sizeof *scan.branches);
    *branches_out = scan.branches;
    if (scan.branches == NULL) {
        return 0;
    }
    for (size_t at = 0; mica_source_word(source, &at, &word);) {
        size_t start = mica_source_at(source, word);

        if (mica_text_is(word, "if")) {
            take_if(&scan, start);
        } else if (mica_text_is(word, "case")) {
            take_label(&scan, start, MICA_BRANCH_CASE);
        } else if (mica_text_is(word, "default")) {
            take_label(&scan, start, MICA_BRANCH_DEFAULT);
        }
    }
    return scan.count;
}

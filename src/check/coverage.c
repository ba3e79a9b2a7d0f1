// SPDX-License-Identifier: Apache-2.0
//
// How often an `if` came out true is the count of the region that starts where
// its body does; how often it ran is that of the innermost region around it; the
// difference came out false.
#include "check/coverage.h"

#include <string.h>

#include "check/branches.h"
#include "check/profile.h"

struct coverage {
    const struct mica_subject *subject;
    struct mica_arena *arena;
    struct mica_text diagnostics;
};

static const struct mica_region *
starting_at(const struct mica_region *list, size_t count, size_t at)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].from == at && list[i].kind != MICA_REGION_SKIPPED &&
            list[i].kind != MICA_REGION_GAP) {
            return &list[i];
        }
    }
    return NULL;
}

// Regions nest: the innermost is the one that starts last.
static const struct mica_region *
profile_around(const struct mica_profile *profile, size_t at, int kind)
{
    const struct mica_region *found = NULL;

    for (size_t i = 0; i < profile->region_count; i++) {
        const struct mica_region *region = &profile->regions[i];

        if (region->kind == kind && region->from <= at && at < region->to &&
            (found == NULL || region->from >= found->from)) {
            found = region;
        }
    }
    return found;
}

static struct mica_text
one_line(const struct coverage *coverage, struct mica_text text)
{
    struct mica_buffer line;
    bool blank = false;

    mica_buffer_init(&line, coverage->arena, text.len + 4);
    for (size_t i = 0; i < text.len && line.len < 80; i++) {
        bool space =
            text.ptr[i] == ' ' || text.ptr[i] == '\n' || text.ptr[i] == '\t';

        if (!space && blank && line.len > 0) {
            mica_buffer_char(&line, ' ');
        }
        if (!space) {
            mica_buffer_char(&line, text.ptr[i]);
        }
        blank = space;
    }
    line.len = mica_utf8_valid(mica_buffer_as_text(&line));
    return mica_buffer_as_text(&line);
}

static void
note_if(const struct coverage *coverage, const struct mica_branch *branch,
        const char *what)
{
    const struct mica_source *source = coverage->subject->source;

    mica_report_add(coverage->subject->report, MICA_RULE_BRANCH_UNTESTED,
                    mica_source_line(source, branch->at), "",
                    "No example %s 'if (%.*s)'%s. Add an example that does; "
                    "where it cannot happen, remove the `if` or write "
                    "MICA_UNREACHABLE.",
                    what, MICA_ARG(one_line(coverage, branch->what)),
                    strcmp(what, "reaches") == 0 ? ""
                    : strcmp(what, "makes true") == 0
                        ? " (it was always false)"
                        : " (it was always true)");
}

static void
count_if(const struct coverage *coverage, const struct mica_branch *branch,
         int64_t runs, int64_t hits)
{
    struct mica_report *report = coverage->subject->report;
    bool seen_true = hits > 0, seen_false = runs > hits;

    report->total += (size_t)branch->true_counts + branch->false_counts;
    report->covered += (branch->true_counts && seen_true) +
                       (size_t)(branch->false_counts && seen_false);
    if (runs == 0 && (branch->true_counts || branch->false_counts)) {
        note_if(coverage, branch, "reaches");
    } else if (branch->true_counts && !seen_true) {
        note_if(coverage, branch, "makes true");
    } else if (branch->false_counts && !seen_false) {
        note_if(coverage, branch, "makes false");
    }
}

static void
count_label(const struct coverage *coverage, const struct mica_branch *branch,
            int64_t hits)
{
    const struct mica_source *source = coverage->subject->source;
    struct mica_report *report = coverage->subject->report;

    report->total++;
    report->covered += hits > 0;
    if (hits == 0) {
        mica_report_add(report, MICA_RULE_CASE_UNTESTED,
                        mica_source_line(source, branch->at), "",
                        "No example selects '%.*s'. Add one that does; where "
                        "it cannot happen, remove it or write "
                        "MICA_UNREACHABLE.",
                        MICA_ARG(one_line(coverage, branch->what)));
    }
}

// clang says of a default behind all constants of an enum, by line and column,
// that it cannot be reached.
static bool
is_covered_default(const struct coverage *coverage, size_t at)
{
    const struct mica_source *source = coverage->subject->source;
    struct mica_buffer wanted;

    mica_buffer_init(&wanted, coverage->arena, 128);
    mica_buffer_format(
        &wanted, ":%u:%u: warning: default label in switch which covers",
        mica_source_line(source, at), mica_source_column(source, at));
    return memmem(coverage->diagnostics.ptr, coverage->diagnostics.len,
                  wanted.ptr, wanted.len) != NULL;
}

static void
count_branch(const struct coverage *coverage,
             const struct mica_profile *profile,
             const struct mica_branch *branch)
{
    const struct mica_region *whole = profile_around(profile, branch->at,
                                                     MICA_REGION_CODE),
                             *hits;
    bool label = branch->kind != MICA_BRANCH_IF;

    if (profile_around(profile, branch->at, MICA_REGION_SKIPPED) != NULL ||
        (label &&
         (!branch->true_counts || is_covered_default(coverage, branch->at)))) {
        return;
    }
    hits = label
               ? starting_at(profile->labels, profile->label_count, branch->at)
               : starting_at(profile->regions, profile->region_count,
                             branch->body);
    if (whole == NULL || hits == NULL) {
        mica_report_add(
            coverage->subject->report, MICA_RULE_COVERAGE_UNKNOWN,
            mica_source_line(coverage->subject->source, branch->at), "",
            "The compiler counted nothing for '%.*s'. Write it without macros "
            "around it.",
            MICA_ARG(one_line(coverage, branch->what)));
    } else if (label) {
        count_label(coverage, branch, hits->count);
    } else {
        count_if(coverage, branch, whole->count, hits->count);
    }
}

void
mica_coverage_check(const struct mica_subject *subject,
                    const struct mica_native *native, const char *folder,
                    struct mica_text diagnostics)
{
    struct coverage coverage = {subject, subject->report->arena, diagnostics};
    struct mica_profile profile;
    struct mica_branch *branches;
    size_t count =
        mica_branches_find(subject->source, coverage.arena, &branches);

    if (!mica_profile_read(subject, native, folder, &profile)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        count_branch(&coverage, &profile, &branches[i]);
    }
}

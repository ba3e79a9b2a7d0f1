// SPDX-License-Identifier: Apache-2.0
//
// The patterns of an engine's tables, compiled once and for all: a module brings the
// programs (schema/regex_built.c), and neither a call nor a browser the compiler.
#include <string.h>

#include "build/steps.h"
#include "schema/regex.h"

struct pattern {
    const struct pattern *next;
    const char *source;
};

struct collector {
    struct mica_arena *arena;
    const struct pattern *patterns;
};

// ---- Collecting ------------------------------------------------------------

static void
pattern_collect(struct collector *to, const char *sourcez)
{
    if (sourcez == NULL)
        return;
    for (const struct pattern *p = to->patterns; p != NULL; p = p->next)
        if (strcmp(p->source, sourcez) == 0)
            return;
    struct pattern *pattern = mica_arena_alloc(to->arena, sizeof *pattern);
    if (pattern == NULL) // the arena tells
        return;
    *pattern = (struct pattern){to->patterns, sourcez};
    to->patterns = pattern;
}

// Tables that were read do not hold themselves and have an end (build/module_tables.h).
static void
collect_record(struct collector *to, const struct mica_record *record)
{
    for (size_t i = 0; i < record->count; i++) {
        const struct mica_field *field = mica_record_field(record, i);
        pattern_collect(to, field->bounds.pattern);
        pattern_collect(to, field->each.pattern);
        pattern_collect(to, field->keys.pattern);
        const struct mica_type *type = field->type;
        while (type->element != NULL)
            type = type->element;
        if (type->record != NULL)
            collect_record(to, type->record);
    }
}

// ---- Writing ---------------------------------------------------------------

// As they lie in the memory of a module; schema/regex.h has the names.
static const char structs[] = "struct step { int op, a, b; };\n"
                              "struct range { unsigned first, last; };\n"
                              "struct built {\n"
                              "    const char *source;\n"
                              "    const struct step *steps;\n"
                              "    const struct range *ranges;\n"
                              "    __SIZE_TYPE__ step_count, range_count;\n"
                              "    _Bool anchored;\n"
                              "};\n";

static void
write_program(struct mica_buffer *out, size_t index,
              const struct mica_regex *regex)
{
    mica_buffer_format(out, "static const struct step steps_%zu[] = {", index);
    for (size_t i = 0; i < regex->step_count; i++)
        mica_buffer_format(out, "{%d, %d, %d},", (int)regex->steps[i].op,
                           (int)regex->steps[i].a, (int)regex->steps[i].b);
    // C has no array of nothing.
    mica_buffer_format(
        out, "};\nstatic const struct range ranges_%zu[] = {{0, 0},", index);
    for (size_t i = 0; i < regex->range_count; i++)
        mica_buffer_format(out, "{%uu, %uu},", (unsigned)regex->ranges[i].first,
                           (unsigned)regex->ranges[i].last);
    mica_buffer_text(out, mica_text("};\n"));
}

static enum mica_status
write_patterns(struct mica_job *job, const struct pattern *patterns,
               struct mica_buffer *out)
{
    struct mica_buffer rows;
    size_t count = 0;
    mica_buffer_init(&rows, job->arena, job->arena->cap);
    mica_buffer_text(out, mica_text(structs));
    for (const struct pattern *p = patterns; p != NULL; p = p->next, count++) {
        struct mica_regex regex;
        MICA_TRY(mica_regex_compile(job->arena, mica_text(p->source),
                                    job->error, &regex));
        write_program(out, count, &regex);
        mica_buffer_text(&rows, mica_text("    {"));
        mica_job_literal(&rows, mica_text(p->source));
        mica_buffer_format(
            &rows, ", steps_%zu, ranges_%zu + 1, %zu, %zu, %d},\n", count,
            count, regex.step_count, regex.range_count, regex.anchored);
    }
    mica_buffer_format(out,
                       "__attribute__((visibility(\"default\")))\n"
                       "extern const struct built mica_module_patterns[];\n"
                       "const struct built mica_module_patterns[] = {\n"
                       "%.*s    {0}};\n",
                       MICA_ARG(mica_buffer_as_text(&rows)));
    return MICA_OK;
}

static enum mica_status
pattern_compile(struct mica_job *job)
{
    struct mica_process command = {0};
    const char *const words[] = {
        job->tools->clang, "--target=wasm32-wasi", "-Os", "-c", "-o",
        "patterns.o",      "patterns.c",           NULL};
    mica_process_add_all(&command, words);
    return mica_job_run(job, &command, "its patterns do not compile.");
}

enum mica_status
mica_job_patterns(struct mica_job *job, const struct mica_engine *engine)
{
    char path[PATH_MAX];
    struct mica_buffer out;
    struct collector all = {.arena = job->arena};
    collect_record(&all, engine->input);
    collect_record(&all, engine->output);
    job->patterns = all.patterns != NULL;
    if (!job->patterns)
        return MICA_OK;
    mica_buffer_init(&out, job->arena, job->arena->cap);
    MICA_TRY(write_patterns(job, all.patterns, &out));
    if (job->arena->overflow)
        return mica_error_set(job->error, MICA_E_LIMIT, "",
                              "%s: its patterns are too large.", job->source);
    MICA_TRY(mica_job_path(job, path, "patterns.c"));
    MICA_TRY(mica_file_write(path, mica_buffer_as_text(&out), job->error));
    return pattern_compile(job);
}

// SPDX-License-Identifier: Apache-2.0
//
// Findings, and as JSON.
#include "check/check_report.h"

static const char *const codes[MICA_RULE_COUNT] = {
#define RULE_ROW(code, demand) #code,
    MICA_RULES(RULE_ROW)
#undef RULE_ROW
};

enum {
    MESSAGE_BYTES = 8192
};

const char *
mica_rule_code(enum mica_rule rule)
{
    return codes[rule];
}

// What a rule of words says of an app may be wrong, and forbids no publishing.
bool
mica_rule_warns(enum mica_rule rule)
{
    return rule == MICA_RULE_APP_WARNING;
}

void
mica_report_init(struct mica_report *report, struct mica_arena *arena,
                 struct mica_text slug, struct mica_text source)
{
    *report = (struct mica_report){
        .arena = arena,
        .slug = mica_arena_text(arena, slug),
        .source = mica_arena_text(arena, source),
    };
}

void
mica_report_add(struct mica_report *report, enum mica_rule rule, unsigned line,
                const char *pathz, const char *formatz, ...)
{
    struct mica_finding *finding =
        mica_arena_zero(report->arena, 1, sizeof *finding);
    struct mica_buffer message;
    va_list arguments;

    report->count++;
    report->warnings += mica_rule_warns(rule);
    if (finding == NULL) {
        return;
    }
    mica_buffer_init(&message, report->arena, MESSAGE_BYTES);
    va_start(arguments, formatz);
    mica_buffer_vformat(&message, formatz, arguments);
    va_end(arguments);
    finding->rule = rule;
    finding->line = line;
    finding->path = mica_arena_text(report->arena, mica_text(pathz));
    finding->message = mica_buffer_as_text(&message);
    if (report->last == NULL) {
        report->first = finding;
    } else {
        report->last->next = finding;
    }
    report->last = finding;
}

bool
mica_report_good(const struct mica_report *report)
{
    return report->count == report->warnings;
}

bool
mica_report_has(const struct mica_report *report, enum mica_rule rule)
{
    const struct mica_finding *finding = report->first;

    while (finding != NULL && finding->rule != rule) {
        finding = finding->next;
    }
    return finding != NULL;
}

// ---- For machines ------------------------------------------------------------

static void
write_count(struct mica_json_writer *writer, const char *namez, size_t count)
{
    mica_json_name(writer, namez);
    mica_json_integer(writer, (int64_t)count);
}

static void
write_finding(struct mica_json_writer *writer,
              const struct mica_finding *finding)
{
    mica_json_open_object(writer);
    mica_json_field(writer, "code", mica_text(mica_rule_code(finding->rule)));
    mica_json_field(writer, "path", finding->path);
    if (finding->line > 0) {
        write_count(writer, "line", finding->line);
    }
    mica_json_field(writer, "message", finding->message);
    mica_json_close_object(writer);
}

static void
write_module(struct mica_json_writer *writer, const struct mica_report *report)
{
    mica_json_name(writer, "module");
    if (report->module_sha256.len == 0) {
        mica_json_null(writer);
        return;
    }
    mica_json_open_object(writer);
    write_count(writer, "bytes", report->module_bytes);
    mica_json_field(writer, "sha256", report->module_sha256);
    mica_json_close_object(writer);
}

void
mica_report_json(struct mica_json_writer *writer,
                 const struct mica_report *report)
{
    mica_json_open_object(writer);
    mica_json_field(writer, "slug", report->slug);
    mica_json_name(writer, "ok");
    mica_json_boolean(writer, mica_report_good(report));
    mica_json_name(writer, "findings");
    mica_json_open_array(writer);
    for (const struct mica_finding *finding = report->first; finding != NULL;
         finding = finding->next) {
        write_finding(writer, finding);
    }
    mica_json_close_array(writer);
    mica_json_name(writer, "coverage");
    mica_json_open_object(writer);
    write_count(writer, "covered", report->covered);
    write_count(writer, "total", report->total);
    mica_json_close_object(writer);
    write_module(writer, report);
    mica_json_name(writer, "input_schema");
    mica_json_open_object(writer);
    write_count(writer, "bytes", report->schema_bytes);
    mica_json_close_object(writer);
    if (report->random_runs > 0) {
        mica_json_name(writer, "random");
        mica_json_open_object(writer);
        write_count(writer, "runs", report->random_runs);
        write_count(writer, "answered", report->random_answered);
        write_count(writer, "limited", report->random_limited);
        mica_json_close_object(writer);
    }
    mica_json_close_object(writer);
}

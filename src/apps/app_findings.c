// SPDX-License-Identifier: Apache-2.0
//
// The list of findings. It has a fixed size, so that a draft with a thousand faults costs
// no more than one with a hundred; how many there are beyond that is counted.
#include "apps/app_findings.h"

#include "base/formatter.h"
#include "base/visible.h"
#include "json/pointer.h"

enum {
    MESSAGE_BYTES = 400, // of one finding
    MEMBER_BYTES = 64,   // of a caller's name in a pointer; escapes double it
    PATH_BYTES = 320,
    PARENT_BYTES = PATH_BYTES - 2 * MEMBER_BYTES - 8,
    SHOWN_BYTES = 48,               // of a caller's text in a message
    SPELLED_BYTES = 8 * SHOWN_BYTES // of the same, characters written out
};

void
mica_app_findings_init(struct mica_app_findings *findings,
                       struct mica_arena *arena)
{
    findings->count = 0;
    findings->more = 0;
    findings->worst = MICA_APP_WARNING;
    findings->arena = arena;
}

static void findings_add(struct mica_app_findings *findings,
                         enum mica_app_severity severity, const char *codez,
                         struct mica_text path, const char *formatz,
                         va_list arguments) MICA_PRINTF(5, 0);

// Without memory a finding counts as one that had no room: what it forbids stays
// forbidden.
static void
findings_add(struct mica_app_findings *findings,
             enum mica_app_severity severity, const char *codez,
             struct mica_text path, const char *formatz, va_list arguments)
{
    char message[MESSAGE_BYTES];
    struct mica_app_finding *finding;

    if (severity > findings->worst)
        findings->worst = severity;
    if (findings->count == MICA_APP_FINDINGS) {
        findings->more++;
        return;
    }
    mica_format_message(message, sizeof message, formatz, arguments);
    finding = &findings->items[findings->count];
    finding->codez = codez;
    finding->severity = severity;
    finding->path = mica_arena_text(findings->arena, path);
    finding->message = mica_arena_text(findings->arena, mica_text(message));
    if (findings->arena->overflow)
        findings->more++;
    else
        findings->count++;
}

void
mica_app_find(struct mica_app_findings *findings,
              enum mica_app_severity severity, const char *codez,
              const char *pathz, const char *formatz, ...)
{
    va_list arguments;

    va_start(arguments, formatz);
    findings_add(findings, severity, codez, mica_text(pathz), formatz,
                 arguments);
    va_end(arguments);
}

void
mica_app_find_member(struct mica_app_findings *findings,
                     enum mica_app_severity severity, const char *codez,
                     const char *pathz, struct mica_text member,
                     const char *formatz, ...)
{
    char room[PATH_BYTES];
    struct mica_buffer path = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    va_list arguments;

    mica_buffer_text(&path, mica_utf8_cut(mica_text(pathz), PARENT_BYTES));
    mica_json_pointer_add_cut(&path, member, MEMBER_BYTES);
    va_start(arguments, formatz);
    findings_add(findings, severity, codez, mica_buffer_as_text(&path), formatz,
                 arguments);
    va_end(arguments);
}

struct mica_text
mica_app_shown(struct mica_app_findings *findings, struct mica_text text)
{
    struct mica_text head = mica_utf8_cut(text, SHOWN_BYTES);
    struct mica_buffer shown;

    mica_buffer_init(&shown, findings->arena, SPELLED_BYTES);
    mica_visible_add(&shown, head, MICA_VISIBLE_LINE);
    if (head.len < text.len)
        mica_buffer_text(&shown, MICA_LITERAL("…"));
    return mica_buffer_as_text(&shown);
}

// ---- What they forbid ------------------------------------------------------------

static bool
finding_forbids(const struct mica_app_finding *finding, bool publishing)
{
    return finding->severity >=
           (publishing ? MICA_APP_UNFINISHED : MICA_APP_INVALID);
}

const struct mica_app_finding *
mica_app_findings_first(const struct mica_app_findings *findings,
                        bool publishing)
{
    for (size_t i = 0; i < findings->count; i++)
        if (finding_forbids(&findings->items[i], publishing))
            return &findings->items[i];
    return NULL;
}

enum mica_status
mica_app_findings_refuse(const struct mica_app_findings *findings,
                         bool publishing, struct mica_error *error)
{
    const struct mica_app_finding *first =
        mica_app_findings_first(findings, publishing);
    size_t others = 0;

    // What had no room forbids, too: the worst of all is known.
    if (first == NULL) {
        if (findings->more == 0 ||
            findings->worst <
                (publishing ? MICA_APP_UNFINISHED : MICA_APP_INVALID))
            return MICA_OK;
        return mica_error_set(error, MICA_E_CONFIG, "",
                              "the draft has %zu findings; mend the first of "
                              "them and check it again",
                              findings->count + findings->more);
    }
    for (size_t i = 0; i < findings->count; i++)
        if (finding_forbids(&findings->items[i], publishing))
            others += &findings->items[i] != first;
    if (others == 0)
        return mica_error_set(error, MICA_E_CONFIG, first->path.ptr, "%.*s",
                              MICA_ARG(first->message));
    return mica_error_set(error, MICA_E_CONFIG, first->path.ptr,
                          "%.*s (and %zu more)", MICA_ARG(first->message),
                          others);
}

void
mica_app_findings_write(struct mica_json_writer *writer,
                        const struct mica_app_findings *findings)
{
    mica_json_open_array(writer);
    for (size_t i = 0; i < findings->count; i++) {
        const struct mica_app_finding *finding = &findings->items[i];
        mica_json_open_object(writer);
        mica_json_field(writer, "code", mica_text(finding->codez));
        mica_json_name(writer, "severity");
        mica_json_stringz(writer, finding->severity == MICA_APP_WARNING
                                      ? "warning"
                                      : "error");
        if (finding->severity != MICA_APP_WARNING) {
            mica_json_name(writer, "forbids");
            mica_json_stringz(writer, finding->severity == MICA_APP_INVALID
                                          ? "saving"
                                          : "publishing");
        }
        mica_json_field(writer, "path", finding->path);
        mica_json_field(writer, "message", finding->message);
        mica_json_close_object(writer);
    }
    mica_json_close_array(writer);
}

// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with the draft of an app, or could be better: a list of findings, each
// with a stable code and the JSON Pointer of the member at fault. The server, the builder
// tools, the command line and the console show the same list.
//
// The severity of a finding says what it forbids:
//
//     MICA_APP_WARNING    nothing
//     MICA_APP_UNFINISHED publishing; the draft may be kept as it is
//     MICA_APP_INVALID    keeping the draft, and publishing
#ifndef MICA_APPS_APP_FINDINGS_H
#define MICA_APPS_APP_FINDINGS_H

#include <mica/json.h>

enum mica_app_severity {
    MICA_APP_WARNING,
    MICA_APP_UNFINISHED,
    MICA_APP_INVALID
};

enum {
    MICA_APP_FINDINGS = 100 // of one draft; the rest is only counted
};

struct mica_app_finding {
    const char *codez; // stable UPPER_SNAKE; static
    enum mica_app_severity severity;
    struct mica_text path;    // JSON Pointer into the draft, "" for all of it
    struct mica_text message; // what is wrong and what to do
};

// The findings, in the order in which the rules found them.
struct mica_app_findings {
    struct mica_app_finding items[MICA_APP_FINDINGS];
    size_t count;
    size_t more;                  // findings that had no room
    enum mica_app_severity worst; // of all, those without room too; see `count`
    struct mica_arena *arena;     // holds paths and messages
};

// Begins an empty list.
// Owner: the texts of the findings are in `arena`.
void mica_app_findings_init(struct mica_app_findings *findings,
                            struct mica_arena *arena);

// Adds a finding. `codez` must be static; `pathz` is a JSON Pointer. The format is that
// of mica_buffer_format; a message is cut at 400 bytes.
void mica_app_find(struct mica_app_findings *findings,
                   enum mica_app_severity severity, const char *codez,
                   const char *pathz, const char *formatz, ...)
    MICA_PRINTF(5, 6);

// As above for a member of the thing at `pathz`: its name is added to the pointer,
// escaped, and cut when it is long.
void mica_app_find_member(struct mica_app_findings *findings,
                          enum mica_app_severity severity, const char *codez,
                          const char *pathz, struct mica_text member,
                          const char *formatz, ...) MICA_PRINTF(6, 7);

// The beginning of a caller's text for a message: control characters and marks of
// direction are written out.
struct mica_text mica_app_shown(struct mica_app_findings *findings,
                                struct mica_text text);

// The first finding that forbids keeping the draft (`publishing` false) or publishing it
// (true); NULL if none does.
const struct mica_app_finding *
mica_app_findings_first(const struct mica_app_findings *findings,
                        bool publishing);

// MICA_OK, or MICA_E_CONFIG with the message and the pointer of the first finding that
// forbids it, and how many more there are.
enum mica_status
mica_app_findings_refuse(const struct mica_app_findings *findings,
                         bool publishing, struct mica_error *error)
    MICA_MUST_USE;

// Writes an array of {"code","severity":"error"|"warning","forbids":"saving"|
// "publishing" (errors alone),"path","message"}.
void mica_app_findings_write(struct mica_json_writer *writer,
                             const struct mica_app_findings *findings);

#endif

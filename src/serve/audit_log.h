// SPDX-License-Identifier: Apache-2.0
//
// The audit log: one line of JSON for each request about a call (docs/rules.md). The file
// is only ever added to, a line in one write, and opened again after SIGHUP, so that
// another program may move it away.
//
// Threads: mica_audit_write from any.
#ifndef MICA_SERVE_AUDIT_LOG_H
#define MICA_SERVE_AUDIT_LOG_H

#include "server/call_rules.h"

struct mica_audit;

struct mica_audit_counts {
    uint64_t lines, lost; // written, and those for which there was no room
};

// With `arguments` lines have the arguments themselves, too. Errors: MICA_E_IO,
// MICA_E_LIMIT.
enum mica_status mica_audit_open(struct mica_text path, bool arguments,
                                 struct mica_error *error,
                                 struct mica_audit **audit_out) MICA_MUST_USE;
void mica_audit_close(struct mica_audit **audit);

void mica_audit_write(struct mica_audit *audit,
                      const struct mica_ruled_call *call);

struct mica_audit_counts mica_audit_counts(struct mica_audit *audit);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// The audit log: one line of JSON for each request about a call (docs/rules.md). Mica appends
// each line with one write, and opens the file again after SIGHUP, so that another program
// may rotate it.
//
// Threads: mica_audit_write from any.
#ifndef MICA_SERVE_AUDIT_LOG_H
#define MICA_SERVE_AUDIT_LOG_H

#include "server/call_rules.h"

struct mica_audit;

struct mica_audit_counts {
    uint64_t lines,
        lost; // written; not written, as the write failed or a line was too long
};

// With `arguments` lines contain the arguments themselves, too. Errors: MICA_E_IO,
// MICA_E_LIMIT.
enum mica_status mica_audit_open(struct mica_text path, bool arguments,
                                 struct mica_error *error,
                                 struct mica_audit **audit_out) MICA_MUST_USE;
void mica_audit_close(struct mica_audit **audit);

void mica_audit_write(struct mica_audit *audit,
                      const struct mica_ruled_call *call);

struct mica_audit_counts mica_audit_counts(struct mica_audit *audit);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// The rules of an operator (server/call_rules.h) from a file: the catalog that each caller sees,
// the limits of each caller, results that are kept, and the audit log.
#ifndef MICA_SERVE_OPERATOR_RULES_H
#define MICA_SERVE_OPERATOR_RULES_H

#include "serve/audit_log.h"
#include "serve/rate_limit.h"
#include "serve/result_cache.h"
#include "serve/rules_file.h"

struct mica_operator_rules;

struct mica_operator_counts {
    uint64_t buckets, displaced; // of limits
    struct mica_audit_counts audit;
    struct mica_cache_counts cache;
};

// The rules of a server, or NULL if mica_server_use_rules was not called.
struct mica_operator_rules *
mica_operator_rules_of(const struct mica_server *server);

// All zero without rules.
struct mica_operator_counts
mica_operator_counts(struct mica_operator_rules *rules);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Reads the file of `--rules FILE`: JSON (docs/rules.md), decoded by a field table. Other files
// apply the rules.
#ifndef MICA_SERVE_RULES_FILE_H
#define MICA_SERVE_RULES_FILE_H

#include <mica/base.h>

enum {
    MICA_RULES = 256,        // of each kind, at most
    MICA_RULES_LISTED = 1024 // tools in one list, at most
};

// How often callers may call a tool.
struct mica_rate_rule {
    struct mica_text tool; // empty: all tools together
    bool together;         // one limit for all callers, instead of one for each
    int64_t calls, seconds;
};

// The tools that a caller may use. The first rule that matches the caller counts.
struct mica_access_rule {
    struct mica_text principal; // its subject; "*": every caller
    struct mica_text issuer;    // empty: any
    struct {
        size_t count;
        const struct mica_text *items;
    } allow, deny;
    bool has_allow;
};

struct mica_name_rule {
    struct mica_text tool, name;
};

struct mica_audit_rule {
    struct mica_text file;
    bool arguments; // log the arguments themselves, and not only their hash
};

// Engines whose results the server keeps (serve/result_cache.h).
struct mica_cache_rule {
    struct {
        size_t count;
        const struct mica_text *items;
    } tools; // "*": all engines
    int64_t bytes;
};

struct mica_rules_file {
    struct {
        size_t count;
        const struct mica_rate_rule *items;
    } limits;
    struct {
        size_t count;
        const struct mica_access_rule *items;
    } access;
    struct {
        size_t count;
        const struct mica_name_rule *items;
    } names;
    struct mica_audit_rule audit;
    struct mica_cache_rule cache;
    bool has_audit, has_cache;
};

// Everything is in `arena`. Errors: MICA_E_NOT_FOUND, MICA_E_IO, MICA_E_LIMIT,
// MICA_E_TRUST (others may write the file), MICA_E_JSON, those of a value, MICA_E_USAGE
// (rules that contradict each other); each message begins with the path.
enum mica_status
mica_rules_file_read(const char *pathz, struct mica_arena *arena,
                     struct mica_error *error, struct mica_rules_file *file_out)
    MICA_MUST_USE;

// Decodes the text of a rules file; its messages have no path.
enum mica_status mica_rules_file_decode(struct mica_text text,
                                        struct mica_arena *arena,
                                        struct mica_error *error,
                                        struct mica_rules_file *file_out)
    MICA_MUST_USE;

#endif

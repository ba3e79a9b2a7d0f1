// SPDX-License-Identifier: Apache-2.0
//
// Decodes a rules file into its tables, and checks that they do not contradict each other.
#include "serve/rules_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mica/engine.h>

#include "registry/definition.h"
#include "sandbox/trust.h"
#include "schema/record.h"
#include "serve/result_cache.h"

enum {
    FILE_BYTES = 1024 * 1024
};

// Marked as perhaps unused: only tables that contain other tables use it.
#ifdef __clang__
#    pragma clang diagnostic ignored "-Wused-but-marked-unused"
#endif
MICA_RECORD(mica_rate_rule,
            MICA_TEXT(tool, "The tool; without it all tools together",
                      .fallback = MICA_JSON("")),
            MICA_BOOLEAN(together, "All callers share the limit",
                         .fallback = MICA_JSON(false)),
            MICA_INTEGER(calls, "Calls in that time", .minimum = 1,
                         .maximum = 1000000),
            MICA_INTEGER(seconds, "The time", .fallback = MICA_JSON(60),
                         .minimum = 1, .maximum = 86400));
MICA_RECORD(mica_access_rule,
            MICA_TEXT(principal,
                      "The subject of its token; * stands for every caller"),
            MICA_TEXT(issuer, "The issuer of its token; without it any",
                      .fallback = MICA_JSON("")),
            MICA_LIST(allow, text, "The only tools it may use",
                      .max_items = MICA_RULES_LISTED,
                      MICA_OPTIONAL(mica_access_rule, allow)),
            MICA_LIST(deny, text, "Tools that it may not use",
                      .max_items = MICA_RULES_LISTED,
                      .fallback = MICA_JSON([])));
MICA_RECORD(mica_name_rule, MICA_TEXT(tool, "The tool, by its own name"),
            MICA_TEXT(name, "The name that clients see"));
MICA_RECORD(mica_audit_rule,
            MICA_TEXT(file, "The file that a line is added to for each call",
                      .min_length = 1),
            MICA_BOOLEAN(arguments, "Write the arguments, too",
                         .fallback = MICA_JSON(false)));
MICA_RECORD(mica_cache_rule,
            MICA_LIST(tools, text, "The engines; * stands for all",
                      .max_items = MICA_RULES_LISTED,
                      .fallback = MICA_JSON(["*"])),
            MICA_INTEGER(bytes, "Memory for results",
                         .fallback = MICA_JSON(16777216),
                         .minimum = MICA_CACHE_BYTES_LEAST,
                         .maximum = MICA_CACHE_BYTES_MOST));
MICA_RECORD(mica_rules_file,
            MICA_LIST(limits, mica_rate_rule, "How often tools may be called",
                      .max_items = MICA_RULES, .fallback = MICA_JSON([])),
            MICA_LIST(access, mica_access_rule, "Who may use which tools",
                      .max_items = MICA_RULES, .fallback = MICA_JSON([])),
            MICA_LIST(names, mica_name_rule, "Other names of tools",
                      .max_items = MICA_RULES, .fallback = MICA_JSON([])),
            MICA_NESTED(audit, mica_audit_rule, "The audit log",
                        MICA_OPTIONAL(mica_rules_file, audit)),
            MICA_NESTED(cache, mica_cache_rule, "The results that are kept",
                        MICA_OPTIONAL(mica_rules_file, cache)));

static enum mica_status
check_name(const struct mica_rules_file *file, size_t number,
           struct mica_error *error)
{
    const struct mica_name_rule *rule = &file->names.items[number];

    if (!mica_name_valid(rule->name))
        return mica_error_set(error, MICA_E_FORMAT, "/names",
                              "a name has 1 to %d of A-Z a-z 0-9 _ . -, not "
                              "\"%.*s\"",
                              MICA_NAME_LENGTH, MICA_ARG(rule->name));
    for (size_t i = 0; i < number; i++) {
        const struct mica_name_rule *other = &file->names.items[i];
        if (mica_text_equal(other->name, rule->name) ||
            mica_text_equal(other->tool, rule->tool))
            return mica_error_set(
                error, MICA_E_USAGE, "/names",
                "names has \"%.*s\" twice; a tool has one "
                "name, and a name one tool",
                MICA_ARG(mica_text_equal(other->name, rule->name)
                             ? rule->name
                             : rule->tool));
    }
    return MICA_OK;
}

enum mica_status
mica_rules_file_decode(struct mica_text text, struct mica_arena *arena,
                       struct mica_error *error,
                       struct mica_rules_file *file_out)
{
    struct mica_json json;

    memset(file_out, 0, sizeof *file_out);
    MICA_TRY(mica_json_read(arena, text, NULL, error, &json));
    MICA_TRY(mica_record_decode(&mica_record_mica_rules_file, &json, arena,
                                error, file_out));
    for (size_t i = 0; i < file_out->names.count; i++)
        MICA_TRY(check_name(file_out, i, error));
    return MICA_OK;
}

enum mica_status
mica_rules_file_read(const char *pathz, struct mica_arena *arena,
                     struct mica_error *error, struct mica_rules_file *file_out)
{
    char path[PATH_MAX];
    struct mica_text text;
    enum mica_status status;
    int file;

    if (realpath(pathz, path) == NULL)
        return mica_error_set(
            error, errno == ENOENT ? MICA_E_NOT_FOUND : MICA_E_IO, "",
            "%s cannot be opened: %s", pathz, strerror(errno));
    MICA_TRY(mica_trust_open(path, error, &file));
    status = mica_trust_read(file, pathz, FILE_BYTES, arena, error, &text);
    close(file);
    MICA_TRY(status);
    status = mica_rules_file_decode(text, arena, error, file_out);
    if (status != MICA_OK)
        mica_error_prefix(error, "%s", pathz);
    return status;
}

// SPDX-License-Identifier: Apache-2.0
//
// Reads the words behind a command by its table of options. "--name VALUE" and
// "--name=VALUE" mean the same; "--" ends the options.
#ifndef MICA_CLI_OPTIONS_H
#define MICA_CLI_OPTIONS_H

#include <mica/base.h>

enum mica_option_kind {
    MICA_OPTION_SWITCH, // no value
    MICA_OPTION_TOGGLE, // the same, and its opposite takes it back: --no-NAME
    MICA_OPTION_VALUE,
    MICA_OPTION_REPEAT, // a value, each time it is given
    MICA_OPTION_OBJECT  // a value if the next word starts with '{'
};

struct mica_option {
    const char *name; // without "--"; NULL ends a table
    enum mica_option_kind kind;
    const char *placeholder; // of the value, for help
    const char *help;
};

// Who gave a value. A later one of these has the last word (cli/settings.h).
enum mica_given_by {
    MICA_BY_DEFAULT,
    MICA_BY_FILE,
    MICA_BY_ENVIRONMENT,
    MICA_BY_FLAG
};

struct mica_endpoint_settings; // cli/settings_endpoints.h

struct mica_given {
    const struct mica_option *option;
    const char *value; // NULL for a switch
    bool off;          // a switch is off, or a list is empty
    enum mica_given_by by;
    size_t line; // of the file
};

// Of every command that prints results (mica_cli_wants_json).
#define MICA_JSON_OPTION                                              \
    {                                                                 \
        "json", MICA_OPTION_SWITCH, NULL, "print JSON, for a program" \
    }

// Of a command that prints JSON in any case, so that it is asked for in every one alike.
#define MICA_JSON_ANYWAY_OPTION                                            \
    {                                                                      \
        "json", MICA_OPTION_SWITCH, NULL, "what is printed is JSON anyway" \
    }

// What the words said. All in the arena.
struct mica_options {
    const struct mica_given *given;
    size_t given_count;
    const char *const *words; // what is no option, in order
    size_t word_count;
    const struct mica_endpoint_settings *endpoints; // of mica.toml, or NULL
};

// The letter that means a switch, as -l does --long; '\0' without one.
char mica_option_letter(const struct mica_option *option);

// Errors: MICA_E_USAGE, with the nearest option when one is unknown.
enum mica_status
mica_options_read(const struct mica_option *table, const char *const *words,
                  size_t count, struct mica_arena *arena,
                  struct mica_error *error, struct mica_options *options_out)
    MICA_MUST_USE;

bool mica_options_has(const struct mica_options *options, const char *name);

// The last value, or NULL.
const char *mica_options_value(const struct mica_options *options,
                               const char *name);

// What was given last for that option, or NULL.
const struct mica_given *mica_options_last(const struct mica_options *options,
                                           const char *name);

// All values, NULL-ended.
const char *const *mica_options_all(const struct mica_options *options,
                                    struct mica_arena *arena, const char *name);

// The last value as a number of digits; `fallback` when it is not given.
enum mica_status mica_options_number(const struct mica_options *options,
                                     const char *name, unsigned fallback,
                                     unsigned maximum, struct mica_error *error,
                                     unsigned *number_out) MICA_MUST_USE;

#endif

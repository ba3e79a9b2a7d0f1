// SPDX-License-Identifier: Apache-2.0
//
// mica app: published apps, by the acts of src/publish/app_acts.h. This header is for its
// files: one subcommand in progress, and what they share.
//
//     command_app.c        the table of subcommands, options, help
//     command_app_run.c    opens the store, does an act, prints findings and failures
//     command_app_words.c  NAME=VALUE words as the JSON of a draft
//     command_app_write.c  new, edit, publish, unpublish, rollback, owner, delete
//     command_app_show.c   list, show, check, versions, version, diff, usage, layouts
//     command_app_files.c  preview, export, import
//     command_app_test.c   test
//     command_app_describe.c  new --describe
//     command_app_call.c   acts that wait for a tool or a model
//
// The person who runs the command can read and write the store, so the command acts for
// every owner. New apps belong to MICA_ACT_LOCAL. A server of the same store follows within a second.
#ifndef MICA_CLI_COMMAND_APP_H
#define MICA_CLI_COMMAND_APP_H

#include "apps/app_hosts.h"
#include "cli/cli.h"
#include "publish/app_acts.h"

enum {
    MICA_CLI_APP_BYTES = 32 << 20 // of what is printed or sent at a time
};

struct mica_cli_app {
    struct mica_cli *cli;
    const struct mica_options *options;
    const char *const *words; // behind the subcommand
    size_t count;
    bool json; // --json
    struct mica_store *store;
    struct mica_server *server; // once an app with a tool needs it
    struct mica_acts acts;
    struct mica_app_hosts hosts;   // names of apps' own, of the settings
    struct mica_act_answer answer; // of the last act
    struct mica_error *error;
};

typedef enum mica_status mica_cli_app_function(struct mica_cli_app *work);

mica_cli_app_function mica_cli_app_new, mica_cli_app_edit, mica_cli_app_publish,
    mica_cli_app_unpublish, mica_cli_app_rollback, mica_cli_app_owner,
    mica_cli_app_delete; // command_app_write.c
mica_cli_app_function mica_cli_app_list, mica_cli_app_show, mica_cli_app_check,
    mica_cli_app_versions, mica_cli_app_version, mica_cli_app_diff,
    mica_cli_app_usage,
    mica_cli_app_layouts; // command_app_show.c
mica_cli_app_function mica_cli_app_preview, mica_cli_app_export,
    mica_cli_app_import;                 // command_app_files.c
mica_cli_app_function mica_cli_app_test; // command_app_test.c

// What a subcommand needs of the store.
enum mica_cli_app_store {
    MICA_CLI_APP_STORE_NONE,
    MICA_CLI_APP_STORE_THERE, // an absent one is an empty one
    MICA_CLI_APP_STORE_MADE   // made, as "mica serve" would
};

// ---- Subcommands (command_app_rows.c) ---------------------------------------------

enum {
    MICA_CLI_APP_ROWS = 32 // subcommands of a command, at most
};

// How a subcommand is called and run.
struct mica_cli_app_row {
    const char *name;
    size_t least, most; // words behind it
    enum mica_cli_app_store store;
    mica_cli_app_function *run;
};

// A command whose subcommands work on the apps of a store.
struct mica_cli_app_table {
    const char *command; // its name
    const char *usual;   // what people write behind it most
    const struct mica_cli_app_row *rows;
    size_t count;
    const struct mica_subcommand *subcommands; // each row has one
    const struct mica_synonym *synonyms;       // words of other programs
};

// Runs the subcommand that the words name. Errors: MICA_E_USAGE, and those of the
// subcommand.
enum mica_status mica_cli_app_command(const struct mica_cli_app_table *table,
                                      struct mica_cli *cli,
                                      const struct mica_options *options,
                                      struct mica_error *error) MICA_MUST_USE;

// ---- Running acts (command_app_run.c) --------------------------------------------

// Opens the store that "mica serve" uses here. Errors: MICA_E_USAGE (a store in memory),
// those of mica_store_open.
enum mica_status mica_cli_app_open(struct mica_cli_app *work,
                                   enum mica_cli_app_store store) MICA_MUST_USE;
void mica_cli_app_close(struct mica_cli_app *work);

// Scheme, host and base path at which "mica serve" is reached here by its settings. In the
// arena. Errors: those of mica_base_path_read.
enum mica_status
mica_cli_app_address(struct mica_cli *cli, const struct mica_options *options,
                     struct mica_error *error, struct mica_text *address_out)
    MICA_MUST_USE;

// A sentence with a space before it that says where addresses come from, or "" where settings
// name them. Static.
const char *mica_cli_app_address_source(const struct mica_cli_app *work);

// Milliseconds since 1970.
int64_t mica_cli_app_now(void);

// Calls `take` for the slug of each item of a list, in its order, until it returns false:
// of apps (MICA_ACT_LIST_APPS, "apps") or of collections (MICA_ACT_LIST_COLLECTIONS,
// "collections"). Errors: those of mica_act_run.
enum mica_status mica_cli_app_slugs(
    struct mica_cli_app *work, enum mica_act act, const char *listz,
    bool (*take)(void *data, struct mica_text slug), void *data) MICA_MUST_USE;

// With --slugs prints them, one a line, and sets `*done_out`. Errors: MICA_E_USAGE (with
// --json), and these.
enum mica_status mica_cli_app_print_slugs(struct mica_cli_app *work,
                                          enum mica_act act, const char *listz,
                                          bool *done_out) MICA_MUST_USE;

// Does an act; `app` is a slug or an id. On failure the error and cli->app_error are set,
// and findings are printed on stderr for a person. A slug that no app has names the
// nearest one. Errors: those of mica_act_run.
enum mica_status mica_cli_app_act(struct mica_cli_app *work, enum mica_act act,
                                  const char *app, struct mica_text body)
    MICA_MUST_USE;

// The same in a call (struct mica_act_request). MICA_SUSPENDED: in its next turn again.
enum mica_status mica_cli_app_act_in(struct mica_cli_app *work,
                                     struct mica_call *call, enum mica_act act,
                                     const char *app, struct mica_text body)
    MICA_MUST_USE;

// The same as a call in this process, with a conversation (converse.h) and the providers of
// work->server, which is open: for acts that run a tool or ask a model (command_app_call.c).
enum mica_status mica_cli_app_call(struct mica_cli_app *work, enum mica_act act,
                                   const char *app, struct mica_text body)
    MICA_MUST_USE;

// Drafts an app from a sentence: the members of a draft (command_app_describe.c). For a
// person it says who has made which. Errors: those of the act, of settings and of models.
enum mica_status mica_cli_app_describe(struct mica_cli_app *work,
                                       const char *sentence,
                                       struct mica_json *draft_out)
    MICA_MUST_USE;

// The same for the revision that was read; 0: any.
enum mica_status mica_cli_app_act_at(struct mica_cli_app *work,
                                     enum mica_act act, const char *app,
                                     int64_t revision, struct mica_text body)
    MICA_MUST_USE;

// Loads the tools of the folder if the app runs one of them: publishing pins its build.
// Errors: those of mica_cli_app_act and mica_cli_catalog_open.
enum mica_status mica_cli_app_load_tools(struct mica_cli_app *work,
                                         const char *app) MICA_MUST_USE;

// The answer as a value. Errors: MICA_E_LIMIT.
enum mica_status mica_cli_app_answer(struct mica_cli_app *work,
                                     struct mica_json *answer_out)
    MICA_MUST_USE;

// Prints the answer as it is, and a line end.
void mica_cli_app_print_json(struct mica_cli_app *work);

// The option --if-revision; 0: not given. Errors: MICA_E_USAGE.
enum mica_status mica_cli_app_revision(struct mica_cli_app *work,
                                       int64_t *revision_out) MICA_MUST_USE;

// A word that is a number of 1 or more. Errors: MICA_E_USAGE; `whatz` says what it is.
enum mica_status mica_cli_app_number(struct mica_cli_app *work,
                                     const char *word, const char *whatz,
                                     int64_t *number_out) MICA_MUST_USE;

// The value of an option that a flag has given, not a setting of the same name; NULL.
const char *mica_cli_app_flag(const struct mica_cli_app *work,
                              const char *name);

// The words behind the slug as {"draft": patch}, which is not saved; no words: empty.
// Errors: as above, and those of reading the app.
enum mica_status mica_cli_app_draft_body(struct mica_cli_app *work,
                                         struct mica_text *body_out)
    MICA_MUST_USE;

// Prints an array of findings, a line for the code and the pointer, and one for what is
// wrong and what to do: all on stdout, or the errors alone on stderr (`aside`).
void mica_cli_app_print_findings(struct mica_cli *cli,
                                 const struct mica_json *findings, bool aside);

// ---- Words (command_app_words.c) -------------------------------------------------
//
//     toolName=get_order_status          a text
//     toolDescription=@about.txt         the text of a file; @- is stdin
//     mockData='{"title":"Order"}'       JSON where the member is no text
//     behavior.type=prompt               a member inside
//     /mockData/title=Order              the same by its JSON Pointer
//     /themeVariables/--color-x='#fff'   one variable; all others stay
//     roles.editors=ada,grace            a list of names
//     scope=null                         removes the member

// Makes the JSON Merge Patch that the words describe. `draft` is what it is for, or NULL:
// where a patch replaces a member as a whole (mockData, themeVariables, maps), a word for a
// part of it gives the member of `draft` with the change, so the patch is for this draft
// alone. `json_out` is in memory of the command.
// Errors: MICA_E_USAGE, MICA_E_JSON, MICA_E_LIMIT, those of reading a file.
enum mica_status
mica_cli_app_words_patch(struct mica_cli *cli, const char *const *words,
                         size_t count, const struct mica_json *draft,
                         struct mica_error *error, struct mica_text *json_out)
    MICA_MUST_USE;

// Are there words that change a part of what can only be replaced as a whole?
bool mica_cli_app_words_are_partial(const char *const *words, size_t count);

#endif

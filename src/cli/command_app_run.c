// SPDX-License-Identifier: Apache-2.0
//
// Acts on apps from the command line: the store, the address of apps, and failures.
#include "cli/command_app.h"

#include <string.h>

#include "cli/cli_catalog.h"
#include "cli/cli_file.h"
#include "cli/identity.h"
#include "cli/near.h"
#include "protocol/base_path.h"
#include "serve/system_platform.h"
#include "server/server.h"

enum {
    NEAR_APPS = 1000, // of which a nearest is looked for
    NAME_SHOWN = 64   // bytes of a word that names no app
};

int64_t
mica_cli_app_now(void)
{
    return mica_platform_real.now_ms(NULL);
}

const char *
mica_cli_app_flag(const struct mica_cli_app *work, const char *name)
{
    const struct mica_given *given = mica_options_last(work->options, name);

    return given != NULL && given->by == MICA_BY_FLAG ? given->value : NULL;
}

// Do settings say where the server is? Else the address is that of a server without flags.
static bool
address_is_set(const struct mica_cli_app *work)
{
    return mica_options_value(work->options, "listen") != NULL ||
           mica_options_value(work->options, "public-url") != NULL;
}

const char *
mica_cli_app_address_source(const struct mica_cli_app *work)
{
    return address_is_set(work)
               ? ""
               : " If it listens elsewhere (--listen), the address begins with "
                 "what it says there.";
}

// ---- The store -------------------------------------------------------------------

enum mica_status
mica_cli_app_address(struct mica_cli *cli, const struct mica_options *options,
                     struct mica_error *error, struct mica_text *address_out)
{
    const char *listen = mica_options_value(options, "listen");
    struct mica_base_path base;
    const char *colon;

    if (listen == NULL || strrchr(listen, ':') == NULL)
        listen = "127.0.0.1:8080";
    colon = strrchr(listen, ':');
    MICA_TRY(mica_base_path_read(mica_options_value(options, "base-path"),
                                 mica_options_value(options, "public-url"),
                                 error, &base));
    if (base.origin.len > 0)
        *address_out = mica_text(mica_cli_format(
            cli, "%.*s%.*s", MICA_ARG(base.origin), MICA_ARG(base.added)));
    else if (strncmp(listen, "0.0.0.0:", 8) == 0 ||
             strncmp(listen, "[::]:", 5) == 0)
        *address_out = mica_text(mica_cli_format(cli, "http://localhost%s%.*s",
                                                 colon, MICA_ARG(base.added)));
    else
        *address_out = mica_text(mica_cli_format(cli, "http://%s%.*s", listen,
                                                 MICA_ARG(base.added)));
    return MICA_OK;
}

// The identity of the project is written down first, as "mica serve" does, so that both
// mean the same store from then on.
static enum mica_status
store_make(struct mica_cli_app *work)
{
    static const struct mica_store_options beside = {.pages_trusted = true};
    const char *spec = mica_options_value(work->options, "store");
    struct mica_identity identity;

    if (spec == NULL) {
        MICA_TRY(
            mica_identity_find(work->options, true, work->error, &identity));
        mica_identity_tell(work->cli, &identity);
        spec =
            identity.home[0] != '\0'
                ? mica_cli_format(work->cli, "sqlite:%s/mica.db", identity.home)
                : "sqlite";
    }
    return mica_store_open(spec, &beside, work->error, &work->store);
}

// Where nothing was ever kept there are no apps: an empty store says so in each act. A
// copy of a folder is refused, as its person expects the apps of the original.
static enum mica_status
store_find(struct mica_cli_app *work)
{
    enum mica_status status = mica_identity_open(work->cli, work->options, true,
                                                 work->error, &work->store);
    struct mica_identity identity;
    struct mica_error ignored; // mica_identity_open has failed by it, too

    if (status == MICA_E_NOT_FOUND &&
        mica_options_value(work->options, "store") == NULL &&
        mica_identity_find(work->options, false, &ignored, &identity) ==
            MICA_OK &&
        !mica_identity_is_new_copy(&identity))
        return mica_store_open("memory", NULL, work->error, &work->store);
    return status;
}

enum mica_status
mica_cli_app_open(struct mica_cli_app *work, enum mica_cli_app_store store)
{
    const char *spec = mica_options_value(work->options, "store");

    if (spec != NULL && strcmp(spec, "memory") == 0 &&
        store != MICA_CLI_APP_STORE_NONE)
        return mica_error_set(work->error, MICA_E_USAGE, "",
                              "a store in memory ends with its process, so it "
                              "has no apps that a command could reach; name a "
                              "file: --store sqlite:PATH");
    work->acts.now = mica_cli_app_now;
    MICA_TRY(mica_app_hosts_read(
        mica_options_all(work->options, &work->cli->arena, "app-host"),
        &work->cli->arena, work->error, &work->hosts, NULL));
    work->acts.hosts = &work->hosts;
    MICA_TRY(mica_cli_app_address(work->cli, work->options, work->error,
                                  &work->acts.address));
    if (store == MICA_CLI_APP_STORE_NONE)
        MICA_TRY(mica_store_open("memory", NULL, work->error, &work->store));
    else if (store == MICA_CLI_APP_STORE_MADE)
        MICA_TRY(store_make(work));
    else
        MICA_TRY(store_find(work));
    work->acts.store = work->store;
    return MICA_OK;
}

void
mica_cli_app_close(struct mica_cli_app *work)
{
    if (work->server != NULL)
        mica_server_close(&work->server);
    if (work->store != NULL)
        mica_store_close(&work->store);
}

// ---- Findings --------------------------------------------------------------------

void
mica_cli_app_print_findings(struct mica_cli *cli,
                            const struct mica_json *findings, bool aside)
{
    for (size_t i = 0; findings != NULL && i < findings->count; i++) {
        const struct mica_json *finding = &findings->items[i];
        bool color = aside ? cli->note_color : cli->color;
        bool bad =
            mica_text_is(mica_json_get_text(finding, "severity"), "error");
        if (aside && !bad)
            continue;
        const char *style =
            mica_style(color, bad ? MICA_STYLE_RED : MICA_STYLE_YELLOW);
        const char *dim = mica_style(color, MICA_STYLE_DIM);
        const char *plain = mica_style(color, MICA_STYLE_PLAIN);
        const char *word = bad ? "error" : "warning";
        struct mica_text code = mica_json_get_text(finding, "code");
        struct mica_text path = mica_json_get_text(finding, "path");
        struct mica_text message = mica_json_get_text(finding, "message");

        if (path.len == 0)
            path = MICA_LITERAL("(the app)");
        if (aside)
            mica_cli_note(cli, "  %s%s %.*s%s  %s%.*s%s\n    %.*s\n", style,
                          word, MICA_ARG(code), plain, dim, MICA_ARG(path),
                          plain, MICA_ARG(message));
        else
            mica_cli_print(cli, "  %s%s %.*s%s  %s%.*s%s\n    %.*s\n", style,
                           word, MICA_ARG(code), plain, dim, MICA_ARG(path),
                           plain, MICA_ARG(message));
    }
}

// ---- Failures --------------------------------------------------------------------

// The slugs among which a nearest one is looked for.
struct slugs {
    struct mica_cli *cli;
    const char **items;
    size_t count;
};

static bool
slugs_take(void *data, struct mica_text slug)
{
    struct slugs *slugs = data;

    slugs->items[slugs->count++] =
        mica_cli_format(slugs->cli, "%.*s", MICA_ARG(slug));
    return slugs->count < NEAR_APPS;
}

enum mica_status
mica_cli_app_slugs(struct mica_cli_app *work, enum mica_act act,
                   const char *listz,
                   bool (*take)(void *data, struct mica_text slug), void *data)
{
    const struct mica_act_person person = {.name = mica_text(MICA_ACT_LOCAL),
                                           .is_operator = true};
    struct mica_act_answer answer;
    struct mica_json page;
    const struct mica_json *items, *next = NULL;

    do {
        const char *body =
            next == NULL
                ? "{\"limit\":100}"
                : mica_cli_format(work->cli, "{\"limit\":100,\"after\":%.*s}",
                                  MICA_ARG(next->text));
        const struct mica_act_request request = {.act = act,
                                                 .body = mica_text(body)};
        enum mica_status status = mica_act_run(&work->acts, &person, &request,
                                               &work->cli->arena, &answer);
        if (status != MICA_OK)
            return mica_error_set(work->error, status, "", "%.*s",
                                  MICA_ARG(answer.error.message));
        MICA_TRY(mica_json_read(&work->cli->arena, answer.json, NULL,
                                work->error, &page));
        items = mica_json_get(&page, listz);
        for (size_t i = 0; i < items->count; i++)
            if (!take(data, mica_json_get_text(&items->items[i], "mcpSlug")))
                return MICA_OK;
        next = mica_json_get(&page, "next");
    } while (next != NULL && next->kind == MICA_JSON_NUMBER);
    return MICA_OK;
}

static bool
slug_print(void *data, struct mica_text slug)
{
    struct mica_cli *cli = data;

    mica_cli_print(cli, "%.*s\n", MICA_ARG(slug));
    return true;
}

enum mica_status
mica_cli_app_print_slugs(struct mica_cli_app *work, enum mica_act act,
                         const char *listz, bool *done_out)
{
    *done_out = mica_options_has(work->options, "slugs");
    if (!*done_out)
        return MICA_OK;
    if (work->json)
        return mica_error_set(work->error, MICA_E_USAGE, "",
                              "--slugs prints words and --json prints JSON, "
                              "in which each item has its mcpSlug; leave one "
                              "of the two out");
    return mica_cli_app_slugs(work, act, listz, slug_print, work->cli);
}

// The operator may read every app, so a message may name one.
static void
name_nearest(struct mica_cli_app *work, const char *app,
             struct mica_app_error *failure)
{
    static const struct mica_synonym none = {NULL, NULL};
    struct slugs slugs = {.cli = work->cli,
                          .items = mica_arena_zero(&work->cli->arena, NEAR_APPS,
                                                   sizeof *slugs.items)};
    struct mica_text shown = mica_utf8_cut(mica_text(app), NAME_SHOWN);
    enum mica_status listed =
        slugs.items != NULL ? mica_cli_app_slugs(work, MICA_ACT_LIST_APPS,
                                                 "apps", slugs_take, &slugs)
                            : MICA_E_LIMIT;
    const char *near =
        mica_near(mica_text(app), slugs.items, slugs.count, &none);
    (void)
        listed; // what could be read is looked through; the failure is another one

    if (near != NULL)
        failure->message = mica_text(mica_cli_format(
            work->cli, "there is no app \"%.*s\"; did you mean \"%s\"?",
            MICA_ARG(shown), near));
    else if (slugs.count > 0)
        failure->message = mica_text(mica_cli_format(
            work->cli,
            "there is no app \"%.*s\"; \"mica app list\" lists those there are",
            MICA_ARG(shown)));
    else
        failure->message = mica_text(mica_cli_format(
            work->cli,
            "there is no app \"%.*s\", and no other one in this store; \"mica "
            "app new NAME\" makes one",
            MICA_ARG(shown)));
}

static void
name_no_collection(struct mica_cli_app *work, const char *collection,
                   struct mica_app_error *failure)
{
    struct mica_text shown = mica_utf8_cut(mica_text(collection), NAME_SHOWN);

    failure->message = mica_text(mica_cli_format(
        work->cli,
        "there is no collection \"%.*s\"; \"mica collection list\" lists "
        "those there are",
        MICA_ARG(shown)));
}

// Keeps the failure for main, which prints it.
static enum mica_status
act_fail(struct mica_cli_app *work, enum mica_act act, const char *app)
{
    struct mica_app_error *failure =
        mica_arena_zero(&work->cli->arena, 1, sizeof *failure);
    struct mica_json details = {.kind = MICA_JSON_NULL};
    const struct mica_json *findings;
    struct mica_text path;

    if (failure == NULL)
        return mica_error_set(work->error, MICA_E_LIMIT, "", "no memory");
    *failure = work->answer.error;
    if (failure->details.len > 0 &&
        mica_json_read(&work->cli->arena, failure->details, NULL, work->error,
                       &details) != MICA_OK)
        return work->error->status;
    path = mica_json_get_text(&details, "path");
    findings = mica_json_get(&details, "findings");
    if (failure->status == MICA_E_APP && mica_act_of_collection(act))
        name_no_collection(work, app, failure);
    else if (failure->status == MICA_E_APP && path.len == 0)
        name_nearest(work, app, failure);
    if (!work->json && findings != NULL)
        mica_cli_app_print_findings(work->cli, findings, true);
    work->cli->app_error = failure;
    return mica_error_set(work->error, failure->status,
                          mica_cli_format(work->cli, "%.*s", MICA_ARG(path)),
                          "%.*s", MICA_ARG(failure->message));
}

// ---- Acts ------------------------------------------------------------------------

static enum mica_status
act_run(struct mica_cli_app *work, const char *app,
        const struct mica_act_request *request)
{
    const struct mica_act_person person = {.name = mica_text(MICA_ACT_LOCAL),
                                           .is_operator = true};
    enum mica_status status = mica_act_run(&work->acts, &person, request,
                                           &work->cli->arena, &work->answer);

    return status == MICA_OK || status == MICA_SUSPENDED
               ? status
               : act_fail(work, request->act, app);
}

enum mica_status
mica_cli_app_act_at(struct mica_cli_app *work, enum mica_act act,
                    const char *app, int64_t revision, struct mica_text body)
{
    const struct mica_act_request request = {
        .act = act, .app = mica_text(app), .revision = revision, .body = body};

    return act_run(work, app, &request);
}

enum mica_status
mica_cli_app_act_in(struct mica_cli_app *work, struct mica_call *call,
                    enum mica_act act, const char *app, struct mica_text body)
{
    const struct mica_act_request request = {
        .act = act, .app = mica_text(app), .body = body, .call = call};

    return act_run(work, app, &request);
}

enum mica_status
mica_cli_app_act(struct mica_cli_app *work, enum mica_act act, const char *app,
                 struct mica_text body)
{
    return mica_cli_app_act_at(work, act, app, 0, body);
}

enum mica_status
mica_cli_app_answer(struct mica_cli_app *work, struct mica_json *answer_out)
{
    const struct mica_json_limits limits = {.bytes = MICA_ACT_ANSWER_BYTES};

    return mica_json_read(&work->cli->arena, work->answer.json, &limits,
                          work->error, answer_out);
}

void
mica_cli_app_print_json(struct mica_cli_app *work)
{
    mica_cli_json_line(work->cli, work->answer.json);
}

enum mica_status
mica_cli_app_load_tools(struct mica_cli_app *work, const char *app)
{
    struct mica_json answer;

    MICA_TRY(mica_cli_app_act(work, MICA_ACT_READ, app,
                              (struct mica_text){NULL, 0}));
    MICA_TRY(mica_cli_app_answer(work, &answer));
    if (!mica_text_is(
            mica_json_get_text(mica_json_get(&answer, "behavior"), "type"),
            "tool"))
        return MICA_OK;
    MICA_TRY(mica_cli_catalog_open(work->cli, work->options, work->error,
                                   &work->server));
    work->acts.server = work->server;
    return MICA_OK;
}

// ---- Numbers ---------------------------------------------------------------------

enum mica_status
mica_cli_app_number(struct mica_cli_app *work, const char *word,
                    const char *whatz, int64_t *number_out)
{
    if (mica_integer_read(mica_text(word), number_out) && *number_out > 0)
        return MICA_OK;
    return mica_error_set(work->error, MICA_E_USAGE, "",
                          "%s is a number from 1 on, not \"%.40s\"", whatz,
                          word);
}

enum mica_status
mica_cli_app_revision(struct mica_cli_app *work, int64_t *revision_out)
{
    const char *value = mica_options_value(work->options, "if-revision");

    *revision_out = 0;
    if (value == NULL)
        return MICA_OK;
    return mica_cli_app_number(work, value, "--if-revision", revision_out);
}

// ---- Drafts that are not saved ----------------------------------------------------

enum mica_status
mica_cli_app_draft_body(struct mica_cli_app *work, struct mica_text *body_out)
{
    const char *const *words = work->words + 1;
    size_t count = work->count - 1;
    struct mica_json draft;
    struct mica_text patch;
    bool partial = mica_cli_app_words_are_partial(words, count);

    *body_out = (struct mica_text){NULL, 0};
    if (count == 0)
        return MICA_OK;
    if (partial) {
        MICA_TRY(
            mica_cli_app_act(work, MICA_ACT_READ, work->words[0], *body_out));
        MICA_TRY(mica_cli_app_answer(work, &draft));
    }
    MICA_TRY(mica_cli_app_words_patch(
        work->cli, words, count, partial ? &draft : NULL, work->error, &patch));
    *body_out = mica_text(
        mica_cli_format(work->cli, "{\"draft\":%.*s}", MICA_ARG(patch)));
    return MICA_OK;
}

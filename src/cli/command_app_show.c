// SPDX-License-Identifier: Apache-2.0
//
// mica app list, show, check, versions, version, diff, usage, layouts: acts that read, and
// how their answers look to a person.
#include <string.h>

#include "cli/cli_file.h"
#include "cli/columns.h"
#include "cli/command_app.h"

enum {
    SLUG_COLUMNS = 32, // of the slugs in a list, at most
    LABEL_COLUMNS = 12,
    LEAST_COLUMNS = 20 // of the last column
};

static const struct mica_text nothing = {NULL, 0};

// ---- Parts of lines --------------------------------------------------------------

// A member as text: strings as they are, numbers as they are written, else "".
static struct mica_text
member_text(const struct mica_json *object, const char *namez)
{
    const struct mica_json *value = mica_json_get(object, namez);

    return value != NULL && (value->kind == MICA_JSON_STRING ||
                             value->kind == MICA_JSON_NUMBER)
               ? value->text
               : nothing;
}

static void
pad_to(struct mica_cli *cli, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        mica_cli_print(cli, " ");
}

// The last column of a line: cut on a terminal, whole in a pipe.
static void
print_rest(struct mica_cli *cli, size_t before, struct mica_text text)
{
    struct mica_buffer line, shown;
    size_t room = cli->columns > before + LEAST_COLUMNS ? cli->columns - before
                                                        : LEAST_COLUMNS;

    mica_buffer_init(&line, &cli->arena, MICA_CLI_APP_BYTES);
    mica_buffer_init(&shown, &cli->arena, MICA_CLI_APP_BYTES);
    mica_columns_line(&line, text);
    if (cli->columns > 0)
        mica_columns_cut(&shown, mica_buffer_as_text(&line), room);
    else
        mica_buffer_text(&shown, mica_buffer_as_text(&line));
    mica_cli_print(cli, "%.*s\n", MICA_ARG(shown));
}

// "  tool        get_order_status"; nothing for an empty value.
static void
print_row(struct mica_cli *cli, const char *labelz, struct mica_text value)
{
    if (value.len == 0)
        return;
    mica_cli_print(cli, "  %s%s%s", mica_cli_dim(cli), labelz,
                   mica_cli_plain(cli));
    pad_to(cli, strlen(labelz), LABEL_COLUMNS);
    mica_cli_print(cli, "%.*s\n", MICA_ARG(value));
}

// A page of answers may not be the last.
static void
say_next_page(struct mica_cli_app *work, const struct mica_json *answer)
{
    struct mica_text next = member_text(answer, "next");

    if (next.len == 0)
        return;
    mica_cli_flush(work->cli);
    mica_cli_note(work->cli, "The next page: --after %.*s\n", MICA_ARG(next));
}

// ---- list ------------------------------------------------------------------------

// "published 3", "draft".
static const char *
app_state(struct mica_cli *cli, const struct mica_json *app)
{
    struct mica_text status = mica_json_get_text(app, "status");

    if (!mica_text_is(status, "published"))
        return mica_cli_format(cli, "%.*s", MICA_ARG(status));
    return mica_cli_format(cli, "published %.*s",
                           MICA_ARG(member_text(app, "publishVersion")));
}

struct app_columns {
    size_t slug, state, layout;
};

static void
print_app(struct mica_cli *cli, const struct mica_json *app,
          const struct app_columns *columns)
{
    struct mica_text slug = mica_json_get_text(app, "mcpSlug");
    struct mica_text layout = mica_json_get_text(app, "layoutTemplate");
    struct mica_text words = mica_json_get_text(app, "description");
    const char *state = app_state(cli, app);
    size_t width = slug.len > columns->slug ? slug.len : columns->slug;

    mica_cli_print(cli, "%s%.*s%s", mica_cli_bold(cli), MICA_ARG(slug),
                   mica_cli_plain(cli));
    pad_to(cli, slug.len, width + 2);
    mica_cli_print(cli, "%s", state);
    pad_to(cli, strlen(state), columns->state + 2);
    mica_cli_print(cli, "%.*s", MICA_ARG(layout));
    pad_to(cli, layout.len, columns->layout + 2);
    print_rest(cli, width + columns->state + columns->layout + 6,
               mica_text(mica_cli_format(
                   cli, "%.*s%s%.*s", MICA_ARG(mica_json_get_text(app, "name")),
                   words.len > 0 ? ": " : "", MICA_ARG(words))));
}

static void
columns_read(struct mica_cli *cli, const struct mica_json *apps,
             struct app_columns *columns_out)
{
    *columns_out = (struct app_columns){0, 0, 0};
    for (size_t i = 0; i < apps->count; i++) {
        const struct mica_json *app = &apps->items[i];
        size_t slug = mica_json_get_text(app, "mcpSlug").len;
        size_t state = strlen(app_state(cli, app));
        size_t layout = mica_json_get_text(app, "layoutTemplate").len;
        if (slug > columns_out->slug)
            columns_out->slug = slug < SLUG_COLUMNS ? slug : SLUG_COLUMNS;
        if (state > columns_out->state)
            columns_out->state = state;
        if (layout > columns_out->layout)
            columns_out->layout = layout;
    }
}

// {"limit": …, NAME: …} from --limit and --after.
static enum mica_status
page_body(struct mica_cli_app *work, const char *namez,
          struct mica_text *body_out)
{
    const char *after = mica_cli_app_flag(work, "after");
    unsigned limit;
    int64_t number = 0;

    MICA_TRY(mica_options_number(work->options, "limit", MICA_ACT_LIST_DEFAULT,
                                 MICA_ACT_LIST, work->error, &limit));
    if (limit == 0)
        return mica_error_set(work->error, MICA_E_USAGE, "",
                              "--limit takes a number from 1 to %d",
                              MICA_ACT_LIST);
    if (after != NULL)
        MICA_TRY(mica_cli_app_number(work, after, "--after", &number));
    *body_out =
        mica_text(mica_cli_format(work->cli, "{\"limit\":%u,\"%s\":%lld}",
                                  limit, namez, (long long)number));
    return MICA_OK;
}

enum mica_status
mica_cli_app_list(struct mica_cli_app *work)
{
    struct app_columns columns;
    const struct mica_json *apps;
    struct mica_json answer;
    struct mica_text body;
    bool done;

    MICA_TRY(mica_cli_app_print_slugs(work, MICA_ACT_LIST_APPS, "apps", &done));
    if (done)
        return MICA_OK;
    MICA_TRY(page_body(work, "after", &body));
    MICA_TRY(mica_cli_app_act(work, MICA_ACT_LIST_APPS, "", body));
    if (work->json) {
        mica_cli_app_print_json(work);
        return MICA_OK;
    }
    MICA_TRY(mica_cli_app_answer(work, &answer));
    apps = mica_json_get(&answer, "apps");
    columns_read(work->cli, apps, &columns);
    for (size_t i = 0; i < apps->count; i++)
        print_app(work->cli, &apps->items[i], &columns);
    if (apps->count == 0)
        mica_cli_note(work->cli, "There are no apps here. \"mica app new "
                                 "NAME\" makes one.\n");
    say_next_page(work, &answer);
    return MICA_OK;
}

// ---- show, version ---------------------------------------------------------------

// What a draft and a version have in common.
static void
print_draft(struct mica_cli *cli, const struct mica_json *app)
{
    const struct mica_json *behavior = mica_json_get(app, "behavior");
    struct mica_text type = mica_json_get_text(behavior, "type");
    struct mica_text tool = mica_json_get_text(behavior, "tool");

    print_row(cli, "about", mica_json_get_text(app, "description"));
    print_row(cli, "tool", mica_json_get_text(app, "toolName"));
    print_row(cli, "for models", mica_json_get_text(app, "toolDescription"));
    print_row(cli, "layout", mica_json_get_text(app, "layoutTemplate"));
    print_row(
        cli, "behavior",
        mica_text(mica_cli_format(cli, "%.*s%s%.*s", MICA_ARG(type),
                                  tool.len > 0 ? " " : "", MICA_ARG(tool))));
    print_row(cli, "visibility", mica_json_get_text(app, "visibility"));
    print_row(cli, "scope", mica_json_get_text(app, "scope"));
}

// An app with a host name of its own has two.
static void
print_addresses(struct mica_cli_app *work, const struct mica_json *app)
{
    struct mica_text slug = mica_json_get_text(app, "mcpSlug");

    print_row(work->cli, "url", mica_json_get_text(app, "url"));
    if (mica_app_hosts_of(&work->hosts, slug) != NULL)
        print_row(work->cli, "also at",
                  mica_text(mica_cli_format(work->cli, "%.*s/servers/%.*s/mcp",
                                            MICA_ARG(work->acts.address),
                                            MICA_ARG(slug))));
}

// "callsPerDay 50, tokensPerDay 200000 (default)": a number that the draft does not have is
// the default of its behavior.
static void
print_budget(struct mica_cli *cli, const struct mica_json *app)
{
    static const char *const names[] = {"callsPerDay", "tokensPerDay",
                                        "seconds", "concurrent"};
    const struct mica_json *own = mica_json_get(app, "budget");
    const struct mica_json *budget = mica_json_get(app, "effectiveBudget");
    const char *wordz = "";

    for (size_t i = 0; i < MICA_COUNT(names); i++) {
        struct mica_text number = member_text(budget, names[i]);
        bool given = own != NULL && mica_json_get(own, names[i]) != NULL;
        if (number.len > 0)
            wordz = mica_cli_format(
                cli, "%s%s%s %.*s%s", wordz, *wordz != '\0' ? ", " : "",
                names[i], MICA_ARG(number), given ? "" : " (default)");
    }
    print_row(cli, "budget", mica_text(*wordz != '\0' ? wordz : "no limit"));
}

enum mica_status
mica_cli_app_show(struct mica_cli_app *work)
{
    struct mica_cli *cli = work->cli;
    struct mica_json app;

    MICA_TRY(mica_cli_app_act(work, MICA_ACT_READ, work->words[0], nothing));
    if (work->json) {
        mica_cli_app_print_json(work);
        return MICA_OK;
    }
    MICA_TRY(mica_cli_app_answer(work, &app));
    mica_cli_print(cli, "%s%.*s%s  %.*s\n", mica_cli_bold(cli),
                   MICA_ARG(mica_json_get_text(&app, "mcpSlug")),
                   mica_cli_plain(cli),
                   MICA_ARG(mica_json_get_text(&app, "name")));
    print_row(cli, "status", mica_text(app_state(cli, &app)));
    print_addresses(work, &app);
    print_draft(cli, &app);
    print_budget(cli, &app);
    print_row(cli, "owner", mica_json_get_text(&app, "owner"));
    print_row(cli, "revision", member_text(&app, "revision"));
    print_row(cli, "published", mica_json_get_text(&app, "publishedAt"));
    print_row(cli, "changed", mica_json_get_text(&app, "updatedAt"));
    print_row(cli, "id", mica_json_get_text(&app, "id"));
    mica_cli_app_print_findings(cli, mica_json_get(&app, "findings"), false);
    mica_cli_flush(cli);
    if (mica_cli_app_address_source(work)[0] != '\0')
        mica_cli_note(cli, "mica: the address is that of \"mica serve\".%s\n",
                      mica_cli_app_address_source(work));
    return MICA_OK;
}

enum mica_status
mica_cli_app_version(struct mica_cli_app *work)
{
    struct mica_text body = nothing;
    struct mica_json version;
    int64_t number;

    if (work->count > 1) {
        MICA_TRY(
            mica_cli_app_number(work, work->words[1], "the version", &number));
        body = mica_text(mica_cli_format(work->cli, "{\"version\":%lld}",
                                         (long long)number));
    }
    MICA_TRY(mica_cli_app_act(work, MICA_ACT_VERSION, work->words[0], body));
    if (work->json) {
        mica_cli_app_print_json(work);
        return MICA_OK;
    }
    MICA_TRY(mica_cli_app_answer(work, &version));
    mica_cli_print(
        work->cli, "%sversion %.*s%s  %.*s\n", mica_cli_bold(work->cli),
        MICA_ARG(member_text(&version, "version")), mica_cli_plain(work->cli),
        MICA_ARG(mica_json_get_text(&version, "name")));
    print_row(work->cli, "published",
              mica_json_get_text(&version, "publishedAt"));
    print_draft(work->cli, &version);
    print_row(work->cli, "widget", mica_json_get_text(&version, "widget"));
    print_row(work->cli, "runs", mica_json_get_text(&version, "pin"));
    return MICA_OK;
}

// ---- check -----------------------------------------------------------------------

enum mica_status
mica_cli_app_check(struct mica_cli_app *work)
{
    struct mica_cli *cli = work->cli;
    const struct mica_json *publishable;
    struct mica_json answer;
    struct mica_text body;
    bool good;

    MICA_TRY(mica_cli_app_draft_body(work, &body));
    MICA_TRY(mica_cli_app_load_tools(work, work->words[0]));
    MICA_TRY(mica_cli_app_act(work, MICA_ACT_CHECK, work->words[0], body));
    MICA_TRY(mica_cli_app_answer(work, &answer));
    publishable = mica_json_get(&answer, "publishable");
    good = publishable != NULL && publishable->kind == MICA_JSON_TRUE;
    if (work->json) {
        mica_cli_app_print_json(work);
    } else {
        mica_cli_print(
            cli, "%s%s%s %s\n",
            mica_style(cli->color, good ? MICA_STYLE_GREEN : MICA_STYLE_RED),
            good ? "✓" : "✗", mica_cli_plain(cli), work->words[0]);
        mica_cli_app_print_findings(cli, mica_json_get(&answer, "findings"),
                                    false);
    }
    if (good)
        return MICA_OK;
    if (work->json)
        cli->report = MICA_CLI_REPORT_MADE;
    return mica_cli_fail(work->error, "CHECK_FAILED", "",
                         "%s cannot be published yet; docs/app-findings.md "
                         "explains every code",
                         work->words[0]);
}

// ---- versions, diff --------------------------------------------------------------

enum mica_status
mica_cli_app_versions(struct mica_cli_app *work)
{
    struct mica_cli *cli = work->cli;
    const struct mica_json *versions, *current;
    struct mica_json answer;
    struct mica_text body;

    MICA_TRY(page_body(work, "before", &body));
    MICA_TRY(mica_cli_app_act(work, MICA_ACT_VERSIONS, work->words[0], body));
    if (work->json) {
        mica_cli_app_print_json(work);
        return MICA_OK;
    }
    MICA_TRY(mica_cli_app_answer(work, &answer));
    versions = mica_json_get(&answer, "versions");
    for (size_t i = 0; i < versions->count; i++) {
        const struct mica_json *version = &versions->items[i];
        struct mica_text number = member_text(version, "version");
        current = mica_json_get(version, "current");
        pad_to(cli, number.len, 4);
        mica_cli_print(
            cli, "%s%.*s%s  %.*s  widget %.*s%s\n", mica_cli_bold(cli),
            MICA_ARG(number), mica_cli_plain(cli),
            MICA_ARG(mica_json_get_text(version, "publishedAt")),
            MICA_ARG(mica_json_get_text(version, "widget")),
            current != NULL && current->kind == MICA_JSON_TRUE ? "  published"
                                                               : "");
    }
    if (versions->count == 0)
        mica_cli_note(cli, "The app was never published.\n");
    say_next_page(work, &answer);
    return MICA_OK;
}

// A number of a version, or "draft".
static enum mica_status
side_read(struct mica_cli_app *work, const char *word, int64_t *number_out)
{
    *number_out = 0;
    return strcmp(word, "draft") == 0
               ? MICA_OK
               : mica_cli_app_number(work, word,
                                     "a side of diff is \"draft\", or a "
                                     "version, which",
                                     number_out);
}

static void
print_side(struct mica_cli *cli, const char *signz, enum mica_style style,
           const struct mica_json *value)
{
    struct mica_json_writer writer;
    struct mica_buffer text;

    if (value == NULL)
        return;
    mica_buffer_init(&text, &cli->arena, MICA_CLI_APP_BYTES);
    mica_json_writer_init(&writer, &text);
    mica_json_value(&writer, value);
    mica_cli_print(cli, "  %s%s ", mica_style(cli->color, style), signz);
    mica_cli_shown_json(cli, mica_cli_whole(&text));
    mica_cli_print(cli, "%s\n", mica_cli_plain(cli));
}

static void
print_changes(struct mica_cli *cli, const struct mica_json *changes)
{
    for (size_t i = 0; i < changes->count; i++) {
        const struct mica_json *change = &changes->items[i];
        mica_cli_print(cli, "%s%.*s%s\n", mica_cli_bold(cli),
                       MICA_ARG(mica_json_get_text(change, "path")),
                       mica_cli_plain(cli));
        print_side(cli, "-", MICA_STYLE_RED, mica_json_get(change, "before"));
        print_side(cli, "+", MICA_STYLE_GREEN, mica_json_get(change, "after"));
    }
}

enum mica_status
mica_cli_app_diff(struct mica_cli_app *work)
{
    struct mica_text body = nothing;
    const struct mica_json *changes;
    struct mica_json answer;
    int64_t from, to = 0;

    if (work->count > 1) {
        MICA_TRY(side_read(work, work->words[1], &from));
        if (work->count > 2)
            MICA_TRY(side_read(work, work->words[2], &to));
        body =
            mica_text(mica_cli_format(work->cli, "{\"from\":%lld,\"to\":%lld}",
                                      (long long)from, (long long)to));
    }
    MICA_TRY(mica_cli_app_act(work, MICA_ACT_DIFFERENCE, work->words[0], body));
    if (work->json) {
        mica_cli_app_print_json(work);
        return MICA_OK;
    }
    MICA_TRY(mica_cli_app_answer(work, &answer));
    changes = mica_json_get(&answer, "changes");
    print_changes(work->cli, changes);
    if (changes->count == 0)
        mica_cli_note(work->cli, "The two are the same.\n");
    return MICA_OK;
}

// ---- usage -----------------------------------------------------------------------

static void
print_day(struct mica_cli *cli, struct mica_text day,
          const struct mica_json *numbers)
{
    static const char *const names[] = {"calls", "failures", "tokens"};

    mica_cli_print(cli, "%.*s", MICA_ARG(day));
    pad_to(cli, day.len, 10);
    for (size_t i = 0; i < MICA_COUNT(names); i++) {
        struct mica_text number = member_text(numbers, names[i]);
        pad_to(cli, number.len, 12);
        mica_cli_print(cli, "%.*s", MICA_ARG(number));
    }
    mica_cli_print(cli, "\n");
}

// {"from", "to"} of the flags.
static struct mica_text
usage_body(struct mica_cli_app *work)
{
    static const char *const names[] = {"from", "to"};
    struct mica_json_writer writer;
    struct mica_buffer body;

    mica_buffer_init(&body, &work->cli->arena, MICA_CLI_APP_BYTES);
    mica_json_writer_init(&writer, &body);
    mica_json_open_object(&writer);
    for (size_t i = 0; i < MICA_COUNT(names); i++) {
        const char *value = mica_cli_app_flag(work, names[i]);
        if (value != NULL)
            mica_json_field(&writer, names[i], mica_text(value));
    }
    mica_json_close_object(&writer);
    return mica_buffer_as_text(&body);
}

enum mica_status
mica_cli_app_usage(struct mica_cli_app *work)
{
    struct mica_cli *cli = work->cli;
    const struct mica_json *days;
    struct mica_json answer;

    MICA_TRY(mica_cli_app_act(work, MICA_ACT_USAGE, work->words[0],
                              usage_body(work)));
    if (work->json) {
        mica_cli_app_print_json(work);
        return MICA_OK;
    }
    MICA_TRY(mica_cli_app_answer(work, &answer));
    days = mica_json_get(&answer, "days");
    mica_cli_print(cli,
                   "%sday                calls    failures      tokens%s\n",
                   mica_cli_dim(cli), mica_cli_plain(cli));
    for (size_t i = 0; i < days->count; i++)
        print_day(cli, mica_json_get_text(&days->items[i], "day"),
                  &days->items[i]);
    print_day(cli, MICA_LITERAL("all"), mica_json_get(&answer, "total"));
    return MICA_OK;
}

// ---- layouts ---------------------------------------------------------------------

static void
print_part(struct mica_cli *cli, struct mica_text title,
           const struct mica_json *value)
{
    struct mica_buffer pretty;

    mica_buffer_init(&pretty, &cli->arena, MICA_CLI_APP_BYTES);
    mica_json_pretty(&pretty, value);
    mica_cli_print(cli, "\n%s%.*s%s\n", mica_cli_bold(cli), MICA_ARG(title),
                   mica_cli_plain(cli));
    mica_cli_shown_json(cli, mica_cli_whole(&pretty));
    mica_cli_print(cli, "\n");
}

static void
print_layout(struct mica_cli *cli, const struct mica_json *layout)
{
    mica_cli_print(cli, "%s%.*s%s  %.*s\n", mica_cli_bold(cli),
                   MICA_ARG(mica_json_get_text(layout, "name")),
                   mica_cli_plain(cli),
                   MICA_ARG(mica_json_get_text(layout, "title")));
    mica_cli_fill(cli, 4, mica_json_get_text(layout, "summary"));
    print_part(cli, MICA_LITERAL("schema"), mica_json_get(layout, "schema"));
    print_part(cli, MICA_LITERAL("mockData"),
               mica_json_get(layout, "mockData"));
}

static enum mica_status
show_layout(struct mica_cli_app *work, const struct mica_json *layouts)
{
    struct mica_json_writer writer;
    struct mica_buffer json;

    for (size_t i = 0; i < layouts->count; i++) {
        const struct mica_json *layout = &layouts->items[i];
        if (!mica_text_is(mica_json_get_text(layout, "name"), work->words[0]))
            continue;
        if (!work->json) {
            print_layout(work->cli, layout);
            return MICA_OK;
        }
        mica_buffer_init(&json, &work->cli->arena, MICA_CLI_APP_BYTES);
        mica_json_writer_init(&writer, &json);
        mica_json_value(&writer, layout);
        mica_cli_json_buffer(work->cli, &json);
        return MICA_OK;
    }
    return mica_error_set(work->error, MICA_E_USAGE, "",
                          "there is no layout \"%.40s\"; \"mica app layouts\" "
                          "lists those there are",
                          work->words[0]);
}

enum mica_status
mica_cli_app_layouts(struct mica_cli_app *work)
{
    const struct mica_json *layouts;
    struct mica_json answer;

    MICA_TRY(mica_cli_app_act(work, MICA_ACT_LAYOUTS, "", nothing));
    MICA_TRY(mica_cli_app_answer(work, &answer));
    layouts = mica_json_get(&answer, "layouts");
    if (work->count > 0)
        return show_layout(work, layouts);
    if (work->json) {
        mica_cli_app_print_json(work);
        return MICA_OK;
    }
    for (size_t i = 0; i < layouts->count; i++) {
        const struct mica_json *layout = &layouts->items[i];
        struct mica_text name = mica_json_get_text(layout, "name");
        mica_cli_print(work->cli, "%s%.*s%s", mica_cli_bold(work->cli),
                       MICA_ARG(name), mica_cli_plain(work->cli));
        pad_to(work->cli, name.len, LABEL_COLUMNS);
        print_rest(work->cli, LABEL_COLUMNS,
                   mica_json_get_text(layout, "summary"));
    }
    return MICA_OK;
}

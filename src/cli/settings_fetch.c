// SPDX-License-Identifier: Apache-2.0
//
// See settings_fetch.h.
#include "cli/settings_fetch.h"

#include <string.h>

#include "cli/cli_file.h"
#include "fetch/fetch_policy.h"

enum {
    CHECK_BYTES = 1 << 20
};

// One reading.
struct fetch_look {
    struct mica_cli *cli;
    struct mica_text text;
    struct mica_error *error;
};

// ---- Reading -----------------------------------------------------------------------

static enum mica_status
fetch_wrong(const struct fetch_look *look, const struct mica_toml *member,
            const char *wanted)
{
    return mica_toml_fault(look->error, MICA_E_TYPE, look->text, member->offset,
                           "fetch.%.*s takes %s, not %s",
                           MICA_ARG(member->name), wanted,
                           mica_toml_kind_name(member->kind));
}

static enum mica_status
take_word(const struct fetch_look *look, const struct mica_toml *value,
          const char **word_out)
{
    if (memchr(value->text.ptr, '\0', value->text.len) != NULL)
        return mica_toml_fault(look->error, MICA_E_FORMAT, look->text,
                               value->offset, "[fetch] takes no U+0000");
    *word_out = mica_cli_format(look->cli, "%.*s", MICA_ARG(value->text));
    return MICA_OK;
}

static enum mica_status
take_origins(const struct fetch_look *look, const struct mica_toml *member,
             const char *const **list_out)
{
    const char **list;
    size_t count = 0;

    if (member->kind != MICA_TOML_ARRAY)
        return fetch_wrong(look, member, "a list of origins");
    list = mica_arena_zero(&look->cli->arena, member->count + 1, sizeof *list);
    if (list == NULL)
        return mica_error_set(look->error, MICA_E_LIMIT, "", "no memory");
    for (const struct mica_toml *item = member->items; item != NULL;
         item = item->next) {
        if (item->kind != MICA_TOML_STRING)
            return fetch_wrong(look, member, "a list of origins");
        MICA_TRY(take_word(look, item, &list[count++]));
    }
    *list_out = list;
    return MICA_OK;
}

static enum mica_status
take_secrets(const struct fetch_look *look, const struct mica_toml *member,
             struct mica_fetch_options *options)
{
    struct mica_fetch_secret *secrets;

    if (member->kind != MICA_TOML_TABLE)
        return fetch_wrong(look, member,
                           "a table like { API_TOKEN = \"https://…\" }");
    secrets =
        mica_arena_zero(&look->cli->arena, member->count + 1, sizeof *secrets);
    if (secrets == NULL)
        return mica_error_set(look->error, MICA_E_LIMIT, "", "no memory");
    options->secrets = secrets;
    for (const struct mica_toml *one = member->items; one != NULL;
         one = one->next) {
        struct mica_fetch_secret *secret = &secrets[options->secret_count++];
        if (one->kind != MICA_TOML_STRING)
            return mica_toml_fault(look->error, MICA_E_TYPE, look->text,
                                   one->offset,
                                   "a secret takes the origin that it is sent "
                                   "to, in quotes");
        secret->name = mica_cli_format(look->cli, "%.*s", MICA_ARG(one->name));
        MICA_TRY(take_word(look, one, &secret->origin));
    }
    return MICA_OK;
}

static enum mica_status
take_member(const struct fetch_look *look, const struct mica_toml *member,
            struct mica_fetch_options *options)
{
    if (mica_text_is(member->name, "allow"))
        return take_origins(look, member, &options->allow);
    if (mica_text_is(member->name, "private"))
        return take_origins(look, member, &options->is_private);
    if (mica_text_is(member->name, "secrets"))
        return take_secrets(look, member, options);
    if (mica_text_is(member->name, "proxy"))
        return member->kind == MICA_TOML_STRING
                   ? take_word(look, member, &options->proxy)
                   : fetch_wrong(look, member, "an origin in quotes");
    return mica_toml_fault(look->error, MICA_E_UNKNOWN, look->text,
                           member->name_offset,
                           "[fetch] has no key %.*s, but allow, private, "
                           "secrets and proxy",
                           MICA_ARG(member->name));
}

// What only the policy can say, at the member that was read last.
static enum mica_status
check_member(const struct fetch_look *look, const struct mica_toml *member,
             const struct mica_fetch_options *options)
{
    struct mica_fetch_policy policy;
    struct mica_arena arena;
    enum mica_status status;

    mica_arena_init(&arena, CHECK_BYTES);
    status = mica_fetch_policy_make(options, &arena, look->error, &policy);
    mica_arena_fini(&arena);
    if (status == MICA_OK)
        return MICA_OK;
    mica_error_prefix(look->error, "[fetch]");
    mica_toml_locate(look->error, look->text, member->offset);
    return status;
}

enum mica_status
mica_fetch_settings_read(struct mica_cli *cli, const struct mica_toml *table,
                         struct mica_text text, struct mica_error *error,
                         const struct mica_fetch_settings **settings_out)
{
    const struct fetch_look look = {.cli = cli, .text = text, .error = error};
    struct mica_fetch_settings *settings =
        mica_arena_zero(&cli->arena, 1, sizeof *settings);

    if (settings == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    settings->line = mica_toml_line(text, table->name_offset);
    for (const struct mica_toml *member = table->items; member != NULL;
         member = member->next) {
        MICA_TRY(take_member(&look, member, &settings->options));
        MICA_TRY(check_member(&look, member, &settings->options));
    }
    *settings_out = settings;
    return MICA_OK;
}

// SPDX-License-Identifier: Apache-2.0
//
// See settings_providers.h.
#include "cli/settings_providers.h"

#include <string.h>

#include "cli/cli_file.h"

#define PROVIDER_KEYS                                                         \
    "type, url, model, key_env, key_file, key_credential, private, proxy, "   \
    "ca_file, structure, stream, max_tokens, seconds, concurrent, attempts, " \
    "sampling and drafting"

// What a provider says of drafts of apps.
enum drafting {
    DRAFTING_UNSAID,
    DRAFTING_REFUSED,
    DRAFTING_WANTED
};

// One reading.
struct provider_look {
    struct mica_cli *cli;
    struct mica_text text;
    struct mica_error *error;
    struct mica_provider_settings *settings;
    enum drafting *drafting; // of each provider
};

static const char *const type_names[] = {
    [MICA_MODEL_OPENAI] = "openai", [MICA_MODEL_ANTHROPIC] = "anthropic"};
static const char *const structure_names[] = {[MICA_MODEL_BY_SCHEMA] = "schema",
                                              [MICA_MODEL_BY_TOOL] = "tool",
                                              [MICA_MODEL_BY_PROMPT] =
                                                  "prompt"};

const char *
mica_provider_type_name(enum mica_model_type type)
{
    return type_names[type];
}

const char *
mica_provider_structure_name(enum mica_model_structure structure)
{
    return structure_names[structure];
}

const char *
mica_provider_key_place(struct mica_cli *cli,
                        const struct mica_model_provider_options *provider)
{
    if (provider->key_env != NULL)
        return mica_cli_format(cli, "variable %s", provider->key_env);
    if (provider->key_file != NULL)
        return mica_cli_format(cli, "file %s", provider->key_file);
    if (provider->key_credential != NULL)
        return mica_cli_format(cli, "credential %s", provider->key_credential);
    return "no key";
}

// ---- Members -----------------------------------------------------------------------

static enum mica_status
provider_wrong(const struct provider_look *look, const struct mica_toml *member,
               const char *wanted)
{
    return mica_toml_fault(look->error, MICA_E_TYPE, look->text, member->offset,
                           "%.*s of a provider takes %s, not %s",
                           MICA_ARG(member->name), wanted,
                           mica_toml_kind_name(member->kind));
}

static enum mica_status
take_text(const struct provider_look *look, const struct mica_toml *member,
          const char **text_out)
{
    if (member->kind != MICA_TOML_STRING)
        return provider_wrong(look, member, "a text in quotes");
    if (memchr(member->text.ptr, '\0', member->text.len) != NULL)
        return mica_toml_fault(look->error, MICA_E_FORMAT, look->text,
                               member->offset, "a provider takes no U+0000");
    *text_out = mica_cli_format(look->cli, "%.*s", MICA_ARG(member->text));
    return MICA_OK;
}

// One of some names; its index.
static enum mica_status
take_choice(const struct provider_look *look, const struct mica_toml *member,
            const char *const *names, size_t count, const char *wanted,
            size_t *index_out)
{
    for (size_t i = 0; member->kind == MICA_TOML_STRING && i < count; i++) {
        if (!mica_text_is(member->text, names[i]))
            continue;
        *index_out = i;
        return MICA_OK;
    }
    if (member->kind != MICA_TOML_STRING)
        return provider_wrong(look, member, wanted);
    return mica_toml_fault(look->error, MICA_E_CHOICE, look->text,
                           member->offset, "%.*s of a provider takes %s",
                           MICA_ARG(member->name), wanted);
}

static enum mica_status
take_switch(const struct provider_look *look, const struct mica_toml *member,
            bool *switch_out)
{
    if (member->kind != MICA_TOML_BOOLEAN)
        return provider_wrong(look, member, "true or false");
    *switch_out = member->boolean;
    return MICA_OK;
}

static enum mica_status
take_number(const struct provider_look *look, const struct mica_toml *member,
            unsigned most, unsigned *number_out)
{
    if (member->kind != MICA_TOML_INTEGER)
        return provider_wrong(look, member, "a whole number");
    if (member->integer < 1 || member->integer > (int64_t)most)
        return mica_toml_fault(
            look->error, MICA_E_RANGE, look->text, member->offset,
            "%.*s of a provider takes 1 to %u, not %lld",
            MICA_ARG(member->name), most, (long long)member->integer);
    *number_out = (unsigned)member->integer;
    return MICA_OK;
}

// The texts and numbers, which need no thought.
static bool
take_plain(const struct provider_look *look, const struct mica_toml *member,
           struct mica_model_provider_options *provider,
           enum mica_status *status_out)
{
    const struct {
        const char *name;
        const char **text;
        unsigned *number, most;
    } members[] = {
        {"url", &provider->url, NULL, 0},
        {"model", &provider->model, NULL, 0},
        {"key_env", &provider->key_env, NULL, 0},
        {"key_file", &provider->key_file, NULL, 0},
        {"key_credential", &provider->key_credential, NULL, 0},
        {"proxy", &provider->proxy, NULL, 0},
        {"ca_file", &provider->ca_file, NULL, 0},
        {"max_tokens", NULL, &provider->max_tokens, MICA_MODEL_MOST_TOKENS},
        {"seconds", NULL, &provider->seconds, MICA_MODEL_MOST_SECONDS},
        {"concurrent", NULL, &provider->concurrent, MICA_MODEL_CALLS},
        {"attempts", NULL, &provider->attempts, MICA_MODEL_MOST_ATTEMPTS}};

    for (size_t i = 0; i < MICA_COUNT(members); i++) {
        if (!mica_text_is(member->name, members[i].name))
            continue;
        *status_out =
            members[i].text != NULL
                ? take_text(look, member, members[i].text)
                : take_number(look, member, members[i].most, members[i].number);
        return true;
    }
    return false;
}

static enum mica_status
take_stream(const struct provider_look *look, const struct mica_toml *member,
            struct mica_model_provider_options *provider)
{
    bool stream = true;

    MICA_TRY(take_switch(look, member, &stream));
    provider->no_stream = !stream;
    return MICA_OK;
}

static enum mica_status
take_sampling(const struct provider_look *look, const struct mica_toml *member,
              const struct mica_model_provider_options *provider)
{
    bool sampling = false;

    MICA_TRY(take_switch(look, member, &sampling));
    if (sampling && look->settings->sampling != NULL)
        return mica_toml_fault(look->error, MICA_E_DUPLICATE, look->text,
                               member->offset,
                               "one provider answers for clients without a "
                               "model; %s does so already",
                               look->settings->sampling);
    if (sampling)
        look->settings->sampling = provider->name;
    return MICA_OK;
}

static enum mica_status
take_drafting(const struct provider_look *look, const struct mica_toml *member)
{
    const size_t count = look->settings->options.count;
    bool drafting = false;

    MICA_TRY(take_switch(look, member, &drafting));
    for (size_t i = 0; drafting && i + 1 < count; i++)
        if (look->drafting[i] == DRAFTING_WANTED)
            return mica_toml_fault(
                look->error, MICA_E_DUPLICATE, look->text, member->offset,
                "one provider drafts apps; %s does so already",
                look->settings->options.providers[i].name);
    look->drafting[count - 1] = drafting ? DRAFTING_WANTED : DRAFTING_REFUSED;
    return MICA_OK;
}

static enum mica_status
take_member(const struct provider_look *look, const struct mica_toml *member,
            struct mica_model_provider_options *provider)
{
    enum mica_status status;
    size_t index = 0;

    if (take_plain(look, member, provider, &status))
        return status;
    if (mica_text_is(member->name, "type")) {
        MICA_TRY(take_choice(look, member, type_names, MICA_COUNT(type_names),
                             "\"openai\" or \"anthropic\"", &index));
        provider->type = (enum mica_model_type)index;
        return MICA_OK;
    }
    if (mica_text_is(member->name, "structure")) {
        MICA_TRY(take_choice(look, member, structure_names,
                             MICA_COUNT(structure_names),
                             "\"schema\", \"tool\" or \"prompt\"", &index));
        provider->structure = (enum mica_model_structure)index;
        return MICA_OK;
    }
    if (mica_text_is(member->name, "private"))
        return take_switch(look, member, &provider->is_private);
    if (mica_text_is(member->name, "stream"))
        return take_stream(look, member, provider);
    if (mica_text_is(member->name, "sampling"))
        return take_sampling(look, member, provider);
    if (mica_text_is(member->name, "drafting"))
        return take_drafting(look, member);
    return mica_toml_fault(look->error, MICA_E_UNKNOWN, look->text,
                           member->name_offset,
                           "a provider has no key %.*s, but " PROVIDER_KEYS
                           ". A key of the service does not belong into this "
                           "file: key_env, key_file or key_credential says "
                           "where it is",
                           MICA_ARG(member->name));
}

// ---- Tables ------------------------------------------------------------------------

static enum mica_status
take_provider(const struct provider_look *look, const struct mica_toml *table,
              struct mica_model_provider_options *provider)
{
    if (table->kind != MICA_TOML_TABLE)
        return mica_toml_fault(look->error, MICA_E_TYPE, look->text,
                               table->offset, "a provider is a table, not %s",
                               mica_toml_kind_name(table->kind));
    provider->name = mica_cli_format(look->cli, "%.*s", MICA_ARG(table->name));
    if (mica_toml_member(table, MICA_LITERAL("type")) == NULL ||
        mica_toml_member(table, MICA_LITERAL("model")) == NULL)
        return mica_toml_fault(look->error, MICA_E_REQUIRED, look->text,
                               table->name_offset,
                               "the provider %s needs a type, \"openai\" or "
                               "\"anthropic\", and a model",
                               provider->name);
    for (const struct mica_toml *member = table->items; member != NULL;
         member = member->next)
        MICA_TRY(take_member(look, member, provider));
    return MICA_OK;
}

// What only the model part can say, at the provider that was read last.
static enum mica_status
check_providers(const struct provider_look *look, const struct mica_toml *table)
{
    enum mica_status status =
        mica_models_check(&look->settings->options, look->error);

    if (status == MICA_OK)
        return MICA_OK;
    mica_error_prefix(look->error, "[providers.%.*s]", MICA_ARG(table->name));
    mica_toml_locate(look->error, look->text, table->name_offset);
    return status;
}

// The one that is wanted; else the one that samples, or the first, of those that do not
// refuse.
static void
drafting_choose(const struct provider_look *look)
{
    struct mica_provider_settings *settings = look->settings;
    unsigned best = 0;

    for (size_t i = 0; i < settings->options.count; i++) {
        const char *name = settings->options.providers[i].name;
        unsigned rank = look->drafting[i] == DRAFTING_WANTED    ? 3
                        : look->drafting[i] == DRAFTING_REFUSED ? 0
                        : settings->sampling == name            ? 2
                                                                : 1;
        if (rank <= best)
            continue;
        best = rank;
        settings->drafting = name;
    }
}

enum mica_status
mica_provider_settings_read(struct mica_cli *cli, const struct mica_toml *table,
                            struct mica_text text, struct mica_error *error,
                            const struct mica_provider_settings **settings_out)
{
    struct mica_provider_settings *settings =
        mica_arena_zero(&cli->arena, 1, sizeof *settings);
    struct mica_model_provider_options *providers =
        mica_arena_zero(&cli->arena, table->count + 1, sizeof *providers);
    struct provider_look look = {
        .cli = cli, .text = text, .error = error, .settings = settings};

    if (settings == NULL || providers == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    settings->lines =
        mica_arena_zero(&cli->arena, table->count + 1, sizeof(size_t));
    look.drafting =
        mica_arena_zero(&cli->arena, table->count + 1, sizeof *look.drafting);
    if (settings->lines == NULL || look.drafting == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    settings->options.providers = providers;
    for (const struct mica_toml *one = table->items; one != NULL;
         one = one->next) {
        size_t at = settings->options.count++;
        settings->lines[at] = mica_toml_line(text, one->name_offset);
        MICA_TRY(take_provider(&look, one, &providers[at]));
        MICA_TRY(check_providers(&look, one));
    }
    drafting_choose(&look);
    *settings_out = settings;
    return MICA_OK;
}

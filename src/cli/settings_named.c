// SPDX-License-Identifier: Apache-2.0
//
// What the files that mica.toml names may name themselves. They came with the folder as
// mica.toml did, so they lead out of it no more than that does.
#include <string.h>

#include "cli/cli_file.h"
#include "cli/settings.h"

enum {
    NAMED_BYTES = 1 << 20, // of such a file
    NAMED_ARENA_BYTES = 16 << 20
};

// One such file.
struct named {
    struct mica_cli *cli;
    const char *path;
    struct mica_error *error;
};

// ---- Paths -------------------------------------------------------------------------

static enum mica_status
named_refuse(const struct named *named, const char *member)
{
    mica_error_prefix(named->error,
                      "%s, which " MICA_SETTINGS_FILE " names: %s", named->path,
                      member);
    return named->error->status;
}

// `folder` is where the path of that member begins, with a slash behind it, or empty.
static enum mica_status
check_path(const struct named *named, const char *member,
           struct mica_text folder, struct mica_text path)
{
    const char *whole;

    if (path.len == 0)
        return MICA_OK;
    whole = path.ptr[0] == '/'
                ? mica_cli_format(named->cli, "%.*s", MICA_ARG(path))
                : mica_cli_format(named->cli, "%.*s%.*s", MICA_ARG(folder),
                                  MICA_ARG(path));
    return mica_check_inside(whole, named->error) == MICA_OK
               ? MICA_OK
               : named_refuse(named, member);
}

// ---- auth.file ---------------------------------------------------------------------

// Its key files are keys of the server; a variable is not of the folder at all, and mica
// would send its value to the issuer.
static enum mica_status
check_auth(const struct named *named, const struct mica_json *file)
{
    const char *slash = strrchr(named->path, '/');
    struct mica_text folder = {
        named->path, slash != NULL ? (size_t)(slash - named->path) + 1 : 0};
    const struct mica_json *issuers = mica_json_get(file, "issuers");
    const struct mica_json *login = mica_json_get(file, "login");

    for (size_t i = 0; issuers != NULL && issuers->kind == MICA_JSON_ARRAY &&
                       i < issuers->count;
         i++) {
        struct mica_text keys = mica_json_get_text(&issuers->items[i], "jwks");
        if (!mica_text_starts(keys, "https://") &&
            !mica_text_starts(keys, "http://"))
            MICA_TRY(check_path(named, "jwks", folder, keys));
    }
    MICA_TRY(check_path(named, "client_secret_file", folder,
                        mica_json_get_text(login, "client_secret_file")));
    if (mica_json_get_text(login, "client_secret_env").len == 0)
        return MICA_OK;
    (void)mica_error_set(named->error, MICA_E_TRUST, "",
                         "a variable of the environment is not of this folder; "
                         "name the file by --auth or MICA_AUTH_FILE");
    return named_refuse(named, "client_secret_env");
}

// ---- rules.file --------------------------------------------------------------------

static enum mica_status
check_rules(const struct named *named, const struct mica_json *file)
{
    return check_path(named, "audit.file", MICA_LITERAL(""),
                      mica_json_get_text(mica_json_get(file, "audit"), "file"));
}

// ---- Both --------------------------------------------------------------------------

// A value that cannot be read is refused where it is read for its use.
static enum mica_status
check_named(const struct named *named,
            enum mica_status (*check)(const struct named *named,
                                      const struct mica_json *file))
{
    struct mica_cli_file file;
    struct mica_error ignored;
    struct mica_arena arena;
    struct mica_json json;
    enum mica_status status = MICA_OK;

    if (mica_cli_file_look(named->cli, named->path, &ignored, &file) !=
            MICA_OK ||
        file.text.len > NAMED_BYTES)
        return MICA_OK;
    mica_arena_init(&arena, NAMED_ARENA_BYTES);
    if (mica_json_read(&arena, file.text, NULL, NULL, &json) == MICA_OK &&
        json.kind == MICA_JSON_OBJECT)
        status = check(named, &json);
    mica_arena_fini(&arena);
    return status;
}

enum mica_status
mica_settings_check_named(struct mica_cli *cli,
                          const struct mica_options *options,
                          struct mica_error *error)
{
    static const struct {
        const char *flag;
        enum mica_status (*check)(const struct named *named,
                                  const struct mica_json *file);
    } all[] = {{"auth", check_auth}, {"rules", check_rules}};

    for (size_t i = 0; i < MICA_COUNT(all); i++) {
        const struct mica_given *given =
            mica_options_last(options, all[i].flag);
        const struct named named = {.cli = cli,
                                    .path = given != NULL ? given->value : NULL,
                                    .error = error};
        if (named.path != NULL && given->by == MICA_BY_FILE)
            MICA_TRY(check_named(&named, all[i].check));
    }
    return MICA_OK;
}

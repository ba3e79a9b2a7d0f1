// SPDX-License-Identifier: Apache-2.0
//
// See server_icons.h. A file is known by its ending, as the page and the clients get
// its type from it.
#include "cli/server_icons.h"

#include <string.h>

#include "base/words.h"
#include "build/files.h"
#include "cli/cli_file.h"
#include "cli/settings.h"

// What may stand behind a source, and its member in the file.
static const char *const parts[] = {"sizes", "type", "theme"};

// ---- In the file -------------------------------------------------------------------

// One list that is checked.
struct icon_list {
    struct mica_text text;
    struct mica_error *error;
};

static bool
has_blank(struct mica_text text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] <= ' ')
            return true;
    return text.len == 0;
}

static enum mica_status
check_source(const struct icon_list *list, const struct mica_toml *source)
{
    char path[PATH_MAX];
    enum mica_status status;

    if (source->kind != MICA_TOML_STRING)
        return mica_toml_fault(list->error, MICA_E_TYPE, list->text,
                               source->offset,
                               "the source of an icon is a text, not %s",
                               mica_toml_kind_name(source->kind));
    if (has_blank(source->text) || source->text.len >= sizeof path)
        return mica_toml_fault(list->error, MICA_E_FORMAT, list->text,
                               source->offset,
                               "the source of an icon is a path or an address "
                               "without blanks");
    if (mica_text_starts(source->text, "https://"))
        return MICA_OK;
    memcpy(path, source->text.ptr, source->text.len);
    path[source->text.len] = '\0';
    status = mica_check_inside(path, list->error);
    if (status != MICA_OK)
        mica_toml_locate(list->error, list->text, source->offset);
    return status;
}

static enum mica_status
check_part(const struct icon_list *list, const struct mica_toml *member)
{
    if (mica_text_is(member->name, "src"))
        return check_source(list, member);
    for (size_t i = 0; i < MICA_COUNT(parts); i++) {
        if (!mica_text_is(member->name, parts[i]))
            continue;
        if (member->kind == MICA_TOML_STRING &&
            memchr(member->text.ptr, ',', member->text.len) == NULL &&
            memchr(member->text.ptr, '\0', member->text.len) == NULL)
            return MICA_OK;
        return mica_toml_fault(list->error, MICA_E_TYPE, list->text,
                               member->offset, "%s of an icon is a text",
                               parts[i]);
    }
    return mica_toml_fault(list->error, MICA_E_UNKNOWN, list->text,
                           member->name_offset,
                           "an icon has no key %.*s, but src, sizes, type and "
                           "theme",
                           MICA_ARG(member->name));
}

static enum mica_status
check_icon(const struct icon_list *list, const struct mica_toml *icon)
{
    if (icon->kind != MICA_TOML_TABLE)
        return check_source(list, icon);
    if (mica_toml_member(icon, MICA_LITERAL("src")) == NULL)
        return mica_toml_fault(list->error, MICA_E_REQUIRED, list->text,
                               icon->offset, "this icon has no src");
    for (const struct mica_toml *member = icon->items; member != NULL;
         member = member->next)
        MICA_TRY(check_part(list, member));
    return MICA_OK;
}

enum mica_status
mica_server_icons_check(const struct mica_toml *list, struct mica_text text,
                        struct mica_error *error)
{
    const struct icon_list look = {.text = text, .error = error};

    if (list->kind != MICA_TOML_ARRAY)
        return mica_toml_fault(error, MICA_E_TYPE, text, list->offset,
                               "icons takes a list, like [\"icon.svg\"], not "
                               "%s",
                               mica_toml_kind_name(list->kind));
    if (list->count > MICA_SERVER_ICONS)
        return mica_toml_fault(error, MICA_E_LIMIT, text, list->offset,
                               "a server has at most %d icons",
                               MICA_SERVER_ICONS);
    for (const struct mica_toml *icon = list->items; icon != NULL;
         icon = icon->next)
        MICA_TRY(check_icon(&look, icon));
    return MICA_OK;
}

// "sizes=16x16,32x32": blanks become commas.
static void
write_part(struct mica_buffer *words, const char *name, struct mica_text value)
{
    mica_buffer_format(words, " %s=", name);
    for (size_t i = 0; i < value.len; i++)
        mica_buffer_char(words, value.ptr[i] == ' ' ? ',' : value.ptr[i]);
}

const char *
mica_server_icons_words(struct mica_cli *cli, const struct mica_toml *list)
{
    struct mica_buffer words;

    mica_buffer_init(&words, &cli->arena, MICA_SETTINGS_BYTES);
    for (const struct mica_toml *icon = list->items; icon != NULL;
         icon = icon->next) {
        bool table = icon->kind == MICA_TOML_TABLE;
        const struct mica_toml *source =
            table ? mica_toml_member(icon, MICA_LITERAL("src")) : icon;
        if (words.len > 0)
            mica_buffer_char(&words, ' ');
        mica_buffer_text(&words, source->text);
        for (size_t i = 0; table && i < MICA_COUNT(parts); i++) {
            const struct mica_toml *part =
                mica_toml_member(icon, mica_text(parts[i]));
            if (part != NULL)
                write_part(&words, parts[i], part->text);
        }
    }
    mica_buffer_char(&words, '\0');
    return words.overflow ? "" : words.ptr;
}

// ---- From words --------------------------------------------------------------------

static const char *
type_of(struct mica_text path)
{
    static const struct {
        const char *ending, *type;
    } types[] = {{".svg", "image/svg+xml"},
                 {".png", "image/png"},
                 {".webp", "image/webp"},
                 {".jpg", "image/jpeg"},
                 {".jpeg", "image/jpeg"}};

    for (size_t i = 0; i < MICA_COUNT(types); i++) {
        size_t length = strlen(types[i].ending);
        if (path.len > length &&
            memcmp(path.ptr + path.len - length, types[i].ending, length) == 0)
            return types[i].type;
    }
    return NULL;
}

static enum mica_status
load_file(struct mica_cli *cli, const char *path, struct mica_error *error,
          struct mica_icon *icon)
{
    const char *type = type_of(mica_text(path));
    struct mica_buffer uri;
    struct mica_text bytes;

    if (type == NULL)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "%s is no icon: its name ends with .svg, .png, "
                              ".webp, .jpg or .jpeg, or it is an https:// "
                              "address",
                              path);
    MICA_TRY(mica_file_read(&cli->arena, path, error, &bytes));
    if (bytes.len > MICA_SERVER_ICON_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "%s has %zu bytes; every client gets it, so an "
                              "icon has at most %d",
                              path, bytes.len, MICA_SERVER_ICON_BYTES);
    mica_buffer_init(&uri, &cli->arena, (size_t)2 * MICA_SERVER_ICON_BYTES);
    mica_buffer_format(&uri, "data:%s;base64,", type);
    mica_base64_write(&uri, bytes.ptr, bytes.len);
    mica_buffer_char(&uri, '\0');
    if (uri.overflow)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    icon->src = uri.ptr;
    icon->mime_type = type;
    return MICA_OK;
}

// Is it 48x48 and so on, or "any"?
static bool
are_sizes(struct mica_text sizes)
{
    struct mica_text size;

    while (mica_words_next(&sizes, &size)) {
        const char *cross = memchr(size.ptr, 'x', size.len);
        if (mica_text_is(size, "any"))
            continue;
        if (cross == NULL || cross == size.ptr ||
            cross == size.ptr + size.len - 1)
            return false;
        for (const char *at = size.ptr; at < size.ptr + size.len; at++)
            if (at != cross && (*at < '0' || *at > '9'))
                return false;
    }
    return true;
}

// What belongs to the last source. False: the word is a source itself.
static bool
take_part(struct mica_cli *cli, struct mica_text word, struct mica_icon *icon)
{
    const char **values[] = {&icon->sizes, &icon->mime_type, &icon->theme};

    for (size_t i = 0; i < MICA_COUNT(parts); i++) {
        size_t length = strlen(parts[i]);
        if (word.len <= length || word.ptr[length] != '=' ||
            memcmp(word.ptr, parts[i], length) != 0)
            continue;
        struct mica_text value = mica_arena_text(
            &cli->arena, mica_text_slice(word, length + 1, word.len));
        struct mica_buffer copy;
        mica_buffer_init(&copy, &cli->arena, word.len + 1);
        for (size_t j = 0; j < value.len; j++)
            mica_buffer_char(&copy, value.ptr[j] == ',' ? ' ' : value.ptr[j]);
        mica_buffer_char(&copy, '\0');
        *values[i] = copy.ptr;
        return true;
    }
    return false;
}

static enum mica_status
take_source(struct mica_cli *cli, struct mica_text word,
            struct mica_error *error, struct mica_icon *icon)
{
    const char *source = mica_cli_format(cli, "%.*s", MICA_ARG(word));

    if (!mica_text_starts(word, "https://"))
        return load_file(cli, source, error, icon);
    icon->src = source;
    return MICA_OK;
}

static enum mica_status
icon_check(const struct mica_icon *icon, struct mica_error *error)
{
    if (icon->sizes != NULL && !are_sizes(mica_text(icon->sizes)))
        return mica_error_set(error, MICA_E_USAGE, "",
                              "the sizes of an icon are like 48x48 or any, not "
                              "\"%s\"",
                              icon->sizes);
    if (icon->theme != NULL && strcmp(icon->theme, "light") != 0 &&
        strcmp(icon->theme, "dark") != 0)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "the theme of an icon is light or dark, not "
                              "\"%s\"",
                              icon->theme);
    return MICA_OK;
}

enum mica_status
mica_server_icons_load(struct mica_cli *cli, const char *words,
                       struct mica_error *error,
                       const struct mica_icon **icons_out, size_t *count_out)
{
    struct mica_icon *icons =
        mica_arena_zero(&cli->arena, MICA_SERVER_ICONS, sizeof *icons);
    struct mica_text rest = mica_text(words), word;
    size_t count = 0;

    if (icons == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    while (mica_words_next(&rest, &word)) {
        if (count > 0 && take_part(cli, word, &icons[count - 1]))
            continue;
        if (count == MICA_SERVER_ICONS)
            return mica_error_set(error, MICA_E_LIMIT, "",
                                  "a server has at most %d icons",
                                  MICA_SERVER_ICONS);
        MICA_TRY(take_source(cli, word, error, &icons[count++]));
    }
    for (size_t i = 0; i < count; i++)
        MICA_TRY(icon_check(&icons[i], error));
    *icons_out = icons;
    *count_out = count;
    return MICA_OK;
}

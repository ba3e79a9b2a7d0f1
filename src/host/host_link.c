// SPDX-License-Identifier: Apache-2.0
//
// Links and files that a view hands to its host. web/host/links.js has the same rules.
#include "host/host_peer.h"

#include <string.h>

#include "base/ascii.h"

enum {
    NAME_CHARACTERS = 255,
    NAME_BYTES = 4 * NAME_CHARACTERS + 4
};

// ---- Links -----------------------------------------------------------------------

// White space as \s of ECMAScript has it, beyond ASCII.
static bool
is_wide_space(uint32_t code)
{
    return code == 0xa0 || code == 0x1680 ||
           (code >= 0x2000 && code <= 0x200a) || code == 0x202f ||
           code == 0x205f || code == 0x3000 || code == 0xfeff;
}

static bool
has_hidden_or_blank(const struct mica_regex *hidden, struct mica_text text)
{
    while (text.len > 0) {
        uint32_t code = mica_text_next(&text);
        if (code <= ' ' || is_wide_space(code) ||
            mica_host_is_hidden(hidden, code))
            return true;
    }
    return false;
}

bool
mica_host_link_is_safe(const struct mica_regex *hidden, struct mica_text url)
{
    // The scheme, and whether a host name follows.
    static const struct {
        const char *prefixz;
        bool named;
    } schemes[] = {{"https://", true}, {"http://", true}, {"mailto:", false}};

    if (url.len > MICA_HOST_LINK_BYTES || has_hidden_or_blank(hidden, url))
        return false;
    for (size_t i = 0; i < MICA_COUNT(schemes); i++) {
        size_t size = strlen(schemes[i].prefixz);
        if (url.len <= size ||
            !mica_ascii_same(url.ptr, schemes[i].prefixz, size))
            continue;
        return !schemes[i].named || memchr("/?#\\@:", url.ptr[size], 6) == NULL;
    }
    return false;
}

// ---- Files -----------------------------------------------------------------------

// The text with %XX as bytes, if the outcome is UTF-8; else as it is.
static struct mica_text
percent_decoded(struct mica_text text, char room[NAME_BYTES])
{
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++) {
        int high, low;
        if (len == NAME_BYTES)
            return text;
        if (text.ptr[i] != '%') {
            room[len++] = text.ptr[i];
            continue;
        }
        high = i + 2 < text.len ? mica_ascii_hex(text.ptr[i + 1]) : -1;
        low = i + 2 < text.len ? mica_ascii_hex(text.ptr[i + 2]) : -1;
        if (high < 0 || low < 0)
            return text;
        room[len++] = (char)(high * 16 + low);
        i += 2;
    }
    return mica_utf8_valid((struct mica_text){room, len}) == len
               ? (struct mica_text){room, len}
               : text;
}

// What stands behind the last slash, backslash or colon, without what file systems refuse.
static void
write_last_part(const struct mica_regex *hidden, struct mica_text text,
                struct mica_buffer *out)
{
    char room[NAME_BYTES];
    struct mica_buffer name = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    struct mica_text part;
    size_t begin = 0, len = 0;
    bool dots = true;

    for (size_t i = 0; i < text.len; i++)
        if (memchr("/\\:", text.ptr[i], 3) != NULL)
            begin = i + 1;
    mica_host_shown(hidden, mica_text_slice(text, begin, text.len),
                    NAME_CHARACTERS, &name);
    for (size_t i = 0; i < name.len; i++)
        if (memchr("\n\t<>\"|?*", room[i], 8) == NULL)
            room[len++] = room[i];
    part = (struct mica_text){room, len};
    while (part.len > 0 && part.ptr[0] == ' ')
        part = mica_text_slice(part, 1, part.len);
    while (part.len > 0 && part.ptr[part.len - 1] == ' ')
        part.len--;
    for (size_t i = 0; i < part.len; i++)
        dots = dots && part.ptr[i] == '.';
    mica_buffer_text(out, dots ? MICA_LITERAL("download") : part);
}

static void
write_name(const struct mica_regex *hidden, const struct mica_json *content,
           struct mica_buffer *out)
{
    char room[NAME_BYTES];
    const struct mica_json *resource = mica_json_get(content, "resource");
    struct mica_text text = resource != NULL
                                ? mica_json_get_text(resource, "uri")
                                : mica_json_get_text(content, "name");
    size_t end = 0;

    while (end < text.len && text.ptr[end] != '?' && text.ptr[end] != '#')
        end++;
    text = mica_text_slice(text, 0, end);
    // A path may be of any length; its last part is what counts.
    if (text.len > NAME_BYTES) {
        size_t cut = text.len - NAME_BYTES;
        while (cut < text.len && ((unsigned char)text.ptr[cut] & 0xc0) == 0x80)
            cut++;
        text = mica_text_slice(text, cut, text.len);
    }
    write_last_part(hidden, percent_decoded(text, room), out);
}

void
mica_host_safe_downloads(const struct mica_regex *hidden,
                         const struct mica_json *contents,
                         struct mica_json_writer *writer)
{
    char room[NAME_BYTES];

    mica_json_open_array(writer);
    for (size_t i = 0; i < contents->count; i++) {
        const struct mica_json *content = &contents->items[i];
        struct mica_buffer name = {
            .ptr = room, .capacity = sizeof room, .max = sizeof room};
        if (!mica_text_is(mica_json_get_text(content, "type"),
                          "resource_link")) {
            mica_json_value(writer, content);
            continue;
        }
        write_name(hidden, content, &name);
        mica_json_open_object(writer);
        for (size_t k = 0; k < content->count; k++) {
            if (mica_text_is(content->members[k].name, "name"))
                continue;
            mica_json_name_text(writer, content->members[k].name);
            mica_json_value(writer, &content->members[k].value);
        }
        mica_json_field(writer, "name", mica_buffer_as_text(&name));
        mica_json_close_object(writer);
    }
    mica_json_close_array(writer);
}

void
mica_host_download_name(struct mica_host *host, const struct mica_json *content,
                        struct mica_buffer *out)
{
    write_name(&host->hidden, content, out);
}

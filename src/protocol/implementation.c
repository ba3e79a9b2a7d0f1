// SPDX-License-Identifier: Apache-2.0
//
// Writes an Implementation, and icons, in the form of a revision.
#include "protocol/implementation.h"

#include "base/words.h"

static void
optional_field(struct mica_json_writer *writer, const char *namez,
               const char *textz)
{
    if (textz != NULL)
        mica_json_field(writer, namez, mica_text(textz));
}

static void
write_sizes(struct mica_json_writer *writer, struct mica_text words)
{
    struct mica_text word;

    mica_json_name(writer, "sizes");
    mica_json_open_array(writer);
    while (mica_words_next(&words, &word))
        mica_json_string(writer, word);
    mica_json_close_array(writer);
}

void
mica_icons_write(struct mica_json_writer *writer, const struct mica_icon *icons,
                 size_t count)
{
    mica_json_open_array(writer);
    for (size_t i = 0; i < count; i++) {
        mica_json_open_object(writer);
        mica_json_field(writer, "src", mica_text(icons[i].src));
        optional_field(writer, "mimeType", icons[i].mime_type);
        if (icons[i].sizes != NULL)
            write_sizes(writer, mica_text(icons[i].sizes));
        optional_field(writer, "theme", icons[i].theme);
        mica_json_close_object(writer);
    }
    mica_json_close_array(writer);
}

void
mica_implementation_write(struct mica_json_writer *writer,
                          const struct mica_implementation *of,
                          const struct mica_revision_features *features)
{
    mica_json_open_object(writer);
    mica_json_field(writer, "name", mica_text(of->name));
    if (features->title)
        optional_field(writer, "title", of->title);
    mica_json_field(writer, "version", mica_text(of->version));
    if (features->description) {
        optional_field(writer, "description", of->description);
        optional_field(writer, "websiteUrl", of->website_url);
    }
    if (features->description && of->icon_count > 0) {
        mica_json_name(writer, "icons");
        mica_icons_write(writer, of->icons, of->icon_count);
    }
    mica_json_close_object(writer);
}

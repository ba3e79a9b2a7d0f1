// SPDX-License-Identifier: Apache-2.0
//
// Writes the words of a tool as a description list: name, kind, words.
#include "page/tool_words.h"

#include "page/html.h"
#include "schema/outline.h"

static const char *
kind_word(const struct mica_json *schema)
{
    switch (mica_value_kind(schema)) {
    case MICA_VALUE_TEXT:
        return "text";
    case MICA_VALUE_CHOICE:
        return "choice";
    case MICA_VALUE_NUMBER:
        return "number";
    case MICA_VALUE_INTEGER:
        return "integer";
    case MICA_VALUE_BOOLEAN:
        return "boolean";
    case MICA_VALUE_DATE:
        return "date";
    case MICA_VALUE_DATE_TIME:
        return "date and time";
    case MICA_VALUE_RECORD:
        return "object";
    case MICA_VALUE_LIST:
        return "list";
    case MICA_VALUE_MAP:
        return "map";
    case MICA_VALUE_ANY:
        break;
    }
    return "any JSON";
}

static void
write_fields(struct mica_buffer *out, const char *titlez,
             const struct mica_json *schema)
{
    const struct mica_json *properties = mica_json_get(schema, "properties");

    if (properties == NULL || properties->count == 0)
        return;
    mica_buffer_format(out, "<h3>%s</h3>\n<dl>\n", titlez);
    for (size_t i = 0; i < properties->count; i++) {
        const struct mica_json *field = &properties->members[i].value;
        mica_html(out, "<div><dt><code>");
        mica_html_text(out, properties->members[i].name);
        mica_buffer_format(out, "</code> %s</dt><dd>", kind_word(field));
        mica_html_text(out, mica_json_get_text(field, "description"));
        mica_html(out, "</dd></div>\n");
    }
    mica_html(out, "</dl>\n");
}

void
mica_words_write(const struct mica_definition *tool,
                 const struct mica_json *input, const struct mica_json *output,
                 struct mica_buffer *out)
{
    mica_html(out, "<details class=\"card words\">\n<summary>What agents and "
                   "programs read</summary>\n<div><p><code>");
    mica_html_text(out, tool->name);
    mica_html(out, "</code></p>\n<p id=\"description\">");
    mica_html_text(out, tool->description);
    mica_html(out, "</p>\n");
    write_fields(out, "Input", input);
    write_fields(out, "Output", output);
    mica_html(out, "</div>\n</details>\n");
}

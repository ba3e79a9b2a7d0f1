// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes the capabilities of a client. In the stateless revision each request
// declares them; in the session revisions `initialize` declares them for all requests.
#include "protocol/capability.h"

#include "protocol/extension.h"
#include "protocol/header_value.h"

// The member that declares each bit.
static const struct {
    unsigned bit;
    const char *capability, *part; // part may be NULL
} places[] = {
    {MICA_ELICITATION, "elicitation", NULL},
    {MICA_ELICITATION_URL, "elicitation", "url"},
    {MICA_SAMPLING, "sampling", NULL},
    {MICA_SAMPLING_TOOLS, "sampling", "tools"},
    {MICA_ROOTS, "roots", NULL},
};

const struct mica_client_ask mica_client_asks[] = {
    {MICA_ELICITATION, "elicitation"},
    {MICA_ELICITATION_URL, "elicitation.url"},
    {MICA_SAMPLING, "sampling"},
    {MICA_SAMPLING_TOOLS, "sampling.tools"},
    {MICA_ROOTS, "roots"},
    {MICA_VIEWS, "views"},
    {0, NULL}};

void
mica_client_write_names(struct mica_json_writer *writer, unsigned bits)
{
    mica_json_open_array(writer);
    for (size_t i = 0; mica_client_asks[i].name != NULL; i++) {
        if ((bits & mica_client_asks[i].bit) != 0)
            mica_json_string(writer, mica_text(mica_client_asks[i].name));
    }
    mica_json_close_array(writer);
}

static bool
is_object(const struct mica_json *value)
{
    return value != NULL && value->kind == MICA_JSON_OBJECT;
}

// MCP: elicitation: {} and {"form":{}} declare forms; {"url":{}} alone does not.
static bool
has_forms(const struct mica_json *elicitation)
{
    return mica_json_get(elicitation, "form") != NULL ||
           mica_json_get(elicitation, "url") == NULL;
}

// Drops the bits that the revision lacks. In a revision without URL elicitation any
// `elicitation` declares forms.
static unsigned
known_to_revision(unsigned bits, const struct mica_json *capabilities,
                  enum mica_revision revision)
{
    if (revision < MICA_REVISION_2025_11_25) {
        bits &= ~(unsigned)(MICA_ELICITATION_URL | MICA_SAMPLING_TOOLS);
        if (is_object(mica_json_get(capabilities, "elicitation")))
            bits |= MICA_ELICITATION;
    }
    if (revision < MICA_REVISION_2025_06_18)
        bits &= ~(unsigned)MICA_ELICITATION;
    return bits;
}

static unsigned
read_extensions(const struct mica_json *extensions, enum mica_revision revision)
{
    unsigned bits = 0;

    for (size_t i = 0; is_object(extensions) && i < mica_extension_count; i++) {
        const struct mica_extension *extension = &mica_extensions[i];
        const struct mica_json *settings =
            mica_json_get(extensions, extension->name);
        if (is_object(settings) && revision >= extension->earliest &&
            (extension->accepts == NULL || extension->accepts(settings)))
            bits |= extension->bit;
    }
    return bits;
}

unsigned
mica_client_read(const struct mica_json *capabilities,
                 enum mica_revision revision)
{
    unsigned bits = 0;

    // Most clients declare none.
    bool any = capabilities != NULL && capabilities->count > 0;
    for (size_t i = 0; any && i < MICA_COUNT(places); i++) {
        const struct mica_json *found =
            mica_json_get(capabilities, places[i].capability);
        if (places[i].part != NULL)
            found = mica_json_get(found, places[i].part);
        if (is_object(found) &&
            (places[i].bit != MICA_ELICITATION || has_forms(found)))
            bits |= places[i].bit;
    }
    bits = known_to_revision(bits, capabilities, revision);
    if (any)
        bits |= read_extensions(mica_json_get(capabilities, "extensions"),
                                revision);
    // Views answer forms only where forms can be asked.
    return (bits & MICA_ELICITATION) != 0
               ? bits
               : bits & ~(unsigned)MICA_CLIENT_FORM_VIEWS;
}

void
mica_client_write(struct mica_json_writer *writer, unsigned bits)
{
    static const char *const names[] = {"elicitation", "sampling", "roots"};

    mica_json_open_object(writer);
    for (size_t name = 0; name < MICA_COUNT(names); name++) {
        bool open = false;
        for (size_t i = 0; i < MICA_COUNT(places); i++) {
            if ((bits & places[i].bit) == 0 ||
                !mica_text_is(mica_text(places[i].capability), names[name]))
                continue;
            if (!open) {
                mica_json_name(writer, names[name]);
                mica_json_open_object(writer);
                open = true;
            }
            if (places[i].part != NULL) {
                mica_json_name(writer, places[i].part);
                mica_json_open_object(writer);
                mica_json_close_object(writer);
            }
        }
        if (open)
            mica_json_close_object(writer);
    }
    mica_extensions_write(writer, bits);
    mica_json_close_object(writer);
}

// ---- By name ------------------------------------------------------------------

unsigned
mica_client_all(void)
{
    unsigned bits = MICA_CLIENT_TASKS;

    for (size_t i = 0; i < MICA_COUNT(places); i++)
        bits |= places[i].bit;
    return bits;
}

static unsigned
client_ask_bit(struct mica_text name)
{
    for (size_t i = 0; mica_client_asks[i].name != NULL; i++) {
        if (mica_text_is(name, mica_client_asks[i].name))
            return mica_client_asks[i].bit;
    }
    return 0;
}

bool
mica_client_named(struct mica_text list, unsigned *bits_out)
{
    struct mica_text name;

    *bits_out = MICA_CLIENT_TASKS;
    while (mica_header_next(&list, &name)) {
        unsigned bit = client_ask_bit(name);
        if (bit == MICA_VIEWS || (bit == 0 && !mica_text_is(name, "none")))
            return false;
        *bits_out |= bit;
    }
    return true;
}

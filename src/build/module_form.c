// SPDX-License-Identifier: Apache-2.0
//
// One pass over the sections. What a section holds is read where it has a name, a
// type or an effect of its own; wasm2c validates the rest.
#include "build/module_form.h"

#include <string.h>

enum {
    SECTION_CUSTOM = 0,
    SECTION_TYPE = 1,
    SECTION_IMPORT = 2,
    SECTION_FUNCTION = 3,
    SECTION_TABLE = 4,
    SECTION_MEMORY = 5,
    SECTION_EXPORT = 7,
    SECTION_START = 8,
    SECTIONS = 13,
    KIND_FUNCTION = 0,
    KIND_MEMORY = 2,
    FORM_FUNCTION = 0x60,
    TYPE_I32 = 0x7F,
    TYPE_FUNCREF = 0x70,
    SHOWN = 64
};

// What a function takes and gives, as far as mica's own differ.
enum signature {
    OTHER_SIGNATURE,
    NOTHING,    // () -> ()
    GIVES,      // () -> i32
    TAKES_GIVES // (i32) -> i32
};

static const struct {
    const char *name;
    unsigned kind;
    enum signature signature;
    bool needed;
} own_exports[] = {
    {"memory", KIND_MEMORY, OTHER_SIGNATURE, true},
    {"mica_module_input", KIND_FUNCTION, TAKES_GIVES, true},
    {"mica_module_run", KIND_FUNCTION, TAKES_GIVES, true},
    {"mica_module_exchange", KIND_FUNCTION, GIVES, true},
    {"mica_module_parse", KIND_FUNCTION, TAKES_GIVES, false},
    {"__wasm_call_ctors", KIND_FUNCTION, NOTHING, false},
};

struct form {
    const unsigned char *at, *end;
    struct mica_arena *arena;
    struct mica_error *error;
    bool bad;
    const unsigned char *types; // enum signature each
    size_t type_count;
    const uint32_t *functions; // their types
    size_t function_count;
    unsigned found; // bits of own_exports
};

// ---- Bytes -------------------------------------------------------------------------

static unsigned
form_byte(struct form *in)
{
    if (in->at == in->end) {
        in->bad = true;
        return 0;
    }
    return *in->at++;
}

// Unsigned LEB128 of 32 bits, in at most five bytes.
static uint32_t
form_number(struct form *in)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        unsigned next = form_byte(in);
        value |= (uint64_t)(next & 0x7F) << shift;
        if ((next & 0x80) == 0) {
            in->bad |= value > UINT32_MAX;
            return (uint32_t)value;
        }
    }
    in->bad = true;
    return 0;
}

static struct mica_text
form_bytes(struct form *in, size_t size)
{
    if (size > (size_t)(in->end - in->at)) {
        in->bad = true;
        size = 0;
    }
    struct mica_text bytes = {(const char *)in->at, size};
    in->at += size;
    return bytes;
}

// Room for what takes at least a byte each in the file.
static void *
form_list(struct form *in, size_t count, size_t size)
{
    void *memory = NULL;
    if (count <= (size_t)(in->end - in->at))
        memory = mica_arena_zero(in->arena, count > 0 ? count : 1, size);
    in->bad |= memory == NULL;
    return memory;
}

struct mica_text
mica_form_shown(struct mica_text name, char out[SHOWN + 1])
{
    size_t len = name.len < SHOWN ? name.len : SHOWN;
    for (size_t i = 0; i < len; i++) {
        char c = name.ptr[i];
        out[i] = c;
        if (c < 0x20 || c > 0x7E)
            out[i] = '?';
    }
    out[len] = '\0';
    return (struct mica_text){out, len};
}

// ---- Types and functions -----------------------------------------------------------

static bool
is_i32(struct mica_text types)
{
    return types.len == 1 && (unsigned char)types.ptr[0] == TYPE_I32;
}

static void
read_types(struct form *in)
{
    size_t count = form_number(in);
    unsigned char *types = form_list(in, count, sizeof *types);
    for (size_t i = 0; i < count && !in->bad; i++) {
        in->bad |= form_byte(in) != FORM_FUNCTION;
        struct mica_text takes = form_bytes(in, form_number(in));
        struct mica_text gives = form_bytes(in, form_number(in));
        if (takes.len == 0 && gives.len == 0)
            types[i] = NOTHING;
        else if (takes.len == 0 && is_i32(gives))
            types[i] = GIVES;
        else if (is_i32(takes) && is_i32(gives))
            types[i] = TAKES_GIVES;
    }
    in->types = types;
    in->type_count = in->bad ? 0 : count;
}

static void
read_functions(struct form *in)
{
    size_t count = form_number(in);
    uint32_t *functions = form_list(in, count, sizeof *functions);
    for (size_t i = 0; i < count && !in->bad; i++) {
        functions[i] = form_number(in);
        in->bad |= functions[i] >= in->type_count;
    }
    in->functions = functions;
    in->function_count = in->bad ? 0 : count;
}

// One of a kind at most, with a least size and perhaps a largest.
static void
read_limits(struct form *in, bool is_table)
{
    size_t count = form_number(in);
    in->bad |= count > 1 || (!is_table && count == 0);
    if (in->bad || count == 0)
        return;
    if (is_table)
        in->bad |= form_byte(in) != TYPE_FUNCREF;
    unsigned flags = form_byte(in);
    in->bad |= flags > 1;
    (void)form_number(in);
    if (flags == 1)
        (void)form_number(in);
}

// ---- Exports -----------------------------------------------------------------------

static size_t
find_own(struct mica_text name)
{
    size_t i = 0;
    while (i < MICA_COUNT(own_exports) &&
           !mica_text_is(name, own_exports[i].name))
        i++;
    return i;
}

static bool
is_own_type(const struct form *in, size_t own, unsigned kind, uint32_t index)
{
    if (kind != own_exports[own].kind)
        return false;
    if (kind == KIND_MEMORY)
        return index == 0;
    return index < in->function_count &&
           in->types[in->functions[index]] == own_exports[own].signature;
}

static enum mica_status
read_exports(struct form *in)
{
    size_t count = form_number(in);
    for (size_t i = 0; i < count && !in->bad; i++) {
        char shown[SHOWN + 1];
        struct mica_text name = form_bytes(in, form_number(in));
        unsigned kind = form_byte(in);
        uint32_t index = form_number(in);
        size_t own = find_own(name);
        if (in->bad)
            break;
        if (own == MICA_COUNT(own_exports))
            return mica_error_set(
                in->error, MICA_E_IMPURE, "",
                "The module exports \"%.*s\"; an engine exports mica's own "
                "functions and nothing else. Remove what exports it "
                "(export_name, or an option of the linker).",
                MICA_ARG(mica_form_shown(name, shown)));
        if ((in->found & 1u << own) != 0 || !is_own_type(in, own, kind, index))
            return mica_error_set(in->error, MICA_E_BUILD, "",
                                  "The module exports %s twice or as something "
                                  "else, so it is no engine of this version of "
                                  "mica.",
                                  own_exports[own].name);
        in->found |= 1u << own;
    }
    return MICA_OK;
}

static enum mica_status
check_exports(const struct form *in)
{
    for (size_t i = 0; i < MICA_COUNT(own_exports); i++)
        if (own_exports[i].needed && (in->found & 1u << i) == 0)
            return mica_error_set(in->error, MICA_E_BUILD, "",
                                  "The module does not export %s, so it is no "
                                  "engine of this version of mica.",
                                  own_exports[i].name);
    return MICA_OK;
}

static enum mica_status
read_imports(struct form *in)
{
    char shown[SHOWN + 1], field[SHOWN + 1];
    if (form_number(in) == 0)
        return MICA_OK;
    struct mica_text module = form_bytes(in, form_number(in));
    struct mica_text name = form_bytes(in, form_number(in));
    return mica_error_set(in->error, MICA_E_IMPURE, "",
                          "The module imports %.*s.%.*s; an engine imports "
                          "nothing, so that it cannot reach outside.",
                          MICA_ARG(mica_form_shown(module, shown)),
                          MICA_ARG(mica_form_shown(name, field)));
}

// ---- Sections ----------------------------------------------------------------------

// What is read here has to fill its section.
static enum mica_status
read_content(struct form *in, unsigned kind)
{
    switch (kind) {
    case SECTION_TYPE:
        read_types(in);
        break;
    case SECTION_IMPORT:
        MICA_TRY(read_imports(in));
        break;
    case SECTION_FUNCTION:
        read_functions(in);
        break;
    case SECTION_TABLE:
    case SECTION_MEMORY:
        read_limits(in, kind == SECTION_TABLE);
        break;
    case SECTION_EXPORT:
        MICA_TRY(read_exports(in));
        break;
    case SECTION_START:
        return mica_error_set(in->error, MICA_E_IMPURE, "",
                              "The module has a start function; an engine runs "
                              "when it is called and at no other time.");
    default:
        return MICA_OK; // wasm2c's to validate
    }
    in->bad |= in->at != in->end;
    return MICA_OK;
}

static enum mica_status
read_section(struct form *all, struct form *in, unsigned kind, unsigned *last)
{
    // The order of the specification; 12 counts the data before the code.
    static const unsigned char ranks[SECTIONS] = {0, 1, 2, 3,  4,  5, 6,
                                                  7, 8, 9, 11, 12, 10};
    if (kind >= SECTIONS || ranks[kind] <= *last)
        return mica_error_set(all->error, MICA_E_BUILD, "",
                              "The module has a section %u that is unknown, or "
                              "not in its place; mica takes what wasm-ld 14 "
                              "writes.",
                              kind);
    *last = ranks[kind];
    return read_content(in, kind);
}

static enum mica_status
read_sections(struct form *all, struct mica_buffer *out)
{
    unsigned last = 0;
    while (all->at < all->end && !all->bad) {
        const unsigned char *from = all->at;
        unsigned kind = form_byte(all);
        struct mica_text content = form_bytes(all, form_number(all));
        struct form in = *all;
        in.at = (const unsigned char *)content.ptr;
        in.end = in.at + content.len;
        if (all->bad || kind == SECTION_CUSTOM)
            continue;
        MICA_TRY(read_section(all, &in, kind, &last));
        in.at = all->at;
        in.end = all->end;
        *all = in;
        mica_buffer_add(out, (const char *)from, (size_t)(all->at - from));
    }
    if (!all->bad && !out->overflow)
        return MICA_OK;
    return mica_error_set(all->error, MICA_E_BUILD, "",
                          "The WebAssembly module is damaged, or larger than "
                          "a build may be.");
}

enum mica_status
mica_module_form(struct mica_arena *arena, struct mica_text bytes,
                 struct mica_error *error, struct mica_text *module_out)
{
    static const char magic[8] = {'\0', 'a', 's', 'm', 1, 0, 0, 0};
    struct mica_buffer out;
    struct form form = {.at = (const unsigned char *)bytes.ptr,
                        .end = (const unsigned char *)bytes.ptr + bytes.len,
                        .arena = arena,
                        .error = error};
    if (bytes.len < sizeof magic || memcmp(bytes.ptr, magic, sizeof magic) != 0)
        return mica_error_set(error, MICA_E_BUILD, "",
                              "This is no WebAssembly module.");
    form.at += sizeof magic;
    mica_buffer_init(&out, arena, bytes.len + 1);
    mica_buffer_add(&out, magic, sizeof magic);
    MICA_TRY(read_sections(&form, &out));
    MICA_TRY(check_exports(&form));
    *module_out = mica_buffer_as_text(&out);
    return MICA_OK;
}

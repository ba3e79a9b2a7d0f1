// SPDX-License-Identifier: Apache-2.0
//
// A reader for the few sections that matter. Every read is bounded; a read past
// the end sets `bad` and gives zeros, and one check at the end is enough.
#include "build/wasm.h"

#include <string.h>

enum {
    SECTION_CUSTOM = 0,
    SECTION_IMPORT = 2,
    SECTION_MEMORY = 5,
    SECTION_GLOBAL = 6,
    SECTION_EXPORT = 7,
    SECTION_DATA = 11,
    EXPORT_GLOBAL = 3,
    DATA_WITHOUT_PLACE = 1,
    DATA_WITH_MEMORY = 2,
    OP_END = 0x0B,
    OP_CONST = 0x41,
    TYPE_I32 = 0x7F,
    LINKING_VERSION = 2,
    LINKING_SEGMENTS = 5,
    LINKING_CONSTRUCTORS = 6,
    LINKING_SYMBOLS = 8,
    SYMBOL_DATA = 1,
    SYMBOL_SECTION = 3,
    KINDS = 8, // of imports and symbols: function, table, memory, global, tag
    FLAG_LOCAL = 0x02,
    FLAG_UNDEFINED = 0x10,
    FLAG_EXPORTED = 0x20,
    FLAG_NAMED = 0x40
};

struct reader {
    const unsigned char *at, *end;
    struct mica_arena *arena;
    bool bad;
    bool has_imports; // a module has that section once
    // Names of the imports of each kind, for symbols that have no name of their
    // own.
    struct mica_text *imported[KINDS], *imported_whole[KINDS];
    size_t imported_count[KINDS];
    // Values of the module's own globals, 0 for what is no constant.
    uint32_t *globals;
    size_t global_count;
};

static size_t
reader_left(const struct reader *in)
{
    return (size_t)(in->end - in->at);
}

static unsigned
reader_byte(struct reader *in)
{
    if (reader_left(in) == 0) {
        in->bad = true;
        return 0;
    }
    return *in->at++;
}

// Unsigned LEB128 of at most 32 bits (limits of 64-bit memories are cut).
static uint32_t
reader_number(struct reader *in)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        unsigned next = reader_byte(in);
        value |= (uint64_t)(next & 0x7F) << shift;
        if ((next & 0x80) == 0)
            return (uint32_t)value;
    }
    in->bad = true;
    return 0;
}

// Signed LEB128 of at most 64 bits.
static int64_t
signed_number(struct reader *in)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        unsigned next = reader_byte(in);
        value |= (uint64_t)(next & 0x7F) << shift;
        if ((next & 0x80) != 0)
            continue;
        if ((next & 0x40) != 0 && shift + 7 < 64)
            value |= ~UINT64_C(0) << (shift + 7);
        return (int64_t)value;
    }
    in->bad = true;
    return 0;
}

static struct reader
reader_part(struct reader *in, size_t size)
{
    if (size > reader_left(in)) {
        in->bad = true;
        size = 0;
    }
    struct reader inner = *in;
    inner.end = in->at + size;
    in->at += size;
    return inner;
}

static struct mica_text
reader_name(struct reader *in)
{
    struct reader bytes = reader_part(in, reader_number(in));
    return (struct mica_text){(const char *)bytes.at, reader_left(&bytes)};
}

// Memory for `count` things that take at least a byte each in the file.
static void *
reader_list(struct reader *in, size_t count, size_t size)
{
    if (count > reader_left(in)) {
        in->bad = true;
        return NULL;
    }
    void *memory = mica_arena_zero(in->arena, count, size);
    if (memory == NULL)
        in->bad = true;
    return in->bad ? NULL : memory;
}

static void
reader_limits(struct reader *in, uint32_t *least_out, uint32_t *most_out)
{
    unsigned flags = reader_byte(in);
    *least_out = reader_number(in);
    *most_out = (flags & 1) != 0 ? reader_number(in) : 0;
}

// ---- Sections --------------------------------------------------------------------

static void
skip_import_type(struct reader *in, unsigned kind)
{
    uint32_t least, most;
    switch (kind) {
    case 0: // function: its type
        (void)reader_number(in);
        break;
    case 1: // table: kind of element, limits
        (void)reader_byte(in);
        reader_limits(in, &least, &most);
        break;
    case 2: // memory
        reader_limits(in, &least, &most);
        break;
    case 3: // global: type, mutability
        (void)reader_byte(in);
        (void)reader_byte(in);
        break;
    case 4: // tag: attribute, type
        (void)reader_byte(in);
        (void)reader_number(in);
        break;
    default:
        in->bad = true;
    }
}

static struct mica_text
reader_joined(struct reader *in, struct mica_text module,
              struct mica_text field)
{
    struct mica_buffer buffer;
    mica_buffer_init(&buffer, in->arena, module.len + field.len + 1);
    mica_buffer_text(&buffer, module);
    mica_buffer_char(&buffer, '.');
    mica_buffer_text(&buffer, field);
    return mica_buffer_as_text(&buffer);
}

static void
read_imports(struct reader *all, struct reader *in, struct mica_wasm *wasm)
{
    size_t count = reader_number(in);
    in->bad |= all->has_imports;
    all->has_imports = true;
    struct mica_text *imports = reader_list(in, count, sizeof *imports);
    for (size_t kind = 0; kind < KINDS && !in->bad; kind++) {
        all->imported[kind] = reader_list(in, count, sizeof *imports);
        all->imported_whole[kind] = reader_list(in, count, sizeof *imports);
    }
    for (size_t i = 0; i < count && !in->bad; i++) {
        struct mica_text module = reader_name(in), field = reader_name(in);
        unsigned kind = reader_byte(in);
        skip_import_type(in, kind);
        if (in->bad)
            return;
        imports[i] = reader_joined(in, module, field);
        if (wasm->foreign_module.len == 0 && !mica_text_is(module, "env"))
            wasm->foreign_module = imports[i];
        all->imported_whole[kind][all->imported_count[kind]] = imports[i];
        all->imported[kind][all->imported_count[kind]++] = field;
    }
    wasm->imports = imports;
    wasm->import_count = count;
}

// The value of `i32.const`. The expressions of other types are only skipped; one
// that is no constant is not read by mica.
static uint32_t
reader_constant(struct reader *in, unsigned type)
{
    static const unsigned char sizes[] = {4, 8}; // f32.const, f64.const
    unsigned op = reader_byte(in);
    int64_t value = 0;
    if (op == OP_CONST || op == OP_CONST + 1)
        value = signed_number(in);
    else if (op == OP_CONST + 2 || op == OP_CONST + 3)
        (void)reader_part(in, sizes[op - OP_CONST - 2]);
    else
        in->bad = true;
    in->bad |= reader_byte(in) != OP_END;
    return type == TYPE_I32 && op == OP_CONST ? (uint32_t)value : 0;
}

static void
read_globals(struct reader *all, struct reader *in)
{
    size_t count = reader_number(in);
    all->globals = reader_list(in, count, sizeof *all->globals);
    for (size_t i = 0; i < count && !in->bad; i++) {
        unsigned type = reader_byte(in);
        (void)reader_byte(in); // mutability
        all->globals[i] = reader_constant(in, type);
    }
    all->global_count = in->bad ? 0 : count;
}

static void
read_exports(const struct reader *all, struct reader *in,
             struct mica_wasm *wasm)
{
    size_t count = reader_number(in);
    struct mica_wasm_export *exports = reader_list(in, count, sizeof *exports);
    for (size_t i = 0; i < count && !in->bad; i++) {
        exports[i].name = reader_name(in);
        unsigned kind = reader_byte(in);
        uint32_t index = reader_number(in);
        // Only of a module that imports no globals, whose numbers come first.
        exports[i].is_global = kind == EXPORT_GLOBAL &&
                               wasm->import_count == 0 &&
                               index < all->global_count;
        if (exports[i].is_global)
            exports[i].global = all->globals[index];
    }
    wasm->exports = exports;
    wasm->export_count = count;
}

static void
read_data(struct reader *in, struct mica_wasm *wasm)
{
    size_t count = reader_number(in);
    struct mica_wasm_data *data = reader_list(in, count, sizeof *data);
    for (size_t i = 0; i < count && !in->bad; i++) {
        uint32_t flags = reader_number(in);
        if ((flags & DATA_WITH_MEMORY) != 0)
            in->bad |= reader_number(in) != 0;
        if ((flags & DATA_WITHOUT_PLACE) == 0)
            data[i].address = reader_constant(in, TYPE_I32);
        struct mica_text bytes = reader_name(in);
        if ((flags & DATA_WITHOUT_PLACE) == 0)
            data[i].bytes = bytes;
    }
    wasm->data = data;
    wasm->data_count = in->bad ? 0 : count;
}

static void
read_segments(struct reader *in, struct mica_wasm *wasm)
{
    size_t count = reader_number(in);
    struct mica_text *segments = reader_list(in, count, sizeof *segments);
    for (size_t i = 0; i < count && !in->bad; i++) {
        segments[i] = reader_name(in);
        (void)reader_number(in); // alignment
        (void)reader_number(in); // flags
    }
    wasm->segments = segments;
    wasm->segment_count = count;
}

// Kinds of symbols and of imports are numbered differently.
static unsigned
import_kind(unsigned symbol_kind)
{
    static const unsigned char kinds[] = {0, KINDS - 1, 3, KINDS - 1, 4, 1};
    return symbol_kind < sizeof kinds ? kinds[symbol_kind] : KINDS - 1;
}

static void
read_indexed_symbol(struct reader *in, unsigned kind, uint32_t flags,
                    struct mica_wasm_symbol *symbol)
{
    uint32_t index = reader_number(in);
    bool named = (flags & FLAG_NAMED) != 0;
    if (!symbol->undefined || named)
        symbol->name = reader_name(in);
    if (!symbol->undefined)
        return;
    kind = import_kind(kind);
    if (index < in->imported_count[kind] && named)
        symbol->import = in->imported_whole[kind][index];
    else if (index < in->imported_count[kind])
        symbol->name = in->imported[kind][index];
    else
        in->bad = true;
}

static void
read_symbols(struct reader *in, struct mica_wasm *wasm)
{
    size_t count = reader_number(in);
    struct mica_wasm_symbol *symbols = reader_list(in, count, sizeof *symbols);
    for (size_t i = 0; i < count && !in->bad; i++) {
        struct mica_wasm_symbol *symbol = &symbols[i];
        unsigned kind = reader_byte(in);
        uint32_t flags = reader_number(in);
        symbol->is_data = kind == SYMBOL_DATA;
        symbol->undefined = (flags & FLAG_UNDEFINED) != 0;
        symbol->is_local = (flags & FLAG_LOCAL) != 0;
        symbol->exported = (flags & FLAG_EXPORTED) != 0;
        if (kind == SYMBOL_SECTION) {
            (void)reader_number(in);
        } else if (!symbol->is_data) {
            read_indexed_symbol(in, kind, flags, symbol);
        } else {
            symbol->name = reader_name(in);
            if (symbol->undefined)
                continue;
            symbol->segment = reader_number(in);
            (void)reader_number(in); // offset
            symbol->size = reader_number(in);
        }
    }
    wasm->symbols = symbols;
    wasm->symbol_count = count;
}

static void
read_linking(struct reader *in, struct mica_wasm *wasm)
{
    if (reader_number(in) != LINKING_VERSION)
        in->bad = true;
    while (reader_left(in) > 0 && !in->bad) {
        unsigned kind = reader_byte(in);
        struct reader inner = reader_part(in, reader_number(in));
        if (kind == LINKING_SEGMENTS)
            read_segments(&inner, wasm);
        else if (kind == LINKING_SYMBOLS)
            read_symbols(&inner, wasm);
        else if (kind == LINKING_CONSTRUCTORS)
            wasm->constructor_count += reader_number(&inner);
        in->bad |= inner.bad;
    }
}

// The sections that have a name.
static void
read_custom(struct reader *in, struct mica_wasm *wasm)
{
    static const char *const usual[] = {"producers", "target_features",
                                        "reloc.CODE", "reloc.DATA", "name"};
    struct mica_text section = reader_name(in);
    bool known = mica_text_is(section, "linking");
    if (known)
        read_linking(in, wasm);
    for (size_t i = 0; i < MICA_COUNT(usual); i++)
        known = known || mica_text_is(section, usual[i]);
    if (!known && wasm->foreign_section.len == 0)
        wasm->foreign_section =
            section.len > 0 ? section : MICA_LITERAL("(without a name)");
}

static void
read_section(struct reader *all, struct mica_wasm *wasm)
{
    unsigned kind = reader_byte(all);
    struct reader in = reader_part(all, reader_number(all));
    switch (kind) {
    case SECTION_CUSTOM:
        read_custom(&in, wasm);
        break;
    case SECTION_IMPORT:
        read_imports(all, &in, wasm);
        break;
    case SECTION_MEMORY:
        if (reader_number(&in) > 0)
            reader_limits(&in, &wasm->memory_pages, &wasm->memory_max_pages);
        break;
    case SECTION_EXPORT:
        read_exports(all, &in, wasm);
        break;
    case SECTION_GLOBAL:
        read_globals(all, &in);
        break;
    case SECTION_DATA:
        if (wasm->import_count == 0)
            read_data(&in, wasm);
        break;
    default:
        break;
    }
    all->bad |= in.bad;
}

enum mica_status
mica_wasm_read(struct mica_arena *arena, struct mica_text bytes,
               struct mica_error *error, struct mica_wasm *wasm_out)
{
    static const char magic[8] = {'\0', 'a', 's', 'm', 1, 0, 0, 0};
    struct reader in = {.at = (const unsigned char *)bytes.ptr,
                        .end = (const unsigned char *)bytes.ptr + bytes.len,
                        .arena = arena};
    *wasm_out = (struct mica_wasm){0};
    if (bytes.len < sizeof magic || memcmp(bytes.ptr, magic, sizeof magic) != 0)
        return mica_error_set(error, MICA_E_BUILD, "",
                              "This is no WebAssembly module.");
    in.at += sizeof magic;
    while (reader_left(&in) > 0 && !in.bad)
        read_section(&in, wasm_out);
    if (in.bad)
        return mica_error_set(error, MICA_E_BUILD, "",
                              "The WebAssembly module is damaged near byte "
                              "%zu.",
                              bytes.len - reader_left(&in));
    return MICA_OK;
}

bool
mica_wasm_global(const struct mica_wasm *module, const char *namez,
                 uint32_t *value_out)
{
    for (size_t i = 0; i < module->export_count; i++) {
        const struct mica_wasm_export *export = &module->exports[i];
        if (export->is_global && mica_text_is(export->name, namez)) {
            *value_out = export->global;
            return true;
        }
    }
    return false;
}

enum mica_status
mica_wasm_memory(struct mica_arena *arena, const struct mica_wasm *module,
                 struct mica_error *error, struct mica_text *memory_out)
{
    size_t size = (size_t)module->memory_pages * 65536;
    char *memory = mica_arena_zero(arena, size > 0 ? size : 1, 1);
    if (memory == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "The module begins with %zu KiB of memory, which "
                              "is more than there is.",
                              size / 1024);
    for (size_t i = 0; i < module->data_count; i++) {
        const struct mica_wasm_data *data = &module->data[i];
        if (data->address > size || data->bytes.len > size - data->address)
            return mica_error_set(error, MICA_E_BUILD, "",
                                  "The module puts data outside of its "
                                  "memory.");
        if (data->bytes.len > 0)
            memcpy(memory + data->address, data->bytes.ptr, data->bytes.len);
    }
    *memory_out = (struct mica_text){memory, size};
    return MICA_OK;
}

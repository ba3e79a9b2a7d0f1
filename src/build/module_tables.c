// SPDX-License-Identifier: Apache-2.0
//
// From the memory of a module to the structs of record.h. An address is checked
// wherever it is followed; a wrong one sets `bad`, and one check at the end is
// enough. Types and records are shared by those who name them, so each is read once.
#include "build/module_tables.h"

#include <string.h>

#include "engine/tables.h"
#include "schema/record_value.h"

enum {
    ALIGNMENT = 16,   // of a member in a record, as for any type
    MOST_NESTED = 64, // more than a table may nest: it would hold itself
    MOST_KNOWN = 4096,
    MOST_DOMAINS = 1000, // of a list; the check of views allows fewer
    MOST_FIELDS = 10000  // with those of shared records wherever they are named
};

// A type or a record that has been read.
struct known {
    const struct known *next;
    uint32_t address;
    const void *made;
    size_t fields; // that it describes, all in all
};

struct reader {
    struct mica_arena *arena;
    const char *memory;
    size_t size;
    const struct known *types, *records;
    size_t known_count;
    unsigned depth;
    bool bad;
};

// ---- Memory ----------------------------------------------------------------

// The bytes at that address; NULL when they are not all in the memory.
static const char *
table_bytes(struct reader *in, uint32_t address, size_t size)
{
    if (address <= in->size && size <= in->size - address)
        return in->memory + address;
    in->bad = true;
    return NULL;
}

static void
table_copy(struct reader *in, uint32_t address, void *out, size_t size)
{
    const char *from = table_bytes(in, address, size);
    if (from != NULL)
        memcpy(out, from, size);
    else
        memset(out, 0, size);
}

static uint32_t
table_word(struct reader *in, uint32_t address)
{
    uint32_t value;
    table_copy(in, address, &value, sizeof value);
    return value;
}

static const char *
table_text(struct reader *in, uint32_t address)
{
    if (address == 0)
        return NULL;
    const char *from = table_bytes(in, address, 1);
    if (from == NULL || memchr(from, '\0', in->size - address) == NULL) {
        in->bad = true;
        return "";
    }
    return from;
}

// Room for `count` things that are read from as many in the memory.
static void *
table_room(struct reader *in, uint32_t count, size_t size)
{
    void *memory =
        count <= in->size ? mica_arena_zero(in->arena, count, size) : NULL;
    in->bad |= memory == NULL;
    return memory;
}

static const void *
look_up(const struct known *known, uint32_t address, size_t *fields_out)
{
    while (known != NULL && known->address != address)
        known = known->next;
    if (known == NULL)
        return NULL;
    *fields_out = known->fields;
    return known->made;
}

static void
table_remember(struct reader *in, const struct known **list, uint32_t address,
               const void *made, size_t fields)
{
    struct known *known = mica_arena_alloc(in->arena, sizeof *known);
    in->bad |= known == NULL || in->known_count++ == MOST_KNOWN ||
               fields > MOST_FIELDS;
    if (in->bad)
        return;
    *known = (struct known){*list, address, made, fields};
    *list = known;
}

// ---- Types -----------------------------------------------------------------

static const struct mica_record *
read_record(struct reader *in, uint32_t address, size_t *fields_out);

static const char *const *
read_choices(struct reader *in, uint32_t address, uint32_t count)
{
    const char **choices = table_room(in, count, sizeof *choices);
    for (uint32_t i = 0; i < count && !in->bad; i++)
        choices[i] = table_text(in, table_word(in, address + i * 4));
    return choices;
}

// Its codec and its size here. The check of the tables refuses what has none.
static void
set_kind(struct mica_type *type)
{
    static const struct {
        const struct mica_codec *codec;
        size_t size;
    } kinds[] = {
        [MICA_KIND_TEXT] = {&mica_codec_text, sizeof(struct mica_text)},
        [MICA_KIND_NUMBER] = {&mica_codec_number, sizeof(double)},
        [MICA_KIND_INTEGER] = {&mica_codec_integer, sizeof(int64_t)},
        [MICA_KIND_BOOLEAN] = {&mica_codec_boolean, sizeof(bool)},
        [MICA_KIND_CHOICE] = {&mica_codec_choice, sizeof(int)},
        [MICA_KIND_RECORD] = {&mica_codec_record, 0},
        [MICA_KIND_DATE] = {&mica_codec_date, sizeof(struct mica_date)},
        [MICA_KIND_DATE_TIME] = {&mica_codec_date_time,
                                 sizeof(struct mica_time)},
        [MICA_KIND_ANY] = {&mica_codec_any, sizeof(struct mica_json *)},
        [MICA_KIND_LIST] = {&mica_codec_list, sizeof(struct mica_list_value)},
        [MICA_KIND_MAP] = {&mica_codec_map, sizeof(struct mica_map_value)},
        [MICA_KIND_NULLABLE] = {&mica_codec_nullable, ALIGNMENT},
        [MICA_KIND_DECIMAL] = {&mica_codec_decimal,
                               sizeof(struct mica_decimal)}};
    if ((unsigned)type->kind >= MICA_COUNT(kinds))
        return;
    type->codec = kinds[type->kind].codec;
    type->size = kinds[type->kind].size;
}

static const struct mica_type *read_type(struct reader *in, uint32_t address,
                                         size_t *fields_out);

static const struct mica_type *
make_type(struct reader *in, const struct mica_table_type *table,
          size_t *fields_out)
{
    struct mica_type *type = table_room(in, 1, sizeof *type);
    if (type == NULL)
        return NULL;
    type->kind = (enum mica_kind)table->kind;
    type->tag = table_text(in, table->tag);
    set_kind(type);
    if (table->element != 0)
        type->element = read_type(in, table->element, fields_out);
    if (table->record != 0)
        type->record = read_record(in, table->record, fields_out);
    bool holds = type->kind == MICA_KIND_LIST || type->kind == MICA_KIND_MAP ||
                 type->kind == MICA_KIND_NULLABLE;
    if ((holds && type->element == NULL) ||
        (type->kind == MICA_KIND_RECORD && type->record == NULL))
        in->bad = true;
    if (in->bad)
        return NULL;
    if (type->kind == MICA_KIND_RECORD)
        type->size = type->record->size;
    if (type->kind == MICA_KIND_NULLABLE) {
        type->value_offset = ALIGNMENT;
        type->size = ALIGNMENT + type->element->size;
    }
    if (type->kind == MICA_KIND_CHOICE) {
        type->size = table->size; // as the author's compiler made it: checked
        type->choice_count = table->choice_count;
        type->choices = read_choices(in, table->choices, table->choice_count);
    }
    return type;
}

static const struct mica_type *
read_type(struct reader *in, uint32_t address, size_t *fields_out)
{
    struct mica_table_type table;
    const struct mica_type *type = look_up(in->types, address, fields_out);
    if (type != NULL)
        return type;
    table_copy(in, address, &table, sizeof table);
    in->bad |= ++in->depth > MOST_NESTED;
    *fields_out = 0;
    if (!in->bad)
        type = make_type(in, &table, fields_out);
    in->depth--;
    table_remember(in, &in->types, address, type, *fields_out);
    return type;
}

// ---- Records ---------------------------------------------------------------

static const struct mica_text_format *
read_format(struct reader *in, uint32_t address)
{
    static const struct mica_text_format *const formats[] = {
        &mica_format_email, &mica_format_uri, &mica_format_uuid};
    struct mica_table_format table;
    if (address == 0)
        return NULL;
    table_copy(in, address, &table, sizeof table);
    const char *name = table_text(in, table.name);
    for (size_t i = 0; i < MICA_COUNT(formats) && name != NULL; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    in->bad = true;
    return NULL;
}

static struct mica_bounds
read_bounds(struct reader *in, const struct mica_table_bounds *table)
{
    return (struct mica_bounds){
        .minimum = table->minimum,
        .maximum = table->maximum,
        .exclusive_minimum = table->exclusive_minimum,
        .exclusive_maximum = table->exclusive_maximum,
        .min_length = table->min_length,
        .max_length = table->max_length,
        .pattern = table_text(in, table->pattern),
        .format = read_format(in, table->format),
        .wide = table->wide != 0,
    };
}

// The field, behind the `*size` bytes that those before it take.
static void
read_field(struct reader *in, uint32_t address, size_t *size,
           struct mica_field *field, size_t *fields)
{
    struct mica_table_field table;
    size_t inner = 0;
    table_copy(in, address, &table, sizeof table);
    const struct mica_type *type = read_type(in, table.type, &inner);
    *fields += 1 + inner;
    if (in->bad || type == NULL)
        return;
    *field = (struct mica_field){
        .name = table_text(in, table.name),
        .offset = *size,
        .type = type,
        .description = table_text(in, table.description),
        .fallback = table_text(in, table.fallback),
        .optional = table.optional != 0,
        .unit = table_text(in, table.unit),
        .title = table_text(in, table.title),
        .chart = table_text(in, table.chart),
        .answer = table.answer != 0,
        .min_items = table.min_items,
        .max_items = table.max_items,
        .bounds = read_bounds(in, &table.bounds),
        .each = read_bounds(in, &table.each),
        .keys = read_bounds(in, &table.keys),
    };
    in->bad |= field->name == NULL;
    *size += type->size;
    if (table.has_offset > 0)
        field->has_offset = ++*size;
    *size = (*size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static const struct mica_record *
read_record(struct reader *in, uint32_t address, size_t *fields_out)
{
    struct mica_table_record table;
    const struct mica_record *known = look_up(in->records, address, fields_out);
    if (known != NULL)
        return known;
    table_copy(in, address, &table, sizeof table);
    struct mica_record *record = table_room(in, 1, sizeof *record);
    struct mica_field *fields = table_room(in, table.count, sizeof *fields);
    size_t size = 0;
    in->bad |= ++in->depth > MOST_NESTED;
    *fields_out = 0;
    for (uint32_t i = 0; i < table.count && !in->bad; i++)
        read_field(in,
                   table.fields + i * (uint32_t)sizeof(struct mica_table_field),
                   &size, &fields[i], fields_out);
    in->depth--;
    if (in->bad)
        return NULL;
    *record = (struct mica_record){table_text(in, table.tag),
                                   size > 0 ? size : ALIGNMENT, fields,
                                   table.count, sizeof *fields};
    table_remember(in, &in->records, address, record, *fields_out);
    return record;
}

// ---- The engine ------------------------------------------------------------

static const struct mica_example *
read_examples(struct reader *in, uint32_t address, uint32_t count)
{
    struct mica_table_example table;
    struct mica_example *examples = table_room(in, count, sizeof *examples);
    for (uint32_t i = 0; i < count && !in->bad; i++) {
        table_copy(in, address + i * (uint32_t)sizeof table, &table,
                   sizeof table);
        examples[i] = (struct mica_example){
            table_text(in, table.title), table_text(in, table.input),
            table_text(in, table.output), table_text(in, table.error)};
    }
    return examples;
}

// A list that ends with NULL. Returns NULL if the table has no list.
static const char *const *
read_domains(struct reader *in, uint32_t address)
{
    const char **domains;
    uint32_t count = 0;

    if (address == 0)
        return NULL;
    while (!in->bad && table_word(in, address + count * 4) != 0)
        in->bad |= ++count > MOST_DOMAINS;
    domains = table_room(in, count + 1, sizeof *domains);
    for (uint32_t i = 0; i < count && !in->bad; i++)
        domains[i] = table_text(in, table_word(in, address + i * 4));
    return domains;
}

static const struct mica_view *
read_view(struct reader *in, uint32_t address)
{
    struct mica_table_view table;
    struct mica_view *view;

    if (address == 0)
        return NULL;
    table_copy(in, address, &table, sizeof table);
    view = table_room(in, 1, sizeof *view);
    if (view == NULL)
        return NULL;
    *view = (struct mica_view){
        .name = table_text(in, table.name),
        .file = table_text(in, table.file),
        .html = table_text(in, table.html),
        .title = table_text(in, table.title),
        .description = table_text(in, table.description),
        .connect_domains = read_domains(in, table.connect_domains),
        .resource_domains = read_domains(in, table.resource_domains),
        .frame_domains = read_domains(in, table.frame_domains),
        .base_uri_domains = read_domains(in, table.base_uri_domains),
        .permissions = table.permissions,
        .border = (enum mica_view_border)table.border,
        .domain = table_text(in, table.domain),
    };
    return view;
}

static void
read_engine(struct reader *in, uint32_t address, struct mica_engine *engine)
{
    struct mica_table_engine table;
    size_t fields = 0;
    table_copy(in, address, &table, sizeof table);
    *engine = (struct mica_engine){
        .abi = table.abi,
        .identifier = table_text(in, table.identifier),
        .input = read_record(in, table.input, &fields),
        .output = read_record(in, table.output, &fields),
        .title = table_text(in, table.title),
        .description = table_text(in, table.description),
        .category = table_text(in, table.category),
        .examples = read_examples(in, table.examples, table.example_count),
        .example_count = table.example_count,
        .time_ms = table.time_ms,
        .memory_bytes = table.memory_bytes,
        .output_bytes = table.output_bytes,
        .view = read_view(in, table.view),
    };
    in->bad |= engine->identifier == NULL;
}

enum mica_status
mica_tables_read(struct mica_arena *arena, const struct mica_wasm *module,
                 struct mica_error *error, struct mica_engine *engine_out)
{
    uint32_t address = 0;
    struct mica_text memory;
    if (!mica_wasm_global(module, MICA_TABLES_EXPORT, &address))
        return mica_error_set(error, MICA_E_BUILD, "",
                              "The module has no tables of an engine.");
    MICA_TRY(mica_wasm_memory(arena, module, error, &memory));
    struct reader in = {
        .arena = arena, .memory = memory.ptr, .size = memory.len};
    read_engine(&in, table_word(&in, address), engine_out);
    if (!in.bad)
        return MICA_OK;
    return mica_error_set(error, MICA_E_BUILD, "",
                          "The engine's tables point outside of its memory, "
                          "hold themselves, or describe more than %d fields.",
                          MOST_FIELDS);
}

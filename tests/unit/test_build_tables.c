// SPDX-License-Identifier: Apache-2.0
//
// The tables of an engine as they lie in the memory of a module, right and wrong.
// An address is the place of a member in `struct image`.
#include <stddef.h>
#include <string.h>

#include "build/module_tables.h"
#include "engine/tables.h"
#include "schema/record_value.h"
#include "unit.h"

enum {
    LEVELS = 4 // records that hold each other
};

struct image {
    uint32_t nothing[4];
    uint32_t pointer; // to the engine
    struct mica_table_engine engine;
    struct mica_table_view view;
    uint32_t domains[4];
    struct mica_table_record records[LEVELS];
    struct mica_table_field fields[LEVELS][48];
    struct mica_table_type types[LEVELS], number, text, choice;
    struct mica_table_format format;
    uint32_t choices[2];
    char name[8], pattern[8], email[8];
};

#define AT(member) ((uint32_t)offsetof(struct image, member))

static struct image image;
static struct mica_arena arena;
static struct mica_error error;

static struct mica_table_field
field(uint32_t type)
{
    const struct mica_table_bounds none = {.minimum = -MICA_INFINITY,
                                           .maximum = MICA_INFINITY,
                                           .exclusive_minimum = -MICA_INFINITY,
                                           .exclusive_maximum = MICA_INFINITY};
    return (struct mica_table_field){.name = AT(name),
                                     .description = AT(name),
                                     .type = type,
                                     .bounds = none,
                                     .each = none,
                                     .keys = none};
}

// An engine with one number, and an output with one.
static void
open_image(void)
{
    memset(&image, 0, sizeof image);
    memcpy(image.name, "amount", 7);
    memcpy(image.pattern, "^a$", 4);
    memcpy(image.email, "email", 6);
    image.pointer = AT(engine);
    image.engine = (struct mica_table_engine){.abi = MICA_ENGINE_ABI,
                                              .identifier = AT(name),
                                              .input = AT(records[0]),
                                              .output = AT(records[1]),
                                              .title = AT(name),
                                              .time_ms = 7};
    for (uint32_t i = 0; i < LEVELS; i++) {
        image.records[i] = (struct mica_table_record){
            .tag = AT(name),
            .fields = AT(fields) + i * (uint32_t)sizeof image.fields[0],
            .count = 1};
        image.types[i] = (struct mica_table_type){
            .kind = MICA_KIND_RECORD,
            .record =
                AT(records) + i * (uint32_t)sizeof(struct mica_table_record)};
        image.fields[i][0] = field(AT(number));
    }
    image.number.kind = MICA_KIND_NUMBER;
    image.text.kind = MICA_KIND_TEXT;
    image.format.name = AT(email);
    image.choice = (struct mica_table_type){.kind = MICA_KIND_CHOICE,
                                            .size = 4,
                                            .choices = AT(choices),
                                            .choice_count = 2};
    image.choices[0] = image.choices[1] = AT(name);
}

static enum mica_status
read_image(struct mica_engine *engine)
{
    const struct mica_wasm_export export = {MICA_LITERAL(MICA_TABLES_EXPORT),
                                            true, AT(pointer)};
    const struct mica_wasm_data data = {0,
                                        {(const char *)&image, sizeof image}};
    const struct mica_wasm module = {.export_count = 1,
                                     .exports = &export,
                                     .memory_pages = 1,
                                     .data_count = 1,
                                     .data = &data};
    memset(&error, 0, sizeof error);
    mica_arena_fini(&arena);
    mica_arena_init(&arena, 8 << 20);
    return mica_tables_read(&arena, &module, &error, engine);
}

static void
is_refused(void)
{
    struct mica_engine engine;
    ck_assert_int_eq(read_image(&engine), MICA_E_BUILD);
    ck_assert_str_eq(error.message,
                     "The engine's tables point outside of its memory, hold "
                     "themselves, or describe more than 10000 fields.");
    mica_arena_fini(&arena);
}

START_TEST(tables_become_those_of_this_machine)
{
    struct mica_engine engine;
    open_image();
    image.fields[0][1] = field(AT(text));
    image.fields[0][1].optional = 1;
    image.fields[0][1].has_offset = 1;
    image.fields[0][1].title = AT(pattern);
    image.fields[0][1].answer = 1;
    image.fields[0][1].bounds.pattern = AT(pattern);
    image.fields[0][1].bounds.format = AT(format);
    image.fields[0][2] = field(AT(choice));
    image.fields[0][3] = field(AT(types[2]));
    image.fields[0][3].bounds.maximum = 3;
    image.records[0].count = 4;
    ck_assert_msg(read_image(&engine) == MICA_OK, "%s", error.message);
    ck_assert_uint_eq(engine.time_ms, 7);
    ck_assert_str_eq(engine.title, "amount");
    ck_assert_ptr_null(engine.description);
    ck_assert_uint_eq(engine.input->count, 4);
    const struct mica_field *fields = engine.input->fields;
    ck_assert_str_eq(fields[0].name, "amount");
    ck_assert_ptr_eq(fields[0].type->codec, &mica_codec_number);
    ck_assert_str_eq(fields[1].bounds.pattern, "^a$");
    ck_assert_ptr_eq(fields[1].bounds.format, &mica_format_email);
    ck_assert(fields[1].optional);
    ck_assert(fields[1].answer && !fields[0].answer);
    ck_assert_str_eq(fields[1].title, "^a$");
    ck_assert_ptr_null(fields[1].chart);
    ck_assert_uint_eq(fields[1].has_offset - 1,
                      fields[1].offset + sizeof(struct mica_text));
    ck_assert_str_eq(fields[2].type->choices[1], "amount");
    ck_assert(fields[3].bounds.maximum == 3);
    ck_assert_ptr_eq(fields[3].type->record->fields[0].type, fields[0].type);
    // No member lies in another, and all lie in the record.
    for (size_t i = 0; i < 4; i++)
        ck_assert_uint_ge(i < 3 ? fields[i + 1].offset : engine.input->size,
                          fields[i].offset + fields[i].type->size);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(an_address_outside_is_refused)
{
    uint32_t *const addresses[] = {&image.pointer,
                                   &image.engine.input,
                                   &image.engine.identifier,
                                   &image.engine.title,
                                   &image.records[0].fields,
                                   &image.records[1].tag,
                                   &image.fields[0][0].type,
                                   &image.fields[0][0].name,
                                   &image.fields[0][0].bounds.pattern,
                                   &image.fields[0][0].each.format,
                                   &image.number.element,
                                   &image.number.record};
    const uint32_t wrong[] = {65536, 65535, 0xFFFFFFFF};
    for (size_t i = 0; i < MICA_COUNT(addresses); i++)
        for (size_t k = 0; k < MICA_COUNT(wrong); k++) {
            open_image();
            *addresses[i] = wrong[k];
            // The last byte of the memory is 0: an empty text.
            if (wrong[k] != 65535 || (addresses[i] != &image.engine.title &&
                                      addresses[i] != &image.records[1].tag &&
                                      i != 2 && i != 7 && i != 8))
                is_refused();
        }
}
END_TEST

START_TEST(a_number_of_things_beyond_the_memory_is_refused)
{
    open_image();
    image.engine.example_count = 0xFFFFFFFF;
    is_refused();
    open_image();
    image.records[0].count = 2000;
    is_refused();
    open_image();
    image.fields[0][0].type = AT(choice);
    image.choice.choice_count = 60000;
    is_refused();
}
END_TEST

START_TEST(what_holds_itself_is_refused)
{
    open_image();
    image.fields[0][0].type = AT(types[0]);
    is_refused();
    open_image();
    image.number.kind = MICA_KIND_LIST;
    image.number.element = AT(number);
    is_refused();
    open_image();
    image.number.kind = MICA_KIND_LIST; // of nothing
    is_refused();
    open_image();
    image.number.kind = MICA_KIND_RECORD;
    is_refused();
}
END_TEST

// Small in memory, and endless when it is written down.
START_TEST(too_many_fields_are_refused)
{
    struct mica_engine engine;
    open_image();
    for (uint32_t i = 0; i < LEVELS; i++) {
        uint32_t inner =
            AT(types) + (i + 1) * (uint32_t)sizeof(struct mica_table_type);
        for (size_t k = 0; k < 48; k++)
            image.fields[i][k] = field(i + 1 < LEVELS ? inner : AT(number));
        image.records[i].count = 48;
    }
    is_refused();
    image.records[0].count = image.records[1].count = 1;
    ck_assert_msg(read_image(&engine) == MICA_OK, "%s", error.message);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(an_unknown_format_or_kind_is_refused)
{
    struct mica_engine engine;
    open_image();
    image.fields[0][0].bounds.format = AT(format);
    memcpy(image.email, "phone", 6);
    is_refused();
    open_image();
    image.number.kind = 99; // refused by the check of the tables
    ck_assert_int_eq(read_image(&engine), MICA_OK);
    ck_assert_ptr_null(engine.input->fields[0].type->codec);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_view_becomes_one_of_this_machine)
{
    struct mica_engine engine;
    open_image();
    image.engine.view = AT(view);
    image.view = (struct mica_table_view){.name = AT(name),
                                          .file = AT(email),
                                          .resource_domains = AT(domains),
                                          .permissions = 8,
                                          .border = MICA_BORDERED};
    image.domains[0] = image.domains[1] = AT(name);
    ck_assert_msg(read_image(&engine) == MICA_OK, "%s", error.message);
    ck_assert_ptr_nonnull(engine.view);
    ck_assert_str_eq(engine.view->name, "amount");
    ck_assert_str_eq(engine.view->file, "email");
    ck_assert_str_eq(engine.view->resource_domains[1], "amount");
    ck_assert_ptr_null(engine.view->resource_domains[2]);
    ck_assert_ptr_null(engine.view->connect_domains);
    ck_assert_uint_eq(engine.view->permissions, 8);
    ck_assert_int_eq(engine.view->border, MICA_BORDERED);
    mica_arena_fini(&arena);
    open_image();
    image.engine.view = 1U << 30;
    is_refused();
    open_image();
    image.engine.view = AT(view);
    image.view.connect_domains = AT(domains);
    image.domains[0] = 1U << 30;
    is_refused();
    open_image();
    image.engine.view = AT(view);
    image.view.frame_domains = 65536 - 2; // half of a word is outside
    is_refused();
}
END_TEST

START_TEST(a_module_without_tables_is_refused)
{
    struct mica_engine engine;
    struct mica_wasm module = {.memory_pages = 1};
    mica_arena_init(&arena, 1 << 20);
    ck_assert_int_eq(mica_tables_read(&arena, &module, &error, &engine),
                     MICA_E_BUILD);
    ck_assert_str_eq(error.message, "The module has no tables of an engine.");
    const struct mica_wasm_export export = {MICA_LITERAL(MICA_TABLES_EXPORT),
                                            true, 0};
    const struct mica_wasm_data data = {65535, MICA_LITERAL("ab")};
    module.export_count = module.data_count = 1;
    module.exports = &export;
    module.data = &data;
    ck_assert_int_eq(mica_tables_read(&arena, &module, &error, &engine),
                     MICA_E_BUILD);
    ck_assert_str_eq(error.message,
                     "The module puts data outside of its memory.");
    module.memory_pages = 65536;
    ck_assert_int_eq(mica_tables_read(&arena, &module, &error, &engine),
                     MICA_E_LIMIT);
    mica_arena_fini(&arena);
}
END_TEST

UNIT_MAIN("build_tables", tables_become_those_of_this_machine,
          a_view_becomes_one_of_this_machine, an_address_outside_is_refused,
          a_number_of_things_beyond_the_memory_is_refused,
          what_holds_itself_is_refused, too_many_fields_are_refused,
          an_unknown_format_or_kind_is_refused,
          a_module_without_tables_is_refused)

// SPDX-License-Identifier: Apache-2.0
//
// mica_sql: statements as one step, and rows as structs.
#include <math.h>
#include <string.h>

#include "call/keep_provider.h"
#include "call/turn_state.h"
#include "schema/record.h"

// ---- Statements --------------------------------------------------------------------

static enum mica_status
check_value(struct mica_call *call, const struct mica_sql_value *value,
            size_t statement, size_t number)
{
    bool text = value->kind == MICA_SQL_TEXT;

    if ((text || value->kind == MICA_SQL_BYTES) &&
        value->text.len > MICA_KEEP_VALUE_BYTES)
        return mica_turn_set_error(call, MICA_E_KEEP_SIZE,
                                   "?%zu of statement %zu has %zu bytes; at "
                                   "most %d are bound",
                                   number, statement, value->text.len,
                                   MICA_KEEP_VALUE_BYTES);
    if ((text && mica_utf8_valid(value->text) != value->text.len) ||
        (value->kind == MICA_SQL_NUMBER && !isfinite(value->number)) ||
        value->kind > MICA_SQL_BYTES)
        return mica_turn_set_error(call, MICA_E_USAGE,
                                   "?%zu of statement %zu is no value of SQL: "
                                   "texts are UTF-8, and numbers finite",
                                   number, statement);
    return MICA_OK;
}

static enum mica_status
check_statements(struct mica_call *call, const struct mica_sql *sql,
                 size_t *count_out)
{
    size_t count = 0;

    for (; sql->run != NULL && sql->run[count].text != NULL; count++) {
        const struct mica_sql_statement *one = &sql->run[count];
        if (strlen(one->text) > MICA_KEEP_SQL_BYTES)
            return mica_turn_set_error(call, MICA_E_KEEP_SIZE,
                                       "statement %zu has more than %d bytes",
                                       count + 1, MICA_KEEP_SQL_BYTES);
        for (size_t i = 0; i < one->count; i++)
            MICA_TRY(check_value(call, &one->values[i], count + 1, i + 1));
    }
    *count_out = count;
    if (count > 0 && count <= MICA_KEEP_STATEMENTS)
        return MICA_OK;
    return mica_turn_set_error(call, MICA_E_USAGE,
                               "mica_sql runs 1 to %d statements; these are "
                               "%zu: .run = MICA_RUN(MICA_SQL(\"SELECT …\"))",
                               MICA_KEEP_STATEMENTS, count);
}

// ---- Rows --------------------------------------------------------------------------

// SQL has no booleans, and no values inside of values.
static void
column_adapt(struct mica_arena *arena, const struct mica_field *field,
             struct mica_json *value)
{
    const struct mica_type *type = field->type->kind == MICA_KIND_NULLABLE
                                       ? field->type->element
                                       : field->type;
    bool zero = mica_text_is(value->text, "0");
    struct mica_json inside;

    if (type->kind == MICA_KIND_BOOLEAN && value->kind == MICA_JSON_NUMBER &&
        (zero || mica_text_is(value->text, "1"))) {
        value->kind = zero ? MICA_JSON_FALSE : MICA_JSON_TRUE;
        value->raw = zero ? MICA_LITERAL("false") : MICA_LITERAL("true");
    }
    if (value->kind == MICA_JSON_STRING &&
        (type->kind == MICA_KIND_RECORD || type->kind == MICA_KIND_LIST ||
         type->kind == MICA_KIND_MAP || type->kind == MICA_KIND_ANY) &&
        mica_json_read(arena, value->text, NULL, NULL, &inside) == MICA_OK)
        *value = inside;
}

// The rows with the values that fields of `record` can take.
static const struct mica_json *
rows_adapt(struct mica_arena *arena, const struct mica_record *record,
           const struct mica_json *rows)
{
    struct mica_json *items =
        mica_arena_zero(arena, rows->count, sizeof *items);

    for (size_t i = 0; items != NULL && i < rows->count; i++) {
        size_t count = rows->items[i].count;
        struct mica_json_member *members =
            mica_arena_zero(arena, count, sizeof *members);
        if (members == NULL)
            return NULL;
        items[i] = rows->items[i];
        for (size_t j = 0; j < count; j++) {
            const struct mica_field *field;
            members[j] = rows->items[i].members[j];
            field = mica_record_find(record, members[j].name);
            if (field != NULL)
                column_adapt(arena, field, &members[j].value);
        }
        items[i].members = members;
    }
    return items;
}

// All rows, as the member that the record has.
static enum mica_status
rows_decode(struct mica_keep_step *step, const struct mica_json *rows,
            const struct mica_json *items, struct mica_error *error)
{
    struct mica_json_member member = {.name = MICA_LITERAL("rows"),
                                      .value = *rows};
    const struct mica_json whole = {
        .kind = MICA_JSON_OBJECT, .count = 1, .members = &member};

    member.value.items = items;
    return mica_keep_step_decode(step, &whole, error);
}

static enum mica_status
rows_take(struct mica_keep_step *step, const struct mica_json *answer,
          struct mica_error *error)
{
    const struct mica_json *rows = mica_json_get(answer, "rows");
    const struct mica_field *list = mica_keep_step_list(step, "rows");
    const struct mica_record *record =
        list != NULL ? list->type->element->record : step->into.record;
    const struct mica_json *items;

    step->kept->rows = rows != NULL ? (int64_t)rows->count : 0;
    step->kept->changes = mica_keep_answer_integer(answer, "changes");
    if (record == NULL || rows == NULL)
        return MICA_OK;
    if (rows->count == 0 && list == NULL)
        return step->needs_one ? mica_error_set(error, MICA_E_KEEP_NONE, "",
                                                "the step \"%s\" reads a row, "
                                                "but it finds none",
                                                step->key)
                               : MICA_OK;
    items = rows_adapt(step->call->arena, record, rows);
    if (items == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the call has no memory for its rows");
    return list != NULL ? rows_decode(step, rows, items, error)
                        : mica_keep_step_decode(step, &items[0], error);
}

enum mica_status
mica_sql(struct mica_call *call, const struct mica_sql *sql,
         struct mica_into into)
{
    struct mica_keep_step step = {
        .call = call,
        .key = sql->key != NULL ? sql->key : "sql",
        .order = {.act = MICA_KEEP_SQL, .run = sql->run},
        .into = into,
        .take = rows_take,
        .needs_one = sql->rows_out == NULL};
    struct mica_kept kept;
    enum mica_status status = mica_turn_enter(call);

    if (into.record != NULL)
        memset(into.out, 0, into.record->size);
    if (sql->rows_out != NULL)
        *sql->rows_out = 0;
    if (sql->changes_out != NULL)
        *sql->changes_out = 0;
    if (status != MICA_OK)
        return status;
    MICA_TRY(check_statements(call, sql, &step.order.count));
    MICA_TRY(mica_keep_step_run(&step, &kept));
    if (sql->rows_out != NULL)
        *sql->rows_out = (size_t)kept.rows;
    if (sql->changes_out != NULL)
        *sql->changes_out = kept.changes;
    return MICA_OK;
}

// SPDX-License-Identifier: Apache-2.0
//
// The back end in memory. A row is one piece of memory that never changes: its
// links in the trees of its indexes, then its columns, packed: numbers in as few
// bytes as they need, texts behind their lengths. To change a row is to put
// another in its place. So a transaction is undone by walking back over what was
// put and taken; what was taken is freed when it can no longer be undone.
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "store/backend.h"
#include "store/gate.h"
#include "store/tree.h"

enum {
    INDEXES = MICA_STORE_INDEXES,
    PACKED = 10 // bytes of a number, at most
};

struct table {
    struct mica_tree trees[INDEXES];
    const struct mica_store_layout *layout;
};

// How the rows of one tree are compared: by the columns of an index, then by
// those of the first one.
struct order {
    const struct mica_store_layout *layout;
    unsigned index;
};

struct done {
    struct table *table;
    void *row;
    bool was_put; // else it was taken
};

struct memory {
    struct mica_gate gate;
    struct table tables[MICA_STORE_TABLES];
    struct order orders[MICA_STORE_TABLES][INDEXES];
    int64_t counters[MICA_STORE_COUNTERS], counters_before[MICA_STORE_COUNTERS];
    struct done *done; // by the transaction that is open
    size_t done_count, done_room;
};

static enum mica_status
no_memory(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_LIMIT, "",
                          "No memory is left for the store.");
}

// ---- Rows ----------------------------------------------------------------------

// Seven bits a byte, the lowest first; the last one has the top bit clear.
static size_t
pack(char *room, uint64_t number)
{
    size_t count = 0;

    for (; number > 0x7F; number >>= 7)
        room[count++] = (char)(number | 0x80);
    room[count++] = (char)number;
    return count;
}

static uint64_t
unpack(const char **at)
{
    uint64_t number = 0;
    unsigned char byte;

    for (unsigned shift = 0;; shift += 7) {
        byte = (unsigned char)*(*at)++;
        number |= (uint64_t)(byte & 0x7F) << shift;
        if (byte <= 0x7F)
            return number;
    }
}

// So that those just below 0 are short, too.
static uint64_t
fold(int64_t number)
{
    return (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0);
}

static int64_t
unfold(uint64_t number)
{
    return (int64_t)(number >> 1 ^ (~(number & 1) + 1));
}

static const char *
columns_of(const struct mica_store_layout *layout, const void *row)
{
    return (const char *)row +
           layout->index_count * sizeof(struct mica_tree_link);
}

// Of the column at *at, which is then behind it.
static union mica_store_value
next_value(const struct mica_store_layout *layout, unsigned column,
           const char **at)
{
    uint64_t packed = unpack(at);
    union mica_store_value value = {.text = {NULL, 0}};

    if (layout->columns[column].kind == MICA_STORE_NUMBER) {
        value.number = unfold(packed);
    } else {
        value.text = (struct mica_text){*at, (size_t)packed};
        *at += packed;
    }
    return value;
}

static union mica_store_value
value_of(const struct mica_store_layout *layout, const void *row,
         unsigned column)
{
    const char *at = columns_of(layout, row);

    for (unsigned i = 0; i < column; i++)
        (void)next_value(layout, i, &at);
    return next_value(layout, column, &at);
}

static size_t
size_of(const struct mica_store_layout *layout,
        const struct mica_store_row *values)
{
    size_t size = layout->index_count * sizeof(struct mica_tree_link);
    char room[PACKED];

    for (unsigned i = 0; i < layout->column_count; i++) {
        const union mica_store_value *value = &values->values[i];
        if (layout->columns[i].kind == MICA_STORE_NUMBER)
            size += pack(room, fold(value->number));
        else
            size += pack(room, value->text.len) + value->text.len;
    }
    return size;
}

// NULL when there is no memory.
static void *
make_row(const struct mica_store_layout *layout,
         const struct mica_store_row *values)
{
    void *row = malloc(size_of(layout, values));
    char *at;

    if (row == NULL)
        return NULL;
    at = (char *)row + layout->index_count * sizeof(struct mica_tree_link);
    for (unsigned i = 0; i < layout->column_count; i++) {
        const union mica_store_value *value = &values->values[i];
        if (layout->columns[i].kind == MICA_STORE_NUMBER) {
            at += pack(at, fold(value->number));
            continue;
        }
        at += pack(at, value->text.len);
        if (value->text.len > 0)
            memcpy(at, value->text.ptr, value->text.len);
        at += value->text.len;
    }
    return row;
}

// Keys are wiped; no other row has a secret.
static void
free_row(const struct mica_store_layout *layout, void *row)
{
    if (layout == &mica_store_layouts[MICA_STORE_KEYS]) {
        struct mica_text secret = value_of(layout, row, MICA_KEY_SECRET).text;
        sodium_memzero((char *)(uintptr_t)secret.ptr, secret.len);
    }
    free(row);
}

// ---- Order ---------------------------------------------------------------------

static int
compare_values(enum mica_store_kind kind, union mica_store_value a,
               union mica_store_value b)
{
    if (kind != MICA_STORE_NUMBER)
        return mica_text_compare(a.text, b.text);
    return (a.number > b.number) - (a.number < b.number);
}

static int
compare_index(const struct mica_store_layout *layout, unsigned index,
              const void *a, const void *b)
{
    const struct mica_store_index *by = &layout->indexes[index];
    int order = 0;

    for (unsigned i = 0; i < by->count && order == 0; i++) {
        unsigned column = by->columns[i];
        order = compare_values(layout->columns[column].kind,
                               value_of(layout, a, column),
                               value_of(layout, b, column));
    }
    return order;
}

static int
compare_rows(const void *data, const void *a, const void *b)
{
    const struct order *by = data;
    int order = compare_index(by->layout, by->index, a, b);

    return order == 0 && by->index > 0 ? compare_index(by->layout, 0, a, b)
                                       : order;
}

// On which side of the range a row lies.
static int
side_of(const void *probe, const void *row)
{
    const struct mica_store_range *range = probe;
    const struct mica_store_layout *layout = &mica_store_layouts[range->table];
    const struct mica_store_index *by = &layout->indexes[range->index];

    for (unsigned i = 0; i < range->equal; i++) {
        unsigned column = by->columns[i];
        int order =
            compare_values(layout->columns[column].kind,
                           value_of(layout, row, column), range->values[i]);
        if (order != 0)
            return order;
    }
    if (range->bound == MICA_BOUND_NONE)
        return 0;
    unsigned column = by->columns[range->equal];
    int order = compare_values(layout->columns[column].kind,
                               value_of(layout, row, column),
                               range->values[range->equal]);
    if (order == 0 && range->ties) {
        unsigned key = layout->indexes[0].columns[0];
        order = compare_values(layout->columns[key].kind,
                               value_of(layout, row, key),
                               range->values[range->equal + 1]);
    }
    if (range->bound == MICA_BOUND_AFTER)
        return order > 0 ? 0 : -1;
    return order < 0 ? 0 : 1;
}

static bool
meets_conditions(const struct mica_store_range *range, const void *row)
{
    const struct mica_store_layout *layout = &mica_store_layouts[range->table];

    for (unsigned i = 0; i < range->condition_count; i++) {
        const struct mica_store_condition *condition = &range->conditions[i];
        int order = compare_values(layout->columns[condition->column].kind,
                                   value_of(layout, row, condition->column),
                                   condition->value);
        if ((condition->is == MICA_IS_EQUAL && order != 0) ||
            (condition->is == MICA_IS_AT_MOST && order > 0) ||
            (condition->is == MICA_IS_AT_LEAST && order < 0))
            return false;
    }
    return true;
}

// ---- Putting and taking --------------------------------------------------------

static void
put(struct table *table, void *row)
{
    mica_tree_put(&table->trees[0], row); // the primary key
    for (unsigned i = 1; i < table->layout->index_count; i++)
        mica_tree_put(&table->trees[i], row);
}

static void
take(struct table *table, void *row)
{
    for (unsigned i = 0; i < table->layout->index_count; i++)
        mica_tree_take(&table->trees[i], row);
}

// Room to note `count` more; first of all, so that nothing fails half-way.
static bool
reserve(struct memory *memory, size_t count)
{
    size_t room = memory->done_room;

    if (memory->done_count + count <= room)
        return true;
    room = room * 2 > memory->done_count + count ? room * 2
                                                 : memory->done_count + count;
    struct done *done = realloc(memory->done, room * sizeof *done);
    if (done == NULL)
        return false;
    memory->done = done;
    memory->done_room = room;
    return true;
}

static void
note(struct memory *memory, struct table *table, void *row, bool was_put)
{
    struct done *done = &memory->done[memory->done_count++];

    done->table = table;
    done->row = row;
    done->was_put = was_put;
}

// ---- Transactions --------------------------------------------------------------

static enum mica_status
begin(void *self, enum mica_store_access access, struct mica_error *error,
      void **connection_out)
{
    struct memory *memory = self;

    (void)access;
    MICA_TRY(mica_gate_enter(&memory->gate, error));
    memcpy(memory->counters_before, memory->counters, sizeof memory->counters);
    *connection_out = memory;
    return MICA_OK;
}

// What lies in memory for long is not kept large by one large transaction.
static void
end(struct memory *memory)
{
    enum {
        KEPT = 64
    };

    memory->done_count = 0;
    if (memory->done_room > KEPT) {
        free(memory->done);
        memory->done = NULL;
        memory->done_room = 0;
    }
    mica_gate_leave(&memory->gate);
}

static enum mica_status
commit(void *connection, struct mica_error *error)
{
    struct memory *memory = connection;

    (void)error;
    for (size_t i = 0; i < memory->done_count; i++) {
        if (!memory->done[i].was_put)
            free_row(memory->done[i].table->layout, memory->done[i].row);
    }
    end(memory);
    return MICA_OK;
}

static void
rollback(void *connection)
{
    struct memory *memory = connection;

    for (size_t i = memory->done_count; i-- > 0;) {
        struct done *done = &memory->done[i];
        if (done->was_put) {
            take(done->table, done->row);
            free_row(done->table->layout, done->row);
        } else {
            put(done->table, done->row);
        }
    }
    memcpy(memory->counters, memory->counters_before, sizeof memory->counters);
    end(memory);
}

// ---- Rows of a transaction -----------------------------------------------------

// The range of the rows that are equal to `row` in the first `equal` columns of
// the primary key.
static struct mica_store_range
by_key(enum mica_store_table table, unsigned equal,
       const struct mica_store_row *row)
{
    const struct mica_store_index *key = &mica_store_layouts[table].indexes[0];
    struct mica_store_range range = {.table = table, .equal = equal};

    for (unsigned i = 0; i < equal; i++)
        range.values[i] = row->values[key->columns[i]];
    return range;
}

static enum mica_status
insert(void *connection, enum mica_store_table number,
       const struct mica_store_row *values, struct mica_error *error)
{
    struct memory *memory = connection;
    struct table *table = &memory->tables[number];
    struct mica_store_range same =
        by_key(number, table->layout->indexes[0].count, values);

    if (mica_tree_find(&table->trees[0], false, side_of, &same) != NULL)
        return mica_error_set(error, MICA_E_EXISTS, "",
                              "There is such a row in %s already.",
                              table->layout->name);
    void *row = reserve(memory, 1) ? make_row(table->layout, values) : NULL;
    if (row == NULL)
        return no_memory(error);
    put(table, row);
    note(memory, table, row, true);
    return MICA_OK;
}

static enum mica_status
update(void *connection, enum mica_store_table number, unsigned columns,
       const struct mica_store_row *values, struct mica_error *error)
{
    struct memory *memory = connection;
    struct table *table = &memory->tables[number];
    struct mica_store_range same =
        by_key(number, table->layout->indexes[0].count, values);
    struct mica_store_row changed;
    const char *at;
    void *old = mica_tree_find(&table->trees[0], false, side_of, &same);

    if (old == NULL)
        return mica_error_set(error, MICA_E_NOT_FOUND, "",
                              "There is no such row in %s.",
                              table->layout->name);
    at = columns_of(table->layout, old);
    for (unsigned i = 0; i < table->layout->column_count; i++) {
        union mica_store_value before = next_value(table->layout, i, &at);
        changed.values[i] =
            (columns & MICA_COLUMN(i)) != 0 ? values->values[i] : before;
    }
    void *row = reserve(memory, 2) ? make_row(table->layout, &changed) : NULL;
    if (row == NULL)
        return no_memory(error);
    take(table, old);
    note(memory, table, old, false);
    put(table, row);
    note(memory, table, row, true);
    return MICA_OK;
}

static enum mica_status
remove_rows(void *connection, enum mica_store_table number, unsigned equal,
            const struct mica_store_row *values, struct mica_error *error,
            size_t *removed_out)
{
    struct memory *memory = connection;
    struct table *table = &memory->tables[number];
    struct mica_store_range range = by_key(number, equal, values);
    void *row;

    *removed_out = 0;
    while ((row = mica_tree_find(&table->trees[0], false, side_of, &range)) !=
           NULL) {
        if (!reserve(memory, 1))
            return no_memory(error);
        take(table, row);
        note(memory, table, row, false);
        (*removed_out)++;
    }
    return MICA_OK;
}

// ---- Reading -------------------------------------------------------------------

static bool
copy_row(const struct mica_store_layout *layout, const void *row,
         unsigned columns, struct mica_arena *arena, struct mica_store_row *out)
{
    const char *at = columns_of(layout, row);

    for (unsigned i = 0; i < layout->column_count; i++) {
        union mica_store_value value = next_value(layout, i, &at);
        if ((columns & MICA_COLUMN(i)) == 0)
            continue;
        out->values[i] = value;
        if (layout->columns[i].kind == MICA_STORE_NUMBER)
            continue;
        out->values[i].text = mica_arena_text(arena, out->values[i].text);
        if (out->values[i].text.ptr == NULL)
            return false;
    }
    return true;
}

// The next row from `row` on, `row` included, that is in the range.
static void *
row_in_range(const struct mica_tree *tree, const struct mica_store_range *range,
             void *row)
{
    while (row != NULL && side_of(range, row) == 0) {
        if (meets_conditions(range, row))
            return row;
        row = mica_tree_next(tree, range->newest_first, row);
    }
    return NULL;
}

static void *
first_in_range(const struct mica_tree *tree,
               const struct mica_store_range *range)
{
    return row_in_range(
        tree, range, mica_tree_find(tree, range->newest_first, side_of, range));
}

static void *
next_in_range(const struct mica_tree *tree,
              const struct mica_store_range *range, void *row)
{
    return row_in_range(tree, range,
                        mica_tree_next(tree, range->newest_first, row));
}

static enum mica_status
scan(void *connection, const struct mica_store_range *range,
     struct mica_arena *arena, struct mica_error *error,
     struct mica_store_rows *rows_out)
{
    const struct memory *memory = connection;
    const struct table *table = &memory->tables[range->table];
    const struct mica_tree *tree = &table->trees[range->index];
    unsigned columns = range->columns == 0 ? MICA_ALL_COLUMNS : range->columns;
    void *first = range->limit == 0 ? NULL : first_in_range(tree, range);
    size_t count = 0;

    for (void *row = first; row != NULL && count < range->limit;
         row = next_in_range(tree, range, row))
        count++;
    rows_out->items = mica_arena_zero(arena, count, sizeof *rows_out->items);
    rows_out->count = count;
    if (rows_out->items == NULL)
        return no_memory(error);
    for (size_t i = 0; i < count; i++) {
        if (!copy_row(table->layout, first, columns, arena,
                      &rows_out->items[i]))
            return no_memory(error);
        first = next_in_range(tree, range, first);
    }
    return MICA_OK;
}

static enum mica_status
count_rows(void *connection, const struct mica_store_range *range,
           struct mica_error *error, int64_t *count_out)
{
    const struct memory *memory = connection;
    const struct mica_tree *tree =
        &memory->tables[range->table].trees[range->index];

    (void)error;
    *count_out = 0;
    for (void *row = first_in_range(tree, range); row != NULL;
         row = next_in_range(tree, range, row))
        *count_out += 1;
    return MICA_OK;
}

static enum mica_status
add(void *connection, enum mica_store_counter counter, int64_t by,
    struct mica_error *error)
{
    struct memory *memory = connection;

    (void)error;
    memory->counters[counter] += by;
    return MICA_OK;
}

static enum mica_status
total(void *connection, enum mica_store_counter counter,
      struct mica_error *error, int64_t *total_out)
{
    const struct memory *memory = connection;

    (void)error;
    *total_out = memory->counters[counter];
    return MICA_OK;
}

// ---- Opening and closing -------------------------------------------------------

static enum mica_status
place(void *self, struct mica_error *error, struct mica_store_place *place_out)
{
    struct memory *memory = self;

    (void)error;
    mica_gate_waits(&memory->gate, &place_out->waits_ended,
                    &place_out->waits_vain);
    return MICA_OK;
}

static void
close_memory(void *self)
{
    struct memory *memory = self;

    for (unsigned i = 0; i < MICA_STORE_TABLES; i++) {
        struct table *table = &memory->tables[i];
        while (table->trees[0].root != NULL) {
            void *row = table->trees[0].root;
            mica_tree_take(&table->trees[0], row);
            free_row(table->layout, row);
        }
    }
    free(memory->done);
    mica_gate_fini(&memory->gate);
    free(memory);
}

enum mica_status
mica_store_memory_open(const struct mica_store_options *limits,
                       struct mica_error *error, void **self_out)
{
    struct memory *memory = calloc(1, sizeof *memory);

    if (memory == NULL)
        return no_memory(error);
    mica_gate_init(&memory->gate, limits->busy_ms);
    for (unsigned i = 0; i < MICA_STORE_TABLES; i++) {
        struct table *table = &memory->tables[i];
        table->layout = &mica_store_layouts[i];
        for (unsigned j = 0; j < table->layout->index_count; j++) {
            struct mica_tree *tree = &table->trees[j];
            memory->orders[i][j] = (struct order){table->layout, j};
            tree->link = j * sizeof(struct mica_tree_link);
            tree->compare = compare_rows;
            tree->order = &memory->orders[i][j];
            randombytes_buf(&tree->secret, sizeof tree->secret);
        }
    }
    *self_out = memory;
    return MICA_OK;
}

const struct mica_store_backend mica_store_memory = {
    .name = "memory",
    .close = close_memory,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .insert = insert,
    .update = update,
    .remove = remove_rows,
    .scan = scan,
    .count = count_rows,
    .add = add,
    .total = total,
    .place = place,
};

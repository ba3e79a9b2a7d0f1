// SPDX-License-Identifier: Apache-2.0
//
// Arrays: how many items, which schema each has to keep, whether they differ.
#include "schema/evaluate.h"

// One item by its schema; one that must not be there is named as that.
static bool
evaluate_item(struct mica_schema_run *run, const struct mica_schema_node *node,
              const struct mica_schema_node *each,
              const struct mica_json *value, size_t index)
{
    if (each->types == 0)
        return mica_schema_fail(run, node, MICA_REASON_ITEM, value,
                                &value->items[index]);
    return mica_schema_apply(run, each, &value->items[index]);
}

static bool
evaluate_each(struct mica_schema_run *run, const struct mica_schema_node *node,
              const struct mica_json *value, struct mica_schema_marks *marks)
{
    const struct mica_schema_items *items = node->items;
    size_t prefix =
        items->prefix_count < value->count ? items->prefix_count : value->count;
    bool good = true;
    for (size_t i = 0; i < prefix && mica_schema_goes_on(run, good); i++) {
        mica_schema_mark(marks, i);
        good &= evaluate_item(run, node, items->prefix[i], value, i);
    }
    if (items->rest == NULL || value->count == prefix)
        return good;
    if (!mica_schema_spend(run, value->count))
        return false;
    for (size_t i = prefix; i < value->count && mica_schema_goes_on(run, good);
         i++) {
        mica_schema_mark(marks, i);
        good &= evaluate_item(run, node, items->rest, value, i);
    }
    return good;
}

static bool
evaluate_contains(struct mica_schema_run *run,
                  const struct mica_schema_node *node,
                  const struct mica_json *value,
                  struct mica_schema_marks *marks)
{
    const struct mica_schema_items *items = node->items;
    struct mica_schema_faults *faults = run->faults;
    size_t found = 0;
    bool to_the_end = marks != NULL || items->contains_most != SIZE_MAX;
    if (!mica_schema_spend(run, value->count))
        return false;
    // That an item does not fit is no error.
    run->faults = NULL;
    for (size_t i = 0; i < value->count; i++) {
        if (!to_the_end && found >= items->contains_least)
            break;
        if (!mica_schema_apply(run, items->contains, &value->items[i]))
            continue;
        mica_schema_mark(marks, i);
        found++;
    }
    run->faults = faults;
    if (found < items->contains_least)
        return mica_schema_fail(run, node, MICA_REASON_CONTAINS_FEW, value,
                                &found);
    if (found > items->contains_most)
        return mica_schema_fail(run, node, MICA_REASON_CONTAINS_MANY, value,
                                &found);
    return true;
}

bool
mica_schema_evaluate_items(struct mica_schema_run *run,
                           const struct mica_schema_node *node,
                           const struct mica_json *value,
                           struct mica_schema_marks *marks)
{
    const struct mica_schema_items *items = node->items;
    size_t pair[2];
    bool good = true;
    if (value->count < items->least)
        good = mica_schema_fail(run, node, MICA_REASON_FEW_ITEMS, value, NULL);
    if (value->count > items->most)
        good = mica_schema_fail(run, node, MICA_REASON_MANY_ITEMS, value, NULL);
    if (mica_schema_goes_on(run, good) &&
        (items->rest != NULL || items->prefix != NULL))
        good &= evaluate_each(run, node, value, marks);
    if (mica_schema_goes_on(run, good) && items->contains != NULL)
        good &= evaluate_contains(run, node, value, marks);
    if (mica_schema_goes_on(run, good) && items->unique && value->count > 1 &&
        mica_schema_same_items(run, value, pair))
        good = mica_schema_fail(run, node, MICA_REASON_UNIQUE, value, pair);
    return good;
}

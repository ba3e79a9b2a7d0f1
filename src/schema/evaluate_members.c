// SPDX-License-Identifier: Apache-2.0
//
// Objects: each member is looked up once, which tells its schema and that a
// required name is there.
#include "schema/evaluate.h"

// The index of the member of that name, or the count of members.
static size_t
find_member(const struct mica_json *object, struct mica_text name,
            struct mica_schema_key key)
{
    size_t at = 0;
    while (at < object->count &&
           !mica_schema_same_name(name, key, object->members[at].name))
        at++;
    return at;
}

const struct mica_json *
mica_schema_member(struct mica_schema_run *run, const struct mica_json *object,
                   struct mica_text name)
{
    if (object->kind != MICA_JSON_OBJECT ||
        !mica_schema_spend(run, object->count / 16))
        return NULL;
    size_t at = find_member(object, name, mica_schema_key(name));
    return at < object->count ? &object->members[at].value : NULL;
}

// propertyNames: the name as a string, which stands where the object does.
static bool
evaluate_name(struct mica_schema_run *run, const struct mica_schema_node *node,
              const struct mica_json *value,
              const struct mica_json_member *member)
{
    const struct mica_json name = {
        .kind = MICA_JSON_STRING, .raw = value->raw, .text = member->name};
    struct mica_schema_faults *faults = run->faults;
    run->faults = NULL;
    bool good = mica_schema_apply(run, node->members->names, &name);
    run->faults = faults;
    return good || mica_schema_fail(run, node, MICA_REASON_NAME, value, member);
}

// A member by one of the schemas for it.
static inline bool
evaluate_by(struct mica_schema_run *run, const struct mica_schema_node *node,
            const struct mica_schema_node *each, const struct mica_json *value,
            const struct mica_json_member *member)
{
    if (each->types == 0)
        return mica_schema_fail(run, node, MICA_REASON_MEMBER, value, member);
    return mica_schema_apply(run, each, &member->value);
}

// One member by patternProperties. True in `*known_out` when one matches.
static bool
evaluate_patterns(struct mica_schema_run *run,
                  const struct mica_schema_node *node,
                  const struct mica_json *value,
                  const struct mica_json_member *member, bool *known_out)
{
    const struct mica_schema_members *members = node->members;
    bool good = true;
    if (!mica_schema_spend(run, members->pattern_count))
        return false;
    for (size_t i = 0; i < members->pattern_count; i++) {
        const struct mica_schema_matching *matching = &members->patterns[i];
        if (!mica_schema_matches(run, matching->pattern, member->name))
            continue;
        *known_out = true;
        good &= evaluate_by(run, node, matching->node, value, member);
        if (!mica_schema_goes_on(run, good))
            return false;
    }
    return good;
}

// What the members so far have shown.
struct seen {
    uint64_t required;
    const struct mica_schema_property *next; // behind the last that was met
};

// The property of that name, or NULL. Members often come in the order in which
// the schema has them, so the next one is tried before it is looked up.
static inline const struct mica_schema_property *
find_property(const struct mica_schema_members *members, struct mica_text name,
              const struct seen *seen)
{
    const struct mica_schema_property *next = seen->next;
    if (next < members->properties + members->table.count &&
        next->name.len == name.len &&
        mica_schema_same_name(next->name, next->key, name))
        return next;
    int64_t found = mica_schema_find(&members->table, name);
    return found >= 0 ? &members->properties[found] : NULL;
}

static inline bool
evaluate_member(struct mica_schema_run *run,
                const struct mica_schema_node *node,
                const struct mica_json *value, size_t index, struct seen *seen,
                struct mica_schema_marks *marks)
{
    const struct mica_schema_members *members = node->members;
    const struct mica_json_member *member = &value->members[index];
    const struct mica_schema_property *property =
        find_property(members, member->name, seen);
    bool known = false, good = true;
    if (property != NULL) {
        seen->next = property + 1;
        seen->required |= property->required;
        known = property->node != NULL;
        if (known)
            good = evaluate_by(run, node, property->node, value, member);
    }
    if (members->pattern_count > 0 && mica_schema_goes_on(run, good))
        good &= evaluate_patterns(run, node, value, member, &known);
    if (!known && members->additional != NULL) {
        known = true;
        good &= evaluate_by(run, node, members->additional, value, member);
    }
    if (known)
        mica_schema_mark(marks, index);
    if (members->names != NULL && mica_schema_goes_on(run, good))
        good &= evaluate_name(run, node, value, member);
    return good;
}

// Required names that no bit was kept for.
static bool
evaluate_required(struct mica_schema_run *run,
                  const struct mica_schema_node *node,
                  const struct mica_json *value)
{
    const struct mica_json *list = node->members->required_list;
    bool good = true;
    for (size_t i = 0; i < list->count && mica_schema_goes_on(run, good); i++) {
        if (!mica_schema_spend(run, 1))
            return false;
        if (mica_schema_member(run, value, list->items[i].text) == NULL)
            good = mica_schema_fail(run, node, MICA_REASON_REQUIRED, value,
                                    &list->items[i].text);
    }
    return good;
}

static bool
evaluate_dependents(struct mica_schema_run *run,
                    const struct mica_schema_node *node,
                    const struct mica_json *value)
{
    const struct mica_schema_members *members = node->members;
    bool good = true;
    for (size_t i = 0; i < members->dependent_count; i++) {
        const struct mica_schema_dependent *dependent = &members->dependents[i];
        if (!mica_schema_spend(run, 1))
            return false;
        if (mica_schema_member(run, value, dependent->name) == NULL)
            continue;
        for (size_t k = 0; k < dependent->others->count; k++) {
            const struct mica_schema_missing missing = {
                dependent, dependent->others->items[k].text};
            if (!mica_schema_spend(run, 1))
                return false;
            if (mica_schema_member(run, value, missing.name) == NULL)
                good = mica_schema_fail(run, node, MICA_REASON_DEPENDENT, value,
                                        &missing);
            if (!mica_schema_goes_on(run, good))
                return false;
        }
    }
    return good;
}

static bool
schema_run_walk(struct mica_schema_run *run,
                const struct mica_schema_node *node,
                const struct mica_json *value, struct mica_schema_marks *marks)
{
    const struct mica_schema_members *members = node->members;
    struct seen seen = {0, members->properties};
    bool good = true;
    if (!mica_schema_spend(run, value->count))
        return false;
    for (size_t i = 0; i < value->count; i++) {
        good &= evaluate_member(run, node, value, i, &seen, marks);
        if (!mica_schema_goes_on(run, good))
            return false;
    }
    if ((members->required & ~seen.required) == 0)
        return good;
    return evaluate_required(run, node, value) && good;
}

bool
mica_schema_evaluate_few(struct mica_schema_run *run,
                         const struct mica_schema_node *node,
                         const struct mica_json *value,
                         struct mica_schema_marks *marks)
{
    const struct mica_schema_members *members = node->members;
    bool good = true;
    if (!mica_schema_spend(run, value->count / 4))
        return false;
    for (size_t i = 0; i < members->table.count; i++) {
        const struct mica_schema_property *property = &members->properties[i];
        size_t at = find_member(value, property->name, property->key);
        if (at == value->count && property->required != 0) {
            good = mica_schema_fail(run, node, MICA_REASON_REQUIRED, value,
                                    &property->name);
        } else if (at < value->count && property->node != NULL) {
            mica_schema_mark(marks, at);
            good &= evaluate_by(run, node, property->node, value,
                                &value->members[at]);
        }
        if (!mica_schema_goes_on(run, good))
            return false;
    }
    return good;
}

bool
mica_schema_evaluate_members(struct mica_schema_run *run,
                             const struct mica_schema_node *node,
                             const struct mica_json *value,
                             struct mica_schema_marks *marks)
{
    const struct mica_schema_members *members = node->members;
    bool good = true;
    if (members->sized && value->count < members->least)
        good =
            mica_schema_fail(run, node, MICA_REASON_FEW_MEMBERS, value, NULL);
    if (members->sized && value->count > members->most)
        good =
            mica_schema_fail(run, node, MICA_REASON_MANY_MEMBERS, value, NULL);
    if (members->many_required && mica_schema_goes_on(run, good))
        good &= evaluate_required(run, node, value);
    if (members->walk && mica_schema_goes_on(run, good))
        good &= members->few ? mica_schema_evaluate_few(run, node, value, marks)
                             : schema_run_walk(run, node, value, marks);
    if (members->dependent_count > 0 && mica_schema_goes_on(run, good))
        good &= evaluate_dependents(run, node, value);
    return good;
}

// SPDX-License-Identifier: Apache-2.0
//
// A treap: parents have higher priorities than their children, so the shape
// depends on nothing but the priorities. Nothing here recurses or allocates.
#include "store/tree.h"

static struct mica_tree_link *
link_of(const struct mica_tree *tree, const void *row)
{
    return (struct mica_tree_link *)((uintptr_t)row + tree->link);
}

// Splitmix64's finish, on an address.
static uint64_t
priority(const struct mica_tree *tree, const void *row)
{
    uint64_t x = (uint64_t)(uintptr_t)row ^ tree->secret;

    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

// The rows of `node` before and behind `row`.
static void
split(const struct mica_tree *tree, void *node, const void *row, void **before,
      void **behind)
{
    while (node != NULL) {
        struct mica_tree_link *link = link_of(tree, node);
        if (tree->compare(tree->order, node, row) < 0) {
            *before = node;
            before = &link->right;
            node = link->right;
        } else {
            *behind = node;
            behind = &link->left;
            node = link->left;
        }
    }
    *before = NULL;
    *behind = NULL;
}

void
mica_tree_put(struct mica_tree *tree, void *row)
{
    uint64_t mine = priority(tree, row);
    void **slot = &tree->root;

    while (*slot != NULL && priority(tree, *slot) >= mine) {
        struct mica_tree_link *link = link_of(tree, *slot);
        slot = tree->compare(tree->order, row, *slot) < 0 ? &link->left
                                                          : &link->right;
    }
    split(tree, *slot, row, &link_of(tree, row)->left,
          &link_of(tree, row)->right);
    *slot = row;
}

// Puts all of `before` and `behind` at `slot`.
static void
join(const struct mica_tree *tree, void *before, void *behind, void **slot)
{
    while (before != NULL && behind != NULL) {
        if (priority(tree, before) >= priority(tree, behind)) {
            *slot = before;
            slot = &link_of(tree, before)->right;
            before = *slot;
        } else {
            *slot = behind;
            slot = &link_of(tree, behind)->left;
            behind = *slot;
        }
    }
    *slot = before != NULL ? before : behind;
}

void
mica_tree_take(struct mica_tree *tree, void *row)
{
    struct mica_tree_link *mine = link_of(tree, row);
    void **slot = &tree->root;

    while (*slot != row) {
        struct mica_tree_link *link = link_of(tree, *slot);
        slot = tree->compare(tree->order, row, *slot) < 0 ? &link->left
                                                          : &link->right;
    }
    join(tree, mine->left, mine->right, slot);
}

void *
mica_tree_find(const struct mica_tree *tree, bool last,
               int (*side)(const void *probe, const void *row),
               const void *probe)
{
    void *node = tree->root, *found = NULL;

    while (node != NULL) {
        const struct mica_tree_link *link = link_of(tree, node);
        int where = side(probe, node);
        if (where == 0)
            found = node;
        node = where < 0 || (where == 0 && last) ? link->right : link->left;
    }
    return found;
}

void *
mica_tree_next(const struct mica_tree *tree, bool back, const void *row)
{
    void *node = tree->root, *found = NULL;

    while (node != NULL) {
        const struct mica_tree_link *link = link_of(tree, node);
        int order = tree->compare(tree->order, node, row);
        bool beyond = back ? order < 0 : order > 0;
        if (beyond)
            found = node;
        node = beyond == back ? link->right : link->left;
    }
    return found;
}

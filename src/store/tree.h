// SPDX-License-Identifier: Apache-2.0
//
// Rows in one order: a search tree whose nodes lie inside the rows, balanced by
// random priorities (a treap). The priority of a row is made of its address and
// a secret, so it needs no room and nobody can choose rows that make it deep.
#ifndef MICA_STORE_TREE_H
#define MICA_STORE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mica_tree_link {
    void *left, *right;
};

struct mica_tree {
    void *root;
    size_t link;     // where in a row its link is
    uint64_t secret; // of the priorities
    // <0, 0, >0: the order of two rows, which are never equal.
    int (*compare)(const void *order, const void *a, const void *b);
    const void *order; // the first argument of it
};

// Puts in a row that is not there.
void mica_tree_put(struct mica_tree *tree, void *row);

// Takes out a row that is there.
void mica_tree_take(struct mica_tree *tree, void *row);

// The first row, or with `last` the last one, for which `side` is 0. It is
// called with `probe`, and says -1 for rows before those that are looked for, 1
// for rows behind them. NULL: there is none.
void *mica_tree_find(const struct mica_tree *tree, bool last,
                     int (*side)(const void *probe, const void *row),
                     const void *probe);

// The row right behind `row`, which is there, or with `back` the one before it;
// NULL at the end.
void *mica_tree_next(const struct mica_tree *tree, bool back, const void *row);

#endif

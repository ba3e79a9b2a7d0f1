// SPDX-License-Identifier: Apache-2.0
//
// What the pieces of docs/views.md take for granted, so that a compiler can read them.
#include <mica/tool.h>

struct page {
    int64_t number;
};
MICA_RECORD(page, MICA_INTEGER(number, "Of the page."));

struct series {
    double first;
};
MICA_RECORD(series, MICA_NUMBER(first, "Of the values."));
enum mica_status add_series(struct mica_call *call,
                            const struct series *series);

enum mica_status run_page(struct mica_call *call, const struct mica_nothing *in,
                          struct page *out);

// SPDX-License-Identifier: Apache-2.0
//
// A list of a record that was not declared before.
// expect: unknown type name 'mica_ctype_price'
#include <mica/engine.h>

struct price {
    double amount;
};
struct input {
    struct {
        size_t count;
        const struct price *items;
    } prices;
};
MICA_RECORD(input, MICA_LIST(prices, price, "Prices."));
MICA_RECORD(price, MICA_NUMBER(amount, "How much."));

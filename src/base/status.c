// SPDX-License-Identifier: Apache-2.0
//
// The columns of the status table, one function each. The table itself is in
// the header, so that a reader finds it in one place.
#include <mica/base.h>

struct row {
    const char *code, *meaning;
    enum mica_failure kind;
    int json_rpc, http;
};

static const struct row rows[] = {
#define MICA_STATUS_ROW(symbol, code, kind, rpc, http, meaning) \
    [symbol] = {code, meaning, kind, rpc, http},
    MICA_STATUS_TABLE(MICA_STATUS_ROW)
#undef MICA_STATUS_ROW
};

static const struct row *
row_of(enum mica_status status)
{
    unsigned index = (unsigned)status;
    if (index >= MICA_STATUS_COUNT)
        index = MICA_E_INTERNAL;
    return &rows[index];
}

const char *
mica_status_code(enum mica_status status)
{
    return row_of(status)->code;
}

const char *
mica_status_meaning(enum mica_status status)
{
    return row_of(status)->meaning;
}

enum mica_failure
mica_status_kind(enum mica_status status)
{
    return row_of(status)->kind;
}

int
mica_status_json_rpc(enum mica_status status)
{
    return row_of(status)->json_rpc;
}

int
mica_status_http(enum mica_status status)
{
    return row_of(status)->http;
}

int
mica_status_exit(enum mica_status status)
{
    static const int exits[] = {
        [MICA_SUCCESS] = 0, [MICA_INTERNAL] = 1, [MICA_MISUSE] = 2,
        [MICA_INPUT] = 3,   [MICA_MISSING] = 4,  [MICA_LIMITED] = 5,
        [MICA_BLOCKED] = 6, [MICA_CONFLICT] = 7, [MICA_OUTSIDE] = 8,
    };
    return exits[mica_status_kind(status)];
}

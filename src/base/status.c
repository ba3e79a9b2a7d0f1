// SPDX-License-Identifier: Apache-2.0
//
// The columns of the status table, one function each. The table itself is in
// the header, so that a reader finds it in one place.
#include <mica/base.h>

// A column is its own table, so that a module, which tells codes alone, has no more
// of them.
#define COLUMN(name_, type_, column_) \
    static const type_ name_[] = {MICA_STATUS_TABLE(column_)};
#define CODE(symbol, code, kind, rpc, http, meaning)    [symbol] = code,
#define MEANING(symbol, code, kind, rpc, http, meaning) [symbol] = meaning,
#define KIND(symbol, code, kind, rpc, http, meaning)    [symbol] = kind,
#define RPC(symbol, code, kind, rpc, http, meaning)     [symbol] = rpc,
#define HTTP(symbol, code, kind, rpc, http, meaning)    [symbol] = http,

COLUMN(codes, char *const, CODE)
COLUMN(meanings, char *const, MEANING)
COLUMN(kinds, enum mica_failure, KIND)
COLUMN(json_rpc, short, RPC)
COLUMN(http, short, HTTP)

static unsigned
row_of(enum mica_status status)
{
    unsigned row = (unsigned)status;
    return row < MICA_STATUS_COUNT ? row : MICA_E_INTERNAL;
}

const char *
mica_status_code(enum mica_status status)
{
    return codes[row_of(status)];
}

const char *
mica_status_meaning(enum mica_status status)
{
    return meanings[row_of(status)];
}

enum mica_failure
mica_status_kind(enum mica_status status)
{
    return kinds[row_of(status)];
}

int
mica_status_json_rpc(enum mica_status status)
{
    return json_rpc[row_of(status)];
}

int
mica_status_http(enum mica_status status)
{
    return http[row_of(status)];
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

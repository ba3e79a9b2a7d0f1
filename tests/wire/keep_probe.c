// SPDX-License-Identifier: Apache-2.0
//
// A tool that keeps what it is told to; for keep.py.
#include <mica/keep.h>

enum act {
    ADD,
    COUNT,
    RAISE,
    SPIN
};
MICA_CHOICES(
    act, [ADD] = "add", [COUNT] = "count", [RAISE] = "raise", [SPIN] = "spin");

struct request {
    enum act act;
    struct mica_text words;
};
MICA_RECORD(request, MICA_CHOICE(act, act, "What to do."),
            MICA_TEXT(words, "What to add.", .fallback = MICA_JSON("")));

struct result {
    int64_t number;
};
MICA_RECORD(result, MICA_INTEGER(number, "Of what was added, or how many."));

static enum mica_status
run_sql(struct mica_call *call, const struct mica_sql_statement *run,
        struct result *out)
{
    return mica_sql(call, &(struct mica_sql){.run = run},
                    MICA_INTO(result, out));
}

// One entry, raised by one, however many calls do so at once.
static enum mica_status
raise_count(struct mica_call *call, struct result *out)
{
    enum mica_status status;

    do {
        int64_t version;

        MICA_TRY(mica_keep_get(call,
                               &(struct mica_keep){.name = MICA_LITERAL("n"),
                                                   .version_out = &version},
                               MICA_INTO(result, out)));
        out->number++;
        status = mica_keep_put(
            call,
            &(struct mica_keep){.name = MICA_LITERAL("n"),
                                .expect =
                                    version > 0 ? version : MICA_KEEP_ABSENT},
            MICA_FROM(result, out));
    } while (status == MICA_E_KEEP_VERSION);
    return status;
}

static enum mica_status
keep_probe(struct mica_call *call, const struct request *in, struct result *out)
{
    switch (in->act) {
    case ADD:
        return run_sql(call,
                       MICA_RUN(MICA_SQL("INSERT INTO words (words) VALUES (?1)"
                                         " RETURNING number",
                                         in->words)),
                       out);
    case COUNT:
        return run_sql(
            call, MICA_RUN(MICA_SQL("SELECT count(*) AS number FROM words")),
            out);
    case RAISE:
        return raise_count(call, out);
    case SPIN:
        break;
    }
    return run_sql(
        call,
        MICA_RUN(MICA_SQL("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL"
                          " SELECT n + 1 FROM c) SELECT count(*) AS number"
                          " FROM c")),
        out);
}

MICA_TOOL(keep_probe, request, result, keep_probe, .description = "A probe.",
          .keeps = MICA_KEEPS_OWN,
          .tables = MICA_TABLES("CREATE TABLE words (number INTEGER PRIMARY"
                                " KEY AUTOINCREMENT, words TEXT NOT NULL)"
                                " STRICT"));

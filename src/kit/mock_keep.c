// SPDX-License-Identifier: Apache-2.0
//
// What tools keep in a test: databases of the mock in its folder, which the service of a
// server (src/keep) opens. A test puts something there first, and looks at it.
#include "kit/kit.h"

// ---- Orders of a test --------------------------------------------------------------

// The answer to an order of the test, in its arena.
struct look {
    struct mica_mock *mock;
    struct mica_text answer;
};

static enum mica_status
look_read(void *data, struct mica_text answer, struct mica_error *error)
{
    struct look *look = data;

    (void)error;
    look->answer = mica_kit_copy(&look->mock->arena, answer);
    return MICA_OK;
}

// Runs an order on the database of a tool, without a mark.
static bool
keep_order(struct mica_mock *mock, struct mica_here here,
           const struct mica_tool *tool, const struct mica_keep_order *wanted,
           struct mica_text *answer_out)
{
    const struct mica_kit_tool *offered = mica_kit_offer(mock, here, tool);
    const struct mica_keep_provider *provider = mica_kit_keep_provider(mock);
    struct look look = {.mock = mock};
    struct mica_keep_order order = *wanted;
    struct mica_error error = {.status = MICA_OK};

    if (offered == NULL)
        return false;
    if (offered->definition->keeps == NULL) {
        mica_kit_fail(here, "the tool %s has no .keeps, so it keeps nothing",
                      tool->name);
        return false;
    }
    order.place = offered->definition->keeps;
    order.now = mock->start;
    order.read = look_read;
    order.data = &look;
    if (provider->run(provider->data, &order, &mock->arena, &error) ==
        MICA_OK) {
        *answer_out = look.answer;
        return true;
    }
    mica_kit_fail(here, "the database of %s: %s", tool->name, error.message);
    return false;
}

// ---- Putting something there -------------------------------------------------------

static void
seed_run(struct mica_mock *mock, const struct mica_kit_seed *seed)
{
    const struct mica_sql_statement run = {.text = seed->sql};
    struct mica_keep_order order = {
        .act = MICA_KEEP_PUT, .name = seed->name, .value = seed->json};
    struct mica_text ignored;

    if (seed->sql != NULL) {
        order.act = MICA_KEEP_SQL;
        order.run = &run;
        order.count = 1;
    }
    (void)keep_order(mock, seed->here, seed->tool, &order, &ignored);
}

void
mica_kit_seed(struct mica_mock *mock)
{
    for (size_t i = 0; i < mock->seed_count; i++)
        seed_run(mock, &mock->seeds[i]);
}

void
mica_test_keep(struct mica_here here, struct mica_mock *mock,
               const struct mica_tool *tool, const char *namez,
               const char *jsonz)
{
    struct mica_kit_seed *seed = MICA_KIT_NEXT(mock->seeds, mock->seed_count);

    *seed = (struct mica_kit_seed){
        .here = here,
        .tool = tool,
        .name = mica_kit_copy(&mock->arena, mica_text(namez)),
        .json = mica_kit_copy(&mock->arena, mica_text(jsonz))};
    seed_run(mock, seed);
}

void
mica_test_sql(struct mica_here here, struct mica_mock *mock,
              const struct mica_tool *tool, const char *sqlz)
{
    struct mica_kit_seed *seed = MICA_KIT_NEXT(mock->seeds, mock->seed_count);

    *seed = (struct mica_kit_seed){
        .here = here,
        .tool = tool,
        .sql = mica_kit_copy(&mock->arena, mica_text(sqlz)).ptr};
    seed_run(mock, seed);
}

// ---- Looking -----------------------------------------------------------------------

// Is that member of the answer this JSON? NULL: there is no such member.
static bool
expect_member(struct mica_here here, struct mica_mock *mock,
              struct mica_text answer, const char *memberz, const char *whatz,
              const char *jsonz)
{
    struct mica_json value, expected;
    const struct mica_json *found = NULL;

    if (mica_json_read(&mock->arena, answer, NULL, NULL, &value) == MICA_OK)
        found = mica_json_get(&value, memberz);
    if (jsonz == NULL && found == NULL)
        return true;
    if (jsonz != NULL && found != NULL &&
        mica_json_read(&mock->arena, mica_text(jsonz), NULL, NULL, &expected) ==
            MICA_OK &&
        mica_json_equal(found, &expected))
        return true;
    mica_kit_fail(
        here, "%s: there is %.*s, expected %s", whatz,
        MICA_ARG(found != NULL ? found->raw : MICA_LITERAL("nothing")),
        jsonz != NULL ? jsonz : "nothing");
    return false;
}

bool
mica_test_expect_kept(struct mica_here here, struct mica_mock *mock,
                      const struct mica_tool *tool, const char *namez,
                      const char *jsonz)
{
    struct mica_keep_order order = {.act = MICA_KEEP_GET,
                                    .name = mica_text(namez)};
    struct mica_text answer;

    return keep_order(mock, here, tool, &order, &answer) &&
           expect_member(here, mock, answer, "value", namez, jsonz);
}

bool
mica_test_expect_rows(struct mica_here here, struct mica_mock *mock,
                      const struct mica_tool *tool, const char *sqlz,
                      const char *jsonz)
{
    const struct mica_sql_statement run = {.text = sqlz};
    struct mica_keep_order order = {
        .act = MICA_KEEP_SQL, .run = &run, .count = 1};
    struct mica_text answer;

    return keep_order(mock, here, tool, &order, &answer) &&
           expect_member(here, mock, answer, "rows", sqlz, jsonz);
}

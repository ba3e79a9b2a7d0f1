// SPDX-License-Identifier: Apache-2.0
//
// Words of a command line are pairs with a "=" between name and value.
#include "cli/arguments.h"

#include <string.h>

#include "rest/pairs.h"

static enum mica_status
pair_split(const char *word, struct mica_error *error,
           struct mica_pair *pair_out)
{
    const char *equals = strchr(word, '=');

    if (equals == NULL || equals == word)
        return mica_error_set(error, MICA_E_USAGE, "",
                              "\"%s\" is no argument: write key=value, or give "
                              "all of it as --json '{…}'",
                              word);
    pair_out->name = (struct mica_text){word, (size_t)(equals - word)};
    pair_out->value = mica_text(equals + 1);
    return MICA_OK;
}

enum mica_status
mica_arguments_read(struct mica_arena *arena, const struct mica_json *schema,
                    const char *const *words, size_t count,
                    struct mica_error *error, struct mica_text *json_out)
{
    struct mica_pair *pairs = mica_arena_zero(arena, count + 1, sizeof *pairs);

    if (pairs == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    for (size_t i = 0; i < count; i++)
        MICA_TRY(pair_split(words[i], error, &pairs[i]));
    return mica_pairs_read(arena, schema, pairs, count, "\"mica describe\"",
                           error, json_out);
}

// SPDX-License-Identifier: Apache-2.0
//
// Random inputs for an engine, made from its input schema and its examples: most
// of them valid and near the edges of their bounds, some a little wrong, some no
// JSON at all. The same seed gives the same inputs everywhere.
#ifndef MICA_CHECK_RANDOM_INPUTS_H
#define MICA_CHECK_RANDOM_INPUTS_H

#include <mica/json.h>

struct mica_random {
    uint64_t state;
};

uint64_t mica_random_next(struct mica_random *random);

// 0 to count - 1; 0 when count is 0.
size_t mica_random_below(struct mica_random *random, size_t count);

// True `percent` times in a hundred.
bool mica_random_chance(struct mica_random *random, unsigned percent);

// The values of one kind (random_values.c, random_texts.c). `schema` is that of the value.
// `wild`: now and then outside of what the schema allows.
double mica_random_number(struct mica_random *random,
                          const struct mica_json *schema, bool wild);
// As JSON text, for a schema that says "x-decimal".
void mica_random_decimal(struct mica_random *random,
                         const struct mica_json *schema, bool wild,
                         struct mica_json_writer *writer);
int64_t mica_random_integer(struct mica_random *random,
                            const struct mica_json *schema, bool wild);
void mica_random_text(struct mica_random *random, struct mica_arena *arena,
                      const struct mica_json *schema, bool wild,
                      struct mica_buffer *text);
void mica_random_date(struct mica_random *random, bool wild,
                      struct mica_buffer *text);
void mica_random_moment(struct mica_random *random, bool wild,
                        struct mica_buffer *text);

// A text that is nearly `text`.
void mica_random_mutate(struct mica_random *random, struct mica_text text,
                        struct mica_buffer *mutated);

// One input on one line, added to `buffer`. `examples` is the manifest's list,
// whose inputs are taken as samples; it may be NULL. What is needed for a while
// is in `arena`.
void mica_random_input(struct mica_random *random, struct mica_arena *arena,
                       const struct mica_json *schema,
                       const struct mica_json *examples,
                       struct mica_buffer *buffer);

#endif

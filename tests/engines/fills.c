// SPDX-License-Identifier: Apache-2.0
//
// Fills its memory again and again, without a loop: between two operations on many
// bytes there is nothing at which a call would be stopped.
#include <mica/engine.h>

#include <string.h>

enum {
    AREA = 32 << 20
};

struct input {
    int64_t at;
};
MICA_RECORD(input, MICA_INTEGER(at, "Which byte to look at.", .minimum = 0,
                                .maximum = 1000));

struct output {
    int64_t sum;
};
MICA_RECORD(output, MICA_INTEGER(sum, "What was found there, added up."));

#define FILL      sum += (memset(area, (int)sum + 1, AREA), area[in->at]);
#define FILL_FOUR FILL FILL FILL FILL
#define FILL_MANY FILL_FOUR FILL_FOUR FILL_FOUR FILL_FOUR

__attribute__((target("bulk-memory"))) static enum mica_status
fill(struct mica_call *call, const struct input *in, struct output *out)
{
    unsigned char *area = mica_alloc(call, AREA);
    int64_t sum = 0;
    FILL_MANY FILL_MANY FILL_MANY FILL_MANY out->sum = sum;
    return MICA_OK;
}

MICA_ENGINE(fills, input, output, fill, .title = "Fill memory",
            .description = "Fill memory, for the tests of the sandbox.",
            .category = "test", .time_ms = 10000, .memory_bytes = 64 << 20,
            .examples = MICA_EXAMPLES({"All", MICA_JSON({"at": 0}),
                                       MICA_JSON({"sum": 0})}));

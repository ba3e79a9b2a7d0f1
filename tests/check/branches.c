// SPDX-License-Identifier: Apache-2.0
//
// Which branches examples have to cover. A line whose comment says "untested:"
// must be reported with those words, and no other line may be. The examples run
// the handler with x = 1 and x = 2.
#include <mica/engine.h>

enum mode {
    ONE,
    TWO,
    THREE
};
MICA_CHOICES(mode, [ONE] = "one", [TWO] = "two", [THREE] = "three");

struct input {
    int64_t x;
    enum mode mode;
};
MICA_RECORD(input, MICA_INTEGER(x, "What the branches look at."),
            MICA_CHOICE(mode, mode, "What the switches look at."));

struct output {
    int64_t sum;
};
MICA_RECORD(output, MICA_INTEGER(sum, "All that was added."));

// An `if` that a macro brings along does not count.
#define ADD_WHEN(condition) \
    do {                    \
        if (condition) {    \
            sum++;          \
        }                   \
    } while (0)

// The layout is part of the test.
// clang-format off
static int64_t
ifs(int64_t x)
{
    int64_t sum = 0;

    if (x == 1) {
        sum += 1;
    }
    if (x == 7) { // untested: true
        sum += 2;
    }
    if (x < 9) { // untested: false
        sum += 4;
    }
    if (x == 1)
        sum += 8;
    else if (x == 2) // untested: false
        sum += 16;
    else if (x == 3) // untested: reaches
        sum += 32;
    else
        sum += 64;
    if (x == 1 || x == 2) { // untested: false
        if (x == 1 && sum > 0) {
            sum++;
        }
    }
    if (x > 5) // untested: true
        for (int64_t i = 0; i < x; i++)
            if (i == 3) // untested: reaches
                sum++;
    if (
        x > 1 && // the condition goes over
        x < 100  /* several ( lines */
    ) {
        sum++;
    }
    if (x == 1) sum++; else sum--; if (x > 50) sum = 0; // untested: true
    return sum;
}

// Neither ?: nor && nor loops need both outcomes of their own.
static int64_t
others(int64_t x)
{
    int64_t sum = x > 50 ? 1 : x < -50 ? 2 : 3;

    while (x > 50) {
        x--;
    }
    sum += x > 10 && x < 20;
    ADD_WHEN(x == 99);
#if 0
    if (x == 4) {
        sum++;
    }
#endif
    // if (x == 5) is no code, and "if (x == 6)" is a text
    sum += (int64_t)sizeof("if (x == 6) {") * 0;
    return sum;
}

static int64_t
switches(enum mode mode, int64_t x)
{
    int64_t sum = 0;

    switch (mode) {
    case ONE:
        sum += 1;
        break;
    case TWO:
        sum += 2;
        break;
    case THREE: // untested: case
        sum += 4;
        break;
    default: // behind all constants
        sum += 8;
        break;
    }
    switch (x) {
    case 1:
    case 3:        // untested: case
        sum += 16; // falls on
    case 2:
        sum += 32;
        break;
    case 4: { // untested: case
        sum += 64;
        break;
    }
    default: // untested: case
        sum += 128;
    }
    switch (mode) {
    case ONE:
    case TWO:
        break;
    case THREE:
        MICA_UNREACHABLE;
    }
    return sum;
}

static int64_t
impossible(int64_t x)
{
    if (x < -1000)
        MICA_UNREACHABLE;
    if (x > -1000) {
        x++;
    } else {
        MICA_UNREACHABLE;
    }
    return x;
}

static int64_t
never_called(int64_t x)
{
    if (x) { // untested: reaches
        x++;
    }
    return x;
}

// clang-format on
static enum mica_status
add(struct mica_call *call, const struct input *in, struct output *out)
{
    out->sum = ifs(in->x) + others(in->x) + switches(in->mode, in->x) +
               impossible(in->x);
    if (out->sum == 123456) { // untested: true
        out->sum = never_called(out->sum);
        return mica_fail(call, "NEVER", "x", "Pass something else.");
    }
    return MICA_OK;
}

MICA_ENGINE(branches, input, output, add, .title = "Branches of all kinds",
            .category = "test",
            .description = "Add numbers by branches that examples do and do "
                           "not take.",
            .examples = MICA_EXAMPLES({"The first way",
                                       MICA_JSON({"x": 1, "mode": "one"}),
                                       MICA_JSON({"sum": 69})},
                                      {"The second way",
                                       MICA_JSON({"x": 2, "mode": "two"}),
                                       MICA_JSON({"sum": 60})}));

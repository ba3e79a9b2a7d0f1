// SPDX-License-Identifier: Apache-2.0
//
// Draws from a list. The same seed draws the same items for ever: the generator
// is SplitMix64 (Steele, Lea and Flood, 2014), and numbers below a bound come
// without bias, by refusing the few that would be drawn too often.
#include <mica/engine.h>

struct input {
    struct {
        size_t count;
        const struct mica_text *items;
    } items;
    int64_t count, seed;
    bool with_repetition;
};
MICA_RECORD(
    input,
    MICA_LIST(items, text,
              "What to draw from. Equal texts are drawn as "
              "separate items.",
              .min_items = 1, .max_items = 20000),
    MICA_INTEGER(seed,
                 "Sets the randomness: the same seed and items always give the "
                 "same draw, another seed another one. For a fresh draw pass a "
                 "number that no one chose, e.g. the current time in "
                 "milliseconds.",
                 .minimum = 0),
    MICA_INTEGER(count,
                 "How many items to draw. Without repetition, the "
                 "number of items gives all of them in random order.",
                 .minimum = 1, .maximum = 20000, .fallback = MICA_JSON(1)),
    MICA_BOOLEAN(with_repetition,
                 "Whether an item can be drawn again, as with dice. Without, "
                 "each is drawn at most once, as with cards.",
                 .fallback = MICA_JSON(false)));

struct drawn {
    int64_t position;
    struct mica_text item;
};
MICA_RECORD(drawn,
            MICA_INTEGER(position, "Its place in items, counted from 1."),
            MICA_TEXT(item, "The text at that place."));

struct output {
    struct {
        size_t count;
        const struct drawn *items;
    } drawn;
    int64_t seed;
    struct mica_text generator;
};
MICA_RECORD(output,
            MICA_LIST(drawn, drawn, "The drawn items, in the order drawn.",
                      .answer = true),
            MICA_INTEGER(seed, "The seed used, to repeat this draw with."),
            MICA_TEXT(generator, "Name of the generator of random numbers."));

static uint64_t
next(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

// A number below `bound`, each as likely as the others: the first (2^64 modulo
// bound) numbers are refused, which leaves a multiple of the bound. A refusal
// is rarer than one in 10^14, so this loop ends.
static size_t
below(uint64_t *state, uint64_t bound)
{
    uint64_t refused = (0 - bound) % bound, number;

    do {
        number = next(state);
    } while (number < refused);
    return (size_t)(number % bound);
}

static enum mica_status
draw(struct mica_call *call, const struct input *in, struct output *out)
{
    size_t count = (size_t)in->count, size = in->items.count;
    struct drawn *drawn = MICA_NEW(call, struct drawn, count);
    size_t *deck = MICA_NEW(call, size_t, size);
    uint64_t state = (uint64_t)in->seed;

    if (count > size && !in->with_repetition) {
        return mica_fail(call, "TOO_FEW_ITEMS", "count",
                         "count=%zu is more than the %zu items there are to "
                         "draw without repetition. Pass count=%zu at most, or "
                         "with_repetition=true.",
                         count, size, size);
    }
    for (size_t i = 0; i < size; i++) {
        deck[i] = i;
    }
    // Fisher and Yates: what was drawn changes places with the first card left.
    for (size_t i = 0; i < count; i++) {
        size_t first = in->with_repetition ? 0 : i;
        size_t place = first + below(&state, size - first);
        size_t card = deck[place];

        deck[place] = in->with_repetition ? card : deck[i];
        drawn[i] = (struct drawn){(int64_t)card + 1, in->items.items[card]};
    }
    out->drawn.items = drawn;
    out->drawn.count = count;
    out->seed = in->seed;
    out->generator = MICA_LITERAL("splitmix64");
    return MICA_OK;
}

MICA_ENGINE(
    random_picker, input, output, draw, .title = "Random picker",
    .category = "random",
    .description =
        "Draw items from a list at random, with or without repetition, or "
        "shuffle it. The draw depends on the seed alone, so it can be repeated "
        "and checked; it is fair but not secret: not for passwords or keys.",
    .examples = MICA_EXAMPLES(
        {"One of three",
         MICA_JSON({"items": ["red", "green", "blue"], "seed": 42}), MICA_JSON({
             "drawn": [{"position": 2, "item": "green"}],
             "seed": 42,
             "generator": "splitmix64"
         })},
        {"A shuffle",
         MICA_JSON({"items": ["a", "b", "c"], "seed": 8, "count": 3}),
         MICA_JSON({
             "drawn": [
                 {"position": 2, "item": "b"}, {"position": 3, "item": "c"},
                 {"position": 1, "item": "a"}
             ]
         })},
        {"Three tosses of a coin", MICA_JSON({
             "items": ["heads", "tails"],
             "seed": 2026,
             "count": 3,
             "with_repetition": true
         }),
         MICA_JSON({
             "drawn": [
                 {"position": 2, "item": "tails"},
                 {"position": 2, "item": "tails"},
                 {"position": 1, "item": "heads"}
             ]
         })},
        {"More than there is",
         MICA_JSON({"items": ["a", "b"], "seed": 1, "count": 3}),
         .error = "TOO_FEW_ITEMS"}));

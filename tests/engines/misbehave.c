// SPDX-License-Identifier: Apache-2.0
//
// Does on purpose what an engine must not do, one act a call. Each has to end
// that call, with the right words, and nothing else.
#include <mica/engine.h>

enum act {
    BEHAVE,
    TRAP,
    DIVIDE,
    OVERFLOW,
    INDEX,
    CONVERT,
    WILD_READ,
    WILD_WRITE,
    WILD_CALL,
    DEEP_LOCALS,
    DEEP_MEMORY,
    ENDLESS_LOOP,
    ENDLESS_CALLS,
    GREEDY,
    VERBOSE,
    NOT_A_NUMBER,
    BAD_TEXT,
    LEAVE
};
MICA_CHOICES(act, [BEHAVE] = "behave", [TRAP] = "trap", [DIVIDE] = "divide",
             [OVERFLOW] = "overflow", [INDEX] = "index", [CONVERT] = "convert",
             [WILD_READ] = "wild-read", [WILD_WRITE] = "wild-write",
             [WILD_CALL] = "wild-call", [DEEP_LOCALS] = "deep-locals",
             [DEEP_MEMORY] = "deep-memory", [ENDLESS_LOOP] = "endless-loop",
             [ENDLESS_CALLS] = "endless-calls", [GREEDY] = "greedy",
             [VERBOSE] = "verbose", [NOT_A_NUMBER] = "not-a-number",
             [BAD_TEXT] = "bad-text", [LEAVE] = "leave");

struct input {
    enum act act;
    double number;
};
MICA_RECORD(input, MICA_CHOICE(act, act, "What to do."),
            MICA_NUMBER(number, "A number the compiler cannot know.",
                        .fallback = MICA_JSON(0)));

struct output {
    double number;
    struct mica_text text;
};
MICA_RECORD(output, MICA_NUMBER(number, "A number."),
            MICA_TEXT(text, "A text."));

// Frames without an address: they live on the native stack only.
__attribute__((noinline)) static uint32_t
deep_locals(uint32_t depth, uint32_t value)
{
    if (value == 0xFFFFFFFF)
        return depth;
    return deep_locals(depth + 1, value | (depth & 1)) * 3 + value;
}

// Frames with an array: they live in the module's memory.
__attribute__((noinline)) static int
deep_memory(volatile char *above, int depth)
{
    volatile char here[256];
    here[depth & 255] = above[0];
    if (above[1] == 'x')
        return depth;
    return deep_memory(here, depth + 1) + here[3];
}

// No loop, and never deep, but it does not end: each of its calls looks at
// memory, so that the compiler cannot work out the sum.
__attribute__((noinline)) static uint32_t
endless_calls(const volatile uint32_t *value, uint32_t depth)
{
    if (depth == 0)
        return *value;
    return endless_calls(value, depth - 1) ^ endless_calls(value, depth - 1);
}

// How many bytes of an earlier call there are in memory that this one has not
// used; then fills all of that memory.
static double
leave(void)
{
    enum {
        PAGE = 65536,
        PAGES = 12
    };
    double found = 0;
    size_t before = __builtin_wasm_memory_grow(0, PAGES);
    volatile unsigned char *grown =
        (volatile unsigned char *)(uintptr_t)(before * PAGE);
    // The low end of the stack, far below its top.
    volatile unsigned char *stack = (volatile unsigned char *)(uintptr_t)16;
    for (size_t i = 0; i < 4096; i++) {
        found += stack[i] != 0;
        stack[i] = 0x5A;
    }
    for (size_t i = 0; i < (size_t)PAGES * PAGE; i++) {
        found += grown[i] != 0;
        grown[i] = 0x5A;
    }
    return found;
}

static enum mica_status
misbehave(struct mica_call *call, const struct input *in, struct output *out)
{
    volatile int zero = (int)in->number;
    volatile uint32_t unknown = 1;
    volatile double number = in->number;
    int array[4] = {1, 2, 3, 4};
    struct mica_buffer text;
    switch (in->act) {
    case BEHAVE:
        out->number = in->number + 1;
        out->text = mica_format(call, "%s", mica_number(call, in->number));
        break;
    case TRAP:
        MICA_UNREACHABLE;
    case DIVIDE:
        out->number = 10 / zero;
        break;
    case OVERFLOW:
        out->number = INT32_MAX + (zero + 1);
        break;
    case INDEX:
        out->number = array[zero + 4];
        break;
    case CONVERT:
        out->number = (int)(number + 1e300);
        break;
    case WILD_READ:
        out->number = *(volatile int *)(uintptr_t)0x7FFFFFF0;
        break;
    case WILD_WRITE:
        *(volatile int *)(uintptr_t)0xFFFFFFF0 = 1;
        break;
    case WILD_CALL:
        ((void (*)(double))(uintptr_t)(unsigned)(zero + 12345))(1);
        break;
    case DEEP_LOCALS:
        out->number = deep_locals(0, (uint32_t)zero);
        break;
    case DEEP_MEMORY:
        out->number = deep_memory((volatile char *)array, 0);
        break;
    case ENDLESS_LOOP:
        while (number >= 0)
            number = number + 1;
        break;
    case ENDLESS_CALLS:
        out->number = endless_calls(&unknown, 60);
        break;
    case GREEDY:
        for (size_t size = 1024;; size *= 2)
            ((volatile char *)mica_alloc(call, size))[size - 1] = 1;
    case VERBOSE:
        text = mica_builder(call);
        for (int i = 0; i < 30000; i++)
            mica_buffer_text(&text, MICA_LITERAL("more "));
        out->text = mica_buffer_as_text(&text);
        break;
    case NOT_A_NUMBER:
        out->number = (number + 1e300) * 1e300 * 0;
        break;
    case BAD_TEXT:
        out->text = MICA_LITERAL("\xFF\xC0");
        break;
    case LEAVE:
        out->number = leave();
        break;
    }
    return MICA_OK;
}

MICA_ENGINE(misbehave, input, output, misbehave, .title = "Misbehave",
            .description = "Misbehave, for the tests of the sandbox.",
            .category = "test", .time_ms = 60, .memory_bytes = 2 << 20,
            .output_bytes = 100000,
            .examples = MICA_EXAMPLES(
                {"behave", MICA_JSON({"act": "behave", "number": 1}),
                 MICA_JSON({"number": 2, "text": "1"})}));

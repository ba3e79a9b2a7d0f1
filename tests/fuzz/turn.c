// SPDX-License-Identifier: Apache-2.0
//
// Turns: the input is the journal with which a handler that does all there is
// runs. Whatever it holds, the turn is suspended or has ended; what it recorded
// is a journal; and the next turn with it is the same turn (TURN-6).
#include <string.h>

#include <mica/tool.h>

#include "call/turn.h"
#include "engine/run.h"
#include "target.h"

struct pick {
    int64_t n;
};
MICA_RECORD(pick, MICA_INTEGER(n, "How many.", .minimum = 1, .maximum = 9));

struct sum {
    int64_t sum;
};
MICA_RECORD(sum, MICA_INTEGER(sum, "The sum."));

// ---- A tool with everything ----------------------------------------------------------

static enum mica_status
add(struct mica_server_call *call, const struct pick *in, struct sum *out)
{
    (void)mica_now(call);
    mica_add_text(call, MICA_LITERAL("added"), NULL);
    out->sum = in->n + (int64_t)(mica_random(call) & 1);
    return in->n == 7 ? mica_fail(call, "SEVEN", "n", "7 is refused") : MICA_OK;
}
MICA_STEP(add, pick, sum, add);

static void
clean(struct mica_server_call *call, const void *data)
{
    (void)data;
    (void)mica_now(call);
}

static enum mica_status
child(struct mica_call *call, const struct pick *in, struct sum *out)
{
    struct pick pick;

    mica_defer(call, "clean", clean, NULL);
    mica_notify(call, "child %d", (int)in->n);
    MICA_TRY(mica_elicit(call, MICA_FORM(pick, &pick), "n?"));
    return MICA_RUN_STEP(add, call, &pick, out);
}
MICA_TOOL(child, pick, sum, child, .description = "A part.",
          .steps = MICA_STEPS("add"));

static enum mica_status
before(struct mica_server_call *call, const struct mica_nothing *in,
       struct sum *out)
{
    struct pick pick = {3};

    (void)in;
    return MICA_RUN_STEP(add, call, &pick, out);
}

static enum mica_status
client(struct mica_client_call *call, const struct sum *found, struct pick *out)
{
    struct sum sums[2] = {{0}, {0}};
    struct mica_invocation parts[2];
    enum mica_action action;
    struct mica_text words;

    mica_defer(call, "clean", clean, NULL);
    mica_log(call, MICA_LOG_INFO, "found %d", (int)found->sum);
    (void)mica_now(call);
    MICA_TRY(mica_elicit_action(call, MICA_FORM(pick, out), &action, "n?"));
    for (size_t i = 0; i < 2; i++)
        parts[i] = (struct mica_invocation){.tool = "child",
                                            .from = MICA_FROM(pick, out),
                                            .into = MICA_INTO(sum, &sums[i])};
    if (action == MICA_ACCEPTED)
        MICA_TRY(mica_invoke_all(call, parts, 2));
    if (mica_client_has(call, MICA_SAMPLING))
        MICA_TRY(mica_sample(
            call, &(struct mica_sampling){.prompt = MICA_LITERAL("say")},
            &words));
    out->n = action == MICA_ACCEPTED ? out->n : 1;
    return MICA_OK;
}

static enum mica_status
after(struct mica_server_call *call, const struct sum *found,
      const struct pick *choice, struct sum *out)
{
    (void)found;
    return MICA_RUN_STEP(add, call, choice, out);
}
MICA_HANDOFF(whole, mica_nothing, sum, pick, sum, before, client, after,
             .description = "The whole.", .steps = MICA_STEPS("add"));

// ---- What is around it ---------------------------------------------------------------

static int64_t
some_time(void *data)
{
    (void)data;
    return 1700000000000;
}

static void
some_bits(void *data, void *bytes, size_t size)
{
    (void)data;
    memset(bytes, 5, size);
}

static const struct mica_platform platform = {some_time, some_bits, NULL};

static void
run_child(const struct mica_runnable *self, struct mica_call *call,
          struct mica_text arguments)
{
    (void)self;
    mica_handler_run(call, mica_tool_child.input, mica_tool_child.output,
                     mica_tool_child.handler, arguments);
}

static const struct mica_runnable child_runnable = {.run = run_child};
static const struct mica_tool_runnable child_tool = {
    .runnable = &child_runnable, .name = {"child", 5}, .version = {"1", 1}};

static const struct mica_tool_runnable *
find(void *data, struct mica_text name, struct mica_text version)
{
    static struct mica_tool_runnable tool;

    (void)data;
    tool = child_tool;
    tool.steps = mica_tool_child.steps;
    return mica_text_is(name, "child") &&
                   (version.len == 0 || mica_text_equal(version, tool.version))
               ? &tool
               : NULL;
}

// Runs a turn; the bytes of the journal are then in `arena`.
static struct mica_text
run_turn(struct mica_arena *arena, struct mica_text bytes,
         enum mica_status *status_out, size_t *asked_out)
{
    static struct mica_tool tool;
    struct mica_runnable runnable = {.run = mica_phases_run, .data = &tool};
    struct mica_journal journal;
    struct mica_call call;
    struct mica_turn turn = {.journal = &journal,
                             .id = MICA_LITERAL("id"),
                             .platform = &platform,
                             .capabilities = MICA_ELICITATION | MICA_SAMPLING,
                             .tool = &tool,
                             .find = find};

    tool = mica_tool_whole;
    turn.steps = tool.steps;
    FUZZ_MUST(mica_journal_read(&journal, arena, bytes, NULL) == MICA_OK);
    mica_call_init(&call, arena);
    mica_turn_run(&turn, &call, &runnable, MICA_LITERAL("{}"));
    FUZZ_MUST(turn.suspended == (call.result.status == MICA_SUSPENDED));
    FUZZ_MUST(turn.suspended == (turn.asked_count > 0));
    FUZZ_MUST(turn.suspended || call.result.status == MICA_OK ||
              call.result.error.len > 0);
    *status_out = call.result.status;
    *asked_out = turn.asked_count;
    return mica_buffer_as_text(&journal.bytes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mica_text first, second, text = {(const char *)bytes, size};
    enum mica_status status, again;
    struct mica_journal journal;
    struct mica_arena arena;
    size_t asked, asked_again;

    mica_arena_init(&arena, 64 << 20);
    if (mica_journal_read(&journal, &arena, text, NULL) == MICA_OK) {
        first = run_turn(&arena, text, &status, &asked);
        second = run_turn(&arena, first, &again, &asked_again);
        // A journal that is full, or diverges, may be ended in another way.
        if (status == MICA_SUSPENDED || status == MICA_OK)
            FUZZ_MUST(again == status && asked == asked_again &&
                      mica_text_equal(first, second));
        FUZZ_MUST(mica_journal_read(&journal, &arena, second, NULL) == MICA_OK);
    }
    mica_arena_fini(&arena);
    return 0;
}

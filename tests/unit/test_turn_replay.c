// SPDX-License-Identifier: Apache-2.0
//
// Cut off and gone on with: a call with all that a journal can hold is resumed
// from each of its records, and comes to the same end, with each effect once.
#include "test_turn.h"

struct trip {
    struct mica_text to;
};
MICA_RECORD(trip, MICA_TEXT(to, "Where to."));

struct offer {
    double price;
    struct mica_text code;
};
MICA_RECORD(offer, MICA_NUMBER(price, "In euros."),
            MICA_TEXT(code, "Of the offer."));

struct seat {
    int64_t row;
};
MICA_RECORD(seat, MICA_INTEGER(row, "Row.", .minimum = 1, .maximum = 30));

struct more {
    bool yes;
};
MICA_RECORD(more, MICA_BOOLEAN(yes, "One more?"));

struct wish {
    struct mica_text text;
};
MICA_RECORD(wish, MICA_TEXT(text, "What is wished for."));

struct seats {
    struct {
        size_t count;
        const int64_t *items;
    } rows;
    struct mica_text summary;
};
MICA_RECORD(seats, MICA_LIST(rows, integer, "Rows."),
            MICA_TEXT(summary, "In words."));

struct ticket {
    struct mica_text text;
    double price;
};
MICA_RECORD(ticket, MICA_TEXT(text, "The ticket."),
            MICA_NUMBER(price, "In euros."));

// ---- A tool with everything ------------------------------------------------------------

static void
effect(struct mica_server_call *call, const char *what)
{
    note(
        mica_format(call, "%s %.*s", what, MICA_ARG(mica_idempotency_key(call)))
            .ptr);
}

static enum mica_status
look_up(struct mica_server_call *call, const struct trip *in, struct offer *out)
{
    effect(call, "look_up");
    out->price = 100 + (double)in->to.len;
    out->code = in->to;
    return MICA_OK;
}
MICA_STEP(look_up, trip, offer, look_up);

static enum mica_status
hold(struct mica_server_call *call, const struct seat *in, struct wish *out)
{
    (void)mica_random(call);
    (void)mica_now(call);
    effect(call, "hold");
    if (in->row == 13)
        return mica_fail(call, "NO_SUCH_ROW", "row", "there is no row 13");
    out->text = mica_format(call, "row %d", (int)in->row);
    return MICA_OK;
}
MICA_STEP(hold, seat, wish, hold);

static void
free_seats(struct mica_server_call *call, const void *data)
{
    (void)data;
    (void)mica_now(call);
    effect(call, "free_seats");
}

static void
say_bye(struct mica_server_call *call, const void *data)
{
    (void)data;
    effect(call, "say_bye");
}

static enum mica_status
before(struct mica_server_call *call, const struct trip *in, struct offer *out)
{
    struct offer one, two;

    MICA_TRY(MICA_RUN_STEP(look_up, call, in, &one));
    (void)mica_random(call);
    MICA_TRY(MICA_RUN_STEP(look_up, call, in, &two));
    effect(call, "before");
    out->price = one.price + two.price;
    out->code = one.code;
    return MICA_OK;
}

static enum mica_status
wish_for(struct mica_call *call, const struct trip *in, struct wish *out)
{
    struct wish wish;
    struct seat seat = {7};
    struct wish held;

    mica_defer(call, "bye", say_bye, NULL);
    MICA_TRY(mica_elicit(call, MICA_FORM(wish, &wish), "To %.*s with?",
                         MICA_ARG(in->to)));
    MICA_TRY(MICA_RUN_STEP(hold, call, &seat, &held));
    out->text = mica_format(call, "%.*s at %.*s", MICA_ARG(wish.text),
                            MICA_ARG(held.text));
    return MICA_OK;
}
MICA_TOOL(wish_for, trip, wish, wish_for, .description = "Wishes.",
          .steps = MICA_STEPS("hold"));

static enum mica_status
pick_seats(struct mica_client_call *call, struct seats *out)
{
    int64_t *rows = mica_alloc(call, 4 * sizeof *rows);
    struct more more = {true};
    struct seat seat;
    size_t count = 0;

    while (more.yes && count < 4) {
        struct mica_ask asks[] = {{.form = MICA_FORM(seat, &seat),
                                   .message = MICA_LITERAL("Which row?")},
                                  {.form = MICA_FORM(more, &more),
                                   .message = MICA_LITERAL("Another?")}};
        MICA_TRY(mica_ask_all(call, asks, 2));
        rows[count++] = seat.row;
        mica_notify(call, "row %d", (int)seat.row);
    }
    out->rows.count = count;
    out->rows.items = rows;
    return MICA_OK;
}

static enum mica_status
client(struct mica_client_call *call, const struct offer *found,
       struct seats *out)
{
    struct wish wishes[2] = {{{NULL, 0}}, {{NULL, 0}}};
    struct trip trip = {found->code};
    struct mica_invocation others[2];
    struct mica_text words = MICA_LITERAL("nothing");

    mica_log(call, MICA_LOG_INFO, "client");
    mica_defer(call, "free_seats", free_seats, NULL);
    (void)mica_now(call);
    MICA_TRY(pick_seats(call, out));
    for (size_t i = 0; i < 2; i++)
        others[i] =
            (struct mica_invocation){.tool = "wish_for",
                                     .from = MICA_FROM(trip, &trip),
                                     .into = MICA_INTO(wish, &wishes[i])};
    MICA_TRY(mica_invoke_all(call, others, 2));
    if (mica_client_has(call, MICA_SAMPLING))
        MICA_TRY(mica_sample(
            call, &(struct mica_sampling){.prompt = MICA_LITERAL("sum it up")},
            &words));
    out->summary =
        mica_format(call, "%.*s; %.*s; %.*s", MICA_ARG(wishes[0].text),
                    MICA_ARG(wishes[1].text), MICA_ARG(words));
    mica_add_text(call, out->summary, NULL);
    return MICA_OK;
}

static enum mica_status
after(struct mica_server_call *call, const struct offer *found,
      const struct seats *chosen, struct ticket *out)
{
    struct seat seat;
    struct wish held;

    out->text = chosen->summary;
    for (size_t i = 0; i < chosen->rows.count; i++) {
        seat.row = chosen->rows.items[i];
        MICA_TRY(MICA_RUN_STEP(hold, call, &seat, &held));
        out->text = mica_format(call, "%.*s, %.*s", MICA_ARG(out->text),
                                MICA_ARG(held.text));
    }
    effect(call, "after");
    out->price = found->price;
    return MICA_OK;
}
MICA_HANDOFF(travel, trip, offer, seats, ticket, before, client, after,
             .description = "Travels.", .steps = MICA_STEPS("look_up", "hold"));

// ---- The client --------------------------------------------------------------------------

static const char *row_of_second;

// Answers all that was asked, each by its key.
static void
answer_asked(void)
{
    static const struct {
        const char *key, *answer;
    } script[] = {
        {"seat", "{\"row\":5}"},
        {"more", "{\"yes\":true}"},
        {"seat#2", "{\"row\":99}"}, // refused
        {"more#2", "{\"yes\":false}"},
        {"wish_for/wish", "{\"text\":\"tea\"}"},
        {"wish_for#2/wish", "{\"text\":\"cake\"}"},
    };
    struct mica_buffer line;

    mica_buffer_init(&line, &world.arena, 4096);
    mica_buffer_char(&line, '{');
    for (struct mica_asked *one = world.turn.asked; one != NULL;
         one = one->next) {
        const char *answer = row_of_second; // seat#3
        if (line.len > 1)
            mica_buffer_char(&line, ',');
        if (one->kind == MICA_ASK_SAMPLING) {
            mica_buffer_format(&line,
                               "\"%.*s\":{\"role\":\"assistant\",\"model\":"
                               "\"m\",\"content\":{\"type\":\"text\","
                               "\"text\":\"fine\"}}",
                               MICA_ARG(one->key));
            continue;
        }
        for (size_t i = 0; i < MICA_COUNT(script); i++) {
            if (mica_text_is(one->key, script[i].key))
                answer = script[i].answer;
        }
        mica_buffer_format(&line,
                           "\"%.*s\":{\"action\":\"accept\",\"content\":%s}",
                           MICA_ARG(one->key), answer);
    }
    mica_buffer_char(&line, '}');
    mica_buffer_char(&line, '\0');
    // The answers are kept as a server keeps them, before the turn that uses them.
    turn_answer(line.ptr);
    keep(mica_buffer_as_text(&world.journal.bytes));
}

static void
go(void)
{
    turn_open(&mica_tool_travel);
    turn_go(&mica_tool_travel, "{\"to\":\"Rome\"}");
}

// Turns until the call has ended, however often it is cut off.
static void
converse(void)
{
    for (unsigned rounds = 0; rounds < 60; rounds++) {
        go();
        if (world.turn.suspended)
            answer_asked();
        else if (!world.lost)
            return;
    }
    ck_abort_msg("the call does not end");
}

// What a whole conversation comes to.
struct end {
    char result[4096], seen[8192], events[8192];
    char *bytes;
    size_t size;
    uint32_t entries;
    unsigned commits;
};

static void
describe_end(char *out, size_t size)
{
    const struct mica_result *result = &world.call.result;

    snprintf(out, size, "%s %.*s %.*s %.*s", mica_status_code(result->status),
             MICA_ARG(result->structured), MICA_ARG(result->error),
             result->content != NULL ? (int)result->content->data.len : 0,
             result->content != NULL ? result->content->data.ptr : "");
}

static void
begin(const char *row)
{
    world_init();
    world.keep_commits = true;
    world.tools[0] = &mica_tool_wish_for;
    row_of_second = row;
}

static void
whole(const char *row, struct end *end)
{
    begin(row);
    converse();
    describe_end(end->result, sizeof end->result);
    strcpy(end->seen, world.seen);
    strcpy(end->events, world.events);
    end->entries = world.journal.count;
    end->commits = world.commits;
    end->bytes = malloc(world.kept_len);
    end->size = world.kept_len;
    memcpy(end->bytes, world.kept, world.kept_len);
}

// The lines behind the first `count`.
static const char *
behind(const char *lines, unsigned count)
{
    for (; count > 0; count--)
        lines = strchr(lines, '\n') + 1;
    return lines;
}

// Keeps the first `count` entries of a journal; returns how many of them are
// effects, each of which has noted one line.
static unsigned
cut(const struct end *end, uint32_t count)
{
    struct mica_text bytes = {end->bytes, end->size};
    struct mica_journal all, part;
    struct mica_arena arena;
    unsigned effects = 0;

    mica_arena_init(&arena, 8 << 20);
    ck_assert_int_eq(mica_journal_read(&all, &arena, bytes, NULL), MICA_OK);
    mica_journal_init(&part, &arena);
    for (uint32_t i = 0; i < count; i++) {
        enum mica_entry_kind kind = all.entries[i].kind;
        ck_assert_int_eq(mica_journal_add(&part, &all.entries[i], NULL),
                         MICA_OK);
        // A phase that failed has not come as far as its note.
        effects +=
            (kind == MICA_ENTRY_PHASE && all.entries[i].status == MICA_OK) ||
            kind == MICA_ENTRY_STEP || kind == MICA_ENTRY_CLEANED;
    }
    keep(mica_buffer_as_text(&part.bytes));
    mica_arena_fini(&arena);
    return effects;
}

static void
resume_from_each_record(const char *row, const char *result)
{
    struct end end;

    whole(row, &end);
    ck_assert_msg(strstr(end.result, result) != NULL, "%s", end.result);
    ck_assert_uint_gt(end.entries, 30);
    for (uint32_t i = 0; i <= end.entries; i++) {
        char again[sizeof end.result];
        unsigned effects;
        begin(row);
        effects = cut(&end, i);
        converse();
        describe_end(again, sizeof again);
        ck_assert_msg(strcmp(again, end.result) == 0, "cut at %u: %s, not %s",
                      i, again, end.result);
        ck_assert_msg(strcmp(world.seen, behind(end.seen, effects)) == 0,
                      "cut at %u of %u: %s, not %s", i, end.entries, world.seen,
                      behind(end.seen, effects));
    }
    free(end.bytes);
}

START_TEST(a_call_cut_at_each_record_comes_to_the_same_end_once)
{
    resume_from_each_record("{\"row\":9}",
                            "{\"text\":\"tea at row 7; cake at row 7; fine, "
                            "row 5, row 9\",\"price\":208}");
}
END_TEST

START_TEST(a_call_that_fails_is_cut_and_fails_the_same)
{
    resume_from_each_record("{\"row\":13}", "NO_SUCH_ROW");
}
END_TEST

// The process dies at each commit in turn: what was being committed is lost, an
// effect may run twice, but under the same key; and nothing is told twice that
// the journal counts.
START_TEST(a_call_killed_at_each_commit_comes_to_the_same_end)
{
    struct end end;

    whole("{\"row\":9}", &end);
    ck_assert_uint_gt(end.commits, 10);
    for (unsigned i = 1; i <= end.commits; i++) {
        char again[sizeof end.result];
        const char *line = end.seen;
        begin("{\"row\":9}");
        world.fail_commit = i;
        converse();
        describe_end(again, sizeof again);
        ck_assert_msg(strcmp(again, end.result) == 0, "commit %u: %s", i,
                      again);
        // Each effect of the whole call, in its order; perhaps one twice.
        for (const char *seen = world.seen; *seen != '\0';
             seen = behind(seen, 1)) {
            size_t len = strcspn(seen, "\n");
            if (strncmp(seen, line, len + 1) == 0)
                line = behind(line, 1);
            else
                ck_assert_msg(
                    memmem(end.seen, strlen(end.seen), seen, len + 1) != NULL,
                    "commit %u: %s", i, seen);
        }
        ck_assert_str_eq(line, "");
        ck_assert_uint_le(strlen(world.seen), strlen(end.seen) + 40);
    }
    free(end.bytes);
}
END_TEST

START_TEST(t6_each_turn_run_twice_is_the_same_turn)
{
    begin("{\"row\":9}");
    for (unsigned rounds = 0; rounds < 60; rounds++) {
        char *bytes, once[4096], twice[4096];
        size_t len;
        go();
        describe_end(once, sizeof once);
        len = world.kept_len;
        bytes = malloc(len);
        memcpy(bytes, world.kept, len);
        go();
        describe_end(twice, sizeof twice);
        ck_assert_str_eq(once, twice);
        ck_assert_uint_eq(world.kept_len, len);
        ck_assert_mem_eq(world.kept, bytes, len);
        free(bytes);
        if (!world.turn.suspended)
            return;
        answer_asked();
    }
    ck_abort_msg("the call does not end");
}
END_TEST

START_TEST(t4_what_was_told_is_told_once_however_often_it_runs)
{
    struct end end;

    whole("{\"row\":9}", &end);
    ck_assert_str_eq(end.events, "log client\n"
                                 "progress 1 row 5\n"
                                 "progress 2 row 9\n");
    free(end.bytes);
}
END_TEST

UNIT_MAIN("turn_replay", a_call_cut_at_each_record_comes_to_the_same_end_once,
          a_call_that_fails_is_cut_and_fails_the_same,
          a_call_killed_at_each_commit_comes_to_the_same_end,
          t6_each_turn_run_twice_is_the_same_turn,
          t4_what_was_told_is_told_once_however_often_it_runs)

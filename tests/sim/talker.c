// SPDX-License-Identifier: Apache-2.0
//
// What a client of a session sends, and when: it has plans, which it carries out
// later, and requests that are under way.
#include "talker.h"

struct sim_talkers talkers;

enum {
    TICK_MS = 2000,
    PATIENCE_MS = 15000,        // for a response
    STREAM_PATIENCE_MS = 40000, // for a word on a stream
    RETRY_MS = 500,
    MOST_RESUMED = 3000,
    MOST_RESTARTED = 60
};

// ---- Plans ---------------------------------------------------------------------------

static void carry_out(const struct sim_event *event);

// A number of three: who, what and which question.
void
sim_talker_plan(const struct sim_talker *talker, enum sim_plan what,
                size_t question, int64_t wait)
{
    int64_t who = talker - talkers.all;

    sim_post(wait, (struct sim_event){.happens = carry_out,
                                      .number = who * 10000 + (int)what * 100 +
                                                (int64_t)question});
}

int64_t
sim_soon(void)
{
    return RETRY_MS + (int64_t)(sim_random() % 2000);
}

static bool
is_curious(unsigned n)
{
    return talkers.curious && sim_is_rough() && sim_one_in(n);
}

// ---- Requests ------------------------------------------------------------------------

static struct sim_exchange *
take_exchange(struct sim_talker *talker)
{
    for (size_t i = 0; i < SIM_EXCHANGES; i++) {
        if (talker->exchanges[i].connection == 0)
            return &talker->exchanges[i];
    }
    sim_fail("client %d has too many requests under way",
             talker->person.number);
}

static void
give_back(struct sim_exchange *exchange)
{
    free(exchange->body);
    memset(exchange, 0, sizeof *exchange);
}

static const char *const names[] = {
    [SIM_INITIALIZE] = "initialize", [SIM_INITIALIZED] = "initialized",
    [SIM_SET_LEVEL] = "setLevel",    [SIM_CALL] = "call",
    [SIM_RESUME] = "resume",         [SIM_OWN] = "own stream",
    [SIM_ANSWER] = "answer",         [SIM_CANCEL] = "cancel",
    [SIM_DELETE] = "delete"};

// To any host.
static struct sim_exchange *
say(struct sim_talker *talker, enum sim_what what, const char *method,
    const char *body)
{
    struct sim_exchange *exchange = take_exchange(talker);
    int host = (int)(sim_random() % cluster.host_count);
    bool begins = what == SIM_INITIALIZE;
    const struct sim_request request = {
        .method = method,
        .session = begins ? NULL : talker->session,
        .version = begins ? NULL : talker->revision,
        .last_event = what == SIM_RESUME ? talker->last_event : NULL,
        .body = body};

    *exchange = (struct sim_exchange){.what = what,
                                      .call = talker->call,
                                      .at = -1,
                                      .heard = atomic_load(&world.now)};
    exchange->connection =
        sim_send(talker->person.number, host, &request, &exchange->twice);
    sim_note("client %d says %s to %c, connection %d", talker->person.number,
             names[what], 'A' + host, exchange->connection);
    return exchange;
}

static void
initialize(struct sim_talker *talker)
{
    char body[512];

    snprintf(body, sizeof body,
             "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
             "\"params\":{\"protocolVersion\":\"%s\",\"capabilities\":{"
             "\"elicitation\":{},\"sampling\":{},\"roots\":{}},"
             "\"clientInfo\":{\"name\":\"sim\",\"version\":\"1\"}}}",
             talker->revision);
    (void)say(talker, SIM_INITIALIZE, "POST", body);
}

static void
forget_call(struct sim_talker *talker)
{
    talker->last_event[0] = '\0';
    talker->stream = 0;
    talker->seen = -1;
    for (size_t i = 0; i < SIM_STREAM_EVENTS; i++) {
        free(talker->events[i]);
        talker->events[i] = NULL;
    }
}

static void
call(struct sim_talker *talker)
{
    char body[1024];
    char *arguments = sim_arguments(&talker->person);
    struct sim_exchange *exchange;

    forget_call(talker);
    talker->call = 1000 * (talker->person.number + 1) + ++talker->calls;
    snprintf(body, sizeof body,
             "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\","
             "\"params\":{\"_meta\":{\"progressToken\":%d},\"name\":\"%s\","
             "\"arguments\":%s}}",
             talker->call, talker->call, talker->person.tool->tool->name,
             arguments);
    free(arguments);
    exchange = say(talker, SIM_CALL, "POST", body);
    talker->twice = exchange->twice;
    exchange->at = strcmp(talker->revision, "2025-11-25") == 0 ? -1 : 0;
}

static void
come_back(struct sim_talker *talker)
{
    struct sim_exchange *exchange;

    SIM_MUST(talker->resumed++ < MOST_RESUMED, "client %d comes back for ever",
             talker->person.number);
    talkers.resumed++;
    exchange = say(talker, SIM_RESUME, "GET", NULL);
    exchange->at = talker->seen;
}

static void
say_json(struct sim_talker *talker, enum sim_what what, const char *text)
{
    (void)say(talker, what, "POST", text);
}

static void
cancel(struct sim_talker *talker)
{
    char body[256];

    if (talker->call == 0) { // there is nothing yet
        sim_talker_plan(talker, SIM_PLAN_CANCEL, 0, sim_soon());
        return;
    }
    snprintf(body, sizeof body,
             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
             "\"params\":{\"requestId\":%d}}",
             talker->call);
    say_json(talker, SIM_CANCEL, body);
}

static void
answer(struct sim_talker *talker, struct sim_question *question)
{
    char *body = sim_talker_answer(talker, question, is_curious(2));
    struct sim_exchange *exchange = say(talker, SIM_ANSWER, "POST", body);

    question->sent++;
    exchange->question = (int)(question - talker->questions);
    free(body);
}

// ---- Ends of responses ---------------------------------------------------------------

static bool
is_newest(const struct sim_talker *talker, const struct sim_exchange *exchange)
{
    for (size_t i = 0; i < SIM_EXCHANGES; i++) {
        const struct sim_exchange *other = &talker->exchanges[i];
        if (other != exchange && other->connection > exchange->connection &&
            (other->what == SIM_CALL || other->what == SIM_RESUME))
            return false;
    }
    return exchange->call == talker->call;
}

// The stream is over and the result has not come.
static void
lose_stream(struct sim_talker *talker, const struct sim_exchange *exchange)
{
    if (talker->done || exchange->call != talker->call || exchange->has_end ||
        !is_newest(talker, exchange))
        return;
    if (talker->last_event[0] != '\0')
        sim_talker_plan(talker, SIM_PLAN_COME_BACK, 0, talker->retry_ms + 1);
    else
        sim_talker_plan(talker, SIM_PLAN_CALL, 0, sim_soon());
}

static void
lose(struct sim_talker *talker, const struct sim_exchange *exchange)
{
    switch (exchange->what) {
    case SIM_INITIALIZE:
        sim_talker_plan(talker, SIM_PLAN_BEGIN, 0, sim_soon());
        break;
    case SIM_INITIALIZED:
        sim_talker_plan(talker, SIM_PLAN_SAY_READY, 0, sim_soon());
        break;
    case SIM_SET_LEVEL:
        sim_talker_plan(talker, SIM_PLAN_SET_LEVEL, 0, sim_soon());
        break;
    case SIM_CALL:
    case SIM_RESUME:
        lose_stream(talker, exchange);
        break;
    case SIM_OWN:
        break;
    case SIM_ANSWER:
        if (!talker->questions[exchange->question].accepted)
            sim_talker_plan(talker, SIM_PLAN_ANSWER, (size_t)exchange->question,
                            sim_soon());
        break;
    case SIM_CANCEL:
        sim_talker_plan(talker, SIM_PLAN_CANCEL, 0, sim_soon());
        break;
    case SIM_DELETE:
        sim_talker_plan(talker, SIM_PLAN_END_SESSION, 0, sim_soon());
        break;
    }
}

static void
begin_calling(struct sim_talker *talker)
{
    talker->ready = true;
    if (sim_one_in(3))
        (void)say(talker, SIM_OWN, "GET", NULL);
    sim_talker_plan(talker, SIM_PLAN_CALL, 0, 1);
    if (talker->mood == SIM_CANCELS)
        sim_talker_plan(talker, SIM_PLAN_CANCEL, 0,
                        (int64_t)(sim_random() % 20000));
    if (talker->mood == SIM_ENDS)
        sim_talker_plan(talker, SIM_PLAN_END_SESSION, 0,
                        (int64_t)(sim_random() % 20000));
}

// Nothing more is there for a client that has cancelled.
static void
find_nothing(struct sim_talker *talker)
{
    if (talker->mood == SIM_CANCELS && talker->acted) {
        talker->done = true;
        return;
    }
    SIM_MUST(talker->restarted++ < MOST_RESTARTED,
             "client %d begins again for ever", talker->person.number);
    talkers.restarted++;
    sim_note("client %d begins again", talker->person.number);
    sim_talker_plan(talker, SIM_PLAN_CALL, 0, sim_soon());
}

static void
finish_call(struct sim_talker *talker, struct sim_exchange *exchange)
{
    if (exchange->stream) {
        bool closed = exchange->what == SIM_RESUME && talker->acted &&
                      talker->mood == SIM_CANCELS && !exchange->has_end &&
                      is_newest(talker, exchange) && sim_one_in(4);
        if (closed)
            find_nothing(talker);
        else
            lose_stream(talker, exchange);
        return;
    }
    if (exchange->status == 200)
        sim_talker_hear_message(talker, exchange, exchange->body);
    else if (!talker->done && exchange->call == talker->call &&
             is_newest(talker, exchange))
        find_nothing(talker);
}

static void
finish(struct sim_talker *talker, struct sim_exchange *exchange)
{
    unsigned status = exchange->status;

    if (talker->leaves && status == 404 && exchange->what != SIM_DELETE)
        return;
    if (status >= 500)
        sim_note("client %d hears %.150s", talker->person.number,
                 exchange->body);
    if (status >= 500 || (exchange->what == SIM_OWN && status == 409)) {
        lose(talker, exchange);
        return;
    }
    switch (exchange->what) {
    case SIM_INITIALIZE:
        SIM_MUST(status == 200 && talker->session[0] != '\0',
                 "no session but %s", exchange->body);
        sim_talker_plan(talker, SIM_PLAN_SAY_READY, 0, 0);
        break;
    case SIM_INITIALIZED:
        SIM_MUST(status == 202, "%u for a client that is ready", status);
        sim_talker_plan(talker, SIM_PLAN_SET_LEVEL, 0, 0);
        break;
    case SIM_SET_LEVEL:
        SIM_MUST(status == 200, "%u for a level", status);
        begin_calling(talker);
        break;
    case SIM_CALL:
        SIM_MUST(status == 200, "%u for a call: %s", status, exchange->body);
        finish_call(talker, exchange);
        break;
    case SIM_RESUME:
        SIM_MUST(status == 200 || status == 400, "%u for a client that is back: %s",
                 status, exchange->body);
        finish_call(talker, exchange);
        break;
    case SIM_OWN:
        SIM_MUST(status == 200, "%u for a stream", status);
        break;
    case SIM_ANSWER:
        SIM_MUST(status == 202, "%u for an answer: %s", status, exchange->body);
        talker->questions[exchange->question].accepted = true;
        if (is_curious(4)) {
            talkers.repeated++;
            sim_talker_plan(talker, SIM_PLAN_ANSWER, (size_t)exchange->question,
                            sim_soon());
        }
        break;
    case SIM_CANCEL:
        SIM_MUST(status == 202, "%u for a client that cancels", status);
        talker->acted = true;
        break;
    case SIM_DELETE:
        SIM_MUST(status == 204 || status == 404, "%u for an end", status);
        talker->done = true;
        break;
    }
}

// ---- What the network tells ----------------------------------------------------------

static struct sim_exchange *
exchange_of(struct sim_talker *talker, int connection)
{
    for (size_t i = 0; i < SIM_EXCHANGES; i++) {
        if (talker->exchanges[i].connection == connection)
            return &talker->exchanges[i];
    }
    return NULL;
}

static void
add(struct sim_exchange *exchange, const char *bytes, size_t size)
{
    exchange->body = realloc(exchange->body, exchange->size + size + 1);
    if (size > 0)
        memcpy(exchange->body + exchange->size, bytes, size);
    exchange->size += size;
    exchange->body[exchange->size] = '\0';
}

void
sim_talker_hears(int client, int connection, enum sim_heard heard,
                 const struct sim_head *head, const char *bytes, size_t size)
{
    struct sim_talker *talker = &talkers.all[client];
    struct sim_exchange *exchange = exchange_of(talker, connection);

    if (exchange == NULL)
        return;
    if (heard != SIM_BYTES)
        sim_note("client %d, connection %d (%s): %s %u", client, connection,
                 names[exchange->what],
                 heard == SIM_HEAD  ? "answered"
                 : heard == SIM_END ? "ends"
                                    : "broken",
                 heard == SIM_HEAD ? head->status : exchange->status);
    exchange->heard = atomic_load(&world.now);
    add(exchange, bytes, heard == SIM_BYTES ? size : 0);
    if (heard == SIM_HEAD) {
        exchange->status = head->status;
        exchange->stream = head->stream;
        if (exchange->what == SIM_INITIALIZE && head->status == 200)
            memcpy(talker->session, head->session, sizeof talker->session);
    } else if (heard == SIM_BYTES && exchange->stream) {
        sim_talker_hear_stream(talker, exchange);
    } else if (heard == SIM_END || heard == SIM_BROKEN) {
        if (heard == SIM_END)
            finish(talker, exchange);
        else
            lose(talker, exchange);
        give_back(exchange);
    }
}

// ---- Carrying out --------------------------------------------------------------------

static void
hang_up(struct sim_exchange *exchange, bool silently)
{
    sim_hang_up(exchange->connection, silently);
    give_back(exchange);
}

static void
vanish(struct sim_talker *talker)
{
    for (size_t i = 0; i < SIM_EXCHANGES; i++) {
        if (talker->exchanges[i].connection != 0)
            hang_up(&talker->exchanges[i], sim_one_in(2));
    }
    talker->done = true;
    talker->acted = true;
    sim_note("client %d vanishes", talker->person.number);
}

static bool
is_stream(const struct sim_exchange *exchange)
{
    return exchange->what == SIM_CALL || exchange->what == SIM_RESUME ||
           exchange->what == SIM_OWN;
}

// Whatever is silent for too long is lost; and a stream may be left for another
// connection at any time.
static void
look(struct sim_talker *talker)
{
    int64_t now = atomic_load(&world.now);

    for (size_t i = 0; i < SIM_EXCHANGES; i++) {
        struct sim_exchange *exchange = &talker->exchanges[i];
        if (exchange->connection == 0 ||
            now - exchange->heard <
                (is_stream(exchange) ? STREAM_PATIENCE_MS : PATIENCE_MS))
            continue;
        lose(talker, exchange);
        hang_up(exchange, sim_one_in(2));
    }
    if (!talker->done && talker->last_event[0] != '\0' && is_curious(10))
        come_back(talker);
    if (talker->mood == SIM_VANISHES && talker->ready && !talker->done &&
        sim_one_in(4))
        vanish(talker);
    if (!talker->done)
        sim_talker_plan(talker, SIM_PLAN_LOOK, 0, TICK_MS);
}

static void
say_ready(struct sim_talker *talker)
{
    say_json(talker, SIM_INITIALIZED,
             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}

static void
set_level(struct sim_talker *talker)
{
    say_json(talker, SIM_SET_LEVEL,
             "{\"jsonrpc\":\"2.0\",\"id\":\"level\",\"method\":"
             "\"logging/setLevel\",\"params\":{\"level\":\"debug\"}}");
}

static void
answer_if_wanted(struct sim_talker *talker, struct sim_question *question)
{
    if (!question->withdrawn && question->call == talker->call)
        answer(talker, question);
}

static void
carry_out(const struct sim_event *event)
{
    struct sim_talker *talker = &talkers.all[event->number / 10000];
    enum sim_plan what = (enum sim_plan)(event->number / 100 % 100);

    if (talker->done)
        return;
    switch (what) {
    case SIM_PLAN_BEGIN:
        initialize(talker);
        break;
    case SIM_PLAN_SAY_READY:
        say_ready(talker);
        break;
    case SIM_PLAN_SET_LEVEL:
        set_level(talker);
        break;
    case SIM_PLAN_CALL:
        call(talker);
        break;
    case SIM_PLAN_COME_BACK:
        come_back(talker);
        break;
    case SIM_PLAN_ANSWER:
        answer_if_wanted(talker, &talker->questions[event->number % 100]);
        break;
    case SIM_PLAN_CANCEL:
        cancel(talker);
        break;
    case SIM_PLAN_END_SESSION:
        talker->leaves = true;
        (void)say(talker, SIM_DELETE, "DELETE", NULL);
        break;
    case SIM_PLAN_LOOK:
        look(talker);
        break;
    }
}

// ---- All of them ---------------------------------------------------------------------

void
sim_talkers_begin(void)
{
    memset(&talkers, 0, sizeof talkers);
}

void
sim_talker_begin(const struct sim_tool *tool, enum sim_mood mood,
                 const char *revision)
{
    struct sim_talker *talker = &talkers.all[talkers.count];

    talker->person = (struct sim_person){
        .number = (int)talkers.count, .tool = tool, .seed = sim_random()};
    talkers.count++;
    talker->mood = mood;
    talker->revision = revision;
    talker->retry_ms = RETRY_MS;
    sim_note("client %d: %s, %s, mood %d", talker->person.number,
             tool->tool->name, revision, (int)mood);
    sim_talker_plan(talker, SIM_PLAN_BEGIN, 0, 1);
    sim_talker_plan(talker, SIM_PLAN_LOOK, 0, TICK_MS);
}

bool
sim_talkers_done(void)
{
    for (size_t i = 0; i < talkers.count; i++) {
        if (!talkers.all[i].done)
            return false;
    }
    return true;
}

void
sim_talkers_leave(void)
{
    for (size_t i = 0; i < talkers.count; i++) {
        struct sim_talker *talker = &talkers.all[i];
        talker->done = true;
        for (size_t j = 0; j < SIM_EXCHANGES; j++) {
            if (talker->exchanges[j].connection != 0)
                hang_up(&talker->exchanges[j], false);
        }
    }
}

void
sim_talkers_end(void)
{
    for (size_t i = 0; i < talkers.count; i++) {
        struct sim_talker *talker = &talkers.all[i];
        forget_call(talker);
        free(talker->end);
        for (size_t j = 0; j < talker->question_count; j++) {
            free(talker->questions[j].request);
            for (size_t k = 0; k < SIM_ANSWERS; k++)
                free(talker->questions[j].answers[k]);
        }
        for (size_t j = 0; j < SIM_EXCHANGES; j++)
            give_back(&talker->exchanges[j]);
    }
}

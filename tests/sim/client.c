// SPDX-License-Identifier: Apache-2.0
//
// Clients of the stateless revision, and the network. A client knows only what it
// was told, repeats what it got no answer to, and gives the same answers whenever
// it is asked the same.
#include "sim.h"

struct sim sim;

static void
set(char **text, char *to)
{
    free(*text);
    *text = to;
}

static char *
answers_to(const struct sim_client *client, const struct mica_json *asks,
           struct mica_arena *arena)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;

    mica_buffer_init(&buffer, arena, 1 << 20);
    mica_json_writer_init(&writer, &buffer);
    mica_json_open_object(&writer);
    for (size_t i = 0; i < asks->count; i++) {
        char *key = sim_copy(asks->members[i].name);
        mica_json_name_text(&writer, asks->members[i].name);
        sim_answer(&client->person, key, &asks->members[i].value, &writer);
        free(key);
    }
    mica_json_close_object(&writer);
    return sim_copy(mica_buffer_as_text(&buffer));
}

// ---- Requests ----------------------------------------------------------------------

#define NAMES "io.modelcontextprotocol/"

static int
write_meta(const struct sim_client *client, char *out, size_t size)
{
    char key[64] = "";

    if (client->person.has_key && client->task == NULL && client->state == NULL)
        snprintf(key, sizeof key, ",\"mica/idempotencyKey\":\"client %d\"",
                 client->person.number);
    return snprintf(
        out, size,
        "\"_meta\":{\"" NAMES "protocolVersion\":\"2026-07-28\","
        "\"" NAMES "clientCapabilities\":{\"elicitation\":{},"
        "\"sampling\":{},\"roots\":{}%s}%s}",
        client->tasks ? ",\"extensions\":{\"" NAMES "tasks\":{}}" : "", key);
}

static void
write_params(const struct sim_client *client, char *out, size_t size)
{
    char *arguments;
    int len;

    if (client->task != NULL) {
        len = snprintf(out, size, ",\"taskId\":\"%s\"", client->task);
        if (client->inputs != NULL)
            snprintf(out + len, size - (size_t)len, ",\"inputResponses\":%s",
                     client->inputs);
        return;
    }
    arguments = sim_arguments(&client->person);
    len = snprintf(out, size, ",\"name\":\"%s\",\"arguments\":%s",
                   client->person.tool->tool->name, arguments);
    free(arguments);
    if (client->state != NULL)
        snprintf(out + len, size - (size_t)len,
                 ",\"inputResponses\":%s,\"requestState\":\"%s\"",
                 client->answers, client->state);
}

char *
sim_client_request(struct sim_client *client)
{
    size_t size = 200000;
    char *line = calloc(1, size), *params = calloc(1, size), meta[600];
    const char *method = client->task == NULL     ? "tools/call"
                         : client->inputs != NULL ? "tasks/update"
                                                  : "tasks/get";

    client->attempt = ++sim.attempts;
    client->attempts++;
    if (client->since == 0)
        client->since = client->attempt;
    (void)write_meta(client, meta, sizeof meta);
    write_params(client, params, size);
    snprintf(line, size,
             "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"method\":\"%s\","
             "\"params\":{%s%s}}",
             (unsigned long long)client->attempt, method, meta, params);
    free(params);
    set(&client->last, sim_copy(mica_text(line)));
    return line;
}

// ---- Replies -----------------------------------------------------------------------

static void
next_round(struct sim_client *client)
{
    client->since = 0;
    client->rounds++;
    SIM_MUST(client->rounds < 400, "client %d is asked without end",
             client->person.number);
    if (client->leaves > 0 && client->rounds >= client->leaves) {
        client->done = true;
        sim_note("client %d leaves", client->person.number);
    }
}

static void
take_asks(struct sim_client *client, const struct mica_json *result,
          struct mica_arena *arena)
{
    set(&client->state, sim_copy(mica_json_get_text(result, "requestState")));
    set(&client->answers,
        answers_to(client, mica_json_get(result, "inputRequests"), arena));
    sim_note("client %d answers %.150s", client->person.number,
             client->answers);
    next_round(client);
}

static void
take_end(struct sim_client *client, struct mica_text result)
{
    set(&client->end, sim_copy(result));
    client->done = true;
    sim_note("client %d ends with %.150s", client->person.number, client->end);
}

static bool
take_task(struct sim_client *client, const struct mica_json *result,
          struct mica_arena *arena)
{
    struct mica_text status = mica_json_get_text(result, "status");

    if (status.len == 0) { // an update was taken
        set(&client->inputs, NULL);
        next_round(client);
        return true;
    }
    if (mica_text_is(status, "working"))
        return false;
    if (mica_text_is(status, "input_required")) {
        set(&client->inputs,
            answers_to(client, mica_json_get(result, "inputRequests"), arena));
        sim_note("client %d gives %.150s", client->person.number,
                 client->inputs);
        next_round(client);
        return true;
    }
    SIM_MUST(mica_json_get(result, "result") != NULL,
             "the task of client %d ended without a result: %.*s",
             client->person.number, MICA_ARG(result->raw));
    take_end(client, mica_json_get(result, "result")->raw);
    return true;
}

// Only what may be tried again is no end.
static bool
take_error(const struct sim_client *client, const struct mica_json *error)
{
    const struct mica_json *code = mica_json_get(error, "code");

    sim_note("client %d: %.80s", client->person.number, error->raw.ptr);
    SIM_MUST(mica_text_is(code->raw, "-32603"), "client %d is refused: %.*s",
             client->person.number, MICA_ARG(error->raw));
    return false;
}

bool
sim_client_take(struct sim_client *client, const char *text)
{
    const struct mica_json *result;
    struct mica_json reply;
    struct mica_arena arena;
    struct mica_error error;
    int64_t id = 0;
    bool taken = true;

    mica_arena_init(&arena, 8 << 20);
    SIM_MUST(mica_json_read(&arena, mica_text(text), NULL, &error, &reply) ==
                 MICA_OK,
             "not JSON: %s", text);
    (void)mica_integer_read(mica_json_get(&reply, "id")->raw, &id);
    result = mica_json_get(&reply, "result");
    if (client->done || client->since == 0 || (uint64_t)id < client->since)
        taken = true; // late: it has gone on without
    else if (result == NULL)
        taken = take_error(client, mica_json_get(&reply, "error"));
    else if (client->task != NULL)
        taken = take_task(client, result, &arena);
    else if (mica_text_is(mica_json_get_text(result, "resultType"), "task")) {
        set(&client->task, sim_copy(mica_json_get_text(result, "taskId")));
        next_round(client);
    } else if (mica_text_is(mica_json_get_text(result, "resultType"),
                            "input_required"))
        take_asks(client, result, &arena);
    else
        take_end(client, result->raw);
    mica_arena_fini(&arena);
    return taken;
}

// ---- The network -------------------------------------------------------------------

void
sim_post(int64_t delay, struct sim_event event)
{
    SIM_MUST(sim.event_count < SIM_EVENTS, "too many events");
    event.at = atomic_load(&world.now) + delay;
    event.order = sim.order++;
    sim.events[sim.event_count++] = event;
}

static bool
is_rough(void)
{
    return sim.lively && atomic_load(&world.now) < sim.heals;
}

static int64_t
delay(void)
{
    if (is_rough() && sim_one_in(20))
        return (int64_t)(sim_random() % 50000);
    return 1 + (int64_t)(sim_random() % (is_rough() ? 2500 : 100));
}

// Some of it is lost, some comes twice.
static void
carry(struct sim_event event, const char *text)
{
    unsigned copies = 1;

    if (is_rough())
        copies = sim_one_in(6) ? 0 : sim_one_in(8) ? 2 : 1;
    for (unsigned i = 0; i < copies; i++) {
        if (event.kind == SIM_REQUEST)
            event.node = (int)(sim_random() % sim.node_count);
        event.text = sim_copy(mica_text(text));
        sim_post(delay(), event);
    }
}

static void
retry(struct sim_client *client, int64_t after)
{
    struct sim_event again = {.kind = SIM_RETRY,
                              .client = client->person.number,
                              .attempt = client->attempt};

    sim_post(after, again);
}

static void
send_request(struct sim_client *client)
{
    struct sim_event event = {.kind = SIM_REQUEST,
                              .client = client->person.number};
    char *line = sim_client_request(client);

    SIM_MUST(client->attempts < 2000, "client %d gets no end",
             client->person.number);
    carry(event, line);
    retry(client, 4000);
    free(line);
}

char *
sim_pending(void)
{
    size_t waiting = 0;

    for (size_t i = 0; i < sim.event_count; i++)
        waiting += sim.events[i].kind == SIM_REQUEST;
    if (waiting > 0 && !sim_one_in(3)) {
        size_t chosen = sim_random() % waiting;
        for (size_t i = 0; i < sim.event_count; i++) {
            if (sim.events[i].kind == SIM_REQUEST && chosen-- == 0)
                return sim_copy(mica_text(sim.events[i].text));
        }
    }
    for (size_t i = 0; i < sim.client_count; i++) {
        if (!sim.clients[i].done && sim.clients[i].last != NULL)
            return sim_copy(mica_text(sim.clients[i].last));
    }
    return NULL;
}

static void
handle(const struct sim_event *event)
{
    struct sim_client *client = &sim.clients[event->client];
    struct sim_event reply = {.kind = SIM_REPLY, .client = event->client};
    char *text;

    switch (event->kind) {
    case SIM_REQUEST:
        text = sim_say(event->node, event->text);
        if (text != NULL)
            carry(reply, text);
        free(text);
        break;
    case SIM_REPLY:
        if (!sim_client_take(client, event->text))
            retry(client, 500 + (int64_t)(sim_random() % 2000));
        else if (!client->done && client->since == 0)
            send_request(client);
        break;
    case SIM_RETRY:
        if (!client->done && client->attempt == event->attempt)
            send_request(client);
        break;
    case SIM_WAKE:
        sim_resume(event->node, event->text, MICA_OK);
        break;
    case SIM_TICK:
        sim_tick((int)(sim_random() % sim.node_count));
        sim_post(1000, (struct sim_event){.kind = SIM_TICK});
        break;
    case SIM_RESTART:
        sim_node_open(event->node);
        break;
    }
}

bool
sim_step(void)
{
    struct sim_event *first = sim.events, event;

    if (sim.event_count == 0)
        return false;
    for (size_t i = 1; i < sim.event_count; i++) {
        struct sim_event *next = &sim.events[i];
        if (next->at < first->at ||
            (next->at == first->at && next->order < first->order))
            first = next;
    }
    event = *first;
    *first = sim.events[--sim.event_count];
    if (event.at > atomic_load(&world.now))
        atomic_store(&world.now, event.at);
    handle(&event);
    free(event.text);
    return true;
}

void
sim_client_begin(int number, const struct sim_tool *tool, bool tasks,
                 bool has_key)
{
    struct sim_client *client = &sim.clients[number];

    sim.client_count = (size_t)number + 1;
    *client = (struct sim_client){.person = {.number = number,
                                             .tool = tool,
                                             .seed = sim_random(),
                                             .has_key = has_key},
                                  .tasks = tasks};
    sim_note("client %d: %s%s%s", number, tool->tool->name,
             tasks ? ", tasks" : "", has_key ? ", keyed" : "");
    if (sim.lively)
        send_request(client);
}

// What continues without a request.
static void
background(void)
{
    size_t count = sim.event_count;

    while (count-- > 0 && sim.event_count > 0)
        (void)sim_step();
    for (size_t i = 0; i < sim.node_count; i++)
        sim_tick((int)i);
}

// It knows the first questions, and no more is heard of it.
static bool
is_asked(const struct sim_client *client)
{
    return client->state != NULL || client->inputs != NULL;
}

static void
conversation(struct sim_client *client, bool until_asked)
{
    while (!client->done && !(until_asked && is_asked(client))) {
        char *line = sim_client_request(client), *reply;
        SIM_MUST(client->attempts < 200, "client %d gets no end",
                 client->person.number);
        reply = sim_say(client->attempts % (int)sim.node_count, line);
        if (reply == NULL || !sim_client_take(client, reply))
            atomic_fetch_add(&world.now, 3000);
        free(reply);
        free(line);
        background();
    }
}

void
sim_client_run(struct sim_client *client)
{
    conversation(client, false);
}

void
sim_client_run_until_asked(struct sim_client *client)
{
    conversation(client, true);
    SIM_MUST(is_asked(client), "client %d was never asked",
             client->person.number);
}

void
sim_client_give(struct sim_client *client)
{
    char *line = sim_client_request(client);
    char *reply = sim_say(0, line);

    SIM_MUST(reply != NULL && strstr(reply, "\"error\"") == NULL,
             "what client %d gives is refused: %s", client->person.number,
             reply);
    free(line);
    free(reply);
    set(&client->inputs, NULL);
}

bool
sim_step_without_ticks(void)
{
    for (size_t i = sim.event_count; i-- > 0;) {
        if (sim.events[i].kind == SIM_TICK || sim.events[i].kind == SIM_RETRY)
            sim.events[i] = sim.events[--sim.event_count];
    }
    return sim_step();
}

bool
sim_all_done(void)
{
    for (size_t i = 0; i < sim.client_count; i++) {
        if (!sim.clients[i].done)
            return false;
    }
    return true;
}

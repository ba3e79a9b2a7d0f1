// SPDX-License-Identifier: Apache-2.0
//
// Clients of the stateless revision, and the network. A client knows only what it
// was told, repeats what it got no answer to, and gives the same answers whenever
// it is asked the same: they follow from its seed and the key of the question.
#include "sim.h"

#include <stdarg.h>

struct sim sim;
char sim_title[100];

uint64_t
sim_random(void)
{
    sim.chance ^= sim.chance << 13;
    sim.chance ^= sim.chance >> 7;
    sim.chance ^= sim.chance << 17;
    return sim.chance >> 8;
}

uint64_t
sim_hash(uint64_t seed, const char *text)
{
    uint64_t hash = seed * 1099511628211u + 14695981039346656037u;

    for (const char *c = text; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    return hash ^ hash >> 29;
}

void
sim_note(const char *format, ...)
{
    va_list arguments;
    int len;

    if (sim.trace_len > sizeof sim.trace - 300) {
        memmove(sim.trace, sim.trace + sizeof sim.trace / 2,
                sim.trace_len - sizeof sim.trace / 2 + 1);
        sim.trace_len -= sizeof sim.trace / 2;
    }
    sim.trace_len +=
        (size_t)snprintf(sim.trace + sim.trace_len, 32, "%lld ",
                         (long long)(atomic_load(&sim.now) - 1800000000000));
    va_start(arguments, format);
    len = vsnprintf(sim.trace + sim.trace_len, 240, format, arguments);
    va_end(arguments);
    sim.trace_len += len < 240 ? (size_t)len : 239;
    sim.trace[sim.trace_len++] = '\n';
    sim.trace[sim.trace_len] = '\0';
}

static char *
copy(struct mica_text text)
{
    char *made = calloc(1, text.len + 1);

    if (text.len > 0)
        memcpy(made, text.ptr, text.len);
    return made;
}

static void
set(char **text, char *to)
{
    free(*text);
    *text = to;
}

// ---- Answers -----------------------------------------------------------------------

// "book/sure#2" is "book/sure", asked again.
static void
base_of(const char *key, char base[128])
{
    char *end;

    snprintf(base, 128, "%s", key);
    end = strrchr(base, '#');
    if (end != NULL && strchr(end, '/') == NULL)
        *end = '\0';
}

enum mica_action
sim_action(const struct sim_client *client, const char *key)
{
    char base[128];
    uint64_t hash;

    base_of(key, base);
    hash = sim_hash(client->seed, base) % 10;
    return hash == 0   ? MICA_DECLINED
           : hash == 1 ? MICA_DISMISSED
                       : MICA_ACCEPTED;
}

bool
sim_yes(const struct sim_client *client, const char *key)
{
    char base[128];

    base_of(key, base);
    return sim_hash(client->seed + 77, base) % 3 != 0;
}

// One of the values that a schema names, or NULL.
static const struct mica_json *
choose(const struct mica_json *schema, uint64_t hash)
{
    const struct mica_json *named = mica_json_get(schema, "enum");

    if (named != NULL && named->count > 0)
        return &named->items[hash % named->count];
    named = mica_json_get(schema, "oneOf");
    if (named == NULL)
        named = mica_json_get(schema, "anyOf");
    if (named == NULL || named->count == 0)
        return NULL;
    return mica_json_get(&named->items[hash % named->count], "const");
}

static void
fill(const struct sim_client *client, const char *key, uint64_t hash,
     const struct mica_json *schema, struct mica_json_writer *writer)
{
    struct mica_text type = mica_json_get_text(schema, "type");
    const struct mica_json *value = choose(schema, hash);
    const struct mica_json *low = mica_json_get(schema, "minimum");

    if (value != NULL)
        mica_json_raw(writer, value->raw);
    else if (mica_text_is(type, "boolean"))
        mica_json_boolean(writer, sim_yes(client, key));
    else if (mica_text_is(type, "integer") || mica_text_is(type, "number"))
        mica_json_raw(writer, low != NULL ? low->raw : MICA_LITERAL("1"));
    else if (mica_text_is(type, "array")) {
        mica_json_open_array(writer);
        fill(client, key, hash, mica_json_get(schema, "items"), writer);
        mica_json_close_array(writer);
    } else if (mica_text_is(mica_json_get_text(schema, "format"), "date"))
        mica_json_stringz(writer, "2027-03-04");
    else
        mica_json_stringz(writer, "some words");
}

static void
answer_form(const struct sim_client *client, const char *key,
            const struct mica_json *params, struct mica_json_writer *writer)
{
    const struct mica_json *fields =
        mica_json_get(mica_json_get(params, "requestedSchema"), "properties");
    bool wrong =
        strchr(key, '#') == NULL && sim_hash(client->seed + 5, key) % 6 == 0;

    mica_json_name(writer, "content");
    mica_json_open_object(writer);
    for (size_t i = 0; fields != NULL && i < fields->count && !wrong; i++) {
        char *name = copy(fields->members[i].name);
        mica_json_name_text(writer, fields->members[i].name);
        fill(client, key, sim_hash(client->seed, name),
             &fields->members[i].value, writer);
        free(name);
    }
    mica_json_close_object(writer);
}

static void
answer_one(const struct sim_client *client, const char *key,
           const struct mica_json *request, struct mica_json_writer *writer)
{
    struct mica_text method = mica_json_get_text(request, "method");
    const struct mica_json *params = mica_json_get(request, "params");
    enum mica_action action = sim_action(client, key);

    mica_json_open_object(writer);
    if (mica_text_is(method, "sampling/createMessage")) {
        mica_json_name(writer, "content");
        mica_json_raw(writer,
                      MICA_LITERAL("{\"type\":\"text\",\"text\":\"words\"}"));
        mica_json_field(writer, "role", MICA_LITERAL("assistant"));
        mica_json_field(writer, "model", MICA_LITERAL("a model"));
    } else if (mica_text_is(method, "roots/list")) {
        mica_json_name(writer, "roots");
        mica_json_raw(writer, MICA_LITERAL("[]"));
    } else {
        mica_json_field(writer, "action",
                        mica_text(action == MICA_ACCEPTED   ? "accept"
                                  : action == MICA_DECLINED ? "decline"
                                                            : "cancel"));
        if (action == MICA_ACCEPTED)
            answer_form(client, key, params, writer);
    }
    mica_json_close_object(writer);
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
        char *key = copy(asks->members[i].name);
        mica_json_name_text(&writer, asks->members[i].name);
        answer_one(client, key, &asks->members[i].value, &writer);
        free(key);
    }
    mica_json_close_object(&writer);
    return copy(mica_buffer_as_text(&buffer));
}

// ---- Requests ----------------------------------------------------------------------

#define NAMES "io.modelcontextprotocol/"

static int
write_meta(const struct sim_client *client, char *out, size_t size)
{
    char key[64] = "";

    if (client->keyed && client->task == NULL && client->state == NULL)
        snprintf(key, sizeof key, ",\"mica/idempotencyKey\":\"client %d\"",
                 client->number);
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
    char arguments[256];
    int len;

    if (client->task != NULL) {
        len = snprintf(out, size, ",\"taskId\":\"%s\"", client->task);
        if (client->inputs != NULL)
            snprintf(out + len, size - (size_t)len, ",\"inputResponses\":%s",
                     client->inputs);
        return;
    }
    snprintf(arguments, sizeof arguments, "%s%d%s", client->tool->head,
             client->number, client->tool->tail);
    len = snprintf(out, size, ",\"name\":\"%s\",\"arguments\":%s",
                   client->tool->tool->name, arguments);
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
    set(&client->last, copy(mica_text(line)));
    return line;
}

// ---- Replies -----------------------------------------------------------------------

static void
next_round(struct sim_client *client)
{
    client->since = 0;
    client->rounds++;
    SIM_MUST(client->rounds < 400, "client %d is asked without end",
             client->number);
}

static void
take_asks(struct sim_client *client, const struct mica_json *result,
          struct mica_arena *arena)
{
    set(&client->state, copy(mica_json_get_text(result, "requestState")));
    set(&client->answers,
        answers_to(client, mica_json_get(result, "inputRequests"), arena));
    sim_note("client %d answers %.150s", client->number, client->answers);
    next_round(client);
}

static void
take_end(struct sim_client *client, struct mica_text result)
{
    set(&client->end, copy(result));
    client->done = true;
    sim_note("client %d ends with %.150s", client->number, client->end);
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
        sim_note("client %d gives %.150s", client->number, client->inputs);
        next_round(client);
        return true;
    }
    SIM_MUST(mica_json_get(result, "result") != NULL,
             "the task of client %d ended without a result: %.*s",
             client->number, MICA_ARG(result->raw));
    take_end(client, mica_json_get(result, "result")->raw);
    return true;
}

// Only what may be tried again is no end.
static bool
take_error(const struct sim_client *client, const struct mica_json *error)
{
    const struct mica_json *code = mica_json_get(error, "code");

    sim_note("client %d: %.80s", client->number, error->raw.ptr);
    SIM_MUST(mica_text_is(code->raw, "-32603"), "client %d is refused: %.*s",
             client->number, MICA_ARG(error->raw));
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
        set(&client->task, copy(mica_json_get_text(result, "taskId")));
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
    event.at = atomic_load(&sim.now) + delay;
    event.order = sim.order++;
    sim.events[sim.event_count++] = event;
}

static bool
is_rough(void)
{
    return sim.lively && atomic_load(&sim.now) < sim.heals;
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
        event.text = copy(mica_text(text));
        sim_post(delay(), event);
    }
}

static void
retry(struct sim_client *client, int64_t after)
{
    struct sim_event again = {.kind = SIM_RETRY,
                              .client = client->number,
                              .attempt = client->attempt};

    sim_post(after, again);
}

static void
send_request(struct sim_client *client)
{
    struct sim_event event = {.kind = SIM_REQUEST, .client = client->number};
    char *line = sim_client_request(client);

    SIM_MUST(client->attempts < 2000, "client %d gets no end", client->number);
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
                return copy(mica_text(sim.events[i].text));
        }
    }
    for (size_t i = 0; i < sim.client_count; i++) {
        if (!sim.clients[i].done && sim.clients[i].last != NULL)
            return copy(mica_text(sim.clients[i].last));
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
    if (event.at > atomic_load(&sim.now))
        atomic_store(&sim.now, event.at);
    handle(&event);
    free(event.text);
    return true;
}

void
sim_client_begin(int number, const struct sim_tool *tool, bool tasks,
                 bool keyed)
{
    struct sim_client *client = &sim.clients[number];

    sim.client_count = (size_t)number + 1;
    *client = (struct sim_client){.number = number,
                                  .tool = tool,
                                  .seed = sim_random(),
                                  .tasks = tasks,
                                  .keyed = keyed};
    sim_note("client %d: %s%s%s", number, tool->tool->name,
             tasks ? ", tasks" : "", keyed ? ", keyed" : "");
    if (sim.lively)
        send_request(client);
}

// What goes on without a request.
static void
background(void)
{
    size_t count = sim.event_count;

    while (count-- > 0 && sim.event_count > 0)
        (void)sim_step();
    for (size_t i = 0; i < sim.node_count; i++)
        sim_tick((int)i);
}

void
sim_client_talk(struct sim_client *client)
{
    while (!client->done) {
        char *line = sim_client_request(client), *reply;
        SIM_MUST(client->attempts < 200, "client %d gets no end",
                 client->number);
        reply = sim_say(client->attempts % (int)sim.node_count, line);
        if (reply == NULL || !sim_client_take(client, reply))
            atomic_fetch_add(&sim.now, 3000);
        free(reply);
        free(line);
        background();
    }
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

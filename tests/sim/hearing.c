// SPDX-License-Identifier: Apache-2.0
//
// What a client of a session makes of what it hears: events of a stream, which have
// to make sense, questions, and its result.
#include "call/journal.h"
#include "talker.h"

enum {
    BODY = 200000
};

// ---- Answers -------------------------------------------------------------------------

// Some answer no question, or each by an error, when it is asked for the first time.
static bool
is_first(const struct sim_question *question)
{
    return strchr(question->key, '#') == NULL;
}

static bool
is_error(const struct sim_talker *talker, const struct sim_question *question)
{
    return talker->mood == SIM_REFUSES && is_first(question);
}

static char *
compose(const struct sim_talker *talker, const struct sim_question *question)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;
    struct mica_json request;
    struct mica_arena arena;
    char *answer;

    mica_arena_init(&arena, 1 << 20);
    memset(&request, 0, sizeof request);
    SIM_MUST(mica_json_read(&arena, mica_text(question->request), NULL, NULL,
                            &request) == MICA_OK,
             "no question: %s", question->request);
    mica_buffer_init(&buffer, &arena, BODY);
    mica_json_writer_init(&writer, &buffer);
    if (is_error(talker, question))
        mica_json_raw(&writer,
                      MICA_LITERAL("{\"code\":-1,\"message\":\"no\"}"));
    else
        sim_answer(&talker->person, question->key, &request, &writer);
    answer = sim_copy(mica_buffer_as_text(&buffer));
    mica_arena_fini(&arena);
    return answer;
}

// What was taken before stands, whatever is said now.
static char *
think_again(const struct sim_question *question)
{
    static const char text[] = "{\"action\":\"cancel\"}";

    return strstr(question->request, "elicitation/create") != NULL
               ? sim_copy(mica_text(text))
               : NULL;
}

static void
remember(struct sim_question *question, char *answer)
{
    size_t i = 0;

    while (i < SIM_ANSWERS && question->answers[i] != NULL &&
           strcmp(question->answers[i], answer) != 0)
        i++;
    SIM_MUST(i < SIM_ANSWERS, "too many answers to %s", question->id);
    free(question->answers[i]);
    question->answers[i] = answer;
}

// What it says after it was told that its answer is taken is not one that may be
// found in the journal.
char *
sim_talker_answer(struct sim_talker *talker, struct sim_question *question,
                  bool thinks_again)
{
    char *said = NULL, *body = malloc(BODY);
    bool error = is_error(talker, question);

    if (question->accepted && thinks_again)
        said = think_again(question);
    error = error && said == NULL;
    if (said == NULL)
        said = compose(talker, question);
    snprintf(body, BODY, "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"%s\":%s}",
             question->id, error ? "error" : "result", said);
    sim_note("client %d answers %s (%s): %.80s", talker->person.number,
             question->id, question->key, said);
    if (question->accepted)
        free(said);
    else
        remember(question, said);
    return body;
}

// Its key is in the journal, which clients do not see.
static void
find_key(struct sim_question *question)
{
    struct mica_text id = mica_text(question->id);
    size_t dot = strcspn(question->id, ".");
    const struct sim_call *found = sim_call_of(mica_text_slice(id, 0, dot));
    struct mica_journal journal;
    struct mica_arena arena;
    unsigned long number = strtoul(question->id + dot + 1, NULL, 10);

    SIM_MUST(found != NULL, "%s asks, and was never kept", question->id);
    mica_arena_init(&arena, 8 << 20);
    SIM_MUST(mica_journal_read(&journal, &arena, found->journal, NULL) ==
                     MICA_OK &&
                 number < journal.count &&
                 journal.entries[number].kind == MICA_ENTRY_ASK,
             "%s is no question", question->id);
    snprintf(question->key, sizeof question->key, "%.*s",
             MICA_ARG(journal.entries[number].key));
    mica_arena_fini(&arena);
}

static struct sim_question *
question_of(struct sim_talker *talker, struct mica_text id)
{
    struct sim_question *question = talker->questions;
    struct sim_question *end = question + talker->question_count;

    while (question < end && !mica_text_is(id, question->id))
        question++;
    return question < end ? question : NULL;
}

static void
hear_question(struct sim_talker *talker, const struct mica_json *message)
{
    struct mica_text id = mica_json_get_text(message, "id");
    struct sim_question *question = question_of(talker, id);

    if (question == NULL) {
        SIM_MUST(talker->question_count < SIM_QUESTIONS,
                 "too many questions to client %d", talker->person.number);
        question = &talker->questions[talker->question_count++];
        snprintf(question->id, sizeof question->id, "%.*s", MICA_ARG(id));
        question->request = sim_copy(message->raw);
        question->call = talker->call;
        find_key(question);
    }
    talkers.asked_again += question->asked > 0;
    question->asked++;
    question->withdrawn = false;
    sim_note("client %d is asked %s (%s), time %d", talker->person.number,
             question->id, question->key, question->asked);
    SIM_MUST(
        strlen(question->request) == message->raw.len &&
            memcmp(question->request, message->raw.ptr, message->raw.len) == 0,
        "%s was another question before", question->id);
    if (talker->mood == SIM_SILENT && is_first(question))
        return;
    sim_talker_plan(talker, SIM_PLAN_ANSWER,
                    (size_t)(question - talker->questions),
                    (int64_t)(sim_random() % 3000));
}

// ---- What comes on a stream ----------------------------------------------------------

// A client that hears an error calls again, so an error must not stand for a result. Without a
// key a request that came twice is two calls, and this may be the other.
static void
check_error(const struct sim_talker *talker, const struct mica_json *message)
{
    const struct sim_call *known = sim_call_by(talker->call);

    SIM_MUST(
        known == NULL || talker->twice || known->state != MICA_CALL_COMPLETED,
        "client %d hears %.*s, and the call has come to %.*s",
        talker->person.number, MICA_ARG(message->raw), MICA_ARG(known->reply));
}

static void
come_to_end(struct sim_talker *talker, const struct mica_json *message)
{
    const struct mica_json *result = mica_json_get(message, "result");

    if (result == NULL) { // only what may be tried again
        check_error(talker, message);
        sim_note("client %d: %.200s", talker->person.number, message->raw.ptr);
        if (talker->leaves) // without a session there is no call
            return;
        SIM_MUST(strstr(message->raw.ptr, "-32603") != NULL,
                 "client %d is refused: %.*s", talker->person.number,
                 MICA_ARG(message->raw));
        sim_talker_plan(talker, SIM_PLAN_CALL, 0, sim_soon());
        return;
    }
    SIM_MUST(talker->end == NULL, "client %d has a second end",
             talker->person.number);
    talker->end = sim_copy(result->raw);
    talker->ended = atomic_load(&world.now);
    talker->done = true;
    sim_note("client %d ends with %.150s", talker->person.number, talker->end);
}

static void
hear_notification(struct sim_talker *talker, const struct mica_json *message)
{
    const struct mica_json *params = mica_json_get(message, "params");
    struct sim_question *question;

    talker->notified++;
    talkers.notified++;
    question = question_of(talker, mica_json_get_text(params, "requestId"));
    if (question != NULL)
        question->withdrawn = true;
}

// A real client would answer; the server waits for nothing.
static bool
is_ping(const struct mica_json *message)
{
    return mica_text_is(mica_json_get_text(message, "method"), "ping");
}

void
sim_talker_hear_message(struct sim_talker *talker,
                        struct sim_exchange *exchange, const char *text)
{
    struct mica_json message;
    struct mica_arena arena;
    struct mica_error error;
    const struct mica_json *id;
    int64_t number = -1;

    mica_arena_init(&arena, 8 << 20);
    SIM_MUST(mica_json_read(&arena, mica_text(text), NULL, &error, &message) ==
                 MICA_OK,
             "not JSON: %s", text);
    SIM_MUST(!exchange->has_end, "behind its result client %d hears %s",
             talker->person.number, text);
    id = mica_json_get(&message, "id");
    if (id != NULL && mica_integer_read(id->raw, &number)) {
        SIM_MUST(number == exchange->call, "client %d is answered %s",
                 talker->person.number, text);
        exchange->has_end = true;
        if (!talker->done && exchange->call == talker->call)
            come_to_end(talker, &message);
    } else if (!talker->done && exchange->call == talker->call) {
        if (id != NULL && !is_ping(&message))
            hear_question(talker, &message);
        else if (id != NULL)
            talkers.pinged++;
        else
            hear_notification(talker, &message);
    }
    mica_arena_fini(&arena);
}

// An event with an id is the next of its stream, and always the same.
static void
hear_event_id(struct sim_talker *talker, struct sim_exchange *exchange,
              const char *id, const char *data)
{
    char *end;
    long stream = strtol(id, &end, 10), number = strtol(end + 1, NULL, 10);

    SIM_MUST(*end == '-' && stream > 0 && number < SIM_STREAM_EVENTS,
             "an event of client %d has the id %s", talker->person.number, id);
    SIM_MUST(number == exchange->at + 1,
             "client %d hears event %s behind number %ld",
             talker->person.number, id, exchange->at);
    exchange->at = number;
    if (exchange->call != talker->call)
        return;
    SIM_MUST(talker->stream == 0 || talker->stream == stream,
             "client %d hears of another stream: %s", talker->person.number,
             id);
    talker->stream = stream;
    if (talker->events[number] == NULL)
        talker->events[number] = sim_copy(mica_text(data));
    SIM_MUST(strcmp(talker->events[number], data) == 0,
             "event %s of client %d was %s and is %s", id,
             talker->person.number, talker->events[number], data);
    if (number <= talker->seen)
        return;
    talker->seen = number;
    snprintf(talker->last_event, sizeof talker->last_event, "%s", id);
}

static void
note_place(struct sim_talker *talker, const struct sim_exchange *exchange,
           const char *id)
{
    long stream = strtol(id, NULL, 10);

    if (exchange->call != talker->call)
        return;
    SIM_MUST(talker->stream == 0 || talker->stream == stream,
             "client %d hears of another stream: %s", talker->person.number,
             id);
    talker->stream = stream;
    if (talker->last_event[0] != '\0')
        return;
    talker->seen = exchange->at;
    snprintf(talker->last_event, sizeof talker->last_event, "%s", id);
}

// A client knows from the first event on where to come back (SESSION-4). One that says only
// where it is already has nothing else in the newest of these revisions. In others it
// is a ping, a question that is asked again, or one that could not be kept.
static bool
only_begins(struct sim_talker *talker, struct sim_exchange *exchange,
            const char *id, const char *data)
{
    bool first = !exchange->begun, resumes = exchange->what == SIM_RESUME;
    bool primes = strcmp(talker->revision, "2025-11-25") == 0;

    exchange->begun = true;
    SIM_MUST(!first || !resumes || id != NULL,
             "what client %d resumes begins with %s", talker->person.number,
             data);
    if (!first || (!resumes && exchange->what != SIM_CALL) || id == NULL ||
        strtol(strchr(id, '-') + 1, NULL, 10) != exchange->at)
        return false;
    SIM_MUST((*data == '\0') == primes, "client %d of %s hears \"%s\" first",
             talker->person.number, talker->revision, data);
    note_place(talker, exchange, id);
    return true;
}

static void
hear_event(struct sim_talker *talker, struct sim_exchange *exchange,
           char *event)
{
    char *id = NULL, *data = NULL, *rest, *line;
    bool known;

    for (line = strtok_r(event, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(line, "id: ", 4) == 0)
            id = line + 4;
        else if (strncmp(line, "data: ", 6) == 0)
            data = line + 6;
        else if (strncmp(line, "retry: ", 7) == 0)
            talker->retry_ms = strtol(line + 7, NULL, 10);
        else
            SIM_MUST(strcmp(line, ":") == 0, "a stream says %s", line);
    }
    if (data == NULL)
        return;
    if (only_begins(talker, exchange, id, data))
        id = NULL;
    known = exchange->call == talker->call && id != NULL &&
            strtol(strchr(id, '-') + 1, NULL, 10) <= talker->seen;
    if (id != NULL)
        hear_event_id(talker, exchange, id, data);
    if (*data != '\0' && !known)
        sim_talker_hear_message(talker, exchange, data);
}

void
sim_talker_hear_stream(struct sim_talker *talker, struct sim_exchange *exchange)
{
    char *end;

    while (exchange->connection != 0 &&
           (end = strstr(exchange->body, "\n\n")) != NULL) {
        size_t length = (size_t)(end - exchange->body) + 2;
        char *event = sim_copy((struct mica_text){exchange->body, length - 1});
        memmove(exchange->body, exchange->body + length,
                exchange->size - length + 1);
        exchange->size -= length;
        hear_event(talker, exchange, event);
        free(event);
    }
}

// SPDX-License-Identifier: Apache-2.0
//
// A client of a session: it shakes hands, calls its tool, keeps the stream of the
// answer and comes back to it with Last-Event-ID when it broke, to any host, and
// answers what it is asked by requests of their own. It knows only what it was
// told, and tries again whatever it got no answer to.
//
// What it hears has to make sense: an event of a stream is the same whenever it
// comes, none is left out, and behind the result there is nothing.
#ifndef MICA_TESTS_SIM_TALKER_H
#define MICA_TESTS_SIM_TALKER_H

#include "hosts.h"

enum {
    SIM_TALKERS = 4,
    SIM_QUESTIONS = 24,
    SIM_ANSWERS = 4, // different ones to a question
    SIM_EXCHANGES = 24,
    SIM_STREAM_EVENTS = 64
};

// What kind of client it is.
enum sim_mood {
    SIM_PATIENT, // answers, and waits for the result
    SIM_SILENT,  // never answers one question
    SIM_REFUSES, // answers one question by an error
    SIM_CANCELS, // at some time
    SIM_ENDS,    // its session, at some time
    SIM_VANISHES // at some time, and never comes back
};

// A request of a client on its way, or its response.
struct sim_exchange {
    int connection; // 0: it is free
    enum sim_what {
        SIM_INITIALIZE,
        SIM_INITIALIZED,
        SIM_SET_LEVEL,
        SIM_CALL,   // the stream of the answer
        SIM_RESUME, // again
        SIM_OWN,    // the session's own stream
        SIM_ANSWER,
        SIM_CANCEL,
        SIM_DELETE
    } what;
    int question;
    unsigned status;
    bool stream;
    int call;     // that it is about
    long at;      // the last event of the stream that came on it
    bool begun;   // an event came on it
    bool has_end; // the result came
    bool twice;   // the request may have come twice
    char *body;   // what is not read yet
    size_t size;
    int64_t heard; // when something came last
};

struct sim_question {
    char id[64];
    char key[128];
    char *request;              // JSON
    int call;                   // that asks, by the id of its request
    int asked, sent;            // times
    bool accepted;              // the server has taken an answer
    bool withdrawn;             // it wants none any more
    char *answers[SIM_ANSWERS]; // that were sent: results or errors
};

struct sim_talker {
    struct sim_person person;
    enum sim_mood mood;
    const char *revision;
    bool begun, ready, done; // has a session; may call; has come to its end
    bool acted;              // what its mood has it do at some time
    bool leaves;             // it has asked for the end of its session
    char session[64];
    struct sim_exchange exchanges[SIM_EXCHANGES];

    // Of the call.
    int call;   // the id of its request; 0: none
    int calls;  // times that it was begun
    bool twice; // it may have been begun by a repeated request, too
    char last_event[48];
    long stream, seen;               // numbers in that
    char *events[SIM_STREAM_EVENTS]; // of the stream, by their sequence
    long retry_ms;
    struct sim_question questions[SIM_QUESTIONS];
    size_t question_count;
    char *end; // the result
    int64_t ended;
    size_t resumed, restarted, notified;
};

struct sim_talkers {
    struct sim_talker all[SIM_TALKERS];
    size_t count;
    bool curious; // they come back, repeat and change their minds without need
    size_t resumed, restarted, repeated, asked_again, notified, pinged;
};
extern struct sim_talkers talkers;

void sim_talkers_begin(void);
void sim_talkers_end(void);

// `host`: the one that it speaks to, or -1: any.
void sim_talker_begin(const struct sim_tool *tool, enum sim_mood mood,
                      const char *revision);

bool sim_talkers_done(void);

// All that they still do without need.
void sim_talkers_leave(void);

// ---- Between talker.c and hearing.c ------------------------------------------------

// What one does later.
enum sim_plan {
    SIM_PLAN_BEGIN,
    SIM_PLAN_SAY_READY,
    SIM_PLAN_SET_LEVEL,
    SIM_PLAN_CALL,
    SIM_PLAN_COME_BACK,
    SIM_PLAN_ANSWER, // to that question
    SIM_PLAN_CANCEL,
    SIM_PLAN_END_SESSION,
    SIM_PLAN_LOOK
};
void sim_talker_plan(const struct sim_talker *talker, enum sim_plan what,
                     size_t question, int64_t wait);
int64_t sim_soon(void); // until something is tried again

// The whole events in exchange->body; a message that came there.
void sim_talker_hear_stream(struct sim_talker *talker,
                            struct sim_exchange *exchange);
void sim_talker_hear_message(struct sim_talker *talker,
                             struct sim_exchange *exchange, const char *text);

// The response to a question. A person who thinks again says something else,
// once an answer was taken. Owner: the caller.
char *sim_talker_answer(struct sim_talker *talker,
                        struct sim_question *question, bool thinks_again);

// For sim_wire_begin.
sim_listener sim_talker_hears;

#endif

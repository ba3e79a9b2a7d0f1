// SPDX-License-Identifier: Apache-2.0
//
// The inside of mica-model.so: providers, calls, and the thread that serves them.
//
// A call is in one state (drawn in model_call.c). The model thread alone moves it; other
// threads make calls, and set `cancelled`.
#ifndef MICA_MODEL_MODEL_STATE_H
#define MICA_MODEL_MODEL_STATE_H

#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/states.h"
#include "model/model_address.h"
#include "model/model_events.h"
#include "model/model_module.h"
#include "model/model_wire.h"

enum {
    MICA_MODEL_MESSAGE_SIZE = 320,     // of an answer
    MICA_MODEL_FAULT_BYTES = 64 << 10, // that are read of the body of a failure
    MICA_MODEL_WHOLE_BYTES = 4 << 20,  // of an answer that is no stream
    // Between the last event of a stream and the end of its response.
    MICA_MODEL_LINGER_MS = 1000,
    MICA_MODEL_CONNECT_MS = 10 * 1000, // of a connection: then another attempt
    MICA_MODEL_CLOCK_MS = 100,         // by which two clocks may differ
    MICA_MODEL_WATCH_MS = 250,     // between two looks at flags of cancellation
    MICA_MODEL_TELL_MS = 50,       // between two notices of what has arrived
    MICA_MODEL_NAME_MS = 45 * 1000 // how long a resolved name is taken as known
};

struct mica_model_one; // a call

// A list of calls by one pair of links.
struct mica_model_list {
    struct mica_model_one *first, *last;
};

struct mica_model_provider_state {
    struct mica_model_provider_options options; // texts in the state's arena
    struct mica_text name, model;
    struct mica_model_address address;
    char *key; // on the heap, wiped at the end; NULL: none
    size_t key_len;
    struct curl_slist *headers; // with the key
    // Of the model thread:
    unsigned running;
    struct mica_model_list queue; // QUEUED
    // libcurl resolves each name in a thread: of a thousand calls that begin at once one
    // resolves it first, and the others find it in its cache.
    int64_t known_until_ms;
    bool resolving;
};

enum mica_model_stage {
    MICA_MODEL_SUBMITTED, // in the list of the caller's thread
    MICA_MODEL_QUEUED,    // waits until the provider takes another request
    MICA_MODEL_RUNNING,   // an attempt
    MICA_MODEL_LINGERING, // the answer is there, its HTTP response has not ended
    MICA_MODEL_PAUSING,   // until the next attempt
    MICA_MODEL_ENDED
};

// What the body of a response is.
enum mica_model_body {
    MICA_MODEL_NO_BODY, // nothing of it has come
    MICA_MODEL_STREAM_BODY,
    MICA_MODEL_WHOLE_BODY, // an answer at once
    MICA_MODEL_FAULT_BODY  // of a status that is not 200
};

// Why mica has stopped an attempt.
enum mica_model_stop {
    MICA_MODEL_NOT_STOPPED,
    MICA_MODEL_STOP_SIZE,   // more came than there may
    MICA_MODEL_STOP_ADDRESS // no address of the provider is allowed
};

// One attempt.
struct mica_model_transfer {
    CURL *curl;
    struct mica_model_events events;
    struct mica_model_reading reading;
    struct mica_buffer whole; // a body that is no stream
    size_t received;
    int64_t retry_after_ms;
    enum mica_model_body body;
    enum mica_model_stop stop;
    bool resolves; // it resolves the name of the provider
};

struct mica_model_one {
    struct mica_model_state *state;
    struct mica_model_provider_state *provider;
    enum mica_model_stage stage;
    uint64_t id;
    atomic_bool cancelled;
    const atomic_bool *watched; // of the request, or NULL
    struct mica_model_one *next_submitted;
    struct mica_model_one *queue_before,
        *queue_after; // of the provider's queue
    struct mica_model_one *timed_before,
        *timed_after;              // of the state's timed list
    int64_t due_ms;                // QUEUED, PAUSING, LINGERING
    int64_t deadline_ms;           // of all of it
    int64_t began_ms, notified_ms; // the call; its last progress
    // The request:
    struct mica_buffer body;
    unsigned max_tokens;
    bool has_schema;
    void (*on_progress)(void *data, unsigned progress);
    void (*on_done)(void *data, const struct mica_model_answer *answer);
    void *data;
    struct mica_model_transfer transfer; // of the attempt
    // All attempts:
    unsigned attempts, progress;
    uint64_t prompt_tokens, completion_tokens, estimated_tokens;
    char message[MICA_MODEL_MESSAGE_SIZE];
};

// Whether the model thread runs.
enum mica_model_life {
    MICA_MODEL_IDLE,   // no call has come yet
    MICA_MODEL_ACTIVE, // it runs
    MICA_MODEL_CLOSING // no call is taken any more
};

struct mica_model_state {
    struct mica_arena arena; // texts of the options
    struct mica_model_provider_state providers[MICA_MODEL_PROVIDERS];
    size_t count;
    CURLM *multi;
    pthread_mutex_t lock; // of the next seven
    pthread_t thread;
    enum mica_model_life life;
    bool has_cancels;
    struct mica_model_one *submitted_first, *submitted_last;
    struct mica_model_one *slots[MICA_MODEL_CALLS];
    unsigned free_hint;
    uint64_t generation;
    // Of the model thread:
    struct mica_model_list timed;
    int64_t timed_next_ms; // none of the timed calls is due before
    unsigned watched;      // calls with a flag to look at
    int64_t watch_next_ms;
    unsigned telling; // calls that want progress
    int64_t tell_next_ms;
    struct mica_arena json;
    atomic_ullong calls, refused, answered, failed, late, large, cancelled,
        retries, prompt_tokens, completion_tokens, open;
};

extern const struct mica_states mica_model_stages;

// ---- model_one.c ---------------------------------------------------------------------

void mica_model_move(struct mica_model_one *one, enum mica_model_stage stage);
// Frees a call that has no slot.
void mica_model_one_free(struct mica_model_one *one);

// The model thread: a call is in the timed list of the state while no attempt needs
// libcurl: in QUEUED, PAUSING and LINGERING.
void mica_model_timed_add(struct mica_model_one *one, int64_t due_ms);
void mica_model_timed_remove(struct mica_model_one *one);

// The model thread: tells the caller of progress, which has risen since the last time.
void mica_model_tell(struct mica_model_one *one, int64_t now_ms);

// ---- model_call.c: any thread --------------------------------------------------------

enum mica_status mica_model_submit(struct mica_model_state *state,
                                   const struct mica_model_request *request,
                                   struct mica_error *error, uint64_t *id_out);
void mica_model_withdraw(struct mica_model_state *state, uint64_t id);

// ---- model_thread.c ------------------------------------------------------------------

// With the lock held. Errors: MICA_E_IO.
enum mica_status mica_model_thread_start(struct mica_model_state *state,
                                         struct mica_error *error);
void mica_model_thread_stop(struct mica_model_state *state);

// ---- model_transfer.c: the model thread ----------------------------------------------

// Begins an attempt; false if there is no memory.
bool mica_model_transfer_begin(struct mica_model_one *one, int64_t now_ms);
// Takes the attempt out of libcurl; its reading stays.
void mica_model_transfer_end(struct mica_model_one *one);

// ---- model_outcome.c: the model thread -----------------------------------------------

// What follows an attempt.
struct mica_model_verdict {
    bool again;              // another attempt, if one is left
    enum mica_status status; // otherwise; `one->message` says why
};
struct mica_model_verdict mica_model_judge(struct mica_model_one *one,
                                           CURLcode code, int64_t now_ms);

#endif

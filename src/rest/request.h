// SPDX-License-Identifier: Apache-2.0
//
// What the files of this folder share: one request of REST, beside its message.
// Not for other folders.
#ifndef MICA_REST_REQUEST_H
#define MICA_REST_REQUEST_H

#include "protocol/base_path.h"
#include "rest/problem_details.h"
#include "rest/query.h"
#include "rest/rest.h"
#include "server/message_surface.h"

enum {
    MICA_ETAG_SIZE = 40,                         // with its quotes and NUL
    MICA_PATH_SIZE = MICA_ADDED_PATH_BYTES + 64, // of a link to a call
    MICA_REST_KEY_BYTES = 256, // of an Idempotency-Key, as over MCP
    MICA_REST_DEPTH = 512      // of a result, as deep as any may be
};

// message->context.surface_data.
struct mica_rest {
    struct mica_text base;   // in front of the addresses of the reply
    struct mica_text method; // of HTTP
    struct mica_text call;   // id, of a request about one
    struct mica_text idempotency_key;
    enum mica_problem_form form; // of the problem document
    int64_t after;     // number of the last log message that the client knows
    bool reads;        // GET or HEAD
    bool is_problem;   // the reply is a problem document
    bool pure;         // the reply depends on engine and input alone
    bool immutable;    // and its address names the engine's build
    const char *allow; // of a 405 or an OPTIONS, or NULL
    unsigned retry_s;  // Retry-After, or 0
    char etag[MICA_ETAG_SIZE];     // or empty
    char location[MICA_PATH_SIZE]; // or empty
};

static inline struct mica_rest *
mica_rest_of(const struct mica_message *message)
{
    return message->context.surface_data;
}

extern const struct mica_surface mica_rest_surface;

// What stands in front of the addresses of a reply.
static inline struct mica_text
mica_rest_base(const struct mica_message *message)
{
    const struct mica_rest *rest = mica_rest_of(message);

    return rest != NULL ? rest->base : (struct mica_text){NULL, 0};
}

// The address of a path that is NUL-ended, in the message's arena; for texts to people.
static inline const char *
mica_rest_address(const struct mica_message *message, const char *pathz)
{
    return mica_base_path_text(message->arena, mica_rest_base(message), "%s",
                               pathz)
        .ptr;
}

// Is the tool for the one who asks? For programs what models may call; for a view, whose
// request http_request carries, what views may call, without http_request itself.
bool mica_rest_offers(const struct mica_message *message,
                      const struct mica_definition *tool);

// The same; if it is not, an error reply is ready.
bool mica_rest_may_call(struct mica_message *message,
                        const struct mica_definition *tool);

// ---- Replies (reply.c) ----------------------------------------------------------

// A writer of a reply that is a JSON value.
void mica_rest_open(struct mica_message *message, unsigned status,
                    struct mica_json_writer *writer);

// Ends it: a reply that was too large becomes a refusal.
void mica_rest_close(struct mica_message *message);

// A problem with that HTTP status, where the table's would not do.
void mica_rest_refuse(struct mica_message *message, unsigned http_status,
                      enum mica_status status, const char *pointerz,
                      const char *formatz, ...) MICA_PRINTF(5, 6);

// A failure with its place.
void mica_rest_fail(struct mica_message *message,
                    const struct mica_error *error);

// No method but those: 405, or 204 to OPTIONS.
void mica_rest_only(struct mica_message *message, const char *allow,
                    const char *formatz, ...) MICA_PRINTF(3, 4);

// ---- What a tool came to (rest_outcome.c) ----------------------------------------

// What a reply of MCP says.
struct mica_rest_outcome {
    bool failed;
    struct mica_problem_details problem;
    const struct mica_json *result; // of a tool that has not failed
};

// An error object of mica ("code", "message", "path", and "own" where a tool has
// named its failure as mica names one) as a problem.
struct mica_problem_details mica_rest_problem_of(const struct mica_json *error);

// `root` has "result" or "error", as a reply or the tail of one.
struct mica_rest_outcome mica_rest_outcome_read(const struct mica_json *root,
                                                struct mica_arena *arena);

// The result of a tool that has not failed.
void mica_rest_write_result(const struct mica_json *result,
                            struct mica_json_writer *writer);

// The tail of a reply of MCP ("result":… or "error":…) as the member "result" or
// "problem" of an object. What is neither is left out.
void mica_rest_write_outcome(struct mica_message *message,
                             struct mica_text tail,
                             struct mica_json_writer *writer);

// ---- What a call tells on its way (events.c) --------------------------------------

void mica_rest_tell(struct mica_message *message,
                    const struct mica_notice *notice, struct mica_buffer *out);
const char *mica_rest_last_event(const struct mica_message *message);

// ---- Caching (cache.c) ----------------------------------------------------------

// The strong entity tag of what is made of these two.
void mica_rest_tag(struct mica_rest *rest, struct mica_text version,
                   struct mica_text input);

// Does the client have what has this tag? `*` counts once there is something.
bool mica_rest_matches(const struct mica_message *message, bool any);

// 304: what the client has is still right.
void mica_rest_unchanged(struct mica_message *message);

// ---- What is served, each in a file of its name ----------------------------------

void mica_rest_catalog(struct mica_message *message);
void mica_rest_error_page(struct mica_message *message, struct mica_text code);
void mica_rest_tool(struct mica_message *message, struct mica_text name);
void mica_rest_call(struct mica_message *message, struct mica_text id);
void mica_rest_openapi(struct mica_message *message);

// ---- Calls that wait (call_json.c) ----------------------------------------------------

// The call's state: id, status, questions of `round`, and what it has come to.
void mica_rest_write_call(struct mica_message *message,
                          const struct mica_kept_call *kept, uint32_t round,
                          struct mica_json_writer *writer);

// The path of the call becomes the reply's Location.
void mica_rest_locate(struct mica_message *message, struct mica_text id);

// The answers of a body in MCP's words: bare values become results of what their
// questions are (answers.c). False: a reply is ready.
bool mica_rest_answers(struct mica_message *message,
                       const struct mica_kept_call *kept,
                       const struct mica_json *given,
                       const struct mica_json **answers_out);

// Questions by their keys, from MCP's {key: {"method","params"}} (questions.c).
void mica_rest_write_questions(const struct mica_json *asks,
                               struct mica_json_writer *writer);

#endif

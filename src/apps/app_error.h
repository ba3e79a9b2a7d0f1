// SPDX-License-Identifier: Apache-2.0
//
// Errors of apps, as their contract has them: {"code","message","details"}. The same
// object stands in three places:
//
//     over HTTP and with --json        {"error":{"code":…,"message":…,"details":{…}}}
//     in error.data of JSON-RPC        {"code":…,"message":…,"details":{…}}
//     in _meta["mica/error"] of a      {"code":…,"message":…,"details":{…}}
//     tool result with isError
//
// The five codes are rows of include/mica/status.h, which has their JSON-RPC code, HTTP
// status and exit status:
//
//     APP_NOT_FOUND    MICA_E_APP        the app does not exist or is not published
//     INVALID_CONFIG   MICA_E_CONFIG     the draft, or how the app is set up
//     EXECUTION_ERROR  MICA_E_EXECUTION  the app failed in a call
//     LLM_ERROR        MICA_E_LLM        the provider of the language model failed
//     TIMEOUT          MICA_E_TIMEOUT    a time limit of the call passed
//
// Refusals that come before an app (a token, a scope, a rate, a revision) keep their own
// codes in the same object.
#ifndef MICA_APPS_APP_ERROR_H
#define MICA_APPS_APP_ERROR_H

#include <mica/json.h>

struct mica_app_error {
    enum mica_status status;
    const char *codez;        // NULL: the code of `status`
    struct mica_text message; // for people and agents
    struct mica_text details; // JSON object; empty: {}
};

// The status that an app answers with if a part of its call ended with `status`: one of
// the five for what fails inside the app, the status itself for refusals before it.
enum mica_status mica_app_error_status(enum mica_status status);

// Makes the error of an app from `error`. Details have "path" if the error has a pointer,
// and "reason" with the code of the cause if mica_app_error_status changed it.
// Owner: texts are in `arena` and in `error`. Out of memory gives empty details.
void mica_app_error_make(const struct mica_error *error,
                         struct mica_arena *arena,
                         struct mica_app_error *error_out);

// Writes {"code","message","details"}.
void mica_app_error_write(struct mica_json_writer *writer,
                          const struct mica_app_error *error);

// Writes {"error":{"code","message","details"}}: a body of HTTP, output of --json.
void mica_app_error_write_body(struct mica_json_writer *writer,
                               const struct mica_app_error *error);

// Writes the members "message" and "details" without braces: what mica_problem_write
// takes as `data` to write error.data as the object above (it writes "code" itself).
void mica_app_error_write_data(struct mica_buffer *buffer,
                               const struct mica_app_error *error);

// Writes the member "mica/error" with its name into an object that is open: _meta of a
// tool result.
void mica_app_error_write_meta(struct mica_json_writer *writer,
                               const struct mica_app_error *error);

#endif

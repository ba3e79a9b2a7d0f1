// SPDX-License-Identifier: Apache-2.0
//
// Every way a mica function can end, in one table. The same table gives the
// stable code that a client reads, the JSON-RPC code, the HTTP status of a
// REST reply and the exit status of the command line.
//
// A code never changes its meaning once released; a new one may be added.
#ifndef MICA_STATUS_H
#define MICA_STATUS_H

#pragma GCC visibility push(default)

// What kind of failure it is: who has to act, and whether trying again helps.
enum mica_failure {
    MICA_SUCCESS,  // no failure
    MICA_INPUT,    // the caller's input is wrong: change it
    MICA_MISSING,  // the named thing does not exist
    MICA_CONFLICT, // it exists in another state: look again
    MICA_LIMITED,  // a limit was met: ask for less
    MICA_BLOCKED,  // busy, cancelled or late: the same call may work later
    MICA_OUTSIDE,  // a file, the network or the operating system failed
    MICA_MISUSE,   // the program calls mica in a way its header forbids
    MICA_INTERNAL  // a fault of the engine or of mica
};

// X(symbol, stable code, kind, JSON-RPC code, HTTP status, meaning)
#define MICA_STATUS_TABLE(X)                                               \
    X(MICA_OK, "OK", MICA_SUCCESS, 0, 200, "success")                      \
    X(MICA_FAILED, "FAILED", MICA_INPUT, -32602, 422,                      \
      "the handler refused the input; its own code says why")              \
    X(MICA_E_JSON, "INVALID_JSON", MICA_INPUT, -32700, 400,                \
      "the text is not JSON")                                              \
    X(MICA_E_DUPLICATE, "DUPLICATE_FIELD", MICA_INPUT, -32602, 400,        \
      "an object has the same name twice")                                 \
    X(MICA_E_TYPE, "WRONG_TYPE", MICA_INPUT, -32602, 422,                  \
      "a value has another type than its schema")                          \
    X(MICA_E_REQUIRED, "MISSING_FIELD", MICA_INPUT, -32602, 422,           \
      "a required field is absent")                                        \
    X(MICA_E_UNKNOWN, "UNKNOWN_FIELD", MICA_INPUT, -32602, 422,            \
      "the schema has no field of that name")                              \
    X(MICA_E_RANGE, "OUT_OF_RANGE", MICA_INPUT, -32602, 422,               \
      "a value lies outside its bounds")                                   \
    X(MICA_E_CHOICE, "NOT_A_CHOICE", MICA_INPUT, -32602, 422,              \
      "a value is not one of the choices")                                 \
    X(MICA_E_FORMAT, "BAD_FORMAT", MICA_INPUT, -32602, 422,                \
      "a text has another form than its schema")                           \
    X(MICA_E_NOT_FOUND, "NOT_FOUND", MICA_MISSING, -32602, 404,            \
      "there is no such thing")                                            \
    X(MICA_E_EXISTS, "ALREADY_EXISTS", MICA_CONFLICT, -32602, 409,         \
      "the name is taken")                                                 \
    X(MICA_E_LIMIT, "LIMIT_EXCEEDED", MICA_LIMITED, -32603, 413,           \
      "a limit on bytes, depth or memory was met")                         \
    X(MICA_E_TIMEOUT, "TIMEOUT", MICA_LIMITED, -32603, 504,                \
      "the call took longer than its limit")                               \
    X(MICA_E_EXECUTION, "EXECUTION_ERROR", MICA_INTERNAL, -32603, 500,     \
      "the engine stopped on a fault of its own")                          \
    X(MICA_E_CANCELLED, "CANCELLED", MICA_BLOCKED, -32603, 499,            \
      "the client cancelled the call")                                     \
    X(MICA_E_BUSY, "BUSY", MICA_BLOCKED, -32603, 503,                      \
      "too much work is waiting")                                          \
    X(MICA_E_IO, "IO_ERROR", MICA_OUTSIDE, -32603, 500,                    \
      "a file or the operating system failed")                             \
    X(MICA_E_BUILD, "BUILD_FAILED", MICA_INPUT, -32603, 500,               \
      "the source could not be built")                                     \
    X(MICA_E_IMPURE, "IMPURE_ENGINE", MICA_INPUT, -32603, 500,             \
      "the engine reaches for hidden state or the outside")                \
    X(MICA_E_TRUST, "UNTRUSTED_FILE", MICA_OUTSIDE, -32603, 500,           \
      "a file that would be loaded could have been changed by others")     \
    X(MICA_E_FORBIDDEN, "FORBIDDEN", MICA_INPUT, -32600, 403,              \
      "that host or that origin may not call this server")                 \
    X(MICA_E_UNAUTHORIZED, "UNAUTHORIZED", MICA_INPUT, -32600, 401,        \
      "the request has no access token that is accepted here")             \
    X(MICA_E_SCOPE, "INSUFFICIENT_SCOPE", MICA_INPUT, -32600, 403,         \
      "the access token lacks a scope that this needs")                    \
    X(MICA_E_CAPABILITY, "CAPABILITY_MISSING", MICA_INPUT, -32021, 400,    \
      "the client has not declared something that the tool needs")         \
    X(MICA_SUSPENDED, "SUSPENDED", MICA_BLOCKED, -32603, 202,              \
      "the call waits for an answer of its client")                        \
    X(MICA_E_DECLINED, "ELICITATION_DECLINED", MICA_INPUT, -32603, 422,    \
      "the person who was asked said no")                                  \
    X(MICA_E_DISMISSED, "ELICITATION_CANCELLED", MICA_INPUT, -32603, 422,  \
      "the person who was asked closed the form")                          \
    X(MICA_E_ATTEMPTS, "ATTEMPTS_EXHAUSTED", MICA_INPUT, -32603, 422,      \
      "no valid answer came in as many attempts as there may be")          \
    X(MICA_E_CLIENT, "CLIENT_ERROR", MICA_OUTSIDE, -32603, 502,            \
      "the client answered a question with an error")                      \
    X(MICA_E_DISCONNECTED, "DISCONNECTED", MICA_BLOCKED, -32603, 504,      \
      "the client that would have answered is gone")                       \
    X(MICA_E_INTERRUPTED, "INTERRUPTED", MICA_OUTSIDE, -32603, 500,        \
      "the server that ran the call has died")                             \
    X(MICA_E_DIVERGED, "REPLAY_DIVERGED", MICA_INTERNAL, -32603, 500,      \
      "the handler did something else when it ran again")                  \
    X(MICA_E_STATE, "STATE_INVALID", MICA_INPUT, -32602, 400,              \
      "that state was not made for this request, or is too old")           \
    X(MICA_E_SUPERSEDED, "STATE_SUPERSEDED", MICA_CONFLICT, -32602, 409,   \
      "that round was answered before, in another way")                    \
    X(MICA_E_CALL_BUSY, "CALL_BUSY", MICA_BLOCKED, -32603, 503,            \
      "another request is processing this call; retry in 1 s")             \
    X(MICA_E_CRASHED, "CALL_CRASHED", MICA_INTERNAL, -32603, 500,          \
      "the processes that ran the call have ended in the middle of it")    \
    X(MICA_E_SERVICE, "SERVICE_MISSING", MICA_MISUSE, -32603, 500,         \
      "the program has no service of that name")                           \
    X(MICA_E_USAGE, "USAGE", MICA_MISUSE, -32603, 500,                     \
      "the call or the command line is used wrongly")                      \
    X(MICA_E_INTERNAL, "INTERNAL_ERROR", MICA_INTERNAL, -32603, 500,       \
      "a fault of mica")                                                   \
    X(MICA_E_METHOD, "METHOD_NOT_ALLOWED", MICA_INPUT, -32600, 405,        \
      "that address does not answer this HTTP method")                     \
    X(MICA_E_ACCEPT, "NOT_ACCEPTABLE", MICA_INPUT, -32600, 406,            \
      "the reply has no form that the client accepts")                     \
    X(MICA_E_MEDIA, "UNSUPPORTED_MEDIA_TYPE", MICA_INPUT, -32600, 415,     \
      "the body has another media type than is read there")                \
    X(MICA_E_STRANDED, "BUILD_MISSING", MICA_OUTSIDE, -32603, 500,         \
      "no server has the tool in the build that the call began with")      \
    X(MICA_E_EXPIRED, "STATE_EXPIRED", MICA_INPUT, -32602, 400,            \
      "the call that the state belongs to has expired")                    \
    X(MICA_E_SESSIONS, "TOO_MANY_SESSIONS", MICA_LIMITED, -32603, 429,     \
      "the client has too many sessions, and none of them is idle")        \
    X(MICA_E_ADDRESS, "ADDRESS_IN_USE", MICA_CONFLICT, -32603, 500,        \
      "another program listens at the address")                            \
    X(MICA_E_RATE, "RATE_LIMITED", MICA_BLOCKED, -32603, 429,              \
      "the caller has called the tool as often as it may for now")         \
    X(MICA_E_FETCH, "FETCH_FAILED", MICA_OUTSIDE, -32603, 502,             \
      "another server cannot be reached, or its connection broke")         \
    X(MICA_E_FETCH_ADDRESS, "FETCH_NOT_ALLOWED", MICA_MISUSE, -32603, 500, \
      "the tool or its project does not allow that address")               \
    X(MICA_E_FETCH_SECRET, "FETCH_SECRET", MICA_MISUSE, -32603, 500,       \
      "a secret of a request is not set, or belongs to another server")    \
    X(MICA_E_FETCH_TIME, "FETCH_TIMEOUT", MICA_OUTSIDE, -32603, 504,       \
      "another server did not answer in time")                             \
    X(MICA_E_FETCH_SIZE, "FETCH_TOO_LARGE", MICA_OUTSIDE, -32603, 502,     \
      "the answer of another server is larger than its limit")             \
    X(MICA_E_FETCH_REDIRECT, "FETCH_REDIRECTS", MICA_OUTSIDE, -32603, 502, \
      "another server redirects too often")                                \
    X(MICA_E_FETCH_STATUS, "FETCH_STATUS", MICA_OUTSIDE, -32603, 502,      \
      "another server answered with a failure")                            \
    X(MICA_E_FETCH_ANSWER, "FETCH_BAD_ANSWER", MICA_OUTSIDE, -32603, 502,  \
      "the answer of another server is not what the tool reads")           \
    X(MICA_E_CROSS_SITE, "CROSS_SITE_REQUEST", MICA_INPUT, -32600, 403,    \
      "a page of another site may not act with the login of a browser")    \
    X(MICA_E_LOGIN_STATE, "LOGIN_STATE_INVALID", MICA_INPUT, -32600, 400,  \
      "the reply of the issuer belongs to no sign-in of this browser")     \
    X(MICA_E_LOGIN, "LOGIN_FAILED", MICA_OUTSIDE, -32603, 502,             \
      "the issuer did not sign the person in, or cannot be reached")       \
    X(MICA_E_LOGINS, "TOO_MANY_LOGINS", MICA_LIMITED, -32603, 503,         \
      "as many browsers are signed in as there may be")                    \
    X(MICA_E_KEEP, "KEEP_FAILED", MICA_OUTSIDE, -32603, 500,               \
      "the database of a tool cannot be read or written")                  \
    X(MICA_E_KEEP_NONE, "KEEP_NOT_FOUND", MICA_MISSING, -32603, 404,       \
      "a tool keeps no entry of that name, or no such row")                \
    X(MICA_E_KEEP_VERSION, "KEEP_CONFLICT", MICA_CONFLICT, -32603, 409,    \
      "an entry that a tool keeps was changed by another call")            \
    X(MICA_E_KEEP_RULE, "KEEP_CONSTRAINT", MICA_CONFLICT, -32603, 409,     \
      "a constraint of a tool's table does not allow the change")          \
    X(MICA_E_KEEP_VALUE, "KEEP_BAD_VALUE", MICA_MISUSE, -32603, 500,       \
      "what a tool keeps does not fit the record that it reads")           \
    X(MICA_E_KEEP_SIZE, "KEEP_TOO_LARGE", MICA_LIMITED, -32603, 413,       \
      "what a tool keeps or reads is larger than its limit")               \
    X(MICA_E_KEEP_FULL, "KEEP_FULL", MICA_LIMITED, -32603, 507,            \
      "the database of a tool has reached its limit")                      \
    X(MICA_E_KEEP_TIME, "KEEP_TIMEOUT", MICA_LIMITED, -32603, 504,         \
      "the statements of a tool ran longer than they may")                 \
    X(MICA_E_KEEP_BUSY, "KEEP_BUSY", MICA_BLOCKED, -32603, 503,            \
      "another process holds the database of a tool")                      \
    X(MICA_E_KEEP_SQL, "KEEP_SQL", MICA_MISUSE, -32603, 500,               \
      "a statement of a tool is wrong, or does what it may not")           \
    X(MICA_E_KEEP_TABLES, "KEEP_TABLES", MICA_MISUSE, -32603, 500,         \
      "the tables of a tool do not fit those of its database")             \
    X(MICA_E_VIEW_ONLY, "VIEW_ONLY", MICA_INPUT, -32600, 403,              \
      "only views may call the tool, and no view asks")                    \
    X(MICA_E_MODEL_ONLY, "MODEL_ONLY", MICA_INPUT, -32600, 403,            \
      "only models may call the tool, and a view asks")                    \
    X(MICA_E_NOT_MOUNTED, "NOT_MOUNTED", MICA_INPUT, -32602, 403,          \
      "a request of a view names a path that views do not reach")          \
    X(MICA_E_HEADER, "HEADER_REFUSED", MICA_INPUT, -32602, 403,            \
      "a request of a view has a header that is not carried")              \
    X(MICA_E_LLM, "LLM_ERROR", MICA_OUTSIDE, -32603, 502,                  \
      "a language model could not answer, or its provider failed")         \
    X(MICA_E_APP, "APP_NOT_FOUND", MICA_MISSING, -32602, 404,              \
      "there is no such app, or it is not published")                      \
    X(MICA_E_CONFIG, "INVALID_CONFIG", MICA_INPUT, -32602, 422,            \
      "an app is set up in a way that cannot work")                        \
    X(MICA_E_ROLE, "ROLE_MISSING", MICA_INPUT, -32600, 403,                \
      "the act takes another role in the app: editor or owner")            \
    X(MICA_E_APP_STATE, "APP_STATE", MICA_CONFLICT, -32602, 409,           \
      "the state of the app does not allow the act")                       \
    X(MICA_E_REVISION, "REVISION_CONFLICT", MICA_CONFLICT, -32602, 412,    \
      "the app was edited since the caller read it")                       \
    X(MICA_E_BUDGET, "BUDGET_EXHAUSTED", MICA_BLOCKED, -32603, 429,        \
      "the app has used up its budget for now")                            \
    X(MICA_E_UNCONDITIONAL, "REVISION_REQUIRED", MICA_INPUT, -32602, 428,  \
      "the change does not say which revision of the app it is made to")

// The symbols of the table, in its order.
enum mica_status {
#define MICA_STATUS_SYMBOL(symbol, code, kind, rpc, http, meaning) symbol,
    MICA_STATUS_TABLE(MICA_STATUS_SYMBOL)
#undef MICA_STATUS_SYMBOL
    MICA_STATUS_COUNT
};

// The stable code, e.g. "OUT_OF_RANGE". Any value is allowed; one outside the
// table reads as "INTERNAL_ERROR". The text is static.
const char *mica_status_code(enum mica_status status);

// One line for people, e.g. "a value lies outside its bounds". Static.
const char *mica_status_meaning(enum mica_status status);

// The other columns of the table.
enum mica_failure mica_status_kind(enum mica_status status);
int mica_status_json_rpc(enum mica_status status);
int mica_status_http(enum mica_status status);

// Exit status of the command line by kind: 0 success, 1 internal, 2 usage or
// misuse, 3 input, 4 missing, 5 limited, 6 blocked, 7 conflict, 8 outside.
int mica_status_exit(enum mica_status status);

#pragma GCC visibility pop

#endif

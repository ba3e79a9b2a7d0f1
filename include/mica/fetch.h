// SPDX-License-Identifier: Apache-2.0
//
// Requests of a tool to another server, over HTTP: JSON out of a record, JSON into
// a record.
//
//     #include <mica/fetch.h>
//
//     struct rate { double value; };
//     MICA_RECORD(rate, MICA_NUMBER(value, "Dollars for one euro."));
//
//     static enum mica_status
//     dollars(struct mica_call *call, const struct mica_nothing *in,
//             struct rate *out)
//     {
//         (void)in;
//         return mica_fetch(
//             call,
//             &(struct mica_fetch){
//                 .key = "rate",
//                 .url = MICA_LITERAL("https://api.example.org/eur-usd")},
//             MICA_INTO(rate, out));
//     }
//
//     MICA_TOOL(dollars, mica_nothing, rate, dollars,
//         .description = "…", .hints = MICA_READ_ONLY,
//         .fetches = MICA_FETCHES("https://api.example.org"));
//
// A FETCH IS A STEP. It is recorded when it has ended, and what is recorded is not
// sent again: a handler that runs again is given the same answer. A process that
// dies between the request and the record sends it again, with the same header
// Idempotency-Key.
//
// WHERE IT MAY GO. A tool says which origins it uses (.fetches); the file of the
// project says which of them it may use ([fetch] in mica.toml, docs/fetch.md). An
// address of a private network, of this machine or of a cloud's metadata service is
// refused, whatever name leads there, unless the file names that origin as private.
// A redirect is followed only where a request might go. Variables of the
// environment name no proxy.
//
// SECRETS. A header may end with a secret: a variable of the environment, by its
// name. The file says to which origin each is sent, over https or to this machine.
// No other place gets it: no other host after a redirect, no journal, no log and no
// message of an error. An answer that repeats it is refused.
//
// In tests nothing is sent: mica_mock_fetch (mica/test.h) says what is answered.
//
// Threads: mica_fetch blocks the thread of its handler; a cancellation of the call
// ends it within a tenth of a second.
#ifndef MICA_FETCH_H
#define MICA_FETCH_H

#include <mica/tool.h>

#pragma GCC visibility push(default)

// ---- A request -------------------------------------------------------------------

// A header: its value, and behind that a secret if one is named. Names are those of
// RFC 9110; Host, Connection, Cookie, Expect, Upgrade, TE, Trailer, Idempotency-Key,
// Transfer-Encoding, Content-Length, Content-Type and Proxy-… are mica's own.
struct mica_fetch_header {
    const char *name;
    struct mica_text value; // visible ASCII and blanks: "Bearer "
    const char *secret;     // NULL, or its name: "RATES_TOKEN"
};

struct mica_fetch {
    const char *key;    // of the step, without ' ', '/', '#'; NULL: "fetch"
    const char *method; // NULL: GET, with a body POST
    // https, or http: scheme and host in lower case, without a user and a fragment.
    // What a caller wrote becomes part of it by mica_fetch_escape.
    struct mica_text url;
    const struct mica_fetch_header *headers;
    size_t header_count;
    struct mica_from body; // MICA_FROM(order, &order); without a record: none
    // NULL: a status other than 2xx is FETCH_STATUS. Else the status, 2xx or not; the
    // record is zero when it is not.
    unsigned *status_out;
    uint32_t limit_ms;    // of all attempts; 0: 10 s; at most 60 s
    uint32_t limit_bytes; // of the answer; 0: 256 KiB; at most 1 MiB
    unsigned attempts;    // 0: 3; at most 5
    // Of POST and PATCH: the server does a request with the same Idempotency-Key once,
    // so that one that failed may be sent again.
    bool repeats;
};

// Sends it and reads the answer into a struct; names that its record does not have
// are left out. A `into` without a record takes no body. GET, HEAD, PUT, DELETE, and
// what .repeats, are sent again after a broken connection and after the statuses 429,
// 502, 503 and 504. In the handler, `before`, `after` or a step. Errors:
//  MICA_E_FETCH_ADDRESS   FETCH_NOT_ALLOWED  the tool or the file does not allow it
//  MICA_E_FETCH_SECRET    FETCH_SECRET       a secret is not set, or belongs elsewhere
//  MICA_E_FETCH           FETCH_FAILED       no connection, or it broke
//  MICA_E_FETCH_TIME      FETCH_TIMEOUT      no whole answer within limit_ms
//  MICA_E_FETCH_SIZE      FETCH_TOO_LARGE    the answer exceeds limit_bytes
//  MICA_E_FETCH_REDIRECT  FETCH_REDIRECTS    more than 5 redirects
//  MICA_E_FETCH_STATUS    FETCH_STATUS       a status other than 2xx
//  MICA_E_FETCH_ANSWER    FETCH_BAD_ANSWER   no JSON, or not that of the record
//  MICA_E_USAGE           the struct is wrong, or the tool has no .fetches
// What failed is recorded, too. A call that is cancelled meanwhile records nothing.
enum mica_status mica_fetch(struct mica_call *call,
                            const struct mica_fetch *fetch,
                            struct mica_into into) MICA_MUST_USE;

// GET of the URL that a template gives: {name} stands for the value of that field, and
// {?from,to} for a query of several, "?from=EUR&to=USD", without those that are absent
// (RFC 6570, in part). A value is a text, number, boolean, choice or date; it becomes part
// of the URL as by mica_fetch_escape. All else is as in a mica_fetch that has only a URL.
//     mica_fetch_get(call, "https://api.example.org/rate{?from,to}",
//                    MICA_FROM(pair, in), MICA_INTO(rate, out))
// Errors: those of mica_fetch; MICA_E_USAGE also for a template that cannot be filled.
enum mica_status mica_fetch_get(struct mica_call *call, const char *templatez,
                                struct mica_from fields, struct mica_into into)
    MICA_MUST_USE;

// A text as one segment of a path or one value of a query: all bytes but letters,
// digits and "-._~" as %XX. A URL with a segment "." or ".." is refused, so that no text
// leads out of its place in the path; an empty text leaves an empty segment.
struct mica_text mica_fetch_escape(struct mica_call *call,
                                   struct mica_text text);

// The origins that a tool uses: .fetches = MICA_FETCHES("https://api.example.org").
// "*" alone: those that the project allows.
#define MICA_FETCHES(...) ((const char *const[]){__VA_ARGS__, NULL})

// A tool that is one such request: its input fills the template, its output is read of the
// answer, and it uses that origin. Options are those of MICA_TOOL.
//     MICA_FETCH_TOOL(rate, pair, rate, "https://api.example.org", "/rate{?from,to}",
//         .description = "Say what one unit of a currency costs in another one.");
#define MICA_FETCH_TOOL(name_, input_tag_, output_tag_, origin_, path_, ...) \
    static enum mica_status mica_fetch_tool_##name_(                         \
        struct mica_call *mica_call_, const struct input_tag_ *mica_in_,     \
        struct output_tag_ *mica_out_)                                       \
    {                                                                        \
        return mica_fetch_get(mica_call_, origin_ path_,                     \
                              MICA_FROM(input_tag_, mica_in_),               \
                              MICA_INTO(output_tag_, mica_out_));            \
    }                                                                        \
    MICA_TOOL(name_, input_tag_, output_tag_, mica_fetch_tool_##name_,       \
              .hints = MICA_READ_ONLY, .fetches = MICA_FETCHES(origin_),     \
              __VA_ARGS__)

// The same functions, for the kinds of calls that may use them.
#ifndef MICA_TOOL_PLAIN
#    define mica_fetch(call_, ...) \
        (mica_fetch)(MICA_SERVER_CALL_(call_), __VA_ARGS__)
#    define mica_fetch_get(call_, ...) \
        (mica_fetch_get)(MICA_SERVER_CALL_(call_), __VA_ARGS__)
#    define mica_fetch_escape(call_, ...) \
        (mica_fetch_escape)(MICA_ANY_CALL_(call_), __VA_ARGS__)
#endif

#pragma GCC visibility pop

#endif

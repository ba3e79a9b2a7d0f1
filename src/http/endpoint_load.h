// SPDX-License-Identifier: Apache-2.0
//
// Requests for endpoints of a source (registry/endpoint_source.h): one that is not in
// memory is loaded by the store thread while the connection is suspended; and what becomes
// of the streams at an endpoint that is no longer served.
//
//   request            the source says   the exchange
//   in the registry    -                 FOUND: goes its way, and holds the endpoint
//   not there          OTHER             FOUND, at the route "nothing"
//                      ABSENT            ABSENT: 404, without a look into the store
//                      UNLOADED          UNLOADED until its body is read; then the store
//                                        thread loads it: FOUND, ABSENT, or a refusal
//
// An exchange holds its endpoint to its end, so the source does not drop it from memory
// under a call.
#ifndef MICA_HTTP_ENDPOINT_LOAD_H
#define MICA_HTTP_ENDPOINT_LOAD_H

#include <microhttpd.h>

#include <mica/base.h>

struct mica_app_exposure;
struct mica_http;
struct mica_http_exchange;

enum mica_exchange_place {
    MICA_PLACE_FOUND, // the server itself, or the endpoint that the exchange holds
    MICA_PLACE_UNLOADED, // the store thread has to look
    MICA_PLACE_ABSENT
};

// Answers a request whose place is not FOUND: hands it to the store thread, or refuses it
// in the form of its route.
enum MHD_Result mica_exchange_load(struct mica_http_exchange *exchange);

// May the caller use the endpoint that the exchange holds (app_caller.h)? False: it was
// answered, with `*result_out`.
bool mica_exchange_may_use(struct mica_http_exchange *exchange,
                           enum MHD_Result *result_out);

// Ends all streams that are open at the endpoint with that key (empty: as
// mica_registry_has_ended has it), except those of running calls, which end with them. From any thread but the bus's.
void mica_http_end_streams(struct mica_http *http, struct mica_text key);

// The same for those streams at an app whose callers it does not admit any more.
void mica_http_end_refused_streams(struct mica_http *http, struct mica_text key,
                                   const struct mica_app_exposure *now);

// For a stream that was just opened: ends it if its endpoint was withdrawn meanwhile, or
// does not admit its caller any more.
void mica_exchange_check_stream(struct mica_http_exchange *exchange);

#endif

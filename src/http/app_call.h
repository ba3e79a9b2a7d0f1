// SPDX-License-Identifier: Apache-2.0
//
// Acts of /api/apps that take as long as a tool or a language model: POST …/test,
// and /api/apps/-/draft. Such a request becomes a message for the tool of the builder that does the act, so it waits as
// any call of a tool does: no thread is held, and a client that hangs up cancels it.
//
//     POST /api/apps/my-bot/test  {"message": "Hi"}
//     test_app                    {"app": "my-bot", "message": "Hi"}
//
// The answer is that of the act. A client that accepts text/event-stream gets events as soon
// as there is progress: "progress" with {"progress","total","message"}, and at last "result"
// with the answer, or "error" with {"error":{"code","message","details"}}. This API
// asks no client: what needs one that answers is CAPABILITY_MISSING.
#ifndef MICA_HTTP_APP_CALL_H
#define MICA_HTTP_APP_CALL_H

#include <microhttpd.h>

#include "publish/app_acts.h"

struct mica_http_exchange;

// The tool of the builder that does the act as a call; NULL: the act is no call.
const char *mica_app_call_tool(enum mica_act act);

// Begins the call of a request that may do the act: what stands before its body was
// checked, and the builder is published (mica_app_api_enter). False: the body is no JSON object, and nothing has begun. On an I/O thread.
bool mica_app_call_begin(struct mica_http_exchange *exchange,
                         const struct mica_act_request *request,
                         enum MHD_Result *result_out);

#endif

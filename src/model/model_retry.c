// SPDX-License-Identifier: Apache-2.0
//
// What becomes of an attempt that failed, and how a call is told. See model_wire.h.
#include "model/model_wire.h"

#include <stdio.h>
#include <string.h>

enum {
    FIRST_WAIT_MS = 500,
    MOST_WAIT_MS = 8000,
    DOUBLINGS = 4,       // after which MOST_WAIT_MS is reached
    BYTES_PER_TOKEN = 4, // of English, roughly
    HALF_TOKENS = 200,   // of an answer: then progress is at its half
    HALF_MS = 20000      // without an answer: likewise
};

// Errors within a stream whose status was 200 already.
static bool
fault_passes(const char *faultz)
{
    static const char *const passing[] = {
        "overloaded_error", "rate_limit_error", "rate_limit_exceeded",
        "api_error",        "server_error",     "timeout_error"};

    for (size_t i = 0; i < MICA_COUNT(passing); i++)
        if (strcmp(faultz, passing[i]) == 0)
            return true;
    return false;
}

bool
mica_model_worth_retry(const struct mica_model_attempt *attempt)
{
    if (strcmp(attempt->fault, "insufficient_quota") == 0)
        return false;
    if (attempt->network)
        return true;
    switch (attempt->http_status) {
    case 200:
        return fault_passes(attempt->fault);
    case 408: // timeout of the request
    case 425: // too early
    case 429: // too many requests
        return true;
    case 501: // not implemented
    case 505: // HTTP version not supported
        return false;
    default:
        return attempt->http_status >= 500;
    }
}

int64_t
mica_model_retry_ms(unsigned number, int64_t retry_after_ms, uint64_t seed)
{
    unsigned doublings = number > 2 ? number - 2 : 0;
    int64_t wait = doublings < DOUBLINGS ? (int64_t)FIRST_WAIT_MS << doublings
                                         : MOST_WAIT_MS;

    if (retry_after_ms > 0)
        return retry_after_ms;
    // Calls that failed together come back one after the other.
    return wait - (int64_t)(seed % (uint64_t)(wait / 4));
}

uint64_t
mica_model_estimate(uint64_t bytes)
{
    return bytes / BYTES_PER_TOKEN;
}

unsigned
mica_model_rise(unsigned before, size_t bytes, uint64_t tokens,
                int64_t elapsed_ms)
{
    const uint64_t most = UINT64_C(1) << 32; // so that no product overflows
    uint64_t come = mica_model_estimate(bytes);
    uint64_t spent = elapsed_ms > 0 ? (uint64_t)elapsed_ms : 0, distance,
             progress;

    if (tokens > come)
        come = tokens;
    // In thousandths of what makes a half.
    distance = (come < most ? come : most) * 1000 / HALF_TOKENS +
               (spent < most ? spent : most) * 1000 / HALF_MS;
    progress = distance * MICA_MODEL_ALL / (distance + 1000);
    if (progress <= before)
        progress = (uint64_t)before + 1;
    return progress < MICA_MODEL_ALL ? (unsigned)progress : MICA_MODEL_ALL - 1;
}

// ---- Words ---------------------------------------------------------------------------

static const char *
status_words(long status)
{
    switch (status) {
    case 400:
    case 422:
        return "refuses the request: look at the model, the limit of tokens "
               "and \"structure\" of the provider";
    case 401:
        return "does not accept the key";
    case 402:
        return "wants to be paid first";
    case 403:
        return "does not allow that with this key";
    case 404:
        return "does not know the model, or its url is wrong";
    case 413:
        return "finds the prompt too large";
    case 408:
    case 504:
        return "took too long";
    case 429:
        return "allows no more requests for now";
    case 503:
    case 529:
        return "is overloaded";
    default:
        break;
    }
    if (status >= 300 && status < 400)
        return "redirects elsewhere, which mica does not follow: name the "
               "right url";
    return status >= 500 ? "failed" : "answered with a failure";
}

// Could the fault be a part of the key, or the key a part of it?
static bool
fault_safe(const char *faultz, struct mica_text key)
{
    size_t length = strlen(faultz);

    return length > 0 &&
           (key.len == 0 || (memmem(key.ptr, key.len, faultz, length) == NULL &&
                             memmem(faultz, length, key.ptr, key.len) == NULL));
}

void
mica_model_explain(const struct mica_model_attempt *attempt,
                   struct mica_text provider, struct mica_text key, char *out,
                   size_t size)
{
    const char *comma = attempt->http_status > 0 ? ", " : "";
    const char *fault = attempt->fault;
    char status[32] = "", detail[MICA_MODEL_FAULT_SIZE + 64] = "";

    if (!fault_safe(fault, key))
        fault = comma = "";
    if (attempt->http_status > 0)
        (void)snprintf(status, sizeof status, "HTTP %ld", attempt->http_status);
    if (status[0] != '\0' || fault[0] != '\0')
        (void)snprintf(detail, sizeof detail, " (%s%s%s)", status, comma,
                       fault);
    (void)snprintf(out, size, "the provider %.*s %s%s", MICA_ARG(provider),
                   attempt->http_status == 200
                       ? "failed while it answered"
                       : status_words(attempt->http_status),
                   detail);
}

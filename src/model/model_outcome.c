// SPDX-License-Identifier: Apache-2.0
//
// Judges an attempt that has ended: answered, worth another one, or failed, and why.
#include <stdio.h>
#include <string.h>

#include "model/model_state.h"

enum {
    HTTP_OK = 200
};

static struct mica_model_verdict
verdict_failed(struct mica_model_one *one, const char *whyz)
{
    (void)snprintf(one->message, sizeof one->message, "the provider %.*s %s",
                   MICA_ARG(one->provider->name), whyz);
    return (struct mica_model_verdict){.status = MICA_E_LLM};
}

static struct mica_model_verdict
verdict_large(struct mica_model_one *one)
{
    (void)snprintf(one->message, sizeof one->message,
                   "the answer of the provider %.*s is larger than %d KiB",
                   MICA_ARG(one->provider->name),
                   MICA_MODEL_ANSWER_BYTES >> 10);
    return (struct mica_model_verdict){.status = MICA_E_LIMIT};
}

// A failure that the provider reports, by its status or within its stream.
static struct mica_model_verdict
verdict_fault(struct mica_model_one *one, long status)
{
    const struct mica_model_attempt attempt = {
        .http_status = status, .fault = one->transfer.reading.fault};
    const struct mica_text key = {one->provider->key, one->provider->key_len};

    mica_model_explain(&attempt, one->provider->name, key, one->message,
                       sizeof one->message);
    return (struct mica_model_verdict){
        .again = mica_model_worth_retry(&attempt), .status = MICA_E_LLM};
}

static struct mica_model_verdict
verdict_network(struct mica_model_one *one, const char *whyz)
{
    struct mica_model_verdict verdict = verdict_failed(one, whyz);

    verdict.again = true;
    return verdict;
}

// ---- An answer of status 200 ---------------------------------------------------------

static struct mica_model_verdict
judge_words(struct mica_model_one *one)
{
    struct mica_model_reading *reading = &one->transfer.reading;

    if (reading->text.overflow)
        return verdict_large(one);
    if (reading->trouble == MICA_MODEL_REFUSAL)
        return verdict_failed(one, "says that the model declined to answer");
    if (reading->cut && one->has_schema) {
        (void)snprintf(one->message, sizeof one->message,
                       "the answer of the provider %.*s was cut at %u tokens; "
                       "raise max_tokens, or ask for less",
                       MICA_ARG(one->provider->name), one->max_tokens);
        return (struct mica_model_verdict){.status = MICA_E_LLM};
    }
    if (reading->text.len == 0 && one->has_schema)
        return verdict_failed(one, "sent an answer without words");
    return (struct mica_model_verdict){.status = MICA_OK};
}

static struct mica_model_verdict
judge_answer(struct mica_model_one *one)
{
    struct mica_model_reading *reading = &one->transfer.reading;

    if (one->transfer.body != MICA_MODEL_STREAM_BODY)
        mica_model_read_body(one->provider->options.type, reading,
                             mica_buffer_as_text(&one->transfer.whole),
                             &one->state->json);
    if (reading->trouble == MICA_MODEL_FAULT)
        return verdict_fault(one, HTTP_OK);
    if (reading->trouble == MICA_MODEL_NONSENSE)
        return verdict_failed(one, "sent something that is no answer of its "
                                   "format: look at type and url");
    // A stream that neither ends nor tells why the model stopped was cut.
    if (reading->extent == MICA_MODEL_PARTIAL &&
        one->transfer.body == MICA_MODEL_STREAM_BODY)
        return verdict_network(one, "broke off in the middle of its answer");
    return judge_words(one);
}

// ---- Without one ---------------------------------------------------------------------

static bool
is_certificate(CURLcode code)
{
    return code == CURLE_PEER_FAILED_VERIFICATION ||
           code == CURLE_SSL_ISSUER_ERROR || code == CURLE_SSL_CACERT_BADFILE ||
           code == CURLE_SSL_CERTPROBLEM || code == CURLE_SSL_INVALIDCERTSTATUS;
}

// Was it the limit of the call, and not that of a connection? The clock of libcurl is
// another one, and rounds.
static bool
is_late(const struct mica_model_one *one, int64_t now_ms)
{
    curl_off_t sent_us = 0;

    (void)curl_easy_getinfo(one->transfer.curl, CURLINFO_PRETRANSFER_TIME_T,
                            &sent_us);
    return sent_us > 0 || now_ms + MICA_MODEL_CLOCK_MS >= one->deadline_ms;
}

static struct mica_model_verdict
judge_failure(struct mica_model_one *one, CURLcode code, int64_t now_ms)
{
    char why[128];

    if (code == CURLE_OPERATION_TIMEDOUT && is_late(one, now_ms)) {
        (void)snprintf(one->message, sizeof one->message,
                       "the provider %.*s did not answer within the time of "
                       "the call",
                       MICA_ARG(one->provider->name));
        return (struct mica_model_verdict){.status = MICA_E_TIMEOUT};
    }
    if (one->transfer.stop == MICA_MODEL_STOP_ADDRESS &&
        code == CURLE_COULDNT_CONNECT)
        return verdict_failed(
            one, "is at an address that its url does not allow: a private one "
                 "needs private = true, and http goes to no public one");
    if (is_certificate(code))
        return verdict_failed(one, "has a certificate that is not trusted");
    if (one->transfer.body != MICA_MODEL_NO_BODY)
        return verdict_network(one, "broke off in the middle of its answer");
    // The text of libcurl is static: it names neither host nor request.
    (void)snprintf(why, sizeof why, "cannot be reached: %s",
                   curl_easy_strerror(code));
    return verdict_network(one, why);
}

struct mica_model_verdict
mica_model_judge(struct mica_model_one *one, CURLcode code, int64_t now_ms)
{
    const struct mica_model_reading *reading = &one->transfer.reading;
    long status = 0;

    (void)curl_easy_getinfo(one->transfer.curl, CURLINFO_RESPONSE_CODE,
                            &status);
    // Enough of the body of a failure has come to know what it is.
    if (one->transfer.body == MICA_MODEL_FAULT_BODY &&
        (code == CURLE_OK || one->transfer.stop == MICA_MODEL_STOP_SIZE)) {
        mica_model_read_fault(&one->transfer.reading,
                              mica_buffer_as_text(&one->transfer.whole),
                              &one->state->json);
        return verdict_fault(one, status);
    }
    if (one->transfer.stop == MICA_MODEL_STOP_SIZE)
        return verdict_large(one);
    if (code == CURLE_OK && status != HTTP_OK)
        return verdict_fault(one, status);
    if (code == CURLE_OK || reading->trouble != MICA_MODEL_NO_TROUBLE ||
        reading->extent == MICA_MODEL_WHOLE)
        return judge_answer(one);
    return judge_failure(one, code, now_ms);
}

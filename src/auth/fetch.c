// SPDX-License-Identifier: Apache-2.0
//
// Fetching with libcurl. A redirection is not followed: the operator names the
// place that is trusted. Certificates are checked against the system's.
#include "auth/fetch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <curl/curl.h>

#include "base/url.h"

#ifndef MICA_VERSION
#    define MICA_VERSION "unknown"
#endif

enum {
    HTTP_OK = 200
};

enum mica_status
mica_fetch_file(const char *pathz, struct mica_buffer *buffer,
                struct mica_error *error)
{
    FILE *file = fopen(pathz, "rbe");
    char *room = mica_buffer_reserve(buffer, MICA_AUTH_JWKS_BYTES);
    size_t size = 0;
    bool failed = true;

    if (file == NULL)
        return mica_error_set(error,
                              errno == ENOENT ? MICA_E_NOT_FOUND : MICA_E_IO,
                              "", "it cannot be opened: %s", strerror(errno));
    if (room != NULL) {
        size = fread(room, 1, MICA_AUTH_JWKS_BYTES, file);
        failed = ferror(file) != 0;
    }
    (void)fclose(file);
    if (failed)
        return mica_error_set(error, MICA_E_IO, "", "it cannot be read");
    if (size == MICA_AUTH_JWKS_BYTES)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "it is not smaller than 256 KiB");
    buffer->len += size;
    return MICA_OK;
}

// ---- URLs ----------------------------------------------------------------------

static size_t
fetch_take(char *bytes, size_t one, size_t size, void *data)
{
    struct mica_buffer *buffer = data;

    mica_buffer_add(buffer, bytes, one * size);
    return buffer->overflow ? 0 : one * size;
}

static int
progress_look(void *data, curl_off_t total, curl_off_t now,
              curl_off_t upload_total, curl_off_t upload_now)
{
    const atomic_bool *stopping = data;

    (void)total;
    (void)now;
    (void)upload_total;
    (void)upload_now;
    return atomic_load(stopping) ? 1 : 0;
}

static void
set_bounds(CURL *curl, const struct mica_url *url, unsigned timeout_ms)
{
    long timeout = (long)timeout_ms;

    (void)curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR,
                           url->https ? "https" : "http");
    (void)curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    (void)curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, timeout);
    (void)curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, timeout);
    (void)curl_easy_setopt(curl, CURLOPT_MAXFILESIZE,
                           (long)MICA_AUTH_JWKS_BYTES);
    (void)curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    // A proxy must not see what stays on this machine.
    if (url->loopback)
        (void)curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
}

static enum mica_status
fetch_judge(CURL *curl, CURLcode code, const struct mica_buffer *buffer,
            const char *detail, struct mica_error *error, long *status_out)
{
    if (buffer->overflow || code == CURLE_FILESIZE_EXCEEDED)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the answer is larger than 256 KiB");
    if (code == CURLE_OPERATION_TIMEDOUT)
        return mica_error_set(error, MICA_E_TIMEOUT, "",
                              "there was no answer in time");
    if (code != CURLE_OK)
        return mica_error_set(error, MICA_E_IO, "", "%s",
                              detail[0] != '\0' ? detail
                                                : curl_easy_strerror(code));
    (void)curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, status_out);
    return MICA_OK;
}

static void
set_request(CURL *curl, const struct mica_fetch *fetch,
            const struct curl_slist *headers)
{
    (void)curl_easy_setopt(curl, CURLOPT_URL, fetch->urlz);
    (void)curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    (void)curl_easy_setopt(curl, CURLOPT_USERAGENT, "mica/" MICA_VERSION);
    (void)curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    (void)curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, progress_look);
    (void)curl_easy_setopt(curl, CURLOPT_XFERINFODATA, fetch->stopping);
    if (fetch->formz != NULL)
        (void)curl_easy_setopt(curl, CURLOPT_POSTFIELDS, fetch->formz);
    if (fetch->userz == NULL)
        return;
    (void)curl_easy_setopt(curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
    (void)curl_easy_setopt(curl, CURLOPT_USERPWD, fetch->userz);
}

enum mica_status
mica_fetch_send(const struct mica_fetch *fetch, struct mica_buffer *buffer,
                long *status_out, struct mica_error *error)
{
    char detail[CURL_ERROR_SIZE] = "", accept[128];
    struct curl_slist *headers = NULL;
    struct mica_url url;
    const char *wrong = mica_url_read_safe(mica_text(fetch->urlz), &url);

    if (wrong != NULL)
        return mica_error_set(error, MICA_E_IO, "", "the URL %s", wrong);
    CURL *curl = curl_easy_init();
    if (curl == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "there is no memory");
    (void)snprintf(accept, sizeof accept, "Accept: %s", fetch->acceptz);
    headers = curl_slist_append(NULL, accept);
    set_bounds(curl, &url, fetch->timeout_ms);
    set_request(curl, fetch, headers);
    (void)curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, detail);
    (void)curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, fetch_take);
    (void)curl_easy_setopt(curl, CURLOPT_WRITEDATA, buffer);
    CURLcode code = curl_easy_perform(curl);
    enum mica_status status =
        fetch_judge(curl, code, buffer, detail, error, status_out);
    curl_easy_cleanup(curl);
    curl_slist_free_all(headers);
    return status;
}

enum mica_status
mica_fetch_url(const char *urlz, unsigned timeout_ms,
               const atomic_bool *stopping, struct mica_buffer *buffer,
               struct mica_error *error)
{
    const struct mica_fetch fetch = {
        .urlz = urlz,
        .acceptz = "application/jwk-set+json, application/json",
        .timeout_ms = timeout_ms,
        .stopping = stopping};
    long status = 0;

    MICA_TRY(mica_fetch_send(&fetch, buffer, &status, error));
    if (status == HTTP_OK)
        return MICA_OK;
    return mica_error_set(error, MICA_E_IO, "",
                          "the answer has HTTP status %ld, not 200 "
                          "(redirections are not followed)",
                          status);
}

// SPDX-License-Identifier: Apache-2.0
//
// libcurl, loaded at the first request, so that a program that fetches nothing starts
// without it and without the libraries that it brings.
#ifndef MICA_FETCH_FETCH_LIBRARY_H
#define MICA_FETCH_FETCH_LIBRARY_H

#include <curl/curl.h>

#include <mica/base.h>

#define MICA_FETCH_FUNCTIONS(X) \
    X(easy_cleanup)             \
    X(easy_getinfo)             \
    X(easy_init)                \
    X(easy_setopt)              \
    X(easy_strerror)            \
    X(global_init)              \
    X(multi_add_handle)         \
    X(multi_cleanup)            \
    X(multi_info_read)          \
    X(multi_init)               \
    X(multi_perform)            \
    X(multi_poll)               \
    X(multi_remove_handle)      \
    X(slist_append)             \
    X(slist_free_all)

#define MICA_FETCH_DECLARE(name) __typeof__(curl_##name) *name;
struct mica_fetch_library {
    MICA_FETCH_FUNCTIONS(MICA_FETCH_DECLARE)
};

// From any thread. Errors: MICA_E_FETCH (it does not load: which package to install).
enum mica_status
mica_fetch_library(struct mica_error *error,
                   const struct mica_fetch_library **library_out) MICA_MUST_USE;

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Checks what an author declares of a view: its name, its domains, its size.
#ifndef MICA_VIEW_VIEW_CHECK_H
#define MICA_VIEW_VIEW_CHECK_H

#include <mica/view.h>

enum {
    MICA_VIEW_NAME_LENGTH = 64,
    MICA_VIEW_DOMAIN_LENGTH = 253 + 32 // a host, with scheme and port
};

// NULL if `domain` may stand in a content security policy, or else what is wrong with it,
// to follow a name: "has a path". A domain is an origin: https or wss, or http and ws of
// this machine; the first label of its host may be "*".
const char *mica_view_domain_wrong(struct mica_text domain);

// Checks all but the document. Errors: MICA_E_USAGE.
enum mica_status mica_view_check(const struct mica_view *view,
                                 struct mica_error *error) MICA_MUST_USE;

// Checks a document of the view. Errors: MICA_E_USAGE (empty, not UTF-8), MICA_E_LIMIT
// (more than MICA_VIEW_BYTES).
enum mica_status mica_view_check_document(const struct mica_view *view,
                                          struct mica_text document,
                                          struct mica_error *error)
    MICA_MUST_USE;

#endif

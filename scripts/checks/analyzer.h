// SPDX-License-Identifier: Apache-2.0
//
// Included by the static analyzers before every file outside of src/base. They
// look at one file at a time, so they do not know that mica_error_set gives back
// the status it was given, and follow paths on which a failure is none.
#ifndef MICA_CHECKS_ANALYZER_H
#define MICA_CHECKS_ANALYZER_H

#include <mica/base.h>

#define mica_error_set(error, status, ...)                   \
    ((void)(mica_error_set)((error), (status), __VA_ARGS__), \
     (enum mica_status)(status))

#endif

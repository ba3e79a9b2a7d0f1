// SPDX-License-Identifier: Apache-2.0
//
// Whether bytes that a module calls its result are JSON.
#ifndef MICA_SANDBOX_WELLFORMED_H
#define MICA_SANDBOX_WELLFORMED_H

#include <mica/base.h>

// True for exactly one JSON object in valid UTF-8, nested at most 512 deep,
// without lone surrogates. Takes no memory. Repeated names are not looked for.
bool mica_wellformed_object(struct mica_text text);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Whether a tool can fetch at all on this server.
#ifndef MICA_FETCH_FETCH_REACH_H
#define MICA_FETCH_FETCH_REACH_H

#include <stdbool.h>

struct mica_server;

// May a tool with these .fetches (NULL-ended) reach one of its origins? "*" is each that
// the project allows.
bool mica_fetch_reaches(struct mica_server *server, const char *const *fetches);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// The end of a program that has found an error of its own: one line, and a core.
#ifndef MICA_SERVE_ABORT_H
#define MICA_SERVE_ABORT_H

// Writes "mica: <line>" to stderr and aborts. `stop` of a table of states
// (base/states.h).
_Noreturn void mica_abort_with(const char *linez);

#endif

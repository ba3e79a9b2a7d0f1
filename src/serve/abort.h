// SPDX-License-Identifier: Apache-2.0
//
// Ends a program that has found an error in itself, with one line and a core dump.
#ifndef MICA_SERVE_ABORT_H
#define MICA_SERVE_ABORT_H

// Writes "mica: <line>" to stderr and aborts. For `stop` of a table of states
// (base/states.h).
_Noreturn void mica_abort_with(const char *linez);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Two grades of assertion, both for errors of the program and never for input.
// MICA_ASSERT is cheap and always on: stopping is better than a wrong answer
// that a sandbox or a client would trust. MICA_DCHECK may cost something and is
// only there in builds without optimization, or where MICA_DEBUG is defined.
#ifndef MICA_BASE_ASSERT_H
#define MICA_BASE_ASSERT_H

// Stops the program at this place. There is no text: the core has nowhere to
// print, and a debugger shows the arguments.
_Noreturn void mica_assert_failed(const char *filez, int line,
                                  const char *conditionz);

#define MICA_ASSERT(condition) \
    ((condition) ? (void)0 : mica_assert_failed(__FILE__, __LINE__, #condition))

#if !defined(__OPTIMIZE__) && !defined(MICA_DEBUG)
#    define MICA_DEBUG
#endif

#ifdef MICA_DEBUG
#    define MICA_DCHECK(condition) MICA_ASSERT(condition)
#else
#    define MICA_DCHECK(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

#endif

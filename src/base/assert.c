// SPDX-License-Identifier: Apache-2.0
//
// Where a broken promise of the program ends. A trap works everywhere: it is
// SIGILL natively, and in a module it ends that call alone.
#include "base/assert.h"

__attribute__((noinline, cold)) _Noreturn void
mica_assert_failed(const char *filez, int line, const char *conditionz)
{
    // Kept in memory so that a core dump shows them.
    const volatile struct {
        const char *filez, *conditionz;
        int line;
    } fault = {filez, conditionz, line};
    (void)fault.line;
    __builtin_trap();
}

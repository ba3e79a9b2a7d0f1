// SPDX-License-Identifier: Apache-2.0
//
// Reads what compilers print, line by line.
#include "check/warnings.h"

#include <string.h>

#include "build/compiler_words.h"

enum {
    WARNINGS_MAX = 10
};

// What is warned of in a line "FILE:LINE:COLUMN: warning: WORDS"; empty in another line,
// and for covered switches, which clang is asked about for the sake of the coverage.
static struct mica_text
read_warning(struct mica_text line)
{
    static const char mark[] = ": warning: ";
    const char *at =
        line.len > 0 ? memmem(line.ptr, line.len, mark, sizeof mark - 1) : NULL;

    if (at == NULL || memmem(line.ptr, line.len, "covered-switch", 14) != NULL)
        return (struct mica_text){NULL, 0};
    return mica_text_slice(line, (size_t)(at - line.ptr) + sizeof mark - 1,
                           line.len);
}

void
mica_warnings_check(struct mica_report *report, struct mica_text printed)
{
    for (size_t count = 0; printed.len > 0 && count < WARNINGS_MAX;) {
        const char *end = memchr(printed.ptr, '\n', printed.len);
        size_t len = end != NULL ? (size_t)(end - printed.ptr) : printed.len;
        struct mica_text line = mica_text_slice(printed, 0, len);
        struct mica_text words = read_warning(line);
        unsigned number = mica_compiler_line(line, report->source);

        printed = mica_text_slice(printed, len + 1, printed.len);
        if (words.len == 0 || number == 0)
            continue;
        mica_report_add(report, MICA_RULE_COMPILER_WARNING, number, "",
                        "The compiler warns: %.*s", MICA_ARG(words));
        count++;
    }
}

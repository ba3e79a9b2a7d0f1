// SPDX-License-Identifier: Apache-2.0
//
// What fails is told here, and the tests of a program are run.
#include "base/visible.h"
#include "kit/crash.h"
#include "kit/kit.h"
#include "kit/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MESSAGE_BYTES = 64 << 10,
    LINE_BYTES = 8 * MESSAGE_BYTES, // of a message, written out
    NAME_BYTES = 160                // of a step that has failed
};

// A test program has one list of failures.
static struct {
    unsigned count;
    void (*hook)(const char *file, int line, const char *messagez);
    const struct mica_kit_listener *listener;
} failures;

// Steps that have reached no service, as "tool/step".
static struct {
    char names[MICA_KIT_LIST][NAME_BYTES];
    size_t count;
} alone;

unsigned
mica_test_failures(void)
{
    return failures.count;
}

void
mica_test_on_failure(void (*hook)(const char *file, int line,
                                  const char *messagez))
{
    failures.hook = hook;
}

void
mica_kit_listen(const struct mica_kit_listener *listener)
{
    failures.listener = listener;
}

static void
report_tell(struct mica_here here, const char *messagez)
{
    struct mica_buffer line;

    mica_buffer_init(&line, NULL, LINE_BYTES);
    mica_visible_format(&line, "%s:%d: %s\n", here.file, here.line, messagez);
    (void)fwrite(line.ptr, 1, line.len, stderr);
    mica_buffer_fini(&line);
}

void
mica_kit_fail(struct mica_here here, const char *formatz, ...)
{
    struct mica_buffer text;
    va_list arguments;

    mica_buffer_init(&text, NULL, MESSAGE_BYTES);
    va_start(arguments, formatz);
    mica_buffer_vformat(&text, formatz, arguments);
    va_end(arguments);
    mica_buffer_char(&text, '\0');
    failures.count++;
    if (failures.hook != NULL)
        failures.hook(here.file, here.line, text.overflow ? formatz : text.ptr);
    else if (failures.listener != NULL)
        failures.listener->failed(failures.listener->data, here.file, here.line,
                                  text.overflow ? formatz : text.ptr);
    else
        report_tell(here, text.overflow ? formatz : text.ptr);
    mica_buffer_fini(&text);
}

// The step without the number that its second run has: "charge" of "charge#2".
static bool
is_known(struct mica_text tool, struct mica_text step, char out[NAME_BYTES])
{
    const char *number = step.len > 0 ? memchr(step.ptr, '#', step.len) : NULL;

    if (number != NULL)
        step.len = (size_t)(number - step.ptr);
    (void)snprintf(out, NAME_BYTES, "%.*s/%.*s", MICA_ARG(tool),
                   MICA_ARG(step));
    for (size_t i = 0; i < alone.count; i++)
        if (strcmp(alone.names[i], out) == 0)
            return true;
    return alone.count == MICA_COUNT(alone.names);
}

void
mica_kit_fail_step(struct mica_here here, struct mica_text tool,
                   struct mica_text step)
{
    char name[NAME_BYTES];

    if (is_known(tool, step, name))
        return;
    memcpy(alone.names[alone.count++], name, sizeof name);
    mica_kit_fail(here,
                  MICA_KIT_STEP_ALONE
                  "the step %s had its effect in a test without a service: "
                  "reach what it changes through mica_service, so that "
                  "mica_mock_service can put a stand-in there",
                  strchr(name, '/') + 1);
}

void
mica_kit_abort(const char *formatz, ...)
{
    struct mica_buffer text;
    va_list arguments;

    mica_buffer_init(&text, NULL, MESSAGE_BYTES);
    va_start(arguments, formatz);
    mica_visible_vformat(&text, formatz, arguments);
    va_end(arguments);
    (void)fprintf(stderr, "mica/test.h: %.*s\n", MICA_ARG(text));
    abort();
}

// ---- Memory ----------------------------------------------------------------------

void
mica_kit_room(size_t count, size_t most)
{
    if (count >= most)
        mica_kit_abort("more than %zu answers, services, tools, questions or "
                       "effects in one test",
                       most);
}

void *
mica_kit_heap(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (memory == NULL)
        mica_kit_abort("no memory");
    return memory;
}

void *
mica_kit_alloc(struct mica_arena *arena, size_t count, size_t size)
{
    void *memory = mica_arena_zero(arena, count, size);

    if (memory == NULL)
        mica_kit_abort("no memory");
    return memory;
}

struct mica_text
mica_kit_copy(struct mica_arena *arena, struct mica_text text)
{
    struct mica_text copy = mica_arena_text(arena, text);

    if (copy.ptr == NULL)
        mica_kit_abort("no memory");
    return copy;
}

struct mica_text
mica_kit_format(struct mica_arena *arena, const char *formatz, ...)
{
    struct mica_buffer buffer;
    va_list arguments;

    mica_buffer_init(&buffer, arena, MICA_KIT_BYTES);
    va_start(arguments, formatz);
    mica_buffer_vformat(&buffer, formatz, arguments);
    va_end(arguments);
    mica_buffer_char(&buffer, '\0');
    if (buffer.overflow)
        mica_kit_abort("no memory");
    return (struct mica_text){buffer.ptr, buffer.len - 1};
}

// ---- The program -----------------------------------------------------------------

static int
by_line(const void *a, const void *b)
{
    const struct mica_test *const *left = a, *const *right = b;

    return ((*left)->line > (*right)->line) - ((*left)->line < (*right)->line);
}

static bool
is_wanted(const struct mica_test *test, int count, char **words)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], test->name) == 0)
            return true;
    }
    return count <= 1;
}

// The linker may have them in any order.
static const struct mica_test **
report_sort(const struct mica_test *const *begin, size_t count)
{
    const struct mica_test **tests = mica_kit_heap(count + 1, sizeof(void *));

    for (size_t i = 0; i < count; i++)
        tests[i] = begin[i];
    qsort(tests, count, sizeof(void *), by_line);
    return tests;
}

static void
tell_end(const struct mica_test *test, size_t number, bool passed)
{
    if (failures.listener != NULL) {
        failures.listener->ended(failures.listener->data, test->name, passed);
        return;
    }
    (void)printf("%sok %zu - %s\n", passed ? "" : "not ", number, test->name);
    (void)fflush(stdout);
}

int
mica_test_main(const struct mica_test *const *begin,
               const struct mica_test *const *end, int count, char **words)
{
    size_t all = begin != NULL ? (size_t)(end - begin) : 0, ran = 0, failed = 0;
    const struct mica_test **tests = report_sort(begin, all);

    for (size_t i = 0; i < all; i++) {
        unsigned before = failures.count;
        if (!is_wanted(tests[i], count, words))
            continue;
        mica_kit_watch(tests[i]->name, ran + 1, failures.listener == NULL);
        tests[i]->function();
        mica_kit_unwatch();
        failed += failures.count > before;
        tell_end(tests[i], ++ran, failures.count == before);
    }
    if (failures.listener == NULL)
        (void)printf("1..%zu\n", ran);
    (void)fflush(stdout);
    free(tests);
    if (ran == 0) {
        (void)fprintf(stderr, "there is no test of that name\n");
        return 1;
    }
    return failed == 0 ? 0 : 1;
}

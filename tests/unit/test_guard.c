// SPDX-License-Identifier: Apache-2.0
//
// The guard where libmicrohttpd cannot be listened to, and what it lets by. What
// clients see of it is in tests/wire/170 to 185, and behind proxies in proxies.py.
#include <errno.h>
#include <string.h>

#include "http/http_guard.h"
#include "http/import.h"

#include "unit.h"

static ssize_t
never(int fd, void *bytes, size_t size, int flags)
{
    (void)fd;
    (void)bytes;
    (void)size;
    (void)flags;
    errno = EIO;
    return -1;
}

START_TEST(a_library_that_is_not_there_has_no_imports)
{
    ck_assert(!mica_import_replace("libnobody.so", "recv", never));
    ck_assert(
        !mica_import_replace("libmicrohttpd.so", "no_such_import", never));
}
END_TEST

// [GUARD-3]
START_TEST(a_request_that_no_guard_has_seen_is_the_last)
{
    struct mica_guard guard;

    memset(&guard, 0, sizeof guard);
    mica_guard_open(&guard, 900, 8192);
    ck_assert(!mica_guard_saw(&guard));
    mica_guard_close(&guard);
}
END_TEST

START_TEST(each_head_lets_one_request_by)
{
    static const char head[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    struct mica_guard guard;

    memset(&guard, 0, sizeof guard);
    mica_guard_open(&guard, 900, 8192);
    ck_assert_uint_eq(mica_framing_read(&guard.framing, head, sizeof head - 1),
                      sizeof head - 1);
    ck_assert(mica_guard_saw(&guard));
    ck_assert(!mica_guard_saw(&guard));
    mica_guard_close(&guard);
}
END_TEST

START_TEST(a_head_of_any_size_up_to_the_bound_is_read)
{
    static const char begin[] = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
    char text[4096];
    struct mica_framing framing;

    memset(text, 'a', sizeof text);
    for (size_t length = 0; length < 900; length++) {
        size_t at = sizeof begin - 1 + length;
        size_t cost = at + 4 + 2 * MICA_FRAMING_FIELD_BYTES;
        memcpy(text, begin, sizeof begin - 1);
        memcpy(text + at, "\r\n\r\n", 4);
        mica_framing_init(&framing, 700);
        bool right = mica_framing_read(&framing, text, at + 4) == at + 4;
        ck_assert_msg(right == (cost <= 700), "%zu of 700", cost);
        ck_assert_int_eq(framing.fault,
                         right ? MICA_FAULT_NONE : MICA_FAULT_HEAD_TOO_LONG);
        memset(text, 'a', at + 4);
    }
}
END_TEST

UNIT_MAIN("guard", a_library_that_is_not_there_has_no_imports,
          a_request_that_no_guard_has_seen_is_the_last,
          each_head_lets_one_request_by,
          a_head_of_any_size_up_to_the_bound_is_read)

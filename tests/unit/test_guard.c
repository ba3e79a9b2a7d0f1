// SPDX-License-Identifier: Apache-2.0
//
// The guard where libmicrohttpd cannot be listened to, and what it lets by. What
// clients see of it is in tests/wire/170 to 185, and behind proxies in proxies.py.
#include <stdio.h>
#include <string.h>

#include "http/http_guard.h"
#include "http/import.h"

#include "unit.h"

static void
never(void)
{
    ck_abort_msg("no library imports this");
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
    mica_guard_open(&guard, 900, 8192, NULL);
    ck_assert(!mica_guard_has_seen_head(&guard));
    mica_guard_close(&guard);
}
END_TEST

START_TEST(each_head_lets_one_request_by)
{
    static const char head[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    struct mica_guard guard;

    memset(&guard, 0, sizeof guard);
    mica_guard_open(&guard, 900, 8192, NULL);
    ck_assert_uint_eq(mica_framing_read(&guard.framing, head, sizeof head - 1),
                      sizeof head - 1);
    ck_assert(mica_guard_has_seen_head(&guard));
    ck_assert(!mica_guard_has_seen_head(&guard));
    mica_guard_close(&guard);
}
END_TEST

// What a head leaves is for trailers, and then for the head of the reply.
START_TEST(a_short_head_leaves_more_for_its_reply)
{
    static const char head[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    const size_t cost = sizeof head - 1 + MICA_FRAMING_FIELD_BYTES;
    struct mica_guard guard;

    memset(&guard, 0, sizeof guard);
    mica_guard_open(&guard, 900, 8192, NULL);
    ck_assert(!mica_guard_has_seen_head(&guard));
    ck_assert_uint_eq(mica_guard_reply_room(&guard), SIZE_MAX);
    mica_guard_close(&guard);
    mica_guard_open(&guard, 900, 8192, NULL);
    (void)mica_framing_read(&guard.framing, head, sizeof head - 1);
    ck_assert(mica_guard_has_seen_head(&guard));
    ck_assert_uint_eq(mica_guard_reply_room(&guard),
                      8192 - cost - MICA_FRAMING_TRAILER_BYTES);
    // Two heads more: what the first of them costs is forgotten.
    (void)mica_framing_read(&guard.framing, head, sizeof head - 1);
    (void)mica_framing_read(&guard.framing, head, sizeof head - 1);
    ck_assert(mica_guard_has_seen_head(&guard));
    ck_assert_uint_eq(mica_guard_reply_room(&guard),
                      MICA_GUARD_REPLY_HEAD_BYTES);
    mica_guard_close(&guard);
}
END_TEST

START_TEST(a_long_head_leaves_less_for_trailers)
{
    static const char parts[] = "POST / HTTP/1.1\r\nHost: a\r\n"
                                "Transfer-Encoding: chunked\r\n\r\n"
                                "0\r\nX: ";
    const size_t trailer = 3 + 100 + 2 + 2 + MICA_FRAMING_FIELD_BYTES;
    const size_t head = sizeof parts - 1 - 6 + 2 * MICA_FRAMING_FIELD_BYTES;
    char text[256];
    const size_t length = sizeof parts - 1 + 104;
    struct mica_framing framing;

    memset(text, 'a', sizeof text);
    memcpy(text, parts, sizeof parts - 1);
    memcpy(text + length - 4, "\r\n\r\n", 4);
    for (size_t most = head; most < head + 2 * trailer; most++) {
        mica_framing_init(&framing, most);
        bool right = mica_framing_read(&framing, text, length) == length;
        ck_assert_msg(right == (most >= head + trailer), "%zu of %zu", most,
                      head);
        ck_assert_int_eq(framing.fault,
                         right ? MICA_FAULT_NONE : MICA_FAULT_TRAILER);
    }
}
END_TEST

// Reads pieces of `most` bytes; how many bytes are right.
static size_t
read_in(struct mica_framing *framing, const char *text, size_t size,
        size_t most)
{
    size_t at = 0;

    mica_framing_init(framing, 8192);
    while (at < size) {
        size_t piece = size - at < most ? size - at : most;
        size_t right = mica_framing_read(framing, text + at, piece);
        at += right;
        if (right < piece)
            break;
    }
    return at;
}

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

// Whole lines are read at once, and what comes in pieces by the byte: both have to
// find the same requests and the same faults, whichever byte is wrong.
START_TEST(a_head_is_the_same_whole_and_by_the_byte)
{
    static const char right[] = "POST /mcp HTTP/1.1\r\n"
                                "Host: a\r\n"
                                "Accept: text/*, text/event-stream\r\n"
                                "Empty:\r\n"
                                "Transfer-Encoding: chunked\r\n"
                                "Mcp-Name:\tname \r\n\r\n"
                                "2;a\r\nab\r\n0\r\nTrailer: b\r\n\r\n"
                                "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    static const char others[] = "\0\t\n\r :;a0H\x7f\x80";
    char text[sizeof right];
    struct mica_framing whole, pieces;

    for (size_t at = 0; at < sizeof right - 1; at++) {
        for (size_t other = 0; other < sizeof others - 1; other++) {
            memcpy(text, right, sizeof text);
            text[at] = others[other];
            size_t whole_right =
                read_in(&whole, text, sizeof text - 1, SIZE_MAX);
            ck_assert_uint_ge(read_in(&pieces, text, sizeof text - 1, 1),
                              whole_right);
            ck_assert_msg(whole.fault == pieces.fault, "%u and %u at %zu",
                          whole.fault, pieces.fault, at);
            ck_assert_uint_eq(whole.heads, pieces.heads);
            ck_assert_uint_eq(whole.ended, pieces.ended);
            ck_assert(whole.last == pieces.last);
            ck_assert(whole.fault != MICA_FAULT_NONE ||
                      whole.cost == pieces.cost);
        }
    }
}
END_TEST

// MCP is where a path ends with /mcp: behind a base path, at an endpoint, at an app. In
// pieces of any size.
START_TEST(a_target_is_mcps_if_its_path_ends_so)
{
    static const struct {
        const char *targetz;
        bool speaks;
    } rows[] = {
        {"/mcp", true},
        {"/mcp?a", true},
        {"/mcp?", true},
        {"/mcp?a=/x", true},
        {"/x/mcp", true},
        {"/x/mcp?a=/x/mcp", true},
        {"//mcp", true},
        {"/mcp/mcp", true},
        {"/m/mcp", true},
        {"/servers/my-support-bot/mcp", true},
        {"/servers/a-slug-that-is-longer-than-what-framing-keeps-of-a-value/mcp",
         true},
        {"/builder/mcp", true},
        {"/mcpx", false},
        {"/mcp/", false},
        {"/mcp/more", false},
        {"/", false},
        {"/x", false},
        {"/xmcp", false},
        {"/mc", false},
        {"/mcmcp", false},
        {"mcp", false},
        {"?/mcp", false},
        {"/x?/mcp", false},
        {"/mc?p", false},
        {"/healthz", false},
    };

    for (size_t row = 0; row < MICA_COUNT(rows); row++) {
        char text[256];
        int size = snprintf(text, sizeof text, "GET %s ", rows[row].targetz);
        for (int piece = 1; piece <= size; piece++) {
            struct mica_framing framing;
            mica_framing_init(&framing, 8192);
            for (int at = 0; at < size; at += piece) {
                size_t step = (size_t)(size - at < piece ? size - at : piece);
                ck_assert_uint_eq(mica_framing_read(&framing, text + at, step),
                                  step);
            }
            ck_assert_msg(framing.speaks_mcp == rows[row].speaks,
                          "%s in pieces of %d", rows[row].targetz, piece);
        }
    }
}
END_TEST

UNIT_MAIN("guard", a_library_that_is_not_there_has_no_imports,
          a_request_that_no_guard_has_seen_is_the_last,
          each_head_lets_one_request_by, a_short_head_leaves_more_for_its_reply,
          a_long_head_leaves_less_for_trailers,
          a_head_of_any_size_up_to_the_bound_is_read,
          a_head_is_the_same_whole_and_by_the_byte,
          a_target_is_mcps_if_its_path_ends_so)

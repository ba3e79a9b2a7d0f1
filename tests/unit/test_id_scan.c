// SPDX-License-Identifier: Apache-2.0
//
// The id of a request whose text is no JSON: where one is told, and where none is,
// whatever the pieces in which the text comes.
#include <stdio.h>
#include <string.h>

#include "protocol/id_scan.h"
#include "unit.h"

static char found[MICA_ID_BYTES + 1];

static const char *
find_in_pieces(const char *textz, size_t piece)
{
    struct mica_id_scan scan;
    struct mica_text rest = mica_text(textz);
    memset(&scan, 0, sizeof scan);
    while (rest.len > 0) {
        mica_id_scan(&scan, mica_text_slice(rest, 0, piece));
        rest = mica_text_slice(rest, piece, rest.len);
    }
    struct mica_text id = mica_id_scan_found(&scan);
    memcpy(found, id.len > 0 ? id.ptr : "", id.len);
    found[id.len] = '\0';
    return found;
}

static void
check(const char *textz, const char *idz)
{
    for (size_t piece = 1; piece <= strlen(textz) + 1; piece++)
        ck_assert_msg(strcmp(find_in_pieces(textz, piece), idz) == 0,
                      "%s: \"%s\", not \"%s\"", textz, found, idz);
}

START_TEST(an_id_of_a_broken_request_is_found)
{
    check("{\"id\":1,\"method\":\"a\"", "1");
    check(" { \"id\" : -12 ,\"method\":", "-12");
    check("{\"method\":\"a\",\"params\":{\"x\":[1,{}]},\"id\":\"b\"}", "\"b\"");
    check("{\"id\":\"a\\\"},{\\u00e9\",\"method\":1", "\"a\\\"},{\\u00e9\"");
    check("{\"id\":7,\"method\":\"a\",\"x\":[}", "7");
    check("{\"id\":7,\"method\":\"a\",}", "7");
    check("{\"id\":7,\"method\":\"a\"}}}", "7");
    check("{\"id\":7,\"method\":\"a\"", "7");
    check("{\"method\":\"a\",\"a\":\"]}{[\",\"id\":7 }", "7");
    check("{\"method\":\"a\",\"id\":null,\"b\":1,\"id\":7}", ""); // twice
}
END_TEST

START_TEST(no_id_is_told_where_another_could_be_meant)
{
    check("", "");
    check("[{\"id\":1,\"method\":\"a\"}", "");
    check("\"id\":1,\"method\":\"a\"", "");
    check("{\"id\":1", "");
    check("{\"id\":1,\"x\":", "");                         // no request
    check("{\"method\":\"a\",\"id\":1", "");               // perhaps 12
    check("{\"method\":\"a\",\"params\":{\"id\":1},", ""); // not its own
    check("{\"method\":\"a\",\"params\":{\"a\":{\"id\":1}", "");
    check("{\"method\":\"a\",\"id\":1,\"id\":1,", "");
    check("{\"method\":\"a\",\"id\":1,\"\\u0069d\":1,", "");
    check("{\"method\":\"a\",\"id\":1.5,", "");
    check("{\"method\":\"a\",\"id\":1e3,", "");
    check("{\"method\":\"a\",\"id\":01,", "");
    check("{\"method\":\"a\",\"id\":null,", "");
    check("{\"method\":\"a\",\"id\":[1],", "");
    check("{\"method\":\"a\",\"id\":\"\xff\",", "");
    check("{\"method\":\"a\",\"id\":1 2,", "");
    check("{\"method\":\"a\",\"id\":1,\"result\":", "");
    check("{\"method\":\"a\",\"error\":{},\"id\":1,", "");
    check("{\"method\":\"a\",\"x\":[1},\"id\":1,", ""); // brackets cross
}
END_TEST

START_TEST(ids_and_nesting_are_bounded)
{
    char text[1024];
    char id[MICA_ID_BYTES + 2];

    for (size_t size = MICA_ID_BYTES; size <= MICA_ID_BYTES + 1; size++) {
        memset(id, '1', size);
        id[size] = '\0';
        snprintf(text, sizeof text, "{\"method\":\"a\",\"id\":%s,", id);
        check(text, size == MICA_ID_BYTES ? id : "");
    }
    for (size_t depth = 63; depth <= 64; depth++) {
        memset(id, '[', depth);
        id[depth] = '\0';
        char close[80] = "";
        memset(close, ']', depth);
        snprintf(text, sizeof text, "{\"method\":\"a\",\"x\":%s%s[],\"id\":1,",
                 id, close);
        check(text, "1");
    }
    snprintf(text, sizeof text, "{\"method\":\"a\",\"x\":[%s", id);
    for (size_t i = 0; i < 65; i++)
        strcat(text, "]");
    strcat(text, ",\"id\":1,");
    check(text, "");
}
END_TEST

UNIT_MAIN("id_scan", an_id_of_a_broken_request_is_found,
          no_id_is_told_where_another_could_be_meant,
          ids_and_nesting_are_bounded)

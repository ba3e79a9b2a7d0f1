// SPDX-License-Identifier: Apache-2.0
//
// Base64: the vectors of RFC 4648, round trips, and what is refused.
#include <string.h>

#include "unit.h"

START_TEST(the_vectors_of_the_rfc_hold)
{
    static const char *const vectors[][2] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
        {"\xFB\xFF\xFE", "+//+"},
    };
    for (size_t i = 0; i < MICA_COUNT(vectors); i++) {
        struct mica_buffer buffer;
        mica_buffer_init(&buffer, NULL, 100);
        mica_base64_write(&buffer, vectors[i][0], strlen(vectors[i][0]));
        UNIT_TEXT_EQ(mica_buffer_as_text(&buffer), vectors[i][1]);
        buffer.len = 0;
        ck_assert(mica_base64_read(&buffer, mica_text(vectors[i][1])));
        UNIT_TEXT_EQ(mica_buffer_as_text(&buffer), vectors[i][0]);
        mica_buffer_fini(&buffer);
    }
}
END_TEST

START_TEST(all_bytes_make_the_round_trip)
{
    unsigned char bytes[300];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 256);
    for (size_t size = 0; size <= sizeof bytes; size++) {
        struct mica_buffer text, back;
        mica_buffer_init(&text, NULL, 1000);
        mica_buffer_init(&back, NULL, 1000);
        mica_base64_write(&text, bytes, size);
        ck_assert_uint_eq(text.len, (size + 2) / 3 * 4);
        ck_assert(mica_base64_read(&back, mica_buffer_as_text(&text)));
        ck_assert_uint_eq(back.len, size);
        if (size > 0)
            ck_assert_mem_eq(back.ptr, bytes, size);
        mica_buffer_fini(&text);
        mica_buffer_fini(&back);
    }
}
END_TEST

START_TEST(anything_else_is_refused_and_changes_nothing)
{
    static const char *const bad[] = {
        "Z",        "Zg",    "Zg=",  "=",       "====",
        "Zg==Zg==", "Z===",  "Zh==", "Zm9=",    "Zm9v\n",
        " Zm9v",    "Zm9v ", "Zm-v", "Zm_v",    "Zm9v====",
        "Zm9vZg=a", "Zg=a",  "=m9v", "Zm\x80v",
    };
    for (size_t i = 0; i < MICA_COUNT(bad); i++) {
        struct mica_buffer buffer;
        mica_buffer_init(&buffer, NULL, 100);
        mica_buffer_text(&buffer, MICA_LITERAL("before"));
        ck_assert_msg(!mica_base64_read(&buffer, mica_text(bad[i])), "%s",
                      bad[i]);
        UNIT_TEXT_EQ(mica_buffer_as_text(&buffer), "before");
        mica_buffer_fini(&buffer);
    }
    struct mica_buffer buffer;
    mica_buffer_init(&buffer, NULL, 100);
    ck_assert(!mica_base64_read(&buffer, MICA_LITERAL("Zm\0v")));
    mica_buffer_fini(&buffer);
}
END_TEST

START_TEST(what_does_not_fit_overflows)
{
    struct mica_buffer buffer;
    mica_buffer_init(&buffer, NULL, 5);
    mica_base64_write(&buffer, "four", 4);
    ck_assert(buffer.overflow);
    ck_assert_uint_eq(buffer.len, 0);
    ck_assert(!mica_base64_read(&buffer, MICA_LITERAL("Zm9v")));
    mica_buffer_fini(&buffer);
}
END_TEST

UNIT_MAIN("base_base64", the_vectors_of_the_rfc_hold,
          all_bytes_make_the_round_trip,
          anything_else_is_refused_and_changes_nothing,
          what_does_not_fit_overflows)

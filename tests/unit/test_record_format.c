// SPDX-License-Identifier: Apache-2.0
//
// email, uri and uuid by tables: the grammars' corners, and the near misses.
#include <mica/record.h>

#include "unit.h"

static void
check(const struct mica_text_format *format, const char *const *texts,
      size_t count, bool expected)
{
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(format->matches(mica_text(texts[i])) == expected,
                      "%s \"%s\"", format->name, texts[i]);
}

#define CHECK(format, expected, ...)                       \
    do {                                                   \
        static const char *const texts[] = {__VA_ARGS__};  \
        check(format, texts, MICA_COUNT(texts), expected); \
    } while (0)

#define LABEL_63 \
    "a23456789012345678901234567890123456789012345678901234567890123"

START_TEST(mailboxes_are_emails)
{
    CHECK(MICA_EMAIL, true, "a@b", "joe.bloggs@example.com",
          "te~st@example.com", "~test@example.com", "test~@example.com",
          "a+b=c@x-y.example", "{}|!#$%&'*/?^_`@1.2", "a@" LABEL_63 ".org",
          LABEL_63 "4@b");
    CHECK(MICA_EMAIL, false, "", "@", "a@", "@b", "a", "a b@c", ".a@b", "a.@b",
          "a..b@c", "a@b.", "a@.b", "a@b..c", "a@-b", "a@b-", "a@b_c", "a@b@c",
          "\"a b\"@c", "a@[127.0.0.1]", "é@b", "a@é", "a@b\n", "a@b c",
          LABEL_63 "45@b", "a@" LABEL_63 "4");
    ck_assert(!MICA_EMAIL->matches(MICA_LITERAL("a\0b@c")));
}
END_TEST

START_TEST(absolute_uris_are_uris)
{
    CHECK(MICA_URI, true, "https://example.org/page", "a:", "a:b", "a+b-c.1:x",
          "mailto:joe@example.org", "urn:isbn:0451450523", "a:/", "a:///x",
          "file:///etc/hosts", "http://a", "http://a/", "http://a?q",
          "http://a#f", "http://a/b?c=/?#d/?", "http://u:p@h:80/", "http://@h",
          "http://h:", "http://[::1]:8080/", "http://[2001:db8::7]/c=GB?one",
          "http://[::ffff:1.2.3.4]", "http://[1:2:3:4:5:6:7:8]",
          "http://[1:2:3:4:5:6:1.2.3.4]", "http://[1::]", "http://[::]",
          "http://[1:2::7:8]", "http://[v1.a:b]", "http://%41%e4/",
          "http://a/%20", "http://-.~_!$&'()*+,;=:%40:80%2f::::::@example.com",
          "tel:+1-816-555-1212", "a:b:c@d/e", "http://1.2.3.4.5.6/");
    CHECK(MICA_URI, false, "", "a", "/a", "//a/b", "1a:b", ":a", "a b:c", "é:a",
          "http://a b", "http://a/\"", "http://a/<b>", "http://a/{b}",
          "http://a/\\b", "http://a/|", "http://a/^", "http://a/`", "http://é",
          "http://a/é", "http://a/%", "http://a/%4", "http://a/%4g",
          "http://a#b#c", "http://[", "http://[]", "http://[::1",
          "http://[::1]x", "http://[:1]", "http://[1:]",
          "http://[1:2:3:4:5:6:7]", "http://[1:2:3:4:5:6:7:8:9]",
          "http://[1::2::3]", "http://[:::]", "http://[12345::]",
          "http://[::1.2.3]", "http://[::1.2.3.256]", "http://[::1.2.3.04]",
          "http://[1.2.3.4::]", "http://[1:2:3:4:5:6:7::8:9]", "http://[v.a]",
          "http://[vg.a]", "http://[v1.]", "http://[v1.a%41]", "http://a:b/",
          "http://a:1:2/", "http://u@v@h/", "a:\n", "http://a[b]/");
    ck_assert(!MICA_URI->matches(MICA_LITERAL("a:b\0")));
}
END_TEST

START_TEST(uuids_have_dashes_at_their_places)
{
    CHECK(MICA_UUID, true, "f81d4fae-7dec-41d0-a765-00a0c91e6bf6",
          "00000000-0000-0000-0000-000000000000",
          "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF");
    CHECK(MICA_UUID, false, "", "f81d4fae7dec41d0a76500a0c91e6bf6",
          "f81d4fae-7dec-41d0-a765-00a0c91e6bf",
          "f81d4fae-7dec-41d0-a765-00a0c91e6bf66",
          "g81d4fae-7dec-41d0-a765-00a0c91e6bf6",
          "f81d4fae-7dec-41d0-a765_00a0c91e6bf6",
          "f81d4fa-e7dec-41d0-a765-00a0c91e6bf6",
          "{f81d4fae-7dec-41d0-a765-00a0c91e6bf}");
}
END_TEST

START_TEST(samples_are_what_they_show)
{
    ck_assert(MICA_EMAIL->matches(mica_text(MICA_EMAIL->sample)));
    ck_assert(MICA_URI->matches(mica_text(MICA_URI->sample)));
    ck_assert(MICA_UUID->matches(mica_text(MICA_UUID->sample)));
}
END_TEST

UNIT_MAIN("record_format", mailboxes_are_emails, absolute_uris_are_uris,
          uuids_have_dashes_at_their_places, samples_are_what_they_show)

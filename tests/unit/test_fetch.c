// SPDX-License-Identifier: Apache-2.0
//
// Where tools may send requests: addresses, origins, secrets. What is sent then is in
// tests/wire/fetch.py.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "fetch/fetch_address.h"
#include "fetch/fetch_policy.h"
#include "schema/record.h"
#include "unit.h"

// ---- Addresses -------------------------------------------------------------------

static const struct {
    const char *address;
    enum mica_fetch_reach reach;
} reaches[] = {
    {"0.0.0.0", MICA_REACH_NOWHERE},
    {"0.1.2.3", MICA_REACH_NOWHERE},
    {"1.1.1.1", MICA_REACH_PUBLIC},
    {"9.255.255.255", MICA_REACH_PUBLIC},
    {"10.0.0.0", MICA_REACH_PRIVATE},
    {"10.255.255.255", MICA_REACH_PRIVATE},
    {"11.0.0.0", MICA_REACH_PUBLIC},
    {"100.63.255.255", MICA_REACH_PUBLIC},
    {"100.64.0.0", MICA_REACH_PRIVATE},
    {"100.100.100.200", MICA_REACH_PRIVATE}, // metadata of a cloud
    {"100.127.255.255", MICA_REACH_PRIVATE},
    {"100.128.0.0", MICA_REACH_PUBLIC},
    {"126.255.255.255", MICA_REACH_PUBLIC},
    {"127.0.0.1", MICA_REACH_LOOPBACK},
    {"127.255.255.255", MICA_REACH_LOOPBACK},
    {"128.0.0.0", MICA_REACH_PUBLIC},
    {"169.253.255.255", MICA_REACH_PUBLIC},
    {"169.254.0.0", MICA_REACH_PRIVATE},
    {"169.254.169.254", MICA_REACH_PRIVATE}, // metadata of most clouds
    {"169.255.0.0", MICA_REACH_PUBLIC},
    {"172.15.255.255", MICA_REACH_PUBLIC},
    {"172.16.0.0", MICA_REACH_PRIVATE},
    {"172.31.255.255", MICA_REACH_PRIVATE},
    {"172.32.0.0", MICA_REACH_PUBLIC},
    {"192.0.0.192", MICA_REACH_PRIVATE}, // metadata of a cloud
    {"192.0.1.0", MICA_REACH_PUBLIC},
    {"192.0.2.1", MICA_REACH_NOWHERE},
    {"192.88.99.1", MICA_REACH_NOWHERE},
    {"192.167.255.255", MICA_REACH_PUBLIC},
    {"192.168.0.0", MICA_REACH_PRIVATE},
    {"192.168.255.255", MICA_REACH_PRIVATE},
    {"192.169.0.0", MICA_REACH_PUBLIC},
    {"198.17.255.255", MICA_REACH_PUBLIC},
    {"198.18.0.0", MICA_REACH_PRIVATE},
    {"198.19.255.255", MICA_REACH_PRIVATE},
    {"198.20.0.0", MICA_REACH_PUBLIC},
    {"198.51.100.7", MICA_REACH_NOWHERE},
    {"203.0.113.9", MICA_REACH_NOWHERE},
    {"223.255.255.255", MICA_REACH_PUBLIC},
    {"224.0.0.1", MICA_REACH_NOWHERE},
    {"239.255.255.255", MICA_REACH_NOWHERE},
    {"240.0.0.1", MICA_REACH_NOWHERE},
    {"255.255.255.255", MICA_REACH_NOWHERE},
    {"::", MICA_REACH_NOWHERE},
    {"::1", MICA_REACH_LOOPBACK},
    {"::2", MICA_REACH_NOWHERE}, // 0.0.0.2
    {"::127.0.0.1", MICA_REACH_LOOPBACK},
    {"::10.0.0.1", MICA_REACH_PRIVATE},
    {"::ffff:127.0.0.1", MICA_REACH_LOOPBACK},
    {"::ffff:10.1.2.3", MICA_REACH_PRIVATE},
    {"::ffff:169.254.169.254", MICA_REACH_PRIVATE},
    {"::ffff:1.1.1.1", MICA_REACH_PUBLIC},
    {"::ffff:0:127.0.0.1", MICA_REACH_LOOPBACK},
    {"::ffff:0:0.0.0.0", MICA_REACH_NOWHERE},
    {"::1:0:0:1", MICA_REACH_NOWHERE},
    {"64:ff9b::7f00:1", MICA_REACH_LOOPBACK},
    {"64:ff9b::a9fe:a9fe", MICA_REACH_PRIVATE},
    {"64:ff9b::101:101", MICA_REACH_PUBLIC},
    {"64:ff9b:1::1", MICA_REACH_PRIVATE},
    {"64:ff9b:2::1", MICA_REACH_NOWHERE},
    {"100::1", MICA_REACH_NOWHERE},
    {"1fff:ffff::1", MICA_REACH_NOWHERE},
    {"2000::1", MICA_REACH_PUBLIC},
    {"2001::1", MICA_REACH_NOWHERE}, // Teredo
    {"2001:0:4136:e378:8000:63bf:3fff:fdd2", MICA_REACH_NOWHERE},
    {"2001:2::1", MICA_REACH_NOWHERE},
    {"2001:1ff:ffff::1", MICA_REACH_NOWHERE},
    {"2001:200::1", MICA_REACH_PUBLIC},
    {"2001:db8::1", MICA_REACH_NOWHERE},
    {"2001:4860:4860::8888", MICA_REACH_PUBLIC},
    {"2002:7f00:1::1", MICA_REACH_LOOPBACK},
    {"2002:a00:1::1", MICA_REACH_PRIVATE},
    {"2002:c0a8:101::1", MICA_REACH_PRIVATE},
    {"2002:101:101::1", MICA_REACH_PUBLIC},
    {"2606:4700::1111", MICA_REACH_PUBLIC},
    {"3fff:fff::1", MICA_REACH_NOWHERE},
    {"3fff:1000::1", MICA_REACH_PUBLIC},
    {"4000::1", MICA_REACH_NOWHERE},
    {"5f00::1", MICA_REACH_NOWHERE},
    {"fbff::1", MICA_REACH_NOWHERE},
    {"fc00::1", MICA_REACH_PRIVATE},
    {"fd00:ec2::254", MICA_REACH_PRIVATE}, // metadata of a cloud
    {"fdff:ffff::1", MICA_REACH_PRIVATE},
    {"fe00::1", MICA_REACH_NOWHERE},
    {"fe80::1", MICA_REACH_PRIVATE},
    {"febf::1", MICA_REACH_PRIVATE},
    {"fec0::1", MICA_REACH_PRIVATE},
    {"ff02::1", MICA_REACH_NOWHERE},
    {"ffff:ffff::1", MICA_REACH_NOWHERE},
};

START_TEST(an_address_is_public_private_or_nowhere)
{
    for (size_t i = 0; i < MICA_COUNT(reaches); i++) {
        struct sockaddr_in ip4 = {.sin_family = AF_INET};
        struct sockaddr_in6 ip6 = {.sin6_family = AF_INET6};
        bool is_4 = strchr(reaches[i].address, ':') == NULL;
        int read =
            is_4 ? inet_pton(AF_INET, reaches[i].address, &ip4.sin_addr)
                 : inet_pton(AF_INET6, reaches[i].address, &ip6.sin6_addr);
        const struct sockaddr *address =
            is_4 ? (const void *)&ip4 : (const void *)&ip6;

        ck_assert_int_eq(read, 1);
        ck_assert_msg(mica_fetch_reach(address) == reaches[i].reach,
                      "%s is %d, not %d", reaches[i].address,
                      (int)mica_fetch_reach(address), (int)reaches[i].reach);
    }
}
END_TEST

START_TEST(an_address_of_another_family_is_nowhere)
{
    const struct sockaddr local = {.sa_family = AF_UNIX};

    ck_assert_int_eq(mica_fetch_reach(&local), MICA_REACH_NOWHERE);
}
END_TEST

// ---- Origins ---------------------------------------------------------------------

static struct mica_arena arena;
static struct mica_error error;
static struct mica_fetch_policy policy;

static enum mica_status
make(const struct mica_fetch_options *options)
{
    mica_arena_init(&arena, 1 << 20);
    return mica_fetch_policy_make(options, &arena, &error, &policy);
}

static bool
allows(const char *origin)
{
    bool is_private;

    return mica_fetch_policy_find(&policy, mica_text(origin), &error,
                                  &is_private) == MICA_OK;
}

START_TEST(an_origin_is_allowed_as_a_whole)
{
    const char *const allow[] = {"https://a.example", "http://b.example:80",
                                 "https://c.example:8443", NULL};
    const char *const inside[] = {"http://10.0.0.1", NULL};
    const char *const others[] = {
        "https://a.example:444",     "http://a.example",
        "https://b.example",         "https://c.example",
        "https://a.example.",        "https://xa.example",
        "https://a.example.evil.eu", "https://c.example:84430",
        "http://10.0.0.1:8080",      ""};
    bool is_private = true;

    ck_assert_int_eq(make(&(struct mica_fetch_options){.allow = allow,
                                                       .is_private = inside}),
                     MICA_OK);
    ck_assert(allows("https://a.example") && allows("https://a.example:443"));
    ck_assert(allows("http://b.example") && allows("http://b.example:80"));
    ck_assert(allows("https://c.example:8443"));
    for (size_t i = 0; i < MICA_COUNT(others); i++)
        ck_assert_msg(!allows(others[i]), "%s", others[i]);
    ck_assert_int_eq(error.status, MICA_E_FETCH_ADDRESS);
    ck_assert_int_eq(mica_fetch_policy_find(&policy,
                                            MICA_LITERAL("https://a.example"),
                                            &error, &is_private),
                     MICA_OK);
    ck_assert(!is_private);
    ck_assert_int_eq(mica_fetch_policy_find(&policy,
                                            MICA_LITERAL("http://10.0.0.1"),
                                            &error, &is_private),
                     MICA_OK);
    ck_assert(is_private);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(what_is_no_origin_is_refused)
{
    const char *const wrong[] = {
        "",          "a.example",           "*",
        "https://",  "https://a.example/",  "https://a.example/x",
        "ftp://a.b", "https://u@a.example", "https://a.example?x",
        "HTTPS://a", "https://a.example#x", "https://a.example:0"};

    for (size_t i = 0; i < MICA_COUNT(wrong); i++) {
        const char *const list[] = {wrong[i], NULL};
        ck_assert_msg(make(&(struct mica_fetch_options){.allow = list}) ==
                          MICA_E_FORMAT,
                      "%s", wrong[i]);
        mica_arena_fini(&arena);
        ck_assert_msg(make(&(struct mica_fetch_options){.is_private = list}) ==
                          MICA_E_FORMAT,
                      "%s", wrong[i]);
        mica_arena_fini(&arena);
        ck_assert_msg(make(&(struct mica_fetch_options){.proxy = wrong[i]}) ==
                          MICA_E_FORMAT,
                      "%s", wrong[i]);
        mica_arena_fini(&arena);
    }
}
END_TEST

START_TEST(lists_have_limits)
{
    static const char *list[MICA_FETCH_ORIGINS + 2];
    static struct mica_fetch_secret secrets[MICA_FETCH_SECRETS + 1];

    for (size_t i = 0; i <= MICA_FETCH_ORIGINS; i++)
        list[i] = "https://a.example";
    ck_assert_int_eq(make(&(struct mica_fetch_options){.allow = list}),
                     MICA_E_LIMIT);
    mica_arena_fini(&arena);
    list[MICA_FETCH_ORIGINS] = NULL;
    ck_assert_int_eq(make(&(struct mica_fetch_options){.allow = list}),
                     MICA_OK);
    mica_arena_fini(&arena);
    for (size_t i = 0; i <= MICA_FETCH_SECRETS; i++)
        secrets[i] = (struct mica_fetch_secret){"A", "https://a.example"};
    ck_assert_int_eq(
        make(&(struct mica_fetch_options){
            .secrets = secrets, .secret_count = MICA_FETCH_SECRETS + 1}),
        MICA_E_LIMIT);
    mica_arena_fini(&arena);
}
END_TEST

// ---- Secrets ---------------------------------------------------------------------

static enum mica_status
secret_for(const char *name, const char *urlz)
{
    const char *value = NULL;
    struct mica_url url;
    enum mica_status status;

    ck_assert_ptr_null(mica_url_read(mica_text(urlz), &url));
    status = mica_fetch_policy_secret(&policy, name, &url, &error, &value);
    if (status == MICA_OK)
        ck_assert_str_eq(value, getenv(name));
    return status;
}

START_TEST(a_secret_goes_to_its_origin)
{
    const struct mica_fetch_secret secrets[] = {
        {"TEST_TOKEN", "https://a.example"},
        {"TEST_SHORT", "https://a.example"}};

    setenv("TEST_TOKEN", "0123456789", 1);
    setenv("TEST_SHORT", "0123456", 1);
    ck_assert_int_eq(make(&(struct mica_fetch_options){.secrets = secrets,
                                                       .secret_count = 2}),
                     MICA_OK);
    ck_assert_int_eq(secret_for("TEST_TOKEN", "https://a.example/x?y"),
                     MICA_OK);
    ck_assert_int_eq(secret_for("TEST_TOKEN", "https://a.example:443"),
                     MICA_OK);
    ck_assert_int_eq(secret_for("TEST_TOKEN", "http://a.example"),
                     MICA_E_FETCH_SECRET);
    ck_assert_int_eq(secret_for("TEST_TOKEN", "https://a.example:444"),
                     MICA_E_FETCH_SECRET);
    ck_assert_int_eq(secret_for("TEST_TOKEN", "https://b.example"),
                     MICA_E_FETCH_SECRET);
    ck_assert_int_eq(secret_for("HOME", "https://a.example"),
                     MICA_E_FETCH_SECRET);
    ck_assert_int_eq(secret_for("TEST_SHORT", "https://a.example"),
                     MICA_E_FETCH_SECRET);
    ck_assert_ptr_null(strstr(error.message, "0123456"));
    setenv("TEST_TOKEN", "01234567\r\nX: y", 1);
    ck_assert_int_eq(secret_for("TEST_TOKEN", "https://a.example"),
                     MICA_E_FETCH_SECRET);
    unsetenv("TEST_TOKEN");
    ck_assert_int_eq(secret_for("TEST_TOKEN", "https://a.example"),
                     MICA_E_FETCH_SECRET);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_secret_is_sent_over_https_or_to_this_machine)
{
    const struct {
        struct mica_fetch_secret secret;
        enum mica_status status;
    } all[] = {{{"A", "https://a.example"}, MICA_OK},
               {{"A", "http://127.0.0.1:80"}, MICA_OK},
               {{"A", "http://localhost"}, MICA_OK},
               {{"A", "http://a.example"}, MICA_E_FORMAT},
               {{"A", "http://127.0.0.1.example"}, MICA_E_FORMAT},
               {{"a", "https://a.example"}, MICA_E_FORMAT},
               {{"", "https://a.example"}, MICA_E_FORMAT},
               {{"A=B", "https://a.example"}, MICA_E_FORMAT}};

    for (size_t i = 0; i < MICA_COUNT(all); i++) {
        ck_assert_msg(make(&(struct mica_fetch_options){
                          .secrets = &all[i].secret, .secret_count = 1}) ==
                          all[i].status,
                      "%s %s", all[i].secret.name, all[i].secret.origin);
        mica_arena_fini(&arena);
    }
}
END_TEST

// ---- Answers ---------------------------------------------------------------------

struct leaf {
    int64_t n;
};
MICA_RECORD(leaf, MICA_INTEGER(n, "A number."));
struct tree {
    struct leaf one;
    struct {
        size_t count;
        const struct leaf *items;
    } many;
    int64_t extra;
};
MICA_RECORD(tree, MICA_NESTED(one, leaf, "One."),
            MICA_LIST(many, leaf, "Many."),
            MICA_INTEGER(extra, "More.", .fallback = MICA_JSON(7)));

static enum mica_status
decode(const char *json, struct tree *out)
{
    struct mica_json value;

    mica_arena_init(&arena, 1 << 20);
    ck_assert_int_eq(
        mica_json_read(&arena, mica_text(json), NULL, &error, &value), MICA_OK);
    memset(out, 0, sizeof *out);
    return mica_record_decode_foreign(&mica_record_tree, &value, &arena, &error,
                                      out);
}

START_TEST(names_that_a_record_does_not_have_are_left_out_at_each_depth)
{
    struct tree tree;

    ck_assert_int_eq(decode("{\"x\": {}, \"one\": {\"n\": 1, \"y\": []}, "
                            "\"extra\": null, "
                            "\"many\": [{\"z\": null, \"n\": 2}]}",
                            &tree),
                     MICA_OK);
    ck_assert_int_eq(tree.one.n, 1);
    ck_assert_uint_eq(tree.many.count, 1);
    ck_assert_int_eq(tree.many.items[0].n, 2);
    ck_assert_int_eq(tree.extra, 7);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(what_a_record_has_is_read_strictly)
{
    const struct {
        const char *json;
        enum mica_status status;
    } all[] = {
        {"[]", MICA_E_TYPE},
        {"{\"one\": {\"n\": 1}}", MICA_E_REQUIRED},
        {"{\"one\": {}, \"many\": []}", MICA_E_REQUIRED},
        {"{\"one\": null, \"many\": []}", MICA_E_TYPE},
        {"{\"one\": {\"n\": \"1\"}, \"many\": []}", MICA_E_TYPE},
        {"{\"one\": {\"n\": 1}, \"many\": {}}", MICA_E_TYPE},
        {"{\"one\": {\"n\": 1}, \"many\": [3]}", MICA_E_TYPE},
        {"{\"one\": {\"n\": 1}, \"many\": [{\"n\": null}]}", MICA_E_TYPE}};
    struct tree tree;

    for (size_t i = 0; i < MICA_COUNT(all); i++) {
        enum mica_status status = decode(all[i].json, &tree);
        ck_assert_msg(status == all[i].status, "%s: %s", all[i].json,
                      mica_status_code(status));
        mica_arena_fini(&arena);
    }
}
END_TEST

UNIT_MAIN("fetch", an_address_is_public_private_or_nowhere,
          an_address_of_another_family_is_nowhere,
          an_origin_is_allowed_as_a_whole, what_is_no_origin_is_refused,
          lists_have_limits, a_secret_goes_to_its_origin,
          a_secret_is_sent_over_https_or_to_this_machine,
          names_that_a_record_does_not_have_are_left_out_at_each_depth,
          what_a_record_has_is_read_strictly)

// SPDX-License-Identifier: Apache-2.0
//
// Where requests to providers go.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "model/model_address.h"
#include "unit.h"

static struct mica_model_address
make(struct mica_model_provider_options options)
{
    struct mica_model_address address;
    struct mica_error error;

    ck_assert_msg(mica_model_address_make(&options, &error, &address) ==
                      MICA_OK,
                  "%s", error.message);
    return address;
}

static bool
allows(const char *url, bool is_private, bool has_key, const char *ip)
{
    const struct mica_model_address address =
        make((struct mica_model_provider_options){.url = url,
                                                  .is_private = is_private});
    struct sockaddr_in ip4 = {.sin_family = AF_INET};
    struct sockaddr_in6 ip6 = {.sin6_family = AF_INET6};
    struct sockaddr_storage to;

    memset(&to, 0, sizeof to);
    if (inet_pton(AF_INET, ip, &ip4.sin_addr) == 1)
        memcpy(&to, &ip4, sizeof ip4);
    else if (inet_pton(AF_INET6, ip, &ip6.sin6_addr) == 1)
        memcpy(&to, &ip6, sizeof ip6);
    else
        ck_abort_msg("%s is no address", ip);
    return mica_model_address_allows(&address, has_key,
                                     (const struct sockaddr *)&to);
}

START_TEST(a_url_is_a_base)
{
    static const struct {
        enum mica_model_type type;
        const char *url, *expected;
    } rows[] = {
        {MICA_MODEL_OPENAI, NULL, "https://api.openai.com/v1/chat/completions"},
        {MICA_MODEL_ANTHROPIC, NULL, "https://api.anthropic.com/v1/messages"},
        {MICA_MODEL_OPENAI, "http://localhost:11434/v1/",
         "http://localhost:11434/v1/chat/completions"},
        {MICA_MODEL_OPENAI, "https://x.example/openai",
         "https://x.example/openai/v1/chat/completions"},
        {MICA_MODEL_OPENAI, "https://x.example/a/chat/completions",
         "https://x.example/a/chat/completions"},
        {MICA_MODEL_ANTHROPIC, "https://x.example/v1/messages",
         "https://x.example/v1/messages"}};

    for (size_t i = 0; i < MICA_COUNT(rows); i++)
        ck_assert_str_eq(make((struct mica_model_provider_options){
                                  .type = rows[i].type, .url = rows[i].url})
                             .url,
                         rows[i].expected);
    const struct mica_model_address own =
        make((struct mica_model_provider_options){.url = NULL});
    const struct mica_model_address other =
        make((struct mica_model_provider_options){
            .url = "https://api.openai.com.evil.example"});
    ck_assert(mica_model_address_is_openai(&own));
    ck_assert(!mica_model_address_is_openai(&other));
}
END_TEST

START_TEST(a_malformed_url_is_refused)
{
    static const char *const urls[] = {
        "api.openai.com",          "ftp://x.example",
        "https://user@x.example",  "https://x.example/?key=1",
        "https://x.example/../a",  "https://x.example/#a",
        "https://x.example/a\r\nb"};
    static char large[MICA_MODEL_URL_BYTES + 32];

    for (size_t i = 0; i < MICA_COUNT(urls); i++) {
        const struct mica_model_provider_options options = {.url = urls[i]};
        struct mica_model_address address;
        struct mica_error error;
        ck_assert_msg(mica_model_address_make(&options, &error, &address) ==
                          MICA_E_FORMAT,
                      "%s", urls[i]);
    }
    memset(large, 'a', sizeof large - 1);
    memcpy(large, "https://", 8);
    const struct mica_model_provider_options options = {.url = large};
    struct mica_model_address address;
    ck_assert(mica_model_address_make(&options, NULL, &address) ==
              MICA_E_LIMIT);
}
END_TEST

START_TEST(an_address_is_judged_where_the_name_leads)
{
    static const char name[] = "https://models.example",
                      plain[] = "http://m.example";
    static const char literal[] = "http://10.0.0.7:8000",
                      here[] = "http://localhost:11434";

    ck_assert(allows(name, false, true, "93.184.216.34"));
    ck_assert(!allows(name, false, true, "10.0.0.7"));
    ck_assert(!allows(name, false, true, "127.0.0.1"));
    ck_assert(!allows(name, false, true, "169.254.169.254"));
    ck_assert(!allows(name, false, true, "::ffff:10.0.0.7"));
    ck_assert(!allows(name, false, true, "0.0.0.0"));
    ck_assert(allows(name, true, true, "10.0.0.7"));
    ck_assert(!allows(name, true, true, "0.0.0.0"));
    // Over http nothing goes to others, and a key to this machine alone.
    ck_assert(!allows(plain, false, false, "93.184.216.34"));
    ck_assert(!allows(plain, true, false, "93.184.216.34"));
    ck_assert(allows(plain, true, false, "10.0.0.7"));
    ck_assert(!allows(plain, true, true, "10.0.0.7"));
    ck_assert(allows(plain, true, true, "127.0.0.1"));
    ck_assert(!allows(plain, false, false, "10.0.0.7"));
    // An address in the url is meant as it is.
    ck_assert(allows(literal, false, false, "10.0.0.7"));
    ck_assert(!allows(literal, false, true, "10.0.0.7"));
    ck_assert(allows(here, false, true, "127.0.0.1"));
    ck_assert(allows(here, false, true, "::1"));
    ck_assert(!allows("https://10.evil.example", false, true, "10.0.0.7"));
}
END_TEST

UNIT_MAIN("model_address", a_url_is_a_base, a_malformed_url_is_refused,
          an_address_is_judged_where_the_name_leads)

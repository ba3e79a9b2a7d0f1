// SPDX-License-Identifier: Apache-2.0
//
// Host names of apps: how they are written, that two spellings are one name, and that a search
// finds what a comparison of each does.
#include "apps/app_hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

static struct mica_arena arena;
static struct mica_error error;

static void
begin(void)
{
    mica_arena_fini(&arena);
    mica_arena_init(&arena, MICA_APP_HOSTS_BYTES);
}

// "NAME ORIGIN SLUG", or what is wrong.
static const char *
read(const char *text)
{
    static char line[1024];
    struct mica_app_host host;

    begin();
    if (mica_app_host_read(text, &arena, &error, &host) != MICA_OK)
        return error.message;
    ck_assert_int_eq(host.name.ptr[host.name.len], '\0');
    (void)snprintf(line, sizeof line, "%.*s %.*s %.*s", MICA_ARG(host.name),
                   MICA_ARG(host.origin), MICA_ARG(host.slug));
    return line;
}

START_TEST(a_name_has_one_form)
{
    static const char *const spellings[] = {
        "support.example.com=my-slug", "SUPPORT.Example.COM=my-slug",
        "support.example.com.=my-slug", "https://support.example.com=my-slug",
        "HTTPS://support.example.com.=my-slug"};

    for (size_t i = 0; i < MICA_COUNT(spellings); i++)
        ck_assert_str_eq(
            read(spellings[i]),
            "support.example.com https://support.example.com my-slug");
    ck_assert_str_eq(read("http://a.localhost:8080=x"),
                     "a.localhost http://a.localhost:8080 x");
    ck_assert_str_eq(read("a.example:443=x"),
                     "a.example https://a.example:443 x");
    ck_assert_str_eq(read("xn--bcher-kva.example=x"),
                     "xn--bcher-kva.example https://xn--bcher-kva.example x");
    ck_assert_str_eq(read("intranet=x"), "intranet https://intranet x");
}
END_TEST

START_TEST(what_is_no_name_is_refused)
{
    static const struct {
        const char *text, *why;
    } rows[] = {{"a.example", "names no app"},
                {"=x", "no name"},
                {".=x", "no name"},
                {"https://=x", "no name"},
                {"a.example=", "slug"},
                {"a.example=No", "slug"},
                {"a.example=x=y", "slug"},
                {"a.example:=x", "port"},
                {"a.example:123456=x", "port"},
                {"a.example:8x=x", "port"},
                {"a..example=x", "empty part"},
                {"a.example..=x", "empty part"},
                {"-a.example=x", "begin and end"},
                {"a-.example=x", "begin and end"},
                {"a_b.example=x", "xn--"},
                {"b\xc3\xbc"
                 "cher.example=x",
                 "xn--"},
                {"a.example/x=x", "xn--"},
                {"user@a.example=x", "xn--"},
                {"*=x", "begin and end"},
                {"127.0.0.1=x", "address"},
                {"0x7f.1=x", "address"},
                {"2130706433=x", "address"},
                {"localhost=x", "itself"},
                {"LOCALHOST.=x", "itself"},
                {"ftp://a.example=x", "port"}};

    for (size_t i = 0; i < MICA_COUNT(rows); i++) {
        const char *said = read(rows[i].text);
        ck_assert_msg(strstr(said, rows[i].why) != NULL, "%s: %s", rows[i].text,
                      said);
        ck_assert_int_eq(error.status, MICA_E_USAGE);
    }
}
END_TEST

START_TEST(names_have_a_length)
{
    char text[400];

    memset(text, 'a', 63);
    (void)snprintf(text + 63, sizeof text - 63, ".example=x");
    ck_assert_ptr_nonnull(strstr(read(text), "https://aaa"));
    memset(text, 'a', 64);
    (void)snprintf(text + 64, sizeof text - 64, ".example=x");
    ck_assert_ptr_nonnull(strstr(read(text), "63"));
    for (size_t i = 0; i < 253; i++)
        text[i] = i % 50 == 49 ? '.' : 'a';
    (void)snprintf(text + 253, sizeof text - 253, "=x");
    ck_assert_ptr_nonnull(strstr(read(text), "https://aaa"));
    (void)snprintf(text + 253, sizeof text - 253, "a=x");
    ck_assert_ptr_nonnull(strstr(read(text), "253"));
}
END_TEST

// ---- The table -------------------------------------------------------------------

static enum mica_status
read_all(const char *const *texts, struct mica_app_hosts *hosts, size_t *wrong)
{
    begin();
    return mica_app_hosts_read(texts, &arena, &error, hosts, wrong);
}

START_TEST(a_name_is_of_one_app)
{
    const char *const texts[] = {"b.example=one", "a.example=two",
                                 "c.example=one", "http://B.example.:80=one",
                                 NULL};
    const char *const fine[] = {"b.example=one", "a.example=two",
                                "c.example=one", NULL};
    struct mica_app_hosts hosts;
    size_t wrong = 99;

    ck_assert_int_eq(read_all(texts, &hosts, &wrong), MICA_E_DUPLICATE);
    ck_assert_uint_eq(wrong, 3);
    ck_assert_uint_eq(hosts.count, 0);
    ck_assert_int_eq(read_all(fine, &hosts, &wrong), MICA_OK);
    // The first that was given is the one of addresses, whatever the order of names.
    UNIT_TEXT_EQ(mica_app_hosts_of(&hosts, MICA_LITERAL("one"))->name,
                 "b.example");
    UNIT_TEXT_EQ(mica_app_hosts_of(&hosts, MICA_LITERAL("two"))->name,
                 "a.example");
    ck_assert_ptr_null(mica_app_hosts_of(&hosts, MICA_LITERAL("on")));
    ck_assert_int_eq(read_all(NULL, &hosts, NULL), MICA_OK);
    ck_assert_ptr_null(mica_app_hosts_find(&hosts, MICA_LITERAL("a.example")));
}
END_TEST

START_TEST(a_thousand_names_are_the_most)
{
    static char room[MICA_APP_HOSTS + 1][24];
    static const char *texts[MICA_APP_HOSTS + 2];
    struct mica_app_hosts hosts;
    char host[32];

    for (size_t i = 0; i <= MICA_APP_HOSTS; i++) {
        (void)snprintf(room[i], sizeof room[i], "h%zu.example=x",
                       i * 7919 % 100003);
        texts[i] = room[i];
    }
    ck_assert_int_eq(read_all(texts, &hosts, NULL), MICA_E_LIMIT);
    texts[MICA_APP_HOSTS] = NULL;
    ck_assert_msg(read_all(texts, &hosts, NULL) == MICA_OK, "%s",
                  error.message);
    ck_assert_uint_eq(hosts.count, MICA_APP_HOSTS);
    for (size_t i = 0; i < MICA_APP_HOSTS; i++) {
        (void)snprintf(host, sizeof host, "H%zu.example:443",
                       i * 7919 % 100003);
        ck_assert_uint_eq(mica_app_hosts_find(&hosts, mica_text(host))->given,
                          i);
    }
}
END_TEST

static bool
finds(const struct mica_app_hosts *hosts, const char *host)
{
    return mica_app_hosts_find(hosts, mica_text(host)) != NULL;
}

// Text of a stranger: whatever it is, only the spellings of a name find it.
START_TEST(a_host_is_found_by_its_spellings_alone)
{
    const char *const texts[] = {"a.b=x", "a.bc=y", NULL};
    static const char letters[] = "abAB.:09-/ \t%[]@=,\xff";
    struct mica_app_hosts hosts;
    char host[8];

    ck_assert_int_eq(read_all(texts, &hosts, NULL), MICA_OK);
    ck_assert(finds(&hosts, "a.b") && finds(&hosts, "A.B.:65535") &&
              finds(&hosts, "a.b:0") && finds(&hosts, "a.bc."));
    srand(11);
    for (int i = 0; i < 300000; i++) {
        size_t length = (size_t)rand() % sizeof host;
        bool is_name;
        for (size_t k = 0; k < length; k++)
            host[k] = letters[(size_t)rand() % (sizeof letters - 1)];
        host[length] = '\0';
        is_name =
            (strncmp(host, "a.b", 3) == 0 || strncmp(host, "A.b", 3) == 0 ||
             strncmp(host, "a.B", 3) == 0 || strncmp(host, "A.B", 3) == 0);
        if (is_name) { // behind it a dot, or a port of digits, or both
            const char *rest = host + 3 + (host[3] == '.');
            is_name = *rest == '\0' ||
                      (*rest == ':' && rest[1] != '\0' &&
                       strspn(rest + 1, "0123456789") == strlen(rest + 1));
        }
        ck_assert_msg(finds(&hosts, host) == is_name, "\"%s\"", host);
    }
}
END_TEST

UNIT_MAIN("app_hosts", a_name_has_one_form, what_is_no_name_is_refused,
          names_have_a_length, a_name_is_of_one_app,
          a_thousand_names_are_the_most, a_host_is_found_by_its_spellings_alone)

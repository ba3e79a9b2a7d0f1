// SPDX-License-Identifier: Apache-2.0
//
// Logins without an issuer: what browsers send, the table and its states, and what an
// issuer says of itself.
#include "auth/login_client.h"
#include "unit.h"

#define ID_A "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
#define ID_B "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB-"

static struct mica_arena arena;

static void
memory(void)
{
    mica_arena_init(&arena, 64 << 20);
}

// ---- What browsers send ------------------------------------------------------------------

static const char *
cookie(const char *first, const char *second)
{
    const struct mica_header headers[] = {
        {MICA_LITERAL("Host"), MICA_LITERAL("mica=" ID_B)},
        {MICA_LITERAL("cookie"), mica_text(first)},
        {MICA_LITERAL("COOKIE"), mica_text(second)}};
    const struct mica_http_request request = {.headers = headers,
                                              .header_count = 3};
    static char found[MICA_LOGIN_ID_BYTES + 1];
    struct mica_text id;

    if (!mica_login_cookie_find(&request, MICA_LITERAL("mica"), &id))
        return NULL;
    memcpy(found, id.ptr, id.len);
    return found;
}

START_TEST(one_cookie_of_our_form_counts)
{
    static const char *const good[] = {"mica=" ID_A,
                                       "a=b; mica=" ID_A,
                                       "mica=" ID_A "; c=d",
                                       "a;mica=" ID_A,
                                       "amica=1; mica=" ID_A " ; micab=2",
                                       "\t mica =" ID_A,
                                       ";;mica=" ID_A};
    static const char *const bad[] = {
        "",
        "mica",
        "mica=",
        "Mica=" ID_A,
        "amica=" ID_A,
        "mica=\"" ID_A "\"",
        "mica=A" ID_A,
        "mica=AAAA",
        "mica==AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "mica=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.",
        "mica=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA%",
        "mica=" ID_A "; mica=" ID_B,
        "mica=" ID_A "; mica=" ID_A,
        "mica=" ID_A "; mica="};

    for (size_t i = 0; i < MICA_COUNT(good); i++) {
        const char *found = cookie(good[i], "x=y");
        ck_assert_msg(found != NULL, "%s", good[i]);
        ck_assert_str_eq(found, ID_A);
    }
    for (size_t i = 0; i < MICA_COUNT(bad); i++)
        ck_assert_msg(cookie(bad[i], "x=y") == NULL, "%s", bad[i]);
    ck_assert_ptr_null(cookie("mica=" ID_A, "mica=" ID_B)); // two headers
}
END_TEST

static const char *
query(const char *text, size_t most)
{
    struct mica_text value;

    if (!mica_login_query_find(mica_text(text), "to", most, &arena, &value))
        return NULL;
    return mica_arena_text(&arena, value).ptr;
}

START_TEST(a_query_is_decoded_once)
{
    memory();
    ck_assert_str_eq(query("a=b&to=%2Fx%3fy%2B+z%2525&c", 64), "/x?y+ z%25");
    ck_assert_str_eq(query("to=", 64), "");
    ck_assert_str_eq(query("to", 64), "");
    ck_assert_str_eq(query("tom=1", 64), "");
    ck_assert_str_eq(query("", 64), "");
    ck_assert_str_eq(query("to=1=2", 64), "1=2");
    ck_assert_ptr_null(query("to=1&to=1", 64));
    ck_assert_ptr_null(query("to=%", 64));
    ck_assert_ptr_null(query("to=%1", 64));
    ck_assert_ptr_null(query("to=%1g", 64));
    ck_assert_ptr_null(query("to=12345", 4));
    ck_assert_str_eq(query("to=%31%32%33%34", 4), "1234");
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_target_is_a_path_of_this_server)
{
    static const char *const good[] = {
        "/",       "/tools/x", "/tools/x?a=1&b=//c", "/?q=%C3%A9",
        "/loginx", "/a/login", "/calls/1?..=/../"};
    static const char *const bad[] = {"",
                                      "x",
                                      "//evil.example",
                                      "/\\evil",
                                      "http://evil/",
                                      "/a//b",
                                      "/./a",
                                      "/../a",
                                      "/a/..",
                                      "/%2e%2e/a",
                                      "/%2E/a",
                                      "/a\nb",
                                      "/a b",
                                      "/%",
                                      "/%1",
                                      "/%1g",
                                      "/a#b",
                                      "/\"",
                                      "/<",
                                      "/login",
                                      "/login",
                                      "/login?a",
                                      "/login/callback",
                                      "/logout",
                                      "/\303\251"};

    for (size_t i = 0; i < MICA_COUNT(good); i++)
        ck_assert_msg(mica_login_target_valid(mica_text(good[i])), "%s",
                      good[i]);
    for (size_t i = 0; i < MICA_COUNT(bad); i++)
        ck_assert_msg(!mica_login_target_valid(mica_text(bad[i])), "%s",
                      bad[i]);
}
END_TEST

START_TEST(a_request_of_this_site_says_so)
{
    static const struct {
        const char *site, *origin;
        bool ours;
    } rows[] = {{NULL, NULL, false},
                {"same-origin", NULL, true},
                {NULL, "https://a.example", true},
                {"same-origin", "https://a.example", true},
                {"same-site", "https://a.example", false},
                {"cross-site", "https://a.example", false},
                {"none", NULL, false},
                {"same-origin", "null", false},
                {"same-origin", "https://a.example:1", false},
                {NULL, "http://a.example", false},
                {NULL, "https://A.example", false},
                {NULL, "", false}};

    for (size_t i = 0; i < MICA_COUNT(rows); i++) {
        struct mica_header headers[2];
        size_t count = 0;
        if (rows[i].site != NULL)
            headers[count++] = (struct mica_header){
                MICA_LITERAL("Sec-Fetch-Site"), mica_text(rows[i].site)};
        if (rows[i].origin != NULL)
            headers[count++] = (struct mica_header){MICA_LITERAL("Origin"),
                                                    mica_text(rows[i].origin)};
        const struct mica_http_request request = {.headers = headers,
                                                  .header_count = count};
        ck_assert_msg(
            mica_login_same_site(&request, MICA_LITERAL("https://a.example")) ==
                rows[i].ours,
            "row %zu", i);
    }
}
END_TEST

// ---- States --------------------------------------------------------------------------------

START_TEST(the_table_has_these_moves)
{
    // FPEAR: Free Pending Exchange Active Refresh
    static const char *const moves[] = {".x...", "x.x..", "x..x.", "x...x",
                                        "x..x."};

    ck_assert_uint_eq(mica_login_states.count, MICA_COUNT(moves));
    for (unsigned from = 0; from < MICA_COUNT(moves); from++)
        for (unsigned to = 0; to < MICA_COUNT(moves); to++)
            ck_assert_msg(mica_states_allow(&mica_login_states, from, to) ==
                              (moves[from][to] == 'x'),
                          "%s -> %s",
                          mica_states_name(&mica_login_states, from),
                          mica_states_name(&mica_login_states, to));
}
END_TEST

static struct mica_login_table table;

static unsigned char *
digest_of(unsigned number)
{
    static unsigned char digest[MICA_DIGEST_BYTES];

    memcpy(digest, &number, sizeof number);
    return digest;
}

// Of the client at that address.
static void
put_of(const char *partyz, unsigned number, int64_t now_ms)
{
    const struct mica_login_pending pending = {.party = mica_text(partyz),
                                               .target = MICA_LITERAL("/a"),
                                               .state = MICA_LITERAL("state"),
                                               .verifier = MICA_LITERAL("v"),
                                               .nonce = MICA_LITERAL("n")};

    ck_assert(mica_login_put(&table, digest_of(number), &pending, now_ms));
}

// Each of another client.
static void
put(unsigned number, int64_t now_ms)
{
    char party[16];

    (void)snprintf(party, sizeof party, "%u", number);
    put_of(party, number, now_ms);
}

static enum mica_status
take(unsigned number, const char *state, int64_t now_ms,
     struct mica_login **login_out)
{
    struct mica_login_pending pending;

    return mica_login_take(&table, digest_of(number), mica_text(state), now_ms,
                           &arena, login_out, &pending);
}

static bool
settle(struct mica_login *login, unsigned number, const char *subject,
       const char *refresh, int64_t now_ms)
{
    const struct mica_login_tokens tokens = {.subject = mica_text(subject),
                                             .authorization =
                                                 MICA_LITERAL("Bearer x"),
                                             .refresh = mica_text(refresh),
                                             .expires_ms = now_ms + 1000};

    return mica_login_conclude(&table, login, &tokens, digest_of(number),
                               now_ms, now_ms + 10000);
}

static bool
is_open(unsigned number, int64_t now_ms)
{
    struct mica_login_tokens tokens;

    return mica_login_find(&table, digest_of(number), now_ms, &arena, &tokens);
}

START_TEST(a_pending_login_is_taken_once)
{
    struct mica_login *login;

    memory();
    ck_assert(mica_login_table_init(&table));
    put(1, 0);
    ck_assert_int_eq(take(2, "state", 0, &login), MICA_E_LOGIN_STATE);
    ck_assert_int_eq(take(1, "statf", 0, &login), MICA_E_LOGIN_STATE);
    ck_assert_int_eq(take(1, "", 0, &login), MICA_E_LOGIN_STATE);
    ck_assert(!is_open(1, 0));
    ck_assert_int_eq(take(1, "state", 1, &login), MICA_OK);
    ck_assert_int_eq(take(1, "state", 1, &login), MICA_E_LOGIN_STATE);
    put(3, 0); // later than it may be
    ck_assert_int_eq(take(3, "state", 1000 * MICA_LOGIN_PENDING_S, &login),
                     MICA_E_LOGIN_STATE);
    mica_login_table_fini(&table);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_login_is_open_until_it_ends)
{
    struct mica_login_tokens tokens;
    struct mica_login *login;

    memory();
    ck_assert(mica_login_table_init(&table));
    put(1, 0);
    ck_assert_int_eq(take(1, "state", 0, &login), MICA_OK);
    ck_assert(settle(login, 2, "ada", "r", 0));
    ck_assert(!is_open(1, 1)); // LOGIN-3
    ck_assert(is_open(2, 9999));
    ck_assert(!is_open(2, 10000));
    login = mica_login_claim(&table, digest_of(2), 5, &arena, &tokens);
    ck_assert_ptr_nonnull(login);
    ck_assert(mica_text_is(tokens.refresh, "r"));
    ck_assert_ptr_null(
        mica_login_claim(&table, digest_of(2), 5, &arena, &tokens));
    ck_assert(is_open(2, 5)); // as it was
    mica_login_keep(&table, login);
    login = mica_login_claim(&table, digest_of(2), 5, &arena, &tokens);
    ck_assert_ptr_nonnull(login);
    ck_assert(!mica_login_conclude(&table, login, NULL, NULL, 5, 0)); // refused
    ck_assert(!is_open(2, 5));
    ck_assert_uint_eq(mica_login_table_counts(&table).open, 0);
    put(3, 0);
    ck_assert_int_eq(take(3, "state", 0, &login), MICA_OK);
    ck_assert(settle(login, 4, "ada", "", 0));
    ck_assert(mica_login_remove(&table, digest_of(4), 1, &arena, &tokens));
    ck_assert(!mica_login_remove(&table, digest_of(4), 1, &arena, &tokens));
    mica_login_table_fini(&table);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(the_table_has_bounds)
{
    struct mica_login *login;
    char person[16];

    memory();
    ck_assert(mica_login_table_init(&table));
    for (unsigned i = 0; i < MICA_LOGINS_PENDING + 3; i++)
        put(i, (int64_t)i); // the oldest go
    ck_assert_uint_eq(mica_login_table_counts(&table).pending,
                      MICA_LOGINS_PENDING);
    ck_assert_int_eq(take(2, "state", 300, &login), MICA_E_LOGIN_STATE);
    ck_assert_int_eq(take(3, "state", 300, &login), MICA_OK);
    ck_assert(!mica_login_conclude(&table, login, NULL, NULL, 0, 0));
    for (unsigned i = 0; i < MICA_LOGINS; i++) {
        (void)snprintf(person, sizeof person, "p%u", i / MICA_LOGINS_OF_ONE);
        put(10000 + i, 300);
        ck_assert_int_eq(take(10000 + i, "state", 300, &login), MICA_OK);
        ck_assert(settle(login, 20000 + i, person, "", 300 + (int64_t)i));
    }
    ck_assert_uint_eq(mica_login_table_counts(&table).open, MICA_LOGINS);
    put(1, 400);
    ck_assert_int_eq(take(1, "state", 400, &login), MICA_E_LOGINS);
    ck_assert_uint_eq(mica_login_table_counts(&table).refused, 1);
    ck_assert(is_open(20000, 400));
    // What has expired makes room.
    put(2, 2000);
    ck_assert_int_eq(take(2, "state", 2000, &login), MICA_OK);
    ck_assert(settle(login, 3, "p63", "", 2000));
    mica_login_table_fini(&table);
    mica_arena_fini(&arena);
}
END_TEST

// Who begins and begins displaces its own sign-ins, and no other person's.
START_TEST(one_address_does_not_displace_all)
{
    struct mica_login *login;

    memory();
    ck_assert(mica_login_table_init(&table));
    put_of("other", 1, 0);
    for (unsigned i = 0; i < 4 * MICA_LOGINS_PENDING; i++)
        put_of("flood", 100 + i, 1 + (int64_t)i);
    ck_assert_uint_eq(mica_login_table_counts(&table).pending,
                      MICA_LOGINS_PENDING_OF_ONE + 1);
    ck_assert_int_eq(take(1, "state", 5000, &login), MICA_OK);
    ck_assert(!mica_login_conclude(&table, login, NULL, NULL, 0, 0));
    ck_assert_int_eq(take(100, "state", 5000, &login), MICA_E_LOGIN_STATE);
    ck_assert_int_eq(take(99 + 4 * MICA_LOGINS_PENDING, "state", 5000, &login),
                     MICA_OK);
    ck_assert(!mica_login_conclude(&table, login, NULL, NULL, 0, 0));
    mica_login_table_fini(&table);
    mica_arena_fini(&arena);
}
END_TEST

START_TEST(a_person_has_sixteen_logins)
{
    struct mica_login *login;

    memory();
    ck_assert(mica_login_table_init(&table));
    for (unsigned i = 0; i < MICA_LOGINS_OF_ONE + 2; i++) {
        put(1, i);
        ck_assert_int_eq(take(1, "state", i, &login), MICA_OK);
        ck_assert(settle(login, 100 + i, "ada", "r", i));
        ck_assert(is_open(100, i)); // used, so it is not the oldest
    }
    ck_assert_uint_eq(mica_login_table_counts(&table).open, MICA_LOGINS_OF_ONE);
    ck_assert(is_open(100, 20) && !is_open(101, 20) && !is_open(102, 20));
    ck_assert(is_open(103, 20));
    mica_login_table_fini(&table);
    mica_arena_fini(&arena);
}
END_TEST

// ---- What an issuer says of itself -----------------------------------------------------------

static const char *
metadata(const char *more, bool secret)
{
    static char text[1024];
    struct mica_issuer_metadata read;
    struct mica_json json;
    int size = snprintf(text, sizeof text,
                        "{\"issuer\":\"https://i.example\"%s}", more);

    ck_assert_int_gt(size, 0);
    ck_assert_int_eq(mica_json_read(&arena, mica_text(text), NULL, NULL, &json),
                     MICA_OK);
    return mica_issuer_metadata_read(&json, MICA_LITERAL("https://i.example"),
                                     secret, &read);
}

#define ENDPOINTS                                          \
    ",\"authorization_endpoint\":\"https://i.example/a\"," \
    "\"token_endpoint\":\"https://i.example/t\""
#define S256 ",\"code_challenge_methods_supported\":[\"S256\"]"

START_TEST(metadata_are_checked)
{
    memory();
    ck_assert_ptr_null(metadata(ENDPOINTS S256, false));
    ck_assert_ptr_null(metadata(ENDPOINTS, true));
    ck_assert_ptr_nonnull(metadata(ENDPOINTS, false)); // PKCE is all it has
    ck_assert_ptr_nonnull(metadata(
        ENDPOINTS ",\"code_challenge_methods_supported\":[\"plain\"]", true));
    ck_assert_ptr_nonnull(metadata(S256, false));
    ck_assert_ptr_nonnull(
        metadata(",\"authorization_endpoint\":\"http://i.example/a\","
                 "\"token_endpoint\":\"https://i.example/t\"" S256,
                 false));
    ck_assert_ptr_nonnull( // an issuer elsewhere, an endpoint here
        metadata(",\"authorization_endpoint\":\"https://i.example/a\","
                 "\"token_endpoint\":\"http://127.0.0.1/t\"" S256,
                 false));
    ck_assert_ptr_nonnull(metadata(
        ENDPOINTS S256 ",\"end_session_endpoint\":\"javascript:x\"", false));
    struct mica_json json;
    struct mica_issuer_metadata read;
    ck_assert_int_eq(mica_json_read(&arena,
                                    MICA_LITERAL("{\"issuer\":\"https://"
                                                 "i.example/\"}"),
                                    NULL, NULL, &json),
                     MICA_OK);
    ck_assert_str_eq(mica_issuer_metadata_read(&json,
                                               MICA_LITERAL("https://"
                                                            "i.example"),
                                               true, &read),
                     "it is of another issuer");
    mica_arena_fini(&arena);
}
END_TEST

UNIT_MAIN("login", one_cookie_of_our_form_counts, a_query_is_decoded_once,
          a_target_is_a_path_of_this_server, a_request_of_this_site_says_so,
          the_table_has_these_moves, a_pending_login_is_taken_once,
          a_login_is_open_until_it_ends, the_table_has_bounds,
          one_address_does_not_displace_all, a_person_has_sixteen_logins,
          metadata_are_checked)

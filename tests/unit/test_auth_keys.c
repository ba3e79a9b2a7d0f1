// SPDX-License-Identifier: Apache-2.0
//
// Where keys come from: a server of the test on the loopback that is slow, down,
// huge or wrong; rotation; how often it is asked; many threads at once.
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include <arpa/inet.h>
#include <microhttpd.h>
#include <sys/socket.h>

#include "test_auth.h"

// ---- A server of keys --------------------------------------------------------------

enum mode {
    NORMAL,
    SLOW,    // answers after half a second
    HANGING, // takes a minute for the head
    TRICKLE, // and for the body
    HUGE,    // more than is read, of unknown length
    DECLARED_HUGE,
    MALFORMED,
    EMPTY,
    MISSING,  // 404
    REDIRECTS // to itself
};

static struct {
    struct MHD_Daemon *daemon;
    unsigned port;
    atomic_int mode, asked, ending;
    _Atomic(const char *) body;
} server;

static int64_t
clock_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// As long as the test wants it to wait.
static void
linger(int ms)
{
    for (int i = 0; i < ms / 10 && !atomic_load(&server.ending); i++)
        unit_sleep(10);
}

static ssize_t
produce(void *data, uint64_t at, char *out, size_t size)
{
    (void)data;
    (void)at;
    if (atomic_load(&server.mode) == TRICKLE)
        linger(60000);
    if (atomic_load(&server.ending))
        return MHD_CONTENT_READER_END_WITH_ERROR;
    memset(out, ' ', size);
    return (ssize_t)size;
}

static struct MHD_Response *
respond(int mode)
{
    const char *body = atomic_load(&server.body);
    if (mode == HUGE || mode == TRICKLE || mode == DECLARED_HUGE)
        return MHD_create_response_from_callback(
            mode == DECLARED_HUGE ? UINT64_C(1) << 30 : MHD_SIZE_UNKNOWN, 4096,
            produce, NULL, NULL);
    if (mode == MALFORMED)
        body = "{\"keys\":[{]}";
    if (mode == EMPTY)
        body = "";
    char *copy = strdup(body);
    return MHD_create_response_from_buffer(strlen(copy), copy,
                                           MHD_RESPMEM_MUST_FREE);
}

static enum MHD_Result
answer(void *data, struct MHD_Connection *connection, const char *url,
       const char *method, const char *version, const char *upload,
       size_t *upload_size, void **state)
{
    int mode = atomic_load(&server.mode);
    (void)data;
    (void)version;
    (void)upload;
    (void)upload_size;
    if (*state == NULL) { // the head alone
        *state = &server;
        return MHD_YES;
    }
    ck_assert_str_eq(method, "GET");
    ck_assert_str_eq(url, "/jwks");
    atomic_fetch_add(&server.asked, 1);
    if (mode == SLOW || mode == HANGING)
        linger(mode == SLOW ? 500 : 60000);
    struct MHD_Response *response = respond(mode);
    if (mode == REDIRECTS)
        (void)MHD_add_response_header(response, "Location",
                                      "http://127.0.0.1/jwks");
    enum MHD_Result result = MHD_queue_response(connection,
                                                mode == MISSING     ? 404
                                                : mode == REDIRECTS ? 302
                                                                    : 200,
                                                response);
    MHD_destroy_response(response);
    return result;
}

static void
serve_on(unsigned port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    atomic_store(&server.ending, 0);
    server.daemon = MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD, 0,
        NULL, NULL, answer, NULL, MHD_OPTION_SOCK_ADDR, &address,
        MHD_OPTION_LISTENING_ADDRESS_REUSE, 1u, MHD_OPTION_END);
    ck_assert_ptr_nonnull(server.daemon);
    server.port =
        MHD_get_daemon_info(server.daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}

static void
serve(enum mode mode, const char *keys)
{
    atomic_store(&server.body, set(keys));
    atomic_store(&server.mode, mode);
    serve_on(0);
}

static void
shut(void)
{
    atomic_store(&server.ending, 1);
    MHD_stop_daemon(server.daemon);
}

// ---- What the module says ----------------------------------------------------------

static struct {
    pthread_mutex_t lock;
    char text[64 * 1024];
} said = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void
report(void *user, const char *messagez)
{
    ck_assert_ptr_eq(user, &said);
    pthread_mutex_lock(&said.lock);
    size_t len = strlen(said.text);
    (void)snprintf(said.text + len, sizeof said.text - len, "%s\n", messagez);
    pthread_mutex_unlock(&said.lock);
}

static bool
has_said(const char *part)
{
    pthread_mutex_lock(&said.lock);
    bool found = strstr(said.text, part) != NULL;
    pthread_mutex_unlock(&said.lock);
    return found;
}

static void
await_said(const char *part)
{
    UNIT_AWAIT_MSG(has_said(part), "not \"%s\" but \"%s\"", part, said.text);
    pthread_mutex_lock(&said.lock);
    said.text[0] = '\0';
    pthread_mutex_unlock(&said.lock);
}

// The server of the test as the issuer's; a fetch each second, at most five a
// second when asked.
static struct mica_auth_options
remote(void)
{
    struct mica_auth_options options =
        options_for(print("http://127.0.0.1:%u/jwks", server.port));
    options.times = (struct mica_auth_times){
        .ttl_ms = 60000,
        .retry_ms = 200,
        .timeout_ms = UNIT_PATIENCE_MS / 2, // a busy machine is no failure
        .open_ms = UNIT_PATIENCE_MS / 2};
    options.report = report;
    options.user = &said;
    return options;
}

static enum mica_status
ask_waiting(struct mica_auth *auth, const char *text, unsigned wait_ms)
{
    return mica_auth_check(auth, mica_text(print("Bearer %s", text)), 1, NOW,
                           wait_ms, memory(), &principal, &refusal);
}

// ---- Rotation ----------------------------------------------------------------------

START_TEST(keys_come_from_a_url)
{
    EVP_PKEY *key = generate(ED25519);
    serve(NORMAL, jwk(key, "a"));
    struct mica_auth *auth = open_with(remote());
    ck_assert_int_eq(atomic_load(&server.asked), 1);
    TAKES(auth, token(key, "a", ""));
    mica_auth_close(&auth);
    ck_assert_str_eq(said.text, "");
    shut();
    EVP_PKEY_free(key);
}
END_TEST

START_TEST(an_unknown_key_is_fetched_and_the_call_may_wait)
{
    EVP_PKEY *old = generate(ED25519), *new = generate(P_256);
    serve(NORMAL, jwk(old, "a"));
    struct mica_auth *auth = open_with(remote());
    TAKES(auth, token(old, "a", ""));
    atomic_store(&server.body,
                 set(print("%s,%s", jwk(old, "a"), jwk(new, "b"))));
    // Without time to wait it says so, and the next attempt succeeds.
    ck_assert_int_eq(ask(auth, token(new, "b", "")), MICA_E_BUSY);
    ck_assert_uint_eq(refusal.http_status, 503);
    ck_assert_uint_eq(refusal.challenge.len, 0);
    ck_assert_uint_eq(refusal.retry_after_s, 1);
    ck_assert_str_eq(refusal.message, "the keys of the token's issuer are "
                                      "being fetched; try again");
    await_said("have changed");
    TAKES(auth, token(new, "b", ""));
    TAKES(auth, token(old, "a", ""));
    unit_sleep(250);
    EVP_PKEY *third = generate(ED25519);
    atomic_store(&server.body, set(jwk(third, "c")));
    ck_assert_int_eq(ask_waiting(auth, token(third, "c", ""), UNIT_PATIENCE_MS),
                     MICA_OK);
    mica_auth_close(&auth);
    shut();
    EVP_PKEY_free(old);
    EVP_PKEY_free(new);
    EVP_PKEY_free(third);
}
END_TEST

// A token that names no key.
static const char *
nameless(EVP_PKEY *key, const char *scopes)
{
    return sign(key, "{\"alg\":\"EdDSA\"}", print(CLAIMS, scopes));
}

START_TEST(a_token_that_names_no_key_is_as_good_after_a_rotation)
{
    EVP_PKEY *old = generate(ED25519), *new = generate(ED25519);
    serve(NORMAL, print("{%s}", material(old)));
    struct mica_auth *auth = open_with(remote());
    TAKES(auth, nameless(old, ""));
    atomic_store(&server.body, set(print("{%s}", material(new))));
    ck_assert_int_eq(ask(auth, nameless(new, "")), MICA_E_BUSY);
    ck_assert_uint_eq(refusal.http_status, 503);
    ck_assert_uint_eq(refusal.retry_after_s, 1);
    await_said("have changed");
    TAKES(auth, nameless(new, ""));
    unit_sleep(250);
    // One that may wait sees it at once. The old key is good for nothing now.
    ck_assert_int_eq(ask_waiting(auth, nameless(old, ""), UNIT_PATIENCE_MS),
                     MICA_E_UNAUTHORIZED);
    ck_assert_str_eq(refusal.message, "the token's signature is wrong");
    mica_auth_close(&auth);
    shut();
    EVP_PKEY_free(old);
    EVP_PKEY_free(new);
}
END_TEST

START_TEST(a_token_that_names_no_key_is_let_in_once_there_is_one_key)
{
    EVP_PKEY *old = generate(ED25519), *new = generate(ED25519);
    serve(NORMAL, print("%s,%s", jwk(old, "a"), jwk(new, "b")));
    struct mica_auth *auth = open_with(remote());
    ck_assert_int_eq(ask_waiting(auth, nameless(new, ""), UNIT_PATIENCE_MS),
                     MICA_E_UNAUTHORIZED);
    ck_assert_str_eq(refusal.message,
                     "the token names no key and its issuer has several");
    unit_sleep(250);
    atomic_store(&server.body, set(jwk(new, "b")));
    ck_assert_int_eq(ask_waiting(auth, nameless(new, ""), UNIT_PATIENCE_MS),
                     MICA_OK);
    mica_auth_close(&auth);
    shut();
    EVP_PKEY_free(old);
    EVP_PKEY_free(new);
}
END_TEST

START_TEST(a_key_that_is_gone_lets_nobody_in)
{
    EVP_PKEY *old = generate(ED25519), *new = generate(ED25519);
    serve(NORMAL, jwk(old, "a"));
    struct mica_auth_options options = remote();
    options.times.ttl_ms = 200;
    struct mica_auth *auth = open_with(options);
    const char *text = token(old, "a", "");
    TAKES(auth, text);                              // now it is remembered
    atomic_store(&server.body, set(jwk(new, "a"))); // the name stays
    await_said("keys of " ISSUER ": have changed");
    REFUSES(auth, text, "the token's signature is wrong");
    TAKES(auth, token(new, "a", ""));
    mica_auth_close(&auth);
    shut();
    EVP_PKEY_free(old);
    EVP_PKEY_free(new);
}
END_TEST

START_TEST(a_key_file_is_read_again)
{
    EVP_PKEY *old = generate(ED25519), *new = generate(ED25519);
    struct mica_auth_options options =
        options_for(file("jwks.json", set(jwk(old, "a"))));
    options.times.ttl_ms = options.times.retry_ms = 100;
    options.report = report;
    options.user = &said;
    struct mica_auth *auth = open_with(options);
    TAKES(auth, token(old, "a", ""));
    (void)file("jwks.json", "{");
    await_said("cannot be had; the old ones serve on: ");
    TAKES(auth, token(old, "a", ""));
    (void)file("jwks.json", set(jwk(new, "b")));
    await_said("are there again");
    TAKES(auth, token(new, "b", ""));
    ck_assert_int_ne(ask(auth, token(old, "a", "")), MICA_OK);
    mica_auth_close(&auth);
    EVP_PKEY_free(old);
    EVP_PKEY_free(new);
}
END_TEST

// ---- How often -----------------------------------------------------------------------

// A third of a second, and on a busy machine until what has to come has come.
static bool
goes_on(int i, int64_t start, bool all_has_come)
{
    return i < 300 || (!all_has_come && clock_ms() - start < UNIT_PATIENCE_MS);
}

START_TEST(unknown_keys_cause_few_fetches)
{
    EVP_PKEY *key = generate(ED25519), *own = generate(ED25519);
    serve(NORMAL, jwk(key, "a"));
    struct mica_auth *auth = open_with(remote());
    int unauthorized = 0;
    int64_t start = clock_ms();
    for (int i = 0; goes_on(i, start, unauthorized > 0); i++) {
        enum mica_status status = ask(auth, token(own, print("k%d", i), ""));
        ck_assert_int_ne(status, MICA_OK);
        unauthorized += status == MICA_E_UNAUTHORIZED ? 1 : 0;
        if (i % 50 == 0)
            TAKES(auth, token(key, "a", print("s%d", i)));
        unit_sleep(1);
    }
    int most = 2 + (int)((clock_ms() - start) / 200);
    ck_assert_int_le(atomic_load(&server.asked), most + 1);
    ck_assert_int_gt(unauthorized, 0);
    ck_assert_str_eq(said.text, ""); // the keys are what they were
    mica_auth_close(&auth);
    shut();
    EVP_PKEY_free(key);
    EVP_PKEY_free(own);
}
END_TEST

START_TEST(tokens_that_name_no_key_cause_few_fetches)
{
    EVP_PKEY *key = generate(ED25519), *own = generate(ED25519);
    serve(NORMAL, print("{%s}", material(key)));
    struct mica_auth *auth = open_with(remote());
    int unauthorized = 0;
    int64_t start = clock_ms();
    for (int i = 0;
         goes_on(i, start, unauthorized > 0 && atomic_load(&server.asked) > 1);
         i++) {
        enum mica_status status = ask(auth, nameless(own, print("s%d", i)));
        ck_assert_int_ne(status, MICA_OK);
        unauthorized += status == MICA_E_UNAUTHORIZED ? 1 : 0;
        if (i % 50 == 0) // good ones cause none, and are let in meanwhile
            TAKES(auth, nameless(key, print("s%d", i)));
        unit_sleep(1);
    }
    int most = 2 + (int)((clock_ms() - start) / 200);
    ck_assert_int_gt(atomic_load(&server.asked), 1);
    ck_assert_int_le(atomic_load(&server.asked), most + 1);
    ck_assert_int_gt(unauthorized, 0);
    mica_auth_close(&auth);
    shut();
    EVP_PKEY_free(key);
    EVP_PKEY_free(own);
}
END_TEST

START_TEST(known_tokens_cause_none)
{
    EVP_PKEY *key = generate(ED25519), *own = generate(ED25519);
    serve(NORMAL, jwk(key, "a"));
    struct mica_auth *auth = open_with(remote());
    for (int i = 0; i < 50; i++) {
        TAKES(auth, token(key, "a", print("s%d", i)));
        REFUSES(auth, token(own, "a", print("s%d", i)),
                "the token's signature is wrong");
        ck_assert_int_eq(ask(auth, "garbage"), MICA_E_UNAUTHORIZED);
        // Nor does an issuer that is not one of ours.
        ck_assert_int_eq(
            ask(auth, sign(own, "{\"alg\":\"EdDSA\",\"kid\":\"new\"}",
                           "{\"iss\":\"https://evil.example\",\"sub\":\"a\","
                           "\"aud\":\"x\",\"exp\":1}")),
            MICA_E_UNAUTHORIZED);
    }
    ck_assert_int_eq(atomic_load(&server.asked), 1);
    mica_auth_close(&auth);
    shut();
    EVP_PKEY_free(key);
    EVP_PKEY_free(own);
}
END_TEST

// ---- Servers that misbehave ------------------------------------------------------------

// Opens while the server misbehaves: its tokens get 503; once it is well they are
// let in; when it misbehaves again the keys serve on.
static void
misbehaves(enum mode mode, const char *why)
{
    EVP_PKEY *key = generate(ED25519);
    serve(mode, jwk(key, "a"));
    struct mica_auth_options options = remote();
    options.times.ttl_ms = 100;
    // What is not slow is refused as soon as it is seen.
    options.times.timeout_ms =
        mode == HANGING || mode == TRICKLE ? 700 : 60 * 1000;
    struct mica_auth *auth = open_with(options);
    ck_assert_int_eq(ask(auth, token(key, "a", "early")), MICA_E_BUSY);
    await_said(print("keys of " ISSUER
                     ": cannot be had; its tokens are refused: "
                     "http://127.0.0.1:%u/jwks: %s",
                     server.port, why));
    atomic_store(&server.mode, NORMAL);
    await_said("keys of " ISSUER ": are there again");
    TAKES(auth, token(key, "a", "early"));
    atomic_store(&server.mode, mode);
    await_said("cannot be had; the old ones serve on");
    TAKES(auth, token(key, "a", "early"));
    TAKES(auth, token(key, "a", "late"));
    mica_auth_close(&auth);
    shut();
    EVP_PKEY_free(key);
}

START_TEST(a_server_that_hangs_is_given_up)
{
    misbehaves(HANGING, "there was no answer in time");
}
END_TEST

START_TEST(a_server_that_trickles_is_given_up)
{
    misbehaves(TRICKLE, "there was no answer in time");
}
END_TEST

START_TEST(a_huge_answer_is_not_read)
{
    misbehaves(HUGE, "the answer is larger than 256 KiB");
}
END_TEST

START_TEST(an_answer_that_will_be_huge_is_not_read)
{
    misbehaves(DECLARED_HUGE, "the answer is larger than 256 KiB");
}
END_TEST

START_TEST(a_malformed_answer_is_refused)
{
    misbehaves(MALFORMED, "line 1, column 11");
}
END_TEST

START_TEST(an_empty_answer_is_refused)
{
    misbehaves(EMPTY, "line 1");
}
END_TEST

START_TEST(a_missing_set_is_refused)
{
    misbehaves(MISSING, "the answer has HTTP status 404, not 200");
}
END_TEST

START_TEST(a_redirection_is_not_followed)
{
    misbehaves(REDIRECTS, "the answer has HTTP status 302, not 200");
}
END_TEST

START_TEST(nobody_at_the_address_is_no_obstacle_to_starting)
{
    EVP_PKEY *key = generate(ED25519);
    serve(NORMAL, jwk(key, "a"));
    struct mica_auth_options options = remote();
    shut(); // no server listens on its port now
    struct mica_auth *auth = open_with(options);
    ck_assert_int_eq(ask(auth, token(key, "a", "")), MICA_E_BUSY);
    await_said("keys of " ISSUER ": cannot be had; its tokens are refused: "
               "http://127.0.0.1:");
    serve_on(server.port);
    await_said("are there again");
    TAKES(auth, token(key, "a", ""));
    mica_auth_close(&auth);
    shut();
    EVP_PKEY_free(key);
}
END_TEST

START_TEST(keys_that_are_too_old_are_dropped)
{
    EVP_PKEY *key = generate(ED25519);
    serve(NORMAL, jwk(key, "a"));
    struct mica_auth_options options = remote();
    options.times.ttl_ms = options.times.retry_ms = 100;
    options.times.stale_ms = 3000; // more than a thread ever stands still
    struct mica_auth *auth = open_with(options);
    const char *text = token(key, "a", "");
    TAKES(auth, text);
    atomic_store(&server.mode, MISSING);
    await_said("are too old and not used any more");
    ck_assert_int_eq(ask(auth, text), MICA_E_BUSY); // even what is remembered
    atomic_store(&server.mode, NORMAL);
    await_said("are there again");
    TAKES(auth, text);
    mica_auth_close(&auth);
    shut();
    EVP_PKEY_free(key);
}
END_TEST

START_TEST(nobody_waits_longer_than_they_want_to)
{
    EVP_PKEY *key = generate(ED25519), *own = generate(ED25519);
    serve(NORMAL, jwk(key, "a"));
    struct mica_auth_options options = remote();
    options.times.timeout_ms = UNIT_PATIENCE_MS;
    struct mica_auth *auth = open_with(options);
    atomic_store(&server.mode, HANGING);
    int64_t start = clock_ms();
    ck_assert_int_eq(ask_waiting(auth, token(own, "b", ""), 0), MICA_E_BUSY);
    // While the fetch hangs, known keys are served at once.
    for (int i = 0; i < 100; i++)
        TAKES(auth, token(key, "a", print("s%d", i)));
    ck_assert_int_eq(ask_waiting(auth, token(own, "b", ""), 0), MICA_E_BUSY);
    ck_assert_int_lt(clock_ms() - start, UNIT_PATIENCE_MS / 2);
    start = clock_ms();
    ck_assert_int_eq(ask_waiting(auth, token(own, "b", ""), 300), MICA_E_BUSY);
    int64_t took = clock_ms() - start;
    ck_assert_msg(took >= 290 && took < UNIT_PATIENCE_MS / 2, "%d ms",
                  (int)took);
    mica_auth_close(&auth);
    shut();
    EVP_PKEY_free(key);
    EVP_PKEY_free(own);
}
END_TEST

START_TEST(opening_and_closing_do_not_wait_for_a_server_that_hangs)
{
    EVP_PKEY *key = generate(ED25519);
    serve(HANGING, jwk(key, "a"));
    struct mica_auth_options options = remote();
    options.times.timeout_ms = UNIT_PATIENCE_MS;
    options.times.open_ms = 300;
    int64_t start = clock_ms();
    struct mica_auth *auth = open_with(options);
    ck_assert_int_lt(clock_ms() - start, UNIT_PATIENCE_MS / 2);
    start = clock_ms();
    mica_auth_close(&auth);
    ck_assert_int_lt(clock_ms() - start, UNIT_PATIENCE_MS / 2);
    ck_assert_str_eq(said.text, ""); // ending is no failure
    shut();
    EVP_PKEY_free(key);
}
END_TEST

// ---- Many at once ----------------------------------------------------------------------

struct crowd {
    struct mica_auth *auth;
    const char *texts[4]; // of key 0, of key 1, of an unknown key, garbage
    atomic_bool over;
    atomic_int let_in, kept_out;
};

static void *
press(void *data)
{
    struct crowd *crowd = data;
    struct mica_arena arena;
    mica_arena_init(&arena, 1 << 20);
    for (unsigned i = 0; !atomic_load(&crowd->over); i++) {
        struct mica_auth_principal who;
        struct mica_auth_refusal why;
        enum mica_status status =
            mica_auth_check(crowd->auth, mica_text(crowd->texts[i % 4]), 1, NOW,
                            i % 64 == 0 ? 5 : 0, &arena, &who, &why);
        UNIT_MUST(status != MICA_OK || i % 4 < 2, "a wrong token was let in");
        UNIT_MUST(status != MICA_OK || mica_text_is(who.party.subject, "ada"),
                  "another caller was let in");
        atomic_fetch_add(status == MICA_OK ? &crowd->let_in : &crowd->kept_out,
                         1);
        mica_arena_reset(&arena);
    }
    mica_arena_fini(&arena);
    return NULL;
}

START_TEST(many_threads_ask_while_keys_rotate)
{
    enum {
        THREADS = 4
    };
    EVP_PKEY *a = generate(ED25519), *b = generate(P_256),
             *own = generate(ED25519);
    const char *sets[] = {set(jwk(a, "a")), set(jwk(b, "b")),
                          set(print("%s,%s", jwk(a, "a"), jwk(b, "b")))};
    struct crowd crowd = {.texts = {print("Bearer %s", token(a, "a", "x")),
                                    print("Bearer %s", token(b, "b", "y")),
                                    print("Bearer %s", token(own, "a", "z")),
                                    "Bearer x.y.z"}};
    pthread_t threads[THREADS];
    serve(NORMAL, jwk(a, "a"));
    struct mica_auth_options options = remote();
    options.times.ttl_ms = options.times.retry_ms = 10;
    crowd.auth = open_with(options);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, press, &crowd), 0);
    int64_t start = clock_ms();
    for (int i = 0; i < 60 || (clock_ms() - start < UNIT_PATIENCE_MS &&
                               (atomic_load(&crowd.let_in) <= 100 ||
                                atomic_load(&crowd.kept_out) <= 100 ||
                                !has_said("have changed")));
         i++) {
        atomic_store(&server.body, sets[i % 3]);
        atomic_store(&server.mode, i % 10 == 9 ? MISSING : NORMAL);
        unit_sleep(20);
    }
    atomic_store(&crowd.over, true);
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join(threads[i], NULL);
    ck_assert_int_gt(atomic_load(&crowd.let_in), 100);
    ck_assert_int_gt(atomic_load(&crowd.kept_out), 100);
    ck_assert(has_said("have changed"));
    mica_auth_close(&crowd.auth);
    shut();
    EVP_PKEY_free(a);
    EVP_PKEY_free(b);
    EVP_PKEY_free(own);
}
END_TEST

UNIT_MAIN("auth_keys", keys_come_from_a_url,
          an_unknown_key_is_fetched_and_the_call_may_wait,
          a_token_that_names_no_key_is_as_good_after_a_rotation,
          a_token_that_names_no_key_is_let_in_once_there_is_one_key,
          a_key_that_is_gone_lets_nobody_in, a_key_file_is_read_again,
          unknown_keys_cause_few_fetches,
          tokens_that_name_no_key_cause_few_fetches, known_tokens_cause_none,
          a_server_that_hangs_is_given_up, a_server_that_trickles_is_given_up,
          a_huge_answer_is_not_read, an_answer_that_will_be_huge_is_not_read,
          a_malformed_answer_is_refused, an_empty_answer_is_refused,
          a_missing_set_is_refused, a_redirection_is_not_followed,
          nobody_at_the_address_is_no_obstacle_to_starting,
          keys_that_are_too_old_are_dropped,
          nobody_waits_longer_than_they_want_to,
          opening_and_closing_do_not_wait_for_a_server_that_hangs,
          many_threads_ask_while_keys_rotate)

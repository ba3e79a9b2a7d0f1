// SPDX-License-Identifier: Apache-2.0
//
// The table of logins. A login goes through these states:
//
//            put                 take               conclude
//     FREE -------> PENDING -----------> EXCHANGE -----------> ACTIVE <--+
//      ^               |  too late,         |  the issuer        | |     | conclude,
//      |               |  displaced         |  refuses           | |     | keep
//      +---------------+--------------------+--------------------+ |     |
//      |                         removed, expired, displaced       v     |
//      +--------------------------------------------------------- REFRESH
//                                the issuer refuses
#include "auth/login_table.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>

#define BIT(state) MICA_STATE_BIT(MICA_LOGIN_##state)

static const uint32_t login_moves[] = {
    [MICA_LOGIN_FREE] = BIT(PENDING),
    [MICA_LOGIN_PENDING] = BIT(EXCHANGE) | BIT(FREE),
    [MICA_LOGIN_EXCHANGE] = BIT(ACTIVE) | BIT(FREE),
    [MICA_LOGIN_ACTIVE] = BIT(REFRESH) | BIT(FREE),
    [MICA_LOGIN_REFRESH] = BIT(ACTIVE) | BIT(FREE)};

static const char *const login_names[] = {"FREE", "PENDING", "EXCHANGE",
                                          "ACTIVE", "REFRESH"};

const struct mica_states mica_login_states = {.namez = "login",
                                              .names = login_names,
                                              .moves = login_moves,
                                              .count = MICA_COUNT(login_moves)};

static void
login_move(struct mica_login *login, enum mica_login_state state)
{
#ifdef MICA_DEBUG
    mica_states_check(&mica_login_states, login->state, state, NULL);
#endif
    login->state = state;
}

bool
mica_login_table_init(struct mica_login_table *table)
{
    memset(table, 0, sizeof *table);
    table->has_lock = pthread_mutex_init(&table->lock, NULL) == 0;
    return table->has_lock;
}

// ---- Texts of a login ----------------------------------------------------------------

static void
login_wipe(struct mica_login *login) // LOGIN-5
{
    for (size_t i = 0; i < MICA_LOGIN_TEXTS; i++) {
        if (login->texts[i] != NULL)
            OPENSSL_cleanse(login->texts[i], login->sizes[i]);
        free(login->texts[i]);
        login->texts[i] = NULL;
        login->sizes[i] = 0;
    }
}

static bool
login_store(struct mica_login *login, const struct mica_text *texts,
            size_t count)
{
    login_wipe(login);
    for (size_t i = 0; i < count; i++) {
        if (texts[i].len == 0)
            continue;
        login->texts[i] = malloc(texts[i].len);
        if (login->texts[i] == NULL)
            return false;
        memcpy(login->texts[i], texts[i].ptr, texts[i].len);
        login->sizes[i] = texts[i].len;
    }
    return true;
}

static struct mica_text
login_text(const struct mica_login *login, size_t i, struct mica_arena *arena)
{
    return mica_arena_text(
        arena, (struct mica_text){login->texts[i], login->sizes[i]});
}

static bool
read_tokens(const struct mica_login *login, struct mica_arena *arena,
            struct mica_login_tokens *out)
{
    *out =
        (struct mica_login_tokens){.subject = login_text(login, 0, arena),
                                   .name = login_text(login, 1, arena),
                                   .authorization = login_text(login, 2, arena),
                                   .refresh = login_text(login, 3, arena),
                                   .id_token = login_text(login, 4, arena),
                                   .expires_ms = login->token_ms};
    return !arena->overflow;
}

static bool
store_tokens(struct mica_login *login, const struct mica_login_tokens *tokens)
{
    const struct mica_text texts[MICA_LOGIN_TEXTS] = {
        tokens->subject, tokens->name, tokens->authorization, tokens->refresh,
        tokens->id_token};

    login->token_ms = tokens->expires_ms;
    return login_store(login, texts, MICA_LOGIN_TEXTS);
}

// ---- Finding, with the lock held -------------------------------------------------------

static void
login_free(struct mica_login *login)
{
    login_move(login, MICA_LOGIN_FREE);
    login_wipe(login);
    memset(login->digest, 0, sizeof login->digest);
}

// Frees what has had its time; only in states that no thread works in (LOGIN-4).
static void
table_sweep(struct mica_login_table *table, int64_t now_ms)
{
    for (size_t i = 0; i < MICA_COUNT(table->logins); i++) {
        struct mica_login *login = &table->logins[i];
        bool rests = login->state == MICA_LOGIN_PENDING ||
                     login->state == MICA_LOGIN_ACTIVE;
        bool spent = login->state == MICA_LOGIN_ACTIVE &&
                     login->sizes[3] == 0 && now_ms >= login->token_ms;
        if (rests && (spent || now_ms >= login->ends_ms))
            login_free(login);
    }
}

static size_t
table_count(const struct mica_login_table *table, bool pending)
{
    size_t count = 0;

    for (size_t i = 0; i < MICA_COUNT(table->logins); i++) {
        enum mica_login_state state = table->logins[i].state;
        count += state != MICA_LOGIN_FREE &&
                 (state == MICA_LOGIN_PENDING) == pending;
    }
    return count;
}

static struct mica_login *
table_find(struct mica_login_table *table, enum mica_login_state state,
           const unsigned char digest[MICA_DIGEST_BYTES], int64_t now_ms)
{
    for (size_t i = 0; i < MICA_COUNT(table->logins); i++) {
        struct mica_login *login = &table->logins[i];
        if (login->state == state && now_ms < login->ends_ms &&
            memcmp(login->digest, digest, MICA_DIGEST_BYTES) == 0)
            return login;
    }
    return NULL;
}

// The login in that state that was used least lately; of one person unless `subject` is
// empty. `count_out` is how many there are.
static struct mica_login *
table_oldest(struct mica_login_table *table, enum mica_login_state state,
             struct mica_text subject, size_t *count_out)
{
    struct mica_login *oldest = NULL;

    *count_out = 0;
    for (size_t i = 0; i < MICA_COUNT(table->logins); i++) {
        struct mica_login *login = &table->logins[i];
        struct mica_text own = {login->texts[0], login->sizes[0]};
        if (login->state != state ||
            (subject.len > 0 && !mica_text_equal(own, subject)))
            continue;
        ++*count_out;
        if (oldest == NULL || login->used_ms < oldest->used_ms)
            oldest = login;
    }
    return oldest;
}

// ---- A pending login -----------------------------------------------------------------

// As a login has it: cut, or with zeros behind it.
static void
party_copy(struct mica_text party, unsigned char out[MICA_LOGIN_PARTY_BYTES])
{
    size_t size =
        party.len < MICA_LOGIN_PARTY_BYTES ? party.len : MICA_LOGIN_PARTY_BYTES;

    memset(out, 0, MICA_LOGIN_PARTY_BYTES);
    if (size > 0)
        memcpy(out, party.ptr, size);
}

// The oldest pending login of a party that has as many as one may have, or NULL.
static struct mica_login *
table_surplus(struct mica_login_table *table, struct mica_text party)
{
    unsigned char own[MICA_LOGIN_PARTY_BYTES];
    struct mica_login *oldest = NULL;
    size_t count = 0;

    party_copy(party, own);
    for (size_t i = 0; i < MICA_COUNT(table->logins); i++) {
        struct mica_login *login = &table->logins[i];
        if (login->state != MICA_LOGIN_PENDING ||
            memcmp(login->party, own, sizeof own) != 0)
            continue;
        count++;
        if (oldest == NULL || login->used_ms < oldest->used_ms)
            oldest = login;
    }
    return count >= MICA_LOGINS_PENDING_OF_ONE ? oldest : NULL;
}

static struct mica_login *
table_place(struct mica_login_table *table, struct mica_text party,
            int64_t now_ms)
{
    size_t count;
    struct mica_login *oldest, *surplus;

    table_sweep(table, now_ms);
    surplus = table_surplus(table, party);
    oldest = table_oldest(table, MICA_LOGIN_PENDING,
                          (struct mica_text){NULL, 0}, &count);
    if (surplus != NULL)
        oldest = surplus;
    if (count >= MICA_LOGINS_PENDING || surplus != NULL) {
        login_free(oldest);
        table->counts.failed++;
        return oldest;
    }
    for (size_t i = 0; i < MICA_COUNT(table->logins); i++)
        if (table->logins[i].state == MICA_LOGIN_FREE)
            return &table->logins[i];
    return NULL;
}

bool
mica_login_put(struct mica_login_table *table,
               const unsigned char digest[MICA_DIGEST_BYTES],
               const struct mica_login_pending *pending, int64_t now_ms)
{
    const struct mica_text texts[] = {pending->target, pending->state,
                                      pending->verifier, pending->nonce};
    bool good = false;

    (void)pthread_mutex_lock(&table->lock);
    struct mica_login *login = table_place(table, pending->party, now_ms);
    if (login != NULL && login_store(login, texts, MICA_COUNT(texts))) {
        login_move(login, MICA_LOGIN_PENDING);
        memcpy(login->digest, digest, MICA_DIGEST_BYTES);
        party_copy(pending->party, login->party);
        login->ends_ms = now_ms + INT64_C(1000) * MICA_LOGIN_PENDING_S;
        login->used_ms = now_ms;
        good = true;
    } else if (login != NULL) {
        login_wipe(login);
    }
    (void)pthread_mutex_unlock(&table->lock);
    return good;
}

// With the lock held.
static enum mica_status
table_take(struct mica_login_table *table, struct mica_login *login,
           struct mica_text state, struct mica_arena *arena,
           struct mica_login_pending *out)
{
    if (login == NULL || state.len == 0 || login->sizes[1] != state.len ||
        CRYPTO_memcmp(login->texts[1], state.ptr, state.len) != 0)
        return MICA_E_LOGIN_STATE;
    *out = (struct mica_login_pending){.target = login_text(login, 0, arena),
                                       .state = login_text(login, 1, arena),
                                       .verifier = login_text(login, 2, arena),
                                       .nonce = login_text(login, 3, arena)};
    if (table_count(table, false) >= MICA_LOGINS || arena->overflow) {
        login_free(login);
        table->counts.refused++;
        return arena->overflow ? MICA_E_LIMIT : MICA_E_LOGINS;
    }
    login_move(login, MICA_LOGIN_EXCHANGE); // LOGIN-2
    login_wipe(login);
    return MICA_OK;
}

enum mica_status
mica_login_take(struct mica_login_table *table,
                const unsigned char digest[MICA_DIGEST_BYTES],
                struct mica_text state, int64_t now_ms,
                struct mica_arena *arena, struct mica_login **login_out,
                struct mica_login_pending *pending_out)
{
    (void)pthread_mutex_lock(&table->lock);
    table_sweep(table, now_ms);
    struct mica_login *login =
        table_find(table, MICA_LOGIN_PENDING, digest, now_ms);
    enum mica_status status =
        table_take(table, login, state, arena, pending_out);
    (void)pthread_mutex_unlock(&table->lock);
    *login_out = status == MICA_OK ? login : NULL;
    return status;
}

// ---- An open login -------------------------------------------------------------------

// With the lock held: makes room for one more login of that person.
static void
table_bound(struct mica_login_table *table, struct mica_text subject)
{
    size_t count;
    struct mica_login *oldest =
        table_oldest(table, MICA_LOGIN_ACTIVE, subject, &count);

    if (count >= MICA_LOGINS_OF_ONE) {
        login_free(oldest);
        table->counts.ended++;
    }
}

bool
mica_login_conclude(struct mica_login_table *table, struct mica_login *login,
                    const struct mica_login_tokens *tokens,
                    const unsigned char *digest, int64_t now_ms,
                    int64_t ends_ms)
{
    bool good = false;

    (void)pthread_mutex_lock(&table->lock);
    if (tokens != NULL && digest != NULL)
        table_bound(table, tokens->subject);
    if (tokens != NULL && store_tokens(login, tokens)) {
        login_move(login, MICA_LOGIN_ACTIVE);
        if (digest != NULL) // LOGIN-3
            memcpy(login->digest, digest, MICA_DIGEST_BYTES);
        if (ends_ms != 0)
            login->ends_ms = ends_ms;
        login->used_ms = now_ms;
        good = true;
    } else {
        login_free(login);
    }
    (void)pthread_mutex_unlock(&table->lock);
    return good;
}

void
mica_login_keep(struct mica_login_table *table, struct mica_login *login)
{
    (void)pthread_mutex_lock(&table->lock);
    login_move(login, MICA_LOGIN_ACTIVE);
    (void)pthread_mutex_unlock(&table->lock);
}

bool
mica_login_find(struct mica_login_table *table,
                const unsigned char digest[MICA_DIGEST_BYTES], int64_t now_ms,
                struct mica_arena *arena, struct mica_login_tokens *tokens_out)
{
    (void)pthread_mutex_lock(&table->lock);
    struct mica_login *login =
        table_find(table, MICA_LOGIN_ACTIVE, digest, now_ms);
    if (login == NULL) // as it was before its refreshment
        login = table_find(table, MICA_LOGIN_REFRESH, digest, now_ms);
    bool found = login != NULL && read_tokens(login, arena, tokens_out);
    if (found)
        login->used_ms = now_ms;
    (void)pthread_mutex_unlock(&table->lock);
    return found;
}

struct mica_login *
mica_login_claim(struct mica_login_table *table,
                 const unsigned char digest[MICA_DIGEST_BYTES], int64_t now_ms,
                 struct mica_arena *arena, struct mica_login_tokens *tokens_out)
{
    (void)pthread_mutex_lock(&table->lock);
    struct mica_login *login =
        table_find(table, MICA_LOGIN_ACTIVE, digest, now_ms);
    if (login != NULL && read_tokens(login, arena, tokens_out))
        login_move(login, MICA_LOGIN_REFRESH);
    else
        login = NULL;
    (void)pthread_mutex_unlock(&table->lock);
    return login;
}

bool
mica_login_remove(struct mica_login_table *table,
                  const unsigned char digest[MICA_DIGEST_BYTES], int64_t now_ms,
                  struct mica_arena *arena,
                  struct mica_login_tokens *tokens_out)
{
    (void)pthread_mutex_lock(&table->lock);
    struct mica_login *login =
        table_find(table, MICA_LOGIN_ACTIVE, digest, now_ms);
    if (login != NULL) {
        (void)read_tokens(login, arena, tokens_out);
        login_free(login);
        table->counts.ended++;
    }
    (void)pthread_mutex_unlock(&table->lock);
    return login != NULL;
}

// ---- Counts and the end --------------------------------------------------------------

void
mica_login_count(struct mica_login_table *table, uint64_t *count)
{
    (void)pthread_mutex_lock(&table->lock);
    ++*count;
    (void)pthread_mutex_unlock(&table->lock);
}

struct mica_login_counts
mica_login_table_counts(struct mica_login_table *table)
{
    struct mica_login_counts counts;

    (void)pthread_mutex_lock(&table->lock);
    counts = table->counts;
    counts.open = table_count(table, false);
    counts.pending = table_count(table, true);
    (void)pthread_mutex_unlock(&table->lock);
    return counts;
}

void
mica_login_table_fini(struct mica_login_table *table)
{
    for (size_t i = 0; i < MICA_COUNT(table->logins); i++)
        login_wipe(&table->logins[i]);
    if (table->has_lock)
        (void)pthread_mutex_destroy(&table->lock);
    memset(table, 0, sizeof *table);
}

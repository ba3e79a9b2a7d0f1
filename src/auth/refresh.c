// SPDX-License-Identifier: Apache-2.0
//
// Keeps the keys fresh: one thread fetches each source when its time has come or
// a token asked for it, and exchanges the keys if they are others. A source that
// fails keeps its keys for a day; a token never waits for a fetch unless its
// caller says how long.
#include "auth/state.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "auth/fetch.h"
#include "platform/clock.h"

static uint64_t
clock_ms(void)
{
    return mica_clock_ns() / 1000000u;
}

static struct timespec
refresh_moment(uint64_t ms)
{
    return (struct timespec){.tv_sec = (time_t)(ms / 1000),
                             .tv_nsec = (long)(ms % 1000) * 1000000};
}

static void
state_lock(struct mica_auth_state *state)
{
    (void)pthread_mutex_lock(&state->lock);
}

static void
state_unlock(struct mica_auth_state *state)
{
    (void)pthread_mutex_unlock(&state->lock);
}

// ---- Holding (KEYS-1) ----------------------------------------------------------

// With the lock held: keys to free without it, or NULL.
static struct mica_keys *
let_go(struct mica_keys *keys)
{
    return keys != NULL && --keys->holders == 0 ? keys : NULL;
}

struct mica_keys *
mica_source_hold(struct mica_auth_state *state, struct mica_source *source)
{
    state_lock(state);
    struct mica_keys *keys = source->keys;
    if (keys != NULL)
        keys->holders++;
    state_unlock(state);
    return keys;
}

void
mica_source_release(struct mica_auth_state *state, struct mica_keys *keys)
{
    state_lock(state);
    keys = let_go(keys);
    state_unlock(state);
    mica_keys_free(keys);
}

// ---- One fetch -----------------------------------------------------------------

static void
state_tell(const struct mica_auth_state *state,
           const struct mica_source *source, const char *what, const char *why)
{
    const struct mica_auth_options *options = state->options;
    struct mica_buffer line;

    if (options->report == NULL)
        return;
    mica_buffer_init(&line, NULL, 4096);
    mica_buffer_format(&line, "keys of %.*s: %s%s%s", MICA_ARG(source->issuer),
                       what, why[0] != '\0' ? ": " : "", why);
    mica_buffer_char(&line, '\0');
    if (!line.overflow)
        options->report(options->user, line.ptr);
    mica_buffer_fini(&line);
}

// With the lock held: gives the source these keys, or none.
static struct mica_keys *
state_exchange(struct mica_auth_state *state, struct mica_source *source,
               struct mica_keys *keys)
{
    struct mica_keys *old = source->keys;

    if (keys != NULL)
        keys->holders = 1;
    source->keys = keys;
    atomic_fetch_add(&state->generation, 1); // KEYS-2
    return let_go(old);
}

static enum mica_status
state_fetch(struct mica_auth_state *state, const struct mica_source *source,
            struct mica_buffer *text, struct mica_error *error)
{
    enum mica_status status =
        source->is_url ? mica_fetch_url(source->jwksz, state->times.timeout_ms,
                                        &state->stopping, text, error)
                       : mica_fetch_file(source->jwksz, text, error);

    if (status == MICA_OK && text->overflow)
        status = mica_error_set(error, MICA_E_LIMIT, "", "there is no memory");
    return status;
}

// The set that was fetched. The same bytes as before need not be read again.
static enum mica_status
state_succeed(struct mica_auth_state *state, struct mica_source *source,
              struct mica_text text, struct mica_error *error)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    struct mica_keys *keys = NULL, *old = NULL;

    if (EVP_Digest(text.ptr, text.len, digest, NULL, state->sha256, NULL) != 1)
        return mica_error_set(error, MICA_E_INTERNAL, "", "SHA-256 failed");
    // Only this thread changes keys and digest.
    bool same = source->keys != NULL &&
                memcmp(digest, source->digest, MICA_DIGEST_BYTES) == 0;
    if (!same)
        MICA_TRY(mica_keys_read(text, error, &keys));
    bool first = source->good_ms == 0, failing = source->failing;
    state_lock(state);
    if (!same) {
        memcpy(source->digest, digest, MICA_DIGEST_BYTES);
        old = state_exchange(state, source, keys);
    }
    source->good_ms = clock_ms();
    source->due_ms = source->good_ms + state->times.ttl_ms;
    source->failing = false;
    state_unlock(state);
    mica_keys_free(old);
    if (failing)
        state_tell(state, source, "are there again", "");
    else if (!same && !first)
        state_tell(state, source, "have changed", "");
    return MICA_OK;
}

static void
state_fail(struct mica_auth_state *state, struct mica_source *source,
           const struct mica_error *error)
{
    uint64_t now = clock_ms();
    struct mica_keys *old = NULL;
    bool first = !source->failing;

    state_lock(state);
    bool stale =
        source->keys != NULL && now - source->good_ms > state->times.stale_ms;
    if (stale)
        old = state_exchange(state, source, NULL);
    source->due_ms = now + state->times.retry_ms;
    source->failing = true;
    state_unlock(state);
    mica_keys_free(old);
    if (stale)
        state_tell(state, source, "are too old and not used any more",
                   error->message);
    else if (first)
        state_tell(state, source,
                   source->keys != NULL
                       ? "cannot be had; the old ones serve on"
                       : "cannot be had; its tokens are refused",
                   error->message);
}

enum mica_status
mica_refresh_now(struct mica_auth_state *state, struct mica_source *source,
                 struct mica_error *error)
{
    struct mica_buffer text;
    enum mica_status status;

    mica_buffer_init(&text, NULL, MICA_AUTH_JWKS_BYTES);
    status = state_fetch(state, source, &text, error);
    if (status == MICA_OK)
        status =
            state_succeed(state, source, mica_buffer_as_text(&text), error);
    mica_buffer_fini(&text);
    if (status != MICA_OK) {
        mica_error_prefix(error, "%s", source->jwksz);
        if (!atomic_load(&state->stopping))
            state_fail(state, source, error);
    }
    state_lock(state);
    source->tries++;
    source->fetching = false;
    (void)pthread_cond_broadcast(&state->changed);
    state_unlock(state);
    return status;
}

// ---- The thread ----------------------------------------------------------------

// With the lock held: a source whose time has come, now being fetched; or NULL,
// and when the next one's comes.
static struct mica_source *
state_next(struct mica_auth_state *state, uint64_t *when_out)
{
    uint64_t now = clock_ms();

    *when_out = UINT64_MAX;
    for (size_t i = 0; i < state->source_count; i++) {
        struct mica_source *source = &state->sources[i];
        if (source->wanted || source->due_ms <= now) {
            source->wanted = false;
            source->fetching = true;
            return source;
        }
        if (source->due_ms < *when_out)
            *when_out = source->due_ms;
    }
    return NULL;
}

static void *
keys_refresh(void *data)
{
    struct mica_auth_state *state = data;

    state_lock(state);
    while (!atomic_load(&state->stopping)) {
        uint64_t when;
        struct mica_error error;
        struct mica_source *source = state_next(state, &when);
        if (source == NULL) {
            struct timespec until = refresh_moment(when);
            (void)pthread_cond_timedwait(&state->changed, &state->lock, &until);
            continue;
        }
        state_unlock(state);
        (void)mica_refresh_now(state, source, &error);
        state_lock(state);
    }
    state_unlock(state);
    return NULL;
}

// With the lock held: each URL was tried.
static bool
all_tried(const struct mica_auth_state *state)
{
    for (size_t i = 0; i < state->source_count; i++)
        if (state->sources[i].tries == 0)
            return false;
    return true;
}

enum mica_status
mica_refresh_start(struct mica_auth_state *state, struct mica_error *error)
{
    sigset_t all, before;

    // Signals are for the program's own threads.
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(&state->thread, NULL, keys_refresh, state);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure != 0)
        return mica_error_set(error, MICA_E_IO, "",
                              "The thread that fetches keys did not start "
                              "(error %d). Check the limit on threads "
                              "(ulimit -u).",
                              failure);
    state->has_thread = true;
    (void)pthread_setname_np(state->thread, "mica-auth");
    struct timespec until = refresh_moment(clock_ms() + state->times.open_ms);
    state_lock(state);
    while (!all_tried(state) &&
           pthread_cond_timedwait(&state->changed, &state->lock, &until) !=
               ETIMEDOUT)
        continue;
    state_unlock(state);
    return MICA_OK;
}

void
mica_refresh_stop(struct mica_auth_state *state)
{
    if (!state->has_thread)
        return;
    state_lock(state);
    atomic_store(&state->stopping, true);
    (void)pthread_cond_broadcast(&state->changed);
    state_unlock(state);
    (void)pthread_join(state->thread, NULL);
    state->has_thread = false;
}

// ---- On demand -----------------------------------------------------------------

// With the lock held: asks the thread, unless it was asked a short while ago.
static bool
state_ask(struct mica_auth_state *state, struct mica_source *source)
{
    uint64_t now = clock_ms();

    if (source->wanted || source->fetching)
        return true;
    if (source->ever_wanted && now - source->wanted_ms < state->times.retry_ms)
        return false;
    source->wanted = source->ever_wanted = true;
    source->wanted_ms = now;
    (void)pthread_cond_broadcast(&state->changed);
    return true;
}

enum mica_wanted
mica_source_want(struct mica_auth_state *state, struct mica_source *source,
                 unsigned wait_ms)
{
    struct timespec until = refresh_moment(clock_ms() + wait_ms);
    enum mica_wanted answer = MICA_WANTED_TOO_SOON;

    state_lock(state);
    uint64_t tries = source->tries;
    if (state_ask(state, source)) {
        while (wait_ms > 0 && source->tries == tries &&
               pthread_cond_timedwait(&state->changed, &state->lock, &until) !=
                   ETIMEDOUT)
            continue;
        answer =
            source->tries != tries ? MICA_WANTED_DONE : MICA_WANTED_PENDING;
    }
    state_unlock(state);
    return answer;
}

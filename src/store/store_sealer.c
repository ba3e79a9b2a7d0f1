// SPDX-License-Identifier: Apache-2.0
//
// XChaCha20-Poly1305 with random nonces: 192 bits, so that no nonce occurs twice in any number
// of processes. The sealer caches keys, so that it seals without the store. Every invalid text
// gets the same error.
#include "store/store_sealer.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"
#include "store/store_keys.h"

enum {
    VERSION = 1,
    NONCE = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
    TAG = crypto_aead_xchacha20poly1305_ietf_ABYTES,
    HEAD = 1 + 4 + NONCE,
    RAW_BYTES = MICA_SEALED_BYTES / 4 * 3,
    KEYS = 8,      // in the cache
    ASK_MS = 5000, // between two reads of the newest key from the store
    CURRENT_MS =
        60 * 1000 // for which the newest key counts as the newest, at most
};

struct mica_store_sealer {
    struct mica_store *store;
    pthread_mutex_t lock; // guards the members below; not held during a read
    struct mica_store_key keys[KEYS];
    unsigned replaced;
    uint32_t current; // number of the key that seals; 0: not read yet
    int64_t current_since;
    int64_t current_ms;   // for how long it counts as the newest
    int64_t asked;        // when a thread began to read the newest key
    uint64_t taken_count; // how often `current` was set
};

_Static_assert(sizeof((struct mica_store_key){0}.secret) ==
                   crypto_aead_xchacha20poly1305_ietf_KEYBYTES,
               "a key of the store fits the cipher");

enum mica_status
mica_store_sealer_open(struct mica_store *store, struct mica_error *error,
                       struct mica_store_sealer **sealer_out)
{
    struct mica_store_sealer *sealer = calloc(1, sizeof *sealer);

    if (sealer == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "No memory is left.");
    sealer->store = store;
    // Another process may make a key just after this one has read the newest: until the next
    // read this process seals with the old key, which must open those texts long enough.
    sealer->current_ms = store->limits.key_overlap_ms / 2;
    if (sealer->current_ms > CURRENT_MS)
        sealer->current_ms = CURRENT_MS;
    pthread_mutex_init(&sealer->lock, NULL);
    *sealer_out = sealer;
    return MICA_OK;
}

void
mica_store_sealer_close(struct mica_store_sealer **sealer)
{
    if (*sealer == NULL)
        return;
    pthread_mutex_destroy(&(*sealer)->lock);
    sodium_memzero(*sealer, sizeof **sealer);
    free(*sealer);
    *sealer = NULL;
}

// ---- Keys ----------------------------------------------------------------------

// With the lock held. Returns NULL if the key is not in the cache.
static struct mica_store_key *
kept_key(struct mica_store_sealer *sealer, uint32_t id)
{
    for (unsigned i = 0; i < KEYS; i++) {
        if (sealer->keys[i].id == id && id != 0)
            return &sealer->keys[i];
    }
    return NULL;
}

static void
keep_key(struct mica_store_sealer *sealer, const struct mica_store_key *key)
{
    struct mica_store_key *place = kept_key(sealer, key->id);

    if (place == NULL)
        place = &sealer->keys[sealer->replaced++ % KEYS];
    *place = *key;
}

// With the lock held: is this the key that seals, and read recently enough?
static bool
is_current(const struct mica_store_sealer *sealer, uint32_t id, int64_t now)
{
    return id == sealer->current && now >= sealer->current_since &&
           now - sealer->current_since < sealer->current_ms;
}

// Makes a key the current one, unless another thread has set one since `taken_count` was read:
// that key may be newer.
static void
set_current(struct mica_store_sealer *sealer, uint64_t taken_count,
            const struct mica_store_key *key, int64_t now)
{
    pthread_mutex_lock(&sealer->lock);
    if (sealer->taken_count == taken_count) {
        keep_key(sealer, key);
        sealer->current = key->id;
        sealer->current_since = now;
        sealer->taken_count++;
    }
    pthread_mutex_unlock(&sealer->lock);
}

// With the lock held: is half of the current key's time over, and has no thread read the newest
// key lately?
static bool
is_due(const struct mica_store_sealer *sealer, int64_t now)
{
    return now - sealer->current_since >= sealer->current_ms / 2 &&
           (now < sealer->asked || now - sealer->asked >= ASK_MS);
}

// The key that seals, for a while from the cache. One thread reads the newest key before the
// current one is too old; if that fails, the current one still seals.
static enum mica_status
current_key(struct mica_store_sealer *sealer, int64_t now,
            struct mica_error *error, struct mica_store_key *key_out)
{
    const struct mica_store_key *kept;
    struct mica_store_key found;
    enum mica_status status;
    uint64_t taken_count;
    bool fresh, due;

    pthread_mutex_lock(&sealer->lock);
    taken_count = sealer->taken_count;
    kept = kept_key(sealer, sealer->current);
    fresh = kept != NULL && is_current(sealer, kept->id, now);
    due = !fresh || is_due(sealer, now);
    if (due)
        sealer->asked = now;
    if (fresh)
        *key_out = *kept;
    pthread_mutex_unlock(&sealer->lock);
    if (!due)
        return MICA_OK;
    status = mica_store_key_current(sealer->store, now, error, &found);
    if (status != MICA_OK)
        return fresh ? MICA_OK : status;
    *key_out = found;
    set_current(sealer, taken_count, key_out, now);
    return MICA_OK;
}

// Is the cached key still valid? A read returns when a key retires. The newest key has no such
// time until a newer one exists, so the sealer reads it again after a while.
static bool
is_known(const struct mica_store_sealer *sealer,
         const struct mica_store_key *key, int64_t now)
{
    return key->retires != INT64_MAX || is_current(sealer, key->id, now);
}

static enum mica_status
key_of(struct mica_store_sealer *sealer, uint32_t id, int64_t now,
       struct mica_error *error, struct mica_store_key *key_out)
{
    const struct mica_store_key *kept;
    bool known;

    pthread_mutex_lock(&sealer->lock);
    kept = kept_key(sealer, id);
    known = kept != NULL && is_known(sealer, kept, now);
    if (known)
        *key_out = *kept;
    pthread_mutex_unlock(&sealer->lock);
    if (known && key_out->retires <= now)
        return MICA_E_NOT_FOUND;
    if (known)
        return MICA_OK;
    MICA_TRY(mica_store_key_find(sealer->store, id, now, error, key_out));
    pthread_mutex_lock(&sealer->lock);
    keep_key(sealer, key_out);
    pthread_mutex_unlock(&sealer->lock);
    return MICA_OK;
}

// libsodium 1.0.18 reads a byte above ASCII as '_' where char is signed.
static bool
is_alphabet(struct mica_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (!(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') &&
            !(c >= '0' && c <= '9') && c != '-' && c != '_')
            return false;
    }
    return true;
}

// The number of the key in the head of a sealed text; 0: it has no head.
static uint32_t
text_key(struct mica_text text)
{
    unsigned char head[6];
    size_t size = 0;

    if (text.len < 8 || !is_alphabet(mica_text_slice(text, 0, 8)) ||
        sodium_base642bin(head, sizeof head, text.ptr, 8, NULL, &size, NULL,
                          sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0 ||
        size != sizeof head)
        return 0;
    return (uint32_t)head[1] << 24 | (uint32_t)head[2] << 16 |
           (uint32_t)head[3] << 8 | head[4];
}

static bool
is_ready(void *user, int64_t now, struct mica_text text)
{
    struct mica_store_sealer *sealer = user;
    uint32_t id = text_key(text);
    const struct mica_store_key *kept;
    bool ready;

    if (text.len > 0 && id == 0)
        return true; // an invalid text is refused without a key
    pthread_mutex_lock(&sealer->lock);
    kept = kept_key(sealer, text.len > 0 ? id : sealer->current);
    ready = kept != NULL && (text.len > 0 ? is_known(sealer, kept, now)
                                          : is_current(sealer, kept->id, now) &&
                                                !is_due(sealer, now));
    pthread_mutex_unlock(&sealer->lock);
    return ready;
}

// ---- Seal ----------------------------------------------------------------------

// The bytes that the tag authenticates beside the plain bytes: the head, then `bound`.
static enum mica_status
bytes_join(const unsigned char head[HEAD], struct mica_text bound,
           struct mica_buffer *joined, struct mica_error *error)
{
    mica_buffer_init(joined, NULL, HEAD + bound.len);
    mica_buffer_add(joined, head, HEAD);
    mica_buffer_text(joined, bound);
    return joined->overflow
               ? mica_error_set(error, MICA_E_LIMIT, "", "No memory is left.")
               : MICA_OK;
}

static void
write_head(uint32_t key, unsigned char head[HEAD])
{
    head[0] = VERSION;
    head[1] = (unsigned char)(key >> 24);
    head[2] = (unsigned char)(key >> 16);
    head[3] = (unsigned char)(key >> 8);
    head[4] = (unsigned char)key;
    randombytes_buf(head + 5, NONCE);
}

static enum mica_status
write_text(const unsigned char *raw, size_t size, struct mica_buffer *text,
           struct mica_error *error)
{
    size_t room = sodium_base64_ENCODED_LEN(
        size, sodium_base64_VARIANT_URLSAFE_NO_PADDING); // with a NUL
    char *out = mica_buffer_reserve(text, room);

    if (out == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "There is no room for a sealed text of %zu "
                              "bytes.",
                              room - 1);
    (void)sodium_bin2base64(out, room, raw, size,
                            sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    text->len += room - 1;
    return MICA_OK;
}

static enum mica_status
store_key_encrypt(const struct mica_store_key *key, struct mica_text plain,
                  struct mica_text bound, unsigned char *raw,
                  struct mica_error *error)
{
    struct mica_buffer joined;
    enum mica_status status;

    write_head(key->id, raw);
    status = bytes_join(raw, bound, &joined, error);
    if (status == MICA_OK)
        (void)crypto_aead_xchacha20poly1305_ietf_encrypt(
            raw + HEAD, NULL, (const unsigned char *)plain.ptr, plain.len,
            (const unsigned char *)joined.ptr, joined.len, NULL, raw + 5,
            key->secret);
    mica_buffer_fini(&joined);
    return status;
}

static enum mica_status
store_sealer_seal(void *user, int64_t now, struct mica_text plain,
                  struct mica_text bound, struct mica_error *error,
                  struct mica_buffer *text_out)
{
    struct mica_store_key key;
    enum mica_status status;
    unsigned char *raw;

    if (plain.len > RAW_BYTES - HEAD - TAG)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "%zu bytes are too many to seal; %d can be.",
                              plain.len, RAW_BYTES - HEAD - TAG);
    MICA_TRY(current_key(user, now, error, &key));
    raw = malloc(HEAD + plain.len + TAG);
    status = raw != NULL ? store_key_encrypt(&key, plain, bound, raw, error)
                         : mica_error_set(error, MICA_E_LIMIT, "",
                                          "No memory is left.");
    if (status == MICA_OK)
        status = write_text(raw, HEAD + plain.len + TAG, text_out, error);
    sodium_memzero(&key, sizeof key);
    free(raw);
    return status;
}

// ---- Open ----------------------------------------------------------------------

static enum mica_status
store_sealer_refuse(struct mica_error *error)
{
    return mica_error_set(error, MICA_E_FORMAT, "",
                          "The text was not made by this server, was changed, "
                          "is for something else, or is too old. Begin anew "
                          "without it.");
}

static enum mica_status
store_sealer_decrypt(struct mica_store_sealer *sealer, const unsigned char *raw,
                     size_t size, int64_t now, struct mica_text bound,
                     struct mica_error *error, char *plain)
{
    uint32_t id = (uint32_t)raw[1] << 24 | (uint32_t)raw[2] << 16 |
                  (uint32_t)raw[3] << 8 | raw[4];
    struct mica_store_key key;
    struct mica_buffer joined;
    enum mica_status status = key_of(sealer, id, now, error, &key);

    if (status == MICA_E_NOT_FOUND)
        return store_sealer_refuse(error);
    MICA_TRY(status);
    status = bytes_join(raw, bound, &joined, error);
    if (status == MICA_OK && crypto_aead_xchacha20poly1305_ietf_decrypt(
                                 (unsigned char *)plain, NULL, NULL, raw + HEAD,
                                 size - HEAD, (const unsigned char *)joined.ptr,
                                 joined.len, raw + 5, key.secret) != 0)
        status = store_sealer_refuse(error);
    mica_buffer_fini(&joined);
    sodium_memzero(&key, sizeof key);
    return status;
}

static enum mica_status
open_raw(struct mica_store_sealer *sealer, const unsigned char *raw,
         size_t size, int64_t now, struct mica_text bound,
         struct mica_error *error, struct mica_buffer *plain_out)
{
    char *plain;

    if (size < HEAD + TAG || raw[0] != VERSION)
        return store_sealer_refuse(error);
    plain = mica_buffer_reserve(plain_out, size - HEAD - TAG);
    if (plain == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "There is no room for %zu bytes that were "
                              "sealed.",
                              size - HEAD - TAG);
    MICA_TRY(store_sealer_decrypt(sealer, raw, size, now, bound, error, plain));
    plain_out->len += size - HEAD - TAG;
    return MICA_OK;
}

// Checks the length first, then the whole text, then the key, then the tag.
static enum mica_status
open_text(void *user, int64_t now, struct mica_text text,
          struct mica_text bound, struct mica_error *error,
          struct mica_buffer *plain_out)
{
    enum mica_status status;
    unsigned char *raw;
    size_t size;

    if (text.len == 0 || text.len > MICA_SEALED_BYTES || !is_alphabet(text))
        return store_sealer_refuse(error);
    raw = malloc(text.len);
    if (raw == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "No memory is left.");
    // Without an end pointer libsodium fails unless it can decode the whole text.
    if (sodium_base642bin(raw, text.len, text.ptr, text.len, NULL, &size, NULL,
                          sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0)
        status = store_sealer_refuse(error);
    else
        status = open_raw(user, raw, size, now, bound, error, plain_out);
    free(raw);
    return status;
}

struct mica_sealer
mica_store_sealer(struct mica_store_sealer *sealer)
{
    return (struct mica_sealer){.seal = store_sealer_seal,
                                .open = open_text,
                                .ready = is_ready,
                                .user = sealer};
}

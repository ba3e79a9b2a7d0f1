// SPDX-License-Identifier: Apache-2.0
//
// Sealing: what was sealed can be opened by all who share the store, unchanged,
// for what it was made for, while its key lives; and nothing else can.
#include <pthread.h>

#include "store/store_sealer.h"
#include "test_store.h"

static struct mica_store *store;
static struct mica_store_sealer *sealer;
static struct mica_sealer functions;
static struct mica_arena arena;

// Threads that wait long on a busy machine do not fail for it.
static const struct mica_store_options options = {
    .key_age_ms = 1000000, .key_overlap_ms = 1000, .busy_ms = 60000};

static void
begin_test(void)
{
    mica_arena_init(&arena, 256 << 20);
    MUST(mica_store_open("memory", &options, &error, &store));
    MUST(mica_store_sealer_open(store, &error, &sealer));
    functions = mica_store_sealer(sealer);
}

static void
end_test(void)
{
    mica_store_sealer_close(&sealer);
    ck_assert_ptr_null(sealer);
    mica_store_sealer_close(&sealer);
    mica_store_close(&store);
    mica_arena_fini(&arena);
    store_remove_folder();
}

static struct mica_text
seal(int64_t now, struct mica_text plain, const char *bound)
{
    struct mica_buffer text;

    mica_buffer_init(&text, &arena, 1 << 20);
    MUST(functions.seal(functions.user, now, plain, mica_text(bound), &error,
                        &text));
    return mica_buffer_as_text(&text);
}

// What opening gives; the plain text goes behind "<".
static enum mica_status
open_text(int64_t now, struct mica_text text, const char *bound,
          struct mica_text *plain_out)
{
    struct mica_buffer plain;
    enum mica_status status;

    mica_buffer_init(&plain, &arena, 1 << 20);
    mica_buffer_char(&plain, '<');
    memset(&error, 0, sizeof error);
    status = functions.open(functions.user, now, text, mica_text(bound), &error,
                            &plain);
    UNIT_MUST(status == MICA_OK || plain.len == 1, "something was written");
    *plain_out = mica_text_slice(mica_buffer_as_text(&plain), 1, plain.len);
    return status;
}

static void
must_refuse(int64_t now, struct mica_text text, const char *bound)
{
    struct mica_text plain;
    enum mica_status status = open_text(now, text, bound, &plain);

    UNIT_MUST(status == MICA_E_FORMAT && error.status == status &&
                  strlen(error.message) > 20,
              "%s: %s", mica_status_code(status), error.message);
}

START_TEST(what_was_sealed_opens_to_the_same)
{
    static char bytes[3000];
    struct mica_text plain;

    begin_test();
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 7);
    for (size_t size = 0; size < sizeof bytes; size += 1 + size / 20) {
        struct mica_text text =
            seal(10, (struct mica_text){bytes, size}, "tools/list");
        MUST(open_text(20, text, "tools/list", &plain));
        ck_assert_uint_eq(plain.len, size);
        ck_assert_mem_eq(plain.ptr, bytes, size);
        for (size_t i = 0; i < text.len; i++)
            UNIT_MUST(strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuv"
                             "wxyz0123456789-_",
                             text.ptr[i]) != NULL,
                      "%c", text.ptr[i]);
    }
    end_test();
}
END_TEST

START_TEST(the_same_is_never_sealed_to_the_same)
{
    begin_test();
    struct mica_text a = seal(10, mica_text("x"), ""),
                     b = seal(10, mica_text("x"), "");
    ck_assert(!mica_text_equal(a, b));
    end_test();
}
END_TEST

START_TEST(a_text_that_was_changed_anywhere_is_refused)
{
    char copy[256];

    begin_test();
    struct mica_text text = seal(10, mica_text("secret state"), "call");
    ck_assert_uint_lt(text.len, sizeof copy - 20);
    for (size_t i = 0; i < text.len; i++) {
        for (int bit = 0; bit < 8; bit++) {
            memcpy(copy, text.ptr, text.len);
            copy[i] = (char)(copy[i] ^ 1 << bit);
            must_refuse(10, (struct mica_text){copy, text.len}, "call");
        }
        must_refuse(10, mica_text_slice(text, 0, i), "call");
        must_refuse(10, mica_text_slice(text, i + 1, text.len), "call");
    }
    static const char *const behind[] = {"-TAMPERED", "A", "AAAA", "=",
                                         "\n",        " ", "=="};
    for (size_t i = 0; i < MICA_COUNT(behind); i++) {
        memcpy(copy, text.ptr, text.len);
        strcpy(copy + text.len, behind[i]);
        must_refuse(10, (struct mica_text){copy, text.len + strlen(behind[i])},
                    "call");
        ck_assert_uint_eq(open_text(10, text, "call", &(struct mica_text){0}),
                          MICA_OK);
    }
    end_test();
}
END_TEST

START_TEST(each_text_has_one_form)
{
    char copy[256];
    size_t underlines = 0;

    begin_test();
    for (int round = 0; round < 20; round++) {
        struct mica_text text = seal(10, mica_text("secret state"), "");
        for (size_t i = 0; i < text.len; i++) {
            memcpy(copy, text.ptr, text.len);
            for (int byte = 0; byte < 256; byte++) {
                copy[i] = (char)byte;
                if (copy[i] != text.ptr[i])
                    must_refuse(10, (struct mica_text){copy, text.len}, "");
            }
            underlines += text.ptr[i] == '_';
        }
        mica_arena_reset(&arena);
    }
    ck_assert_uint_gt(underlines, 0);
    end_test();
}
END_TEST

START_TEST(what_is_bound_must_be_the_same)
{
    begin_test();
    struct mica_text text = seal(10, mica_text("state"), "tool a, user b");
    must_refuse(10, text, "tool a, user c");
    must_refuse(10, text, "");
    must_refuse(10, text, "tool a, user b ");
    end_test();
}
END_TEST

START_TEST(garbage_is_refused_before_it_is_looked_at)
{
    static char large[MICA_SEALED_BYTES + 1];
    struct mica_buffer text;

    begin_test();
    memset(large, 'A', sizeof large);
    must_refuse(10, (struct mica_text){large, sizeof large}, "");
    must_refuse(10, (struct mica_text){large, sizeof large - 1}, "");
    must_refuse(10, mica_text(""), "");
    must_refuse(10, MICA_LITERAL("\0"), "");
    must_refuse(10, mica_text("AQ"), "");
    mica_buffer_init(&text, &arena, 1 << 20);
    REFUSED(functions.seal(functions.user, 10,
                           (struct mica_text){large, sizeof large},
                           mica_text(""), &error, &text),
            MICA_E_LIMIT);
    ck_assert_uint_eq(text.len, 0);
    mica_buffer_init(&text, &arena, 20);
    REFUSED(functions.seal(functions.user, 10, mica_text("x"), mica_text(""),
                           &error, &text),
            MICA_E_LIMIT);
    end_test();
}
END_TEST

START_TEST(keys_rotate_and_old_texts_open_for_a_while)
{
    struct mica_store_key key;
    struct mica_text plain;

    begin_test();
    struct mica_text old = seal(0, mica_text("old"), "");
    MUST(mica_store_key_rotate(store, 100000, &error, &key));
    // The sealer looks again after a minute at the latest.
    struct mica_text new = seal(100000, mica_text("new"), "");
    ck_assert(!mica_text_equal(mica_text_slice(old, 0, 7),
                               mica_text_slice(new, 0, 7)));
    MUST(open_text(100999, old, "", &plain));
    UNIT_TEXT_EQ(plain, "old");
    must_refuse(101000, old, "");
    MUST(open_text(101000, new, "", &plain));
    UNIT_TEXT_EQ(plain, "new");
    // Many more than are kept.
    for (int64_t i = 0; i < 20; i++) {
        int64_t now = 200000 + i * 100000;
        struct mica_text text = seal(now, mica_text("x"), "");
        MUST(mica_store_key_rotate(store, now + 10, &error, &key));
        MUST(open_text(now + 20, text, "", &plain));
    }
    end_test();
}
END_TEST

// The other process makes a new key when the old one is of age, or when it is told
// to; this one has just looked.
START_TEST(what_is_sealed_opens_although_another_has_made_a_key)
{
    static const int64_t looks[] = {999999, 500000};
    struct mica_store_sealer *other, *own;
    struct mica_store_key key;
    struct mica_text plain;

    for (int i = 0; i < 2; i++) {
        begin_test();
        own = sealer;
        MUST(mica_store_sealer_open(store, &error, &other));
        (void)seal(0, mica_text("x"), "");
        (void)seal(looks[i], mica_text("x"), "");
        functions = mica_store_sealer(other);
        if (i == 0)
            (void)seal(1000000, mica_text("x"), "");
        else
            MUST(mica_store_key_rotate(store, 500000, &error, &key));
        for (int64_t later = 0; later < 62000; later += 100) {
            int64_t now = 1000000 / (i + 1) + later;
            functions = mica_store_sealer(own);
            struct mica_text text = seal(now, mica_text("text"), "");
            functions = mica_store_sealer(other);
            MUST(open_text(now + 499, text, "", &plain));
            UNIT_TEXT_EQ(plain, "text");
        }
        mica_store_sealer_close(&other);
        end_test();
    }
}
END_TEST

START_TEST(all_who_share_the_store_open_it_and_nobody_else)
{
    struct mica_store *stores[2], *stranger;
    struct mica_store_sealer *sealers[2];
    struct mica_text plain;

    begin_test();
    for (int i = 0; i < 2; i++) {
        MUST(mica_store_open(store_spec("sqlite", "mica.db"), NULL, &error,
                             &stores[i]));
        MUST(mica_store_sealer_open(stores[i], &error, &sealers[i]));
    }
    functions = mica_store_sealer(sealers[0]);
    struct mica_text text = seal(10, mica_text("shared"), "x");
    functions = mica_store_sealer(sealers[1]);
    MUST(open_text(20, text, "x", &plain));
    UNIT_TEXT_EQ(plain, "shared");
    MUST(mica_store_open("memory", NULL, &error, &stranger));
    for (int i = 0; i < 2; i++) {
        mica_store_sealer_close(&sealers[i]);
        mica_store_close(&stores[i]);
    }
    MUST(mica_store_sealer_open(stranger, &error, &sealers[0]));
    functions = mica_store_sealer(sealers[0]);
    must_refuse(20, text, "x");
    (void)seal(20, mica_text("x"), ""); // now it has a key 1 of its own
    must_refuse(20, text, "x");
    mica_store_sealer_close(&sealers[0]);
    mica_store_close(&stranger);
    end_test();
}
END_TEST

static void *
seal_and_open(void *data)
{
    struct mica_error problem;
    char room[256];

    (void)data;
    for (int i = 0; i < 2000; i++) {
        struct mica_arena own;
        struct mica_buffer text, plain;
        mica_arena_init(&own, 1 << 16);
        mica_buffer_init(&text, &own, 1024);
        mica_buffer_init(&plain, &own, 1024);
        int length = snprintf(room, sizeof room, "state %d", i);
        struct mica_text what = {room, (size_t)length};
        int64_t now = i * 1000; // the key is fetched anew now and then
        UNIT_MUST(functions.seal(functions.user, now, what, what, &problem,
                                 &text) == MICA_OK &&
                      functions.open(functions.user, now,
                                     mica_buffer_as_text(&text), what, &problem,
                                     &plain) == MICA_OK &&
                      mica_text_equal(mica_buffer_as_text(&plain), what),
                  "%s", problem.message);
        mica_arena_fini(&own);
    }
    return NULL;
}

START_TEST(threads_seal_at_once)
{
    pthread_t threads[3];

    begin_test();
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, seal_and_open, NULL),
                         0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    end_test();
}
END_TEST

UNIT_MAIN("store seal", what_was_sealed_opens_to_the_same,
          the_same_is_never_sealed_to_the_same,
          a_text_that_was_changed_anywhere_is_refused, each_text_has_one_form,
          what_is_bound_must_be_the_same,
          garbage_is_refused_before_it_is_looked_at,
          what_is_sealed_opens_although_another_has_made_a_key,
          keys_rotate_and_old_texts_open_for_a_while,
          all_who_share_the_store_open_it_and_nobody_else, threads_seal_at_once)

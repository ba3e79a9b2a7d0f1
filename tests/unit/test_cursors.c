// SPDX-License-Identifier: Apache-2.0
//
// Cursors with real keys: a list that one server began continues at another with
// the same store, and nowhere else.
#include "serve/cursors.h"
#include "test_server.h"

#include <unistd.h>

static char base[64], store[96];

struct node {
    struct mica_server *server;
    struct mica_session_store *session_store;
    struct mica_cursors *cursors;
};

static void
open_node(struct node *node, const char *where)
{
    const struct mica_server_options options = {
        .name = "test", .version = "1", .page_items = 5};
    const struct mica_session_store_options kept = {.store = where,
                                                    .lazy = true};
    struct mica_error error;

    start_server(&options);
    node->server = harness.server;
    ck_assert_int_eq(
        mica_session_store_open(&kept, &error, &node->session_store), MICA_OK);
    ck_assert_int_eq(mica_cursors_open(node->server, node->session_store,
                                       &error, &node->cursors),
                     MICA_OK);
}

static void
close_node(struct node *node)
{
    mica_cursors_close(&node->cursors);
    ck_assert_ptr_null(node->server->sealer);
    mica_session_store_close(&node->session_store);
    harness.server = node->server;
    close_server();
}

// The list from `cursor` on (NULL: its beginning), as that node says it.
static void
page(const struct node *node, const char *cursor)
{
    harness.server = node->server;
    mica_arena_fini(&harness.arena);
    mica_arena_fini(&harness.last_arena);
    mica_arena_init(&harness.arena, node->server->options.call_bytes);
    mica_arena_init(&harness.last_arena, 64 << 20);
    line(quoted("{" V2 ",'id':1,'method':'tools/list','params':{" META
                "%s%s%s}}",
                cursor != NULL ? ",'cursor':'" : "",
                cursor != NULL ? cursor : "", cursor != NULL ? "'" : ""));
}

static void
take_cursor(char cursor[512])
{
    snprintf(cursor, 512, "%s", at("/result/nextCursor") + 1);
    ck_assert_uint_gt(strlen(cursor), 40);
    cursor[strlen(cursor) - 1] = '\0'; // the quote
}

static void
make_folder(void)
{
    snprintf(base, sizeof base, "/tmp/mica-cursors-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(base));
    snprintf(store, sizeof store, "sqlite:%s/store.db", base);
}

static void
remove_folder(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf %s", base);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(another_server_goes_on)
{
    struct node one, two, stranger;
    char cursor[512];

    open_node(&one, store);
    open_node(&two, store);
    open_node(&stranger, "memory");
    page(&one, NULL);
    ck_at("/result/tools/4/name", "'fail'");
    ck_at("/result/tools/5", "(absent)");
    take_cursor(cursor);
    page(&two, cursor);
    ck_at("/result/tools/0/name", "'marked'");
    ck_at("/result/nextCursor", "(absent)");
    page(&one, cursor);
    ck_at("/result/tools/0/name", "'marked'");
    page(&stranger, cursor);
    ck_error("-32602", "NOT_FOUND", "1");
    close_node(&stranger);
    close_node(&two);
    close_node(&one);
}
END_TEST

START_TEST(one_changed_letter_is_enough)
{
    char cursor[512], changed[512];
    struct node one;

    open_node(&one, "memory");
    page(&one, NULL);
    take_cursor(cursor);
    for (size_t i = 0; i < strlen(cursor); i++) {
        memcpy(changed, cursor, sizeof changed);
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        page(&one, changed);
        ck_error("-32602", "NOT_FOUND", "1");
        changed[i] = '\0';
        page(&one, changed);
        ck_error("-32602", "NOT_FOUND", "1");
    }
    snprintf(changed, sizeof changed, "%.400s-TAMPERED", cursor);
    page(&one, changed);
    ck_error("-32602", "NOT_FOUND", "1");
    close_node(&one);
}
END_TEST

START_TEST(a_server_keeps_the_sealer_it_has)
{
    struct mica_cursors *second = NULL;
    struct mica_error error;
    struct node one;

    open_node(&one, "memory");
    ck_assert_int_eq(mica_cursors_open(one.server, NULL, &error, &second),
                     MICA_OK);
    ck_assert_ptr_null(second);
    mica_cursors_close(&second);
    close_node(&one);
    open_node(&one, "memory");
    mica_cursors_close(&one.cursors);
    // Without a session store: keys of its own.
    ck_assert_int_eq(mica_cursors_open(one.server, NULL, &error, &one.cursors),
                     MICA_OK);
    page(&one, NULL);
    ck_says("/result/nextCursor", "\"");
    close_node(&one);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("cursors");
    TCase *cursors = tcase_create("cursors");

    tcase_add_checked_fixture(cursors, make_folder, remove_folder);
    suite_add_tcase(suite, cursors);
    tcase_add_test(cursors, another_server_goes_on);
    tcase_add_test(cursors, one_changed_letter_is_enough);
    tcase_add_test(cursors, a_server_keeps_the_sealer_it_has);
    return run_suite(suite);
}

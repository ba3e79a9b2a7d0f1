// SPDX-License-Identifier: Apache-2.0
//
// The cursor behind which "mica calls" lists: whatever it says, it is refused, or the
// page is the end of the list.
#include <stdio.h>

#include "store/store_calls.h"

#include "target.h"

enum {
    CALLS = 9
};

static struct mica_arena arena;

static struct mica_store *
some_store(void)
{
    static struct mica_store *store;
    char id[8];

    if (store != NULL)
        return store;
    mica_arena_init(&arena, 1 << 20);
    FUZZ_MUST(mica_store_open("memory", NULL, NULL, &store) == MICA_OK);
    for (int i = 0; i < CALLS; i++) {
        struct mica_kept_call call = {.target = MICA_LITERAL("book"),
                                      .created = i / 2 - 1,
                                      .state = MICA_CALL_WORKING,
                                      .due = INT64_MAX,
                                      .expires = INT64_MAX};
        (void)snprintf(id, sizeof id, "c%d", i);
        call.id = mica_text(id);
        FUZZ_MUST(mica_store_call_create(store, &call,
                                         (struct mica_text){NULL, 0}, 0, 1,
                                         &arena, NULL) == MICA_OK);
    }
    return store;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct mica_store_call_filter filter = {.ended = false};
    const struct mica_text after = {(const char *)bytes, size};
    struct mica_store *store = some_store();
    struct mica_store_calls calls;
    struct mica_error error;
    enum mica_status status;

    mica_arena_reset(&arena);
    status = mica_store_call_page(store, &filter, after, CALLS, &arena, &error,
                                  &calls);
    FUZZ_MUST(status == MICA_OK || status == MICA_E_USAGE);
    if (status != MICA_OK)
        return 0;
    FUZZ_MUST(calls.count <= CALLS && calls.next.len == 0);
    for (size_t i = 0; i < calls.count; i++) {
        const struct mica_text *id = &calls.items[i].id;
        FUZZ_MUST(id->len == 2 &&
                  (size_t)(id->ptr[1] - '0') == CALLS - calls.count + i);
    }
    return 0;
}

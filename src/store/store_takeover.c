// SPDX-License-Identifier: Apache-2.0
#include "store/calls.h"
enum mica_status
mica_store_take_over(struct mica_store *to, struct mica_store *from,
                     bool (*may)(void *user,
                                 const struct mica_store_build *build),
                     void *user, int64_t now, struct mica_error *error,
                     struct mica_store_taken *taken_out)
{
    (void)to, (void)from, (void)may, (void)user, (void)now, (void)error;
    (void)taken_out;
    return MICA_OK;
}

// SPDX-License-Identifier: Apache-2.0
//
// What the tests of resources and of prompts share: a server with those of the
// conformance fixture, and how to ask it.
#ifndef MICA_TEST_SERVER_OFFERS_H
#define MICA_TEST_SERVER_OFFERS_H

#include "../conformance/offers.c"
#include "test_server.h"

static inline void
open_offers(void)
{
    struct mica_error error;

    open_server();
    if (fixture_add_offers(harness.server, &error) != MICA_OK)
        ck_abort_msg("%s", error.message);
}

static inline TCase *
offers_case(Suite *suite, const char *name)
{
    TCase *group = tcase_create(name);

    tcase_add_checked_fixture(group, open_offers, close_server);
    suite_add_tcase(suite, group);
    return group;
}

static inline void
ask(const char *method, const char *more)
{
    line(quoted("{" V2 ",'id':1,'method':'%s','params':{" META "%s}}", method,
                more));
}

static inline void
ask_legacy(const char *version, const char *method, const char *params)
{
    shake_hands(version);
    line(quoted("{" V2 ",'id':1,'method':'%s','params':{%s}}", method, params));
}

#endif

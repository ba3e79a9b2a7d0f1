// SPDX-License-Identifier: Apache-2.0
//
// Tools as `mica build` compiles them, to be loaded by test_form_module.c: FORMS
// is how many forms the source has, and the last of two must not be asked for.
#include <mica/tool.h>

#if FORMS > 0
struct mood {
    bool happy;
};
MICA_RECORD(mood, MICA_BOOLEAN(happy, "Is it a good day?"));
#endif

#if FORMS > 1
struct login {
    struct mica_text user, password;
};
MICA_RECORD(login, MICA_TEXT(user, "Who."), MICA_TEXT(password, "Yours."));
#endif

static enum mica_status
ask(struct mica_call *call, const struct mica_nothing *in,
    struct mica_nothing *out)
{
    (void)call;
    (void)in;
    (void)out;
#if FORMS > 0
    struct mood mood;
    MICA_TRY(mica_elicit(call, MICA_FORM(mood, &mood), "How are you?"));
#endif
#if FORMS > 1
    struct login login;
    const struct mica_ask asks[] = {
        {.form = MICA_FORM(mood, &mood, .key = "again")},
        {.form = MICA_FORM(login, &login, MICA_SET(user, .title = "You"))},
    };
    if (mood.happy)
        return mica_ask_all(call, asks, MICA_COUNT(asks));
#endif
    return MICA_OK;
}

MICA_TOOL(form_module, mica_nothing, mica_nothing, ask, .description = "Ask.");

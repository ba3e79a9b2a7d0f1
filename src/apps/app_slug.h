// SPDX-License-Identifier: Apache-2.0
//
// The slug of an app: its name in addresses (/servers/{slug}/mcp). 1 to 64 of [a-z0-9-],
// without a hyphen at either end or two in a row.
//
// A slug is made from the name once and stays when the name changes. It is made by the
// seed's rule: lower case, spaces to hyphens, all other characters removed.
//
//     "My Support Bot"           my-support-bot
//     "  Q&A -- for  you "       qa-for-you
//     "日本語", id 7f3a9c…        app-7f3a9c
//     "API"                      api-app             (reserved)
//     "My Support Bot", again    my-support-bot-2    (mica_app_slug_numbered)
#ifndef MICA_APPS_APP_SLUG_H
#define MICA_APPS_APP_SLUG_H

#include <mica/base.h>

enum {
    MICA_APP_SLUG_LENGTH = 64,
    MICA_APP_SLUG_SIZE = MICA_APP_SLUG_LENGTH + 1 // with the NUL
};

// Makes the slug of an app from its name. Where nothing is left of the name it is "app-"
// and the first six letters and digits of the id. A reserved name gets "-app" behind it.
// `name` must be valid UTF-8. Returns the length.
size_t mica_app_slug(struct mica_text name, struct mica_text id,
                     char slug_out[MICA_APP_SLUG_SIZE]);

// The slug to try as the attempt number `attempt`: the slug itself for 1, then with "-2",
// "-3" … behind it, cut so that it fits with its suffix. `slug` must be valid. Returns the
// length.
size_t mica_app_slug_numbered(struct mica_text slug, unsigned attempt,
                              char slug_out[MICA_APP_SLUG_SIZE]);

// NULL if the text is a slug that an app may have, or else what is wrong with it, to
// follow a name: "is reserved".
const char *mica_app_slug_wrong(struct mica_text slug);

// Whether the text has the form of a slug; reserved ones have it, too. For the path of a
// request.
bool mica_app_slug_valid(struct mica_text slug);

// Whether no app may have the slug, as it has or may get another meaning in addresses.
bool mica_app_slug_reserved(struct mica_text slug);

#endif

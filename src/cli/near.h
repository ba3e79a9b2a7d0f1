// SPDX-License-Identifier: Apache-2.0
//
// Which name a person meant who wrote one that does not exist.
#ifndef MICA_CLI_NEAR_H
#define MICA_CLI_NEAR_H

#include <mica/base.h>

// A word of other programs, and the name that it has here.
struct mica_synonym {
    const char *word, *meant;
};

// The one of `names` that `word` most likely means; NULL if none is likely. A slip of one
// letter comes first, then a synonym (the table ends with NULL), then a name that has
// whole words of it (origin: allow-origin), then one that begins with it, then one that
// differs in no more than a third of its letters.
const char *mica_near(struct mica_text word, const char *const *names,
                      size_t count, const struct mica_synonym *synonyms);

#endif

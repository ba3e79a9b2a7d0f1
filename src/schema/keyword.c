// SPDX-License-Identifier: Apache-2.0
//
// The keywords of JSON Schema 2020-12 and what compiling knows of each.
#include "schema/compile.h"

static const struct {
    const char *namez;
    enum mica_schema_shape shape;
    unsigned vocabulary;
} keywords[] = {
#define MICA_SCHEMA_ROW(symbol, name, shape, vocabulary) \
    {name, MICA_SHAPE_##shape, MICA_VOCABULARY_##vocabulary},
    MICA_SCHEMA_KEYWORDS(MICA_SCHEMA_ROW)
#undef MICA_SCHEMA_ROW
};

enum mica_schema_keyword
mica_schema_keyword(struct mica_text name)
{
    size_t from = 0, to = MICA_KEY_COUNT;
    while (from < to) {
        size_t middle = (from + to) / 2;
        int order = mica_text_compare(name, mica_text(keywords[middle].namez));
        if (order == 0)
            return (enum mica_schema_keyword)middle;
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return MICA_KEY_COUNT;
}

const char *
mica_schema_keyword_name(enum mica_schema_keyword keyword)
{
    return keywords[keyword].namez;
}

enum mica_schema_shape
mica_schema_keyword_shape(enum mica_schema_keyword keyword)
{
    return keywords[keyword].shape;
}

unsigned
mica_schema_keyword_vocabulary(enum mica_schema_keyword keyword)
{
    return keywords[keyword].vocabulary;
}

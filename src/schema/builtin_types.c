// SPDX-License-Identifier: Apache-2.0
//
// The types that every record may name without declaring them.
#include <mica/record.h>

#define TYPE(tag_, kind_)                                                     \
    const struct mica_type mica_type_##tag_ = {.kind = kind_,                 \
                                               .size =                        \
                                                   sizeof(mica_ctype_##tag_), \
                                               .codec = &mica_codec_##tag_,   \
                                               .tag = #tag_}

TYPE(text, MICA_KIND_TEXT);
TYPE(number, MICA_KIND_NUMBER);
TYPE(decimal, MICA_KIND_DECIMAL);
TYPE(integer, MICA_KIND_INTEGER);
TYPE(boolean, MICA_KIND_BOOLEAN);
TYPE(date, MICA_KIND_DATE);
TYPE(date_time, MICA_KIND_DATE_TIME);
TYPE(any, MICA_KIND_ANY);

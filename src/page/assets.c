// SPDX-License-Identifier: Apache-2.0
//
// Finds a file of web/ by its name.
#include "page/assets.h"

const struct mica_asset *
mica_asset_find(const struct mica_assets *assets, struct mica_text name)
{
    for (size_t i = 0; i < assets->count; i++)
        if (mica_text_is(name, assets->items[i].name))
            return &assets->items[i];
    return NULL;
}

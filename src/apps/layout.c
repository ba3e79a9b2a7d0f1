// SPDX-License-Identifier: Apache-2.0
//
// Finds layouts by their name, and the origins of the images in data.
#include "apps/layout.h"

#include "view/view_check.h"

const struct mica_app_layout_row *
mica_app_layout_find(struct mica_text name)
{
    for (size_t i = 0; i < MICA_LAYOUTS; i++) {
        if (mica_text_equal(mica_app_layouts[i].name, name))
            return &mica_app_layouts[i];
    }
    return NULL;
}

// ---- Origins of images -----------------------------------------------------------

struct origins {
    struct mica_text *items;
    size_t count;
};

// Where the origin of an address ends: before its path.
static size_t
origin_end(struct mica_text address, size_t at)
{
    while (at < address.len && address.ptr[at] != '/' &&
           address.ptr[at] != '?' && address.ptr[at] != '#')
        at++;
    return at;
}

// Adds the origin of an https address. One that no policy can have is left out: a host
// would refuse the whole view. The image shows its words then.
static void
origins_add(struct origins *origins, struct mica_text address)
{
    struct mica_text origin;

    if (!mica_text_starts(address, "https://"))
        return;
    origin =
        mica_text_slice(address, 0, origin_end(address, sizeof "https://" - 1));
    if (mica_view_domain_wrong(origin) != NULL)
        return;
    for (size_t i = 0; i < origins->count; i++) {
        if (mica_text_equal(origins->items[i], origin))
            return;
    }
    if (origins->count < MICA_LAYOUT_ORIGINS)
        origins->items[origins->count++] = origin;
}

static void
origins_image(struct origins *origins, const struct mica_json *thing)
{
    const struct mica_json *image = mica_json_get(thing, "image");

    origins_add(origins, mica_json_get_text(image, "src"));
}

size_t
mica_layout_origins(const struct mica_json *data,
                    struct mica_text origins_out[MICA_LAYOUT_ORIGINS])
{
    struct origins origins = {origins_out, 0};
    const struct mica_json *items = mica_json_get(data, "items");

    origins_image(&origins, data);
    if (items != NULL && items->kind == MICA_JSON_ARRAY) {
        for (size_t i = 0; i < items->count; i++)
            origins_image(&origins, &items->items[i]);
    }
    return origins.count;
}

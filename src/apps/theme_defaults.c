// SPDX-License-Identifier: Apache-2.0
//
// The rows follow web/design.css: one accent, calm surfaces, text that all can read.
#include "apps/theme_defaults.h"

#include <string.h>

static const struct theme_row {
    const char *name, *value;
} theme_rows[] = {
    {"--color-background-primary", "light-dark(#fff,#181b20)"},
    {"--color-background-secondary", "light-dark(#f6f6f3,#20242a)"},
    {"--color-background-tertiary", "light-dark(#f0f0ec,#282d34)"},
    {"--color-background-info", "light-dark(#e6eefb,#17263f)"},
    {"--color-background-danger", "light-dark(#fcedea,#351c19)"},
    {"--color-background-success", "light-dark(#e3f1ed,#14302b)"},
    {"--color-background-warning", "light-dark(#fbf0dc,#33270f)"},
    {"--color-text-primary", "light-dark(#181a1f,#e8eaee)"},
    {"--color-text-secondary", "light-dark(#525965,#a9b0bd)"},
    {"--color-text-tertiary", "light-dark(#656c79,#979fae)"},
    {"--color-text-info", "light-dark(#26518f,#9cc0f7)"},
    {"--color-text-danger", "light-dark(#a52a1a,#ff9d8f)"},
    {"--color-text-success", "light-dark(#0d6757,#5fceb5)"},
    {"--color-text-warning", "light-dark(#7a4d05,#f0c070)"},
    {"--color-border-primary", "light-dark(#8b909a,#666e7c)"},
    {"--color-border-secondary", "light-dark(#e1e1dc,#2f353e)"},
    {"--color-border-danger", "light-dark(#a52a1a,#ff9d8f)"},
    {"--color-ring-primary", "light-dark(#0d6757,#5fceb5)"},
    {"--font-sans", "Inter,system-ui,\"Segoe UI\",Roboto,\"Noto Sans\","
                    "\"DejaVu Sans\",sans-serif"},
    {"--font-weight-normal", "400"},
    {"--font-weight-medium", "560"},
    {"--font-weight-semibold", "620"},
    {"--font-text-xs-size", ".8125rem"},
    {"--font-text-sm-size", ".875rem"},
    {"--font-text-md-size", ".9375rem"},
    {"--font-text-md-line-height", "1.5"},
    {"--font-heading-xs-size", ".9375rem"},
    {"--font-heading-sm-size", "1.125rem"},
    {"--font-heading-md-size", "1.25rem"},
    {"--font-heading-sm-line-height", "1.3"},
    {"--border-radius-md", ".4375rem"},
    {"--border-radius-lg", ".625rem"},
    {"--border-radius-full", "99px"},
    {"--border-width-regular", "1px"},
    {"--shadow-sm", "0 1px 2px #0000000f"},
    {"--mica-color-accent", "light-dark(#0d6757,#5fceb5)"},
    {"--mica-color-on-accent", "light-dark(#fff,#06231d)"},
    {"--mica-chart-1", "light-dark(#0d6757,#5fceb5)"},
    {"--mica-chart-2", "light-dark(#d9853b,#e9a765)"},
    {"--mica-chart-3", "light-dark(#4a6fb5,#8fb0ee)"},
    {"--mica-chart-4", "light-dark(#9a4f8c,#d99ccd)"},
    {"--mica-chart-5", "light-dark(#8a7a1f,#cdbd5c)"},
    {"--mica-chart-6", "light-dark(#b0433a,#f0958d)"},
    {"--mica-space", ".25rem"},
};

const char *
mica_theme_default(const char *namez)
{
    for (size_t i = 0; i < MICA_COUNT(theme_rows); i++) {
        if (strcmp(theme_rows[i].name, namez) == 0)
            return theme_rows[i].value;
    }
    return NULL;
}

void
mica_theme_write_defaults(struct mica_buffer *out)
{
    for (size_t i = 0; i < MICA_COUNT(theme_rows); i++)
        mica_buffer_format(out, "%s:%s;", theme_rows[i].name,
                           theme_rows[i].value);
}

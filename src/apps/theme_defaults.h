// SPDX-License-Identifier: Apache-2.0
//
// What a widget looks like where neither its host nor its theme says otherwise: a value for
// each variable that web/widget/ uses, from the design system of the pages.
#ifndef MICA_APPS_THEME_DEFAULTS_H
#define MICA_APPS_THEME_DEFAULTS_H

#include <mica/base.h>

// The value of a variable; NULL: no widget uses it.
const char *mica_theme_default(const char *namez);

// Appends `name:value;` for each of them.
void mica_theme_write_defaults(struct mica_buffer *out);

#endif

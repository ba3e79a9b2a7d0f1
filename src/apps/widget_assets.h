// SPDX-License-Identifier: Apache-2.0
//
// Scripts and style sheets of widgets, which scripts/join-widget makes of web/widget/:
// widget.js and widget.css, which all have, and those of each layout under its name.
#ifndef MICA_APPS_WIDGET_ASSETS_H
#define MICA_APPS_WIDGET_ASSETS_H

#include "page/assets.h"

extern const struct mica_assets mica_widget_assets;

#endif

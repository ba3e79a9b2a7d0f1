// SPDX-License-Identifier: Apache-2.0
//
// Scripts and style sheets of widgets, which scripts/join-widget makes of web/widget/:
// script and sheet of each layout under its name, and widget.css, which all have.
#ifndef MICA_APPS_WIDGET_ASSETS_H
#define MICA_APPS_WIDGET_ASSETS_H

#include "page/assets.h"

extern const struct mica_assets mica_widget_assets;

#endif

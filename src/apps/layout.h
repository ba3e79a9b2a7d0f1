// SPDX-License-Identifier: Apache-2.0
//
// The layouts of published apps: eight shapes of data that a widget shows. The data schema
// of a layout is the outputSchema of the tool of every app that has it, so a result is
// checked once, and a widget shows each result that passed. The rows are written by
// scripts/app-layouts from src/apps/layouts/layout_NAME.json.
#ifndef MICA_APPS_LAYOUT_H
#define MICA_APPS_LAYOUT_H

#include <mica/json.h>

enum mica_app_layout {
    MICA_LAYOUT_MESSAGE,
    MICA_LAYOUT_CARD,
    MICA_LAYOUT_LIST,
    MICA_LAYOUT_CAROUSEL,
    MICA_LAYOUT_TABLE,
    MICA_LAYOUT_CHART,
    MICA_LAYOUT_DETAIL,
    MICA_LAYOUT_FORM
};

enum {
    MICA_LAYOUTS = 8,
    MICA_LAYOUT_TEXT_BYTES = 32 << 10, // of what mica_layout_text writes
    MICA_LAYOUT_ORIGINS = 32           // of images; as MICA_VIEW_DOMAINS
};

// All texts are NUL-terminated, too, and live as long as the program.
struct mica_app_layout_row {
    enum mica_app_layout layout;
    struct mica_text name;    // as a record has it: "card"
    struct mica_text title;   // for people: "Card"
    struct mica_text summary; // one sentence for people who choose a layout
    struct mica_text seen;    // for the model: what the person sees
    // JSON Schema 2020-12 as one compact text without $ref. Every object is closed, every
    // list and string bounded; it uses no format.
    struct mica_text schema;
    struct mica_text
        mock; // data that the schema allows, for a new app; compact JSON
};

// In the order of the enum.
extern const struct mica_app_layout_row mica_app_layouts[MICA_LAYOUTS];

// The row of that name; NULL: no layout has it.
const struct mica_app_layout_row *mica_app_layout_find(struct mica_text name);

// Appends the data as plain text, for clients that show no widget: titles, lines of items,
// a table as rows between bars, at most MICA_LAYOUT_TEXT_BYTES (then it ends with a line
// that says so). Control characters and marks of direction are left out. Data that the
// schema of the layout forbids makes a poorer text, never an error.
void mica_layout_text(const struct mica_app_layout_row *row,
                      const struct mica_json *data, struct mica_buffer *out);

// Finds the origins (https://host[:port]) of the images in the data: what the view of an
// app with fixed data has to declare as its resource domains. Each origin stands once.
// Returns how many are in `origins_out`; more than MICA_LAYOUT_ORIGINS are left out.
// Owner: the texts are in `data`.
size_t mica_layout_origins(const struct mica_json *data,
                           struct mica_text origins_out[MICA_LAYOUT_ORIGINS]);

#endif

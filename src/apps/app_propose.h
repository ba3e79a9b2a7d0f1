// SPDX-License-Identifier: Apache-2.0
//
// A tool name and a tool description for an app, by rule: a verb and what it is about,
// from the app's name and description, so that a new app can be published without a
// language model. What a person or a model writes is better; this is a start.
//
//     "Order Tracker"                           track_order
//     "My Support Bot", "Answers questions …"   answer_support
//     "Weather", a chart                        show_weather
//     "日本語", a list                           list_items
#ifndef MICA_APPS_APP_PROPOSE_H
#define MICA_APPS_APP_PROPOSE_H

#include "apps/app_record.h"

// Bytes of a proposed name with its NUL, and of a description.
#define MICA_APP_PROPOSED_NAME_SIZE         (MICA_APP_TOOL_NAME_LENGTH + 1)
#define MICA_APP_PROPOSED_DESCRIPTION_BYTES 2048
#define MICA_APP_PROPOSED_TITLE_BYTES       256 // of a name for people

// Makes a tool name, of a-z, 0-9 and "_", with at least one "_". Returns its length. The
// texts of the draft must be valid UTF-8.
size_t mica_app_propose_name(const struct mica_app_draft *draft,
                             char name_out[MICA_APP_PROPOSED_NAME_SIZE]);

// Appends a description of that tool: what it does (the first sentence of the app's
// description, if it has one), when to use it, and what it needs.
void mica_app_propose_description(const struct mica_app_draft *draft,
                                  struct mica_text tool_name,
                                  struct mica_buffer *description_out);

// Appends a name for people, made of the first words of a sentence that say what the app is
// about: "Shows where an order is, by its number." gives "Order Number". A sentence without
// such words in ASCII gives its beginning. It has at most 60 characters. The sentence must
// be valid UTF-8 on one line.
void mica_app_propose_title(struct mica_text sentence,
                            struct mica_buffer *title_out);

// The layout that the sentence names ("a table of …"), else a card.
const struct mica_app_layout_row *
mica_app_propose_layout(struct mica_text sentence);

#endif

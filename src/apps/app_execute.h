// SPDX-License-Identifier: Apache-2.0
//
// What a call of a published app does: one table in app_execute.c, by behavior. All apps
// have the same input, {message, context}; the data of the result have the form of the
// app's layout.
//
//     content             the app's message; for clients that show no views the data as
//                         plain text, too
//     structuredContent   the data
//     _meta               which widget shows them
//
// A client that wants progress is told 0, 50 and 100 of 100; what a mapped tool tells of its
// progress lies between 50 and 100.
//
// A failure is one of the five codes of the contract (app_error.h); the details have the
// cause as "reason". No prompt stands in it.
#ifndef MICA_APPS_APP_EXECUTE_H
#define MICA_APPS_APP_EXECUTE_H

#include <mica/schema.h>

#include "apps/app_meter.h"
#include "apps/app_record.h"
#include "apps/layout.h"
#include "call/call.h"

// The input schema of the tool of every app, as one line of JSON.
extern const char mica_app_input_schema[];

// What a loaded app runs by. Texts are borrowed, and outlive the calls.
struct mica_app_plan {
    enum mica_app_behavior_type type;
    const struct mica_schema *input; // of mica_app_input_schema, compiled
    const struct mica_app_layout_row *layout;
    // Of TOOL and PROMPT: the schema of the layout, compiled.
    const struct mica_schema *output;
    struct mica_text message; // text for the model; may be empty
    struct mica_text data;    // of DATA: JSON on one line
    struct mica_text plain;   // the same as text
    struct mica_text meta;    // members of _meta of each result
    // Of TOOL: its name, the build that the version is bound to, and two argument maps as
    // JSON; all but the name may be empty.
    struct mica_text tool, pin, arguments, result;
    // Of PROMPT. The texts may be empty, but for the prompt.
    struct mica_text system, provider, model;
    enum mica_app_prompt_by by;
    unsigned hints;               // of TOOL: those of the mapped tool
    uint32_t limit_ms;            // of a call by the budget of the app; 0: none
    struct mica_app_meter *meter; // NULL: nothing counts the calls
};

// The hints of the tool (enum mica_hints) by the behavior of its app.
unsigned mica_app_hints(const struct mica_app_plan *plan);

// May a serving thread try the call first? Else a worker runs it.
bool mica_app_runs_inline(enum mica_app_behavior_type type);

// The function of a runnable whose `data` is a struct mica_app_plan. A serving thread leaves
// a call that reports progress to a worker.
void mica_app_run(const struct mica_runnable *self, struct mica_call *call,
                  struct mica_text arguments);

#endif

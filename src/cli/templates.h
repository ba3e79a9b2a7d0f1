// SPDX-License-Identifier: Apache-2.0
//
// What `mica new` writes: sources that build, pass every check and answer.
// @IDENTIFIER@ and @TITLE@ are to be filled in.
#ifndef MICA_CLI_TEMPLATES_H
#define MICA_CLI_TEMPLATES_H

extern const char mica_template_engine[], mica_template_tool[],
    mica_template_test[]; // of the tool

#endif

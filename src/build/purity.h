// SPDX-License-Identifier: Apache-2.0
//
// Whether an engine is a pure function, judged by its object file and by the
// linked module. Having no imports is not enough: much of libc keeps state
// inside the module.
#ifndef MICA_BUILD_PURITY_H
#define MICA_BUILD_PURITY_H

#include "build/wasm.h"

// Looks for calls of functions that an engine cannot have and the source does not
// declare itself, before a compiler does: it may leave them out, or call another of the
// family. Errors: MICA_E_IMPURE, as below.
enum mica_status mica_purity_source(struct mica_text text, const char *source,
                                    struct mica_buffer *diagnostics,
                                    struct mica_error *error) MICA_MUST_USE;

// Looks at the object of the author's file. Errors: MICA_E_IMPURE: the message
// is about the first thing found, with its line where `text` has it, and says what to
// do instead; one line for each further goes to `diagnostics`. `source` is the name of
// the file, `text` what it holds.
enum mica_status mica_purity_object(const struct mica_wasm *object,
                                    const char *source, struct mica_text text,
                                    struct mica_buffer *diagnostics,
                                    struct mica_error *error) MICA_MUST_USE;

// What to do instead of using `name`; NULL when nothing special is known of it.
const char *mica_purity_advice(struct mica_text name);

// The line of a source where that name is used, or another of its family; 0 for none.
unsigned mica_purity_line(struct mica_text source, struct mica_text name);

// Looks at the linked module, whose form is known (module_form.h): nothing imported,
// memory within bounds. Errors: MICA_E_IMPURE, MICA_E_BUILD.
enum mica_status mica_purity_module(const struct mica_wasm *module,
                                    struct mica_error *error) MICA_MUST_USE;

#endif

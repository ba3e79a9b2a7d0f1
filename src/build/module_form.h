// SPDX-License-Identifier: Apache-2.0
//
// The form of a linked module, checked on its bytes before another program reads
// them: wasm2c and wasm2js write names of a module into code, and wasm2c 1.0.32 some
// of them as they are. So the only names left are mica's own.
//
//   FORM-1  it imports nothing, starts nothing, and exports mica's names, each
//           once, of mica's types, and no other;
//   FORM-2  its sections are those that a linker writes, in their order;
//   FORM-3  it has no custom section: they hold names and nothing that runs.
#ifndef MICA_BUILD_MODULE_FORM_H
#define MICA_BUILD_MODULE_FORM_H

#include <mica/base.h>

// Checks FORM-1 and FORM-2 and gives the module without its custom sections, in
// `arena` or in `bytes`. Errors: MICA_E_IMPURE (an import, a start function, an
// export that is not mica's), MICA_E_BUILD (no module, damaged, a section that is
// unknown or out of order, an export that is missing or of another type).
enum mica_status mica_module_form(struct mica_arena *arena,
                                  struct mica_text bytes,
                                  struct mica_error *error,
                                  struct mica_text *module_out) MICA_MUST_USE;

// The text with '?' for all but printable ASCII, cut, for messages: at most 64
// characters.
struct mica_text mica_form_shown(struct mica_text name, char out[65]);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// What a translated engine may be as native code, looked at before it is sealed:
// the third fence behind the form of the module and the confinement of what
// translates it. It knows nothing of how the code was made.
//
//   OBJECT-1  nothing runs when it is loaded or unloaded: no constructors, no
//             resolvers of functions;
//   OBJECT-2  it refers to nothing but functions that compute: what else it calls
//             it is handed in a table (sandbox/runtime);
//   OBJECT-3  it defines the names of its own engine alone;
//   OBJECT-4  its parts are those that a C compiler writes for such code, and
//             none can be both written and run;
//   OBJECT-5  what is read here is what the loader sees: parts lie in the file, one
//             behind the other; and relocations change its own data alone.
#ifndef MICA_BUILD_NATIVE_OBJECT_H
#define MICA_BUILD_NATIVE_OBJECT_H

#include <mica/base.h>

// Checks the object of a translation (ELF, 64 bits). Errors: MICA_E_IMPURE (the
// message names the section or the symbol), MICA_E_BUILD (no such object).
enum mica_status mica_native_object(struct mica_text bytes,
                                    const char *identifier,
                                    struct mica_error *error) MICA_MUST_USE;

// Checks the shared object that is loaded, by what the loader reads. Errors: as
// above.
enum mica_status mica_native_shared(struct mica_text bytes,
                                    struct mica_error *error) MICA_MUST_USE;

#endif

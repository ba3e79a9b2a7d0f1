// SPDX-License-Identifier: Apache-2.0
//
// The build driver: one source in, a few files out. Of an engine
//
//   <out>/<slug>.wasm             the module, with nothing imported
//   <out>/<slug>-<sha256>.so      its translation, for the sandbox
//   <out>/<slug>.seal             who made the translation (sandbox/seal.h)
//   <out>/<slug>.twin.js          what the module does, in JavaScript, for browsers
//                                 that refuse WebAssembly
//   <out>/<slug>.html             the page that stood beside the source, if any,
//                                 with the engine inside
//   <out>/<slug>.view.html        the same as a view (MCP Apps), if it can be one
//   <out>/<slug>.js, .d.ts        the ES module that runs either, and its types
//   <out>/_engine.js, .d.ts       which all of those import
//   <out>/<slug>.json             its manifest, read from the tables in the module and
//                                 extended with "sha256", "size", "twin" and
//                                 "page" and "view" (their SHA-256), "page_policy", "abi" and
//                                 "build" (what it was built from)
//
// and of an interactive tool, which is native code and called <name>.c,
//
//   <out>/<name>.so               what the program loads
//   <out>/<name>.seal             who made it
//   <out>/<name>.json             its manifest
//   <out>/.versions/<name>-<sha256>.so, .seal
//                                 the same under a name of its own, and those it
//                                 was built to before: calls that began with one
//                                 end with it
//   <out>/.lib/<sha256>.a, .seal  code of tools/lib, linked into every tool
//
// meson calls it for the sources of the repository, and so does `mica build`.
// The same source gives the same bytes in every folder.
#ifndef MICA_BUILD_BUILD_H
#define MICA_BUILD_BUILD_H

#include <mica/base.h>

// Where the compilers and mica's own parts are.
struct mica_toolchain {
    char clang[256], wasm_ld[256], wasm2c[256], cc[256]; // names or paths
    // "" when they are not there: engines get no fallback then, and are larger.
    char wasm2js[256], wasm_opt[256];
    char include_dir[512];    // has mica/engine.h
    char module_archive[512]; // libmica-module.a: core and entry for wasm32
    char runtime_dir[512];  // has wasm-rt.h, guard.h, translated.h, design.css
    char libc_include[512]; // wasi-libc's headers
    char libc_lib[512];     // and the folder of its libc.a
    char builtins[512];     // libclang_rt.builtins-wasm32.a
    char cache[512];        // of translations (build_cache.h); "": none
};

// Fills it from the environment (MICA_CLANG, MICA_WASM_LD, MICA_WASM2C,
// MICA_WASM2JS, MICA_WASM_OPT, MICA_CC, MICA_INCLUDE_DIR, MICA_MODULE_ARCHIVE,
// MICA_RUNTIME_DIR, MICA_WASI_INCLUDE, MICA_WASI_LIB, MICA_WASM_BUILTINS, MICA_CACHE), else from
// PATH, the folder of the running program and the one above it, and the place mica is
// installed to.
// Errors: MICA_E_NOT_FOUND: the message names what is missing and the package or
// variable that brings it; MICA_E_USAGE (MICA_CACHE is malformed).
enum mica_status mica_toolchain_find(struct mica_toolchain *toolchain_out,
                                     struct mica_error *error) MICA_MUST_USE;

// The same without what only engines need: a C compiler and mica's headers.
enum mica_status
mica_toolchain_find_native(struct mica_toolchain *toolchain_out,
                           struct mica_error *error) MICA_MUST_USE;

struct mica_build_options {
    const struct mica_toolchain *toolchain;
    const char *out_dir; // made if absent; one level
    bool fast;           // -O0 for the translation: quick to build, slow to run
    bool object;         // also keep <slug>.o, for linking into a program: it
                         // defines mica_translated_<slug with _ for ->
    bool force;          // build even when nothing changed
};

enum mica_build_outcome {
    MICA_BUILT,
    MICA_UP_TO_DATE
};

// Builds engines/<slug>.c. Errors: MICA_E_BUILD (the compiler's words are in
// `diagnostics`), MICA_E_IMPURE (the message names the symbol and what to do
// instead), MICA_E_LIMIT (a source of more than 1 MiB), MICA_E_TRUST (of a tool: a link
// has the name of a folder of mica), MICA_E_CANCELLED (mica_process_end_all), MICA_E_BUSY
// (another process keeps the folder locked), MICA_E_NOT_FOUND,
// MICA_E_USAGE, MICA_E_IO. A compiler that is stopped at a limit is MICA_E_BUILD.
// A failed build leaves
// the files of the last good one. The slug is the file name without ".c":
// [a-z0-9] and single '-' between, 1 to 64 characters. Warnings of a successful
// build are in `diagnostics` too.
// Threads: any number, with different slugs or folders.
enum mica_status
mica_build_engine(const struct mica_build_options *options, const char *source,
                  struct mica_buffer *diagnostics, struct mica_error *error,
                  enum mica_build_outcome *outcome_out) MICA_MUST_USE;

// Builds tools/<name>.c, with the code of tools/lib beside it if there is any. It
// may name libraries at its top: "// mica: libraries sqlite3 …". The program that
// builds has to show mica's functions, as the one that serves: the tool is loaded
// to be described. Errors and threads: as mica_build_engine.
enum mica_status
mica_build_tool(const struct mica_build_options *options, const char *source,
                struct mica_buffer *diagnostics, struct mica_error *error,
                enum mica_build_outcome *outcome_out) MICA_MUST_USE;

// As mica_build_engine, but from a module that is there already (named
// <slug>.wasm): nothing is known of its source, so it is read byte by byte
// (module_form.h): it imports nothing, exports mica's names alone, and has no start
// function. <slug>.json beside it describes it. Always builds.
enum mica_status mica_build_module(const struct mica_build_options *options,
                                   const char *wasm,
                                   struct mica_buffer *diagnostics,
                                   struct mica_error *error) MICA_MUST_USE;

#endif

// SPDX-License-Identifier: Apache-2.0
//
// A form: the record of a question with what is set for this one time, as the
// schema that a client shows, and back from the answer to the struct. The rules
// are those of MCP's elicitation schemas (guide of the protocol, 2025-06-18,
// 2025-11-25 and 2026-07-28: client/elicitation).
#ifndef MICA_CALL_FORM_H
#define MICA_CALL_FORM_H

#include <mica/tool.h>

#include "call/turn.h"

// May this record be asked for? Flat; texts (formats email and uri), numbers,
// integers, booleans, choices, dates, date-times, lists of choices and of texts
// (which need options at each ask); at least one field; no pattern, no exclusive
// bounds, no `wide`; no name of a secret, no URL in a description. MICA_E_USAGE,
// naming field, rule and way out.
enum mica_status mica_form_check_record(const struct mica_record *record,
                                        struct mica_arena *arena,
                                        struct mica_error *error) MICA_MUST_USE;

// The same for all forms that the source of a built tool has, wherever they stand
// in it: what the build refuses.
enum mica_status mica_forms_check(const struct mica_tool_module *module,
                                  struct mica_error *error) MICA_MUST_USE;

// The same of a form with its settings: fields that exist, options only for texts
// and lists of texts, unique and not empty, defaults that fit, bounds that leave
// something. On success *record_out is a record in `arena` in which the settings
// are merged, by which an answer is decoded.
enum mica_status
mica_form_prepare(const struct mica_form *form, struct mica_arena *arena,
                  struct mica_error *error, struct mica_record *record_out)
    MICA_MUST_USE;

// The requestedSchema of a prepared form. A dialect without lists is refused with
// MICA_E_CAPABILITY when the form has one.
enum mica_status mica_form_schema(const struct mica_form *form,
                                  const struct mica_record *prepared,
                                  enum mica_ask_dialect dialect,
                                  struct mica_error *error,
                                  struct mica_json_writer *writer)
    MICA_MUST_USE;

// Same for the same question, whatever its words: fields, kinds, options, bounds;
// not titles, descriptions and defaults (T2).
uint64_t mica_form_hash(const struct mica_form *form,
                        const struct mica_record *prepared);

// ElicitResult.content of an accepted form (NULL: it had none) into form->out,
// which is zero on failure. Errors: those of mica_record_decode, and NOT_A_CHOICE
// for what is not among the options, or twice in a list.
enum mica_status mica_form_decode(const struct mica_form *form,
                                  const struct mica_record *prepared,
                                  const struct mica_json *content,
                                  struct mica_arena *arena,
                                  struct mica_error *error) MICA_MUST_USE;

// ---- Sampling --------------------------------------------------------------------

// Errors: MICA_E_USAGE (neither or both of prompt and messages), MICA_E_RANGE (a
// priority that is not from 0 to 1). Texts need not be UTF-8: what is not is sent
// as U+FFFD.
enum mica_status mica_sampling_check(const struct mica_sampling *sampling,
                                     struct mica_error *error) MICA_MUST_USE;

// CreateMessageRequest.params. `schema` (may be empty) is that of a structured
// answer and goes into the system prompt; `fault` (may be empty) says what was
// wrong with the answer before.
void mica_sampling_params(const struct mica_sampling *sampling,
                          struct mica_text schema, struct mica_text fault,
                          struct mica_json_writer *writer);

// Who speaks in which order; not the words (T2).
uint64_t mica_sampling_hash(const struct mica_sampling *sampling);

// The text of a CreateMessageResult: its text blocks, joined. Errors:
// MICA_E_TYPE (no result of that kind, no text in it).
enum mica_status mica_sampling_text(const struct mica_json *result,
                                    struct mica_arena *arena,
                                    struct mica_error *error,
                                    struct mica_text *text_out) MICA_MUST_USE;

// The first JSON object in the words of a model, which may stand in a fence or
// between sentences, decoded by `into`, whose struct is zero on failure. Errors:
// those of mica_record_decode, and MICA_E_JSON (no object).
enum mica_status mica_sampling_decode(struct mica_text words,
                                      struct mica_into into,
                                      struct mica_arena *arena,
                                      struct mica_error *error) MICA_MUST_USE;

// ---- Roots -----------------------------------------------------------------------

// ListRootsResult. Errors: MICA_E_TYPE, MICA_E_FORMAT (a root with an invalid URI).
enum mica_status mica_roots_read(const struct mica_json *result,
                                 struct mica_arena *arena,
                                 struct mica_error *error,
                                 struct mica_roots *roots_out) MICA_MUST_USE;

#endif

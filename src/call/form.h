// SPDX-License-Identifier: Apache-2.0
//
// A form: the record of a question, with the settings of one ask. Writes the schema that a
// client shows, and decodes the answer into the struct. The rules are those of MCP's
// elicitation schemas (MCP 2025-06-18, 2025-11-25 and 2026-07-28: client/elicitation).
#ifndef MICA_CALL_FORM_H
#define MICA_CALL_FORM_H

#include <mica/tool.h>

#include "call/turn.h"

// Checks that a record can be a form. It is flat and has at least one field. Fields are
// texts (formats email and uri), numbers, integers, booleans, choices, dates, date-times,
// lists of choices and of texts (which need options at each ask). No field has a pattern,
// exclusive bounds, `wide`, the name of a secret, or a URL in its description. Errors:
// MICA_E_USAGE; the message names field, rule and way out.
enum mica_status mica_form_check_record(const struct mica_record *record,
                                        struct mica_arena *arena,
                                        struct mica_error *error) MICA_MUST_USE;

// Checks all forms in the source of a built tool. The build refuses what this refuses.
enum mica_status mica_forms_check(const struct mica_tool_module *module,
                                  struct mica_error *error) MICA_MUST_USE;

// Checks a form with the settings of one ask: they name fields that exist; options are
// only for texts and lists of texts, unique and not empty; defaults fit; bounds allow at
// least one value. On success *record_out is a record in `arena` with the settings merged,
// which decodes the answer.
enum mica_status
mica_form_prepare(const struct mica_form *form, struct mica_arena *arena,
                  struct mica_error *error, struct mica_record *record_out)
    MICA_MUST_USE;

// Writes the requestedSchema of a prepared form. Errors: MICA_E_CAPABILITY if the form has
// a list and the dialect has none.
enum mica_status mica_form_schema(const struct mica_form *form,
                                  const struct mica_record *prepared,
                                  enum mica_ask_dialect dialect,
                                  struct mica_error *error,
                                  struct mica_json_writer *writer)
    MICA_MUST_USE;

// A hash of the question: of its fields, kinds, options and bounds, and not of titles,
// descriptions and defaults (TURN-2).
uint64_t mica_form_hash(const struct mica_form *form,
                        const struct mica_record *prepared);

// Decodes ElicitResult.content of an accepted form (NULL: it had none) into form->out,
// which is zero on failure. Errors: those of mica_record_decode, and NOT_A_CHOICE for a
// value that is not among the options, or is twice in a list.
enum mica_status mica_form_decode(const struct mica_form *form,
                                  const struct mica_record *prepared,
                                  const struct mica_json *content,
                                  struct mica_arena *arena,
                                  struct mica_error *error) MICA_MUST_USE;

// ---- Sampling --------------------------------------------------------------------

// Checks a sampling. Errors: MICA_E_USAGE (neither or both of prompt and messages),
// MICA_E_RANGE (a priority that is not from 0 to 1). Texts need not be UTF-8: each invalid
// byte becomes U+FFFD.
enum mica_status mica_sampling_check(const struct mica_sampling *sampling,
                                     struct mica_error *error) MICA_MUST_USE;

// Writes CreateMessageRequest.params. `schema` (may be empty) is the schema of a structured
// answer, for the system prompt; `fault` (may be empty) says what was wrong with the
// previous answer.
void mica_sampling_params(const struct mica_sampling *sampling,
                          struct mica_text schema, struct mica_text fault,
                          struct mica_json_writer *writer);

// A hash of the roles of the messages in their order, and not of their texts (TURN-2).
uint64_t mica_sampling_hash(const struct mica_sampling *sampling);

// The text of a CreateMessageResult: its text blocks, joined. Errors:
// MICA_E_TYPE (no result of that kind, no text in it).
enum mica_status mica_sampling_text(const struct mica_json *result,
                                    struct mica_arena *arena,
                                    struct mica_error *error,
                                    struct mica_text *text_out) MICA_MUST_USE;

// Decodes the first JSON object in the text of a model, which may be inside a code fence
// or between sentences, by `into`, whose struct is zero on failure. Errors: those of
// mica_record_decode, and MICA_E_JSON (no object).
enum mica_status mica_sampling_decode(struct mica_text words,
                                      struct mica_into into,
                                      struct mica_arena *arena,
                                      struct mica_error *error) MICA_MUST_USE;

// ---- Roots -----------------------------------------------------------------------

// Reads ListRootsResult. Errors: MICA_E_TYPE, MICA_E_FORMAT (a root with an invalid URI).
enum mica_status mica_roots_read(const struct mica_json *result,
                                 struct mica_arena *arena,
                                 struct mica_error *error,
                                 struct mica_roots *roots_out) MICA_MUST_USE;

#endif

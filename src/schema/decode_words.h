// SPDX-License-Identifier: Apache-2.0
//
// The refusals of the decoder: each fills the error and returns its status.
#ifndef MICA_SCHEMA_DECODE_WORDS_H
#define MICA_SCHEMA_DECODE_WORDS_H

#include "schema/record_value.h"

enum mica_status mica_decode_wrong_type(const struct mica_checker *checker,
                                        const struct mica_place *place,
                                        const struct mica_slot *slot,
                                        const struct mica_json *value);
enum mica_status mica_decode_no_object(const struct mica_checker *checker,
                                       const struct mica_record *record,
                                       const struct mica_json *value);
enum mica_status mica_decode_too_large(const struct mica_checker *checker,
                                       const struct mica_place *place,
                                       const struct mica_json *value);
enum mica_status mica_decode_no_choice(const struct mica_checker *checker,
                                       const struct mica_place *place,
                                       const struct mica_type *type,
                                       struct mica_text value);
enum mica_status mica_decode_missing(const struct mica_checker *checker,
                                     const struct mica_place *place,
                                     const struct mica_field *field);
enum mica_status mica_decode_unknown(const struct mica_checker *checker,
                                     const struct mica_place *place,
                                     const struct mica_record *record,
                                     struct mica_text name);

#endif

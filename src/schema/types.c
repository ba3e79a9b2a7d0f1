// SPDX-License-Identifier: Apache-2.0
//
// The types that every record may name without declaring them.
#include <mica/record.h>

const struct mica_type mica_type_text = {
    .kind = MICA_KIND_TEXT, .size = sizeof(struct mica_text), .tag = "text"};
const struct mica_type mica_type_number = {
    .kind = MICA_KIND_NUMBER, .size = sizeof(double), .tag = "number"};
const struct mica_type mica_type_integer = {
    .kind = MICA_KIND_INTEGER, .size = sizeof(int64_t), .tag = "integer"};
const struct mica_type mica_type_boolean = {
    .kind = MICA_KIND_BOOLEAN, .size = sizeof(bool), .tag = "boolean"};
const struct mica_type mica_type_date = {
    .kind = MICA_KIND_DATE, .size = sizeof(struct mica_date), .tag = "date"};
const struct mica_type mica_type_date_time = {.kind = MICA_KIND_DATE_TIME,
                                              .size = sizeof(struct mica_time),
                                              .tag = "date_time"};
const struct mica_type mica_type_any = {
    .kind = MICA_KIND_ANY, .size = sizeof(struct mica_json *), .tag = "any"};

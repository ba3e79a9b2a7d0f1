// SPDX-License-Identifier: Apache-2.0
//
// Errors of apps: the five codes with their numbers, and the same object in each place.
#include "apps/app_error.h"

#include <string.h>

#include "protocol/problem.h"
#include "unit.h"

static struct mica_arena arena;
static struct mica_buffer out;
static struct mica_json_writer writer;

static void
begin(void)
{
    mica_arena_fini(&arena);
    mica_arena_init(&arena, 1 << 20);
    mica_buffer_init(&out, &arena, 1 << 16);
    mica_json_writer_init(&writer, &out);
}

static const char *
written(void)
{
    ck_assert_uint_eq(writer.depth, 0);
    mica_buffer_char(&out, '\0');
    ck_assert(!out.overflow);
    return out.ptr;
}

START_TEST(the_contract_has_five_codes)
{
    static const struct {
        enum mica_status status;
        const char *code;
        int rpc, http, exit;
    } rows[] = {{MICA_E_APP, "APP_NOT_FOUND", -32602, 404, 4},
                {MICA_E_CONFIG, "INVALID_CONFIG", -32602, 422, 3},
                {MICA_E_EXECUTION, "EXECUTION_ERROR", -32603, 500, 1},
                {MICA_E_LLM, "LLM_ERROR", -32603, 502, 8},
                {MICA_E_TIMEOUT, "TIMEOUT", -32603, 504, 5}};

    for (size_t i = 0; i < MICA_COUNT(rows); i++) {
        ck_assert_str_eq(mica_status_code(rows[i].status), rows[i].code);
        ck_assert_int_eq(mica_status_json_rpc(rows[i].status), rows[i].rpc);
        ck_assert_int_eq(mica_status_http(rows[i].status), rows[i].http);
        ck_assert_int_eq(mica_status_exit(rows[i].status), rows[i].exit);
        ck_assert_int_eq(mica_app_error_status(rows[i].status), rows[i].status);
    }
}
END_TEST

START_TEST(the_same_object_stands_in_each_place)
{
    struct mica_app_error error = {
        .status = MICA_E_EXECUTION,
        .message = MICA_LITERAL("Failed to execute \"app\""),
        .details = MICA_LITERAL("{\"reason\":\"LLM timeout\"}")};
    struct mica_buffer data;
#define OBJECT                                                       \
    "{\"code\":\"EXECUTION_ERROR\",\"message\":\"Failed to execute " \
    "\\\"app\\\"\",\"details\":{\"reason\":\"LLM timeout\"}}"

    begin();
    mica_app_error_write_body(&writer, &error);
    ck_assert_str_eq(written(), "{\"error\":" OBJECT "}");

    begin();
    mica_json_open_object(&writer);
    mica_json_field(&writer, "before", MICA_LITERAL("x"));
    mica_app_error_write_meta(&writer, &error);
    mica_json_close_object(&writer);
    ck_assert_str_eq(written(), "{\"before\":\"x\",\"mica/error\":" OBJECT "}");

    begin();
    mica_buffer_init(&data, &arena, 1 << 16);
    mica_app_error_write_data(&data, &error);
    mica_json_open_object(&writer);
    mica_problem_write(&writer, MICA_RPC_INTERNAL, "EXECUTION_ERROR",
                       mica_buffer_as_text(&data), error.message);
    mica_json_close_object(&writer);
    ck_assert_str_eq(written(),
                     "{\"error\":{\"code\":-32603,\"message\":"
                     "\"Failed to execute \\\"app\\\"\",\"data\":" OBJECT "}}");
#undef OBJECT
}
END_TEST

START_TEST(an_error_without_details_has_empty_ones)
{
    struct mica_app_error error = {.status = MICA_E_APP,
                                   .message = MICA_LITERAL("none")};

    begin();
    mica_app_error_write(&writer, &error);
    ck_assert_str_eq(written(),
                     "{\"code\":\"APP_NOT_FOUND\",\"message\":\"none\","
                     "\"details\":{}}");
    begin();
    error.codez = "OWN_CODE";
    mica_app_error_write(&writer, &error);
    ck_assert_str_eq(written(), "{\"code\":\"OWN_CODE\",\"message\":\"none\","
                                "\"details\":{}}");
}
END_TEST

// What an app answers when a part of it ended so.
static const char *
made_of(enum mica_status status, const char *pathz)
{
    struct mica_error cause;
    struct mica_app_error error;

    begin();
    (void)mica_error_set(&cause, status, pathz, "why");
    mica_app_error_make(&cause, &arena, &error);
    mica_app_error_write(&writer, &error);
    return written();
}

START_TEST(what_fails_inside_is_one_of_the_five)
{
    ck_assert_str_eq(made_of(MICA_E_FETCH_TIME, ""),
                     "{\"code\":\"TIMEOUT\",\"message\":\"why\",\"details\":{"
                     "\"reason\":\"FETCH_TIMEOUT\"}}");
    ck_assert_str_eq(made_of(MICA_E_RANGE, "/amount"),
                     "{\"code\":\"EXECUTION_ERROR\",\"message\":\"why\","
                     "\"details\":{\"reason\":\"OUT_OF_RANGE\",\"path\":"
                     "\"/amount\"}}");
    ck_assert_str_eq(made_of(MICA_E_CONFIG, "/toolName"),
                     "{\"code\":\"INVALID_CONFIG\",\"message\":\"why\","
                     "\"details\":{\"path\":\"/toolName\"}}");
    ck_assert_str_eq(made_of(MICA_E_LLM, ""),
                     "{\"code\":\"LLM_ERROR\",\"message\":\"why\",\"details\":"
                     "{}}");
}
END_TEST

START_TEST(every_status_is_kept_or_one_of_the_five)
{
    unsigned kept = 0, changed = 0;

    for (unsigned i = 0; i < MICA_STATUS_COUNT; i++) {
        enum mica_status status = (enum mica_status)i;
        enum mica_status is = mica_app_error_status(status);
        if (is == status) {
            kept++;
            continue;
        }
        changed++;
        ck_assert(is == MICA_E_TIMEOUT || is == MICA_E_EXECUTION);
        // Changing it again changes nothing.
        ck_assert_int_eq(mica_app_error_status(is), is);
    }
    ck_assert_uint_gt(kept, 20);
    ck_assert_uint_gt(changed, 20);
    ck_assert_int_eq(mica_app_error_status(MICA_E_SCOPE), MICA_E_SCOPE);
    ck_assert_int_eq(mica_app_error_status(MICA_E_BUDGET), MICA_E_BUDGET);
    ck_assert_int_eq(mica_app_error_status(MICA_FAILED), MICA_E_EXECUTION);
    ck_assert_int_eq(mica_app_error_status(MICA_E_SERVICE), MICA_E_EXECUTION);
    ck_assert_int_eq(mica_app_error_status(MICA_E_LIMIT), MICA_E_EXECUTION);
}
END_TEST

UNIT_MAIN("app_error", the_contract_has_five_codes,
          the_same_object_stands_in_each_place,
          an_error_without_details_has_empty_ones,
          what_fails_inside_is_one_of_the_five,
          every_status_is_kept_or_one_of_the_five)

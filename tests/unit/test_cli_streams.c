// SPDX-License-Identifier: Apache-2.0
//
// What a command prints: all of a JSON text, or nothing of it and an error.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "unit.h"

static struct mica_cli cli;
static FILE *printed; // in place of stdout

static void
begin(void)
{
    memset(&cli, 0, sizeof cli);
    printed = tmpfile();
    ck_assert_ptr_nonnull(printed);
    ck_assert_int_ge(dup2(fileno(printed), STDOUT_FILENO), 0);
    mica_cli_streams_open(&cli);
}

static void
add_json(size_t max, const char *text)
{
    struct mica_buffer json;

    mica_buffer_init(&json, NULL, max);
    mica_buffer_text(&json, mica_text(text));
    mica_cli_json_buffer(&cli, &json);
    mica_buffer_fini(&json);
}

static void
prints(enum mica_status wanted, const char *text)
{
    struct mica_error error;
    char found[64];
    size_t length;

    ck_assert_int_eq(mica_cli_streams_close(&cli, &error), wanted);
    rewind(printed);
    length = fread(found, 1, sizeof found, printed);
    UNIT_TEXT_EQ(((struct mica_text){found, length}), text);
    ck_assert_int_eq(fclose(printed), 0);
}

START_TEST(json_that_fits_is_a_line)
{
    begin();
    add_json(64, "{\"a\":1}");
    prints(MICA_OK, "{\"a\":1}\n");
}
END_TEST

START_TEST(json_that_does_not_fit_is_an_error)
{
    begin();
    add_json(4, "{\"a\":1}");
    add_json(64, "[]");
    prints(MICA_E_LIMIT, "[]\n");
}
END_TEST

START_TEST(a_part_that_does_not_fit_is_an_error)
{
    struct mica_buffer part;

    begin();
    mica_buffer_init(&part, NULL, 4);
    mica_buffer_text(&part, mica_text("{\"a\":1}"));
    mica_cli_print(&cli, "[");
    mica_cli_json(&cli, mica_cli_whole(&part));
    mica_cli_print(&cli, "]");
    mica_buffer_fini(&part);
    prints(MICA_E_LIMIT, "[]");
}
END_TEST

START_TEST(what_cannot_be_written_is_an_error)
{
    begin();
    ck_assert_int_eq(close(STDOUT_FILENO), 0);
    add_json(64, "[]");
    prints(MICA_E_IO, "");
}
END_TEST

UNIT_MAIN("cli_streams", json_that_fits_is_a_line,
          json_that_does_not_fit_is_an_error,
          a_part_that_does_not_fit_is_an_error,
          what_cannot_be_written_is_an_error)

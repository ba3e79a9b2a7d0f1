// SPDX-License-Identifier: Apache-2.0
//
// The tests of JSON Schema's own suite for draft 2020-12, as a Debian package
// brings them, or those below MICA_SCHEMA_SUITE. All that are required must pass; for
// the optional ones tests/spec/schema/optional.txt says which do, and why others do
// not.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mica/schema.h>

#include "unit.h"

#define PACKAGED "/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance"
#define REMOTE   "http://localhost:1234/"

enum {
    DOCUMENTS = 400,
    FILES = 100,
    BYTES = 1 << 20
};

static struct mica_arena files;
static struct mica_schema_document documents[DOCUMENTS];
static size_t document_count;

static const char *
suite_folder(void)
{
    const char *namedz = getenv("MICA_SCHEMA_SUITE");
    return namedz != NULL ? namedz : PACKAGED;
}

static struct mica_text
read_file(const char *pathz)
{
    FILE *file = fopen(pathz, "rb");
    ck_assert_msg(file != NULL, "cannot open %s; scripts/packages test", pathz);
    char *bytes = malloc(BYTES);
    size_t len = fread(bytes, 1, BYTES, file);
    fclose(file);
    struct mica_text text =
        mica_arena_text(&files, (struct mica_text){bytes, len});
    free(bytes);
    return text;
}

// Registers all JSON files below a folder of remotes under their URIs.
static void
register_folder(const char *folderz)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/remotes/%s", suite_folder(), folderz);
    DIR *folder = opendir(path);
    ck_assert_msg(folder != NULL, "cannot open %s; scripts/packages test",
                  path);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[512];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s%s%s", folderz,
                 *folderz != '\0' ? "/" : "", entry->d_name);
        if (entry->d_type == DT_DIR) {
            register_folder(name);
            continue;
        }
        char uri[600];
        snprintf(uri, sizeof uri, REMOTE "%s", name);
        snprintf(path, sizeof path, "%s/remotes/%s", suite_folder(), name);
        ck_assert_uint_lt(document_count, DOCUMENTS);
        documents[document_count++] = (struct mica_schema_document){
            mica_arena_text(&files, mica_text(uri)), read_file(path)};
    }
    closedir(folder);
}

// Once for each test, whose process ends with it.
static void
read_remotes(void)
{
    mica_arena_init(&files, 64 << 20);
    register_folder("");
}

// ---- One file --------------------------------------------------------------

// What is known to be answered otherwise, a line "file<TAB>group<TAB>reason".
static struct mica_text exceptions;

static bool
is_exception(const char *filez, struct mica_text group)
{
    struct mica_text rest = exceptions;
    size_t size = strlen(filez);
    while (rest.len > 0) {
        const char *end = memchr(rest.ptr, '\n', rest.len);
        size_t line = end != NULL ? (size_t)(end - rest.ptr) : rest.len;
        struct mica_text name =
            mica_text_slice(rest, size + 1, size + 1 + group.len);
        if (mica_text_starts(rest, filez) && line > size + 1 + group.len &&
            rest.ptr[size] == '\t' && rest.ptr[size + 1 + group.len] == '\t' &&
            mica_text_equal(name, group))
            return true;
        rest = mica_text_slice(rest, line + 1, rest.len);
    }
    return false;
}

struct tally {
    size_t passed, failed, excepted;
};

// Whether the answer is the one that the suite wants; says so when it is not.
static bool
check_one(const char *filez, struct mica_text group,
          const struct mica_schema *schema, const struct mica_json *test,
          bool quiet)
{
    const struct mica_json *data = mica_json_get(test, "data");
    bool valid = mica_json_get(test, "valid")->kind == MICA_JSON_TRUE;
    struct mica_schema_report report;
    struct mica_arena scratch;
    mica_arena_init(&scratch, 16 << 20);
    enum mica_status full =
        mica_schema_validate(schema, data, NULL, &scratch, &report);
    enum mica_status quick =
        mica_schema_validate(schema, data, NULL, &scratch, NULL);
    ck_assert_int_eq(full == MICA_OK, quick == MICA_OK);
    ck_assert_int_ne(full, MICA_E_LIMIT);
    ck_assert_int_eq(full == MICA_OK, report.count == 0);
    for (size_t i = 0; i < report.count; i++) {
        ck_assert_uint_gt(report.errors[i].message.len, 10);
        ck_assert_uint_gt(report.errors[i].schema_path.len, 0);
    }
    bool right = (full == MICA_OK) == valid;
    if (!right && !quiet)
        fprintf(stderr, "%s: %.*s: %.*s\n", filez, MICA_ARG(group),
                MICA_ARG(mica_json_get_text(test, "description")));
    mica_arena_fini(&scratch);
    return right;
}

static void
check_group(const char *filez, const struct mica_json *group, bool assert,
            struct tally *tally)
{
    const struct mica_schema_options options = {.documents = documents,
                                                .document_count =
                                                    document_count,
                                                .assert_formats = assert};
    struct mica_text name = mica_json_get_text(group, "description");
    const struct mica_json *tests = mica_json_get(group, "tests");
    bool excepted = is_exception(filez, name), all = true;
    struct mica_arena arena;
    struct mica_schema *schema;
    struct mica_error error;
    mica_arena_init(&arena, 64 << 20);
    enum mica_status status = mica_schema_compile(
        &arena, mica_json_get(group, "schema")->raw, &options, &error, &schema);
    if (status != MICA_OK && !excepted)
        fprintf(stderr, "%s: %.*s: %s at %s\n", filez, MICA_ARG(name),
                error.message, error.path);
    for (size_t i = 0; i < tests->count; i++) {
        bool good = status == MICA_OK &&
                    check_one(filez, name, schema, &tests->items[i], excepted);
        all = all && good;
        if (!excepted)
            *(good ? &tally->passed : &tally->failed) += 1;
    }
    tally->excepted += excepted;
    // The list must not name what works.
    ck_assert_msg(!excepted || !all, "%s: %.*s passes; take it off the list",
                  filez, MICA_ARG(name));
    mica_arena_fini(&arena);
}

static void
check_file(const char *folderz, const char *filez, bool assert,
           struct tally *tally)
{
    char path[1024];
    struct mica_json groups;
    struct mica_error error;
    snprintf(path, sizeof path, "%s/tests/draft2020-12/%s%s", suite_folder(),
             folderz, filez);
    ck_assert_msg(mica_json_read(&files, read_file(path), NULL, &error,
                                 &groups) == MICA_OK,
                  "%s: %s", path, error.message);
    snprintf(path, sizeof path, "%s%s", folderz, filez);
    for (size_t i = 0; i < groups.count; i++)
        check_group(path, &groups.items[i], assert, tally);
}

static struct tally
check_folder(const char *folderz, bool assert)
{
    char path[1024];
    struct tally tally = {0, 0, 0};
    snprintf(path, sizeof path, "%s/tests/draft2020-12/%s", suite_folder(),
             folderz);
    DIR *folder = opendir(path);
    ck_assert_msg(folder != NULL, "cannot open %s; scripts/packages test",
                  path);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        // What a regular expression is, is only said by the format.
        if (entry->d_type == DT_REG)
            check_file(folderz, entry->d_name,
                       assert ||
                           strcmp(entry->d_name, "ecmascript-regex.json") == 0,
                       &tally);
    closedir(folder);
    return tally;
}

// ---- All of them -----------------------------------------------------------

START_TEST(all_required_tests_of_the_suite_pass)
{
    read_remotes();
    exceptions = (struct mica_text){NULL, 0};
    struct tally tally = check_folder("", false);
    ck_assert_uint_eq(tally.failed, 0);
    ck_assert_uint_ge(tally.passed, 1176);
}
END_TEST

START_TEST(optional_tests_pass_but_for_those_listed)
{
    read_remotes();
    exceptions = read_file(MICA_SOURCE "/tests/spec/schema/optional.txt");
    struct tally tally = check_folder("optional/", false);
    ck_assert_uint_eq(tally.failed, 0);
    ck_assert_uint_ge(tally.passed, 100);
}
END_TEST

START_TEST(formats_assert_as_the_suite_wants_but_for_those_listed)
{
    read_remotes();
    exceptions = read_file(MICA_SOURCE "/tests/spec/schema/optional.txt");
    struct tally tally = check_folder("optional/format/", true);
    ck_assert_uint_eq(tally.failed, 0);
    ck_assert_uint_ge(tally.passed, 400);
}
END_TEST

UNIT_MAIN("schema_suite", all_required_tests_of_the_suite_pass,
          optional_tests_pass_but_for_those_listed,
          formats_assert_as_the_suite_wants_but_for_those_listed)

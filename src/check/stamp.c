// SPDX-License-Identifier: Apache-2.0
//
// <out_dir>/.check/<slug>.json: {"mica","build",…} and the report.
#include "check/stamp.h"

#include <stdio.h>
#include <sys/stat.h>

#include "build/files.h"

enum {
    STAMP_BYTES = 64 * 1024
};

static bool
stamp_path(const struct mica_stamp *stamp, char out[PATH_MAX])
{
    return stamp->options->identity != NULL &&
           mica_path(out, NULL, "%s/.check/%s.json", stamp->options->out_dir,
                     stamp->report->slug.ptr) == MICA_OK;
}

static size_t
number(const struct mica_json *json, const char *pointerz)
{
    const struct mica_json *value =
        mica_json_pointer_get(json, mica_text(pointerz));
    int64_t size = 0;

    if (value != NULL && mica_integer_read(value->text, &size) && size > 0) {
        return (size_t)size;
    }
    return 0;
}

bool
mica_stamp_read(const struct mica_stamp *stamp)
{
    struct mica_report *report = stamp->report;
    char path[PATH_MAX];
    struct mica_text text;
    struct mica_json json;

    if (stamp->options->force || stamp->options->random_count > 0 ||
        !mica_report_good(report) || !stamp_path(stamp, path) ||
        mica_file_read(report->arena, path, NULL, &text) != MICA_OK ||
        mica_json_read(report->arena, text, NULL, NULL, &json) != MICA_OK ||
        !mica_text_is(mica_json_get_text(&json, "mica"),
                      stamp->options->identity) ||
        !mica_text_equal(mica_json_get_text(&json, "build"), stamp->build)) {
        return false;
    }
    report->covered = number(&json, "/report/coverage/covered");
    report->total = number(&json, "/report/coverage/total");
    report->schema_bytes = number(&json, "/report/input_schema/bytes");
    report->cached = true;
    return true;
}

void
mica_stamp_write(const struct mica_stamp *stamp)
{
    char folder[PATH_MAX], path[PATH_MAX];
    struct mica_buffer buffer;
    struct mica_json_writer writer;

    if (!stamp_path(stamp, path) ||
        mica_path(folder, NULL, "%s/.check", stamp->options->out_dir) !=
            MICA_OK) {
        return;
    }
    (void)mkdir(folder, 0755);
    mica_buffer_init(&buffer, stamp->report->arena, STAMP_BYTES);
    mica_json_writer_init(&writer, &buffer);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "mica", mica_text(stamp->options->identity));
    mica_json_field(&writer, "build", stamp->build);
    mica_json_name(&writer, "report");
    mica_report_json(&writer, stamp->report);
    mica_json_close_object(&writer);
    if (buffer.overflow ||
        mica_file_write(path, mica_buffer_as_text(&buffer), NULL) != MICA_OK) {
        (void)remove(path);
    }
}

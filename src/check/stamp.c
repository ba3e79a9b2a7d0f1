// SPDX-License-Identifier: Apache-2.0
//
// <out_dir>/.check/<slug>.json: {"mica","build",…}, the report, and a seal of
// this user's key: a stamp that came with a foreign folder counts for
// nothing.
#include "check/stamp.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "build/digest.h"
#include "build/files.h"
#include "sandbox/seal.h"

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

// Of the key and all that the stamp says, twice, so that nothing can be added at
// the end. False: this user has no key.
static bool
stamp_seal(const struct mica_stamp *stamp, struct mica_text report,
           char seal_out[MICA_SHA256_SIZE])
{
    struct mica_seal_key key;
    struct mica_digest digest;

    if (mica_seal_key(NULL, &key) != MICA_OK) {
        return false;
    }
    const struct mica_text secret = {(const char *)key.bytes, sizeof key.bytes};
    mica_digest_begin(&digest);
    mica_digest_text(&digest, secret);
    mica_digest_text(&digest, MICA_LITERAL("mica check"));
    mica_digest_text(&digest, mica_text(stamp->options->identity));
    mica_digest_text(&digest, stamp->report->slug);
    mica_digest_text(&digest, stamp->build);
    mica_digest_text(&digest, report);
    mica_digest_end(&digest, seal_out);
    mica_digest_begin(&digest);
    mica_digest_text(&digest, secret);
    mica_digest_text(&digest, mica_text(seal_out));
    mica_digest_end(&digest, seal_out);
    explicit_bzero(&key, sizeof key);
    return true;
}

// Whether the stamp was written by this user.
static bool
is_sealed(const struct mica_stamp *stamp, const struct mica_json *json)
{
    const struct mica_json *report = mica_json_get(json, "report");
    char seal[MICA_SHA256_SIZE];

    return report != NULL && stamp_seal(stamp, report->raw, seal) &&
           mica_text_is(mica_json_get_text(json, "seal"), seal);
}

static size_t
stamp_number(const struct mica_json *json, const char *pointerz)
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

    if (stamp->options->force ||
        (stamp->options->random_count > 0 && stamp->options->random_ms == 0) ||
        !mica_report_good(report) || !stamp_path(stamp, path) ||
        mica_file_read(report->arena, path, NULL, &text) != MICA_OK ||
        mica_json_read(report->arena, text, NULL, NULL, &json) != MICA_OK ||
        !mica_text_is(mica_json_get_text(&json, "mica"),
                      stamp->options->identity) ||
        !mica_text_equal(mica_json_get_text(&json, "build"), stamp->build) ||
        !is_sealed(stamp, &json)) {
        return false;
    }
    report->covered = stamp_number(&json, "/report/coverage/covered");
    report->total = stamp_number(&json, "/report/coverage/total");
    report->schema_bytes = stamp_number(&json, "/report/input_schema/bytes");
    report->cached = true;
    return true;
}

void
mica_stamp_write(const struct mica_stamp *stamp)
{
    char folder[PATH_MAX], path[PATH_MAX], seal[MICA_SHA256_SIZE];
    struct mica_buffer buffer, report;
    struct mica_json_writer writer;

    mica_buffer_init(&buffer, stamp->report->arena, STAMP_BYTES);
    mica_buffer_init(&report, stamp->report->arena, STAMP_BYTES);
    mica_json_writer_init(&writer, &report);
    mica_report_json(&writer, stamp->report);
    if (report.overflow || !stamp_path(stamp, path) ||
        mica_path(folder, NULL, "%s/.check", stamp->options->out_dir) !=
            MICA_OK ||
        mica_folder_make_inner(folder, NULL) != MICA_OK ||
        !stamp_seal(stamp, mica_buffer_as_text(&report), seal)) {
        return;
    }
    mica_json_writer_init(&writer, &buffer);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "mica", mica_text(stamp->options->identity));
    mica_json_field(&writer, "build", stamp->build);
    mica_json_name(&writer, "report");
    mica_json_raw(&writer, mica_buffer_as_text(&report));
    mica_json_field(&writer, "seal", mica_text(seal));
    mica_json_close_object(&writer);
    if (buffer.overflow ||
        mica_file_write(path, mica_buffer_as_text(&buffer), NULL) != MICA_OK) {
        (void)unlink(path);
    }
}

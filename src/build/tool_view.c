// SPDX-License-Identifier: Apache-2.0
//
// The document of a tool's view becomes a part of the tool's shared object, so that its
// hash, its seal and its versions are those of the object. Which file it is stands in the
// compiled tool: so the object is linked, asked, and linked again with the document.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "build/tool_build.h"
#include "build/view_inline.h"
#include "view/view_check.h"

enum {
    DOCUMENT_BYTES = MICA_VIEW_BYTES + (1 << 20) // more is refused later
};

static bool
is_file_name(struct mica_text name)
{
    return name.len > 0 && name.len < MICA_VIEW_FILE_SIZE &&
           memchr(name.ptr, '/', name.len) == NULL &&
           memchr(name.ptr, '\0', name.len) == NULL && name.ptr[0] != '.';
}

void
mica_tool_view_before(struct mica_tool_job *job)
{
    struct mica_json manifest;
    struct mica_text file;

    job->view_file[0] = '\0';
    if (!mica_tool_manifest_read(job, &manifest))
        return;
    file = mica_json_get_text(mica_json_get(&manifest, "view"), "file");
    if (is_file_name(file))
        (void)snprintf(job->view_file, sizeof job->view_file, "%.*s",
                       MICA_ARG(file));
}

enum mica_status
mica_tool_document(struct mica_tool_job *job, struct mica_error *error,
                   struct mica_text *document_out)
{
    struct mica_text written;
    struct mica_buffer whole;
    char path[PATH_MAX];

    MICA_TRY(mica_path(path, error, "%s/%s", job->tools_dir, job->view_file));
    MICA_TRY(mica_file_read(job->arena, path, error, &written));
    mica_buffer_init(&whole, job->arena, DOCUMENT_BYTES);
    MICA_TRY(mica_view_inline(written, &whole, error));
    *document_out = mica_buffer_as_text(&whole);
    return MICA_OK;
}

// The tool as it was linked; the caller drops the library.
static enum mica_status
tool_open(struct mica_tool_job *job, struct mica_tool_library **library_out)
{
    char path[PATH_MAX];
    enum mica_status status;
    int file;

    MICA_TRY(mica_tool_object(job, path, &file));
    status = mica_tool_library_open(file, path, job->name, NULL, job->error,
                                    library_out);
    (void)close(file);
    return status;
}

// Fills in job->view_file and job->document; both are empty without a .file.
static enum mica_status
take_document(struct mica_tool_job *job)
{
    struct mica_tool_library *library;
    const struct mica_view *view;
    enum mica_status status;

    MICA_TRY(tool_open(job, &library));
    view = library->tool.view;
    job->view_file[0] = '\0';
    job->document = (struct mica_text){NULL, 0};
    status = view != NULL ? mica_view_check(view, job->error) : MICA_OK;
    if (status == MICA_OK && view != NULL && view->file != NULL) {
        (void)snprintf(job->view_file, sizeof job->view_file, "%s", view->file);
        status = mica_tool_document(job, job->error, &job->document);
        if (status != MICA_OK)
            mica_error_prefix(job->error, "view '%s'", view->name);
        else
            status = mica_view_check_document(view, job->document, job->error);
    }
    mica_tool_library_drop(library);
    return status;
}

static const char assembly[] =
    "    .section .rodata\n"
    "    .globl " MICA_TOOL_DOCUMENT "\n"
    "    .type " MICA_TOOL_DOCUMENT ", %object\n"
    "" MICA_TOOL_DOCUMENT ":\n"
    "    .incbin \"view.html\"\n"
    "    .byte 0\n"
    "    .size " MICA_TOOL_DOCUMENT ", . - " MICA_TOOL_DOCUMENT "\n"
    "    .section .note.GNU-stack,\"\",%progbits\n";

static enum mica_status
write_parts(struct mica_tool_job *job)
{
    char path[PATH_MAX];

    MICA_TRY(mica_path(path, job->error, "%s/view.html", job->folder));
    MICA_TRY(mica_file_write(path, job->document, job->error));
    MICA_TRY(mica_path(path, job->error, "%s/view.S", job->folder));
    return mica_file_write(path, mica_text(assembly), job->error);
}

enum mica_status
mica_tool_view(struct mica_tool_job *job)
{
    enum mica_status status = take_document(job);

    if (status == MICA_E_USAGE || status == MICA_E_LIMIT ||
        status == MICA_E_NOT_FOUND) {
        const struct mica_error reason = *job->error;
        return mica_error_set(job->error, MICA_E_BUILD, "", "%s: %s",
                              job->source, reason.message);
    }
    MICA_TRY(status);
    if (job->view_file[0] == '\0')
        return MICA_OK;
    MICA_TRY(write_parts(job));
    return mica_tool_link_view(job);
}

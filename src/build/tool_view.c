// SPDX-License-Identifier: Apache-2.0
//
// The documents of a tool's views become parts of the tool's shared object, so that their
// hash, seal and versions are those of the object. Which files they are stands in the
// compiled tool: so the object is linked, asked, and linked again with the documents.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "build/tool_build.h"
#include "build/view_inline.h"
#include "view/view_check.h"

enum {
    DOCUMENT_BYTES = MICA_VIEW_BYTES + (1 << 20), // more is refused later
    ASSEMBLY_BYTES = 16 << 10
};

static bool
is_file_name(struct mica_text name)
{
    return name.len > 0 && name.len < MICA_VIEW_FILE_SIZE &&
           memchr(name.ptr, '/', name.len) == NULL &&
           memchr(name.ptr, '\0', name.len) == NULL && name.ptr[0] != '.';
}

static void
take_file(struct mica_tool_document *document, const struct mica_json *view)
{
    struct mica_text file = mica_json_get_text(view, "file");

    document->file[0] = '\0';
    if (is_file_name(file))
        (void)snprintf(document->file, sizeof document->file, "%.*s",
                       MICA_ARG(file));
}

void
mica_tool_views_before(struct mica_tool_job *job)
{
    const struct mica_json *forms;
    struct mica_json manifest;

    memset(job->documents, 0, sizeof job->documents);
    if (!mica_tool_manifest_read(job, &manifest))
        return;
    take_file(&job->documents[0], mica_json_get(&manifest, "view"));
    forms = mica_json_get(&manifest, "formViews");
    for (size_t i = 0; forms != NULL && forms->kind == MICA_JSON_ARRAY &&
                       i < forms->count && i < MICA_FORM_VIEWS_MOST;
         i++)
        take_file(&job->documents[i + 1], &forms->items[i]);
}

enum mica_status
mica_tool_document(struct mica_tool_job *job, const char *file,
                   struct mica_error *error, struct mica_text *document_out)
{
    struct mica_text written;
    struct mica_buffer whole;
    char path[PATH_MAX];

    MICA_TRY(mica_path(path, error, "%s/%s", job->tools_dir, file));
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

// Fills in the document of a view; it stays empty for a view without a .file.
static enum mica_status
take_document(struct mica_tool_job *job, const struct mica_view *view,
              struct mica_tool_document *document)
{
    enum mica_status status;

    MICA_TRY(mica_view_check(view, job->error));
    if (view->file == NULL)
        return MICA_OK;
    (void)snprintf(document->file, sizeof document->file, "%s", view->file);
    status =
        mica_tool_document(job, document->file, job->error, &document->text);
    if (status != MICA_OK) {
        mica_error_prefix(job->error, "view '%s'", view->name);
        return status;
    }
    return mica_view_check_document(view, document->text, job->error);
}

// The view that shows the result may show forms, too: its document is there once.
static enum mica_status
take_documents(struct mica_tool_job *job, const struct mica_tool *tool)
{
    const struct mica_view *view = tool->view;

    memset(job->documents, 0, sizeof job->documents);
    if (view != NULL)
        MICA_TRY(take_document(job, view, &job->documents[0]));
    for (size_t i = 0; tool->form_views != NULL &&
                       tool->form_views[i] != NULL && i < MICA_FORM_VIEWS_MOST;
         i++) {
        if (view == NULL || tool->form_views[i]->name == NULL ||
            strcmp(tool->form_views[i]->name, view->name) != 0)
            MICA_TRY(take_document(job, tool->form_views[i],
                                   &job->documents[i + 1]));
    }
    return MICA_OK;
}

static enum mica_status
find_documents(struct mica_tool_job *job)
{
    struct mica_tool_library *library;
    enum mica_status status;

    MICA_TRY(tool_open(job, &library));
    status = take_documents(job, &library->tool);
    mica_tool_library_drop(library);
    return status;
}

static void
write_symbol(struct mica_buffer *out, size_t number)
{
    char symbol[sizeof MICA_TOOL_DOCUMENT + 16];

    if (number == 0)
        (void)snprintf(symbol, sizeof symbol, MICA_TOOL_DOCUMENT);
    else
        (void)snprintf(symbol, sizeof symbol, MICA_TOOL_DOCUMENT "_%zu",
                       number);
    mica_buffer_format(out,
                       "    .globl %s\n"
                       "    .type %s, %%object\n"
                       "%s:\n"
                       "    .incbin \"view%zu.html\"\n"
                       "    .byte 0\n"
                       "    .size %s, . - %s\n",
                       symbol, symbol, symbol, number, symbol, symbol);
}

// Writes the documents, and the source that takes them in. *any_out: a view has one.
static enum mica_status
write_parts(struct mica_tool_job *job, bool *any_out)
{
    struct mica_buffer assembly;
    char path[PATH_MAX];

    *any_out = false;
    mica_buffer_init(&assembly, job->arena, ASSEMBLY_BYTES);
    mica_buffer_text(&assembly, MICA_LITERAL("    .section .rodata\n"));
    for (size_t i = 0; i < MICA_TOOL_DOCUMENTS; i++) {
        if (job->documents[i].file[0] == '\0')
            continue;
        MICA_TRY(
            mica_path(path, job->error, "%s/view%zu.html", job->folder, i));
        MICA_TRY(mica_file_write(path, job->documents[i].text, job->error));
        write_symbol(&assembly, i);
        *any_out = true;
    }
    mica_buffer_text(
        &assembly,
        MICA_LITERAL("    .section .note.GNU-stack,\"\",%progbits\n"));
    MICA_TRY(mica_path(path, job->error, "%s/view.S", job->folder));
    return mica_file_write(path, mica_buffer_as_text(&assembly), job->error);
}

enum mica_status
mica_tool_views(struct mica_tool_job *job)
{
    enum mica_status status = find_documents(job);
    bool any;

    if (status == MICA_E_USAGE || status == MICA_E_LIMIT ||
        status == MICA_E_NOT_FOUND) {
        const struct mica_error reason = *job->error;
        return mica_error_set(job->error, MICA_E_BUILD, "", "%s: %s",
                              job->source, reason.message);
    }
    MICA_TRY(status);
    MICA_TRY(write_parts(job, &any));
    return any ? mica_tool_link_view(job) : MICA_OK;
}

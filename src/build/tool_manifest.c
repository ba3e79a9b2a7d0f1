// SPDX-License-Identifier: Apache-2.0
//
// What a tool says of itself. It is loaded for that, which also shows that nothing
// is missing in it and that the server will take it.
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "build/tool_build.h"

#include <sys/stat.h>

#include <mica/json.h>

#include "call/form.h"
#include "protocol/capability.h"
#include "schema/record.h"
#include "server/server.h"
#include "json/optional_writer.h"

static void
write_words(struct mica_json_writer *writer, const char *namez,
            const char *const *words)
{
    mica_json_name(writer, namez);
    mica_json_open_array(writer);
    for (; words != NULL && *words != NULL; words++)
        mica_json_string(writer, mica_text(*words));
    mica_json_close_array(writer);
}

// The records of what it asks with MICA_FORM, each once, wherever it does.
static void
write_forms(struct mica_json_writer *writer,
            const struct mica_tool_module *module)
{
    const struct mica_record *const *at, *const *before;

    mica_json_name(writer, "forms");
    mica_json_open_array(writer);
    for (at = module->forms; at != module->forms_end; at++) {
        for (before = module->forms; *before != *at; before++)
            continue;
        if (before != at)
            continue;
        mica_json_open_object(writer);
        mica_json_field(writer, "name", mica_text((*at)->tag));
        mica_json_name(writer, "schema");
        mica_record_schema(*at, false, (struct mica_text){NULL, 0}, writer);
        mica_json_close_object(writer);
    }
    mica_json_close_array(writer);
}

static void
write_build(struct mica_tool_job *job, struct mica_json_writer *writer)
{
    char path[PATH_MAX];
    struct stat st;

    mica_json_field(writer, "sha256", mica_text(job->library->sha256));
    if (mica_path(path, NULL, "%s/tool.so", job->folder) == MICA_OK &&
        stat(path, &st) == 0) {
        mica_json_name(writer, "size");
        mica_json_integer(writer, (int64_t)st.st_size);
    }
    mica_json_name(writer, "abi");
    mica_json_integer(writer, MICA_TOOL_ABI);
    mica_json_field(writer, "build", mica_text(job->fingerprint));
}

static void
write_definition(struct mica_json_writer *writer,
                 const struct mica_definition *definition)
{
    static const char *const tasks[] = {[MICA_TASK_NEVER] = "never",
                                        [MICA_TASK_OPTIONAL] = "optional",
                                        [MICA_TASK_REQUIRED] = "required"};

    mica_json_optional_text(writer, "name", definition->name);
    mica_json_optional_text(writer, "title", definition->title);
    mica_json_optional_text(writer, "description", definition->description);
    mica_json_optional_raw(writer, "inputSchema", definition->input_schema);
    mica_json_optional_raw(writer, "outputSchema", definition->output_schema);
    mica_json_optional_raw(writer, "examples", definition->examples);
    mica_json_name(writer, "requires");
    mica_client_write_names(writer, definition->requires);
    write_words(writer, "steps", definition->steps);
    write_words(writer, "fetches", definition->fetches);
    if (definition->keeps != NULL)
        mica_json_field(writer, "keeps", mica_text(definition->keeps->name));
    mica_json_field(writer, "task", mica_text(tasks[definition->task]));
    mica_json_field(writer, "calls",
                    mica_text(definition->stored ? "stored" : "carried"));
}

// A view that shows the result and forms, too, has its file in the first place alone.
static void
write_view(struct mica_json_writer *writer, const struct mica_view *view,
           const struct mica_tool_document *document)
{
    mica_json_open_object(writer);
    mica_json_field(writer, "name", mica_text(view->name));
    if (document->file[0] != '\0')
        mica_json_field(writer, "file", mica_text(document->file));
    write_words(writer, "resourceDomains", view->resource_domains);
    if (view->html != NULL || document->file[0] != '\0') {
        mica_json_name(writer, "bytes");
        mica_json_integer(writer,
                          (int64_t)(view->html != NULL ? strlen(view->html)
                                                       : document->text.len));
    }
    mica_json_close_object(writer);
}

static void
write_views(struct mica_json_writer *writer, const struct mica_tool_job *job,
            const struct mica_definition *definition)
{
    if (mica_definition_has_view(definition)) {
        mica_json_name(writer, "view");
        write_view(writer, definition->view->view, &job->documents[0]);
    }
    if (!mica_definition_has_form_views(definition))
        return;
    mica_json_name(writer, "formViews");
    mica_json_open_array(writer);
    for (size_t i = 0; i < definition->forms->count; i++)
        write_view(writer, definition->forms->views[i], &job->documents[i + 1]);
    mica_json_close_array(writer);
}

static void
write_audience(struct mica_json_writer *writer, unsigned audience)
{
    static const char *const both[] = {"model", "app", NULL};
    static const char *const model[] = {"model", NULL};
    static const char *const app[] = {"app", NULL};

    write_words(writer, "audience",
                audience == MICA_APP     ? app
                : audience == MICA_MODEL ? model
                                         : both);
}

// Whatever rule the source breaks, it is the build that fails.
static enum mica_status
manifest_refuse(struct mica_tool_job *job)
{
    const struct mica_error reason = *job->error;

    return mica_error_set(job->error, MICA_E_BUILD, reason.path, "%s: %s",
                          job->source, reason.message);
}

enum mica_status
mica_tool_object(struct mica_tool_job *job, char path[PATH_MAX], int *file_out)
{
    MICA_TRY(mica_path(path, job->error, "%s/tool.so", job->folder));
    *file_out = open(path, O_RDONLY | O_CLOEXEC);
    return *file_out >= 0 ? MICA_OK
                          : mica_error_set(job->error, MICA_E_IO, "",
                                           "Cannot read %s.", path);
}

enum mica_status
mica_tool_describe(struct mica_tool_job *job)
{
    struct mica_definition *definition = NULL;
    struct mica_json_writer writer;
    struct mica_buffer buffer;
    char path[PATH_MAX];
    enum mica_status status;
    int file;

    MICA_TRY(mica_tool_object(job, path, &file));
    status = mica_tool_library_open(file, path, job->name, NULL, job->error,
                                    &job->library);
    (void)close(file);
    if (status == MICA_OK)
        status = mica_forms_check(job->library->module, job->error);
    if (status == MICA_OK)
        status =
            mica_tool_library_define(job->library, job->error, &definition);
    if (status != MICA_OK)
        return manifest_refuse(job);
    mica_buffer_init(&buffer, job->arena, job->arena->cap / 2);
    mica_json_writer_init(&writer, &buffer);
    mica_json_open_object(&writer);
    write_definition(&writer, definition);
    write_views(&writer, job, definition);
    if (definition->view != NULL)
        write_audience(&writer, definition->view->audience);
    write_forms(&writer, job->library->module);
    write_build(job, &writer);
    mica_json_close_object(&writer);
    mica_definition_drop(definition);
    if (buffer.overflow)
        return mica_error_set(job->error, MICA_E_LIMIT, "",
                              "%s: the manifest is too large.", job->source);
    job->manifest = mica_buffer_as_text(&buffer);
    return MICA_OK;
}

bool
mica_tool_manifest_read(struct mica_tool_job *job,
                        struct mica_json *manifest_out)
{
    char path[PATH_MAX];
    struct mica_text text;

    return mica_path(path, NULL, "%s/%s.json", job->out_dir, job->name) ==
               MICA_OK &&
           mica_file_read(job->arena, path, NULL, &text) == MICA_OK &&
           mica_json_read(job->arena, text, NULL, NULL, manifest_out) ==
               MICA_OK;
}

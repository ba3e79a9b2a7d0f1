// SPDX-License-Identifier: Apache-2.0
//
// From tools/*.c to a shared object, and tools/lib/*.c to an archive. Functions of
// mica stay open: the program that loads the tool has them. Of a library that a
// source names, no more is taken from pkg-config than where it is, what it is
// called, its macros and whether it has threads (-I -L -l -D -pthread): a word at
// the top of a file must not choose how C is compiled.
#include "build/compiler_words.h"
#include "build/folder_lock.h"
#include "build/format_words.h"
#include "build/tool_build.h"
#include "build/typo_hint.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    WORDS_BYTES = 1 << 20,
    LIB_FILES = 64
};

// ---- Libraries -------------------------------------------------------------------

static bool
is_library_name(struct mica_text name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool digit = c >= '0' && c <= '9';
        bool other = c == '+' || c == '.' || c == '_' || c == '-';
        if (!letter && !digit && (!other || i == 0))
            return false;
    }
    return name.len > 0 && name.len <= 64;
}

static struct mica_text
next_word(struct mica_text *rest)
{
    size_t from = 0, to;

    while (from < rest->len && strchr(" \t\r\n", rest->ptr[from]) != NULL)
        from++;
    for (to = from; to < rest->len && strchr(" \t\r\n", rest->ptr[to]) == NULL;)
        to++;
    struct mica_text word = mica_text_slice(*rest, from, to);
    *rest = mica_text_slice(*rest, to, rest->len);
    return word;
}

static enum mica_status
add_word(struct mica_tool_job *job, struct mica_text word, bool link)
{
    struct mica_tool_flags *flags = &job->flags;
    const char **list = link ? flags->link : flags->compile;
    size_t *count = link ? &flags->link_count : &flags->compile_count;
    const char *copy = mica_arena_text(job->arena, word).ptr;

    if (*count == MICA_LIBRARY_WORDS || copy == NULL)
        return mica_error_set(job->error, MICA_E_BUILD, "",
                              "%s: its libraries ask for more than %d options",
                              job->source, MICA_LIBRARY_WORDS);
    list[(*count)++] = copy;
    list[*count] = NULL;
    return MICA_OK;
}

static enum mica_status
add_flags(struct mica_tool_job *job, struct mica_text library,
          struct mica_text flags)
{
    for (struct mica_text word = next_word(&flags); word.len > 0;
         word = next_word(&flags)) {
        bool both = mica_text_is(word, "-pthread");
        bool link =
            mica_text_starts(word, "-l") || mica_text_starts(word, "-L");
        bool compile =
            mica_text_starts(word, "-I") || mica_text_starts(word, "-D");
        if (!both && !link && !compile)
            return mica_error_set(job->error, MICA_E_BUILD, "",
                                  "%s: pkg-config says %.*s of the library "
                                  "%.*s; a tool takes -I, -D, -L, -l and "
                                  "-pthread alone",
                                  job->source, MICA_ARG(word),
                                  MICA_ARG(library));
        if (compile || both)
            MICA_TRY(add_word(job, word, false));
        if (link || both)
            MICA_TRY(add_word(job, word, true));
    }
    return MICA_OK;
}

// What pkg-config knows of it, or else just its name.
static enum mica_status
add_library(struct mica_tool_job *job, struct mica_text library)
{
    struct mica_process command = {0};
    struct mica_buffer words, fallback;
    int exit_status = 1;

    if (!is_library_name(library))
        return mica_error_set(job->error, MICA_E_BUILD, "",
                              "%s: '%.*s' is no name of a library; the line "
                              "is like: // mica: libraries sqlite3 m",
                              job->source, MICA_ARG(library));
    mica_buffer_init(&words, job->arena, WORDS_BYTES);
    mica_process_add(&command, "pkg-config");
    mica_process_add(&command, "--cflags");
    mica_process_add(&command, "--libs");
    mica_process_add(&command, mica_arena_text(job->arena, library).ptr);
    if (mica_process_run(&command, NULL, &words, NULL, &exit_status) ==
            MICA_OK &&
        exit_status == 0)
        return add_flags(job, library, mica_buffer_as_text(&words));
    mica_buffer_init(&fallback, job->arena, WORDS_BYTES);
    mica_buffer_format(&fallback, "-l%.*s", MICA_ARG(library));
    return add_word(job, mica_buffer_as_text(&fallback), true);
}

// The lines of comment that a file begins with.
enum mica_status
mica_tool_libraries(struct mica_tool_job *job, const char *source)
{
    static const char start[] = "// mica: libraries ";
    struct mica_text rest;
    size_t count = 0;

    MICA_TRY(mica_file_read(job->arena, source, job->error, &rest));
    while (rest.len > 1 && rest.ptr[0] == '/' && rest.ptr[1] == '/') {
        const char *end = memchr(rest.ptr, '\n', rest.len);
        size_t length = end != NULL ? (size_t)(end - rest.ptr) : rest.len;
        struct mica_text line = mica_text_slice(rest, 0, length);
        rest = mica_text_slice(rest, length + 1, rest.len);
        if (!mica_text_starts(line, start))
            continue;
        line = mica_text_slice(line, sizeof start - 1, line.len);
        for (struct mica_text name = next_word(&line); name.len > 0;
             name = next_word(&line)) {
            if (++count > MICA_LIBRARIES)
                return mica_error_set(job->error, MICA_E_BUILD, "",
                                      "%s names more than %d libraries", source,
                                      MICA_LIBRARIES);
            MICA_TRY(add_library(job, name));
        }
    }
    return MICA_OK;
}

// ---- Compiling -------------------------------------------------------------------

static const char *const language[] = {"-fPIC",
                                       "-fvisibility=hidden",
                                       "-fno-strict-overflow",
                                       "-ffp-contract=off",
                                       "-fstack-protector-strong",
                                       NULL};

const char *const mica_tool_words[] = {
    "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wshadow", "-Wformat=2",
    "-Wno-missing-field-initializers",
    // One message for a slip inside a table, not one for each macro.
    "-ftrack-macro-expansion=0", "-fdiagnostics-color=never", NULL};

const char *const mica_tool_errors[] = {"-Werror=implicit-function-declaration",
                                        "-Werror=incompatible-pointer-types",
                                        "-Werror=int-conversion",
                                        "-Werror=return-type",
                                        // A message that is formatted with a
                                        // struct for %s.
                                        "-Werror=format",
                                        // An ask whose answer is not looked at.
                                        "-Werror=unused-result", NULL};

// For building quickly, and for a debugger.
static const char *const fast[] = {"-O0", "-g", NULL};
static const char *const full[] = {"-O2", "-D_FORTIFY_SOURCE=2", NULL};

static enum mica_status
tool_run(struct mica_tool_job *job, struct mica_process *command,
         const char *folder, const char *message)
{
    int exit_status = 0;

    command->confinement = &job->confinement;
    MICA_TRY(
        mica_job_limited(mica_process_run(command, folder, job->diagnostics,
                                          job->error, &exit_status),
                         job->source, job->error));
    if (exit_status == 0)
        return MICA_OK;
    return mica_error_set(job->error, MICA_E_BUILD, "", "%s", message);
}

static enum mica_status
tool_formats(const struct mica_tool_job *job, const char *source)
{
    struct mica_text text;

    MICA_TRY(mica_file_read(job->arena, source, job->error, &text));
    return mica_formats_check(text, source, job->diagnostics, job->error);
}

// `define` may be NULL. Compiled from where the user is, so that messages name
// files as they did; what the object says of places is the same everywhere.
static enum mica_status
tool_job_compile(struct mica_tool_job *job, const char *source,
                 const char *object, const char *define)
{
    const struct mica_toolchain *tools = job->options->toolchain;
    struct mica_process command = {0};
    char place[PATH_MAX], includes[PATH_MAX];
    struct mica_buffer words;
    int exit_status = 0;

    MICA_TRY(mica_path(place, job->error, "-ffile-prefix-map=%s=tools",
                       job->tools_dir));
    MICA_TRY(mica_path(includes, job->error, "-ffile-prefix-map=%s=include",
                       tools->include_dir));
    MICA_TRY(tool_formats(job, source));
    mica_process_add(&command, tools->cc);
    mica_process_add_all(&command, language);
    mica_process_add_all(&command, mica_tool_words);
    mica_process_add_all(&command, mica_tool_errors);
    mica_process_add_all(&command, job->options->fast ? fast : full);
    mica_process_add(&command, place);
    mica_process_add(&command, includes);
    if (define != NULL) {
        mica_process_add(&command, "-DMICA_TOOL_MODULE");
        mica_process_add(&command, define);
    }
    mica_process_add(&command, "-I");
    mica_process_add(&command, tools->include_dir);
    mica_process_add_all(&command, job->flags.compile);
    mica_process_add(&command, "-c");
    mica_process_add(&command, "-o");
    mica_process_add(&command, object);
    mica_process_add(&command, source);
    command.confinement = &job->confinement;
    mica_buffer_init(&words, job->arena, WORDS_BYTES);
    enum mica_status status =
        mica_process_run(&command, NULL, &words, job->error, &exit_status);
    mica_compiler_words(mica_buffer_as_text(&words), job->diagnostics);
    MICA_TRY(mica_job_limited(status, source, job->error));
    return exit_status == 0
               ? MICA_OK
               : mica_typo_tell(tools, source, job->arena, job->error);
}

// `view` is the object with the document of the view, or NULL.
static enum mica_status
link_object(struct mica_tool_job *job, const char *view)
{
    struct mica_process command = {0};
    const char *const words[] = {job->options->toolchain->cc,
                                 "-shared",
                                 "-Wl,-z,relro,-z,now",
                                 "-Wl,--as-needed",
                                 "-o",
                                 "tool.so",
                                 "tool.o",
                                 NULL};

    mica_process_add_all(&command, words);
    if (view != NULL)
        mica_process_add(&command, view);
    if (job->archive[0] != '\0')
        mica_process_add(&command, job->archive);
    mica_process_add_all(&command, job->flags.link);
    mica_process_add(&command, "-lm");
    return tool_run(
        job, &command, job->folder,
        "the tool does not link; the linker says why. A library that "
        "it uses is named at its top: // mica: libraries NAME");
}

enum mica_status
mica_tool_compile(struct mica_tool_job *job)
{
    char object[PATH_MAX], define[128];

    MICA_TRY(mica_tool_libraries(job, job->source));
    MICA_TRY(mica_path(object, job->error, "%s/tool.o", job->folder));
    (void)snprintf(define, sizeof define, "-DMICA_TOOL_FAMILY=\"%s\"",
                   job->family);
    MICA_TRY(tool_job_compile(job, job->source, object, define));
    return link_object(job, NULL);
}

enum mica_status
mica_tool_link_view(struct mica_tool_job *job)
{
    struct mica_process command = {0};
    const char *const words[] = {
        job->options->toolchain->cc, "-c", "-o", "view.o", "view.S", NULL};

    mica_process_add_all(&command, words);
    MICA_TRY(tool_run(job, &command, job->folder,
                      "the document of the view cannot be assembled"));
    return link_object(job, "view.o");
}

// ---- What tools share ------------------------------------------------------------

static int
tool_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool
is_source(const char *name)
{
    size_t length = strlen(name);

    return length > 2 && name[0] != '.' && strcmp(name + length - 2, ".c") == 0;
}

// The sources of tools/lib, as paths; *count_out of them, sorted.
static enum mica_status
list_sources(struct mica_tool_job *job, const char *paths[LIB_FILES],
             size_t *count_out)
{
    DIR *folder = opendir(job->lib_dir);
    const struct dirent *file;
    bool many = false;
    size_t count = 0;

    while (folder != NULL && (file = readdir(folder)) != NULL) {
        struct mica_buffer path;
        if (!is_source(file->d_name))
            continue;
        many = many || count == LIB_FILES;
        if (many)
            break;
        mica_buffer_init(&path, job->arena, PATH_MAX);
        mica_buffer_format(&path, "%s/%s", job->lib_dir, file->d_name);
        mica_buffer_char(&path, '\0');
        if (!path.overflow)
            paths[count++] = path.ptr;
    }
    if (folder != NULL)
        (void)closedir(folder);
    qsort(paths, count, sizeof *paths, tool_compare);
    *count_out = count;
    if (many)
        return mica_error_set(job->error, MICA_E_BUILD, "",
                              "%s has more than %d files", job->lib_dir,
                              LIB_FILES);
    return MICA_OK;
}

static enum mica_status
make_archive(struct mica_tool_job *job, const char *folder,
             const char *const *sources, size_t count)
{
    struct mica_process command = {0};
    char object[PATH_MAX], family[MICA_SHA256_SIZE];

    mica_process_add(&command, "ar");
    mica_process_add(&command, "rcsD");
    mica_process_add(&command, "lib.a");
    for (size_t i = 0; i < count; i++) {
        struct mica_buffer name;
        mica_buffer_init(&name, job->arena, PATH_MAX);
        mica_buffer_format(&name, "lib-%zu.o%c", i, '\0');
        MICA_TRY(mica_path(object, job->error, "%s/%s", job->folder, name.ptr));
        MICA_TRY(tool_job_compile(job, sources[i], object, NULL));
        mica_process_add(&command, name.ptr);
    }
    MICA_TRY(tool_run(job, &command, job->folder,
                      "the objects of tools/lib make no archive"));
    MICA_TRY(mica_tool_family(job, family));
    // What has changed meanwhile is not what that name says: of no use to others,
    // nor to this build, which sees it too.
    return strcmp(family, job->family) == 0
               ? mica_tool_archive_keep(job, folder)
               : MICA_OK;
}

// Archives of other builds are not needed any more.
static void
tool_sweep(const char *folder, const char *keep)
{
    DIR *list = opendir(folder);

    if (list == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
        if (entry->d_name[0] != '.' &&
            strncmp(entry->d_name, keep, MICA_SHA256_SIZE - 1) != 0)
            (void)unlinkat(dirfd(list), entry->d_name, 0);
    }
    (void)closedir(list);
}

// Several builds may want the same at once: one makes it, the others wait.
enum mica_status
mica_tool_archive(struct mica_tool_job *job)
{
    const char *sources[LIB_FILES];
    char folder[PATH_MAX];
    size_t count = 0;
    enum mica_status status = MICA_OK;
    int lock;

    if (!job->has_lib)
        return MICA_OK;
    MICA_TRY(list_sources(job, sources, &count));
    for (size_t i = 0; i < count; i++)
        MICA_TRY(mica_tool_libraries(job, sources[i]));
    if (count == 0)
        return MICA_OK;
    MICA_TRY(mica_path(folder, job->error, "%s/.lib", job->out_dir));
    MICA_TRY(mica_path(job->archive, job->error, "%s/lib.a", job->folder));
    MICA_TRY(mica_folder_make_inner(folder, job->error));
    MICA_TRY(mica_folder_lock(folder, MICA_PROCESS_MS, job->error, &lock));
    if (!mica_tool_archive_take(job, folder))
        status = make_archive(job, folder, sources, count);
    if (status == MICA_OK)
        tool_sweep(folder, job->family);
    (void)close(lock);
    return status;
}

// SPDX-License-Identifier: Apache-2.0
//
// One file as a resource: how a list shows it, and its contents when it is read,
// which is text if it is UTF-8 without U+0000, and bytes otherwise.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/folder.h"
#include "files/media.h"

enum {
    TEXT_BYTES = 1 << 20
};

// What reading one needs.
struct source {
    const struct mica_folder *folder;
    const char *path;
};

// ---- Reading -----------------------------------------------------------------------

// A whole file, or what there is of it: it may be written meanwhile. False with
// errno; EFBIG when it is too large.
static bool
read_all(struct mica_call *call, int fd, uint64_t most,
         struct mica_text *bytes_out)
{
    struct stat info;
    size_t size = 0, room;
    char *bytes;

    if (fstat(fd, &info) != 0)
        return false;
    if (!S_ISREG(info.st_mode)) {
        errno = ENOENT;
        return false;
    }
    if ((uint64_t)info.st_size > most) {
        errno = EFBIG;
        return false;
    }
    room = (size_t)info.st_size;
    bytes = mica_arena_alloc(call->arena, room + 1);
    if (bytes == NULL) {
        errno = ENOMEM;
        return false;
    }
    while (size < room) {
        ssize_t got = read(fd, bytes + size, room - size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0)
            break;
        size += (size_t)got;
    }
    *bytes_out = (struct mica_text){bytes, size};
    return true;
}

// Bytes that this call can be given.
static uint64_t
most_of(const struct mica_call *call, const struct source *source)
{
    const struct mica_folder_options *options = &source->folder->options;

    return call->takes_streamed && options->stream_bytes > options->file_bytes
               ? options->stream_bytes
               : options->file_bytes;
}

static enum mica_status
source_fail(struct mica_call *call, const struct source *source, int why)
{
    if (why == EFBIG)
        return mica_fail(
            call, "LIMIT_EXCEEDED", "",
            "the file '%s' is larger than %llu bytes, the most "
            "that is read at once%s; ask for a smaller one",
            source->path, (unsigned long long)most_of(call, source),
            call->takes_streamed ? ""
                                 : " in a session or a batch (more is "
                                   "read outside of them)");
    if (why == ENFILE)
        return mica_fail(call, "BUSY", "",
                         "too many large files are being read; try again");
    if (why == EAGAIN)
        return mica_fail(call, "IO_ERROR", "",
                         "the file '%s' changed while it was read; read it "
                         "again",
                         source->path);
    if (why == ENOENT || why == ENOTDIR || why == ELOOP)
        return mica_fail(call, "NOT_FOUND", "", "the file '%s' is gone",
                         source->path);
    return mica_fail(call, "IO_ERROR", "", "the file '%s' cannot be read: %s",
                     source->path, strerror(why));
}

static void
add_contents(struct mica_call *call, const struct source *source,
             struct mica_text bytes)
{
    const char *type = mica_media_type(source->path);
    bool text = mica_utf8_valid(bytes) == bytes.len &&
                (bytes.len == 0 || memchr(bytes.ptr, '\0', bytes.len) == NULL);

    if (text)
        mica_add_resource_text(call, NULL, type != NULL ? type : "text/plain",
                               bytes, NULL);
    else
        mica_add_resource_bytes(
            call, NULL, type != NULL ? type : "application/octet-stream",
            bytes.ptr, bytes.len, NULL);
}

// A file that the memory of a call should not hold; the content is empty, and what
// reads it stands beside it.
static bool
read_streamed(struct mica_call *call, int fd, uint64_t most, bool *text_out)
{
    struct stat info;

    if (fstat(fd, &info) != 0)
        return false;
    if ((uint64_t)info.st_size > most) {
        errno = EFBIG;
        return false;
    }
    return mica_file_stream(call, fd, text_out, &call->streamed);
}

static void
add_streamed(struct mica_call *call, const struct source *source, bool text)
{
    const char *type = mica_media_type(source->path);

    if (text)
        mica_add_resource_text(call, NULL, type != NULL ? type : "text/plain",
                               (struct mica_text){"", 0}, NULL);
    else
        mica_add_resource_bytes(
            call, NULL, type != NULL ? type : "application/octet-stream", "", 0,
            NULL);
}

// The descriptor is closed before anything that may leave the call for want of
// memory.
static void
read_guarded(struct mica_call *call, void *data)
{
    const struct source *source = data;
    struct mica_text bytes = {NULL, 0};
    int fd = mica_walk_open(source->folder->root, source->path), why = errno;
    bool right = false, text = false;

    if (fd >= 0) {
        right = read_all(call, fd, source->folder->options.file_bytes, &bytes);
        if (!right && errno == EFBIG && call->takes_streamed)
            right = read_streamed(call, fd, most_of(call, source), &text);
        why = errno;
        close(fd);
    }
    if (!right && why == ENOMEM)
        mica_call_exceed(call);
    if (right && call->streamed != NULL)
        add_streamed(call, source, text);
    else if (right)
        add_contents(call, source, bytes);
    (void)mica_call_conclude(call,
                             right ? MICA_OK : source_fail(call, source, why));
}

static void
runnable_run(const struct mica_runnable *self, struct mica_call *call,
             struct mica_text arguments)
{
    (void)arguments;
    mica_call_guard(call, read_guarded, self->data);
}

// ---- Describing ----------------------------------------------------------------------

void
mica_file_write_path(struct mica_buffer *uri, const char *path)
{
    for (; *path != '\0'; path++) {
        unsigned char c = (unsigned char)*path;
        bool stays = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                     (c >= '0' && c <= '9') || strchr("-._~/", c) != NULL;
        if (stays)
            mica_buffer_char(uri, (char)c);
        else
            mica_buffer_format(uri, "%%%02X", c);
    }
}

static void
definition_describe(struct mica_definition *definition,
                    const struct mica_folder *folder,
                    const struct mica_walk_file *file, struct source *source)
{
    struct mica_arena *arena = &definition->arena;
    struct mica_text path = mica_arena_text(arena, mica_text(file->path));
    struct mica_content_options annotations = {.audience = NULL};
    struct mica_buffer uri, time, json;
    struct mica_json_writer writer;

    mica_buffer_init(&uri, arena, TEXT_BYTES);
    mica_buffer_init(&time, arena, TEXT_BYTES);
    mica_buffer_init(&json, arena, TEXT_BYTES);
    mica_buffer_text(&uri, mica_text(folder->prefix));
    mica_file_write_path(&uri, file->path);
    mica_buffer_char(&uri, '\0');
    mica_time_write(&time,
                    mica_time_from_seconds(file->modified_ns / 1000000000, 0));
    mica_buffer_char(&time, '\0');
    annotations.last_modified = time.overflow ? NULL : time.ptr;
    mica_json_writer_init(&writer, &json);
    if (mica_write_annotations(&writer, &annotations))
        definition->annotations = mica_buffer_as_text(&json);
    definition->key = mica_text_slice(mica_buffer_as_text(&uri), 0,
                                      uri.len > 0 ? uri.len - 1 : 0);
    definition->name = mica_call_clean(arena, path);
    definition->mime_type = mica_text(mica_media_type(file->path));
    definition->has_size = true;
    definition->size = file->size;
    *source = (struct source){folder, path.ptr};
    definition->runnable =
        (struct mica_runnable){.run = runnable_run, .data = source};
}

struct mica_definition *
mica_file_definition(const struct mica_folder *folder,
                     const struct mica_walk_file *file)
{
    struct mica_definition *definition =
        mica_definition_new(MICA_DEFINITION_RESOURCE);
    struct source *source;

    if (definition == NULL)
        return NULL;
    source = mica_arena_zero(&definition->arena, 1, sizeof *source);
    if (source != NULL)
        definition_describe(definition, folder, file, source);
    if (definition->arena.overflow) {
        mica_definition_drop(definition);
        return NULL;
    }
    return definition;
}

// SPDX-License-Identifier: Apache-2.0
//
// A journal that was saved once, and that the code of today must come through:
// as a whole, and cut behind each question, where it must ask the same.
#include "kit/kit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILE_BYTES = 8 << 20
};

// ---- Writing ---------------------------------------------------------------------

static void
write_bytes(struct mica_json_writer *writer, struct mica_arena *arena,
            const char *namez, struct mica_text bytes)
{
    struct mica_buffer text;

    mica_buffer_init(&text, arena, FILE_BYTES);
    mica_base64_write(&text, bytes.ptr, bytes.len);
    mica_json_field(writer, namez, mica_buffer_as_text(&text));
}

// The journal as it is read by people, too, so that a change of it can be seen.
static struct mica_text
run_render(const struct mica_run *run, struct mica_arena *arena)
{
    const struct mica_outcome *outcome = &run->outcome;
    struct mica_json_writer writer;
    struct mica_buffer compact, pretty;
    struct mica_json value;

    mica_buffer_init(&compact, arena, FILE_BYTES);
    mica_buffer_init(&pretty, arena, FILE_BYTES);
    mica_json_writer_init(&writer, &compact);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "tool", run->definition->name);
    mica_json_name(&writer, "arguments");
    mica_json_raw(&writer, run->arguments);
    mica_json_field(&writer, "id", run->id);
    mica_json_field(&writer, "code", outcome->code);
    mica_json_field(&writer, "result", outcome->result);
    mica_json_field(&writer, "text", outcome->text);
    mica_json_name(&writer, "entries");
    mica_journal_write_json(&run->journal, &writer);
    write_bytes(&writer, arena, "journal", outcome->journal);
    mica_json_close_object(&writer);
    if (compact.overflow || mica_json_read(arena, mica_buffer_as_text(&compact),
                                           NULL, NULL, &value) != MICA_OK)
        mica_kit_abort("a journal that cannot be written as JSON");
    mica_json_pretty(&pretty, &value);
    mica_buffer_char(&pretty, '\n');
    return mica_buffer_as_text(&pretty);
}

// Whether a folder of the path, which is relative, is a link that leads out of the
// current folder: a project that was cloned may have brought it.
static bool
leads_out(const char *path)
{
    char part[PATH_MAX], whole[PATH_MAX], here[PATH_MAX];
    struct stat st;

    if (realpath(".", here) == NULL)
        return true;
    size_t length = strlen(here);
    for (const char *at = strchr(path, '/'); at != NULL && path[0] != '/';
         at = strchr(at + 1, '/')) {
        (void)snprintf(part, sizeof part, "%.*s", (int)(at - path), path);
        if (lstat(part, &st) != 0 || !S_ISLNK(st.st_mode))
            continue;
        if (realpath(part, whole) == NULL ||
            strncmp(whole, here, length) != 0 ||
            (whole[length] != '/' && whole[length] != '\0'))
            return true;
    }
    return false;
}

static bool
fill_file(int file, struct mica_text text)
{
    while (text.len > 0) {
        ssize_t put = write(file, text.ptr, text.len);
        if (put < 0 && errno != EINTR)
            return false;
        if (put > 0)
            text = mica_text_slice(text, (size_t)put, text.len);
    }
    return fchmod(file, 0644) == 0;
}

// A new file of a random name takes the place of whatever has the name: a link or a
// FIFO is replaced, never followed or waited for.
static bool
write_file(struct mica_here here, const char *path, struct mica_text text)
{
    char draft[PATH_MAX];
    int length = snprintf(draft, sizeof draft, "%s.XXXXXX", path), file = -1;
    bool written = false;

    if (leads_out(path)) {
        mica_kit_fail(here,
                      "%s: a folder of it is a link that leads out of "
                      "the project; nothing is written",
                      path);
        return false;
    }
    if (length > 0 && (size_t)length < sizeof draft)
        file = mkostemp(draft, O_CLOEXEC); // O_EXCL
    if (file >= 0) {
        written = fill_file(file, text);
        written = close(file) == 0 && written && rename(draft, path) == 0;
    }
    if (!written)
        mica_kit_fail(here, "cannot write %s: %s", path, strerror(errno));
    if (file >= 0 && !written)
        (void)unlink(draft);
    return written;
}

// ---- Reading ---------------------------------------------------------------------

static bool
read_file(const char *path, struct mica_arena *arena, struct mica_text *text)
{
    FILE *file = fopen(path, "rbe");
    struct mica_buffer buffer;
    size_t got = 1;

    if (file == NULL)
        return false;
    mica_buffer_init(&buffer, arena, FILE_BYTES);
    while (got > 0) {
        char *room = mica_buffer_reserve(&buffer, 4096);
        if (room == NULL)
            break;
        got = fread(room, 1, 4096, file);
        buffer.len += got;
    }
    (void)fclose(file);
    *text = mica_buffer_as_text(&buffer);
    return got == 0;
}

struct golden {
    struct mica_json file;
    struct mica_text arguments, id, code, result, text;
    struct mica_journal journal;
};

static bool
read_golden(struct mica_here here, const char *path, struct mica_arena *arena,
            struct golden *golden)
{
    struct mica_buffer bytes;
    struct mica_text text;
    struct mica_error error = {.message = "it has no journal"};
    const struct mica_json *arguments;

    if (!read_file(path, arena, &text)) {
        mica_kit_fail(here,
                      "cannot read %s: %s; it is written with "
                      "MICA_TEST_WRITE=1 in the environment",
                      path, strerror(errno));
        return false;
    }
    mica_buffer_init(&bytes, arena, FILE_BYTES);
    if (mica_json_read(arena, text, NULL, &error, &golden->file) != MICA_OK ||
        !mica_base64_read(&bytes,
                          mica_json_get_text(&golden->file, "journal")) ||
        mica_journal_read(&golden->journal, arena, mica_buffer_as_text(&bytes),
                          &error) != MICA_OK) {
        mica_kit_fail(here,
                      "%s is no saved journal: %s; it is written with "
                      "MICA_TEST_WRITE=1 in the environment",
                      path, error.message);
        return false;
    }
    arguments = mica_json_get(&golden->file, "arguments");
    golden->arguments = arguments != NULL ? arguments->raw : MICA_LITERAL("{}");
    golden->id = mica_json_get_text(&golden->file, "id");
    golden->code = mica_json_get_text(&golden->file, "code");
    golden->result = mica_json_get_text(&golden->file, "result");
    golden->text = mica_json_get_text(&golden->file, "text");
    return true;
}

// ---- Comparing -------------------------------------------------------------------

// The first `count` entries, as a process keeps them.
static void
keep_prefix(struct mica_run *run, const struct mica_journal *journal,
            uint32_t count)
{
    struct mica_journal prefix;
    struct mica_error error;

    mica_journal_init(&prefix, &run->arena);
    for (uint32_t i = 0; i < count; i++) {
        struct mica_entry entry = journal->entries[i];
        entry.answer = entry.chain = 0;
        if (mica_journal_add(&prefix, &entry, &error) != MICA_OK)
            mica_kit_abort("a journal that cannot be copied: %s",
                           error.message);
    }
    free(run->kept);
    run->kept_len = prefix.bytes.len;
    run->kept = mica_kit_heap(run->kept_len + 1, 1);
    memcpy(run->kept, prefix.bytes.ptr, prefix.bytes.len);
}

// One turn on the first `count` entries of the old journal.
static struct mica_run *
mock_replay(struct mica_mock *mock, struct mica_here here,
            const struct golden *golden, uint32_t count)
{
    struct mica_kit_tool tool = {.definition = mock->run->definition};
    struct mica_run *run = mica_kit_begin(mock, here, &tool, golden->arguments);

    run->id = golden->id;
    run->quiet = true;
    keep_prefix(run, &golden->journal, count);
    (void)mica_kit_turn(run);
    return run;
}

static bool
compare_end(struct mica_here here, struct mica_mock *mock,
            const struct golden *golden, const char *path)
{
    struct mica_run *run =
        mock_replay(mock, here, golden, golden->journal.count);
    bool same = false;

    if (run->turn.suspended) {
        mica_kit_fail(here, "%s: the call of then asks \"%.*s\" now", path,
                      MICA_ARG(run->turn.asked->key));
    } else {
        mica_kit_finish(run);
        same = mica_text_equal(run->outcome.code, golden->code) &&
               mica_text_equal(run->outcome.result, golden->result) &&
               mica_text_equal(run->outcome.text, golden->text);
        if (!same)
            mica_kit_fail(here,
                          "%s: the call of then ends with %.*s %.*s%.*s%.*s "
                          "now, where it ended with %.*s %.*s%.*s",
                          path, MICA_ARG(run->outcome.code),
                          MICA_ARG(run->outcome.message),
                          MICA_ARG(run->outcome.result),
                          MICA_ARG(run->outcome.text), MICA_ARG(golden->code),
                          MICA_ARG(golden->result), MICA_ARG(golden->text));
    }
    mica_kit_end(run);
    return same;
}

// A call that waited behind entry `ask` waits for the same.
static bool
compare_wait(struct mica_here here, struct mica_mock *mock,
             const struct golden *golden, uint32_t ask, const char *path)
{
    struct mica_run *run = mock_replay(mock, here, golden, ask + 1);
    struct mica_text key = golden->journal.entries[ask].key;
    bool same = false;

    for (const struct mica_asked *one = run->turn.asked; one != NULL;
         one = one->next)
        same = same || mica_text_equal(one->key, key);
    if (!same)
        mica_kit_fail(here,
                      "%s: a call that waits for \"%.*s\" does not wait for "
                      "it now: %s %.*s",
                      path, MICA_ARG(key),
                      mica_status_code(run->call.result.status),
                      MICA_ARG(run->call.result.error));
    mica_kit_end(run);
    return same;
}

static bool
was_asked(const struct mica_journal *journal, uint32_t i)
{
    const struct mica_entry *entry = &journal->entries[i];

    return entry->kind == MICA_ENTRY_ASK && entry->answer > 0 &&
           journal->entries[entry->answer - 1].status != MICA_E_CAPABILITY;
}

bool
mica_test_golden(struct mica_here here, struct mica_mock *mock,
                 const char *path)
{
    const char *write = getenv("MICA_TEST_WRITE");
    struct mica_arena arena;
    struct golden golden;
    bool same = true;

    if (mock->run == NULL)
        mica_kit_abort("mica_golden before any call");
    mica_arena_init(&arena, MICA_KIT_BYTES);
    if (write != NULL && write[0] == '1') {
        same = write_file(here, path, run_render(mock->run, &arena));
    } else if (!read_golden(here, path, &arena, &golden)) {
        same = false;
    } else {
        mica_kit_rewind(mock); // what is not recorded has no answer
        for (uint32_t i = 0; i < golden.journal.count && same; i++)
            same = !was_asked(&golden.journal, i) ||
                   compare_wait(here, mock, &golden, i, path);
        same = same && compare_end(here, mock, &golden, path);
    }
    mica_arena_fini(&arena);
    return same;
}

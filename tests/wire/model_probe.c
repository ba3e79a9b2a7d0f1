// SPDX-License-Identifier: Apache-2.0
//
// Calls models as a program does, by way of the module; models.py drives it.
//
//     model_probe PROVIDERS
//
// PROVIDERS is a JSON list of objects with the members of struct
// mica_model_provider_options. stdin has one JSON object a line:
//
//     {"call": "TAG", "provider": …, "model": …, "system": …, "user": …, "schema": …,
//      "max_tokens": …, "limit_ms": …}
//     {"cancel": "TAG"}
//     {"counts": true}        prints the counts, and how many threads call models
//
// and stdout one for each progress, end and refusal. At the end of stdin it closes the
// calls, which tells the ends of those that are open.
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mica/json.h>

#include "model/model.h"

enum {
    LINE_BYTES = 4 << 20,
    ARENA_BYTES = 64 << 20,
    TAGS = 8192
};

struct probe_call {
    char tag[64];
    uint64_t id;
};

static struct probe_call calls[TAGS];
static unsigned call_count;
static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;

// ---- Output --------------------------------------------------------------------------

static void
print_line(struct mica_buffer *line)
{
    (void)pthread_mutex_lock(&output);
    printf("%.*s\n", (int)line->len, line->ptr);
    (void)fflush(stdout);
    (void)pthread_mutex_unlock(&output);
    mica_buffer_fini(line);
}

static void
number(struct mica_json_writer *json, const char *name, uint64_t value)
{
    mica_json_name(json, name);
    mica_json_integer(json, (int64_t)value);
}

static void
line_begin(struct mica_buffer *line, struct mica_json_writer *json,
           const char *tag)
{
    mica_buffer_init(line, NULL, LINE_BYTES);
    mica_json_writer_init(json, line);
    mica_json_open_object(json);
    if (tag != NULL)
        mica_json_field(json, "tag", mica_text(tag));
}

static void
on_progress(void *data, unsigned percent)
{
    const struct probe_call *call = data;
    struct mica_json_writer json;
    struct mica_buffer line;

    line_begin(&line, &json, call->tag);
    number(&json, "progress", percent);
    mica_json_close_object(&json);
    print_line(&line);
}

static void
on_done(void *data, const struct mica_model_answer *answer)
{
    const struct probe_call *call = data;
    struct mica_json_writer json;
    struct mica_buffer line;

    line_begin(&line, &json, call->tag);
    mica_json_field(&json, "status",
                    mica_text(mica_status_code(answer->status)));
    mica_json_field(&json, "text", answer->text);
    mica_json_field(&json, "message", mica_text(answer->message));
    mica_json_field(&json, "model", answer->model);
    mica_json_name(&json, "cut");
    mica_json_boolean(&json, answer->finish == MICA_MODEL_LENGTH);
    number(&json, "prompt_tokens", answer->prompt_tokens);
    number(&json, "completion_tokens", answer->completion_tokens);
    number(&json, "attempts", answer->attempts);
    mica_json_close_object(&json);
    print_line(&line);
}

static void
print_refusal(const char *tag, const struct mica_error *error)
{
    struct mica_json_writer json;
    struct mica_buffer line;

    line_begin(&line, &json, tag);
    mica_json_field(&json, "refused",
                    mica_text(mica_status_code(error->status)));
    mica_json_field(&json, "message", mica_text(error->message));
    mica_json_close_object(&json);
    print_line(&line);
}

static bool
is_model_thread(const char *id)
{
    char path[300], name[32] = "";
    FILE *file;

    (void)snprintf(path, sizeof path, "/proc/self/task/%.255s/comm", id);
    file = fopen(path, "re");
    if (file == NULL)
        return false;
    if (fgets(name, sizeof name, file) == NULL)
        name[0] = '\0';
    (void)fclose(file);
    return strcmp(name, "mica-model\n") == 0;
}

// The model thread and those that it has started, which have its name.
static unsigned
count_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    unsigned count = 0;

    if (folder == NULL)
        return 0;
    for (const struct dirent *entry = readdir(folder); entry != NULL;
         entry = readdir(folder))
        count += is_model_thread(entry->d_name);
    (void)closedir(folder);
    return count;
}

static void
print_counts(const struct mica_models *models)
{
    struct mica_model_counts counts = mica_models_counts(models);
    struct mica_json_writer json;
    struct mica_buffer line;

    line_begin(&line, &json, NULL);
    number(&json, "threads", count_threads());
    number(&json, "calls", counts.calls);
    number(&json, "busy", counts.refused);
    number(&json, "answered", counts.answered);
    number(&json, "failed", counts.failed);
    number(&json, "late", counts.late);
    number(&json, "large", counts.large);
    number(&json, "cancelled", counts.cancelled);
    number(&json, "retries", counts.retries);
    number(&json, "prompt_tokens", counts.prompt_tokens);
    number(&json, "completion_tokens", counts.completion_tokens);
    number(&json, "open", counts.open);
    mica_json_close_object(&json);
    print_line(&line);
}

// ---- Input ---------------------------------------------------------------------------

static unsigned
number_of(const struct mica_json *object, const char *name)
{
    const struct mica_json *value = mica_json_get(object, name);
    int64_t read = 0;

    return value != NULL && mica_integer_read(value->text, &read)
               ? (unsigned)read
               : 0;
}

static const char *
textz_of(struct mica_arena *arena, const struct mica_json *object,
         const char *name)
{
    struct mica_text text = mica_json_get_text(object, name);

    return text.ptr != NULL ? mica_arena_text(arena, text).ptr : NULL;
}

static void
begin_call(struct mica_models *models, const struct mica_json *line)
{
    struct probe_call *call = &calls[call_count++ % TAGS];
    const struct mica_model_message message = {
        MICA_MODEL_USER, mica_json_get_text(line, "user")};
    struct mica_text tag = mica_json_get_text(line, "call");
    const struct mica_json *schema = mica_json_get(line, "schema");
    struct mica_model_request request = {
        .provider = mica_json_get_text(line, "provider"),
        .model = mica_json_get_text(line, "model"),
        .system = mica_json_get_text(line, "system"),
        .messages = &message,
        .count = 1,
        .max_tokens = number_of(line, "max_tokens"),
        .limit_ms = number_of(line, "limit_ms"),
        .on_progress = on_progress,
        .on_done = on_done,
        .data = call};
    struct mica_error error;

    if (schema != NULL)
        request.schema = schema->raw;
    (void)snprintf(call->tag, sizeof call->tag, "%.*s", MICA_ARG(tag));
    if (mica_model_call(models, &request, &error, &call->id) != MICA_OK)
        print_refusal(call->tag, &error);
}

static void
cancel_call(struct mica_models *models, struct mica_text tag)
{
    for (unsigned i = 0; i < call_count && i < TAGS; i++)
        if (mica_text_is(tag, calls[i].tag))
            mica_model_cancel(models, calls[i].id);
}

static void
take_line(struct mica_models *models, struct mica_text text)
{
    struct mica_arena arena;
    struct mica_json line;

    mica_arena_init(&arena, ARENA_BYTES);
    if (mica_json_read(&arena, text, NULL, NULL, &line) != MICA_OK)
        exit(2);
    if (mica_json_get(&line, "call") != NULL)
        begin_call(models, &line);
    else if (mica_json_get(&line, "cancel") != NULL)
        cancel_call(models, mica_json_get_text(&line, "cancel"));
    else
        print_counts(models);
    mica_arena_fini(&arena);
}

static void
take_provider(struct mica_arena *arena, const struct mica_json *one,
              struct mica_model_provider_options *options)
{
    struct mica_text structure = mica_json_get_text(one, "structure");

    *options = (struct mica_model_provider_options){
        .name = textz_of(arena, one, "name"),
        .type = mica_text_is(mica_json_get_text(one, "type"), "anthropic")
                    ? MICA_MODEL_ANTHROPIC
                    : MICA_MODEL_OPENAI,
        .url = textz_of(arena, one, "url"),
        .model = textz_of(arena, one, "model"),
        .key_env = textz_of(arena, one, "key_env"),
        .key_file = textz_of(arena, one, "key_file"),
        .key_credential = textz_of(arena, one, "key_credential"),
        .is_private = mica_json_get(one, "private") != NULL,
        .proxy = textz_of(arena, one, "proxy"),
        .ca_file = textz_of(arena, one, "ca_file"),
        .structure = mica_text_is(structure, "tool")     ? MICA_MODEL_BY_TOOL
                     : mica_text_is(structure, "prompt") ? MICA_MODEL_BY_PROMPT
                                                         : MICA_MODEL_BY_SCHEMA,
        .no_stream = mica_json_get(one, "no_stream") != NULL,
        .max_tokens = number_of(one, "max_tokens"),
        .seconds = number_of(one, "seconds"),
        .concurrent = number_of(one, "concurrent"),
        .attempts = number_of(one, "attempts")};
}

static struct mica_models *
open_models(const char *textz, struct mica_arena *arena)
{
    struct mica_model_provider_options providers[MICA_MODEL_PROVIDERS];
    struct mica_models_options options = {.providers = providers};
    struct mica_models *models;
    struct mica_error error;
    struct mica_json list;

    if (mica_json_read(arena, mica_text(textz), NULL, NULL, &list) != MICA_OK ||
        list.kind != MICA_JSON_ARRAY || list.count > MICA_MODEL_PROVIDERS)
        exit(2);
    for (size_t i = 0; i < list.count; i++)
        take_provider(arena, &list.items[i], &providers[options.count++]);
    if (mica_models_open(&options, &error, &models) == MICA_OK)
        return models;
    printf("%s %s\n", mica_status_code(error.status), error.message);
    exit(1);
}

int
main(int count, char **words)
{
    struct mica_models *models;
    struct mica_arena arena;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;

    if (count != 2)
        return 2;
    mica_arena_init(&arena, ARENA_BYTES);
    models = open_models(words[1], &arena);
    while ((length = getline(&line, &room, stdin)) > 0)
        take_line(models, (struct mica_text){line, (size_t)length});
    free(line);
    mica_models_close(&models);
    mica_arena_fini(&arena);
    return 0;
}

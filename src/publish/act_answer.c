// SPDX-License-Identifier: Apache-2.0
//
// Answers of acts: the record of an app with its findings, and what a person may not read
// of it.
#include "apps/app_hosts.h"
#include "publish/act_work.h"

enum {
    URL_BYTES = 512
};

// ---- The record ------------------------------------------------------------------

// Writes "role", the budget that the draft would have, and "findings" if there are any to
// read, behind the members of a record: mica_app_write ends the object, so they go before
// its brace.
static void
write_for_reader(const struct mica_act_work *work,
                 const struct mica_app_draft *draft,
                 const struct mica_app_findings *findings,
                 struct mica_buffer *out)
{
    struct mica_json_writer writer;

    if (out->overflow || out->len == 0)
        return;
    out->len--;
    mica_buffer_format(out, ",\"role\":\"%s\",",
                       mica_app_role_name(work->role));
    mica_json_writer_init(&writer, out);
    mica_app_budget_write(&writer, draft);
    if (findings != NULL) {
        mica_buffer_text(out, MICA_LITERAL(",\"findings\":"));
        mica_json_writer_init(&writer, out);
        mica_app_findings_write(&writer, findings);
    }
    mica_buffer_char(out, '}');
}

void
mica_act_write_app(const struct mica_act_work *work,
                   const struct mica_app_facts *facts, struct mica_text draft,
                   struct mica_buffer *out)
{
    char room[URL_BYTES];
    struct mica_buffer url = {
        .ptr = room, .capacity = sizeof room, .max = sizeof room};
    const struct mica_app_host *host =
        work->acts->hosts != NULL
            ? mica_app_hosts_of(work->acts->hosts, facts->slug)
            : NULL;
    struct mica_json_writer writer;

    if (host != NULL)
        mica_buffer_format(&url, "%.*s/mcp", MICA_ARG(host->origin));
    else
        mica_buffer_format(&url, "%.*s/servers/%.*s/mcp",
                           MICA_ARG(work->acts->address),
                           MICA_ARG(facts->slug));
    mica_json_writer_init(&writer, out);
    mica_app_write(&writer, facts, draft, mica_buffer_as_text(&url));
}

enum mica_status
mica_act_answer_app(struct mica_act_work *work)
{
    bool all = mica_app_may(work->role, MICA_APP_EDIT);
    struct mica_act_output output;
    struct mica_app_draft draft;
    struct mica_text json;

    MICA_TRY(mica_store_app_read(work->acts->store, work->app.id, work->arena,
                                 work->error, &work->app));
    work->facts = mica_act_facts(&work->app);
    work->answer->revision = work->app.revision;
    work->answer->slug = work->app.slug;
    MICA_TRY(mica_act_check_draft(work, work->app.draft, &draft));
    MICA_TRY(mica_act_redact(work, work->app.draft, false, &json));
    mica_act_output_init(work, &output);
    mica_act_write_app(work, &work->facts, json, &output.buffer);
    write_for_reader(work, &draft, all ? work->findings : NULL, &output.buffer);
    return mica_act_output_end(work, &output);
}

// ---- What is not for everyone ----------------------------------------------------

static bool
is_secret(struct mica_text name)
{
    return mica_text_is(name, "systemPrompt") ||
           mica_text_is(name, "provider") || mica_text_is(name, "model");
}

static void
write_behavior(struct mica_json_writer *writer,
               const struct mica_json *behavior)
{
    mica_json_open_object(writer);
    for (size_t i = 0; i < behavior->count; i++) {
        if (is_secret(behavior->members[i].name))
            continue;
        mica_json_name_text(writer, behavior->members[i].name);
        mica_json_value(writer, &behavior->members[i].value);
    }
    mica_json_close_object(writer);
}

enum mica_status
mica_act_redact(struct mica_act_work *work, struct mica_text json, bool always,
                struct mica_text *json_out)
{
    const struct mica_json_limits limits = {.bytes =
                                                MICA_STORE_APP_VERSION_BYTES};
    struct mica_act_output output;
    struct mica_json value;

    *json_out = json;
    if (!always && mica_app_may(work->role, MICA_APP_EDIT))
        return MICA_OK;
    MICA_TRY(mica_json_read(work->arena, json, &limits, work->error, &value));
    mica_act_output_init(work, &output);
    mica_json_open_object(&output.writer);
    for (size_t i = 0; value.kind == MICA_JSON_OBJECT && i < value.count; i++) {
        const struct mica_json_member *member = &value.members[i];
        if (mica_text_is(member->name, "roles"))
            continue;
        mica_json_name_text(&output.writer, member->name);
        if (mica_text_is(member->name, "behavior") &&
            member->value.kind == MICA_JSON_OBJECT)
            write_behavior(&output.writer, &member->value);
        else
            mica_json_value(&output.writer, &member->value);
    }
    mica_json_close_object(&output.writer);
    if (output.buffer.overflow)
        return mica_error_set(work->error, MICA_E_LIMIT, "", "no memory");
    *json_out = mica_buffer_as_text(&output.buffer);
    return MICA_OK;
}

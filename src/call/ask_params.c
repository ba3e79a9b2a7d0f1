// SPDX-License-Identifier: Apache-2.0
//
// Makes the attempts of an ask of <mica/tool.h>, and writes the params of the request of
// an attempt (MCP: elicitation/create, sampling/createMessage, roots/list).
#include <string.h>

#include "base/hash.h"
#include "call/ask_attempts.h"
#include "call/form.h"
#include "schema/record.h"

enum {
    PARAMS_BYTES = 1 << 20,
    MODEL_TRIES = 2 // attempts of a sampling without a limit of its own
};

// ---- Attempts ----------------------------------------------------------------------

// Clients before 2025-11-25 cannot show lists of choices.
static bool
can_show(const struct mica_turn *turn, const struct mica_record *record)
{
    for (size_t i = 0;
         turn->dialect == MICA_ASKS_2025_06_18 && i < record->count; i++) {
        if (mica_record_field(record, i)->type->kind == MICA_KIND_LIST)
            return false;
    }
    return true;
}

// Finds the view of the form. A form of a build without the member has none. Whether the
// client shows it changes no answer, so it is no part of the form's hash.
static enum mica_status
find_view(struct mica_call *call, struct mica_ask_attempts *attempts)
{
    const struct mica_form_view *row = call->turn->state->frame->form_views;
    const struct mica_view *view;

    if (row == NULL || attempts->form->view == NULL)
        return MICA_OK;
    view = attempts->form->view;
    for (; row->name != NULL; row++) {
        if (view->name != NULL && strcmp(row->name, view->name) == 0) {
            attempts->view = row;
            return MICA_OK;
        }
    }
    return mica_turn_set_error(
        call, MICA_E_USAGE,
        "the form \"%s\" has the view '%.64s', which its tool does not name; "
        "add it there: .form_views = MICA_FORM_VIEWS(&mica_view_%.64s)",
        attempts->question.keyz, view->name != NULL ? view->name : "",
        view->name != NULL ? view->name : "");
}

enum mica_status
mica_ask_attempts_form(struct mica_call *call,
                       struct mica_ask_attempts *attempts,
                       const struct mica_form *form)
{
    enum mica_status status;

    attempts->question.kind = MICA_ASK_FORM;
    attempts->question.keyz = form->key != NULL ? form->key : form->record->tag;
    attempts->question.limit_ms = form->limit_ms;
    attempts->form = form;
    call->error_is_from_operation = true;
    status =
        mica_form_prepare(form, call->arena, &call->error, &attempts->prepared);
    if (call->arena->overflow)
        mica_call_exceed(call);
    MICA_TRY(status);
    MICA_TRY(find_view(call, attempts));
    attempts->question.hash = mica_form_hash(form, &attempts->prepared);
    attempts->capable = can_show(call->turn, &attempts->prepared);
    attempts->policy.most = MICA_FORM_TRIES;
    return mica_ask_check(call, &attempts->question);
}

static bool
is_loopback(struct mica_text host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    size_t end = 0;

    while (end < host.len && host.ptr[end] != '/' && host.ptr[end] != '?' &&
           host.ptr[end] != '#')
        end++;
    host = mica_text_slice(host, 0, end);
    for (size_t i = 0; i < MICA_COUNT(names); i++) {
        struct mica_text name = mica_text(names[i]);
        if (!mica_text_starts(host, names[i]))
            continue;
        if (host.len == name.len || host.ptr[name.len] == ':')
            return true;
    }
    return false;
}

enum mica_status
mica_ask_attempts_page(struct mica_call *call,
                       struct mica_ask_attempts *attempts,
                       const struct mica_page *page)
{
    struct mica_text url = mica_text(page->url);
    bool safe = mica_text_starts(url, "https://") && url.len > 8;

    attempts->question.kind = MICA_ASK_PAGE;
    attempts->question.keyz = page->key != NULL ? page->key : "page";
    attempts->question.limit_ms = page->limit_ms;
    attempts->page = page;
    attempts->capable = true;
    attempts->action_out = page->action_out;
    attempts->policy.most = MICA_FORM_TRIES;
    if (mica_text_starts(url, "http://"))
        safe = is_loopback(mica_text_slice(url, 7, url.len));
    if (!safe || !mica_format_uri.matches(url))
        return mica_turn_set_error(
            call, MICA_E_USAGE,
            "the page \"%s\" has the address \"%.*s\"; it "
            "must be an https: URI (http: for this machine "
            "alone)",
            attempts->question.keyz, MICA_ARG(url));
    return mica_ask_check(call, &attempts->question);
}

enum mica_status
mica_ask_attempts_sampling(struct mica_call *call,
                           struct mica_ask_attempts *attempts,
                           const struct mica_sampling *sampling)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;

    attempts->question.kind = MICA_ASK_SAMPLING;
    attempts->question.keyz = sampling->key != NULL ? sampling->key : "sample";
    attempts->question.limit_ms = sampling->limit_ms;
    attempts->sampling = sampling;
    attempts->capable = true;
    attempts->policy.most = MODEL_TRIES;
    call->error_is_from_operation = true;
    MICA_TRY(mica_sampling_check(sampling, &call->error));
    attempts->question.hash = mica_sampling_hash(sampling);
    if (attempts->into.record != NULL) {
        mica_buffer_init(&buffer, call->arena, PARAMS_BYTES);
        mica_json_writer_init(&writer, &buffer);
        mica_record_schema(attempts->into.record, false,
                           (struct mica_text){NULL, 0}, &writer);
        if (buffer.overflow)
            mica_call_exceed(call);
        attempts->schema = mica_buffer_as_text(&buffer);
        attempts->question.hash =
            mica_hash_bytes(attempts->question.hash, attempts->schema.ptr,
                            attempts->schema.len);
    }
    return mica_ask_check(call, &attempts->question);
}

void
mica_ask_attempts_roots(struct mica_ask_attempts *attempts)
{
    attempts->question.kind = MICA_ASK_ROOTS;
    attempts->question.keyz = "roots";
    attempts->capable = true;
    attempts->policy.most = MODEL_TRIES;
}

// ---- Params ------------------------------------------------------------------------

// Writes what a person reads: the message, and what was wrong with the last answer.
static void
write_message(struct mica_call *call, const struct mica_ask_attempts *attempts,
              struct mica_json_writer *writer)
{
    struct mica_text message = attempts->message;

    if (attempts->last_fault.len > 0)
        message =
            mica_format(call, "%.*s" MICA_ASK_FAULT "%.*s", MICA_ARG(message),
                        MICA_ARG(attempts->last_fault));
    mica_json_field(writer, "message", mica_call_clean(call->arena, message));
}

static void
write_fault(struct mica_call *call, const struct mica_ask_attempts *attempts,
            struct mica_json_writer *writer)
{
    const struct mica_error *fault = attempts->last_error;

    mica_json_name(writer, "mica/error");
    mica_json_open_object(writer);
    mica_json_field(writer, "code", mica_text(fault->code));
    mica_json_field(writer, "message",
                    mica_call_clean(call->arena, mica_text(fault->message)));
    mica_json_field(writer, "path", mica_text(fault->path));
    mica_json_close_object(writer);
}

// Writes what a client may use beside the form: what was wrong with the last answer, to show
// it at the field, and the view that shows the form.
static void
write_meta(struct mica_call *call, const struct mica_ask_attempts *attempts,
           struct mica_json_writer *writer)
{
    bool fault = attempts->last_fault.len > 0 &&
                 call->turn->dialect == MICA_ASKS_2026_07_28;
    bool view = attempts->view != NULL && attempts->view->meta.len > 0 &&
                call->turn->form_display == MICA_FORM_BY_VIEW;

    if (!fault && !view)
        return;
    mica_json_name(writer, "_meta");
    mica_json_open_object(writer);
    if (fault)
        write_fault(call, attempts, writer);
    if (view)
        mica_json_raw(writer, attempts->view->meta);
    mica_json_close_object(writer);
}

static enum mica_status
write_form(struct mica_call *call, const struct mica_ask_attempts *attempts,
           struct mica_json_writer *writer)
{
    enum mica_ask_dialect dialect = call->turn->dialect;
    enum mica_status status;

    mica_json_open_object(writer);
    if (dialect != MICA_ASKS_2025_06_18)
        mica_json_field(writer, "mode", MICA_LITERAL("form"));
    write_message(call, attempts, writer);
    mica_json_name(writer, "requestedSchema");
    call->error_is_from_operation = true;
    status = mica_form_schema(attempts->form, &attempts->prepared, dialect,
                              &call->error, writer);
    write_meta(call, attempts, writer);
    mica_json_close_object(writer);
    return status;
}

static void
write_page(struct mica_call *call, const struct mica_ask_attempts *attempts,
           struct mica_text key, struct mica_json_writer *writer)
{
    mica_json_open_object(writer);
    mica_json_field(writer, "mode", MICA_LITERAL("url"));
    write_message(call, attempts, writer);
    mica_json_field(writer, "url", mica_text(attempts->page->url));
    if (call->turn->dialect == MICA_ASKS_2025_11_25)
        mica_json_field(writer, "elicitationId",
                        mica_format(call, "%.*s/%.*s", MICA_ARG(call->turn->id),
                                    MICA_ARG(key)));
    mica_json_close_object(writer);
}

enum mica_status
mica_ask_attempts_params(struct mica_call *call,
                         const struct mica_ask_attempts *attempts,
                         struct mica_text key, struct mica_text *params_out)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer;
    enum mica_status status = MICA_OK;

    mica_buffer_init(&buffer, call->arena, PARAMS_BYTES);
    mica_json_writer_init(&writer, &buffer);
    if (attempts->question.kind == MICA_ASK_FORM)
        status = write_form(call, attempts, &writer);
    else if (attempts->question.kind == MICA_ASK_PAGE)
        write_page(call, attempts, key, &writer);
    else if (attempts->question.kind == MICA_ASK_SAMPLING)
        mica_sampling_params(attempts->sampling, attempts->schema,
                             attempts->last_fault, &writer);
    else
        mica_json_raw(&writer, MICA_LITERAL("{}"));
    if (call->arena->overflow)
        mica_call_exceed(call);
    MICA_TRY(status);
    if (buffer.overflow)
        return mica_turn_set_error(
            call, MICA_E_LIMIT, "the question \"%.*s\" is larger than %d bytes",
            MICA_ARG(key), PARAMS_BYTES);
    *params_out = mica_buffer_as_text(&buffer);
    return MICA_OK;
}

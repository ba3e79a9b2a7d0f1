// SPDX-License-Identifier: Apache-2.0
//
// mica_keep_put and its like: entries that a tool keeps, each operation a step. The
// provider runs it in a transaction; the journal gets what the tool's record reads of the
// answer.
#include <string.h>

#include "call/keep_provider.h"
#include "call/provider_step.h"
#include "call/turn_state.h"
#include "schema/record.h"

enum {
    DAY_MS = 24 * 60 * 60 * 1000,
    // A mark outlives its call by this: a server that stood still for less finds it.
    MARK_DAYS = 7
};

MICA_RECORD(mica_kept, MICA_INTEGER(version, "Of the entry.", .wide = true),
            MICA_INTEGER(rows, "That were read.", .wide = true),
            MICA_INTEGER(changes, "Rows that were changed.", .wide = true),
            MICA_TEXT(json, "What its record reads of it, as JSON."));

// ---- Answers -----------------------------------------------------------------------

int64_t
mica_keep_answer_integer(const struct mica_json *answer, const char *namez)
{
    const struct mica_json *member = mica_json_get(answer, namez);
    int64_t value = 0;

    if (member == NULL || member->kind != MICA_JSON_NUMBER ||
        !mica_integer_read(member->text, &value))
        return 0;
    return value;
}

const struct mica_field *
mica_keep_step_list(const struct mica_keep_step *step, const char *namez)
{
    const struct mica_field *field =
        mica_record_find(step->into.record, mica_text(namez));

    return field != NULL && field->type->kind == MICA_KIND_LIST &&
                   field->type->element->kind == MICA_KIND_RECORD
               ? field
               : NULL;
}

static enum mica_status
decode_failed(struct mica_keep_step *step, enum mica_status status,
              struct mica_error *error)
{
    const struct mica_error reason = *error;

    if (step->call->arena->overflow || status == MICA_E_LIMIT)
        return mica_error_set(error, MICA_E_LIMIT, "",
                              "the call has no memory for what the step \"%s\" "
                              "reads",
                              step->key);
    return mica_error_set(error, MICA_E_KEEP_VALUE, "",
                          "what the step \"%s\" reads does not fit the record "
                          "\"%s\": %s%s%s",
                          step->key, step->into.record->tag, reason.path,
                          reason.path[0] != '\0' ? ": " : "", reason.message);
}

enum mica_status
mica_keep_step_decode(struct mica_keep_step *step,
                      const struct mica_json *value, struct mica_error *error)
{
    const struct mica_record *record = step->into.record;
    struct mica_json_writer writer;
    struct mica_buffer buffer;
    enum mica_status status;

    if (record == NULL)
        return MICA_OK;
    memset(step->scratch, 0, record->size);
    status = mica_record_decode_foreign(record, value, step->call->arena, error,
                                        step->scratch);
    mica_buffer_init(&buffer, step->call->arena, MICA_JOURNAL_BYTES);
    mica_json_writer_init(&writer, &buffer);
    if (status == MICA_OK)
        status = mica_record_encode(record, step->scratch, step->call->arena,
                                    error, &writer);
    if (status == MICA_OK && buffer.overflow)
        status = MICA_E_LIMIT;
    if (status != MICA_OK)
        return decode_failed(step, status, error);
    step->kept->json = mica_buffer_as_text(&buffer);
    return MICA_OK;
}

static enum mica_status
answer_read(void *data, struct mica_text answer, struct mica_error *error)
{
    struct mica_keep_step *step = data;
    struct mica_json value;

    step->kept->json = MICA_LITERAL("");
    MICA_TRY(mica_json_read(step->call->arena, answer, NULL, error, &value));
    return step->take(step, &value, error);
}

// ---- One step ----------------------------------------------------------------------

static enum mica_status
check_step(const struct mica_keep_step *step)
{
    struct mica_call *call = step->call;

    if (call->turn->state->frame->keeps == NULL)
        return mica_turn_set_error(call, MICA_E_USAGE,
                                   "the tool keeps something, but has no "
                                   ".keeps; declare it: .keeps = "
                                   "MICA_KEEPS_OWN");
    if (!mica_step_key_valid(step->key))
        return mica_turn_set_error(call, MICA_E_USAGE,
                                   "the key of a step that keeps is 1 to %d "
                                   "bytes without ' ', '/' and '#'",
                                   MICA_TOOL_STEP_KEY_BYTES);
    return MICA_OK;
}

// Fills in what belongs to the call.
static enum mica_status
order_complete(struct mica_keep_step *step)
{
    struct mica_call *call = step->call;
    const struct mica_turn *turn = call->turn;
    struct mica_keep_order *order = &step->order;
    int64_t lives = turn->keep_ms > 0 ? turn->keep_ms : DAY_MS;

    order->key = mica_idempotency_key(call);
    order->now = turn->platform->now_ms(turn->platform->data);
    order->expires = order->now + lives + (int64_t)MARK_DAYS * DAY_MS;
    if (step->lives_s > 0)
        order->until = order->now + (int64_t)step->lives_s * 1000;
    order->place = turn->state->frame->keeps;
    order->cancelled = call->cancelled;
    order->read = answer_read;
    order->data = step;
    if (step->into.record != NULL)
        step->scratch = mica_alloc(call, step->into.record->size);
    if (step->value.record == NULL)
        return MICA_OK;
    MICA_TRY(mica_turn_encode(call, step->value, &order->value));
    if (order->value.len <= MICA_KEEP_VALUE_BYTES)
        return MICA_OK;
    return mica_turn_set_error(
        call, MICA_E_KEEP_SIZE,
        "the value of \"%.*s\" has %zu bytes of JSON; at "
        "most %d are kept",
        MICA_ARG(order->name), order->value.len, MICA_KEEP_VALUE_BYTES);
}

static enum mica_status
keep_run(struct mica_call *call, void *data, void *out)
{
    struct mica_keep_step *step = data;
    struct mica_turn *turn = call->turn;
    const struct mica_keep_provider *provider =
        turn->service != NULL ? turn->service(turn->data, MICA_KEEP_SERVICE)
                              : NULL;
    struct mica_error error = {.status = MICA_OK};
    enum mica_status status;

    if (provider == NULL)
        return mica_turn_set_error(call, MICA_E_KEEP,
                                   "this server keeps nothing for its tools: "
                                   "it has no folder for their databases "
                                   "(mica_server_use_keep)");
    step->kept = out;
    step->kept->json = MICA_LITERAL("");
    MICA_TRY(order_complete(step));
    status = provider->run(provider->data, &step->order, call->arena, &error);
    if (call->arena->overflow)
        mica_call_exceed(call);
    if (status == MICA_E_CANCELLED)
        return mica_step_cancel(call, "its statements ran");
    if (status != MICA_OK)
        return mica_turn_set_error(call, status, "%s", error.message);
    return MICA_OK;
}

enum mica_status
mica_keep_step_run(struct mica_keep_step *step, struct mica_kept *kept_out)
{
    struct mica_kept *kept = kept_out;
    struct mica_effect effect = {.kind = MICA_ENTRY_STEP,
                                 .namez = step->key,
                                 .run = keep_run,
                                 .data = step,
                                 .into = MICA_INTO(mica_kept, kept)};

    MICA_TRY(check_step(step));
    MICA_TRY(mica_effect_run(step->call, &effect));
    return mica_step_give(step->call, "step", step->key, kept->json,
                          step->into);
}

// ---- Entries -----------------------------------------------------------------------

static enum mica_status
check_name(struct mica_call *call, struct mica_text name, bool empty)
{
    if (name.len <= MICA_KEEP_NAME_BYTES && (empty || name.len > 0) &&
        mica_utf8_valid(name) == name.len)
        return MICA_OK;
    return mica_turn_set_error(call, MICA_E_KEEP_SIZE,
                               "the name of an entry is 1 to %d bytes of "
                               "UTF-8; this one has %zu",
                               MICA_KEEP_NAME_BYTES, name.len);
}

static enum mica_status
entry_take(struct mica_keep_step *step, const struct mica_json *answer,
           struct mica_error *error)
{
    const struct mica_json *value = mica_json_get(answer, "value");

    step->kept->version = mica_keep_answer_integer(answer, "version");
    if (step->kept->version == 0 && step->needs_one)
        return mica_error_set(error, MICA_E_KEEP_NONE, "",
                              "nothing is kept under \"%.*s\"",
                              MICA_ARG(step->order.name));
    return value != NULL ? mica_keep_step_decode(step, value, error) : MICA_OK;
}

static enum mica_status
entry_run(struct mica_call *call, enum mica_keep_act act,
          const struct mica_keep *entry, uint32_t lives_s,
          struct mica_from value, struct mica_into into)
{
    static const char *const keys[] = {[MICA_KEEP_PUT] = "put",
                                       [MICA_KEEP_GET] = "get",
                                       [MICA_KEEP_DELETE] = "delete"};
    struct mica_keep_step step = {
        .call = call,
        .key = entry->key != NULL ? entry->key : keys[act],
        .order = {.act = act, .name = entry->name, .expect = entry->expect},
        .value = value,
        .lives_s = lives_s,
        .into = into,
        .take = entry_take,
        .needs_one = act == MICA_KEEP_GET && entry->version_out == NULL};
    struct mica_kept kept;
    enum mica_status status = mica_turn_enter(call);

    if (into.record != NULL)
        memset(into.out, 0, into.record->size);
    if (entry->version_out != NULL)
        *entry->version_out = 0;
    if (status != MICA_OK)
        return status;
    MICA_TRY(check_name(call, entry->name, false));
    if (entry->expect < MICA_KEEP_ABSENT)
        return mica_turn_set_error(call, MICA_E_USAGE,
                                   ".expect is a version, 0 or "
                                   "MICA_KEEP_ABSENT");
    if (lives_s > MICA_KEEP_EXPIRY_S)
        return mica_turn_set_error(call, MICA_E_USAGE,
                                   "an entry expires after at most %d s, or "
                                   "not at all (mica_keep_put)",
                                   MICA_KEEP_EXPIRY_S);
    MICA_TRY(mica_keep_step_run(&step, &kept));
    if (entry->version_out != NULL)
        *entry->version_out = kept.version;
    return MICA_OK;
}

enum mica_status
mica_keep_put(struct mica_call *call, const struct mica_keep *entry,
              struct mica_from value)
{
    return entry_run(call, MICA_KEEP_PUT, entry, 0, value,
                     (struct mica_into){NULL, NULL});
}

enum mica_status
mica_keep_put_for(struct mica_call *call, const struct mica_keep *entry,
                  struct mica_from value, uint32_t seconds)
{
    return entry_run(call, MICA_KEEP_PUT, entry, seconds, value,
                     (struct mica_into){NULL, NULL});
}

enum mica_status
mica_keep_get(struct mica_call *call, const struct mica_keep *entry,
              struct mica_into value)
{
    return entry_run(call, MICA_KEEP_GET, entry, 0,
                     (struct mica_from){NULL, NULL}, value);
}

enum mica_status
mica_keep_delete(struct mica_call *call, const struct mica_keep *entry)
{
    return entry_run(call, MICA_KEEP_DELETE, entry, 0,
                     (struct mica_from){NULL, NULL},
                     (struct mica_into){NULL, NULL});
}

static enum mica_status
page_take(struct mica_keep_step *step, const struct mica_json *answer,
          struct mica_error *error)
{
    return mica_keep_step_decode(step, answer, error);
}

enum mica_status
mica_keep_list(struct mica_call *call, const struct mica_keep_page *page,
               struct mica_into page_out)
{
    struct mica_keep_step step = {
        .call = call,
        .key = page->key != NULL ? page->key : "list",
        .order = {.act = MICA_KEEP_LIST,
                  .name = page->prefix,
                  .after = page->after,
                  .limit = page->limit > 0 ? page->limit : MICA_KEEP_PAGE},
        .into = page_out,
        .take = page_take};
    struct mica_kept kept;
    enum mica_status status = mica_turn_enter(call);

    if (page_out.record != NULL)
        memset(page_out.out, 0, page_out.record->size);
    if (status != MICA_OK)
        return status;
    MICA_TRY(check_name(call, page->prefix, true));
    MICA_TRY(check_name(call, page->after, true));
    if (page->limit > MICA_KEEP_ROWS ||
        mica_keep_step_list(&step, "entries") == NULL)
        return mica_turn_set_error(call, MICA_E_USAGE,
                                   "a page has at most %d entries, and is read "
                                   "into a record with the list \"entries\" of "
                                   "records",
                                   MICA_KEEP_ROWS);
    return mica_keep_step_run(&step, &kept);
}

// SPDX-License-Identifier: Apache-2.0
//
// Reads the envelope of a message.
#include "protocol/envelope.h"

#include <string.h>

#include "protocol/capability.h"
#include "protocol/id_scan.h"
#include "protocol/log_level.h"

static const struct mica_text none = {NULL, 0};

// ---- JSON-RPC ------------------------------------------------------------------

static bool
refuse_request(struct mica_problem *problem, const char *what)
{
    return mica_problem_set(problem, 400, MICA_RPC_REQUEST, MICA_E_TYPE, none,
                            "Invalid request: %s", what);
}

struct members {
    const struct mica_json *jsonrpc, *id, *method, *params, *result, *error;
};

// Finds the members in one pass, as each message has most of them. The JSON reader
// refuses a name that is there twice.
static struct members
find_members(const struct mica_json *root)
{
    struct members found = {NULL, NULL, NULL, NULL, NULL, NULL};

    for (size_t i = 0; root->kind == MICA_JSON_OBJECT && i < root->count; i++) {
        struct mica_text name = root->members[i].name;
        const struct mica_json *value = &root->members[i].value;
        if (mica_text_is(name, "jsonrpc"))
            found.jsonrpc = value;
        else if (mica_text_is(name, "id"))
            found.id = value;
        else if (mica_text_is(name, "method"))
            found.method = value;
        else if (mica_text_is(name, "params"))
            found.params = value;
        else if (mica_text_is(name, "result"))
            found.result = value;
        else if (mica_text_is(name, "error"))
            found.error = value;
    }
    return found;
}

static bool
is_string(const struct mica_json *value)
{
    return value != NULL && value->kind == MICA_JSON_STRING;
}

// [BASE-ENVELOPE]
static bool
read_shape(const struct mica_json *root, struct mica_envelope *envelope,
           struct mica_problem *problem)
{
    struct members has = find_members(root);

    if (root->kind != MICA_JSON_OBJECT)
        return refuse_request(problem, "a message is a JSON object");
    // Of any id, valid or not: if both sides answered responses, they would send each
    // other errors for ever.
    bool answers = has.result != NULL || has.error != NULL;
    if (has.method == NULL && answers) {
        envelope->kind = MICA_RESPONSE;
        return true;
    }
    if (has.id != NULL && !mica_id_is_valid(has.id))
        return refuse_request(problem, "\"id\" must be a string or an integer "
                                       "of at most 256 bytes");
    if (has.id != NULL)
        envelope->id = has.id->raw;
    if (!is_string(has.jsonrpc) || !mica_text_is(has.jsonrpc->text, "2.0"))
        return refuse_request(problem, "\"jsonrpc\" must be \"2.0\"");
    if (!is_string(has.method))
        return refuse_request(problem, "\"method\" must be a string");
    // Refuse a message that is both: this server would read a request, and a gateway a
    // response.
    if (answers)
        return refuse_request(problem,
                              "it has a \"method\" beside a \"result\" or "
                              "\"error\"; send a request or a response");
    envelope->method = has.method->text;
    envelope->params = has.params;
    if (envelope->params != NULL && envelope->params->kind != MICA_JSON_OBJECT)
        return refuse_request(problem, "\"params\" must be an object");
    envelope->kind = has.id != NULL ? MICA_REQUEST : MICA_NOTIFICATION;
    return true;
}

// ---- _meta ---------------------------------------------------------------------

static bool
refuse_meta(const struct mica_envelope *envelope, struct mica_problem *problem,
            const char *what)
{
    if (envelope->kind != MICA_REQUEST)
        return true;
    return mica_problem_set(problem, 400, MICA_RPC_PARAMS, MICA_E_TYPE, none,
                            "Invalid params: %s", what);
}

static bool
read_progress_token(const struct mica_json *token,
                    struct mica_envelope *envelope,
                    struct mica_problem *problem)
{
    if (token == NULL || token->kind == MICA_JSON_NULL)
        return true;
    if (!mica_id_is_valid(token))
        return refuse_meta(envelope, problem,
                           "\"progressToken\" must be a string or an integer "
                           "of at most 256 bytes");
    envelope->progress_token = token->raw;
    return true;
}

static bool
read_meta(struct mica_envelope *envelope, struct mica_problem *problem)
{
    const struct mica_json *meta = mica_json_get(envelope->params, "_meta");
    struct mica_text trace;

    if (meta == NULL)
        return true;
    if (meta->kind != MICA_JSON_OBJECT)
        return refuse_meta(envelope, problem, "\"_meta\" must be an object");
    envelope->version = mica_json_get(meta, MICA_META_PREFIX "protocolVersion");
    envelope->capabilities =
        mica_json_get(meta, MICA_META_PREFIX "clientCapabilities");
    envelope->log_level = mica_json_get(meta, MICA_META_PREFIX "logLevel");
    trace = mica_json_get_text(meta, "traceparent");
    if (mica_trace_is_valid(trace))
        envelope->trace = trace;
    return read_progress_token(mica_json_get(meta, "progressToken"), envelope,
                               problem);
}

bool
mica_envelope_of(const struct mica_json *root, struct mica_envelope *envelope,
                 struct mica_problem *problem)
{
    memset(envelope, 0, sizeof *envelope);
    envelope->root = root;
    return read_shape(root, envelope, problem) && read_meta(envelope, problem);
}

bool
mica_envelope_read(struct mica_text text, const struct mica_json_limits *limits,
                   struct mica_arena *arena, struct mica_envelope *envelope,
                   struct mica_problem *problem)
{
    struct mica_json *root = mica_arena_zero(arena, 1, sizeof *root);
    struct mica_error error = {.message = ""};
    enum mica_status status = MICA_E_LIMIT;

    memset(envelope, 0, sizeof *envelope);
    if (root != NULL)
        status = mica_json_read(arena, text, limits, &error, root);
    if (status != MICA_OK)
        return mica_problem_set(problem, status == MICA_E_LIMIT ? 413 : 400,
                                MICA_RPC_PARSE, status, none, "Parse error: %s",
                                error.message);
    if (root->kind != MICA_JSON_ARRAY)
        return mica_envelope_of(root, envelope, problem);
    envelope->kind = MICA_BATCH;
    envelope->root = root;
    return true;
}

struct mica_text
mica_envelope_scan_id(struct mica_text text, struct mica_arena *arena)
{
    struct mica_id_scan scan;
    struct mica_text id;

    memset(&scan, 0, sizeof scan);
    mica_id_scan(&scan, text);
    id = mica_id_scan_found(&scan);
    return id.len > 0 ? mica_arena_text(arena, id) : none;
}

// ---- The stateless revision ---------------------------------------------------

bool
mica_envelope_is_stateless(const struct mica_envelope *envelope)
{
    return envelope->version != NULL || envelope->capabilities != NULL;
}

// MCP: logging: a request that names no level gets no log messages.
// [LOG-LEVEL] [BASE-STATELESS]
static bool
read_log_level(const struct mica_json *level, struct mica_client_state *client,
               struct mica_problem *problem)
{
    if (level == NULL)
        return true;
    client->logs = level->kind == MICA_JSON_STRING &&
                   mica_log_level_find(level->text, &client->log_level);
    return client->logs ||
           mica_problem_set(problem, 400, MICA_RPC_PARAMS, MICA_E_CHOICE, none,
                            "params._meta " MICA_META_PREFIX
                            "logLevel must be one of debug, info, notice, "
                            "warning, error, critical, alert, emergency");
}

// [BASE-META]
bool
mica_envelope_client(const struct mica_envelope *envelope,
                     struct mica_client_state *client,
                     struct mica_problem *problem)
{
    const struct mica_json *version = envelope->version;
    const struct mica_json *capabilities = envelope->capabilities;
    const char *lacks = NULL;

    *client = (struct mica_client_state){.capabilities = 0};
    if (version == NULL || version->kind != MICA_JSON_STRING)
        lacks = MICA_META_PREFIX "protocolVersion (a string)";
    else if (capabilities == NULL || capabilities->kind != MICA_JSON_OBJECT)
        lacks = MICA_META_PREFIX "clientCapabilities (an object, {} for none)";
    if (lacks != NULL)
        return mica_problem_set(
            problem, 400, MICA_RPC_PARAMS, MICA_E_REQUIRED, none,
            "params._meta must have %s; or send initialize first", lacks);
    client->capabilities =
        mica_client_read(capabilities, MICA_REVISION_2026_07_28);
    return read_log_level(envelope->log_level, client, problem);
}

// [BASE-VERSION]
bool
mica_revision_stateless(struct mica_text name, struct mica_arena *arena,
                        enum mica_revision *revision_out,
                        struct mica_problem *problem)
{
    const char *supported =
        mica_revision_features(MICA_REVISION_2026_07_28)->version;
    struct mica_buffer data;
    enum mica_revision revision;

    if (mica_revision_find(name, &revision) &&
        mica_revision_features(revision)->stateless) {
        *revision_out = revision;
        return true;
    }
    mica_buffer_init(&data, arena, 4096);
    mica_buffer_format(&data,
                       "\"supported\":[\"%s\"],\"requested\":", supported);
    mica_buffer_text(&data, mica_quote(arena, name));
    if (arena->overflow) // do not send half a member
        data.len = 0;
    return mica_problem_set(
        problem, 400, MICA_RPC_VERSION, MICA_E_UNKNOWN,
        mica_buffer_as_text(&data),
        "Unsupported protocol version; this server speaks %s, and 2025-11-25 "
        "and older after initialize",
        supported);
}

// ---- Parts --------------------------------------------------------------------

// Version, trace id, parent id and flags in lower-case hexadecimal. A later version may
// have more fields after a dash.
bool
mica_trace_is_valid(struct mica_text text)
{
    static const char form[] =
        "00-00000000000000000000000000000000-0000000000000000-00";
    size_t size = sizeof form - 1;
    bool trace = false, parent = false;

    if (text.len < size || (text.len > size && text.ptr[size] != '-') ||
        (text.len > size && memcmp(text.ptr, "00", 2) == 0) ||
        memcmp(text.ptr, "ff", 2) == 0)
        return false;
    for (size_t i = 0; i < size; i++) {
        char c = text.ptr[i];
        bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        if (form[i] == '-' ? c != '-' : !hex)
            return false;
        trace = trace || (i >= 3 && i < 35 && c != '0');
        parent = parent || (i >= 36 && i < 52 && c != '0');
    }
    return trace && parent; // all zeros are invalid
}

// SPDX-License-Identifier: Apache-2.0
//
// From how a call ended to what the client is told. A fault is the engine's, so
// the messages say what happened in plain words and that another input may
// work; a limit names itself and its value.
#include "sandbox/outcome.h"

#include <string.h>

#include <mica/json.h>

#include "engine/run.h"
#include "sandbox/wellformed.h"

enum {
    ERROR_BYTES = 16 * 1024
}; // of an error's JSON; ours is below 2 KiB

static const char *
trap_words(enum mica_trap trap)
{
    switch (trap) {
    case MICA_TRAP_BOUNDS:
        return "it read or wrote outside its memory";
    case MICA_TRAP_INTEGER_OVERFLOW:
        return "a result did not fit its integer type";
    case MICA_TRAP_DIVISION_BY_ZERO:
        return "it divided an integer by zero";
    case MICA_TRAP_CONVERSION:
        return "it converted a number that is not one (NaN) to an integer";
    case MICA_TRAP_UNREACHABLE:
        return "it reached a point that it says cannot be reached, or an "
               "integer overflowed, an array index was outside its array, or "
               "a number did not fit the integer it was converted to";
    case MICA_TRAP_INDIRECT_CALL:
        return "it called a function through a wrong pointer";
    case MICA_TRAP_FUSE:
        return "its functions called each other too deeply";
    case MICA_TRAP_NONE:
    case MICA_TRAP_EXCEPTION:
    case MICA_TRAP_MEMORY:
        break;
    }
    return "it stopped for an unknown reason";
}

void
mica_outcome_fail(struct mica_call *call, enum mica_status status,
                  const char *formatz, ...)
{
    va_list arguments;
    va_start(arguments, formatz);
    (void)mica_error_vset(&call->error, status, mica_status_code(status), "",
                          formatz, arguments);
    va_end(arguments);
    mica_call_fail_error(call);
}

// Reads the exchange out of the module's memory. False when it is not there.
static bool
read_exchange(const struct mica_ending *ending, struct mica_exchange *out)
{
    const struct mica_memory *memory = ending->memory;
    if (memory == NULL || ending->exchange == 0 || memory->size < sizeof *out ||
        ending->exchange > memory->size - sizeof *out)
        return false;
    memcpy(out, memory->data + ending->exchange, sizeof *out);
    return true;
}

static enum mica_ended
ending_fault(const struct mica_ending *ending, struct mica_call *call,
             const char *wordsz)
{
    mica_outcome_fail(
        call, MICA_E_EXECUTION,
        "The engine %s has a fault: %s. Its author has to mend it; "
        "other arguments may work.",
        ending->slug, wordsz);
    return MICA_ENDED_TRAP;
}

static enum mica_ended
no_memory(const struct mica_ending *ending, struct mica_call *call)
{
    mica_outcome_fail(
        call, MICA_E_LIMIT,
        "The call needs more than the %u KiB of memory that %s may "
        "use. Ask for less: shorter texts, fewer items.",
        ending->limits.memory_bytes / 1024, ending->slug);
    return MICA_ENDED_LIMIT;
}

// The fuse blew, by a stop from outside or by depth.
static enum mica_ended
ending_stopped(const struct mica_ending *ending, struct mica_call *call)
{
    switch (ending->stop) {
    case MICA_STOP_TIME:
        mica_outcome_fail(
            call, MICA_E_TIMEOUT,
            "%s did not finish within its limit of %u ms. Ask for "
            "less work: smaller numbers, fewer items.",
            ending->slug, ending->limits.time_ms);
        return MICA_ENDED_LATE;
    case MICA_STOP_CANCELLED:
        mica_outcome_fail(call, MICA_E_CANCELLED,
                          "The call of %s was cancelled.", ending->slug);
        return MICA_ENDED_CANCELLED;
    case MICA_STOP_NONE:
        break;
    }
    return ending_fault(ending, call, trap_words(MICA_TRAP_FUSE));
}

static enum mica_ended
ending_trapped(const struct mica_ending *ending, struct mica_call *call)
{
    struct mica_exchange exchange;
    if (ending->trap == MICA_TRAP_FUSE)
        return ending_stopped(ending, call);
    if (ending->trap == MICA_TRAP_MEMORY)
        return no_memory(ending, call);
    if (ending->trap == MICA_TRAP_UNREACHABLE &&
        read_exchange(ending, &exchange) && exchange.status == MICA_E_LIMIT)
        return no_memory(ending, call);
    return ending_fault(ending, call, trap_words(ending->trap));
}

// ---- What the module returned --------------------------------------------------

static bool
is_code(struct mica_text code)
{
    if (code.len == 0 || code.len >= sizeof((struct mica_error){0}).code)
        return false;
    for (size_t i = 0; i < code.len; i++) {
        char c = code.ptr[i];
        if ((c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_')
            return false;
    }
    return true;
}

// How a module may say that it failed: by its handler, or by what mica's own code in
// it finds wrong with the input. It cannot speak for the server: a module that is
// refused a token, say, is one that lies.
static bool
may_say(enum mica_status status)
{
    static const enum mica_status statuses[] = {
        MICA_FAILED,     MICA_E_JSON,    MICA_E_DUPLICATE, MICA_E_TYPE,
        MICA_E_REQUIRED, MICA_E_UNKNOWN, MICA_E_RANGE,     MICA_E_CHOICE,
        MICA_E_FORMAT,   MICA_E_LIMIT,   MICA_E_EXECUTION};

    for (size_t i = 0; i < MICA_COUNT(statuses); i++) {
        if (statuses[i] == status)
            return true;
    }
    return false;
}

// The error that the module wrote, in the words of its handler.
static enum mica_ended
ending_failed(const struct mica_ending *ending, struct mica_call *call,
              enum mica_status status, struct mica_text json)
{
    struct mica_json value;
    struct mica_error *error = &call->error;
    if (json.len > ERROR_BYTES ||
        mica_json_read(call->arena, json, NULL, NULL, &value) != MICA_OK ||
        !is_code(mica_json_get_text(&value, "code")))
        return ending_fault(ending, call, "it failed without saying why");
    struct mica_text message = mica_json_get_text(&value, "message");
    struct mica_text path = mica_json_get_text(&value, "path");
    struct mica_text code = mica_json_get_text(&value, "code");
    if (!may_say(status) || (status != MICA_FAILED &&
                             !mica_text_is(code, mica_status_code(status))))
        return ending_fault(ending, call,
                            "it failed in words that are the server's");
    if (path.len >= sizeof error->path)
        path.len = 0;
    if (path.len > 0) // a path that is no text has no bytes
        memcpy(error->path, path.ptr, path.len);
    error->path[path.len] = '\0';
    (void)mica_error_set(error, status, error->path, "%.*s", MICA_ARG(message));
    memcpy(error->code, code.ptr, code.len);
    error->code[code.len] = '\0';
    mica_call_fail_error(call);
    return status == MICA_E_LIMIT       ? MICA_ENDED_LIMIT
           : status == MICA_E_EXECUTION ? MICA_ENDED_TRAP
                                        : MICA_ENDED_WELL;
}

static enum mica_ended
too_much(const struct mica_ending *ending, struct mica_call *call, size_t size)
{
    mica_outcome_fail(
        call, MICA_E_LIMIT,
        "The result of %s has %zu bytes; the limit is %zu. Ask for "
        "less.",
        ending->slug, size, ending->limits.output_bytes);
    return MICA_ENDED_LIMIT;
}

static enum mica_ended
ending_returned(const struct mica_ending *ending, struct mica_call *call)
{
    struct mica_exchange exchange;
    const struct mica_memory *memory = ending->memory;
    if (!read_exchange(ending, &exchange) ||
        exchange.status >= MICA_STATUS_COUNT ||
        exchange.result > memory->size ||
        exchange.result_size > memory->size - exchange.result)
        return ending_fault(ending, call,
                            "it says its result lies outside its memory");
    struct mica_text json = {(const char *)memory->data + exchange.result,
                             exchange.result_size};
    if (exchange.status != MICA_OK)
        return ending_failed(ending, call, (enum mica_status)exchange.status,
                             json);
    if (json.len > ending->limits.output_bytes)
        return too_much(ending, call, json.len);
    if (json.len > 0 && !mica_wellformed_object(json))
        return ending_fault(ending, call, "its result is no JSON object");
    if (json.len > 0)
        json = mica_arena_text(call->arena, json);
    if (call->arena->overflow)
        return too_much(ending, call, exchange.result_size);
    call->result.status = MICA_OK;
    call->result.structured = json;
    return MICA_ENDED_WELL;
}

enum mica_ended
mica_outcome(const struct mica_ending *ending, struct mica_call *call)
{
    if (ending->returned)
        return ending_returned(ending, call);
    if (ending->refused)
        return no_memory(ending, call);
    return ending_trapped(ending, call);
}

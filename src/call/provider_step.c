// SPDX-License-Identifier: Apache-2.0
//
// Keys, cancellation and the recorded answers of steps that a provider runs.
#include "call/provider_step.h"

#include <string.h>

#include "call/turn_state.h"

bool
mica_step_key_valid(const char *keyz)
{
    size_t length = strlen(keyz);

    for (size_t i = 0; i < length; i++)
        if ((unsigned char)keyz[i] <= ' ' || strchr("/#\x7f", keyz[i]) != NULL)
            return false;
    return length > 0 && length <= MICA_TOOL_STEP_KEY_BYTES &&
           mica_utf8_valid(mica_text(keyz)) == length;
}

enum mica_status
mica_step_cancel(struct mica_call *call, const char *whilez)
{
    struct mica_error error;

    mica_error_set(&error, MICA_E_CANCELLED, "",
                   "the call was cancelled while %s", whilez);
    return mica_turn_fault(call, &error);
}

enum mica_status
mica_step_give(struct mica_call *call, const char *nounz, const char *keyz,
               struct mica_text json, struct mica_into into)
{
    struct mica_error error;

    if (into.record == NULL || json.len == 0)
        return MICA_OK;
    if (mica_turn_decode(call, json, into) == MICA_OK) {
        call->error.status = MICA_OK;
        call->error_is_from_operation = false;
        return MICA_OK;
    }
    mica_error_set(&error, MICA_E_DIVERGED, "",
                   "what was recorded of the %s \"%s\" does not fit its record "
                   "any more (%s); a tool that changes it needs another key",
                   nounz, keyz, call->error.message);
    return mica_turn_fault(call, &error);
}

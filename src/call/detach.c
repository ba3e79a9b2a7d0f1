// SPDX-License-Identifier: Apache-2.0
//
// Turns a call into a task. The journal does not record it: the turn ends here once, and
// in the turns of a task this has no effect.
#ifndef __wasm__

#    include "call/turn_state.h"

enum mica_status
mica_detach(struct mica_call *call)
{
    MICA_TRY(mica_turn_enter(call));
    if (!call->turn->may_detach)
        return MICA_OK;
    call->turn->detached = true;
    return mica_turn_suspend(call);
}

#endif

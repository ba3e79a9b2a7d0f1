// SPDX-License-Identifier: Apache-2.0
//
// The states of an execution: one request, answer or wake-up of a call, from its arrival
// until this process holds nothing for it.
//
//     from       to         when
//     NEW        ENTERED    a request was read
//                CLAIMED    a turn without a request has claimed its call
//                RELEASED   such a turn found nothing to do
//     ENTERED    CLAIMED    the call is stored
//                RUNNING    the call is carried, or the handler cannot ask
//                REPLAYED   an earlier turn has recorded the reply
//                REFUSED    the reply is an error, and no turn runs
//                RELEASED   the client has left
//     CLAIMED    RUNNING    its turn runs
//                REPLAYED   an earlier turn has recorded the reply
//                ENDED      the call has crashed its processes, its build is missing, or
//                           its context or journal is unreadable
//                REFUSED    the build is missing, or the journal or an answer is wrong
//                LOST       a commit has failed
//                RELEASED   another process has to continue the call, or the client left
//     RUNNING    ASKED      the handler waits for answers
//                ENDED      the handler has a result
//                LOST       a commit has failed
//                ENTERED    an engine used up its time on a serving thread; it recorded
//                           nothing, and a worker runs it again
//     ASKED      RUNNING    the model provider has answered, or the call cleans up
//                LOST       a commit has failed
//                RELEASED   the questions are committed, or sealed in the reply
//     ENDED      LOST       a commit has failed
//                RELEASED   the result is committed
//     REPLAYED, REFUSED, LOST
//                RELEASED   the reply is written
//
// A commit of an effect in the middle of a turn does not change the state. Neither does
// the first commit of a carried call: enum mica_persistence tells where the call is.
//
// Owner: the thread that has the message.
#include "server/calls/resumable.h"

#include "base/assert.h"
#include "base/states.h"

#define BIT(state) MICA_STATE_BIT(MICA_EXECUTION_##state)

static const uint32_t execution_moves[] = {
    [MICA_EXECUTION_NEW] = BIT(ENTERED) | BIT(CLAIMED) | BIT(RELEASED),
    [MICA_EXECUTION_ENTERED] = BIT(CLAIMED) | BIT(RUNNING) | BIT(REPLAYED) |
                               BIT(REFUSED) | BIT(RELEASED),
    [MICA_EXECUTION_CLAIMED] = BIT(RUNNING) | BIT(ENDED) | BIT(REPLAYED) |
                               BIT(REFUSED) | BIT(LOST) | BIT(RELEASED),
    [MICA_EXECUTION_RUNNING] =
        BIT(ENTERED) | BIT(ASKED) | BIT(ENDED) | BIT(LOST),
    [MICA_EXECUTION_ASKED] = BIT(RUNNING) | BIT(LOST) | BIT(RELEASED),
    [MICA_EXECUTION_ENDED] = BIT(LOST) | BIT(RELEASED),
    [MICA_EXECUTION_REPLAYED] = BIT(RELEASED),
    [MICA_EXECUTION_REFUSED] = BIT(RELEASED),
    [MICA_EXECUTION_LOST] = BIT(RELEASED),
    [MICA_EXECUTION_RELEASED] = 0};

static const char *const execution_names[] = {
    "NEW",   "ENTERED",  "CLAIMED", "RUNNING", "ASKED",
    "ENDED", "REPLAYED", "REFUSED", "LOST",    "RELEASED"};

const struct mica_states mica_execution_states = {
    .namez = "execution",
    .names = execution_names,
    .moves = execution_moves,
    .count = MICA_COUNT(execution_moves)};

#ifdef MICA_DEBUG

// Tells why the execution does not fit its new state; NULL: it fits.
static const char *
find_broken(const struct mica_execution *execution,
            enum mica_execution_state state)
{
    const struct mica_resumable *resumable = execution->resumable;
    bool claimed = resumable != NULL && mica_execution_is_claimed(resumable);

    if (resumable == NULL) // its handler cannot ask, so it has no call
        return state == MICA_EXECUTION_CLAIMED ||
                       state == MICA_EXECUTION_ASKED ||
                       state == MICA_EXECUTION_LOST
                   ? "it has no call"
                   : NULL;

    switch (state) {
    case MICA_EXECUTION_CLAIMED:
        return !claimed                                ? "nothing is claimed"
               : mica_call_has_ended(&resumable->kept) ? "its call has ended"
                                                       : NULL;
    case MICA_EXECUTION_RUNNING:
        return resumable->persistence == MICA_PERSISTENCE_STORED
                   ? "its call is stored and not claimed"
                   : NULL;
    case MICA_EXECUTION_ASKED:
        return !resumable->turn.suspended ? "its turn asks nothing" : NULL;
    case MICA_EXECUTION_ENDED:
        return resumable->turn.suspended ? "its turn asks" : NULL;
    case MICA_EXECUTION_LOST:
        return resumable->commit_error.status == MICA_OK
                   ? "no commit has failed"
                   : NULL;
    case MICA_EXECUTION_ENTERED:
    case MICA_EXECUTION_REPLAYED:
    case MICA_EXECUTION_REFUSED:
    case MICA_EXECUTION_RELEASED:
        return claimed ? "its call is still claimed" : NULL;
    case MICA_EXECUTION_NEW:
        break;
    }
    return NULL;
}

#endif

void
mica_execution_move(struct mica_execution *execution,
                    enum mica_execution_state state)
{
#ifdef MICA_DEBUG
    mica_states_check(&mica_execution_states, execution->state, state,
                      find_broken(execution, state));
#endif
    execution->state = state;
}

enum mica_execution_state
mica_execution_turn_state(const struct mica_resumable *resumable)
{
    if (resumable->commit_error.status != MICA_OK)
        return MICA_EXECUTION_LOST;
    return resumable->turn.suspended ? MICA_EXECUTION_ASKED
                                     : MICA_EXECUTION_ENDED;
}

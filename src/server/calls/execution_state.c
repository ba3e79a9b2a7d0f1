// SPDX-License-Identifier: Apache-2.0
//
// The states of an execution: one request, answer or wake-up of a call, until nothing
// is held for it any more.
//
//     NEW --- taken without a request --+
//      |                                |
//      v                                |
//     ENTERED --- not to be run --------|---> REFUSED ---+
//      | | |                            |       |        |
//      | | +--- recorded before --------|-> REPLAYED ----+
//      | |                              |       ^        |
//      | +--- its call is kept ---+     |       |        |
//      |                          v     v       |        |
//      | its call is carried     CLAIMED -------+        |
//      |                          | |                    |
//      v                          | +--- it cannot run --|--> ENDED, LOST, REFUSED
//     RUNNING <-------------------+                      |
//      |  |  |  (-> ENTERED when the time of an I/O thread is over: an engine, of
//      |  |  |   which nothing was recorded, runs again on a worker)
//      |  |  |                                           |
//      |  |  +--- the turn is not kept ---> LOST --------+
//      |  v                                  ^           |
//      | ASKED --- cannot be written down ---+           |
//      |  |  |                               |           v
//      |  |  +-------------------------------|------> RELEASED
//      |  +--- again: a model has answered,  |           ^
//      |       or it is to clean up ---> RUNNING         |
//      v                                     |           |
//     ENDED ---------------------------------+-----------+
//
// Effects that are committed while the handler runs are no moves: the journal has
// them. Where the call is kept is no state either, but enum mica_persistence, as a
// carried call is kept from its first effect on.
//
// Owner: the thread that has the message.
#include "server/calls/round.h"

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

// What does not fit the state that the execution goes to; NULL: it fits.
static const char *
find_broken(const struct mica_execution *execution,
            enum mica_execution_state state)
{
    const struct mica_round *round = execution->round;
    bool claimed = round != NULL && mica_execution_is_claimed(round);

    if (round == NULL) // its handler cannot ask, and nothing of it is kept
        return state == MICA_EXECUTION_CLAIMED ||
                       state == MICA_EXECUTION_ASKED ||
                       state == MICA_EXECUTION_LOST
                   ? "it has no call that could be kept"
                   : NULL;

    switch (state) {
    case MICA_EXECUTION_CLAIMED:
        return !claimed                            ? "nothing is claimed"
               : mica_call_has_ended(&round->kept) ? "its call has ended"
                                                   : NULL;
    case MICA_EXECUTION_RUNNING:
        return round->persistence == MICA_PERSISTENCE_STORED
                   ? "its call is kept and not claimed"
                   : NULL;
    case MICA_EXECUTION_ASKED:
        return !round->turn.suspended ? "its turn asks nothing" : NULL;
    case MICA_EXECUTION_ENDED:
        return round->turn.suspended ? "its turn asks" : NULL;
    case MICA_EXECUTION_LOST:
        return round->lost.status == MICA_OK ? "nothing was lost" : NULL;
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
mica_execution_turn_state(const struct mica_round *round)
{
    if (round->lost.status != MICA_OK)
        return MICA_EXECUTION_LOST;
    return round->turn.suspended ? MICA_EXECUTION_ASKED : MICA_EXECUTION_ENDED;
}

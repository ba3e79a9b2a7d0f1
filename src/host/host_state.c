// SPDX-License-Identifier: Apache-2.0
//
// The states of a host.
//
//     LOADING --------- teardown -------------------------+
//      | ui/initialize                                    |
//      v        <--+                                      |
//     HANDSHAKE ---+ ui/initialize, again --- teardown ---+
//      | initialized       ^                              |
//      v                   | ui/initialize, as the        v
//     LIVE ----------------+ document was loaded again -> TEARDOWN
//                                                         |
//     Every state but CLOSED: close, or a flood --------> CLOSED
//
// A move that the table does not have is refused where it is asked for, since the view asks
// for most of them. web/host/connection.js has the same table; there a closed bridge may
// connect again, here a program opens another host.
#include "base/states.h"

#include "host/host_peer.h"

#define BIT(state) MICA_STATE_BIT(MICA_HOST_##state)

static const uint32_t host_moves[] = {
    [MICA_HOST_LOADING] = BIT(HANDSHAKE) | BIT(TEARDOWN) | BIT(CLOSED),
    [MICA_HOST_HANDSHAKE] =
        BIT(HANDSHAKE) | BIT(LIVE) | BIT(TEARDOWN) | BIT(CLOSED),
    [MICA_HOST_LIVE] = BIT(HANDSHAKE) | BIT(TEARDOWN) | BIT(CLOSED),
    [MICA_HOST_TEARDOWN] = BIT(CLOSED),
    [MICA_HOST_CLOSED] = 0};

static const char *const host_names[] = {"LOADING", "HANDSHAKE", "LIVE",
                                         "TEARDOWN", "CLOSED"};

const struct mica_states mica_host_states = {.namez = "host of a view",
                                             .names = host_names,
                                             .moves = host_moves,
                                             .count = MICA_COUNT(host_moves)};

#ifdef MICA_DEBUG

// Returns which invariant the host breaks in its new state, or NULL.
static const char *
find_broken(const struct mica_host *host, enum mica_host_state state)
{
    if (state == MICA_HOST_CLOSED &&
        (host->asked_count > 0 || host->running_count > 0))
        return "a request is open";
    if (state >= MICA_HOST_TEARDOWN &&
        (host->queue.count > 0 || host->partials.count > 0))
        return "a message waits";
    if ((state == MICA_HOST_HANDSHAKE || state == MICA_HOST_LIVE) &&
        host->app_info.len == 0)
        return "the view has not said what it is";
    return NULL;
}

#endif

bool
mica_host_move(struct mica_host *host, enum mica_host_state state)
{
    if (!mica_states_allow(&mica_host_states, host->state, state))
        return false;
#ifdef MICA_DEBUG
    mica_states_check(&mica_host_states, host->state, state,
                      find_broken(host, state));
#endif
    host->state = state;
    return true;
}

bool
mica_host_is_ending(const struct mica_host *host)
{
    return host->state >= MICA_HOST_TEARDOWN;
}

enum mica_status
mica_host_must_be_open(struct mica_host *host, struct mica_error *error)
{
    if (!mica_host_is_ending(host))
        return MICA_OK;
    return mica_host_fail(host, MICA_HOST_CONNECTION_CLOSED, error,
                          "The view ends, or has ended.");
}

const char *
mica_host_state_name(enum mica_host_state state)
{
    return mica_states_name(&mica_host_states, state);
}

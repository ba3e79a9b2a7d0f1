// SPDX-License-Identifier: Apache-2.0
//
// Chance, what is noted for people, and effects: one that is recorded may not run
// again, under whatever goes wrong.
#include "world.h"

#include <stdarg.h>

#include "base/states.h"
#include "server/calls/calls_interface.h"

struct sim_world world;
char sim_title[100];
void (*sim_failed)(const char *text);

enum {
    NOTE = 240 // longest line of the trace
};

void
sim_world_begin(uint64_t seed)
{
    memset(&world, 0, sizeof world);
    world.chance = seed * 2654435761u + 1;
    atomic_store(&world.now, SIM_BEGIN);
    sim_services_reset();
}

// ---- Chance --------------------------------------------------------------------------

uint64_t
sim_random(void)
{
    world.chance ^= world.chance << 13;
    world.chance ^= world.chance >> 7;
    world.chance ^= world.chance << 17;
    return world.chance >> 8;
}

uint64_t
sim_hash(uint64_t seed, const char *text)
{
    uint64_t hash = seed * 1099511628211u + 14695981039346656037u;

    for (const char *c = text; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    return hash ^ hash >> 29;
}

uint64_t
sim_wanted(const char *variable, uint64_t usual)
{
    const char *wanted = getenv(variable);

    return wanted != NULL ? strtoull(wanted, NULL, 10) : usual;
}

// ---- What people are told ------------------------------------------------------------

void
sim_note(const char *format, ...)
{
    va_list arguments;
    size_t begins;
    int len;

    if (world.trace_len > sizeof world.trace - NOTE - 60) {
        memmove(world.trace, world.trace + sizeof world.trace / 2,
                world.trace_len - sizeof world.trace / 2 + 1);
        world.trace_len -= sizeof world.trace / 2;
    }
    begins = world.trace_len;
    world.trace_len +=
        (size_t)snprintf(world.trace + world.trace_len, 32, "%lld ",
                         (long long)(atomic_load(&world.now) - SIM_BEGIN));
    va_start(arguments, format);
    len = vsnprintf(world.trace + world.trace_len, NOTE, format, arguments);
    va_end(arguments);
    world.trace_len += len < NOTE ? (size_t)len : NOTE - 1;
    world.trace[world.trace_len++] = '\n';
    world.trace[world.trace_len] = '\0';
    if (getenv("MICA_SIM_TRACE") != NULL)
        (void)fputs(world.trace + begins, stderr);
}

void
sim_fail(const char *format, ...)
{
    static char text[SIM_TRACE_BYTES + 1400]; // check takes 4096
    char said[1200];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(said, sizeof said, format, arguments);
    va_end(arguments);
    (void)snprintf(text, sizeof text, "%s: %s\n%s", sim_title, said,
                   world.trace);
    if (sim_failed != NULL)
        sim_failed(text);
    ck_abort_msg("%s", text);
    abort(); // not reached
}

void
sim_check_move(struct mica_text call, unsigned from, unsigned to)
{
    SIM_MUST(mica_states_allow(&mica_call_states, from, to),
             "the call %.*s moves from %s to %s, which its table has not",
             MICA_ARG(call), mica_states_name(&mica_call_states, from),
             mica_states_name(&mica_call_states, to));
}

char *
sim_copy(struct mica_text text)
{
    char *made = calloc(1, text.len + 1);

    if (text.len > 0)
        memcpy(made, text.ptr, text.len);
    return made;
}

// ---- Effects -------------------------------------------------------------------------

static bool
is_lost(struct mica_text key)
{
    return world.doing->lost || (world.is_lost != NULL && world.is_lost(key));
}

bool
sim_is_in_vain(struct mica_text key)
{
    return world.doing->ghost || is_lost(key);
}

void
sim_effect_of_key(struct mica_text key, const char *name, int64_t who)
{
    struct sim_effect *effect = world.effects;
    struct sim_effect *end = world.effects + world.effect_count;
    struct sim_doing *doing = world.doing;

    if (doing->ghost)
        return;
    while (effect < end && !mica_text_is(key, effect->key))
        effect++;
    if (effect == end) {
        SIM_MUST(world.effect_count < SIM_EFFECTS, "too many effects");
        world.effect_count++;
        *effect = (struct sim_effect){.who = who};
        snprintf(effect->key, sizeof effect->key, "%.*s", MICA_ARG(key));
        snprintf(effect->name, sizeof effect->name, "%s", name);
    }
    SIM_MUST(strcmp(effect->name, name) == 0,
             "%s and %s have the same idempotency key %s", effect->name, name,
             effect->key);
    SIM_MUST(!effect->recorded || is_lost(key),
             "%s (%s) ran again after it had been recorded", name, effect->key);
    effect->runs++;
    sim_note("effect %s of %d, run %d", name, (int)who, effect->runs);
    SIM_MUST(doing->ran_count < SIM_RAN, "too many effects at once");
    doing->ran[doing->ran_count++] = (size_t)(effect - world.effects);
}

void
sim_effect(struct mica_server_call *call, const char *name, int64_t who)
{
    sim_effect_of_key(mica_idempotency_key(call), name, who);
}

void
sim_recorded(struct sim_doing *doing, struct mica_text call)
{
    for (size_t i = 0; i < doing->ran_count; i++) {
        struct sim_effect *effect = &world.effects[doing->ran[i]];
        if (strncmp(effect->key, call.ptr, call.len) == 0)
            effect->recorded = true;
    }
    doing->ran_count = 0;
}

int
sim_effects_of(int64_t who, const char *name)
{
    int count = 0;

    for (size_t i = 0; i < world.effect_count; i++)
        count += world.effects[i].who == who &&
                 strcmp(world.effects[i].name, name) == 0;
    return count;
}

int
sim_effects_named(const char *name)
{
    int count = 0;

    for (size_t i = 0; i < world.effect_count; i++)
        count += strcmp(world.effects[i].name, name) == 0;
    return count;
}

// SPDX-License-Identifier: Apache-2.0
//
// Stands in for tools/lib/deploys.c and contacts.c: what is done is counted, and
// found again by its key, as in the real ones. Clients name what they build, and the
// feed they import, by their own number.
#include "../../tools/lib/contacts.h"
#include "../../tools/lib/deploys.h"
#include "world.h"

// Nodes give them to their servers, which so never open them.
const struct mica_service_definition deploys_service = {.name = "deploys"};
const struct mica_service_definition contacts_service = {.name = "contacts"};

// Numbers of what was made say whose it is.
enum {
    NUMBERS = 1000
};

static int64_t
number_of(struct mica_text name)
{
    int64_t who;

    // "x3": the letter is there as names begin with one.
    SIM_MUST(mica_integer_read(mica_text_slice(name, 1, name.len), &who),
             "no number in %.*s", MICA_ARG(name));
    return who;
}

// ---- Deployments -------------------------------------------------------------------

static int locks; // that are held

int
sim_locks(void)
{
    return locks;
}

void
sim_services_reset(void)
{
    locks = 0;
}

// The same owner may lock twice; an owner that unlocks has locked.
static struct {
    char owner[200];
    bool held;
} owners[SIM_EFFECTS];

static size_t
find_owner(struct mica_text owner)
{
    size_t i = 0;

    while (i < MICA_COUNT(owners) - 1 && owners[i].owner[0] != '\0' &&
           !mica_text_is(owner, owners[i].owner))
        i++;
    snprintf(owners[i].owner, sizeof owners[i].owner, "%.*s", MICA_ARG(owner));
    return i;
}

enum mica_status
deploys_lock(struct database *deploys, struct mica_text environment,
             struct mica_text owner, int64_t now_ms, int64_t until_ms,
             struct mica_error *error)
{
    size_t one;

    (void)deploys;
    (void)environment;
    (void)now_ms;
    (void)until_ms;
    (void)error;
    // A process that has lost the call and cannot know yet may lock once more, behind the
    // clean-up; the real lock has an end, too.
    if (sim_is_in_vain(owner))
        return MICA_OK;
    if (locks == 0)
        memset(owners, 0, sizeof owners);
    one = find_owner(owner);
    locks += !owners[one].held;
    owners[one].held = true;
    return MICA_OK;
}

enum mica_status
deploys_unlock(struct database *deploys, struct mica_text environment,
               struct mica_text owner, struct mica_error *error)
{
    size_t one;

    (void)deploys;
    (void)environment;
    (void)error;
    if (world.doing->ghost)
        return MICA_OK;
    one = find_owner(owner);
    locks -= owners[one].held;
    owners[one].held = false;
    return MICA_OK;
}

enum mica_status
deploys_build(struct database *deploys, struct mica_text key,
              struct mica_text service, struct mica_text version,
              struct mica_error *error, int64_t *number_out)
{
    (void)deploys;
    (void)version;
    (void)error;
    sim_effect_of_key(key, "build", number_of(service));
    *number_out = NUMBERS + number_of(service);
    return MICA_OK;
}

enum mica_status
deploys_deploy(struct database *deploys, struct mica_text key, int64_t build,
               struct mica_text environment, struct mica_text strategy,
               struct mica_error *error, int64_t *number_out)
{
    (void)deploys;
    (void)environment;
    (void)strategy;
    (void)error;
    sim_effect_of_key(key, "deploy", build - NUMBERS);
    *number_out = build + NUMBERS;
    return MICA_OK;
}

enum mica_status
deploys_notify(struct database *deploys, struct mica_text key,
               int64_t deployment, struct mica_text words,
               struct mica_error *error, int64_t *number_out)
{
    (void)deploys;
    (void)words;
    (void)error;
    sim_effect_of_key(key, "notify", deployment - 2 * NUMBERS);
    *number_out = deployment + NUMBERS;
    return MICA_OK;
}

// ---- Contacts ----------------------------------------------------------------------

enum mica_status
contacts_begin(struct database *contacts, struct mica_text key,
               struct mica_text feed, struct mica_error *error,
               int64_t *number_out)
{
    (void)contacts;
    (void)error;
    sim_effect_of_key(key, "import", number_of(feed));
    *number_out = NUMBERS + number_of(feed);
    return MICA_OK;
}

// Rows have numbers of their own, so taking them twice changes nothing.
enum mica_status
contacts_take(struct database *contacts, int64_t import, struct mica_text feed,
              int64_t from, int64_t to, struct mica_error *error,
              int64_t *taken_out)
{
    (void)contacts;
    (void)import;
    (void)feed;
    (void)error;
    *taken_out = to - from;
    return MICA_OK;
}

enum mica_status
contacts_end(struct database *contacts, int64_t import, const char *state,
             struct mica_error *error)
{
    (void)contacts;
    (void)import;
    (void)state;
    (void)error;
    return MICA_OK;
}

// SPDX-License-Identifier: Apache-2.0
//
// The tools of the simulation: small ones of every shape that count their effects,
// three that do what a handler must not, and those that mica ships.
#include <mica/server.h>

#include "world.h"

struct customer {
    int64_t who; // number of the client
};
MICA_RECORD(customer, MICA_INTEGER(who, "Number of the client."));

struct sure {
    bool yes;
};
MICA_RECORD(sure, MICA_BOOLEAN(yes, "Is it so?"));

struct again {
    bool more;
};
MICA_RECORD(again, MICA_BOOLEAN(more, "Once more?"));

struct receipt {
    int64_t who, number;
};
MICA_RECORD(receipt, MICA_INTEGER(who, "Whose."),
            MICA_INTEGER(number, "By chance."));

static const char *
yes_or_no(bool yes)
{
    return yes ? "yes" : "no";
}

// What an ask that was not accepted ends a strict handler with.
static const char *
refusal(const struct sim_person *client, const char *key)
{
    enum mica_action action = sim_action(client, key);

    return action == MICA_DECLINED    ? "ELICITATION_DECLINED: "
           : action == MICA_DISMISSED ? "ELICITATION_CANCELLED: "
                                      : NULL;
}

static void
one_effect(const struct sim_person *client, const char *name, int count)
{
    int found = sim_effects_of(client->number, name);

    SIM_MUST(found == count, "client %d has %d of %s, not %d", client->number,
             found, name, count);
}

// ---- Carried: two questions ----------------------------------------------------------

static enum mica_status
asks(struct mica_call *call, const struct customer *in,
     struct mica_nothing *out)
{
    struct sure sure;
    struct again again;

    (void)in;
    (void)out;
    MICA_TRY(mica_elicit(call, MICA_FORM(sure, &sure), "Sure?"));
    MICA_TRY(mica_elicit(call, MICA_FORM(again, &again), "More, as %s?",
                         yes_or_no(sure.yes)));
    mica_add_text(call,
                  mica_format(call, "asked: %s %s", yes_or_no(sure.yes),
                              yes_or_no(again.more)),
                  NULL);
    return MICA_OK;
}
MICA_TOOL(asks, customer, mica_nothing, asks, .description = "Asks twice.");

static const char *
expect_asks(const struct sim_person *client)
{
    static char text[100];

    if (refusal(client, "sure") != NULL)
        return refusal(client, "sure");
    if (refusal(client, "again") != NULL)
        return refusal(client, "again");
    snprintf(text, sizeof text, "asked: %s %s",
             yes_or_no(sim_yes(client, "sure")),
             yes_or_no(sim_yes(client, "again")));
    return text;
}

static void
check_nothing(const struct sim_person *client)
{
    (void)client;
}

// ---- Phases ----------------------------------------------------------------------------

static void
unreserve(struct mica_server_call *call, const void *data)
{
    const struct customer *customer = data;

    sim_effect(call, "unreserve", customer->who);
}

static enum mica_status
before(struct mica_server_call *call, const struct customer *in,
       struct customer *out)
{
    sim_effect(call, "reserve", in->who);
    *out = *in;
    return MICA_OK;
}

static enum mica_status
client_phase(struct mica_client_call *call, const struct customer *found,
             struct sure *out)
{
    struct mica_text words;

    mica_defer(call, "unreserve", unreserve, found);
    MICA_TRY(mica_sample(
        call, &(struct mica_sampling){.prompt = MICA_LITERAL("Speak.")},
        &words));
    return mica_elicit(call, MICA_FORM(sure, out), "%.*s?", MICA_ARG(words));
}

static enum mica_status
after(struct mica_server_call *call, const struct customer *found,
      const struct sure *sure, struct receipt *out)
{
    if (sure->yes)
        sim_effect(call, "order", found->who);
    out->who = found->who;
    out->number = sure->yes;
    return MICA_OK;
}
MICA_HANDOFF(orders, customer, customer, sure, receipt, before, client_phase,
             after, .description = "Has phases and a clean-up.");

static const char *
expect_orders(const struct sim_person *client)
{
    if (refusal(client, "sure") != NULL)
        return refusal(client, "sure");
    return sim_yes(client, "sure") ? "\"number\":1" : "\"number\":0";
}

static void
check_orders(const struct sim_person *client)
{
    bool accepted = sim_action(client, "sure") == MICA_ACCEPTED;

    one_effect(client, "order", accepted && sim_yes(client, "sure"));
    if (client->has_key) {
        one_effect(client, "reserve", 1);
        one_effect(client, "unreserve", 1);
    }
}

// ---- Steps, time and chance, a loop, several asks in a round ------------------------------

static enum mica_status
charge(struct mica_server_call *call, const struct customer *in,
       struct receipt *out)
{
    // Chance first: it is made durable by a commit of its own.
    out->number = (int64_t)(mica_random(call) % 1000);
    out->who = in->who;
    sim_effect(call, "charge", in->who);
    return MICA_OK;
}
MICA_STEP(charge, customer, receipt, charge);

static enum mica_status
refuse(struct mica_server_call *call, const struct customer *in,
       struct receipt *out)
{
    (void)out;
    sim_effect(call, "refuse", in->who);
    return mica_fail(call, "NO_WAY", "", "The step fails.");
}
MICA_STEP(refuse, customer, receipt, refuse);

static enum mica_status
pays(struct mica_call *call, const struct customer *in, struct receipt *out)
{
    struct sure sure;
    struct again again;
    struct receipt one, two, none;
    const struct mica_ask both[] = {
        {.form = MICA_FORM(sure, &sure), .message = MICA_LITERAL("Sure?")},
        {.form = MICA_FORM(again, &again), .message = MICA_LITERAL("Again?")}};
    int64_t began = mica_now(call);

    MICA_TRY(MICA_RUN_STEP(charge, call, in, &one));
    mica_log(call, MICA_LOG_INFO, "charged %lld", (long long)one.number);
    MICA_TRY(mica_ask_all(call, both, 2));
    MICA_TRY(MICA_RUN_STEP(charge, call, in, &two));
    if (again.more)
        MICA_TRY(MICA_RUN_STEP(refuse, call, in, &none));
    out->who = mica_now(call) >= began ? in->who : -1;
    out->number = one.number + two.number;
    return MICA_OK;
}
MICA_TOOL(pays, customer, receipt, pays, .description = "Has steps.",
          .steps = MICA_STEPS("charge", "refuse"), .task = MICA_TASK_OPTIONAL);

static const char *
expect_pays(const struct sim_person *client)
{
    static char text[60];

    if (refusal(client, "sure") != NULL)
        return refusal(client, "sure");
    if (refusal(client, "again") != NULL)
        return refusal(client, "again");
    if (sim_yes(client, "again"))
        return "NO_WAY: ";
    snprintf(text, sizeof text, "\"who\":%d", client->number);
    return text;
}

static void
check_pays(const struct sim_person *client)
{
    bool both = sim_action(client, "sure") == MICA_ACCEPTED &&
                sim_action(client, "again") == MICA_ACCEPTED;

    one_effect(client, "refuse", both && sim_yes(client, "again"));
    if (client->has_key)
        one_effect(client, "charge", both ? 2 : 1);
}

// ---- Other tools inside --------------------------------------------------------------

static enum mica_status
hires(struct mica_call *call, const struct customer *in, struct receipt *out)
{
    struct mica_invocation both[] = {
        {.tool = "asks", .from = MICA_FROM(customer, in)},
        {.tool = "pays",
         .from = MICA_FROM(customer, in),
         .into = {&mica_record_receipt, out}}};

    return mica_invoke_all(call, both, 2);
}
MICA_TOOL(hires, customer, receipt, hires,
          .description = "Has others do it, side by side.",
          .steps = MICA_STEPS("none"));

static const char *
expect_hires(const struct sim_person *client)
{
    static char text[60];
    static const char *const keys[] = {"asks/sure", "asks/again", "pays/sure",
                                       "pays/again"};

    // Which of several fails first is a matter of rounds: any will do.
    for (size_t i = 0; i < MICA_COUNT(keys); i++) {
        if (refusal(client, keys[i]) != NULL)
            return "\"isError\":true";
    }
    if (sim_yes(client, "pays/again"))
        return "\"isError\":true";
    snprintf(text, sizeof text, "\"who\":%d", client->number);
    return text;
}

// ---- Handlers that do what they must not ---------------------------------------------

// Forgets to unwind: what stands behind an open ask does nothing.
static enum mica_status
forgets(struct mica_call *call, const struct customer *in, struct receipt *out)
{
    struct sure sure;
    struct receipt one;
    enum mica_status status;

    status = mica_elicit(call, MICA_FORM(sure, &sure), "Sure?");
    (void)status;
    status = MICA_RUN_STEP(charge, call, in, &one);
    (void)status;
    out->who = in->who;
    out->number = sure.yes;
    mica_add_text(call, MICA_LITERAL("forgot"), NULL);
    return MICA_OK;
}
MICA_TOOL(forgets, customer, receipt, forgets, .description = "Forgets.",
          .steps = MICA_STEPS("charge"));

static const char *
expect_forgets(const struct sim_person *client)
{
    bool yes =
        sim_action(client, "sure") == MICA_ACCEPTED && sim_yes(client, "sure");

    return yes ? "\"number\":1" : "\"number\":0";
}

// Calls that were begun by a request whose reply was lost end some day too.
static void
check_charged_once(const struct sim_person *client)
{
    if (client->has_key)
        one_effect(client, "charge", 1);
}

// Takes every status but MICA_OK for a refusal.
static enum mica_status
defaults(struct mica_call *call, const struct customer *in,
         struct mica_nothing *out)
{
    struct sure sure;
    struct receipt one;

    (void)out;
    switch ((int)mica_elicit(call, MICA_FORM(sure, &sure), "Sure?")) {
    case MICA_OK:
        mica_add_text(call, MICA_LITERAL("taken"), NULL);
        return MICA_OK;
    default:
        MICA_TRY(MICA_RUN_STEP(charge, call, in, &one));
        mica_add_text(call, MICA_LITERAL("cancelled"), NULL);
        return MICA_OK;
    }
}
MICA_TOOL(defaults, customer, mica_nothing, defaults,
          .description = "Has a default.", .steps = MICA_STEPS("charge"));

static const char *
expect_defaults(const struct sim_person *client)
{
    return sim_action(client, "sure") == MICA_ACCEPTED ? "taken" : "cancelled";
}

static void
check_defaults(const struct sim_person *client)
{
    if (client->has_key)
        one_effect(client, "charge",
                   sim_action(client, "sure") != MICA_ACCEPTED);
}

// Asks in another order each time.
static enum mica_status
reorders(struct mica_call *call, const struct customer *in,
         struct mica_nothing *out)
{
    static int turn;
    struct sure sure;
    struct again again;

    (void)in;
    (void)out;
    if (turn++ % 2 == 0) {
        MICA_TRY(mica_elicit(call, MICA_FORM(sure, &sure), "Sure?"));
        return mica_elicit(call, MICA_FORM(again, &again), "Again?");
    }
    MICA_TRY(mica_elicit(call, MICA_FORM(again, &again), "Again?"));
    return mica_elicit(call, MICA_FORM(sure, &sure), "Sure?");
}
MICA_TOOL(reorders, customer, mica_nothing, reorders,
          .description = "Is never the same.");

static const char *
expect_reorders(const struct sim_person *client)
{
    (void)client;
    return NULL; // tested by itself
}

// ---- What mica ships -------------------------------------------------------------------

extern const struct mica_tool mica_tool_book_flight;

static const char *
expect_flight(const struct sim_person *client)
{
    enum mica_action pick = sim_action(client, "selection");

    if (pick != MICA_ACCEPTED)
        return pick == MICA_DECLINED ? "Booking cancelled: user_declined"
                                     : "Booking cancelled: user_dismissed";
    return sim_action(client, "confirmation") == MICA_ACCEPTED &&
                   sim_yes(client, "confirmation")
               ? "Booked flight "
               : "Booking cancelled: not_confirmed";
}

static void
check_flight(const struct sim_person *client)
{
    bool booked = strstr(expect_flight(client), "Booked") != NULL;

    one_effect(client, "book", booked);
    one_effect(client, "cancelled", !booked);
    one_effect(client, "confirmed", booked);
    if (client->has_key)
        one_effect(client, "searching", 1);
}

extern const struct mica_tool mica_tool_deploy_approval, mica_tool_import,
    mica_tool_survey;

static const char *
expect_deploy(const struct sim_person *client)
{
    enum mica_action action = sim_action(client, "approval");

    if (action == MICA_DISMISSED)
        return "\"outcome\":\"unanswered\"";
    return action == MICA_ACCEPTED && sim_yes(client, "approval")
               ? "\"outcome\":\"deployed\""
               : "\"outcome\":\"rejected\"";
}

static void
check_deploy(const struct sim_person *client)
{
    bool deployed = strstr(expect_deploy(client), "deployed") != NULL;

    one_effect(client, "deploy", deployed);
    one_effect(client, "notify", deployed);
    if (client->has_key)
        one_effect(client, "build", 1);
}

static const char *
expect_import(const struct sim_person *client)
{
    (void)client;
    return "\"taken\":450,\"skipped\":0";
}

static void
check_import(const struct sim_person *client)
{
    if (client->has_key)
        one_effect(client, "import", 1);
}

static const char *
expect_survey(const struct sim_person *client)
{
    enum mica_action action = sim_action(client, "rating");

    return action == MICA_DECLINED    ? "\"ending\":\"declined\""
           : action == MICA_DISMISSED ? "\"ending\":\"dismissed\""
                                      : "\"score\":0";
}

#define WHO "{\"who\":", "}"
const struct sim_tool sim_tools[] = {
    {&mica_tool_asks, WHO, expect_asks, NULL, check_nothing},
    {&mica_tool_orders, WHO, expect_orders, NULL, check_orders},
    {&mica_tool_pays, WHO, expect_pays, NULL, check_pays},
    {&mica_tool_hires, WHO, expect_hires, "\"isError\":true", check_nothing},
    {&mica_tool_forgets, WHO, expect_forgets, "\"number\":0",
     check_charged_once},
    {&mica_tool_defaults, WHO, expect_defaults, "cancelled", check_defaults},
    {&mica_tool_book_flight, "{\"destination\":\"",
     "\",\"date\":\"2027-01-02\"}", expect_flight, NULL, check_flight},
    {&mica_tool_deploy_approval, "{\"service\":\"x",
     "\",\"version\":\"1\",\"environment\":\"staging\"}", expect_deploy, NULL,
     check_deploy},
    {&mica_tool_import, "{\"feed\":\"x", "\",\"rows\":450}", expect_import,
     "\"taken\":450", check_import},
    {&mica_tool_survey, "{\"subject\":\"client ", "\"}", expect_survey, NULL,
     check_nothing},
    {&mica_tool_reorders, WHO, expect_reorders, NULL, check_nothing},
};
const size_t sim_tool_count = MICA_COUNT(sim_tools);

const struct sim_tool *
sim_tool_of(const char *name)
{
    for (size_t i = 0; i < sim_tool_count; i++) {
        if (strcmp(sim_tools[i].tool->name, name) == 0)
            return &sim_tools[i];
    }
    return NULL;
}

void
sim_offer(struct mica_server *server)
{
    static const char *const services[] = {"deploys", "contacts"};
    static char used; // what they stand for is here
    struct mica_error error;

    for (size_t i = 0; i < MICA_COUNT(services); i++)
        SIM_MUST(mica_server_add_service(server, services[i], &used, &error) ==
                     MICA_OK,
                 "%s", error.message);
    sim_offer_keep(server);
    for (size_t i = 0; i < sim_tool_count; i++)
        SIM_MUST(mica_server_add_tool(server, sim_tools[i].tool, NULL,
                                      &error) == MICA_OK,
                 "%s", error.message);
}

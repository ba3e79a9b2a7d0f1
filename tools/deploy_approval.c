// SPDX-License-Identifier: Apache-2.0
//
// Builds a version, asks a person to approve it, deploys it and tells the others.
// Each of these is a step: however often the handler runs, there is one build, one
// deployment, one notice. The environment is locked while the question waits, and
// a clean-up unlocks it, whichever way the call ends.
#include <inttypes.h>
#include <mica/tool.h>

#include "lib/deploys.h"

enum {
    KEEP_S = 4 * 3600 // as long an approval may take
};

enum environment {
    STAGING,
    PRODUCTION
};
MICA_CHOICES(environment, [STAGING] = "staging", [PRODUCTION] = "production");

struct request {
    struct mica_text service, version;
    enum environment environment;
};
MICA_RECORD(request,
            MICA_TEXT(service, "What to deploy: the name of a service.",
                      .pattern = "^[a-z][a-z0-9-]{0,62}$"),
            MICA_TEXT(version, "Its version, as it is tagged: 1.4.2.",
                      .min_length = 1, .max_length = 64),
            MICA_CHOICE(environment, environment, "Where to.",
                        .fallback = MICA_JSON("staging")));

enum outcome {
    DEPLOYED,
    REJECTED,
    UNANSWERED
};
MICA_CHOICES(outcome, [DEPLOYED] = "deployed", [REJECTED] = "rejected",
             [UNANSWERED] = "unanswered");

struct report {
    enum outcome outcome;
    int64_t build, deployment;
    bool has_deployment;
    struct mica_text note;
};
MICA_RECORD(report,
            MICA_CHOICE(outcome, outcome,
                        "deployed; rejected, when a person said no; or "
                        "unanswered, when no one answered."),
            MICA_INTEGER(build, "Number of the build."),
            MICA_INTEGER(deployment,
                         "Number of the deployment, if there is one.",
                         MICA_OPTIONAL(report, deployment)),
            MICA_TEXT(note, "What was said about it, or empty."));

// ---- Steps -----------------------------------------------------------------------
//
// Each passes its own idempotency key on, so that one which was cut off half-way
// and runs again finds what it did before.

static enum mica_status
unavailable(struct mica_server_call *call, const struct mica_error *error)
{
    return mica_fail(call, "DEPLOYS_UNAVAILABLE", "", "%s", error->message);
}

struct claim {
    struct mica_text environment, owner;
};
MICA_RECORD(claim, MICA_TEXT(environment, "What is locked."),
            MICA_TEXT(owner, "Who unlocks it."));

static enum mica_status
lock(struct mica_server_call *call, const struct request *in, struct claim *out)
{
    struct database *deploys = mica_service(call, "deploys");
    int64_t now = mica_now(call);
    struct mica_error error;
    enum mica_status status;

    out->environment = mica_text(mica_choices_environment[in->environment]);
    out->owner = mica_idempotency_key(call);
    // Twice as long as the call can be open: then its clean-up is lost as well.
    status = deploys_lock(deploys, out->environment, out->owner, now,
                          now + 2000 * (int64_t)KEEP_S, &error);
    if (status == MICA_E_BUSY)
        return mica_fail(call, "ENVIRONMENT_LOCKED", "/environment",
                         "%s; wait until it has ended, and try again",
                         error.message);
    return status == MICA_OK ? MICA_OK : unavailable(call, &error);
}
MICA_STEP(lock, request, claim, lock);

struct made {
    int64_t number;
};
MICA_RECORD(made, MICA_INTEGER(number, "Of what was made."));

static enum mica_status
build(struct mica_server_call *call, const struct request *in, struct made *out)
{
    struct mica_error error;

    if (deploys_build(mica_service(call, "deploys"), mica_idempotency_key(call),
                      in->service, in->version, &error,
                      &out->number) != MICA_OK)
        return unavailable(call, &error);
    return MICA_OK;
}
MICA_STEP(build, request, made, build);

struct order {
    int64_t build;
    struct mica_text environment, strategy;
};
MICA_RECORD(order, MICA_INTEGER(build, "What to deploy."),
            MICA_TEXT(environment, "Where to."), MICA_TEXT(strategy, "How."));

static enum mica_status
deploy(struct mica_server_call *call, const struct order *in, struct made *out)
{
    struct mica_error error;

    if (deploys_deploy(mica_service(call, "deploys"),
                       mica_idempotency_key(call), in->build, in->environment,
                       in->strategy, &error, &out->number) != MICA_OK)
        return unavailable(call, &error);
    return MICA_OK;
}
MICA_STEP(deploy, order, made, deploy);

struct notice {
    int64_t deployment;
    struct mica_text words;
};
MICA_RECORD(notice, MICA_INTEGER(deployment, "What it is about."),
            MICA_TEXT(words, "What to tell."));

static enum mica_status
tell(struct mica_server_call *call, const struct notice *in, struct made *out)
{
    struct mica_error error;

    if (deploys_notify(mica_service(call, "deploys"),
                       mica_idempotency_key(call), in->deployment, in->words,
                       &error, &out->number) != MICA_OK)
        return unavailable(call, &error);
    return MICA_OK;
}
MICA_STEP(tell, notice, made, tell);

// ---- The clean-up ----------------------------------------------------------------

// What goes wrong here does not change how the call has ended. The lock has a time
// of its own, after which it counts no more.
static void
unlock(struct mica_server_call *call, const void *data)
{
    const struct claim *claim = data;
    struct mica_error error;

    if (deploys_unlock(mica_service(call, "deploys"), claim->environment,
                       claim->owner, &error) != MICA_OK)
        mica_log(call, MICA_LOG_WARNING, "%.*s stays locked for some hours: %s",
                 MICA_ARG(claim->environment), error.message);
}

// ---- The question ----------------------------------------------------------------

enum strategy {
    ROLLING,
    ALL_AT_ONCE
};
MICA_CHOICES(strategy, [ROLLING] = "rolling", [ALL_AT_ONCE] = "all-at-once");

struct approval {
    bool approved;
    enum strategy strategy;
    struct mica_text note;
};
MICA_RECORD(approval, MICA_BOOLEAN(approved, "May it be deployed?"),
            MICA_CHOICE(strategy, strategy,
                        "One server after the other, or all.",
                        .fallback = MICA_JSON("rolling")),
            MICA_TEXT(note, "Why, or what to look at.", .max_length = 500,
                      .fallback = MICA_JSON("")));

// A form that is closed may have been closed by mistake: it is shown again, twice.
static enum mica_status
approve(struct mica_call *call, const struct request *in, int64_t number,
        struct approval *approval, enum mica_action *action)
{
    static const struct mica_attempts attempts = {
        .most = 3,
        .on_decline = MICA_THEN_RETURN,
        .on_dismiss = MICA_THEN_RETRY,
        .on_exhausted = MICA_THEN_RETURN};

    return mica_elicit_retry(
        call, MICA_FORM(approval, approval), &attempts, action,
        "Build %" PRId64 " of %.*s %.*s is ready. Deploy it to %s?", number,
        MICA_ARG(in->service), MICA_ARG(in->version),
        mica_choices_environment[in->environment]);
}

// ---- The handler -----------------------------------------------------------------

static enum mica_status
deploy_and_tell(struct mica_call *call, const struct request *in,
                const struct approval *approval, struct report *out)
{
    struct order order = {
        .build = out->build,
        .environment = mica_text(mica_choices_environment[in->environment]),
        .strategy = mica_text(mica_choices_strategy[approval->strategy])};
    struct notice notice;
    struct made deployment, told;

    MICA_TRY(MICA_RUN_STEP(deploy, call, &order, &deployment));
    mica_notify(call, "deployed");
    notice.deployment = deployment.number;
    notice.words =
        mica_format(call, "%.*s %.*s is on %.*s", MICA_ARG(in->service),
                    MICA_ARG(in->version), MICA_ARG(order.environment));
    MICA_TRY(MICA_RUN_STEP(tell, call, &notice, &told));
    out->outcome = DEPLOYED;
    out->deployment = deployment.number;
    out->has_deployment = true;
    return MICA_OK;
}

static enum mica_status
handle(struct mica_call *call, const struct request *in, struct report *out)
{
    struct claim *claim = MICA_NEW(call, struct claim, 1);
    struct approval approval;
    enum mica_action action;
    struct made made;

    MICA_TRY(MICA_RUN_STEP(lock, call, in, claim));
    mica_defer(call, "unlock", unlock, claim);
    MICA_TRY(MICA_RUN_STEP(build, call, in, &made));
    mica_notify(call, "built");
    MICA_TRY(approve(call, in, made.number, &approval, &action));
    out->build = made.number;
    out->note = approval.note;
    switch (action) {
    case MICA_ACCEPTED:
        if (approval.approved)
            return deploy_and_tell(call, in, &approval, out);
        out->outcome = REJECTED;
        break;
    case MICA_DECLINED:
        out->outcome = REJECTED;
        break;
    case MICA_DISMISSED:
        out->outcome = UNANSWERED;
        break;
    }
    return MICA_OK;
}

MICA_TOOL(deploy_approval, request, report, handle, .title = "Deploy a version",
          .description =
              "Build a version of a service, ask a person to approve it, and "
              "deploy it. One deployment at a time in each environment.",
          .requires = MICA_ELICITATION,
          .steps = MICA_STEPS("lock", "build", "deploy", "tell"),
          .services = MICA_SERVICES(&deploys_service), .keep_s = KEEP_S,
          .limit_ms = KEEP_S / 2 * 1000,
          .hints = MICA_DESTRUCTIVE | MICA_OPEN_WORLD);

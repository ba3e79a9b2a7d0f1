// SPDX-License-Identifier: Apache-2.0
//
// Asks a person what they think of something: a branch on the first answer, a loop
// until they have said it all. A conversation is plain C; what was answered is
// answered at once when the handler runs again.
#include <inttypes.h>
#include <mica/tool.h>

enum {
    MOST_COMMENTS = 5,
    HAPPY = 7 // and what is below is asked for what went wrong
};

struct request {
    struct mica_text subject;
};
MICA_RECORD(request, MICA_TEXT(subject, "What it is about, as people call it.",
                               .min_length = 1, .max_length = 80));

// ---- The forms -------------------------------------------------------------------

struct rating {
    int64_t score;
};
MICA_RECORD(rating, MICA_INTEGER(score, "From 0, not at all, to 10, very much.",
                                 .minimum = 0, .maximum = 10));

enum trouble {
    PRICE,
    QUALITY,
    SPEED,
    SUPPORT
};
MICA_CHOICES(trouble, [PRICE] = "price", [QUALITY] = "quality",
             [SPEED] = "speed", [SUPPORT] = "support");

struct troubles {
    struct {
        size_t count;
        const enum trouble *items;
    } troubles;
};
MICA_RECORD(troubles,
            MICA_LIST(troubles, trouble, "All that apply.", .min_items = 1));

// The same for clients that can show no list to choose from.
struct main_trouble {
    enum trouble trouble;
};
MICA_RECORD(main_trouble, MICA_CHOICE(trouble, trouble, "What was the worst."));

struct comment {
    struct mica_text words;
    bool more;
};
MICA_RECORD(comment,
            MICA_TEXT(words, "In your own words.", .min_length = 1,
                      .max_length = 1000),
            MICA_BOOLEAN(more, "Is there more to say?",
                         .fallback = MICA_JSON(false)));

// ---- The result ------------------------------------------------------------------

enum ending {
    FINISHED,
    DECLINED,
    DISMISSED
};
MICA_CHOICES(ending, [FINISHED] = "finished", [DECLINED] = "declined",
             [DISMISSED] = "dismissed");

struct result {
    enum ending ending;
    int64_t score;
    bool has_score;
    struct {
        size_t count;
        const enum trouble *items;
    } troubles;
    struct {
        size_t count;
        const struct mica_text *items;
    } comments;
    double seconds;
};
MICA_RECORD(result,
            MICA_CHOICE(ending, ending,
                        "Whether all was asked, or how the person left it."),
            MICA_INTEGER(score, "From 0 to 10, if there is one.",
                         MICA_OPTIONAL(result, score)),
            MICA_LIST(troubles, trouble, "What went wrong, of the unhappy."),
            MICA_LIST(comments, text, "What was said, in its order."),
            MICA_NUMBER(seconds,
                        "From the first question to the last answer."));

// ---- The conversation ------------------------------------------------------------

// Lists came with revision 2025-11-25; before it, the one worst trouble.
static enum mica_status
ask_troubles(struct mica_call *call, struct result *out,
             enum mica_action *action)
{
    struct troubles all;
    struct main_trouble worst;
    enum trouble *one;
    enum mica_status status = mica_elicit_action(
        call, MICA_FORM(troubles, &all), action, "What went wrong?");

    if (status != MICA_E_CAPABILITY) {
        out->troubles.count = all.troubles.count;
        out->troubles.items = all.troubles.items;
        return status;
    }
    MICA_TRY(mica_elicit_action(call, MICA_FORM(main_trouble, &worst), action,
                                "What went wrong?"));
    one = MICA_NEW(call, enum trouble, 1);
    *one = worst.trouble;
    out->troubles.count = *action == MICA_ACCEPTED;
    out->troubles.items = one;
    return MICA_OK;
}

static enum mica_status
ask_comments(struct mica_call *call, const struct request *in,
             struct result *out, enum mica_action *action)
{
    struct mica_text *comments =
        MICA_NEW(call, struct mica_text, MOST_COMMENTS);
    struct comment comment = {.more = true};

    out->comments.items = comments;
    while (comment.more && out->comments.count < MOST_COMMENTS) {
        MICA_TRY(mica_elicit_action(
            call, MICA_FORM(comment, &comment), action, "%s %.*s?",
            out->comments.count == 0 ? "What should we know about"
                                     : "And what else about",
            MICA_ARG(in->subject)));
        if (*action != MICA_ACCEPTED)
            return MICA_OK;
        comments[out->comments.count++] = comment.words;
    }
    return MICA_OK;
}

static enum mica_status
ask(struct mica_call *call, const struct request *in, struct result *out,
    enum mica_action *action)
{
    struct rating rating;

    MICA_TRY(mica_elicit_action(call, MICA_FORM(rating, &rating), action,
                                "How much do you like %.*s?",
                                MICA_ARG(in->subject)));
    if (*action != MICA_ACCEPTED)
        return MICA_OK;
    out->score = rating.score;
    out->has_score = true;
    if (rating.score < HAPPY)
        MICA_TRY(ask_troubles(call, out, action));
    if (*action != MICA_ACCEPTED)
        return MICA_OK;
    return ask_comments(call, in, out, action);
}

static enum mica_status
handle(struct mica_call *call, const struct request *in, struct result *out)
{
    int64_t began = mica_now(call); // recorded: when it first came by
    enum mica_action action;

    MICA_TRY(ask(call, in, out, &action));
    switch (action) {
    case MICA_ACCEPTED:
        out->ending = FINISHED;
        break;
    case MICA_DECLINED:
        out->ending = DECLINED;
        break;
    case MICA_DISMISSED:
        out->ending = DISMISSED;
        break;
    }
    out->seconds = (double)(mica_now(call) - began) / 1000;
    return MICA_OK;
}

MICA_TOOL(survey, request, result, handle, .title = "Ask what a person thinks",
          .description = "Ask the person how much they like something, what "
                         "went wrong if they do not, and what else they have "
                         "to say.",
          .requires = MICA_ELICITATION, .hints = MICA_READ_ONLY);

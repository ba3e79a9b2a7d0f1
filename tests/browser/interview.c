// SPDX-License-Identifier: Apache-2.0
//
// Everything that a page of a call shows, for asking.mjs: what a tool tells while it
// works, several questions at once, of every kind, and words of a model.
#include <mica/tool.h>
#include <time.h>

struct request {
    int64_t parts, pause_ms;
};
MICA_RECORD(request,
            MICA_INTEGER(parts, "How many things it looks at first.",
                         .minimum = 0, .maximum = 100,
                         .fallback = MICA_JSON(3)),
            MICA_INTEGER(pause_ms, "How long each takes, in milliseconds.",
                         .minimum = 0, .maximum = 5000,
                         .fallback = MICA_JSON(0)));

struct guest {
    struct mica_text name;
    int64_t nights;
};
MICA_RECORD(guest, MICA_TEXT(name, "Of the guest.", .min_length = 1),
            MICA_INTEGER(nights, "How many.", .minimum = 1, .maximum = 14));

struct result {
    struct mica_text guest, folder, words;
    int64_t nights;
    bool agreed;
};
MICA_RECORD(result, MICA_TEXT(guest, "Who it is."),
            MICA_INTEGER(nights, "How long."),
            MICA_BOOLEAN(agreed, "Went to the page."),
            MICA_TEXT(folder, "The first of the folders, or none."),
            MICA_TEXT(words, "Of the model."));

static void
look_around(struct mica_call *call, const struct request *in)
{
    struct timespec pause = {.tv_sec = in->pause_ms / 1000,
                             .tv_nsec = in->pause_ms % 1000 * 1000000};

    for (int64_t i = 1; i <= in->parts; i++) {
        mica_progress(call, (double)i, (double)in->parts, "part %d of %d",
                      (int)i, (int)in->parts);
        mica_log(call, MICA_LOG_INFO, "there is nothing in part %d", (int)i);
        (void)nanosleep(&pause, NULL);
    }
}

static enum mica_status
interview(struct mica_call *call, const struct request *in, struct result *out)
{
    struct guest guest;
    struct mica_roots roots;
    enum mica_action visited = MICA_DECLINED;
    const struct mica_page page = {.url = "https://example.com/terms",
                                   .action_out = &visited};

    look_around(call, in);
    const struct mica_ask asks[] = {
        {.form = MICA_FORM(guest, &guest),
         .message = MICA_LITERAL("Who comes?")},
        {.page = &page, .message = MICA_LITERAL("Read the terms.")},
        {.roots = &roots}};
    MICA_TRY(mica_ask_all(call, asks, sizeof asks / sizeof *asks));
    mica_log(call, MICA_LOG_INFO, "all questions have answers");
    MICA_TRY(mica_sample(
        call,
        &(struct mica_sampling){
            .prompt = mica_format(call, "Greet %.*s.", MICA_ARG(guest.name))},
        &out->words));
    out->guest = guest.name;
    out->nights = guest.nights;
    out->agreed = visited == MICA_ACCEPTED;
    out->folder = roots.count > 0 ? roots.items[0].uri : MICA_LITERAL("none");
    return MICA_OK;
}
MICA_TOOL(interview, request, result, interview, .title = "Interview",
          .description = "Looks around, then asks everything there is to ask.",
          .requires = MICA_ELICITATION | MICA_ELICITATION_URL | MICA_ROOTS |
                      MICA_SAMPLING);

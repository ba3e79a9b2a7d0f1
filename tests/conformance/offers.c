// SPDX-License-Identifier: Apache-2.0
//
// Resources and prompts of the conformance fixture: those that the suite's
// scenarios name, then some with all that can be said of one, for the wire tests.
#include "fixture.h"

#define ICON                                                 \
    MICA_ICONS({.src = "data:image/png;base64,iVBORw0KGgo=", \
                .mime_type = "image/png",                    \
                .sizes = "48x48 96x96",                      \
                .theme = "light"},                           \
               {.src = "https://example.org/dark.svg"})
#define ABOUT MICA_JSON({"org.example/kind": "test"})

// ---- Resources of the suite ------------------------------------------------------

static enum mica_status
read_binary(struct mica_call *call)
{
    mica_add_resource_bytes(call, NULL, NULL, png, sizeof png, NULL);
    return MICA_OK;
}

MICA_RESOURCE(static_binary, read_binary, .uri = "test://static-binary",
              .title = "A static binary resource",
              .description = "A red dot of one pixel.",
              .mime_type = "image/png", .has_size = true, .size = sizeof png);

struct template_input {
    struct mica_text id;
};
MICA_RECORD(template_input, MICA_TEXT(id, "Which one to read."));

static enum mica_status
read_template(struct mica_call *call, const struct template_input *in)
{
    struct mica_json_writer writer;
    struct mica_buffer buffer = mica_builder(call);

    mica_json_writer_init(&writer, &buffer);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "id", in->id);
    mica_json_name(&writer, "templateTest");
    mica_json_boolean(&writer, true);
    mica_json_field(&writer, "data",
                    mica_format(call, "Data for ID: %.*s", MICA_ARG(in->id)));
    mica_json_close_object(&writer);
    mica_add_resource_text(call, NULL, NULL, mica_buffer_as_text(&buffer),
                           NULL);
    return MICA_OK;
}

static enum mica_status
complete_id(struct mica_call *call, const struct mica_completion *in)
{
    // More than one reply may hold.
    for (int i = 0; i < 150; i++) {
        struct mica_text id = mica_format(call, "%d", i);
        if (in->value.len <= id.len &&
            mica_text_equal(mica_text_slice(id, 0, in->value.len), in->value))
            mica_suggest(call, id);
    }
    return MICA_OK;
}

MICA_RESOURCE_TEMPLATE(template_data, template_input, read_template,
                       .uri_template = "test://template/{id}/data",
                       .title = "A resource template",
                       .description = "Data for an id.",
                       .mime_type = "application/json",
                       .complete = complete_id);

// ---- Resources of the wire tests -------------------------------------------------

// Several contents, of both kinds.
static enum mica_status
read_pair(struct mica_call *call)
{
    mica_add_resource_text(call, NULL, NULL, MICA_LITERAL("first"), NULL);
    mica_add_resource_bytes(call, "test://pair/second",
                            "application/octet-stream", "\0\1\2", 3, NULL);
    return MICA_OK;
}

MICA_RESOURCE(pair, read_pair, .uri = "test://pair", .title = "Two at once",
              .description = "Text, and bytes under it.",
              .mime_type = "text/plain", .meta = ABOUT, ICON,
              .annotations = {.audience = "user assistant",
                              .priority = 0.5,
                              .has_priority = true,
                              .last_modified = "2026-11-20T09:30:00Z"});

static enum mica_status
read_failing(struct mica_call *call)
{
    return mica_fail(call, "DISK_ON_FIRE", "", "The disk is on fire.");
}

MICA_RESOURCE(failing, read_failing, .uri = "test://failing",
              .description = "Cannot be read.");

static enum mica_status
read_nothing(struct mica_call *call)
{
    (void)call;
    return MICA_OK;
}

MICA_RESOURCE(nothing, read_nothing, .uri = "test://nothing",
              .description = "Its handler adds no contents.");

enum unit {
    METRIC,
    IMPERIAL
};
MICA_CHOICES(unit, [METRIC] = "metric", [IMPERIAL] = "imperial");

struct weather_input {
    struct mica_text place, day;
    bool has_day;
    enum unit unit;
};
MICA_RECORD(weather_input, MICA_TEXT(place, "Where.", .pattern = "^[^0-9]*$"),
            MICA_TEXT(day, "When.", MICA_OPTIONAL(weather_input, day)),
            MICA_CHOICE(unit, unit, "In which units.",
                        .fallback = "\"metric\""));

static enum mica_status
read_weather(struct mica_call *call, const struct weather_input *in)
{
    struct mica_text uri = mica_uri(call);

    if (mica_text_is(in->place, "Atlantis"))
        return mica_fail(call, "NOT_FOUND", "place", "Atlantis has sunk.");
    mica_add_resource_text(
        call, NULL, NULL,
        mica_format(call, "%.*s: sun in %.*s, day %.*s, %s", MICA_ARG(uri),
                    MICA_ARG(in->place),
                    MICA_ARG(in->has_day ? in->day : MICA_LITERAL("any")),
                    in->unit == METRIC ? "metric" : "imperial"),
        NULL);
    return MICA_OK;
}

MICA_RESOURCE_TEMPLATE(weather, weather_input, read_weather,
                       .uri_template = "test://weather/{place}{?day,unit}",
                       .description = "The weather somewhere.",
                       .mime_type = "text/plain", .meta = ABOUT, ICON);

static const struct mica_resource static_text = {
    .uri = "test://static-text",
    .name = "static_text",
    .title = "A static text resource",
    .description = "Never changes.",
    .mime_type = "text/plain",
    .text = "This is the content of the static text resource."};

static const struct mica_resource watched = {.uri = "test://watched-resource",
                                             .name = "watched_resource",
                                             .description =
                                                 "May be subscribed to.",
                                             .mime_type = "text/plain",
                                             .text = "Watch me."};

// ---- Prompts of the suite --------------------------------------------------------

MICA_EMPTY_RECORD(no_arguments);

static enum mica_status
simple_prompt(struct mica_call *call, const struct no_arguments *in)
{
    (void)in;
    mica_add_text(call, MICA_LITERAL("This is a simple prompt for testing."),
                  NULL);
    return MICA_OK;
}

MICA_PROMPT(test_simple_prompt, no_arguments, simple_prompt,
            .title = "A simple prompt",
            .description = "A prompt without arguments.");

struct two_arguments {
    struct mica_text arg1, arg2;
};
MICA_RECORD(two_arguments, MICA_TEXT(arg1, "The first argument."),
            MICA_TEXT(arg2, "The second argument."));

static enum mica_status
prompt_with_arguments(struct mica_call *call, const struct two_arguments *in)
{
    mica_add_text(call,
                  mica_format(call,
                              "Prompt with arguments: arg1='%.*s', "
                              "arg2='%.*s'",
                              MICA_ARG(in->arg1), MICA_ARG(in->arg2)),
                  NULL);
    return MICA_OK;
}

// Of arg2 only once arg1 is known.
static enum mica_status
complete_arguments(struct mica_call *call, const struct mica_completion *in)
{
    static const char *const words[] = {"paris", "park", "party"};
    struct mica_text arg1 = mica_json_get_text(in->others, "arg1");

    if (mica_text_is(in->argument, "arg2")) {
        if (arg1.len > 0)
            mica_suggest(call, mica_format(call, "%.*s again", MICA_ARG(arg1)));
        return MICA_OK;
    }
    if (mica_text_is(in->value, "!"))
        return mica_fail(call, "NOT_A_WORD", "", "\"!\" begins no word.");
    for (size_t i = 0; i < MICA_COUNT(words); i++) {
        struct mica_text word = mica_text(words[i]);
        if (mica_text_equal(mica_text_slice(word, 0, in->value.len), in->value))
            mica_suggest(call, word);
    }
    return MICA_OK;
}

MICA_PROMPT(test_prompt_with_arguments, two_arguments, prompt_with_arguments,
            .title = "A prompt with arguments",
            .description = "Repeats its arguments.",
            .complete = complete_arguments);

struct resource_argument {
    struct mica_text resourceUri;
};
MICA_RECORD(resource_argument,
            MICA_TEXT(resourceUri, "The URI of the resource to embed."));

static enum mica_status
prompt_with_resource(struct mica_call *call, const struct resource_argument *in)
{
    const char *uri = mica_format(call, "%.*s", MICA_ARG(in->resourceUri)).ptr;

    mica_add_resource_text(call, uri, "text/plain",
                           MICA_LITERAL("Embedded resource content for "
                                        "testing."),
                           NULL);
    mica_add_text(call,
                  MICA_LITERAL("Please process the embedded resource above."),
                  NULL);
    return MICA_OK;
}

MICA_PROMPT(test_prompt_with_embedded_resource, resource_argument,
            prompt_with_resource,
            .description = "Embeds the resource that it is given.");

static enum mica_status
prompt_with_image(struct mica_call *call, const struct no_arguments *in)
{
    (void)in;
    mica_add_image(call, png, sizeof png, "image/png", NULL);
    mica_add_text(call, MICA_LITERAL("Please analyze the image above."), NULL);
    return MICA_OK;
}

MICA_PROMPT(test_prompt_with_image, no_arguments, prompt_with_image,
            .description = "Shows an image.");

// ---- Prompts of the wire tests ---------------------------------------------------

struct talk_input {
    enum unit unit;
    struct mica_text about;
    bool has_about;
};
MICA_RECORD(talk_input, MICA_CHOICE(unit, unit, "In which units."),
            MICA_TEXT(about, "What it is about.",
                      MICA_OPTIONAL(talk_input, about)));

// Every kind of block, of both who speak.
static enum mica_status
prompt_talk(struct mica_call *call, const struct talk_input *in)
{
    const struct mica_content_options marked = {
        .audience = "assistant", .priority = 1, .has_priority = true};

    if (in->has_about && in->about.len == 0)
        return mica_fail(call, "NOTHING_TO_SAY", "about",
                         "about is empty; name something, or leave it out");
    mica_add_text(call,
                  mica_format(call, "Speak %s.",
                              in->unit == METRIC ? "metric" : "imperial"),
                  &marked);
    mica_role(call, MICA_ASSISTANT);
    mica_add_text(call, MICA_LITERAL("I shall."), NULL);
    mica_add_audio(call, "RIFF", 4, "audio/wav", NULL);
    mica_role(call, MICA_USER);
    mica_add_resource_bytes(call, "test://bytes", "application/octet-stream",
                            "\0\1\2", 3, NULL);
    mica_add_resource_link(call, "test://static-text", "static_text",
                           "Read on.", "text/plain", NULL);
    return MICA_OK;
}

MICA_PROMPT(talk, talk_input, prompt_talk, .title = "A talk",
            .description = "A conversation of every kind of content.",
            .meta = ABOUT, ICON);

// ---- All of them -----------------------------------------------------------------

enum mica_status
fixture_add_offers(struct mica_server *server, struct mica_error *error)
{
    const struct mica_resource *const resources[] = {
        &static_text,
        &mica_resource_static_binary,
        &watched,
        &mica_resource_pair,
        &mica_resource_failing,
        &mica_resource_nothing,
        &mica_resource_template_data,
        &mica_resource_weather};
    const struct mica_prompt *const prompts[] = {
        &mica_prompt_test_simple_prompt,
        &mica_prompt_test_prompt_with_arguments,
        &mica_prompt_test_prompt_with_embedded_resource,
        &mica_prompt_test_prompt_with_image, &mica_prompt_talk};

    for (size_t i = 0; i < MICA_COUNT(resources); i++)
        MICA_TRY(mica_server_add_resource(server, resources[i], NULL, error));
    for (size_t i = 0; i < MICA_COUNT(prompts); i++)
        MICA_TRY(mica_server_add_prompt(server, prompts[i], NULL, error));
    return MICA_OK;
}

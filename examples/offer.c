// SPDX-License-Identifier: Apache-2.0
//
// A tool, a resource and a prompt side by side: each is a function with a struct
// for what it is asked, and one line in main. Serves stdin and stdout, as
// examples/embed.c does, or with an address HTTP; with a store behind that
// (sqlite:offer.db) the sessions of clients outlive the program.
//
//     cc offer.c $(pkg-config --cflags --libs mica) -o offer
#include <stdio.h>

#include <mica/server.h>

enum dish {
    BREAD,
    SOUP
};
MICA_CHOICES(dish, [BREAD] = "bread", [SOUP] = "soup");
static const char *const recipes[] = {
    [BREAD] = "Flour 500 g, water 350 g, salt 10 g. Bake for 45 minutes.",
    [SOUP] = "Leeks 400 g, potatoes 600 g, water 1000 g. Boil for 30 minutes."};

struct which {
    enum dish dish;
};
MICA_RECORD(which, MICA_CHOICE(dish, dish, "Which dish."));

// ---- A tool: something that is done ------------------------------------------------

struct party {
    int64_t people;
    double grams;
};
MICA_RECORD(party, MICA_INTEGER(people, "How many eat.", .minimum = 1),
            MICA_NUMBER(grams, "What one of them eats.", .fallback = "300"));

struct weight {
    double kilograms;
};
MICA_RECORD(weight, MICA_NUMBER(kilograms, "What all eat together."));

static enum mica_status
portions(struct mica_call *call, const struct party *in, struct weight *out)
{
    (void)call;
    out->kilograms = (double)in->people * in->grams / 1000;
    return MICA_OK;
}

MICA_TOOL(portions, party, weight, portions,
          .description = "How much to cook for a party.",
          .hints = MICA_READ_ONLY | MICA_IDEMPOTENT);

// ---- A resource: something that is read --------------------------------------------

static enum mica_status
read_recipe(struct mica_call *call, const struct which *in)
{
    mica_add_resource_text(call, NULL, NULL, mica_text(recipes[in->dish]),
                           NULL);
    return MICA_OK;
}

MICA_RESOURCE_TEMPLATE(recipe, which, read_recipe,
                       .uri_template = "recipes:///{dish}",
                       .description = "The recipe of a dish.",
                       .mime_type = "text/plain");

// ---- A prompt: words to begin with; its choices are completed -----------------------

static enum mica_status
ask_for_list(struct mica_call *call, const struct which *in)
{
    mica_add_text(
        call,
        mica_format(call, "Write a shopping list for: %s", recipes[in->dish]),
        NULL);
    return MICA_OK;
}

MICA_PROMPT(shopping_list, which, ask_for_list,
            .description = "A shopping list for a dish.");

int
main(int argc, char **argv)
{
    struct mica_server_options options = {.name = "offer", .version = "1.0"};
    struct mica_http_options http = {.listen = argc > 1 ? argv[1] : NULL,
                                     .store = argc > 2 ? argv[2] : NULL};
    struct mica_server *server = NULL;
    struct mica_error error;
    enum mica_status status = mica_server_open(&options, &error, &server);

    if (status == MICA_OK)
        status =
            mica_server_add_tool(server, &mica_tool_portions, NULL, &error);
    if (status == MICA_OK)
        status = mica_server_add_resource(server, &mica_resource_recipe, NULL,
                                          &error);
    if (status == MICA_OK)
        status = mica_server_add_prompt(server, &mica_prompt_shopping_list,
                                        NULL, &error);
    if (status == MICA_OK)
        status = argc > 1 ? mica_server_serve_http(server, &http, &error)
                          : mica_server_serve_stdio(server, NULL, &error);
    if (status != MICA_OK)
        fprintf(stderr, "offer: %s: %s\n", error.code, error.message);
    mica_server_close(&server);
    return status == MICA_OK ? 0 : 1;
}

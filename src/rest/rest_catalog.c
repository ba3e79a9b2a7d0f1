// SPDX-License-Identifier: Apache-2.0
//
// GET /api: what tools there are, a page at a time; and what the codes of errors
// mean. Both are small documents with a tag.
#include "rest/request.h"

enum {
    PAGE_ITEMS = 200 // and no more than the server's own pages
};

// ---- The catalog --------------------------------------------------------------

static void
write_link(const struct mica_message *message, struct mica_json_writer *writer,
           const char *namez, const char *prefix, struct mica_text rest)
{
    mica_json_field(writer, namez,
                    mica_base_path_text(message->arena, mica_rest_base(message),
                                        "%s%.*s", prefix, MICA_ARG(rest)));
}

static void
write_tool(const struct mica_message *message,
           const struct mica_definition *tool, struct mica_json_writer *writer)
{
    mica_json_open_object(writer);
    mica_json_field(writer, "name", tool->name);
    if (tool->title.len > 0)
        mica_json_field(writer, "title", tool->title);
    mica_json_field(writer, "description", tool->description);
    if (tool->category.len > 0)
        mica_json_field(writer, "category", tool->category);
    mica_json_name(writer, "pure");
    mica_json_boolean(writer, tool->sha256.len > 0);
    if (tool->sha256.len > 0)
        mica_json_field(writer, "sha256", tool->sha256);
    mica_json_name(writer, "links");
    mica_json_open_object(writer);
    write_link(message, writer, "call", "/api/", tool->name);
    mica_json_close_object(writer);
    mica_json_close_object(writer);
}

// ?after=NAME: where the page begins. False: a reply is ready.
static bool
find_begin(struct mica_message *message,
           const struct mica_definition_list *tools, size_t *begin_out)
{
    struct mica_query query;
    struct mica_error error;
    enum mica_status status = mica_query_read(
        message->arena, message->request.http->query, &error, &query);

    *begin_out = 0;
    if (status != MICA_OK) {
        mica_rest_refuse(message, status == MICA_E_LIMIT ? 414 : 400, status,
                         "", "%s", error.message);
        return false;
    }
    if (query.count == 0)
        return true;
    if (query.count > 1 || !mica_text_is(query.pairs[0].name, "after")) {
        mica_rest_refuse(message, 422, MICA_E_UNKNOWN, "",
                         "The query may have after=NAME alone: the tool behind "
                         "which the page begins");
        return false;
    }
    for (size_t i = 0; i < tools->count; i++) {
        if (mica_text_equal(tools->items[i]->name, query.pairs[0].value))
            *begin_out = i + 1;
    }
    if (*begin_out == 0)
        mica_message_refuse(message, MICA_E_NOT_FOUND,
                            "There is no tool of that name any more; begin "
                            "with GET %s",
                            mica_rest_address(message, "/api"));
    return *begin_out > 0;
}

static void
reply_document(struct mica_message *message)
{
    struct mica_rest *rest = mica_rest_of(message);

    mica_rest_close(message);
    if (message->reply.http_status != 200)
        return;
    mica_rest_tag(rest, (struct mica_text){NULL, 0},
                  mica_buffer_as_text(&message->reply.text));
    if (mica_rest_matches(message, true))
        mica_rest_unchanged(message);
}

static int64_t
offered_count(const struct mica_message *message,
              const struct mica_definition_list *tools)
{
    int64_t count = 0;

    for (size_t i = 0; i < tools->count; i++)
        count += mica_rest_offers(message, tools->items[i]);
    return count;
}

static void
write_catalog(struct mica_message *message,
              const struct mica_definition_list *tools, size_t begin)
{
    size_t page = mica_message_endpoint(message)->page_items, end;
    struct mica_json_writer writer;

    if (page > PAGE_ITEMS)
        page = PAGE_ITEMS;
    end = tools->count - begin > page ? begin + page : tools->count;
    mica_rest_open(message, 200, &writer);
    mica_json_open_object(&writer);
    mica_json_name(&writer, "tools");
    mica_json_open_array(&writer);
    for (size_t i = begin; i < end; i++)
        if (mica_rest_offers(message, tools->items[i]))
            write_tool(message, tools->items[i], &writer);
    mica_json_close_array(&writer);
    mica_json_name(&writer, "total");
    mica_json_integer(&writer, offered_count(message, tools));
    mica_json_name(&writer, "links");
    mica_json_open_object(&writer);
    write_link(message, &writer, "describedby", "/openapi.json",
               (struct mica_text){"", 0});
    if (end < tools->count)
        write_link(message, &writer, "next",
                   "/api?after=", tools->items[end - 1]->name);
    mica_json_close_object(&writer);
    mica_json_close_object(&writer);
    reply_document(message);
}

void
mica_rest_catalog(struct mica_message *message)
{
    const struct mica_catalog *catalog;
    size_t begin;

    if (!mica_rest_of(message)->reads) {
        mica_rest_only(message, "GET, HEAD, OPTIONS",
                       "GET lists the tools; POST goes to %s/NAME",
                       mica_rest_address(message, "/api"));
        return;
    }
    catalog = mica_message_catalog(message);
    if (find_begin(message, &catalog->lists[MICA_DEFINITION_TOOL], &begin))
        write_catalog(message, &catalog->lists[MICA_DEFINITION_TOOL], begin);
}

// ---- Errors ---------------------------------------------------------------------

void
mica_rest_error_page(struct mica_message *message, struct mica_text code)
{
    enum mica_status status = mica_status_of_code(code);
    struct mica_json_writer writer;

    if (!mica_rest_of(message)->reads) {
        mica_rest_only(message, "GET, HEAD, OPTIONS",
                       "GET says what the code means");
        return;
    }
    if (!mica_text_is(code, mica_status_code(status))) {
        mica_message_refuse(message, MICA_E_NOT_FOUND,
                            "That is no code of mica's; a tool says what its "
                            "own mean");
        return;
    }
    mica_rest_open(message, 200, &writer);
    mica_json_open_object(&writer);
    mica_json_field(&writer, "code", code);
    mica_json_field(&writer, "title", mica_text(mica_status_meaning(status)));
    mica_json_name(&writer, "status");
    mica_json_integer(&writer, mica_status_http(status));
    mica_json_name(&writer, "retryable");
    mica_json_boolean(&writer, mica_status_kind(status) == MICA_BLOCKED);
    mica_json_close_object(&writer);
    reply_document(message);
}

// ---- OpenAPI --------------------------------------------------------------------

void
mica_rest_openapi(struct mica_message *message)
{
    const struct mica_http_request *request = message->request.http;
    // A view needs no token: its host sends one with the call of http_request.
    struct mica_openapi options = {
        .secured = mica_principal_is_known(message->context.principal) &&
                   message->relayer == NULL,
        .message = message};
    struct mica_json_writer writer;

    if (!mica_rest_of(message)->reads) {
        mica_rest_only(message, "GET, HEAD, OPTIONS",
                       "GET has the OpenAPI document");
        return;
    }
    options.catalog = mica_message_catalog(message);
    if (request->origin.len > 0 || request->base.len > 0)
        options.url = mica_base_path_text(message->arena, request->origin,
                                          "%.*s", MICA_ARG(request->base))
                          .ptr;
    mica_rest_open(message, 200, &writer);
    options.form = mica_rest_form(message);
    mica_openapi_write(mica_message_endpoint(message), &options,
                       &message->reply.text);
    reply_document(message);
}

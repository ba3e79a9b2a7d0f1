// SPDX-License-Identifier: Apache-2.0
//
// A bookshop whose view needs no code of MCP for its data: it sends GraphQL and REST with
// `fetch`. The program mounts /graphql (mica/mount.h) for views alone, with one mutation, and
// its tool price_order answers over REST, too. graphql_query.c reads the documents.
//
// In the repository, with mica installed:
//
//     ../../scripts/join-view --document graphql_books.html books_html
//         graphql_books_html.h graphql_books_html.d
//     cc graphql_books.c graphql_query.c $(pkg-config --cflags --libs mica) -o books
//     ./books 127.0.0.1:8080
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <mica/mount.h>
#include <mica/tool.h>

#include "graphql_books_html.h"
#include "graphql_query.h"

#define REQUEST_BYTES  (256 << 10) // of memory for a request
#define RESPONSE_BYTES (128 << 10)
#define MOST_COPIES    999

// ---- The catalog -----------------------------------------------------------------

struct author {
    const char *name;
};

struct book {
    const char *id, *title;
    const struct author *author;
    int64_t year, cents; // of one copy
    int64_t copies;
};

static const struct author authors[] = {
    {"Ursula K. Le Guin"}, {"Stanisław Lem"}, {"Octavia E. Butler"}};

// Several calls run at once: `lock` guards the copies.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct book books[] = {
    {"b1", "The Dispossessed", &authors[0], 1974, 1290, 4},
    {"b2", "The Left Hand of Darkness", &authors[0], 1969, 1190, 0},
    {"b3", "Solaris", &authors[1], 1961, 1050, 7},
    {"b4", "The Cyberiad", &authors[1], 1965, 1400, 2},
    {"b5", "Kindred", &authors[2], 1979, 1325, 3},
};

static struct book *
book_find(struct mica_text id)
{
    for (size_t i = 0; i < MICA_COUNT(books); i++)
        if (mica_text_is(id, books[i].id))
            return &books[i];
    return NULL;
}

// ---- The schema ------------------------------------------------------------------

enum type {
    QUERY,
    MUTATION,
    BOOK,
    AUTHOR,
    SCALAR
};
static const char *const type_names[] = {"Query", "Mutation", "Book", "Author"};

static const struct member {
    enum type owner;
    const char *name;
    enum type type;
    const char
        *takes[3]; // its arguments, all required: id is ID, copies is Int
} schema[] = {
    {QUERY, "books", BOOK, {NULL}},
    {QUERY, "book", BOOK, {"id", NULL}},
    {MUTATION, "setCopies", BOOK, {"id", "copies", NULL}},
    {BOOK, "id", SCALAR, {NULL}},
    {BOOK, "title", SCALAR, {NULL}},
    {BOOK, "year", SCALAR, {NULL}},
    {BOOK, "copies", SCALAR, {NULL}},
    {BOOK, "author", AUTHOR, {NULL}},
    {AUTHOR, "name", SCALAR, {NULL}},
    {AUTHOR, "books", BOOK, {NULL}},
    {QUERY, "__typename", SCALAR, {NULL}},
    {MUTATION, "__typename", SCALAR, {NULL}},
    {BOOK, "__typename", SCALAR, {NULL}},
    {AUTHOR, "__typename", SCALAR, {NULL}},
};

static const struct member *
schema_find(enum type owner, struct mica_text name)
{
    for (size_t i = 0; i < MICA_COUNT(schema); i++)
        if (schema[i].owner == owner && mica_text_is(name, schema[i].name))
            return &schema[i];
    return NULL;
}

static const struct graphql_argument *
argument_find(const struct graphql_field *field, const char *namez)
{
    for (size_t i = 0; i < field->argument_count; i++)
        if (mica_text_is(field->arguments[i].name, namez))
            return &field->arguments[i];
    return NULL;
}

static struct mica_json
argument_value(const struct graphql_field *field, const char *namez)
{
    const struct graphql_argument *argument = argument_find(field, namez);

    return argument != NULL ? argument->value : (struct mica_json){0};
}

// ---- Validation: of the whole document, before any of it runs --------------------

struct reading {
    struct mica_text text;
    struct graphql_fault *fault;
};

#define INVALID "GRAPHQL_VALIDATION_FAILED"

static size_t
place(const struct reading *reading, struct mica_text part)
{
    return (size_t)(part.ptr - reading->text.ptr);
}

// From 0 to MOST_COPIES, or -1.
static int64_t
copies_of(struct mica_json value)
{
    int64_t copies = 0;

    if (value.kind != MICA_JSON_NUMBER || value.text.len > 4)
        return -1;
    for (size_t i = 0; i < value.text.len; i++) {
        if (value.text.ptr[i] < '0' || value.text.ptr[i] > '9')
            return -1;
        copies = copies * 10 + (value.text.ptr[i] - '0');
    }
    return copies <= MOST_COPIES ? copies : -1;
}

static bool
argument_check(const struct reading *reading, const struct graphql_field *field,
               const char *namez)
{
    const struct graphql_argument *argument = argument_find(field, namez);
    bool is_id = strcmp(namez, "id") == 0;
    const char *type = is_id ? "ID" : "Int";
    size_t at = place(reading, field->name);

    if (argument == NULL)
        return graphql_fail(reading->fault, INVALID, at,
                            "Field \"%.*s\" needs the argument \"%s\".",
                            MICA_ARG(field->name), namez);
    if (argument->type.len > 0 && !mica_text_is(argument->type, type))
        return graphql_fail(reading->fault, INVALID, at,
                            "The variable for \"%s\" must have the type %s!.",
                            namez, type);
    if (is_id && argument->value.kind != MICA_JSON_STRING)
        return graphql_fail(reading->fault, INVALID, at,
                            "\"%s\" takes an ID, a string.", namez);
    if (!is_id && copies_of(argument->value) < 0)
        return graphql_fail(reading->fault, INVALID, at,
                            "\"%s\" takes an Int from 0 to %d.", namez,
                            MOST_COPIES);
    return true;
}

static bool
arguments_check(const struct reading *reading, const struct member *member,
                const struct graphql_field *field)
{
    size_t known = 0;

    for (; member->takes[known] != NULL; known++)
        if (!argument_check(reading, field, member->takes[known]))
            return false;
    if (field->argument_count > known)
        return graphql_fail(reading->fault, INVALID,
                            place(reading, field->name),
                            "Field \"%s\" takes %zu arguments, not %zu.",
                            member->name, known, field->argument_count);
    return true;
}

static bool
selection_check(const struct reading *reading, enum type owner,
                const struct graphql_field *field)
{
    for (; field != NULL; field = field->next) {
        const struct member *member = schema_find(owner, field->name);
        struct mica_text shown = mica_text_slice(field->name, 0, 40);
        size_t at = place(reading, field->name);
        if (member == NULL)
            return graphql_fail(reading->fault, INVALID, at,
                                "Cannot query field \"%.*s\" on type \"%s\".",
                                MICA_ARG(shown), type_names[owner]);
        if ((member->type == SCALAR) != (field->selection == NULL))
            return graphql_fail(reading->fault, INVALID, at,
                                member->type == SCALAR
                                    ? "Field \"%s\" has no fields."
                                    : "Field \"%s\" needs a selection of "
                                      "fields.",
                                member->name);
        if (!arguments_check(reading, member, field) ||
            !selection_check(reading, member->type, field->selection))
            return false;
    }
    return true;
}

// ---- Execution: as deep as a document may be, GRAPHQL_DEPTH -----------------------

static void author_write(struct mica_json_writer *out,
                         const struct graphql_field *field,
                         const struct author *author);

static void
book_write(struct mica_json_writer *out, const struct graphql_field *field,
           const struct book *book)
{
    mica_json_open_object(out);
    for (; field != NULL; field = field->next) {
        mica_json_name_text(out, field->name);
        if (mica_text_is(field->name, "id"))
            mica_json_stringz(out, book->id);
        else if (mica_text_is(field->name, "title"))
            mica_json_stringz(out, book->title);
        else if (mica_text_is(field->name, "year"))
            mica_json_integer(out, book->year);
        else if (mica_text_is(field->name, "copies"))
            mica_json_integer(out, book->copies);
        else if (mica_text_is(field->name, "author"))
            author_write(out, field->selection, book->author);
        else
            mica_json_stringz(out, type_names[BOOK]);
    }
    mica_json_close_object(out);
}

// The books of an author, or all of them.
static void
books_write(struct mica_json_writer *out, const struct graphql_field *field,
            const struct author *author)
{
    mica_json_open_array(out);
    for (size_t i = 0; i < MICA_COUNT(books); i++)
        if (author == NULL || books[i].author == author)
            book_write(out, field, &books[i]);
    mica_json_close_array(out);
}

static void
author_write(struct mica_json_writer *out, const struct graphql_field *field,
             const struct author *author)
{
    mica_json_open_object(out);
    for (; field != NULL; field = field->next) {
        mica_json_name_text(out, field->name);
        if (mica_text_is(field->name, "name"))
            mica_json_stringz(out, author->name);
        else if (mica_text_is(field->name, "books"))
            books_write(out, field->selection, author);
        else
            mica_json_stringz(out, type_names[AUTHOR]);
    }
    mica_json_close_object(out);
}

// One book by its id, or null; a mutation changes it first. Returns false where a mutation
// finds none.
static bool
one_write(struct mica_json_writer *out, const struct graphql_field *field,
          bool is_mutation)
{
    struct book *book = book_find(argument_value(field, "id").text);

    if (book == NULL) {
        mica_json_null(out);
        return !is_mutation;
    }
    if (is_mutation)
        book->copies = copies_of(argument_value(field, "copies"));
    book_write(out, field->selection, book);
    return true;
}

// The whole reply to a valid document.
static void
query_run(struct mica_json_writer *out, const struct graphql_query *query)
{
    bool found = true;

    mica_json_open_object(out);
    mica_json_name(out, "data");
    mica_json_open_object(out);
    for (const struct graphql_field *field = query->selection; field != NULL;
         field = field->next) {
        mica_json_name_text(out, field->name);
        if (mica_text_is(field->name, "__typename"))
            mica_json_stringz(
                out, type_names[query->is_mutation ? MUTATION : QUERY]);
        else if (mica_text_is(field->name, "books"))
            books_write(out, field->selection, NULL);
        else
            found &= one_write(out, field, query->is_mutation);
    }
    mica_json_close_object(out);
    if (!found) {
        mica_json_name(out, "errors");
        mica_json_raw(out,
                      MICA_LITERAL("[{\"message\":\"There is no book with this "
                                   "id.\",\"path\":[\"setCopies\"],"
                                   "\"extensions\":{\"code\":"
                                   "\"BOOK_UNKNOWN\"}}]"));
    }
    mica_json_close_object(out);
}

// ---- The endpoint ----------------------------------------------------------------

static void
fault_write(struct mica_json_writer *out, const struct graphql_fault *fault,
            struct mica_text text)
{
    int64_t line = 1, column = 1;

    for (size_t i = 0; i < fault->at && i < text.len; i++) {
        column = text.ptr[i] == '\n' ? 1 : column + 1;
        line += text.ptr[i] == '\n';
    }
    mica_json_open_object(out);
    mica_json_name(out, "errors");
    mica_json_open_array(out);
    mica_json_open_object(out);
    mica_json_name(out, "message");
    mica_json_stringz(out, fault->message);
    if (text.len > 0) {
        mica_json_name(out, "locations");
        mica_json_open_array(out);
        mica_json_open_object(out);
        mica_json_name(out, "line");
        mica_json_integer(out, line);
        mica_json_name(out, "column");
        mica_json_integer(out, column);
        mica_json_close_object(out);
        mica_json_close_array(out);
    }
    mica_json_name(out, "extensions");
    mica_json_open_object(out);
    mica_json_name(out, "code");
    mica_json_stringz(out, fault->code);
    mica_json_close_object(out);
    mica_json_close_object(out);
    mica_json_close_array(out);
    mica_json_close_object(out);
}

// {"query": …, "variables": …, "operationName": …}, as "GraphQL over HTTP" has it.
static bool
request_read(struct mica_arena *arena, struct mica_text body,
             struct mica_json *request_out, struct graphql_fault *fault)
{
    struct mica_error error;
    const struct mica_json *query, *variables;

    if (mica_json_read(arena, body, NULL, &error, request_out) != MICA_OK)
        return graphql_fail(fault, "BAD_REQUEST", 0,
                            "The body cannot be read: %.100s", error.message);
    query = mica_json_get(request_out, "query");
    variables = mica_json_get(request_out, "variables");
    if (query == NULL || query->kind != MICA_JSON_STRING)
        return graphql_fail(fault, "BAD_REQUEST", 0,
                            "\"query\" must be a string.");
    if (variables != NULL && variables->kind != MICA_JSON_OBJECT &&
        variables->kind != MICA_JSON_NULL)
        return graphql_fail(fault, "BAD_REQUEST", 0,
                            "\"variables\" must be an object.");
    return true;
}

static bool
query_read(struct mica_arena *arena, const struct mica_json *request,
           struct graphql_query *query_out, struct graphql_fault *fault)
{
    const struct reading reading = {mica_json_get_text(request, "query"),
                                    fault};
    struct mica_text name = mica_json_get_text(request, "operationName");

    if (!graphql_read(arena, reading.text, mica_json_get(request, "variables"),
                      query_out, fault))
        return false;
    if (name.len > 0 && !mica_text_equal(name, query_out->name))
        return graphql_fail(fault, INVALID, 0,
                            "The document has no operation of this name.");
    return selection_check(&reading, query_out->is_mutation ? MUTATION : QUERY,
                           query_out->selection);
}

// Writes the reply to a POST; returns its status.
static unsigned
body_answer(struct mica_arena *arena, struct mica_text body,
            struct mica_json_writer *out)
{
    struct graphql_fault fault = {0};
    struct graphql_query query;
    struct mica_json request;

    if (!request_read(arena, body, &request, &fault)) {
        fault_write(out, &fault, mica_text(NULL));
        return 400;
    }
    if (!query_read(arena, &request, &query, &fault)) {
        fault_write(out, &fault, mica_json_get_text(&request, "query"));
        return 200;
    }
    pthread_mutex_lock(&lock);
    query_run(out, &query);
    pthread_mutex_unlock(&lock);
    return 200;
}

static enum mica_status
graphql_answer(struct mica_call *call, void *context,
               const struct mica_http_request *request,
               struct mica_http_response *response_out)
{
    struct mica_buffer body = {.ptr = mica_alloc(call, RESPONSE_BYTES),
                               .capacity = RESPONSE_BYTES,
                               .max = RESPONSE_BYTES};
    struct mica_json_writer out;
    struct mica_arena arena;

    (void)context;
    if (!mica_text_is(request->path, "/graphql")) {
        response_out->status = 404;
        return MICA_OK;
    }
    if (!mica_text_is(request->method, "POST")) {
        response_out->status = 405;
        response_out->headers[response_out->header_count++] =
            (struct mica_header){MICA_LITERAL("Allow"), MICA_LITERAL("POST")};
        return MICA_OK;
    }
    mica_json_writer_init(&out, &body);
    mica_arena_init(&arena, REQUEST_BYTES);
    response_out->status = body_answer(&arena, request->body, &out);
    mica_arena_fini(&arena);
    if (body.overflow)
        return mica_fail(call, "LIMIT_EXCEEDED", "",
                         "The reply has more than %d bytes; ask for less.",
                         RESPONSE_BYTES);
    response_out->headers[response_out->header_count++] = (struct mica_header){
        MICA_LITERAL("Content-Type"), MICA_LITERAL("application/json")};
    response_out->body = mica_buffer_as_text(&body);
    return MICA_OK;
}

static const struct mica_mount graphql_mount = {.path = "/graphql",
                                                .handle = graphql_answer};

// ---- The tools -------------------------------------------------------------------

struct stock {
    struct mica_text id, title, author;
    int64_t copies;
};
MICA_RECORD(stock, MICA_TEXT(id, "The book, for price_order."),
            MICA_TEXT(title, "Its title."), MICA_TEXT(author, "Its author."),
            MICA_INTEGER(copies, "How many copies are in the shop."));

struct catalog {
    struct {
        size_t count;
        const struct stock *items;
    } books;
};
MICA_RECORD(catalog, MICA_LIST(books, stock, "All books of the shop."));

static enum mica_status
show_books(struct mica_call *call, const struct mica_nothing *in,
           struct catalog *out)
{
    struct stock *items = MICA_NEW(call, struct stock, MICA_COUNT(books));

    (void)in;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < MICA_COUNT(books); i++)
        items[i] =
            (struct stock){mica_text(books[i].id), mica_text(books[i].title),
                           mica_text(books[i].author->name), books[i].copies};
    pthread_mutex_unlock(&lock);
    out->books.items = items;
    out->books.count = MICA_COUNT(books);
    return MICA_OK;
}

MICA_VIEW(books, .html = books_html, .title = "Books",
          .description = "The books of the shop. The person changes how many "
                         "copies there are, and asks what copies cost.");
MICA_TOOL(show_books, mica_nothing, catalog, show_books, .title = "Show books",
          .description = "List the books of the shop, with their copies.",
          .hints = MICA_READ_ONLY | MICA_IDEMPOTENT, .view = &mica_view_books);

struct order {
    struct mica_text id;
    int64_t copies;
};
MICA_RECORD(order, MICA_TEXT(id, "The book, as show_books names it."),
            MICA_INTEGER(copies, "How many copies.", .minimum = 1,
                         .maximum = MOST_COPIES));

struct price {
    int64_t cents;
};
MICA_RECORD(price, MICA_INTEGER(cents, "The price of all copies, in cents."));

static enum mica_status
price_order(struct mica_call *call, const struct order *in, struct price *out)
{
    const struct book *book = book_find(in->id);

    if (book == NULL)
        return mica_fail(call, "BOOK_UNKNOWN", "id",
                         "There is no book \"%.*s\"; show_books lists them.",
                         MICA_ARG(in->id));
    out->cents = book->cents * in->copies; // cents never change: no lock
    if (in->copies >= 10)                  // a tenth off
        out->cents -= out->cents / 10;
    return MICA_OK;
}
MICA_TOOL(price_order, order, price, price_order, .title = "Price an order",
          .description = "Return what copies of a book cost.",
          .hints = MICA_READ_ONLY | MICA_IDEMPOTENT);

static void
port_print(void *user, unsigned port)
{
    (void)user;
    printf("Serving at port %u\n", port);
    (void)fflush(stdout);
}

int
main(int argc, char **argv)
{
    const struct mica_server_options options = {.name = "books",
                                                .version = "1.0"};
    const struct mica_http_options http = {.listen = argc > 1 ? argv[1] : NULL,
                                           .ready = port_print};
    struct mica_server *server = NULL;
    struct mica_error error;
    enum mica_status status = mica_server_open(&options, &error, &server);

    if (status == MICA_OK)
        status =
            mica_server_add_tool(server, &mica_tool_show_books, NULL, &error);
    if (status == MICA_OK)
        status =
            mica_server_add_tool(server, &mica_tool_price_order, NULL, &error);
    if (status == MICA_OK)
        status = mica_server_mount(server, &graphql_mount, &error);
    if (status == MICA_OK)
        status = mica_server_serve_http(server, &http, &error);
    if (status != MICA_OK)
        fprintf(stderr, "%s: %s\n", error.code, error.message);
    mica_server_close(&server);
    return status == MICA_OK ? 0 : 1;
}

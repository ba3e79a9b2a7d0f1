// SPDX-License-Identifier: Apache-2.0
//
// What views reach by http_request, as --mounts adds it beside the tools with views: an address
// that gives a request back, with redirections and a failure below it.
#include <mica/mount.h>

#include "fixture.h"

static void
write_headers(const struct mica_http_request *request,
              struct mica_json_writer *out)
{
    mica_json_name(out, "headers");
    mica_json_open_object(out);
    for (size_t i = 0; i < request->header_count; i++) {
        mica_json_name_text(out, request->headers[i].name);
        mica_json_string(out, request->headers[i].value);
    }
    mica_json_close_object(out);
}

static void
write_request(const struct mica_http_request *request,
              struct mica_json_writer *out)
{
    struct mica_buffer base64;

    mica_json_open_object(out);
    mica_json_field(out, "method", request->method);
    mica_json_field(out, "path", request->path);
    mica_json_field(out, "query", request->query);
    write_headers(request, out);
    mica_buffer_init(&base64, NULL, request->body.len * 2 + 8);
    if (mica_utf8_valid(request->body) == request->body.len) {
        mica_json_field(out, "body", request->body);
    } else {
        mica_base64_write(&base64, request->body.ptr, request->body.len);
        mica_json_field(out, "base64", mica_buffer_as_text(&base64));
    }
    mica_buffer_fini(&base64);
    mica_json_close_object(out);
}

static enum mica_status
mirror(struct mica_call *call, void *context,
       const struct mica_http_request *request,
       struct mica_http_response *response_out)
{
    const size_t most = request->body.len * 6 + (1 << 16);
    struct mica_json_writer writer;
    struct mica_buffer text;

    (void)context;
    if (mica_text_is(request->path, "/mirror/fails"))
        return mica_fail(call, "MIRROR_BROKEN", "", "The mirror is broken.");
    if (mica_text_starts(request->path, "/mirror/moved")) {
        response_out->status = 303;
        response_out->headers[0] = (struct mica_header){
            MICA_LITERAL("Location"), mica_text_is(request->query, "out")
                                          ? MICA_LITERAL("https://example.org/")
                                          : MICA_LITERAL("/mirror/there?a=1")};
        response_out->header_count = 1;
        return MICA_OK;
    }
    if (mica_text_is(request->path, "/mirror/bytes")) {
        response_out->headers[0] =
            (struct mica_header){MICA_LITERAL("Content-Type"),
                                 MICA_LITERAL("application/octet-stream")};
        response_out->header_count = 1;
        response_out->body = MICA_LITERAL("\0\xff\x80"
                                          "a");
        return MICA_OK;
    }
    text = (struct mica_buffer){
        .ptr = mica_alloc(call, most), .capacity = most, .max = most};
    mica_json_writer_init(&writer, &text);
    write_request(request, &writer);
    response_out->headers[0] = (struct mica_header){
        MICA_LITERAL("Content-Type"), MICA_LITERAL("application/json")};
    response_out->headers[1] =
        (struct mica_header){MICA_LITERAL("Set-Cookie"), MICA_LITERAL("a=b")};
    response_out->header_count = 2;
    response_out->body = mica_buffer_as_text(&text);
    return MICA_OK;
}

static const char *const headers[] = {"x-tenant", NULL};
static const struct mica_mount mount = {
    .path = "/mirror", .handle = mirror, .headers = headers};

enum mica_status
fixture_add_mounts(struct mica_server *server, struct mica_error *error)
{
    return mica_server_mount(server, &mount, error);
}

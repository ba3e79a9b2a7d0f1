// SPDX-License-Identifier: Apache-2.0
//
// A tool that fetches what it is told to; for fetch.py.
#include <mica/fetch.h>
#include <mica/tool.h>

struct request {
    struct mica_text url, method, secret;
    int64_t limit_ms, attempts;
    bool repeats, body;
};
MICA_RECORD(request, MICA_TEXT(url, "Where."),
            MICA_TEXT(method, "How.", .fallback = MICA_JSON("GET")),
            MICA_TEXT(secret, "A secret's name.", .fallback = MICA_JSON("")),
            MICA_INTEGER(limit_ms, "Time.", .fallback = MICA_JSON(8000)),
            MICA_INTEGER(attempts, "Attempts.", .fallback = MICA_JSON(3)),
            MICA_BOOLEAN(repeats, "Is it safe?", .fallback = MICA_JSON(false)),
            MICA_BOOLEAN(body, "With one?", .fallback = MICA_JSON(false)));

struct sent {
    struct mica_text word;
};
MICA_RECORD(sent, MICA_TEXT(word, "What is sent."));

struct inner {
    int64_t n;
};
MICA_RECORD(inner, MICA_INTEGER(n, "A number."));

struct answer {
    struct mica_text word;
    struct {
        size_t count;
        const struct inner *items;
    } list;
    bool has_note;
    struct mica_text note;
};
MICA_RECORD(answer, MICA_TEXT(word, "What came."),
            MICA_LIST(list, inner, "More of it.", .fallback = MICA_JSON([])),
            MICA_TEXT(note, "A note.", MICA_OPTIONAL(answer, note)));

static const char *
as_z(struct mica_call *call, struct mica_text text)
{
    return mica_format(call, "%.*s", MICA_ARG(text)).ptr;
}

static enum mica_status
probe(struct mica_call *call, const struct request *in, struct answer *out)
{
    const struct sent sent = {MICA_LITERAL("hello")};
    const struct mica_fetch_header headers[] = {
        {"X-Probe", MICA_LITERAL("yes"), NULL},
        {"Authorization", MICA_LITERAL("Bearer "), as_z(call, in->secret)}};
    struct mica_fetch fetch = {.key = "probe",
                               .method = as_z(call, in->method),
                               .url = in->url,
                               .headers = headers,
                               .header_count = in->secret.len > 0 ? 2 : 1,
                               .limit_ms = (uint32_t)in->limit_ms,
                               .limit_bytes = 10000,
                               .attempts = (unsigned)in->attempts,
                               .repeats = in->repeats};

    if (in->body)
        fetch.body = MICA_FROM(sent, &sent);
    return mica_fetch(call, &fetch, MICA_INTO(answer, out));
}

MICA_TOOL(fetch_probe, request, answer, probe, .title = "Probe",
          .description = "Fetch what the caller says, for a test.",
          .fetches = MICA_FETCHES("*"));

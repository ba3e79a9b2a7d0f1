// SPDX-License-Identifier: Apache-2.0
//
// The page of a refusal: what a person sees where a program gets a problem document.
#include "page/html.h"
#include "page/site.h"
#include "page/site_layout.h"

// Did a person open the address of an endpoint, which is for clients?
static bool
is_endpoint(const struct mica_page_refusal *refusal)
{
    struct mica_text path = refusal->path;

    return (refusal->status == 400 || refusal->status == 405 ||
            refusal->status == 406) &&
           path.len >= 4 &&
           mica_text_is(mica_text_slice(path, path.len - 4, path.len), "/mcp");
}

// Refusals of a sign-in, by their codes.
static const struct {
    const char *codez, *titlez, *advicez;
} logins[] = {
    {"LOGIN_STATE_INVALID", "This sign-in cannot be completed",
     "It was completed before, took too long, or began in another browser or "
     "tab. Sign in again."},
    {"LOGIN_FAILED", "You were not signed in",
     "Sign in again; if that does not help, tell the operator of this server "
     "what it says below."},
    {"TOO_MANY_LOGINS", "Too many people are signed in",
     "Sign in again in some minutes."},
    {"CROSS_SITE_REQUEST", "This came from another site",
     "Start from a page of this server."}};

static const char *
title_of(const struct mica_page_refusal *refusal)
{
    unsigned status = refusal->status;
    static const struct {
        unsigned status;
        const char *titlez;
    } titles[] = {{400, "This address cannot be read"},
                  {401, "You are not signed in"},
                  {403, "You may not see this"},
                  {404, "There is no such page"},
                  {405, "This address is not for browsers"},
                  {406, "This address is not for browsers"},
                  {410, "This page is gone"},
                  {413, "That was too large"},
                  {429, "Too many requests"},
                  {503, "The server is busy"},
                  {504, "That took too long"}};

    if (is_endpoint(refusal))
        return "This address is for MCP clients";
    for (size_t i = 0; i < MICA_COUNT(logins); i++)
        if (mica_text_is(refusal->code, logins[i].codez))
            return logins[i].titlez;
    for (size_t i = 0; i < MICA_COUNT(titles); i++)
        if (titles[i].status == status)
            return titles[i].titlez;
    return status < 500 ? "This cannot be done" : "Something went wrong";
}

// May there be an app that is shown to a person who is signed in?
static bool
hides_app(const struct mica_page_refusal *refusal)
{
    return refusal->sign_in.len > 0 &&
           mica_text_is(refusal->code, "APP_NOT_FOUND");
}

static const char *
advice_of(const struct mica_page_refusal *refusal)
{
    unsigned status = refusal->status;

    if (is_endpoint(refusal))
        return "An application with a model connects here. The front page says "
               "how to set one up, and has the tools for people.";
    for (size_t i = 0; i < MICA_COUNT(logins); i++)
        if (mica_text_is(refusal->code, logins[i].codez))
            return logins[i].advicez;
    if (hides_app(refusal))
        return "There is no app here, or it is not for everyone. If you know "
               "of one, sign in; you come back to this page.";
    if (status == 401 && refusal->sign_in.len > 0)
        return "This server wants to know who you are. You come back to this "
               "page.";
    if (status == 401)
        return "This server asks for a token, which browsers do not send by "
               "themselves. Ask its operator for a way in.";
    if (status == 429 || status == 503 || status == 504)
        return "Load the page again in a moment.";
    if (status == 405 || status == 406)
        return "It is for agents and programs. People start at the front page.";
    return status >= 500
               ? "Load the page again; if that does not help, tell "
                 "its operator."
               : "The address may have a typing error, or the tool may "
                 "have been taken away.";
}

static void
write_nearest(struct mica_buffer *out, const struct mica_site *site,
              const struct mica_definition *tool)
{
    if (tool == NULL)
        return;
    mica_html(out, "<p>Did you mean <a");
    mica_site_layout_href(site, "tools/", out);
    mica_html_text(out, tool->name);
    mica_html(out, "\">");
    mica_html_text(out, tool->title.len > 0 ? tool->title : tool->name);
    mica_html(out, "</a>?</p>\n");
}

// Where to go: to sign in, to the clients, or to the front page.
static void
write_actions(struct mica_buffer *out, const struct mica_site *site,
              const struct mica_page_refusal *refusal)
{
    bool endpoint = is_endpoint(refusal);
    bool signs_in = refusal->sign_in.len > 0 && !endpoint &&
                    (refusal->status == 401 || hides_app(refusal) ||
                     mica_text_starts(refusal->code, "LOGIN_") ||
                     mica_text_is(refusal->code, "TOO_MANY_LOGINS"));

    mica_html(out, "<p class=\"actions\"><a class=\"button main\"");
    if (signs_in) {
        mica_html_attribute(out, "href", refusal->sign_in);
        mica_html(out, ">Sign in</a></p>\n");
        return;
    }
    mica_site_layout_href(site, endpoint ? "#connect" : "", out);
    mica_html(out, endpoint ? "\">Connect a client</a></p>\n"
                            : "\">All tools</a></p>\n");
}

// What the server tells programs: of tokens and headers, where a person only signs in.
static void
write_reason(struct mica_buffer *out, const struct mica_page_refusal *refusal)
{
    mica_html(out, "<p class=\"help\">");
    if (refusal->status != 401 || refusal->sign_in.len == 0) {
        mica_html(out, "The server says: ");
        mica_html_text(out, refusal->detail);
        mica_html(out, " ");
    }
    mica_html(out, "<code>");
    mica_html_text(out, refusal->code);
    mica_html(out, "</code></p>\n");
}

void
mica_page_refuse(const struct mica_site *site,
                 const struct mica_page_refusal *refusal,
                 struct mica_buffer *out)
{
    struct mica_text title = mica_text(title_of(refusal));

    mica_site_layout_open(site, title, title, out);
    mica_site_layout_body(site, out);
    mica_html(out, "<div class=\"ask\">\n<div class=\"head\">\n");
    mica_buffer_format(out, "<p class=\"crumb\">%u", refusal->status);
    mica_html(out, " · <code>");
    mica_html_text(out, refusal->path);
    mica_html(out, "</code></p>\n<h1>");
    mica_html_text(out, title);
    mica_buffer_format(out, "</h1>\n<p>%s</p>\n", advice_of(refusal));
    write_nearest(out, site, refusal->nearest);
    mica_html(out, "</div>\n");
    write_actions(out, site, refusal);
    write_reason(out, refusal);
    mica_html(out, "</div>\n");
    mica_site_layout_close(site, out);
}

void
mica_page_signed_out(const struct mica_site *site, struct mica_text again,
                     struct mica_text issuer, struct mica_buffer *out)
{
    struct mica_text title = MICA_LITERAL("You are signed out");

    mica_site_layout_open(site, title, title, out);
    mica_site_layout_body(site, out);
    mica_html(out, "<div class=\"ask\">\n<div class=\"head\">\n<h1>");
    mica_html_text(out, title);
    mica_html(out, "</h1>\n<p>This server has ended your login.</p>\n</div>\n"
                   "<p class=\"actions\"><a class=\"button main\"");
    mica_html_attribute(out, "href", again);
    mica_html(out, ">Sign in</a>");
    if (issuer.len > 0) {
        mica_html(out, " <a class=\"button\"");
        mica_html_attribute(out, "href", issuer);
        mica_html(out, ">Sign out where you signed in</a>");
    }
    mica_html(out, "</p>\n</div>\n");
    mica_site_layout_close(site, out);
}

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""People who sign in with a browser (docs/authorization.md): mica between a client that
keeps cookies and the stand-in authorization server of issuer.py; prints TAP.

    login.py --mica build/mica --engines build/engines
"""
import argparse
import contextlib
import http.client
import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import time
import traceback
import urllib.parse

import tokens
from issuer import Issuer
from ports import Reserved
from proxies import program_of
from together import outcomes

PATIENCE = 60
TOOL = "/tools/percentage-calculator"
CALL = "/api/percentage-calculator"
INPUT = json.dumps({"mode": "of", "a": 15, "b": 200})
PAGE = {"Accept": "text/html,*/*;q=0.8"}
LOGINS, OF_ONE = 1024, 16


class Failure(Exception):
    pass


def need(truth, what):
    if not truth:
        raise Failure(what)


def same(got, wanted, what):
    need(got == wanted, "%s: %r, and not %r" % (what, got, wanted))


# ---- A server and a browser ----------------------------------------------------------


class Mica:
    """A server whose people sign in at `issuer`. `base` is where it is below its origin,
    `auth` and `login` change its file, `public` is its public URL."""

    def __init__(self, given, issuer, *words, base="", auth=None, login=None, public=None):
        self.folder = tempfile.TemporaryDirectory()
        self.port = Reserved()
        self.origin = "http://127.0.0.1:%d" % self.port.number
        self.base = base
        folder = pathlib.Path(self.folder.name)
        (folder / "secret").write_text(issuer.secret + "\n", encoding="ascii")
        (folder / "secret").chmod(0o600)
        file = {"issuers": [{"issuer": issuer.url, "jwks": issuer.url + "/jwks"}],
                "leeway_s": 1, **(auth or {}),
                "login": {"client_id": issuer.client, "client_secret_file": "secret",
                          "scopes": ["openid", "mcp:tools"], **(login or {})}}
        if public is None:
            file["resource"] = self.origin + base + "/mcp"
        else:
            words += ("--public-url", public)
        (folder / "auth.json").write_text(json.dumps(file), encoding="utf-8")
        self.err = open(folder / "err", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [given.mica, "serve", "--listen", "127.0.0.1:%d" % self.port.number, "--drain=0",
             "--engines", given.engines, "--auth", str(folder / "auth.json"), *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.err)
        until = time.monotonic() + PATIENCE
        while True:
            try:
                same(self.ask("GET", "/healthz").status, 200, "its health")
                return
            except OSError:
                need(time.monotonic() < until and self.process.poll() is None, self.said())
                time.sleep(0.05)

    def said(self):
        self.err.flush()
        return (pathlib.Path(self.folder.name) / "err").read_text(encoding="utf-8")

    def ask(self, method, path, body=None, headers=None, port=None):
        """A response, with `text` and `cookies`."""
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port.number,
                                                timeout=PATIENCE)
        try:
            connection.request(method, path, body, {
                **({"Content-Type": "application/json"} if body is not None else {}),
                **(headers or {})})
            response = connection.getresponse()
            response.text = response.read().decode("utf-8", "replace")
            response.cookies = response.headers.get_all("Set-Cookie") or []
            return response
        finally:
            connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(PATIENCE)
        said = self.said()
        self.err.close()
        self.port.release()
        self.folder.cleanup()
        same(code, 0, "how mica ended: " + said)


class Browser:
    """Keeps cookies of one server, and takes the steps of a sign-in."""

    def __init__(self, mica, issuer, headers=None, port=None):
        self.mica, self.issuer, self.port = mica, issuer, port
        self.headers, self.cookies = headers or {}, {}

    def ask(self, method, path, body=None, headers=None):
        sent = {**self.headers, **(headers or {})}
        if self.cookies:
            sent["Cookie"] = "; ".join("%s=%s" % one for one in self.cookies.items())
        reply = self.mica.ask(method, path, body, sent, self.port)
        for line in reply.cookies:
            name, value = line.split(";")[0].split("=", 1)
            if value:
                self.cookies[name] = value
            else:
                self.cookies.pop(name, None)
        return reply

    def get(self, path):
        return self.ask("GET", path, headers=PAGE)

    def begin(self, to=TOOL):
        """Asks to sign in; what the issuer is asked."""
        reply = self.ask("GET", self.mica.base + "/login?to=" +
                         urllib.parse.quote(to, safe=""))
        same(reply.status, 303, reply.text)
        where = urllib.parse.urlsplit(reply.headers["Location"])
        need(reply.headers["Location"].startswith(self.issuer.url + "/authorize?"),
             reply.headers["Location"])
        return dict(urllib.parse.parse_qsl(where.query))

    def back(self, address):
        """Follows the issuer's redirection."""
        where = urllib.parse.urlsplit(address)
        return self.ask("GET", where.path + "?" + where.query, headers=PAGE)

    def sign_in(self, to=TOOL, person=None):
        reply = self.back(self.issuer.authorize(self.begin(to),
                                                person or self.issuer.person))
        same(reply.status, 303, reply.text)
        return reply

    def call(self, **headers):
        """A call as a page of this site makes it."""
        return self.ask("POST", self.mica.base + CALL, INPUT,
                        {"Origin": self.mica.origin, "Sec-Fetch-Site": "same-origin",
                         **headers})

    def out(self, **headers):
        return self.ask("POST", self.mica.base + "/logout", "",
                        {"Origin": self.mica.origin, "Sec-Fetch-Site": "same-origin",
                         **headers})


def code_of(reply):
    """The stable code of a refusal, in a page or in a problem document."""
    found = re.search(r'"code":\s*"([A-Z_]+)"|<code>([A-Z_]+)</code>', reply.text)
    return (found.group(1) or found.group(2)) if found else reply.text


def refused(reply, status, code, what):
    same((reply.status, code_of(reply)), (status, code), what)


@contextlib.contextmanager
def pair(given, *words, issuer=None, **how):
    issuer = issuer or Issuer()
    try:
        with Mica(given, issuer, *words, **how) as mica:
            yield mica, Browser(mica, issuer), issuer
    finally:
        issuer.end()


# ---- The cases -----------------------------------------------------------------------


def signs_in(given):
    """From a page that is refused to the issuer, back to that page, and to a call."""
    with pair(given) as (mica, browser, _):
        page = browser.get(TOOL + "?a=1&b=2")
        refused(page, 401, "UNAUTHORIZED", "a page")
        link = re.search(r'href="(/login\?to=[^"]+)">Sign in<', page.text)
        need(link, page.text)
        to = urllib.parse.unquote(link.group(1).partition("=")[2])
        same(to, TOOL + "?a=1&b=2", "where it leads back to")
        style = re.search(r'href="\.\./(web/design.css[^"]*)"', page.text).group(1)
        same(mica.ask("GET", "/" + style).status, 200, "what the page looks like")
        reply = browser.sign_in(to)
        same(reply.headers["Location"], mica.origin + to, "back to the page")
        name = "mica-%d" % mica.port.number
        same(set(browser.cookies), {name}, "its cookies")
        need(re.fullmatch(r"[A-Za-z0-9_-]{43}", browser.cookies[name]), browser.cookies)
        need(any(line.endswith("; Path=/; HttpOnly; SameSite=Lax")
                 for line in reply.cookies), reply.cookies)
        page = browser.get(TOOL)
        same(page.status, 200, page.text)
        same(page.headers["Cache-Control"], "no-store", "who keeps a page with a name")
        need("Ada &lt;of&gt; Example" in page.text and "Sign out" in page.text, page.text)
        need('action="/logout"' in page.text, page.text)
        for path in ("/", "/api", "/openapi.json", "/engines/percentage-calculator.js"):
            same(browser.get(path).status, 200, path)
        reply = browser.call()
        same((reply.status, json.loads(reply.text)["result"]), (200, 30), "a call")


def apps(given):
    """A page of this site edits apps of the person who is signed in; no other page does."""
    with pair(given, "--store", "memory",
              login={"scopes": ["openid", "mcp:tools", "apps:write"]}) as (mica, browser, _):
        refused(browser.ask("GET", "/api/apps"), 401, "UNAUTHORIZED", "before")
        browser.sign_in()
        same(json.loads(browser.ask("GET", "/api/apps").text)["apps"], [], "apps")
        own = {"Origin": mica.origin, "Sec-Fetch-Site": "same-origin"}
        for headers in ({}, {"Origin": "https://evil.example"},
                        {"Origin": mica.origin, "Sec-Fetch-Site": "cross-site"}):
            reply = browser.ask("POST", "/api/apps", '{"name":"x"}', headers)
            same((reply.status, sorted(json.loads(reply.text)["error"])),
                 (403, ["code", "details", "message"]), headers)
        made = browser.ask("POST", "/api/apps", '{"name":"x"}', own)
        same((made.status, json.loads(made.text)["owner"]), (201, "ada"), made.text)
        same(browser.ask("GET", "/api/apps/x/preview").status, 200, "a preview")
        refused(browser.ask("POST", "/builder/mcp", "{}", own), 401, "UNAUTHORIZED",
                "the builder takes tokens alone")
        same(browser.ask("DELETE", "/api/apps/x", None, own).status, 200, "deleted")


def one_browser(given):
    """Only the browser that began a sign-in completes it, and once."""
    with pair(given) as (mica, browser, issuer):
        other = Browser(mica, issuer)
        address = issuer.authorize(browser.begin(), "ada")
        refused(other.back(address), 400, "LOGIN_STATE_INVALID", "another browser")
        other.begin()
        refused(other.back(address), 400, "LOGIN_STATE_INVALID", "another's state")
        wrong = re.sub(r"state=[^&]+", "state=" + "x" * 43, address)
        reply = browser.back(wrong)
        refused(reply, 400, "LOGIN_STATE_INVALID", "a wrong state")
        need("Sign in again" in reply.text and "/login?to=%2F" in reply.text, reply.text)
        refused(browser.back(address.partition("?")[0] + "?code=x"), 400,
                "LOGIN_STATE_INVALID", "no state")
        pending = dict(browser.cookies)
        same(browser.back(address).status, 303, "the right one")
        refused(browser.back(address), 400, "LOGIN_STATE_INVALID", "it again")
        browser.cookies = pending
        refused(browser.back(address), 400, "LOGIN_STATE_INVALID", "with its cookie")
        same(issuer.asked, ["authorization_code"], "what the issuer was asked")


def wrong_issuer(given):
    """A reply of another issuer (RFC 9207), and tokens of another or for another."""
    with pair(given) as (_, browser, issuer):
        issuer.says_issuer = "http://127.0.0.1:9"
        refused(browser.back(issuer.authorize(browser.begin(), "ada")), 400,
                "LOGIN_STATE_INVALID", "iss of another")
        issuer.says_issuer = None
        address = issuer.authorize(browser.begin(), "ada")
        refused(browser.back(re.sub(r"&?iss=[^&]+", "", address)), 400,
                "LOGIN_STATE_INVALID", "without the iss that was announced")
        same(issuer.asked, [], "codes that went to the issuer")
        for name, value in (("signs_issuer", "https://login.example"),
                            ("audience", "https://other.example/mcp")):
            setattr(issuer, name, value)
            refused(browser.back(issuer.authorize(browser.begin(), "ada")), 502,
                    "LOGIN_FAILED", name)
            setattr(issuer, name, None)
        reply = browser.back(issuer.redirect(browser.begin(), error="access_denied"))
        refused(reply, 502, "LOGIN_FAILED", "a person who says no")
        need("access_denied" in reply.text, reply.text)
        reply = browser.back(issuer.redirect(browser.begin(), error="<script>"))
        need("<script>" not in reply.text.split("</head>")[1], reply.text)
        refused(browser.get(TOOL), 401, "UNAUTHORIZED", "no person is signed in")


def expires(given):
    """Without a refresh token a login ends with its token; and at its own age."""
    with pair(given) as (_, browser, issuer), \
            pair(given, login={"max_age_s": 10}) as (_, aged, _):
        issuer.lifetime, issuer.refreshes = 10, False
        browser.sign_in()
        same(browser.get(TOOL).status, 200, "while its token holds")
        aged.sign_in()
        same(aged.get(TOOL).status, 200, "while it is young")
        time.sleep(11)
        refused(browser.get(TOOL), 401, "UNAUTHORIZED", "afterwards")
        refused(browser.call(), 401, "UNAUTHORIZED", "a call")
        refused(aged.get(TOOL), 401, "UNAUTHORIZED", "a login of max_age_s")


def refreshes(given):
    """A token that has expired is renewed, once for all requests that wait for it."""
    with pair(given) as (mica, browser, issuer):
        issuer.lifetime = 2
        browser.sign_in()
        time.sleep(2.5)
        issuer.lifetime = 60
        replies = []
        threads = [threading.Thread(target=lambda: replies.append(browser.call().status))
                   for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        same(replies, [200] * 6, "calls at once")
        same(issuer.asked, ["authorization_code", "refresh_token"], "grants")
        need("Ada &lt;of&gt; Example" in browser.get(TOOL).text, "the name stays")
    with pair(given) as (mica, browser, issuer):
        issuer.lifetime = 2
        browser.sign_in()
        time.sleep(2.5)
        issuer.refuses = "temporarily_unavailable"
        refused(browser.get(TOOL), 503, "BUSY", "an issuer that cannot now")
        issuer.refuses = "invalid_grant"
        refused(browser.get(TOOL), 401, "UNAUTHORIZED", "one that has ended it")
        issuer.refuses = None
        refused(browser.get(TOOL), 401, "UNAUTHORIZED", "it stays ended")


def signs_out(given):
    """Signing out ends the login here and at the issuer, whatever cookie comes later."""
    with pair(given) as (mica, browser, issuer):
        browser.sign_in()
        refresh = list(issuer.refresh)
        kept = dict(browser.cookies)
        same(browser.get("/logout").status, 405, "by a link")
        same(browser.get(TOOL).status, 200, "it is still there")
        reply = browser.out()
        same(reply.status, 200, reply.text)
        need("You are signed out" in reply.text, reply.text)
        same(browser.cookies, {}, "its cookies")
        same(issuer.revoked, refresh, "tokens that the issuer has ended")
        url = re.fullmatch(r"0; url=(.*)", reply.headers["Refresh"]).group(1)
        asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
        need(url.startswith(issuer.url + "/end?"), url)
        same(asked["post_logout_redirect_uri"], mica.origin + "/", "from there")
        same(asked["client_id"], issuer.client, "who asks")
        same(asked["id_token_hint"].count("."), 2, "whose session")
        browser.cookies = kept
        refused(browser.get(TOOL), 401, "UNAUTHORIZED", "the old cookie")
        same(browser.out().status, 200, "out again")


def forged(given):
    """A request that may change something comes from a page of this site."""
    with pair(given) as (mica, browser, _):
        browser.sign_in()
        for what, headers in (
                ("nothing says from where", {}),
                ("another port", {"Origin": "http://127.0.0.1:1"}),
                ("another name", {"Origin": mica.origin.replace("127.0.0.1", "localhost")}),
                ("a sandbox of ours", {"Origin": "null", "Sec-Fetch-Site": "same-origin"}),
                ("a site beside", {"Sec-Fetch-Site": "same-site"}),
                ("another site", {"Sec-Fetch-Site": "cross-site"}),
                ("an address line", {"Sec-Fetch-Site": "none"}),
                ("two stories", {"Origin": mica.origin, "Sec-Fetch-Site": "cross-site"})):
            for path in (CALL, "/web/form", "/api/calls/0123456789012345678901"):
                reply = browser.ask("POST", path, INPUT, headers)
                same(reply.status, 403, "%s: %s" % (what, path))
                need(code_of(reply) in ("CROSS_SITE_REQUEST", "FORBIDDEN"), reply.text)
            same(browser.ask("POST", "/logout", "", headers).status, 403, what)
        refused(browser.ask("POST", CALL, INPUT), 403, "CROSS_SITE_REQUEST", "the code")
        same(browser.ask("POST", CALL, INPUT, {"Origin": mica.origin}).status, 200,
             "an older browser")
        same(browser.ask("POST", CALL, INPUT, {"Sec-Fetch-Site": "same-origin"}).status,
             200, "without Origin")
        same(browser.call().status, 200, "a page")


def host_page(given):
    """The host page calls as its person, and for no page of elsewhere; /mcp still takes
    bearer tokens alone."""
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "percentage-calculator", "arguments": json.loads(INPUT),
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                  "io.modelcontextprotocol/clientCapabilities": {}}}})
    headers = {"Content-Type": "application/json",
               "Accept": "application/json, text/event-stream",
               "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call",
               "Mcp-Name": "percentage-calculator"}
    with pair(given, "--host-page") as (mica, browser, _):
        def call(path="/host/rpc", **more):
            return browser.ask("POST", path, message, {**headers, **more})

        own = {"Origin": mica.origin, "Sec-Fetch-Site": "same-origin"}
        page = browser.get("/host")
        refused(page, 401, "UNAUTHORIZED", "the page")
        need("/login?to=%2Fhost" in page.text, page.text)
        refused(call(**own), 401, "UNAUTHORIZED", "a call")
        browser.sign_in("/host")
        page = browser.get("/host")
        same((page.status, page.headers["Cache-Control"]), (200, "no-store"), "the page")
        need("Ada &lt;of&gt; Example" in page.text, page.text)
        reply = call(**own)
        same((reply.status, json.loads(reply.text)["result"]["structuredContent"]["result"]),
             (200, 30), reply.text)
        for wrong in ({}, {"Origin": "http://127.0.0.1:1"}, {"Origin": "null"},
                      {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
                      {"Origin": mica.origin, "Sec-Fetch-Site": "same-site"}):
            reply = call(**wrong)
            same(reply.status, 403, "a call from %r" % wrong)
        refused(call("/mcp", **own), 401, "UNAUTHORIZED", "/mcp with a cookie")
        browser.out()
        refused(call(**own), 401, "UNAUTHORIZED", "a call afterwards")
    with pair(given) as (mica, browser, _):
        browser.sign_in()
        same(browser.ask("POST", "/host/rpc", message,
                         {**headers, "Origin": mica.origin}).status, 404, "without the page")


def bearers_only(given):
    """/mcp reads no cookie; a header Authorization makes the request a client's."""
    with pair(given) as (mica, browser, issuer):
        browser.sign_in()
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "server/discover",
                           "params": {"_meta": {
                               "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                               "io.modelcontextprotocol/clientCapabilities": {}}}})
        headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "server/discover",
                   "Accept": "application/json, text/event-stream",
                   "Origin": mica.origin, "Sec-Fetch-Site": "same-origin"}
        reply = browser.ask("POST", "/mcp", body, headers)
        same((reply.status, code_of(reply)), (401, "UNAUTHORIZED"), "MCP with a cookie")
        bearer = "Bearer " + issuer.grant("bob", mica.origin + "/mcp", "mcp:tools")[
            "access_token"]
        same(browser.ask("POST", "/mcp", body, {**headers, "Authorization": bearer}).status,
             200, "MCP with a token")
        same(browser.call(Authorization="Bearer a.b.c").status, 401, "a wrong token counts")
        reply = browser.ask("POST", CALL, INPUT, {"Authorization": bearer})
        same(reply.status, 200, "a token and no Origin")
        other = Browser(mica, issuer)
        for cookie in ("x" * 43, browser.cookies["mica-%d" % mica.port.number][:-1], "", "%"):
            other.cookies = {"mica-%d" % mica.port.number: cookie}
            same(other.get(TOOL).status, 401, "a cookie %r" % cookie)
        twice = "mica-%d=%s" % (mica.port.number, "y" * 43)
        same(browser.ask("GET", TOOL, headers={"Cookie": twice + "; " + "; ".join(
            "%s=%s" % one for one in browser.cookies.items())}).status, 200,
             "our own client sends one cookie header")
        ours = "mica-%d=%s" % next(iter([(mica.port.number, browser.cookies[
            "mica-%d" % mica.port.number])]))
        same(mica.ask("GET", TOOL, headers={"Cookie": ours}).status, 200, "the cookie")
        same(mica.ask("GET", TOOL, headers={"Cookie": twice + "; " + ours}).status, 401,
             "two of the name")


def open_redirect(given):
    """No person is sent to another host, or out of the base path."""
    with pair(given, "--base-path", "/tools/x", base="/tools/x") as (mica, browser, _):
        for to in ("//evil.example", "https://evil.example/", "/\\evil.example", "\\/evil",
                   "evil", "/a//b", "/../other", "/%2e%2e/other", "/./x", "/a b", "/a\r\nX: y",
                   "/login", "/login/callback?code=1", "/logout", "/\u00e9", "/%zz",
                   "/" + "a" * 1024, "javascript:alert(1)", "/a#b"):
            reply = browser.ask("GET", "/tools/x/login?to=" +
                                urllib.parse.quote(to, safe=""))
            refused(reply, 400, "BAD_FORMAT", "to %r" % to)
        refused(browser.ask("GET", "/tools/x/login?to=/&to=/"), 400, "BAD_FORMAT", "twice")
        for to in ("/", TOOL, TOOL + "?a=%20&b=//x", "/" + "a" * 1023):
            same(browser.sign_in(to).headers["Location"], mica.origin + "/tools/x" + to, to)


def below_a_path(given):
    """Below a base path the cookie stays there."""
    with pair(given, "--base-path", "/tools/x", base="/tools/x") as (mica, browser, _):
        page = browser.get("/tools/x" + TOOL)
        need('href="/tools/x/login?to=%2Ftools%2Fpercentage-calculator"' in page.text,
             page.text)
        reply = browser.sign_in()
        need(any("; Path=/tools/x; HttpOnly" in line for line in reply.cookies),
             reply.cookies)
        page = browser.get("/tools/x" + TOOL)
        need('action="/tools/x/logout"' in page.text, page.text)
        same(browser.call().status, 200, "a call")
        need(any("Max-Age=0" in line and "Path=/tools/x;" in line
                 for line in browser.out().cookies), "it goes")


def https(given):
    """Over https the cookie has a prefix that no other host can write."""
    for base, name in (("", "__Host-mica"), ("/tools/x", "__Secure-mica")):
        issuer = Issuer()
        public = "https://mcp.example" + base
        with pair(given, "--allow-host", "mcp.example", issuer=issuer, public=public,
                  base=base) as (mica, browser, _):
            mica.origin = "https://mcp.example"
            browser.headers = {"Host": "mcp.example"}
            reply = browser.sign_in()
            same(reply.headers["Location"], public + TOOL, "back")
            same(set(browser.cookies), {name}, "its name")
            need(any(line.startswith(name + "=") and line.endswith(
                "; Path=%s; HttpOnly; SameSite=Lax; Secure" % (base or "/"))
                     for line in reply.cookies), reply.cookies)
            same(browser.call().status, 200, "a call")
            same(browser.call(Origin="http://mcp.example").status, 403, "over http")


NGINX = """
daemon off; master_process off; error_log %(folder)s/error.log; pid %(folder)s/pid;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path %(folder)s/body; proxy_temp_path %(folder)s/proxy;
  fastcgi_temp_path %(folder)s/fastcgi; uwsgi_temp_path %(folder)s/uwsgi;
  scgi_temp_path %(folder)s/scgi;
  server {
    listen 127.0.0.1:%(port)d;
    location /tools/x/ {
      proxy_pass http://127.0.0.1:%(mica)d/; proxy_http_version 1.1;
      proxy_set_header Host $http_host;
    }
    location / { return 404; }
  }
}
"""


def behind_nginx(given):
    """A proxy shows the server at a prefix, which --public-url says."""
    program = program_of("nginx")
    need(program, "nginx is installed; scripts/packages test installs it")
    front = Reserved()
    origin = "http://127.0.0.1:%d" % front.number
    with pair(given, public=origin + "/tools/x", base="/tools/x") as (mica, _, issuer):
        mica.origin = origin
        config = os.path.join(mica.folder.name, "nginx")
        with open(config, "w", encoding="ascii") as file:
            file.write(NGINX % {"folder": mica.folder.name, "port": front.number,
                                "mica": mica.port.number})
        nginx = subprocess.Popen([program, "-c", config, "-e", config + ".log"],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        try:
            browser = Browser(mica, issuer, port=front.number)
            until = time.monotonic() + PATIENCE
            while True:
                try:
                    page = browser.get("/tools/x" + TOOL)
                    break
                except OSError:
                    need(time.monotonic() < until, "nginx does not start")
                    time.sleep(0.05)
            refused(page, 401, "UNAUTHORIZED", "a page")
            same(browser.sign_in().headers["Location"], origin + "/tools/x" + TOOL, "back")
            same(browser.get("/tools/x" + TOOL).status, 200, "the page")
            same(browser.call().status, 200, "a call")
            same(browser.out().status, 200, "out")
            refused(browser.get("/tools/x" + TOOL), 401, "UNAUTHORIZED", "afterwards")
        finally:
            nginx.terminate()
            nginx.wait(PATIENCE)
            front.release()


def too_many(given):
    """A person has 16 logins, of which the oldest goes; all people together 1024."""
    with pair(given, login={"scopes": ["mcp:tools"]}) as (mica, browser, issuer):
        signed = {}

        def grant(person, resource, *_):
            if person not in signed:
                signed[person] = tokens.token(json.dumps({
                    "iss": issuer.url, "sub": person, "aud": resource,
                    "exp": int(time.time()) + 3600}))
            return {"token_type": "Bearer", "access_token": signed[person]}

        issuer.grant = grant
        first = Browser(mica, issuer)
        first.sign_in(person="ada")
        for _ in range(OF_ONE - 1):
            browser.sign_in(person="ada")
        same(first.get(TOOL).status, 200, "the first of 16")
        kept = dict(browser.cookies)
        browser.sign_in(person="ada")
        same([first.get(TOOL).status, browser.get(TOOL).status], [200, 200],
             "of 17 the one that was used goes last")
        for count in range(LOGINS - OF_ONE):
            browser.sign_in(person="p%d" % (count // OF_ONE))
        browser.begin()
        refused(browser.back(issuer.authorize(browser.begin(), "last")), 503,
                "TOO_MANY_LOGINS", "one too many")
        same(first.get(TOOL).status, 200, "the others stay")
        same(first.out().status, 200, "one goes")
        browser.sign_in(person="last")
        same(browser.get(TOOL).status, 200, "and has made room")
        need(kept, "cookies")


def issuer_is_away(given):
    """What an issuer does wrong is a page that says what to do, and delays no other request."""
    with pair(given) as (mica, browser, issuer):
        issuer.end()
        reply = browser.get("/login")
        refused(reply, 502, "LOGIN_FAILED", "an issuer that is not there")
        need("does not say how to sign in" in reply.text and ">Sign in<" in reply.text,
             reply.text)
    with pair(given) as (mica, browser, issuer):
        issuer.methods = ["plain"]
        reply = browser.get("/login")
        refused(reply, 502, "LOGIN_FAILED", "an issuer without S256")
        need("S256" in reply.text, reply.text)
    with pair(given) as (mica, browser, issuer):
        issuer.secret = "another"
        reply = browser.back(issuer.authorize(browser.begin(), "ada"))
        refused(reply, 502, "LOGIN_FAILED", "a wrong secret")
        need("invalid_client" in reply.text, reply.text)
    with pair(given) as (mica, browser, issuer):
        address = issuer.authorize(browser.begin(), "ada")
        issuer.slow_s = 7  # mica waits 10 s for it
        thread = threading.Thread(target=lambda: browser.back(address))
        thread.start()
        time.sleep(0.5)
        begun = time.monotonic()
        same(mica.ask("GET", "/healthz").status, 200, "its health")
        same(mica.ask("GET", TOOL).status, 401, "a page")
        need(time.monotonic() - begun < 5, "others wait for the issuer")
        thread.join()
        same(browser.get(TOOL).status, 200, "signed in at last")


def ends(given):
    """A server that is told to end lets a sign-in finish, and waits for no second one."""
    issuer = Issuer()
    with Mica(given, issuer) as mica:
        browsers = [Browser(mica, issuer) for _ in range(2)]
        addresses = [issuer.authorize(browser.begin(), "ada") for browser in browsers]
        token, delays = issuer.token, iter((7, 15))

        def slow(form):
            time.sleep(next(delays))
            return token(form)

        issuer.token = slow
        replies = {}
        threads = [threading.Thread(target=lambda i=i: replies.update(
            {i: browsers[i].back(addresses[i]).status})) for i in range(2)]
        for thread in threads:
            thread.start()
            time.sleep(1)
            mica.ask("GET", "/healthz")  # what came before it is taken
        begun = time.monotonic()
        mica.process.terminate()
        same(mica.process.wait(PATIENCE), 0, mica.said())
        # 10 s and its end; with the second, for which mica would wait 10 s more than 7, 15 s.
        need(time.monotonic() - begun < 14.5, "it waits for the issuer")
        for thread in threads:
            thread.join()
        same(replies, {0: 303, 1: 504}, "who was signing in")
    issuer.end()


def without_login(given):
    """A file without `login` is as before."""
    issuer = Issuer()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "auth.json"
        for login, what in (({"client_id": "x", "client_secret_env": "NO_SUCH_SECRET"},
                             "NO_SUCH_SECRET"),
                            ({"client_id": "x", "client_secret_file": "auth.json"},
                             "chmod 600"),
                            ({"client_id": "x", "issuer": "https://other.example"},
                             "not one of the issuers"),
                            ({"client_id": ""}, "client_id"),
                            ({"client_id": "x", "color": "red"}, "color")):
            path.write_text(json.dumps({
                "resource": "http://127.0.0.1:1/mcp", "login": login,
                "issuers": [{"issuer": issuer.url, "jwks": issuer.url + "/jwks"}]}),
                            encoding="utf-8")
            path.chmod(0o644)
            done = subprocess.run([given.mica, "serve", "--listen", "127.0.0.1:0", "--engines",
                                   given.engines, "--auth", str(path)], timeout=PATIENCE,
                                  capture_output=True, text=True, check=False)
            need(done.returncode != 0 and what in done.stderr, (what, done.stderr))
    issuer.end()


CASES = (too_many, issuer_is_away, ends, expires,  # the longest
         signs_in, apps, one_browser, wrong_issuer, refreshes, signs_out, forged, host_page,
         bearers_only, open_redirect, below_a_path, https, behind_nginx, without_login)


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--mica", required=True)
    words.add_argument("--engines", required=True)
    words.add_argument("only", nargs="*")
    given = words.parse_args()
    cases = [case for case in CASES if not given.only or case.__name__ in given.only]
    print("TAP version 13\n1..%d" % len(cases), flush=True)

    def tried(case):
        try:
            case(given)
        except Exception as error:  # noqa: BLE001 - a test that breaks has failed
            return (str(error) if isinstance(error, Failure)
                    else traceback.format_exc()) or "It failed."
        return None

    for number, case, wrong in outcomes(cases, tried):
        print("%s %d - %s" % ("not ok" if wrong else "ok", number,
                              case.__doc__.split("\n")[0]))
        print("".join("# %s\n" % line for line in (wrong or "").splitlines()[-25:]),
              end="", flush=True)


if __name__ == "__main__":
    main()

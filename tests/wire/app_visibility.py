#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who may call a published app: each visibility by each kind of credential, on each route of
an app, loaded or not, against the answer of a slug that no app has; prints TAP.

    app_visibility.py --mica build/mica --engines build/engines
"""
import argparse
import http.client
import json
import os
import re
import sys
import tempfile
import threading
import time
import traceback

import tokens
from issuer import Issuer
from login import PAGE, PATIENCE, Browser, Failure, Mica, need, same
from together import outcomes

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "visibility", "version": "1"}}
MCP = {"Accept": "application/json, text/event-stream"}
MODERN = dict(MCP, **{"Mcp-Method": "tools/list", "MCP-Protocol-Version": "2026-07-28"})
LIST = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/list",
                   "params": {"_meta": META}})
CALL = json.dumps({"message": "Where is it?"})
SITE = {"Sec-Fetch-Site": "same-origin"}
# (method, path below the app, headers, body, whether a cookie counts)
ROUTES = [("POST", "/mcp", MODERN, LIST, False),
          ("GET", "/api", {}, None, True),
          ("POST", "/api/get_help", SITE, CALL, True),
          ("GET", "/openapi.json", {}, None, True),
          ("GET", "/ui/card.html", {}, None, True),
          ("GET", "/host", PAGE, None, True),
          ("POST", "/host/rpc", dict(MODERN, **SITE), LIST, True),
          ("POST", "/host/form", SITE, '{"type": "object"}', True),
          ("GET", "/host/sandbox", {}, None, True),
          ("GET", "", PAGE, None, True)]
# The same for methods and paths beside those: (method, path, headers, body, whether a cookie
# counts, what a caller is answered who may call the app).
SESSION = {"Mcp-Session-Id": "A" * 43, "MCP-Protocol-Version": "2025-11-25"}
HELLO = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
    "protocolVersion": "2025-11-25", "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"}}})
MORE = [("POST", "/mcp", MCP, HELLO, False, 200),
        ("GET", "/mcp", {"Accept": "text/event-stream", **SESSION}, None, False, 404),
        ("DELETE", "/mcp", SESSION, None, False, 404),
        ("PUT", "/mcp", MCP, LIST, False, 405),
        ("POST", "/mcp", dict(MODERN, **{"Mcp-Method": "server/discover"}),
         LIST.replace("tools/list", "server/discover"), False, 200),
        ("POST", "/mcp", dict(MODERN, **{"Mcp-Method": "resources/list"}),
         LIST.replace("tools/list", "resources/list"), False, 200),
        ("POST", "/mcp", dict(MODERN, **{"Mcp-Method": "none"}),
         LIST.replace("tools/list", "none"), False, 404),
        ("POST", "/mcp", MODERN, "no JSON", False, 400),
        ("GET", "/api/get_help", {}, None, True, 405),
        ("POST", "/api/none", SITE, CALL, True, 404),
        ("POST", "/api/get_help", SITE, "{}", True, 422),
        ("GET", "/api/calls/" + "A" * 22, {}, None, True, 404),
        ("DELETE", "/api/calls/" + "A" * 22, SITE, None, True, 404),
        ("GET", "/ui/list.html", {}, None, True, 404),
        ("GET", "/ui/card.html?data=mock", {}, None, True, 200),
        ("HEAD", "/ui/card.html", {}, None, True, 200),
        ("POST", "/ui/card.html", SITE, "{}", True, 405),
        ("HEAD", "/host", {}, None, True, 200),
        ("POST", "/host", SITE, "{}", True, 405),
        ("GET", "/host/rpc", {}, None, True, 405),
        ("POST", "/host/rpc", dict(MODERN, **SITE, **{"Mcp-Method": "none"}),
         LIST.replace("tools/list", "none"), True, 404),
        ("POST", "/host/form", SITE, "no JSON", True, 400),
        ("GET", "/host/sandbox?csp=none", {}, None, True, 400),
        ("HEAD", "", {}, None, True, 200),
        ("POST", "", SITE, "{}", True, 405),
        ("GET", "/sse", {"Accept": "text/event-stream"}, None, False, 200),
        ("POST", "/messages?session=" + "A" * 43, MCP, LIST, False, 404)]
VISIBILITIES = ("public", "token", "scope")
ROUTES_C = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "http",
                        "routes.c")
WELL_KNOWN = "/.well-known/oauth-protected-resource"


class Site:
    """A server with apps, its issuer, and a person's browser."""

    def __init__(self, options, *words, scopes="openid mcp:tools"):
        self.issuer, self.folder, self.count = Issuer(), tempfile.TemporaryDirectory(), 0
        self.mica = Mica(options, self.issuer, "--store", "sqlite:" +
                         os.path.join(self.folder.name, "store.db"), *words,
                         login={"scopes": scopes.split()})
        self.owner = self.token("apps:write")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        try:
            self.mica.__exit__(*error)
        finally:
            self.issuer.end()
            self.folder.cleanup()

    def token(self, scope="", person="ada", **claims):
        return tokens.token(json.dumps({
            "iss": self.issuer.url, "aud": self.mica.origin + "/mcp", "sub": person,
            "exp": int(time.time()) + 600, "scope": scope, **claims}))

    def api(self, path, body, method="POST"):
        reply = self.mica.ask(method, "/api/apps" + path, json.dumps(body),
                              {"Authorization": "Bearer " + self.owner, "If-Match": "*"})
        need(reply.status in (200, 201), reply.text)
        return json.loads(reply.text)

    def publish(self, visibility, **members):
        """The slug of a new app, which is not loaded."""
        self.count += 1
        more = {"scope": "orders"} if visibility == "scope" else {}
        slug = self.api("", dict(
            more, name="App %04d" % self.count, visibility=visibility,
            toolName="get_help", toolDescription="Answers questions of customers about "
            "orders. Use when a customer asks for help. Requires the question.",
            **members))["mcpSlug"]
        self.api("/%s/publish" % slug, {})
        return slug

    def absent(self):
        """A slug that no app has, as long as those of apps."""
        self.count += 1
        return "off-%04d" % self.count

    def ask(self, slug, route, headers, browser=None):
        method, path, own, body, _ = route
        asker = browser or self.mica
        return asker.ask(method, "/servers/%s%s" % (slug, path), body, {**own, **headers})


def bytes_of(reply, slug):
    """All of an answer but the date, with SLUG for the slug."""
    head = sorted((name.lower(), value.replace(slug, "SLUG"))
                  for name, value in reply.headers.items()
                  if name.lower() not in ("date", "content-length"))
    return reply.status, head, reply.text.replace(slug, "SLUG")


def bearer(text):
    return {"Authorization": "Bearer " + text}


def credentials(site):
    """Headers by name; and what each visibility answers them."""
    return {"none": ({}, (200, 401, 404)),
            "bad": (bearer("nonsense"), (401, 401, 401)),
            "another scheme": ({"Authorization": "Basic eDp5"}, (401, 401, 401)),
            "expired": (bearer(site.token(exp=1)), (401, 401, 401)),
            "forged": (bearer(site.token("orders", forged=True)), (401, 401, 401)),
            "for another server": (bearer(site.token(aud="https://other.example")),
                                   (401, 401, 401)),
            "malformed": (bearer("a b"), (400, 400, 400)),
            "valid": (bearer(site.token("other")), (200, 200, 404)),
            "with the scope": (bearer(site.token("other orders")), (200, 200, 200))}


# ---- The cases -----------------------------------------------------------------------


def check(site, route, visibility, name, headers, wanted, browser=None):
    """One field of the matrix: at first the app is not loaded, then it is."""
    slug, absent = site.publish(visibility), site.absent()
    what = (visibility, name, route[:2])
    none = site.ask(absent, route, headers, browser)
    first = site.ask(slug, route, headers, browser)
    same(first.status, wanted, (what, first.text[:300]))
    site.ask(slug, ROUTES[0], bearer(site.token("orders")))  # it is loaded, in any case
    second = site.ask(slug, route, headers, browser)
    if wanted == 200:
        same(second.status, 200, (what, "loaded"))
        same(none.status, 404, (what, "absent"))
        return
    same(bytes_of(second, slug), bytes_of(first, slug), (what, "loaded"))
    again = site.ask(absent, route, headers, browser)
    same(bytes_of(again, absent), bytes_of(none, absent), (what, "absent, again"))
    if wanted == 401 and visibility == "token" and name in ("none", "cookie"):
        same(none.status, 404, what)
        same(first.headers["WWW-Authenticate"],
             'Bearer resource_metadata="%s%s/servers/%s/mcp"' % (
                 site.mica.origin, WELL_KNOWN, slug), what)
    else:
        same(bytes_of(first, slug), bytes_of(none, absent), (what, "as absent"))


def matrix(options):
    """Each visibility answers each token on each route as it should, loaded or not."""
    with Site(options) as site:
        for name, (headers, wanted) in credentials(site).items():
            for visibility, status in zip(VISIBILITIES, wanted):
                for route in ROUTES:
                    check(site, route, visibility, name, headers, status)


def cookies(options):
    """A person who is signed in is known where cookies count, and nowhere else."""
    for scopes, counted in (("openid mcp:tools", (200, 200, 404)),
                            ("openid mcp:tools orders", (200, 200, 200))):
        with Site(options, scopes=scopes) as site:
            browser = Browser(site.mica, site.issuer, {"Origin": site.mica.origin})
            browser.sign_in("/")
            for route in ROUTES:
                wanted = counted if route[4] else (200, 401, 404)
                for visibility, status in zip(VISIBILITIES, wanted):
                    check(site, route, visibility, "cookie", {}, status, browser)
            # A cookie of a login that has ended does not count.
            browser.cookies = {name: "A" * 43 for name in browser.cookies}
            for route in ROUTES:
                for visibility, status in zip(VISIBILITIES, (200, 401, 404)):
                    check(site, route, visibility, "cookie", {}, status, browser)


def table():
    """The rows of the table of routes: (path or None, the words of its reach)."""
    with open(ROUTES_C, encoding="utf-8") as file:
        text = re.search(r"routes\[\] = \{\n(.*?)\n\};", file.read(), re.S).group(1)
    rows = re.findall(r"\{(.*?)\.answer = \w+\}", re.sub("//.*", "", text), re.S)
    same(len(rows), text.count(".answer ="), "rows that this reads")
    need(rows, "no rows")
    found = []
    for row in rows:
        path = re.search(r'PATH\("([^"]*)"\)|\.path = "([^"]*)"', row)
        reach = re.search(r"\.reach = ([^,]*)", row)
        found.append((None if path is None else path.group(1) or path.group(2) or "",
                      re.findall(r"MICA_ROUTE_(\w+)", reach.group(1)) if reach else []))
    return found


def rows(options):
    """Each row of the table of routes that an app has is in the matrix, and below an app
    there is no other: its path there is that of no app, for every caller."""
    below = {route[1].partition("?")[0] for route in ROUTES + MORE}
    of_apps, others = set(), set()
    for path, reach in table():
        if {"OF_APP", "OF_ENDPOINT"} & set(reach):
            of_apps.add(path)
            need(path in below or any(one.startswith(path + "/") for one in below if path),
                 "no test asks an app for %r: add it to ROUTES or MORE" % path)
        elif path:
            others.add(path)
    same(of_apps, {"/mcp", "/api", "/openapi.json", "/ui", "", "/sse", "/messages", "/host",
                   "/host/rpc", "/host/form", "/host/sandbox"},
         "what apps have; say in docs/app-api.md who may call a new one")
    with Site(options) as site:
        slug, absent = site.publish("public"), site.absent()
        site.ask(slug, ROUTES[0], {})
        who = bearer(site.token("orders"))
        for path in sorted(others - of_apps | {WELL_KNOWN, "/builder/mcp", "/none"}):
            if path.startswith("/api/"):
                continue  # what is below /api is the API of the app
            for headers in ({}, who, {**who, **PAGE}):
                answers = [bytes_of(site.mica.ask("GET", "/servers/%s%s" % (one, path), None,
                                                  headers), one)
                           for one in (slug, absent)]
                same(answers[0], answers[1], path)
                same(answers[0][0], 404 if headers else 401, (path, headers))


def status_of(site, slug, route, headers, browser=None):
    """The status, and the whole answer unless it is an open stream."""
    if not (route[0] == "GET" and route[1] == "/sse"):
        reply = site.ask(slug, route[:5], headers, browser)
        return reply.status, bytes_of(reply, slug), reply
    connection = http.client.HTTPConnection("127.0.0.1", site.mica.port.number, timeout=20)
    try:
        connection.request("GET", "/servers/%s/sse" % slug, None, {**route[2], **headers})
        reply = connection.getresponse()
        reply.text = "" if reply.status == 200 else reply.read().decode()
        return reply.status, bytes_of(reply, slug), reply
    finally:
        connection.close()


def persons(site):
    """Headers of people with a role in the app, and of a stranger; whether with the scope."""
    for person in ("ada", "erin", "vic", "mallory"):  # owner, editor, viewer, stranger
        for scope in ("apps:write", "apps:write orders"):
            yield (person, scope), bearer(site.token(scope, person)), "orders" in scope


def methods(options):
    """Every other method and path of an app: a caller that may not call it gets what a slug gets
    that no app has. No role in the record of an app makes a caller of it."""
    with Site(options, "--http-sse") as site:
        apps = {}
        for visibility in VISIBILITIES:
            apps[visibility] = site.publish(visibility, roles={"editors": ["erin"],
                                                               "viewers": ["vic"]})
        absent = site.absent()
        asked = [(name, headers, wanted) for name, (headers, wanted)
                 in credentials(site).items()]
        asked += [(name, headers, (200, 200, 200 if scope else 404))
                  for name, headers, scope in persons(site)]
        for route in MORE + [one + (200,) for one in ROUTES]:
            for name, headers, wanted in asked:
                none = status_of(site, absent, route, headers)
                for visibility, status in zip(VISIBILITIES, wanted):
                    what = (visibility, name, route[:2])
                    got = status_of(site, apps[visibility], route, headers)
                    if status == 200:
                        same(got[0], route[5], (what, got[1]))
                        need(got[1] != none[1], (what, "as absent"))
                    elif status == 401 and visibility == "token" and name == "none":
                        same(got[0], 401, what)
                        need(WELL_KNOWN in got[2].headers["WWW-Authenticate"], what)
                    else:
                        same(got[0], none[0], what)
                        same(got[1], none[1], (what, "as absent"))
                        same(got[0], status, what)


MAPPED = {"type": "tool", "tool": "scoped_probe",
          "arguments": {"/order": {"pointer": "/message"}},
          "data": {"/title": {"pointer": "/order"}, "/subtitle": {"pointer": "/caller"}}}


def scopes(options):
    """A caller needs the scopes of the app and of the tool that it runs, over MCP with and
    without a session and over HTTP; what lacks is named, and the tool runs for the caller."""
    with Site(options, "--tools", options.tools) as site:
        draft = dict(name="Not hers", behavior=MAPPED, toolName="get_help", propose=True,
                     description="Answers questions of customers about orders.")
        slug = site.api("", draft)["mcpSlug"]
        refused = site.mica.ask("POST", "/api/apps/%s/publish" % slug, "{}",
                                bearer(site.owner))
        error = json.loads(refused.text)["error"]
        same((refused.status, error["code"], error["details"]["path"]),
             (422, "INVALID_CONFIG", "/behavior/tool"), error)
        site.owner = site.token("apps:write orders.read")
        for visibility, wanted in (("public", (403, 403, 403, 200, 200)),
                                   ("token", (401, 403, 403, 200, 200)),
                                   ("scope", (404, 404, 403, 404, 200))):
            slug = site.publish(visibility, behavior=MAPPED)
            for scope, status in zip((None, "", "orders", "orders.read",
                                      "orders orders.read"), wanted):
                who = {} if scope is None else bearer(site.token(scope, "bob"))
                for reply in calls_of(site, slug, who, status):
                    what = (visibility, scope, reply.text)
                    same(reply.status, status, what)
                    challenge = reply.headers.get("WWW-Authenticate", "")
                    if status == 403:
                        need('error="insufficient_scope", scope="orders.read"' in challenge and
                             WELL_KNOWN + "/servers/%s/mcp" % slug in challenge, challenge)
                        need("INSUFFICIENT_SCOPE" in reply.text, what)
                    same("bob" in reply.text, status == 200, what)


def calls_of(site, slug, who, status):
    """The call of the app in each way; a session can begin where the app is there at all."""
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call",
            "params": {"name": "get_help", "arguments": {"message": "7"}}}
    path = "/servers/%s" % slug
    yield site.mica.ask("POST", path + "/mcp", json.dumps(dict(
        call, params=dict(call["params"], _meta=META))), dict(
            MODERN, **{"Mcp-Method": "tools/call", "Mcp-Name": "get_help"}, **who))
    reply = site.mica.ask("POST", path + "/api/get_help", CALL, dict(SITE, **who))
    if status != 200:
        same(set(json.loads(reply.text)), {"error"}, reply.text)
    yield reply
    if status in (200, 403):
        headers = session(site, slug, who)
        yield site.mica.ask("POST", path + "/mcp", json.dumps(call),
                            {**MCP, **headers, **who})


def people(options):
    """A page that needs a login offers one, and leads back; so does the page of no app."""
    with Site(options) as site:
        for slug in (site.publish("token"), site.publish("scope"), site.absent()):
            reply = site.mica.ask("GET", "/servers/" + slug, headers=PAGE)
            need('/login?to=%%2Fservers%%2F%s"' % slug in reply.text or
                 '/login?to=/servers/%s"' % slug in reply.text, reply.text)


def preflights(options):
    """Browsers ask without a token whether they may send one, and learn no slug."""
    with Site(options, "--allow-origin", "https://chat.example") as site:
        headers = {"Origin": "https://chat.example",
                   "Access-Control-Request-Method": "POST",
                   "Access-Control-Request-Headers": "authorization"}
        for path in ("/mcp", "/api", "/api/get_help", "/openapi.json", "/ui/card.html", "/host",
                     "/host/rpc", "/host/sandbox", ""):
            answers = set()
            for slug in [site.publish(one) for one in VISIBILITIES] + [site.absent()]:
                for _ in range(2):
                    reply = site.mica.ask("OPTIONS", "/servers/" + slug + path, None,
                                          headers)
                    answers.add(json.dumps(bytes_of(reply, slug)))
            same(len(answers), 1, (path, answers))
            if path in ("/mcp", "/api/get_help"):
                same(reply.status, 204, path)
                need("authorization" in
                     reply.headers["Access-Control-Allow-Headers"].lower(), path)


def session(site, slug, headers):
    reply = site.mica.ask("POST", "/servers/%s/mcp" % slug, json.dumps({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                   "clientInfo": {"name": "test", "version": "1"}}}), {**MCP, **headers})
    same(reply.status, 200, reply.text)
    return {"Mcp-Session-Id": reply.headers["Mcp-Session-Id"],
            "MCP-Protocol-Version": "2025-11-25"}


def sessions(options):
    """A client with a token cannot use an anonymous client's session, and the reverse."""
    with Site(options) as site:
        slug, other = site.publish("public"), site.publish("public")
        ada, bob = bearer(site.token()), bearer(site.token(person="bob"))
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        for who, others in (({}, (ada, bob)), (ada, ({}, bob))):
            headers = session(site, slug, who)

            def status(at, credential, sent=headers):
                return site.mica.ask("POST", "/servers/%s/mcp" % at, body,
                                     {**MCP, **sent, **credential}).status
            same(status(slug, who), 200, "its own")
            same([status(slug, one) for one in others], [404, 404], "another's")
            same(status(other, who), 404, "at another app")


LISTEN = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen",
                     "params": {"_meta": META,
                                "notifications": {"toolsListChanged": True}}})


class Stream:
    """An open stream of an app, which a thread reads to its end."""

    def __init__(self, site, slug, kind, who):
        method, path, body = "GET", "/servers/%s/mcp" % slug, None
        headers = {"Accept": "text/event-stream", **who}
        if kind == "listen":
            method, body = "POST", LISTEN
            headers.update({**MODERN, "Mcp-Method": "subscriptions/listen"})
            headers["Content-Type"] = "application/json"
        elif kind == "session":
            headers.update(session(site, slug, who))
        else:
            path = "/servers/%s/sse" % slug
        self.connection = http.client.HTTPConnection(
            "127.0.0.1", site.mica.port.number, timeout=30)
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        same(response.status, 200, (kind, "a stream"))
        self.ended = threading.Event()
        threading.Thread(target=self.read, args=[response], daemon=True).start()

    def read(self, response):
        try:
            response.read()
        except (http.client.HTTPException, OSError):
            pass  # it has ended, too
        self.ended.set()


def streams(options):
    """A stream of an anonymous client stays open, and one of a token ends with it."""
    with Site(options) as site:
        slug = site.publish("public")
        anonymous = Stream(site, slug, "session", {})
        ends = int(time.time()) + 8  # its session and its stream begin before
        stream = Stream(site, slug, "session", bearer(site.token(exp=ends)))
        need(stream.ended.wait(PATIENCE), "the stream of a token that has ended stays open")
        need(time.time() >= ends, "the stream ended before its token")
        time.sleep(1)
        need(not anonymous.ended.is_set(), "the stream of an anonymous client ended")


def narrowing(options):
    """An app that needs more than before ends the streams of callers who may not call it any
    more, within a second, and no others."""
    with Site(options, "--http-sse") as site:
        slug, other = site.publish("public"), site.publish("public")
        people = {"none": {}, "token": bearer(site.token("other")),
                  "scope": bearer(site.token("other orders"))}
        streams = {(kind, name): Stream(site, slug, kind, who)
                   for kind in ("listen", "session", "sse")
                   for name, who in people.items()}
        beside = Stream(site, other, "listen", {})
        open_ones = set(people)
        for change, admitted in (({"description": "an edit"}, open_ones),
                                 ({"visibility": "token"}, {"token", "scope"}),
                                 ({"visibility": "scope", "scope": "orders"}, {"scope"}),
                                 ({"scope": "admin"}, set())):
            site.api("/" + slug, change, "PATCH")
            time.sleep(0.4)  # a draft ends none
            for (kind, name), stream in streams.items():
                same(stream.ended.is_set(), name not in open_ones, (change, kind, name))
            site.api("/%s/publish" % slug, {})
            limit = time.monotonic() + PATIENCE  # a second, on a machine that is not busy
            for (kind, name), stream in streams.items():
                if name not in admitted:
                    need(stream.ended.wait(max(0, limit - time.monotonic())),
                         (change, kind, name))
            time.sleep(0.4)
            for (kind, name), stream in streams.items():
                same(stream.ended.is_set(), name not in admitted, (change, kind, name))
            open_ones = admitted
        need(not beside.ended.is_set(), "a stream of another app")


def resources(options):
    """The metadata of a slug name it as the resource, whether there is such an app or not;
    a token for that resource counts there alone."""
    with Site(options) as site:
        slug, other = site.publish("token"), site.publish("token")
        said = set()
        for one in (slug, site.publish("scope"), site.absent()):
            reply = site.mica.ask("GET", WELL_KNOWN + "/servers/%s/mcp" % one)
            same(reply.status, 200, one)
            same(json.loads(reply.text)["resource"],
                 "%s/servers/%s/mcp" % (site.mica.origin, one), "the resource")
            said.add(json.dumps(bytes_of(reply, one)))
        same(len(said), 1, said)
        own = "%s/servers/%s/mcp" % (site.mica.origin, slug)
        route = ROUTES[0]
        for audience, wanted in ((own, (200, 401)), ([own], (200, 401)),
                                 (own + "x", (401, 401)), (own[:-4], (401, 401)),
                                 ([own, own.replace(slug, other)], (200, 200)),
                                 ([own, site.mica.origin + "/mcp"], (200, 200))):
            who = bearer(site.token(aud=audience))
            for _ in range(2):  # the second is remembered
                same(tuple(site.ask(at, route, who).status for at in (slug, other)), wanted,
                     audience)
            whole = isinstance(audience, list) and site.mica.origin + "/mcp" in audience
            same(site.mica.ask("GET", "/api", headers=who).status, 200 if whole else 401,
                 ("elsewhere", audience))
        # The other address of the same app is not hidden behind the cookie of a login.
        reply = site.mica.ask("GET", WELL_KNOWN + "/servers/UPPER/mcp")
        need(reply.status != 200, "no slug at all")


def changes(options):
    """What the owner changes holds from the next request on."""
    with Site(options) as site:
        slug, route = site.publish("public"), ROUTES[0]
        for visibility, wanted in (("token", 401), ("scope", 404), ("public", 200)):
            site.api("/" + slug, {"visibility": visibility,
                                  "scope": "orders" if visibility == "scope" else None},
                     "PATCH")
            site.api("/%s/publish" % slug, {})
            same(site.ask(slug, route, {}).status, wanted, visibility)
            same(site.ask(slug, route, bearer(site.token("orders"))).status, 200, visibility)


def rules(options):
    """Limits count an anonymous client by its address, apart from those with a token; the
    audit log has its address, and no name."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rules.json")
        log = os.path.join(folder, "audit.log")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"limits": [{"calls": 2, "seconds": 3600}],
                       "audit": {"file": log}}, file)
        with Site(options, "--rules", path) as site:
            slug, route = site.publish("public"), ROUTES[2]
            ada, bob = bearer(site.token()), bearer(site.token(person="bob"))
            got = [site.ask(slug, route, who).status
                   for who in ({}, {}, {}, ada, ada, ada, bob)]
            same(got, [200, 200, 429, 200, 200, 429, 200], "by caller")
        with open(log, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        same([(one.get("principal"), "address" in one) for one in lines][:4],
             [(None, True), (None, True), (None, True), ("ada", False)], "the log")


CASES = [rows, methods, matrix, scopes, cookies, people, preflights, sessions, streams,
         narrowing, resources, changes, rules]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mica", default="build/mica")
    parser.add_argument("--engines", default="build/engines")
    parser.add_argument("--tools", default="build/tests/wire/tools")
    parser.add_argument("only", nargs="*")
    options = parser.parse_args()
    options.mica = os.path.abspath(options.mica)
    options.engines = os.path.abspath(options.engines)
    options.tools = os.path.abspath(options.tools)
    cases = [case for case in CASES if not options.only or case.__name__ in options.only]
    print("1..%d" % len(cases))
    failed = 0

    def tried(case):
        try:
            case(options)
        except Exception as error:  # a case says what was wrong, and the next runs
            return str(error) if isinstance(error, Failure) else traceback.format_exc()
        return None

    for number, case, why in outcomes(cases, tried):
        failed += why is not None
        print("%s %d - %s" % ("ok" if why is None else "not ok", number,
                              " ".join(case.__doc__.split()).rstrip(".")))
        for line in (why or "").splitlines():
            print("# " + line)
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

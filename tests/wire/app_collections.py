#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Collections of published apps at a real server: what each caller sees of one, its members'
visibility, budgets and widgets, changes while clients listen, races for a tool name, and a
server that is killed in between; prints TAP.

    app_collections.py --mica build/mica --engines build/engines --tools build/tools
"""
import argparse
import concurrent.futures
import http.client
import itertools
import json
import os
import re
import signal
import sys
import tempfile
import threading
import time
import traceback

import app_api
import apps
from app_api import need, refused, same
from app_roles import COLLECTION_ROUTES, COLLECTION_TOOLS
from app_visibility import ROUTES, VISIBILITIES, Site, bearer, bytes_of, session
from login import PAGE
from together import outcomes, tell

ABOUT = ("Looks up what is there. Use when a person asks for it. Requires the number of the "
         "thing.")
SOON = 20  # a change is served within a second; the rest is for a busy machine


class Mica(app_api.Mica):
    """A server without tokens; `request` is what the clients of apps.py want."""

    def request(self, method, path, headers=None, body=None, patience=20):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience)
        sent = {"Accept": "application/json, text/event-stream"}
        if body is not None:
            sent["Content-Type"] = "application/json"
        sent.update(headers or {})
        connection.request(method, path, None if body is None else json.dumps(body), sent)
        return connection.getresponse()

    def app(self, name, tool=None, title=None, **members):
        """The slug of a new app; published, if it has a tool."""
        more = {"mockData": {"title": title or name}, "layoutTemplate": "card"}
        slug = self.made(name, **{**more, **members})
        if tool:
            self.publish(slug, tool)
        return slug

    def publish(self, slug, tool):
        reply = self.ask("POST", "/api/apps/%s/publish" % slug,
                         {"toolName": tool, "toolDescription": ABOUT})
        same(reply.status, 200, reply.text)

    def act(self, method, path, body=None):
        reply = self.ask(method, path, body)
        need(reply.status in (200, 201), reply.text)
        return reply.json

    def collect(self, name, *members):
        return self.act("POST", "/api/collections",
                        {"name": name, "members": members})["mcpSlug"]

    def tools(self, slug):
        """The names at a slug; None: nothing is there."""
        status, messages = apps.ask(self, "tools/list", slug)
        if status == 404:
            same(messages[-1]["error"]["data"]["code"], "APP_NOT_FOUND", messages)
            return None
        return [tool["name"] for tool in messages[-1]["result"]["tools"]]

    def title(self, slug, tool):
        found = apps.result(self, "tools/call", slug, name=tool,
                            arguments={"message": "Where is it?"})
        return found["structuredContent"]["title"]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(app_api.PATIENCE)


class Killed(Mica):
    """A server that is killed: how it ends is no failure."""

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()
        self.process.stdout.close()
        self.err.close()


def soon(what, wanted):
    """Waits until `what` gives that. A change that is missed is never served."""
    began = time.monotonic()
    while True:
        got = what()
        if got == wanted:
            return
        need(time.monotonic() - began < SOON, "%r, and not %r" % (got, wanted))
        time.sleep(0.02)


# ---- One endpoint ----------------------------------------------------------------------


def serving(options, folder):
    """A collection has the tools of its apps in their order, in each revision and over REST."""
    with Mica(options, folder) as mica:
        mica.app("Orders", "get_order", "An order")
        mica.app("Stock", "get_stock", "The stock")
        mica.app("Draft")
        slug = mica.collect("Front Desk", "stock", "draft", "orders")
        same(slug, "front-desk", "its slug")
        same(mica.tools(slug), ["get_stock", "get_order"], "its tools")
        same([mica.title(slug, tool) for tool in ("get_order", "get_stock")],
             ["An order", "The stock"], "each calls its app")
        for revision in ("2025-11-25", "2025-06-18", "2025-03-26"):
            older = apps.Session(mica, revision, slug)
            same(older.said["serverInfo"]["name"], "Front Desk", revision)
            listed = older.ask("tools/list")[1][-1]["result"]["tools"]
            same([tool["name"] for tool in listed], ["get_stock", "get_order"], revision)
            called = older.ask("tools/call", name="get_order",
                               arguments={"message": "x"})[1][-1]["result"]
            need("An order" in json.dumps(called), called)
        reply = mica.ask("POST", "/servers/%s/api/get_stock" % slug, {"message": "x"})
        same((reply.status, reply.json["title"]), (200, "The stock"), reply.text)
        paths = mica.ask("GET", "/servers/%s/openapi.json" % slug).json["paths"]
        need(len([path for path in paths if path.endswith("get_stock")]) == 1, paths)
        page = mica.ask("GET", "/servers/" + slug, headers=PAGE)
        same(page.status, 200, page.text)
        for words in ('href="stock"', 'href="orders"', "get_order", "Front Desk"):
            need(words in page.text, "the page lacks " + words)
        need("get_draft" not in page.text and 'href="draft"' not in page.text, "a draft")
        same(mica.ask("GET", "/servers/%s/ui/card.html" % slug).status, 404, "no widget")
        # Another tool of an app is unknown, and an app is still at its own address.
        status, messages = apps.ask(mica, "tools/call", slug, name="get_nothing",
                                    arguments={"message": "x"})
        same((status, messages[-1]["error"]["code"]), (200, -32602), messages)
        same(mica.title("orders", "get_order"), "An order", "by itself")


def widgets(options, folder):
    """Each tool names the widget of its app, which is read at the collection, each hash too."""
    with Mica(options, folder) as mica:
        mica.app("Orders", "get_order")
        mica.app("Stock", "get_stock", layoutTemplate="list", mockData={"items": []})
        slug = mica.collect("Desk", "orders", "stock")

        def read(uri):
            status, messages = apps.ask(mica, "resources/read", slug, uri=uri)
            return messages[-1].get("result", {}).get("contents", [{}])[0].get("text")
        uris = {}
        for tool in apps.result(mica, "tools/list", slug)["tools"]:
            uri = tool["_meta"]["openai/outputTemplate"]
            need(re.fullmatch(r"ui://widget/(orders|stock)\.html\?v=[0-9a-f]{16}", uri), uri)
            called = apps.result(mica, "tools/call", slug, name=tool["name"],
                                 arguments={"message": "x"})
            same(called["_meta"]["openai/outputTemplate"], uri, "the result names it, too")
            uris[tool["name"]] = uri
            need(read(uri).startswith("<!doctype html>"), uri)
            same(read(uri.split("?")[0]), read(uri), "the newest")
        listed = [one["uri"] for one in
                  apps.result(mica, "resources/list", slug)["resources"]]
        same(sorted(listed), sorted([*uris.values(),
                                     *(uri.split("?")[0] for uri in uris.values())]),
             "its resources")
        before = read(uris["get_order"])
        mica.act("PATCH", "/api/apps/orders",
                 {"themeVariables": {"--border-radius-md": "3px"}})
        mica.publish("orders", "get_order")
        now = apps.result(mica, "tools/list", slug)["tools"][0]["_meta"]
        need(now["openai/outputTemplate"] != uris["get_order"], "another widget")
        same(read(uris["get_order"]), before, "the earlier hash stays readable")
        mica.app("Alone", "get_alone")
        alone = apps.result(mica, "tools/list", "alone")["tools"][0]["_meta"]
        same(read(alone["openai/outputTemplate"]), None, "that of no member")


def behaviors(options, folder):
    """An app that runs a tool of the server does so in a collection, with progress."""
    tip = {"type": "tool", "tool": "tip-splitter",
           "arguments": {"/amount": {"pointer": "/context/amount"},
                         "/currency": {"value": "EUR"}},
           "data": {"/title": {"value": "The bill"}, "/facts/0/label": {"value": "Total"},
                    "/facts/0/value": {"pointer": "/total"}}}
    with Mica(options, folder) as mica:
        mica.app("Bill", "split_bill", behavior=tip)
        mica.app("Orders", "get_order")
        slug = mica.collect("Desk", "orders", "bill")
        status, messages = apps.ask(mica, "tools/call", slug, token=1, name="split_bill",
                                    arguments={"message": "x", "context": {"amount": 100}})
        same((status, messages[-1]["result"]["structuredContent"]["facts"][0]["value"]),
             (200, 115), messages)
        same([one["params"]["progress"] for one in messages[:-1]], [0, 50, 100], messages)
        _, messages = apps.ask(mica, "tools/call", slug, name="split_bill",
                               arguments={"message": "x", "context": {"amount": -1}})
        error = messages[-1]["result"]["_meta"]["mica/error"]
        same((error["code"], error["details"]["path"]),
             ("EXECUTION_ERROR", "/context/amount"), error)


# ---- Who may ---------------------------------------------------------------------------


class Desk:
    """A collection at a server with tokens, whose apps have those visibilities."""

    def __init__(self, site, visibilities):
        self.site, self.tools = site, {}
        slugs = [site.publish(one) for one in visibilities]
        for number, (slug, one) in enumerate(zip(slugs, visibilities)):
            tool = "get_%s_%d" % (one, number)
            site.api("/%s/publish" % slug, {"toolName": tool})
            self.tools[tool] = one
        reply = site.mica.ask("POST", "/api/collections", json.dumps({
            "name": "Desk", "members": slugs}), bearer(site.owner))
        need(reply.status == 201, reply.text)
        self.slug = json.loads(reply.text)["mcpSlug"]

    def listed(self, headers):
        reply = self.site.ask(self.slug, ROUTES[0], headers)
        if reply.status != 200:
            return reply.status
        return [tool["name"] for tool in json.loads(reply.text)["result"]["tools"]]

    def called(self, tool, headers):
        """Over MCP: True, or False for an unknown tool; and over REST its status."""
        route = ("POST", "/mcp", {**ROUTES[0][2], "Mcp-Method": "tools/call",
                                  "Mcp-Name": tool},
                 json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                     "name": tool, "arguments": {"message": "x"},
                     "_meta": json.loads(ROUTES[0][3])["params"]["_meta"]}}), False)
        said = json.loads(self.site.ask(self.slug, route, headers).text)
        rest = self.site.ask(self.slug, ("POST", "/api/" + tool, ROUTES[2][2], ROUTES[2][3],
                                         True), headers).status
        same(rest, 200 if "result" in said else 404, "REST says the same")
        if "error" in said:
            same(said["error"]["code"], -32602, said)
            need("nknown tool" in said["error"]["message"], said)
        return "result" in said


def visible(one, scopes):
    """Does a caller see a member? `scopes` None: it has no token."""
    return one == "public" or (scopes is not None and (one == "token" or "orders" in scopes))


def matrix(options, _):
    """Each mix of visibilities shows each caller its part, lists and calls alike; who may
    call nothing of it gets the answer of no slug, or is asked for a token."""
    with Site(options) as site:
        callers = [(None, {}), ("other", bearer(site.token("other"))),
                   ("orders", bearer(site.token("other orders")))]
        for mix in itertools.chain.from_iterable(
                itertools.combinations(VISIBILITIES, count) for count in (1, 2, 3)):
            desk, absent = Desk(site, mix), site.absent()
            for scopes, headers in callers:
                what = (mix, scopes)
                wanted = [tool for tool, one in desk.tools.items() if visible(one, scopes)]
                if wanted:
                    for _ in range(2):  # loaded or not
                        same(desk.listed(headers), wanted, what)
                    for tool in desk.tools:
                        same(desk.called(tool, headers), tool in wanted, (what, tool))
                    continue
                if scopes is None and "token" in mix:
                    same(desk.listed(headers), 401, what)
                    continue
                for route in ROUTES:
                    reply = site.ask(desk.slug, route, headers)
                    none = site.ask(absent, route, headers)
                    same(bytes_of(reply, desk.slug), bytes_of(none, absent), (what, route[:2]))


def widgets_of_others(options, _):
    """Who may not call an app reads its widget at no collection either."""
    with Site(options) as site:
        desk = Desk(site, ("public", "scope"))
        full = bearer(site.token("orders"))
        meta = json.loads(ROUTES[0][3])["params"]["_meta"]
        tools = json.loads(site.ask(desk.slug, ROUTES[0], full).text)["result"]["tools"]
        uris = [tool["_meta"]["openai/outputTemplate"] for tool in tools]

        def read(uri, headers):
            route = ("POST", "/mcp", {**ROUTES[0][2], "Mcp-Method": "resources/read",
                                      "Mcp-Name": uri},
                     json.dumps({"jsonrpc": "2.0", "id": 1, "method": "resources/read",
                                 "params": {"uri": uri, "_meta": meta}}), False)
            return "result" in json.loads(site.ask(desk.slug, route, headers).text)
        same([read(uri, full) for uri in uris], [True, True], "with the scope")
        for headers in ({}, bearer(site.token("other"))):
            same([read(uri, headers) for uri in uris], [True, False], "without")
            same(read(uris[1].split("?")[0], headers), False, "without a hash")
        page = site.mica.ask("GET", "/servers/" + desk.slug, headers=PAGE).text
        need("get_public_0" in page and "get_scope_1" not in page, "the page shows one")


def sessions(options, _):
    """A session shows its caller's part, which another caller cannot use."""
    with Site(options) as site:
        desk = Desk(site, ("public", "token"))
        ada = bearer(site.token())
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        for who, wanted in (({}, 1), (ada, 2)):
            headers = session(site, desk.slug, who)
            accept = {"Accept": "application/json, text/event-stream"}
            reply = site.mica.ask("POST", "/servers/%s/mcp" % desk.slug, body,
                                  {**accept, **headers, **who})
            same(len(json.loads(reply.text)["result"]["tools"]), wanted, reply.text)
            other = ada if not who else {}
            same(site.mica.ask("POST", "/servers/%s/mcp" % desk.slug, body,
                               {**accept, **headers, **other}).status, 404, "another's")


# ---- Calls that wait -------------------------------------------------------------------


SURVEY = {"type": "tool", "tool": "survey",
          "arguments": {"/subject": {"pointer": "/message"}},
          "data": {"/title": {"pointer": "/ending"}, "/facts/0/label": {"value": "Score"},
                   "/facts/0/value": {"pointer": "/score"}}}


class Waiting:
    """A call over REST and one in a session, each at its first question."""

    def __init__(self, server, slug, tool):
        self.server = server
        status, messages = apps.whole(server.request(
            "POST", "/servers/%s/api/%s" % (slug, tool), {"Accept": "application/json"},
            {"message": "tea"}))
        same(status, 202, messages)
        self.call = "/servers/%s/api/calls/%s" % (slug, messages[0]["id"])
        self.session = apps.Session(server, slug=slug, capabilities={"elicitation": {}})
        self.stream = apps.Stream(server.request("POST", self.session.path,
                                                 self.session.headers, {
            "jsonrpc": "2.0", "id": 5, "method": "tools/call",
            "params": {"name": tool, "arguments": {"message": "tea"}}}))
        apps.until(lambda: len(self.questions()) == 1)

    def questions(self):
        return [one for one in self.stream.events if one.get("method") == "elicitation/create"]

    def rest(self, method, body=None):
        return apps.whole(self.server.request(method, self.call,
                                              {"Accept": "application/json"}, body))

    def answer(self):
        return apps.whole(self.server.request("POST", self.session.path,
                                              self.session.headers, {
            "jsonrpc": "2.0", "id": self.questions()[0]["id"],
            "result": {"action": "accept", "content": {"score": 8}}}))

    def continues(self, what):
        same((self.rest("GET")[0], self.rest("POST", {})[0]), (200, 202), what)
        same(self.answer()[0], 202, what)
        apps.until(lambda: len(self.questions()) == 2)

    def is_over(self, what):
        for method, body in (("GET", None), ("POST", {}), ("DELETE", None)):
            status, messages = self.rest(method, body)
            same(status, 404, (what, method, messages))
            same(messages[0]["error"]["code"], "NOT_FOUND", (what, method))
        # Of a deleted app no server has the build: the answer is not taken, and the call ends
        # as every other that is stranded.
        same(self.answer()[0], 503 if what == "deleted" else 202, what)
        if what == "deleted":
            return
        need(self.stream.ended.wait(apps.PATIENCE), (what, self.stream.events))
        same(len(self.questions()), 1, what)
        need("NOT_FOUND" in json.dumps(self.stream.events[-1]), (what, self.stream.events[-1]))


def waiting(options, folder):
    """A call that waits for its client continues on the version that it began on, and no
    more once its app is not served at the collection."""
    with Mica(options, folder, "--engines", options.engines, "--tools", options.tools) as mica:
        slugs = [mica.app("Survey %d" % number, "ask_%d" % number, behavior=SURVEY)
                 for number in range(4)]
        desk = mica.collect("Desk", mica.app("Orders", "get_order"), *slugs)
        calls = [Waiting(mica, desk, "ask_%d" % number) for number in range(4)]
        mica.publish(slugs[0], "ask_again")
        soon(lambda: "ask_0" in rest_tools(mica, desk), False)
        calls[0].continues("published again")
        acts = (("unpublished", "POST", "/api/apps/%s/unpublish" % slugs[1], {}),
                ("taken out", "DELETE", "/api/collections/desk/apps/" + slugs[2], None),
                ("deleted", "DELETE", "/api/apps/" + slugs[3], None))
        for number, (what, method, path, body) in enumerate(acts, 1):
            mica.act(method, path, body)
            soon(lambda: "ask_%d" % number in rest_tools(mica, desk), False)
            calls[number].is_over(what)


def rest_tools(mica, slug):
    return mica.ask("GET", "/servers/%s/api" % slug).text


def narrowed(options, _):
    """Who began a call continues it only while it may call the app."""
    with Site(options, "--tools", options.tools) as site:
        slug = site.publish("public", behavior=SURVEY)
        site.api("/%s/publish" % slug, {"toolName": "ask_it"})
        members = [slug, site.publish("public")]
        site.mica.ask("POST", "/api/collections", json.dumps({
            "name": "Desk", "members": members}), bearer(site.owner))
        server = Client(site)
        first, second = (Waiting(server, "desk", "ask_it") for _ in range(2))
        first.continues("public")
        site.api("/" + slug, {"visibility": "scope", "scope": "orders"}, "PATCH")
        site.api("/%s/publish" % slug, {})
        soon(lambda: "ask_it" in site.mica.ask("GET", "/servers/desk/api").text, False)
        second.is_over("narrowed")


class Client:
    """What the clients of apps.py want of a site; without a token."""

    def __init__(self, site):
        self.site = site

    def request(self, method, path, headers=None, body=None, patience=20):
        connection = http.client.HTTPConnection("127.0.0.1", self.site.mica.port.number,
                                                timeout=patience)
        sent = {"Accept": "application/json, text/event-stream"}
        if body is not None:
            sent["Content-Type"] = "application/json"
        connection.request(method, path, None if body is None else json.dumps(body),
                           {**sent, **(headers or {})})
        return connection.getresponse()


# ---- Budgets ---------------------------------------------------------------------------


def budgets(options, folder):
    """A call counts against its own app, at whichever address it comes."""
    with Mica(options, folder) as mica:
        mica.app("Few", "get_few", budget={"callsPerDay": 3})
        mica.app("Many", "get_many")
        slug = mica.collect("Desk", "few", "many")

        def status(at, tool):
            return mica.ask("POST", "/servers/%s/api/%s" % (at, tool),
                            {"message": "x"}).status
        same([status(slug, "get_few"), status("few", "get_few"), status(slug, "get_few")],
             [200, 200, 200], "three calls")
        same([status(at, "get_few") for at in (slug, "few")], [429, 429], "at both")
        reply = mica.ask("POST", "/servers/%s/api/get_few" % slug, {"message": "x"})
        need(reply.headers["Retry-After"], reply.headers)
        same([status(slug, "get_many") for _ in range(4)], [200] * 4, "the other app")

        def calls(app):
            return mica.act("GET", "/api/apps/%s/usage" % app)["total"]["calls"]
        apps.until(lambda: (calls("few"), calls("many")) == (3, 4))


# ---- Changes ---------------------------------------------------------------------------


def changes(options, folder):
    """What changes a member is served, and told to listeners, within a second."""
    with Mica(options, folder) as mica:
        mica.app("Orders", "get_order", "one")
        mica.app("Stock", "get_stock")
        slug = mica.collect("Desk", "orders", "stock")
        same(mica.tools(slug), ["get_order", "get_stock"], "at first")

        def after(act, *wanted):
            stream = apps.listen(mica, slug)
            act()
            soon(lambda: mica.tools(slug), list(wanted))
            need(stream.wait_for("notifications/tools/list_changed", SOON), wanted)
        after(lambda: mica.publish("orders", "find_order"), "find_order", "get_stock")
        after(lambda: mica.act("POST", "/api/apps/stock/unpublish", {}), "find_order")
        after(lambda: mica.publish("stock", "get_stock"), "find_order", "get_stock")
        after(lambda: mica.act("POST", "/api/apps/orders/rollback", {"version": 1}),
              "get_order", "get_stock")
        after(lambda: mica.act("PATCH", "/api/collections/desk",
                               {"members": ["stock", "orders"]}), "get_stock", "get_order")
        after(lambda: mica.act("DELETE", "/api/collections/desk/apps/stock"), "get_order")
        after(lambda: mica.act("POST", "/api/collections/desk/apps",
                               {"app": "stock", "place": 1}), "get_stock", "get_order")
        after(lambda: mica.act("DELETE", "/api/apps/stock"), "get_order")
        # Who listens does not hear of an edit of a draft.
        stream = apps.listen(mica, slug)
        mica.act("PATCH", "/api/apps/orders", {"description": "Another."})
        need(not stream.wait_for("notifications/tools/list_changed", 1), "a draft")
        # The last app: the slug is as that of an app that is not published, streams end.
        mica.act("POST", "/api/apps/orders/unpublish", {})
        need(stream.ended.wait(SOON), "the stream ends")
        soon(lambda: mica.tools(slug), None)
        mica.publish("orders", "get_order")
        soon(lambda: mica.tools(slug), ["get_order"])
        stream = apps.listen(mica, slug)
        mica.act("DELETE", "/api/collections/desk")
        need(stream.ended.wait(SOON), "the stream ends")
        same(mica.tools(slug), None, "a deleted collection")
        same(mica.tools("orders"), ["get_order"], "its app stays")


def servers(options, folder):
    """Another server on the store serves what one has changed within a second."""
    with Mica(options, folder) as one, Mica(options, folder) as two:
        one.app("Orders", "get_order")
        slug = one.collect("Desk", "orders")
        same(two.tools(slug), ["get_order"], "at the other")
        one.publish("orders", "find_order")
        soon(lambda: two.tools(slug), ["find_order"])
        one.act("POST", "/api/apps/orders/unpublish", {})
        soon(lambda: two.tools(slug), None)
        one.publish("orders", "get_order")
        soon(lambda: two.tools(slug), ["get_order"])
        two.act("PATCH", "/api/collections/desk", {"members": []})
        soon(lambda: one.tools(slug), None)


# ---- Tool names ------------------------------------------------------------------------


def names(options, folder):
    """Two apps with one tool name are refused with their names, by each act."""
    with Mica(options, folder) as mica:
        mica.app("Orders", "get_it")
        mica.app("Stock", "get_it")
        error = refused(mica.ask("POST", "/api/collections", {
            "name": "Desk", "members": ["orders", "stock"]}), 422, "INVALID_CONFIG")
        same((error["details"]["reason"], error["details"]["path"]),
             ("ALREADY_EXISTS", "/members/1"), error)
        need('"orders" and "stock"' in error["message"], error)
        mica.act("POST", "/api/apps/stock/unpublish", {})
        mica.collect("Desk", "orders", "stock")
        error = refused(mica.ask("POST", "/api/apps/stock/publish", {}), 422,
                        "INVALID_CONFIG")
        need('"orders"' in error["message"] and '"desk"' in error["message"], error)
        same(error["details"]["path"], "/toolName", error)
        same(mica.tools("desk"), ["get_it"], "that of the first")


def race(options, folder):
    """Of many apps that want one name at once, one gets it, and the list never has two."""
    count = 8
    with Mica(options, folder) as mica, Mica(options, folder) as other:
        slugs = [mica.app("App %d" % number) for number in range(count)]
        desk = mica.collect("Desk", *slugs)
        done = threading.Event()

        def watch():
            seen = set()
            while not done.is_set():
                tools = mica.tools(desk) or []
                same(len(tools), len(set(tools)), "no name twice")
                seen.update(tools)
            return seen

        def publish(number):
            at = (mica, other)[number % 2]
            return at.ask_again("POST", "/api/apps/%s/publish" % slugs[number],
                                {"toolName": "get_it", "toolDescription": ABOUT})
        with concurrent.futures.ThreadPoolExecutor(count + 1) as pool:
            watcher = pool.submit(watch)
            try:
                for turn in range(5):
                    replies = list(pool.map(publish, range(count)))
                    won = [n for n, reply in enumerate(replies) if reply.status == 200]
                    same(len(won), 1, [reply.text[:200] for reply in replies])
                    for number, reply in enumerate(replies):
                        if number not in won:
                            need("get_it" in refused(reply, 422, "INVALID_CONFIG")["message"],
                                 reply.text)
                    soon(lambda: other.tools(desk), ["get_it"])
                    mica.act("POST", "/api/apps/%s/unpublish" % slugs[won[0]], {})
            finally:
                done.set()
            same(watcher.result(), {"get_it"}, "what was seen")


def deaths(options, folder):
    """A server is killed while collections and their members change; what the next one serves
    is what the store says, and no name is there twice."""
    for turn in range(4):
        with Killed(options, folder) as mica:
            if turn == 0:
                for number in range(3):
                    mica.app("App %d" % number, "get_%d" % number, str(number))
                mica.collect("Desk", "app-0", "app-1", "app-2")

            def work():
                for step in itertools.count():
                    number = step % 3
                    try:
                        mica.ask("POST", "/api/apps/app-%d/publish" % number,
                                 {"toolName": "get_%d" % (step % 5)})
                        mica.ask("PATCH", "/api/collections/desk", {
                            "members": ["app-%d" % n for n in ((0, 1, 2), (2, 0), (1, 2, 0))
                                        [step % 3]]})
                    except (OSError, http.client.HTTPException):
                        return
            worker = threading.Thread(target=work)
            worker.start()
            time.sleep(0.2 + 0.13 * turn)
            mica.kill()
            worker.join(app_api.PATIENCE)
        with Mica(options, folder) as mica:
            members = mica.act("GET", "/api/collections/desk")["members"]
            wanted = [one["toolName"] for one in members if one["served"]]
            same(mica.tools("desk"), wanted, "what the store says")
            same(len(set(wanted)), len(wanted), wanted)
            for one in members:
                same(mica.title("desk", one["toolName"]), one["mcpSlug"][-1], one)


# ---- The API ---------------------------------------------------------------------------


def api(options, folder):
    """Collections are made, read, edited and deleted over HTTP, as apps are."""
    with Mica(options, folder) as mica:
        same(mica.ask("GET", "/api/collections").json, {"collections": [], "next": None},
             "at first")
        mica.app("Orders", "get_order")
        made = mica.ask("POST", "/api/collections", {"name": "Desk", "members": ["orders"]})
        same((made.status, made.headers["Location"], made.headers["ETag"]),
             (201, "/api/collections/desk", '"1"'), made.text)
        same(made.json["url"], mica.address + "/servers/desk/mcp", "its address")
        here = "/api/collections/" + made.json["id"]
        same(mica.ask("GET", here).json, made.json, "by its id")
        same(mica.ask("HEAD", here).status, 200, "the head")
        edited = mica.ask("PATCH", here, {"name": "Front"}, {"If-Match": '"1"'})
        same((edited.status, edited.json["name"], edited.json["mcpSlug"],
              edited.headers["ETag"]), (200, "Front", "desk", '"2"'), edited.text)
        error = refused(mica.ask("PATCH", here, {"name": "X"}, {"If-Match": '"1"'}), 412,
                        "REVISION_CONFLICT")
        same(error["details"]["revision"], 2, error)
        refused(mica.ask("PUT", here, {}), 405, "METHOD_NOT_ALLOWED")
        refused(mica.ask("GET", here + "/apps/orders"), 405, "METHOD_NOT_ALLOWED")
        for path in ("/", "/desk/", "/desk/nothing", "/desk/apps/orders/x", "/desk/apps/",
                     "/-", "/none"):
            refused(mica.ask("GET", "/api/collections" + path), 404, "APP_NOT_FOUND", path)
        refused(mica.ask("DELETE", here + "/apps/nothing"), 422, "INVALID_CONFIG")
        refused(mica.ask("DELETE", here + "/apps/%ff"), 404, "APP_NOT_FOUND")
        refused(mica.ask("POST", "/api/collections", {"name": "x"},
                         {"Sec-Fetch-Site": "cross-site"}), 403, "CROSS_SITE_REQUEST")
        refused(mica.ask("POST", "/api/collections", b"{}", {"Content-Type": "text/plain"}),
                415, "UNSUPPORTED_MEDIA_TYPE")
        same(mica.ask("DELETE", here + "/apps/orders").json["members"], [], "taken out")
        same(mica.ask("PUT", here + "/owner", {"owner": "ada"}).json["owner"], "ada", "over")
        refused(mica.ask("GET", here), 404, "APP_NOT_FOUND")


def builder(options, folder):
    """An agent makes a collection and changes it with the builder tools."""
    with Mica(options, folder) as mica:
        mica.app("Orders", "get_order")
        mica.app("Stock", "get_stock")

        def tool(word, **arguments):
            found = mica.tool(word, arguments)
            need(not found.get("isError"), found)
            return found["structuredContent"]
        made = tool("create_collection", name="Desk", members=["orders"])
        same((made["mcpSlug"], made["url"]), ("desk", mica.address + "/servers/desk/mcp"),
             made)
        tool("add_app_to_collection", collection="desk", app="stock", place=1)
        same(mica.tools("desk"), ["get_stock", "get_order"], "added")
        tool("edit_collection", collection="desk", changes={"members": ["orders", "stock"]},
             revision=2)
        same(mica.tools("desk"), ["get_order", "get_stock"], "another order")
        read = tool("get_collection", collection=made["id"])
        same([one["served"] for one in read["members"]], [True, True], read)
        tool("remove_app_from_collection", collection="desk", app="orders")
        same(mica.tools("desk"), ["get_stock"], "removed")
        same([one["mcpSlug"] for one in tool("list_collections")["collections"]], ["desk"],
             "listed")
        wrong = mica.tool("add_app_to_collection", {"collection": "desk", "app": "nothing"})
        same((wrong["isError"], wrong["_meta"]["mica/error"]["code"]),
             (True, "INVALID_CONFIG"), wrong)
        wrong = mica.tool("get_collection", {"collection": "orders"})
        same(wrong["_meta"]["mica/error"]["code"], "APP_NOT_FOUND", wrong)
        same(tool("hand_over_collection", collection="desk", owner="local")["owner"],
             "local", "to oneself")
        same(tool("delete_collection", collection="desk")["deleted"], True, "deleted")


def people(options, folder):
    """Every route and every builder tool by every role, with and without the scope."""
    names = ("mallory", "vic", "erin", "olga")
    with Mica(options, folder, "--auth", app_api.authorized(folder)) as mica:
        who = {name: app_api.token(name) for name in names}
        readers = {name: app_api.token(name, "tools") for name in names}
        roles = {"editors": ["erin"], "viewers": ["vic"]}

        def made():
            """A collection of olga with one of two new apps, which erin may edit, too."""
            slugs = {name: mica.made(name, who["olga"], roles=roles)
                     for name in ("inside", "outside")}
            reply = mica.ask("POST", "/api/collections", {
                "name": "Desk", "members": [slugs["inside"]], "roles": roles},
                who=who["olga"])
            same(reply.status, 201, reply.text)
            return reply.json["mcpSlug"], slugs
        for method, path, body, marks in COLLECTION_ROUTES:
            slug, slugs = made()
            here = "/api/collections/" + slug + path.replace("inside", slugs["inside"])
            sent = body and {name: slugs.get(value, value) for name, value in body.items()}
            same(mica.ask(method, here, sent).status, 401, "no token")
            for name, mark in zip(names, marks):
                what = (method, path, name)
                without = mica.ask(method, here, sent, who=readers[name])
                if method != "GET":
                    refused(without, 403, "INSUFFICIENT_SCOPE", what)
                reply = mica.ask(method, here, sent, who=who[name])
                if mark == "-":
                    refused(reply, 404, "APP_NOT_FOUND", what)
                elif mark == "r":
                    refused(reply, 403, "ROLE_MISSING", what)
                else:
                    same(reply.status, 200, (what, reply.text))
                    if path == "/apps/inside":
                        mica.ask("POST", "/api/collections/%s/apps" % slug,
                                 {"app": slugs["inside"]}, who=who["olga"])
        for tool, (arguments, marks) in COLLECTION_TOOLS.items():
            slug, slugs = made()
            sent = {name: slugs.get(value, value) if isinstance(value, str) else value
                    for name, value in arguments.items()}
            for name, mark in zip(names, marks):
                result = mica.tool(tool, {"collection": slug, **sent}, who[name])
                code = result.get("_meta", {}).get("mica/error", {}).get("code")
                same(code, {"-": "APP_NOT_FOUND", "r": "ROLE_MISSING", "y": None}[mark],
                     (tool, name, result))
                if mark == "y" and tool.startswith("remove"):
                    mica.tool("add_app_to_collection", {
                        "collection": slug, "app": slugs["inside"]}, who["olga"])


def parted(options, folder):
    """Of an app that the owner of a collection may not edit any more, its readers learn
    nothing of what becomes of it."""
    with Mica(options, folder, "--auth", app_api.authorized(folder)) as mica:
        def act(name, method, path, body=None):
            reply = mica.ask(method, path, body, who=app_api.token(name))
            need(reply.status in (200, 201), reply.text)
            return reply.json
        plan = mica.made("Plan", app_api.token("olga"), roles={"editors": ["erin"]})
        act("erin", "POST", "/api/collections", {
            "name": "Desk", "members": [plan], "roles": {"viewers": ["vic"]}})
        for tool, editors in (("get_first", ["erin"]), ("get_second", []),
                              ("get_third", ["erin"])):
            act("olga", "PATCH", "/api/apps/" + plan, {
                "name": "About " + tool, "roles": {"editors": editors}})
            act("olga", "POST", "/api/apps/%s/publish" % plan, {
                "toolName": tool, "toolDescription": ABOUT})
            for reader in ("erin", "vic"):
                member = act(reader, "GET", "/api/collections/desk")["members"][0]
                if editors:
                    same((member["name"], member["toolName"], member["served"]),
                         ("About " + tool, tool, True), reader)
                else:
                    same((sorted(member), member["mcpSlug"], member["reason"]),
                         (["id", "mcpSlug", "reason", "served"], plan, "owner"), reader)


CASES = [serving, widgets, behaviors, matrix, widgets_of_others, sessions, waiting,
         narrowed, budgets, changes, servers,
         names, race, deaths, api, builder, people, parted]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mica", default="build/mica")
    parser.add_argument("--engines", default="build/engines")
    parser.add_argument("--tools", default="build/tools")
    parser.add_argument("only", nargs="*")
    options = parser.parse_args()
    for name in ("mica", "engines", "tools"):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    cases = [case for case in CASES if not options.only or case.__name__ in options.only]
    print("1..%d" % len(cases))
    failed = 0

    def tried(case):
        try:
            with tempfile.TemporaryDirectory() as folder:
                case(options, folder)
        except Exception:  # any failure is a result
            return traceback.format_exc()
        return None

    for number, case, wrong in outcomes(cases, tried):
        failed += tell(number, case.__doc__.split("\n")[0], wrong)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

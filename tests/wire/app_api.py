#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The HTTP API of apps (/api/apps) and the builder tools (/builder/mcp) of a real server:
lives of apps, pages of other sites, sizes, people with and without tokens;
prints TAP.

    app_api.py --mica build/mica
"""
import argparse
import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

import tokens
from app_roles import (APART, COLLECTION_ROUTES, COLLECTION_TOOLS, NO_ROLE, ROUTES, TOOLS,
                       WRITES, operations)

PATIENCE = 60
HERE = os.path.dirname(os.path.abspath(__file__))
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "apps", "version": "1"}}
LAYOUTS = ["message", "card", "list", "carousel", "table", "chart", "detail", "form"]
NO_APP = {"error": {"code": "APP_NOT_FOUND", "message": "there is no such app",
                    "details": {}}}


class Failure(Exception):
    pass


def need(truth, what):
    if not truth:
        raise Failure(str(what))


def same(got, wanted, what):
    need(got == wanted, "%s: %r, and not %r" % (what, got, wanted))


class Reply:
    """A response; `json` is its body as a value, if it is JSON."""

    def __init__(self, response, text):
        self.status, self.headers, self.text = response.status, response.headers, text
        try:
            self.json = json.loads(text)
        except ValueError:
            self.json = None

    @property
    def error(self):
        need(isinstance(self.json, dict) and set(self.json) == {"error"},
             "no error of the contract: %s" % self.text[:300])
        same(sorted(self.json["error"]), ["code", "details", "message"], self.text)
        return self.json["error"]


class Mica:
    def __init__(self, options, folder, *words, listen="127.0.0.1:0"):
        self.err = open(os.path.join(folder, "err"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [options.mica, "serve", "--listen", listen, "--drain=0", "--quiet",
             "--store", "sqlite:" + os.path.join(folder, "mica.db"),
             # Providers are in the mica.toml of the folder, which --built-in ignores.
             *([] if {"--models", "--engines"} & set(words) else ["--built-in"]), *words],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=self.err, text=True, env=dict(os.environ, XDG_STATE_HOME=folder))
        line = self.process.stdout.readline()
        need(line, self.said())
        self.port = self.port_of(line)
        self.address = "http://127.0.0.1:%d" % self.port

    def port_of(self, line):
        """The port in the address of the server, or behind its public URL, which goes to
        another file."""
        address = line.rsplit(":", 1)[1].split("/")[0]
        until = time.monotonic() + PATIENCE
        while not address and time.monotonic() < until:
            found = re.search(r"listens at http://[^ ]*:([0-9]+)", self.said())
            address = found.group(1) if found else time.sleep(0.01)
        return int(address)

    def said(self):
        return pathlib.Path(self.err.name).read_text(encoding="utf-8")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.err.close()
        same(code, 0, "how mica ended")

    def ask(self, method, path, body=None, headers=None, who=None):
        """`body` is a value or bytes; `who` a token."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        sent = {} if body is None else {"Content-Type": "application/json"}
        if method == "PATCH" and path.startswith("/api/apps"):
            sent["If-Match"] = "*"  # None in `headers` leaves it out
        if who:
            sent["Authorization"] = "Bearer " + who
        sent.update(headers or {})
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        try:
            connection.request(method, path, body,
                               {name: value for name, value in sent.items()
                                if value is not None})
            response = connection.getresponse()
            return Reply(response, response.read().decode("utf-8", "replace"))
        finally:
            connection.close()

    def ask_again(self, *args):
        """As `ask`, again while others hold the store for longer than the server waits."""
        until = time.monotonic() + PATIENCE
        reply = self.ask(*args)
        while reply.status == 503 and reply.error["code"] == "BUSY" and \
                time.monotonic() < until:
            reply = self.ask(*args)
        return reply

    def made(self, name="My Support Bot", who=None, **members):
        reply = self.ask_again("POST", "/api/apps", dict(members, name=name, propose=True),
                               None, who)
        same(reply.status, 201, reply.text)
        return reply.json["mcpSlug"]

    def tool(self, tool, arguments, who=None, endpoint="/builder/mcp"):
        """The result of a builder tool."""
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": tool, "arguments": arguments, "_meta": META}}
        reply = self.mcp(body, {"Mcp-Name": tool}, who, endpoint)
        same(reply.status, 200, reply.text)
        text = reply.text
        if text.startswith(("event:", "data:", "id:", ":")):
            text = [line[5:] for line in text.splitlines() if line.startswith("data:")][-1]
        return json.loads(text)["result"]

    def mcp(self, body, headers=None, who=None, endpoint="/builder/mcp"):
        return self.ask("POST", endpoint, body, dict({
            "Accept": "application/json, text/event-stream",
            "Mcp-Method": body["method"], "MCP-Protocol-Version": "2026-07-28"},
            **(headers or {})), who)


def refused(reply, status, code, what=""):
    same((reply.status, reply.error["code"]), (status, code), what or reply.text)
    same(reply.headers["Content-Type"], "application/json", "the type of a refusal")
    return reply.error


# ---- Lives of apps -------------------------------------------------------------------


def lives(options, folder):
    """An app is created, edited, published, rolled back, taken offline and deleted."""
    with Mica(options, folder) as mica:
        same(mica.ask("GET", "/api/apps").json, {"apps": [], "next": None}, "at first")
        made = mica.ask("POST", "/api/apps", {"name": "My Support Bot"})
        same((made.status, made.headers["Location"], made.headers["ETag"]),
             (201, "/api/apps/my-support-bot", '"1"'), made.text)
        app = made.json
        same((app["status"], app["mcpSlug"], app["owner"], app["publishVersion"],
              app["publishedAt"], app["url"]),
             ("draft", "my-support-bot", "local", 0, None,
              mica.address + "/servers/my-support-bot/mcp"), "a new app")
        here, served = "/api/apps/my-support-bot", "/servers/my-support-bot/mcp"
        same(mica.ask("GET", "/api/apps/" + app["id"]).json, app, "by its id")
        same(mica.ask("POST", served, {}).status, 404, "not published")
        error = refused(mica.ask("POST", here + "/publish", {}), 422, "INVALID_CONFIG")
        same(sorted(finding["path"] for finding in error["details"]["findings"]),
             ["/toolDescription", "/toolName"], "what is missing")
        published = mica.ask("POST", here + "/publish", {
            "toolName": "get_help",
            "toolDescription": "Answers questions of customers about orders. Use when a "
            "customer asks for help. Requires the question."})
        same((published.status, published.json["status"],
              published.json["publishVersion"]), (200, "published", 1), published.text)
        same(published.json["toolName"], "get_help", "a name that came with the publish")
        tested = mica.ask("POST", here + "/test", {"message": "Where is it?"}).json
        called = mica.tool("get_help", {"message": "Where is it?"}, endpoint=served)
        for member in ("content", "structuredContent"):
            same(called[member], tested[member], "a call, as it was tested")
        edited = mica.ask("PATCH", here, {"description": "two", "layoutTemplate": "list"})
        same((edited.status, edited.json["layoutTemplate"]), (200, "list"), edited.text)
        same(mica.ask("POST", here + "/publish", {}).json["publishVersion"], 2, "again")
        versions = mica.ask("GET", here + "/versions").json["versions"]
        same([(one["version"], one["current"]) for one in versions],
             [(2, True), (1, False)], "versions")
        need(versions[0]["widget"] != versions[1]["widget"], "two layouts, one widget")
        first = mica.ask("GET", here + "/versions/1").json
        same((first["layoutTemplate"], first["version"]), ("card", 1), "the first version")
        changes = mica.ask("GET", here + "/difference?from=1&to=2").json["changes"]
        need({"/layoutTemplate", "/description"} <= {one["path"] for one in changes},
             changes)
        rolled = mica.ask("POST", here + "/rollback", {"version": 1}).json
        same((rolled["publishVersion"], rolled["layoutTemplate"]), (3, "list"), rolled)
        same(mica.ask("GET", here + "/versions/3").json["layoutTemplate"], "card", "back")
        off = mica.ask("POST", here + "/unpublish", {}).json
        same((off["status"], off["publishVersion"]), ("draft", 3), off)
        same(mica.ask("POST", served, {}).status, 404, "offline at once")
        refused(mica.ask("POST", here + "/unpublish", {}), 409, "APP_STATE")
        gone = mica.ask("DELETE", here)
        same((gone.status, gone.json["deleted"]), (200, True), gone.text)
        same(mica.ask("GET", here).json, NO_APP, "deleted")
        same(mica.made(), "my-support-bot", "its owner gets the slug again")
    with Mica(options, folder) as mica:
        same(mica.ask("GET", here).json["revision"], 1, "after a restart")


def layouts(options, folder):
    """Each layout makes an app that can be published at once, previewed and tested."""
    with Mica(options, folder) as mica:
        rows = mica.ask("GET", "/api/apps/-/layouts").json["layouts"]
        same([row["name"] for row in rows], LAYOUTS, "layouts")
        for row in rows:
            here = "/api/apps/" + mica.made("A " + row["name"],
                                            layoutTemplate=row["name"])
            same(mica.ask("GET", here + "/check").json["publishable"], True, row["name"])
            page = mica.ask("GET", here + "/preview")
            same((page.status, page.headers["Content-Type"],
                  page.headers["X-Content-Type-Options"]),
                 (200, "text/html; charset=utf-8", "nosniff"), "a preview")
            need("sandbox allow-scripts" in page.headers["Content-Security-Policy"] and
                 "allow-same-origin" not in page.headers["Content-Security-Policy"],
                 page.headers["Content-Security-Policy"])
            posted = mica.ask("POST", here + "/preview", {"data": row["mockData"]})
            same(posted.text, page.text, "the same data, posted")
            result = mica.ask("POST", here + "/test", {"message": "hi"}).json
            same(result["structuredContent"], row["mockData"], "a test")
            same(mica.ask("POST", here + "/publish", {}).status, 200, row["name"])
        refused(mica.ask("POST", here + "/preview", {"data": {"odd": 1}}), 422,
                "INVALID_CONFIG")
        same(mica.ask("POST", "/api/apps/-/check",
                      {"draft": {"name": "Order Tracker"}}).json["proposal"]["toolName"],
             "track_order", "a proposal for a draft that is not stored")


def copies(options, folder):
    """An export is imported; lists have pages; usage is read."""
    with Mica(options, folder) as mica:
        here = "/api/apps/" + mica.made(description="d", layoutTemplate="table",
                                        roles={"editors": ["erin"]})
        export = mica.ask("GET", here + "/export").json
        same((export["micaApp"], "roles" in export["draft"]), (1, False), export)
        copy = mica.ask("POST", "/api/apps", export)
        same((copy.status, copy.json["mcpSlug"]), (201, "my-support-bot-2"), copy.text)
        again = mica.ask("GET", "/api/apps/my-support-bot-2/export").json
        same(again["draft"], export["draft"], "an export of an import")
        for number in range(3):
            mica.made("More %d" % number)
        page = mica.ask("GET", "/api/apps?limit=2").json
        same([one["mcpSlug"] for one in page["apps"]],
             ["my-support-bot", "my-support-bot-2"], page)
        need("mockData" not in page["apps"][0], "a list has no data")
        rest = mica.ask("GET", "/api/apps?limit=3&after=%d" % page["next"]).json
        same((len(rest["apps"]), rest["next"]), (3, None), rest)
        usage = mica.ask("GET", here + "/usage?from=2026-01-01&to=2026-01-31").json
        same((usage["days"], usage["total"]),
             ([], {"calls": 0, "failures": 0, "tokens": 0}), usage)
        for query in ("limit=0", "limit=x", "limit=1&limit=2", "other=1", "after=-1"):
            refused(mica.ask("GET", "/api/apps?" + query), 422, "INVALID_CONFIG", query)


# ---- What is refused -----------------------------------------------------------------


def sites(options, folder):
    """Pages of other sites change nothing, also those that may call tools."""
    with Mica(options, folder, "--allow-origin", "https://app.example") as mica:
        here = "/api/apps/" + mica.made()
        own = "http://127.0.0.1:%d" % mica.port
        strangers = ({"Origin": "https://app.example"}, {"Origin": "null"},
                     {"Origin": "http://localhost:%d" % (mica.port % 60000 + 1)},
                     {"Origin": own, "Sec-Fetch-Site": "cross-site"},
                     {"Sec-Fetch-Site": "same-site"})
        for headers in strangers:
            for method, path, body in (("POST", "/api/apps", {"name": "Evil"}),
                                       ("PATCH", here, {"name": "Evil"}),
                                       ("POST", here + "/publish", {}),
                                       ("POST", here + "/preview", {}),
                                       ("DELETE", here, None)):
                reply = mica.ask(method, path, body, headers)
                same(reply.status, 403, (headers, method, path, reply.text))
                need(reply.error["code"] in ("CROSS_SITE_REQUEST", "FORBIDDEN"),
                     reply.text)
            listed = mica.mcp({"jsonrpc": "2.0", "id": 1, "method": "tools/list",
                               "params": {"_meta": META}}, headers)
            same(listed.status, 403, (headers, "/builder/mcp", listed.text))
        same(mica.ask("GET", here).json["name"], "My Support Bot", "what it is called")
        same(len(mica.ask("GET", "/api/apps").json["apps"]), 1, "apps")
        for headers in ({"Origin": own}, {"Origin": own, "Sec-Fetch-Site": "same-origin"},
                        {"Sec-Fetch-Site": "none"}):
            same(mica.ask("PATCH", here, {}, headers).status, 200, headers)
        refused(mica.ask("OPTIONS", here, None, {
            "Origin": own, "Access-Control-Request-Method": "DELETE"}), 405,
            "METHOD_NOT_ALLOWED", "a preflight")


def types(options, folder):
    """A body is JSON and says so, also an empty one; methods and paths are a few."""
    with Mica(options, folder) as mica:
        here = "/api/apps/" + mica.made()
        for headers in ({"Content-Type": None}, {"Content-Type": "text/plain"},
                        {"Content-Type": "application/x-www-form-urlencoded"},
                        {"Content-Type": "application/json", "Content-Encoding": "gzip"}):
            refused(mica.ask("PATCH", here, '{"name":"x"}', headers), 415,
                    "UNSUPPORTED_MEDIA_TYPE", headers)
            refused(mica.ask("POST", here + "/publish", b"", headers), 415,
                    "UNSUPPORTED_MEDIA_TYPE", headers)
        same(mica.ask("PATCH", here, "{}", {
            "Content-Type": "Application/JSON; charset=utf-8"}).status, 200, "parameters")
        refused(mica.ask("PATCH", here, "{"), 422, "INVALID_CONFIG")
        refused(mica.ask("PATCH", here, "[]"), 422, "INVALID_CONFIG")
        refused(mica.ask("PATCH", here, b'{"name":"\xff"}'), 422, "INVALID_CONFIG")
        error = refused(mica.ask("PATCH", here, {"nam": 1}), 422, "INVALID_CONFIG")
        same(error["details"]["path"], "/nam", error)
        for method, path, allow in (("PUT", here, "GET, HEAD, PATCH, DELETE"),
                                    ("GET", here + "/publish", "POST"),
                                    ("DELETE", "/api/apps", "GET, HEAD, POST"),
                                    ("POST", here + "/versions/1", "GET, HEAD"),
                                    ("POST", here + "/export", "GET, HEAD")):
            reply = mica.ask(method, path, {})
            refused(reply, 405, "METHOD_NOT_ALLOWED", (method, path))
            same(reply.headers["Allow"], allow, (method, path))
        for path in ("/api/apps/", here + "/", here + "/nothing", here + "/versions/0",
                     here + "/versions/x", here + "/versions/1/2", here + "/export/1",
                     "/api/apps/-", "/api/apps/-/nothing", "/api/apps/-/layouts/1",
                     "/api/apps/No_app", "/api/apps/a%2fb", "/api/apps/%00"):
            refused(mica.ask("GET", path), 404, "APP_NOT_FOUND", path)
        same(mica.ask("HEAD", here).status, 200, "HEAD")
        same(mica.ask("GET", here + "/versions/9").status, 404, "no such version")


def sizes(options, folder):
    """What is too large is refused, and the server still answers."""
    with Mica(options, folder) as mica:
        here = "/api/apps/" + mica.made()
        refused(mica.ask("PATCH", here, {"description": "a" * 2001}), 422,
                "INVALID_CONFIG")
        error = refused(mica.ask("PATCH", here, {"description": "a" * 270000}), 422,
                        "INVALID_CONFIG")
        error = refused(mica.ask("PATCH", here, {"description": "a" * 1100000}), 422,
                        "INVALID_CONFIG")
        same(error["details"]["reason"], "LIMIT_EXCEEDED", error)
        refused(mica.ask("PATCH", here, {"description": "a" * 5000000}), 413,
                "LIMIT_EXCEEDED")
        refused(mica.ask("PATCH", here, "[" * 100000), 422, "INVALID_CONFIG")
        # The largest draft of small values, by every act that reads it.
        dense = {"mockData": {"n": [1] * 32000}}
        same(mica.ask("PATCH", here, dense).status, 200, "dense data")
        same(mica.ask("PATCH", here, {"mockData": {"n": [1] * 33000}}).status, 422,
             "more than mock data may be")
        for path in ("", "/check", "/export", "/preview", "/difference?from=0"):
            same(mica.ask("GET", here + path).status, 200, path)
        same(mica.ask("GET", here).json["revision"], 2, "at the end")


def unreachable(options, folder):
    """Without tokens an address that others reach has neither API nor builder."""
    with Mica(options, folder, "--public", "--allow-host", "127.0.0.1",
              listen="0.0.0.0:0") as mica:
        need("apps are not edited here" in mica.said(), mica.said())
        for method, path, body in (("GET", "/api/apps", None),
                                   ("POST", "/api/apps", {"name": "x"}),
                                   ("DELETE", "/api/apps/x", None)):
            refused(mica.ask(method, path, body), 404, "APP_NOT_FOUND", path)
        same(mica.mcp({"jsonrpc": "2.0", "id": 1, "method": "tools/list",
                       "params": {"_meta": META}}).status, 404, "the builder")
        same(mica.ask("GET", "/api").status, 200, "REST is there")


def proxied(options, folder):
    """Without tokens, a caller through a proxy is not on this machine."""
    listed = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}
    with Mica(options, folder, "--allow-host", "x.example") as mica:
        same(mica.ask("GET", "/api/apps").status, 200, "from this machine")
        same(mica.mcp(listed).status, 200, "the builder, from this machine")
        same(mica.ask("GET", "/console").status, 200, "the console, from this machine")
        for headers in ({"Host": "x.example"}, {"X-Forwarded-For": "192.0.2.1"},
                        {"Forwarded": "for=192.0.2.1"}, {"Via": "1.1 proxy"}):
            for method, path, body in (("GET", "/api/apps", None),
                                       ("POST", "/api/apps", {"name": "x"})):
                refused(mica.ask(method, path, body, headers), 404, "APP_NOT_FOUND", path)
            same(mica.mcp(listed, headers).status, 404, headers)
            same(mica.ask("GET", "/console", None, headers).status, 404, headers)
            same(mica.ask("POST", "/builder/api/list_apps", {}, headers).status, 404,
                 headers)
        same(mica.ask("GET", "/api/apps").json["apps"], [], "apps")
    # A proxy that changes Host and says nothing of itself looks like this machine.
    with Mica(options, folder, "--public-url", "https://x.example/m",
              "--allow-host", "x.example") as mica:
        need("apps are not edited here" in mica.said(), mica.said())
        refused(mica.ask("GET", "/api/apps"), 404, "APP_NOT_FOUND", "a public URL")
        same(mica.mcp(listed).status, 404, "the builder")
    with Mica(options, folder, "--public-url", "http://localhost/m") as mica:
        same(mica.ask("GET", "/api/apps").status, 200, "a URL of this machine")


# ---- People --------------------------------------------------------------------------


def authorized(folder, **members):
    for name in ("auth.json", "keys.json"):
        shutil.copy(os.path.join(HERE, "auth", name), folder)
    path = os.path.join(folder, "auth.json")
    file = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    file.update(members)
    pathlib.Path(path).write_text(json.dumps(file), encoding="utf-8")
    return path


def token(subject, scope="tools apps:write", **claims):
    return tokens.token(json.dumps(dict(claims, sub=subject, scope=scope)))


def rows(options, folder):
    """Each operation of the table of the API is asked for by every role."""
    del options, folder
    asked = {"AN_APP": {(method, path.rstrip("/1234567890")) for method, path, _, _ in ROUTES},
             "A_COLLECTION": {(method, path.replace("/inside", ""))
                              for method, path, _, _ in COLLECTION_ROUTES}}
    apart = {"NO_APP": "/api/apps", "NO_COLLECTION": "/api/collections"}
    for kind, segment, method in operations():
        if kind in asked:
            path = "/" + segment if segment else ""
            need((method, path) in asked[kind], "add %s %s to ROUTES" % (method, path))
        else:
            path = apart.get(kind) or "/api/apps/-/" + segment
            need((method, path) in APART, "add %s %s to APART" % (method, path))


def people(options, folder):
    """Every route by every role, with and without the scope, for every visibility."""
    names = ("mallory", "vic", "erin", "olga")
    with Mica(options, folder, "--auth", authorized(folder)) as mica:
        who = {name: token(name) for name in names}
        readers = {name: token(name, "tools") for name in names}
        for visibility in ("public", "token", "scope"):
            more = {"scope": "orders"} if visibility == "scope" else {}
            for method, path, body, marks in ROUTES:
                slug = mica.made("Shared", who["olga"], visibility=visibility,
                                 roles={"editors": ["erin"], "viewers": ["vic"]}, **more)
                here = "/api/apps/" + slug
                same(mica.ask("POST", here + "/publish", {}, who=who["olga"]).status, 200,
                     "publish")
                writes = method in WRITES or (
                    method == "POST" and path not in ("/check", "/preview"))
                same(mica.ask(method, here + path, body).status, 401, "no token")
                for name, mark in zip(names, marks):
                    what = (visibility, method, path, name)
                    without = mica.ask(method, here + path, body, who=readers[name])
                    if writes:
                        refused(without, 403, "INSUFFICIENT_SCOPE", what)
                        need('scope="' in without.headers["WWW-Authenticate"] and
                             "apps:write" in without.headers["WWW-Authenticate"], what)
                    reply = mica.ask(method, here + path, body, who=who[name])
                    if not writes:
                        same((without.status, without.text), (reply.status, reply.text),
                             what)
                    if mark == "-":
                        same((reply.status, reply.json), (404, NO_APP), what)
                    elif mark == "r":
                        refused(reply, 403, "ROLE_MISSING", what)
                    else:
                        same(reply.status, 200, (what, reply.text))
                        if path == "/unpublish":
                            mica.ask("POST", here + "/publish", {}, who=who["olga"])
        same([one["owner"] for one in
              mica.ask("GET", "/api/apps", who=who["mallory"]).json["apps"]], [], "hers")
        need(mica.ask("GET", "/api/apps", who=who["vic"]).json["apps"], "what vic sees")


def preflights(options, folder):
    """A browser asks without a token whether it may ask: the answer tells of no app."""
    with Mica(options, folder, "--auth", authorized(folder), "--allow-origin",
              "https://app.example") as mica:
        olga = token("olga")
        slugs = [mica.made("Shared", olga, visibility=visibility, **more)
                 for visibility, more in (("public", {}), ("token", {}),
                                          ("scope", {"scope": "orders"}))]
        for slug in slugs:
            same(mica.ask("POST", "/api/apps/%s/publish" % slug, {}, who=olga).status,
                 200, "publish")
        slugs += [mica.made("Shared", olga), "there-is-none-x"]
        asks = {"Origin": "https://app.example", "Access-Control-Request-Method": "POST"}
        for path in ("/mcp", "/api", "/api/get_shared", "/api/calls/x", "/openapi.json",
                     "", "/ui/card.html", "/nothing"):
            # Once before a server has looked for the app, once afterwards.
            for _ in range(2):
                replies = [mica.ask("OPTIONS", "/servers/" + slug + path, None, asks)
                           for slug in slugs]
                told = [(reply.status, reply.text.replace(slug, "SLUG"),
                         sorted((name, value) for name, value in reply.headers.items()
                                if name not in ("Date", "Content-Length")))
                        for slug, reply in zip(slugs, replies)]
                same([one for one in told if one != told[0]], [], path)
                need("WWW-Authenticate" not in replies[2].headers, replies[2].headers)
            if path.startswith(("/mcp", "/api", "/openapi")):
                same((told[0][0], replies[2].headers["Access-Control-Allow-Origin"]),
                     (204, "https://app.example"), path)


def tokens_refused(options, folder):
    """A request without a token that counts gets the form of the contract."""
    with Mica(options, folder, "--auth", authorized(folder)) as mica:
        for bearer in (None, "nonsense", token("olga", forged=True),
                       token("olga", aud="https://other.example"), token("olga", exp=1)):
            reply = mica.ask("GET", "/api/apps", who=bearer)
            refused(reply, 401, "UNAUTHORIZED", bearer)
            need(reply.headers["WWW-Authenticate"].startswith("Bearer"), reply.headers)
        refused(mica.ask("GET", "/api/apps", who=token("olga", "other")), 403,
                "INSUFFICIENT_SCOPE")
        # Whose token says "local" is another person than the one without a token.
        same(mica.ask("POST", "/api/apps", {"name": "x"}, who=token("local")).json["owner"],
             "https://login.example#local", "a person called local")


def issuers(options, folder):
    """People of two issuers with one subject are two people."""
    path = authorized(folder, issuers=[
        {"issuer": "https://login.example", "jwks": "keys.json"},
        {"issuer": "https://other.example", "jwks": "keys.json"}])
    with Mica(options, folder, "--auth", path) as mica:
        slug = mica.made(who=token("ada"))
        ours = mica.ask("GET", "/api/apps/" + slug, who=token("ada"))
        same(ours.json["owner"], "https://login.example#ada", ours.text)
        theirs = mica.ask("GET", "/api/apps/" + slug,
                          who=token("ada", iss="https://other.example"))
        same(theirs.json, NO_APP, "ada of the other issuer")


def secrets(options, folder):
    """Viewers and exports have no prompt, provider or model."""
    behavior = {"type": "prompt", "systemPrompt": "SECRET-PROMPT", "by": "provider",
                "provider": "secret-provider", "model": "SECRET-MODEL"}
    pathlib.Path(folder, "mica.toml").write_text(
        '[providers.secret-provider]\ntype = "openai"\nmodel = "any"\n'
        'url = "http://127.0.0.1:9"\n', encoding="utf-8")
    with Mica(options, folder, "--models", "--auth", authorized(folder)) as mica:
        who = {name: token(name) for name in ("olga", "erin", "vic")}
        here = "/api/apps/" + mica.made(
            who=who["olga"], behavior=behavior, budget={"callsPerDay": 5},
            roles={"editors": ["erin"], "viewers": ["vic"]})
        same(mica.ask("POST", here + "/publish", {}, who=who["olga"]).status, 200,
             "publish")
        for path in ("", "/versions/1", "/difference?from=1&to=0", "/export", "/preview"):
            need("SECRET" not in mica.ask("GET", here + path, who=who["vic"]).text.upper(), path)
        need("SECRET" not in mica.ask("GET", here + "/export", who=who["olga"]).text.upper(),
             "an export")
        need("SECRET" not in mica.ask("GET", "/api/apps", who=who["olga"]).text.upper(),
             "a list")
        need("SECRET-PROMPT" in mica.ask("GET", here, who=who["erin"]).text, "erin edits")
        for name, role in (("olga", "owner"), ("erin", "editor"), ("vic", "viewer")):
            app = mica.ask("GET", here, who=who[name]).json
            same([app["role"], "findings" in app], [role, role != "viewer"], name)
        need("SECRET" not in mica.said().upper(), mica.said())


# ---- The builder ---------------------------------------------------------------------


def builds(options, folder):
    """An agent builds an app with the tools alone, from the instructions on."""
    with Mica(options, folder) as mica:
        found = mica.mcp({"jsonrpc": "2.0", "id": 1, "method": "server/discover",
                          "params": {"_meta": META}}).json["result"]
        for word in ("list_layouts", "create_app", "publish_app", "findings"):
            need(word in found["instructions"], found["instructions"])
        tools = mica.mcp({"jsonrpc": "2.0", "id": 1, "method": "tools/list",
                          "params": {"_meta": META}}).json["result"]["tools"]
        names = {tool["name"]: tool for tool in tools}
        same(len(names), 28, sorted(names))
        for tool in tools:
            same((tool["inputSchema"]["type"], tool["outputSchema"]["type"],
                  tool["inputSchema"]["additionalProperties"]),
                 ("object", "object", False), tool["name"])
            need(len(tool["description"]) > 60 and "It needs" in tool["description"],
                 tool["description"])
        same({name for name, tool in names.items()
              if tool["annotations"].get("destructiveHint")},
             {"unpublish_app", "rollback_app", "hand_over_app", "delete_app",
              "hand_over_collection", "delete_collection"},
             "destructive tools")
        need(names["get_app"]["annotations"]["readOnlyHint"], "a tool that reads")
        rows = mica.tool("list_layouts", {})["structuredContent"]["layouts"]
        same([row["name"] for row in rows], LAYOUTS, "layouts")
        made = mica.tool("create_app", {"name": "Order Tracker", "layoutTemplate": "card",
                                        "mockData": {"title": "Order 12345"}})
        app = made["structuredContent"]
        same([one["path"] for one in app["findings"] if one["severity"] == "error"],
             ["/toolName", "/toolDescription"], app["findings"])
        proposal = mica.tool("check_app", {"app": app["mcpSlug"]})["structuredContent"]
        same((proposal["publishable"], proposal["proposal"]["toolName"]),
             (False, "track_order"), proposal)
        edited = mica.tool("edit_app", {"app": app["mcpSlug"], "revision": 1,
                                        "changes": proposal["proposal"]})
        same(edited["structuredContent"]["revision"], 2, edited)
        tested = mica.tool("test_app", {"app": app["mcpSlug"], "message": "hi"})
        same(tested["structuredContent"]["structuredContent"], {"title": "Order 12345"},
             tested)
        shown = mica.tool("preview_app", {"app": app["mcpSlug"]})["structuredContent"]
        page = mica.ask("GET", shown["address"][len(mica.address):])
        same((page.status, len(page.text.encode())), (200, shown["bytes"]), shown)
        whole = mica.tool("preview_app", {"app": app["mcpSlug"], "html": True})
        same(whole["content"][1]["resource"]["text"], page.text, "the document")
        published = mica.tool("publish_app", {"app": app["mcpSlug"]})["structuredContent"]
        same((published["status"], published["url"]),
             ("published", mica.address + "/servers/order-tracker/mcp"), published)
        mica.tool("edit_app", {"app": app["mcpSlug"], "changes": {"description": "d"}})
        differs = mica.tool("compare_app_versions", {"app": app["mcpSlug"]})
        same(differs["structuredContent"]["changes"],
             [{"path": "/description", "after": "d"}], differs)
        mica.tool("publish_app", {"app": app["mcpSlug"]})
        rolled = mica.tool("rollback_app", {"app": app["mcpSlug"], "version": 1})
        same(rolled["structuredContent"]["publishVersion"], 3, rolled)
        listed = mica.tool("list_app_versions", {"app": app["mcpSlug"], "limit": 2})
        same([one["version"] for one in listed["structuredContent"]["versions"]], [3, 2],
             listed)
        first = mica.tool("get_app_version", {"app": app["mcpSlug"], "version": 1})
        need("description" not in first["structuredContent"], first)
        exported = mica.tool("export_app", {"app": app["mcpSlug"]})["structuredContent"]
        copy = mica.tool("import_app", {"exported": exported})["structuredContent"]
        same(copy["mcpSlug"], "order-tracker-2", copy)
        same(len(mica.tool("list_apps", {})["structuredContent"]["apps"]), 2, "apps")
        usage = mica.tool("get_app_usage", {"app": copy["id"]})["structuredContent"]
        same(usage["total"], {"calls": 0, "failures": 0, "tokens": 0}, usage)
        same(mica.tool("unpublish_app", {"app": app["id"]})["structuredContent"]["status"],
             "draft", "offline")
        same(mica.tool("delete_app", {"app": copy["id"]})["structuredContent"],
             {"deleted": True, "id": copy["id"], "mcpSlug": "order-tracker-2"}, "deleted")
        given = mica.tool("hand_over_app", {"app": app["id"], "owner": "ada"})
        same(given["structuredContent"]["owner"], "ada", given)
        same(mica.ask("GET", "/api/apps/" + app["id"]).json, NO_APP, "hers now")


def builder_refuses(options, folder):
    """A refusal of a builder tool is a result with text and the error of the contract."""
    with Mica(options, folder) as mica:
        slug = mica.made()

        def refusal(tool, arguments, code):
            result = mica.tool(tool, arguments)
            same((result["isError"], "structuredContent" in result), (True, False), result)
            error = result["_meta"]["mica/error"]
            same(sorted(error), ["code", "details", "message"], error)
            same(error["code"], code, error)
            same(result["content"][0]["text"], "%s: %s" % (code, error["message"]), result)
            return error

        same(refusal("get_app", {"app": "nothing"}, "APP_NOT_FOUND")["details"], {}, "")
        refusal("get_app", {}, "APP_NOT_FOUND")
        refusal("get_app", {"app": 7}, "APP_NOT_FOUND")
        same(refusal("edit_app", {"app": slug, "changes": {"nam": "x"}},
                     "INVALID_CONFIG")["details"]["path"], "/nam", "a misspelled member")
        refusal("edit_app", {"app": slug, "changes": 7}, "INVALID_CONFIG")
        refusal("edit_app", {"app": slug, "name": "x"}, "INVALID_CONFIG")
        refusal("create_app", {}, "INVALID_CONFIG")
        error = refusal("edit_app", {"app": slug, "revision": 9, "changes": {}},
                        "REVISION_CONFLICT")
        same(error["details"], {"revision": 1}, error)
        refusal("edit_app", {"app": slug, "revision": "9", "changes": {}},
                "INVALID_CONFIG")
        refusal("unpublish_app", {"app": slug}, "APP_STATE")
        # A model reads the text alone: each finding is in it, and all of it fits.
        mica.tool("edit_app", {"app": slug, "changes": {
            "toolName": None, "toolDescription": None,
            "mockData": {"odd %d" % number: number for number in range(60)}}})
        error = refusal("publish_app", {"app": slug}, "INVALID_CONFIG")
        for word in ("/toolName", "/toolDescription", "and "):
            need(word in error["message"], error["message"])
        same(len(error["details"]["findings"]), 8, error)


def builder_people(options, folder):
    """The builder needs the scope apps:write, and acts as its caller."""
    with Mica(options, folder, "--auth", authorized(folder)) as mica:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list",
                "params": {"_meta": META}}
        same(mica.mcp(body).status, 401, "no token")
        without = mica.mcp(body, who=token("olga", "tools"))
        same(without.status, 403, without.text)
        need("apps:write" in without.headers["WWW-Authenticate"], without.headers)
        app = mica.tool("create_app", {"name": "Hers", "propose": True},
                        token("olga"))["structuredContent"]
        same(app["owner"], "olga", app)
        theirs = mica.tool("get_app", {"app": app["id"]}, token("mallory"))
        same(theirs["_meta"]["mica/error"], NO_APP["error"], theirs)


def builder_roles(options, folder):
    """Every tool of the builder by every role, as the routes of the API."""
    with Mica(options, folder, "--auth", authorized(folder)) as mica:
        names = ("mallory", "vic", "erin", "olga")
        who = {name: token(name) for name in names}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}
        there = {tool["name"] for tool in mica.mcp(body, who=who["olga"]).json["result"]["tools"]}
        same(there, set(TOOLS) | set(COLLECTION_TOOLS) | NO_ROLE, "add the tool to TOOLS or NO_ROLE")
        for tool, (arguments, marks) in TOOLS.items():
            slug = mica.made("Shared", who["olga"],
                             roles={"editors": ["erin"], "viewers": ["vic"]})
            mica.tool("publish_app", {"app": slug}, who["olga"])
            for name, mark in zip(names, marks):
                result = mica.tool(tool, {"app": slug, **arguments}, who[name])
                code = result.get("_meta", {}).get("mica/error", {}).get("code")
                same(code, {"-": "APP_NOT_FOUND", "r": "ROLE_MISSING", "y": None}[mark],
                     (tool, name, result))
                if mark == "y" and tool == "unpublish_app":
                    mica.tool("publish_app", {"app": slug}, who["olga"])


# ---- Many at once --------------------------------------------------------------------


def creators(options, folder):
    """Sixteen creators of one name at once get sixteen slugs; no edit is lost."""
    with Mica(options, folder) as mica:
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            slugs = list(pool.map(lambda _: mica.made("Race"), range(16)))
            same(len(set(slugs)), 16, slugs)
            need(all(slug.startswith("race") for slug in slugs), slugs)
            replies = list(pool.map(
                lambda number: mica.ask_again("PATCH", "/api/apps/race", {
                    "themeVariables": None, "budget": {"callsPerDay": number + 1}}),
                range(16)))
            same([reply.status for reply in replies], [200] * 16, "edits")
            same(sorted(reply.json["revision"] for reply in replies)[-1], 17, "revisions")
            tagged = list(pool.map(
                lambda number: mica.ask_again("PATCH", "/api/apps/race", {"description": "d"},
                                              {"If-Match": '"17"'}).status, range(16)))
            same(sorted(tagged), [200] + [412] * 15, "one of sixteen with one tag")


CASES = [lives, layouts, copies, sites, types, sizes, unreachable, proxied,
         rows, people, preflights, tokens_refused, issuers, secrets, builds, builder_refuses,
         builder_people, builder_roles, creators]


def main(cases):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mica", default="build/mica")
    parser.add_argument("only", nargs="*")
    options = parser.parse_args()
    options.mica = os.path.abspath(options.mica)
    cases = [case for case in cases if not options.only or case.__name__ in options.only]
    print("1..%d" % len(cases))
    failed = 0
    for number, case in enumerate(cases, 1):
        why = None
        folder = tempfile.mkdtemp()
        try:
            case(options, folder)
        except Exception as error:  # a case says what was wrong, and the next runs
            why = str(error) if isinstance(error, Failure) else traceback.format_exc()
        shutil.rmtree(folder, ignore_errors=True)
        failed += why is not None
        print("%s %d - %s" % ("ok" if why is None else "not ok", number,
                              case.__doc__.rstrip(".")))
        for line in (why or "").splitlines():
            print("# " + line)
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(CASES))

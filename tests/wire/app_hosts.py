#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Host names of apps' own: what is served at which name, in each spelling of it, which
addresses the server writes there, and which configurations it refuses; prints TAP.

    app_hosts.py --mica build/mica --app-store build/tests/wire/app-store
"""
import argparse
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import threading
import traceback

from app_visibility import CALL, LIST, MCP, MODERN, Site, bearer
from apps import PATIENCE, Server, Store, Stream, params_of, until, version, whole
from login import need, same
from ports import Reserved

NAME, OTHER_NAME, THIRD = "support.localhost", "xn--hlfe-loa.localhost", "shop.localhost"
HOUSE, APP = "127.0.0.1", "my-support-bot"
CONFIG = """[apps.hosts]
"%s" = "my-support-bot"
"http://Help.LocalHost:8081" = "my-support-bot"
"%s" = "my-support-bot"
"%s" = "shop"
"none.localhost" = "no-such-app"
""" % (NAME, OTHER_NAME, THIRD)


class Behind(Server):
    """A server with a public URL, which it prints in place of its port."""

    def __init__(self, mica, store, *words):
        self.reserved = Reserved()
        self.port, self.said, self.ready = self.reserved.number, [], threading.Event()
        self.process = subprocess.Popen(
            [mica, "serve", "--listen", "127.0.0.1:%d" % self.port, "--store", store.spec,
             "--drain", "0", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, cwd=store.folder.name,
            env=dict(os.environ, XDG_STATE_HOME=store.folder.name))
        threading.Thread(target=self.read_errors, daemon=True).start()
        need(self.process.stdout.readline(), self.said)

    def end(self, *how):
        super().end(*how)
        self.reserved.release()


class Case:
    """A store with two apps, and a server that has names for them."""

    def __init__(self, options, *words, config=CONFIG, environment=None):
        self.store = Store(options.app_store)
        self.store.publish()
        self.store.publish("shop", 1, version("Shop", toolName="find_item"))
        with open(os.path.join(self.store.folder.name, "mica.toml"), "w",
                  encoding="utf-8") as file:
            file.write(config)
        self.server = Behind(options.mica, self.store, *words) \
            if "--public-url" in words else \
            Server(options.mica, self.store, *words, environment=environment)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.server.end()

    def ask(self, host, method, path, headers=None, body=None):
        """(status, headers, text) of a request with that Host."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port,
                                                timeout=PATIENCE)
        sent = {"Host": host, "Accept": "application/json, text/event-stream"}
        if body is not None:
            sent["Content-Type"] = "application/json"
        sent.update(headers or {})
        connection.request(method, path, body, sent)
        response = connection.getresponse()
        return response.status, response.headers, response.read().decode("utf-8", "replace")

    def raw(self, text):
        """The status of a request as it stands."""
        with socket.create_connection(("127.0.0.1", self.server.port), PATIENCE) as wire:
            wire.sendall(text.replace("\n", "\r\n").encode())
            answer = wire.makefile("rb").read()
        return int(answer.split(b" ")[1]), answer.decode(errors="replace")


def code(text):
    """The stable code in an answer of any form."""
    found = re.search(r'"code":\s*"([A-Z_]+)"', text)
    return found and found.group(1)


# ---- The matrix --------------------------------------------------------------------


MODERN_LIST = dict(MODERN, **{"Mcp-Method": "tools/list"})
# (method, path, headers, body): what the app, another app, an unpublished slug and the
# server itself answer it at their names.
ROUTES = [
    # route                                               app  none house
    (("POST", "/mcp", MODERN_LIST, LIST),                 200, 404, 200),
    (("GET", "/", {}, None),                              200, 404, 200),
    (("GET", "/api", {}, None),                           200, 404, 200),
    (("POST", "/api/get_order_status", {}, CALL),         200, 404, 404),
    (("GET", "/openapi.json", {}, None),                  200, 404, 200),
    (("GET", "/ui/card.html", {}, None),                  200, 404, 404),
    (("GET", "/web/design.css", {}, None),                200, 200, 200),
    (("GET", "/favicon.ico", {}, None),                   200, 200, 200),
    (("OPTIONS", "/mcp", {}, None),                       204, 204, 204),
    (("GET", "/servers/shop", {}, None),                  404, 404, 200),
    (("GET", "/servers/my-support-bot", {}, None),        404, 404, 200),
    (("POST", "/servers/shop/mcp", MODERN_LIST, LIST),    404, 404, 200),
    (("POST", "/servers/my-support-bot/mcp", MODERN_LIST, LIST), 404, 404, 200),
    (("GET", "/servers/shop/ui/card.html", {}, None),     404, 404, 200),
    (("GET", "/servers/shop/openapi.json", {}, None),     404, 404, 200),
    (("GET", "/../shop/openapi.json", {}, None),          404, 404, 404),
    (("GET", "/..%2fshop/openapi.json", {}, None),        404, 404, 404),
    (("GET", "//openapi.json", {}, None),                 404, 404, 404),
    (("GET", "/console", {}, None),                       404, 404, 200),
    (("GET", "/api/apps", {}, None),                      404, 404, 200),
    (("GET", "/api/apps/my-support-bot", {}, None),       404, 404, 200),
    (("POST", "/api/apps", {"Sec-Fetch-Site": "same-origin"}, '{"name":"x"}'),
     404, 404, 201),
    (("POST", "/builder/mcp", MODERN_LIST, LIST),         404, 404, 200),
    (("GET", "/healthz", {}, None),                       404, 404, 200),
    (("GET", "/tools/hash", {}, None),                    404, 404, 200),
    (("GET", "/engines/hash.wasm", {}, None),               404, 404, 200),
    (("GET", "/calls/" + "A" * 22, {}, None),             404, 404, 200),
    (("GET", "/host", {}, None),                          404, 404, 200),
    (("POST", "/host/rpc", MODERN_LIST, LIST),            404, 404, 200),
    (("GET", "/sandbox", {}, None),                       404, 404, 404),
    (("GET", "/sw.js", {}, None),                         404, 404, 200),
    (("POST", "/web/form", {}, "{}"),                     405, 405, 200),
    (("GET", "/web/console/console.js", {}, None),         200, 200, 200),
    (("GET", "/inspect", {}, None),                       404, 404, 404),
    (("GET", "/dev/state", {}, None),                     404, 404, 404),
    (("GET", "/login", {}, None),                         404, 404, 404),
    (("GET", "/.well-known/oauth-protected-resource", {}, None), 404, 404, 404),
    (("GET", "/nothing", {}, None),                       404, 404, 404),
]


def matrix(options):
    """Each name has its app at the root, and nothing else of the server: name by route"""
    wrong = []
    with Case(options, "--host-page", "--engines", options.engines) as case:
        # Files of pages are the same everywhere: they tell nothing of what is served.
        for (method, path, headers, body), app, none, house in ROUTES:
            for host, wanted in ((NAME, app), ("none.localhost", none),
                                 ("evil.example.com", 403), ("a." + NAME, 403),
                                 (HOUSE, house), ("localhost", house)):
                status, _, text = case.ask(host, method, path, headers, body)
                if status != wanted:
                    wrong.append((host, method, path, status, wanted, text[:200]))
                if host == "none.localhost" and (app, status) == (200, 404):
                    same(code(text), "APP_NOT_FOUND", (path, text))
                if host == NAME and status == 404:
                    need(code(text) in ("NOT_FOUND", None), (path, text))
                    need("my-support-bot" not in text.replace(path, "")
                         and "shop" not in text.replace(path, ""), (path, text))
        same(wrong, [], "answers")
        # Each name has its own app and no other one.
        for host, tool in ((NAME, "get_order_status"), ("help.localhost",
                           "get_order_status"), (OTHER_NAME, "get_order_status"),
                           (THIRD, "find_item")):
            status, _, text = case.ask(host, "POST", "/mcp", MODERN_LIST, LIST)
            same([t["name"] for t in json.loads(text)["result"]["tools"]], [tool], host)
        same(case.ask(THIRD, "POST", "/api/get_order_status", {}, CALL)[0], 404, "another's")


def spellings(options):
    """A name counts in any case, with a port, with a dot; and no other text does"""
    with Case(options) as case:
        for host in (NAME, NAME.upper(), "Support.LocalHost", NAME + ":443",
                     NAME + ":8080", NAME + ".", NAME.upper() + ".:65535"):
            status, _, text = case.ask(host, "GET", "/openapi.json")
            same((status, json.loads(text)["servers"][0]["url"]), (200, "https://" + NAME),
                 host)
        for host in (NAME + "..", "." + NAME, NAME + ":", NAME + ":x", NAME + ":123456",
                     NAME + ":80:80", "x" + NAME, NAME + ".evil.example", "user@" + NAME,
                     NAME + "/", NAME + "%2e", "[" + NAME + "]", NAME + ",localhost",
                     "supportlocalhost", "hälfe.localhost".encode().decode("latin-1"), ""):
            status = case.ask(host, "GET", "/openapi.json")[0]
            need(status in (400, 403), (host, status))
        head = "GET %s HTTP/1.1\n%sConnection: close\n\n"
        for target, hosts, wanted in (
                ("http://%s/openapi.json" % NAME, "Host: %s\n" % NAME, 200),
                ("HTTPS://SUPPORT.localhost:443/openapi.json", "Host: %s\n" % HOUSE, 200),
                ("http://%s/openapi.json" % NAME, "Host: evil.example.com\n", 200),
                # REST and MCP want the header to name the server, too.
                ("http://%s/openapi.json" % HOUSE, "Host: %s\n" % NAME, 403),
                ("http://evil.example.com/openapi.json", "Host: %s\n" % NAME, 403),
                ("http://%s/healthz" % HOUSE, "Host: %s\n" % NAME, 200),
                ("http://%s/healthz" % NAME, "Host: %s\n" % HOUSE, 404),
                ("http://%s" % NAME, "Host: %s\n" % NAME, 200),
                ("/openapi.json", "Host: %s\nHost: %s\n" % (NAME, HOUSE), 400),
                ("/healthz", "Host: %s\nHost: %s\n" % (HOUSE, NAME), 400),
                ("/openapi.json", "", 400)):
            status, answer = case.raw(head % (target, hosts))
            same(status, wanted, (target, hosts, answer[:300]))
        # Without a slash the path would continue the slug: my-support-bot-2 is an app.
        case.store.publish(APP + "-2", text=version("Second", toolName="second"))
        same(case.ask(HOUSE, "GET", "/servers/%s-2/openapi.json" % APP)[0], 200, "it is there")
        for target in ("-2/openapi.json", "-2", "*"):
            status, answer = case.raw(head % (target, "Host: %s\n" % NAME))
            need(status in (400, 404), (target, answer[:300]))
            need("second" not in answer, answer)
        # One connection may name several hosts, one after the other.
        connection = http.client.HTTPConnection("127.0.0.1", case.server.port)
        for host, path, wanted in ((NAME, "/healthz", 404), (HOUSE, "/healthz", 200),
                                   (NAME, "/openapi.json", 200), (THIRD, "/openapi.json", 200),
                                   ("evil.example.com", "/healthz", 403)):
            connection.request("GET", path, headers={"Host": host})
            response = connection.getresponse()
            same(response.status, wanted, (host, path))
            response.read()


def addresses(options):
    """What the server writes at a name has this name, and the scheme that its operator gave"""
    with Case(options, "--http-sse", "--public-url", "https://example.org/x",
              "--allow-host", "example.org") as case:
        for host, origin in ((NAME, "https://" + NAME), ("help.localhost",
                             "http://help.localhost:8081")):
            text = case.ask(host, "GET", "/openapi.json")[2]
            same(json.loads(text)["servers"][0]["url"], origin, host)
            status, headers, page = case.ask(host, "GET", "/", {"Accept": "text/html, */*"})
            same((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"), page)
            need(origin + "/mcp" in page, page)
            for gone in ("servers/", "example.org", "console", "All tools", "healthz",
                         'role="search"', "shop", "/x/"):
                need(gone not in page, (gone, page))
            links = set(re.findall(r'(?:src|href)="([^"#]+)', page))
            need(any(link.startswith("ui/card.html") for link in links), links)
            for link in links:
                status, _, text = case.ask(host, "GET", "/" + link.replace("./", ""))
                same(status, 200, (host, link))
            connection = http.client.HTTPConnection("127.0.0.1", case.server.port,
                                                    timeout=PATIENCE)
            connection.request("GET", "/sse", headers={"Host": host,
                                                       "Accept": "text/event-stream"})
            stream = connection.getresponse()
            said = stream.read1(256).decode()
            need("data: /messages?session=" in said, said)
            connection.close()
            # An error names paths as the client sees them.
            text = case.ask(host, "GET", "/ui/list.html")[2]
            need("/ui/list.html" in text and "servers" not in text, text)
            text = case.ask(host, "PUT", "/")[2]
            need('"/ answers GET and HEAD only"' in text, text)
            text = case.ask(host, "GET", "/servers/shop/mcp")[2]
            need("the MCP endpoint is /mcp" in text, text)
        # At the server's own names all is as before; the base path is of these alone.
        text = case.ask("example.org", "GET", "/x/servers/%s/openapi.json" % APP)[2]
        same(json.loads(text)["servers"][0]["url"],
             "https://example.org/x/servers/" + APP, "the house")
        same(case.ask(NAME, "GET", "/x/openapi.json")[0], 404, "a base path")
    # The record names the address that people give away: the first of its names.
    with Case(options) as case:
        for slug, url in ((APP, "https://%s/mcp" % NAME), ("shop", "https://%s/mcp" % THIRD)):
            same(json.loads(case.ask(HOUSE, "GET", "/api/apps/" + slug)[2])["url"], url, slug)


def collections(options):
    """A collection has a name as an app has one, and its page leads to no other address"""
    with Case(options, "--app-host", "desk.localhost=front-desk") as case:
        for words in (["new", "Front Desk", APP, "shop"],):
            done = subprocess.run([options.mica, "collection", *words, "--store",
                                   case.store.spec], cwd=case.store.folder.name, text=True,
                                  capture_output=True, timeout=PATIENCE, check=False)
            same(done.returncode, 0, done.stderr)
        until(lambda: case.ask("desk.localhost", "GET", "/openapi.json")[0] == 200)
        text = case.ask("desk.localhost", "POST", "/mcp", MODERN_LIST, LIST)[2]
        same(sorted(t["name"] for t in json.loads(text)["result"]["tools"]),
             ["find_item", "get_order_status"], "its tools")
        status, _, page = case.ask("desk.localhost", "GET", "/", {"Accept": "text/html, */*"})
        need(status == 200 and "https://desk.localhost/mcp" in page, page)
        for link in set(re.findall(r'(?:src|href)="([^"#]+)', page)):
            same(case.ask("desk.localhost", "GET", "/" + link.replace("./", ""))[0], 200, link)
        for path in ("/shop", "/servers/shop", "/host", "/host/sandbox"):
            same(case.ask("desk.localhost", "GET", path)[0], 404, path)


def editing(options):
    """Where an app has a name that other machines know, apps are edited with tokens alone: a
    proxy may pass on requests under whatever name"""
    with Case(options, config='[apps.hosts]\n"support.example.com" = "my-support-bot"\n'
              '"a.localhost" = "my-support-bot"\n') as case:
        same(case.ask("support.example.com", "GET", "/openapi.json")[0], 200, "the app")
        for path in ("/console", "/api/apps", "/builder/mcp"):
            same(case.ask(HOUSE, "GET", path)[0], 404, path)
        until(lambda: any("apps are not edited here" in line for line in case.server.said))
        same(case.ask(HOUSE, "GET", "/servers/" + APP)[0], 200, "at the server's own name")


def clients(options):
    """Each revision of MCP works by the name, with sessions, streams and progress; a session
    is the app's at each of its addresses"""
    with Case(options) as case:
        def post(body, headers=None, host=NAME, path="/mcp"):
            response = case.server.request("POST", path, dict(headers or {}, Host=host), body)
            return response, *whole(response)
        for revision in ("2025-03-26", "2025-06-18", "2025-11-25"):
            response, status, messages = post({
                "jsonrpc": "2.0", "id": 0, "method": "initialize",
                "params": {"protocolVersion": revision, "capabilities": {},
                           "clientInfo": {"name": "t", "version": "1"}}})
            same(status, 200, messages)
            headers = {"Mcp-Session-Id": response.getheader("Mcp-Session-Id"),
                       "MCP-Protocol-Version": revision}
            call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                    "params": {"name": "get_order_status", "_meta": {"progressToken": 1},
                               "arguments": {"message": "Where?"}}}
            for host, path, wanted in ((NAME, "/mcp", 200), ("help.localhost", "/mcp", 200),
                                       (HOUSE, "/servers/%s/mcp" % APP, 200),
                                       (THIRD, "/mcp", 404), (HOUSE, "/mcp", 404)):
                _, status, messages = post(call, headers, host, path)
                same(status, wanted, (revision, host, messages))
            stream = Stream(case.server.request("GET", "/mcp", dict(headers, Host=NAME)))
            case.store.publish(text=version("Order of " + revision))
            need(stream.wait_for("notifications/tools/list_changed"), stream.events)
        body = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen",
                "params": params_of(notifications={"toolsListChanged": True})}
        stream = Stream(case.server.request("POST", "/mcp", dict(
            MODERN, Host=NAME, **{"Mcp-Method": "subscriptions/listen"}), body))
        need(stream.wait_for("notifications/subscriptions/acknowledged"), stream.events)
        # Unpublished, its name says so, and serves it again afterwards.
        case.store.unpublish()
        need(stream.ended.wait(PATIENCE), "the stream")
        until(lambda: code(case.ask(NAME, "POST", "/mcp", MODERN_LIST, LIST)[2]) ==
              "APP_NOT_FOUND")
        same(json.loads(case.ask(NAME, "POST", "/mcp", MODERN_LIST, LIST)[2])["id"], 7, "id")
        case.store.publish()
        until(lambda: case.ask(NAME, "POST", "/mcp", MODERN_LIST, LIST)[0] == 200)


def origins(options):
    """Pages of the name may call the app there, those of other names and of the server may
    not, whatever the server allows for itself"""
    with Case(options, "--allow-host", "*", "--allow-origin", "https://friend.example") as case:
        def status(host, origin, path="/mcp"):
            return case.ask(host, "POST", path, dict(MODERN_LIST, Origin=origin), LIST)[0]
        for origin, wanted in (("https://" + NAME, 200), ("http://%s:8080" % NAME, 200),
                               ("https://friend.example", 200), ("https://" + THIRD, 403),
                               ("https://example.org", 403), ("https://evil.example", 403),
                               # Pages of this machine may call every server on it.
                               ("http://%s:8080" % HOUSE, 200), ("http://localhost", 200),
                               ("null", 403), ("https://help.localhost", 403)):
            same(status(NAME, origin), wanted, origin)
        # With "*" a name that is an app's is still no name of the server.
        same(case.ask("any.example", "GET", "/healthz")[0], 200, "any name")
        same(case.ask(NAME, "GET", "/healthz")[0], 404, "the app's name")
    with Case(options) as case:
        same(case.ask(HOUSE, "POST", "/mcp", dict(MODERN_LIST, Origin="https://" + NAME),
                      LIST)[0], 403, "a page of the app at the server")


def protected(options):
    """With tokens the name is a resource of its own: metadata, challenges, audiences; and no
    cookie counts there"""
    names = ("--app-host", NAME + "=app-0001", "--app-host",
             "http://%s:8081=app-0002" % THIRD)
    well = "/.well-known/oauth-protected-resource"
    with Site(options, *names) as site:
        house = "127.0.0.1:%d" % site.mica.port.number
        slug, other = site.publish("token"), site.publish("scope")
        same((slug, other), ("app-0001", "app-0002"), "slugs")

        def ask(host, method, path, headers=None, body=None):
            return site.mica.ask(method, path, body, dict(headers or {}, Host=host))

        def listing(host, token=None, path="/mcp"):
            return ask(host, "POST", path, {**MODERN, **(bearer(token) if token else {})}, LIST)
        for host, origin in ((NAME, "https://" + NAME),
                             (THIRD, "http://%s:8081" % THIRD)):
            for path in (well, well + "/mcp"):
                reply = ask(host, "GET", path)
                same((reply.status, json.loads(reply.text)["resource"]),
                     (200, origin + "/mcp"), (host, path))
                need(site.issuer.url in reply.text, reply.text)
                same(ask(host, "OPTIONS", path, {"Origin": "https://inspector.example"}).status,
                     403, "as for every path")
            for path in ("/servers/%s/mcp" % slug, "/servers/%s/mcp" % other, "/x"):
                same(ask(host, "GET", well + path).status, 404, (host, path))
        reply = listing(NAME)
        same((reply.status, reply.headers["WWW-Authenticate"]),
             (401, 'Bearer resource_metadata="https://%s%s/mcp"' % (NAME, well)), "challenge")
        reply = listing(NAME, "nonsense")
        need('resource_metadata="https://%s%s/mcp"' % (NAME, well) in
             reply.headers["WWW-Authenticate"], reply.headers["WWW-Authenticate"])
        same(listing(THIRD).status, 404, "an app that needs a scope is not there")
        for path in ("/console", "/healthz", "/login", "/logout", "/servers/%s/mcp" % slug):
            same(ask(NAME, "GET", path).status, 404, path)
            same(ask(NAME, "GET", path, bearer(site.owner)).status, 404, path)
        # Below /api are the app's own tools, of which none is named "apps".
        same(ask(NAME, "GET", "/api/apps").status, 401, "no token")
        same(ask(NAME, "GET", "/api/apps", bearer(site.owner)).status, 404, "no such tool")
        same(ask(NAME, "GET", "/web/design.css").status, 200, "the style of its page")
        # A token for the name counts at the app, at each of its addresses, and nowhere else.
        for audience, wanted in (("https://%s/mcp" % NAME, (200, 200, 401, 401)),
                                 ("HTTPS://SUPPORT.localhost/mcp", (200, 200, 401, 401)),
                                 ("%s/servers/%s/mcp" % (site.mica.origin, slug),
                                  (200, 200, 401, 401)),
                                 (site.mica.origin + "/mcp", (200, 200, 200, 200)),
                                 ("https://%s" % NAME, (401,) * 4),
                                 ("http://%s/mcp" % NAME, (401,) * 4),
                                 ("https://%s/mcp/" % NAME, (401,) * 4),
                                 ("https://%s/servers/%s/mcp" % (NAME, slug), (401,) * 4),
                                 ("http://%s:8081/mcp" % THIRD, (401, 401, 200, 401))):
            token = site.token("orders", aud=audience)
            got = (listing(NAME, token).status,
                   listing(house, token, "/servers/%s/mcp" % slug).status,
                   listing(THIRD, token).status,
                   ask(house, "GET", "/api", bearer(token)).status)
            same(got, wanted, audience)


def logins(options):
    """A person who is signed in at the server is not signed in at the name of an app"""
    from login import PAGE, Browser
    with Site(options, "--app-host", NAME + "=app-0001") as site:
        slug = site.publish("token")
        browser = Browser(site.mica, site.issuer)
        browser.sign_in()
        same(browser.get("/servers/" + slug).status, 200, "at the server")
        reply = browser.ask("GET", "/", None, {**PAGE, "Host": NAME})
        same(reply.status, 401, "at the name")
        need("/login" not in reply.text, reply.text)


def run(options, config, *words, environment=None):
    """The failure of a start, on stderr."""
    store = Store(options.app_store)
    with open(os.path.join(store.folder.name, "mica.toml"), "w", encoding="utf-8") as file:
        file.write(config)
    done = subprocess.run(
        [options.mica, "serve", "--listen", "127.0.0.1:0", "--store", store.spec, *words],
        cwd=store.folder.name, capture_output=True, text=True, timeout=PATIENCE, check=False,
        env=dict(os.environ, XDG_STATE_HOME=store.folder.name, **(environment or {})))
    return done.returncode, done.stderr


def refusals(options):
    """A wrong name does not start the server, and its place in the file is told"""
    for line, told in (
            ('"a.example" = "x"\n"A.Example." = "y"', "line 3, column 1: .*a.example is given "
             "twice, for the apps x and y"),
            ('"a.example" = "x"\n"b.example" = "y"\n"https://a.example:8443" = "x"',
             "line 4, column 1: .*twice"),
            ('"a.example" = 3', "line 2, column 15: .*slug of an app in quotes"),
            ('"a.example" = "No Slug"', "line 2, column 1: .*slug"),
            ('"bücher.example" = "x"', "line 2, column 1: .*xn--"),
            ('"a_b.example" = "x"', "line 2, column 1"),
            ('"*.example" = "x"', "line 2, column 1"), ('"" = "x"', "line 2, column 1"),
            ('"127.0.0.1" = "x"', "line 2, column 1: .*address"),
            ('"[::1]" = "x"', "line 2, column 1"), ('"localhost" = "x"', "line 2, column 1"),
            ('"a.example:x" = "x"', "line 2, column 1: .*port"),
            ('"a.example/mcp" = "x"', "line 2, column 1"),
            ('"ftp://a.example" = "x"', "line 2, column 1"),
            ('"a..example" = "x"', "line 2, column 1"),
            ('"%s.example" = "x"' % ("a" * 64), "line 2, column 1"),
            ('"%sexample" = "x"' % ("abc." * 64), "line 2, column 1: .*253")):
        status, said = run(options, "[apps.hosts]\n" + line + "\n")
        need(status in (2, 3), (line, status, said))
        need(re.search(r"mica\.toml: " + told, said), (line, said))
    many = "".join('"a%d.example" = "x"\n' % i for i in range(1001))
    status, said = run(options, "[apps.hosts]\n" + many)
    need(status != 0 and "at most 1000" in said, said)
    for words, told in ((("--app-host", "a.example=x", "--app-host", "a.example=y"), "twice"),
                        (("--app-host", "a.example"), "names no app"),
                        (("--app-host", "a.example=x", "--allow-host", "A.example:80"),
                         "allowed hosts"),
                        (("--app-host", "a.example=x", "--public-url", "https://a.example/x",
                          "--allow-host", "b.example"), "public URL")):
        status, said = run(options, "", *words)
        need(status in (2, 3) and told in said, (words, status, said))
    status, said = run(options, "", environment={"MICA_APPS_HOSTS": "a.example=x b"})
    need(status == 2 and "MICA_APPS_HOSTS" in said, said)


def settings(options):
    """The names come from flags, from the environment or from the file, and mica config shows
    them; a thousand of them are served"""
    many = "[apps.hosts]\n" + "".join('"a%03d.example" = "shop"\n' % i for i in range(1000))
    with Case(options, config=many) as case:
        for name in ("a000.example", "a512.example", "a999.example"):
            same(case.ask(name, "GET", "/openapi.json")[0], 200, name)
        same(case.ask("a1000.example", "GET", "/openapi.json")[0], 403, "none of them")
    with Case(options, "--app-host", "flag.example=shop") as case:
        same([case.ask(name, "GET", "/openapi.json")[0] for name in ("flag.example", NAME)],
             [200, 403], "a flag before the file")
        shown = subprocess.run([options.mica, "config", "--json"], check=True, timeout=PATIENCE,
                               cwd=case.store.folder.name, capture_output=True, text=True)
        got = {one["key"]: one for one in json.loads(shown.stdout)["settings"]}["apps.hosts"]
        same((got["value"][0], got["source"], got["line"], got["variable"], got["flag"]),
             (NAME + "=my-support-bot", "file", 1, "MICA_APPS_HOSTS", "--app-host"), got)
    with Case(options, environment={"MICA_APPS_HOSTS": "env.example=shop"}) as case:
        same([case.ask(name, "GET", "/openapi.json")[0] for name in ("env.example", NAME)],
             [200, 403], "the environment before the file")
    with Case(options, config="") as case:
        same(case.ask(NAME, "GET", "/openapi.json")[0], 403, "no names")


CASES = [matrix, spellings, addresses, collections, editing, clients, origins, protected, logins, refusals, settings]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mica", default="build/mica")
    parser.add_argument("--engines", default="build/engines")
    parser.add_argument("--app-store", default="build/tests/wire/app-store")
    parser.add_argument("only", nargs="*")
    options = parser.parse_args()
    for name in ("mica", "engines", "app_store"):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    cases = [case for case in CASES if not options.only or case.__name__ in options.only]
    print("1..%d" % len(cases))
    failed = 0
    for number, case in enumerate(cases, 1):
        why = None
        try:
            case(options)
        except Exception:  # a case says what was wrong, and the next runs
            why = traceback.format_exc()
        failed += why is not None
        print("%s %d - %s" % ("ok" if why is None else "not ok", number,
                              " ".join(case.__doc__.split())))
        for line in (why or "").splitlines():
            print("# " + line)
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Published apps, as clients meet them: what a slug serves in every revision, how a change
in the store reaches a server that serves, and what an address without an app answers;
prints TAP.

    apps.py --mica build/mica --app-store build/tests/wire/app-store
"""
import argparse
import contextlib
import http.client
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from ports import Reserved

PATIENCE = 30
PREFIX = "io.modelcontextprotocol/"
SESSIONS = ("2025-03-26", "2025-06-18", "2025-11-25")
HASHES = ("0123456789abcdef", "fedcba9876543210", "00112233445566aa")
SCHEMA = {"type": "object",
          "properties": {
              "message": {"type": "string", "description": "User query or request"},
              "context": {"type": "object",
                          "description": "Additional context (optional)"}},
          "required": ["message"]}


def version(title="Order 1", **other):
    """The text of a version."""
    return {"name": "My Support Bot", "description": "Helps with orders.",
            "toolName": "get_order_status",
            "toolDescription": "Retrieve the status of an order.",
            "layoutTemplate": "card", "mockData": {"title": title},
            "behavior": {"type": "data", "message": "Here is the order:"},
            "visibility": "public", **other}


class Store:
    """A store in a folder, and the program that writes to it."""

    def __init__(self, program):
        self.program = program
        self.folder = tempfile.TemporaryDirectory()
        self.spec = "sqlite:" + os.path.join(self.folder.name, "store.db")

    def act(self, *words):
        subprocess.run([self.program, self.spec, *words], check=True,
                       timeout=PATIENCE)

    def publish(self, slug="my-support-bot", widget=0, text=None):
        self.act("publish", "id-" + slug, slug, json.dumps(text or version()),
                 HASHES[widget], "<!doctype html><p>widget %d</p>" % widget)

    def usage(self):
        """(calls, failures, tokens) of each app and day."""
        path = self.spec.partition(":")[2]
        with contextlib.closing(sqlite3.connect(path)) as store:
            return store.execute(
                "SELECT calls, failures, tokens FROM app_usage ORDER BY day").fetchall()

    def unpublish(self, slug="my-support-bot"):
        self.act("unpublish", "id-" + slug)


class Server:
    def __init__(self, mica, store, *options, environment=None):
        self.port, self.metrics, self.said = None, None, []
        self.ready = threading.Event()
        self.process = subprocess.Popen(
            [mica, "serve", "--listen", "127.0.0.1:0", "--store", store.spec,
             "--drain", "0", *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, cwd=store.folder.name,
            env=dict(os.environ, XDG_STATE_HOME=store.folder.name,
                     **(environment or {})))
        threading.Thread(target=self.read_errors, daemon=True).start()
        line = self.process.stdout.readline()
        found = re.search(r":(\d+)/", line)
        assert found, (line, self.said)
        self.port = int(found.group(1))

    def read_errors(self):
        for line in self.process.stderr:
            self.said.append(line)

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        status = self.process.wait(PATIENCE)
        assert how == signal.SIGKILL or status == 0, (status, self.said[-20:])

    def request(self, method, path, headers=None, body=None, patience=PATIENCE):
        connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                timeout=patience)
        sent = {"Accept": "application/json, text/event-stream"}
        if body is not None:
            sent["Content-Type"] = "application/json"
        sent.update(headers or {})
        connection.request(method, path, None if body is None else json.dumps(body),
                           sent)
        return connection.getresponse()


def events_of(body):
    return [json.loads(line[6:]) for line in body.decode().split("\n")
            if line.startswith("data: ") and line != "data: "]


def whole(response):
    """(status, the messages of the reply)."""
    body = response.read()
    if response.getheader("Content-Type") == "text/event-stream":
        return response.status, events_of(body)
    return response.status, [json.loads(body)] if body else []


# ---- Clients -----------------------------------------------------------------------

def params_of(capabilities=None, **params):
    token, more = params.pop("token", None), params.pop("meta", {})
    meta = {**more, PREFIX + "protocolVersion": "2026-07-28",
            PREFIX + "clientInfo": {"name": "test", "version": "1"},
            PREFIX + "clientCapabilities": capabilities or {}}
    if token is not None:
        meta["progressToken"] = token
    return dict(params, _meta=meta)


def ask(server, method, slug="my-support-bot", capabilities=None, **params):
    """(status, messages) in the stateless revision."""
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
    name = params.get("name") or params.get("uri")
    if name:
        headers["Mcp-Name"] = name
    return whole(server.request(
        "POST", "/servers/%s/mcp" % slug, headers,
        {"jsonrpc": "2.0", "id": 7, "method": method,
         "params": params_of(capabilities, **params)}))


def result(server, method, slug="my-support-bot", **params):
    status, messages = ask(server, method, slug, **params)
    assert status == 200 and "result" in messages[-1], (status, messages)
    return messages[-1]["result"]


def call(server, slug="my-support-bot", **params):
    return result(server, "tools/call", slug, name="get_order_status",
                  arguments={"message": "Where is my order?"}, **params)


def title_of(server, slug="my-support-bot"):
    return call(server, slug)["structuredContent"]["title"]


class Session:
    """A client of a session revision."""

    def __init__(self, server, revision="2025-11-25", slug="my-support-bot",
                 capabilities=None):
        self.server, self.path = server, "/servers/%s/mcp" % slug
        self.headers = {}
        self.id = 0
        response = server.request("POST", self.path, {}, {
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {"protocolVersion": revision, "capabilities": capabilities or {},
                       "clientInfo": {"name": "test", "version": "1"}}})
        status, messages = whole(response)
        assert status == 200, (status, messages)
        self.said = messages[-1]["result"]
        self.headers = {"Mcp-Session-Id": response.getheader("Mcp-Session-Id"),
                        "MCP-Protocol-Version": revision}
        whole(server.request("POST", self.path, self.headers, {
            "jsonrpc": "2.0", "method": "notifications/initialized"}))

    def ask(self, method, **params):
        self.id += 1
        return whole(self.server.request("POST", self.path, self.headers, {
            "jsonrpc": "2.0", "id": self.id, "method": method, "params": params}))


class Stream:
    """An open stream, read by a thread."""

    def __init__(self, response):
        assert response.status == 200, (response.status, response.read())
        self.events, self.ended = [], threading.Event()
        self.response = response
        self.came = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        try:
            for line in self.response:
                if line.startswith(b"data: ") and len(line) > 8:
                    with self.came:
                        self.events.append(json.loads(line[6:]))
                        self.came.notify_all()
        except (OSError, http.client.HTTPException):
            pass
        self.ended.set()

    def wait_for(self, method, seconds=PATIENCE):
        with self.came:
            return self.came.wait_for(
                lambda: any(e.get("method") == method for e in self.events), seconds)


def listen(server, slug="my-support-bot"):
    return Stream(server.request(
        "POST", "/servers/%s/mcp" % slug,
        {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"},
        {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen",
         "params": params_of(notifications={"toolsListChanged": True,
                                            "resourcesListChanged": True})}))


def until(what, seconds=PATIENCE):
    """Waits until `what` is true; how long that took."""
    began = time.monotonic()
    while not what():
        assert time.monotonic() - began < seconds, "it did not come true"
        time.sleep(0.01)
    return time.monotonic() - began


def begin_request(server, path, headers, body, slug="my-support-bot"):
    """A connection with the head of a POST to the app, and the first byte of its body."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.putrequest("POST", "/servers/%s%s" % (slug, path))
    sent = {"Accept": "application/json, text/event-stream", **headers,
            "Content-Type": "application/json",
            "Content-Length": str(len(json.dumps(body)))}
    for name, value in sent.items():
        connection.putheader(name, value)
    connection.endheaders(json.dumps(body).encode()[:1])
    return connection


def gone(server, slug="my-support-bot"):
    return ask(server, "tools/list", slug)[0] == 404


# ---- What a slug serves ------------------------------------------------------------

def the_tool_is_that_of_the_app(mica, store):
    store.publish()
    server = Server(mica, store)
    tools = result(server, "tools/list")["tools"]
    assert len(tools) == 1, tools
    tool = tools[0]
    assert tool["name"] == "get_order_status"
    assert tool["description"] == "Retrieve the status of an order."
    assert tool["inputSchema"] == SCHEMA, tool["inputSchema"]
    assert tool["outputSchema"]["required"] == ["title"]
    assert tool["annotations"]["readOnlyHint"] is True
    address = "ui://widget/my-support-bot.html?v=" + HASHES[0]
    assert tool["_meta"]["openai/outputTemplate"] == address
    assert tool["_meta"]["ui"]["resourceUri"] == address
    assert result(server, "server/discover")["_meta"][PREFIX + "serverInfo"] == {
        "name": "My Support Bot", "version": "1",
        "description": "Helps with orders."}
    server.end()


def the_result_is_the_data_and_which_widget_shows_it(mica, store):
    store.publish()
    server = Server(mica, store)
    said = call(server)
    assert said["structuredContent"] == {"title": "Order 1"}
    assert said["_meta"]["openai/outputTemplate"].endswith("?v=" + HASHES[0])
    assert [block["text"] for block in said["content"]] == \
        ["Here is the order:", "Order 1"], said["content"]
    shows = {"extensions": {PREFIX + "ui":
                            {"mimeTypes": ["text/html;profile=mcp-app"]}}}
    said = call(server, capabilities=shows)
    assert [block["text"] for block in said["content"]] == ["Here is the order:"]
    wrong = result(server, "tools/call", name="get_order_status", arguments={})
    assert wrong["isError"] is True and "message" in wrong["content"][0]["text"]
    assert wrong["_meta"]["mica/error"]["code"] == "MISSING_FIELD", wrong
    server.end()


def sessions_have_it_too(mica, store):
    store.publish()
    server = Server(mica, store)
    for revision in SESSIONS:
        session = Session(server, revision)
        assert session.said["serverInfo"]["name"] == "My Support Bot"
        status, messages = session.ask("tools/list")
        assert messages[-1]["result"]["tools"][0]["name"] == "get_order_status"
        status, messages = session.ask("tools/call", name="get_order_status",
                                       arguments={"message": "Where?"})
        assert status == 200, messages
        blocks = messages[-1]["result"]["content"]
        assert blocks[0]["text"] == "Here is the order:", blocks
    server.end()


def progress_goes_from_0_to_100(mica, store):
    store.publish()
    server = Server(mica, store)
    wanted = [(0, 100), (50, 100), (100, 100)]

    def heard(messages):
        return [(m["params"]["progress"], m["params"]["total"]) for m in messages
                if m.get("method") == "notifications/progress"]
    _, messages = ask(server, "tools/call", name="get_order_status",
                      arguments={"message": "Where?"}, token="t")
    assert heard(messages) == wanted, messages
    _, messages = Session(server).ask(
        "tools/call", name="get_order_status", arguments={"message": "Where?"},
        _meta={"progressToken": 5})
    assert heard(messages) == wanted, messages
    assert "structuredContent" in messages[-1]["result"]
    server.end()


def widgets_are_read_by_each_of_their_addresses(mica, store):
    store.publish(widget=0)
    store.publish(widget=1)
    server = Server(mica, store)
    plain = "ui://widget/my-support-bot.html"
    listed = result(server, "resources/list")["resources"]
    assert [r["uri"] for r in listed] == [plain, plain + "?v=" + HASHES[1]], listed
    assert {r["mimeType"] for r in listed} == {"text/html;profile=mcp-app"}

    def read(uri):
        contents = result(server, "resources/read", uri=uri)["contents"]
        assert len(contents) == 1 and contents[0]["uri"] == uri, contents
        assert contents[0]["mimeType"] == "text/html;profile=mcp-app"
        assert "ui" in contents[0]["_meta"], contents
        return contents[0]["text"]
    assert read(plain) == read(plain + "?v=" + HASHES[1])
    assert read(plain).endswith("widget 1</p>")
    assert read(plain + "?v=" + HASHES[0]).endswith("widget 0</p>")
    for uri in (plain + "?v=" + HASHES[2], "ui://widget/other.html",
                plain + "?v=" + HASHES[0][:15], plain + "?w=" + HASHES[0]):
        _, messages = ask(server, "resources/read", uri=uri)
        assert messages[-1]["error"]["data"]["code"] == "NOT_FOUND", (uri, messages)
    server.end()


def people_and_programs_have_pages_of_it(mica, store):
    store.publish(text=version(name="<b>Bot</b>"))
    server = Server(mica, store)
    response = server.request("GET", "/servers/my-support-bot",
                              {"Accept": "text/html,*/*"})
    page = response.read().decode()
    assert response.status == 200, page
    assert "&lt;b&gt;Bot&lt;/b&gt;" in page and "<b>Bot" not in page
    assert 'sandbox="allow-scripts"' in page
    assert "my-support-bot/ui/card.html?data=mock" in page
    assert "/servers/my-support-bot/mcp" in page
    assert "frame-src 'self'" in response.getheader("Content-Security-Policy")
    response = server.request("GET", "/servers/my-support-bot/ui/card.html")
    assert response.read() == b"<!doctype html><p>widget 0</p>"
    assert response.getheader("Content-Security-Policy").startswith(
        "sandbox allow-scripts;")
    assert response.getheader("X-Content-Type-Options") == "nosniff"
    response = server.request("GET", "/servers/my-support-bot/ui/card.html?data=mock")
    assert response.status == 200 and b"Order 1" in response.read()
    assert server.request("GET", "/servers/my-support-bot/ui/list.html").status == 404
    assert server.request("POST", "/servers/my-support-bot/ui/card.html",
                          body={}).status == 405
    status, said = whole(server.request(
        "POST", "/servers/my-support-bot/api/get_order_status",
        {"Accept": "application/json"}, {"message": "Where?"}))
    assert status == 200 and said[0] == {"title": "Order 1"}, said
    status, said = whole(server.request(
        "GET", "/servers/my-support-bot/openapi.json"))
    assert status == 200 and "get_order_status" in json.dumps(said)
    assert server.request("GET", "/servers/my-support-bot/other").status == 404
    server.end()


# ---- Where there is no app ---------------------------------------------------------

def an_address_without_an_app_says_so(mica, store):
    store.publish()
    store.act("create", "id-draft", "draft", json.dumps(version()))
    server = Server(mica, store)
    for slug in ("nothing", "draft", "My-Bot", "a--b", "x" * 65, "%ff%fe", "-"):
        status, messages = ask(server, "tools/list", slug)
        assert status == 404, (slug, status)
        error = messages[0]["error"]
        assert isinstance(error["code"], int) and messages[0]["id"] == 7, messages
        assert error["data"]["code"] == "APP_NOT_FOUND", messages
        assert error["data"]["message"] == error["message"], messages
        for path in ("api/get_order_status", "openapi.json", "ui/card.html", ""):
            response = server.request("GET", "/servers/%s%s" % (
                slug, "/" + path if path else ""))
            said = json.loads(response.read())
            assert response.status == 404, (slug, path)
            assert said["error"]["code"] == "APP_NOT_FOUND", said
            assert set(said) == {"error"}, said
    response = server.request("GET", "/servers/nothing",
                              {"Accept": "text/html,*/*"})
    assert response.status == 404
    assert response.getheader("Content-Type").startswith("text/html")
    # Below no endpoint, and not below this one.
    for path in ("/servers", "/servers/", "/servers/my-support-bot/mcp/more"):
        assert server.request("GET", path).status == 404, path
    server.end()


def an_app_that_is_not_public_needs_a_server_with_tokens(mica, store):
    store.publish(text=version(visibility="token"))
    store.publish("other", text=version(visibility="scope", scope="orders"))
    server = Server(mica, store)
    for slug in ("my-support-bot", "other"):
        assert gone(server, slug)
        for path in ("", "/ui/card.html", "/openapi.json"):
            assert server.request("GET", "/servers/" + slug + path).status == 404
    server.end()


def the_log_has_the_whole_path(mica, store):
    store.publish()
    server = Server(mica, store, "--log", "json", "--base-path", "/x")
    asked = ["/servers/my-support-bot", "/servers/my-support-bot/openapi.json",
             "/servers/nothing", "/servers/nothing/mcp", "/x/servers/my-support-bot/host",
             "/servers/my-support-bot/api/calls/secret-id",
             "/x/servers/my-support-bot/api/calls/secret-id"]
    for path in asked:
        server.request("GET", path).read()
    server.end()
    logged = [json.loads(line) for line in server.said if line.startswith('{"time"')]
    assert [line["path"] for line in logged] == asked[:-2] + [
        "/api/calls/{id}", "/x/api/calls/{id}"], logged
    assert ["endpoint" in line for line in logged] == [True, True, False, False, True, True,
                                                       True]
    assert logged[0]["endpoint"].startswith("app/"), logged[0]


def a_base_path_lies_before_the_apps(mica, store):
    store.publish()
    refused = subprocess.run([mica, "serve", "--store", store.spec, "--base-path",
                              "/servers"], capture_output=True, text=True,
                             timeout=PATIENCE, cwd=store.folder.name)
    assert refused.returncode != 0 and "published apps" in refused.stderr
    server = Server(mica, store, "--base-path", "/x")
    assert title_of(server) == "Order 1" # as behind a proxy that strips it
    for path in ("/x/servers/my-support-bot", "/servers/my-support-bot"):
        response = server.request("GET", path, {"Accept": "text/html,*/*"})
        page = response.read().decode()
        assert response.status == 200 and "/x/servers/my-support-bot/mcp" in page, page
        assert 'href="../web/' in page, page
    server.end()
    server = Server(mica, store, "--base-path", "/servers/my-support-bot")
    status, messages = ask(server, "tools/list", "my-support-bot/servers/my-support-bot")
    assert status == 503 and "base path" in messages[0]["error"]["message"], messages
    server.end()


def counter(server_metrics, name):
    connection = http.client.HTTPConnection("127.0.0.1", server_metrics,
                                            timeout=PATIENCE)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    return int(re.search(r"^%s (\d+)$" % name, text, re.M).group(1))


def asking_again_and_again_costs_no_look_into_the_store(mica, store):
    store.publish()
    reserved = Reserved()
    metrics = reserved.number
    server = Server(mica, store, "--metrics", "127.0.0.1:%d" % metrics)
    assert title_of(server) == "Order 1"
    store.unpublish()
    until(lambda: gone(server))
    looked = counter(metrics, "mica_apps_looked_total")
    for _ in range(200):
        assert gone(server) and gone(server, "nothing")
    assert counter(metrics, "mica_apps_looked_total") <= looked + 2
    assert counter(metrics, "mica_apps_absent") == 2
    store.publish(text=version("Order 2"))
    until(lambda: not gone(server))
    assert title_of(server) == "Order 2"
    server.end()
    reserved.release()


# ---- Changes -----------------------------------------------------------------------

def who_listens_hears_of_a_new_version(mica, store):
    store.publish()
    server = Server(mica, store)
    stream, session = listen(server), Session(server)
    own = Stream(server.request("GET", session.path, session.headers))
    assert stream.wait_for("notifications/subscriptions/acknowledged")
    store.publish(widget=1, text=version("Order 2"))
    for method in ("tools/list_changed", "resources/list_changed"):
        assert stream.wait_for("notifications/" + method), stream.events
        assert own.wait_for("notifications/" + method), own.events
    said = call(server)
    assert said["structuredContent"] == {"title": "Order 2"}
    assert said["_meta"]["openai/outputTemplate"].endswith(HASHES[1])
    assert said["_meta"][PREFIX + "serverInfo"]["version"] == "2"
    assert not stream.ended.is_set() and not own.ended.is_set()
    server.end()


def an_edit_of_the_draft_tells_nobody(mica, store):
    store.publish()
    server = Server(mica, store)
    title_of(server)
    stream = listen(server)
    assert stream.wait_for("notifications/subscriptions/acknowledged")
    store.act("edit", "id-my-support-bot", json.dumps(version("Order 3")))
    time.sleep(0.8)
    assert len(stream.events) == 1, stream.events
    assert title_of(server) == "Order 1"
    server.end()


def what_is_unpublished_ends_its_streams(mica, store):
    store.publish()
    store.publish("other")
    server = Server(mica, store)
    session = Session(server)
    streams = [listen(server),
               Stream(server.request("GET", session.path, session.headers))]
    others = listen(server, "other")
    assert streams[0].wait_for("notifications/subscriptions/acknowledged")
    store.unpublish()
    for stream in streams:
        assert stream.ended.wait(PATIENCE), stream.events
    assert gone(server)
    status, messages = session.ask("tools/list")
    assert status == 404, messages
    assert messages[0]["error"]["data"]["code"] == "APP_NOT_FOUND", messages
    assert not others.ended.is_set()
    assert title_of(server, "other") == "Order 1"
    # The session is bound to the app, which is the same again.
    store.publish(text=version("Order 4"))
    until(lambda: not gone(server))
    status, messages = session.ask("tools/call", name="get_order_status",
                                   arguments={"message": "Where?"})
    assert status == 200, messages
    assert messages[-1]["result"]["structuredContent"]["title"] == "Order 4"
    store.act("delete", "id-other")
    assert others.ended.wait(PATIENCE)
    assert gone(server, "other")
    server.end()


def a_request_runs_on_the_app_that_it_was_routed_to(mica, store):
    """Its head comes before the app is unpublished, and its body afterwards."""
    store.publish()
    server = Server(mica, store)
    session = Session(server)
    modern = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}
    listing = {"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": params_of()}
    requests = [("/mcp", modern, listing),
                ("/mcp", session.headers, dict(listing, params={})),
                ("/mcp", dict(modern, **{"Mcp-Method": "subscriptions/listen"}),
                 dict(listing, method="subscriptions/listen",
                      params=params_of(notifications={"toolsListChanged": True}))),
                ("/api/get_order_status", {}, {"message": "Where?"})]
    halves = [(begin_request(server, path, headers, body), json.dumps(body))
              for path, headers, body in requests]
    store.unpublish()
    until(lambda: gone(server))
    answers = []
    for connection, body in halves:
        connection.send(body.encode()[1:])
        answers.append(connection.getresponse())
    for response in answers[:2]:
        status, messages = whole(response)
        assert status == 200 and messages[0]["id"] == 7, (status, messages)
        assert messages[0]["result"]["tools"][0]["name"] == "get_order_status", messages
    assert Stream(answers[2]).ended.wait(PATIENCE)
    assert answers[3].status == 200, answers[3].read()
    # The next one is for an app that does not exist, and says so with its id.
    status, messages = ask(server, "tools/list")
    assert (status, messages[0]["id"], messages[0]["error"]["data"]["code"]) == (
        404, 7, "APP_NOT_FOUND"), messages
    server.end()


def a_slug_that_is_used_again_is_another_app(mica, store):
    store.publish()
    server = Server(mica, store)
    session, stream = Session(server), listen(server)
    store.act("delete", "id-my-support-bot")
    store.act("publish", "id-second", "my-support-bot", json.dumps(version("New")),
              HASHES[0], "<p>")
    assert stream.ended.wait(PATIENCE)
    until(lambda: not gone(server))
    assert title_of(server) == "New"
    status, messages = session.ask("tools/list")
    assert status == 404, messages
    assert messages[0]["error"]["data"]["code"] != "APP_NOT_FOUND", messages
    server.end()


def a_session_outlives_the_server(mica, store):
    store.publish()
    server = Server(mica, store)
    session = Session(server)
    server.end()
    server = Server(mica, store)
    session.server = server
    status, messages = session.ask("tools/list")
    assert status == 200, messages
    server.end()


def a_change_during_a_crash_is_there_afterwards(mica, store):
    store.publish()
    server = Server(mica, store)
    assert title_of(server) == "Order 1"
    server.end(signal.SIGKILL)
    store.publish(text=version("Order 2"))
    server = Server(mica, store)
    assert title_of(server) == "Order 2"
    server.end()


def two_servers_see_the_same(mica, store):
    store.publish()
    servers = [Server(mica, store) for _ in range(2)]
    assert [title_of(server) for server in servers] == ["Order 1"] * 2
    store.publish(text=version("Order 2"))
    for server in servers:
        until(lambda: title_of(server) == "Order 2")
    store.unpublish()
    for server in servers:
        until(lambda: gone(server))
    for server in servers:
        server.end()


def many_apps_are_served(mica, store):
    store.act("many", "300", json.dumps(version()), HASHES[0], "<p>")
    reserved = Reserved()
    metrics = reserved.number
    server = Server(mica, store, "--metrics", "127.0.0.1:%d" % metrics)
    for i in range(300):
        assert title_of(server, "app-%d" % i) == "Order 1"
    assert counter(metrics, "mica_apps_loaded") == 300
    assert counter(metrics, "mica_apps_loads_total") == 300
    assert counter(metrics, "mica_apps_dropped_total") == 0
    assert counter(metrics, "mica_apps_load_failures_total") == 0
    assert counter(metrics, "mica_apps_loaded_bytes") / 300 < 4096
    server.end()
    reserved.release()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mica", required=True)
    parser.add_argument("--app-store", required=True)
    parser.add_argument("only", nargs="*")
    options = parser.parse_args()
    tests = [the_tool_is_that_of_the_app,
             the_result_is_the_data_and_which_widget_shows_it,
             sessions_have_it_too, progress_goes_from_0_to_100,
             widgets_are_read_by_each_of_their_addresses,
             people_and_programs_have_pages_of_it,
             an_address_without_an_app_says_so,
             an_app_that_is_not_public_needs_a_server_with_tokens,
             the_log_has_the_whole_path, a_base_path_lies_before_the_apps,
             asking_again_and_again_costs_no_look_into_the_store,
             who_listens_hears_of_a_new_version,
             an_edit_of_the_draft_tells_nobody,
             what_is_unpublished_ends_its_streams,
             a_request_runs_on_the_app_that_it_was_routed_to,
             a_slug_that_is_used_again_is_another_app,
             a_session_outlives_the_server,
             a_change_during_a_crash_is_there_afterwards,
             two_servers_see_the_same, many_apps_are_served]
    if options.only:
        tests = [test for test in tests if test.__name__ in options.only]
    print("1..%d" % len(tests))
    failed = 0
    for number, test in enumerate(tests, 1):
        name = test.__name__.replace("_", " ")
        try:
            test(os.path.abspath(options.mica), Store(options.app_store))
            print("ok %d - %s" % (number, name), flush=True)
        except Exception as error:  # any failure is a result
            failed += 1
            line = sys.exc_info()[2].tb_next
            print("not ok %d - %s" % (number, name))
            print("# line %d: %r" % (line.tb_lineno, error), flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

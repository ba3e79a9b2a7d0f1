#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Three endpoints with the same tools in one process: each answers in every revision,
what one has given to its client is nothing at another, and a listener at one hears
of that one alone; prints TAP.

    endpoints.py --fixture build/tests/conformance-server
"""
import argparse
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

PATIENCE = 30
PREFIX = "io.modelcontextprotocol/"
PLACES = ("", "/servers/a", "/servers/b")
NAMES = {"": "mica-conformance", "/servers/a": "app/a", "/servers/b": "app/b"}
KEYS = {"/servers/a": "app/a", "/servers/b": "app/b"}
SESSIONS = ("2025-03-26", "2025-06-18", "2025-11-25")


class Server:
    """The fixture on a store that outlives it."""

    def __init__(self, fixture, folder):
        self.port, self.said = None, []
        self.ready = threading.Event()
        self.process = subprocess.Popen(
            [fixture, "--listen", "127.0.0.1:0", "--store",
             "sqlite:" + os.path.join(folder, "store.db"), "--endpoints"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        threading.Thread(target=self.read, daemon=True).start()
        assert self.ready.wait(PATIENCE) and self.port, self.said

    def read(self):
        for line in self.process.stderr:
            self.said.append(line)
            port = re.search(r"port (\d+)", line)
            if port:
                self.port = int(port.group(1))
                self.ready.set()
        self.ready.set()

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        status = self.process.wait(PATIENCE)
        assert how == signal.SIGKILL or status == 0, (status, self.said)

    def request(self, method, path, headers=None, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                timeout=PATIENCE)
        sent = {"Accept": "application/json, text/event-stream"}
        if body is not None:
            sent["Content-Type"] = "application/json"
        sent.update(headers or {})
        connection.request(method, path, None if body is None else json.dumps(body),
                           sent)
        return connection.getresponse()


def whole(response):
    """(status, the reply as JSON or None), of a stream the last event."""
    body = response.read()
    if response.getheader("Content-Type") == "text/event-stream":
        events = [line[6:] for line in body.split(b"\n") if line.startswith(b"data: ")]
        body = events[-1] if events else b""
    return response.status, json.loads(body) if body else None


# ---- The stateless revision ----------------------------------------------------


def stateless_request(server, place, method, params, name=None):
    meta = {PREFIX + "protocolVersion": "2026-07-28",
            PREFIX + "clientCapabilities": {
                "elicitation": {}, "extensions": {PREFIX + "tasks": {}}}}
    meta.update(params.get("_meta", {}))
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
    if name is not None:
        headers["Mcp-Name"] = name
    return server.request("POST", place + "/mcp", headers,
                          {"jsonrpc": "2.0", "id": 1, "method": method,
                           "params": dict(params, _meta=meta)})


def stateless(server, place, method, params, name=None):
    return whole(stateless_request(server, place, method, params, name))


def call(server, place, tool, arguments=None, **more):
    return stateless(server, place, "tools/call",
                     dict({"name": tool, "arguments": arguments or {}}, **more), tool)


def publish(server, place, anew=False, withdraw=False):
    status, reply = call(server, "", "publish", {
        "key": KEYS[place], "path": place, "anew": anew, "withdraw": withdraw})
    assert status == 200 and reply["result"].get("isError") is not True, reply


# ---- Sessions --------------------------------------------------------------------


class Session:
    def __init__(self, server, place, version="2025-11-25"):
        self.server, self.place, self.version = server, place, version
        response = self.send(place, {"jsonrpc": "2.0", "id": 0, "method": "initialize",
                                     "params": {"protocolVersion": version,
                                                "capabilities": {"elicitation": {}},
                                                "clientInfo": {"name": "endpoints.py",
                                                               "version": "1"}}},
                             first=True)
        self.id = response.getheader("Mcp-Session-Id")
        status, self.welcome = whole(response)
        assert status == 200 and self.id, (status, self.welcome)

    def headers(self, first=False):
        if first:
            return {}
        return {"Mcp-Session-Id": self.id, "MCP-Protocol-Version": self.version}

    def send(self, place, body, first=False, server=None):
        return (server or self.server).request("POST", place + "/mcp",
                                               self.headers(first), body)

    def call(self, tool, place=None, **arguments):
        return whole(self.send(self.place if place is None else place, {
            "jsonrpc": "2.0", "id": 7, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}}))

    def stream(self, place=None, last=None, server=None):
        headers = dict(self.headers(), Accept="text/event-stream")
        if last is not None:
            headers["Last-Event-ID"] = last
        return (server or self.server).request(
            "GET", (self.place if place is None else place) + "/mcp", headers)


class Heard:
    """What comes on a stream, by method, read by a thread."""

    def __init__(self, response):
        assert response.status == 200, (response.status, response.read())
        self.response, self.methods = response, []
        self.changed = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        try:
            for line in self.response:
                if line.startswith(b"data: {"):
                    with self.changed:
                        self.methods.append(json.loads(line[6:]).get("method"))
                        self.changed.notify_all()
        except (OSError, ValueError, AttributeError):
            pass  # the server has ended

    def lists(self, method="notifications/tools/list_changed"):
        return self.methods.count(method)

    def wait(self, count, *method):
        with self.changed:
            assert self.changed.wait_for(lambda: self.lists(*method) >= count, PATIENCE), (
                count, self.methods)


class Oldest:
    """A client of HTTP+SSE."""

    def __init__(self, server, place):
        self.server = server
        self.stream = server.request("GET", place + "/sse",
                                     {"Accept": "text/event-stream"})
        assert self.stream.status == 200, self.stream.status
        self.address = self.event()
        self.place = place

    def event(self):
        for line in self.stream:
            if line.startswith(b"data: "):
                return line[6:].decode().rstrip("\n")
        return None

    def ask(self, method, params, address=None):
        response = self.server.request("POST", address or self.address, None, {
            "jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        body = response.read()
        if address is not None:
            return response.status
        assert response.status == 202, (response.status, body)
        return json.loads(self.event())["result"]


# ---- The tests -------------------------------------------------------------------


def every_revision(server):
    for place in PLACES:
        status, reply = stateless(server, place, "server/discover", {})
        assert status == 200, reply
        assert reply["result"]["_meta"][PREFIX + "serverInfo"]["name"] == NAMES[place]
        assert ("instructions" in reply["result"]) == (place != ""), reply
        status, reply = call(server, place, "greet", {"name": "Ada"})
        assert reply["result"]["structuredContent"]["greeting"] == "Hello, Ada!", reply
        status, reply = call(server, place, "publish" if place else "none", {})
        assert reply["error"]["code"] == -32602, reply
        for version in SESSIONS:
            session = Session(server, place, version)
            welcome = session.welcome["result"]
            assert welcome["protocolVersion"] == version, welcome
            assert welcome["serverInfo"]["name"] == NAMES[place], welcome
            status, reply = session.call("greet", name="Ada")
            assert "Hello, Ada!" in json.dumps(reply), reply
        oldest = Oldest(server, place)
        assert oldest.address.startswith(place + "/messages?"), oldest.address
        welcome = oldest.ask("initialize", {"protocolVersion": "2024-11-05",
                                            "capabilities": {}})
        assert welcome["serverInfo"]["name"] == NAMES[place], welcome
        reply = oldest.ask("tools/call", {"name": "greet", "arguments": {"name": "Ada"}})
        assert "Hello, Ada!" in json.dumps(reply), reply


def rest(server):
    for place in PLACES:
        status, reply = whole(server.request("GET", place + "/api"))
        names = [tool["name"] for tool in reply["tools"]]
        assert status == 200 and "greet" in names, reply
        assert ("publish" in names) == (place == ""), names
        status, reply = whole(server.request("POST", place + "/api/greet", None,
                                             {"name": "Ada"}))
        assert status == 200 and reply == {"greeting": "Hello, Ada!"}, reply
        status, reply = whole(server.request("GET", place + "/openapi.json"))
        assert status == 200 and reply["servers"][0]["url"] == (place or "/"), reply
        status, reply = whole(server.request("GET", place + "/api/none"))
        assert status == 404 and reply["type"].startswith(place + "/api/errors/"), reply
        response = server.request("POST", place + "/api/careful", None, {})
        status, reply = whole(response)
        location = response.getheader("Location")
        assert status == 202 and location.startswith(place + "/api/calls/"), reply
        assert reply["links"]["self"] == location, reply
        assert ("page" in reply["links"]) == (place == ""), reply
        status, _ = whole(server.request("DELETE", location))
        assert status in (200, 202), status


def nothing_there(server):
    for path in ("/servers/c/mcp", "/servers/mcp", "/servers/a/mcp/", "/servers/a",
                 "/servers/a/tools", "/servers/a/healthz", "/servers/ab/mcp",
                 "/servers//a/mcp", "/servers/a/servers/b/mcp", "/mcp/servers/a/mcp"):
        response = server.request("POST", path, None, {})
        response.read()
        assert response.status == 404, (path, response.status)


def others(place):
    return [other for other in PLACES if other != place]


def states(server):
    """requestState of one is refused at the others."""
    for place in PLACES:
        _, asked = call(server, place, "careful")
        state = asked["result"]["requestState"]
        key = next(iter(asked["result"]["inputRequests"]))
        answers = {key: {"action": "accept", "content": {"name": "Ada"}}}
        for other in others(place):
            _, reply = call(server, other, "careful", requestState=state,
                            inputResponses=answers)
            assert reply["error"]["data"]["code"] == "STATE_INVALID", reply
        _, reply = call(server, place, "careful", requestState=state,
                        inputResponses=answers)
        assert "Ada" in json.dumps(reply["result"]), reply


def sessions(server):
    """A session id, and the id of an event with it, are unknown at the others."""
    for place in PLACES:
        session = Session(server, place)
        response = session.send(place, {
            "jsonrpc": "2.0", "id": 3, "method": "tools/call",
            "params": {"name": "count", "arguments": {"steps": 2},
                       "_meta": {"progressToken": "t"}}})
        last = re.search(rb"id: (\S+)", response.read()).group(1).decode()
        for other in others(place) * 2:  # from the store, and from its cache
            status, _ = session.call("greet", other, name="Ada")
            assert status == 404, (place, other, status)
            for last_event in (None, last):
                response = session.stream(other, last_event)
                response.read()
                assert response.status == 404, (place, other, response.status)
            response = server.request("DELETE", other + "/mcp", session.headers())
            response.read()
            assert response.status == 404, (place, other, response.status)
        response = session.stream(place, last)
        assert response.status == 200, response.status
        response.close()
        status, _ = session.call("greet", name="Ada")
        assert status == 200, status
        oldest = Oldest(server, place)
        for other in others(place):
            address = other + oldest.address[len(place):]
            status = oldest.ask("ping", {}, address)
            assert status == 404, (place, other, status)
        assert oldest.ask("initialize", {"protocolVersion": "2024-11-05",
                                         "capabilities": {}})


def tasks(server):
    for place in PLACES:
        _, reply = call(server, place, "confirm_delete", {"filename": "f"})
        task = reply["result"]["taskId"]
        for other in others(place):
            for method in ("tasks/get", "tasks/cancel", "tasks/update"):
                params = {"taskId": task}
                if method == "tasks/update":
                    params["inputResponses"] = {
                        "confirm": {"action": "accept", "content": {"confirm": True}}}
                _, reply = stateless(server, other, method, params, task)
                assert reply["error"]["code"] == -32602, (method, reply)
            heard = stateless_request(server, other, "subscriptions/listen",
                                      {"notifications": {"taskIds": [task]}})
            told = next(line for line in heard if line.startswith(b"data: {"))
            assert json.loads(told[6:])["params"]["notifications"]["taskIds"] == [], told
            heard.close()
        _, reply = stateless(server, place, "tasks/get", {"taskId": task}, task)
        assert reply["result"]["status"] in ("input_required", "working"), reply


def calls_over_rest(server):
    """The id of a call, and an idempotency key."""
    ids = {}
    for place in PLACES:
        for attempt in range(2):
            status, reply = whole(server.request(
                "POST", place + "/api/careful", {"Idempotency-Key": "\"one\""}, {}))
            assert status == 202, reply
            assert ids.setdefault(place, reply["id"]) == reply["id"], (attempt, reply)
    assert len(set(ids.values())) == len(PLACES), ids
    for place in PLACES:
        for other in others(place):
            for method in ("GET", "DELETE", "POST"):
                status, reply = whole(server.request(
                    method, "%s/api/calls/%s" % (other, ids[place]), None,
                    {} if method == "POST" else None))
                assert status == 404, (method, place, other, reply)
        status, reply = whole(server.request(
            "GET", "%s/api/calls/%s" % (place, ids[place])))
        assert status == 200 and reply["status"] == "input_required", reply


def listeners(server):
    found = {}
    for place in PLACES:
        session = Session(server, place)
        found[place] = [
            Heard(stateless_request(server, place, "subscriptions/listen",
                                    {"notifications": {"toolsListChanged": True}})),
            Heard(session.stream())]
    return found


def changes(options):
    """Who listens at one hears of that one, in this process and in another."""
    with tempfile.TemporaryDirectory() as folder:
        one, two = Server(options.fixture, folder), Server(options.fixture, folder)
        heard = [listeners(one), listeners(two)]
        # A process follows the feed before it says that it listens. If its store could not
        # tell where the feed is, it asks again after a second.
        for process in heard:
            for stateless_heard, _ in process.values():
                stateless_heard.wait(1, "notifications/subscriptions/acknowledged")
        time.sleep(1.5)
        # What comes after shows that what was not heard by then does not come.
        for round_, place in enumerate(("/servers/a", "/servers/b"), 1):
            publish(one, place, anew=True)
            for process in heard:
                for one_heard in process[place]:
                    one_heard.wait(1)
        time.sleep(1.5)
        for process in heard:
            for place in PLACES:
                for one_heard in process[place]:
                    expected = 0 if place == "" else 1
                    assert one_heard.lists() == expected, (place, one_heard.methods)
        one.end()
        two.end()


def again(options):
    """Withdrawn and published again; a server that died between question and answer."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options.fixture, folder)
        session = Session(server, "/servers/a")
        _, asked = call(server, "/servers/a", "careful")
        status, reply = whole(server.request("POST", "/servers/a/api/careful", None, {}))
        kept = reply["id"]
        publish(server, "/servers/a", withdraw=True)
        for path in ("/mcp", "/api", "/openapi.json", "/sse", "/api/calls/" + kept):
            response = server.request("GET", "/servers/a" + path)
            response.read()
            assert response.status == 404, (path, response.status)
        assert session.call("greet", name="Ada")[0] == 404
        assert session.call("greet", "", name="Ada")[0] == 404
        server.end(signal.SIGKILL)
        server = Server(options.fixture, folder)
        publish(server, "/servers/a", anew=True)
        session.server = server
        assert session.call("wait", milliseconds=1)[0] == 200
        status, reply = session.call("greet", name="Ada")
        assert reply["error"]["code"] == -32602, reply  # the new one has it not
        result = asked["result"]
        key = next(iter(result["inputRequests"]))
        _, reply = call(server, "/servers/a", "careful",
                        requestState=result["requestState"],
                        inputResponses={key: {"action": "accept",
                                              "content": {"name": "Ada"}}})
        assert "Ada" in json.dumps(reply["result"]), reply
        status, reply = whole(server.request("GET", "/servers/a/api/calls/" + kept))
        assert status == 200 and reply["status"] == "input_required", reply
        key = next(iter(reply["questions"]))
        until = time.monotonic() + 2 * PATIENCE
        while True:  # a call of a dead process is free again after 30 seconds
            status, reply = whole(server.request(
                "POST", "/servers/a/api/calls/" + kept, None, {key: {"name": "Ada"}}))
            if status not in (409, 503) or time.monotonic() > until:
                break
            time.sleep(0.5)
        assert status == 200 and "Ada" in json.dumps(reply), (status, reply)
        server.end()


def asked_in_a_session(server):
    """A question of a session is asked and answered at its endpoint."""
    for place in PLACES:
        session = Session(server, place)
        response = session.send(place, {"jsonrpc": "2.0", "id": 9,
                                        "method": "tools/call",
                                        "params": {"name": "careful", "arguments": {}}})
        question = None
        for line in response:
            if line.startswith(b"data: {"):
                message = json.loads(line[6:])
                if message.get("method") == "elicitation/create":
                    question = message
                    answer = {"jsonrpc": "2.0", "id": question["id"],
                              "result": {"action": "accept", "content": {"name": "Ada"}}}
                    for other in others(place):
                        status, _ = whole(session.send(other, answer))
                        assert status == 404, status
                    status, _ = whole(session.send(place, answer))
                    assert status == 202, status
                elif message.get("id") == 9:
                    assert "Ada" in json.dumps(message["result"]), message
                    break
        assert question is not None, "it was not asked"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fixture", required=True)
    options = parser.parse_args()
    shared = (every_revision, rest, nothing_there, states, sessions, tasks,
              calls_over_rest, asked_in_a_session)
    alone = (changes, again)
    failed = 0
    print("1..%d" % (len(shared) + len(alone)))
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options.fixture, folder)
        for number, test in enumerate(shared + alone, 1):
            try:
                test(server if test in shared else options)
                print("ok %d - %s" % (number, test.__name__), flush=True)
            except Exception as error:  # printed, counted, and the next one runs
                failed += 1
                print("not ok %d - %s\n# %s: %s" % (number, test.__name__,
                                                   type(error).__name__, error),
                      flush=True)
        server.end()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

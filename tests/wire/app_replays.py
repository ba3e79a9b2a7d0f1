#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What one published app has given to its client, presented at another app, at /mcp, at the
builder, and at itself after each act of its life: refused as a made-up value is; and the
widgets that a client has cached, over many versions. Prints TAP.

    app_replays.py --fixture build/tests/conformance-server \
        --app-store build/tests/wire/app-store
"""
import argparse
import contextlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import apps

TOOL = "careful"  # of the fixture: asks for a name
EVERYTHING = {"elicitation": {"form": {}}, "sampling": {}, "roots": {},
              "extensions": {apps.PREFIX + "tasks": {}}}
A, B, MAIN, BUILDER = "/servers/a", "/servers/b", "", "/builder"
OTHERS = (B, MAIN, BUILDER)
ACCEPT = {"action": "accept", "content": {"name": "Ada"}}


class Fixture(apps.Server):
    """The conformance fixture on a store with apps."""

    def __init__(self, program, store):
        self.said, self.port = [], None
        self.ready = threading.Event()
        self.process = subprocess.Popen(
            [program, "--listen", "127.0.0.1:0", "--store", store.spec],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)
        threading.Thread(target=self.read_errors, daemon=True).start()
        assert self.ready.wait(apps.PATIENCE) and self.port, self.said

    def read_errors(self):
        for line in self.process.stderr:
            self.said.append(line)
            found = re.search(r"port (\d+)", line)
            if found and self.port is None:
                self.port = int(found.group(1))
                self.ready.set()
        self.ready.set()


class Case:
    def __init__(self, given):
        self.given, self.store, self.server = given, apps.Store(given.app_store), None
        self.versions = 0

    def publish(self, app, slug=None, **other):
        """The next version of the app: it asks as the tool of the fixture does."""
        self.versions += 1
        text = apps.version("Version %d" % self.versions, **{
            "toolName": TOOL, "behavior": {
                "type": "tool", "tool": TOOL, "arguments": {},
                "data": {"/title": {"value": "Version %d" % self.versions}}}, **other})
        hash_ = "%016x" % self.versions
        self.store.act("publish", "id-" + app, slug or app, json.dumps(text), hash_,
                       "<!doctype html><p>widget %d</p>" % self.versions)
        return hash_

    def serve(self):
        self.server = Fixture(self.given.fixture, self.store)
        return self.server

    # ---- Requests, at any place ----

    def post(self, place, message, headers=None):
        return apps.whole(self.server.request("POST", place + "/mcp", headers, message))

    def ask(self, place, method, named=None, **params):
        """In the stateless revision; `named` is what the header Mcp-Name repeats."""
        headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
        if named is not None:
            headers["Mcp-Name"] = named
        return self.post(place, {
            "jsonrpc": "2.0", "id": 7, "method": method,
            "params": apps.params_of(EVERYTHING, **params)}, headers)

    def call(self, place, tool=TOOL, **params):
        arguments = {} if place == MAIN else {"message": "Who?"}
        return self.ask(place, "tools/call", tool, name=tool, arguments=arguments, **params)

    def session(self, place, capabilities=None):
        response = self.server.request("POST", place + "/mcp", {}, {
            "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": capabilities or {},
                "clientInfo": {"name": "test", "version": "1"}}})
        status, messages = apps.whole(response)
        assert status == 200, (place, messages)
        return {"Mcp-Session-Id": response.getheader("Mcp-Session-Id"),
                "MCP-Protocol-Version": "2025-11-25"}


def read_whole(response):
    body = response.read().decode()
    return response.status, body


# ---- What an app gives -------------------------------------------------------------
#
# Each takes a value from A, and has the ways to present it at a place. A way gives back all
# of the answer, in which the value is written VALUE.


class State:
    """The requestState of a call that asks."""

    def take(self, case, place):
        status, messages = case.call(place)
        result = messages[-1]["result"]
        assert status == 200 and result["resultType"] == "input_required", messages
        self.key = next(iter(result["inputRequests"]))
        return result["requestState"]

    def ways(self):
        def continue_(case, place, value):
            return case.call(place, requestState=value, inputResponses={self.key: ACCEPT})
        yield continue_

    def works(self, case, place, value):
        status, messages = next(self.ways())(case, place, value)
        return status == 200 and messages[-1]["result"]["resultType"] == "complete"

    def made_up(self, value):
        return value[:-8] + ("A" * 8 if value[-8:] != "A" * 8 else "B" * 8)


class SessionId:
    """The id of a session, in each method."""

    def take(self, case, place):
        return case.session(place)["Mcp-Session-Id"]

    def ways(self):
        def headers(value):
            return {"Mcp-Session-Id": value, "MCP-Protocol-Version": "2025-11-25"}

        def post(case, place, value):
            return case.post(place, {"jsonrpc": "2.0", "id": 7, "method": "tools/list"},
                             headers(value))

        def tell(case, place, value):
            return case.post(place, {"jsonrpc": "2.0",
                                     "method": "notifications/initialized"}, headers(value))

        def answer(case, place, value):
            return case.post(place, {"jsonrpc": "2.0", "id": 1, "result": ACCEPT},
                             headers(value))

        def listen(case, place, value):
            return read_whole(case.server.request(
                "GET", place + "/mcp", {**headers(value), "Accept": "text/event-stream"}))

        def end(case, place, value):
            return read_whole(case.server.request("DELETE", place + "/mcp", headers(value)))
        yield from (post, tell, answer, listen, end)

    def works(self, case, place, value):
        return next(self.ways())(case, place, value)[0] == 200

    def made_up(self, value):
        return value[:-1] + ("A" if value[-1] != "A" else "B")


class EventId:
    """The id of an event on a stream of a session, beside the session's own id and beside
    the id of a session of the place."""

    def take(self, case, place):
        headers = case.session(place, {"elicitation": {}})
        response = case.server.request("POST", place + "/mcp", headers, {
            "jsonrpc": "2.0", "id": 3, "method": "tools/call",
            "params": {"name": TOOL, "arguments": {"message": "x"}}})
        event = None
        for line in response:
            if line.startswith(b"id: "):
                event = line[4:].decode().strip()
            if event and line.startswith(b"data: {"):
                break
        response.close()
        assert event, "the stream has no ids"
        return headers["Mcp-Session-Id"] + " " + event

    def resume(self, case, place, session, event):
        return case.server.request("GET", place + "/mcp", {
            "Accept": "text/event-stream", "MCP-Protocol-Version": "2025-11-25",
            "Mcp-Session-Id": session, "Last-Event-ID": event})

    def ways(self):
        def with_its_session(case, place, value):
            return read_whole(self.resume(case, place, *value.split()))

        def with_a_session_of_the_place(case, place, value):
            session = value.split()[0]  # where no session can begin
            if case.ask(place, "tools/list")[0] == 200:
                session = case.session(place)["Mcp-Session-Id"]
            response = self.resume(case, place, session, value.split()[1])
            assert response.status != 200, "a stream of another session"
            return read_whole(response)
        yield from (with_its_session, with_a_session_of_the_place)

    def works(self, case, place, value):
        response = self.resume(case, place, *value.split())
        response.close()
        return response.status == 200

    def made_up(self, value):
        session, event = value.split()
        return SessionId().made_up(session) + " " + event


class CallId:
    """The id of a call over REST."""

    def take(self, case, place):
        status, messages = apps.whole(case.server.request(
            "POST", "%s/api/%s" % (place, TOOL), {"Accept": "application/json"},
            {} if place == MAIN else {"message": "x"}))
        assert status == 202, messages
        return messages[0]["id"]

    def ways(self):
        def way(method, body):
            def present(case, place, value):
                return read_whole(case.server.request(
                    method, "%s/api/calls/%s" % (place, value),
                    {"Accept": "application/json"}, body))
            return present
        yield from (way("GET", None), way("POST", {}), way("DELETE", None))

    def works(self, case, place, value):
        return next(self.ways())(case, place, value)[0] == 200

    def made_up(self, value):
        return value[:-2] + ("AA" if value[-2:] != "AA" else "BB")


class OldSession:
    """The address of a session of 2024-11-05, of which the stream stays open."""

    def take(self, case, place):
        self.stream = case.server.request("GET", place + "/sse",
                                          {"Accept": "text/event-stream"})
        assert self.stream.status == 200, self.stream.status
        for line in self.stream:
            if line.startswith(b"data: "):
                return line[6:].decode().strip().rpartition("=")[2]
        raise AssertionError("no address")

    def ways(self):
        def post(case, place, value):
            return read_whole(case.server.request(
                "POST", "%s/messages?session=%s" % (place, value), None,
                {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                    "protocolVersion": "2024-11-05", "capabilities": {},
                    "clientInfo": {"name": "test", "version": "1"}}}))
        yield post

    def works(self, case, place, value):
        return next(self.ways())(case, place, value)[0] == 202

    def made_up(self, value):
        return value[:-2] + ("AA" if value[-2:] != "AA" else "BB")


KINDS = {"requestState": State, "session id": SessionId, "event id": EventId,
         "call id": CallId, "session of 2024-11-05": OldSession}


def present(case, kind, way, place, value):
    """The answer, with the value and all ids of sessions in it left out."""
    text = json.dumps(way(case, place, value))
    for part in value.split():
        text = text.replace(part, "VALUE")
    return text


def refused_alike(case, kind, value, places, when):
    """Each place answers the value as it answers a made-up one."""
    made_up = kind.made_up(value)
    assert made_up != value and len(made_up) == len(value)
    for place in places:
        for way in kind.ways():
            what = (when, type(kind).__name__, way.__name__, place)
            got = present(case, kind, way, place, value)
            wanted = present(case, kind, way, place, made_up)
            assert got == wanted, (what, got, wanted)
            assert not re.match(r"[\[(]20", got) or '"error"' in got, (what, got)


# ---- The matrix --------------------------------------------------------------------

def what_an_app_gives_is_nothing_at_another_place(case):
    """Also after the app was published again, rolled back and unpublished."""
    case.publish("a")
    case.publish("b")
    case.serve()
    for place in (A,) + OTHERS:
        assert case.ask(place, "tools/list")[0] == 200, place
    acts = [("at first", lambda: None),
            ("published again", lambda: case.publish("a")),
            ("rolled back", lambda: case.store.act("rollback", "id-a", "1"))]
    number = 1
    for when, act in acts:
        taken = [(kind, kind.take(case, A)) for kind in (one() for one in KINDS.values())]
        act()
        number += when != "at first"
        apps.until(lambda: version_of(case, A) == number)
        for kind, value in taken:
            refused_alike(case, kind, value, OTHERS, when)
            # The proof that it was one: it still counts at its own app.
            assert kind.works(case, A, value), (when, type(kind).__name__)
    taken = [(kind, kind.take(case, A)) for kind in (one() for one in KINDS.values())]
    case.store.unpublish("a")
    apps.until(lambda: case.ask(A, "tools/list")[0] == 404)
    for kind, value in taken:
        refused_alike(case, kind, value, OTHERS + (A,), "unpublished")
        for way in kind.ways():
            answer = present(case, kind, way, A, value)
            assert "APP_NOT_FOUND" in answer, (type(kind).__name__, way.__name__, answer)
    # Another app that gets the slug gets nothing of it.
    case.store.act("delete", "id-a")
    case.publish("second", "a")
    apps.until(lambda: case.ask(A, "tools/list")[0] == 200)
    for kind, value in taken:
        refused_alike(case, kind, value, OTHERS + (A,), "the slug of another app")
    case.server.end()


def version_of(case, place):
    status, messages = case.ask(place, "server/discover")
    assert status == 200, messages
    return int(messages[-1]["result"]["_meta"][apps.PREFIX + "serverInfo"]["version"])


def what_the_server_gives_is_nothing_at_an_app(case):
    """Sessions and states, its tasks, which no app has, and its cursors."""
    case.publish("a")
    case.serve()
    for kind in (one() for one in KINDS.values()):
        value = kind.take(case, MAIN)
        refused_alike(case, kind, value, (A, BUILDER), "of /mcp")
        assert kind.works(case, MAIN, value), type(kind).__name__
    _, messages = case.ask(MAIN, "tools/call", "slow_compute", name="slow_compute",
                           arguments={"seconds": 30})
    task = messages[-1]["result"]["taskId"]

    def task_at(place, method, task_id):
        more = {"inputResponses": {}} if method == "tasks/update" else {}
        return json.dumps(case.ask(place, method, task_id, taskId=task_id, **more)).replace(
            task_id, "VALUE")

    for method in ("tasks/get", "tasks/update", "tasks/cancel"):
        for place in (A, BUILDER):
            got = task_at(place, method, task)
            assert got == task_at(place, method, "A" * len(task)), (method, place, got)
            assert '"error"' in got, (method, place, got)
    status, messages = case.ask(MAIN, "tasks/get", task, taskId=task)
    assert messages[-1]["result"]["status"] == "working", messages
    case.ask(MAIN, "tasks/cancel", task, taskId=task)
    _, messages = case.ask(MAIN, "resources/list")
    cursor = messages[-1]["result"].get("nextCursor")
    for method in ("tools/list", "resources/list"):
        for value in [cursor] * (cursor is not None) + ["AAAA"]:
            status, messages = case.ask(A, method, cursor=value)
            assert messages[-1]["error"]["data"]["code"] == "NOT_FOUND", messages
    case.server.end()


def who_listens_is_reached_at_its_own_app_alone(case):
    """The id of a subscription, or of a call, of one app cancels nothing at another, and no
    task of /mcp is followed there."""
    case.publish("a")
    case.publish("b")
    case.serve()
    _, messages = case.ask(MAIN, "tools/call", "slow_compute", name="slow_compute",
                           arguments={"seconds": 30})
    task = messages[-1]["result"]["taskId"]

    def listen(place, id_, **filters):
        return apps.Stream(case.server.request("POST", place + "/mcp", {
            "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"}, {
                "jsonrpc": "2.0", "id": id_, "method": "subscriptions/listen",
                "params": apps.params_of(EVERYTHING, notifications=filters)}))
    streams = {place: listen(place, 41, toolsListChanged=True, taskIds=[task])
               for place in (A, B, MAIN)}
    for place, stream in streams.items():
        assert stream.wait_for("notifications/subscriptions/acknowledged"), place
        said = stream.events[0]["params"]["notifications"]
        assert said.get("taskIds", []) == ([task] if place == MAIN else []), (place, said)
    for place in (B, MAIN):
        case.post(place, {"jsonrpc": "2.0", "method": "notifications/cancelled",
                          "params": {"requestId": 41}},
                  {"MCP-Protocol-Version": "2026-07-28"})
    session = {place: case.session(place, {"elicitation": {}}) for place in (A, B)}
    asked = apps.Stream(case.server.request("POST", A + "/mcp", session[A], {
        "jsonrpc": "2.0", "id": 5, "method": "tools/call",
        "params": {"name": TOOL, "arguments": {"message": "x"}}}))
    assert asked.wait_for("elicitation/create")
    question = [e for e in asked.events if e.get("method")][-1]["id"]
    for place in (B, MAIN):
        for message in ({"method": "notifications/cancelled", "params": {"requestId": 5}},
                        {"id": question, "result": ACCEPT}):
            for headers in (session[A], session[B]):
                status, _ = case.post(place, {"jsonrpc": "2.0", **message}, headers)
                assert status == 404 or (place == B and headers == session[B]), status
    assert not asked.ended.is_set(), asked.events
    case.publish("a")
    assert streams[A].wait_for("notifications/tools/list_changed"), streams[A].events
    time.sleep(0.3)
    for place in (B, MAIN):
        methods = [e.get("method") for e in streams[place].events]
        assert "notifications/tools/list_changed" not in methods, (place, methods)
        assert not streams[place].ended.is_set(), place
    case.post(A, {"jsonrpc": "2.0", "id": question, "result": ACCEPT}, session[A])
    apps.until(asked.ended.is_set)
    assert asked.events[-1]["result"]["structuredContent"]["title"] == "Version 1", asked.events
    case.ask(MAIN, "tasks/cancel", task, taskId=task)
    case.server.end()


def an_idempotency_key_is_of_one_app(case):
    case.publish("a")
    case.publish("b")
    case.serve()
    ids = {}
    for place in (A, B):
        for _ in range(2):
            status, messages = apps.whole(case.server.request(
                "POST", "%s/api/%s" % (place, TOOL),
                {"Accept": "application/json", "Idempotency-Key": '"one"'},
                {"message": "x"}))
            assert status == 202, messages
            assert ids.setdefault(place, messages[0]["id"]) == messages[0]["id"], place
    assert ids[A] != ids[B]
    case.server.end()


# ---- Clients that cache widgets ------------------------------------------------------

PLAIN = "ui://widget/a.html"


def read(case, uri):
    """The number of the widget at that address; None if no widget is there."""
    status, messages = case.ask(A, "resources/read", uri, uri=uri)
    if "error" in messages[-1]:
        assert messages[-1]["error"]["data"]["code"] == "NOT_FOUND", messages
        return None
    assert status == 200, messages
    contents, = messages[-1]["result"]["contents"]
    assert contents["uri"] == uri and contents["mimeType"] == "text/html;profile=mcp-app"
    return int(re.search(r"widget (\d+)<", contents["text"]).group(1))


def cached(case, count, checked):
    """Publishes `count` versions; what the client has cached, by the address that each
    version named. It looks at all of them after each version in `checked`."""
    cache = {}
    for number in range(1, count + 1):
        hash_ = case.publish("a", behavior={"type": "data"})
        if case.server is None:
            case.serve()
        address = PLAIN + "?v=" + hash_
        cache[address] = number
        if number in checked:
            apps.until(lambda: tool_address(case) == address)
            assert read(case, PLAIN) == number
            for old, widget in cache.items():
                assert read(case, old) == widget, (number, old)
    return cache


def tool_address(case):
    _, messages = case.ask(A, "tools/list")
    return messages[-1]["result"]["tools"][0]["_meta"]["openai/outputTemplate"]


def unpublished(case, cache):
    """No address of it is read, at any route, until it is published again."""
    case.store.unpublish("a")
    apps.until(lambda: case.ask(A, "tools/list")[0] == 404)
    for address in list(cache)[:3] + list(cache)[-2:] + [PLAIN]:
        status, messages = case.ask(A, "resources/read", address, uri=address)
        assert status == 404, (address, messages)
        assert messages[0]["error"]["data"]["code"] == "APP_NOT_FOUND", messages
    response = case.server.request("GET", A + "/ui/card.html")
    assert response.status == 404 and b"APP_NOT_FOUND" in response.read()


def old_widgets_are_read_through_ten_versions(case):
    """A client that has cached each address reads what it had; the plain one the newest."""
    cache = cached(case, 10, range(1, 11))
    # A version whose widget is that of an earlier one, and a server that starts anew.
    case.store.act("rollback", "id-a", "3")
    third = list(cache)[2]
    apps.until(lambda: tool_address(case) == third)
    assert read(case, PLAIN) == 3
    case.server.end(signal.SIGKILL)
    case.serve()
    for address, widget in cache.items():
        assert read(case, address) == widget, address
    assert read(case, PLAIN + "?v=" + "f" * 16) is None
    response = case.server.request("GET", A + "/ui/card.html")
    assert response.status == 200 and b"widget 3<" in response.read()
    unpublished(case, cache)
    # Published again: what versions still have is there, and the newest is the plain one.
    newest = case.publish("a", behavior={"type": "data"})
    apps.until(lambda: case.ask(A, "tools/list")[0] == 200)
    assert read(case, PLAIN) == 11 and read(case, PLAIN + "?v=" + newest) == 11
    assert read(case, third) == 3
    case.server.end()


def old_widgets_are_read_beyond_the_versions_that_are_kept(case):
    cache = cached(case, 104, (1, 50, 101, 104))
    path = case.store.spec.partition(":")[2]
    with contextlib.closing(sqlite3.connect(path)) as store:
        kept = store.execute("SELECT count(*) FROM app_versions").fetchone()[0]
    assert kept == 100, kept
    # The first four have no version any more, and are read; no rollback leads to them.
    refused = subprocess.run([case.given.app_store, case.store.spec, "rollback", "id-a", "4"],
                             capture_output=True, text=True, timeout=apps.PATIENCE)
    assert refused.returncode == 1 and "NOT_FOUND" in refused.stderr, refused.stderr
    unpublished(case, cache)
    case.publish("a", behavior={"type": "data"})
    apps.until(lambda: case.ask(A, "tools/list")[0] == 200)
    assert [read(case, address) for address in list(cache)[:4]] == [None] * 4
    assert read(case, list(cache)[-1]) == 104
    case.server.end()


TESTS = [what_an_app_gives_is_nothing_at_another_place,
         what_the_server_gives_is_nothing_at_an_app,
         who_listens_is_reached_at_its_own_app_alone, an_idempotency_key_is_of_one_app,
         old_widgets_are_read_through_ten_versions,
         old_widgets_are_read_beyond_the_versions_that_are_kept]


def main():
    parser = argparse.ArgumentParser()
    for name in ("fixture", "app-store"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("only", nargs="*")
    given = parser.parse_args()
    given.fixture, given.app_store = map(os.path.abspath, (given.fixture, given.app_store))
    tests = [test for test in TESTS if not given.only or test.__name__ in given.only]
    print("1..%d" % len(tests))
    failed = 0
    for number, test in enumerate(tests, 1):
        name = test.__name__.replace("_", " ")
        case = Case(given)
        try:
            test(case)
            print("ok %d - %s" % (number, name), flush=True)
        except Exception as error:  # any failure is a result
            failed += 1
            line = sys.exc_info()[2].tb_next
            print("not ok %d - %s" % (number, name))
            print("# line %d: %r" % (line.tb_lineno, error), flush=True)
        finally:
            if case.server is not None and case.server.process.poll() is None:
                case.server.process.kill()
                case.server.process.wait(apps.PATIENCE)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

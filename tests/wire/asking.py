#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls that wait for their client while servers come and go; prints TAP.

    asking.py --mica build/mica --fixture build/tests/conformance-server

What a transcript cannot say: a question whose server is killed and comes back, an
answer that arrives in another process, and what is cleaned up when the input of a
pipe ends. The store is SQLite in a folder of its own.
"""
import argparse
import http.client
import json
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from together import outcomes

PATIENCE = 30
HANDSHAKE = {"protocolVersion": "2025-11-25",
             "capabilities": {"elicitation": {}, "sampling": {}, "roots": {}},
             "clientInfo": {"name": "asking.py", "version": "1"}}


class Server:
    """The fixture on a store that outlives it."""

    def __init__(self, fixture, folder, may_die=False):
        self.port, self.said = None, []
        self.ready = threading.Event()
        self.process = subprocess.Popen(
            [fixture, "--listen", "127.0.0.1:0", "--store",
             "sqlite:" + os.path.join(folder, "store.db")],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        if not self.ready.wait(PATIENCE) or self.port is None and not may_die:
            raise AssertionError("no port: %s" % self.said)

    def read(self):
        for line in self.process.stderr:
            self.said.append(line)
            port = re.search(r"port (\d+)", line)
            if port:
                self.port = int(port.group(1))
                self.ready.set()
        self.ready.set()

    def end(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        status = self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)  # so that all it said is in `said`
        assert how == signal.SIGKILL or status == 0, (status, self.said)

    def kill(self):
        self.end(signal.SIGKILL)


class Session:
    def __init__(self, server):
        response = request(server, "POST", {}, {"jsonrpc": "2.0", "id": 0,
                                                "method": "initialize",
                                                "params": HANDSHAKE})
        self.headers = {"Mcp-Session-Id": response.getheader("Mcp-Session-Id"),
                        "MCP-Protocol-Version": "2025-11-25"}
        response.read()
        self.last = None  # id of the last event

    def call(self, server, tool, number, **arguments):
        return Events(self, request(server, "POST", self.headers, {
            "jsonrpc": "2.0", "id": number, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}}))

    def resume(self, server):
        return Events(self, request(server, "GET", dict(
            self.headers, **{"Last-Event-ID": self.last}), None))

    def answer(self, server, question, content):
        response = request(server, "POST", self.headers, {
            "jsonrpc": "2.0", "id": question["id"],
            "result": {"action": "accept", "content": content}})
        body = response.read()
        assert response.status == 202 and not body, (response.status, body)


class Events:
    def __init__(self, session, response):
        assert response.status == 200, (response.status, response.read())
        self.session, self.response = session, response

    def prime(self):
        """The first event, which has nothing but an id."""
        while self.session.last is None:
            line = self.response.readline().rstrip(b"\n")
            if line.startswith(b"id: "):
                self.session.last = line[4:].decode()

    def next(self):
        """The next message; None at the end."""
        data = b""
        until = time.monotonic() + 2 * PATIENCE
        for line in self.response:
            assert time.monotonic() < until, "nothing but comments"
            line = line.rstrip(b"\n")
            if line.startswith(b"id: "):
                self.session.last = line[4:].decode()
            elif line.startswith(b"data: "):
                data = line[6:]
            elif not line and data:
                return json.loads(data)
        return None


def request(server, method, headers, body):
    connection = http.client.HTTPConnection("127.0.0.1", server.port,
                                            timeout=PATIENCE)
    accept = "text/event-stream" if body is None else (
        "application/json, text/event-stream")
    connection.request(method, "/mcp",
                       None if body is None else json.dumps(body),
                       dict(headers, Accept=accept,
                            **{"Content-Type": "application/json"}))
    return connection.getresponse()


def text_of(message):
    return message["result"]["content"][0]["text"]


def come_back(options, how):
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options.fixture, folder)
        session = Session(server)
        events = session.call(
            server, "test_input_required_result_multi_round", 1)
        first = events.next()
        session.answer(server, first, {"name": "Ada"})
        second = events.next()
        assert "Ada" in second["params"]["message"], second
        server.end(how)
        server = Server(options.fixture, folder)
        events = session.resume(server)
        again = events.next()
        assert again == second, again
        session.answer(server, again, {"color": "red"})
        assert text_of(events.next()) == "Ada likes red."
        assert events.next() is None
        # Once more: the result, not the question.
        session.last = session.last.split("-")[0] + "-0"
        events = session.resume(server)
        seen = [events.next() for _ in range(3)]
        assert seen[0] == first and text_of(seen[2]) == "Ada likes red.", seen
        server.end()


def killed(options):
    """A question is asked again by the server that comes after a killed one, and
    the call continues from there."""
    come_back(options, signal.SIGKILL)


def ended(options):
    """The same after one that was told to end."""
    come_back(options, signal.SIGTERM)


def elsewhere(options):
    """An answer reaches its call in another process, and what follows comes on the
    stream of the first."""
    with tempfile.TemporaryDirectory() as folder:
        one, two = Server(options.fixture, folder), Server(options.fixture, folder)
        session = Session(one)
        events = session.call(one, "test_input_required_result_multi_round", "a")
        session.answer(two, events.next(), {"name": "Ada"})
        session.answer(two, events.next(), {"color": "red"})
        assert text_of(events.next()) == "Ada likes red."
        # And so does giving it up.
        events = session.call(one, "careful", "b")
        question = events.next()
        response = request(two, "POST", session.headers, {
            "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": "b"}})
        assert response.status == 202
        taken_back = events.next()
        assert taken_back["method"] == "notifications/cancelled", taken_back
        assert taken_back["params"]["requestId"] == question["id"]
        assert events.next() is None
        one.end()
        two.end()
        assert any("cleaned" in line for line in one.said + two.said)


def late(options):
    """A question whose time passes while no server runs comes to TIMEOUT in the
    next one, which cleans up."""
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(20):
            server = Server(options.fixture, folder)
            session = Session(server)
            session.call(server, "impatient", 1).next()
            server.kill()
            # Its time is 500 ms. A server that is killed later may have cleaned up itself.
            if not any("cleaned" in line for line in server.said):
                break
        time.sleep(1)
        server = Server(options.fixture, folder)
        events = session.resume(server)
        message = events.next()
        while message is not None and "result" not in message:
            message = events.next()
        assert message is not None and "TIMEOUT" in text_of(message), message
        server.end()
        assert any("cleaned" in line for line in server.said), server.said


def half_a_minute_passes(folder):
    """What a process holds that has died is free."""
    with sqlite3.connect(os.path.join(folder, "store.db")) as store:
        store.execute("UPDATE claims SET lease = 1, wakes = 1")
        store.execute("UPDATE streams SET lease = 1")
    store.close()


def interrupted(options):
    """When a server was killed a call that is in no store comes to an error, for a client
    that comes back, and at once for one that comes again; and what was acknowledged before is
    not asked again, the call continues from there."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options.fixture, folder)
        waits, asked = Session(server), Session(server)
        waits.call(server, "wait", "w", milliseconds=60000).prime()
        first = waits.last
        question = asked.call(
            server, "test_input_required_result_multi_round", 1).next()
        asked.answer(server, question, {"name": "Ada"})
        server.kill()
        half_a_minute_passes(folder)
        server = Server(options.fixture, folder)
        second = asked.resume(server).next()
        assert "Ada" in second["params"]["message"], second
        for _ in range(2):
            waits.last = first
            events = waits.resume(server)
            message = events.next()
            assert message["id"] == "w", message
            assert message["error"]["data"]["code"] == "INTERRUPTED", message
            assert events.next() is None
        server.end()


def two_answers(options):
    """Answers that come at once for one call are all taken."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options.fixture, folder)
        session = Session(server)
        for number in range(20):
            events = session.call(
                server, "test_input_required_result_multiple_inputs", number)
            asked = [events.next() for _ in range(3)]
            results = {"elicitation/create": {"action": "accept",
                                              "content": {"name": "Ada"}},
                       "sampling/createMessage": {
                           "role": "assistant", "model": "m",
                           "content": {"type": "text", "text": "Hi"}},
                       "roots/list": {"roots": []}}
            threads = [threading.Thread(target=request, args=(
                server, "POST", session.headers,
                {"jsonrpc": "2.0", "id": question["id"],
                 "result": results[question["method"]]})) for question in asked]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert text_of(events.next()) == "Hi, Ada (0 roots)"
        server.end()


def end_of_input(options):
    """On a pipe a call that waits cleans up when its client is gone."""
    process = subprocess.Popen([options.fixture, "--stdio"], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    for message in ({"jsonrpc": "2.0", "id": 0, "method": "initialize",
                     "params": HANDSHAKE},
                    {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                     "params": {"name": "careful", "arguments": {}}}):
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        process.stdout.readline()
    out, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0 and out == "", (process.returncode, out)
    assert said.count("cleaned") == 1, said


class Oldest:
    """A client of 2024-11-05: posts, and all that is said to it comes on a stream."""

    def __init__(self, server, **capabilities):
        connection = http.client.HTTPConnection("127.0.0.1", server.port,
                                                timeout=PATIENCE)
        connection.request("GET", "/sse", headers={"Accept": "text/event-stream"})
        self.server, self.response = server, connection.getresponse()
        self.path = self.next()
        self.post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2024-11-05", "capabilities": capabilities,
            "clientInfo": {"name": "asking.py", "version": "1"}}})
        assert self.next()["result"]["protocolVersion"] == "2024-11-05"

    def next(self):
        data, until = b"", time.monotonic() + 2 * PATIENCE
        for line in self.response:
            assert time.monotonic() < until, "nothing but comments"
            line = line.rstrip(b"\n")
            if line.startswith(b"data: "):
                data = line[6:]
            elif not line and data:
                return json.loads(data) if data[:1] == b"{" else data.decode()
        return None

    def post(self, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port,
                                                timeout=PATIENCE)
        connection.request("POST", self.path, json.dumps(body),
                           {"Content-Type": "application/json"})
        response = connection.getresponse()
        response.read()
        assert response.status == 202, response.status

    def call(self, tool, number, **arguments):
        self.post({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                   "params": {"name": tool, "arguments": arguments}})

    def answer(self, question, result):
        self.post({"jsonrpc": "2.0", "id": question["id"], "result": result})


def oldest(options):
    """A client of the oldest transport is asked what its revision has."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options.fixture, folder)
        client = Oldest(server, roots={}, sampling={}, elicitation={})
        client.call("test_input_required_result_list_roots", 1)
        question = client.next()
        assert question["method"] == "roots/list", question
        client.answer(question, {"roots": [{"uri": "file:///a"}]})
        assert text_of(client.next()) == "The client has 1 roots."
        client.call("test_sampling", 2, prompt="Say hi.")
        question = client.next()
        assert question["method"] == "sampling/createMessage", question
        client.answer(question, {"role": "assistant", "model": "m",
                                 "content": {"type": "text", "text": "Hi"}})
        assert "Hi" in text_of(client.next())
        # Forms are newer.
        client.call("careful", 3)
        assert "CAPABILITY_MISSING" in text_of(client.next())
        client.call("test_input_required_result_list_roots", 4)
        assert client.next()["method"] == "roots/list"
        # What it was asked ends with its stream, and does not hold the server up.
        began = time.monotonic()
        server.end()
        assert time.monotonic() - began < 9.5  # it waits 10 s for calls that run
        assert client.next() is None


def modern_request(server, method, name, params, tasks=True, **more):
    extensions = {"io.modelcontextprotocol/tasks": {}} if tasks else {}
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {
                "elicitation": {}, "extensions": extensions}, **more}
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
    if name is not None:
        headers["Mcp-Name"] = name
    return request(server, "POST", headers, {
        "jsonrpc": "2.0", "id": 1, "method": method,
        "params": dict(params, _meta=meta)})


def modern(server, method, name, params, **more):
    """The result; None: try again."""
    reply = json.loads(modern_request(server, method, name, params, **more).read())
    if reply.get("error", {}).get("data", {}).get("retryable"):
        return None
    return reply["result"]


def state_of(server, task, wanted):
    """The task once it has come to that state."""
    until = time.monotonic() + PATIENCE
    state = modern(server, "tasks/get", task, {"taskId": task})
    while state["status"] != wanted and time.monotonic() < until:
        time.sleep(0.05)
        state = modern(server, "tasks/get", task, {"taskId": task})
    assert state["status"] == wanted, state
    return state


def tasks_elsewhere(options):
    """What becomes of a task is told by every process that shares the store."""
    with tempfile.TemporaryDirectory() as folder:
        one = Server(options.fixture, folder)
        two = Server(options.fixture, folder)
        tasks = [modern(one, "tools/call", "confirm_delete", {
            "name": "confirm_delete", "arguments": {"filename": "f%d" % i}})["taskId"]
                 for i in range(3)]
        for task in tasks:
            state_of(one, task, "input_required")
        # Until what was said before has been told.
        time.sleep(1.5)
        events = Events(Session.__new__(Session), modern_request(
            two, "subscriptions/listen", None,
            {"notifications": {"taskIds": tasks[:2]}}))
        assert events.next()["params"]["notifications"]["taskIds"] == tasks[:2]
        for task in reversed(tasks):
            modern(one, "tasks/update", task, {"taskId": task, "inputResponses": {
                "confirm": {"action": "accept", "content": {"confirm": True}}}})
        ends = {}
        while len(ends) < 2:
            told = events.next()
            assert told["method"] == "notifications/tasks", told
            told = told["params"]
            assert told["taskId"] in tasks[:2], told
            if told["status"] == "completed":
                ends[told["taskId"]] = text_of(told)
        assert ends == {tasks[0]: "Deleted f0", tasks[1]: "Deleted f1"}, ends
        two.end()
        one.end()


def tasks_go_on(options):
    """A task that its process did not finish is finished by the next."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options.fixture, folder)
        waits = modern(server, "tools/call", "confirm_delete", {
            "name": "confirm_delete",
            "arguments": {"filename": "f"}})["taskId"]
        state_of(server, waits, "input_required")  # else the answer below answers nothing
        task = modern(server, "tools/call", "slow_compute", {
            "name": "slow_compute",
            "arguments": {"seconds": 1, "label": "it"}})["taskId"]
        time.sleep(0.3)
        server.end(signal.SIGKILL)
        server = Server(options.fixture, folder)
        modern(server, "tasks/update", waits, {"taskId": waits, "inputResponses": {
            "confirm": {"action": "accept", "content": {"confirm": True}}}})
        # The lease of the process that died runs out after half a minute.
        until = time.monotonic() + 120
        while time.monotonic() < until:
            states = [modern(server, "tasks/get", t, {"taskId": t})
                      for t in (task, waits)]
            if all(state["status"] == "completed" for state in states):
                break
            time.sleep(0.5)
        assert text_of(states[0]) == "Computed it in 1 seconds", states[0]
        assert text_of(states[1]) == "Deleted f", states[1]
        server.end()


FATAL = {"name": "fatal", "arguments": {}}


def has_fallen(server):
    """Has its process ended by abort()?"""
    if server.process.poll() is None:
        return False
    assert server.process.returncode == -signal.SIGABRT, server.process.returncode
    return True


def survive(options, folder, answer):
    """Begins servers, each of which finds the call that ended the one before, until
    one of them stays and `answer` has one. That, and how many have fallen."""
    for fallen in range(1, 10):
        half_a_minute_passes(folder)
        server = Server(options.fixture, folder, may_die=True)
        until = time.monotonic() + PATIENCE
        while not has_fallen(server):
            assert time.monotonic() < until, "it neither falls nor answers"
            try:
                found = answer(server) if server.port is not None else None
            except (OSError, http.client.HTTPException):
                found = None
            if found is not None:
                server.end()
                assert not any("cleaned" in line for line in server.said)
                return found, fallen
            time.sleep(0.05)
    raise AssertionError("servers fall for ever")


def falls_over(options, begin, answer):
    """Begins the call that ends its process, and comes back until it is told."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options.fixture, folder)
        begun = begin(server)
        server.process.wait(PATIENCE)
        assert has_fallen(server)
        told, fallen = survive(options, folder, lambda s: answer(s, begun))
        assert fallen == 5, fallen
        assert "CALL_CRASHED" in told, told
        assert "the server has ended 5 times in the middle" in told, told
        assert 'known to be done is \\"lay_out\\"' in told, told
        assert "no clean-up has run" in told, told


def fatal_rounds(options):
    """A call that ends its process each time ends by itself, and its client, which
    repeats its request, is told so."""
    def answer(server, _):
        result = modern(server, "tools/call", "fatal", FATAL, tasks=False,
                        **{"mica/idempotencyKey": "one"})
        return None if result is None else json.dumps(result)

    def begin(server):
        try:
            return answer(server, None)
        except (OSError, http.client.HTTPException):
            return None

    falls_over(options, begin, answer)


def fatal_task(options):
    """The same for a task, which no client repeats."""
    def begin(server):
        return modern(server, "tools/call", "fatal", FATAL)["taskId"]

    def answer(server, task):
        state = modern(server, "tasks/get", task, {"taskId": task})
        return json.dumps(state["error"]) if state["status"] == "failed" else None

    falls_over(options, begin, answer)


def fatal_session(options):
    """The same in a session, whose client resumes the stream of the call."""
    def begin(server):
        session = Session(server)
        events = session.call(server, "fatal", 1)
        try:
            while events.next() is not None:
                pass
        except (OSError, http.client.HTTPException):
            pass
        return session

    def answer(server, session):
        events, message = session.resume(server), None
        while message is None or "result" not in message:
            message = events.next()
            if message is None:
                return None
        return json.dumps(message)

    falls_over(options, begin, answer)


TESTS = [killed, ended, elsewhere, late, interrupted, two_answers, end_of_input,
         oldest, tasks_elsewhere, tasks_go_on, fatal_rounds, fatal_task, fatal_session]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mica")
    parser.add_argument("--fixture", default="build/tests/conformance-server")
    parser.add_argument("only", nargs="*")
    options = parser.parse_args()
    options.fixture = os.path.abspath(options.fixture)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    failed = 0
    chosen = [t for t in TESTS if not options.only or t.__name__ in options.only]
    print("1..%d" % len(chosen))

    def tried(test):
        try:
            test(options)
        except (AssertionError, OSError, KeyError, TypeError, ValueError,
                subprocess.SubprocessError) as error:
            return "%s: %s" % (type(error).__name__, error)
        return None

    for number, test, wrong in outcomes(chosen, tried):
        failed += wrong is not None
        print("%s %d - %s" % ("ok" if wrong is None else "not ok", number,
                              " ".join(test.__doc__.split())))
        for line in (wrong or "").splitlines():
            print("# " + line)
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What clients with sessions do to a server over real sockets: they break off,
come back, steal, collide, do not read, and move to another process; TAP.

    sessions.py --mica build/mica --fixture build/tests/conformance-server
"""
import argparse
import concurrent.futures
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from ports import Reserved
from together import outcomes

PATIENCE = 30


class Failure(Exception):
    pass


def need(truth, what):
    if not truth:
        raise Failure(what)


class Server:
    """A process of its own; its state lies in `folder`."""

    def __init__(self, command, folder, state=None, more=()):
        self.process = subprocess.Popen(
            command + ["--listen", "127.0.0.1:0", *more], cwd=folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env=dict(os.environ, XDG_STATE_HOME=state or folder))
        self.said, self.port = [], None
        self.ready = threading.Event()
        threading.Thread(target=self.read, daemon=True).start()
        self.ready.wait(PATIENCE)

    def read(self):
        for line in self.process.stderr:
            text = line.decode(errors="replace").rstrip()
            self.said.append(text)
            found = re.search(r"(?:port |127\.0\.0\.1:)(\d+)", text)
            if found and self.port is None:
                self.port = int(found.group(1))
                self.ready.set()
        self.ready.set()

    def __enter__(self):
        need(self.port is not None, "it did not begin: %s" % self.said)
        return self

    def __exit__(self, kind, value, trace):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = "no end"
        if kind is None:
            need(status == 0, "it ended with %s: %s" % (status, self.said[-5:]))


class Client:
    """One session."""

    def __init__(self, server, version="2025-11-25", session=None):
        self.server, self.version, self.session = server, version, session
        if session is None:
            response = self.post({"jsonrpc": "2.0", "id": 0, "method": "initialize",
                                  "params": {"protocolVersion": version,
                                             "capabilities": {}}})
            need(response.status == 200, "initialize: %d" % response.status)
            response.read()
            self.session = response.getheader("Mcp-Session-Id")

    def request(self, method, body=None, path="/mcp", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port,
                                                timeout=PATIENCE)
        sent = {"Accept": "application/json, text/event-stream"}
        if body is not None:
            sent["Content-Type"] = "application/json"
        if self.session is not None:
            sent["Mcp-Session-Id"] = self.session
            sent["MCP-Protocol-Version"] = self.version
        sent.update({name.replace("_", "-"): value for name, value in headers.items()})
        connection.request(method, path,
                           None if body is None else json.dumps(body), sent)
        response = connection.getresponse()
        response.connection = connection
        return response

    def post(self, body, **headers):
        return self.request("POST", body, **headers)

    def call(self, id_, tool, token=None, /, **arguments):
        params = {"name": tool, "arguments": arguments}
        if token is not None:
            params["_meta"] = {"progressToken": token}
        return self.post({"jsonrpc": "2.0", "id": id_, "method": "tools/call",
                          "params": params})

    def get(self, last=None):
        more = {} if last is None else {"Last_Event_ID": last}
        return self.request("GET", Accept="text/event-stream", **more)

    def waits(self):
        """How the fixture's waits have ended."""
        return result(events(self.call("waits", "wait", milliseconds=0)))["structuredContent"]


def events(response, count=None):
    """What comes on a stream, as dicts of id, retry and data."""
    need(response.getheader("Content-Type") == "text/event-stream",
         "no stream: %d %s" % (response.status, response.getheader("Content-Type")))
    found, event = [], {}
    while count is None or len(found) < count:
        line = response.readline()
        if not line:
            break
        name, _, value = line.decode().rstrip("\n").partition(":")
        if name:
            event[name] = event.get(name, "") + value.lstrip()
        elif "data" in event:
            found.append(event)
            event = {}
        else:
            event = {}
    return found


def result(found):
    return json.loads(found[-1]["data"])["result"]


def hang_up(response):
    """Goes away without a word to the server but that of TCP."""
    sock = socket.socket(fileno=os.dup(response.fileno()))
    sock.shutdown(socket.SHUT_RDWR)
    sock.close()
    response.close()
    response.connection.close()


def ids(found):
    return [event["id"] for event in found]


def resumed(client, last, count=None):
    """What comes behind that event. It begins with one that has an id, at once: when
    there is nothing yet it is one that says only where the client is."""
    found = events(client.get(last), count)
    need(not found or "id" in found[0], "resumed without an id: %s" % found[:1])
    return found[1:] if found and found[0]["id"] == last else found


def until(truth, what):
    end = time.monotonic() + PATIENCE
    while not truth():
        need(time.monotonic() < end, what)
        time.sleep(0.02)


# ---- Coming back ---------------------------------------------------------------


# [SESSION-RESUME]
def a_broken_stream_is_resumed_behind_any_event(options, folder):
    with Server([options.fixture], folder) as server:
        client = Client(server)
        whole = events(client.call(1, "count", "t", steps=4))
        need(whole[0] == {"id": "1-0", "retry": "500", "data": ""},
             "the priming event is %s" % whole[0])
        need(ids(whole) == ["1-%d" % i for i in range(6)], ids(whole))
        for i in range(5):
            again = events(client.get(whole[i]["id"]))
            need(again == whole[i + 1:], "behind %d: %s" % (i, again))
        # Some clients come back for as long as they are given an id.
        need(events(client.get(whole[5]["id"])) == [], "behind the last")


def going_away_does_not_cancel_and_the_result_is_kept(options, folder):
    with Server([options.fixture], folder) as server:
        client = Client(server)
        response = client.call("x", "count", "t", steps=20, pause_ms=20)
        begun = events(response, 4)
        hang_up(response)
        rest = resumed(client, begun[-1]["id"])
        need(ids(begun + rest) == ["1-%d" % i for i in range(22)],
             ids(begun + rest))
        need(result(rest)["structuredContent"] == {"counted": 20}, rest[-1])


def a_tool_closes_its_stream_and_goes_on(options, folder):
    with Server([options.fixture], folder) as server:
        client = Client(server)
        first = events(client.call(1, "test_reconnection"))
        need(ids(first) == ["1-0"], first)
        rest = resumed(client, "1-0")
        need(ids(rest) == ["1-1"] and "was closed" in rest[0]["data"], rest)
        halved = events(client.call(2, "count", "t", steps=6, close_at=3))
        need(ids(halved) == ["2-0", "2-1", "2-2", "2-3"], ids(halved))
        need(result(events(client.get("2-3")))["structuredContent"] ==
             {"counted": 6}, "the rest")


def older_revisions_have_no_empty_events(options, folder):
    with Server([options.fixture], folder) as server:
        client = Client(server, "2025-06-18")
        whole = events(client.call(1, "count", "t", steps=2))
        need([event["data"] != "" and "retry" not in event for event in whole] ==
             [True] * 3, whole)
        need(events(client.get(whole[0]["id"])) == whole[1:], "resumed")


# [SESSION-RESUME]
def a_stream_that_is_resumed_begins_with_an_id(options, folder):
    """At once, however long its call has nothing to say, and as often as it breaks.
    Older revisions know no empty events: theirs is a ping, which may be answered."""
    def come_back(version):
        client = Client(server, version)
        # All of it comes between two steps, on a machine that is busy, too.
        response = client.call(1, "count", "t", steps=2, pause_ms=6000)
        last = events(response, 2 if version == "2025-11-25" else 1)[-1]["id"]
        hang_up(response)
        for _ in range(5):
            began = time.monotonic()
            response = client.get(last)
            first = events(response, 1)[0]
            need(time.monotonic() - began < 5, "it waited for an event")
            need(first["id"] == last, "the first is %s" % first)
            hang_up(response)
            if version == "2025-11-25":
                need(first["data"] == "" and first["retry"] == "500", first)
                continue
            ping = json.loads(first["data"])
            need(ping["method"] == "ping" and "retry" not in first, first)
            pong = client.post({"jsonrpc": "2.0", "id": ping["id"], "result": {}})
            need(pong.status == 202, "its answer: %d" % pong.status)
        need(result(resumed(client, last)), "the result")

    versions = ("2025-11-25", "2025-06-18", "2025-03-26")
    with Server([options.fixture], folder) as server, \
            concurrent.futures.ThreadPoolExecutor(len(versions)) as pool:
        for _ in pool.map(come_back, versions):  # which raises what one has raised
            pass


# [SESSION-ONE]
def who_resumes_takes_the_stream_over(options, folder):
    with Server([options.fixture], folder) as server:
        client = Client(server)
        # The call lasts, so that it is taken over twice before its result.
        first = client.call(1, "count", "t", steps=40, pause_ms=150)
        begun = events(first, 3)
        second = client.get(begun[-1]["id"])
        rest_of_first = events(first)
        begun_again = events(second, 3)
        third = client.get(begun_again[-1]["id"])
        rest_of_second, rest = events(second), events(third)
        if ids(rest)[0] == ids(begun_again)[-1]:
            rest = rest[1:]  # there was nothing yet
        need(result(rest)["structuredContent"] == {"counted": 40}, "the result")
        for lost in (rest_of_first, rest_of_second):
            need(not any('"result"' in event["data"] for event in lost),
                 "a result came twice")
        need(ids(rest)[0] == "1-%d" % (int(ids(begun_again)[-1][2:]) + 1),
             "a gap: %s" % ids(rest)[0])


# ---- Stealing ------------------------------------------------------------------


def events_of_others_are_out_of_reach(options, folder):
    with Server([options.fixture], folder) as server:
        victim, thief = Client(server), Client(server)
        secret = events(victim.call(1, "greet", name="the victim"))
        for made_up in (ids(secret) + ["2-0", "1-7", "0-0", "-1-0", "1", "x", "", "1-",
                                       "01-0", "1-00", "9" * 40 + "-0"]):
            response = thief.get(made_up)
            need(response.status == 400, "%s: %d" % (made_up, response.status))
            need("victim" not in response.read().decode(), "it got them")
        # With a stream of that number of its own it gets its own.
        events(thief.call(1, "greet", name="the thief"))
        again = events(thief.get("1-0"))
        need("the thief" in again[0]["data"] and len(again) == 1, again)
        # An id has one form: that in which it was given.
        for form in ("1.0-0", "1e0-0", "10e-1-0", "1-0.0", "1-0e0", "1--0", "+1-0"):
            response = thief.get(form)
            need(response.status == 400, "%s: %d" % (form, response.status))
        # And no way of spelling the session but its own works.
        for session in (victim.session[:-1], victim.session + "A",
                        victim.session.swapcase(), " ", "*"):
            need(Client(server, session=session).get("1-0").status == 404, session)


def colliding_ids_never_meet(options, folder):
    with Server([options.fixture], folder) as server:
        clients = [Client(server) for _ in range(4)]
        wrong = []

        def talk(number, client):
            for i in range(25):
                name = "client %d call %d" % (number, i)
                found = events(client.call(1, "greet", name=name))
                if result(found)["content"][0]["text"].find(name) < 0 or len(found) != 2:
                    wrong.append((name, found))

        threads = [threading.Thread(target=talk, args=pair)
                   for pair in enumerate(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        need(not wrong, wrong)
        # To cancel one's request is not to cancel another's of that id.
        # It lasts longer than a look at how many run, and than what cancels it.
        response = clients[0].call(7, "wait", milliseconds=5000)
        until(lambda: clients[1].waits()["running"] == 1, "it did not begin")
        clients[1].post({"jsonrpc": "2.0", "method": "notifications/cancelled",
                         "params": {"requestId": 7}}).read()
        need(result(events(response))["structuredContent"]["finished"] == 1,
             "another client cancelled it")


# ---- Not reading, and the end ------------------------------------------------------


def who_does_not_read_holds_nobody_up(options, folder):
    with Server([options.fixture], folder) as server:
        lazy, client = Client(server), Client(server)

        def is_done(stream):
            """It is told when the call came to its end: 3000 is its last but one."""
            response = lazy.get("%d-3000" % stream)
            return response.status == 200 and "counted" in events(response)[-1]["data"]

        quiet = lazy.get()
        half = socket.create_connection(("127.0.0.1", server.port))
        half.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nMcp-Sess")
        unread = [lazy.call(i, "count", "t", steps=3000) for i in range(3)]
        for i in range(50):
            found = events(client.call(i, "greet", name="Ada"))
            need("Ada" in found[-1]["data"], found)
        for i, response in enumerate(unread):
            hang_up(response)
            until(lambda i=i: is_done(i + 1), "no result of %d" % i)
        hang_up(quiet)
        half.close()
        until(lambda: lazy.get().status == 200, "the stream was not let go of")


def delete_ends_all_of_a_session(options, folder):
    with Server([options.fixture], folder) as server:
        client, other = Client(server), Client(server)
        own = client.get()
        call = client.call(1, "wait", milliseconds=20000)
        broken = client.call(2, "count", "t", steps=400, pause_ms=50)
        begun = events(broken, 2)
        resumed = client.get(begun[-1]["id"])
        until(lambda: other.waits()["running"] == 1, "it did not begin")
        need(client.request("DELETE").status == 204, "DELETE")
        need(events(own) == [], "its own stream")
        need(ids(events(call)) == ["1-0"], "a call's stream")
        events(resumed)
        until(lambda: other.waits()["cancelled"] == 1, "the call continues")
        need(client.get(begun[0]["id"]).status == 404, "events are left")
        need(other.get().status == 200, "the other is gone, too")


def an_idle_session_expires(options, folder):
    command = [options.mica, "serve", "--drain=0", "--quiet", "--session-idle", "8", "--store",
               "memory"]
    with Server(command, folder) as server:
        client, listener = Client(server), Client(server)
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        need(client.post(ping).status == 200, "at once")
        time.sleep(9)
        need(client.post(ping).status == 404, "after its time")
        need(client.request("DELETE").status == 404, "DELETE")
        need(listener.get().status == 404, "GET")


# ---- Stores --------------------------------------------------------------------


def processes_share_sessions_events_and_changes(options, folder):
    def start():
        return Server([options.fixture], folder, more=[
            "--store", "sqlite:" + os.path.join(folder, "shared.db")])

    with start() as one, start() as two:
        here = Client(one)
        there = Client(two, session=here.session)
        need(there.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}).status == 200,
             "the session is not known there")
        own = here.get()
        need(here.get().status == 409, "a second stream")
        there.post({"jsonrpc": "2.0", "id": 2, "method": "resources/subscribe",
                    "params": {"uri": "test://watched-resource"}}).read()
        # Changed there, told here, once.
        events(there.call(3, "change", uri="test://watched-resource"))
        events(there.call(4, "change", uri="test://another"))
        events(there.call(5, "change", uri=""))
        told = [json.loads(event["data"]) for event in events(own, 2)]
        need(sorted(message["method"] for message in told) ==
             ["notifications/resources/updated", "notifications/tools/list_changed"],
             told)
        # Begun here, fetched there.
        response = here.call(6, "count", "t", steps=30, pause_ms=20)
        begun = events(response, 3)
        hang_up(response)
        rest = resumed(there, begun[-1]["id"])
        need(result(rest)["structuredContent"] == {"counted": 30}, rest[-1])
        need(len(begun + rest) == 32, "events: %s" % ids(begun + rest))
    with start() as later:
        again = Client(later, session=here.session)
        need(events(again.get(begun[0]["id"])) == begun[1:] + rest,
             "not there after a restart")
        need(again.request("DELETE").status == 204, "DELETE")


def without_a_place_for_its_file_it_serves_from_memory(options, folder):
    blocked = os.path.join(folder, "blocked")
    with open(blocked, "w", encoding="utf-8") as file:
        file.write("not a folder")
    with Server([options.mica, "serve", "--drain=0", "--quiet"], folder, blocked) as server:
        client = Client(server)
        need(client.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}).status == 200,
             "ping")
        until(lambda: any("in memory" in line for line in server.said),
              "nothing was said: %s" % server.said)
    server = Server([options.mica, "serve", "--drain=0", "--quiet", "--store",
                     "sqlite:" + os.path.join(blocked, "x.db")], folder)
    need(server.process.wait(PATIENCE) != 0, "a store that was named is needed")
    need(any("x.db" in line for line in server.said), server.said)


def a_server_without_sessions_makes_no_file(options, folder):
    with Server([options.mica, "serve", "--drain=0", "--quiet"], folder) as server:
        Client(server, session="none").request("GET", path="/healthz").read()
        need(not os.path.exists(os.path.join(folder, "mica", "mica.db")),
             "it is there before a session")
        Client(server)
        need(os.path.exists(os.path.join(folder, "mica", "mica.db")), "and not after")


# ---- Parties -------------------------------------------------------------------


def initialize(server, source="127.0.0.1", **headers):
    """The id of a new session, or the response that refuses it. None is as old as the one
    before, by a clock that ticks every few milliseconds."""
    time.sleep(0.01)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE,
                                            source_address=(source, 0))
    connection.request("POST", "/mcp", json.dumps(
        {"jsonrpc": "2.0", "id": 0, "method": "initialize",
         "params": {"protocolVersion": "2025-11-25", "capabilities": {}}}),
        dict({"Accept": "application/json, text/event-stream",
              "Content-Type": "application/json"},
             **{name.replace("_", "-"): value for name, value in headers.items()}))
    response = connection.getresponse()
    response.text = response.read()
    connection.close()
    return response.getheader("Mcp-Session-Id") or response


def lives(server, session):
    return Client(server, session=session).post(
        {"jsonrpc": "2.0", "id": 1, "method": "ping"}).status == 200


def one_client_does_not_lock_out_others(options, folder):
    more = ["--sessions-per-client", "3", "--trusted-proxy", "127.0.0.9",
            "--store", "sqlite:" + os.path.join(folder, "parties.db")]
    command = [options.mica, "serve", "--drain=0", "--quiet"]
    with Server(command, folder, more=more) as server, \
            Server(command, folder, more=more) as second:
        other = initialize(server, "127.0.0.2")
        mine = [initialize(server) for _ in range(3)]
        need(all(lives(server, session) for session in mine + [other]), "too early")
        # The oldest idle one makes room, whichever process is asked.
        mine.append(initialize(second))
        need([lives(second, session) for session in mine] ==
             [False, True, True, True], "not the oldest")
        # The other one has read it a moment ago, and believes that for 5 seconds.
        until = time.monotonic() + 7
        while lives(server, mine[0]) and time.monotonic() < until:
            time.sleep(0.1)
        need([lives(server, session) for session in mine] ==
             [False, True, True, True], "not the oldest elsewhere")
        need(lives(server, other), "another client pays for it")
        # What has an open stream stays, also one that is open in the other process.
        streams = [Client(server, session=mine[1]).get(),
                   Client(second, session=mine[2]).get()]
        mine.append(initialize(server))
        need([lives(server, session) for session in mine[1:]] ==
             [True, True, False, True], "an open stream is no idle one")
        streams.append(Client(server, session=mine[4]).get())
        for each in server, second:
            refused = initialize(each, Origin="http://localhost")
            need(getattr(refused, "status", 0) == 429, "not refused: %s" % refused)
            need(refused.getheader("Retry-After") == "60", "Retry-After")
            need("Retry-After" in refused.getheader("Access-Control-Expose-Headers", ""),
                 "a page cannot read Retry-After")
            need(b"TOO_MANY_SESSIONS" in refused.text, refused.text)
        need(isinstance(initialize(server, "127.0.0.2"), str), "another is refused")
        # Only the proxy is believed, and only its rightmost word.
        need(getattr(initialize(server, X_Forwarded_For="192.0.2.1"), "status", 0) == 429,
             "a client says itself where it comes from")
        proxied = [initialize(server, "127.0.0.9",
                              X_Forwarded_For="6.6.6.%d, 192.0.2.1" % i) for i in range(4)]
        need([lives(server, session) for session in proxied] ==
             [False, True, True, True], "the party of a proxy's client")
        need(isinstance(initialize(server, "127.0.0.9",
                                   Forwarded='for="[2001:db8::1]:80"'), str), "IPv6")
        for stream in streams:
            hang_up(stream)


def the_bound_holds_when_many_begin_at_once(options, folder):
    more = ["--sessions-per-client", "10",
            "--store", "sqlite:" + os.path.join(folder, "parties.db")]
    command, made = [options.mica, "serve", "--drain=0", "--quiet"], []
    with Server(command, folder, more=more) as one, \
            Server(command, folder, more=more) as two:
        def begin(server):
            end = time.monotonic() + PATIENCE
            for _ in range(20):
                each = initialize(server)
                # Others may hold the store for longer than it waits: a client tries again.
                while getattr(each, "status", 0) == 503 and time.monotonic() < end:
                    each = initialize(server)
                made.append(each)

        threads = [threading.Thread(target=begin, args=(server,))
                   for server in (one, two) * 3]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        lost = [(each.status, each.text) for each in made if not isinstance(each, str)]
        need(len(made) == 120 and not lost, "%d, %s" % (len(made), lost))
        need(sum(lives(one, session) for session in made) == 10, "not exact")
    checked = subprocess.run([options.mica, "store", "check", "--store", more[-1]],
                             stdout=subprocess.PIPE, check=False)
    need(checked.returncode == 0, checked.stdout)


NGINX = """daemon off; master_process off; pid %(folder)s/pid; error_log %(folder)s/log;
events {}
http {
  access_log off; client_body_temp_path %(folder)s/a; proxy_temp_path %(folder)s/b;
  fastcgi_temp_path %(folder)s/c; uwsgi_temp_path %(folder)s/d; scgi_temp_path %(folder)s/e;
  server { listen 127.0.0.1:%(port)d; location / {
    proxy_pass http://127.0.0.1:%(behind)d; proxy_set_header Host localhost;
    proxy_set_header %(field)s; } }
}
"""


class Nginx:
    """In front of `server`; says in one field whom it asks for."""

    def __init__(self, server, folder, field):
        program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
        need(program is not None,
             "nginx is not installed; scripts/packages test installs it")
        self.reserved = Reserved()
        self.port = self.reserved.number
        path = os.path.join(folder, "nginx.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(NGINX % {"folder": folder, "port": self.port,
                                "behind": server.port, "field": field})
        self.process = subprocess.Popen([program, "-c", path, "-p", folder],
                                        stderr=subprocess.DEVNULL)

    def __enter__(self):
        until(self.answers, "nginx does not answer")
        return self

    def answers(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), PATIENCE).close()
            return True
        except OSError:
            return False

    def __exit__(self, kind, value, trace):
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.reserved.release()


def clients_behind_nginx_are_told_apart(options, folder):
    with Server([options.mica, "serve", "--drain=0", "--quiet"], folder, more=[
            "--sessions-per-client", "2", "--trusted-proxy", "127.0.0.1",
            "--store", "memory"]) as server:
        fields = [("X-Forwarded-For $proxy_add_x_forwarded_for", "X_Forwarded_For", "%s"),
                  ("X-Forwarded-For $remote_addr", "Forwarded", "for=%s"),
                  ('Forwarded "for=$remote_addr;proto=http"', "Forwarded", "for=%s"),
                  ('Forwarded "for=$remote_addr"', "X_Forwarded_For", "%s")]
        for number, (field, claim, value) in enumerate(fields):
            victim, other = "127.0.1.%d" % (2 * number), "127.0.1.%d" % (2 * number + 1)
            with Nginx(server, folder, field) as nginx:
                held = [initialize(nginx, victim) for _ in range(2)]
                # Another client says that it is the first one.
                lies = []
                for _ in range(4):
                    time.sleep(0.005)  # their ages are told in milliseconds
                    lies.append(initialize(nginx, other, **{claim: value % victim}))
            need(all(lives(server, session) for session in held),
                 "%s: the session of another has made room" % field)
            left = [lives(server, session) for session in lies]
            need(left == [False, False, True, True],
                 "%s: of those who lie %s are left" % (field, left))


def a_network_of_proxies_that_is_none_is_refused(options, folder):
    for text in "10.0.0.1/8", "example.org", "::/129":
        server = Server([options.mica, "serve", "--drain=0", "--quiet", "--trusted-proxy", text],
                        folder)
        need(server.process.wait(PATIENCE) == 2, "it is served: " + text)
        need(any(text in line for line in server.said), server.said)


# ---- The oldest transport ----------------------------------------------------------


def the_oldest_transport_has_one_stream(options, folder):
    with Server([options.mica, "serve", "--drain=0", "--quiet", "--http-sse", "--store", "memory"],
                folder) as server:
        client = Client(server, session="unused")
        stream = client.request("GET", path="/sse", Accept="text/event-stream")
        first = events(stream, 1)[0]
        need(first["event"] == "endpoint" and
             first["data"].startswith("/messages?session="), first)

        def say(body):
            response = client.request("POST", body, path=first["data"])
            need(response.status == 202 and response.read() == b"",
                 "POST: %d" % response.status)

        def hear():
            return json.loads(events(stream, 1)[0]["data"])

        say({"jsonrpc": "2.0", "id": 1, "method": "initialize",
             "params": {"protocolVersion": "2024-11-05", "capabilities": {}}})
        need(hear()["result"]["protocolVersion"] == "2024-11-05", "initialize")
        say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        say({"jsonrpc": "2.0", "id": "a", "method": "tools/call",
             "params": {"name": "percentage-calculator",
                        "arguments": {"mode": "of", "a": 15, "b": 200}}})
        reply = hear()
        need(reply["id"] == "a" and "30" in reply["result"]["content"][0]["text"], reply)
        say({"jsonrpc": "2.0", "id": 2, "method": "nothing"})
        need(hear()["error"]["code"] == -32601, "an unknown method")
        stranger = first["data"][:-1] + "_"
        need(client.request("POST", {}, path=stranger).status == 404, "a stranger")
        need(client.request("POST", {}, path="/messages").status == 404, "no session")
        need(client.request("GET", path=first["data"]).status == 405, "GET")
        need(client.request("POST", {}, path=first["data"],
                            Content_Type="text/plain").status == 415, "text")
        need(client.request("POST", {}, path=first["data"],
                            Origin="http://evil.example").status == 403, "a page")
        hang_up(stream)
        until(lambda: client.request("POST", {"jsonrpc": "2.0", "id": 3,
                                              "method": "ping"},
                                     path=first["data"]).status == 404,
              "it outlives its stream")
    with Server([options.mica, "serve", "--drain=0", "--quiet"], folder) as server:
        need(Client(server, session="unused").request("GET", path="/sse").status == 404,
             "it is served without being asked for")


TESTS = [
    a_broken_stream_is_resumed_behind_any_event,
    going_away_does_not_cancel_and_the_result_is_kept,
    a_tool_closes_its_stream_and_goes_on,
    older_revisions_have_no_empty_events,
    a_stream_that_is_resumed_begins_with_an_id,
    who_resumes_takes_the_stream_over,
    events_of_others_are_out_of_reach,
    colliding_ids_never_meet,
    who_does_not_read_holds_nobody_up,
    delete_ends_all_of_a_session,
    an_idle_session_expires,
    processes_share_sessions_events_and_changes,
    without_a_place_for_its_file_it_serves_from_memory,
    a_server_without_sessions_makes_no_file,
    one_client_does_not_lock_out_others,
    the_bound_holds_when_many_begin_at_once,
    clients_behind_nginx_are_told_apart,
    a_network_of_proxies_that_is_none_is_refused,
    the_oldest_transport_has_one_stream,
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mica", default="build/mica")
    parser.add_argument("--fixture", default="build/tests/conformance-server")
    parser.add_argument("tests", nargs="*")
    options = parser.parse_args()
    options.mica = os.path.abspath(options.mica)
    options.fixture = os.path.abspath(options.fixture)
    failed = 0
    chosen = [test for test in TESTS
              if not options.tests or test.__name__ in options.tests]

    def tried(test):
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(options, folder)
            except (Failure, OSError, http.client.HTTPException, KeyError,
                    IndexError, ValueError) as error:
                return "%s: %s" % (type(error).__name__, error)
        return None

    for number, test, wrong in outcomes(chosen, tried):
        failed += wrong is not None
        print("%s %d - %s" % ("ok" if wrong is None else "not ok", number,
                              test.__name__.replace("_", " ")))
        if wrong is not None:
            print("# " + wrong.replace("\n", "\n# ")[:2000])
    print("1..%d" % len(chosen))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What many clients do to one server, or to several with one store, over real
sockets: collide, leave, crawl, flood, do not read, come too late; TAP.

    crowd.py --mica build/mica --fixture build/tests/conformance-server
"""
import argparse
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time

from sessions import (PATIENCE, Client, Failure, Server, events, hang_up, ids, need,
                      result, until)

VERSION = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
FILES = 1500  # more than one page of a list, less than two


META = {PREFIX + "protocolVersion": VERSION, PREFIX + "clientCapabilities": {}}


def message(id_, method, meta=None, **params):
    return {"jsonrpc": "2.0", "id": id_, "method": method,
            "params": {"_meta": {**META, **(meta or {})}, **params}}


def headers_of(body):
    """Those of a client; over a raw socket, too."""
    method = body["method"]
    headers = {"Content-Type": "application/json", "Mcp-Method": method,
               "Accept": "application/json, text/event-stream",
               "MCP-Protocol-Version": VERSION}
    if method in NAMED_BY:
        headers["Mcp-Name"] = body["params"][NAMED_BY[method]]
    return headers


def post(server, body):
    connection = http.client.HTTPConnection("127.0.0.1", server.port,
                                            timeout=PATIENCE)
    connection.request("POST", "/mcp", json.dumps(body), headers_of(body))
    response = connection.getresponse()
    response.connection = connection
    return response


def raw(body, length=None):
    """The bytes of a request; `length` promises another."""
    text = json.dumps(body).encode()
    headers = {"Host": "127.0.0.1", **headers_of(body),
               "Content-Length": len(text) if length is None else length}
    head = "".join("%s: %s\r\n" % pair for pair in headers.items())
    return b"POST /mcp HTTP/1.1\r\n" + head.encode() + b"\r\n" + text


def call(server, id_, tool, token=None, /, **arguments):
    meta = {} if token is None else {"progressToken": token}
    return post(server, message(id_, "tools/call", meta, name=tool,
                                arguments=arguments))


def structured(response):
    """Of a reply that is no stream."""
    value = json.loads(response.read())
    need("result" in value, value)
    return value["result"]["structuredContent"]


def listen(server, id_, **wanted):
    """A subscription that has been acknowledged."""
    response = post(server, message(id_, "subscriptions/listen",
                                    notifications=wanted))
    first = json.loads(events(response, 1)[0]["data"])
    need(first["method"] == "notifications/subscriptions/acknowledged" and
         first["params"]["_meta"][PREFIX + "subscriptionId"] == id_, first)
    return response


def hear(response):
    return json.loads(events(response, 1)[0]["data"])


def waits(server):
    return structured(call(server, "waits", "wait", milliseconds=0))


def together(functions):
    """Runs each on a thread of its own; the first failure is that of all."""
    wrong = []

    def run(function):
        try:
            function()
        except (Failure, OSError, http.client.HTTPException, KeyError,
                ValueError) as error:
            wrong.append("%s: %s" % (type(error).__name__, error))

    threads = [threading.Thread(target=run, args=(function,))
               for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(2 * PATIENCE)
    need(not wrong, wrong[:3])
    need(not any(thread.is_alive() for thread in threads), "one did not end")


# ---- Colliding -----------------------------------------------------------------


# [BASE-STATELESS]
def the_same_ids_and_tokens_never_meet(options, folder):
    with Server([options.fixture], folder) as server:

        def talk(number):
            for i in range(15):
                name = "client %d call %d" % (number, i)
                reply = json.loads(call(server, 1, "greet", name=name).read())
                need(reply["id"] == 1 and reply["result"]["structuredContent"] ==
                     {"greeting": "Hello, %s!" % name}, reply)
                # A number of steps that no other client has, so that an answer shows its owner.
                steps = 10 + number
                found = [json.loads(event["data"]) for event in events(
                    call(server, 1, "count", "t", steps=steps))]
                need(all(event["params"]["total"] == steps for event in found[:-1]),
                     found)
                need(found[-1]["result"]["structuredContent"] == {"counted": steps},
                     found[-1])

        together([lambda number=number: talk(number) for number in range(8)])


def a_subscription_hears_only_what_it_asked_for(options, folder):
    uris = ["test://%d" % i for i in range(6)]
    with Server([options.fixture], folder) as server:
        streams = [listen(server, 1, resourceSubscriptions=[uri]) for uri in uris]
        lists = listen(server, 1, toolsListChanged=True)
        for _ in range(2):
            for uri in uris:
                structured(call(server, 1, "change", uri=uri))
            structured(call(server, 1, "change", uri=""))
            for uri, stream in zip(uris, streams):
                told = hear(stream)
                need(told["params"]["uri"] == uri, "%s heard %s" % (uri, told))
            need(hear(lists)["method"] == "notifications/tools/list_changed", "lists")
        for stream in streams + [lists]:
            hang_up(stream)


# A notification of another is about another's requests.
def nobody_cancels_the_request_of_another(options, folder):
    with Server([options.fixture], folder) as server:
        replies = []
        # It lasts longer than a look at how many run, and than what cancels it.
        mine = threading.Thread(target=lambda: replies.append(
            structured(call(server, 7, "wait", milliseconds=5000))))
        mine.start()
        until(lambda: waits(server)["running"] == 1, "it did not begin")
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled",
                  "params": {"_meta": META, "requestId": 7}}
        need(post(server, cancel).status == 202, "202")
        mine.join(PATIENCE)
        need(replies and replies[0]["finished"] == 1, replies)


# ---- Leaving -------------------------------------------------------------------


# [HTTP-DISCONNECT]
def who_leaves_cancels_its_own_call_alone(options, folder):
    with Server([options.fixture], folder) as server:
        heard = listen(server, "text id", toolsListChanged=True)
        also = listen(server, 5, toolsListChanged=True)
        stays = []
        # It still runs when the second has begun, and when that is seen.
        other = threading.Thread(target=lambda: stays.append(
            structured(call(server, 1, "wait", milliseconds=5000))))
        other.start()
        until(lambda: waits(server)["running"] == 1, "the other did not begin")
        # One that would be answered with JSON.
        sock = socket.create_connection(("127.0.0.1", server.port))
        sock.sendall(raw(message(1, "tools/call", name="wait",
                                 arguments={"milliseconds": 60000})))
        until(lambda: waits(server)["running"] == 2, "it did not begin")
        sock.close()
        until(lambda: waits(server)["cancelled"] == 1, "JSON: not cancelled")
        # One whose answer is a stream, which has begun.
        stream = call(server, 1, "count", "t", steps=10000, pause_ms=20)
        events(stream, 2)
        hang_up(stream)
        # And a subscription.
        hang_up(also)
        structured(call(server, 2, "change", uri=""))
        told = hear(heard)
        need(told["method"] == "notifications/tools/list_changed" and
             told["params"]["_meta"][PREFIX + "subscriptionId"] == "text id", told)
        other.join(PATIENCE)
        need(stays and stays[0]["finished"] == 1, "the other: %s" % stays)
        hang_up(heard)
        began = time.monotonic()
    # A server that is told to end waits ten seconds for what runs.
    need(time.monotonic() - began < 9.5, "SSE: not cancelled")


# A client that is gone costs nothing, even while an older one keeps a connection.
def who_leaves_a_stream_is_let_go_at_once(options, folder):
    def closed_by_their_clients(server):
        with open("/proc/%d/net/tcp" % server.process.pid, encoding="utf-8") as file:
            rows = [line.split() for line in file]
        return sum(row[1].endswith(":%04X" % server.port) and row[3] == "08"
                   for row in rows)

    with Server([options.fixture], folder) as server:
        older = socket.create_connection(("127.0.0.1", server.port))
        older.sendall(raw(message(1, "server/discover")))
        need(older.recv(1000).startswith(b"HTTP/1.1 200"), "the older one")
        for i in range(20):
            hang_up(listen(server, i, toolsListChanged=True))
            stream = call(server, i, "count", "t", steps=10000, pause_ms=5)
            events(stream, 2)
            hang_up(stream)
        until(lambda: closed_by_their_clients(server) == 0, "connections are kept")
        older.close()


# ---- Crawling, flooding, not reading ---------------------------------------------


class Crowd:
    """Clients that do harm: their sockets, and a thread for those that crawl."""

    def __init__(self, server):
        self.server, self.sockets, self.crawlers = server, [], []
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.crawl, daemon=True)
        self.thread.start()

    def dial(self, first=b""):
        sock = socket.create_connection(("127.0.0.1", self.server.port), PATIENCE)
        sock.sendall(first)
        self.sockets.append(sock)
        return sock

    def crawl(self):
        """A byte of each request now and then."""
        while not self.over.wait(0.05):
            for item in self.crawlers:
                sock, left = item
                try:
                    sock.send(left[:1])
                except OSError:
                    continue
                item[1] = left[1:] or b"x"

    def end(self):
        self.over.set()
        self.thread.join(PATIENCE)
        for sock in self.sockets:
            sock.close()


def flood(server, part):
    """More than it takes, in the head or the body: it says so, or hangs up."""
    big = {"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"a": "a" * (5 << 20)}}
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as sock:
        try:
            sock.sendall(b"POST /mcp HTTP/1.1\r\nX: " + b"x" * (1 << 20)
                         if part == "head" else raw(message(1, "x"), 5 << 20) +
                         json.dumps(big).encode())
            answer = sock.recv(1000)
        except OSError:
            return
    need(answer == b"" or b" 413 " in answer[:20] or b" 431 " in answer[:20],
         "%s: %r" % (part, answer[:60]))


def clients_that_do_harm_hold_nobody_up(options, folder):
    unread = raw(message(1, "tools/list")) * 200
    whole = raw(message(1, "tools/call", name="greet", arguments={"name": "a" * 999}))
    with Server([options.fixture], folder) as server:
        crowd = Crowd(server)
        subscribers = []
        for i in range(25):
            crowd.dial()                                # says nothing
            crowd.dial(whole[:40 + i])                  # half a head
            crowd.dial(raw(message(1, "tools/list"), 1 << 20))  # half a body
            crowd.crawlers.append([crowd.dial(), whole])
            crowd.dial(unread)                          # asks and does not read
            crowd.dial().shutdown(socket.SHUT_WR)       # half closed
        for i in range(4):
            crowd.dial(raw(message(1, "tools/call", {"progressToken": i}, name="count",
                                   arguments={"steps": 10000})))
            subscribers.append(listen(server, i, resourceSubscriptions=["test://u"]))

        def served(number):
            for i in range(20):
                began = time.monotonic()
                name = "%d of %d" % (i, number)
                need(structured(call(server, i, "greet", name=name)) ==
                     {"greeting": "Hello, %s!" % name}, name)
                structured(call(server, i, "change", uri="test://u"))
                took = time.monotonic() - began
                need(took < PATIENCE, "it took %.1f s" % took)

        together([lambda: [flood(server, part) for part in ("head", "body") * 3]] +
                 [lambda number=number: served(number) for number in range(3)])
        # The loudest of them got all that was for it, once it reads.
        for stream in subscribers:
            need(hear(stream)["params"]["uri"] == "test://u", "an unread notification")
            hang_up(stream)
        crowd.end()


# ---- Coming too late -------------------------------------------------------------


# [SESSION-RESUME] Never from a gap: it is told, and sends its request again.
def a_stream_that_forgot_its_beginning_says_so(options, folder):
    with Server([options.fixture], folder) as server:
        client = Client(server)
        whole = events(client.call(1, "count", "t", steps=400))
        need(len(whole) == 402, "%d events" % len(whole))
        for too_old in (0, 1, 100):
            response = client.get("1-%d" % too_old)
            need(response.status == 400, "behind %d: %d" % (too_old, response.status))
            need(b"counted" not in response.read(), "it is told something")
        rest = events(client.get("1-390"))
        need(rest == whole[391:], "behind 390: %s" % ids(rest))
        need(result(rest)["structuredContent"] == {"counted": 400}, rest[-1])


# ---- Several processes -----------------------------------------------------------


def page_of(server, cursor):
    more = {} if cursor is None else {"cursor": cursor}
    return json.loads(post(server, message(1, "resources/list", **more)).read())


def make_files(folder):
    path = os.path.join(folder, "files")
    os.mkdir(path)
    for i in range(FILES):
        with open(os.path.join(path, "%04d.txt" % i), "w", encoding="utf-8") as file:
            file.write("%d" % i)
    return path


# [LIST-CURSOR]
def a_page_that_one_process_began_another_goes_on(options, folder):
    files = make_files(folder)

    def start(store):
        return Server([options.mica, "serve", "--drain=0", "--quiet", "--resources", files,
                       "--store", store], folder)

    shared = "sqlite:" + os.path.join(folder, "shared.db")
    with start(shared) as one:
        first = page_of(one, None)["result"]
        cursor = first["nextCursor"]
        with start(shared) as two, start("memory") as stranger:
            second = page_of(two, cursor)["result"]
            need("nextCursor" not in second, "a third page")
            names = [r["name"] for r in first["resources"] + second["resources"]]
            need(sorted(names) == ["%04d.txt" % i for i in range(FILES)],
                 "%d names" % len(set(names)))
            need(page_of(one, cursor)["result"]["resources"] == second["resources"],
                 "the same page from where it began")
            need(page_of(stranger, cursor)["error"]["code"] == -32602, "a stranger")
            # Changed, cut or continued: from one character on.
            for wrong in [cursor[:i] for i in range(0, len(cursor), 7)] + [
                    cursor + "A", cursor + "-TAMPERED", cursor.swapcase()]:
                need(page_of(two, wrong)["error"]["code"] == -32602, wrong)
            other = json.loads(post(two, message(
                1, "tools/list", cursor=cursor)).read())
            need(other["error"]["code"] == -32602, "of another list")
    with start(shared) as later:
        need(page_of(later, cursor)["result"]["resources"] == second["resources"],
             "after all have ended")


def a_pipe_has_pages_too(options, folder):
    files = make_files(folder)
    process = subprocess.Popen([options.mica, "stdio", "--resources", files],
                               cwd=folder, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
    try:
        names, cursor = [], None
        while cursor != "":
            more = {} if cursor is None else {"cursor": cursor}
            line = json.dumps(message(len(names), "resources/list", **more))
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
            page = json.loads(process.stdout.readline())["result"]
            names += [resource["name"] for resource in page["resources"]]
            cursor = page.get("nextCursor", "")
        need(sorted(names) == ["%04d.txt" % i for i in range(FILES)], len(names))
        process.stdin.close()
        need(process.wait(PATIENCE) == 0, "it ended with %s" % process.returncode)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


TESTS = [
    the_same_ids_and_tokens_never_meet,
    a_subscription_hears_only_what_it_asked_for,
    nobody_cancels_the_request_of_another,
    who_leaves_cancels_its_own_call_alone,
    who_leaves_a_stream_is_let_go_at_once,
    clients_that_do_harm_hold_nobody_up,
    a_stream_that_forgot_its_beginning_says_so,
    a_page_that_one_process_began_another_goes_on,
    a_pipe_has_pages_too,
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mica", default="build/mica", type=os.path.abspath)
    parser.add_argument("--fixture", default="build/tests/conformance-server",
                        type=os.path.abspath)
    parser.add_argument("tests", nargs="*")
    options = parser.parse_args()
    failed = 0
    chosen = [test for test in TESTS
              if not options.tests or test.__name__ in options.tests]
    for number, test in enumerate(chosen, 1):
        wrong = None
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(options, folder)
            except (Failure, OSError, http.client.HTTPException, KeyError,
                    IndexError, ValueError) as error:
                wrong = "%s: %s" % (type(error).__name__, error)
        failed += wrong is not None
        print("%s %d - %s" % ("ok" if wrong is None else "not ok", number,
                              test.__name__.replace("_", " ")))
        if wrong is not None:
            print("# " + wrong.replace("\n", "\n# ")[:2000])
        sys.stdout.flush()
    print("1..%d" % len(chosen))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

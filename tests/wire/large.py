#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that are larger than the memory of a call, read as resources over HTTP and a
pipe: whole, by slow readers, while they change, past the bound; TAP.

    large.py --mica build/mica
"""
import argparse
import base64
import http.client
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

import talk
from talk import Failure

PATIENCE = 60
MIB = 1 << 20
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}
READERS = 8
EACH_KIB = 2 << 10  # of memory for each reader of 20 MiB


def need(truth, what):
    if not truth:
        raise Failure(what)


def message(uri, **more):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "resources/read",
                       "params": {"uri": uri, "_meta": META}, **more}).encode()


def dial(port, uri):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("POST", "/mcp", message(uri), {
        "Content-Type": "application/json", "Mcp-Method": "resources/read",
        "Mcp-Name": uri, "MCP-Protocol-Version": "2026-07-28",
        "Accept": "application/json, text/event-stream"})
    return connection


def read(port, uri):
    connection = dial(port, uri)
    reply = json.loads(connection.getresponse().read())
    connection.close()
    return reply


def peak_kib(pid):
    with open("/proc/%d/status" % pid, encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))


class Folder:
    """text.txt and bytes.bin of some 20 MiB, and past.txt of more than 64."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = self.folder.name
        chance = random.Random(1)
        line = 'a line with "quotes", a \\, a tab \t and äöü€😀 \x7f\n'
        self.text = line * (20 * MIB // len(line.encode())) + "€"
        self.bytes = chance.randbytes(20 * MIB + 1)
        self.write("text.txt", self.text.encode())
        self.write("bytes.bin", self.bytes)
        # Text until its very end.
        self.write("late.bin", b"x" * (5 * MIB) + b"\xff")
        self.write("cut.txt", b"x" * (5 * MIB) + "€".encode()[:2])
        with open(os.path.join(self.path, "past.txt"), "wb") as file:
            file.truncate(64 * MIB + 1)

    def write(self, name, data):
        with open(os.path.join(self.path, name), "wb") as file:
            file.write(data)

    def uri(self, name):
        return "file://" + os.path.realpath(self.path) + "/" + name


def content(reply):
    need("result" in reply, "refused: %s" % reply)
    contents = reply["result"]["contents"]
    need(len(contents) == 1, "%d contents" % len(contents))
    return contents[0]


def check_contents(ask, folder):
    got = content(ask(folder.uri("text.txt")))
    need(got["text"] == folder.text and "blob" not in got, "another text")
    got = content(ask(folder.uri("bytes.bin")))
    need(base64.b64decode(got["blob"]) == folder.bytes, "other bytes")
    for name, end in (("late.bin", b"x\xff"), ("cut.txt", b"x\xe2\x82")):
        got = base64.b64decode(content(ask(folder.uri(name)))["blob"])
        need(len(got) == 5 * MIB + len(end) - 1 and got.endswith(end), "%s is cut" % name)
    reply = ask(folder.uri("past.txt"))
    need(reply.get("error", {}).get("data", {}).get("code") == "LIMIT_EXCEEDED" and
         "larger than 67108864 bytes" in reply["error"]["message"], "past: %s" % reply)


def over_http(server, folder):
    check_contents(lambda uri: read(server.port, uri), folder)


def by_slow_readers(options, server, folder):
    """They hold a piece of it each, not the file."""
    before = peak_kib(server.process.pid)
    slow = [dial(server.port, folder.uri("bytes.bin")) for _ in range(READERS)]
    replies = [connection.getresponse() for connection in slow]
    for reply in replies:
        need(len(reply.read(1000)) == 1000, "nothing comes")
    more = peak_kib(server.process.pid) - before
    if options.sanitized:
        print("# not measured: a sanitizer keeps what is freed")
        return
    need(more < READERS * EACH_KIB, "%d readers took %d KiB" % (READERS, more))
    print("# %d readers took %d KiB" % (READERS, more))
    for connection, reply in zip(slow[1:], replies[1:]):
        reply.read()
        connection.close()
    slow[0].close()  # in the middle of it
    need(content(read(server.port, folder.uri("bytes.bin"))), "it does not serve")


def while_it_changes(server, folder):
    """Each reply is one state of the file, or says that there was none."""
    stop = threading.Event()
    states = [b"a" * (6 * MIB), b"b" * (7 * MIB)]

    def write():
        while not stop.is_set():
            for state in states:
                folder.write("late.bin", state)

    folder.write("late.bin", states[0])
    writer = threading.Thread(target=write)
    writer.start()
    said = set()
    try:
        for _ in range(10):
            reply = read(server.port, folder.uri("late.bin"))
            if "error" in reply:
                said.add(reply["error"]["data"]["code"])
            else:
                text = content(reply).get("text", "")
                need(len(set(text)) <= 1, "torn")
    finally:
        stop.set()
        writer.join()
        folder.write("late.bin", b"x" * (5 * MIB) + b"\xff")
    need(said <= {"IO_ERROR"}, "it says %s" % said)
    # A file that is gone or shorter by the time it is sent does not tear it.
    slow = dial(server.port, folder.uri("text.txt"))
    reply = slow.getresponse()
    begin = reply.read(1000)
    folder.write("text.txt", b"")
    need(content(json.loads(begin + reply.read()))["text"] == folder.text, "torn")
    folder.write("text.txt", folder.text.encode())


def refused_of_24(server, folder):
    slow = [dial(server.port, folder.uri("bytes.bin")) for _ in range(24)]
    replies = []
    for connection in slow:
        response = connection.getresponse()
        replies.append((response, response.read(300)))
    for connection in slow:
        connection.close()
    return sum(b'"BUSY"' in begin for _, begin in replies)


def too_many(server, folder):
    until = time.monotonic() + PATIENCE
    busy = refused_of_24(server, folder)
    # A reader that has gone counts until the server sees it.
    while busy > 24 - 16 and time.monotonic() < until:
        time.sleep(1)
        busy = refused_of_24(server, folder)
    need(busy == 24 - 16, "%d of 24 are refused" % busy)


def in_a_session(server, folder):
    """Its replies are kept as text."""
    def post(body, **more):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        connection.request("POST", "/mcp", json.dumps(body), {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream", **more})
        response = connection.getresponse()
        return response, response.read().decode()

    response, _ = post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"}}})
    headers = {"Mcp-Session-Id": response.getheader("Mcp-Session-Id"),
               "MCP-Protocol-Version": "2025-11-25"}
    post({"jsonrpc": "2.0", "method": "notifications/initialized"}, **headers)
    _, said = post({"jsonrpc": "2.0", "id": 2, "method": "resources/read",
                    "params": {"uri": folder.uri("text.txt")}}, **headers)
    need('"LIMIT_EXCEEDED"' in said and "larger than 4194304 bytes" in said and
         "in a session" in said, "it says %s" % said[:500])


def over_a_pipe(options, folder):
    with subprocess.Popen([options.mica, "stdio", "--resources", folder.path],
                          cwd=folder.path, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL,
                          env=dict(os.environ, XDG_STATE_HOME=folder.path + "/.state")
                          ) as process:
        def ask(uri):
            process.stdin.write(message(uri) + b"\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        check_contents(ask, folder)
        process.stdin.close()
        need(process.wait(PATIENCE) == 0, "it ended with %s" % process.returncode)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mica", default="build/mica")
    parser.add_argument("--sanitized", action="store_true", help="memory is no measure")
    options = parser.parse_args()
    options.mica = os.path.abspath(options.mica)
    folder = Folder()
    server = talk.Program([options.mica, "serve", "--drain=0", "--listen", "127.0.0.1:0",
                           "--resources", folder.path], PATIENCE)
    server.ready.wait(PATIENCE)
    failed = 0
    tests = [("over HTTP", lambda: over_http(server, folder)),
             ("by slow readers", lambda: by_slow_readers(options, server, folder)),
             ("while it changes", lambda: while_it_changes(server, folder)),
             ("by too many", lambda: too_many(server, folder)),
             ("in no session", lambda: in_a_session(server, folder)),
             ("over a pipe", lambda: over_a_pipe(options, folder))]
    print("1..%d" % len(tests))
    try:
        for number, (name, test) in enumerate(tests, 1):
            wrong = None
            try:
                test()
            except (Failure, OSError, ValueError, KeyError, http.client.HTTPException) as error:
                wrong = "%s: %s" % (type(error).__name__, error)
            failed += wrong is not None
            print("%s %d - a large file is read %s" % ("ok" if wrong is None else "not ok",
                                                       number, name))
            if wrong:
                print("# " + wrong[:500].replace("\n", " "))
            sys.stdout.flush()
    finally:
        server.kill()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

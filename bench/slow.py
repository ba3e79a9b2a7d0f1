# SPDX-License-Identifier: Apache-2.0
"""Messages that need nothing of the store, while each operation of the store sleeps
for a second: the time of the reply, beside that with a normal store in the same run.

Both servers are bench-slow, which is mica with a sleep in front of each operation of its
store (slow_store.c). A message that does need the store is sent to both once a second, so
that an operation sleeps at all times and the load of both is the same."""
import base64
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
from statistics import median

SLEEP_MS = 1000
WARM_S = 2
VERSION = "io.modelcontextprotocol/protocolVersion"
META = {VERSION: "2026-07-28", "io.modelcontextprotocol/clientInfo": {"name": "b", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {
            "extensions": {"io.modelcontextprotocol/tasks": {}}}}
CALL = {"name": "percentage-calculator", "arguments": {"mode": "of", "a": 15, "b": 200}}
NO_TASK = {"taskId": "AAAAAAAAAAAAAAAAAAAAAA"}


def message(method, modern=True, **params):
    if modern:
        params["_meta"] = META
    body = {"jsonrpc": "2.0", "id": 1, "method": method}
    if params:
        body["params"] = params
    return json.dumps(body, separators=(",", ":")).encode()


HELLO = message("initialize", False, protocolVersion="2025-11-25", capabilities={},
                clientInfo={"name": "b", "version": "1"})
PING = message("ping", False)


def p99(times):
    return sorted(times)[len(times) * 99 // 100]


class Http:
    """A server, and requests to it on one connection, one after the other."""

    def __init__(self, bench, ms, folder):
        self.process = subprocess.Popen(
            [bench.tool("slow"), "serve", "--drain=0", "--listen", "127.0.0.1:0", "--quiet",
             "--store", "sqlite:" + os.path.join(folder, "slow-%d.db" % ms)],
            cwd=bench.empty, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
            env=dict(os.environ, MICA_BENCH_STORE_MS=str(ms)))
        self.port = int(re.search(r":(\d+)/", self.process.stdout.readline()).group(1))
        self.main = self.connect()
        head = self.ask(self.main, self.post(HELLO))
        session = re.search(rb"(?i)Mcp-Session-Id: (\S+)", head).group(1)
        self.requests = {
            "GET /healthz": b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
            "ping of a session": self.post(PING, b"Mcp-Session-Id: %s\r\n" % session),
            "tools/list": self.post(message("tools/list"), self.headers(b"tools/list")),
            "tools/call, inline": self.post(
                message("tools/call", **CALL), self.headers(b"tools/call", CALL["name"].encode()))}
        self.busy = True
        self.waits = 0
        self.other = threading.Thread(target=self.keep_store_busy)
        self.other.start()

    def connect(self):
        made = socket.create_connection(("127.0.0.1", self.port))
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made

    @staticmethod
    def headers(method, name=None):
        return b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %s\r\n%s" % (
            method, b"Mcp-Name: %s\r\n" % name if name else b"")

    @staticmethod
    def post(body, more=b""):
        return (b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                b"Accept: application/json, text/event-stream\r\nContent-Length: %d\r\n%s\r\n%s"
                % (len(body), more, body))

    @staticmethod
    def ask(connection, request, status=b"200"):
        connection.sendall(request)
        reply = b""
        while b"\r\n\r\n" not in reply:
            more = connection.recv(65536)
            if not more:
                raise RuntimeError("the server closed the connection")
            reply += more
        head, _, rest = reply.partition(b"\r\n\r\n")
        if head.split(b" ")[1] != status:
            raise RuntimeError(reply.decode())
        left = int(re.search(rb"(?i)Content-Length: (\d+)", head).group(1)) - len(rest)
        while left > 0:
            left -= len(connection.recv(left))
        return head

    def keep_store_busy(self):
        connection = self.connect()
        while self.busy:
            # A session that was never there is looked for in the store.
            started = time.monotonic()
            guess = base64.urlsafe_b64encode(os.urandom(32)).rstrip(b"=")
            self.ask(connection, self.post(PING, b"Mcp-Session-Id: %s\r\n" % guess), b"404")
            self.waits += 1
            time.sleep(max(0, started + SLEEP_MS / 1000 - time.monotonic()))
        connection.close()

    def time_of(self, name):
        started = time.perf_counter()
        self.ask(self.main, self.requests[name])
        return time.perf_counter() - started

    def end(self):
        self.busy = False
        self.other.join()
        self.main.close()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


class Stdio:
    """`mica stdio`, and messages to it; a task is asked for all the time, which needs the
    store. Its reply comes when it comes."""

    def __init__(self, bench, ms, folder):
        self.process = subprocess.Popen(
            [bench.tool("slow"), "stdio", "--engines", os.path.join(bench.build, "engines"),
             "--tools", os.path.join(bench.build, "tools")],
            cwd=bench.empty, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(os.environ, MICA_BENCH_STORE_MS=str(ms), XDG_STATE_HOME=folder))
        self.waits = 0
        self.requests = {"tools/list": message("tools/list"),
                         "tools/call, inline": message("tools/call", **CALL)}
        self.ask_for_task()

    def write(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def ask_for_task(self):
        self.heard = False
        self.again = time.monotonic() + SLEEP_MS / 1000
        self.write(message("tasks/get", **NO_TASK).replace(b'"id":1', b'"id":"task"'))

    def time_of(self, name):
        started = time.perf_counter()
        self.write(self.requests[name])
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("mica stdio has ended")
            if b'"id":"task"' not in line:
                break
            self.waits += 1
            self.heard = True
        if self.heard and time.monotonic() >= self.again:
            self.ask_for_task()
        if b'"result"' not in line:
            raise RuntimeError(line.decode())
        return time.perf_counter() - started

    def end(self):
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.wait()


def measure_round(servers, seconds):
    """The servers message by message, the first one by turns: both meet the same load."""
    times = {name: {ms: [] for ms in servers} for name in servers[0].requests}
    order = list(servers)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        order.reverse()
        for name, of in times.items():
            for ms in order:
                of[ms].append(servers[ms].time_of(name))
    return {name: {ms: {"p99": p99(one) * 1e6, "median": median(one) * 1e6}
                   for ms, one in of.items()} for name, of in times.items()}


def measure_one(bench, kind, folder):
    servers = {ms: kind(bench, ms, folder) for ms in (0, SLEEP_MS)}
    try:
        measure_round(servers, WARM_S)
        rounds = [measure_round(servers, bench.options.seconds)
                  for _ in range(bench.options.rounds)]
        waits = {ms: server.waits for ms, server in servers.items()}
    finally:
        for server in servers.values():
            server.end()
    return {"waits": waits, "messages": {
        name: {"p99": {ms: median(one[name][ms]["p99"] for one in rounds) for ms in servers},
               "median": {ms: median(one[name][ms]["median"] for one in rounds)
                          for ms in servers},
               "ratio": median(one[name][SLEEP_MS]["p99"] / one[name][0]["p99"]
                               for one in rounds)}
        for name in rounds[0]}}


def measure(bench):
    folder = bench.folder("slow")
    return {"HTTP": measure_one(bench, Http, folder), "stdio": measure_one(bench, Stdio, folder)}


def write(found):
    lines = ["## A store that sleeps", "",
             "Each operation of the store sleeps for %d ms, and at all times a message "
             "waits for one. Messages that need nothing of the store, one after the other, beside "
             "the same with a normal store, by turns. Aim: a p99 of at most twice that of "
             "the normal store." % SLEEP_MS, "",
             "| transport | message | median µs, normal | asleep | p99 µs, normal "
             "| asleep | ratio of p99 |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    for transport, one in found.items():
        for name, of in one["messages"].items():
            lines.append("| %s | %s | %.0f | %.0f | %.0f | %.0f | %.2f |" % (
                transport, name, of["median"][0], of["median"][SLEEP_MS],
                of["p99"][0], of["p99"][SLEEP_MS], of["ratio"]))
    return lines + [""]

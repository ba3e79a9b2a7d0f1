# SPDX-License-Identifier: Apache-2.0
"""Messages that need nothing of the store, while each operation of the store sleeps
for a second: the time of the reply, beside that with a normal store in the same run.

Both servers are bench-slow, which is mica with a sleep in front of each operation of its
store (slow_store.c). Another client sends messages that do need the store, one after the
other, so that an operation sleeps at all times."""
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
            [bench.tool("slow"), "serve", "--listen", "127.0.0.1:0", "--quiet",
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
    def ask(connection, request):
        connection.sendall(request)
        reply = b""
        while b"\r\n\r\n" not in reply:
            more = connection.recv(65536)
            if not more:
                raise RuntimeError("the server closed the connection")
            reply += more
        head, _, rest = reply.partition(b"\r\n\r\n")
        if b" 200" not in head.split(b"\r\n")[0]:
            raise RuntimeError(reply.decode())
        left = int(re.search(rb"(?i)Content-Length: (\d+)", head).group(1)) - len(rest)
        while left > 0:
            left -= len(connection.recv(left))
        return head

    def keep_store_busy(self):
        connection = self.connect()
        while self.busy:
            self.ask(connection, self.post(HELLO))
            self.waits += 1
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
            [bench.tool("slow"), "stdio", "--store",
             "sqlite:" + os.path.join(folder, "slow-stdio-%d.db" % ms)],
            cwd=bench.empty, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=dict(os.environ, MICA_BENCH_STORE_MS=str(ms)))
        self.waits = 0
        self.requests = {"tools/list": message("tools/list"),
                         "tools/call, inline": message("tools/call", **CALL)}
        self.ask_for_task()

    def write(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def ask_for_task(self):
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
            self.ask_for_task()
        if b'"result"' not in line:
            raise RuntimeError(line.decode())
        return time.perf_counter() - started

    def end(self):
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.wait()


def measure_one(bench, kind, folder):
    """The servers in turns, message by message, so that both meet the same load."""
    servers = {ms: kind(bench, ms, folder) for ms in (0, SLEEP_MS)}
    try:
        times = {name: {ms: [] for ms in servers} for name in servers[0].requests}
        warm = time.monotonic() + WARM_S
        end = warm + bench.options.seconds * bench.options.rounds
        while time.monotonic() < end:
            for name, of in times.items():
                for ms, server in servers.items():
                    took = server.time_of(name)
                    if time.monotonic() > warm:
                        of[ms].append(took)
        waits = {ms: server.waits for ms, server in servers.items()}
    finally:
        for server in servers.values():
            server.end()
    return {"waits": waits, "messages": {name: {
        "count": len(of[0]), "p99": {ms: p99(one) * 1e6 for ms, one in of.items()},
        "median": {ms: median(one) * 1e6 for ms, one in of.items()}}
        for name, of in times.items()}}


def measure(bench):
    folder = bench.folder("slow")
    return {"HTTP": measure_one(bench, Http, folder), "stdio": measure_one(bench, Stdio, folder)}


def write(found):
    lines = ["## A store that sleeps", "",
             "Each operation of the store sleeps for %d ms, and at all times a client waits "
             "for one. Messages that need nothing of the store, one after the other, beside "
             "the same with a normal store, by turns. Aim: a p99 of at most twice that of "
             "the normal store." % SLEEP_MS, "",
             "| transport | message | each | median µs, normal | asleep | p99 µs, normal "
             "| asleep | ratio of p99 |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for transport, one in found.items():
        for name, of in one["messages"].items():
            lines.append("| %s | %s | %d | %.0f | %.0f | %.0f | %.0f | %.2f |" % (
                transport, name, of["count"], of["median"][0], of["median"][SLEEP_MS],
                of["p99"][0], of["p99"][SLEEP_MS], of["p99"][SLEEP_MS] / of["p99"][0]))
    return lines + [""]

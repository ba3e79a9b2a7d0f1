# SPDX-License-Identifier: Apache-2.0
"""What a session costs that has nothing open: memory of the server for each of
many, in either store, and how long it takes to begin one and to use one."""
import json
import os
import re
import signal
import socket
import subprocess
import time

from servers import memory_of

COUNT = 100000
AIM = 1024  # bytes of the server's memory for each
PINGS = 5000
WARM = 100
HELLO = json.dumps({
    "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {"roots": {"listChanged": True}},
        "clientInfo": {"name": "a client", "version": "1.0.0"}}}).encode()
PING = b'{"jsonrpc":"2.0","id":2,"method":"ping"}'


class Connection:
    """HTTP/1.1 as fast as Python can: one request after the other."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def post(self, body, more=b""):
        self.socket.sendall(
            b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            b"Accept: application/json, text/event-stream\r\nContent-Length: %d\r\n%s\r\n%s"
            % (len(body), more, body))
        reply = self.socket.recv(65536)
        while b"\r\n\r\n" not in reply:
            reply += self.socket.recv(65536)
        if not reply.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(reply.decode())
        head, _, rest = reply.partition(b"\r\n\r\n")
        left = int(re.search(rb"Content-Length: (\d+)", head).group(1)) - len(rest)
        while left > 0:
            left -= len(self.socket.recv(left))
        return head


def begin(connection, count):
    head = None
    for _ in range(count):
        head = connection.post(HELLO)
    return re.search(rb"Mcp-Session-Id: (\S+)", head).group(1)


def measure_one(bench, store):
    server = subprocess.Popen(
        [bench.mica, "serve", "--drain=0", "--listen", "127.0.0.1:0", "--quiet", "--store", store,
         "--sessions-per-client", str(COUNT)],
        cwd=bench.empty, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True)
    try:
        port = int(re.search(r":(\d+)/", server.stdout.readline()).group(1))
        connection = Connection(port)
        begin(connection, WARM)  # what comes with the first
        before = memory_of(server.pid)["Rss"]
        started = time.monotonic()
        session = begin(connection, COUNT - WARM)
        began = time.monotonic() - started
        after = memory_of(server.pid)["Rss"]
        started = time.monotonic()
        for _ in range(PINGS):
            connection.post(PING, b"Mcp-Session-Id: %s\r\n" % session)
        pinged = time.monotonic() - started
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()
    return {"bytes": (after - before) * 1024 / (COUNT - WARM), "begin": began / (COUNT - WARM) * 1e6,
            "ping": pinged / PINGS * 1e6}


def measure(bench):
    path = os.path.join(bench.scratch.name, "sessions.db")
    found = {"memory": measure_one(bench, "memory"),
             "sqlite": measure_one(bench, "sqlite:" + path)}
    found["sqlite"]["file"] = os.path.getsize(path) / COUNT
    return found


def write(found):
    lines = ["## Sessions", "",
             "%s sessions of older clients with nothing open. Aim: %d bytes of the "
             "server's memory each. The times are those of one client in Python on one "
             "connection, request and reply." % ("{:,}".format(COUNT), AIM), "",
             "| store | bytes each | µs to begin one | µs for a ping in one | |",
             "| --- | --- | --- | --- | --- |"]
    for store, one in found.items():
        lines.append("| %s | %.0f%s | %.0f | %.0f | %s |" % (
            store, one["bytes"],
            " and %.0f in the file" % one["file"] if "file" in one else "",
            one["begin"], one["ping"],
            "reached" if one["bytes"] <= AIM else "**missed**"))
    return lines + [""]

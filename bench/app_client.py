# SPDX-License-Identifier: Apache-2.0
"""A `mica serve` of the benches of apps, and a client of one connection."""
import json
import re
import signal
import socket
import subprocess
import time

from servers import pinned

VERSION = "io.modelcontextprotocol/"
META = {VERSION + "protocolVersion": "2026-07-28", VERSION + "clientCapabilities": {}}


def call_of(tool, meta=META, **arguments):
    """The body of a call, in the stateless revision or, without `meta`, in older ones."""
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        **({"_meta": meta} if meta else {}), "name": tool,
        "arguments": arguments or {"message": "Where is my order?"}}},
                      separators=(",", ":")).encode()


def request_of(path, body, tool=None):
    head = "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" \
        "Accept: application/json, text/event-stream\r\nContent-Length: %d\r\n" % (
            path, len(body))
    if tool:
        head += "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n" \
            "Mcp-Name: %s\r\n" % tool
    return head.encode() + b"\r\n" + body


class Mica:
    """A server on the first processor, on a port that the system chooses."""

    def __init__(self, bench, *options, cwd=None, env=None):
        self.process = subprocess.Popen(
            pinned(0, [bench.mica, "serve", "--drain=0", "--listen", "127.0.0.1:0", "--quiet",
                       "--io-threads", "1", *options]),
            cwd=cwd or bench.empty, env=env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r":(\d+)/", line)
        if found is None:
            self.process.kill()
            raise SystemExit("mica serve: %s%s" % (line, self.process.stderr.read()))
        self.port = int(found.group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate()


class Client:
    """HTTP/1.1 as fast as Python can: one request after the other."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def close(self):
        self.socket.close()

    def ask(self, request, status=b"200"):
        """(head, body) of the reply, whose status has to be that one; None: any."""
        self.socket.sendall(request)
        reply = b""
        while b"\r\n\r\n" not in reply:
            reply += self.more()
        head, _, body = reply.partition(b"\r\n\r\n")
        if status is not None and head.split(b" ")[1] != status:
            raise SystemExit("refused: %s" % reply.decode())
        size = int(re.search(rb"(?i)Content-Length: (\d+)", head).group(1))
        while len(body) < size:
            body += self.more()
        return head, body

    def more(self):
        part = self.socket.recv(65536)
        if not part:
            raise SystemExit("the server has closed the connection")
        return part

    def call(self, path, tool, status=b"200"):
        """Seconds that a call of a tool took."""
        request = request_of(path, call_of(tool), tool)
        started = time.perf_counter()
        _, body = self.ask(request, status)
        took = time.perf_counter() - started
        if status == b"200" and b'"structuredContent"' not in body:
            raise SystemExit("no result: %s" % body.decode())
        return took

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server that is told to end while requests come through nginx and haproxy: no
client sees a refusal or a reset; TAP.

    drain.py --mica build/mica

Two servers stand behind each proxy, as a balancer has them. One is told to end while
clients send, each on a connection that it keeps. haproxy asks /healthz; nginx has no
such check, and learns of the end when the listener is closed.
"""
import argparse
import http.client
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from ports import Reserved
from proxies import PATIENCE, program_of
from together import outcomes

CLIENTS = 6
DRAIN = 5  # seconds, the default
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "drain", "version": "1"}}
HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
           "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call",
           "Mcp-Name": "hash"}
CALL = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
    "_meta": META, "name": "hash", "arguments": {"data": "x"}}})

NGINX = """
daemon off; master_process off; error_log %(folder)s/error.log info; pid %(folder)s/pid;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path %(folder)s/body; proxy_temp_path %(folder)s/proxy;
  fastcgi_temp_path %(folder)s/fastcgi; uwsgi_temp_path %(folder)s/uwsgi;
  scgi_temp_path %(folder)s/scgi;
  upstream mica { server 127.0.0.1:%(first)d; server 127.0.0.1:%(second)d; keepalive 8; }
  server {
    listen 127.0.0.1:%(port)d;
    location / {
      proxy_pass http://mica; proxy_http_version 1.1;
      proxy_set_header Connection ""; proxy_set_header Host localhost;
    }
  }
}
"""

HAPROXY = """
global
  log stdout format raw local0
defaults
  mode http
  log global
  timeout connect 5s
  timeout client 30s
  timeout server 30s
  timeout check 10s
  http-reuse always
frontend front
  bind 127.0.0.1:%(port)d
  default_backend back
backend back
  balance roundrobin
  option httpchk
  http-check send meth GET uri /healthz ver HTTP/1.1 hdr Host localhost
  http-check expect status 200
  default-server check inter 500ms fall 2 rise 1
  server first 127.0.0.1:%(first)d
  server second 127.0.0.1:%(second)d
"""


class Failure(Exception):
    pass


def need(truth, what):
    if not truth:
        raise Failure(what)


class Mica:
    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            [program, "serve", "--listen", "127.0.0.1:0", "--quiet", "--built-in"],
            text=True, cwd=self.folder.name, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=dict(os.environ, XDG_STATE_HOME=self.folder.name))
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1].split("/")[0])

    def tell(self):
        self.process.send_signal(signal.SIGTERM)
        return time.monotonic()

    def end(self):
        """Waits for the end; a server that was not told is told, twice."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.folder.cleanup()
        need(code == 0, "mica ended with %d" % code)


class Proxy:
    def __init__(self, kind, first, second):
        self.folder = tempfile.TemporaryDirectory()
        self.reserved = Reserved()
        self.port = self.reserved.number
        path = os.path.join(self.folder.name, "config")
        with open(path, "w", encoding="utf-8") as file:
            file.write({"nginx": NGINX, "haproxy": HAPROXY}[kind] % {
                "folder": self.folder.name, "port": self.port,
                "first": first.port, "second": second.port})
        command = [program_of(kind)] + (
            ["-c", path, "-e", self.folder.name + "/early"] if kind == "nginx"
            else ["-db", "-f", path])
        self.out = open(os.path.join(self.folder.name, "out"), "wb")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                        stdout=self.out, stderr=subprocess.STDOUT)
        until = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError as error:
                if time.monotonic() > until or self.process.poll() is not None:
                    raise Failure("%s does not start" % kind) from error
                time.sleep(0.02)

    def said(self):
        text = ""
        for name in ("out", "error.log"):
            path = os.path.join(self.folder.name, name)
            if os.path.exists(path):
                with open(path, encoding="latin-1") as file:
                    text += file.read()
        return text

    def end(self):
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.out.close()
        self.reserved.release()
        self.folder.cleanup()


class Client(threading.Thread):
    """Calls again and again on a connection that it keeps as long as it may."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.stops, self.wrong, self.answered, self.closed = port, False, [], 0, 0

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        while not self.stops:
            try:
                connection.request("POST", "/mcp", CALL, HEADERS)
                response = connection.getresponse()
                body = response.read()
            except (OSError, http.client.HTTPException) as error:
                self.wrong.append("%.1f: %r" % (time.monotonic(), error))
                connection.close()
                continue
            self.answered += 1
            self.closed += response.getheader("Connection") == "close"
            if response.status != 200 or b'"hex"' not in body:
                self.wrong.append("%.1f: %d %r" % (time.monotonic(), response.status,
                                                   body[:200]))
            time.sleep(0.01)
        connection.close()


def through(kind, mica):
    first, second, proxy, clients = Mica(mica), Mica(mica), None, []
    try:
        proxy = Proxy(kind, first, second)
        clients = [Client(proxy.port) for _ in range(CLIENTS)]
        for client in clients:
            client.start()
        time.sleep(1)
        told = first.tell()
        first.process.wait(PATIENCE)
        lasted = time.monotonic() - told
        time.sleep(1)
        for client in clients:
            client.stops = True
        for client in clients:
            client.join(PATIENCE)
        said = proxy.said()
    finally:
        if proxy is not None:
            proxy.end()
        first.end()
        second.end()
    wrong = [line for client in clients for line in client.wrong]
    need(not wrong, "%d requests failed, told at %.1f:\n%s" % (
        len(wrong), told, "\n".join(wrong[:10])))
    need(lasted >= DRAIN, "it ended after %.1f s" % lasted)
    need(min(client.answered for client in clients) > 2, "a client was hardly answered")
    for word in ("reset by peer", "prematurely closed"):
        need(word not in said, said)


def alone(mica):
    """Without a proxy: what a client is answered until the listener closes, and then
    that it is refused, not reset."""
    server = Mica(mica)
    try:
        quiet = socket.create_connection(("127.0.0.1", server.port), PATIENCE)
        told = server.tell()
        answered, last = 0, None
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", server.port,
                                                    timeout=PATIENCE)
            try:
                connection.connect()
            except ConnectionRefusedError:
                break
            asked = time.monotonic() - told
            connection.request("POST", "/mcp", CALL, HEADERS)
            response = connection.getresponse()
            need(response.status == 200 and b'"hex"' in response.read(), "not answered")
            if asked > 2:  # told, it knows, on a busy machine too
                need(response.getheader("Connection") == "close", "it keeps connections")
                answered += 1
            last = time.monotonic() - told
            connection.close()
        need(answered > 5, "%d requests were answered" % answered)
        need(DRAIN - 1 < last < DRAIN + 15, "answered for %.1f s" % last)
        # Nothing was sent there: the server closes its side, and waits for ours.
        need(quiet.recv(1) == b"", "bytes out of nothing")
        for _ in range(5):
            quiet.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            time.sleep(0.05)
            need(quiet.recv(1) == b"", "an answer behind the end")
        need(server.process.poll() is None, "it ended before its client did")
        quiet.close()
    finally:
        server.end()


def at_once(mica):
    """A client that resets: the server does not wait for it."""
    for _ in range(3):  # one that waits does so each time, a busy machine does not
        server = Mica(mica)
        try:
            gone = socket.create_connection(("127.0.0.1", server.port), PATIENCE)
            gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            gone.close()
            told = server.tell()
            server.process.wait(PATIENCE)
            if time.monotonic() - told < DRAIN + 4:
                return
        finally:
            server.end()
    raise Failure("it waited without a connection")


CASES = [
    ("a client is answered, then refused, and never reset", alone),
    ("a client that has gone is not waited for", at_once),
    ("behind nginx no request fails", lambda mica: through("nginx", mica)),
    ("behind haproxy no request fails", lambda mica: through("haproxy", mica)),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mica", default="build/mica")
    options = parser.parse_args()
    mica = os.path.abspath(options.mica)
    print("1..%d" % len(CASES))
    failed = 0

    def tried(named):
        _, case = named
        try:
            case(mica)
        except (Failure, OSError, subprocess.TimeoutExpired) as error:
            return repr(error) if not str(error) else str(error)
        return None

    for number, (name, _), wrong in outcomes(CASES, tried):
        failed += wrong is not None
        print("%s %d - %s" % ("ok" if wrong is None else "not ok", number, name))
        for line in (wrong or "").splitlines():
            print("# " + line)
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mica behind real proxies: each request that nginx or haproxy has forwarded is one
request of mica's, and nothing that a client wrote into a body is another one; TAP.

    proxies.py --mica build/mica

The proxies keep their connections to mica open and share them between clients, as
that is where a smuggled request would do harm. Each is also run as lenient as it can
be made, so that it forwards what it would refuse by itself.
"""
import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

from ports import Reserved
from together import outcomes

PATIENCE = 60
QUIET_S = 1  # without a change a number has settled
LOST = b"GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Failure(Exception):
    pass


def post(head, body=b"", version=b"1.1"):
    return (b"POST /mcp HTTP/" + version + b"\r\nHost: localhost\r\n" + head + b"\r\n" +
            body + LOST)


def get(head):
    return b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + head + b"\r\n" + LOST


CHUNKED = b"Transfer-Encoding: chunked\r\n"
CASES = {
    "both lengths": post(b"Content-Length: 5\r\n" + CHUNKED, b"0\r\n\r\n"),
    "both lengths, the other way": post(CHUNKED + b"Content-Length: 50\r\n", b"0\r\n\r\n"),
    "two lengths": post(b"Content-Length: 5\r\nContent-Length: 60\r\n", b"12345"),
    "a list of lengths": post(b"Content-Length: 5, 60\r\n", b"12345"),
    "a signed length": post(b"Content-Length: +5\r\n", b"12345"),
    "a space before the colon": post(b"Content-Length : 60\r\n"),
    "a coding with a space before the colon": post(b"Transfer-Encoding : chunked\r\n"
                                                   b"Content-Length: 5\r\n", b"0\r\n\r\n"),
    "a folded line": post(b"Content-Length: 5\r\nX: y\r\n Transfer-Encoding: chunked\r\n",
                          b"12345"),
    "a folded coding": post(b"Transfer-Encoding:\r\n chunked\r\n", b"0\r\n\r\n"),
    "a bare CR": get(b"X: y\rContent-Length: 60\r\n"),
    "NUL in a value": get(b"X: y\0z\r\n"),
    "NUL in a length": post(b"Content-Length: 5\0\r\n", b"12345"),
    "chunks in HTTP/1.0": post(CHUNKED, b"0\r\n\r\n", b"1.0"),
    "an unknown coding": post(b"Transfer-Encoding: xchunked\r\n", b"0\r\n\r\n"),
    "two codings": post(b"Transfer-Encoding: chunked, identity\r\n", b"0\r\n\r\n"),
    "a coding twice": post(CHUNKED + CHUNKED, b"0\r\n\r\n"),
    "a tab before a coding": post(b"Transfer-Encoding:\tchunked\r\n", b"0\r\n\r\n"),
    "a vertical tab before a coding": post(b"Transfer-Encoding:\x0bchunked\r\n"
                                           b"Content-Length: 5\r\n", b"0\r\n\r\n"),
    "LF in an extension": post(CHUNKED, b"5;a\n12345\r\n0\r\n\r\n"),
    "LF behind a size": post(CHUNKED, b"5\n12345\r\n0\r\n\r\n"),
    "a size with a sign": post(CHUNKED, b"+5\r\n12345\r\n0\r\n\r\n"),
    "a size that overflows": post(CHUNKED, b"10000000000000005\r\n12345\r\n0\r\n\r\n"),
    "a chunk with a wrong end": post(CHUNKED, b"5\r\n12345XX0\r\n\r\n"),
    "a trailer that frames": post(CHUNKED, b"0\r\nContent-Length: 60\r\n\r\n"),
    "bare LF": b"GET /healthz HTTP/1.1\nHost: localhost\nContent-Length: 60\n\n" + LOST,
    "a body of a GET": get(b"Content-Length: %d\r\n" % len(LOST)),
    "chunks that are right": post(CHUNKED, b"5;a=b\r\n12345\r\n0\r\nX-Sum: 1\r\n\r\n"),
    "a request behind another": get(b""),
    "an address that the reply repeats":
        b"GET /tools/x?" + b"q" * 4050 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n" + LOST,
    "a longer one beside a long field":
        b"GET /tools/x?" + b"q" * 3000 + b" HTTP/1.1\r\nHost: localhost\r\nX: " +
        b"x" * 3500 + b"\r\n\r\n" + LOST,
    "headers that the reply repeats":
        b"OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n"
        b"Access-Control-Request-Headers: Mcp-Param-" + b"a" * 3700 + b"\r\n\r\n" + LOST,
    "an origin that the reply repeats": get(b"Origin: http://localhost:" + b"0" * 3600 +
                                            b"\r\n"),
    "trailers behind a long head": post(b"X: " + b"x" * 6800 + b"\r\n" + CHUNKED,
                                        b"0\r\nX: " + b"y" * 900 + b"\r\n\r\n"),
}


class Mica:
    """Its log has a line for each request that it has begun or refused."""

    def __init__(self, program):
        self.requests = []
        self.ready = threading.Event()
        self.port = None
        self.folder = tempfile.TemporaryDirectory()  # without engines of its own
        self.process = subprocess.Popen(
            [program, "serve", "--drain=0", "--listen", "127.0.0.1:0", "--base-path",
             "/tools/x"], text=True,
            cwd=self.folder.name, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, env=dict(os.environ, XDG_STATE_HOME=self.folder.name))
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        if not self.ready.wait(PATIENCE):
            raise Failure("mica does not say its port")

    def read(self):
        for line in self.process.stderr:
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
            if found and self.port is None:
                self.port = int(found.group(1))
                self.ready.set()
            elif line.startswith('{"time"'):
                self.requests.append(json.loads(line))

    def end(self):
        self.process.terminate()
        if self.process.wait(PATIENCE) != 0:
            raise Failure("mica ended with %d" % self.process.returncode)
        self.reader.join(PATIENCE)
        self.folder.cleanup()


NGINX = """
daemon off; master_process off; error_log %(folder)s/error.log; pid %(folder)s/pid;
events { worker_connections 256; }
http {
  log_format lines '$upstream_status|$status|$request';
  access_log %(folder)s/access.log lines;
  client_body_temp_path %(folder)s/body; proxy_temp_path %(folder)s/proxy;
  fastcgi_temp_path %(folder)s/fastcgi; uwsgi_temp_path %(folder)s/uwsgi;
  scgi_temp_path %(folder)s/scgi;
  upstream mica { server 127.0.0.1:%(mica)d; keepalive 4; }
  server {
    listen 127.0.0.1:%(port)d; %(more)s
    location / {
      proxy_pass http://mica; proxy_http_version 1.1; proxy_next_upstream off;
      proxy_ignore_client_abort on;
      proxy_set_header Connection ""; proxy_set_header Host localhost; %(inner)s
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
  log-format "%%s|%%ST|%%r"
  timeout connect 60s
  timeout client 60s
  timeout server 60s
  retries 0
  http-reuse always
frontend front
  bind 127.0.0.1:%(port)d
  %(more)s
  default_backend back
backend back
  %(inner)s
  server mica 127.0.0.1:%(mica)d
"""


class Proxy:
    def __init__(self, kind, more, inner, mica):
        self.kind, self.folder = kind, tempfile.mkdtemp()
        self.reserved = Reserved()
        self.port = self.reserved.number
        text = {"nginx": NGINX, "haproxy": HAPROXY}[kind] % {
            "folder": self.folder, "mica": mica.port, "port": self.port,
            "more": more, "inner": inner}
        path = os.path.join(self.folder, "config")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        self.out = open(os.path.join(self.folder, "out"), "wb")
        command = [program_of(kind)] + (["-c", path, "-e", self.folder + "/early"]
                                        if kind == "nginx" else ["-db", "-f", path])
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                        stdout=self.out, stderr=subprocess.STDOUT)
        until = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError as error:
                if time.monotonic() > until or self.process.poll() is not None:
                    raise Failure("%s does not start: %s" % (kind, self.said())) from error
                time.sleep(0.02)

    def said(self):
        name = "access.log" if self.kind == "nginx" else "out"
        try:
            with open(os.path.join(self.folder, name), encoding="latin-1") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def forwarded(self):
        """The requests that it believes mica has got."""
        lines = [line.split("|") for line in self.said().splitlines()
                 if line.count("|") >= 2]
        return [parts for parts in lines if parts[0] not in ("-", "", "<NOSRV>")]

    def end(self):
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.reserved.release()
        self.out.close()

    def forget(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def program_of(kind):
    return shutil.which(kind, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def ask(port, data, first, silence=PATIENCE):
    """All that comes until the proxy closes, or is silent for `first` seconds, or after its
    first bytes for `silence` seconds."""
    got = b""
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as sock:
        try:
            sock.sendall(data)
            while True:
                sock.settimeout(silence if got else first)
                more = sock.recv(65536)
                if not more:
                    break
                got += more
        except OSError:
            pass
    return got


def check_health(port, name):
    got = ask(port, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
              PATIENCE)
    if not got.startswith(b"HTTP/1.1 200") or b'"status":"ok"' not in got or \
            got.count(b"HTTP/1.1 ") != 1:
        raise Failure("behind %s: the next client gets %r" % (name, got[:300]))


def settle(count, most=PATIENCE):
    """A number that has stopped changing."""
    until = time.monotonic() + most
    last, quiet = count(), time.monotonic() + QUIET_S
    while time.monotonic() < min(until, quiet):
        time.sleep(0.02)
        if count() != last:
            last, quiet = count(), time.monotonic() + QUIET_S
    return last


def run(options, kind, more="", inner=""):
    mica = Mica(options.mica)
    proxy = None
    try:
        proxy = Proxy(kind, more, inner, mica)
        for name, data in CASES.items():
            # Some proxies wait for more than is sent. To others a client that hangs up before
            # mica has answered is one whose request they did not forward.
            ask(proxy.port, data, 3, 0.3)
            for _ in range(3):
                check_health(proxy.port, name)
        proxy.end()  # what it still holds is closed, and noted
        believed = settle(lambda: len(proxy.forwarded()))
        settle(lambda: len(mica.requests))
    finally:
        if proxy is not None and proxy.process.poll() is None:
            proxy.process.kill()
        mica.end()
    forwarded = proxy.forwarded()
    proxy.forget()
    # A server that closes a connection without a reply seems dead to a proxy, which may
    # send it no requests of other clients.
    lost = ["|".join(parts) for parts in forwarded if parts[1] in ("502", "504")]
    if lost:
        raise Failure("%s got no reply to:\n%s" % (
            kind, "\n".join(line[:200] for line in lost)))
    # One that its proxy has cut off was never whole; whether the proxy counts it as
    # forwarded is its own affair.
    whole = [r for r in mica.requests if r["response"] != "gone" or r["status"] != 0]
    run_ = [r for r in whole if "path" in r]
    if not len(whole) <= believed <= len(mica.requests):
        raise Failure("%s forwarded %d requests, and mica had %d:\n%s\n--\n%s" % (
            kind, believed, len(whole), "\n".join("|".join(f) for f in forwarded if "healthz" not in f[2]),
            "\n".join(map(str, (r for r in mica.requests if r.get("path") != "/healthz")))))
    for path in ("/smuggled", "/healthz", "/mcp"):
        had = sum(r["path"] == path for r in run_)
        sent = sum(" %s " % path in f[2] + " " for f in forwarded)
        if had > sent:
            raise Failure("%s forwarded %s %d times, and mica ran it %d times"
                          % (kind, path, sent, had))
    if len(run_) < 3 * len(CASES):
        raise Failure("mica ran %d requests only" % len(run_))


WAYS = [
    ("nginx", "", ""),
    ("nginx", "ignore_invalid_headers off; underscores_in_headers on;",
     "proxy_request_buffering off; proxy_buffering off;"),
    ("haproxy", "", ""),
    ("haproxy", "option accept-invalid-http-request", "option accept-invalid-http-response"),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mica", default="build/mica")
    options = parser.parse_args()
    options.mica = os.path.abspath(options.mica)
    print("1..%d" % len(WAYS))
    failed = 0

    def tried(way):
        kind, more, inner = way
        if program_of(kind) is None:
            return "%s is not installed; scripts/packages test installs it" % kind
        try:
            run(options, kind, more, inner)
        except (Failure, OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        return None

    for number, (kind, more, _), wrong in outcomes(WAYS, tried):
        failed += wrong is not None
        print("%s %d - behind %s%s" % ("ok" if wrong is None else "not ok", number, kind,
                                       ", lenient" if more else ""))
        for line in (wrong or "").splitlines():
            print("# " + line)
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

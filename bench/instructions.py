# SPDX-License-Identifier: Apache-2.0
"""User instructions of one call, over stdio, MCP over HTTP and REST.

Times differ by a factor of two between machines and hours; instructions hardly
do. Valgrind's callgrind counts them over two runs of different length, and the
difference belongs to the calls alone. The C library is told not to copy by `rep
movsb`, which callgrind would count once for each byte.
"""
import os
import re
import shutil
import signal
import socket
import subprocess
import time

from markdown import number, table, verdict
from servers import HEADERS

SHORT, LONG = 200, 1200
# What a call took before its path was made shorter, and the part of it that is the aim;
# REST is judged by what it took behind that, as nothing else may make it longer.
AIMS = {"stdio": (36900, 0.75), "MCP over HTTP": (61200, 0.80), "REST, POST": (39500, 1.03)}
ENVIRONMENT = {"GLIBC_TUNABLES": "glibc.cpu.x86_rep_stosb_threshold=2000000000:"
                                 "glibc.cpu.x86_rep_movsb_threshold=2000000000"}
START_SECONDS = 60  # valgrind is slow


def counted(bench, words, **more):
    """Starts mica under callgrind; the count is read when it has ended."""
    path = os.path.join(bench.folder("callgrind"), "out")
    command = ["valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=" + path]
    return path, subprocess.Popen(command + [bench.mica] + words, cwd=bench.empty,
                                  env={**os.environ, **ENVIRONMENT}, **more)


def read_count(path):
    with open(path, encoding="utf-8") as file:
        return int(re.search(r"^totals: (\d+)", file.read(), re.M).group(1))


def count_stdio(bench, calls):
    with open(bench.request, "rb") as file:
        request = file.readline()
    path, process = counted(bench, ["stdio"], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE)
    replies = process.communicate(request * calls)[0].splitlines()
    if len(replies) != calls or process.returncode != 0:
        raise SystemExit("mica stdio answered %d of %d calls" % (len(replies), calls))
    return read_count(path)


class Connection:
    """One connection that is kept; `ask` sends a request and reads its reply."""

    def __init__(self, port):
        for left in reversed(range(START_SECONDS * 10)):
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), 30)
                return
            except OSError:
                if left == 0:
                    raise
                time.sleep(0.1)

    def ask(self, request):
        self.socket.sendall(request)
        reply = b""
        while b"\r\n\r\n" not in reply:
            reply += self.receive()
        head, _, body = reply.partition(b"\r\n\r\n")
        length = int(re.search(rb"content-length: (\d+)", head, re.I).group(1))
        while len(body) < length:
            body += self.receive()
        if not head.startswith(b"HTTP/1.1 200"):
            raise SystemExit("mica answers %r" % head)

    def receive(self):
        some = self.socket.recv(65536)
        if not some:
            raise SystemExit("mica has closed the connection")
        return some


def count_http(bench, request, calls):
    port = 20000 + os.getpid() % 20000 + 100
    path, process = counted(bench, ["serve", "--drain=0", "--io-threads", "1", "--listen",
                                    "127.0.0.1:%d" % port, "--quiet"],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        connection = Connection(port)
        for _ in range(calls):
            connection.ask(request % port)
        connection.socket.close()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(START_SECONDS)
    return read_count(path)


def requests(bench):
    """What is sent over HTTP, with a place for the port."""
    with open(bench.request, "rb") as file:
        body = file.readline().rstrip()
    head = "".join("%s: %s\r\n" % pair for pair in HEADERS.items())
    arguments = b'{"mode":"of","a":15,"b":200}'
    start = b"POST %s HTTP/1.1\r\nHost: 127.0.0.1:%%d\r\nContent-Length: %d\r\n"
    return {
        "MCP over HTTP": start % (b"/mcp", len(body)) + head.encode() + b"\r\n" + body,
        "REST, POST": start % (b"/api/percentage-calculator", len(arguments)) +
        b"Content-Type: application/json\r\n\r\n" + arguments,
    }


def measure(bench):
    if shutil.which("valgrind") is None:
        return {"without": "valgrind is not installed"}
    found = {"stdio": (count_stdio(bench, LONG) - count_stdio(bench, SHORT))
             / (LONG - SHORT)}
    for name, request in requests(bench).items():
        found[name] = (count_http(bench, request, LONG) - count_http(bench, request, SHORT)
                       ) / (LONG - SHORT)
    return found


def write(found):
    lines = ["## Instructions of a call", "",
             "User instructions of a tools/call of percentage-calculator, counted by "
             "callgrind: the difference of %d calls and %d. The base of an aim is an earlier "
             "build." % (LONG, SHORT), ""]
    if "without" in found:
        return lines + [found["without"], ""]
    rows = []
    for name, value in found.items():
        base, aim = AIMS[name]
        rows.append([name, number(value), number(base), "%.3f" % (value / base), "%.2f" % aim,
                     verdict(value / base <= aim)])
    return lines + table(["way", "instructions", "base", "ratio", "aim", ""], rows) + [""]

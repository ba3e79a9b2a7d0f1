#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many large bodies that are half sent: the memory of all has a bound; prints TAP.

    bodies.py --mica build/mica
"""
import argparse
import re
import socket
import subprocess
import sys
import time

MIB = 1 << 20
PATIENCE = 30
ALL_MIB = 256  # of all bodies together (docs/limits.md)
SLACK_MIB = 48  # for the server itself and for pieces that are on their way
HEAD = ("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: x\r\n")


class Server:
    def __init__(self, mica):
        self.process = subprocess.Popen(
            [mica, "serve", "--drain=0", "--built-in", "--listen", "127.0.0.1:0", "--quiet",
             "--store", "memory"], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.port = int(re.search(r":(\d+)/", self.process.stdout.readline()).group(1))
        self.open = []

    def dial(self, head):
        connection = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
        connection.sendall((HEAD % self.port + head).encode())
        self.open.append(connection)
        return connection

    def resident_mib(self):
        with open("/proc/%d/status" % self.process.pid, encoding="ascii") as file:
            return next(int(line.split()[1]) // 1024 for line in file
                        if line.startswith("VmRSS:"))

    def hang_up(self):
        for connection in self.open:
            connection.close()
        self.open = []

    def end(self):
        self.hang_up()
        self.process.terminate()
        assert self.process.wait(PATIENCE) == 0


def send_some(connection, data):
    """As much as is taken; a server that refuses may close."""
    connection.settimeout(PATIENCE)
    try:
        connection.sendall(data)
    except OSError:
        pass


def settled(server):
    """The memory once the server has read what was sent: it stays the same for a second."""
    found, same = server.resident_mib(), 0
    for _ in range(150):
        if same == 5:
            break
        time.sleep(0.2)
        before, found = found, server.resident_mib()
        same = same + 1 if found == before else 0
    return found


def refusal(connection):
    connection.settimeout(PATIENCE)
    reply = b""
    while b"}}" not in reply:
        some = connection.recv(65536)
        if not some:
            break
        reply += some
    return reply


def bounded(server, options, head, data):
    for _ in range(130):
        send_some(server.dial(head), data)
    found = settled(server)
    print("# %d MiB" % found)
    if not options.sanitized:
        assert found < ALL_MIB + SLACK_MIB, "%d MiB are resident" % found


def in_chunks(server, options):
    """Chunked, a little more than a power of two: what is kept doubles."""
    size = 2 * MIB + 4096
    bounded(server, options, "Transfer-Encoding: chunked\r\n\r\n",
            b"%x\r\n" % size + b" " * (size - 1))


def by_length(server, options):
    """With a length, nearly all of it sent."""
    bounded(server, options, "Content-Length: %d\r\n\r\n" % (4 * MIB),
            b" " * (4 * MIB - 10))


def unkept(server, _):
    """While there is no room a body that says its length is not kept: it is refused,
    and a small one is read."""
    for _ in range(64):
        send_some(server.dial("Content-Length: %d\r\n\r\n" % (4 * MIB)),
                  b" " * (4 * MIB - 10))
    before = settled(server)
    large = server.dial("Content-Length: %d\r\n\r\n" % (4 * MIB))
    send_some(large, b" " * (4 * MIB))
    reply = refusal(large)
    assert reply.startswith(b"HTTP/1.1 503 ") and b'"BUSY"' in reply, reply
    assert server.resident_mib() < before + 3, "it was kept"
    small = server.dial("Content-Length: 2\r\n\r\n")
    send_some(small, b"{}")
    assert refusal(small).startswith(b"HTTP/1.1 400 ")


def gone(server, _):
    """When the clients have gone there is room again."""
    server.hang_up()
    for _ in range(100):
        reply = server.dial("Content-Length: %d\r\n\r\n" % (3 * MIB))
        send_some(reply, b" " * (3 * MIB - 2) + b"{}")
        if refusal(reply).startswith(b"HTTP/1.1 400 "):
            return
        time.sleep(0.1)
    raise AssertionError("there is no room")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mica", required=True)
    parser.add_argument("--sanitized", action="store_true")
    options = parser.parse_args()
    cases = [in_chunks, by_length, unkept, gone]
    print("1..%d" % len(cases))
    failed = 0
    server = Server(options.mica)
    for number, case in enumerate(cases, 1):
        server.hang_up()
        time.sleep(0.5)
        try:
            case(server, options)
            print("ok %d - %s" % (number, case.__name__),
                  flush=True)
        except (AssertionError, OSError) as error:
            failed += 1
            print("not ok %d - %s: %s" % (number, case.__name__, error), flush=True)
    server.end()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

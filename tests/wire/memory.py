#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory that a burst took is given back: thousands of half-sent bodies; TAP.

    memory.py --fixture build/tests/conformance-server
"""
import argparse
import fcntl
import os
import socket
import struct
import sys
import time

import talk
from talk import Failure

CLIENTS = 300      # at once
WAVES = 8          # so thousands in all
STAYING = 20       # of each, with little: they lie between what is given back
SIZE = 250000      # of what each sends of its body
KEPT_KIB = 48 << 10  # more than before the burst that may stay
PATIENCE = 30
SIOCOUTQ = 0x5411  # linux/sockios.h: bytes that the peer's system has not taken


def resident_kib(pid):
    with open("/proc/%d/status" % pid, encoding="ascii") as file:
        for line in file:
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    raise Failure("no VmRSS")


def descriptors(pid):
    return len(os.listdir("/proc/%d/fd" % pid))


def sockets(port):
    """How the server's sockets stand, for a failure: state, unread bytes, and how many."""
    counts = {}
    with open("/proc/net/tcp", encoding="ascii") as file:
        for line in list(file)[1:]:
            words = line.split()
            if int(words[1].rsplit(":", 1)[1], 16) == port:
                unread = "unread" if int(words[4].split(":")[1], 16) > 0 else "read"
                key = "state %s, %s" % (words[3], unread)
                counts[key] = counts.get(key, 0) + 1
    return "; ".join("%s: %d" % pair for pair in sorted(counts.items()))


def dial(port, data):
    sock = socket.create_connection(("127.0.0.1", port), PATIENCE)
    sock.sendall(data)
    return sock


def is_delivered(sock):
    size = fcntl.ioctl(sock, SIOCOUTQ, struct.pack("i", 0))
    return struct.unpack("i", size)[0] == 0


def ask(port):
    with dial(port, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
                    b"Connection: close\r\n\r\n") as sock:
        got = b""
        while True:
            more = sock.recv(65536)
            if not more:
                break
            got += more
    if not got.startswith(b"HTTP/1.1 200"):
        raise Failure("it does not serve: %r" % got[:100])


def wait_until(true, what):
    until = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > until:
            raise Failure(what())
        time.sleep(0.05)


def run(options):
    program = talk.Program([options.fixture, "--listen", "127.0.0.1:0"], PATIENCE)
    try:
        program.ready.wait(PATIENCE)
        pid, port = program.process.pid, program.port
        head = (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
                b"\r\nContent-Length: %d\r\n\r\n" % (2 * SIZE))
        ask(port)
        few = descriptors(pid) + 10
        before, peak, staying = resident_kib(pid), 0, []
        for wave in range(WAVES):
            clients = []
            for i in range(CLIENTS):
                clients.append(dial(port, head + b"a" * SIZE))
                if i % (CLIENTS // STAYING) == 0:
                    staying.append(dial(port, head + b"a" * 1000))
            ask(port)  # it answers in between
            if wave == 0:  # later ones close before everything is read, as it comes
                wait_until(lambda: resident_kib(pid) > before + 2 * KEPT_KIB,
                           lambda: "the burst takes %d KiB only: it shows nothing"
                           % (resident_kib(pid) - before))
            peak = max(peak, resident_kib(pid))
            # What is still on its way is the system's part: it may take its time where the
            # receiver's window is closed. The server has to notice the end of what has come.
            wait_until(lambda: all(map(is_delivered, clients)),
                       lambda: "%d clients have bytes that the system does not deliver (%s)"
                       % (sum(not is_delivered(client) for client in clients),
                          sockets(port)))
            for client in clients:
                client.close()
            wait_until(lambda: descriptors(pid) < few + len(staying),
                       lambda: "%d descriptors of clients that have gone are open (%s)"
                       % (descriptors(pid) - few - len(staying), sockets(port)))
        wait_until(lambda: resident_kib(pid) < before + KEPT_KIB,
                   lambda: "%d KiB before, %d KiB at most, and %d KiB stay"
                   % (before, peak, resident_kib(pid)))
        ask(port)
        print("# %d MiB before, %d MiB at most, %d MiB after"
              % (before >> 10, peak >> 10, resident_kib(pid) >> 10))
    finally:
        program.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fixture", default="build/tests/conformance-server")
    options = parser.parse_args()
    options.fixture = os.path.abspath(options.fixture)
    print("1..1")
    try:
        run(options)
    except (Failure, OSError) as error:
        print("not ok 1 - half-sent bodies leave nothing behind\n# %s" % error)
        return 1
    print("ok 1 - half-sent bodies leave nothing behind")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""As many requests at once as one look at the connections finds: each is answered
without waiting for another client; TAP.

    bursts.py --fixture build/tests/conformance-server

libmicrohttpd takes 128 events from one epoll_wait. The counts are multiples of that,
their neighbors, and more than it takes in three. The server stands still while the
requests come, so that it finds them together; nothing else is sent until all are answered.
"""
import argparse
import os
import signal
import socket
import sys
import time

import talk
from talk import Failure

COUNTS = (127, 128, 129, 256, 384, 500)
PATIENCE = 30
REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
STILL = 400  # looks at whether it stands still


def read_answer(sock):
    """An answer of a connection that stays open: the head, and its body."""
    got = b""
    while b"\r\n\r\n" not in got:
        more = sock.recv(65536)
        if not more:
            raise Failure("a connection was closed after %r" % got[:80])
        got += more
    head, _, body = got.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise Failure("it does not serve: %r" % head[:80])
    length = [line.split(b":")[1] for line in head.split(b"\r\n")
              if line.lower().startswith(b"content-length:")]
    while len(body) < int(length[0]):
        body += sock.recv(65536)


def stop(process):
    os.kill(process.pid, signal.SIGSTOP)
    for _ in range(STILL):
        with open("/proc/%d/stat" % process.pid, encoding="ascii") as file:
            if file.read().rsplit(")", 1)[1].split()[0] == "T":
                return
        time.sleep(0.05)
    raise Failure("the server does not stand still")


def burst(process, port, count):
    """Opens connections, and lets their second requests come together."""
    clients = []
    try:
        for _ in range(count):
            client = socket.create_connection(("127.0.0.1", port), PATIENCE)
            clients.append(client)
            client.sendall(REQUEST)
            read_answer(client)
        stop(process)
        try:
            for client in clients:
                client.sendall(REQUEST)
        finally:
            os.kill(process.pid, signal.SIGCONT)
        for i, client in enumerate(clients):
            client.settimeout(PATIENCE)
            try:
                read_answer(client)
            except socket.timeout:
                raise Failure("%d of %d are not answered in %d s"
                              % (count - i, count, PATIENCE)) from None
    finally:
        for client in clients:
            client.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fixture", default="build/tests/conformance-server")
    options = parser.parse_args()
    program = talk.Program([os.path.abspath(options.fixture), "--listen",
                            "127.0.0.1:0"], PATIENCE)
    failed = 0
    print("1..%d" % len(COUNTS))
    try:
        program.ready.wait(PATIENCE)
        for number, count in enumerate(COUNTS, 1):
            try:
                burst(program.process, program.port, count)
                print("ok %d - %d requests at once" % (number, count))
            except (Failure, OSError) as error:
                failed += 1
                print("not ok %d - %d requests at once\n# %s" % (number, count, error))
    finally:
        program.kill()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

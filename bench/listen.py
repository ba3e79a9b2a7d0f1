#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Open subscriptions: what each costs the server in memory, and how long a change
takes to reach all of them.

    bench/listen.py [--mica build/mica] [--count 10000]

The server serves a copy of the built engines; the change is one that is taken
away. Needs that many descriptors twice (ulimit -n)."""

import argparse
import json
import os
import pathlib
import re
import resource
import selectors
import shutil
import socket
import subprocess
import tempfile
import time

BODY = json.dumps({
    "jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                  "io.modelcontextprotocol/clientCapabilities": {}},
        "notifications": {"toolsListChanged": True}}})
REQUEST = (f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
           f"application/json\r\nAccept: application/json, text/event-stream\r\n"
           f"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: "
           f"subscriptions/listen\r\nContent-Length: {len(BODY)}\r\n\r\n{BODY}")


def resident(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) * 1024


def await_all(sockets, wanted, patience):
    """Reads until each has seen the text; the time when the last one had."""
    selector = selectors.DefaultSelector()
    seen = {}
    for one in sockets:
        one.setblocking(False)
        selector.register(one, selectors.EVENT_READ)
        seen[one] = b""
    until = time.monotonic() + patience
    left = len(sockets)
    while left > 0:
        if time.monotonic() > until:
            raise SystemExit(f"{left} of {len(sockets)} were not told")
        for key, _ in selector.select(1):
            seen[key.fileobj] += key.fileobj.recv(65536)
            if wanted in seen[key.fileobj]:
                selector.unregister(key.fileobj)
                left -= 1
    return time.monotonic()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mica", default="build/mica")
    parser.add_argument("--engines", default="build/engines")
    parser.add_argument("--count", type=int, default=10000)
    options = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory() as folder:
        engines = pathlib.Path(folder, "engines")
        shutil.copytree(options.engines, engines)
        server = subprocess.Popen(
            [options.mica, "serve", "--listen", "127.0.0.1:0", "--quiet",
             "--engines", engines, "--sessions", "off",
             "--connections", str(options.count + 16)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            port = int(re.search(r":(\d+)/", server.stdout.readline()).group(1))
            measure(server.pid, port, engines, options.count)
        finally:
            server.terminate()
            server.wait()


def measure(pid, port, engines, count):
    time.sleep(1)
    idle = resident(pid)
    began = time.monotonic()
    sockets = []
    for _ in range(count):
        one = socket.create_connection(("127.0.0.1", port))
        one.sendall(REQUEST.encode())
        sockets.append(one)
    opened = await_all(sockets, b"acknowledged", 120)
    time.sleep(1)
    each = (resident(pid) - idle) / count
    print(f"{count} open subscriptions, opened in {opened - began:.2f} s")
    print(f"memory of the server, each   {each / 1024:.1f} KiB "
          f"(idle: {idle / 1048576:.1f} MiB)")
    os.unlink(sorted(engines.glob("*.json"))[0])
    began = time.monotonic()
    told = await_all(sockets, b"list_changed", 60)
    print(f"a change reaches all in      {told - began:.3f} s, of which 0.05 s "
          "are waiting for the folder to rest")


if __name__ == "__main__":
    main()

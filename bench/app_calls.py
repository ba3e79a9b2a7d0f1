# SPDX-License-Identifier: Apache-2.0
"""Calls at random slugs, beside the same call at /mcp of that server, whose tool is that of
one of the apps; also with more slugs than there is room for."""
import os
import re
import subprocess
import sys
from statistics import median

from app_client import call_of
from markdown import number, spread, table, verdict
from servers import HERE, pinned, processor_seconds

AIM = 0.9
ALL = "a random slug"


def load(bench, target, tool, seconds):
    """Requests a second, and µs of the processor for each. `target`: process, port, path
    with %d for a number, how many numbers, and further variables of app_calls.lua."""
    process, port, path, count, more = target
    request = os.path.join(bench.scratch.name, "app-call.json")
    with open(request, "wb") as file:
        file.write(call_of(tool, None) if "BENCH_REVISION" in more else call_of(tool))
    before = processor_seconds(process.pid)
    done = subprocess.run(
        pinned(1, ["wrk", "-t1", "-c32", "-d%ds" % seconds, "--latency",
                   "--timeout", "20s", "-s", os.path.join(HERE, "app_calls.lua"), "http://127.0.0.1:%d" % port]),
        env={**os.environ, "BENCH_COUNT": str(count), "BENCH_PATH": path, "BENCH_TOOL": tool,
             "BENCH_REQUEST": request, "BENCH_POST": os.path.join(HERE, "post.lua"), **more},
        text=True, stdout=subprocess.PIPE, check=True)
    result = re.search(r"RESULT (\d+) (\d+) (\d+)", done.stdout)
    requests, duration, failures = map(int, result.groups())
    if failures > 0 or requests == 0:
        raise SystemExit("apps: %d of %d requests failed" % (failures, requests))
    used = processor_seconds(process.pid) - before
    return requests / duration * 1e6, used / requests * 1e6


class Server:
    """bench-app-server; `room` is for the bytes of loaded apps, 0: as always."""

    def __init__(self, bench, store, slug, room):
        self.process = subprocess.Popen(
            pinned(0, [bench.tool("app-server"), "serve", store.spec, slug, str(room)]),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def end(self):
        self.process.terminate()
        self.process.communicate()


def measure(bench, store, count, counted):
    """`counted`: bytes of an app, as the server counts them."""
    servers = {room: Server(bench, store, "order-status", room)
               for room in (0, count * counted // 2)}
    whole, half = servers.values()
    app = "/servers/app-%d/mcp"
    targets = {"/mcp": (whole.process, whole.port, "/mcp", 1, {}),
               "one slug": (whole.process, whole.port, app, 1, {}),
               ALL: (whole.process, whole.port, app, count, {}),
               "a random slug, room for half of them":
                   (half.process, half.port, app, count, {})}
    rounds = []
    try:
        for target in targets.values():
            load(bench, target, store.tool, bench.options.seconds)
        for turn in range(bench.options.rounds):
            order = sorted(targets, reverse=turn % 2 == 1)
            rounds.append({name: load(bench, targets[name], store.tool, bench.options.seconds)
                           for name in order})
            print("apps round %d: %s" % (turn + 1, {
                name: round(one[0]) for name, one in rounds[-1].items()}), file=sys.stderr)
    finally:
        for server in servers.values():
            server.end()
    return {"count": count, "rounds": rounds}


def write(found):
    rounds = found["rounds"]
    rows = []
    for name in ("/mcp", "one slug", ALL, "a random slug, room for half of them"):
        rates = [one[name][0] / one["/mcp"][0] for one in rounds]
        costs = [one["/mcp"][1] / one[name][1] for one in rounds]
        aimed = name == ALL
        rows.append([name, number(median(one[name][0] for one in rounds)),
                     "%.1f" % median(one[name][1] for one in rounds),
                     "" if name == "/mcp" else spread(rates),
                     "" if name == "/mcp" else spread(costs),
                     str(AIM) if aimed else "",
                     verdict(median(rates) >= AIM) if aimed else ""])
    return ["### Calls at random slugs", "",
            "The tool of an app with fixed data, at /mcp and at %s slugs of one server, over "
            "MCP, stateless revision, keep-alive, 32 connections, one server thread, in "
            "turns. Where there is room for half of the slugs, half of the calls load "
            "their app from the store." % number(found["count"]), "",
            *table(["calls at", "requests/s", "processor µs each", "requests/s, to /mcp",
                    "processor time, that of /mcp to it", "aim", ""], rows), ""]

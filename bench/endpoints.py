# SPDX-License-Identifier: Apache-2.0
"""Calls at random ones of ten thousand endpoints, beside calls at /mcp of the same
server; and what an endpoint costs that has one tool of its own (a test says that)."""
import os
import re
import signal
import subprocess
import sys
from statistics import median

from markdown import number, spread, table, verdict
from servers import HERE, pinned, processor_seconds

COUNT = 10000
AIM = 0.9


def load(bench, process, port, count, seconds):
    """Requests a second, and µs of the processor for each."""
    before = processor_seconds(process.pid)
    done = subprocess.run(
        pinned(1, ["wrk", "-t1", "-c32", "-d%ds" % seconds, "--latency", "-s",
                   os.path.join(HERE, "endpoints.lua"), "http://127.0.0.1:%d" % port]),
        env={**os.environ, "BENCH_COUNT": str(count), "BENCH_REQUEST": bench.request,
             "BENCH_POST": os.path.join(HERE, "post.lua")},
        text=True, stdout=subprocess.PIPE, check=True)
    result = re.search(r"RESULT (\d+) (\d+) (\d+)", done.stdout)
    requests, duration, failures = map(int, result.groups())
    if failures > 0:
        raise SystemExit("endpoints: %d requests failed" % failures)
    used = processor_seconds(process.pid) - before
    return requests / duration * 1e6, used / requests * 1e6


def measure(bench):
    process = subprocess.Popen(
        pinned(0, [bench.tool("endpoints"), os.path.join(bench.built_engines(), "build", "engines"),
                   str(COUNT)]),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    port = int(process.stdout.readline())
    rounds = []
    try:
        load(bench, process, port, 0, 1)
        for turn in range(bench.options.rounds):
            order = (0, COUNT) if turn % 2 == 0 else (COUNT, 0)
            one = {count: load(bench, process, port, count, bench.options.seconds)
                   for count in order}
            rounds.append({str(count): one[count] for count in one})
            print("endpoints round %d: %s" % (turn + 1, rounds[-1]), file=sys.stderr)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()
    return rounds


def write(rounds):
    ratios = [one[str(COUNT)][0] / one["0"][0] for one in rounds]
    costs = [one["0"][1] / one[str(COUNT)][1] for one in rounds]
    rows = [[name, number(median(one[count][0] for one in rounds)),
             "%.1f" % median(one[count][1] for one in rounds)]
            for name, count in (("/mcp", "0"), ("a random endpoint", str(COUNT)))]
    return ["## Calls at %d endpoints" % COUNT, "",
            "percentage-calculator over MCP, stateless revision, keep-alive, 32 "
            "connections, one server thread, in turns. A random endpoint to /mcp: "
            "requests a second %s, processor time %s. Aim: %s. %s" % (
                spread(ratios), spread(costs), AIM, verdict(median(ratios) >= AIM)), "",
            *table(["calls at", "requests/s", "processor µs each"], rows), ""]

# SPDX-License-Identifier: Apache-2.0
"""A tool called over REST, in each of its ways, beside MCP and beside nginx.

One mica and one nginx are under load in turn, as in the measurement of MCP; nginx
returns as many bytes as REST does, to the same GET.
"""
import os
import sys
import urllib.request
from statistics import median

from markdown import number, spread, table, verdict
from servers import HERE, HttpServers, pinned

ARGUMENTS = '{"mode":"of","a":15,"b":200}'
QUERY = "/api/percentage-calculator?mode=of&a=15&b=200"
AIM = 0.7  # of nginx, as for MCP


class RestServers(HttpServers):
    """`load` takes the name of a way; what is not one is the server's own."""

    def __init__(self, bench):
        super().__init__(bench, only=["mica", "nginx"])
        self.tag = None
        self.ways = {
            "REST, POST": {"BENCH_METHOD": "POST", "BENCH_BODY": ARGUMENTS},
            "REST, GET": {"BENCH_METHOD": "GET"},
            "REST, GET unchanged": {"BENCH_METHOD": "GET"},
            "nginx": {"BENCH_METHOD": "GET"},
        }
        self.way = None
        self.reply_size = 70  # looked at by `ask`

    def address(self, name):
        return "http://127.0.0.1:%d" % self.commands[name][1]

    def ask(self):
        """The reply to the GET must be what nginx is set up to give the size of."""
        with urllib.request.urlopen(self.address("mica") + QUERY, timeout=5) as response:
            reply, self.tag = response.read(), response.headers["ETag"]
        if b'"result":30,' not in reply or len(reply) != self.reply_size:
            raise SystemExit("mica answers %r" % reply)
        self.ways["REST, GET unchanged"]["BENCH_TAG"] = self.tag

    def environment(self):
        return {**super().environment(), **self.ways.get(self.way, {})}

    def wrk(self, name, seconds):
        if self.way not in self.ways:
            return super().wrk(name, seconds)
        path = "/api/percentage-calculator" if self.way == "REST, POST" else QUERY
        return pinned(1, ["wrk", "-t1", "-c32", "-d%ds" % seconds, "--latency", "-s",
                          os.path.join(HERE, "rest.lua"), self.address(name) + path])

    def load_way(self, way, seconds):
        self.way = way
        try:
            return self.load("nginx" if way == "nginx" else "mica", seconds)
        finally:
            self.way = None


def measure(bench):
    servers = RestServers(bench)
    names = ["mica over MCP", *servers.ways]
    rounds, costs, latency = [], [], {name: [] for name in names}
    try:
        servers.start()
        servers.ask()
        for number in range(bench.options.rounds):
            one, cost = {}, {}
            for place in range(len(names)):
                name = names[(place + number) % len(names)]
                one[name], cost[name], p50, p99 = servers.load_way(
                    name, bench.options.seconds)
                latency[name].append((p50, p99))
            rounds.append(one)
            costs.append(cost)
            print("rest round %d: %s" % (number + 1, {k: round(v) for k, v in one.items()}),
                  file=sys.stderr)
    finally:
        servers.end()
    return {
        "rounds": rounds, "costs": costs, "reply": servers.reply_size,
        "latency": {name: [median(column) for column in zip(*values)]
                    for name, values in latency.items()},
    }


def write(found):
    rows = []
    for name in found["rounds"][0]:
        rates = [one[name] for one in found["rounds"]]
        to_nginx = [one[name] / one["nginx"] for one in found["rounds"]]
        cost = [one["nginx"] / one[name] for one in found["costs"]]
        p50, p99 = found["latency"][name]
        own = name != "nginx"
        rows.append([name, number(median(rates)),
                     "%.1f" % median(one[name] for one in found["costs"]),
                     number(p50), number(p99),
                     spread(to_nginx) if own else "",
                     verdict(median(to_nginx) >= AIM) if own else "",
                     spread(cost) if own else ""])
    return ["## A call over REST", "",
            "percentage-calculator, keep-alive, 32 connections, one server thread, a reply "
            "of %d bytes; nginx returns that many bytes. \"Unchanged\" is a GET whose tag "
            "the client has: 304, and the engine does not run. Aim: %s of nginx." %
            (found["reply"], AIM), "",
            *table(["way", "requests/s", "processor µs each", "p50 µs", "p99 µs",
                           "to nginx, requests/s", "", "processor time, nginx's to its"],
                          rows), ""]

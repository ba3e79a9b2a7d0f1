#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures mica beside others, in one run, and writes what came out.

    bench/run.py [--build build] [--only http,rest,pipe,…] [--rounds 7]
                 [--seconds 5] [--apps 10000]
                 [--record] [--smoke]

Absolute numbers are this machine's on this day. What counts is the ratio to a
program that was measured seconds before and after, under the same load; each
ratio is the median over the rounds of the ratio inside one round. The report
goes to BUILD/bench/report.md; --record also puts it into bench/RESULTS.md, where
parts that --only leaves out stay as they are. --smoke runs the parts with hardly
anything to do, for a test: its figures say nothing, and it writes no file.
"""
import argparse
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from statistics import median

import asks
import instructions
import listen
import pages
import report
import endpoints
import published
import recorded
import rest
import schemas
import sessions
import slow
import views
from servers import HttpServers, memory_of, start_server

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
REQUEST = json.dumps({
    "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                  "io.modelcontextprotocol/clientCapabilities": {}},
        "name": "percentage-calculator",
        "arguments": {"mode": "of", "a": 15, "b": 200}}}, separators=(",", ":"))


class Bench:
    """What every measurement needs."""

    def __init__(self, options):
        self.options = options
        self.build = os.path.abspath(options.build)
        self.mica = os.path.join(self.build, "mica")
        self.scratch = tempfile.TemporaryDirectory(prefix="mica-bench-")
        self.empty = self.folder("empty")
        self.request = os.path.join(self.scratch.name, "request.json")
        with open(self.request, "w", encoding="utf-8") as file:
            file.write(REQUEST + "\n")

    def folder(self, name):
        """A new one for each who asks."""
        return tempfile.mkdtemp(prefix=name + "-", dir=self.scratch.name)

    def tool(self, name):
        return os.path.join(self.build, "bench", "bench-" + name)

    def output(self, command, cwd=None):
        done = subprocess.run(command, cwd=cwd or self.empty, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
        if done.returncode != 0:
            raise SystemExit("%s failed: %s" % (" ".join(command), done.stderr))
        return done.stdout

    def reply_size(self):
        """Bytes of mica's reply to the request, its line end included."""
        done = subprocess.run([self.mica, "stdio"], cwd=self.empty, check=True,
                              input=(REQUEST + "\n").encode(), stdout=subprocess.PIPE)
        if b'"result":30,' not in done.stdout:
            raise SystemExit("mica's reply is wrong: %r" % done.stdout)
        return len(done.stdout)

    def built_engines(self):
        """A folder with engines/ and what `mica build` makes of them."""
        folder = os.path.join(self.scratch.name, "catalog")
        if not os.path.isdir(folder):
            os.makedirs(os.path.join(folder, "engines"))
            for name in os.listdir(os.path.join(ROOT, "engines")):
                if name.endswith(".c"):
                    shutil.copy(os.path.join(ROOT, "engines", name),
                                os.path.join(folder, "engines"))
            self.output([self.mica, "build"], cwd=folder)
        return folder


def ratios(rounds, name, other):
    return [one[name] / one[other] for one in rounds]


def measure_http(bench):
    """Rounds in which each server is under load for some seconds, in turn."""
    servers = HttpServers(bench)
    names = servers.names()
    rounds, costs, latency = [], [], {name: [] for name in names}
    try:
        servers.start()
        for number in range(bench.options.rounds):
            one, cost = {}, {}
            for place in range(len(names)):
                name = names[(place + number) % len(names)]
                one[name], cost[name], p50, p99 = servers.load(name, bench.options.seconds)
                latency[name].append((p50, p99))
            rounds.append(one)
            costs.append(cost)
            print("http round %d: %s" % (number + 1, {k: round(v) for k, v in one.items()}),
                  file=sys.stderr)
    finally:
        servers.end()
    return {
        "rounds": rounds,
        "costs": costs,
        "latency": {name: [median(column) for column in zip(*values)]
                    for name, values in latency.items()},
        "ratio": {name: ratios(rounds, "mica", name) for name in names if name != "mica"},
        "reply": servers.reply_size,
    }


def measure_pipe(bench):
    """The same bytes to both, a window of requests in flight."""
    size = bench.reply_size()
    count, window = 40000 * bench.options.seconds, 256
    commands = {"mica": [bench.mica, "stdio"],
                "echo": [bench.tool("echo"), str(size)]}
    rounds, costs = [], []
    for number in range(bench.options.rounds):
        one, cost = {}, {}
        for name in sorted(commands, reverse=number % 2 == 0):
            one[name], cost[name] = map(float, bench.output(
                [bench.tool("pipe"), str(count), str(window), bench.request]
                + commands[name]).split())
        rounds.append(one)
        costs.append(cost)
        print("pipe round %d: %s" % (number + 1, one), file=sys.stderr)
    return {"rounds": rounds, "costs": costs, "ratio": ratios(rounds, "mica", "echo"),
            "window": window, "reply": size}


def measure_start(bench):
    """From posix_spawn to the first reply, and memory when nothing happens."""
    catalog = bench.built_engines()
    built = os.path.join(catalog, "build", "engines")
    commands = {
        "mica stdio": ([bench.mica, "stdio"], None),
        "mica stdio --engines DIR": ([bench.mica, "stdio", "--engines", built], None),
        "mica stdio in a folder with engines": ([bench.mica, "stdio"], catalog),
        "the echo program": ([bench.tool("echo"), "400"], None),
        "/bin/true": (["/bin/true"], None),
    }
    times = {}
    for name, (command, folder) in commands.items():
        asked = "-" if name == "/bin/true" else bench.request
        lines = bench.output([bench.tool("start"), "200", asked] + command, cwd=folder)
        times[name] = [tuple(map(float, line.split())) for line in lines.splitlines()]
    memory = {}
    for name, words in (("the engines inside mica", []),
                        ("a folder of engines", ["--engines", built])):
        server = start_server([bench.mica, "serve", "--drain=0", "--listen", "127.0.0.1:0"] + words,
                              bench.empty)
        time.sleep(1)
        memory[name] = memory_of(server.pid)
        server.send_signal(signal.SIGTERM)
        server.wait()
    return {"times": times, "memory": memory, "engines": len(os.listdir(
        os.path.join(catalog, "engines")))}


def measure_hash(bench):
    built = os.path.join(bench.built_engines(), "build", "engines")
    lines = bench.output([bench.tool("hash"), built, str(20 * bench.options.rounds),
                          "1000000"]).splitlines()
    pairs = [tuple(map(float, line.split())) for line in lines]
    return {"sandboxed": [pair[0] for pair in pairs],
            "native": [pair[1] for pair in pairs],
            "ratio": [pair[0] / pair[1] for pair in pairs]}


def perf(bench, command=None, pid=None, only=None):
    """Where the time of a program goes: by object, then by function; of the
    processes of that name only, if one is given."""
    data = os.path.join(bench.scratch.name, "perf.data")
    words = ["perf", "record", "-q", "-F", "997", "-o", data]
    words += ["-p", str(pid), "--", "sleep", "4"] if pid else ["--"] + command
    done = subprocess.run(words, cwd=bench.empty, check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    lines = []
    for sort, limit in (("dso", "1"), ("dso,symbol", "1.5")):
        text = subprocess.run(
            ["perf", "report", "--stdio", "-i", data, "--no-children", "-g", "none",
             "--sort", sort, "--percent-limit", limit] + (
                 ["--comm", only, "--percentage", "relative"] if only else []), check=False,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        lines += [re.sub(r"\s+-\s+-\s*$", "", line).strip() for line in text.splitlines()
                  if line.strip() and not line.startswith("#")] + [""]
    return lines if len(lines) > 2 else ["perf found nothing: " + done.stderr.strip()]


def measure_profile(bench):
    if shutil.which("perf") is None:
        return {"perf": "is not installed"}
    servers = HttpServers(bench, only=["mica"])
    try:
        servers.start()
        load = servers.load_in_background("mica", 6)
        time.sleep(1)
        http = perf(bench, pid=servers.processes["mica"].pid)
        load.wait()
    finally:
        servers.end()
    built = os.path.join(bench.built_engines(), "build", "engines")
    pipe = perf(bench, [bench.tool("pipe"), "1000000", "256", bench.request,
                        bench.mica, "stdio"], only="mica")
    return {"http": http, "pipe": pipe, "hash": perf(bench, [bench.tool("hash"), built, "200", "1000000"])}


def facts(options):
    def first(path, key):
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.startswith(key):
                    return line.split(":", 1)[1].strip()
        return "unknown"

    def git(*words):
        return subprocess.run(["git", "-C", ROOT] + list(words), check=False,
                              stdout=subprocess.PIPE, text=True).stdout.strip()

    compiler = subprocess.run(["cc", "--version"], check=False, text=True,
                              stdout=subprocess.PIPE).stdout.splitlines()[0]
    changed = git("status", "--porcelain", "--untracked-files=no", "--", "src",
                  "include", "engines")
    return {
        "commit": git("rev-parse", "--short=10", "HEAD") + (
            " and changes on top" if changed else ""),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "processor": "%s, %d threads" % (first("/proc/cpuinfo", "model name"),
                                         os.cpu_count()),
        "memory": first("/proc/meminfo", "MemTotal"),
        "kernel": platform.release(),
        "compiler": compiler,
        "load": os.getloadavg()[0],
        "rounds": options.rounds,
        "seconds": options.seconds,
    }


ALL = ("http,rest,endpoints,apps,pipe,instructions,start,hash,schema,sessions,slow,listen,asks,"
       "page,views,profile")


def keep(options, folder, results, text):
    """Writes the report, and with --record what it changes of RESULTS.md."""
    with open(os.path.join(folder, "report.json"), "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
    with open(os.path.join(folder, "report.md"), "w", encoding="utf-8") as file:
        file.write(text)
    if not options.record:
        return
    path = os.path.join(HERE, "RESULTS.md")
    if options.only != ALL:
        with open(path, encoding="utf-8") as file:
            text = recorded.merged(file.read(), text, results["facts"])
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--only", default=ALL)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--apps", type=int, default=10000)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    if options.smoke:
        if shutil.which("wrk") is None:
            print("wrk is missing (packaging/debian-packages bench)")
            sys.exit(77)  # meson: skipped
        options.rounds, options.seconds, options.apps = 1, 1, 24
    known = {"http": measure_http, "rest": rest.measure,
             "endpoints": endpoints.measure, "apps": published.measure,
             "pipe": measure_pipe,
             "instructions": instructions.measure, "start": measure_start,
             "hash": measure_hash, "schema": schemas.measure,
             "sessions": sessions.measure, "slow": slow.measure, "listen": listen.measure,
             "asks": asks.measure, "page": pages.measure, "views": views.measure,
             "profile": measure_profile}
    bench = Bench(options)
    results = {"facts": facts(options)}
    for name in options.only.split(","):
        results[name] = known[name](bench)
    results["facts"]["load after"] = os.getloadavg()[0]
    text = report.write(results)
    with open(os.path.join(HERE, "NOTES.md"), encoding="utf-8") as file:
        text += "\n" + file.read()
    if options.smoke:
        recorded.check(text, results["facts"])
    else:
        keep(options, os.path.join(bench.build, "bench"), results, text)
    print(text)


if __name__ == "__main__":
    main()

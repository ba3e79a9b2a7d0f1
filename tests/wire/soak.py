#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hours in small: clients of all revisions use one server while its engines
and files change; then nothing of them may be left. TAP.

    soak.py --mica build/mica --fixture build/tests/conformance-server
            [--seconds 60] [--seed N] [--sanitized]

What is left is what the server itself counts (/metrics), and its threads and open
files as the system does. Memory has to stay where it was after the first third;
with --sanitized the sizes are not compared, as sanitizers keep what was freed.
"""
import argparse
import gc
import http.client
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.request

from crowd import call, hear, listen, message, post
from ports import Reserved
from sessions import (PATIENCE, Client, Failure, Server, events, hang_up, ids, need,
                      result)

# Zero once no client is there.
GAUGES = ["mica_http_requests_active", "mica_http_exchanges", "mica_tasks",
          "mica_body_bytes", "mica_streams", "mica_subscriptions", "mica_session_streams",
          "mica_session_streams_resumed", "mica_session_calls", "mica_store_sessions",
          "mica_store_events", "mica_store_event_bytes", "mica_store_subscriptions"]
GROWTH_KIB = 8 << 10
WORKERS = 4  # threads that start when there is work for them


# ---- One server ------------------------------------------------------------------


def status_of(server):
    """Threads, open files, KiB of memory."""
    gc.collect()  # connections without a reference
    proc = "/proc/%d/" % server.process.pid
    with open(proc + "status", encoding="utf-8") as file:
        text = file.read()
    numbers = [int(re.search(name + r":\s+(\d+)", text).group(1))
               for name in ("Threads", "VmRSS")]
    return numbers[0], len(os.listdir(proc + "fd")), numbers[1]


def gauges(port):
    with urllib.request.urlopen("http://127.0.0.1:%d/metrics" % port,
                                timeout=PATIENCE) as reply:
        found = dict(re.findall(r"^(\w+) (\d+)$", reply.read().decode(), re.M))
    return {name: int(found[name]) for name in GAUGES}


# ---- Engines that change -----------------------------------------------------------


def build_engines(options, folder):
    """Two engines of one name, in folders of their own: by 1, and by 2."""
    for factor in ("1", "2"):
        place = os.path.join(folder, "by" + factor)
        os.mkdir(place)
        for words in (["new", "one"], None, ["build"]):
            if words is None:
                path = os.path.join(place, "engines", "one.c")
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text.replace("in->length * in->width",
                                            "in->length * in->width * " + factor))
                continue
            subprocess.run([options.mica, *words], cwd=place, check=True,
                           capture_output=True,
                           env=dict(os.environ, XDG_STATE_HOME=folder))


def put_engine(folder, factor):
    """Its manifest last, as `mica build` does."""
    source = os.path.join(folder, "by%d" % factor, "build", "engines")
    target = os.path.join(folder, "engines")
    for name in sorted(os.listdir(source), key=lambda name: name.endswith(".json")):
        shutil.copy(os.path.join(source, name), os.path.join(target, name + "~"))
        os.replace(os.path.join(target, name + "~"), os.path.join(target, name))


def take_engine(folder):
    os.remove(os.path.join(folder, "engines", "one.json"))


# ---- What clients do -------------------------------------------------------------


def a_session(server, chance):
    client = Client(server, chance.choice(["2025-06-18", "2025-11-25"]))
    own = client.get()
    client.post({"jsonrpc": "2.0", "id": 1, "method": "resources/subscribe",
                 "params": {"uri": "test://%d" % chance.randrange(9)}}).read()
    steps = chance.randrange(5, 40)
    response = client.call(2, "count", "t", steps=steps, pause_ms=chance.randrange(4))
    begun = events(response, chance.randrange(1, 5))
    if chance.random() < 0.7:
        hang_up(response)
        rest = events(client.get(begun[-1]["id"]))
    else:
        rest = events(response)
    need(result(rest)["structuredContent"] == {"counted": steps}, rest[-1])
    stream = ids(begun)[0].split("-")[0]
    first = int(ids(begun)[0].split("-")[1])
    need(ids(begun + rest) == ["%s-%d" % (stream, i) for i in range(
        first, first + len(begun + rest))], ids(begun + rest))
    client.call(3, "change", uri="test://%d" % chance.randrange(9)).read()
    if chance.random() < 0.3:
        hang_up(own)
    if chance.random() < 0.3:  # something still runs
        hang_up(client.call(4, "wait", milliseconds=5000))
    need(client.request("DELETE").status == 204, "DELETE")


def a_subscription(server, chance):
    uri = "test://%d" % random.randrange(10 ** 9)
    streams = [listen(server, i, resourceSubscriptions=[uri])
               for i in range(chance.randrange(1, 5))]
    call(server, 1, "change", uri=uri).read()
    for stream in streams:
        if chance.random() < 0.8:
            need(hear(stream)["params"]["uri"] == uri, uri)
        hang_up(stream)


def calls_that_are_left(server, chance):
    stream = call(server, 1, "count", "t", steps=10000, pause_ms=1)
    events(stream, chance.randrange(1, 4))
    hang_up(stream)
    name = "%d" % chance.randrange(10 ** 9)
    reply = json.loads(call(server, 1, "greet", name=name).read())
    need(reply["result"]["structuredContent"] == {"greeting": "Hello, %s!" % name},
         reply)


def a_session_that_hears_of_engines(server, _chance):
    client = Client(server)
    own = client.get()
    told = json.loads(events(own, 1)[0]["data"])
    need(told["method"].endswith("/list_changed"), told)
    reply = client.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    need("result" in json.loads(reply.read()), "tools/list")
    hang_up(own)
    need(client.request("DELETE").status == 204, "DELETE")


def a_call_of_what_changes(server, chance):
    sides = {"length": chance.randrange(5, 9), "width": chance.randrange(1, 5)}
    reply = json.loads(call(server, 1, "one", **sides).read())
    if "error" in reply:
        need(reply["error"]["data"]["code"] == "NOT_FOUND", reply)
        return
    area = reply["result"].get("structuredContent", {}).get("area")
    need(area in (sides["length"] * sides["width"],
                  2 * sides["length"] * sides["width"]), reply)


def a_listener_of_lists(server, _chance):
    stream = listen(server, "x", toolsListChanged=True, resourcesListChanged=True)
    told = hear(stream)
    need(told["method"].endswith("/list_changed"), told)
    hang_up(stream)


def a_reader(server, _chance):
    reply = json.loads(post(server, message(1, "resources/list")).read())
    for resource in reply["result"]["resources"][:3]:
        read = json.loads(post(server, message(
            2, "resources/read", uri=resource["uri"])).read())
        need("result" in read or read["error"]["data"]["code"] == "NOT_FOUND", read)


# ---- A crowd of them -----------------------------------------------------------------


class Crowd:
    """Threads that do one thing after another until the time is over."""

    def __init__(self, seconds, seed):
        self.end, self.seed = time.monotonic() + seconds, seed
        self.wrong, self.counts, self.threads = [], {}, []

    def add(self, server, *things):
        chance = random.Random(self.seed + len(self.threads))
        self.threads.append(threading.Thread(target=self.run,
                                             args=(server, things, chance)))
        self.threads[-1].start()

    def run(self, server, things, chance):
        while time.monotonic() < self.end and not self.wrong:
            thing = chance.choice(things)
            try:
                thing(server, chance)
            except (Failure, OSError, http.client.HTTPException, KeyError, IndexError,
                    ValueError) as error:
                self.wrong.append("%s: %s: %s, line %s" % (
                    thing.__name__, type(error).__name__, error,
                    [frame.lineno for frame in traceback.extract_tb(
                        error.__traceback__) if frame.filename == __file__]))
            gc.collect()  # its connections: http.client holds them in circles
            name = thing.__name__
            self.counts[name] = self.counts.get(name, 0) + 1

    def join(self):
        for thread in self.threads:
            thread.join(self.end - time.monotonic() + 2 * PATIENCE)
        need(not self.wrong, "\n".join(text[:500] for text in self.wrong))
        need(not any(thread.is_alive() for thread in self.threads), "one hangs")
        print("# " + ", ".join("%d × %s" % (count, name.replace("_", " "))
                               for name, count in sorted(self.counts.items())))


def churn(folder, chance, crowd):
    """Swaps the engine, takes it away, writes and removes files."""
    while time.monotonic() < crowd.end and not crowd.wrong:
        time.sleep(0.15)
        put_engine(folder, chance.choice((1, 2)))
        path = os.path.join(folder, "files", "%d.txt" % chance.randrange(20))
        if os.path.exists(path):
            os.remove(path)
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(path)
        if chance.random() < 0.2:
            take_engine(folder)
    put_engine(folder, 1)


def settle(numbers, good):
    """Waits until the numbers are good."""
    end = time.monotonic() + PATIENCE
    while not good(numbers()):
        need(time.monotonic() < end, "left: %s" % (numbers(),))
        time.sleep(0.1)


def compare(options, first, server):
    """No more threads and files than at first, no more memory than early on."""
    settle(lambda: (status_of(server)[:2], first[:2]),
           lambda now: now[0][0] <= now[1][0] + WORKERS and now[0][1] <= now[1][1])
    grown = status_of(server)[2] - first[2]
    print("# memory: %d KiB, %+d since the first third" % (first[2] + grown, grown))
    need(options.sanitized or grown < GROWTH_KIB, "memory grows: %d KiB" % grown)


def both_eras_come_and_go(options, folder):
    with Server([options.fixture], folder, more=[
            "--store", "sqlite:" + os.path.join(folder, "soak.db")]) as server:
        for part in (1, 2):
            crowd = Crowd(options.seconds * part / 3, options.seed)
            for _ in range(3):
                crowd.add(server, a_session)
            crowd.add(server, a_subscription)
            crowd.add(server, calls_that_are_left, a_subscription)
            crowd.join()
            if part == 1:
                time.sleep(0.5)
                first = status_of(server)
        compare(options, first, server)


def engines_and_files_change_under_load(options, folder):
    build_engines(options, folder)
    for name in ("engines", "files"):
        os.mkdir(os.path.join(folder, name))
    put_engine(folder, 1)
    reserved = Reserved()
    metrics = reserved.number
    command = [options.mica, "serve", "--drain=0", "--quiet", "--engines", "engines", "--resources",
               "files", "--store", "sqlite:soak.db", "--metrics",
               "127.0.0.1:%d" % metrics]
    with Server(command, folder) as server:
        for part in (1, 2):
            crowd = Crowd(options.seconds * part / 3, options.seed)
            for _ in range(2):
                crowd.add(server, a_call_of_what_changes)
            crowd.add(server, a_listener_of_lists, a_session_that_hears_of_engines)
            crowd.add(server, a_reader, a_call_of_what_changes)
            churn(folder, random.Random(options.seed), crowd)
            crowd.join()
            if part == 1:
                time.sleep(0.5)
                first = status_of(server)
        settle(lambda: gauges(metrics), lambda now: not any(now.values()))
        compare(options, first, server)


TESTS = [both_eras_come_and_go, engines_and_files_change_under_load]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mica", default="build/mica", type=os.path.abspath)
    parser.add_argument("--fixture", default="build/tests/conformance-server",
                        type=os.path.abspath)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--sanitized", action="store_true")
    parser.add_argument("tests", nargs="*")
    options = parser.parse_args()
    failed = 0
    print("# seed %d" % options.seed)
    chosen = [test for test in TESTS
              if not options.tests or test.__name__ in options.tests]
    for number, test in enumerate(chosen, 1):
        wrong = None
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(options, folder)
            except (Failure, OSError, http.client.HTTPException, KeyError, IndexError,
                    ValueError, subprocess.CalledProcessError) as error:
                wrong = "%s: %s" % (type(error).__name__, error)
        failed += wrong is not None
        print("%s %d - %s" % ("ok" if wrong is None else "not ok", number,
                              test.__name__.replace("_", " ")))
        if wrong is not None:
            print("# " + wrong.replace("\n", "\n# ")[:2000])
        sys.stdout.flush()
    print("1..%d" % len(chosen))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

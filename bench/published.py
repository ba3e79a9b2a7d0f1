# SPDX-License-Identifier: Apache-2.0
"""Published apps: what they cost when none is loaded, what a loaded one costs, how long
the first look takes, calls at random slugs, prompts, publishing; beside frameworks with a
server for each slug.

The store has copies of one app that was made and published as people do it. --apps says
how many; the aims are of ten thousand."""
import json
import os
import random
import subprocess
import sys
import time
from statistics import median

import app_calls
import app_peers
import prompt_calls
import publishing
from app_client import Client, Mica
from markdown import number, spread, table, verdict
from servers import memory_of

AIMS = {"published KiB": 2048, "loaded bytes": 2048, "cold ms": 2}
LIMIT = 64 << 20  # of loaded apps, MICA_APPS_LOADED_BYTES
STARTS = 3  # of a server, for its memory
SLUG = "order-status"


class Store:
    """A store with COUNT copies of an app, and what that app is."""

    def __init__(self, bench, count):
        self.path = os.path.join(bench.folder("apps"), "store.db")
        self.spec = "sqlite:" + self.path
        self.count = count
        app = [bench.mica, "app", "--store", self.spec]
        bench.output(app + ["new", "Order status", "--layout", "detail", "--propose",
                            "--description", "Where an order is, and when it will come."])
        bench.output(app + ["publish", SLUG])
        record = json.loads(bench.output(app + ["version", SLUG, "--json"]))
        self.tool = record["toolName"]
        started = time.monotonic()
        bench.output([bench.tool("app-fill"), self.spec, SLUG, str(count)])
        self.filled = (time.monotonic() - started) / count * 1e6
        self.bytes = os.path.getsize(self.path) / count
        self.app = {"toolName": self.tool, "toolDescription": record["toolDescription"],
                    "data": record["mockData"],
                    "html": bench.output(app + ["preview", SLUG])}

    def drop_from_memory(self):
        """Asks the system to read the file from the disk when it is read next."""
        descriptor = os.open(self.path, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


# ---- Memory and first looks ---------------------------------------------------------


def memory_at_rest(bench, spec, tool):
    """Of a server on that store, after a request for a slug that no app has."""
    with Mica(bench, "--store", spec) as mica:
        client = Client(mica.port)
        client.call("/servers/no-such-app/mcp", tool, status=b"404")
        client.close()
        time.sleep(1)
        return memory_of(mica.process.pid)


def measure_published(bench, store):
    """KiB that the apps of the store add to a server which has loaded none."""
    empty = "sqlite:" + os.path.join(bench.folder("empty-store"), "store.db")
    added = {}
    for _ in range(1 if bench.options.smoke else STARTS):
        before = memory_at_rest(bench, empty, store.tool)
        after = memory_at_rest(bench, store.spec, store.tool)
        for name in before:
            added.setdefault(name, []).append(after[name] - before[name])
    return {name: median(values) for name, values in added.items()}


def measure_first(bench, store, count):
    """The first call at each app, in any order, of a server that has just begun and whose
    file is not in memory; and the memory of the server for each."""
    numbers = list(range(count))
    random.Random(1).shuffle(numbers)
    with Mica(bench, "--store", store.spec) as mica:
        client = Client(mica.port)
        client.call("/servers/%s/mcp" % SLUG, store.tool)
        before = memory_of(mica.process.pid)["Rss"]
        store.drop_from_memory()
        times = [client.call("/servers/app-%d/mcp" % one, store.tool) for one in numbers]
        after = memory_of(mica.process.pid)["Rss"]
        again = [client.call("/servers/app-%d/mcp" % one, store.tool) for one in numbers]
        client.close()
    times.sort()
    again.sort()
    return {"p50": times[count // 2] * 1e3, "p99": times[count * 99 // 100] * 1e3,
            "most": times[-1] * 1e3, "again p50": again[count // 2] * 1e3,
            "bytes": (after - before) * 1024 / count}


def measure_lookups(bench, count):
    """The same in the store alone: p99 in milliseconds."""
    spec = "sqlite:" + os.path.join(bench.folder("lookups"), "store.db")
    found = {}
    for line in bench.output([bench.tool("app-lookups"), spec, str(count)]).splitlines():
        name, _, rest = line.partition("  ")
        words = rest.split()
        if "p99" in words:
            found[name] = float(words[words.index("p99") + 1]) / 1e3
    return found


def measure_loaded(bench, store, count):
    each, texts, counted = map(int, bench.output(
        [bench.tool("app-server"), "bytes", store.spec, SLUG, str(count)]).split())
    return {"bytes": each, "texts": texts, "counted": counted}


def measure(bench):
    count = bench.options.apps
    store = Store(bench, count)
    print("apps: %d published, %.0f µs each" % (count, store.filled), file=sys.stderr)
    found = {"count": count, "file bytes": store.bytes,
             "published": measure_published(bench, store),
             "loaded": measure_loaded(bench, store, count),
             "first": measure_first(bench, store, count),
             "lookups": measure_lookups(bench, max(1000, count))}
    print("apps: %s" % found, file=sys.stderr)
    found["calls"] = app_calls.measure(bench, store, count, found["loaded"]["counted"])
    found["prompts"] = prompt_calls.measure(bench)
    found["publishing"] = publishing.measure(bench)
    found["peers"] = app_peers.measure(bench, store, min(1000, count))
    return found


# ---- The report ---------------------------------------------------------------------


def write(found):
    published, loaded, first = found["published"], found["loaded"], found["first"]
    own = loaded["bytes"] - loaded["texts"]
    cold = max(first["p99"], found["lookups"]["look up, file not in memory"])
    lines = ["## Published apps", "",
             "%s apps of the layout detail in a store of SQLite, %.0f KiB of its file "
             "each, behind one server thread." % (number(found["count"]),
                                                  found["file bytes"] / 1024), ""]
    lines += table(["", "measured", "aim", ""], [
        ["memory of all, published and none loaded, over a server with an empty store",
         "%d KiB resident, %d proportional" % (published["Rss"], published["Pss"]),
         "%d KiB" % AIMS["published KiB"],
         verdict(published["Rss"] <= AIMS["published KiB"])],
        ["a loaded app, besides %d bytes of its texts" % loaded["texts"],
         "%d bytes; %d resident, with texts" % (own, first["bytes"]),
         "%d bytes" % AIMS["loaded bytes"], verdict(own <= AIMS["loaded bytes"])],
        ["apps that fit into the %d MiB of loaded ones" % (LIMIT >> 20),
         number(LIMIT // loaded["counted"]), "", ""],
        ["first call at an app, file not in memory: p99",
         "%.2f ms (p50 %.2f, most %.1f; the next call %.2f)" % (
             first["p99"], first["p50"], first["most"], first["again p50"]),
         "%d ms" % AIMS["cold ms"], verdict(cold <= AIMS["cold ms"])],
        ["of it, the look into the store: p99",
         "%.2f ms" % found["lookups"]["look up, file not in memory"], "", ""]])
    return (lines + [""] + app_calls.write(found["calls"]) +
            prompt_calls.write(found["prompts"]) + publishing.write(found["publishing"]) +
            app_peers.write(found["peers"]))

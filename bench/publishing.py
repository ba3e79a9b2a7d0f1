# SPDX-License-Identifier: Apache-2.0
"""From the publish of an app to its first answer: by the HTTP API, by the builder tools,
and from the command line beside a server that runs."""
import json
import os
import subprocess
import time

from app_client import Client, Mica, call_of, request_of
from markdown import table, verdict

AIMS = {"HTTP API": 50, "builder tool": 50, "command line": 1000}
TIMES = 40
TIMES_OF_PROGRAM = 10
POLL_S = 0.005
ABOUT = "Where an order is, and when it will come."


def create(client, number):
    body = json.dumps({"name": "Order %d" % number, "layoutTemplate": "detail",
                       "description": ABOUT, "propose": True}).encode()
    _, reply = client.ask(request_of("/api/apps", body), b"201")
    made = json.loads(reply)
    return made["mcpSlug"], made["toolName"]


def by_api(client, slug):
    client.ask(request_of("/api/apps/%s/publish" % slug, b"{}"))


def by_builder(client, slug):
    _, reply = client.ask(request_of("/builder/mcp", call_of("publish_app", app=slug),
                                     "publish_app"))
    if json.loads(reply)["result"].get("isError"):
        raise SystemExit("publish_app: %s" % reply.decode())


def measure_publish(client, first, publish, count):
    times = []
    for number in range(first, first + count):
        slug, tool = create(client, number)
        # A client that asked too early: the slug is remembered as absent.
        client.call("/servers/%s/mcp" % slug, tool, b"404")
        started = time.perf_counter()
        publish(client, slug)
        client.call("/servers/%s/mcp" % slug, tool)
        times.append((time.perf_counter() - started) * 1e3)
    return times


def measure_program(bench, client, spec, first, count):
    """Until the server that was asked all the time answers: (the program, the answer)."""
    times, ended = [], []
    for number in range(first, first + count):
        slug, tool = create(client, number)
        path, body = "/servers/%s/mcp" % slug, call_of(tool)
        started = time.perf_counter()
        program = subprocess.Popen(
            [bench.mica, "app", "publish", slug, "--store", spec], cwd=bench.empty,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        done = None
        while True:
            head, _ = client.ask(request_of(path, body, tool), None)
            if done is None and program.poll() is not None:
                done = (time.perf_counter() - started) * 1e3
            if head.split(b" ")[1] == b"200":
                break
            if time.perf_counter() - started > 30:
                raise SystemExit("mica app publish: the app is not served")
            time.sleep(POLL_S)
        times.append((time.perf_counter() - started) * 1e3)
        if program.wait() != 0:
            raise SystemExit("mica app publish failed")
        ended.append(done or (time.perf_counter() - started) * 1e3)
    return times, ended


def measure(bench):
    spec = "sqlite:" + os.path.join(bench.folder("publishing"), "store.db")
    count = 2 if bench.options.smoke else TIMES
    programs = 1 if bench.options.smoke else TIMES_OF_PROGRAM
    with Mica(bench, "--store", spec) as mica:
        client = Client(mica.port)
        found = {"HTTP API": measure_publish(client, 0, by_api, count),
                 "builder tool": measure_publish(client, count, by_builder, count)}
        found["command line"], found["program"] = measure_program(
            bench, client, spec, 2 * count, programs)
        client.close()
    return found


def write(found):
    rows = []
    for name, aim in AIMS.items():
        times = sorted(found[name])
        most = times[min(len(times) - 1, len(times) * 99 // 100)]
        rows.append([name, "%d" % len(times), "%.1f" % times[len(times) // 2], "%.1f" % most,
                     "%d ms" % aim, verdict(most <= aim)])
    ended = sorted(found["program"])
    return ["### From publish to the first answer", "",
            "The client has asked for the slug before, and asks again at once, or every "
            "%d ms while `mica app publish` runs, which takes %.0f ms by itself." % (
                POLL_S * 1000, ended[len(ended) // 2]), "",
            *table(["published by", "times", "median ms", "p99 ms", "aim", ""], rows), ""]

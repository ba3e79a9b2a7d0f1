# SPDX-License-Identifier: Apache-2.0
"""Calls of an app whose answer a model writes that takes five seconds, a thousand at once,
and calls of an engine at /mcp meanwhile."""
import json
import os
import subprocess
import sys
from statistics import median

from app_client import Client, Mica, call_of, request_of
from markdown import number, table, verdict
from servers import pinned

CALLS = 1000
MODEL_MS = 5000
WORKERS = 4
PAUSE_US = 2000  # from one call at /mcp to the next
AIMS = {"rate": 190, "p99": 2}
ROUNDS = 3
ANSWER = '{"title":"Order 12345","badge":"Shipped"}'
PROBE = {"mode": "of", "a": 15, "b": 200}


def answer_of_model():
    """The stream that OpenAI's reference has for an answer of a few words."""
    def chunk(delta, finish=None, **more):
        return {"id": "chatcmpl-123", "object": "chat.completion.chunk", "created": 1694268190,
                "model": "stand-in-1", "choices": [
                    {"index": 0, "delta": delta, "finish_reason": finish}], **more}
    events = [chunk({"role": "assistant", "content": ""})]
    events += [chunk({"content": ANSWER[at:at + 4]}) for at in range(0, len(ANSWER), 4)]
    events += [chunk({}, "stop")]
    return "".join("data: %s\n\n" % json.dumps(one) for one in events) + "data: [DONE]\n\n"


def file_of(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def publish(bench, folder, spec, port):
    with open(os.path.join(folder, "mica.toml"), "w", encoding="utf-8") as file:
        file.write('[providers.slow]\ntype = "openai"\nurl = "http://127.0.0.1:%d"\n'
                   'model = "stand-in"\nconcurrent = 4096\n' % port)
    app = [bench.mica, "app", "--store", spec]
    bench.output(app + [
        "new", "Clerk", "--layout", "card", "--propose", "--description",
        "Answers questions about orders.", "visibility=public",
        'behavior={"type":"prompt","by":"provider","systemPrompt":"Answer as a clerk."}',
        'budget={"callsPerDay":1000000,"tokensPerDay":1000000000,"seconds":60,'
        '"concurrent":1000}'], cwd=folder)
    bench.output(app + ["publish", "clerk"], cwd=folder)
    return json.loads(bench.output(app + ["version", "clerk", "--json"],
                                   cwd=folder))["toolName"]


def measure_one(bench, crowd, spread_ms=None):
    words = pinned(1, crowd + ([] if spread_ms is None else [str(spread_ms)]))
    rate, least, most, *times = map(float, bench.output(words).split())
    return dict(zip(("p50 alone", "p99 alone", "p50", "p99"), times),
                rate=rate, least=least / 1e3, most=most / 1e3)


def measure(bench):
    calls = min(CALLS, bench.options.apps)
    model_ms = 100 if bench.options.smoke else MODEL_MS
    folder = bench.folder("prompts")
    spec = "sqlite:" + os.path.join(folder, "store.db")
    model = subprocess.Popen(
        pinned(1, [bench.tool("stand-in-model"), str(model_ms),
                   file_of(folder, "answer", answer_of_model().encode())]),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        tool = publish(bench, folder, spec, int(model.stdout.readline()))
        with Mica(bench, "--store", spec, "--models", "--workers", str(WORKERS),
                  "--connections", str(calls + 100), cwd=folder) as mica:
            client = Client(mica.port)
            client.call("/servers/clerk/mcp", tool)
            client.close()
            crowd = [bench.tool("app-crowd"), str(mica.port),
                     file_of(folder, "call", request_of("/servers/clerk/mcp", call_of(tool),
                                                        tool)),
                     file_of(folder, "probe", request_of(
                         "/mcp", call_of("percentage-calculator", **PROBE),
                         "percentage-calculator")),
                     str(calls), str(model_ms / 1e3), str(PAUSE_US)]
            rounds = []
            for number_of in range(min(ROUNDS, bench.options.rounds)):
                rounds.append({"in one moment": measure_one(bench, crowd),
                               "one after the other": measure_one(bench, crowd, model_ms)})
                print("prompts round %d: %s" % (number_of + 1, rounds[-1]), file=sys.stderr)
    finally:
        model.stdin.close()
        model.wait()
    return {"calls": calls, "model": model_ms, "rounds": rounds}


def write(found):
    most = found["calls"] / found["model"] * 1e3
    # The quietest: after a row the server still ends calls whose clients have left.
    alone = min(one[name]["p99 alone"] for one in found["rounds"] for name in one)
    rows = []
    for name in found["rounds"][0]:
        of = {key: median(one[name][key] for one in found["rounds"])
              for key in found["rounds"][0][name]}
        ratio = of["p99"] / alone
        rows.append([name, "%.1f" % of["rate"], verdict(of["rate"] >= AIMS["rate"]),
                     number(of["most"]), number(alone), number(of["p99"]),
                     "%.1f" % ratio, verdict(ratio <= AIMS["p99"])])
    return ["### Prompts at once", "",
            "%s calls at a time of an app whose model answers after %d ms, %d workers, begun "
            "in one moment and again when all are answered, or one after the other: %.0f a "
            "second are possible, the aim is %d. Meanwhile an engine at /mcp is called every "
            "%d ms; the aim is a p99 of at most %d times that without the prompts." % (
                number(found["calls"]), found["model"], WORKERS, most, AIMS["rate"],
                PAUSE_US / 1000, AIMS["p99"]), "",
            *table(["calls begin", "calls/s", "", "longest ms", "p99 µs at /mcp, alone",
                    "meanwhile", "ratio", ""], rows), ""]

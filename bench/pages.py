# SPDX-License-Identifier: Apache-2.0
"""A tool's page in Chromium: how soon there is a result, what browsers fetch for it,
and how soon a source that is saved is seen."""
import gzip
import json
import os
import re
import subprocess
import sys
from statistics import median

from markdown import number, spread, table, verdict

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
AIM_SAVED = 1000  # ms
AIM_MODULE = 20 * 1024  # bytes, brotli, of a calculator
AIM_VIEW = 60 * 1024  # bytes, gzip, of the document of an engine's view
VIEWS = {"extensions": {"io.modelcontextprotocol/ui": {
    "mimeTypes": ["text/html;profile=mcp-app"]}}}
CALCULATORS = ("percentage-calculator", "calculate", "compound-interest",
               "currency-converter", "loan-payment", "tip-splitter", "unit-converter")


def run(words):
    done = subprocess.run(words, cwd=ROOT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise SystemExit("%s failed: %s%s" % (" ".join(words), done.stdout, done.stderr))
    return done.stdout


def measure_saved(bench):
    """From a saved source to the next tools/list and to the page, as the test has it."""
    found = []
    for turn in range(3):
        said = run(["node", "tests/browser/dev.mjs", "--mica", bench.mica,
                    "--sources", "engines"])
        found.append([int(word) for word in re.search(
            r"saved to served (\d+) ms, to the page (\d+) ms", said).groups()])
        print("saved, round %d: %s ms" % (turn + 1, found[-1]), file=sys.stderr)
    return found


def measure_sizes(bench):
    rows = []
    for line in run(["scripts/sizes", os.path.join(bench.build, "engines")]).splitlines()[1:]:
        name, *sizes = line.split()
        rows.append([name] + [int(size) for size in sizes])
    return rows


def ask(bench, methods):
    """The results of requests to `mica stdio` that stand for themselves."""
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": VIEWS}
    lines = [json.dumps({"jsonrpc": "2.0", "id": number_, "method": method,
                         "params": {**params, "_meta": meta}})
             for number_, (method, params) in enumerate(methods)]
    done = subprocess.run([bench.mica, "stdio", "--engines", os.path.join(bench.build, "engines")],
                          input="\n".join(lines) + "\n", text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True)
    replies = sorted((json.loads(line) for line in done.stdout.splitlines()),
                     key=lambda reply: reply["id"])
    return [reply["result"] for reply in replies]


def measure_views(bench):
    """[engine, bytes, bytes compressed] of the view of each engine."""
    [tools] = ask(bench, [("tools/list", {})])
    uris = [tool["_meta"]["ui"]["resourceUri"] for tool in tools["tools"]]
    found = []
    for uri, result in zip(uris, ask(bench, [("resources/read", {"uri": uri}) for uri in uris])):
        text = result["contents"][0]["text"].encode()
        found.append([uri.rsplit("/", 1)[1], len(text), len(gzip.compress(text, 9))])
    return found


def measure(bench):
    results = json.loads(run(["node", "bench/page.mjs", bench.mica,
                              os.path.join(bench.build, "engines"),
                              str(bench.options.rounds)]))
    return {"results": results, "saved": measure_saved(bench),
            "sizes": measure_sizes(bench), "views": measure_views(bench)}


def write_results(results):
    rows = []
    for latency in sorted({one["latency"] for one in results}):
        for what, words in (("first", "navigation to the first result"),
                            ("later", "from an input to the next result")):
            by = {(one["round"], one["way"]): one[what] for one in results
                  if one["latency"] == latency}
            engine = [ms for (_, way), ms in by.items() if way == "engine"]
            server = [ms for (_, way), ms in by.items() if way == "server"]
            ratio = [by[round_, "server"] / by[round_, "engine"]
                     for (round_, way) in by if way == "engine"]
            rows.append(["%d ms" % latency, words, spread(engine, "%.1f"),
                         spread(server, "%.1f"), spread(ratio)])
    return ["percentage-calculator in Chromium, nothing cached; the same page with its "
            "engine, and when it calls the server for each result. Milliseconds; a ratio "
            "above 1 is in favor of the engine.", "",
            *table(["latency", "what", "with its engine", "by the server", "ratio"], rows), ""]


def write_saved(saved):
    called, shown = [median(column) for column in zip(*saved)]
    return ["From a saved source to what clients get, %s ms, and to the open page, %s ms "
            "(`mica dev`, three runs of `tests/browser/dev.mjs`). Aim: %s ms: %s." % (
                number(called), number(shown), number(AIM_SAVED),
                verdict(max(called, shown) <= AIM_SAVED)), ""]


def write_sizes(sizes):
    rows = [[name] + [number(size) for size in list_] for name, *list_ in sizes]
    brotli = [row[3] for row in sizes if len(row) > 3 and
              row[0] in ["%s.wasm" % name for name in CALCULATORS]]
    lines = ["Bytes that browsers fetch (`scripts/sizes`):", "",
             *table(["file", "raw", "gzip", "brotli"][:len(rows[0])], rows), ""]
    if brotli:
        lines += ["The module of a calculator has %s to %s bytes by brotli. Aim: %s: %s." % (
            number(min(brotli)), number(max(brotli)), number(AIM_MODULE),
            verdict(max(brotli) <= AIM_MODULE)), ""]
    return lines


def write_views(views):
    small = sum(packed <= AIM_VIEW for _, _, packed in views)
    return ["The document of each engine's view. Aim: %s bytes by gzip: %d of %d, %s." % (
                number(AIM_VIEW), small, len(views), verdict(small == len(views))), "",
            *table(["engine", "raw", "gzip"],
                   [[name, number(raw), number(packed)] for name, raw, packed in views]), ""]


def write(found):
    return (["## A tool's page", ""] + write_results(found["results"]) +
            write_saved(found["saved"]) + write_sizes(found["sizes"]) +
            write_views(found["views"]))

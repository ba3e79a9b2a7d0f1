# SPDX-License-Identifier: Apache-2.0
"""statistics-summary against tests/oracles/statistics.txt.

    python3 statistics_test.py --mica build/mica --cases statistics.txt

Sums, means and variances have to be the double next to the exact number, to the
last digit; deviations may be one digit beside it.
"""
import argparse
import json
import math
import subprocess
import sys

NAMES = ("sum", "mean", "population_variance", "population_standard_deviation",
         "sample_variance", "sample_standard_deviation")
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}


def answers(mica, lists):
    """What the engine says of each, by one process."""
    requests = "".join(json.dumps({
        "jsonrpc": "2.0", "id": index, "method": "tools/call", "params": {
            "name": "statistics-summary", "arguments": {"values": values},
            "_meta": META}}) + "\n" for index, values in enumerate(lists))
    done = subprocess.run([mica, "stdio", "--built-in"], input=requests, text=True,
                          capture_output=True, check=True, timeout=500)
    found = {}
    for line in done.stdout.splitlines():
        message = json.loads(line, parse_int=float)
        found[int(message["id"])] = message["result"]["structuredContent"]
    return [found[index] for index in range(len(lists))]


def is_right(name, got, wanted):
    if wanted is None or got is None:
        return got is wanted
    if got == wanted:
        return True
    return name.endswith("deviation") and (
        got in (math.nextafter(wanted, math.inf), math.nextafter(wanted, -math.inf)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mica", required=True)
    parser.add_argument("--cases", required=True)
    options = parser.parse_args()
    with open(options.cases, encoding="utf-8") as file:
        cases = [line.split() for line in file]
    lists = [[float(word) for word in case[0].split(",")] for case in cases]
    assert len(cases) >= 3000, "the file of cases is cut"
    wrong = exact = 0
    for values, case, answer in zip(lists, cases, answers(options.mica, lists)):
        for name, word in zip(NAMES, case[1:], strict=True):
            wanted = None if word == "-" else float(word)
            exact += answer[name] == wanted
            if not is_right(name, answer[name], wanted):
                wrong += 1
                if wrong <= 10:
                    print(f"{name} of {values}: {answer[name]!r}, not {wanted!r}")
    print(f"{len(cases)} lists, {len(cases) * 6} figures, {exact} to the last digit, "
          f"{wrong} wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()

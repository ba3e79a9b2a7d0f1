#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py MICA [ENGINE…]: do the engines of money answer as money.txt says?

The inputs go through one process of `mica stdio`, where each runs in the sandbox;
the answers are compared by the digest of a thousand. Where one differs, the
thousand is worked out again, and the first case that is wrong is named.
"""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

import cases

META = json.dumps({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                   "io.modelcontextprotocol/clientCapabilities": {}})
TIMEOUT_S = 300


def expected():
    """{engine: [digest, …]}."""
    result, digests = {}, []
    file = pathlib.Path(__file__).with_name("money.txt")
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            digests = result[line[2:]] = []
        elif len(line) == 64:
            digests.append(line)
    return result


def inputs(engine):
    return [cases.given(engine, number) for number in range(cases.CASES)]


def answers(mica, engine, given):
    """What mica says to each input, as text."""
    # From a folder without engines, so that those of the program run.
    with tempfile.TemporaryDirectory() as folder, \
            subprocess.Popen([mica, "stdio"], cwd=folder, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL) as process:
        timer = threading.Timer(TIMEOUT_S, process.kill)
        timer.start()

        def feed():
            for number, text in enumerate(given):
                process.stdin.write(
                    f'{{"jsonrpc":"2.0","id":{number},"method":"tools/call",'
                    f'"params":{{"name":"{engine}","arguments":{text},'
                    f'"_meta":{META}}}}}\n'.encode())
            process.stdin.close()

        feeder = threading.Thread(target=feed)
        feeder.start()
        said = {}
        for line in process.stdout:
            # Numbers as they are written: none becomes a double here.
            reply = json.loads(line, parse_float=cases.Number,
                               parse_int=cases.Number)
            result = reply.get("result", {})
            error = result.get("_meta", {}).get("mica/error", {})
            said[int(reply["id"])] = cases.write(
                result.get("structuredContent",
                           {"refused": error.get("code", str(reply))}))
        feeder.join()
        timer.cancel()
    return [said.get(number, "no answer") for number in range(len(given))]


def compare(engine, digests, given, said):
    if len(digests) * cases.BLOCK != len(given):
        return f"{engine}: money.txt has {len(digests)} digests; run make.py"
    for index, digest in enumerate(digests):
        start = index * cases.BLOCK
        rows = [f"{given[i]} {said[i]}"
                for i in range(start, start + cases.BLOCK)]
        if hashlib.sha256("\n".join(rows).encode()).hexdigest() == digest:
            continue
        for i in range(start, start + cases.BLOCK):
            text, right = cases.case(engine, i)
            if said[i] != right:
                return (f"{engine}, case {i}: {text}\n"
                        f"#   expected {right}\n#   got      {said[i]}")
        return f"{engine}: cases from {start} on differ from money.txt alone"
    return None


def main():
    mica, *names = sys.argv[1:]
    mica = os.path.abspath(mica)  # it is started in another folder
    known = expected()
    names = names or list(cases.ENGINES)
    print(f"1..{len(names)}")
    failures = 0
    for number, engine in enumerate(names, 1):
        given = inputs(engine)
        wrong = compare(engine, known[engine], given,
                        answers(mica, engine, given))
        failures += wrong is not None
        print("ok" if wrong is None else "not ok", number, "-",
              f"{engine}: {len(given)} answers are exact")
        if wrong:
            print(f"# {wrong}")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())

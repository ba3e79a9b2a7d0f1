# SPDX-License-Identifier: Apache-2.0
"""Validation: mica beside ajv and the jsonschema of Sourcemeta.

All three get the same files of bench/schemas, once at a time: compiled schema,
parsed value. What they answer is compared before it is timed.
"""
import os
import platform
import re
import resource
import subprocess
from statistics import geometric_mean, median

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "schemas")
VALIDATORS = os.path.join(HERE, "validators")
REPEATED = 1000  # lines of the file that whole programs read
LOOP = 2000


def sourcemeta():
    """The program itself; the package's script only starts it."""
    machine = {"aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return os.path.join(VALIDATORS, "node_modules", "@sourcemeta", "jsonschema", "build",
                        "github-releases", "jsonschema-linux-" + machine)


def names():
    return sorted(name[:-len(".jsonl")] for name in os.listdir(FOLDER)
                  if name.endswith(".jsonl"))


def files(name):
    return [os.path.join(FOLDER, name + end) for end in (".json", ".jsonl")]


def columns(text):
    return [[float(word) for word in line.split()] for line in text.splitlines()]


def time_sourcemeta(name, rounds):
    """Verdict and least nanoseconds of each line. The program takes off what its
    own clock costs; a round in which that was disturbed does not count."""
    found = {}
    for _ in range(rounds):
        done = subprocess.run(
            [sourcemeta(), "validate", *files(name), "--benchmark", "--fast", "--continue",
             "--loop", str(LOOP)], check=False, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        for number, verdict, micros, clock in re.findall(
                r"\[(\d+)\]: (PASS|FAIL) ([\d.]+) \+- [\d.]+ us \(([\d.]+)\)", done.stdout):
            line = found.setdefault(int(number), [1 if verdict == "PASS" else 0, []])
            if float(clock) < 0.05:
                line[1].append(float(micros) * 1e3)
    return [(verdict, min(times)) for _, (verdict, times) in sorted(found.items())]


def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def time_programs(bench, name, verdicts):
    """Whole programs over a large file of valid lines."""
    with open(files(name)[1], encoding="utf-8") as file:
        lines = [line for line, valid in zip(file, verdicts) if valid]
    large = os.path.join(bench.scratch.name, name + ".jsonl")
    with open(large, "w", encoding="utf-8") as file:
        for number in range(REPEATED):
            file.write(lines[number % len(lines)])
    schema = files(name)[0]
    commands = {
        "mica": [bench.tool("validate"), schema, large, "0"],
        "ajv": ["node", os.path.join(VALIDATORS, "ajv.mjs"), schema, large, "0"],
        "Sourcemeta": [sourcemeta(), "validate", "--fast", schema, large],
    }
    return {program: min(processor_seconds(command) for _ in range(2))
            for program, command in commands.items()}


def measure(bench):
    rounds = bench.options.rounds
    parts = []
    for name in names():
        mica = columns(bench.output([bench.tool("validate"), *files(name), str(rounds)]))
        ajv = columns(bench.output(["node", os.path.join(VALIDATORS, "ajv.mjs"), *files(name),
                                    str(rounds)]))
        other = time_sourcemeta(name, rounds)
        verdicts = [line[0] for line in mica]
        if verdicts != [line[0] for line in ajv] or verdicts != [line[0] for line in other]:
            raise SystemExit("the validators do not agree on %s" % name)
        for valid in (1, 0):
            chosen = [i for i, verdict in enumerate(verdicts) if verdict == valid]
            parts.append({
                "name": name, "valid": valid, "count": len(chosen),
                "mica": sum(mica[i][1] for i in chosen),
                "report": sum(mica[i][2] for i in chosen),
                "ajv": sum(ajv[i][1] for i in chosen),
                "Sourcemeta": sum(other[i][1] for i in chosen),
                "mica read": sum(mica[i][3] for i in chosen),
                "ajv read": sum(ajv[i][2] for i in chosen),
            })
    return {"parts": parts,
            "programs": time_programs(bench, "sbom", [
                line[0] for line in columns(bench.output(
                    [bench.tool("validate"), *files("sbom"), "1"]))])}


def ratios(parts, other, own="mica"):
    return [part[other] / part[own] for part in parts if part[own] > 0]


def write(found):
    """The lines of the report."""
    parts = found["parts"]
    lines = ["## Validation of JSON Schema", "",
             "Compiled schemas of `bench/schemas`, values that are parsed already, the answer "
             "alone; nanoseconds for all instances of a row together, each the least over the "
             "rounds. ajv and mica in time of the processor, Sourcemeta's jsonschema "
             "(`--fast`) as its own benchmark mode reports it. A ratio above 1 means that mica "
             "is faster.", "",
             "| instances | mica | with report | ajv | Sourcemeta | ajv / mica | "
             "Sourcemeta / mica |", "|" + " --- |" * 7]
    for part in parts:
        lines.append("| %s, %d %s | %s | %s | %s | %s | %.2f | %.2f |" % (
            part["name"], part["count"], "valid" if part["valid"] else "invalid",
            *("{:,.0f}".format(part[key]) for key in ("mica", "report", "ajv", "Sourcemeta")),
            part["ajv"] / part["mica"], part["Sourcemeta"] / part["mica"]))
    lines.append("")
    for other in ("ajv", "Sourcemeta"):
        values = ratios(parts, other)
        reached = sum(value >= 1 for value in values)
        lines.append("- %s / mica: geometric mean %.2f, median %.2f, at least 1 in %d of %d "
                     "rows; aim 1 in all: %s" % (
                         other, geometric_mean(values), median(values), reached, len(values),
                         "reached" if reached == len(values) else "**missed**"))
    values = ratios(parts, "ajv read", "mica read")
    lines.append("- parsing and validating, ajv with JSON.parse / mica: geometric mean %.2f, "
                 "least %.2f" % (geometric_mean(values), min(values)))
    programs = found["programs"]
    lines.append("- whole programs over %d lines of sbom, seconds of the processor: %s" % (
        REPEATED, ", ".join("%s %.2f" % pair for pair in programs.items())))
    return lines + [""]

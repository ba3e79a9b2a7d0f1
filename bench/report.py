# SPDX-License-Identifier: Apache-2.0
"""The report of a run, as Markdown: numbers, aims, and what was missed."""
from statistics import median

import asks
import instructions
import listen
import pages
import endpoints
import published
import rest
import schemas
import sessions
import slow
import views
from markdown import number, spread, table, verdict

# What issue and design aim at: ratios to others, microseconds, KiB.
AIMS = {"nginx": 0.7, "TypeScript SDK 2": 20, "tmcp": 6, "echo": 0.2,
        "start": 3000, "memory": 6144, "hash": 1.2}


def write_facts(facts):
    lines = ["# Results", "",
             "Written by `make bench` (`bench/run.py`). Each figure is a median over "
             "%d rounds of %d seconds, with the least and the largest; a ratio is taken "
             "inside a round." % (facts["rounds"], facts["seconds"]), ""]
    names = ("commit", "date", "processor", "memory", "kernel", "compiler")
    lines += ["- %s: %s" % (name, facts[name]) for name in names]
    lines.append("- load average before and after: %.1f, %.1f" % (
        facts["load"], facts["load after"]))
    return lines + [""]


def write_http(http):
    rows = []
    for name in http["rounds"][0]:
        rates = [one[name] for one in http["rounds"]]
        p50, p99 = http["latency"][name]
        cost = median(one[name] for one in http["costs"])
        rows.append([name, number(median(rates)),
                     "%s to %s" % (number(min(rates)), number(max(rates))),
                     "%.1f" % cost, "%.0f %%" % (median(rates) * cost / 1e4),
                     number(p50), number(p99)])
    lines = ["## tools/call over HTTP", "",
             "percentage-calculator, stateless revision, keep-alive, 32 connections, one "
             "server thread, a reply of %d bytes. nginx returns that many bytes to the "
             "same request. The processor's time is the server's own, its system calls "
             "included: it hardly depends on what else the machine does." % http["reply"], ""]
    lines += table(["server", "requests/s", "least to largest", "processor µs each",
                    "busy", "p50 µs", "p99 µs"], rows)
    lines.append("")
    ratio = []
    for name, values in http["ratio"].items():
        aim = AIMS.get(name)
        cost = [one[name] / one["mica"] for one in http["costs"]]
        ratio.append([name, spread(values), "" if aim is None else str(aim),
                      "" if aim is None else verdict(median(values) >= aim),
                      spread(cost)])
    return lines + table(["mica to", "requests/s, ratio", "aim", "",
                          "processor time, theirs to mica's"], ratio) + [
        "", "A server that was not busy all the time waited for the load generator, or "
        "for other work of the machine: then the second ratio is the one to believe.", ""]


def write_pipe(pipe):
    rows = []
    for name in ("mica", "echo"):
        rates = [one[name] for one in pipe["rounds"]]
        rows.append([name, number(median(rates)),
                     "%s to %s" % (number(min(rates)), number(max(rates))),
                     "%.2f" % median(one[name] for one in pipe["costs"])])
    return ["## tools/call over stdio", "",
            "The same request, %d in flight, against a program that reads lines and "
            "answers each by one write of %d bytes." % (pipe["window"], pipe["reply"]), "",
            *table(["program", "requests/s", "least to largest",
                    "processor µs each"], rows), "",
            "Ratio %s, aim %s: %s. By processor time %s." % (
                spread(pipe["ratio"]), AIMS["echo"],
                verdict(median(pipe["ratio"]) >= AIMS["echo"]),
                spread([one["echo"] / one["mica"] for one in pipe["costs"]])), ""]


def write_start(start):
    rows = []
    nothing = median(took for took, _ in start["times"].get("/bin/true", [(0, 0)]))
    for name, runs in start["times"].items():
        times = sorted(took for took, _ in runs)
        aim = name in ("mica stdio", "mica stdio in a folder with engines")
        rows.append([name, "%.2f" % (median(times) / 1000), "%.2f" % (times[0] / 1000),
                     "%.2f" % (times[int(len(times) * 0.95)] / 1000),
                     "%.2f" % (median(used for _, used in runs) / 1000),
                     "%.1f" % (median(times) / nothing) if nothing else "",
                     verdict(median(times) <= AIMS["start"]) if aim else ""])
    lines = ["## Start and memory", "",
             "From `posix_spawn` to the first whole reply to a tools/call, 200 runs; %d "
             "engines, which are built. Of /bin/true it is the time to its end. Aim: %d ms."
             % (start["engines"], AIMS["start"] / 1000), ""]
    lines += table(["program", "median ms", "least", "95 %", "processor ms",
                    "of /bin/true", ""], rows)
    rows = [["mica serve, " + name, number(found["Rss"]), number(found["Pss"]),
             number(found["Private_Dirty"]), verdict(found["Rss"] <= AIMS["memory"])]
            for name, found in start["memory"].items()]
    lines += ["", "Memory a second after the start, in KiB. Aim: %s resident."
              % number(AIMS["memory"]), ""]
    return lines + table(["program", "resident", "proportional", "private", ""], rows) + [""]


def write_hash(hashing):
    return ["## A sandboxed engine", "",
            "hash, SHA-256 of 1,000,000 bytes, JSON in and out, both called the same way "
            "by turns, time of the processor: sandboxed %s µs, native %s µs. Ratio %s, aim %s: %s." % (
                number(median(hashing["sandboxed"])), number(median(hashing["native"])),
                spread(hashing["ratio"]), AIMS["hash"],
                verdict(median(hashing["ratio"]) <= AIMS["hash"])), ""]


def write_profile(profile):
    lines = ["## Where the time goes", ""]
    for name, found in profile.items():
        lines += ["%s:" % {"http": "mica serve under the load above",
                           "pipe": "mica stdio under the load above",
                           "hash": "hash, native and sandboxed by turns"}.get(name, name), "",
                  "```", *(found if isinstance(found, list) else [found]), "```", ""]
    return lines


def write(results):
    parts = {"http": write_http, "rest": rest.write, "endpoints": endpoints.write, "apps": published.write,
             "pipe": write_pipe,
             "instructions": instructions.write, "start": write_start,
             "hash": write_hash, "schema": schemas.write,
             "sessions": sessions.write, "slow": slow.write, "listen": listen.write,
             "asks": asks.write, "page": pages.write,
             "views": views.write, "profile": write_profile}
    lines = write_facts(results["facts"])
    for name, part in parts.items():
        if name in results:
            lines += part(results[name])
    return "\n".join(lines).rstrip() + "\n"

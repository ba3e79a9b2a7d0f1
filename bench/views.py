# SPDX-License-Identifier: Apache-2.0
"""A view and its host in Chromium beside the official pair, and beside messages with
nothing done; what a page loads for them."""
import json
import re
from statistics import median

from markdown import number, spread, table, verdict
from pages import run

# What is measured, in words; the form of a figure; the aim as a ratio to the official pair,
# in words, and whether a ratio reaches it.
ROWS = (
    ("live", "from the source of the frame to the handshake, ms", "%.1f", "at most 0.33",
     lambda ratio: ratio <= 1 / 3),
    ("turns", "calls a second, one after the other", "%.0f", "", None),
    ("calls", "calls a second, 16 at a time", "%.0f", "at least 3", lambda ratio: ratio >= 3),
    ("large", "a result of 0.68 MB, ms", "%.1f", "at most 1.1", lambda ratio: ratio <= 1.1),
)


def measure(bench):
    rounds = json.loads(run(["scripts/node", "bench/views.mjs", str(bench.options.rounds),
                             str(bench.options.seconds)]))
    said = run(["tests/apps/run", "sizes.mjs"])
    return {"rounds": rounds, "sizes": re.findall(
        r"^(ok|not ok) \d+ - (.*): ([\d.]+) KB gzip", said, re.MULTILINE)}


def write(found):
    rounds = found["rounds"]
    rows = []
    for key, words, form, aim, reaches in ROWS:
        values = {who: [one[who][key] for one in rounds]
                  for who in ("ours", "official", "messages")}
        ratio, least = ([a / b for a, b in zip(values["ours"], values[who])]
                        for who in ("official", "messages"))
        rows.append([words] + [spread(values[who], form)
                               for who in ("ours", "official", "messages")] +
                    [spread(ratio), aim,
                     "" if reaches is None else verdict(reaches(median(ratio))), spread(least)])
    sizes = [[what, "%s KB" % size, "reached" if done == "ok" else "**missed**"]
             for done, what, size in found["sizes"]]
    return ["## Views", "",
            "`AppBridge` and `App` of mica, those of ext-apps, and pages that exchange the same "
            "messages and do nothing with them, in turns, in Chromium, in a frame of opaque "
            "origin under the default policy. The host answers a call at once. Medians of %s "
            "rounds." % number(len(rounds)), "",
            *table(["what", "mica", "official", "messages alone", "mica to official", "aim", "",
                    "mica to messages alone"], rows), "",
            *table(["what a page loads, gzip", "size", "aim"], sizes), ""]

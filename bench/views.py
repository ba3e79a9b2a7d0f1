# SPDX-License-Identifier: Apache-2.0
"""A view and its host in Chromium beside the official pair; what a page pays for them."""
import json
import re
from statistics import median

from markdown import number, spread, table, verdict
from pages import run

AIM_LIVE = 1 / 3  # of the official pair's time from the source to the handshake
AIM_CALLS = 3  # times the calls a second
AIM_LARGE = 1.1  # times its time for a large result


def measure(bench):
    rounds = json.loads(run(["scripts/node", "bench/views.mjs", str(bench.options.rounds),
                             str(bench.options.seconds)]))
    said = run(["tests/apps/run", "sizes.mjs"])
    return {"rounds": rounds, "sizes": re.findall(
        r"^(ok|not ok) \d+ - (.*): ([\d.]+) KB gzip", said, re.MULTILINE)}


def write(found):
    rounds = found["rounds"]
    rows = []
    for key, words, form, aim, met in (
            ("live", "from `src` to `initialized`, ms", "%.1f", "at most 0.33",
             lambda ratio: ratio <= AIM_LIVE),
            ("turns", "calls a second, one after the other", "%.0f", "", None),
            ("calls", "calls a second, 16 at a time", "%.0f", "at least 3", lambda ratio: ratio >= AIM_CALLS),
            ("large", "a result of %.2f MB, ms" % (rounds[0]["ours"]["size"] / 1e6), "%.1f",
             "at most 1.1", lambda ratio: ratio <= AIM_LARGE)):
        ours, theirs = ([one[who][key] for one in rounds] for who in ("ours", "official"))
        ratio = [a / b for a, b in zip(ours, theirs)]
        rows.append([words, spread(ours, form), spread(theirs, form), spread(ratio), aim,
                     "" if met is None else verdict(met(median(ratio)))])
    sizes = [[what, "%s KB" % size, "reached" if done == "ok" else "**missed**"]
             for done, what, size in found["sizes"]]
    return ["## Views", "",
            "`AppBridge` and `App` of mica beside those of ext-apps, in turns, in Chromium, "
            "in a frame of opaque origin under the default policy. A call is answered by the "
            "host at once. Medians of %s rounds." % number(len(rounds)), "",
            *table(["what", "mica", "official", "ratio", "aim", ""], rows), "",
            *table(["what a page loads, gzip", "size", "aim"], sizes), ""]

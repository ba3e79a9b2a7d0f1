# SPDX-License-Identifier: Apache-2.0
"""RESULTS.md, of which a run may have measured only some parts: these take the place of
what stood there, say when they were measured, and the rest stays."""
import re

NOTES = "## What stands in the way"


def sections(text):
    """What stands before the first heading of the second level, and each with its text."""
    first, *rest = re.split(r"(?m)^(?=## )", text)
    return first, {part.partition("\n")[0]: part for part in rest}


def told(facts):
    return ("Measured apart, on %s at commit %s: %d rounds of %d seconds, load average before "
            "and after %.1f, %.1f.\n" % (facts["date"], facts["commit"], facts["rounds"],
                                         facts["seconds"], facts["load"], facts["load after"]))


def merged(old, new, facts):
    """`old` with the parts of `new`. The notes, which `new` has, come last."""
    first, kept = sections(old)
    _, came = sections(new)
    notes = came.pop(NOTES)
    kept.pop(NOTES, None)
    for heading, text in came.items():
        kept[heading] = text.replace("\n\n", "\n\n" + told(facts) + "\n", 1).rstrip() + "\n\n"
    return first + "".join(kept.values()) + notes


def check(new, facts):
    """For the smoke test: a report of a run takes its places in an older one."""
    old = "# Results\n\n- commit: 1\n\n## A\n\nfirst\n\n" + NOTES + "\n\nold notes\n"
    once = merged(old, new, facts)
    first, parts = sections(once)
    _, came = sections(new)
    if (first, parts["## A"]) != ("# Results\n\n- commit: 1\n\n", "## A\n\nfirst\n\n"):
        raise SystemExit("what was not measured has changed: %r" % once)
    if list(parts) != ["## A", *came] or list(parts)[-1] != NOTES or "old notes" in once:
        raise SystemExit("the parts stand in another order: %r" % list(parts))
    if merged(once, new, facts) != once:
        raise SystemExit("the same run, recorded again, is another one")

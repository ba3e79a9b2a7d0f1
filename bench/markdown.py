# SPDX-License-Identifier: Apache-2.0
"""How figures and tables stand in the report."""
from statistics import median


def number(value):
    return "{:,.0f}".format(value)


def spread(values, form="%.2f"):
    low, high = form % min(values), form % max(values)
    return "%s (%s to %s)" % (form % median(values), low, high)


def verdict(reached):
    return "reached" if reached else "**missed**"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]

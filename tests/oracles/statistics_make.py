#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/oracles/statistics.txt: lists of numbers and what is true of them.

    python3 tests/oracles/statistics_make.py > tests/oracles/statistics.txt

Fractions of whole numbers, so nothing is rounded before the end. A line is the
values, then sum, mean, population variance and deviation, sample variance and
deviation ("-" for a single value), each the double next to the exact number.
"""
import math
import random
from fractions import Fraction

CASES = 3000


def nearest(exact):
    return exact.numerator / exact.denominator  # Python rounds this once, to even


def root(exact):
    """The double next to the root of a fraction."""
    if exact == 0:
        return 0.0
    # 2^120 times larger than what the last digit needs.
    scale = 4 ** max(0, 200 - (exact.numerator.bit_length() -
                               exact.denominator.bit_length()) // 2)
    whole = math.isqrt(exact.numerator * scale // exact.denominator)
    return nearest(Fraction(whole, math.isqrt(scale)))


def figures(values):
    exact = [Fraction(value) for value in values]
    count, total = len(exact), sum(exact)
    mean = total / count
    squares = sum((value - mean) ** 2 for value in exact)
    found = [nearest(total), nearest(mean), nearest(squares / count),
             root(squares / count)]
    if count > 1:
        found += [nearest(squares / (count - 1)), root(squares / (count - 1))]
    return found


def lists(random):
    yield [1e16, 1e16 + 2]
    yield [1e150, 1.0, -1e150]
    yield [-1e150, -1e100, 1.0, 1e100, 1e150]
    yield [1e150] * 3
    yield [5e-324, 1e-323]
    yield [1e-160, 3e-160]
    yield [0.1] * 10
    yield [1.0, 1.0 + 2.0 ** -52]
    yield [-0.0, 0.0]
    while True:
        count = random.choice([1, 2, 2, 3, 5, 8])
        kind = random.randrange(6)
        scale = 10.0 ** random.uniform(-150, 149)
        base = random.choice([0, 1e3, 1e8, 1e15, 1e16, 1e20]) * random.choice([-1, 1])
        if kind == 0:  # all magnitudes
            yield [random.choice([-1, 1]) * 10.0 ** random.uniform(-300, 149.9)
                   for _ in range(count)]
        elif kind == 1:  # one magnitude
            yield [random.uniform(-scale, scale) for _ in range(count)]
        elif kind == 2:  # near each other
            yield [base + random.randrange(-20, 20) for _ in range(count)]
        elif kind == 3:  # neighbors among the doubles
            at = random.uniform(0.5, 1) * scale
            yield [at * (1 + random.randrange(-8, 9) * 2.0 ** -52) for _ in range(count)]
        elif kind == 4:  # what cancels
            half = [random.uniform(-scale, scale) for _ in range(count)]
            yield half + [-value for value in half] + [random.uniform(-1, 1)]
        else:  # money
            yield [round(random.uniform(-1e6, 1e6), 2) for _ in range(count)]


def main():
    source = lists(random.Random(20261122))
    for _ in range(CASES):
        values = next(source)
        found = figures(values)
        found += ["-"] * (6 - len(found))
        print(",".join(map(repr, values)), *[x if x == "-" else repr(x) for x in found])


if __name__ == "__main__":
    main()

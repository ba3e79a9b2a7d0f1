#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the expected values of the engines of money: money.txt beside this file.

For each engine 100 000 cases, which cases.py works out without mica. A line
"# ENGINE" begins an engine; then follow the SHA-256 of the inputs and answers of
each thousand cases, and below it the first case of the thousand as text.
"""
import hashlib
import multiprocessing
import pathlib

import cases


def block(job):
    engine, start = job
    rows = [" ".join(cases.case(engine, number))
            for number in range(start, start + cases.BLOCK)]
    digest = hashlib.sha256("\n".join(rows).encode()).hexdigest()
    return f"{digest}\n{rows[0]}"


def main():
    lines = []
    with multiprocessing.Pool() as pool:
        for engine in cases.ENGINES:
            jobs = [(engine, start)
                    for start in range(0, cases.CASES, cases.BLOCK)]
            lines += [f"# {engine}", *pool.map(block, jobs)]
    target = pathlib.Path(__file__).with_name("money.txt")
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

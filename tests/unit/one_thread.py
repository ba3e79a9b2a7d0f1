#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""one_thread.py PROGRAM…: none of these programs can start a thread.

The thread sanitizer does not see them (tests/unit/meson.build), so each has to show
that there is nothing to see: it takes no function from the C library that starts a
thread, and none that loads code which could. A program whose pthread_create is its
own (the linker's --wrap) may load code: what mica starts in it is no thread. TAP.
"""

import pathlib
import subprocess
import sys

STARTS = {"pthread_create", "thrd_create", "clone", "clone3"}
LOADS = {"dlopen", "dlmopen"}


def symbols(program, *options):
    """The names of the symbols of a program, without their versions."""
    lines = subprocess.run(["nm", *options, program], check=True, text=True,
                           capture_output=True).stdout.splitlines()
    return {line.split()[-1].split("@")[0] for line in lines}


def problem(program):
    """Why the program may have two threads; empty when it has one."""
    taken = symbols(program, "-D", "--undefined-only")
    if not taken:
        return "takes nothing from any library: nm cannot tell"
    found = taken & (STARTS | LOADS)
    if found and found <= LOADS and \
            "__wrap_pthread_create" in symbols(program, "--defined-only"):
        found = set()
    return "takes " + " and ".join(sorted(found)) if found else ""


def main(programs):
    failed = False
    print(f"1..{len(programs)}")
    for number, program in enumerate(programs, 1):
        reason = problem(program)
        failed = failed or reason != ""
        print(f"{'not ok' if reason else 'ok'} {number} - "
              f"{pathlib.Path(program).name}")
        if reason:
            print(f"# {reason}; take it out of one_thread in tests/unit/meson.build,"
                  " so that the thread sanitizer sees it")
    return 1 if failed or not programs else 0


sys.exit(main(sys.argv[1:]))

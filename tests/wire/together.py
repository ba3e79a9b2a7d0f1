# SPDX-License-Identifier: Apache-2.0
"""Cases of one test beside each other. They wait most of their time, for limits, for
deadlines and for other processes, and each of them makes what it needs for itself: a
folder, servers, ports that the kernel chooses.

MICA_CASES_TOGETHER sets how many run at once (6). Sanitizer builds have 1: their
servers use the processor more than they wait.
"""
import concurrent.futures
import os
import sys


def outcomes(cases, tried):
    """(number from 1, case, tried(case)), in the order of the cases; `tried` says how its
    case ended and raises nothing."""
    width = int(os.environ.get("MICA_CASES_TOGETHER", "6"))
    with concurrent.futures.ThreadPoolExecutor(width) as pool:
        for number, (case, outcome) in enumerate(zip(cases, pool.map(tried, cases)), 1):
            yield number, case, outcome


def tell(number, name, wrong):
    """Prints the outcome of a case as TAP; `wrong` is a text, or None. True: it failed."""
    print("%s %d - %s" % ("ok" if wrong is None else "not ok", number, name))
    for line in (wrong or "").splitlines():
        print("# " + line[:600])
    sys.stdout.flush()
    return wrong is not None

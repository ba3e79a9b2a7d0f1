# SPDX-License-Identifier: Apache-2.0
"""The main of a file of tests that needs little more than mica."""

import argparse
import os
import sys
import tempfile
import unittest

import cli


def run(*more):
    """--mica PATH, and a path for each name of `more`."""
    parser = argparse.ArgumentParser()
    for name in ("mica", *more):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--patience", type=float, default=120)
    parser.add_argument("tests", nargs="*")
    cli.OPTIONS = options = parser.parse_args()
    for name in ("mica", *more):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    with tempfile.TemporaryDirectory(prefix="mica-state-") as state:
        os.environ["XDG_STATE_HOME"] = state
        unittest.main(module="__main__", argv=[sys.argv[0], *options.tests],
                      verbosity=2)

# SPDX-License-Identifier: Apache-2.0
"""The main of a file of tests that needs little more than mica."""

import argparse
import os
import sys
import tempfile
import unittest

import cli


def check_parts(parts):
    """The parts of a file hold each class of its tests once. So no class is lost
    that is new, or that has another name by now."""
    main = sys.modules["__main__"]
    classes = sorted(name for name, thing in vars(main).items()
                     if isinstance(thing, type)
                     and issubclass(thing, unittest.TestCase)
                     and thing.__module__ == "__main__"
                     and unittest.defaultTestLoader.getTestCaseNames(thing))
    listed = sorted(name for names in parts.values() for name in names)
    if listed != classes:
        sys.exit(f"the parts have {listed}, the file has {classes}")


def choose(options, parts):
    """The tests that the command line named, or those of its part."""
    if parts is None:
        return options.tests
    check_parts(parts)
    return options.tests or (parts[options.part] if options.part else [])


def run(*more, parts=None):
    """--mica PATH, and a path for each name of `more`. `parts` has the classes of
    each part of a file that takes long, for --part."""
    parser = argparse.ArgumentParser()
    for name in ("mica", *more):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--patience", type=float, default=120)
    parser.add_argument("--part", choices=parts)
    parser.add_argument("tests", nargs="*")
    cli.OPTIONS = options = parser.parse_args()
    for name in ("mica", *more):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    with tempfile.TemporaryDirectory(prefix="mica-state-") as state:
        os.environ["XDG_STATE_HOME"] = state
        os.environ["MICA_CACHE"] = os.path.join(state, "cache")
        unittest.main(module="__main__", argv=[sys.argv[0], *choose(options, parts)],
                      verbosity=2)

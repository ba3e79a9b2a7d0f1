# SPDX-License-Identifier: Apache-2.0
"""What the checks share: the files of the project, C without its comments, and
the table of folders in ARCHITECTURE.md."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def files(*patterns):
    """Tracked and new (not ignored) files that match, as relative paths."""
    out = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard",
         "--", *patterns], cwd=ROOT, check=True, capture_output=True, text=True)
    names = sorted(set(out.stdout.split("\0")) - {""})
    return [name for name in names if (ROOT / name).is_file()]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def code(name):
    """The C source with comments and strings blanked, lines where they were."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'',
                  blank, text(name), flags=re.S)


def folders():
    """[(folder, "core" or "adapter")] in layer order: the rows of the table in
    ARCHITECTURE.md that begin with `src/…/`."""
    rows = re.findall(r"^\| `(src/\w+(?:/\w+)*)/` \| (core|adapter) \|",
                      text("ARCHITECTURE.md"), flags=re.M)
    if not rows:
        sys.exit("ARCHITECTURE.md has no table of folders")
    return rows


def finish(problems):
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)

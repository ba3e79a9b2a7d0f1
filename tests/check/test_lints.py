# SPDX-License-Identifier: Apache-2.0
"""The rules of the house find what breaks them: small trees with a planted fault,
each linted by a copy of scripts/checks.

    python3 test_lints.py --source . --cc cc
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

OPTIONS = None  # what the command line said

TABLE = """\
| folder | layer |
|---|---|
| `src/low/` | core |
| `src/high/` | core |
"""

# Each calls the other.
HEN = "int egg(int n);\nint hen(int n);\nint hen(int n) { return n ? egg(n - 1) : 0; }\n"
EGG = "int hen(int n);\nint egg(int n);\nint egg(int n) { return n ? hen(n - 1) : 1; }\n"
# What breaks the circle: it calls no other file.
SHELL = "int egg(int n);\nint egg(int n) { return n; }\n"


class Lint(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="mica-lint-"))
        self.addCleanup(shutil.rmtree, self.root)
        checks = self.root / "scripts" / "checks"
        shutil.copytree(OPTIONS.source / "scripts" / "checks", checks,
                        ignore=shutil.ignore_patterns("*.list", "__pycache__"))
        (checks / "circles.list").write_text("")
        self.write("ARCHITECTURE.md", TABLE)
        subprocess.run(["git", "init", "-q", self.root], check=True)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def build(self, *names):
        """Compiles sources of src as meson does, and says where the objects are."""
        commands = []
        for name in names:
            made = f"{name.replace('/', '_')}.o"
            (self.root / "build").mkdir(exist_ok=True)
            subprocess.run([*OPTIONS.cc, "-c", "-o", self.root / "build" / made,
                            self.root / name], check=True)
            commands.append({"file": f"../{name}", "output": made})
        self.write("build/compile_commands.json", json.dumps(commands))

    def lint(self, check):
        return subprocess.run([sys.executable, self.root / "scripts/checks" / check],
                              cwd=self.root, capture_output=True, text=True)

    def refused(self, check, *words):
        result = self.lint(check)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        for word in words:
            self.assertIn(word, result.stdout + result.stderr)

    def passes(self, check):
        result = self.lint(check)
        self.assertEqual((result.returncode, result.stdout + result.stderr), (0, ""))


class Circles(Lint):
    def plant(self, one="src/low/hen.c", other="src/low/egg.c"):
        self.write(one, HEN)
        self.write(other, EGG)
        self.build(one, other)

    def test_a_circle_is_refused_with_its_calls(self):
        self.plant()
        self.refused("circles", "2 files call each other",
                     "src/low/hen.c calls src/low/egg.c: egg",
                     "src/low/egg.c calls src/low/hen.c: hen")

    def test_a_circle_through_two_folders_is_refused(self):
        self.plant(other="src/high/egg.c")
        self.refused("circles", "src/low/hen.c calls src/high/egg.c: egg")

    def test_calls_in_one_direction_pass(self):
        self.plant()
        self.write("src/low/egg.c", SHELL)
        self.build("src/low/hen.c", "src/low/egg.c")
        self.passes("circles")

    def test_a_listed_circle_passes(self):
        self.plant()
        self.write("scripts/checks/circles.list",
                   "Neither came first: src/low/hen.c src/low/egg.c\n")
        self.passes("circles")

    def test_a_list_excuses_no_larger_circle(self):
        self.plant()
        self.write("src/low/nest.c",
                   "int hen(int n);\nint nest(int n);\n"
                   "int nest(int n) { return hen(n); }\n")
        self.write("src/low/egg.c", EGG.replace("hen", "nest"))
        self.build("src/low/hen.c", "src/low/egg.c", "src/low/nest.c")
        self.write("scripts/checks/circles.list",
                   "Neither came first: src/low/hen.c src/low/egg.c\n")
        self.refused("circles", "3 files call each other", "these are no circle any more")

    def test_a_row_needs_a_reason(self):
        self.plant()
        self.write("scripts/checks/circles.list", "src/low/hen.c src/low/egg.c\n")
        self.refused("circles", "circles.list:1: write REASON: FILE FILE")

    def test_some_folders_excuse_none(self):
        self.plant("src/store/hen.c", "src/store/egg.c")
        self.write("scripts/checks/circles.list",
                   "Neither came first: src/store/hen.c src/store/egg.c\n")
        self.refused("circles", "src/store/egg.c: its folder has no circles")

    def test_without_a_build_it_says_so(self):
        self.write("src/low/hen.c", HEN)
        self.refused("circles", "build/compile_commands.json is missing; run make build")


class Layers(Lint):
    def test_an_include_of_a_folder_above_passes(self):
        self.write("src/low/low.h", "")
        self.write("src/high/high.c", '#include "low/low.h"\n')
        self.passes("layers")

    def test_an_include_of_a_folder_below_is_refused(self):
        self.write("src/high/high.h", "")
        self.write("src/low/low.c", '#include "high/high.h"\n')
        self.refused("layers", "src/low/low.c:1: includes high/high.h",
                     "src/high lies below src/low")

    def test_a_subfolder_has_a_rank(self):
        self.write("src/low/deep/deep.c", "")
        self.refused("layers", "src/low/deep is not in the table of ARCHITECTURE.md")

    def test_a_subfolder_keeps_its_rank(self):
        self.write("ARCHITECTURE.md", TABLE.replace(
            "| `src/high/`", "| `src/low/deep/` | core |\n| `src/high/`"))
        self.write("src/low/low.h", "")
        self.write("src/low/deep/deep.h", "")
        self.write("src/low/deep/deep.c", '#include "low/low.h"\n')
        self.passes("layers")
        self.write("src/low/low.c", '#include "low/deep/deep.h"\n')
        self.refused("layers", "src/low/deep lies below src/low")


class Words(Lint):
    def test_an_invented_word_in_a_name_is_refused_with_the_term(self):
        self.write("src/low/low.c", "static int mica_keeper_count;\n\n"
                                    "int run(int talk);\nint GATE_MS;\n")
        self.refused("words", "src/low/low.c:1: mica_keeper_count: mica has another "
                     "word for it: session_store, call_store", "low.c:3: talk: ",
                     "low.c:4: GATE_MS: ")

    def test_a_kind_of_definition_is_no_offer(self):
        self.write("src/low/low.h", "enum mica_offer_kind { ONE };\n")
        self.refused("words", "src/low/low.h:1: mica_offer_kind: ", "definition_kind")

    def test_text_public_names_and_longer_words_pass(self):
        self.write("src/low/low.c", '// What the runner told.\nint a[sizeof "gate"];\n'
                                    "struct mica_said *navigate, *talker;\n"
                                    "int mica_sse_offer;\n")
        self.passes("words")


def main():
    global OPTIONS
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--cc", required=True, nargs="+")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])


main()

# SPDX-License-Identifier: Apache-2.0
"""How a person may name an engine or a tool, in every command that takes one: its
name, with either dash, or its file; and what the command says to a name that it does not know.

    python3 names.py --build build --mica build/mica --source .

Nothing but Python's own library.
"""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

import alone
import cli

ENGINE = ["tip-total", "tip_total", "engines/tip-total.c", "./engines/tip-total.c",
          "engines/tip-total"]
TOOL = ["greet_people", "greet-people", "tools/greet_people.c",
        "./tools/greet_people.c", "tools/greet_people"]


class Case(unittest.TestCase):
    """A folder with an engine and a tool, as `mica new` writes them."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="mica-names-")
        os.chmod(cls.folder, 0o755)
        for words in (["tip-total", *cli.AREA], ["--interactive", "greet_people"]):
            subprocess.run([cli.OPTIONS.mica, "new", *words], cwd=cls.folder,
                           check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def mica(self, *words, exit=0, below=""):
        done = subprocess.run(
            [cli.OPTIONS.mica, *words], cwd=os.path.join(self.folder, below),
            text=True, capture_output=True, timeout=300, stdin=subprocess.DEVNULL,
            env={**os.environ, "XDG_STATE_HOME": os.path.join(self.folder, "state"),
                 "MICA_INCLUDE_DIR": os.path.join(cli.OPTIONS.source, "include")})
        self.assertEqual(done.returncode, exit,
                         f"mica {words}: {done.stdout}{done.stderr}")
        return done

    def json(self, *words, **more):
        return json.loads(self.mica(*cli.asked_for_json(words), **more).stdout)

    def refusal(self, code, *words, exit):
        done = self.mica(*words, exit=exit)
        self.assertIn(f"mica: {code}: ", done.stderr)
        return done.stderr

    def copy(self, name):
        """A folder for a test that adds sources."""
        folder = os.path.join(self.folder, name)
        for kind, source in (("engines", "tip-total"), ("tools", "greet_people")):
            os.makedirs(os.path.join(folder, kind))
            shutil.copy(os.path.join(self.folder, kind, f"{source}.c"),
                        os.path.join(folder, kind))
        return folder


class Names(Case):
    def test_every_command_takes_every_form_of_a_name(self):
        whole = os.path.join(self.folder, "tools/greet_people.c")
        for word in [*ENGINE, *TOOL, whole]:
            name = "tip-total" if word in ENGINE else "greet_people"
            given = (["length=3", "width=2"] if word in ENGINE else ["name=Ada"])
            with self.subTest(word):
                self.mica("build", "--fast", word)
                self.assertEqual(self.json("describe", word)["name"], name)
                self.assertIn("area" if word in ENGINE else "greeting",
                              self.json("call", word, *given))
                self.assertEqual(
                    self.json("check", "--fast", word)[0]["slug"], name)

    def test_tests_of_a_tool_are_found_by_each_name_of_either_file(self):
        tests = "tests/tools/greet_people.c"
        for word in [*TOOL, tests, f"./{tests}",
                     os.path.join(self.folder, tests)]:
            with self.subTest(word):
                self.assertIn("greet_people", self.mica("test", word).stdout)
        self.assertIn("mica check tip-total",
                      self.refusal("USAGE", "test", "tip_total", exit=2))

    def test_tests_run_in_a_check_by_any_name(self):
        source = os.path.join(self.folder, "tests/tools/greet_people.c")
        with open(source, encoding="utf-8") as file:
            good = file.read()
        try:
            with open(source, "w", encoding="utf-8") as file:
                file.write(good.replace("Take it easy, Ada.", "Go, Ada."))
            for word in TOOL:
                with self.subTest(word):
                    report = self.json("check", word, exit=3)[0]
                    self.assertEqual([f["code"] for f in report["findings"]],
                                     ["TESTS_FAILED"])
        finally:
            with open(source, "w", encoding="utf-8") as file:
                file.write(good)

    def test_a_near_miss_brings_the_nearest(self):
        near = [("greet_peple", '"greet_people"'), ("tip-totl", '"tip-total"'),
                ("tools/greet_peple.c", '"tools/greet_people.c"'),
                ("engines/tip_total.c", '"engines/tip-total.c"'),
                ("engines/greet_people.c", '"tools/greet_people.c"'),
                ("tip-total.c", '"engines/tip-total.c"')]
        for command in ("build", "check", "test", "describe", "call"):
            for word, nearest in near:
                with self.subTest((command, word)):
                    said = self.refusal("NOT_FOUND", command, word, exit=4)
                    self.assertIn(f"did you mean {nearest}?", said)
            said = self.refusal("NOT_FOUND", command, "umbrella", exit=4)
            self.assertIn('"umbrella"', said)
            self.assertIn("mica list", said)
            self.assertNotIn("did you mean", said)

    def test_a_folder_is_no_tool(self):
        for command in ("build", "check", "test", "call"):
            self.assertIn("is a folder", self.refusal("USAGE", command, "tools/",
                                                      exit=2))

    def test_code_that_tools_share_is_no_tool(self):
        folder = self.copy("shared")
        os.makedirs(os.path.join(folder, "tools/lib"))
        with open(os.path.join(folder, "tools/lib/words.c"), "w",
                  encoding="utf-8") as file:
            file.write("int words(void);\nint words(void) { return 1; }\n")
        for command in ("build", "check", "call"):
            done = self.mica(command, "tools/lib/words.c", exit=2, below="shared")
            self.assertIn("is shared by the tools", done.stderr)

    def test_a_name_that_may_be_two_things_is_not_guessed(self):
        folder = self.copy("two")
        for name in ("one-two-three", "same"):
            shutil.copy(os.path.join(folder, "engines/tip-total.c"),
                        os.path.join(folder, f"engines/{name}.c"))
        for name in ("one_two_three", "same"):
            shutil.copy(os.path.join(folder, "tools/greet_people.c"),
                        os.path.join(folder, f"tools/{name}.c"))
        for command in ("build", "check", "test", "describe", "call"):
            for word, one, two in (
                    ("one-two_three", "engines/one-two-three.c",
                     "tools/one_two_three.c"),
                    ("same", "engines/same.c", "tools/same.c")):
                with self.subTest((command, word)):
                    said = self.mica(command, word, exit=2, below="two").stderr
                    self.assertIn(f'"{word}" may be {one} or {two}', said)
        # Each of them is reached: by its very name, or by its file. (Both have
        # another name inside, which is a finding that tells them apart.)
        for word, source in (("one-two-three", "engines/one-two-three.c"),
                             ("one_two_three", "tools/one_two_three.c"),
                             ("tools/same.c", "tools/same.c"),
                             ("engines/same.c", "engines/same.c")):
            report = self.json("check", word, exit=3, below="two")[0]
            self.assertEqual(report["findings"][0]["code"], "SLUG_MISMATCH")
            self.assertIn("MICA_TOOL" if "tools" in source else "MICA_ENGINE",
                          report["findings"][0]["message"])

    def test_a_file_of_another_folder_is_not_called(self):
        self.copy("other")
        os.makedirs(os.path.join(self.folder, "empty", "tools"))
        shutil.copy(os.path.join(self.folder, "tools/greet_people.c"),
                    os.path.join(self.folder, "empty/tools"))
        for command in ("describe", "call", "test"):
            done = self.mica(command, "../other/tools/greet_people.c", exit=2,
                             below="empty")
            self.assertIn("is not of this folder", done.stderr)
        # It may be built and checked here.
        done = self.mica("build", "--fast", "../other/tools/greet_people.c",
                         below="empty")

    def test_built_engines_go_by_the_same_names(self):
        engines = ["--engines", os.path.join(cli.OPTIONS.build, "engines")]
        values = ["mode=of", "a=15", "b=200"]
        os.makedirs(os.path.join(self.folder, "bare"))
        for more in ([], engines):
            for word in ("percentage-calculator", "percentage_calculator"):
                result = self.json("call", word, *values, *more, below="bare")
                self.assertEqual(result["result"], 30)
            done = self.mica("describe", "percentage-calc", *more, exit=4,
                             below="bare")
            self.assertIn('did you mean "percentage-calculator"?', done.stderr)
        source = os.path.join(cli.OPTIONS.source, "engines/percentage-calculator.c")
        result = self.json("call", source, *values, *engines, below="bare")
        self.assertEqual(result["result"], 30)


if __name__ == "__main__":
    alone.run("build", "source")

# SPDX-License-Identifier: Apache-2.0
"""What `make run` shows while it builds (scripts/progress), with a build of a few files;
and that a second checkout takes the translations of the first one from the cache.

    python3 progress.py --mica build/mica --source . --build build
"""

import os
import pty
import re
import shutil
import subprocess
import unittest

import alone
import cli
import terminal

NINJA = """\
rule make
  command = {command}
  description = $what
build a: make
  what = Compiling C object src/libmica.a.p/a.c.o
build b: make a
  what = Generating engines/engine-hash with a custom command
build c: make b
  what = Generating tools/tool-survey with a custom command
build mica: make c
  what = Linking target mica
"""


class Shown(cli.Case):
    def setUp(self):
        super().setUp()
        self.script = os.path.join(cli.OPTIONS.source, "scripts", "progress")

    def make(self, command="touch $out", steps=""):
        self.write("made/build.ninja", NINJA.format(command=command) + steps)

    def piped(self, exit=0):
        done = subprocess.run([self.script, "made", "mica"], cwd=self.folder, text=True,
                              capture_output=True, timeout=60)
        self.assertEqual(done.returncode, exit, done.stdout)
        return done.stdout

    def test_a_pipe_gets_what_was_built_and_in_what_time(self):
        self.make()
        self.assertRegex(self.piped(),
                         r"\Amica: built build/mica, 1 engine, 1 tool in \d+ s\n\Z")
        self.assertEqual(self.piped(), "")  # nothing had to be built

    def test_a_pipe_gets_a_line_for_each_quarter_of_a_long_build(self):
        more = "".join(f"build x{n}: make\n  what = Generating x{n} with a custom\n"
                       for n in range(100))
        self.make(steps=more + "build all: phony mica "
                  + " ".join(f"x{n}" for n in range(100)) + "\n")
        done = subprocess.run([self.script, "made", "all"], cwd=self.folder, text=True,
                              capture_output=True, timeout=60, check=True)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 5, lines)
        for line, percent in zip(lines, (25, 50, 75, 100)):
            self.assertRegex(line, rf"^mica: +{percent} % built, \d+ s: \S")

    def test_a_terminal_gets_one_line_that_goes(self):
        self.make()
        master, slave = pty.openpty()
        terminal.be_wide(slave, 40)
        process = subprocess.Popen([self.script, "made", "mica"], cwd=self.folder,
                                   stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        text = terminal.read_to_end(master).decode()
        self.assertEqual(process.wait(60), 0)
        for name in ("libmica", "engine hash", "tool survey"):
            self.assertRegex(text, rf"\r\x1b\[Kmica: +\d+ % built, \d+ s: {name}")
        self.assertEqual(text.count("\n"), 1)
        self.assertTrue(all(len(line) < 40 for line in re.split(
            r"\r\x1b\[K|\r\n", text)[:-2]))

    def test_what_a_compiler_says_is_shown_and_a_failure_is_one(self):
        self.make("echo a warning of $out && touch $out")
        self.assertEqual(self.piped().count("a warning of"), 4)
        self.make("echo no such header; false")
        text = self.piped(exit=1)
        self.assertIn("no such header", text)
        self.assertIn("FAILED: a", text)
        self.assertNotIn("mica: built", text)


class SecondCheckout(cli.Case):
    def test_it_takes_translations_of_the_first_one_from_the_cache(self):
        source, built = cli.OPTIONS.source, cli.OPTIONS.build
        made = []
        for checkout in ("first", "second"):
            here = os.path.join(self.folder, checkout)
            for folder in ("include", "engines"):
                shutil.copytree(os.path.join(source, folder), os.path.join(here, folder))
            shutil.copytree(os.path.join(built, "src", "build"),
                            os.path.join(here, "runtime"),
                            ignore=lambda _, names: [name for name in names
                                                     if not name.endswith(".h")])
            os.mkdir(os.path.join(here, "built"))
            subprocess.run(
                [os.path.join(built, "src/build/mica-build"), "--force", "--object",
                 "built", "engines/percentage-calculator.c"], cwd=here, check=True,
                timeout=cli.OPTIONS.patience, env={
                    **os.environ, "MICA_CACHE": os.path.join(self.folder, "cache"),
                    "MICA_INCLUDE_DIR": os.path.join(here, "include"),
                    "MICA_MODULE_ARCHIVE": os.path.join(built, "lib/libmica-module.a"),
                    "MICA_RUNTIME_DIR": os.path.join(here, "runtime")})
            entries = os.listdir(os.path.join(self.folder, "cache"))
            made.append((entries, self.bytes(
                os.path.join(here, "built/percentage-calculator.o"))))
        self.assertEqual(len(made[0][0]), 1)
        self.assertEqual(made[0], made[1])  # no second entry, the same object

    def bytes(self, path):
        with open(path, "rb") as file:
            return file.read()


if __name__ == "__main__":
    alone.run("source", "build")

# SPDX-License-Identifier: Apache-2.0
"""What every command prints: the same words on a terminal and in a pipe, and JSON with
--json.

    python3 piped.py --mica build/mica --source .

Nothing but Python's own library.
"""

import json
import os
import pty
import re
import shutil
import subprocess
import tempfile
import unittest

import alone
import cli
import terminal

# These print no results: the protocol, an address, help; or a document that is the
# same for everybody; or they have tests of their own beside this one.
OTHERS = {"app", "collection", "host", "serve", "stdio", "run", "dev", "help",
          "openapi", "types", "manifest", "completions",
          "install", "doctor", "health", "pack", "compare"}
ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Case(unittest.TestCase):
    """A folder with an engine, a tool, and a store."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="mica-piped-")
        os.chmod(cls.folder, 0o755)
        cls.run_mica("new", "tip-total", *cli.AREA)
        cls.run_mica("new", "--interactive", "greet")
        cls.run_mica("build", "--fast")
        # A store with a call that waits for nothing any more.
        serving = subprocess.Popen(
            [cli.OPTIONS.mica, "serve", "--drain=0", "--listen", "127.0.0.1:0", "--quiet"],
            cwd=cls.folder, env=cls.environment(), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        serving.stdout.readline()
        serving.terminate()
        serving.wait(60)
        serving.stdout.close()

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def environment(cls, **more):
        return {**os.environ, "XDG_STATE_HOME": os.path.join(cls.folder, "state"),
                "MICA_INCLUDE_DIR": os.path.join(cli.OPTIONS.source, "include"),
                **more}

    @classmethod
    def run_mica(cls, *words):
        return subprocess.run([cli.OPTIONS.mica, *words], cwd=cls.folder, text=True,
                              capture_output=True, timeout=300, check=True,
                              stdin=subprocess.DEVNULL, env=cls.environment())

    def mica(self, *words, exit=0):
        done = subprocess.run([cli.OPTIONS.mica, *words], cwd=self.folder, text=True,
                              capture_output=True, timeout=300,
                              stdin=subprocess.DEVNULL, env=self.environment())
        self.assertEqual(done.returncode, exit,
                         f"mica {words}: {done.stdout}{done.stderr}")
        return done

    def looked_at(self, *words, **more):
        """What is printed on a terminal."""
        master, slave = pty.openpty()
        env = self.environment(TERM="xterm", **more)
        if not more:
            env.pop("NO_COLOR", None)
        process = subprocess.Popen([cli.OPTIONS.mica, *words], cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stdout=slave,
                                   stderr=subprocess.DEVNULL, env=env)
        os.close(slave)
        text = terminal.read_to_end(master)
        self.assertEqual(process.wait(60), 0, (words, text))
        return text.decode().replace("\r\n", "\n")


class Piped(Case):
    # What each command is tried with, and what its JSON is.
    WORDS = {
        "list": (["list"], list),
        "call": (["call", "tip-total", "length=3", "width=2"], dict),
        "describe": (["describe", "greet"], dict),
        "build": (["build", "--fast"], list),
        "check": (["check", "--fast", "tip-total"], list),
        "test": (["test", "greet"], list),
        "store": (["store", "info"], dict),
        "calls": (["calls"], list),
        "config": (["config"], dict),
        "version": (["version"], dict),
    }

    def test_every_command_prints_words_in_a_pipe_and_json_when_asked(self):
        for command in self.commands():
            if command in OTHERS | {"new"}:  # `new` leaves files, see below
                continue
            words, kind = self.WORDS[command]
            with self.subTest(command):
                more = ["--json", '{"length":3,"width":2}'] \
                    if command == "call" else ["--json"]
                asked = [*words[:2], *more] if more[1:] else [*words, *more]
                piped = self.mica(*asked).stdout
                self.assertIsInstance(json.loads(piped), kind)
                self.assertTrue(piped.endswith("\n"))
                self.assertIsInstance(json.loads(self.looked_at(*asked)), kind)
                seen = self.looked_at(*words)
                self.assertTrue(seen)
                with self.assertRaises(ValueError):
                    json.loads(seen)
                said = self.mica(*words).stdout
                self.assertNotIn("\x1b", piped + said)
                self.assertEqual(self.lasting(ESCAPES.sub("", seen)),
                                 self.lasting(self.looked_at(*words, NO_COLOR="1")))
                if command != "list":  # a terminal cuts its lines: cli.py
                    self.assertEqual(self.lasting(ESCAPES.sub("", seen)),
                                     self.lasting(said))

    def lasting(self, text):
        """Without how long a check has taken."""
        return re.sub(r"\d+(\.\d+)? m?s\b", "", text)

    def test_a_pipe_of_a_shell_gets_lines(self):
        script = '''"$MICA" list | grep -c tip-total
            "$MICA" describe greet | head -n 1
            "$MICA" --version | cat
            "$MICA" check --fast tip-total | tee said; cat said'''
        done = subprocess.run(["sh", "-c", script], cwd=self.folder, text=True,
                              capture_output=True, timeout=300, check=True,
                              env=self.environment(MICA=cli.OPTIONS.mica))
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "1")
        self.assertRegex(lines[1], r"^greet\b")
        self.assertRegex(lines[2], r"^mica \d")
        checked = [line for line in lines if "tip-total" in line]
        self.assertEqual(len(checked), 2)
        self.assertRegex(checked[0], "^✓ tip-total")

    def commands(self):
        text = self.mica("help").stdout
        found = re.findall(r"(?m)^  ([a-z]+) +[A-Z]", text)
        self.assertEqual(set(found), set(self.WORDS) | OTHERS | {"new"})
        return found

    def test_what_cannot_be_written_is_told_beside_what_failed(self):
        for words, exit, codes in (
                (["version"], 8, ["IO_ERROR"]), (["list", "--json"], 8, ["IO_ERROR"]),
                (["call", "nosuch", "--json"], 4, ["NOT_FOUND"]),
                (["app", "show", "nosuch", "--json"], 8, ["APP_NOT_FOUND", "IO_ERROR"])):
            with self.subTest(words), open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run(
                    [cli.OPTIONS.mica, *words], cwd=self.folder, text=True, timeout=300,
                    stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE,
                    env=self.environment())
                self.assertEqual((done.returncode,
                                  re.findall(r"(?m)^mica: ([A-Z_]+): ", done.stderr)),
                                 (exit, codes))

    def test_each_says_that_it_has_json(self):
        for command in self.commands():
            if command not in OTHERS:
                self.assertIn("--json", self.mica("help", command).stdout)

    def test_new_lists_what_it_wrote(self):
        self.assertEqual(json.loads(self.mica("new", "in-a-pipe", "--json").stdout),
                         {"name": "in-a-pipe", "files": ["engines/in-a-pipe.c"]})
        self.assertEqual(
            json.loads(self.mica("new", "--interactive", "piped",
                                 "--json").stdout),
            {"name": "piped",
             "files": ["tools/piped.c", "tests/tools/piped.c"]})
        self.assertEqual(self.looked_at("new", "on-a-terminal"),
                         "engines/on-a-terminal.c\n")
        self.assertEqual(self.mica("new", "in-another-pipe").stdout,
                         "engines/in-another-pipe.c\n")
        self.assertEqual(
            json.loads(self.looked_at("new", "for-a-program", "--json"))["name"],
            "for-a-program")

    def test_build_says_what_became_of_each(self):
        self.write("engines/broken.c", "int broken(")
        try:
            done = self.mica("build", "--fast", "broken", "tip-total", "greet",
                             "--force", "--json", exit=3)
        finally:
            os.remove(os.path.join(self.folder, "engines/broken.c"))
        built = json.loads(done.stdout)
        self.assertEqual([(one["source"], one["state"]) for one in built],
                         [("engines/broken.c", "failed"),
                          ("engines/tip-total.c", "built"),
                          ("tools/greet.c", "built")])
        self.assertEqual(built[0]["error"]["code"], "BUILD_FAILED")
        self.assertIn("broken.c:1:", built[0]["said"])
        self.assertIn("mica: BUILD_FAILED:", done.stderr)
        self.assertNotIn("error", built[1])
        again = json.loads(self.mica("build", "--fast", "--json", "greet").stdout)
        self.assertEqual(again, [{"source": "tools/greet.c", "kind": "tool",
                                  "state": "current"}])

    def test_tests_are_told_one_by_one_and_as_tap(self):
        report = json.loads(self.mica("test", "--json").stdout)
        greet = [one for one in report if one["tool"] == "greet"][0]
        self.assertTrue(greet["ok"])
        self.assertEqual(greet["source"], "tests/tools/greet.c")
        self.assertGreaterEqual(len(greet["tests"]), 3)
        self.assertTrue(all(one == {"name": one["name"], "ok": True}
                            for one in greet["tests"]))
        for tap in (self.mica("test", "--tap", "greet").stdout,
                    self.mica("test", "greet").stdout,
                    self.looked_at("test", "greet")):
            self.assertRegex(tap, r"\A# greet\nok 1 - \w+\n(?s:.*)^1\.\.\d+\n\Z"
                             .replace("^", "(?m:^)"))
        path = "tests/tools/greet.c"
        with open(os.path.join(self.folder, path), encoding="utf-8") as file:
            good = file.read()
        try:
            # A handler's own words are not in the way.
            self.write(path, good.replace("Take it easy, Ada.", "Go, Ada.")
                       .replace("MICA_TEST_MAIN", """\
#include <stdio.h>
MICA_TEST(it_prints)
{
    printf("to stdout\\n");
}
MICA_TEST_MAIN"""))
            done = self.mica("test", "--json", "greet", exit=3)
            report = json.loads(done.stdout)[0]
            self.assertIn("to stdout\n", done.stderr)
            self.assertFalse(report["ok"])
            failed = [one for one in report["tests"] if not one["ok"]]
            self.assertEqual(len(failed), 1)
            failure = failed[0]["failures"][0]
            self.assertEqual(failure["file"], path)
            self.assertGreater(failure["line"], 1)
            self.assertIn("Go, Ada.", failure["message"])
            self.write(path, "int broken(")
            report = json.loads(self.mica("test", "--json", "greet",
                                          exit=3).stdout)[0]
            self.assertEqual(report["error"]["code"], "BUILD_FAILED")
            self.assertIn("greet.c:1:", report["said"])
            self.assertEqual(report["tests"], [])
        finally:
            self.write(path, good)

    def write(self, path, text):
        with open(os.path.join(self.folder, path), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    alone.run("source")

# SPDX-License-Identifier: Apache-2.0
"""A project as `mica new NAME --project` writes it: it builds, checks and tests, what
its README says runs, and clang reads its sources with its flags. Tools as `mica new NAME
--template fetch` and `keep` write them.

    python3 new_project.py --mica build/mica --source .
"""

import json
import os
import re
import shutil
import signal
import subprocess
import unittest

import alone
import cli
from tool_folder import Case


class NewProject(Case):
    def setUp(self):
        super().setUp()
        self.mica("new", "my-tools", "--project")
        self.root = self.folder
        self.folder = os.path.join(self.root, "my-tools")

    def tearDown(self):
        self.folder = self.root
        super().tearDown()

    def environment(self):
        """With mica on the path, as its user has it."""
        path = os.path.dirname(os.path.abspath(cli.OPTIONS.mica))
        return {**super().environment(), "PATH": path + ":" + os.environ["PATH"]}

    def read(self, path):
        with open(self.path(path), encoding="utf-8") as file:
            return file.read()

    def shell(self, script):
        return subprocess.run(["sh", "-ec", script], cwd=self.folder, text=True,
                              capture_output=True, timeout=300, env=self.environment())

    def test_what_it_has(self):
        found = sorted(os.path.relpath(os.path.join(at, file), self.folder)
                       for at, _, files in os.walk(self.folder) for file in files)
        self.assertEqual(found, sorted([
            ".gitignore", "README.md", "ci/check", "compile_flags.txt",
            "engines/floor-area.c", "mica.toml", "prompts/plan-floor.md",
            "resources/rooms.md", "tests/tools/greet.c", "tools/greet.c"]))
        self.folder = self.root
        again = self.json("new", "other", "--project")
        self.assertEqual(again["name"], "other")
        self.assertIn("other/mica.toml", again["files"])
        self.complaint("ALREADY_EXISTS", "new", "my-tools", "--project", exit=7)
        self.complaint("USAGE", "new", "a", "--project", "--like", "b", exit=2)
        said = self.complaint("USAGE", "new", "My.Project", "--project", exit=2)
        self.assertIn("cannot be the name of a project: ", said)

    def test_the_pipeline_passes_and_fails(self):
        done = self.shell("sh ci/check")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("1 engine, 1 tool, 1 prompt and 1 folder of resources checked, "
                      "all good", done.stdout)
        self.assertIn("ok 3 - ", done.stdout)
        source = self.read("engines/floor-area.c")
        self.write("engines/floor-area.c", source.replace('"area": 6', '"area": 7'))
        done = self.shell("sh ci/check")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("1 of 4 files is not done yet", done.stderr)

    def test_what_the_readme_says_runs(self):
        text = self.read("README.md")
        script = re.search(r"```sh\n(.*?)```", text, re.S).group(1)
        commands = [line.split("#")[0].strip() for line in script.splitlines()]
        self.assertEqual(commands, ["mica dev", "mica check", "mica test", "mica serve"])
        for command in commands:
            if command in ("mica dev", "mica serve"):
                self.serves(command)
            else:
                done = self.shell(command)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def serves(self, command):
        self.log = open(self.path("log"), "w", encoding="utf-8")
        self.process = subprocess.Popen(
            [cli.OPTIONS.mica, *command.split()[1:], "--listen", "127.0.0.1:0"],
            cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=self.log,
            env=self.environment())
        self.url = self.process.stdout.readline().strip()
        self.until(lambda: sorted(self.served_names()), ["floor-area", "greet"])
        reply = self.request("prompts/get", "plan-floor", arguments={"room": "hall"})
        self.assertIn("hall", reply["result"]["messages"][0]["content"]["text"])
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.process.stdout.close()
        self.log.close()
        self.process = None

    @unittest.skipUnless(shutil.which("clang-14"), "there is no clang-14")
    def test_clang_reads_each_source_with_the_flags_of_the_file(self):
        flags = self.read("compile_flags.txt").split("\n")
        for source in ("engines/floor-area.c", "tools/greet.c", "tests/tools/greet.c"):
            done = subprocess.run(
                ["clang-14", *filter(None, flags), "-Werror", "-fsyntax-only", source],
                cwd=self.folder, text=True, capture_output=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_git_has_nothing_of_this_machine(self):
        self.assertIn("/compile_flags.txt", self.read(".gitignore").splitlines())
        written = self.read("compile_flags.txt")
        os.remove(self.path("compile_flags.txt"))  # as in a clone
        done = self.mica("build")
        self.assertIn("mica: wrote compile_flags.txt", done.stderr)
        self.assertEqual(self.read("compile_flags.txt"), written)
        self.assertNotIn("compile_flags", self.mica("build").stderr)
        # Who keeps it in git has it as it is.
        os.remove(self.path("compile_flags.txt"))
        self.write(".gitignore", "/build/\n")
        self.mica("build")
        self.assertFalse(os.path.exists(self.path("compile_flags.txt")))

    def test_clients_are_told_of_this_project_alone(self):
        self.log = open(self.path("log"), "w", encoding="utf-8")
        self.process = subprocess.Popen(
            [cli.OPTIONS.mica, "serve", "--listen", "127.0.0.1:0"], cwd=self.folder, text=True,
            stdout=subprocess.PIPE, stderr=self.log, env=self.environment())
        self.url = self.process.stdout.readline().strip()
        result = self.request("server/discover")["result"]
        info = result["_meta"]["io.modelcontextprotocol/serverInfo"]
        self.assertEqual(info["description"], "Areas of rectangles and a greeting: what a "
                         "new project begins with.")
        self.assertNotIn("instructions", result)
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.process.stdout.close()
        self.log.close()
        self.process = None
        self.write("mica.toml", 'name = "my-tools"\n')
        values = {row["key"]: row["value"] for row in
                  json.loads(self.mica("config", "--json").stdout)["settings"]}
        self.assertIsNone(values["description"])
        self.assertIsNone(values["instructions"])
        self.folder = self.root  # what is inside mica has mica's words
        self.assertIn("written once", self.mica("config").stdout)

    def test_it_is_named_by_its_file(self):
        reply = json.loads(self.mica("config", "--json").stdout)
        self.assertIn("my-tools", json.dumps(reply))


ORIGIN = "https://api.frankfurter.dev"


class ToolTemplates(Case):
    def good(self, name):
        """It passes every check, and its tests pass and notice a wrong answer."""
        self.assertIn("all good", self.mica("check", name).stdout)
        tested = self.mica("test", name).stdout
        self.assertRegex(tested, r"(?m)^ok 1 - ")
        self.assertNotIn("not ok", tested)

    def test_a_tool_that_keeps(self):
        self.assertEqual(self.json("new", "egg_count", "--template", "keep")["files"],
                         ["tools/egg_count.c", "tests/tools/egg_count.c"])
        self.good("egg_count")
        self.assertEqual(self.json("store", "databases"), [])
        self.assertEqual(self.json("call", "egg_count", "name=eggs", "by=6"), {"count": 6})
        self.assertEqual(self.json("call", "egg_count", "name=eggs"), {"count": 7})
        self.json("call", "egg_count", "name=hens")
        self.assertRegex(self.mica("store", "databases").stdout,
                         r"^tool\.egg_count  2 entries, 0 tables, \d+ KiB\n$")
        self.assertIn("database of its own", self.mica("describe", "egg_count").stdout)

    def test_names_that_mean_something_in_c(self):
        for name in ("bool", "true", "false"):
            self.complaint("USAGE", "new", name, exit=2)
            self.complaint("USAGE", "new", name, "--template", "keep", exit=2)
        for name in ("run", "parse"):
            self.mica("new", name)
            self.assertIn("all good", self.mica("check", name).stdout)

    def test_both_files_of_a_tool_or_none(self):
        os.makedirs(self.path("tests/tools"))
        os.symlink("nowhere", self.path("tests/tools/eggs.c"))
        self.complaint("ALREADY_EXISTS", "new", "eggs", "--template", "keep", exit=7)
        self.assertFalse(os.path.exists(self.path("tools/eggs.c")))

    def test_a_tool_that_fetches_comes_with_its_permission(self):
        self.assertEqual(self.json("new", "rate", "--template", "fetch")["files"],
                         ["tools/rate.c", "tests/tools/rate.c", "mica.toml"])
        self.good("rate")
        self.assertIn(f"Fetches from {ORIGIN}.", self.mica("describe", "rate").stdout)
        self.assertRegex(self.mica("config").stdout,
                         rf"(?m)^fetch\.allow +{ORIGIN}  \(mica\.toml:3\)$")
        # The file allows it now, so nothing is to be said.
        done = self.mica("new", "rate2", "--template", "fetch")
        self.assertEqual((done.stdout, done.stderr),
                         ("tools/rate2.c\ntests/tools/rate2.c\n", ""))

    def test_a_file_that_is_there_is_not_changed(self):
        for text, said in (("", f'add to mica.toml:\n  [fetch]\n  allow = ["{ORIGIN}"]'),
                           ('[fetch]\nallow = ["https://a.example"]\n',
                            f'add "{ORIGIN}" to allow in the table [fetch]')):
            self.write("mica.toml", text)
            done = self.mica("new", f"rate{len(text)}", "--template", "fetch")
            self.assertIn(said, done.stderr)
            with open(self.path("mica.toml"), encoding="utf-8") as file:
                self.assertEqual(file.read(), text)

    def test_a_server_says_which_tools_may_fetch_from_no_server(self):
        for name in ("rate", "other_rate"):
            self.mica("new", name, "--template", "fetch")
        line = (f'2 tools may fetch from no server (other_rate, rate); allow it in mica.toml: '
                f'[fetch] allow = ["{ORIGIN}"]')
        for text, said in (("", 1), ('[fetch]\nallow = ["https://a.example"]\n', 1),
                           (f'[fetch]\nallow = ["{ORIGIN}"]\n', 0),
                           (f'[fetch]\nprivate = ["{ORIGIN}"]\n', 0)):
            self.write("mica.toml", text)
            self.serve()
            self.assertEqual(sorted(self.served_names()), ["other_rate", "rate"])
            self.stop()
            self.assertEqual(self.said().count(line), said, self.said())
            piped = subprocess.run([cli.OPTIONS.mica, "stdio"], cwd=self.folder, text=True,
                                   stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                                   env=self.environment())
            self.assertEqual(piped.stderr.count(line), said, piped.stderr)

    def test_a_tool_for_any_server_needs_one(self):
        self.mica("new", "rate", "--template", "fetch")
        with open(self.path("tools/rate.c"), encoding="utf-8") as file:
            source = file.read()
        self.write("tools/rate.c", source.replace("MICA_FETCHES(SERVER)", 'MICA_FETCHES("*")'))
        for text, said in (('[fetch]\nallow = ["https://a.example"]\n', 0), ("", 1)):
            self.write("mica.toml", text)
            self.serve()
            self.stop()
            self.assertEqual(self.said().count(
                '1 tool may fetch from no server (rate); allow it in mica.toml: [fetch] '
                'allow = ["https://…"]'), said, self.said())

    def test_a_validator_is_begun_with_a_rule_that_no_name_means(self):
        self.mica("new", "iban-validator")
        source = self.path("engines/iban-validator.c")
        with open(source, encoding="utf-8") as file:
            self.assertNotIn("luhn", file.read().lower())
        self.good_engine("iban-validator")
        self.assertTrue(self.json("call", "iban-validator",
                                  "text=DE89 3704 0044 0532 0130 00")["valid"])

    def good_engine(self, name):
        self.assertIn("all good", self.mica("check", name).stdout)

    def test_an_engine_inside_mica_cannot_be_copied(self):
        self.mica("new", "mine")
        said = self.complaint("NOT_FOUND", "new", "payment", "--like", "loan-payment", exit=4)
        self.assertIn("loan-payment is inside mica, without its source, which is "
                      "engines/loan-payment.c of mica's repository", said)
        self.assertIn('did you mean "mine"',
                      self.complaint("NOT_FOUND", "new", "payment", "--like", "mien", exit=4))
        path = os.path.join(os.path.abspath(cli.OPTIONS.source), "engines/loan-payment.c")
        self.mica("new", "payment", "--like", path)
        self.assertTrue(os.path.exists(self.path("engines/payment.c")))

    def test_short_and_long_names_have_titles_that_are_checked(self):
        for name in ("in", "x", "a" + "_very" * 12 + "_lo"):
            with self.subTest(name):
                self.mica("new", name, "--template", "keep")
                self.mica("check", name)

    def test_a_template_is_of_an_engine_or_of_a_tool(self):
        self.mica("new", "one", "--template", "interactive")
        self.mica("new", "two", "--interactive", "--template", "keep")
        self.assertTrue(os.path.exists(self.path("tools/one.c")))
        self.assertTrue(os.path.exists(self.path("tests/tools/two.c")))
        self.assertIn("leave out --interactive", self.complaint(
            "USAGE", "new", "three", "--interactive", "--template", "lookup", exit=2))
        self.assertIn("fetch and keep", self.complaint(
            "USAGE", "new", "three", "--template", "nosuch", exit=2))
        self.assertIn("egg_count", self.complaint(
            "USAGE", "new", "egg-count", "--template", "keep", exit=2))
        self.complaint("USAGE", "new", "three", "--template", "keep", "--like", "one", exit=2)


if __name__ == "__main__":
    alone.run("source")

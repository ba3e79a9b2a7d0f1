# SPDX-License-Identifier: Apache-2.0
"""mica collection: every subcommand, for people and for programs, without a server and beside
one that serves.

    python3 collection_commands.py --mica build/mica --source .
"""

import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.request

import alone
import cli

NAMED = "toolDescription=Looks up what is there. Use when a person asks. Requires the number."


class Collections(cli.Case):
    """A folder that is no project, a state folder, and three apps, of which two are
    published."""

    def setUp(self):
        super().setUp()
        self.env = {"XDG_STATE_HOME": os.path.join(self.folder, "state")}
        for name in ("one", "two", "three"):
            self.mica("app", "new", name, f"toolName=get_{name}", NAMED, env=self.env)
        for name in ("one", "two"):
            self.mica("app", "publish", name, env=self.env)

    def run_it(self, *words, exit=0):
        return self.mica("collection", *words, exit=exit, env=self.env)

    def answer(self, *words, exit=0):
        done = self.run_it(*words, "--json", exit=exit)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)

    def members(self, *words):
        return [one["mcpSlug"] for one in self.answer(*words)["members"]]

    def test_a_collection_from_its_name_to_its_end(self):
        made = self.run_it("new", "Front Desk", "two", "three", "one", "--description",
                           "All of it.")
        self.assertEqual(made.stdout, "front-desk\n")
        self.assertIn("/servers/front-desk/mcp", made.stderr)
        shown = self.run_it("show", "front-desk").stdout
        self.assertRegex(shown, r"1\. two +get_two\n")
        self.assertRegex(shown, r"2\. three .*not published\n")
        self.assertIn("All of it.", shown)
        self.assertEqual(self.members("show", "front-desk"), ["two", "three", "one"])
        self.assertEqual(self.members("remove", "front-desk", "two"), ["three", "one"])
        self.assertEqual(self.members("add", "front-desk", "two"), ["three", "one", "two"])
        self.assertEqual(self.members("set", "front-desk", "one", "two"), ["one", "two"])
        edited = self.answer("edit", "front-desk", "name=Desk", "roles.editors=ada,grace")
        self.assertEqual((edited["name"], edited["mcpSlug"]), ("Desk", "front-desk"))
        self.assertEqual(edited["roles"]["editors"], ["ada", "grace"])
        self.assertEqual(self.answer("list")["collections"][0]["mcpSlug"], "front-desk")
        self.assertIn("front-desk", self.run_it("list").stdout)
        self.assertEqual(self.answer("owner", "front-desk", "ada")["owner"], "ada")
        self.assertRegex(self.run_it("show", "front-desk").stdout, "not served: the owner")
        self.assertEqual(self.run_it("delete", "front-desk").stdout,
                         "front-desk is deleted; its apps stay\n")
        self.assertIn("no collections", self.run_it("list").stderr)
        self.assertIn("one", self.mica("app", "list", env=self.env).stdout)

    def test_failures_say_what_to_do(self):
        self.mica("app", "new", "four", "toolName=get_one", NAMED, env=self.env)
        self.mica("app", "publish", "four", env=self.env)
        error = self.answer("new", "Desk", "one", "four", exit=3)["error"]
        self.assertEqual((error["code"], error["details"]["reason"]),
                         ("INVALID_CONFIG", "ALREADY_EXISTS"))
        self.assertIn('"one" and "four"', error["message"])
        self.run_it("new", "Desk", "one", "three")
        said = self.mica("app", "publish", "three", "toolName=get_one", exit=3, env=self.env)
        self.assertIn('"desk"', said.stderr)
        self.assertIn('"one"', said.stderr)
        error = self.answer("show", "nothing", exit=4)["error"]
        self.assertEqual(error["code"], "APP_NOT_FOUND")
        self.assertIn("mica collection list", error["message"])
        self.assertIn("did you mean", self.run_it("delet", "desk", exit=2).stderr)
        self.assertIn("write mica collection add SLUG APP",
                      self.run_it("add", "desk", exit=2).stderr)
        self.assertIn("write mica collection new", self.run_it(exit=2).stderr)
        self.assertEqual(self.answer("edit", "desk", "name=x", "--if-revision", "7",
                                     exit=7)["error"]["code"], "REVISION_CONFLICT")

    def test_help_has_an_example_for_each(self):
        names = re.findall(r"(?m)^  ([a-z]+) +[A-Z]", self.mica("collection", "--help").stdout)
        self.assertEqual(len(names), 9)
        for name in names:
            one = self.mica("collection", name, "--help").stdout
            self.assertIn(f"Usage\n  mica collection {name}", one)
            self.assertIn(f"Example\n  mica collection {name}", one)

    def test_a_server_follows_within_a_second(self):
        self.run_it("new", "Desk")
        process = subprocess.Popen(
            [cli.OPTIONS.mica, "serve", "--built-in", "--listen", "127.0.0.1:0", "--drain=0"],
            cwd=self.folder, env=dict(os.environ, **self.env), stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True)
        try:
            port = re.search(r":(\d+)/", process.stdout.readline()).group(1)
            address = f"http://127.0.0.1:{port}/servers/desk/api"

            def tools():
                try:
                    with urllib.request.urlopen(address, timeout=cli.OPTIONS.patience) as reply:
                        return [one["name"] for one in json.load(reply)["tools"]]
                except urllib.error.HTTPError as error:
                    return error.code
            self.assertEqual(tools(), 404)
            for words, wanted in ((("add", "desk", "two"), ["get_two"]),
                                  (("add", "desk", "one"), ["get_two", "get_one"]),
                                  (("set", "desk", "one"), ["get_one"]),
                                  (("delete", "desk"), 404)):
                self.run_it(*words)
                began = time.monotonic()
                while tools() != wanted:
                    self.assertLess(time.monotonic() - began, cli.OPTIONS.patience,
                                    (words, tools()))
                    time.sleep(0.02)
        finally:
            process.terminate()
            self.assertEqual(process.wait(cli.OPTIONS.patience), 0)
            process.stdout.close()


if __name__ == "__main__":
    alone.run("source")

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Engines of a folder: written, built, changed and called, and engines that others
have built.

    python3 engines.py --build build --mica build/mica [--part engines|clones]
"""

import json
import os
import shutil
import subprocess
import unittest

import alone
import cli


class Engines(cli.Case):
    """Writing engines: needs the compilers."""

    def test_a_new_engine_builds_passes_its_check_and_answers(self):
        self.assertEqual(self.json("new", "my-first-tool", *cli.AREA)["files"],
                         ["engines/my-first-tool.c"])
        source = self.read("engines/my-first-tool.c")
        self.assertIn("MICA_ENGINE(my_first_tool,", source)
        report = self.json("check", "--json")
        self.assertEqual([(r["slug"], r["ok"]) for r in report],
                         [("my-first-tool", True)])
        result = self.json("call", "my-first-tool", "length=3", "width=2")
        self.assertEqual(result["area"], 6)
        self.complaint("my-first-tool answered SIDES_SWAPPED", "call",
                       "my-first-tool", "length=2", "width=3", exit=3)
        self.assertEqual([t["name"] for t in self.json("list")],
                         ["my-first-tool"])

    def test_a_check_is_text_for_people_and_json_for_a_program_that_asks(self):
        self.mica("new", "one", *cli.AREA)
        report, = json.loads(self.mica("check", "--fast", "--json").stdout)
        self.assertEqual((report["slug"], report["ok"]), ("one", True))
        text = self.on_terminal("check", "--fast", env={"NO_COLOR": "1"})
        self.assertIn("✓ one  ", text)
        self.assertIn("1 engine checked, all good", text)
        self.assertIn("1 engine checked, all good",
                      self.mica("check", "--fast").stdout)
        self.assertIn("\033[32m✓", self.on_terminal("check", "--fast"))
        report, = json.loads(self.on_terminal("check", "--fast", "--json"))
        self.assertEqual(report["slug"], "one")

    def test_a_new_engine_never_replaces_a_file(self):
        self.mica("new", "one", *cli.AREA)
        self.write("engines/one.c", "mine")
        self.complaint("ALREADY_EXISTS", "new", "one", exit=7)
        self.assertEqual(self.read("engines/one.c"), "mine")

    def test_a_name_that_cannot_be_one_is_refused(self):
        for slug in ("", "A", "a_b", "-a", "a-", "a--b", "../x", "1a",
                     "a" * 65, "a.c"):
            self.complaint("USAGE", "new", slug, exit=2)
        self.complaint("USAGE", "new", exit=2)
        for wrong, right in (("Net Price", "net-price"), ("net_price", "net-price"),
                             ("2-fold-", "fold"), ("?", "greet-person")):
            self.assertIn(f'like "{right}"',
                          self.complaint("USAGE", "new", wrong, exit=2))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "engines")))

    def test_a_change_is_built_by_the_next_command(self):
        self.mica("new", "one", *cli.AREA)
        self.mica("call", "one", "length=3", "width=2")
        self.assertEqual(
            self.mica("call", "one", "length=3", "width=2").stderr, "")
        source = self.read("engines/one.c").replace(
            "in->length * in->width;", "in->length * in->width + 1;")
        self.write("engines/one.c", source)
        done = self.mica("call", "one", "length=3", "width=2", "--json")
        self.assertEqual(json.loads(done.stdout)["area"], 7)
        self.assertIn("engines/one.c", done.stderr)

    def test_one_tool_that_is_named_is_built_alone(self):
        for slug in ("one", "two", "three"):
            self.mica("new", slug, *cli.AREA)
        self.write("engines/broken.c", "int x = ;\n")
        done = self.mica("call", "one", "length=3", "width=2", "--json")
        self.assertEqual(json.loads(done.stdout)["area"], 6)
        self.assertEqual(done.stderr, "mica: building 1 engine\n"
                         "mica: built engines/one.c\n")
        self.assertEqual(self.json("describe", "two")["name"], "two")
        text = self.complaint("NOT_FOUND", "call", "thre", exit=4)
        self.assertIn('did you mean "three"', text)
        self.assertIn("mica list", self.complaint("NOT_FOUND", "describe",
                                                  "qqqqqqqq", exit=4))
        built = os.listdir(os.path.join(self.folder, "build", "engines"))
        self.assertEqual(sorted(name for name in built
                                if name.endswith(".json")),
                         ["one.json", "two.json"])

    def test_a_mistake_is_shown_and_nothing_stale_is_run(self):
        self.mica("new", "one", *cli.AREA)
        self.mica("build")
        source = self.read("engines/one.c").replace("out->area", "out->arae")
        self.write("engines/one.c", source)
        text = self.complaint("BUILD_FAILED", "call", "one", "length=3",
                              "width=2", exit=3)
        self.assertIn("engines/one.c:", text)
        self.assertIn("arae", text)
        built = os.path.join("build", "engines")
        result = self.json("call", "one", "length=3", "width=2", "--engines",
                           built)
        self.assertEqual(result["area"], 6)  # what was built last

    def test_an_impure_engine_is_refused(self):
        self.mica("new", "one", *cli.AREA)
        source = self.read("engines/one.c")
        source = source.replace("#include <mica/engine.h>",
                                "#include <mica/engine.h>\n#include <stdlib.h>")
        source = source.replace("in->length * in->width;",
                                "in->length * rand();")
        self.write("engines/one.c", source)
        done = self.mica("build", "--json", exit=3)
        self.assertRegex(done.stderr, r"(?m)^mica: IMPURE_ENGINE: .*rand")
        self.assertEqual(json.loads(done.stdout)[0]["error"]["code"],
                         "IMPURE_ENGINE")

    def test_an_engine_whose_source_is_gone_is_gone(self):
        self.mica("new", "one", *cli.AREA)
        self.mica("new", "two", *cli.AREA)
        self.assertEqual(len(self.json("list")), 2)
        os.remove(os.path.join(self.folder, "engines", "one.c"))
        self.assertEqual([t["name"] for t in self.json("list")], ["two"])

    def test_build_reports_every_file_and_the_first_failure(self):
        self.mica("new", "one", *cli.AREA)
        self.mica("new", "two", *cli.AREA)
        self.assertEqual(self.on_terminal("build"),
                         "built engines/one.c\nbuilt engines/two.c\n")
        self.assertEqual(self.on_terminal("build", "--all"),
                         "up to date engines/one.c\nup to date engines/two.c\n")
        self.write("engines/bad.c", "int x = ;\n")
        done = self.mica("build", "--json", exit=3)
        self.assertEqual([one["state"] for one in json.loads(done.stdout)],
                         ["failed", "current", "current"])
        self.assertRegex(done.stderr, r"mica: BUILD_FAILED: ")
        self.complaint("NOT_FOUND", "build", "engines/none.c", exit=4)
        self.complaint("USAGE", "build", "--all", "engines/one.c", exit=2)

    def test_an_empty_or_missing_folder_is_said(self):
        self.assertIn("mica new", self.complaint("NOT_FOUND", "build", exit=4))
        os.mkdir(os.path.join(self.folder, "engines"))
        self.assertIn("mica new", self.complaint("NOT_FOUND", "list", exit=4))

    def test_without_compilers_what_was_built_is_used(self):
        self.mica("new", "one", *cli.AREA)
        self.mica("build")
        os.utime(os.path.join(self.folder, "engines", "one.c"))
        done = self.mica("call", "one", "length=3", "width=2", "--json",
                         env={"MICA_CLANG": "/nowhere/clang"})
        self.assertEqual(json.loads(done.stdout)["area"], 6)
        self.assertIn("clang", done.stderr)
        self.mica("new", "two", *cli.AREA)
        text = self.complaint("NOT_FOUND", "list", exit=4,
                              env={"MICA_CLANG": "/nowhere/clang"})
        self.assertIn("clang", text)


class Clones(cli.Case):
    """A folder that came with built engines: nothing in it is loaded that this
    user has not built."""

    HOSTILE = """
        #include <fcntl.h>
        __attribute__((constructor)) static void go(void) { creat("%s", 0600); }
        """

    def setUp(self):
        super().setUp()
        self.canary = os.path.join(self.folder, "canary")
        self.mica("new", "one", *cli.AREA, env=self.user("author"))
        self.mica("build", env=self.user("author"))

    def user(self, name):
        """What distinguishes a user: where the key of their builds lies."""
        return {"XDG_STATE_HOME": os.path.join(self.folder, "state", name)}

    def object(self):
        built = os.path.join(self.folder, "build", "engines")
        name, = (name for name in os.listdir(built) if name.endswith(".so"))
        return os.path.join(built, name)

    def plant(self):
        """Puts a shared object in place that leaves a trace when loaded."""
        source = self.write("hostile.c", self.HOSTILE % self.canary)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.object(), source],
                       check=True, timeout=cli.OPTIONS.patience)

    def call(self, user, *words, **more):
        return self.mica("call", "one", "length=3", "width=2", "--json", *words,
                         env={**self.user(user), **more.pop("env", {})},
                         **more)

    def test_what_somebody_else_built_is_built_again(self):
        self.plant()
        done = self.call("reader")
        self.assertEqual(json.loads(done.stdout)["area"], 6)
        self.assertIn("engines/one.c", done.stderr)
        self.assertFalse(os.path.exists(self.canary))
        self.assertEqual(self.call("reader").stderr, "")

    def test_every_command_leaves_it_alone(self):
        line = json.dumps(cli.call_message("one", {"length": 3, "width": 2}))
        for words, stdin in ((("stdio",), line + "\n"),
                             (("check", "--fast", "--json"), ""),
                             (("build",), ""),
                             (("list",), "")):
            user = self.user("reader of " + words[0])
            self.plant()
            self.mica(*words, stdin=stdin, env=user)
            self.mica("call", "one", "length=3", "width=2", env=user)
            self.assertFalse(os.path.exists(self.canary), words)

    def test_a_seal_is_good_for_one_object(self):
        self.plant()
        done = self.call("author", exit=8)
        self.assertIn("UNTRUSTED_FILE", done.stderr)
        self.assertIn("mica build", done.stderr)
        self.assertFalse(os.path.exists(self.canary))
        self.assertIn("built", self.mica("build", env=self.user("author"))
                      .stdout)
        self.call("author")
        self.assertFalse(os.path.exists(self.canary))

    def test_a_seal_of_another_engine_is_none(self):
        built = os.path.join(self.folder, "build", "engines")
        self.mica("new", "two", *cli.AREA, env=self.user("author"))
        self.mica("build", env=self.user("author"))
        shutil.copy(os.path.join(built, "two.seal"),
                    os.path.join(built, "one.seal"))
        self.assertIn("engines/one.c", self.call("author").stderr)

    def test_naming_a_folder_is_consent(self):
        result = json.loads(self.call("reader", "--engines",
                                      "build/engines").stdout)
        self.assertEqual(result["area"], 6)

    def test_without_compilers_it_is_refused(self):
        self.plant()
        text = self.call("reader", exit=8,
                         env={"MICA_CLANG": "/nowhere/clang"}).stderr
        for words in ("UNTRUSTED_FILE", "clang", "--engines build/engines"):
            self.assertIn(words, text)
        self.assertFalse(os.path.exists(self.canary))

    def test_a_key_that_others_could_use_is_said(self):
        key = os.path.join(self.folder, "state", "author", "mica", "key")
        self.assertEqual(os.stat(key).st_mode & 0o777, 0o600)
        self.assertEqual(os.stat(os.path.dirname(key)).st_mode & 0o777, 0o700)
        os.chmod(key, 0o644)
        text = self.call("author", exit=8).stderr
        self.assertRegex(text, f"UNTRUSTED_FILE.*chmod 600 {key}")
        os.chmod(key, 0o600)
        self.write("state/author/mica/key", "short")
        self.assertIn(key, self.call("author", exit=8).stderr)

    def test_without_a_place_for_the_key_builds_go_on(self):
        nowhere = {"XDG_STATE_HOME": "/proc/nowhere"}
        done = self.mica("build", "--force", "--json", env=nowhere)
        self.assertEqual(json.loads(done.stdout)[0]["state"], "built")
        self.assertIn("XDG_STATE_HOME", done.stderr)
        text = self.complaint("IO_ERROR", "list", exit=8, env=nowhere)
        for words in ("XDG_STATE_HOME", "--engines build/engines"):
            self.assertIn(words, text)
        self.assertEqual(len(self.json("list", "--engines", "build/engines",
                                       env=nowhere)), 1)
        # The XDG specification: a relative path is ignored.
        home = {"XDG_STATE_HOME": "state", "HOME": self.folder}
        self.mica("build", "--force", env=home)
        self.assertTrue(os.path.exists(os.path.join(
            self.folder, ".local", "state", "mica", "key")))


PARTS = {"engines": ["Engines"], "clones": ["Clones"]}

if __name__ == "__main__":
    alone.run("build", parts=PARTS)

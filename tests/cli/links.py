# SPDX-License-Identifier: Apache-2.0
"""A folder that was cloned: mica changes nothing outside of it, and believes
nothing that others have put into it.

    python3 links.py --mica build/mica
"""

import json
import os
import shutil
import stat
import subprocess
import tempfile

import alone
import author
import cli

SECRET = "what the victim has written\n"


class Cloned(cli.Case):
    """A project, and a folder beside it that it must not touch."""

    def setUp(self):
        super().setUp()
        self.outside = tempfile.mkdtemp(prefix="mica-victim-")
        self.addCleanup(shutil.rmtree, self.outside)
        self.victim = os.path.join(self.outside, "bashrc")
        with open(self.victim, "w", encoding="utf-8") as file:
            file.write(SECRET)
        os.chmod(self.victim, 0o600)
        self.before = os.stat(self.victim)

    def path(self, name):
        return os.path.join(self.folder, name)

    def link(self, name, target=None):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        os.symlink(target or self.victim, self.path(name))

    def check_outside(self, names=("bashrc",)):
        """Nothing has been written, changed, made or removed there."""
        with open(self.victim, encoding="utf-8") as file:
            self.assertEqual(file.read(), SECRET)
        now = os.stat(self.victim)
        self.assertEqual(stat.S_IMODE(now.st_mode), 0o600)
        self.assertEqual(now.st_mtime_ns, self.before.st_mtime_ns)
        self.assertEqual(sorted(os.listdir(self.outside)), sorted(names))


class Files(Cloned):
    def setUp(self):
        super().setUp()
        self.write("engines/change-it.c", author.engine())

    def dev(self):
        served = author.Served(self, "dev", "--quiet", "--no-check")
        served.wait(lambda: served.call("change-it", value=1) == {"result": 2},
                    "the first build")
        self.assertTrue(stat.S_ISREG(os.lstat(self.path("build/dev.json"))
                                     .st_mode))
        served.wait(lambda: json.loads(self.read("build/dev.json"))["tools"],
                    "the state of it")
        served.end()

    def test_dev_writes_through_no_link(self):
        for name in ("build/dev.json", "build/dev.json.new"):
            self.link(name)
        self.dev()
        self.check_outside()
        self.assertFalse(os.path.lexists(self.path("build/dev.json")))

    def test_dev_waits_for_no_fifo(self):
        os.makedirs(self.path("build"))
        for name in ("build/dev.json", "build/dev.json.new"):
            os.mkfifo(self.path(name))
        self.dev()

    def test_check_writes_through_no_link(self):
        stamp = "build/engines/.check/change-it.json"
        self.link(stamp)
        self.mica("check")
        self.check_outside()
        self.assertFalse(os.path.islink(self.path(stamp)))
        self.assertIn("unchanged", self.on_terminal("check"))

    def test_check_waits_for_no_fifo(self):
        stamp = self.path("build/engines/.check/change-it.json")
        os.makedirs(os.path.dirname(stamp))
        os.mkfifo(stamp)
        self.mica("check")
        self.assertIn("unchanged", self.on_terminal("check"))

    def test_a_build_replaces_links_to_files(self):
        self.mica("build")
        for name in os.listdir(self.path("build/engines")):
            os.remove(self.path("build/engines/" + name))
            self.link("build/engines/" + name)
        self.mica("build")
        self.check_outside()
        self.assertEqual(self.json("call", "change-it", "value=1"),
                         {"result": 2})

    def test_types_and_openapi_write_through_no_link_that_leads_out(self):
        for name in ("to/change-it.d.ts", "api.json"):
            self.link(name)
        for words in (("types", "change-it", "--out", "to"),
                      ("openapi", "--output", "api.json")):
            said = self.mica(*words, exit=8).stderr
            self.assertIn("leads out", said)
            self.check_outside()
        os.remove(self.path("api.json"))
        self.link("api", self.outside)
        self.assertIn("leads out", self.mica(
            "openapi", "--output", "api/api.json", exit=8).stderr)
        self.check_outside()
        os.mkfifo(self.path("api.json"))
        self.mica("openapi", "--output", "api.json", exit=2)
        self.mica("openapi", "--output", "new.json")
        self.assertIn("/api/change-it", self.read("new.json"))


class Stamps(Cloned):
    STAMP = "build/engines/.check/change-it.json"

    def test_a_stamp_of_another_user_counts_for_nothing(self):
        self.write("engines/change-it.c", author.engine())
        self.mica("check")
        self.assertIn("unchanged", self.on_terminal("check"))
        with tempfile.TemporaryDirectory() as other:
            self.assertNotIn("unchanged", self.on_terminal(
                "check", env={"XDG_STATE_HOME": other}))

    def test_a_forged_stamp_hides_no_finding(self):
        self.write("engines/change-it.c", author.engine())
        self.mica("check")
        good = json.loads(self.read(self.STAMP))
        # The same with an example that is wrong.
        self.write("engines/change-it.c", author.engine(result="3"))
        self.assertIn("EXAMPLE_FAILED", self.mica("check", exit=3).stdout)
        build = json.loads(self.read("build/engines/change-it.json"))["build"]
        forged = {**good, "build": build}
        for stamp in (forged, {name: value for name, value in forged.items()
                               if name != "seal"}):
            self.write(self.STAMP, json.dumps(stamp, separators=(",", ":")))
            self.assertIn("EXAMPLE_FAILED", self.mica("check", exit=3).stdout)


class Folders(Cloned):
    def refused(self, name, *words):
        said = self.complaint("UNTRUSTED_FILE", *words, exit=8)
        self.assertIn(f"{name} is a link that leads out of the project", said)
        self.assertIn(self.outside, said)
        self.check_outside()

    def test_folders_to_build_into(self):
        self.write("engines/change-it.c", author.engine())
        for name in ("build/engines", "build"):
            shutil.rmtree(self.path("build"), ignore_errors=True)
            self.link(name, self.outside)
            for words in (("build",), ("build", "change-it"), ("check",),
                          ("check", "engines/change-it.c"), ("list",),
                          ("call", "change-it", "value=1"), ("dev",),
                          ("pack",), ("types",)):
                with self.subTest(name=name, words=words):
                    self.refused(name, *words)
            os.remove(self.path(name))

    def test_stale_folders_of_others_stay(self):
        self.write("engines/change-it.c", author.engine())
        old = os.path.join(self.outside, ".build-old")
        os.makedirs(old)
        os.utime(old, (1, 1))
        self.link("build/engines", self.outside)
        self.complaint("UNTRUSTED_FILE", "build", exit=8)
        self.check_outside(("bashrc", ".build-old"))

    def test_folders_of_sources(self):
        for name, words in (("engines", ("build",)), ("engines", ("list",)),
                            ("engines", ("check", "change-it")),
                            ("engines", ("build", "engines/bashrc.c")),
                            ("tools", ("build",)), ("tools", ("dev",)),
                            ("engines", ("new", "another")),
                            ("tools", ("new", "--interactive", "another")),
                            ("tests", ("new", "--interactive", "another"))):
            with self.subTest(name=name, words=words):
                self.link(name, self.outside)
                self.refused(name, *words)
                os.remove(self.path(name))

    def test_folders_inside_of_what_is_built(self):
        self.write("engines/change-it.c", author.engine())
        self.link("build/engines/.check", self.outside)
        self.mica("check")
        self.check_outside()
        self.mica("new", "--interactive", "greet")
        self.write("tools/lib/help.c", "int help;\n")
        for name in ("build/tools/.lib", "build/tools/.versions"):
            shutil.rmtree(self.path("build/tools"), ignore_errors=True)
            self.link(name, self.outside)
            said = self.mica("build", "greet", exit=8)
            self.assertIn("is a link", said.stdout + said.stderr)
            self.check_outside()

    def test_shared_sources_of_tools(self):
        self.mica("new", "--interactive", "greet")
        self.link("tools/lib", self.outside)
        said = self.mica("build", "greet", exit=8)
        self.assertIn("tools/lib is a link that leads out of the project",
                      said.stdout + said.stderr)
        self.check_outside()

    def builds_nothing_outside(self, name, words, mend):
        """While it serves, what it builds into or from becomes such a link, or
        others may write into it."""
        self.write("engines/change-it.c", author.engine())
        served = author.Served(self, *words)
        served.wait(lambda: served.call("change-it", value=1) == {"result": 2},
                    "the first build")
        mend()
        self.write("engines/change-it.c", author.engine(what="+ 2", result="3"))
        served.wait(lambda: "UNTRUSTED_FILE" in served.said(), name)
        self.assertIn(name, served.said())
        self.assertEqual(served.call("change-it", value=1), {"result": 2})
        self.check_outside()
        served.end()

    def test_a_folder_that_becomes_a_link_while_it_is_served(self):
        for name in ("build/engines", "build"):
            for words in (("dev", "--no-check"), ("serve",)):
                with self.subTest(name=name, words=words):
                    shutil.rmtree(self.path("build"), ignore_errors=True)

                    def become_a_link(name=name):
                        os.rename(self.path(name), self.path("was"))
                        self.link(name, self.outside)

                    self.builds_nothing_outside(
                        f"{name} is a link that leads out of the project",
                        words, become_a_link)
                    os.remove(self.path(name))
                    shutil.rmtree(self.path("was"))

    def test_a_folder_that_others_may_write_while_it_is_served(self):
        built = self.path("build/engines")
        for words in (("dev", "--no-check"), ("serve",)):
            with self.subTest(words=words):
                shutil.rmtree(self.path("build"), ignore_errors=True)
                self.builds_nothing_outside(
                    built, words, lambda: os.chmod(built, 0o777))

    def test_links_inside_and_links_that_are_named_are_followed(self):
        self.write("mine/change-it.c", author.engine())
        self.link("engines", "mine")
        self.link("build", ".cache")
        os.makedirs(self.path(".cache"))
        self.mica("build")
        self.assertIn("change-it.json",
                      os.listdir(self.path(".cache/engines")))
        place = os.path.join(self.outside, "place")
        os.makedirs(place)
        self.link("named", place)
        self.mica("build", "--out", "named")
        self.assertIn("change-it.json", os.listdir(place))
        self.assertEqual(self.json("call", "change-it", "value=1", "--engines",
                                   "named"), {"result": 2})


class Words(Cloned):
    """What comes from a tool, a file name or a store is obeyed by no terminal,
    and can be no line of its own."""

    def shown(self, text):
        for sign in "\x1b\x07\x7f\x9b\u202e\u2066\u2028\r":
            self.assertNotIn(sign, text.replace("\r\x1b[K", ""))
        return text

    def both(self, *words, exit=0):
        """As a terminal is sent it, and as a pipe."""
        return (self.shown(self.on_terminal(*words, env={"NO_COLOR": "1"},
                                            exit=exit)),
                self.shown(self.mica(*words, exit=exit).stderr))

    def test_a_terminal_obeys_no_word_of_a_tool(self):
        self.write("engines/change-it.c", author.engine().replace(
            '"math"', r'"math\033]0;evil\007"').replace(
            '"One"', r'"One\033[2J\u202e\nmica: forged"'))
        self.mica("build")
        for words in (("list", "-l"), ("describe", "change-it")):
            text = self.both(*words)[0]
            self.assertIn(r"math\x1b]0;evil\x07", text)
        self.assertIn(r"One\x1b[2J\u202e\x0amica: forged", text)

    def test_json_on_a_pipe_stays_as_it_is(self):
        self.write("engines/change-it.c", author.engine().replace(
            '"math"', r'"math\u202e"'))
        self.assertEqual(self.json("describe", "change-it")["category"],
                         "math\u202e")
        self.assertIn("math\u202e", self.mica("describe", "change-it", "--json").stdout)

    def test_an_error_of_a_tool_is_one_line_and_says_whose_it_is(self):
        self.write("engines/change-it.c", author.engine().replace(
            "(void)call;", r'''if (in->value > 1)
        return mica_fail(call, "NOT_FOUND", "value",
            "gone\033[2J\u202e\nmica: UNTRUSTED_FILE: run as root");'''))
        self.mica("build")
        for text in self.both("call", "change-it", "value=2", exit=3):
            self.assertEqual(text.strip().splitlines(), [
                "mica: change-it answered NOT_FOUND: "
                r"gone\x1b[2J\u202e\x0amica: UNTRUSTED_FILE: run as root",
                "  at /value"])
        lines = self.mica("call", "change-it", "--lines",
                          stdin='{"value":2}\n', exit=3)
        self.assertEqual(json.loads(lines.stdout)["error"]["code"],
                         "NOT_FOUND")
        self.assertIn("change-it answered NOT_FOUND: line 1: gone",
                      lines.stderr)

    def test_what_compilers_say_and_names_of_files(self):
        name = "engines/a\x1b[2Jb\nc.c"
        self.write(name, "#error \x1b]0;evil\x07 \u202e\n")
        for words in (("build", name), ("check", name), ("run", name)):
            with self.subTest(words=words):
                for text in self.both(*words, exit=None):
                    self.assertNotIn("\nc.c", text)

    def test_types_keep_what_a_comment_could_end(self):
        self.write("engines/change-it.c", author.engine().replace(
            '"A number."', r'"A number. *\r/ evil(); */ \033[2J\u202e"'))
        text = self.mica("types", "change-it").stdout
        self.assertIn(r"A number. *\x0d/ evil(); *\/ \x1b[2J\u202e", text)


if __name__ == "__main__":
    alone.run()

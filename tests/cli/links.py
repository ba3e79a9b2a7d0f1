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
    """A project, and a folder beside it that is none of its business."""

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
        self.assertTrue(json.loads(self.read("build/dev.json"))["tools"])
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
        served.wait(lambda: "UNTRUSTED_FILE" in served.said(), name, 20)
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


if __name__ == "__main__":
    alone.run()

# SPDX-License-Identifier: Apache-2.0
"""Prompts and resources as files of a project: served without a flag, and in step with
the files while a server runs.

    python3 prompts.py --mica build/mica --source .
"""

import json
import os
import shutil
import subprocess
import urllib.error

import alone
import cli
from tool_folder import Case, tool

REVIEW = """\
---
title: Review a change
description: Ask for a review of a change.
arguments:
  - name: change
    description: What has changed, as a diff.
    required: true
  - name: focus
---

Please review this change.

{{change}}

Look at "{{focus}}" first.
"""


class Prompts(Case):
    def setUp(self):
        super().setUp()
        self.write("tools/greet.c", tool())
        self.write("prompts/review.md", REVIEW)
        self.write("resources/guide/style.md", "# Style\n")

    def text(self, **arguments):
        reply = self.request("prompts/get", "review", arguments=arguments)
        if "error" in reply:
            return reply["error"]["data"]["code"]
        message, = reply["result"]["messages"]
        self.assertEqual(message["role"], "user")
        return message["content"]["text"]

    def refused(self, method, name=None, **params):
        try:
            return self.request(method, name, **params)["error"]
        except urllib.error.HTTPError as error:
            return json.load(error)["error"]

    def names(self):
        return sorted(p["name"] for p in self.request("prompts/list")["result"]["prompts"])

    def uris(self):
        return sorted(r["uri"] for r in
                      self.request("resources/list")["result"]["resources"])

    def test_a_prompt_is_listed_and_filled_in(self):
        self.serve()
        listed, = self.request("prompts/list")["result"]["prompts"]
        self.assertEqual(listed, {
            "name": "review", "title": "Review a change",
            "description": "Ask for a review of a change.",
            "arguments": [
                {"name": "change", "description": "What has changed, as a diff.",
                 "required": True},
                {"name": "focus", "description": "", "required": False}]})
        self.assertEqual(self.text(change="+ {{focus}}", focus="names"),
                         "Please review this change.\n\n+ {{focus}}\n\n"
                         "Look at \"names\" first.")
        self.assertIn('Look at "" first.', self.text(change="x"))

    def test_wrong_arguments_are_refused(self):
        self.serve()
        for arguments, code in (({}, "MISSING_FIELD"),
                                ({"change": "x", "focsu": "y"}, "UNKNOWN_FIELD")):
            error = self.refused("prompts/get", "review", arguments=arguments)
            self.assertEqual(error["data"]["code"], code)

    def test_nothing_is_completed(self):
        self.serve()
        ref = {"type": "ref/prompt", "name": "review"}
        reply = self.request("completion/complete", ref=ref,
                             argument={"name": "focus", "value": "n"})
        self.assertEqual(reply["result"]["completion"]["values"], [])

    def test_resources_are_served_without_a_flag(self):
        self.serve()
        self.assertEqual(self.uris(), ["resources:///guide/style.md"])
        path = "resources:///guide/style.md"
        request = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {
            "uri": path, "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {}}}}
        done = subprocess.run([cli.OPTIONS.mica, "stdio"], cwd=self.folder, text=True,
                              input=json.dumps(request) + "\n", capture_output=True,
                              timeout=60, env=self.environment())
        contents, = json.loads(done.stdout)["result"]["contents"]
        self.assertEqual((contents["uri"], contents["text"], contents["mimeType"]),
                         (path, "# Style\n", "text/markdown"))

    def test_built_in_serves_neither(self):
        self.serve("--built-in")
        for method in ("prompts/list", "resources/list"):
            self.assertEqual(self.refused(method)["code"], -32601)

    def test_a_server_keeps_in_step_with_the_files(self):
        self.serve()
        self.write("prompts/review.md", REVIEW.replace("Please", "Kindly"))
        self.until(lambda: self.text(change="x").split()[0], "Kindly")
        self.write("prompts/more.md", "---\nname: other\ndescription: Another one.\n---\nGo on.")
        self.until(self.names, ["other", "review"])
        self.write("prompts/more.md", "---\nname: third\ndescription: Another one.\n---\nGo on.")
        self.until(self.names, ["review", "third"])
        os.remove(self.path("prompts/review.md"))
        self.until(self.names, ["third"])
        self.write("resources/new.txt", "New.")
        self.until(self.uris, ["resources:///guide/style.md", "resources:///new.txt"])

    def test_a_file_that_becomes_wrong_leaves_its_prompt(self):
        self.serve()
        self.write("prompts/review.md", REVIEW.replace("{{focus}}", "{{fokus}}"))
        self.until(lambda: "prompts/review.md: line 15: {{fokus}} is no argument"
                   in self.said(), True)
        self.assertIn("Please", self.text(change="x"))
        self.write("prompts/review.md", REVIEW.replace("Please", "Kindly"))
        self.until(lambda: self.text(change="x").split()[0], "Kindly")

    def test_a_wrong_file_keeps_a_server_from_starting(self):
        self.write("prompts/bad.md", "Hello.")
        said = self.complaint("BAD_FORMAT", "serve", "--listen", "127.0.0.1:0", exit=3)
        self.assertIn("prompts/bad.md: line 1: a prompt begins with a line ---", said)
        self.write("prompts/bad.md", "---\nname: review\ndescription: Twice.\n---\nx")
        self.assertIn("review", self.complaint("ALREADY_EXISTS", "serve", "--listen",
                                               "127.0.0.1:0", exit=7))

    def findings(self, *words, exit=3):
        done = self.mica("check", "--json", *words, exit=exit)
        return {r["slug"]: [(f["code"], f.get("line"), f["message"]) for f in r["findings"]]
                for r in json.loads(done.stdout)}

    def test_check_reads_prompts_as_a_server_does(self):
        os.remove(self.path("tools/greet.c"))
        self.mica("new", "splitter")
        self.assertEqual(self.findings(exit=0),
                         {"splitter": [], "prompts/review.md": [], "resources": []})
        done = self.mica("check")
        self.assertIn("1 engine, 1 prompt and 1 folder of resources checked, all good",
                      done.stdout)
        self.write("prompts/bad.md", "Hello.")
        self.write("prompts/more.md", "---\nname: review\ndescription: Twice.\n---\nx")
        self.write("prompts/worse.md", REVIEW.replace("{{focus}}", "{{fokus}}"))
        self.write("prompts/.hidden.md", "Hello.")
        found = self.findings()
        (code, line, message), = found["prompts/bad.md"]
        self.assertEqual((code, line), ("PROMPT_INVALID", 1))
        self.assertRegex(message, "^BAD_FORMAT: a prompt begins with a line ---")
        (code, line, message), = found["prompts/worse.md"]
        self.assertEqual((code, line), ("PROMPT_INVALID", 15))
        self.assertRegex(message, r"^BAD_FORMAT: \{\{fokus\}\} is no argument")
        (code, line, message), = found["prompts/review.md"]
        self.assertEqual((code, line), ("PROMPT_INVALID", None))
        self.assertEqual(message, "ALREADY_EXISTS: prompts/more.md is the prompt 'review' "
                         "already; give one of them another name")
        self.assertNotIn("prompts/.hidden.md", found)
        done = self.mica("check", "prompts/bad.md", exit=3)
        self.assertIn("PROMPT_INVALID  prompts/bad.md:1", done.stdout)
        self.assertNotIn("worse", done.stdout)
        self.complaint("NOT_FOUND", "check", "prompts/none.md", exit=4)

    def test_check_reads_resources_as_a_server_does(self):
        os.remove(self.path("tools/greet.c"))
        self.mica("new", "splitter")
        self.write("mica.toml", '[store]\nlocation = "sqlite:resources/state.db"\n')
        (code, line, message), = self.findings("resources")["resources"]
        self.assertEqual((code, line), ("RESOURCES_INVALID", None))
        self.assertIn("USAGE: resources.folders has resources, and every client could read "
                      "resources/state.db", message)
        self.complaint("USAGE", "serve", "--listen", "127.0.0.1:0", exit=2)
        self.write("mica.toml", "")
        self.write("resources/" + "d/" * 33 + "deep.txt", "Deep.")
        (code, line, message), = self.findings("./resources/guide/style.md")["resources"]
        self.assertEqual(code, "RESOURCES_INVALID")
        self.assertRegex(message, "^LIMIT_EXCEEDED: the folder has more than 10000 files, or "
                         "folders deeper than 32")
        shutil.rmtree(self.path("resources"))
        os.symlink("/etc", self.path("resources"))
        (code, line, message), = self.findings("resources")["resources"]
        self.assertRegex(message, "^UNTRUSTED")

    def develop(self):
        self.log = open(self.path("log"), "w", encoding="utf-8")
        self.process = subprocess.Popen(
            [cli.OPTIONS.mica, "dev", "--listen", "127.0.0.1:0"], cwd=self.folder, text=True,
            stdout=subprocess.PIPE, stderr=self.log, env=self.environment())
        self.url = self.process.stdout.readline().strip()

    def test_dev_serves_a_folder_that_is_made_later(self):
        for name in ("prompts", "resources"):
            os.rename(self.path(name), self.path("kept-" + name))
        self.develop()
        self.assertEqual((self.names(), self.uris()), ([], []))
        for _ in range(2):  # it may go, and come again
            self.write("prompts/review.md", REVIEW)
            self.until(self.names, ["review"])
            self.assertIn("Please", self.text(change="x"))
            self.write("resources/guide/style.md", "# Style\n")
            self.until(self.uris, ["resources:///guide/style.md"])
            self.write("resources/new.txt", "New.")
            self.until(self.uris, ["resources:///guide/style.md", "resources:///new.txt"])
            for name in ("prompts", "resources"):
                shutil.rmtree(self.path(name))
            self.until(lambda: (self.names(), self.uris()), ([], []))
        os.rename(self.path("kept-prompts"), self.path("prompts"))
        self.until(self.names, ["review"])

    def test_dev_follows_no_link_that_comes_later(self):
        shutil.rmtree(self.path("resources"))
        self.develop()
        os.symlink(os.path.dirname(self.folder), self.path("resources"))
        self.until(lambda: "the folder 'resources' that has come cannot be served: it is a "
                   "link" in self.said(), True)
        self.assertEqual(self.uris(), [])
        os.remove(self.path("resources"))
        self.write("resources/a.txt", "A.")
        self.until(self.uris, ["resources:///a.txt"])

    def test_dev_leaves_a_wrong_file_out_and_takes_it_when_it_is_right(self):
        self.write("prompts/bad.md", "Hello.")
        self.develop()
        self.assertEqual(self.names(), ["review"])
        self.assertIn("prompts/bad.md: line 1: ", self.said())
        self.write("prompts/bad.md", "---\ndescription: Says hello.\n---\nHello.")
        self.until(self.names, ["bad", "review"])

    def test_a_folder_that_leads_out_of_the_project_is_not_served(self):
        os.rename(self.path("resources"), self.path("elsewhere"))
        outside = os.path.dirname(self.folder)
        os.symlink(outside, self.path("resources"))
        done = self.mica("serve", "--listen", "127.0.0.1:0", exit=8)
        self.assertRegex(done.stderr, "resources")

    # ---- In a terminal -----------------------------------------------------------------

    def test_list_has_a_line_for_each_and_json_what_a_client_is_sent(self):
        self.write("resources/other.txt", "x" * 3000)
        self.assertEqual(self.mica("list", "prompts").stdout,
                         "review  Ask for a review of a change.\n")
        self.assertEqual(self.mica("list", "resources").stdout.splitlines(),
                         ["resources:///guide/style.md  text/markdown, 8 bytes",
                          "resources:///other.txt       text/plain, 2 KiB"])
        self.assertNotIn("review", self.mica("list", "tools").stdout)
        self.serve()
        for kind in ("prompts", "resources"):
            self.assertEqual(self.json("list", kind),
                             self.request(f"{kind}/list")["result"][kind])

    def test_list_counts_the_folders_that_serve_counts(self):
        self.write("more/a b.txt", "A.")
        self.write("mica.toml", '[resources]\nfolders = ["more"]\n')
        uris = [r["uri"] for r in self.json("list", "resources")]
        self.assertEqual(uris, [f"file://{os.path.realpath(self.path('more'))}/a%20b.txt",
                                "resources:///guide/style.md"])
        self.assertEqual(len(self.json("list", "resources", "--resources", "prompts")), 2)
        os.rename(self.path("tools"), self.path("no-project"))
        self.assertEqual((self.json("list", "prompts"), len(self.json("list", "resources"))),
                         ([], 1))

    def test_describe_takes_a_name_a_uri_or_a_file(self):
        text = self.mica("describe", "review").stdout
        self.assertEqual(text, "review  prompt\n  Ask for a review of a change.\n\n"
                               "Takes\n  change\n      What has changed, as a diff.\n"
                               "  focus  optional\n")
        self.assertEqual(self.mica("list", "-l", "prompts").stdout, text)
        self.write("resources/a b.txt", "A.")
        for words, one in ((("review", "prompts/review.md"), "prompts"),
                           (("resources:///guide/style.md", "./resources/guide/style.md"),
                            "resources")):
            listed = self.json("list", one)
            for word in words:
                self.assertIn(self.json("describe", word), listed)
        self.assertEqual(self.json("describe", "resources/a b.txt")["uri"],
                         "resources:///a%20b.txt")

    def test_a_prompt_of_another_name_is_described_by_its_file(self):
        self.write("prompts/more.md", "---\nname: greet\ndescription: Another.\n---\nGo on.")
        self.assertEqual(self.json("describe", "prompts/more.md")["description"], "Another.")
        # The tool has the name, too, and comes first.
        self.assertEqual(self.json("describe", "greet")["title"], "Greeter")

    def test_what_is_not_there_is_refused(self):
        self.assertIn("mica describe greet", self.complaint("USAGE", "list", "greet", exit=2))
        self.assertIn("mica list prompts", self.complaint("USAGE", "list", "promts", exit=2))
        self.assertIn("no tool", self.complaint("NOT_FOUND", "describe", "nosuch", exit=4))
        self.assertIn("mica list resources", self.complaint(
            "NOT_FOUND", "describe", "resources/nosuch.md", exit=4))
        self.write("prompts/bad.md", "Hello.")
        self.assertIn("prompts/bad.md: line 1", self.complaint(
            "BAD_FORMAT", "list", "prompts", exit=3))


if __name__ == "__main__":
    alone.run("source")

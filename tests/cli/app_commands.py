# SPDX-License-Identifier: Apache-2.0
"""mica app: every subcommand with good and bad input, for people and for programs, without
a server, beside one that serves, and two commands at once.

    python3 app_commands.py --mica build/mica --source .
"""

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest
import urllib.error
import urllib.request

import alone
import cli

NAMED = ("toolName=get_order_status",
         "toolDescription=Retrieve the status of an order. Use when a customer asks about "
         "an order. Requires the order number.")


class Apps(cli.Case):
    """A folder that is no project, and a state folder of its own."""

    def setUp(self):
        super().setUp()
        self.env = {"XDG_STATE_HOME": os.path.join(self.folder, "state")}

    def app(self, *words, exit=0, **more):
        return self.mica("app", *words, exit=exit, env=self.env, **more)

    def answer(self, *words, exit=0, **more):
        """What a program gets: one JSON value on stdout, and nothing on stderr."""
        done = self.app(*words, "--json", exit=exit, **more)
        self.assertEqual(done.stderr, "")
        self.assertTrue(done.stdout.endswith("\n"))
        return json.loads(done.stdout)

    def failure(self, code, *words, exit, **more):
        """The details of a failure; its body has these members and no other."""
        body = self.answer(*words, exit=exit, **more)
        self.assertEqual(list(body), ["error"])
        self.assertEqual(list(body["error"]), ["code", "message", "details"])
        self.assertEqual(body["error"]["code"], code)
        self.assertNotEqual(body["error"]["message"], "")
        self.assertIsInstance(body["error"]["details"], dict)
        # The same failure in words.
        said = self.app(*words, exit=exit, **more)
        self.assertEqual(said.stdout, "")
        self.assertRegex(said.stderr, rf"(?m)^mica: {code}: ")
        return body["error"]

    def new(self, name="My Support Bot", *words):
        return self.app("new", name, *words).stdout.strip()


class Life(Apps):
    def test_an_app_from_its_name_to_its_end(self):
        made = self.app("new", "My Support Bot")
        self.assertEqual(made.stdout, "my-support-bot\n")
        self.assertIn("mica app publish my-support-bot", made.stderr)
        self.assertIn("mica app edit my-support-bot toolName=", made.stderr)
        error = self.failure("INVALID_CONFIG", "publish", "my-support-bot", exit=3)
        self.assertEqual(error["details"]["path"], "/toolName")
        self.assertEqual([finding["path"] for finding in error["details"]["findings"]],
                         ["/toolName", "/toolDescription"])
        edited = self.app("edit", "my-support-bot", *NAMED, "layoutTemplate=list")
        self.assertEqual(edited.stdout, "my-support-bot has revision 2\n")
        self.assertEqual(
            self.app("publish", "my-support-bot").stdout,
            "http://127.0.0.1:8080/servers/my-support-bot/mcp\n")
        app = self.answer("show", "my-support-bot")
        self.assertEqual(app["status"], "published")
        self.assertEqual(app["mcpSlug"], "my-support-bot")
        self.assertEqual(app["toolName"], "get_order_status")
        self.assertEqual(app["layoutTemplate"], "list")
        self.assertEqual(app["publishVersion"], 1)
        self.assertEqual(app["owner"], "local")
        self.assertEqual(app["findings"], [])
        again = self.answer("publish", "my-support-bot", "toolName=find_orders")
        self.assertEqual(again["publishVersion"], 2)
        self.assertEqual(again["toolName"], "find_orders")
        self.assertEqual(
            self.answer("diff", "my-support-bot", "1", "2")["changes"],
            [{"path": "/toolName", "before": "get_order_status", "after": "find_orders"}])
        back = self.app("rollback", "my-support-bot", "1").stdout
        self.assertIn("version 3 of my-support-bot", back)
        self.assertEqual(self.answer("version", "my-support-bot", "3")["toolName"],
                         "get_order_status")
        self.assertEqual([version["version"] for version in
                          self.answer("versions", "my-support-bot")["versions"]],
                         [3, 2, 1])
        self.assertIn("404", self.app("unpublish", "my-support-bot").stdout)
        self.failure("APP_STATE", "unpublish", "my-support-bot", exit=7)
        self.assertEqual(self.answer("show", "my-support-bot")["status"], "draft")
        self.assertEqual(self.answer("delete", "my-support-bot", "--yes")["deleted"], True)
        self.failure("APP_NOT_FOUND", "show", "my-support-bot", exit=4)

    def test_a_slug_is_reserved_from_the_first_word_on(self):
        self.assertEqual(self.new(), "my-support-bot")
        self.assertEqual(self.new(), "my-support-bot-2")
        self.assertEqual(self.answer("new", "My Support Bot")["mcpSlug"],
                         "my-support-bot-3")

    def test_new_takes_flags_and_members(self):
        app = self.answer("new", "Orders", "--layout", "table", "--description",
                          "Lists orders.", *NAMED, "visibility=token")
        self.assertEqual(app["layoutTemplate"], "table")
        self.assertEqual(app["description"], "Lists orders.")
        self.assertEqual(app["visibility"], "token")
        self.assertEqual(app["findings"], [])
        proposed = self.answer("new", "Order status", "--propose")
        self.assertRegex(proposed["toolName"], r"^[a-z]+_[a-z_]+$")
        self.assertNotEqual(proposed["toolDescription"], "")
        # Names are texts, whatever they look like.
        for name in ("null", "@home", "12", "a=b", "true"):
            self.assertEqual(self.answer("new", name)["name"], name)
        error = self.failure("INVALID_CONFIG", "new", "Orders", "--layout", "crad", exit=3)
        self.assertEqual(error["details"]["path"], "/layoutTemplate")
        self.assertIn("card", error["message"])
        self.failure("INVALID_CONFIG", "new", "", exit=3)
        self.failure("INVALID_CONFIG", "new", "x" * 101, exit=3)
        self.failure("INVALID_CONFIG", "new", "evil \u202e name", exit=3)
        self.failure("USAGE", "new", exit=2)

    def test_the_description_of_the_server_is_not_that_of_an_app(self):
        self.write("mica.toml", 'description = "A server."\n[http]\n'
                                'public_url = "https://example.org/tools"\n')
        app = self.answer("new", "Orders")
        self.assertNotIn("description", {name for name, value in app.items() if value})
        self.assertEqual(app["url"], "https://example.org/tools/servers/orders/mcp")

    def test_the_next_steps_that_new_prints_work(self):
        made = self.app("new", "Order helper").stderr
        for line in re.findall(r"(?m)^  mica app (.*)$", made):
            subprocess.run(f"{cli.OPTIONS.mica} app {line}", shell=True, check=True,
                           cwd=self.folder, capture_output=True,
                           env={**os.environ, **self.env})
        self.assertEqual(self.answer("show", "order-helper")["status"], "published")
        self.assertIn("<!doctype html>", self.read("preview.html").lower())


class Edit(Apps):
    def setUp(self):
        super().setUp()
        self.slug = self.new()

    def edit(self, *words):
        return self.answer("edit", self.slug, *words)

    def test_a_text_is_taken_as_it_is(self):
        self.write("about.txt", "Line one.\nLine \u00fc two.\n")
        app = self.edit("toolName=get_it", "description=@about.txt", "name=@@home")
        self.assertEqual(app["description"], "Line one.\nLine \u00fc two.")
        self.assertEqual(app["name"], "@home")
        done = self.answer("edit", self.slug, "description=@-", stdin="From stdin.\n")
        self.assertEqual(done["description"], "From stdin.")
        self.assertNotIn("toolName", self.edit("toolName=null"))

    def test_members_inside_by_dots_and_pointers(self):
        app = self.edit("behavior.message=Here it is:", "/budget/callsPerDay=100",
                        "budget.seconds=5", "roles.editors=ada,grace",
                        'roles.viewers=["bob"]')
        self.assertEqual(app["behavior"], {"type": "data", "message": "Here it is:"})
        self.assertEqual(app["budget"], {"callsPerDay": 100, "seconds": 5})
        self.assertEqual(app["roles"], {"editors": ["ada", "grace"], "viewers": ["bob"]})
        self.assertEqual(self.edit("/budget/seconds=null")["budget"],
                         {"callsPerDay": 100})

    def test_the_budget_in_effect_is_shown(self):
        def shown():
            return re.search(r"(?m)^  budget +(.*)$", self.app("show", self.slug).stdout)[1]
        self.assertEqual(self.answer("show", self.slug)["effectiveBudget"], {})
        self.assertEqual(shown(), "no limit")
        app = self.edit("visibility=token", "behavior.type=prompt",
                        "behavior.systemPrompt=Greet.", "behavior.by=client")
        self.assertNotIn("budget", app)
        small = {"callsPerDay": 200, "tokensPerDay": 200000, "seconds": 60, "concurrent": 4}
        self.assertEqual(app["effectiveBudget"], small)
        self.edit("budget.callsPerDay=50")
        self.assertEqual(shown(), "callsPerDay 50, tokensPerDay 200000 (default), "
                                  "seconds 60 (default), concurrent 4 (default)")
        self.assertEqual(self.answer("show", self.slug)["effectiveBudget"],
                         {**small, "callsPerDay": 50})

    def test_a_part_of_what_is_replaced_as_a_whole(self):
        before = self.answer("show", self.slug)["mockData"]
        after = self.edit("/mockData/title=12")["mockData"]
        self.assertEqual(after, {**before, "title": "12"})
        facts = self.edit("/mockData/facts/-=" + json.dumps({"label": "a", "value": "b"}),
                          "/mockData/facts/0/label=First")["mockData"]["facts"]
        self.assertEqual(facts[0]["label"], "First")
        self.assertEqual(facts[-1], {"label": "a", "value": "b"})
        count = len(facts)
        facts = self.edit("/mockData/facts/0=null")["mockData"]["facts"]
        self.assertEqual(len(facts), count - 1)
        theme = self.edit("/themeVariables/--color-background-primary=#ffffff")
        theme = self.edit("themeVariables.--color-text-primary=#000000")["themeVariables"]
        self.assertEqual(theme, {"--color-background-primary": "#ffffff",
                                 "--color-text-primary": "#000000"})
        theme = self.edit("/themeVariables/--color-text-primary=null")["themeVariables"]
        self.assertEqual(theme, {"--color-background-primary": "#ffffff"})
        self.failure("USAGE", "edit", self.slug, "/mockData/facts/99/label=x", exit=2)

    def test_what_no_edit_sets_is_refused(self):
        for word, path, says in (("mcpSlug=other", "/mcpSlug", "slug"),
                                 ("status=published", "/status", "mica app publish"),
                                 ("publishVersion=4", "/publishVersion", "rollback"),
                                 ("owner=eve", "/owner", "mica app owner")):
            error = self.failure("INVALID_CONFIG", "edit", self.slug, word, exit=3)
            self.assertEqual(error["details"]["path"], path)
            self.assertIn(says, error["message"])
        self.app("edit", self.slug, "mcpSlug=" + self.slug)  # as it is
        self.assertEqual(self.app("new", "Another", "mcpSlug=chosen").stdout, "chosen\n")
        self.failure("INVALID_CONFIG", "new", "Another", "mcpSlug=No", exit=3)

    def test_addresses_are_those_of_the_settings(self):
        said = self.app("show", self.slug)
        self.assertIn("127.0.0.1:8080", said.stdout)
        self.assertIn("--listen", said.stderr)
        self.write("mica.toml", '[http]\nlisten = "127.0.0.1:9090"\n'
                   '[apps.hosts]\n"help.example.com" = "%s"\n' % self.slug)
        said = self.app("show", self.slug)
        self.assertNotIn("--listen", said.stderr)
        self.assertRegex(said.stdout, r"(?m)url +https://help.example.com/mcp$")
        self.assertRegex(said.stdout, "(?m)also at +http://127.0.0.1:9090/servers/%s/mcp$"
                         % self.slug)

    def test_one_edit_counts_for_the_revision_that_was_read(self):
        self.edit("toolName=one_thing")
        error = self.failure("REVISION_CONFLICT", "edit", self.slug, "toolName=two",
                             "--if-revision", "1", exit=7)
        self.assertEqual(error["details"], {"revision": 2})
        self.assertEqual(self.answer("edit", self.slug, "toolName=two_things",
                                     "--if-revision=2")["revision"], 3)
        self.failure("REVISION_CONFLICT", "edit", self.slug, "/mockData/title=x",
                     "--if-revision=2", exit=7)
        self.failure("REVISION_CONFLICT", "publish", self.slug, "--if-revision=2", exit=7)
        self.failure("REVISION_CONFLICT", "delete", self.slug, "--yes", "--if-revision=2",
                     exit=7)
        for wrong in ("0", "x", "-1", "99999999999999999999"):
            self.failure("USAGE", "edit", self.slug, "name=x", f"--if-revision={wrong}",
                         exit=2)

    def test_wrong_words_change_nothing(self):
        for code, exit, words in (
                ("USAGE", 2, ["toolName"]), ("USAGE", 2, ["=x"]), ("USAGE", 2, []),
                ("USAGE", 2, [".=x"]), ("USAGE", 2, ["a" + ".b" * 40 + "=x"]),
                ("INVALID_JSON", 3, ["mockData={"]), ("INVALID_JSON", 3, ["budget=ten"]),
                ("NOT_FOUND", 4, ["name=@absent.txt"]), ("USAGE", 2, ["name=@."]),
                ("INVALID_CONFIG", 3, ["toolNam=x"]), ("INVALID_CONFIG", 3, ["/=x"]),
                ("INVALID_JSON", 3, ["budget.callsPerDay=many"]),
                ("INVALID_CONFIG", 3, ["budget.callsPerDay=-1"]),
                ("INVALID_CONFIG", 3, ["id=x", "toolNam=x"]),
                ("INVALID_CONFIG", 3, ["__proto__=x"]),
                ("INVALID_CONFIG", 3, ["/mockData=" + '"x"'])):
            self.failure(code, "edit", self.slug, *words, exit=exit)
        self.write("bytes.txt", "x")
        with open(os.path.join(self.folder, "bytes.txt"), "wb") as file:
            file.write(b"\xff\xfe")
        self.failure("BAD_FORMAT", "edit", self.slug, "name=@bytes.txt", exit=3)
        self.failure("USAGE", "edit", self.slug, "name=@-", "description=@-", exit=2)
        self.assertIn('did you mean "toolName"', self.app(
            "edit", self.slug, "toolNam=x", exit=3).stderr)
        self.assertEqual(self.answer("show", self.slug)["revision"], 1)

    def test_findings_are_lines_with_code_pointer_and_what_to_do(self):
        text = self.app("edit", self.slug, "toolName=order").stdout
        self.assertRegex(text, r"(?m)^  warning [A-Z_]+  /toolName\n    \S.{10,}$")
        done = self.app("check", self.slug, exit=3)
        self.assertTrue(done.stdout.startswith(f"✗ {self.slug}\n"))
        self.assertRegex(done.stdout, r"(?m)^  error MISSING_FIELD  /toolDescription\n    \S")
        self.assertRegex(done.stderr, r"^mica: CHECK_FAILED: ")
        answer = self.answer("check", self.slug, exit=3)
        self.assertFalse(answer["publishable"])
        self.assertIn("/toolDescription", [finding["path"] for finding
                                           in answer["findings"]])
        self.assertEqual(self.app("check", self.slug, *NAMED).stdout, f"✓ {self.slug}\n")
        self.assertTrue(self.answer("check", self.slug, *NAMED)["publishable"])
        # Nothing of that was saved.
        self.assertEqual(self.answer("show", self.slug)["revision"], 2)
        codes = set(re.findall(r"(?m)^  ([A-Z_]+)  /", done.stdout))
        with open(os.path.join(cli.OPTIONS.source, "docs/app-findings.md"),
                  encoding="utf-8") as file:
            documented = file.read()
        for code in codes:
            self.assertIn(code, documented)


class Read(Apps):
    def test_without_a_store_nothing_is_made(self):
        self.assertEqual(self.answer("list"), {"apps": [], "next": None})
        self.assertIn("mica app new", self.app("list").stderr)
        for words in (["show", "x"], ["edit", "x", "name=y"], ["publish", "x"],
                      ["delete", "x", "--yes"], ["export", "x"], ["usage", "x"],
                      ["versions", "x"], ["version", "x"], ["diff", "x"],
                      ["rollback", "x", "1"], ["owner", "x", "y"], ["preview", "x"],
                      ["test", "x", "message=y"], ["check", "x"], ["unpublish", "x"]):
            self.assertIn("mica app new", self.failure(
                "APP_NOT_FOUND", *words, exit=4)["message"])
        self.assertEqual(len(self.answer("layouts")["layouts"]), 8)
        for root, _, files in os.walk(self.folder):
            self.assertEqual([], [name for name in files if name.endswith(".db")], root)

    def test_a_near_slug_or_word_is_named(self):
        self.new()
        self.assertIn('did you mean "my-support-bot"', self.failure(
            "APP_NOT_FOUND", "publish", "my-suport-bot", exit=4)["message"])
        self.assertIn("mica app list", self.failure(
            "APP_NOT_FOUND", "show", "qqqqqqqq", exit=4)["message"])
        for said, meant in (("publsh", "publish"), ("ls", "list"), ("rm", "delete"),
                            ("create", "new"), ("revert", "rollback"),
                            ("history", "versions"), ("transfer", "owner")):
            self.assertIn(f'did you mean "mica app {meant}"', self.failure(
                "USAGE", said, "x", exit=2)["message"])
        self.assertIn("--help", self.failure("USAGE", "qqqqqq", exit=2)["message"])
        self.failure("USAGE", exit=2)
        self.assertIn("--json", self.failure("USAGE", "list", "--jsn", exit=2)["message"])

    def test_words_that_are_no_text(self):
        """Whatever the words are, a failure is JSON, and JSON is UTF-8."""
        self.new()
        odd = b"\xff\xfe\x1b]"
        cut = ("\u20ac" * 40).encode()[1:]  # begins and, cut, ends inside of a character
        for words in ([b"new", odd], [b"show", odd], [odd, b"x"], [b"show", cut], [cut],
                      [b"edit", b"my-support-bot", b"name=" + odd],
                      [b"edit", b"my-support-bot", odd + b"=x"],
                      [b"edit", b"my-support-bot", b"/" + odd + b"/x={"],
                      [b"edit", b"my-support-bot", b"/mockData=" + odd],
                      [b"edit", b"my-support-bot", odd], [b"import", odd],
                      [b"owner", b"my-support-bot", odd], [b"layouts", odd],
                      [b"usage", b"my-support-bot", b"--from", odd],
                      [b"list", b"--limit", odd], [b"list", b"--" + odd]):
            done = subprocess.run([cli.OPTIONS.mica, "app", *words, "--json"],
                                  cwd=self.folder, capture_output=True, check=False,
                                  env={**os.environ, **self.env})
            self.assertIn(done.returncode, (2, 3, 4), words)
            self.assertEqual(list(json.loads(done.stdout.decode("utf-8"))), ["error"])
            self.assertEqual(done.stderr, b"")
        self.assertEqual(len(self.answer("list")["apps"]), 1)
        self.assertEqual(self.answer("show", "my-support-bot")["revision"], 1)

    def test_wrong_amounts_of_words(self):
        for words in (["show"], ["show", "a", "b"], ["edit", "a"], ["rollback", "a"],
                      ["owner", "a"], ["import"], ["delete"], ["list", "x"],
                      ["unpublish"], ["publish"], ["diff", "a", "1", "2", "3"]):
            self.assertIn(f"write mica app {words[0]} ", self.failure(
                "USAGE", *words, exit=2)["message"] + " ")
        self.new()
        for words in (["rollback", "my-support-bot", "one"],
                      ["version", "my-support-bot", "0"],
                      ["diff", "my-support-bot", "x"], ["list", "--limit", "0"],
                      ["list", "--limit", "101"], ["list", "--after", "x"]):
            self.failure("USAGE", *words, exit=2)
        self.failure("APP_NOT_FOUND", "version", "my-support-bot", "9", exit=4)
        self.failure("INVALID_CONFIG", "usage", "my-support-bot", "--from", "monday", exit=3)

    def test_a_list_has_pages_and_is_cut_on_a_terminal_alone(self):
        for number in range(5):
            self.new(f"App {number}", "--description", "word " * 60)
        first = self.answer("list", "--limit", "3")
        self.assertEqual(len(first["apps"]), 3)
        rest = self.answer("list", "--limit=3", f"--after={first['next']}")
        self.assertEqual(len(rest["apps"]), 2)
        self.assertIsNone(rest["next"])
        said = self.app("list", "--limit", "3")
        self.assertIn(f"--after {first['next']}", said.stderr)
        self.assertEqual(len(said.stdout.splitlines()), 3)
        self.assertGreater(len(said.stdout.splitlines()[0]), 250)
        lines = self.on_terminal("app", "list", env={**self.env, "NO_COLOR": "1"},
                                 columns=80).splitlines()
        self.assertEqual(len(lines), 5)
        self.assertEqual({len(line) for line in lines}, {80})
        self.assertTrue(lines[0].endswith("…"))

    def test_colors_are_for_terminals(self):
        self.new()
        for words in (["list"], ["show", "my-support-bot"], ["layouts"],
                      ["diff", "my-support-bot", "draft"]):
            self.assertNotIn("\x1b", self.app(*words).stdout)
        self.assertIn("\x1b[", self.on_terminal("app", "show", "my-support-bot",
                                                env=self.env))
        self.assertNotIn("\x1b[", self.on_terminal(
            "app", "show", "my-support-bot", env={**self.env, "NO_COLOR": "1"}))

    def test_what_a_terminal_would_obey_is_written_out(self):
        self.write("evil.json", json.dumps({"name": "Nice", "mockData": {
            "title": "\x1b]0;evil\x07\x1b[2J"}}))
        self.app("import", "evil.json")
        for words in (["show", "nice"], ["test", "nice", "message=x"],
                      ["export", "nice"], ["diff", "nice"]):
            text = self.on_terminal("app", *words, exit=None,
                                    env={**self.env, "NO_COLOR": "1"})
            self.assertNotIn("\x1b", text)

    def test_layouts(self):
        names = [layout["name"] for layout in self.answer("layouts")["layouts"]]
        self.assertEqual(names, ["message", "card", "list", "carousel", "table", "chart",
                                 "detail", "form"])
        self.assertEqual([line.split()[0] for line in
                          self.app("layouts").stdout.splitlines()], names)
        one = self.answer("layouts", "table")
        self.assertEqual(one["name"], "table")
        self.assertIn("columns", one["mockData"])
        self.assertIn('"columns"', self.app("layouts", "table").stdout)
        self.failure("USAGE", "layouts", "tabel", exit=2)

    def test_usage_is_a_table_of_days(self):
        self.new()
        answer = self.answer("usage", "my-support-bot", "--from", "2026-11-01", "--to",
                             "2026-11-02")
        self.assertEqual(answer["from"], "2026-11-01")
        self.assertEqual(answer["total"], {"calls": 0, "failures": 0, "tokens": 0})
        self.assertRegex(self.app("usage", "my-support-bot").stdout,
                         r"^day +calls +failures +tokens\nall +0 +0 +0\n$")


class Documents(Apps):
    def test_preview_is_a_document_on_stdout_or_in_a_file(self):
        self.new()
        html = self.app("preview", "my-support-bot").stdout
        self.assertTrue(html.lower().startswith("<!doctype html>"))
        self.assertEqual(self.app("preview", "my-support-bot", "-o", "p.html").stdout,
                         "p.html\n")
        self.assertEqual(self.read("p.html"), html)
        self.assertEqual(self.answer("preview", "my-support-bot")["html"], html)
        self.assertEqual(self.answer("preview", "my-support-bot", "--out", "q.html"),
                         {"file": "q.html"})
        changed = self.app("preview", "my-support-bot", "/mockData/title=Changed").stdout
        self.assertIn("Changed", changed)
        self.assertNotIn("Changed", html)
        self.assertIn("-o FILE", self.app("preview", "my-support-bot", "-o", exit=2).stderr)
        self.failure("IO_ERROR", "preview", "my-support-bot", "-o",
                     "p.html/below.html", exit=8)

    def test_a_test_answers_as_the_tool_would(self):
        self.new()
        result = self.answer("test", "my-support-bot", "message=Where is it?",
                             'context={"order":1}')
        data = self.answer("show", "my-support-bot")["mockData"]
        self.assertEqual(result["structuredContent"], data)
        self.assertEqual(result["content"][0]["type"], "text")
        self.assertIn(data["title"], self.app("test", "my-support-bot", "message=x").stdout)
        self.failure("INVALID_CONFIG", "test", "my-support-bot", "massage=x", exit=3)
        self.failure("INVALID_CONFIG", "test", "my-support-bot", "context=[]", exit=3)
        self.failure("INVALID_JSON", "test", "my-support-bot", "context={", exit=3)

    def test_a_draft_runs_the_tool_that_it_maps(self):
        behavior = {"type": "tool", "tool": "tip-splitter",
                    "arguments": {"/amount": {"pointer": "/context/amount"},
                                  "/currency": {"value": "EUR"}},
                    "data": {"/title": {"value": "The bill"},
                             "/facts/0/label": {"value": "Total"},
                             "/facts/0/value": {"pointer": "/total"}}}
        self.new("Tip Bot", "behavior=" + json.dumps(behavior))
        words = ["test", "tip-bot", "message=x"]
        result = self.answer(*words, 'context={"amount":100}')
        self.assertEqual(result["structuredContent"]["facts"],
                         [{"label": "Total", "value": 115}])
        said = self.app(*words, 'context={"amount":100}')
        self.assertIn("Total: 115", said.stdout)
        self.assertIn("100/100", said.stderr)
        error = self.failure("EXECUTION_ERROR", *words, 'context={"amount":-1}', exit=1)
        self.assertEqual(error["details"]["path"], "/context/amount")
        other = self.answer(*words, 'context={"amount":100}',
                            "draft.behavior.data=" + json.dumps(
                                dict(behavior["data"], **{"/title": {"value": "Else"}})))
        self.assertEqual(other["structuredContent"]["title"], "Else")
        self.failure("NOT_FOUND", *words, "draft.behavior.tool=nothing", exit=4)
        self.failure("INVALID_CONFIG", "test", "tip-bot", exit=3)
        # They count as calls of the app.
        self.assertEqual(self.answer("usage", "tip-bot")["total"],
                         {"calls": 5, "failures": 2, "tokens": 0})

    def test_a_budget_holds_for_tests_too(self):
        self.new("Clerk", "behavior.type=prompt", "behavior.systemPrompt=Be polite.",
                 "behavior.by=client", "budget.callsPerDay=1")
        sampler = "echo '{\"title\":\"Order 1\"}'"
        words = ["test", "clerk", "message=x", "--sampler", sampler]
        self.assertEqual(self.answer(*words)["structuredContent"], {"title": "Order 1"})
        self.failure("BUDGET_EXHAUSTED", *words, exit=6)

    def test_the_prompt_of_a_draft_is_asked_of_a_provider(self):
        sys.path.insert(0, os.path.join(cli.OPTIONS.source, "tests", "wire"))
        import app_prompts
        model = app_prompts.Model()
        self.addCleanup(model.close)
        self.write("mica.toml", '[providers.stand-in]\ntype = "openai"\nurl = "%s"\n'
                   'model = "repair"\nkey_env = "APP_KEY"\nattempts = 1\n' % model.url)
        self.env["APP_KEY"] = "sk-of-a-test-1"
        self.new("Clerk", "behavior.type=prompt", "behavior.systemPrompt=Be polite.")
        words = ["test", "clerk", "message=Where?"]
        result = self.answer(*words, "--models")
        self.assertEqual(result["structuredContent"], json.loads(app_prompts.RIGHT))
        self.assertEqual(len(model.requests), 2)
        self.failure("LLM_ERROR", *words, "--models", "draft.behavior.model=leak", exit=8)
        self.failure("EXECUTION_ERROR", *words, "--models", "draft.behavior.model=wrong",
                     exit=1)
        usage = self.answer("usage", "clerk")["total"]
        self.assertEqual((usage["calls"], usage["failures"]), (5, 4))
        self.assertGreater(usage["tokens"], 0)
        without = self.app(*words, exit=3)
        self.assertIn("--models", without.stderr)

    def test_a_new_app_is_drafted_from_a_sentence(self):
        made = self.app("new", "Order Finder", "--describe", "Shows a table of orders")
        self.assertEqual(made.stdout, "order-finder\n")
        self.assertIn("description by rule", made.stderr)
        app = self.answer("show", "order-finder")
        self.assertEqual((app["layoutTemplate"], app["description"], app["findings"]),
                         ("table", "Shows a table of orders", []))
        self.app("publish", "order-finder")
        other = self.answer("new", "Else", "--describe", "Shows a table", "--layout", "list",
                            "--description", "Mine.", "toolName=find_it")
        self.assertEqual((other["layoutTemplate"], other["description"], other["toolName"]),
                         ("list", "Mine.", "find_it"))
        self.assertIn("items", other["mockData"])
        error = self.failure("INVALID_CONFIG", "new", "x", "--describe", "", exit=3)
        self.assertEqual(error["details"]["path"], "/sentence")

    def test_a_model_drafts_a_new_app(self):
        sys.path.insert(0, os.path.join(cli.OPTIONS.source, "tests", "wire"))
        import app_drafts
        model = app_drafts.Model()
        self.addCleanup(model.close)
        self.env["APP_KEY"] = "sk-of-a-test-1"
        for name, by in (("right", "model"), ("prose", "rule")):
            self.write("mica.toml", '[providers.stand-in]\ntype = "openai"\nurl = "%s"\n'
                       'model = "%s"\nkey_env = "APP_KEY"\nattempts = 1\n'
                       % (model.url, app_drafts.model_of(name)))
            made = self.app("new", "Mine", "--describe", "Orders", "--models")
            self.assertIn("toolName by " + by, made.stderr)
            app = self.answer("show", made.stdout.strip())
            self.assertEqual(app["name"], "Mine")
            self.assertEqual(app["toolName"] == "find_order", by == "model")

    def test_an_export_is_imported_as_another_app(self):
        self.new("My Support Bot", *NAMED, "roles.editors=ada")
        text = self.app("export", "my-support-bot").stdout
        document = json.loads(text)
        self.assertEqual(document["micaApp"], 1)
        self.assertNotIn("roles", document["draft"])
        self.assertEqual(self.answer("export", "my-support-bot"), document)
        self.app("export", "my-support-bot", "-o", "app.json")
        self.assertEqual(self.read("app.json"), text)
        again = self.app("import", "app.json")
        self.assertEqual(again.stdout, "my-support-bot-2\n")
        taken = self.answer("import", "-", stdin=text)
        self.assertEqual(taken["mcpSlug"], "my-support-bot-3")
        self.assertEqual({name: taken[name] for name in document["draft"]},
                         document["draft"])
        other = {"XDG_STATE_HOME": os.path.join(self.folder, "other")}
        self.assertEqual(self.mica("app", "import", "app.json", env=other).stdout,
                         "my-support-bot\n")
        for wrong in ("", "[]", "{", '{"micaApp":2,"draft":{}}', '{"micaApp":1}',
                      '{"name":1}', '{"name":"x","x":1}', '{"name":"x","name":"y"}',
                      "[" * 1000):
            self.failure("INVALID_CONFIG", "import", "-", stdin=wrong, exit=3)
        self.failure("NOT_FOUND", "import", "absent.json", exit=4)
        self.failure("USAGE", "import", ".", exit=2)

    def test_owner(self):
        self.new()
        self.assertEqual(self.app("owner", "my-support-bot", "ada@example.org").stdout,
                         "my-support-bot belongs to ada@example.org\n")
        self.assertEqual(self.answer("show", "my-support-bot")["owner"], "ada@example.org")
        self.failure("INVALID_CONFIG", "owner", "my-support-bot", "", exit=3)
        self.failure("INVALID_CONFIG", "owner", "my-support-bot", "a\nb", exit=3)


class Delete(Apps):
    def typed(self, answer, exit):
        """What a person sees who answers the question."""
        master, slave = pty.openpty()
        process = subprocess.Popen([cli.OPTIONS.mica, "app", "delete", "my-support-bot"],
                                   stdin=slave, stdout=slave, stderr=slave,
                                   cwd=self.folder, env={**os.environ, **self.env})
        os.close(slave)
        seen, until = b"", time.monotonic() + cli.OPTIONS.patience
        while b"[y/N]" not in seen and time.monotonic() < until:
            if select.select([master], [], [], 1)[0]:
                seen += os.read(master, 65536)
        os.write(master, answer)
        self.assertEqual(process.wait(cli.OPTIONS.patience), exit)
        os.close(master)
        return seen.decode()

    def test_a_person_is_asked(self):
        self.new()
        self.assertIn("my-support-bot", self.typed(b"n\n", 6))
        self.typed(b"\n", 6)
        self.typed(b"\x04", 6)
        self.assertEqual(len(self.answer("list")["apps"]), 1)
        self.typed(b"y\n", 0)
        self.assertEqual(self.answer("list")["apps"], [])

    def test_a_script_says_yes(self):
        self.new()
        self.assertIn("--yes", self.failure(
            "USAGE", "delete", "my-support-bot", stdin="y\n", exit=2)["message"])
        self.app("delete", "my-support-bot", "--yes")


class Stores(Apps):
    def test_a_named_store(self):
        spec = "sqlite:" + os.path.join(self.folder, "apps.db")
        self.failure("NOT_FOUND", "list", "--store", spec, exit=4)
        self.app("new", "One", "--store", spec)
        self.assertEqual(len(self.answer("list", "--store", spec)["apps"]), 1)
        self.assertEqual(self.answer("list")["apps"], [])
        self.failure("USAGE", "new", "Two", "--store", "memory", exit=2)
        self.failure("USAGE", "new", "Two", "--store", "mysql:x", exit=2)

    def test_the_store_of_mica_toml(self):
        self.write("mica.toml", 'name = "x"\n[store]\nlocation = "sqlite:apps.db"\n')
        self.app("new", "One")
        self.assertTrue(os.path.exists(os.path.join(self.folder, "apps.db")))
        self.assertEqual(len(self.answer("list")["apps"]), 1)

    def test_a_copy_of_a_project_says_where_its_apps_are(self):
        os.makedirs(os.path.join(self.folder, "first/tools"))
        self.app("new", "One", "--project", "first")
        shutil.copytree(os.path.join(self.folder, "first"),
                        os.path.join(self.folder, "second"))
        self.assertIn("first", self.failure("NOT_FOUND", "list", "--project", "second",
                                            exit=4)["message"])
        self.app("new", "Two", "--project", "second")
        self.assertEqual([app["mcpSlug"] for app in
                          self.answer("list", "--project", "second")["apps"]], ["two"])
        self.assertEqual([app["mcpSlug"] for app in
                          self.answer("list", "--project", "first")["apps"]], ["one"])

    def test_two_commands_at_once_lose_nothing(self):
        self.new("Counter")
        failed = []

        def act(*words):
            until = time.monotonic() + cli.OPTIONS.patience
            done = self.app(*words, exit=None)
            # Others may hold the store for longer than a command waits: it is tried again.
            while done.returncode == 6 and time.monotonic() < until:
                done = self.app(*words, exit=None)
            if done.returncode != 0:
                failed.append(done.stderr)

        def edit(number):
            for step in range(4):
                act("edit", "counter",
                    f"/themeVariables/--font-text-{'xs sm md lg'.split()[number]}"
                    f"-size={step + 10}px")
                act("new", "Racer")

        threads = [threading.Thread(target=edit, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])
        app = self.answer("show", "counter")
        self.assertEqual(app["themeVariables"],
                         {f"--font-text-{size}-size": "13px" for size in
                          ("xs", "sm", "md", "lg")})
        self.assertEqual(app["revision"], 17)
        slugs = {one["mcpSlug"] for one in self.answer("list", "--limit", "100")["apps"]}
        self.assertEqual(slugs, {"counter", "racer",
                                 *(f"racer-{number}" for number in range(2, 17))})


class Beside(Apps):
    """Beside a server of the same store."""

    def serve(self, *words):
        server = subprocess.Popen(
            [cli.OPTIONS.mica, "serve", "--listen", "127.0.0.1:0", "--quiet", "--drain=0",
             *words],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, **self.env})

        def stop():
            server.send_signal(signal.SIGTERM)
            server.wait(cli.OPTIONS.patience)
            server.stdout.close()
        self.addCleanup(stop)
        self.origin = server.stdout.readline().strip().removesuffix("/mcp")

    def call(self, slug, method="tools/list", **params):
        body = json.dumps(cli.message(method, **params)).encode()
        headers = {"content-type": "application/json",
                   "accept": "application/json, text/event-stream",
                   "mcp-protocol-version": "2026-07-28", "mcp-method": method}
        if "name" in params:
            headers["mcp-name"] = params["name"]
        request = urllib.request.Request(f"{self.origin}/servers/{slug}/mcp", body, headers)
        try:
            with urllib.request.urlopen(request, timeout=cli.OPTIONS.patience) as reply:
                return reply.status, json.load(reply)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def until(self, wanted, slug="my-support-bot"):
        """Asks until the server answers so: after a second, or more on a busy machine."""
        began = time.monotonic()
        while True:
            status, answer = self.call(slug)
            if wanted(status, answer):
                return time.monotonic() - began
            self.assertLess(time.monotonic() - began, cli.OPTIONS.patience, (status, answer))
            time.sleep(0.02)

    def test_a_running_server_follows_within_a_second(self):
        self.serve()
        self.assertEqual(self.call("my-support-bot")[0], 404)
        self.new("My Support Bot", *NAMED)
        self.assertEqual(self.call("my-support-bot")[0], 404)  # a draft
        self.app("publish", "my-support-bot")
        self.until(lambda status, answer: status == 200 and [
            tool["name"] for tool in answer["result"]["tools"]] == ["get_order_status"])
        status, answer = self.call("my-support-bot", "tools/call",
                                   name="get_order_status",
                                   arguments={"message": "Where is it?"})
        self.assertEqual(status, 200)
        self.assertEqual(answer["result"]["structuredContent"],
                         self.answer("show", "my-support-bot")["mockData"])
        self.app("publish", "my-support-bot", "toolName=find_orders")
        self.until(lambda status, answer: [
            tool["name"] for tool in answer["result"]["tools"]] == ["find_orders"])
        self.app("rollback", "my-support-bot", "1")
        self.until(lambda status, answer: [
            tool["name"] for tool in answer["result"]["tools"]] == ["get_order_status"])
        self.app("unpublish", "my-support-bot")
        self.until(lambda status, answer: status == 404 and
                   answer["error"]["data"]["code"] == "APP_NOT_FOUND")
        self.app("publish", "my-support-bot")
        self.until(lambda status, answer: status == 200)
        self.app("delete", "my-support-bot", "--yes")
        self.until(lambda status, answer: status == 404)

    def test_a_server_that_starts_later_serves_what_is_published(self):
        self.new("My Support Bot", *NAMED)
        self.app("publish", "my-support-bot")
        self.serve()
        self.assertEqual(self.call("my-support-bot")[0], 200)
        request = urllib.request.Request(self.origin + "/api/apps")
        with urllib.request.urlopen(request, timeout=cli.OPTIONS.patience) as reply:
            listed = json.load(reply)
        self.assertEqual([app["mcpSlug"] for app in listed["apps"]], ["my-support-bot"])

    def test_the_same_in_a_project(self):
        self.write("mica.toml", 'name = "orders"\n')
        self.new("My Support Bot", *NAMED)
        self.app("publish", "my-support-bot")
        self.serve()
        self.assertEqual(self.call("my-support-bot")[0], 200)


class Tools(Apps):
    def test_an_app_that_runs_an_engine_is_published_with_its_build(self):
        self.new("Split a bill", *NAMED, "--layout", "message")
        self.app("edit", "split-a-bill", "behavior=" + json.dumps({
            "type": "tool", "tool": "tip-splitter",
            "arguments": {"/amount": {"value": 84.5}, "/currency": {"value": "EUR"},
                          "/people": {"value": 3}},
            "data": {"/text": {"value": "Split."}}}))
        self.assertTrue(self.answer("check", "split-a-bill")["publishable"])
        self.app("publish", "split-a-bill")
        self.assertRegex(self.answer("version", "split-a-bill")["pin"], r"^[0-9a-f]{8,}")

    def test_a_tool_that_is_not_there_cannot_be_published(self):
        self.new("Split", *NAMED)
        self.app("edit", "split", "behavior.type=tool", "behavior.tool=no-such-tool",
                 "behavior.message=null")
        error = self.failure("INVALID_CONFIG", "publish", "split", exit=3)
        self.assertEqual(error["details"]["path"], "/behavior/tool")


if __name__ == "__main__":
    alone.run("source")

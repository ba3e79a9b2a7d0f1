# SPDX-License-Identifier: Apache-2.0
"""The folder apps/ of a project: what mica check says of its files, what mica serve
publishes of them, and what mica dev follows.

    python3 app_folder.py --mica build/mica --source .
"""

import json
import os
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request

import alone
import cli

APP = {"name": "Order status", "description": "Says where an order is.",
       "toolName": "get_order_status",
       "toolDescription": "Retrieve the status of an order. Use when a customer asks about "
                          "an order. Requires the order number."}
SPLIT = {**APP, "name": "Split a bill", "layoutTemplate": "message",
         "behavior": {"type": "tool", "tool": "tip-splitter",
                      "arguments": {"/amount": {"value": 84.5},
                                    "/currency": {"value": "EUR"}},
                      "data": {"/text": {"value": "Split."}}}}


HELLO = """\
#include <mica/tool.h>

static enum mica_status
run(struct mica_call *call, const struct mica_nothing *in, struct mica_nothing *out)
{
    (void)in;
    (void)out;
    mica_add_text(call, MICA_LITERAL("hello"), NULL);
    return MICA_OK;
}

MICA_TOOL(say_hello, mica_nothing, mica_nothing, run, .description = "Says hello.");
"""


class Project(cli.Case):
    """A project has a source of its own, beside its apps."""

    SOURCE = True

    def setUp(self):
        super().setUp()
        self.env = {"XDG_STATE_HOME": os.path.join(self.folder, "state")}
        self.server = None
        if self.SOURCE:
            self.write("tools/say_hello.c", HELLO)

    def tearDown(self):
        self.stop()
        super().tearDown()

    def put(self, slug="order-status", app=None, **other):
        return self.write(f"apps/{slug}.json", json.dumps({**(app or APP), **other}))

    def remove(self, slug="order-status"):
        os.unlink(os.path.join(self.folder, f"apps/{slug}.json"))

    def app(self, *words):
        return json.loads(self.mica("app", *words, "--json", env=self.env).stdout)

    def serve(self, command="serve", *words):
        self.log = open(os.path.join(self.folder, "log"), "w", encoding="utf-8")
        self.server = subprocess.Popen(
            [cli.OPTIONS.mica, command, "--listen", "127.0.0.1:0", "--quiet",
             *(["--drain=0"] if command == "serve" else []), *words],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=self.log, text=True,
            env={**os.environ, **self.env})
        line = self.server.stdout.readline().strip()
        self.assertTrue(line.endswith("/mcp"), line + self.said())
        self.origin = line.removesuffix("/mcp")

    def said(self):
        return self.read("log")

    def stop(self):
        if self.server is None:
            return
        self.server.send_signal(signal.SIGTERM)
        self.server.wait(cli.OPTIONS.patience)
        self.server.stdout.close()
        self.log.close()
        self.server = None

    def restart(self):
        self.stop()
        self.serve()

    def refused(self, code, exit, *words):
        """What mica serve says that does not start."""
        done = self.mica("serve", "--listen", "127.0.0.1:0", *words, exit=exit,
                         env=self.env)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, rf"(?m)^mica: {code}: ")
        return done.stderr

    def tool(self, slug="order-status"):
        """The name of the tool at the slug; or the HTTP status of a failure."""
        body = json.dumps(cli.message("tools/list")).encode()
        request = urllib.request.Request(
            f"{self.origin}/servers/{slug}/mcp", body,
            {"content-type": "application/json",
             "accept": "application/json, text/event-stream",
             "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list"})
        try:
            with urllib.request.urlopen(request, timeout=cli.OPTIONS.patience) as reply:
                return json.load(reply)["result"]["tools"][0]["name"]
        except urllib.error.HTTPError as error:
            with error:
                return error.code

    def until(self, wanted, ask):
        """Until it is so: what the folder needs to be looked at, and a second."""
        end = time.monotonic() + cli.OPTIONS.patience
        while ask() != wanted:
            self.assertLess(time.monotonic(), end, (wanted, ask(), self.said()))
            time.sleep(0.05)


class Serve(Project):
    def test_a_file_is_published_when_the_server_starts(self):
        self.put()
        self.serve()
        self.assertEqual(self.tool(), "get_order_status")
        self.assertIn("apps/order-status.json is version 1 of ", self.said())
        app = self.app("show", "order-status")
        self.assertEqual(app["status"], "published")
        self.assertEqual(app["owner"], "#project")
        self.assertIn("title", app["mockData"])  # of its layout

    def test_only_what_has_changed_is_published_again(self):
        self.put()
        self.serve()
        self.restart()
        self.restart()
        self.assertEqual(self.app("show", "order-status")["publishVersion"], 1)
        self.assertNotIn("is version", self.said())
        self.put(toolName="find_orders", budget={"callsPerDay": 9, "seconds": 2})
        self.restart()
        self.assertEqual(self.tool(), "find_orders")
        self.put(toolName="find_orders", budget={"seconds": 2},
                 mockData={"title": "Mine"})
        self.restart()
        app = self.app("show", "order-status")
        self.assertEqual(app["publishVersion"], 3)
        self.assertEqual(app["budget"], {"seconds": 2})
        self.assertEqual(app["mockData"], {"title": "Mine"})
        self.restart()
        self.assertEqual(self.app("show", "order-status")["publishVersion"], 3)

    def test_an_app_without_a_file_is_withdrawn_and_comes_back(self):
        self.put()
        self.put("other")
        self.serve()
        self.remove()
        self.restart()
        self.assertEqual(self.tool(), 404)
        self.assertEqual(self.tool("other"), "get_order_status")
        self.assertIn("1 app of apps/ has no file", self.said())
        self.put()
        self.restart()
        self.assertEqual(self.tool(), "get_order_status")
        self.assertEqual(self.app("show", "order-status")["publishVersion"], 2)

    def test_the_file_has_the_last_word(self):
        self.put()
        self.serve()
        said = self.mica("app", "edit", "order-status", "toolName=do_other", env=self.env)
        self.assertIn("apps/order-status.json", said.stderr)
        self.mica("app", "publish", "order-status", env=self.env)
        self.until("do_other", self.tool)
        self.restart()
        self.assertEqual(self.tool(), "get_order_status")

    def test_an_export_is_such_a_file(self):
        self.mica("app", "new", "Weather", *(f"{name}={APP[name]}" for name in
                                             ("toolName", "toolDescription")), env=self.env)
        self.mica("app", "export", "weather", "-o", "weather.json", env=self.env)
        self.mica("app", "delete", "weather", "--yes", env=self.env)
        text = self.read("weather.json")
        self.write("apps/weather.json", text)
        # The deleted app was another owner's, and so is its slug for good.
        self.assertIn("apps/weather.json", self.refused("ALREADY_EXISTS", 7))
        self.assertEqual(self.app("list")["apps"], [])
        self.remove("weather")
        self.write("apps/forecast.json", text.replace('"weather"', '"forecast"'))
        self.serve()
        self.assertEqual(self.tool("forecast"), "get_order_status")

    def test_one_slug_in_both_is_refused(self):
        self.mica("app", "new", "Order status", env=self.env)
        self.put()
        said = self.refused("ALREADY_EXISTS", 7)
        self.assertIn("apps/order-status.json", said)
        self.assertIn("local", said)
        # To delete it frees nothing, so that is no advice.
        self.assertNotIn("delete order-status", said)
        self.assertIn("another name", said)
        self.assertIn("mica app export order-status", said)
        self.assertEqual(self.app("show", "order-status")["revision"], 1)
        os.rename(os.path.join(self.folder, "apps/order-status.json"),
                  os.path.join(self.folder, "apps/order-status-2.json"))
        self.serve()
        self.assertEqual(self.tool("order-status-2"), "get_order_status")

    def test_a_file_that_is_wrong_is_named_with_its_pointer(self):
        for text, code, exit, words in (
                ("{", "INVALID_JSON", 3, "line 1"), ("[]", "INVALID_CONFIG", 3, "object"),
                ("", "INVALID_JSON", 3, ""), ("[" * 5000, "LIMIT_EXCEEDED", 5, ""),
                (json.dumps({**APP, "toolNam": "x"}), "INVALID_CONFIG", 3, "/toolNam"),
                (json.dumps({**APP, "toolName": ""}), "INVALID_CONFIG", 3, "/toolName"),
                (json.dumps({**APP, "roles": {"editors": ["ada"]}}), "INVALID_CONFIG", 3,
                 "/roles"),
                (json.dumps({"micaApp": 1, "mcpSlug": "other", "draft": APP}),
                 "INVALID_CONFIG", 3, "/mcpSlug"),
                (json.dumps({"micaApp": 1}), "INVALID_CONFIG", 3, "/draft"),
                (json.dumps({**APP, "behavior": {"type": "tool", "tool": "absent"}}),
                 "INVALID_CONFIG", 3, "/behavior/tool")):
            self.write("apps/order-status.json", text)
            said = self.refused(code, exit)
            self.assertIn("apps/order-status.json: ", said)
            self.assertIn(words, said)
        self.remove()
        self.put("Not A Slug")
        self.assertIn("apps/Not A Slug.json", self.refused("INVALID_CONFIG", 3))

    def test_what_is_no_file_of_an_app_is_left_alone(self):
        self.put()
        self.write("apps/README.md", "x")
        self.write("apps/.hidden.json", "x")
        self.write("apps/below/other.json", "x")
        self.serve()
        self.assertEqual(self.tool(), "get_order_status")

    def test_a_link_that_leads_out_is_not_read(self):
        os.makedirs(os.path.join(self.folder, "apps"))
        outside = os.path.join(os.path.dirname(self.folder), "mica-outside.json")
        with open(outside, "w", encoding="utf-8") as file:
            json.dump(APP, file)
        self.addCleanup(os.unlink, outside)
        os.symlink(outside, os.path.join(self.folder, "apps/order-status.json"))
        self.refused("UNTRUSTED_FILE", 8)

    def test_a_store_in_memory_is_refused(self):
        self.put()
        self.assertIn("--store", self.refused("USAGE", 2, "--store", "memory"))

    def test_apps_alone_are_a_project_beside_the_tools_inside_mica(self):
        shutil.rmtree(os.path.join(self.folder, "tools"))
        self.put()
        self.put("split", SPLIT)  # runs a tool that is inside mica
        self.assertIn("all good", self.mica("check", env=self.env).stdout)
        self.serve()
        self.assertEqual(self.tool(), "get_order_status")
        self.assertEqual(self.app("version", "split")["version"], 1)
        self.assertEqual(self.app("show", "order-status")["owner"], "#project")
        self.assertTrue(os.path.exists(os.path.join(self.folder, ".mica/project")))
        self.remove()
        self.remove("split")
        self.restart()  # what has no file any more is withdrawn
        self.assertEqual(self.tool(), 404)
        self.assertEqual(self.app("show", "order-status")["status"], "draft")
        self.stop()
        self.serve("serve", "--built-in")
        self.assertEqual(self.tool(), 404)

    def test_apps_alone_are_followed_by_mica_dev(self):
        shutil.rmtree(os.path.join(self.folder, "tools"))
        self.put()
        self.serve("dev")
        self.until("get_order_status", self.tool)
        self.put(toolName="find_order")
        self.until("find_order", self.tool)

    def test_json_of_another_program_is_no_app(self):
        shutil.rmtree(os.path.join(self.folder, "tools"))
        self.write("apps/package.json", json.dumps({"name": "web", "version": "1.0.0"}))
        self.serve()
        self.assertEqual(self.tool("package"), 404)
        self.assertIn("no file of apps/ has a toolName", self.said())
        self.assertFalse(os.path.exists(os.path.join(self.folder, ".mica")))

    def test_an_engine_that_is_built_anew_is_published_anew(self):
        engine = os.path.join(self.folder, "engines/tip-splitter.c")
        os.makedirs(os.path.dirname(engine))
        shutil.copy(os.path.join(cli.OPTIONS.source, "engines/tip-splitter.c"), engine)
        self.put("split", SPLIT)
        self.serve()
        first = self.app("version", "split")
        self.assertRegex(first["pin"], r"^[0-9a-f]{8,}")
        self.restart()
        self.assertEqual(self.app("version", "split")["version"], 1)
        with open(engine, encoding="utf-8") as file:
            text = file.read()
        with open(engine, "w", encoding="utf-8") as file:
            file.write(text.replace("ISO 4217 code of the bill's", "The ISO 4217 code of the"))
        self.restart()
        second = self.app("version", "split")
        self.assertEqual(second["version"], 2)
        self.assertNotEqual(second["pin"], first["pin"])


class Dev(Project):
    def test_a_change_is_published_while_it_serves(self):
        self.serve("dev", "--no-check")
        self.assertEqual(self.tool(), 404)
        self.put()  # the folder comes with it
        self.until("get_order_status", self.tool)
        self.put(toolName="find_orders")
        self.until("find_orders", self.tool)
        self.write("apps/order-status.json", "{")
        self.until(True, lambda: "apps/order-status.json: line 1" in self.said())
        self.assertEqual(self.tool(), "find_orders")  # what was right stays
        self.put(toolName="track_orders")
        self.until("track_orders", self.tool)
        self.remove()
        self.until(404, self.tool)

    def test_a_wrong_file_does_not_keep_others_from_being_served(self):
        self.put()
        self.write("apps/wrong.json", "{")
        self.serve("dev", "--no-check")
        self.assertEqual(self.tool(), "get_order_status")
        self.assertIn("apps/wrong.json", self.said())


class Check(Project):
    SOURCE = False

    def check(self, *words, exit=0):
        done = self.mica("check", *words, "--json", exit=exit, env=self.env)
        return {report["slug"]: report for report in json.loads(done.stdout)}

    def test_findings_of_an_app_are_findings_of_check(self):
        self.put()
        self.assertTrue(self.check()["order-status"]["ok"])
        self.assertEqual(self.mica("check", env=self.env).stdout,
                         "✓ order-status\n1 app checked, all good\n")
        self.put("second", toolName="order", toolDescription="")
        reports = self.check(exit=3)
        self.assertTrue(reports["order-status"]["ok"])
        found = {(finding["code"], finding["path"], finding["message"].split(":")[0])
                 for finding in reports["second"]["findings"]}
        self.assertEqual(found, {("APP_WARNING", "/toolName", "TOOL_NAME_OBJECT"),
                                 ("APP_INVALID", "/toolDescription", "MISSING_FIELD")})
        for word in ("apps/order-status.json", "./apps/order-status.json"):
            self.assertEqual(list(self.check(word)), ["order-status"])
        text = self.mica("check", "apps/second.json", exit=3, env=self.env)
        self.assertIn("✗ second\n", text.stdout)
        self.assertIn("1 of 1 app is not done", text.stderr)

    def test_warnings_leave_an_app_good(self):
        """mica new makes an app that mica check passes, whatever its name."""
        self.mica("new", "--template", "app", "thing", env=self.env)
        report = self.check("apps/thing.json")["thing"]
        self.assertEqual([finding["code"] for finding in report["findings"]], ["APP_WARNING"])
        self.assertTrue(report["ok"])
        text = self.mica("check", "apps/thing.json", env=self.env).stdout
        self.assertIn("✓ thing\n", text)
        self.assertIn("APP_WARNING", text)
        self.assertIn("1 app checked, all good", text)
        self.mica("app", "new", "thing", "toolName=get_thing", env=self.env)

    def test_a_file_that_cannot_be_read_is_a_finding(self):
        for text in ("{", "[]", "", "\xff"):
            self.write("apps/bad.json", text)
            self.assertEqual([finding["code"] for finding in
                              self.check(exit=3)["bad"]["findings"]], ["APP_INVALID"])
        self.remove("bad")
        self.put("Not A Slug")
        self.assertFalse(self.check(exit=3)["Not A Slug"]["ok"])
        self.assertEqual([finding["code"] for finding in self.check(
            "apps/absent.json", exit=3)["absent"]["findings"]], ["APP_INVALID"])


class Template(Project):
    def test_new_writes_an_app_that_is_done(self):
        self.assertEqual(self.mica("new", "--template", "app", "order-status",
                                   env=self.env).stdout, "apps/order-status.json\n")
        self.assertEqual(json.loads(self.read("apps/order-status.json"))["name"],
                         "Order status")
        self.mica("check", "apps/order-status.json", env=self.env)
        self.serve()
        self.assertRegex(self.tool(), r"^[a-z]+_[a-z_]+$")
        self.complaint("ALREADY_EXISTS", "new", "--template", "app", "order-status", exit=7)
        self.assertEqual(self.json("new", "--template", "app", "other")["files"],
                         ["apps/other.json"])
        for wrong in ("Orders", "a b", "x" * 65, "../x"):
            self.complaint("USAGE", "new", "--template", "app", wrong, exit=2)
        self.complaint("USAGE", "new", "--template", "app", "--interactive", "x", exit=2)


if __name__ == "__main__":
    alone.run("source")

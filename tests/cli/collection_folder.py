# SPDX-License-Identifier: Apache-2.0
"""Collections as files of a project: apps/SLUG.json with the member "micaCollection", which
mica check judges and mica serve makes.

    python3 collection_folder.py --mica build/mica --source .
"""

import json
import urllib.error
import urllib.request

import alone
import app_folder
import cli
from app_folder import Project

DESK = {"micaCollection": 1, "name": "Front desk", "members": ["stock", "order-status"]}


class Folder(Project):
    def setUp(self):
        super().setUp()
        self.put()
        self.put("stock", toolName="get_stock")
        self.desk()

    def desk(self, slug="desk", **other):
        return self.write(f"apps/{slug}.json", json.dumps({**DESK, **other}))

    def tools(self, slug="desk"):
        """The names of the tools at the slug; or the HTTP status of a failure."""
        request = urllib.request.Request(
            f"{self.origin}/servers/{slug}/mcp", json.dumps(cli.message("tools/list")).encode(),
            {"content-type": "application/json",
             "accept": "application/json, text/event-stream",
             "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list"})
        try:
            with urllib.request.urlopen(request, timeout=cli.OPTIONS.patience) as reply:
                return [tool["name"] for tool in json.load(reply)["result"]["tools"]]
        except urllib.error.HTTPError as error:
            with error:
                return error.code

    def collection(self, slug="desk"):
        return json.loads(self.mica("collection", "show", slug, "--json", env=self.env).stdout)

    def test_a_file_is_a_collection_that_is_served(self):
        self.serve()
        own = app_folder.APP["toolName"]
        self.assertEqual(self.tools(), ["get_stock", own])
        made = self.collection()
        self.assertEqual((made["name"], made["owner"], made["revision"]),
                         ("Front desk", "#project", 1))
        self.restart()
        self.assertEqual(self.collection(), made)  # nothing has changed
        self.desk(members=["order-status", "stock"], description="All.")
        self.restart()
        self.assertEqual(self.tools(), [own, "get_stock"])
        self.assertEqual((self.collection()["id"], self.collection()["description"]),
                         (made["id"], "All."))
        self.desk()
        self.restart()
        self.assertNotIn("description", self.collection())
        self.remove("desk")
        self.restart()
        self.assertEqual(self.tools(), 404)
        self.assertEqual(self.tools("stock"), ["get_stock"])
        self.assertIn("1 collection of apps/ has no file", self.said())
        self.desk()
        self.restart()
        self.assertEqual(self.tools(), ["get_stock", own])

    def test_a_tool_name_moves_from_one_app_to_another(self):
        self.serve()
        self.put("later", toolName="get_stock")
        self.desk(members=["later", "order-status"])
        self.restart()
        self.assertEqual(self.tools(), ["get_stock", app_folder.APP["toolName"]])
        self.assertEqual([one["mcpSlug"] for one in self.collection()["members"]],
                         ["later", "order-status"])

    def test_what_is_wrong_ends_the_start_with_its_place(self):
        for other, code, words in (
                ({"members": ["stock", "nothing"]}, "INVALID_CONFIG", "/members/1"),
                ({"members": "stock"}, "INVALID_CONFIG", "/members"),
                ({"members": ["Stock"]}, "INVALID_CONFIG", "/members/0"),
                ({"members": ["stock"] * 65}, "LIMIT_EXCEEDED", "/members"),
                ({"roles": {}}, "INVALID_CONFIG", "/roles"),
                ({"name": ""}, "INVALID_CONFIG", "/name"),
                ({"mcpSlug": "other"}, "INVALID_CONFIG", "/mcpSlug")):
            self.desk(**other)
            said = self.mica("serve", "--listen", "127.0.0.1:0", exit=None, env=self.env)
            self.assertNotEqual(said.returncode, 0)
            self.assertEqual(said.stdout, "")
            self.assertIn("apps/desk.json", said.stderr)
            self.assertIn(code, said.stderr)
            self.assertIn(words, said.stderr)
        self.desk()
        self.put("stock", toolName=app_folder.APP["toolName"])
        said = self.mica("serve", "--listen", "127.0.0.1:0", exit=None, env=self.env).stderr
        self.assertIn('"stock" and "order-status"', said)

    def test_a_slug_of_the_store_is_refused(self):
        self.mica("collection", "new", "Desk", env=self.env)
        said = self.refused("ALREADY_EXISTS", 7)
        self.assertIn("apps/desk.json", said)
        self.mica("collection", "delete", "desk", env=self.env)
        self.refused("ALREADY_EXISTS", 7)

    def test_check_judges_it(self):
        self.mica("check", "apps/desk.json", env=self.env)
        self.desk(members=["stock", "nothing"])
        said = self.mica("check", exit=None, env=self.env)
        self.assertNotEqual(said.returncode, 0)
        self.assertIn('no app "nothing"', said.stdout + said.stderr)
        self.desk()
        self.put("stock", toolName=app_folder.APP["toolName"])
        said = self.mica("check", "apps/desk.json", exit=None, env=self.env)
        self.assertNotEqual(said.returncode, 0)
        self.assertIn("same toolName", said.stdout + said.stderr)
        self.assertIn("/members/1", said.stdout + said.stderr)

    def test_dev_follows_the_file(self):
        self.serve("dev")
        self.until(["get_stock", app_folder.APP["toolName"]], self.tools)
        self.desk(members=["stock"])
        self.until(["get_stock"], self.tools)
        self.desk(members=["nothing"])
        self.until(True, lambda: "apps/desk.json" in self.said())
        self.assertEqual(self.tools(), ["get_stock"])  # what is wrong changes nothing
        self.remove("desk")
        self.until(404, self.tools)


if __name__ == "__main__":
    alone.run("source")

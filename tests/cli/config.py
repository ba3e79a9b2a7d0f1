# SPDX-License-Identifier: Apache-2.0
"""mica.toml, the environment and flags: who a server is, and how it serves.

    python3 config.py --mica build/mica
"""

import base64
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import tomllib
import unittest
import urllib.error
import urllib.request

import alone
import author
import cli

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>'
WEATHER = """\
name = "weather"
title = "Weather & tides"
version = "2.1.0"
description = "Forecasts for the coast."
instructions = \"\"\"
Ask for the place first.
\\tThen forecast it.\"\"\"
website = "https://example.org/weather"
icons = ["icon.svg", { src = "https://example.org/icon.png", sizes = "48x48", theme = "dark" }]
"""
META = "io.modelcontextprotocol/"


class Case(cli.Case):
    def serve_here(self, *words, env=None):
        """Without --built-in, which reads no file; there is nothing else here."""
        process = author.Served.__new__(author.Served)
        process.case = self
        process.log = open(os.path.join(self.folder, "log"), "w+", encoding="utf-8")
        process.process = subprocess.Popen(
            [cli.OPTIONS.mica, "serve", "--drain=0", *words], cwd=self.folder, text=True,
            stdout=subprocess.PIPE, stderr=process.log,
            env={**os.environ, **(env or {})})
        process.url = process.process.stdout.readline().strip()
        self.addCleanup(process.end)
        self.assertTrue(process.url, process.said())
        return process

    def get(self, served, path):
        address = served.url.removesuffix("/mcp") + path
        with urllib.request.urlopen(address, timeout=30) as reply:
            return reply.read().decode()

    def discover(self, served):
        return served.ask(cli.message("server/discover"))["result"]

    def over_stdio(self, *messages, words=(), env=None):
        lines = "".join(json.dumps(message) + "\n" for message in messages)
        done = self.mica("stdio", *words, stdin=lines, env=env)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def settings(self, *words, env=None):
        found = self.json("config", "--json", *words, env=env)["settings"]
        return {one["key"]: one for one in found}

    def refused(self, text, code, *expected, exit=3, command=("config",)):
        self.write("mica.toml", text)
        said = self.complaint(code, *command, exit=exit)
        for words in expected:
            self.assertIn(words, said)
        return said


INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
              "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                         "clientInfo": {"name": "test", "version": "1"}}}


class Identity(Case):
    def setUp(self):
        super().setUp()
        self.write("icon.svg", SVG)
        self.write("mica.toml", WEATHER + '[http]\nlisten = "127.0.0.1:0"\n')

    def check_info(self, info, icons=True):
        self.assertEqual(info["name"], "weather")
        self.assertEqual(info["title"], "Weather & tides")
        self.assertEqual(info["version"], "2.1.0")
        self.assertEqual(info["description"], "Forecasts for the coast.")
        self.assertEqual(info["websiteUrl"], "https://example.org/weather")
        if not icons:
            self.assertNotIn("icons", info)
            return
        kind, data = info["icons"][0]["src"].split(",")
        self.assertEqual(kind, "data:image/svg+xml;base64")
        self.assertEqual(base64.b64decode(data).decode(), SVG)
        self.assertEqual(info["icons"][1], {
            "src": "https://example.org/icon.png", "sizes": ["48x48"],
            "theme": "dark"})

    def test_every_surface_over_http_says_it(self):
        served = self.serve_here()
        result = self.discover(served)
        self.check_info(result["_meta"][META + "serverInfo"])
        self.assertEqual(result["instructions"],
                         "Ask for the place first.\n\tThen forecast it.")
        listed = served.ask(cli.message("tools/list"))["result"]
        self.check_info(listed["_meta"][META + "serverInfo"], icons=False)
        info = json.loads(self.get(served, "/openapi.json"))["info"]
        self.assertEqual(info, {"title": "Weather & tides", "version": "2.1.0",
                                "description": "Forecasts for the coast."})
        page = self.get(served, "/")
        self.assertRegex(page, r"<title>[^<]*Weather &amp; tides</title>")
        self.assertIn("Forecasts for the coast.", page)
        self.assertIn("weather", re.search(r"mcpServers.*?&quot;(\w+)&quot;: \{",
                                           page, re.S)[1])
        served.wait(lambda: "mcpServers" in served.said(), "how to connect")
        said = served.said()
        self.assertIn("mica: this is Weather & tides (weather 2.1.0)\n", said)
        self.assertIn('    "weather": {\n', said)
        served.end()
        with open(os.path.join(self.folder, "log"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file
                     if line.startswith('{"time"')]
        self.assertEqual({line["server"] for line in lines}, {"weather"})
        self.assertGreaterEqual(len(lines), 4)

    def test_each_revision_gets_what_it_knows(self):
        new, = self.over_stdio(cli.message("server/discover"))
        self.check_info(new["result"]["_meta"][META + "serverInfo"])
        for revision, title, icons in (("2025-11-25", True, True),
                                       ("2025-06-18", True, False),
                                       ("2025-03-26", False, False)):
            with self.subTest(revision):
                message = json.loads(json.dumps(INITIALIZE))
                message["params"]["protocolVersion"] = revision
                result = self.over_stdio(message)[0]["result"]
                info = result["serverInfo"]
                self.assertEqual(info["name"], "weather")
                self.assertEqual("title" in info, title)
                self.assertEqual("icons" in info, icons)
                self.assertIn("Ask for the place", result["instructions"])
                if icons:
                    self.check_info(info)

    def test_openapi_without_a_server_and_the_name_in_a_client(self):
        info = self.json("openapi")["info"]
        self.assertEqual(info["title"], "Weather & tides")
        entry = json.loads(self.mica("install", "cursor", "--print").stdout)
        self.assertEqual(list(entry["mcpServers"]), ["weather"])
        entry = json.loads(self.mica("install", "cursor", "--print", "--name",
                                     "mine").stdout)
        self.assertEqual(list(entry["mcpServers"]), ["mine"])
        self.write("mica.toml", 'name = "org.example/weather"\n')
        entry = json.loads(self.mica("install", "cursor", "--print").stdout)
        self.assertEqual(list(entry["mcpServers"]), ["org-example-weather"])

    def test_a_client_starts_it_by_its_folder(self):
        message = json.dumps(cli.message("server/discover")) + "\n"
        done = subprocess.run(
            [cli.OPTIONS.mica, "stdio", "--project", self.folder], cwd="/",
            input=message, text=True, capture_output=True, timeout=60, check=True)
        info = json.loads(done.stdout)["result"]["_meta"][META + "serverInfo"]
        self.check_info(info)

    def test_built_in_means_no_file(self):
        new, = self.over_stdio(cli.message("server/discover"),
                               words=("--built-in",))
        self.assertEqual(new["result"]["_meta"][META + "serverInfo"]["name"],
                         "mica")

    def test_icons_are_refused_where_they_are_not_meant(self):
        for icons, code, exit, words in (
                ('["none.svg"]', "NOT_FOUND", 4, "none.svg"),
                ('["icon.txt"]', "USAGE", 2, "its name ends with .svg"),
                ('["../icon.svg"]', "UNTRUSTED_FILE", 8, "line 1, column 10"),
                ('"icon.svg"', "WRONG_TYPE", 3, "icons takes a list"),
                ('[{ sizes = "any" }]', "MISSING_FIELD", 3, "has no src"),
                ('[{ src = "icon.svg", size = "any" }]', "UNKNOWN_FIELD", 3,
                 "line 1, column 30: an icon has no key size"),
                ('[{ src = "icon.svg", theme = "blue" }]', "USAGE", 2,
                 "light or dark"),
                ('[{ src = "icon.svg", sizes = "big" }]', "USAGE", 2, "48x48"),
                (json.dumps(["icon.svg"] * 9), "LIMIT_EXCEEDED", 5,
                 "at most 8 icons")):
            with self.subTest(icons):
                self.refused(f"icons = {icons}\n", code, words, exit=exit,
                             command=("openapi",))
        self.write("big.svg", "<svg>" + " " * (32 << 10) + "</svg>")
        self.refused('icons = ["big.svg"]\n', "LIMIT_EXCEEDED", "at most 32768",
                     exit=5, command=("openapi",))


class Precedence(Case):
    def test_flag_environment_file_default(self):
        self.write("mica.toml", 'name = "file"\n[http]\n'
                   'allow_hosts = ["a.example"]\n[limits]\nworkers = 2\n')
        env = {"MICA_NAME": "environment",
               "MICA_HTTP_ALLOW_HOSTS": "b.example  c.example"}
        got = self.settings()
        self.assertEqual((got["name"]["value"], got["name"]["source"],
                          got["name"]["line"]), ("file", "file", 1))
        self.assertEqual(got["http.allow_hosts"]["value"], ["a.example"])
        self.assertEqual(got["http.allow_hosts"]["line"], 3)
        self.assertEqual(got["limits.workers"]["value"], 2)
        got = self.settings(env=env)
        self.assertEqual((got["name"]["value"], got["name"]["source"]),
                         ("environment", "environment"))
        self.assertEqual(got["http.allow_hosts"]["value"],
                         ["b.example", "c.example"])
        got = self.settings("--name", "flag", "--allow-host", "d.example",
                            env=env)
        self.assertEqual((got["name"]["value"], got["name"]["source"]),
                         ("flag", "flag"))
        self.assertEqual(got["http.allow_hosts"]["value"], ["d.example"])
        os.remove(os.path.join(self.folder, "mica.toml"))
        got = self.settings()
        self.assertEqual({one["source"] for one in got.values()}, {"default"})
        self.assertEqual(got["name"]["value"], "mica")
        self.assertEqual(got["http.listen"]["value"], "127.0.0.1:8080")

    def test_the_server_itself_follows_it(self):
        self.write("mica.toml", 'name = "file"\n[http]\nlisten = "127.0.0.1:0"\n'
                   'rest = false\nbase_path = "/tools/x"\n')
        served = self.serve_here()
        self.assertTrue(served.url.endswith("/tools/x/mcp"), served.url)
        self.assertEqual(
            json.loads(self.get(served, "/healthz"))["status"], "ok")
        with self.assertRaises(urllib.error.HTTPError):
            self.get(served, "/openapi.json")
        served.end()
        served = self.serve_here("--rest", "--name", "flag", env={
            "MICA_HTTP_BASE_PATH": "/y", "MICA_NAME": "environment"})
        self.assertTrue(served.url.endswith(":%s/y/mcp" % served.url.split(
            ":")[2].split("/")[0]), served.url)
        self.assertEqual(json.loads(self.get(served, "/openapi.json"))
                         ["info"]["title"], "flag")

    def test_a_host_page_is_served_where_it_is_wanted(self):
        def has_page(*flags, env=None):
            served = self.serve_here("--listen", "127.0.0.1:0", *flags, env=env)
            try:
                return "consent" in self.get(served, "/host")
            except urllib.error.HTTPError as error:
                self.assertEqual(error.code, 404)
                return False
            finally:
                served.end()

        self.assertFalse(has_page())
        self.assertTrue(has_page("--host-page"))
        self.assertTrue(has_page(env={"MICA_HTTP_HOST_PAGE": "true"}))
        self.write("mica.toml", "[http]\nhost_page = true\n")
        self.assertTrue(has_page())
        self.assertFalse(has_page("--no-host-page"))
        self.assertIn("--no-pages",
                      self.complaint("USAGE", "serve", "--no-pages", exit=2))

    def test_an_empty_list_takes_the_file_back(self):
        self.write("mica.toml", '[http]\nallow_hosts = ["a.example"]\n')
        got = self.settings(env={"MICA_HTTP_ALLOW_HOSTS": ""})
        self.assertEqual((got["http.allow_hosts"]["value"],
                          got["http.allow_hosts"]["source"]), ([], "environment"))

    def test_each_switch_can_be_set_and_taken_back(self):
        flags = {"http.public": ("--public", "--no-public"),
                 "http.sse": ("--http-sse", "--no-http-sse"),
                 "http.host_page": ("--host-page", "--no-host-page"),
                 "views.forms": ("--form-views", "--no-form-views"),
                 "http.pages": ("--pages", "--no-pages"),
                 "http.rest": ("--rest", "--no-rest")}
        for key, (on, off) in flags.items():
            table, name = key.split(".")
            for value in (True, False):
                with self.subTest(key=key, value=value):
                    self.write("mica.toml", f"[{table}]\n{name} = "
                               f"{json.dumps(value)}\n")
                    got = self.settings()[key]
                    self.assertEqual((got["value"], got["source"]),
                                     (value, "file"))
                    variable = {got["variable"]: json.dumps(not value)}
                    self.assertIs(self.settings(env=variable)[key]["value"],
                                  not value)
                    self.assertIs(self.settings(off if value else on)[key]
                                  ["value"], not value)
        self.write("mica.toml", "[sessions]\nenabled = false\n")
        self.assertIs(self.settings()["sessions.enabled"]["value"], False)
        self.assertIs(self.settings("--sessions", "on")["sessions.enabled"]
                      ["value"], True)
        self.complaint("USAGE", "config", "--public=yes", exit=2)

    def test_the_log_has_the_form_that_counts_most(self):
        def lines(*flags, env=None):
            served = self.serve_here(*flags, env=env)
            self.get(served, "/healthz")
            served.process.send_signal(signal.SIGTERM)
            served.process.wait(30)
            return served.said()

        self.write("mica.toml", '[log]\nform = "text"\n')
        self.assertIn("GET /healthz", lines())
        self.assertNotIn('"path"', lines())
        self.assertIn('"path":"/healthz"', lines("--log", "json"))
        self.assertNotIn("/healthz", lines(env={"MICA_LOG_FORM": "off"}))
        self.assertNotIn("/healthz", lines("--quiet"))
        self.complaint("USAGE", "serve", "--quiet", "--log", "json", exit=2)
        self.complaint("NOT_A_CHOICE", "config", exit=3,
                       env={"MICA_LOG_FORM": "xml"})

    def test_a_variable_with_a_fault_is_refused_by_its_name(self):
        for name, value, code, exit, words in (
                ("MICA_HTTP_LISTEN", "here", "USAGE", 2, "here"),
                ("MICA_LIMITS_WORKERS", "many", "OUT_OF_RANGE", 3, "0 to 1024"),
                ("MICA_LIMITS_WORKERS", "1025", "OUT_OF_RANGE", 3, "0 to 1024"),
                ("MICA_HTTP_PUBLIC", "yes", "WRONG_TYPE", 3, "true or false"),
                ("MICA_STORE_LOCATION", "disk", "NOT_A_CHOICE", 3, "memory"),
                ("MICA_NAME", "two words", "BAD_FORMAT", 3, "two words")):
            with self.subTest(name=name, value=value):
                said = self.complaint(code, "config", exit=exit,
                                      env={name: value})
                self.assertIn(f"the variable {name}: ", said)
                self.assertIn(words, said)

    def test_a_variable_that_looks_like_one_is_said(self):
        done = self.mica("config", env={"MICA_HTTP_LISTN": "127.0.0.1:1",
                                        "MICA_LIMITS_SPEED": "9", "MICA_CC": "cc",
                                        "MICA_TITEL": "x", "MICA_NAMES": "x",
                                        "MICA_INSTRUCTON": "x", "MICA_CACHE": "x"})
        self.assertEqual(sorted(done.stderr.splitlines()), [
            "mica: no setting has the variable MICA_HTTP_LISTN; did you mean "
            "MICA_HTTP_LISTEN",
            "mica: no setting has the variable MICA_INSTRUCTON; did you mean "
            "MICA_INSTRUCTIONS",
            "mica: no setting has the variable MICA_LIMITS_SPEED",
            "mica: no setting has the variable MICA_NAMES; did you mean MICA_NAME",
            "mica: no setting has the variable MICA_TITEL; did you mean MICA_TITLE"])

    def test_people_read_a_line_a_setting(self):
        self.write("mica.toml", '\nname = "weather"\n')
        text = self.on_terminal("config", env={"NO_COLOR": "1"})
        self.assertRegex(text, r"(?m)^name +weather  \(mica\.toml:2\)$")
        self.assertRegex(text, r"(?m)^title +weather  \(default\)$")
        self.assertRegex(text, r"(?m)^http\.listen +127\.0\.0\.1:8080  "
                         r"\(default\)$")
        self.write("other.toml", 'name = "other"\n')
        self.assertRegex(self.on_terminal("config", "other.toml",
                                          env={"NO_COLOR": "1"}),
                         r"(?m)^name +other  \(other\.toml:1\)$")
        self.complaint("NOT_FOUND", "config", "none.toml", exit=4)


class Faults(Case):
    def test_an_unknown_key_brings_the_nearest(self):
        for text, place, nearest in (
                ('nmae = "x"\n', "line 1, column 1", "name"),
                ('[http]\nbase-path = "/x"\n', "line 2, column 1",
                 "http.base_path"),
                ('listen = "127.0.0.1:1"\n', "line 1, column 1", "http.listen"),
                ('[htpp]\nlisten = "127.0.0.1:1"\n', "line 1, column 2",
                 "[http]"),
                ('[http]\nworkers = 1\n', "line 2, column 1", "limits.workers"),
                ('http.publc = true\n', "line 1, column 6", "http.public")):
            with self.subTest(text):
                said = self.refused(text, "UNKNOWN_FIELD", f"mica.toml: {place}: ")
                self.assertIn(f"did you mean {nearest}?", said)
        self.refused('zebra = "x"\n', "UNKNOWN_FIELD",
                     '"mica config" lists those there are')

    def test_it_holds_no_secrets(self):
        for key in ("api_token", "client_secret", "db_password"):
            self.refused(f'{key} = "x"\n', "UNKNOWN_FIELD",
                         "secrets do not belong into this file")

    def test_a_wrong_value_is_refused_where_it_stands(self):
        for text, code, exit, *words in (
                ('name = 1\n', "WRONG_TYPE", 3, "line 1, column 8",
                 "name takes a text in quotes, not a whole number"),
                ('name = "two words"\n', "BAD_FORMAT", 3, "line 1, column 8"),
                ('title = ""\n', "OUT_OF_RANGE", 3, "line 1, column 9"),
                ('title = "a\\nb"\n', "BAD_FORMAT", 3, "is one line"),
                ('website = "example.org"\n', "BAD_FORMAT", 3, "https://"),
                ('[http]\nlisten = "example.org:80"\n', "USAGE", 2,
                 "line 2, column 10", "http.listen: "),
                ('[http]\npublic = "yes"\n', "WRONG_TYPE", 3,
                 "http.public takes true or false, not a text"),
                ('[http]\nallow_hosts = "a"\n', "WRONG_TYPE", 3,
                 "a list of texts"),
                ('[http]\nallow_hosts = ["a", 2]\n', "WRONG_TYPE", 3,
                 "line 2, column 21"),
                ('[http]\nbase_path = "x"\n', "USAGE", 2, "line 2, column 13"),
                ('[http]\ntrusted_proxies = ["10.0.0.1/8"]\n', "USAGE", 2,
                 "line 2, column 20"),
                ("[rules.cache]\nbytes = nan\n", "OUT_OF_RANGE", 3, "rules.cache: nan"),
                ("[rules]\nlimits = [{ calls = -inf }]\n", "OUT_OF_RANGE", 3, "line 2"),
                ('[limits]\nworkers = 1025\n', "OUT_OF_RANGE", 3,
                 "limits.workers takes 0 to 1024, not 1025"),
                ('[limits]\nworkers = 1.5\n', "WRONG_TYPE", 3,
                 "a whole number, not a number"),
                ('[metrics]\nlisten = "0.0.0.0:1"\n', "USAGE", 2, "loopback"),
                ('[store]\nlocation = "disk"\n', "NOT_A_CHOICE", 3, "memory"),
                ('http = 1\n', "WRONG_TYPE", 3, "http is a table, not a whole "
                 "number"),
                ('name = "a"\nname = "b"\n', "DUPLICATE_FIELD", 3,
                 "line 2, column 1"),
                ('name = a\n', "BAD_FORMAT", 3, "line 1, column 8"),
                ('[http\n', "BAD_FORMAT", 3, "line 1, column 6"),
                ('title = "' + "x" * (64 << 10) + '"\n', "LIMIT_EXCEEDED", 5,
                 "larger than 64 KiB")):
            with self.subTest(text[:40]):
                self.refused(text, code, "mica.toml", *words, exit=exit)

    def test_no_command_that_serves_starts_with_a_fault(self):
        self.write("mica.toml", 'nmae = "x"\n')
        for words in (("serve",), ("stdio",), ("dev",), ("openapi",),
                      ("install", "cursor", "--print"), ("pack",),
                      ("store", "info"), ("config",)):
            with self.subTest(words=words):
                said = self.complaint("UNKNOWN_FIELD", *words, exit=3)
                self.assertIn("mica.toml: line 1, column 1", said)
        self.mica("list")  # it serves nothing

    def test_the_doctor_says_it(self):
        self.write("mica.toml", 'name = "weather"\n[http]\n'
                   'listen = "127.0.0.1:0"\n')
        found = {one["check"]: one for one in self.doctor()}
        self.assertEqual(found["settings"]["level"], "ok")
        self.assertIn("2 from mica.toml", found["settings"]["message"])
        self.assertIn("127.0.0.1:0", found["port"]["message"])
        self.write("mica.toml", 'nmae = "weather"\n')
        found = {one["check"]: one for one in self.doctor(exit=8)}
        self.assertEqual(found["settings"]["level"], "fail")
        self.assertIn("line 1, column 1", found["settings"]["message"])

    def doctor(self, exit=None):
        said = json.loads(self.mica("doctor", "--json", exit=exit).stdout)
        return said["checks"] if isinstance(said, dict) else said


class Trust(Case):
    def test_a_file_that_others_may_write_is_refused(self):
        path = self.write("mica.toml", 'name = "weather"\n')
        for mode in (0o664, 0o646, 0o666):
            with self.subTest(oct(mode)):
                os.chmod(path, mode)
                for words in (("serve",), ("stdio",), ("config",)):
                    said = self.complaint("UNTRUSTED_FILE", *words, exit=8)
                    self.assertIn(f"chmod go-w {os.path.realpath(path)}", said)
        os.chmod(path, 0o444)
        self.assertEqual(self.settings()["name"]["value"], "weather")

    def test_so_is_one_in_a_folder_that_others_may_write(self):
        self.write("mica.toml", 'name = "weather"\n')
        os.chmod(self.folder, 0o777)
        self.assertIn("chmod go-w",
                      self.complaint("UNTRUSTED_FILE", "config", exit=8))

    @unittest.skipUnless(os.geteuid() == 0, "only root gives files away")
    def test_so_is_one_of_another_user(self):
        path = self.write("mica.toml", 'name = "weather"\n')
        os.chown(path, 65534, 65534)
        self.assertIn("belongs to user 65534",
                      self.complaint("UNTRUSTED_FILE", "config", exit=8))

    def test_a_link_is_followed_only_inside(self):
        self.write("settings/mica.toml", 'name = "weather"\n')
        os.symlink("settings/mica.toml", os.path.join(self.folder, "mica.toml"))
        self.assertEqual(self.settings()["name"]["value"], "weather")
        os.remove(os.path.join(self.folder, "mica.toml"))
        with tempfile.TemporaryDirectory(prefix="mica-outside-") as outside:
            with open(os.path.join(outside, "mica.toml"), "w",
                      encoding="utf-8") as file:
                file.write('name = "outside"\n')
            os.symlink(os.path.join(outside, "mica.toml"),
                       os.path.join(self.folder, "mica.toml"))
            self.assertIn("leads out",
                          self.complaint("UNTRUSTED_FILE", "config", exit=8))

    def test_it_waits_for_no_fifo_and_reads_no_folder(self):
        path = os.path.join(self.folder, "mica.toml")
        os.mkfifo(path)
        self.complaint("UNTRUSTED_FILE", "config", exit=8)
        os.remove(path)
        os.mkdir(path)
        self.complaint("UNTRUSTED_FILE", "config", exit=8)

    def test_it_names_nothing_outside_of_its_folder(self):
        os.symlink("/", os.path.join(self.folder, "out"))
        for text, place in (
                ('[auth]\nfile = "/etc/passwd"\n', "line 2, column 8"),
                ('[auth]\nfile = "a/../../b"\n', "line 2, column 8"),
                ('[auth]\nfile = "out/etc/passwd"\n', "line 2, column 8"),
                ('[store]\nlocation = "sqlite:/var/x.db"\n', "line 2, column 12"),
                ('[store]\nlocation = "sqlite:out/var/x.db"\n', "line 2"),
                ('[resources]\nfolders = ["here", "/etc"]\n', "line 2"),
                ('[resources]\nfolders = [".."]\n', "line 2, column 12")):
            with self.subTest(text):
                self.refused(text, "UNTRUSTED_FILE", place, exit=8)
        os.remove(os.path.join(self.folder, "mica.toml"))
        got = self.settings("--auth", "/etc/x.json",
                            env={"MICA_RESOURCES_FOLDERS": "/srv/files"})
        self.assertEqual(got["auth.file"]["value"], "/etc/x.json")
        self.assertEqual(got["resources.folders"]["value"], ["/srv/files"])

    def test_no_folder_of_resources_publishes_the_store(self):
        for text, key in (
                ('[resources]\nfolders = ["."]\n[store]\nlocation = "sqlite:data/s.db"\n',
                 "store.location"),
                ('[resources]\nfolders = ["data"]\n[keep]\npath = "data/keep"\n', "keep.path"),
                ('[resources]\nfolders = ["data/keep/x"]\n[keep]\npath = "data"\n', "keep.path"),
                ('[resources]\nfolders = ["./data"]\n[rules]\nfile = "data/r.json"\n',
                 "rules.file")):
            with self.subTest(text):
                os.makedirs(os.path.join(self.folder, "data", "keep", "x"), exist_ok=True)
                self.write("data/r.json", "{}")
                self.write("mica.toml", text)
                self.assertIn(key, self.complaint("USAGE", "list", "resources", exit=2))
        # What is not served may lie there.
        self.write("mica.toml", '[resources]\nfolders = ["data"]\n'
                   '[store]\nlocation = "sqlite:data/.own/s.db"\n')
        self.assertIn("r.json", self.mica("list", "resources").stdout)

    def test_nor_do_the_files_that_it_names(self):
        os.symlink("/", os.path.join(self.folder, "out"))
        issuer = {"issuer": "https://a.example", "jwks": "https://a.example/keys"}
        for key, named, member in (
                ("rules", {"audit": {"file": "/var/log/x"}}, "audit.file"),
                ("rules", {"audit": {"file": "../x"}}, "audit.file"),
                ("rules", {"audit": {"file": "out/var/x"}}, "audit.file"),
                ("auth", {"issuers": [issuer, {"issuer": "https://b.example",
                                               "jwks": "/etc/x"}]}, "jwks"),
                ("auth", {"issuers": [issuer], "login": {
                    "client_id": "x", "client_secret_file": "../../.ssh/id_x"}},
                 "client_secret_file"),
                ("auth", {"issuers": [issuer], "login": {
                    "client_id": "x", "client_secret_file": "../out/etc/x"}},
                 "client_secret_file"),
                ("auth", {"issuers": [issuer], "login": {
                    "client_id": "x", "client_secret_env": "HOME"}}, "client_secret_env")):
            with self.subTest(named):
                self.write("conf/named.json", json.dumps(named))
                text = f'[{key}]\nfile = "conf/named.json"\n'
                self.refused(text, "UNTRUSTED_FILE", member, exit=8)
                self.write("mica.toml", text)
                self.complaint("UNTRUSTED_FILE", "serve", exit=8)
                os.remove(os.path.join(self.folder, "mica.toml"))
                self.settings(f"--{key}", "conf/named.json")  # a flag is consent
        self.write("conf/named.json", json.dumps({"issuers": [dict(issuer, jwks="k.json")],
            "login": {"client_id": "x", "client_secret_file": "secret"}}))
        self.write("mica.toml", '[auth]\nfile = "conf/named.json"\n')
        self.assertEqual(self.settings()["auth.file"]["value"], "conf/named.json")

    def test_it_cannot_name_what_would_be_loaded_or_run(self):
        for key in ("engines", "tools", "sampler", "project"):
            self.refused(f'{key} = "x"\n', "UNKNOWN_FIELD", key)


def address_of_this_machine():
    """One that others can reach, without a packet being sent; None without one."""
    with contextlib.suppress(OSError), \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.connect(("192.0.2.1", 9))
        return one.getsockname()[0]
    return None


class Loopback(Case):
    OPEN = ('[http]\nlisten = "0.0.0.0:0"\npublic = true\n'
            'allow_hosts = ["a.example"]\nallow_origins = ["https://b.example"]\n')

    def test_what_the_file_opens_is_said_before_it_serves(self):
        self.write("mica.toml", self.OPEN)
        served = self.serve_here()
        line, = [line for line in served.said().splitlines() if "opens" in line]
        self.assertEqual(
            line, "mica: mica.toml opens this server to others than this "
            "machine: http.listen = 0.0.0.0:0 (line 2), http.public = true "
            "(line 3), http.allow_hosts = a.example (line 4), "
            "http.allow_origins = https://b.example (line 5)")
        served.wait(lambda: "tools at" in served.said(), "that it serves")
        self.assertLess(served.said().index("opens this server"),
                        served.said().index("tools at"))
        served.end()

    def test_the_file_alone_does_not_lift_the_rule(self):
        self.write("mica.toml", '[http]\nlisten = "0.0.0.0:0"\n')
        self.assertIn("--public", self.complaint("USAGE", "serve", exit=2))

    def test_a_flag_is_consent_and_loopback_needs_none(self):
        self.write("mica.toml", '[http]\nlisten = "127.0.0.1:0"\n')
        self.assertNotIn("opens this server", self.serve_here().said())
        os.remove(os.path.join(self.folder, "mica.toml"))
        served = self.serve_here("--listen", "0.0.0.0:0", "--public",
                                 "--allow-host", "a.example")
        self.assertNotIn("opens this server", served.said())

    def test_it_is_as_open_as_it_says(self):
        address = address_of_this_machine()
        if address is None:
            self.skipTest("this machine has no address but the loopback")
        self.write("mica.toml", self.OPEN)
        port = self.serve_here().url.split(":")[2].split("/")[0]
        request = urllib.request.Request(f"http://{address}:{port}/healthz",
                                         headers={"Host": "a.example"})
        with urllib.request.urlopen(request, timeout=30) as reply:
            self.assertEqual(reply.status, 200)


PLANNING = """\
[http]
listen = "127.0.0.1:0"

[endpoints.planning]
path = "/for/planning"
title = "Planning"
instructions = "Compare first."
tools = ["change-it"]
"""


class Endpoints(Case):
    """Of a project with two engines, of which the endpoint offers one."""

    def setUp(self):
        super().setUp()
        self.write("engines/change-it.c", author.engine())
        self.write("engines/other-one.c", author.engine("other-one"))
        self.write("mica.toml", PLANNING)

    def at(self, served, path):
        other = author.Served.__new__(author.Served)
        other.case, other.url = self, served.url.removesuffix("/mcp") + path
        return other

    def names(self, served):
        listed = served.ask(cli.message("tools/list"))["result"]["tools"]
        return [tool["name"] for tool in listed]

    def test_it_has_its_own_path_words_and_tools(self):
        served = self.serve_here()
        planning = self.at(served, "/for/planning/mcp")
        self.assertEqual(self.names(served), ["change-it", "other-one"])
        self.assertEqual(self.names(planning), ["change-it"])
        result = self.discover(planning)
        info = result["_meta"][META + "serverInfo"]
        self.assertEqual((info["name"], info["title"]), ("planning", "Planning"))
        self.assertEqual(result["instructions"], "Compare first.")
        self.assertEqual(planning.call("change-it", value=1), {"result": 2})
        self.assertIsNone(planning.call("other-one", value=1))
        info = json.loads(self.get(served, "/for/planning/openapi.json"))["info"]
        self.assertEqual(info["title"], "Planning")
        served.wait(lambda: f"mica: planning at {planning.url}\n" in
                    served.said(), "its address")
        # It follows its tool.
        self.write("engines/change-it.c", author.engine(what="+ 10", result="11"))
        served.wait(lambda: planning.call("change-it", value=1) == {"result": 11},
                    "the tool as it is now")
        os.remove(os.path.join(self.folder, "engines/change-it.c"))
        served.wait(lambda: self.names(planning) == [], "no tool any more")

    def test_faults_are_refused_where_they_stand(self):
        for text, code, exit, words in (
                ('[endpoints.a]\npath = "/x/a"\n', "MISSING_FIELD", 3,
                 "line 1, column 12: the endpoint a needs"),
                ('[endpoints.a]\nroute = "/a"\n', "UNKNOWN_FIELD", 3,
                 "line 2, column 1: an endpoint has no key route"),
                ('[endpoints.a]\npath = 1\n', "WRONG_TYPE", 3,
                 "line 2, column 8"),
                ('[endpoints]\na = 1\n', "WRONG_TYPE", 3, "is a table"),
                ('[endpoints."a b"]\npath = "/a"\n', "BAD_FORMAT", 3,
                 "line 1, column 12"),
                ('[endpoint.a]\npath = "/a"\n', "UNKNOWN_FIELD", 3,
                 "did you mean [endpoints.NAME]?")):
            with self.subTest(text):
                self.refused(text, code, words, exit=exit)
        self.refused(PLANNING.replace("change-it", "chnge-it"), "NOT_FOUND",
                     "mica.toml: line 4, endpoint planning: there is no tool "
                     "chnge-it", exit=4, command=("serve",))
        self.refused(PLANNING.replace("/for/", "/api/"), "USAGE",
                     "the server itself answers below /api", exit=2,
                     command=("serve",))
        self.write("mica.toml", PLANNING)
        found = self.json("config", "--json")["endpoints"]
        self.assertEqual(found, [{"name": "planning", "path": "/for/planning",
                                  "tools": ["change-it"], "line": 4}])


class Page(Case):
    def test_the_page_lists_every_key(self):
        """docs/configuration.md has a row for each, with its flag."""
        page = os.path.join(cli.OPTIONS.source, "docs/configuration.md")
        with open(page, encoding="utf-8") as file:
            text = file.read()
        rows = dict(re.findall(r"(?m)^\| `([a-z_.]+)` \| `(--[a-z-]+)", text))
        self.assertEqual(rows, {key: one["flag"] for key, one in
                                self.settings().items()})

    def test_its_example_holds(self):
        page = os.path.join(cli.OPTIONS.source, "docs/configuration.md")
        with open(page, encoding="utf-8") as file:
            example = re.search(r"```toml\n(.*?)```", file.read(), re.S)[1]
        self.write("mica.toml", example)
        got = self.settings()
        for key, value in tomllib.loads(example).items():
            inner = value.items() if isinstance(value, dict) else [(None, value)]
            for name, one in inner:
                setting = got[key if name is None else f"{key}.{name}"]
                self.assertEqual(setting["source"], "file", setting)
                if not isinstance(one, list):
                    self.assertEqual(setting["value"], one)


if __name__ == "__main__":
    alone.run("source")

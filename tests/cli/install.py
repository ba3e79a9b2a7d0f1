# SPDX-License-Identifier: Apache-2.0
"""mica install: clients' configurations, in a home of the test's own. What is written
there is read as the client would read it, and the server is started as the client
would start it.

    python3 install.py --mica build/mica
"""

import glob
import json
import os
import pty
import re
import stat
import subprocess
import tomllib
import unittest

import alone
import cli

CLIENTS = {  # where the user's file is, and where that of a folder
    "claude-desktop": (".config/Claude/claude_desktop_config.json", None),
    "claude-code": (".claude.json", ".mcp.json"),
    "vscode": (".config/Code/User/mcp.json", ".vscode/mcp.json"),
    "cursor": (".cursor/mcp.json", ".cursor/mcp.json"),
    "codex": (".codex/config.toml", ".codex/config.toml"),
    "gemini": (".gemini/settings.json", ".gemini/settings.json"),
}
SECTION = {"vscode": "servers", "codex": "mcp_servers"}
URL = {"gemini": "httpUrl"}


class Install(cli.Case):
    def setUp(self):
        super().setUp()
        self.home = os.path.join(self.folder, "home")
        self.work = os.path.join(self.folder, "work")
        os.makedirs(self.home)
        os.makedirs(self.work)
        self.env = {"HOME": self.home, "XDG_CONFIG_HOME": "", "CODEX_HOME": "",
                    "CLAUDE_CONFIG_DIR": ""}
        self.root, self.folder = self.folder, self.work

    def tearDown(self):
        self.folder = self.root
        super().tearDown()

    def install(self, *words, **more):
        return self.mica("install", *words, env=self.env, **more)

    def refused(self, code, *words, exit, **more):
        return self.complaint(code, "install", *words, exit=exit, env=self.env,
                              **more)

    def path(self, client, project=False):
        base = self.work if project else self.home
        return os.path.join(base, CLIENTS[client][1 if project else 0])

    def put(self, client, text, mode=0o644):
        path = self.path(client)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def text(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def servers(self, client, project=False):
        text = self.text(self.path(client, project))
        whole = tomllib.loads(text) if client == "codex" else json.loads(text)
        return whole[SECTION.get(client, "mcpServers")]

    def files(self):
        return sorted(name for name in glob.glob(
            os.path.join(self.root, "**"), recursive=True, include_hidden=True)
            if not os.path.isdir(name))

    def lists_tools(self, entry):
        """As the client starts it: from a folder of its own."""
        done = subprocess.run(
            [entry["command"], *entry["args"]], text=True, cwd="/",
            input=json.dumps(cli.message("tools/list")) + "\n",
            capture_output=True, timeout=cli.OPTIONS.patience, check=True,
            env={**os.environ, "PATH": "/usr/bin:/bin"})
        return [tool["name"] for tool in
                json.loads(done.stdout)["result"]["tools"]]

    # ---- What is written --------------------------------------------------------

    def test_each_client_starts_what_is_written(self):
        for client in CLIENTS:
            with self.subTest(client):
                done = self.install(client, "--yes")
                self.assertEqual(done.stdout, self.path(client) + "\n")
                self.assertIn("+++ " + self.path(client), done.stderr)
                entry = self.servers(client)["mica"]
                self.assertTrue(os.path.isabs(entry["command"]))
                self.assertEqual(entry["args"], ["stdio", "--built-in"])
                self.assertIn("percentage-calculator", self.lists_tools(entry))

    def test_the_tools_of_this_folder_are_served_wherever_the_client_is(self):
        self.mica("new", "floor-area")
        self.mica("build")  # what is still building after 30 s is told of later
        self.install("cursor", "--yes")
        entry = self.servers("cursor")["mica"]
        self.assertEqual(entry["args"][-1], os.path.realpath(self.work))
        self.assertEqual(self.lists_tools(entry), ["floor-area"])

    def test_a_client_may_be_given_an_address(self):
        url = "http://127.0.0.1:8080/mcp"
        for client in set(CLIENTS) - {"claude-desktop"}:
            with self.subTest(client):
                self.install(client, "--yes", "--url", url)
                entry = self.servers(client)["mica"]
                self.assertEqual(entry.pop(URL.get(client, "url")), url)
                self.assertEqual(
                    entry, {} if client in ("codex", "gemini")
                    else {"type": "http"})
        self.assertIn("connector", self.refused(
            "USAGE", "claude-desktop", "--url", url, "--yes", exit=2))
        self.refused("USAGE", "cursor", "--url", "file:///x", "--yes", exit=2)

    def test_a_folder_has_a_configuration_that_goes_with_it(self):
        self.mica("new", "floor-area")
        for client in set(CLIENTS) - {"claude-desktop"}:
            with self.subTest(client):
                self.install(client, "--yes", "--scope", "project")
                entry = self.servers(client, True)["mica"]
                self.assertNotIn(self.work, json.dumps(entry))
                if client in ("vscode", "cursor"):
                    self.assertEqual(entry["args"][1:],
                                     ["--project", "${workspaceFolder}"])
                else:
                    self.assertEqual(entry["args"], ["stdio"])
        self.refused("USAGE", "claude-desktop", "--scope", "project", "--yes",
                     exit=2)
        path = os.path.dirname(os.path.abspath(cli.OPTIONS.mica))
        self.env["PATH"] = path + ":" + os.environ["PATH"]
        self.install("gemini", "--yes", "--scope", "project")
        self.assertEqual(self.servers("gemini", True)["mica"]["command"], "mica")

    def test_places_that_the_environment_names_are_used(self):
        for client, variable, name in (
                ("codex", "CODEX_HOME", "config.toml"),
                ("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"),
                ("vscode", "XDG_CONFIG_HOME", "Code/User/mcp.json")):
            self.env[variable] = os.path.join(self.root, variable)
            self.install(client, "--yes")
            self.assertTrue(os.path.exists(
                os.path.join(self.root, variable, name)))

    # ---- What stays -------------------------------------------------------------

    def test_all_else_stays_and_undo_gives_the_file_back(self):
        json_text = ('{\n    "theme": "dark",   "n": 1.50,\n    "%s": {\n'
                     '        "b": {"command":"x", "args":[]}\n    }\n}')
        toml_text = ('model = "m" # mine\n\n[mcp_servers.b]\ncommand = "x"\n'
                     "# end")
        for client in CLIENTS:
            with self.subTest(client):
                text = (toml_text if client == "codex" else
                        json_text % SECTION.get(client, "mcpServers"))
                path = self.put(client, text, 0o640)
                self.install(client, "--yes")
                changed = self.text(path)
                self.assertEqual(set(self.servers(client)), {"b", "mica"})
                self.assertEqual(self.text(path + ".mica-backup"), text)
                for name in (path, path + ".mica-backup"):
                    self.assertEqual(stat.S_IMODE(os.stat(name).st_mode), 0o640)
                # Nothing is lost but a newline at most.
                rest = iter(changed.splitlines())
                self.assertTrue(all(
                    any(line.rstrip(",") == other.rstrip(",")
                        for other in rest) for line in text.splitlines()))
                self.assertIn("already", self.install(client, "--yes").stderr)
                self.assertEqual(self.text(path), changed)
                self.install(client, "--undo", "--yes")
                self.assertEqual(self.text(path), text)
                self.assertFalse(os.path.exists(path + ".mica-backup"))
        self.assertEqual([name for name in self.files()
                          if ".mica-" in name], [])

    def test_ends_of_lines_and_a_mark_of_byte_order_stay(self):
        texts = {"gemini": '{\r\n\t"theme": "x",\r\n\t"mcpServers": {\r\n\t}\r\n}\r\n',
                 "codex": 'model = "m"\r\n\r\n[mcp_servers.b]\r\ncommand = "x"\r\n'}
        for client, text in texts.items():
            for mark in ("", "\ufeff"):
                with self.subTest(client, mark=mark):
                    before = (mark + text).encode()
                    path = self.put(client, "")
                    with open(path, "wb") as file:
                        file.write(before)
                    self.install(client, "--yes")
                    with open(path, "rb") as file:
                        after = file.read()
                    self.assertEqual(after.startswith(b"\xef\xbb\xbf"), mark != "")
                    self.assertEqual(after.count(b"\n"), after.count(b"\r\n"))
                    read = tomllib.loads if client == "codex" else json.loads
                    whole = read(after.decode("utf-8-sig"))
                    self.assertIn("mica", whole[SECTION.get(client, "mcpServers")])
                    self.assertIn("already", self.install(client, "--yes").stderr)
                    self.install(client, "--undo", "--yes")
                    with open(path, "rb") as file:
                        self.assertEqual(file.read(), before)

    def test_comments_stay_where_the_client_takes_them(self):
        for client in ("vscode", "gemini"):
            with self.subTest(client):
                section = SECTION.get(client, "mcpServers")
                text = ('// mine\n{\n\t"%s": {\n\t\t// the first\n'
                        '\t\t"b": {"command": "x"} // "y": 1\n\t}\n}\n' % section)
                path = self.put(client, text)
                self.install(client, "--yes")
                changed = self.text(path)
                for comment in ("// mine\n", "// the first\n", '// "y": 1\n'):
                    self.assertIn(comment, changed)
                plain = re.sub(r"(?m)//.*$", "", changed)
                self.assertEqual(set(json.loads(plain)[section]), {"b", "mica"})
                self.assertIn("already", self.install(client, "--yes").stderr)
                self.put(client, changed + "// later\n")
                self.install(client, "--undo", "--yes")
                self.assertEqual(self.text(path), text + "// later\n")
                os.remove(path + ".mica-backup")
                self.put(client, text)
                self.install(client, "--yes")
                self.install(client, "--undo", "--yes")
                self.assertEqual(self.text(path), text)

    def test_commas_that_nothing_follows_stay_where_the_client_takes_them(self):
        for inside in ('"b": {"command": "x", "args": ["a, }", ],},',
                       '"b": {"command": "x"} , // more, later\n', '"b": {},', ""):
            for outside in ("", ",", ', "y": [1, 2,],', ', "y": ",}" , // the end\n'):
                text = '{"servers": {%s}%s}' % (inside, outside)
                with self.subTest(text):
                    path = self.put("vscode", text)
                    self.install("vscode", "--yes")
                    changed = self.text(path)
                    plain = re.sub(r"//.*", "", changed)
                    plain = re.sub(r",(\s*[]}])(?=[^\"]*(\"[^\"]*\"[^\"]*)*$)",
                                   r"\1", plain)
                    self.assertEqual(set(json.loads(plain)["servers"]),
                                     {"b", "mica"} if inside else {"mica"})
                    self.assertIn("already", self.install("vscode", "--yes").stderr)
                    self.put("vscode", changed + "// later\n")
                    self.install("vscode", "--undo", "--yes")
                    self.install("vscode", "--yes")
                    self.put("vscode", text)
                    self.install("vscode", "--yes")
                    self.install("vscode", "--undo", "--yes")
                    self.assertEqual(self.text(path), text)
        for broken in ('{"servers": {,}}', '{"servers": {"b": {},,}}', '{,}',
                       '{"servers": {"b": [,]}}', '{"servers": {"b":,}}'):
            path = self.put("vscode", broken)
            self.refused("INVALID_JSON", "vscode", "--yes", exit=3)
            self.assertEqual(self.text(path), broken)

    def test_the_backup_is_of_the_file_before_the_server_was_put_into_it(self):
        path = self.put("cursor", '{"mcpServers": {}, "first": 1}')
        self.install("cursor", "--yes")
        self.put("cursor", self.text(path) + "\n")
        self.install("cursor", "--undo", "--yes")
        self.put("cursor", '{"mcpServers": {}, "second": 2}')
        self.install("cursor", "--yes")
        self.assertIn("second", self.text(path + ".mica-backup"))
        self.install("cursor", "--url", "http://127.0.0.1:1/mcp", "--yes")
        self.assertNotIn("127.0.0.1", self.text(path + ".mica-backup"))
        self.install("cursor", "--undo", "--yes")
        self.assertEqual(self.text(path), '{"mcpServers": {}, "second": 2}')

    def test_a_file_that_was_not_there_is_gone_after_undo(self):
        for client in CLIENTS:
            self.install(client, "--yes")
            self.assertEqual(
                stat.S_IMODE(os.stat(self.path(client)).st_mode), 0o600)
            self.install(client, "--undo", "--yes")
            self.assertFalse(os.path.exists(self.path(client)))
            self.assertIn("no server", self.install(
                client, "--undo", "--yes").stderr)
        self.assertEqual(self.files(), [])

    def test_undo_keeps_what_others_wrote_since(self):
        path = self.put("cursor", '{"mcpServers": {}}')
        self.install("cursor", "--yes")
        whole = json.loads(self.text(path))
        whole["mcpServers"]["late"] = {"url": "u"}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(whole, file)
        said = self.install("cursor", "--undo", "--yes").stderr
        self.assertEqual(self.servers("cursor"), {"late": {"url": "u"}})
        self.assertIn(path + ".mica-backup", said)

    def test_what_the_user_has_said_of_the_server_stays(self):
        self.put("gemini", '{"mcpServers": {"mica": {"url": "old", '
                           '"httpUrl": "old", "trust": true, "timeout": 5}}}')
        self.install("gemini", "--yes")
        entry = self.servers("gemini")["mica"]
        self.assertEqual(entry.pop("args"), ["stdio", "--built-in"])
        entry.pop("command")
        self.assertEqual(entry, {"trust": True, "timeout": 5})
        self.put("codex", '[mcp_servers.mica]\nurl = "old"\nenabled = false\n'
                          '[mcp_servers.mica.env]\nA = "1"\n')
        self.install("codex", "--yes")
        entry = self.servers("codex")["mica"]
        self.assertNotIn("url", entry)
        self.assertEqual((entry["enabled"], entry["env"]), (False, {"A": "1"}))

    def test_several_servers_have_names(self):
        self.install("codex", "--yes", "--name", "one")
        self.install("codex", "--yes", "--name", "two", "--url",
                     "https://a.example/mcp")
        self.assertEqual(set(self.servers("codex")), {"one", "two"})
        self.install("codex", "--yes", "--undo", "--name", "one")
        self.assertEqual(set(self.servers("codex")), {"two"})
        for name in ("", "a b", "a.b", 'a"', "x" * 65):
            self.refused("USAGE", "codex", "--yes", "--name", name, exit=2)

    # ---- What is refused ---------------------------------------------------------

    def test_a_file_that_is_not_understood_is_left_alone(self):
        for client, text, code in (
                ("cursor", '{ // mine\n "mcpServers": {} }', "INVALID_JSON"),
                ("vscode", '{ /* mine\n "servers": {} }', "INVALID_JSON"),
                ("gemini", '{"mcpServers": {},}', "INVALID_JSON"),
                ("cursor", '{"mcpServers": 1}', "WRONG_TYPE"),
                ("cursor", '{"a": 1, "a": 2}', "DUPLICATE_FIELD"),
                ("codex", "a = [", "BAD_FORMAT"),
                ("codex", "mcp_servers = {}", "WRONG_TYPE")):
            with self.subTest(text):
                path = self.put(client, text)
                for words in (["--yes"], ["--undo", "--yes"]):
                    said = self.refused(code, client, *words, exit=3)
                    self.assertIn("left as it is", said)
                    self.assertIn("stdio", said)  # what to put there
                self.assertEqual(self.text(path), text)
                self.assertEqual(self.files(), [path])
                os.remove(path)

    def test_a_file_that_is_read_only_is_left_alone(self):
        for client, text in (("cursor", "{}"), ("codex", "")):
            path = self.put(client, text, 0o444)
            self.assertIn("read-only", self.refused("USAGE", client, "--yes", exit=2))
            self.assertEqual(self.text(path), text)
            os.chmod(path, 0o644)
            self.install(client, "--yes")
            os.chmod(path, 0o444)
            after = self.text(path)
            self.assertIn("already", self.install(client, "--yes").stderr)
            self.refused("USAGE", client, "--undo", "--yes", exit=2)
            self.assertEqual(self.text(path), after)
        self.assertEqual(len(self.files()), 4)  # with the copies of before

    def test_nothing_is_written_without_an_answer(self):
        path = self.put("cursor", "{}")
        self.assertIn("--yes", self.refused("USAGE", "cursor", exit=2))
        for answer, after in ((b"\n", "{}"), (b"no\n", "{}"), (b"y\n", None)):
            master, slave = pty.openpty()
            os.write(master, answer)
            done = subprocess.run(
                [cli.OPTIONS.mica, "install", "cursor"], stdin=slave, text=True,
                capture_output=True, cwd=self.work, timeout=60, check=False,
                env={**os.environ, **self.env})
            os.close(master)
            os.close(slave)
            self.assertIn("Write this?", done.stderr)
            if after is not None:
                self.assertEqual(done.returncode, 6)
                self.assertEqual(self.text(path), after)
            else:
                self.assertEqual(done.returncode, 0)
                self.assertIn("mica", self.servers("cursor"))

    def test_json_says_what_has_changed(self):
        path = self.put("cursor", "{}")
        first, again, undone, nothing = (
            json.loads(self.install("cursor", "--json", *words).stdout)
            for words in (["--yes"], ["--yes"], ["--undo", "--yes"], ["--undo", "--yes"]))
        self.assertEqual(first, {"client": "cursor", "name": "mica", "file": path,
                                 "changed": True})
        self.assertEqual(again, {**first, "changed": False})
        self.assertEqual(undone, first)
        self.assertEqual(nothing, again)

    def test_print_changes_nothing(self):
        for client in CLIENTS:
            text = self.install(client, "--print").stdout
            whole = (tomllib.loads(text) if client == "codex"
                     else json.loads(text))
            self.assertIn("stdio", json.dumps(
                whole[SECTION.get(client, "mcpServers")]["mica"]["args"]))
        self.assertEqual(self.files(), [])
        self.refused("USAGE", "cursor", "--print", "--yes", exit=2)

    def test_links_are_followed_and_stay(self):
        real = os.path.join(self.root, "dotfiles.json")
        with open(real, "w", encoding="utf-8") as file:
            file.write("{}")
        os.makedirs(os.path.join(self.home, ".cursor"))
        os.symlink(real, self.path("cursor"))
        self.install("cursor", "--yes")
        self.assertTrue(os.path.islink(self.path("cursor")))
        self.assertIn("mica", json.loads(self.text(real))["mcpServers"])
        self.install("cursor", "--undo", "--yes")
        self.assertEqual(self.text(real), "{}")
        os.remove(real)
        self.refused("IO_ERROR", "cursor", "--yes", exit=8)
        self.assertFalse(os.path.exists(real))

    @unittest.skipUnless(os.geteuid() == 0, "needs another user's folder")
    def test_the_home_of_another_user_is_left_alone(self):
        os.chown(self.home, 65534, 65534)
        self.assertIn("another user",
                      self.refused("USAGE", "cursor", "--yes", exit=2))
        self.assertEqual(self.files(), [])

    def test_words_are_checked(self):
        self.assertIn("claude-code", self.refused("USAGE", "emacs", exit=2))
        self.refused("USAGE", exit=2)
        self.refused("USAGE", "cursor", "--scope", "world", exit=2)
        self.refused("USAGE", "cursor", "--undo", "--url", "http://x/", exit=2)
        del self.env["HOME"]
        self.env["HOME"] = ""
        self.refused("USAGE", "cursor", "--yes", exit=2)


class Place(cli.Case):
    def test_a_server_may_be_told_its_folder_or_to_have_none(self):
        self.write("there/engines/x.c", "not C")
        line = json.dumps(cli.message("tools/list")) + "\n"
        # What is not built does not keep the server from answering.
        served = self.mica("stdio", "--project", "there", stdin=line)
        self.assertEqual(json.loads(served.stdout)["result"]["tools"], [])
        self.assertIn("engines/x.c was not built: BUILD_FAILED", served.stderr)
        self.complaint("NOT_FOUND", "stdio", "--project", "nowhere", exit=4)
        self.complaint("USAGE", "stdio", "--built-in", "--project", "there",
                       exit=2)
        os.rename(os.path.join(self.folder, "there/engines"),
                  os.path.join(self.folder, "engines"))
        tools = json.loads(self.mica("stdio", "--built-in", stdin=line).stdout)
        self.assertGreater(len(tools["result"]["tools"]), 10)


if __name__ == "__main__":
    alone.run()

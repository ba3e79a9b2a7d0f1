# SPDX-License-Identifier: Apache-2.0
"""The command line as a person or a script meets it, outside the repository.

    python3 cli.py --build build --mica build/mica \\
        --embed build/examples/embed --offer build/examples/offer \\
        --source examples/embed.c

Every test works in a folder of its own. Nothing but Python's own library.
"""

import argparse
import errno
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

import terminal

OPTIONS = None  # what the command line said
AREA = ("--template", "calculate")  # `mica new`: length times width is the area
PERCENTAGE = {"mode": "of", "a": 15, "b": 200}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def message(method, number=1, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method,
            "params": {**params, "_meta": META}}


def call_message(tool, arguments, number=1):
    return message("tools/call", number, name=tool, arguments=arguments)


def asked_for_json(words):
    """The words with --json, unless they have it or a document is JSON anyway."""
    has = words[0] in ("manifest", "openapi") or any(
        word.startswith("--json") for word in words)
    return words if has else (*words, "--json")


class Case(unittest.TestCase):
    """A folder, and mica in it."""

    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="mica-cli-")
        os.chmod(self.folder, 0o755)

    def tearDown(self):
        """A shell that a test has left may write its history meanwhile, and a check that
        mica dev has begun may remove its own files."""
        until = time.monotonic() + OPTIONS.patience
        while True:
            try:
                shutil.rmtree(self.folder)
                return
            except OSError as error:
                if (error.errno not in (errno.ENOTEMPTY, errno.ENOENT)
                        or time.monotonic() > until):
                    raise
                time.sleep(0.05)

    def mica(self, *words, stdin="", exit=0, env=None):
        done = subprocess.run(
            [OPTIONS.mica, *words], input=stdin, cwd=self.folder, text=True,
            capture_output=True, timeout=OPTIONS.patience,
            env={**os.environ, **(env or {})})
        if exit is not None:
            self.assertEqual(done.returncode, exit,
                             f"mica {words}: {done.stdout}{done.stderr}")
        return done

    def json(self, *words, **more):
        return json.loads(self.mica(*asked_for_json(words), **more).stdout)

    def complaint(self, code, *words, exit, **more):
        """What stderr says of a failure."""
        done = self.mica(*words, exit=exit, **more)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, rf"(?m)^mica: {code}: ")
        return done.stderr

    def on_terminal(self, *words, env=None, exit=0, columns=None):
        """What a person on a terminal reads."""
        master, slave = pty.openpty()
        if columns is not None:
            terminal.be_wide(slave, columns)
        environment = {**os.environ, "TERM": "xterm", **(env or {})}
        environment.pop("NO_COLOR", None)
        environment.update(env or {})
        process = subprocess.Popen([OPTIONS.mica, *words], stdout=slave,
                                   stderr=slave, stdin=slave, cwd=self.folder,
                                   env=environment)
        os.close(slave)
        text = terminal.read_to_end(master)
        status = process.wait(OPTIONS.patience)
        if exit is not None:
            self.assertEqual(status, exit, text)
        return text.decode().replace("\r\n", "\n")

    def write(self, path, text):
        full = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)
        return full

    def read(self, path):
        with open(os.path.join(self.folder, path), encoding="utf-8") as file:
            return file.read()


class Help(Case):
    def test_help_lists_every_command_and_each_explains_itself(self):
        text = self.mica("help").stdout
        self.assertEqual(self.mica().stdout, text)
        self.assertEqual(self.mica("--help").stdout, text)
        commands = re.findall(r"(?m)^  (\w+) +[A-Z]", text)
        self.assertGreaterEqual(
            set(commands), {"serve", "stdio", "list", "call", "describe",
                            "check", "new", "build", "version", "help"})
        for command in commands:
            one = self.mica("help", command).stdout
            self.assertEqual(self.mica(command, "--help").stdout, one)
            self.assertIn(f"mica {command}", one)
            self.assertIn("Example", one)

    def test_a_wrong_command_or_option_brings_the_nearest(self):
        self.assertIn("mica serve",
                      self.complaint("USAGE", "sevre", exit=2))
        self.assertIn("mica help", self.complaint("USAGE", "qqqqqq", exit=2))
        self.assertIn("--listen",
                      self.complaint("USAGE", "serve", "--listn", "x", exit=2))
        self.assertIn("did you mean",
                      self.complaint("USAGE", "help", "lst", exit=2))
        self.assertIn('"mica help" lists',
                      self.complaint("USAGE", "help", "qqqqqq", exit=2))

    def test_a_word_of_other_programs_brings_the_one_of_mica(self):
        for said, meant in (("--port", "--listen HOST:PORT"),
                            ("--host", "--listen"), ("--origin", "--allow-origin"),
                            ("--allow-hosts", "--allow-host"),
                            ("--proxy", "--trusted-proxy"),
                            ("--sess", "--sessions")):
            self.assertIn(f"did you mean {meant}",
                          self.complaint("USAGE", "serve", said, "1", exit=2))
        # Neighbors that are swapped are one slip.
        self.assertIn('did you mean "mica list"',
                      self.complaint("USAGE", "lsit", exit=2))
        for said, meant in (("--auht", "--auth"), ("--lsiten", "--listen")):
            self.assertIn(f"did you mean {meant}",
                          self.complaint("USAGE", "serve", said, "1", exit=2))
        self.assertIn("did you mean --json",
                      self.complaint("USAGE", "list", "--jsno", exit=2))
        # Two letters of four are another word.
        self.assertNotIn("did you mean",
                         self.complaint("USAGE", "call", "x", "--port", exit=2))
        for said, meant in (("ls", "list"), ("init", "new"), ("start", "serve")):
            self.assertIn(f'did you mean "mica {meant}"',
                          self.complaint("USAGE", said, exit=2))
        self.assertIn("-x", self.complaint("USAGE", "list", "-x", exit=2))
        self.complaint("USAGE", "call", "x", "-l", exit=2)

    def test_help_is_in_groups_short_with_h_and_long_with_help(self):
        for text in (self.mica("help").stdout, self.mica("-h").stdout):
            for title in ("Use tools", "Write tools", "Serve them"):
                self.assertIn(f"\n{title}\n  ", text)
        self.assertLess(len(self.mica("-h").stdout), len(self.mica("help").stdout))
        self.assertNotIn("Exit status", self.mica("-h").stdout)
        self.assertIn("Exit status", self.mica("--help").stdout)
        for command in re.findall(r"(?m)^  (\w+) +[A-Z]", self.mica("-h").stdout):
            short = self.mica(command, "-h").stdout
            long = self.mica(command, "--help").stdout
            self.assertLessEqual(max(map(len, short.splitlines()[4:])), 80, short)
            for option in re.findall(r"(?m)^  (?:-\w, )?(--[\w-]+)", long):
                self.assertIn(option, short)
            self.assertNotIn("Example", short)
            self.assertIn(f"mica {command} --help", short)
        self.assertIn("  -l, --long", self.mica("list", "-h").stdout)

    def test_version_names_mica_and_its_protocols(self):
        self.assertRegex(self.on_terminal("version"), r"^mica \d+\.\d+\.\d+\n")
        self.assertEqual(self.on_terminal("version"),
                         self.mica("--version").stdout)
        self.assertEqual(self.mica("--version").stdout,
                         self.mica("version").stdout)
        self.assertEqual(self.json("version")["protocolVersions"][0],
                         "2026-07-28")


class Catalog(Case):
    def test_list_is_json_for_a_program_that_asks(self):
        tools = self.json("list")
        self.assertGreaterEqual(len(tools), 16)
        names = [tool["name"] for tool in tools]
        self.assertEqual(names, sorted(names))
        self.assertIn("percentage-calculator", names)
        for tool in tools:
            self.assertTrue(tool["title"] and tool["description"])

    def test_list_has_a_line_for_each_tool_which_only_a_terminal_cuts(self):
        tools = self.json("list")
        lines = self.mica("list").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines],
                         [tool["name"] for tool in tools])
        for tool, line in zip(tools, lines):
            self.assertTrue(line.endswith(" " + " ".join(
                tool["description"].split())), line)
        for columns in (30, 60, 100):
            shown = self.on_terminal("list", env={"NO_COLOR": "1"},
                                     columns=columns).split("\n\n")[0]
            for whole, line in zip(lines, shown.split("\n")):
                if line != whole:
                    self.assertTrue(line.endswith("…"), line)
                    self.assertTrue(whole.startswith(line[:-1]), line)
                if columns >= 60:
                    self.assertLessEqual(len(line), columns)
        self.assertIn("…", shown)

    def test_list_is_for_people_on_a_terminal(self):
        text = self.on_terminal("list")
        self.assertIn("\033[1mpercentage-calculator\033[0m", text)
        plain = self.on_terminal("list", env={"NO_COLOR": "1"})
        self.assertNotIn("\033", plain)
        self.assertTrue(all(len(line) <= 80 for line in plain.split("\n")))
        long = self.on_terminal("list", "-l", env={"NO_COLOR": "1"})
        self.assertIn("percentage-calculator  math\n    ", long)
        self.assertEqual(self.mica("list", "-l").stdout,
                         self.mica("list", "--long").stdout)
        self.assertIsInstance(json.loads(self.on_terminal("list", "--json")),
                              list)

    def test_describe_gives_schemas_and_examples(self):
        tool = self.json("describe", "percentage-calculator")
        self.assertEqual(tool["inputSchema"]["required"], ["mode", "a", "b"])
        self.assertIn("result", tool["outputSchema"]["properties"])
        self.assertTrue(tool["examples"])
        text = self.on_terminal("describe", "percentage-calculator")
        for part in ("of | ratio | change", "default 2", "Examples", "Gives"):
            self.assertIn(part, text)
        self.assertIn("percentage-calculator",
                      self.complaint("NOT_FOUND", "describe",
                                     "percentage-calc", exit=4))

    def test_the_examples_that_describe_prints_run(self):
        text = self.on_terminal("describe", "tip-splitter")
        lines = re.findall(r"(?m)^    mica (call .*)$", text)
        self.assertTrue(lines)
        for line in lines:
            done = subprocess.run(
                ["sh", "-c", f'"$MICA" {line}'], cwd=self.folder,
                capture_output=True, text=True, timeout=OPTIONS.patience,
                env={**os.environ, "MICA": OPTIONS.mica})
            self.assertIn(done.returncode, (0, 3), line + done.stderr)

    def test_a_folder_of_built_engines_can_be_named(self):
        self.mica("new", "only-one", *AREA)
        self.mica("build")
        with tempfile.TemporaryDirectory() as elsewhere:
            self.folder, here = elsewhere, self.folder
            built = os.path.join(here, "build", "engines")
            tools = self.json("list", "--engines", built)
            self.folder = here
        self.assertEqual([tool["name"] for tool in tools], ["only-one"])
        self.assertIn("nowhere", self.complaint("NOT_FOUND", "list",
                                                "--engines", "nowhere",
                                                exit=4))


class Call(Case):
    def test_values_are_typed_by_the_schema(self):
        result = self.json("call", "percentage-calculator", "mode=of", "a=15",
                           "b=200")
        self.assertEqual(result["result"], 30)
        result = self.json("call", "statistics-summary", "values=1,2,3,4")
        self.assertEqual(result["mean"], 2.5)
        result = self.json("call", "statistics-summary", "values=1",
                           "values=3")
        self.assertEqual(result["mean"], 2)

    def test_arguments_come_as_json_or_on_stdin_too(self):
        text = json.dumps(PERCENTAGE)
        for result in (
                self.json("call", "percentage-calculator", "--json", text),
                self.json("call", "percentage-calculator", f"--json={text}"),
                self.json("call", "percentage-calculator", "-", stdin=text)):
            self.assertEqual(result["result"], 30)

    def test_a_result_is_for_people_on_a_terminal(self):
        words = ("call", "percentage-calculator", "mode=of", "a=15", "b=200")
        self.assertIn("(15 / 100) × 200", self.on_terminal(*words))
        self.assertEqual(self.on_terminal(*words, env={"NO_COLOR": "1"}),
                         self.mica(*words).stdout)
        self.assertNotIn("{", self.on_terminal(*words))
        self.assertEqual(json.loads(self.on_terminal(*words, "--json"))
                         ["result"], 30)

    def test_lines_are_answered_in_order_by_one_process(self):
        count = 2000
        lines = "".join(json.dumps({**PERCENTAGE, "a": n}) + "\n"
                        for n in range(count))
        done = self.mica("call", "percentage-calculator", "--lines",
                         stdin=lines)
        results = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([r["result"] for r in results],
                         [n * 2 for n in range(count)])

    def test_a_field_takes_the_text_of_a_file_or_of_stdin(self):
        csv = self.write("my table.csv", "a,b\n1,2\n")
        rows = self.json("call", "csv-parser", f"csv=@{csv}")
        self.assertEqual(rows, self.json("call", "csv-parser", "csv=a,b\n1,2\n"))
        self.assertEqual(self.json("call", "csv-parser", "csv=@-",
                                   stdin="a,b\n1,2\n"), rows)
        self.write("numbers", "1\n2\n3\n4\n")
        result = self.json("call", "statistics-summary", "values=@numbers")
        self.assertEqual(result["mean"], 2.5)
        shell = subprocess.run(
            ["bash", "-c", '"$MICA" call csv-parser csv=@<(printf "a,b\\n1,2\\n") '
             "--json"], cwd=self.folder, capture_output=True, text=True, check=True,
            timeout=OPTIONS.patience, env={**os.environ, "MICA": OPTIONS.mica})
        self.assertEqual(json.loads(shell.stdout), rows)

    def test_a_file_that_cannot_be_a_field_is_refused_with_how_to_write_a_text(self):
        text = self.complaint("NOT_FOUND", "call", "text-statistics", "text=@ada",
                              exit=4)
        self.assertIn('there is no file "ada"', text)
        self.assertIn("text=@@ada", text)
        self.assertIn("at /text", text)
        self.assertEqual(
            self.json("call", "text-statistics", "text=@@ada")["characters"], 4)
        self.complaint("USAGE", "call", "text-statistics", "text=@.", exit=2)
        self.complaint("USAGE", "call", "text-statistics", "text=@", exit=2)
        with open(os.path.join(self.folder, "latin"), "wb") as file:
            file.write(b"ab\xe4")
        self.assertIn("byte 3", self.complaint(
            "BAD_FORMAT", "call", "text-statistics", "text=@latin", exit=3))
        with open(os.path.join(self.folder, "large"), "wb") as file:
            file.truncate((8 << 20) + 1)
        self.complaint("LIMIT_EXCEEDED", "call", "text-statistics", "text=@large",
                       exit=5)

    def test_a_line_that_fails_has_its_line_and_the_rest_go_on(self):
        lines = (json.dumps(PERCENTAGE) + "\n\r\nnot json\n{}\r\n"
                 + json.dumps(PERCENTAGE))
        done = self.mica("call", "percentage-calculator", "--lines",
                         stdin=lines, exit=3)
        results = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([r.get("result") for r in results],
                         [30, None, None, 30])
        self.assertEqual(results[1]["error"]["code"], "INVALID_JSON")
        self.assertEqual(results[2]["error"]["code"], "MISSING_FIELD")
        self.assertIn("line 3", done.stderr)

    def test_failures_say_what_and_where_and_exit_by_kind(self):
        name = "percentage-calculator"
        text = self.complaint(f"{name} answered DIVISION_BY_ZERO", "call",
                              name, "mode=ratio", "a=1", "b=0", exit=3)
        self.assertRegex(text, r"at /?b\b")
        text = self.complaint("WRONG_TYPE", "call", name, "mode=of", "a=x",
                              "b=1", exit=3)
        self.assertIn("at /a", text)
        text = self.complaint("UNKNOWN_FIELD", "call", name, "mod=of", exit=3)
        self.assertIn('did you mean "mode"', text)
        self.complaint("MISSING_FIELD", "call", name, exit=3)
        self.complaint("INVALID_JSON", "call", name, "--json", "{", exit=3)
        self.complaint("INVALID_JSON", "call", name, "-", stdin="", exit=3)
        self.complaint("USAGE", "call", name, "15", exit=2)
        self.complaint("USAGE", "call", exit=2)
        self.complaint("USAGE", "call", name, "a=1", "--json", "{}", exit=2)
        self.complaint("USAGE", "call", name, "a=1", "--lines", exit=2)
        text = self.complaint("NOT_FOUND", "call", "percentage-calculater",
                              exit=4)
        self.assertIn('did you mean "percentage-calculator"', text)

    def test_a_reader_that_goes_ends_it_without_noise(self):
        lines = (json.dumps(PERCENTAGE) + "\n") * 20000
        path = self.write("lines", lines)
        done = subprocess.run(
            ["sh", "-c", f'"$MICA" call percentage-calculator --lines <"{path}"'
             ' | head -n 1'], cwd=self.folder, capture_output=True, text=True,
            timeout=OPTIONS.patience, env={**os.environ, "MICA": OPTIONS.mica})
        self.assertEqual(json.loads(done.stdout)["result"], 30)


class Server:
    """A program that serves HTTP and says where on stdout or stderr."""

    def __init__(self, words, folder):
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(words, cwd=folder, text=True,
                                        stdout=subprocess.PIPE,
                                        stderr=self.errors)

    def url(self, patience):
        ready, _, _ = select.select([self.process.stdout], [], [], patience)
        if not ready:
            raise TimeoutError("the server does not say where it listens")
        return self.process.stdout.readline().strip()

    def end(self, patience):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(patience)
        self.process.stdout.close()
        self.errors.seek(0)
        text = self.errors.read()
        self.errors.close()
        return status, text


def post(url, message, **headers):
    request = urllib.request.Request(
        url, json.dumps(message).encode(),
        {"Content-Type": "application/json",
         "MCP-Protocol-Version": "2026-07-28",
         "Mcp-Method": message["method"],
         "Mcp-Name": message["params"].get("name", ""), **headers})
    with urllib.request.urlopen(request, timeout=OPTIONS.patience) as reply:
        return json.load(reply)


class Serving(Case):
    def test_serve_says_where_and_how_and_ends_well(self):
        server = Server([OPTIONS.mica, "serve", "--drain=0", "--listen", "127.0.0.1:0"],
                        self.folder)
        url = server.url(OPTIONS.patience)
        self.assertRegex(url, r"^http://127\.0\.0\.1:\d+/mcp$")
        reply = post(url, call_message("percentage-calculator", PERCENTAGE))
        self.assertEqual(reply["result"]["structuredContent"]["result"], 30)
        with urllib.request.urlopen(url.replace("/mcp", "/healthz")) as page:
            self.assertEqual(json.load(page)["status"], "ok")
        status, text = server.end(OPTIONS.patience)
        self.assertEqual(status, 0)
        configuration = json.loads(text[text.index("{\n"):text.index("\n}\n")
                                        + 2])
        self.assertEqual(configuration["mcpServers"]["mica"]["url"], url)
        logged = [json.loads(line) for line in text.splitlines()
                  if line.startswith('{"time"')]
        self.assertEqual([entry.get("tool") for entry in logged],
                         ["percentage-calculator", None])

    def test_host_prints_the_address_of_its_page(self):
        server = Server([OPTIONS.mica, "host", "--listen", "127.0.0.1:0"], self.folder)
        url = server.url(OPTIONS.patience)
        self.assertRegex(url, r"^http://127\.0\.0\.1:\d+/host$")
        with urllib.request.urlopen(url) as page:
            self.assertIn(b"<dialog", page.read())
        mcp = url.replace("/host", "/mcp")
        reply = post(mcp, call_message("percentage-calculator", PERCENTAGE))
        self.assertEqual(reply["result"]["structuredContent"]["result"], 30)
        status, text = server.end(OPTIONS.patience)
        self.assertEqual(status, 0)
        self.assertIn(f"mica: a host for views at {url}\n", text)
        self.assertIn(f"tools at {mcp}\n", text)

    def test_an_address_goes_behind_listen(self):
        for words in (("serve", "--host", "0.0.0.0"), ("host", "--host", "0.0.0.0"),
                      ("serve", "--host-page", "--host=0.0.0.0")):
            self.assertIn("did you mean --listen HOST:PORT?",
                          self.complaint("USAGE", *words, exit=2))
        self.assertIn("host takes no \"0.0.0.0\"; an address goes behind --listen",
                      self.complaint("USAGE", "host", "0.0.0.0", exit=2))

    def test_quiet_means_no_log(self):
        server = Server([OPTIONS.mica, "serve", "--drain=0", "--listen", "127.0.0.1:0",
                         "--quiet"], self.folder)
        url = server.url(OPTIONS.patience)
        post(url, call_message("percentage-calculator", PERCENTAGE))
        status, text = server.end(OPTIONS.patience)
        self.assertEqual(status, 0)
        self.assertNotIn('{"time"', text)

    def test_log_takes_a_form_and_refuses_others(self):
        for form, wanted in (("text", r"(?m)^\d\d:\d\d:\d\d\.\d{3}  200  POST /mcp  "
                                      r"tools/call percentage-calculator  \d+\.\d ms  "
                                      r"in \d+ B  out \d+ B$"),
                             ("json", r'(?m)^\{"time".*"out":\d+\}$'), ("off", None)):
            server = Server([OPTIONS.mica, "serve", "--drain=0", "--listen", "127.0.0.1:0",
                             "--log", form], self.folder)
            post(server.url(OPTIONS.patience),
                 call_message("percentage-calculator", PERCENTAGE))
            status, text = server.end(OPTIONS.patience)
            self.assertEqual(status, 0)
            if wanted is not None:
                self.assertRegex(text, wanted)
            else:
                self.assertNotRegex(text, "percentage-calculator")
            self.assertNotIn("\x1b", text)
        self.complaint("USAGE", "serve", "--log", "xml", exit=2)
        self.complaint("USAGE", "serve", "--log", "text", "--quiet", exit=2)

    def served_on_a_terminal(self, *words, env=None):
        """What a person reads while a server answers one call and one refusal."""
        master, slave = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", **(env or {})}
        if not env:
            environment.pop("NO_COLOR", None)
        process = subprocess.Popen(
            [OPTIONS.mica, "serve", "--drain=0", "--listen", "127.0.0.1:0", *words], stderr=slave,
            stdout=subprocess.PIPE, text=True, cwd=self.folder, env=environment)
        os.close(slave)
        url = process.stdout.readline().strip()
        post(url, call_message("percentage-calculator", PERCENTAGE))
        with self.assertRaises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(url.replace("/mcp", "/no%1B%5B2J"),
                                   timeout=OPTIONS.patience)
        caught.exception.close()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(OPTIONS.patience), 0)
        process.stdout.close()
        return terminal.read_to_end(master).decode().replace("\r\n", "\n")

    def test_the_log_is_text_with_colors_on_a_terminal(self):
        text = self.served_on_a_terminal()
        self.assertRegex(text, r"\n\d\d:\d\d:\d\d\.\d{3}  \x1b\[32m200\x1b\[0m  POST /mcp  ")
        self.assertRegex(text, r"\x1b\[33m404\x1b\[0m  GET /no")
        self.assertNotIn("\x1b[2J", text)
        self.assertNotIn('{"time"', text)
        self.assertNotIn("\x1b", self.served_on_a_terminal(env={"NO_COLOR": "1"}))
        self.assertIn('\n{"time"', self.served_on_a_terminal("--log", "json"))

    def test_a_reply_without_a_body_counts_no_bytes_that_went_out(self):
        server = Server([OPTIONS.mica, "serve", "--drain=0", "--listen", "127.0.0.1:0"],
                        self.folder)
        page = server.url(OPTIONS.patience).replace("/mcp", "/openapi.json")
        with urllib.request.urlopen(page, timeout=OPTIONS.patience) as reply:
            size, tag = len(reply.read()), reply.headers["ETag"]
        with urllib.request.urlopen(urllib.request.Request(page, method="HEAD"),
                                    timeout=OPTIONS.patience) as reply:
            self.assertEqual(reply.read(), b"")
        with self.assertRaises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(urllib.request.Request(
                page, headers={"If-None-Match": tag}), timeout=OPTIONS.patience)
        caught.exception.close()
        status, text = server.end(OPTIONS.patience)
        self.assertEqual(status, 0)
        logged = [json.loads(line) for line in text.splitlines()
                  if line.startswith('{"time"')]
        self.assertEqual([(one["method"], one["status"], one["out"])
                          for one in logged],
                         [("GET", 200, size), ("HEAD", 200, 0), ("GET", 304, 0)])

    def test_hosts_and_origins_are_those_allowed(self):
        server = Server([OPTIONS.mica, "serve", "--drain=0", "--listen", "127.0.0.1:0",
                         "--allow-host", "mica.example", "--allow-origin",
                         "https://app.example"], self.folder)
        url = server.url(OPTIONS.patience)
        message = call_message("percentage-calculator", PERCENTAGE)
        post(url, message, Host="mica.example", Origin="https://app.example")
        for headers in ({"Host": "evil.example"},
                        {"Origin": "https://evil.example"}):
            with self.assertRaises(urllib.error.HTTPError) as caught:
                post(url, message, **headers)
            self.assertEqual(caught.exception.code, 403)
            caught.exception.close()
        self.assertEqual(server.end(OPTIONS.patience)[0], 0)

    def test_an_open_address_needs_consent(self):
        text = self.complaint("USAGE", "serve", "--listen", "0.0.0.0:0",
                              exit=2)
        self.assertIn("--public", text)
        self.assertIn("--allow-host", text)
        self.complaint("USAGE", "serve", "--listen", "nonsense", exit=2)
        self.complaint("USAGE", "serve", "--sessions", "maybe", exit=2)
        self.complaint("USAGE", "serve", "--workers", "many", exit=2)
        self.complaint("USAGE", "serve", "8080", exit=2)

    def test_a_port_that_is_taken_is_said(self):
        server = Server([OPTIONS.mica, "serve", "--drain=0", "--listen", "127.0.0.1:0"],
                        self.folder)
        address = server.url(OPTIONS.patience).split("/")[2]
        self.assertIn("choose another port", self.complaint(
            "ADDRESS_IN_USE", "serve", "--listen", address, exit=7))
        self.assertEqual(server.end(OPTIONS.patience)[0], 0)

    def test_stdio_answers_and_ends_with_its_input(self):
        lines = "".join(
            json.dumps(call_message("percentage-calculator",
                                    {**PERCENTAGE, "a": n}, n)) + "\n"
            for n in range(100))
        done = self.mica("stdio", stdin=lines)
        replies = {r["id"]: r for r in map(json.loads,
                                           done.stdout.splitlines())}
        self.assertEqual(len(replies), 100)
        for n, reply in replies.items():
            self.assertEqual(
                reply["result"]["structuredContent"]["result"], n * 2)
        self.assertEqual(done.stderr, "")


class Embedding(Case):
    """A program of twenty lines with tools of its own, and one with a resource
    and a prompt beside its tool."""

    def replies(self, program, *messages):
        done = subprocess.run([program], input="".join(
            json.dumps(one) + "\n" for one in messages), text=True,
                              capture_output=True, cwd=self.folder,
                              timeout=OPTIONS.patience, check=True)
        return {r["id"]: r.get("result", r.get("error"))
                for r in map(json.loads, done.stdout.splitlines())}

    def test_over_stdio(self):
        replies = self.replies(
            OPTIONS.embed,
            call_message("greet", {"name": "Ada"}, 1),
            call_message("echo", {"a": 1, "b": [2]}, 2),
            call_message("greet", {"nam": "Ada"}, 3))
        self.assertEqual(replies[1]["structuredContent"],
                         {"text": "Hello, Ada."})
        self.assertEqual(replies[2]["structuredContent"],
                         {"echo": {"a": 1, "b": [2]}, "count": 2})
        self.assertTrue(replies[3]["isError"])

    def test_a_resource_and_a_prompt_beside_a_tool(self):
        replies = self.replies(
            OPTIONS.offer,
            message("server/discover", 1),
            call_message("portions", {"people": 5}, 2),
            message("resources/templates/list", 3),
            message("resources/read", 4, uri="recipes:///soup"),
            message("resources/read", 5, uri="recipes:///cake"),
            message("prompts/get", 6, name="shopping_list",
                    arguments={"dish": "bread"}),
            message("completion/complete", 7,
                    ref={"type": "ref/prompt", "name": "shopping_list"},
                    argument={"name": "dish", "value": "s"}))
        self.assertEqual(set(replies[1]["capabilities"]) & {
            "tools", "resources", "prompts", "completions"},
                         {"tools", "resources", "prompts", "completions"})
        self.assertEqual(replies[2]["structuredContent"], {"kilograms": 1.5})
        self.assertEqual(replies[3]["resourceTemplates"][0]["uriTemplate"],
                         "recipes:///{dish}")
        self.assertEqual(replies[4]["contents"][0]["uri"], "recipes:///soup")
        self.assertIn("Leeks", replies[4]["contents"][0]["text"])
        self.assertEqual(replies[5]["data"]["code"], "NOT_A_CHOICE")
        self.assertIn("Flour", replies[6]["messages"][0]["content"]["text"])
        self.assertEqual(replies[7]["completion"]["values"], ["soup"])

    def test_over_http(self):
        # It does not print its port: one that was free a moment ago will do.
        for _ in range(5):
            with open_socket() as socket:
                address = "127.0.0.1:%d" % socket.getsockname()[1]
            server = Server([OPTIONS.embed, address], self.folder)
            if self.answers(f"http://{address}/mcp"):
                self.assertEqual(server.end(OPTIONS.patience)[0], 0)
                return
            server.end(OPTIONS.patience)
        self.fail("it does not listen")

    def answers(self, url):
        for _ in range(200):
            try:
                reply = post(url, call_message("greet", {"name": "Ada"}))
            except OSError:
                time.sleep(0.02)
                continue
            self.assertEqual(reply["result"]["structuredContent"],
                             {"text": "Hello, Ada."})
            return True
        return False


class Installed(Case):
    """What `make install` leaves is enough: nothing of the build is used."""

    def setUp(self):
        super().setUp()
        self.root = os.path.join(self.folder, "root")
        subprocess.run(["meson", "install", "-C", OPTIONS.build, "--no-rebuild",
                        "--quiet", "--destdir", self.root], check=True,
                       timeout=OPTIONS.patience, capture_output=True)
        self.prefix = self.find("bin/mica")
        self.saved = OPTIONS.mica
        OPTIONS.mica = os.path.join(self.prefix, "bin", "mica")

    def tearDown(self):
        OPTIONS.mica = self.saved
        super().tearDown()

    def find(self, ending):
        for folder, _, files in os.walk(self.root):
            for file in files:
                path = os.path.join(folder, file)
                if path.endswith("/" + ending):
                    return path[:-len(ending) - 1]
        self.fail(f"{ending} is not installed")

    def test_an_engine_is_written_checked_and_called(self):
        self.mica("new", "greet-person", *AREA)
        self.assertTrue(self.json("check", "--json")[0]["ok"])
        result = self.json("call", "greet-person", "length=3", "width=2")
        self.assertEqual(result["area"], 6)

    def test_a_program_links_against_it(self):
        pc = os.path.join(self.find("pkgconfig/mica.pc"), "pkgconfig")
        environment = {**os.environ, "PKG_CONFIG_PATH": pc,
                       "PKG_CONFIG_SYSROOT_DIR": self.root}
        program = os.path.join(self.folder, "embed")
        subprocess.run(
            ["sh", "-c", 'cc "$1" $(pkg-config --cflags --libs mica) -o "$2"',
             "sh", OPTIONS.source, program], check=True, env=environment,
            timeout=OPTIONS.patience, capture_output=True)
        library = os.path.dirname(pc)
        line = json.dumps(call_message("greet", {"name": "Ada"})) + "\n"
        done = subprocess.run([program], input=line, text=True, check=True,
                              capture_output=True, timeout=OPTIONS.patience,
                              env={**os.environ, "LD_LIBRARY_PATH": library})
        self.assertIn("Hello, Ada.", done.stdout)


def open_socket():
    import socket
    one = socket.socket()
    one.bind(("127.0.0.1", 0))
    return one


PARTS = {"commands": ["Help", "Catalog", "Call", "Serving"],
         "embedding": ["Embedding", "Installed"]}


def main():
    global OPTIONS
    import alone  # which has this module under its name
    parser = argparse.ArgumentParser()
    paths = ("mica", "embed", "offer", "build", "source")
    for name in paths:
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--patience", type=float, default=120)
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("tests", nargs="*")
    OPTIONS = parser.parse_args()
    for name in paths:
        setattr(OPTIONS, name, os.path.abspath(getattr(OPTIONS, name)))
    with tempfile.TemporaryDirectory(prefix="mica-state-") as state:
        os.environ["XDG_STATE_HOME"] = state
        os.environ["MICA_CACHE"] = os.path.join(state, "cache")
        unittest.main(argv=[sys.argv[0], *alone.choose(OPTIONS, PARTS)], verbosity=2)


if __name__ == "__main__":
    main()

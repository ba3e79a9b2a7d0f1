#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tools that keep (docs/keep.md), in servers that die and servers that share; TAP.

    keep.py --mica build/mica [--crash build/tests/wire/keep_crash.so] [--case WORD]

A server of mica has one tool, which keeps what it is told to. With --crash it can be
told to die at a commit of the tool's database.
"""
import argparse
import http.client
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import traceback

from together import outcomes, tell

PATIENCE = 30
HERE = os.path.dirname(os.path.abspath(__file__))
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "keep", "version": "1"}}


class Failure(Exception):
    pass


def need(truth, what):
    if not truth:
        raise Failure(str(what))


def same(got, wanted, what):
    need(got == wanted, "%s: %r, and not %r" % (what, got, wanted))


# ---- A project and its servers -------------------------------------------------------


class Project:
    """A folder with the tool; servers of it end with it."""

    def __init__(self, options, settings=""):
        self.options, self.folder = options, tempfile.mkdtemp(prefix="mica-keep-")
        self.environment = dict(os.environ, XDG_STATE_HOME=self.folder + "/state")
        tools = os.path.join(self.folder, "tools")
        os.mkdir(tools)
        shutil.copy(os.path.join(HERE, "keep_probe.c"), tools)
        pathlib.Path(self.folder, "mica.toml").write_text(settings, encoding="utf-8")
        self.trigger = os.path.join(self.folder, "crash")
        self.servers = []

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        statuses = [server.end() for server in self.servers]
        shutil.rmtree(self.folder)
        if kind is None:
            same(set(statuses) - {0, -signal.SIGKILL}, set(), "how the servers ended")

    def serve(self, *more):
        self.servers.append(Server(self, more))
        return self.servers[-1]

    def run(self, *words):
        return subprocess.run([self.options.mica, *words], cwd=self.folder,
                              env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)

    def database(self):
        [found] = pathlib.Path(self.folder).rglob("tool.keep_probe.db")
        return found

    def rows(self, sql):
        database = sqlite3.connect(self.database())
        try:
            return database.execute(sql).fetchall()
        finally:
            database.close()


class Server:
    def __init__(self, project, more):
        environment = dict(project.environment, KEEP_CRASH=project.trigger)
        if project.options.crash:
            environment["LD_PRELOAD"] = project.options.crash
        self.process = subprocess.Popen(
            [project.options.mica, "serve", "--listen", "127.0.0.1:0", "--drain=0", "--store",
             "sqlite:" + project.folder + "/calls.db", *more], cwd=project.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment, text=True)
        line = self.process.stdout.readline()
        if "http" not in line:
            raise Failure("no server: " + line + self.process.communicate(timeout=PATIENCE)[1])
        self.port = int(line.rsplit(":", 1)[1].split("/")[0])
        self.reader = threading.Thread(target=self.process.stderr.read, daemon=True)
        self.reader.start()

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
        status = self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        self.process.stdout.close()
        self.process.stderr.close()
        return status

    def request(self, path, body, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("POST", path, json.dumps(body),
                               {"Content-Type": "application/json", **headers})
            return connection.getresponse().read().decode()
        finally:
            connection.close()

    def rest(self, **arguments):
        return json.loads(self.request("/api/keep_probe", arguments, {}))

    def works(self, **arguments):
        value = self.rest(**arguments)
        need("number" in value, value)
        return value["number"]

    def call(self, key, **arguments):
        """One call of MCP with an idempotency key, as often as it is made."""
        text = self.request("/mcp", {
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                "name": "keep_probe", "arguments": arguments,
                "_meta": dict(META, **{"mica/idempotencyKey": key})}}, {
            "Mcp-Method": "tools/call", "Mcp-Name": "keep_probe",
            "MCP-Protocol-Version": "2026-07-28",
            "Accept": "application/json, text/event-stream"})
        lines = [line[5:] for line in text.splitlines() if line.startswith("data:")]
        return json.loads(lines[-1] if lines else text)

    def call_patiently(self, key, **arguments):
        until = time.monotonic() + 60
        value = self.call(key, **arguments)
        while "error" in value and time.monotonic() < until:
            time.sleep(0.3)
            value = self.call(key, **arguments)
        need("result" in value, value)
        return value["result"]["structuredContent"]["number"]


# ---- The cases -----------------------------------------------------------------------


def keeps(options):
    """What one server keeps, the next one finds; a copy of the file has it, too."""
    with Project(options) as project:
        server = project.serve()
        same([server.works(act="add", words="a"), server.works(act="add", words="it's")],
             [1, 2], "numbers")
        same(server.works(act="raise"), 1, "the entry")
        same(server.end(), 0, "how it ended")
        project.servers.clear()
        server = project.serve()
        same(server.works(act="count"), 2, "how many there are")
        same(server.works(act="raise"), 2, "the entry")
        same(project.rows("SELECT words FROM words"), [("a",), ("it's",)], "the rows")
        need("/projects/" in str(project.database()), project.database())
        # While the server runs, and its latest rows are in the log beside the file.
        backed_up = project.run("store", "backup", "copy.db", "--store",
                                "sqlite:" + project.folder + "/calls.db")
        need("copy.db-keep" in backed_up.stdout, backed_up)
        copy = sqlite3.connect(project.folder + "/copy.db-keep/tool.keep_probe.db")
        same(copy.execute("SELECT words FROM words").fetchall(), [("a",), ("it's",)],
             "the copy")
        copy.close()
        shutil.rmtree(project.folder + "/copy.db-keep")
        listed = json.loads(project.run("store", "databases", "--json").stdout)
        size = os.path.getsize(project.database())
        same([(one["name"], one["entries"], one["tables"]) for one in listed],
             [("tool.keep_probe", 1, 1)], "the databases")
        need(0 < listed[0]["bytes"] <= size + 1048576, (listed, size))
        same(project.database().stat().st_mode & 0o777, 0o600, "its mode")
        same(project.rows("PRAGMA integrity_check"), [("ok",)], "the file")


def dies(options, before):
    with Project(options) as project:
        server = project.serve()
        same(server.works(act="add", words="first"), 1, "a number")
        pathlib.Path(project.trigger).write_text("before" if before else "after",
                                                 encoding="utf-8")
        try:
            server.call("one", act="add", words="once")
            raise Failure("the server has answered")
        except (http.client.HTTPException, OSError):
            pass
        same(server.process.wait(PATIENCE), -signal.SIGKILL, "how it ended")
        need(not os.path.exists(project.trigger), "nothing has died")
        rows = project.rows("SELECT words FROM words ORDER BY number")
        same(rows, [("first",)] if before else [("first",), ("once",)],
             "rows when it died")
        server = project.serve()
        same(server.call_patiently("one", act="add", words="once"), 2, "the number")
        same(server.call_patiently("one", act="add", words="once"), 2, "and again")
        same(project.rows("SELECT words FROM words ORDER BY number"),
             [("first",), ("once",)], "rows in the end")
        same(server.works(act="add", words="last"), 3, "the next number")


def dies_behind(options):
    """A process that dies between the effect and its record has one effect."""
    dies(options, before=False)


def dies_ahead(options):
    """A process that dies before the effect is committed has it when it runs again."""
    dies(options, before=True)


def dies_putting(options):
    """The same of an entry: its version is compared once."""
    with Project(options) as project:
        server = project.serve()
        same(server.works(act="raise"), 1, "the entry")
        pathlib.Path(project.trigger).write_text("after", encoding="utf-8")
        # The first commit is that of reading; so it dies once more.
        for number in range(2):
            try:
                server.call_patiently("one", act="raise")
                raise Failure("the server has answered")
            except (http.client.HTTPException, OSError):
                pass
            same(server.process.wait(PATIENCE), -signal.SIGKILL, "how it ended")
            if number == 0:
                pathlib.Path(project.trigger).write_text("after", encoding="utf-8")
                # The call may continue before it is asked for.
                try:
                    server = project.serve()
                except Failure:
                    need(not os.path.exists(project.trigger), "the server did not begin")
                    break
        server = project.serve()
        same(server.call_patiently("one", act="raise"), 2, "the entry")
        same(project.rows("SELECT value FROM mica_entries"), [('{"number":2}',)], "the entry")


def shares(options):
    """Two servers raise one entry and add rows at once, and lose nothing."""
    with Project(options) as project:
        servers = [project.serve(), project.serve()]
        failures, numbers = [], []

        def work(server):
            try:
                for _ in range(15):
                    server.works(act="raise")
                    numbers.append(server.works(act="add", words="x"))
            except Exception as reason:  # of a thread
                failures.append(reason)
        threads = [threading.Thread(target=work, args=(server,))
                   for server in servers for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        same(failures, [], "failures")
        same(sorted(numbers), list(range(1, 61)), "numbers")
        same(project.rows("SELECT value FROM mica_entries"), [('{"number":60}',)], "the entry")


def waits(options):
    """A database that another process holds is waited for, and then refused."""
    with Project(options) as project:
        server = project.serve()
        server.works(act="add", words="a")
        other = sqlite3.connect(project.database(), isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        value = server.rest(act="add", words="b")
        same(value.get("code"), "KEEP_BUSY", value)
        same(server.works(act="count"), 1, "readers do not wait")
        other.execute("ROLLBACK")
        other.close()
        same(server.works(act="add", words="c"), 2, "a number")


def ends(options):
    """Statements that do not end by themselves are ended."""
    with Project(options) as project:
        server = project.serve()
        began = time.monotonic()
        value = server.rest(act="spin")
        same(value.get("code"), "KEEP_TIMEOUT", value)
        need(4 < time.monotonic() - began < 25, "%s s" % (time.monotonic() - began))
        same(server.works(act="count"), 0, "what is kept")


def configures(options):
    """The settings say where databases are, and how large; describe says who keeps."""
    with Project(options, '[keep]\npath = "data/kept"\nmegabytes = 1\n') as project:
        server = project.serve()
        same(server.works(act="add", words="a"), 1, "a number")
        same(str(project.database()),
             os.path.join(os.path.realpath(project.folder), "data/kept/tool.keep_probe.db"),
             "the file")
        value = None
        for _ in range(40):
            value = server.rest(act="add", words="x" * 100000)
            if "number" not in value:
                break
        same(value.get("code"), "KEEP_FULL", value)
        described = project.run("describe", "keep_probe")
        need("database of its own" in described.stdout, described)
        described = json.loads(project.run("describe", "keep_probe", "--json").stdout)
        same(described["keeps"], "tool.keep_probe", "describe --json")
        called = project.run("call", "keep_probe", "act=count")
        need(called.returncode == 0, called)
    with Project(options, '[keep]\npath = "../elsewhere"\n') as project:
        try:
            project.serve()
            raise Failure("a path outside of the folder is taken")
        except Failure as failure:
            need("keep.path" in str(failure), failure)


def renames(options):
    """A name that a rule gives the tool leads to the same database."""
    with Project(options) as project:
        server = project.serve()
        same(server.works(act="add", words="a"), 1, "a number")
        same(server.end(), 0, "how it ended")
        project.servers.clear()
        pathlib.Path(project.folder, "mica.toml").write_text(
            '[[rules.names]]\ntool = "keep_probe"\nname = "memory"\n', encoding="utf-8")
        server = project.serve()
        value = json.loads(server.request("/api/memory", {"act": "add", "words": "b"}, {}))
        same(value, {"number": 2}, "a number")
        same(project.rows("SELECT words FROM words"), [("a",), ("b",)], "the rows")


CASES = [keeps, dies_behind, dies_ahead, dies_putting, shares, waits, ends, configures, renames]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mica", required=True)
    parser.add_argument("--crash")
    parser.add_argument("--case")
    options = parser.parse_args()
    options.mica = os.path.abspath(options.mica)
    cases = [case for case in CASES if options.case in (None, case.__name__)
             and (options.crash or not case.__name__.startswith("dies"))]
    if options.crash:
        options.crash = os.path.abspath(options.crash)
    print("1..%d" % len(cases), flush=True)
    failed = 0

    def tried(case):
        try:
            case(options)
        except Exception:  # every other case still runs
            return traceback.format_exc()
        return None

    for number, case, wrong in outcomes(cases, tried):
        failed += tell(number, case.__doc__, wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A first day with mica and with its peers: what an author types and writes; TAP.

    first_day.py --mica build/mica                  mica's day; the peers' when installed
    first_day.py --mica build/mica --packages DIR   the client's packages are in DIR
    first_day.py --count                            prints the table of docs/first-day.md

Each file NAME.day is one day: ten tasks, each with commands and edits. The script counts
them, does them in a folder of its own, and looks at what came of each task with the
official client. README.md says what the lines of a day mean and what is counted.
"""
import argparse
import http.server
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
DAYS = {"mica": "mica", "fastmcp": "npm `fastmcp`", "sdk": "official SDK"}
COMMENTS = {".c": "//", ".mjs": "//", ".toml": "#", ".conf": "#"}
PATIENCE = 120


class Failure(Exception):
    pass


def need(truth, what):
    if not truth:
        raise Failure(what)


# ---- A day: reading and counting -------------------------------------------------

class Step:
    """A command, a page that is opened, or a file that is written or edited."""

    def __init__(self, kind, what):
        self.kind, self.what, self.lines = kind, what, []

    def count(self):
        mark = COMMENTS.get(pathlib.PurePath(self.what).suffix)
        texts = [line[1:].strip() for line in self.lines if line[0] == "+"]
        return sum(1 for text in texts
                   if text and not (mark and text.startswith(mark)))


def read_day(name):
    """The tasks of a day: pairs of a title and its steps."""
    tasks = []
    for line in (HERE / (name + ".day")).read_text(encoding="utf-8").splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "==":
            tasks.append((rest, []))
        elif kind in ("$", "edit", "write", "open"):
            tasks[-1][1].append(Step(kind, rest))
        elif line[:1] in ("+", "-", " ") and line and tasks:
            tasks[-1][1][-1].lines.append(line)
        elif line and not line.startswith("#"):
            raise Failure("%s.day: what is this line? %s" % (name, line))
    return tasks


def table():
    days = {name: read_day(name) for name in DAYS}
    titles = [title for title, _ in days["mica"]]
    for name, day in days.items():
        need([title for title, _ in day] == titles, name + ".day has other tasks")
    rows = [[title] + [(len(day[at][1]), sum(step.count() for step in day[at][1]))
                       for day in days.values()] for at, title in enumerate(titles)]
    rows.append(["all ten"] + [tuple(sum(row[at][part] for row in rows) for part in (0, 1))
                               for at in range(1, 1 + len(DAYS))])
    return rows


def markdown():
    lines = ["| task | " + " | ".join(DAYS.values()) + " |",
             "|---|" + "---|" * len(DAYS)]
    lines += ["| %s | %s |" % (row[0], " | ".join("%d, %d" % cell for cell in row[1:]))
              for row in table()]
    return "\n".join(lines) + "\n"


# ---- The world around: an API, nginx, ports ----------------------------------------

class Rates(http.server.BaseHTTPRequestHandler):
    """The API of the third task: one rate, and 404 for all others."""

    def do_GET(self):
        known = self.path == "/rate?from=EUR&to=USD"
        body = b'{"rate": 1.0825, "date": "2026-11-24"}' if known else b"{}"
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, process):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        need(process.poll() is None, "the server has ended")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise Failure("nothing listens at port %d" % port)


class Nginx:
    """That of the machine: its own files, but the day's conf.d."""

    def __init__(self, folder):
        self.folder, self.port = folder, free_port()
        (folder / "conf.d").mkdir(parents=True)
        (folder / "nginx.conf").write_text(
            "pid %s/pid; error_log %s/error.log; daemon off;\nevents {}\n"
            "http { access_log off; client_body_temp_path %s/body; "
            "proxy_temp_path %s/proxy; fastcgi_temp_path %s/f; uwsgi_temp_path %s/u; "
            "scgi_temp_path %s/s; include %s/conf.d/*.conf; "
            "server { listen 127.0.0.1:%d default_server; return 404; } }\n"
            % ((folder,) * 8 + (self.port,)), encoding="ascii")
        path = os.environ["PATH"] + ":/usr/sbin"
        self.program = shutil.which("nginx", path=path)
        self.process = None
        if self.program is not None:
            self.process = subprocess.Popen(self.command(), stderr=subprocess.DEVNULL)
            wait_for(self.port, self.process)

    def command(self, *more):
        return [self.program, "-e", str(self.folder / "error.log"), "-c",
                str(self.folder / "nginx.conf"), *more]

    def close(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait()


# ---- Doing a day -----------------------------------------------------------------

class Doing:
    """The folder in which a day is done, and the processes of its task."""

    def __init__(self, name, words, api):
        self.name, self.words = name, words
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="first-day-"))
        self.home, self.cwd = self.root / "home", self.root / "work"
        self.home.mkdir()
        self.cwd.mkdir()
        shutil.copy(HERE / "visa.md", self.cwd)
        self.port, self.api = free_port(), api
        self.nginx = Nginx(self.root / "nginx")
        self.servers, self.log = [], self.root / "log"
        cache = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
        self.env = dict(
            os.environ, HOME=str(self.home), XDG_CACHE_HOME=cache,
            XDG_STATE_HOME=str(self.root / "state"),
            MICA_HTTP_LISTEN="127.0.0.1:%d" % self.port,
            PATH="%s:%s" % (words.mica.parent, os.environ["PATH"]))
        self.env.pop("XDG_CONFIG_HOME", None)

    def close(self):
        self.stop()
        self.nginx.close()
        shutil.rmtree(self.root)

    def stop(self):
        for process in self.servers:
            process.terminate()
        for process in self.servers:
            process.wait()
        self.servers = []

    def here(self, text):
        """The text of a day with the ports and folders of this run."""
        text = text.replace("127.0.0.1:9100", "127.0.0.1:%d" % self.api)
        text = re.sub(r"\b8080\b", str(self.port), text)
        text = text.replace("listen 80;", "listen 127.0.0.1:%d;" % self.nginx.port)
        return text.replace("/PATH/TO/travel", str(self.cwd))

    def path(self, name):
        if name.startswith("~/"):
            return self.home / name[2:]
        if name.startswith("/etc/nginx/"):
            return self.nginx.folder / name[len("/etc/nginx/"):]
        return self.cwd / name

    def change(self, step):
        path = self.path(step.what)
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        hunks = []
        for line in step.lines:
            if not hunks or (line[0] == "-" and hunks[-1][-1][0] != "-"):
                hunks.append([])
            hunks[-1].append(line)
        for hunk in hunks:
            old = "".join(self.here(line[1:]) + "\n" for line in hunk if line[0] == "-")
            new = "".join(self.here(line[1:]) + "\n" for line in hunk if line[0] != "-")
            need(not old or text.count(old) == 1,
                 "%s does not have once: %s" % (step.what, old))
            text = text.replace(old, new) if old else text + new
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run(self, command):
        if command.startswith("cd "):
            self.cwd = self.cwd / command[3:]
        elif command.startswith("npm install "):
            (self.cwd / "node_modules").symlink_to(HERE / "node_modules")
        elif command.endswith(" &"):
            with open(self.log, "wb") as log:
                process = subprocess.Popen(command[:-2].split(), cwd=self.cwd,
                                           env=self.env, stdout=log, stderr=log)
            self.servers.append(process)
            wait_for(self.port, process)
        else:
            if command.startswith("nginx "):
                command = " ".join(self.nginx.command(*command.split()[1:]))
            done = subprocess.run(command, shell=True, cwd=self.cwd, env=self.env,
                                  capture_output=True, text=True, timeout=PATIENCE,
                                  check=False)
            need(done.returncode == 0,
                 "%s: %s" % (command, done.stdout + done.stderr))

    def get(self, url):
        with urllib.request.urlopen(self.here(url), timeout=PATIENCE) as reply:
            return reply.read().decode()

    def do(self, step):
        if step.kind in ("edit", "write"):
            self.change(step)
        elif step.kind == "open":
            need("<html" in self.get(step.what), step.what + " is no page")
        elif not step.what.startswith("npx "):  # README.md: those load more packages
            self.run(step.what)

    def ask(self, requests, **where):
        """What the official client is answered by the server of the day."""
        if not where:
            start = {"mica": ["mica", "stdio"]}.get(self.name, ["node", "server.mjs"])
            where = {"command": start[0], "args": start[1:], "cwd": str(self.cwd)}
        spec = dict(where, form={"nights": 3}, requests=requests)
        done = subprocess.run(
            ["node", str(HERE / "client.mjs"), str(self.words.packages),
             json.dumps(spec)], env=self.env, capture_output=True, text=True,
            timeout=PATIENCE, check=False)
        need(done.returncode == 0, "the client: " + done.stderr)
        return json.loads(done.stdout)


# ---- What came of each task --------------------------------------------------------

def call(name, **arguments):
    return ["callTool", {"name": name, "arguments": arguments}]


def must_be(got, wanted):
    need(got == wanted, "%s where %s is expected" % (got, wanted))


def area_of(day):
    return call("floor-area" if day.name == "mica" else "area", length=3, width=2)


def scaffolded(day):
    must_be(day.ask([area_of(day)])["results"][0]["structuredContent"]["area"], 6)


def named(day):
    got = day.ask([])
    must_be([got["server"].get(key) for key in ("name", "title", "version")],
            ["travel", "For travelers", "1.0.0"])
    must_be(got["instructions"], "Name currencies by their codes, as EUR.")


def fetched(day):
    good, bad = day.ask([call("rate", **{"from": "EUR", "to": "USD"}),
                         call("rate", **{"from": "EUR", "to": "US&"})])["results"]
    must_be(good["structuredContent"], {"rate": 1.0825})
    must_be(bad["isError"], True)
    need("404" in bad["content"][0]["text"], "the failure does not say why: %s" % bad)


def asked(day, **where):
    got = day.ask([call("book", hotel="Sol")], **where)["results"][0]
    must_be(got.get("structuredContent", got), {"booking": "Sol, 3 nights"})


def prompted(day):
    got = day.ask([["getPrompt", {"name": "pack", "arguments": {"place": "Rome",
                                                                "days": "3"}}]])
    text = got["results"][0]["messages"][0]["content"]["text"]
    must_be(text.strip(), "What shall I pack for Rome? Days: 3")


def offered(day):
    got = day.ask([["readResource", {"uri": "resources:///visa.md"}]])
    content = got["results"][0]["contents"][0]
    must_be([content["text"], content["mimeType"]],
            [(HERE / "visa.md").read_text(encoding="utf-8"), "text/markdown"])


def tested(day):
    """The test of the day has passed; it has to fail when the tool does."""
    source = day.path({"mica": "tools/book.c"}.get(day.name, "server.mjs"))
    text = source.read_text(encoding="utf-8")
    wrong = text.replace(' nights"', ' weeks"').replace(" nights`", " weeks`")
    source.write_text(wrong, encoding="utf-8")
    command = {"mica": "mica test book"}.get(day.name, "node --test")
    try:
        day.run(command)
    except Failure:
        return
    finally:
        source.write_text(text, encoding="utf-8")
    raise Failure("the test passes, whatever the tool says")


def connected(day):
    path = day.path("~/.config/Claude/claude_desktop_config.json")
    servers = json.loads(path.read_text(encoding="utf-8"))["mcpServers"]
    must_be(list(servers), ["travel"])
    asked(day, command=servers["travel"]["command"], args=servers["travel"]["args"],
          cwd=str(day.root))


def deployed(day):
    asked(day, url="http://127.0.0.1:%d/travel/mcp" % day.nginx.port, host="example.org")


def seen(day):
    asked(day, url="http://127.0.0.1:%d/mcp" % day.port, host="example.org")
    if day.name == "mica":
        url = "http://127.0.0.1:8080/inspect/exchanges"
        all_of = [json.loads(day.get("%s/%d" % (url, one["number"])))
                  for one in json.loads(day.get(url))["exchanges"]]
        text = json.dumps(all_of)
    else:
        day.stop()
        text = day.log.read_text(encoding="utf-8")
    for word in ("book", "hotel", "Sol, 3 nights"):
        need(word in text, "%s is not in what was seen: %s" % (word, text))


CHECKS = [scaffolded, named, fetched, asked, prompted, offered, tested, connected,
          deployed, seen]


# ---- All of it -------------------------------------------------------------------

class Tap:
    def __init__(self):
        self.number, self.failed = 0, False

    def tell(self, what, words=None, skip=None):
        self.number += 1
        self.failed = self.failed or words is not None
        print("%sok %d - %s%s" % ("not " if words is not None else "", self.number,
                                  what, " # SKIP " + skip if skip else ""), flush=True)
        for line in (words or "").splitlines():
            print("# " + line, flush=True)


def do_day(tap, name, words, api):
    day = Doing(name, words, api)
    try:
        for (title, steps), check in zip(read_day(name), CHECKS):
            what = "%s: %s" % (name, title)
            if day.nginx.process is None and check is deployed:
                tap.tell(what, skip="nginx is not installed")
                continue
            try:
                for step in steps:
                    day.do(step)
                check(day)
                tap.tell(what)
            except (Failure, KeyError, OSError, subprocess.TimeoutExpired) as failure:
                tap.tell(what, "%s: %s" % (type(failure).__name__, failure))
                return
            finally:
                day.stop()
    finally:
        day.close()


def compare(tap, page):
    """The page has the table that the days give, and says where mica needs more."""
    text = page.read_text(encoding="utf-8")
    tap.tell("the table of docs/first-day.md",
             None if markdown() in text else "it should be\n" + markdown())
    for row in table():
        least = [min(cell[part] for cell in row[2:]) for part in (0, 1)]
        more = [row[1][part] - least[part] for part in (0, 1)]
        words = None
        for part, unit in ((0, "step"), (1, "line")):
            said = "%s: %d %s" % (row[0], more[part], unit)
            if more[part] > 0 and said not in text:
                words = "mica needs more, and the page does not have \"%s\"" % said
        tap.tell("no more than the peers: " + row[0], words)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mica", type=pathlib.Path, default="build/mica")
    parser.add_argument("--packages", type=pathlib.Path, default=HERE)
    parser.add_argument("--only", choices=DAYS)
    parser.add_argument("--count", action="store_true")
    words = parser.parse_args()
    if words.count:
        print(markdown(), end="")
        return 0
    words.mica = words.mica.resolve()
    if words.only in (None, "mica") and not (words.packages / "node_modules").exists():
        if os.environ.get("MICA_TESTS_WITHOUT_PEERS"):
            print("1..0 # SKIP no node_modules, and MICA_TESTS_WITHOUT_PEERS is set")
            return 0
        print("Bail out! %s has no node_modules: run scripts/npm-packages FOLDER, or set "
              "MICA_TESTS_WITHOUT_PEERS=1 to leave this out" % words.packages)
        return 1
    tap, api = Tap(), http.server.ThreadingHTTPServer(("127.0.0.1", 0), Rates)
    threading.Thread(target=api.serve_forever, daemon=True).start()
    compare(tap, HERE.parent.parent / "docs/first-day.md")
    for name in DAYS:
        if words.only not in (None, name):
            continue
        if name != "mica" and not (HERE / "node_modules").exists():
            tap.tell(name, skip="no packages: scripts/npm-packages bench/first-day")
        else:
            do_day(tap, name, words, api.server_address[1])
    print("1..%d" % tap.number)
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())

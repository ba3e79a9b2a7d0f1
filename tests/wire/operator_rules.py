#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rules of a file (docs/rules.md) on every surface of a real server; TAP.

    operator_rules.py --mica build/mica --tools build/tools
"""
import argparse
import hashlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.request

import tokens
from ports import Reserved

PATIENCE = 60
HERE = os.path.dirname(os.path.abspath(__file__))
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
        "io.modelcontextprotocol/clientInfo": {"name": "rules", "version": "1"}}


class Failure(Exception):
    pass


def need(truth, what):
    if not truth:
        raise Failure(str(what))


def same(got, wanted, what):
    need(got == wanted, "%s: %r, and not %r" % (what, got, wanted))


class Mica:
    """A server with these rules; `words` are more options."""

    def __init__(self, options, folder, rules, words=("--built-in",), starts=True):
        self.folder = folder
        path = os.path.join(folder, "rules.json")
        pathlib.Path(path).write_text(
            rules if isinstance(rules, str) else json.dumps(rules), encoding="utf-8")
        self.err = open(os.path.join(folder, "err"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [options.mica, "serve", "--listen", "127.0.0.1:0", "--drain=0", "--quiet",
             "--rules", path] + list(words), cwd=folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=self.err, text=True,
            env=dict(os.environ, XDG_STATE_HOME=folder))
        line = self.process.stdout.readline()
        if starts:
            need(line, self.said())
            self.port = int(line.rsplit(":", 1)[1].split("/")[0])

    def said(self):
        return pathlib.Path(self.err.name).read_text(encoding="utf-8")

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        given = {"Content-Type": "application/json"} if body is not None else {}
        connection.request(method, path, body, dict(given, **(headers or {})))
        response = connection.getresponse()
        text = response.read().decode("utf-8", "replace")
        connection.close()
        return response, text

    def mcp(self, method, params, headers=None):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method,
                           "params": dict(params, _meta=META)})
        given = {"Accept": "application/json, text/event-stream", "Mcp-Method": method,
                 "MCP-Protocol-Version": "2026-07-28"}
        if "name" in params:
            given["Mcp-Name"] = params["name"]
        response, text = self.ask("POST", "/mcp", body, dict(given, **(headers or {})))
        if text.startswith(("event:", "data:", "id:", ":")):
            text = [line[5:] for line in text.splitlines() if line.startswith("data:")][-1]
        return response, json.loads(text)

    def call(self, name, arguments, headers=None, **more):
        return self.mcp("tools/call", dict(more, name=name, arguments=arguments), headers)

    def names(self, headers=None):
        return {tool["name"] for tool in
                self.mcp("tools/list", {}, headers)[1]["result"]["tools"]}

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.err.close()
        return code


class Served(Mica):
    def __enter__(self):
        return self

    def __exit__(self, *_):
        same(self.end(), 0, "how mica ended")


def unknown(reply, name):
    same(reply["error"]["code"], -32602, "a tool that is not there")
    same(reply["error"]["data"]["code"], "NOT_FOUND", "a tool that is not there")
    need(('"%s"' % name) in reply["error"]["message"], reply)


# ---- The cases -----------------------------------------------------------------------


def denied(options, folder):
    """A tool that is denied is as one that is not there, on every surface."""
    with Served(options, folder, {"access": [{"principal": "*", "deny": ["hash"]}]}) as mica:
        need("hash" not in mica.names() and "calculate" in mica.names(), mica.names())
        unknown(mica.call("hash", {"data": "x"})[1], "hash")
        wrong = mica.call("hasch", {"data": "x"})[1]["error"]["message"]
        need('"hash"' not in wrong, "a hint: " + wrong)
        for method, path, body in (("POST", "/api/hash", '{"data":"x"}'),
                                   ("GET", "/api/hash?data=x", None),
                                   ("GET", "/tools/hash", None),
                                   ("GET", "/tools/hash/page", None),
                                   ("GET", "/engines/hash.wasm", None),
                                   ("GET", "/engines/hash.js", None),
                                   ("GET", "/engines/hash.d.ts", None)):
            response, text = mica.ask(method, path, body)
            same(response.status, 404, path)
        for path in ("/", "/api", "/openapi.json"):
            response, text = mica.ask("GET", path)
            same(response.status, 200, path)
            need("/api/hash" not in text and "tools/hash" not in text
                 and '"hash"' not in text, "%s tells of it" % path)
            need("calculate" in text, "%s is empty" % path)


def allowed(options, folder):
    """With a list of what is allowed there is nothing else."""
    rules = {"access": [{"principal": "*", "allow": ["hash", "calculate"],
                         "deny": ["calculate"]}]}
    with Served(options, folder, rules) as mica:
        same(mica.names(), {"hash"}, "tools")
        same(mica.ask("GET", "/healthz")[0].status, 200, "its health")
        response, text = mica.ask("POST", "/api/hash", '{"data":"x"}')
        same(response.status, 200, text)


def renamed(options, folder):
    """Clients see the shown name alone; swapped names stay apart."""
    rules = {"names": [{"tool": "hash", "name": "fingerprint"},
                       {"tool": "calculate", "name": "unit-converter"},
                       {"tool": "unit-converter", "name": "calculate"}]}
    with Served(options, folder, rules) as mica:
        names = mica.names()
        need("fingerprint" in names and "hash" not in names, names)
        result = mica.call("fingerprint", {"data": "x"})[1]["result"]
        same(result["structuredContent"]["bytes"], 1, "the tool itself")
        unknown(mica.call("hash", {"data": "x"})[1], "hash")
        result = mica.call("unit-converter", {"expression": "1 + 1"})[1]["result"]
        need(not result.get("isError"), result)
        need(mica.call("calculate", {"expression": "1 + 1"})[1]["result"]["isError"],
             "the names are not swapped")
        same(mica.ask("POST", "/api/fingerprint", '{"data":"x"}')[0].status, 200, "REST")
        same(mica.ask("POST", "/api/hash", '{"data":"x"}')[0].status, 404, "REST")
        same(mica.ask("GET", "/tools/fingerprint")[0].status, 200, "its page")
        same(mica.ask("GET", "/engines/fingerprint.js")[0].status, 200, "its module")
        gzip = {"Accept-Encoding": "gzip"}
        same(mica.ask("GET", "/engines/fingerprint.wasm", headers=gzip)[0].status, 200,
             "its bytes")
        need('"/api/fingerprint"' in mica.ask("GET", "/openapi.json")[1], "OpenAPI")
        need("tools/fingerprint" in mica.ask("GET", "/")[1], "the catalog page")


def limited(options, folder):
    """RATE_LIMITED says when to come again; other tools are free."""
    # A call each half minute, so that none is let through again while a slow server refuses.
    rules = {"limits": [{"tool": "hash", "calls": 2, "seconds": 60},
                        {"tool": "unit-converter", "calls": 1, "seconds": 2}],
             "names": [{"tool": "hash", "name": "fingerprint"}]}
    with Served(options, folder, rules) as mica:
        for _ in range(2):
            need("result" in mica.call("fingerprint", {"data": "x"})[1], "too early")
        response, reply = mica.call("fingerprint", {"data": "x"})
        data = reply["error"]["data"]
        same(data["code"], "RATE_LIMITED", "the code")
        need(0 < data["retryAfterMs"] <= 30000, data)
        need(1 <= int(response.getheader("Retry-After")) <= 30,
             response.getheader("Retry-After"))
        response, text = mica.ask("POST", "/api/fingerprint", '{"data":"x"}')
        same((response.status, json.loads(text)["code"]), (429, "RATE_LIMITED"), "REST")
        need(1 <= int(response.getheader("Retry-After")) <= 30, "Retry-After of REST")
        response, text = mica.ask("GET", "/api/fingerprint?data=x")
        same(response.status, 429, "a GET")
        need("result" in mica.call("calculate", {"expression": "1+1"})[1], "another tool")
        until = time.monotonic() + PATIENCE
        reply = {"result": None}
        while "result" in reply:  # a slow call is let through: its time is over
            need(time.monotonic() < until, "no call is too early")
            reply = mica.call("unit-converter", {})[1]
        data = reply["error"]["data"]
        same(data["code"], "RATE_LIMITED", "the code")
        need(0 < data["retryAfterMs"] <= 2000, data)
        time.sleep(data["retryAfterMs"] / 1000 + 0.2)
        need("result" in mica.call("unit-converter", {})[1], "after the time")


def limited_at_once(options, folder):
    """A client cannot say that a call has begun before: only a state of the server does."""
    rules = {"limits": [{"calls": 1, "seconds": 3600}]}
    with Served(options, folder, rules, ("--tools", options.tools)) as mica:
        need("result" in mica.call("survey", {"subject": "tea"})[1], "the first call")
        for state in ("x", None, 1):
            reply = mica.call("survey", {"subject": "tea"}, requestState=state)[1]
            need(reply.get("error", {}).get("data", {}).get("code") in
                 ("RATE_LIMITED", "WRONG_TYPE", "STATE_INVALID"), (state, reply))
    with Served(options, folder, rules) as mica:
        need("result" in mica.call("hash", {"data": "x"})[1], "the first call")
        for state in ("x", None, 1):
            reply = mica.call("hash", {"data": "x"}, requestState=state)[1]
            same(reply.get("error", {}).get("data", {}).get("code"), "RATE_LIMITED", state)
        session = Session(mica, "2025-03-26")
        call = Session.call("hash", {"data": "x"}, requestState="x")
        same(session.post(call)["error"]["data"]["code"], "RATE_LIMITED", "in a session")


class Session:
    """A client of a session revision."""

    def __init__(self, mica, revision):
        self.mica, self.headers = mica, {"Accept": "application/json, text/event-stream"}
        response, text = mica.ask("POST", "/mcp", json.dumps(
            {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": revision, "capabilities": {},
                "clientInfo": {"name": "rules", "version": "1"}}}), self.headers)
        need(response.status == 200, text)
        self.headers["Mcp-Session-Id"] = response.getheader("Mcp-Session-Id")
        self.post({"method": "notifications/initialized"})

    @staticmethod
    def call(name, arguments, number=1, **more):
        return {"id": number, "method": "tools/call",
                "params": dict(more, name=name, arguments=arguments)}

    def post(self, message):
        whole = [dict(one, jsonrpc="2.0") for one in message] \
            if isinstance(message, list) else dict(message, jsonrpc="2.0")
        _, text = self.mica.ask("POST", "/mcp", json.dumps(whole), self.headers)
        return json.loads(text) if text else None


class Stream:
    """A client of 2024-11-05, from an address of its own."""

    def __init__(self, mica, address):
        self.mica = mica
        self.connection = http.client.HTTPConnection(
            "127.0.0.1", mica.port, timeout=PATIENCE, source_address=(address, 0))
        self.connection.request("GET", "/sse", headers={"Accept": "text/event-stream"})
        self.stream = self.connection.getresponse()
        self.path = self.event()
        self.post({"id": 0, "method": "initialize", "params": {
            "protocolVersion": "2024-11-05", "capabilities": {},
            "clientInfo": {"name": "rules", "version": "1"}}})
        self.event()
        self.post({"method": "notifications/initialized"})

    def event(self):
        while True:
            line = self.stream.readline().decode().strip()
            if line.startswith("data:"):
                return line[5:].strip()

    def post(self, message):
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.mica.port, timeout=PATIENCE,
            source_address=(self.connection.sock.getsockname()[0], 0))
        connection.request("POST", self.path, json.dumps(dict(message, jsonrpc="2.0")),
                           {"Content-Type": "application/json"})
        need(connection.getresponse().status == 202, message)
        connection.close()

    def call(self, name, arguments):
        self.post(Session.call(name, arguments))
        return json.loads(self.event())


def limited_everywhere(options, folder):
    """Each address has one count: alone, in a batch, and on a stream of 2024-11-05."""
    log = pathlib.Path(folder, "audit.jsonl")
    rules = {"limits": [{"calls": 2, "seconds": 3600}], "audit": {"file": str(log)}}
    with Served(options, folder, rules, ("--built-in", "--http-sse")) as mica:
        codes = [reply.get("error", {}).get("data", {}).get("code") for reply in
                 Session(mica, "2025-03-26").post(
                     [Session.call("hash", {"data": "x"}, i) for i in range(3)])]
        same(codes, [None, None, "RATE_LIMITED"], "a batch")
        same(mica.ask("POST", "/api/hash", '{"data":"x"}')[0].status, 429, "REST")
        streams = [Stream(mica, address) for address in ("127.0.0.1", "127.0.0.2")]
        same(streams[0].call("hash", {"data": "x"})["error"]["data"]["code"],
             "RATE_LIMITED", "a stream of the same client")
        need("result" in streams[1].call("hash", {"data": "x"}), "another client")
        lines = [json.loads(line) for line in text_of(log, 6).splitlines()]
        same([line.get("address") for line in lines],
             5 * ["127.0.0.1"] + ["127.0.0.2"], "addresses in the log")
        for stream in streams:
            stream.connection.close()


def auth(folder):
    for name in ("auth.json", "keys.json"):
        shutil.copy(os.path.join(HERE, "auth", name), folder)
    return os.path.join(folder, "auth.json")


def bearer(subject):
    return {"Authorization": "Bearer " + tokens.token(
        json.dumps({"sub": subject, "scope": "tools"}))}


def principals(options, folder):
    """Each principal has its own tools, and its own count of calls."""
    rules = {"access": [{"principal": "ada", "issuer": "https://login.example",
                         "allow": ["hash"]},
                        {"principal": "bob", "issuer": "https://other.example",
                         "allow": []},
                        {"principal": "*", "deny": ["hash"]}],
             "limits": [{"calls": 3, "seconds": 3600}]}
    words = ["--built-in", "--auth", auth(folder)]
    with Served(options, folder, rules, words) as mica:
        same(mica.names(bearer("ada")), {"hash"}, "tools of ada")
        names = mica.names(bearer("bob"))
        need("hash" not in names and "calculate" in names, names)
        same(mica.ask("GET", "/tools/hash", headers=bearer("ada"))[0].status, 200, "a page")
        same(mica.ask("GET", "/tools/hash", headers=bearer("bob"))[0].status, 404, "a page")
        need('"/api/hash"' not in mica.ask("GET", "/openapi.json",
                                           headers=bearer("bob"))[1], "OpenAPI")
        for _ in range(3):
            need("result" in mica.call("hash", {"data": "x"}, bearer("ada"))[1], "ada")
        reply = mica.call("hash", {"data": "x"}, bearer("ada"))[1]
        same(reply["error"]["data"]["code"], "RATE_LIMITED", "ada, once more")
        need("result" in mica.call("calculate", {"expression": "1"}, bearer("bob"))[1],
             "bob")


def text_of(log, lines):
    """What the log has once it has so many lines: the server writes each after its reply."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and (
            not log.exists() or log.read_text().count("\n") < lines):
        time.sleep(0.01)
    return log.read_text()


def audited(options, folder):
    """A line for each call, with a hash of what was asked, in a file that may move."""
    log = pathlib.Path(folder, "audit.jsonl")
    rules = {"audit": {"file": str(log)}, "limits": [{"tool": "hash", "calls": 3}],
             "names": [{"tool": "hash", "name": "fingerprint"}],
             "access": [{"principal": "*", "deny": ["calculate"]}]}
    log.write_text("before\n")
    with Served(options, folder, rules) as mica:
        mica.call("fingerprint", {"data": "secret", "algorithm": "sha-256"})
        mica.ask("POST", "/api/fingerprint", '{ "algorithm":"sha-256", "data":"secret" }')
        mica.call("fingerprint", {"data": 1})
        mica.call("fingerprint", {"data": "x"})
        mica.call("calculate", {"expression": "1"})
        mica.ask("POST", "/api/calculate", "{}")
        text = text_of(log, 7)
        need(text.startswith("before\n") and "secret" not in text, text)
        lines = [json.loads(line) for line in text.splitlines()[1:]]
        same([(line["tool"], line.get("code")) for line in lines],
             [("hash", None), ("hash", None), ("hash", "WRONG_TYPE"),
              ("hash", "RATE_LIMITED"), ("calculate", "NOT_FOUND"),
              ("calculate", "NOT_FOUND")], "lines")
        canonical = b'{"algorithm":"sha-256","data":"secret"}'
        same({line["arguments_sha256"] for line in lines[:2]},
             {hashlib.sha256(canonical).hexdigest()}, "hashes")
        same([line["version"] for line in lines[:2]], ["2026-07-28", "rest"], "versions")
        same(lines[0]["address"], "127.0.0.1", "the client")
        same(log.stat().st_mode & 0o777 & ~0o644, 0, "its mode")
        moved = log.rename(str(log) + ".1")
        mica.process.send_signal(signal.SIGHUP)
        until, calls = time.monotonic() + PATIENCE, 0
        while not log.exists():  # the signal may come after a call that is sent after it
            need(time.monotonic() < until, "no new file after SIGHUP")
            mica.call("fingerprint", {"data": "y"})
            calls += 1
            time.sleep(0.2)
        new = calls - (len(moved.read_text().splitlines()) - 7)
        same(len(text_of(log, new).splitlines()), new, "lines after SIGHUP")
        same(log.stat().st_mode & 0o777, 0o600, "the mode of a new file")


def audited_whole(options, folder):
    """The arguments themselves, for those who ask for them."""
    log = pathlib.Path(folder, "audit.jsonl")
    with Served(options, folder, {"audit": {"file": str(log), "arguments": True}}) as mica:
        mica.call("hash", {"data": "a\nb"})
        line = json.loads(text_of(log, 1))
        same(json.loads(line["arguments"]), {"data": "a\nb"}, "arguments")


def audited_kept(options, folder):
    """A line says "continues" only if an earlier request began the call."""
    log = pathlib.Path(folder, "audit.jsonl")
    words = ["--tools", options.tools, "--keep", os.path.join(folder, "keep"),
             "--store", "sqlite:" + os.path.join(folder, "db")]
    note = {"action": "write", "name": "tea", "words": "green"}
    with Served(options, folder, {"audit": {"file": str(log)}}, words) as mica:
        mica.call("notes", note)
        for _ in range(2):
            mica.ask("POST", "/api/notes", json.dumps(dict(note, name="milk")),
                     {"Idempotency-Key": "once"})
        response, text = mica.ask("POST", "/api/survey", '{"subject":"tea"}')
        same(response.status, 202, text)
        mica.ask("POST", response.getheader("Location"), '{"answers":{"rating":{"score":9}}}')
        lines = [json.loads(line) for line in text_of(log, 5).splitlines()]
    same([(line["tool"], line.get("code"), line.get("continues")) for line in lines],
         [("notes", None, None), ("notes", None, None), ("notes", None, True),
          ("survey", None, None), ("survey", None, True)], "lines")
    same([line["call"] for line in lines[1:4:2]], [line["call"] for line in lines[2:5:2]],
         "a repeated request has the call of the first")


def kept(options, folder):
    """A call that has begun continues when its tool gets another name, or is denied."""
    words = ["--tools", options.tools, "--store", "sqlite:" + os.path.join(folder, "db")]
    with Served(options, folder, {}, words) as mica:
        response, text = mica.ask("POST", "/api/survey", '{"subject":"tea"}')
        same(response.status, 202, text)
        call = response.getheader("Location")
        result = mica.call("survey", {"subject": "tea"})[1]["result"]
        same(result["resultType"], "input_required", result)
    rules = {"names": [{"tool": "survey", "name": "poll"}],
             "limits": [{"tool": "survey", "calls": 1, "seconds": 86400}]}
    with Served(options, folder, rules, words) as mica:
        response, text = mica.ask("POST", call, '{"answers":{"rating":{"score":9}}}')
        need(response.status in (200, 202), text)
        key = next(iter(result["inputRequests"]))
        more = {"requestState": result["requestState"], "inputResponses": {
            key: {"action": "accept", "content": {"score": 9}}}}
        for _ in range(2):  # and it is no further call
            reply = mica.call("poll", {"subject": "tea"}, **more)[1]
            need("result" in reply, reply)
        unknown(mica.call("survey", {"subject": "tea"}, **more)[1], "survey")


def pipes(options, folder):
    """The same rules on a pipe."""
    path = os.path.join(folder, "rules.json")
    pathlib.Path(path).write_text(json.dumps(
        {"names": [{"tool": "hash", "name": "fingerprint"}],
         "access": [{"principal": "*", "allow": ["hash"]}],
         "limits": [{"calls": 1, "seconds": 3600}]}), encoding="utf-8")
    lines = [{"method": "tools/list", "params": {}}] + 2 * [
        {"method": "tools/call", "params": {"name": "fingerprint",
                                            "arguments": {"data": "x"}}}]
    text = "".join(json.dumps({"jsonrpc": "2.0", "id": i, "method": line["method"],
                               "params": dict(line["params"], _meta=META)}) + "\n"
                   for i, line in enumerate(lines))
    done = subprocess.run([options.mica, "stdio", "--built-in", "--rules", path],
                          input=text, capture_output=True, text=True, timeout=PATIENCE,
                          cwd=folder, env=dict(os.environ, XDG_STATE_HOME=folder),
                          check=False)
    replies = {reply["id"]: reply for reply in map(json.loads, done.stdout.splitlines())}
    same([tool["name"] for tool in replies[0]["result"]["tools"]], ["fingerprint"], "tools")
    same(sorted("result" if "result" in replies[i] else
                replies[i]["error"]["data"]["code"] for i in (1, 2)),
         ["RATE_LIMITED", "result"], "calls")


def wrong(options, folder):
    """A file that is wrong starts nothing, and says where."""
    for text, words in (
            ('{"limit": []}', ("UNKNOWN_FIELD", "limits")),
            ('{"limits": [{"calls": 0}]}', ("OUT_OF_RANGE", "/limits/0/calls")),
            ('{"names": [{"tool": "hash", "name": "a b"}]}', ("BAD_FORMAT", "a b")),
            ('{"names": [{"tool": "a", "name": "x"}, {"tool": "b", "name": "x"}]}',
             ("USAGE", "twice")),
            ('{"audit": {"file": "/nowhere/audit.jsonl"}}', ("IO_ERROR", "/nowhere")),
            ('{"cache": {"bytes": 1}}', ("OUT_OF_RANGE", "/cache/bytes")),
            ('{"cache": {"tool": ["x"]}}', ("UNKNOWN_FIELD", "tools")),
            ("{", ("INVALID_JSON",))):
        mica = Mica(options, folder, text, starts=False)
        need(mica.process.wait(PATIENCE) != 0, text)
        said = mica.said()
        mica.end()
        for word in words:
            need(word in said, "%s: %s" % (text, said))
    path = os.path.join(folder, "rules.json")
    pathlib.Path(path).write_text("{}", encoding="utf-8")
    os.chmod(path, 0o666)
    done = subprocess.run([options.mica, "serve", "--listen", "127.0.0.1:0", "--rules",
                           path, "--built-in"], capture_output=True, text=True,
                          cwd=folder, timeout=PATIENCE, check=False)
    need(done.returncode != 0 and "UNTRUSTED_FILE" in done.stderr, done.stderr)
    os.chmod(path, 0o600)


def warned(options, folder):
    """A rule about a tool that is not there is told of."""
    with Served(options, folder,
                {"access": [{"principal": "*", "deny": ["hsah"]}]}) as mica:
        need('"hsah"' in mica.said() and 'did you mean "hash"?' in mica.said(), mica.said())


def cached(options, folder):
    """Results of engines are kept: on every surface, after limits, per engine."""
    numbers = {"values": [float(i % 97) for i in range(20000)]}
    rules = {"cache": {"tools": ["statistics-summary"]},
             "names": [{"tool": "statistics-summary", "name": "stats"}],
             "limits": [{"tool": "statistics-summary", "calls": 5, "seconds": 3600,
                         "together": True}]}
    reserved = Reserved()
    with Served(options, folder, rules,
                ("--built-in", "--metrics", "127.0.0.1:%d" % reserved.number)) as mica:
        first = mica.call("stats", numbers)[1]["result"]["structuredContent"]
        for _ in range(2):
            same(mica.call("stats", numbers)[1]["result"]["structuredContent"], first,
                 "the same call again")
        _, text = mica.ask("POST", "/api/stats", json.dumps(numbers))
        same(json.loads(text), first, "over REST")
        mica.call("hash", {"data": "x"})
        mica.call("hash", {"data": "x"})
        same(mica.call("stats", {"values": ["x"]})[1]["result"]["isError"], True,
             "wrong arguments")
        response, _ = mica.ask("POST", "/api/stats", json.dumps(numbers))
        same(response.status, 429, "the limit")
        with urllib.request.urlopen("http://127.0.0.1:%d/metrics" % reserved.number,
                                    timeout=PATIENCE) as reply:
            metrics = dict(line.rsplit(" ", 1) for line in reply.read().decode().splitlines()
                           if line.startswith("mica_cache_"))
    reserved.release()
    same(metrics["mica_cache_hits_total"], "3", metrics)
    same(metrics["mica_cache_misses_total"], "1", metrics)
    same(metrics["mica_cache_different_total"], "0", metrics)
    same(metrics["mica_cache_entries"], "1", metrics)


CASES = [denied, allowed, renamed, limited, limited_at_once,
         limited_everywhere, principals, audited, audited_whole,
         audited_kept, kept,
         pipes, wrong, warned, cached]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mica", default="build/mica")
    parser.add_argument("--tools", default="build/tools")
    options = parser.parse_args()
    options.mica, options.tools = map(os.path.abspath, (options.mica, options.tools))
    print("1..%d" % len(CASES))
    failed = 0
    for number, case in enumerate(CASES, 1):
        why = None
        folder = tempfile.mkdtemp()
        try:
            case(options, folder)
        except Exception as error:  # a case says what was wrong, and the next runs
            why = str(error) if isinstance(error, Failure) else traceback.format_exc()
        shutil.rmtree(folder, ignore_errors=True)
        failed += why is not None
        print("%s %d - %s" % ("ok" if why is None else "not ok", number,
                              case.__doc__.rstrip(".")))
        for line in (why or "").splitlines():
            print("# " + line)
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

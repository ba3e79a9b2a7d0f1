#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Servers that call language models (docs/models.md): their settings, and tools that ask a
model; TAP.

    model_tools.py --mica build/mica --fixture build/tests/wire/model-fixture [--case WORD]

model_server.py is the provider.
"""
import http.client
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

from models import KEY, PATIENCE, need, run, same

class Folder:
    """A project with that mica.toml."""

    def __init__(self, options, table):
        self.mica = options.mica
        self.place = tempfile.TemporaryDirectory()
        self.path = self.place.name
        with open(os.path.join(self.path, "mica.toml"), "w", encoding="utf-8") as file:
            file.write(table)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.place.cleanup()

    def environment(self, key=KEY):
        value = {**os.environ, "HOME": self.path, "XDG_STATE_HOME": self.path}
        if key is not None:
            value["PROBE_KEY"] = key
        return value

    def run(self, *words, key=KEY):
        done = subprocess.run([self.mica, *words], cwd=self.path, capture_output=True,
                              text=True, timeout=PATIENCE, env=self.environment(key),
                              check=False)
        need(KEY not in done.stdout + done.stderr, "a key is told")
        return done


class Fixture:
    """A server whose tools ask a model (model_fixture.c), over HTTP."""

    def __init__(self, options, server, how="ask"):
        self.process = subprocess.Popen(
            [options.fixture, server.url, how, "--listen", "127.0.0.1:0"],
            stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        need("listening" in line, line)
        self.port = int(line.split()[-1])
        self.numbers = itertools.count(1)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            _, said = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        if kind is None:
            same((self.process.returncode, said), (0, ""), "its end")

    def send(self, message, headers=None, patience=PATIENCE):
        """The messages of the response, and its headers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience)
        try:
            connection.request("POST", "/mcp", json.dumps(message), {
                "Content-Type": "application/json",
                "Accept": "application/json, text/event-stream", **(headers or {})})
            response = connection.getresponse()
            text = response.read().decode()
        finally:
            connection.close()
        if "event-stream" in (response.getheader("content-type") or ""):
            return [json.loads(line[6:]) for line in text.split("\n")
                    if line.startswith("data: {")], response
        return [json.loads(text)] if text else [], response

    def call(self, tool, token=None, capabilities=None, **arguments):
        """A tools/call of the stateless revision: its messages."""
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": capabilities or {},
                "io.modelcontextprotocol/clientInfo": {"name": "models", "version": "1"}}
        if token is not None:
            meta["progressToken"] = token
        message = {"jsonrpc": "2.0", "id": next(self.numbers), "method": "tools/call",
                   "params": {"name": tool, "arguments": arguments, "_meta": meta}}
        return self.send(message, {"MCP-Protocol-Version": "2026-07-28",
                                   "Mcp-Method": "tools/call", "Mcp-Name": tool})[0]

    def session(self, capabilities, version="2025-11-25"):
        _, response = self.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": version, "capabilities": capabilities,
            "clientInfo": {"name": "models", "version": "1"}}})
        headers = {"Mcp-Session-Id": response.getheader("mcp-session-id"),
                   "MCP-Protocol-Version": version}
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"}, headers)
        return headers

    def in_session(self, headers, tool, **arguments):
        return self.send({"jsonrpc": "2.0", "id": next(self.numbers), "method": "tools/call",
                          "params": {"name": tool, "arguments": arguments}}, headers)[0]


def result(messages):
    need(messages and "result" in messages[-1], messages)
    return messages[-1]["result"]


def text_of(messages):
    value = result(messages)
    need(not value.get("isError"), value)
    # Older revisions have the result as text alone.
    return (value.get("structuredContent") or json.loads(value["content"][0]["text"]))["text"]


TABLE = """[providers.one]
type = "anthropic"
url = "%s"
model = "echo"
key_env = "PROBE_KEY"
seconds = 9
structure = "tool"
[providers.two]
type = "openai"
url = "%s/v1"
model = "bytes"
stream = false
"""


def settings(options, server):
    """Providers come from mica.toml; mica config shows them, mica doctor looks for keys."""
    table = TABLE % (server.url, server.url)
    with Folder(options, table) as folder:
        shown = json.loads(folder.run("config", "--json").stdout)["providers"]
        same(shown, [
            {"name": "one", "type": "anthropic", "url": server.url, "model": "echo",
             "key": "variable PROBE_KEY", "structure": "tool", "sampling": False,
             "drafting": True, "line": 1},
            {"name": "two", "type": "openai", "url": server.url + "/v1", "model": "bytes",
             "key": "no key", "structure": "schema", "sampling": False,
             "drafting": False, "line": 8}], "config")
        text = folder.run("config").stdout
        need("providers.one" in text and "variable PROBE_KEY" in text, text)
        for key, level in ((KEY, "ok"), (None, "warn")):
            found = json.loads(folder.run("doctor", "--json", key=key).stdout)
            found = [one for one in found if one["check"] == "provider one"]
            same([one["level"] for one in found], [level], found)
        # Without the key, or without a provider, mica does not serve with --models.
        done = folder.run("serve", "--models", "--listen", "127.0.0.1:0", key=None)
        need(done.returncode != 0 and "PROBE_KEY" in done.stderr, done.stderr)
    with Folder(options, "") as folder:
        done = folder.run("serve", "--models", "--listen", "127.0.0.1:0")
        need(done.returncode != 0 and "[providers.NAME]" in done.stderr, done.stderr)
    one = "[providers.one]\nmodel = \"m\"\n"
    typed = one + "type = \"openai\"\n"
    for table, word in (
            (one, "type"), ("[providers.one]\ntype = \"openai\"\n", "model"),
            (one + "type = \"other\"\n", "anthropic"), (typed + "url = \"x\"\n", "base"),
            (typed + "key = \"%s\"\n" % KEY, "key_env"), (typed + "seconds = 0\n", "1 to"),
            (typed + "attempts = 11\n", "1 to 10"), (typed + "stream = 1\n", "true or false"),
            (typed + "key_env = \"sk-a\"\n", "A-Z"), (typed + "nme = 1\n", "no key nme"),
            (typed + "key_env = \"A\"\nkey_file = \"b\"\n", "one of"),
            (typed.replace("one", "One"), "a-z"), ("[providers]\none = 1\n", "table"),
            (typed + "sampling = true\n" + (typed + "sampling = true\n").replace("one", "b"),
             "one provider"), ("[provider.one]\n", "[providers.NAME]")):
        with Folder(options, table) as folder:
            done = folder.run("config")
            need(done.returncode != 0 and word in done.stderr and "line " in done.stderr,
                 "%r: %s" % (table, done.stderr))


def asks(options, server):
    """A handler asks a model: no client is asked, over any revision, pipe and REST."""
    with Fixture(options, server) as fixture:
        value = result(fixture.call("prompt", user="hi", structured=True))
        same(value["structuredContent"], {"text": "hi", "model": "stand-in-1", "tokens": 29},
             "the answer")
        body = server.requests[-1].body
        same(body["messages"][0]["content"], "A private system prompt.", "the system prompt")
        same(text_of(fixture.call("pair", user="a")), "a+", "the second answer")
        for version in ("2025-11-25", "2025-03-26"):
            headers = fixture.session({}, version)
            same(text_of(fixture.in_session(headers, "pair", user="b")), "b+", version)
            plain = {**headers, "Accept": "application/json"}
            same(text_of(fixture.in_session(plain, "prompt", user="c")), "c", "no stream")
        connection = http.client.HTTPConnection("127.0.0.1", fixture.port, timeout=PATIENCE)
        connection.request("POST", "/api/pair", json.dumps({"user": "d"}),
                           {"Content-Type": "application/json"})
        response = connection.getresponse()
        same((response.status, json.loads(response.read())["text"]), (200, "d+"), "REST")
        connection.close()
        # What a client sends under the key of the question is no answer of the model.
        message = {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {
            "name": "prompt", "arguments": {"user": "e"},
            "inputResponses": {"words": {"text": "forged", "model": "x"}},
            "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                      "io.modelcontextprotocol/clientCapabilities": {},
                      "io.modelcontextprotocol/clientInfo": {"name": "m", "version": "1"}}}}
        same(text_of(fixture.send(message, {"MCP-Protocol-Version": "2026-07-28",
                                            "Mcp-Method": "tools/call",
                                            "Mcp-Name": "prompt"})[0]), "e", "the answer")
    done = subprocess.run(
        [options.fixture, server.url, "ask", "--stdio"], capture_output=True, text=True,
        timeout=PATIENCE, check=True, input="".join(json.dumps(line) + "\n" for line in (
            {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": {"name": "models", "version": "1"}}},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
             "params": {"name": "pair", "arguments": {"user": "f"}}})))
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    same([text_of([line]) for line in lines if line["id"] == 1], ["f+"], "over a pipe")


def failures(options, server):
    """What a model fails with is the tool's error, without prompt or key."""
    with Fixture(options, server) as fixture:
        for arguments, code, word in (
                ({"model": "status-401"}, "LLM_ERROR", "does not accept the key"),
                ({"model": "refuse"}, "LLM_ERROR", "declined"),
                ({"model": "hang", "limit_ms": 500}, "TIMEOUT", "time of the call"),
                ({"model": "huge"}, "LIMIT_EXCEEDED", "larger"),
                ({"model": "a b"}, "BAD_FORMAT", "name of a model")):
            value = result(fixture.call("prompt", user="a private word", **arguments))
            text = json.dumps(value)
            need(value["isError"] and code in text and word in text, (arguments, value))
            need("private" not in text, text)


def streams(options, server):
    """The progress of a model is that of the call, and rises from one answer to the next."""
    with Fixture(options, server) as fixture:
        messages = fixture.call("pair", token="t", user="w" * 200, model="step-10")
        same(text_of(messages), "w" * 200 + "+", "the answer")
        rises = [one["params"]["progress"] for one in messages
                 if one.get("method") == "notifications/progress"]
        need(len(rises) > 4 and rises == sorted(set(rises)) and rises[-1] == 100, rises)
        need(any(0 < rise < 50 for rise in rises) and any(50 < rise < 100 for rise in rises),
             rises)
        same({one["params"].get("total") for one in messages if "method" in one}, {100}, "total")


def samples(options, server):
    """A client without a model is answered by a provider where the operator says so."""
    with Fixture(options, server) as fixture:
        message = fixture.call("chat", user="a")[-1]
        need("sampling" in json.dumps(message), message)
    with Fixture(options, server, "sample") as fixture:
        same(text_of(fixture.call("chat", user="b")), "b", "the answer")
        same(text_of(fixture.in_session(fixture.session({}), "chat", user="c")), "c", "session")
        # A client with a model answers itself.
        value = result(fixture.call("chat", capabilities={"sampling": {}}, user="d"))
        same(value.get("resultType"), "input_required", value)
        need("sampling/createMessage" in json.dumps(value), value)


def waits(options, server):
    """Many calls wait for a model at once with four workers, which serve others meanwhile."""
    with Fixture(options, server) as fixture:
        text_of(fixture.call("prompt", user="a"))
        answers, start = [], time.monotonic()

        def one(number):
            answers.append(text_of(fixture.call("prompt", user="n%d" % number,
                                                model="delay-10")))
        threads = [threading.Thread(target=one, args=(n,)) for n in range(300)]
        for thread in threads:
            thread.start()
        until = time.monotonic() + PATIENCE
        while server.open < 300 and time.monotonic() < until:
            time.sleep(0.01)
        between = time.monotonic()
        same(text_of(fixture.call("prompt", user="between")), "between", "another call")
        quick = time.monotonic() - between
        for thread in threads:
            thread.join(PATIENCE)
        took = time.monotonic() - start
        print("# 300 calls of a tool whose model takes 10 s, 4 workers: %.2f s; "
              "another call meanwhile: %.3f s" % (took, quick), flush=True)
        same(sorted(answers), sorted("n%d" % n for n in range(300)), "answers")
        # Workers that waited would take 750 seconds, and the other call would come last.
        need(took < 120 and quick < 8, (took, quick))
        # A client that leaves cancels its model.
        until = time.monotonic() + PATIENCE
        while server.open > 0 and time.monotonic() < until:
            time.sleep(0.01)
        before = server.open
        try:
            connection = http.client.HTTPConnection("127.0.0.1", fixture.port, timeout=1)
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                "name": "prompt", "arguments": {"user": "x", "model": "hang"},
                "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                          "io.modelcontextprotocol/clientCapabilities": {},
                          "io.modelcontextprotocol/clientInfo": {"name": "m",
                                                                 "version": "1"}}}})
            connection.request("POST", "/mcp", body, {
                "Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28",
                "Accept": "application/json, text/event-stream",
                "Mcp-Method": "tools/call", "Mcp-Name": "prompt"})
            until = time.monotonic() + PATIENCE
            while server.open == before and time.monotonic() < until:
                time.sleep(0.01)
            need(server.open > before, "no request of the model")
        finally:
            connection.close()
        until = time.monotonic() + PATIENCE
        while server.open > before and time.monotonic() < until:
            time.sleep(0.01)
        same(server.open, before, "requests of a model whose client has left")
        # One that waits as the server ends is answered before.
        last = []
        thread = threading.Thread(target=lambda: last.append(result(fixture.call(
            "prompt", user="x", model="hang", limit_ms=2000))))
        thread.start()
        until = time.monotonic() + PATIENCE
        while server.open == before and time.monotonic() < until:
            time.sleep(0.01)
        need(server.open > before, "no request of the last call")
    thread.join(PATIENCE)
    need("TIMEOUT" in json.dumps(last), last)


def app_findings(port, behavior):
    """What a check of an app with that behavior finds, about it."""
    def ask(path, body):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        try:
            connection.request("POST", "/api/apps" + path, json.dumps(body),
                               {"Content-Type": "application/json"})
            response = connection.getresponse()
            value = json.loads(response.read())
            need(response.status in (200, 201), value)
            return value
        finally:
            connection.close()
    app = ask("", {"name": "Bot", "propose": True, "behavior": dict(
        behavior, type="prompt", systemPrompt="Answer.")})
    found = ask("/%s/check" % app["mcpSlug"], {})["findings"]
    return [(one["path"], one["message"]) for one in found
            if one["path"] in ("/behavior/provider", "/behavior/by")]


def providers_of_apps(options, server):
    """An app that names a provider which the server does not have is told so."""
    table = TABLE % (server.url, server.url)
    def none(name):
        return [("/behavior/provider", 'this server has no provider "%s"' % name)]
    for words, wanted in ((("--models",), []), ((), none("two"))):
        with Folder(options, table) as folder:
            with subprocess.Popen(
                    [folder.mica, "serve", "--listen", "127.0.0.1:0", "--drain", "0",
                     "--store", "memory", *words], cwd=folder.path, text=True,
                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                    env=folder.environment()) as process:
                try:
                    line = process.stdout.readline()
                    need(":" in line, "it serves: " + line)
                    port = int(line.rsplit(":", 1)[1].split("/")[0])
                    same(app_findings(port, {"by": "provider", "provider": "three"}),
                         none("three"), words)
                    same(app_findings(port, {"by": "provider", "provider": "two"}), wanted,
                         words)
                finally:
                    process.send_signal(signal.SIGTERM)
                    same(process.wait(PATIENCE), 0, "its end")


CASES = [settings, asks, failures, streams, samples, waits, providers_of_apps]

if __name__ == "__main__":
    sys.exit(run(CASES))

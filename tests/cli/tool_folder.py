# SPDX-License-Identifier: Apache-2.0
"""A folder with interactive tools, and mica in it: what their tests share."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.request

import cli

TOOL = """\
#include <mica/tool.h>

struct request { struct mica_text name; };
MICA_RECORD(request, MICA_TEXT(name, "Who is to be greeted."));

static enum mica_status
run(struct mica_call *call, const struct request *in, struct mica_nothing *out)
{
    (void)out;
    mica_add_text(call, mica_format(call, "%s, %%.*s", MICA_ARG(in->name)), NULL);
    return MICA_OK;
}

MICA_TOOL(%s, request, mica_nothing, run,
          .title = "Greeter", .description = "Greets a person in a few words.");
"""


def tool(name="greet", word="Hello"):
    return TOOL % (word, name)


class Case(unittest.TestCase):
    """A folder, and mica in it."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="mica-tools-")
        os.chmod(self.folder, 0o755)
        self.state = os.path.join(self.folder, "state")
        self.process = None

    def tearDown(self):
        if self.process is not None:
            self.stop()
        shutil.rmtree(self.folder)

    def environment(self):
        return {**os.environ, "XDG_STATE_HOME": self.state,
                "MICA_INCLUDE_DIR": os.path.join(cli.OPTIONS.source, "include")}

    def mica(self, *words, exit=0):
        done = subprocess.run([cli.OPTIONS.mica, *words], cwd=self.folder, text=True,
                              capture_output=True, timeout=300,
                              env=self.environment())
        self.assertEqual(done.returncode, exit,
                         f"mica {words}: {done.stdout}{done.stderr}")
        return done

    def json(self, *words):
        return json.loads(self.mica(*cli.asked_for_json(words)).stdout)

    def complaint(self, code, *words, exit):
        done = self.mica(*words, exit=exit)
        self.assertRegex(done.stderr, rf"(?m)^mica: {code}: ")
        return done.stderr

    def write(self, path, text):
        full = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)
        return full

    def path(self, name):
        return os.path.join(self.folder, name)

    def versions(self, name):
        found = os.listdir(self.path("build/tools/.versions"))
        return sorted(file for file in found
                      if file.startswith(name + "-") and file.endswith(".so"))

    def words(self, who, tool="greet"):
        arguments = json.dumps({"name": who})
        return self.json("call", tool, "--json", arguments)["content"]

    # A server, until the test ends.
    def serve(self, *words, store="memory", quiet=True):
        self.log = open(self.path("log"), "w", encoding="utf-8")
        words = ["--quiet", *words] if quiet else words
        self.process = subprocess.Popen(
            [cli.OPTIONS.mica, "serve", "--drain=0", "--listen", "127.0.0.1:0", "--store",
             store, *words], cwd=self.folder, text=True,
            stdout=subprocess.PIPE, stderr=self.log, env=self.environment())
        self.url = self.process.stdout.readline().strip()
        self.assertRegex(self.url, r"^http://")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.process.stdout.close()
        self.log.close()
        self.process = None

    def said(self):
        with open(self.path("log"), encoding="utf-8") as file:
            return file.read()

    def request(self, method, name=None, capabilities=None, meta=None, **params):
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": capabilities or {},
                **(meta or {})}
        body = {"jsonrpc": "2.0", "id": 1, "method": method,
                "params": {**params, "_meta": meta}}
        headers = {"Content-Type": "application/json",
                   "Accept": "application/json, text/event-stream",
                   "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
        if name is not None:
            headers["Mcp-Name"] = name
            body["params"]["name"] = name
        sent = urllib.request.Request(self.url, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(sent, timeout=60) as reply:
            return json.load(reply)

    def served_words(self, who, tool="greet"):
        reply = self.request("tools/call", tool, arguments={"name": who})
        return reply["result"]["content"][0]["text"]

    def served_names(self):
        return [t["name"] for t in self.request("tools/list")["result"]["tools"]]

    def until(self, what, wanted):
        """Waits for a change that the server makes by itself."""
        deadline = time.monotonic() + cli.OPTIONS.patience
        while time.monotonic() < deadline:
            if what() == wanted:
                return
            time.sleep(0.05)
        self.assertEqual(what(), wanted, self.said())

# SPDX-License-Identifier: Apache-2.0
"""mica stdio in a folder whose tools have to be built: it answers at once, and
requests that need a tool wait for it.

    python3 stdio_building.py --mica build/mica --source .

The compiler is a script that waits for a file, so that nothing here depends on how
fast the machine is. Nothing but Python's own library.
"""

import fcntl
import glob
import json
import os
import pty
import queue
import select
import shutil
import subprocess
import tempfile
import threading
import time
import unittest

import alone
import cli
import terminal

GATE = """#!/bin/sh
while [ ! -e "%s" ]; do sleep 0.05; done
exec "%s" "$@"
"""
HELD_S = 30  # BUILD_WAIT_MS in src/stdio/stdio_serve.c


class Server:
    """One `mica stdio`; a queue has its lines."""

    def __init__(self, folder, environment):
        self.errors = open(os.path.join(folder, "errors"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [cli.OPTIONS.mica, "stdio"], cwd=folder, env=environment, bufsize=0,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)
        self.reading = True
        self.lines = queue.Queue()
        self.seen = []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        while self.reading:
            if not select.select([self.process.stdout], [], [], 0.05)[0]:
                continue
            line = self.process.stdout.readline()
            if line == b"":
                break
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def stop_reading(self):
        self.reading = False
        self.reader.join()
        self.process.stdout.close()

    def send(self, method, id=None, **params):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if id is not None:
            message["id"] = id
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    def until(self, wanted, patience):
        """The first message that is wanted, of those that came and will come."""
        end = time.monotonic() + patience
        while True:
            for index, message in enumerate(self.seen):
                if wanted(message):
                    return self.seen.pop(index)
            left = end - time.monotonic()
            if left <= 0:
                raise AssertionError("not within %d s; came: %r; stderr: %s" % (
                    patience, self.seen, self.said()))
            try:
                message = self.lines.get(timeout=left)
            except queue.Empty:
                continue
            if message is None:
                raise AssertionError("the server ended: %s" % self.said())
            self.seen.append(message)

    def answer(self, id, patience=None):
        return self.until(lambda m: m.get("id") == id,
                          patience or cli.OPTIONS.patience)

    def said(self):
        self.errors.flush()
        with open(self.errors.name, encoding="utf-8") as file:
            return file.read()

    def begin(self):
        self.send("initialize", 0, protocolVersion="2025-11-25", capabilities={},
                  clientInfo={"name": "test", "version": "1"})
        result = self.answer(0)["result"]
        self.send("notifications/initialized")
        return result

    def end(self):
        self.process.stdin.close()
        exit = self.process.wait(cli.OPTIONS.patience)
        self.reader.join()
        self.process.stdout.close()
        self.errors.close()
        return exit


class Building(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="mica-building-")
        os.chmod(self.folder, 0o755)
        self.addCleanup(shutil.rmtree, self.folder)
        self.gate = os.path.join(self.folder, "gate")
        self.compiler = os.path.join(self.folder, "gated-clang")
        with open(self.compiler, "w", encoding="utf-8") as file:
            file.write(GATE % (self.gate, shutil.which(
                os.environ.get("MICA_CLANG", "clang-14"))))
        os.chmod(self.compiler, 0o755)
        self.environment = {
            **os.environ, "XDG_STATE_HOME": os.path.join(self.folder, "state"),
            "MICA_INCLUDE_DIR": os.path.join(cli.OPTIONS.source, "include")}
        self.mica("new", "tip-total")
        self.mica("new", "tip-share")

    def mica(self, *words):
        subprocess.run([cli.OPTIONS.mica, *words], cwd=self.folder, text=True,
                       capture_output=True, timeout=300, check=True,
                       stdin=subprocess.DEVNULL, env=self.environment)

    def serve(self):
        server = Server(self.folder, {**self.environment, "MICA_CLANG": self.compiler})
        self.addCleanup(server.process.kill)
        return server

    def open_gate(self):
        with open(self.gate, "w", encoding="utf-8"):
            pass

    def compilers(self):
        """The gated compilers that run for this folder."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/cmdline" % pid, "rb") as file:
                    if self.compiler.encode() in file.read():
                        found.append(pid)
            except OSError:
                pass  # it has ended
        return found

    def check_no_compilers(self):
        # One that was killed is there until its parent, which is killed too, or init looks.
        end = time.monotonic() + cli.OPTIONS.patience
        while self.compilers() and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(self.compilers(), [])

    def wait_for_compilers(self):
        end = time.monotonic() + cli.OPTIONS.patience
        while not self.compilers() and time.monotonic() < end:
            time.sleep(0.02)
        self.assertTrue(self.compilers(), "nothing was built")

    def test_handshake_and_discovery_do_not_wait(self):
        server = self.serve()
        result = server.begin()
        self.assertEqual(result["capabilities"]["tools"], {"listChanged": True})
        server.send("ping", 1)
        self.assertEqual(server.answer(1)["result"], {})
        server.send("server/discover", 2, _meta={
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}})
        self.assertIn("tools", server.answer(2)["result"]["capabilities"])
        server.send("tools/call", 3, name="nothing-of-that-name", arguments={})
        self.assertIn("Unknown tool", server.answer(3)["error"]["message"])
        self.assertEqual(server.end(), 0)

    def test_lists_and_calls_wait_for_what_they_need(self):
        self.mica("build", "tip-share")
        server = self.serve()
        server.begin()
        server.send("tools/list", 1, _meta={"progressToken": "list"})
        server.send("tools/call", 2, name="tip-total", arguments={},
                    _meta={"progressToken": "call"})
        server.send("tools/call", 3, name="tip-total", arguments={})
        for token in ("list", "call"):
            told = server.until(lambda m: m.get("method") == "notifications/progress" and
                                m["params"]["progressToken"] == token,
                                cli.OPTIONS.patience)["params"]
            self.assertEqual((told["progress"], told["total"], told["message"]),
                             (0, 1, "built 0 of 1 tools"))
        # One that is built is called at once, and one that waits is given up.
        server.send("tools/call", 4, name="tip-share", arguments={})
        self.assertIn("result", server.answer(4))
        server.send("notifications/cancelled", requestId=3)
        server.send("ping", 5)
        server.answer(5)
        self.assertEqual([m for m in server.seen if "id" in m], [])
        self.open_gate()
        # With a machine that needs longer than requests wait they are asked again.
        for id in range(10, 30):
            names = sorted(tool["name"] for tool in server.answer(1)["result"]["tools"])
            if len(names) == 2:
                break
            server.send("tools/list", id)
            server.seen.append({**server.answer(id), "id": 1})
        self.assertEqual(names, ["tip-share", "tip-total"])
        server.until(lambda m: m.get("method") == "notifications/tools/list_changed",
                     cli.OPTIONS.patience)
        first = server.answer(2)
        self.assertTrue("result" in first or first["error"]["data"]["code"] == "BUSY")
        server.send("tools/call", 40, name="tip-total", arguments={})
        self.assertIn("result", server.answer(40))
        self.assertEqual([m for m in server.seen if m.get("id") == 3], [])
        self.assertEqual(server.end(), 0)

    def test_after_half_a_minute_there_is_what_is_built(self):
        self.mica("build", "tip-share")
        server = self.serve()
        server.begin()
        began = time.monotonic()
        server.send("tools/list", 1)
        server.send("tools/call", 2, name="tip-total", arguments={})
        tools = server.answer(1, HELD_S + cli.OPTIONS.patience)["result"]["tools"]
        self.assertGreaterEqual(time.monotonic() - began, HELD_S - 1)
        self.assertEqual([tool["name"] for tool in tools], ["tip-share"])
        error = server.answer(2)["error"]
        self.assertEqual(error["data"]["code"], "BUSY")
        self.assertIn("still being built; 0 of 1", error["message"])
        self.open_gate()
        server.until(lambda m: m.get("method") == "notifications/tools/list_changed",
                     cli.OPTIONS.patience)
        server.send("tools/list", 3)
        self.assertEqual(len(server.answer(3)["result"]["tools"]), 2)
        self.assertEqual(server.end(), 0)

    def test_what_cannot_be_built_is_told_and_others_are_served(self):
        with open(os.path.join(self.folder, "engines", "tip-share.c"), "a",
                  encoding="utf-8") as file:
            file.write("this is not C\n")
        self.open_gate()
        server = self.serve()
        server.begin()
        for id in range(1, 20):
            server.send("tools/list", id)
            names = [tool["name"] for tool in server.answer(id)["result"]["tools"]]
            server.send("tools/call", 100 + id, name="tip-share", arguments={})
            error = server.answer(100 + id)["error"]
            if names and error["data"]["code"] != "BUSY":
                break
        self.assertEqual(names, ["tip-total"])
        self.assertEqual(error["data"]["code"], "NOT_FOUND")
        self.assertIn("engines/tip-share.c was not built: BUILD_FAILED", server.said())
        self.assertEqual(server.said().count("was not built"), 1)
        self.assertEqual(server.end(), 0)

    def test_what_a_source_says_is_shown_to_a_terminal_and_not_sent(self):
        with open(os.path.join(self.folder, "engines", "tip-share.c"), "a",
                  encoding="utf-8") as file:
            file.write("#error \x1b]0;owned\x07 is said\n")
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [cli.OPTIONS.mica, "stdio"], cwd=self.folder, env=self.environment,
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=slave)
        self.addCleanup(process.kill)
        os.close(slave)
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {}}
        process.stdin.write(json.dumps({
            "jsonrpc": "2.0", "id": 1, "method": "tools/list",
            "params": {"_meta": meta}}).encode() + b"\n")
        process.stdin.close()
        text = terminal.read_to_end(master)
        self.assertEqual(process.wait(cli.OPTIONS.patience), 0, text)
        self.assertIn(b"is said", text)
        self.assertIn(b"engines/tip-share.c was not built", text)
        self.assertNotIn(b"\x1b", text)
        self.assertNotIn(b"\x07", text)

    def test_the_end_of_stdin_ends_what_builds(self):
        server = self.serve()
        server.begin()
        self.wait_for_compilers()
        began = time.monotonic()
        self.assertEqual(server.end(), 0)
        self.assertLess(time.monotonic() - began, HELD_S - 5)
        self.check_no_compilers()

    def test_the_end_of_stdin_ends_what_waits_for_a_lock(self):
        built = os.path.join(self.folder, "build", "engines")
        os.makedirs(built)
        lock = os.open(built, os.O_RDONLY)
        self.addCleanup(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX)
        self.open_gate()
        server = self.serve()
        server.begin()
        # Both are made, and wait to be put in place.
        end = time.monotonic() + cli.OPTIONS.patience
        while time.monotonic() < end and len(glob.glob(
                os.path.join(built, ".build-*", "engine.so"))) < 2:
            time.sleep(0.05)
        began = time.monotonic()
        self.assertEqual(server.end(), 0)
        self.assertLess(time.monotonic() - began, HELD_S - 5)
        self.assertEqual(os.listdir(built), [])

    def test_an_end_at_any_moment_is_an_end(self):
        for pause in [0] * 20 + [0.01 * number for number in range(20)]:
            server = self.serve()
            server.begin()
            time.sleep(pause)
            self.assertEqual(server.end(), 0, pause)
        self.check_no_compilers()

    def test_a_signal_ends_what_builds_and_answers_what_waits(self):
        server = self.serve()
        server.begin()
        server.send("tools/list", 1)
        server.send("ping", 2)
        server.answer(2)  # so the list has been read, and waits
        self.wait_for_compilers()
        server.process.terminate()
        self.assertEqual(server.answer(1)["result"]["tools"], [])
        server.end()
        self.check_no_compilers()

    def test_a_request_before_the_end_of_stdin_still_waits(self):
        server = self.serve()
        server.begin()
        server.send("tools/list", 1)
        self.wait_for_compilers()
        server.process.stdin.close()
        time.sleep(0.3)
        self.assertIsNone(server.process.poll())
        self.open_gate()
        self.assertIn("tools", server.answer(1)["result"])
        self.assertEqual(server.end(), 0)
        self.check_no_compilers()

    def test_without_a_reader_nothing_waits(self):
        server = self.serve()
        server.begin()
        server.send("tools/list", 1)
        self.wait_for_compilers()
        # Both pipes close, as when the client is killed.
        server.process.stdin.close()
        began = time.monotonic()
        server.stop_reading()
        server.process.wait(cli.OPTIONS.patience)
        self.assertLess(time.monotonic() - began, HELD_S - 5)
        self.check_no_compilers()


if __name__ == "__main__":
    alone.run("source")

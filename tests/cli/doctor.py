# SPDX-License-Identifier: Apache-2.0
"""mica doctor on machines that are well, and on ones with a fault each.

    python3 doctor.py --mica build/mica
"""

import json
import os
import resource
import socket
import sqlite3
import subprocess
import unittest

import alone
import cli


class Doctor(cli.Case):
    def setUp(self):
        super().setUp()
        os.makedirs(os.path.join(self.folder, "home"))
        # Bound, and not listening: no other process is given this port meanwhile,
        # and a program that sets SO_REUSEADDR may listen at it.
        free = socket.socket()
        self.addCleanup(free.close)
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(("127.0.0.1", 0))
        self.free = f"127.0.0.1:{free.getsockname()[1]}"
        self.env = {"HOME": os.path.join(self.folder, "home"),
                    "XDG_CONFIG_HOME": "", "CODEX_HOME": "",
                    "XDG_STATE_HOME": os.path.join(self.folder, "state")}

    def findings(self, *words, exit=0, **more):
        done = self.mica("doctor", "--json", "--listen", self.free, *words, exit=exit,
                         env=self.env, **more)
        return {one["check"]: one for one in json.loads(done.stdout)}

    def one(self, check, level, *words, **more):
        found = self.findings(*words, **more)
        self.assertIn(check, found)
        self.assertEqual(found[check]["level"], level, found)
        if level != "ok":
            self.assertIn("fix", found[check])
        return found[check]["message"] + " " + found[check].get("fix", "")

    def test_the_cache_of_translations_has_a_place_and_a_size(self):
        place = os.path.join(self.folder, "cache")
        self.env["MICA_CACHE"] = place
        self.assertIn(f"{place}, not made yet", self.one("cache", "ok"))
        self.mica("new", "one", env=self.env)
        self.mica("build", "--fast", env=self.env)
        self.assertRegex(self.one("cache", "ok"),
                         rf"{place}, 1 translation, \d+ of 262144 KiB")
        os.chmod(place, 0o777)
        self.assertIn(place, self.one("cache", "warn"))
        self.env["MICA_CACHE"] = "off"
        self.assertIn("off", self.one("cache", "ok"))
        self.env["MICA_CACHE"] = "relative"
        self.assertIn("relative", self.one("cache", "fail", exit=8))

    def test_a_machine_that_is_well_has_no_findings(self):
        found = self.findings()
        self.assertEqual({one["level"] for one in found.values()}, {"ok"}, found)
        self.assertGreaterEqual(
            set(found), {"clang", "wasm-ld", "wasm2c", "wasm2js", "coverage",
                         "cc", "confinement", "key", "store",
                         "folder", "port", "descriptors", "clock"})
        text = self.on_terminal("doctor", "--listen", self.free,
                                env={**self.env, "NO_COLOR": "1"})
        self.assertRegex(text, r"(?m)^ok    port: ")
        self.assertEqual(json.loads(self.on_terminal(
            "doctor", "--json", "--listen", self.free, env=self.env))[0]
            ["check"], "clang")

    def test_whether_compilers_are_confined_is_said(self):
        found = self.findings()["confinement"]
        self.assertRegex(found["message"],
                         r"^compilers are confined: files .*seccomp")

    def test_compilers_that_are_missing_or_others_are_named(self):
        self.env["MICA_WASM2C"] = "/nonexistent/wasm2c"
        self.assertIn("MICA_WASM2C", self.one("engines", "warn"))
        other = self.write("wasm2c", "#!/bin/sh\necho 9.9.9\n")
        os.chmod(other, 0o755)
        self.env["MICA_WASM2C"] = other
        self.assertIn("1.0.32", self.one("wasm2c", "warn"))
        self.write("wasm2c", "#!/bin/sh\nexit 1\n")
        self.one("wasm2c", "fail", exit=8)

    def test_what_only_some_need_is_a_warning(self):
        # A browser that refuses WebAssembly, and mica check.
        self.assertIn("wasm2js", self.one("wasm2js", "ok"))
        self.assertIn("libclang_rt.profile", self.one("coverage", "ok"))
        self.env["MICA_WASM2JS"] = "/nonexistent/wasm2js"
        self.assertIn("package binaryen", self.one("wasm2js", "warn"))
        other = self.write("clang", "#!/bin/sh\ncase $1 in\n"
                           "--version) echo clang version 14.0.6 ;;\n"
                           f"*) echo {self.folder} ;;\nesac\n")
        os.chmod(other, 0o755)
        self.env["MICA_CLANG"] = other
        self.assertIn("package libclang-rt-14-dev", self.one("coverage", "warn"))

    def test_a_port_in_use_is_seen(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            self.free = f"127.0.0.1:{taken.getsockname()[1]}"
            self.assertIn("--listen", self.one("port", "warn"))
        self.free = "nonsense"
        self.one("port", "warn")
        self.free = "[::1]:0"
        self.one("port", "ok")

    def test_a_store_that_is_broken_fails(self):
        path = self.write("state/mica/mica.db", "this is no database" * 100)
        os.chmod(os.path.dirname(path), 0o700)
        os.chmod(path, 0o600)
        self.findings(exit=8)
        os.remove(path)
        self.mica("call", "hash", "data=x", env=self.env)
        os.close(os.open(path, os.O_CREAT, 0o600))
        self.mica("store", "info", env=self.env)
        self.assertIn("sound", self.one("store", "ok"))
        db = sqlite3.connect(path)
        db.execute("UPDATE counters SET value = 7 WHERE name = 'sessions'")
        db.commit()
        db.close()
        self.assertIn("store check", self.one("store", "fail", exit=8))

    def test_a_store_that_sees_no_deaths_is_a_warning(self):
        path = self.write("some.db", "")
        os.chmod(path, 0o600)
        spec = "sqlite:" + path
        self.one("store", "ok", "--store", spec)
        os.remove(path + "-nodes")
        os.mkdir(path + "-nodes")  # as where there are no such locks
        self.assertIn("some.db-nodes cannot be locked",
                      self.one("store", "warn", "--store", spec))

    def test_a_key_that_others_could_have_written_fails(self):
        self.findings()
        os.chmod(os.path.join(self.folder, "state/mica/key"), 0o666)
        self.one("key", "fail", exit=8)

    def test_a_folder_says_who_built_what(self):
        self.mica("new", "floor-area", env=self.env)
        self.assertIn("1 not built", self.one("engines", "ok"))
        self.mica("build", "--fast", env=self.env)
        self.assertIn("1 built by you", self.one("engines", "ok"))
        self.env["XDG_STATE_HOME"] += "-of-another-user"
        self.assertIn("1 by others", self.one("engines", "warn"))
        os.chmod(os.path.join(self.folder, "build/engines"), 0o777)
        self.one("build/engines", "fail", exit=8)

    def test_few_descriptors_are_a_warning(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))

        done = subprocess.run(
            [cli.OPTIONS.mica, "doctor", "--json", "--listen", self.free],
            preexec_fn=limit, capture_output=True, text=True, cwd=self.folder,
            env={**os.environ, **self.env}, timeout=60, check=True)
        self.assertIn('"check":"descriptors","level":"warn"', done.stdout)

    def test_a_server_with_too_few_descriptors_does_not_start(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))

        done = subprocess.run(
            [cli.OPTIONS.mica, "serve", "--drain=0", "--listen", "127.0.0.1:0",
             "--built-in"],
            preexec_fn=limit, capture_output=True, text=True, cwd=self.folder,
            env={**os.environ, **self.env}, timeout=60, check=False)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("LIMIT_EXCEEDED: only 16 files", done.stderr)

    def test_clients_are_looked_at(self):
        self.assertNotIn("cursor", self.findings())
        path = self.write("home/.cursor/mcp.json", "{}")
        self.assertIn("mica install cursor", self.one("cursor", "ok"))
        self.mica("install", "cursor", "--yes", env=self.env)
        self.assertIn("has a server mica", self.one("cursor", "ok"))
        text = self.read("home/.cursor/mcp.json").replace(
            os.path.realpath(cli.OPTIONS.mica), "/nonexistent/mica")
        self.write("home/.cursor/mcp.json", text)
        self.assertIn("/nonexistent/mica", self.one("cursor", "warn"))
        self.write("home/.cursor/mcp.json", "{,}")
        self.assertIn("line 1", self.one("cursor", "warn"))
        self.mica("install", "codex", "--yes", env=self.env)
        config = self.read("home/.codex/config.toml")
        self.one("codex", "ok")
        self.write("home/.codex/config.toml", config.replace(
            os.path.realpath(cli.OPTIONS.mica), "/nonexistent/mica"))
        self.assertIn("/nonexistent/mica", self.one("codex", "warn"))
        self.assertTrue(os.path.exists(path))

    def test_a_configuration_that_cannot_be_looked_at_is_no_silence(self):
        os.makedirs(os.path.join(self.folder, "home/.cursor"))
        os.symlink("nowhere", os.path.join(self.folder, "home/.cursor/mcp.json"))
        self.assertIn("leads nowhere", self.one("cursor", "warn"))

    def test_a_folder_that_a_client_is_to_serve_has_to_be_there(self):
        self.write("work/engines/some.c", "whatever")
        for client in ("cursor", "codex"):
            done = subprocess.run(
                [cli.OPTIONS.mica, "install", client, "--yes"], text=True,
                env={**os.environ, **self.env}, capture_output=True, check=True,
                cwd=os.path.join(self.folder, "work"))
            self.assertIn("--project", done.stderr)
            self.one(client, "ok")
        os.rename(os.path.join(self.folder, "work"),
                  os.path.join(self.folder, "moved"))
        for client in ("cursor", "codex"):
            said = self.one(client, "warn")
            self.assertIn(os.path.join(self.folder, "work"), said)
            self.assertIn(f"mica install {client}", said)

    def test_it_takes_no_words(self):
        self.complaint("USAGE", "doctor", "please", exit=2)


if __name__ == "__main__":
    alone.run()

# SPDX-License-Identifier: Apache-2.0
"""mica store, as a person or a script meets it.

    python3 store.py --mica build/mica

The files are made by mica itself out of empty ones, and filled by Python's own
SQLite, as another process would.
"""

import json
import os
import signal
import sqlite3
import stat
import subprocess
import threading
import time
import unittest

import alone
import cli


class Store(cli.Case):
    """A state folder in which the store lies where it does by default."""

    def setUp(self):
        super().setUp()
        self.state = {"XDG_STATE_HOME": os.path.join(self.folder, "state")}
        self.path = os.path.join(self.folder, "state", "mica", "mica.db")

    def make(self, path=None, sessions=0):
        """An empty file, of which mica makes a store, with some sessions."""
        path = path or self.path
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        self.mica("store", "info", "--store", f"sqlite:{path}")
        with sqlite3.connect(path) as db:
            db.executemany(
                "INSERT INTO sessions (key, issuer, subject, revision, client_info, "
                "capabilities, log_level, created, seen, expires, last_stream) "
                "VALUES (?, '', '', '2025-11-25', ?, '', -1, 0, 0, 1, 0)",
                ((number.to_bytes(32, "big"), "x" * 3000)
                 for number in range(sessions)))
            db.execute("UPDATE counters SET value = ? WHERE name = 'sessions'",
                       (sessions,))
        db.close()
        return path

    def test_info_says_what_is_there(self):
        self.make(sessions=3)
        info = self.json("store", "info", env=self.state)
        self.assertEqual(info["store"], self.path)
        self.assertEqual(info["backend"], "sqlite")
        self.assertEqual(info["sessions"], 3)
        self.assertEqual(info["keys"], 0)
        self.assertEqual(info["schema"], 12)
        self.assertEqual(info["apps"], 0)
        self.assertEqual(info["publishedApps"], 0)
        self.assertGreater(info["bytes"], 10000)
        text = self.on_terminal("store", "info", env=self.state)
        self.assertTrue(text.startswith(self.path + "\n"))
        self.assertRegex(text, r"(?m)^ +3  sessions$")
        self.assertEqual(
            json.loads(self.on_terminal("store", "info", "--json",
                                        env=self.state))["sessions"], 3)

    def test_nothing_is_made_where_there_is_no_store(self):
        for words in (["info"], ["check"], ["backup", "copy.db"]):
            text = self.complaint("NOT_FOUND", "store", *words, exit=4,
                                  env=self.state)
            self.assertIn(self.path, text)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_copy_is_a_store_and_its_owners_alone(self):
        self.make(sessions=50)
        done = self.json("store", "backup", "copy.db", env=self.state)
        self.assertEqual(done, {"store": self.path, "copy": "copy.db"})
        copy = os.path.join(self.folder, "copy.db")
        self.assertEqual(stat.S_IMODE(os.stat(copy).st_mode), 0o600)
        self.assertEqual(
            self.json("store", "info", "--store=sqlite:copy.db")["sessions"],
            50)
        self.assertIn("copy.db", self.complaint(
            "ALREADY_EXISTS", "store", "backup", "copy.db", exit=7,
            env=self.state))
        self.assertIn("copy of " + self.path, self.on_terminal(
            "store", "backup", "second.db", env=self.state))

    def test_a_copy_is_made_while_others_write(self):
        self.make(sessions=6000)
        stop = threading.Event()

        def write():
            db = sqlite3.connect(self.path, timeout=30, isolation_level=None)
            number = 10 ** 9
            while not stop.is_set():
                number += 1
                db.execute("BEGIN IMMEDIATE")
                db.execute("INSERT INTO changes (sequence, created, kind, "
                           "name) VALUES (?, 0, 1, 'x')", (number,))
                db.execute("UPDATE counters SET value = value + 1 "
                           "WHERE name = 'changes'")
                db.execute("COMMIT")
            db.close()

        writer = threading.Thread(target=write)
        writer.start()
        try:
            until = time.monotonic() + cli.OPTIONS.patience
            while True:
                done = self.mica("store", "backup", "copy.db", env=self.state, exit=None)
                # The writer does not wait, so it may hold the store longer than mica waits.
                if "mica: BUSY: " not in done.stderr or time.monotonic() > until:
                    break
            self.assertEqual(done.returncode, 0, done.stderr)
        finally:
            stop.set()
            writer.join()
        self.assertTrue(self.json("store", "check",
                                  "--store=sqlite:copy.db")["sound"])
        self.assertTrue(self.json("store", "check", env=self.state)["sound"])

    def test_a_long_copy_shows_how_far_it_is(self):
        self.make(sessions=7000)  # 28 MB
        text = self.on_terminal("store", "backup", "copy.db", env=self.state)
        self.assertRegex(text, r"1 of 2\d MiB")
        self.assertRegex(text, r"copied 2\d of 2\d MiB\n")

    def test_a_copy_that_is_interrupted_leaves_nothing(self):
        self.make(sessions=20000)
        process = subprocess.Popen(
            [cli.OPTIONS.mica, "store", "backup", "copy.db"],
            cwd=self.folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**os.environ, **self.state})
        while process.poll() is None and not any(
                name.startswith("copy") for name in os.listdir(self.folder)):
            pass
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=cli.OPTIONS.patience)
        names = [name for name in os.listdir(self.folder)
                 if name.startswith("copy")]
        if process.returncode == 0:  # it was faster
            self.assertEqual(names, ["copy.db"])
        else:
            self.assertEqual(process.returncode, 6, complaint)
            self.assertEqual(names, [])

    def test_check_finds_what_is_wrong(self):
        self.make(sessions=2)
        self.assertEqual(self.json("store", "check", env=self.state),
                         {"store": self.path, "sound": True, "findings": []})
        self.assertIn("is sound",
                      self.on_terminal("store", "check", env=self.state))
        with sqlite3.connect(self.path) as db:
            db.execute("UPDATE counters SET value = 7 WHERE name = 'sessions'")
        db.close()
        done = self.mica("store", "check", "--json", env=self.state, exit=8)
        found = json.loads(done.stdout)
        self.assertFalse(found["sound"])
        self.assertEqual(found["findings"],
                         ["the counter of sessions says 7 instead of 2"])
        self.assertIn("mica: IO_ERROR: ", done.stderr)
        self.assertIn("mica store backup", done.stderr)

    def test_a_damaged_file_is_kept(self):
        os.makedirs(os.path.dirname(self.path))
        with open(self.path, "wb") as file:
            file.write(b"no database at all, but of some length" * 200)
        os.chmod(self.path, 0o600)
        before = os.stat(self.path)
        for act in ("check", "info"):
            self.assertIn("is damaged", self.complaint(
                "IO_ERROR", "store", act, exit=8, env=self.state))
        self.assertEqual(os.stat(self.path).st_mtime_ns, before.st_mtime_ns)

    def test_a_file_that_others_may_read_is_refused(self):
        self.make()
        os.chmod(self.path, 0o644)
        self.assertIn(f"chmod 600 {self.path}", self.complaint(
            "UNTRUSTED_FILE", "store", "info", exit=8, env=self.state))

    def test_wrong_words_bring_the_right_ones(self):
        for words in ([], ["copy"], ["backup"], ["backup", "a", "b"],
                      ["info", "a"]):
            self.assertRegex(self.complaint("USAGE", "store", *words, exit=2),
                             "mica store|--store")
        self.assertIn("sqlite:PATH", self.complaint(
            "USAGE", "store", "info", "--store", "mysql:x", exit=2))
        for words in (["info"], ["check"], ["backup", "copy.db"]):
            self.complaint("USAGE", "store", *words, "--store", "memory",
                           exit=2)

    def test_help_has_an_example(self):
        text = self.mica("help", "store").stdout
        self.assertIn("mica store backup", text)
        self.assertIn("--store SPEC", text)


if __name__ == "__main__":
    alone.run()

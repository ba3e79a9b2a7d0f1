# SPDX-License-Identifier: Apache-2.0
"""Projects of one user: each has a store and services of its own, by an identity that
lies in its folder; and long lists of calls.

    python3 projects.py --mica build/mica --source .

Every test works in a folder of its own, with a state folder of its own. Nothing
but Python's own library.
"""

import fcntl
import json
import os
import pty
import resource
import shutil
import sqlite3
import subprocess
import time

import alone
import cli
import terminal
from serving_tools import SERVICE
from tool_folder import Case

ASKS = """\
#include <mica/tool.h>

struct sure { bool yes; };
MICA_RECORD(sure, MICA_BOOLEAN(yes, "Is it so?"));

static enum mica_status
run(struct mica_call *call, const struct mica_nothing *in, struct mica_nothing *out)
{
    struct sure sure;
    const struct mica_ask one[] = {
        {.form = MICA_FORM(sure, &sure), .message = MICA_LITERAL("@WORD@?")}};
    enum mica_status status = mica_ask_all(call, one, 1);

    (void)in;
    (void)out;
    if (status == MICA_OK)
        mica_add_text(call, MICA_LITERAL("@WORD@"), NULL);
    return status;
}

MICA_TOOL(@NAME@, mica_nothing, mica_nothing, run, .steps = MICA_STEPS("a"),
          .description = "Asks whether it is so.");
"""


class Projects(Case):
    """Several folders, one user."""

    def setUp(self):
        super().setUp()
        self.root = self.folder

    def tearDown(self):
        self.folder = self.root
        super().tearDown()

    def enter(self, name):
        self.folder = os.path.join(self.root, name)
        os.makedirs(self.folder, exist_ok=True)

    def project(self, name, tool="ask", word="Sure"):
        self.enter(name)
        self.write(f"tools/{tool}.c",
                   ASKS.replace("@NAME@", tool).replace("@WORD@", word))

    # With the store of the project, not --store.
    def serve(self, *words, by=()):
        self.log = open(self.path("log"), "w", encoding="utf-8")
        self.process = subprocess.Popen(
            [*by, cli.OPTIONS.mica, "serve", "--drain=0", "--listen", "127.0.0.1:0", "--quiet",
             *words], cwd=self.folder, text=True, stdout=subprocess.PIPE,
            stderr=self.log, env=self.environment())
        self.url = self.process.stdout.readline().strip()
        self.assertRegex(self.url, r"^http://", self.said())

    def ask(self, tool="ask"):
        reply = self.request("tools/call", tool, {"elicitation": {}}, arguments={})
        self.assertEqual(reply["result"]["resultType"], "input_required")
        return reply["result"]["requestState"]

    def answer(self, state, tool="ask"):
        return self.request(
            "tools/call", tool, {"elicitation": {}}, arguments={},
            requestState=state, inputResponses={
                "sure": {"action": "accept", "content": {"yes": True}}})

    def calls(self, *words):
        return self.json("calls", *words)

    def identity(self):
        with open(self.path(".mica/project"), encoding="utf-8") as file:
            return [line.split()[1] for line in file if line.startswith("id ")][0]

    def doctor(self):
        done = subprocess.run([cli.OPTIONS.mica, "doctor", "--json"],
                              cwd=self.folder, text=True, capture_output=True,
                              timeout=300, env=self.environment())
        return {line["check"]: line for line in json.loads(done.stdout)}

    def serve_once(self):
        self.serve()
        said = self.ask()
        self.stop()
        return said

    def test_a_start_does_not_wait_for_a_stopped_one_without_end(self):
        self.project("one")
        projects = os.path.join(self.environment()["XDG_STATE_HOME"], "mica",
                                "projects")
        os.makedirs(projects, mode=0o700)
        lock = os.open(projects, os.O_RDONLY)
        self.addCleanup(os.close, lock)
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(
            [cli.OPTIONS.mica, "serve", "--listen", "127.0.0.1:0"],
            cwd=self.folder, text=True, capture_output=True, timeout=120,
            env=self.environment(), check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("BUSY", done.stderr)
        self.assertIn(projects, done.stderr)

    def test_two_projects_see_nothing_of_each_other(self):
        self.project("one")
        self.serve_once()
        one = self.calls()
        self.assertEqual([c["tool"] for c in one], ["ask"])
        self.project("two", word="Really")
        self.mica("calls", exit=4)
        self.serve_once()
        two = self.calls()
        self.assertEqual(len(two), 1)
        self.assertNotEqual(one[0]["id"], two[0]["id"])
        self.assertFalse(os.path.exists(os.path.join(self.state, "mica/mica.db")))
        facts = self.doctor()["project"]["message"]
        self.assertIn(self.identity(), facts)
        self.assertIn(".mica/project", facts)
        self.enter("one")
        self.assertNotEqual(self.doctor()["project"]["message"], facts)
        self.assertEqual(self.calls(), one)
        self.enter("elsewhere")
        self.enter(".")
        self.assertEqual(self.json("calls", "--project", "one"), one)

    def test_a_copy_gets_an_identity_of_its_own_and_says_so(self):
        self.project("one")
        state = self.serve_once()
        first, calls = self.identity(), self.calls()
        shutil.copytree(self.path("."), os.path.join(self.root, "copy"))
        self.enter("copy")
        found = self.doctor()["project"]
        self.assertIn("copy of " + os.path.join(self.root, "one"),
                      found["fix"])
        self.assertNotIn("sqlite:", found["message"])  # none that is never made
        for words in (("calls",), ("store", "info")):  # not even to be looked at
            self.assertIn("copy of " + os.path.join(self.root, "one"),
                          self.complaint("NOT_FOUND", *words, exit=4))
        self.serve()
        self.assertIn("is a copy of", self.said())
        self.ask()
        self.stop()
        self.assertNotEqual(self.identity(), first)
        self.assertEqual(len(self.calls()), 1)
        self.serve()
        self.assertNotIn("is a copy of", self.said())
        self.stop()
        self.enter("one")
        self.assertEqual(self.identity(), first)
        self.assertEqual(self.calls(), calls)
        self.serve()
        self.assertEqual(self.answer(state)["result"]["content"][0]["text"], "Sure")

    def test_a_folder_that_is_moved_or_linked_keeps_its_store(self):
        self.project("one")
        self.serve_once()
        first, calls = self.identity(), self.calls()
        os.symlink(self.path("."), os.path.join(self.root, "link"))
        self.enter("link")
        self.assertEqual(self.calls(), calls)
        os.rename(os.path.join(self.root, "one"), os.path.join(self.root, "new"))
        self.project("one", word="Other")  # another one takes its old place
        self.serve_once()
        self.assertNotEqual(self.identity(), first)
        self.enter("new")
        self.serve()
        self.stop()
        self.assertIn("was in", self.said())
        self.assertEqual(self.identity(), first)
        self.assertEqual(self.calls(), calls)

    def test_an_identity_that_came_with_the_folder_of_another_counts_for_nothing(self):
        self.project("one")
        self.serve_once()
        with open(self.path(".mica/project"), encoding="utf-8") as file:
            stolen = file.read()
        for evil in (stolen.replace("seal ", "seal 0"), "\nid ../../../..\nseal 0\n",
                     "\nid " + "a" * 32 + "\nseal " + "b" * 64 + "\n", "", "\n" * 5000):
            self.project("evil")
            self.write(".mica/project", evil)
            self.serve_once()
            self.assertEqual(len(self.calls()), 1)
            self.assertIn("by the path", self.doctor()["project"]["message"])
            shutil.rmtree(self.folder)
            shutil.rmtree(os.path.join(self.state, "mica", "projects", self.by_path()))

    def by_path(self):
        """The newest folder of a project."""
        projects = os.path.join(self.state, "mica", "projects")
        return max(os.listdir(projects),
                   key=lambda n: os.stat(os.path.join(projects, n)).st_mtime)

    def test_where_no_file_can_be_written_the_path_is_the_identity(self):
        self.project("one")
        self.mica("build")
        self.write(".mica", "is a file, so no folder")
        self.serve_once()
        calls = self.calls()
        self.assertEqual(len(calls), 1)
        self.assertIn("by the path", self.doctor()["project"]["message"])
        os.remove(self.path(".mica"))  # what it has had by its path it keeps
        self.serve()
        self.stop()
        self.assertEqual(self.calls(), calls)
        self.assertIn(".mica/project", self.doctor()["project"]["message"])

    def test_many_first_starts_at_once_agree(self):
        self.project("one")
        self.mica("build")
        started = [subprocess.Popen(
            [cli.OPTIONS.mica, "serve", "--drain=0", "--listen", "127.0.0.1:0", "--quiet"],
            cwd=self.folder, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=self.environment()) for _ in range(6)]
        for process in started:
            self.url = process.stdout.readline().strip()
            self.ask()
        for process in started:
            process.terminate()
            process.wait(60)
            process.stdout.close()
        self.assertEqual(len(self.calls()), 6)
        self.assertEqual(os.listdir(os.path.join(self.state, "mica/projects")),
                         [self.identity()])

    # ---- Taking over ------------------------------------------------------------

    def test_the_first_start_takes_over_what_the_shared_store_has(self):
        shared = "sqlite:" + os.path.join(self.state, "mica/mica.db")
        os.makedirs(os.path.join(self.state, "mica"), mode=0o700)
        self.project("one")
        self.serve("--store", shared)
        state = self.ask()
        self.ask()
        self.stop()
        self.project("two", "other")
        self.serve("--store", shared)
        self.ask("other")
        self.stop()
        self.project("three", word="Another build")  # of the same name
        self.serve("--store", shared)
        self.ask()
        self.stop()
        shutil.rmtree(os.path.join(self.state, "mica/projects"))
        before = self.calls("--store", shared)
        self.assertEqual(len(before), 4)
        self.enter("one")
        shutil.rmtree(self.path(".mica"))
        self.serve()
        self.assertIn("took 2 calls", self.said())
        taken = self.calls()
        self.assertEqual(len(taken), 2)
        self.assertEqual(len(self.calls("--store", shared)), 2)
        self.assertEqual([c for c in before if c["id"] in
                          [t["id"] for t in taken]], taken)
        # Keys came along: a state of before still opens.
        self.assertEqual(self.answer(state)["result"]["content"][0]["text"], "Sure")
        self.stop()
        self.mica("store", "check", "--store", shared)
        self.mica("store", "check")
        self.serve()
        self.assertNotIn("took", self.said())

    def test_services_keep_their_files_in_the_project_and_bring_those_of_before(self):
        old = os.path.join(self.state, "mica/services/counter")
        os.makedirs(old, mode=0o700)
        os.chmod(os.path.dirname(old), 0o700)
        with open(os.path.join(old, "log"), "w", encoding="utf-8") as file:
            file.write("before\n")
        found = []
        for name in ("one", "two"):
            self.enter(name)
            self.write("tools/note.c", SERVICE.replace("@NAME@", "note"))
            self.mica("call", "note", "--json", '{"name":"' + name + '"}')
            with open(os.path.join(self.state, "mica/projects", self.identity(),
                                   "services/counter/log"),
                      encoding="utf-8") as file:
                found.append(file.read().split())
        self.assertEqual(found, [["before", "open", "one", "close"],
                                 ["open", "two", "close"]])

    # ---- Long lists -------------------------------------------------------------

    COUNT = 157000

    def fill(self):
        """As many calls as of one that waits, by SQL."""
        with open(self.path(".mica/project"), encoding="utf-8"):
            path = os.path.join(self.state, "mica/projects", self.identity(),
                                "mica.db")
        database = sqlite3.connect(path)
        with database:
            columns = [row[1] for row in database.execute(
                "PRAGMA table_info(calls)") if row[1] != "number"]
            values = ["printf('x%021d', n)" if c == "id" else
                      "created + n" if c == "created" else
                      "iif(n % 1000 = 0, 1, state)" if c == "state" else
                      "iif(n % 500 = 0, 'alice', subject)" if c == "subject"
                      else f'"{c}"' for c in columns]
            database.execute(
                "WITH RECURSIVE k(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM k"
                f" WHERE n < {self.COUNT - 1})"
                f" INSERT INTO calls ({', '.join(columns)})"
                f" SELECT {', '.join(values)} FROM calls, k")
        database.close()

    def timed(self, *words):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.monotonic()
        done = self.mica("calls", "--json", *words)
        used = time.monotonic() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"mica calls {' '.join(words)}: {used:.2f} s, "
              f"{after.ru_maxrss / 1024:.0f} MiB at most so far "
              f"({after.ru_utime - before.ru_utime:.2f} s of work)")
        self.assertLess(used, cli.OPTIONS.patience)
        return done

    def test_a_hundred_thousand_calls_are_listed_page_by_page(self):
        self.project("one")
        self.serve_once()
        self.fill()
        self.assertEqual(json.loads(self.timed("--count").stdout),
                         {"open": self.COUNT, "ended": 0})
        page = json.loads(self.timed("--limit", "50").stdout)
        self.assertEqual(len(page), 50)
        again = json.loads(self.timed("--limit", "30", "--after",
                                      page[19]["cursor"]).stdout)
        self.assertEqual(again, page[20:])
        deep = json.loads(self.timed("--limit", "1", "--newer", "1d").stdout)
        self.assertEqual(deep, page[:1])
        for words, count in ((("--tool", "ask"), self.COUNT),
                             (("--tool", "nothing"), 0),
                             (("--state", "working"), 156),
                             (("--state", "working", "--tool", "ask",
                               "--principal", "alice"), 156),
                             (("--principal", "alice"), 313),
                             (("--older", "1d"), 0), (("--state", "failed"), 0)):
            counted = json.loads(self.timed("--count", *words).stdout)
            self.assertEqual(counted["open"] + counted["ended"], count, words)
            listed = json.loads(self.timed("--limit", "20", *words).stdout)
            self.assertEqual(len(listed), min(20, count), words)
        everything = json.loads(self.timed().stdout)
        self.assertEqual(len({c["id"] for c in everything}), self.COUNT)
        self.assertEqual([c["cursor"] for c in everything[:50]],
                         [c["cursor"] for c in page])
        # A bound on memory, whatever there is: 157,000 of them are 100 MiB of JSON.
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss,
                        1 << 20)

    def change(self, statement):
        """Runs SQL on the store of the project."""
        database = sqlite3.connect(os.path.join(
            self.state, "mica/projects", self.identity(), "mica.db"))
        with database:
            database.execute(statement)
        database.close()

    def test_a_list_of_open_and_ended_calls_goes_on_where_it_was(self):
        self.project("one")
        self.serve()
        states = [self.ask() for _ in range(5)]
        for state in states[1::2]:
            self.answer(state)
        self.stop()
        everything = self.calls("--all")
        ids = [c["id"] for c in everything]
        self.assertEqual([c["state"] for c in everything],
                         ["waiting"] * 3 + ["completed"] * 2)
        for at, call in enumerate(everything):
            rest = self.calls("--all", "--after", call["cursor"])
            self.assertEqual([c["id"] for c in rest], ids[at + 1:])
        self.assertEqual(
            self.calls("--state", "completed", "--after", everything[3]["cursor"]),
            everything[4:])
        self.complaint("USAGE", "calls", "--after", everything[3]["cursor"], exit=2)
        # However many fit a page, each page says where the next one begins.
        for limit in range(1, 6):
            found, after = [], []
            while after is not None:
                done = self.mica("calls", "--all", "--json", "--limit", str(limit),
                                 *after)
                found += [c["id"] for c in json.loads(done.stdout)]
                self.assertLessEqual(len(found), len(ids))
                after = (["--after", done.stderr.split("--after ")[1].strip()]
                         if "--after " in done.stderr else None)
            self.assertEqual(found, ids, limit)
        # What began before --newer is not listed, wherever the list begins.
        self.change("UPDATE calls SET created = created - 172800000"
                    f" WHERE id IN ('{ids[0]}', '{ids[1]}')")
        old = self.calls()[0]
        self.assertEqual([c["id"] for c in self.calls(
            "--newer", "1d", "--after", old["cursor"])], ids[2:3])

    def test_what_a_store_says_is_no_line_of_its_own_and_no_command(self):
        self.project("one")
        self.serve_once()
        evil = "\x1b[2J\u202e\nforged"
        self.change("UPDATE calls SET target = target || '" + evil + "'")
        self.change("UPDATE calls SET note = '" + evil + "'")
        call = self.calls()[0]  # JSON says it as it is
        self.assertEqual(call["tool"], "ask" + evil)
        shown = r"\x1b[2J\u202e\x0aforged"
        for words in ((), ("show", call["id"])):
            text = self.on_terminal("calls", *words)
            self.assertIn("ask" + shown, text)
            for sign in ("\x1b", "\u202e", "\nforged"):
                self.assertNotIn(sign, text)
        self.assertIn("  says     " + shown + "\n", text)  # of the last

    def on_terminal(self, *words):
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [cli.OPTIONS.mica, *words], stdout=slave, stderr=slave, stdin=slave,
            cwd=self.folder, env={**self.environment(), "NO_COLOR": "1"})
        os.close(slave)
        text = terminal.read_to_end(master)
        self.assertEqual(process.wait(60), 0, text)
        return text.decode().replace("\r\n", "\n")

    def test_expire_says_what_it_has_done(self):
        self.project("one")
        self.serve()
        self.answer(self.ask())
        self.ask()
        self.stop()
        waits, ended = self.calls("--all")
        self.assertEqual(self.json("calls", "expire", ended["id"]),
                         {"id": ended["id"], "expired": True, "deleted": True})
        self.assertEqual(self.json("calls", "expire", waits["id"]),
                         {"id": waits["id"], "expired": True, "deleted": False})
        self.assertEqual([c["id"] for c in self.calls("--all")], [waits["id"]])

    def test_a_part_of_a_file_that_was_left_does_not_stand_in_the_way(self):
        self.project("one")
        os.mkdir(self.path(".mica"))
        # As in a container, the process has the number of the one that was killed.
        self.serve(by=["sh", "-c", ': > .mica/project.$$; exec "$@"', "sh"])
        self.stop()
        self.assertEqual(len(self.identity()), 32)

    def test_wrong_filters_are_named(self):
        self.project("one")
        self.serve_once()
        for words in (("--state", "asleep"), ("--older", "2"), ("--newer", "x1d"),
                      ("--limit", "1001"), ("--after", "nonsense"),
                      ("--after", "9" * 500), ("--older", "")):
            self.complaint("USAGE", "calls", *words, exit=2)
        for words in ((), ("--all",)):
            for after in ("nonsense", "ended.nonsense"):
                done = self.mica("calls", *words, "--after", after, exit=2)
                self.assertEqual(done.stdout, "", "before it failed")


if __name__ == "__main__":
    alone.run("source")

# SPDX-License-Identifier: Apache-2.0
"""Conversations with book_flight in a shell: at a terminal, with answers from a
file, with a command that speaks for the model; and mica calls, which looks at those
that a server keeps.

    python3 converse.py --mica build/mica --source .

The tool is built once, into a folder of the test. Nothing but Python's own library.
"""

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.request

import alone
import cli
import terminal

CALL = ["call", "book_flight", "destination=Lisbon", "date=2026-12-01"]
PICK = {"action": "accept", "content": {"flightId": "MC160"}}
YES = {"action": "accept", "content": {"confirmed": True}}
# The prompt for a flight, below the choices and below each mistake.
PICKS = "EUR\r\n  flightId: "
NO_CHOICE = "number of a choice\r\n  flightId: "
NEEDED = "is needed\r\n  flightId: "


class Case(unittest.TestCase):
    """A project with book_flight, and a new state folder for each test."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="mica-converse-")
        os.chmod(cls.folder, 0o755)
        os.makedirs(os.path.join(cls.folder, "tools"))
        source = os.path.join(cli.OPTIONS.source, "tools")
        shutil.copytree(os.path.join(source, "lib"),
                        os.path.join(cls.folder, "tools", "lib"))
        shutil.copy(os.path.join(source, "book_flight.c"),
                    os.path.join(cls.folder, "tools"))
        cls.keys = os.path.join(cls.folder, "state")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def environment(self):
        return {**os.environ, "XDG_STATE_HOME": self.keys, "NO_COLOR": "1",
                "MICA_INCLUDE_DIR": os.path.join(cli.OPTIONS.source, "include")}

    def path(self, name):
        return os.path.join(self.folder, name)

    def mica(self, *words, stdin="", exit=0):
        done = subprocess.run([cli.OPTIONS.mica, *words], cwd=self.folder, text=True,
                              capture_output=True, timeout=300,
                              input=stdin, env=self.environment())
        self.assertEqual(done.returncode, exit,
                         f"mica {words}: {done.stdout}{done.stderr}")
        return done

    def answers(self, value):
        with open(self.path("answers.json"), "w", encoding="utf-8") as file:
            json.dump(value, file)
        return ["--answers", "answers.json"]


class Talking(Case):
    CALL = CALL

    def talk(self, script, words=(), exit=0):
        """Types each answer behind its prompt; all that was shown.

        What the terminal shows comes in pieces, so a prompt must be a text that
        stands nowhere before it: the label of a field begins as its prompt does.
        """
        process, screen = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            os.execve(cli.OPTIONS.mica, [cli.OPTIONS.mica, *self.CALL, *words],
                      self.environment())
        shown, rest = "", ""
        for prompt, line in script:
            deadline = time.monotonic() + cli.OPTIONS.patience
            while prompt not in rest:
                left = deadline - time.monotonic()
                self.assertGreater(left, 0, f"no {prompt!r} in: {shown}{rest}")
                if select.select([screen], [], [], left)[0]:
                    rest += os.read(screen, 65536).decode()
            before, rest = rest.split(prompt, 1)
            shown += before + prompt
            os.write(screen, line.encode())
        while True:
            try:
                piece = os.read(screen, 65536)
            except OSError:
                break
            if not piece:
                break
            rest += piece.decode()
        os.close(screen)
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        shown = (shown + rest).replace("\r\n", "\n")
        self.assertEqual(status, exit, shown)
        return shown


class Terminal(Talking):
    def test_a_person_fills_forms_in_and_speaks_for_the_model(self):
        shown = self.talk([(PICKS, "2\n"), ("[none]: ", "\n"),
                           ("> ", "It flies.\n.\n"), ("(y/n): ", "y\n")])
        self.assertIn("Found 3 flights to Lisbon. Pick one:", shown)
        self.assertIn("flightId: The flight to take.\n     1  MC323,", shown)
        self.assertIn("user: Summarize in one sentence: flight MC160", shown)
        self.assertIn("It flies.\n\nConfirm this booking?", shown)
        self.assertIn("info: Found 3 flights\n", shown)
        self.assertRegex(shown, r"Booked flight B\d{6}\n$")

    def test_what_does_not_fit_is_asked_for_again(self):
        shown = self.talk([(PICKS, "4\n"), (NO_CHOICE, "\n"),
                           (NEEDED, "MC253\n"), ("[none]: ", "aisle\n"),
                           ("> ", "It flies.\n.\n"), ("(y/n): ", "perhaps\n"),
                           ("(y/n): ", "n\n")])
        self.assertIn('"4" is not the number of a choice', shown)
        self.assertIn("this one is needed", shown)
        self.assertIn('"perhaps" is not y or n', shown)
        self.assertIn("flight MC253 to Lisbon, seat: aisle", shown)
        self.assertTrue(shown.endswith("Booking cancelled: not_confirmed\n"))

    def test_a_person_declines_closes_or_cancels(self):
        shown = self.talk([(PICKS, "/decline\n")])
        self.assertTrue(shown.endswith("Booking cancelled: user_declined\n"))
        shown = self.talk([(PICKS, "/cancel\n")])
        self.assertTrue(shown.endswith("Booking cancelled: user_dismissed\n"))
        shown = self.talk([(PICKS, "\x04")])
        self.assertTrue(shown.endswith("Booking cancelled: user_dismissed\n"))
        shown = self.talk([(PICKS, "\x03")], exit=6)
        self.assertIn("mica: CANCELLED:", shown)
        shown = self.talk([(PICKS, "1\n"), ("[none]: ", "1\n"),
                           ("> ", "/decline\n")], exit=8)
        self.assertIn("mica: CLIENT_ERROR:", shown)

    def test_no_sequence_of_a_tool_or_model_reaches_the_terminal(self):
        words = "\x1b[2J\x1b]52;c;eA==\x07\x9b1A\x7f\rFree\tof\ncharge."
        with open(self.path("words"), "w", encoding="utf-8", newline="") as file:
            file.write(words)
        pick = [(PICKS, "2\n"), ("[none]: ", "\n")]
        shown = self.talk([*pick, ("(y/n): ", "n\n")],
                          ["--sampler", "cat words"])
        self.assertIn("\\x1b[2J\\x1b]52;c;eA==\\x07\\x9b1A\\x7f\\x0dFree\tof\n"
                      "charge.\n\nConfirm this booking?", shown)
        self.assertNotRegex(shown, "[\x00-\x08\x0b-\x1f\x7f-\x9f]")
        with open(self.path("words"), "w", encoding="utf-8") as file:
            file.write("z" * 100000)
        shown = self.talk([*pick, ("(y/n): ", "\x03")], exit=6,
                          words=["--sampler", "cat words"])
        self.assertIn("z" * 100000, shown)

    def test_who_gives_a_file_of_answers_is_not_asked_for_more(self):
        shown = self.talk([], exit=3, words=self.answers(
            {"selection": PICK, "sumary": "Words.", "confirmation": YES}))
        self.assertIn('mica: ANSWERS_MISFIT: answers.json has no answer to '
                      '"summary"; did you mean "summary" by "sumary"?', shown)
        self.assertNotIn("The tool asks a model", shown)
        shown = self.talk([], exit=3, words=self.answers(
            {"selection": {"action": "accept", "content": {"flightId": "X"}}}))
        self.assertIn("mica: ANSWERS_MISFIT: ", shown)
        self.assertNotIn("Pick one:\n(", shown)


PLAN = """\
// A form of which only the handler knows all.
#include <mica/tool.h>

struct input { struct mica_text name; };
MICA_RECORD(input, MICA_TEXT(name, "Who it is for."));

struct visit { struct mica_date day; int64_t guests; struct mica_text mail; };
MICA_RECORD(visit, MICA_DATE(day, "The day of the visit."),
            MICA_INTEGER(guests, "How many come.", .minimum = 1, .maximum = 5),
            MICA_TEXT(mail, "Where to write to.", .format = MICA_EMAIL));

struct output { struct mica_text said; };
MICA_RECORD(output, MICA_TEXT(said, "What was planned."));

static enum mica_status
run(struct mica_call *call, const struct input *in, struct output *out)
{
    struct visit visit;
    const char *fault = "";

    do {
        MICA_TRY(mica_elicit(call, MICA_FORM(visit, &visit, .key = "visit"),
                             "%sWhen comes %.*s?", fault, MICA_ARG(in->name)));
        fault = "That day is over. ";
    } while (visit.day.year < 2026);
    out->said = mica_format(call, "%lld on day %d, %.*s", (long long)visit.guests,
                            visit.day.day, MICA_ARG(visit.mail));
    return MICA_OK;
}

MICA_TOOL(plan, input, output, run, .title = "Plan",
          .description = "Plan a visit.", .requires = MICA_ELICITATION);
"""


class Forms(Talking):
    """What a form in a terminal checks by itself, and what it keeps when its tool asks
    it again."""

    CALL = ["call", "plan", "name=Ada"]

    def setUp(self):
        super().setUp()
        with open(self.path("tools/plan.c"), "w", encoding="utf-8") as file:
            file.write(PLAN)

    def test_each_field_is_checked_as_it_is_given_and_its_format_is_shown(self):
        shown = self.talk([("  day (YYYY-MM-DD): ", "tomorrow\n"),
                           ("  day (YYYY-MM-DD): ", "2026-02-30\n"),
                           ("  day (YYYY-MM-DD): ", "2026-02-28\n"),
                           ("  guests: ", "6\n"), ("  guests: ", "2\n"),
                           ("  mail (name@example.org): ", "ada\n"),
                           ("  mail (name@example.org): ", "ada@example.org\n")])
        self.assertEqual(shown.count("write it as YYYY-MM-DD"), 1, shown)
        self.assertIn('"tomorrow"; write it as YYYY-MM-DD', shown)
        self.assertRegex(shown, r'must be a date of the calendar[^;\n]*"2026-02-30"\r?\n')
        self.assertEqual(shown.count("write it as name@example.org"), 1, shown)
        self.assertEqual(shown.count("When comes Ada?"), 1, shown)
        self.assertIn("2 on day 28, ada@example.org", shown)

    def test_without_anybody_to_ask_it_says_so_also_when_requires_does_not(self):
        with open(self.path("tools/plan.c"), "w", encoding="utf-8") as file:
            file.write(PLAN.replace(", .requires = MICA_ELICITATION", ""))
        done = self.mica(*self.CALL, exit=3)
        self.assertEqual(done.stderr.splitlines()[-1],
                         "mica: CAPABILITY_MISSING: plan asks its caller, and no person can "
                         "be asked here; call it in a terminal, or with --answers FILE")
        done = self.mica("call", "plan", "--lines", stdin='{"name": "Ada"}\n', exit=3)
        self.assertIn("--answers FILE", json.loads(done.stdout)["error"]["message"])

    def test_a_form_that_is_asked_again_keeps_what_was_right(self):
        shown = self.talk([("  day (YYYY-MM-DD): ", "2025-12-01\n"),
                           ("  guests: ", "3\n"),
                           ("  mail (name@example.org): ", "ada@example.org\n"),
                           ("  day (YYYY-MM-DD) [2025-12-01]: ", "2026-12-02\n"),
                           ("  guests [3]: ", "\n"),
                           ("  mail (name@example.org) [ada@example.org]: ", "\n")])
        self.assertIn("That day is over. When comes Ada?", shown)
        self.assertIn("Enter keeps what you gave the last time", shown)
        self.assertIn("3 on day 2, ada@example.org", shown)


class Script(Case):
    def content(self, *words):
        done = self.mica(*CALL, "--json", *words)
        self.assertIn("info: Found 3 flights\n", done.stderr)
        return json.loads(done.stdout)["content"]

    def test_answers_come_in_order_or_by_key(self):
        in_order = self.answers([PICK, "Words.", YES])
        self.assertRegex(self.content(*in_order)[0], r"^Booked flight B\d{6}$")
        by_key = self.answers({"confirmation": {"action": "decline"},
                               "summary": {"role": "assistant", "content": {
                                   "type": "text", "text": "Words."},
                                   "model": "m"},
                               "selection": PICK})
        self.assertEqual(self.content(*by_key),
                         ["Booking cancelled: not_confirmed"])

    def test_a_command_speaks_for_the_model(self):
        words = self.content(*self.answers({"selection": PICK,
                                            "confirmation": YES}),
                             "--sampler", "cat > params; echo Words.")
        self.assertIn("Booked flight", words[0])
        with open(self.path("params"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["maxTokens"], 100)
        done = self.mica(*CALL, *self.answers([PICK]), "--sampler", "exit 3",
                         exit=8)
        self.assertIn("ended with status 3", done.stderr)

    def test_a_command_that_writes_to_nobody_is_ended_as_in_a_shell(self):
        done = self.mica(*CALL, *self.answers({"selection": PICK,
                                               "confirmation": YES}),
                         "--sampler", "yes | head -n 1")
        self.assertNotIn("roken pipe", done.stderr)

    def cancelled(self, command):
        """Sends SIGINT to mica, not to the command, once that has begun."""
        process = subprocess.Popen(
            [cli.OPTIONS.mica, *CALL, *self.answers([PICK]), "--sampler",
             "echo $$ > began; " + command], cwd=self.folder, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, env=self.environment())
        began, number = self.path("began"), ""
        deadline = time.monotonic() + cli.OPTIONS.patience
        while not number.endswith("\n") and time.monotonic() < deadline:
            time.sleep(0.02)
            if os.path.exists(began):
                with open(began, encoding="utf-8") as file:
                    number = file.read()
        os.remove(began)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=cli.OPTIONS.patience)[1]
        self.assertEqual(process.returncode, 6, said)
        self.assertIn("mica: CANCELLED:", said)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(number), 0)

    def test_ctrl_c_ends_the_command_and_the_call(self):
        self.cancelled("exec sleep 600")
        self.cancelled("exec sleep 600 >&-")
        self.cancelled("trap '' TERM; while :; do sleep 0.1; done 2>&-")

    def test_without_anybody_to_ask_it_says_so(self):
        done = self.mica(*CALL, exit=3)
        self.assertEqual(done.stdout, "")
        self.assertIn("mica: CAPABILITY_MISSING: book_flight", done.stderr)
        self.assertIn("--answers", done.stderr)

    def misfit(self, answers, *said, printed=r"^$"):
        """What is said of a file that does not fit."""
        done = self.mica(*CALL, *self.answers(answers), exit=3)
        self.assertRegex(done.stdout, printed)
        found = re.search(r"(?ms)^mica: ANSWERS_MISFIT: (.*)\Z", done.stderr)
        self.assertIsNotNone(found, done.stderr)
        for words in said:
            self.assertIn(words, found.group(1))

    def test_an_answer_that_is_missing_is_named(self):
        self.misfit([PICK], 'no answer to "summary"', "sampling/createMessage",
                    "the words of a model", "1 answer")
        self.misfit([PICK, "Words."], 'no answer to "confirmation"',
                    "elicitation/create", "Confirm this booking?",
                    '{"action": "accept", "content": {"confirmed": boolean}}',
                    "2 answers")
        self.misfit({"selection": PICK, "other": "Words."},
                    'no answer to "summary"', 'answers to "selection", "other"')
        self.misfit({}, 'no answer to "selection"', "the file is empty",
                    '"flightId": MC323 | MC160 | MC253')

    def test_an_answer_that_does_not_fit_is_named(self):
        self.misfit([PICK, 7], 'the answer to "summary"', "number", "at /1")
        self.misfit([PICK, {"role": "assistant"}], 'the answer to "summary"',
                    "at /1")
        self.misfit([7], 'the answer to "selection"', "number",
                    '"action": "accept"', "has 7", "at /0")
        self.misfit({"selection": {"flightId": "MC160"}},
                    'the answer to "selection"', '"action"',
                    'has {"flightId": "MC160"}', "at /selection")
        self.misfit({"selection": {"action": "agree"}}, '"agree"',
                    "at /selection/action")
        self.misfit([{"action": "accept"}], '"flightId"', "at /0/content")
        self.misfit([{"action": "accept", "content": {"flightId": "MC1"}}],
                    "MC160", 'has {"action": "accept"', "at /0/content/flightId")
        self.misfit([{"action": "accept", "content": {
            "flightId": "MC160", "seatPreferenc": "aisle"}}],
            'did you mean "seatPreference"?', "at /0/content/seatPreferenc")

    def test_an_answer_that_nobody_wanted_is_named(self):
        booked = r"Booked flight"
        self.misfit([PICK, "Words.", YES, YES], "4 answers", "asked for 3",
                    "at /3", printed=booked)
        self.misfit({"selection": PICK, "summary": "Words.", "more": YES,
                     "confirmation": YES, "again": YES},
                    '"more", "again"', "at /more", printed=booked)
        # A call that fails says why it does.
        done = self.mica("call", "book_flight", "destination=", "date=x",
                         *self.answers([PICK]), exit=3)
        self.assertNotIn("ANSWERS_MISFIT", done.stderr)

    def test_lines_are_called_without_a_conversation(self):
        done = self.mica("call", "book_flight", "--lines",
                         *self.answers([PICK]), exit=2)
        self.assertIn("--answers", done.stderr)

    def test_files_and_folders_that_are_not_there_are_named(self):
        with open(self.path("answers.json"), "w", encoding="utf-8") as file:
            file.write("[1,")
        self.assertIn("answers.json", self.mica(*CALL, "--answers",
                                                "answers.json", exit=3).stderr)
        self.mica(*CALL, "--answers", "none.json", exit=8)
        self.mica(*CALL, "--root", "none", exit=4)


class Calls(Case):
    def setUp(self):
        self.store = f"sqlite:{self.path(self.id())}"
        self.log = open(self.path("log"), "w", encoding="utf-8")
        self.process = subprocess.Popen(
            [cli.OPTIONS.mica, "serve", "--drain=0", "--listen", "127.0.0.1:0", "--store",
             self.store, "--quiet"], cwd=self.folder, text=True,
            stdout=subprocess.PIPE, stderr=self.log, env=self.environment())
        self.url = self.process.stdout.readline().strip()

    def tearDown(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.process.stdout.close()
        self.log.close()

    def begin(self, destination="Lisbon"):
        capabilities = {"elicitation": {"form": {}}, "sampling": {}}
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": capabilities}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "book_flight", "_meta": meta, "arguments": {
                "destination": destination, "date": "2026-12-01"}}}
        sent = urllib.request.Request(
            self.url, json.dumps(body, ensure_ascii=False).encode(),
            {"Content-Type": "application/json", "Mcp-Method": "tools/call",
             "Accept": "application/json, text/event-stream",
             "MCP-Protocol-Version": "2026-07-28", "Mcp-Name": "book_flight"})
        with urllib.request.urlopen(sent, timeout=60) as reply:
            self.assertEqual(json.load(reply)["result"]["resultType"],
                             "input_required")

    def json(self, *words):
        return json.loads(self.mica("calls", *words, "--json", "--store",
                                    self.store).stdout)

    def test_calls_that_wait_are_listed_shown_and_expired(self):
        self.begin()
        self.begin()
        calls = self.json()
        self.assertEqual([c["tool"] for c in calls], ["book_flight"] * 2)
        self.assertEqual([c["state"] for c in calls], ["waiting"] * 2)
        self.assertEqual(list(calls[0]["asks"]), ["selection"])
        shown = self.json("show", calls[0]["id"])
        self.assertEqual(shown["arguments"]["destination"], "Lisbon")
        # What it keeps is a step in its phase.
        self.assertEqual([e["kind"] for e in shown["journal"]][:4],
                         ["child", "step", "phase", "ask"])
        self.mica("calls", "expire", calls[0]["id"], "--store", self.store)
        deadline = time.monotonic() + cli.OPTIONS.patience
        while len(self.json()) > 1 and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual([c["id"] for c in self.json()], [calls[1]["id"]])

    def test_what_is_wrong_is_said(self):
        self.begin()
        done = self.mica("calls", "show", "unknown", "--store", self.store,
                         exit=4)
        self.assertIn("mica: NOT_FOUND:", done.stderr)
        self.mica("calls", "show", "--store", self.store, exit=2)
        self.mica("calls", "forget", "x", "--store", self.store, exit=2)
        self.mica("calls", "--store", f"sqlite:{self.path('none.db')}", exit=4)

    def read(self, *words):
        """What a person sees of it."""
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [cli.OPTIONS.mica, "calls", *words, "--store", self.store],
            cwd=self.folder, stdin=slave, stdout=slave, stderr=slave,
            env=self.environment())
        os.close(slave)
        text = terminal.read_to_end(master).decode()
        self.assertEqual(process.wait(60), 0)
        return text

    def test_an_empty_list_says_what_was_looked_for(self):
        self.begin()
        none = "No call matches.\r\n"
        self.assertEqual(self.read("--state", "completed"), none)
        self.assertEqual(self.read("--tool", "unknown"), none)
        self.assertEqual(self.read("--older", "1d"), none)
        self.mica("calls", "expire", self.json()[0]["id"], "--store", self.store)
        deadline = time.monotonic() + cli.OPTIONS.patience
        while self.json() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(self.read(), "No call waits.\r\n")

    def test_a_person_reads_a_journal(self):
        self.begin()
        number = self.json()[0]["id"]
        text = self.read("show", number)
        self.assertIn(f"{number}\r\n  tool     book_flight\r\n", text)
        self.assertTrue(re.search(r"(?m)^ +3  ask +selection", text), text)

    def test_no_sequence_of_a_client_reaches_the_terminal(self):
        self.begin("Lis\x7f\x9b2Jbon")
        number = self.json()[0]["id"]
        self.assertIn("Lis\\x7f\\x9b2Jbon", self.read("show", number))
        shown = self.read("show", number, "--json")
        self.assertIn("Lis\\u007f\\u009b2Jbon", shown)
        self.assertEqual(json.loads(shown)["arguments"]["destination"],
                         "Lis\x7f\x9b2Jbon")


class Tests(Case):
    def test_a_new_tool_passes_its_tests_until_it_changes(self):
        self.mica("new", "--interactive", "greet")
        self.assertEqual(json.loads(self.mica("check", "greet", "--json").stdout)[0]["ok"],
                         True)
        done = self.mica("test", "--tap", "greet")
        self.assertRegex(done.stdout, r"(?s)^# greet\nok 1 - .*\n1\.\.3\n$")
        source = self.path("tools/greet.c")
        with open(source, encoding="utf-8") as file:
            text = file.read()
        with open(source, "w", encoding="utf-8") as file:
            file.write(text.replace("Take it easy", "Carry on"))
        done = self.mica("test", "--tap", "greet", exit=3)
        self.assertIn("not ok 1 - ", done.stdout)
        self.assertRegex(done.stderr, r"(?m)^tests/tools/greet\.c:\d+: .*Carry on, Ada")
        self.assertIn("mica: FAILED: tests of greet", done.stderr)
        report = json.loads(self.mica("check", "greet", "--json", exit=3).stdout)[0]
        self.assertEqual([f["code"] for f in report["findings"]],
                         ["TESTS_FAILED"])
        self.assertIn("Carry on, Ada", report["findings"][0]["message"])
        with open(source, "a", encoding="utf-8") as file:
            file.write("int broken(")
        self.assertIn("mica: BUILD_FAILED:",
                      self.mica("test", "greet", exit=3).stderr)

    def test_a_test_that_crashes_is_named(self):
        self.mica("new", "--interactive", "crashes")
        source = self.path("tools/crashes.c")
        with open(source, encoding="utf-8") as file:
            good = file.read()
        name = "a_tired_person_is_told_to_take_it_easy"
        for fault, number in (("*(volatile int *)0 = 1;", signal.SIGSEGV),
                              ("abort();", signal.SIGABRT)):
            with open(source, "w", encoding="utf-8") as file:
                file.write("#include <stdlib.h>\n" + good.replace(
                    "    struct day day = {.mood = HAPPY};",
                    "    struct day day = {.mood = HAPPY};\n    " + fault))
            done = self.mica("test", "--tap", "crashes", exit=-number)
            self.assertIn(f"not ok 1 - {name}\nBail out!", done.stdout)
            self.assertIn(f"the test {name} has crashed", done.stderr)
            done = self.mica("test", "--json", "crashes", exit=-number)
            self.assertEqual(done.stdout, "")
            self.assertIn(f"the test {name} has crashed", done.stderr)
            report = json.loads(self.mica("check", "crashes", "--json", exit=3).stdout)[0]
            self.assertIn(f"the test {name} has crashed",
                          report["findings"][0]["message"])
        for path in (source, self.path("tests/tools/crashes.c")):
            os.remove(path)

    def test_a_tool_without_tests_is_named(self):
        done = self.mica("test", "book_flight", exit=4)
        self.assertIn("tests/tools/book_flight.c", done.stderr)


if __name__ == "__main__":
    alone.run("source")

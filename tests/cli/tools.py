# SPDX-License-Identifier: Apache-2.0
"""Interactive tools as their author meets them: a file in tools/ is built, loaded
and called, and what is not the author's own is refused.

    python3 tools.py --mica build/mica --source .

Every test works in a folder of its own, with a state folder of its own. Nothing
but Python's own library.
"""

import json
import os
import pty
import re
import shutil
import subprocess
import time

import alone
import cli
import terminal
from tool_folder import Case, tool

# Tools that are invoked, and one that invokes them.
PART = """\
#include <mica/tool.h>

struct part { struct mica_text said; };
MICA_RECORD(part, MICA_TEXT(said, "What it says."));

static enum mica_status
run(struct mica_call *call, const struct mica_nothing *in, struct part *out)
{
    (void)in;
    out->said = mica_text("%s");
    return %s;
}

MICA_TOOL(%s, mica_nothing, part, run,
          .title = "Part", .description = "Says a word, and which one it is.");
"""

WHOLE = """\
#include <mica/tool.h>

struct part { struct mica_text said; };
MICA_RECORD(part, MICA_TEXT(said, "What it says."));
struct whole { struct mica_text all, first; };
MICA_RECORD(whole, MICA_TEXT(all, "What all say."),
            MICA_TEXT(first, "What the first says."));

static enum mica_status
run(struct mica_call *call, const struct mica_nothing *in, struct whole *out)
{
    struct part parts[4];
    struct mica_invocation some[] = {
        {.tool = "one", .into = MICA_INTO(part, &parts[0])},
        {.tool = "two", .into = MICA_INTO(part, &parts[1])}};
    struct mica_invocation race[] = {
        {.tool = "fails", .into = MICA_INTO(part, &parts[2])},
        {.tool = "two", .into = MICA_INTO(part, &parts[3])}};
    size_t winner;

    (void)in;
    MICA_TRY(mica_invoke_all(call, some, MICA_COUNT(some)));
    MICA_TRY(mica_invoke_first(call, race, MICA_COUNT(race), &winner));
    out->all = mica_format(call, "%.*s %.*s", MICA_ARG(parts[0].said),
                           MICA_ARG(parts[1].said));
    out->first = parts[2 + winner].said;
    return MICA_OK;
}

MICA_TOOL(whole, mica_nothing, whole, run,
          .title = "Whole", .description = "Says what its parts say, and who is first.");
"""

# Invokes the engine of `mica new area`, and then asks.
PLOT = """\
#include <mica/tool.h>

struct sides { double length, width; };
MICA_RECORD(sides, MICA_NUMBER(length, "In metres."), MICA_NUMBER(width, "In metres."));
struct found { double area; struct mica_text unit; };
MICA_RECORD(found, MICA_NUMBER(area, "Its area."), MICA_TEXT(unit, "Of that."));
struct sure { bool sure; };
MICA_RECORD(sure, MICA_BOOLEAN(sure, "Shall it be bought?"));

static enum mica_status
run(struct mica_call *call, const struct sides *in, struct found *out)
{
    struct sure sure;

    MICA_TRY(mica_invoke(call, "area", MICA_FROM(sides, in), MICA_INTO(found, out)));
    return mica_elicit(call, MICA_FORM(sure, &sure), "Buy it?");
}

MICA_TOOL(plot, sides, found, run, .title = "Plot",
          .description = "Buys a plot of land, whose area an engine calculates.");
"""


class Newcomer(Case):
    def test_new_build_and_call_are_all_it_takes(self):
        self.assertEqual(self.json("new", "--interactive", "greet")["files"],
                         ["tools/greet.c", "tests/tools/greet.c"])
        # An engine of that name could not be served beside it.
        self.assertIn("tools/greet.c", self.mica("new", "greet", exit=7).stderr)
        self.assertEqual([(one["source"], one["state"])
                          for one in self.json("build")],
                         [("tools/greet.c", "built")])
        self.assertEqual(self.json("call", "greet", "--json", '{"name":"Ada"}'),
                         {"greeting": "Good morning, Ada!", "asked": False})
        self.assertEqual(self.json("build")[0]["state"], "current")
        report = self.json("check")[0]
        self.assertEqual((report["ok"], report["findings"]), (True, []))

    def test_nothing_is_written_beside_a_test_that_is_there(self):
        self.write("tests/tools/greet.c", "mine")
        self.assertIn("tests/tools/greet.c", self.complaint(
            "ALREADY_EXISTS", "new", "--interactive", "greet", exit=7))
        self.assertFalse(os.path.exists(self.path("tools/greet.c")))

    def test_a_name_that_c_does_not_take_is_refused(self):
        self.assertIn('like "greet_person"', self.complaint(
            "USAGE", "new", "--interactive", "greet-person", exit=2))
        self.mica("new", "--interactive", "greet")
        self.complaint("ALREADY_EXISTS", "new", "--interactive", "greet", exit=7)

    def test_engines_and_tools_lie_side_by_side(self):
        self.write("tools/greet.c", tool())
        self.mica("new", "area")
        names = [t["name"] for t in self.json("list")]
        self.assertEqual(names, ["area", "greet"])
        self.assertIn("did you mean", self.complaint("NOT_FOUND", "call", "gret",
                                                     exit=4))


class Build(Case):
    def test_a_change_is_built_before_a_call(self):
        self.write("tools/greet.c", tool())
        self.assertEqual(self.words("Ada"), ["Hello, Ada"])
        self.write("tools/greet.c", tool(word="Salut"))
        self.assertEqual(self.words("Ada"), ["Salut, Ada"])
        self.assertEqual(len(self.versions("greet")), 2)

    def test_the_same_source_gives_the_same_bytes(self):
        self.write("tools/greet.c", tool())
        self.mica("build")
        first = self.versions("greet")
        os.rename(self.path("tools"), self.path("elsewhere"))
        os.rename(self.path("elsewhere"), self.path("tools"))
        self.mica("build", "--force")
        self.mica("build", "--force", self.path("tools/greet.c"))
        self.assertEqual(self.versions("greet"), first)

    def test_the_manifest_says_what_is_served(self):
        self.write("tools/greet.c", tool())
        self.mica("build")
        with open(self.path("build/tools/greet.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        self.assertEqual(manifest["name"], "greet")
        self.assertEqual(manifest["title"], "Greeter")
        self.assertEqual(manifest["calls"], "carried")
        self.assertEqual(self.versions("greet"),
                         [f"greet-{manifest['sha256']}.so"])
        self.assertEqual(self.json("describe", "greet")["inputSchema"],
                         manifest["inputSchema"])

    def test_code_in_lib_is_shared_and_a_change_of_it_counts(self):
        self.write("tools/lib/words.h", "const char *word(void);\n")
        self.write("tools/lib/words.c",
                   '#include "words.h"\n'
                   'const char *word(void) { return "Hello"; }\n')
        for name in ("one", "two"):
            text = tool(name).replace("#include <mica/tool.h>",
                                      '#include <mica/tool.h>\n'
                                      '#include "lib/words.h"')
            text = text.replace('"Hello, %.*s"', '"%s, %.*s", word()')
            self.write(f"tools/{name}.c", text)
        self.assertEqual(self.words("Ada", "one"), ["Hello, Ada"])
        self.assertEqual(self.words("Ada", "two"), ["Hello, Ada"])
        self.write("tools/lib/words.c",
                   '#include "words.h"\n'
                   'const char *word(void) { return "Ciao"; }\n')
        self.assertEqual(self.words("Ada", "two"), ["Ciao, Ada"])
        self.assertEqual(self.words("Ada", "one"), ["Ciao, Ada"])
        kept = os.listdir(self.path("build/tools/.lib"))  # an archive and its seal
        self.assertEqual(len([name for name in kept if name.endswith(".a")]), 1, kept)

    def test_a_library_is_named_at_the_top(self):
        text = tool().replace("#include <mica/tool.h>",
                              "#include <mica/tool.h>\n#include <sqlite3.h>")
        text = text.replace('"Hello, %.*s"',
                            '"%d, %.*s", sqlite3_libversion_number() > 0')
        self.write("tools/greet.c", "// mica: libraries sqlite3\n" + text)
        self.assertEqual(self.words("Ada"), ["1, Ada"])
        self.write("tools/greet.c", "// mica: libraries -fplugin=evil\n" + text)
        self.assertIn("no name of a library",
                      self.complaint("BUILD_FAILED", "build", exit=3))
        self.write("tools/greet.c", "// mica: libraries nosuchlibrary\n" + text)
        self.assertIn("nosuchlibrary",
                      self.complaint("BUILD_FAILED", "build", exit=3))

    def test_a_mistake_is_named_and_leaves_the_last_good_build(self):
        wrong = {
            "other": (tool("other"), "calls its tool 'other'"),
            "none": (tool().split("MICA_TOOL")[0], "has no tool"),
            "silent": (re.sub(r'\.title.*?"\);', ".hints = 0);", tool(),
                              flags=re.S), "no description"),
            "typo": (tool().replace("MICA_TEXT(name", "MICA_TEXT(nam"),
                     "no member named 'nam'"),
            "unknown": (tool().replace("mica_add_text", "mica_add_txt"),
                        "mica_add_text"),
        }
        self.write("tools/greet.c", tool())
        self.mica("build")
        for case, (text, said) in wrong.items():
            with self.subTest(case):
                self.write("tools/greet.c", text)
                self.assertIn(said, self.complaint("BUILD_FAILED", "build",
                                                   exit=3))
                self.assertEqual(len(self.versions("greet")), 1)
        self.assertEqual(self.json("list", "--tools", "build/tools")[0]["name"],
                         "greet")

    def test_a_question_in_before_does_not_compile(self):
        self.write("tools/greet.c", """\
#include <mica/tool.h>
struct request { struct mica_text name; };
MICA_RECORD(request, MICA_TEXT(name, "Who is to be greeted."));
struct mood { bool happy; };
MICA_RECORD(mood, MICA_BOOLEAN(happy, "Is it a good day?"));
static enum mica_status
before(struct mica_server_call *call, const struct request *in, struct mood *out)
{
    (void)in;
    return mica_elicit(call, MICA_FORM(mood, out), "How is it?");
}
static enum mica_status
client(struct mica_client_call *call, const struct mood *in, struct mica_nothing *out)
{
    (void)call, (void)in, (void)out;
    return MICA_OK;
}
static enum mica_status
after(struct mica_server_call *call, const struct mood *found,
      const struct mica_nothing *choice, struct mica_nothing *out)
{
    (void)call, (void)found, (void)choice, (void)out;
    return MICA_OK;
}
MICA_HANDOFF(greet, request, mood, mica_nothing, mica_nothing, before, client,
             after, .description = "Asks where it must not.");
""")
        self.assertIn("ask in `client`",
                      self.complaint("BUILD_FAILED", "build", exit=3))

    def test_old_builds_are_kept_and_not_for_ever(self):
        self.write("tools/greet.c", tool())
        self.mica("build", "--fast")
        first = self.versions("greet")[0]
        for number in range(18):
            self.write("tools/greet.c", tool(word=f"Hello{number}"))
            self.mica("build", "--fast")
        kept = self.versions("greet")
        self.assertEqual(len(kept), 17)  # 16, and the present one
        self.assertNotIn(first, kept)
        old = self.path("build/tools/.versions/" + kept[0])
        month = time.time() - 40 * 86400
        os.utime(old, (month, month))
        self.write("tools/greet.c", tool(word="Last"))
        self.mica("build", "--fast")
        if os.path.exists(old):  # it was the present one, superseded only now
            self.assertGreater(os.stat(old).st_mtime, month + 86400)
        seals = [file[:-5] for file in
                 os.listdir(self.path("build/tools/.versions"))
                 if file.endswith(".seal")]
        self.assertEqual(sorted(seals), [f[:-3] for f in self.versions("greet")])


class Terminal(Case):
    def shown(self, *words):
        """What mica writes to a terminal that is its stdout and stderr."""
        screen, theirs = pty.openpty()
        process = subprocess.Popen([cli.OPTIONS.mica, *words], cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stdout=theirs,
                                   stderr=theirs, env=self.environment())
        os.close(theirs)
        text = terminal.read_to_end(screen)
        process.wait(60)
        return text.decode()

    def test_what_a_tool_says_is_shown_and_not_obeyed(self):
        self.write("tools/greet.c", tool())
        self.words("Ada")  # built
        name = "\x1b]0;owned\x07\x9b2J\u00e9\u20ac"
        arguments = json.dumps({"name": name})
        self.assertEqual(self.words(name), [f"Hello, {name}"])
        self.assertEqual(self.shown("call", "greet", "--json", arguments),
                         '{"content":["Hello, \\u001b]0;owned\\u0007\\u009b2J'
                         '\u00e9\u20ac"]}\r\n')
        self.assertEqual(self.shown("call", "greet", f"name={name}"),
                         "Hello, \\x1b]0;owned\\x07\\x9b2J\u00e9\u20ac\r\n")
        complaint = self.shown("call", name)
        self.assertIn("\\x1b]0;owned\\x07\\x9b2J", complaint)
        self.assertNotIn("\x1b]", complaint)


class Invoking(Case):
    def parts(self):
        self.write("tools/one.c", PART % ("one", "MICA_OK", "one"))
        self.write("tools/two.c", PART % ("two", "MICA_OK", "two"))
        self.write("tools/fails.c", PART % (
            "fails", 'mica_fail(call, "NO_WORD", "", "no word today")', "fails"))
        self.write("tools/whole.c", WHOLE)

    def test_each_tool_that_is_invoked_is_the_one_that_was_named(self):
        self.parts()
        self.write("tools/unused.c", "int broken(")
        said = {"all": "one two", "first": "two"}
        self.assertEqual(self.json("call", "whole"), said)
        os.remove(self.path("tools/unused.c"))
        self.assertEqual(self.json("call", "whole", "--tools", "build/tools"), said)

    def test_only_what_is_invoked_is_built(self):
        self.parts()
        self.json("call", "one")
        self.assertFalse(os.path.exists(self.path("build/tools/two.so")))

    def test_the_journal_says_which_build_of_an_engine_was_invoked(self):
        self.mica("new", "area")
        self.write("tools/plot.c", PLOT)
        store = "sqlite:" + self.path("db")
        self.serve(store=store)
        asked = self.request("tools/call", "plot", {"elicitation": {}}, meta={
            "mica/idempotencyKey": "one"}, arguments={"length": 3, "width": 2})
        self.assertEqual(list(asked["result"]["inputRequests"]), ["sure"])
        [waiting] = self.json("calls", "--store", store)
        shown = self.json("calls", "show", waiting["id"], "--store", store)
        [child] = [e for e in shown["journal"] if e["kind"] == "child"]
        self.assertEqual(child["version"],
                         self.json("describe", "area")["sha256"])
        self.assertEqual(child["data"], {"length": 3, "width": 2})

    def test_a_tool_that_cannot_be_invoked_says_why(self):
        self.parts()
        os.remove(self.path("tools/two.c"))
        self.assertIn('there is no tool "two"',
                      self.complaint("NOT_FOUND", "call", "whole", exit=4))
        self.write("tools/two.c", "int broken(")
        self.complaint("BUILD_FAILED", "call", "whole", exit=3)


class Trust(Case):
    def test_what_somebody_else_built_is_built_again(self):
        self.write("tools/greet.c", tool())
        self.mica("build")
        self.state = os.path.join(self.folder, "another")
        done = self.mica("call", "greet", "--json", '{"name":"Ada"}')
        self.assertIn("building 1 tool", done.stderr)

    def test_an_object_that_was_replaced_is_refused(self):
        self.write("tools/greet.c", tool())
        self.write("tools/bye.c", tool("bye", "Bye"))
        self.mica("build")
        shutil.copy(self.path("build/tools/bye.so"), self.path("evil.so"))
        os.rename(self.path("evil.so"), self.path("build/tools/greet.so"))
        self.complaint("UNTRUSTED_FILE", "call", "greet", "name=Ada", exit=8)

    def test_a_folder_that_others_can_write_is_refused_even_when_named(self):
        self.write("tools/greet.c", tool())
        self.mica("build")
        os.chmod(self.path("build/tools"), 0o777)
        said = self.complaint("UNTRUSTED_FILE", "list", "--tools", "build/tools",
                              exit=8)
        self.assertIn("chmod go-w", said)

    def test_naming_a_folder_is_consent(self):
        self.write("tools/greet.c", tool())
        self.mica("build")
        shutil.copytree(self.path("build/tools"), self.path("given"))
        for file in os.listdir(self.path("given")):
            if file.endswith(".seal"):
                os.unlink(self.path("given/" + file))
        shutil.rmtree(self.path("given/.versions"))
        self.assertEqual(self.json("call", "greet", "--tools", "given", "--json",
                                   '{"name":"Ada"}')["content"], ["Hello, Ada"])


if __name__ == "__main__":
    alone.run("source")

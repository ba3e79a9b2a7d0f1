# SPDX-License-Identifier: Apache-2.0
"""The author's loop: mica run, mica manifest, mica dev, mica compare.

    python3 author.py --mica build/mica
"""

import glob
import json
import os
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request

import alone
import cli

ENGINE = """\
#include <mica/engine.h>

struct input { double value; };
MICA_RECORD(input, MICA_NUMBER(value, "A number.", .minimum = -1e6,
                               .maximum = 1e6));
struct output { double result; };
MICA_RECORD(output, MICA_NUMBER(result, "What comes of it."));

static enum mica_status
run(struct mica_call *call, const struct input *in, struct output *out)
{
    (void)call;
    out->result = in->value %s;
    return MICA_OK;
}

MICA_ENGINE(%s, input, output, run, .title = "Changes a number",
            .description = "%s", .category = "math",
            .examples = MICA_EXAMPLES(
                {"One", MICA_JSON({"value": 1}), MICA_JSON({"result": %s})}));
"""


def engine(name="change-it", what="+ 1", result="2",
           words="Change a number by what the source says at the moment."):
    return ENGINE % (what, name.replace("-", "_"), words, result)


class Served:
    """A command that serves over HTTP until the end of the test."""

    def __init__(self, case, *words, env=None, cwd=None):
        self.case = case
        self.log = open(os.path.join(case.folder, "log"), "w+",
                        encoding="utf-8")
        self.process = subprocess.Popen(
            [cli.OPTIONS.mica, *words, "--listen", "127.0.0.1:0"],
            cwd=cwd or case.folder, stdout=subprocess.PIPE, stderr=self.log,
            text=True, env={**os.environ, **(env or {})})
        self.url = self.process.stdout.readline().strip()
        case.addCleanup(self.end)

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(cli.OPTIONS.patience)
        self.process.stdout.close()
        self.log.close()

    def document(self, uri):
        """What a client with views reads there; None: nothing."""
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {
                    "extensions": {"io.modelcontextprotocol/ui": {}}}}
        try:
            reply = self.ask({"jsonrpc": "2.0", "id": 1, "method": "resources/read",
                              "params": {"uri": uri, "_meta": meta}})
        except urllib.error.HTTPError:  # a server without resources
            return None
        return reply["result"]["contents"][0]["text"] if "result" in reply else None

    def ask(self, message):
        request = urllib.request.Request(
            self.url, json.dumps(message).encode(),
            {"Content-Type": "application/json",
             "Accept": "application/json, text/event-stream",
             "MCP-Protocol-Version": "2026-07-28",
             "Mcp-Method": message["method"],
             **{"Mcp-Name": message["params"][key]
                for key in ("name", "uri") if key in message["params"]}})
        with urllib.request.urlopen(request, timeout=cli.OPTIONS.patience) as reply:
            return json.load(reply)

    def call(self, tool, **arguments):
        reply = self.ask(cli.call_message(tool, arguments))
        return reply.get("result", {}).get("structuredContent")

    def said(self):
        with open(self.log.name, encoding="utf-8") as file:
            return file.read()

    def wait(self, truth, what):
        until = time.monotonic() + cli.OPTIONS.patience
        while not truth():
            self.case.assertLess(time.monotonic(), until,
                                 f"{what}\n{self.said()}")
            time.sleep(0.02)


VIEWED = """#include <mica/tool.h>
static enum mica_status
run(struct mica_call *call, const struct mica_nothing *in, struct mica_nothing *out)
{
    (void)in, (void)out;
    mica_add_text(call, MICA_LITERAL("seen"), NULL);
    return MICA_OK;
}
MICA_VIEW(sight, .file = "other-name.html");
MICA_TOOL(look, mica_nothing, mica_nothing, run,
          .description = "Shows a document.", .view = &mica_view_sight);
"""

# Tools that say by other macros than MICA_TOOL what they are.
ASKED = """#include <mica/fetch.h>
struct word { struct mica_text word; };
MICA_RECORD(word, MICA_TEXT(word, "A word."));
MICA_FETCH_TOOL(asked, word, word, "https://a.example", "/{word}",
                .description = "Asks a server for a word.");
"""
HANDED = """#include <mica/tool.h>
struct word { struct mica_text word; };
MICA_RECORD(word, MICA_TEXT(word, "A word."));
static enum mica_status
before(struct mica_server_call *call, const struct word *in, struct word *out)
{
    (void)call;
    *out = *in;
    return MICA_OK;
}
static enum mica_status
client(struct mica_client_call *call, const struct word *in, struct word *out)
{
    (void)call;
    *out = *in;
    return MICA_OK;
}
static enum mica_status
after(struct mica_server_call *call, const struct word *found,
      const struct word *choice, struct word *out)
{
    (void)call, (void)choice;
    *out = *found;
    return MICA_OK;
}
MICA_HANDOFF(handed, word, word, word, word, before, client, after,
             .description = "Gives the word back.");
"""


class OfTheSameName(cli.Case):
    def test_an_engine_is_its_own_though_one_inside_has_its_name(self):
        """The program has a percentage-calculator inside, which exports the
        same names."""
        self.write("engines/percentage-calculator.c",
                   engine("percentage-calculator", "+ 40", "41"))
        done = self.mica("call", "percentage-calculator", "value=2", "--json")
        self.assertEqual(json.loads(done.stdout), {"result": 42}, done.stderr)


class Run(cli.Case):
    def setUp(self):
        super().setUp()
        self.env = {"XDG_CACHE_HOME": os.path.join(self.folder, "caches")}
        self.write("src/change-it.c", engine())

    def test_a_file_from_anywhere_is_served(self):
        served = Served(self, "run", "src/change-it.c", env=self.env)
        self.assertEqual(served.call("change-it", value=4), {"result": 5})
        served.end()
        self.assertEqual(os.listdir(os.path.join(self.folder, "src")),
                         ["change-it.c"])

    def test_over_stdio_and_twice_without_another_build(self):
        line = json.dumps(cli.call_message("change-it", {"value": 4})) + "\n"
        first = self.mica("run", "src/change-it.c", "--stdio", stdin=line,
                          env=self.env)
        self.assertIn("built", first.stderr)
        second = self.mica("run", "src/change-it.c", "--stdio", stdin=line,
                           env=self.env)
        self.assertNotIn("built", second.stderr)
        for done in (first, second):
            self.assertEqual(json.loads(done.stdout)["result"]
                             ["structuredContent"], {"result": 5})

    def test_an_engine_and_a_tool_at_once(self):
        self.mica("new", "--interactive", "greet_person")
        os.rename(os.path.join(self.folder, "tools/greet_person.c"),
                  os.path.join(self.folder, "src/greet_person.c"))
        line = json.dumps(cli.message("tools/list")) + "\n"
        done = self.mica("run", "src/change-it.c", "src/greet_person.c",
                         "--stdio", stdin=line, env=self.env)
        self.assertEqual({tool["name"] for tool in
                          json.loads(done.stdout)["result"]["tools"]},
                         {"change-it", "greet_person"})

    def test_a_tool_is_known_by_each_of_its_macros(self):
        self.write("src/handed.c", HANDED)
        self.write("src/asked.c", ASKED)
        line = json.dumps(cli.message("tools/list")) + "\n"
        done = self.mica("run", "src/handed.c", "src/asked.c", "--stdio",
                         stdin=line, env=self.env)
        self.assertEqual({tool["name"] for tool in
                          json.loads(done.stdout)["result"]["tools"]},
                         {"handed", "asked"})

    def test_what_cannot_be_run_is_said(self):
        self.complaint("USAGE", "run", exit=2, env=self.env)
        self.complaint("NOT_FOUND", "run", "nowhere.c", exit=4, env=self.env)
        self.complaint("USAGE", "run", "src/change-it.c", "--stdio", "--quiet",
                       exit=2, env=self.env)
        self.write("src/change-it.c", "not C")
        self.assertIn("change-it.c:1", self.complaint(
            "BUILD_FAILED", "run", "src/change-it.c", "--stdio", exit=3,
            env=self.env))


class Manifest(cli.Case):
    def test_it_names_all_tools_and_is_the_same_twice(self):
        manifest = self.json("manifest")
        self.assertEqual([tool["name"] for tool in manifest["tools"]],
                         [tool["name"] for tool in self.json("list")])
        for tool in manifest["tools"]:
            self.assertEqual(tool["code"],
                             self.json("describe", tool["name"])["sha256"])
        self.assertEqual(self.json("manifest"), manifest)

    def test_a_hash_is_that_of_the_canonical_json(self):
        import hashlib
        tool = self.json("manifest")["tools"][0]
        text = json.dumps({"code": tool["code"], "interface":
                           tool["interface"]}, separators=(",", ":"),
                          sort_keys=True)
        self.assertEqual(tool["sha256"],
                         hashlib.sha256(text.encode()).hexdigest())

    def test_what_has_changed_is_named(self):
        self.write("engines/one.c", engine("one"))
        self.write("engines/two.c", engine("two"))
        self.write("before.json", self.mica("manifest").stdout)
        self.assertEqual(self.mica("manifest", "--check", "before.json").stdout,
                         "")
        self.write("engines/one.c", engine("one", "* 2"))
        said = self.mica("manifest", "--check", "before.json", exit=7).stdout
        self.assertEqual(said, "one: its code has changed\n")
        self.write("engines/one.c", engine("one", words="Other words about it."))
        said = self.mica("manifest", "--check", "before.json", exit=7).stdout
        self.assertRegex(said, r"^one: what clients are told of it has changed\n$")
        os.remove(os.path.join(self.folder, "engines/two.c"))
        self.write("engines/three.c", engine("three"))
        said = self.mica("manifest", "--check", "before.json", exit=7).stdout
        self.assertIn("three: is new\n", said)
        self.assertIn("two: is gone\n", said)

    def test_what_has_changed_is_named_in_json_too(self):
        self.write("engines/one.c", engine("one"))
        self.write("engines/two.c", engine("two"))
        self.write("before.json", self.mica("manifest", "--json").stdout)
        same = self.mica("manifest", "--check", "before.json", "--json")
        self.assertEqual(json.loads(same.stdout), [])
        self.write("engines/one.c", engine("one", "* 2"))
        os.remove(os.path.join(self.folder, "engines/two.c"))
        done = self.mica("manifest", "--check", "before.json", "--json", exit=7)
        self.assertEqual(json.loads(done.stdout), [{"name": "one", "change": "code"},
                                                   {"name": "two", "change": "gone"}])

    def test_json_is_asked_for_in_every_command_alike(self):
        self.assertEqual(self.mica("openapi", "--json").stdout, self.mica("openapi").stdout)
        (one,) = json.loads(self.mica("types", "hash", "--json").stdout)
        self.assertEqual(sorted(one), ["inputSchema", "name", "outputSchema", "types"])
        self.assertEqual(one["types"], self.mica("types", "hash").stdout)
        self.assertEqual([tool["name"] for tool in json.loads(
            self.mica("types", "--json").stdout)],
            [tool["name"] for tool in self.json("list")])
        self.assertEqual(json.loads(
            self.mica("types", "hash", "--out", "to", "--json").stdout),
            ["to/hash.d.ts", "to/hash.input.json", "to/hash.output.json"])
        server = cli.Server([cli.OPTIONS.mica, "serve", "--json", "--drain=0",
                             "--listen", "127.0.0.1:0"], self.folder)
        said = json.loads(server.url(cli.OPTIONS.patience))
        address = re.fullmatch(r"http://(127\.0\.0\.1:\d+)/mcp", said["url"]).group(1)
        health = self.json("health", "--listen", address)
        server.end(cli.OPTIONS.patience)
        self.assertEqual(health["status"], "ok")

    def test_what_is_no_manifest_is_refused(self):
        self.complaint("NOT_FOUND", "manifest", "--check", "none.json", exit=4)
        self.write("other.json", "{}")
        self.complaint("WRONG_TYPE", "manifest", "--check", "other.json", exit=3)
        self.complaint("USAGE", "manifest", "hash", exit=2)


def end_check(parent):
    """Kills the check that a process has started, if there is one."""
    for path in glob.glob(f"/proc/{parent}/task/*/children"):
        try:
            with open(path, encoding="ascii") as file:
                children = file.read().split()
        except OSError:  # a thread that has ended meanwhile
            continue
        for child in children:
            try:
                with open(f"/proc/{child}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if words[1:3] == [b"check", b"--fast"]:
                try:
                    os.kill(int(child), signal.SIGKILL)
                except ProcessLookupError:  # it has just ended
                    continue
                return True
    return False


class Dev(cli.Case):
    def state(self, name="change-it"):
        try:
            state = json.loads(self.read("build/dev.json"))
        except (FileNotFoundError, json.JSONDecodeError):
            return None
        return {tool["name"]: tool for tool in state["tools"]}.get(name)

    def test_a_save_is_a_changed_tool_and_what_is_wrong_is_shown(self):
        source = self.write("engines/change-it.c", engine())
        served = Served(self, "dev", "--quiet")
        served.wait(lambda: served.call("change-it", value=1) == {"result": 2},
                    "the first build")
        # Saved, built, swapped.
        began = time.monotonic()
        self.write("engines/change-it.c", engine(what="+ 10", result="11"))
        served.wait(lambda: served.call("change-it", value=1) == {"result": 11},
                    "another result")
        print(f"# from save to changed call: {time.monotonic() - began:.2f} s")
        # What does not build stays, and is shown in both places.
        self.write("engines/change-it.c", engine(what="+ nothing"))
        served.wait(lambda: (self.state() or {}).get("built") is False,
                    "the compiler's words")
        self.assertEqual(served.call("change-it", value=1), {"result": 11})
        self.assertIn("nothing", self.state()["diagnostics"])
        self.assertEqual(self.state()["code"], "BUILD_FAILED")
        self.assertIn("change-it.c:13", served.said())
        # A wrong example is a finding of the check.
        self.write("engines/change-it.c", engine(what="+ 10", result="12"))
        served.wait(lambda: (self.state() or {}).get("findings"), "a finding")
        self.assertTrue(self.state()["built"])
        codes = [one["code"] for one in self.state()["findings"]]
        self.assertIn("EXAMPLE_FAILED", codes)
        self.assertIn("EXAMPLE_FAILED", served.said())
        self.write("engines/change-it.c", engine(what="+ 10", result="11"))
        served.wait(lambda: (self.state() or {}).get("findings") is not None
                    and "EXAMPLE_FAILED" not in
                    json.dumps(self.state()["findings"]), "a check without it")
        # A new one comes, an old one goes.
        self.write("engines/another.c", engine("another"))
        served.wait(lambda: served.call("another", value=1) == {"result": 2},
                    "a new engine")
        os.remove(source)
        served.wait(lambda: served.call("change-it", value=1) is None,
                    "an engine that is gone")
        served.wait(lambda: self.state() is None, "nothing to be read of it")
        self.assertIsNotNone(self.state("another"))
        served.end()
        self.assertEqual(served.process.returncode, 0)
        self.assertFalse(os.path.exists(
            os.path.join(self.folder, "build/dev.json")))

    def test_a_saved_document_is_a_changed_view(self):
        self.write("tools/look.c", VIEWED)
        self.write("tools/other-name.html", "<p>one")
        served = Served(self, "dev", "--quiet")
        served.wait(lambda: served.document("ui://mica/sight") == "<p>one", "a view")
        for text in ("<p>two", "<p>three"):
            self.write("tools/other-name.html", text)
            served.wait(lambda text=text: served.document("ui://mica/sight") == text,
                        "another document")
        # A document that cannot be served leaves the one before.
        self.write("tools/other-name.html", "<script type=module>import 'x'</script>")
        served.wait(lambda: (self.state("look") or {}).get("built") is False, "the reason")
        self.assertIn("may import nothing", served.said())
        self.assertEqual(served.document("ui://mica/sight"), "<p>three")

    def test_a_check_that_dies_is_said(self):
        self.write("engines/change-it.c", engine())
        served = Served(self, "dev", "--quiet")
        saved = time.monotonic()

        def broke_off():
            nonlocal saved
            end_check(served.process.pid)
            # A check may run and end between two looks; the next save has another.
            if (time.monotonic() > saved + 20
                    and (self.state() or {}).get("findings") is not None):
                saved = time.monotonic()
                self.write("engines/change-it.c", engine(words=f"Changes, {saved}."))
            return "change-it: the check broke off" in served.said()

        served.wait(broke_off, "that it broke off")
        self.assertEqual(served.call("change-it", value=1), {"result": 2})

    def test_it_serves_what_builds_beside_what_does_not(self):
        self.write("engines/broken.c", "not C")
        self.write("engines/change-it.c", engine())
        self.mica("new", "--interactive", "greet_person")
        served = Served(self, "dev", "--no-check")
        served.wait(lambda: served.call("change-it", value=1) == {"result": 2},
                    "what builds")
        served.wait(lambda: self.state("greet_person") is not None,
                    "the tool")
        served.wait(lambda: self.state("broken") is not None, "what does not")
        self.assertFalse(self.state("broken")["built"])
        self.assertNotIn("findings", self.state())
        self.assertRegex(served.said(), r"(?m)^broken: BUILD_FAILED: ")

    def test_what_another_user_has_built_is_built_again(self):
        self.write("engines/change-it.c", engine())
        self.mica("new", "--interactive", "greet_person")
        self.mica("build", "--fast", env={"XDG_STATE_HOME":
                                          os.path.join(self.folder, "theirs")})
        served = Served(self, "dev", "--no-check")
        served.wait(lambda: served.call("change-it", value=1) == {"result": 2},
                    "the engine")
        served.wait(lambda: (self.state("greet_person") or {}).get("swapped"),
                    "the tool")

    def test_it_says_where_the_inspector_is(self):
        self.write("engines/change-it.c", engine())
        served = Served(self, "dev", "--public-url", "https://a.example/x")
        served.wait(lambda: re.search(r"http://127\.0\.0\.1:\d+/inspect\b",
                                      served.said()), "its address")
        with urllib.request.urlopen(re.search(
                r"http://\S+/inspect\b", served.said())[0]) as reply:
            self.assertIn(b"<html", reply.read())

    def test_there_has_to_be_something(self):
        self.complaint("NOT_FOUND", "dev", exit=4)


OLD = """\
export const changeIt = { handler: ({ value }) => {
  console.log("noise on stdout");
  return { result: %s };
} };
"""


class Compare(cli.Case):
    def setUp(self):
        super().setUp()
        self.write("engines/change-it.c", engine())
        self.write("old.mjs", OLD % "value + 1")

    def compare(self, *words, **more):
        return self.mica("compare", "change-it", "old.mjs", *words, **more)

    def test_the_same_function_is_the_same(self):
        said = self.compare().stdout
        self.assertRegex(said, r"^the same on \d{3,4} inputs\n$")
        self.assertEqual(self.compare().stdout, said)

    def test_the_first_difference_is_shown(self):
        self.write("old.mjs", OLD % "value > 100 ? value : value + 1")
        done = self.compare(exit=3)
        lines = dict(line.split(None, 1) for line in done.stdout.splitlines())
        value = json.loads(lines["input"])["value"]
        self.assertGreater(value, 100)
        self.assertEqual(json.loads(lines["old"]), {"output": {"result": value}})
        self.assertEqual(json.loads(lines["engine"]), {"result": value + 1})
        self.assertEqual(lines["differs"], "/result")
        self.assertRegex(done.stderr, r"FAILED: they differ on \d+ of \d+")

    def test_json_says_how_many_and_the_shortest(self):
        said = json.loads(self.compare("--json").stdout)
        self.assertEqual(sorted(said), ["differ", "inputs"])
        self.assertEqual(said["differ"], 0)
        self.write("old.mjs", OLD % "value > 100 ? value : value + 1")
        said = json.loads(self.compare("--json", exit=3).stdout)
        value = said["input"]["value"]
        self.assertGreater(value, 100)
        self.assertEqual(said["old"], {"output": {"result": value}})
        self.assertEqual(said["engine"], {"output": {"result": value + 1}})
        self.assertEqual(said["path"], "/result")
        self.assertGreater(said["differ"], 0)

    def test_failures_are_compared_too(self):
        self.write("old.mjs", "export default ({ value }) => {"
                   " if (value === 1) throw Object.assign(Error('no'),"
                   " { code: 'NO' }); return { result: value + 1 }; };")
        done = self.compare(exit=3)
        self.assertIn('"code":"NO"', done.stdout)
        self.assertIn("as a whole", done.stdout)

    def test_an_engine_may_give_more_and_numbers_may_be_near(self):
        self.write("old.mjs", "export const f = ({ value }) => ({});")
        self.assertIn("the same", self.compare().stdout)
        self.write("old.mjs", OLD % "(value + 1) * (1 + 1e-12)")
        self.compare(exit=3)
        self.assertIn("the same", self.compare("--tolerance", "1e-9").stdout)
        self.complaint("USAGE", "compare", "change-it", "old.mjs",
                       "--tolerance", "much", exit=2)

    def test_an_engine_that_breaks_down_agrees_with_nothing(self):
        self.write("engines/change-it.c", engine().replace(
            "    (void)call;", "    (void)call;\n"
            "    if (in->value > 100)\n        __builtin_trap();"))
        done = self.compare(exit=3)
        self.assertRegex(done.stdout, r"(?m)^engine  EXECUTION_ERROR$")
        self.write("old.mjs", "export default ({ value }) => {"
                   " if (value > 100) throw Error(); return { result: value + 1 };"
                   "};")
        self.assertIn("EXECUTION_ERROR", self.compare(exit=3).stdout)

    def test_a_function_that_never_answers_is_said(self):
        for body in ("await new Promise(() => {})", "process.exit(0)"):
            self.write("old.mjs", "export default async ({ value }) => { if "
                       "(value === 1) { %s; } return { result: value + 1 }; };"
                       % body)
            self.assertIn('it never answered {"value":1}', self.complaint(
                "USAGE", "compare", "change-it", "old.mjs", exit=2))

    def test_nothing_is_not_the_same(self):
        self.write("engines/change-it.c", engine().split(
            ",\n            .examples")[0] + ");\n")
        self.assertIn("no input", self.complaint(
            "USAGE", "compare", "change-it", "old.mjs", "--random", "0", exit=2))

    def test_what_cannot_be_compared_is_said(self):
        self.write("old.mjs", "export const a = () => 1, b = () => 2;")
        self.assertIn("--function a, b", self.complaint(
            "USAGE", "compare", "change-it", "old.mjs", exit=2))
        self.compare("--function", "b", exit=3)
        self.write("old.mjs", "export default (((;")
        self.assertIn("SyntaxError", self.complaint(
            "USAGE", "compare", "change-it", "old.mjs", exit=2))
        self.complaint("NOT_FOUND", "compare", "change-it", "gone.mjs", exit=4)
        self.complaint("NOT_FOUND", "compare", "chnge-it", "old.mjs", exit=4)
        self.complaint("USAGE", "compare", "change-it", exit=2)
        self.assertIn("nodejs", self.complaint(
            "NOT_FOUND", "compare", "change-it", "old.mjs", exit=4,
            env={"PATH": "/nonexistent"}))
        self.mica("new", "--interactive", "greet_person")
        self.complaint("USAGE", "compare", "greet_person", "old.mjs", exit=2)


if __name__ == "__main__":
    alone.run(parts={"run": ["OfTheSameName", "Run", "Manifest"],
                     "dev": ["Dev"], "compare": ["Compare"]})

# SPDX-License-Identifier: Apache-2.0
"""Interactive tools that are served: swapped as they change, kept for the calls that
began with them, and given their services.

    python3 serving_tools.py --mica build/mica --source .

Every test works in a folder of its own, with a state folder of its own. Nothing
but Python's own library.
"""

import json
import os
import time
import urllib.request

import alone
from tool_folder import Case, tool

# Invokes greet, as `mica new --interactive` writes it.
HOST = """\
#include <mica/tool.h>

struct guest { struct mica_text name; };
MICA_RECORD(guest, MICA_TEXT(name, "Who comes."));
struct greeted { struct mica_text greeting; bool asked; };
MICA_RECORD(greeted, MICA_TEXT(greeting, "What is said."),
            MICA_BOOLEAN(asked, "Whether the client was asked."));

static enum mica_status
run(struct mica_call *call, const struct guest *in, struct greeted *out)
{
    return mica_invoke(call, "greet", MICA_FROM(guest, in),
                       MICA_INTO(greeted, out));
}

MICA_TOOL(host, guest, greeted, run, .title = "Host",
          .description = "Has a guest greeted by another tool.");
"""

SERVICE = """\
#include <mica/tool.h>
#include <stdio.h>
#include <stdlib.h>

struct counter { char path[4096]; };

static void
note(const struct counter *counter, const char *word)
{
    FILE *file = fopen(counter->path, "a");
    if (file != NULL) {
        fprintf(file, "%s\\n", word);
        fclose(file);
    }
}

static enum mica_status
open_counter(const char *folder, struct mica_error *error, void **service_out)
{
    struct counter *counter = malloc(sizeof *counter);
    if (counter == NULL)
        return mica_error_set(error, MICA_E_LIMIT, "", "no memory");
    snprintf(counter->path, sizeof counter->path, "%s/log", folder);
    note(counter, "open");
    *service_out = counter;
    return MICA_OK;
}

static void
close_counter(void *service)
{
    note(service, "close");
    free(service);
}

static const struct mica_service_definition counter = {"counter", open_counter,
                                                       close_counter};

struct request { struct mica_text name; };
MICA_RECORD(request, MICA_TEXT(name, "What is to be noted."));

static enum mica_status
run(struct mica_call *call, const struct request *in, struct mica_nothing *out)
{
    const struct counter *found = mica_service(call, "counter");

    (void)out;
    note(found, mica_format(call, "%.*s", MICA_ARG(in->name)).ptr);
    mica_add_text(call, in->name, NULL);
    return MICA_OK;
}

MICA_TOOL(@NAME@, request, mica_nothing, run,
          .description = "Notes a word in a file of its service.",
          .services = (const struct mica_service_definition *const[]){&counter,
                                                                     NULL});
"""


class Services(Case):
    def services(self):
        [project] = os.listdir(os.path.join(self.state, "mica/projects"))
        return os.path.join(self.state, "mica/projects", project, "services")

    def counted(self):
        path = os.path.join(self.services(), "counter/log")
        with open(path, encoding="utf-8") as file:
            return file.read().split()

    def test_a_service_is_opened_once_and_closed_at_the_end(self):
        for name in ("one", "two"):
            self.write(f"tools/{name}.c", SERVICE.replace("@NAME@", name))
        self.mica("build")
        self.serve()
        self.served_words("a", "one")
        self.served_words("b", "two")
        self.stop()
        self.assertEqual(self.counted(), ["open", "a", "b", "close"])
        folder = os.path.join(self.services(), "counter")
        self.assertEqual(os.stat(folder).st_mode & 0o777, 0o700)

    def test_a_tool_whose_service_does_not_open_says_so(self):
        text = SERVICE.replace("@NAME@", "one").replace(
            '    note(counter, "open");', '    free(counter);\n    return '
            'mica_error_set(error, MICA_E_IO, "", "no such luck");')
        self.write("tools/one.c", text)
        self.assertEqual(self.json("list")[0]["name"], "one")  # opens nothing
        said = self.complaint("IO_ERROR", "call", "one", "name=a", exit=8)
        self.assertIn("tool 'one': service 'counter': no such luck", said)

    def test_a_new_build_does_not_get_what_the_old_one_opened(self):
        self.write("tools/one.c", SERVICE.replace("@NAME@", "one"))
        self.serve()
        self.served_words("a", "one")
        self.write("tools/one.c", SERVICE.replace("@NAME@", "one").replace(
            '"open"', '"reopen"'))
        self.until(lambda: "reopen" in self.counted(), True)
        self.served_words("b", "one")
        self.stop()
        self.assertEqual(self.counted(),
                         ["open", "a", "reopen", "b", "close", "close"])


class Serving(Case):
    def test_a_tool_that_changes_is_swapped_while_it_is_served(self):
        self.write("tools/greet.c", tool())
        self.serve()
        self.assertEqual(self.served_words("Ada"), "Hello, Ada")
        self.write("tools/greet.c", tool(word="Salut"))
        self.until(lambda: self.served_words("Ada"), "Salut, Ada")
        self.write("tools/greet.c", "this is no C\n")
        time.sleep(0.5)
        self.until(lambda: "was not built" in self.said(), True)
        self.assertEqual(self.served_words("Ada"), "Salut, Ada")
        self.write("tools/greet.c", tool(word="Hola"))
        self.until(lambda: self.served_words("Ada"), "Hola, Ada")

    # A call of a tool that asks how the day was, and continues with the answer.
    def ask(self, name, **more):
        reply = self.request("tools/call", name, {"elicitation": {}},
                             arguments={"name": "Ada"}, **more)
        return reply["result"]

    def answer(self, name, key, first):
        return self.ask(name, requestState=first["requestState"],
                        inputResponses={key: {"action": "accept",
                                              "content": {"mood": "tired"}}})

    def change_question(self, name, wanted):
        """Another question under another key: a replay by this code would diverge."""
        with open(self.path("tools/greet.c"), encoding="utf-8") as file:
            source = file.read()
        self.write("tools/greet.c", source.replace(
            "MICA_FORM(day, &day)", 'MICA_FORM(day, &day, .key = "mood")'))
        self.until(lambda: list(self.ask(name)["inputRequests"]), [wanted])

    def expect_old_build(self, name, key, first, store):
        """Whether the server has swapped the tool or begun anew since."""
        wanted = {"greeting": "Take it easy, Ada.", "asked": True}
        self.assertEqual(self.answer(name, key, first)["structuredContent"], wanted)
        self.stop()
        self.serve(store=store)
        self.assertEqual(self.answer(name, key, first)["structuredContent"], wanted)

    def test_an_open_call_goes_on_with_the_build_it_began_with(self):
        store = "sqlite:" + self.path("db")
        self.mica("new", "--interactive", "greet")
        self.serve(store=store)
        first = self.ask("greet")
        self.assertEqual(list(first["inputRequests"]), ["day"])
        self.change_question("greet", "mood")
        self.expect_old_build("greet", "day", first, store)

    def test_the_log_says_what_became_of_each_response(self):
        self.mica("new", "--interactive", "greet")
        self.serve(quiet=False)
        headers = {"Content-Type": "application/json",
                   "Accept": "application/json, text/event-stream"}

        def post(message):
            body = json.dumps({"jsonrpc": "2.0", **message}).encode()
            return urllib.request.urlopen(
                urllib.request.Request(self.url, body, headers), timeout=60)

        with post({"id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {"elicitation": {}},
                "clientInfo": {"name": "test", "version": "1"}}}) as reply:
            headers["Mcp-Session-Id"] = reply.headers["Mcp-Session-Id"]
        headers["MCP-Protocol-Version"] = "2025-11-25"
        post({"method": "notifications/initialized"}).close()
        with post({"id": 2, "method": "tools/call", "params": {
                "name": "greet", "arguments": {"name": "Ada"}}}) as stream:
            line = b""
            while b"elicitation/create" not in line:
                line = stream.readline()
            asked = json.loads(line.split(b":", 1)[1])
            post({"id": asked["id"], "result": {"action": "decline"}}).close()
            while b"isError" not in line:
                line = stream.readline()
        self.stop()
        lines = [json.loads(line) for line in self.said().splitlines()
                 if line.startswith('{"time"')]
        calls = [line for line in lines if line.get("rpc") == "tools/call"]
        self.assertEqual([(line["response"], line.get("code")) for line in calls],
                         [("asked", None), ("sent", "ELICITATION_DECLINED")])
        self.assertEqual({line["response"] for line in lines}, {"asked", "sent"})

    def test_a_tool_that_was_invoked_goes_on_with_the_build_it_was(self):
        """As long as that is kept; then the call ends, and says why."""
        store = "sqlite:" + self.path("db")
        self.mica("new", "--interactive", "greet")
        self.write("tools/host.c", HOST)
        self.serve(store=store)
        first = self.ask("host")
        self.assertEqual(list(first["inputRequests"]), ["greet/day"])
        old = self.versions("greet")
        self.change_question("host", "greet/mood")
        self.expect_old_build("host", "greet/day", first, store)
        self.stop()
        os.unlink(self.path("build/tools/.versions/" + old[0]))
        self.serve(store=store)
        gone = self.answer("host", "greet/day", first)
        self.assertTrue(gone["isError"])
        self.assertIn('REPLAY_DIVERGED: the tool "greet" has changed since the call '
                      "began; call it again", gone["content"][0]["text"])

    def test_who_counts_the_tools_is_told_why_a_client_sees_fewer(self):
        needs = tool("ask").replace(
            ".title =", ".requires = MICA_ELICITATION, .title =")
        self.write("tools/greet.c", tool())
        self.write("tools/ask.c", needs)
        self.serve()
        self.until(lambda: "}\n" in self.said(), True)
        self.assertIn(f"mica: 2 tools at {self.url}\nmica: page for people at "
                      f"{self.url[:-len('mcp')]}\nmica: console for apps at "
                      f"{self.url[:-len('mcp')]}console\n"
                      "1 tool needs a client that supports elicitation or sampling; "
                      "other clients do not see it.\n", self.said())
        self.assertEqual(self.served_names(), ["greet"])
        self.stop()
        self.write("tools/also.c", needs.replace("ask,", "also,"))
        os.remove(self.path("tools/greet.c"))
        self.serve()
        self.until(lambda: "}\n" in self.said(), True)
        self.assertIn("\n2 tools need a client that supports elicitation or sampling; "
                      "other clients do not see them.\n", self.said())
        self.stop()
        os.remove(self.path("tools/also.c"))
        os.remove(self.path("tools/ask.c"))
        self.write("tools/greet.c", tool())
        self.serve()
        self.until(lambda: "}\n" in self.said(), True)
        self.assertNotIn("of them", self.said())

    def test_tools_come_and_go_while_others_are_served(self):
        self.write("tools/greet.c", tool())
        self.serve()
        self.write("tools/bye.c", tool("bye", "Bye"))
        self.until(self.served_names, ["greet", "bye"])
        self.assertEqual(self.served_words("Ada", "bye"), "Bye, Ada")
        os.unlink(self.path("tools/greet.c"))
        os.utime(self.path("tools/bye.c"))
        self.until(self.served_names, ["bye"])

    def test_a_named_folder_is_watched_too(self):
        self.write("tools/greet.c", tool())
        self.mica("build")
        self.serve("--tools", "build/tools")
        self.assertEqual(self.served_words("Ada"), "Hello, Ada")
        self.write("tools/greet.c", tool(word="Salut"))
        self.mica("build")
        self.until(lambda: self.served_words("Ada"), "Salut, Ada")


if __name__ == "__main__":
    alone.run("source")

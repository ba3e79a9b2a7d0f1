#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Test runs of drafts that run a tool of the server or ask a language model: over /api/apps
and by the builder, beside calls of the same app once it is published; prints TAP.

    app_test_runs.py --mica build/mica --engines build/engines --tools build/tools

model_server.py is the provider.
"""
import argparse
import concurrent.futures
import http.client
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time
import traceback

from app_api import META, PATIENCE, Failure, Mica, need, refused, same
from app_api import authorized, token
from app_behaviors import IMPORT, SURVEY, TIP
import app_prompts
from app_prompts import KEY, MARKERS, PROMPT, PROVIDER, RIGHT
from together import outcomes

TALK = {"type": "prompt", "systemPrompt": PROMPT, "by": "provider"}
BILL = {"title": "The bill", "facts": [{"label": "Total", "value": 115}]}
STREAM = {"Accept": "text/event-stream, application/json"}


class Site:
    """A server with engines, tools and the stand-in for a provider."""

    def __init__(self, options, folder, *words, model="right", models=True):
        self.folder, self.model, self.seen = folder, app_prompts.Model(), []
        pathlib.Path(folder, "mica.toml").write_text(
            '[providers.%s]\ntype = "openai"\nurl = "%s"\nmodel = "%s"\n'
            'key_env = "APP_KEY"\nattempts = 1\n' % (PROVIDER, self.model.url, model),
            encoding="utf-8")
        os.environ["APP_KEY"] = KEY
        self.mica = Mica(options, folder, "--engines", options.engines, "--tools",
                         options.tools, *(["--models"] if models else []), *words)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        said = self.mica.said()
        self.mica.__exit__(*error)
        self.model.close()
        if error[0] is None:
            need(not any(marker in said for marker in MARKERS), said)
            text = json.dumps(self.seen)
            need(not any(marker in text for marker in MARKERS), text)

    def made(self, behavior, who=None, **members):
        self.mica.made("Order Clerk", who, behavior=behavior, **members)
        return "/api/apps/order-clerk"

    def test(self, body=None, headers=None, who=None, here="/api/apps/order-clerk"):
        reply = self.mica.ask("POST", here + "/test", {"message": "Where?", **(body or {})},
                              headers, who)
        self.seen.append(reply.text)
        return reply

    def call(self, arguments, **more):
        return self.mica.tool("track_order", {"message": "Where?", **arguments},
                              endpoint="/servers/order-clerk/mcp", **more)

    def usage(self):
        return self.mica.ask("GET", "/api/apps/order-clerk/usage").json["total"]


def events_of(reply):
    """(name, data) of each event."""
    found = []
    for block in reply.text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if "data" in lines:
            found.append((lines.get("event"), json.loads(lines["data"])))
    return found


def until(truth, what):
    end = time.monotonic() + PATIENCE
    while not truth():
        need(time.monotonic() < end, what)
        time.sleep(0.05)


# ---- Tools -----------------------------------------------------------------------------


def engines(options, folder):
    """A draft that maps an engine answers as the published app does, and is counted."""
    with Site(options, folder) as site:
        here = site.made(TIP, toolName="track_order")
        bill = {"context": {"amount": 100, "people": 2}}
        tested = site.test(bill)
        same((tested.status, tested.headers["Content-Type"]), (200, "application/json"),
             tested.text)
        same(tested.json["structuredContent"], BILL, tested.text)
        same(tested.json["content"][0]["text"], TIP["message"], tested.text)
        same(tested.json["_meta"]["openai/outputTemplate"], "ui://widget/order-clerk.html",
             tested.text)
        built = site.mica.tool("test_app", {"app": "order-clerk", "message": "Where?", **bill})
        same(built["structuredContent"], tested.json, "the builder's test")
        same(site.mica.ask("POST", here + "/publish", {}).status, 200, "publish")
        called = site.call(bill)
        for member in ("content", "structuredContent"):
            same(called[member], tested.json[member], "a call, as it was tested")
        until(lambda: site.usage()["calls"] == 3, site.usage())
        # What is not saved is tested as well, and with its other data.
        other = site.test({"context": {"amount": 200}, "draft": {
            "behavior": dict(TIP, message="Else:")}}).json
        same((other["content"][0]["text"], other["structuredContent"]["facts"][0]["value"]),
             ("Else:", 230), other)


def engine_failures(options, folder):
    """What fails in a test fails as in a call, with the same error."""
    with Site(options, folder) as site:
        here = site.made(TIP, toolName="track_order")
        wrong = {"context": {"amount": -1}}
        error = refused(site.test(wrong), 500, "EXECUTION_ERROR")
        same((error["details"]["reason"], error["details"]["path"]),
             ("OUT_OF_RANGE", "/context/amount"), error)
        same(site.mica.ask("POST", here + "/publish", {}).status, 200, "publish")
        same(site.call(wrong)["_meta"]["mica/error"], error, "a call")
        built = site.mica.tool("test_app", {"app": "order-clerk", "message": "Where?", **wrong})
        same(built["_meta"]["mica/error"], error, "the builder's test")
        until(lambda: site.usage() == {"calls": 3, "failures": 3, "tokens": 0}, site.usage())
        # Without a map the result itself is the data.
        draft = {"behavior": {"data": None}}
        error = refused(site.test({"context": {"amount": 100}, "draft": draft}), 422,
                        "INVALID_CONFIG")
        same(error["details"]["path"], "/behavior/data", error)
        error = refused(site.test({"message": ""}), 422, "INVALID_CONFIG")
        same(error["details"]["path"], "/message", error)
        refused(site.test({"context": 7}), 422, "INVALID_CONFIG")
        refused(site.test({"odd": 7}), 422, "INVALID_CONFIG")
        refused(site.mica.ask("POST", here + "/test", "[]"), 422, "INVALID_CONFIG")
        refused(site.mica.ask("POST", here + "/test", "{"), 422, "INVALID_CONFIG")
        refused(site.test({}, {"If-Match": '"77"'}), 412, "REVISION_CONFLICT")
        refused(site.mica.ask("POST", here + "/test", "{}", {"Content-Type": "text/plain"}),
                415, "UNSUPPORTED_MEDIA_TYPE")
        refused(site.test({}, {"Sec-Fetch-Site": "cross-site"}), 403, "CROSS_SITE_REQUEST")
        same(site.mica.ask("POST", "/api/apps/nothing/test", {}).json["error"]["code"],
             "APP_NOT_FOUND", "no app")


def unknown_tools(options, folder):
    """A draft whose tool is not there is refused as its publish is."""
    with Site(options, folder) as site:
        here = site.made({"type": "tool", "tool": "no-such-tool"})
        test = refused(site.test(), 422, "INVALID_CONFIG")
        publish = refused(site.mica.ask("POST", here + "/publish", {}), 422, "INVALID_CONFIG")
        same(test["details"]["path"], "/behavior/tool", test)
        need(publish["details"]["path"] == "/behavior/tool", publish)


def value_of(part):
    """A value that a part of a form takes."""
    if part["type"] == "array":
        return [value_of({"type": "string", **part["items"]})]
    choices = part.get("enum") or [one["const"] for one in
                                   part.get("oneOf", part.get("anyOf", []))]
    if choices:
        return choices[0]
    return {"boolean": True, "string": "words",
            "integer": part.get("minimum", 1), "number": part.get("minimum", 1)}[part["type"]]


def questions(options, folder):
    """A tool that asks its caller asks over the builder; the HTTP API says that it cannot."""
    with Site(options, folder) as site:
        site.made(SURVEY)
        error = refused(site.test(), 400, "CAPABILITY_MISSING")
        need("/builder/mcp" in error["message"], error)
        meta = {**META, "io.modelcontextprotocol/clientCapabilities":
                {"elicitation": {"form": {}}}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "test_app", "_meta": meta,
            "arguments": {"app": "order-clerk", "message": "Trains"}}}
        for _ in range(12):
            result = site.mica.mcp(body, {"Mcp-Name": "test_app"}).json["result"]
            if "inputRequests" not in result:
                break
            answers = {}
            for key, asked in result["inputRequests"].items():
                content = {}
                schema = asked["params"]["requestedSchema"]
                for name, part in schema["properties"].items():
                    content[name] = value_of(part)
                answers[key] = {"action": "accept", "content": content}
            body["params"]["inputResponses"] = answers
            if "requestState" in result:
                body["params"]["requestState"] = result["requestState"]
        need("structuredContent" in result, result)
        data = result["structuredContent"]["structuredContent"]
        same(data["facts"][0]["label"], "Score", data)
        # A round runs once: the test was counted once.
        for answer in body["params"]["inputResponses"].values():
            answer.update(action="decline")
        again = site.mica.mcp(body, {"Mcp-Name": "test_app"}).json
        same(again.get("error", {}).get("data"), {"code": "STATE_SUPERSEDED"}, again)


def steps(options, folder):
    """A tool with steps, whose calls a store keeps, runs in a test as well."""
    with Site(options, folder) as site:
        site.made(IMPORT)
        reply = site.test({"context": {"rows": 3}})
        same((reply.status, reply.json["structuredContent"]["facts"][0]["value"]), (200, 3),
             reply.text)


def people(options, folder):
    """A tool runs for the person who tests: a caller without the right is refused as in a publish."""
    rules = json.dumps([{"principal": "eve", "deny": ["tip-splitter"]}])
    with Site(options, folder, "--auth", authorized(folder), "--rule-access", rules) as site:
        bill = {"context": {"amount": 100, "people": 2}}
        here = site.made(TIP, token("ada"), roles={"editors": ["eve"], "viewers": ["vic"]})
        same(site.test(bill, who=token("ada")).json["structuredContent"], BILL, "ada's")
        test = refused(site.test(bill, who=token("eve")), 422, "INVALID_CONFIG")
        publish = refused(site.mica.ask("POST", here + "/publish", {}, who=token("eve")), 422,
                          "INVALID_CONFIG")
        same([finding for finding in test["details"]["findings"]
              if finding["path"] == test["details"]["path"]],
             [finding for finding in publish["details"]["findings"]
              if finding["path"] == "/behavior/tool"], "the finding of both")
        refused(site.test(bill, who=token("vic")), 403, "ROLE_MISSING")
        refused(site.test(bill, who=token("mallory")), 404, "APP_NOT_FOUND")
        refused(site.test(bill, who=token("ada", "tools")), 403, "INSUFFICIENT_SCOPE")
        refused(site.test(bill), 401, "UNAUTHORIZED")


# ---- Prompts ---------------------------------------------------------------------------


def prompts(options, folder):
    """A provider answers the prompt of a draft; a wrong answer is asked for once more."""
    with Site(options, folder) as site:
        site.made(TALK)
        tested = site.test({"context": {"order": 12345}})
        same((tested.status, tested.json["structuredContent"]), (200, json.loads(RIGHT)),
             tested.text)
        request = site.model.requests[0]
        need(PROMPT in request.body["messages"][0]["content"], request.body)
        need("Where?" in request.body["messages"][1]["content"], request.body)
        repaired = site.test({"draft": {"behavior": dict(TALK, model="repair")}})
        same(repaired.json["structuredContent"], json.loads(RIGHT), repaired.text)
        same(len(site.model.requests), 3, "requests")
        built = site.mica.tool("test_app", {"app": "order-clerk", "message": "Where?"})
        same(built["structuredContent"]["structuredContent"], json.loads(RIGHT), built)
        until(lambda: site.usage()["calls"] == 3 and site.usage()["tokens"] >= 29 * 4,
              site.usage())


def prompt_failures(options, folder):
    """What a provider does wrong is the error that a call has."""
    with Site(options, folder) as site:
        site.made(TALK)
        # Only what hangs has little time: the others fail before, on a slow machine, too.
        for model, seconds, status, code in (
                ("wrong", 60, 500, "EXECUTION_ERROR"), ("overloaded-9", 60, 502, "LLM_ERROR"),
                ("leak", 60, 502, "LLM_ERROR"), ("cut", 60, 502, "LLM_ERROR"),
                ("garbage", 60, 502, "LLM_ERROR"), ("hang", 2, 504, "TIMEOUT")):
            reply = site.test({"draft": {
                "behavior": dict(TALK, model=model),
                "budget": {"seconds": seconds, "callsPerDay": 100}}})
            refused(reply, status, code, model)
        refused(site.test({"draft": {"behavior": dict(TALK, provider="nothing")}}), 422,
                "INVALID_CONFIG")


def no_provider(options, folder):
    """Without a provider the draft is refused as its publish is."""
    with Site(options, folder, models=False) as site:
        here = site.made(TALK, budget={"callsPerDay": 10})
        test = refused(site.test(), 422, "INVALID_CONFIG")
        publish = refused(site.mica.ask("POST", here + "/publish", {}), 422, "INVALID_CONFIG")
        same(test["details"]["path"], publish["details"]["path"], test)


def progress(options, folder):
    """A client that takes events hears how far the model is, and the result last."""
    with Site(options, folder) as site:
        site.made(dict(TALK, model="step-5"), budget={"seconds": 60, "callsPerDay": 100})
        data = {"title": "Long", "body": "word " * 400}
        reply = site.test({"message": json.dumps(data)}, STREAM)
        events = events_of(reply)
        same(events[-1][0], "result", events[-1])
        same(events[-1][1]["structuredContent"], data, "the result")
        told = [event[1]["progress"] for event in events[:-1]]
        same([event[0] for event in events[:-1]], ["progress"] * len(told), events)
        need(told == sorted(set(told)) and told[0] == 0 and told[-1] == 100, told)
        need(len(told) > 4, told)
        events = events_of(site.test({"draft": {"behavior": dict(TALK, model="leak")}}, STREAM))
        same((events[-1][0], events[-1][1]["error"]["code"]), ("error", "LLM_ERROR"), events)


def sampling(options, folder):
    """The model of the client answers over the builder; the HTTP API says that it has none."""
    with Site(options, folder, models=False) as site:
        site.made(dict(TALK, by="client"))
        error = refused(site.test(), 400, "CAPABILITY_MISSING")
        need("sampling" in error["message"], error)
        params = {"name": "test_app", "arguments": {"app": "order-clerk", "message": "Where?"},
                  "_meta": {**META, "io.modelcontextprotocol/clientCapabilities":
                            {"sampling": {}}}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        for words in ("I do not know.", RIGHT):
            result = site.mica.mcp(body, {"Mcp-Name": "test_app"}).json["result"]
            (key, asked), = result["inputRequests"].items()
            same(asked["method"], "sampling/createMessage", asked)
            params.update(requestState=result["requestState"],
                          inputResponses={key: app_prompts.sampled(words)})
        result = site.mica.mcp(body, {"Mcp-Name": "test_app"}).json["result"]
        same(result["structuredContent"]["structuredContent"], json.loads(RIGHT), result)


def many(options, folder):
    """Forty tests of a slow model wait at once, on no worker."""
    with Site(options, folder, model="late-10") as site:
        here = site.made(TALK, budget={"seconds": 60, "callsPerDay": 100, "concurrent": 100,
                                       "tokensPerDay": 100000})
        with concurrent.futures.ThreadPoolExecutor(41) as pool:
            tests = [pool.submit(site.test) for _ in range(40)]
            until(lambda: site.model.open == 40, "they do not wait at once")
            asked = time.monotonic()
            same(site.mica.ask("GET", here).status, 200, "meanwhile")
            need(time.monotonic() - asked < 8, "an act waited for the models")
            same({test.result().status for test in tests}, {200}, "tests")


def hangups(options, folder):
    """A client that leaves cancels its test, and the request of the provider."""
    with Site(options, folder, model="hang") as site:
        site.made(TALK, budget={"seconds": 60, "callsPerDay": 10})
        connection = http.client.HTTPConnection("127.0.0.1", site.mica.port, timeout=PATIENCE)
        connection.request("POST", "/api/apps/order-clerk/test", json.dumps({"message": "x"}),
                           {"Content-Type": "application/json"})
        until(lambda: len(site.model.requests) == 1, "the model was not asked")
        connection.close()
        until(lambda: site.usage()["failures"] == 1, site.usage())


def stops(options, folder):
    """A server that stops ends the tests that wait, in the form of the API."""
    with Site(options, folder, model="hang") as site:
        site.made(TALK, budget={"seconds": 60, "callsPerDay": 10})
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            tests = [pool.submit(site.test, None, headers) for headers in ({}, STREAM)]
            until(lambda: len(site.model.requests) == 2, "the model was not asked")
            site.mica.process.terminate()
            plain, stream = (test.result() for test in tests)
        site.mica.process.wait(PATIENCE)  # a second signal would end it at once
        refused(plain, 504, "TIMEOUT")
        last = events_of(stream)[-1]
        same((last[0], last[1]["error"]), ("error", plain.error), stream.text)


def slow(options, folder):
    """A model that takes longer than counts are kept in memory is counted all the same."""
    with Site(options, folder, model="late-4") as site:
        site.made(TALK)
        same(site.test().status, 200, "a test")
        until(lambda: site.usage() == {"calls": 1, "failures": 0, "tokens": 29}, site.usage)


def collections(options, folder):
    """An app of a collection runs its tool there as at its own address."""
    with Site(options, folder) as site:
        here = site.made(TIP, toolName="track_order")
        same(site.mica.ask("POST", here + "/publish", {}).status, 200, "publish")
        made = site.mica.ask("POST", "/api/collections", {"name": "Desk",
                                                          "members": ["order-clerk"]})
        same(made.status, 201, made.text)
        result = site.mica.tool("track_order", {"message": "x", "context": {
            "amount": 100, "people": 2}}, endpoint="/servers/desk/mcp")
        same(result["structuredContent"], BILL, result)


def budgets(options, folder):
    """A test spends the budget of what is published, whatever the draft says."""
    with Site(options, folder) as site:
        here = site.made(TALK, toolName="track_order", budget={"callsPerDay": 2})
        same(site.mica.ask("POST", here + "/publish", {}).status, 200, "publish")
        need("structuredContent" in site.call({}), "a call")
        same(site.mica.ask("PATCH", here, {"budget": {"callsPerDay": 100}}).status, 200, "edit")
        same(site.test().status, 200, "a test")
        reply = site.test()
        error = refused(reply, 429, "BUDGET_EXHAUSTED")
        need(int(reply.headers["Retry-After"]) > 0 and error["details"]["retryAfterMs"] > 0,
             reply.text)
        same(site.call({})["_meta"]["mica/error"]["code"], "BUDGET_EXHAUSTED", "a call")
        same(len(site.model.requests), 2, "requests")


def foreign_budgets(options, folder):
    """A test is refused changes that its caller may not save: budget and time limit."""
    with Site(options, folder, "--auth", authorized(folder)) as site:
        site.made(TALK, token("ada"), roles={"editors": ["eve"]},
                  budget={"callsPerDay": 1, "seconds": 30})
        more = {"draft": {"budget": {"callsPerDay": 100}}}
        same(site.test(who=token("eve")).status, 200, "the budget of the owner")
        for draft in ({"budget": {"callsPerDay": 100}}, {"budget": {"seconds": 60}},
                      {"budget": None}, {"roles": {"editors": ["eve", "mallory"]}},
                      {"behavior": {"type": "data"}, "budget": None}):
            refused(site.test({"draft": draft}, who=token("eve")), 403, "ROLE_MISSING", draft)
        refused(site.test(who=token("eve")), 429, "BUDGET_EXHAUSTED")
        same(len(site.model.requests), 1, "requests")
        same(site.test(more, who=token("ada")).status, 200, "the owner's")


CASES = [stops, slow, progress,  # the longest
         engines, engine_failures, unknown_tools, questions, steps, people, prompts,
         prompt_failures, no_provider, sampling, many, hangups, collections, budgets,
         foreign_budgets]


def run(cases, only, options):
    """Runs each in a folder of its own, as TAP."""
    cases = [case for case in cases if not only or case.__name__ in only]
    print("1..%d" % len(cases))
    failed = 0

    def tried(case):
        why = None
        folder = tempfile.mkdtemp()
        try:
            case(options, folder)
        except Exception as error:  # a case says what was wrong, and the next runs
            why = str(error) if isinstance(error, Failure) else ""
            why += traceback.format_exc()
        shutil.rmtree(folder, ignore_errors=True)
        return why

    for number, case, why in outcomes(cases, tried):
        failed += why is not None
        print("%s %d - %s" % ("ok" if why is None else "not ok", number,
                              case.__doc__.rstrip(".")))
        for line in (why or "").splitlines():
            print("# " + line)
        sys.stdout.flush()
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("mica", "engines", "tools"):
        parser.add_argument("--" + name, default="build/" + name)
    parser.add_argument("only", nargs="*")
    options = parser.parse_args()
    for name in ("mica", "engines", "tools"):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    return run(CASES, options.only, options)


if __name__ == "__main__":
    sys.exit(main())

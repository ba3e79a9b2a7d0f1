#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Published apps that run a tool of the server, as clients meet them; prints TAP.

    app_behaviors.py --mica build/mica --app-store build/tests/wire/app-store \
        --engines build/engines --tools build/tools --test-engines build/tests/engines
"""
import argparse
import copy
import glob
import json
import os
import shutil
import signal
import sys
import time

import apps

TIP = {"type": "tool", "tool": "tip-splitter",
       "arguments": {"/amount": {"pointer": "/context/amount"},
                     "/people": {"pointer": "/context/people"},
                     "/currency": {"value": "EUR"}},
       "data": {"/title": {"value": "The bill"},
                "/facts/0/label": {"value": "Total"},
                "/facts/0/value": {"pointer": "/total"}},
       "message": "The bill with the tip:"}
SURVEY = {"type": "tool", "tool": "survey",
          "arguments": {"/subject": {"pointer": "/message"}},
          "data": {"/title": {"pointer": "/ending"},
                   "/facts/0/label": {"value": "Score"},
                   "/facts/0/value": {"pointer": "/score"}}}
IMPORT = {"type": "tool", "tool": "import",
          "arguments": {"/feed": {"value": "trade-fair"},
                        "/rows": {"pointer": "/context/rows"}},
          "data": {"/title": {"value": "Imported"},
                   "/facts/0/label": {"value": "Rows"},
                   "/facts/0/value": {"pointer": "/taken"}}}
ELICITS = {"elicitation": {"form": {}}}


class Case:
    """A store and a server with engines and tools."""

    def __init__(self, given):
        self.given = given
        self.store = apps.Store(given.app_store)
        self.server = None

    def publish(self, behavior, **other):
        self.store.publish(text=apps.version(behavior=behavior, **other))

    def serve(self, *options):
        self.server = apps.Server(self.given.mica, self.store, "--engines",
                                  self.given.engines, "--tools", self.given.tools, *options)
        return self.server

    def hash_of(self, engine):
        with open(os.path.join(self.given.engines, engine + ".json"), encoding="utf-8") as file:
            return json.load(file)["sha256"]


def call(server, message="Where is my order?", context=None, capabilities=None, **params):
    return apps.result(server, "tools/call", capabilities=capabilities,
                       name="get_order_status",
                       arguments={"message": message, **({"context": context} if context
                                                         is not None else {})}, **params)


def failure(result):
    """The error of a failed result, which has the contract's form."""
    assert result["isError"] is True and "structuredContent" not in result, result
    error = result["_meta"]["mica/error"]
    assert set(error) == {"code", "message", "details"}, error
    assert result["content"][0]["text"] == error["code"] + ": " + error["message"]
    return error


def rest_failure(server, status, context=None, body=None):
    """The same over HTTP: the body is the contract's."""
    response = server.request(
        "POST", "/servers/my-support-bot/api/get_order_status", {"Accept": "application/json"},
        body or {"message": "x", **({"context": context} if context is not None else {})})
    said = json.loads(response.read())
    assert response.status == status, (response.status, said)
    assert response.getheader("Content-Type") == "application/json"
    assert set(said) == {"error"}, said
    assert set(said["error"]) == {"code", "message", "details"}, said
    return said["error"]


# ---- Engines -----------------------------------------------------------------------

def an_engine_answers_in_the_layout_of_the_app(case):
    case.publish(TIP)
    server = case.serve()
    tool = apps.result(server, "tools/list")["tools"][0]
    assert tool["annotations"]["readOnlyHint"] is True, tool["annotations"]
    assert tool["annotations"]["idempotentHint"] is True, tool["annotations"]
    result = call(server, context={"amount": 100, "people": 2})
    assert result["structuredContent"] == {
        "title": "The bill", "facts": [{"label": "Total", "value": 115}]}, result
    assert result["content"][0]["text"] == "The bill with the tip:"
    assert "115" in result["content"][1]["text"], result["content"]
    assert result["_meta"]["openai/outputTemplate"].startswith("ui://widget/")
    # As in a session, and over REST.
    status, messages = apps.Session(server).ask(
        "tools/call", name="get_order_status",
        arguments={"message": "x", "context": {"amount": 100}})
    assert messages[-1]["result"]["structuredContent"]["facts"][0]["value"] == 115, messages
    response = server.request("POST", "/servers/my-support-bot/api/get_order_status",
                              {"Accept": "application/json"},
                              {"message": "x", "context": {"amount": 100}})
    assert response.status == 200
    assert json.loads(response.read())["facts"][0]["value"] == 115
    server.end()


def progress_ends_at_100_once(case):
    case.publish(TIP)
    server = case.serve()
    _, messages = apps.ask(server, "tools/call", name="get_order_status", token=1,
                           arguments={"message": "x", "context": {"amount": 100}})
    told = [m["params"]["progress"] for m in messages[:-1]]
    assert told == [0, 50, 100], told
    server.end()


def what_an_argument_lacks_is_told_at_its_place(case):
    case.publish(TIP)
    server = case.serve()
    error = failure(call(server, context={"amount": -1}))
    assert error["code"] == "EXECUTION_ERROR", error
    assert error["details"]["reason"] == "OUT_OF_RANGE", error
    assert error["details"]["path"] == "/context/amount", error
    assert "amount" in error["details"]["message"], error
    # The code of the engine itself.
    error = failure(call(server, context={"amount": 1.001}))
    assert error["details"]["reason"] == "AMOUNT_TOO_PRECISE", error
    assert rest_failure(server, 500, {"amount": 1.001}) == error
    error = rest_failure(server, 422, body={"context": {}})
    assert (error["code"], error["details"]) == ("MISSING_FIELD", {}), error
    server.end()


def every_refusal_of_its_rest_has_the_form_of_the_contract(case):
    """And the OpenAPI document says so."""
    case.publish(TIP)
    server = case.serve()
    api = "/servers/my-support-bot/api"
    json_ = {"Content-Type": "application/json"}
    for method, path, headers, body, status, code in (
            ("POST", "/none", json_, {}, 404, "NOT_FOUND"),
            ("GET", "/get_order_status?message=x", {}, None, 405, "METHOD_NOT_ALLOWED"),
            ("PUT", "/get_order_status", json_, {}, 405, "METHOD_NOT_ALLOWED"),
            ("POST", "/get_order_status", {"Content-Type": "text/plain"}, {}, 415,
             "UNSUPPORTED_MEDIA_TYPE"),
            ("POST", "/get_order_status", {"Accept": "text/html"}, {}, 406, "NOT_ACCEPTABLE"),
            ("POST", "/get_order_status", json_, 7, 422, "WRONG_TYPE"),
            ("POST", "/get_order_status", dict(json_, Origin="https://evil.example"), {}, 403,
             "FORBIDDEN"),
            ("POST", "/get_order_status", json_, {"message": "x" * 5000000}, 413,
             "LIMIT_EXCEEDED"),
            ("GET", "/calls/" + "A" * 22, {}, None, 404, "NOT_FOUND"),
            ("GET", "/a/b/c", {}, None, 404, "NOT_FOUND")):
        response = server.request(method, api + path, headers, body)
        said = json.loads(response.read())
        what = (method, path, response.status, said)
        assert response.status == status, what
        assert set(said) == {"error"} and said["error"]["code"] == code, what
        assert set(said["error"]) == {"code", "message", "details"}, what
        assert response.getheader("Content-Type") == "application/json", what
    document = json.loads(server.request(
        "GET", "/servers/my-support-bot/openapi.json").read())
    parts = document["components"]
    for name in ("Problem", "Busy"):
        assert list(parts["responses"][name]["content"]) == ["application/json"], name
    assert parts["schemas"]["Problem"]["required"] == ["error"], parts["schemas"]["Problem"]
    # At /mcp's own REST they are problem documents.
    response = server.request("POST", "/api/none", json_, {})
    assert response.getheader("Content-Type") == "application/problem+json"
    assert json.loads(response.read())["code"] == "NOT_FOUND"
    server.end()


def data_that_the_layout_forbids_are_no_result(case):
    case.publish(dict(TIP, data={"/title": {"pointer": "/total"}}))
    server = case.serve()
    error = failure(call(server, context={"amount": 100}))
    assert error["code"] == "EXECUTION_ERROR", error
    assert error["details"]["reason"] == "WRONG_TYPE" and "/title" in error["message"], error
    # Without a map the result itself is the data.
    case.publish({"type": "tool", "tool": "tip-splitter",
                  "arguments": TIP["arguments"]})
    apps.until(lambda: failure(call(server, context={"amount": 100}))["details"]["reason"]
               == "UNKNOWN_FIELD")
    server.end()


def a_version_is_bound_to_a_build(case):
    case.publish(TIP, pin=case.hash_of("tip-splitter"))
    server = case.serve()
    assert call(server, context={"amount": 100})["structuredContent"]["title"] == "The bill"
    case.publish(TIP, pin="0" * 64)
    apps.until(lambda: call(server, context={"amount": 100}).get("isError"))
    error = failure(call(server, context={"amount": 100}))
    assert error["code"] == "EXECUTION_ERROR", error
    assert "build" in error["message"] and "publish the app again" in error["message"], error
    assert error["details"]["reason"] == "NOT_FOUND", error
    case.publish(dict(TIP, tool="no-such-tool"))
    apps.until(lambda: "no-such-tool" in
               failure(call(server, context={"amount": 100}))["message"])
    server.end()


MISBEHAVE = {"type": "tool", "tool": "misbehave",
             "arguments": {"/act": {"pointer": "/context/act"},
                           "/number": {"pointer": "/context/number"}},
             "data": {"/title": {"pointer": "/text"}}}


def take_misbehave(case):
    """A folder with that engine alone: another of the test's engines has no manifest."""
    folder = os.path.join(case.store.folder.name, "engines")
    os.mkdir(folder)
    for path in glob.glob(os.path.join(case.given.test_engines, "misbehave[.-]*")):
        shutil.copy(path, folder)
    case.given.engines = folder


def a_time_limit_of_the_engine_is_timeout_of_the_app(case):
    """In each revision and over HTTP; and no other call notices."""
    take_misbehave(case)
    case.publish(MISBEHAVE, pin=case.hash_of("misbehave"))
    case.store.publish("other")
    server = case.serve()
    for act in ("endless-loop", "endless-calls"):
        began = time.monotonic()
        error = failure(call(server, context={"act": act}))
        assert error["code"] == "TIMEOUT" and error["details"]["reason"] == "TIMEOUT", error
        assert "60 ms" in error["message"], error
        assert time.monotonic() - began < 10
    for revision in apps.SESSIONS:
        _, messages = apps.Session(server, revision).ask(
            "tools/call", name="get_order_status", _meta={"progressToken": 1},
            arguments={"message": "x", "context": {"act": "endless-loop"}})
        assert failure(messages[-1]["result"])["code"] == "TIMEOUT", messages
        told = [m["params"]["progress"] for m in messages[:-1]]
        assert told == sorted(set(told)) and told[0] == 0 and told[-1] < 100, told
    assert rest_failure(server, 504, {"act": "endless-loop"}) == error
    assert apps.title_of(server, "other") == "Order 1"
    result = call(server, context={"act": "behave", "number": 41})
    assert result["structuredContent"] == {"title": "41"}, result
    server.end()


def what_an_engine_does_wrong_ends_its_call_alone(case):
    take_misbehave(case)
    case.publish(MISBEHAVE, pin=case.hash_of("misbehave"))
    server = case.serve()
    for act in ("trap", "divide", "overflow", "index", "convert", "wild-read", "wild-write",
                "wild-call", "deep-locals", "deep-memory", "greedy", "verbose",
                "not-a-number", "bad-text"):
        result = call(server, context={"act": act})
        if act in ("overflow", "index") and not result.get("isError"):
            continue  # what C leaves undefined, and the sandbox cannot see
        error = failure(result)
        assert error["code"] == "EXECUTION_ERROR", (act, error)
        assert "misbehave" in error["message"] and error["details"]["reason"], (act, error)
        result = call(server, context={"act": "behave", "number": 1})
        assert result["structuredContent"] == {"title": "1"}, (act, result)
    server.end()


# ---- Tools that ask ----------------------------------------------------------------

def answer(server, result, **answers):
    """Answers the only open question."""
    key = list(result["inputRequests"])[0]
    return call(server, capabilities=ELICITS, requestState=result["requestState"],
                inputResponses={key: {"action": "accept", "content": answers}})


def a_tool_asks_through_the_app_in_rounds(case):
    case.publish(SURVEY)
    server = case.serve()
    status, messages = apps.ask(server, "tools/call", name="get_order_status",
                                arguments={"message": "tea"})
    assert "error" in messages[-1], messages  # the client cannot be asked
    result = call(server, "Where is my order?", capabilities=ELICITS)
    question = list(result["inputRequests"].values())[0]
    assert question["params"]["message"] == "How much do you like Where is my order??", question
    result = answer(server, result, score=9)
    assert "inputRequests" in result, result
    # The call ends on the version that it began on, at another server too.
    case.store.publish(text=apps.version("Order 2"))
    apps.until(lambda: "structuredContent" in call(server, capabilities=ELICITS))
    server.end(signal.SIGKILL)
    server = case.serve()
    result = answer(server, result, words="Nice.", more=False)
    assert result["structuredContent"] == {
        "title": "finished", "facts": [{"label": "Score", "value": 9}]}, result
    server.end()


def a_tool_asks_through_the_app_in_a_session(case):
    case.publish(SURVEY)
    server = case.serve()
    session = apps.Session(server, capabilities={"elicitation": {}})
    stream = apps.Stream(server.request("POST", session.path, session.headers, {
        "jsonrpc": "2.0", "id": 5, "method": "tools/call",
        "params": {"name": "get_order_status", "arguments": {"message": "tea"}}}))

    def questions():
        return [e for e in stream.events if e.get("method") == "elicitation/create"]

    for number, content in enumerate(({"score": 8}, {"words": "Good.", "more": False})):
        apps.until(lambda: len(questions()) > number)
        apps.whole(server.request("POST", session.path, session.headers, {
            "jsonrpc": "2.0", "id": questions()[number]["id"],
            "result": {"action": "accept", "content": content}}))
    apps.until(stream.ended.is_set)
    result = stream.events[-1]["result"]
    assert result["structuredContent"]["facts"][0]["value"] == 8, result
    server.end()


def what_a_person_declines_is_a_result_of_the_tool(case):
    case.publish(SURVEY)
    server = case.serve()
    result = call(server, capabilities=ELICITS)
    key = list(result["inputRequests"])[0]
    result = call(server, capabilities=ELICITS, requestState=result["requestState"],
                  inputResponses={key: {"action": "decline"}})
    # The tool has ended without a score, which the layout needs.
    assert failure(result)["code"] == "EXECUTION_ERROR", result
    server.end()


def progress_of_the_tool_rises_between_50_and_100(case):
    case.publish(IMPORT)
    server = case.serve()
    _, messages = apps.ask(server, "tools/call", name="get_order_status", token=1,
                           arguments={"message": "x", "context": {"rows": 1000}})
    told = [m["params"] for m in messages[:-1]
            if m["method"] == "notifications/progress"]
    values = [one["progress"] for one in told]
    assert values == sorted(set(values)), values
    assert values[:2] == [0, 50] and values[-1] == 100 and len(values) > 3, values
    assert all(one["total"] == 100 for one in told), told
    assert messages[-1]["result"]["structuredContent"]["title"] == "Imported", messages[-1]
    server.end()


# ---- Who may ----------------------------------------------------------------------

def rules_of_the_operator_hold_for_the_mapped_tool(case):
    case.publish(TIP, pin=case.hash_of("tip-splitter"))
    path = os.path.join(case.store.folder.name, "rules.json")
    for allowed in (["get_order_status"], ["get_order_status", "tip-splitter"]):
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"access": [{"principal": "*", "allow": allowed}]}, file)
        server = case.serve("--rules", path)
        result = call(server, context={"amount": 100})
        if len(allowed) == 1:
            assert failure(result)["code"] == "EXECUTION_ERROR", result
        else:
            assert "structuredContent" in result, result
        server.end()


def api(server, method, path, body=None, **headers):
    response = server.request(method, "/api/apps" + path, headers, body)
    return response.status, json.loads(response.read())


def what_cannot_run_is_not_published(case):
    path = os.path.join(case.store.folder.name, "rules.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"access": [{"principal": "*", "deny": ["hash"]}]}, file)
    server = case.serve("--rules", path)
    status, app = api(server, "POST", "", {
        "name": "Tips", "propose": True, "layoutTemplate": "card", "behavior": TIP})
    assert status == 201, app

    def publish(behavior):
        status, said = api(server, "PATCH", "/" + app["id"], {"behavior": behavior},
                           **{"If-Match": '"%d"' % edit["revision"]})
        assert status == 200, said
        edit["revision"] = said["revision"]
        return api(server, "POST", "/%s/publish" % app["id"], {})

    edit = {"revision": app["revision"]}
    for behavior, path in (
            (dict(TIP, tool="hash", arguments={"/text": {"pointer": "/message"}}),
             "/behavior/tool"),
            (dict(TIP, tool="nothing"), "/behavior/tool"),
            (dict(TIP, arguments={"/amont": {"value": 1}}), "/behavior/arguments"),
            (dict(TIP, arguments={"/amount": {"value": "x"}}), "/behavior/arguments"),
            (dict(TIP, data={"/title": {"pointer": "/nothing"}}), "/behavior/data"),
            (dict(TIP, data={"/facts": {"value": []}}), "/behavior/data"),
            ({"type": "prompt", "systemPrompt": "x", "by": "provider"}, "/behavior/by")):
        status, said = publish(behavior)
        error = said["error"]
        assert status == 422 and error["code"] == "INVALID_CONFIG", said
        assert error["details"]["path"].startswith(path), (path, error)
    status, said = publish(TIP)
    assert status == 200, said
    edit["revision"] = said["revision"]
    result = apps.result(server, "tools/call", app["mcpSlug"], name=said["toolName"],
                         arguments={"message": "x", "context": {"amount": 100}})
    assert result["structuredContent"]["facts"][0]["value"] == 115, result
    server.end()


# ---- Budgets -------------------------------------------------------------------------

def a_day_has_a_number_of_calls(case):
    case.publish({"type": "data"}, budget={"callsPerDay": 3})
    reserved = apps.Reserved()
    metrics = reserved.number
    server = case.serve("--metrics", "127.0.0.1:%d" % metrics)
    for _ in range(3):
        assert "structuredContent" in call(server)
    status, messages = apps.ask(server, "tools/call", name="get_order_status",
                                arguments={"message": "x"})
    error = failure(messages[-1]["result"])
    assert status == 200 and error["code"] == "BUDGET_EXHAUSTED", error
    assert 0 < error["details"]["retryAfterMs"] <= 24 * 60 * 60 * 1000, error
    response = server.request("POST", "/servers/my-support-bot/api/get_order_status",
                              {"Accept": "application/json"}, {"message": "x"})
    assert response.status == 429, response.status
    assert int(response.getheader("Retry-After")) > 0
    said = json.loads(response.read())["error"]
    assert said["code"] == "BUDGET_EXHAUSTED" and said["details"]["retryAfterMs"] > 0, said
    # An operator sees both, by the code: a server counts an answer once it is sent.
    refused = r'mica_refused_total\{code="BUDGET_EXHAUSTED"\}'
    apps.until(lambda: apps.counter(metrics, refused) >= 2)
    assert apps.counter(metrics, refused) == 2
    other = case.serve()
    apps.until(lambda: call(other).get("isError"))
    server.end()
    reserved.release()
    other.end()
    server = case.serve()
    assert failure(call(server))["code"] == "BUDGET_EXHAUSTED"
    # A republish raises it.
    case.publish({"type": "data"}, budget={"callsPerDay": 1000})
    apps.until(lambda: not call(server).get("isError"))
    server.end()


def calls_at_once_are_bounded(case):
    case.publish(SURVEY, budget={"concurrent": 1})
    server = case.serve()
    first = call(server, capabilities=ELICITS)
    error = failure(call(server, capabilities=ELICITS))
    assert error["code"] == "BUDGET_EXHAUSTED" and "at once" in error["message"], error
    result = answer(server, first, score=9)
    result = answer(server, result, words="Nice.", more=False)
    assert result["structuredContent"]["title"] == "finished", result
    assert "inputRequests" in call(server, capabilities=ELICITS)
    server.end()


def the_store_has_the_usage(case):
    case.publish(TIP)
    server = case.serve()
    for amount in (100, 200, -1):
        call(server, context={"amount": amount})
    apps.until(lambda: case.store.usage() == [(3, 1, 0)])
    call(server, context={"amount": 5})
    server.end()  # what was counted is added at the stop
    assert case.store.usage() == [(4, 1, 0)], case.store.usage()


def main():
    parser = argparse.ArgumentParser()
    for name in ("mica", "app-store", "engines", "tools", "test-engines"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("only", nargs="*")
    given = parser.parse_args()
    for name in ("mica", "app_store", "engines", "tools", "test_engines"):
        setattr(given, name, os.path.abspath(getattr(given, name)))
    tests = [an_engine_answers_in_the_layout_of_the_app, progress_ends_at_100_once,
             what_an_argument_lacks_is_told_at_its_place,
             every_refusal_of_its_rest_has_the_form_of_the_contract,
             data_that_the_layout_forbids_are_no_result,
             a_time_limit_of_the_engine_is_timeout_of_the_app,
             what_an_engine_does_wrong_ends_its_call_alone, a_version_is_bound_to_a_build,
             a_tool_asks_through_the_app_in_rounds,
             a_tool_asks_through_the_app_in_a_session,
             what_a_person_declines_is_a_result_of_the_tool,
             progress_of_the_tool_rises_between_50_and_100,
             rules_of_the_operator_hold_for_the_mapped_tool,
             what_cannot_run_is_not_published, a_day_has_a_number_of_calls, calls_at_once_are_bounded,
             the_store_has_the_usage]
    if given.only:
        tests = [test for test in tests if test.__name__ in given.only]
    print("1..%d" % len(tests))
    failed = 0
    for number, test in enumerate(tests, 1):
        name = test.__name__.replace("_", " ")
        try:
            test(Case(copy.copy(given)))
            print("ok %d - %s" % (number, name), flush=True)
        except Exception as error:  # any failure is a result
            failed += 1
            line = sys.exc_info()[2].tb_next
            print("not ok %d - %s" % (number, name))
            print("# line %d: %r" % (line.tb_lineno, error), flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

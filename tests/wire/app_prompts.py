#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Published apps whose answer a language model writes, as clients meet them; prints TAP.

    app_prompts.py --mica build/mica --app-store build/tests/wire/app-store

model_server.py is the provider.
"""
import argparse
import json
import os
import signal
import socket
import sys
import threading
import time

import apps
import model_server
from together import outcomes, tell
from app_behaviors import failure

# What no client, log or number may have.
PROMPT = "prompt-marker-8841 Answer as a polite clerk."
KEY = "sk-key-marker-8841"
PROVIDER = "provider-marker-8841"
MARKERS = ("prompt-marker-8841", KEY, PROVIDER, "model-marker")
RIGHT = '{"title": "Order 12345", "badge": "Shipped"}'
SAMPLES = {"sampling": {}}


class Model(model_server.Server):
    """The stand-in, with answers of the layout "card"."""

    def answers_before(self, request):
        return sum(m["role"] == "assistant" for m in request.body["messages"])

    async def do_right(self, request, writer, _):
        return await self.plain(request, writer, RIGHT)

    async def do_fenced(self, request, writer, _):
        return await self.plain(request, writer, "Here it is:\n```json\n" + RIGHT + "\n```\n")

    async def do_repair(self, request, writer, _):
        return await self.plain(request, writer,
                                RIGHT if self.answers_before(request) else '{"name": "x"}')

    async def do_late(self, request, writer, number):
        await model_server.asyncio.sleep(number)
        return await self.plain(request, writer, RIGHT)


class Case:
    provider = Model

    def __init__(self, given):
        self.given = given
        self.store = apps.Store(given.app_store)
        self.model = self.provider()
        self.servers = []
        self.seen = []

    def publish(self, model="right", **behavior):
        budget = {"callsPerDay": 1000, "tokensPerDay": 1000000, "seconds": 20,
                  "concurrent": 100, **behavior.pop("budget", {})}
        with open(os.path.join(self.store.folder.name, "mica.toml"), "w",
                  encoding="utf-8") as file:
            file.write('[providers.%s]\ntype = "openai"\nurl = "%s"\nmodel = "%s"\n'
                       'key_env = "APP_KEY"\nattempts = 1\n'
                       % (PROVIDER, self.model.url, model))
        self.store.publish(text=apps.version(
            behavior={"type": "prompt", "systemPrompt": PROMPT, "by": "provider", **behavior},
            budget=budget))

    def serve(self, *options, models=True):
        server = apps.Server(self.given.mica, self.store,
                             *(["--models"] if models else []), *options,
                             environment={"APP_KEY": KEY})
        self.servers.append(server)
        return server

    def call(self, server, message="Where is my order?", **params):
        arguments = {"message": message, **params.pop("arguments", {})}
        status, messages = apps.ask(server, "tools/call", name="get_order_status",
                                    arguments=arguments, **params)
        self.seen += messages
        assert "result" in messages[-1], (status, messages)
        return messages[-1]["result"]

    def end(self):
        """Nothing that was said has a marker in it."""
        for server in self.servers:
            if server.process.poll() is None:
                server.end()
            self.seen += server.said
        text = json.dumps(self.seen)
        assert not any(marker in text for marker in MARKERS), text
        self.model.close()


# ---- Providers ---------------------------------------------------------------------

def a_provider_writes_the_data(case):
    case.publish()
    server = case.serve()
    tool = apps.result(server, "tools/list")["tools"][0]
    assert tool["annotations"]["openWorldHint"] is True, tool
    case.seen.append(tool)
    result = case.call(server, arguments={"context": {"order": 12345}})
    assert result["structuredContent"] == json.loads(RIGHT), result
    assert "Shipped" in result["content"][0]["text"], result
    request = case.model.requests[0]
    assert request.headers["authorization"] == "Bearer " + KEY
    roles = [m["role"] for m in request.body["messages"]]
    assert roles == ["system", "user"], roles
    # What the user says is never a part of what the system says.
    assert PROMPT in request.body["messages"][0]["content"]
    assert "Where is my order?" not in request.body["messages"][0]["content"]
    assert "Where is my order?" in request.body["messages"][1]["content"]
    assert '{"order":12345}' in request.body["messages"][1]["content"]


def an_answer_between_sentences_is_found(case):
    case.publish("fenced")
    assert case.call(case.serve())["structuredContent"] == json.loads(RIGHT)


def a_wrong_answer_is_asked_for_once_more(case):
    case.publish("repair")
    result = case.call(case.serve())
    assert result["structuredContent"] == json.loads(RIGHT), result
    assert len(case.model.requests) == 2
    said = case.model.requests[1].body["messages"]
    assert [m["role"] for m in said] == ["system", "user", "assistant", "user"], said
    assert said[2]["content"] == '{"name": "x"}'
    assert "name" in said[3]["content"] and "title" in said[3]["content"], said[3]


def a_second_wrong_answer_is_an_error(case):
    case.publish("wrong")
    error = failure(case.call(case.serve()))
    assert error["code"] == "EXECUTION_ERROR" and "card" in error["message"], error
    assert len(case.model.requests) == 2


def what_the_provider_does_wrong_is_llm_error(case):
    case.publish("overloaded-9")
    server = case.serve()
    error = failure(case.call(server))
    assert error == {"code": "LLM_ERROR", "message": "the language model could not answer",
                     "details": {}}, error
    response = server.request("POST", "/servers/my-support-bot/api/get_order_status",
                              {"Accept": "application/json"}, {"message": "x"})
    body = json.loads(response.read())
    case.seen.append(body)
    assert response.status == 502 and body == {"error": error}, (response.status, body)
    for model in ("cut", "leak", "status-500", "redirect", "garbage", "refuse", "length"):
        server.end()
        case.publish(model)
        server = case.serve()
        assert failure(case.call(server))["code"] == "LLM_ERROR", model


def a_slow_model_reaches_the_time_limit_of_the_app(case):
    case.publish("hang", budget={"seconds": 1})
    server = case.serve()
    began = time.monotonic()
    assert failure(case.call(server))["code"] == "TIMEOUT"
    assert 0.8 < time.monotonic() - began < 15


def progress_follows_the_words(case):
    case.publish("step-5", budget={"seconds": 60})
    server = case.serve()
    data = {"title": "Long", "body": "word " * 400}
    _, messages = apps.ask(server, "tools/call", name="get_order_status", token=1,
                           arguments={"message": json.dumps(data)})
    case.seen += messages
    told = [m["params"]["progress"] for m in messages[:-1]]
    assert told == sorted(set(told)) and told[0] == 0 and told[-1] == 100, told
    assert len(told) > 4, told
    assert messages[-1]["result"]["structuredContent"] == data


def a_silent_model_still_rises(case):
    """Clients give up after a minute without progress."""
    case.publish("late-9", budget={"seconds": 60})
    server = case.serve()
    plain = []
    thread = threading.Thread(target=lambda: plain.extend(apps.ask(
        server, "tools/call", name="get_order_status", arguments={"message": "x"})[1]))
    thread.start()
    _, messages = apps.ask(server, "tools/call", name="get_order_status", token=1,
                           arguments={"message": "x"})
    case.seen += messages
    told = [m["params"]["progress"] for m in messages[:-1]]
    assert told == sorted(set(told)) and told[0] == 0 and told[-1] == 100, told
    assert len([progress for progress in told if 50 < progress < 95]) >= 3, told
    # A client that wants no progress is told none, and has one answer.
    thread.join(apps.PATIENCE)
    assert len(plain) == 1 and "result" in plain[0], plain


def sessions_and_rest_have_it_too(case):
    case.publish()
    server = case.serve()
    for revision in apps.SESSIONS:
        status, messages = apps.Session(server, revision).ask(
            "tools/call", name="get_order_status", arguments={"message": "x"})
        case.seen += messages
        result = messages[-1]["result"]
        assert not result.get("isError"), result
        assert "Shipped" in json.dumps(result), (revision, result)
    status, said = apps.whole(server.request(
        "POST", "/servers/my-support-bot/api/get_order_status",
        {"Accept": "application/json"}, {"message": "x"}))
    assert (status, said) == (200, [json.loads(RIGHT)]), (status, said)


def no_worker_waits_for_a_model(case):
    case.publish("late-5", budget={"seconds": 100})
    server = case.serve()
    results = []
    threads = [threading.Thread(target=lambda: results.append(case.call(server)))
               for _ in range(40)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(apps.PATIENCE)
    # A pool of four workers that waited would take 50 seconds.
    assert len(results) == 40 and time.monotonic() - began < 40, len(results)
    assert all(r["structuredContent"]["badge"] == "Shipped" for r in results)


def a_thousand_calls_at_once_wait_for_a_model(case):
    """Begun in one moment by as many clients: none is refused, and none waits for others."""
    count, limit = 1000, 250
    case.publish("late-2", budget={"concurrent": count, "seconds": 200})
    server = case.serve()
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": apps.params_of(
        name="get_order_status", arguments={"message": "x"})}).encode()
    request = (b"POST /servers/my-support-bot/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
               b"Content-Type: application/json\r\nConnection: close\r\n"
               b"Accept: application/json, text/event-stream\r\n"
               b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
               b"Mcp-Name: get_order_status\r\nContent-Length: %d\r\n\r\n%s"
               % (len(body), body))
    clients = [socket.create_connection(("127.0.0.1", server.port), limit)
               for _ in range(count)]
    began = time.monotonic()
    for client in clients:
        client.sendall(request)
    for client in clients:
        with client, client.makefile("rb") as reply:
            text = reply.read()
        assert text.startswith(b"HTTP/1.1 200"), text
        assert b"Shipped" in text, text
    # A pool of four workers that waited would take 500 seconds.
    assert time.monotonic() - began < limit


def a_server_without_providers_says_so(case):
    case.publish()
    server = case.serve(models=False)
    error = failure(case.call(server))
    assert error["code"] == "EXECUTION_ERROR", error
    assert error["details"]["reason"] == "NOT_FOUND", error


def a_call_outlives_its_server(case):
    """The client that repeats a call with its key gets the answer from another server."""
    case.publish("late-3", budget={"seconds": 120})
    server = case.serve()
    status = []

    def first():
        try:
            case.call(server, meta={"mica/idempotencyKey": "k1"})
        except (OSError, apps.http.client.HTTPException) as error:
            status.append(error)

    thread = threading.Thread(target=first)
    thread.start()
    apps.until(lambda: len(case.model.requests) == 1)
    server.end(signal.SIGKILL)
    thread.join(apps.PATIENCE)
    assert status, "the first answer came"
    server = case.serve()

    def again():
        _, messages = apps.ask(server, "tools/call", name="get_order_status",
                               arguments={"message": "Where is my order?"},
                               meta={"mica/idempotencyKey": "k1"})
        case.seen += messages
        return messages[-1].get("result", {}).get("structuredContent")
    apps.until(lambda: again() == json.loads(RIGHT), 90)
    # Which asked the model once more, and no third time.
    assert len(case.model.requests) == 2, len(case.model.requests)
    assert again() == json.loads(RIGHT) and len(case.model.requests) == 2


# ---- The client's model ------------------------------------------------------------

def open_sampling(result):
    (key, question), = result["inputRequests"].items()
    assert question["method"] == "sampling/createMessage", question
    return key, question["params"]


def sampled(text):
    return {"role": "assistant", "model": "of-the-client",
            "content": {"type": "text", "text": text}}


def the_model_of_the_client_answers_in_rounds(case):
    case.publish(by="client")
    server = case.serve(models=False)
    arguments = {"name": "get_order_status", "arguments": {"message": "Where?"},
                 "capabilities": SAMPLES}
    result = apps.result(server, "tools/call", **arguments)
    key, params = open_sampling(result)
    assert PROMPT in params["systemPrompt"] and '"title"' in params["systemPrompt"]
    assert params["messages"] == [{"role": "user", "content": {
        "type": "text", "text": "Where?"}}], params
    # Another server continues, and asks nothing that has an answer.
    server.end(signal.SIGKILL)
    server = case.serve(models=False)
    result = apps.result(server, "tools/call", requestState=result["requestState"],
                         inputResponses={key: sampled("I do not know.")}, **arguments)
    other, params = open_sampling(result)
    assert other != key and len(params["messages"]) == 3, params
    result = apps.result(server, "tools/call", requestState=result["requestState"],
                         inputResponses={other: sampled(RIGHT)}, **arguments)
    case.seen.append(result)
    assert result["structuredContent"] == json.loads(RIGHT), result


def the_model_of_the_client_answers_in_a_session(case):
    case.publish(by="any")
    server = case.serve(models=False)
    session = apps.Session(server, capabilities=SAMPLES)
    stream = apps.Stream(server.request("POST", session.path, session.headers, {
        "jsonrpc": "2.0", "id": 5, "method": "tools/call",
        "params": {"name": "get_order_status", "arguments": {"message": "Where?"}}}))
    assert stream.wait_for("sampling/createMessage")
    question = [e for e in stream.events if e.get("method") == "sampling/createMessage"][0]
    apps.whole(server.request("POST", session.path, session.headers, {
        "jsonrpc": "2.0", "id": question["id"], "result": sampled(RIGHT)}))
    apps.until(stream.ended.is_set)
    assert stream.events[-1]["result"]["structuredContent"] == json.loads(RIGHT)
    case.seen.append(stream.events[-1])


def a_provider_goes_before_the_client(case):
    case.publish(by="any")
    server = case.serve()
    result = case.call(server, capabilities=SAMPLES)
    assert result["structuredContent"] == json.loads(RIGHT), result
    assert len(case.model.requests) == 1


def without_a_provider_any_is_the_client(case):
    """A client sees no tool whose every call would fail."""
    case.publish(by="any", provider=PROVIDER)
    for models, capabilities, count in ((False, {}, 0), (False, SAMPLES, 1), (True, {}, 1)):
        server = case.serve(models=models)
        tools = apps.result(server, "tools/list", capabilities=capabilities)["tools"]
        case.seen += tools
        assert len(tools) == count, (models, capabilities, tools)
        server.end()
    # That provider is not there, though another one is.
    case.publish(by="any", provider="other")
    assert apps.result(case.serve(), "tools/list")["tools"] == []


def a_client_without_a_model_is_told(case):
    case.publish(by="any")
    status, messages = apps.ask(case.serve(models=False), "tools/call",
                                name="get_order_status", arguments={"message": "x"})
    case.seen += messages
    error = messages[-1]["error"]
    assert status == 400 and error["data"] == {
        "code": "CAPABILITY_MISSING", "requiredCapabilities": {"sampling": {}}}, error


def a_day_has_a_number_of_tokens(case):
    case.publish(budget={"tokensPerDay": 50})  # a call of the stand-in has 29
    server = case.serve()
    assert "structuredContent" in case.call(server)
    assert "structuredContent" in case.call(server)
    error = failure(case.call(server))
    assert error["code"] == "BUDGET_EXHAUSTED" and "tokens" in error["message"], error
    assert len(case.model.requests) == 2
    server.end()
    # The next server knows of them.
    assert failure(case.call(case.serve()))["code"] == "BUDGET_EXHAUSTED"
    assert case.store.usage() == [(2, 0, 58)], case.store.usage()


# ---- Secrets -----------------------------------------------------------------------

def neither_prompt_nor_key_nor_provider_is_told(case):
    case.publish("leak")
    reserved = apps.Reserved()
    metrics = reserved.number
    server = case.serve("--metrics", "127.0.0.1:%d" % metrics)
    case.call(server)
    for path in ("", "/openapi.json", "/ui/card.html", "/ui/card.html?data=mock"):
        response = server.request("GET", "/servers/my-support-bot" + path)
        case.seen.append(response.read().decode())
        assert response.status == 200, path
    for method in ("tools/list", "resources/list", "server/discover"):
        case.seen.append(apps.result(server, method))
    connection = apps.http.client.HTTPConnection("127.0.0.1", metrics)
    connection.request("GET", "/metrics")
    case.seen.append(connection.getresponse().read().decode())
    server.end()
    reserved.release()


TESTS = [a_provider_writes_the_data, an_answer_between_sentences_is_found,
         a_wrong_answer_is_asked_for_once_more, a_second_wrong_answer_is_an_error,
         what_the_provider_does_wrong_is_llm_error,
         a_slow_model_reaches_the_time_limit_of_the_app, progress_follows_the_words,
         a_silent_model_still_rises,
         sessions_and_rest_have_it_too, no_worker_waits_for_a_model,
         a_thousand_calls_at_once_wait_for_a_model,
         a_server_without_providers_says_so, a_call_outlives_its_server,
         the_model_of_the_client_answers_in_rounds,
         the_model_of_the_client_answers_in_a_session, a_provider_goes_before_the_client,
         without_a_provider_any_is_the_client, a_client_without_a_model_is_told, a_day_has_a_number_of_tokens,
         neither_prompt_nor_key_nor_provider_is_told]


def main(all_tests=TESTS, make=Case):
    """Runs the tests, each with a case that `make` makes."""
    parser = argparse.ArgumentParser()
    for name in ("mica", "app-store"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("only", nargs="*")
    given = parser.parse_args()
    given.mica, given.app_store = map(os.path.abspath, (given.mica, given.app_store))
    tests = [test for test in all_tests if not given.only or test.__name__ in given.only]
    print("1..%d" % len(tests))
    failed = 0

    def tried(test):
        try:
            case = make(given)
            test(case)
            case.end()
        except Exception as error:  # any failure is a result
            return "line %d: %r" % (sys.exc_info()[2].tb_next.tb_lineno, error)
        return None

    for number, test, wrong in outcomes(tests, tried):
        failed += tell(number, test.__name__.replace("_", " "), wrong)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

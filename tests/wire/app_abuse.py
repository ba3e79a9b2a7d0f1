#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Published apps against clients and providers that mean harm; prints TAP.

    app_abuse.py --mica build/mica --app-store build/tests/wire/app-store

Clients try to exceed the budget of an app, providers to harm the server.
"""
import json
import socket
import sys

import app_prompts
import apps
import model_server
from app_behaviors import failure
from app_prompts import PROMPT, SAMPLES, open_sampling, sampled

CALL = {"name": "get_order_status", "arguments": {"message": "Where?"},
        "capabilities": SAMPLES}


class Model(app_prompts.Model):
    """A provider that means harm."""

    async def do_talk(self, request, writer, number):
        """Words of an answer, `number` of them, which does not end."""
        await self.head(writer, 200, "text/event-stream")
        for name, value in list(model_server.events_of(request, ["word "] * number))[:-3]:
            await self.piece(writer, self.event(name, value))
        await model_server.asyncio.sleep(model_server.LATE)

    async def do_silent(self, request, writer, _):
        """A right answer, and nothing about its tokens."""
        body = model_server.whole_of(request, app_prompts.RIGHT)
        del body["usage"]
        return await self.body(writer, 200, body)

    async def do_fill(self, request, writer, _):
        """First a wrong answer as long as the user says, of which a byte makes six."""
        long = "\x01" * 170000 + "x" * int(request.body["messages"][1]["content"])
        text = app_prompts.RIGHT if self.answers_before(request) else "{" + long
        return await self.body(writer, 200, model_server.whole_of(request, text))


class Case(app_prompts.Case):
    provider = Model

    def republish(self, **other):
        behavior = {"type": "prompt", "systemPrompt": PROMPT, "by": "client"}
        self.store.publish(text=apps.version(**{"behavior": behavior, **other}))

    def leave(self, server, **params):
        """Sends a call, and leaves as soon as the provider has it."""
        body = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
                           "params": apps.params_of(**CALL, **params)}).encode()
        before = len(self.model.requests)
        with socket.create_connection(("127.0.0.1", server.port), apps.PATIENCE) as client:
            client.sendall(
                b"POST /servers/my-support-bot/mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                b"Accept: application/json, text/event-stream\r\n"
                b"Content-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n"
                b"Mcp-Method: tools/call\r\nMcp-Name: get_order_status\r\n"
                b"Content-Length: %d\r\n\r\n" % (server.port, len(body)) + body)
            apps.until(lambda: len(self.model.requests) > before)

    def tokens(self):
        usage = self.store.usage()
        return usage[0][2] if usage else 0


# ---- Budgets -----------------------------------------------------------------------

def a_call_of_an_older_version_does_not_bring_its_budget_back(case):
    case.publish(by="client", budget={"callsPerDay": 1000})
    server = case.serve(models=False)
    began = apps.result(server, "tools/call", **CALL)
    key, _ = open_sampling(began)
    case.republish(name="Version 2", budget={"callsPerDay": 1})
    apps.until(lambda: apps.result(
        server, "tools/list", capabilities=SAMPLES)["tools"][0]["title"] == "Version 2")
    assert failure(apps.result(server, "tools/call", **CALL))["code"] == "BUDGET_EXHAUSTED"
    apps.result(server, "tools/call", requestState=began["requestState"],
                inputResponses={key: sampled("I do not know.")}, **CALL)
    assert failure(apps.result(server, "tools/call", **CALL))["code"] == "BUDGET_EXHAUSTED"


def what_a_failed_answer_has_cost_counts(case):
    for model in ("length", "refuse"):
        case.publish(model, budget={"tokensPerDay": 20})
        server = case.serve()
        assert failure(case.call(server))["code"] == "LLM_ERROR"
        assert failure(case.call(server))["code"] == "BUDGET_EXHAUSTED", model
        server.end()
        assert case.tokens() == 29, case.store.usage()
        case.store = apps.Store(case.given.app_store)


def a_client_that_leaves_has_spent_what_came(case):
    """Whether it may repeat its call or not."""
    for meta in ({}, {"mica/idempotencyKey": "k1"}):
        case.publish("talk-400", budget={"tokensPerDay": 20})
        server = case.serve()
        case.leave(server, meta=meta)
        apps.until(lambda: case.tokens() > 0)
        assert failure(case.call(server))["code"] == "BUDGET_EXHAUSTED", meta
        server.end()
        case.store = apps.Store(case.given.app_store)


def a_call_that_was_left_is_none_at_once(case, continues=False):
    """A client that may send its call again does not hold the place of others."""
    case.publish("hang", budget={"concurrent": 1, "seconds": 60})
    server = case.serve()
    case.leave(server, meta={"mica/idempotencyKey": "k1"})
    if continues:  # the server has begun it again, without its client
        apps.until(lambda: len(case.model.requests) == 2)

    def code():
        return failure(case.call(server))["code"]
    case.republish(name="Version 2", budget={"concurrent": 1, "seconds": 1}, behavior={
        "type": "prompt", "systemPrompt": PROMPT, "by": "provider"})
    # A call of the first version would itself wait for a minute.
    apps.until(lambda: apps.result(server, "tools/list")["tools"][0]["title"] == "Version 2")
    apps.until(lambda: code() == "TIMEOUT")  # long before the call that was left would end


def a_call_that_continues_without_its_client_is_none_either(case):
    a_call_that_was_left_is_none_at_once(case, continues=True)


def an_answer_without_numbers_counts_by_its_bytes(case):
    case.publish("silent", budget={"tokensPerDay": 20})
    server = case.serve()
    assert "structuredContent" in case.call(server)
    assert failure(case.call(server))["code"] == "BUDGET_EXHAUSTED"


def what_a_provider_refuses_costs_nothing(case):
    case.publish("status-500", budget={"tokensPerDay": 1})
    server = case.serve()
    for _ in range(3):
        assert failure(case.call(server))["code"] == "LLM_ERROR"
    server.end()
    assert case.tokens() == 0, case.store.usage()


def a_round_that_was_counted_is_not_run_again(case):
    case.publish(by="client", budget={"callsPerDay": 1})
    server = case.serve(models=False)
    first = apps.result(server, "tools/call", **CALL)
    key, _ = open_sampling(first)

    def answer(words):
        _, messages = apps.ask(server, "tools/call", requestState=first["requestState"],
                               inputResponses={key: sampled(words)}, **CALL)
        return messages[-1].get("result", {})
    second = answer("I do not know.")
    assert second["resultType"] == "input_required", second
    assert answer("I do not know.") == second
    assert "structuredContent" not in answer(app_prompts.RIGHT)


# ---- Secrets -----------------------------------------------------------------------

def no_question_to_a_model_leaves_when_the_journal_is_full(case):
    """The journal takes the second question, and no answer to it, at some length."""
    case.publish("fill", budget={"tokensPerDay": 10**9, "callsPerDay": 10**6})
    server = case.serve()

    def end(length):
        _, messages = apps.ask(server, "tools/call", capabilities=SAMPLES,
                               name="get_order_status", arguments={"message": str(length)})
        case.seen += messages
        reply = messages[-1]
        if "error" in reply:
            return reply["error"]["data"]["code"]
        assert reply["result"]["resultType"] == "complete", reply
        return "structuredContent" in reply["result"]
    low, high = 1000, 60000
    assert end(low) is True and end(high) is False
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if end(middle) is True else (low, middle)
    ends = {end(length) for length in range(high, high + 300, 10)}
    assert ends == {False, "LIMIT_EXCEEDED"}, ends


TESTS = [no_question_to_a_model_leaves_when_the_journal_is_full,
         a_call_of_an_older_version_does_not_bring_its_budget_back,
         what_a_failed_answer_has_cost_counts,
         a_client_that_leaves_has_spent_what_came,
         a_call_that_was_left_is_none_at_once,
         a_call_that_continues_without_its_client_is_none_either,
         an_answer_without_numbers_counts_by_its_bytes,
         a_round_that_was_counted_is_not_run_again,
         what_a_provider_refuses_costs_nothing]


if __name__ == "__main__":
    sys.exit(app_prompts.main(TESTS, Case))

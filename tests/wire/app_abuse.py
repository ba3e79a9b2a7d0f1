#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Published apps against clients and providers that mean harm; prints TAP.

    app_abuse.py --mica build/mica --app-store build/tests/wire/app-store

Clients try to exceed the budget of an app, providers to harm the server.
"""
import sys

import app_prompts
import apps
from app_behaviors import failure
from app_prompts import PROMPT, SAMPLES, open_sampling, sampled

CALL = {"name": "get_order_status", "arguments": {"message": "Where?"},
        "capabilities": SAMPLES}


class Model(app_prompts.Model):
    """A provider that means harm."""


class Case(app_prompts.Case):
    def __init__(self, given):
        super().__init__(given)
        self.model.close()
        self.model = Model()

    def republish(self, **other):
        behavior = {"type": "prompt", "systemPrompt": PROMPT, "by": "client"}
        self.store.publish(text=apps.version(behavior=behavior, **other))


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


TESTS = [a_call_of_an_older_version_does_not_bring_its_budget_back]


if __name__ == "__main__":
    sys.exit(app_prompts.main(TESTS, Case))

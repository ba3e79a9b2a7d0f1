#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server is killed at random moments while clients talk with its tools; TAP.

    kill.py --mica build/mica --tools build/tools [--conversations 60]
            [--clients 8] [--seed N] [--ways modern,task,session]

A client repeats what it got no answer to, and knows nothing but what it was told.
In the end each has its result, and what the tools did is what the results say:
nothing is lost, nothing is done twice.
"""
import argparse
import http.client
import json
import os
import queue
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import traceback

from ports import Reserved

PATIENCE = 600  # of one conversation, in seconds: a dead process's lease is 30
ALIVE = (0.05, 0.8)  # how long a server lives, if it answers in 10 ms
THINKS = 0.4  # a person, at most
NAMES = "io.modelcontextprotocol/"
ENVIRONMENTS = ["staging", "production"]


class Failure(Exception):
    pass


class Unanswered(Exception):
    """The server is gone, or says that it is to be tried again."""


def need(truth, what):
    if not truth:
        raise Failure(what)


# ---- The server --------------------------------------------------------------------


class Server:
    """Killed and begun again on the same port, store and state, until `end`."""

    def __init__(self, options, folder, chance):
        self.reserved = Reserved()  # also while no server listens
        self.port = self.reserved.number
        self.chance = chance
        self.command = [options.mica, "serve", "--drain=0", "--listen", "127.0.0.1:%d" % self.port,
                        "--quiet", "--workers", "4", "--tools", options.tools,
                        "--store", "sqlite:" + os.path.join(folder, "calls.db")]
        self.folder = folder
        self.kills = 0
        self.ending = threading.Event()
        self.failure = None
        self.begin()
        need(self.failure is None, self.failure)
        # One that is slower lives longer, as conversations end only if requests fit in.
        times = sorted(self.answers() for _ in range(3))
        self.slower = min(max(1, times[1] / 0.01), 20)
        self.thread = threading.Thread(target=self.live)
        self.thread.start()

    def begin(self):
        self.process = subprocess.Popen(
            self.command, cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=dict(os.environ, XDG_STATE_HOME=self.folder), text=True)
        line = self.process.stdout.readline()
        if "http" not in line:
            self.failure = "the server did not begin: %s%s" % (
                line, self.process.stdout.read())
            self.ending.set()
        # Nothing more is expected; what comes says why it went wrong.
        self.said = []
        threading.Thread(target=self.read, args=(self.process.stdout,),
                         daemon=True).start()

    def read(self, stream):
        for line in stream:
            self.said.append(line)

    def answers(self):
        """In how many seconds."""
        began = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", "/healthz")
        connection.getresponse().read()
        connection.close()
        return time.monotonic() - began

    def live(self):
        while not self.ending.wait(self.slower * self.chance.uniform(*ALIVE)):
            if self.process.poll() is not None:
                self.failure = "the server ended by itself, %s: %s" % (
                    self.process.returncode, "".join(self.said[-20:]))
                return
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.kills += 1
            self.begin()

    def end(self):
        self.ending.set()
        self.thread.join()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = "no end"
        need(self.failure is None, self.failure)
        need(status == 0, "the last server ended with %s: %s" % (
            status, "".join(self.said[-20:])))
        self.reserved.release()


# ---- What people and models answer ---------------------------------------------------


def value_of(field, chance):
    for choices in (field.get("oneOf"), field.get("anyOf")):
        if choices:
            return chance.choice(choices)["const"]
    if "enum" in field:
        return chance.choice(field["enum"])
    kind = field["type"]
    if kind == "boolean":
        return chance.random() < 0.8
    if kind in ("integer", "number"):
        return field.get("minimum", 1)
    if kind == "array":
        return [value_of(field["items"], chance)]
    return "some words"


def answer(request, chance):
    params = request["params"]
    time.sleep(chance.uniform(0, THINKS))
    if request["method"] == "sampling/createMessage":
        return {"role": "assistant", "model": "a model",
                "content": {"type": "text", "text": "A fine flight."}}
    need(request["method"] == "elicitation/create", "asked for %s" % request)
    action = chance.choices(["accept", "decline", "cancel"], [16, 1, 1])[0]
    if action != "accept":
        return {"action": action}
    fields = params["requestedSchema"]["properties"]
    return {"action": action,
            "content": {name: value_of(field, chance) for name, field in fields.items()}}


# ---- Clients -------------------------------------------------------------------------


class Client:
    """One conversation. Its results: `result`, and what it answered."""

    def __init__(self, server, number, tool, arguments, chance):
        self.server, self.number, self.chance = server, number, chance
        self.tool, self.arguments = tool, arguments
        self.until = time.monotonic() + PATIENCE
        self.repeats = 0
        self.ids = 0

    def connection(self):
        return http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)

    def patiently(self, what, *arguments):
        """Until it is answered."""
        while True:
            try:
                return what(*arguments)
            except (OSError, http.client.HTTPException, Unanswered) as reason:
                last = reason
            need(not self.server.failure, self.server.failure)
            need(time.monotonic() < self.until,
                 "no answer to %s: %r" % (arguments[:1], last))
            self.repeats += 1
            time.sleep(self.chance.uniform(0.02, 0.2))

    def post(self, body, headers):
        connection = self.connection()
        try:
            connection.request("POST", "/mcp", json.dumps(body), dict(
                {"Content-Type": "application/json",
                 "Accept": "application/json, text/event-stream"}, **headers))
            response = connection.getresponse()
            return response.status, response.getheader("Content-Type"), response.read()
        finally:
            connection.close()


class Modern(Client):
    """The stateless revision: a round that got no answer is sent again."""

    extensions = {}

    def once(self, method, params, headers):
        self.ids += 1
        meta = {NAMES + "protocolVersion": "2026-07-28",
                NAMES + "clientCapabilities": dict(
                    {"elicitation": {}, "sampling": {}}, **self.extensions)}
        if method == "tools/call" and "requestState" not in params:
            meta["mica/idempotencyKey"] = "conversation %d" % self.number
        body = {"jsonrpc": "2.0", "id": self.ids, "method": method,
                "params": dict(params, _meta=meta)}
        status, kind, text = self.post(body, dict(
            {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}, **headers))
        if kind and kind.startswith("text/event-stream"):
            text = self.last_of(text)
        reply = json.loads(text)
        if reply.get("error", {}).get("data", {}).get("retryable"):
            raise Unanswered(reply["error"]["message"])
        need("result" in reply, "%s, %s: %s" % (status, method, reply))
        return reply["result"]

    @staticmethod
    def last_of(text):
        data = [line[5:].strip() for line in text.decode().split("\n")
                if line.startswith("data:")]
        replies = [line for line in data if line and '"id"' in line]
        if not replies or "result" not in replies[-1] and "error" not in replies[-1]:
            raise Unanswered("the stream broke off")
        return replies[-1]

    def say(self, method, params, name):
        return self.patiently(self.once, method, params, {"Mcp-Name": name})

    def call(self, more=None):
        return self.say("tools/call", dict(
            {"name": self.tool, "arguments": self.arguments}, **(more or {})), self.tool)

    def talk(self):
        result = self.call()
        while result["resultType"] == "input_required":
            result = self.call({
                "requestState": result["requestState"],
                "inputResponses": {key: answer(request, self.chance) for key, request
                                   in result["inputRequests"].items()}})
        self.result = result


class Task(Modern):
    """Tasks: a client asks for the state of a call that continues by itself."""

    extensions = {"extensions": {NAMES + "tasks": {}}}

    def talk(self):
        task = self.call()
        need(task["resultType"] == "task", "no task: %s" % task)
        about = {"taskId": task["taskId"]}
        # The reply to a repeated call says how the task is, not what it came to.
        task = self.say("tasks/get", about, about["taskId"])
        while task["status"] in ("working", "input_required"):
            need(time.monotonic() < self.until, "a task without end: %s" % task)
            if task["status"] == "input_required":
                self.say("tasks/update", dict(about, inputResponses={
                    key: answer(request, self.chance)
                    for key, request in task["inputRequests"].items()}), task["taskId"])
            time.sleep(self.chance.uniform(0.05, 0.3))
            task = self.say("tasks/get", about, about["taskId"])
        need(task["status"] == "completed", "the task: %s" % task)
        self.result = task["result"]


class Session(Client):
    """Revision 2025-11-25: questions come on the stream of the call, answers go in
    messages of their own; a stream that broke off is resumed by its last event. Who
    has an id to resume with never calls again: the call is kept."""

    def headers(self):
        return {"MCP-Protocol-Version": "2025-11-25", "Mcp-Session-Id": self.session}

    def begin(self):
        connection = self.connection()
        try:
            connection.request("POST", "/mcp", json.dumps({
                "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {"elicitation": {}, "sampling": {}},
                    "clientInfo": {"name": "kill", "version": "1"}}}),
                {"Content-Type": "application/json",
                 "Accept": "application/json, text/event-stream"})
            response = connection.getresponse()
            response.read()
            need(response.status == 200, "initialize: %d" % response.status)
            self.session = response.getheader("Mcp-Session-Id")
        finally:
            connection.close()

    def give(self, body):
        status, _, text = self.post(body, self.headers())
        if status >= 500:
            raise Unanswered("%d" % status)
        need(status == 202, "an answer came to %d: %s" % (status, text))

    def listen(self):
        """One stream: the call itself, or what is left of it."""
        connection = self.connection()
        headers = dict(self.headers(), Accept="application/json, text/event-stream")
        try:
            if self.last is None:
                self.ids += 1
                headers["Content-Type"] = "application/json"
                connection.request("POST", "/mcp", json.dumps({
                    "jsonrpc": "2.0", "id": self.ids, "method": "tools/call", "params": {
                        "name": self.tool, "arguments": self.arguments}}), headers)
            else:
                headers["Last-Event-ID"] = self.last
                connection.request("GET", "/mcp", headers=headers)
            self.read(connection.getresponse())
        finally:
            connection.close()
        if self.result is None:
            raise Unanswered("the stream ended")

    def read(self, response):
        if response.status >= 500 or response.status == 409:
            raise Unanswered("%d" % response.status)
        if response.status != 200:
            raise Failure("a stream: %d %s" % (response.status, response.read()))
        if response.getheader("Content-Type", "").startswith("application/json"):
            self.take(json.loads(response.read()))
            return
        event, data = None, b""
        for line in response:
            line = line.rstrip(b"\r\n")
            if line.startswith(b"id:"):
                event = line[3:].strip().decode()
            elif line.startswith(b"data:"):
                data += line[5:].strip()
            elif not line:
                if event is not None:
                    self.last = event
                if data:
                    self.take(json.loads(data))
                event, data = None, b""
                if self.result is not None:
                    return

    def take(self, message):
        if "method" in message:
            if "id" not in message:
                return
            # Asked again after an answer was on its way: the same once more.
            if message["id"] not in self.answered:
                self.answered[message["id"]] = answer(message, self.chance)
            self.patiently(self.give, {"jsonrpc": "2.0", "id": message["id"],
                                       "result": self.answered[message["id"]]})
        elif message.get("id") == self.ids:
            need("result" in message, "the call came to %s" % message)
            self.result = message["result"]

    def talk(self):
        self.last, self.result, self.answered = None, None, {}
        self.patiently(self.begin)
        self.patiently(self.give, {"jsonrpc": "2.0",
                                   "method": "notifications/initialized"})
        self.patiently(self.listen)


WAYS = {"modern": Modern, "task": Task, "session": Session}


# ---- Conversations ---------------------------------------------------------------------


class Crowd:
    """Takes conversations from a queue until it is empty."""

    def __init__(self, server, options):
        self.server, self.options = server, options
        self.numbers = queue.Queue()
        for number in range(options.conversations):
            self.numbers.put(number)
        self.done, self.failures = [], []
        # One deployment at a time in each environment.
        self.environments = queue.Queue()
        for name in ENVIRONMENTS:
            self.environments.put(name)

    def talk(self, number):
        chance = random.Random(self.options.seed * 1000003 + number)
        way = self.options.ways[number % len(self.options.ways)]
        environment = None
        tool, arguments = "book_flight", {"destination": "Oslo %d" % number,
                                          "date": "2027-03-04"}
        if way == "task":
            tool, arguments = "import", {"feed": "feed-%d" % number,
                                         "rows": chance.randrange(10, 120)}
        elif chance.random() < 0.4 and way == "modern":
            environment = self.environments.get()
            tool, arguments = "deploy_approval", {
                "service": "service-%d" % number, "version": "1.0",
                "environment": environment}
        client = WAYS[way](self.server, number, tool, arguments, chance)
        try:
            client.talk()
            self.done.append(client)
        except Exception as reason:  # a client that fails must not stop the others
            self.failures.append("conversation %d, %s, %s: %s" % (
                number, way, tool, "".join(traceback.format_exception_only(
                    type(reason), reason)).strip()))
        finally:
            if environment is not None:
                self.environments.put(environment)

    def work(self):
        while True:
            try:
                number = self.numbers.get_nowait()
            except queue.Empty:
                return
            self.talk(number)

    def run(self):
        threads = [threading.Thread(target=self.work) for _ in range(self.options.clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


# ---- What they did -------------------------------------------------------------------


def find(folder, name):
    for place, _, files in os.walk(folder):
        if name in files:
            return os.path.join(place, name)
    raise Failure("there is no %s" % name)


def rows(folder, name, query):
    with sqlite3.connect(find(folder, name)) as database:
        return database.execute(query).fetchall()


def text_of(client):
    return client.result["content"][0]["text"] if client.result.get("content") else ""


def check_bookings(folder, clients):
    texts = [text_of(client) for client in clients if client.tool == "book_flight"]
    if not texts:
        return
    odd = [text for text in texts if not text.startswith("Booked flight ")
           and text not in ("Booking cancelled: user_declined",
                            "Booking cancelled: user_dismissed",
                            "Booking cancelled: not_confirmed")]
    need(not odd, "impossible results: %s" % odd[:3])
    told = [text.split()[-1] for text in texts if text.startswith("Booked flight ")]
    need(len(set(told)) == len(told), "a booking was told twice")
    made = rows(folder, "tool.book_flight.db", "SELECT number, session FROM bookings")
    need(len(made) == len(told), "%d bookings, of which %d were told" % (
        len(made), len(told)))
    need(len({session for _, session in made}) == len(made),
         "a session has two bookings")


def check_deployments(folder, clients):
    reports = [client.result.get("structuredContent") for client in clients
               if client.tool == "deploy_approval"]
    if not reports:
        return
    need(all(reports), "a deployment without a report: %s" % [
        client.result for client in clients if client.tool == "deploy_approval" and
        not client.result.get("structuredContent")][:1])
    told = sorted(report["deployment"] for report in reports
                  if report["outcome"] == "deployed")
    made = sorted(number for number, in rows(folder, "deploys.db",
                                             "SELECT number FROM deployments"))
    need(told == made, "deployments %s, told were %s" % (made, told))
    need(len(rows(folder, "deploys.db", "SELECT number FROM builds")) == len(reports),
         "not one build for each conversation")
    need(len(rows(folder, "deploys.db", "SELECT number FROM notices")) == len(made),
         "not one notice for each deployment")
    need(not rows(folder, "deploys.db", "SELECT environment FROM locks"),
         "an environment stays locked")


def check_imports(folder, clients):
    imports = [client for client in clients if client.tool == "import"]
    if not imports:
        return
    taken = sum(client.result["structuredContent"]["taken"] for client in imports)
    need(len(rows(folder, "contacts.db", "SELECT number FROM imports")) == len(imports),
         "not one import for each task")
    need(len(rows(folder, "contacts.db", "SELECT row FROM contacts")) == taken,
         "other rows than the results say")


def run(options, folder):
    began = time.monotonic()
    server = Server(options, folder, random.Random(options.seed))
    crowd = Crowd(server, options)
    try:
        crowd.run()
    finally:
        server.end()
    print("# seed %d: %d conversations, %d kills, %d repeats, %.0f s" % (
        options.seed, len(crowd.done), server.kills,
        sum(client.repeats for client in crowd.done), time.monotonic() - began))
    need(not crowd.failures, "%d failed: %s" % (
        len(crowd.failures), "; ".join(crowd.failures[:4])))
    need(server.kills > 1, "the server was killed only %d times" % server.kills)
    check_bookings(folder, crowd.done)
    check_deployments(folder, crowd.done)
    check_imports(folder, crowd.done)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mica", required=True)
    parser.add_argument("--tools", required=True)
    parser.add_argument("--conversations", type=int, default=60)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--ways", type=lambda text: text.split(","),
                        default=list(WAYS))
    options = parser.parse_args()
    options.mica = os.path.abspath(options.mica)
    options.tools = os.path.abspath(options.tools)
    print("1..1", flush=True)
    with tempfile.TemporaryDirectory(prefix="mica-kill-") as folder:
        try:
            run(options, folder)
            print("ok 1 - a_server_that_is_killed_loses_nothing_and_repeats_nothing")
        except Failure as failure:
            print("not ok 1 - a_server_that_is_killed_loses_nothing_and_repeats_nothing")
            print("# " + str(failure).replace("\n", "\n# "))
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

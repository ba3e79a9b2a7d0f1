#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Calls of language models (docs/models.md), at a stand-in for their providers; TAP.

    models.py --probe build/tests/wire/model-probe [--case WORD]

The probe makes the calls by way of mica-model.so; model_server.py answers them, badly in
most cases.
"""
import argparse
import itertools
import json
import os
import queue
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import traceback

import model_server
from together import outcomes

PATIENCE = 60
KEY = "sk-a_key_of_the_test-4711"
BOTH = ("openai", "anthropic")
SCHEMA = {"type": "object", "properties": {"title": {"type": "string", "maxLength": 40}},
          "required": ["title"]}


class Failure(Exception):
    pass


def need(truth, what):
    if not truth:
        raise Failure(str(what))


def same(got, wanted, what):
    need(got == wanted, "%s: %r, and not %r" % (what, got, wanted))


# ---- The probe -----------------------------------------------------------------------


ALL = 1000000  # the progress of a call that has its answer


class Probe:
    """The program that calls; `lines` by tag."""

    def __init__(self, options, providers, environment=None):
        self.process = subprocess.Popen(
            [options.probe, json.dumps(providers)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PROBE_KEY": KEY, **(environment or {})})
        self.ends, self.progress, self.others = {}, {}, queue.Queue()
        self.told = {}  # when each progress came
        self.changed = threading.Condition()
        self.raw, self.errors = [], []
        self.readers = [threading.Thread(target=work, daemon=True)
                        for work in (self.read, self.read_errors)]
        for reader in self.readers:
            reader.start()
        self.count = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.close()
        if kind is None:
            same(self.process.returncode, 0, "how the probe ended")
            same("".join(self.errors), "", "its stderr")

    def close(self):
        if not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        for reader in self.readers:
            reader.join(PATIENCE)

    def read_errors(self):
        self.errors.extend(self.process.stderr)

    def read(self):
        for line in self.process.stdout:
            self.raw.append(line)
            if not line.startswith("{"):
                self.others.put(line)
                continue
            value = json.loads(line)
            with self.changed:
                if "progress" in value:
                    self.progress.setdefault(value["tag"], []).append(value["progress"])
                    self.told.setdefault(value["tag"], []).append(time.monotonic())
                elif "tag" in value:
                    need(value["tag"] not in self.ends, "two ends of a call")
                    self.ends[value["tag"]] = {**value, "at": time.monotonic()}
                else:
                    self.others.put(value)
                self.changed.notify_all()

    def say(self, **line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()

    def begin(self, **call):
        self.count += 1
        tag = "c%d" % self.count
        self.say(call=tag, **{"provider": "one", "user": "Hello, world", **call})
        return tag

    def end(self, tag):
        until = time.monotonic() + PATIENCE
        with self.changed:
            while tag not in self.ends:
                need(self.changed.wait(until - time.monotonic()), "no end of %s" % tag)
            return self.ends[tag]

    def call(self, **call):
        return self.end(self.begin(**call))

    def counts(self):
        self.say(counts=True)
        return self.others.get(timeout=PATIENCE)


def provider(kind, url, **more):
    return {"name": "one", "type": kind, "url": url, "model": "echo",
            "key_env": "PROBE_KEY", **more}


def ok(end, text="Hello, world"):
    same(end.get("status"), "OK", end)
    same(end["text"], text, "the words")
    return end


def fails(end, status, *words):
    same(end.get("status"), status, end)
    same(end["text"], "", "words of a failure")
    for word in words:
        need(word in end["message"], "%r is not in %r" % (word, end["message"]))
    return end


# ---- Cases ---------------------------------------------------------------------------


def answers(options, server):
    """A call reaches each kind of provider with key and prompt, and its words come back."""
    for kind in BOTH:
        for stream in (True, False):
            quiet = {} if stream else {"no_stream": True}
            with Probe(options, [provider(kind, server.url, **quiet)]) as probe:
                del server.requests[:]
                end = ok(probe.call(system="Be brief.", max_tokens=30))
                same((end["prompt_tokens"], end["completion_tokens"], end["attempts"],
                      end["model"], end["cut"]), (19, 10, 1, "stand-in-1", False), end)
                asked = server.requests[0]
                same(asked.path, "/v1/messages" if kind == "anthropic"
                     else "/v1/chat/completions", "the path")
                same(asked.stream, stream, "stream")
                if kind == "anthropic":
                    same(asked.headers["x-api-key"], KEY, "the key")
                    same(asked.headers["anthropic-version"], "2023-06-01", "the version")
                    same(asked.body["system"], "Be brief.", "the system prompt")
                    same(asked.body["max_tokens"], 30, "the limit")
                    need("authorization" not in asked.headers, "two keys")
                else:
                    same(asked.headers["authorization"], "Bearer " + KEY, "the key")
                    same(asked.body["messages"][0],
                         {"role": "system", "content": "Be brief."}, "the system prompt")
                    same(asked.body["max_tokens"], 30, "the limit")
                same(asked.body["messages"][-1],
                     {"role": "user", "content": "Hello, world"}, "the message")
                rises = probe.progress[end["tag"]]
                same(rises, sorted(set(rises)), "progress")
                same(rises[-1], ALL, "its end")
                need(stream == (len(rises) > 1), "%s: %s" % (stream, rises))
                need("expect" not in asked.headers, "it waits for leave")


def addresses(options, server):
    """The url may end with /v1, with a slash, or with the whole path."""
    for base in ("", "/", "/v1", "/v1/"):
        with Probe(options, [provider("openai", server.url + base)]) as probe:
            ok(probe.call())
        with Probe(options, [provider("anthropic", server.url + base)]) as probe:
            ok(probe.call())
    with Probe(options, [provider("anthropic", server.url + "/x/messages")]) as probe:
        ok(probe.call())
    same(server.requests[-1].path, "/x/messages", "the path")


def structure(options, server):
    """The schema of an answer goes in the way of the provider, or of its settings."""
    text = json.dumps({"title": "Tea \N{BRAIN}"})
    for kind in BOTH:
        for how in ("schema", "tool", "prompt"):
            for quiet in ({}, {"no_stream": True}):
                del server.requests[:]
                with Probe(options, [provider(kind, server.url, structure=how,
                                              **quiet)]) as probe:
                    ok(probe.call(user=text, schema=SCHEMA, system="Write."), text)
                body = server.requests[0].body
                if how == "prompt":
                    system = body["system"] if kind == "anthropic" \
                        else body["messages"][0]["content"]
                    need(json.dumps(SCHEMA) in system and system.startswith("Write."), system)
                elif how == "tool" and kind == "anthropic":
                    same(body["tools"][0]["input_schema"], SCHEMA, "the schema")
                    same(body["tool_choice"], {"type": "tool", "name": "answer"}, "choice")
                elif how == "tool":
                    same(body["tools"][0]["function"]["parameters"], SCHEMA, "the schema")
                    same(body["tool_choice"]["function"], {"name": "answer"}, "choice")
                elif kind == "anthropic":
                    same(body["output_config"], {"format": {
                        "type": "json_schema", "schema": {
                            "type": "object", "properties": {"title": {"type": "string"}},
                            "required": ["title"], "additionalProperties": False}}},
                         "output_config")
                else:
                    same(body["response_format"], {
                        "type": "json_schema",
                        "json_schema": {"name": "answer", "schema": SCHEMA}}, "format")
    with Probe(options, [provider("openai", server.url)]) as probe:
        ok(probe.call(user="```json\n%s\n```\n" % text, schema=SCHEMA), text)
        ok(probe.call(user="```json\n%s\n```" % text), "```json\n%s\n```" % text)
        ok(probe.call(model="wrong", schema=SCHEMA), '{"another": ["shape"]}')
        fails(probe.call(model="length", schema=SCHEMA), "LLM_ERROR", "cut", "4096")
        same(probe.call(model="length")["cut"], True, "a cut answer")


def splits(options, server):
    """An answer is the same in pieces of a byte, with CRLF, comments, or as one body."""
    text = "Größe 東京 \N{BRAIN} \" \\ \r\n\t\0 end"
    for kind in BOTH:
        with Probe(options, [provider(kind, server.url)]) as probe:
            for model in ("bytes", "crlf", "whole", "echo"):
                ok(probe.call(model=model, user=text), text)
            start = time.monotonic()
            ok(probe.call(model="tail", user=text), text)
            need(time.monotonic() - start < 10, "it waits for the end of the stream")


def retried(options, server, kind):
    with Probe(options, [provider(kind, server.url)]) as probe:
        server.times.clear()
        start = time.monotonic()
        same(ok(probe.call(model="limited-1"))["attempts"], 2, "attempts")
        need(0.9 < time.monotonic() - start < 10, "Retry-After is not kept")
        start = time.monotonic()
        same(ok(probe.call(model="millis-50"))["attempts"], 2, "attempts")
        need(time.monotonic() - start < 10, "retry-after-ms is not kept")
        for model in ("overloaded-2", "cut-2", "fault-2", "reset-2"):
            end = ok(probe.call(model=model))
            # libcurl repeats a request whose kept connection was closed.
            need(end["attempts"] == 3 or model == "reset-2", model)
            rises = probe.progress[end["tag"]]
            same(rises, sorted(set(rises)), "progress of " + model)
        for model, words in (("overloaded-9", ["529", "3 attempts", "overloaded_error"]),
                             ("status-500", ["500", "3 attempts"]),
                             ("cut", ["broke off", "3 attempts"]),
                             ("fault-9", ["overloaded_error", "3 attempts"])):
            end = fails(probe.call(model=model), "LLM_ERROR", *words)
            same(end["attempts"], 3, model)
        for model, words in (("status-400", ["400"]), ("status-401", ["key"]),
                             ("status-404", ["404"]), ("status-501", ["501"]),
                             ("quota", ["429", "insufficient_quota"]),
                             ("wait-600", ["429", "after the time"]),
                             ("millis-%d" % (2**63 - 1), ["429", "after the time"]),
                             ("redirect", ["307", "redirects"]),
                             ("refuse", ["declined"]), ("garbage", ["no answer"]),
                             ("html", ["no answer"])):
            end = fails(probe.call(model=model), "LLM_ERROR", *words)
            same(end["attempts"], 1, model)
        need(not any(r.path == "/v1/elsewhere" for r in server.requests), "redirected")
        counts = probe.counts()
        need(1 + 1 + 3 * 2 + 4 * 2 < counts["retries"] <= 1 + 1 + 8 * 2, counts)
        same(counts["open"], 0, "open calls")


def ticks(options, server):
    """Progress rises every second or two, with the words and while nothing comes."""
    with Probe(options, [provider("openai", server.url)]) as probe:
        start = time.monotonic()
        waits = [probe.begin(model=model, limit_ms=12000) for model in ("hang", "drip")]
        writes = probe.begin(model="step-50", user="some words " * 30)
        for tag in waits:
            fails(probe.end(tag), "TIMEOUT")
        ok(probe.end(writes), "some words " * 30)
        for tag in (*waits, writes):
            rises, times = probe.progress[tag], [start, *probe.told[tag]]
            same(rises, sorted(set(rises)), "progress")
            gaps = [after - before for before, after in zip(times, times[1:])]
            need(max(gaps) < 9, gaps)  # 1.5, and what a busy machine adds
            need((rises[-1] == ALL) == (tag == writes) and max(rises) <= ALL, rises)
        need(all(len(probe.progress[tag]) >= 3 for tag in waits), probe.progress)
        # An ordinary answer is far shorter than it may be: it moves nevertheless.
        need(probe.progress[writes][-2] > ALL / 4, probe.progress[writes])


def retries(options, server):
    """What may pass is tried again, with Retry-After, and in no more attempts than set."""
    retried(options, server, "openai")
    with Probe(options, [provider("openai", server.url, attempts=1)]) as probe:
        server.times.clear()
        same(fails(probe.call(model="overloaded-1"), "LLM_ERROR")["attempts"], 1, "one")


def retries_in_the_other_format(options, server):
    """So it is with the other kind of provider."""
    retried(options, server, "anthropic")


def times(options, server):
    """A call ends in its time, whatever the provider does, and says TIMEOUT."""
    with Probe(options, [provider("openai", server.url, seconds=12)]) as probe:
        start = time.monotonic()
        tags = [probe.begin(model=model) for model in ("hang", "drip", "delay-50")]
        tags.append(probe.begin(model="hang", limit_ms=500))
        tags.append(probe.begin(model="hang", limit_ms=500000))
        for tag in tags:
            fails(probe.end(tag), "TIMEOUT", "time of the call")
        need(probe.ends[tags[3]]["at"] - start < 8, "its own limit")
        need(11.8 < time.monotonic() - start < 45, "the limit of the provider")
        # Attempts and what lies between them are within the limit, too.
        start = time.monotonic()
        fails(probe.call(model="wait-10", limit_ms=5000), "LLM_ERROR", "after the time")
        need(time.monotonic() - start < 9, "it waited for nothing")
        same(probe.counts()["late"], 5, "late")


def sizes(options, server):
    """An answer has a size, and so has a prompt."""
    for kind in BOTH:
        with Probe(options, [provider(kind, server.url)]) as probe:
            fails(probe.call(model="huge"), "LIMIT_EXCEEDED", "larger")
            fails(probe.call(model="hugeline"), "LIMIT_EXCEEDED", "larger")
            text = "x" * (1 << 20)
            ok(probe.call(user=text), text)
            same(probe.call(user=text + "x")["refused"], "LIMIT_EXCEEDED", "the prompt")
            same(probe.call(schema={"a": "x" * 70000})["refused"], "LIMIT_EXCEEDED", "schema")
            same(probe.call(provider="two")["refused"], "NOT_FOUND", "another provider")
            same(probe.call(model="a b")["refused"], "BAD_FORMAT", "a model with a blank")
            same(probe.call(schema=["a"])["refused"], "BAD_FORMAT", "a schema that is a list")
            same(probe.counts()["large"], 2, "large")


def silence(options, server):
    """Key, prompt and the bytes of a provider are in no message."""
    for kind in BOTH:
        with Probe(options, [provider(kind, server.url)]) as probe:
            for model in ("leak", "status-500", "garbage", "refuse", "hang"):
                probe.call(model=model, user="a private question", limit_ms=3000)
        said = "".join(probe.raw) + "".join(probe.errors)
        for word in (KEY, KEY[:12], "private", "you sent", "an error", "cannot do"):
            need(word not in said, "%r is in %s" % (word, said))


def keys(options, server):
    """A key comes from a variable, a file that others cannot read, or a credential."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "key")
        with open(path, "w", encoding="ascii") as file:
            file.write(KEY + "\n")

        def with_key(environment=None, **key):
            value = {**provider("openai", server.url), "key_env": None, **key}
            return Probe(options, [{k: v for k, v in value.items() if v is not None}],
                         environment)

        def refused(code, word, environment=None, **key):
            probe = with_key(environment, **key)
            line = probe.others.get(timeout=PATIENCE)
            probe.close()
            need(line.startswith(code) and word in line, line)
            need(KEY not in line, "the key is told: " + line)
        os.chmod(path, 0o600)
        for more in ({"key_file": path}, {"key_credential": "key"}):
            with with_key({"CREDENTIALS_DIRECTORY": folder}, **more) as probe:
                ok(probe.call())
            same(server.requests[-1].headers["authorization"], "Bearer " + KEY, "the key")
        with with_key() as probe:
            ok(probe.call())
        need("authorization" not in server.requests[-1].headers, "a key out of nowhere")
        os.chmod(path, 0o644)
        refused("UNTRUSTED_FILE", "chmod 600", key_file=path)
        refused("NOT_FOUND", "NO_SUCH_KEY", key_env="NO_SUCH_KEY")
        refused("NOT_FOUND", "cannot be read", key_file=path + "x")
        refused("NOT_FOUND", "LoadCredential", {"CREDENTIALS_DIRECTORY": ""},
                key_credential="key")
        refused("BAD_FORMAT", "one of", key_file=path, key_env="PROBE_KEY")
        refused("BAD_FORMAT", "does not belong", key_env="sk-secret")
        refused("BAD_FORMAT", "visible ASCII", {"PROBE_KEY": "a b c d e f"},
                key_env="PROBE_KEY")


def places(options, server):
    """A name may not lead to a private address unless that is said; http stays here."""
    port = server.url.rsplit(":", 1)[1]
    with Probe(options, [provider("openai", "http://localhost:" + port)]) as probe:
        ok(probe.call())
    # 0.0.0.0 is this machine for the system, and the address of no origin.
    del server.requests[:]
    with Probe(options, [provider("openai", "http://0.0.0.0:" + port)]) as probe:
        end = fails(probe.call(), "LLM_ERROR", "does not allow")
        same(end["attempts"], 1, "attempts")
    same(server.requests, [], "requests")
    # A public address over http would show the prompt to others; nothing is sent.
    with Probe(options, [provider("openai", "http://192.88.99.1")]) as probe:
        fails(probe.call(), "LLM_ERROR", "does not allow")
    with Probe(options, [provider("openai", "http://127.0.0.1:1", attempts=2)]) as probe:
        same(fails(probe.call(), "LLM_ERROR", "cannot be reached")["attempts"], 2, "tries")
    # The proxy of the environment is not used.
    with Probe(options, [provider("openai", server.url)],
               {"http_proxy": "http://127.0.0.1:1", "all_proxy": "http://127.0.0.1:1"}) as probe:
        ok(probe.call())


def certificates(options, server):
    """Over https the certificate is checked, by the system's or by ca_file."""
    with tempfile.TemporaryDirectory() as folder:
        key, cert = (os.path.join(folder, name) for name in ("key.pem", "cert.pem"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-keyout",
                        key, "-out", cert, "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=DNS:localhost,IP:127.0.0.1"],
                       check=True, capture_output=True, timeout=PATIENCE)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        other = model_server.Server(context)
        with Probe(options, [provider("anthropic", other.url)]) as probe:
            end = fails(probe.call(), "LLM_ERROR", "certificate")
            same(end["attempts"], 1, "attempts")
        same(other.requests, [], "requests")
        with Probe(options, [provider("anthropic", other.url, ca_file=cert)]) as probe:
            ok(probe.call())
        other.close()


def cancels(options, server):
    """A call ends when it is cancelled or the program closes, and once."""
    with Probe(options, [provider("openai", server.url, concurrent=2)]) as probe:
        tags = [probe.begin(model=model) for model in
                ("hang", "status-503", "hang", "hang", "step-20")]
        time.sleep(0.2)
        start = time.monotonic()
        for tag in tags[:3] + tags[:1] + ["none"]:
            probe.say(cancel=tag)
        for tag in tags[:3]:
            need(probe.end(tag)["status"] in ("CANCELLED", "LLM_ERROR"), tag)
        need(time.monotonic() - start < 10, "it took its time")  # which would be a minute
        tags.append(probe.begin(model="hang"))
        probe.say(cancel=tags[-1])
        fails(probe.end(tags[-1]), "CANCELLED")
        ok(probe.end(tags[4]))
        counts = probe.counts()
        same(counts["open"], 1, "open calls")
    fails(probe.ends[tags[3]], "CANCELLED")  # at the close


def queues(options, server):
    """A provider gets no more requests at once than set; the others wait, in order."""
    server.most_open = 0
    with Probe(options, [provider("openai", server.url, concurrent=3)]) as probe:
        tags = [probe.begin(model="step-30", user="word%d" % n) for n in range(12)]
        for number, tag in enumerate(tags):
            ok(probe.end(tag), "word%d" % number)
        same(server.most_open, 3, "requests at once")
        # Its time is over while the three before it still have theirs.
        late = [probe.begin(model="hang", limit_ms=5000) for _ in range(3)]
        last = probe.begin(limit_ms=400)
        fails(probe.end(last), "TIMEOUT", "no further request")
        for tag in late:
            fails(probe.end(tag), "TIMEOUT")


def crowd(options, server):
    """A thousand calls at once take one thread, and little more time than one."""
    before = server.connections
    with Probe(options, [provider("openai", server.url, seconds=200),
                         {**provider("anthropic", server.url), "name": "two"}]) as probe:
        same(probe.counts()["threads"], 0, "threads before the first call")
        ok(probe.call())
        start = time.monotonic()
        tags = [probe.begin(model="delay-1", user="n%d" % n, provider=("one", "two")[n % 2])
                for n in range(1000)]
        threads = probe.counts()["threads"]
        for number, tag in enumerate(tags):
            ok(probe.end(tag), "n%d" % number)
        took = time.monotonic() - start
        print("# 1000 calls of a model that takes 1 s: %.2f s, %d threads, %d connections"
              % (took, threads, server.connections - before), flush=True)
        same(threads, 1, "threads")
        need(took < options.crowd_s, "%.2f s" % took)
        # None of them ends before the last has begun; the close cancels them.
        busy = [probe.begin(model="hang", limit_ms=120000) for _ in range(4100)]
        counts = probe.counts()
        same(counts["busy"], 4, "refused")
        same(probe.end(busy[-1])["refused"], "BUSY", "one more")


CASES = [crowd, retries, retries_in_the_other_format, silence, ticks,  # the longest
         answers, addresses, structure, splits, times, sizes, keys, places, certificates,
         cancels, queues]


def run(cases):
    """The main program of both tests: each case gets a provider of its own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--probe")
    parser.add_argument("--mica")
    parser.add_argument("--fixture")
    parser.add_argument("--crowd-s", type=float, default=60)
    parser.add_argument("--case")
    options = parser.parse_args()
    for name in ("probe", "mica", "fixture"):
        if getattr(options, name) is not None:
            setattr(options, name, os.path.abspath(getattr(options, name)))
    cases = [case for case in cases if options.case in (None, case.__name__)]
    print("1..%d" % len(cases), flush=True)
    failed = 0

    def tried(case):
        server = model_server.Server()
        start = time.monotonic()
        wrong = None
        try:
            case(options, server)
        except Exception:  # every other case still runs
            wrong = traceback.format_exc()
        took = time.monotonic() - start
        server.close()
        return wrong, took

    # A crowd has a time to keep, and the machine for itself.
    alone = [case for case in cases if case.__name__ == "crowd"]
    beside = [case for case in cases if case not in alone]
    results = itertools.chain(outcomes(alone, tried), outcomes(beside, tried))
    for number, (_, case, (wrong, took)) in enumerate(results, 1):
        failed += wrong is not None
        print("%s %d - %s # %.1f s" % ("ok" if wrong is None else "not ok", number,
                                       case.__doc__, took), flush=True)
        if wrong is not None:
            print("# " + wrong.replace("\n", "\n# "), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(run(CASES))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the transcripts of this folder over stdio and HTTP; prints TAP.

    run.py --mica build/mica --fixture build/tests/conformance-server
           [--over stdio|http] [--verbose] [TRANSCRIPT...]
    run.py --apps build/tests/wire/app-store …

With --apps, those over HTTP run at the path of a published app (app_place.py). Each transcript has a fresh server on each transport. A server must end by
itself with status 0, so that what a sanitizer finds fails the transcript.
"""
import argparse
import os
import sys

import app_place
import pattern
import talk
from talk import Failure
from together import outcomes
from transcript import Transcript, TranscriptError, expand, expand_raw

HERE = os.path.dirname(os.path.abspath(__file__))


def check_message(reply, over, asked):
    """What holds for every reply of every transcript; its value. `asked`: it may
    be a question of the server."""
    try:
        value = pattern.read_json(reply.text)
    except ValueError as error:
        raise Failure("the reply is no JSON: %s: %s" % (error, reply.text)) from error
    if "\n" in reply.text or "\r" in reply.text:
        raise Failure("more than one line: %r" % reply.text)
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        return value  # of another route; the pattern says what it must be
    if "method" in value:
        if ("id" in value and not asked) or ("Content-Type", "text/event-stream") not in (
                reply.headers or [("Content-Type", "text/event-stream")]):
            raise Failure("a request, or a notification where none can be: %s"
                          % reply.text)
        return value
    if ("result" in value) == ("error" in value):
        raise Failure("both or neither of result and error: %s" % reply.text)
    if value.get("id", 0) is None:
        raise Failure("an id is null: %s" % reply.text)
    if "error" in value and not isinstance(value["error"].get("data", {}).get("code"), str):
        raise Failure("an error without a stable code: %s" % reply.text)
    if over == "http" and dict(reply.headers).get("Content-Type") not in (
            "application/json", "text/event-stream"):
        raise Failure("content type of %s" % reply.headers)
    return value


def check_headers(step, reply, place=None):
    found = {}
    for name, value in reply.headers:
        found.setdefault(name.lower(), []).append(value)
    for how, name, want in step.headers:
        want = want if place is None else place.header(want)
        values = found.get(name.lower(), [])
        if how == "-":
            if values:
                raise Failure("the header %s is there: %s" % (name, values))
        elif want.startswith("~"):
            text = pattern.parse(want)
            if not any(pattern.match(text, value) is None for value in values):
                raise Failure("%s is %s, expected %s" % (name, values, want))
        elif want not in values:
            raise Failure("%s is %s, expected %r" % (name, values, want))


class Runner:
    def __init__(self, transcript, over, command, patience, verbose, place=None):
        self.transcript = transcript
        self.over = over
        self.verbose = verbose
        self.place = place
        self.talk = talk.Stdio(command, patience) if over == "stdio" else \
            talk.Http(command, patience, place)
        self.patience = patience
        self.last = None  # the step that was sent last

    def say(self, mark, text):
        if self.verbose:
            print("#   %s %s" % (mark, text if len(text) < 500 else text[:500] + "…"))

    def send(self, step):
        self.last = step
        for n in range(1, step.times + 1):
            body = expand(step.text, n if step.times > 1 else None)
            self.say(">", body.decode(errors="backslashreplace"))
            self.talk.send(step, body)

    def compare(self, step, reply, want):
        self.say("<", "%s %s" % (reply.status or "", reply.text))
        if self.over == "http" and reply.status != (step.status or 200):
            raise Failure("status %s, expected %s: %s"
                          % (reply.status, step.status or 200, reply.text))
        value = check_message(reply, self.over, "id" in want
                              if isinstance(want, dict) else False)
        if self.place is not None:
            value = self.place.reply(value)
        wrong = pattern.match(want, value)
        if wrong:
            raise Failure("%s\nin %s" % (wrong, reply.text))
        if self.over == "http":
            check_headers(step, reply, self.place)

    def expect(self, step):
        if step.times > 1:
            self.expect_many(step)
        elif step.pattern is None:
            reply = self.talk.silence(step)
            if reply is not None:
                check_headers(step, reply, self.place)
        elif isinstance(step.pattern, dict) and "method" in step.pattern:
            self.compare(step, self.talk.receive_notification(), step.pattern)
        else:
            self.compare(step, self.talk.receive(self.id_of(step.pattern)),
                         step.pattern)

    def expect_raw(self, step):
        """The next answer on the connection of `>!`, or that none comes."""
        if step.text == "closed":
            self.talk.end_raw()
            return
        reply = self.talk.receive_raw()
        if step.pattern is None:
            if reply.status != step.status or reply.text:
                raise Failure("expected %s and no body, got %s %s"
                              % (step.status, reply.status, reply.text))
            check_headers(step, reply, self.place)
        else:
            self.compare(step, reply, step.pattern)

    @staticmethod
    def id_of(want):
        id_ = want.get("id") if isinstance(want, dict) else None
        return id_ if isinstance(id_, (int, str)) else None

    def expect_many(self, step):
        """A reply for each number, in any order."""
        patterns = {n: pattern.parse(step.text.replace("$n", str(n)))
                    for n in range(1, step.times + 1)}
        for _ in range(step.times):
            reply = self.talk.receive(None)
            id_ = pattern.read_json(reply.text).get("id")
            if id_ not in patterns:
                raise Failure("no or a second reply for id %r" % id_)
            self.compare(step, reply, patterns.pop(id_))

    def expect_soon(self, step):
        """Sends once more until the reply is right."""
        for left in reversed(range(int(self.patience * 50))):
            try:
                self.expect(step)
                return
            except Failure:
                if left == 0:
                    raise
            talk.time.sleep(0.02)
            self.send(self.last)

    def run(self):
        pattern.kept().clear()
        for step in self.transcript.steps:
            try:
                if step.kind == ">":
                    self.send(step)
                elif step.kind == ">!":
                    self.say(">!", step.text)
                    self.talk.send_raw(expand_raw(step.text, self.talk.program.port))
                elif step.kind == "<!":
                    self.expect_raw(step)
                elif step.kind == "!":
                    self.talk.act(step.text.split())
                elif self.last is not None and self.last.again:
                    self.expect_soon(step)
                else:
                    self.expect(step)
            except (Failure, app_place.Fault, OSError) as error:
                raise Failure("line %d: %s" % (step.number, error)) from error
        self.talk.close()


def command_for(options, transcript, over):
    if transcript.server == "fixture":
        own = ["--stdio"] if over == "stdio" else ["--listen", "127.0.0.1:0"]
        return [options.fixture] + own + transcript.options[over]
    own = ["stdio"] if over == "stdio" else ["serve", "--drain=0", "--listen", "127.0.0.1:0"]
    here = os.path.dirname(os.path.abspath(__file__))
    return [options.mica] + own + [option.replace("$here", here)
                                   for option in transcript.options[over]]


def run_one(options, transcript, over, place=None):
    """None when all went as written, else what went wrong."""
    runner = store = None
    command = command_for(options, transcript, over)
    try:
        if place is not None:
            store, words = app_place.at_app(options.apps, place, transcript)
            command += words
        runner = Runner(transcript, over, command, options.patience, options.verbose,
                        place)
        runner.run()
        if place is not None and place.asked == 0:
            return "nothing of it went to the app: name it in app_place.ELSEWHERE"
    except (Failure, OSError) as failure:
        said = runner.talk.program.stderr[-8:] if runner else []
        return "%s%s" % (failure, "".join("\nstderr: " + line for line in said))
    finally:
        if runner:
            runner.talk.program.kill()
        if store is not None:
            store.folder.cleanup()
    return None


def skipped(options, transcript):
    """Why the transcript does not run at an app; None: it does."""
    if not options.apps:
        return None
    return app_place.ELSEWHERE.get(os.path.basename(transcript.path)[:-3])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mica", default="build/mica")
    parser.add_argument("--fixture", default="build/tests/conformance-server")
    parser.add_argument("--over", choices=["stdio", "http"])
    parser.add_argument("--patience", type=float, default=20, metavar="SECONDS")
    parser.add_argument("--apps", metavar="APP_STORE")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("transcripts", nargs="*")
    options = parser.parse_args()
    paths = options.transcripts or sorted(
        os.path.join(HERE, name) for name in os.listdir(HERE) if name.endswith(".mt"))
    options.mica = os.path.abspath(options.mica)
    options.fixture = os.path.abspath(options.fixture)
    if options.apps:
        options.apps, options.over = os.path.abspath(options.apps), "http"
    number = failed = 0
    try:
        transcripts = [Transcript(path) for path in paths]
    except TranscriptError as error:
        print("Bail out! %s" % error)
        return 1
    if options.apps and not options.transcripts:
        unknown = app_place.unknown_names(transcripts)
        if unknown:
            print("Bail out! app_place.ELSEWHERE is wrong: %s" % ", ".join(unknown))
            return 1
    runs = [(transcript, over, place)
            for transcript in transcripts for over in ("stdio", "http")
            if over in transcript.over and options.over in (None, over)
            for place in (app_place.places(transcript)
                          if options.apps and skipped(options, transcript) is None
                          else [None])]

    def tried(run):
        transcript, over, place = run
        why = skipped(options, transcript)
        return why, why is None and run_one(options, transcript, over, place)

    for number, (transcript, over, place), (why, wrong) in outcomes(runs, tried):
        name = "%s over %s%s" % (os.path.basename(transcript.path)[:-3], over,
                                 "" if place is None else place.title)
        failed += bool(wrong)
        print("%s %d - %s%s" % ("not ok" if wrong else "ok", number, name,
                                "" if why is None else " # SKIP " + why))
        for line in (wrong or "").splitlines():
            print("# " + line)
        sys.stdout.flush()
    print("1..%d" % number)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

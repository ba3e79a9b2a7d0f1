# SPDX-License-Identifier: Apache-2.0
"""The paths of published apps as the place of a transcript (run.py --apps).

A transcript whose server is the fixture runs at an endpoint of the fixture that has the
form of an app's and offers what /mcp does (tests/conformance/place.c): word for word.

A transcript whose server is the catalog runs at an app of a store, which `mica serve`
loads when the transcript first asks for it. The app runs the engine that the transcript
calls, under the engine's name, so that a call is translated: its arguments become
`context`, and the data of the layout become the engine's result again. What the app adds,
its message, its widget and its progress, is checked here and taken away.
"""
import json
import os
import re

import apps

SLUG = "transcripts"
PATH = "/servers/" + SLUG
MESSAGE = "The answer of the engine:"
# The engines that transcripts call, and what their results have.
ENGINES = {"percentage-calculator": ("result", "formula", "explanation"),
           "hash": ("hex", "bytes")}
# Tools of the fixture, of which one alone is called by some transcripts: those run at an
# app of a store as well, which runs the tool.
TOOLS = {"wait": ("running", "cancelled", "finished")}

ADDRESSES = ("ui", "ui/resourceUri", "openai/outputTemplate")  # of the widget

REST = "it is about REST: apps.py and endpoints.py have that of an app"
LIST = "it has what /mcp says of its engine; the tool of an app is its own (apps.py: the tool is that of the app)"
IDENTITY = "it names server and version of /mcp; those of an app are its own (apps.py)"
RESOURCES = "an app has the resources of its widget, and no others (apps.py)"
HEALTH = "it asks /healthz alone, which is the server's"
# The transcripts that no app can have, and why. What is neither here nor runs is an error.
ELSEWHERE = {
    "010-discover": IDENTITY, "011-list": LIST, "022-handshake-2025-03-26": LIST,
    "021-handshake-2025-06-18": IDENTITY,
    "031-methods-of-the-other-era": RESOURCES, "116-what-is-not-offered": RESOURCES,
    "118-a-folder": RESOURCES,
    "053-a-long-call": "its arguments are longer than those of an app (256 KiB); "
                       "app_behaviors.py has an engine that runs long",
    "076-legacy-without-sessions": "apps are in a store, and a server with a store has "
                                   "sessions",
    "103-a-stream-of-a-session": "a version that is published tells of all its lists "
                                 "(apps.py: a listener hears of a new version)",
    "160-rest": REST, "161-rest-with-tokens": REST, "162-no-rest": REST,
    "163-rest-asks": REST, "164-refusals-for-pages": REST, "193-views-over-rest": REST,
    "197-requests-of-views-over-rest": REST,
    "174-a-bare-cr": HEALTH, "175-nul-in-a-value": HEALTH, "177-a-bare-lf": HEALTH,
    "182-hosts": HEALTH, "183-first-lines": HEALTH,
    "194-the-host-page": "the page /host asks /mcp",
    "195-no-host-page": "the page /host is the server's",
    "198-views-of-engines": "the widget of an app takes the place of the engine's view "
                            "(apps.py)",
}


METADATA = "/.well-known/oauth-protected-resource"


class Fault(Exception):
    """What the app added is not what it should be."""


class Place:
    """Where requests go: here those of the fixture, in which only the path differs."""

    title = ", at an endpoint like an app's"

    def __init__(self):
        self.asked = 0  # requests that went to the endpoint

    def path(self, path):
        """That of a request in a transcript, at the app."""
        if path.startswith(METADATA + "/mcp"):
            return METADATA + PATH + path[len(METADATA):]
        for own in ("/mcp", "/sse", "/messages"):
            if path == own or path.startswith((own + "?", own + "/")):
                self.asked += 1
                return PATH + path
        return path

    def header(self, text):
        """What a transcript expects of a header of the reply."""
        return text.replace(METADATA + "/mcp", METADATA + PATH + "/mcp")

    def raw(self, data):
        """The same in bytes of a transcript."""
        def at_app(match):
            self.asked += 1
            return match.group(1) + PATH.encode() + match.group(2)
        return re.sub(rb"((?:^|\n|\A)[A-Za-z]+[ \t]+)(/mcp(?:[ ?\t]|$))", at_app, data)

    def sent(self, body):
        return body

    def told(self, text):
        """Whether the transcript shall see this notification."""
        return True

    def reply(self, value):
        return value


class AppPlace(Place):
    """An app of a store that runs the engine or tool `name`."""

    title = ", at an app"

    def __init__(self, name):
        super().__init__()
        self.name = name
        self.progress = {}

    def version(self, visibility):
        facts = {}
        for number, member in enumerate({**ENGINES, **TOOLS}[self.name]):
            facts["/facts/%d/label" % number] = {"value": member}
            facts["/facts/%d/value" % number] = {"pointer": "/" + member}
        return apps.version(
            name="mica", toolName=self.name, visibility=visibility,
            behavior={"type": "tool", "tool": self.name, "message": MESSAGE,
                      "arguments": {"": {"pointer": "/context"}},
                      "data": {"/title": {"value": self.name}, **facts}})

    def sent(self, body):
        """Each call of the engine becomes one of the app. All other bytes stay."""
        try:
            text = body.decode()
        except UnicodeDecodeError:
            return body
        begin = re.compile(r'"name":"%s",\s*"arguments":(?=\{)' % re.escape(self.name))
        out, at = "", 0
        for match in begin.finditer(text):
            try:
                _, end = json.JSONDecoder().raw_decode(text, match.end())
            except ValueError:
                break  # no JSON: sent as it is
            out += text[at:match.end()] + '{"message":"Ask the engine.","context":' + \
                text[match.end():end] + "}"
            at = end
        return (out + text[at:]).encode()

    def told(self, text):
        """An engine tells no progress; the app does: from 0 to 100, rising."""
        message = json.loads(text)
        if message.get("method") != "notifications/progress":
            return True
        params = message["params"]
        before = self.progress.get(params["progressToken"], -1)
        if params["total"] != 100 or not before < params["progress"] <= 100:
            raise Fault("the progress of the app does not rise: %s" % text)
        self.progress[params["progressToken"]] = params["progress"]
        return False

    def reply(self, value):
        if isinstance(value, list):
            return [self.reply(one) for one in value]
        if isinstance(value, dict) and "authorization_servers" in value:
            value["resource"] = value["resource"].replace(PATH, "")
        result = value.get("result") if isinstance(value, dict) else None
        if isinstance(result, dict) and "content" in result:
            if result.get("isError"):
                self.failure(result)
            else:
                self.data(result)
        return value

    def data(self, result):
        """The data of the layout become the engine's result again."""
        meta, found = result.get("_meta", {}), set(ADDRESSES)
        for member in [name for name in meta if name.startswith(("openai/", "ui"))]:
            said = meta.pop(member)
            if member in ADDRESSES and not str(
                    said["resourceUri"] if member == "ui" else said).startswith(
                        "ui://widget/%s.html?v=" % SLUG):
                raise Fault("%s names no widget: %s" % (member, said))
            found.discard(member)
        if found:
            raise Fault("the result names no widget: %s" % found)
        if not meta:
            result.pop("_meta", None)
        texts = [block["text"] for block in result["content"]]
        if texts[0] != MESSAGE or len(texts) != 2:
            raise Fault("the texts are not those of the app: %s" % texts)
        if "structuredContent" in result:
            data = result["structuredContent"]
            if set(data) != {"title", "facts"} or data["title"] != self.name:
                raise Fault("the data are not those of the layout: %s" % data)
            result["structuredContent"] = {fact["label"]: fact["value"]
                                           for fact in data["facts"]}
            text = json.dumps(result["structuredContent"], ensure_ascii=False,
                              separators=(",", ":"), default=float)
        else:
            text = texts[1]
        result["content"] = [{"type": "text", "text": text}]

    @staticmethod
    def failure(result):
        """What the engine refused, in its own words and at its own place."""
        error = result.get("_meta", {}).get("mica/error")
        if error is None or error["code"] != "EXECUTION_ERROR":
            return
        if result["content"][0]["text"] != error["code"] + ": " + error["message"]:
            raise Fault("text and error of the app differ: %s" % result)
        details = error["details"]
        result["_meta"]["mica/error"] = {
            "code": details["reason"], "message": details["message"],
            "path": re.sub("^/context", "", details.get("path", ""))}
        result["content"][0]["text"] = details["reason"] + ": " + details["message"]


def called_by(transcript):
    """The names of all tools that the transcript calls."""
    text = " ".join(step.text for step in transcript.steps if step.kind == ">")
    return [name for name in re.findall(r'"name":"([^"]*)"', text)
            if '"method":"tools/call"' in text]


def places(transcript):
    """The places where the transcript runs."""
    called = called_by(transcript)
    if transcript.server == "catalog":
        engines = [name for name in ENGINES if name in called]
        return [AppPlace(engines[0] if engines else next(iter(ENGINES)))]
    tools = set(called)
    alone = tools <= set(TOOLS) and len(tools) == 1 and not transcript.options["http"]
    return [Place()] + ([AppPlace(tools.pop())] if alone else [])


def at_app(program, place, transcript):
    """(store or None, further words of the command). `program` is app-store."""
    if not isinstance(place, AppPlace):
        return None, ["--place"]
    store = apps.Store(program)
    visibility = "token" if "--auth" in transcript.options["http"] else "public"
    store.publish(SLUG, text=place.version(visibility))
    return store, ["--store", store.spec]


def unknown_names(transcripts):
    """Names in ELSEWHERE that no transcript over HTTP has."""
    known = {os.path.basename(one.path)[:-3] for one in transcripts if "http" in one.over}
    return sorted(set(ELSEWHERE) - known)

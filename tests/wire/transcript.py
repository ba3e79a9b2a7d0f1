# SPDX-License-Identifier: Apache-2.0
"""Reads a transcript: its settings and its steps (README.md has the format)."""
import json
import re

import pattern
import tokens

META = ('"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
        '"io.modelcontextprotocol/clientCapabilities":{}}')


ASKED = META.replace('"io.modelcontextprotocol/clientCapabilities":{}',
                     '"io.modelcontextprotocol/clientCapabilities":{'
                     '"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{},'
                     '"extensions":{"io.modelcontextprotocol/tasks":{}}}')

VIEWS = META.replace('"io.modelcontextprotocol/clientCapabilities":{}',
                     '"io.modelcontextprotocol/clientCapabilities":{"extensions":{'
                     '"io.modelcontextprotocol/ui":{"mimeTypes":['
                     '"text/html;profile=mcp-app"]}}}')


# A client that answers forms with views (SEP-3118).
FORM_VIEWS = META.replace('"io.modelcontextprotocol/clientCapabilities":{}',
                          '"io.modelcontextprotocol/clientCapabilities":{'
                          '"elicitation":{"form":{}},"extensions":{'
                          '"io.modelcontextprotocol/ui":{"mimeTypes":['
                          '"text/html;profile=mcp-app"],"elicitation":{}}}}')


class TranscriptError(Exception):
    pass


class Step:
    """One line of a transcript and those that continue it."""

    def __init__(self, kind, text, number):
        self.kind = kind        # ">", "<" or "!"
        self.text = text
        self.number = number    # of the line in the file
        self.times = 1
        self.again = False      # ">~": until the reply is right
        self.headers = []       # of a request (set/add/drop) or of a response
        self.status = None      # of a response
        self.pattern = None     # of a response; None: no body
        self.method = "POST"
        self.path = "/mcp"


def expand_header(value, port):
    """What the value of a header in a transcript stands for."""
    value = re.sub(r"\$token\((\{.*?\})\)", lambda m: tokens.token(m.group(1)), value)
    return value.replace("$port", str(port))


def expand_path(path):
    """A path, in which what was kept stands as it is."""
    path = re.sub(r"\$\((\w+)\)", lambda m: str(pattern.kept()[m.group(1)]), path)
    return repeat(path)


def repeat(text):
    """What $repeat(TEXT,N) stands for."""
    return re.sub(r"\$repeat\((.*?),(\d+)\)",
                  lambda m: m.group(1) * int(m.group(2)), text)


RAW = {"\\r": "\r", "\\n": "\n", "\\t": "\t", "\\0": "\0", "\\s": " "}


def expand_raw(text, port):
    """The bytes of a `>!` step."""
    text = re.sub(r"\\[rnt0s]", lambda m: RAW[m.group(0)], text)
    return expand(text.replace("$port", str(port)))


def expand(text, n=None):
    """The bytes that a sent text stands for."""
    if n is not None:
        text = text.replace("$n", str(n))
    text = text.replace("$meta", META).replace("$asked", ASKED).replace("$views", VIEWS)
    text = text.replace("$form_views", FORM_VIEWS)
    text = re.sub(r"\$\((\w+)\)",
                  lambda m: json.dumps(pattern.kept()[m.group(1)]), text)
    text = repeat(text)
    parts = re.split(r"\$byte\(([0-9a-f]{2})\)", text)
    out = b""
    for i, part in enumerate(parts):
        out += bytes([int(part, 16)]) if i % 2 else part.encode()
    return out


class Transcript:
    """settings: title, over (a set), server, options (lists by transport)."""

    def __init__(self, path):
        self.path = path
        self.title = ""
        self.over = {"stdio", "http"}
        self.server = "catalog"
        self.options = {"stdio": [], "http": []}
        self.steps = []
        self.waiting_headers = []
        with open(path, encoding="utf-8") as file:
            for number, line in self.whole_lines(file):
                try:
                    self.read(line, number)
                except (pattern.PatternError, ValueError) as error:
                    raise TranscriptError("%s:%d: %s" % (path, number, error)) from error

    @staticmethod
    def whole_lines(file):
        """Lines without comments, those that begin with a space joined."""
        start, whole = 0, None
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if line.startswith(" ") and whole is not None:
                whole += line.strip()
                continue
            if whole is not None:
                yield start, whole
            whole = None
            if line and not line.startswith("#"):
                start, whole = number, line
        if whole is not None:
            yield start, whole

    def read(self, line, number):
        if line.startswith(">@"):
            self.waiting_headers.append(self.header(line[2:].strip()))
        elif line.startswith(">!"):
            self.steps.append(Step(">!", line[2:].strip(), number))
        elif line.startswith("<!"):
            self.read_expect(line[2:], number, "<!")
        elif line.startswith(">"):
            self.read_send(line[1:], number)
        elif line.startswith("<@"):
            self.steps[-1].headers.append(self.header(line[2:].strip()))
        elif line.startswith("<"):
            self.read_expect(line[1:], number)
        elif line.startswith("!"):
            self.steps.append(Step("!", line[1:].strip(), number))
        else:
            self.read_setting(line)

    def read_setting(self, line):
        name, _, value = line.partition(":")
        value = value.strip()
        if self.steps:
            raise ValueError("a setting after the first step: %r" % line)
        if name == "title":
            self.title = value
        elif name == "over":
            self.over = set(value.split())
        elif name == "server":
            self.server = value
        elif name in ("stdio options", "http options"):
            self.options[name.split()[0]] = value.split()
        else:
            raise ValueError("no setting %r" % name)

    @staticmethod
    def header(text):
        """(how, name, value): how is "=", "+" or "-"."""
        how = text[0] if text[0] in "+-" else "="
        name, _, value = text.lstrip("+-").partition(":")
        return how, name.strip(), value[1:] if value[:1] == " " else value

    def read_send(self, text, number):
        step = Step(">", text, number)
        if text.startswith("~"):
            step.again, text = True, text[1:]
        times = re.match(r"(\d+) ", text)
        if times:
            step.times, text = int(times.group(1)), text[times.end():]
        target = re.match(r"([A-Z]+) (/\S*)( |$)", text.strip())
        if target:
            step.method, step.path = target.group(1), target.group(2)
            text = text.strip()[target.end():]
        step.text = text.strip()
        step.headers, self.waiting_headers = self.waiting_headers, []
        self.steps.append(step)

    def read_expect(self, text, number, kind="<"):
        step = Step(kind, text.strip(), number)
        times = re.match(r"x(\d+) ", text)
        if times:
            step.times, text = int(times.group(1)), text[times.end():]
        status = re.match(r"\s*(\d{3})(\s|$)", text)
        if status:
            step.status, text = int(status.group(1)), text[status.end():]
        step.text = text.strip()
        # With "$n" it is a pattern only once the number is known.
        if step.text and step.text not in ("end", "closed") and "$n" not in step.text:
            step.pattern = pattern.parse(step.text)
        self.steps.append(step)

# SPDX-License-Identifier: Apache-2.0
"""JSON patterns: what a reply must look like.

A pattern is JSON with more forms (README.md):
    ...           any value; in an object any further members; in an array any
                  number of items
    ~"regex"      a string in which the regular expression is found
    @name         any value, which is kept under that name
"""
import json
import re
import threading
from decimal import Decimal


class Any:
    """The value `...`."""

    def __repr__(self):
        return "..."


class Text:
    """A string that matches."""

    def __init__(self, regex):
        self.regex = regex

    def __repr__(self):
        return '~"%s"' % self.regex


class Keep:
    """Any value; it is kept."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "@" + self.name


REST = Any()
_KEPT = threading.local()


def kept():
    """The values that patterns of this thread have kept, by name: a thread plays one
    transcript at a time."""
    return vars(_KEPT)


class PatternError(Exception):
    pass


class Parser:
    """Reads a pattern; plain values are left to the JSON module."""

    def __init__(self, text):
        self.text = text
        self.at = 0

    def space(self):
        while self.at < len(self.text) and self.text[self.at] in " \t\r\n":
            self.at += 1

    def peek(self, token):
        self.space()
        return self.text.startswith(token, self.at)

    def take(self, token):
        if not self.peek(token):
            raise PatternError("expected %s at %r" % (token, self.text[self.at:][:40]))
        self.at += len(token)

    def plain(self):
        self.space()
        try:
            value, self.at = json.JSONDecoder(parse_float=Decimal).raw_decode(
                self.text, self.at)
        except ValueError as error:
            raise PatternError("%s at %r" % (error, self.text[self.at:][:40])) from error
        return value

    def value(self):
        if self.peek("..."):
            self.take("...")
            return REST
        if self.peek("~"):
            self.take("~")
            return Text(self.plain())
        if self.peek("@"):
            name = re.match(r"@(\w+)", self.text[self.at:])
            if not name:
                raise PatternError("no name at %r" % self.text[self.at:][:40])
            self.at += name.end()
            return Keep(name.group(1))
        if self.peek("{"):
            return self.members()
        if self.peek("["):
            return self.items()
        return self.plain()

    def members(self):
        self.take("{")
        found = {}
        while not self.peek("}"):
            if found or REST in found:
                self.take(",")
            if self.peek("..."):
                self.take("...")
                found[REST] = REST
                continue
            name = self.plain()
            self.take(":")
            found[name] = self.value()
        self.take("}")
        return found

    def items(self):
        self.take("[")
        found = []
        while not self.peek("]"):
            if found:
                self.take(",")
            found.append(self.value())
        self.take("]")
        return found


def parse(text):
    parser = Parser(text)
    value = parser.value()
    parser.space()
    if parser.at != len(text):
        raise PatternError("more after the pattern: %r" % text[parser.at:][:40])
    return value


def read_json(text):
    """Strict: no duplicate names, no NaN."""

    def pairs(items):
        names = [name for name, _ in items]
        if len(names) != len(set(names)):
            raise ValueError("a name twice in one object")
        return dict(items)

    def constant(name):
        raise ValueError("%s is no JSON" % name)

    return json.loads(text, object_pairs_hook=pairs, parse_float=Decimal,
                      parse_constant=constant)


def same_kind(pattern, value):
    numbers = (int, Decimal)
    if isinstance(pattern, bool) or isinstance(value, bool):
        return isinstance(pattern, bool) and isinstance(value, bool)
    if isinstance(pattern, numbers):
        return isinstance(value, numbers)
    return isinstance(value, type(pattern))


def match_items(pattern, value, path):
    """None when they match, else the first difference."""
    if not pattern:
        return None if not value else "%s has %d items too many" % (path, len(value))
    if pattern[0] is REST:
        for skip in range(len(value) + 1):
            if match_items(pattern[1:], value[skip:], path) is None:
                return None
        return "%s has nothing like %r" % (path, pattern[1:])
    if not value:
        return "%s ends where %r is expected" % (path, pattern[0])
    return match(pattern[0], value[0], path + "/0") or match_items(
        pattern[1:], value[1:], path + "+1")


def match(pattern, value, path=""):
    """None when `value` is as `pattern` says, else what is not."""
    if pattern is REST:
        return None
    if isinstance(pattern, Keep):
        kept()[pattern.name] = value
        return None
    if isinstance(pattern, Text):
        if isinstance(value, str) and re.search(pattern.regex, value):
            return None
        return "%s is %r, expected %r" % (path, value, pattern)
    if not same_kind(pattern, value):
        return "%s is %r, expected %r" % (path, value, pattern)
    if isinstance(pattern, list):
        return match_items(pattern, value, path)
    if isinstance(pattern, dict):
        for name in pattern:
            if name is REST:
                continue
            if name not in value:
                return "%s has no %r" % (path, name)
            wrong = match(pattern[name], value[name], path + "/" + name)
            if wrong:
                return wrong
        if REST not in pattern:
            for name in value:
                if name not in pattern:
                    return "%s has %r, which is not expected" % (path, name)
        return None
    return None if pattern == value else "%s is %r, expected %r" % (path, value, pattern)

# SPDX-License-Identifier: Apache-2.0
"""Measures of the sources in src and include: sizes, circles, comments, names,
flags of structs, and the marks by which one knows a sentence that has no actor.
scripts/style-table prints them; scripts/checks/ratchet keeps them from growing."""

import collections
import json
import os
import pathlib
import re
import subprocess

import house

# Signs of a sentence without an actor or a noun (CONTRIBUTING.md, Prose).
MARKS = re.compile(
    r"\b(?:who(?:m)?ever|(?:some|no|any)body|such (?:a|an) one|(?:is|are) none"
    r"|(?:goes|go|going|went) on|com(?:es|e) by|has said)\b", re.I)
# A "who" in place of a noun: "let in only who has a token", "is kept for who asks again",
# "; who opens one looks there". After a noun ("callers who") and as a question it is none.
HEADLESS = re.compile(
    r"\b(?:(?:to|of|for|by|from|with|at|than|only|if|so|which|while|because|lets? in)"
    r" who (?=\w)(?!in \()"
    r"|(?<=[.;:] )[Ww]ho (?:(?:may|can|does) not "
    r"|(?!(?:is|was|has|does) |\w+s (?:what|whom|\())\w+s ))")
# Where a sentence continues in the next line: comments, strings, Markdown.
BREAK = re.compile(r'[ \t]*"?[ \t]*\\?\n[ \t]*(?://[/!]?|[#*"-])?[ \t]*')
FEW_FLAGS = 3  # a struct with fewer booleans has no states to speak of


def sources():
    """C files and headers of mica itself."""
    return house.files("src/*.c", "src/*.h", "include/mica/*.h")


def prose_files():
    """Files that speak to a reader: sources, docs, tests, pages, scripts."""
    names = house.files("src/*.c", "src/*.h", "include/*.h", "*.md", "tools/*",
                        "engines/*.c", "web/*.js", "web/*.mjs", "examples/*",
                        "tests/*.c", "tests/*.h", "tests/*.py", "scripts/*",
                        "bench/*.c", "bench/*.py")
    return [name for name in names if not name.startswith(
        ("tests/spec/", "bench/RESULTS", "scripts/checks/")) and "/corpus/" not in name]


def functions(name):
    """(line, function, lines of its body, static) of each function."""
    start = found = static = None
    previous = ""
    for number, line in enumerate(house.code(name).splitlines(), 1):
        match = re.match(r"(\w+)\(", line)
        if match:
            found, static = match.group(1), "static" in previous.split()
        elif line == "{" and found:
            start = number
        elif line == "}" and start:
            yield start, found, number - start - 1, static
            start = found = None
        previous = line


def lines_of(name):
    """(lines of code, lines with a comment, all lines) of one source."""
    whole = house.text(name).splitlines()
    bare = house.code(name).splitlines()
    code = sum(1 for line in bare if line.strip())
    comments = sum(1 for line in whole if re.search(r"(^|\s)//|^\s*/?\*", line))
    return code, comments, len(whole)


def marks():
    """Counter of marks by file. `is None` of Python is code."""
    found = {name: sum(mark != "is None" for mark in MARKS.findall(house.text(name)))
             + len(HEADLESS.findall(BREAK.sub(" ", house.text(name))))
             for name in prose_files()}
    return collections.Counter({name: n for name, n in found.items() if n})


def base_names():
    """{base name: its files} where a name without suffix and folder stands in
    more than one folder; a header beside its source counts once."""
    places = collections.defaultdict(set)
    for name in house.files("src/*.c", "src/*.h"):
        path = pathlib.PurePath(name)
        places[path.stem].add(str(path.with_suffix("")))
    return {stem: sorted(found) for stem, found in places.items() if len(found) > 1}


def statics_without_noun():
    """Counter by file of static functions whose name is one word: a backtrace
    with `run` in it tells nothing."""
    found = collections.Counter()
    for name in house.files("src/*.c"):
        for _, function, _, static in functions(name):
            found[name] += static and "_" not in function
    return +found


def flags():
    """Counter of booleans by struct, where there are FEW_FLAGS or more."""
    found = collections.Counter()
    for name in sources():
        for match in re.finditer(r"struct (\w+) \{(.*?)^\}", house.code(name),
                                 re.S | re.M):
            count = sum(len(group.split(",")) for group in
                        re.findall(r"^\s*bool ([^;(]+);", match.group(2), re.M))
            if count >= FEW_FLAGS:
                found[f"{name}:{match.group(1)}"] = count
    return found


def objects():
    """{source: its object in build/} of src; None where it is not built."""
    build = house.ROOT / "build"
    try:
        commands = json.loads((build / "compile_commands.json").read_text())
    except FileNotFoundError:
        raise SystemExit("build/compile_commands.json is missing; "
                         "run make build") from None
    found = {}
    for command in commands:
        path = pathlib.Path(os.path.normpath(build / command["file"]))
        made = build / command["output"]
        if path.is_relative_to(house.ROOT / "src"):
            name = str(path.relative_to(house.ROOT))
            found[name] = found.get(name) or (made if made.exists() else None)
    return found


def calls():
    """{source: {source: global symbols of it that are used}}; needs `make build`."""
    built = {name: made for name, made in objects().items() if made}
    out = subprocess.run(["nm", "-A", "-P", *map(str, built.values())], check=True,
                         text=True, capture_output=True).stdout
    by_object = {str(made): name for name, made in built.items()}
    home, needs = {}, collections.defaultdict(set)
    for line in out.splitlines():
        where, symbol, kind = line.split()[:3]
        source = by_object[where.rstrip(":")]
        if kind == "U":
            needs[source].add(symbol)
        elif kind in "TDBRVWC":
            home[symbol] = source
    found = {name: collections.defaultdict(set) for name in built}
    for name in built:
        for symbol in needs[name]:
            if home.get(symbol, name) != name:
                found[name][home[symbol]].add(symbol)
    return found


def circles(graph=None):
    """Lists of sources that need each other, largest first."""
    groups = components(calls() if graph is None else graph)
    return sorted((sorted(group) for group in groups if len(group) > 1),
                  key=lambda group: (-len(group), group))


def components(graph):
    """Strongly connected components (Tarjan 1972), without recursion."""
    index, low, stack, on_stack, done = {}, {}, [], set(), []
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(graph[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, edges = work[-1]
            for other in edges:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(graph[other])))
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = []
                    while not group or group[-1] != node:
                        group.append(stack.pop())
                        on_stack.discard(group[-1])
                    done.append(group)
    return done

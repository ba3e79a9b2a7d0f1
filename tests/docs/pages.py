#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What holds for the pages together. Usage: pages.py MICA REPOSITORY PAGE…, or: pages.py --links FOLDER

Every page that shows a command is one of PAGEs, which run.py follows; every page of
docs/ is in its index; every link leads to a file and to a heading that are there, in
llms.txt too; each term of the glossary, in its order, links its header; `mica …` in a sentence names a command and options that mica has;
llms.txt and SKILL.md have the form that their readers want. Prints TAP; with --links
only what is wrong with the links of a folder.
"""

import pathlib
import re
import subprocess
import sys

import run

FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def headings(path):
    """The anchors of a page, as web pages that show Markdown make them."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    for heading in re.findall(r"^#+ (.+)$", text, re.M):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def links(path):
    """The links of a page that lead to no other place of the network."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    return [link for link in LINK.findall(text) if "://" not in link]


def broken(path, installed=False):
    for link in links(path):
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        if installed and name.startswith("../src/"):
            continue  # of the repository alone, as the glossary says
        if not target.exists():
            yield f"{path.name}: {link} leads to no file"
        elif anchor and anchor not in headings(target):
            yield f"{path.name}: {link} leads to no heading"


def glossary(path):
    """Rows without a link to a header, and rows out of order."""
    rows = re.findall(r"^\| (?!-|term \|)(.+?) \| .* \| (.+) \|$",
                      path.read_text(encoding="utf-8"), re.M)
    if len(rows) < 50:
        yield f"{path.name} has {len(rows)} rows"
    for term, where in rows:
        if not re.fullmatch(r"(?:\[`([\w/.-]+\.h)`\]\(\.\./\1\)(?:, |$))+", where):
            yield f"{path.name}: {term}: link its header, [`PATH`](../PATH)"
    terms = [term.lower() for term, _ in rows]
    yield from (f"{path.name}: {after} stands behind {before}"
                for before, after in zip(terms, terms[1:]) if after < before)


def unfollowed(root, pages, followed):
    for path in pages:
        name = str(path.relative_to(root))
        kinds = {kind for kind, _ in run.items(path.read_text(encoding="utf-8"))}
        if kinds & {"sh", "console", "stray"} and name not in followed:
            yield f"{name} shows commands, and tests/meson.build does not name it"


def unlisted(root):
    index = {(root / "docs" / link).resolve() for link in links(root / "docs/README.md")}
    for path in sorted((root / "docs").glob("*.md")):
        if path.name != "README.md" and path.resolve() not in index:
            yield f"docs/README.md does not name {path.name}"


def unknown(mica, path):
    """Commands within sentences that mica does not have, by its own help."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    for words in re.findall(r"`mica ([a-z]+(?: [^`]*)?)`", text):
        command, *rest = words.split()
        said = subprocess.run([mica, "help", command], capture_output=True, text=True,
                              check=False)
        if said.returncode:
            yield f"{path.name}: mica has no command for `mica {words}`"
        for option in re.findall(r"(?<!\S)--[a-z-]+", " ".join(rest)):
            if option not in said.stdout:
                yield f"{path.name}: mica {command} has no {option}"


def llms(root):
    """https://llmstxt.org: a title, a summary, notes, and lists of links."""
    text = (root / "llms.txt").read_text(encoding="utf-8")
    head, *sections = re.split(r"^## .+\n", text, flags=re.M)
    if not re.match(r"# [^\n]+\n\n> ", head):
        yield "llms.txt begins with a title and a summary"
    if re.search(r"^#", head[1:], re.M):
        yield "llms.txt has one title"
    for section in sections:
        for line in filter(None, section.splitlines()):
            if not re.fullmatch(r"- \[[^\]]+\]\([^)\s]+\): .+", line):
                yield f"llms.txt: this is no link with a note: {line}"
    if not sections:
        yield "llms.txt has no list"


def skill(path):
    """https://agentskills.io: what stands between the first lines."""
    text = path.read_text(encoding="utf-8")
    front = re.match(r"---\n(.*?)\n---\n", text, re.S)
    if not front:
        yield "SKILL.md has no front matter"
        return
    facts = dict(line.split(": ", 1) for line in front.group(1).splitlines())
    name = facts.get("name", "")
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) or len(name) > 64:
        yield f"SKILL.md: {name} is no name of a skill"
    if name != path.parent.name:
        yield f"SKILL.md: the folder is not named {name}"
    if not 1 <= len(facts.get("description", "")) <= 1024:
        yield "SKILL.md: a description has 1 to 1024 characters"
    if len(facts.get("compatibility", "")) > 500:
        yield "SKILL.md: what it needs has more than 500 characters"
    if any(": " in fact for fact in facts.values()):
        yield "SKILL.md: a colon in front matter has to be quoted"
    if text.count("\n") >= 500:
        yield "SKILL.md has 500 lines or more"
    if links(path):
        yield "SKILL.md is copied alone, and its links would lead nowhere"


def pages_of(root):
    return [*sorted(root.glob("*.md")), *sorted((root / "docs").glob("*.md")),
            *sorted((root / "skills").rglob("*.md")), root / "llms.txt"]


def main(mica, root, *followed):
    root = pathlib.Path(root)
    pages = pages_of(root)
    if mica == "--links":
        problems = [one for path in pages for one in broken(path, installed=True)]
        sys.exit("\n".join(problems) or None)
    cases = {
        "links lead to what is there":
            [one for path in pages for one in broken(path)],
        "pages that show commands are followed": unfollowed(root, pages, followed),
        "the index has every page": unlisted(root),
        "the glossary links each term to its header": glossary(root / "docs/glossary.md"),
        "commands within sentences are mica's":
            [one for path in pages for one in unknown(mica, path)],
        "llms.txt has the form of llmstxt.org": llms(root),
        "SKILL.md has the form of agentskills.io":
            skill(root / "skills/mica-engine/SKILL.md"),
    }
    print(f"1..{len(cases)}")
    for number, (name, problems) in enumerate(cases.items(), 1):
        problems = list(problems)
        print(f"{'not ok' if problems else 'ok'} {number} - {name}")
        for problem in problems:
            print(f"# {problem}")


main(*sys.argv[1:])

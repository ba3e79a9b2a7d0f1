#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what a page shows and compares. Usage: run.py MICA REPOSITORY PAGE [HEADER]

In the `console` blocks a line that begins with "$ " is a command (with the lines
that continue it), and what follows is what it prints; "…" stands for anything.
A command that shows nothing is run as well. `make run` is taken for the server that
stays, on a port of its own, with the engines and tools that were built beside mica,
and `mica serve` for one with those of the page; other make targets are what runs
this test. A C block whose first line names a file of engines/, tools/ or
tests/tools/ is written there, in an empty folder, before the first command that
names it. Commands print to a terminal, as they do for whoever reads the page. With
a HEADER the other C blocks are pieces of one source that begins with it, and both
compilers read that. Prints TAP.
"""

import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

PORT = "8080"


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def commands(block):
    """[(command, expected output)]"""
    result = []
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        lines = part.splitlines(keepends=True)
        end = 1
        while not complete("".join(lines[:end])):
            end += 1
        result.append(("".join(lines[:end]).strip(), "".join(lines[end:])))
    return result


def complete(command):
    return command.count("'") % 2 == 0 and not command.endswith("\\\n")


def matches(expected, actual):
    pattern = ".*".join(map(re.escape, expected.rstrip().split("…")))
    return re.fullmatch(pattern, actual.rstrip(), re.S) is not None


class Readme:
    def __init__(self, mica, folder):
        self.folder = folder
        self.built = [f"--engines={mica.parent}/engines",
                      f"--tools={mica.parent}/tools"]
        self.server = None
        self.port = None
        os.symlink(mica, folder / "bin" / "mica")
        self.env = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}",
                    "NO_COLOR": "1", "XDG_STATE_HOME": f"{folder}/state"}

    def serve(self, words):
        """Starts the server; what it says until it serves."""
        self.server = subprocess.Popen(
            ["mica", "serve", "--listen", "127.0.0.1:0", *words],
            cwd=self.folder, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)
        self.port = re.search(r":(\d+)/", self.server.stdout.readline()).group(1)
        said = []
        while not said or said[-1] != "}\n":
            line = self.server.stderr.readline()
            if not line:
                break
            if not line.startswith("mica: buil"):
                said.append(line)
        return "".join(said).replace(self.port, PORT)

    def run(self, command):
        if command in ("make run", "mica serve"):
            return self.serve(self.built if command == "make run" else [])
        if self.port:
            command = command.replace(f":{PORT}/", f":{self.port}/")
        master, slave = pty.openpty()
        process = subprocess.Popen(["sh", "-c", command], cwd=self.folder,
                                   env=self.env, stdin=subprocess.DEVNULL,
                                   stdout=slave, stderr=subprocess.PIPE)
        os.close(slave)
        printed = b""
        while True:
            try:
                printed += os.read(master, 65536)
            except OSError:  # the other end is closed
                break
        os.close(master)
        errors = process.communicate(timeout=120)[1].decode()
        # Without what is said of progress, which a terminal shows for a moment.
        errors = re.sub(r"\r\033\[K[^\r\n]*", "", errors)
        said = "".join(line for line in errors.splitlines(keepends=True)
                       if not line.startswith("mica: buil"))
        return printed.decode().replace("\r\n", "\n") + said

    def stop(self):
        if self.server:
            self.server.terminate()
            self.server.wait(timeout=20)
            self.server.stdout.close()
            self.server.stderr.close()


WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wformat=2",
            "-Wswitch-enum", "-Wno-unused-function", "-Werror"]
NAMED = r"^// (?:engines|tools|tests/tools)/"
NAMED_BLOCK = (r"^```c\n// (engines|tools|tests/tools)/([\w-]+)\.c\n"
               r"(.*?)^```$")


def pieces(text, repository, folder, header):
    """Compiles the C blocks that are no whole files; what each compiler says."""
    source = folder / "pieces.c"
    source.write_text("\n".join(
        [pathlib.Path(header).read_text(encoding="utf-8")] +
        [block for block in blocks(text, "c") if not re.match(NAMED, block)]))
    for compiler in ["gcc", "clang-14"]:
        yield compiler, subprocess.run(
            [compiler, "-std=c11", "-fsyntax-only", *WARNINGS, "-I",
             f"{repository}/include", source],
            capture_output=True, text=True, check=False)


def main(mica, repository, page, header=None):
    text = pathlib.Path(repository, page).read_text(encoding="utf-8")
    steps = [step for block in blocks(text, "console")
             for step in commands(block)
             if step[1] or not step[0].startswith("make ")]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "bin").mkdir()
        sources = re.findall(NAMED_BLOCK, text, re.M | re.S)
        readme = Readme(pathlib.Path(mica).resolve(), folder)
        print(f"1..{len(steps) + (2 if header else 0)}")
        try:
            for number, (command, expected) in enumerate(steps, 1):
                for place, slug, source in sources:
                    if slug in command:
                        (folder / place).mkdir(exist_ok=True, parents=True)
                        (folder / place / f"{slug}.c").write_text(source)
                sources = [one for one in sources if one[1] not in command]
                actual = readme.run(command)
                good = matches(expected, actual)
                first = command.splitlines()[0]
                print(f"{'ok' if good else 'not ok'} {number} - {first}")
                if not good:
                    print("# expected:", *expected.splitlines(), sep="\n#   ")
                    print("# actual:", *actual.splitlines(), sep="\n#   ")
            if header:
                for more, (compiler, done) in enumerate(
                        pieces(text, repository, folder, header)):
                    good = done.returncode == 0
                    print(f"{'ok' if good else 'not ok'} "
                          f"{len(steps) + 1 + more} - the pieces, read by "
                          f"{compiler}")
                    for line in done.stderr.splitlines():
                        print(f"# {line}")
        finally:
            readme.stop()


main(*sys.argv[1:])

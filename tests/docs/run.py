#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does what a page says, in an empty folder, in the order of the page.
Usage: run.py MICA REPOSITORY PAGE [--installed] [--pieces HEADER] [--like FOLDER]

- In a `console` block a line that begins with "$ " is a command (with the lines that
  continue it), and what follows is what it prints to a terminal; "…" stands for
  anything. A command that shows nothing is run as well.
- A `sh` block is a script for bash; it has to succeed.
- A block whose first line names a file (`// engines/net-price.c`, `# auth.json`) is
  written there.
- `<!-- first: COMMANDS -->` is run where it stands: what the reader has already.
  There SOURCE is the repository.
- `<!-- not run: REASON -->` before a block: it is counted as skipped.

A line of a command outside of such blocks is refused. `make run` is taken for the
server that stays, on a port of its own, with the engines and tools that were built
beside mica, and so are `mica serve`, `mica dev`, `mica host`, `mica run FILE` and `./PROGRAM … &`
for theirs; `kill %1` ends it. Other make targets are what runs this test. HOME is in
the folder. With --installed,
mica, its headers and its libraries are those of an installation; with --pieces the C
blocks that are no files are pieces of one source that begins with HEADER, and both
compilers read that; with --like every file of FOLDER ends as the page's own. Prints
TAP.
"""

import argparse
import os
import pathlib
import pty
import random
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import terminal

PORT = "8080"
COMMAND = re.compile(r"(\$ |)(mica|make|docker|curl|npx|npm|cc|systemctl|meson|git|"
                     r"source|claude|apt|sudo|node) \S")
NAMED = re.compile(r"(?://|#|<!--) ([\w./-]+\.(?:c|h|mjs|js|html|json))(?: -->)?\n")


def items(text):
    """What a page has to do: [(kind, text)], kind being a block's language, `first`,
    `not run`, or `stray` for a command that is in no block."""
    pattern = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$|<!-- (first|not run): (.*?)-->|"
                         r"^    ([^\n]+)$", re.M | re.S)
    for language, block, directive, words, indented in pattern.findall(text):
        if directive:
            yield directive, words.strip()
        elif indented:
            if COMMAND.match(indented):
                yield "stray", indented
        elif language in ("", "text", "bash") and COMMAND.match(block):
            yield "stray", block.splitlines()[0]
        else:
            yield language, block


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


def free_port():
    """A port that the system gives only to a program that asks for its number."""
    for port in random.sample(range(20000, 32000), 100):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)):
                return str(port)
    raise OSError("no port is free")


class Reader:
    """A reader who follows a page, with a folder and perhaps a server."""

    def __init__(self, mica, repository, folder):
        self.folder = folder
        self.built = [f"--engines={mica.parent}/engines",
                      f"--tools={mica.parent}/tools"]
        self.server = None
        self.port = None
        (folder / "bin").mkdir()
        (folder / "home").mkdir()
        os.symlink(mica, folder / "bin" / "mica")
        self.env = {name: value for name, value in os.environ.items()
                    if not name.startswith(("XDG_", "MICA_"))}
        self.env.update(
            PATH=f"{folder}/bin:{os.environ['PATH']}", NO_COLOR="1",
            HOME=f"{folder}/home", SOURCE=str(repository))

    def install(self, build):
        """What `make install` gives, and a pkg-config that finds it there."""
        root = self.folder / "root"
        subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--quiet",
                        "--destdir", root], check=True, stdout=subprocess.DEVNULL)
        found = next(root.rglob("mica.pc"))
        prefix = next(root.rglob("bin/mica")).parent.parent
        (self.folder / "bin" / "mica").unlink()
        os.symlink(prefix / "bin" / "mica", self.folder / "bin" / "mica")
        script = self.folder / "bin" / "pkg-config"
        script.write_text(f"#!/bin/sh\nPKG_CONFIG_PATH={found.parent} exec "
                          f"/usr/bin/pkg-config --define-variable=prefix={prefix} "
                          '"$@"\n')
        script.chmod(0o755)
        self.env["LD_LIBRARY_PATH"] = str(found.parent.parent)

    def serve(self, words):
        """Starts the server; what it says until it serves."""
        self.stop()
        words = [re.sub("^~", f"{self.folder}/home", word) for word in words]
        master, slave = pty.openpty()
        self.server = subprocess.Popen(
            [*words, "--listen", "127.0.0.1:0"],
            cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=slave, text=True)
        os.close(slave)
        first = self.server.stdout.readline()
        if "://" not in first:
            return first + self.plain(terminal.read_to_end(master))
        said = b""
        while b"Connect a client" not in said or not said.endswith(b"\n"):
            said += os.read(master, 65536)
        said = self.plain(said)
        # No test reads what it logs later, but the pipe has to be emptied.
        threading.Thread(target=terminal.read_to_end, args=[master], daemon=True).start()
        # The first address is another one when it is reached through a proxy.
        found = re.search(r"//127\.0\.0\.1:(\d+)\b", first + said)
        self.port = found.group(1)
        return said.replace(self.port, PORT)

    def plain(self, printed):
        """What stands on a terminal, without what is said while tools are built."""
        lines = printed.decode().replace("\r\n", "\n").splitlines(keepends=True)
        return "".join(line for line in lines if not line.startswith("mica: buil"))

    def make_run(self):
        """With the settings of the repository, which are read at the start alone."""
        settings = self.folder / "mica.toml"
        copied = not settings.exists()
        if copied:
            shutil.copy(pathlib.Path(self.env["SOURCE"]) / "mica.toml", settings)
        said = self.serve(["mica", "serve", *self.built])
        if copied:
            settings.unlink()
        return said

    def serve_program(self, command):
        """Starts a server that is no mica, which says nothing; at 8080, it thinks."""
        self.stop()
        self.port = free_port()
        with open(self.folder / "log", "w", encoding="utf-8") as log:
            self.server = subprocess.Popen(
                shlex.split(command.replace(f":{PORT}", f":{self.port}")),
                cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, text=True)
        for _ in range(1200):  # 60 s
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", int(self.port))) == 0:
                    return ""
            time.sleep(0.05)
        return (self.folder / "log").read_text(encoding="utf-8") + "it does not serve"

    def run(self, command):
        words = shlex.split(command, comments=True) if "'" not in command else []
        if words == ["make", "run"]:
            return self.make_run()
        if words[:1] == ["mica"] and words[1:2] in (["serve"], ["dev"], ["host"], ["run"]):
            return self.serve(words)
        if command.startswith("./") and command.endswith(" &"):
            return self.serve_program(command[:-2])
        if command == "kill %1":
            return self.stop()
        if self.port:
            command = re.sub(rf':{PORT}(?=[/"])', f":{self.port}", command)
        return self.shell("sh", command)[0]

    def shell(self, shell, script):
        """(what was printed to a terminal, the exit status)"""
        master, slave = pty.openpty()
        process = subprocess.Popen([shell, "-ec", script], cwd=self.folder,
                                   env=self.env, stdin=subprocess.DEVNULL,
                                   stdout=slave, stderr=subprocess.PIPE)
        os.close(slave)
        printed = terminal.read_to_end(master)
        errors = process.communicate(timeout=240)[1].decode()
        # Without what is said of progress, which a terminal shows for a moment.
        errors = re.sub(r"\r\033\[K[^\r\n]*", "", errors)
        said = "".join(line for line in errors.splitlines(keepends=True)
                       if not line.startswith("mica: buil"))
        printed = printed.decode().replace("\r\n", "\n") + said
        return printed, process.returncode

    def write(self, name, block):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(block)

    def stop(self):
        """Ends the server, if there is one; what that shows."""
        if self.server:
            self.server.send_signal(signal.SIGINT)  # as a reader ends it
            self.server.wait(timeout=60)
            for pipe in filter(None, (self.server.stdout, self.server.stderr)):
                pipe.close()
            self.server = self.port = None
        return ""


class Tap:
    def __init__(self):
        self.count = 0

    def case(self, good, name, *said):
        self.count += 1
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}")
        for text in () if good else said:
            print(*text.splitlines(), sep="\n#   ", end="\n", file=sys.stdout)

    def skip(self, name, reason):
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {reason}")


WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wformat=2",
            "-Wswitch-enum", "-Wno-unused-function",
            "-Wno-unused-const-variable", "-Werror"]


def read_pieces(tap, page, repository, folder, header):
    """Both compilers read the C blocks that are no whole files."""
    source = folder / "pieces.c"
    source.write_text("\n".join(
        [pathlib.Path(header).read_text(encoding="utf-8")] +
        [block for kind, block in page if kind == "c" and not NAMED.match(block)]))
    for compiler in ["gcc", "clang-14"]:
        done = subprocess.run(
            [compiler, "-std=c11", "-fsyntax-only", *WARNINGS, "-I",
             f"{repository}/include", source],
            capture_output=True, text=True, check=False)
        tap.case(done.returncode == 0, f"the pieces, read by {compiler}",
                 f"# {done.stderr}")


def compare_files(tap, folder, like):
    """The files of `like` are what the page has written, but for their license."""
    for path in sorted(path for path in like.rglob("*") if path.is_file()):
        name = path.relative_to(like)
        kept = re.sub(r"\A(//|<!--) SPDX-License-Identifier.*\n(//\n)?", "",
                      path.read_text(encoding="utf-8"))
        mine = folder / name
        written = mine.read_text(encoding="utf-8") if mine.is_file() else "nothing"
        tap.case(kept == written, f"{name} is what the page shows",
                 f"# the page has written:\n{written}")


def follow(tap, reader, page):
    skipped = None
    for kind, text in page:
        named = NAMED.match(text)
        if kind == "not run":
            skipped = text
        elif kind == "stray":
            tap.case(False, f"a command that no block of commands has: {text}")
        elif kind in ("sh", "console") and skipped:
            tap.skip(text.splitlines()[0], skipped)
            skipped = None
        elif kind == "first" or kind == "sh":
            printed, status = reader.shell("bash", text)
            if kind == "sh" or status:
                tap.case(status == 0, text.splitlines()[0],
                         f"# exit status {status}\n{printed}")
        elif kind == "console":
            for command, expected in commands(text):
                if command.startswith("make ") and not expected:
                    continue
                actual = reader.run(command)
                # What stands for anything would stand for a failure as well.
                good = matches(expected, actual) and expected != "…\n"
                tap.case(good, command.splitlines()[0],
                         f"# expected:\n{expected}", f"# actual:\n{actual}")
        elif named:
            name = named.group(1)  # JSON has no comments
            reader.write(name, text[named.end():] if name.endswith(".json") else text)


def main():
    words = argparse.ArgumentParser()
    words.add_argument("mica", type=pathlib.Path)
    words.add_argument("repository", type=pathlib.Path)
    words.add_argument("page")
    words.add_argument("--installed", action="store_true")
    words.add_argument("--pieces")
    words.add_argument("--like", type=pathlib.Path)
    words = words.parse_args()
    page = list(items((words.repository / words.page).read_text(encoding="utf-8")))
    tap = Tap()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        reader = Reader(words.mica.resolve(), words.repository, folder)
        try:
            if words.installed:
                reader.install(words.mica.resolve().parent)
            follow(tap, reader, page)
            if words.pieces:
                read_pieces(tap, page, words.repository, folder, words.pieces)
            if words.like:
                compare_files(tap, folder, words.repository / words.like)
        finally:
            reader.stop()
    print(f"1..{tap.count}")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""A Debian of its own, out of what this machine has installed: the essential packages,
those that are named, and what all of these depend on, with dpkg's notes of them and of
no others. So dpkg in there knows exactly these, and no network is needed. What the
packages' own scripts did when they were installed here is not done again; for what is
tried in there, the links of usr-merge and the cache of libraries are enough.

    python3 debian_root.py FOLDER 'clang-14, gcc | clang'

What is named is written as a package writes what it depends on. Called again for the
same folder, it adds. Ends with 3, and says which, when a package is not here.
"""

import os
import re
import subprocess
import sys

DPKG = "/var/lib/dpkg"


def stanzas(text):
    """[(fields, text)] of dpkg's notes; a field continues in lines that begin with a blank."""
    for stanza in filter(None, text.strip().split("\n\n")):
        fields = dict(re.findall(r"(?m)^([\w-]+):[ ]?((?:.*)(?:\n[ \t].*)*)",
                                 stanza))
        yield fields, stanza


def alternatives(relations):
    """[[name, …], …]: all of the first list are wanted, and one of the second."""
    for relation in filter(None, re.split(r"\s*,\s*", relations.strip())):
        yield [re.match(r"[\w.+-]+", one.strip()).group()
               for one in relation.split("|")]


class Machine:
    """What is installed here."""

    def __init__(self):
        self.packages = {}  # by name
        self.provided = {}  # which package provides a virtual name
        with open(f"{DPKG}/status", encoding="utf-8") as file:
            for fields, text in stanzas(file.read()):
                if fields["Status"].split()[2] != "installed":
                    continue
                self.packages[fields["Package"]] = fields, text
                for names in alternatives(fields.get("Provides", "")):
                    self.provided.setdefault(names[0], fields["Package"])

    def find(self, names):
        for name in names:
            if name in self.packages:
                return name
        for name in names:
            if name in self.provided:
                return self.provided[name]
        print(f"{' or '.join(names)} is not installed on this machine")
        sys.exit(3)

    def closure(self, names):
        """The packages of these names, and all that they need."""
        wanted, todo = set(), list(names)
        while todo:
            name = todo.pop()
            if name in wanted:
                continue
            wanted.add(name)
            fields = self.packages[name][0]
            for field in ("Pre-Depends", "Depends"):
                todo += map(self.find, alternatives(fields.get(field, "")))
        return wanted

    def essential(self):
        return [name for name, (fields, _) in self.packages.items()
                if fields.get("Essential") == "yes"]

    def notes(self, name):
        """The files in which dpkg keeps what it knows of a package."""
        base = f"{DPKG}/info/{name}"
        if not os.path.exists(f"{base}.list"):
            base += ":" + self.packages[name][0]["Architecture"]
        kinds = ("list", "md5sums", "conffiles", "shlibs", "symbols", "triggers",
                 "postinst")  # which a trigger runs
        return [path for kind in kinds
                if os.path.exists(path := f"{base}.{kind}")]


def real(path):
    """Where a file of a package lies: /bin and others are links to folders in /usr."""
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name)


def files(machine, names):
    for name in names:
        notes = machine.notes(name)
        yield from notes
        with open(notes[0], encoding="utf-8") as file:
            for path in map(real, file.read().splitlines()):
                # Pages for people are many, and nothing needs them. And who is root
                # in a namespace alone cannot read a few folders.
                page = re.match(r"/usr/share/(doc|man|locale|info)/.", path)
                if not page and (os.path.islink(path) or
                                 os.access(path, os.R_OK)):
                    yield path


def copy(root, paths):
    """With tar, which keeps rights, links, and holes."""
    names = "".join(f"{path[1:]}\0" for path in sorted(set(paths)) if path != "/.")
    with subprocess.Popen(
            ["tar", "-C", "/", "--no-recursion", "--null", "-T", "-", "-cf", "-"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reads:
        with subprocess.Popen(
                ["tar", "-C", root, "--no-same-owner", "-xpf", "-"],
                stdin=reads.stdout) as writes:
            reads.stdout.close()
            reads.stdin.write(names.encode())
            reads.stdin.close()
        if writes.returncode or reads.wait():
            sys.exit("the files cannot be copied")


def write(root, path, text):
    path = root + path
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def begin(root):
    """What a Debian has beside the files of its packages."""
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        if os.path.islink(f"/{name}"):
            os.symlink(os.readlink(f"/{name}"), f"{root}/{name}")
    for folder in ("dev", "proc", "srv", "tmp", "var/log", f"{DPKG[1:]}/updates"):
        os.makedirs(f"{root}/{folder}", exist_ok=True)
    os.chmod(f"{root}/tmp", 0o1777)
    write(root, "/etc/passwd", "root:x:0:0:root:/root:/bin/sh\n")
    write(root, "/etc/group", "root:x:0:\n")
    with open(f"{DPKG}/info/format", encoding="utf-8") as file:
        write(root, f"{DPKG}/info/format", file.read())


def main():
    root, relations = sys.argv[1:]
    machine = Machine()
    named = machine.essential() + [*map(machine.find, alternatives(relations))]
    wanted = machine.closure(named)
    known = set()
    if os.path.exists(f"{root}{DPKG}/status"):
        with open(f"{root}{DPKG}/status", encoding="utf-8") as file:
            known = {fields["Package"] for fields, _ in stanzas(file.read())}
    else:
        os.makedirs(root, exist_ok=True)
        begin(root)
    added = sorted(wanted - known)
    copy(root, files(machine, added))
    with open(f"{root}{DPKG}/status", "a", encoding="utf-8") as file:
        for name in added:
            file.write(machine.packages[name][1] + "\n\n")
    subprocess.run(["/sbin/ldconfig", "-r", root], check=True)
    print(f"{len(added)} packages")


main()

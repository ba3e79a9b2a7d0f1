#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mica at /tools/x/ behind nginx and haproxy, which take that off or leave it: each
address that mica writes leads back to it, in every revision of MCP and over REST; TAP.

    prefixes.py --mica build/mica --engines build/engines --tools build/tools

The proxies serve nothing but the prefix and the metadata of authorization that belong
to it, so an address without the prefix is a 404. Clients are told one address and
follow what they are answered.
"""
import argparse
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.parse

import tokens
from ports import Reserved
from proxies import program_of
from together import outcomes, tell

PREFIX = "/tools/x"
PATIENCE = 60
DOCUMENTED = "as docs/proxy.md has it"
METADATA = "/.well-known/oauth-protected-resource"
APP = "/servers/any"
NAMES = "io.modelcontextprotocol/"
# "mcp.json" is a file of clients, "api.js" one of the console.
OURS = re.compile(
    r"/(?:api(?!\.js)(?:/calls)?|mcp(?!\.json)|sse|messages|calls|healthz|openapi\.json)\b")


class Failure(Exception):
    pass


def need(truth, what):
    if not truth:
        raise Failure(what)


def same(got, wanted, what):
    need(got == wanted, "%s: %r, and not %r" % (what, got, wanted))


# ---- Proxies -----------------------------------------------------------------------

NGINX = """
daemon off; master_process off; error_log %(folder)s/error.log; pid %(folder)s/pid;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path %(folder)s/body; proxy_temp_path %(folder)s/proxy;
  fastcgi_temp_path %(folder)s/fastcgi; uwsgi_temp_path %(folder)s/uwsgi;
  scgi_temp_path %(folder)s/scgi;
  server {
    listen 127.0.0.1:%(port)d;
    absolute_redirect off; proxy_http_version 1.1; proxy_buffering off;
    proxy_set_header Host $http_host;
    %(locations)s
    location / { return 404; }
  }
}
"""

LOCATIONS = """
    location %(at)s { proxy_pass http://127.0.0.1:%(mica)d%(to)s; }
    location %(metadata)s%(prefix)s { proxy_pass http://127.0.0.1:%(mica)d; }
"""


def documented(port):
    """The locations of nginx that docs/proxy.md has, for a server at another port."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "../../docs/proxy.md"), encoding="utf-8") as file:
        text = re.search(r"```nginx\n(.*?)```", file.read(), re.DOTALL).group(1)
    same(text.count("127.0.0.1:8080;"), 2, "addresses in docs/proxy.md")
    return text.replace("127.0.0.1:8080;", "127.0.0.1:%d;" % port)


HAPROXY = """
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend front
  bind 127.0.0.1:%(port)d
  acl ours path %(prefix)s
  acl ours path_beg %(prefix)s/
  acl metadata path_beg %(metadata)s%(prefix)s
  http-request return status 404 unless ours or metadata
  %(rewrite)s
  default_backend back
backend back
  server mica 127.0.0.1:%(mica)d
"""


class Proxy:
    """Shows a server at PREFIX. `to` is what the server is asked for instead: the same,
    nothing, or another path; or DOCUMENTED."""

    def __init__(self, kind, port, mica, to):
        self.folder = tempfile.mkdtemp()
        words = {"folder": self.folder, "port": port, "mica": mica, "prefix": PREFIX,
                 "metadata": METADATA, "at": PREFIX, "to": "", "rewrite": ""}
        if to not in (PREFIX, DOCUMENTED):
            words.update(at=PREFIX + "/", to=to + "/",
                         rewrite="http-request replace-path ^%s(/.*)%s %s\\1 if ours"
                         % (PREFIX, "?" if to else "", to))
        words["locations"] = documented(mica) if to == DOCUMENTED else LOCATIONS % words
        path = os.path.join(self.folder, "config")
        with open(path, "w", encoding="utf-8") as file:
            file.write({"nginx": NGINX, "haproxy": HAPROXY}[kind] % words)
        command = [program_of(kind)] + (["-c", path, "-e", self.folder + "/early"]
                                        if kind == "nginx" else ["-db", "-f", path])
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        wait_for(port, self.process, kind)

    def end(self):
        self.process.terminate()
        self.process.wait(PATIENCE)
        shutil.rmtree(self.folder, ignore_errors=True)


def wait_for(port, process, name):
    until = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError as error:
            if time.monotonic() > until or process.poll() is not None:
                raise Failure("%s does not start" % name) from error
            time.sleep(0.02)


# ---- The server --------------------------------------------------------------------


class Mica:
    def __init__(self, options, port, words):
        self.folder = tempfile.mkdtemp()
        command = [options.mica, "serve", "--drain=0", "--listen",
                   "127.0.0.1:%d" % port, "--http-sse",
                   "--quiet", "--engines", options.engines, "--tools", options.tools,
                   "--store", "memory"] + words
        self.out = open(os.path.join(self.folder, "err"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=self.out, text=True, env=dict(os.environ, XDG_STATE_HOME=self.folder))
        self.first = self.process.stdout.readline().strip()
        if not self.first:
            self.process.wait(PATIENCE)
            self.out.seek(0)
            raise Failure("mica does not start: %s" % self.out.read())

    def said(self):
        with open(self.out.name, encoding="utf-8") as file:
            return file.read()

    def end(self):
        self.process.terminate()
        code = self.process.wait(PATIENCE)
        said = self.said()
        self.out.close()
        self.process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        same(code, 0, "how mica ended: " + said)


# ---- A client ----------------------------------------------------------------------


class Reply:
    def __init__(self, response, body):
        self.status = response.status
        self.header = response.headers.get
        self.text = body
        self.media = (self.header("Content-Type") or "").split(";")[0]

    def value(self):
        if self.media == "text/event-stream":
            data = [line[5:] for line in self.text.splitlines() if line.startswith("data:")]
            return json.loads(data[-1])
        return json.loads(self.text)


def without_paths(text):
    """The OpenAPI document: its paths are below the address of its server."""
    document = json.loads(text)
    document.pop("paths")
    return json.dumps(document)


class Client:
    """Knows the address of the server, and checks each address that it is answered."""

    def __init__(self, root, shown=PREFIX, token=None):
        self.root, self.shown = urllib.parse.urlsplit(root), shown
        self.headers = {} if token is None else {"Authorization": "Bearer " + token}

    def url(self, address, base="/"):
        return urllib.parse.urljoin(self.root.geturl() + base, address)

    def begin(self, url, method="GET", body=None, headers=None):
        parts = urllib.parse.urlsplit(url)
        same(parts.netloc, self.root.netloc, "the host of %s" % url)
        connection = http.client.HTTPConnection(parts.netloc, timeout=PATIENCE)
        sent = dict(self.headers, **(headers or {}))
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
            body = json.dumps(body)
        target = parts.path + ("?" + parts.query if parts.query else "")
        connection.request(method, target, body, sent)
        return connection, connection.getresponse()

    def ask(self, url, *more, **named):
        connection, response = self.begin(url, *more, **named)
        reply = Reply(response, response.read().decode())
        connection.close()
        self.check(url, reply)
        return reply

    def check(self, url, reply):
        """No address of the server lacks the prefix, wherever it stands."""
        text = reply.text
        if reply.status == 200 and url.endswith("/openapi.json"):
            text = without_paths(text)
        if reply.media not in ("text/javascript", "text/css"):
            text += " " + " ".join(filter(None, map(reply.header, (
                "Location", "Link", "Content-Location"))))
            for found in OURS.finditer(text):
                before = text[:found.start()]
                need(before.endswith((self.shown, self.shown + APP, ".")) or found.group() == "/mcp" and
                     before.endswith(METADATA + self.shown),
                     "%s is answered with %r" % (url, text[max(0, found.start() - 60):
                                                           found.end() + 40]))

    def post(self, path, message, headers=None):
        headers = dict({"Accept": "application/json, text/event-stream"}, **(headers or {}))
        return self.ask(self.url(self.root.path + path), "POST", message, headers)


CALL = {"name": "percentage-calculator", "arguments": {"mode": "of", "a": 15, "b": 200}}


def request(number, method, params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def begins(revision):
    return request(1, "initialize", {
        "protocolVersion": revision, "capabilities": {},
        "clientInfo": {"name": "prefixes", "version": "1"}})


READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def is_thirty(value):
    return value.get("result", {}).get("structuredContent", {}).get("result") == 30


# ---- What is asked -----------------------------------------------------------------


def stateless(client):
    call = dict(CALL, _meta={NAMES + "protocolVersion": "2026-07-28",
                             NAMES + "clientCapabilities": {}})
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call",
               "Mcp-Name": CALL["name"]}
    reply = client.post("/mcp", request(1, "tools/call", call), headers)
    need(is_thirty(reply.value()), "2026-07-28: %s" % reply.text)
    reply = client.ask(client.url(client.root.path + "/mcp"), "POST", {"jsonrpc": 1})
    need(reply.status == 400 and reply.value()["jsonrpc"] == "2.0", reply.text)


def in_session(client, revision):
    reply = client.post("/mcp", begins(revision))
    same(reply.value()["result"]["protocolVersion"], revision, "the revision")
    headers = {"Mcp-Session-Id": reply.header("Mcp-Session-Id"),
               "MCP-Protocol-Version": revision}
    same(client.post("/mcp", READY, headers).status, 202, "that it is ready")
    reply = client.post("/mcp", request(2, "tools/call", CALL), headers)
    need('"result":30' in reply.text.replace("\\", ""), "%s: %s" % (revision, reply.text))
    mcp = client.url(client.root.path + "/mcp")
    connection, response = client.begin(
        mcp, headers=dict(headers, Accept="text/event-stream"))
    same(response.status, 200, "a stream of %s" % revision)
    connection.close()
    same(client.ask(mcp, "DELETE", headers=headers).status, 204, "its end")


def event(response):
    """The next event of a stream: its name and its data."""
    name, data = "message", ""
    while True:
        line = response.readline().decode()
        need(line, "the stream has ended")
        line = line.rstrip("\r\n")
        if line.startswith("event:"):
            name = line[6:].strip()
        elif line.startswith("data:"):
            data += line[5:].strip()
        elif not line and data:
            return name, data


def oldest(client):
    address = client.url(client.root.path + "/sse")
    connection, stream = client.begin(address)
    same(stream.status, 200, "the stream of 2024-11-05")
    name, data = event(stream)
    same(name, "endpoint", "the first event")
    # As clients resolve it: against the address of the stream.
    messages = urllib.parse.urljoin(address, data)
    for number, message in enumerate((begins("2024-11-05"), READY,
                                      request(2, "tools/call", CALL))):
        same(client.ask(messages, "POST", message).status, 202, "message %d" % number)
        if message is READY:
            continue
        value = json.loads(event(stream)[1])
        same(value["id"], message["id"], "the reply")
        if number == 0:
            same(value["result"]["protocolVersion"], "2024-11-05", "the revision")
    need(value["result"]["content"][0]["text"].startswith('{"result":30'), str(value))
    for url, method, status in ((messages + "x", "POST", 404), (messages, "GET", 405),
                                (address, "POST", 405)):
        same(client.ask(url, method, {} if method == "POST" else None).status, status, url)
    connection.close()


def rest(client, served_at):
    api = client.url(client.root.path + "/api")
    listed = client.ask(api).value()
    links = {tool["name"]: tool["links"]["call"] for tool in listed["tools"]}
    reply = client.ask(client.url(links["percentage-calculator"]), "POST",
                       CALL["arguments"])
    same((reply.status, reply.value()["result"]), (200, 30), "a call by its link")
    where = client.url(listed["links"]["describedby"])
    document = client.ask(where).value()
    server = document["servers"][0]["url"]
    same(server, served_at, "the server of the OpenAPI document")
    # A path is appended to the address of the server, which is relative to the document.
    for path in ("/api/percentage-calculator", "/api"):
        need(path in document["paths"], "the OpenAPI document has %s" % path)
        reply = client.ask(urllib.parse.urljoin(where, server) + path + "?mode=of&a=15&b=200"
                           if path != "/api" else urllib.parse.urljoin(where, server) + path)
        same(reply.status, 200, "what the OpenAPI document names")
    problem = client.ask(api + "/percentage-calculator?mode=ratio&a=1&b=0")
    same((problem.status, problem.media), (422, "application/problem+json"), "a problem")
    explained = client.ask(client.url(problem.value()["type"]))
    same((explained.status, explained.value()["code"]), (200, "FAILED"), "its type")
    for path in ("/nothing", "/a/b/c"):
        reply = client.ask(api + path)
        same(reply.status, 404, path)
        same(client.ask(client.url(reply.value()["type"])).status, 200, "its type")


def asking(client):
    """A call that waits: Location, links, and answers to where they say."""
    reply = client.ask(client.url(client.root.path + "/api/book_flight"), "POST",
                       {"destination": "Paris", "date": "2027-03-01"})
    same(reply.status, 202, "a tool that asks: %s" % reply.text)
    location, call = client.url(reply.header("Location")), reply.value()
    same(client.url(call["links"]["self"]), location, "its link to itself")
    state = client.ask(location).value()
    same(state["id"], call["id"], "the call at its Location")
    page = client.ask(client.url(call["links"]["page"]))
    same((page.status, page.media), (200, "text/html"), "its page")
    key, asked = next(iter(state["questions"].items()))
    field, schema = next(iter(asked["schema"]["properties"].items()))
    choice = (schema.get("enum") or [one["const"] for one in schema["oneOf"]])[0]
    reply = client.ask(client.url(state["links"]["answers"]), "POST",
                       {key: {field: choice}})
    same(reply.status, 202, "an answer: %s" % reply.text)
    same(client.url(reply.header("Location")), location, "where it continues")
    reply = client.ask(location, "DELETE")
    need(reply.status in (200, 202), reply.text)
    problem = client.ask(client.url(location + "x"))
    same(problem.status, 404, "another call")


def pages(client, endpoint):
    front = client.url(client.root.path)
    reply = client.ask(front)
    if reply.status in (301, 302, 307, 308):
        front = client.url(reply.header("Location"))
        same(front, client.root.geturl() + "/", "where the prefix leads")
        reply = client.ask(front)
    same((reply.status, reply.media), (200, "text/html"), "the front page")
    need(">%s</span>" % endpoint in reply.text, "the endpoint on it: " + reply.text)
    seen = 0
    for address in re.findall(r'(?:href|src)="([^"#]+)"', reply.text):
        url = urllib.parse.urljoin(front, address)
        need(url.startswith(client.root.geturl() + "/"), "%s leads to %s" % (address, url))
        same(client.ask(url).status, 200, url)
        seen += 1
    need(seen > 10, "it has %d addresses" % seen)
    same(client.ask(front + "healthz").value()["status"], "ok", "its health")
    same(client.ask(front + "sw.js").status, 200, "the service worker")


def everything(client, endpoint, served_at):
    stateless(client)
    for revision in ("2025-11-25", "2025-06-18", "2025-03-26"):
        in_session(client, revision)
    oldest(client)
    rest(client, served_at)
    asking(client)
    pages(client, endpoint)


# ---- Cases -------------------------------------------------------------------------


def run(options, kind, to, told):
    """`told`: the words for mica, of the port of the proxy."""
    front, back = Reserved(), Reserved()
    origin = "http://127.0.0.1:%d" % front.number
    words = told(origin)
    known = "--public-url" in words
    endpoint = (origin if known else "http://127.0.0.1:%d" % back.number) + PREFIX + "/mcp"
    mica = Mica(options, back.number, words)
    proxy = None
    try:
        same(mica.first, endpoint, "the first line")
        proxy = Proxy(kind, front.number, back.number, to)
        served_at = (origin if known else "") + PREFIX
        everything(Client(origin + PREFIX), origin + PREFIX + "/mcp", served_at)
        # Who knows the server itself needs no proxy.
        direct = Client("http://127.0.0.1:%d" % back.number)
        same(direct.ask(direct.url("/healthz")).status, 200, "without the proxy")
        stateless(direct)
        in_session(direct, "2025-11-25")
        said = mica.said()
        need('"url": "%s"' % endpoint in said, "the configuration of clients: " + said)
        need(not known or "listens at http://127.0.0.1:%d," % back.number in said, said)
    finally:
        if proxy is not None:
            proxy.end()
        mica.end()
        front.release()
        back.release()


def run_auth(options, kind, to, derived):
    """Metadata are found from the refusal and from the address of the endpoint (RFC 9728,
    3.1), and are of the resource that the client uses."""
    front, back = Reserved(), Reserved()
    origin = "http://127.0.0.1:%d" % front.number
    endpoint = origin + PREFIX + "/mcp"
    folder = tempfile.mkdtemp()
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "auth")
    with open(os.path.join(here, "auth.json"), encoding="utf-8") as file:
        auth = json.load(file)
    auth["resource"] = endpoint
    words = ["--base-path", PREFIX]
    if derived:
        del auth["resource"]
        words = ["--public-url", origin + PREFIX]
    shutil.copy(os.path.join(here, "keys.json"), folder)
    path = os.path.join(folder, "auth.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(auth, file)
    mica = Mica(options, back.number, ["--auth", path] + words)
    proxy = None
    try:
        proxy = Proxy(kind, front.number, back.number, to)
        client = Client(origin + PREFIX)
        refused = client.post("/mcp", begins("2025-11-25"))
        same(refused.status, 401, "without a token")
        found = re.search(r'resource_metadata="([^"]*)"', refused.header("WWW-Authenticate"))
        same(found.group(1), origin + METADATA + PREFIX + "/mcp", "where the metadata are")
        for url in (found.group(1), origin + PREFIX + METADATA + "/mcp",
                    origin + PREFIX + METADATA):
            metadata = client.ask(url)
            same(metadata.status, 200, url)
            same(metadata.value()["resource"], endpoint, "the resource")
        # Those of an app are there for every slug, so that none is told.
        metadata = client.ask(origin + METADATA + PREFIX + APP + "/mcp")
        same(metadata.status, 200, "the metadata of an app")
        same(metadata.value()["resource"], origin + PREFIX + APP + "/mcp", "the app as resource")
        token = tokens.token(json.dumps({"sub": "ada", "scope": "tools", "aud": endpoint}))
        client = Client(origin + PREFIX, token=token)
        stateless(client)
        in_session(client, "2025-06-18")
        oldest(client)
        reply = Client(origin + PREFIX).ask(client.url(PREFIX + "/api"))
        same((reply.status, reply.value()["type"]),
             (401, PREFIX + "/api/errors/UNAUTHORIZED"), "REST without a token")
        document = client.ask(client.url(PREFIX + "/openapi.json")).value()
        same(document["servers"][0]["url"], (origin if derived else "") + PREFIX,
             "the server of the OpenAPI document")
    finally:
        if proxy is not None:
            proxy.end()
        mica.end()
        front.release()
        back.release()
        shutil.rmtree(folder, ignore_errors=True)


def base_path(origin):
    del origin
    return ["--base-path", PREFIX]


def public_url(origin):
    return ["--public-url", origin + PREFIX]


def both(origin):
    return ["--public-url", origin + PREFIX, "--base-path", "/inner"]


CASES = [(name % kind, kind, how, to, told)
         for kind in ("nginx", "haproxy")
         for name, how, to, told in (
             ("%s leaves the prefix, a base path", run, PREFIX, base_path),
             ("%s leaves the prefix, a public URL", run, PREFIX, public_url),
             ("%s takes the prefix off, a base path", run, "", base_path),
             ("%s takes the prefix off, a public URL", run, "", public_url),
             ("%s asks for another path", run, "/inner", both),
             ("%s leaves the prefix, tokens", run_auth, PREFIX, False),
             ("%s leaves the prefix, tokens for the public URL", run_auth, PREFIX, True),
             ("%s takes the prefix off, tokens for the public URL", run_auth, "", True))]
CASES += [("nginx " + DOCUMENTED, "nginx", run, DOCUMENTED, public_url),
          ("nginx %s, tokens" % DOCUMENTED, "nginx", run_auth, DOCUMENTED, True)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mica", default="build/mica")
    parser.add_argument("--engines", default="build/engines")
    parser.add_argument("--tools", default="build/tools")
    options = parser.parse_args()
    options.mica = os.path.abspath(options.mica)
    options.engines = os.path.abspath(options.engines)
    options.tools = os.path.abspath(options.tools)
    print("1..%d" % len(CASES))
    failed = 0

    def tried(case):
        _, kind, how, to, told = case
        if program_of(kind) is None:
            return "%s is not installed; scripts/packages test installs it" % kind
        try:
            how(options, kind, to, told)
        except Failure as error:
            return str(error)
        except Exception:  # pylint: disable=broad-except
            return traceback.format_exc()
        return None

    for number, (name, *_), wrong in outcomes(CASES, tried):
        failed += tell(number, name, wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

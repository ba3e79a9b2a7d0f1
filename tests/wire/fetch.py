#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tools that fetch (docs/fetch.md), from real servers on the loopback; TAP.

    fetch.py --mica build/mica [--case WORD]

A server of mica has one tool, which fetches what it is told to. Other servers answer it,
badly in most cases, and note what they were sent.
"""
import argparse
import gzip
import http.client
import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback

from together import outcomes, tell

PATIENCE = 30
HERE = os.path.dirname(os.path.abspath(__file__))
SECRET = "s3cret-\"quoted\\-word"
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "fetch", "version": "1"}}


class Failure(Exception):
    pass


def need(truth, what):
    if not truth:
        raise Failure(str(what))


def same(got, wanted, what):
    need(got == wanted, "%s: %r, and not %r" % (what, got, wanted))


# ---- Other servers -------------------------------------------------------------------


class Other:
    """A server; `answer(handler, number)` answers the request of that number, from 0."""

    def __init__(self, answer):
        self.requests = []
        self.gone = threading.Event()  # a client has hung up
        other = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                size = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(size).decode()
                number = len(other.requests)
                other.requests.append((self.command, self.path, dict(self.headers), body))
                try:
                    answer(self, number)
                except (BrokenPipeError, ConnectionResetError):
                    other.gone.set()
                self.close_connection = True

            do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_CONNECT = handle_any

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # a client that hangs up

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        self.origin = "http://127.0.0.1:%d" % self.port
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def headers(self, number=0):
        return {name.lower(): value for name, value in self.requests[number][2].items()}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def reply(handler, status, body=b"", headers=()):
    handler.send_response(status)
    for name, value in headers:
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    if handler.command != "HEAD":
        handler.wfile.write(body)


def good(handler, _=0):
    reply(handler, 200, b'{"word": "hi", "other": [1], "note": null, '
                        b'"list": [{"n": 1, "m": 2}]}')


def to(location, status=302):
    return lambda handler, _: reply(handler, status, headers=(("Location", location),))


# ---- mica ----------------------------------------------------------------------------


class Mica:
    """A server with the tool and this table [fetch]."""

    def __init__(self, options, fetch, **variables):
        self.options, self.folder = options, tempfile.mkdtemp(prefix="mica-fetch-")
        self.environment = dict(os.environ, XDG_STATE_HOME=self.folder + "/state",
                                PROBE_TOKEN=SECRET, **variables)
        tools = os.path.join(self.folder, "tools")
        os.mkdir(tools)
        shutil.copy(os.path.join(HERE, "fetch_probe.c"), tools)
        pathlib.Path(self.folder, "mica.toml").write_text("[fetch]\n" + fetch, encoding="utf-8")
        self.said = ""
        self.begin()

    def begin(self):
        self.process = subprocess.Popen(
            [self.options.mica, "serve", "--listen", "127.0.0.1:0", "--drain=0", "--store",
             "sqlite:" + self.folder + "/calls.db", "--log", "json"], cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=self.environment, text=True)
        line = self.process.stdout.readline()
        if "http" not in line:
            raise Failure("no server: " + line + self.process.communicate(timeout=PATIENCE)[1])
        self.port = int(line.rsplit(":", 1)[1].split("/")[0])
        self.reader = threading.Thread(target=self.read, args=(self.process.stderr,),
                                       daemon=True)
        self.reader.start()

    def read(self, stream):
        for line in stream:
            self.said += line

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            self.process.terminate()
        status = self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        self.process.stdout.close()
        self.process.stderr.close()
        found = self.secrets()
        shutil.rmtree(self.folder)
        if kind is None:
            same(status, 0, "how mica ended: " + self.said)
            same(found, [], "files with the secret")
            need("s3cret" not in self.said, "the log has the secret")

    def secrets(self):
        return [str(path) for path in pathlib.Path(self.folder).rglob("*")
                if path.is_file() and b"s3cret" in path.read_bytes()]

    def rest(self, **arguments):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request("POST", "/api/fetch_probe", json.dumps(arguments),
                           {"Content-Type": "application/json"})
        response = connection.getresponse()
        value = json.loads(response.read())
        connection.close()
        return response.status, value

    def works(self, **arguments):
        status, value = self.rest(**arguments)
        same(status, 200, value)
        return value

    def fails(self, code, **arguments):
        _, value = self.rest(**arguments)
        same(value.get("code"), code, value)
        need("s3cret" not in json.dumps(value), value)
        return value


def private(*others):
    return "private = %s\n" % json.dumps([other.origin for other in others])


# ---- The cases -----------------------------------------------------------------------


def answers(options):
    """A JSON answer becomes a record; names that it does not have are left out."""
    with Other(good) as other, Mica(options, private(other)) as mica:
        same(mica.works(url=other.origin + "/a?b=c"), {"word": "hi", "list": [{"n": 1}]},
             "the result")
        same(other.requests[0][:2], ("GET", "/a?b=c"), "the request")
        headers = other.headers()
        same((headers["x-probe"], headers["accept"]), ("yes", "application/json"), headers)
        need("idempotency-key" not in headers, headers)
        mica.works(url=other.origin, method="POST", body=True)
        same(other.requests[1][0::3], ("POST", '{"word":"hello"}'), "the second")
        same(other.headers(1)["content-type"], "application/json", "its type")
        same(len(other.headers(1)["idempotency-key"]), 64, "its key")


def chunks(options):
    """A chunked answer is read; one that is compressed, no JSON or another record fails."""
    def answer(handler, number):
        if number == 0:
            handler.send_response(200)
            handler.send_header("Transfer-Encoding", "chunked")
            handler.end_headers()
            for part in (b'{"wo', b'rd": "h', b'i"}'):
                handler.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            handler.wfile.write(b"0\r\n\r\n")
        elif number == 1:
            reply(handler, 200, gzip.compress(b'{"word":"hi"}'),
                  (("Content-Encoding", "gzip"),))
        else:
            reply(handler, 200, [b"", b"<html>", b"[1]", b'{"word": 1}', b'{}',
                                 b'{"word":"a","word":"b"}', b'{"word":"\xff"}'][number - 2])
    with Other(answer) as other, Mica(options, private(other)) as mica:
        same(mica.works(url=other.origin)["word"], "hi", "chunks")
        for _ in range(8):
            mica.fails("FETCH_BAD_ANSWER", url=other.origin)
        same(len(other.requests), 9, "requests")


def names(options):
    """What is not allowed is not asked, whatever leads there."""
    with Other(good) as other:
        port = other.port
        hosts = ["localhost:%d", "127.0.0.1:%d", "2130706433:%d", "0x7f000001:%d", "127.1:%d",
                 "[::1]:%d", "[::ffff:127.0.0.1]:%d", "[::ffff:7f00:1]:%d",
                 "[64:ff9b::7f00:1]:%d", "0.0.0.0:%d"]
        hosts += [name + ":%d" for name in hosts_of_loopback()]
        origins = ["http://" + host % port for host in hosts]
        with Mica(options, "allow = %s\n" % json.dumps(origins + [
                "http://169.254.169.254", "http://10.0.0.1", "http://100.64.0.1",
                "http://192.168.1.1", "http://[fd00::1]", "http://[fe80::1]"])) as mica:
            for origin in origins + ["http://169.254.169.254", "http://10.0.0.1",
                                     "http://100.64.0.1", "http://192.168.1.1",
                                     "http://[fd00::1]", "http://[fe80::1]"]:
                error = mica.fails("FETCH_NOT_ALLOWED", url=origin + "/latest/meta-data")
                need("private = [" in json.dumps(error).replace('\\"', '"'), error)
            for url in (other.origin + "0/", "https://127.0.0.1:%d/" % port,
                        "http://user@127.0.0.1:%d/" % port, "http://127.0.0.1:%d@x/" % port,
                        "file:///etc/passwd", "gopher://127.0.0.1:%d/" % port,
                        "HTTP://127.0.0.1:%d/" % port, "http://127.0.0.1:%d/#x" % port,
                        "http://127.0.0.1:%d/\r\nX: y" % port, "//127.0.0.1:%d" % port, ""):
                mica.fails("FETCH_NOT_ALLOWED", url=url)
        same(other.requests, [], "requests")


def hosts_of_loopback():
    """Names of /etc/hosts that lead to this machine."""
    found = []
    for line in pathlib.Path("/etc/hosts").read_text(encoding="utf-8").splitlines():
        words = line.split("#")[0].split()
        if words and words[0] in ("127.0.0.1", "127.0.1.1", "::1"):
            found += [word for word in words[1:] if word == word.lower() and "_" not in word]
    return sorted(set(found) - {"localhost"})


def segments(options):
    """A text of a caller stays one segment of the path, also when it is dots alone."""
    with Other(good) as other, Mica(options, private(other)) as mica:
        for part in ("..", ".", "%2e%2E", ".%2e", "%2E"):
            for path in ("/users/%s", "/users/%s/delete", "/%s?a=b"):
                mica.fails("FETCH_NOT_ALLOWED", url=other.origin + path % part)
        same(other.requests, [], "requests")
        for path in ("/a/...", "/a/..b/.c", "/a/b.?up=/../x", "/a/%2e%2e%2e"):
            mica.works(url=other.origin + path)
        same(len(other.requests), 4, "requests")


def redirects(options):
    """A redirect goes only where a request may go, five times."""
    with Other(good) as secretive, Other(good) as end:
        for location in (secretive.origin + "/", "http://localhost:%d/" % secretive.port,
                         "file:///etc/passwd", "ftp://127.0.0.1/",
                         "http://user:word@127.0.0.1:%d/" % end.port):
            with Other(to(location)) as first, Mica(
                    options, private(first, end) + 'allow = ["http://localhost:%d"]\n'
                    % secretive.port) as mica:
                mica.fails("FETCH_NOT_ALLOWED", url=first.origin)
        same(secretive.requests + end.requests, [], "requests elsewhere")
        with Other(to("/again")) as loop, Other(to(end.origin + "/x", 303)) as post, \
                Other(to(end.origin + "/y", 307)) as kept, \
                Mica(options, private(loop, end, post, kept)) as mica:
            mica.fails("FETCH_REDIRECTS", url=loop.origin)
            same(len(loop.requests), 6, "hops")
            mica.works(url=post.origin, method="POST", body=True)
            same(end.requests[0][:2] + end.requests[0][3:], ("GET", "/x", ""), "after a 303")
            mica.works(url=kept.origin, method="POST", body=True)
            same(end.requests[1][:2] + end.requests[1][3:],
                 ("POST", "/y", '{"word":"hello"}'), "after a 307")
            need("x-probe" not in end.headers(1), "a header went to another host")
            same(end.headers(1)["idempotency-key"], kept.headers()["idempotency-key"],
                 "the key")


def sizes(options):
    """Past the limit of bytes a transfer ends, with and without a length before it."""
    def answer(handler, number):
        handler.send_response(200)
        if number == 0:
            handler.send_header("Content-Length", "10000000")
        if number == 2:
            for i in range(80):  # of the header
                handler.send_header("X-%d" % i, "x" * 1000)
        if number == 3:  # in one line
            handler.send_header("X", "x" * 200000)
        handler.end_headers()
        for _ in range(10000):
            handler.wfile.write(b" " * 1000)
    with Other(answer) as other, Mica(options, private(other)) as mica:
        for _ in range(4):
            mica.fails("FETCH_TOO_LARGE", url=other.origin)
        same(len(other.requests), 4, "requests")
    # The length of what is not sent does not count.
    with Other(lambda handler, _: reply(handler, 200, b" " * 20000)) as other, \
            Mica(options, private(other)) as mica:
        mica.fails("FETCH_BAD_ANSWER", url=other.origin, method="HEAD")


def times(options):
    """The limit of time holds for a server that is silent, or slow."""
    def answer(handler, number):
        if number > 0:
            handler.send_response(200)
            handler.send_header("Content-Length", "1000")
            handler.end_headers()
        for _ in range(100):  # 10 s
            time.sleep(0.1)
            if number > 0:
                handler.wfile.write(b" ")
    with Other(answer) as other, Mica(options, private(other)) as mica:
        for _ in range(2):
            begun = time.monotonic()
            mica.fails("FETCH_TIMEOUT", url=other.origin, limit_ms=600)
            need(0.5 < time.monotonic() - begun < 9, time.monotonic() - begun)


def repeats(options):
    """A failure that passes is tried again, of what may be sent twice alone."""
    def answer(handler, number):
        if number in (0, 5):
            reply(handler, 503)
        elif number == 1:
            reply(handler, 429, headers=(("Retry-After", "1"),))
        elif number == 3:
            handler.connection.shutdown(socket.SHUT_RDWR)
        elif number == 4:
            reply(handler, 503, headers=(("Retry-After", "3600"),))
        elif number == 8:
            reply(handler, 503, headers=(("Retry-After", str(2 ** 63 - 1)),))
        else:
            good(handler)
    with Other(answer) as other, Mica(options, private(other)) as mica:
        begun = time.monotonic()
        mica.works(url=other.origin)
        need(time.monotonic() - begun > 1, "Retry-After was not waited for")
        same(len(other.requests), 3, "requests")
        mica.fails("FETCH_FAILED", url=other.origin, method="POST", body=True)
        same(len(other.requests), 4, "requests: a broken POST is not sent again")
        mica.fails("FETCH_STATUS", url=other.origin)
        same(len(other.requests), 5, "requests: an hour is not waited for")
        mica.works(url=other.origin, method="POST", body=True, repeats=True)
        same(len(other.requests), 7, "requests")
        same(other.headers(5)["idempotency-key"], other.headers(6)["idempotency-key"],
             "the key")
        mica.works(url=other.origin)
        mica.fails("FETCH_STATUS", url=other.origin)
        same(len(other.requests), 9, "requests: nor is an age of the world")
    free = socket.socket()
    free.bind(("127.0.0.1", 0))  # and does not listen
    origin = "http://127.0.0.1:%d" % free.getsockname()[1]
    with Mica(options, "private = [\"%s\"]\n" % origin) as mica:
        mica.fails("FETCH_FAILED", url=origin)
    free.close()


def secrets(options):
    """A secret goes to its host alone, and an answer that repeats it is refused."""
    def echo(handler, number):
        word = handler.headers["Authorization"].split(" ", 1)[1]
        if number == 0:
            good(handler)
        elif number == 1:
            reply(handler, 200, json.dumps({"word": "it is " + word}).encode())
        elif number == 2:  # every byte as an escape
            reply(handler, 200, b'{"word":"%s"}' %
                  "".join("\\u%04x" % ord(c) for c in word).encode())
        else:
            reply(handler, 200, word.encode())
    with Other(good) as end, Other(to("", 302)) as first, Other(echo) as other:
        table = private(end, first, other)
        with Mica(options, table + 'secrets = { PROBE_TOKEN = "%s", UNSET_TOKEN = "%s" }\n' % (
                other.origin, other.origin)) as mica:
            mica.works(url=other.origin, secret="PROBE_TOKEN")
            same(other.headers()["authorization"], "Bearer " + SECRET, "the secret")
            for _ in range(3):
                mica.fails("FETCH_BAD_ANSWER", url=other.origin, secret="PROBE_TOKEN")
            mica.fails("FETCH_SECRET", url=end.origin, secret="PROBE_TOKEN")
            mica.fails("FETCH_SECRET", url=other.origin, secret="UNSET_TOKEN")
            mica.fails("FETCH_SECRET", url=other.origin, secret="HOME")
            same(end.requests, [], "requests")
    with Other(good) as end, Other(lambda handler, _: reply(
            handler, 307, headers=(("Location", end.origin + "/"),))) as first:
        with Mica(options, private(end, first) + 'secrets = { PROBE_TOKEN = "%s" }\n' %
                  first.origin) as mica:
            mica.works(url=first.origin, secret="PROBE_TOKEN")
            same(first.headers()["authorization"], "Bearer " + SECRET, "the secret")
            need("authorization" not in end.headers(), "the secret went elsewhere")


def proxies(options):
    """A proxy of the environment is ignored, one of the file is used."""
    with Other(good) as other, Other(good) as proxy:
        environment = {name: proxy.origin for name in (
            "http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY")}
        with Mica(options, private(other), **environment) as mica:
            mica.works(url=other.origin)
        same((len(other.requests), len(proxy.requests)), (1, 0), "requests")
        with Mica(options, private(other) + 'allow = ["http://example.test", '
                  '"http://10.0.0.1"]\nproxy = "%s"\n' % proxy.origin,
                  no_proxy="*", NO_PROXY="*") as mica:
            mica.works(url="http://example.test/x")
            same(proxy.requests[0][:2], ("GET", "http://example.test/x"), "the request")
            mica.fails("FETCH_NOT_ALLOWED", url="http://10.0.0.1/")
            mica.works(url=other.origin)  # this machine needs no proxy
        same((len(other.requests), len(proxy.requests)), (2, 1), "requests")


def cancels(options):
    """A client that hangs up ends the request that its call waits for."""
    def answer(handler, _):
        handler.send_response(200)
        handler.send_header("Content-Length", "9000")
        handler.end_headers()
        for _ in range(3000):  # 60 s, as long as the limit of time
            handler.wfile.write(b" ")
            time.sleep(0.02)
    with Other(answer) as other, Mica(options, private(other)) as mica:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "fetch_probe", "_meta": META, "arguments": {
                "url": other.origin, "limit_ms": 60000}}})
        connection = http.client.HTTPConnection("127.0.0.1", mica.port, timeout=PATIENCE)
        connection.request("POST", "/mcp", body, {
            "Content-Type": "application/json", "Mcp-Method": "tools/call",
            "Mcp-Name": "fetch_probe", "MCP-Protocol-Version": "2026-07-28",
            "Accept": "application/json, text/event-stream"})
        until = time.monotonic() + PATIENCE
        while not other.requests and time.monotonic() < until:
            time.sleep(0.01)
        same(len(other.requests), 1, "requests")
        connection.close()
        need(other.gone.wait(PATIENCE), "the request was not ended, or late")


def kills(options):
    """A process that dies before the record sends the request again, with its key."""
    mica = None

    def answer(handler, number):
        if number == 0:
            mica.kill()  # it was received, and nothing of it is recorded
        else:
            good(handler)
    with Other(answer) as other, Mica(options, private(other)) as mica:
        arguments = {"name": "fetch_probe", "arguments": {
            "url": other.origin, "method": "POST", "body": True},
            "_meta": dict(META, **{"mica/idempotencyKey": "one"})}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                           "params": arguments})
        headers = {"Content-Type": "application/json", "Mcp-Method": "tools/call",
                   "Mcp-Name": "fetch_probe", "MCP-Protocol-Version": "2026-07-28",
                   "Accept": "application/json, text/event-stream"}

        def ask():
            connection = http.client.HTTPConnection("127.0.0.1", mica.port, timeout=PATIENCE)
            connection.request("POST", "/mcp", body, headers)
            text = connection.getresponse().read().decode()
            connection.close()
            lines = [line[5:] for line in text.splitlines() if line.startswith("data:")]
            return json.loads(lines[-1] if lines else text)
        try:
            ask()
            raise Failure("the server has answered")
        except (http.client.HTTPException, OSError):
            pass
        mica.begin()
        until = time.monotonic() + 150  # a dead process's lease is 30
        value = ask()
        while "error" in value and time.monotonic() < until:
            time.sleep(0.5)
            value = ask()
        same(value.get("result", value).get("structuredContent"),
             {"word": "hi", "list": [{"n": 1}]}, value)
        same(len(other.requests), 2, "requests")
        same(other.headers(0)["idempotency-key"], other.headers(1)["idempotency-key"],
             "the key")
        need(ask()["result"]["structuredContent"] and len(other.requests) == 2,
             "what is recorded was sent again")


def nothing(options):
    """Without the table nothing is fetched; a table that is wrong is refused."""
    with Other(good) as other:
        with Mica(options, "") as mica:
            mica.fails("FETCH_NOT_ALLOWED", url=other.origin)
        same(other.requests, [], "requests")
    for table, word in (('allow = ["api.example.org"]', "https://"), ("allow = 1", "a list"),
                        ('allow = ["https://a.example/path"]', "path"),
                        ('secrets = { A = "http://a.example" }', "https"),
                        ('secrets = { a = "https://a.example" }', "A-Z"),
                        ('proxy = "socks5://a.example"', "https://"),
                        ('alow = []', "no key alow")):
        try:
            Mica(options, table + "\n")
            raise Failure("%s is taken" % table)
        except Failure as failure:
            need("line 2" in str(failure) and word in str(failure), failure)


CASES = [answers, chunks, names, segments, redirects, sizes, times, repeats, secrets,
         proxies, cancels, kills, nothing]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mica", required=True)
    parser.add_argument("--case")
    options = parser.parse_args()
    options.mica = os.path.abspath(options.mica)
    cases = [case for case in CASES if options.case in (None, case.__name__)]
    print("1..%d" % len(cases), flush=True)
    failed = 0

    def tried(case):
        try:
            case(options)
        except Exception:  # every other case still runs
            return traceback.format_exc()
        return None

    for number, case, wrong in outcomes(cases, tried):
        failed += tell(number, case.__doc__, wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

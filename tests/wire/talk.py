# SPDX-License-Identifier: Apache-2.0
"""The two ways to speak to a server: a pipe, and HTTP.

Both offer send(step, body), receive(id) -> Reply, act(words) and close(), so
that a transcript need not know which one it runs over.
"""
import base64
import http.client
import json
import os
import queue
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time

from transcript import expand_header, expand_path

META_VERSION = "io.modelcontextprotocol/protocolVersion"


# The member of params that the header Mcp-Name repeats.
NAMED_BY = {"tools/call": "name", "prompts/get": "name",
            "resources/read": "uri", "tasks/get": "taskId",
            "tasks/update": "taskId", "tasks/cancel": "taskId"}


class Failure(Exception):
    """What a transcript did not expect."""


class Reply:
    def __init__(self, text, status=None, headers=None):
        self.text = text          # str; "" when there is no body
        self.status = status      # HTTP only
        self.headers = headers or []


def decode(body):
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise Failure("the reply is no UTF-8: %s" % error) from error


def read_object(body):
    """The message in `body` as a dict; {} when it is anything else."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


class Program:
    """A server process, its stderr kept for the report."""

    def __init__(self, command, patience):
        self.patience = patience
        self.stderr = []
        self.ready = threading.Event()
        self.port = None
        # In an empty folder: a catalog of another folder is not meant.
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE,
                                        cwd=self.folder.name,
                                        env=dict(os.environ,
                                                 XDG_STATE_HOME=self.folder.name))
        self.reader = threading.Thread(target=self.read_stderr, daemon=True)
        self.reader.start()

    def read_stderr(self):
        for line in self.process.stderr:
            text = line.decode(errors="replace").rstrip("\n")
            self.stderr.append(text)
            port = re.search(r"(?:port |127\.0\.0\.1:)(\d+)", text)
            if port and self.port is None:
                self.port = int(port.group(1))
                self.ready.set()
        self.ready.set()

    def end(self, signal_number=None):
        """The exit status; 0 is expected."""
        if signal_number is not None and self.process.poll() is None:
            self.process.send_signal(signal_number)
        try:
            self.process.wait(self.patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Failure("the server did not end") from None
        finally:
            self.reader.join(self.patience)
        if self.process.returncode != 0:
            raise Failure("the server ended with %d" % self.process.returncode)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()


# What another thread of the server tells: before or after the reply to the call that
# changed something.
CHANGES = re.compile(r"notifications/(\w+/list_changed|resources/updated)$")


class Stdio:
    """One message a line; replies in the order in which they come, and so are
    changes among themselves."""

    def __init__(self, command, patience):
        self.program = Program(command, patience)
        self.patience = patience
        self.replies = queue.Queue()
        self.changes = []  # that came while a reply was waited for
        self.ended = False
        self.reader = threading.Thread(target=self.read_stdout, daemon=True)
        self.reader.start()

    def read_stdout(self):
        for line in self.program.process.stdout:
            self.replies.put(line)
        self.replies.put(None)

    def send(self, step, body):
        if step.method != "POST" or step.headers:
            raise Failure("line %d: there are no headers on a pipe" % step.number)
        self.program.process.stdin.write(body + b"\n")
        self.program.process.stdin.flush()

    def receive_notification(self):
        return self.changes.pop(0) if self.changes else self.receive(None)

    def receive(self, id_):
        reply = self.receive_line()
        while id_ is not None and \
                CHANGES.match(str(read_object(reply.text).get("method"))):
            self.changes.append(reply)
            reply = self.receive_line()
        return reply

    def receive_line(self):
        try:
            line = self.replies.get(timeout=self.patience)
        except queue.Empty:
            raise Failure("no reply came") from None
        if line is None:
            raise Failure("the server ended")
        if not line.endswith(b"\n"):
            raise Failure("half a line: %r" % line)
        return Reply(decode(line[:-1]))

    def silence(self, _step):
        """Nothing to do: a line that should not be there meets the step that waits for
        the next, or at the end."""

    def act(self, words):
        if words == ["end"]:
            self.program.process.stdin.close()
            self.ended = True
        elif words == ["terminate"]:
            self.program.process.send_signal(signal.SIGTERM)
            self.ended = True
        else:
            raise Failure("no action %r on a pipe" % " ".join(words))

    def close(self):
        if not self.ended:
            self.program.process.stdin.close()
        self.program.end()
        self.reader.join(self.patience)
        line = self.replies.get_nowait()
        if line is not None:
            raise Failure("an unexpected reply: %r" % line)
        if self.changes:
            raise Failure("a change that was not expected: %s"
                          % self.changes[0].text)


class Exchange:
    """A request under way, on a connection and a thread of its own. Its replies
    are one, or the events of a stream; None is behind the last."""

    def __init__(self, talk, connection, step, body):
        self.id = read_object(body).get("id")
        self.step = step
        self.connection = connection
        self.path = expand_path(step.path)
        if talk.place is not None:
            self.path = talk.place.path(self.path)
        self.replies = queue.Queue()
        self.streams = False
        self.thread = threading.Thread(target=self.run, daemon=True,
                                       args=(talk, body))
        self.thread.start()

    def run(self, talk, body):
        connection = self.connection
        try:
            connection.putrequest(self.step.method, self.path,
                                  skip_host=True, skip_accept_encoding=True)
            headers = talk.headers_for(self.step, body)
            for name, value in headers:
                connection.putheader(name, value.encode())
            connection.endheaders(iter([body[:9], body[9:]]), encode_chunked=(
                "Transfer-Encoding", "chunked") in headers)
            response = connection.getresponse()
            head = response.status, response.getheaders()
            if response.getheader("Content-Type") == "text/event-stream":
                self.streams = True
                self.read_events(talk, response, head)
            else:
                self.replies.put(Reply(response.read(), *head))
        except (OSError, ValueError, http.client.HTTPException) as error:
            self.replies.put(error)
        self.replies.put(None)

    def read_events(self, talk, response, head):
        data, any_event = None, False
        for line in response:
            line = line.rstrip(b"\n")
            if line.startswith(b"data:"):
                data = (b"" if data is None else data + b"\n") + line[5:].lstrip()
            elif not line:
                # An empty one only says where to come back.
                if data and (talk.place is None or talk.place.told(decode(data))):
                    self.replies.put(Reply(data, *head))
                    any_event = True
                data = None
        if not any_event:
            self.replies.put(Reply(b"", *head))


class Http:
    """Each request on a free connection; replies by the id of the request. `place`:
    where requests to /mcp go (app_place.py); None: there."""

    def __init__(self, command, patience, place=None):
        self.program = Program(command, patience)
        self.patience = patience
        self.place = place
        self.open, self.free = [], []
        self.told_to_end = False
        self.version = None  # what a handshake agreed on
        self.session = None  # and the session that it began
        self.raw = self.answers = None  # the connection of `>!`
        self.program.ready.wait(patience)
        if self.program.port is None:
            self.program.kill()
            raise Failure("the server did not say its port: %s"
                          % " | ".join(self.program.stderr))

    def headers_for(self, step, body):
        """What a client would send, changed by what the transcript says."""
        message = read_object(body)
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        meta = params.get("_meta")
        meta = meta if isinstance(meta, dict) else {}
        headers = [("Host", "127.0.0.1:%d" % self.program.port)]
        if step.method == "POST":
            headers += [("Content-Type", "application/json"),
                        ("Accept", "application/json, text/event-stream")]
        elif step.method == "GET" and self.session is not None:
            headers.append(("Accept", "text/event-stream"))
        if step.method in ("POST", "PUT"):
            headers.append(("Content-Length", str(len(body))))
        version = meta.get(META_VERSION)
        if isinstance(version, str):
            headers.append(("MCP-Protocol-Version", version))
            if "id" in message:
                headers.append(("Mcp-Method", str(message.get("method"))))
            name = params.get(NAMED_BY.get(message.get("method")))
            if isinstance(name, str):
                headers.append(("Mcp-Name", self.encode(name)))
        elif self.version is not None and message.get("method") != "initialize":
            headers.append(("MCP-Protocol-Version", self.version))
            if self.session is not None:
                headers.append(("Mcp-Session-Id", self.session))
        if ("=", "Transfer-Encoding", "chunked") in step.headers:
            headers = [h for h in headers if h[0] != "Content-Length"]
        for how, name, value in step.headers:
            if how != "+":
                headers = [h for h in headers if h[0].lower() != name.lower()]
            if how != "-":
                headers.append((name, expand_header(value, self.program.port)))
        return headers

    @staticmethod
    def encode(name):
        if name and name == name.strip() and re.fullmatch("[ -~]*", name) and not (
                name.startswith("=?base64?") and name.endswith("?=")):
            return name
        return "=?base64?%s?=" % base64.b64encode(name.encode()).decode()

    def send(self, step, body):
        if self.place is not None:
            body = self.place.sent(body)
        connection = self.free.pop() if self.free else http.client.HTTPConnection(
            "127.0.0.1", self.program.port, timeout=self.patience)
        self.open.append(Exchange(self, connection, step, body))

    def find(self, id_):
        """The request with that id. None: the oldest, once something has come on it; until
        one that is a stream, or may become one, only when there is no other. Before that
        then it may be a stream."""
        until = time.monotonic() + self.patience
        while time.monotonic() < until:
            if id_ is None:
                calls = [exchange for exchange in self.open
                         if not exchange.streams and exchange.step.method != "GET"]
                found = calls[:1] or self.open
            else:
                found = [exchange for exchange in self.open if exchange.id == id_]
            if not found:
                raise Failure("no request with the id %r is open" % id_)
            for exchange in found:
                if id_ is not None or not exchange.replies.empty():
                    return exchange
            time.sleep(0.002)
        raise Failure("no reply came")

    def finish(self, exchange):
        """After its last reply: nothing more comes on it."""
        self.open.remove(exchange)
        exchange.thread.join(self.patience)
        if exchange.thread.is_alive():
            raise Failure("the response does not end")
        more = exchange.replies.get_nowait()
        if more is not None:
            raise Failure("more than one reply: %r" % more)
        self.free.append(exchange.connection)

    def read(self, exchange):
        try:
            reply = exchange.replies.get(timeout=self.patience)
        except queue.Empty:
            raise Failure("no reply came") from None
        if not isinstance(reply, Reply):
            raise Failure("no reply: %r" % reply)
        reply.text = decode(reply.text)
        return reply

    def receive(self, id_):
        exchange = self.find(id_)
        reply = self.read(exchange)
        self.finish(exchange)
        result = read_object(reply.text).get("result")
        if isinstance(result, dict) and "protocolVersion" in result:
            self.version = result["protocolVersion"]
            self.session = dict(reply.headers).get("Mcp-Session-Id")
        return reply

    def receive_notification(self):
        """The next on any stream that is open."""
        until = time.monotonic() + self.patience
        while time.monotonic() < until:
            for exchange in self.open:
                if exchange.streams and not exchange.replies.empty():
                    return self.read(exchange)
            time.sleep(0.002)
        raise Failure("no notification came")

    def end_of_stream(self):
        """What was told on it has been read; there is no reply."""
        until = time.monotonic() + self.patience
        while time.monotonic() < until:
            for exchange in self.open:
                if exchange.streams and list(exchange.replies.queue) == [None]:
                    self.finish(exchange)
                    return
            time.sleep(0.002)
        raise Failure("no stream ended")

    # ---- Bytes as they are, on a connection of their own ----

    def send_raw(self, data):
        if self.raw is not None:
            raise Failure("the connection before was not said to be closed")
        self.raw = socket.create_connection(("127.0.0.1", self.program.port),
                                            timeout=self.patience)
        self.answers = self.raw.makefile("rb")
        if self.place is not None:
            data = self.place.raw(data)
        try:
            self.raw.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it closes while we still send; what it said is read below

    def receive_raw(self):
        line = self.answers.readline()
        found = re.fullmatch(rb"HTTP/1\.1 (\d{3}) [^\r\n]*\r\n", line)
        if not found:
            raise Failure("no answer: %r" % line)
        headers = []
        while True:
            line = self.answers.readline()
            if line == b"\r\n":
                break
            name, colon, value = line.decode("latin-1").partition(":")
            if not colon or not line.endswith(b"\r\n"):
                raise Failure("no header: %r" % line)
            headers.append((name, value.strip()))
        status = int(found.group(1))
        length = int(dict(headers).get("Content-Length", "0"))
        body = b"" if status == 100 else self.answers.read(length)
        if len(body) != length:
            raise Failure("a body of %d bytes instead of %d" % (len(body), length))
        return Reply(decode(body), status, headers)

    def end_raw(self):
        try:
            more = self.answers.read()
        except ConnectionResetError:
            more = b""
        except TimeoutError:
            raise Failure("the server does not close") from None
        if more:
            raise Failure("more than that is answered: %r" % more[:300])
        self.answers.close()
        self.raw.close()
        self.raw = None

    def silence(self, step):
        if step.text == "end":
            return self.end_of_stream()
        reply = self.receive(None)
        if reply.status != (step.status or 202) or reply.text:
            raise Failure("expected %s and no body, got %s %s"
                          % (step.status or 202, reply.status, reply.text))
        return reply

    def hang_up(self, exchange):
        until = time.monotonic() + self.patience
        while exchange.connection.sock is None:  # its thread has not come to it
            if time.monotonic() > until or not exchange.thread.is_alive():
                raise Failure("there is no connection to end")
            time.sleep(0.002)
        exchange.connection.sock.shutdown(2)
        exchange.thread.join(self.patience)
        exchange.connection.close()

    def act(self, words):
        if words[0] == "disconnect":
            # Once the request is on its way and before the reply is.
            time.sleep(float(words[1]) / 1000)
            exchange = self.open.pop(0)
            if not exchange.streams and not exchange.replies.empty():
                raise Failure("the reply came before the disconnect")
            self.hang_up(exchange)
        elif words[0] == "terminate":
            time.sleep(float(words[1]) / 1000 if len(words) > 1 else 0)
            self.program.process.send_signal(signal.SIGTERM)
            self.told_to_end = True
        else:
            raise Failure("no action %r over HTTP" % " ".join(words))

    def close(self):
        for exchange in [e for e in self.open if e.step.method == "GET"]:
            # A stream of its own may stay open, with nothing untold on it.
            self.open.remove(exchange)
            left = exchange.replies.queue
            if left and left[0] is not None:
                raise Failure("no step waited for %r" % left[0])
            self.hang_up(exchange)
        if self.open:
            raise Failure("%d replies without a step that waits" % len(self.open))
        for connection in self.free:
            connection.close()
        # Once: a second signal may find the handler already gone.
        self.program.end(None if self.told_to_end else signal.SIGTERM)
        self.program.process.stdin.close()
        # `mica serve` says its address there, for scripts, and nothing else.
        extra = self.program.process.stdout.read()
        if extra not in (b"", b"http://127.0.0.1:%d/mcp\n" % self.program.port):
            raise Failure("something on stdout: %r" % os.fsdecode(extra)[:200])

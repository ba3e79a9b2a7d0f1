#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for providers of language models, in both wire formats, on the loopback.

    model_server.py            prints its address and serves until stdin ends

POST /v1/chat/completions is OpenAI's Chat Completions, POST /v1/messages Anthropic's
Messages; streams and whole answers have the shapes of the published references:
platform.openai.com/docs/api-reference/chat/streaming and
platform.claude.com/docs/en/build-with-claude/streaming. What it answers with is the last
message of the request; the name of the model says how:

    echo             at once, in words
    delay-N          after N seconds
    step-N           a word each N milliseconds
    bytes            every byte in a packet of its own
    drip             one byte a second
    crlf             lines end with CRLF; comments, empty events and unknown ones between
    whole            one JSON body, though a stream was asked for
    tail             the stream is not closed behind its last event
    cut, cut-N       breaks off in the middle, always or N times
    reset-N          closes without an answer, N times
    garbage          a stream of bytes that are no events with JSON
    html             status 200 with a page
    huge             words without end
    hugeline         one event without end
    wrong            JSON of another shape than any schema
    length, refuse   stops at its limit; declines
    fault-N          an error within the stream, N times
    limited-N        429 with "Retry-After: 1", N times
    wait-N           429 with "Retry-After: N", always
    millis-N         429 with "retry-after-ms: N", once
    quota            429 that will not pass
    overloaded-N     529, N times
    status-N         that status, always
    leak             400, with key and prompt as the type and the text of the error
    redirect         307 to another path
    hang             no answer at all
"""
import asyncio
import json
import os
import sys
import threading

LATE = 3600


class Request:
    def __init__(self, path, headers, body):
        self.path, self.headers, self.body = path, headers, body
        self.anthropic = path.endswith("/messages")
        self.stream = bool(body.get("stream"))
        self.model = body.get("model", "")
        self.text = body["messages"][-1]["content"] if body.get("messages") else ""
        self.by_tool = "tools" in body


def openai_events(request, words, reason="stop"):
    """The chunks of chat.completion.chunk, as the reference shows them."""
    def chunk(delta, finish=None, **more):
        return (None, {"id": "chatcmpl-123", "object": "chat.completion.chunk",
                       "created": 1694268190, "model": "stand-in-1",
                       "system_fingerprint": "fp_44709d6fcb",
                       "choices": [{"index": 0, "delta": delta, "logprobs": None,
                                    "finish_reason": finish}], "usage": None, **more})
    yield chunk({"role": "assistant", "content": "", "refusal": None})
    for number, word in enumerate(words):
        if request.by_tool:
            call = {"index": 0, "function": {"arguments": word}}
            if number == 0:
                call.update(id="call_1", type="function")
                call["function"]["name"] = "answer"
            yield chunk({"tool_calls": [call]})
        elif reason == "refusal":
            yield chunk({"refusal": word})
        else:
            yield chunk({"content": word})
    yield chunk({}, "stop" if reason == "refusal" else reason)
    if (request.body.get("stream_options") or {}).get("include_usage"):
        yield (None, {"id": "chatcmpl-123", "object": "chat.completion.chunk",
                      "created": 1694268190, "model": "stand-in-1", "choices": [],
                      "usage": {"prompt_tokens": 19, "completion_tokens": 10,
                                "total_tokens": 29}})
    yield (None, "[DONE]")


def anthropic_events(request, words, reason="stop"):
    """message_start to message_stop, as the reference shows them."""
    reasons = {"stop": "tool_use" if request.by_tool else "end_turn",
               "length": "max_tokens", "refusal": "refusal"}
    yield ("message_start", {"type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "content": [],
        "model": "stand-in-1", "stop_reason": None, "stop_sequence": None,
        "usage": {"input_tokens": 19, "output_tokens": 1}}})
    block = {"type": "tool_use", "id": "toolu_1", "name": "answer", "input": {}} \
        if request.by_tool else {"type": "text", "text": ""}
    yield ("content_block_start", {"type": "content_block_start", "index": 0,
                                   "content_block": block})
    yield ("ping", {"type": "ping"})
    for word in words:
        delta = {"type": "input_json_delta", "partial_json": word} if request.by_tool \
            else {"type": "text_delta", "text": word}
        yield ("content_block_delta", {"type": "content_block_delta", "index": 0,
                                       "delta": delta})
    yield ("content_block_stop", {"type": "content_block_stop", "index": 0})
    yield ("message_delta", {"type": "message_delta", "delta": {
        "stop_reason": reasons[reason], "stop_sequence": None},
        "usage": {"output_tokens": 10}})
    yield ("message_stop", {"type": "message_stop"})


def events_of(request, words, reason="stop"):
    make = anthropic_events if request.anthropic else openai_events
    return make(request, words, reason)


def whole_of(request, text, reason="stop"):
    if request.anthropic:
        content = [{"type": "tool_use", "id": "toolu_1", "name": "answer",
                    "input": json.loads(text)}] if request.by_tool \
            else [{"type": "text", "text": text}]
        reasons = {"stop": "end_turn", "length": "max_tokens", "refusal": "refusal"}
        return {"id": "msg_1", "type": "message", "role": "assistant",
                "content": content, "model": "stand-in-1",
                "stop_reason": reasons[reason], "stop_sequence": None,
                "usage": {"input_tokens": 19, "output_tokens": 10}}
    message = {"role": "assistant", "content": text, "refusal": None}
    if request.by_tool:
        message = {"role": "assistant", "content": None, "tool_calls": [
            {"id": "call_1", "type": "function",
             "function": {"name": "answer", "arguments": text}}]}
    if reason == "refusal":
        message = {"role": "assistant", "content": None, "refusal": text}
    return {"id": "chatcmpl-123", "object": "chat.completion", "created": 1694268190,
            "model": "stand-in-1", "choices": [
                {"index": 0, "message": message, "logprobs": None,
                 "finish_reason": "stop" if reason == "refusal" else reason}],
            "usage": {"prompt_tokens": 19, "completion_tokens": 10, "total_tokens": 29}}


def error_of(request, kind, text="an error", code=None):
    if request.anthropic:
        return {"type": "error", "error": {"type": kind, "message": text},
                "request_id": "req_1"}
    return {"error": {"message": text, "type": kind, "param": None, "code": code}}


def words_of(text):
    """Pieces of four characters, as tokens are; larger ones of a long text."""
    step = max(4, len(text) // 4096)
    return [text[at:at + step] for at in range(0, len(text), step)]


class Server:
    """Runs in a thread of its own. `requests` has what came: Request objects."""

    def __init__(self, ssl=None):
        self.requests, self.times = [], {}
        self.connections = self.open = self.most_open = 0
        self.ssl = ssl
        self.ready = threading.Event()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        self.ready.wait(30)
        self.url = "http%s://127.0.0.1:%d" % ("s" if ssl else "", self.port)

    def run(self):
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self.begin())
        # Once it runs for good: close() would stop what runs before it.
        self.loop.call_soon(self.ready.set)
        self.loop.run_forever()
        tasks = asyncio.all_tasks(self.loop)
        for task in tasks:
            task.cancel()
        self.loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self.loop.close()

    async def begin(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0, backlog=4096,
                                                 ssl=self.ssl, limit=1 << 24)
        self.port = self.server.sockets[0].getsockname()[1]

    def close(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(30)

    async def serve(self, reader, writer):
        self.connections += 1
        try:
            while await self.one(reader, writer):
                pass
        except (asyncio.CancelledError, asyncio.IncompleteReadError, OSError):
            pass
        finally:
            writer.close()

    async def one(self, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in
                   (line.partition(":") for line in lines[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        request = Request(lines[0].split()[1], headers, json.loads(body or b"{}"))
        request.reader = reader
        self.requests.append(request)
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            return await self.answer(request, writer)
        finally:
            self.open -= 1

    # ---- Writing ----

    async def head(self, writer, status, kind, length=None, extra=""):
        size = "Transfer-Encoding: chunked\r\n" if length is None \
            else "Content-Length: %d\r\n" % length
        writer.write(("HTTP/1.1 %d Words\r\nContent-Type: %s\r\n%s%s\r\n"
                      % (status, kind, size, extra)).encode())
        await writer.drain()

    async def body(self, writer, status, value, extra=""):
        text = value.encode() if isinstance(value, str) else json.dumps(value).encode()
        await self.head(writer, status, "application/json", len(text), extra)
        writer.write(text)
        await writer.drain()
        return True

    async def piece(self, writer, data):
        writer.write(b"%x\r\n%s\r\n" % (len(data), data))
        await writer.drain()

    @staticmethod
    def event(name, value, end="\n"):
        text = value if isinstance(value, str) else json.dumps(value)
        head = "event: %s%s" % (name, end) if name else ""
        return ("%sdata: %s%s%s" % (head, text, end, end)).encode()

    async def stream(self, request, writer, words, reason="stop", pause=0):
        await self.head(writer, 200, "text/event-stream; charset=utf-8")
        for name, value in events_of(request, words, reason):
            await self.piece(writer, self.event(name, value))
            if pause:
                await asyncio.sleep(pause)
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def plain(self, request, writer, text=None, reason="stop"):
        text = request.text if text is None else text
        if not request.stream:
            return await self.body(writer, 200, whole_of(request, text, reason))
        return await self.stream(request, writer, words_of(text), reason)

    # ---- What a model does ----

    async def answer(self, request, writer):
        name, _, number = request.model.partition("-")
        how = getattr(self, "do_" + name, None)
        if how is None:
            return await self.body(writer, 404, error_of(
                request, "not_found_error", "no such model", "model_not_found"))
        return await how(request, writer, int(number) if number else 0)

    def passes(self, request, number):
        """True from the request after `number` of that model on; 0: never."""
        times = self.times[request.model] = self.times.get(request.model, 0) + 1
        return 0 < number < times

    async def do_echo(self, request, writer, _):
        return await self.plain(request, writer)

    async def do_delay(self, request, writer, number):
        await asyncio.sleep(number)
        return await self.plain(request, writer)

    async def do_step(self, request, writer, number):
        return await self.stream(request, writer, words_of(request.text),
                                 pause=number / 1000)

    async def do_bytes(self, request, writer, _, pause=0):
        await self.head(writer, 200, "text/event-stream")
        for name, value in events_of(request, words_of(request.text)):
            for byte in self.event(name, value):
                await self.piece(writer, bytes([byte]))
                await asyncio.sleep(pause)
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def do_drip(self, request, writer, number):
        return await self.do_bytes(request, writer, number, 1)

    async def do_crlf(self, request, writer, _):
        await self.head(writer, 200, "Text/Event-Stream;charset=utf-8")
        await self.piece(writer, b"\xef\xbb\xbf: hello\r\n\r\n:\r\n")
        for name, value in events_of(request, words_of(request.text)):
            await self.piece(writer, b"id: 7\r\nretry: 10\r\n"
                             + self.event(name, value, "\r\n"))
            await self.piece(writer, b": OPENROUTER PROCESSING\r\n\r\nevent: empty\r\n\r\n")
            if value != "[DONE]":
                await self.piece(writer, self.event("future", {"type": "future"}, "\r"))
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def do_whole(self, request, writer, _):
        return await self.body(writer, 200, whole_of(request, request.text))

    async def do_tail(self, request, writer, _):
        await self.head(writer, 200, "text/event-stream")
        for name, value in events_of(request, words_of(request.text)):
            await self.piece(writer, self.event(name, value))
        await asyncio.sleep(LATE)

    async def do_cut(self, request, writer, number):
        if self.passes(request, number):
            return await self.plain(request, writer)
        await self.head(writer, 200, "text/event-stream")
        for name, value in list(events_of(request, words_of(request.text)))[:4]:
            await self.piece(writer, self.event(name, value))
        return False

    async def do_reset(self, request, writer, number):
        return self.passes(request, number) and await self.plain(request, writer)

    async def do_garbage(self, request, writer, _):
        await self.head(writer, 200, "text/event-stream")
        await self.piece(writer, b"data: \x00\xff\xfe{]\n\n" + os.urandom(2000) + b"\n\n")
        return False

    async def do_html(self, request, writer, _):
        await self.head(writer, 200, "text/html", 13)
        writer.write(b"<html></html>")
        await writer.drain()
        return True

    async def do_huge(self, request, writer, _):
        await self.head(writer, 200, "text/event-stream")
        words = ("x" * 1000 for _ in iter(int, 1))
        for name, value in events_of(request, words):
            await self.piece(writer, self.event(name, value))

    async def do_hugeline(self, request, writer, _):
        await self.head(writer, 200, "text/event-stream")
        await self.piece(writer, b"data: ")
        while True:
            await self.piece(writer, b"y" * 10000)

    async def do_wrong(self, request, writer, _):
        return await self.plain(request, writer, '{"another": ["shape"]}')

    async def do_length(self, request, writer, _):
        return await self.plain(request, writer, reason="length")

    async def do_refuse(self, request, writer, _):
        return await self.plain(request, writer, "I cannot do that.", "refusal")

    async def do_fault(self, request, writer, number):
        if self.passes(request, number):
            return await self.plain(request, writer)
        await self.head(writer, 200, "text/event-stream")
        for name, value in list(events_of(request, words_of(request.text)))[:3]:
            await self.piece(writer, self.event(name, value))
        await self.piece(writer, self.event(
            "error" if request.anthropic else None,
            error_of(request, "overloaded_error", "Overloaded")))
        return False

    async def do_limited(self, request, writer, number):
        if self.passes(request, number):
            return await self.plain(request, writer)
        return await self.body(writer, 429, error_of(
            request, "rate_limit_error", "slow down", "rate_limit_exceeded"),
            "Retry-After: 1\r\n")

    async def do_wait(self, request, writer, number):
        return await self.body(writer, 429, error_of(request, "rate_limit_error"),
                               "Retry-After: %d\r\n" % number)

    async def do_millis(self, request, writer, number):
        if self.passes(request, 1):
            return await self.plain(request, writer)
        return await self.body(writer, 429, error_of(request, "rate_limit_error"),
                               "retry-after-ms: %d\r\nRetry-After: 30\r\n" % number)

    async def do_quota(self, request, writer, _):
        return await self.body(writer, 429, error_of(
            request, "insufficient_quota", "pay", "insufficient_quota"))

    async def do_overloaded(self, request, writer, number):
        if self.passes(request, number):
            return await self.plain(request, writer)
        return await self.body(writer, 529, error_of(request, "overloaded_error"))

    async def do_status(self, request, writer, number):
        return await self.body(writer, number, error_of(request, "api_error"))

    async def do_leak(self, request, writer, _):
        key = request.headers.get("x-api-key") or \
            request.headers.get("authorization", "").split()[-1]
        return await self.body(writer, 400, error_of(
            request, key, "you sent " + request.text + " with " + key, key))

    async def do_redirect(self, request, writer, _):
        return await self.body(writer, 307, "", "Location: %s/v1/elsewhere\r\n" % self.url)

    async def do_hang(self, request, writer, _):
        await request.reader.read(1)  # until the client hangs up
        return False


if __name__ == "__main__":
    server = Server()
    print(server.url, flush=True)
    sys.stdin.read()

// SPDX-License-Identifier: Apache-2.0
//
// A program against the types that openapi-typescript makes of mica's document
// (api.d.ts, beside it when rest.mjs compiles it), run by openapi-fetch. Each line
// under @ts-expect-error must not compile: the types know what a tool takes.
import createClient from "openapi-fetch";

import type { components, paths } from "./api";

type Call = components["schemas"]["Call"];

function need(truth: boolean, what: string): asserts truth {
  if (!truth) throw new Error(what);
}

// One call of an engine by either method: what comes back has a type.
export async function callsAnEngine(baseUrl: string) {
  const client = createClient<paths>({ baseUrl });
  const body = { mode: "of", a: 15, b: 200 } as const;
  const posted = await client.POST("/api/percentage-calculator", { body });
  const got = await client.GET("/api/percentage-calculator",
    { params: { query: body } });
  const result: number | undefined = posted.data?.result;
  need(result === 30 && got.data?.result === 30, "15% of 200 is 30");
  need(got.data?.formula === posted.data?.formula, "either says the same");

  // @ts-expect-error: no such mode
  void (() => client.GET("/api/percentage-calculator", { params: { query: { mode: "off", a: 1, b: 2 } } }));
  // @ts-expect-error: b is missing
  void (() => client.POST("/api/percentage-calculator", { body: { mode: "of", a: 1 } }));
  // @ts-expect-error: a is a number
  void (() => client.POST("/api/percentage-calculator", { body: { mode: "of", a: "1", b: 2 } }));
  // @ts-expect-error: no such tool
  void (() => client.POST("/api/percentage-calculato", { body: {} }));
  // @ts-expect-error: no such member of the result
  void posted.data?.sum;
}

// A failure is a problem, with its code and place.
export async function readsAProblem(baseUrl: string) {
  const client = createClient<paths>({ baseUrl });
  const { error, response } = await client.POST("/api/percentage-calculator",
    { body: { mode: "ratio", a: 1, b: 0 } });
  need(error !== undefined, "a ratio to 0 is none");
  need(error.code === "DIVISION_BY_ZERO", error.code);
  need(error.pointer === "/b", String(error.pointer));
  need(error.status === response.status, "the status is said twice");
  // @ts-expect-error: a code is a text
  void (error.code === 7);
}

// What a client has is not sent again.
export async function keepsWhatItHas(baseUrl: string) {
  const client = createClient<paths>({ baseUrl });
  const query = { mode: "of", a: 15, b: 200 } as const;
  const { response } = await client.GET("/api/percentage-calculator",
    { params: { query } });
  const tag = response.headers.get("etag");
  need(tag !== null, "there is a tag");
  const again = await client.GET("/api/percentage-calculator",
    { params: { query }, headers: { "If-None-Match": tag } });
  need(again.response.status === 304, `${again.response.status}`);
}

const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));

// The call as it is now. That the reply of 202 is a Call is what its type says.
function waiting(data: unknown): Call {
  const call = data as Call;
  need(call.status !== undefined && call.id !== undefined, "no call");
  return call;
}

// A conversation: questions come, answers are posted, and the end is the result.
export async function converses(baseUrl: string) {
  const client = createClient<paths>({ baseUrl });
  const began = await client.POST("/api/book_flight", {
    body: { destination: "Oslo", date: "2027-03-01" },
    params: { header: { "Idempotency-Key": "rest-client-1" } },
  });
  need(began.response.status === 202, `${began.response.status}`);
  let call = waiting(began.data);
  let reply: { data?: unknown; response: Response } = began;
  for (let turn = 0; turn < 8 && reply.response.status === 202; turn++) {
    const answers: Record<string, unknown> = {};
    for (const [key, question] of Object.entries(call.questions ?? {}))
      answers[key] = answer(question);
    reply = await client.POST("/api/calls/{id}", {
      params: { path: { id: call.id }, query: { round: call.round } },
      body: answers,
    });
    if (reply.response.status === 202) call = waiting(reply.data);
  }
  need(reply.response.status === 200, `ended with ${reply.response.status}`);
  const { data } = await client.GET("/api/calls/{id}",
    { params: { path: { id: call.id } } });
  need(data?.status === "completed", `${data?.status}`);
  return reply.data as { confirmation?: string };
}

type Question = components["schemas"]["Question"];

// The first choice, yes, or a word: what the schema has.
function answer(question: Question): unknown {
  if (question.kind === "sampling") return "A fine flight.";
  const schema = question.schema as {
    properties: Record<string, { type: string; oneOf?: { const: string }[];
      enum?: string[] }>; };
  return Object.fromEntries(Object.entries(schema.properties).map(
    ([name, field]) => [name,
      field.type === "boolean" ? true
        : field.oneOf?.[0]?.const ?? field.enum?.[0] ?? "x"]));
}

// A task: polled until it has ended, for that many milliseconds.
export async function polls(baseUrl: string, patience: number) {
  const client = createClient<paths>({ baseUrl });
  const began = await client.POST("/api/import",
    { body: { feed: "trade-fair", rows: 20 } });
  need(began.response.status === 202, `${began.response.status}`);
  const { id } = waiting(began.data);
  for (const end = performance.now() + patience; performance.now() < end;) {
    const { data } = await client.GET("/api/calls/{id}",
      { params: { path: { id } } });
    if (data?.status === "completed") return data.result;
    need(data?.status === "working", `${data?.status}`);
    await wait(50);
  }
  throw new Error("the import did not end");
}

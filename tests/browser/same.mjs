// SPDX-License-Identifier: Apache-2.0
//
// The proof of sameness: the module and its twin in Chromium, REST, MCP over HTTP
// and on a pipe, the command line and the sandbox give the same on the same random
// inputs. `mica check` compares the sandbox with the native library.
import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import { readdirSync } from "node:fs";
import { createInterface } from "node:readline";

import { done, need, same, test } from "../peers/tap.mjs";
import { browser, mica, open, paths, strict, withoutWasm } from "./chromium.mjs";

const found = paths({ mica: "", engines: "", inputs: "" });
const count = Number(process.env.MICA_SAME_COUNT ?? "2000");
const seed = process.env.MICA_SAME_SEED ?? "1";
const slugs = readdirSync(found.engines)
  .filter((name) => name.endsWith(".twin.js"))
  .map((name) => name.replace(".twin.js", ""));

const server = await mica(found);
const careful = await strict(server.origin, await withoutWasm(server.origin));
const chromium = await browser();

async function expected(slug) {
  const { stdout } = await promisify(execFile)(
    found.inputs, [found.engines, slug, count, seed], { maxBuffer: 1 << 30 });
  return stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
}

// All calls of one engine in one page; what it runs on comes with them.
async function inPage(origin, slug, inputs) {
  const page = await open(await chromium.newContext(), `${origin}/`);
  const answers = await page.evaluate(async ([slug, inputs]) => {
    const [{ default: engine }, { callText, runsOn }] = await Promise.all(
      [import(`/engines/${slug}.js`), import("/engines/_engine.js")]);
    return {
      place: runsOn(engine),
      calls: inputs.map((input) => callText(engine, input)),
    };
  }, [slug, inputs]);
  await page.context().close();
  return answers;
}

function compare(name, expected, calls) {
  same(calls.length, expected.length, `${name}: how many`);
  for (const [i, { input, ok, text }] of expected.entries())
    if (calls[i].ok !== ok || calls[i].text !== text)
      throw new Error(`${name}: ${input}\n  gives ${calls[i].text}\n` +
        `  and in the sandbox ${text}`);
}

// ---- The server's surfaces -----------------------------------------------------

// A tool's arguments are an object; what is none is another error there, and a name
// that stands twice one of the whole message.
const isObject = (text) => {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};

async function inPieces(items, size, work) {
  const results = [];
  for (let i = 0; i < items.length; i += size)
    results.push(...await Promise.all(items.slice(i, i + size).map(work)));
  return results;
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

const callOf = (slug, id, input) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":` +
  `"${slug}","arguments":${input.replaceAll("\n", " ")},` +
  `"_meta":${JSON.stringify(meta)}}}`;

// What a CallToolResult says, in the form of the others; its values are compared,
// as its JSON is the server's own.
function fromMcp({ result, error }) {
  if (error) return { ok: false, value: { code: error.data?.code } };
  if (!result.isError) return { ok: true, value: result.structuredContent };
  return { ok: false, value: result._meta["mica/error"] };
}

async function overHttp(slug, inputs) {
  return inPieces(inputs, 16, async (input) => {
    const response = await fetch(`${server.origin}/mcp`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": slug,
      },
      body: callOf(slug, 1, input),
    });
    return fromMcp(await response.json());
  });
}

async function overPipe(slug, inputs) {
  const child = spawn(found.mica, ["stdio", "--engines", found.engines],
    { stdio: ["pipe", "pipe", "inherit"] });
  const answers = [];
  const lines = createInterface({ input: child.stdout });
  for (const [i, input] of inputs.entries())
    child.stdin.write(`${callOf(slug, i, input)}\n`);
  child.stdin.end();
  for await (const line of lines) {
    const reply = JSON.parse(line);
    answers[reply.id] = fromMcp(reply);
  }
  return answers;
}

async function overRest(slug, inputs) {
  return inPieces(inputs, 16, async (input) => {
    const response = await fetch(`${server.origin}/api/${slug}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: input,
    });
    const text = await response.text();
    if (response.ok) return { ok: true, text, value: JSON.parse(text) };
    const { code, detail, pointer } = JSON.parse(text);
    return { ok: false, value: { code, message: detail, path: pointer ?? "" } };
  });
}

function overCommand(slug, inputs) {
  return new Promise((resolve, reject) => {
    const child = spawn(found.mica,
      ["call", slug, "--lines", "--engines", found.engines],
      { stdio: ["pipe", "pipe", "ignore"] });
    const answers = [];
    createInterface({ input: child.stdout })
      .on("line", (line) => {
        const value = JSON.parse(line);
        answers.push(value.error
          ? { ok: false, value: value.error }
          : { ok: true, text: line, value });
      })
      .on("close", () => resolve(answers));
    child.on("error", reject);
    child.stdin.end(inputs.map((input) => input.replaceAll("\n", " "))
      .join("\n") + "\n");
  });
}

function compareValues(name, expected, answers) {
  same(answers.length, expected.length, `${name}: how many`);
  for (const [i, { input, ok, text }] of expected.entries()) {
    const { ok: went, value, text: bytes } = answers[i];
    if (went !== ok)
      throw new Error(`${name}: ${input}: ${JSON.stringify(value)}; in the ` +
        `sandbox ${text}`);
    const wanted = JSON.parse(text);
    if (ok) same(value, wanted, `${name}: ${input}`);
    else
      same([value.code, value.message, value.path],
        [wanted.code, wanted.message, wanted.path], `${name}: ${input}`);
    if (ok && bytes !== undefined && bytes !== text)
      throw new Error(`${name}: ${input}: other bytes: ${bytes}; ${text}`);
  }
}

// ---- All of them ---------------------------------------------------------------

for (const slug of slugs)
  await test(`${slug}: every surface gives the same`, async () => {
    const calls = await expected(slug);
    const inputs = calls.map(({ input }) => input);
    for (const [origin, place] of
      [[server.origin, "wasm"], [careful.origin, "twin"]]) {
      const answers = await inPage(origin, slug, inputs);
      same(answers.place, place, "what it runs on");
      compare(place, calls, answers.calls);
    }
    const some = calls.filter(({ input, text }) =>
      isObject(input) && JSON.parse(text).code !== "DUPLICATE_FIELD");
    need(some.length > count / 4, "there are inputs for all surfaces");
    const texts = some.map(({ input }) => input);
    compareValues("MCP over HTTP", some, await overHttp(slug, texts));
    compareValues("MCP on a pipe", some, await overPipe(slug, texts));
    compareValues("REST", some, await overRest(slug, texts));
    compareValues("command line", some, await overCommand(slug, texts));
  }, 600000);

await chromium.close();
await careful.end();
await server.end();
done();

// SPDX-License-Identifier: Apache-2.0
//
// The proof of sameness: the module and its JavaScript fallback in Chromium, REST, MCP
// over HTTP and on a pipe, the command line, a native build and the sandbox give the
// same bytes on the same random inputs, and so does the page when the test types them
// into its form. `make test-all` takes a few of each; MICA_SAME_COUNT, MICA_SAME_FORMS
// and MICA_SAME_NATIVE=1 set other numbers, as `make soak` does.
import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import { mkdtempSync, readdirSync } from "node:fs";
import { createInterface } from "node:readline";

import { dirname, join } from "node:path";

import { done, folder, need, same, test } from "../peers/tap.mjs";
import { browser, mica, open, paths, strict, withoutWasm } from "./chromium.mjs";
import { canType, outline, typeInput } from "./typing.mjs";

const found = paths({ mica: "", engines: "", inputs: "", sources: "" });
const count = Number(process.env.MICA_SAME_COUNT ?? "30");
const forms = Number(process.env.MICA_SAME_FORMS ?? "3");
const native = process.env.MICA_SAME_NATIVE === "1";
const seed = process.env.MICA_SAME_SEED ?? "1";
const slugs = readdirSync(found.engines)
  .filter((name) => name.endsWith(".twin.js"))
  .map((name) => name.replace(".twin.js", ""));

const server = await mica(found);
const careful = await strict(server.origin, await withoutWasm(server.origin));
const chromium = await browser();

// Where a native build finds its parts, from a program that lies elsewhere.
const built = dirname(found.mica);
const environment = { ...process.env,
  MICA_MODULE_ARCHIVE: join(built, "lib/libmica-module.a"),
  MICA_RUNTIME_DIR: join(built, "src/build"),
  MICA_INCLUDE_DIR: join(found.sources, "../include") };
let compared = 0;

async function expected(slug) {
  const words = [found.engines, slug, count, seed];
  if (native)
    words.push(join(found.sources, `${slug}.c`), mkdtempSync(join(folder, slug)));
  const { stdout, stderr } = await promisify(execFile)(
    found.inputs, words, { maxBuffer: 1 << 30, env: environment });
  if (native) compared += Number(/(\d+) natively/.exec(stderr)[1]);
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

// The bytes in which MCP has what a call came to.
const inMcp = ({ ok, text }) =>
  ok ? `"structuredContent":${text},"_meta"` : `"mica/error":${text}}`;

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
    return response.text();
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
    answers[JSON.parse(line).id] = line;
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
    return response.text();
  });
}

// The error as a problem document has it: its words are the same bytes.
function inRest({ ok, text }) {
  if (ok) return [text];
  const { path } = JSON.parse(text);
  const [, code, message, pointer] =
    /^\{"code":(".*?"),"message":(".*"),"path":(".*")\}$/s.exec(text);
  return [`"code":${code}`, `"detail":${message}`,
    ...(path === "" ? [] : [`"pointer":${pointer}`])];
}

function overCommand(slug, inputs) {
  return new Promise((resolve, reject) => {
    const child = spawn(found.mica,
      ["call", slug, "--lines", "--engines", found.engines],
      { stdio: ["pipe", "pipe", "ignore"] });
    const answers = [];
    createInterface({ input: child.stdout })
      .on("line", (line) => answers.push(line))
      .on("close", () => resolve(answers));
    child.on("error", reject);
    child.stdin.end(inputs.map((input) => input.replaceAll("\n", " "))
      .join("\n") + "\n");
  });
}

const inCommand = ({ ok, text }) => ok ? text : `{"error":${text}}`;

function has(name, expected, answers, bytesOf) {
  same(answers.length, expected.length, `${name}: how many`);
  for (const [i, call] of expected.entries())
    for (const bytes of [bytesOf(call)].flat())
      if (!answers[i].includes(bytes))
        throw new Error(`${name}: ${call.input}\n  gives ${answers[i]}\n` +
          `  which has not ${bytes}`);
}

// ---- The page ------------------------------------------------------------------

// What is shown of a result, where it is one word or number. A number has the digits of
// its JSON, which may be more than a number of JavaScript holds: people see about ten of
// them if it has a fraction, and its element has all.
async function compareShown(page, text) {
  for (const [name, value] of Object.entries(JSON.parse(text))) {
    if (typeof value !== "number" && !(typeof value === "string" && /^\S+$/.test(value)))
      continue;
    const shown = page.locator(
      `[data-result="${name}"]:not([data-result] *) .value`);
    const { seen, exact } = await shown.evaluate((element) => ({ seen: element.innerText,
      exact: element.querySelector("[data-exact]")?.dataset.exact }));
    same(exact ?? seen, typeof value === "string" ? value
      : new RegExp(`"${name}":([-+.\\deE]+)`).exec(text)[1],
    `what is shown as ${name}`);
    if (exact !== undefined && Math.abs(seen - exact) > Math.abs(exact) * 1e-8)
      throw new Error(`${name}: people see ${seen} of ${exact}`);
  }
}

async function typed(slug, calls) {
  const context = await chromium.newContext(
    { permissions: ["clipboard-read", "clipboard-write"] });
  const page = await open(context, `${server.origin}/tools/${slug}`);
  const fields = await outline(page);
  // A name that stands twice is one that no form has.
  const some = calls.filter(({ input, text }) => canType(fields, input) &&
    JSON.parse(text).code !== "DUPLICATE_FIELD").slice(0, forms);
  need(some.length === forms, `${some.length} inputs can be typed`);
  for (const { input, ok, text } of some) {
    const answer = await typeInput(page, fields, input);
    if (answer !== text)
      throw new Error(`typed: ${input}\n  gives ${answer}\n  and in the ` +
        `sandbox ${text}`);
    if (ok) await compareShown(page, text);
  }
  same(page.said, [], "the console");
  await context.close();
}

// ---- All of them ---------------------------------------------------------------

for (const slug of slugs) {
  let calls;
  await test(`${slug}: every surface gives the same`, async () => {
    calls = await expected(slug);
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
    has("MCP over HTTP", some, await overHttp(slug, texts), inMcp);
    has("MCP on a pipe", some, await overPipe(slug, texts), inMcp);
    has("REST", some, await overRest(slug, texts), inRest);
    has("command line", some, await overCommand(slug, texts), inCommand);
  }, 600000);
  await test(`${slug}: so does its page, when they are typed into it`,
    () => typed(slug, calls), 600000);
}
if (native)
  await test("natively as well", async () =>
    need(compared > count * slugs.length / 2, `${compared} compared`));
console.log(`# ${slugs.length} engines, ${count} inputs each, ${forms} typed` +
  (native ? `, ${compared} natively` : ""));

await chromium.close();
await careful.end();
await server.end();
done();

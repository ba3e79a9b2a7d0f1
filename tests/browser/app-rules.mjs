// SPDX-License-Identifier: Apache-2.0
//
// app-rules.wasm finds in each draft what the server finds, and makes the same preview, to
// the byte; its loader says what is no draft.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { loadRules } from "../../web/console/app_rules.js";
import { done, need, options, same, test } from "../peers/tap.mjs";

const found = options({ module: "", answers: "", corpus: "", layouts: "" });
const bytes = readFileSync(found.module);
const rules = await loadRules(bytes);
const scratch = mkdtempSync(join(tmpdir(), "app-rules-"));

// Drafts: the corpus of the fuzz target; each layout's mock data whole, and with each of its
// members replaced; names of all kinds.
function makeDrafts() {
  const drafts = readdirSync(found.corpus)
    .map((name) => readFileSync(join(found.corpus, name)));
  for (const file of readdirSync(found.layouts)) {
    const { mock } = JSON.parse(readFileSync(join(found.layouts, file)));
    const layoutTemplate = file.replace(/^layout_|\.json$/g, "");
    if (mock === undefined)
      continue;
    const draft = { name: `A ${layoutTemplate}`, layoutTemplate, toolName: "get_order_status" };
    drafts.push({ ...draft, mockData: mock });
    for (const member in mock)
      for (const value of [null, 5, "a\u202eb<script>", { deep: [] }, undefined])
        drafts.push({ ...draft, mockData: { ...mock, [member]: value } });
  }
  for (const name of ["API", "日本語", "Café Bot", "x".repeat(101), "\u0430b", "👩\u200d💻"])
    drafts.push({ name, toolName: name, toolDescription: `${name} when needed` });
  return drafts.map((draft) => Buffer.isBuffer(draft) ? draft : JSON.stringify(draft));
}

function nativeAnswers(drafts) {
  const files = drafts.map((draft, i) => {
    const path = join(scratch, `${i}.json`);
    writeFileSync(path, draft);
    return path;
  });
  return execFileSync(found.answers, files, { maxBuffer: 1 << 30 }).toString().trimEnd()
    .split("\n").map((line) => JSON.parse(line));
}

// What the loader gives or throws, as the text that the server writes.
function answerText(call) {
  try {
    const answer = call();
    return typeof answer === "string" ? answer : JSON.stringify(answer);
  } catch (error) {
    const { code, message, details } = error;
    if (code === undefined)
      throw error;
    return JSON.stringify({ error: { code, message, details } });
  }
}

await test("the module imports nothing", async () =>
  same(WebAssembly.Module.imports(new WebAssembly.Module(bytes)), [], "imports"));

await test("the module answers as the server does", async () => {
  const expected = nativeAnswers(makeDrafts());
  need(expected.length > 150, `only ${expected.length} drafts`);
  let published = 0, refused = 0;
  for (const { draft, findings, preview } of expected) {
    same(answerText(() => rules.findings(draft)), findings, draft);
    same(answerText(() => rules.preview(draft)), preview, draft);
    published += !findings.includes('"forbids":"saving"');
    refused += findings.startsWith('{"error"');
  }
  need(published > 20 && refused >= 2, `${published} kept, ${refused} refused`);
});

await test("what is no draft is an error with its code", async () => {
  try {
    rules.findings("[");
    need(false, "no error");
  } catch (error) {
    same(error.code, "INVALID_CONFIG", "code");
  }
});

await test("a draft of 256 KiB is read, a larger one refused", async () => {
  const draft = (size) => `{"name":"n"${" ".repeat(size - 12)}}`;
  same(rules.findings(draft(256 * 1024)).savable, true, "savable");
  const { error } = JSON.parse(answerText(() => rules.findings(draft(256 * 1024 + 1))));
  same([error.code, error.details], ["INVALID_CONFIG", { reason: "LIMIT_EXCEEDED" }], "large");
});

rmSync(scratch, { recursive: true });
done();

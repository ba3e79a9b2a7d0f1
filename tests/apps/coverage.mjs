// SPDX-License-Identifier: Apache-2.0
//
// coverage.mjs --schemas PROGRAM --policy PROGRAM --sandbox PROGRAM --server PROGRAM: every
// line of the view and host modules is run by the tests beside this file, in Node or in
// Chromium.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { absolute, done, need, options, same, test } from "../peers/tap.mjs";
import { plainLines, ranOf } from "./coverage-browser.mjs";

const programs = options({ schemas: "", policy: "", sandbox: "", server: "" });
const web = fileURLToPath(new URL("../../web/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "mica-coverage-"));
const words = {
  schema: ["--schemas", absolute(programs.schemas)],
  "host-browser": ["--policy", absolute(programs.policy), "--sandbox",
    absolute(programs.sandbox)],
  audit: ["--sandbox", absolute(programs.sandbox)],
  fetch: [absolute(programs.server)],
};
const scripts = ["peer", "tools", "messages", "browser", "webmcp", "react", "schema", "host",
  "host-server", "elicitation", "host-official", "host-hostile", "host-browser", "audit", "fetch"];

for (const name of scripts)
  await test(`${name} is green while its lines are counted`, async () => {
    const node = join(folder, "node");
    mkdirSync(node, { recursive: true });
    const { status, stdout } = spawnSync(process.execPath, [`${name}.mjs`, ...words[name] ?? []],
      { cwd: import.meta.dirname, encoding: "utf8", timeout: 400_000,
        env: { ...process.env, NODE_V8_COVERAGE: node, MICA_COVERAGE: folder } });
    need(status === 0, stdout.split("\n").filter((line) => /^(not ok|#)/.test(line)).join("\n"));
  }, 410_000);

// Lines that ran in one of the runs.
const ran = new Map();
const add = ([file, line, any]) => {
  if (!ran.has(file)) ran.set(file, new Map());
  ran.get(file).set(line, (ran.get(file).get(line) ?? 0) | any);
};
for (const name of readdirSync(join(folder, "node")))
  for (const { url, functions } of JSON.parse(readFileSync(join(folder, "node", name))).result) {
    const [, file] = /\/web\/((?:view|host)\/[\w.-]+\.js)$/.exec(url) ?? [];
    if (file === undefined) continue;
    const text = readFileSync(web + file, "utf8");
    plainLines(file, text, 0, text.length, ranOf(text.length, functions)).forEach(add);
  }
for (const name of readdirSync(folder).filter((name) => name.startsWith("browser-")))
  JSON.parse(readFileSync(join(folder, name))).forEach(add);
rmSync(folder, { recursive: true });

// The proxy writes this function into the document of a view, where it has no lines that
// could be counted. audit.mjs is about nothing else.
const withoutReporter = (text) => text.replace(/^  function reporter\(.*?^  }$/ms, (whole) =>
  whole.replace(/[^\n]/g, ""));

for (const part of ["view", "host"])
  for (const name of readdirSync(web + part).filter((name) => name.endsWith(".js"))) {
    const file = `${part}/${name}`;
    await test(`each line of ${file} runs`, async () => {
      need(ran.has(file), "no test loads it");
      const text = withoutReporter(readFileSync(web + file, "utf8")).split("\n");
      same([...ran.get(file)].filter(([line, any]) => !any && /\w/.test(text[line - 1]))
        .map(([line]) => line).sort((a, b) =>
        a - b), [], "lines that did not run");
    });
  }
done();

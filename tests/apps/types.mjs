// SPDX-License-Identifier: Apache-2.0
//
// Compiles types.ts, and what it is about.
import { spawnSync } from "node:child_process";

import { done, need, test } from "../peers/tap.mjs";

await test("the types of views are those of the official package", async () => {
  const { status, stdout, stderr } = spawnSync(process.execPath,
    ["node_modules/typescript7/bin/tsc", "-p", "."],
    { cwd: new URL(".", import.meta.url), encoding: "utf8" });
  need(status === 0, stdout + stderr);
}, 110000);
done();

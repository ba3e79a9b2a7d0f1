// SPDX-License-Identifier: Apache-2.0
//
// What the scripts of this folder share: one TAP line per check, a server
// started and ended, and the words of the command line.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const PATIENCE = 60000; // milliseconds, for a machine that is busy

let count = 0;
let failed = 0;
let awaited = ""; // what until() waits for

// Runs `check` and prints how it ended; true when it ended well.
export async function test(name, check, patience = PATIENCE) {
  awaited = "";
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took too long${awaited}`)), patience);
  });
  try {
    await Promise.race([check(), late]);
    console.log(`ok ${++count} - ${name}`);
    return true;
  } catch (error) {
    failed++;
    console.log(`not ok ${++count} - ${name}`);
    for (const line of String(error?.stack ?? error).split("\n"))
      console.log(`# ${line}`);
    return false;
  } finally {
    clearTimeout(timer);
  }
}

export const pause = (ms = 20) => new Promise((resolve) => setTimeout(resolve, ms));

// What `check` comes to, once that is true. `waitForFunction` of a browser does not await a
// promise of the page: use this with `evaluate` (scripts/checks/waits).
export async function until(check, what, patience = PATIENCE) {
  awaited = `: it waited for "${what}"`;
  for (const end = performance.now() + patience; performance.now() < end; await pause(10)) {
    const value = await check();
    if (value) {
      awaited = "";
      return value;
    }
  }
  throw new Error(`it did not happen: ${what}`);
}

// Options of a client's transport; `opened` resolves when its stream (a GET) is answered.
export function listening() {
  let told;
  const opened = new Promise((resolve) => { told = resolve; });
  return { opened, fetch: async (url, how) => {
    const response = await fetch(url, how);
    if (how?.method === "GET" && response.ok) told();
    return response;
  } };
}

// Runs all, `width` of them together: for checks that wait more than they work.
export async function together(width, all) {
  const left = [...all];
  const take = async () => {
    for (let next = left.shift(); next; next = left.shift()) await next();
  };
  await Promise.all(Array.from({ length: width }, take));
}

export function done() {
  console.log(`1..${count}`);
  process.exit(failed === 0 ? 0 : 1);
}

// --name value … as an object.
export function options(defaults) {
  const found = { ...defaults };
  const words = process.argv.slice(2);
  for (let i = 0; i < words.length; i += 2) {
    const name = words[i].replace(/^--/, "");
    if (!(name in defaults) || words[i + 1] === undefined)
      throw new Error(`unknown option ${words[i]}`);
    found[name] = words[i + 1];
  }
  return found;
}

export const absolute = resolve;

// An empty folder to run in: a catalog of another folder is not meant.
export const folder = mkdtempSync(join(tmpdir(), "mica-peers-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const served = new Set();
process.on("exit", () => served.forEach((child) => child.kill("SIGKILL")));

// Starts a program that serves HTTP and says its port; {port, end, kill}.
export function serve(command, args) {
  const child = spawn(command, args, {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, XDG_STATE_HOME: folder }, // sessions go there
  });
  let said = "";
  const ended = new Promise((resolve) => child.on("exit", resolve));
  return new Promise((resolve, reject) => {
    const look = (bytes) => {
      said += bytes;
      const port = /(?:port |127\.0\.0\.1:)(\d+)/.exec(said);
      if (port && !said.includes("ADDRESS_IN_USE")) // names the port of another program
        resolve({ port: Number(port[1]), end, kill });
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
    child.on("error", reject);
    ended.then((code) => reject(new Error(`ended with ${code}: ${said}`)));
    served.add(child);
    child.on("exit", () => served.delete(child));

    // As when the machine goes down.
    function kill() {
      child.kill("SIGKILL");
      return ended;
    }

    // Tells it to end; its status must be 0.
    async function end() {
      child.kill("SIGTERM");
      const code = await ended;
      if (code !== 0)
        throw new Error(`the server ended with ${code}: ${said.slice(-2000)}`);
    }
  });
}

const freePort = () => new Promise((found) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => found(port));
  });
});

// serve() of mica where its port has to be known before: `words(port)` are its arguments.
// Another test may take the port first; then with another one.
export async function serveAt(command, words) {
  for (let left = 10; ; left--) {
    try {
      return await serve(command, words(await freePort()));
    } catch (error) {
      if (left === 0 || !/^ended with 7:/.test(error.message)) throw error; // a conflict
    }
  }
}

export function same(a, b, what) {
  const order = (_, value) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort())
      : value;
  const [x, y] = [JSON.stringify(a, order), JSON.stringify(b, order)];
  if (x !== y) throw new Error(`${what}: ${x} is not ${y}`);
}

export function need(truth, what) {
  if (!truth) throw new Error(what);
}

// SPDX-License-Identifier: Apache-2.0
//
// What the tests of apps share: requests to the API beside the page, and usage of days
// before today.
import { execFileSync } from "node:child_process";

import { need } from "../peers/tap.mjs";

/** The API below an address: api(method, path, body, headers) gives the value, or throws. A
 * change is made to whatever is there. */
export const apiBelow = (address) => async (method, path, body, headers = {}) => {
  const response = await fetch(`${address}${path}`, { method,
    headers: { "Content-Type": "application/json", "If-Match": "*", ...headers },
    body: body && JSON.stringify(body) });
  const value = await response.json();
  need(response.ok, `${method} ${path}: ${JSON.stringify(value)}`);
  return value;
};

const USAGE = `
import json, sqlite3, sys, time
day = int(time.time() // 86400)
with sqlite3.connect(sys.argv[1], timeout=30) as store:
    for back, calls, failures, tokens in json.loads(sys.argv[3]):
        store.execute("INSERT INTO app_usage (app, day, calls, failures, tokens, token) "
                      "SELECT number, ?, ?, ?, ?, 1 FROM apps WHERE id = ?",
                      (day - back, calls, failures, tokens, sys.argv[2]))
`;

/** Writes usage of the app into the store itself: rows of days back, calls, failures and
 * tokens. */
export function addUsage(store, id, rows) {
  execFileSync("python3", ["-c", USAGE, store, id, JSON.stringify(rows)]);
}

// SPDX-License-Identifier: Apache-2.0
//
// A server that wants its callers to sign in, and the stand-in authorization server where
// they do.
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

import { folder, serve } from "../peers/tap.mjs";

const freePort = () => new Promise((give) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => give(port));
  });
});

/** Serves the tools of the folder of this test: {issuer, server, port, origin}. People who
 * sign in have the scopes of `found.scopes`, if it has any. */
export async function serveGuarded(found, ...options) {
  const issuer = await serve("python3", [found.issuer]);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  mkdirSync(join(folder, "keys"));
  writeFileSync(join(folder, "keys", "secret"), "s3cret", { mode: 0o600 });
  writeFileSync(join(folder, "keys", "auth.json"), JSON.stringify({
    resource: `${origin}/mcp`,
    issuers: [{ issuer: `http://127.0.0.1:${issuer.port}`,
      jwks: `http://127.0.0.1:${issuer.port}/jwks` }],
    login: { client_id: "mica", client_secret_file: "secret", scopes: ["openid", ...found.scopes ?? []] },
  }));
  const server = await serve(found.mica, ["serve", "--drain=0", "--listen",
    `127.0.0.1:${port}`, "--auth", join(folder, "keys", "auth.json"),
    "--store", `sqlite:${join(folder, "store.db")}`, ...options]);
  return { issuer, server, port, origin };
}

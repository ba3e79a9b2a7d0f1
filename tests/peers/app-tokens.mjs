// SPDX-License-Identifier: Apache-2.0
//
// The official clients, version 2 and version 1, at apps that are not public. Of a token app
// they know the address alone: its 401 leads to the metadata of the app, these to the issuer
// of the tests, where a person agrees; then the client calls. Of an app whose tool takes a
// scope, the 403 names the scope, and the client asks for it. An app that needs a scope is
// not there for callers without it. TAP.
//
//     node app-tokens.mjs --mica build/mica --app-store build/tests/wire/app-store
//         --tools build/tests/wire/tools --issuer tests/wire/issuer.py
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import * as modern from "@modelcontextprotocol/client";
import { UnauthorizedError as LegacyUnauthorized } from
  "@modelcontextprotocol/sdk/client/auth.js";
import { Client as LegacyClient } from
  "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyHttp } from
  "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { absolute, done, folder, need, options, same, serve, serveAt, test } from "./tap.mjs";

const words = options({ mica: "build/mica", "app-store": "build/tests/wire/app-store",
  tools: "build/tests/wire/tools", issuer: "tests/wire/issuer.py" });
const info = { name: "mica-peers", version: "1.0.0" };
const store = `sqlite:${join(folder, "apps.db")}`;
const METADATA = "/.well-known/oauth-protected-resource";

// ---- The issuer, the apps and the server ------------------------------------------------

const issuer = await serve("python3", [absolute(words.issuer), "--client", "mica",
  "--secret", "s3cret"]);
const issuerAddress = `http://127.0.0.1:${issuer.port}`;

const DATA = { type: "data", message: "Here is the order:" };
const MAPPED = {
  type: "tool", tool: "scoped_probe", arguments: { "/order": { pointer: "/message" } },
  data: { "/title": { pointer: "/order" }, "/subtitle": { pointer: "/caller" } },
};
function publish(slug, behavior, access) {
  const app = { name: "My Support Bot", description: "Helps with orders.",
    toolName: "get_order_status", toolDescription: "Retrieve the status of an order.",
    layoutTemplate: "card", mockData: { title: "Order 1" }, behavior, ...access };
  execFileSync(absolute(words["app-store"]), [store, "publish", `id-${slug}`, slug,
    JSON.stringify(app), "0123456789abcdef", "<!doctype html><p>widget</p>"]);
}
publish("with-token", DATA, { visibility: "token" });
publish("with-scope", DATA, { visibility: "scope", scope: "orders" });
publish("with-tool", MAPPED, { visibility: "token" });
// The server names itself in the metadata, so that its port is known before.
const server = await serveAt(absolute(words.mica), (port) => {
  writeFileSync(join(folder, "auth.json"), JSON.stringify({
    resource: `http://127.0.0.1:${port}/mcp`,
    issuers: [{ issuer: issuerAddress, jwks: `${issuerAddress}/jwks` }],
  }));
  return ["serve", "--listen", `127.0.0.1:${port}`, "--store", store,
    "--tools", absolute(words.tools), "--auth", "auth.json", "--drain", "0", "--quiet"];
});
const origin = `http://127.0.0.1:${server.port}`;
const at = (slug) => new URL(`${origin}/servers/${slug}/mcp`);

// ---- Clients, and the person before them ---------------------------------------------------

// What a client keeps; `asked` are the pages that the person was sent to.
class Keeper {
  asked = [];
  scopes = "";

  get redirectUrl() { return "http://127.0.0.1:9/callback"; }

  get clientMetadata() {
    return { client_name: "mica-peers", redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code"], response_types: ["code"],
      token_endpoint_auth_method: "client_secret_basic", scope: this.scopes || undefined };
  }

  state() { return "the state"; }
  clientInformation() { return { client_id: "mica", client_secret: "s3cret" }; }
  tokens() { return this.kept; }

  // Without the token that renews it, which the issuer would give the old scopes for.
  saveTokens({ refresh_token: renewing, ...kept }) {
    need(renewing, "no refresh token");
    this.kept = kept;
  }

  redirectToAuthorization(url) { this.asked.push(url); }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  codeVerifier() { return this.verifier; }
  saveDiscoveryState(state) { this.discovered = state; }
  discoveryState() { return this.discovered; }
}

// The person agrees; the parameters with which the browser comes back.
async function agree(page) {
  const shown = await fetch(page);
  need((await shown.text()).includes("<button>"), "no page with a button");
  const reply = await fetch(page, { method: "POST", redirect: "manual" });
  same(reply.status, 303, "the issuer's answer");
  const back = new URL(reply.headers.get("location")).searchParams;
  same(back.get("state"), "the state", "the state");
  return back;
}

const CLIENTS = [
  {
    name: "client v2",
    open: () => new modern.Client(info, {
      versionNegotiation: { mode: { pin: "2026-07-28" } },
    }),
    transport: (url, authProvider) => new modern.StreamableHTTPClientTransport(url,
      { authProvider }),
    finish: (transport, back) => transport.finishAuth(back),
    absent: /did not offer pinned protocol version/,
    Unauthorized: modern.UnauthorizedError,
  },
  {
    name: "sdk v1",
    open: () => new LegacyClient(info),
    transport: (url, authProvider) => new LegacyHttp(url, { authProvider }),
    finish: (transport, back) => transport.finishAuth(back.get("code")),
    absent: /APP_NOT_FOUND/,
    Unauthorized: LegacyUnauthorized,
  },
];
const fails = (promise) => promise.then(() => { throw new Error("it went well"); },
  (error) => error);
const call = (client) => client.callTool({ name: "get_order_status",
  arguments: { message: "Order 7" } });

// Runs `act` on a connected client; where it has to ask the person, once more after that.
async function asking(one, url, keeper, act, times = 1) {
  for (let left = times; ; left--) {
    const client = one.open();
    const transport = one.transport(url, keeper);
    const before = keeper.asked.length;
    try {
      await client.connect(transport);
      return await act(client);
    } catch (error) {
      if (!(error instanceof one.Unauthorized) || left === 0) throw error;
      same(keeper.asked.length, before + 1, "pages");
      await one.finish(transport, await agree(keeper.asked.at(-1)));
    } finally {
      await client.close();
    }
  }
}

// What the server was asked for beside MCP, since `watch`.
const fetched = [];
const own = globalThis.fetch;
globalThis.fetch = (url, ...rest) => {
  if (!String(url?.url ?? url).endsWith("/mcp") || String(url).includes(METADATA))
    fetched.push(String(url?.url ?? url));
  return own(url, ...rest);
};

// ---- The tests -------------------------------------------------------------------------

for (const one of CLIENTS) {
  await test(`${one.name} finds the issuer of a token app, and calls it`, async () => {
    const keeper = new Keeper();
    fetched.length = 0;
    const result = await asking(one, at("with-token"), keeper, call);
    same(result.structuredContent, { title: "Order 1" }, "the data");
    same(fetched[0], `${origin}${METADATA}/servers/with-token/mcp`, "what it read first");
    need(fetched.some((url) => url.startsWith(
      `${issuerAddress}/.well-known/oauth-authorization-server`)), `read ${fetched}`);
    const page = keeper.asked[0];
    need(page.href.startsWith(`${issuerAddress}/authorize?`), page.href);
    same(page.searchParams.get("resource"), at("with-token").href, "the resource");
    // With that token it comes straight in, and it is for this app alone.
    need((await asking(one, at("with-token"), keeper, call, 0)).structuredContent, "again");
    const elsewhere = new Keeper();
    elsewhere.kept = keeper.kept;
    need(await fails(asking(one, at("with-tool"), elsewhere, call, 0))
      instanceof one.Unauthorized, "the token of another app");
    need((await fetch(`${origin}/api`,
      { headers: { Authorization: `Bearer ${keeper.kept.access_token}` } })).status === 401,
    "the token of an app at the server");
  });

  await test(`${one.name} asks for the scope that a tool lacks`, async () => {
    const keeper = new Keeper();
    keeper.scopes = "first";
    // It lists with the first token, and is told which scope the call takes.
    same((await asking(one, at("with-tool"), keeper, (client) => client.listTools()))
      .tools[0].name, "get_order_status", "the tool");
    same(keeper.asked.length, 1, "pages");
    const plain = await fetch(at("with-tool"), { method: "POST", headers: {
      Authorization: `Bearer ${keeper.kept.access_token}`, "Content-Type": "application/json",
      Accept: "application/json, text/event-stream", "Mcp-Method": "tools/call",
      "Mcp-Name": "get_order_status", "MCP-Protocol-Version": "2026-07-28" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: {
      name: "get_order_status", arguments: { message: "x" }, _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {} } } }) });
    same(plain.status, 403, "without the scope");
    need(plain.headers.get("www-authenticate").startsWith(
      'Bearer error="insufficient_scope", scope="orders.read"'),
    plain.headers.get("www-authenticate"));
    const result = await asking(one, at("with-tool"), keeper, call);
    same(result.structuredContent, { title: "Order 7", subtitle: "ada" }, "the data");
    same(keeper.asked.length, 2, "pages");
    need(keeper.asked[1].searchParams.get("scope").split(" ").includes("orders.read"),
      keeper.asked[1].searchParams.get("scope"));
  });

  await test(`${one.name} finds an app with a scope only with it`, async () => {
    const grant = async (scope) => {
      const keeper = new Keeper();
      // Of another app of the issuer's, with the whole server as its resource.
      const verifier = "v".repeat(43);
      const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
      const page = new URL(`${issuerAddress}/authorize`);
      page.search = new URLSearchParams({ client_id: "mica", response_type: "code",
        redirect_uri: keeper.redirectUrl, state: "the state", scope,
        resource: `${origin}/mcp`, code_challenge_method: "S256",
        code_challenge: Buffer.from(digest).toString("base64url") });
      const back = await agree(page);
      const reply = await fetch(`${issuerAddress}/token`, { method: "POST",
        headers: { Authorization: `Basic ${btoa("mica:s3cret")}` },
        body: new URLSearchParams({ grant_type: "authorization_code", code: back.get("code"),
          redirect_uri: keeper.redirectUrl, code_verifier: verifier }) });
      keeper.saveTokens(await reply.json());
      return keeper;
    };
    const lacking = await grant("other");
    const refused = await fails(asking(one, at("with-scope"), lacking, call, 0));
    need(one.absent.test(refused.message), refused.message);
    same(lacking.asked, [], "pages that the person was sent to");
    same((await asking(one, at("with-scope"), await grant("other orders"), call))
      .structuredContent, { title: "Order 1" }, "the data");
  });
}

await server.end();
await issuer.kill();
done();

// SPDX-License-Identifier: Apache-2.0
//
// examples/graphql: a view that sends GraphQL and REST with fetch to a server in C. In
// Chromium, in our host behind mica's sandbox under the policy of a view that declares
// nothing; what the endpoint refuses; and that it is there for views alone.
import assert from "node:assert/strict";

import { absolute, done, options, serve, test, until } from "../peers/tap.mjs";
import { hostPage, openExample, serverAt } from "./example-views.mjs";
import { browser } from "./frames.mjs";

const programs = options({ books: "", sandbox: "" });
const books = await serve(absolute(programs.books), ["127.0.0.1:0"]);
const address = `http://127.0.0.1:${books.port}`;
const server = serverAt(`${address}/mcp`);

/** What fetch(path, init) of a view sends: {status, headers, body}, or {code}. */
async function request(url, init = {}) {
  const { structuredContent, isError, _meta } = await server.call({ name: "http_request",
    arguments: { method: "POST", url, bodyType: "text",
      headers: { "content-type": "application/json" }, ...init } });
  return isError ? { code: _meta["mica/error"].code } : structuredContent;
}
const post = async (body) => {
  const reply = await request("/graphql", { body: JSON.stringify(body) });
  return { status: reply.status, ...JSON.parse(reply.body) };
};
const data = async (query, more) => {
  const reply = await post({ query, ...more });
  assert.equal(reply.errors, undefined, JSON.stringify(reply));
  return reply.data;
};
const fault = async (query, more) => {
  const reply = await post({ query, ...more });
  assert.equal(reply.data, undefined, JSON.stringify(reply));
  const [{ message, extensions: { code }, locations }] = reply.errors;
  return { code, message, at: locations && `${locations[0].line}:${locations[0].column}` };
};
const copies = async (id) => (await data(`{ book(id: "${id}") { copies } }`)).book.copies;

// ---- The endpoint --------------------------------------------------------------------

await test("selection sets, arguments, variables and one mutation", async () => {
  assert.deepEqual(await data('query { book(id: "b3") { title author { name } } }'),
    { book: { title: "Solaris", author: { name: "Stanisław Lem" } } });
  assert.deepEqual(await data("# the shop\nquery Of($id: ID!) { __typename, book(id: $id) " +
    "{ author { books { id year } } } }", { variables: { id: "b1" }, operationName: "Of" }),
  { __typename: "Query", book: { author: { books: [{ id: "b1", year: 1974 },
    { id: "b2", year: 1969 }] } } });
  assert.deepEqual(await data('{ book(id: "b\\u0034") { title } }'),
    { book: { title: "The Cyberiad" } });
  assert.deepEqual(await data('{ book(id: "none") { title } }'), { book: null });
  assert.equal((await data("{ books { id } }")).books.length, 5);
  assert.deepEqual(await data('mutation { setCopies(id: "b2", copies: 9) { id copies __typename } }'),
    { setCopies: { id: "b2", copies: 9, __typename: "Book" } });
  assert.equal(await copies("b2"), 9);
  const unknown = await post({ query: 'mutation { setCopies(id: "b", copies: 1) { id } }' });
  assert.deepEqual([unknown.data, unknown.errors[0].path, unknown.errors[0].extensions.code],
    [{ setCopies: null }, ["setCopies"], "BOOK_UNKNOWN"]);
});

await test("what a document may not ask: validated whole, before any of it runs", async () => {
  assert.deepEqual(await fault("{\n  books { id isbn }\n}"), { at: "2:14",
    code: "GRAPHQL_VALIDATION_FAILED", message: 'Cannot query field "isbn" on type "Book".' });
  const setCopies = (given, selected = "id", more) =>
    fault(`mutation M${more?.defined ?? ""} { setCopies(${given}) { ${selected} } }`, more);
  for (const [given, selected] of [['id: "b5", copies: 1', "id isbn"],
    ['id: "b5", copies: -1', "id"], ['id: "b5", copies: 1000', "id"], ['id: "b5", copies: 1.5', "id"],
    ['id: "b5", copies: "1"', "id"], ['id: "b5"', "id"], ["id: 5, copies: 1", "id"],
    ['id: "b5", copies: 1, color: 1', "id"], ['id: "b5", copies: null', "id"]])
    assert.equal((await setCopies(given, selected)).code, "GRAPHQL_VALIDATION_FAILED", given);
  for (const [defined, variables] of [["($n: Int!)", {}], ["($n: Int!)", null],
    ["($n: ID!)", { n: 1 }], ["($n: Int!)", { n: [1] }], ["($n: Int!)", { __proto__: { n: 1 } }]])
    assert.equal((await setCopies('id: "b5", copies: $n', "id", { defined, variables })).code,
      "GRAPHQL_VALIDATION_FAILED", defined);
  for (const query of ["{ books }", "{ books { id { x } } }", "{ setCopies { id } }", "{ __schema }",
    "{ books { __proto__ } }", "mutation { books { id } }"])
    assert.equal((await fault(query)).code, "GRAPHQL_VALIDATION_FAILED", query);
  assert.equal((await fault("query A { books { id } }", { operationName: "B" })).code,
    "GRAPHQL_VALIDATION_FAILED");
  assert.equal(await copies("b5"), 3);
});

await test("what the subset does not know is refused by name", async () => {
  for (const [query, what] of [["{ all: books { id } }", "aliases"],
    ["{ ...all }", "fragments"], ["fragment f on Book { id }", "fragments"],
    ["{ books @skip(if: true) { id } }", "directives"], ["query @a { books { id } }", "directives"],
    ["subscription { books { id } }", "subscriptions"], ["{ book(id: [1]) { id } }", "lists"],
    ["query ($a: [ID]) { books { id } }", "lists"], ["{ book(id: {a: 1}) { id } }", "objects as values"],
    ["{ book(id: RED) { id } }", "enum values"], ['{ book(id: """b1""") { id } }', "block strings"],
    ['query ($a: ID = "b1") { books { id } }', "default values"],
    ["{ books { id } } { books { id } }", "more than one operation"],
    ["{ books { id id } }", "one field twice in a selection set"]])
    assert.deepEqual([what, (await fault(query)).message],
      [what, `This server does not support ${what}.`]);
});

await test("malformed documents and bodies", async () => {
  for (const query of ["", "{", "{}", "{ books {} }", "{ book(id: ) { id } }", "{ book() { id } }",
    '{ book(id: "b1 { id } }', '{ book(id: "\\ud800") { id } }', "{ book(id: 01) { id } }", "{ book(id: $x) { id } }",
    "{ book(id: 1, id: 2) { id } }", "query ($a: ID, $a: ID) { books { id } }", "queri { books { id } }",
    "{ b\u202eooks }", "{ books { id } } }", "\u0000{ books { id } }", "{ a . }", "{ book(id: \"a\nb\") { id } }"])
    assert.equal((await fault(query)).code, "GRAPHQL_PARSE_FAILED", query);
  for (const body of ["", "{", "[]", "{}", '{"query":1}', '{"query":"{books{id}}","variables":[]}',
    '{"query":"{books{id}}","query":"{books{id}}"}']) {
    const reply = await request("/graphql", { body });
    assert.deepEqual([reply.status, JSON.parse(reply.body).errors[0].extensions.code],
      [400, "BAD_REQUEST"], body);
  }
  const got = await request("/graphql", { method: "GET", body: undefined, bodyType: "none" });
  assert.deepEqual([got.status, got.headers.allow], [405, "POST"]);
  assert.equal((await request("/graphql/more", { body: "{}" })).status, 404);
});

await test("limits of a document", async () => {
  const deep = (sets) => `{ books { ${"author { books { ".repeat((sets - 2) / 2)}id` +
    " } }".repeat((sets - 2) / 2) + " } }";
  assert.equal((await data(deep(6))).books.length, 5);
  assert.equal((await fault(deep(8))).code, "LIMIT_EXCEEDED");
  assert.equal((await fault(deep(200))).code, "LIMIT_EXCEEDED");
  const long = (bytes) => `{ books { id } } #${"x".repeat(bytes - 18)}`;
  assert.equal((await data(long(4096))).books.length, 5);
  assert.deepEqual(await fault(long(4097)), { code: "LIMIT_EXCEEDED", at: "1:1",
    message: "The document has more than 4096 bytes." });
  const many = (count) => `{ ${Array.from({ length: count }, (_, i) => `f${i}`).join(" ")} }`;
  assert.equal((await fault(many(64))).code, "GRAPHQL_VALIDATION_FAILED");
  assert.equal((await fault(many(65))).code, "LIMIT_EXCEEDED");
  assert.equal((await fault("{ book(a: 1, b: 1, c: 1, d: 1, e: 1) { id } }")).code, "LIMIT_EXCEEDED");
  const defined = (count) => Array.from({ length: count }, (_, i) => `$v${i}: ID`).join(" ");
  assert.equal((await data(`query (${defined(8)}) { books { id } }`)).books.length, 5);
  assert.equal((await fault(`query (${defined(9)}) { books { id } }`)).code, "LIMIT_EXCEEDED");
});

await test("the mount is for views alone: over HTTP there is nothing", async () => {
  for (const path of ["/graphql", "/api/graphql", "/mcp/graphql"]) {
    const { status } = await fetch(address + path, { method: "POST",
      headers: { "Content-Type": "application/json" }, body: '{"query":"{books{id}}"}' });
    assert.equal(status, 404, path);
  }
  const called = await fetch(`${address}/api/http_request`, { method: "POST",
    headers: { "Content-Type": "application/json" }, body: '{"url":"/graphql"}' });
  assert.ok([403, 404].includes(called.status), String(called.status));
  const listed = await (await fetch(`${address}/api`)).json();
  assert.deepEqual(listed.tools.map(({ name }) => name).sort(), ["price_order", "show_books"]);
  assert.equal((await request("/graphq", { body: "{}" })).code, "NOT_MOUNTED");
});

// ---- In Chromium ---------------------------------------------------------------------

const chrome = await browser();
const context = await chrome.context({ permissions: ["local-network-access"] });
const mica = await serve(absolute(programs.sandbox), []);
const page = await hostPage(context, mica.port);
const carried = [];
await page.exposeFunction("callServer", (_, params) => {
  carried.push(params.arguments.url);
  return server.call(params);
});
const asked = [];
context.on("request", (sent) => asked.push({ url: sent.url(), frame: sent.frame() }));

await test("the view: a list by GraphQL, a mutation, a tool by REST, and no network", async () => {
  const frame = await openExample(page, "books", await server.document("show_books"), { theme: "dark" });
  const status = (text) => until(() => frame.evaluate((text) =>
    document.getElementById("status").textContent === text, text), `the status ${text}`);
  const row = frame.locator("li").nth(2);
  await status("5 books.");
  assert.equal(await row.locator("span").textContent(), "Solaris, Stanisław Lem");
  assert.equal(await row.locator("output").textContent(), "7");

  // By keyboard: a click could miss a button while the frame grows.
  await row.getByLabel("One copy more: Solaris").press("Enter");
  await status("Solaris: 8 copies.");
  assert.equal(await row.locator("output").textContent(), "8");
  assert.equal(await copies("b3"), 8);
  const empty = frame.locator("li").nth(0);
  for (let left = 3; left >= 0; left--) {
    await empty.getByLabel("One copy less: The Dispossessed").press("Enter");
    await status(`The Dispossessed: ${left} copies.`);
  }
  await empty.getByLabel("One copy less: The Dispossessed").press("Enter");
  await status('"copies" takes an Int from 0 to 999.');
  assert.equal(await empty.locator("output").textContent(), "0");

  await row.getByLabel("Price of 10: Solaris").press("Enter");
  await status("10 copies of Solaris cost 94.50 €.");
  assert.deepEqual(await frame.evaluate(async () => {
    const failed = await fetch("/api/http_request", { method: "POST", body: "{}",
      headers: { "content-type": "application/json" } });
    const away = await fetch("/mcp").catch((error) => [error.constructor.name, error.cause.code]);
    return [origin, failed.status, away, document.documentElement.dataset.theme];
  }), ["null", 403, ["TypeError", "NOT_MOUNTED"], "dark"]);

  assert.deepEqual([...new Set(carried)].sort(),
    ["/api/http_request", "/api/price_order", "/graphql", "/mcp"]);
  assert.ok(asked.some(({ url }) => url.includes("/sandbox")), "the log sees requests");
  assert.deepEqual(asked.filter((sent) => sent.frame === frame).map(({ url }) => url), []);
  assert.deepEqual(asked.filter(({ url }) => url.includes(`:${books.port}`)), []);
  assert.deepEqual(page.said.filter((line) => /error|refused|violat/i.test(line)), []);

  // A request that is not carried is stopped by the policy.
  assert.equal(await frame.evaluate((url) => fetch(url).catch((error) => error.constructor.name),
    `${address}/api`), "TypeError");
  assert.match(page.said.join("\n"), /Content Security Policy/);
});

await chrome.end();
await mica.end();
await books.end();
done();

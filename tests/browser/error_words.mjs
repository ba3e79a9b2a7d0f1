// SPDX-License-Identifier: Apache-2.0
//
// What people read of errors: each code that a form can meet, as the decoder in the module of
// an engine gives it, in the words that web/form_error.js makes of it.
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { parse } from "../../web/exact.js";
import { errorWords, placeWords } from "../../web/form_error.js";
import { done, need, options, same, test } from "../peers/tap.mjs";

const found = options({ engines: "" });
const load = (name) => import(pathToFileURL(join(resolve(found.engines), name)).href);
const [{ default: engine }, { callText }] =
  [await load("every-kind.js"), await load("_engine.js")];
const least = { text: "a", number: 1, size: "small", point: { x: 1 }, maybe: null };

// The error of an input that is given as JSON text, with its words.
function refused(input) {
  const { ok, text } = callText(engine, input);
  need(!ok, `it is taken: ${input}`);
  const error = JSON.parse(text);
  return { ...error, words: errorWords(error, engine.inputSchema, parse(input)) };
}

const withField = (name, text) => JSON.stringify({ ...least, [name]: "?" })
  .replace("\"?\"", text);

const cases = [
  ["MISSING_FIELD", "size", undefined, "Choose one"],
  ["MISSING_FIELD", "number", undefined, "Enter a number from -10 to 1\u202f000\u202f000"],
  ["MISSING_FIELD", "point", "{}", "Enter a number"],
  ["MISSING_FIELD", "points", "[{\"x\":1},{\"y\":2}]", "Row 2: Enter a number"],
  ["WRONG_TYPE", "number", "\"many\"", "Enter a number from -10 to 1\u202f000\u202f000"],
  ["WRONG_TYPE", "price", "\"many\"", "Enter a number of at least 0.01"],
  ["WRONG_TYPE", "integer", "1.5", "Enter a whole number"],
  ["WRONG_TYPE", "yes", "\"perhaps\"", "Choose yes or no"],
  ["WRONG_TYPE", "rows", "[[1],[2,\"x\"]]", "Row 2, row 2: Enter a number of at most 9"],
  ["OUT_OF_RANGE", "text", "\"\"", "Enter at least 1 character"],
  ["OUT_OF_RANGE", "note", `"${"é".repeat(21)}"`, "Enter at most 20 characters"],
  ["OUT_OF_RANGE", "number", "-11", "Enter a number from -10 to 1\u202f000\u202f000"],
  ["OUT_OF_RANGE", "number", "1e999", "Enter a number from -10 to 1\u202f000\u202f000"],
  ["OUT_OF_RANGE", "integer", "9007199254740993", "Enter a number with fewer digits"],
  ["OUT_OF_RANGE", "price", "0", "Enter a number of at least 0.01"],
  ["OUT_OF_RANGE", "price", "1e200", "Enter a number with fewer digits"],
  ["OUT_OF_RANGE", "points", "[{\"x\":1},{\"x\":1},{\"x\":1},{\"x\":1}]",
    "Remove some: there may be 3 items"],
  ["OUT_OF_RANGE", "counts", "{\"a\":0}", "Enter a whole number of at least 1"],
  ["NOT_A_CHOICE", "size", "\"huge\"", "Choose one"],
  ["BAD_FORMAT", "day", "\"2026-02-30\"", "Enter a date such as 2026-11-26"],
  ["BAD_FORMAT", "time", "\"noon\"",
    "Enter a date and time such as 2026-11-26T09:30:00Z"],
  ["BAD_FORMAT", "counts", "{\"A1\":1}", "Name: This is not written as the field asks for"],
  ["UNKNOWN_FIELD", "other_name", "1", "There is no field “other_name” here"],
];

for (const [code, name, text, words] of cases)
  await test(`${code} of ${name} is told to people: ${words}`, () => {
    const input = text === undefined
      ? JSON.stringify({ ...least, [name]: undefined }) : withField(name, text);
    const error = refused(input);
    same([error.code, error.words], [code, words], "code and words");
    need(error.message !== words, "programs keep the message of the decoder");
    need(!error.words.includes("\""), "no name or value of JSON");
  });

// Without the value, as a question's page that was loaded anew.
await test("an error is told without the value, too", () => {
  const told = (code, schema) => errorWords({ code, path: "/a", message: "raw" },
    { type: "object", properties: { a: schema }, required: ["a"] }, undefined);
  same([
    told("MISSING_FIELD", { oneOf: [{ const: "x", title: "X" }] }),
    told("OUT_OF_RANGE", { type: "integer", minimum: 1, maximum: 5 }),
    told("OUT_OF_RANGE", { type: "number", exclusiveMinimum: 0, maximum: 9 }),
    told("OUT_OF_RANGE", { type: "array", minItems: 2 }),
    told("OUT_OF_RANGE", { type: "string", minLength: 3 }),
    told("MISSING_FIELD", { type: "string", minLength: 3 }),
    told("BAD_FORMAT", { type: "string", format: "email" }),
    told("WRONG_TYPE", { type: ["integer", "null"] }),
    told("MISSING_FIELD", { type: "object", additionalProperties: { type: "string" } }),
  ], ["Choose one", "Enter a whole number from 1 to 5", "Enter a number above 0 and at most 9",
    "Add at least 2 items", "Enter at least 3 characters", "Enter at least 3 characters",
    "Enter an email address such as name@example.org", "Enter a whole number",
    "Add at least 1 entry"], "words");
});

// Their authors write them for people, and the schema does not explain them.
await test("a tool's own refusal stays as it is written", () => {
  const schema = { type: "object", required: ["b"], properties: {
    b: { type: "number", minimum: 0, maximum: 9 }, c: { type: "string", enum: ["x"] },
    d: { type: "string", pattern: "^[0-9]+$" }, e: { type: "string", format: "date" } } };
  const input = { b: 3, c: "x", d: "7", e: "2026-11-26" };
  for (const [code, path] of [["OUT_OF_RANGE", "/b"], ["DIVISION_BY_ZERO", "/b"],
    ["NOT_A_CHOICE", "/c"], ["BAD_FORMAT", "/d"], ["BAD_FORMAT", "/e"], ["WRONG_TYPE", "/b"],
    ["MISSING_FIELD", "/b"], ["FAILED", ""], ["OUT_OF_RANGE", "/none"]])
    same(errorWords({ code, path, message: "Choose a later day." }, schema, input),
      "Choose a later day.", `${code} at ${path}`);
});

await test("foreign names are no members of every object", () => {
  const schema = JSON.parse("{\"type\":\"object\",\"properties\":{}}");
  for (const name of ["__proto__", "constructor", "toString"])
    same(errorWords({ code: "UNKNOWN_FIELD", path: `/${name}`, message: "raw" }, schema, {}),
      `There is no field “${name}” here`, name);
});

await test("a place is named by the titles of its fields", () => {
  same(["/points/1/x", "/size", "/counts/a~1b", ""].map((path) =>
    placeWords(path, engine.inputSchema)), ["Points, row 2, X", "Size", "Counts, A/b", ""],
  "places");
});

done();

// SPDX-License-Identifier: Apache-2.0
//
// JSON to values and back without a digit lost. JSON.parse makes a double of every
// number; here a number that a double would show otherwise stays as it is written.

/** A number of JSON, whole. */
export const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
// Stands for such a number inside JSON; no text has it but by intent.
const MARK = `\u{1}${Math.random()}\u{1}`;

/** A number whose text a JavaScript number would not give back. */
export class Written {
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

/** As JSON.parse, but numbers keep their digits (see Written). */
export function parse(text) {
  JSON.parse(text); // what is wrong is said in the browser's words
  const marked = text.replace(TOKEN, (token) =>
    token.startsWith('"') || String(Number(token)) === token
      ? token : JSON.stringify(MARK + token));
  return JSON.parse(marked, (name, value) =>
    typeof value === "string" && value.startsWith(MARK) &&
    NUMBER.test(value.slice(MARK.length))
      ? new Written(value.slice(MARK.length)) : value);
}

/** As JSON.stringify, for what `parse` gave. */
export function stringify(value, indent) {
  const text = JSON.stringify(value, (name, part) =>
    part instanceof Written ? MARK + part.text : part, indent);
  const mark = JSON.stringify(MARK).slice(1, -1);
  return text?.replace(/"(?:[^"\\]|\\.)*"/g, (token) => {
    const number = token.slice(1 + mark.length, -1);
    return token.startsWith(`"${mark}`) && NUMBER.test(number) ? number : token;
  });
}

// SPDX-License-Identifier: Apache-2.0
//
// Each operation of WebAssembly that web/translate.js knows, on values at the edges of its
// type, beside WebAssembly itself; and what control flow, memory and calls do. A trap is a
// trap in both.
import { done, need, same, test } from "../peers/tap.mjs";
import { translate } from "../../web/translate.js";

const I32 = 0x7f, I64 = 0x7e, F32 = 0x7d, F64 = 0x7c;
const EDGES = {
  [I32]: [0, 1, -1, 2, 7, 31, 32, 33, 255, -128, 0x7fffffff, -0x80000000, 0x12345678, -3],
  [I64]: [0n, 1n, -1n, 2n, 63n, 64n, 65n, 255n, -128n, 2n ** 31n, -(2n ** 31n), 2n ** 32n + 5n,
    2n ** 63n - 1n, -(2n ** 63n), 0x123456789abcdef0n],
  [F32]: [0, -0, 0.5, -0.5, 1.5, 2.5, -1.5, 1, -1, Math.fround(3.3), 2 ** 31, -(2 ** 31), 2 ** 32,
    2 ** 63, Math.fround(1e30), Infinity, -Infinity, NaN],
  [F64]: [0, -0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, 1, -1, 3.3, 2147483647.5,
    -2147483648.9, 4294967295.9, -0.9, 2 ** 53 + 2, 2 ** 63, -(2 ** 63), 2 ** 64, 5e-324, 1e308,
    Infinity, -Infinity, NaN],
};

// ---- Modules -----------------------------------------------------------------------

const leb = (value) => {
  const out = [];
  do {
    out.push(value & 127 | (value > 127 ? 128 : 0));
    value >>>= 7;
  } while (value);
  return out;
};
const vector = (items) => [...leb(items.length), ...items.flat()];
const text = (words) => vector([...new TextEncoder().encode(words)].map((byte) => [byte]));
const section = (id, bytes) => [id, ...leb(bytes.length), ...bytes];
const body = (code, locals = []) => {
  const bytes = [...vector(locals.map((type) => [1, type])), ...code, 0x0b];
  return [...leb(bytes.length), ...bytes];
};

/** A module of functions {takes, gives, code, locals}, exported by their numbers. */
const moduleOf = (functions, { table = [], data = [] } = {}) => new Uint8Array([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
  ...section(1, vector(functions.map(({ takes = [], gives = [] }) =>
    [0x60, ...vector(takes.map((type) => [type])), ...vector(gives.map((type) => [type]))]))),
  ...section(3, vector(functions.map((_, at) => leb(at)))),
  ...section(4, vector([[0x70, 0, ...leb(table.length)]])),
  ...section(5, vector([[1, 1, 2]])),
  ...section(7, vector([...functions.map((_, at) => [...text(String(at)), 0, ...leb(at)]),
    [...text("memory"), 2, 0]])),
  ...section(9, vector(table.length ? [[0, 0x41, 0, 0x0b, ...vector(table.map(leb))]] : [])),
  ...section(10, vector(functions.map(({ code, locals }) => body(code, locals)))),
  ...section(11, vector(data.map(([at, bytes]) => [0, 0x41, ...leb(at), 0x0b,
    ...vector(bytes.map((byte) => [byte]))]))),
]);

/** Both kinds of instances of a module: how they are made. */
function both(bytes) {
  const compiled = new WebAssembly.Module(bytes);
  return [() => new WebAssembly.Instance(compiled, {}).exports,
    (0, eval)(translate(bytes))(bytes)];
}

const show = (value) => typeof value === "bigint" ? `${value}n`
  : Object.is(value, -0) ? "-0" : String(value);

// What a call gives; a trap is one word, as its texts differ.
function outcome(exports, name, given) {
  try {
    return show(exports[name](...given));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ReferenceError ||
        error instanceof TypeError) throw error;
    return "trap";
  }
}

const tuples = (types) => types.reduce((all, type) =>
  all.flatMap((before) => EDGES[type].map((value) => [...before, value])), [[]]);

function compare(bytes, calls) {
  const [one, other] = both(bytes).map((make) => make());
  for (const [name, given] of calls)
    same(outcome(other, name, given), outcome(one, name, given),
      `${name}(${given.map(show)})`);
  return calls.length;
}

// ---- Operations --------------------------------------------------------------------

const span = (first, last) => Array.from({ length: last - first + 1 }, (_, at) => [first + at]);
const wide = (first, last) => span(first, last).map(([number]) => [0xfc, number]);
const GROUPS = [
  ["i32 of one", [I32], I32, [[0x45], ...span(0x67, 0x69), [0xc0], [0xc1]]],
  ["i32 of two", [I32, I32], I32, [...span(0x46, 0x4f), ...span(0x6a, 0x78)]],
  ["i64 of one", [I64], I64, [...span(0x79, 0x7b), ...span(0xc2, 0xc4)]],
  ["i64 of two", [I64, I64], I64, span(0x7c, 0x8a)],
  ["i64 compared", [I64, I64], I32, span(0x51, 0x5a)],
  ["i64 to i32", [I64], I32, [[0x50], [0xa7]]],
  ["f32 of one", [F32], F32, span(0x8b, 0x91)],
  ["f32 of two", [F32, F32], F32, span(0x92, 0x98)],
  ["f32 compared", [F32, F32], I32, span(0x5b, 0x60)],
  ["f64 of one", [F64], F64, span(0x99, 0x9f)],
  ["f64 of two", [F64, F64], F64, span(0xa0, 0xa6)],
  ["f64 compared", [F64, F64], I32, span(0x61, 0x66)],
  ["f32 to i32", [F32], I32, [...span(0xa8, 0xa9), ...wide(0, 1), [0xbc]]],
  ["f64 to i32", [F64], I32, [...span(0xaa, 0xab), ...wide(2, 3)]],
  ["f32 to i64", [F32], I64, [...span(0xae, 0xaf), ...wide(4, 5)]],
  ["f64 to i64", [F64], I64, [...span(0xb0, 0xb1), ...wide(6, 7), [0xbd]]],
  ["i32 to others", [I32], I64, span(0xac, 0xad)],
  ["i32 to f32", [I32], F32, [...span(0xb2, 0xb3), [0xbe]]],
  ["f64 to f32", [F64], F32, [[0xb6]]],
  ["i32 to f64", [I32], F64, span(0xb7, 0xb8)],
  ["i64 to f64", [I64], F64, [...span(0xb9, 0xba), [0xbf]]],
  ["f32 to f64", [F32], F64, [[0xbb]]],
];
// The bits of a NaN are not the same in JavaScript.
const isBits = ([first]) => first >= 0xbc && first <= 0xbf;
let operations = 0;
for (const [what, takes, gives, codes] of GROUPS)
  await test(what, async () => {
    const functions = codes.map((code) => ({ takes, gives: [gives],
      code: [...takes.flatMap((_, at) => [0x20, at]), ...code] }));
    const calls = codes.flatMap((code, at) => tuples(takes)
      .filter((given) => !isBits(code) || !given.some(Number.isNaN))
      .map((given) => [String(at), given]));
    need(compare(moduleOf(functions), calls) > 10, "there are calls");
    operations += codes.length;
  });

// ---- Memory, calls, control --------------------------------------------------------

const get = (number) => [0x20, number];
await test("loads and stores of all sizes, and their bounds", async () => {
  const loads = [[0x28, I32], [0x29, I64], [0x2a, F32], [0x2b, F64], ...[0x2c, 0x2d, 0x2e, 0x2f]
    .map((code) => [code, I32]), ...span(0x30, 0x35).map(([code]) => [code, I64])];
  const stores = [[0x36, I32], [0x37, I64], [0x38, F32], [0x39, F64], [0x3a, I32], [0x3b, I32],
    [0x3c, I64], [0x3d, I64], [0x3e, I64]];
  const functions = [
    ...loads.map(([code, type]) => ({ takes: [I32], gives: [type],
      code: [...get(0), code, 0, 3] })),
    ...stores.map(([code, type]) => ({ takes: [I32, type], gives: [I64],
      code: [...get(0), ...get(1), code, 0, 1, 0x41, 0, 0x29, 0, 4] })),
  ];
  const bytes = moduleOf(functions, { data: [[0, [1, 2, 3, 128, 255, 254, 7, 8, 9, 200, 17, 3]]] });
  const places = [0, 1, 2, 65520, 65525, 65529, 65532, 65533, 65536, -1, -4];
  const calls = [...loads.flatMap((_, at) => places.map((place) => [String(at), [place]])),
    ...stores.flatMap(([, type], at) => places.flatMap((place) => EDGES[type]
      .filter((value) => !Number.isNaN(value))
      .map((value) => [String(loads.length + at), [place, value]])))];
  compare(bytes, calls);
});

await test("memory grows to its limit, and keeps its contents", async () => {
  const bytes = moduleOf([
    { takes: [I32], gives: [I32], code: [...get(0), 0x40, 0] },
    { gives: [I32], code: [0x3f, 0] },
    { takes: [I32, I32, I32], code: [...get(0), ...get(1), ...get(2), 0xfc, 10, 0, 0] },
    { takes: [I32, I32, I32], code: [...get(0), ...get(1), ...get(2), 0xfc, 11, 0] },
    { takes: [I32], gives: [I64], code: [...get(0), 0x29, 0, 0] },
  ], { data: [[8, [1, 2, 3, 4, 5, 6, 7, 8]]] });
  compare(bytes, [["4", [8]], ["2", [10, 8, 8]], ["4", [10]], ["3", [9, 255, 3]], ["4", [8]],
    ["1", []], ["4", [65536]], ["0", [1]], ["1", []], ["4", [65536]], ["4", [10]], ["0", [1]],
    ["0", [-1]], ["2", [131070, 0, 3]], ["3", [-1, 0, 1]], ["2", [0, 131072, 0]],
    ["3", [131073, 0, 0]]]);
});

await test("blocks, loops, tables and indirect calls", async () => {
  const sum = { takes: [I32], gives: [I32], locals: [I32], // 1 + 2 + … + n, by a loop
    code: [0x02, 0x40, 0x03, 0x40, ...get(0), 0x45, 0x0d, 1, ...get(1), ...get(0), 0x6a, 0x21, 1,
      ...get(0), 0x41, 1, 0x6b, 0x21, 0, 0x0c, 0, 0x0b, 0x0b, ...get(1)] };
  const chosen = { takes: [I32], gives: [I32], // br_table into blocks that have a value
    code: [0x02, I32, 0x02, I32, 0x02, I32, 0x41, 10, ...get(0), 0x0e, 2, 0, 1, 2, 0x0b,
      0x41, 1, 0x6a, 0x0b, 0x41, 2, 0x6a, 0x0b, 0x41, 3, 0x6a] };
  const either = { takes: [I32], gives: [I32], // if with a value, and a value below it
    code: [0x41, 5, ...get(0), 0x04, I32, 0x41, 7, 0x05, ...get(0), 0x0f, 0x0b, 0x6a] };
  const early = { takes: [I32], gives: [I32], // code that nothing reaches
    code: [...get(0), 0x04, 0x40, 0x41, 9, 0x0f, 0x02, 0x40, 0x0c, 1, 0x0b, 0x0b, 0x41, 4] };
  const order = { takes: [I32], gives: [I32], // a local is read before it is set
    code: [...get(0), ...get(0), 0x41, 1, 0x6a, 0x22, 0, 0x6b, ...get(0), 0x6c] };
  const picked = { takes: [I32, I32, I32], gives: [I32],
    code: [...get(0), ...get(1), ...get(2), 0x1b] };
  const through = { takes: [I32, I32], gives: [I32], code: [...get(1), ...get(0), 0x11, 0, 0] };
  const stop = { code: [0x00] };
  const deep = { takes: [I32], gives: [I32], code: [...get(0), 0x10, 8] };
  const bytes = moduleOf([sum, chosen, either, early, order, picked, through, stop, deep],
    { table: [0, 1, 5] });
  compare(bytes, [...[0, 1, 10, 100].map((n) => ["0", [n]]),
    ...[0, 1, 2, 3, -1].map((n) => ["1", [n]]), ...[0, 1, 2].flatMap((n) => [["2", [n]],
      ["3", [n]], ["4", [n]]]), ["5", [1, 2, 0]], ["5", [1, 2, 9]], ["6", [0, 4]], ["6", [1, 4]],
    ["6", [2, 4]], ["6", [3, 4]], ["6", [-1, 4]], ["7", []], ["8", [1]]]);
});

await test("what is not translated is refused, and says what", async () => {
  const refused = (bytes) => {
    try {
      translate(bytes);
      return "";
    } catch (error) {
      return error.message;
    }
  };
  const whole = moduleOf([{ gives: [I32], code: [0x41, 1] }]);
  for (const [bytes, words] of [
    [new Uint8Array(0), "no module"], [new Uint8Array(8), "no module"],
    [whole.subarray(0, whole.length - 5), "ends too early"],
    [new Uint8Array([...whole.subarray(0, 8), ...section(2, [0])]), "imports"],
    [moduleOf([{ gives: [I32, I32], code: [0x41, 1, 0x41, 1] }]), "several results"],
    [moduleOf([{ code: [0xfd, 0] }]), "operation 253"],
    [moduleOf([{ code: [0xfc, 9, 0] }]), "operation 0xfc 9"],
  ]) need(refused(bytes).includes(words), `${words}: ${refused(bytes)}`);
  for (let end = 9; end < whole.length; end++) refused(whole.subarray(0, end)); // and ends
});

console.log(`# ${operations} operations`);
done();

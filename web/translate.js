// SPDX-License-Identifier: Apache-2.0
//
// Translates the module of an engine to JavaScript inside a browser. Hosts forbid
// WebAssembly to views, but let scripts run that stand in the document. So the document of
// a view carries the module alone, which is half as large as its JavaScript fallback.
//
// Values on the stack of WebAssembly are expressions until something has an effect; then
// each becomes a variable, named by its type and its place on the stack: i (i32, signed),
// I (i64, a signed BigInt), f (f32), d (f64). l are locals, g globals, $ functions. What
// the linker of mica never makes (imports, several results, passive segments) is refused.

const I32 = 0x7f, I64 = 0x7e, F32 = 0x7d, F64 = 0x7c;
const LETTERS = { [I32]: "i", [I64]: "I", [F32]: "f", [F64]: "d" };
const ZEROS = { [I32]: "0", [I64]: "0n", [F32]: "0", [F64]: "0" };
const SECTIONS = { 1: "types", 3: "functions", 4: "table", 5: "memory", 6: "globals",
  7: "exports", 8: "start", 9: "elements", 10: "code", 11: "data" };

const refuse = (what) => {
  throw new Error(`the module has ${what}, which is not translated`);
};

// ---- Reading -----------------------------------------------------------------------

class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  byte() {
    if (this.at >= this.bytes.length) throw new Error("the module ends too early");
    return this.bytes[this.at++];
  }

  /** Unsigned LEB128 of 32 bits. */
  number() {
    for (let value = 0, shift = 0; ; shift += 7) {
      const next = this.byte();
      value |= (next & 127) << shift;
      if (next < 128) return value >>> 0;
    }
  }

  /** Signed LEB128, as a BigInt. */
  signed() {
    for (let value = 0n, bits = 7; ; bits += 7) {
      const next = this.byte();
      value |= BigInt(next & 127) << BigInt(bits - 7);
      if (next < 128) return BigInt.asIntN(bits, value);
    }
  }

  float(size) {
    const view = new DataView(this.bytes.buffer, this.bytes.byteOffset + this.at, size);
    this.at += size;
    return size === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true);
  }

  text() {
    const end = this.number() + this.at;
    const text = new TextDecoder().decode(this.bytes.subarray(this.at, end));
    this.at = end;
    return text;
  }

  list(read) {
    return Array.from({ length: this.number() }, () => read());
  }
}

// ---- Operations --------------------------------------------------------------------

// number: [text, type of the result, types of a and b]
const OPERATIONS = {};
const define = (first, types, ...texts) => texts.forEach((text, at) => {
  OPERATIONS[first + at] = [text, ...types];
});

const compare = (u, v) => ["a===b", "a!==b", "a<b", `${u}<${v}`, "a>b", `${u}>${v}`, "a<=b",
  `${u}<=${v}`, "a>=b", `${u}>=${v}`].map((text) => `${text}?1:0`);
const compareFloats = ["===", "!==", "<", ">", "<=", ">="].map((sign) => `a${sign}b?1:0`);
const floatOfOne = ["Math.abs(a)", "-a", "Math.ceil(a)", "Math.floor(a)", "Math.trunc(a)",
  "nearest(a)", "Math.sqrt(a)"];
const floatOfTwo = ["a+b", "a-b", "a*b", "a/b", "Math.min(a,b)", "Math.max(a,b)", "sign(a,b)"];
const round = (texts) => texts.map((text) => `F(${text})`);
const toInt = ["range(a,-2147483649,2147483648)|0", "range(a,-1,4294967296)|0"];
const toLong = ["BigInt(range(a,-9223372036854777856,9223372036854775808))",
  "S(BigInt(range(a,-1,18446744073709551616)))"];
const clampInt = ["clamp(a,-2147483648,2147483647)|0", "clamp(a,0,4294967295)|0"];
const clampLong = ["clampLong(a,-(1n<<63n),(1n<<63n)-1n)", "S(clampLong(a,0n,(1n<<64n)-1n))"];

define(0x45, [I32, I32], "a?0:1");
define(0x46, [I32, I32, I32], ...compare("a>>>0", "b>>>0"));
define(0x50, [I32, I64], "a?0:1");
define(0x51, [I32, I64, I64], ...compare("U(a)", "U(b)"));
define(0x5b, [I32, F32, F32], ...compareFloats);
define(0x61, [I32, F64, F64], ...compareFloats);
define(0x67, [I32, I32], "Math.clz32(a)", "ctz(a)", "popcnt(a)");
define(0x6a, [I32, I32, I32], "a+b|0", "a-b|0", "Math.imul(a,b)", "div(a,b)",
  "(a>>>0)/(some(b)>>>0)|0", "a%some(b)|0", "(a>>>0)%(some(b)>>>0)|0", "a&b", "a|b", "a^b",
  "a<<b", "a>>b", "a>>>b|0", "rotl(a,b)", "rotl(a,-b)");
define(0x79, [I64, I64], "clz64(a)", "ctz64(a)", "popcnt64(a)");
define(0x7c, [I64, I64, I64], "S(a+b)", "S(a-b)", "S(a*b)", "div64(a,b)",
  "S(U(a)/U(some(b)))", "a%some(b)", "S(U(a)%U(some(b)))", "a&b", "a|b", "a^b",
  "S(a<<(b&63n))", "a>>(b&63n)", "S(U(a)>>(b&63n))", "rotl64(a,b)", "rotl64(a,-b)");
define(0x8b, [F32, F32], ...round(floatOfOne));
define(0x92, [F32, F32, F32], ...round(floatOfTwo));
define(0x99, [F64, F64], ...floatOfOne);
define(0xa0, [F64, F64, F64], ...floatOfTwo);
define(0xa7, [I32, I64], "Number(BigInt.asIntN(32,a))");
define(0xa8, [I32, F32], ...toInt);
define(0xaa, [I32, F64], ...toInt);
define(0xac, [I64, I32], "BigInt(a)", "BigInt(a>>>0)");
define(0xae, [I64, F32], ...toLong);
define(0xb0, [I64, F64], ...toLong);
define(0xb2, [F32, I32], "F(a)", "F(a>>>0)");
define(0xb6, [F32, F64], "F(a)");
define(0xb7, [F64, I32], "a", "a>>>0");
define(0xb9, [F64, I64], "Number(a)", "Number(U(a))");
define(0xbb, [F64, F32], "a");
define(0xbc, [I32, F32], "X.setFloat32(0,a),X.getInt32(0)");
define(0xbd, [I64, F64], "X.setFloat64(0,a),X.getBigInt64(0)");
define(0xbe, [F32, I32], "X.setInt32(0,a),X.getFloat32(0)");
define(0xbf, [F64, I64], "X.setBigInt64(0,a),X.getFloat64(0)");
define(0xc0, [I32, I32], "a<<24>>24", "a<<16>>16");
define(0xc2, [I64, I64], ...[8, 16, 32].map((bits) => `BigInt.asIntN(${bits},a)`));
define(0xfc00, [I32, F32], ...clampInt);
define(0xfc02, [I32, F64], ...clampInt);
define(0xfc04, [I64, F32], ...clampLong);
define(0xfc06, [I64, F64], ...clampLong);

// From 0x28 and 0x36 on: the type, and what a DataView calls what lies in memory.
const LOADS = [[I32, "Int32"], [I64, "BigInt64"], [F32, "Float32"], [F64, "Float64"],
  [I32, "Int8"], [I32, "Uint8"], [I32, "Int16"], [I32, "Uint16"], [I64, "Int8"],
  [I64, "Uint8"], [I64, "Int16"], [I64, "Uint16"], [I64, "Int32"], [I64, "Uint32"]];
const STORES = [[I32, "Int32"], [I64, "BigInt64"], [F32, "Float32"], [F64, "Float64"],
  [I32, "Int8"], [I32, "Int16"], [I64, "Int8"], [I64, "Int16"], [I64, "Int32"]];

const PRELUDE = `
const S = (a) => BigInt.asIntN(64, a), U = (a) => BigInt.asUintN(64, a), F = Math.fround;
const X = new DataView(new ArrayBuffer(8));
const trap = (why) => { throw new Error(why); };
const some = (b) => b || trap("division by zero");
const div = (a, b) => a === -2147483648 && b === -1 ? trap("integer overflow")
  : a / some(b) | 0;
const div64 = (a, b) => a === -(1n << 63n) && b === -1n ? trap("integer overflow")
  : a / some(b);
const ctz = (a) => a ? 31 - Math.clz32(a & -a) : 32;
const popcnt = (a) => { let n = 0; for (; a; a &= a - 1) n++; return n; };
const low = (a) => Number(BigInt.asIntN(32, a)), high = (a) => low(a >> 32n);
const clz64 = (a) => BigInt(high(a) ? Math.clz32(high(a)) : 32 + Math.clz32(low(a)));
const ctz64 = (a) => BigInt(low(a) ? ctz(low(a)) : 32 + ctz(high(a)));
const popcnt64 = (a) => BigInt(popcnt(low(a)) + popcnt(high(a)));
const rotl = (a, b) => a << b | a >>> -b;
const rotl64 = (a, b) => S(U(a) << (b & 63n) | U(a) >> (64n - (b & 63n)));
const sign = (a, b) => b < 0 || Object.is(b, -0) ? -Math.abs(a) : Math.abs(a);
const nearest = (a) => {
  const down = Math.floor(a), rest = a - down;
  return rest < 0.5 || rest === 0.5 && down % 2 === 0 ? down : Math.ceil(a);
};
const range = (a, least, most) => a > least && a < most ? Math.trunc(a)
  : trap(a === a ? "integer overflow" : "invalid conversion to integer");
const clamp = (a, least, most) => Math.min(Math.max(a || 0, least), most);
const clampLong = (a, least, most) => {
  const whole = BigInt(Math.trunc(clamp(a, -(2 ** 65), 2 ** 65)));
  return whole < least ? least : whole > most ? most : whole;
};
const inside = (memory, at, size) => {
  if ((at >>> 0) + (size >>> 0) > memory.byteLength) trap("out of bounds");
  return at >>> 0;
};
`;

// What differs with the instance: memory that grows, and the table of functions.
const INSTANCE = `
let M = new DataView(new ArrayBuffer(LEAST * 65536));
const bytes = () => new Uint8Array(M.buffer);
const grow = (pages) => {
  const before = M.byteLength / 65536, after = before + (pages >>> 0);
  if (after > MOST) return -1;
  const now = new Uint8Array(after * 65536);
  now.set(bytes());
  M = new DataView(now.buffer);
  return before;
};
const copy = (to, from, size) => bytes().copyWithin(inside(M, to, size), inside(M, from, size),
  (from >>> 0) + (size >>> 0));
const fill = (at, value, size) => bytes().fill(value, inside(M, at, size),
  (at >>> 0) + (size >>> 0));
const T = [], K = [];
const indirect = (at, type) => K[at >>> 0] === type ? T[at >>> 0] : trap("indirect call");
`;

// ---- A function --------------------------------------------------------------------

const float = (value) => Object.is(value, -0) || value < 0 ? `(-${-value})` : String(value);

class Writer {
  out = [];
  stack = []; // {type, text, plain}: a plain one is a constant, or the variable of its place
  labels = [];
  used = new Map(); // variables of the stack: their type
  alive = true; // can the next operation be reached?
  last = 0; // number of a label

  constructor(reader, module, locals, result) {
    Object.assign(this, { reader, module, locals });
    this.labels.push({ type: result, height: 0, body: true });
  }

  emit(text) {
    this.out.push(text);
  }

  push(type, text, plain = false) {
    this.stack.push({ type, text, plain });
  }

  pop() {
    return this.stack.pop().text;
  }

  name(type, place) {
    const name = LETTERS[type] + place;
    this.used.set(name, type);
    return name;
  }

  /** Before an effect: what the stack holds is worked out, in its order. */
  settle() {
    this.stack.forEach(({ type, text, plain }, place) => {
      if (plain) return;
      const name = this.name(type, place);
      this.emit(`${name}=${text};`);
      this.stack[place] = { type, text: name, plain: true };
    });
  }

  /** Gives the value on top to the end of a block. */
  give({ type, height }) {
    if (!type) return "";
    const { text } = this.stack.at(-1);
    const name = this.name(type, height);
    return text === name ? "" : `${name}=${text};`;
  }

  jump(depth) {
    const label = this.labels.at(-1 - depth);
    if (label.body) return label.type ? `return ${this.stack.at(-1).text};` : "return;";
    if (label.loop) return `continue L${label.number};`;
    return `${this.give(label)}break L${label.number};`;
  }

  open(operation) {
    const type = this.reader.byte();
    if (type !== 0x40 && !LETTERS[type]) refuse("a block of several results");
    const label = { type: type === 0x40 ? undefined : type, number: ++this.last,
      loop: operation === 3, dead: !this.alive };
    this.labels.push(label);
    if (!this.alive) return;
    const test = operation === 4 ? this.pop() : "";
    this.settle();
    label.height = this.stack.length;
    this.emit(`L${label.number}:${{ 2: "{", 3: "for(;;){", 4: `if(${test}){` }[operation]}`);
  }

  other() {
    const label = this.labels.at(-1);
    if (label.dead) return;
    if (this.alive) this.emit(this.give(label));
    this.emit("}else{");
    this.stack.length = label.height;
    this.alive = true;
  }

  /** Returns whether this was the end of the function. */
  end() {
    const label = this.labels.pop();
    if (label.dead) return false;
    if (this.alive && label.body && label.type) this.emit(`return ${this.pop()};`);
    else if (this.alive && !label.body) this.settle();
    if (label.body) return true;
    if (this.alive) this.emit(this.give(label));
    this.emit(label.loop && this.alive ? `break L${label.number};}` : "}");
    this.alive = true;
    this.stack.length = label.height;
    if (label.type) this.push(label.type, this.name(label.type, label.height), true);
    return false;
  }

  call({ takes, gives }, callee) {
    const given = this.stack.splice(this.stack.length - takes.length).map(({ text }) => text);
    this.settle();
    const name = gives && this.name(gives, this.stack.length);
    this.emit(`${gives ? `${name}=` : ""}${callee}(${given.join()});`);
    if (gives) this.push(gives, name, true);
  }

  address() {
    this.reader.number(); // its alignment is a hint
    const offset = this.reader.number();
    return () => {
      const text = this.pop();
      return offset ? `(${text}>>>0)+${offset}` : `${text}>>>0`;
    };
  }

  load([type, kind]) {
    const address = this.address();
    if (!this.alive) return;
    const text = `M.get${kind}(${address()}${/8$/.test(kind) ? "" : ",true"})`;
    this.push(type, type === I64 && kind !== "BigInt64" ? `BigInt(${text})` : text);
  }

  store([type, kind]) {
    const address = this.address();
    if (!this.alive) return;
    const value = this.pop();
    const at = address();
    this.settle();
    this.emit(`M.set${kind}(${at},${type === I64 && kind !== "BigInt64" ? `low(${value})`
      : value}${/8$/.test(kind) ? "" : ",true"});`);
  }

  assign(name) {
    if (!this.alive) return;
    const value = this.pop();
    this.settle();
    this.emit(`${name}=${value};`);
  }

  select() {
    if (!this.alive) return;
    const [{ type, text: one }, { text: other }, { text: test }] = this.stack.splice(-3);
    this.push(type, `(${test}?${one}:${other})`);
  }

  /** br_if, br_table */
  branch(depth) {
    if (!this.alive) return;
    const test = this.pop();
    this.settle();
    this.emit(`if(${test}){${this.jump(depth)}}`);
  }

  choose(depths, otherwise) {
    if (!this.alive) return;
    const at = this.pop();
    this.settle();
    this.emit(`switch(${at}){${depths.map((depth, number) =>
      `case ${number}:${this.jump(depth)}`).join("")}default:${this.jump(otherwise)}}`);
  }

  /** One that takes values, and gives one without an effect. */
  combine(number) {
    const [text, type, ...takes] = OPERATIONS[number] ?? refuse(`the operation ${number}`);
    if (!this.alive) return;
    const b = takes.length > 1 ? this.pop() : "";
    const a = this.pop();
    this.push(type, `(${text.replace(/\b[ab]\b/g, (name) => name === "a" ? a : b)})`);
  }

  wide() {
    const number = this.reader.number();
    if (number < 8) return this.combine(0xfc00 + number);
    const effect = { 10: "copy", 11: "fill" }[number] ?? refuse(`the operation 0xfc ${number}`);
    this.reader.at += number === 10 ? 2 : 1; // numbers of memories
    if (this.alive) this.call({ takes: [I32, I32, I32] }, effect);
  }

  stop(text) {
    if (this.alive) this.emit(text());
    this.alive = false;
  }

  constant(type, text) {
    if (this.alive) this.push(type, text, true);
  }

  /** One operation; true at the end of the function. */
  step() {
    const { reader, module } = this;
    const operation = reader.byte();
    switch (operation) {
      case 0x00: this.stop(() => 'trap("unreachable");'); break;
      case 0x01: break;
      case 0x02: case 0x03: case 0x04: this.open(operation); break;
      case 0x05: this.other(); break;
      case 0x0b: return this.end();
      case 0x0c: { const depth = reader.number(); this.stop(() => this.jump(depth)); break; }
      case 0x0d: this.branch(reader.number()); break;
      case 0x0e: {
        const depths = reader.list(() => reader.number());
        this.choose(depths, reader.number());
        this.alive = false;
        break;
      }
      case 0x0f: this.stop(() => this.jump(this.labels.length - 1)); break;
      case 0x10: {
        const number = reader.number();
        if (this.alive) this.call(module.types[module.functions[number]], `$${number}`);
        break;
      }
      case 0x11: {
        const type = reader.number();
        reader.number();
        if (this.alive) this.call(module.types[type],
          `indirect(${this.pop()},${module.types[type].same})`);
        break;
      }
      case 0x1a: if (this.alive) this.emit(`${this.pop()};`); break;
      case 0x1b: this.select(); break;
      case 0x20: {
        const number = reader.number();
        if (this.alive) this.push(this.locals[number], `l${number}`);
        break;
      }
      case 0x21: this.assign(`l${reader.number()}`); break;
      case 0x22: {
        const number = reader.number();
        this.assign(`l${number}`);
        if (this.alive) this.push(this.locals[number], `l${number}`);
        break;
      }
      case 0x23: {
        const number = reader.number();
        if (this.alive) this.push(module.globals[number].type, `g${number}`);
        break;
      }
      case 0x24: this.assign(`g${reader.number()}`); break;
      case 0x3f:
        reader.byte();
        if (this.alive) this.push(I32, "(M.byteLength/65536)");
        break;
      case 0x40:
        reader.byte();
        if (this.alive) this.call({ takes: [I32], gives: I32 }, "grow");
        break;
      case 0x41: this.constant(I32, whole(reader.signed())); break;
      case 0x42: this.constant(I64, whole(reader.signed(), "n")); break;
      case 0x43: this.constant(F32, float(reader.float(4))); break;
      case 0x44: this.constant(F64, float(reader.float(8))); break;
      case 0xfc: this.wide(); break;
      default:
        if (operation >= 0x28 && operation < 0x36) this.load(LOADS[operation - 0x28]);
        else if (operation >= 0x36 && operation < 0x3f) this.store(STORES[operation - 0x36]);
        else this.combine(operation);
    }
    return false;
  }
}

const whole = (value, ending = "") => value < 0 ? `(${value}${ending})` : `${value}${ending}`;

function writeFunction(reader, module, number) {
  const { takes, gives } = module.types[module.functions[number]];
  const end = reader.number() + reader.at;
  const locals = [...takes];
  for (let groups = reader.number(); groups > 0; groups--) {
    const count = reader.number();
    const type = reader.byte();
    for (let i = 0; i < count; i++) locals.push(type);
  }
  const writer = new Writer(reader, module, locals, gives);
  while (!writer.step());
  if (reader.at !== end) refuse("a function of another length");
  const names = takes.map((type, at) => `l${at}`).join();
  const own = [...locals.entries()].slice(takes.length)
    .map(([at, type]) => `l${at}=${ZEROS[type]}`);
  own.push(...[...writer.used].map(([name, type]) => `${name}=${ZEROS[type]}`));
  return `function $${number}(${names}){${own.length ? `let ${own};` : ""}${
    writer.out.join("")}}\n`;
}

// ---- The module --------------------------------------------------------------------

/** A constant expression: the initial value of a global, or where a segment lies. */
function constant(reader) {
  const writer = new Writer(reader, {}, [], I32);
  while (!writer.step());
  return /^return (.*);$/.exec(writer.out.join(""))[1];
}

const readers = {
  types: (reader) => {
    const known = [];
    return reader.list(() => {
      if (reader.byte() !== 0x60) refuse("another type than that of a function");
      const takes = reader.list(() => reader.byte());
      const results = reader.list(() => reader.byte());
      if (results.length > 1) refuse("a function of several results");
      const text = `${takes}:${results}`;
      if (!known.includes(text)) known.push(text);
      return { takes, gives: results[0], same: known.indexOf(text) };
    });
  },
  functions: (reader) => reader.list(() => reader.number()),
  table: (reader) => reader,
  memory: (reader) => reader.list(() => {
    const bounded = reader.byte() === 1;
    return { least: reader.number(), most: bounded ? reader.number() : 65536 };
  }),
  globals: (reader) => reader.list(() => {
    const type = reader.byte();
    reader.byte(); // whether it may change
    return { type, text: constant(reader) };
  }),
  exports: (reader) => reader.list(() => ({
    name: reader.text(), kind: reader.byte(), number: reader.number() })),
  start: (reader) => reader.number(),
  elements: (reader) => reader.list(() => {
    if (reader.number() !== 0) refuse("elements of another kind");
    return { at: constant(reader), functions: reader.list(() => reader.number()) };
  }),
  code: (reader, module) => Array.from({ length: reader.number() },
    (none, number) => writeFunction(reader, module, number)),
  data: (reader) => reader.list(() => {
    if (reader.number() !== 0) refuse("data of another kind");
    const at = constant(reader);
    const size = reader.number();
    reader.at += size;
    return { at, begin: reader.at - size, end: reader.at };
  }),
};

function readModule(bytes) {
  const reader = new Reader(bytes, 8);
  const module = { types: [], functions: [], globals: [], exports: [], elements: [], data: [] };
  if (String(bytes.subarray(0, 8)) !== "0,97,115,109,1,0,0,0") throw new Error("no module");
  while (reader.at < bytes.length) {
    const section = reader.byte();
    const end = reader.number() + reader.at;
    if (section === 2) refuse("imports");
    if (SECTIONS[section])
      module[SECTIONS[section]] = readers[SECTIONS[section]](reader, module);
    reader.at = end;
  }
  return module;
}

/** The text of a function of the module's bytes, which gives a function that makes the
 * exports of a fresh instance, as a JavaScript fallback does. */
export function translate(bytes) {
  const module = readModule(bytes);
  const [{ least, most }] = module.memory;
  const shown = module.exports.filter(({ kind }) => kind === 0)
    .map(({ name, number }) => `${JSON.stringify(name)}:$${number},`);
  return `(module)=>{"use strict";${PRELUDE}return ()=>{${
    INSTANCE.replace("LEAST", least).replace("MOST", most)}${
    module.globals.map(({ text }, number) => `let g${number}=${text};\n`).join("")}${
    module.code.join("")}${
    module.elements.map(({ at, functions }) => functions.map((number, index) =>
      `T[${at}+${index}]=$${number};K[${at}+${index}]=${
        module.types[module.functions[number]].same};\n`).join("")).join("")}${
    module.data.map(({ at, begin, end }) =>
      `bytes().set(module.subarray(${begin},${end}),${at});\n`).join("")}${
    module.start === undefined ? "" : `$${module.start}();\n`
  }return {${shown.join("")}memory:{get buffer(){return M.buffer}}};};}`;
}

// SPDX-License-Identifier: Apache-2.0
//
// ajv as bench/validate.c measures mica:
//
//     node ajv.mjs SCHEMA INSTANCES ROUNDS
//
// Prints for each line its verdict and the nanoseconds of the processor that one
// validation takes, of the parsed value and with parsing it: the least over the
// rounds. With 0 rounds each line is parsed and validated once.
import { readFileSync } from "node:fs";
import Ajv from "ajv/dist/2020.js";

const ROUND_NS = 4e6;

function nanoseconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1e3;
}

// Nanoseconds of one call of `work`, the least over the rounds. The first ones
// let the compiler of JavaScript do its part.
function measure(work, rounds) {
  let count = 100;
  let least = Infinity;
  for (let round = -5; round < rounds; round++) {
    const started = nanoseconds();
    for (let i = 0; i < count; i++) work();
    const each = (nanoseconds() - started) / count;
    count = Math.ceil(ROUND_NS / (each + 1));
    if (round >= 0 && each < least) least = each;
  }
  return least;
}

const [schema, instances, rounds] = process.argv.slice(2);
const ajv = new Ajv.default({ strict: false, validateFormats: false });
const validate = ajv.compile(JSON.parse(readFileSync(schema, "utf8")));
let valid = 0;
for (const line of readFileSync(instances, "utf8").trimEnd().split("\n")) {
  const value = JSON.parse(line);
  const verdict = validate(value) ? 1 : 0;
  valid += verdict;
  if (rounds === "0") continue;
  const alone = measure(() => validate(value), Number(rounds));
  const parsed = measure(() => validate(JSON.parse(line)), Number(rounds));
  console.log(`${verdict} ${alone.toFixed(1)} ${parsed.toFixed(1)}`);
}
if (rounds === "0") console.log(valid);

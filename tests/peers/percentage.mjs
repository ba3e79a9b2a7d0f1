// SPDX-License-Identifier: Apache-2.0
//
// The percentage calculator as a TypeScript author writes it: what the servers
// that mica is measured beside serve. The same input, answers and schemas as
// engines/percentage-calculator.c.
import { z } from "zod";

export const description =
  "Calculate percentages three ways: what's X% of Y, what % is X of Y, and " +
  "what's the % change from X to Y. Use mode='of' for the first form, " +
  "mode='ratio' for the second, mode='change' for the third.";

export const input = z.object({
  mode: z.enum(["of", "ratio", "change"]).describe(
    "Which percentage operation. 'of' = X% of Y, 'ratio' = X is what % of Y, " +
    "'change' = % change from X to Y."),
  a: z.number().describe("First number. Meaning depends on mode."),
  b: z.number().describe("Second number. Meaning depends on mode."),
  precision: z.number().int().min(0).max(10).default(2).describe(
    "Decimal places in the result."),
});

export const output = z.object({
  result: z.number().describe("The answer, rounded."),
  formula: z.string().describe("What was calculated."),
  explanation: z.string().describe("The question that the result answers."),
});

const round = (value, digits) =>
  Math.round(value * 10 ** digits) / 10 ** digits;

export function calculate({ mode, a, b, precision }) {
  if (mode === "of")
    return {
      result: round((a / 100) * b, precision),
      formula: `(${a} / 100) × ${b}`,
      explanation: `${a}% of ${b}`,
    };
  if (mode === "ratio") {
    if (b === 0) throw new Error("DIVISION_BY_ZERO: b is zero");
    return {
      result: round((a / b) * 100, precision),
      formula: `(${a} / ${b}) × 100`,
      explanation: `${a} is what % of ${b}`,
    };
  }
  if (a === 0) throw new Error("DIVISION_BY_ZERO: a is zero");
  return {
    result: round(((b - a) / a) * 100, precision),
    formula: `((${b} - ${a}) / ${a}) × 100`,
    explanation: `% change from ${a} to ${b}`,
  };
}

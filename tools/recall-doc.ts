// The table of weights in docs/recall.md, made from src/recall/rank/weights.ts.

import { WEIGHT_NAMES, WEIGHT_TABLE } from "../src/recall/rank/weights.ts";
import { withTable } from "./tables.ts";

/** One row per weight: its name in the contract, its default, its effect, and the reason. */
export function weightTable(): string {
  const rows = WEIGHT_NAMES.map((name) => {
    const { default: value, meaning, source } = WEIGHT_TABLE[name];
    const field = name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
    return `| \`${field}\` | ${value} | ${meaning} | ${source} |`;
  });
  const head = "| Weight | Default | What it adds | Where the default comes from |";
  return [head, "| --- | --- | --- | --- |", ...rows].join("\n");
}

/** Writes the table of weights between its two marks. Throws when a mark is missing. */
export function withRecallWeights(text: string): string {
  return withTable(text, "weights", weightTable());
}

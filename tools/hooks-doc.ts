// The table of fields in docs/hooks.md, made from src/hooks/fields.ts.

import { hookFieldTable } from "../src/hooks/fields.ts";

const START = "<!-- hooks:start -->";
const END = "<!-- hooks:end -->";

/** Writes the table of fields between its two marks. Throws when a mark is missing. */
export function withHookFields(text: string): string {
  const start = text.indexOf(START);
  const end = text.indexOf(END);
  if (start < 0 || end < start) throw new Error(`docs/hooks.md lacks ${START} and ${END}`);
  return `${text.slice(0, start + START.length)}\n\n${hookFieldTable()}\n\n${text.slice(end)}`;
}

// The table of settings in README.md, made from src/config.ts.

import { configTable } from "../src/config.ts";

const START = "<!-- config:start -->";
const END = "<!-- config:end -->";

/** Writes the table of settings between its two marks. Throws when a mark is missing. */
export function withConfigTable(readme: string): string {
  const start = readme.indexOf(START);
  const end = readme.indexOf(END);
  if (start < 0 || end < start) throw new Error(`README.md lacks ${START} and ${END}`);
  const table = configTable().trim();
  return `${readme.slice(0, start + START.length)}\n\n${table}\n\n${readme.slice(end)}`;
}

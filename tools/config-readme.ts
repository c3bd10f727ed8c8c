// The tables of settings in README.md and docs/integrations/mcp.md, made from src/config.ts.

import { configTable, mcpTable } from "../src/config.ts";

/** Writes a table between the two marks of its name. Throws when a mark is missing. */
function withTable(text: string, name: string, table: string): string {
  const [first, last] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
  const start = text.indexOf(first);
  const end = text.indexOf(last);
  if (start < 0 || end < start) throw new Error(`the page lacks ${first} and ${last}`);
  return `${text.slice(0, start + first.length)}\n\n${table.trim()}\n\n${text.slice(end)}`;
}

/** The README with the settings of the server. */
export function withConfigTable(readme: string): string {
  return withTable(readme, "config", configTable());
}

/** The page about the Model Context Protocol with the settings of its command. */
export function withMcpTable(page: string): string {
  return withTable(page, "mcp", mcpTable());
}

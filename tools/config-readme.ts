// The tables of settings in README.md and docs/integrations/mcp.md, made from src/config.ts.

import { configTable } from "../src/config.ts";
import { mcpTable } from "../src/config-mcp.ts";
import { withTable } from "./tables.ts";

/** The README with the settings of the server. */
export function withConfigTable(readme: string): string {
  return withTable(readme, "config", configTable());
}

/** The page about the Model Context Protocol with the settings of its command. */
export function withMcpTable(page: string): string {
  return withTable(page, "mcp", mcpTable());
}

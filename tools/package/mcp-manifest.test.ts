import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { envName, MCP_PREFIX, MCP_SETTINGS, type Setting } from "../../src/config-table.ts";
import { ROOT } from "../process.ts";
import { mcpName } from "./npm.ts";

const MANIFEST = JSON.parse(readFileSync(join(ROOT, "packaging/mcp/server.json"), "utf8"));

test("the manifest for registries fits the package and its settings", () => {
  const [npm, ...others] = MANIFEST.packages;
  expect(others).toEqual([]);
  const { name } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  expect([npm.identifier, npm.transport.type]).toEqual([name, "stdio"]);
  // A registry compares both, as proof that they have one owner.
  expect(mcpName()).toBe(MANIFEST.name);
  expect(MANIFEST.description.length).toBeLessThanOrEqual(100);
  const settings = Object.values(MCP_SETTINGS).map((setting: Setting) => setting);
  const known = new Map(settings.map((one) => [envName(one, MCP_PREFIX), one.default]));
  for (const { name: variable, default: byDefault } of npm.environmentVariables) {
    expect([...known.keys()]).toContain(variable);
    if (byDefault !== undefined) expect(known.get(variable)).toBe(byDefault);
  }
});

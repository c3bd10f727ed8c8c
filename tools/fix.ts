// `npm run fix`: repairs all that a tool can repair; `npm run verify` reports the rest.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withConfigTable, withMcpTable } from "./config-readme.ts";
import { withHookFields } from "./hooks-doc.ts";
import { withHouse } from "./house-doc.ts";
import { withIntegrations } from "./integrations-doc.ts";
import { runBiome } from "./lint/biome.ts";
import { withPolicyFacts } from "./policies-doc.ts";
import { ROOT } from "./process.ts";
import { withRecallWeights } from "./recall-doc.ts";
import { wrapComments } from "./wrap-comments.ts";

function rewrite(path: string, change: (text: string) => string): void {
  const file = join(ROOT, path);
  if (!existsSync(file)) return;
  const text = readFileSync(file, "utf8");
  const changed = change(text);
  if (changed === text) return;
  writeFileSync(file, changed);
  console.log(`fixed ${path}`);
}

function tool(name: string, ...args: readonly string[]): void {
  execFileSync(join(ROOT, "node_modules/.bin", name), args, { cwd: ROOT, stdio: "inherit" });
}

const sources = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.ts", "*.sh"], {
  cwd: ROOT,
  encoding: "utf8",
});
for (const path of new Set(sources.split("\n"))) {
  if (path !== "") rewrite(path, wrapComments);
}
rewrite("README.md", withConfigTable);
rewrite("docs/integrations/mcp.md", withMcpTable);
rewrite("docs/integrations/README.md", withIntegrations);
rewrite("docs/hooks.md", withHookFields);
rewrite("docs/presets.md", withPolicyFacts);
rewrite("docs/compat/profiles.md", withPolicyFacts);
rewrite("docs/recall.md", withRecallWeights);
rewrite("docs/architecture.md", withHouse);
tool("buf", "format", "-w");
const { code } = await runBiome(["check", "--write", "--error-on-warnings", "."], {});
if (code !== 0) process.exitCode = 1;

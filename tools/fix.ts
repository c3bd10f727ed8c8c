// `npm run fix`: repairs what a tool can repair. What it cannot, `npm run verify` names.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withConfigTable } from "./config-readme.ts";
import { withHookFields } from "./hooks-doc.ts";
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
  if (path !== "" && !path.includes("/gen/")) rewrite(path, wrapComments);
}
rewrite("README.md", withConfigTable);
rewrite("docs/hooks.md", withHookFields);
rewrite("docs/policies.md", withPolicyFacts);
rewrite("docs/recall.md", withRecallWeights);
tool("buf", "format", "-w");
tool("biome", "check", "--write", "--error-on-warnings", ".");

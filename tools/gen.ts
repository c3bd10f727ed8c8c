// Regenerates everything that is made from proto/. Refuses breaking changes of the contract, as v1
// is frozen.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { generateGo } from "./gen-go.ts";
import { generatePython } from "./gen-python.ts";
import {
  checkBreaking,
  FROZEN,
  generateImage,
  IMAGE,
  refreshTypeScript,
  TYPESCRIPT,
} from "./generate.ts";
import { run } from "./process.ts";
import { staleOptions } from "./proto-options.ts";

const root = join(import.meta.dirname, "..");
const options = new Set(process.argv.slice(2));

staleOptions(root, { write: true });

checkBreaking(root, FROZEN);
if (existsSync(join(root, IMAGE))) checkBreaking(root, IMAGE);
generateImage(root, root);
for (const folder of TYPESCRIPT) rmSync(join(root, folder), { recursive: true, force: true });
refreshTypeScript(root);
const isCi = process.env["CI"] === "true";
for (const [language, required, generate] of [
  ["Python", isCi || options.has("--python"), generatePython],
  ["Go", isCi, generateGo],
] as const) {
  const reason = generate(root, root);
  if (reason === undefined) continue;
  if (required) throw new Error(reason);
  console.warn(`SKIPPED the ${language} client's code: ${reason}`);
}
// The code is generated first, as the examples may not fit a contract that is being changed.
const reference = await run(process.execPath, ["tools/reference/main.ts", root], { quiet: true });
if (reference.code !== 0) {
  console.warn(`docs/reference stays as it was; mend this and run it again:\n${reference.output}`);
}

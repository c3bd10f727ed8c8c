// Makes everything that is generated from proto/ anew.
//
//   npm run gen                       refuses a breaking change of the contract
//   npm run gen -- --accept-breaking

import { existsSync } from "node:fs";
import { join } from "node:path";
import { generatePython } from "./gen-python.ts";
import { checkBreaking, generateTypeScript, IMAGE } from "./generate.ts";
import { staleOptions } from "./proto-options.ts";

const root = join(import.meta.dirname, "..");
const options = new Set(process.argv.slice(2));

staleOptions(root, { write: true });

if (existsSync(join(root, IMAGE)) && !options.has("--accept-breaking")) checkBreaking(root, IMAGE);
generateTypeScript(root);
const required = options.has("--python") || process.env["CI"] === "true";
const reason = generatePython(root, root);
if (reason !== undefined) {
  if (required) throw new Error(reason);
  console.warn(`SKIPPED the Python client's code: ${reason}`);
}

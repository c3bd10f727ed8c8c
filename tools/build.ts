// `npm run build`: the server into dist/ and the TypeScript client into its own dist/.
//
//   npm run build             both
//   npm run build -- server   only the server, as the image does

import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./process.ts";

const PARTS: Readonly<Record<string, { readonly config: string; readonly out: string }>> = {
  server: { config: "tsconfig.build.json", out: "dist" },
  client: { config: "clients/typescript/tsconfig.json", out: "clients/typescript/dist" },
};

const asked = process.argv.slice(2);
for (const name of asked.length === 0 ? Object.keys(PARTS) : asked) {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`unknown part ${name}: there are server and client`);
  // What an earlier build left must not be shipped.
  rmSync(join(ROOT, part.out), { recursive: true, force: true });
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  const { status } = spawnSync(tsc, ["-p", part.config], { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}

// `npm run build`: the server into dist/ and the TypeScript client into its own dist/.
//
//   npm run build             both
//   npm run build -- server   only the server, as the image does

import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./process.ts";

interface Part {
  readonly config: string;
  readonly out: string;
  /** Folders of files that the compiler does not copy, under src/ and under `out`. */
  readonly data?: readonly string[];
}

const PARTS: Readonly<Record<string, Part>> = {
  server: { config: "tsconfig.build.json", out: "dist", data: ["recall/embed/models"] },
  client: { config: "clients/typescript/tsconfig.json", out: "clients/typescript/dist" },
};

const asked = process.argv.slice(2);
for (const name of asked.length === 0 ? Object.keys(PARTS) : asked) {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`unknown part ${name}: there are server and client`);
  // Leftovers of an earlier build must not ship.
  rmSync(join(ROOT, part.out), { recursive: true, force: true });
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  const { status } = spawnSync(tsc, ["-p", part.config], { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
  for (const folder of part.data ?? []) {
    cpSync(join(ROOT, "src", folder), join(ROOT, part.out, folder), { recursive: true });
  }
}

// Compiles the server or the TypeScript client, with the files that the compiler does not copy.

import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../process.ts";

interface Part {
  readonly config: string;
  readonly out: string;
  /** Folders of files that the compiler does not copy, under src/ and under `out`. */
  readonly data?: readonly string[];
}

/** The parts by name. */
export const PARTS: Readonly<Record<string, Part>> = {
  server: { config: "tsconfig.build.json", out: "dist", data: ["recall/embed/models"] },
  client: { config: "clients/typescript/tsconfig.json", out: "clients/typescript/dist" },
};

/** Builds a part, by default into its own folder; returns whether the compiler is content. */
export function buildPart(name: string, folder?: string): boolean {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`unknown part ${name}: there are server and client`);
  const out = folder ?? join(ROOT, part.out);
  // Leftovers of an earlier build must not ship.
  rmSync(out, { recursive: true, force: true });
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  const args = ["-p", part.config, "--outDir", out];
  const { status } = spawnSync(tsc, args, { cwd: ROOT, stdio: "inherit" });
  for (const data of part.data ?? []) {
    cpSync(join(ROOT, "src", data), join(out, data), { recursive: true });
  }
  return status === 0;
}

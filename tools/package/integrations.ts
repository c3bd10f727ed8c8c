// The integrations of the TypeScript client: npm packages that put it into a framework.

import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../process.ts";
import { buildPart } from "./build-part.ts";
import { installPackages } from "./install.ts";
import { pack } from "./registry-packages.ts";

const FOLDER = "clients/typescript/integrations";

/** Their names, which are those of their folders. */
export const INTEGRATIONS: readonly string[] = globSync("*/package.json", {
  cwd: join(ROOT, FOLDER),
})
  .map(dirname)
  .sort();

/** The folder of an integration, from the root of the repository. */
export function integrationFolder(name: string): string {
  return `${FOLDER}/${name}`;
}

/**
 * Builds an integration into its own `dist`, by the types of its framework and of the built client.
 * Returns whether the compiler is content.
 */
export function buildIntegration(name: string): boolean {
  const folder = integrationFolder(name);
  installPackages(join(ROOT, folder));
  rmSync(join(ROOT, folder, "dist"), { recursive: true, force: true });
  if (!buildPart("client")) return false;
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  const args = ["-p", `${folder}/tsconfig.build.json`];
  return spawnSync(tsc, args, { cwd: ROOT, stdio: "inherit" }).status === 0;
}

/**
 * Builds and packs an integration into a folder; gives the path of the archive. `scratch` is
 * emptied.
 */
export async function packIntegration(
  name: string,
  target: string,
  scratch: string,
): Promise<string> {
  if (!buildIntegration(name)) throw new Error(`${name} does not compile`);
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  const source = join(ROOT, integrationFolder(name));
  for (const part of ["dist", "README.md"]) {
    cpSync(join(source, part), join(scratch, part), { recursive: true });
  }
  cpSync(join(ROOT, "LICENSE"), join(scratch, "LICENSE"));
  // The packages that its tests install are nothing to users.
  const { devDependencies: _, ...manifest } = JSON.parse(
    readFileSync(join(source, "package.json"), "utf8"),
  ) as Record<string, unknown>;
  writeFileSync(join(scratch, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return await pack(scratch, target);
}

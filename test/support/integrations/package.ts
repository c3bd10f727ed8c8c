// The package of an integration: its types, its files, and the code of its page, which runs with
// the built package as it does for users.

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { integrationFolder, packIntegration } from "../../../tools/package/integrations.ts";
import { ROOT } from "../../../tools/process.ts";
import { blocksOf } from "../../docs/blocks.ts";
import { makeTempDir } from "../kit/temp-dir.ts";

const run = promisify(execFile);
const TSC = join(ROOT, "node_modules/.bin/tsc");

/**
 * Checks the types of an integration and its tests against the newest version of its framework.
 * `other` puts other packages in the place of those it names; the tests are then left out. Gives
 * the output of the compiler, empty if there are no problems.
 */
export async function typeProblems(
  name: string,
  other: Readonly<Record<string, string>> = {},
): Promise<string> {
  using scratch = makeScratch(name);
  const paths = Object.entries(other).map(([from, to]) => [from, [`../../node_modules/${to}`]]);
  const client = ["", "/adapters"].map((part) => {
    const path = join(ROOT, `clients/typescript/src${part}/index.ts`);
    return [`@memory-sidecar/client${part}`, [path]];
  });
  const config = {
    extends: "../../tsconfig.json",
    compilerOptions: { noEmit: true, paths: Object.fromEntries([...client, ...paths]) },
    include: paths.length === 0 ? ["../../src", "../../test"] : ["../../src"],
  };
  const path = join(scratch.path, "tsconfig.json");
  writeFileSync(path, JSON.stringify(config));
  return await compilerOutput(TSC, path);
}

/** The output of a compiler for a project. Throws when it does not start, or fails in silence. */
export async function compilerOutput(compiler: string, project: string): Promise<string> {
  try {
    return (await run(compiler, ["-p", project], { cwd: ROOT })).stdout;
  } catch (error) {
    const { code, stdout } = error as { readonly code?: unknown; readonly stdout?: string };
    if (typeof code !== "number" || !stdout) throw error;
    return stdout;
  }
}

/** A folder in that of an integration, from where its packages are found; removed when it ends. */
function makeScratch(name: string): Disposable & { readonly path: string } {
  const parent = join(ROOT, integrationFolder(name), ".upstream");
  mkdirSync(parent, { recursive: true });
  const path = mkdtempSync(join(parent, "run-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

/** Builds and packs an integration; gives the paths in its archive. */
export async function packedFiles(name: string): Promise<string[]> {
  await using directory = await makeTempDir();
  const archive = await packIntegration(name, directory.path, join(directory.path, "stage"));
  const { stdout } = await run("tar", ["-tzf", archive]);
  return stdout.trim().split("\n").sort();
}

/**
 * Runs the TypeScript code of a page with the built integration, block by block; gives what each
 * prints. Blocks that contain `leftOut` are passed over. Throws when no block is left.
 */
export async function runPage(
  name: string,
  page: string,
  address: string,
  leftOut: string,
): Promise<string[]> {
  using scratch = makeScratch(name);
  const text = readFileSync(join(ROOT, "docs/integrations", page), "utf8");
  const blocks = blocksOf(page, text).filter(({ code, language }) => {
    return language === "ts" && !code.includes(leftOut);
  });
  if (blocks.length === 0) throw new Error(`${page} has no TypeScript code to run`);
  const printed: string[] = [];
  for (const { code } of blocks) {
    const path = join(scratch.path, "page.mts");
    writeFileSync(path, code.replaceAll("127.0.0.1:50151", address));
    // The client is a link. It must find the packages beside the link, as an installed one does.
    printed.push((await run(process.execPath, ["--preserve-symlinks", path])).stdout);
  }
  return printed;
}

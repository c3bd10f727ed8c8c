// Checks that generated code matches the proto files.

import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { GO_CODE, generateGo } from "../gen-go.ts";
import { generatePython, PYTHON_CODE } from "../gen-python.ts";
import { checkBreaking, FROZEN, IMAGE, STAMP, TYPESCRIPT } from "../generate.ts";
import { ROOT, run } from "../process.ts";
import { inScratch, NotPossible } from "./check.ts";

/** Compares the image and the TypeScript code with fresh output. */
export function typeScriptProblems(): Promise<readonly string[]> {
  return inScratch(async (out) => {
    await generateInto(out);
    const image = join(out, IMAGE);
    const same = readFileSync(image).equals(readFileSync(join(ROOT, IMAGE)));
    return [
      ...(same ? [] : [`${IMAGE} differs from a fresh one; run npm run gen`]),
      ...TYPESCRIPT.flatMap((folder) => compareFolders(ROOT, out, folder)),
    ];
  });
}

/** Compares the Python code with fresh output. */
export function pythonProblems(): Promise<readonly string[]> {
  return inScratch(async (out) => {
    mkdirSync(join(out, "proto"));
    writeFileSync(join(out, IMAGE), readFileSync(join(ROOT, IMAGE)));
    const reason = generatePython(ROOT, out);
    if (reason !== undefined) throw new NotPossible(reason);
    return PYTHON_CODE.flatMap((folder) => compareFolders(ROOT, out, folder));
  });
}

/** Compares the Go code with fresh output. */
export function goProblems(): Promise<readonly string[]> {
  return inScratch(async (out) => {
    const reason = generateGo(ROOT, out);
    if (reason !== undefined) throw new NotPossible(reason);
    return GO_CODE.flatMap((folder) => compareFolders(ROOT, out, folder));
  });
}

/** Compares docs/reference with fresh output, which also plays its examples. */
export function referenceProblems(): Promise<readonly string[]> {
  return inScratch(async (out) => {
    const args = ["tools/reference/main.ts", out];
    const { code, output } = await run(process.execPath, args, { quiet: true });
    return code === 0 ? compareFolders(ROOT, out, "docs/reference") : [output.trim()];
  });
}

/** In a separate process: buf's output is captured and shown only on failure. */
async function generateInto(out: string): Promise<void> {
  const code = `
    import { generateImage, generateTypeScript } from ${JSON.stringify(join(ROOT, "tools/generate.ts"))};
    generateImage(${JSON.stringify(ROOT)}, ${JSON.stringify(out)});
    generateTypeScript(${JSON.stringify(ROOT)}, ${JSON.stringify(out)});
  `;
  const result = await run(process.execPath, ["--input-type=module", "-e", code], { quiet: true });
  if (result.code !== 0) throw new Error(result.output);
}

/** Names files of a folder that differ between two roots or exist in only one. */
export function compareFolders(present: string, fresh: string, folder: string): string[] {
  const names = new Set([...filesBelow(present, folder), ...filesBelow(fresh, folder)]);
  return [...names].sort().flatMap((name) => {
    const before = join(present, name);
    const after = join(fresh, name);
    if (!existsSync(before)) return [`${name}: is missing; run npm run gen`];
    if (!existsSync(after)) return [`${name}: nothing makes it any more; run npm run gen`];
    return readFileSync(before).equals(readFileSync(after)) ? [] : [`${name}: run npm run gen`];
  });
}

function filesBelow(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  const base = realpathSync(join(root, folder));
  return (
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== STAMP)
      .filter((entry) => !entry.parentPath.includes("__pycache__"))
      // Files behind a link belong to the folder that it leads to.
      .filter((entry) => realpathSync(entry.parentPath).startsWith(base))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  );
}

/** Compares the contract with the frozen one and with that of the last commit. */
export function breakingProblems(): Promise<readonly string[]> {
  return inScratch(async (folder) => {
    const last = join(folder, "last.binpb");
    writeFileSync(last, execFileSync("git", ["show", `HEAD:${IMAGE}`], { cwd: ROOT }));
    checkBreaking(ROOT, FROZEN);
    checkBreaking(ROOT, last);
    return [];
  });
}

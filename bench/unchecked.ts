// Copies of the server without the checks by which the store notices damage. They exist for
// measuring alone: the server has no setting that turns a check off.

import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

/** A change of one source: `from` must stand in it exactly once. */
export interface Patch {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** The checks, by name, each with what takes it out. */
const CHECKS: Readonly<Record<string, readonly Patch[]>> = {
  /** A lookup that finds nothing, and the ends of a list, check the records on both sides. */
  neighbors: [
    {
      file: "src/store/engine/reads.ts",
      from: '  const way = side === "after" ? {} : { reverse: true, end: LOWEST };',
      to: '  if (LOWEST !== "") return;\n  const way = side === "after" ? {} : { reverse: true, end: LOWEST };',
    },
  ],
  /** A group of changes looks at its files before it is written and before it is acknowledged. */
  files: [
    {
      file: "src/store/engine/presence.ts",
      from: "  checkSize(): void {",
      to: "  checkSize(): void {\n    if (LOCK_MS > 0) return;",
    },
    {
      file: "src/store/engine/presence.ts",
      from: "  check(): void {",
      to: "  check(): void {\n    if (LOCK_MS > 0) return;",
    },
  ],
  /** Records are written with a checksum, which every read compares. */
  checksums: [
    {
      file: "src/store/engine/envelope.ts",
      from: "  let sum = 0xffffffff;\n  for",
      to: "  if (TABLE_BYTES_MAX > 0) return 0;\n  let sum = 0xffffffff;\n  for",
    },
  ],
};

/** The copies: one without each check, and one without any. */
export const UNCHECKED: ReadonlyMap<string, readonly Patch[]> = new Map([
  ...Object.entries(CHECKS),
  ["any of them", Object.values(CHECKS).flat()],
]);

/** Makes a tree from which the server runs: patched sources, and links to all else. */
export function patchedTree(directory: string, patches: readonly Patch[]): string {
  mkdirSync(directory, { recursive: true });
  for (const name of readdirSync(ROOT)) {
    if (name !== "src" && !name.startsWith("."))
      symlinkSync(join(ROOT, name), join(directory, name));
  }
  cpSync(join(ROOT, "src"), join(directory, "src"), { recursive: true });
  for (const { file, from, to } of patches) {
    const path = join(directory, file);
    const parts = readFileSync(path, "utf8").split(from);
    if (parts.length !== 2) throw new Error(`${file} has changed: the patch of the bench is stale`);
    writeFileSync(path, parts.join(to));
  }
  return directory;
}

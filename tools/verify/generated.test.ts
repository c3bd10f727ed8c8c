import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { compareFolders } from "./generated.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "memory-sidecar-compare-"));
  for (const side of ["a", "b"]) {
    mkdirSync(join(root, side, "gen/deep"), { recursive: true });
    writeFileSync(join(root, side, "gen/deep/x.ts"), "same");
  }
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("sees no difference where there is none", () => {
  expect(compareFolders(join(root, "a"), join(root, "b"), "gen")).toEqual([]);
});

test.each([
  ["changed", "b/gen/deep/x.ts"],
  ["missing", "b/gen/new.ts"],
  ["no longer made", "a/gen/old.ts"],
])("names a file that is %s", (_, path) => {
  writeFileSync(join(root, path), "other");
  expect(compareFolders(join(root, "a"), join(root, "b"), "gen")).toHaveLength(1);
});

// The checks of a package must fail where they check nothing.

import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { integrationFolder } from "../../../tools/package/integrations.ts";
import { ROOT } from "../../../tools/process.ts";
import { makeTempDir } from "../kit/temp-dir.ts";
import { compilerOutput, runPage } from "./package.ts";

const NAME = "openai-agents";

test("a compiler that does not start, or fails without a word, is no clean answer", async () => {
  await using directory = await makeTempDir();
  const script = (name: string, text: string): string => {
    const path = join(directory.path, name);
    writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o700 });
    return path;
  };
  const missing = join(directory.path, "missing");
  await expect(compilerOutput(missing, "x")).rejects.toThrow(/ENOENT/);
  await expect(compilerOutput(script("silent", "exit 2"), "x")).rejects.toThrow();
  await expect(compilerOutput(script("killed", "echo x; kill -9 $$"), "x")).rejects.toThrow();
  expect(await compilerOutput(script("found", "echo problem; exit 2"), "x")).toBe("problem\n");
  expect(await compilerOutput(script("clean", "exit 0"), "x")).toBe("");
});

test("a page without code fails, and leaves nothing behind", async () => {
  const wished = runPage(NAME, "pydantic-ai.md", "127.0.0.1:1", "none");
  await expect(wished).rejects.toThrow("pydantic-ai.md has no TypeScript code to run");
  const scratch = join(ROOT, integrationFolder(NAME), ".upstream");
  expect(
    existsSync(scratch) ? readdirSync(scratch).filter((one) => /^run-/.test(one)) : [],
  ).toEqual([]);
});

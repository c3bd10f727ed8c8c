// The package as it is published: built, imported by its name, and type checked from outside.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as source from "../src/index.ts";

const HERE = join(import.meta.dirname, "..");
const ROOT = join(HERE, "../..");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");
const run = promisify(execFile);

const PROGRAM = `
import { connect, type MemorySidecar, type Session, Status } from "@memory-sidecar/client";
const client: MemorySidecar = connect("127.0.0.1:1", { retry: { maxAttempts: 1 } });
const session: Promise<Session> = client.getSession("none");
export const last: Promise<number> = session.then((found) => found.lastSeq);
last.catch((error) => console.log(error.code === Status.UNAVAILABLE)).finally(() => client.close());
`;

let dir: string;

beforeAll(async () => {
  // Inside the repository, so that the package is found by its name.
  dir = mkdtempSync(join(ROOT, "node_modules/.package-test-"));
  await run(process.execPath, [TSC, "-p", HERE]);
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

test("offers by its name what the sources offer", async () => {
  const script = 'console.log(Object.keys(await import("@memory-sidecar/client")).sort().join())';
  const args = ["--input-type=module", "--eval", script];
  const { stdout } = await run(process.execPath, args, { cwd: ROOT });
  expect(stdout.trim()).toBe(Object.keys(source).sort().join());
});

test("has types that a strict program accepts", async () => {
  const compilerOptions = { strict: true, module: "nodenext", target: "es2022", types: ["node"] };
  writeFileSync(join(dir, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  writeFileSync(join(dir, "program.ts"), PROGRAM);
  await run(process.execPath, [TSC, "-p", dir]);
  const built = await run(process.execPath, [join(dir, "program.js")]);
  expect(built.stdout).toBe("true\n");
});

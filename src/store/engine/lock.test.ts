import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lockDirectory, StoreInUseError } from "./lock.ts";

let directory = "";

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "memory-sidecar-lock-"));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const MODULE = new URL("./lock.ts", import.meta.url).href;

// A process that tries to lock the directory, says how it went, and stays.
async function contender(): Promise<{ child: ChildProcess; won: boolean }> {
  const code = `
    import { lockDirectory } from ${JSON.stringify(MODULE)};
    try { await lockDirectory(${JSON.stringify(directory)}); console.log("won"); }
    catch (error) { console.log(error.name); }
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [text] = (await once(child.stdout as NonNullable<typeof child.stdout>, "data")) as [Buffer];
  return { child, won: text.toString().trim() === "won" };
}

async function kill(child: ChildProcess): Promise<void> {
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
}

describe("the lock of a directory", () => {
  test("is free again after a release, and refused while it is held", async () => {
    const lock = await lockDirectory(directory);
    await expect(lockDirectory(directory)).rejects.toThrow(StoreInUseError);
    lock.release();
    (await lockDirectory(directory)).release();
  });

  test("names the owner, and is freed by its death", async () => {
    const { child, won } = await contender();
    expect(won).toBe(true);
    await expect(lockDirectory(directory)).rejects.toThrow(`process ${child.pid}`);
    await kill(child);
    (await lockDirectory(directory)).release();
  });

  test("goes to one of many that race for it", async () => {
    const all = await Promise.all(Array.from({ length: 6 }, contender));
    expect(all.filter(({ won }) => won).length).toBe(1);
    await Promise.all(all.map(({ child }) => kill(child)));
  });
});

// A real disk without a free byte: a small filesystem in memory that another program fills.

import { execFileSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { connect, type MemorySidecar } from "../../clients/typescript/src/index.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { SERVER_MAIN } from "../support/process/server.ts";
import { start } from "./start.ts";

const FLOOR_ARGS = ["--disk-floor-bytes", "8388608"];

/** Mounts a filesystem of 64 MiB; false where that is not allowed. */
function mount(path: string): boolean {
  mkdirSync(path);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m", "none", path], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Writes a file until no byte is free. */
function fill(path: string, directory: string): void {
  const file = openSync(path, "w");
  for (const size of [1_048_576, 4_096]) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size, 1));
    } catch (error) {
      expect(error).toMatchObject({ code: "ENOSPC" });
    }
  }
  closeSync(file);
  expect(statfsSync(directory).bavail).toBe(0);
}

function open(address: string): MemorySidecar {
  const client = connect(address, { retry: { maxAttempts: 1 }, timeoutMs: 20_000 });
  onTestFinished(() => client.close());
  return client;
}

test("on a full disk, starts, reads and deletes work; writes come back with the space", {
  timeout: 180_000,
}, async () => {
  await using temporary = await makeTempDir();
  const disk = join(temporary.path, "disk");
  if (!mount(disk)) {
    expect(process.env["CI"], "a filesystem can be mounted in CI").toBeUndefined();
    console.warn("SKIPPED the full disk: mount is not allowed here (needs root)");
    return;
  }
  try {
    const dataDir = join(disk, "data");
    const reserve = join(dataDir, "reserve");
    const filler = join(disk, "filler");
    let server = await start({ dataDir, args: FLOOR_ARGS });
    let client = open(server.address);
    for (let i = 0; i < 4; i++) {
      await client.append(`s${i}`, "words ".repeat(1_000), { createSession: true });
    }
    await vi.waitUntil(() => existsSync(reserve), { timeout: 20_000 });
    fill(filler, disk);
    await expect(client.append("s0", "more")).rejects.toMatchObject({ reason: "STORE_FULL" });
    expect((await client.window("s0")).messages).toHaveLength(1);
    expect((await client.recall("words")).hits).not.toEqual([]);
    // Upkeep runs every second.
    await sleep(3_000);
    expect(existsSync(reserve)).toBe(true);
    await client.deleteSession("s3");
    expect(existsSync(reserve)).toBe(false);
    await sleep(3_000);
    expect((await server.stop()).code).toBe(0);
    for (const [i, gone] of ["s2", "s1"].entries()) {
      fill(`${filler}-${i}`, disk);
      server = await start({ dataDir, args: FLOOR_ARGS });
      client = open(server.address);
      expect((await client.window("s0")).messages).toHaveLength(1);
      await sleep(2_000);
      rmSync(`${filler}-${i}`);
      await client.deleteSession(gone);
      await server.stop();
    }
    server = await start({ dataDir, args: FLOOR_ARGS });
    client = open(server.address);
    rmSync(filler);
    await vi.waitUntil(() => existsSync(reserve), { timeout: 20_000 });
    await client.append("s0", "more");
    await server.stop();
    execFileSync(process.execPath, [SERVER_MAIN, "verify", dataDir]);
  } finally {
    execFileSync("umount", ["-l", disk]);
  }
});

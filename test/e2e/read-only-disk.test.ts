// A real disk that turns read-only under a server: a filesystem that finds an error in itself.

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connect } from "../../clients/typescript/src/index.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { SERVER_MAIN } from "../support/process/server.ts";
import { start } from "./start.ts";

const ERRORS = "/sys/fs/ext4";

/** Mounts an ext4 filesystem in a file; gives the file that breaks it, undefined if not allowed. */
function mount(path: string): string | undefined {
  const image = `${path}.image`;
  const quiet = { stdio: "ignore" } as const;
  mkdirSync(path);
  try {
    execFileSync("truncate", ["-s", "64M", image], quiet);
    execFileSync("mkfs.ext4", ["-q", image], quiet);
    const before = new Set(readdirSync(ERRORS));
    execFileSync("mount", ["-o", "loop,errors=remount-ro", image, path], quiet);
    const device = readdirSync(ERRORS).find((name) => !before.has(name));
    if (device !== undefined) return join(ERRORS, device, "trigger_fs_error");
    execFileSync("umount", ["-l", path]);
  } catch {
    // No root, no loop device, or no tools for ext4.
  }
  return undefined;
}

test("a disk that turns read-only ends the server with 70 and EROFS, and loses nothing", async () => {
  await using temporary = await makeTempDir();
  const disk = join(temporary.path, "disk");
  const breaker = mount(disk);
  if (breaker === undefined) {
    console.warn("SKIPPED the disk that turns read-only: no ext4 can be mounted here (needs root)");
    return;
  }
  try {
    const dataDir = join(disk, "data");
    const args = ["--disk-floor-bytes", "8388608"];
    const first = await start({ dataDir, args });
    const client = connect(first.address, { retry: { maxAttempts: 1 }, timeoutMs: 10_000 });
    await client.append("s", "before", { createSession: true });
    writeFileSync(breaker, "1");
    await expect(client.append("s", "after")).rejects.toThrow();
    client.close();
    expect(await first.exited).toMatchObject({ code: 70, signal: null });
    expect(JSON.stringify(first.logs.at(-1))).toContain("A commit failed: EROFS");
    await expect(start({ dataDir, args })).rejects.toThrow(/ended with 70.*read-only file system/s);

    // Mounted anew, it holds what was acknowledged.
    execFileSync("umount", [disk]);
    execFileSync("mount", ["-o", "loop", `${disk}.image`, disk]);
    execFileSync(process.execPath, [SERVER_MAIN, "verify", dataDir]);
    const last = await start({ dataDir, args });
    const reader = connect(last.address);
    const { messages } = await reader.window("s");
    expect(messages.map(({ text }) => text)).toEqual(["before"]);
    reader.close();
    await last.stop();
  } finally {
    execFileSync("umount", ["-l", disk]);
  }
});

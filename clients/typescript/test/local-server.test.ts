// LocalServer, with the server of this checkout.

import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import { connect, LocalServer } from "../src/index.ts";

const ROOT = join(import.meta.dirname, "../../..");
const command = [process.execPath, join(ROOT, "src/main.ts")];

afterEach(() => {
  vi.unstubAllEnvs();
});

const folderOf = (address: string): string => dirname(address.replace("unix:", ""));

/** Starts a program that starts a server, prints its address and ends as the text says. */
function programThat(end: string): { readonly signal: string | null; readonly folder: string } {
  const source = `
    import { LocalServer } from ${JSON.stringify(join(ROOT, "clients/typescript/src/index.ts"))};
    const { address } = await LocalServer.start({ command: ${JSON.stringify(command)} });
    console.log(address);
    ${end}`;
  const args = ["--input-type=module-typescript", "--eval", source];
  const { signal, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    timeout: 50_000,
  });
  expect(stderr).toBe("");
  return { signal, folder: folderOf(stdout.trim()) };
}

async function isGone(path: string): Promise<boolean> {
  for (let turn = 0; turn < 400 && existsSync(path); turn++) await sleep(50);
  return !existsSync(path);
}

describe("a local server", () => {
  test("serves, and leaves nothing", async () => {
    const server = await LocalServer.start({ command });
    const memory = connect(server.address);
    await memory.append("trees", "What is the tallest tree?", { createSession: true });
    memory.close();
    const folder = folderOf(server.address);
    expect(existsSync(join(folder, "data"))).toBe(true);
    await server.close();
    await server.close();
    expect(existsSync(folder)).toBe(false);
  });

  test("keeps the data of a folder", async () => {
    await using folder = await makeTempDir();
    for (const lastSeq of [1, 2]) {
      const dataDir = join(folder.path, "data");
      await using server = await LocalServer.start({ command, dataDir });
      const memory = connect(server.address);
      const turn = await memory.append("trees", "Hyperion.", { createSession: true });
      expect(turn.lastSeq).toBe(lastSeq);
      memory.close();
    }
  });

  test("stops when its program is killed", async () => {
    const { signal, folder } = programThat('process.kill(process.pid, "SIGKILL");');
    expect(signal).toBe("SIGKILL");
    expect(await isGone(folder)).toBe(true);
  });

  test("does not keep its program running", async () => {
    const { signal, folder } = programThat("");
    expect(signal).toBeNull();
    expect(await isGone(folder)).toBe(true);
  });

  test("says why it does not start", async () => {
    const wrong = LocalServer.start({ command, flags: ["--no-such-flag", "1"] });
    await expect(wrong).rejects.toThrow(/local server ended:.*no-such-flag/s);
    const silent = LocalServer.start({
      ...{ command: ["/bin/sh", "-c", "sleep 60"], startTimeoutMs: 200 },
    });
    await expect(silent).rejects.toThrow("did not serve within 200 ms");
    const unknown = { dataFolder: "x" } as object;
    await expect(LocalServer.start(unknown)).rejects.toThrow('has no field "dataFolder"');
  });

  test("is the command in the path, and says what to install without one", async () => {
    await using folder = await makeTempDir();
    vi.stubEnv("PATH", `${folder.path}:/usr/bin:/bin`);
    await expect(LocalServer.start()).rejects.toThrow("npm install memory-sidecar");
    const path = join(folder.path, "memory-sidecar");
    writeFileSync(path, `#!/bin/sh\nexec ${command.join(" ")} "$@"\n`);
    chmodSync(path, 0o755);
    await using server = await LocalServer.start();
    const memory = connect(server.address);
    expect((await memory.serverInfo()).version).not.toBe("");
    memory.close();
  });

  test("takes its settings from the program alone", async () => {
    vi.stubEnv("MEMORY_SIDECAR_LISTEN", "127.0.0.1:1");
    await using server = await LocalServer.start({ command, flags: ["--log-level", "info"] });
    // The server answers before it has written the line that says so.
    await vi.waitFor(() => expect(server.log()).toContain('"serving"'), 10_000);
    expect(server.log()).not.toContain("127.0.0.1");
  });
});

// Files of the data directory that somebody removes, moves, replaces or cuts off.

import { copyFileSync, renameSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { connect } from "../../clients/typescript/src/index.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { start } from "./start.ts";

const LOSSES = {
  "data.mdb removed": [(dir) => rmSync(join(dir, "data.mdb")), /data\.mdb was removed or moved/],
  "data.mdb replaced": [
    (dir) => {
      copyFileSync(join(dir, "data.mdb"), join(dir, "copy"));
      renameSync(join(dir, "copy"), join(dir, "data.mdb"));
    },
    /data\.mdb was replaced/,
  ],
  "data.mdb truncated": [
    (dir) => truncateSync(join(dir, "data.mdb"), statSync(join(dir, "data.mdb")).size - 4_096),
    /data\.mdb was truncated/,
  ],
  "redo.log removed": [(dir) => rmSync(join(dir, "redo.log")), /redo\.log was removed or moved/],
  "redo.log truncated": [(dir) => truncateSync(join(dir, "redo.log")), /redo\.log was truncated/],
  "the directory moved": [(dir) => renameSync(dir, `${dir}-moved`), /was removed or moved/],
  "owner.lock removed": [(dir) => rmSync(join(dir, "owner.lock")), /owner\.lock was removed/],
} satisfies Record<string, [(directory: string) => void, RegExp]>;

test.for(Object.entries(LOSSES))(
  "%s while it is open: nothing more is acknowledged, and the process exits 70",
  async ([, [lose, reason]]) => {
    await using temporary = await makeTempDir();
    const dataDir = join(temporary.path, "data");
    const server = await start({ dataDir });
    const client = connect(server.address, { retry: { maxAttempts: 1 }, timeoutMs: 10_000 });
    await client.append("s", "before", { createSession: true });
    lose(dataDir);
    // The lock is looked at once in 10 ms.
    await sleep(20);
    await expect(client.append("s", "after")).rejects.toThrow();
    expect((await server.exited).code).toBe(70);
    const fatal = server.logs.find((entry) => String(entry["msg"]).startsWith("fatal"));
    expect(JSON.stringify(fatal)).toMatch(reason);
    client.close();
  },
);

test("a second server is refused also when owner.lock and owner.json were removed", async () => {
  await using temporary = await makeTempDir();
  const dataDir = join(temporary.path, "data");
  const first = await start({ dataDir });
  // Stopped, it cannot notice the loss, as it would at its next write.
  process.kill(first.pid, "SIGSTOP");
  for (const file of ["owner.lock", "owner.json"]) rmSync(join(dataDir, file));
  const refusal = new RegExp(`ended with 73.*in use by process ${first.pid}`, "s");
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await expect(start({ dataDir })).rejects.toThrow(refusal);
  }
  // A dead owner keeps nobody out.
  await first.kill();
  await (await start({ dataDir })).stop();
});

const GONE = {
  missing: (file) => rmSync(file),
  empty: (file) => truncateSync(file),
} satisfies Record<string, (file: string) => void>;

test.for(Object.entries(GONE))(
  "a used directory whose data.mdb is %s is refused",
  async ([, lose]) => {
    await using temporary = await makeTempDir();
    const dataDir = join(temporary.path, "data");
    const server = await start({ dataDir });
    await server.stop();
    lose(join(dataDir, "data.mdb"));
    await expect(start({ dataDir })).rejects.toThrow(
      /ended with 70.*data\.mdb is missing or empty\. Put a back-up of it in place/s,
    );
    rmSync(join(dataDir, "store.json"));
    await (await start({ dataDir })).stop();
  },
);

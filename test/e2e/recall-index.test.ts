// The files that keep indexes of recall, under a real server: kills while they are written, words
// that are erased, and disks that refuse them.

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { connect, type MemorySidecar } from "../../clients/typescript/src/index.ts";
import { ErasureState } from "../../src/gen/memorysidecar/v1/admin_service.ts";
import { parseWords, proveErased } from "../../src/store/verify/prove-erased.ts";
import { TestClient } from "../support/contract/client.ts";
import { randomFrom, testSeed } from "../support/kit/random.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { eventually } from "../support/process/summary-reader.ts";
import { start } from "./start.ts";

/** Indexes of fewer messages are not kept. */
const SESSIONS = 12;
const MESSAGES = 100;

/** A word of a session that nothing else has. */
const wordOf = (session: number): string => `harborword${10 + session}`;

function open(address: string): MemorySidecar {
  const client = connect(address, { timeoutMs: 60_000 });
  onTestFinished(() => client.close());
  return client;
}

/** Sessions of a user and of nobody, by turns. */
async function fill(client: MemorySidecar): Promise<void> {
  for (let session = 0; session < SESSIONS; session++) {
    const sessionId = `s${session}`;
    await client.createSession({ sessionId, ...(session % 2 === 0 ? { userId: "anna" } : {}) });
    const texts = Array.from({ length: MESSAGES }, (_, at) => `${wordOf(session)} is number ${at}`);
    await client.append(sessionId, texts);
  }
}

async function textsWith(client: MemorySidecar, word: string): Promise<readonly string[]> {
  const filter = { kinds: ["message"] } as const;
  const options = { userId: "anna", filter, pageSize: 100, mode: "lexical" } as const;
  const page = await client.recall(word, options);
  expect(page.coverage?.complete).toBe(true);
  return page.hits.map(({ passage }) => passage).filter((text) => text.includes(word));
}

/** The sessions whose words files of indexes hold. */
function held(dataDir: string): readonly number[] {
  const words = Array.from({ length: SESSIONS }, (_, session) => wordOf(session));
  const { found } = proveErased(join(dataDir, "recall"), parseWords(words.join("\n")));
  return found.map(({ line }) => line - 1);
}

test("an erasure leaves no word of its subject in a file", { timeout: 180_000 }, async () => {
  await using directory = await makeTempDir();
  const dataDir = directory.path;
  const first = await start({ dataDir });
  const writer = open(first.address);
  await fill(writer);
  expect(await textsWith(writer, wordOf(7))).toHaveLength(MESSAGES);
  expect((await first.stop()).code).toBe(0);
  expect(held(dataDir)).toContain(2);
  const second = await start({ dataDir });
  const client = open(second.address);
  expect(await textsWith(client, wordOf(2))).toHaveLength(MESSAGES);
  const admin = new TestClient(second.address);
  onTestFinished(() => admin.close());
  const subject = { subject: { $case: "userId", value: "anna" } } as const;
  const { erasure } = await admin.call("eraseSubject", { subject });
  const erasureId = erasure?.erasureId ?? "";
  await eventually("the end of the erasure", 60_000, async () => {
    const { erasure: now } = await admin.call("getErasure", { erasureId });
    return now?.state === ErasureState.DONE ? now : undefined;
  });
  expect(held(dataDir)).toEqual([]);
  expect(await textsWith(client, wordOf(2))).toEqual([]);
  await client.append(
    "s1",
    Array.from({ length: MESSAGES }, (_, at) => `more ${at}`),
  );
  for (let at = 0; at < 5; at++) {
    await client.append(
      "s3",
      Array.from({ length: MESSAGES }, (_, more) => `again ${at} ${more}`),
    );
  }
  await textsWith(client, "again");
  expect((await second.stop()).code).toBe(0);
  const left = held(dataDir);
  expect(left).toContain(3);
  expect(left.filter((session) => session % 2 === 0)).toEqual([]);
  expect((await start({ dataDir }).then((third) => third.stop())).code).toBe(0);
});

test("kills while files are written change no answer", { timeout: 300_000 }, async () => {
  await using directory = await makeTempDir();
  const dataDir = directory.path;
  const random = randomFrom(testSeed("kills of index files"));
  const first = await start({ dataDir });
  await fill(open(first.address));
  await textsWith(open(first.address), wordOf(1));
  await first.stop();
  const added = new Map<number, number>();
  for (let round = 0; round < 5; round++) {
    const server = await start({ dataDir });
    const client = open(server.address);
    const session = random.int(0, 9);
    await client.append(`s${session}`, `${wordOf(session)} once more, in round ${round}`);
    added.set(session, (added.get(session) ?? 0) + 1);
    for (const asked of [session, random.int(0, 9)]) {
      // A page has a hundred hits.
      const found = await textsWith(client, wordOf(asked));
      expect(found.length, `round ${round}`).toBe(100);
    }
    expect(await textsWith(client, `round ${round}`)).toHaveLength(1);
    const stopped = server.stop();
    await sleep(random.int(0, 150));
    await server.kill();
    await stopped.catch(() => {});
  }
  const last = await start({ dataDir });
  const client = open(last.address);
  for (let round = 0; round < 5; round++) {
    expect(await textsWith(client, `round ${round}`)).toHaveLength(1);
  }
  await last.stop();
  expect(readdirSync(join(dataDir, "recall"))).toEqual([expect.stringMatching(/\.idx$/)]);
});

test("a disk that refuses the files takes nothing from recall", { timeout: 180_000 }, async () => {
  await using directory = await makeTempDir();
  const dataDir = join(directory.path, "data");
  const folder = join(dataDir, "recall");
  mkdirSync(folder, { recursive: true });
  try {
    const size = ["-t", "tmpfs", "-o", "size=64k", "none", folder];
    execFileSync("mount", size, { stdio: "ignore" });
  } catch {
    expect(process.env["CI"], "a filesystem can be mounted in CI").toBeUndefined();
    console.warn("SKIPPED the refused index files: mount is not allowed here (needs root)");
    return;
  }
  try {
    const args = ["--disk-floor-bytes", "0"];
    const first = await start({ dataDir, args });
    await fill(open(first.address));
    expect(await textsWith(open(first.address), wordOf(7))).toHaveLength(MESSAGES);
    expect((await first.stop()).code).toBe(0);
    const faults = first.logs.filter((entry) => /could not be/.test(JSON.stringify(entry)));
    expect(faults).toHaveLength(1);
    expect(JSON.stringify(faults)).toContain("could not be written: ENOSPC");
    expect(readdirSync(folder)).toEqual([]);
    execFileSync("mount", ["-o", "remount,size=64m", folder]);
    const second = await start({ dataDir, args });
    expect(await textsWith(open(second.address), wordOf(7))).toHaveLength(MESSAGES);
    expect((await second.stop()).code).toBe(0);
    expect(readdirSync(folder)).toHaveLength(1);
    execFileSync("mount", ["-o", "remount,ro", folder]);
    const third = await start({ dataDir, args });
    const client = open(third.address);
    expect(await textsWith(client, wordOf(7))).toHaveLength(MESSAGES);
    await client.append("s7", `${wordOf(7)} on a disk to be read only`);
    expect(await textsWith(client, "disk to be read")).toHaveLength(1);
    expect((await third.stop()).code).toBe(0);
  } finally {
    execFileSync("umount", [folder]);
  }
});

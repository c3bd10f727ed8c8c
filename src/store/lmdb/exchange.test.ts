// The data file of an open store is exchanged for a compacted copy while writes go on.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import { copyCrashed } from "../../../test/support/store/crashed-copy.ts";
import { appendPlan } from "../../../test/support/store/lmdb-load.ts";
import { readFacts } from "../../../test/support/store/plans.ts";
import { type CompactProgress, compactServed } from "../backup/compact.ts";
import { copyStore } from "../backup/copy-store.ts";
import { verifyDirectory } from "../verify/verify.ts";
import { type LmdbStore, type LmdbStoreOptions, openLmdbStore } from "./store.ts";

const factsModule = new URL("../../../test/support/store/plans.ts", import.meta.url);
const NEVER = new AbortController().signal;
const ref = { namespace: "default", sessionId: "s" };
// Files that a store keeps beside the data file.
const OTHERS = ["lock.mdb", "owner.json", "owner.lock", "redo.log", "store.json"];

async function open(options: Partial<LmdbStoreOptions> = {}) {
  const temporary = await makeTempDir();
  onTestFinished(() => temporary[Symbol.asyncDispose]());
  const directory = join(temporary.path, "data");
  const all = { directory, readFacts, floor: { bytes: 0 }, ...options };
  const store = await openLmdbStore(all);
  return { directory, store, reopen: () => openLmdbStore(all) };
}

async function append(store: LmdbStore, text: string): Promise<void> {
  await store.changeSession(ref, (view) => {
    return { kind: "save", result: undefined, plan: appendPlan(ref, view, text) };
  });
}

/** Appends until it is told to stop; then gives the names of the texts that were acknowledged. */
function appendOn(store: LmdbStore) {
  const acknowledged: string[] = [];
  let hasEnded = false;
  const running = Promise.all(
    Array.from({ length: 4 }, async (_, writer) => {
      for (let i = 0; !hasEnded; i++) {
        const name = `writer ${writer} text ${i}.`;
        await append(store, `${name} ${"x".repeat((i * 997) % 20_000)}`);
        acknowledged.push(name);
        await sleep(1);
      }
    }),
  );
  return async (): Promise<readonly string[]> => {
    hasEnded = true;
    await running;
    return acknowledged;
  };
}

async function expectAll(store: LmdbStore, names: readonly string[]): Promise<void> {
  const found: string[] = [];
  for (let firstSeq: number | undefined = 1; firstSeq !== undefined; ) {
    const query = { firstSeq, lastSeq: 1e9, limit: 100, order: "asc" } as const;
    const page = await store.listMessages(ref, query);
    for (const { bytes } of page?.messages ?? []) {
      found.push(/[\w ]+\./.exec(Buffer.from(bytes).toString("latin1"))?.[0] ?? "");
    }
    firstSeq = page?.next;
  }
  expect(found.sort()).toEqual([...names].sort());
}

test("keeps every write, in the file before, in the one after, and in the next start", async () => {
  const { directory, store, reopen } = await open();
  const stop = appendOn(store);
  const steps = new Set<string>();
  const onProgress = ({ step }: CompactProgress): void => void steps.add(step);
  for (let round = 0; round < 2; round++) {
    const made = await compactServed(store, directory, { factsModule, signal: NEVER, onProgress });
    expect(made.bytesBefore).toBeGreaterThan(0);
    // A reader of another process finds its place in the table of readers of the new file.
    await copyStore(directory, join(directory, `copy-${round}`));
  }
  const texts = await stop();
  await expectAll(store, texts);
  expect([...steps]).toEqual(["copying", "verifying", "catching-up"]);
  await store.close();
  const names = ["copy-0", "copy-1", "data.mdb", ...OTHERS];
  expect(readdirSync(directory).sort()).toEqual(names.filter((name) => name !== "owner.json"));
  expect(await verifyDirectory(directory, { factsModule })).toMatchObject({ problems: [] });
  const again = await reopen();
  await expectAll(again, texts);
  await again.close();
}, 60_000);

test("a kill after it finds every write in the file and the redo log together", async () => {
  const { directory, store } = await open();
  await append(store, "before.");
  const staging = join(directory, "compacting");
  await store.exchangeFile({
    ...{ staging, signal: NEVER, onWaiting: () => undefined },
    makeCopy: async () => {
      await append(store, "while it is copied.");
      mkdirSync(staging);
      await copyStore(directory, join(staging, "data.mdb"));
      await append(store, "after the copy.");
    },
  });
  await append(store, "after.");
  const killed = join(directory, "killed");
  copyCrashed(directory, killed);
  const other = await openLmdbStore({ directory: killed, readFacts, floor: { bytes: 0 } });
  await expectAll(other, ["before.", "while it is copied.", "after the copy.", "after."]);
  await other.close();
  await store.close();
});

const FAULTS: Record<string, (staging: string, giveUp: () => void) => void> = {
  "the copy is damaged": (staging) => {
    const path = join(staging, "data.mdb");
    const bytes = readFileSync(path);
    bytes.fill(0xff, 0, 8_192);
    writeFileSync(path, bytes);
  },
  "its caller gives up": (_, giveUp) => giveUp(),
};

test.for(Object.entries(FAULTS))("goes on with the old file when %s", async ([, fault]) => {
  const { directory, store } = await open();
  await append(store, "one.");
  const ended = new AbortController();
  const compaction = compactServed(store, directory, {
    ...{ factsModule, signal: ended.signal },
    onProgress: ({ step }) => {
      if (step === "verifying") fault(join(directory, "compacting"), () => ended.abort());
    },
  });
  await expect(compaction).rejects.toThrow();
  await append(store, "two.");
  await expectAll(store, ["one.", "two."]);
  expect(readdirSync(directory).sort()).toEqual(["data.mdb", ...OTHERS]);
  await store.close();
  expect(await verifyDirectory(directory, { factsModule })).toMatchObject({ problems: [] });
});

// Memories that versions before wrote, which no message finds until the store is opened.

import { expect, test } from "vitest";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import { newMemory } from "../../../test/support/store/memories.ts";
import { newEvent, readFacts, START_MS } from "../../../test/support/store/plans.ts";
import { seal, unseal } from "../engine/envelope.ts";
import { openEnvironment } from "../engine/environment.ts";
import { afterPrefix } from "../engine/keys.ts";
import type { Store } from "../store.ts";
import { MEMORIES, MEMORY_SOURCE } from "../tables/memory-tables.ts";
import { verifyDirectory } from "../verify/verify.ts";
import { openLmdbStore } from "./store.ts";

const HISTORY = "0123456789abcdef";
const COUNT = 1_500;

function open(directory: string): Promise<Store> {
  return openLmdbStore({ directory, readFacts, floor: { bytes: 0 } });
}

function save(store: Store, namespace: string): Promise<unknown> {
  const put = Array.from({ length: COUNT }, (_, at) =>
    newMemory({
      ...{ memoryId: `m${at}`, memoryNo: at + 1 },
      source: {
        ...{ origin: "promotion", sessionId: "s", hook: "", model: "" },
        messageIds: [`q${at}`, "all"],
      },
    }),
  );
  const events = [newEvent({ namespace, sessionId: "" })];
  return store.changeMemories({ namespace }, () => ({
    kind: "save",
    result: 0,
    plan: { nowMs: START_MS, events, put },
  }));
}

/** Makes a directory one of format 3: without the list, and with a history of its own. */
async function toFormat3(directory: string): Promise<void> {
  const env = openEnvironment({ directory });
  const { index, meta } = env;
  const record = (table: { get(key: string): Buffer | undefined }, key: string) =>
    unseal(key, table.get(key) ?? Buffer.alloc(0), key);
  await env.root.batch(() => {
    const memories = MEMORIES.id;
    const memorySource = MEMORY_SOURCE.id;
    for (const key of index.getKeys({ start: memorySource, end: afterPrefix(memorySource) })) {
      index.remove(key);
    }
    for (const key of index.getKeys({ start: memories, end: afterPrefix(memories) })) {
      const row = MEMORIES.decode(record(index, key));
      index.put(key, MEMORIES.encode(key, { ...row, sourcesListed: 0 }));
    }
    const identity = JSON.parse(Buffer.from(record(meta, "identity")).toString());
    const old = JSON.stringify({ ...identity, historyId: HISTORY, format: 3 });
    meta.put("identity", seal("identity", Buffer.from(old)));
  });
  await env.root.close();
}

async function foundBy(store: Store, namespace: string, messageId: string): Promise<number> {
  return await store.changeMemories({ namespace }, ({ memories }) => ({
    kind: "answer",
    result: memories.bySource("s", messageId, COUNT + 1).length,
  }));
}

test("are found by their messages once it is open, and the store keeps its history", async () => {
  await using temporary = await makeTempDir();
  const directory = temporary.path;
  const first = await open(directory);
  await save(first, "a");
  await save(first, "b");
  await first.close();
  // Everything must lie in the index: the journal of the first would bring the list back.
  const again = await open(directory);
  await again.noteRecalled("a", START_MS);
  await again.close();
  await toFormat3(directory);
  expect((await verifyDirectory(directory)).problems).toEqual([]);

  const store = await open(directory);
  expect([store.format, store.historyId]).toEqual([10, HISTORY]);
  for (const namespace of ["a", "b"]) {
    expect(await foundBy(store, namespace, "all")).toBe(COUNT);
    expect(await foundBy(store, namespace, `q${COUNT - 1}`)).toBe(1);
  }
  await store.close();
  expect((await verifyDirectory(directory)).problems).toEqual([]);
});

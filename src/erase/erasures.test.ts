// The end of an erasure: no copy of the directory that says it is done holds a word of the subject.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { makeTempDir } from "../../test/support/kit/temp-dir.ts";
import { jsonCodec } from "../../test/support/services/json-codec.ts";
import { startTestServices } from "../../test/support/services/services.ts";
import { copyCrashed } from "../../test/support/store/crashed-copy.ts";
import { openEnvironment } from "../store/engine/environment.ts";
import { openLmdbStore } from "../store/lmdb/store.ts";
import type { Store } from "../store/store.ts";
import { isDone } from "./rules/erasure.ts";

const SUBJECT = { kind: "user", userId: "zebra" } as const;
const NAMESPACE = "default";
const END = "\xff".repeat(9);

/** The tables of a copy of the directory, as it is now, that hold a word; and the redo log. */
async function holders(directory: string, copy: string, word: string): Promise<string[]> {
  copyCrashed(directory, copy);
  const log = readFileSync(join(copy, "redo.log")).includes(word) ? ["log"] : [];
  const env = openEnvironment({ directory: copy });
  const names = (["index", "journal"] as const).filter((name) =>
    [...env[name].getRange({ start: "\0", end: END })].some(
      ({ key, value }) => key.includes(word) || Buffer.from(value).includes(word),
    ),
  );
  await env.root.close();
  return [...names, ...log];
}

/** The store with other functions; the rest are its own. */
function withCalls(store: Store, calls: Partial<Store>): Store {
  return new Proxy(store, {
    get: (target, name) => Reflect.get({ ...target, ...calls }, name),
  });
}

test("is said only when neither the index nor the journal names the subject", async () => {
  await using temporary = await makeTempDir();
  const directory = join(temporary.path, "data");
  const open = () => openLmdbStore({ directory, readFacts: jsonCodec.readFacts });
  let copies = 0;
  const heldNow = () => holders(directory, join(temporary.path, `copy-${copies++}`), "zebra");
  let isFull = true;
  let changes = 0;
  let heldAtBegin: string[] | undefined;
  let heldAtEnd: string[] | undefined;
  const wrapStore = (store: Store) =>
    withCalls(store, {
      clearJournal: async () => !isFull && (await store.clearJournal()),
      // Nothing is written while one of these waits, so the copies are whole.
      changeErasure: async (change, decide) => {
        // The first one begins the erasure.
        if (++changes === 2) heldAtBegin = await heldNow();
        const result = await store.changeErasure(change, decide);
        const erasure = await store.readErasure(change);
        if (erasure !== undefined && isDone(erasure)) heldAtEnd = await heldNow();
        return result;
      },
    });

  let store = await open();
  let services = await startTestServices({}, { store, wrapStore });
  const call = services.call("EraseSubject");
  await services.erasures.eraseSubject(call, {
    ...{ namespace: NAMESPACE, subject: SUBJECT, dryRun: false, encode: () => new Uint8Array(1) },
  });
  const [ref] = await store.runningErasures();
  if (ref === undefined) throw new Error("there is no erasure");
  const isNameless = async () => (await store.readErasure(ref))?.work === undefined;
  await vi.waitUntil(
    async () => {
      services.advance(100);
      return await isNameless();
    },
    { timeout: 10_000 },
  );
  // The control: its record names the subject while it is under way.
  expect(heldAtBegin).toContain("log");
  // A full disk keeps the journal as it is: the erasure goes on, also after a restart.
  await services.stop();
  await store.close();
  store = await open();
  services = await startTestServices({}, { store, wrapStore });
  for (let round = 0; round < 20; round++) {
    services.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await store.readErasure(ref)).toMatchObject({ doneMs: 0 });
  expect(await store.runningErasures()).toEqual([ref]);
  isFull = false;
  await vi.waitUntil(
    () => {
      services.advance(100);
      return heldAtEnd !== undefined;
    },
    { timeout: 10_000 },
  );
  expect(heldAtEnd).toEqual([]);
  expect(await store.runningErasures()).toEqual([]);
  await services.stop();
  await store.close();
});

// A process with a store of its own that writes documents and vectors until it is killed, and says
// on its output what it intends and what was answered. Usage: node documents-writer.ts DIR SEED
// [FAILPOINT:PASS]. It does upkeep beside, so that what was cleared is erased meanwhile.

import { writeSync } from "node:fs";
import { setImmediate as otherWork } from "node:timers/promises";
import { armFailpoints } from "../../src/kit/failpoint.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import type { Store, VectorPlace } from "../../src/store/store.ts";
import { type Random, randomFrom } from "../support/kit/random.ts";
import {
  changeDocuments,
  type DocumentAction,
  saveVectors,
  type VectorAction,
} from "../support/store/documents.ts";
import { readFacts, START_MS } from "../support/store/plans.ts";

const COLLECTIONS = ["c", "cc", "large"];
const WRITERS = 4;
const IDS = 40;
const KEEP = { eventAgeMsMax: 1e15, eventCountMax: 1e9, replyAgeMsMax: 1e15, usageHourMin: 0 };

/** Draws a writer's next call. */
function draw(random: Random, sessionId: string, nowMs: number): DocumentAction {
  const isLarge = sessionId === "large";
  const text = (id: string) =>
    `${id} ${nowMs} ${"x".repeat(random.int(0, isLarge ? 30_000 : 300))}`;
  const some = (max: number) =>
    Array.from({ length: random.int(1, max) }, () => `d${random.int(0, IDS)}`);
  const clear = random.chance(isLarge ? 0.05 : 0.02);
  const put = clear || random.chance(0.25) ? [] : [...new Set(some(isLarge ? 40 : 6))];
  return {
    kind: "documents",
    namespace: "default",
    sessionId,
    nowMs,
    put: put.map((documentId) => ({
      documentId,
      text: text(documentId),
      ...(random.chance(0.3) ? { sourceId: `s${random.int(0, 3)}` } : {}),
      ...(random.chance(0.2) ? { dimensions: 4 } : {}),
      ...(random.chance(0.2) ? { payload: "p".repeat(random.int(1, 2_000)) } : {}),
    })),
    remove: clear || put.length > 0 ? [] : some(5),
    removeChunks: [],
    clear,
  };
}

// Each line is written in one call and at once: what was said survives the kill.
function say(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

async function write(store: Store, random: Random, collection: string, base: number) {
  for (let n = 0; ; n += 1) {
    const action = draw(random, collection, base + n);
    say({ intended: action });
    const { revision, saved } = await changeDocuments(store, action);
    say({ answered: { sessionId: collection, nowMs: action.nowMs, revision, saved } });
    if (random.chance(0.2)) {
      const ref = { namespace: "default", collectionId: collection };
      const { documents } = await store.listDocuments({ ...ref, after: 0, limit: 3 });
      const drafts = documents.map(({ documentNo }) => {
        const place: VectorPlace = { kind: "document", ...ref, documentNo };
        return { place, model: "m", count: 2, stale: false };
      });
      const vectors: VectorAction = { kind: "vectors", drafts };
      await saveVectors(store, vectors);
    }
  }
}

async function upkeep(store: Store) {
  for (;;) {
    await store.maintain({ nowMs: START_MS, ...KEEP });
    await otherWork();
  }
}

const [, , directory = "", seed = "1", failpoints = ""] = process.argv;
const store = await openLmdbStore({ directory, readFacts, floor: { bytes: 0 } });
armFailpoints(failpoints);
const random = randomFrom(Number(seed));
// Collections are written by one each, so that what is unknown is one call; the others make groups.
const base = START_MS + Number(seed) * 1_000_000;
const others = Array.from({ length: WRITERS }, (_, n) => `o${n}`);
await Promise.all([
  upkeep(store),
  ...[...COLLECTIONS, ...others].map((collection) => write(store, random, collection, base)),
]);

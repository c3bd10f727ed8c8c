// A store whose changes wait for room, and one that changes the same keys over and over.

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import { copyCrashed } from "../../../test/support/store/crashed-copy.ts";
import { appendPlan } from "../../../test/support/store/lmdb-load.ts";
import { readFacts } from "../../../test/support/store/plans.ts";
import { openLmdbStore } from "../lmdb/store.ts";
import { openEnvironment } from "./environment.ts";

const ref = { namespace: "default", sessionId: "s" };
const OPTIONS = { readFacts, floor: { bytes: 0 } };

describe("changes that wait for room", () => {
  test("are all let in, even if those before them write nothing", async () => {
    await using temporary = await makeTempDir();
    const store = await openLmdbStore({ directory: join(temporary.path, "data"), ...OPTIONS });
    // The first one fills the group, so that all others wait.
    const text = "x".repeat(70_000_000);
    const first = store.changeSession(ref, (view) => {
      return { kind: "save", result: 0, plan: appendPlan(ref, view, text) };
    });
    const others = Array.from({ length: 2_000 }, (_, i) =>
      store.changeSession(ref, () => ({ kind: "answer", result: i + 1 })),
    );
    const results = await Promise.all([first, ...others]);
    expect(results).toEqual(Array.from({ length: 2_001 }, (_, i) => i));
    await store.close();
  }, 20_000);
});

describe("a store that changes one key over and over", () => {
  test("keeps a bounded journal", async () => {
    await using temporary = await makeTempDir();
    const directory = join(temporary.path, "data");
    const store = await openLmdbStore({ directory, ...OPTIONS });
    const consumer = { namespace: "default", consumerId: "c" };
    for (let i = 1; i <= 6_000; i++) {
      await store.changeConsumer(consumer, () => {
        const position = { revision: 0, index: 0 };
        const saved = { consumerId: "c", position, createMs: 1, updateMs: i };
        return { kind: "save", result: undefined, consumer: saved };
      });
    }
    const copy = join(temporary.path, "copy");
    copyCrashed(directory, copy);
    await store.close();
    const env = openEnvironment({ directory: copy, readOnly: true });
    const { entryCount } = env.journal.getStats() as { entryCount: number };
    await env.root.close();
    expect(entryCount).toBeLessThan(4_500);
  }, 60_000);
});

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { appendPlan } from "../../../test/support/lmdb-load.ts";
import { newEvent, readFacts } from "../../../test/support/plans.ts";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import type { Store } from "../store.ts";
import { openLmdbStore } from "./store.ts";

const ref = { namespace: "default", sessionId: "s" };

function append(store: Store): Promise<number> {
  return store.changeSession({ ...ref, needWindow: true }, (view) => {
    const plan = appendPlan(ref, view, "text");
    return { kind: "save", result: plan.head?.lastSeq ?? 0, plan };
  });
}

describe("a store on a disk that is nearly full", () => {
  it("turns writes away, and lets reads, deletes and upkeep through", async () => {
    await using temporary = await makeTempDir();
    const space = { freeBytes: 1_000, totalBytes: 10_000 };
    const floor = { bytes: 500, readSpace: () => space };
    const directory = join(temporary.path, "data");
    const store = await openLmdbStore({ directory, readFacts, floor });
    expect(await append(store)).toBe(1);
    space.freeBytes = 400;
    await new Promise((resolve) => setTimeout(resolve, 600));
    await expect(append(store)).rejects.toMatchObject({ reason: "STORE_FULL" });
    expect((await store.readWindow(ref))?.window.length).toBe(1);
    await store.changeSession({ ...ref, allowWhenFull: true }, () => {
      return { kind: "save", result: undefined, plan: { remove: true, events: [newEvent(ref)] } };
    });
    const plan = {
      nowMs: 1e12,
      eventAgeMsMax: 1e15,
      eventCountMax: 1e9,
      replyAgeMsMax: 1e15,
      usageHourMin: 0,
    };
    for (let more = true; more; ) {
      more = await store.maintain(plan);
    }
    expect(await store.readWindow(ref)).toBeUndefined();
    space.freeBytes = 1_000;
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await append(store)).toBe(1);
    await store.close();
  });
});

describe("a plan that is not sound", () => {
  it("changes nothing, and the store goes on", async () => {
    await using temporary = await makeTempDir();
    const directory = join(temporary.path, "data");
    const store = await openLmdbStore({ directory, readFacts, floor: { bytes: 0 } });
    await append(store);
    const broken = store.changeSession({ ...ref, needWindow: true }, (view) => {
      const plan = appendPlan(ref, view, "text");
      const events = [newEvent(ref, { createMs: -1 })];
      return { kind: "save", result: undefined, plan: { ...plan, events } };
    });
    await expect(broken).rejects.toThrow("not sound");
    expect(await append(store)).toBe(2);
    expect(store.revision()).toBe(2);
    await store.close();
  });
});

describe("a closed store", () => {
  it("refuses every call instead of touching the files", async () => {
    await using temporary = await makeTempDir();
    const directory = join(temporary.path, "data");
    const store = await openLmdbStore({ directory, readFacts, floor: { bytes: 0 } });
    const last = append(store);
    await store.close();
    expect(await last).toBe(1);
    for (const call of [() => append(store), () => store.readWindow(ref)]) {
      await expect(call()).rejects.toMatchObject({ reason: "SHUTTING_DOWN" });
    }
  });
});

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import { appendPlan } from "../../../test/support/store/lmdb-load.ts";
import { readFixture, unpackStore } from "../../../test/support/store/old-store.ts";
import { newEvent, readFacts } from "../../../test/support/store/plans.ts";
import { revisionOf } from "../../../test/support/store/revisions.ts";
import { seal, unseal } from "../engine/envelope.ts";
import { openEnvironment } from "../engine/environment.ts";
import type { Store } from "../store.ts";
import { verifyDirectory } from "../verify/verify.ts";
import { openLmdbStore } from "./store.ts";

const MIB = 1_048_576;

const ref = { namespace: "default", sessionId: "s" };

function append(store: Store): Promise<number> {
  return store.changeSession(ref, (view) => {
    const plan = appendPlan(ref, view, "text");
    return { kind: "save", result: plan.head?.lastSeq ?? 0, plan };
  });
}

describe("a store on a disk that is nearly full", () => {
  test("turns writes away, and lets reads, deletes and upkeep through", async () => {
    await using temporary = await makeTempDir();
    const space = { freeBytes: 1_000 * MIB, totalBytes: 10_000 * MIB };
    const floor = { bytes: 500 * MIB, readSpace: () => space };
    const directory = join(temporary.path, "data");
    const store = await openLmdbStore({ directory, readFacts, floor });
    expect(await append(store)).toBe(1);
    space.freeBytes = 400 * MIB;
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
    space.freeBytes = 1_000 * MIB;
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await append(store)).toBe(1);
    await store.close();
  });
});

describe("a plan that is not sound", () => {
  test("changes nothing, and the store goes on", async () => {
    await using temporary = await makeTempDir();
    const directory = join(temporary.path, "data");
    const store = await openLmdbStore({ directory, readFacts, floor: { bytes: 0 } });
    await append(store);
    const broken = store.changeSession(ref, (view) => {
      const plan = appendPlan(ref, view, "text");
      const events = [newEvent(ref, { createMs: -1 })];
      return { kind: "save", result: undefined, plan: { ...plan, events } };
    });
    await expect(broken).rejects.toThrow("not sound");
    expect(await append(store)).toBe(2);
    expect(await revisionOf(store)).toBe(2);
    await store.close();
  });
});

describe("a closed store", () => {
  test("refuses every call instead of touching the files", async () => {
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

// Number of changes in the old store.
const OLD_COMMITS = 79;

describe("a directory of another format", () => {
  const open = (directory: string) => openLmdbStore({ directory, readFacts, floor: { bytes: 0 } });

  async function setFormat(directory: string, format: unknown): Promise<void> {
    const env = openEnvironment({ directory });
    const old = unseal("identity", env.meta.get("identity") ?? Buffer.alloc(0), "identity");
    const identity = JSON.parse(Buffer.from(old).toString()) as object;
    await env.meta.put(
      "identity",
      seal("identity", Buffer.from(JSON.stringify({ ...identity, format }))),
    );
    await env.root.close();
  }

  test("is opened when it is older, and has this one from then on", async () => {
    await using temporary = await makeTempDir();
    const directory = join(temporary.path, "data");
    const { storeId } = (await readFixture(1)).about;
    await unpackStore(1, directory);
    // Looking changes nothing.
    const report = await verifyDirectory(directory);
    expect(report).toMatchObject({ clean: true, storeId });
    for (let round = 0; round < 2; round++) {
      const store = await open(directory);
      expect([store.format, store.storeId, store.historyId]).toEqual([10, storeId, storeId]);
      expect(await append(store)).toBe(round + 1);
      expect(await revisionOf(store)).toBe(OLD_COMMITS + round + 1);
      await store.close();
    }
    const env = openEnvironment({ directory });
    const identity = unseal("identity", env.meta.get("identity") ?? Buffer.alloc(0), "identity");
    const newest = { revision: OLD_COMMITS, index: 0 };
    expect(JSON.parse(Buffer.from(identity).toString())).toEqual({
      ...{ storeId, historyId: storeId, instanceId: expect.stringMatching(/^[0-9a-f]{16}$/) },
      base: { newest, oldest: { revision: 0, index: 0 } },
      format: 10,
      updatesListed: true,
    });
    await env.root.close();
  });

  test.each([0, 11, "10", undefined])("is refused as %s, and stays as it is", async (format) => {
    await using temporary = await makeTempDir();
    const directory = join(temporary.path, "data");
    const first = await open(directory);
    await append(first);
    await first.close();
    await setFormat(directory, format);
    await expect(open(directory)).rejects.toThrow("this version reads 1 to 10");
    await setFormat(directory, 5);
    const store = await open(directory);
    expect(await append(store)).toBe(2);
    await store.close();
  });
});

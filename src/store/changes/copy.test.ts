// Copies beside other changes: what they refuse must be durable, and a trim at the seq of the copy
// must not part the copy's window from its past.

import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeTempDir } from "../../../test/support/kit/temp-dir.ts";
import { appendPlan } from "../../../test/support/store/lmdb-load.ts";
import {
  newEvent,
  newFields,
  newHead,
  rangesOf,
  readFacts,
  totalsOf,
} from "../../../test/support/store/plans.ts";
import { sessionAlreadyExists } from "../../kit/errors.ts";
import type { SessionRef } from "../../session/rules/session.ts";
import { openLmdbStore } from "../lmdb/store.ts";
import type { Store } from "../store.ts";

const refOf = (sessionId: string) => ({ namespace: "default", sessionId });
const OPTIONS = { readFacts, floor: { bytes: 0 } };

function append(store: Store, ref: SessionRef): Promise<void> {
  return store.changeSession(ref, (view) => {
    return { kind: "save", result: undefined, plan: appendPlan(ref, view, "text") };
  });
}

/** Leaves the newest message in the window. */
function trim(store: Store, ref: SessionRef): Promise<void> {
  return store.changeSession(ref, (view) => {
    const window = view.window().slice(-1) ?? [];
    const head = {
      ...(view.session?.head ?? newHead()),
      window: totalsOf(window),
      windowRanges: rangesOf(window.map(({ seq }) => seq)),
    };
    const plan = { head, window, windowTrimmed: true, events: [newEvent(ref)] };
    return { kind: "save", result: undefined, plan };
  });
}

function copy(store: Store, source: SessionRef, target: SessionRef): Promise<void> {
  return store.copySession({ source, target }, (view) => {
    if (view.target !== undefined) throw sessionAlreadyExists(target.sessionId);
    const { copied } = view;
    const lastSeq = view.source?.head.lastSeq ?? 0;
    if (copied === undefined) return { kind: "copy", atSeq: lastSeq };
    const windowRanges = rangesOf(copied.window.map(({ seq }) => seq));
    const window = totalsOf(copied.window);
    const head = newHead({ lastSeq, log: copied.log, window, windowRanges });
    const events = [newEvent(target)];
    return { kind: "save", result: undefined, fields: newFields(), head, events };
  });
}

describe("a copy", () => {
  test("is refused for a target only once that is durable", async () => {
    await using temporary = await makeTempDir();
    const store = await openLmdbStore({ directory: join(temporary.path, "data"), ...OPTIONS });
    await append(store, refOf("s"));
    let isDurable = false;
    const created = append(store, refOf("t")).then(() => {
      isDurable = true;
    });
    await expect(copy(store, refOf("s"), refOf("t"))).rejects.toThrow("already exists");
    expect(isDurable).toBe(true);
    await created;
    await store.close();
  });

  test("is there, or refused, after a close that came in between", async () => {
    await using temporary = await makeTempDir();
    for (let turns = 0; turns < 30; turns++) {
      const directory = join(temporary.path, `data-${turns}`);
      const store = await openLmdbStore({ directory, ...OPTIONS });
      await append(store, refOf("s"));
      const copied = copy(store, refOf("s"), refOf("t")).then(
        () => "done",
        (error: { reason?: string }) => error.reason,
      );
      for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
      await store.close();
      const outcome = await copied;
      const again = await openLmdbStore({ directory, ...OPTIONS });
      const found = await again.readSession(refOf("t"));
      expect(outcome).toBe(found === undefined ? "SHUTTING_DOWN" : "done");
      await again.close();
    }
  });

  test("beside a trim has one window, now and in its past", async () => {
    await using temporary = await makeTempDir();
    const store = await openLmdbStore({ directory: join(temporary.path, "data"), ...OPTIONS });
    const windows = new Set<number>();
    for (let turns = 0; turns <= 40; turns++) {
      const source = refOf(`s${turns}`);
      const target = refOf(`t${turns}`);
      for (let i = 0; i < 4; i++) await append(store, source);
      const copied = copy(store, source, target);
      for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
      if (turns === 40) await copied;
      await Promise.all([copied, trim(store, source)]);
      const now = (await store.readWindow(target))?.window.map(({ seq }) => seq);
      const past = (await store.readWindowAt(target, 4))?.window?.map(({ seq }) => seq);
      expect(past).toEqual(now);
      windows.add(now?.length ?? 0);
    }
    expect(windows).toEqual(new Set([1, 4]));
    await store.close();
  });
});

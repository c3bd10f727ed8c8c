// Conformance: the events, their pages, positions and retention.

import { describe, expect } from "vitest";
import { EVENT_TYPE, type EventPosition } from "../../../src/events/rules/event.ts";
import type { EventQuery, StoredEvent } from "../../../src/store/store.ts";
import { plain } from "../../support/kit/plain.ts";
import { newEvent, newFields, newHead, START_MS } from "../../support/store/plans.ts";
import { allEvents } from "../../support/store/read-all.ts";
import { newestOf, oldestOf, oldestRevisionOf, revisionOf } from "../../support/store/revisions.ts";
import { type OpenEngine, type Ref, refOf, type Scene, testsOn } from "../scene.ts";
import { settle } from "./upkeep.ts";

const START: EventPosition = { revision: 0, index: 0 };

type EventParts = Partial<Omit<StoredEvent, "revision" | "index" | "namespace" | "sessionId">>;

/** Saves one change with these events. */
async function emit(scene: Scene, ref: Ref, ...parts: readonly EventParts[]): Promise<number> {
  const target = refOf(ref);
  return await scene.store.changeSession(target, (view) => ({
    kind: "save",
    result: view.revision,
    plan: {
      fields: newFields(),
      head: newHead({ revision: view.revision }),
      events: parts.map((part) => newEvent(target, part)),
    },
  }));
}

function places(events: readonly StoredEvent[]): readonly string[] {
  return events.map(({ revision, index }) => `${revision}.${index}`);
}

/** Five revisions with two events each, one millisecond apart. */
async function emitFive(scene: Scene): Promise<void> {
  for (let n = 0; n < 5; n += 1) {
    await emit(scene, "s", { createMs: START_MS + n }, { createMs: START_MS + n });
  }
}

function query(parts: Partial<EventQuery> = {}): EventQuery {
  return { namespace: "default", after: START, limit: 100, maxBytes: 1_000_000, ...parts };
}

/** Declares the tests of reading events. */
export function eventSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("events", () => {
    test("are kept as the plan has them, numbered from 0 in their revision", async (scene) => {
      const body = Uint8Array.from([0, 1, 255, 254]);
      const first = { type: EVENT_TYPE.sessionCreated, userId: "u", createMs: 5, body };
      const second = { type: EVENT_TYPE.messageDeleted, createMs: 7, body: new Uint8Array(0) };
      await emit(scene, "s", first, second);
      const { events } = await scene.store.listEvents(query());
      const at = { namespace: "default", sessionId: "s", revision: 1 };
      expect(plain(events)).toEqual(
        plain([
          { ...at, ...first, index: 0 },
          { ...at, ...second, userId: "", index: 1 },
        ]),
      );
    });

    test("have revisions without a gap; what is no change has none", async (scene) => {
      await scene.append("a", 2, { looks: true, keep: 1 });
      await scene.run("look", "a", { looks: false, messageIds: [] });
      await scene.store.changeConsumer({ namespace: "default", consumerId: "c" }, () => ({
        kind: "save",
        result: 0,
        consumer: { consumerId: "c", position: START, createMs: 1, updateMs: 1 },
      }));
      await scene.fork("a", "b");
      await scene.run("remove", "a", {});
      expect(places(await scene.events())).toEqual(["1.0", "1.1", "2.0", "3.0"]);
      expect(await revisionOf(scene.store)).toBe(3);
    });

    test("are given after a position, which may lie anywhere", async (scene) => {
      await emitFive(scene);
      const from = async (revision: number, index: number) =>
        places((await scene.store.listEvents(query({ after: { revision, index } }))).events);
      expect((await from(0, 0)).length).toBe(10);
      expect(await from(3, 0)).toEqual(["3.1", "4.0", "4.1", "5.0", "5.1"]);
      expect(await from(3, 1)).toEqual(["4.0", "4.1", "5.0", "5.1"]);
      expect(await from(4, 7)).toEqual(["5.0", "5.1"]);
      expect(await from(5, 1)).toEqual([]);
      for (const after of [
        { revision: 5, index: 2 },
        { revision: 6, index: 0 },
      ]) {
        const listed = scene.store.listEvents(query({ after }));
        await expect(listed).rejects.toMatchObject({ reason: "RESUME_TOKEN_INVALID" });
      }
    });

    test("are filtered by namespace, session, user and type", async (scene) => {
      const types = [EVENT_TYPE.sessionCreated, EVENT_TYPE.sessionReset];
      for (const namespace of ["a", "b"]) {
        for (const sessionId of ["x", "y"]) {
          for (const userId of ["", "u", "v"]) {
            await emit(scene, { namespace, sessionId }, ...types.map((type) => ({ userId, type })));
          }
        }
      }
      const count = async (parts: Partial<EventQuery>) =>
        (await allEvents(scene.store, query({ namespace: "a", limit: 5, ...parts }))).events.length;
      expect(await count({})).toBe(12);
      expect(await count({ namespace: "c" })).toBe(0);
      expect(await count({ sessionId: "x" })).toBe(6);
      expect(await count({ userId: "u" })).toBe(4);
      expect(await count({ sessionIds: new Set(["y", "z"]) })).toBe(6);
      expect(await count({ sessionIds: new Set(["z"]), sessionIdPrefixes: ["x"] })).toBe(6);
      expect(await count({ sessionIds: new Set(["y"]), sessionIdPrefixes: ["x", "z"] })).toBe(12);
      expect(await count({ sessionIds: new Set(["y"]), sessionId: "x" })).toBe(0);
      expect(await count({ types: new Set([EVENT_TYPE.sessionReset]) })).toBe(6);
      expect(await count({ types: new Set(types), userId: "v", sessionId: "y" })).toBe(2);
      expect(await count({ types: new Set([EVENT_TYPE.sessionDeleted]) })).toBe(0);
    });

    test("come in pages without gap or repeat, whatever the limit", async (scene) => {
      await emitFive(scene);
      await emit(scene, { namespace: "other", sessionId: "s" }, {}, {}, {});
      await emit(scene, "s", {}, {}, {});
      const whole = places((await scene.store.listEvents(query())).events);
      expect(whole.length).toBe(13);
      for (const limit of [1, 2, 3, 5, 12, 13, 14]) {
        const { events, position } = await allEvents(scene.store, query({ limit }));
        expect(places(events)).toEqual(whole);
        expect(position).toEqual(await newestOf(scene.store));
      }
    });

    test("end a page once it has the bytes asked for, with at least one event", async (scene) => {
      const body = new Uint8Array(100);
      for (let n = 0; n < 10; n += 1) await emit(scene, "s", { body });
      for (const maxBytes of [1, 99, 100, 101, 250, 999, 1_000, 5_000]) {
        const page = await scene.store.listEvents(query({ maxBytes }));
        const least = Math.max(1, Math.floor(maxBytes / 100));
        expect(page.events.length).toBeGreaterThanOrEqual(Math.min(10, least));
        expect(page.events.length).toBeLessThanOrEqual(Math.min(10, Math.ceil(maxBytes / 100)));
        const { events } = await allEvents(scene.store, query({ maxBytes }));
        expect(events.length).toBe(10);
      }
    });

    test("say whether a page reaches the newest one", async (scene) => {
      expect(await scene.store.listEvents(query())).toEqual({
        events: [],
        position: START,
        atEnd: true,
      });
      await emitFive(scene);
      expect((await scene.store.listEvents(query({ limit: 3 }))).atEnd).toBe(false);
      expect((await scene.store.listEvents(query({ limit: 11 }))).atEnd).toBe(true);
      const none = await scene.store.listEvents(query({ namespace: "none" }));
      expect(none).toEqual({ events: [], position: START, atEnd: true });
    });

    test("are counted in each namespace by itself", async (scene) => {
      const other = { namespace: "other", sessionId: "s" };
      const revisions: number[] = [];
      for (const ref of ["s", other, other, "s", other]) revisions.push(await emit(scene, ref, {}));
      expect(revisions).toEqual([1, 1, 2, 2, 3]);
      await scene.engine.reopen();
      expect(places(await scene.events())).toEqual(["1.0", "2.0"]);
      expect(places(await scene.events("other"))).toEqual(["1.0", "2.0", "3.0"]);
      expect(await emit(scene, "s", {}, {})).toBe(3);
      expect(await newestOf(scene.store)).toEqual({ revision: 3, index: 1 });
      expect(await newestOf(scene.store, "other")).toEqual({ revision: 3, index: 0 });
      expect(await newestOf(scene.store, "none")).toEqual(START);
    });

    test("are counted from a position, those of the namespace only", async (scene) => {
      await emitFive(scene);
      const { newest } = await scene.store.positions("default");
      for (let n = 0; n < 5; n += 1) await emit(scene, { namespace: "other", sessionId: "s" }, {});
      const count = (after: EventPosition) => scene.store.countRevisions("default", after);
      expect(await count(newest)).toBe(0);
      expect(await count({ revision: 3, index: 0 })).toBe(2);
      expect(await count(START)).toBe(5);
      await settle(scene.store, { eventCountMax: 9 });
      expect(await count(START)).toBe(2);
      expect(await scene.store.countRevisions("other", START)).toBe(5);
    });

    test("have positions of the newest and of the start", async (scene) => {
      expect(await oldestRevisionOf(scene.store)).toBe(1);
      await emit(scene, "s", {});
      expect(await newestOf(scene.store)).toEqual({ revision: 1, index: 0 });
      await emit(scene, "s", {}, {}, {});
      expect(await newestOf(scene.store)).toEqual({ revision: 2, index: 2 });
      expect(await oldestRevisionOf(scene.store)).toBe(1);
      const after = await oldestOf(scene.store);
      expect((await scene.store.listEvents(query({ after }))).events.length).toBe(4);
    });
  });

  describe("a listener of events", () => {
    test("hears every event once, in order, when it can be read", async (scene) => {
      const heard: StoredEvent[] = [];
      const faults: string[] = [];
      const checks: Promise<void>[] = [];
      scene.store.onCommit(({ events }) => {
        const last = events.at(-1);
        const check = newestOf(scene.store).then((newest) => {
          if (last === undefined || last.revision > newest.revision) faults.push("not durable");
        });
        checks.push(check);
        heard.push(...events);
      });
      const appends = Array.from({ length: 40 }, (_, n) =>
        scene.append(`s${n % 5}`, 3, n % 2 === 0 ? {} : { looks: true, keep: 2 }),
      );
      await Promise.all(appends);
      await scene.fork("s0", "t");
      await Promise.all(checks);
      expect(faults).toEqual([]);
      expect(plain(heard)).toEqual(plain(await scene.events()));
    });

    test("hears of a change before whoever made it is answered", async (scene) => {
      const heard = new Set<string>();
      scene.store.onCommit(({ events }) => {
        for (const { sessionId } of events) heard.add(sessionId);
      });
      const unheard: string[] = [];
      const write = async (session: string): Promise<void> => {
        await scene.append(session, 2);
        if (!heard.has(refOf(session).sessionId)) unheard.push(session);
      };
      await Promise.all(Array.from({ length: 30 }, (_, n) => write(`s${n}`)));
      await scene.fork("s0", "copy");
      expect(heard.has(refOf("copy").sessionId)).toBe(true);
      expect(heard.size).toBe(31);
      expect(unheard).toEqual([]);
    });

    test("hears nothing more once it is stopped", async (scene) => {
      const heard = [0, 0];
      const stop = scene.store.onCommit(({ events }) => {
        heard[0] = (heard[0] ?? 0) + events.length;
      });
      scene.store.onCommit(({ events }) => {
        heard[1] = (heard[1] ?? 0) + events.length;
      });
      await emit(scene, "s", {});
      stop();
      stop();
      await emit(scene, "s", {}, {});
      expect(heard).toEqual([1, 3]);
    });

    test("hears nothing of what failed", async (scene) => {
      const heard: StoredEvent[] = [];
      scene.store.onCommit(({ events }) => heard.push(...events));
      await scene.run("remove", "none", {}).catch(() => 0);
      await scene.run("look", "none", { looks: false, messageIds: [] }).catch(() => 0);
      expect(heard).toEqual([]);
    });
  });
  retentionSuite(open);
}

function retentionSuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("old events", () => {
    test("are dropped by number, the oldest first", async (scene) => {
      await emitFive(scene);
      await settle(scene.store, { eventCountMax: 10 });
      expect((await scene.events()).length).toBe(10);
      await settle(scene.store, { eventCountMax: 6 });
      expect(places(await scene.events())).toEqual(["3.0", "3.1", "4.0", "4.1", "5.0", "5.1"]);
      expect(await oldestRevisionOf(scene.store)).toBe(3);
      expect(await newestOf(scene.store)).toEqual({ revision: 5, index: 1 });
      await settle(scene.store, { eventCountMax: 5 });
      // Whole revisions only.
      expect(places(await scene.events())).toEqual(["4.0", "4.1", "5.0", "5.1"]);
      expect(await oldestRevisionOf(scene.store)).toBe(4);
    });

    test("are dropped by age, once older than said", async (scene) => {
      await emitFive(scene);
      await settle(scene.store, { nowMs: START_MS + 1_002, eventAgeMsMax: 1_002 });
      expect(await oldestRevisionOf(scene.store)).toBe(1);
      await settle(scene.store, { nowMs: START_MS + 1_003, eventAgeMsMax: 1_002 });
      expect(await oldestRevisionOf(scene.store)).toBe(2);
      await settle(scene.store, { nowMs: START_MS + 1_003, eventAgeMsMax: 1_000 });
      expect(places(await scene.events())).toEqual(["4.0", "4.1", "5.0", "5.1"]);
    });

    test("expire the positions before them, and no other", async (scene) => {
      await emitFive(scene);
      await settle(scene.store, { eventCountMax: 6 });
      const expired = {
        reason: "RESUME_TOKEN_EXPIRED",
        detail: { metadata: { oldest_revision: 3 } },
      };
      for (const after of [START, { revision: 1, index: 1 }, { revision: 2, index: 0 }]) {
        const listed = scene.store.listEvents(query({ after }));
        await expect(listed).rejects.toMatchObject(expired);
      }
      for (const after of [{ revision: 2, index: 1 }, await oldestOf(scene.store)]) {
        const { events } = await scene.store.listEvents(query({ after }));
        expect(places(events)[0]).toBe("3.0");
        expect(events.length).toBe(6);
      }
    });

    test("of one namespace leave the positions of another as they are", async (scene) => {
      const other = { namespace: "other", sessionId: "s" };
      await emit(scene, "s", {}, {});
      for (let n = 0; n < 3; n += 1) await emit(scene, other, {});
      await emit(scene, "s", {});
      await settle(scene.store, { eventCountMax: 4 });
      expect(await scene.store.positions("other")).toEqual({
        newest: { revision: 3, index: 0 },
        oldest: START,
      });
      expect(places(await scene.events("other"))).toEqual(["1.0", "2.0", "3.0"]);
      expect(places(await scene.events())).toEqual(["2.0"]);
      await settle(scene.store, { eventCountMax: 2 });
      expect(places(await scene.events("other"))).toEqual(["3.0"]);
      expect(await oldestOf(scene.store)).toEqual({ revision: 1, index: 1 });
      const listed = scene.store.listEvents(query({ namespace: "other", after: START }));
      await expect(listed).rejects.toMatchObject({ reason: "RESUME_TOKEN_EXPIRED" });
    });

    test("are gone for good, and the numbers go on", async (scene) => {
      await emitFive(scene);
      await settle(scene.store, { eventCountMax: 0 });
      for (let round = 0; round < 2; round += 1) {
        expect(await scene.events()).toEqual([]);
        expect(await revisionOf(scene.store)).toBe(5);
        expect(await oldestRevisionOf(scene.store)).toBe(6);
        expect(await newestOf(scene.store)).toEqual({ revision: 5, index: 1 });
        const page = await scene.store.listEvents(query({ after: await newestOf(scene.store) }));
        expect(page).toMatchObject({ events: [], atEnd: true });
        const listed = scene.store.listEvents(query({ after: { revision: 5, index: 0 } }));
        await expect(listed).rejects.toMatchObject({ reason: "RESUME_TOKEN_EXPIRED" });
        await scene.engine.reopen();
      }
      expect(await emit(scene, "s", {})).toBe(6);
      expect(places(await scene.events())).toEqual(["6.0"]);
      expect(await oldestRevisionOf(scene.store)).toBe(6);
    });

    test("are dropped in many steps when there are many", async (scene) => {
      const parts = Array.from({ length: 100 }, () => ({ createMs: START_MS }));
      for (let n = 0; n < 50; n += 1) await emit(scene, "s", ...parts);
      await settle(scene.store, { eventCountMax: 300 });
      expect((await scene.events()).length).toBe(300);
      await scene.engine.reopen();
      expect((await scene.events()).length).toBe(300);
      await settle(scene.store, { nowMs: START_MS + 10, eventAgeMsMax: 5 });
      expect(await scene.events()).toEqual([]);
    });
  });
}

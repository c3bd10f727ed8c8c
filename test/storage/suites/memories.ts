// Conformance: memories, what finds them, and their former states.

import { describe, expect } from "vitest";
import { consumerNotFound } from "../../../src/kit/errors.ts";
import { LIMITS } from "../../../src/kit/limits.ts";
import { MEMORY_KINDS, type MemoryScope, SHARED_SCOPE } from "../../../src/memory/rules/memory.ts";
import {
  nameKeyOf,
  promotionKeyOf,
  promotionMark,
  promotionPart,
} from "../../../src/memory/rules/text-key.ts";
import { scopeIdOf } from "../../../src/store/scope-id.ts";
import type { MemoryPlan } from "../../../src/store/store.ts";
import { plain } from "../../support/kit/plain.ts";
import { newVector } from "../../support/store/documents.ts";
import { fullMemory, newMemory } from "../../support/store/memories.ts";
import {
  changeMemories,
  type MemoryAction,
  type MemoryDraft,
} from "../../support/store/memory-actions.ts";
import { newEvent, START_MS } from "../../support/store/plans.ts";
import {
  allMemories,
  allScopes,
  dumpAllMemories,
  dumpMemories,
} from "../../support/store/read-memories.ts";
import { revisionOf } from "../../support/store/revisions.ts";
import { type OpenEngine, type Scene, testsOn } from "../scene.ts";

const NAMESPACE = "default";
const ANN: MemoryScope = { userId: "ann", agentId: "", sessionId: "" };
const EVENTS = [newEvent({ namespace: NAMESPACE, sessionId: "" })];

function change(scene: Scene, parts: Partial<MemoryAction>) {
  const base = { namespace: NAMESPACE, sessionId: "", nowMs: START_MS };
  return changeMemories(scene.store, { kind: "memories", ...base, ...parts });
}

function draft(memoryId: string, parts: Partial<MemoryDraft> = {}): MemoryDraft {
  return { memoryId, kind: "fact", scope: ANN, text: `text of ${memoryId}`, ...parts };
}

function put(scene: Scene, ids: readonly string[], parts: Partial<MemoryDraft> = {}) {
  return change(scene, { put: ids.map((id) => draft(id, parts)) });
}

function save(scene: Scene, plan: MemoryPlan, namespace = NAMESPACE): Promise<unknown> {
  return scene.store.changeMemories({ namespace }, () => ({
    kind: "save",
    result: 0,
    plan: { nowMs: START_MS, events: EVENTS, ...plan },
  }));
}

async function idsOf(scene: Scene, parts: object = {}): Promise<string> {
  const query = { namespace: NAMESPACE, order: "asc", limit: 7, ...parts } as const;
  return (await allMemories(scene.store, query)).map(({ memoryId }) => memoryId).join(" ");
}

async function rankedIds(scene: Scene, parts: object): Promise<string> {
  const base = { namespace: NAMESPACE, scope: ANN, order: "asc", limit: 100 } as const;
  const query = { ...base, tier: "long-term", ...parts } as const;
  return (await scene.store.rankedMemories(query)).map(({ memoryId }) => memoryId).join(" ");
}

/** Declares the tests of memories. */
export function memorySuite(open: OpenEngine): void {
  const test = testsOn(open);
  describe("a memory", () => {
    test("is kept as it is saved, of every kind", async (scene) => {
      const all = MEMORY_KINDS.map((kind, at) =>
        fullMemory({ memoryId: `m${at}`, memoryNo: at + 1, kind }),
      );
      const bare = newMemory({ memoryId: "\u{1f600}#", memoryNo: 8, content: { text: "" } });
      await save(scene, { put: [...all, bare] });
      for (let round = 0; round < 2; round += 1) {
        const found = await allMemories(scene.store, {
          namespace: NAMESPACE,
          order: "asc",
          limit: 3,
        });
        expect(found.map(plain)).toEqual([...all, bare].map(plain));
        expect(plain(await scene.store.readMemory(NAMESPACE, "m3"))).toEqual(plain(all[3]));
        const [first] = await scene.store.listMemoryVersions(NAMESPACE, "m4", { limit: 2 });
        expect(plain(first)).toEqual(plain(all[4]));
        await scene.engine.reopen();
      }
      expect(await scene.store.readMemory(NAMESPACE, "x")).toBeUndefined();
      expect(await scene.store.readMemory("x", "m3")).toBeUndefined();
      const some = await scene.store.readMemories(NAMESPACE, ["m1", "x", "m6", "m1"]);
      expect([...some.keys()]).toEqual(["m1", "m6"]);
    });

    test("never takes a number again", async (scene) => {
      await put(scene, ["a", "b", "c"]);
      await change(scene, { remove: ["c"] });
      await put(scene, ["c"]);
      await change(scene, { remove: ["a", "b", "c"] });
      await scene.engine.reopen();
      expect((await put(scene, ["d"])).seen[0]).toBe(5);
      expect((await scene.store.readMemory(NAMESPACE, "d"))?.memoryNo).toBe(5);
      expect((await change(scene, { namespace: "x", put: [draft("d")] })).seen[0]).toBe(1);
    });

    test("may take the id of one that goes with the same change", async (scene) => {
      await put(scene, ["a", "b"], { scope: ANN });
      await put(scene, ["a"], { text: "changed" });
      const anew = newMemory({ memoryId: "a", memoryNo: 3, content: { text: "anew" } });
      await save(scene, { put: [anew], remove: ["a"] });
      for (let round = 0; round < 2; round += 1) {
        expect(await idsOf(scene)).toBe("b a");
        expect(plain(await scene.store.readMemory(NAMESPACE, "a"))).toEqual(plain(anew));
        const states = await scene.store.listMemoryVersions(NAMESPACE, "a", { limit: 9 });
        expect(states.map(plain)).toEqual([plain(anew)]);
        expect(await rankedIds(scene, {})).toBe("b");
        expect(await rankedIds(scene, { scope: SHARED_SCOPE })).toBe("a");
        await scene.engine.reopen();
      }
    });

    test("gets stronger without a new state", async (scene) => {
      await put(scene, ["a"]);
      await put(scene, ["a"], { strengthen: true });
      await put(scene, ["a"], { strengthen: true });
      await scene.engine.reopen();
      const found = await scene.store.readMemory(NAMESPACE, "a");
      expect(found).toMatchObject({ version: 1, etagRevision: 3 });
      expect(found?.strength).toEqual({
        confidence: 0.25,
        mentionCount: 3,
        lastSeenMs: START_MS,
        decayMs: START_MS + 1,
      });
      const states = await scene.store.listMemoryVersions(NAMESPACE, "a", { limit: 9 });
      expect(states.length).toBe(1);
    });

    test("keeps the sources of both when it is said again, without a new state", async (scene) => {
      await put(scene, ["a"]);
      const memory = await scene.store.readMemory(NAMESPACE, "a");
      const messageIds = ["m1", "m2"];
      const source = { origin: "turn", sessionId: "s", messageIds, hook: "", model: "" } as const;
      if (memory !== undefined) await save(scene, { put: [{ ...memory, source }] });
      for (let round = 0; round < 2; round += 1) {
        const found = await scene.store.readMemory(NAMESPACE, "a");
        expect(found).toMatchObject({ version: 1, source });
        await scene.engine.reopen();
      }
    });

    test("is found by the messages of its further sources, too", async (scene) => {
      const foundBy = (sessionId: string, messageId: string) =>
        scene.store.changeMemories({ namespace: NAMESPACE }, ({ memories }) => {
          const found = memories.bySource(sessionId, messageId, 9);
          return { kind: "answer", result: found.map(({ memoryId }) => memoryId).join(" ") };
        });
      await put(scene, ["a"], { messageIds: ["m1"] });
      const memory = await scene.store.readMemory(NAMESPACE, "a");
      if (memory === undefined) throw new Error("no memory");
      const owner = { userId: "", agentId: "b" };
      const further = [
        { sessionId: "s", messageIds: ["m1", "m2"], isCut: true },
        { sessionId: "t", messageIds: ["m1", "m3"], owner },
        { sessionId: "", messageIds: [], owner, isCut: true },
      ];
      await save(scene, { put: [{ ...memory, source: { ...memory.source, further } }] });
      for (let round = 0; round < 2; round += 1) {
        const found = await scene.store.readMemory(NAMESPACE, "a");
        expect(found?.source).toEqual({ ...memory.source, further });
        expect(await foundBy("s", "m1")).toBe("a");
        expect(await foundBy("s", "m2")).toBe("a");
        expect(await foundBy("t", "m3")).toBe("a");
        expect(await foundBy("t", "m2")).toBe("");
        await scene.engine.reopen();
      }
      const fewer = [{ sessionId: "t", messageIds: ["m1"], owner }];
      await save(scene, { put: [{ ...memory, source: { ...memory.source, further: fewer } }] });
      expect(await foundBy("t", "m1")).toBe("a");
      expect(await foundBy("t", "m3")).toBe("");
      await change(scene, { remove: ["a"] });
      expect(await foundBy("s", "m1")).toBe("");
      expect(await foundBy("t", "m1")).toBe("");
    });

    test("is found by the messages that it names now, in every scope and state", async (scene) => {
      const foundBy = (messageId: string, parts: { limit?: number; sessionId?: string } = {}) =>
        scene.store.changeMemories({ namespace: NAMESPACE }, ({ memories }) => {
          const { limit = 9, sessionId = "s" } = parts;
          const found = memories.bySource(sessionId, messageId, limit);
          return { kind: "answer", result: found.map(({ memoryId }) => memoryId).join(" ") };
        });
      await put(scene, ["a"], { messageIds: ["m1", "m2", "m1"] });
      await put(scene, ["b"], { messageIds: ["m2"], scope: SHARED_SCOPE });
      await put(scene, ["c"], { messageIds: ["m2"], past: true });
      await put(scene, ["d"]);
      for (let round = 0; round < 2; round += 1) {
        expect(await foundBy("m1")).toBe("a");
        expect(await foundBy("m2")).toBe("a b c");
        expect(await foundBy("m2", { limit: 2 })).toBe("a b");
        expect(await foundBy("m2", { sessionId: "" })).toBe("");
        expect(await foundBy("m2", { sessionId: "x" })).toBe("");
        expect(await foundBy("")).toBe("");
        await scene.engine.reopen();
      }
      await put(scene, ["a"], { messageIds: ["m3"], strengthen: true });
      await put(scene, ["b"], { messageIds: ["m3", "m2"] });
      await change(scene, { remove: ["c"] });
      for (let round = 0; round < 2; round += 1) {
        expect(await foundBy("m1")).toBe("");
        expect(await foundBy("m2")).toBe("b");
        expect(await foundBy("m3")).toBe("a b");
        await scene.engine.reopen();
      }
    });

    test("is shown to decide, whether it is durable or not", async (scene) => {
      const results = await Promise.all([
        put(scene, ["a", "b"]),
        put(scene, ["b"], { text: "new" }),
        change(scene, { remove: ["a"] }),
        put(scene, ["a", "b"]),
      ]);
      const known = results.map(({ seen }) =>
        seen.slice(1).map((one) => (one as readonly string[])[0]),
      );
      expect(known).toEqual([
        ["none", "none"],
        ["2|b|1|active|1|text of b"],
        [],
        ["none", "2|b|2|active|1|new"],
      ]);
      expect(results.map(({ seen }) => seen[0])).toEqual([1, 3, 3, 3]);
      expect(await revisionOf(scene.store)).toBe(4);
    });

    test("comes with its events, or not at all", async (scene) => {
      await put(scene, ["a"]);
      const thrown = consumerNotFound("x");
      const failed = scene.store.changeMemories({ namespace: NAMESPACE }, () => {
        throw thrown;
      });
      await expect(failed).rejects.toBe(thrown);
      const answer = scene.store.changeMemories({ namespace: NAMESPACE }, () => ({
        kind: "answer",
        result: 7,
      }));
      expect(await answer).toBe(7);
      expect(await revisionOf(scene.store)).toBe(1);
      expect((await scene.events()).length).toBe(1);
    });

    test("is written once for a request id", async (scene) => {
      const again = () => change(scene, { put: [draft("a")], requestId: "r" });
      const results = await Promise.all([again(), again(), again()]);
      expect(results.filter(({ replayed }) => replayed === true).length).toBe(2);
      await scene.engine.reopen();
      expect((await again()).replayed).toBe(true);
      expect(await revisionOf(scene.store)).toBe(1);
    });

    test("goes with everything that was said of it", async (scene) => {
      await put(scene, ["a"], { key: "k", ttlMs: 5 });
      await put(scene, ["a"], { text: "new" });
      const before = plain(await dumpMemories(scene.store, NAMESPACE));
      expect(before).toMatchObject({ down: "1" });
      await change(scene, { remove: ["a"] });
      await scene.engine.reopen();
      const { seen } = await put(scene, ["b"], { key: "k", text: "text of a" });
      expect(seen[1]).toEqual([
        "none",
        "",
        "",
        "",
        "",
        ["", "", ""],
        ["", "", ""],
        "",
        [],
        "0,0,0,0,0",
        ["", "", "", "", ""],
      ]);
      await change(scene, { remove: ["b"] });
      expect(await dumpMemories(scene.store, NAMESPACE)).toEqual({
        memories: [],
        down: "",
        states: [],
        scopes: [],
        vectors: [],
        jobs: [],
      });
      expect(await dumpAllMemories(scene.store)).toMatchObject({ namespaces: [], expired: [] });
    });

    test("does not go with a session", async (scene) => {
      await scene.append("s", 2);
      await put(scene, ["a"], { scope: { userId: "", agentId: "", sessionId: "s" } });
      await scene.run("remove", "s", {});
      expect(await idsOf(scene)).toBe("a");
    });
  });

  describe("a plan for memories", () => {
    const known = newMemory({ memoryId: "a", memoryNo: 1 });
    const plans: Readonly<Record<string, MemoryPlan>> = {
      "another number": { put: [newMemory({ memoryId: "b", memoryNo: 4 })] },
      "a memory twice": { put: [known, known] },
      "no id": { put: [newMemory({ memoryId: "", memoryNo: 2 })] },
      "a later revision": { put: [newMemory({ memoryId: "b", memoryNo: 2, etagRevision: 3 })] },
      "a late first state": { put: [newMemory({ memoryId: "b", memoryNo: 2, version: 2 })] },
      "a skipped state": { put: [{ ...known, version: 3 }] },
      "a state that is gone": { put: [{ ...known, version: 0 }] },
      "a state back in time": { put: [{ ...known, version: 2, updateMs: START_MS - 1 }] },
      "a change without a state": { put: [{ ...known, reason: "other" }] },
      "another kind": { put: [{ ...known, version: 2, kind: "knowledge" }] },
      "another scope": { put: [{ ...known, version: 2, scope: ANN }] },
      "another age": { put: [{ ...known, version: 2, createMs: 5 }] },
      "a structure that is missing": {
        put: [{ ...newMemory({ memoryId: "b", memoryNo: 2 }), kind: "entity" }],
      },
      "an active one that is superseded": { put: [{ ...known, supersededBy: "b" }] },
      "a rank that is none": {
        put: [newMemory({ memoryId: "b", memoryNo: 2, content: { importance: -1 } })],
      },
      "a count that is none": {
        put: [newMemory({ memoryId: "b", memoryNo: 2, strength: { mentionCount: 0.5 } })],
      },
      "the end of one that is not there": { remove: ["b"] },
      "one end twice": { remove: ["a", "a"] },
      "an end and a state": { put: [known], remove: ["a"] },
      "a promoted text without a key": { promoted: [{ scope: ANN, promotionKey: "" }] },
    };
    for (const [name, plan] of Object.entries(plans)) {
      test(`changes nothing when it has ${name}`, async (scene) => {
        await save(scene, { put: [known] });
        const before = plain(await dumpMemories(scene.store, NAMESPACE));
        const good = newMemory({ memoryId: "good", memoryNo: 2 });
        const isNext = plan.put?.some(({ memoryNo }) => memoryNo === 2) ?? false;
        const whole = isNext ? plan : { ...plan, put: [good, ...(plan.put ?? [])] };
        await expect(save(scene, whole)).rejects.toThrow(/plan/);
        expect(plain(await dumpMemories(scene.store, NAMESPACE))).toEqual(before);
        expect(await revisionOf(scene.store)).toBe(1);
      });
    }

    test("needs an event and a time", async (scene) => {
      const faulty = (plan: object) =>
        scene.store.changeMemories({ namespace: NAMESPACE }, () => ({
          kind: "save",
          result: 0,
          plan: { nowMs: START_MS, events: EVENTS, put: [known], ...plan },
        }));
      await expect(faulty({ events: [] })).rejects.toThrow();
      await expect(faulty({ nowMs: -1 })).rejects.toThrow();
      expect(await scene.store.readMemory(NAMESPACE, "a")).toBeUndefined();
    });
  });

  describe("a former state", () => {
    test("is kept as it was", async (scene) => {
      const first = fullMemory({ memoryId: "a", memoryNo: 1, kind: "entity" });
      const second = {
        ...first,
        content: { ...first.content, text: "new", importance: 1 },
        persistent: false,
        ttlMs: 0,
        version: 2,
        etagRevision: 2,
        updateMs: START_MS + 10,
      };
      const strength = { confidence: 0.9, mentionCount: 8, lastSeenMs: 3, decayMs: 4 };
      const past = { state: "superseded", supersededBy: "b", writer: "server" } as const;
      const third = { ...second, ...past, strength, version: 3 };
      await save(scene, { put: [first] });
      await save(scene, { put: [second] });
      await save(scene, { put: [third] });
      await scene.engine.reopen();
      const list = (page: { readonly before?: number; readonly limit: number }) =>
        scene.store.listMemoryVersions(NAMESPACE, "a", page);
      expect((await list({ limit: 9 })).map(plain)).toEqual([third, second, first].map(plain));
      expect((await list({ limit: 1 })).map(plain)).toEqual([plain(third)]);
      expect((await list({ limit: 1, before: 3 })).map(plain)).toEqual([plain(second)]);
      expect((await list({ limit: 9, before: 2 })).map(plain)).toEqual([plain(first)]);
      expect(await list({ limit: 9, before: 1 })).toEqual([]);
      expect(await scene.store.listMemoryVersions(NAMESPACE, "b", { limit: 9 })).toEqual([]);
    });

    test("is given for its time", async (scene) => {
      const at = (nowMs: number, parts: Partial<MemoryAction>) =>
        change(scene, { nowMs, ...parts });
      await at(START_MS, { put: [draft("a", { text: "a1" })] });
      await at(START_MS + 10, { put: [draft("a", { text: "a2" }), draft("b", { text: "b1" })] });
      await at(START_MS + 20, { put: [draft("a", { text: "a3", past: true }), draft("c")] });
      await at(START_MS + 30, { remove: ["c"] });
      const textsAt = async (asOfMs: number, order: "asc" | "desc") => {
        const query = { namespace: NAMESPACE, order, limit: 1, asOfMs };
        return (await allMemories(scene.store, query)).map(({ content }) => content.text).join();
      };
      for (let round = 0; round < 2; round += 1) {
        expect(await textsAt(START_MS - 1, "asc")).toBe("");
        expect(await textsAt(START_MS, "asc")).toBe("a1");
        expect(await textsAt(START_MS + 9, "desc")).toBe("a1");
        expect(await textsAt(START_MS + 10, "desc")).toBe("b1,a2");
        expect(await textsAt(START_MS + 25, "asc")).toBe("a3,b1");
        await scene.engine.reopen();
      }
    });
  });

  describe("a list of memories", () => {
    test("is that of a namespace, a scope or a user, in order", async (scene) => {
      const session = { ...ANN, sessionId: "s" };
      await put(scene, ["a", "b"]);
      await put(scene, ["c", "d"], { scope: SHARED_SCOPE, kind: "entity" });
      await put(scene, ["e"], { scope: session });
      await put(scene, ["f"], { kind: "relation", text: "x y z" });
      await put(scene, ["a"], { past: true });
      await change(scene, { namespace: "x", put: [draft("x")] });
      const user = { kind: "user", userId: "ann" };
      expect(await idsOf(scene)).toBe("a b c d e f");
      expect(await idsOf(scene, { order: "desc", limit: 1 })).toBe("f e d c b a");
      expect(await idsOf(scene, { within: { kind: "scope", scope: ANN } })).toBe("a b f");
      const within = { kind: "scope", scope: ANN };
      expect(await idsOf(scene, { within, order: "desc", limit: 1 })).toBe("f b a");
      expect(await idsOf(scene, { within: user })).toBe("a b e f");
      expect(await idsOf(scene, { within: user, order: "desc", after: 5 })).toBe("b a");
      expect(await idsOf(scene, { within: { kind: "user", userId: "" } })).toBe("c d");
      expect(await idsOf(scene, { within: { kind: "user", userId: "an" } })).toBe("");
      expect(await idsOf(scene, { after: 2 })).toBe("c d e f");
    });

    test("ends a page of many bytes", async (scene) => {
      const text = "x".repeat(LIMITS.memoryTextBytes);
      const count = Math.ceil(LIMITS.pageBytes / text.length) + 2;
      const ids = Array.from({ length: count }, (_, at) => `m${at}`);
      await put(scene, ids, { text });
      const query = { namespace: NAMESPACE, order: "asc", limit: 1_000 } as const;
      const page = await scene.store.listMemories(query);
      expect(page.next === undefined ? count : page.memories.length).toBeLessThanOrEqual(count);
      expect((await allMemories(scene.store, query)).length).toBe(count);
    });

    test("of scopes and namespaces tells what they hold", async (scene) => {
      const scopes = Array.from({ length: 7 }, (_, at) => ({ ...ANN, userId: `u${at}` }));
      for (const scope of scopes) await put(scene, [scope.userId], { scope });
      await change(scene, { nowMs: START_MS + 5, put: [draft("x", { scope: ANN })] });
      await change(scene, { namespace: "b", put: [draft("x")] });
      await change(scene, { namespace: "a", promoted: [{ scope: ANN, text: "x" }] });
      await scene.engine.reopen();
      const all = await allScopes(scene.store, NAMESPACE);
      const expected = [...scopes, ANN].map(scopeIdOf).sort();
      expect(all.map(({ scopeId }) => scopeId)).toEqual(expected);
      const scopeId = scopeIdOf(ANN);
      const one = { scopeId, scope: ANN, memoryCount: 1, updateMs: START_MS + 5 };
      expect(await scene.store.readMemoryScope(NAMESPACE, scopeId)).toEqual(one);
      expect(await scene.store.readMemoryScope("a", scopeId)).toBeUndefined();
      expect(await allScopes(scene.store, "a")).toEqual([]);
      expect(await scene.store.listMemoryNamespaces("", 9)).toEqual(["b", NAMESPACE]);
      expect(await scene.store.listMemoryNamespaces("b", 9)).toEqual([NAMESPACE]);
      expect(await scene.store.listMemoryNamespaces("", 1)).toEqual(["b"]);
      await change(scene, { remove: ["x"] });
      expect(await scene.store.readMemoryScope(NAMESPACE, scopeId)).toBeUndefined();
    });

    test("is in the order of ranks", async (scene) => {
      for (const [id, importance] of Object.entries({ a: 0.5, b: 0, c: 1, d: 0.5, e: 0.25 })) {
        await put(scene, [id], { importance, persistent: id === "d" });
      }
      await put(scene, ["f"], { kind: "episode" });
      await scene.engine.reopen();
      expect(await rankedIds(scene, {})).toBe("b e a d c");
      expect(await rankedIds(scene, { order: "desc" })).toBe("c a d e b");
      expect(await rankedIds(scene, { order: "desc", limit: 2 })).toBe("c a");
      expect(await rankedIds(scene, { limit: 2 })).toBe("b e");
      expect(await rankedIds(scene, { tier: "episodes" })).toBe("f");
      expect(await rankedIds(scene, { tier: "past" })).toBe("");
      await put(scene, ["c"], { past: true });
      expect(await rankedIds(scene, { tier: "past" })).toBe("c");
      expect(await rankedIds(scene, { order: "desc" })).toBe("a d e b");
    });

    test("is in the order of ranks however many of one rank are asked for", async (scene) => {
      const shares = [0.5, 0.9, 0.5, 0.1, 0.9, 0.5, 0.5, 0.9];
      for (const [at, importance] of shares.entries()) await put(scene, [`m${at}`], { importance });
      await scene.engine.reopen();
      const whole = ["m1", "m4", "m7", "m0", "m2", "m5", "m6", "m3"];
      for (let limit = 0; limit <= whole.length; limit++) {
        const ids = await rankedIds(scene, { order: "desc", limit });
        expect(ids).toBe(whole.slice(0, limit).join(" "));
      }
    });

    test("gives relations page by page", async (scene) => {
      for (const [at, object] of ["Oslo", "Rome", "Oslo", "Bern", "Oslo"].entries()) {
        await put(scene, [`r${at}`], { kind: "relation", text: `Ann saw${at} ${object}` });
      }
      await scene.engine.reopen();
      const query = { namespace: NAMESPACE, scope: ANN, place: "object", limit: 2 } as const;
      const pageAfter = async (after: number): Promise<string> => {
        const names = ["oslo", "bern"];
        const found = await scene.store.queryRelations({ ...query, names, after });
        return found.map(({ memoryId }) => memoryId).join(" ");
      };
      const pages = await Promise.all([0, 1, 3, 4, 5].map(pageAfter));
      expect(pages).toEqual(["r0 r2", "r2 r3", "r3 r4", "r4", ""]);
    });

    test("has each by its number", async (scene) => {
      await put(scene, ["a", "b"]);
      expect((await scene.store.readMemoryAt(NAMESPACE, 2))?.memoryId).toBe("b");
      expect(await scene.store.readMemoryAt(NAMESPACE, 3)).toBeUndefined();
      expect(await scene.store.readMemoryAt("other", 1)).toBeUndefined();
    });

    test("names those whose time has run out", async (scene) => {
      await put(scene, ["a"], { ttlMs: 10 });
      await put(scene, ["b"], { ttlMs: 5 });
      await put(scene, ["c"]);
      const expired = async (nowMs: number, limit = 9) =>
        (await scene.store.expiredMemories(nowMs, limit)).map(({ memoryId }) => memoryId).join("");
      expect(await expired(START_MS + 4)).toBe("");
      expect(await expired(START_MS + 5)).toBe("b");
      expect(await expired(START_MS + 10)).toBe("ba");
      expect(await expired(START_MS + 10, 1)).toBe("b");
      await put(scene, ["b"], { ttlMs: 20 });
      await scene.engine.reopen();
      expect(await expired(START_MS + 19)).toBe("a");
      await put(scene, ["a"], { ttlMs: 0 });
      expect(await expired(START_MS + 19)).toBe("");
    });
  });
  lookupTests(open);
}

function lookupTests(open: OpenEngine): void {
  const test = testsOn(open);
  describe("a memory is found", () => {
    test("by names, as an entity", async (scene) => {
      const names = (text: string, aliases: readonly string[]) => ({
        kind: "entity" as const,
        entity: { name: text, type: "t", aliases, attributes: new Map() },
      });
      const entity = (memoryId: string, memoryNo: number, ...of: readonly string[]) =>
        newMemory({
          memoryId,
          memoryNo,
          kind: "entity",
          scope: ANN,
          content: { structure: names(of[0] ?? "", of.slice(1)) },
        });
      const long = "ﷺ".repeat(85);
      await save(scene, {
        put: [entity("a", 1, "Alps", "the  ALPS"), entity("b", 2, "alps"), entity("c", 3, long)],
      });
      await scene.engine.reopen();
      const found = async (...asked: readonly string[]) => {
        const scopes = [SHARED_SCOPE, ANN];
        const all = await scene.store.readEntities(NAMESPACE, scopes, asked.map(nameKeyOf));
        return all.map(({ memoryId }) => memoryId).join("");
      };
      expect(await found("ALPS")).toBe("ab");
      expect(await found(long, "The Alps", "alps", "x")).toBe("cab");
      await change(scene, { remove: ["a"] });
      expect(await found("alps")).toBe("b");
    });

    test("by subject and object, as a relation", async (scene) => {
      await put(scene, ["a"], { kind: "relation", text: "Ann knows Bob" });
      await put(scene, ["b"], { kind: "relation", text: "bob likes ann" });
      await put(scene, ["c"], { kind: "relation", text: "ANN likes Cid" });
      await put(scene, ["d"], { kind: "relation", text: "ann likes Cid", past: true });
      await scene.engine.reopen();
      const found = async (place: "subject" | "object", ...names: readonly string[]) => {
        const query = { namespace: NAMESPACE, scope: ANN, names, place, limit: 2 };
        return (await scene.store.queryRelations(query)).map(({ memoryId }) => memoryId).join("");
      };
      expect(await found("subject", "ann")).toBe("ac");
      expect(await found("object", "ann", "bob", "ann")).toBe("ab");
      expect(await found("object", "cid", "bob", "ann")).toBe("ab");
      expect(await found("object", "x")).toBe("");
      const { seen } = await put(scene, ["e"], { kind: "relation", text: "ann x y" });
      const [, of] = seen as readonly (readonly unknown[])[];
      expect(of?.[5]).toEqual([
        "1|a|1|active|1|Ann knows Bob, 3|c|1|active|1|ANN likes Cid",
        "",
        "",
      ]);
      expect(of?.[6]).toEqual(["4|d|1|superseded|1|ann likes Cid", "", ""]);
    });

    test("by text and by key, the oldest first", async (scene) => {
      const many = Array.from({ length: 70 }, (_, at) => `m${at}`);
      await put(scene, many, { key: "k", text: "Same." });
      await put(scene, ["m3", "m5"], { key: "k", text: "same", past: true });
      const { seen } = await put(scene, ["x"], { key: "k", text: "same" });
      const [, of] = seen as readonly (readonly string[])[];
      const ids = (at: number) => of?.[at]?.split(", ").map((one) => one.split("|")[1]) ?? [];
      expect(ids(1)).toEqual(many.filter((id) => id !== "m3" && id !== "m5").slice(0, 16));
      expect(ids(2)).toEqual(many.filter((id) => id !== "m3" && id !== "m5"));
      expect(ids(3)).toEqual(["m5", "m3"]);
      expect(ids(7)).toEqual(["m69", "m68", "m67"]);
      expect(of?.[9]).toBe("68,0,0,0,2");
    });

    test("by its key, also one that very many have", async (scene) => {
      const most = LIMITS.changeMemories;
      const all = Array.from({ length: most + 2 }, (_, at) =>
        newMemory({ memoryId: `m${at}`, memoryNo: at + 1, scope: ANN, content: { key: "k" } }),
      );
      await save(scene, { put: all });
      const ids = await scene.store.changeMemories({ namespace: NAMESPACE }, ({ memories }) => ({
        kind: "answer",
        result: memories.byKey(ANN, "k").map(({ memoryId }) => memoryId),
      }));
      expect(ids).toEqual(all.slice(0, most).map(({ memoryId }) => memoryId));
    });

    test("by its rank, to be evicted", async (scene) => {
      await put(scene, ["a", "b"], { importance: 0.5 });
      await put(scene, ["c"], { importance: 0.25 });
      await put(scene, ["d"], { importance: 0, persistent: true });
      await change(scene, { put: [draft("e", { importance: 1 })], evict: 2 });
      expect(await idsOf(scene)).toBe("b d e");
    });

    test("by its promotion, also when it is gone", async (scene) => {
      const promoted = [{ scope: ANN, text: "one" }];
      expect((await change(scene, { put: [draft("a")], promoted })).seen.at(-1)).toBe(false);
      await change(scene, { remove: ["a"] });
      await scene.engine.reopen();
      expect((await change(scene, { promoted })).seen.at(-1)).toBe(true);
      const other = [{ scope: SHARED_SCOPE, text: "one" }];
      expect((await change(scene, { promoted: other })).seen.at(-1)).toBe(false);
    });

    test("by its promotion until that is forgotten with a session or a memory", async (scene) => {
      const mark = (text: string, sessionId: string, memoryId: string) => ({
        scope: ANN,
        promotionKey: promotionMark(promotionKeyOf(text), { sessionId, memoryId }),
      });
      const known = async () =>
        await scene.store.changeMemories({ namespace: NAMESPACE }, ({ memories }) => ({
          kind: "answer",
          result: ["one", "two", "three", "four"].map((text) =>
            memories.wasPromoted(ANN, promotionKeyOf(text)),
          ),
        }));
      const promoted = [
        ...[mark("one", "s", "a"), mark("two", "s", "b"), mark("three", "t", "c")],
        { scope: ANN, promotionKey: promotionKeyOf("four") },
      ];
      await save(scene, { promoted });
      expect(await known()).toEqual([true, true, true, true]);
      const parts = [promotionPart("session", "s"), promotionPart("memory", "c")];
      await save(scene, { unpromoted: [{ scope: SHARED_SCOPE, parts }] });
      expect(await known()).toEqual([true, true, true, true]);
      await save(scene, { unpromoted: [{ scope: ANN, parts }] });
      await scene.engine.reopen();
      expect(await known()).toEqual([false, false, false, true]);
      await save(scene, { promoted: [mark("one", "u", "d")] });
      expect(await known()).toEqual([true, false, false, true]);
      const keyed = (keys: readonly string[], sessionId: string) => ({
        ...{ scope: ANN, parts: [promotionPart("session", sessionId)] },
        keys: keys.map(promotionKeyOf),
      });
      await save(scene, { promoted: [mark("two", "u", "e")] });
      await save(scene, { unpromoted: [keyed(["one", "three", "four"], "u")] });
      expect(await known()).toEqual([false, true, false, true]);
      await save(scene, { unpromoted: [keyed(["two"], "s")] });
      await scene.engine.reopen();
      expect(await known()).toEqual([false, true, false, true]);
      // Forgotten and promoted anew by one change.
      const anew = { unpromoted: [keyed(["two"], "u")], promoted: [mark("two", "w", "f")] };
      await save(scene, anew);
      await scene.engine.reopen();
      expect(await known()).toEqual([false, true, false, true]);
      await save(scene, { unpromoted: [keyed(["two"], "w")] });
      expect(await known()).toEqual([false, false, false, true]);
    });

    test("by its promotion unless too many came since", async (scene) => {
      const keys = (from: number, count: number) =>
        Array.from({ length: count }, (_, at) => ({
          scope: ANN,
          promotionKey: promotionKeyOf(`${from + at}`),
        }));
      for (let at = 0; at < LIMITS.promotedTexts; at += 20_000) {
        await save(scene, { promoted: keys(at, 20_000) });
      }
      await save(scene, { promoted: keys(LIMITS.promotedTexts, 2) });
      const seen = await scene.store.changeMemories({ namespace: NAMESPACE }, ({ memories }) => ({
        kind: "answer",
        result: [0, 1, 2, LIMITS.promotedTexts + 1].map((at) =>
          memories.wasPromoted(ANN, promotionKeyOf(`${at}`)),
        ),
      }));
      expect(seen).toEqual([false, false, true, true]);
    });
  });

  describe("vectors of a memory", () => {
    const place = (memoryNo: number) =>
      ({ kind: "memory", namespace: NAMESPACE, memoryNo }) as const;
    const keep = (scene: Scene, memoryNo: number, text: string) =>
      scene.store.saveVectors([
        {
          place: place(memoryNo),
          bytes: Buffer.from(text),
          record: { model: text, vectors: [newVector(memoryNo)] },
        },
      ]);
    test("stay while only the sources of its text change", async (scene) => {
      await put(scene, ["a"], { text: "one" });
      await keep(scene, 1, "one");
      for (const id of ["m8", "m9"]) {
        const memory = await scene.store.readMemory(NAMESPACE, "a");
        if (memory === undefined) throw new Error("the memory is gone");
        const source = { ...memory.source, messageIds: [id] };
        await save(scene, { put: [{ ...memory, source }] });
        expect(await scene.store.readVectors([place(1)])).toMatchObject([{ model: "one" }]);
        await scene.engine.reopen();
        expect(await scene.store.readVectors([place(1)])).toMatchObject([{ model: "one" }]);
        expect(await keep(scene, 1, "one")).toBe(1);
      }
      await put(scene, ["a"], { text: "two" });
      expect(await scene.store.readVectors([place(1)])).toEqual([undefined]);
    });

    test("go with its text", async (scene) => {
      await put(scene, ["a"], { text: "one" });
      await put(scene, ["b"], { text: "two" });
      expect(await keep(scene, 1, "one")).toBe(1);
      expect(await keep(scene, 2, "two")).toBe(1);
      expect(await keep(scene, 2, "other")).toBe(0);
      expect(await keep(scene, 3, "two")).toBe(0);
      await put(scene, ["a"], { strengthen: true });
      await put(scene, ["a"], { text: "one", past: true });
      await scene.engine.reopen();
      const models = async () =>
        (await scene.store.readVectors([place(1), place(2)])).map((of) => of?.model ?? "-");
      expect(await models()).toEqual(["one", "two"]);
      expect(await keep(scene, 1, "one")).toBe(1);
      await put(scene, ["a"], { text: "three" });
      await change(scene, { remove: ["b"] });
      expect(await models()).toEqual(["-", "-"]);
      await put(scene, ["a"], { text: "one" });
      expect(await models()).toEqual(["-", "-"]);
    });
  });
}

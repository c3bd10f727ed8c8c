import { afterEach, describe, expect, test } from "vitest";
import { type Random, randomFrom } from "../../../test/support/kit/random.ts";
import { createCrashingIndex } from "../../../test/support/recall/crashing-index.ts";
import { jsonRecallCodec } from "../../../test/support/recall/json-recall.ts";
import {
  ANY,
  deleteMessage,
  recallInput,
  recallTexts,
  textOf,
  upsert,
} from "../../../test/support/recall/recall.ts";
import { toBytes } from "../../../test/support/services/json-codec.ts";
import {
  startTestServices,
  storeWith,
  type TestServices,
  type TestServicesOptions,
} from "../../../test/support/services/services.ts";
import type { Store } from "../../store/store.ts";
import { IndexMismatch } from "./audit.ts";

const running: TestServices[] = [];

afterEach(async () => {
  for (const services of running.splice(0)) await services.stop();
});

async function start(options: TestServicesOptions = {}): Promise<TestServices> {
  const services = await startTestServices({}, options);
  running.push(services);
  return services;
}

/** Services over the same store, which know nothing of what was indexed before. */
function startAnew(services: TestServices, options: TestServicesOptions = {}) {
  return start({ ...options, store: services.store, startMs: services.nowMs() });
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function eventually(check: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2_000; tries++) {
    if (await check()) return;
    await turn();
  }
  throw new Error("It never happened.");
}

async function scored(services: TestServices, query: string, limit = 100): Promise<unknown[]> {
  const { hits } = await services.recall.recall(
    services.call("Recall"),
    recallInput(query, { limit }),
  );
  const all = hits.map((hit) => [textOf(hit), Number(hit.score.toFixed(9))] as const);
  return all.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

async function createSession(services: TestServices, sessionId: string, userId: string) {
  await services.sessions.createSession(services.call("CreateSession"), {
    ...{ namespace: "default", sessionId, input: { userId }, encode: toBytes },
  });
}

const WORDS = ["zebra", "train", "garden", "river", "piano", "winter", "bridge", "coffee"];

/** A random change of the store, to be checked later. */
interface Written {
  readonly alive: Map<string, string>;
  next: number;
}

/** Does a random change; each text holds a word of its own. */
async function change(services: TestServices, random: Random, written: Written): Promise<void> {
  const session = `s${random.int(0, 5)}`;
  const own = `own${written.next}`;
  written.next += 1;
  const text = `${own} ${Array.from({ length: 6 }, () => random.pick(WORDS)).join(" ")}`;
  const kind = random.weighted({ append: 6, document: 3, erase: 2, remove: 1, clear: 0.3 });
  const forget = (prefix: string): void => {
    for (const key of [...written.alive.keys()]) {
      if (key.startsWith(prefix)) written.alive.delete(key);
    }
  };
  if (kind === "append") {
    await services.append(session, [{ messageId: own, text }]);
    written.alive.set(`${session}/${own}`, own);
  } else if (kind === "document") {
    const documentId = `d${random.int(0, 9)}`;
    await upsert(services, [{ documentId, text }]);
    written.alive.set(`docs/${documentId}`, own);
  } else if (kind === "erase") {
    const [key] = [...written.alive.keys()].filter((one) => one.startsWith("s"));
    if (key === undefined) return;
    written.alive.delete(key);
    const [from = "", messageId = ""] = key.split("/");
    await deleteMessage(services, from, messageId);
  } else if (kind === "remove") {
    forget(`${session}/`);
    await services.sessions.deleteSession(services.call("DeleteSession"), {
      ...{ namespace: "default", sessionId: session, etag: "", allowMissing: true },
      encode: toBytes,
    });
  } else {
    forget("docs/");
    const call = services.call("ClearCollection");
    const ref = { namespace: "default", collectionId: "docs" };
    await services.recall.clearCollection(call, { ...ref, encode: toBytes });
  }
}

describe("an index that is fed while it is searched", () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    test(`finds every write that was answered, and nothing deleted (seed ${seed})`, async () => {
      const random = randomFrom(seed);
      const services = await start();
      const written: Written = { alive: new Map(), next: 0 };
      for (let round = 0; round < 60; round++) {
        await change(services, random, written);
        if (random.chance(0.3)) services.advance(random.int(0, 200));
        if (random.chance(0.4)) continue;
        const [key, own] = random.pick([...written.alive, ["", "own0"] as const]);
        const found = await recallTexts(services, own);
        expect(found.some((text) => text.startsWith(`${own} `))).toBe(
          key !== "" || isAlive(written, own),
        );
      }
      for (const [at, own] of Array.from({ length: written.next }, (_, n) => [n, `own${n}`])) {
        const found = await recallTexts(services, String(own), { mode: "lexical" });
        const has = found.some((text) => text.startsWith(`${own} `));
        expect([at, has]).toEqual([at, isAlive(written, String(own))]);
      }
      const fresh = await startAnew(services);
      for (const query of ["zebra river", "piano", "winter coffee bridge"]) {
        expect(await scored(fresh, query)).toEqual(await scored(services, query));
      }
    });
  }

  test("with writes, deletions and searches at once", async () => {
    const random = randomFrom(77);
    const services = await start();
    const gone = new Set<string>();
    const work = Array.from({ length: 5 }, async (_, lane) => {
      for (let at = 0; at < 9; at++) {
        const own = `lane${lane}x${at}`;
        await services.append(`s${lane % 3}`, [{ messageId: own, text: `${own} zebra` }]);
        expect(await recallTexts(services, own)).toContain(`${own} zebra`);
        if (random.chance(0.4)) {
          await deleteMessage(services, `s${lane % 3}`, own);
          gone.add(own);
          expect(await recallTexts(services, own)).not.toContain(`${own} zebra`);
        }
        const wide = await recallTexts(services, "zebra", { limit: 100 });
        for (const text of wide) expect(typeof text).toBe("string");
      }
    });
    await Promise.all(work);
    const all = await recallTexts(services, "zebra", { limit: 100 });
    expect(all.filter((text) => gone.has(text.split(" ")[0] ?? ""))).toEqual([]);
    expect(all).toHaveLength(5 * 9 - gone.size);
  });
});

function isAlive(written: Written, own: string): boolean {
  return [...written.alive.values()].includes(own);
}

/** Sessions with many messages, of two users. */
async function fill(services: TestServices, sessions: number, messages: number): Promise<void> {
  for (let at = 0; at < sessions; at++) {
    await createSession(services, `s${at}`, at % 2 === 0 ? "even" : "odd");
    const texts = Array.from({ length: messages }, (_, n) => ({ text: `horse ${at} ${n}` }));
    await services.append(`s${at}`, texts);
  }
}

describe("a large load", () => {
  test("does not keep a search in one session waiting, which sees what was just written", async () => {
    const before = await start();
    await fill(before, 40, 20);
    const index = createCrashingIndex({ codec: jsonRecallCodec });
    const services = await startAnew(before, { index });
    index.delay = turn;
    const whole = recallTexts(services, "horse", { limit: 100 });
    for (let at = 0; at < 5; at++) {
      await services.append("s3", [{ text: `zebra number ${at}` }]);
      const filter = { ...ANY, sessionIds: ["s3"] };
      const found = await recallTexts(services, "zebra", { filter, limit: 100 });
      expect(found.filter((text) => text.startsWith("zebra"))).toHaveLength(at + 1);
      const partial = await recallTexts(services, `zebra`, { allowPartial: true, limit: 100 });
      expect(partial.filter((text) => text.startsWith("zebra"))).toHaveLength(at + 1);
    }
    expect(index.applied).toBeLessThan(40);
    expect((await whole).length).toBeGreaterThan(40);
  });

  test("coverage tells what is not there yet", async () => {
    const before = await start();
    await fill(before, 10, 10);
    const index = createCrashingIndex({ codec: jsonRecallCodec });
    const services = await startAnew(before, { index });
    index.delay = turn;
    const ask = (allowPartial: boolean) =>
      services.recall.recall(services.call("Recall"), recallInput("horse", { allowPartial }));
    const partial = await ask(true);
    expect(partial.coverage.complete).toBe(false);
    const whole = await ask(false);
    expect(whole.coverage).toMatchObject({ complete: true, pendingCount: 0, leftOutCount: 0 });
  });

  test("a search answers before its deadline with what is there", async () => {
    const before = await start();
    await fill(before, 40, 20);
    const index = createCrashingIndex({ codec: jsonRecallCodec });
    const services = await startAnew(before, { index });
    index.delay = turn;
    const ask = () => {
      const call = { ...services.call("Recall"), deadlineMs: services.nowMs() + 30_000 };
      return services.recall.recall(call, recallInput("horse", { limit: 100 }));
    };
    const asked = ask();
    await eventually(() => index.applied >= 5);
    services.advance(28_000);
    const partial = await asked;
    expect(index.applied).toBeLessThan(40);
    expect(partial.hits.length).toBeGreaterThan(0);
    expect(partial.coverage.complete).toBe(false);
    expect(partial.coverage.pendingCount).toBeGreaterThan(0);
    const whole = await ask();
    expect(whole.coverage).toMatchObject({ complete: true, pendingCount: 0 });
  });

  test("what was written before the first search is found by a partial one", async () => {
    const services = await start();
    await fill(services, 5, 5);
    await upsert(services, [{ documentId: "d", text: "zebra in a document" }]);
    await services.append("s1", [{ text: "zebra in a session" }]);
    const found = await recallTexts(services, "zebra", { allowPartial: true });
    expect(found.filter((text) => text.startsWith("zebra")).sort()).toEqual([
      "zebra in a document",
      "zebra in a session",
    ]);
  });

  test("a search that nobody waits for any more ends", async () => {
    const before = await start();
    await fill(before, 10, 10);
    const index = createCrashingIndex({ codec: jsonRecallCodec });
    const services = await startAnew(before, { index });
    index.delay = () => new Promise(() => {});
    const controller = new AbortController();
    const call = { ...services.call("Recall"), signal: controller.signal };
    const asked = services.recall.recall(call, recallInput("horse"));
    await turn();
    controller.abort();
    await expect(asked).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
  });

  test("namespaces that were recalled are loaded after a start", async () => {
    const before = await start();
    await fill(before, 3, 3);
    await recallTexts(before, "horse");
    const index = createCrashingIndex({ codec: jsonRecallCodec });
    await startAnew(before, { index });
    await eventually(() => index.applied >= 3);
  });
});

describe("faults", () => {
  test("an index that ends is loaded anew, and searches under way are asked again", async () => {
    const index = createCrashingIndex({ codec: jsonRecallCodec });
    const services = await start({ index });
    await fill(services, 6, 6);
    const before = await scored(services, "horse 3");
    index.delay = turn;
    const asked = scored(services, "horse 3");
    index.crash();
    for (let round = 0; round < 200; round++) {
      services.advance(100);
      await turn();
    }
    expect(await asked).toEqual(before);
    await services.append("s1", [{ text: "after the crash" }]);
    expect(await recallTexts(services, "crash")).toContain("after the crash");
  });

  test("an audit finds what the index lost, tells it without content, and mends it", async () => {
    const index = createCrashingIndex({ codec: jsonRecallCodec });
    const errors: unknown[] = [];
    const services = await start({ index, onBackgroundError: (error) => errors.push(error) });
    await fill(services, 2, 3);
    index.forget = (one) => (one.kind === "items" ? { ...one, items: one.items.slice(1) } : one);
    expect(await recallTexts(services, "horse")).toHaveLength(4);
    index.forget = undefined;
    await eventually(async () => {
      services.advance(300);
      await turn();
      return (await recallTexts(services, "horse")).length === 6;
    });
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) {
      expect(error).toBeInstanceOf(IndexMismatch);
      expect(String(error)).not.toContain("horse");
    }
  });

  test("a session that runs out while it is audited is no fault", async () => {
    const index = createCrashingIndex({ codec: jsonRecallCodec });
    const errors: unknown[] = [];
    const services = await start({ index, onBackgroundError: (error) => errors.push(error) });
    const input = { ttlMs: 60_000 };
    await services.sessions.createSession(services.call("CreateSession"), {
      ...{ namespace: "default", sessionId: "brief", input, encode: toBytes },
    });
    await services.append("brief", [{ text: "horse" }]);
    let looks = 0;
    const { positions } = index;
    index.positions = async (...of) => {
      const held = await positions(...of);
      looks += 1;
      // The time of the session runs out between the two looks.
      services.advance(60_001);
      return held;
    };
    expect(await recallTexts(services, "horse")).toEqual(["horse"]);
    await eventually(async () => {
      services.advance(300);
      await turn();
      return looks > 0;
    });
    for (let round = 0; round < 50; round++) await turn();
    expect(errors).toEqual([]);
    expect(await recallTexts(services, "horse")).toEqual([]);
  });

  test("a session that cannot be read is left out and told, the others are found", async () => {
    const errors: unknown[] = [];
    const wrapStore = (store: Store): Store =>
      storeWith(store, {
        listMessages: (ref, query) =>
          ref.sessionId === "s1"
            ? Promise.reject(new Error("damaged"))
            : store.listMessages(ref, query),
      });
    const services = await start({ wrapStore, onBackgroundError: (error) => errors.push(error) });
    await fill(services, 3, 2);
    const { hits, coverage } = await services.recall.recall(
      services.call("Recall"),
      recallInput("horse"),
    );
    expect(hits).toHaveLength(4);
    expect(coverage).toMatchObject({ complete: false, leftOutCount: 2 });
    expect(errors.length).toBeGreaterThan(0);
  });
});

describe("memory", () => {
  test("a namespace that is too large leaves its oldest out and finds the newest", async () => {
    const before = await start();
    for (let at = 0; at < 30; at++) {
      const own = Array.from({ length: 40 }, (_, n) => ({
        text: `horse${at} ${WORDS.map((word) => `${word}${at}x${n}`).join(" ")}`,
      }));
      before.advance(1_000);
      await before.append(`s${at}`, own);
    }
    const index = createCrashingIndex({ codec: jsonRecallCodec });
    const probe = await index.apply("probe", []);
    const services = await startAnew(before, {
      index,
      memoryBytes: probe.totalBytes + 300_000,
    });
    const found = await services.recall.recall(services.call("Recall"), recallInput("horse29"));
    expect(found.hits.length).toBeGreaterThan(0);
    expect(found.coverage.complete).toBe(false);
    expect(found.coverage.leftOutCount).toBeGreaterThan(0);
    await services.append("s0", [{ text: "newest zebra" }]);
    expect(await recallTexts(services, "newest zebra")).toContain("newest zebra");
    const inOldest = { ...ANY, sessionIds: ["s0"] };
    expect(await recallTexts(services, "horse0", { filter: inOldest })).not.toEqual([]);
  });

  test("documents that are left out are counted, also of a collection that is new", async () => {
    const index = createCrashingIndex({ codec: jsonRecallCodec });
    const probe = await index.apply("probe", []);
    const services = await start({ index, memoryBytes: probe.totalBytes + 300_000 });
    await services.append("s", [{ text: "a zebra" }]);
    expect(await recallTexts(services, "zebra")).toEqual(["a zebra"]);
    for (let at = 0; at < 30; at++) {
      const documents = Array.from({ length: 40 }, (_, n) => ({
        text: WORDS.map((word) => `${word}${at}x${n}`).join(" "),
      }));
      await upsert(services, documents);
      await recallTexts(services, "zebra");
    }
    const ask = recallInput("zebra");
    for (let tries = 0; tries < 100; tries++) await new Promise(setImmediate);
    const { coverage } = await services.recall.recall(services.call("Recall"), ask);
    expect(coverage.complete).toBe(false);
    expect(coverage.leftOutCount).toBeGreaterThan(100);
    expect(coverage.leftOutCount).toBeLessThanOrEqual(1_201);
  });

  test.each([
    ["at once", 0],
    ["late", 40],
  ])("the namespace that was used the longest time ago makes room, %s", async (_when, delay) => {
    const services = await start();
    const names = ["one", "two", "three"];
    for (const namespace of names) {
      for (let at = 0; at < 4; at++) {
        const texts = Array.from({ length: 250 }, (_, n) => ({ text: `n${n} ${namespace}${at}` }));
        await services.append(`s${at}`, texts, { namespace });
      }
    }
    const index = createCrashingIndex({ codec: jsonRecallCodec });
    const dropped: string[] = [];
    /** Drops under way. Calls of a namespace come in their order. */
    const dropping = new Map<string, Promise<void>>();
    const drop = async (namespace: string): Promise<void> => {
      // Until then, sizes that the index tells include the namespace.
      for (let turns = 0; turns < delay; turns++) await new Promise(setImmediate);
      await index.drop(namespace);
    };
    // Room for two and a half of the three.
    const probe = createCrashingIndex({ codec: jsonRecallCodec });
    const large = await startAnew(services, { index: probe });
    const sizes: number[] = [];
    for (const namespace of names) {
      await recallTexts(large, `${namespace}2`, { namespace });
      sizes.push((await probe.apply("probe", [])).totalBytes);
    }
    const memoryBytes = ((sizes[1] ?? 0) + (sizes[2] ?? 0)) / 2;
    const small = await startAnew(services, {
      index: {
        ...index,
        apply: async (namespace, changes) => {
          await dropping.get(namespace);
          return await index.apply(namespace, changes);
        },
        drop: (namespace) => {
          dropped.push(namespace);
          const ended = drop(namespace);
          dropping.set(namespace, ended);
          return ended;
        },
      },
      memoryBytes,
    });
    for (const namespace of [...names, ...names]) {
      const found = await small.recall.recall(
        small.call("Recall"),
        recallInput(`${namespace}2`, { namespace }),
      );
      expect(found.hits).toHaveLength(10);
      expect(found.coverage).toMatchObject({ complete: true, leftOutCount: 0 });
    }
    expect(dropped.slice(0, 3)).toEqual(["one", "two", "three"]);
  });
});

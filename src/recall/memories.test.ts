// Memories in the index as the service keeps it: who is told of changes, vectors that are kept, a
// start, and the memory of the index.

import { afterEach, describe, expect, test } from "vitest";
import { MANUAL_HOOKS } from "../../test/support/hooks/hooks.ts";
import {
  memoryDraft,
  remember,
  rememberTexts,
} from "../../test/support/memory/service-memories.ts";
import { jsonRecallCodec } from "../../test/support/recall/json-recall.ts";
import { ANY, ofUser, recallInput, recallTexts, textOf } from "../../test/support/recall/recall.ts";
import {
  startTestServices,
  type TestServices,
  type TestServicesOptions,
} from "../../test/support/services/services.ts";
import { createLocalIndex } from "./index/local.ts";

const running: TestServices[] = [];

afterEach(async () => {
  for (const services of running.splice(0)) await services.stop();
});

async function start(options: TestServicesOptions = {}): Promise<TestServices> {
  const services = await startTestServices({}, options);
  running.push(services);
  return services;
}

const forget = (services: TestServices, memoryIds: readonly string[]) =>
  services.memories.forgetMemories(services.call("ForgetMemories"), {
    ...{
      namespace: "default",
      memoryIds,
      etag: "",
      allowMissing: false,
      encode: () => new Uint8Array(),
    },
  });

/** An embedder outside: a cat points one way, all else another. */
function withVectors(): Pick<TestServicesOptions, "hooks" | "index"> & { readonly made: string[] } {
  const made: string[] = [];
  const hook = {
    ...{ name: "vectors", kind: "openai" as const },
    settings: {
      ...{ timeoutMs: 1_000, concurrency: 1, maxAttempts: 1, callsPerHour: 0 },
      ...{ tokensPerHour: 0, inputTokensMax: 100_000 },
    },
    embedder: {
      ...{ model: "two", dimensions: 2, batchSize: 4 },
      embed: async (_: unknown, texts: readonly string[], purpose: string) => {
        if (purpose === "passage") made.push(...texts);
        return texts.map((text) => Float32Array.from(/cat|kitten/.test(text) ? [1, 0] : [0, 1]));
      },
    },
  };
  const hooks = {
    ...MANUAL_HOOKS,
    byName: new Map([...MANUAL_HOOKS.byName, [hook.name, hook]]),
    embedder: { kind: "hook" as const, hook: hook.name },
  };
  const model = { id: "two", dimensions: 2, isLocal: false };
  return { hooks, index: createLocalIndex({ codec: jsonRecallCodec, model }), made };
}

async function untilEmbedded(services: TestServices): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    services.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
    const input = recallInput("x", { mode: "lexical" });
    const { coverage } = await services.recall.recall(services.call("Recall"), input);
    if (coverage.withoutVectorCount === 0) return;
  }
  throw new Error("There are memories without vectors.");
}

describe("memories in the index", () => {
  test("are found at once, also with what the index has at the moment, and after a start", async () => {
    const services = await start();
    await rememberTexts(services, ["likes green tea"]);
    expect(await recallTexts(services, "tea", { allowPartial: true })).toEqual(["likes green tea"]);
    await rememberTexts(services, ["drinks tea at five"], { scope: "u2" });
    const both = ["drinks tea at five", "likes green tea"];
    expect((await recallTexts(services, "tea")).sort()).toEqual(both);
    const next = await start({ store: services.store, startMs: services.nowMs() });
    expect((await recallTexts(next, "tea")).sort()).toEqual(both);
    const filter = { ...ANY, scope: ofUser("u2") };
    expect(await recallTexts(next, "tea", { filter })).toEqual(["drinks tea at five"]);
  });

  test("of one user are waited for alone", async () => {
    const services = await start();
    for (const scope of ["u1", "u2", "u3"]) {
      await rememberTexts(services, [`tea of ${scope}`], { scope });
    }
    const next = await start({ store: services.store, startMs: services.nowMs() });
    const filter = { ...ANY, scope: ofUser("u2"), kinds: new Set(["memory"] as const) };
    const input = recallInput("tea", { filter });
    const { hits, coverage } = await next.recall.recall(next.call("Recall"), input);
    expect(hits.map(textOf)).toEqual(["tea of u2"]);
    expect(coverage.complete).toBe(true);
  });

  test("have vectors that are kept over a start, and new ones when their text changes", async () => {
    const outside = withVectors();
    const services = await start(outside);
    await remember(services, [
      memoryDraft({ memoryId: "a", text: "a kitten sleeps" }),
      memoryDraft({ memoryId: "b", text: "the engine is loud" }),
    ]);
    await recallTexts(services, "cat");
    await untilEmbedded(services);
    expect((await recallTexts(services, "cat", { mode: "dense" }))[0]).toBe("a kitten sleeps");
    expect(outside.made.toSorted()).toEqual(["a kitten sleeps", "the engine is loud"]);
    // Raising the confidence of a memory changes nothing of its text.
    await services.memories.reinforceMemories(services.call("ReinforceMemories"), {
      ...{ namespace: "default", memoryIds: ["a"], amount: 0.1, allowMissing: false },
      encode: () => new Uint8Array(),
    });
    await recallTexts(services, "cat");
    await untilEmbedded(services);
    const again = withVectors();
    const next = await start({ ...again, store: services.store, startMs: services.nowMs() });
    expect((await recallTexts(next, "cat", { mode: "dense" }))[0]).toBe("a kitten sleeps");
    expect(outside.made).toHaveLength(2);
    expect(again.made).toEqual([]);
    await remember(next, [memoryDraft({ memoryId: "b", text: "another cat" })]);
    await recallTexts(next, "cat");
    await untilEmbedded(next);
    expect(again.made).toEqual(["another cat"]);
  });

  test("leave the oldest out when there is no room for all", async () => {
    const services = await start({ memoryBytes: 150_000 });
    const words = Array.from({ length: 60 }, (_, at) => `word${at}`).join(" ");
    for (let at = 0; at < 200; at++) await rememberTexts(services, [`number${at} ${words}`]);
    const input = recallInput("number199 word1");
    const { hits, coverage } = await services.recall.recall(services.call("Recall"), input);
    expect(hits.map(textOf)[0]).toContain("number199 ");
    expect(coverage.complete && coverage.leftOutCount === 0).toBe(false);
  });
});

test("whoever changes memories, it is told which ones before the answer", async () => {
  const services = await start();
  const told: string[] = [];
  services.store.onCommit(({ memories }) => {
    for (const { namespace, scope, memoryNo } of memories) {
      told.push(`${namespace} ${scope.userId} ${memoryNo}`);
    }
  });
  const ids = await rememberTexts(services, ["one", "two"]);
  expect(told.splice(0)).toEqual(["default u1 1", "default u1 2"]);
  await forget(services, ids.slice(1));
  expect(told.splice(0)).toEqual(["default u1 2"]);
  await rememberTexts(services, ["one"]);
  expect(told.splice(0)).toEqual(["default u1 1"]);
});

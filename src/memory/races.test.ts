import { afterEach, describe, expect, test } from "vitest";
import { randomFrom, testSeed } from "../../test/support/kit/random.ts";
import {
  counters,
  forgetfulStore,
  mixedRace,
  nearDuplicates,
} from "../../test/support/memory/races.ts";
import { startTestServices, type TestServices } from "../../test/support/services/services.ts";
import { openLmdbEngine } from "../../test/support/store/lmdb-engine.ts";
import type { Store } from "../store/store.ts";

const ROUNDS = 5;

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(
  engine: "memory" | "lmdb",
  wrapStore: (store: Store) => Store = (store) => store,
): Promise<TestServices> {
  if (engine === "memory") {
    const services = await startTestServices({}, { wrapStore });
    closing.push(() => services.stop());
    return services;
  }
  const opened = await openLmdbEngine();
  closing.push(async () => await opened[Symbol.asyncDispose]());
  const services = await startTestServices({}, { store: opened.store, wrapStore });
  closing.push(() => services.stop());
  return services;
}

describe.each(["memory", "lmdb"] as const)("the engine %s", (engine) => {
  test("64 writers of near duplicates leave one memory with 64 mentions", async () => {
    expect(await nearDuplicates(await start(engine))).toEqual([]);
  });

  test("no update is lost between callers that compare etags", async () => {
    expect(await counters(await start(engine))).toEqual([]);
  });

  test("writers, decay, eviction, forgetting and purging at once", async () => {
    const seed = testSeed(`mixed race of memories, ${engine}`);
    for (let round = 0; round < ROUNDS; round++) {
      expect(await mixedRace(await start(engine), randomFrom(seed + round))).toEqual([]);
    }
  });

  test("a store that does not look again is found out by each race", async () => {
    expect(await nearDuplicates(await start(engine, forgetfulStore))).not.toEqual([]);
    expect(await counters(await start(engine, forgetfulStore))).not.toEqual([]);
    expect(await mixedRace(await start(engine, forgetfulStore), randomFrom(1))).not.toEqual([]);
  });
});

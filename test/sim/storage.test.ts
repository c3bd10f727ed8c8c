import { describe, expect, test } from "vitest";

import type { Engine } from "../storage/scene.ts";
import { type Random, randomFrom, TEST_DEPTH, testSeed } from "../support/kit/random.ts";
import { openLmdbEngine } from "../support/store/lmdb-engine.ts";
import { openMemoryEngine } from "../support/store/memory-engine.ts";
import { FAULTS, openBroken } from "./broken.ts";
import { type SimulationCounts, SimulationError, simulate } from "./simulation.ts";

// TEST_SEED plays a run again; TEST_DEPTH makes it longer.
const OPERATIONS = 2_500 * TEST_DEPTH;
const FAULT_OPERATIONS = 2_000;
const FAULT_RUNS = 16;
const TIMEOUT_MS = 600_000 * TEST_DEPTH;

async function compare(open: () => Promise<Engine>, random: Random): Promise<SimulationCounts> {
  await using subject = await open();
  await using model = await openMemoryEngine();
  return await simulate({ subject, model }, random, OPERATIONS);
}

describe("the simulation of the storage", () => {
  const seed = testSeed("storage simulation");

  const engines: Readonly<Record<string, () => Promise<Engine>>> = {
    "the model": openMemoryEngine,
    "the LMDB engine": openLmdbEngine,
    "the LMDB engine without a cache": () => openLmdbEngine({ cacheBytes: 1 }),
    "the LMDB engine with a small cache": () =>
      openLmdbEngine({ cacheBytes: 1 + randomFrom(seed).int(1, 40_000) }),
  };
  for (const [name, open] of Object.entries(engines)) {
    test(
      `finds no difference between ${name} and the model`,
      async () => {
        const counts = await compare(open, randomFrom(seed));
        process.stdout.write(`${name}: ${JSON.stringify(counts)}\n`);
        expect(counts.saved).toBeGreaterThan(OPERATIONS / 4);
        expect(counts.batches).toBeGreaterThan(OPERATIONS / 200);
        expect(counts.reopens).toBeGreaterThan(1);
      },
      TIMEOUT_MS,
    );
  }

  for (const [name, fault] of Object.entries(FAULTS)) {
    test(`notices an engine that ${name}`, async () => {
      const random = randomFrom(seed);
      // A rare fault stays hidden in one run of fifty or so. In sixteen of them it does not.
      for (let run = 1; run <= FAULT_RUNS; run++) {
        await using subject = await openBroken(fault);
        await using model = await openMemoryEngine();
        const difference = await simulate({ subject, model }, random, FAULT_OPERATIONS).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (difference === undefined) continue;
        expect(difference).toBeInstanceOf(SimulationError);
        return;
      }
      expect.unreachable("no run noticed the fault");
    });
  }
});

import { describe, expect, it } from "vitest";

import { openMemoryEngine } from "../support/memory-engine.ts";
import { randomFrom, testSeed } from "../support/random.ts";
import { FAULTS, openBroken } from "./broken.ts";
import { SimulationError, simulate } from "./simulation.ts";

const OPERATIONS = 2_000;

describe("the simulation of the storage", () => {
  const seed = testSeed("storage simulation");

  it("finds no difference between the model and itself", async () => {
    await using subject = await openMemoryEngine();
    await using model = await openMemoryEngine();
    const counts = await simulate({ subject, model }, randomFrom(seed), OPERATIONS);
    expect(counts.saved).toBeGreaterThan(OPERATIONS / 4);
    expect(counts.batches).toBeGreaterThan(10);
    expect(counts.reopens).toBeGreaterThan(1);
  });

  for (const [name, fault] of Object.entries(FAULTS)) {
    it(`notices an engine that ${name}`, async () => {
      await using subject = await openBroken(fault);
      await using model = await openMemoryEngine();
      const run = simulate({ subject, model }, randomFrom(seed), OPERATIONS);
      await expect(run).rejects.toThrow(SimulationError);
    });
  }
});

import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { testSeed } from "../../test/support/kit/random.ts";
import {
  ANY_MEMORY,
  listAll,
  memoryDraft,
  ownedBy,
  remember,
  rememberTexts,
} from "../../test/support/memory/service-memories.ts";
import { startTestServices, type TestServices } from "../../test/support/services/services.ts";
import { openLmdbEngine } from "../../test/support/store/lmdb-engine.ts";
import { matchesMemory } from "../recall/rules/memory-filter.ts";
import type { ListMemoriesInput } from "./api.ts";
import type { MemoryKind } from "./rules/memory.ts";

const RUNS = 60;
const MEMORIES = 700;

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(engine: "memory" | "lmdb"): Promise<TestServices> {
  if (engine === "memory") {
    const services = await startTestServices();
    closing.push(() => services.stop());
    return services;
  }
  const opened = await openLmdbEngine();
  closing.push(async () => await opened[Symbol.asyncDispose]());
  const services = await startTestServices({}, { store: opened.store });
  closing.push(() => services.stop());
  return services;
}

const IDS = ["", "a", "b"] as const;
const KINDS: readonly MemoryKind[] = ["fact", "knowledge", "summary", "preference"];

function setOf(kinds: readonly MemoryKind[]): ReadonlySet<MemoryKind> {
  return new Set(kinds);
}

/** Memories of all scopes of a few ids, in no order. */
async function fill(services: TestServices): Promise<void> {
  for (let at = 0; at < MEMORIES; at += 100) {
    const drafts = Array.from({ length: 100 }, (_, index) => {
      const no = (at + index) * 7;
      const pick = (by: number) => IDS[Math.floor(no / by) % 3] ?? "";
      const scope = { userId: pick(1), agentId: pick(3), sessionId: pick(9) };
      const kind = KINDS[no % 4] ?? "fact";
      const importance = (no % 10) / 10;
      return { ...memoryDraft({ kind, text: `${at + index}`, importance }), scope };
    });
    await remember(services, drafts);
  }
}

const id = fc.constantFrom(...IDS);
const query = fc.record({
  filter: fc.record({
    scope: fc.oneof(
      fc.constant({ kind: "everyone" } as const),
      fc.record({
        kind: fc.constantFrom("visible-to", "exact", "owned-by"),
        scope: fc.record({ userId: id, agentId: id, sessionId: id }),
      }),
    ),
    kinds: fc.uniqueArray(fc.constantFrom<MemoryKind>("fact", "summary", "preference")).map(setOf),
    minImportance: fc.constantFrom(0, 0.3, 0.8),
  }),
  order: fc.constantFrom<ListMemoriesInput["order"]>("oldest", "newest", "importance"),
  limit: fc.integer({ min: 20, max: 400 }),
});

describe.each(["memory", "lmdb"] as const)("the engine %s", (engine) => {
  test("whatever a filter names, pages give all that it means, once, in their order", async () => {
    const services = await start(engine);
    await fill(services);
    const all = await listAll(services);
    expect(all).toHaveLength(MEMORIES);
    await fc.assert(
      fc.asyncProperty(query, async ({ filter, ...options }) => {
        const meant = all.filter((memory) =>
          matchesMemory(memory, { ...ANY_MEMORY, ...filter }, { nowMs: services.nowMs() }),
        );
        if (options.order === "newest") meant.reverse();
        if (options.order === "importance") {
          meant.sort((a, b) => b.content.importance - a.content.importance);
        }
        const found = await listAll(services, filter, options);
        expect(found.map(({ memoryNo }) => memoryNo)).toEqual(
          meant.map(({ memoryNo }) => memoryNo),
        );
      }),
      { seed: testSeed(`pages of memories, ${engine}`), numRuns: RUNS },
    );
  });
});

test("a page ends after so many that it looked at, and the next goes on there", async () => {
  const services = await start("lmdb");
  for (let round = 0; round < 41; round++) {
    await rememberTexts(
      services,
      Array.from({ length: 250 }, (_, at) => `${round} ${at}`),
    );
  }
  await rememberTexts(services, ["wanted"]);
  const filter = { ...ANY_MEMORY, textContains: "wanted" };
  const page = await services.memories.listMemories(services.call("ListMemories"), {
    ...{ namespace: "default", asOfMs: undefined, order: "oldest", after: 0, limit: 10, filter },
  });
  expect(page).toEqual({ memories: [], next: 10_000 });
  expect(await listAll(services, filter)).toHaveLength(1);
});

test("too many scans at one time are refused", async () => {
  const services = await start("memory");
  await rememberTexts(services, ["a"]);
  const calls = Array.from({ length: 300 }, () =>
    listAll(services, { scope: ownedBy("u1") }, { order: "confidence" }),
  );
  const ended = await Promise.allSettled(calls);
  const refused = ended.filter(({ status }) => status === "rejected");
  // One namespace gets three quarters of the 16 that run and of the 256 that wait.
  expect(refused.length).toBe(300 - 12 - 192);
  expect(refused[0]).toMatchObject({ reason: { reason: "OVERLOADED" } });
});

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { testSeed } from "../../test/support/kit/random.ts";
import {
  ANY_MEMORY,
  entityDraft,
  memoryDraft,
  ownedBy,
  relationDraft,
  remember,
  scopeOf,
} from "../../test/support/memory/service-memories.ts";
import { startTestServices, type TestServices } from "../../test/support/services/services.ts";
import type { MemoryFilter } from "../recall/rules/memory-filter.ts";
import type { MemoryDraft, QueryRelationsInput } from "./api.ts";

const RUNS = 40;
/** More scopes than are looked through one by one. */
const MANY_SCOPES = 65;

let services: TestServices;

beforeEach(async () => {
  services = await startTestServices();
});

afterEach(async () => {
  await services.stop();
});

type Pattern = Partial<Omit<QueryRelationsInput, "filter">> & {
  readonly filter?: Partial<MemoryFilter>;
};

async function query(
  { filter = {}, ...pattern }: Pattern,
  of: TestServices = services,
): Promise<{ found: string[]; hasMore: boolean; truncated: boolean }> {
  const { relations, hasMore, truncated } = await of.memories.queryRelations(
    of.call("QueryRelations"),
    {
      ...{ namespace: "default", subject: "", predicate: "", object: "", entity: "" },
      ...{ maxHops: 1, keywords: [], after: undefined, limit: 100 },
      ...pattern,
      filter: { ...ANY_MEMORY, ...filter },
    },
  );
  return {
    found: relations.map(({ memory, hop }) => `${hop} ${memory.content.text}`),
    hasMore,
    truncated,
  };
}

const FAMILY: readonly MemoryDraft[] = [
  relationDraft("Ann", "works_at", "Acme"),
  relationDraft("Bob", "works_at", "Acme"),
  relationDraft("Acme", "based_in", "Oslo"),
  relationDraft("Oslo", "lies_in", "Norway"),
  relationDraft("Eve", "knows", "Mallory"),
];

describe("patterns", () => {
  test("places, without regard to case", async () => {
    await remember(services, FAMILY);
    expect((await query({ subject: "ANN" })).found).toEqual(["1 Ann works_at Acme"]);
    expect((await query({ predicate: "Works_At" })).found).toHaveLength(2);
    expect((await query({ object: "acme", subject: "bob" })).found).toEqual([
      "1 Bob works_at Acme",
    ]);
    expect((await query({ entity: "acme" })).found).toHaveLength(3);
    expect((await query({ subject: "ann", predicate: "knows" })).found).toEqual([]);
    expect((await query({})).found).toHaveLength(5);
  });

  test("names of an entity end with it", async () => {
    const bob = { ...entityDraft("Bob", ["Bobby"]), ttlMs: 1_000 };
    await remember(services, [...FAMILY, bob]);
    expect((await query({ subject: "bobby" })).found).toEqual(["1 Bob works_at Acme"]);
    services.advance(1_000);
    expect((await query({ subject: "bobby" })).found).toEqual([]);
  });

  test("keywords are parts of the whole triple, one of them is enough", async () => {
    await remember(services, FAMILY);
    expect((await query({ keywords: ["OSL", "mallory"] })).found).toEqual([
      ...["1 Acme based_in Oslo", "1 Oslo lies_in Norway", "1 Eve knows Mallory"],
    ]);
    expect((await query({ keywords: ["zebra"] })).found).toEqual([]);
  });

  test("steps go in both directions, nearest first, each relation once", async () => {
    await remember(services, FAMILY);
    const steps = ["1 Ann works_at Acme", "2 Bob works_at Acme", "2 Acme based_in Oslo"];
    expect((await query({ subject: "Ann", maxHops: 2 })).found).toEqual(steps);
    expect((await query({ subject: "Ann", maxHops: 4 })).found).toEqual([
      ...steps,
      "3 Oslo lies_in Norway",
    ]);
  });

  test("an entity is found by all of its names, at every step", async () => {
    await remember(services, [
      entityDraft("Acme", ["The Firm"]),
      entityDraft("Ann", ["Annie"]),
      relationDraft("Annie", "works_at", "The Firm"),
      relationDraft("Bob", "owns", "Acme"),
    ]);
    expect((await query({ subject: "ann" })).found).toEqual(["1 Annie works_at The Firm"]);
    expect((await query({ object: "the firm" })).found).toHaveLength(2);
    expect((await query({ subject: "ann", maxHops: 2 })).found).toEqual([
      ...["1 Annie works_at The Firm", "2 Bob owns Acme"],
    ]);
  });

  test("what is beyond the limit is on the next page", async () => {
    await remember(services, FAMILY);
    expect(await query({ limit: 2 })).toEqual({
      found: ["1 Ann works_at Acme", "1 Bob works_at Acme"],
      ...{ hasMore: true, truncated: false },
    });
    expect((await query({ limit: 5 })).hasMore).toBe(false);
    const steps = { subject: "ann", maxHops: 3 };
    expect((await query({ ...steps, limit: 2 })).hasMore).toBe(true);
    const { found } = await query(steps);
    expect((await query({ ...steps, after: { hop: 1, memoryNo: 1 } })).found).toEqual(
      found.slice(1),
    );
  });
});

describe("filters", () => {
  test("only scopes of the filter, their entities too", async () => {
    const shared = { scope: "" };
    await remember(services, [
      relationDraft("Ann", "likes", "tea"),
      relationDraft("Ann", "likes", "rum", { scope: "u2" }),
      relationDraft("Annie", "likes", "ale", shared),
      entityDraft("Ann", ["Annie"], shared),
    ]);
    const mine = { scope: ownedBy("u1") };
    expect((await query({ subject: "ann", filter: mine })).found).toEqual(["1 Ann likes tea"]);
    const seen = { scope: { kind: "visible-to", scope: scopeOf("u1") } } as const;
    expect((await query({ subject: "ann", filter: seen })).found).toEqual([
      ...["1 Ann likes tea", "1 Annie likes ale"],
    ]);
  });

  test("what was true at a time", async () => {
    const conflict = { mode: "supersede", hook: "", singleObject: true } as const;
    await remember(services, [relationDraft("Ann", "works_at", "Acme", { validFromMs: 100 })]);
    await remember(services, [relationDraft("Ann", "works_at", "Ajax", { validFromMs: 200 })], {
      conflict,
    });
    expect((await query({ subject: "ann" })).found).toEqual(["1 Ann works_at Ajax"]);
    const at = (validAtMs: number) => query({ subject: "ann", filter: { validAtMs } });
    expect((await at(150)).found).toEqual(["1 Ann works_at Acme"]);
    expect((await at(250)).found).toEqual(["1 Ann works_at Ajax"]);
    expect((await at(50)).found).toEqual([]);
    // Names are those of now, also where the filter names its scope.
    await remember(services, [entityDraft("Ann", ["Annie"])]);
    const mine = { scope: ownedBy("u1"), validAtMs: 150 };
    expect((await query({ subject: "annie", filter: mine })).found).toEqual([
      "1 Ann works_at Acme",
    ]);
    expect(
      (await query({ subject: "ann", filter: { states: new Set(["superseded"]) } })).found,
    ).toEqual(["1 Ann works_at Acme"]);
  });
});

test("few and many scopes give the same", async () => {
  const name = fc.constantFrom("a", "b", "c", "d", "e", "f");
  const graph = fc.array(fc.tuple(name, fc.constantFrom("p", "q"), name, fc.boolean()), {
    minLength: 1,
    maxLength: 12,
  });
  const aliases = fc.array(fc.tuple(name, name), { maxLength: 2 });
  const pattern = fc.record({
    place: fc.constantFrom("subject", "object", "entity", "predicate" as const),
    wanted: name,
    maxHops: fc.integer({ min: 1, max: 4 }),
    limit: fc.integer({ min: 1, max: 8 }),
    includeShared: fc.boolean(),
    validAtMs: fc.constantFrom(undefined, 1_700_000_000_000),
  });
  await fc.assert(
    fc.asyncProperty(graph, aliases, pattern, async (relations, entities, asked) => {
      const drafts = [
        ...relations.map(([subject, predicate, object, isShared]) =>
          relationDraft(subject, predicate, object, isShared ? { scope: "" } : {}),
        ),
        ...entities.map(([first, second]) => entityDraft(first, [second])),
      ];
      const few = await startTestServices();
      const many = await startTestServices();
      await remember(few, drafts);
      await remember(many, drafts);
      const others = Array.from({ length: MANY_SCOPES }, (_, at) =>
        memoryDraft({ text: "x", scope: `other${at}` }),
      );
      await remember(many, others);
      const { place, wanted, includeShared, validAtMs, ...rest } = asked;
      const kind = includeShared ? ("visible-to" as const) : ("owned-by" as const);
      const filter = { scope: { kind, scope: scopeOf("u1") }, validAtMs };
      const input = { ...rest, [place]: place === "predicate" ? "p" : wanted, filter };
      expect(await query(input, few)).toEqual(await query(input, many));
      await few.stop();
      await many.stop();
    }),
    { seed: testSeed("relations of few and many scopes"), numRuns: RUNS },
  );
});

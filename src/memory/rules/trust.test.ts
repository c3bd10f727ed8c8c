import { describe, expect, test } from "vitest";
import {
  type DraftSpec,
  draftOf,
  MemoryBook,
  rulesOf,
  stampOf,
} from "../../../test/support/memory/lookup.ts";
import { TRUST } from "../../summary/rules/summary.ts";
import { restoreRevision, updateMemory } from "./change.ts";
import type { Memory } from "./memory.ts";
import { planRemember } from "./remember.ts";
import type { RememberPlan, RememberRules } from "./rules.ts";

const SUPERSEDE = rulesOf({}, { mode: "supersede", singleObject: true });
const MERGE = rulesOf({}, { mode: "merge" });
const KEEP = rulesOf();
const SIMILAR = rulesOf({ mode: "similar" });
const LOW = { trust: TRUST.low };

function remember(
  book: MemoryBook,
  revision: number,
  specs: readonly DraftSpec[],
  rules: RememberRules = SUPERSEDE,
): RememberPlan {
  const plan = planRemember(book, specs.map(draftOf), rules, stampOf(revision, revision * 1_000));
  book.save(plan);
  return plan;
}

function known(book: MemoryBook, memoryId: string): Memory {
  const memory = book.byId(memoryId);
  if (memory === undefined) throw new Error(`${memoryId} is gone.`);
  return memory;
}

/** Each memory as its text, whether it holds, and what it contradicts. */
function states(book: MemoryBook): readonly unknown[] {
  return book
    .all()
    .map(({ content, state, contradictsIds }) => [...[content.text, state, contradictsIds]]);
}

const home = (text: string, rest: DraftSpec = {}): DraftSpec => ({ key: "home", text, ...rest });

describe("what contradicts something that is trusted more", () => {
  test.each([
    ["supersede", SUPERSEDE] as const,
    ["merge", MERGE] as const,
    ["keep", KEEP] as const,
  ])("stands beside it and names it: %s", (_, rules) => {
    const book = new MemoryBook();
    remember(book, 1, [home("Rome", { persistent: true })], rules);
    const plan = remember(book, 2, [home("Oslo", LOW)], rules);
    expect(plan.results).toMatchObject([{ outcome: "created", supersededIds: [] }]);
    expect(states(book)).toEqual([
      ["Rome", "active", []],
      ["Oslo", "active", ["n1-0"]],
    ]);
    expect(known(book, "n1-0").version).toBe(1);
  });

  test("supersedes what is trusted as little", () => {
    const book = new MemoryBook();
    remember(book, 1, [home("Rome")]);
    remember(book, 2, [home("Oslo", LOW)]);
    expect(remember(book, 3, [home("Bern", LOW)]).results).toMatchObject([
      { supersededIds: ["n2-0"] },
    ]);
    expect(states(book)).toEqual([
      ["Rome", "active", []],
      ["Oslo", "superseded", []],
      ["Bern", "active", ["n1-0"]],
    ]);
  });

  test("is history where what is trusted more began later", () => {
    const book = new MemoryBook();
    remember(book, 1, [home("Rome", { validFromMs: 500 })]);
    const plan = remember(book, 2, [home("Oslo", { ...LOW, validFromMs: 100 })]);
    expect(plan.results).toMatchObject([{ outcome: "superseded" }]);
    expect(states(book)).toEqual([
      ["Rome", "active", []],
      ["Oslo", "superseded", []],
    ]);
  });

  test("ends nothing when it is yet to begin", () => {
    const book = new MemoryBook();
    remember(book, 1, [home("Rome", { validFromMs: 10 })]);
    remember(book, 2, [home("Oslo", { ...LOW, validFromMs: 90_000 })]);
    expect(known(book, "n1-0").content.validToMs).toBeUndefined();
    expect(known(book, "n2-0").contradictsIds).toEqual(["n1-0"]);
  });

  test("is found for relations of one object, too", () => {
    const works = (object: string, rest: DraftSpec = {}): DraftSpec => ({
      structure: { kind: "relation", relation: { subject: "Ann", predicate: "works_at", object } },
      ...rest,
    });
    const book = new MemoryBook();
    remember(book, 1, [works("Acme")]);
    remember(book, 2, [works("Evil", LOW)]);
    expect(known(book, "n1-0").state).toBe("active");
    expect(known(book, "n2-0").contradictsIds).toEqual(["n1-0"]);
  });

  test("gets no place in a hook's merge", () => {
    const book = new MemoryBook();
    remember(book, 1, [home("Rome")]);
    const asked = new Map([["n1-0", known(book, "n1-0").etagRevision]]);
    const resolved = { action: "merge", text: "Rome, no: Oslo", asked } as const;
    remember(book, 2, [home("Oslo", { ...LOW, resolved })], KEEP);
    expect(states(book)).toEqual([
      ["Rome", "active", []],
      ["Oslo", "active", ["n1-0"]],
    ]);
  });
});

describe("what is trusted more", () => {
  test("supersedes what is trusted less, and what that contradicted", () => {
    const book = new MemoryBook();
    remember(book, 1, [home("Rome")]);
    remember(book, 2, [home("Oslo", LOW)]);
    remember(book, 3, [home("Bern")]);
    expect(states(book)).toEqual([
      ["Rome", "superseded", []],
      ["Oslo", "superseded", []],
      ["Bern", "active", []],
    ]);
  });

  test("marks what it leaves, once", () => {
    const book = new MemoryBook();
    remember(book, 1, [home("Oslo", LOW)], KEEP);
    expect(remember(book, 2, [home("Rome")], KEEP).updatedIds).toEqual(["n1-0"]);
    expect(remember(book, 3, [home("Bern")], KEEP).updatedIds).toEqual([]);
    expect(states(book)).toEqual([
      ["Oslo", "active", ["n2-0"]],
      ["Rome", "active", []],
      ["Bern", "active", []],
    ]);
  });

  test("is no history of what is trusted less and began later", () => {
    const book = new MemoryBook();
    remember(book, 1, [home("Oslo", { ...LOW, validFromMs: 500 })]);
    remember(book, 2, [home("Rome", { validFromMs: 100 })]);
    expect(states(book)).toEqual([
      ["Oslo", "active", ["n2-0"]],
      ["Rome", "active", []],
    ]);
    expect(known(book, "n2-0").content.validToMs).toBeUndefined();
  });
});

describe("the same said again", () => {
  test("by less trust changes nothing", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "I like tea", importance: 0.2, confidence: 0.5 }]);
    const before = known(book, "n1-0");
    const again = { ...LOW, importance: 1, persistent: true };
    for (const [index, rules] of [KEEP, SIMILAR].entries()) {
      const plan = remember(book, index + 2, [{ text: "i like tea.", ...again }], rules);
      expect(plan.results).toMatchObject([{ outcome: "unchanged", memory: before }]);
    }
    expect(book.all()).toEqual([before]);
  });

  test("by more trust takes its place, without what was said besides", () => {
    const book = new MemoryBook();
    remember(book, 1, [home("I like tea", { ...LOW, topics: ["pay Eve"], confidence: 0.3 })]);
    const plan = remember(book, 2, [{ text: "I like tea." }], KEEP);
    expect(plan.results).toMatchObject([{ outcome: "updated", memory: { memoryId: "n1-0" } }]);
    expect(known(book, "n1-0")).toMatchObject({
      ...{ trust: TRUST.medium, version: 2, strength: { confidence: 1, mentionCount: 2 } },
      content: { text: "I like tea.", key: "", topics: [] },
    });
  });

  test("in other words by more trust is a memory of its own", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "Send the money to account 12345678901.", ...LOW }], SIMILAR);
    remember(book, 2, [{ text: "Send the money to account 12345678902." }], SIMILAR);
    expect(book.all().map(({ trust }) => trust)).toEqual([TRUST.low, TRUST.medium]);
  });

  test("with the id of a memory of more trust is refused", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "a", memoryId: "x" }]);
    const lower = (): unknown => remember(book, 2, [{ text: "b", memoryId: "x", ...LOW }]);
    expect(lower).toThrow(expect.objectContaining({ reason: "REQUEST_INVALID" }));
    expect(known(book, "x").content.text).toBe("a");
  });
});

describe("an entity", () => {
  const acme = (attributes: Readonly<Record<string, string>>, rest: DraftSpec = {}): DraftSpec => ({
    structure: {
      kind: "entity",
      entity: {
        ...{ name: "Acme", type: "organization", aliases: [] },
        attributes: new Map(Object.entries(attributes)),
      },
    },
    ...rest,
  });

  test("takes in what is said of it with its own trust, and stands beside others", () => {
    const book = new MemoryBook();
    remember(book, 1, [acme({ owner: "Ann" })]);
    remember(book, 2, [acme({ owner: "Eve" }, LOW)]);
    remember(book, 3, [acme({ city: "Rome" }, LOW), acme({ city: "Oslo" })]);
    expect(book.all()).toMatchObject([
      { content: { text: "Acme [organization] (owner: Ann, city: Oslo)" }, trust: TRUST.medium },
      {
        content: { text: "Acme [organization] (owner: Eve, city: Rome)" },
        ...{ trust: TRUST.low, contradictsIds: ["n1-0"] },
      },
    ]);
  });

  test("of more trust does not take over what others said of it", () => {
    const book = new MemoryBook();
    remember(book, 1, [acme({ owner: "Eve" }, LOW)]);
    remember(book, 2, [acme({})]);
    expect(states(book)).toEqual([
      ["Acme [organization] (owner: Eve)", "active", ["n2-0"]],
      ["Acme [organization]", "active", []],
    ]);
  });

  test("that gets a key names what has the key with more trust", () => {
    const book = new MemoryBook();
    remember(book, 1, [home("Rome"), acme({ owner: "Ann" })]);
    remember(book, 2, [acme({ owner: "Eve" }, LOW)]);
    remember(book, 3, [acme({}, { ...LOW, key: "home" })]);
    expect(known(book, "n2-0").contradictsIds).toEqual(["n1-1", "n1-0"]);
  });

  test("that is known with more trust needs nothing that adds nothing", () => {
    const book = new MemoryBook();
    remember(book, 1, [acme({ owner: "Ann" })]);
    const plan = remember(book, 2, [acme({}, LOW)]);
    expect(plan.results).toMatchObject([{ outcome: "unchanged", memory: { memoryId: "n1-0" } }]);
    expect(plan.put).toEqual([]);
  });
});

describe("a limit", () => {
  const two = rulesOf({}, {}, { "long-term": 2 });

  test("takes what is trusted least first, however important", () => {
    const book = new MemoryBook();
    remember(
      book,
      1,
      [
        { text: "a", importance: 0 },
        { text: "b", importance: 1, ...LOW },
      ],
      KEEP,
    );
    expect(remember(book, 2, [{ text: "c", importance: 0.5 }], two).evictedIds).toEqual(["n1-1"]);
  });

  test("takes nothing that is trusted more than what comes", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "a" }, { text: "b" }, { text: "c" }], KEEP);
    const plan = remember(book, 2, [{ text: "d", importance: 1, ...LOW }], two);
    expect(plan.evictedIds).toEqual(["n2-0"]);
    expect(book.all()).toHaveLength(3);
  });
});

describe("a mark goes", () => {
  const stamp = stampOf(9);

  function marked(): Memory {
    const book = new MemoryBook();
    remember(book, 1, [home("Rome")]);
    remember(book, 2, [home("Oslo", LOW)]);
    return known(book, "n2-0");
  }

  test("when somebody raises the trust, or changes what the memory answers", () => {
    const memory = marked();
    expect(updateMemory(memory, { trust: TRUST.medium }, stamp).contradictsIds).toEqual([]);
    expect(updateMemory(memory, { key: "holiday" }, stamp).contradictsIds).toEqual([]);
    expect(updateMemory(memory, { text: "Oslo!" }, stamp).contradictsIds).toEqual(["n1-0"]);
  });

  test("and comes back with the state that had it", () => {
    const memory = marked();
    const raised = updateMemory(memory, { trust: TRUST.medium }, stamp);
    expect(restoreRevision(raised, memory, stamp).contradictsIds).toEqual(["n1-0"]);
  });
});

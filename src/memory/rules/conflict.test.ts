import { describe, expect, test } from "vitest";
import {
  type DraftSpec,
  draftOf,
  MemoryBook,
  rulesOf,
  stampOf,
} from "../../../test/support/memory/lookup.ts";
import { LIMITS } from "../../kit/limits.ts";
import { TRUST } from "../../summary/rules/summary.ts";
import type { Memory } from "./memory.ts";
import { contradictedBy, planRemember } from "./remember.ts";
import type { RememberPlan, RememberRules, Resolved } from "./rules.ts";

const SUPERSEDE = rulesOf({}, { mode: "supersede", singleObject: true });
const MERGE = rulesOf({}, { mode: "merge" });
const KEEP = rulesOf();

function remember(
  book: MemoryBook,
  revision: number,
  specs: readonly DraftSpec[],
  rules: RememberRules,
): RememberPlan {
  const drafts = specs.map((spec) => draftOf({ key: "home", ...spec }));
  const plan = planRemember(book, drafts, rules, stampOf(revision, revision * 1_000));
  book.save(plan);
  return plan;
}

/** Each memory as its text, its beginning and end, and what took its place. */
function timeline(book: MemoryBook): readonly unknown[] {
  return book
    .all()
    .map(({ content, supersededBy }) => [
      ...[content.text, content.validFromMs, content.validToMs],
      supersededBy === "" ? "active" : book.byId(supersededBy)?.content.text,
    ]);
}

function relation(object: string, predicate = "works_at"): DraftSpec {
  const structure = { kind: "relation", relation: { subject: "Ann", predicate, object } } as const;
  return { structure, key: "" };
}

describe("superseding", () => {
  test("by what is yet to begin ends what holds until then, and takes no place", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "Rome", validFromMs: 10 }], SUPERSEDE);
    const move = remember(book, 2, [{ text: "Oslo", validFromMs: 9_000 }], SUPERSEDE);
    expect(move.results).toMatchObject([{ outcome: "created", supersededIds: [] }]);
    const stay = remember(book, 3, [{ text: "Bern", validFromMs: 2_500 }], SUPERSEDE);
    expect(stay.results).toMatchObject([{ outcome: "created", supersededIds: ["n1-0"] }]);
    expect(timeline(book)).toEqual([
      ["Rome", 10, 2_500, "Bern"],
      ["Oslo", 9_000, undefined, "active"],
      ["Bern", 2_500, 9_000, "active"],
    ]);
  });

  test("leaves what answers another thing with the same words", () => {
    const book = new MemoryBook();
    const texts = [{ text: "Rome", key: "birth_city" }, { text: "Rome" }];
    const plan = remember(book, 1, texts, SUPERSEDE);
    expect(plan.results.map(({ outcome }) => outcome)).toEqual(["created", "created"]);
  });

  test("ends what was, where the new one begins, or now", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "Rome", validFromMs: 10 }], SUPERSEDE);
    const plan = remember(book, 2, [{ text: "Oslo", validFromMs: 20 }], SUPERSEDE);
    expect(plan.results).toMatchObject([{ outcome: "created", supersededIds: ["n1-0"] }]);
    expect(plan.updatedIds).toEqual(["n1-0"]);
    remember(book, 3, [{ text: "Bern" }], SUPERSEDE);
    expect(timeline(book)).toEqual([
      ["Rome", 10, 20, "Oslo"],
      ["Oslo", 20, 3_000, "Bern"],
      ["Bern", undefined, undefined, "active"],
    ]);
  });

  test("leaves an end that somebody gave", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "Rome", validFromMs: 10, validToMs: 15 }], SUPERSEDE);
    remember(book, 2, [{ text: "Oslo", validFromMs: 30 }], SUPERSEDE);
    remember(book, 3, [{ text: "Bern", validFromMs: 20 }], SUPERSEDE);
    expect(timeline(book)).toEqual([
      ["Rome", 10, 15, "Bern"],
      ["Oslo", 30, undefined, "active"],
      ["Bern", 20, 30, "Oslo"],
    ]);
  });

  test("makes history of what began before", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "Oslo", validFromMs: 30 }], SUPERSEDE);
    const plan = remember(book, 2, [{ text: "Rome", validFromMs: 10, validToMs: 90 }], SUPERSEDE);
    expect(plan.results).toMatchObject([{ outcome: "superseded", supersededIds: [] }]);
    const late = remember(book, 3, [{ text: "Bern", validFromMs: 20 }], SUPERSEDE);
    expect(late.results).toMatchObject([{ outcome: "superseded", supersededIds: ["n2-0"] }]);
    expect(timeline(book)).toEqual([
      ["Oslo", 30, undefined, "active"],
      ["Rome", 10, 20, "Bern"],
      ["Bern", 20, 30, "Oslo"],
    ]);
  });

  test("of what began at the same moment ends it a millisecond later", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "Rome", validFromMs: 10 }], SUPERSEDE);
    remember(book, 2, [{ text: "Oslo", validFromMs: 10 }], SUPERSEDE);
    expect(timeline(book)).toEqual([
      ["Rome", 10, 11, "Oslo"],
      ["Oslo", 10, undefined, "active"],
    ]);
  });

  test("settles all that were kept beside one another", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "Rome", validFromMs: 10 }, { text: "?" }], KEEP);
    remember(book, 2, [{ text: "Oslo", validFromMs: 30 }], KEEP);
    remember(book, 3, [{ text: "Bern", validFromMs: 20 }], SUPERSEDE);
    expect(timeline(book)).toEqual([
      ["Rome", 10, 20, "Bern"],
      ["?", undefined, 20, "Bern"],
      ["Oslo", 30, undefined, "active"],
      ["Bern", 20, 30, "Oslo"],
    ]);
  });

  test("is about one scope and one key", () => {
    const book = new MemoryBook();
    const scope = { userId: "u", agentId: "", sessionId: "" };
    remember(book, 1, [{ text: "a" }, { text: "b", key: "job" }, { text: "c", scope }], SUPERSEDE);
    const plan = remember(book, 2, [{ text: "d" }], SUPERSEDE);
    expect(plan.results[0]?.supersededIds).toEqual(["n1-0"]);
  });

  test("is done by each of a call in turn", () => {
    const book = new MemoryBook();
    const plan = remember(book, 1, [{ text: "a" }, { text: "b" }, { text: "c" }], SUPERSEDE);
    expect(plan.createdIds).toHaveLength(3);
    expect(timeline(book).map((row) => (row as unknown[])[3])).toEqual(["b", "c", "active"]);
    expect(book.all().map(({ version }) => version)).toEqual([1, 1, 1]);
  });
});

describe("relations", () => {
  test("of a subject that has one object for each predicate contradict", () => {
    const book = new MemoryBook();
    remember(book, 1, [relation("Acme"), relation("Bob", "knows")], SUPERSEDE);
    expect(remember(book, 2, [relation("acme.")], SUPERSEDE).reinforcedIds).toEqual(["n1-0"]);
    const plan = remember(book, 3, [relation("Apex", "WORKS_AT")], SUPERSEDE);
    expect(plan.results[0]?.supersededIds).toEqual(["n1-0"]);
  });

  test("may have many objects otherwise", () => {
    const book = new MemoryBook();
    const many = rulesOf({}, { mode: "supersede" });
    remember(book, 1, [relation("Acme")], many);
    expect(remember(book, 2, [relation("Apex")], many).results[0]?.supersededIds).toEqual([]);
  });

  test("with the same object do not contradict", () => {
    const book = new MemoryBook();
    const all = rulesOf({ mode: "none" }, { mode: "supersede", singleObject: true });
    remember(book, 1, [relation("Acme")], all);
    expect(remember(book, 2, [relation("Acme")], all).results[0]?.supersededIds).toEqual([]);
  });
});

describe("merging", () => {
  test("adds the new text to the newest, as its next state", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "a" }, { text: "b", importance: 0.2, topics: ["x"] }], KEEP);
    const news = { text: "c", importance: 0.7, topics: ["X", "y"] };
    const plan = remember(book, 2, [news], MERGE);
    expect(plan.results).toMatchObject([
      { outcome: "updated", supersededIds: [], memory: { memoryId: "n1-1" } },
    ]);
    expect(book.all()).toMatchObject([
      { content: { text: "a" } },
      {
        content: { text: "b\nc", importance: 0.7, topics: ["x", "y"] },
        ...{ trust: TRUST.medium, version: 2, strength: { mentionCount: 2 } },
      },
    ]);
  });

  test("does not add what it took in before", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "a" }], MERGE);
    remember(book, 2, [{ text: "b" }], MERGE);
    const plan = remember(book, 3, [{ text: "B." }], MERGE);
    expect(plan.results).toMatchObject([{ outcome: "reinforced" }]);
    expect(book.all()).toMatchObject([{ content: { text: "a\nb" }, version: 2 }]);
  });

  test("keeps both when they are too long together", () => {
    const book = new MemoryBook();
    const half = LIMITS.memoryTextBytes / 2;
    remember(book, 1, [{ text: "a".repeat(half) }], MERGE);
    expect(remember(book, 2, [{ text: "b".repeat(half) }], MERGE).createdIds).toHaveLength(1);
    expect(remember(book, 3, [{ text: "c".repeat(half - 1) }], MERGE).updatedIds).toHaveLength(1);
  });

  test("keeps both when one has a structure, which says one thing", () => {
    const book = new MemoryBook();
    remember(book, 1, [relation("Acme")], rulesOf());
    const rules = rulesOf({}, { mode: "merge", singleObject: true });
    expect(remember(book, 2, [relation("Apex")], rules).createdIds).toHaveLength(1);
  });
});

describe("what a hook said", () => {
  /** A book with two that contradict, and what a hook was asked about. */
  function asked(action: Resolved["action"], text?: string) {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "a" }, { text: "b" }], KEEP);
    const news = draftOf({ text: "c", key: "home" });
    const known = contradictedBy(book, news, { rule: KEEP.conflict, nowMs: 1_500 });
    const revisions = new Map(known.map((one: Memory) => [one.memoryId, one.etagRevision]));
    const resolved = { action, asked: revisions, ...(text === undefined ? {} : { text }) };
    return { book, known, news: { text: "c", resolved } };
  }

  test("is about all that contradicts, oldest first", () => {
    const { known } = asked("supersede");
    expect(known.map(({ memoryId }) => memoryId)).toEqual(["n1-0", "n1-1"]);
  });

  test("is done", () => {
    const supersede = asked("supersede");
    const plan = remember(supersede.book, 2, [supersede.news], KEEP);
    expect(plan.results[0]?.supersededIds).toEqual(["n1-0", "n1-1"]);
    const drop = asked("drop");
    const dropped = remember(drop.book, 2, [drop.news], KEEP);
    expect(dropped).toMatchObject({
      put: [],
      results: [{ memory: undefined, outcome: "dropped" }],
    });
    const keep = asked("keep-both");
    expect(remember(keep.book, 2, [keep.news], SUPERSEDE).updatedIds).toEqual([]);
  });

  test("can be one text for all of them", () => {
    const { book, news } = asked("merge", "a, b and c");
    const plan = remember(book, 2, [news], KEEP);
    expect(plan.results).toMatchObject([{ outcome: "updated", supersededIds: ["n1-0"] }]);
    expect(timeline(book)).toEqual([
      ["a", undefined, 2_000, "a, b and c"],
      ["a, b and c", undefined, undefined, "active"],
    ]);
  });

  test("is not done with a text that is too long", () => {
    const { book, news } = asked("merge", "x".repeat(LIMITS.memoryTextBytes + 1));
    expect(remember(book, 2, [news], KEEP).createdIds).toHaveLength(1);
  });

  test.each<readonly [string, readonly DraftSpec[]]>([
    ["one of them changed", [{ text: "a", importance: 0.9 }]],
    ["one of them was said again", [{ text: "a" }]],
    ["another one came", [{ text: "d" }]],
  ])("does not count when %s meanwhile", (_, meanwhile) => {
    const { book, news } = asked("drop");
    remember(book, 2, meanwhile, KEEP);
    expect(remember(book, 3, [news], KEEP).createdIds).toEqual(["n3-0"]);
  });

  test("does not count when one of them is gone, or one of the same call contradicts", () => {
    const gone = asked("drop");
    gone.book.save({ put: [], remove: ["n1-0"] });
    expect(remember(gone.book, 3, [gone.news], KEEP).createdIds).toEqual(["n3-0"]);
    const { book, news } = asked("drop");
    expect(remember(book, 2, [{ text: "d" }, news], KEEP).createdIds).toHaveLength(2);
  });
});

describe("a call about one subject", () => {
  class CountedBook extends MemoryBook {
    asked = 0;

    override bySubject(...asked: Parameters<MemoryBook["bySubject"]>): readonly Memory[] {
      this.asked += 1;
      return super.bySubject(...asked);
    }
  }

  test("looks for its relations once", () => {
    const book = new CountedBook();
    const drafts = Array.from({ length: 100 }, (_, index): DraftSpec => {
      const relation = { subject: "Hub", predicate: "leads to", object: `place ${index}` };
      return { key: "", structure: { kind: "relation", relation } };
    });
    const plan = remember(book, 1, drafts, SUPERSEDE);
    expect(book.asked).toBe(1);
    expect(plan.results.slice(1).every(({ supersededIds }) => supersededIds.length === 1)).toBe(
      true,
    );
  });
});

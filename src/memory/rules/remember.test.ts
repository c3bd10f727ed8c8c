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
import type { Memory, MemoryStructure } from "./memory.ts";
import { planRemember } from "./remember.ts";
import type { RememberPlan, RememberRules } from "./rules.ts";

/** Remembers, and keeps it in the book. */
function remember(
  book: MemoryBook,
  revision: number,
  specs: readonly DraftSpec[],
  rules: RememberRules = rulesOf(),
): RememberPlan {
  const plan = planRemember(book, specs.map(draftOf), rules, stampOf(revision, revision * 1_000));
  book.save(plan);
  return plan;
}

function outcomes({ results }: RememberPlan): readonly string[] {
  return results.map(({ outcome }) => outcome);
}

function texts(book: MemoryBook): readonly string[] {
  return book.all().map(({ content }) => content.text);
}

function entity(name: string, more: Partial<DraftEntity> = {}): { structure: MemoryStructure } {
  const { type = "person", aliases = [], attributes = {} } = more;
  const values = new Map(Object.entries(attributes));
  return { structure: { kind: "entity", entity: { name, type, aliases, attributes: values } } };
}

interface DraftEntity {
  readonly type: string;
  readonly aliases: readonly string[];
  readonly attributes: Readonly<Record<string, string>>;
}

describe("what is new", () => {
  test("gets an id, a number, and its first state", () => {
    const book = new MemoryBook();
    const plan = remember(book, 1, [{ text: "a" }, { text: "b", memoryId: "mine" }]);
    expect(plan.createdIds).toEqual(["n1-0", "mine"]);
    expect(plan.results[0]?.memory).toEqual({
      ...{ memoryId: "n1-0", memoryNo: 1, kind: "fact", scope: draftOf().scope },
      content: draftOf({ text: "a" }).content,
      strength: { confidence: 1, mentionCount: 1, lastSeenMs: 1_000, decayMs: 0 },
      ...{ trust: TRUST.medium, persistent: false, ttlMs: 0, source: draftOf().source },
      ...{ state: "active", supersededBy: "", contradictsIds: [] },
      ...{ version: 1, writer: "test", reason: "" },
      ...{ createMs: 1_000, updateMs: 1_000, etagRevision: 1 },
    });
  });

  test("gets what its kind asks for", () => {
    const book = new MemoryBook();
    const episode = { kind: "episode", episode: { userText: "hi", assistantText: "yo" } } as const;
    remember(book, 2, [{ kind: "entity", text: "Ann" }, { structure: episode }]);
    expect(book.all().map(({ content }) => content)).toMatchObject([
      { text: "Ann", structure: { kind: "entity", entity: { name: "Ann", type: "other" } } },
      { text: "user: hi | assistant: yo", validFromMs: 2_000 },
    ]);
  });
});

describe("what was so and is so again", () => {
  const home = { text: "Ana lives in Porto.", validFromMs: 10, validToMs: 20 };

  test("is new: what had ended by then stays as it was", () => {
    const book = new MemoryBook();
    remember(book, 1, [home]);
    expect(outcomes(remember(book, 2, [{ text: home.text, validFromMs: 30 }]))).toEqual([
      "created",
    ]);
    const similar = rulesOf({ mode: "similar", threshold: 0.5 });
    const alike = { text: "Ana lives in Porto now.", validFromMs: 50 };
    expect(outcomes(remember(book, 3, [alike], similar))).toEqual(["reinforced"]);
    expect(book.all().map(({ strength }) => strength.mentionCount)).toEqual([1, 2]);
  });

  test("is known while it lasts, and when the same end is given", () => {
    const book = new MemoryBook();
    remember(book, 1, [home]);
    const told = [{ ...home, validFromMs: 19 }, home, { ...home, validFromMs: undefined }];
    expect(outcomes(remember(book, 2, told))).toEqual(Array(3).fill("reinforced"));
    expect(outcomes(remember(book, 3, [{ text: home.text }]))).toEqual(["created"]);
  });
});

describe("a memory that has had all its states", () => {
  const lookup = (): MemoryBook => {
    const book = new MemoryBook();
    remember(book, 1, [
      { memoryId: "e", ...entity("Hub") },
      { memoryId: "f", key: "k" },
    ]);
    for (const memory of book.all()) {
      const full = { ...memory, version: LIMITS.memoryRevisions };
      book.states.set(memory.memoryId, [full]);
    }
    return book;
  };
  const found = { ...draftOf().source, origin: "extraction" } as const;
  const told = [entity("Hub", { attributes: { city: "Rome" } }), { text: "new", key: "k" }];

  test.each(["supersede", "merge"] as const)("stays, and keeps no find from others: %s", (mode) => {
    const drafts = told.map((draft) => ({ ...draft, source: found }));
    const plan = remember(lookup(), 2, drafts, rulesOf({}, { mode }));
    expect(outcomes(plan)).toEqual(["reinforced", "created"]);
  });

  test("is an error for a caller", () => {
    for (const draft of told) {
      const rules = rulesOf({}, { mode: "supersede" });
      expect(() => remember(lookup(), 2, [draft], rules)).toThrow(/1000 states/u);
    }
  });
});

describe("what is known", () => {
  test("is reinforced: surer, seen, said once more, with the sources of both", () => {
    const source = { ...draftOf().source, sessionId: "s", messageIds: ["m1"] };
    const book = new MemoryBook();
    remember(book, 1, [{ text: "I like tea", confidence: 0.4, source }]);
    const again = { ...source, messageIds: ["m2"], origin: "extraction" } as const;
    const plan = remember(book, 2, [{ text: " i LIKE tea.", source: again }]);
    expect(outcomes(plan)).toEqual(["reinforced"]);
    expect(plan.reinforcedIds).toEqual(["n1-0"]);
    expect(book.all()).toMatchObject([
      {
        strength: { confidence: 0.5, mentionCount: 2, lastSeenMs: 2_000 },
        source: { origin: "caller", messageIds: ["m1", "m2"] },
        ...{ version: 1, updateMs: 1_000, etagRevision: 2 },
      },
    ]);
  });

  test("was not said before it was last said, and is no surer than 1", () => {
    const book = new MemoryBook();
    remember(book, 2, [{ text: "a" }]);
    remember(book, 3, [{ text: "a", lastSeenMs: 1_500 }]);
    expect(book.all()[0]?.strength).toMatchObject({ confidence: 1, lastSeenMs: 2_000 });
  });

  test("gets a new state when it is more important now, or is to be persistent", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "a", importance: 0.5 }]);
    expect(remember(book, 2, [{ text: "a", importance: 0.4 }]).updatedIds).toEqual([]);
    const plan = remember(book, 3, [{ text: "a", importance: 0.9 }]);
    expect(outcomes(plan)).toEqual(["reinforced"]);
    expect(plan.updatedIds).toEqual(["n1-0"]);
    expect(remember(book, 4, [{ text: "a", persistent: true }]).updatedIds).toEqual(["n1-0"]);
    expect(book.all()).toMatchObject([
      { version: 3, persistent: true, content: { importance: 0.9 } },
    ]);
    expect(book.states.get("n1-0")?.map(({ content }) => content.importance)).toEqual([
      0.5, 0.9, 0.9,
    ]);
  });

  test("stays reinforced when it has had as many states as it may", () => {
    const [old] = planRemember(
      new MemoryBook(),
      [draftOf({ text: "a" })],
      rulesOf(),
      stampOf(1),
    ).put;
    const book = new MemoryBook([old as Memory]);
    const full = { ...(old as Memory), version: LIMITS.memoryRevisions };
    book.states.set(full.memoryId, [full]);
    const plan = remember(book, 2_000, [{ text: "a", importance: 0.9 }]);
    expect(outcomes(plan)).toEqual(["reinforced"]);
    const given = draftOf({ text: "b", memoryId: full.memoryId });
    expect(() => planRemember(book, [given], rulesOf(), stampOf(3_000))).toThrow(/1000 states/);
  });

  test("is left as it is when the rule says so", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "a" }]);
    const plan = remember(book, 2, [{ text: "a" }], rulesOf({ keepUnchanged: true }));
    expect(outcomes(plan)).toEqual(["unchanged"]);
    expect(plan.put).toEqual([]);
    expect(plan.results[0]?.memory).toEqual(book.byId("n1-0"));
  });

  test("is of the same scope and kind, and active", () => {
    const book = new MemoryBook();
    const scope = { userId: "u", agentId: "", sessionId: "" };
    remember(book, 1, [{ text: "a", key: "k" }]);
    expect(outcomes(remember(book, 2, [{ text: "a", scope }]))).toEqual(["created"]);
    expect(outcomes(remember(book, 3, [{ text: "a", kind: "preference" }]))).toEqual(["created"]);
    remember(book, 4, [{ text: "b", key: "k" }], rulesOf({}, { mode: "supersede" }));
    expect(outcomes(remember(book, 5, [{ text: "a" }]))).toEqual(["created"]);
  });

  test("is not what nobody sees any more", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "a", ttlMs: 500 }]);
    const plan = remember(book, 2, [{ text: "a" }]);
    expect(outcomes(plan)).toEqual(["created"]);
    expect(plan).toMatchObject({ remove: ["n1-0"], evictedIds: [] });
  });

  test("is known to later ones of the call", () => {
    const book = new MemoryBook();
    const plan = remember(book, 1, [{ text: "a" }, { text: "A" }, { text: "b" }]);
    expect(outcomes(plan)).toEqual(["created", "reinforced", "created"]);
    expect(plan.results[0]?.memory?.strength.mentionCount).toBe(2);
    expect(book.all().map(({ memoryNo }) => memoryNo)).toEqual([1, 2]);
  });

  test("is nothing when nothing is compared", () => {
    const book = new MemoryBook();
    const plan = remember(book, 1, [{ text: "a" }, { text: "a" }], rulesOf({ mode: "none" }));
    expect(outcomes(plan)).toEqual(["created", "created"]);
  });
});

describe("what is similar", () => {
  const similar = (more: Partial<RememberRules["dedupe"]> = {}): RememberRules =>
    rulesOf({ mode: "similar", ...more });

  test("is known from the threshold on", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "User lives in Berlin now" }]);
    const near = { text: "User lives in Berlin, now" };
    expect(outcomes(remember(book, 2, [near], similar()))).toEqual(["reinforced"]);
    expect(outcomes(remember(book, 3, [near], similar({ threshold: 1 })))).toEqual(["created"]);
  });

  test("is the most similar one", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "User likes black tea" }, { text: "User likes green tea" }]);
    const plan = remember(
      book,
      2,
      [{ text: "User likes greener tea" }],
      similar({ threshold: 0.5 }),
    );
    expect(plan.reinforcedIds).toEqual(["n1-1"]);
  });

  test("is looked for among the newest", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "User likes green tea" }, { text: "something else" }]);
    const near = { text: "User likes green teas" };
    expect(outcomes(remember(book, 2, [near], similar({ window: 1 })))).toEqual(["created"]);
  });

  test("is nothing that answers the same in other words", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "The user's wife is Anna.", key: "wife" }]);
    const changed = [{ text: "The user's wife is Anne.", key: "wife" }];
    const rules = rulesOf({ mode: "similar" }, { mode: "supersede" });
    expect(remember(book, 2, changed, rules).results[0]?.supersededIds).toEqual(["n1-0"]);
  });

  test("is no episode of another time", () => {
    const book = new MemoryBook();
    const episode = { kind: "episode", episode: { userText: "hi", assistantText: "" } } as const;
    remember(book, 1, [{ structure: episode, validFromMs: 5 }]);
    const at = (validFromMs: number) => [{ structure: episode, validFromMs }];
    expect(outcomes(remember(book, 2, at(6), similar()))).toEqual(["created"]);
    expect(outcomes(remember(book, 3, at(5), similar()))).toEqual(["reinforced"]);
  });
});

describe("an id that exists", () => {
  test("gets its next state", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "a", memoryId: "x", topics: ["t"] }]);
    const plan = remember(book, 2, [{ text: "b", memoryId: "x", confidence: 0.3 }]);
    expect(outcomes(plan)).toEqual(["updated"]);
    expect(plan.updatedIds).toEqual(["x"]);
    expect(book.byId("x")).toMatchObject({
      content: { text: "b", topics: [] },
      strength: { confidence: 0.3, mentionCount: 2, lastSeenMs: 2_000 },
      ...{ version: 2, memoryNo: 1, createMs: 1_000, updateMs: 2_000 },
    });
  });

  test("makes a superseded memory active again", () => {
    const book = new MemoryBook();
    const way = rulesOf({}, { mode: "supersede" });
    remember(book, 1, [{ text: "a", memoryId: "x", key: "k" }]);
    remember(book, 2, [{ text: "b", key: "k" }], way);
    const plan = remember(book, 3, [{ text: "c", memoryId: "x", key: "k" }], way);
    expect(plan.results[0]?.supersededIds).toEqual(["n2-0"]);
    expect(book.all()).toMatchObject([
      { state: "active", supersededBy: "" },
      { state: "superseded", supersededBy: "x" },
    ]);
  });

  test("is of the same kind and scope", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "a", memoryId: "x" }]);
    const scope = { userId: "u", agentId: "a", sessionId: "s" };
    const wrong = draftOf({ text: "a", memoryId: "x", kind: "knowledge", scope });
    expect(() => planRemember(book, [draftOf(), wrong], rulesOf(), stampOf(2))).toThrow(
      expect.objectContaining({
        reason: "REQUEST_INVALID",
        detail: expect.objectContaining({
          violations: ["kind", "user_id", "agent_id", "session_id"].map((name) =>
            expect.objectContaining({ field: `memories[1].${name}` }),
          ),
        }),
      }),
    );
  });

  test("has the etag that was named", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "a", memoryId: "x" }]);
    const mismatch = expect.objectContaining({ reason: "ETAG_MISMATCH" });
    const give = (revision: number, spec: DraftSpec) => () => remember(book, revision, [spec]);
    const wrong = { text: "b", memoryId: "x", expectedRevision: 9 };
    expect(give(2, wrong)).toThrow(mismatch);
    expect(give(2, { ...wrong, memoryId: "y", expectedRevision: 1 })).toThrow(mismatch);
    // Earlier effects of the same call do not count.
    const right = { ...wrong, expectedRevision: 1 };
    expect(outcomes(remember(book, 3, [{ text: "a" }, right]))).toEqual(["reinforced", "updated"]);
    expect(book.byId("x")).toMatchObject({ version: 2, content: { text: "b" } });
  });

  test("is free once its time has run out", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "a", memoryId: "x", ttlMs: 500 }]);
    const plan = remember(book, 2, [{ kind: "knowledge", text: "b", memoryId: "x" }]);
    expect(outcomes(plan)).toEqual(["created"]);
    expect(book.states.get("x")).toMatchObject([{ version: 1, memoryNo: 2 }]);
  });
});

describe("an entity", () => {
  test("is known by its name: the first name and type stay, attributes are set", () => {
    const book = new MemoryBook();
    const first = { type: "other", aliases: ["Al"], attributes: { role: "CTO", city: "Seattle" } };
    remember(book, 1, [entity("Alice", first)]);
    const more = {
      type: "person",
      aliases: ["alice", "Ally"],
      attributes: { city: "Rome", x: "1" },
    };
    const plan = remember(book, 2, [entity("ALICE", more)]);
    expect(outcomes(plan)).toEqual(["updated"]);
    expect(book.all()).toMatchObject([
      {
        content: {
          text: "Alice [other] (role: CTO, city: Rome, x: 1)",
          structure: { entity: { name: "Alice", type: "other", aliases: ["Al", "Ally"] } },
        },
        ...{ version: 2, trust: TRUST.medium, strength: { mentionCount: 2 } },
      },
    ]);
    expect(outcomes(remember(book, 3, [entity("al", { type: "company" })]))).toEqual([
      "reinforced",
    ]);
    expect(book.all()).toMatchObject([{ version: 2, strength: { mentionCount: 3 } }]);
  });

  test("is found by its very name before an alias", () => {
    const book = new MemoryBook();
    remember(book, 1, [entity("Robert", { aliases: ["Rob"] }), entity("Bob")]);
    remember(book, 2, [entity("Robert", { aliases: ["Bob"] })]);
    expect(remember(book, 3, [entity("Bob")]).reinforcedIds).toEqual(["n1-1"]);
    expect(remember(book, 4, [entity("rob")]).reinforcedIds).toEqual(["n1-0"]);
  });

  test("gets no name that another one has by its id", () => {
    const book = new MemoryBook();
    const bob = { memoryId: "b", ...entity("Bob", { aliases: ["Rob"] }) };
    remember(book, 1, [{ memoryId: "a", ...entity("Alice") }, bob]);
    const renamed = { memoryId: "b", ...entity("ALICE") };
    expect(() => remember(book, 2, [renamed])).toThrow(/merge the two/u);
    const away = { memoryId: "a", ...entity("Alicia") };
    expect(outcomes(remember(book, 3, [away, renamed]))).toEqual(["updated", "updated"]);
  });

  test("is known whatever the rule of duplicates says", () => {
    const book = new MemoryBook();
    remember(book, 1, [entity("Ann"), entity("ann")], rulesOf({ mode: "none" }));
    expect(texts(book)).toEqual(["Ann [person]"]);
  });

  test("keeps a text that somebody wrote", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ ...entity("Ann"), text: "Ann is a friend" }]);
    remember(book, 2, [entity("Ann", { attributes: { a: "b" } })]);
    expect(texts(book)).toEqual(["Ann is a friend"]);
  });

  test("that was longest unseen goes first", () => {
    const book = new MemoryBook();
    const two = rulesOf({}, {}, { entities: 2 });
    remember(book, 1, [entity("Alice")], two);
    remember(book, 2, [entity("Acme")], two);
    remember(book, 3, [entity("ALICE")], two);
    expect(remember(book, 4, [entity("Bob")], two).evictedIds).toEqual(["n2-0"]);
    expect(texts(book)).toEqual(["Alice [person]", "Bob [person]"]);
  });
});

describe("too many", () => {
  const two = rulesOf({}, {}, { "long-term": 2 });

  test("lose the least important, the oldest of equal ones, the new one not spared", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "low", importance: 0.2 }], two);
    remember(book, 2, [{ text: "mid", importance: 0.5 }], two);
    expect(remember(book, 3, [{ text: "high", importance: 0.9 }], two).evictedIds).toEqual([
      "n1-0",
    ]);
    const plan = remember(book, 4, [{ text: "low2", importance: 0.2 }], two);
    expect(plan).toMatchObject({ put: [], remove: [], evictedIds: ["n4-0"], createdIds: [] });
    expect(plan.results).toMatchObject([{ outcome: "created", memory: { memoryId: "n4-0" } }]);
    expect(texts(book)).toEqual(["mid", "high"]);
    remember(book, 5, [{ text: "mid2", importance: 0.5 }], two);
    expect(texts(book)).toEqual(["high", "mid2"]);
  });

  test("keep what is persistent", () => {
    const book = new MemoryBook();
    for (const [index, text] of ["p1", "p2", "p3"].entries()) {
      remember(book, index + 1, [{ text, importance: 0.1, persistent: true }], two);
    }
    remember(book, 4, [{ text: "x", importance: 0.9 }], two);
    expect(texts(book)).toEqual(["p1", "p2", "p3"]);
  });

  test("lose what nobody sees any more before anything else", () => {
    const book = new MemoryBook();
    remember(book, 1, [{ text: "brief", importance: 0.1, ttlMs: 500 }, { text: "a" }]);
    const plan = remember(book, 2, [{ text: "b" }], two);
    expect(plan).toMatchObject({ remove: ["n1-0"], evictedIds: [] });
    expect(texts(book)).toEqual(["a", "b"]);
  });

  test("leave numbers without gaps", () => {
    const book = new MemoryBook();
    const drafts = [0.1, 0.9, 0.8].map((importance, i) => ({ text: `t${i}`, importance }));
    const plan = remember(book, 1, drafts, two);
    expect(plan.put.map(({ memoryNo }) => memoryNo)).toEqual([1, 2]);
    expect(plan.evictedIds).toEqual(["n1-0"]);
  });

  test("are an error beyond what the server keeps", () => {
    const book = new MemoryBook();
    book.count = () => LIMITS.scopeMemories;
    const limit = expect.objectContaining({ reason: "MEMORY_LIMIT_REACHED" });
    expect(() => planRemember(book, [draftOf({ text: "a" })], rulesOf(), stampOf(1))).toThrow(
      limit,
    );
  });
});

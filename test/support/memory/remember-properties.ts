// Invariants of every decision about new memories, as properties of any function of its shape: they
// judge the real one and, to show that they can fail, broken ones.

import { deepStrictEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { reinforce, restoreRevision } from "../../../src/memory/rules/change.ts";
import {
  isMemoryExpired,
  MEMORY_TIERS,
  type Memory,
  type MemoryContent,
  type MemoryScope,
  SHARED_SCOPE,
  tierOf,
} from "../../../src/memory/rules/memory.ts";
import type { planRemember } from "../../../src/memory/rules/remember.ts";
import type { NewMemory, RememberPlan, RememberRules } from "../../../src/memory/rules/rules.ts";
import { TRUST } from "../../../src/summary/rules/summary.ts";
import { draftOf, MemoryBook, rulesOf, stampOf } from "./lookup.ts";

export type PlanFunction = typeof planRemember;

/** A step of a history: it stores new memories, or changes one. */
type Step =
  | {
      readonly kind: "remember";
      readonly news: readonly NewMemory[];
      readonly rules: RememberRules;
      readonly waitMs: number;
    }
  | { readonly kind: "restore" | "reinforce"; readonly pick: number; readonly waitMs: number };

const SCOPES: readonly MemoryScope[] = [SHARED_SCOPE, { userId: "u", agentId: "", sessionId: "" }];
const TEXTS = ["I like tea", "i like tea.", "I like teas", "I live in Rome", "I live in Oslo"];
const NAMES = ["Ann", "ann", "Bob", "Acme"];

const waitMs = fc.integer({ min: 1, max: 50 });
const validFromMs = fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined });

const structured: fc.Arbitrary<NewMemory["content"]["structure"]> = fc.oneof(
  fc.record({
    kind: fc.constant("entity" as const),
    entity: fc.record({
      name: fc.constantFrom(...NAMES),
      type: fc.constantFrom("other", "person"),
      aliases: fc.subarray(NAMES),
      attributes: fc
        .dictionary(fc.constantFrom("a", "b"), fc.constantFrom("1", "2"))
        .map((values) => new Map(Object.entries(values))),
    }),
  }),
  fc.record({
    kind: fc.constant("relation" as const),
    relation: fc.record({
      subject: fc.constantFrom(...NAMES),
      predicate: fc.constantFrom("knows", "works_at"),
      object: fc.constantFrom(...NAMES),
    }),
  }),
  fc.record({
    kind: fc.constant("episode" as const),
    episode: fc.record({ userText: fc.constantFrom("hi", "yo"), assistantText: fc.constant("") }),
  }),
);

const draft: fc.Arbitrary<NewMemory> = fc
  .record({
    text: fc.constantFrom(...TEXTS),
    structure: fc.option(structured, { nil: undefined, freq: 2 }),
    key: fc.constantFrom("", "", "home", "drink"),
    importance: fc.constantFrom(0, 0.2, 0.5, 0.9),
    persistent: fc.boolean(),
    trust: fc.constantFrom(TRUST.low, TRUST.medium, TRUST.medium),
    ttlMs: fc.constantFrom(0, 0, 30),
    scope: fc.constantFrom(...SCOPES),
    validFromMs,
    memoryId: fc.constantFrom("", "", "", "given-1"),
  })
  .map(({ structure, text, memoryId, ...rest }) =>
    draftOf({
      ...rest,
      // Given ids name facts for everyone: another kind or scope is an error.
      ...(structure === undefined ? { text } : { structure }),
      // Less trust than the memory has is an error too.
      ...(memoryId === ""
        ? {}
        : { memoryId, structure: undefined, text, scope: SHARED_SCOPE, trust: TRUST.medium }),
    }),
  );

const rules: fc.Arbitrary<RememberRules> = fc
  .record({
    mode: fc.constantFrom("same-text" as const, "similar" as const, "none" as const),
    keepUnchanged: fc.boolean(),
    conflict: fc.constantFrom("keep-both" as const, "supersede" as const, "merge" as const),
    singleObject: fc.boolean(),
    limit: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  })
  .map(({ mode, keepUnchanged, conflict, singleObject, limit }) =>
    rulesOf(
      { mode, keepUnchanged },
      { mode: conflict, singleObject },
      limit === undefined ? {} : Object.fromEntries(MEMORY_TIERS.map((tier) => [tier, limit])),
    ),
  );

/** Given ids differ within one call. */
const news = fc
  .array(draft, { minLength: 1, maxLength: 5 })
  .map((drafts) =>
    drafts.filter(
      ({ memoryId }, index) =>
        memoryId === "" || drafts.findIndex((other) => other.memoryId === memoryId) === index,
    ),
  );

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("remember" as const), news, rules, waitMs }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom("restore" as const, "reinforce" as const),
      pick: fc.nat(),
      waitMs,
    }),
  },
);
const steps = fc.array(step, { minLength: 1, maxLength: 12 });

/** Result of one step. */
interface Done {
  readonly nowMs: number;
  readonly put: readonly Memory[];
  readonly remove: readonly string[];
  readonly before: ReadonlyMap<string, readonly Memory[]>;
  /** Plan of a step that remembers. */
  readonly plan?: RememberPlan;
  readonly step: Step;
}

/** Restores one of the remaining memories to a former state, or reinforces it. */
function changed(book: MemoryBook, { kind, pick }: Step & { pick: number }, at: number): Memory[] {
  const nowMs = at;
  const all = book.all().filter((memory) => !isMemoryExpired(memory, nowMs));
  const memory = all[pick % Math.max(1, all.length)];
  if (memory === undefined) return [];
  const stamp = stampOf(book.nextMemoryNo * 1_000 + pick, nowMs);
  if (kind === "reinforce") return [reinforce(memory, 0.1, stamp)];
  const states = book.states.get(memory.memoryId) ?? [];
  const former = states[pick % states.length];
  return former === undefined ? [] : [restoreRevision(memory, former, stamp)];
}

/** Plays step by step, which allows inspecting the book in between. */
function* stepwise(
  plan: PlanFunction,
  history: readonly Step[],
  book: MemoryBook,
): Generator<Done> {
  let nowMs = 1_000;
  let revision = 0;
  for (const one of history) {
    nowMs += one.waitMs;
    revision++;
    const before = new Map(book.states);
    if (one.kind === "remember") {
      const made = plan(book, one.news, one.rules, stampOf(revision, nowMs));
      book.save(made);
      const { put, remove } = made;
      yield { nowMs, put, remove, before, plan: made, step: one };
    } else {
      const put = changed(book, one, nowMs);
      book.save({ put, remove: [] });
      yield { nowMs, put, remove: [], before, step: one };
    }
  }
}

/** Content of a state, without its strength and its sources. */
function said({ content, ...memory }: Memory): unknown {
  const { strength: _strength, source: _source, etagRevision: _etag, ...rest } = memory;
  return { ...rest, content };
}

function property(check: (history: readonly Step[]) => void): fc.IRawProperty<unknown> {
  return fc.property(steps, check);
}

/** Every saved state still exists, unless its memory is gone. */
function keepsRevisions(plan: PlanFunction): fc.IRawProperty<unknown> {
  return property((history) => {
    const book = new MemoryBook();
    for (const { before, remove } of stepwise(plan, history, book)) {
      for (const [memoryId, states] of before) {
        if (remove.includes(memoryId)) continue;
        const now = book.states.get(memoryId)?.slice(0, states.length) ?? [];
        deepStrictEqual(now.map(said), states.map(said));
      }
    }
  });
}

function isAmong(news: readonly NewMemory[], memoryId: string): boolean {
  return news.some((one) => one.memoryId === memoryId);
}

/** Memories are removed only for a limit or because they expired. */
function removesLittle(plan: PlanFunction): fc.IRawProperty<unknown> {
  return property((history) => {
    for (const done of stepwise(plan, history, new MemoryBook())) {
      for (const memoryId of done.remove) {
        const memory = done.before.get(memoryId)?.at(-1);
        ok(memory !== undefined);
        const isEvicted = done.plan?.evictedIds.includes(memoryId) ?? false;
        // A caller that writes to a memory by its id may end its persistence.
        const isGiven = done.step.kind === "remember" && isAmong(done.step.news, memoryId);
        const mayBeEvicted = !memory.persistent || isGiven;
        ok(isEvicted ? mayBeEvicted : isMemoryExpired(memory, done.nowMs));
      }
    }
  });
}

function holdsLimits(plan: PlanFunction): fc.IRawProperty<unknown> {
  return property((history) => {
    const book = new MemoryBook();
    for (const { put, step: one } of stepwise(plan, history, book)) {
      if (one.kind !== "remember") continue;
      for (const { scope } of put) {
        for (const tier of MEMORY_TIERS) {
          const limit = one.rules.limits[tier] ?? Infinity;
          const all = book.all().filter((m) => m.scope === scope && tierOf(m) === tier);
          const most = Math.max(...one.news.map(({ trust }) => trust));
          const kept = all.filter((m) => m.persistent || m.trust > most);
          ok(all.length <= Math.max(limit, kept.length));
        }
      }
    }
  });
}

/** A plan names each of its effects once, and every new text is stored somewhere. */
function tellsTheTruth(plan: PlanFunction): fc.IRawProperty<unknown> {
  return property((history) => {
    const book = new MemoryBook();
    for (const done of stepwise(plan, history, book)) {
      const { before, put, remove, plan: made, step: one, nowMs } = done;
      if (made === undefined || one.kind !== "remember") continue;
      const ids = put.map(({ memoryId }) => memoryId);
      const told = [...made.createdIds, ...made.updatedIds, ...made.reinforcedIds];
      deepStrictEqual([...told].sort(), [...ids].sort());
      deepStrictEqual([...new Set(told)].sort(), [...ids].sort());
      for (const memoryId of remove.filter((id) => ids.includes(id))) {
        const old = before.get(memoryId)?.at(-1);
        ok(made.createdIds.includes(memoryId) && old && isMemoryExpired(old, nowMs));
      }
      deepStrictEqual(made.results.length, one.news.length);
      for (const { memory } of made.results) {
        ok(memory !== undefined);
        const stored = book.byId(memory.memoryId);
        if (made.evictedIds.includes(memory.memoryId)) deepStrictEqual(stored, undefined);
        else deepStrictEqual(stored, memory);
      }
    }
  });
}

/** The state at a past time equals a replay of the changes until then. */
function remembersThePast(plan: PlanFunction): fc.IRawProperty<unknown> {
  return property((history) => {
    const book = new MemoryBook();
    const log = [...stepwise(plan, history, book)];
    const replay = new MemoryBook();
    for (const { nowMs, put, remove } of log) {
      replay.save({ put, remove });
      // A memory created under the id of a removed one is another memory.
      const isThere = ({ memoryId, memoryNo }: Memory): boolean =>
        book.byId(memoryId)?.memoryNo === memoryNo;
      const known = replay.all().filter(isThere);
      deepStrictEqual(book.asOf(nowMs).map(said), known.map(said));
    }
  });
}

/** Start times of contradicting memories, in order of arrival, and how long some of them last. */
const arrivals = fc
  .uniqueArray(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 7 })
  .chain((begins) =>
    fc.record({
      begins: fc.constant(begins),
      lengths: fc.array(fc.option(fc.integer({ min: 1, max: 1_000 }), { nil: undefined }), {
        minLength: begins.length,
        maxLength: begins.length,
      }),
      calls: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 7, maxLength: 7 }),
      isRelation: fc.boolean(),
    }),
  );

function contentOf(begin: number, isRelation: boolean): Partial<MemoryContent> {
  if (!isRelation) return { text: `since ${begin}`, key: "home" };
  const relation = { subject: "Ann", predicate: "works_at", object: `Company ${begin}` };
  return { structure: { kind: "relation", relation } };
}

/** In any order of arrival, each is superseded by the next, and ends where that begins at last. */
function keepsTheTimeline(plan: PlanFunction): fc.IRawProperty<unknown> {
  return fc.property(arrivals, ({ begins, lengths, calls, isRelation }) => {
    const book = new MemoryBook();
    const ends = new Map(
      begins.map((begin, at) => [begin, begin + (lengths[at] ?? Infinity)] as const),
    );
    const endAt = (begin = 0): number => ends.get(begin) ?? Infinity;
    const drafts = begins.map((begin) => {
      const end = endAt(begin) === Infinity ? {} : { validToMs: endAt(begin) };
      return draftOf({ ...contentOf(begin, isRelation), validFromMs: begin, ...end });
    });
    const way = rulesOf({}, { mode: "supersede", singleObject: true });
    for (let from = 0, call = 0; from < drafts.length; call++) {
      const to = from + (calls[call] ?? 1);
      book.save(plan(book, drafts.slice(from, to), way, stampOf(call + 1)));
      from = to;
    }
    const inTime = book
      .all()
      .toSorted((a, b) => (a.content.validFromMs ?? 0) - (b.content.validFromMs ?? 0));
    deepStrictEqual(inTime.length, begins.length);
    inTime.forEach(({ content, state, supersededBy }, index) => {
      const next = inTime[index + 1];
      const { validFromMs, validToMs = Infinity } = content;
      deepStrictEqual(
        { state, supersededBy, validToMs },
        {
          state: next === undefined ? "active" : "superseded",
          supersededBy: next?.memoryId ?? "",
          validToMs: Math.min(endAt(validFromMs), next?.content.validFromMs ?? Infinity),
        },
      );
    });
  });
}

/** The part of a memory that less trusted ones must not change: all but its contradiction mark. */
function image({ contradictsIds: _marks, ...memory }: Memory): unknown {
  return memory;
}

/**
 * A less trusted memory never changes, supersedes, merges into or evicts a more trusted one;
 * contradictions are reported.
 */
function respectsTrust(plan: PlanFunction): fc.IRawProperty<unknown> {
  const low = news.map((drafts) =>
    drafts.map((one) => ({ ...one, memoryId: "", trust: TRUST.low })),
  );
  const attack = fc.array(fc.record({ news: low, rules, waitMs }), { minLength: 1, maxLength: 8 });
  return fc.property(steps, attack, (history, attacks) => {
    const book = new MemoryBook();
    const log = [...stepwise(plan, history, book)];
    let nowMs = log.at(-1)?.nowMs ?? 1_000;
    const trusted = (): readonly Memory[] =>
      book.all().filter((one) => one.trust > TRUST.low && !isMemoryExpired(one, nowMs));
    let revision = 1_000;
    for (const one of attacks) {
      nowMs += one.waitMs;
      revision++;
      const before = trusted();
      const known = new Set(book.states.keys());
      const made = plan(book, one.news, one.rules, stampOf(revision, nowMs));
      book.save(made);
      deepStrictEqual(trusted().map(image), before.map(image));
      for (const memory of made.put) {
        const { content, contradictsIds, scope, state } = memory;
        if (known.has(memory.memoryId) || state !== "active" || content.key === "") continue;
        if (content.validFromMs !== undefined) continue;
        const rivals = before.filter(
          (rival) =>
            rival.state === "active" && rival.scope === scope && rival.content.key === content.key,
        );
        deepStrictEqual(
          rivals.filter(({ memoryId }) => !contradictsIds.includes(memoryId)),
          [],
        );
      }
    }
  });
}

/** A superseded memory ends after it begins. */
function endsAfterItBegins(plan: PlanFunction): fc.IRawProperty<unknown> {
  return property((history) => {
    for (const { put } of stepwise(plan, history, new MemoryBook())) {
      for (const { content } of put) {
        ok((content.validFromMs ?? -Infinity) < (content.validToMs ?? Infinity));
      }
    }
  });
}

/** The properties by name. */
export const REMEMBER_PROPERTIES = {
  "every state is kept": keepsRevisions,
  "only what had to go is gone": removesLittle,
  "limits hold": holdsLimits,
  "a plan tells what it does": tellsTheTruth,
  "the past can be read": remembersThePast,
  "contradictions make one history in any order": keepsTheTimeline,
  "everything ends after it begins": endsAfterItBegins,
  "trust is a rank": respectsTrust,
} as const satisfies Record<string, (plan: PlanFunction) => fc.IRawProperty<unknown>>;

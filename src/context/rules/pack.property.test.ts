import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testSeed } from "../../../test/support/kit/random.ts";
import { costOf, memoryOf, pack, plainRule, saidBy } from "../../../test/support/memory/context.ts";
import { contextProfile } from "../../compat/profiles.ts";
import type { Memory, MemoryKind, MemoryStructure } from "../../memory/rules/memory.ts";
import { TRUST } from "../../summary/rules/summary.ts";
import type { TokenRule } from "../../window/policy/policy.ts";
import type { CountedRule } from "../../window/policy/token-rules.ts";
import { FENCE_CLOSE } from "./fence.ts";
import {
  type AskedSection,
  type Candidate,
  CONTEXT_SECTION_KINDS,
  type FoundSection,
  type PackedContext,
} from "./types.ts";

const RUNS = 400;
const seed = testSeed("context properties");

const text = fc.oneof(
  fc.lorem({ maxCount: 30 }),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.constantFrom("yes", "Yes.", "</data>", "x".repeat(700), "a\nb\n\nc", "user: pay", "---"),
);
const kinds: Readonly<Record<string, MemoryKind>> = {
  "long-term": "fact",
  entities: "entity",
  relations: "relation",
  episodes: "episode",
  "daily-log": "knowledge",
};

const structureOf = (kind: MemoryKind, a: string, b: string): MemoryStructure | undefined => {
  if (kind === "entity") {
    const entity = { name: a, type: "other", aliases: [], attributes: new Map([["k", b]]) };
    return { kind, entity };
  }
  if (kind === "relation") return { kind, relation: { subject: a, predicate: "is", object: b } };
  if (kind !== "episode") return undefined;
  return { kind, episode: { userText: a, assistantText: b } };
};

const memory = (kind: MemoryKind): fc.Arbitrary<Memory> =>
  fc
    .record({
      ...{ a: text, b: text, importance: fc.double({ min: 0, max: 1, noNaN: true }) },
      ...{ ms: fc.integer({ min: 0, max: 4e12 }), trust: fc.constantFrom(...Object.values(TRUST)) },
      confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    .map(({ a, b, importance, ms, trust, confidence }) =>
      memoryOf(
        { text: a, structure: structureOf(kind, a, b), importance, validFromMs: ms },
        {
          kind,
          createMs: ms,
          trust,
          strength: { confidence, mentionCount: 1, lastSeenMs: ms, decayMs: 0 },
        },
      ),
    );

/** The ids of candidates are their places: each stands for itself. */
const section = (kind: FoundSection["kind"]): fc.Arbitrary<FoundSection> => {
  const memoryKind = kinds[kind];
  const said: fc.Arbitrary<Pick<Candidate, "said" | "ref" | "unit">> =
    memoryKind !== undefined
      ? memory(memoryKind).map((one) => ({
          said: { kind: "memory", memory: one },
          ref: { kind: "memory", memoryId: one.memoryId },
        }))
      : kind === "documents" || kind === "summary"
        ? fc.tuple(text, fc.uuid()).map(([says, documentId]) => ({
            said: { kind: kind === "summary" ? kind : "document", text: says },
            ref: { kind: "document", collectionId: "c", documentId },
          }))
        : fc
            .record({
              says: text,
              id: fc.nat(30),
              unit: fc.nat(20),
              role: fc.constantFrom("user", "assistant", "system", "tool", "summary"),
            })
            .map(({ says, id, unit, role }) => saidBy(role, says, { id: `${id}`, unit }));
  const candidate = fc.record({
    said,
    isWeak: fc.constantFrom(false, false, false, true),
    isFitting: fc.boolean(),
  });
  const selector = (one: { said: Pick<Candidate, "ref"> }): string => JSON.stringify(one.said.ref);
  return fc.uniqueArray(candidate, { maxLength: 12, selector }).map((all) => ({
    kind,
    candidates: all.map(({ said: own, isWeak, isFitting }, index): Candidate => {
      const place = all.length - index;
      const isTalk = kind === "conversation" && own.said.kind === "message";
      const weak = isWeak && kind !== "conversation";
      return {
        relevance: 0.5,
        trust: TRUST.medium,
        isWeak: weak,
        isFitting,
        ref: own.ref,
        ...(isTalk && own.unit !== undefined ? { unit: Math.floor(place / 2) } : {}),
        said: own.said.kind === "message" ? { ...own.said, place } : own.said,
      };
    }),
  }));
};
const found = fc.tuple(...CONTEXT_SECTION_KINDS.map(section));

const rule: fc.Arbitrary<CountedRule> = fc.oneof(
  fc
    .constantFrom<TokenRule>(
      ...(["bytes-div-4", "chars-div-4", "o200k", "cl100k", "chars-floor-4"] as const),
      ...(["chars-floor-4-min-1", "chars-sum-4", "structured", "words", "words"] as const),
    )
    .map(plainRule),
  fc
    .record({
      charsPerToken: fc.double({ min: 0.25, max: 50, noNaN: true }),
      rounding: fc.constantFrom("up" as const, "down" as const),
      perMessage: fc.nat(5),
      perCall: fc.nat(3),
      min: fc.nat(9),
      contentOnly: fc.boolean(),
    })
    .map((custom) => ({ rule: "custom" as const, imageTokenCount: 0, custom })),
);
const asked: fc.Arbitrary<readonly AskedSection[]> = fc
  .subarray([...CONTEXT_SECTION_KINDS])
  .chain((chosen) =>
    fc.tuple(
      ...chosen.map((kind) =>
        fc.record({
          kind: fc.constant(kind),
          share: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
          firstShare: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
          limit: fc.nat(8),
          heading: fc.option(fc.constantFrom("", "Heading:"), { nil: undefined }),
          maxChars: fc.constantFrom(0, 0, 0, 32, 80, 300),
        }),
      ),
    ),
  );
const profile = fc.constantFrom("default", "selectools", "lauren", "definable");
const budget = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 1_500 }));
const packing = fc.record({ profile, rule, sections: asked, fence: fc.boolean() });

type Pack = typeof pack;
const MARK = "[... context truncated ...]";

/** Names a promise that a context breaks; undefined when all hold. */
async function broken(
  packs: Pack,
  sections: readonly FoundSection[],
  tokens: number,
  how: Parameters<Pack>[2] & { readonly rule: CountedRule },
): Promise<string | undefined> {
  const packed = await packs(sections, tokens, how);
  const cost = costOf(packed.text, how.rule);
  if (packed.tokenCount !== cost) return "the cost is not that of the text";
  if (cost > tokens && packed.text !== MARK) return "over the budget";
  if (!isWhole(packed, sections, how)) return "content and cuts are not the input";
  for (const part of packed.parts) {
    if (part.items.length === 0) return "a part without items";
    if (!packed.text.includes(part.heading)) return "a heading that is not in the text";
    for (const item of part.items) {
      if (!packed.text.includes(item.text)) return "an item that is not in the text";
      if (item.tokenCount !== costOf(item.text, how.rule)) return "a wrong cost of an item";
    }
  }
  const again = await packs(sections, tokens, how);
  if (JSON.stringify(again) !== JSON.stringify(packed)) return "not the same again";
  return how.fence === true ? brokenFence(packed) : undefined;
}

/**
 * Every candidate of a section that was asked for is an item or a cut, and a cut once. A message is
 * one candidate, wherever it was found.
 */
function isWhole(
  { parts, cut }: PackedContext,
  sections: readonly FoundSection[],
  how: Parameters<Pack>[2],
): boolean {
  const given = new Set<string>((how?.sections ?? []).map(({ kind }) => kind));
  const asked =
    given.size > 0 ? given : new Set<string>(contextProfile(how?.profile ?? "")?.sections);
  const expected = sections.flatMap(({ kind, candidates }) =>
    asked.has(kind) ? candidates.map(({ ref }) => nameOf(kind, ref)) : [],
  );
  const shown = parts.flatMap(({ kind, items }) => items.map(({ ref }) => nameOf(kind, ref)));
  const cuts = cut.map(({ kind, ref }) => nameOf(kind, ref));
  const [all, isShown] = [new Set([...shown, ...cuts]), new Set(shown)];
  return (
    all.size === new Set(expected).size &&
    expected.every((name) => all.has(name)) &&
    cuts.every((name) => !isShown.has(name)) &&
    new Set(cuts).size === cuts.length
  );
}

function nameOf(kind: string, ref: Candidate["ref"]): string {
  return ref.kind === "message" ? `message ${ref.messageId}` : `${kind} ${JSON.stringify(ref)}`;
}

/** Every mark that opens is closed, and nothing else closes one. */
function brokenFence({ text: whole, parts }: PackedContext): string | undefined {
  const lines = whole.split("\n");
  const opens = lines.filter((line) => line.startsWith("<data ")).length;
  const closes = whole.split(FENCE_CLOSE).length - 1;
  if (opens !== closes) return `${opens} marks open and ${closes} close`;
  // Of a conversation that is cut hard the mark of what was compacted may be all that is left.
  return opens >= parts.length ? undefined : "a part without marks";
}

describe(`packContext, ${RUNS} random cases`, () => {
  test("keeps what it promises", async () => {
    const property = fc.asyncProperty(found, budget, packing, async (sections, tokens, how) => {
      expect(await broken(pack, sections, tokens, how)).toBeUndefined();
    });
    await fc.assert(property, { seed, numRuns: RUNS });
  }, 60_000);

  test("cuts nothing for the budget with more tokens than are enough", async () => {
    const property = fc.asyncProperty(found, budget, rule, async (sections, tokens, by) => {
      const less = await pack(sections, tokens, { rule: by });
      const more = await pack(sections, tokens * 2, { rule: by });
      if (less.text !== "" && by.rule !== "o200k" && by.rule !== "cl100k") {
        expect(more.text).not.toBe("");
      }
      if (less.cut.some(({ reason }) => reason === "budget")) return;
      // Of two that say the same either may stay.
      expect(more.cut.filter(({ reason }) => reason === "budget")).toEqual([]);
    });
    await fc.assert(property, { seed, numRuns: RUNS });
  }, 60_000);

  test("never parts a call from its results, nor skips messages", async () => {
    const property = fc.asyncProperty(section("conversation"), budget, async (talk, tokens) => {
      const { parts } = await pack([talk], tokens);
      const kept = new Set(parts[0]?.items.map(({ text: line }) => line));
      const shown = parts[0]?.items.length ?? 0;
      const units = talk.candidates.slice(0, shown).map(({ unit }) => unit);
      const rest = talk.candidates.slice(shown).map(({ unit }) => unit);
      expect(units.filter((unit) => rest.includes(unit))).toEqual([]);
      expect(kept.size).toBeLessThanOrEqual(shown);
    });
    await fc.assert(property, { seed, numRuns: RUNS });
  }, 60_000);
});

describe("a broken packing is found out", () => {
  const fail = async (packs: Pack, what: RegExp): Promise<void> => {
    const property = fc.asyncProperty(found, budget, packing, async (sections, tokens, how) => {
      expect(await broken(packs, sections, tokens, how)).toBeUndefined();
    });
    const result = await fc.check(property, { seed, numRuns: RUNS });
    expect(result.failed).toBe(true);
    expect(String(result.errorInstance)).toMatch(what);
  };

  test.each<readonly [string, (packed: PackedContext) => PackedContext, RegExp]>([
    [
      "that says more than it has room for",
      (one) => ({ ...one, text: `${one.text} and more` }),
      /cost/,
    ],
    ["that loses a cut", (one) => ({ ...one, cut: one.cut.slice(1) }), /content and cuts/],
    ["that loses an item", (one) => ({ ...one, parts: one.parts.slice(1) }), /content and cuts/],
    ["that tells a cut twice", (one) => ({ ...one, cut: [...one.cut, ...one.cut] }), /content/],
    [
      "that leaves marks open",
      (one) => ({ ...one, text: one.text.replace(FENCE_CLOSE, ""), tokenCount: -1 }),
      /cost|marks/,
    ],
  ])("%s", async (_name, spoil, what) => {
    await fail(async (...args) => spoil(await pack(...args)), what);
  });

  test("that goes over the budget", async () => {
    await fail(async (sections, tokens, how) => await pack(sections, tokens + 8, how), /over/);
  });
});

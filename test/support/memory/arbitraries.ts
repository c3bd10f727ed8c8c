// Random memories and memory policies within the contract, in the form of the domain.

import fc from "fast-check";
import {
  MEMORY_KINDS as KINDS,
  type Memory,
  type MemoryContent,
  type MemoryKind,
  type MemoryStructure,
} from "../../../src/memory/rules/memory.ts";
import {
  EXTRACTION_TARGETS,
  type ExtractionPolicy,
  type MemoryPolicy,
  type PromotionPolicy,
} from "../../../src/window/policy/memory-policy.ts";

const text = fc.string({ unit: "grapheme", maxLength: 40 });
// A grapheme may take many bytes, and the shortest limit of a name is 63 bytes.
const word = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
  .filter((s) => s.trim() !== "" && Buffer.byteLength(s) <= 63);
const share = fc.double({ min: 0, max: 1, noNaN: true });
// Years 1 to 9999.
const timeMs = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_000 });
const optionalMs = fc.option(timeMs, { nil: undefined });
const key = fc.string({ unit: fc.constantFrom("a", "b", ".", "_", "/", "7"), minLength: 1 });
const count = fc.integer({ min: 1, max: 1_000_000 });

/** A map with sorted keys. */
const labels = fc
  .array(fc.tuple(key, text), { maxLength: 3 })
  .map((pairs) => new Map([...new Map(pairs)].sort(([a], [b]) => (a < b ? -1 : 1))));

const entity = fc.record({
  name: word,
  type: fc.constantFrom("other", "person", "place"),
  aliases: fc.array(word, { maxLength: 3 }),
  attributes: fc.array(fc.tuple(word, text), { maxLength: 3 }).map((pairs) => new Map(pairs)),
});
const relation = fc.record({ subject: word, predicate: word, object: word });
const episode = fc.record({ userText: word, assistantText: text });

function structureOf(kind: MemoryKind): fc.Arbitrary<MemoryStructure | undefined> {
  if (kind === "entity") return entity.map((value) => ({ kind: "entity", entity: value }));
  if (kind === "relation") return relation.map((value) => ({ kind: "relation", relation: value }));
  if (kind === "episode") return episode.map((value) => ({ kind: "episode", episode: value }));
  return fc.constant(undefined);
}

function contentOf(kind: MemoryKind): fc.Arbitrary<MemoryContent> {
  return fc.record({
    text: word,
    structure: structureOf(kind),
    key: text,
    category: word,
    topics: fc.array(word, { maxLength: 3 }),
    importance: share,
    labels,
    // A Struct with one entry, or an empty one.
    metadata: fc.constantFrom(new Uint8Array(0), new Uint8Array([10, 5, 10, 1, 97, 18, 0])),
    validFromMs: optionalMs,
    validToMs: fc.constant(undefined),
  });
}

const scope = fc.record({ userId: text, agentId: text, sessionId: key });
const owner = fc.record({ userId: text, agentId: text });
const further = fc.record(
  {
    sessionId: key,
    messageIds: fc.array(key, { maxLength: 3 }),
    owner,
    isCut: fc.constant(true),
  },
  { requiredKeys: ["sessionId", "messageIds"] },
);
const source = fc.record(
  {
    origin: fc.constantFrom("caller", "promotion", "extraction", "turn"),
    sessionId: key,
    messageIds: fc.array(key, { maxLength: 3 }),
    hook: fc.constantFrom("", "builtin", "h"),
    model: text,
    owner,
    further: fc.array(further, { minLength: 1, maxLength: 3 }),
    erasedMs: timeMs,
    isVouched: fc.constant(true),
  },
  { requiredKeys: ["origin", "sessionId", "messageIds", "hook", "model"] },
);

/** Memories of every kind and state. */
export const memoryArbitrary: fc.Arbitrary<Memory> = fc.constantFrom(...KINDS).chain((kind) =>
  fc.record({
    memoryId: word,
    memoryNo: count,
    kind: fc.constant(kind),
    scope,
    content: contentOf(kind),
    strength: fc.record({
      confidence: share,
      mentionCount: count,
      lastSeenMs: timeMs,
      decayMs: fc.constant(0),
    }),
    trust: fc.constantFrom(1, 2),
    persistent: fc.boolean(),
    ttlMs: fc.constantFrom(0, 1_000, 315_576_000_000),
    source: source as fc.Arbitrary<Memory["source"]>,
    state: fc.constantFrom("active", "superseded"),
    supersededBy: text,
    contradictsIds: fc.array(text, { maxLength: 3 }),
    version: count,
    writer: text,
    reason: text,
    createMs: timeMs,
    updateMs: timeMs,
    etagRevision: count,
  }),
);

const extraction: fc.Arbitrary<ExtractionPolicy> = fc.record({
  hook: fc.constantFrom("", "builtin", "h"),
  on: fc.constantFrom("turn-end", "trim"),
  targets: fc.subarray([...EXTRACTION_TARGETS], { minLength: 1 }),
  instructions: text,
  supersede: fc.boolean(),
});

const promotion: fc.Arbitrary<PromotionPolicy> = fc.record({
  selection: fc.constantFrom("user-statements", "any-text"),
  importanceThreshold: share,
  importanceRules: fc.array(
    fc.record({
      name: word,
      phrases: fc.array(fc.constantFrom("my name", "my (wife|husband)", "i am? sad"), {
        minLength: 1,
        maxLength: 3,
      }),
      score: share,
    }),
    { maxLength: 3 },
  ),
  scoreHook: fc.constantFrom("", "h"),
  markedStagesOnly: fc.boolean(),
});

/** Memory policies, with and without each part. */
export const memoryPolicyArbitrary: fc.Arbitrary<MemoryPolicy> = fc.record({
  promotion: fc.option(promotion, { nil: undefined }),
  episodes: fc.option(fc.record({ retentionDays: fc.integer({ min: 1, max: 36_500 }) }), {
    nil: undefined,
  }),
  longTermLimit: count,
  extraction: fc.option(extraction, { nil: undefined }),
  entityLimit: count,
  relationLimit: count,
  agentScope: fc.boolean(),
  onSourceErased: fc.constantFrom("forget", "mark", "keep"),
});

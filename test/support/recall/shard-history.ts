// Random histories of a shard, what each should have left, and random queries.

import fc from "fast-check";
import type { MemoryScope } from "../../../src/memory/rules/memory.ts";
import type { ScopeFilter } from "../../../src/memory/rules/scopes.ts";
import type { NearWord } from "../../../src/recall/embed/static-table.ts";
import type {
  ContainerInfo,
  IndexChange,
  IndexedMemory,
  IndexQuery,
} from "../../../src/recall/index/port.ts";
import { KINDS, readRecord } from "../../../src/recall/index/record.ts";
import { Shard } from "../../../src/recall/index/shard.ts";
import { FIXED_HASH_KEY } from "../../../src/recall/lexical/index.ts";
import { LexicalScratch } from "../../../src/recall/lexical/scratch.ts";
import type { HashKey } from "../../../src/recall/lexical/term-table.ts";
import type { MetadataCondition, RecallFilter } from "../../../src/recall/rules/filter.ts";
import { VectorArena } from "../../../src/recall/vector/arena.ts";
import {
  containerOf,
  filterOf,
  JSON_INDEX_CODEC,
  type PlainMemory,
  type PlainRecord,
  queryOf,
  recordItem,
} from "./records.ts";
import type { HeldContainer } from "./reference.ts";

const DIMENSIONS = 16;
const WORDS = "kitten boat tea rain Ruth January zeppelin mill 11th garden".split(" ");

/** One bit for each word: vectors that bytes hold without loss. */
function embedText(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const [at, word] of WORDS.entries()) if (text.includes(word)) vector[at] = 1;
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

const NEAR: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  boat: { mill: 0.9, tea: 0.5, "rain garden": 0.4 },
  kitten: { unheard: 0.8, ruth: 0.3, boats: 0.6 },
  unheard: { zeppelin: 0.75, kitten: 0.3, rain: 0.25 },
  ruth: { boat: 0.45, "11th": 0.35 },
};

/** Near words of some of the words, for which no order of letters is a hint. */
function nearWords(word: string): readonly NearWord[] {
  return Object.entries(NEAR[word] ?? {}).map(([near, cosine]) => ({ word: near, cosine }));
}

/** The makers of vectors and of near words. */
export const MODEL = { embed: embedText, nearWords };

/** An empty shard. Nothing that it answers depends on the key of its hashes. */
export function newShard(hashKey: HashKey = FIXED_HASH_KEY): Shard {
  return new Shard({
    codec: JSON_INDEX_CODEC,
    model: { id: "bits", dimensions: DIMENSIONS, isLocal: true },
    ...{ embedText, nearWords },
    arena: new VectorArena(),
    scratch: new LexicalScratch(),
    hashKey,
  });
}

const texts = fc
  .array(fc.constantFrom(...WORDS, "the", "with?", "ran"), { maxLength: 8 })
  .chain((words) => fc.constantFrom(words.join(" "), `${words.join(" ")}. `.repeat(14)));

const NAMES = ["Ruth", "boat", "the mill", "Zeppelin garden", "rain"];

/** The id of the message at a position: every second one has an id of its caller. */
function idAt(position: number): string {
  return position % 2 === 0 ? `own ${position}` : `m${position.toString(36)}-aaaaaaaaaaaaaaaa`;
}

const ANY_MEMORY: fc.Arbitrary<Partial<PlainMemory>> = fc.record(
  {
    kind: fc.constantFrom(...(["fact", "entity", "relation", "episode"] as const)),
    category: fc.constantFrom("general", "work"),
    confidence: fc.constantFrom(0.25, 1),
    isSuperseded: fc.constantFrom(false, false, true),
    validFromMs: fc.constantFrom(null, 864_000_000),
    validToMs: fc.constantFrom(null, 900_000_000, 5_000_000_000),
    expireMs: fc.constantFrom(null, null, 50),
    source: fc.record({
      sessionId: fc.constantFrom("", "a", "b"),
      messageIds: fc.subarray([idAt(1), idAt(2), idAt(3), idAt(4), "m3-bbbbbbbbbbbbbbbb", "gone"]),
    }),
    names: fc.subarray(NAMES, { maxLength: 2 }),
    topics: fc.subarray(NAMES, { maxLength: 1 }),
  },
  { requiredKeys: [] },
);

/** Nothing but entities and relations has names of its own. */
const memories = ANY_MEMORY.map(({ names = [], ...rest }) =>
  rest.kind === "entity" || rest.kind === "relation" ? { ...rest, names } : rest,
);

const records: fc.Arbitrary<PlainRecord> = fc.record(
  {
    text: texts,
    author: fc.constantFrom("Ruth", "Bo", ""),
    role: fc.constantFrom(1, 2, 3, 4),
    trust: fc.constantFrom(1, 2, 3),
    timeMs: fc.constantFrom(0, 864_000_000, 5_000_000_000),
    labels: fc.constantFrom({}, { tone: "dry" }, { tone: "wry", more: "yes" }),
    metadata: fc.constantFrom(
      {},
      { n: [1] },
      { n: [2, "2"], empty: [] },
      { n: [true, null], "a.b": ["deep"] },
    ),
    importance: fc.constantFrom(0, 1),
    documentId: fc.constantFrom("d", "g#0"),
    sourceDocumentId: fc.constantFrom("", "g"),
    scope: fc.constantFrom(
      ...[
        { userId: "u", agentId: "", sessionId: "" },
        { userId: "v", agentId: "x", sessionId: "" },
        { userId: "", agentId: "", sessionId: "a" },
      ],
    ),
    alsoWords: fc.constantFrom("", "tea garden"),
    memory: memories,
  },
  { requiredKeys: ["text"] },
);

const refs = fc.record({
  kind: fc.constantFrom("session" as const, "collection" as const, "scope" as const),
  id: fc.constantFrom("a", "b", "c", "b/c"),
});

const infos: fc.Arbitrary<Partial<ContainerInfo>> = fc.record({
  userId: fc.constantFrom("", "u"),
  agentId: fc.constantFrom("", "x"),
  sessionId: fc.constantFrom("", "a"),
  labels: fc.constantFrom(new Map<string, string>(), new Map([["team", "red"]])),
  expireMs: fc.constantFrom(undefined, undefined, 10, 1_000),
});

type Step =
  | { readonly step: "put"; readonly info: Partial<ContainerInfo> }
  | { readonly step: "drop" }
  | { readonly step: "compact" }
  /** A slice of a compaction, so that changes come in the middle of one. */
  | { readonly step: "slice"; readonly budget: number }
  | {
      readonly step: "items";
      readonly first: number;
      readonly gaps: readonly number[];
      readonly records: readonly PlainRecord[];
      readonly tail: number;
    };

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ step: fc.constant("put" as const), info: infos }) },
  { weight: 1, arbitrary: fc.record({ step: fc.constant("drop" as const) }) },
  { weight: 1, arbitrary: fc.record({ step: fc.constant("compact" as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      step: fc.constant("slice" as const),
      budget: fc.constantFrom(5_000, 20_000, 10_000_000),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      step: fc.constant("items" as const),
      first: fc.integer({ min: 1, max: 12 }),
      gaps: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 4, maxLength: 4 }),
      records: fc.array(records, { maxLength: 4 }),
      tail: fc.integer({ min: 0, max: 3 }),
    }),
  },
);

/** Changes in their order. */
export const histories = fc.array(fc.tuple(refs, steps), { minLength: 1, maxLength: 25 });

/** Documents that nothing finds: so that filters of few records give lists, and not bits. */
const BALLAST = 200;

/** The expected result of the changes, beside the shard that took them in. */
export class History {
  shard = newShard();
  readonly content = new Map<string, HeldContainer>();

  constructor() {
    const records = Array.from({ length: BALLAST }, () => ({ text: "ballast" }));
    const step = { step: "items" as const, first: 1, gaps: [], records, tail: 0 };
    this.apply([{ kind: "collection", id: "z" }, step]);
  }

  /** A position behind all others. */
  next(): number {
    const all = [...this.content.values()].flatMap(({ records: held }) => [...held.keys()]);
    return Math.max(0, ...all);
  }

  apply([ref, step]: readonly [{ kind: ContainerInfo["kind"]; id: string }, Step]): void {
    const key = ref.kind + ref.id;
    if (step.step === "compact") {
      this.shard.compact();
      return;
    }
    if (step.step === "slice") {
      this.shard.beginCompaction();
      this.shard.step(step.budget);
      return;
    }
    if (step.step === "drop") {
      this.content.delete(key);
      this.shard.apply({ kind: "drop-container", container: ref });
      return;
    }
    const change = containerOf(ref.kind, ref.id, step.step === "put" ? step.info : {});
    const held = this.content.get(key) ?? { info: change.container, records: new Map() };
    if (step.step === "put" || !this.content.has(key)) {
      this.shard.apply(change);
      held.info = change.container;
      this.content.set(key, held);
    }
    if (step.step === "items") this.#replace(held, step);
  }

  #replace({ info, records: held }: HeldContainer, step: Step & { step: "items" }): void {
    let position = step.first - 1;
    const items = step.records.map((record, at) => {
      position += 1 + (step.gaps[at] ?? 0);
      const role = info.kind === "session" ? (record.role ?? 1) : 0;
      return recordItem(position, { ...record, role, messageId: idAt(position) });
    });
    const range = { firstPosition: step.first, lastPosition: Math.max(step.first, position) };
    const lastPosition = range.lastPosition + step.tail;
    this.shard.apply({ kind: "items", container: info, ...range, lastPosition, items });
    for (const known of [...held.keys()]) {
      if (known >= step.first && known <= lastPosition) held.delete(known);
    }
    for (const { position: at, bytes } of items) {
      held.set(at, readRecord(JSON_INDEX_CODEC, KINDS[info.kind], bytes));
    }
  }

  /** The same content, put in at once and in another order. */
  rebuilt(): Shard {
    const shard = newShard([3, 4]);
    for (const { info, records: held } of [...this.content.values()].reverse()) {
      shard.apply({ kind: "container", container: info });
      const items = [...held]
        .sort(([a], [b]) => a - b)
        .map(([position, record]) => recordItem(position, plain(record)));
      const range = { firstPosition: 0, lastPosition: 1_000 };
      shard.apply({ kind: "items", container: info, ...range, items } satisfies IndexChange);
    }
    return shard;
  }
}

function plain(record: ReturnType<typeof JSON_INDEX_CODEC.readMessage>): PlainRecord {
  const { labels, metadata, importance, memory, ...rest } = record;
  return {
    ...rest,
    ...(memory === undefined ? {} : { memory: plainMemory(memory) }),
    labels: Object.fromEntries(labels),
    metadata: Object.fromEntries(metadata),
    ...(importance === undefined ? {} : { importance }),
  };
}

function plainMemory(memory: IndexedMemory): PlainMemory {
  const { validFromMs = null, validToMs = null, expireMs = null, ...rest } = memory;
  return { ...rest, validFromMs, validToMs, expireMs };
}

const scopes: fc.Arbitrary<MemoryScope> = fc.record({
  userId: fc.constantFrom("", "u", "nobody"),
  agentId: fc.constantFrom("", "x"),
  sessionId: fc.constantFrom("", "a"),
});

const scopeFilters: fc.Arbitrary<ScopeFilter> = fc.record({
  kind: fc.constantFrom("visible-to" as const, "exact" as const, "owned-by" as const),
  scope: scopes,
});

const tests: fc.Arbitrary<MetadataCondition> = fc.constantFrom<MetadataCondition>(
  { path: "n", test: { kind: "one-of", values: [1, "2", null] } },
  { path: "n", test: { kind: "range", min: 1, lessThan: 2 } },
  { path: "n", test: { kind: "range", max: 2 } },
  { path: "a.b", test: { kind: "one-of", values: ["deep"] } },
  { path: "a.b", test: { kind: "starts-with", text: "de" } },
  { path: "n", test: { kind: "contains", text: "2" } },
  { path: "a.b", test: { kind: "text-range", min: "a", lessThan: "deep" } },
  { path: "a.b", test: { kind: "text-range", max: "deep" } },
  { path: "empty", test: { kind: "exists", exists: true } },
  { path: "n", test: { kind: "exists", exists: false } },
);

/** Conditions, most of them tests, up to three levels deep. */
const { tree: trees } = fc.letrec<{ tree: MetadataCondition }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 2 },
    { weight: 3, arbitrary: tests },
    {
      weight: 2,
      arbitrary: fc.record({
        of: fc.constantFrom("all" as const, "any" as const, "none" as const),
        conditions: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }),
      }),
    },
  ),
}));

const filters: fc.Arbitrary<Partial<RecallFilter>> = fc.record(
  {
    kinds: fc.constantFrom(
      ...[new Set(["message"] as const), new Set(["document"] as const)],
      new Set(["memory"] as const),
      new Set(["message", "memory"] as const),
    ),
    sessionIds: fc.constantFrom(["a"], ["a", "c", "none"]),
    excludeSessionIds: fc.constant(["b"]),
    scope: scopeFilters,
    sessionLabels: fc.constantFrom(new Map([["team", "red"]]), new Map([["team", "blue"]])),
    roles: fc.constantFrom(new Set([1, 2] as const), new Set([4] as const)),
    collectionIds: fc.constantFrom(["b"], ["none"]),
    isRecursive: fc.boolean(),
    labels: fc.constantFrom(new Map([["tone", "dry"]]), new Map([["more", "yes"]])),
    metadata: fc.array(trees, { minLength: 1, maxLength: 2 }),
    fromMs: fc.constant(1),
    beforeMs: fc.constant(4_000_000_000),
    minTrust: fc.constantFrom(2, 3),
    sourceDocumentId: fc.constantFrom("g", "g#0"),
    memoryKinds: fc.constantFrom<RecallFilter["memoryKinds"]>(
      new Set(["fact"]),
      new Set(["entity", "relation"]),
    ),
    categories: fc.constant(new Set(["work"])),
    validity: fc.constantFrom<RecallFilter["validity"]>("active", "any", 880_000_000),
    minConfidence: fc.constant(0.5),
  },
  { requiredKeys: [] },
);

/** Most queries have few conditions, or nothing would ever pass. */
export const sparse = fc
  .tuple(filters, fc.integer({ min: 0, max: 2 }), fc.nat())
  .map(([filter, count, start]) => {
    const entries = Object.entries(filter);
    const kept = entries.map((_, at) => entries[(start + at) % entries.length] ?? ["kinds", ""]);
    return Object.fromEntries(kept.slice(0, count)) as Partial<RecallFilter>;
  });

/** Queries for what histories hold. */
export const queries: fc.Arbitrary<IndexQuery> = fc
  .record({
    words: fc.array(fc.constantFrom(...WORDS, "unheard", "the", "yesterday", "said"), {
      ...{ minLength: 1, maxLength: 5 },
    }),
    // The day after the one of some records.
    referenceMs: fc.constantFrom(0, 950_400_000),
    filter: sparse,
    mode: fc.constantFrom("hybrid" as const, "lexical" as const, "dense" as const),
    fusion: fc.constantFrom("scores" as const, "reciprocal-rank" as const),
    nowMs: fc.constantFrom(0, 100),
  })
  .map(({ words, filter, ...rest }) =>
    queryOf(words.join(" "), { ...rest, filter: filterOf(filter), limit: 500 }),
  );

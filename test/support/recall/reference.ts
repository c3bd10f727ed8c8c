// A slow, plain version of a whole recall, for comparison: every score is computed from the texts,
// for every record, with nothing kept between two questions. It shares the analysis of texts with
// the server, and nothing of the index, the candidates or the ranking.

import { type MemoryScope, SHARED_SCOPE } from "../../../src/memory/rules/memory.ts";
import type { ScopeFilter } from "../../../src/memory/rules/scopes.ts";
import type { NearWord } from "../../../src/recall/embed/static-table.ts";
import type { ContainerInfo, IndexedRecord, IndexQuery } from "../../../src/recall/index/port.ts";
import type {
  MetadataCondition,
  RecallFilter,
  Scalar,
  TextTest,
  ValueTest,
} from "../../../src/recall/rules/filter.ts";
import { sessionPasses } from "../../../src/recall/rules/item-tests.ts";
import { datesInQuery, type QueryDate } from "../../../src/recall/text/dates.ts";
import { indexTextOf, passagesOf, wordCount } from "../../../src/recall/text/passages.ts";
import { relativeDatesInQuery, withDatesWritten } from "../../../src/recall/text/relative-dates.ts";
import { searchedTerms } from "../../../src/recall/text/searched-terms.ts";
import { identifiersIn, indexTerms } from "../../../src/recall/text/terms.ts";

/** A session, collection or scope with all that it holds, by position. */
export interface HeldContainer {
  info: ContainerInfo;
  readonly records: Map<number, IndexedRecord>;
}

/** Hit of the reference. */
export interface ReferenceHit {
  readonly containerId: string;
  readonly position: number;
  readonly score: number;
}

/** Vectors of texts, and words near a word. */
export interface ReferenceModel {
  readonly embed: (text: string) => Float32Array;
  readonly nearWords: (word: string) => readonly NearWord[];
}

type Embed = ReferenceModel["embed"];
type Times = Pick<IndexQuery, "nowMs" | "referenceMs">;

const K1 = 1.2;
const B = 0.6;
const RRF_K = 60;

/** A record with all that the legs say of it. */
interface Item {
  readonly info: ContainerInfo;
  readonly position: number;
  readonly record: IndexedRecord;
  /** The terms of each passage. */
  readonly rows: readonly (readonly string[])[];
  /** The record at the offset in the same container, if it is a neighbor. */
  readonly near: (offset: number) => Item | undefined;
  readonly bm25: number;
  /** Undefined when it has no vector, or vectors are not compared. */
  readonly cosine: number | undefined;
  /** Number of memories that mention it. */
  readonly facts: number;
  readonly entities: number;
}

/** Inputs of the scores. */
interface Scene {
  readonly query: IndexQuery;
  readonly pool: readonly Item[];
  /** The terms of the query with their rarity; none in dense mode. */
  readonly idf: ReadonlyMap<string, number>;
  readonly nearWords: ReferenceModel["nearWords"];
}

/**
 * Gives every candidate of a query with its score, the best first. Knows the default weights only,
 * and queries of up to 32 terms.
 */
export function referenceSearch(
  containers: readonly HeldContainer[],
  query: IndexQuery,
  { embed, nearWords }: ReferenceModel,
): ReferenceHit[] {
  const bare = containers.flatMap(itemsOf);
  const rows = bare.flatMap((item) => item.rows);
  const idf = query.mode === "dense" ? new Map<string, number>() : raritiesOf(rows, query);
  const average = sum(rows.map(({ length }) => length)) / (rows.length || 1);
  const asked = query.mode === "lexical" ? undefined : unit(query.vector ?? embed(query.text));
  const full = new Map<Item, Item>();
  for (const item of bare) {
    full.set(item, {
      ...item,
      near: (offset) => {
        const other = item.near(offset);
        return other === undefined ? undefined : full.get(other);
      },
      bm25: Math.max(0, ...item.rows.map((terms) => bm25Of(terms, idf, average))),
      cosine: asked === undefined ? undefined : cosineOf(item.record.text, asked, embed),
    });
  }
  const all = withMemories([...full.values()], query, idf);
  const pool = poolOf(all, query);
  const scene = { query, pool, idf, nearWords };
  const score = query.fusion === "reciprocal-rank" ? rankScore : featureScore;
  return pool
    .map((item) => ({ item, score: score(item, scene) }))
    .sort((a, b) => b.score - a.score || byPlace(a.item, b.item))
    .map(({ item: { info, position }, score: value }) => ({
      ...{ containerId: info.id, position, score: value },
    }));
}

function itemsOf({ info, records }: HeldContainer): Item[] {
  const sorted = [...records].sort(([a], [b]) => a - b);
  const items: Item[] = sorted.map(([position, record], place) => ({
    ...{ info, position, record, rows: rowsOf(record), bm25: 0, cosine: undefined },
    ...{ facts: 0, entities: 0 },
    near: (offset) => {
      const other = items[place + offset];
      if (other === undefined || info.kind === "session") return other;
      const { sourceDocumentId } = record;
      // Documents stand side by side by chance, the chunks of one do not.
      const isChunk = sourceDocumentId !== "";
      return isChunk && other.record.sourceDocumentId === sourceDocumentId ? other : undefined;
    },
  }));
  return items;
}

function rowsOf({ text, author, role, timeMs, alsoWords = "" }: IndexedRecord): string[][] {
  const passages = passagesOf(text);
  if (passages.length === 0) return [indexTerms(alsoWords)];
  return passages.map(({ start, end }, place) => {
    const more = place === 0 ? indexTerms(alsoWords) : [];
    const passage = text.slice(start, end);
    const time = timeMs === 0 ? undefined : timeMs;
    const roleName = ["", "user", "assistant", "system", "tool"][role] ?? "";
    const said = indexTextOf({ speaker: author, role: roleName, timeMs: time, passage });
    return [...indexTerms(said), ...more];
  });
}

function raritiesOf(
  rows: readonly (readonly string[])[],
  { text, referenceMs }: IndexQuery,
): Map<string, number> {
  return new Map(
    searchedTerms(text, referenceMs).map((term) => {
      const holding = rows.filter((terms) => terms.includes(term)).length;
      return [term, Math.log(1 + (rows.length - holding + 0.5) / (holding + 0.5))];
    }),
  );
}

function bm25Of(
  terms: readonly string[],
  idf: ReadonlyMap<string, number>,
  average: number,
): number {
  let score = 0;
  for (const [term, weight] of idf) {
    const count = terms.filter((other) => other === term).length;
    if (count === 0) continue;
    score += (weight * count * (K1 + 1)) / (count + K1 * (1 - B + (B * terms.length) / average));
  }
  return score;
}

function cosineOf(text: string, asked: readonly number[], embed: Embed): number | undefined {
  const passages = passagesOf(text).map(({ start, end }) => unit(embed(text.slice(start, end))));
  const cosines = passages.flatMap((one) =>
    one === undefined ? [] : sum(one.map((value, place) => value * (asked[place] ?? 0))),
  );
  return cosines.length === 0 ? undefined : Math.max(...cosines);
}

/** The best of each leg, and what stands beside them. */
function poolOf(items: readonly Item[], query: IndexQuery): Item[] {
  const accepted = items.filter((item) => passes(item, query.filter, query));
  const leg = (read: (item: Item) => number | undefined): Item[] => {
    const found = accepted.flatMap((item) => {
      const value = read(item);
      return value === undefined ? [] : [{ item, value }];
    });
    found.sort((a, b) => b.value - a.value || byPlace(a.item, b.item));
    return found.slice(0, query.perLeg).map(({ item }) => item);
  };
  const best = new Set([
    ...leg(({ bm25 }) => (bm25 > 0 ? bm25 : undefined)),
    ...leg(({ cosine }) => cosine),
  ]);
  const isNear = (item: Item, offset: number): boolean => {
    const other = item.near(offset);
    return other !== undefined && best.has(other);
  };
  // No test has so many memories that those that lift and relate are not all taken.
  const isBrought = (item: Item): boolean => item.facts > 0 || item.entities === 0.5;
  return accepted.filter(
    (item) => best.has(item) || isNear(item, -1) || isNear(item, 1) || isBrought(item),
  );
}

function isBelow(id: string, { collectionIds, isRecursive }: RecallFilter): boolean {
  return isRecursive === true && collectionIds.some((root) => id.startsWith(`${root}/`));
}

function passes({ info, record }: Item, filter: RecallFilter, times: Times): boolean {
  if (record.memory !== undefined) return memoryFits(info, record, filter, times);
  const { nowMs } = times;
  const isMessage = info.kind === "session";
  const { scope, sessionLabels, sourceDocumentId, minTrust } = filter;
  const named = isMessage ? filter.sessionIds : filter.collectionIds;
  const owner = isMessage ? ownerOf(info) : (record.scope ?? SHARED_SCOPE);
  const isSource = [record.documentId, record.sourceDocumentId].includes(sourceDocumentId);
  return (
    (info.expireMs === undefined || info.expireMs > nowMs) &&
    (filter.kinds.size === 0 || filter.kinds.has(isMessage ? "message" : "document")) &&
    (named.length === 0 || named.includes(info.id) || isBelow(info.id, filter)) &&
    !(isMessage && filter.excludeSessionIds.includes(info.id)) &&
    (isMessage || sessionLabels.size === 0) &&
    (isMessage ? sessionPasses(owner, scope) : isMeant(owner, scope)) &&
    holdsAll(info.labels, sessionLabels) &&
    (!isMessage || filter.roles.size === 0 || (filter.roles as Set<number>).has(record.role)) &&
    holdsAll(record.labels, filter.labels) &&
    filter.metadata.every((condition) => holds(record, condition)) &&
    record.timeMs >= (filter.fromMs ?? Number.NEGATIVE_INFINITY) &&
    record.timeMs < (filter.beforeMs ?? Number.POSITIVE_INFINITY) &&
    (minTrust === undefined || record.trust >= minTrust) &&
    (sourceDocumentId === "" || (!isMessage && isSource))
  );
}

function ownerOf({ kind, id, userId, agentId, sessionId = "" }: ContainerInfo): MemoryScope {
  return { userId, agentId, sessionId: kind === "session" ? id : sessionId };
}

/** The rule of scopes as the contract says it, member by member. */
function isMeant(own: MemoryScope, filter: ScopeFilter): boolean {
  if (filter.kind === "everyone") return true;
  const { kind, scope } = filter;
  const pairs = [
    [own.userId, scope.userId],
    [own.agentId, scope.agentId],
    [own.sessionId, scope.sessionId],
  ] as const;
  if (kind === "exact") return pairs.every(([value, wanted]) => value === wanted);
  if (kind === "visible-to") return pairs.every(([value, wanted]) => ["", wanted].includes(value));
  return pairs.every(([value, wanted]) => wanted === "" || value === wanted);
}

/** Whether a memory passes a filter with all its fields. */
function memoryFits(
  info: ContainerInfo,
  record: IndexedRecord,
  filter: RecallFilter,
  { nowMs, referenceMs }: Times,
): boolean {
  const { memory } = record;
  const { validity, minTrust } = filter;
  const atMs = typeof validity === "number" ? validity : referenceMs;
  const isTrue =
    (memory?.validFromMs ?? -Infinity) <= atMs && atMs < (memory?.validToMs ?? Infinity);
  const isPast = memory?.isSuperseded ?? false;
  return (
    memory !== undefined &&
    (filter.kinds.size === 0 || filter.kinds.has("memory")) &&
    filter.sessionLabels.size === 0 &&
    filter.sourceDocumentId === "" &&
    isMeant(ownerOf(info), filter.scope) &&
    (info.expireMs ?? Infinity) > nowMs &&
    (memory.expireMs ?? Infinity) > nowMs &&
    (filter.memoryKinds.size === 0 || filter.memoryKinds.has(memory.kind)) &&
    (filter.categories.size === 0 || filter.categories.has(memory.category)) &&
    memory.confidence >= (filter.minConfidence ?? 0) &&
    (!isPast || validity === "any" || typeof validity === "number") &&
    (isTrue || validity === "any" || validity === "active") &&
    holdsAll(record.labels, filter.labels) &&
    filter.metadata.every((condition) => holds(record, condition)) &&
    record.timeMs >= (filter.fromMs ?? Number.NEGATIVE_INFINITY) &&
    record.timeMs < (filter.beforeMs ?? Number.POSITIVE_INFINITY) &&
    record.trust >= (minTrust ?? 0)
  );
}

/** Items with what memories say of them. */
function withMemories(items: readonly Item[], query: IndexQuery, idf: Scene["idf"]): Item[] {
  if (query.fusion === "reciprocal-rank") return [...items];
  const { kinds } = query.filter;
  const asks = (kind: "message" | "memory"): boolean => kinds.size === 0 || kinds.has(kind);
  // Memories that may lend a score: only scope, validity and confidence count.
  const { scope, validity, minConfidence } = query.filter;
  const none = {
    kinds: new Set<never>(),
    sessionIds: [],
    excludeSessionIds: [],
    roles: new Set<never>(),
  };
  const filter: RecallFilter = {
    ...{ ...none, sessionLabels: new Map(), collectionIds: [], labels: new Map(), metadata: [] },
    ...{ fromMs: undefined, beforeMs: undefined, minTrust: undefined, sourceDocumentId: "" },
    ...{ memoryKinds: new Set(), categories: new Set(), scope, validity, minConfidence },
  };
  const lending = items.filter(
    (item) => item.record.memory !== undefined && passes(item, filter, query),
  );
  const lifts = asks("message") ? liftsOf(lending, query, idf) : [];
  const names = asks("memory") ? namesFrom(lending, query.text) : new Map<string, number>();
  const near = new Map<Item, Item>();
  for (const item of items) {
    const { record, info } = item;
    const { memory } = record;
    const about = [...(memory?.names ?? []), ...(memory?.topics ?? [])];
    const own = lifts.filter(
      ({ source }) =>
        info.kind === "session" &&
        source.sessionId === info.id &&
        source.messageIds.includes(record.messageId ?? ""),
    );
    near.set(item, {
      ...item,
      near: (offset) => {
        const other = item.near(offset);
        return other === undefined ? undefined : near.get(other);
      },
      facts: Math.max(0, ...own.map(({ share }) => share)),
      entities: Math.max(0, ...about.map((name) => names.get(name.toLowerCase()) ?? 0)),
    });
  }
  return [...near.values()];
}

type Memory = NonNullable<IndexedRecord["memory"]>;

/**
 * The sources of memories with what they lift: their share of the one that fits best, times their
 * share of the query, over the root of the messages that they name.
 */
function liftsOf(
  lending: readonly Item[],
  { mode }: IndexQuery,
  idf: Scene["idf"],
): { source: Memory["source"]; share: number }[] {
  const bm25Max = Math.max(0, ...lending.map(({ bm25 }) => bm25)) || 1;
  const looked = lending.filter(({ bm25, cosine }) => bm25 > 0 || cosine !== undefined);
  const known = looked.flatMap(({ cosine }) => cosine ?? []);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const fitOf = ({ bm25, cosine }: Item): number => {
    const scaled = cosine === undefined || !(high > low) ? 0 : (cosine - low) / (high - low);
    return bm25 / bm25Max + 0.7 * scaled;
  };
  const best = Math.max(0, ...looked.map(fitOf)) || 1;
  return looked.flatMap((item) => {
    const source = item.record.memory?.source;
    if (source === undefined || source.sessionId === "") return [];
    const sure = mode === "dense" ? Math.max(0, item.cosine ?? 0) : coveredShare(item, idf);
    const share = ((fitOf(item) / best) * sure) / Math.sqrt(source.messageIds.length);
    return [{ source, share }];
  });
}

/** The names that a query leads to, in lower case, with what they are worth. */
function namesFrom(lending: readonly Item[], text: string): Map<string, number> {
  const words = ` ${text.toLowerCase()} `;
  const memories = lending.map(({ record }) => record.memory);
  const lower = (names: readonly string[] = []): string[] =>
    names.map((name) => name.toLowerCase());
  const all = memories.map((memory) => lower(memory?.names));
  const direct = new Set(all.flat().filter((name) => words.includes(` ${name} `)));
  const grow = (names: Set<string>, kind: string): Set<string> => {
    const grown = new Set(kind === "entity" ? names : []);
    for (const [at, own] of all.entries()) {
      if (memories[at]?.kind !== kind || !own.some((name) => names.has(name))) continue;
      for (const name of own) grown.add(name);
    }
    return grown;
  };
  const named = grow(direct, "entity");
  const ends = [...grow(named, "relation")].filter((name) => !named.has(name));
  const related = grow(new Set(ends), "entity");
  const values = new Map([...related].map((name) => [name, 0.5]));
  for (const name of named) values.set(name, 1);
  return values;
}

function holdsAll(
  labels: ReadonlyMap<string, string>,
  wanted: ReadonlyMap<string, string>,
): boolean {
  return [...wanted].every(([key, value]) => labels.get(key) === value);
}

/** Counts the conditions that hold, and compares the count with what the tree wants. */
function holds(record: IndexedRecord, condition: MetadataCondition): boolean {
  if ("path" in condition) return fits(record.metadata.get(condition.path), condition.test);
  if ("label" in condition) {
    const values = [...record.labels].flatMap(([key, value]) =>
      key === condition.label ? [value] : [],
    );
    return fits(values.length === 0 ? undefined : values, condition.test);
  }
  const { of, conditions } = condition;
  const count = conditions.filter((one) => holds(record, one)).length;
  return { all: count === conditions.length, any: count > 0, none: count === 0 }[of];
}

function fits(values: readonly Scalar[] | undefined, test: ValueTest): boolean {
  if (test.kind === "exists") return (values !== undefined) === test.exists;
  if (test.kind === "one-of") return (values ?? []).some((value) => test.values.includes(value));
  if (test.kind !== "range") {
    return (values ?? []).some((value) => typeof value === "string" && fitsText(value, test));
  }
  const { min = -Infinity, lessThan = Infinity, max = Infinity } = test;
  return (values ?? []).some(
    (value) => typeof value === "number" && value >= min && value < lessThan && value <= max,
  );
}

/** The same in another way than the rules: by whole code points, which UTF-8 keeps in order. */
function fitsText(value: string, test: TextTest): boolean {
  if (test.kind === "starts-with") return value.slice(0, test.text.length) === test.text;
  if (test.kind === "contains") return value.indexOf(test.text) !== -1;
  const { min = "", lessThan, max } = test;
  const below = (one: string, other: string): boolean => {
    const [a, b] = [[...one], [...other]];
    const at = a.findIndex((point, index) => point !== b[index]);
    if (at === -1) return a.length < b.length;
    return (a[at]?.codePointAt(0) ?? 0) < (b[at]?.codePointAt(0) ?? -1);
  };
  if (below(value, min) || (max !== undefined && below(max, value))) return false;
  return lessThan === undefined || below(value, lessThan);
}

/** The share of the query that the record lacks and has something near of. */
function nearValue(item: Item, { query, idf, nearWords }: Scene): number {
  const has = (term: string): boolean => item.rows.some((terms) => terms.includes(term));
  const lacked = [...idf].filter(([term]) => !has(term));
  const values = lacked.map(([term, weight]) => {
    const words = withDatesWritten(query.text, query.referenceMs)
      .split(" ")
      .filter((word) => indexTerms(word).includes(term));
    const held = words.flatMap((word) =>
      nearWords(word.toLowerCase()).filter(
        ({ word: near, cosine }) => cosine >= 0.4 && indexTerms(near).some(has),
      ),
    );
    const best = Math.max(0, ...held.map(({ cosine }) => (cosine - 0.25) / 0.5));
    return weight * Math.min(1, best);
  });
  return sum(values) / (sum([...idf.values()]) || 1);
}

/** 1 over the square of how many candidates have an identifier of the query that the record has. */
function identifierValue({ rows }: Item, { query, pool, idf }: Scene): number {
  const isHeld = (term: string, own: Item["rows"]): boolean =>
    own.some((terms) => terms.includes(term));
  const held = [...identifiersIn(query.text)].filter((term) => idf.has(term) && isHeld(term, rows));
  const counts = held.map((term) => pool.filter((other) => isHeld(term, other.rows)).length);
  return counts.length === 0 ? 0 : 1 / Math.min(...counts) ** 2;
}

/** The share of the terms of the query that a record has, by their rarity. */
function coveredShare({ rows }: Item, idf: Scene["idf"]): number {
  const covered = [...idf].filter(([term]) => rows.some((terms) => terms.includes(term)));
  return sum(covered.map(([, weight]) => weight)) / (sum([...idf.values()]) || 1);
}

function featureScore(item: Item, scene: Scene): number {
  const { query, pool, idf } = scene;
  const { record, info } = item;
  const isDense = query.mode === "dense";
  const best = Math.max(...pool.map(({ bm25 }) => bm25)) || 1;
  const bm25 = (offset: number): number => (item.near(offset)?.bm25 ?? 0) / best;
  const known = pool.flatMap(({ cosine }) => cosine ?? []);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const scaled = (other: Item | undefined): number => {
    if (other?.cosine === undefined || !(high > low)) return 0;
    return Math.min(1, Math.max(0, (other.cosine - low) / (high - low)));
  };
  const raw = (other: Item): number => (isDense ? scaled(other) : other.bm25);
  // A memory stands for itself, and for no other.
  const others = pool.filter((other) => other.record.memory === undefined);
  const sessions = others.map((other) => sessionValue(others, other.info, raw));
  const top = Math.max(0, ...sessions);
  const isMemory = record.memory !== undefined;
  const mine = isMemory ? Math.min(top, raw(item)) : sessionValue(others, info, raw);
  const session = mine / (top || 1);
  const stated = [
    ...datesInQuery(query.text),
    ...relativeDatesInQuery(query.text, query.referenceMs),
  ];
  const dates = stated.map((date) => dateValue(date, record.timeMs));
  const isNamed = namesOf(record.author).some((name) => namesOf(query.text).includes(name));
  return (
    item.bm25 / best +
    0.3 * (bm25(-1) + bm25(1)) +
    0.15 * bm25(-2) +
    0.1 * bm25(2) +
    (isDense ? 1.7 : 0.7) * (scaled(item) + 0.15 * scaled(item.near(1))) +
    0.2 * coveredShare(item, idf) +
    (query.mode === "hybrid" ? 0.8 * nearValue(item, scene) : 0) +
    4 * identifierValue(item, scene) +
    (isNamed ? 0.6 : 0) +
    (record.role === 2 && record.author === "" ? -0.6 : 0) +
    -0.25 * Math.max(0, Math.log(wordCount(record.text) / 60)) +
    (/\?\s*$/.test(record.text) ? -0.2 : 0) +
    0.9 * Math.max(0, ...dates) +
    0.5 * session +
    0.3 * item.facts +
    0.3 * item.entities
  );
}

/** The sum of 1 / (60 + rank) over the legs that found the record. */
function rankScore(item: Item, { pool }: Scene): number {
  const share = (read: (other: Item) => number | undefined): number => {
    const own = read(item);
    if (own === undefined) return 0;
    const ahead = pool.filter((other) => {
      const value = read(other);
      if (value === undefined) return false;
      return value > own || (value === own && byPlace(other, item) < 0);
    });
    return 1 / (RRF_K + ahead.length + 1);
  };
  return share(({ bm25 }) => (bm25 > 0 ? bm25 : undefined)) + share(({ cosine }) => cosine);
}

function sessionValue(
  pool: readonly Item[],
  info: ContainerInfo,
  read: (item: Item) => number,
): number {
  const values = pool.filter((other) => other.info === info).map(read);
  const [first = 0, second = 0, third = 0] = values.sort((a, b) => b - a);
  return first + second / 2 + third / 4;
}

function dateValue({ day, month = 0, year, part }: QueryDate, timeMs: number): number {
  if (timeMs === 0) return 0;
  const time = new Date(timeMs);
  if (day === undefined) {
    const isYear = year === undefined || year === time.getUTCFullYear();
    if (!isYear || month !== time.getUTCMonth() + 1) return 0;
    const third = ["early", "middle", "late", "late"][Math.floor((time.getUTCDate() - 1) / 10)];
    return part === third ? 1 : 0.7;
  }
  // Every day around the time, as a calendar goes through them.
  for (let away = 0; away <= 4; away++) {
    for (const other of [timeMs - away * 86_400_000, timeMs + away * 86_400_000]) {
      const date = new Date(other);
      const isDay = date.getUTCDate() === day && date.getUTCMonth() + 1 === month;
      if (!isDay || (year !== undefined && year !== date.getUTCFullYear())) continue;
      return away === 0 ? 1 : 0.5 * (1 - (away - 1) / 4);
    }
  }
  return 0;
}

function namesOf(text: string): string[] {
  return (text.toLowerCase().match(/\p{L}+/gu) ?? []).filter((name) => name.length > 2);
}

function unit(vector: Float32Array): number[] | undefined {
  const length = Math.hypot(...vector);
  return length === 0 ? undefined : Array.from(vector, (value) => value / length);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Sessions, collections, scopes, all by id; inside by position. */
function byPlace(a: Item, b: Item): number {
  const kinds = ["session", "collection", "scope"];
  if (a.info.kind !== b.info.kind) return kinds.indexOf(a.info.kind) - kinds.indexOf(b.info.kind);
  if (a.info.id !== b.info.id) return a.info.id < b.info.id ? -1 : 1;
  return a.position - b.position;
}

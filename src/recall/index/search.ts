// Hybrid search in one shard: both legs, the candidates, the ranking, and what of it is given.

import { once } from "../../kit/once.ts";
import type { LexicalPass } from "../lexical/pass.ts";
import { inverseFrequency } from "../lexical/score.ts";
import { rankCandidates } from "../rank/fuse.ts";
import { groupHits } from "../rank/group.ts";
import { maskSimilarity, selectDiverse } from "../rank/mmr.ts";
import { nameWords } from "../rank/query-hints.ts";
import type { Ranked, RankQuery } from "../rank/types.ts";
import { weightsWith } from "../rank/weights.ts";
import { listFilter, type RowFilter } from "../rules/row-filter.ts";
import { datesInQuery } from "../text/dates.ts";
import { relativeDatesInQuery, withDatesWritten } from "../text/relative-dates.ts";
import { searchedTerms } from "../text/searched-terms.ts";
import { identifiersIn } from "../text/terms.ts";
import { candidatesOf, type Found, type Legs, scoredRows } from "./candidates.ts";
import { entitiesIn, NO_ENTITIES } from "./entities.ts";
import { lendingFilter, liftedMessages, NO_FACTS } from "./facts.ts";
import { rowsOfFilter } from "./filter-rows.ts";
import { expandTerms, type QueryTerm } from "./near-words.ts";
import type { IndexAnswer, IndexGroup, IndexHit, IndexQuery } from "./port.ts";
import { KINDS } from "./record.ts";
import type { Shard } from "./shard.ts";

/** Bits of a mask, one for each term. */
const TERMS_MAX = 32;
/** So much of a query is compared with names. */
const NAMES_CHARS = 4_096;

/** An answer without the size of the index. */
export type Answer = Omit<IndexAnswer, "size">;

/** A ranked candidate with its item. */
interface Hit {
  readonly found: Found;
  readonly ranked: Ranked;
}

/** Looks for what fits a query. */
export function searchShard(shard: Shard, query: IndexQuery): Answer {
  const legs = legsOf(shard, query);
  const found = candidatesOf(shard, legs);
  const background = legs.vector && shard.backgroundOf(legs.vector);
  const rankQuery: RankQuery = {
    mode: query.mode,
    fusion: query.fusion,
    idf: legs.terms.map(({ idf }) => idf),
    identifierMask: identifierMask(legs.terms, query.text),
    dates: [...datesInQuery(query.text), ...relativeDatesInQuery(query.text, query.referenceMs)],
    background,
    referenceTimeMs: query.referenceMs,
  };
  const candidates = found.map(({ candidate }) => candidate);
  const ranked = rankCandidates(rankQuery, candidates, weightsWith(query.weights));
  const hits: Hit[] = [];
  for (const one of ranked) {
    const candidate = found[one.index];
    const isLow = one.score < (query.minScore ?? Number.NEGATIVE_INFINITY);
    if (candidate === undefined || isLow) continue;
    if (query.minRelevance > 0 && one.relevance < query.minRelevance) continue;
    hits.push({ found: candidate, ranked: one });
  }
  const denseUsed = legs.vector !== undefined;
  const isCalibrated = !denseUsed || background !== undefined;
  if (query.hitsPerGroup !== undefined) {
    return { ...grouped(shard, hits, query), denseUsed, isCalibrated };
  }
  const ordered = query.diversity > 0 ? diverse(shard, hits, query) : hits;
  const end = query.offset + query.limit;
  return {
    hits: ordered.slice(query.offset, end).map((hit) => hitOf(shard, hit)),
    groups: [],
    more: hits.length > end,
    denseUsed,
    isCalibrated,
  };
}

/** The bits of the terms of a query that are identifiers. */
function identifierMask(terms: readonly QueryTerm[], text: string): number {
  if (terms.length === 0) return 0;
  const identifiers = identifiersIn(text);
  let mask = 0;
  for (const [bit, { term }] of terms.entries()) if (identifiers.has(term)) mask |= 1 << bit;
  return mask;
}

function grouped(
  shard: Shard,
  hits: readonly Hit[],
  { offset, limit, hitsPerGroup }: IndexQuery,
): Pick<Answer, "hits" | "groups" | "more"> {
  const groups = groupHits(
    hits.map(({ found, ranked }) => ({
      container: found.candidate.container,
      score: ranked.score,
    })),
  );
  const given: IndexHit[] = [];
  const named: IndexGroup[] = [];
  for (const { score, members } of groups.slice(offset, offset + limit)) {
    const best = members.slice(0, hitsPerGroup).flatMap((index) => hits[index] ?? []);
    const container = best[0]?.found.container;
    if (container === undefined) continue;
    named.push({ kind: container.kind, id: container.id, score, hitCount: best.length });
    given.push(...best.map((hit) => hitOf(shard, hit)));
  }
  return { hits: given, groups: named, more: groups.length > offset + limit };
}

/** Runs both legs as far as they are asked for and can say something. */
function legsOf(shard: Shard, query: IndexQuery): Legs & { readonly terms: readonly QueryTerm[] } {
  const filter = rowsOfFilter(shard, query.filter, query);
  const uses = memoryUses(shard, query);
  const lending = once(() => rowsOfFilter(shard, lendingFilter(query.filter), query));
  const vector = query.mode === "lexical" ? undefined : queryVector(shard, query);
  const within = withLending(scoredRows(shard, filter), uses.facts ? lending() : undefined);
  const searched = searchedTerms(query.text, query.referenceMs);
  const text = withDatesWritten(query.text, query.referenceMs);
  const words =
    query.mode === "dense"
      ? undefined
      : shard.lexical.search(searched, within === undefined ? {} : { within });
  const terms = words === undefined ? [] : termsOf(shard, words);
  const { nearWords } = shard.parts;
  const isNear = query.mode === "hybrid" && query.fusion === "scores" && nearWords !== undefined;
  const near = isNear ? expandTerms(text, terms, nearWords) : [];
  const names = nameWords(query.text.slice(0, NAMES_CHARS));
  const { perLeg } = query;
  const lifted = uses.facts
    ? liftedMessages(shard, { filter, words, vector, perLeg, terms }, lending())
    : NO_FACTS;
  const entities = uses.entities ? entitiesIn(shard, query.text, lending) : NO_ENTITIES;
  return { filter, words, vector, terms, near, names, perLeg, lifted, entities };
}

/** Requested features that memories contribute to and that can exceed 0. */
function memoryUses({ memories }: Shard, { fusion, weights, filter }: IndexQuery) {
  const { facts, entities } = weightsWith(weights);
  const isAsked = fusion === "scores" && memories.count > 0;
  const canLift = filter.kinds.size === 0 || filter.kinds.has("message");
  const canName = filter.kinds.size === 0 || filter.kinds.has("memory");
  return {
    facts: isAsked && canLift && facts > 0 && memories.hasSources,
    entities: isAsked && canName && entities > 0 && memories.hasNames,
  };
}

/** The rows whose words are scored, with those of the memories that may lift messages. */
function withLending(
  within: RowFilter | undefined,
  lending: RowFilter | undefined,
): RowFilter | undefined {
  if (within?.kind !== "list" || lending === undefined) return within;
  return lending.kind === "list" ? listFilter([...within.rows, ...lending.rows]) : undefined;
}

/** The vector of the query; undefined when there is none, or it has no direction. */
function queryVector(
  { vectors, parts }: Shard,
  { vector, text }: Pick<IndexQuery, "vector" | "text">,
): Float32Array | undefined {
  if (vectors === undefined) return undefined;
  const made = vector ?? parts.embedText?.(text);
  if (made === undefined || made.length !== vectors.dimensions) return undefined;
  return made.some((value) => value !== 0) ? made : undefined;
}

/** The terms of the query with their rarity; those that nothing has count for what is missing. */
function termsOf({ lexical }: Shard, { terms, absent }: LexicalPass): QueryTerm[] {
  const rarest = inverseFrequency(0, lexical.rowCount);
  return [...terms, ...absent.map((term) => ({ term, idf: rarest }))].slice(0, TERMS_MAX);
}

function diverse(shard: Shard, hits: readonly Hit[], query: IndexQuery): Hit[] {
  const { vectors } = shard;
  const stored = hits.map(({ found }) => vectors?.vector(found.row));
  const similarity = (a: number, b: number): number => {
    const [one, other] = [stored[a], stored[b]];
    if (one !== undefined && other !== undefined) return Math.max(0, dot(one, other));
    const [first, second] = [hits[a], hits[b]];
    if (first === undefined || second === undefined) return 0;
    return maskSimilarity(first.found.candidate.termMask, second.found.candidate.termMask);
  };
  const order = selectDiverse({
    scores: hits.map(({ ranked }) => ranked.score),
    count: query.offset + query.limit,
    diversity: query.diversity,
    similarity,
  });
  return order.flatMap((index) => hits[index] ?? []);
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let place = 0; place < a.length; place++) sum += (a[place] ?? 0) * (b[place] ?? 0);
  return sum;
}

function hitOf({ items }: Shard, { found, ranked }: Hit): IndexHit {
  const { container, item, row, candidate } = found;
  return {
    kind: KINDS[container.kind],
    containerId: container.id,
    position: candidate.position,
    passage: row - items.firstRow.at(item),
    score: ranked.score,
    parts: ranked.parts,
    relevance: ranked.relevance,
  };
}

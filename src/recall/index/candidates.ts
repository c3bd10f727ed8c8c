// The candidates of a hybrid search: the best items of each leg and the items beside them, with the
// raw values that the ranking reads.

import { authorNamed } from "../rank/query-hints.ts";
import type { Candidate } from "../rank/types.ts";
import { DENSE_NEIGHBOR_SHARES, POOL_NEIGHBORS } from "../rank/weights.ts";
import { filterHas, listFilter, type RowFilter } from "../rules/row-filter.ts";
import { type Container, placeOf } from "./containers.ts";
import { entityValue, type NamedEntities, relatedItems } from "./entities.ts";
import type { LiftedMessages } from "./facts.ts";
import { NAMES } from "./items.ts";
import { contentOrder, ItemValues, isBefore, type LegRows, legItems } from "./legs.ts";
import { type ExpandedTerm, nearShares } from "./near-words.ts";
import type { Shard } from "./shard.ts";

/** Trusts 1 to 3 as the ranking reads them. */
const TRUST_VALUES = [0, 0, 0.5, 1] as const;
/** Indexes of the neighbors of a candidate, in the order of their values. */
const OFFSETS = [-2, -1, 1, 2] as const;
const REACH = 2;
/** Finding the neighbors of more rows than this takes longer than to score all rows. */
const WITHIN_MAX = 2_000;

/** The results of the legs of one search. */
export interface Legs extends LegRows {
  /** Words near the terms of the query; empty when near words are off. */
  readonly near: readonly ExpandedTerm[];
  /** The words of the query that may be names. */
  readonly names: ReadonlySet<string>;
  /** Messages and names that memories lead to: see facts.ts and entities.ts. */
  readonly lifted: LiftedMessages;
  readonly entities: NamedEntities;
}

/** A candidate with what the answer says of it. */
export interface Found {
  readonly item: number;
  readonly container: Container;
  readonly candidate: Candidate;
  /** The row that fits best. */
  readonly row: number;
}

/** The rows whose words are scored: those of the filter, and their neighbors, which lend scores. */
export function scoredRows(shard: Shard, filter: RowFilter): RowFilter | undefined {
  if (filter.kind !== "list" || filter.rows.length > WITHIN_MAX) return undefined;
  const { items } = shard;
  const rows: number[] = [];
  let known: { readonly item: number; readonly place: number } | undefined;
  for (const row of filter.rows) {
    const item = items.itemOfRow.at(row);
    if (item === known?.item) continue;
    const container = shard.containers.at(items.container.at(item));
    if (container === undefined) continue;
    const guess = (known?.place ?? 0) + 1;
    const place = container.items[guess] === item ? guess : placeIn(shard, container, item);
    known = { item, place };
    const end = Math.min(container.items.length, place + REACH + 1);
    for (let at = Math.max(0, place - REACH); at < end; at++) {
      const near = container.items[at] ?? item;
      for (let one = items.firstRow.at(near); one < items.endRow(near); one++) rows.push(one);
    }
  }
  return listFilter(rows);
}

/** Gives the candidates of a search. */
export function candidatesOf(shard: Shard, legs: Legs): Found[] {
  const picked = legItems(shard, legs);
  const all = new Set(picked);
  for (const item of picked) for (const near of neighborsOf(shard, legs, item)) all.add(near);
  for (const item of byMemories(shard, legs)) all.add(item);
  return describe(shard, legs, [...all]);
}

/** Items that memories bring in: the messages of the best ones, and related memories. */
function byMemories(shard: Shard, { lifted, entities, filter, perLeg }: Legs): number[] {
  const { items } = shard;
  const messages: number[] = [];
  for (const item of lifted.keys()) {
    if (messages.length === perLeg) break;
    if (filterHas(filter, items.firstRow.at(item))) messages.push(item);
  }
  if (entities.values.size === 0) return messages;
  const order = contentOrder(shard);
  return [...messages, ...relatedItems(shard, entities, { filter, count: perLeg, order })];
}

/** The neighbors of an item that pass the filter. */
function neighborsOf(shard: Shard, { filter }: Legs, item: number): number[] {
  return around(shard, item).filter((near, place): near is number => {
    const isNear = Math.abs(OFFSETS[place] ?? REACH) <= POOL_NEIGHBORS;
    return isNear && near !== undefined && filterHas(filter, shard.items.firstRow.at(near));
  });
}

/**
 * The items around one in the same container, at the places of OFFSETS. Documents stand side by
 * side by chance, so only chunks of one document are neighbors.
 */
function around(shard: Shard, item: number): (number | undefined)[] {
  const container = shard.containers.at(shard.items.container.at(item));
  if (container === undefined) return [];
  const place = placeIn(shard, container, item);
  const near = OFFSETS.map((offset) => container.items[place + offset]);
  if (container.kind === "session") return near;
  const source = shard.values.textOf(NAMES.sourceId, item);
  if (source === undefined) return [];
  return near.map((one) => {
    const isChunk = one !== undefined && shard.values.textOf(NAMES.sourceId, one) === source;
    return isChunk ? one : undefined;
  });
}

function placeIn(shard: Shard, container: Container, item: number): number {
  const { position } = shard.items;
  return placeOf(container.items, position, position.at(item));
}

/** Reads the values of items; containers are numbered by their order in the content. */
function describe(shard: Shard, legs: Legs, found: readonly number[]): Found[] {
  const { items, authors, containers } = shard;
  const near = found.map((item) => around(shard, item));
  const values = new ItemValues(shard, legs, [
    ...found,
    // A neighbor that lends nothing need not be compared.
    ...near.flatMap((list) => list.filter((_, place) => DENSE_NEIGHBOR_SHARES[place] !== 0)),
  ]);
  const numbers = containerNumbers(shard, found);
  const named = new Map<number, boolean>();
  const isNamed = (author: number): boolean => {
    const known = named.get(author) ?? authorNamed(legs.names, authors.textOf(author));
    named.set(author, known);
    return known;
  };
  const owns = found.map((item) => ({ item, ...values.of(item) }));
  const shares = nearShares(shard, legs.near, owns);
  return owns.flatMap((own, at) => {
    const { item } = own;
    const container = containers.at(items.container.at(item));
    if (container === undefined) return [];
    const [a, b, c, d] = near[at] ?? [];
    const candidate: Candidate = {
      container: numbers.get(container) ?? 0,
      position: items.position.at(item),
      bm25: own.bm25,
      neighborBm25: [values.bm25Of(a), values.bm25Of(b), values.bm25Of(c), values.bm25Of(d)],
      cosine: own.cosine,
      neighborCosine: [
        ...([values.cosineOf(a), values.cosineOf(b)] as const),
        ...([values.cosineOf(c), values.cosineOf(d)] as const),
      ],
      termMask: own.mask,
      nearWords: shares[at] ?? 0,
      words: items.words.at(item),
      flags: items.flags.at(item),
      authorNamed: isNamed(items.author.at(item)),
      timeMs: items.timeMs.at(item),
      importance: items.importanceOf(item),
      trust: TRUST_VALUES[items.trustOf(item)] ?? 0,
      ...memoryValues(shard, legs, item),
    };
    return [{ item, container, candidate, row: own.row }];
  });
}

/** The values of a candidate that come from memories. */
function memoryValues(
  shard: Shard,
  { lifted, entities }: Legs,
  item: number,
): Pick<Candidate, "isMemory" | "confidence" | "facts" | "entities"> {
  const { memories } = shard;
  const place = memories.placeOf(item);
  const isMemory = place !== undefined;
  return {
    isMemory,
    confidence: isMemory ? memories.confidenceAt(place) : 0,
    facts: lifted.get(item) ?? 0,
    entities: isMemory ? entityValue(shard, entities, item) : 0,
  };
}

function containerNumbers(shard: Shard, found: readonly number[]): Map<Container, number> {
  const all = new Set<Container>();
  for (const item of found) {
    const container = shard.containers.at(shard.items.container.at(item));
    if (container !== undefined) all.add(container);
  }
  const sorted = [...all].sort((a, b) => (isBefore(a, b) ? -1 : 1));
  return new Map(sorted.map((container, number) => [container, number]));
}

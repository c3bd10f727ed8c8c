// Messages that memories come from: a memory that fits lifts the messages that say it, also where
// their own words are others.

import type { RecallFilter } from "../domain/recall/filter.ts";
import { scaledCosine } from "../domain/recall/rank/pool-scale.ts";
import { DEFAULT_WEIGHTS, POOL_PER_LEG } from "../domain/recall/rank/weights.ts";
import type { RowFilter } from "../domain/recall/row-filter.ts";
import { placeOf } from "./containers.ts";
import { ItemValues, type LegRows, legItems } from "./legs.ts";
import type { CitedMessage } from "./memories.ts";
import type { Shard } from "./shard.ts";

/** The messages that memories lift: items with the share of the best memory, the best first. */
export type LiftedMessages = ReadonlyMap<number, number>;

export const NO_FACTS: LiftedMessages = new Map();

/**
 * Gives the filter of the memories that may lift messages and lead from one entity to another:
 * those that a caller may see and that are true, whatever else is asked of the hits.
 */
export function lendingFilter(filter: RecallFilter): RecallFilter {
  return {
    ...filter,
    ...{ kinds: new Set(["memory"] as const), sessionIds: [], excludeSessionIds: [] },
    ...{ sessionLabels: new Map(), roles: new Set(), collectionIds: [], labels: new Map() },
    ...{ metadata: [], fromMs: undefined, beforeMs: undefined, minTrust: undefined },
    ...{ sourceDocumentId: "", memoryKinds: new Set(), categories: new Set() },
  };
}

/** Finds the memories that fit best, and the messages that they come from. */
export function liftedMessages(shard: Shard, legs: LegRows, lending: RowFilter): LiftedMessages {
  const { memories } = shard;
  if (!memories.hasSources) return NO_FACTS;
  const found = legItems(shard, { ...legs, filter: lending, perLeg: POOL_PER_LEG });
  const fits = fitsOf(shard, legs, found).filter(({ fit }) => fit > 0);
  const best = fits[0]?.fit ?? 0;
  const cited = fits.flatMap(({ item, fit }) => {
    const place = memories.placeOf(item);
    return place === undefined ? [] : memories.citedAt(place).map((one) => ({ ...one, fit }));
  });
  const itemOf = resolver(shard, cited);
  const lifted = new Map<number, number>();
  for (const one of cited) {
    const item = itemOf(one);
    if (item !== undefined && !lifted.has(item)) lifted.set(item, one.fit / best);
  }
  return lifted;
}

/** How well memories fit by words and vectors, with the weights of both; the best first. */
function fitsOf(
  shard: Shard,
  legs: LegRows,
  found: readonly number[],
): { readonly item: number; readonly fit: number }[] {
  const values = new ItemValues(shard, legs, found);
  const all = found.map((item) => ({ item, ...values.of(item) }));
  const bm25Max = Math.max(0, ...all.map(({ bm25 }) => bm25)) || 1;
  const cosines = all.map(({ cosine }) => cosine).filter((cosine) => !Number.isNaN(cosine));
  const scale = { cosineMin: Math.min(...cosines), cosineMax: Math.max(...cosines) };
  const { words, dense } = DEFAULT_WEIGHTS;
  const fits = all.map(({ item, bm25, cosine }) => ({
    item,
    fit: (words * bm25) / bm25Max + dense * scaledCosine(scale, cosine),
  }));
  return fits.sort((a, b) => b.fit - a.fit);
}

/** Finds the items of messages by their ids; each session is looked through once at the most. */
function resolver(
  shard: Shard,
  cited: readonly CitedMessage[],
): (one: CitedMessage) => number | undefined {
  const { items, containers } = shard;
  const placed = ({ sessionId, hash, seq }: CitedMessage): number | undefined => {
    const list = containers.find({ kind: "session", id: sessionId })?.items ?? [];
    const item = seq === undefined ? undefined : list[placeOf(list, items.position, seq)];
    return item !== undefined && items.idHash.at(item) === hash ? item : undefined;
  };
  const wanted = new Map<string, Set<number>>();
  for (const one of cited) {
    if (placed(one) !== undefined) continue;
    const hashes = wanted.get(one.sessionId);
    if (hashes === undefined) wanted.set(one.sessionId, new Set([one.hash]));
    else hashes.add(one.hash);
  }
  const found = new Map<string, Map<number, number>>();
  for (const [sessionId, hashes] of wanted) {
    const own = new Map<number, number>();
    for (const item of containers.find({ kind: "session", id: sessionId })?.items ?? []) {
      const hash = items.idHash.at(item);
      if (hashes.has(hash)) own.set(hash, item);
    }
    found.set(sessionId, own);
  }
  return (one) => placed(one) ?? found.get(one.sessionId)?.get(one.hash);
}

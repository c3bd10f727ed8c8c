// Messages that memories come from: a memory that fits lifts the messages that say it, also where
// their own words are others.

import { coverageBy, scaledCosine } from "../rank/pool-scale.ts";
import { DEFAULT_WEIGHTS } from "../rank/weights.ts";
import type { RecallFilter } from "../rules/filter.ts";
import type { RowFilter } from "../rules/row-filter.ts";
import { type Container, placeOf } from "./containers.ts";
import { ItemValues, type LegRows, legItems } from "./legs.ts";
import type { CitedMessage } from "./memories.ts";
import type { QueryTerm } from "./near-words.ts";
import type { Shard } from "./shard.ts";

/** So many memories of each leg may lift messages. */
const LENDERS_PER_LEG = 20;

/** The messages that memories lift: items with what it is worth, 0 to 1, the best first. */
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

/**
 * Finds the memories that fit best, and the messages that they come from. A memory that has few of
 * the query's terms lifts little, even if no other one fits better, and so does one that comes from
 * many messages.
 */
export function liftedMessages(
  shard: Shard,
  legs: LegRows & { readonly terms: readonly QueryTerm[] },
  lending: RowFilter,
): LiftedMessages {
  const { memories } = shard;
  if (!memories.hasSources) return NO_FACTS;
  const found = legItems(shard, { ...legs, filter: lending, perLeg: LENDERS_PER_LEG });
  const cited = fitsOf(shard, legs, found).flatMap(({ item, fit }) => {
    const place = memories.placeOf(item);
    const named = place === undefined ? [] : memories.citedAt(place);
    const value = fit / Math.sqrt(named.length);
    return named.map((one) => ({ ...one, value }));
  });
  const itemOf = resolver(shard, cited);
  const lifted = new Map<number, number>();
  for (const one of cited.sort((a, b) => b.value - a.value)) {
    const item = itemOf.get(one.at);
    if (item !== undefined && one.value > 0 && !lifted.has(item)) lifted.set(item, one.value);
  }
  return lifted;
}

/**
 * Fit of memories by words and vectors, with the weights of both and as a share of the best
 * one, times the share of the query's terms in them; without words, times the cosine.
 */
function fitsOf(
  shard: Shard,
  legs: LegRows & { readonly terms: readonly QueryTerm[] },
  found: readonly number[],
): { readonly item: number; readonly fit: number }[] {
  const values = new ItemValues(shard, legs, found);
  const all = found.map((item) => ({ item, ...values.of(item) }));
  const bm25Max = Math.max(0, ...all.map(({ bm25 }) => bm25)) || 1;
  const cosines = all.map(({ cosine }) => cosine).filter((cosine) => !Number.isNaN(cosine));
  const scale = { cosineMin: Math.min(...cosines), cosineMax: Math.max(...cosines) };
  const coverageOf = coverageBy(legs.terms.map(({ idf }) => idf));
  const { words, dense } = DEFAULT_WEIGHTS;
  const fits = all.map(({ item, bm25, cosine, mask }) => {
    const fit = (words * bm25) / bm25Max + dense * scaledCosine(scale, cosine);
    const share = legs.words === undefined ? Math.max(0, cosine) : coverageOf(mask);
    return { item, fit, share };
  });
  const best = Math.max(0, ...fits.map(({ fit }) => fit)) || 1;
  return fits.map(({ item, fit, share }) => ({ item, fit: (fit / best) * share }));
}

/**
 * Finds the items of messages, by their places in the list of all that are named. A session whose
 * ids say nothing is looked through once for what it was not looked through for before.
 */
function resolver(shard: Shard, cited: readonly CitedMessage[]): ReadonlyMap<number, number> {
  const { items, containers, memories } = shard;
  const found = new Map<number, number>();
  const wanted = new Map<Container, Map<number, number[]>>();
  for (const { sessionId, hash, seq, at, missingIn } of cited) {
    const session = containers.find({ kind: "session", id: sessionId });
    const list = session?.items ?? [];
    const item = seq === undefined ? undefined : list[placeOf(list, items.position, seq)];
    if (item !== undefined && items.idHash.at(item) === hash) {
      found.set(at, item);
    } else if (session !== undefined && missingIn !== session.state) {
      const hashes = wanted.get(session) ?? new Map<number, number[]>();
      wanted.set(session, hashes);
      hashes.set(hash, [...(hashes.get(hash) ?? []), at]);
    }
  }
  for (const [session, hashes] of wanted) {
    for (const item of session.items) {
      const places = hashes.get(items.idHash.at(item));
      if (places === undefined) continue;
      for (const at of places) {
        found.set(at, item);
        memories.noteSeq(at, items.position.at(item));
      }
    }
    for (const at of [...hashes.values()].flat()) {
      if (!found.has(at)) memories.noteMissing(at, session.state);
    }
  }
  return found;
}

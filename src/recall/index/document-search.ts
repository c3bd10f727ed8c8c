// The two other scorings of documents: the cosine of one vector, and TF-IDF.

import { EVERYONE } from "../../memory/rules/scopes.ts";
import type { RecallFilter } from "../rules/filter.ts";
import { filterHas } from "../rules/row-filter.ts";
import { placeOf } from "./containers.ts";
import { rowsOfFilter } from "./filter-rows.ts";
import { contentOrder } from "./legs.ts";
import type { CosineQuery, GivenVector, IndexHit, TfIdfQuery } from "./port.ts";
import { KINDS } from "./record.ts";
import type { Answer } from "./search.ts";
import type { Shard } from "./shard.ts";

const NOTHING: Answer = {
  hits: [],
  groups: [],
  more: false,
  denseUsed: false,
  isCalibrated: false,
};
/** Rows that are read per wanted item, at first. */
const ROWS_PER_ITEM = 2;

/** A row or an item with its score. */
interface Scored {
  readonly item: number;
  readonly row: number;
  readonly score: number;
}

/**
 * Looks for the items nearest to one vector. `denseUsed` is false when nothing could be compared:
 * no embedding of this model was given with a document of these collections, and it is not the
 * model of the index.
 */
export function searchByCosine(shard: Shard, query: CosineQuery): Answer {
  const found = nearest(shard, query);
  if (found === undefined) return NOTHING;
  const before = contentOrder(shard);
  const least = query.minScore ?? Number.NEGATIVE_INFINITY;
  const sorted = found
    .filter(({ score }) => score >= least)
    .sort((a, b) => b.score - a.score || (before(a.row, b.row) ? -1 : 1));
  const hits = sorted.slice(0, query.limit).map((one) => hitOf(shard, one));
  return {
    hits,
    groups: [],
    more: sorted.length > query.limit,
    denseUsed: true,
    isCalibrated: false,
  };
}

function nearest(shard: Shard, query: CosineQuery): Scored[] | undefined {
  const { items, spaces, parts, vectors } = shard;
  const { vector, filter, nowMs, limit } = query;
  const times = { nowMs, referenceMs: nowMs };
  const rows = rowsOfFilter(shard, filter, times);
  if (vector !== undefined) {
    const among = rowsOfFilter(shard, collectionsOnly(filter), times);
    const given = spaces.search(vector, limit + 1, { table: items, filter: rows, among });
    if (given !== undefined) {
      return given.map(({ item, score }) => ({ item, row: items.firstRow.at(item), score }));
    }
  }
  const values = vector === undefined ? parts.embedText?.(query.text) : ownVector(shard, vector);
  if (vectors === undefined || values === undefined) return undefined;
  for (let count = ROWS_PER_ITEM * (limit + 1); ; count *= 2) {
    const found = vectors.search(values, count, rows);
    const best = new Map<number, Scored>();
    for (const [at, row] of found.rows.entries()) {
      const item = items.itemOfRow.at(row);
      if (!best.has(item)) best.set(item, { item, row, score: found.scores[at] ?? 0 });
    }
    if (best.size > limit || found.rows.length < count) return [...best.values()];
  }
}

/** The values of a vector when they are of the model of the index. */
function ownVector({ parts, vectors }: Shard, { model, values }: GivenVector) {
  const fits = model === parts.model.id && values.length === vectors?.dimensions;
  return fits ? values : undefined;
}

/** A filter that asks only for the collections of another one. */
function collectionsOnly(filter: RecallFilter): RecallFilter {
  return {
    ...{ ...filter, scope: EVERYONE, sessionIds: [], excludeSessionIds: [] },
    ...{ sessionLabels: new Map(), roles: new Set(), labels: new Map(), metadata: [] },
    ...{ fromMs: undefined, beforeMs: undefined, minTrust: undefined, sourceDocumentId: "" },
  };
}

/**
 * Looks for documents by TF-IDF; a collection that is not known is empty. Throws when its documents
 * are not kept for it.
 */
export function searchByTfIdf(shard: Shard, query: TfIdfQuery): Answer {
  const { items } = shard;
  const container = shard.containers.find({ kind: "collection", id: query.collectionId });
  if (container === undefined) return NOTHING;
  const { tfIdf } = container;
  if (tfIdf === undefined) throw new Error("the collection is not kept for TF-IDF");
  const rows = rowsOfFilter(shard, query.filter, { nowMs: 0, referenceMs: 0 });
  const itemAt = (position: number): number =>
    container.items[placeOf(container.items, items.position, position)] ?? 0;
  const { text, minScore, limit } = query;
  const accept = (position: number): boolean =>
    rows.kind === "all" || filterHas(rows, items.firstRow.at(itemAt(position)));
  const found = tfIdf.search({ text, minScore, limit: limit + 1, accept });
  const hits = found.slice(0, limit).map(({ position, score }) => {
    const item = itemAt(position);
    return { ...hitOf(shard, { item, row: items.firstRow.at(item), score }), parts: [] };
  });
  return { hits, groups: [], more: found.length > limit, denseUsed: false, isCalibrated: false };
}

function hitOf({ items, containers }: Shard, { item, row, score }: Scored): IndexHit {
  const container = containers.at(items.container.at(item));
  return {
    kind: KINDS[container?.kind ?? "collection"],
    containerId: container?.id ?? "",
    position: items.position.at(item),
    passage: row - items.firstRow.at(item),
    score,
    parts: [{ feature: "dense", value: score, weight: 1, score }],
    relevance: 0,
  };
}

// The rules of a recall by a scoring besides the default one: which fields it takes.

import { LIMITS } from "../../domain/limits.ts";
import type { RecallKind } from "../../domain/recall/filter.ts";
import { RECALL_SCORINGS, scoredKind } from "../../domain/recall/scoring.ts";
import { type RecallFilter, RecallKind as WireKind } from "../../gen/memorysidecar/v1/recall.ts";
import type { RecallRequest } from "../../gen/memorysidecar/v1/recall_service.ts";
import { searchTerms } from "../../service/search-text.ts";
import { checkText } from "./fields.ts";
import type { Violations } from "./violations.ts";

const KINDS = {
  message: WireKind.MESSAGE,
  document: WireKind.DOCUMENT,
  memory: WireKind.MEMORY,
} as const satisfies Readonly<Record<RecallKind, WireKind>>;

/** The fields of the default recipe. */
const RECIPE = [
  ...(["mode", "fusion", "weights", "minRelevance", "diversity", "contextBefore"] as const),
  ...(["contextAfter", "rerank", "allowPartial"] as const),
] satisfies readonly (keyof RecallRequest)[];

const OF_MESSAGES = [
  ...(["sessionIds", "excludeSessionIds", "sessionIdPrefix", "sessionLabels"] as const),
];
const OF_OWNERS = ["scope"] as const;
const OF_MEMORIES = [
  ...(["memoryKinds", "validAtTime", "includeSuperseded", "categories"] as const),
  "minConfidence" as const,
];
const OF_DOCUMENTS = ["collectionIds", "sourceDocumentId"] as const;
const OF_RECORDS = ["labels", "metadata", "timeFrom", "timeBefore", "minTrust"] as const;

/** The fields of a filter that concern the records of a scoring, `kinds` aside. */
const FILTER_FIELDS: Readonly<Record<RecallKind, readonly (keyof RecallFilter)[]>> = {
  message: [...OF_MESSAGES, ...OF_OWNERS],
  document: [...OF_OWNERS, ...OF_DOCUMENTS, ...OF_RECORDS],
  memory: [...OF_OWNERS, ...OF_MEMORIES, ...OF_RECORDS],
};

/** Checks the field `scoring` of a recall, and what goes with it. */
export function checkScoring(request: RecallRequest, v: Violations): void {
  const { scoring, filter } = request;
  if (scoring === "") return;
  const kind = scoredKind(scoring);
  if (kind === undefined) {
    v.add("scoring", `must be empty or one of ${RECALL_SCORINGS.join(", ")}`);
    return;
  }
  const without = `must be unset with the scoring ${scoring}`;
  for (const name of RECIPE) if (isSet(request[name])) v.add(publicName(name), without);
  if (scoring !== "cosine" && isSet(request.embedding)) v.add("embedding", without);
  checkFilterOf(v, filter, { kind, without });
  if (kind === "document" && filter?.collectionIds.length !== 1) {
    v.add("filter.collection_ids", `must name one collection with the scoring ${scoring}`);
  }
  const isGrouped = request.groupBySession !== undefined;
  if (kind === "message" && !isGrouped) {
    v.add("group_by_session", `is required with the scoring ${scoring}`);
  }
  if (kind !== "message" && isGrouped) v.add("group_by_session", without);
  if (kind === "message") checkWords(v, request.query);
}

function checkFilterOf(
  v: Violations,
  filter: RecallFilter | undefined,
  { kind, without }: { readonly kind: RecallKind; readonly without: string },
): void {
  if (filter === undefined) return;
  v.enter("filter");
  if (filter.kinds.some((one) => one !== KINDS[kind])) v.add("kinds", without);
  const taken = new Set<string>([...FILTER_FIELDS[kind], "kinds"]);
  for (const [name, value] of Object.entries(filter)) {
    if (!taken.has(name) && isSet(value)) v.add(publicName(name), without);
  }
  v.leave();
}

function checkWords(v: Violations, query: string): void {
  checkText(v, "query", query, LIMITS.searchQueryBytes);
  if (query.length > LIMITS.searchQueryBytes) return;
  const count = searchTerms(query).length;
  if (count <= LIMITS.searchTerms) return;
  const description = `has ${count} different words; at most ${LIMITS.searchTerms} are allowed`;
  v.add("query", description, LIMITS.searchTerms);
}

/** Whether a field is more than its default. */
function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Map) return value.size > 0;
  return value !== undefined && value !== "" && value !== 0 && value !== false;
}

function publicName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

// SearchMemories as Recall does it: by words and vectors, with the default weights. The index knows
// most of a filter; the rest is checked of what it finds, and what fails makes room for the next
// ones, until the candidates end (at most about 200, as in docs/recall.md).

import { LIMITS } from "../../domain/limits.ts";
import type { MemoryFilter } from "../../domain/memories/filter.ts";
import { matchesMemory } from "../../domain/memories/filter-match.ts";
import type { ScopeFilter } from "../../domain/memories/scopes.ts";
import type { RecallFilter } from "../../domain/recall/filter.ts";
import type { Call } from "../call.ts";
import type { MemoryMatch, SearchMemoriesInput } from "../memory-api.ts";
import type { RecallInput, RecallServiceApi } from "../recall-api.ts";
import type { MemoryParts } from "./parts.ts";

/** Finds memories by words and meaning. */
export async function searchByRecall(
  { context, codec }: MemoryParts,
  search: RecallServiceApi["recall"],
  call: Call,
  input: SearchMemoriesInput,
): Promise<readonly MemoryMatch[]> {
  const at = {
    nowMs: context.world.nowMs(),
    flat: ({ content }: MemoryMatch["memory"]) => codec.flatMetadata(content.metadata),
  };
  const matches: MemoryMatch[] = [];
  let offset: number | undefined = 0;
  while (offset !== undefined && matches.length < input.limit) {
    const { hits, next } = await search(call, recallInput(input, offset));
    for (const { record, score } of hits) {
      if (record.kind !== "memory" || !matchesMemory(record.memory, input.filter, at)) continue;
      matches.push({ memory: record.memory, score });
    }
    offset = next;
  }
  return matches.slice(0, input.limit);
}

function recallInput(input: SearchMemoriesInput, offset: number): RecallInput {
  const { namespace, query, minScore, referenceMs, filter } = input;
  return {
    ...{ namespace, query, embedding: undefined, filter: recallFilter(filter), offset },
    // As many candidates as there ever are.
    limit: LIMITS.recallHits,
    ...{ mode: "hybrid", fusion: "scores", weights: {}, minScore, minRelevance: 0, diversity: 0 },
    ...{ contextBefore: 0, contextAfter: 0, hitsPerGroup: undefined, rerank: undefined },
    ...{ allowPartial: false, referenceMs },
  };
}

/** What the index can do of a filter. */
function recallFilter(filter: MemoryFilter): RecallFilter {
  const { validAtMs, states } = filter;
  const isActive = states.size === 0 ? validAtMs === undefined : !states.has("superseded");
  return {
    ...{ kinds: new Set(["memory"]), sessionIds: [], excludeSessionIds: [] },
    ...{ sessionLabels: new Map(), roles: new Set(), collectionIds: [], sourceDocumentId: "" },
    ...{ labels: filter.labels, metadata: filter.metadata, minTrust: filter.minTrust },
    ...{ fromMs: undefined, beforeMs: undefined, ...scopeConditions(filter.scope) },
    ...{ memoryKinds: filter.kinds, categories: filter.categories },
    validity: validAtMs ?? (isActive ? "active" : "any"),
    minConfidence: filter.minConfidence,
  };
}

/** What the index is asked of whose memories are meant. */
function scopeConditions(
  filter: ScopeFilter,
): Pick<RecallFilter, "userId" | "agentId" | "includeShared" | "memorySessionIds" | "exact"> {
  if (filter.kind === "everyone") {
    return { userId: "", agentId: "", includeShared: false, memorySessionIds: undefined };
  }
  const { kind, scope } = filter;
  const { userId, agentId, sessionId } = scope;
  const includeShared = kind === "visible-to";
  const isNamed = kind !== "owned-by" || sessionId !== "";
  const sessions = includeShared ? [sessionId, ""] : [sessionId];
  return {
    ...{ userId, agentId, includeShared, memorySessionIds: isNamed ? sessions : undefined },
    exact: { names: kind !== "owned-by", sessions: true },
  };
}

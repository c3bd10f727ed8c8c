// selectools: which of its long-term memories a case is about.

import type { Adapter, Context, OpenAdapter } from "./adapter.ts";
import { familyOf } from "./cases.ts";
import { graphMemory } from "./selectools-graph.ts";
import { knowledgeMemory } from "./selectools-knowledge.ts";
import { unifiedMemory } from "./selectools-unified.ts";

const FAMILIES: readonly (readonly [OpenAdapter, readonly string[]])[] = [
  [unifiedMemory, ["importance", "promotion", "eviction", "episodic"]],
  [unifiedMemory, ["recall", "context", "unified"]],
  [graphMemory, ["entity", "kg"]],
  [knowledgeMemory, ["knowledge"]],
];

/** Opens the adapter of the long-term memory of a case; undefined for a case about none. */
export function longTermMemory(context: Context): Adapter | undefined {
  const family = familyOf(context.kase);
  return FAMILIES.find(([, names]) => names.includes(family))?.[0](context);
}

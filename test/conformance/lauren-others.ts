// lauren-ai: what a case may be about besides its short-term memory.

import type { Adapter, Context } from "./adapter.ts";
import { familyOf } from "./cases.ts";
import { userMemory } from "./lauren-facts.ts";
import { conversationStore, isOfStore } from "./lauren-store.ts";
import { vectorStore } from "./lauren-vectors.ts";

/** Opens the adapter of what a case is about; undefined for a case about short-term memory. */
export function otherMemory(context: Context): Adapter | undefined {
  if (familyOf(context.kase) === "vector") return vectorStore(context);
  return userMemory(context) ?? (isOfStore(context) ? conversationStore(context) : undefined);
}

// The kinds of memories by their names.

import { MemoryKind } from "./gen/memorysidecar/v1/memory.ts";

export const MEMORY_KINDS = {
  fact: MemoryKind.FACT,
  preference: MemoryKind.PREFERENCE,
  knowledge: MemoryKind.KNOWLEDGE,
  entity: MemoryKind.ENTITY,
  relation: MemoryKind.RELATION,
  episode: MemoryKind.EPISODE,
  summary: MemoryKind.SUMMARY,
} as const;
/** Kind of a memory. */
export type MemoryKindName = keyof typeof MEMORY_KINDS;

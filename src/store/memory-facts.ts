// What engines look memories up by, made of the memory alone.

import {
  type Memory,
  type MemoryTier,
  memoryExpireMs,
  rankOf,
  tierOf,
} from "../domain/memories/memory.ts";
import { nameKeyOf, textKeyOf } from "../domain/memories/text-key.ts";
import { scopeIdOf } from "./scope-id.ts";

/** What a memory is found by. */
export interface MemoryFacts {
  readonly scopeId: string;
  readonly tier: MemoryTier;
  readonly rank: number;
  /** Undefined when it lives for ever. */
  readonly expireMs: number | undefined;
  readonly isActive: boolean;
  /** Empty of one that is superseded. */
  readonly textKey: string;
  readonly key: string;
  /** Of an active entity: its name and aliases, each once. */
  readonly nameKeys: readonly string[];
  /** Of a relation; undefined of others. */
  readonly subject: string | undefined;
  readonly object: string | undefined;
}

/** What a memory is found by. */
export function memoryFacts(memory: Memory): MemoryFacts {
  const { key, structure } = memory.content;
  const isActive = memory.state === "active";
  const relation = structure?.kind === "relation" ? structure.relation : undefined;
  return {
    scopeId: scopeIdOf(memory.scope),
    tier: tierOf(memory),
    rank: rankOf(memory),
    expireMs: memoryExpireMs(memory),
    isActive,
    textKey: isActive ? textKeyOf(memory) : "",
    key,
    nameKeys: isActive ? nameKeysOf(memory) : [],
    subject: relation && nameKeyOf(relation.subject),
    object: relation && nameKeyOf(relation.object),
  };
}

function nameKeysOf({ content: { structure } }: Memory): readonly string[] {
  if (structure?.kind !== "entity") return [];
  const { aliases, name } = structure.entity;
  return [...new Set([name, ...aliases].map(nameKeyOf))];
}

// Facts by which engines look memories up, made of the memory alone.

import { TURN_END_MS } from "../memory/rules/job.ts";
import {
  type Memory,
  type MemoryTier,
  memoryExpireMs,
  rankOf,
  tierOf,
} from "../memory/rules/memory.ts";
import { nameKeyOf, textKeyOf } from "../memory/rules/text-key.ts";
import type { MemoryJobPlan } from "./memory-records.ts";
import { scopeIdOf } from "./scope-id.ts";

/** Facts by which a memory is found. */
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

/** Facts by which a memory is found. */
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

/** Whether a plan makes or changes a job that does not wait for the end of a turn. */
export function hasDueJobs(plan: MemoryJobPlan | undefined): boolean {
  return plan?.put.some(({ job }) => job !== undefined && job.dueMs < TURN_END_MS) ?? false;
}

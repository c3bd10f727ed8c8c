// Rules for changes of memories and of jobs on them, for both engines: they say what is wrong,
// so that half a plan never reaches the state.

import { isDeepStrictEqual } from "node:util";

import type { MemoryJob } from "../memory/rules/job.ts";
import type { Memory } from "../memory/rules/memory.ts";
import type { MemoryJobPlan, MemoryPlan } from "./memory-records.ts";
import { scopeIdOf } from "./scope-id.ts";
import { areRanges, isCount } from "./task-faults.ts";

const STRUCTURED = new Set(["entity", "relation", "episode"]);
const PROMOTION_KEY_MAX = 128;

/** The state before the change, as a check needs it. */
export interface MemoryBase {
  /** That of the change. */
  readonly revision: number;
  readonly nextMemoryNo: number;
  /** The current state of the memory with an id. */
  readonly known: (memoryId: string) => Memory | undefined;
}

/** Says what is wrong with a change of memories; undefined when nothing is. */
export function memoryPlanFault(plan: MemoryPlan, base: MemoryBase): string | undefined {
  const { promoted = [], put = [], remove = [] } = plan;
  const ids = new Set<string>();
  const removed = new Set(remove);
  let next = base.nextMemoryNo;
  for (const memory of put) {
    // A new memory may take the id of one that goes with the same change.
    const known = removed.has(memory.memoryId) ? undefined : base.known(memory.memoryId);
    if (ids.has(memory.memoryId) || memory.memoryNo !== (known?.memoryNo ?? next)) {
      return `memory number ${memory.memoryNo} is put twice or has another number`;
    }
    ids.add(memory.memoryId);
    next += known === undefined ? 1 : 0;
    const fault = memoryFault(memory, base.revision) ?? stateFault(memory, known);
    if (fault !== undefined) return `memory number ${memory.memoryNo} ${fault}`;
  }
  if (removed.size < remove.length || remove.some((id) => base.known(id) === undefined)) {
    return "it removes a memory twice, or one that is not there";
  }
  return promoted.some(({ promotionKey: { length } }) => length === 0 || length > PROMOTION_KEY_MAX)
    ? "a promoted text has no key, or one that is too long"
    : undefined;
}

function memoryFault(memory: Memory, revision: number): string | undefined {
  const { content, createMs, etagRevision, kind, strength, ttlMs, updateMs } = memory;
  if (memory.memoryId === "") return "has no id";
  if (!isCount(etagRevision) || etagRevision > revision) return `is of revision ${etagRevision}`;
  if (![createMs, updateMs, ttlMs, updateMs + ttlMs, strength.mentionCount].every(isCount)) {
    return "has a time or a count that is none";
  }
  const times = [
    strength.lastSeenMs,
    strength.decayMs,
    content.validFromMs ?? 0,
    content.validToMs ?? 0,
  ];
  if (!times.every(Number.isSafeInteger)) return "has a time that is none";
  if (!(content.importance >= 0 && strength.confidence >= 0)) return "has no importance";
  if (!Number.isFinite(content.importance + strength.confidence)) return "has no importance";
  if (content.structure?.kind !== (STRUCTURED.has(kind) ? kind : undefined)) {
    return `is of the kind ${kind} and made of something else`;
  }
  return memory.state === "active" && memory.supersededBy !== ""
    ? "is active and superseded"
    : undefined;
}

/** Leaves out the parts that may change without a new state. */
function stateOf(memory: Memory): Readonly<Record<string, unknown>> {
  const { etagRevision: _etag, source: _source, strength: _strength, ...rest } = memory;
  return rest;
}

/** Whether two memories are in the same state. Parts that are one object need no look inside. */
function isSameState(a: Memory, b: Memory): boolean {
  const [one, other] = [stateOf(a), stateOf(b)];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every(
    (name) =>
      one[name] === other[name] || isDeepStrictEqual(imageOf(one[name]), imageOf(other[name])),
  );
}

/** Bytes may stand in another kind of array. */
function imageOf(part: unknown): unknown {
  if (typeof part !== "object" || part === null || !("metadata" in part)) return part;
  return { ...part, metadata: Buffer.from(part.metadata as Uint8Array).toString("latin1") };
}

function stateFault(memory: Memory, known: Memory | undefined): string | undefined {
  const { version } = memory;
  if (known === undefined) return version === 1 ? undefined : `is new and has the state ${version}`;
  if (
    memory.kind !== known.kind ||
    memory.createMs !== known.createMs ||
    scopeIdOf(memory.scope) !== scopeIdOf(known.scope)
  ) {
    return "gets another kind, scope or time of creation";
  }
  if (version === known.version) {
    return isSameState(memory, known) ? undefined : `changes without a state after ${version}`;
  }
  return version === known.version + 1 && memory.updateMs >= known.updateMs
    ? undefined
    : `goes from state ${known.version} to ${version}, or back in time`;
}

/**
 * Says what is wrong with a change of the jobs of a session by a revision; undefined when nothing
 * is.
 */
export function memoryJobsFault(
  plan: MemoryJobPlan,
  { known, revision }: { readonly known: readonly MemoryJob[]; readonly revision: number },
): string | undefined {
  const types = new Set<string>();
  for (const { job, type } of plan.put) {
    if (types.has(type)) return `the job ${type} is put twice`;
    types.add(type);
    if (job === undefined) continue;
    if (job.type !== type) return `the job ${type} is one of ${job.type}`;
    if (job.ranges.length === 0 || !areRanges(job.ranges)) {
      return `the job ${type} has no messages, or in another order`;
    }
    const before = known.find((one) => one.type === type);
    if (job.createRevision !== (before?.createRevision ?? revision)) {
      return `the job ${type} is neither known nor one of revision ${revision}`;
    }
    const counts = [job.dueMs, job.failedAttempts, job.callCount, job.createMs, job.generation];
    if (!counts.every(isCount) || (job.state === "dead" && job.dueMs !== 0)) {
      return `the job ${type} has a time or a count that is none`;
    }
  }
  return undefined;
}

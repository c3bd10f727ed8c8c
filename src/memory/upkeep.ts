// DecayMemories: walks memories by their numbers. These never change, hence each memory decays
// once, however many calls it takes.

import { removeEach } from "../core/change.ts";
import type { MemoryDecay, ServiceContext } from "../core/context.ts";
import { EVENT_TYPE } from "../events/rules/event.ts";
import type { Call } from "../kit/call.ts";
import { serverCall } from "../kit/call.ts";
import { LIMITS } from "../kit/limits.ts";
import type { DecayInput } from "./api.ts";
import {
  changeByServer,
  changeMemories,
  deletedDetails,
  detailsOf,
  eraseExpiredMemories,
  idOf,
  type MemoryWork,
  memoryWork,
  type ScopedDetail,
  stampOf,
} from "./change-memories.ts";
import type { MemoryParts } from "./parts.ts";
import { decay } from "./rules/change.ts";
import { isMemoryExpired, type Memory } from "./rules/memory.ts";
import type { Stamp } from "./rules/rules.ts";
import { isMeant, scanPieces } from "./scan.ts";

/** Lowers the confidence of memories. */
export async function decayMemories(
  parts: MemoryParts,
  call: Call,
  input: DecayInput,
): Promise<Uint8Array> {
  const work = memoryWork(parts, call, input);
  const chosen = await choose(work, input);
  return await changeMemories(work, ({ memories, revision }) => {
    const stamp = stampOf(work, revision);
    const weaker: Memory[] = [];
    const gone: Memory[] = [];
    for (const memoryId of chosen.memoryIds) {
      // A memory that has changed since it was chosen is checked again.
      const stored = memories.byId(memoryId);
      if (stored === undefined || !isDecayDue(work, input, stored)) continue;
      const decayed = decay(stored, input.factor, stamp);
      const { confidence } = decayed.strength;
      if (confidence < input.deleteBelow && !stored.persistent) gone.push(stored);
      else if (confidence < stored.strength.confidence) weaker.push(decayed);
    }
    const deletedIds = gone.map(idOf);
    const counts = { decayedCount: weaker.length, deletedIds, next: chosen.next };
    const answer = (of: number) => input.encode({ ...counts, revision: of });
    if (weaker.length + gone.length === 0) return { answer };
    return {
      plan: { put: weaker, remove: deletedIds },
      details: decayDetails(weaker, gone),
      answer,
    };
  });
}

function decayDetails(weaker: readonly Memory[], gone: readonly Memory[]): ScopedDetail[] {
  return [...detailsOf(weaker, EVENT_TYPE.memoriesDecayed), ...deletedDetails(gone, "decayed")];
}

/** Whether a memory is to decay now. */
function isDecayDue({ parts, nowMs }: MemoryWork, input: DecayInput, memory: Memory): boolean {
  const unseenMs = nowMs - memory.strength.lastSeenMs;
  return unseenMs >= input.unseenForMs && isMeant(parts, memory, input.filter, nowMs);
}

/** The next memories that are due, up to the limits of one call. */
async function choose(
  work: MemoryWork,
  input: DecayInput,
): Promise<{ readonly memoryIds: readonly string[]; readonly next: number | undefined }> {
  const { parts, call, namespace, nowMs } = work;
  const { filter, after } = input;
  const memoryIds: string[] = [];
  let looked = 0;
  let last = after;
  const scan = { namespace, filter, order: "asc", after, nowMs, signal: call.signal } as const;
  for await (const piece of scanPieces(parts, scan)) {
    for (const memory of piece.memories) {
      if (looked >= LIMITS.pageScan) return { memoryIds, next: last };
      looked += 1;
      if (isDecayDue(work, input, memory)) {
        if (memoryIds.length >= LIMITS.changeMemories) return { memoryIds, next: last };
        memoryIds.push(memory.memoryId);
      }
      last = memory.memoryNo;
    }
    if (piece.next === undefined) break;
    last = piece.next;
  }
  return { memoryIds, next: undefined };
}

// Upkeep: removes memories whose time has run out, and lets confidence fade when the operator
// wants it to. In small steps, as all upkeep.

/** Memories that one step removes or checks. */
const STEP = 500;
const HOUR_MS = 3_600_000;
/** Interval of the check of all memories: the share of a period, and its bounds. */
const PASSES_PER_PERIOD = 24;
const PASS_MS = { min: 60_000, max: 6 * HOUR_MS };
/** Confidence below this no longer fades. */
const NO_CONFIDENCE = 1e-9;

/** Removes memories whose time has run out; true when there may be more. */
export async function removeExpiredMemories(
  context: ServiceContext,
  onError: (error: unknown) => void,
): Promise<boolean> {
  const { store, world } = context;
  const expired = await store.expiredMemories(world.nowMs(), STEP);
  const byNamespace = Map.groupBy(expired, ({ namespace }) => namespace);
  const remove = ([namespace, refs]: readonly [string, typeof expired]) => {
    const memoryIds = refs.map(({ memoryId }) => memoryId);
    return eraseExpiredMemories(context, namespace, memoryIds);
  };
  return (await removeEach(byNamespace, remove, onError)) && expired.length === STEP;
}

/** Lets confidence fade: each memory once in each period, however often the server starts. */
export class ScheduledDecay {
  readonly #context: ServiceContext;
  #nextPassMs = 0;
  /** Position of the current pass. */
  #namespace = "";
  #after = 0;

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  /** Checks some memories; true while a pass is under way. */
  async step(): Promise<boolean> {
    const { store, settings, world } = this.#context;
    const { memoryDecay } = settings;
    const nowMs = world.nowMs();
    if (memoryDecay === undefined || nowMs < this.#nextPassMs) return false;
    if (this.#after === 0) {
      const [next] = await store.listMemoryNamespaces(this.#namespace, 1);
      if (next === undefined) {
        this.#namespace = "";
        this.#nextPassMs = nowMs + passMs(memoryDecay);
        return false;
      }
      this.#namespace = next;
    }
    const namespace = this.#namespace;
    const after = this.#after === 0 ? {} : { after: this.#after };
    const page = await store.listMemories({ namespace, order: "asc", limit: STEP, ...after });
    // Set first: what cannot be changed is passed over until the next pass.
    this.#after = page.next ?? 0;
    const due = page.memories.filter((memory) => isDue(memory, memoryDecay, nowMs));
    if (due.length > 0) await fade(this.#context, namespace, due.map(idOf), memoryDecay);
    return true;
  }
}

function passMs({ periodMs }: MemoryDecay): number {
  return Math.min(PASS_MS.max, Math.max(PASS_MS.min, periodMs / PASSES_PER_PERIOD));
}

/** Start of the current period of a memory. */
function sinceMs({ strength, createMs }: Memory): number {
  return Math.max(strength.decayMs, createMs);
}

function isDue(memory: Memory, { periodMs }: MemoryDecay, nowMs: number): boolean {
  return (
    memory.state === "active" &&
    memory.strength.confidence > NO_CONFIDENCE &&
    nowMs - sinceMs(memory) >= periodMs &&
    !isMemoryExpired(memory, nowMs)
  );
}

/** A memory after whole periods, including those that passed while the server was down. */
function faded(memory: Memory, { factor, periodMs }: MemoryDecay, stamp: Stamp): Memory {
  const since = sinceMs(memory);
  const periods = Math.floor((stamp.nowMs - since) / periodMs);
  const weaker = decay(memory, factor ** periods, stamp);
  return { ...weaker, strength: { ...weaker.strength, decayMs: since + periods * periodMs } };
}

async function fade(
  context: ServiceContext,
  namespace: string,
  memoryIds: readonly string[],
  rule: MemoryDecay,
): Promise<void> {
  await changeByServer(context, namespace, ({ memories, revision }, nowMs) => {
    const stamp = stampOf({ call: serverCall(), nowMs }, revision);
    const put: Memory[] = [];
    const gone: Memory[] = [];
    for (const memoryId of memoryIds) {
      // A memory that has changed since it was listed is checked again: nothing fades twice.
      const memory = memories.byId(memoryId);
      if (memory === undefined || !isDue(memory, rule, nowMs)) continue;
      const weaker = faded(memory, rule, stamp);
      if (weaker.strength.confidence < rule.floor && !memory.persistent) gone.push(memory);
      else put.push(weaker);
    }
    return { plan: { put, remove: gone.map(idOf) }, details: decayDetails(put, gone) };
  });
}

// What goes by itself: memories whose time has run out, and confidence that fades when the operator
// wants it to. In small steps, as all upkeep.

import { EVENT_TYPE } from "../../domain/event.ts";
import { decay } from "../../domain/memories/change.ts";
import { isMemoryExpired, type Memory, SERVER_WRITER } from "../../domain/memories/memory.ts";
import type { MemoryPlan, MemoryView } from "../../storage/store.ts";
import type { MemoryDecay } from "../api.ts";
import type { ServiceContext } from "../context.ts";
import { deletedDetails, detailsOf, memoryEvents, type ScopedDetail } from "./change-memories.ts";

/** Memories that one step removes, or looks at. */
const STEP = 500;
const HOUR_MS = 3_600_000;
/** How often all memories are looked at: the share of a period, and its bounds. */
const PASSES_PER_PERIOD = 24;
const PASS_MS = { min: 60_000, max: 6 * HOUR_MS };
/** Below this nothing is left to fade. */
const NO_CONFIDENCE = 1e-9;

/** Removes memories whose time has run out; true when there may be more. */
export async function removeExpiredMemories(
  context: ServiceContext,
  onError: (error: unknown) => void,
): Promise<boolean> {
  const { store, world } = context;
  const expired = await store.expiredMemories(world.nowMs(), STEP);
  const byNamespace = new Map<string, string[]>();
  for (const { namespace, memoryId } of expired) {
    byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), memoryId]);
  }
  let failed = false;
  for (const [namespace, memoryIds] of byNamespace) {
    const removal = change(context, namespace, (view, nowMs) => {
      const gone = memoryIds.flatMap((id) => {
        const memory = view.memories.byId(id);
        return memory !== undefined && isMemoryExpired(memory, nowMs) ? [memory] : [];
      });
      return { plan: { remove: gone.map(idOf) }, details: deletedDetails(gone, "expired") };
    });
    await removal.catch((error: unknown) => {
      failed = true;
      onError(error);
    });
  }
  // One that cannot be removed must not keep upkeep awake.
  return expired.length === STEP && !failed;
}

/** Lets confidence fade: each memory once in each period, however often the server starts. */
export class ScheduledDecay {
  readonly #context: ServiceContext;
  #nextPassMs = 0;
  /** Where the pass under way goes on. */
  #namespace = "";
  #after = 0;

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  /** Looks at some memories; true while a pass is under way. */
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

function idOf({ memoryId }: Memory): string {
  return memoryId;
}

function passMs({ periodMs }: MemoryDecay): number {
  return Math.min(PASS_MS.max, Math.max(PASS_MS.min, periodMs / PASSES_PER_PERIOD));
}

/** Since when the period under way of a memory counts. */
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

/** What whole periods, also those that passed while the server stood still, leave of a memory. */
function faded(memory: Memory, { factor, periodMs }: MemoryDecay, at: FadeAt): Memory {
  const since = sinceMs(memory);
  const periods = Math.floor((at.nowMs - since) / periodMs);
  const stamp = { ...at, writer: SERVER_WRITER, reason: "", newId: noId };
  const weaker = decay(memory, factor ** periods, stamp);
  return { ...weaker, strength: { ...weaker.strength, decayMs: since + periods * periodMs } };
}

interface FadeAt {
  readonly revision: number;
  readonly nowMs: number;
}

function noId(): string {
  throw new Error("What fades makes no memory.");
}

async function fade(
  context: ServiceContext,
  namespace: string,
  memoryIds: readonly string[],
  rule: MemoryDecay,
): Promise<void> {
  await change(context, namespace, ({ memories, revision }, nowMs) => {
    const put: Memory[] = [];
    const gone: Memory[] = [];
    for (const memoryId of memoryIds) {
      // What has changed since it was listed is looked at anew: so nothing fades twice.
      const memory = memories.byId(memoryId);
      if (memory === undefined || !isDue(memory, rule, nowMs)) continue;
      const weaker = faded(memory, rule, { revision, nowMs });
      if (weaker.strength.confidence < rule.floor && !memory.persistent) gone.push(memory);
      else put.push(weaker);
    }
    const told = detailsOf(put, (ids) => ({ type: EVENT_TYPE.memoriesDecayed, memoryIds: ids }));
    return {
      plan: { put, remove: gone.map(idOf) },
      details: [...told, ...deletedDetails(gone, "decayed")],
    };
  });
}

/** Changes memories of a namespace, if there is something to tell. */
async function change(
  context: ServiceContext,
  namespace: string,
  decide: (
    view: MemoryView,
    nowMs: number,
  ) => { readonly plan: MemoryPlan; readonly details: readonly ScopedDetail[] },
): Promise<void> {
  await context.store.changeMemories<undefined>({ namespace, allowWhenFull: true }, (view) => {
    const nowMs = context.world.nowMs();
    const { plan, details } = decide(view, nowMs);
    if (details.length === 0) return { kind: "answer", result: undefined };
    const at = { namespace, revision: view.revision, nowMs, requestId: "" };
    const events = memoryEvents(context, at, details);
    return { kind: "save", result: undefined, plan: { ...plan, nowMs, events } };
  });
}

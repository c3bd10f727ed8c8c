// The one way in which a use case changes memories: idempotency, the stored answer and events are
// handled here.

import type { EventDetail } from "../../domain/event.ts";
import { EVENT_TYPE } from "../../domain/event.ts";
import type { MemoryDeleteReason } from "../../domain/memories/event.ts";
import { isMemoryExpired, type Memory, type MemoryScope } from "../../domain/memories/memory.ts";
import type { Stamp } from "../../domain/memories/rules.ts";
import type {
  MemoryChange,
  MemoryDecision,
  MemoryPlan,
  MemoryView,
  NewEvent,
} from "../../storage/store.ts";
import type { Call } from "../call.ts";
import { checkLive, replayOf, replyPart } from "../change.ts";
import type { ServiceContext } from "../context.ts";
import { newEvents } from "../new-events.ts";
import { serverCall } from "../tasks/server-call.ts";
import type { MemoryParts } from "./parts.ts";

/** What an event tells, and of which scope. */
export interface ScopedDetail {
  readonly scope: MemoryScope;
  readonly detail: EventDetail;
}

/** What makes a change: its call and its moment. */
export interface MemoryWork {
  readonly parts: MemoryParts;
  readonly call: Call;
  readonly namespace: string;
  readonly nowMs: number;
}

/** What is to be saved and answered. */
interface MemoryOutcome {
  readonly plan: MemoryPlan;
  readonly details: readonly ScopedDetail[];
  readonly bytes: Uint8Array;
}

/** Changes memories of a namespace. The index of recall hears of it by the store. */
export async function changeMemories(
  work: MemoryWork,
  change: Pick<MemoryChange, "allowWhenFull">,
  decide: (view: MemoryView) => MemoryDecision<Uint8Array>,
): Promise<Uint8Array> {
  const { parts, call, namespace } = work;
  checkLive(call.signal);
  const { context } = parts;
  const asked: MemoryChange = { ...change, namespace, requestId: call.requestId };
  return await context.store.changeMemories<Uint8Array>(asked, (view) => {
    const replay = replayOf(context, call, view.reply);
    return replay === undefined ? decide(view) : { kind: "answer", result: replay };
  });
}

/** Thrown inside a decision when the time of memories is over whose ids it wants to give anew. */
export class MemoriesExpired extends Error {
  override readonly name = "MemoriesExpired";
  readonly memoryIds: readonly string[];

  constructor(memoryIds: readonly string[]) {
    super("The ids are those of memories whose time is over.");
    this.memoryIds = memoryIds;
  }
}

/** Deletes memories whose time has run out; passes over others. */
export async function eraseExpiredMemories(
  { parts, namespace, nowMs }: Pick<MemoryWork, "parts" | "namespace" | "nowMs">,
  memoryIds: readonly string[],
): Promise<void> {
  const work: MemoryWork = { parts, call: serverCall(), namespace, nowMs };
  await changeMemories(work, { allowWhenFull: true }, ({ memories, revision }) => {
    const gone = memoryIds.flatMap((memoryId) => {
      const memory = memories.byId(memoryId);
      return memory !== undefined && isMemoryExpired(memory, nowMs) ? [memory] : [];
    });
    const bytes = new Uint8Array();
    if (gone.length === 0) return nothingChanged(work, bytes);
    const plan = { remove: gone.map(({ memoryId }) => memoryId) };
    return savedMemories(work, revision, { plan, details: deletedDetails(gone, "expired"), bytes });
  });
}

/** The answer of a change that has nothing to do. */
export function nothingChanged(
  { call, nowMs }: MemoryWork,
  bytes: Uint8Array,
): MemoryDecision<Uint8Array> {
  return { kind: "answer", result: bytes, ...replyPart(call, nowMs, bytes) };
}

/** The decision of a change that is to be saved. */
export function savedMemories(
  { parts, call, namespace, nowMs }: MemoryWork,
  revision: number,
  { plan, details, bytes }: MemoryOutcome,
): MemoryDecision<Uint8Array> {
  const at = { namespace, revision, nowMs, requestId: call.requestId };
  return {
    kind: "save",
    result: bytes,
    plan: {
      ...plan,
      nowMs,
      events: memoryEvents(parts.context, at, details),
      ...replyPart(call, nowMs, bytes),
    },
  };
}

/** Who changes memories, for the domain. Ids are only made where new ones may come. */
export function stampOf(
  { call, nowMs }: Pick<MemoryWork, "call" | "nowMs">,
  revision: number,
  reason: string,
): Stamp {
  const newId = (): string => {
    throw new Error("A change that makes no memories asked for an id.");
  };
  return { revision, nowMs, writer: call.writer, reason, newId };
}

/** The events of a change of memories, ready for its plan, in the order of `details`. */
export function memoryEvents(
  context: ServiceContext,
  at: {
    readonly namespace: string;
    readonly revision: number;
    readonly nowMs: number;
    readonly requestId: string;
    /** How many events of the revision stand before these. Default 0. */
    readonly firstIndex?: number;
  },
  details: readonly ScopedDetail[],
): NewEvent[] {
  const { namespace, firstIndex = 0, ...rest } = at;
  const events: NewEvent[] = [];
  for (const { scope, detail } of details) {
    const session = { namespace, sessionId: scope.sessionId, fields: scope };
    const origin = { ...rest, session, firstIndex: firstIndex + events.length };
    events.push(...newEvents(context, origin, [detail]));
  }
  return events;
}

/** Things by their scope, in the order in which scopes come first. */
export function byScope<T extends { readonly scope: MemoryScope }>(
  things: readonly T[],
): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const thing of things) {
    const { userId, agentId, sessionId } = thing.scope;
    const key = JSON.stringify([userId, agentId, sessionId]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [thing]);
    else group.push(thing);
  }
  return groups;
}

/** One detail for the memories of each scope. */
export function detailsOf(
  memories: readonly Memory[],
  detailFor: (ids: readonly string[]) => EventDetail,
): ScopedDetail[] {
  return [...byScope(memories).values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    return [{ scope: first.scope, detail: detailFor(group.map(({ memoryId }) => memoryId)) }];
  });
}

/** The details that tell of deleted memories. */
export function deletedDetails(
  memories: readonly Memory[],
  reason: MemoryDeleteReason,
): ScopedDetail[] {
  return detailsOf(memories, (memoryIds) => ({
    type: EVENT_TYPE.memoriesDeleted,
    memoryIds,
    reason,
  }));
}

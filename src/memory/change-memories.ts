// The one way to change memories: it handles repeated calls, the stored answer and the events.

import { decideOnce, doingFirst, type Outcome } from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import { type EventOrigin, newEvents } from "../core/new-events.ts";
import { EVENT_TYPE, type EventDetail, type MemoryDeleteReason } from "../events/rules/event.ts";
import type { Call } from "../kit/call.ts";
import type {
  ErasureProgress,
  MemoryChange,
  MemoryPlan,
  MemoryView,
  NewEvent,
} from "../store/store.ts";
import type { MemoryParts } from "./parts.ts";
import type { MemoryLookup } from "./rules/lookup.ts";
import {
  isMemoryExpired,
  type Memory,
  type MemoryOrigin,
  type MemoryScope,
} from "./rules/memory.ts";
import type { RememberPlan, Stamp } from "./rules/rules.ts";

/** An event of a scope. */
export interface ScopedDetail {
  readonly scope: MemoryScope;
  readonly detail: EventDetail;
}

/** A call that changes memories, and its moment. */
export interface MemoryWork {
  readonly parts: MemoryParts;
  readonly call: Call;
  readonly namespace: string;
  readonly nowMs: number;
}

/** Begins a call that changes memories. */
export function memoryWork(
  parts: MemoryParts,
  call: Call,
  { namespace }: { readonly namespace: string },
): MemoryWork {
  return { parts, call, namespace, nowMs: parts.context.world.nowMs() };
}

/** The outcome of a decision, with its events. */
interface MemoryOutcome extends Outcome<MemoryPlan> {
  readonly details?: readonly ScopedDetail[];
}

/** Changes memories of a namespace for a call. Answers a repeated call as before. */
export async function changeMemories(
  { parts, call, namespace, nowMs }: MemoryWork,
  decide: (view: MemoryView) => MemoryOutcome,
  change: Pick<MemoryChange, "allowWhenFull"> = {},
): Promise<Uint8Array> {
  const { context } = parts;
  const { requestId } = call;
  return await doingFirst(call.signal, () =>
    context.store.changeMemories({ ...change, namespace, requestId }, (view) =>
      decideOnce({ context, call, nowMs }, view, () => {
        const { plan, details = [], answer } = decide(view);
        const at = { namespace, revision: view.revision, nowMs, requestId };
        return { answer, plan: plan && { ...plan, events: memoryEvents(context, at, details) } };
      }),
    ),
  );
}

/** Changes memories of a namespace without a call, unless there are no events to report. */
export async function changeByServer(
  context: ServiceContext,
  namespace: string,
  decide: (
    view: MemoryView,
    nowMs: number,
  ) => {
    readonly plan: MemoryPlan;
    readonly details: readonly ScopedDetail[];
    readonly erasure?: ErasureProgress;
  },
): Promise<void> {
  await context.store.changeMemories<undefined>({ namespace, allowWhenFull: true }, (view) => {
    const nowMs = context.world.nowMs();
    const { plan, details, erasure } = decide(view, nowMs);
    if (details.length === 0) return { kind: "answer", result: undefined };
    const at = { namespace, revision: view.revision, nowMs, requestId: "" };
    const events = memoryEvents(context, at, details);
    return {
      kind: "save",
      result: undefined,
      plan: { ...plan, nowMs, events, ...(erasure && { erasure }) },
    };
  });
}

/** Deletes those of some memories whose time has run out. */
export async function eraseExpiredMemories(
  context: ServiceContext,
  namespace: string,
  memoryIds: readonly string[],
): Promise<void> {
  await changeByServer(context, namespace, ({ memories }, nowMs) => {
    const gone = memoryIds.flatMap((memoryId) => {
      const memory = memories.byId(memoryId);
      return memory !== undefined && isMemoryExpired(memory, nowMs) ? [memory] : [];
    });
    return { plan: { remove: gone.map(idOf) }, details: deletedDetails(gone, "expired") };
  });
}

/** The id of a memory. */
export function idOf({ memoryId }: Memory): string {
  return memoryId;
}

/** The author of a change, for the rules. Ids are made only where new memories may be created. */
export function stampOf(
  { call, nowMs }: Pick<MemoryWork, "call" | "nowMs">,
  revision: number,
  reason = "",
): Stamp {
  const newId = (): string => {
    throw new Error("A change that makes no memories asked for an id.");
  };
  return { revision, nowMs, writer: call.writer, reason, newId };
}

/** The events of a change of memories, ready for its plan, in the order of `details`. */
function memoryEvents(
  context: ServiceContext,
  at: Omit<EventOrigin, "session" | "firstIndex"> & { readonly namespace: string },
  details: readonly ScopedDetail[],
): NewEvent[] {
  const { namespace, ...rest } = at;
  const events: NewEvent[] = [];
  for (const { scope, detail } of details) {
    const session = { namespace, sessionId: scope.sessionId, fields: scope };
    const origin = { ...rest, session, firstIndex: events.length };
    events.push(...newEvents(context, origin, [detail]));
  }
  return events;
}

/** The events of memories of which only the ids are reported, one for each scope. */
export function detailsOf(
  memories: readonly Memory[],
  type: typeof EVENT_TYPE.memoriesReinforced | typeof EVENT_TYPE.memoriesDecayed,
): ScopedDetail[] {
  return eachScope(memories, (group) => ({ type, memoryIds: group.map(idOf) }));
}

/** The events of deleted memories, one for each scope. */
export function deletedDetails(
  memories: readonly Memory[],
  reason: MemoryDeleteReason,
): ScopedDetail[] {
  const type = EVENT_TYPE.memoriesDeleted;
  return eachScope(memories, (group) => ({ type, memoryIds: group.map(idOf), reason }));
}

/** An event for each scope, in the order of their first memories. */
function eachScope(
  memories: readonly Memory[],
  detailFor: (group: readonly Memory[]) => EventDetail,
): ScopedDetail[] {
  const groups = Map.groupBy(memories, ({ scope: { userId, agentId, sessionId } }) =>
    JSON.stringify([userId, agentId, sessionId]),
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ scope: first.scope, detail: detailFor(group) }];
  });
}

/** The events of a plan of planRemember, scope by scope. Empty when it changes nothing. */
export function rememberDetails(
  plan: RememberPlan,
  lookup: Pick<MemoryLookup, "byId">,
  origin: MemoryOrigin,
): ScopedDetail[] {
  const put = new Map(plan.put.map((memory) => [memory.memoryId, memory]));
  const stored = (ids: readonly string[]): readonly Memory[] =>
    ids.flatMap((id) => put.get(id) ?? lookup.byId(id) ?? []);
  const evicted = new Set(plan.evictedIds);
  // A memory that was created and removed at once is in neither list of the plan.
  const gone = stored(plan.remove.filter((id) => evicted.has(id)));
  const expired = stored(plan.remove.filter((id) => !evicted.has(id)));
  const created = new Set(stored(plan.createdIds));
  const remembered = eachScope([...created, ...stored(plan.updatedIds)], (group) => ({
    type: EVENT_TYPE.memoriesRemembered,
    memoryIds: group.filter((memory) => created.has(memory)).map(idOf),
    updatedIds: group.filter((memory) => !created.has(memory)).map(idOf),
    contradictingIds: group.filter(({ contradictsIds }) => contradictsIds.length > 0).map(idOf),
    origin,
  }));
  return [
    ...deletedDetails(expired, "expired"),
    ...remembered,
    ...detailsOf(stored(plan.reinforcedIds), EVENT_TYPE.memoriesReinforced),
    ...deletedDetails(gone, "evicted"),
  ];
}

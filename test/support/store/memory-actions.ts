// Changes to memories and to their jobs in tests of the storage: plain data, decided by pure
// functions, like the actions of actions.ts.

import { EVENT_TYPE } from "../../../src/events/rules/event.ts";
import { sessionNotFound } from "../../../src/kit/errors.ts";
import type { MemoryJob, MemoryJobType } from "../../../src/memory/rules/job.ts";
import type { MemoryLookup } from "../../../src/memory/rules/lookup.ts";
import {
  MEMORY_TIERS,
  type Memory,
  type MemoryKind,
  type MemoryScope,
  SHARED_SCOPE,
} from "../../../src/memory/rules/memory.ts";
import { nameKeyOf, promotionKeyOf, textKeyOf } from "../../../src/memory/rules/text-key.ts";
import type { MemoryPlan, SessionPlan, Store } from "../../../src/store/store.ts";
import { TRUST } from "../../../src/summary/rules/summary.ts";
import { type ActionBase, eventsOf, isYoung } from "./action-types.ts";
import { newDocument } from "./documents.ts";
import { newJob, newMemory, structureOf } from "./memories.ts";
import { newEvent, newReply } from "./plans.ts";

/** Change to one memory; an existing one gets a new state or more strength. */
export interface MemoryDraft {
  readonly memoryId: string;
  readonly kind: MemoryKind;
  readonly scope: MemoryScope;
  readonly text: string;
  readonly key?: string;
  readonly importance?: number;
  readonly persistent?: boolean;
  readonly ttlMs?: number;
  readonly past?: boolean;
  /** Messages of the session `s` that say it. */
  readonly messageIds?: readonly string[];
  /** Of one that exists: no new state. */
  readonly strengthen?: boolean;
}

/** A batch of changes to memories. */
export interface MemoryWork {
  readonly put?: readonly MemoryDraft[];
  /** Ids; those that are not there, or are put, are left out. */
  readonly remove?: readonly string[];
  readonly promoted?: readonly { readonly scope: MemoryScope; readonly text: string }[];
  /** Number of evicted memories of each tier of the first scope. */
  readonly evict?: number;
}

/** Changes memories. */
export interface MemoryAction extends ActionBase, MemoryWork {
  readonly kind: "memories";
}

/** Changes memories, jobs and documents together with a session. */
export interface TurnAction extends ActionBase, MemoryWork {
  readonly kind: "turn";
  readonly jobs: readonly {
    readonly type: MemoryJobType;
    /** Undefined removes it. */
    readonly dueMs: number | undefined;
    readonly dead?: boolean;
  }[];
  /** The collection and the id of a document to write. */
  readonly document?: { readonly collectionId: string; readonly documentId: string };
  /** The seq of a message to look at. */
  readonly seq?: number;
}

/** Observations and effects of a change to memories. */
export interface MemoryResult {
  readonly revision: number;
  readonly saved: boolean;
  readonly seen: readonly unknown[];
  readonly replayed?: true;
}

function shortOf(memory: Memory): string {
  const { content, memoryId, memoryNo, version, state, strength } = memory;
  return [memoryNo, memoryId, version, state, strength.mentionCount, content.text].join("|");
}

/** Everything that a lookup tells of a draft. */
function lookAt(lookup: MemoryLookup, draft: MemoryDraft): unknown {
  const { kind, scope, text } = draft;
  const structure = structureOf(kind, text);
  const { content } = newMemory({ memoryId: "", memoryNo: 1, kind, content: { text, structure } });
  const names = text.split(" ").map(nameKeyOf);
  const list = (found: readonly Memory[]) => found.map(shortOf).join(", ");
  const known = lookup.byId(draft.memoryId);
  const byName = names.map((name) => lookup.byName(scope, name)).flatMap((one) => one ?? []);
  return [
    known === undefined ? "none" : shortOf(known),
    list(lookup.byText(scope, kind, textKeyOf({ kind, content }))),
    list(lookup.byKey(scope, draft.key ?? "")),
    list(lookup.pastByKey(scope, draft.key ?? "")),
    list(byName),
    names.map((name) => list(lookup.bySubject(scope, name, 3))),
    names.map((name) => list(lookup.pastBySubject(scope, name, 3))),
    list(lookup.newest(scope, new Set([kind, "fact"]), 3)),
    (draft.messageIds ?? []).map((id) => list(lookup.bySource("s", id, 3))),
    MEMORY_TIERS.map((tier) => lookup.count(scope, tier)).join(),
    MEMORY_TIERS.map((tier) => list(lookup.evictable(scope, tier, 3))),
  ];
}

interface Stamp {
  readonly nowMs: number;
  readonly revision: number;
}

function sourceOf({ messageIds }: MemoryDraft): Memory["source"] | undefined {
  if (messageIds === undefined) return undefined;
  return { origin: "promotion", sessionId: "s", messageIds, hook: "", model: "" };
}

/** The memory of a draft. */
function memoryOf(draft: MemoryDraft, old: Memory | undefined, no: number, at: Stamp): Memory {
  const { importance = 0.5, key = "", past = false, persistent = false, text, ttlMs = 0 } = draft;
  const etagRevision = at.revision;
  if (old !== undefined && draft.strengthen === true) {
    const { confidence, mentionCount } = old.strength;
    const strength = {
      confidence: confidence / 2,
      mentionCount: mentionCount + 1,
      lastSeenMs: at.nowMs,
      decayMs: at.nowMs + 1,
    };
    return { ...old, strength, etagRevision, source: sourceOf(draft) ?? old.source };
  }
  const { kind, scope } = old ?? draft;
  const source = sourceOf(draft);
  return newMemory({
    memoryId: draft.memoryId,
    memoryNo: old?.memoryNo ?? no,
    kind,
    scope,
    content: { text, structure: structureOf(kind, text), key, importance },
    strength: old?.strength ?? { lastSeenMs: at.nowMs },
    persistent,
    ttlMs,
    ...(source === undefined ? {} : { source }),
    trust: importance < 0.5 ? TRUST.low : TRUST.medium,
    state: past ? "superseded" : "active",
    supersededBy: past ? "another" : "",
    version: (old?.version ?? 0) + 1,
    createMs: old?.createMs ?? at.nowMs,
    updateMs: Math.max(old?.updateMs ?? 0, at.nowMs),
    etagRevision,
  });
}

/** The plan of what is done to memories, and what was seen of them. */
export function memoryPlan(
  lookup: MemoryLookup,
  work: MemoryWork,
  at: Stamp,
): { readonly plan: MemoryPlan; readonly seen: readonly unknown[] } {
  const drafts = work.put ?? [];
  let next = lookup.nextMemoryNo;
  const seen: unknown[] = [next, ...drafts.map((draft) => lookAt(lookup, draft))];
  const put = drafts.map((draft) => {
    const old = lookup.byId(draft.memoryId);
    return memoryOf(draft, old, old === undefined ? next++ : 0, at);
  });
  const scope = drafts[0]?.scope ?? SHARED_SCOPE;
  const evicted = MEMORY_TIERS.flatMap((tier) => lookup.evictable(scope, tier, work.evict ?? 0));
  const taken = new Set(put.map(({ memoryId }) => memoryId));
  const ids = [...(work.remove ?? []), ...evicted.map(({ memoryId }) => memoryId)];
  const remove = [...new Set(ids)].filter((id) => !taken.has(id) && lookup.byId(id) !== undefined);
  const promoted = (work.promoted ?? []).map(({ scope: of, text }) => ({
    scope: of,
    promotionKey: promotionKeyOf(text),
  }));
  for (const one of promoted) seen.push(lookup.wasPromoted(one.scope, one.promotionKey));
  return { plan: { put, remove, promoted }, seen };
}

function replayedOf(bytes: Uint8Array): MemoryResult {
  return { ...(JSON.parse(Buffer.from(bytes).toString()) as MemoryResult), replayed: true };
}

function requestOf({ requestId }: ActionBase): { readonly requestId?: string } {
  return requestId === undefined ? {} : { requestId };
}

/** Does an action of memories. Nothing to do is an answer. */
export function changeMemories(store: Store, action: MemoryAction): Promise<MemoryResult> {
  const { namespace, nowMs } = action;
  return store.changeMemories<MemoryResult>({ namespace, ...requestOf(action) }, (view) => {
    if (isYoung(view.reply, nowMs)) return { kind: "answer", result: replayedOf(view.reply.bytes) };
    const { revision } = view;
    const { plan, seen } = memoryPlan(view.memories, action, { nowMs, revision });
    const { promoted = [], put = [], remove = [] } = plan;
    const saved = put.length + remove.length + promoted.length > 0;
    const result = { revision, saved, seen };
    if (!saved) return { kind: "answer", result };
    const events = [newEvent({ namespace, sessionId: "" }, { createMs: nowMs })];
    const reply = newReply(JSON.stringify(result), nowMs);
    return { kind: "save", result, plan: { ...plan, nowMs, events, reply } };
  });
}

function jobsOf(action: TurnAction, old: readonly MemoryJob[], revision: number) {
  const put = action.jobs.map(({ dead = false, dueMs, type }) => {
    const before = old.find((job) => job.type === type);
    const generation = (before?.generation ?? 0) + 1;
    const createRevision = before?.createRevision ?? revision;
    const state = dead ? ("dead" as const) : ("ready" as const);
    const due = dead ? 0 : (dueMs ?? 0);
    const parts = { dueMs: due, generation, createRevision, state };
    const job = dueMs === undefined ? undefined : newJob(type, parts);
    return { type, job };
  });
  return { put: [...new Map(put.map((one) => [one.type, one])).values()] };
}

/** Does an action of a session and of what stands beside it. */
export function turn(store: Store, action: TurnAction): Promise<MemoryResult> {
  const { document, namespace, nowMs, sessionId } = action;
  const change = { namespace, sessionId, ...requestOf(action) };
  return store.changeSession<MemoryResult>(change, (view) => {
    if (isYoung(view.reply, nowMs)) return { kind: "answer", result: replayedOf(view.reply.bytes) };
    const messages = action.seq === undefined ? [] : view.messagesAt([action.seq]);
    const { revision, session } = view;
    if (session === undefined) throw sessionNotFound(sessionId);
    const { plan: memories, seen } = memoryPlan(view.memories, action, { nowMs, revision });
    const jobs = view.memoryJobs();
    const of = document && { ...document, namespace, documentIds: [document.documentId] };
    const documents = of && view.documents({ ...of, sourceIds: [] });
    const known = documents?.documents.get(document?.documentId ?? "");
    const head = { ...session.head, updateMs: nowMs, revision };
    const beside = [jobs, messages[0]?.messageId, known?.documentNo, documents?.nextDocumentNo];
    const result = { revision, saved: true, seen: [...seen, ...beside] };
    const documentNo = known?.documentNo ?? documents?.nextDocumentNo ?? 0;
    const plan: SessionPlan = {
      head,
      memories,
      memoryJobs: jobsOf(action, jobs, revision),
      ...(of === undefined
        ? {}
        : {
            documents: {
              ...of,
              sourceIds: [],
              plan: {
                nowMs,
                put: [
                  newDocument({ documentId: of.documentId, documentNo, etagRevision: revision }),
                ],
              },
            },
          }),
      events: eventsOf(action, view, { ...session, head }, [EVENT_TYPE.sessionUpdated]),
      reply: newReply(JSON.stringify(result), nowMs),
    };
    return { kind: "save", result, plan };
  });
}

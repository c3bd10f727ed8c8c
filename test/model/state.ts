// The state of the memory engine: plain maps, one per namespace, so that what belongs to one
// namespace cannot be seen from another.

import type { Erasure } from "../../src/erase/rules/erasure.ts";
import { type EventPosition, STREAM_START } from "../../src/events/rules/event.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import type { MemoryJob } from "../../src/memory/rules/job.ts";
import type { Memory } from "../../src/memory/rules/memory.ts";
import type { FullRecord } from "../../src/records/rules/record.ts";
import type { RecordUpload } from "../../src/records/rules/upload.ts";
import type { Session, SessionRef } from "../../src/session/rules/session.ts";
import type { MemoryFacts } from "../../src/store/memory-facts.ts";
import type {
  Commit,
  Consumer,
  NewEvent,
  ReadFacts,
  StoredDocument,
  StoredEvent,
  StoredPayload,
  StoredReply,
  VectorRecord,
} from "../../src/store/store.ts";
import type { SummaryRecord } from "../../src/summary/rules/summary.ts";
import type { Task, TaskUsage } from "../../src/tasks/rules/task.ts";
import type { SeqRange } from "../../src/window/rules/types.ts";

/** An upload with the bytes of its parts. */
export type HeldUpload = RecordUpload & { readonly bytes: Uint8Array };

/** A message of a log. */
export interface LogMessage {
  readonly messageId: string;
  readonly bytes: Uint8Array;
}

/** A session with its log. */
export interface SessionState {
  /** Rises by creation over the whole store. */
  readonly sessionNo: number;
  session: Session;
  /** By rising seq. */
  log: Map<number, LogMessage>;
  /** For every seq that was the newest at some time: the window then. */
  windows: Map<number, readonly SeqRange[]>;
  /** By version. */
  summaries: Map<number, SummaryRecord>;
}

/** A collection; one that was emptied keeps its next number. */
export interface CollectionState {
  nextDocumentNo: number;
  createMs: number;
  updateMs: number;
  /** By id. */
  readonly documents: Map<string, StoredDocument>;
}

/** Number of promoted texts that a scope remembers. */
export const PROMOTED_MAX = LIMITS.promotedTexts;

/** A memory with its former states. */
export interface KeptMemory {
  readonly memory: Memory;
  readonly facts: MemoryFacts;
  /** The newest first. */
  readonly former: readonly Memory[];
  /** Another object whenever the text changes. */
  readonly text: { readonly value: string; readonly bytes: Uint8Array };
}

/** The state of one namespace. */
export interface NamespaceState {
  /** By id, in the order of creation. */
  readonly sessions: Map<string, SessionState>;
  readonly consumers: Map<string, Consumer>;
  readonly replies: Map<string, StoredReply>;
  /** By id; those that were emptied too. */
  readonly collections: Map<string, CollectionState>;
  /** By id. */
  readonly memories: Map<string, KeptMemory>;
  nextMemoryNo: number;
  /** When scopes last changed, by scope id. */
  readonly scopeTimes: Map<string, number>;
  /** Promoted texts by scope id, the oldest first. */
  readonly promoted: Map<string, Map<string, string>>;
  /** By session id and type. */
  readonly memoryJobs: Map<string, Map<string, MemoryJob>>;
  /** Records that callers keep by name, by id. */
  readonly records: Map<string, FullRecord>;
  readonly uploads: Map<string, HeldUpload>;
  /** By number. */
  readonly tasks: Map<number, Task>;
  /** By id, with their marks. */
  readonly erasures: Map<string, { readonly erasure: Erasure; readonly marks: Set<string> }>;
  /** The newest event, kept or not. */
  newest: EventPosition;
  /** The newest event that is no longer kept. */
  dropped: EventPosition;
}

/** The state of a store. */
export interface MemoryState {
  readonly storeId: string;
  readonly historyId: string;
  readonly namespaces: Map<string, NamespaceState>;
  /** The usage of hooks, by hour, namespace and hook. */
  readonly usage: Map<string, TaskUsage>;
  /** By place, with the message or the document that they count for. */
  readonly vectors: Map<string, { readonly of: object; readonly record: VectorRecord }>;
  /** By the object of their document, which is another one whenever it is replaced. */
  readonly payloads: Map<object, StoredPayload>;
  /** When namespaces were last recalled. */
  readonly recalled: Map<string, number>;
  nextSessionNo: number;
  /** The events of all namespaces that are kept, in order. */
  events: StoredEvent[];
}

/** The parts that the engine shares. */
export interface MemoryParts {
  readonly state: MemoryState;
  readonly readFacts: ReadFacts;
  /** Does a step in its turn. */
  readonly run: <T>(step: () => T) => Promise<T>;
  /** Gives the events of a change the next revision of their namespace, and tells of it. */
  readonly publish: (
    namespace: string,
    events: readonly NewEvent[],
    changed?: Partial<Changed>,
  ) => void;
}

/** The changes of a commit beside its events. */
export type Changed = Omit<Commit, "events">;

/** Makes the state of an empty store. */
export function newMemoryState(storeId: string): MemoryState {
  return {
    storeId,
    historyId: storeId,
    namespaces: new Map(),
    usage: new Map(),
    vectors: new Map(),
    payloads: new Map(),
    recalled: new Map(),
    nextSessionNo: 1,
    events: [],
  };
}

/** The state of a namespace; made when it is not there. */
export function namespaceOf(state: MemoryState, namespace: string): NamespaceState {
  let found = state.namespaces.get(namespace);
  if (found === undefined) {
    found = {
      sessions: new Map(),
      consumers: new Map(),
      replies: new Map(),
      collections: new Map(),
      memories: new Map(),
      nextMemoryNo: 1,
      scopeTimes: new Map(),
      promoted: new Map(),
      memoryJobs: new Map(),
      records: new Map(),
      uploads: new Map(),
      tasks: new Map(),
      erasures: new Map(),
      newest: STREAM_START,
      dropped: STREAM_START,
    };
    state.namespaces.set(namespace, found);
  }
  return found;
}

/** The revision that the next change of a namespace gets. */
export function nextRevision(state: MemoryState, namespace: string): number {
  return namespaceOf(state, namespace).newest.revision + 1;
}

/** The state of a session; undefined when there is none. */
export function sessionOf(state: MemoryState, ref: SessionRef): SessionState | undefined {
  return state.namespaces.get(ref.namespace)?.sessions.get(ref.sessionId);
}

/** The earlier answer to a request id; an empty id has none. */
export function replyOf(
  state: MemoryState,
  namespace: string,
  requestId: string | undefined,
): StoredReply | undefined {
  if (requestId === undefined || requestId === "") return undefined;
  return state.namespaces.get(namespace)?.replies.get(requestId);
}

/** Remembers the answer to a request id. */
export function rememberReply(
  state: MemoryState,
  namespace: string,
  requestId: string | undefined,
  reply: StoredReply | undefined,
): void {
  if (reply === undefined || requestId === undefined || requestId === "") return;
  namespaceOf(state, namespace).replies.set(requestId, reply);
}

/** Maximum number of marks of an answer; one about more is treated as one about anybody. */
const MARKS_MAX = 16;

/** An answer with the marks of its subject; undefined: they are not known. */
export function marked(
  reply: StoredReply | undefined,
  about: readonly string[] | undefined,
): StoredReply | undefined {
  if (reply === undefined || about === undefined) return reply;
  const marks = [...new Set(about)];
  return marks.length > MARKS_MAX ? reply : { ...reply, about: marks };
}

/** Whether a seq lies in one of the runs. */
export function inRanges(ranges: readonly SeqRange[], seq: number): boolean {
  return ranges.some((range) => range.first <= seq && seq <= range.last);
}

/** The part of the runs up to a seq. */
export function rangesUpTo(ranges: readonly SeqRange[], last: number): readonly SeqRange[] {
  return ranges
    .filter((range) => range.first <= last)
    .map((range) => ({ first: range.first, last: Math.min(range.last, last) }));
}

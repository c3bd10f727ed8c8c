// Operations of the simulation on a store, as plain data, so that an operation is applied to two
// engines alike, printed, and played again.

import { setTimeout as sleep } from "node:timers/promises";
import type { EventType } from "../../src/events/rules/event.ts";
import { AppError } from "../../src/kit/errors.ts";
import { type RecordName, recordId } from "../../src/records/rules/record.ts";
import type { SessionRef } from "../../src/session/rules/session.ts";
import type {
  CollectionRef,
  DueQuery,
  FoundMessage,
  MaintenancePlan,
  MessageSearch,
  RecordPathQuery,
  RecordQuery,
  SessionQuery,
  Store,
  TaskQuery,
  ValueRange,
  VectorPlace,
} from "../../src/store/store.ts";
import type { Role } from "../../src/window/rules/types.ts";
import { plain } from "../support/kit/plain.ts";
import { type ActionBase, isYoung, type SessionAction } from "../support/store/action-types.ts";
import { act } from "../support/store/actions.ts";
import {
  allCollections,
  allDocuments,
  changeDocuments,
  type DocumentAction,
  saveVectors,
  type VectorAction,
} from "../support/store/documents.ts";
import { sessionView } from "../support/store/dump.ts";
import { type ForkAction, fork } from "../support/store/fork.ts";
import {
  changeMemories,
  type MemoryAction,
  type TurnAction,
  turn,
} from "../support/store/memory-actions.ts";
import { newReply } from "../support/store/plans.ts";
import {
  allConsumers,
  allEvents,
  allFound,
  allMessages,
  allSessions,
  allSummaries,
  allTasks,
  messageView,
} from "../support/store/read-all.ts";
import {
  allRecordPaths,
  allRecords,
  changeRecords,
  changeUpload,
  type RecordAction,
  type UploadAction,
} from "../support/store/records.ts";
import { revisionOf } from "../support/store/revisions.ts";
import { changeTask, type TaskAction, type WorkAction, work } from "../support/store/work.ts";
import { type MemoryRead, readMemories } from "./read-memories.ts";

/** A change of a consumer. `sessionId` names the consumer. */
export interface ConsumerOperation extends ActionBase {
  readonly kind: "consumer";
  readonly revision: number;
  readonly remove: boolean;
}

/** Lets records live on. */
export interface RefreshOperation {
  readonly kind: "refresh-records";
  readonly namespace: string;
  readonly names: readonly RecordName[];
  readonly nowMs: number;
}

/** Lets documents live on. */
export interface DocumentRefresh extends CollectionRef {
  readonly kind: "refresh-documents";
  readonly documentIds: readonly string[];
  readonly nowMs: number;
}

/** A read; its answer must be the same on both engines. */
export type ReadOperation = SessionRef &
  (
    | { readonly kind: "read-message"; readonly messageId: string }
    | { readonly kind: "read-window-at"; readonly seq: number }
    | {
        readonly kind: "list-messages";
        readonly firstSeq: number;
        readonly lastSeq: number;
        readonly order: "asc" | "desc";
        readonly roles?: readonly Role[];
        readonly limit: number;
      }
    | { readonly kind: "list-sessions"; readonly query: SessionQuery }
    | { readonly kind: "find-messages"; readonly query: MessageSearch }
    | {
        readonly kind: "list-events";
        readonly session: boolean;
        readonly userId?: string;
        readonly types?: readonly EventType[];
        readonly limit: number;
        readonly maxBytes: number;
        /** Distance of the start from the newest revision, in revisions. */
        readonly back: number;
      }
    | { readonly kind: "list-consumers"; readonly limit: number }
    | { readonly kind: "list-tasks"; readonly query: Omit<TaskQuery, "after"> }
    | { readonly kind: "due-tasks"; readonly query: DueQuery }
    | {
        readonly kind: "list-summaries";
        readonly order: "asc" | "desc";
        readonly limit: number;
        readonly maxBytes: number;
      }
    | { readonly kind: "expired"; readonly nowMs: number }
    | {
        readonly kind: "list-collections";
        readonly limit: number;
        readonly parent: string;
        readonly maxDepth: number;
      }
    /** `sessionId` names the collection. */
    | { readonly kind: "list-documents"; readonly limit: number }
    | { readonly kind: "read-document"; readonly documentId: string }
    | { readonly kind: "document-lives"; readonly documentIds: readonly string[] }
    | { readonly kind: "expired-documents"; readonly nowMs: number }
    | { readonly kind: "read-vectors"; readonly places: readonly VectorPlace[] }
    | { readonly kind: "recalled" }
    | { readonly kind: "list-records"; readonly query: Omit<RecordQuery, "after"> }
    | { readonly kind: "list-record-paths"; readonly query: Omit<RecordPathQuery, "start"> }
    | {
        readonly kind: "read-records";
        readonly names: readonly RecordName[];
        readonly valuesMax: number;
      }
    | ({
        readonly kind: "read-record-range";
        readonly name: RecordName;
      } & ValueRange)
    | { readonly kind: "expired-records"; readonly nowMs: number }
    | MemoryRead
  );

export type Operation =
  | SessionAction
  | ForkAction
  | ConsumerOperation
  | WorkAction
  | TaskAction
  | DocumentAction
  | RecordAction
  | UploadAction
  | RefreshOperation
  | DocumentRefresh
  | VectorAction
  | MemoryAction
  | TurnAction
  | { readonly kind: "note-recalled"; readonly namespace: string; readonly ms: number }
  | ReadOperation
  | { readonly kind: "maintain"; readonly plan: MaintenancePlan }
  /** Closes and opens again, or opens what a killed process would have left. */
  | { readonly kind: "reopen"; readonly killed: boolean }
  /** Lets the engine do what it does when there is nothing else to do. */
  | { readonly kind: "pause" };

/** Outcome of an operation, in a form that can be compared. */
export type Outcome =
  | { readonly ok: unknown }
  | { readonly error: { readonly reason: string; readonly message: string } }
  /** Something was thrown that is no AppError: a fault, of the engine or of the simulation. */
  | { readonly fault: string };

/** Applies an operation to a store. */
export async function applyTo(store: Store, operation: Operation): Promise<Outcome> {
  try {
    return { ok: plain(await perform(store, operation)) };
  } catch (error) {
    if (!(error instanceof AppError)) {
      return { fault: error instanceof Error ? `${error.stack}` : String(error) };
    }
    return { error: { reason: error.reason, message: error.message } };
  }
}

const PAUSE_MS = 70;

function perform(store: Store, operation: Operation): Promise<unknown> {
  switch (operation.kind) {
    case "fork":
      return fork(store, operation);
    case "consumer":
      return changeConsumer(store, operation);
    case "work":
      return work(store, operation);
    case "task":
      return changeTask(store, operation);
    case "documents":
      return changeDocuments(store, operation);
    case "records":
      return changeRecords(store, operation);
    case "upload":
      return changeUpload(store, operation);
    case "refresh-records":
      return store.refreshRecords(operation.namespace, operation.names, operation.nowMs);
    case "refresh-documents":
      return store.refreshDocuments(operation, operation.documentIds, operation.nowMs);
    case "vectors":
      return saveVectors(store, operation);
    case "memories":
      return changeMemories(store, operation);
    case "turn":
      return turn(store, operation);
    case "note-recalled":
      return store.noteRecalled(operation.namespace, operation.ms);
    case "maintain":
      return maintain(store, operation.plan);
    case "pause":
      return sleep(PAUSE_MS);
    case "reopen":
      throw new Error("An engine is opened again by the simulation.");
    case "read-message":
    case "read-window-at":
    case "list-messages":
    case "list-sessions":
    case "find-messages":
    case "list-events":
    case "list-consumers":
    case "list-tasks":
    case "due-tasks":
    case "list-summaries":
    case "expired":
    case "list-collections":
    case "list-documents":
    case "read-document":
    case "document-lives":
    case "expired-documents":
    case "read-vectors":
    case "recalled":
    case "list-records":
    case "list-record-paths":
    case "read-records":
    case "read-record-range":
    case "expired-records":
      return read(store, operation);
    case "list-memories":
    case "ranked-memories":
    case "read-entities":
    case "query-relations":
    case "memory-revisions":
    case "memory-times":
      return readMemories(store, operation);
    default:
      return act(store, operation);
  }
}

function changeConsumer(store: Store, operation: ConsumerOperation): Promise<unknown> {
  const { namespace, sessionId: consumerId, requestId, nowMs, revision } = operation;
  const change = { namespace, consumerId, ...(requestId === undefined ? {} : { requestId }) };
  return store.changeConsumer<unknown>(change, (view) => {
    if (isYoung(view.reply, nowMs)) return { kind: "answer", result: view.reply };
    const { count, consumer } = view;
    const position = { revision, index: 0 };
    const createMs = consumer?.createMs ?? nowMs;
    const after = { consumerId, position, createMs, updateMs: nowMs };
    return {
      kind: "save",
      result: { count, before: consumer },
      consumer: operation.remove ? undefined : after,
      reply: newReply(JSON.stringify({ consumerId, revision, count }), nowMs),
    };
  });
}

async function maintain(store: Store, plan: MaintenancePlan): Promise<undefined> {
  for (let step = 0; step < 100_000; step += 1) {
    if (!(await store.maintain(plan))) return;
  }
  throw new Error("Upkeep does not end.");
}

async function read(store: Store, operation: Exclude<ReadOperation, MemoryRead>): Promise<unknown> {
  const { namespace, sessionId } = operation;
  const ref = { namespace, sessionId };
  switch (operation.kind) {
    case "read-message": {
      const message = await store.readMessage(ref, operation.messageId);
      return message && messageView(message);
    }
    case "read-window-at": {
      const past = await store.readWindowAt(ref, operation.seq);
      return past && { session: sessionView(past.session), window: past.window };
    }
    case "list-messages": {
      const { firstSeq, lastSeq, order, limit, roles } = operation;
      const query = { firstSeq, lastSeq, order, limit };
      const only = roles === undefined ? {} : { roles: new Set(roles) };
      return await allMessages(store, ref, { ...query, ...only });
    }
    case "list-sessions":
      return {
        sessions: (await allSessions(store, operation.query)).map(sessionView),
        total: await store.countSessions(operation.query),
        namespaces: await store.listNamespaces("", 100),
      };
    case "find-messages":
      return (await allFound(store, operation.query)).map(foundView);
    case "list-events":
      return await listEvents(store, operation);
    case "list-consumers":
      return await allConsumers(store, namespace, operation.limit);
    case "list-tasks":
      return await allTasks(store, operation.query);
    case "due-tasks": {
      const { hook, nowMs } = operation.query;
      const due = await store.dueTasks(operation.query);
      return { due, next: await store.nextDueMs(hook, nowMs) };
    }
    case "list-summaries": {
      const { order, limit, maxBytes } = operation;
      return await allSummaries(store, ref, { order, limit, maxBytes });
    }
    case "expired":
      return (await store.expiredSessions(operation.nowMs, 10_000))
        .map((expired) => `${expired.namespace} ${expired.sessionId}`)
        .sort();
    case "list-collections":
      return await allCollections(store, namespace, operation.limit, operation);
    case "list-documents":
      return await allDocuments(store, { namespace, collectionId: sessionId }, operation.limit);
    case "read-document":
      return await readDocument(store, operation);
    case "document-lives":
    case "expired-documents":
      return await readLives(store, operation);
    case "read-vectors":
      return await store.readVectors(operation.places);
    case "list-records":
    case "list-record-paths":
    case "read-records":
    case "read-record-range":
    case "expired-records":
      return await readRecords(store, operation);
    case "recalled":
      return await store.recalledNamespaces();
  }
}

type RecordRead = Extract<
  ReadOperation,
  {
    readonly kind:
      | "list-records"
      | "list-record-paths"
      | "read-records"
      | "read-record-range"
      | "expired-records";
  }
>;

async function readRecords(store: Store, operation: RecordRead): Promise<unknown> {
  const { namespace } = operation;
  switch (operation.kind) {
    case "list-records":
      return await allRecords(store, operation.query);
    case "list-record-paths":
      return await allRecordPaths(store, operation.query);
    case "read-records":
      return [...(await store.readRecords(namespace, operation.names, operation.valuesMax))];
    case "read-record-range":
      return await store.readRecordRange(namespace, operation.name, operation);
    case "expired-records":
      return [
        ...(await store.expiredRecords(operation.nowMs, 10_000)).map(
          (expired) => `${expired.namespace} ${recordId(expired)}`,
        ),
        ...(await store.expiredUploads(operation.nowMs, 10_000)).map(
          (expired) => `${expired.namespace} upload ${expired.uploadId}`,
        ),
      ].sort();
  }
}

async function readDocument(
  store: Store,
  operation: Extract<ReadOperation, { readonly kind: "read-document" }>,
): Promise<unknown> {
  const of = { namespace: operation.namespace, collectionId: operation.sessionId };
  const { documentId } = operation;
  return [await store.readDocument(of, documentId), await store.readPayload(of, documentId)];
}

async function readLives(
  store: Store,
  operation: Extract<ReadOperation, { readonly kind: "document-lives" | "expired-documents" }>,
): Promise<unknown> {
  if (operation.kind === "document-lives") {
    const of = { namespace: operation.namespace, collectionId: operation.sessionId };
    return [...(await store.readDocumentLives(of, operation.documentIds))];
  }
  return (await store.expiredDocuments(operation.nowMs, 10_000))
    .map(({ namespace, collectionId, documentId }) => `${namespace} ${collectionId} ${documentId}`)
    .sort();
}

async function listEvents(
  store: Store,
  operation: Extract<ReadOperation, { readonly kind: "list-events" }>,
): Promise<unknown> {
  const { namespace, sessionId, session, userId, types, limit, maxBytes, back } = operation;
  const revision = Math.max(0, (await revisionOf(store, namespace)) - back);
  return await allEvents(store, {
    namespace,
    after: { revision, index: 0 },
    limit,
    maxBytes,
    ...(session ? { sessionId } : {}),
    ...(userId === undefined ? {} : { userId }),
    ...(types === undefined ? {} : { types: new Set(types) }),
  });
}

function foundView(found: FoundMessage): FoundMessage {
  return { ...messageView(found), sessionId: found.sessionId };
}

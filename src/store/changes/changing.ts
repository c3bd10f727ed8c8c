// Changes at the pending state: what decide decides is applied at once, and the promise settles
// when everything that it was based on and everything that it saved is durable.

import { mark } from "../../erase/rules/erasure.ts";
import { recordId } from "../../records/rules/record.ts";
import { ownerOf, type SessionRef } from "../../session/rules/session.ts";
import type {
  ConsumerDecision,
  ConsumerRef,
  ConsumerView,
  DocumentChange,
  DocumentDecision,
  DocumentView,
  ErasureChange,
  ErasureDecision,
  ErasureView,
  MemoryChange,
  MemoryDecision,
  MemoryView,
  RecordChange,
  RecordDecision,
  RecordView,
  SessionChange,
  SessionDecision,
  SessionView,
  StoredReply,
  TaskChange,
  TaskDecision,
  TaskView,
  UploadDecision,
  UploadRef,
  UploadView,
} from "../store.ts";
import type { Core } from "../tables/core.ts";
import { CONSUMER, REPLY } from "../tables/event-tables.ts";
import { PendingMemories, readsOf } from "../tables/memory-lookup.ts";
import { RECORD, RECORD_UPLOAD } from "../tables/records.ts";
import { applyConsumer, consumerView, pendingReply, saveReply } from "../tables/replies.ts";
import { openSession } from "../tables/sessions.ts";
import { TASK, USAGE } from "../tables/task-tables.ts";
import { applyTask, taskView } from "../tables/tasks.ts";
import { aboutSession, applyPlan, type Looks, viewOf } from "./change.ts";
import { applyDocuments, documentsView } from "./document-changes.ts";
import { applyErasure, erasureView } from "./erasures.ts";
import { applyMemories } from "./memory-changes.ts";
import { applyRecords, applyUpload, recordsView, uploadView } from "./record-changes.ts";

interface Request {
  readonly namespace: string;
  readonly requestId?: string;
  readonly allowWhenFull?: boolean;
}

interface Answer<T> {
  readonly kind: "answer";
  readonly result: T;
  readonly reply?: StoredReply;
}

/** Decides a change and saves it. `whenSeen` waits for what the decision may have read. */
function change<T, S extends { readonly kind: "save"; readonly result: T }>(
  core: Core,
  request: Request,
  steps: {
    readonly decide: () => Answer<T> | S;
    readonly save: (decision: S) => void;
    readonly whenSeen: () => Promise<void>;
    /** Marks of what an answer without a change is about. Default: not known. */
    readonly about?: () => readonly string[];
  },
): Promise<T> {
  try {
    core.writer.assertOpen();
    const decision = steps.decide();
    if (decision.kind === "save") {
      steps.save(decision);
      return core.writer.whenFormingDurable(decision.result);
    }
    const { result } = decision;
    saveReply(core, request, decision.reply, steps.about?.());
    return steps.whenSeen().then(() => result);
  } catch (error) {
    return steps.whenSeen().then(() => {
      throw error;
    });
  }
}

/** Decides a change of a session. */
export function changeSession<T>(
  core: Core,
  asked: SessionChange,
  decide: (view: SessionView) => SessionDecision<T>,
): Promise<T> {
  const looks: Looks = { beside: false };
  let cached: ReturnType<typeof openSession>;
  return change(core, asked, {
    decide: () => {
      cached = openSession(core, asked);
      return decide(viewOf(core, cached, asked, looks));
    },
    about: () => [...aboutSession(cached?.pending?.session), mark.session(asked.sessionId)],
    save: ({ plan }) =>
      applyPlan(core, cached ?? core.cache.add(asked, null), { ...asked, looks }, plan),
    whenSeen: () => (looks.beside ? core.writer.whenDurable() : whenSeen(core, [], asked, asked)),
  });
}

/** Decides a change of a consumer. */
export function changeConsumer<T>(
  core: Core,
  asked: ConsumerRef & Request,
  decide: (view: ConsumerView) => ConsumerDecision<T>,
): Promise<T> {
  const keys = [CONSUMER.key(asked.namespace, asked.consumerId)];
  return change(core, asked, {
    decide: () => decide(consumerView(core, asked)),
    save: (decision) => applyConsumer(core, asked, decision),
    whenSeen: () => whenSeen(core, keys, asked),
  });
}

/** Decides a change of a task. */
export function changeTask<T>(
  core: Core,
  asked: TaskChange,
  decide: (view: TaskView) => TaskDecision<T>,
): Promise<T> {
  const { hour, namespace, taskNo } = asked;
  const keys = [TASK.key(namespace, taskNo)];
  let row: ReturnType<typeof taskView>["row"];
  return change(core, asked, {
    decide: () => {
      const seen = taskView(core, asked);
      ({ row } = seen);
      if (row !== undefined) keys.push(USAGE.key(hour, namespace, row.task.hook));
      return decide(seen.view);
    },
    save: (decision) => applyTask(core, asked, row, decision),
    whenSeen: () => whenSeen(core, keys, asked),
  });
}

/** Decides a change of an erasure. */
export function changeErasure<T>(
  core: Core,
  asked: ErasureChange,
  decide: (view: ErasureView) => ErasureDecision<T>,
): Promise<T> {
  return change(core, asked, {
    decide: () => decide(erasureView(core, asked)),
    save: (decision) => applyErasure(core, asked, decision),
    whenSeen: () => core.writer.whenDurable(),
  });
}

/** Decides a change of documents. */
export function changeDocuments<T>(
  core: Core,
  asked: DocumentChange,
  decide: (view: DocumentView) => DocumentDecision<T>,
): Promise<T> {
  let seen: ReturnType<typeof documentsView> | undefined;
  return change(core, asked, {
    decide: () => {
      seen = documentsView(core, asked);
      return decide(seen.view);
    },
    about: () => [],
    save: ({ plan }) => seen && applyDocuments(core, asked, seen.base, plan),
    whenSeen: () => core.writer.whenDurable(),
  });
}

/** Decides a change of memories. */
export function changeMemories<T>(
  core: Core,
  asked: MemoryChange,
  decide: (view: MemoryView) => MemoryDecision<T>,
): Promise<T> {
  const { namespace, requestId } = asked;
  let looked = false;
  const memories = new PendingMemories(core, namespace, () => {
    looked = true;
  });
  return change(core, asked, {
    decide: () => {
      const reply = pendingReply(core, namespace, requestId);
      return decide({
        revision: memories.revision,
        memories: readsOf(memories),
        ownerOf: (sessionId) => {
          if (sessionId === "") return undefined;
          const session = openSession(core, { namespace, sessionId })?.pending?.session;
          return session && ownerOf(session);
        },
        reply,
      });
    },
    save: ({ plan }) => applyMemories(core, asked, memories, plan),
    whenSeen: () => (looked ? core.writer.whenDurable() : whenSeen(core, [], asked)),
  });
}

/** Decides a change of records. */
export function changeRecords<T>(
  core: Core,
  asked: RecordChange,
  decide: (view: RecordView) => RecordDecision<T>,
): Promise<T> {
  const { namespace } = asked;
  const { uploadIds = [] } = asked;
  const keys = [
    ...asked.names.map((name) => RECORD.key(namespace, recordId(name))),
    ...uploadIds.map((id) => RECORD_UPLOAD.key(namespace, id)),
  ];
  let seen: ReturnType<typeof recordsView> | undefined;
  return change(core, asked, {
    decide: () => {
      seen = recordsView(core, asked);
      return decide(seen.view);
    },
    about: () => [],
    save: ({ plan }) => seen && applyRecords(core, asked, seen, plan),
    whenSeen: () => whenSeen(core, keys, asked),
  });
}

/** Decides a change of an upload. */
export function changeUpload<T>(
  core: Core,
  asked: UploadRef & Request,
  decide: (view: UploadView) => UploadDecision<T>,
): Promise<T> {
  let seen: ReturnType<typeof uploadView> | undefined;
  return change(core, asked, {
    decide: (): Answer<T> | (UploadDecision<T> & { readonly kind: "save" }) => {
      seen = uploadView(core, asked);
      return decide(seen.view);
    },
    save: (decision) => applyUpload(core, asked, seen?.row, decision),
    // The limit looks at the other uploads of the namespace.
    whenSeen: () => core.writer.whenDurable(),
  });
}

// Waits for the changes that a decision may have seen.
async function whenSeen(
  core: Core,
  keys: readonly string[],
  request: Request,
  ref?: SessionRef,
): Promise<void> {
  const { cache, memtable, writer } = core;
  const cached = ref === undefined ? undefined : cache.get(ref);
  const all = request.requestId ? [...keys, REPLY.key(request.namespace, request.requestId)] : keys;
  const pending = all.map((key) => memtable.pendingIn(key));
  if (cached?.forming !== undefined || pending.includes("forming")) {
    await writer.whenFormingDurable(undefined);
  } else if (cached?.inFlight !== undefined || pending.includes("in-flight")) {
    await writer.whenInFlightDurable();
  }
}

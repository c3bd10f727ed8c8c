// Changes of a session: what decide gets to see, and what a plan does to the pending state. All of
// it is synchronous; a plan is checked as a whole before any of it is applied.

import { mark, marksOf } from "../../erase/rules/erasure.ts";
import { recordCorrupt } from "../../kit/errors.ts";
import {
  expireMs,
  type Session,
  type SessionHead,
  type SessionRef,
} from "../../session/rules/session.ts";
import { u64 } from "../engine/keys.ts";
import { NOTHING } from "../engine/table.ts";
import { besideRecords } from "../kept-records.ts";
import type { SessionChange, SessionPlan, SessionView, StoredEntry } from "../store.ts";
import { type CachedSession, PackedWindow, type SessionState } from "../tables/cache.ts";
import type { Core } from "../tables/core.ts";
import { type JobSteps, jobSteps, readJobsRow, saveJobs } from "../tables/memory-jobs.ts";
import { PendingMemories, readsOf } from "../tables/memory-lookup.ts";
import {
  appendMessages,
  eraseEntry,
  findMessage,
  messageAt,
  putEntry,
  readEntry,
  readWindow,
  saveKept,
} from "../tables/messages.ts";
import { checkPlan, unsound } from "../tables/plan-check.ts";
import { finishChange, nextRevision, pendingReply } from "../tables/replies.ts";
import {
  EXPIRY,
  HEAD,
  PAST_WINDOW,
  PURGE,
  SESSION,
  SESSION_NAME,
} from "../tables/session-tables.ts";
import { listPrefixes } from "../tables/sessions.ts";
import { checkSummaries, readSummary, saveSummaries } from "../tables/summaries.ts";
import {
  readUsage,
  removalSteps,
  saveTasks,
  type TaskSteps,
  taskSteps,
  tasksOf,
} from "../tables/tasks.ts";
import { dropVectors, readVectorRow } from "../tables/vectors.ts";
import {
  type DocumentSteps,
  documentSteps,
  documentsView,
  saveDocuments,
} from "./document-changes.ts";
import { aboutMemories, type MemorySteps, memorySteps, saveMemories } from "./memory-changes.ts";
import { type RecordSteps, recordSteps, recordsView, saveRecords } from "./record-changes.ts";

const NO_MESSAGES: ReadonlyMap<string, StoredEntry> = new Map();
const NO_WINDOW: readonly StoredEntry[] = [];

/** Parts of the state that a decision read. */
export interface Looks {
  /** It read something that is not part of the state of the session. */
  beside: boolean;
  memories?: PendingMemories;
}

/** The view that decide gets of the pending state. */
export function viewOf(
  core: Core,
  cached: CachedSession | undefined,
  change: SessionChange,
  looks: Looks,
): SessionView {
  const state = cached?.pending ?? null;
  let messages = NO_MESSAGES;
  if (change.messageIds !== undefined && change.messageIds.length > 0 && state !== null) {
    const found = new Map<string, StoredEntry>();
    let bytesLeft = change.messageBytesMax ?? Number.POSITIVE_INFINITY;
    for (const messageId of change.messageIds) {
      const stored = findMessage(core, state, messageId, "pending");
      if (stored === undefined || found.has(messageId)) continue;
      found.set(messageId, stored);
      bytesLeft -= stored.byteCount;
      if (change.firstMessageOnly === true || bytesLeft < 0) break;
    }
    messages = found;
  }
  let window: readonly StoredEntry[] | undefined;
  return {
    revision: nextRevision(core, change.namespace),
    session: state?.session,
    window: () => {
      if (cached === undefined || state === null) return NO_WINDOW;
      window ??= readWindow(core, cached, state, "pending");
      return window;
    },
    messages,
    messagesAt: (seqs) =>
      state === null
        ? []
        : seqs.flatMap((seq) => messageAt(core, state.logNo, seq, "pending") ?? []),
    reply: pendingReply(core, change.namespace, change.requestId),
    tasks: () => {
      looks.beside = true;
      return state === null ? [] : tasksOf(core, change.namespace, state.sessionNo, "pending");
    },
    usage: (hook, hour) => {
      looks.beside = true;
      return readUsage(core, { namespace: change.namespace, hook, hour }, "pending");
    },
    summary: (version) => {
      looks.beside = true;
      return state === null ? undefined : readSummary(core, state.logNo, version, "pending");
    },
    ...viewBeside(core, change, state !== null, looks),
  };
}

/** Applies a plan to the pending state. */
export function applyPlan(
  core: Core,
  cached: CachedSession,
  change: SessionChange & { readonly looks: Looks },
  plan: SessionPlan,
): void {
  const { looks } = change;
  const old = cached.pending;
  checkPlan(old, plan);
  // Read before anything is changed: a damaged entry must stop the whole plan.
  const replaced = (plan.replace ?? []).map(({ seq }) => messageNoOf(core, old, seq));
  const isNew = newSeqs(plan);
  const erased = (plan.erase ?? [])
    .filter(({ seq }) => !isNew(seq))
    .map(({ seq, messageId }) => ({ seq, messageId, messageNo: messageNoOf(core, old, seq) }));
  const vectors = vectorsOf(core, old, [...(plan.replace ?? []), ...erased]);
  const tasks = taskSteps(core, change, plan.tasks);
  const removal = plan.remove === true ? removalOf(core, cached) : undefined;
  checkSummariesOf(core, old, plan);
  const beside = besideSteps(core, change, plan, looks);
  core.writer.whole(() => {
    if (removal !== undefined) {
      const gone = { ...removal.tasks, usage: tasks.usage };
      removeSession(core, cached, { ...removal, tasks: gone });
    } else if (plan.head !== undefined) {
      saveSession(core, cached, plan, { head: plan.head, replaced, erased, vectors, tasks });
    }
    const sessionNo = (old ?? cached.pending)?.sessionNo ?? 0;
    saveBeside(core, { ...cached.ref, sessionNo }, beside);
    const memories = beside.memories === undefined ? [] : aboutMemories(beside.memories);
    const about = [old?.session, cached.pending?.session].flatMap((one) => aboutSession(one));
    finishChange(core, change, plan, [...about, ...memories, mark.session(change.sessionId)]);
  });
}

// The vectors that go with messages which change.
function vectorsOf(
  core: Core,
  old: SessionState | null,
  changed: readonly { readonly seq: number }[],
): Replaced["vectors"] {
  return (old === null ? [] : changed).flatMap(({ seq }) => {
    const row = readVectorRow(core, old?.logNo ?? 0, seq, "pending");
    return row === undefined ? [] : { seq, bodyNo: row.bodyNo };
  });
}

/** The marks of a session, for the answers about it. */
export function aboutSession(session: Session | undefined): readonly string[] {
  return session === undefined ? [] : marksOf({ ...session.fields, sessionId: session.sessionId });
}

function checkSummariesOf(core: Core, old: SessionState | null, plan: SessionPlan): void {
  const fields = plan.fields ?? old?.session.fields;
  const logNo = plan.resetLog === true ? undefined : old?.logNo;
  checkSummaries(core, plan.summaries, { newest: fields?.summaryVersion ?? 0, logNo });
}

/** The head of a plan, and the messages of the old log that go. */
interface Replaced {
  readonly head: SessionHead;
  readonly replaced: readonly number[];
  readonly erased: readonly {
    readonly seq: number;
    readonly messageId: string;
    readonly messageNo: number;
  }[];
  readonly vectors: readonly { readonly seq: number; readonly bodyNo: number }[];
  readonly tasks: TaskSteps;
}

/** Tells the seqs of a plan's own messages from those of the log. */
function newSeqs(plan: SessionPlan): (seq: number) => boolean {
  const first = plan.append?.[0]?.seq ?? Number.POSITIVE_INFINITY;
  return (seq) => seq >= first;
}

function saveSession(
  core: Core,
  cached: CachedSession,
  plan: SessionPlan,
  { head, replaced, erased, vectors, tasks }: Replaced,
): void {
  const { memtable, writer } = core;
  const old = cached.pending;
  const startsLog = old === null || plan.resetLog === true;
  const sessionNo = old?.sessionNo ?? writer.nextSessionNo++;
  const logNo = startsLog ? writer.nextLogNo++ : old.logNo;
  const fields = plan.fields ?? old?.session.fields;
  if (fields === undefined) throw unsound("it lacks the fields");
  const session: Session = { ...cached.ref, fields, head };
  if (plan.fields !== undefined) saveFields(core, sessionNo, old?.session, session);
  saveExpiry(core, sessionNo, old?.session, session);
  if (old !== null && plan.resetLog === true) {
    purgeLater(core, old);
    saveKept(core, logNo, plan.append ?? [], head.firstSeq);
  }
  plan.replace?.forEach((message, i) => {
    writer.eraseMessage(replaced[i] ?? 0);
    putEntry(core, logNo, message);
  });
  for (const { seq, messageId, messageNo } of erased) {
    writer.eraseMessage(messageNo);
    eraseEntry(core, logNo, seq, messageId);
  }
  for (const { seq, bodyNo } of vectors) {
    dropVectors(core, old?.logNo ?? logNo, seq, bodyNo);
  }
  appendMessages(core, logNo, plan);
  saveSummaries(core, logNo, plan.summaries);
  saveTasks(core, { sessionNo, namespace: cached.ref.namespace }, tasks);
  if (plan.windowTrimmed === true || (plan.resetLog === true && head.windowRanges.length > 0)) {
    PAST_WINDOW.put({ memtable }, PAST_WINDOW.key(logNo, head.lastSeq), head.windowRanges);
  }
  if (plan.windowTrimmed === true) writer.mark("trimmed");
  const isEdited = replaced.length > 0 || (plan.erase?.length ?? 0) > 0;
  cached.setState(writer, {
    sessionNo,
    logNo,
    session,
    window: nextWindow(old, plan, isEdited),
    edits: (old?.edits ?? 0) + (isEdited ? 1 : 0),
  });
}

function nextWindow(
  old: SessionState | null,
  plan: SessionPlan,
  isEdited: boolean,
): SessionState["window"] {
  if (plan.window !== undefined) {
    const isOther = plan.resetLog === true || (plan.replace?.length ?? 0) > 0;
    return old?.window === undefined || isOther
      ? PackedWindow.of(plan.window)
      : old.window.trimmed(plan.window, plan.append?.[0]?.seq ?? Number.POSITIVE_INFINITY);
  }
  if (old === null) return PackedWindow.of(plan.append ?? []);
  // A window with changed messages is loaded anew when somebody wants it.
  if (isEdited || plan.resetLog === true || plan.windowTrimmed === true) return undefined;
  return plan.append === undefined ? old.window : old.window?.append(plan.append);
}

function messageNoOf(core: Core, old: SessionState | null, seq: number): number {
  if (old === null) throw unsound("it changes messages of a session that does not exist");
  const entry = readEntry(core, old.logNo, seq, "pending");
  if (entry === undefined) {
    throw recordCorrupt(`the entry of seq ${seq} in log ${old.logNo} is missing`);
  }
  if (entry.messageNo === 0) throw unsound(`seq ${seq} is erased already`);
  return entry.messageNo;
}

/** Writes the session record and the lists it is in. */
export function saveFields(
  core: Core,
  sessionNo: number,
  old: Session | undefined,
  session: Session,
): void {
  const { memtable } = core;
  const { namespace, sessionId, fields } = session;
  SESSION.put({ memtable }, SESSION.key(sessionNo), { sessionNo, namespace, sessionId, fields });
  const before = new Set(old === undefined ? [] : listPrefixes(namespace, old.fields));
  for (const prefix of listPrefixes(namespace, fields)) {
    if (!before.delete(prefix)) {
      const listKey = prefix + u64(sessionNo);
      memtable.set(listKey, NOTHING.encode(listKey, true));
    }
  }
  for (const prefix of before) {
    memtable.set(prefix + u64(sessionNo), null);
  }
  if (old === undefined) {
    SESSION_NAME.put({ memtable }, SESSION_NAME.key(namespace, sessionId), sessionNo);
  }
}

/** Sees to it that no entry of the expiry index is later than the end of the session. */
export function saveExpiry(
  core: Core,
  sessionNo: number,
  old: Session | undefined,
  session: Session,
): void {
  const end = expireMs(session);
  const before = old === undefined ? undefined : expireMs(old);
  if (end !== undefined && (before === undefined || end < before)) {
    EXPIRY.put(core, EXPIRY.key(end, sessionNo), true);
  }
}

/** Tasks and jobs that go with a session. */
export interface Removal {
  readonly tasks: TaskSteps;
  readonly jobs: JobSteps | undefined;
}

/** The tasks and jobs that go with a session. Throws when one of them is damaged. */
export function removalOf(core: Core, cached: CachedSession): Removal {
  const tasks = removalSteps(core, cached.ref.namespace, cached.pending?.sessionNo ?? 0);
  return { tasks, jobs: jobSteps(core, cached.ref, undefined, true) };
}

/** Removes a session with its tasks and its jobs, and has its log erased. */
export function removeSession(core: Core, cached: CachedSession, removal: Removal): void {
  const { memtable, writer } = core;
  const old = cached.pending;
  if (old === null) return;
  const { namespace, sessionId, fields } = old.session;
  memtable.set(SESSION_NAME.key(namespace, sessionId), null);
  memtable.set(SESSION.key(old.sessionNo), null);
  memtable.set(HEAD.key(old.sessionNo), null);
  for (const prefix of listPrefixes(namespace, fields)) {
    memtable.set(prefix + u64(old.sessionNo), null);
  }
  saveTasks(core, { sessionNo: old.sessionNo, namespace }, removal.tasks);
  saveJobs(core, { ...cached.ref, sessionNo: old.sessionNo }, removal.jobs);
  purgeLater(core, old);
  cached.setState(writer, null);
}

/** Has the log of a state erased by upkeep. */
function purgeLater(core: Core, state: SessionState): void {
  const { head, fields } = state.session;
  const { lastSeq } = head;
  if (lastSeq > 0 || fields.summaryVersion > 0) {
    PURGE.put(core, PURGE.key(state.logNo), { nextSeq: 1, lastSeq: lastSeq });
  }
}

/** The part of a view that is not of the session: memories, jobs on them, documents and records. */
function viewBeside(
  core: Core,
  ref: SessionRef,
  exists: boolean,
  looks: Looks,
): Pick<SessionView, "memories" | "memoryJobs" | "documents" | "records"> {
  const looked = (): void => {
    looks.beside = true;
  };
  looks.memories = new PendingMemories(core, ref.namespace, looked);
  return {
    memories: readsOf(looks.memories),
    memoryJobs: () => {
      looked();
      return exists ? (readJobsRow(core, ref, "pending")?.jobs ?? []) : [];
    },
    documents: (change) => {
      looked();
      return documentsView(core, change).view;
    },
    records: (asked) => {
      looked();
      return recordsView(core, { namespace: ref.namespace, ...asked }).view;
    },
  };
}

/** The steps of a plan outside its session, read and checked, so that none of them can fail. */
interface BesideSteps {
  readonly memories: MemorySteps | undefined;
  readonly jobs: JobSteps | undefined;
  readonly documents: DocumentSteps | undefined;
  readonly records: RecordSteps | undefined;
}

/** Reads and checks the steps of a plan outside its session. Throws an Error of a fault. */
function besideSteps(core: Core, ref: SessionRef, plan: SessionPlan, looks: Looks): BesideSteps {
  const { documents, events, memories, memoryJobs, records, resetLog } = plan;
  const changed = records && besideRecords(ref.namespace, records);
  const nowMs = events[0]?.createMs ?? 0;
  const base = looks.memories;
  const ofRecords =
    changed && recordSteps(core, changed, recordsView(core, changed), { ...records, events });
  // Both would give the next number of the collection to a document.
  const isTwice = ({ change }: DocumentSteps) => change.collectionId === documents?.collectionId;
  if (ofRecords?.documents.some(isTwice)) throw unsound("it changes a collection twice");
  return {
    memories: memories && base && memorySteps(base, ref.namespace, { ...memories, nowMs }),
    jobs: jobSteps(core, ref, memoryJobs, resetLog === true),
    documents:
      documents &&
      documentSteps(core, documents, documentsView(core, documents).base, {
        ...documents.plan,
        events,
      }),
    records: ofRecords,
  };
}

function saveBeside(
  core: Core,
  of: SessionRef & { readonly sessionNo: number },
  { documents, jobs, memories, records }: BesideSteps,
): void {
  saveJobs(core, of, jobs);
  if (memories !== undefined) saveMemories(core, memories);
  if (documents !== undefined) saveDocuments(core, documents);
  if (records !== undefined) saveRecords(core, records);
}

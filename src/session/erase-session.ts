// The part of an erasure that is about sessions: whole ones, messages, and the summaries that stand
// for them. Each function is one transaction, and one that only counts decides in the same way.

import { byServer, saved } from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import { planOf } from "../core/window-change.ts";
import { type ErasedCounts, mark } from "../erase/rules/erasure.ts";
import { EVENT_TYPE, type EventDetail } from "../events/rules/event.ts";
import { seqOfMessageId } from "../kit/ids.ts";
import { eraseMessage } from "../memory/learn/erase-source.ts";
import type {
  ErasureProgress,
  MessagePage,
  SessionDecision,
  SessionView,
  StoredEntry,
} from "../store/store.ts";
import type { SummaryRecord } from "../summary/rules/summary.ts";
import type { Task } from "../tasks/rules/task.ts";
import { supersede } from "../tasks/task-edits.ts";
import { containsSeq, rangesOf } from "../window/rules/ranges.ts";
import type { SeqRange } from "../window/rules/types.ts";
import { editedLog, editPart, windowAfter } from "./log/edit-log.ts";
import type { Session, SessionFields, SessionRef } from "./rules/session.ts";

/** Summaries of the history that one transaction removes. */
const SUMMARIES_STEP = 256;

/** Messages that are read at once. */
const PAGE = 256;

/** The part that one transaction erased, or would erase. */
export interface ErasedPart {
  readonly counts: ErasedCounts;
  /** See mark in erase/rules/erasure.ts. */
  readonly marks: readonly string[];
}

/** The state of an erasure with a part more; undefined: nothing is erased, only counted. */
export type Settle = (part: ErasedPart) => ErasureProgress | undefined;

/** Erases a session with all that stands under it; undefined when there is none. */
export function eraseSession(
  context: ServiceContext,
  ref: SessionRef,
  settle: Settle,
): Promise<ErasedPart | undefined> {
  return context.store.changeSession<ErasedPart | undefined>(
    { ...ref, allowWhenFull: true },
    (view) => {
      const { session } = view;
      if (session === undefined) return { kind: "answer", result: undefined };
      const counts = {
        session: 1,
        message: session.head.log.messageCount,
        summary: recordsOf(view, session).length,
        task: view.tasks().length + view.memoryJobs().length,
      };
      const result = { counts, marks: [mark.session(ref.sessionId)] };
      const erasure = settle(result);
      if (erasure === undefined) return { kind: "answer", result };
      const memories = context.participants.memory.sessionEmptied(session);
      return saved(byServer(context), view, {
        ...{ result, bytes: undefined, session, plan: { remove: true, memories, erasure } },
        details: [{ type: EVENT_TYPE.sessionDeleted, reason: "erased", log: session.head.log }],
      });
    },
  );
}

function recordsOf(view: SessionView, { fields }: Session): readonly SummaryRecord[] {
  const records: SummaryRecord[] = [];
  for (let version = 1; version <= fields.summaryVersion; version++) {
    const record = view.summary(version);
    if (record !== undefined) records.push(record);
  }
  return records;
}

/** The outcome for one message. */
export type ErasedMessage =
  | (ErasedPart & { readonly kind: "erased"; readonly seq: number })
  /** There is none. The seq that it had, where the id tells. */
  | { readonly kind: "missing"; readonly seq: number | undefined }
  /** Memories name it: they go first. */
  | { readonly kind: "named" };

/** Erases a message, and takes the summaries and tasks that stand for it out of use. */
export function eraseMessageOf(
  context: ServiceContext,
  ref: SessionRef,
  message: { readonly messageId: string; readonly lastSeq: number },
  settle: Settle,
): Promise<ErasedMessage> {
  const { messageId, lastSeq } = message;
  const named = seqOfMessageId(messageId);
  const change = { ...ref, messageIds: [messageId], allowWhenFull: true };
  return context.store.changeSession<ErasedMessage>(change, (view) => {
    const old = view.messages.get(messageId);
    if (view.session === undefined || old === undefined || old.seq > lastSeq) {
      // A caller may have given the id: then it tells nothing, and another message has the seq.
      const isGone = named !== undefined && view.messagesAt([named]).length === 0;
      const seq = isGone && named <= lastSeq ? named : undefined;
      return { kind: "answer", result: { kind: "missing", seq } };
    }
    return decideMessage(context, view, { session: view.session, old }, settle);
  });
}

function decideMessage(
  context: ServiceContext,
  view: SessionView,
  { session, old }: { readonly session: Session; readonly old: StoredEntry },
  settle: Settle,
): SessionDecision<ErasedMessage> {
  const { sessionId } = session;
  const marks = [mark.seq(sessionId, old.seq), mark.message(old.messageId)];
  const part = { counts: { message: 1 }, marks };
  const result: ErasedMessage = { kind: "erased", seq: old.seq, ...part };
  const erasure = settle(part);
  if (erasure === undefined) return { kind: "answer", result };
  if (view.memories.bySource(sessionId, old.messageId, 1).length > 0) {
    return { kind: "answer", result: { kind: "named" } };
  }
  const erasing = byServer(context);
  const at = { revision: view.revision, nowMs: erasing.nowMs };
  // No memory names it any more: what is left are the digests of what was promoted of it.
  const forgotten = { session, message: old, stamp: at, erasure: "forget" } as const;
  const erased = eraseMessage(context, forgotten, view);
  if (erased === undefined) return { kind: "answer", result: { kind: "named" } };
  const unsaid = withoutSummaries(view, session, [old.seq]);
  const fields = { ...unsaid.fields, etagRevision: at.revision };
  const gone = view.tasks().filter((task) => isMadeOf(task, [old.seq], unsaid.removed));
  const tasks = supersede(view.tasks(), new Set(gone), "messages-changed", at.nowMs);
  const edited = editedLog(
    view,
    { ...session, fields },
    { replace: [], erase: [old] },
    { tasks, memories: erased.plan, side: erased.side, news: [], memoryEvents: erased.events },
  );
  const change = windowAfter(context, view, edited, at.nowMs);
  const details = [...edited.events, ...unsaid.events, ...edited.memoryEvents, ...change.events];
  const plan = { ...planOf(session, change), ...editPart(edited, change), erasure };
  return saved(erasing, view, { result, bytes: undefined, session, plan, details });
}

/**
 * Takes the summaries in use that stand for messages which are gone out of use, and the tasks.
 * Their records are left to eraseSummaries, which counts them.
 */
export async function retireSummaries(
  context: ServiceContext,
  ref: SessionRef,
  seqs: readonly number[],
  settle: Settle,
): Promise<void> {
  await context.store.changeSession<undefined>({ ...ref, allowWhenFull: true }, (view) => {
    const { session, revision } = view;
    const nothing = { kind: "answer", result: undefined } as const;
    const erasure = settle({ counts: {}, marks: [] });
    if (session === undefined || erasure === undefined) return nothing;
    const unsaid = withoutSummaries(view, session, seqs);
    const gone = view.tasks().filter((task) => isMadeOf(task, seqs, unsaid.removed));
    if (unsaid.events.length === 0 && gone.length === 0) return nothing;
    const erasing = byServer(context);
    const { nowMs } = erasing;
    const tasks = supersede(view.tasks(), new Set(gone), "messages-changed", nowMs);
    const fields = { ...unsaid.fields, etagRevision: revision };
    const edited = editedLog(
      view,
      { ...session, fields },
      { replace: [], erase: [] },
      { tasks, memories: undefined, side: view, news: [], memoryEvents: [] },
    );
    const after = windowAfter(context, view, edited, nowMs);
    const details = [...edited.events, ...unsaid.events, ...after.events];
    const plan = { ...planOf(session, after), ...editPart(edited, after), erasure };
    const result = undefined;
    return saved(erasing, view, { result, bytes: undefined, session, plan, details });
  });
}

/** A session without the summaries in use that stand for some messages. */
function withoutSummaries(
  view: SessionView,
  { fields }: Session,
  seqs: readonly number[],
): {
  readonly fields: SessionFields;
  readonly events: readonly EventDetail[];
  /** The ids of the summaries that left the window. */
  readonly removed: ReadonlySet<string>;
} {
  // The record knows its runs at least as well as the summary in use.
  const stands = ({ version, ranges }: Pick<SummaryRecord, "version" | "ranges">) =>
    containsAny(ranges, seqs) || containsAny(view.summary(version)?.ranges ?? [], seqs);
  const { inserts, summary } = fields;
  const gone = inserts.filter((insert) => insert.kind !== "result" && stands(insert));
  const isGone = summary !== undefined && stands(summary);
  const events = gone
    .filter(({ kind }) => kind === "summary")
    .map(({ version, messageId }) => removedEvent(version, messageId));
  return {
    fields: {
      ...fields,
      summary: isGone ? undefined : summary,
      inserts: inserts.filter((insert) => !gone.includes(insert)),
    },
    events: isGone ? [removedEvent(summary.version, ""), ...events] : events,
    removed: new Set(gone.map(({ messageId }) => messageId)),
  };
}

function removedEvent(version: number, placedMessageId: string): EventDetail {
  const removed = { tokenCount: 0, ranges: [], made: undefined };
  return { type: EVENT_TYPE.summarySet, version, placedMessageId, ...removed };
}

function containsAny(ranges: readonly SeqRange[], seqs: readonly number[]): boolean {
  return seqs.some((seq) => containsSeq(ranges, seq));
}

/** Whether a task, also a dead one, was made of messages or of a summary that stands for them. */
function isMadeOf(
  { summarize }: Task,
  seqs: readonly number[],
  removed: ReadonlySet<string>,
): boolean {
  const { made, ranges } = summarize;
  return containsAny(ranges, seqs) || made.some(({ messageId }) => removed.has(messageId));
}

/** The outcome of a step over the summaries of a session. */
export interface ErasedSummaries extends ErasedPart {
  readonly more: boolean;
  /** Summaries that a caller wrote without naming messages: they stay. */
  readonly callerSummaries: number;
}

/** Erases the summaries of the history that stand for messages which are gone. */
export function eraseSummaries(
  context: ServiceContext,
  ref: SessionRef,
  seqs: readonly number[],
  settle: Settle,
): Promise<ErasedSummaries> {
  return context.store.changeSession({ ...ref, allowWhenFull: true }, (view) => {
    const { session, revision } = view;
    const records = session === undefined ? [] : recordsOf(view, session);
    const meant = records.filter(({ ranges }) => containsAny(ranges, seqs));
    const callerSummaries = records.filter(({ ranges }) => ranges.length === 0).length;
    const part = (of: readonly SummaryRecord[]): ErasedPart => ({
      counts: { summary: of.length },
      marks: of.map(({ version }) => mark.summary(ref.sessionId, version)),
    });
    const step = meant.slice(0, SUMMARIES_STEP);
    const erasure = settle(part(step));
    if (session === undefined || step.length === 0 || erasure === undefined) {
      return { kind: "answer", result: { ...part(meant), more: false, callerSummaries } };
    }
    const erasing = byServer(context);
    const details = step.map(({ version }) => removedEvent(version, ""));
    const plan = {
      head: { ...session.head, updateMs: erasing.nowMs, revision },
      summaries: { put: [], remove: step.map(({ version }) => version) },
      erasure,
    };
    const result = { ...part(step), more: step.length < meant.length, callerSummaries };
    return saved(erasing, view, { result, bytes: undefined, session, plan, details });
  });
}

/**
 * The number of summaries of the history that stand for a message which is gone, other than those
 * given.
 */
export async function countUncertain(
  { store }: ServiceContext,
  ref: SessionRef,
  given: readonly number[],
): Promise<number> {
  const kept: { seq: number }[] = given.map((seq) => ({ seq }));
  for (let next: number | undefined = 1; next !== undefined; ) {
    const query = { firstSeq: next, lastSeq: Number.MAX_SAFE_INTEGER, order: "asc" } as const;
    const page: MessagePage | undefined = await store.listMessages(ref, { ...query, limit: PAGE });
    kept.push(...(page?.messages ?? []).map(({ seq }) => ({ seq })));
    next = page?.next;
  }
  const known = rangesOf(kept.sort((one, other) => one.seq - other.seq));
  const isKnown = ({ first, last }: SeqRange) =>
    known.some((range) => range.first <= first && last <= range.last);
  return await store.changeSession(ref, (view) => {
    const records = view.session === undefined ? [] : recordsOf(view, view.session);
    const uncertain = records.filter(({ ranges }) => !ranges.every(isKnown));
    return { kind: "answer", result: uncertain.length };
  });
}

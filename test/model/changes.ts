// The writes of the memory engine. Each is checked first and then done in one go.

import type { SessionFields, SessionHead, SessionRef } from "../../src/session/rules/session.ts";
import { besideRecords } from "../../src/store/kept-records.ts";
import { hasDueJobs } from "../../src/store/memory-facts.ts";
import type { NewMessage, ReadFacts, SessionPlan } from "../../src/store/store.ts";
import type { SummaryRecord } from "../../src/summary/rules/summary.ts";
import type { SeqRange } from "../../src/window/rules/types.ts";
import { checkPlan, checkSession } from "./check-plan.ts";
import { checkDocuments, saveDocuments } from "./documents.ts";
import { checkMemories, saveMemories } from "./memories.ts";
import { checkJobs, dropJobs, saveJobs } from "./memory-jobs.ts";
import { checkRecords, saveRecords } from "./records.ts";
import {
  type Changed,
  type LogMessage,
  type MemoryState,
  namespaceOf,
  rangesUpTo,
  type SessionState,
  sessionOf,
} from "./state.ts";
import { checkTasks, dropTasks, saveTasks, summariesAfter } from "./tasks.ts";

/** A message as the log keeps it. */
export function logMessage(message: NewMessage): LogMessage {
  return { messageId: message.messageId, bytes: message.bytes.slice() };
}

/** Saves what a plan says of its session. Throws, changing nothing, if the plan is faulty. */
export function saveSession(
  state: MemoryState,
  readFacts: ReadFacts,
  ref: SessionRef,
  plan: SessionPlan,
): Changed {
  const before = sessionOf(state, ref);
  checkPlan(before, plan);
  checkTasks(state, ref, plan.tasks);
  checkBeside(state, ref, plan);
  const { sessions } = namespaceOf(state, ref.namespace);
  const head = plan.head;
  const fields = plan.fields ?? before?.session.fields;
  if (plan.remove === true || head === undefined || fields === undefined) {
    sessions.delete(ref.sessionId);
    dropTasks(state, ref);
    dropJobs(state, ref);
    return savedBeside(state, ref, plan);
  }
  const after: SessionState = {
    sessionNo: before?.sessionNo ?? state.nextSessionNo,
    session: { namespace: ref.namespace, sessionId: ref.sessionId, fields, head },
    log: logAfter(before, plan),
    windows: windowsAfter(before, plan, head),
    summaries: summariesAfter(
      (plan.resetLog === true ? undefined : before?.summaries) ?? new Map(),
      plan.summaries,
      fields.summaryVersion,
    ),
  };
  const mayDiffer = plan.windowTrimmed === true || plan.resetLog === true;
  checkSession(readFacts, after, {
    ...(plan.window === undefined ? {} : { window: plan.window }),
    ...(mayDiffer ? {} : { ranges: untrimmedRanges(before, plan) }),
  });
  if (before === undefined) state.nextSessionNo += 1;
  sessions.set(ref.sessionId, after);
  if (plan.resetLog === true) dropJobs(state, ref);
  return savedBeside(state, ref, plan);
}

// The parts of a plan outside its session.
function checkBeside(state: MemoryState, ref: SessionRef, plan: SessionPlan): void {
  const { documents, events, records } = plan;
  checkJobs(state, ref, plan.memoryJobs, plan.resetLog === true);
  checkMemories(state, ref.namespace, plan.memories);
  if (documents !== undefined) checkDocuments(state, documents, { ...documents.plan, events });
  if (records !== undefined) {
    checkRecords(state, besideRecords(ref.namespace, records), { ...records, events });
  }
}

function savedBeside(state: MemoryState, ref: SessionRef, plan: SessionPlan): Changed {
  const { documents, events, memories, memoryJobs, records, tasks } = plan;
  saveJobs(state, ref, memoryJobs);
  const changed =
    records === undefined ? [] : saveRecords(state, ref.namespace, { ...records, events });
  const own = documents === undefined ? [] : [saveDocuments(state, documents, documents.plan)];
  return {
    memories: saveMemories(state, ref.namespace, memories, events[0]?.createMs ?? 0),
    documents: [...own, ...changed],
    taskHooks: saveTasks(state, ref.namespace, tasks),
    memoryJobsDue: hasDueJobs(memoryJobs),
  };
}

function logAfter(before: SessionState | undefined, plan: SessionPlan): Map<number, LogMessage> {
  const log = new Map(plan.resetLog === true ? [] : before?.log);
  for (const message of plan.replace ?? []) log.set(message.seq, logMessage(message));
  for (const message of plan.append ?? []) log.set(message.seq, logMessage(message));
  for (const { seq } of plan.erase ?? []) log.delete(seq);
  return log;
}

/** Adds a seq that is higher than those of the runs. */
function addSeq(ranges: readonly SeqRange[], seq: number): readonly SeqRange[] {
  const last = ranges.at(-1);
  if (last === undefined || last.last + 1 < seq) return [...ranges, { first: seq, last: seq }];
  return [...ranges.slice(0, -1), { first: last.first, last: seq }];
}

/** The window of a plan that trims nothing: the old one and what is appended. */
function untrimmedRanges(before: SessionState | undefined, plan: SessionPlan): readonly SeqRange[] {
  const ranges = before?.session.head.windowRanges ?? [];
  return (plan.append ?? []).reduce((runs, { seq }) => addSeq(runs, seq), ranges);
}

/**
 * The windows of the past after a change. Each new seq was the newest once, with the window before
 * it and itself; what the change trimmed counts for the last of them.
 */
function windowsAfter(
  before: SessionState | undefined,
  plan: SessionPlan,
  head: SessionHead,
): Map<number, readonly SeqRange[]> {
  const windows = new Map(before?.windows ?? [[head.firstSeq - 1, []]]);
  if (plan.resetLog === true) {
    windows.clear();
    for (let seq = head.firstSeq - 1; seq <= head.lastSeq; seq += 1) {
      windows.set(seq, rangesUpTo(head.windowRanges, seq));
    }
    return windows;
  }
  let ranges = before?.session.head.windowRanges ?? [];
  for (const { seq } of plan.append ?? []) {
    ranges = addSeq(ranges, seq);
    windows.set(seq, ranges);
  }
  windows.set(head.lastSeq, head.windowRanges);
  return windows;
}

/** The records that are published with a log. */
interface SavedLog {
  readonly fields: SessionFields;
  readonly head: SessionHead;
  readonly summaries: readonly SummaryRecord[];
}

/** Copies messages: each is an object of its own, because vectors are kept for the object. */
function copyOfLog(log: ReadonlyMap<number, LogMessage>, atSeq: number): Map<number, LogMessage> {
  const kept = [...log].filter(([seq]) => seq <= atSeq);
  return new Map(kept.map(([seq, message]) => [seq, { ...message }]));
}

/** Publishes a copy of a session's log up to a seq. */
export function saveCopy(
  state: MemoryState,
  readFacts: ReadFacts,
  copy: { readonly source: SessionState; readonly target: SessionRef; readonly atSeq: number },
  saved: SavedLog,
): void {
  const { source, target, atSeq } = copy;
  const { fields, head, summaries } = saved;
  const after: SessionState = {
    sessionNo: state.nextSessionNo,
    session: { namespace: target.namespace, sessionId: target.sessionId, fields, head },
    log: copyOfLog(source.log, atSeq),
    windows: new Map([
      ...[...source.windows].filter(([seq]) => seq <= atSeq),
      [atSeq, head.windowRanges],
    ]),
    summaries: summariesAfter(new Map(), { put: summaries }, fields.summaryVersion),
  };
  checkSession(readFacts, after, {});
  if (sessionOf(state, target) !== undefined || head.lastSeq !== atSeq) {
    throw new Error("The plan is faulty: the target of the copy exists or has another newest seq.");
  }
  state.nextSessionNo += 1;
  namespaceOf(state, target.namespace).sessions.set(target.sessionId, after);
}

/** Publishes a log that came from outside, in the place of what is there. */
export function saveImport(
  state: MemoryState,
  readFacts: ReadFacts,
  target: SessionRef,
  saved: SavedLog & { readonly log: Map<number, LogMessage> },
): void {
  const { fields, head, log } = saved;
  const { firstSeq, lastSeq } = head;
  const kept = [...log.keys()].filter((seq) => seq < firstSeq);
  let ranges: readonly SeqRange[] = [];
  for (const seq of kept) ranges = addSeq(ranges, seq);
  const windows = new Map<number, readonly SeqRange[]>([[firstSeq - 1, ranges]]);
  for (let seq = firstSeq; seq <= lastSeq; seq += 1) {
    ranges = addSeq(ranges, seq);
    windows.set(seq, ranges);
  }
  windows.set(lastSeq, head.windowRanges);
  const session = { namespace: target.namespace, sessionId: target.sessionId, fields, head };
  const summaries = summariesAfter(new Map(), { put: saved.summaries }, fields.summaryVersion);
  const after: SessionState = {
    sessionNo: state.nextSessionNo,
    session,
    log,
    windows,
    summaries,
  };
  checkSession(readFacts, after, {});
  state.nextSessionNo += 1;
  const { sessions } = namespaceOf(state, target.namespace);
  dropTasks(state, target);
  dropJobs(state, target);
  // A session that is replaced is a new one: it goes to the end of the order of creation.
  sessions.delete(target.sessionId);
  sessions.set(target.sessionId, after);
}

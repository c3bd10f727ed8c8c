// Changes of a session: what decide gets to see, and what a plan does to the pending state. All of
// it is synchronous; a plan is checked as a whole before any of it is applied.

import { recordCorrupt } from "../../domain/errors.ts";
import { seqOfMessageId } from "../../domain/ids.ts";
import { expireMs, type Session, type SessionHead } from "../../domain/session.ts";
import type { SeqRange } from "../../domain/window/types.ts";
import type {
  NewMessage,
  SessionChange,
  SessionPlan,
  SessionView,
  StoredEntry,
  StoredReply,
} from "../store.ts";
import { type CachedSession, type SessionState, WindowList } from "./cache.ts";
import {
  decodeReply,
  encodeEntry,
  encodeNumber,
  encodePurge,
  encodeRanges,
  encodeReply,
} from "./codec.ts";
import { type Core, readIndex } from "./core.ts";
import {
  entryKey,
  expiryKey,
  headKey,
  idKey,
  keptKey,
  nameKey,
  purgeKey,
  replyKey,
  sessionKey,
  u64,
  windowKey,
} from "./keys.ts";
import { findMessage, loadWindow, readEntry } from "./messages.ts";
import { checkPlan, unsound } from "./plan-check.ts";
import { encodeSession } from "./session-codec.ts";
import { emptyRecord, listPrefixes } from "./sessions.ts";

const NO_MESSAGES: ReadonlyMap<string, StoredEntry> = new Map();
const NO_WINDOW: readonly StoredEntry[] = [];

/** The answer remembered under a request id, durable or not. */
export function pendingReply(
  core: Core,
  namespace: string,
  requestId: string | undefined,
): StoredReply | undefined {
  return requestId === undefined || requestId === ""
    ? undefined
    : readIndex(core, replyKey(namespace, requestId), "pending", decodeReply);
}

/** What decide gets to see of the pending state. */
export function viewOf(
  core: Core,
  cached: CachedSession | undefined,
  change: SessionChange,
  needWindow: boolean,
): SessionView {
  const state = cached?.pending ?? null;
  let messages = NO_MESSAGES;
  if (change.messageIds !== undefined && change.messageIds.length > 0 && state !== null) {
    const found = new Map<string, StoredEntry>();
    for (const messageId of change.messageIds) {
      const stored = findMessage(core, state, messageId, "pending");
      if (stored === undefined) {
        continue;
      }
      found.set(messageId, stored);
      if (change.firstMessageOnly === true) {
        break;
      }
    }
    messages = found;
  }
  return {
    revision: core.writer.pendingRevision + 1,
    session: state?.session,
    window: needWindow ? windowOf(core, cached, state) : undefined,
    messages,
    reply: pendingReply(core, change.namespace, change.requestId),
  };
}

function windowOf(
  core: Core,
  cached: CachedSession | undefined,
  state: SessionState | null,
): readonly StoredEntry[] {
  if (state === null) {
    return NO_WINDOW;
  }
  const isLoaded = state.window !== undefined;
  const entries = loadWindow(core, state, "pending").entries();
  if (!isLoaded && cached !== undefined) {
    core.cache.measure(cached);
  }
  return entries;
}

/** Applies a plan to the pending state. */
export function applyPlan(
  core: Core,
  cached: CachedSession,
  change: SessionChange,
  plan: SessionPlan,
): void {
  const old = cached.pending;
  checkPlan(old, plan);
  // Read before anything is changed: a damaged entry must stop the whole plan.
  const replaced = (plan.replace ?? []).map(({ seq }) => messageNoOf(core, old, seq));
  const isNew = newSeqs(plan);
  const erased = (plan.erase ?? [])
    .filter(({ seq }) => !isNew(seq))
    .map(({ seq, messageId }) => ({ seq, messageId, messageNo: messageNoOf(core, old, seq) }));
  core.writer.whole(() => {
    if (plan.remove === true) {
      removeSession(core, cached);
    } else if (plan.head !== undefined) {
      saveSession(core, cached, plan, { head: plan.head, replaced, erased });
    }
    finishChange(core, change, plan);
  });
}

/** Adds the events of a change and its reply. */
export function finishChange(
  core: Core,
  change: { readonly namespace: string; readonly requestId?: string },
  plan: Pick<SessionPlan, "events" | "reply">,
): void {
  core.writer.putEvents(plan.events);
  saveReply(core, change, plan.reply);
}

/** Remembers the answer to a request id. */
export function saveReply(
  core: Core,
  change: { readonly namespace: string; readonly requestId?: string },
  reply: StoredReply | undefined,
): void {
  if (reply !== undefined && change.requestId !== undefined && change.requestId !== "") {
    const key = replyKey(change.namespace, change.requestId);
    core.memtable.set(key, encodeReply(key, reply));
  }
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
  { head, replaced, erased }: Replaced,
): void {
  const { memtable, writer } = core;
  const old = cached.pending;
  const startsLog = old === null || plan.resetLog === true;
  const sessionNo = old?.sessionNo ?? writer.nextSessionNo++;
  const logNo = startsLog ? writer.nextLogNo++ : old.logNo;
  const fields = plan.fields ?? old?.session.fields;
  if (fields === undefined) {
    throw unsound("it lacks the fields");
  }
  const session: Session = { ...cached.ref, fields, head };
  if (plan.fields !== undefined) {
    saveFields(core, sessionNo, old?.session, session);
  }
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
  appendMessages(core, logNo, plan);
  if (plan.windowTrimmed === true || (plan.resetLog === true && head.windowRanges.length > 0)) {
    const key = windowKey(logNo, head.lastSeq);
    memtable.set(key, encodeRanges(key, head.windowRanges));
  }
  if (plan.windowTrimmed === true) {
    writer.mark("trimmed");
  }
  const isEdited = replaced.length > 0 || (plan.erase?.length ?? 0) > 0;
  writer.setState(cached, {
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
): WindowList | undefined {
  if (plan.window !== undefined) {
    const firstNew = plan.append?.[0]?.seq;
    return old?.window === undefined || firstNew === undefined || isEdited || plan.resetLog === true
      ? WindowList.of(plan.window)
      : old.window.trimmed(plan.window, firstNew);
  }
  if (old === null) {
    return WindowList.of(plan.append ?? []);
  }
  // A window with changed messages is loaded anew when somebody wants it.
  if (isEdited || plan.resetLog === true || plan.windowTrimmed === true) {
    return undefined;
  }
  return plan.append === undefined ? old.window : old.window?.append(plan.append);
}

function messageNoOf(core: Core, old: SessionState | null, seq: number): number {
  if (old === null) {
    throw unsound("it changes messages of a session that does not exist");
  }
  const entry = readEntry(core, old.logNo, seq, "pending");
  if (entry === undefined) {
    throw recordCorrupt(`the entry of seq ${seq} in log ${old.logNo} is missing`);
  }
  if (entry.messageNo === 0) {
    throw unsound(`seq ${seq} is erased already`);
  }
  return entry.messageNo;
}

function putEntry(core: Core, logNo: number, message: NewMessage): void {
  const messageNo = core.writer.putMessage(message.bytes);
  const key = entryKey(logNo, message.seq);
  core.memtable.set(
    key,
    encodeEntry(key, {
      messageNo,
      role: message.role,
      tokenCount: message.tokenCount,
      byteCount: message.bytes.length,
    }),
  );
}

/** Adds a message to a log. */
export function appendMessage(core: Core, logNo: number, message: NewMessage): void {
  putEntry(core, logNo, message);
  if (seqOfMessageId(message.messageId) !== message.seq) {
    const key = idKey(logNo, message.messageId);
    core.memtable.set(key, encodeNumber(key, message.seq));
  }
}

/** Says that a seq has no message, so that the seqs stay dense. */
export function putTombstone(core: Core, logNo: number, seq: number): void {
  const key = entryKey(logNo, seq);
  const nothing = { messageNo: 0, role: 1, tokenCount: 0, byteCount: 0 } as const;
  core.memtable.set(key, encodeEntry(key, nothing));
}

/** Adds the messages of a plan; of one that the plan erases as well only the seq is taken. */
function appendMessages(core: Core, logNo: number, plan: SessionPlan): void {
  const erased = new Set(plan.append === undefined ? [] : plan.erase?.map(({ seq }) => seq));
  for (const message of plan.append ?? []) {
    if (erased.has(message.seq)) {
      putTombstone(core, logNo, message.seq);
    } else {
      appendMessage(core, logNo, message);
    }
  }
}

function eraseEntry(core: Core, logNo: number, seq: number, messageId: string): void {
  putTombstone(core, logNo, seq);
  if (seqOfMessageId(messageId) !== seq) {
    core.memtable.set(idKey(logNo, messageId), null);
  }
}

function saveKept(
  core: Core,
  logNo: number,
  messages: readonly NewMessage[],
  firstSeq: number,
): void {
  const ranges: SeqRange[] = [];
  for (const { seq } of messages) {
    const last = ranges.at(-1);
    if (seq >= firstSeq) {
      break;
    }
    if (last !== undefined && last.last === seq - 1) {
      ranges[ranges.length - 1] = { first: last.first, last: seq };
    } else {
      ranges.push({ first: seq, last: seq });
    }
  }
  if (ranges.length > 0) {
    const key = keptKey(logNo);
    core.memtable.set(key, encodeRanges(key, ranges));
  }
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
  const key = sessionKey(sessionNo);
  memtable.set(key, encodeSession(key, { sessionNo, namespace, sessionId, fields }));
  const before = new Set(old === undefined ? [] : listPrefixes(namespace, old.fields));
  for (const prefix of listPrefixes(namespace, fields)) {
    if (!before.delete(prefix)) {
      const listKey = prefix + u64(sessionNo);
      memtable.set(listKey, emptyRecord(listKey));
    }
  }
  for (const prefix of before) {
    memtable.set(prefix + u64(sessionNo), null);
  }
  if (old === undefined) {
    const name = nameKey(namespace, sessionId);
    memtable.set(name, encodeNumber(name, sessionNo));
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
    const key = expiryKey(end, sessionNo);
    core.memtable.set(key, emptyRecord(key));
  }
}

/** Removes a session and has its log erased. */
export function removeSession(core: Core, cached: CachedSession): void {
  const { memtable, writer } = core;
  const old = cached.pending;
  if (old === null) {
    return;
  }
  const { namespace, sessionId, fields } = old.session;
  memtable.set(nameKey(namespace, sessionId), null);
  memtable.set(sessionKey(old.sessionNo), null);
  memtable.set(headKey(old.sessionNo), null);
  for (const prefix of listPrefixes(namespace, fields)) {
    memtable.set(prefix + u64(old.sessionNo), null);
  }
  purgeLater(core, old);
  writer.setState(cached, null);
}

/** Has the log of a state erased by upkeep. */
function purgeLater(core: Core, state: SessionState): void {
  const { lastSeq } = state.session.head;
  if (lastSeq > 0) {
    const key = purgeKey(state.logNo);
    core.memtable.set(key, encodePurge(key, 1, lastSeq));
  }
}

// Holds what a server shows after a crash against the journal. Pure: it gets everything as data, so
// that the oracle itself can be tested with data that was broken on purpose.

import { type Content, type Entry, fingerprint, type Journal } from "./journal.ts";

/** A message as read. */
export interface SeenMessage {
  readonly messageId: string;
  readonly seq: number;
  readonly tokenCount: number;
  readonly content: Content;
}

/** A session as read. */
export interface SeenSession {
  readonly sessionId: string;
  readonly lastSeq: number;
  readonly logCount: number;
  readonly logTokens: number;
  readonly messages: readonly SeenMessage[];
  /** The ids of the window, by rising seq. */
  readonly window: readonly string[];
}

/** An event as read; ids and seqs as far as its type has them. */
export interface SeenEvent {
  readonly revision: number;
  readonly index: number;
  readonly type: "created" | "appended" | "trimmed" | "updated" | "deleted" | "other";
  readonly sessionId: string;
  readonly requestId: string;
  readonly messageIds: readonly string[];
  readonly firstSeq: number;
  readonly wasInWindow: boolean;
}

/** Everything that was read. */
export interface Seen {
  readonly sessions: readonly SeenSession[];
  /** All that are kept, oldest first. */
  readonly events: readonly SeenEvent[];
  /** Revisions of other namespaces. */
  readonly otherRevisions: readonly number[];
}

/** Names an event for comparison. */
export function eventKey(event: SeenEvent): string {
  const { revision, index, type, requestId, messageIds } = event;
  return `${revision}.${index} ${type} ${requestId} ${messageIds.join(",")}`;
}

/** Checks everything; returns what is wrong, in words. Empty when the store kept its promises. */
export function check(journal: Journal, seen: Seen): string[] {
  const wrong = [...journal.complaints];
  const replayed = replay(seen.events, wrong);
  for (const session of seen.sessions) {
    checkMessages(journal, session, wrong);
    checkSeqs(journal, session, wrong);
    const state = replayed.get(session.sessionId);
    const log = session.messages.map((message) => message.messageId).join(" ");
    const logOfEvents = [...(state?.log.keys() ?? [])].join(" ");
    if (log !== logOfEvents) wrong.push(`${session.sessionId}: the log differs from its events`);
    const window = [...(state?.window ?? [])].join(" ");
    if (session.window.join(" ") !== window) {
      wrong.push(`${session.sessionId}: the window differs from appended minus trimmed`);
    }
  }
  checkOperations(journal, seen, wrong);
  return wrong;
}

function checkMessages(journal: Journal, session: SeenSession, wrong: string[]): void {
  const byId = new Map<string, SeenMessage>();
  for (const message of session.messages) {
    if (byId.has(message.messageId)) wrong.push(`${message.messageId} is there twice`);
    byId.set(message.messageId, message);
    const entry = journal.entries.get(message.messageId);
    if (entry?.sessionId !== session.sessionId) {
      wrong.push(`${message.messageId} does not belong to ${session.sessionId}`);
    } else if (entry.append.outcome === "no") {
      wrong.push(`${message.messageId} was refused and is stored`);
    } else if (entry.deleted === "yes") {
      wrong.push(`${message.messageId} was deleted and is there`);
    } else {
      checkContent(entry, message, wrong);
    }
  }
  for (const entry of journal.entries.values()) {
    if (entry.sessionId !== session.sessionId || entry.deleted !== "no") continue;
    if (entry.append.outcome === "yes" && !byId.has(entry.messageId)) {
      wrong.push(`LOST ${entry.messageId}, acknowledged`);
    }
  }
  checkBatches(journal, session.sessionId, byId, wrong);
}

function checkContent(entry: Entry, message: SeenMessage, wrong: string[]): void {
  const found = fingerprint(message.content);
  if (!entry.contents.some((content) => fingerprint(content) === found)) {
    wrong.push(`LOST content of ${entry.messageId}: it is not what was acknowledged`);
  }
  if (entry.seq !== undefined && entry.seq !== message.seq) {
    wrong.push(`${entry.messageId} has seq ${message.seq}, was ${entry.seq}`);
  }
}

/** A batch without an answer is there as a whole or not at all, in one run of seqs. */
function checkBatches(
  journal: Journal,
  sessionId: string,
  byId: ReadonlyMap<string, SeenMessage>,
  wrong: string[],
): void {
  for (const operation of journal.operations.values()) {
    if (operation.sessionId !== sessionId || operation.kind !== "append") continue;
    const alive = operation.messageIds.filter((id) => journal.entries.get(id)?.deleted === "no");
    const found = alive.flatMap((id) => byId.get(id) ?? []);
    if (found.length !== 0 && found.length !== alive.length) {
      wrong.push(`${operation.requestId}: the batch is torn`);
    }
    const first = found[0]?.seq ?? 0;
    const offset = operation.messageIds.indexOf(found[0]?.messageId ?? "");
    for (const message of found) {
      const at = operation.messageIds.indexOf(message.messageId);
      if (message.seq - first !== at - offset)
        wrong.push(`${operation.requestId}: seqs not in a row`);
    }
  }
}

function checkSeqs(journal: Journal, session: SeenSession, wrong: string[]): void {
  const present = new Set(session.messages.map((message) => message.seq));
  const gone = new Set<number>();
  for (const entry of journal.entries.values()) {
    if (entry.sessionId !== session.sessionId || entry.deleted === "no") continue;
    if (entry.seq !== undefined) gone.add(entry.seq);
  }
  for (let seq = 1; seq <= session.lastSeq; seq++) {
    if (!present.has(seq) && !gone.has(seq)) wrong.push(`${session.sessionId}: HOLE at seq ${seq}`);
  }
  const newest = session.messages.at(-1)?.seq ?? 0;
  if (newest > session.lastSeq) wrong.push(`${session.sessionId}: a seq above the last one`);
  if (present.size !== session.messages.length) wrong.push(`${session.sessionId}: a seq twice`);
  const tokens = session.messages.reduce((sum, message) => sum + message.tokenCount, 0);
  if (session.logCount !== session.messages.length || session.logTokens !== tokens) {
    wrong.push(`${session.sessionId}: the totals of the log are wrong`);
  }
}

interface Replayed {
  /** The log by rising seq. */
  readonly log: Map<string, number>;
  readonly window: Set<string>;
  lastSeq: number;
}

/** Builds log and window of every session from the events alone. */
function replay(events: readonly SeenEvent[], wrong: string[]): Map<string, Replayed> {
  const sessions = new Map<string, Replayed>();
  for (const event of events) {
    const fresh = { log: new Map<string, number>(), window: new Set<string>(), lastSeq: 0 };
    const state = sessions.get(event.sessionId) ?? fresh;
    sessions.set(event.sessionId, state);
    if (event.type === "appended") {
      if (event.firstSeq !== state.lastSeq + 1) wrong.push(`${eventKey(event)}: seqs do not go on`);
      for (const id of event.messageIds) {
        state.lastSeq += 1;
        state.log.set(id, state.lastSeq);
        state.window.add(id);
      }
    } else if (event.type === "trimmed" || event.type === "deleted") {
      for (const id of event.messageIds) {
        const removed = state.window.delete(id);
        const expected = event.type === "trimmed" || event.wasInWindow;
        if (removed !== expected) wrong.push(`${eventKey(event)}: ${id} was not in the window`);
        if (event.type === "deleted" && !state.log.delete(id)) wrong.push(`${id} deleted twice`);
      }
    }
  }
  return sessions;
}

function checkOperations(journal: Journal, seen: Seen, wrong: string[]): void {
  const revisionOf = new Map<string, number>();
  let newest = { revision: 0, index: 0 };
  const revisions = new Set(seen.otherRevisions);
  for (const event of seen.events) {
    const { revision, index, requestId } = event;
    const follows = revision === newest.revision ? index === newest.index + 1 : index === 0;
    if (revision < newest.revision || !follows) wrong.push(`${eventKey(event)}: out of order`);
    newest = { revision, index };
    revisions.add(revision);
    if (requestId === "") continue;
    const known = revisionOf.get(requestId) ?? revision;
    if (known !== revision) wrong.push(`DUPLICATE ${requestId}: done in two transactions`);
    revisionOf.set(requestId, known);
  }
  const last = Math.max(0, ...revisions);
  for (let revision = 1; revision <= last; revision++) {
    if (!revisions.has(revision)) wrong.push(`revision ${revision} has no event`);
  }
  for (const { requestId, outcome, revision } of journal.operations.values()) {
    const found = revisionOf.get(requestId);
    const elsewhere = revision !== undefined && found !== revision;
    if (outcome === "yes" && (found === undefined || elsewhere)) {
      wrong.push(`LOST event of ${requestId}: revision ${found ?? "none"}, answered ${revision}`);
    }
    if (outcome === "no" && found !== undefined)
      wrong.push(`${requestId} was refused, has an event`);
  }
  const keys = new Set(seen.events.map(eventKey));
  for (const key of journal.seenEvents) {
    if (!keys.has(key)) wrong.push(`LOST event that a watcher saw: ${key}`);
  }
}

/** Takes over what a reader found out about operations without an answer. */
export function settle(journal: Journal, seen: Seen): void {
  const found = new Map<string, SeenMessage>();
  for (const session of seen.sessions) {
    for (const message of session.messages) found.set(message.messageId, message);
  }
  for (const entry of journal.entries.values()) {
    const message = found.get(entry.messageId);
    if (message !== undefined) {
      entry.seq = message.seq;
      entry.contents = [message.content];
      if (entry.deleted === "maybe") entry.deleted = "no";
    } else if (entry.deleted === "maybe") {
      entry.deleted = "yes";
    }
  }
  const done = new Map(seen.events.map((event) => [event.requestId, event.revision]));
  for (const operation of journal.unknown()) {
    const revision = done.get(operation.requestId);
    if (revision === undefined) {
      operation.outcome = "no";
    } else {
      operation.outcome = "yes";
      operation.revision = revision;
    }
  }
}

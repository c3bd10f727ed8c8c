// The reads of the memory engine: each looks at everything and keeps what was asked for.

import { isExpired, type SessionRef } from "../../src/session/rules/session.ts";
import type {
  Consumer,
  MessagePage,
  MessageQuery,
  ReadFacts,
  SessionPage,
  SessionQuery,
  StoredEntry,
  StoredMessage,
} from "../../src/store/store.ts";
import { fitCeiling } from "../../src/window/rules/limit.ts";
import { rangesOf } from "../../src/window/rules/ranges.ts";
import type { SeqRange } from "../../src/window/rules/types.ts";
import { inRanges, type LogMessage, type MemoryState, type SessionState } from "./state.ts";

/** A message of a log as a window entry. */
export function entryOf(readFacts: ReadFacts, seq: number, message: LogMessage): StoredEntry {
  const { bytes } = message;
  return { ...readFacts(bytes), seq, byteCount: bytes.length, bytes };
}

/** The messages of a log that lie in the runs given, by rising seq. */
export function entriesIn(
  readFacts: ReadFacts,
  state: SessionState,
  ranges: SessionState["session"]["head"]["windowRanges"],
): StoredEntry[] {
  return [...state.log]
    .filter(([seq]) => inRanges(ranges, seq))
    .map(([seq, message]) => entryOf(readFacts, seq, message));
}

/** The window of the past in some runs, under the ceiling. */
export function windowIn(
  readFacts: ReadFacts,
  state: SessionState,
  ranges: readonly SeqRange[],
): { readonly window: readonly StoredEntry[]; readonly ranges: readonly SeqRange[] } {
  const entries = entriesIn(readFacts, state, ranges);
  const window = fitCeiling(entries);
  return { window, ranges: window === entries ? ranges : rangesOf(window) };
}

/** The message of a log with an id. */
export function entryById(
  readFacts: ReadFacts,
  state: SessionState | undefined,
  messageId: string,
): StoredEntry | undefined {
  for (const [seq, message] of state?.log ?? []) {
    if (message.messageId === messageId) return entryOf(readFacts, seq, message);
  }
  return undefined;
}

/** An entry as lists and lookups give it. */
export function messageOf(entry: StoredEntry): StoredMessage {
  const { seq, messageId, role, tokenCount, bytes } = entry;
  return { seq, messageId, role, tokenCount, bytes };
}

/** The message of a log with a seq. */
export function messageAt(
  readFacts: ReadFacts,
  { log }: SessionState,
  seq: number,
): StoredMessage | undefined {
  const message = log.get(seq);
  return message && messageOf(entryOf(readFacts, seq, message));
}

/** A page of the messages of a log. */
export function listMessages(
  readFacts: ReadFacts,
  state: SessionState,
  query: MessageQuery,
): MessagePage {
  const found = [...state.log]
    .filter(([seq]) => query.firstSeq <= seq && seq <= query.lastSeq)
    .map(([seq, message]) => messageOf(entryOf(readFacts, seq, message)))
    .filter((message) => query.roles === undefined || query.roles.has(message.role));
  if (query.order === "desc") found.reverse();
  return { messages: found.slice(0, query.limit), next: found[query.limit]?.seq };
}

function matches(state: SessionState, query: SessionQuery): boolean {
  const { fields, head } = state.session;
  const labels = [...(query.labels ?? [])];
  return (
    !isExpired(state.session, query.nowMs) &&
    (query.userId === undefined || fields.userId === query.userId) &&
    (query.agentId === undefined || fields.agentId === query.agentId) &&
    labels.every(([key, value]) => fields.labels.get(key) === value) &&
    fields.createMs >= (query.createdFromMs ?? Number.NEGATIVE_INFINITY) &&
    fields.createMs < (query.createdBeforeMs ?? Number.POSITIVE_INFINITY) &&
    head.updateMs >= (query.updatedFromMs ?? Number.NEGATIVE_INFINITY) &&
    head.updateMs < (query.updatedBeforeMs ?? Number.POSITIVE_INFINITY)
  );
}

/** A page of the sessions of a namespace, in the order of their creation or against it. */
export function listSessions(state: MemoryState, query: SessionQuery): SessionPage {
  const { after, limit, order } = query;
  let found = [...(state.namespaces.get(query.namespace)?.sessions.values() ?? [])];
  found.sort((a, b) => a.sessionNo - b.sessionNo);
  if (order === "desc") found.reverse();
  if (after !== undefined) {
    found = found.filter(({ sessionNo }) =>
      order === "desc" ? sessionNo < after : sessionNo > after,
    );
  }
  found = found.filter((session) => matches(session, query));
  const page = found.slice(0, limit);
  return {
    sessions: page.map(({ session }) => session),
    next: found.length > limit ? page.at(-1)?.sessionNo : undefined,
  };
}

/** Sessions of all namespaces whose time has run out. */
export function expiredSessions(state: MemoryState, nowMs: number, limit: number): SessionRef[] {
  return [...state.namespaces.values()]
    .flatMap(({ sessions }) => [...sessions.values()])
    .filter(({ session }) => isExpired(session, nowMs))
    .slice(0, limit)
    .map(({ session }) => ({ namespace: session.namespace, sessionId: session.sessionId }));
}

/** The consumers of a namespace by id, byte for byte. */
export function listConsumers(
  state: MemoryState,
  namespace: string,
  after: string,
  limit: number,
): Consumer[] {
  const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  return [...(state.namespaces.get(namespace)?.consumers.values() ?? [])]
    .filter(({ consumerId }) => compare(consumerId, after) > 0)
    .sort((a, b) => compare(a.consumerId, b.consumerId))
    .slice(0, limit);
}

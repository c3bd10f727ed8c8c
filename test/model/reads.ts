// The reads of the memory engine: each looks at everything and keeps what was asked for.

import { LIMITS } from "../../src/kit/limits.ts";
import { isExpired, type SessionRef } from "../../src/session/rules/session.ts";
import type {
  Consumer,
  FoundPage,
  ListedNamespace,
  ListTotal,
  MessagePage,
  MessageQuery,
  MessageSearch,
  ReadFacts,
  SessionPage,
  SessionPlace,
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
    .map(([seq, message]) => new ComputedEntry(entryOf(readFacts, seq, message)));
}

/** Computes what an engine may compute on demand: a spread of an entry loses it here, too. */
class ComputedEntry implements StoredEntry {
  readonly seq;
  readonly role;
  readonly isResult;
  readonly tokenCount;
  readonly createMs;
  readonly byteCount;
  readonly #entry: StoredEntry;

  constructor(entry: StoredEntry) {
    this.seq = entry.seq;
    this.role = entry.role;
    this.isResult = entry.isResult;
    this.tokenCount = entry.tokenCount;
    this.createMs = entry.createMs;
    this.byteCount = entry.byteCount;
    this.#entry = entry;
  }

  get messageId() {
    return this.#entry.messageId;
  }

  get callIds() {
    return this.#entry.callIds;
  }

  get answers() {
    return this.#entry.answers;
  }

  get bytes() {
    return this.#entry.bytes;
  }
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
    .filter((message) => query.roles === undefined || query.roles.has(message.role))
    .filter((message) => query.where?.(message.bytes) ?? true);
  if (query.order === "desc") found.reverse();
  return { messages: found.slice(0, query.limit), next: found[query.limit]?.seq };
}

type SessionFilter = Omit<SessionQuery, "after" | "limit">;

function matches(state: SessionState, query: SessionFilter): boolean {
  const { fields, head } = state.session;
  const labels = [...(query.labels ?? [])];
  return (
    !isExpired(state.session, query.nowMs) &&
    state.session.sessionId.startsWith(query.sessionIdPrefix ?? "") &&
    (query.where?.(state.session) ?? true) &&
    (query.userId === undefined || fields.userId === query.userId) &&
    (query.agentId === undefined || fields.agentId === query.agentId) &&
    labels.every(([key, value]) => fields.labels.get(key) === value) &&
    fields.createMs >= (query.createdFromMs ?? Number.NEGATIVE_INFINITY) &&
    fields.createMs < (query.createdBeforeMs ?? Number.POSITIVE_INFINITY) &&
    head.updateMs >= (query.updatedFromMs ?? Number.NEGATIVE_INFINITY) &&
    head.updateMs < (query.updatedBeforeMs ?? Number.POSITIVE_INFINITY)
  );
}

function placeOf({ sessionNo, session }: SessionState, { by }: SessionFilter): SessionPlace {
  return { sessionNo, updateMs: by === "update" ? session.head.updateMs : 0 };
}

/** All sessions that a list means, in its order. */
function sessionsOf(state: MemoryState, query: SessionFilter): SessionState[] {
  const found = [...(state.namespaces.get(query.namespace)?.sessions.values() ?? [])];
  const compare = (one: SessionState, other: SessionState) =>
    comparePlaces(placeOf(one, query), placeOf(other, query));
  found.sort(query.order === "desc" ? (one, other) => compare(other, one) : compare);
  return found.filter((session) => matches(session, query));
}

function comparePlaces(one: SessionPlace, other: SessionPlace): number {
  return one.updateMs - other.updateMs || one.sessionNo - other.sessionNo;
}

/** A page of the messages that have some ids, the newest session first. */
export function findMessages(
  readFacts: ReadFacts,
  state: MemoryState,
  query: MessageSearch,
): FoundPage {
  const { start, limit } = query;
  const ids = new Set(query.messageIds);
  const found = sessionsOf(state, { ...query, order: "desc" })
    .flatMap(({ sessionNo, session: { sessionId }, log }) =>
      [...log]
        .filter(([, { messageId }]) => ids.has(messageId))
        .map(([seq, message]) => {
          const stored = messageOf(entryOf(readFacts, seq, message));
          return { place: { sessionNo, seq }, message: { ...stored, sessionId } };
        }),
    )
    .filter(({ place: { sessionNo, seq } }) => {
      if (start === undefined || sessionNo < start.sessionNo) return true;
      return sessionNo === start.sessionNo && seq >= start.seq;
    });
  let bytes = 0;
  const fits = ({ message }: (typeof found)[number], index: number): boolean => {
    bytes += message.bytes.length;
    return index < limit && (index === 0 || bytes <= LIMITS.pageBytes);
  };
  const end = found.findIndex((one, index) => !fits(one, index));
  const page = end === -1 ? found : found.slice(0, end);
  return { messages: page.map(({ message }) => message), next: found[page.length]?.place };
}

/** A page of the sessions of a namespace. */
export function listSessions(state: MemoryState, query: SessionQuery): SessionPage {
  const { after, limit, order } = query;
  const left = sessionsOf(state, query).filter((session) => {
    if (after === undefined) return true;
    const compared = comparePlaces(placeOf(session, query), after);
    return order === "desc" ? compared < 0 : compared > 0;
  });
  const page = left.slice(0, limit);
  const last = page.at(-1);
  return {
    sessions: page.map(({ session }) => session),
    places: page.map((one) => placeOf(one, query)),
    next: left.length > limit && last !== undefined ? placeOf(last, query) : undefined,
  };
}

/** Number of sessions of a list. */
export function countSessions(state: MemoryState, query: SessionFilter): ListTotal {
  return { count: sessionsOf(state, query).length, isAtLeast: false };
}

/** The namespaces that ever changed, by name. */
export function listNamespaces(
  state: MemoryState,
  after: string,
  limit: number,
): ListedNamespace[] {
  return [...state.namespaces]
    .map(([namespace, { newest }]) => ({ namespace, revision: newest.revision }))
    .filter(({ namespace, revision }) => revision > 0 && namespace > after)
    .sort((one, other) => (one.namespace < other.namespace ? -1 : 1))
    .slice(0, limit);
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

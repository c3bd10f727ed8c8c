// Sessions: finding, loading and listing them.

import { recordCorrupt } from "../../domain/errors.ts";
import { LIMITS } from "../../domain/limits.ts";
import {
  expireMs,
  isExpired,
  type Session,
  type SessionFields,
  type SessionRef,
} from "../../domain/session.ts";
import type { SessionPage, SessionQuery } from "../store.ts";
import type { CachedSession, SessionState } from "./cache.ts";
import { decodeHead, decodeNumber } from "./codec.ts";
import { type Core, rangeIndex, readIndex } from "./core.ts";
import {
  afterPrefix,
  agentPrefix,
  allPrefix,
  expiryKey,
  headKey,
  labelPrefix,
  nameKey,
  readU64,
  sessionKey,
  TABLE,
  u64,
  userPrefix,
} from "./keys.ts";
import { sessionBytes } from "./session-bytes.ts";
import { decodeSession, type SessionRow } from "./session-codec.ts";
import { sealIndex } from "./slab.ts";

/** Where a session is listed: the prefixes that its number follows. */
export function listPrefixes(namespace: string, fields: SessionFields): string[] {
  const prefixes = [allPrefix(namespace)];
  if (fields.userId !== "") {
    prefixes.push(userPrefix(namespace, fields.userId));
  }
  if (fields.agentId !== "") {
    prefixes.push(agentPrefix(namespace, fields.agentId));
  }
  for (const [key, value] of fields.labels) {
    prefixes.push(labelPrefix(namespace, key, value));
  }
  return prefixes;
}

function stateOf(core: Core, row: SessionRow): SessionState {
  const head = readIndex(core, headKey(row.sessionNo), "committed", decodeHead);
  if (head === undefined) {
    throw recordCorrupt(`the head of session ${row.sessionNo} is missing`);
  }
  return {
    sessionNo: row.sessionNo,
    logNo: head.logNo,
    session: {
      namespace: row.namespace,
      sessionId: row.sessionId,
      fields: row.fields,
      head: head.head,
    },
    window: undefined,
    edits: 0,
  };
}

/** Reads a session that is durable; null when there is none. */
function loadSession(core: Core, ref: SessionRef): SessionState | null {
  const key = nameKey(ref.namespace, ref.sessionId);
  const sessionNo = readIndex(core, key, "committed", decodeNumber);
  if (sessionNo === undefined) {
    return null;
  }
  const row = readIndex(core, sessionKey(sessionNo), "committed", decodeSession);
  if (
    row === undefined ||
    row.sessionNo !== sessionNo ||
    row.namespace !== ref.namespace ||
    row.sessionId !== ref.sessionId
  ) {
    throw recordCorrupt(`session ${sessionNo} is missing or another one`);
  }
  return stateOf(core, row);
}

/** The cache's entry of a session; a session that does not exist gets one only when asked for. */
export function openSession(core: Core, ref: SessionRef): CachedSession | undefined {
  const cached = core.cache.get(ref);
  if (cached !== undefined) {
    return cached;
  }
  const state = loadSession(core, ref);
  return state === null ? undefined : core.cache.add(ref, state);
}

/** The durable state of a session. */
export function committedState(core: Core, ref: SessionRef): SessionState | undefined {
  return openSession(core, ref)?.committed ?? undefined;
}

/** Reads a session by its number, without taking room in the cache. */
function readNumbered(core: Core, sessionNo: number): Session {
  const row = readIndex(core, sessionKey(sessionNo), "committed", decodeSession);
  if (row === undefined || row.sessionNo !== sessionNo) {
    throw recordCorrupt(`session ${sessionNo} is listed but missing`);
  }
  return (core.cache.get(row)?.committed ?? stateOf(core, row)).session;
}

function listPrefix(query: SessionQuery): string {
  if (query.userId !== undefined && query.userId !== "") {
    return userPrefix(query.namespace, query.userId);
  }
  if (query.agentId !== undefined && query.agentId !== "") {
    return agentPrefix(query.namespace, query.agentId);
  }
  for (const [key, value] of query.labels ?? []) {
    return labelPrefix(query.namespace, key, value);
  }
  return allPrefix(query.namespace);
}

function matches(session: Session, query: SessionQuery): boolean {
  const { fields, head } = session;
  if (
    isExpired(session, query.nowMs) ||
    (query.userId !== undefined && fields.userId !== query.userId) ||
    (query.agentId !== undefined && fields.agentId !== query.agentId) ||
    fields.createMs < (query.createdFromMs ?? Number.NEGATIVE_INFINITY) ||
    fields.createMs >= (query.createdBeforeMs ?? Number.POSITIVE_INFINITY) ||
    head.updateMs < (query.updatedFromMs ?? Number.NEGATIVE_INFINITY) ||
    head.updateMs >= (query.updatedBeforeMs ?? Number.POSITIVE_INFINITY)
  ) {
    return false;
  }
  for (const [key, value] of query.labels ?? []) {
    if (fields.labels.get(key) !== value) {
      return false;
    }
  }
  return true;
}

/** A page of sessions while it is made. */
interface Listing {
  readonly sessions: Session[];
  bytes: number;
  /** The number of the session looked at last. */
  last: number | undefined;
}

// Sessions looked at before other work gets its turn.
const PIECE = 128;

/** A page of sessions in order of creation. Looks at a bounded number of them, piece by piece. */
export async function listSessions(core: Core, query: SessionQuery): Promise<SessionPage> {
  const listing: Listing = { sessions: [], bytes: 0, last: query.after };
  const { sessions } = listing;
  for (let looks = 0; looks < LIMITS.pageScan; looks += PIECE) {
    if (looks > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      core.writer.assertReadable();
    }
    const end = listPiece(core, query, listing);
    if (end !== "more") {
      return { sessions, next: end === "full" ? listing.last : undefined };
    }
  }
  return { sessions, next: listing.last };
}

function listPiece(core: Core, query: SessionQuery, listing: Listing): "more" | "full" | "end" {
  const prefix = listPrefix(query);
  const after = listing.last;
  const reverse = query.order === "desc";
  const start = !reverse && after !== undefined ? prefix + u64(after + 1) : prefix + u64(0);
  const end = reverse && after !== undefined ? prefix + u64(after) : afterPrefix(prefix);
  let looks = 0;
  for (const row of rangeIndex(core, "committed", { start, end, reverse })) {
    if (listing.sessions.length >= query.limit) {
      return "full";
    }
    if (looks >= PIECE) {
      return "more";
    }
    looks++;
    const sessionNo = readU64(row.key, prefix.length);
    const session = readNumbered(core, sessionNo);
    if (matches(session, query)) {
      listing.bytes += sessionBytes(session);
      if (listing.sessions.length > 0 && listing.bytes > LIMITS.sessionPageBytes) {
        return "full";
      }
      listing.sessions.push(session);
    }
    listing.last = sessionNo;
  }
  return "end";
}

/**
 * Sessions whose time has run out. An entry of the expiry index is never later than the end of its
 * session, but it may be too early, since an append does not move it: then it is moved here. A
 * damaged session does not hide the others: its error is thrown when none of them is due.
 */
export function expiredSessions(core: Core, nowMs: number, limit: number): SessionRef[] {
  const found: SessionRef[] = [];
  const seen = new Set<number>();
  const range = { start: TABLE.expiry + u64(0), end: TABLE.expiry + u64(Math.max(0, nowMs) + 1) };
  const rows: string[] = [];
  let failure: { readonly error: unknown } | undefined;
  for (const { key } of rangeIndex(core, "committed", range)) {
    rows.push(key);
    if (rows.length >= limit + LIMITS.pageSizeMax) {
      break;
    }
  }
  for (const key of rows) {
    if (found.length >= limit) {
      break;
    }
    const sessionNo = readU64(key, 9);
    try {
      const moved = correctExpiry(core, key, sessionNo, nowMs);
      if (moved !== undefined && !seen.has(sessionNo)) {
        seen.add(sessionNo);
        found.push(moved);
      }
    } catch (error) {
      failure ??= { error };
    }
  }
  if (failure !== undefined && found.length === 0) {
    throw failure.error;
  }
  return found;
}

// Gives the session if it has run out by now; else moves or removes the entry.
function correctExpiry(
  core: Core,
  key: string,
  sessionNo: number,
  nowMs: number,
): SessionRef | undefined {
  const row = readIndex(core, sessionKey(sessionNo), "pending", decodeSession);
  if (row === undefined) {
    core.memtable.set(key, null);
    return undefined;
  }
  const state = core.cache.get(row)?.pending ?? stateOf(core, row);
  const end = expireMs(state.session);
  if (end !== undefined && end <= nowMs) {
    return { namespace: row.namespace, sessionId: row.sessionId };
  }
  core.memtable.set(key, null);
  if (end !== undefined) {
    const moved = expiryKey(end, sessionNo);
    core.memtable.set(moved, emptyRecord(moved));
  }
  return undefined;
}

const NOTHING = new Uint8Array(0);

/** A record whose key says everything. */
export function emptyRecord(key: string): Uint8Array {
  return sealIndex(key, NOTHING);
}

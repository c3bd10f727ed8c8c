// Upper bound of the size of sessions on the wire, which bounds pages of sessions. The public form
// is not known here, only that it holds the same texts and numbers.

import { recordCorrupt } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import {
  expireMs,
  isExpired,
  type Session,
  type SessionFields,
  type SessionRef,
  type WindowInsert,
} from "../../session/rules/session.ts";
import type { Policy, PolicyStage, Selection } from "../../window/policy/policy.ts";
import { afterPrefix, readU64, u64 } from "../engine/keys.ts";
import { rangeIndex, unlessDamaged } from "../engine/reads.ts";
import type { SessionPage, SessionQuery } from "../store.ts";
import type { CachedSession, SessionState } from "./cache.ts";
import type { Core } from "./core.ts";
import {
  EXPIRY,
  HEAD,
  SESSION,
  SESSION_AGENT,
  SESSION_LABEL,
  SESSION_LIST,
  SESSION_NAME,
  SESSION_USER,
  type SessionRow,
} from "./session-tables.ts";

// Bytes of a session, a stage of its policy, a text, a run and a mark beside their texts.
const FIXED_BYTES = 656;
const STAGE_BYTES = 80;
const SUMMARIZE_BYTES = 80;
const ENTRY_BYTES = 16;
const RUN_BYTES = 22;
const INSERT_BYTES = 96;
const MARK_BYTES = 48;

const policies = new WeakMap<Policy, number>();

/** At least the bytes of the wire form of a session. */
export function sessionBytes(session: Session): number {
  const { fields, head, namespace, sessionId } = session;
  const { policy, summary, forkedFrom } = fields;
  // A policy is given as it was chosen and as it is in force.
  let bytes = FIXED_BYTES + fields.metadata.length + 2 * policyBytes(policy);
  bytes += textBytes([namespace, sessionId]);
  bytes += textBytes(Object.values(fields).filter((value) => typeof value === "string"));
  bytes += textBytes([forkedFrom?.sessionId ?? "", summary?.text ?? "", summary?.hook ?? ""]);
  bytes += (summary?.ranges.length ?? 0) * RUN_BYTES;
  for (const [key, value] of fields.labels) {
    bytes += ENTRY_BYTES + key.length + Buffer.byteLength(value);
  }
  for (const insert of fields.inserts) {
    bytes += insertBytes(insert);
  }
  for (const { stage } of head.policyState.marks) {
    bytes += MARK_BYTES + stage.length;
  }
  return bytes;
}

function textBytes(texts: readonly string[]): number {
  let bytes = 0;
  for (const text of texts) {
    bytes += Buffer.byteLength(text);
  }
  return bytes;
}

function listBytes(texts: readonly string[]): number {
  return textBytes(texts) + texts.length * ENTRY_BYTES;
}

// Its text is no longer than the message that shows it.
function insertBytes({ messageId, bytes, ranges, hook, stage }: WindowInsert): number {
  const texts = textBytes([messageId, hook, stage]);
  return INSERT_BYTES + texts + bytes.length + ranges.length * RUN_BYTES;
}

function policyBytes(policy: Policy): number {
  let bytes = policies.get(policy);
  if (bytes === undefined) {
    bytes = textBytes([policy.name, policy.model, policy.toolResultFill?.text ?? ""]);
    bytes += textBytes([policy.summaryView.prefix]);
    bytes += listBytes(policy.protections.pinIds);
    for (const stage of policy.stages) {
      bytes += stageBytes(stage);
    }
    policies.set(policy, bytes);
  }
  return bytes;
}

function stageBytes({ name, anyOf, countIf, select, summarize }: PolicyStage): number {
  let bytes = STAGE_BYTES + name.length + anyOf.length * ENTRY_BYTES;
  if (summarize !== undefined) {
    const { hook, instructions, placeholder, separator, prefix } = summarize;
    bytes += SUMMARIZE_BYTES + textBytes([hook, instructions, placeholder, separator, prefix]);
  }
  for (const trigger of anyOf) {
    bytes += "names" in trigger ? listBytes(trigger.names) : 0;
  }
  return bytes + listBytes(countIf) + listBytes(conditionsOf(select));
}

function conditionsOf(select: Selection): readonly string[] {
  return select.kind === "filter" ? select.conditions : [];
}

// Sessions: finding, loading and listing them.

/** List keys of a session: the prefixes that its number follows. */
export function listPrefixes(namespace: string, fields: SessionFields): string[] {
  const prefixes = [SESSION_LIST.prefix(namespace)];
  if (fields.userId !== "") prefixes.push(SESSION_USER.prefix(namespace, fields.userId));
  if (fields.agentId !== "") prefixes.push(SESSION_AGENT.prefix(namespace, fields.agentId));
  for (const [key, value] of fields.labels) {
    prefixes.push(SESSION_LABEL.prefix(namespace, key, value));
  }
  return prefixes;
}

function stateOf(core: Core, row: SessionRow): SessionState {
  const head = HEAD.get(core, HEAD.key(row.sessionNo), "committed");
  if (head === undefined) throw recordCorrupt(`the head of session ${row.sessionNo} is missing`);
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
  const key = SESSION_NAME.key(ref.namespace, ref.sessionId);
  const sessionNo = SESSION_NAME.get(core, key, "committed");
  if (sessionNo === undefined) return null;
  const row = SESSION.get(core, SESSION.key(sessionNo), "committed");
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
  if (cached !== undefined) return cached;
  const state = loadSession(core, ref);
  return state === null ? undefined : core.cache.add(ref, state);
}

/** The durable state of a session. */
export function committedState(core: Core, ref: SessionRef): SessionState | undefined {
  return openSession(core, ref)?.committed ?? undefined;
}

/** Reads a session by its number, without taking room in the cache. */
function readNumbered(core: Core, sessionNo: number): Session {
  const row = SESSION.get(core, SESSION.key(sessionNo), "committed");
  if (row === undefined || row.sessionNo !== sessionNo) {
    throw recordCorrupt(`session ${sessionNo} is listed but missing`);
  }
  return (core.cache.get(row)?.committed ?? stateOf(core, row)).session;
}

function listPrefix(query: SessionQuery): string {
  if (query.userId !== undefined && query.userId !== "") {
    return SESSION_USER.prefix(query.namespace, query.userId);
  }
  if (query.agentId !== undefined && query.agentId !== "") {
    return SESSION_AGENT.prefix(query.namespace, query.agentId);
  }
  for (const [key, value] of query.labels ?? []) {
    return SESSION_LABEL.prefix(query.namespace, key, value);
  }
  return SESSION_LIST.prefix(query.namespace);
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
    if (fields.labels.get(key) !== value) return false;
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
    if (end !== "more") return { sessions, next: end === "full" ? listing.last : undefined };
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
    if (listing.sessions.length >= query.limit) return "full";
    if (looks >= PIECE) return "more";
    looks++;
    const sessionNo = readU64(row.key, prefix.length);
    const session = unlessDamaged(core, () => readNumbered(core, sessionNo));
    if (session !== undefined && matches(session, query)) {
      listing.bytes += sessionBytes(session);
      if (listing.sessions.length > 0 && listing.bytes > LIMITS.sessionPageBytes) return "full";
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
  const range = { start: EXPIRY.id + u64(0), end: EXPIRY.id + u64(Math.max(0, nowMs) + 1) };
  const rows: string[] = [];
  let failure: { readonly error: unknown } | undefined;
  for (const { key } of rangeIndex(core, "committed", range)) {
    rows.push(key);
    if (rows.length >= limit + LIMITS.pageSizeMax) break;
  }
  for (const key of rows) {
    if (found.length >= limit) break;
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
  if (failure !== undefined && found.length === 0) throw failure.error;
  return found;
}

// Gives the session if it has run out by now; else moves or removes the entry.
function correctExpiry(
  core: Core,
  key: string,
  sessionNo: number,
  nowMs: number,
): SessionRef | undefined {
  const row = SESSION.get(core, SESSION.key(sessionNo), "pending");
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
    EXPIRY.put(core, EXPIRY.key(end, sessionNo), true);
  }
  return undefined;
}

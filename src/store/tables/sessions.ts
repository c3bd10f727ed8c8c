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
import { afterPrefix, lastNumber, numbersUnder, timesUnder, u64 } from "../engine/keys.ts";
import {
  breathe,
  type IndexRange,
  type IndexRow,
  takeRows,
  unlessDamaged,
} from "../engine/reads.ts";
import type { ListTotal, SessionPage, SessionPlace, SessionQuery } from "../store.ts";
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
  SESSION_UPDATED,
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

/**
 * Reads a session by its number, without taking room in the cache. Undefined for one that was
 * removed after its place was read.
 */
export function readNumbered(
  core: Core,
  namespace: string,
  sessionNo: number,
): SessionState | undefined {
  const row = SESSION.get(core, SESSION.key(sessionNo), "committed");
  if (row?.sessionNo !== sessionNo) {
    if (!SESSION_LIST.has(core, SESSION_LIST.key(namespace, sessionNo), "committed")) return;
    throw recordCorrupt(`session ${sessionNo} is listed but missing`);
  }
  return core.cache.get(row)?.committed ?? stateOf(core, row);
}

/** Sessions that a list may hold: those of its user, its agent or a label, or all. */
function listPrefix(query: SessionFilter): string {
  return ownPrefix(query) ?? SESSION_LIST.prefix(query.namespace);
}

function ownPrefix({ namespace, userId, agentId, labels }: SessionFilter): string | undefined {
  if (userId !== undefined && userId !== "") return SESSION_USER.prefix(namespace, userId);
  if (agentId !== undefined && agentId !== "") return SESSION_AGENT.prefix(namespace, agentId);
  for (const [key, value] of labels ?? []) {
    return SESSION_LABEL.prefix(namespace, key, value);
  }
  return undefined;
}

/** Whether a list holds a session. */
export function matches(session: Session, query: Omit<SessionFilter, "by" | "order">): boolean {
  const { fields, head } = session;
  if (
    isExpired(session, query.nowMs) ||
    !session.sessionId.startsWith(query.sessionIdPrefix ?? "") ||
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
  return query.where?.(session) ?? true;
}

/** A list without the part of it that a page shows. */
type SessionFilter = Omit<SessionQuery, "after" | "limit">;

/** Gives the places behind one, in the order of the list: less than asked for only at its end. */
export type Places = (after: SessionPlace | undefined, count: number) => readonly SessionPlace[];

// Sessions looked at before other work gets its turn.
const PIECE = 128;

/** A page of sessions. Looks at a bounded number of them, piece by piece. */
export async function listSessions(core: Core, query: SessionQuery): Promise<SessionPage> {
  const { namespace } = query;
  const placesAfter = await placesOf(core, query);
  const sessions: Session[] = [];
  const shown: SessionPlace[] = [];
  const upTo = (next: SessionPlace | undefined) => ({ sessions, places: shown, next });
  let bytes = 0;
  let last = query.after;
  let piece = Math.min(PIECE, query.limit + 1);
  for (let looks = 0; looks < LIMITS.pageScan; looks += piece) {
    if (looks > 0) {
      await breathe(core);
      piece = Math.min(PIECE, piece * 2);
    }
    const places = placesAfter(last, piece);
    for (const place of places) {
      if (sessions.length >= query.limit) return upTo(last);
      const session = unlessDamaged(core, () =>
        readNumbered(core, namespace, place.sessionNo),
      )?.session;
      if (session !== undefined && matches(session, query)) {
        bytes += sessionBytes(session);
        if (sessions.length > 0 && bytes > LIMITS.sessionPageBytes) return upTo(last);
        sessions.push(session);
        shown.push(place);
      }
      last = place;
    }
    if (places.length < piece) return upTo(undefined);
  }
  return upTo(last);
}

/** Counts the sessions of a list. Looks at as many as the longest page does. */
export async function countSessions(core: Core, query: SessionFilter): Promise<ListTotal> {
  const { namespace } = query;
  const placesAfter = await placesOf(core, query);
  let count = 0;
  let last: SessionPlace | undefined;
  for (let looks = 0; looks < LIMITS.pageScan; looks += PIECE) {
    if (looks > 0) await breathe(core);
    const places = placesAfter(last, PIECE);
    for (const { sessionNo } of places) {
      const session = unlessDamaged(core, () => readNumbered(core, namespace, sessionNo))?.session;
      if (session !== undefined && matches(session, query)) count++;
    }
    last = places.at(-1);
    if (places.length < PIECE) return { count, isAtLeast: false };
  }
  return { count, isAtLeast: placesAfter(last, 1).length > 0 };
}

/**
 * Finds where a list looks. The sessions that a filter names are sorted where no index has them in
 * the order of the list, as long as they are few; else all sessions are walked in that order.
 */
export async function placesOf(core: Core, query: SessionFilter): Promise<Places> {
  const prefix = query.sessionIdPrefix ?? "";
  const named =
    prefix === "" ? undefined : await sortedPlaces(core, query, namedRows(query.namespace, prefix));
  if (named !== undefined) return named;
  if (query.by !== "update") return (after, count) => createdPlaces(core, query, after, count);
  const own = ownPrefix(query);
  const sorted = own === undefined ? undefined : await sortedPlaces(core, query, listedRows(own));
  return sorted ?? ((after, count) => updatedPlaces(core, query, after, count));
}

/** Rows that name a session each, one range of them. */
interface NamingRows {
  readonly start: string;
  readonly end: string;
  readonly numberOf: (row: IndexRow) => number;
  /** The least key behind a row. */
  readonly behind: (row: IndexRow) => string;
}

function namedRows(namespace: string, prefix: string): NamingRows {
  const start = SESSION_NAME.key(namespace, prefix);
  return {
    ...{ start, end: afterPrefix(start) },
    numberOf: ({ payload }) => SESSION_NAME.of(payload),
    behind: ({ key }) => `${key}\0`,
  };
}

function listedRows(prefix: string): NamingRows {
  const numberOf = ({ key }: IndexRow) => lastNumber(key);
  return {
    ...numbersUnder(prefix),
    numberOf,
    behind: (row) => prefix + u64(numberOf(row) + 1),
  };
}

/** The places of the sessions of some rows, sorted; undefined when a page may not examine all. */
async function sortedPlaces(
  core: Core,
  query: SessionFilter,
  { start, end, numberOf, behind }: NamingRows,
): Promise<Places | undefined> {
  const places: SessionPlace[] = [];
  let from = start;
  for (let looks = 0; ; looks += PIECE) {
    if (looks >= LIMITS.pageScan) return undefined;
    if (looks > 0) await breathe(core);
    const rows = takeRows(core, "committed", { start: from, end }, PIECE);
    for (const row of rows) {
      const sessionNo = numberOf(row);
      const updateMs = query.by === "update" ? updateMsOf(core, sessionNo) : 0;
      if (updateMs !== undefined) places.push({ sessionNo, updateMs });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PIECE) break;
    from = behind(last);
  }
  const sign = query.order === "desc" ? -1 : 1;
  places.sort((a, b) => sign * comparePlaces(a, b));
  return (after, count) => {
    const isAfter = (place: SessionPlace) =>
      after === undefined || sign * comparePlaces(place, after) > 0;
    const start = places.findIndex(isAfter);
    return start === -1 ? [] : places.slice(start, start + count);
  };
}

function comparePlaces(a: SessionPlace, b: SessionPlace): number {
  return a.updateMs - b.updateMs || a.sessionNo - b.sessionNo;
}

/** When a session was last changed; undefined for one that was removed meanwhile. */
function updateMsOf(core: Core, sessionNo: number): number | undefined {
  return unlessDamaged(core, () => HEAD.get(core, HEAD.key(sessionNo), "committed"))?.head.updateMs;
}

/** Places in the order of creation, among those of the user, the agent or a label. */
function createdPlaces(
  core: Core,
  query: SessionFilter,
  after: SessionPlace | undefined,
  count: number,
): SessionPlace[] {
  const prefix = listPrefix(query);
  const range = rangeBehind(query.order, {
    ...numbersUnder(prefix),
    after: after && [prefix + u64(after.sessionNo), prefix + u64(after.sessionNo + 1)],
  });
  const rows = takeRows(core, "committed", range, count);
  return rows.map(({ key }) => ({ sessionNo: lastNumber(key), updateMs: 0 }));
}

/** Places in the order of the last change, between the times that the list names. */
function updatedPlaces(
  core: Core,
  query: SessionFilter,
  after: SessionPlace | undefined,
  count: number,
): SessionPlace[] {
  const { namespace, order, updatedFromMs = 0, updatedBeforeMs } = query;
  const at = (ms: number, no: number) => SESSION_UPDATED.key(namespace, Math.max(0, ms), no);
  const range = rangeBehind(order, {
    start: at(updatedFromMs, 0),
    end:
      updatedBeforeMs === undefined
        ? afterPrefix(SESSION_UPDATED.prefix(namespace))
        : at(updatedBeforeMs, 0),
    after: after && [at(after.updateMs, after.sessionNo), at(after.updateMs, after.sessionNo + 1)],
  });
  return takeRows(core, "committed", range, count).map(({ key }) => {
    const [, updateMs, sessionNo] = SESSION_UPDATED.parts(key);
    return { sessionNo, updateMs };
  });
}

/** The part of a range behind one of its keys, which comes with the least key above it. */
function rangeBehind(
  order: SessionQuery["order"],
  range: {
    readonly start: string;
    readonly end: string;
    readonly after: readonly [key: string, next: string] | undefined;
  },
): IndexRange {
  const { start, end, after } = range;
  if (order === "desc") return { start, end: after?.[0] ?? end, reverse: true };
  return { start: after?.[1] ?? start, end };
}

/**
 * Sessions whose time has run out. An entry of the expiry index is never later than the end of its
 * session, but it may be too early, since an append does not move it: then it is moved here. A
 * damaged session does not hide the others: its error is thrown when none of them is due.
 */
export function expiredSessions(core: Core, nowMs: number, limit: number): SessionRef[] {
  const found: SessionRef[] = [];
  const seen = new Set<number>();
  let failure: { readonly error: unknown } | undefined;
  const range = timesUnder(EXPIRY.id, nowMs);
  for (const { key } of takeRows(core, "committed", range, limit + LIMITS.pageSizeMax)) {
    if (found.length >= limit) break;
    const sessionNo = lastNumber(key);
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
